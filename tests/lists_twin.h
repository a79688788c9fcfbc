/* lists_twin.h - the lists of a tokenizer.json as json_lists.h reads them, against the tree that jansson makes of the whole file. */
#ifndef BIPE_TESTS_LISTS_TWIN_H
#define BIPE_TESTS_LISTS_TWIN_H

#include <math.h>
#include <string.h>

#include "token/json/json_lists.h"

static inline bool twin_vocab(const bipe_json_lists *lists, json_t *vocab)
{
    size_t count = 0;
    for (size_t id = 0; id < lists->count; id++) {
        const char *text = lists->text[id].text;
        const json_t *value = text != NULL ? json_object_get(vocab, text) : NULL;
        if (text != NULL && (strlen(text) != lists->text[id].size || !json_is_integer(value) || json_integer_value(value) != (json_int_t)id))
            return false;
        count += text != NULL;
    }
    return json_is_object(vocab) && json_object_size(vocab) == count && count != 0 && lists->text[lists->count - 1].text != NULL;
}

/* Scores differ by roundings alone. */
static inline bool twin_pieces(const bipe_json_lists *lists, const json_t *vocab)
{
    if (!json_is_array(vocab) || json_array_size(vocab) != lists->count)
        return false;
    for (size_t id = 0; id < lists->count; id++) {
        const json_t *piece = json_array_get(vocab, id), *text = json_array_get(piece, 0), *score = json_array_get(piece, 1);
        double want = json_number_value(score), got = lists->score[id];
        if (json_array_size(piece) != 2 || !json_is_string(text) || !json_is_number(score) || json_string_length(text) != lists->text[id].size ||
            memcmp(json_string_value(text), lists->text[id].text, lists->text[id].size) != 0 ||
            fabs(got - want) > 1e-15 * fabs(want) + 1e-306)
            return false;
    }
    return true;
}

static inline bool twin_merges(const bipe_json_lists *lists, const json_t *merges)
{
    if (!json_is_array(merges) || json_array_size(merges) != lists->merges)
        return false;
    for (size_t i = 0; i < json_array_size(merges); i++) {
        bipe_named_merge got = {0}, want = {0};
        if (!bipe_json_merge_at(lists, NULL, i, &got) || !bipe_json_merge_at(NULL, merges, i, &want) || got.left_size != want.left_size ||
            got.right_size != want.right_size || memcmp(got.left, want.left, got.left_size) != 0 ||
            memcmp(got.right, want.right, got.right_size) != 0 || got.left[got.left_size] != '\0' || got.right[got.right_size] != '\0')
            return false;
    }
    return true;
}

/* jansson has no strings with NULs in them: the lists may have. */
static inline bool twin_has_nul(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(bytes + i, "\\u0000", 6) == 0)
            return true;
    return false;
}

/* Whether both agree: on the file, on what is wrong with it, on every string and id. *taken: whether any list was read in place. */
static inline bool twins_agree(const uint8_t *bytes, size_t size, bool *taken, bipe_error *err)
{
    json_error_t error;
    json_t *want = json_loadb((const char *)bytes, size, 0, &error), *root = NULL;
    bipe_json_lists lists = {0};
    int status = bipe_json_lists_load(&lists, bytes, size, &root, err);
    bool listed = lists.has_vocab || lists.has_pieces;
    *taken = listed || lists.has_merges;
    bool same = (status == BIPE_OK) == (want != NULL) && (status == BIPE_OK) == (root != NULL);
    if (want == NULL && root != NULL && *taken && twin_has_nul(bytes, size)) {
        same = true;
    } else if (same && want == NULL) {
        bipe_error same_error = {0};
        bipe_fail(&same_error, BIPE_ERR_FORMAT, "line %d, column %d: %s", error.line, error.column, error.text);
        same = status == BIPE_ERR_FORMAT && strcmp(same_error.text, err->text) == 0;
    } else if (same) {
        json_t *model = json_object_get(want, "model"), *rest = json_object_get(root, "model");
        if (listed)
            same = (lists.has_vocab ? twin_vocab(&lists, json_object_get(model, "vocab")) : twin_pieces(&lists, json_object_get(model, "vocab"))) &&
                   json_is_null(json_object_get(rest, "vocab"));
        if (same && lists.has_merges)
            same = twin_merges(&lists, json_object_get(model, "merges")) && json_is_null(json_object_get(rest, "merges"));
        if (same && listed)
            json_object_set_new(model, "vocab", json_null());
        if (same && lists.has_merges)
            json_object_set_new(model, "merges", json_null());
        same = same && json_equal(want, root) == 1;
    }
    json_decref(want);
    json_decref(root);
    bipe_json_lists_free(&lists);
    return same;
}

#endif
