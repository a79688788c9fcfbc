/* html.c - see html.h. */
#include "plot/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/sha256.h"
#include "text/utf8.h"

static const char *entity(int32_t code)
{
    switch (code) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

int bipe_html_text(bipe_output *output, const void *text, size_t size, bipe_error *err)
{
    const uint8_t *bytes = text;
    int status = BIPE_OK;
    for (size_t at = 0; at < size && status == BIPE_OK;) {
        int32_t code;
        uint8_t own[4];
        size_t used = bipe_utf8_decode(bytes + at, size - at, &code);
        const char *name = entity(code);
        bool control = (code >= 0 && code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
        if (name != NULL)
            status = bipe_output_write(output, name, strlen(name), err);
        else if (control || code < 0 || (code >= 0x80 && code < 0xA0))
            status = bipe_output_write(output, own, bipe_utf8_encode(!control ? 0xFFFD : code == 0x7F ? 0x2421 : 0x2400 + code, own), err);
        else
            status = bipe_output_write(output, bytes + at, used, err);
        at += used > 0 ? used : size - at;
    }
    return status;
}

int bipe_html_base64(bipe_output *output, const uint8_t *bytes, size_t size, bipe_error *err)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int status = BIPE_OK;
    for (size_t at = 0; at < size && status == BIPE_OK; at += 3) {
        uint32_t three = (uint32_t)bytes[at] << 16 | (at + 1 < size ? (uint32_t)bytes[at + 1] << 8 : 0) | (at + 2 < size ? bytes[at + 2] : 0);
        char four[4] = {digit[three >> 18], digit[three >> 12 & 63], at + 1 < size ? digit[three >> 6 & 63] : '=', at + 2 < size ? digit[three & 63] : '='};
        status = bipe_output_write(output, four, 4, err);
    }
    return status;
}

int bipe_html_begin(bipe_output *output, const char *title, const char *style, const char *script, bipe_error *err)
{
    int status = bipe_output_printf(output, err, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                                 "<meta name=\"viewport\" content=\"width=device-width\">\n"
                                                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                                                 "style-src 'unsafe-inline'; script-src ");
    if (status == BIPE_OK && script != NULL) {
        uint8_t sum[BIPE_SHA256_SIZE];
        bipe_sha256_of(script, strlen(script), sum);
        status = bipe_output_printf(output, err, "'sha256-");
        if (status == BIPE_OK)
            status = bipe_html_base64(output, sum, sizeof sum, err);
    }
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "%s\">\n<title>", script != NULL ? "'" : "'none'");
    if (status == BIPE_OK)
        status = bipe_html_text(output, title, strlen(title), err);
    return status == BIPE_OK ? bipe_output_printf(output, err, "</title>\n<style>%s</style>\n</head>\n", style) : status;
}
