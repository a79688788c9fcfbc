/* convert_automaton.h - a model built from the description of an automaton instead of one that is read. */
#ifndef BIPE_TOOLS_CONVERT_CONVERT_AUTOMATON_H
#define BIPE_TOOLS_CONVERT_CONVERT_AUTOMATON_H

#include "tools/convert/convert_source.h"

/* Reads `path` (bipe-convert(1) has its members) and builds the model for texts of up to `length` tokens
 * (bipe_automaton_model()), with its tokenizer. Zero-initialise *source; close it also after a failure.
 * BIPE_ERR_FORMAT with the path and the member. */
int convert_automaton_open(convert_source *source, const char *path, size_t length, bipe_error *err);

#endif
