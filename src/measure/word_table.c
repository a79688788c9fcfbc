/* word_table.c - counts of words in parts: chains of cells, one for each word; dispersion and keyness. */
#include "measure/word_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "measure/resample.h"

enum { FEWEST_KEYS = 64 };

/* ---- counts ---- */

static size_t find_key(const bipe_word_table *l, uint64_t key)
{
    size_t s = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (l->keys - 1);
    while (l->by_key[s] != 0 && l->part[l->by_key[s] - 1].key != key)
        s = (s + 1) & (l->keys - 1);
    return s;
}

/* Finds parts anew, in a table with room for more. */
static int index_parts(bipe_word_table *l, bipe_error *err)
{
    size_t keys = l->keys == 0 ? FEWEST_KEYS : l->keys;
    while (keys < 2 * (l->parts + 1))
        keys *= 2;
    uint32_t *by_key = bipe_alloc(keys, sizeof *by_key);
    if (by_key == NULL)
        return bipe_fail_memory(err);
    bipe_free(l->by_key);
    l->by_key = by_key;
    l->keys = keys;
    for (size_t i = 0; i < l->parts; i++)
        l->by_key[find_key(l, l->part[i].key)] = (uint32_t)i + 1;
    return BIPE_OK;
}

static int fail_cells(bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_LIMIT,
                     "more than %d counts of words by document or group, expected fewer: --group-by makes larger parts",
                     BIPE_WORD_CELLS_MOST);
}

int bipe_word_table_part(bipe_word_table *l, uint64_t key, uint32_t *part, bipe_error *err)
{
    if (l->keys < 2 * (l->parts + 1) && index_parts(l, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    size_t s = find_key(l, key);
    *part = l->by_key[s] - 1;
    if (l->by_key[s] != 0)
        return BIPE_OK;
    if (l->parts == BIPE_WORD_CELLS_MOST)
        return fail_cells(err);
    if (bipe_grow(&l->part, &l->part_capacity, l->parts + 1, sizeof *l->part) != 0)
        return bipe_fail_memory(err);
    *part = (uint32_t)l->parts;
    l->part[l->parts++] = (bipe_word_part){.key = key};
    l->by_key[s] = (uint32_t)l->parts;
    return BIPE_OK;
}

/* A sum that stops at BIPE_WORD_SUM_MOST, in any order of its terms. */
static void add_sum(uint64_t *sum, uint64_t more)
{
    *sum = more > BIPE_WORD_SUM_MOST - *sum ? BIPE_WORD_SUM_MOST : *sum + more;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b != 0 && a > BIPE_WORD_SUM_MOST / b ? BIPE_WORD_SUM_MOST : a * b;
}

void bipe_word_part_add(bipe_word_part *part, uint64_t documents, uint64_t words, uint64_t squares)
{
    part->documents += documents;
    part->words += words;
    add_sum(&part->squares, squares);
}

bipe_word_count bipe_word_count_document(uint64_t frequency, uint64_t words)
{
    return (bipe_word_count){.frequency = frequency, .squares = product(frequency, frequency),
                             .products = product(frequency, words), .documents = 1};
}

static void add_count(bipe_word_count *into, const bipe_word_count *more)
{
    into->frequency += more->frequency;
    add_sum(&into->squares, more->squares);
    add_sum(&into->products, more->products);
    into->documents = more->documents > UINT32_MAX - into->documents ? UINT32_MAX : into->documents + more->documents;
}

int bipe_word_table_add(bipe_word_table *l, uint32_t part, bool fresh, const uint8_t *word, size_t size,
                        const bipe_word_count *count, bipe_error *err)
{
    uint32_t type;
    size_t before = l->types.count;
    int status = bipe_word_types_find(&l->types, word, size, &type, err);
    if (status == BIPE_OK && bipe_grow(&l->first, &l->first_capacity, l->types.count, sizeof *l->first) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    if (l->types.count != before)
        l->first[type] = 0;
    uint32_t *link = &l->first[type], number;
    while (!fresh && *link != 0 && l->cell[*link - 1].part != part)
        link = &l->cell[*link - 1].next;
    if (!fresh && (number = *link) != 0) {
        bipe_word_cell *cell = &l->cell[number - 1];
        *link = cell->next; /* to the front: the next document is often of the same part */
        cell->next = l->first[type];
        l->first[type] = number;
        add_count(&cell->count, count);
        return BIPE_OK;
    }
    if (l->cells == BIPE_WORD_CELLS_MOST)
        return fail_cells(err);
    if (bipe_grow(&l->cell, &l->cell_capacity, l->cells + 1, sizeof *l->cell) != 0)
        return bipe_fail_memory(err);
    l->cell[l->cells++] = (bipe_word_cell){.count = *count, .part = part, .next = l->first[type]};
    l->first[type] = (uint32_t)l->cells;
    return BIPE_OK;
}

int bipe_word_table_merge(bipe_word_table *into, const bipe_word_table *from, bipe_error *err)
{
    uint32_t *part = bipe_alloc(from->parts, sizeof *part);
    size_t before = into->parts; /* parts from there on are new */
    int status = part != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < from->parts && status == BIPE_OK; i++) {
        status = bipe_word_table_part(into, from->part[i].key, &part[i], err);
        if (status == BIPE_OK)
            bipe_word_part_add(&into->part[part[i]], from->part[i].documents, from->part[i].words,
                               from->part[i].squares);
    }
    for (size_t t = 0; t < from->types.count && status == BIPE_OK; t++) {
        const bipe_word_type *type = &from->types.type[t];
        for (uint32_t c = from->first[t]; c != 0 && status == BIPE_OK; c = from->cell[c - 1].next) {
            const bipe_word_cell *cell = &from->cell[c - 1];
            status = bipe_word_table_add(into, part[cell->part], part[cell->part] >= before,
                                         from->types.text.data + type->at, type->size, &cell->count, err);
        }
    }
    bipe_free(part);
    return status;
}

/* A part and its number before. */
typedef struct moved_part {
    bipe_word_part part;
    uint32_t number;
} moved_part;

static int compare_moved(const void *x, const void *y)
{
    uint64_t a = ((const moved_part *)x)->part.key, b = ((const moved_part *)y)->part.key;
    return (a > b) - (a < b);
}

/* Parts by rising keys, and their numbers in the cells. */
static int sort_word_parts(bipe_word_table *l, bipe_error *err)
{
    moved_part *moved = bipe_alloc(l->parts, sizeof *moved);
    uint32_t *now = bipe_alloc(l->parts, sizeof *now);
    int status = moved != NULL && now != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < l->parts && status == BIPE_OK; i++)
        moved[i] = (moved_part){l->part[i], (uint32_t)i};
    if (status == BIPE_OK && l->parts > 1)
        qsort(moved, l->parts, sizeof *moved, compare_moved);
    for (size_t i = 0; i < l->parts && status == BIPE_OK; i++) {
        l->part[i] = moved[i].part;
        now[moved[i].number] = (uint32_t)i;
    }
    for (size_t c = 0; c < l->cells && status == BIPE_OK; c++)
        l->cell[c].part = now[l->cell[c].part];
    bipe_free(moved);
    bipe_free(now);
    return status == BIPE_OK ? index_parts(l, err) : status;
}

int bipe_word_table_settle(bipe_word_table *l, bipe_error *err)
{
    uint32_t *head = bipe_alloc(l->parts, sizeof *head), *type_of = bipe_alloc(l->cells, sizeof *type_of),
             *next = bipe_alloc(l->cells, sizeof *next);
    int status = head != NULL && type_of != NULL && next != NULL ? sort_word_parts(l, err) : bipe_fail_memory(err);
    for (size_t t = 0; t < l->types.count && status == BIPE_OK; t++) {
        for (uint32_t c = l->first[t]; c != 0; c = l->cell[c - 1].next) {
            type_of[c - 1] = (uint32_t)t;
            next[c - 1] = head[l->cell[c - 1].part]; /* chains of parts, from which those of words are made anew, last
                                                        part first */
            head[l->cell[c - 1].part] = c;
        }
        l->first[t] = 0;
    }
    for (size_t p = l->parts; p-- > 0 && status == BIPE_OK;)
        for (uint32_t c = head[p]; c != 0; c = next[c - 1]) {
            l->cell[c - 1].next = l->first[type_of[c - 1]];
            l->first[type_of[c - 1]] = c;
        }
    bipe_free(head);
    bipe_free(type_of);
    bipe_free(next);
    return status;
}

void bipe_word_table_free(bipe_word_table *l)
{
    bipe_word_types_free(&l->types);
    bipe_free(l->first);
    bipe_free(l->cell);
    bipe_free(l->part);
    bipe_free(l->by_key);
    *l = (bipe_word_table){0};
}

/* ---- errors ---- */

/* Sums over the documents of some parts. */
typedef struct word_sums {
    bipe_word_part all;
    bipe_word_count word;
} word_sums;

/* The standard error of the logarithm of the word's share of all words; NaN: not known. */
static double error_of(const word_sums *s)
{
    double n = (double)s->all.documents, words = (double)s->all.words, share = (double)s->word.frequency / words;
    bool known = s->all.documents >= BIPE_UNITS_FEWEST && s->word.frequency != 0 &&
                 s->all.squares < BIPE_WORD_SUM_MOST && s->word.squares < BIPE_WORD_SUM_MOST &&
                 s->word.products < BIPE_WORD_SUM_MOST;
    double off = (double)s->word.squares - 2 * share * (double)s->word.products +
                 share * share * (double)s->all.squares;
    return known ? sqrt(fmax(0, off) * n / (n - 1)) / (double)s->word.frequency : (double)NAN;
}

/* ---- dispersion ---- */

/* By numbers, larger ones first, then by bytes. */
typedef struct ranked {
    const bipe_word_types *types;
    double rank;
    uint32_t type;
    size_t number;
} ranked;

static int compare_ranked(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    return a->rank != b->rank ? (a->rank < b->rank) - (a->rank > b->rank)
                              : bipe_word_types_compare(a->types, a->type, b->type);
}

/* DP and D of a word. parts: those that have words. */
static void find_dispersion(const bipe_word_table *l, uint64_t words, size_t parts, bipe_word_use *use)
{
    double off = 0, sum = 0, apart = 0, n = (double)parts;
    uint64_t elsewhere = words; /* in the parts without the word, which are off by all they have */
    size_t without = parts;
    use->dp = use->d = (double)NAN;
    if (parts < 2)
        return;
    for (uint32_t c = l->first[use->type]; c != 0; c = l->cell[c - 1].next) {
        const bipe_word_cell *cell = &l->cell[c - 1];
        double size = (double)l->part[cell->part].words, share = size / (double)words,
               relative = (double)cell->count.frequency / size;
        off += fabs((double)cell->count.frequency / (double)use->frequency - share);
        elsewhere -= l->part[cell->part].words;
        sum += relative;
        without--;
    }
    const double mean = sum / n;
    for (uint32_t c = l->first[use->type]; c != 0; c = l->cell[c - 1].next) {
        const bipe_word_cell *cell = &l->cell[c - 1];
        double more = (double)cell->count.frequency / (double)l->part[cell->part].words - mean;
        apart += more * more;
    }
    use->dp = (off + (double)elsewhere / (double)words) / 2;
    use->d = without + 1 == parts ? 0 : 1 - sqrt((apart + (double)without * mean * mean) / n) / mean / sqrt(n - 1);
}

int bipe_word_table_uses(const bipe_word_table *l, bipe_word_use **use, bipe_error *err)
{
    ranked *rank = bipe_alloc(l->types.count, sizeof *rank);
    word_sums sums = {0};
    size_t parts = 0;
    *use = bipe_alloc(l->types.count, sizeof **use);
    int status = *use != NULL && rank != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < l->parts; i++) {
        bipe_word_part_add(&sums.all, l->part[i].documents, l->part[i].words, l->part[i].squares);
        parts += l->part[i].words != 0;
    }
    for (size_t t = 0; t < l->types.count && status == BIPE_OK; t++) {
        rank[t] = (ranked){.types = &l->types, .type = (uint32_t)t};
        for (uint32_t c = l->first[t]; c != 0; c = l->cell[c - 1].next)
            rank[t].rank += (double)l->cell[c - 1].count.frequency;
    }
    if (status == BIPE_OK && l->types.count > 1)
        qsort(rank, l->types.count, sizeof *rank, compare_ranked);
    for (size_t i = 0; i < l->types.count && status == BIPE_OK; i++) {
        bipe_word_use *u = &(*use)[i];
        *u = (bipe_word_use){.type = rank[i].type};
        sums.word = (bipe_word_count){0};
        for (uint32_t c = l->first[u->type]; c != 0; c = l->cell[c - 1].next) {
            add_count(&sums.word, &l->cell[c - 1].count);
            u->documents += l->cell[c - 1].count.documents;
        }
        u->frequency = sums.word.frequency;
        u->error = error_of(&sums);
        find_dispersion(l, sums.all.words, parts, u);
    }
    bipe_free(rank);
    return status;
}

/* ---- keyness ---- */

/* observed log(observed / expected) */
static double add_cell(double observed, double row, double column, double all)
{
    return observed > 0 ? observed * log(observed / (row * column / all)) : 0;
}

static void compare_word(bipe_word_keyness *word, double all_a, double all_b)
{
    double a = (double)word->a, b = (double)word->b, all = all_a + all_b, rest = all - a - b;
    double g2 = 2 * (add_cell(a, a + b, all_a, all) + add_cell(b, a + b, all_b, all) +
                     add_cell(all_a - a, rest, all_a, all) + add_cell(all_b - b, rest, all_b, all));
    double share_a = (a > 0 ? a : 0.5) / all_a, share_b = (b > 0 ? b : 0.5) / all_b;
    g2 = fmax(0, g2);
    word->g2 = a * all_b < b * all_a ? -g2 : g2;
    word->ratio = log2(share_a / share_b);
    word->p = erfc(sqrt(g2 / 2)); /* chi-squared with one degree of freedom */
}

/* sums: by side, with what all words have in common. */
static void count_sides(const bipe_word_table *l, const uint8_t *side, word_sums sums[3], bipe_word_keyness *word,
                        size_t *count)
{
    for (size_t t = 0; t < l->types.count; t++) {
        bipe_word_keyness w = {.type = (uint32_t)t};
        for (int s = 1; s <= 2; s++)
            sums[s].word = (bipe_word_count){0};
        for (uint32_t c = l->first[t]; c != 0; c = l->cell[c - 1].next) {
            const bipe_word_cell *cell = &l->cell[c - 1];
            uint8_t of = side[cell->part];
            add_count(&sums[of].word, &cell->count);
            w.a_documents += of == 1 ? cell->count.documents : 0;
            w.b_documents += of == 2 ? cell->count.documents : 0;
        }
        w.a = sums[1].word.frequency;
        w.b = sums[2].word.frequency;
        w.error = hypot(error_of(&sums[1]), error_of(&sums[2])) / log(2);
        if (w.a + w.b != 0)
            word[(*count)++] = w;
    }
}

int bipe_word_table_keys(const bipe_word_table *l, const uint8_t *side, bipe_word_keyness **sorted, size_t *count,
                         bipe_error *err)
{
    bipe_word_keyness *word = bipe_alloc(l->types.count, sizeof *word);
    ranked *rank = bipe_alloc(l->types.count, sizeof *rank);
    word_sums sums[3] = {{{0}, {0}}};
    double least = 0;
    *sorted = bipe_alloc(l->types.count, sizeof **sorted);
    *count = 0;
    int status = word != NULL && rank != NULL && *sorted != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < l->parts; i++)
        bipe_word_part_add(&sums[side[i]].all, l->part[i].documents, l->part[i].words, l->part[i].squares);
    if (status == BIPE_OK)
        count_sides(l, side, sums, word, count);
    for (size_t i = 0; i < *count && status == BIPE_OK; i++) {
        compare_word(&word[i], (double)sums[1].all.words, (double)sums[2].all.words);
        rank[i] = (ranked){.types = &l->types, .rank = fabs(word[i].g2), .type = word[i].type, .number = i};
    }
    if (status == BIPE_OK && *count > 1)
        qsort(rank, *count, sizeof *rank, compare_ranked);
    for (size_t i = 0; i < *count && status == BIPE_OK; i++) {
        (*sorted)[i] = word[rank[i].number];
        least = fmax(least, fmin(1, (double)(*count - i) * (*sorted)[i].p));
        (*sorted)[i].p = least;
    }
    bipe_free(word);
    bipe_free(rank);
    return status;
}
