/* csv.c - fields of comma-separated values; see csv.h. */
#include "cli/csv.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_writer.h"

void bipe_csv_text(bipe_output *output, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (!quoted)
        bipe_output_write(output, text, strlen(text), NULL);
    for (const char *at = text; quoted && *at != '\0'; at++)
        bipe_output_printf(output, NULL, "%s%s%c%s", at == text ? "\"" : "", *at == '"' ? "\"" : "", *at, at[1] == '\0' ? "\"" : "");
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
