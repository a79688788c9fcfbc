/* pipeline_steps.c - the steps and models that a pipeline can have, and how a tokenizer.json puts them together.
 *
 * A new one is a line in a table here. */
#include <string.h>

#include "token/json/json_members.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/pretokenizers.h"

/* Ended by NULL. Kept in alphabetical order. */
static const bipe_normalizer_type *const normalizers[] = {
    &bipe_norm_bert,
    &bipe_norm_byte_level,
    &bipe_norm_lowercase,
    &bipe_norm_nfc,
    &bipe_norm_nfd,
    &bipe_norm_nfkc,
    &bipe_norm_nfkd,
    &bipe_norm_nmt,
    &bipe_norm_precompiled,
    &bipe_norm_prepend,
    &bipe_norm_replace,
    &bipe_norm_strip,
    &bipe_norm_strip_accents,
    NULL,
};

static const bipe_pretokenizer_type *const pretokenizers[] = {
    &bipe_pre_bert,
    &bipe_pre_byte_level,
    &bipe_pre_delimiter,
    &bipe_pre_digits,
    &bipe_pre_fixed_length,
    &bipe_pre_metaspace,
    &bipe_pre_punctuation,
    &bipe_pre_scripts,
    &bipe_pre_split,
    &bipe_pre_whitespace,
    &bipe_pre_whitespace_split,
    NULL,
};

static const bipe_model_type *const models[] = {
    &bipe_model_bpe,
    &bipe_model_unigram,
    &bipe_model_wordlevel,
    &bipe_model_wordpiece,
    NULL,
};

static int unknown_type(const char *type, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%.60s is not supported", type[0] != '\0' ? type : "no type");
}

/* ---- normalizers ---- */

static int add_normalizer(bipe_pipeline *p, const json_t *json, int depth, bipe_error *err)
{
    const char *type = bipe_json_type(json);
    if (depth > BIPE_PIPELINE_DEPTH)
        return bipe_fail(err, BIPE_ERR_LIMIT, "sequences within sequences, more than %d deep", BIPE_PIPELINE_DEPTH);
    if (strcmp(type, "Sequence") == 0) {
        const json_t *steps = json_object_get(json, "normalizers");
        if (!json_is_array(steps))
            return bipe_fail(err, BIPE_ERR_FORMAT, "Sequence without an array \"normalizers\"");
        int status = BIPE_OK;
        for (size_t i = 0; status == BIPE_OK && i < json_array_size(steps); i++)
            status = add_normalizer(p, json_array_get(steps, i), depth + 1, err);
        return status;
    }
    const bipe_normalizer_type *const *entry = normalizers;
    while (*entry != NULL && strcmp((*entry)->name, type) != 0)
        entry++;
    if (*entry == NULL)
        return unknown_type(type, err);
    if (p->normalizers == BIPE_PIPELINE_STEPS)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d steps", BIPE_PIPELINE_STEPS);
    bipe_normalizer_step step = {.type = *entry};
    int status = step.type->open(&step.config, json, err);
    if (status != BIPE_OK) {
        if (step.config != NULL && step.type->close != NULL)
            step.type->close(step.config);
        return bipe_error_prefix(err, "%s", step.type->name);
    }
    p->normalizer[p->normalizers++] = step;
    return BIPE_OK;
}

int bipe_pipeline_add_normalizer(bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    int status = bipe_json_is_null(json) ? BIPE_OK : add_normalizer(p, json, 0, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "normalizer");
}

/* ---- pre-tokenizers ---- */

/* A step after ByteLevel's letters is put in front of them, in a form that splits bytes. */
static int push_after_letters(bipe_pipeline *p, const bipe_pretokenizer_type *type, void *config, bipe_error *err)
{
    bipe_pretokenizer_step letters = p->pretokenizer[p->pretokenizers - 1];
    const bipe_pretokenizer_type *after = bipe_pretokenizer_after_letters(type, &config);
    if (after == NULL) {
        if (type->close != NULL)
            type->close(config);
        return bipe_fail_memory(err);
    }
    p->cuts_letters = true;
    p->pretokenizer[p->pretokenizers - 1] = (bipe_pretokenizer_step){.type = after, .config = config};
    p->pretokenizer[p->pretokenizers++] = letters;
    return BIPE_OK;
}

int bipe_pipeline_push(bipe_pipeline *p, const bipe_pretokenizer_type *type, void *config, bipe_error *err)
{
    if (p->pretokenizers == BIPE_PIPELINE_STEPS) {
        if (type->close != NULL)
            type->close(config);
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d steps", BIPE_PIPELINE_STEPS);
    }
    if (p->bytes && type->split != NULL)
        return push_after_letters(p, type, config, err);
    p->pretokenizer[p->pretokenizers++] = (bipe_pretokenizer_step){.type = type, .config = config};
    p->bytes = type == &bipe_pre_byte_letters;
    return BIPE_OK;
}

static int add_pretokenizer(bipe_pipeline *p, const json_t *json, int depth, bipe_error *err)
{
    const char *type = bipe_json_type(json);
    if (depth > BIPE_PIPELINE_DEPTH)
        return bipe_fail(err, BIPE_ERR_LIMIT, "sequences within sequences, more than %d deep", BIPE_PIPELINE_DEPTH);
    if (strcmp(type, "Sequence") == 0) {
        const json_t *steps = json_object_get(json, "pretokenizers");
        if (!json_is_array(steps))
            return bipe_fail(err, BIPE_ERR_FORMAT, "Sequence without an array \"pretokenizers\"");
        int status = BIPE_OK;
        for (size_t i = 0; status == BIPE_OK && i < json_array_size(steps); i++)
            status = add_pretokenizer(p, json_array_get(steps, i), depth + 1, err);
        return status;
    }
    const bipe_pretokenizer_type *const *entry = pretokenizers;
    while (*entry != NULL && strcmp((*entry)->name, type) != 0)
        entry++;
    if (*entry == NULL)
        return unknown_type(type, err);
    if ((*entry)->add != NULL) {
        int status = (*entry)->add(p, json, err);
        return status == BIPE_OK ? status : bipe_error_prefix(err, "%s", type);
    }
    void *config = NULL;
    int status = (*entry)->open(&config, json, err);
    if (status == BIPE_OK)
        return bipe_pipeline_push(p, *entry, config, err);
    if (config != NULL && (*entry)->close != NULL)
        (*entry)->close(config);
    return bipe_error_prefix(err, "%s", type);
}

int bipe_pipeline_add_pretokenizer(bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    int status = bipe_json_is_null(json) ? BIPE_OK : add_pretokenizer(p, json, 0, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "pre_tokenizer");
}

/* ---- the model ---- */

/* Files from before models had a `type` are recognized by their members. vocab: a list replaced its object. */
static const char *model_name(const json_t *json, bool pieces)
{
    const char *type = bipe_json_type(json);
    if (type[0] != '\0')
        return type;
    if (json_object_get(json, "merges") != NULL)
        return "BPE";
    if (json_object_get(json, "continuing_subword_prefix") != NULL)
        return "WordPiece";
    if (pieces || json_is_array(json_object_get(json, "vocab")))
        return "Unigram";
    return json_object_get(json, "unk_token") != NULL ? "WordLevel" : "";
}

static int set_model(bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    if (!json_is_object(json))
        return bipe_fail(err, BIPE_ERR_FORMAT, "model: no object");
    const char *type = model_name(json, p->description->vocab == BIPE_VOCAB_PIECES);
    for (const bipe_model_type *const *entry = models; p->type == NULL && *entry != NULL; entry++)
        if (strcmp((*entry)->name, type) == 0)
            p->type = *entry;
    int status = p->type != NULL ? BIPE_OK : unknown_type(type, err);
    if (status == BIPE_OK) {
        p->bytes = p->bytes && p->type == &bipe_model_bpe; /* others see letters */
        status = p->type->open(&p->model, p, json, err);
        p->model_size = p->vocabulary.count;
        p->entries = p->entries != 0 ? p->entries : p->model_size;
    }
    return status == BIPE_OK ? status : bipe_error_prefix(err, "model");
}

int bipe_pipeline_read_vocab(bipe_pipeline *p, bipe_error *err)
{
    const bipe_description *d = p->description;
    if (d->vocab != BIPE_VOCAB_IDS)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no object \"vocab\"");
    int status = BIPE_OK;
    p->entries = d->entries;
    for (size_t id = 0, size; status == BIPE_OK && id < d->count; id++) {
        const uint8_t *text = bipe_description_string(d, id, &size);
        status = size <= BIPE_PIECE_LIMIT
                     ? bipe_vocabulary_append(&p->vocabulary, text, size, err)
                     : bipe_fail(err, BIPE_ERR_LIMIT, "vocab: the string of %zu has %zu bytes, expected at most %d", id,
                                 size, BIPE_PIECE_LIMIT);
    }
    if (status == BIPE_OK && bipe_vocabulary_index_all(&p->vocabulary) != 0)
        status = bipe_fail_memory(err);
    return status == BIPE_OK ? bipe_description_check(d, &p->vocabulary, err) : status;
}

/* ---- the whole ---- */

int bipe_pipeline_read(bipe_tokenizer *tokenizer, bipe_pipeline *p, int status, const bipe_description *d,
                       bipe_error *err)
{
    p->description = d;
    if (status == BIPE_OK)
        status = set_model(p, json_object_get(d->root, "model"), err);
    if (status == BIPE_OK)
        status = bipe_pipeline_read_added(p, json_object_get(d->root, "added_tokens"), tokenizer->special, err);
    p->description = NULL;
    return bipe_pipeline_finish(tokenizer, p, status, err);
}

int bipe_pipeline_json_read(bipe_tokenizer *tokenizer, const bipe_description *d, bipe_error *err)
{
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = bipe_pipeline_add_normalizer(p, json_object_get(d->root, "normalizer"), err);
    if (status == BIPE_OK)
        status = bipe_pipeline_add_pretokenizer(p, json_object_get(d->root, "pre_tokenizer"), err);
    return bipe_pipeline_read(tokenizer, p, status, d, err);
}
