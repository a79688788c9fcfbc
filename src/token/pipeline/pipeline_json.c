/* pipeline_json.c - a pipeline from a tokenizer.json. What bears on ids and is not supported is refused by name; the post-processor
 * is read by tokenizer_json.c, since BOS and EOS are the same for every kind. */
#include "base/alloc.h"
#include "token/json/json_lists.h"
#include "token/pipeline/pipeline.h"

int bipe_pipeline_json_read(bipe_tokenizer *tokenizer, const json_t *root, const struct bipe_json_lists *lists, bipe_error *err)
{
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    p->lists = lists;
    int status = bipe_pipeline_add_normalizer(p, json_object_get(root, "normalizer"), err);
    if (status == BIPE_OK)
        status = bipe_pipeline_add_pretokenizer(p, json_object_get(root, "pre_tokenizer"), err);
    if (status == BIPE_OK)
        status = bipe_pipeline_set_model(p, json_object_get(root, "model"), err);
    if (status == BIPE_OK)
        status = bipe_pipeline_read_added(p, json_object_get(root, "added_tokens"), tokenizer->special, err);
    p->lists = NULL;
    return bipe_pipeline_finish(tokenizer, p, status, err);
}

int bipe_pipeline_read_vocab(bipe_pipeline *p, const json_t *vocab, bipe_error *err)
{
    bipe_json_string *text;
    size_t count = 0;
    int status = bipe_json_vocab(p->lists, vocab, &text, &count, err);
    for (size_t id = 0; status == BIPE_OK && id < count; id++) {
        size_t size = text[id].text != NULL ? text[id].size : 0;
        p->entries += text[id].text != NULL; /* also of an empty string */
        if (size > BIPE_PIECE_LIMIT)
            status = bipe_fail(err, BIPE_ERR_LIMIT, "vocab: the string of %zu has %zu bytes, expected at most %d", id, size,
                               BIPE_PIECE_LIMIT);
        else
            status = bipe_vocabulary_append(&p->vocabulary, text[id].text, size, err);
    }
    bipe_free(text);
    return status == BIPE_OK && bipe_vocabulary_index_all(&p->vocabulary) != 0 ? bipe_fail_memory(err) : status;
}
