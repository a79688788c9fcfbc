/* tekken_file.c - reads Mistral's tekken.json: the ranks of a tiktoken vocabulary, with the pattern that splits the
 * text (github.com/mistralai/mistral-common).
 *
 * Ids are ranks after the special tokens; of the ranks, as many count as the size of the vocabulary leaves. A pattern
 * is taken when it is one of the well-known (pretoken_patterns.h): those of the original's library are not quite
 * Oniguruma's. */
#include <string.h>

#include "base/alloc.h"
#include "token/files/tiktoken_file.h"
#include "token/pretoken/pretoken_patterns.h"

enum { NAME_SIZE = 32 };

/* The special tokens of files that list none: those of the first versions. */
static const char *const old_specials[] = {"<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]",
                                           "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]",
                                           "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
                                           "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"};
static const char *const old_versions[] = {"v1", "v2", "v3", "v7"};

bool bipe_tekken_is(const bipe_description *d)
{
    return d->vocab == BIPE_VOCAB_RANKS && json_is_object(json_object_get(d->root, "config"));
}

/* ---- special tokens ---- */

/* The string of special token `id`: from the list, from that of the first versions (NULL), or a name for those that
 * have none. */
static const char *special_text(const json_t *list, size_t id, char room[NAME_SIZE])
{
    size_t count = list != NULL ? json_array_size(list) : sizeof old_specials / sizeof *old_specials;
    snprintf(room, NAME_SIZE, "<SPECIAL_%zu>", id);
    return id >= count    ? room
           : list != NULL ? json_string_value(json_object_get(json_array_get(list, id), "token_str"))
                          : old_specials[id];
}

static int check_specials(const json_t *root, const json_t **list, size_t count, bipe_error *err)
{
    const char *version = json_string_value(json_object_get(json_object_get(root, "config"), "version"));
    *list = json_object_get(root, "special_tokens");
    if (*list == NULL || json_is_null(*list)) {
        size_t i = 0;
        *list = NULL;
        while (i < sizeof old_versions / sizeof *old_versions &&
               (version == NULL || strcmp(version, old_versions[i]) != 0))
            i++;
        if (i == sizeof old_versions / sizeof *old_versions || count < sizeof old_specials / sizeof *old_specials)
            return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"special_tokens\"");
        return BIPE_OK;
    }
    if (!json_is_array(*list) || json_array_size(*list) > count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "special_tokens: expected an array of at most %zu", count);
    for (size_t i = 0; i < json_array_size(*list); i++) {
        const json_t *token = json_array_get(*list, i), *rank = json_object_get(token, "rank");
        size_t size = json_string_length(json_object_get(token, "token_str"));
        if (!json_is_integer(rank) || json_integer_value(rank) != (json_int_t)i || size == 0 || size > BIPE_PIECE_LIMIT)
            return bipe_fail(err, BIPE_ERR_FORMAT, "special_tokens: %zu: expected this \"rank\" and a \"token_str\"",
                             i);
    }
    return BIPE_OK;
}

static int add_texts(bipe_pipeline *p, const json_t *list, size_t count, bipe_error *err)
{
    char room[NAME_SIZE];
    int status = BIPE_OK;
    for (size_t id = 0; status == BIPE_OK && id < count; id++) {
        const char *text = special_text(list, id, room);
        status = bipe_vocabulary_append(&p->vocabulary, text, strlen(text), err);
    }
    return status;
}

static int add_tekken_specials(bipe_tokenizer *tokenizer, bipe_pipeline *p, const json_t *list, size_t count,
                               bipe_error *err)
{
    char room[NAME_SIZE];
    int status = BIPE_OK;
    p->added_id = bipe_alloc(p->vocabulary.count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    for (size_t id = 0; status == BIPE_OK && id < count; id++) {
        const char *text = special_text(list, id, room);
        if (strcmp(text, "<s>") == 0)
            tokenizer->bos = (int64_t)id;
        else if (strcmp(text, "</s>") == 0)
            tokenizer->eos = (int64_t)id;
        status = bipe_tiktoken_special(p, text, (uint32_t)id, tokenizer->special, err);
    }
    return status;
}

/* ---- the whole ---- */

/* The member of "config", a number of 0 to `most`. */
static int read_config_number(const json_t *config, const char *name, size_t most, size_t *value, bipe_error *err)
{
    const json_t *number = json_object_get(config, name);
    if (!json_is_integer(number) || json_integer_value(number) < 0 || json_integer_value(number) > (json_int_t)most)
        return bipe_fail(err, BIPE_ERR_FORMAT, "config: %s: expected a number of 0 to %zu", name, most);
    *value = (size_t)json_integer_value(number);
    return BIPE_OK;
}

/* p: an empty pipeline. */
static int fill_pipeline(bipe_tokenizer *tokenizer, bipe_pipeline *p, const bipe_description *d,
                         bipe_tiktoken_line **lines, bipe_error *err)
{
    const json_t *config = json_object_get(d->root, "config"), *list;
    const char *text = json_string_value(json_object_get(config, "pattern"));
    const char *pattern[2] = {text != NULL ? bipe_pretoken_pattern_known(text) : NULL, NULL};
    size_t size = 0, specials = 0;
    if (pattern[0] == NULL)
        return bipe_fail(
            err, BIPE_ERR_UNSUPPORTED,
            "config: pattern: \"%.80s\" is none of the known ones, expected a tokenizer.json of the same model",
            text != NULL ? text : "");
    int status = read_config_number(config, "default_vocab_size", BIPE_VOCABULARY_LIMIT, &size, err);
    if (status == BIPE_OK)
        status = read_config_number(config, "default_num_special_tokens", size, &specials, err);
    if (status == BIPE_OK)
        status = check_specials(d->root, &list, specials, err);
    if (status != BIPE_OK)
        return status;
    size_t count = size - specials;
    if (count > d->count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "vocab: %zu entries, expected %zu as \"config\" says", d->count, count);
    *lines = bipe_alloc(count, sizeof **lines);
    if (*lines == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        (*lines)[i].text = bipe_description_string(d, i, &(*lines)[i].size);
    status = add_texts(p, list, specials, err);
    if (status == BIPE_OK)
        status = bipe_tiktoken_model(p, pattern, *lines, count, err);
    return status == BIPE_OK ? add_tekken_specials(tokenizer, p, list, specials, err) : status;
}

int bipe_tekken_make(const bipe_description *d, bipe_tokenizer *tokenizer, bipe_error *err)
{
    bipe_tiktoken_line *lines = NULL;
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = fill_pipeline(tokenizer, p, d, &lines, err);
    bipe_free(lines);
    return bipe_pipeline_finish(tokenizer, p, status, err);
}
