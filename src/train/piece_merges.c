/* piece_merges.c - learns merges.
 *
 * A string is a character, a piece, or what two neighbours would form. Pairs that form the same text share one string,
 * because the tokenizer merges them alike. Each string has a count and a list of the words that may form it. When a
 * string becomes a piece, only the words of its list are cut and counted again. */
#include "train/piece_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/pair_table.h"

#define NONE UINT32_MAX

typedef struct string {
    uint64_t count;      /* how often neighbours would form it */
    uint64_t queued;     /* its count as the heap knows it; 0: it is not there */
    uint32_t words;      /* the head of its list of words, or NONE */
    uint32_t seen;       /* the last round in which it was listed */
    uint32_t rank;       /* number of the piece, or NONE */
    uint32_t characters;
} string;

/* An entry in a string's list of words. */
typedef struct entry {
    uint32_t word, next;
} entry;

typedef struct word {
    uint64_t count;
    size_t start; /* in part, joint */
    size_t size;
} word;

typedef struct candidate {
    uint64_t count;
    uint32_t string;
} candidate;

typedef struct merger {
    bipe_vocabulary text; /* of the strings */
    string *string;
    size_t string_capacity;
    bipe_pair_table pairs; /* two strings to the one that they form, or NONE */
    word *word;
    size_t word_count;
    uint32_t *part;        /* the strings that each word is cut into; NONE: a character without a piece */
    uint32_t *joint;       /* the string that part[i] and part[i + 1] form, or NONE */
    entry *entry;
    size_t entry_count, entry_capacity;
    candidate *heap;       /* the best first */
    size_t heap_count, heap_capacity;
    size_t max_length;     /* characters of a piece */
    uint32_t round;        /* words counted so far */
    bool failed;           /* memory was out */
} merger;

/* ---- strings ---- */

/* The string with that text, added if it is new. */
static uint32_t string_of(merger *m, const uint8_t *text, size_t size, size_t characters)
{
    int64_t id = bipe_vocabulary_find(&m->text, text, size);
    if (id != BIPE_NO_PIECE)
        return (uint32_t)id;
    id = (int64_t)m->text.count;
    if (id >= NONE || bipe_grow(&m->string, &m->string_capacity, (size_t)id + 1, sizeof *m->string) != 0 ||
        bipe_vocabulary_append(&m->text, text, size, NULL) != BIPE_OK ||
        bipe_vocabulary_index(&m->text, (uint32_t)id) != id) {
        m->failed = true;
        return NONE;
    }
    m->string[id] = (string){.words = NONE, .rank = NONE, .characters = (uint32_t)characters};
    return (uint32_t)id;
}

/* What two strings form, or NONE. */
static uint32_t join_strings(merger *m, uint32_t left, uint32_t right)
{
    if (left == NONE || right == NONE)
        return NONE;
    const bipe_pair_entry *known = bipe_pair_table_find(&m->pairs, left, right);
    if (known != NULL)
        return known->a;
    uint32_t joint = NONE;
    size_t characters = m->string[left].characters + m->string[right].characters;
    if (characters <= m->max_length) {
        uint8_t text[4 * BIPE_PIECE_MAX_LENGTH];
        size_t left_size, right_size;
        const uint8_t *left_text = bipe_vocabulary_text(&m->text, left, &left_size);
        const uint8_t *right_text = bipe_vocabulary_text(&m->text, right, &right_size);
        memcpy(text, left_text, left_size);
        memcpy(text + left_size, right_text, right_size);
        joint = string_of(m, text, left_size + right_size, characters);
    }
    if (bipe_pair_table_set(&m->pairs, left, right, joint, 0) != 0)
        m->failed = true;
    return joint;
}

/* ---- the heap ---- */

static bool is_better(const merger *m, candidate a, candidate b)
{
    if (a.count != b.count)
        return a.count > b.count;
    if (m->string[a.string].characters != m->string[b.string].characters)
        return m->string[a.string].characters < m->string[b.string].characters;
    size_t a_size, b_size;
    const uint8_t *a_text = bipe_vocabulary_text(&m->text, a.string, &a_size);
    const uint8_t *b_text = bipe_vocabulary_text(&m->text, b.string, &b_size);
    int order = memcmp(a_text, b_text, a_size < b_size ? a_size : b_size);
    return order != 0 ? order < 0 : a_size < b_size;
}

static void push_candidate(merger *m, uint32_t id)
{
    candidate new = {m->string[id].count, id};
    m->string[id].queued = new.count;
    if (bipe_grow(&m->heap, &m->heap_capacity, m->heap_count + 1, sizeof *m->heap) != 0) {
        m->failed = true;
        return;
    }
    size_t i = m->heap_count++;
    for (; i != 0 && is_better(m, new, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = new;
}

/* Takes the first out, of one at least. */
static candidate pop_candidate(merger *m)
{
    candidate first = m->heap[0], last = m->heap[--m->heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < m->heap_count; i = child) {
        if (child + 1 < m->heap_count && is_better(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_better(m, m->heap[child], last))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return first;
}

/* The string that is formed most often, or NONE. Counts change between calls: a string whose count rose is in the heap
 * twice, and its older entry is stale; one whose count fell is queued again with its present count. */
static uint32_t best_string(merger *m)
{
    while (m->heap_count != 0 && !m->failed) {
        candidate c = pop_candidate(m);
        string *s = &m->string[c.string];
        if (c.count != s->queued)
            continue;
        s->queued = 0;
        if (s->count == c.count)
            return c.string;
        if (s->count >= BIPE_PIECE_MIN_COUNT)
            push_candidate(m, c.string);
    }
    return NONE;
}

/* ---- words ---- */

/* Adds the strings that neighbours in a word would form, or subtracts them. Of a string that overlaps itself, every
 * other one counts. */
static void count_joints(merger *m, const word *w, bool add)
{
    uint32_t before = NONE;
    for (size_t i = w->start; i + 1 < w->start + w->size; i++) {
        uint32_t joint = m->joint[i];
        if (joint == before) {
            before = NONE;
            continue;
        }
        before = joint;
        if (joint != NONE)
            m->string[joint].count += add ? w->count : -w->count;
    }
}

/* Adds the word to the lists of its strings, except those already marked in this round. mark: only marks them. */
static void list_joints(merger *m, const word *w, bool mark)
{
    for (size_t i = w->start; i + 1 < w->start + w->size; i++) {
        if (m->joint[i] == NONE || m->string[m->joint[i]].seen == m->round)
            continue;
        string *s = &m->string[m->joint[i]];
        s->seen = m->round;
        if (mark)
            continue;
        if (bipe_grow(&m->entry, &m->entry_capacity, m->entry_count + 1, sizeof *m->entry) != 0 ||
            m->entry_count >= NONE) {
            m->failed = true;
            return;
        }
        m->entry[m->entry_count] = (entry){(uint32_t)(w - m->word), s->words};
        s->words = (uint32_t)m->entry_count++;
    }
}

/* Queues the strings of a word whose counts rose. */
static void queue_joints(merger *m, const word *w)
{
    for (size_t i = w->start; i + 1 < w->start + w->size; i++) {
        uint32_t joint = m->joint[i];
        if (joint != NONE && m->string[joint].count > m->string[joint].queued &&
            m->string[joint].count >= BIPE_PIECE_MIN_COUNT)
            push_candidate(m, joint);
    }
}

/* Merges neighbours that form pieces, the best piece first, from left to right, as the tokenizer does. */
static void merge_word(merger *m, word *w)
{
    uint32_t *part = m->part + w->start, *joint = m->joint + w->start;
    for (;;) {
        size_t best = w->size;
        uint32_t rank = NONE;
        for (size_t i = 0; i + 1 < w->size; i++)
            if (joint[i] != NONE && m->string[joint[i]].rank < rank)
                rank = m->string[joint[best = i]].rank;
        if (best == w->size)
            return;
        part[best] = joint[best];
        memmove(part + best + 1, part + best + 2, (w->size - best - 2) * sizeof *part);
        memmove(joint + best + 1, joint + best + 2, (w->size - best - 2) * sizeof *joint);
        w->size--;
        if (best != 0)
            joint[best - 1] = join_strings(m, part[best - 1], part[best]);
        if (best + 1 < w->size)
            joint[best] = join_strings(m, part[best], part[best + 1]);
    }
}

/* Cuts the words again that form a new piece. */
static void use_piece(merger *m, uint32_t piece)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t p = m->string[piece].words; p != NONE && !m->failed; p = m->entry[p].next) {
            word *w = &m->word[m->entry[p].word];
            if (pass == 1) {
                queue_joints(m, w);
                continue;
            }
            size_t i = 0;
            while (i + 1 < w->size && m->joint[w->start + i] != piece)
                i++;
            if (i + 1 >= w->size)
                continue;
            m->round++;
            count_joints(m, w, false);
            list_joints(m, w, true);
            merge_word(m, w);
            count_joints(m, w, true);
            list_joints(m, w, false);
        }
}

/* Cuts the words into characters. */
static void cut_words(merger *m, const bipe_word_counts *words, const uint8_t *has_piece)
{
    size_t at = 0, size;
    for (uint32_t id = 0; id < words->words.count && !m->failed; id++) {
        const uint8_t *text = bipe_vocabulary_text(&words->words, id, &size);
        word *w = &m->word[m->word_count++];
        *w = (word){.count = words->count[id], .start = at};
        for (size_t i = 0, length; i < size; i += length) {
            int32_t code;
            length = bipe_utf8_decode(text + i, size - i, &code);
            m->part[at++] = has_piece[code] ? string_of(m, text + i, length, 1) : NONE;
        }
        w->size = at - w->start;
        for (size_t i = w->start; i + 1 < at; i++)
            m->joint[i] = join_strings(m, m->part[i], m->part[i + 1]);
        m->round++;
        count_joints(m, w, true);
        list_joints(m, w, false);
    }
}

static int learn_pieces(merger *m, const bipe_word_counts *words, const uint8_t *has_piece, size_t want,
                        bipe_vocabulary *pieces, bipe_error *err)
{
    int status = BIPE_OK;
    m->word = bipe_alloc(words->words.count, sizeof *m->word);
    m->part = bipe_alloc(words->size, sizeof *m->part);
    m->joint = bipe_alloc(words->size, sizeof *m->joint);
    if (m->word == NULL || m->part == NULL || m->joint == NULL)
        return bipe_fail_memory(err);
    cut_words(m, words, has_piece);
    for (uint32_t id = 0; id < m->text.count && !m->failed; id++)
        if (m->string[id].count >= BIPE_PIECE_MIN_COUNT)
            push_candidate(m, id);
    for (uint32_t rank = 0, piece; rank < want && status == BIPE_OK && (piece = best_string(m)) != NONE; rank++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&m->text, piece, &size);
        status = bipe_vocabulary_append(pieces, text, size, err);
        m->string[piece].rank = rank;
        use_piece(m, piece);
    }
    return m->failed ? bipe_fail_memory(err) : status;
}

int bipe_piece_merges(const bipe_word_counts *words, const uint8_t *has_piece, size_t max_length, size_t want,
                      bipe_vocabulary *pieces, bipe_error *err)
{
    merger m = {.max_length = max_length};
    int status = learn_pieces(&m, words, has_piece, want, pieces, err);
    bipe_vocabulary_free(&m.text);
    bipe_pair_table_free(&m.pairs);
    bipe_free(m.string);
    bipe_free(m.word);
    bipe_free(m.part);
    bipe_free(m.joint);
    bipe_free(m.entry);
    bipe_free(m.heap);
    return status;
}
