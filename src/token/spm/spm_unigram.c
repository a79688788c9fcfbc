/* spm_unigram.c - from the pieces of a SentencePiece model of type Unigram to the tables of the search, with the scores
 * as SentencePiece computes them in single precision. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/char_reader.h"
#include "token/spm/bpe_encode.h"

enum { PIECE_BYTES = 4096 }; /* of one piece: a text of n bytes costs at most n times as much */

static bool is_found(uint8_t type)
{
    return type == BIPE_PIECE_NORMAL || type == BIPE_PIECE_USER;
}

/* The pieces of a type as strings of a trie; *strings is released with bipe_free(). */
static int collect_pieces(const bipe_bpe *bpe, bool (*wanted)(uint8_t type), bipe_trie_string **strings, size_t *count,
                          bipe_error *err)
{
    *count = 0;
    *strings = bipe_alloc(bpe->vocabulary.count, sizeof **strings);
    if (*strings == NULL)
        return bipe_fail_memory(err);
    for (uint32_t id = 0; id < bpe->vocabulary.count; id++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
        if (!wanted(bpe->type[id]))
            continue;
        if (size > PIECE_BYTES)
            return bipe_fail(err, BIPE_ERR_LIMIT, "piece %lu: %zu bytes, expected at most %d", (unsigned long)id, size,
                             PIECE_BYTES);
        (*strings)[(*count)++] = (bipe_trie_string){text, size, id};
    }
    return BIPE_OK;
}

static bool is_user(uint8_t type)
{
    return type == BIPE_PIECE_USER;
}

int bipe_spm_build_symbols(bipe_bpe *bpe, bipe_error *err)
{
    bipe_trie_string *strings;
    size_t count;
    int status = collect_pieces(bpe, is_user, &strings, &count, err);
    if (status == BIPE_OK)
        status = bipe_piece_trie_build(&bpe->rules.symbols, strings, count, err);
    bipe_free(strings);
    return status;
}

/* Neighbours in a piece, between which no border is. */
static int add_crossings(bipe_bpe *bpe, const uint8_t *text, size_t size, bipe_error *err)
{
    uint32_t before = 0, symbol;
    int status = BIPE_OK;
    for (size_t at = 0, n; status == BIPE_OK && at < size; at += n, before = symbol) {
        int32_t code;
        n = bipe_utf8_decode(text + at, size - at, &code);
        status = bipe_spm_symbol(bpe, text + at, n, &symbol, err);
        if (status == BIPE_OK && at != 0 && bipe_pair_table_set(&bpe->crossings, before, symbol, 0, 0) != 0)
            status = bipe_fail_memory(err);
    }
    return status;
}

int bipe_spm_build_unigram(bipe_bpe *bpe, bipe_error *err)
{
    size_t pieces = bpe->vocabulary.count, count;
    float min = FLT_MAX, max = FLT_MIN;
    for (size_t id = 0; id < pieces; id++) {
        if (bpe->type[id] != BIPE_PIECE_NORMAL)
            continue;
        min = bpe->score[id] < min ? bpe->score[id] : min;
        max = bpe->score[id] > max ? bpe->score[id] : max;
    }
    double *score = bipe_alloc(pieces, sizeof *score);
    bpe->unigram = bipe_alloc(1, sizeof *bpe->unigram);
    if (score == NULL || bpe->unigram == NULL) {
        bipe_free(score);
        return bipe_fail_memory(err);
    }
    for (size_t id = 0; id < pieces; id++) {
        size_t size;
        bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)id, &size);
        float length = (float)size, bonus = length * max; /* a user-defined symbol is nearly always taken */
        score[id] = bpe->type[id] == BIPE_PIECE_USER ? (double)bonus - 0.1 : (double)bpe->score[id];
    }
    float unknown = min - 10.0f;
    bipe_trie_string *strings;
    int status = collect_pieces(bpe, is_found, &strings, &count, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = add_crossings(bpe, strings[i].text, strings[i].size, err);
    if (status != BIPE_OK)
        bipe_free(score);
    else
        status = bipe_unigram_build(bpe->unigram, strings, count, score, (double)unknown, true, err);
    bipe_free(strings);
    return status;
}

/* ---- encoding ---- */

/* Its sums are numbers of single precision that grow with the text, and how they are rounded decides near ties; so the
 * pieces of a unit depend on the sum before it. As long as all sums stay between 2^e and 2^(e+1), they are multiples of
 * the same u = 2^(e-23). Adding a score to another multiple of u then moves each sum, and therefore the rounded one and
 * every comparison, by the difference, unless a sum lay just in the middle between two multiples (what is rounded to
 * even depends on more). So what a unit becomes is kept in the cache together with e, if that was not so. */

enum {
    MOST = 48,     /* bytes of a unit that is kept */
    BROKEN = 0xFF, /* in place of a byte that belongs to no character, and to no piece */
};

int bipe_unigram_encode(bipe_bpe_scratch *s, bipe_error *err)
{
    const bipe_characters *c = &s->characters;
    s->text.size = s->found.count = 0;
    int status = bipe_buffer_reserve(&s->text, 4 * c->count, err);
    for (size_t i = 0; status == BIPE_OK && i < c->count; i++) {
        uint8_t *to = s->text.data + s->text.size;
        s->text.size += bipe_char_bytes(c->character[i].code, to);
        if (c->character[i].code >= BIPE_BAD_BYTE)
            *to = BROKEN;
    }
    if (status == BIPE_OK)
        status = bipe_unigram_search(s->bpe->unigram, &s->search, s->text.data, s->text.size, &s->found, err);
    size_t at = 0, i = 0; /* in the text, in the characters */
    for (size_t k = 0; status == BIPE_OK && k < s->found.count; k++) {
        const bipe_piece_token *piece = &s->found.token[k];
        uint32_t size = 0, code = 0;
        for (uint8_t bytes[4]; at < piece->end; i++) {
            code = c->character[i].code;
            at += bipe_char_bytes(code, bytes);
            size += c->character[i].size;
        }
        status = piece->id != BIPE_UNIGRAM_UNKNOWN ? bipe_bpe_emit(s, piece->id, size, err)
                                                   : bipe_bpe_emit_unknown(s, code, size, err);
    }
    return status;
}

/* The e of all sums that are at most `reach` away; 0: they have several, or it is less than 1. */
static int scale_of(double sum, double reach)
{
    double size = fabs(sum);
    if (!(size - reach >= 2) || size > 0x1p120)
        return 0;
    int e = ilogb(size - reach);
    return e == ilogb(size + reach) ? e : 0;
}

/* A unit with its e in front, which is what the cache knows. */
typedef struct scaled_unit {
    uint8_t text[1 + MOST + BIPE_WORD_READ];
    size_t size; /* 0: it cannot be kept */
} scaled_unit;

static void set_scale(scaled_unit *unit, const uint8_t *text, size_t size, int scale)
{
    unit->size = scale != 0 && size <= MOST ? 1 + size : 0;
    if (unit->size == 0)
        return;
    unit->text[0] = (uint8_t)scale;
    memcpy(unit->text + 1, text, BIPE_WORD_READ);
    if (size > BIPE_WORD_READ)
        memcpy(unit->text + 1, text, size);
}

static int encode_unit(bipe_bpe_scratch *s, const scaled_unit *unit, int scale, const uint8_t *text, size_t size,
                       uint64_t offset, bipe_tokens *tokens, bipe_error *err)
{
    size_t gap;
    s->search.half = ldexp(1, scale - 24);
    s->pieces.count = 0;
    int status = bipe_bpe_encode(s, text, size, false, false, &s->pieces, &gap, err);
    if (status != BIPE_OK || s->pieces.count == 0)
        return status;
    bool known = s->search.exact && s->characters.count <= size; /* and no more are the scores of a sum */
    for (size_t i = 0; known && i < s->found.count; i++)
        known = s->found.token[i].id != BIPE_UNIGRAM_UNKNOWN; /* each token is a piece, then */
    if (known && unit->size != 0)
        bipe_word_cache_add(&s->units.group.cache, unit->text, unit->size, s->pieces.token, s->pieces.count);
    return bipe_bpe_add_pieces(tokens, offset, s->pieces.token, s->pieces.count, err);
}

/* The next unit: from the cache, if it is there. */
static int encode_or_find(bipe_bpe_scratch *s, const uint8_t *text, size_t size, uint64_t offset, bipe_tokens *tokens,
                          bipe_error *err)
{
    const bipe_unigram *u = s->bpe->unigram;
    bipe_piece_token spare[BIPE_WORD_SHORT_IDS];
    scaled_unit unit;
    size_t count = 0;
    int scale = scale_of(s->search.sum, u->most * (double)(size + 1));
    set_scale(&unit, text, size, scale);
    const bipe_piece_token *piece =
        unit.size != 0 ? bipe_word_cache_find(&s->units.group.cache, unit.text, unit.size, spare, &count) : NULL;
    if (piece == NULL)
        return encode_unit(s, &unit, scale, text, size, offset, tokens, err);
    for (size_t i = 0; i < count; i++)
        s->search.sum = (double)(float)(u->score[piece[i].id] + s->search.sum);
    return bipe_bpe_add_pieces(tokens, offset, piece, count, err);
}

int bipe_unigram_encode_units(bipe_bpe_scratch *s, const uint8_t *text, size_t size, uint64_t offset,
                              bipe_tokens *tokens, bipe_error *err)
{
    uint32_t start[1 + BIPE_UNIT_STARTS + 1] = {0};
    int status = bipe_word_cache_open(&s->units.group.cache) == 0 ? BIPE_OK : bipe_fail_memory(err);
    for (size_t at = 1; status == BIPE_OK;) {
        size_t n = bipe_find_units(s->bpe->borders, text, size, &at, start + 1);
        bool last = at >= size;
        if (last)
            start[++n] = (uint32_t)size;
        for (size_t k = 0; status == BIPE_OK && k < n; k++)
            status = encode_or_find(s, text + start[k], start[k + 1] - start[k], offset + start[k], tokens, err);
        if (last)
            break;
        start[0] = start[n];
    }
    return status;
}
