/* merge_list.c - see merge_list.h. */
#include "token/merges/merge_list.h"

#include <inttypes.h>

#include "base/buffer.h"

enum { AT_ONCE = 64 };

/* Merges that are looked for together. */
typedef struct batch {
    bipe_named_merge merge[AT_ONCE];
    size_t count;
    bipe_buffer joined; /* what they make, one after the other */
} batch;

static int fail_merge(const bipe_merge_list *list, uint32_t rank, bipe_error *err)
{
    return bipe_error_prefix(err, "%s: %" PRIu32, list->name, rank);
}

/* Appends what a merge makes to `joined`. */
static int append_result(const bipe_merge_list *list, const bipe_named_merge *m, bipe_buffer *joined, bipe_error *err)
{
    int status = bipe_buffer_append(joined, m->left, m->left_size, err);
    return status == BIPE_OK ? bipe_buffer_append(joined, m->right + list->drop, m->right_size - list->drop, err) : status;
}

/* The ids of left, right, and what they make, of each merge. */
static void find_strings(const bipe_merge_list *list, const batch *b, int64_t id[3 * AT_ONCE])
{
    const uint8_t *text[3 * AT_ONCE], *joined = b->joined.data;
    size_t size[3 * AT_ONCE];
    for (size_t i = 0; i < b->count; i++) {
        const bipe_named_merge *m = &b->merge[i];
        text[3 * i] = (const uint8_t *)m->left;
        size[3 * i] = m->left_size;
        text[3 * i + 1] = (const uint8_t *)m->right;
        size[3 * i + 1] = m->right_size;
        text[3 * i + 2] = joined;
        size[3 * i + 2] = m->left_size + m->right_size - list->drop;
        joined += size[3 * i + 2];
    }
    bipe_vocabulary_find_all(list->vocabulary, text, size, 3 * b->count, id);
}

static int set_merge(const bipe_merge_list *list, const bipe_named_merge *m, const int64_t id[3], bipe_error *err)
{
    for (int k = 0; k < 3; k++)
        if (id[k] == BIPE_NO_PIECE || (uint64_t)id[k] >= list->ids)
            return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" and \"%.*s\": they or what they make are not in the vocabulary",
                             (int)(m->left_size < 40 ? m->left_size : 40), m->left, (int)(m->right_size < 40 ? m->right_size : 40), m->right);
    if (bipe_pair_table_set(list->table, (uint32_t)id[0], (uint32_t)id[1], m->rank, (uint32_t)id[2]) != 0)
        return bipe_fail_memory(err);
    return list->made != NULL ? list->made(list->context, m, (uint32_t)id[2], err) : BIPE_OK;
}

/* Sets all that wait. */
static int set_batch(const bipe_merge_list *list, batch *b, bipe_error *err)
{
    int64_t id[3 * AT_ONCE];
    int status = BIPE_OK;
    find_strings(list, b, id);
    for (size_t i = 0; i < b->count && list->table->entry != NULL; i++)
        __builtin_prefetch(bipe_pair_table_first(list->table, (uint32_t)id[3 * i], (uint32_t)id[3 * i + 1]), 1);
    for (size_t i = 0; i < b->count && status == BIPE_OK; i++) {
        status = set_merge(list, &b->merge[i], id + 3 * i, err);
        if (status != BIPE_OK)
            fail_merge(list, b->merge[i].rank, err);
    }
    b->count = b->joined.size = 0;
    return status;
}

static int add_merge(const bipe_merge_list *list, batch *b, const bipe_named_merge *merge, bipe_error *err)
{
    if (merge->right_size < list->drop) {
        bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" is shorter than continuing_subword_prefix", (int)merge->right_size, merge->right);
        return fail_merge(list, merge->rank, err);
    }
    b->merge[b->count++] = *merge;
    int status = append_result(list, merge, &b->joined, err);
    return status == BIPE_OK && b->count == AT_ONCE ? set_batch(list, b, err) : status;
}

int bipe_merge_list_read(bipe_merge_list *list, const char *text, const bipe_merge_place *place, size_t count, bipe_error *err)
{
    if (bipe_pair_table_reserve(list->table, count) != 0)
        return bipe_fail_memory(err);
    batch b = {.count = 0};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        const char *left = text + place[i].at;
        bipe_named_merge merge = {.left = left, .right = left + place[i].left, .left_size = place[i].left, .right_size = place[i].right,
                                  .rank = (uint32_t)i};
        status = add_merge(list, &b, &merge, err);
    }
    if (status == BIPE_OK)
        status = set_batch(list, &b, err);
    bipe_buffer_free(&b.joined);
    return status;
}
