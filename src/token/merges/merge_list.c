/* merge_list.c - see merge_list.h. */
#include "token/merges/merge_list.h"

#include <inttypes.h>

#include "base/buffer.h"

/* joined: room for what it makes. */
static int add_merge(const bipe_merge_list *list, const bipe_named_merge *m, bipe_buffer *joined, bipe_error *err)
{
    if (m->right_size < list->drop)
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" is shorter than continuing_subword_prefix", (int)m->right_size, m->right);
    joined->size = 0;
    int status = bipe_buffer_append(joined, m->left, m->left_size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(joined, m->right + list->drop, m->right_size - list->drop, err);
    if (status != BIPE_OK)
        return status;
    const int64_t id[3] = {bipe_vocabulary_find(list->vocabulary, m->left, m->left_size),
                           bipe_vocabulary_find(list->vocabulary, m->right, m->right_size),
                           bipe_vocabulary_find(list->vocabulary, joined->data, joined->size)};
    for (int k = 0; k < 3; k++)
        if (id[k] == BIPE_NO_PIECE || (uint64_t)id[k] >= list->ids)
            return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" and \"%.*s\": they or what they make are not in the vocabulary",
                             (int)(m->left_size < 40 ? m->left_size : 40), m->left, (int)(m->right_size < 40 ? m->right_size : 40), m->right);
    if (bipe_pair_table_set(list->table, (uint32_t)id[0], (uint32_t)id[1], m->rank, (uint32_t)id[2]) != 0)
        return bipe_fail_memory(err);
    return list->made != NULL ? list->made(list->context, m, (uint32_t)id[2], err) : BIPE_OK;
}

int bipe_merge_list_read(bipe_merge_list *list, const char *text, const bipe_merge_place *place, size_t count, bipe_error *err)
{
    if (bipe_pair_table_reserve(list->table, count) != 0)
        return bipe_fail_memory(err);
    bipe_buffer joined = {0};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        const char *left = text + place[i].at;
        bipe_named_merge merge = {.left = left, .right = left + place[i].left, .left_size = place[i].left, .right_size = place[i].right,
                                  .rank = (uint32_t)i};
        status = add_merge(list, &merge, &joined, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s: %" PRIu32, list->name, merge.rank);
    }
    bipe_buffer_free(&joined);
    return status;
}
