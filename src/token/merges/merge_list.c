/* merge_list.c - see merge_list.h. */
#include "token/merges/merge_list.h"

#include "base/buffer.h"

/* joined: room for what it makes. */
static int add_merge(const bipe_merge_list *list, uint32_t rank, const char *left, size_t left_size, const char *right,
                     size_t right_size, bipe_buffer *joined, bipe_error *err)
{
    if (right_size < list->drop)
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" is shorter than continuing_subword_prefix", (int)right_size,
                         right);
    joined->size = 0;
    int status = bipe_buffer_append(joined, left, left_size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(joined, right + list->drop, right_size - list->drop, err);
    if (status != BIPE_OK)
        return status;
    const int64_t id[3] = {bipe_vocabulary_find(list->vocabulary, left, left_size),
                           bipe_vocabulary_find(list->vocabulary, right, right_size),
                           bipe_vocabulary_find(list->vocabulary, joined->data, joined->size)};
    for (int k = 0; k < 3; k++)
        if (id[k] == BIPE_NO_PIECE || (uint64_t)id[k] >= list->ids)
            return bipe_fail(
                err, BIPE_ERR_FORMAT, "\"%.*s\" and \"%.*s\": they or what they make are not in the vocabulary",
                (int)(left_size < 40 ? left_size : 40), left, (int)(right_size < 40 ? right_size : 40), right);
    return bipe_pair_table_set(list->table, (uint32_t)id[0], (uint32_t)id[1], rank, (uint32_t)id[2]) == 0
               ? BIPE_OK
               : bipe_fail_memory(err);
}

int bipe_merge_list_read(bipe_merge_list *list, const char *text, const bipe_merge_range *range, size_t count,
                         bipe_error *err)
{
    if (bipe_pair_table_reserve(list->table, count) != 0)
        return bipe_fail_memory(err);
    bipe_buffer joined = {0};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        const bipe_merge_range *m = &range[i];
        status = add_merge(list, (uint32_t)i, text + m->at, m->left, text + m->at + m->left, m->right, &joined, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s: %zu", list->name, i);
    }
    bipe_buffer_free(&joined);
    return status;
}
