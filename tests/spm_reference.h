/* spm_reference.h - for tests: a writer of SentencePiece models, and SentencePiece's normalizer and models once more,
 * the slow way.
 *
 * The reference works on the whole text and looks every joined text up in the list of pieces, trying all neighbours
 * before each merge, as the definition of the algorithm says. It shares nothing with src/token. */
#ifndef BIPE_TESTS_SPM_REFERENCE_H
#define BIPE_TESTS_SPM_REFERENCE_H

#include <float.h>
#include <stdbool.h>

#include "tests/bytes.h"
#include "tests/charsmap_file.h"
#include "tests/check.h"
#include "tests/scratch.h"
#include "token/tokenizer.h"

enum { NORMAL = 1, UNKNOWN, CONTROL, USER, UNUSED, BYTE };
enum { SPM_PIECES = 400, SPM_SYMBOLS = 2000 };

typedef struct spm_piece {
    char text[40];
    size_t size;
    float score;
    int type;
} spm_piece;

typedef struct spm_model {
    spm_piece piece[SPM_PIECES];
    size_t count;
    bool byte_fallback, dummy_prefix, squeeze, escape, suffix;
    int type;               /* 1: Unigram, 2: BPE, 4: char */
    test_map map;           /* of the normalizer; no rules: none */
} spm_model;

static inline void spm_add(spm_model *m, const char *text, float score, int type)
{
    spm_piece *p = &m->piece[m->count++];
    p->size = strlen(text);
    memcpy(p->text, text, p->size + 1);
    p->score = score;
    p->type = type;
}

static inline bool spm_has(const spm_model *m, const char *text)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->piece[i].text, text) == 0)
            return true;
    return false;
}

/* <unk> <s> </s>, and the bytes if there is a fallback. */
static inline void spm_begin(spm_model *m, bool byte_fallback)
{
    *m = (spm_model){.byte_fallback = byte_fallback, .dummy_prefix = true, .escape = true, .type = 2};
    spm_add(m, "<unk>", 0, UNKNOWN);
    spm_add(m, "<s>", 0, CONTROL);
    spm_add(m, "</s>", 0, CONTROL);
    for (int b = 0; byte_fallback && b < 256; b++) {
        char text[8];
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)b);
        spm_add(m, text, 0, BYTE);
    }
}

/* ---- the file ---- */

static inline void put_varint(test_bytes *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_number(b, (value & 0x7F) | 0x80, 1);
    put_number(b, value, 1);
}

static inline void put_field(test_bytes *b, unsigned number, uint64_t value)
{
    put_varint(b, number << 3);
    put_varint(b, value);
}

static inline void put_message(test_bytes *b, unsigned number, const void *bytes, size_t size)
{
    put_varint(b, number << 3 | 2);
    put_varint(b, size);
    put_bytes(b, bytes, size);
}

static inline test_bytes spm_file(const spm_model *m)
{
    test_bytes file = {0}, part = {0};
    for (size_t i = 0; i < m->count; i++) {
        uint32_t bits;
        memcpy(&bits, &m->piece[i].score, sizeof bits);
        part.size = 0;
        put_message(&part, 1, m->piece[i].text, m->piece[i].size);
        put_varint(&part, 2 << 3 | 5);
        put_number(&part, bits, 4);
        if (m->piece[i].type != NORMAL)
            put_field(&part, 3, (uint64_t)m->piece[i].type);
        put_message(&file, 1, part.data, part.size);
    }
    part.size = 0;
    put_field(&part, 3, (uint64_t)m->type);
    put_field(&part, 24, m->suffix);
    put_field(&part, 35, m->byte_fallback);
    put_message(&file, 2, part.data, part.size);
    part.size = 0;
    put_message(&part, 1, "test", 4);
    if (m->map.count != 0) {
        test_bytes map = map_file(&m->map);
        put_message(&part, 2, map.data, map.size);
        free(map.data);
    }
    put_field(&part, 3, m->dummy_prefix);
    put_field(&part, 4, m->squeeze);
    put_field(&part, 5, m->escape);
    put_message(&file, 3, part.data, part.size);
    free(part.data);
    return file;
}

/* ---- the algorithm ---- */

typedef struct spm_token {
    uint32_t id;
    size_t start, end;
} spm_token;

typedef struct spm_run {
    const spm_model *m;
    char text[SPM_SYMBOLS][4]; /* the characters of the normalized text, and the bytes of the input that each stands
                                  for */
    size_t size[SPM_SYMBOLS], start[SPM_SYMBOLS], end[SPM_SYMBOLS];
    size_t count;
    size_t first[SPM_SYMBOLS + 1]; /* symbol k is the characters first[k] to first[k + 1] */
    bool frozen[SPM_SYMBOLS];
    size_t symbols;
    spm_token token[SPM_SYMBOLS * 4];
    size_t tokens;
} spm_run;

static inline size_t spm_character(const char *text, size_t size)
{
    const uint8_t *t = (const uint8_t *)text;
    size_t n = t[0] < 0x80                   ? 1
               : t[0] >= 0xC2 && t[0] < 0xE0 ? 2
               : t[0] >= 0xE0 && t[0] < 0xF0 ? 3
               : t[0] >= 0xF0 && t[0] < 0xF5 ? 4
                                             : 0;
    bool good = n != 0 && n <= size;
    for (size_t i = 1; good && i < n; i++)
        good = (t[i] & 0xC0) == 0x80;
    if (good && n == 3)
        good = !(t[0] == 0xE0 && t[1] < 0xA0) && !(t[0] == 0xED && t[1] >= 0xA0);
    if (good && n == 4)
        good = !(t[0] == 0xF0 && t[1] < 0x90) && !(t[0] == 0xF4 && t[1] >= 0x90);
    return good ? n : 1;
}

static inline void spm_put(spm_run *r, const char *text, size_t size, size_t start, size_t end)
{
    memcpy(r->text[r->count], text, size);
    r->size[r->count] = size;
    r->start[r->count] = start;
    r->end[r->count++] = end;
}

static inline bool spm_is_blank(const spm_run *r, size_t i)
{
    return r->m->escape ? r->size[i] == 3 && memcmp(r->text[i], "\xE2\x96\x81", 3) == 0
                        : r->size[i] == 1 && r->text[i][0] == ' ';
}

/* What the text begins with, and what it becomes: a user-defined symbol, a rule of the map, or a character. Returns its
 * length; *kept: it stays what it is. */
static inline size_t spm_prefix(const spm_model *m, const char *text, size_t size, const char **to, size_t *to_size,
                                bool *kept)
{
    size_t symbol = 0;
    for (size_t p = 0; p < m->count; p++) {
        const spm_piece *piece = &m->piece[p];
        if (piece->type == USER && piece->size > symbol && piece->size <= size &&
            memcmp(piece->text, text, piece->size) == 0)
            symbol = piece->size;
    }
    const map_rule *rule = symbol != 0 ? NULL : map_longest(&m->map, text, size);
    *kept = rule == NULL;
    *to = rule != NULL ? rule->to : text;
    *to_size = rule != NULL ? strlen(rule->to) : symbol != 0 ? symbol : spm_character(text, size);
    return rule != NULL ? strlen(rule->from) : *to_size;
}

/* Bytes up to `end` are removed: they belong to the character before, else to the head of the text, which stands for
 * nothing. */
static inline void spm_leave(spm_run *r, size_t end, size_t *head)
{
    *(r->count != 0 ? &r->end[r->count - 1] : head) = end;
}

static inline void spm_normalize(spm_run *r, const char *text, size_t size)
{
    const char *blank = r->m->escape ? "\xE2\x96\x81" : " ", *to;
    size_t at = 0, to_size, taken;
    bool kept, after_space = r->m->squeeze;
    r->count = 0;
    while (r->m->squeeze && at < size) {
        taken = spm_prefix(r->m, text + at, size - at, &to, &to_size, &kept);
        if (to_size != 1 || to[0] != ' ')
            break;
        at += taken;
    }
    if (at == size)
        return;
    size_t head = at;
    if (r->m->dummy_prefix && !r->m->suffix)
        spm_put(r, blank, strlen(blank), at, at);
    for (; at < size; at += taken) {
        taken = spm_prefix(r->m, text + at, size - at, &to, &to_size, &kept);
        size_t i = 0;
        while (after_space && i < to_size && to[i] == ' ')
            i++;
        if (i == to_size || kept)
            spm_leave(r, at + (kept ? i : taken), &head);
        if (i == to_size)
            continue;
        after_space = r->m->squeeze && to[to_size - 1] == ' ';
        for (size_t n; i < to_size; i += n) {
            n = spm_character(to + i, to_size - i);
            size_t start = kept ? at + i : at, end = kept ? start + n : i + n == to_size ? at + taken : at;
            if (n == 1 && to[i] == ' ')
                spm_put(r, blank, strlen(blank), start, end);
            else
                spm_put(r, to + i, n, start, end);
        }
    }
    while (r->m->squeeze && r->count != 0 && spm_is_blank(r, r->count - 1))
        r->count--;
    if (r->m->dummy_prefix && r->m->suffix) {
        size_t end = r->count != 0 ? r->end[r->count - 1] : head;
        spm_put(r, blank, strlen(blank), end, end);
    }
}

/* The piece (of one of the types in the set of bits `types`) that the characters [from, to) spell, or -1. */
static inline long spm_find(const spm_run *r, size_t from, size_t to, unsigned types)
{
    for (size_t p = 0; p < r->m->count; p++) {
        const spm_piece *piece = &r->m->piece[p];
        size_t at = 0, i = from;
        if ((types >> piece->type & 1) == 0)
            continue;
        for (; i < to && piece->size - at >= r->size[i] && memcmp(piece->text + at, r->text[i], r->size[i]) == 0; i++)
            at += r->size[i];
        if (i == to && at == piece->size)
            return (long)p;
    }
    return -1;
}

static inline void spm_token_out(spm_run *r, uint32_t id, size_t start, size_t end)
{
    if (r->tokens != 0 && id == 0 && r->token[r->tokens - 1].id == 0)
        r->token[r->tokens - 1].end = end;
    else
        r->token[r->tokens++] = (spm_token){id, start, end};
}

/* A character that is no piece. */
static inline void spm_unknown(spm_run *r, size_t i)
{
    size_t n = r->size[i], start = r->start[i], end = r->end[i];
    bool own = end - start == n;
    if (!r->m->byte_fallback)
        spm_token_out(r, 0, start, end);
    for (size_t k = 0; r->m->byte_fallback && k < n; k++)
        spm_token_out(r, 3u + (uint8_t)r->text[i][k], own ? start + k : start,
                      own          ? start + k + 1
                      : k + 1 == n ? end
                                   : start);
}

static inline void spm_output(spm_run *r, size_t from, size_t to)
{
    long id = spm_find(r, from, to, 1u << NORMAL | 1u << USER | 1u << UNUSED);
    if (id >= 0 && r->m->piece[id].type == UNUSED) {
        for (size_t k = from + 1; k < to; k++) {
            unsigned both = 1u << NORMAL | 1u << UNUSED;
            if ((k == from + 1 || spm_find(r, from, k, both) >= 0) && (k + 1 == to || spm_find(r, k, to, both) >= 0)) {
                spm_output(r, from, k);
                spm_output(r, k, to);
                return;
            }
        }
    }
    if (id >= 0)
        spm_token_out(r, (uint32_t)id, r->start[from], r->end[to - 1]);
    else
        spm_unknown(r, from);
}

/* The best way to write the normalized text as pieces, with sums as SentencePiece has them: from each place on, shorter
 * pieces first, a later way only if it is better. */
static inline void spm_unigram(spm_run *r)
{
    const spm_model *m = r->m;
    static float sum[SPM_SYMBOLS + 1];
    static size_t from[SPM_SYMBOLS + 1], path[SPM_SYMBOLS + 1];
    static long piece[SPM_SYMBOLS + 1];
    float min = FLT_MAX, max = FLT_MIN;
    for (size_t p = 0; p < m->count; p++)
        if (m->piece[p].type == NORMAL) {
            min = m->piece[p].score < min ? m->piece[p].score : min;
            max = m->piece[p].score > max ? m->piece[p].score : max;
        }
    for (size_t i = 0; i <= r->count; i++)
        piece[i] = -2;
    sum[0] = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool whole = false;
        for (size_t to = i + 1; to <= r->count && to <= i + 40; to++) {
            long id = spm_find(r, i, to, 1u << NORMAL | 1u << USER);
            if (id < 0)
                continue;
            float bonus = (float)m->piece[id].size * max;
            double score = m->piece[id].type == USER ? bonus - 0.1 : (double)m->piece[id].score;
            if (piece[to] == -2 || score + sum[i] > (double)sum[to]) {
                sum[to] = (float)(score + sum[i]);
                from[to] = i;
                piece[to] = id;
            }
            whole = whole || to == i + 1;
        }
        float unknown = min - 10.0f + sum[i];
        if (!whole && (piece[i + 1] == -2 || unknown > sum[i + 1])) {
            sum[i + 1] = unknown;
            from[i + 1] = i;
            piece[i + 1] = -1;
        }
    }
    size_t steps = 0;
    for (size_t i = r->count; i != 0; i = from[i])
        path[steps++] = i;
    while (steps-- != 0) {
        size_t to = path[steps], i = from[to];
        if (piece[to] < 0)
            spm_unknown(r, i);
        else
            spm_token_out(r, (uint32_t)piece[to], r->start[i], r->end[to - 1]);
    }
}

/* The tokens of a text of fewer than SPM_SYMBOLS characters: r->token[0 .. r->tokens). */
static inline void spm_encode(spm_run *r, const spm_model *m, const char *text, size_t size)
{
    r->m = m;
    r->symbols = r->tokens = 0;
    spm_normalize(r, text, size);
    if (m->type == 1) {
        spm_unigram(r);
        return;
    }
    for (size_t i = 0; i < r->count; r->symbols++) {
        size_t longest = 0;
        for (size_t to = i + 1; to <= r->count && to <= i + 40; to++)
            if (spm_find(r, i, to, 1u << USER) >= 0)
                longest = to - i;
        r->first[r->symbols] = i;
        r->frozen[r->symbols] = longest != 0;
        i += longest != 0 ? longest : 1;
    }
    r->first[r->symbols] = r->count;
    while (m->type == 2) {
        size_t best = r->symbols;
        float best_score = 0;
        for (size_t k = 0; k + 1 < r->symbols; k++) {
            if (r->frozen[k] || r->frozen[k + 1])
                continue;
            long id = spm_find(r, r->first[k], r->first[k + 2], 1u << NORMAL | 1u << UNUSED);
            if (id >= 0 && (best == r->symbols || m->piece[id].score > best_score)) {
                best = k;
                best_score = m->piece[id].score;
            }
        }
        if (best == r->symbols)
            break;
        memmove(&r->first[best + 1], &r->first[best + 2], (r->symbols - best - 1) * sizeof *r->first);
        memmove(&r->frozen[best + 1], &r->frozen[best + 2], (r->symbols - best - 2) * sizeof *r->frozen);
        r->symbols--;
    }
    for (size_t k = 0; k < r->symbols; k++)
        spm_output(r, r->first[k], r->first[k + 1]);
}

/* As a tokenizer, from a scratch file. */
static inline int spm_open(bipe_tokenizer **tokenizer, const spm_model *m, bool special, bipe_error *err)
{
    const char *path = scratch_path("test.model");
    test_bytes file = spm_file(m);
    write_file(path, file.data, file.size);
    free_bytes(&file);
    return bipe_tokenizer_open(tokenizer, path, special, err);
}

static inline bipe_tokenizer *must_open_model(const spm_model *m, bool special)
{
    bipe_tokenizer *t;
    bipe_error err = {0};
    int status = spm_open(&t, m, special, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        exit(test_result());
    return t;
}

#endif
