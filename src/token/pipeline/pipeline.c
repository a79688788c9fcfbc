/* pipeline.c - creates, completes and frees pipelines; the texts of their ids. */
#include "token/pipeline/pipeline.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/hf_unicode.h"
#include "token/pipeline/byte_encode.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/nfc_check.h"
#include "token/pipeline/normalizers.h"
#include "token/pretoken/pretoken_patterns.h"

bipe_pipeline *bipe_pipeline_new(void)
{
    bipe_pipeline *p = bipe_alloc(1, sizeof *p);
    if (p != NULL)
        p->chunk = BIPE_PIPELINE_CHUNK;
    return p;
}

static void free_pipeline(void *pipeline)
{
    bipe_pipeline *p = pipeline;
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->normalizers; i++)
        if (p->normalizer[i].type->close != NULL)
            p->normalizer[i].type->close(p->normalizer[i].config);
    for (size_t i = 0; i < p->pretokenizers; i++)
        if (p->pretokenizer[i].type->close != NULL)
            p->pretokenizer[i].type->close(p->pretokenizer[i].config);
    if (p->type != NULL && p->type->close != NULL)
        p->type->close(p->model);
    bipe_vocabulary_free(&p->vocabulary);
    bipe_added_set_free(&p->raw);
    bipe_added_set_free(&p->inside);
    bipe_free(p->added_id);
    bipe_decoder_close(atomic_load(&p->decoder));
    bipe_char_classes_free(&p->classes);
    bipe_free(p->safe);
    bipe_free(p->nfc);
    bipe_free(p);
}

int bipe_pipeline_normalize(const bipe_pipeline *p, bipe_mapped *text, bipe_mapped *spare, bipe_error *err)
{
    for (size_t i = 0; i < p->normalizers; i++) {
        spare->size = 0;
        spare->first = text->first;
        spare->origin = text->origin;
        int status = p->normalizer[i].type->run(p->normalizer[i].config, text, spare, err);
        if (status != BIPE_OK)
            return status;
        bipe_mapped swap = *text;
        *text = *spare;
        *spare = swap;
    }
    return BIPE_OK;
}

/* ---- decoding ---- */

/* buffer[0] with a step undone. */
static int undo_step(bipe_step_undo *undo, const void *config, bipe_buffer buffer[2], bipe_error *err)
{
    if (undo == NULL || buffer[0].size == 0)
        return BIPE_OK;
    buffer[1].size = 0;
    int status = undo(config, buffer[0].data, buffer[0].size, &buffer[1], err);
    bipe_buffer swap = buffer[0];
    buffer[0] = buffer[1];
    buffer[1] = swap;
    return status;
}

/* Appends the text of an id: of a special token nothing, of an added one its string, of one of the model its text
 * with the rewriting undone, last step first. */
static int surface_of(const bipe_pipeline *p, uint32_t id, bipe_buffer *out, bipe_buffer buffer[2], bipe_error *err)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, id, &size);
    uint8_t added = p->added_id != NULL ? p->added_id[id] : 0;
    if (added == 2)
        return BIPE_OK;
    if (added == 1)
        return bipe_buffer_append(out, text, size, err);
    buffer[0].size = 0;
    int status = p->type->surface != NULL ? p->type->surface(p->model, p, id, &buffer[0], err)
                                          : bipe_buffer_append(&buffer[0], text, size, err);
    for (size_t i = p->pretokenizers; status == BIPE_OK && i-- != 0;) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        if (!(p->raw_strings && i + 1 == p->pretokenizers))
            status = undo_step(step->type->undo, step->config, buffer, err);
    }
    for (size_t i = p->normalizers; status == BIPE_OK && i-- != 0;)
        status = undo_step(p->normalizer[i].type->undo, p->normalizer[i].config, buffer, err);
    return status == BIPE_OK ? bipe_buffer_append(out, buffer[0].data, buffer[0].size, err) : status;
}

static int fill_decoder(const void *pipeline, bipe_buffer *text, size_t *end, bipe_error *err)
{
    const bipe_pipeline *p = pipeline;
    bipe_buffer buffer[2] = {{0}, {0}};
    int status = bipe_buffer_reserve(text, p->vocabulary.text_size + 1, err);
    for (size_t id = 0; status == BIPE_OK && id < p->vocabulary.count; id++) {
        status = surface_of(p, (uint32_t)id, text, buffer, err);
        end[id] = text->size;
    }
    bipe_buffer_free(&buffer[0]);
    bipe_buffer_free(&buffer[1]);
    return status;
}

static int pipeline_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                           const uint8_t **bytes, size_t *size, bipe_error *err)
{
    (void)buffer;
    bipe_pipeline *p = tokenizer->model;
    const bipe_decoder *d;
    size_t string_size;
    bipe_vocabulary_text(&p->vocabulary, id, &string_size);
    if (string_size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no token has the id %lu", tokenizer->spec, (unsigned long)id);
    int status = bipe_decoder_find(&p->decoder, &d, fill_decoder, p, p->vocabulary.count, err);
    if (status != BIPE_OK)
        return status;
    *bytes = bipe_decoder_text(d, id, size);
    if (first && p->prefix && *size != 0 && **bytes == ' ' && (p->added_id == NULL || p->added_id[id] == 0)) {
        ++*bytes;
        --*size;
    }
    return BIPE_OK;
}

void bipe_pipeline_write_ids(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer)
{
    if (tokenizer->bos != BIPE_NO_TOKEN)
        bipe_gguf_set_u32(writer, "tokenizer.ggml.bos_token_id", (uint32_t)tokenizer->bos);
    if (tokenizer->eos != BIPE_NO_TOKEN)
        bipe_gguf_set_u32(writer, "tokenizer.ggml.eos_token_id", (uint32_t)tokenizer->eos);
    bipe_gguf_set_bool(writer, "tokenizer.ggml.add_bos_token", tokenizer->bos != BIPE_NO_TOKEN);
}

static int pipeline_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    /* The file as it is says all; the name is for other programs, which know none of ours. */
    bipe_gguf_set_text(writer, "tokenizer.ggml.model", "pipeline");
    int status = bipe_tokenizer_write_original(tokenizer, writer, "tokenizer.huggingface.json", err);
    bipe_pipeline_write_ids(tokenizer, writer);
    return status;
}

/* Finds out where documents are cut and which way texts go. */
static int choose_ways(bipe_pipeline *p, bool special, bipe_error *err)
{
    if (p->type->finish != NULL)
        p->type->finish(p->model, p, special);
    p->prefix = p->prefix || bipe_prepends_space(p->normalizer, p->normalizers);
    bipe_byte_encoder_choose(p);
    int status = bipe_safe_pairs_find(p, err);
    if (status != BIPE_OK)
        return status;
    p->quick = p->quick && !p->safe->gaps;
    if (p->quick && p->rule != NULL &&
        bipe_char_classes_open(&p->classes, p->digits ? bipe_hf_is_numeric : NULL, p->rule->marks, p->rule->kana) != 0)
        return bipe_fail_memory(err);
    if (p->quick && p->normalizers != 0 && (p->nfc = bipe_nfc_check_new()) == NULL)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

int bipe_pipeline_finish(bipe_tokenizer *tokenizer, bipe_pipeline *p, int status, bipe_error *err)
{
    if (status == BIPE_OK)
        status = choose_ways(p, tokenizer->special, err);
    if (status != BIPE_OK) {
        free_pipeline(p);
        return status;
    }
    tokenizer->kind = &bipe_pipeline_kind;
    tokenizer->model = p;
    tokenizer->size = p->vocabulary.count;
    return BIPE_OK;
}

const bipe_token_kind bipe_pipeline_kind = {
    .name = "pipeline",
    .close = free_pipeline,
    .decode = pipeline_decode,
    .write_gguf = pipeline_write_gguf,
    .cut = bipe_pipeline_cut,
    .scratch_open = bipe_pipeline_scratch_open,
    .scratch_close = bipe_pipeline_scratch_close,
    .encode = bipe_pipeline_encode,
};
