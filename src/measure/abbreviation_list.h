/* abbreviation_list.h - decides which words are abbreviations, and prints them as a list for `sentence`. */
#ifndef BIPE_MEASURE_ABBREVIATION_LIST_H
#define BIPE_MEASURE_ABBREVIATION_LIST_H

#include "base/output.h"
#include "measure/abbreviation_counts.h"

/* As abbreviations.h says. BIPE_ERR_MEMORY, or as the output fails. */
int bipe_abbreviation_list_print(const bipe_abbreviation_counts *counts, bipe_output *output, bipe_error *err);

#endif
