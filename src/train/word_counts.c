/* word_counts.c - cuts texts into words and counts them. */
#include "train/word_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum { MARK_SIZE = sizeof BIPE_SPACE_MARK - 1 };

/* What a character means to a word. A mark continues the word before it, of whatever class. */
typedef enum class { OTHER, LETTER, MARK, DIGIT, CONTROL, SPACE, NOTHING } class;

typedef struct bipe_word_cutter {
    uint8_t word[4 * BIPE_WORD_MAX_LENGTH];
    size_t size, characters; /* of the present word: bytes, characters */
    class kind;              /* OTHER, LETTER, SPACE (so far spaces alone), or NOTHING */
    uint8_t torn[4];         /* the first bytes of a character that the last call cut */
    size_t torn_size;
    bool begun;              /* the text has had its first byte */
    bool failed;             /* memory was out */
    uint8_t class_of[BIPE_CHARACTERS];
} bipe_word_cutter;

static class character_class_of(bipe_category category)
{
    if (category >= BIPE_LU && category <= BIPE_LO)
        return LETTER;
    if (category >= BIPE_MN && category <= BIPE_ME)
        return MARK;
    return category == BIPE_ND ? DIGIT : category == BIPE_CC ? CONTROL : OTHER;
}

int bipe_word_counts_open(bipe_word_counts *counts, size_t limit, bipe_error *err)
{
    *counts = (bipe_word_counts){.limit = limit, .cutter = bipe_alloc(1, sizeof *counts->cutter),
                                 .characters = bipe_alloc(BIPE_CHARACTERS, sizeof *counts->characters)};
    if (counts->cutter == NULL || counts->characters == NULL)
        return bipe_fail_memory(err);
    uint8_t *classes = counts->cutter->class_of;
    for (int32_t code = 0, end; code < BIPE_CHARACTERS; code = end) {
        class kind = character_class_of(bipe_unicode_category_run(code, &end));
        memset(classes + code, kind, (size_t)(end - code));
    }
    classes[' '] = classes[BIPE_SPACE_CODE] = SPACE;
    return BIPE_OK;
}

/* ---- pruning ---- */

typedef struct rarity {
    uint64_t count, hash;
    uint32_t id;
} rarity;

/* The most frequent first. */
static int compare_rarity(const void *a, const void *b)
{
    const rarity *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static size_t count_characters(const uint8_t *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* Removes the words that are not kept; the others stay in order. 0, or -1 when memory is exhausted. */
static int keep_words(bipe_word_counts *counts, const uint8_t *kept)
{
    bipe_vocabulary words = {0};
    size_t size, total = 0;
    for (uint32_t id = 0; id < counts->words.count; id++) {
        const uint8_t *text = bipe_vocabulary_text(&counts->words, id, &size);
        if (!kept[id])
            continue;
        counts->count[words.count] = counts->count[id];
        total += count_characters(text, size);
        if (bipe_vocabulary_append(&words, text, size, NULL) != BIPE_OK)
            goto failed;
    }
    if (bipe_vocabulary_index_all(&words) != 0)
        goto failed;
    counts->dropped += counts->words.count - words.count;
    counts->size = total;
    bipe_vocabulary_free(&counts->words);
    counts->words = words;
    return 0;
failed:
    bipe_vocabulary_free(&words);
    return -1;
}

/* Drops the rarest words until half of the limit is free. 0, or -1 when memory is exhausted. */
static int prune_words(bipe_word_counts *counts)
{
    size_t words = counts->words.count, size, left = counts->limit / 2;
    rarity *order = bipe_alloc(words, sizeof *order);
    uint8_t *kept = bipe_alloc(words, 1);
    int failed = order == NULL || kept == NULL;
    for (uint32_t id = 0; !failed && id < words; id++) {
        const uint8_t *text = bipe_vocabulary_text(&counts->words, id, &size);
        order[id] = (rarity){counts->count[id], bipe_vocabulary_hash(text, size) * UINT64_C(0x9E3779B97F4A7C15), id};
    }
    if (!failed)
        qsort(order, words, sizeof *order, compare_rarity);
    for (size_t i = 0; !failed && i < words; i++) {
        const uint8_t *text = bipe_vocabulary_text(&counts->words, order[i].id, &size);
        size_t characters = count_characters(text, size);
        if (characters > left)
            break;
        left -= characters;
        kept[order[i].id] = 1;
    }
    failed = failed || keep_words(counts, kept) != 0;
    bipe_free(order);
    bipe_free(kept);
    return failed ? -1 : 0;
}

/* ---- words ---- */

/* Counts a word; one of a single character has nothing to merge. */
static void count_word(bipe_word_counts *counts, const uint8_t *text, size_t size, size_t characters)
{
    if (characters < 2)
        return;
    int64_t id = bipe_vocabulary_find(&counts->words, text, size);
    if (id != BIPE_NO_PIECE) {
        counts->count[id]++;
        return;
    }
    if (counts->size + characters > counts->limit && prune_words(counts) != 0)
        counts->cutter->failed = true;
    id = (int64_t)counts->words.count;
    if (counts->cutter->failed ||
        bipe_grow(&counts->count, &counts->count_capacity, (size_t)id + 1, sizeof *counts->count) != 0 ||
        bipe_vocabulary_append(&counts->words, text, size, NULL) != BIPE_OK ||
        bipe_vocabulary_index(&counts->words, (uint32_t)id) != id) {
        counts->cutter->failed = true;
        return;
    }
    counts->count[id] = 1;
    counts->size += characters;
}

static void end_word(bipe_word_counts *counts, class next)
{
    bipe_word_cutter *c = counts->cutter;
    count_word(counts, c->word, c->size, c->characters);
    c->size = c->characters = 0;
    c->kind = next;
}

/* The last of the spaces belongs to the word that begins. */
static void end_spaces(bipe_word_counts *counts, class next)
{
    bipe_word_cutter *c = counts->cutter;
    if (c->characters != 0) {
        count_word(counts, c->word, c->size - MARK_SIZE, c->characters - 1);
        c->size = MARK_SIZE;
        c->characters = 1;
    }
    c->kind = next;
}

static void add_character(bipe_word_counts *counts, int32_t code, const uint8_t *bytes, size_t size)
{
    bipe_word_cutter *c = counts->cutter;
    class kind = code >= 0 ? c->class_of[code] : CONTROL;
    if (kind == MARK)
        kind = c->kind == OTHER ? OTHER : LETTER;
    if (kind == CONTROL) {
        end_word(counts, NOTHING);
        return;
    }
    if (kind == SPACE) {
        code = BIPE_SPACE_CODE;
        bytes = (const uint8_t *)BIPE_SPACE_MARK;
        size = MARK_SIZE;
    }
    counts->characters[code]++;
    if (kind == DIGIT) {
        end_word(counts, NOTHING);
        return;
    }
    if (kind != c->kind && c->kind == SPACE)
        end_spaces(counts, kind);
    else if (kind != c->kind || c->characters == BIPE_WORD_MAX_LENGTH)
        end_word(counts, kind);
    memcpy(c->word + c->size, bytes, size);
    c->size += size;
    c->characters++;
}

/* Takes all complete characters and returns their size. */
static size_t add_characters(bipe_word_counts *counts, const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        int32_t code;
        size_t length = bipe_utf8_decode(bytes + at, size - at, &code);
        if (length == 0)
            break;
        add_character(counts, code, bytes + at, length);
        at += length;
    }
    return at;
}

int bipe_word_counts_begin(bipe_word_counts *counts, bipe_error *err)
{
    bipe_word_cutter *c = counts->cutter;
    c->begun = false;
    c->torn_size = 0;
    end_word(counts, NOTHING);
    return c->failed ? bipe_fail_memory(err) : BIPE_OK;
}

int bipe_word_counts_feed(bipe_word_counts *counts, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_word_cutter *c = counts->cutter;
    if (size != 0 && !c->begun) {
        add_character(counts, ' ', bytes, 1);
        c->begun = true;
    }
    while (c->torn_size != 0 && size != 0) {
        c->torn[c->torn_size++] = *bytes++;
        size--;
        size_t taken = add_characters(counts, c->torn, c->torn_size);
        c->torn_size -= taken;
        memmove(c->torn, c->torn + taken, c->torn_size);
    }
    size_t taken = add_characters(counts, bytes, size);
    memcpy(c->torn + c->torn_size, bytes + taken, size - taken);
    c->torn_size += size - taken;
    return c->failed ? bipe_fail_memory(err) : BIPE_OK;
}

int bipe_word_counts_end(bipe_word_counts *counts, bipe_error *err)
{
    end_word(counts, NOTHING);
    return counts->cutter->failed ? bipe_fail_memory(err) : BIPE_OK;
}

void bipe_word_counts_free(bipe_word_counts *counts)
{
    bipe_vocabulary_free(&counts->words);
    bipe_free(counts->count);
    bipe_free(counts->characters);
    bipe_free(counts->cutter);
    *counts = (bipe_word_counts){0};
}
