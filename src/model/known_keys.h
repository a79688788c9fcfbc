/* known_keys.h - tables of the keys that a configuration may have; others are refused, as they may change the model. */
#ifndef BIPE_MODEL_KNOWN_KEYS_H
#define BIPE_MODEL_KNOWN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bipe_known_key {
    const char *name;
    const char *harmless; /* NULL: it is read. "": it changes nothing. Else the values, apart by spaces, with which it
                             changes nothing */
    unsigned where;       /* bits of the user: the locations where this row holds */
} bipe_known_key;

/* The row of a name that holds in one of the locations; NULL: there is none. */
const bipe_known_key *bipe_known_key_find(const bipe_known_key *table, size_t count, const char *name, unsigned where);
/* Whether a value changes nothing: its text is one of the words, or its number (NaN: it is none) equals one. */
bool bipe_known_key_allows(const bipe_known_key *key, const char *text, double number);

/* What to do about a key that is not known; the end of a message. */
#define BIPE_UNKNOWN_KEY "which is not known and may change what the model computes; if it does not, delete the key"

#endif
