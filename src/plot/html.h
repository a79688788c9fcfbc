/* html.h - writes HTML and SVG: text and data from anywhere, escaped. The output's next flush returns a failure. */
#ifndef BIPE_PLOT_HTML_H
#define BIPE_PLOT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

/* Text of an element or a quoted attribute. Bytes that are not UTF-8, and what is no character, become U+FFFD, control
 * characters other than tab and newline their pictures (U+2400 ...). */
void bipe_html_bytes(bipe_output *output, const void *text, size_t size);
void bipe_html_text(bipe_output *output, const char *text);
/* A sink (base/output.h) for JSON within a script element, where no text may look like an element: context is the
 * output. */
int bipe_html_json(void *context, const uint8_t *bytes, size_t size, bipe_error *err);
/* Everything up to the heading: title, style, a content policy that runs no script but this one ("": none) and fetches
 * nothing, and `before` in front of it. */
void bipe_html_begin(bipe_output *output, const char *title, const char *style, const char *script, const char *before);

#endif
