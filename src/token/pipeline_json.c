/* pipeline_json.c - a pipeline from a tokenizer.json. What bears on ids and is not supported is refused by name; the post-processor
 * is read by tokenizer_json.c, since BOS and EOS are the same for every kind. */
#include "base/alloc.h"
#include "token/pipeline.h"

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
