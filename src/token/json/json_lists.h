/* json_lists.h - the two long lists of a tokenizer.json, "vocab" and "merges" of its model, read without a tree of JSON values. "vocab"
 * is an object of ids, or an array of pieces with scores (Unigram).
 *
 * A tree of half a million values takes longer than all else in opening a tokenizer. So the lists are read where they stand, when
 * they are of the plain form that files have, and the tree is made of the rest, with null in their places. Whatever is not of that
 * form is left to the tree: what is wrong with it is said in one place. */
#ifndef BIPE_TOKEN_JSON_LISTS_H
#define BIPE_TOKEN_JSON_LISTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/merges/merge_list.h"

/* Strings are well-formed UTF-8, NULs among it, ended by one. */
typedef struct bipe_json_string {
    const char *text;
    size_t size;
} bipe_json_string;

/* Zero-initialise. */
typedef struct bipe_json_lists {
    bool has_vocab, has_pieces, has_merges; /* the lists that were read; the others are in the tree, if anywhere */
    bipe_json_string *text;     /* [count] the string of each id, NULL: none has it */
    size_t count;
    double *score;              /* [count] has_pieces: as the library reads them (json_number.h) */
    struct bipe_json_place {
        uint32_t at, left, right; /* room[at] and the sizes of both, a NUL after each */
    } *merge;
    size_t merges;
    char *room;
    size_t text_capacity, score_capacity, merge_capacity, entries;
} bipe_json_lists;

/* The tree of a tokenizer.json without the lists that could be read. BIPE_ERR_FORMAT with line and column; *root is released with
 * json_decref(), lists with bipe_json_lists_free(). */
int bipe_json_lists_load(bipe_json_lists *lists, const uint8_t *bytes, size_t size, json_t **root, bipe_error *err);
void bipe_json_lists_free(bipe_json_lists *lists);

/* The vocabulary of a model: (*text)[id] for all ids (text NULL: none has it), *count is the largest id + 1. The list, not the strings, is
 * released with bipe_free(), also on failure. lists: NULL, or those of the file. */
int bipe_json_vocab(const bipe_json_lists *lists, const json_t *vocab, bipe_json_string **text, size_t *count, bipe_error *err);

/* Reads "merges" of a model: all strings "LEFT RIGHT", of which those that begin with "#version" do not count, or all arrays ["LEFT", "RIGHT"].
 * BIPE_ERR_FORMAT: there is no such list, or both are in it; what bipe_merge_list_read() returns. */
int bipe_json_merges(const bipe_json_lists *lists, const json_t *merges, bipe_merge_list *list, bipe_error *err);
/* The merge in that place of a list that was read (lists) or is in the tree: see bipe_merge_at. The strings are like bipe_json_string. */
bool bipe_json_merge_at(const bipe_json_lists *lists, const json_t *merges, size_t i, bipe_named_merge *merge);

#endif
