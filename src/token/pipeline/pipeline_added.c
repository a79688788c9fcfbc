/* pipeline_added.c - the added tokens of a pipeline: strings that are found before anything else looks at the text.
 *
 * As in Hugging Face's library, those that are not normalized are found in the text as it is, the others in the
 * normalized text between them. A string that is special and was not asked for is found and left as text: it hides what
 * overlaps it (the library's `encode_special_tokens`). Where nothing is normalized, both are looked for at once if that is the
 * same. */
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/description.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/step_text.h"

int bipe_pipeline_look_for(bipe_pipeline *p, const void *text, size_t size, bipe_added added, bool normalized, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    if (!normalized)
        return bipe_added_set_add(&p->raw, text, size, added, err);
    bipe_mapped changed = {.first = true}, spare = {0};
    int status = bipe_mapped_put(&changed, text, size, 0, (uint32_t)size, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &changed, &spare, err);
    if (status == BIPE_OK && changed.size == 0 && !added.text) /* the library cuts the text everywhere then */
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.*s\": normalizing leaves nothing of it", (int)(size < 40 ? size : 40), (const char *)text);
    if (status == BIPE_OK && changed.size != 0)
        status = bipe_added_set_add(&p->inside, changed.text, changed.size, added, err);
    bipe_mapped_free(&changed);
    bipe_mapped_free(&spare);
    return status;
}

/* ---- those of normalized text where nothing normalizes it ---- */

enum { MOST = 256 }; /* that are compared with one another */

/* Whether both may stand in a text and have a byte in common. */
static bool may_overlap(const bipe_json_added *a, const bipe_json_added *b)
{
    for (size_t at = 0; at < a->size; at++) {
        size_t size = a->size - at < b->size ? a->size - at : b->size;
        if (memcmp(a->text + at, b->text, size) == 0)
            return true;
    }
    return false;
}

static bool begins_white(const bipe_json_added *a)
{
    int32_t code;
    return bipe_utf8_decode((const uint8_t *)a->text, a->size, &code) != 0 && code >= 0 && bipe_is_white_space(code);
}

/* Whether all may be looked for at once, though those that are not normalized would be found first. Only where one of the others wants
 * more than its string: text goes a shorter way then, and white space may wait. */
static bool may_join(const bipe_pipeline *p, const bipe_json_added *tokens, size_t count, bool special)
{
    bool left[2] = {false}, right[2] = {false}, word[2] = {false}, some[2] = {false}, white = false, large = count > MOST;
    for (size_t i = 0; i < count; i++) {
        const bipe_json_added *a = &tokens[i];
        bool live = special || !a->special;
        some[a->normalized] = true;
        large = large || a->size > BIPE_ADDED_LENGTH;
        left[a->normalized] = left[a->normalized] || (live && a->added.left);
        right[a->normalized] = right[a->normalized] || (live && a->added.right);
        word[a->normalized] = word[a->normalized] || (live && a->added.word);
        white = white || begins_white(a);
    }
    if (p->normalizers != 0 || !(left[1] || right[1] || word[1]) || white || (word[1] && some[0]) || (right[1] && left[0]))
        return false;
    if (!some[0])
        return true;
    for (size_t i = 0; !large && i < count; i++)
        for (size_t k = 0; !tokens[i].normalized && k < count; k++)
            if (tokens[k].normalized && (may_overlap(&tokens[i], &tokens[k]) || may_overlap(&tokens[k], &tokens[i])))
                return false;
    return !large;
}

/* ---- "added_tokens" ---- */

static int new_id(void *context, const char *text, size_t size, bipe_error *err)
{
    return bipe_vocabulary_append(context, text, size, err);
}

static int look_for_all(bipe_pipeline *p, bipe_json_added *tokens, size_t count, bool special, bipe_error *err)
{
    p->added_id = bipe_alloc(p->vocabulary.count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    bool joined = may_join(p, tokens, count, special);
    /* Special tokens go first, as in the library: of two that look the same after normalizing the first counts. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            if (tokens[i].special != (pass == 0))
                continue;
            p->added_id[tokens[i].added.id] = tokens[i].special ? 2 : 1;
            tokens[i].added.text = tokens[i].special && !special;
            int status = bipe_pipeline_look_for(p, tokens[i].text, tokens[i].size, tokens[i].added, tokens[i].normalized && !joined, err);
            if (status != BIPE_OK)
                return bipe_error_prefix(err, "added_tokens");
        }
    return BIPE_OK;
}

int bipe_pipeline_read_added(bipe_pipeline *p, const json_t *list, bool special, bipe_error *err)
{
    bipe_json_added *tokens;
    size_t count;
    int status = bipe_json_added_list(list, &p->vocabulary, p->entries, new_id, &p->vocabulary, &tokens, &count, err);
    if (status == BIPE_OK)
        status = look_for_all(p, tokens, count, special, err);
    bipe_free(tokens);
    return status;
}
