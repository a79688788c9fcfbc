/* train_open.c - opens all that a training run needs: tokenizer, texts, model, trainer, and the checkpoint that it
 * continues from. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/memory_available.h"
#include "cli/interrupt.h"
#include "cli/languages.h"
#include "cli/run_record.h"
#include "cli/task_files.h"
#include "cli/tool_alloc.h"
#include "segment/segmentation.h"
#include "tools/train/bipe_train.h"
#include "train/train_checkpoint.h"

/* Bytes of tokens that stay in memory; more wait in a temporary file. */
enum { SPOOL_MEMORY = 256 << 20, CHAIN_LIMIT = 1 << 24 };

/* ---- paths ---- */

/* Whether a file can be created at `path`: reported before hours of work, not after. */
static int check_place(const char *path, bipe_error *err)
{
    struct stat info;
    char folder[BIPE_MODEL_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    if (stat(path, &info) == 0)
        return S_ISDIR(info.st_mode) ? bipe_fail(err, BIPE_ERR_IO, "%s: is a folder, expected a file", path) : BIPE_OK;
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1, slash != NULL ? path : ".");
    return access(folder, W_OK | X_OK) == 0
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", path, strerror(errno));
}

/* Where everything goes that is written. init: NULL where there is none. */
static int choose_places(bipe_train_run *run, bipe_files files, const char *init, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    bool makes = given->makes != BIPE_MAKES_NONE;
    run->tokenizer_spec = given->tokenizer != NULL ? given->tokenizer : makes ? run->own_tokenizer : init;
    int status = given->checkpoint == NULL
                     ? bipe_train_path(given->output, ".bin", BIPE_TRAIN_CHECKPOINT, false, run->checkpoint, err)
                     : BIPE_OK;
    if (given->checkpoint != NULL)
        snprintf(run->checkpoint, sizeof run->checkpoint, "%s", given->checkpoint);
    if (status == BIPE_OK && makes)
        status = bipe_train_path(given->output, ".bin",
                                 given->makes == BIPE_MAKES_WORDS ? ".tokenizer.json" : ".tokenizer.model", false,
                                 run->own_tokenizer, err);
    if (status == BIPE_OK && given->keep_best)
        status = bipe_train_path(run->checkpoint, BIPE_TRAIN_CHECKPOINT, ".best", true, run->best_path, err);
    const bipe_tool_output outputs[] = {{"output", given->output}, {"checkpoint", run->checkpoint}, {"log", given->log},
                                        {"tokenizer", makes ? run->tokenizer_spec : NULL}};
    const char *const others[] = {init, makes ? NULL : run->tokenizer_spec, given->inputs.files_from,
                                  given->inputs.files0_from};
    const bipe_files read[] = {files, {given->validate.text, given->validate.count}, {others, 4}};
    if (status == BIPE_OK)
        status = bipe_tool_check_outputs(outputs, 4, read, 3, err);
    const bipe_tool_output best = {"keep-best", given->keep_best
                                                    ? run->best_path
                                                    : NULL}; /* may be the checkpoint, under a second name */
    if (status == BIPE_OK)
        status = bipe_tool_check_outputs(&best, 1, read, 3, err);
    struct stat info;
    if (status == BIPE_OK && given->checkpoint == NULL && stat(given->output, &info) == 0 && !S_ISREG(info.st_mode) &&
        !S_ISDIR(info.st_mode))
        return bipe_fail(
            err, BIPE_ERR_ARGUMENT,
            "option '--output': %s is not a regular file: say with '--checkpoint' where the checkpoint goes",
            given->output);
    if (status == BIPE_OK)
        status = check_place(given->output, err);
    if (status == BIPE_OK)
        status = check_place(run->checkpoint, err);
    return status == BIPE_OK && given->log != NULL ? check_place(given->log, err) : status;
}

/* ---- the model ---- */

static bool has_learned(const bipe_scheme *scheme)
{
    for (size_t i = 0; i < scheme->count; i++)
        if (scheme->term[i].kind == BIPE_LEARNED)
            return true;
    return false;
}

/* What options say of the model beside its sizes. */
static int choose_scheme(bipe_train_run *run, uint64_t before, bipe_hyperparameters *h, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    int status = given->scheme != NULL ? bipe_scheme_parse(&h->scheme, given->scheme, err) : BIPE_OK;
    if (status == BIPE_OK && given->scaling != NULL)
        status = bipe_rope_scaling_parse(&h->rope_scaling, given->scaling, err);
    if (h->rope_scaling.kind == BIPE_SCALING_YARN && h->rope_scaling.original == 0)
        h->rope_scaling.original = before; /* stays what it is when the length changes */
    if (status == BIPE_OK && given->scaling != NULL && h->rope_scaling.kind != BIPE_SCALING_NONE &&
        !bipe_scheme_rotates(&h->scheme))
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--rope-scaling': the scheme has no rotation to scale, expected rope, xpos or "
                         "randomized-rope in it");
    h->train_length = (uint32_t)given->length;
    if (given->segmenter != NULL) {
        if (strlen(given->segmenter) >= sizeof h->segmenter)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "option '--segmenter': a SPEC of %zu bytes, expected less than %zu",
                             strlen(given->segmenter), sizeof h->segmenter);
        strcpy(h->segmenter, given->segmenter);
    }
    if (status == BIPE_OK && given->scaling != NULL && h->rope_scaling.kind == BIPE_SCALING_DYNAMIC)
        bipe_tool_note(&run->tool,
                       "dynamic scaling changes nothing in training: it begins beyond the training length, %" PRIu32,
                       h->train_length);
    return status;
}

/* The heads of a new model: those asked for, or the number that comes nearest to heads of 64 values. */
static int choose_heads(const bipe_train_options *given, bipe_hyperparameters *h, bipe_error *err)
{
    uint32_t unit = bipe_scheme_rotates(&h->scheme) ? 2 : 1, kv = given->kv_heads != 0 ? (uint32_t)given->kv_heads : 1;
    h->heads = (uint32_t)given->heads;
    for (uint32_t n = kv; given->heads == 0 && n <= h->hidden / unit; n += kv)
        if (h->hidden % (n * unit) == 0 &&
            (h->heads == 0 || fabs(64.0 * n - h->hidden) < fabs(64.0 * h->heads - h->hidden)))
            h->heads = n;
    if (h->heads == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--hidden': %" PRIu32 " values, expected a number that can be divided by %" PRIu32
                         "%s",
                         h->hidden, kv * unit, unit == 2 ? ": the scheme rotates pairs of values" : "");
    if (h->hidden % h->heads != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--heads': %" PRIu32 " heads do not divide %" PRIu32 " hidden values", h->heads,
                         h->hidden);
    h->head_size = h->hidden / h->heads;
    if (h->head_size % unit != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "options '--hidden' and '--heads': heads of %" PRIu32 " values, expected an even number: the "
                         "scheme rotates pairs",
                         h->head_size);
    h->kv_heads = given->kv_heads != 0 ? kv : h->heads;
    return BIPE_OK;
}

/* Of a parameter, with its gradient and moments. */
#define TRAINED_BYTES 16.0

/* Refuses a run that memory cannot hold. */
static int check_memory(double bytes, bipe_error *err)
{
    return bipe_memory_check(bipe_memory_available(""), bipe_bytes_of(bytes), err,
                             "a smaller --batch, -L or model takes less", "the run takes");
}

/* A new model: its hyperparameters. */
static int plan_model(bipe_train_run *run, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    uint64_t parameters = 0;
    bipe_hyperparameters h = {.rms_norm_eps = 1e-5, .rope_base = 10000, .tied = given->tied,
                              .segmenter = BIPE_SEGMENTER_DEFAULT};
    h.vocabulary = (uint32_t)bipe_tokenizer_size(run->tokenizer);
    h.layers = given->layers != 0 ? (uint32_t)given->layers : 4;
    h.hidden = given->hidden != 0 ? (uint32_t)given->hidden : 192;
    h.feed_forward = given->feed_forward != 0 ? (uint32_t)given->feed_forward : 4 * h.hidden;
    int status = bipe_scheme_parse(&h.scheme, "bipe-alibi", err);
    if (status == BIPE_OK)
        status = choose_scheme(run, 0, &h, err);
    if (status == BIPE_OK)
        status = choose_heads(given, &h, err);
    if (status == BIPE_OK)
        status = bipe_model_plan(&h, &parameters, err);
    if (status == BIPE_OK)
        status = check_memory(TRAINED_BYTES * (double)parameters, err);
    run->hyper = h;
    return status == BIPE_ERR_FORMAT ? (int)(err->status = BIPE_ERR_ARGUMENT) : status;
}

static int copy_model(bipe_train_run *run, const bipe_model *from, bipe_error *err)
{
    const char *path = bipe_model_path(from);
    bipe_hyperparameters h = *bipe_model_hyperparameters(from);
    if (has_learned(&h.scheme) && h.learned_rows < run->given.length && h.train_length < run->given.length)
        bipe_tool_note(&run->tool,
                       "%s: its table of positions has %" PRIu32 " rows; indices beyond its end use its last row", path,
                       h.learned_rows);
    int status = check_memory(TRAINED_BYTES * (double)h.parameters, err);
    if (status == BIPE_OK)
        status = bipe_tool_check_vocabulary(run->given.tokenizer != NULL ? &run->tool : NULL, run->tokenizer,
                                            h.vocabulary, err);
    bool learned = has_learned(&h.scheme);
    char before[256], after[256];
    bipe_scheme_format(&h.scheme, before);
    if (status == BIPE_OK)
        status = choose_scheme(run, h.train_length, &h, err);
    if (status == BIPE_OK && strcmp(before, bipe_scheme_format(&h.scheme, after)) != 0)
        bipe_tool_note(&run->tool,
                       "%s: its positions were %s and are %s now: unless only tables are new, it starts with other "
                       "predictions",
                       path, before, after);
    if (status == BIPE_OK)
        status = bipe_model_adapt(&run->model, from, &h, err);
    if (status != BIPE_OK)
        return status;
    if (has_learned(&h.scheme) && h.learned_rows == 0)
        bipe_tool_note(&run->tool, "%s: it has no table of positions; one of %" PRIu32 " rows starts with zeros", path,
                       h.train_length);
    if (learned && !has_learned(&h.scheme))
        bipe_tool_note(&run->tool, "%s: its table of positions is kept, though the new scheme does not use it", path);
    run->hyper = *bipe_model_hyperparameters(run->model);
    return BIPE_OK;
}

/* ---- texts ---- */

static void report_trouble(void *context, const bipe_error *err)
{
    bipe_train_run *run = context;
    bipe_tool_error(&run->tool, err);
}

static bool report_progress(void *context, const bipe_input *input)
{
    bipe_train_run *run = context;
    bipe_progress_update(&run->tool.progress, run->reading, bipe_input_raw_offset(input));
    return bipe_interrupted() == 0;
}

static void count_language(void *context, const bipe_stream *stream)
{
    bipe_train_run *run = context;
    bipe_languages_count(&run->tool, stream, (const char *[]){run->hyper.segmenter});
}

static int read_texts(bipe_train_run *run, bipe_corpus *corpus, const char *const *path, size_t count, bipe_error *err)
{
    const bipe_corpus_reader reader = {.context = run, .trouble = report_trouble, .progress = report_progress,
                                       .document = count_language};
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        run->reading = path[i];
        bipe_tool_progress(&run->tool, "bytes", 0);
        if (run->task != NULL) {
            status = bipe_train_read_records(run, corpus, path[i], err);
            continue;
        }
        status = bipe_corpus_read(corpus, path[i], &reader, err);
        bipe_inputs_judge(&run->tool, bipe_corpus_stream(corpus), i, path[i]);
    }
    bipe_progress_clear(&run->tool.progress);
    return status;
}

static int open_corpus(bipe_train_run *run, bipe_corpus **corpus, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    bipe_corpus_options options = {
        .tokenizer = run->tokenizer, .segmenter = run->hyper.segmenter, .length = (size_t)given->length,
        .pack = (bipe_pack)given->pack, .loss_after = given->loss_after,
        .vocabulary = run->hyper.vocabulary, .memory = SPOOL_MEMORY,
    };
    bipe_inputs_stream(&given->inputs, &options.stream);
    options.stream.threads = bipe_pool_threads(run->pool);
    int status = bipe_stream_check_scheme(options.segmenter, &run->hyper.scheme, err);
    return status == BIPE_OK ? bipe_corpus_open(corpus, &options, err) : status;
}

/* Once, of the texts to train on, or else of one to validate (path): such words cannot be learned. */
static void report_unknown(bipe_train_run *run, const bipe_corpus *corpus, const char *path)
{
    const uint8_t *word;
    size_t size;
    uint64_t count = bipe_corpus_unknown(corpus, &word, &size);
    if (count == 0 || run->reported_unknown)
        return;
    run->reported_unknown = true;
    bipe_tool_note(&run->tool, "%s%s\"%.*s\" is not in the vocabulary: %" PRIu64 " word%s become%s the unknown token",
                   path != NULL ? path : "", path != NULL ? ": " : "", (int)size, (const char *)word, count,
                   count == 1 ? "" : "s", count == 1 ? "s" : "");
}

/* name: of a validation text, or NULL */
static int fail_no_rows(const bipe_train_run *run, const bipe_corpus *corpus, const char *name, bipe_error *err)
{
    uint64_t tokens = bipe_corpus_tokens(corpus), length = run->given.length;
    const char *s = tokens == 1 ? "" : "s";
    if (name != NULL && run->given.pack == BIPE_PACK_LINE)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no line has a token to predict", name);
    if (name != NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%s: %" PRIu64 " token%s, expected at least %" PRIu64 ", a window of -L", name, tokens, s,
                         length);
    if (bipe_corpus_long_lines(corpus) > 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no line has at most %" PRIu64 " tokens (increase -L to keep them)",
                         length);
    return bipe_fail(err, BIPE_ERR_FORMAT,
                     "%" PRIu64 " token%s in all texts, expected at least one row (-L %" PRIu64 ")", tokens, s, length);
}

/* Reads texts to train on, or (name) a text to validate. */
static int open_text(bipe_train_run *run, bipe_corpus **corpus, const char *const *path, size_t count, const char *name,
                     bipe_error *err)
{
    int status = open_corpus(run, corpus, err);
    if (status == BIPE_OK)
        status = read_texts(run, *corpus, path, count, err);
    if (status != BIPE_OK)
        return status;
    bool none = bipe_corpus_rows(*corpus) == 0;
    if (none && name == NULL && bipe_corpus_blank_lines(*corpus) > 0 && run->given.loss_after != NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no line has anything after a match of --loss-after");
    bipe_tool_note_lines(&run->tool, name, bipe_corpus_long_lines(*corpus), run->given.length,
                         run->given.loss_after != NULL ? bipe_corpus_blank_lines(*corpus) : 0);
    report_unknown(run, *corpus, name);
    return none ? fail_no_rows(run, *corpus, name, err) : BIPE_OK;
}

static int open_texts(bipe_train_run *run, bipe_files files, bipe_error *err)
{
    const bipe_texts *validate = &run->given.validate;
    run->validation = bipe_tool_alloc(validate->count, sizeof(bipe_corpus *));
    int status = open_text(run, &run->corpus, files.path, files.count, NULL, err);
    for (size_t i = 0; i < validate->count && status == BIPE_OK; i++)
        status = open_text(run, &run->validation[i], &validate->text[i], 1, validate->text[i], err);
    return status;
}

/* ---- the run ---- */

static bool is_interrupted(void)
{
    return bipe_interrupted() != 0;
}

/* A run of another length keeps the warm-up that it had, which may end after its last step. */
static uint64_t choose_warmup(const bipe_train_run *run, bool constant)
{
    uint64_t warmup;
    if (run->given.has_warmup)
        return run->given.warmup;
    return constant && bipe_train_checkpoint_setting(run->checkpoint, "warmup", &warmup) ? warmup : run->steps / 20;
}

static int choose_options(bipe_train_run *run, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    bipe_trainer_options *o = &run->options;
    uint64_t rows = bipe_corpus_rows(run->corpus), batch = given->batch / given->length;
    double epochs = given->epochs > 0 ? given->epochs : 1, steps = ceil(epochs * (double)rows / (double)batch);
    if (!given->has_steps && steps > BIPE_TRAIN_STEPS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--epochs': %g passes take %g steps, expected at most %" PRIu32, epochs, steps,
                         BIPE_TRAIN_STEPS);
    run->steps = given->has_steps ? given->steps : (uint64_t)steps;
    *o = (bipe_trainer_options){
        .length = (size_t)given->length, .batch = (size_t)batch, .shuffled = given->order == 0, .seed = given->seed,
        .optimizer = {.beta1 = given->beta1, .beta2 = given->beta2, .epsilon = given->epsilon,
                      .weight_decay = given->weight_decay,
                      .clip = given->clip, .momentum = given->momentum,
                      .matrix_rate = given->rate > 0 ? given->muon_rate / given->rate : 0},
        .muon = given->optimizer == BIPE_OPTIMIZER_MUON,
        .precision = (bipe_precision)given->precision, .dropout = given->dropout, .recompute = given->recompute,
        .most_weight = given->most_weight, .brief = given->brief, .stop = is_interrupted,
    };
    if (given->most_weight > 0 && given->length <= given->brief.context + given->brief.step)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--longce': rows of %" PRIu64 " tokens (-L) have no token that sees more than a short "
                         "context of %" PRIu64 " and the step of %" PRIu64 ": give less with --short-context",
                         given->length, given->brief.context, given->brief.step);
    bipe_schedule_parse(&o->schedule, given->schedule, NULL);
    o->schedule.peak = given->rate;
    o->schedule.minimum = given->min_rate;
    o->schedule.steps = run->steps;
    o->schedule.warmup = choose_warmup(run, o->schedule.kind == BIPE_SCHEDULE_CONSTANT);
    if (o->schedule.kind != BIPE_SCHEDULE_CONSTANT && o->schedule.warmup > run->steps && run->steps > 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--warmup': %" PRIu64 " steps, expected at most %" PRIu64 ", which is all of them",
                         o->schedule.warmup, run->steps);
    double more = (double)bipe_trainer_memory(run->model, o, bipe_pool_threads(run->pool));
    run->memory = more + 4.0 * (double)bipe_model_hyperparameters(run->model)->parameters;
    return check_memory(more, err);
}

static int read_checkpoint(bipe_train_run *run, bipe_error *err)
{
    bipe_optimizer *optimizer = bipe_trainer_optimizer(run->trainer);
    bipe_train_checkpoint checkpoint = {.settings = run->settings, .losses = run->losses,
                                        .count = (size_t)bipe_model_hyperparameters(run->model)->parameters};
    for (int i = 0; i < 2; i++)
        checkpoint.moment[i] = bipe_optimizer_moments(optimizer, i, &checkpoint.moment_count[i]);
    int status = bipe_train_checkpoint_read(&checkpoint, run->checkpoint, run->model, run->steps, err);
    if (status == BIPE_END)
        return BIPE_OK;
    if (status != BIPE_OK)
        return status;
    bipe_trainer_resume(run->trainer, checkpoint.step);
    run->goes_on = true;
    run->tokens = checkpoint.tokens;
    run->best = checkpoint.best;
    run->best_step = run->given.keep_best ? checkpoint.best_step : 0;
    if (checkpoint.step == run->steps && run->options.schedule.kind == BIPE_SCHEDULE_CONSTANT)
        bipe_tool_note(&run->tool,
                       "%s: the run is already finished; %s is written again (to train it longer: a greater --steps)",
                       run->checkpoint, run->given.output);
    else if (checkpoint.step == run->steps)
        bipe_tool_note(&run->tool,
                       "%s: the run is already finished; %s is written again (to train it longer: --init %s -o NEW)",
                       run->checkpoint, run->given.output, run->given.output);
    else
        bipe_tool_note(&run->tool, "%s: resuming after step %" PRIu64 " of %" PRIu64, run->checkpoint, checkpoint.step,
                       run->steps);
    if (!run->given.has_warmup && run->options.schedule.warmup != run->steps / 20)
        bipe_tool_note(&run->tool,
                       "the warm-up of %" PRIu64
                       " steps is kept; to repeat this training in one run, give '--warmup=%" PRIu64 "'",
                       run->options.schedule.warmup, run->options.schedule.warmup);
    return BIPE_OK;
}

/* The length of a row and the tokens of a batch. from: the model of --init, or NULL. */
static int choose_length(bipe_train_options *given, const bipe_model *from, bipe_error *err)
{
    uint64_t trained = from != NULL ? bipe_model_hyperparameters(from)->train_length : 0;
    if (given->length == 0)
        given->length = trained != 0 ? trained : 512;
    if (given->batch == 0)
        given->batch = 16 * given->length;
    if (given->length < 2 || given->length > BIPE_TRAIN_LONGEST)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "the training length of the model is %" PRIu64 ": give the length of a row with -L",
                         given->length);
    if (given->batch % given->length != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--batch': %" PRIu64 " tokens are not a number of whole rows of %" PRIu64
                         " tokens (-L)",
                         given->batch, given->length);
    return BIPE_OK;
}

/* Tokenizer and hyperparameters; the model as well where it is that of `init`, the path of --init, or NULL. */
static int open_model(bipe_train_run *run, bipe_files files, const char *init, bipe_error *err)
{
    bipe_model *from = NULL;
    int status = init != NULL ? bipe_model_open(&from, init, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = choose_length(&run->given, from, err);
    if (status == BIPE_OK)
        status = bipe_train_open_tokenizer(run, files, err);
    if (status == BIPE_OK)
        status = from != NULL ? copy_model(run, from, err) : plan_model(run, err);
    bipe_model_close(from);
    return status;
}

int bipe_train_open(bipe_train_run *run, bipe_files files, bipe_error *err)
{
    const bipe_train_options *given = &run->given;
    const char *init = given->init != NULL ? run->init_path : NULL;
    bipe_interrupt_catch();
    int status = init != NULL ? bipe_model_operand(given->init, run->init_path, err) : BIPE_OK;
    if (status == BIPE_OK && given->task != NULL)
        status = bipe_task_find(&run->task, given->task, err);
    if (status == BIPE_OK)
        status = choose_places(run, files, init, err);
    bipe_tool_kernels(&run->tool);
    if (status == BIPE_OK)
        status = bipe_pool_open(&run->pool, bipe_tool_threads(&run->tool, 0), err);
    if (status == BIPE_OK)
        status = open_model(run, files, init, err);
    if (status == BIPE_OK)
        status = bipe_train_check_task(run, err);
    if (status != BIPE_OK)
        return status;
    status = open_texts(run, files, err);
    if (status == BIPE_OK && run->model == NULL)
        status = bipe_model_create(&run->model, &run->hyper, given->seed, err);
    if (status != BIPE_OK)
        return status;
    status = choose_options(run, err);
    if (status != BIPE_OK)
        return status;
    run->losses = bipe_tool_alloc((size_t)run->steps, sizeof *run->losses);
    status = bipe_train_write_settings(run, err);
    bipe_train_tell_in_force(run);
    run->record = run->ranks.rank == 0 ? bipe_run_record(&run->tool) : NULL;
    if (status == BIPE_OK)
        status = bipe_trainer_open(&run->trainer, run->model, run->corpus, &run->options, &run->ranks, run->pool, err);
    if (status == BIPE_OK)
        status = read_checkpoint(run, err);
    if (status != BIPE_OK || given->log == NULL || run->ranks.rank != 0)
        return status;
    if (bipe_trainer_steps(run->trainer) == 0 && bipe_train_log_is(given->log))
        status = bipe_train_keep_old(run, given->log, err);
    if (status == BIPE_OK)
        status = bipe_train_log_open(&run->log, given->log, bipe_trainer_steps(run->trainer), run, err);
    return status;
}

void bipe_train_close(bipe_train_run *run)
{
    bipe_train_log_close(run->log, NULL);
    bipe_trainer_close(run->trainer);
    for (size_t i = 0; run->validation != NULL && i < run->given.validate.count; i++)
        bipe_corpus_close(run->validation[i]);
    bipe_free(run->validation);
    bipe_corpus_close(run->corpus);
    bipe_task_close(run->task);
    bipe_model_close(run->model);
    bipe_tokenizer_close(run->tokenizer);
    bipe_pool_close(run->pool);
    json_decref(run->record);
    bipe_free(run->at_end);
    bipe_free(run->settings);
    bipe_free(run->losses);
    bipe_texts_free(&run->given.validate);
}
