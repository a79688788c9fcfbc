/* bpe_text.c - a block of a document (kind.h) by a model of this folder: added tokens and the texts between them, each
 * cut into units. */
#include "base/alloc.h"
#include "token/spm/bpe_encode.h"

/* Units of the cache that are not known (word_group.h). */
static int encode_words(void *context, bipe_new_word *word, size_t count, bipe_piece_tokens *pieces, size_t *done,
                        bipe_error *err)
{
    int status = BIPE_OK;
    size_t gap;
    for (*done = 0; *done < count; ++*done) {
        bipe_new_word *w = &word[*done];
        w->at = pieces->count;
        status = bipe_bpe_encode(context, w->text, w->size, false, false, pieces, &gap, err);
        w->count = pieces->count - w->at;
        if (status != BIPE_OK)
            break;
    }
    return status;
}

/* Whether nothing goes in front of a text, so that units may be looked up from its beginning on. */
static bool starts_plain(const bipe_bpe *bpe)
{
    return !bpe->has_rules && !bpe->rules.dummy_prefix;
}

/* A text, or its rest. begins: it has its beginning here. Its first unit (with the prefix) and the last (without spaces
 * at the end) may become something else than elsewhere. */
static int encode_text(bipe_bpe_scratch *s, const uint8_t *text, size_t size, uint64_t offset, bool begins,
                       bipe_tokens *tokens, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    if (begins)
        s->search.sum = 0;
    if (size == 0)
        return BIPE_OK;
    size_t first = 0, last = size;
    int status = BIPE_OK;
    if (bpe->borders == NULL ||
        (begins && !starts_plain(bpe) && (first = bipe_first_border(bpe->borders, text, size)) == 0))
        return bipe_bpe_encode_alone(s, text, size, offset, begins, true, tokens, err);
    if (first != 0)
        status = bipe_bpe_encode_alone(s, text, first, offset, true, false, tokens, err);
    if (bpe->has_rules && (last = bipe_last_border(bpe->borders, text, size)) < first)
        last = first;
    if (status == BIPE_OK && first < last)
        status = (bpe->unigram != NULL
                      ? bipe_unigram_encode_units(s, text + first, last - first, offset + first, tokens, err)
                      : bipe_encode_units(&s->units, text + first, last - first, offset + first, tokens, err));
    return status == BIPE_OK && last < size
               ? bipe_bpe_encode_alone(s, text + last, size - last, offset + last, false, true, tokens, err)
               : status;
}

int bipe_bpe_encode_block(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                          bipe_error *err)
{
    bipe_bpe_scratch *s = scratch;
    const bipe_added_set *set = &s->bpe->raw;
    const bipe_added *added;
    size_t at = 0, search = 0, start, end, resume;
    bool begins = offset == 0;
    int status = BIPE_OK;
    while (status == BIPE_OK && s->looks &&
           bipe_added_next(set, bytes, size, at, &search, &start, &end, &resume, &added)) {
        status = encode_text(s, bytes + at, start - at, offset + at, begins, tokens, err);
        if (status == BIPE_OK)
            status = bipe_tokens_add(tokens, offset + start, offset + end, added->id, err);
        at = resume;
        begins = true;
    }
    return status == BIPE_OK ? encode_text(s, bytes + at, size - at, offset + at, begins, tokens, err) : status;
}

size_t bipe_bpe_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    const bipe_bpe *bpe = tokenizer->model;
    return bpe->safe_borders != NULL ? bipe_last_border(bpe->safe_borders, bytes, size) : 0;
}

int bipe_bpe_scratch_open(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    bipe_bpe_scratch *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->bpe = tokenizer->model;
    s->looks = s->bpe->raw.has_tokens;
    s->units.borders = s->bpe->borders;
    s->units.encode = encode_words;
    s->units.context = s;
    *scratch = s;
    return BIPE_OK;
}

void bipe_bpe_scratch_close(void *scratch)
{
    bipe_bpe_scratch *s = scratch;
    bipe_unit_encoder_free(&s->units);
    bipe_free(s->pieces.token);
    bipe_free(s->characters.character);
    bipe_symbol_row_free(&s->row);
    bipe_free(s->stack);
    bipe_buffer_free(&s->text);
    bipe_free(s->found.token);
    bipe_unigram_memory_free(&s->search);
    bipe_free(s);
}
