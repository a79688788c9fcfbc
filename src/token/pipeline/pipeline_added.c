/* pipeline_added.c - the added tokens of a pipeline: strings that are found before anything else looks at the text.
 *
 * As in Hugging Face's library, those that are not normalized are found in the text as it is, the others in the
 * normalized text between them. A string that is special and was not asked for is found and left as text: it hides what
 * overlaps it (the library's `encode_special_tokens`). */
#include <string.h>

#include "base/alloc.h"
#include "token/json/description.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/step_text.h"

int bipe_pipeline_look_for(bipe_pipeline *p, const void *text, size_t size, bipe_added added, bool normalized,
                           bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    if (!normalized)
        return bipe_added_set_add(&p->raw, text, size, added, err);
    bipe_mapped changed = {.first = true}, spare = {0};
    int status = bipe_mapped_append(&changed, text, size, 0, (uint32_t)size, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &changed, &spare, err);
    if (status == BIPE_OK && changed.size == 0 && !added.text) /* the library cuts the text everywhere then */
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.*s\": normalizing leaves nothing of it",
                           (int)(size < 40 ? size : 40), (const char *)text);
    if (status == BIPE_OK && changed.size != 0)
        status = bipe_added_set_add(&p->inside, changed.text, changed.size, added, err);
    bipe_mapped_free(&changed);
    bipe_mapped_free(&spare);
    return status;
}

/* ---- "added_tokens" ---- */

static int look_for_tokens(bipe_pipeline *p, bipe_json_added *tokens, size_t count, bool special, bipe_error *err)
{
    p->added_id = bipe_alloc(p->vocabulary.count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    /* Special tokens go first, as in the library: of two that look the same after normalizing the first counts. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            if (tokens[i].special != (pass == 0))
                continue;
            p->added_id[tokens[i].added.id] = tokens[i].special ? 2 : 1;
            tokens[i].added.text = tokens[i].special && !special;
            int status =
                bipe_pipeline_look_for(p, tokens[i].text, tokens[i].size, tokens[i].added, tokens[i].normalized, err);
            if (status != BIPE_OK)
                return bipe_error_prefix(err, "added_tokens");
        }
    return BIPE_OK;
}

int bipe_pipeline_read_added(bipe_pipeline *p, const json_t *list, bool special, bipe_error *err)
{
    bipe_json_added *tokens;
    size_t count;
    int status = bipe_json_added_list(list, &p->vocabulary, p->entries, &tokens, &count, err);
    if (status == BIPE_OK)
        status = look_for_tokens(p, tokens, count, special, err);
    bipe_free(tokens);
    return status;
}
