/* html.c - see html.h. */
#include "plot/html.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <string.h>

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
        else if (control || code < 0 || (code >= 0x80 && code < 0xA0) || (code & 0xFFFE) == 0xFFFE)
            bipe_output_write(output, own,
                              bipe_utf8_encode(!control       ? 0xFFFD
                                               : code == 0x7F ? 0x2421
                                                              : 0x2400 + code,
                                               own),
                              NULL);
        else
            bipe_output_write(output, bytes + at, used, NULL);
        at += used > 0 ? used : size - at;
    }
}

void bipe_html_text(bipe_output *output, const char *text)
{
    bipe_html_bytes(output, text, strlen(text));
}

int bipe_html_json(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0; at < size && status == BIPE_OK; at++)
        status = bytes[at] == '<' ? bipe_output_write(context, "\\u003c", 6, err)
                                  : bipe_output_write(context, bytes + at, 1, err);
    return status;
}

void bipe_html_begin(bipe_output *output, const char *title, const char *style, const char *script, const char *before)
{
    struct sha256_ctx sha;
    uint8_t sum[SHA256_DIGEST_SIZE];
    char base64[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    sha256_init(&sha);
    sha256_update(&sha, strlen(script), (const uint8_t *)script);
    sha256_digest(&sha, sizeof sum, sum);
    base64_encode_raw(base64, sizeof sum, sum);
    bipe_output_printf(
        output, NULL,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'\">\n<title>",
        base64);
    bipe_html_text(output, title);
    bipe_output_printf(output, NULL, "</title>\n<style>%s</style>\n</head>\n<body>\n%s<h1>", style, before);
    bipe_html_text(output, title);
    bipe_output_printf(output, NULL, "</h1>\n");
}
