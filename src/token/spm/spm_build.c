/* spm_build.c - from the pieces of a SentencePiece model to the tables of the rules and of the merge loop.
 *
 * SentencePiece merges two neighbours when their joined text is a piece, highest score first. Every way of
 * cutting a piece into two symbols is therefore a pair, ranked by the score of the piece. Pieces that are found before
 * merging (user-defined) or never come from merging (control, unknown, bytes) have no pairs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/spm/bpe.h"

/* For messages: a piece, cut if it is long. */
#define PIECE_ARGS(text, size) (int)((size) < 40 ? (size) : 40), (const char *)(text)

static bool is_text(uint8_t type)
{
    return type == BIPE_PIECE_NORMAL || type == BIPE_PIECE_UNUSED;
}

/* Smaller for higher scores, in the order of the floats. */
static uint32_t rank_of(float score)
{
    float positive_zero = score + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return ~(bits >> 31 != 0 ? ~bits : bits | UINT32_C(0x80000000));
}

static int check_utf8(const uint8_t *text, size_t size, size_t id, size_t *characters, bipe_error *err)
{
    *characters = 0;
    for (size_t i = 0; i < size; ++*characters) {
        int32_t code;
        size_t n = bipe_utf8_decode(text + i, size - i, &code);
        if (n == 0 || code < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "piece %zu: not UTF-8", id);
        i += n;
    }
    return BIPE_OK;
}

static int index_piece(bipe_bpe *bpe, uint32_t id, const bipe_spm_settings *settings, bool special, bipe_error *err)
{
    bipe_vocabulary *v = &bpe->vocabulary;
    size_t size, characters;
    const uint8_t *text = bipe_vocabulary_text(v, id, &size);
    int status = check_utf8(text, size, id, &characters, err);
    if (status != BIPE_OK)
        return status;
    if (isnan(bpe->score[id]))
        return bipe_fail(err, BIPE_ERR_FORMAT, "piece %" PRIu32 " (%.*s): its score is not a number", id,
                         PIECE_ARGS(text, size));
    int64_t known = bipe_vocabulary_index(v, id);
    if (known == BIPE_NO_PIECE)
        return bipe_fail_memory(err);
    if (known != id)
        return bipe_fail(err, BIPE_ERR_FORMAT, "piece %" PRIu32 " (%.*s): the same text as piece %" PRId64, id,
                         PIECE_ARGS(text, size), known);
    int32_t code;
    switch ((bipe_piece_type)bpe->type[id]) {
    case BIPE_PIECE_NONE:
        break;
    case BIPE_PIECE_UNKNOWN:
        if (bpe->unk != BIPE_NO_TOKEN)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "piece %" PRIu32 ": a second unknown token (the first is %" PRId64 ")", id, bpe->unk);
        bpe->unk = id;
        return special ? bipe_added_set_add(&bpe->raw, text, size, (bipe_added){.id = id}, err) : BIPE_OK;
    case BIPE_PIECE_CONTROL:
        return special ? bipe_added_set_add(&bpe->raw, text, size, (bipe_added){.id = id}, err) : BIPE_OK;
    case BIPE_PIECE_USER:
    case BIPE_PIECE_NORMAL:
    case BIPE_PIECE_UNUSED:
        break;
    case BIPE_PIECE_BYTE: {
        int byte = bipe_byte_piece(text, size);
        if (byte < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "piece %" PRIu32 " (%.*s): not a byte, expected <0x00> to <0xFF>",
                             id, PIECE_ARGS(text, size));
        if (!settings->byte_fallback)
            return bipe_fail(err, BIPE_ERR_FORMAT, "piece %" PRIu32 " (%.*s): a byte without byte_fallback", id,
                             PIECE_ARGS(text, size));
        bpe->byte_id[byte] = id;
        break;
    }
    }
    /* Of the pieces that are found; Unigram finds no unused ones, merges no user-defined ones. */
    uint8_t type = bpe->type[id], other = settings->type == BIPE_SPM_UNIGRAM ? BIPE_PIECE_USER : BIPE_PIECE_UNUSED;
    if (characters != 1 || (type != BIPE_PIECE_NORMAL && type != other))
        return BIPE_OK;
    bipe_utf8_decode(text, size, &code);
    return bipe_bpe_set_symbol(bpe, (uint32_t)code, id, err);
}

int bipe_spm_symbol(bipe_bpe *bpe, const uint8_t *text, size_t size, uint32_t *symbol, bipe_error *err)
{
    int32_t code;
    bipe_utf8_decode(text, size, &code);
    *symbol = bipe_bpe_symbol(bpe, (uint32_t)code);
    if (*symbol != BIPE_NO_SYMBOL)
        return BIPE_OK;
    int64_t id = bipe_vocabulary_find(&bpe->vocabulary, text, size);
    if (id != BIPE_NO_PIECE && bpe->type[id] == BIPE_PIECE_USER)
        return BIPE_OK; /* always found before merging */
    if (bipe_grow(&bpe->extra.code, &bpe->extra.capacity, bpe->extra.count + 1, sizeof *bpe->extra.code) != 0)
        return bipe_fail_memory(err);
    *symbol = (uint32_t)(bpe->vocabulary.count + bpe->extra.count);
    bpe->extra.code[bpe->extra.count++] = (uint32_t)code;
    return bipe_bpe_set_symbol(bpe, (uint32_t)code, *symbol, err);
}

static uint32_t symbol_of_piece(const bipe_bpe *bpe, const uint8_t *text, size_t size)
{
    int64_t id = bipe_vocabulary_find(&bpe->vocabulary, text, size);
    return id != BIPE_NO_PIECE && is_text(bpe->type[id]) ? (uint32_t)id : (uint32_t)BIPE_NO_SYMBOL;
}

/* Enters one way of making the piece `id`. before, after: the characters on both sides of the cut. */
static int add_pair(bipe_bpe *bpe, uint32_t id, uint32_t left, uint32_t right, uint32_t before, uint32_t after,
                    bipe_error *err)
{
    if (bpe->type[id] == BIPE_PIECE_UNUSED) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
        if (bipe_pair_table_find(&bpe->splits, id, 0) != NULL)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "piece %" PRIu32
                             " (%.*s): an unused piece that can be made in several ways (how it is taken apart "
                             "depends on the whole text)",
                             id, PIECE_ARGS(text, size));
        if (bipe_pair_table_set(&bpe->splits, id, 0, left, right) != 0)
            return bipe_fail_memory(err);
    }
    if (bipe_pair_table_set(&bpe->merges, left, right, rank_of(bpe->score[id]), id) != 0 ||
        bipe_pair_table_set(&bpe->crossings, before, after, 0, 0) != 0)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

/* All pairs that make the piece `id`. */
static int add_pairs(bipe_bpe *bpe, uint32_t id, bipe_error *err)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
    size_t last_start = size; /* of the character after the cut */
    for (size_t cut = size; cut > 1;) {
        do
            cut--;
        while (cut > 0 && (text[cut] & 0xC0) == 0x80);
        if (cut == 0)
            break;
        size_t after_size = last_start - cut, before_start = cut - 1;
        last_start = cut;
        while (before_start > 0 && (text[before_start] & 0xC0) == 0x80)
            before_start--;
        uint32_t left = BIPE_NO_SYMBOL, right = BIPE_NO_SYMBOL, before, after;
        int status = BIPE_OK;
        if (before_start != 0)
            left = symbol_of_piece(bpe, text, cut);
        if (cut + after_size != size)
            right = symbol_of_piece(bpe, text + cut, size - cut);
        if ((before_start != 0 && left == BIPE_NO_SYMBOL) || (cut + after_size != size && right == BIPE_NO_SYMBOL))
            continue;
        status = bipe_spm_symbol(bpe, text + before_start, cut - before_start, &before, err);
        if (status == BIPE_OK)
            status = bipe_spm_symbol(bpe, text + cut, after_size, &after, err);
        if (status != BIPE_OK)
            return status;
        if (before == BIPE_NO_SYMBOL || after == BIPE_NO_SYMBOL)
            continue;
        status = add_pair(bpe, id, before_start == 0 ? before : left, cut + after_size == size ? after : right, before,
                          after, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int check_bytes(bipe_bpe *bpe, size_t bytes, bool byte_fallback, bipe_error *err)
{
    if (byte_fallback && bytes != 256)
        return bipe_fail(err, BIPE_ERR_FORMAT, "byte_fallback with %zu byte pieces, expected 256", bytes);
    bpe->byte_fallback = byte_fallback;
    return BIPE_OK;
}

static int build_merges(bipe_bpe *bpe, bipe_error *err)
{
    size_t count = bpe->vocabulary.count;
    int status = bipe_pair_table_reserve(&bpe->merges, 2 * count) == 0 ? BIPE_OK : bipe_fail_memory(err);
    for (size_t id = 0; status == BIPE_OK && id < count; id++)
        if (is_text(bpe->type[id]))
            status = add_pairs(bpe, (uint32_t)id, err);
    return status;
}

/* What runs before; without a character map and without squeeze a quicker way does it. */
static int build_rules(bipe_bpe *bpe, const bipe_spm_settings *settings, bipe_error *err)
{
    bipe_spm_rules *r = &bpe->rules;
    int status = BIPE_OK;
    r->dummy_prefix = settings->dummy_prefix;
    r->suffix = settings->suffix && settings->dummy_prefix;
    r->squeeze = settings->squeeze;
    r->space = settings->escape ? 0x2581 : ' ';
    bpe->has_rules = settings->type == BIPE_SPM_UNIGRAM || settings->squeeze || settings->charsmap_size != 0 ||
                     r->suffix;
    if (settings->charsmap_size != 0)
        status = bipe_character_map_read(&r->map, settings->charsmap, settings->charsmap_size, err);
    return status == BIPE_OK ? bipe_spm_build_symbols(bpe, err) : status;
}

int bipe_spm_build(bipe_bpe *bpe, const bipe_spm_settings *settings, bool special, bipe_error *err)
{
    bipe_vocabulary *v = &bpe->vocabulary;
    size_t bytes = 0;
    for (size_t id = 0; id < v->count; id++) {
        if (bpe->type[id] == BIPE_PIECE_NONE)
            continue;
        int status = index_piece(bpe, (uint32_t)id, settings, special, err);
        if (status != BIPE_OK)
            return status;
        bytes += bpe->type[id] == BIPE_PIECE_BYTE;
    }
    int status = check_bytes(bpe, bytes, settings->byte_fallback, err);
    if (status != BIPE_OK)
        return status;
    if (bpe->unk == BIPE_NO_TOKEN)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no unknown token among %zu pieces", v->count);

    switch (settings->type) {
    case BIPE_SPM_UNIGRAM: status = bipe_spm_build_unigram(bpe, err); break;
    case BIPE_SPM_BPE: status = build_merges(bpe, err); break;
    case BIPE_SPM_WORD: /* the reader refuses it */
    case BIPE_SPM_CHAR: bpe->unwritable_type = "char"; break; /* what is left when nothing is merged */
    }
    if (status == BIPE_OK)
        status = build_rules(bpe, settings, err);
    bipe_buffer surface = {0};
    if (status == BIPE_OK)
        status = bipe_buffer_append(&surface, settings->unk_surface, settings->unk_surface_size, err);
    bpe->unk_surface = surface.data;
    bpe->unk_surface_size = surface.size;
    return status == BIPE_OK ? bipe_bpe_build_borders(bpe, err) : status;
}
