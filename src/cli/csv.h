/* csv.h - fields of comma-separated values (RFC 4180). Failures stay in the output, whose next call with a bipe_error reports them. */
#ifndef BIPE_CLI_CSV_H
#define BIPE_CLI_CSV_H

#include "base/output.h"

/* A field, in quotes where it needs them. */
void bipe_csv_text(bipe_output *output, const char *text);
/* A field and the comma after it. */
void bipe_csv_field(bipe_output *output, const char *text);
/* A comma and a number, for each. */
void bipe_csv_numbers(bipe_output *output, const double *number, size_t count);
void bipe_csv_number(bipe_output *output, double value);

#endif
