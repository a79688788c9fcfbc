/* status.c - fills error texts. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that was cut must not end inside a UTF-8 character. */
static void trim_partial_character(char *text, size_t size)
{
    size_t n = strlen(text);
    if (n + 1 < size)
        return;
    size_t i = n;
    while (i > 0 && n - i < 3 && ((unsigned char)text[i - 1] & 0xC0) == 0x80)
        i--;
    if (i > 0 && (unsigned char)text[i - 1] >= 0xC0)
        text[i - 1] = '\0';
}

char *bipe_hide_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++)
        if (*c < 0x20 || *c == 0x7F)
            *c = '?';
        else if (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
            c[0] = c[1] = '?';
    return text;
}

int bipe_fail(bipe_error *err, bipe_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list ap;
        va_start(ap, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, ap);
        va_end(ap);
        trim_partial_character(err->text, sizeof err->text);
        bipe_hide_controls(err->text);
    }
    return status;
}

int bipe_fail_memory(bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_MEMORY, "out of memory");
}

int bipe_error_prefix(bipe_error *err, const char *format, ...)
{
    if (err == NULL)
        return BIPE_ERR_IO;
    char old[BIPE_ERROR_SIZE], prefix[BIPE_ERROR_SIZE];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, format);
    vsnprintf(prefix, sizeof prefix, format, ap);
    va_end(ap);
    size_t used = strlen(prefix);
    if (used > sizeof err->text - 3)
        used = sizeof err->text - 3;
    memcpy(err->text, prefix, used);
    snprintf(err->text + used, sizeof err->text - used, ": %s", old);
    trim_partial_character(err->text, sizeof err->text);
    bipe_hide_controls(err->text);
    return err->status;
}
