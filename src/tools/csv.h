/* csv.h - fields of comma-separated values (RFC 4180). */
#ifndef BIPE_TOOLS_CSV_H
#define BIPE_TOOLS_CSV_H

#include "base/output.h"

/* A field, in quotes where it needs them. */
int bipe_csv_text(bipe_output *output, const char *text, bipe_error *err);
/* A field and the comma after it. */
int bipe_csv_field(bipe_output *output, const char *text, bipe_error *err);
/* A comma and a number. */
int bipe_csv_number(bipe_output *output, double value, bipe_error *err);

#endif
