/* csv.c - fields of comma-separated values; see csv.h. */
#include "tools/csv.h"

#include <string.h>

#include "base/json_writer.h"

int bipe_csv_text(bipe_output *output, const char *text, bipe_error *err)
{
    if (strpbrk(text, ",\"\r\n") == NULL)
        return bipe_output_write(output, text, strlen(text), err);
    int status = bipe_output_write(output, "\"", 1, err);
    for (; status == BIPE_OK && *text != '\0'; text++) {
        if (*text == '"')
            status = bipe_output_write(output, "\"", 1, err);
        if (status == BIPE_OK)
            status = bipe_output_write(output, text, 1, err);
    }
    return status == BIPE_OK ? bipe_output_write(output, "\"", 1, err) : status;
}

int bipe_csv_field(bipe_output *output, const char *text, bipe_error *err)
{
    int status = bipe_csv_text(output, text, err);
    return status == BIPE_OK ? bipe_output_write(output, ",", 1, err) : status;
}

int bipe_csv_number(bipe_output *output, double value, bipe_error *err)
{
    char number[32];
    return bipe_output_printf(output, err, ",%s", bipe_format_number(number, value));
}
