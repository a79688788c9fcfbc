/* unicode_sets.h - sets of characters by Unicode 16.0: what the properties and classes of a tokenizer's patterns hold. Hugging Face's
 * library (Oniguruma) and tiktoken (Rust's regex) have that version today. PCRE2 has whichever it was built with, and patterns must not
 * mean something else on another machine. */
#ifndef BIPE_TEXT_UNICODE_SETS_H
#define BIPE_TEXT_UNICODE_SETS_H

#include "base/buffer.h"
#include "text/code_set.h"

/* Gives an empty set the characters of a property, or all but them: a category ("Lu", "L"), "Any", a script ("sc:Han"), or another one.
 * Case and '_' do not matter. BIPE_END: it is not known. */
int bipe_unicode_property(bipe_code_set *set, const char *name, size_t size, bool negated, bipe_error *err);

/* Gives an empty set what a class of PCRE2's syntax holds, or a property ("\p{Lu}"). BIPE_END: it is not plainly one. */
int bipe_unicode_class(bipe_code_set *set, const char *source, bipe_error *err);

/* Writes a pattern of PCRE2's syntax again, so that its properties hold what they hold in Unicode 16.0. What is new in other versions is
 * found by asking PCRE2, which takes milliseconds for each property. Appends a NUL, too, which is not counted. BIPE_ERR_UNSUPPORTED: a
 * property is not known. BIPE_ERR_LIMIT: too many of them, or more than a mebibyte when they are written out. */
int bipe_unicode_rewrite(const char *pattern, size_t size, bipe_buffer *out, bipe_error *err);

#endif
