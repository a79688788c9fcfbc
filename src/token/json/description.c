/* description.c - the lists of a description. */
#include "token/json/description.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "token/kind.h"

enum { SHOWN = 40 }; /* bytes of a string in an error */

static const uint32_t no_string = UINT32_MAX;

void bipe_description_free(bipe_description *d)
{
    json_decref(d->root);
    bipe_buffer_free(&d->text);
    bipe_free(d->string);
    bipe_free(d->score);
    bipe_free(d->merge);
    *d = (bipe_description){0};
}

static int append_text(bipe_description *d, const void *text, size_t size, bipe_error *err)
{
    if (size >= no_string - d->text.size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "strings of more than 4 GiB");
    return bipe_buffer_append(&d->text, text, size, err);
}

int bipe_description_add(bipe_description *d, size_t id, const void *text, size_t size, bipe_error *err)
{
    if (id >= BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "vocab: the id %zu, expected one below %d", id, BIPE_VOCABULARY_LIMIT);
    if (bipe_grow(&d->string, &d->string_capacity, id + 1, sizeof *d->string) != 0)
        return bipe_fail_memory(err);
    for (; d->count <= id; d->count++)
        d->string[d->count].at = no_string;
    struct bipe_string_range *range = &d->string[id];
    if (range->at != no_string)
        return bipe_fail(err, BIPE_ERR_FORMAT, "vocab: \"%.*s\" and \"%.*s\" have the same id %zu",
                         (int)(range->size < SHOWN ? range->size : SHOWN), (const char *)d->text.data + range->at,
                         (int)(size < SHOWN ? size : SHOWN), (const char *)text, id);
    *range = (struct bipe_string_range){(uint32_t)d->text.size, (uint32_t)size};
    d->entries++;
    return append_text(d, text, size, err);
}

const uint8_t *bipe_description_string(const bipe_description *d, size_t id, size_t *size)
{
    const struct bipe_string_range *range = &d->string[id];
    *size = range->at != no_string ? range->size : 0;
    return *size != 0 ? d->text.data + range->at : range->at != no_string ? (const uint8_t *)"" : NULL;
}

int64_t bipe_description_find(const bipe_description *d, const void *text, size_t size)
{
    for (size_t id = d->count, own_size; id-- > 0;) {
        const uint8_t *own = bipe_description_string(d, id, &own_size);
        if (own != NULL && own_size == size && memcmp(own, text, size) == 0)
            return (int64_t)id;
    }
    return BIPE_NO_PIECE;
}

void bipe_description_remove(bipe_description *d, size_t id)
{
    d->string[id].at = no_string;
    d->entries--;
}

int bipe_description_check(const bipe_description *d, const bipe_vocabulary *vocabulary, bipe_error *err)
{
    size_t strings = 0;
    for (size_t id = 0; id < d->count; id++)
        strings += d->string[id].at != no_string && d->string[id].size != 0;
    return !d->unique || strings == vocabulary->used ? BIPE_OK
                                                     : bipe_fail(err, BIPE_ERR_FORMAT, "vocab: a string has two ids");
}

int bipe_description_add_merge(bipe_description *d, const void *left, size_t left_size, const void *right,
                               size_t right_size, bipe_error *err)
{
    if (d->merges == BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "merges: expected at most %d", BIPE_VOCABULARY_LIMIT);
    if (bipe_grow(&d->merge, &d->merge_capacity, d->merges + 1, sizeof *d->merge) != 0)
        return bipe_fail_memory(err);
    d->merge[d->merges++] = (bipe_merge_range){(uint32_t)d->text.size, (uint32_t)left_size, (uint32_t)right_size};
    int status = append_text(d, left, left_size, err);
    return status == BIPE_OK ? append_text(d, right, right_size, err) : status;
}

int bipe_description_merges(const bipe_description *d, bipe_merge_list *list, bipe_error *err)
{
    if (!d->has_merges)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"merges\"");
    return bipe_merge_list_read(list, (const char *)d->text.data, d->merge, d->merges, err);
}

/* ---- written ---- */

/* A string, with the text before it. */
static int append_json_string(bipe_buffer *out, const char *before, const void *text, size_t size, bipe_error *err)
{
    size_t n = strlen(before);
    int status = bipe_buffer_reserve(out, n + BIPE_JSON_WIDEST * size + 2, err);
    if (status != BIPE_OK)
        return status;
    uint8_t *at = out->data + out->size;
    memcpy(at, before, n);
    at += n;
    *at++ = '"';
    at = bipe_json_encode_string(at, text, size);
    *at++ = '"';
    out->size = (size_t)(at - out->data);
    return BIPE_OK;
}

static int append_lists(const bipe_description *d, bipe_buffer *out, bipe_error *err)
{
    int status = bipe_buffer_printf(out, err, "\"vocab\":{");
    const char *comma = "";
    for (size_t id = 0, size; status == BIPE_OK && id < d->count; id++) {
        const uint8_t *text = bipe_description_string(d, id, &size);
        if (text == NULL)
            continue;
        status = append_json_string(out, comma, text, size, err);
        comma = ",\n";
        if (status == BIPE_OK)
            status = bipe_buffer_printf(out, err, ":%zu", id);
    }
    if (status == BIPE_OK)
        status = bipe_buffer_printf(out, err, d->has_merges ? "},\"merges\":[" : "}");
    for (size_t i = 0; status == BIPE_OK && i < d->merges; i++) {
        const bipe_merge_range *m = &d->merge[i];
        status = append_json_string(out, i == 0 ? "[" : ",\n[", d->text.data + m->at, m->left, err);
        if (status == BIPE_OK)
            status = append_json_string(out, ",", d->text.data + m->at + m->left, m->right, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(out, "]", 1, err);
    }
    return status == BIPE_OK && d->has_merges ? bipe_buffer_append(out, "]", 1, err) : status;
}

static int append_members(const bipe_description *d, json_t *object, bool root, bipe_buffer *out, bipe_error *err)
{
    const char *name, *before = "{";
    json_t *value;
    int status = BIPE_OK;
    json_object_foreach(object, name, value) {
        bool model = root && strcmp(name, "model") == 0;
        if (!root && (strcmp(name, "vocab") == 0 || strcmp(name, "merges") == 0))
            continue;
        status = append_json_string(out, before, name, strlen(name), err);
        before = ",";
        if (status == BIPE_OK)
            status = bipe_buffer_append(out, ":", 1, err);
        size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
        if (status == BIPE_OK)
            status = model ? append_members(d, value, false, out, err) : bipe_buffer_reserve(out, size, err);
        if (status == BIPE_OK && !model)
            out->size += json_dumpb(value, (char *)out->data + out->size, size, JSON_COMPACT | JSON_ENCODE_ANY);
        if (status != BIPE_OK)
            return status;
    }
    if (!root)
        status = bipe_buffer_append(out, before, 1, err);
    if (!root && status == BIPE_OK)
        status = append_lists(d, out, err);
    return status == BIPE_OK ? bipe_buffer_append(out, "}", 1, err) : status;
}

int bipe_description_write(const bipe_description *d, bipe_buffer *out, bipe_error *err)
{
    return append_members(d, d->root, true, out, err);
}
