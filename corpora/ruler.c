/* ruler.c - the program that writes samples of RULER's tasks, each as long as fits into a number of tokens. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/jobs.h"
#include "base/output.h"
#include "base/path.h"
#include "base/random.h"
#include "cli/options.h"
#include "cli/tool.h"
#include "corpora/ruler.h"

enum { LENGTH_MOST = 1 << 24, LENGTH_USUAL = 4096, JOBS = 4 /* samples of a thread that wait */ };

static bipe_tool the_tool;

static struct {
    uint64_t samples, seed;
    bipe_sizes lengths;
    const char *tokenizer, *haystack, *words, *questions[2], *output, *folder;
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
    {0, "squad", BIPE_OPTION_TEXT, &settings.questions[0], "FILE",
     .help = "SQuAD's file for qa_1, such as dev-v2.0.json; sample i is question i (default: none, and no qa_1)"},
    {0, "hotpot", BIPE_OPTION_TEXT, &settings.questions[1], "FILE",
     .help = "HotpotQA's file for qa_2, such as hotpot_dev_distractor_v1.json (default: none, and no qa_2)"},

    {0, "text", BIPE_OPTION_FLAG, &settings.text,
     .help = "write texts to train on: input and answer as the member text, N tokens together", .group = "Output"},
    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE",
     .help = "write all samples to FILE (default: standard output)"},
    {0, "folder", BIPE_OPTION_TEXT, &settings.folder, "FOLDER", .excludes = "output",
     .help = "write FOLDER/LENGTH/TASK/validation.jsonl, as RULER's scripts do"},
    {'j', "threads", BIPE_OPTION_SIZE, &the_tool.threads, "N", .minimum = 1, .maximum = 1024,
     .help = "use N threads, which does not change what is written (default: one for each available processor)"},
};

static const bipe_options options = {
    .tool = "ruler",
    .summary = "writes samples of RULER's tasks",
    .usage = "[OPTION...] [TASK...]",
    .description =
        "Samples of the tasks of RULER (Hsieh et al. 2024): niah_single_1 to 3, niah_multikey_1 to 3, niah_multivalue, "
        "niah_multiquery, vt, cwe, fwe, and qa_1 and qa_2 from files. JSON Lines for bipe-eval --task ruler_niah and the like: "
        "{\"index\",\"task\",\"max_length\",\"length\",\"input\",\"answer_prefix\",\"outputs\","
        "\"token_position_answer\",\"answer\",\"choices\",\"gold\"}. length is the number of tokens of input and "
        "answer prefix, and those that RULER leaves for the answer.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .operand_help = "TASK is the name of a task; default: all that need no file, and those whose file is given",
};

/* Samples of one task and one length. */
typedef struct cell {
    const ruler_task *task;
    uint64_t length;
    ruler_fit fit;       /* of the first sample */
    bipe_output *output; /* of --folder */
} cell;

typedef struct generator {
    ruler_sources sources;
    bipe_tokenizer *tokenizer;
    size_t example_units;
    bipe_output *output;
    cell *cell;
    size_t cells;
} generator;

static ruler_draw draw_sample(const generator *g, const cell *c, uint64_t index, size_t *gold)
{
    uint64_t seed = bipe_hash_uint(bipe_hash_text(BIPE_HASH_EMPTY, c->task->name), settings.seed);
    ruler_draw draw = {&g->sources, c->task, c->length, index, !settings.no_example, g->example_units,
                       bipe_hash_uint(bipe_hash_uint(seed, c->length), index)};
    *gold = (size_t)bipe_random_below(&draw.random, RULER_CHOICES);
    return draw;
}

/* ---- samples, made by several threads ---- */

typedef struct sample_job {
    bipe_job job;
    const generator *generator;
    cell *cell;
    uint64_t index;
    bipe_output *record; /* in memory */
    int status;
    bipe_error err;
} sample_job;

static void run_job(bipe_job *job, void **scratch)
{
    sample_job *j = (sample_job *)job;
    size_t gold;
    ruler_worker *worker = *scratch;
    j->status = BIPE_OK;
    if (worker == NULL) {
        j->status = ruler_worker_open(&worker, j->generator->tokenizer, settings.text, &j->err);
        *scratch = worker;
    }
    const ruler_draw draw = draw_sample(j->generator, j->cell, j->index, &gold);
    if (j->status == BIPE_OK)
        j->status = ruler_write_sample(worker, j->cell->fit, &draw, gold, j->record, &j->err);
}

static void close_worker(void *scratch)
{
    ruler_worker_close(scratch);
}

/* Writes what a job has made. */
static int finish_job(generator *g, bipe_jobs *jobs, sample_job *j, bipe_error *err)
{
    bipe_jobs_finish(jobs, &j->job);
    if (j->status != BIPE_OK) {
        *err = j->err;
        return j->status;
    }
    int status = bipe_output_flush(j->record, err);
    const bipe_buffer *kept = bipe_output_kept(j->record);
    if (status == BIPE_OK)
        status = bipe_output_write(j->cell->output != NULL ? j->cell->output : g->output, kept->data, kept->size, err);
    bipe_output_forget(j->record);
    return status;
}

static int write_samples(generator *g, size_t threads, bipe_error *err)
{
    const size_t most = threads * JOBS;
    const uint64_t all = settings.samples * g->cells;
    bipe_jobs *jobs = NULL;
    sample_job *job = bipe_alloc(most, sizeof *job);
    int status = job != NULL ? bipe_jobs_open(&jobs, threads, close_worker, err) : bipe_fail_memory(err);
    for (size_t i = 0; i < most && status == BIPE_OK; i++) {
        job[i].generator = g;
        status = bipe_output_open_memory(&job[i].record, err);
    }
    uint64_t begun = 0, ended = 0;
    while (status == BIPE_OK && ended < all) {
        for (; begun < all && begun - ended < most; begun++) {
            sample_job *j = &job[begun % most];
            j->cell = &g->cell[begun % g->cells];
            j->index = begun / g->cells;
            j->job = (bipe_job){.run = run_job};
            bipe_jobs_submit(jobs, &j->job);
        }
        status = finish_job(g, jobs, &job[ended++ % most], err);
    }
    for (; ended < begun; ended++)
        bipe_jobs_finish(jobs, &job[ended % most].job);
    bipe_jobs_close(jobs);
    for (size_t i = 0; i < most && job != NULL; i++)
        bipe_output_abandon(job[i].record);
    bipe_free(job);
    return status;
}

/* Finds from the first samples how many units there are about, so that the others do not depend on each other. */
static int fit_cells(generator *g, bipe_error *err)
{
    ruler_worker *worker;
    size_t tokens, gold;
    int status = ruler_worker_open(&worker, g->tokenizer, settings.text, err);
    if (status == BIPE_OK && !settings.no_example) {
        ruler_fit fit = {0};
        const ruler_draw draw = {.task = &ruler_example, .length = RULER_EXAMPLE_LENGTH, .random = settings.seed};
        status = ruler_fit_sample(worker, &fit, &draw, &tokens, err);
        g->example_units = fit.units;
        if (status == BIPE_ERR_ARGUMENT) { /* as RULER, which then takes the shortest */
            g->example_units = ruler_example.least;
            status = BIPE_OK;
        }
    }
    for (size_t i = 0; i < g->cells && status == BIPE_OK; i++) {
        const ruler_draw draw = draw_sample(g, &g->cell[i], 0, &gold);
        status = ruler_fit_sample(worker, &g->cell[i].fit, &draw, &tokens, err);
    }
    ruler_worker_close(worker);
    return status;
}

/* ---- the run ---- */

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
    const bool named = operands->count > 0;
    size_t tasks = operands->count;
    while (!named && ruler_tasks[tasks].name != NULL)
        tasks++;
    g->cell = bipe_alloc(tasks * lengths, sizeof *g->cell);
    if (g->cell == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < tasks * lengths; i++) {
        const ruler_task *task = &ruler_tasks[i / lengths];
        int status = named ? find_task(operands->text[i / lengths], &task, err) : BIPE_OK;
        if (status != BIPE_OK)
            return status;
        if (task->questions && settings.questions[task->hotpot] == NULL) {
            if (named)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s needs option '--%s'", task->name,
                                 task->hotpot ? "hotpot" : "squad");
            continue;
        }
        g->cell[g->cells++] = (cell){.task = task, .length = length[i % lengths]};
    }
    return BIPE_OK;
}

static int read_questions(generator *g, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < g->cells && status == BIPE_OK; i++) {
        const bool hotpot = g->cell[i].task->hotpot;
        const char *path = settings.questions[hotpot];
        ruler_questions *questions = &g->sources.questions[hotpot];
        if (!g->cell[i].task->questions || questions->questions > 0)
            continue;
        status = ruler_questions_read(questions, path, hotpot, err);
        if (status == BIPE_OK && settings.samples > questions->questions)
            status = bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--samples': %llu, expected at most %zu, the questions "
                               "of %s", (unsigned long long)settings.samples, questions->questions, path);
    }
    return status;
}

static int open_generator(generator *g, const bipe_texts *operands, bipe_error *err)
{
    bool words = false, essay = false;
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
        status = read_questions(g, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_open(&g->tokenizer, settings.tokenizer, false, err);
    if (status == BIPE_OK)
        status = fit_cells(g, err);
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
    if (status == BIPE_OK)
        status = write_samples(&g, bipe_tool_threads(tool, 0), &err);
    if (settings.folder != NULL)
        status = close_files(&g, status, &err);
    bipe_tokenizer_close(g.tokenizer);
    ruler_sources_free(&g.sources);
    for (size_t i = 0; i < 2; i++)
        ruler_questions_free(&g.sources.questions[i]);
    bipe_free(g.cell);
    if (status == BIPE_ERR_ARGUMENT) {
        bipe_output_abandon(g.output);
        return bipe_tool_usage(tool, "%s", err.text);
    }
    return bipe_tool_end(tool, status, &g.output, &err);
}

int main(int argc, char **argv)
{
    bipe_tool_start(&the_tool, options.tool);
    int exit_status = bipe_tool_run(&the_tool, &options, argc, argv, run, &the_tool);
    bipe_sizes_free(&settings.lengths);
    return exit_status;
}
