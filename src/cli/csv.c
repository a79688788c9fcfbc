/* csv.c - fields of comma- and tab-separated values; see csv.h. */
#include "cli/csv.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/json_writer.h"
#include "text/utf8.h"

void bipe_csv_text(bipe_output *output, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (!quoted)
        bipe_output_write(output, text, strlen(text), NULL);
    for (const char *at = text; quoted && *at != '\0'; at++)
        bipe_output_printf(output, NULL, "%s%s%c%s", at == text ? "\"" : "", *at == '"' ? "\"" : "", *at,
                           at[1] == '\0' ? "\"" : "");
}

void bipe_csv_field(bipe_output *output, const char *text)
{
    bipe_csv_text(output, text);
    bipe_output_write(output, ",", 1, NULL);
}

void bipe_csv_numbers(bipe_output *output, const double *number, size_t count)
{
    char text[32];
    for (size_t i = 0; i < count; i++)
        bipe_output_printf(output, NULL, ",%s", bipe_format_number(text, number[i]));
}

void bipe_csv_number(bipe_output *output, double value)
{
    bipe_csv_numbers(output, &value, 1);
}

/* quote: what goes after a quotation mark. */
static void write_escaped(bipe_output *output, const char *text, size_t size, const char *quote)
{
    for (size_t at = 0; at < size;) {
        static const char plain[] = "\t\n\r\\", letter[] = "tnr\\";
        const char *short_form = memchr(plain, text[at], sizeof plain - 1);
        int32_t code;
        size_t used = bipe_utf8_decode((const uint8_t *)text + at, size - at, &code);
        bool broken = used == 0 || code < ' ' || code == 0x7f;
        if (short_form != NULL)
            bipe_output_printf(output, NULL, "\\%c", letter[short_form - plain]);
        else if (broken)
            bipe_output_printf(output, NULL, "\\x%02x", (unsigned char)text[at]);
        else
            bipe_output_write(output, text + at, used, NULL);
        if (text[at] == '"')
            bipe_output_write(output, quote, strlen(quote), NULL);
        at += broken ? 1 : used;
    }
}

void bipe_tsv_text(bipe_output *output, const char *text, size_t size)
{
    write_escaped(output, text, size, "");
}

void bipe_csv_escaped(bipe_output *output, const char *text, size_t size)
{
    bool quoted = size > 0 && (memchr(text, ',', size) != NULL || memchr(text, '"', size) != NULL);
    bipe_output_write(output, "\"", quoted, NULL);
    write_escaped(output, text, size, "\"");
    bipe_output_write(output, "\"", quoted, NULL);
}
