/* ruler_needles.c - RULER's eight tasks of needles in a haystack, and variable tracking; see ruler.h. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "corpora/ruler.h"

enum { NEEDLES = 4, DEPTHS = 40, HOPS = 4, VARIABLES = HOPS + 1, LETTERS = 5 };

static const char noise[] = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";

/* ---- needles ---- */

static const char *const value_names[] = {"numbers", "words", "uuids"};
static const char *const value_name[] = {"number", "word", "uuid"};

static void draw_value(ruler_value kind, const ruler_sources *from, uint64_t *random, char text[RULER_NAME])
{
    if (kind == RULER_NUMBERS) {
        snprintf(text, RULER_NAME, "%u", 1000000 + (unsigned)bipe_random_below(random, 9000000));
    } else if (kind == RULER_WORDS) {
        const char *adjective = from->adjectives.word[bipe_random_below(random, from->adjectives.count)];
        snprintf(text, RULER_NAME, "%s-%s", adjective, from->nouns.word[bipe_random_below(random, from->nouns.count)]);
    } else { /* version 4 of RFC 9562 */
        uint64_t high = bipe_random_bits(random), low = bipe_random_bits(random);
        snprintf(text, RULER_NAME, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32),
                 (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff), (unsigned)(low >> 48 & 0x3fff) | 0x8000,
                 (unsigned long long)(low & 0xffffffffffff));
    }
}

typedef struct needles {
    size_t count;
    char key[NEEDLES][RULER_NAME], value[NEEDLES][RULER_NAME]; /* key: of each needle */
    size_t order[NEEDLES];                                     /* as they come in the text */
    size_t asked[NEEDLES], answers;                            /* the needles that are asked for */
} needles;

static bool has_key(const needles *n, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(n->key[i], key) == 0)
            return true;
    return false;
}

static int draw_needles(ruler_draw *draw, needles *n, ruler_sample *sample, bipe_error *err)
{
    const ruler_task *task = draw->task;
    n->count = task->keys * task->values;
    for (size_t i = 0; i < n->count; i++) {
        if (i % task->values > 0)
            memcpy(n->key[i], n->key[i - 1], RULER_NAME);
        else
            do
                draw_value(task->key, draw->from, &draw->random, n->key[i]);
            while (has_key(n, i, n->key[i]));
        draw_value(task->value, draw->from, &draw->random, n->value[i]);
    }
    int status = ruler_draw_order(&draw->random, n->count, &sample->order, err);
    if (status != BIPE_OK)
        return status;
    memcpy(n->order, sample->order.item, n->count * sizeof *n->order);
    if ((status = ruler_draw_order(&draw->random, task->keys, &sample->order, err)) != BIPE_OK)
        return status;
    for (size_t i = 0; i < task->queries * task->values; i++)
        n->asked[n->answers++] = sample->order.item[i / task->values] * task->values + i % task->values;
    return BIPE_OK;
}

static void put_needle(bipe_buffer *text, const ruler_task *task, const char *key, const char *value)
{
    ruler_put(text, "One of the special magic ", value_names[task->value], " for ", key, " is: ", value, ".", NULL);
}

/* Between sentences of an essay, at depths in percent as NumPy's round(linspace(0, 100, 40)) gives them. */
static void put_essay(bipe_buffer *text, ruler_draw *draw, const needles *n, size_t words)
{
    const ruler_essay *essay = &draw->from->essay;
    size_t depth[NEEDLES], at = 0, sentences = 0;
    const size_t end = ruler_essay_end(essay, essay->word, essay->words, words);
    sentences = (end - 1) / (essay->text.size + 1) * essay->sentences;
    while (ruler_essay_end(essay, essay->sentence, essay->sentences, sentences) < end)
        sentences++;
    ruler_draw_places(&draw->random, DEPTHS, depth, n->count);
    for (size_t i = 0; i <= n->count; i++) {
        size_t percent = i < n->count ? (200 * depth[i] + DEPTHS - 1) / (2 * (DEPTHS - 1)) : 100;
        size_t number = (size_t)((double)sentences * ((double)percent / 100));
        size_t to = number < sentences ? ruler_essay_end(essay, essay->sentence, essay->sentences, number) : end;
        ruler_essay_put(essay, at, to, text);
        at = to;
        if (i < n->count) {
            ruler_put(text, " ", NULL);
            put_needle(text, draw->task, n->key[n->order[i]], n->value[n->order[i]]);
            ruler_put(text, " ", NULL);
        }
    }
}

static void put_lines(bipe_buffer *text, ruler_draw *draw, const needles *n, size_t lines, needles *others)
{
    size_t place[NEEDLES], next = 0;
    char key[RULER_NAME], value[RULER_NAME];
    ruler_draw_places(&draw->random, lines, place, n->count);
    for (size_t i = 0; i < lines; i++) {
        for (; next < n->count && place[next] == i; next++) {
            put_needle(text, draw->task, n->key[n->order[next]], n->value[n->order[next]]);
            ruler_put(text, "\n", NULL);
        }
        if (draw->task->haystack == RULER_NOISE) {
            bipe_buffer_write(text, noise, sizeof noise - 1);
        } else {
            do
                draw_value(draw->task->key, draw->from, &draw->random, key);
            while (has_key(n, n->count, key));
            draw_value(draw->task->value, draw->from, &draw->random, value);
            put_needle(text, draw->task, key, value);
            if (others->count < NEEDLES)
                memcpy(others->value[others->count++], value, RULER_NAME);
        }
        if (i + 1 < lines)
            ruler_put(text, "\n", NULL);
    }
}

/* Wrong answers are values of other needles, as far as there are, and others. */
static int add_answers(ruler_draw *draw, const needles *n, const needles *others, ruler_sample *sample, bipe_error *err)
{
    char value[RULER_NAME];
    size_t used = 0;
    int status = BIPE_OK;
    for (size_t choice = 0; choice < RULER_CHOICES; choice++)
        for (size_t i = 0; i < n->answers && status == BIPE_OK; i++) {
            const char *answer = value;
            if (choice == 0)
                answer = n->value[n->asked[i]];
            else if (used < others->count)
                answer = others->value[used++];
            else
                draw_value(draw->task->value, draw->from, &draw->random, value);
            status = ruler_add(sample, choice, answer, err);
        }
    return status;
}

int ruler_build_needles(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    const ruler_task *task = draw.task;
    const bool one = task->queries * task->values == 1;
    const char *values = one ? value_name[task->value] : value_names[task->value];
    bipe_buffer *text = &sample->text;
    needles n = {0}, others = {0};
    char query[NEEDLES * (RULER_NAME + 6)] = "";
    int status = draw_needles(&draw, &n, sample, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < n.answers; i += task->values)
        snprintf(query + strlen(query), sizeof query - strlen(query), "%s%s%s", i > 0 ? ", " : "",
                 i > 0 && i + task->values == n.answers ? "and " : "", n.key[n.asked[i]]);
    for (size_t i = 0; i < n.count && one; i++)
        if (i != n.asked[0])
            memcpy(others.value[others.count++], n.value[i], RULER_NAME);
    ruler_put(text, one ? "A special magic " : "Some special magic ", values, one ? " is" : " are",
              " hidden within the following text. Make sure to memorize it. I will quiz you about the ", values,
              " afterwards.\n", NULL);
    if (task->haystack == RULER_ESSAY)
        put_essay(text, &draw, &n, units);
    else
        put_lines(text, &draw, &n, units, &others);
    ruler_put(text, one ? "\nWhat is the special magic " : "\nWhat are all the special magic ", values, " for ", query,
              " mentioned in the provided text?", NULL);
    sample->prefix = text->size;
    ruler_put(text, " The special magic ", values, " for ", query, " mentioned in the provided text ",
              one ? "is" : "are", NULL);
    return add_answers(&draw, &n, &others, sample, err);
}

/* ---- variable tracking ---- */

typedef struct chain {
    char name[VARIABLES * RULER_CHOICES][LETTERS + 1]; /* the first are those of the chain, the others in no text */
    char value[8];
} chain;

static void draw_chain(uint64_t *random, size_t letters, chain *c)
{
    for (size_t i = 0, known; i < VARIABLES * RULER_CHOICES; i += known == i) {
        for (size_t k = 0; k < letters; k++)
            c->name[i][k] = (char)('A' + bipe_random_below(random, 26));
        c->name[i][letters] = '\0';
        for (known = 0; strcmp(c->name[known], c->name[i]) != 0; known++)
            ;
    }
    snprintf(c->value, sizeof c->value, "%u", 10000 + (unsigned)bipe_random_below(random, 89999));
}

static size_t put_chain(bipe_buffer *text, uint64_t *random, const chain *c, size_t lines)
{
    size_t place[VARIABLES], next = 0;
    ruler_draw_places(random, lines, place, VARIABLES);
    ruler_put(text, "Memorize and track the chain(s) of variable assignment hidden in the following text.\n\n", NULL);
    for (size_t i = 0; i < lines; i++) {
        if (next < VARIABLES && place[next] == i) {
            ruler_put(text, "VAR ", c->name[next], " = ", NULL);
            if (next == 0)
                ruler_put(text, c->value, "\n", NULL);
            else
                ruler_put(text, "VAR ", c->name[next - 1], " \n", NULL);
            next++;
        }
        bipe_buffer_write(text, noise, sizeof noise - 1);
        if (i + 1 < lines)
            ruler_put(text, "\n", NULL);
    }
    ruler_put(text, "\nQuestion: Find all variables that are assigned the value ", c->value, " in the text above.",
              NULL);
    size_t prefix = text->size;
    ruler_put(text, " Answer: According to the chain(s) of variable assignment in the text above, 5 variables are "
                    "assigned the value ", c->value, ", they are: ", NULL);
    return prefix;
}

int ruler_build_example(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    chain c;
    (void)err;
    draw_chain(&draw.random, 3, &c);
    sample->prefix = put_chain(&sample->text, &draw.random, &c, units);
    return BIPE_OK;
}

int ruler_build_chains(ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err)
{
    bipe_buffer *text = &sample->text;
    chain c;
    int status = BIPE_OK;
    if (draw.example) {
        draw_chain(&draw.random, 3, &c);
        put_chain(text, &draw.random, &c, draw.example_units);
        for (size_t i = 0; i < VARIABLES; i++)
            ruler_put(text, " ", c.name[i], NULL);
        ruler_put(text, "\n\n", NULL);
    }
    draw_chain(&draw.random, LETTERS, &c);
    sample->prefix = put_chain(text, &draw.random, &c, units);
    for (size_t i = 0; i < VARIABLES * RULER_CHOICES && status == BIPE_OK; i++)
        status = ruler_add(sample, i / VARIABLES, c.name[i], err);
    return status;
}
