/* description.h - a tokenizer as described by a tokenizer.json of Hugging Face's library: the form in which all readers
 * pass it to the constructors of tokenizers.
 *
 * Small members are a tree of jansson's. The long lists of the model, "vocab" and "merges", are kept beside it (null in
 * the tree), since half a million values of a tree would take more memory and time than everything else. */
#ifndef BIPE_TOKEN_DESCRIPTION_H
#define BIPE_TOKEN_DESCRIPTION_H

#include <jansson.h>

#include "base/buffer.h"
#include "token/added_set.h"
#include "token/merges/merge_list.h"
#include "token/tokenizer.h"

typedef enum bipe_vocab_form {
    BIPE_VOCAB_ABSENT, /* or in the tree, and of no known form */
    BIPE_VOCAB_IDS,    /* an object of ids by string */
    BIPE_VOCAB_PIECES, /* Unigram: an array of strings with scores */
    BIPE_VOCAB_RANKS   /* tekken.json: an array of strings in base64, beside the model */
} bipe_vocab_form;

/* Zero-initialise. */
typedef struct bipe_description {
    json_t *root;
    bipe_vocab_form vocab;
    bool unique; /* two ids with the same string are an error */
    bool has_merges;
    bipe_buffer text; /* all strings, which may hold NULs, one after the other */
    struct bipe_string_range {
        uint32_t at, size; /* at UINT32_MAX: no string has this id */
    } *string;        /* [count] by id */
    size_t count, entries; /* entries: ids that have a string */
    double *score;    /* [count] BIPE_VOCAB_PIECES: as the library reads them */
    bipe_merge_range *merge; /* [merges] in the order of their ranks */
    size_t merges, string_capacity, score_capacity, merge_capacity;
} bipe_description;

void bipe_description_free(bipe_description *description);

/* Reads a tokenizer.json or tekken.json. BIPE_ERR_FORMAT with line and column, or with the member. Freed by the caller
 * in any case. */
int bipe_description_load(bipe_description *description, const uint8_t *bytes, size_t size, bipe_error *err);

/* The vocabulary of a vocab.json, an object of ids; the root stays. */
int bipe_description_load_vocab(bipe_description *description, const uint8_t *bytes, size_t size, bipe_error *err);
/* Appends a tokenizer.json with all that is described; its strings are UTF-8. */
int bipe_description_write(const bipe_description *description, bipe_buffer *out, bipe_error *err);

/* Adds a string to the vocabulary. BIPE_ERR_FORMAT: the id has one; BIPE_ERR_LIMIT. */
int bipe_description_add(bipe_description *description, size_t id, const void *text, size_t size, bipe_error *err);
/* The string of an id below count; NULL: it has none. */
const uint8_t *bipe_description_string(const bipe_description *description, size_t id, size_t *size);
/* The largest id that has this string, or -1; goes through all. */
int64_t bipe_description_find(const bipe_description *description, const void *text, size_t size);
/* Takes the string away from an id that has one. */
void bipe_description_remove(bipe_description *description, size_t id);
/* BIPE_ERR_FORMAT where two ids have the same string. vocabulary: made of this one, all strings findable. */
int bipe_description_check(const bipe_description *description, const bipe_vocabulary *vocabulary, bipe_error *err);
int bipe_description_add_merge(bipe_description *description, const void *left, size_t left_size, const void *right,
                               size_t right_size, bipe_error *err);
/* Fills the table of `list` with the merges: bipe_merge_list_read(). BIPE_ERR_FORMAT: there is no list. */
int bipe_description_merges(const bipe_description *description, bipe_merge_list *list, bipe_error *err);

/* Makes the described tokenizer (files/tokenizer_json.c), without the data for writing it. */
int bipe_description_make(const bipe_description *description, bipe_tokenizer *tokenizer, bipe_error *err);
/* ---- "added_tokens", with their ids: the same for every kind of model (json_added.c) ---- */

/* One of them. */
typedef struct bipe_json_added {
    const char *text; /* of the tree; not empty */
    size_t size;
    bipe_added added;
    bool special, normalized;
} bipe_json_added;

/* The list "added_tokens"; null is an empty one. Strings with new ids are appended to the vocabulary, which has
 * `entries`. (*tokens)[*count] is released with bipe_free(), none when it fails. BIPE_ERR_FORMAT: an id is not that
 * which the library would give; BIPE_ERR_UNSUPPORTED: it lies in a gap of the vocabulary, or another string has it. */
int bipe_json_added_list(const json_t *list, bipe_vocabulary *vocabulary, size_t entries, bipe_json_added **tokens,
                         size_t *count, bipe_error *err);

#endif
