/* ruler_lists.c - RULER's tasks of common words and of frequent words; see ruler.h. */
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "corpora/ruler.h"

/* ---- common words: a numbered list in which ten words come more often than all others ---- */

enum { COMMON = 10, PAIRS_MOST = 1 << 20 };

/* Words in random order: those of the lists, and then pairs of an adjective and a noun, none twice. */
typedef struct word_order {
    const ruler_sources *from;
    const size_t *order;
    uint64_t pairs, step, first; /* pair number j is (first + j step) mod pairs */
} word_order;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int draw_words(const ruler_sources *from, uint64_t *random, word_order *w, ruler_sample *sample, bipe_error *err)
{
    *w = (word_order){.from = from, .pairs = (uint64_t)from->adjectives.count * from->nouns.count};
    do
        w->step = 1 + bipe_random_below(random, w->pairs);
    while (common_divisor(w->step, w->pairs) != 1);
    w->first = bipe_random_below(random, w->pairs);
    int status = ruler_draw_order(random, from->all.count, &sample->words, err);
    w->order = sample->words.item;
    return status;
}

static void put_word(const word_order *w, size_t number, bipe_buffer *text)
{
    const ruler_sources *from = w->from;
    if (number < from->all.count) {
        ruler_put(text, from->all.word[w->order[number]], NULL);
    } else {
        uint64_t pair = (w->first + (number - from->all.count) * w->step) % w->pairs;
        ruler_put(text, from->adjectives.word[pair / from->nouns.count], "-",
                  from->nouns.word[pair % from->nouns.count], NULL);
    }
}

/* A question about `words` words, of which the first ten come `common` times each and the others `others` times. */
static int put_list(uint64_t *random, const word_order *w, size_t words, size_t common, size_t others,
                    ruler_sample *sample, bipe_error *err)
{
    bipe_buffer *text = &sample->text;
    const size_t items = COMMON * common + (words - COMMON) * others;
    int status = ruler_draw_order(random, items, &sample->order, err);
    if (status != BIPE_OK)
        return status;
    ruler_put(text, "Below is a numbered list of words. In these words, some appear more often than others. "
                    "Memorize the ones that appear most often.\n", NULL);
    for (size_t i = 0; i < items; i++) {
        const size_t item = sample->order.item[i];
        ruler_put_number(text, i > 0 ? " " : "", i + 1, ". ");
        put_word(w, item < COMMON * common ? item / common : COMMON + (item - COMMON * common) / others, text);
    }
    ruler_put(text, "\nQuestion: What are the 10 most common words in the above list?", NULL);
    sample->prefix = text->size;
    ruler_put(text, " Answer: The top 10 words that appear most often in the list are:", NULL);
    return BIPE_OK;
}

int ruler_build_common(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    const bool few = draw.length < RULER_SHORT;
    bipe_buffer *text;
    word_order w;
    int status = draw_words(draw.from, &draw.random, &w, sample, err);
    if (status == BIPE_OK && units > w.from->all.count + (w.pairs < PAIRS_MOST ? w.pairs : PAIRS_MOST))
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: %zu different words are needed, expected a shorter text or more words",
                         draw.task->name, units);
    if (status == BIPE_OK && draw.example) {
        status = put_list(&draw.random, &w, few ? 20 : 40, few ? 3 : 10, few ? 1 : 3, sample, err);
        for (size_t i = 0; i < COMMON; i++) {
            ruler_put_number(&sample->text, " ", i + 1, ". ");
            put_word(&w, i, &sample->text);
        }
        ruler_put(&sample->text, "\n", NULL);
        if (status == BIPE_OK)
            status = draw_words(draw.from, &draw.random, &w, sample, err);
    }
    if (status == BIPE_OK)
        status = put_list(&draw.random, &w, units, few ? 6 : 30, few ? 1 : 3, sample, err);
    for (size_t i = 0; i < COMMON * RULER_CHOICES && status == BIPE_OK; i++) { /* wrong ones: others of the list, no two lists the same */
        if ((status = bipe_task_texts_add(&sample->answer[i / COMMON], &text, err)) == BIPE_OK)
            put_word(&w, i < COMMON ? i : COMMON + (i - COMMON + i / COMMON - 1) % (units - COMMON), text);
    }
    return status;
}

/* ---- frequent words: made-up words, number k of them as often as a zeta distribution has it ---- */

enum { LETTERS = 6, ASKED = 3, FOR_CHOICES = 1 + ASKED * RULER_CHOICES, TOKENS_OF_WORD = 50 };

static const double zeta_2 = 1.64493406684822643647; /* pi^2 / 6 */

static size_t occurrences(size_t words, size_t k)
{
    return (size_t)((double)words / ((double)k * (double)k) / zeta_2);
}

/* Different words, at 8 bytes each. */
static int make_words(uint64_t *random, size_t count, bipe_buffer *words, bipe_error *err)
{
    words->size = 0;
    while (words->size < 8 * count) {
        char word[8] = "";
        size_t at = 0;
        for (size_t i = 0; i < LETTERS; i++)
            word[i] = (char)('a' + bipe_random_below(random, 26));
        while (at < words->size && memcmp(words->data + at, word, sizeof word) != 0)
            at += sizeof word;
        if (at < words->size)
            continue;
        int status = bipe_buffer_append(words, word, sizeof word, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

int ruler_build_frequent(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    bipe_buffer *text = &sample->text;
    const uint64_t reserve = draw.task->reserve + TOKENS_OF_WORD * (1 + ASKED);
    const size_t vocabulary = (size_t)((draw.length > reserve ? draw.length - draw.task->reserve
                                                             : reserve - draw.task->reserve) / TOKENS_OF_WORD);
    size_t different = 0, items = 0;
    while (different < vocabulary && occurrences(units, different + 1) > 0)
        items += occurrences(units, ++different);
    int status = make_words(&draw.random, different > FOR_CHOICES ? different : FOR_CHOICES, &sample->made, err);
    if (status == BIPE_OK)
        status = ruler_draw_order(&draw.random, items, &sample->order, err);
    if (status != BIPE_OK)
        return status;
    size_t *order = sample->order.item; /* of places of the text: first those of the first word */
    if (bipe_grow(&sample->words.item, &sample->words.capacity, items, sizeof *order) != 0)
        return bipe_fail_memory(err);
    for (size_t k = 0, at = 0; k < different; k++)
        for (size_t n = occurrences(units, k + 1); n > 0; n--)
            sample->words.item[order[at++]] = k;
    ruler_put(text, "Read the following coded text and track the frequency of each coded word. Find the three most "
                    "frequently appeared coded words.", NULL);
    for (size_t i = 0; i < items; i++) {
        const size_t k = sample->words.item[i];
        ruler_put(text, " ", k == 0 ? "..." : (const char *)sample->made.data + 8 * k, NULL);
    }
    ruler_put(text, "\nQuestion: Do not provide any explanation. Please ignore the dots '....'. What are the three most "
                    "frequently appeared words in the above coded text?", NULL);
    sample->prefix = text->size;
    ruler_put(text, " Answer: According to the coded text above, the three most frequently appeared words are:", NULL);
    for (size_t i = 0; i < ASKED * RULER_CHOICES && status == BIPE_OK; i++)
        status = ruler_add(sample, i / ASKED, (const char *)sample->made.data + 8 * (1 + i), err);
    return status;
}
