/* csv.h - fields of comma-separated values (RFC 4180) and of tab-separated ones. Failures stay in the output, whose
 * next call with a bipe_error reports them. */
#ifndef BIPE_CLI_CSV_H
#define BIPE_CLI_CSV_H

#include <stddef.h>

#include "base/output.h"

/* A field, in quotes where it needs them. */
void bipe_csv_text(bipe_output *output, const char *text);
/* A field and the comma after it. */
void bipe_csv_field(bipe_output *output, const char *text);
/* A comma and a number, for each. */
void bipe_csv_numbers(bipe_output *output, const double *number, size_t count);
void bipe_csv_number(bipe_output *output, double value);
/* A field of tab-separated values: tab, newline, carriage return and backslash are escaped, other control characters
 * and bytes of broken characters written as \xHH. */
void bipe_tsv_text(bipe_output *output, const char *text, size_t size);
/* The same escapes in a field of comma-separated values. */
void bipe_csv_escaped(bipe_output *output, const char *text, size_t size);

#endif
