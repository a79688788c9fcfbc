/* html.h - what pages of HTML are written with: text and data from anywhere, escaped. Failures stay in the output, for its next flush. */
#ifndef BIPE_TEXT_HTML_H
#define BIPE_TEXT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

/* Text for an element or a quoted attribute. Bytes that are not UTF-8 become U+FFFD, control characters but tab and newline their pictures. */
void bipe_html_bytes(bipe_output *output, const void *text, size_t size);
void bipe_html_text(bipe_output *output, const char *text);
void bipe_html_base64(bipe_output *output, const uint8_t *bytes, size_t size);
/* Up to the body: the title, the style, and a policy that lets no script run but this one (NULL: none) and fetches nothing. */
void bipe_html_begin(bipe_output *output, const char *title, const char *style, const char *script);

#endif
