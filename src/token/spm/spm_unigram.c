/* spm_unigram.c - from the pieces of a SentencePiece model of type Unigram to the tables of the search, with the scores as
 * SentencePiece computes them in single precision. */
#include <float.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/spm/bpe.h"

enum { PIECE_BYTES = 4096 }; /* of one piece: a text of n bytes costs at most n times as much */

static bool is_found(uint8_t type)
{
    return type == BIPE_PIECE_NORMAL || type == BIPE_PIECE_USER;
}

/* The pieces of a type as strings of a trie; *strings is released with bipe_free(). */
static int collect(const bipe_bpe *bpe, bool (*wanted)(uint8_t type), bipe_trie_string **strings, size_t *count,
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
            return bipe_fail(err, BIPE_ERR_LIMIT, "piece %lu: %zu bytes, expected at most %d", (unsigned long)id, size, PIECE_BYTES);
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
    int status = collect(bpe, is_user, &strings, &count, err);
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
    int status = collect(bpe, is_found, &strings, &count, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = add_crossings(bpe, strings[i].text, strings[i].size, err);
    if (status != BIPE_OK)
        bipe_free(score);
    else
        status = bipe_unigram_build(bpe->unigram, strings, count, score, (double)unknown, true, err);
    bipe_free(strings);
    return status;
}
