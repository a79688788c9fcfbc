/* segmenter_spec.h - takes a SPEC apart: which segmenter, by name or by path, and its argument. Finds nothing, opens nothing. */
#ifndef BIPE_SEGMENT_SEGMENTER_SPEC_H
#define BIPE_SEGMENT_SEGMENTER_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Points into the SPEC. */
typedef struct bipe_segmenter_spec {
    bool is_path;         /* PATH.so, not NAME */
    const char *name;     /* (name_size) NAME or PATH.so */
    size_t name_size;
    const char *argument; /* what stands after the colon; NULL when there is none */
} bipe_segmenter_spec;

/* Splits "NAME", "NAME:ARG", "PATH.so" and "PATH.so:ARG". What stands before the first colon is a NAME when it is made
 * of letters, digits, '-' and '_'; anything else is a path, which ends at the first ".so" in front of a colon or of the
 * end. BIPE_ERR_ARGUMENT: neither. The text does not name the SPEC. */
int bipe_segmenter_spec_parse(bipe_segmenter_spec *parsed, const char *spec, bipe_error *err);

enum { BIPE_SPEC_SHOWN_SIZE = 128 };

/* The SPEC as error texts show it: cut when long, control characters replaced by '?'. Returns `shown`. */
const char *bipe_segmenter_spec_show(const char *spec, char shown[BIPE_SPEC_SHOWN_SIZE]);

#endif
