/* ruler.c - the program that writes samples of RULER's tasks, each as long as fits into a number of tokens. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/path.h"
#include "base/random.h"
#include "cli/options.h"
#include "cli/tool.h"
#include "corpora/ruler.h"

enum { LENGTH_MOST = 1 << 24, LENGTH_USUAL = 4096 };

static struct {
    uint64_t samples, seed;
    bipe_sizes lengths;
    const char *tokenizer, *haystack, *words, *output, *folder;
    bool no_example, text;
} settings = {.samples = 500, .seed = 1, .tokenizer = "default", .haystack = "corpora/persuasion.txt",
              .words = "corpora/words"};

static const bipe_option option_table[] = {
    {'n', "samples", BIPE_OPTION_SIZE, &settings.samples, "N",
     .help = "number of samples of each task and length (default 500)", .group = "Samples"},
    {'L', "length", BIPE_OPTION_SIZES, &settings.lengths, "N[,N...]", .minimum = 1, .maximum = LENGTH_MOST,
     .help = "tokens of a sample with its answer: the text has as many units of its kind as fit (default 4096)"},
    BIPE_OPTION_ROW_TOKENIZER(&settings.tokenizer, "default"),
    {0, "no-example", BIPE_OPTION_FLAG, &settings.no_example,
     .help = "leave out the example with its answer that comes first in vt and cwe"},
    {0, "seed", BIPE_OPTION_SIZE, &settings.seed, "N",
     .help = "seed of the samples (default 1); the same seed gives the same bytes everywhere"},

    {0, "haystack", BIPE_OPTION_TEXT, &settings.haystack, "FILE",
     .help = "the text that needles are hidden in where RULER has essays (default corpora/persuasion.txt)",
     .group = "What they are made of"},
    {0, "words", BIPE_OPTION_TEXT, &settings.words, "FOLDER",
     .help = "words are those of nounlist.txt, adjectivelist.txt and verblist.txt in FOLDER, one a line, as the Python "
             "package wonderwords has them (default corpora/words)"},

    {0, "text", BIPE_OPTION_FLAG, &settings.text,
     .help = "write texts to train on: input and answer as the member text, N tokens together", .group = "Output"},
    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE",
     .help = "write all samples to FILE (default: standard output)"},
    {0, "folder", BIPE_OPTION_TEXT, &settings.folder, "FOLDER", .excludes = "output",
     .help = "write FOLDER/LENGTH/TASK/validation.jsonl, as RULER's scripts do"},
};

static const bipe_options options = {
    .tool = "ruler",
    .summary = "writes samples of RULER's tasks",
    .usage = "[OPTION...] [TASK...]",
    .description =
        "Samples of the tasks of RULER (Hsieh et al. 2024): niah_single_1 to 3, niah_multikey_1 to 3, niah_multivalue, "
        "niah_multiquery and vt. JSON Lines for bipe-eval --task ruler_niah and the like: "
        "{\"index\",\"task\",\"max_length\",\"input\",\"answer_prefix\",\"outputs\",\"length\","
        "\"token_position_answer\",\"answer\",\"choices\",\"gold\"}. length is the number of tokens of input and "
        "answer prefix, and those that RULER leaves for the answer.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .operand_help = "TASK is the name of a task; default: all of them",
};

/* Samples of one task and one length. */
typedef struct cell {
    const ruler_task *task;
    uint64_t length;
    size_t units;         /* of the last sample; 0: there is none */
    double rate;          /* tokens of a unit, about */
    size_t example_units;
    bipe_output *output;  /* of --folder */
} cell;

typedef struct generator {
    ruler_sources sources;
    bipe_tokenizer *tokenizer;
    ruler_counter *counter;
    ruler_sample sample;
    bipe_output *output;
    cell *cell;
    size_t cells;
} generator;

/* ---- lengths ---- */

static int build(generator *g, const ruler_draw *draw, size_t units, size_t *tokens, bipe_error *err)
{
    ruler_sample *s = &g->sample;
    s->text.size = 0;
    for (size_t i = 0; i < RULER_CHOICES; i++)
        s->answer[i].count = 0;
    int status = draw->task->build(*draw, units, s, err);
    if (status == BIPE_OK && settings.text) {
        ruler_put(&s->text, " ", NULL);
        ruler_put_answers(&s->text, &s->answer[0], draw->task->style);
    }
    if (status == BIPE_OK && s->text.failed)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = ruler_count(g->counter, s->text.data, s->text.size, tokens, err);
    *tokens += settings.text ? 0 : draw->task->reserve;
    return status;
}

/* Builds a sample of the most units with which it has at most `length` tokens: one unit more does not fit. Goes on from
 * those of the last sample, by the tokens that a unit has. */
static int fit(generator *g, cell *c, const ruler_draw *draw, uint64_t length, size_t *tokens, bipe_error *err)
{
    const size_t least = draw->task->least;
    size_t low = least - 1, high = SIZE_MAX, units = c->units > 0 ? c->units : least, low_tokens = 0;
    for (;;) {
        int status = build(g, draw, units, tokens, err);
        if (status != BIPE_OK)
            return status;
        const bool fits = *tokens <= length;
        if (fits && low >= least && units > low)
            c->rate = (double)(*tokens - low_tokens) / (double)(units - low);
        if (fits) {
            low = units;
            low_tokens = *tokens;
        } else {
            high = units;
        }
        if (high == least)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--length': %llu, expected at least %zu for %s",
                             (unsigned long long)length, *tokens, draw->task->name);
        if (high - low == 1)
            break;
        double by = c->rate > 0 ? ((double)length - (double)*tokens) / c->rate : fits ? (double)units + 8 : -1;
        if (fits)
            units += by < 1 ? 1 : by < (double)(high - units - 1) ? (size_t)by : high - units - 1;
        else
            units -= by > -1 ? 1 : -by < (double)(units - low - 1) ? (size_t)(1 - by) : units - low - 1;
        units = units <= low ? low + 1 : units >= high ? high - 1 : units;
    }
    c->units = low;
    return units == low ? BIPE_OK : build(g, draw, low, tokens, err);
}

/* ---- records ---- */

static void put_texts(bipe_json *json, const char *key, const bipe_task_texts *texts)
{
    bipe_json_key_flat_array(json, key);
    for (size_t i = 0; i < texts->count; i++)
        bipe_json_bytes(json, texts->text[i].data, texts->text[i].size);
    bipe_json_end_array(json);
}

/* Where the first answer is in the input, in tokens. */
static int find_answer(generator *g, size_t *place, bipe_error *err)
{
    const bipe_buffer *answer = &g->sample.answer[0].text[0], *text = &g->sample.text;
    for (size_t at = 0; at + answer->size <= g->sample.prefix; at++)
        if (memcmp(text->data + at, answer->data, answer->size) == 0)
            return ruler_count(g->counter, text->data, at, place, err);
    *place = 0;
    return BIPE_OK;
}

static int write_record(generator *g, const cell *c, uint64_t index, size_t tokens, size_t gold, bipe_error *err)
{
    const ruler_sample *s = &g->sample;
    bipe_buffer answer = {0};
    bipe_json json;
    size_t place;
    bipe_json_open(&json, c->output != NULL ? c->output : g->output, false);
    bipe_json_begin_object(&json);
    if (settings.text) {
        bipe_json_key(&json, "text");
        bipe_json_bytes(&json, s->text.data, s->text.size);
    }
    bipe_json_key_uint(&json, "index", index);
    bipe_json_key_text(&json, "task", c->task->name);
    bipe_json_key_uint(&json, "max_length", c->length);
    if (!settings.text) {
        bipe_json_key(&json, "input");
        bipe_json_bytes(&json, s->text.data, s->prefix);
        bipe_json_key(&json, "answer_prefix");
        bipe_json_bytes(&json, s->text.data + s->prefix, s->text.size - s->prefix);
        put_texts(&json, "outputs", &s->answer[0]);
    }
    bipe_json_key_uint(&json, "length", tokens);
    if (c->task->place && !settings.text) {
        int status = find_answer(g, &place, err);
        if (status != BIPE_OK)
            return status;
        bipe_json_key_uint(&json, "token_position_answer", place);
    }
    if (!settings.text)
        for (size_t i = 0; i <= RULER_CHOICES; i++) {
            size_t choice = i == 0 ? 0 : (i - 1 + RULER_CHOICES - gold) % RULER_CHOICES;
            answer.size = 0;
            ruler_put_answers(&answer, &s->answer[choice], c->task->style);
            if (i == 0)
                bipe_json_key(&json, "answer");
            else if (i == 1)
                bipe_json_key_flat_array(&json, "choices");
            bipe_json_bytes(&json, answer.data, answer.size);
        }
    const bool failed = answer.failed;
    bipe_buffer_free(&answer);
    if (failed)
        return bipe_fail_memory(err);
    if (!settings.text) {
        bipe_json_end_array(&json);
        bipe_json_key_uint(&json, "gold", gold);
    }
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

static int write_sample(generator *g, cell *c, uint64_t index, bipe_error *err)
{
    size_t tokens;
    uint64_t seed = bipe_hash_uint(bipe_hash_text(BIPE_HASH_EMPTY, c->task->name), settings.seed);
    ruler_draw draw = {&g->sources, c->task, c->length, !settings.no_example, c->example_units,
                       bipe_hash_uint(bipe_hash_uint(seed, c->length), index)};
    const size_t gold = (size_t)bipe_random_below(&draw.random, RULER_CHOICES);
    int status = fit(g, c, &draw, c->length, &tokens, err);
    return status == BIPE_OK ? write_record(g, c, index, tokens, gold, err) : status;
}

/* ---- the run ---- */

/* The units of the example of variable tracking. */
static int fit_example(generator *g, size_t *units, bipe_error *err)
{
    cell c = {.task = &ruler_example};
    size_t tokens;
    ruler_draw draw = {&g->sources, c.task, RULER_EXAMPLE_LENGTH, false, 0, settings.seed};
    int status = fit(g, &c, &draw, RULER_EXAMPLE_LENGTH, &tokens, err);
    if (status == BIPE_ERR_ARGUMENT) { /* as RULER, which then takes the shortest */
        c.units = c.task->least;
        status = BIPE_OK;
    }
    *units = c.units;
    return status;
}

static int make_folder(const char *path, bipe_error *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? BIPE_OK
                                                     : bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
}

static int open_file(cell *c, bipe_error *err)
{
    char length[24], path[4096], inner[4096];
    snprintf(length, sizeof length, "%llu", (unsigned long long)c->length);
    int status = make_folder(settings.folder, err);
    bool fits = bipe_path_join(path, sizeof path, settings.folder, length);
    if (fits && status == BIPE_OK)
        status = make_folder(path, err);
    fits = fits && bipe_path_join(inner, sizeof inner, path, c->task->name);
    if (fits && status == BIPE_OK)
        status = make_folder(inner, err);
    if (status == BIPE_OK && !(fits && bipe_path_join(path, sizeof path, inner, "validation.jsonl")))
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: the name of the folder is too long", settings.folder);
    return status == BIPE_OK ? bipe_output_open(&c->output, path, err) : status;
}

static int find_task(const char *name, const ruler_task **task, bipe_error *err)
{
    for (*task = ruler_tasks; (*task)->name != NULL; ++*task)
        if (strcmp((*task)->name, name) == 0)
            return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: there is no such task, expected one that --help names", name);
}

static int add_cells(generator *g, const bipe_texts *operands, bipe_error *err)
{
    static const uint64_t usual = LENGTH_USUAL;
    const uint64_t *length = settings.lengths.count > 0 ? settings.lengths.value : &usual;
    const size_t lengths = settings.lengths.count > 0 ? settings.lengths.count : 1;
    size_t tasks = 0;
    while (ruler_tasks[tasks].name != NULL)
        tasks++;
    if (operands->count > 0)
        tasks = operands->count;
    g->cell = bipe_alloc(tasks * lengths, sizeof *g->cell);
    if (g->cell == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < tasks * lengths; i++) {
        const ruler_task *task = &ruler_tasks[i / lengths];
        int status = operands->count > 0 ? find_task(operands->text[i / lengths], &task, err) : BIPE_OK;
        if (status != BIPE_OK)
            return status;
        g->cell[g->cells++] = (cell){.task = task, .length = length[i % lengths]};
    }
    return BIPE_OK;
}

static int open_generator(generator *g, const bipe_texts *operands, bipe_error *err)
{
    bool words = false, essay = false;
    size_t example_units = 0;
    int status = add_cells(g, operands, err);
    for (size_t i = 0; i < g->cells; i++) {
        words |= g->cell[i].task->words;
        essay |= g->cell[i].task->essay;
    }
    if (status == BIPE_OK && words)
        status = ruler_words_read(&g->sources, settings.words, err);
    if (status == BIPE_OK && essay)
        status = ruler_essay_read(&g->sources.essay, settings.haystack, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_open(&g->tokenizer, settings.tokenizer, false, err);
    if (status == BIPE_OK)
        status = ruler_counter_open(&g->counter, g->tokenizer, err);
    if (status == BIPE_OK && !settings.no_example)
        status = fit_example(g, &example_units, err);
    for (size_t i = 0; i < g->cells; i++)
        g->cell[i].example_units = example_units;
    if (status == BIPE_OK && settings.folder == NULL)
        return bipe_output_open(&g->output, settings.output, err);
    for (size_t i = 0; i < g->cells && status == BIPE_OK; i++)
        status = open_file(&g->cell[i], err);
    return status;
}

static int close_files(generator *g, int status, bipe_error *err)
{
    for (size_t i = 0; i < g->cells; i++)
        if (status == BIPE_OK)
            status = bipe_output_commit(g->cell[i].output, err);
        else
            bipe_output_abandon(g->cell[i].output);
    return status;
}

static int run(void *context, const bipe_texts *operands)
{
    bipe_tool *tool = context;
    generator g = {0};
    bipe_error err = {0};
    int status = open_generator(&g, operands, &err);
    for (uint64_t i = 0; i < settings.samples && status == BIPE_OK; i++)
        for (size_t k = 0; k < g.cells && status == BIPE_OK; k++)
            status = write_sample(&g, &g.cell[k], i, &err);
    if (settings.folder != NULL)
        status = close_files(&g, status, &err);
    ruler_counter_close(g.counter);
    bipe_tokenizer_close(g.tokenizer);
    ruler_sources_free(&g.sources);
    bipe_buffer_free(&g.sample.text);
    for (size_t i = 0; i < RULER_CHOICES; i++)
        bipe_task_texts_free(&g.sample.answer[i]);
    bipe_free(g.sample.order);
    bipe_free(g.cell);
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
