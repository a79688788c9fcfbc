/* bpe.c - a byte-pair model as an object: pieces, symbols of characters, decoding. */
#include "token/spm/bpe.h"

#include "base/alloc.h"
#include "text/utf8.h"

bipe_bpe *bipe_bpe_new(void)
{
    bipe_bpe *bpe = bipe_alloc(1, sizeof *bpe);
    if (bpe == NULL)
        return NULL;
    bpe->unk = BIPE_NO_TOKEN;
    return bpe;
}

void bipe_bpe_free(void *model)
{
    bipe_bpe *bpe = model;
    if (bpe == NULL)
        return;
    bipe_vocabulary_free(&bpe->vocabulary);
    bipe_free(bpe->type);
    bipe_free(bpe->score);
    for (size_t i = 0; i < BIPE_CODE_PAGES; i++)
        bipe_free(bpe->page[i]);
    bipe_free(bpe->extra.code);
    bipe_pair_table_free(&bpe->merges);
    bipe_pair_table_free(&bpe->crossings);
    bipe_pair_table_free(&bpe->splits);
    bipe_spm_rules_free(&bpe->rules);
    if (bpe->unigram != NULL)
        bipe_unigram_free(bpe->unigram);
    bipe_free(bpe->unigram);
    bipe_added_set_free(&bpe->raw);
    bipe_decoder_close(atomic_load(&bpe->decoder));
    bipe_free(bpe->unk_surface);
    bipe_free(bpe->borders);
    bipe_free(bpe->safe_borders);
    bipe_free(bpe);
}

int bipe_bpe_add_piece(bipe_bpe *bpe, const void *text, size_t size, bipe_piece_type type, float score, bipe_error *err)
{
    size_t id = bpe->vocabulary.count;
    if (id >= BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d pieces", BIPE_VOCABULARY_LIMIT);
    if (size > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "piece %zu: %zu bytes, expected at most %d", id, size, BIPE_PIECE_LIMIT);
    if (bipe_grow(&bpe->type, &bpe->type_capacity, id + 1, sizeof *bpe->type) != 0 ||
        bipe_grow(&bpe->score, &bpe->score_capacity, id + 1, sizeof *bpe->score) != 0)
        return bipe_fail_memory(err);
    bpe->type[id] = (uint8_t)type;
    bpe->score[id] = score;
    return bipe_vocabulary_append(&bpe->vocabulary, text, size, err);
}

int bipe_bpe_set_symbol(bipe_bpe *bpe, uint32_t code, uint32_t symbol, bipe_error *err)
{
    uint32_t **page = &bpe->page[code >> 8];
    if (*page == NULL) {
        *page = bipe_alloc(256, sizeof **page);
        if (*page == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < 256; i++)
            (*page)[i] = BIPE_NO_SYMBOL;
    }
    (*page)[code & 255] = symbol;
    return BIPE_OK;
}

static int decode_piece(const bipe_bpe *bpe, uint32_t id, bipe_buffer *to, bipe_error *err)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
    switch ((bipe_piece_type)bpe->type[id]) {
    case BIPE_PIECE_NONE:
    case BIPE_PIECE_CONTROL:
        return BIPE_OK;
    case BIPE_PIECE_UNKNOWN:
        return bipe_buffer_append(to, bpe->unk_surface, bpe->unk_surface_size, err);
    case BIPE_PIECE_BYTE: {
        uint8_t byte = (uint8_t)bipe_byte_piece(text, size);
        return bipe_buffer_append(to, &byte, 1, err);
    }
    case BIPE_PIECE_USER:
    case BIPE_PIECE_NORMAL:
    case BIPE_PIECE_UNUSED:
        break;
    }
    uint8_t mark[4];
    size_t mark_size = bipe_utf8_encode((int32_t)bpe->rules.space, mark);
    return bipe_undo_spaces(mark, mark_size, text, size, to, err);
}

static int fill_decoder(const void *model, bipe_buffer *text, size_t *end, bipe_error *err)
{
    const bipe_bpe *bpe = model;
    int status = bipe_buffer_reserve(text, bpe->vocabulary.text_size + 1, err);
    for (size_t id = 0; status == BIPE_OK && id < bpe->vocabulary.count; id++) {
        status = decode_piece(bpe, (uint32_t)id, text, err);
        end[id] = text->size;
    }
    return status;
}

static int bpe_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                      const uint8_t **bytes, size_t *size, bipe_error *err)
{
    (void)buffer;
    bipe_bpe *bpe = tokenizer->model;
    const bipe_decoder *d;
    if (bpe->type[id] == BIPE_PIECE_NONE)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no token has the id %lu", tokenizer->spec, (unsigned long)id);
    int status = bipe_decoder_find(&bpe->decoder, &d, fill_decoder, bpe, bpe->vocabulary.count, err);
    if (status != BIPE_OK)
        return status;
    *bytes = bipe_decoder_text(d, id, size);
    bool text = bpe->type[id] == BIPE_PIECE_NORMAL || bpe->type[id] == BIPE_PIECE_UNUSED;
    if (first && text && bpe->rules.dummy_prefix && !bpe->rules.suffix && *size != 0 && **bytes == ' ') {
        ++*bytes;
        --*size;
    }
    return BIPE_OK;
}

void bipe_bpe_install(bipe_tokenizer *tokenizer, bipe_bpe *bpe)
{
    tokenizer->kind = &bipe_bpe_kind;
    tokenizer->model = bpe;
    tokenizer->size = bpe->vocabulary.count;
    tokenizer->in_order = bpe->unigram != NULL; /* the sum of a text continues */
}

const bipe_token_kind bipe_bpe_kind = {
    .name = "llama",
    .close = bipe_bpe_free,
    .decode = bpe_decode,
    .write_gguf = bipe_bpe_write_gguf,
    .cut = bipe_bpe_cut,
    .scratch_open = bipe_bpe_scratch_open,
    .scratch_close = bipe_bpe_scratch_close,
    .encode = bipe_bpe_encode_block,
};
