/* pcre2_memory.h - what the users of PCRE2 share: its allocations, its options, its errors. Include <pcre2.h> in front of it. */
#ifndef BIPE_TEXT_PCRE2_MEMORY_H
#define BIPE_TEXT_PCRE2_MEMORY_H

#include <stddef.h>

#include "base/status.h"

/* A context that allocates as base/alloc.h does. NULL: out of memory. */
pcre2_general_context *bipe_pcre2_memory(void);

/* Compiles with UTF, UCP, a newline of LF, any \R and without \C, and with more options. BIPE_ERR_ARGUMENT: no pattern. */
int bipe_pcre2_compile(pcre2_code **code, pcre2_general_context *general, const char *pattern, size_t size, uint32_t options,
                       bipe_error *err);

/* Tells why a match failed: BIPE_ERR_MEMORY, BIPE_ERR_LIMIT, or BIPE_ERR_UNSUPPORTED for anything else. */
int bipe_pcre2_fail(int number, bipe_error *err);

#endif
