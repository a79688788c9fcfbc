/* merge_list.c - see merge_list.h. */
#include "token/merge_list.h"

int bipe_merge_list_fail(const bipe_merge_list *list, size_t place, bipe_error *err)
{
    return bipe_error_prefix(err, "%s: %zu", list->name, place);
}

/* The strings of merge i: left, right, and what they make, which stands at `joined`. */
static int join(bipe_merge_list *list, bipe_error *err)
{
    int status = BIPE_OK;
    list->joined.size = 0;
    for (size_t i = 0; i < list->count && status == BIPE_OK; i++) {
        const bipe_named_merge *m = &list->waiting[i];
        status = bipe_buffer_append(&list->joined, m->left, m->left_size, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&list->joined, m->right + list->drop, m->right_size - list->drop, err);
    }
    return status;
}

static void find_strings(const bipe_merge_list *list, int64_t id[3 * BIPE_MERGES_AT_ONCE])
{
    const uint8_t *text[3 * BIPE_MERGES_AT_ONCE], *joined = list->joined.data;
    size_t size[3 * BIPE_MERGES_AT_ONCE];
    for (size_t i = 0; i < list->count; i++) {
        const bipe_named_merge *m = &list->waiting[i];
        text[3 * i] = (const uint8_t *)m->left;
        size[3 * i] = m->left_size;
        text[3 * i + 1] = (const uint8_t *)m->right;
        size[3 * i + 1] = m->right_size;
        text[3 * i + 2] = joined;
        size[3 * i + 2] = m->left_size + m->right_size - list->drop;
        joined += size[3 * i + 2];
    }
    bipe_vocabulary_find_all(list->vocabulary, text, size, 3 * list->count, id);
}

static int set(const bipe_merge_list *list, const bipe_named_merge *m, const int64_t id[3], bipe_error *err)
{
    for (int k = 0; k < 3; k++)
        if (id[k] == BIPE_NO_PIECE || (uint64_t)id[k] >= list->ids)
            return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" and \"%.*s\": they or what they make are not in the vocabulary",
                             (int)(m->left_size < 40 ? m->left_size : 40), m->left, (int)(m->right_size < 40 ? m->right_size : 40), m->right);
    if (bipe_pair_table_set(list->table, (uint32_t)id[0], (uint32_t)id[1], m->rank, (uint32_t)id[2]) != 0)
        return bipe_fail_memory(err);
    return list->made != NULL ? list->made(list->context, m, (uint32_t)id[2], err) : BIPE_OK;
}

int bipe_merge_list_end(bipe_merge_list *list, bipe_error *err)
{
    int64_t id[3 * BIPE_MERGES_AT_ONCE];
    int status = join(list, err);
    if (status == BIPE_OK)
        find_strings(list, id);
    for (size_t i = 0; i < list->count && status == BIPE_OK && list->table->entry != NULL; i++)
        __builtin_prefetch(bipe_pair_table_first(list->table, (uint32_t)id[3 * i], (uint32_t)id[3 * i + 1]), 1);
    for (size_t i = 0; i < list->count && status == BIPE_OK; i++) {
        status = set(list, &list->waiting[i], id + 3 * i, err);
        if (status != BIPE_OK)
            bipe_merge_list_fail(list, list->waiting[i].place, err);
    }
    list->count = 0;
    return status;
}

int bipe_merge_list_add(bipe_merge_list *list, const bipe_named_merge *merge, bipe_error *err)
{
    if (merge->right_size < list->drop) {
        bipe_fail(err, BIPE_ERR_FORMAT, "\"%.*s\" is shorter than continuing_subword_prefix", (int)merge->right_size, merge->right);
        return bipe_merge_list_fail(list, merge->place, err);
    }
    list->waiting[list->count++] = *merge;
    return list->count == BIPE_MERGES_AT_ONCE ? bipe_merge_list_end(list, err) : BIPE_OK;
}

void bipe_merge_list_free(bipe_merge_list *list)
{
    bipe_buffer_free(&list->joined);
}
