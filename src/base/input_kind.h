/* input_kind.h - recognizes inputs that are not text by their first bytes. For input.c alone. */
#ifndef BIPE_BASE_INPUT_KIND_H
#define BIPE_BASE_INPUT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No signature reaches beyond this many bytes. */
enum { BIPE_INPUT_KIND_REACH = 512 };

typedef struct bipe_input_kind {
    const char *what;   /* "a PDF document" */
    const char *advice; /* what to do instead, a clause; NULL: nothing in particular */
    const char *encoding; /* it is text in this encoding; NULL otherwise */
    bool marked;        /* with a byte order mark */
    bool result;        /* it is JSON that a tool wrote, which only a reader of text does not expect */
} bipe_input_kind;

/* Looks at the first `size` bytes. NULL: text, as far as these show; *more then says whether further bytes could show
 * otherwise. Text as people write it needs no further bytes, so that nobody waits for them on a pipe. */
const bipe_input_kind *bipe_input_kind_of(const uint8_t *bytes, size_t size, bool *more);

#endif
