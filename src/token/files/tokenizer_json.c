/* tokenizer_json.c - reads a tokenizer.json of Hugging Face's library as a pipeline. Unsupported parts are refused by
 * name. `truncation`, `padding` and `decoder` do not bear on the ids of a whole text and are passed over.
 *
 * Also the few members of tokenizer_config.json that say whether documents start with BOS. */
#include <string.h>

#include "base/alloc.h"
#include "token/files/tiktoken_file.h"
#include "token/files/tokenizer_write.h"
#include "token/json/json_members.h"
#include "token/pipeline/pipeline.h"

/* ---- BOS and EOS from the post-processor ---- */

/* The special tokens before a text, or after it. */
typedef struct beside {
    int64_t first;
    size_t count;
} beside;

/* The ids that the template's special token `name` stands for. */
static int add_ids(const bipe_tokenizer *tokenizer, const json_t *template, const char *name, beside *side,
                   bipe_error *err)
{
    const json_t *ids = json_object_get(json_object_get(json_object_get(template, "special_tokens"), name), "ids");
    for (size_t i = 0; i < json_array_size(ids) || i == 0; i++) {
        const json_t *value = json_array_get(ids, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            (uint64_t)json_integer_value(value) >= tokenizer->size)
            return bipe_fail(err, BIPE_ERR_FORMAT, "TemplateProcessing: \"%.40s\" has no id below %zu", name,
                             tokenizer->size);
        if (side->count++ == 0)
            side->first = json_integer_value(value);
    }
    return BIPE_OK;
}

static int read_template(const bipe_tokenizer *tokenizer, const json_t *template, beside sides[2], bipe_error *err)
{
    const json_t *single = json_object_get(template, "single");
    if (!json_is_array(single))
        return bipe_fail(err, BIPE_ERR_FORMAT, "TemplateProcessing without an array \"single\"");
    bool text_seen = false;
    for (size_t i = 0; i < json_array_size(single); i++) {
        const json_t *item = json_array_get(single, i);
        if (json_object_get(item, "Sequence") != NULL) {
            text_seen = true;
            continue;
        }
        const char *name = json_string_value(json_object_get(json_object_get(item, "SpecialToken"), "id"));
        if (name == NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "TemplateProcessing: expected SpecialToken or Sequence");
        int status = add_ids(tokenizer, template, name, &sides[text_seen], err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* BertProcessing and RobertaProcessing: `cls` before the text and `sep` after it, each ["TEXT", ID]. */
static int read_bert(const bipe_tokenizer *tokenizer, const json_t *processor, beside sides[2], bipe_error *err)
{
    static const char *const names[] = {"cls", "sep"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *id = json_array_get(json_object_get(processor, names[i]), 1);
        if (!json_is_integer(id) || json_integer_value(id) < 0 || (uint64_t)json_integer_value(id) >= tokenizer->size)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: \"%s\" has no id below %zu", bipe_json_type(processor),
                             names[i], tokenizer->size);
        if (sides[i].count++ == 0)
            sides[i].first = json_integer_value(id);
    }
    return BIPE_OK;
}

static int read_processor(const bipe_tokenizer *tokenizer, const json_t *processor, bool nested, beside sides[2],
                          bipe_error *err)
{
    const char *type = bipe_json_type(processor);
    if (strcmp(type, "TemplateProcessing") == 0)
        return read_template(tokenizer, processor, sides, err);
    if (strcmp(type, "BertProcessing") == 0 || strcmp(type, "RobertaProcessing") == 0)
        return read_bert(tokenizer, processor, sides, err);
    if (strcmp(type, "ByteLevel") == 0)
        return BIPE_OK; /* changes offsets alone */
    const json_t *steps = json_object_get(processor, "processors");
    if (strcmp(type, "Sequence") != 0 || nested || !json_is_array(steps))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%.60s is not supported", type[0] != '\0' ? type : "no type");
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < json_array_size(steps); i++)
        status = read_processor(tokenizer, json_array_get(steps, i), true, sides, err);
    return status;
}

/* One token is BOS, or EOS; of several before the text their number is kept, since those who would put them there must
 * know. */
static int read_post_processor(bipe_tokenizer *tokenizer, const json_t *processor, bipe_error *err)
{
    beside sides[2] = {{BIPE_NO_TOKEN, 0}, {BIPE_NO_TOKEN, 0}};
    int status = read_processor(tokenizer, processor, false, sides, err);
    tokenizer->bos = sides[0].count == 1 ? sides[0].first : BIPE_NO_TOKEN;
    tokenizer->eos = sides[1].count == 1 ? sides[1].first : BIPE_NO_TOKEN;
    tokenizer->leading = sides[0].count > 1 ? sides[0].count : 0;
    return status;
}

/* ---- the whole ---- */

int bipe_description_make(const bipe_description *d, bipe_tokenizer *tokenizer, bipe_error *err)
{
    const json_t *root = d->root;
    static const char *const known[] = {"version", "truncation", "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer",
                                        "post_processor", "decoder", "model", NULL};
    if (json_object_get(root, "model") == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "no member \"model\", expected a tokenizer.json of Hugging Face's library%s",
                         json_object_get(root, "class_name") != NULL ? ", found one of Keras" : "");
    int status = bipe_json_only(root, known, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_json_read(tokenizer, d, err);
    const json_t *post = json_object_get(root, "post_processor");
    if (status != BIPE_OK || bipe_json_is_null(post))
        return status;
    status = read_post_processor(tokenizer, post, err);
    if (status == BIPE_OK)
        return status;
    bipe_tokenizer_clear(tokenizer);
    return bipe_error_prefix(err, "post_processor");
}

int bipe_tokenizer_json_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_description d = {0};
    int status = bipe_description_load(&d, bytes, size, err);
    if (status == BIPE_OK)
        status = bipe_tekken_is(&d) ? bipe_tekken_make(&d, tokenizer, err) : bipe_description_make(&d, tokenizer, err);
    bipe_description_free(&d);
    return status == BIPE_OK ? bipe_tokenizer_keep(tokenizer, bytes, size, err) : status;
}

/* ---- tokenizer_config.json ---- */

/* The id of the token that member `name` gives, as a string or as an object with "content"; BIPE_NO_TOKEN when
 * there is none or the vocabulary does not have it. */
static int64_t config_token(const bipe_tokenizer *tokenizer, const json_t *config, const char *name)
{
    const bipe_vocabulary *vocabulary = bipe_tokenizer_vocabulary(tokenizer);
    const json_t *value = json_object_get(config, name);
    if (json_is_object(value))
        value = json_object_get(value, "content");
    if (!json_is_string(value))
        return BIPE_NO_TOKEN;
    int64_t id = bipe_vocabulary_find(vocabulary, json_string_value(value), json_string_length(value));
    return id != BIPE_NO_PIECE ? id : BIPE_NO_TOKEN;
}

int bipe_tokenizer_config_apply(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (tokenizer->kind != &bipe_bpe_kind && tokenizer->kind != &bipe_pipeline_kind)
        return BIPE_OK;
    json_error_t error;
    /* "model_max_length" is mostly larger than any integer. */
    json_t *config = json_loadb((const char *)bytes, size, JSON_DECODE_INT_AS_REAL, &error);
    if (config == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", error.line, error.column, error.text);
    const json_t *add = json_object_get(config, "add_bos_token");
    const char *class = json_string_value(json_object_get(config, "tokenizer_class"));
    /* The library's Llama class goes by this member whatever tokenizer.json says; others go by tokenizer.json. */
    bool decides = tokenizer->kind == &bipe_bpe_kind || (class != NULL && strncmp(class, "Llama", 5) == 0);
    if (json_is_false(add) && decides)
        tokenizer->bos = BIPE_NO_TOKEN, tokenizer->leading = 0;
    else if (json_is_true(add) && bipe_tokenizer_leading(tokenizer) == 0)
        tokenizer->bos = config_token(tokenizer, config, "bos_token");
    if (tokenizer->eos == BIPE_NO_TOKEN)
        tokenizer->eos = config_token(tokenizer, config, "eos_token");
    json_decref(config);
    return BIPE_OK;
}
