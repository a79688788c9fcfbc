/* segmenter_spec.h - parses a SPEC: a segmenter, by name or by path, and its argument. Opens nothing. */
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
    const char *argument; /* the text after the colon; NULL: no colon */
} bipe_segmenter_spec;

/* Splits "NAME", "NAME:ARG", "PATH.so" and "PATH.so:ARG". The text before the first colon is a NAME if it consists of
 * letters, digits, '-' and '_'; otherwise the SPEC begins with a path, which ends at the first ".so" before a colon or
 * the end. BIPE_ERR_ARGUMENT: neither. The error text does not name the SPEC. */
int bipe_segmenter_spec_parse(bipe_segmenter_spec *parsed, const char *spec, bipe_error *err);

enum { BIPE_SPEC_SHOWN_SIZE = 128 };

/* The SPEC for error texts: cut when long, with '?' for control characters. Returns `shown`. */
const char *bipe_segmenter_spec_show(const char *spec, char shown[BIPE_SPEC_SHOWN_SIZE]);

#endif
