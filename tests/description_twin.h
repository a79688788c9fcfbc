/* description_twin.h - what is described by a tokenizer.json, against the tree that jansson makes of the whole file. */
#ifndef BIPE_TESTS_DESCRIPTION_TWIN_H
#define BIPE_TESTS_DESCRIPTION_TWIN_H

#include <math.h>
#include <string.h>

#include "token/json/description.h"

static inline bool twin_string(const bipe_description *d, size_t id, const json_t *want)
{
    size_t size;
    const uint8_t *text = bipe_description_string(d, id, &size);
    return text != NULL && json_is_string(want) && json_string_length(want) == size &&
           memcmp(json_string_value(want), text, size) == 0;
}

/* Of a string that comes twice jansson has the last id, and both are described. */
static inline bool twin_ids(const bipe_description *d, json_t *vocab)
{
    const char *name;
    json_t *value;
    json_object_foreach(vocab, name, value) {
        json_t *text = json_string(name);
        bool same = json_is_integer(value) && (size_t)json_integer_value(value) < d->count &&
                    twin_string(d, (size_t)json_integer_value(value), text);
        json_decref(text);
        if (!same)
            return false;
    }
    return json_is_object(vocab) && json_object_size(vocab) <= d->entries;
}

/* Scores differ by roundings alone. */
static inline bool twin_pieces(const bipe_description *d, const json_t *vocab)
{
    bool same = json_is_array(vocab) && json_array_size(vocab) == d->count;
    for (size_t id = 0; same && id < d->count; id++) {
        const json_t *piece = json_array_get(vocab, id);
        double want = json_number_value(json_array_get(piece, 1)), got = d->score[id];
        same = json_array_size(piece) == 2 && json_is_number(json_array_get(piece, 1)) &&
               twin_string(d, id, json_array_get(piece, 0)) && fabs(got - want) <= 1e-15 * fabs(want) + 1e-306;
    }
    return same;
}

static inline bool twin_ranks(const bipe_description *d, const json_t *vocab)
{
    bool same = json_is_array(vocab) && json_array_size(vocab) == d->count;
    for (size_t id = 0; same && id < d->count; id++)
        same = twin_string(d, id, json_object_get(json_array_get(vocab, id), "token_bytes"));
    return same;
}

static inline bool twin_merges(const bipe_description *d, const json_t *merges)
{
    size_t count = 0;
    bool same = json_is_array(merges);
    for (size_t i = 0; same && i < json_array_size(merges); i++) {
        const json_t *merge = json_array_get(merges, i);
        const char *text = json_string_value(merge);
        if (text != NULL && strncmp(text, "#version", 8) == 0)
            continue;
        const bipe_merge_range *m = &d->merge[count];
        if (count++ == d->merges)
            return false;
        json_t *left = json_stringn((const char *)d->text.data + m->at, m->left);
        json_t *right = json_stringn((const char *)d->text.data + m->at + m->left, m->right);
        json_t *both = text != NULL ? json_sprintf("%s %s", json_string_value(left), json_string_value(right))
                                    : json_pack("[O,O]", left, right);
        same = m->left != 0 && m->right != 0 &&
               (json_equal(both, merge) == 1 || (text != NULL && json_string_length(merge) != strlen(text)));
        json_decref(left);
        json_decref(right);
        json_decref(both);
    }
    return same && count == d->merges;
}

/* jansson has no names with NULs in them: vocabularies may have. */
static inline bool twin_has_nul(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(bytes + i, "\\u0000", 6) == 0)
            return true;
    return false;
}

/* Whether both agree on a file that is taken; jansson may take others, whose lists are not what they should be. */
static inline bool twins_agree(const uint8_t *bytes, size_t size, bool *taken, bipe_error *err)
{
    json_t *want = json_loadb((const char *)bytes, size, JSON_ALLOW_NUL, NULL);
    bipe_description d = {0};
    int status = bipe_description_load(&d, bytes, size, err);
    *taken = status == BIPE_OK;
    bool same = status == BIPE_OK ? want != NULL || twin_has_nul(bytes, size)
                                  : status == BIPE_ERR_FORMAT && err->text[0] != '\0';
    if (same && status == BIPE_OK && want != NULL) {
        bool ranks = d.vocab == BIPE_VOCAB_RANKS;
        json_t *model = json_object_get(want, "model"), *vocab = json_object_get(ranks ? want : model, "vocab");
        same = d.vocab == BIPE_VOCAB_ABSENT || (ranks                       ? twin_ranks(&d, vocab)
                                                : d.vocab == BIPE_VOCAB_IDS ? twin_ids(&d, vocab)
                                                                            : twin_pieces(&d, vocab));
        same = same && (!d.has_merges || twin_merges(&d, json_object_get(model, "merges")));
        if (d.vocab != BIPE_VOCAB_ABSENT)
            json_object_set_new(ranks ? want : model, "vocab", json_null());
        if (d.has_merges)
            json_object_set_new(model, "merges", json_null());
        same = same && json_equal(want, d.root) == 1;
    }
    json_decref(want);
    bipe_description_free(&d);
    return same;
}

#endif
