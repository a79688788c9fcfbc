/* html.c - see html.h. */
#include "text/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/sha256.h"
#include "text/utf8.h"

void bipe_html_bytes(bipe_output *output, const void *text, size_t size)
{
    static const char special[] = "&<>\"'", *const name[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const uint8_t *bytes = text;
    for (size_t at = 0; at < size;) {
        int32_t code;
        uint8_t own[4];
        size_t used = bipe_utf8_decode(bytes + at, size - at, &code);
        const char *escaped = code > 0 && code < 0x80 ? strchr(special, code) : NULL;
        bool control = (code >= 0 && code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
        if (escaped != NULL)
            bipe_output_printf(output, NULL, "%s", name[escaped - special]);
        else if (control || code < 0 || (code >= 0x80 && code < 0xA0))
            bipe_output_write(output, own, bipe_utf8_encode(!control ? 0xFFFD : code == 0x7F ? 0x2421 : 0x2400 + code, own), NULL);
        else
            bipe_output_write(output, bytes + at, used, NULL);
        at += used > 0 ? used : size - at;
    }
}

void bipe_html_text(bipe_output *output, const char *text)
{
    bipe_html_bytes(output, text, strlen(text));
}

void bipe_html_base64(bipe_output *output, const uint8_t *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        uint32_t three = (uint32_t)bytes[at] << 16 | (at + 1 < size ? (uint32_t)bytes[at + 1] << 8 : 0) | (at + 2 < size ? bytes[at + 2] : 0);
        char four[4] = {digit[three >> 18], digit[three >> 12 & 63], at + 1 < size ? digit[three >> 6 & 63] : '=', at + 2 < size ? digit[three & 63] : '='};
        bipe_output_write(output, four, 4, NULL);
    }
}

void bipe_html_begin(bipe_output *output, const char *title, const char *style, const char *script)
{
    uint8_t sum[BIPE_SHA256_SIZE];
    bipe_output_printf(output, NULL, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                     "<meta name=\"viewport\" content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" "
                                     "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '%s", script != NULL ? "sha256-" : "none");
    if (script != NULL) {
        bipe_sha256_of(script, strlen(script), sum);
        bipe_html_base64(output, sum, sizeof sum);
    }
    bipe_output_printf(output, NULL, "'\">\n<title>");
    bipe_html_text(output, title);
    bipe_output_printf(output, NULL, "</title>\n<style>%s</style>\n</head>\n", style);
}
