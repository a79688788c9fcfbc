/* babi.c - the program that writes samples of the twenty bAbI tasks, with their facts spread through a long text as
 * BABILong (Kuratov et al. 2024) does. The worlds are those of babi.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/random.h"
#include "cli/options.h"
#include "cli/tool.h"
#include "corpora/babi.h"
#include "corpora/ruler.h"

enum { LENGTH_MOST = 1 << 24, TOKEN_MOST = 1024, FACT_TOKENS = 8, TRIES = 1000, PATIENCE = 16 };

static struct {
    uint64_t samples, seed;
    bipe_sizes lengths;
    const char *tokenizer, *haystack, *output;
} settings = {.samples = 100, .seed = 1, .tokenizer = "default", .haystack = "corpora/persuasion.txt"};

static const bipe_option option_table[] = {
    {'n', "samples", BIPE_OPTION_SIZE, &settings.samples, "N",
     .help = "number of samples of each task and length (default 100)", .group = "Samples"},
    {'L', "length", BIPE_OPTION_SIZES, &settings.lengths, "N[,N...]", .maximum = LENGTH_MOST,
     .help = "tokens of a text: sentences of FILE are added as long as they fit; 0: facts alone (default 0). All "
             "lengths of a run have the same stories"},
    BIPE_OPTION_ROW_TOKENIZER(&settings.tokenizer, "default"),
    {0, "haystack", BIPE_OPTION_TEXT, &settings.haystack, "FILE",
     .help = "the text that facts are spread through (default corpora/persuasion.txt)"},
    {0, "seed", BIPE_OPTION_SIZE, &settings.seed, "N",
     .help = "seed of the samples (default 1); the same seed gives the same bytes everywhere"},
    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE", .help = "write to FILE (default: standard output)",
     .group = "Output"},
};

static const bipe_options options = {
    .tool = "babi",
    .summary = "writes stories with questions, as bAbI and BABILong have them",
    .usage = "[OPTION...] [TASK...]",
    .description =
        "Samples of the twenty bAbI tasks (Weston et al. 2015), with -L as in BABILong (Kuratov et al. 2024): their "
        "facts are spread through a long text. Each answer of a task comes equally often. JSON Lines: "
        "{\"input\",\"question\",\"target\",\"task\",\"length\",\"tokens\",\"facts\",\"support\",\"choices\"}. "
        "tokens are those of input, support the numbers of the facts, from 0, that the answer follows from, choices "
        "all answers of the task.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .operand_help = "TASK is qa1 to qa20; default: all of them",
};

typedef struct generator {
    ruler_sources sources;
    bipe_tokenizer *tokenizer;
    ruler_counter *counter;
    bipe_output *output;
    uint64_t shortest;   /* of the lengths; UINT64_MAX: none */
    double rate;         /* tokens of a sentence of the haystack, about */
    bipe_buffer text;
    babi_sample sample;
} generator;

/* ---- texts ---- */

/* Appends sentences from .. to - 1, after a blank. */
static void put_sentences(generator *g, size_t from, size_t to)
{
    const ruler_essay *essay = &g->sources.essay;
    if (from == to)
        return;
    if (g->text.size > 0)
        bipe_buffer_write(&g->text, " ", 1);
    ruler_essay_put(essay, ruler_essay_end(essay, essay->sentence, essay->sentences, from),
                    ruler_essay_end(essay, essay->sentence, essay->sentences, to), &g->text);
}

/* The facts in their order, among so many sentences from `first` on. place: (facts) in 0 .. 1, sorted. */
static int build(generator *g, size_t first, size_t sentences, const double *place, size_t *tokens, bipe_error *err)
{
    const babi_sample *s = &g->sample;
    size_t at = 0;
    g->text.size = 0;
    for (size_t i = 0; i < s->facts; i++) {
        size_t before = (size_t)(place[i] * (double)(sentences + 1));
        put_sentences(g, first + at, first + before);
        at = before;
        if (g->text.size > 0)
            bipe_buffer_write(&g->text, " ", 1);
        bipe_buffer_write(&g->text, s->fact[i], strlen(s->fact[i]));
    }
    put_sentences(g, first + at, first + sentences);
    return g->text.failed ? bipe_fail_memory(err) : ruler_count(g->counter, g->text.data, g->text.size, tokens, err);
}

static int compare_places(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The text of the story with the most sentences that fit: one more does not. The story alone does. */
static int fit(generator *g, uint64_t length, uint64_t random, size_t *tokens, bipe_error *err)
{
    double place[BABI_FACTS];
    size_t low = 0, high = SIZE_MAX, sentences = 0;
    for (size_t i = 0; i < g->sample.facts; i++)
        place[i] = bipe_random_uniform(&random);
    qsort(place, g->sample.facts, sizeof place[0], compare_places);
    const size_t first = length > 0 ? (size_t)bipe_random_below(&random, g->sources.essay.sentences) : 0;
    int status = build(g, first, 0, place, tokens, err);
    for (int tries = 0; length > 0 && status == BIPE_OK && high - low > 1; tries++) {
        const double more = ((double)length - (double)*tokens) / g->rate;
        if (tries > PATIENCE)
            sentences = high == SIZE_MAX ? 2 * low : low + (high - low) / 2;
        else if (more >= 0)
            sentences += (size_t)more + 1;
        else
            sentences -= -more < (double)sentences ? (size_t)-more : sentences;
        sentences = sentences <= low ? low + 1 : sentences >= high ? high - 1 : sentences;
        status = build(g, first, sentences, place, tokens, err);
        if (*tokens <= length)
            low = sentences;
        else
            high = sentences;
    }
    return status == BIPE_OK && sentences != low ? build(g, first, low, place, tokens, err) : status;
}

/* ---- samples ---- */

/* The answer that sample `index` shall have: of as many samples as there are answers each one has another. */
static const char *choose_answer(const babi_task *task, uint64_t seed, uint64_t index)
{
    size_t order[BABI_ANSWERS], count = 0;
    while (task->answers[count] != NULL)
        count++;
    uint64_t random = bipe_hash_uint(seed, index / count);
    for (size_t i = 0; i < count; i++) {
        size_t other = (size_t)bipe_random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return task->answers[order[index % count]];
}

/* A story that fits into the shortest of the lengths. */
static int draw(generator *g, const babi_task *task, uint64_t index, uint64_t *random, bipe_error *err)
{
    const uint64_t seed = bipe_hash_uint(bipe_hash_text(BIPE_HASH_EMPTY, task->name), settings.seed);
    const char *answer = choose_answer(task, seed, index);
    const size_t most = g->shortest / FACT_TOKENS < BABI_FACTS ? (size_t)(g->shortest / FACT_TOKENS) + 1 : 0;
    size_t tokens, least = SIZE_MAX;
    *random = bipe_hash_uint(bipe_hash_uint(seed, UINT64_MAX), index);
    for (int i = 0; i < TRIES; i++) {
        if (!babi_draw(task, answer, most, random, &g->sample))
            return bipe_fail(err, BIPE_ERR_LIMIT, "%s: no story with the answer '%s' was found", task->name, answer);
        int status = build(g, 0, 0, (const double[BABI_FACTS]){0}, &tokens, err);
        if (status != BIPE_OK || tokens <= g->shortest)
            return status;
        least = tokens < least ? tokens : least;
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--length': %llu, expected at least %zu for stories of %s",
                     (unsigned long long)g->shortest, least, task->name);
}

static int write_sample(generator *g, const babi_task *task, uint64_t length, uint64_t index, bipe_error *err)
{
    const babi_sample *s = &g->sample;
    uint64_t random, support[BABI_FACTS];
    size_t tokens, supports = 0;
    bipe_json json;
    int status = draw(g, task, index, &random, err);
    if (status == BIPE_OK)
        status = fit(g, length, random, &tokens, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < s->facts; i++)
        if ((s->support >> i & 1) != 0)
            support[supports++] = i;
    bipe_json_open(&json, g->output, false);
    bipe_json_begin_object(&json);
    bipe_json_key(&json, "input");
    bipe_json_bytes(&json, g->text.data, g->text.size);
    bipe_json_key_text(&json, "question", s->question);
    bipe_json_key_text(&json, "target", s->answer);
    bipe_json_key_text(&json, "task", task->name);
    bipe_json_key_uint(&json, "length", length);
    bipe_json_key_uint(&json, "tokens", tokens);
    bipe_json_key_flat_array(&json, "facts");
    for (size_t i = 0; i < s->facts; i++)
        bipe_json_text(&json, s->fact[i]);
    bipe_json_end_array(&json);
    bipe_json_key_uints(&json, "support", support, supports);
    bipe_json_key_flat_array(&json, "choices");
    for (size_t i = 0; task->answers[i] != NULL; i++)
        bipe_json_text(&json, task->answers[i]);
    bipe_json_end_array(&json);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

/* ---- the run ---- */

static int find_task(const char *name, const babi_task **task, bipe_error *err)
{
    for (*task = babi_tasks; *task < babi_tasks + BABI_TASKS; ++*task)
        if (strcmp((*task)->name, name) == 0)
            return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "'%s' is no task, expected qa1 to qa20", name);
}

static int open_generator(generator *g, bipe_error *err)
{
    const ruler_essay *essay = &g->sources.essay;
    size_t tokens;
    g->shortest = UINT64_MAX;
    for (size_t i = 0; i < settings.lengths.count; i++)
        if (settings.lengths.value[i] > 0 && settings.lengths.value[i] < g->shortest)
            g->shortest = settings.lengths.value[i];
    int status = bipe_tokenizer_open(&g->tokenizer, settings.tokenizer, false, err);
    if (status == BIPE_OK)
        status = ruler_counter_open(&g->counter, g->tokenizer, err);
    if (status == BIPE_OK && g->shortest != UINT64_MAX) {
        status = ruler_essay_read(&g->sources.essay, settings.haystack, err);
        if (status == BIPE_OK)
            status = ruler_count(g->counter, essay->text.data, essay->text.size, &tokens, err);
        if (status == BIPE_OK && tokens < essay->text.size / TOKEN_MOST + 1)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: %zu tokens, expected at least one in %d bytes",
                               settings.haystack, tokens, TOKEN_MOST);
        if (status == BIPE_OK)
            g->rate = (double)(tokens + 1) / (double)essay->sentences;
    }
    return status == BIPE_OK ? bipe_output_open(&g->output, settings.output, err) : status;
}

static int write_task(generator *g, const babi_task *task, bipe_error *err)
{
    static const uint64_t none = 0;
    const size_t lengths = settings.lengths.count > 0 ? settings.lengths.count : 1;
    int status = BIPE_OK;
    for (size_t k = 0; k < lengths; k++)
        for (uint64_t i = 0; i < settings.samples && status == BIPE_OK; i++)
            status = write_sample(g, task, settings.lengths.count > 0 ? settings.lengths.value[k] : none, i, err);
    return status;
}

static int run(void *context, const bipe_texts *operands)
{
    bipe_tool *tool = context;
    generator g = {0};
    bipe_error err = {0};
    const babi_task *task;
    int status = BIPE_OK;
    for (size_t i = 0; i < operands->count && status == BIPE_OK; i++)
        status = find_task(operands->text[i], &task, &err);
    if (status == BIPE_OK)
        status = open_generator(&g, &err);
    for (size_t i = 0; i < (operands->count > 0 ? operands->count : BABI_TASKS) && status == BIPE_OK; i++) {
        task = &babi_tasks[i];
        if (operands->count > 0)
            status = find_task(operands->text[i], &task, &err);
        if (status == BIPE_OK)
            status = write_task(&g, task, &err);
    }
    ruler_counter_close(g.counter);
    bipe_tokenizer_close(g.tokenizer);
    ruler_sources_free(&g.sources);
    bipe_buffer_free(&g.text);
    if (status == BIPE_ERR_ARGUMENT) {
        bipe_output_abandon(g.output);
        return bipe_tool_usage(tool, "%s", err.text);
    }
    return bipe_tool_end(tool, status, &g.output, &err);
}

int main(int argc, char **argv)
{
    bipe_tool tool;
    bipe_tool_start(&tool, options.tool);
    int exit_status = bipe_tool_run(&tool, &options, argc, argv, run, &tool);
    bipe_sizes_free(&settings.lengths);
    return exit_status;
}
