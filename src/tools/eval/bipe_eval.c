/* bipe_eval.c - evaluates models on tasks: the option table, and what options ask for together. */
#include <inttypes.h>

#include "cli/clusters.h"
#include "cli/interrupt.h"
#include "cli/power.h"
#include "cli/task_files.h"
#include "cli/tool_inputs.h"
#include "tools/eval/bipe_eval.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char description[] = "Asks a language model the questions of a task, and judges the answers. Each record "
                                  "of FILE is a question; the task says how a record becomes "
                                  "a prompt, and what a right answer is. MODEL is a file or folder with a model, or "
                                  "the name of an installed one, such as default.";

static const char *const cluster_words[] = {BIPE_CLUSTER_FILE, NULL};

/* Parses shard, scheme and scaling. BIPE_EXIT_USAGE and a line, or BIPE_EXIT_DONE. */
static int check_eval_options(bipe_eval_run *run, const bipe_texts *operands)
{
    bipe_tool *tool = &run->tool;
    bipe_eval_options *given = &run->given;
    bipe_error err = {0};
    if (given->shard != NULL && bipe_shard_parse(&run->shard, given->shard, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "%s", err.text);
    if (given->score == NULL && bipe_inputs_refuse_models(tool, operands) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    return bipe_tool_scheme(tool, given->scheme, &run->scheme, given->scaling, &run->scaling);
}

/* Records of all files, for progress; 0 where that is not known before they are read. */
static uint64_t count_records(const bipe_eval_run *run, bipe_files files)
{
    uint64_t total = 0;
    if (bipe_files_size(files) == 0)
        return 0;
    for (size_t i = 0; i < files.count; i++) {
        uint64_t records = 0;
        if (bipe_eval_records_count(files.path[i], &records, NULL) != BIPE_OK)
            return 0;
        total += run->given.limit > 0 && records > run->given.limit ? run->given.limit : records;
    }
    return total;
}

/* What -L cut, so that nobody takes the results for those of whole prompts. */
static void note_truncated(bipe_eval_run *run)
{
    uint64_t records = 0, truncated = 0;
    for (size_t i = 0; i < run->results; i++) {
        records += run->result[i].records;
        truncated += run->result[i].truncated;
    }
    if (truncated > 0 && run->given.score == NULL)
        bipe_tool_note(&run->tool, "-L %" PRIu64 ": %" PRIu64 " of %" PRIu64 " prompts %s cut %s", run->given.length,
                       truncated, records, truncated == 1 ? "was" : "were", bipe_eval_cut_place(run));
}

/* Predictions that no record asks for are worth a line: the files may not belong together. */
static void note_unused(bipe_eval_run *run)
{
    size_t unused = 0;
    for (size_t i = 0; run->given.score != NULL && i < run->known->count; i++)
        unused += !run->known->entry[i].used;
    if (unused > 0)
        bipe_tool_note(&run->tool, "%s: %zu prediction%s no record",
                       bipe_input_shown(run->given.score), unused,
                       unused == 1 ? " matches" : "s match");
}

/* How to go on, and what is not written. */
static void note_interrupted(bipe_eval_run *run)
{
    const bipe_eval_options *given = &run->given;
    const char *const outputs[] = {given->predictions, given->submission};
    for (size_t i = 0; i < COUNT(outputs); i++)
        if (outputs[i] != NULL)
            bipe_tool_note(&run->tool, "%s: not written, the run was interrupted", outputs[i]);
    if (given->resume != NULL)
        bipe_tool_note(&run->tool,
                       "interrupted after %" PRIu64 " records; run the same command again to resume from %s", run->done,
                       given->resume);
    else
        bipe_tool_note(&run->tool,
                       "interrupted after %" PRIu64
                       " records: nothing was kept; use --resume FILE to be able to continue next time",
                       run->done);
}

/* NULL: there is none. */
static int commit_output(const bipe_tool *tool, bipe_output **output, bipe_error *err)
{
    bipe_output *taken = *output;
    *output = NULL;
    return taken == NULL ? BIPE_OK : bipe_tool_commit(tool, taken, err);
}

/* Files that could not be opened have no row. */
static void drop_unopened(bipe_eval_run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->results; i++)
        if (run->result[i].opened)
            run->result[kept++] = run->result[i];
    run->results = kept;
}

/* Asks all records, and prints what came out. */
static int evaluate_files(bipe_eval_run *run, bipe_files files)
{
    bipe_error err = {0};
    bool complete = true;
    bipe_tool_progress(&run->tool, "records", 0);
    if (run->tool.progress.shown)
        run->tool.progress.total = count_records(run, files);
    bipe_interrupt_catch();
    for (size_t i = 0; i < files.count && complete && (run->given.show == 0 || run->done < run->given.show); i++) {
        run->result[run->results] = (bipe_eval_result){.file = files.path[i]};
        complete = bipe_eval_file(run, &run->result[run->results]);
        run->tool.some_done |= run->result[run->results++].records > 0;
    }
    bipe_progress_clear(&run->tool.progress);
    drop_unopened(run);
    if (bipe_interrupted() != 0) {
        bipe_tool_finish(&run->tool, NULL);
        note_interrupted(run);
        return 128 + bipe_interrupted();
    }
    note_unused(run);
    note_truncated(run);
    if (run->repeated > 0)
        bipe_tool_note(&run->tool, "%" PRIu64 " request%s the same as before, and computed once", run->repeated,
                       run->repeated == 1 ? " was" : "s were");
    if (run->given.show > 0 && complete)
        return bipe_tool_end(&run->tool, BIPE_OK, &run->output, &err);
    if (!complete) /* said before */
        return bipe_tool_finish(&run->tool, NULL);
    int status = bipe_eval_report(run, &err);
    if (status == BIPE_OK && run->submission != NULL) {
        bipe_json_end_object(&run->submission_json);
        status = bipe_json_close(&run->submission_json, &err);
    }
    if (status == BIPE_OK)
        status = commit_output(&run->tool, &run->predictions, &err);
    if (status == BIPE_OK)
        status = commit_output(&run->tool, &run->submission, &err);
    return bipe_tool_end(&run->tool, status, &run->output, &err);
}

/* --compare */
static int compare_predictions(bipe_eval_run *run, const bipe_texts *operands)
{
    const bipe_files files = run->tool.read = bipe_tool_files(operands);
    const bipe_tool_output output = {"output", run->given.output != NULL ? run->given.output : "-"};
    bipe_error err = {0};
    if (files.count < 2)
        return bipe_tool_usage(&run->tool, "option '--compare': one file of predictions, expected two or more");
    if (bipe_tool_check_outputs(&output, 1, &files, 1, &err) == BIPE_OK)
        return bipe_eval_compare(run, files);
    bipe_tool_open_error(&run->tool, &err);
    return run->tool.status;
}

static int run_eval(void *context, const bipe_texts *operands)
{
    bipe_eval_run *run = context;
    const bipe_eval_options *given = &run->given;
    if (given->list)
        return bipe_task_list(&run->tool, given->output);
    if (given->merge)
        return bipe_eval_merge(run, bipe_tool_files(operands));
    if (given->compare)
        return compare_predictions(run, operands);
    int status = check_eval_options(run, operands);
    if (status != BIPE_EXIT_DONE)
        return status;
    bipe_error err = {0};
    size_t skip = given->score == NULL; /* the model */
    const bipe_texts own = {.text = operands->text + skip, .count = operands->count - skip};
    const bipe_files files = run->tool.read = bipe_tool_files(&own);
    const char *const lists[] = {skip ? operands->text[0] : NULL, given->tokenizer, given->shots_from, given->task,
                                 given->score};
    const bipe_tool_output outputs[] = {{"output", given->output != NULL ? given->output : "-"},
                                        {"predictions", given->predictions}, {"submission", given->submission},
                                        {"resume", given->resume}};
    if (bipe_tool_check_outputs(outputs, COUNT(outputs), (bipe_files[]){files, {lists, COUNT(lists)}}, 2, &err) !=
            BIPE_OK ||
        bipe_eval_open(run, skip ? operands->text[0] : NULL, files, &err) != BIPE_OK) {
        bipe_tool_finish(&run->tool, NULL);
        bipe_tool_open_error(&run->tool, &err);
        return run->tool.status;
    }
    return evaluate_files(run, files);
}

int main(int argc, char **argv)
{
    bipe_eval_run run = {0};
    bipe_eval_options *given = &run.given;
    given->truncate = -1;
    bipe_tool_start(&run.tool, "bipe-eval");
    const bipe_option table[] = {
        {0, "task", BIPE_OPTION_TEXT, &given->task, "FILE", .about = BIPE_ABOUT_FILE, .names = BIPE_NAMES_TASKS,
         .group = "Task", .must = "task: expected the name of a task (--list) or a task file",
         .help = "the task: a file in the format of bipe-task(5), or the name of an installed one"},
        {0, "list", BIPE_OPTION_FLAG, &given->list, .instead = true, .no_model = true,
         .takes = ": only names are printed",
         .help = "print the installed tasks, and nothing else"},
        {0, "shots", BIPE_OPTION_SIZE, &given->shots, "N", .minimum = 1, .maximum = 1024, .needs = "shots-from",
         .help = "show the model N questions with their answers before each question; default: none"},
        {0, "shots-from", BIPE_OPTION_TEXT, &given->shots_from, "FILE", .about = BIPE_ABOUT_FILE, .needs = "shots",
         .help = "the file that these are from, the first N that suit the question"},
        {0, "limit", BIPE_OPTION_SIZE, &given->limit, "N", .minimum = 1,
         .help = "ask only the first N records of each FILE"},
        {'L', "length", BIPE_OPTION_SIZE, &given->length, "N", .minimum = 2, .maximum = BIPE_LENGTH_LIMIT,
         .help = "a prompt is cut so that it has N tokens at most together with the answer; default: prompts are taken "
                 "as they are"},
        {0, "truncate", BIPE_OPTION_CHOICE, &given->truncate, "PART", .choices = bipe_task_cut_names,
         .help = "the part of a prompt that is left out where it is too long; default: as the task says"},
        {0, "show", BIPE_OPTION_SIZE, &given->show, "N", .minimum = 1, .maximum = 1000000, .about = BIPE_ABOUT_MANNER,
         .excludes = "json csv predictions submission score resume shard cluster power: nothing is asked",
         .help = "print the prompts of the first N records as the model sees them, their tokens, and where the answer "
                 "begins, and ask nothing"},
        {0, "against", BIPE_OPTION_TEXTS, &given->against, "MODEL", .names = BIPE_NAMES_MODELS, .group = "Model",
         .help = "also ask this model, and compare it with the first; may be repeated"},
        BIPE_OPTION_ROW_SEGMENTER(&given->segmenter, NULL, "what the model was trained with"),
        BIPE_OPTION_ROW_TOKENIZER(&given->tokenizer, "the model's own"),
        BIPE_OPTION_ROW_SPECIAL(&given->special),
        BIPE_OPTION_ROWS_SCHEME(given),
        {0, "seed", BIPE_OPTION_SIZE, &given->seed, "N",
         .help = "the seed of randomized-rope and of the resampling that errors come from; default: 0"},
        {0, "cluster", BIPE_OPTION_TEXT, &given->cluster, "MEMBER", .words = cluster_words,
         .help = "find errors from clusters of records that are not independent, such as questions about one text: "
                 "those with the same value of this member, or path such as doc.id; file: those of each FILE; "
                 "default: each record counts"},
        {0, "power", BIPE_OPTION_TEXT, &given->power, BIPE_POWER_VALUE, .check = bipe_power_check,
         .needs = "against compare",
         .help = BIPE_POWER_HELP("records or clusters", "in a metric")},
        {0, "json", BIPE_OPTION_FLAG, &given->json, .group = "Output", .excludes = "csv",
         .help = "print JSON instead of a table"},
        {0, "csv", BIPE_OPTION_FLAG, &given->csv, .help = "print comma-separated values instead of a table"},
        {0, "predictions", BIPE_OPTION_TEXT, &given->predictions, "FILE",
         .help = "write each answer with its metrics to FILE, as JSON Lines"},
        {0, "submission", BIPE_OPTION_TEXT, &given->submission, "FILE",
         .excludes = "against: a submission is of one model; shard: a submission has all answers",
         .help = "write all answers to FILE as one JSON object by id, as the site of SCROLLS takes them"},
        BIPE_OPTION_ROW_OUTPUT(&given->output),
        {0, "score", BIPE_OPTION_TEXT, &given->score, "FILE", .about = BIPE_ABOUT_FILE,
         .group = "Instead of asking a model", .no_model = true,
         .excludes = "against resume shard shots: predictions are judged, and no model is asked",
         .help = "judge the predictions in FILE, in the format of --predictions: those of other programs as well"},
        {0, "resume", BIPE_OPTION_TEXT, &given->resume, "FILE", .about = BIPE_ABOUT_MANNER,
         .help = "record answers in FILE, and take from it those that an earlier run with the same options got"},
        {0, "shard", BIPE_OPTION_TEXT, &given->shard, "I/N", .about = BIPE_ABOUT_MANNER,
         .needs = "json: '--merge' reads JSON",
         .help = "ask one in N questions, from number I, from 0 to N - 1, on, and write with --json what --merge "
                 "needs; auto: take I and N from the job array, MPI or srun; auto/N: take only I from there"},
        {0, "compare", BIPE_OPTION_FLAG, &given->compare, .instead = true, .no_model = true,
         .takes = "cluster power seed json csv: predictions are compared, and no model is asked",
         .needs = "FILE: predictions are written by '--predictions'",
         .help = "the operands are predictions of runs on the same records: compare each run with the first, record by "
                 "record, matched by id"},
        {0, "merge", BIPE_OPTION_FLAG, &given->merge, .instead = true, .no_model = true,
         .takes = "json csv: results are read, and no model is asked",
         .needs = "RESULT: results are written by '--shard' with '--json'",
         .excludes = "predictions submission resume shard: results are read, and no model is asked; json? csv",
         .help = "the operands are results of all shards of a run: print what one run would have"},
        BIPE_OPTION_ROWS_RUNNING(&run.tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-eval",
        .summary = "evaluate language models on tasks",
        .usage =
            "[OPTION...] --task TASK MODEL [FILE...] | --task TASK --score PREDICTIONS [FILE...] | --compare "
            "PREDICTIONS... | --merge RESULT...",
        .description = description,
        .option = table,
        .option_count = COUNT(table),
        .model_operand = true,
        .min_operands = 1,
        .operand_help = BIPE_MODEL_OPERAND_HELP "FILE is JSON Lines as data sets are published, also compressed by "
                                                "zstd, gzip or xz; - or none is standard input",
    };
    int status = bipe_tool_run(&run.tool, &options, argc, argv, run_eval, &run);
    bipe_eval_close(&run);
    bipe_texts_free(&given->against);
    return status;
}
