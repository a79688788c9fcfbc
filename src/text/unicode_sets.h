/* unicode_sets.h - the characters of properties and classes in the patterns of tokenizers, by Unicode 16.0: the version
 * of Hugging Face's library (Oniguruma) and tiktoken (Rust's regex) today. The version of PCRE2 depends on its build,
 * and a pattern must mean the same on every machine. */
#ifndef BIPE_TEXT_UNICODE_SETS_H
#define BIPE_TEXT_UNICODE_SETS_H

#include "base/buffer.h"
#include "text/code_set.h"

/* Fills an empty set with the characters of a class in PCRE2's syntax, or of a property ("\p{Lu}"). BIPE_END: not a
 * simple class. */
int bipe_unicode_class(bipe_code_set *set, const char *source, bipe_error *err);

/* Rewrites a pattern in PCRE2's syntax so that its properties are those of Unicode 16.0. Differences from PCRE2's own
 * version are found by matching, which takes milliseconds per property. Appends a NUL that is not counted.
 * BIPE_ERR_UNSUPPORTED: an unknown property. BIPE_ERR_LIMIT: too many properties, or a result of more than a
 * mebibyte. */
int bipe_unicode_rewrite(const char *pattern, size_t size, bipe_buffer *out, bipe_error *err);

#endif
