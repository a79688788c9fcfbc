/* lexical.c - counts the words of a document, and derives what they say. */
#include "measure/lexical.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/spool.h"
#include "text/python_text.h"
#include "text/utf8.h"

enum { CHUNK = 4096, SPOOL_MEMORY = 1 << 20, LONG = 7, DRAWS = 42 };

/* MTLD: a stretch ends where types / words falls below the threshold. */
enum { THRESHOLD = 72, OF = 100 };

/* ---- counting ---- */

void bipe_lexical_begin(bipe_lexical *l)
{
    bipe_word_types_clear(&l->types);
    if (l->spool != NULL)
        bipe_spool_truncate(l->spool, 0);
    l->chunk_count = 0;
    l->words = l->characters = l->longer = 0;
}

static int flush_chunk(bipe_lexical *l, bipe_error *err)
{
    size_t size = l->chunk_count * sizeof *l->chunk;
    l->chunk_count = 0;
    return size != 0 ? bipe_spool_append(l->spool, l->chunk, size, err) : BIPE_OK;
}

static int keep_order(bipe_lexical *l, uint32_t type, bipe_error *err)
{
    if (l->chunk == NULL && (l->chunk = bipe_alloc(CHUNK, sizeof *l->chunk)) == NULL)
        return bipe_fail_memory(err);
    if (l->spool == NULL && bipe_spool_open(&l->spool, SPOOL_MEMORY, err) != BIPE_OK)
        return err->status;
    l->chunk[l->chunk_count++] = type;
    return l->chunk_count == CHUNK ? flush_chunk(l, err) : BIPE_OK;
}

static size_t count_characters(const bipe_buffer *word)
{
    size_t count = 0;
    for (size_t i = 0; i < word->size; i++)
        count += (word->data[i] & 0xC0) != 0x80;
    return count;
}

static int count_word(bipe_lexical *l, const uint8_t *text, size_t size, bipe_error *err)
{
    uint32_t type;
    size_t before = l->types.count;
    l->word.size = 0;
    int status = bipe_python_change(&l->word, text, size, l->keep_case ? BIPE_PYTHON_AS_IS : BIPE_PYTHON_LOWER, err);
    if (status == BIPE_OK)
        status = bipe_word_types_find(&l->types, l->word.data, l->word.size, &type, err);
    if (status == BIPE_OK &&
        bipe_grow(&l->frequency, &l->frequency_capacity, l->types.count, sizeof *l->frequency) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    if (l->types.count != before)
        l->frequency[type] = 0;
    l->frequency[type]++;
    size_t characters = count_characters(&l->word);
    l->words++;
    l->characters += characters;
    l->longer += characters >= LONG;
    return l->order ? keep_order(l, type, err) : BIPE_OK;
}

int bipe_lexical_feed(bipe_lexical *l, const bipe_batch *batch, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < batch->token_count && status == BIPE_OK; i++) {
        const bipe_token *token = &batch->tokens[i];
        status =
            count_word(l, batch->bytes + (token->start - batch->byte_offset), (size_t)(token->end - token->start), err);
    }
    return status;
}

void bipe_lexical_free(bipe_lexical *l)
{
    bipe_word_types_free(&l->types);
    bipe_free(l->frequency);
    bipe_free(l->seen);
    bipe_spool_close(l->spool);
    bipe_free(l->chunk);
    bipe_buffer_free(&l->word);
    *l = (bipe_lexical){0};
}

/* ---- MTLD ---- */

typedef struct stretch {
    uint64_t number, words, types, whole; /* whole: stretches that ended before */
} stretch;

static void add_word(bipe_lexical *l, stretch *s, uint32_t type)
{
    s->words++;
    s->types += l->seen[type] != s->number;
    l->seen[type] = s->number;
    if (OF * s->types < THRESHOLD * s->words)
        *s = (stretch){.number = s->number + 1, .whole = s->whole + 1};
}

/* The words from one end to the other; the last stretch counts by how far its ratio has fallen. */
static int mtld_one_way(bipe_lexical *l, bool backward, uint64_t number, double *mtld, bipe_error *err)
{
    stretch s = {.number = number};
    for (uint64_t from = 0; from < l->words; from += CHUNK) {
        size_t count = l->words - from < CHUNK ? (size_t)(l->words - from) : CHUNK;
        uint64_t at = backward ? l->words - from - count : from;
        int status = bipe_spool_read(l->spool, at * sizeof *l->chunk, l->chunk, count * sizeof *l->chunk, err);
        if (status != BIPE_OK)
            return status;
        for (size_t i = 0; i < count; i++)
            add_word(l, &s, l->chunk[backward ? count - 1 - i : i]);
    }
    double ratio = s.words != 0 ? (double)s.types / (double)s.words : 1;
    double factors = (double)s.whole + (1 - ratio) / (1 - (double)THRESHOLD / OF);
    *mtld = factors > 0 ? (double)l->words / factors : (double)NAN;
    return BIPE_OK;
}

static int find_mtld(bipe_lexical *l, double *mtld, bipe_error *err)
{
    double forward = 0, backward = 0;
    if (bipe_grow(&l->seen, &l->seen_capacity, l->types.count, sizeof *l->seen) != 0)
        return bipe_fail_memory(err);
    memset(l->seen, 0, l->types.count * sizeof *l->seen);
    int status = flush_chunk(l, err);
    if (status == BIPE_OK)
        status = mtld_one_way(l, false, 1, &forward, err);
    if (status == BIPE_OK)
        status = mtld_one_way(l, true, l->words + 2, &backward, err); /* stretches of other numbers than those before */
    *mtld = (forward + backward) / 2;
    return status;
}

/* ---- the rest ---- */

/* The probability that some of 42 words drawn without replacement is of a type. */
static double chance_of_type(uint64_t words, uint64_t frequency)
{
    double none = 1;
    for (uint64_t i = 0; i < DRAWS && none > 0; i++)
        none *= words - i > frequency ? (double)(words - i - frequency) / (double)(words - i) : 0;
    return 1 - none;
}

/* The expected number of types in 42 words, for each of them. */
static double find_hdd(const bipe_lexical *l)
{
    enum { FEW = 32 };
    double types = 0, chance[FEW] = {0}; /* of rare types, which are many */
    if (l->words < DRAWS)
        return (double)NAN;
    for (uint64_t f = 1; f < FEW; f++)
        chance[f] = chance_of_type(l->words, f);
    for (size_t t = 0; t < l->types.count; t++)
        types += l->frequency[t] < FEW ? chance[l->frequency[t]] : chance_of_type(l->words, l->frequency[t]);
    return types / DRAWS;
}

static uint64_t count_hapaxes(const bipe_lexical *l)
{
    uint64_t hapaxes = 0;
    for (size_t t = 0; t < l->types.count; t++)
        hapaxes += l->frequency[t] == 1;
    return hapaxes;
}

int bipe_lexical_values(bipe_lexical *l, const bipe_distribution *sentences, double value[BIPE_LEXICAL_COUNT],
                        bipe_error *err)
{
    double words = (double)l->words, per_word = (double)l->characters / words,
           per_sentence = words / (double)sentences->total;
    for (int i = 0; i < BIPE_LEXICAL_COUNT; i++)
        value[i] = (double)NAN;
    value[BIPE_LEXICAL_WORDS] = words;
    value[BIPE_LEXICAL_TYPES] = (double)l->types.count;
    value[BIPE_LEXICAL_HAPAXES] = (double)count_hapaxes(l);
    if (l->words == 0)
        return BIPE_OK;
    value[BIPE_LEXICAL_TTR] = (double)l->types.count / words;
    value[BIPE_LEXICAL_HDD] = find_hdd(l);
    value[BIPE_LEXICAL_ARI] = 4.71 * per_word + 0.5 * per_sentence - 21.43;
    value[BIPE_LEXICAL_COLEMAN_LIAU] = 5.88 * per_word - 29.6 / per_sentence - 15.8;
    value[BIPE_LEXICAL_LIX] = per_sentence + 100 * (double)l->longer / words;
    value[BIPE_LEXICAL_RIX] = (double)l->longer / (double)sentences->total;
    value[BIPE_LEXICAL_SENTENCE_MEAN] = bipe_distribution_mean(sentences);
    value[BIPE_LEXICAL_SENTENCE_MEDIAN] = (double)bipe_distribution_quantile(sentences, 50);
    value[BIPE_LEXICAL_SENTENCE_SD] = bipe_distribution_sd(sentences);
    return find_mtld(l, &value[BIPE_LEXICAL_MTLD], err);
}

/* ---- units ---- */

/* Units of a value are (value + 64) 2^30, above 0 since no value is below -64 (ARI is least, -21, and Coleman-Liau,
 * -46); counts are as they are. */
enum { FRACTION_BITS = 30, MOST_BITS = 24, LIFT = 64 };

bool bipe_lexical_unit(bipe_lexical_id id, double value, uint64_t *unit)
{
    bool count = id <= BIPE_LEXICAL_HAPAXES;
    if (!count && !(value < ldexp(1, MOST_BITS)))
        return false;
    *unit = count ? (uint64_t)value : (uint64_t)(ldexp(value + LIFT, FRACTION_BITS) + 0.5);
    return true;
}

void bipe_lexical_estimate(bipe_lexical_id id, bipe_estimate *e)
{
    if (id <= BIPE_LEXICAL_HAPAXES)
        return;
    e->value = ldexp(e->value, -FRACTION_BITS) - LIFT;
    e->low = ldexp(e->low, -FRACTION_BITS) - LIFT;
    e->high = ldexp(e->high, -FRACTION_BITS) - LIFT;
    e->error = ldexp(e->error, -FRACTION_BITS);
}
