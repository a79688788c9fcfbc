/* pipeline_units.c - a block cut at safe pairs of bytes into units, mostly words, whose tokens are looked up. Those
 * that are not known go through the pipeline, each by itself. */
#include "base/alloc.h"
#include "token/pipeline/nfc_check.h"
#include "token/pipeline/pipeline_encode.h"

/* Whether the tokens of a unit at [start, start + size), s->unit, follow from their ends. Sets the pieces. */
static bool set_pieces(const bipe_pipeline_scratch *s, const uint8_t *unit, size_t size, uint64_t start,
                       bipe_piece_token *piece)
{
    uint64_t at = start, end = start + size;
    for (size_t i = 0; i < s->unit.count; i++) {
        const bipe_token *token = &s->unit.token[i];
        if (token->end < at || token->end > end)
            return false;
        for (; s->units.gaps && at < token->end &&
               (unit[at - start] == ' ' || (unit[at - start] >= '\t' && unit[at - start] <= '\r'));)
            at++;
        if (token->start != at)
            return false;
        at = token->end;
        piece[i] = (bipe_piece_token){.id = token->id, .end = (uint32_t)(at - start)};
    }
    return s->units.gaps || at == end;
}

/* Whether units are only split and merged: there are no added tokens in them, and nothing to normalize. */
static bool are_plain(const bipe_pipeline *p, const bipe_new_word *unit, size_t count)
{
    const bipe_added *added;
    size_t from, to;
    bool plain = true;
    for (size_t i = 0; plain && i < count; i++) {
        const bipe_new_word *u = &unit[i];
        plain = !bipe_added_find(&p->raw, u->text, u->size, 0, &from, &to, &added) &&
                !bipe_added_find(&p->inside, u->text, u->size, 0, &from, &to, &added) &&
                (p->nfc == NULL || !bipe_nfc_find(p->nfc, u->text, u->size, 0, true, &from, &to));
    }
    return plain;
}

/* bipe_words_encode. */
static int encode_unknown(void *context, bipe_new_word *unit, size_t count, bipe_piece_tokens *pieces, size_t *done,
                          bipe_error *err)
{
    bipe_pipeline_scratch *s = context;
    bool split = s->quick != NULL && !s->units.gaps && are_plain(s->pipeline, unit, count) &&
                 bipe_byte_split_units(s->quick, s->block, s->block_offset, unit, count, NULL) == BIPE_OK;
    for (*done = 0; *done < count; ++*done) {
        bipe_new_word *u = &unit[*done];
        uint64_t start = s->block_offset + (uint64_t)(u->text - s->block);
        s->unit.count = 0;
        int status = split ? bipe_byte_encode_unit(s->quick, u, &s->unit, err)
                           : bipe_pipeline_encode_text(s, u->text, u->size, start, false, &s->unit, err);
        if (status == BIPE_OK &&
            bipe_grow(&pieces->token, &pieces->capacity, pieces->count + s->unit.count + 1, sizeof *pieces->token) != 0)
            status = bipe_fail_memory(err);
        if (status != BIPE_OK)
            return status;
        if (!set_pieces(s, u->text, u->size, start, pieces->token + pieces->count))
            return BIPE_END;
        u->at = pieces->count;
        u->count = s->unit.count;
        pieces->count += u->count;
    }
    return BIPE_OK;
}

static int encode_unit(void *context, const uint8_t *text, size_t size, uint64_t offset, bipe_tokens *tokens,
                       bipe_error *err)
{
    return bipe_pipeline_encode_text(context, text, size, offset, false, tokens, err);
}

int bipe_pipeline_encode_units(bipe_pipeline_scratch *s, const uint8_t *bytes, size_t size, uint64_t base,
                               bipe_tokens *tokens, bipe_error *err)
{
    const bipe_safe_pairs *safe = s->pipeline->safe;
    s->units.borders = &safe->borders;
    s->units.gaps = safe->gaps;
    s->units.encode = encode_unknown;
    s->units.encode_unit = encode_unit;
    s->units.context = s;
    int status = BIPE_OK;
    if (base == 0) { /* the first unit of a document is none of those in it */
        size_t first = bipe_first_border(&safe->borders, bytes, size);
        first = first != 0 ? first : size;
        status = bipe_pipeline_encode_text(s, bytes, first, 0, true, tokens, err);
        bytes += first;
        size -= first;
        base += first;
    }
    s->block = bytes;
    s->block_offset = base;
    return status == BIPE_OK && size != 0 ? bipe_encode_units(&s->units, bytes, size, base, tokens, err) : status;
}
