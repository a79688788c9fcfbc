/* train_run.c - the loop over steps: checkpoints, validations, the log, what is printed, and the model at the end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "measure/losses.h"
#include "measure/scorer.h"
#include "model/evaluator.h"
#include "tools/bipe_train.h"
#include "tools/interrupt.h"
#include "tools/write_model.h"
#include "train/ceiling.h"
#include "train/train_checkpoint.h"

/* Validation windows: -L tokens and this many doublings. */
enum { DOUBLINGS = 3 };

/* ---- files ---- */

static int write_file(bipe_train_run *run, const char *path, const bipe_train_checkpoint *checkpoint, bipe_error *err)
{
    char name[BIPE_MODEL_NAME_SIZE];
    bipe_gguf_writer *writer;
    bipe_model_name_of(run->given.output, name);
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_write_model_fill(run->model, BIPE_F32, name, run->tokenizer, NULL, writer, err);
    if (status == BIPE_OK && checkpoint != NULL)
        status = bipe_train_checkpoint_fill(checkpoint, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, path, err);
    bipe_gguf_writer_close(writer);
    return status;
}

static int write_checkpoint(bipe_train_run *run, bipe_error *err)
{
    bipe_optimizer *optimizer = bipe_trainer_optimizer(run->trainer);
    size_t count;
    bipe_train_checkpoint checkpoint = {
        .values = bipe_model_values(run->model, &count),
        .step = bipe_trainer_steps(run->trainer), .settings = run->settings, .losses = run->losses,
        .moment = {bipe_optimizer_moments(optimizer, 0), bipe_optimizer_moments(optimizer, 1)},
        .count = (size_t)bipe_model_hyperparameters(run->model)->parameters,
    };
    return run->ranks.rank == 0 ? write_file(run, run->checkpoint, &checkpoint, err) : BIPE_OK;
}

/* ---- validation ---- */

static int add_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    bipe_losses *losses = (bipe_losses *)context + window->which;
    (void)err;
    for (size_t t = window->first; t < window->length; t++)
        if (window->target[t - window->first])
            bipe_losses_add(losses, window->nll[t - window->first], window->token[t].end - window->token[t].start,
                            bipe_spool_token_words(&window->token[t]));
    return bipe_interrupted() != 0 ? BIPE_END : BIPE_OK;
}

typedef struct validated {
    uint64_t length;
    double nll, bits_per_byte; /* the latter NaN where it is not known */
} validated;

/* A validation text at all lengths that it reaches. */
static int validate_text(bipe_train_run *run, bipe_token_spool *spool, validated made[DOUBLINGS + 1], size_t *count, bipe_error *err)
{
    bipe_evaluator *evaluator;
    bipe_plan_length length[DOUBLINGS + 1];
    bipe_losses losses[DOUBLINGS + 1] = {0};
    bipe_plan plan = {.length = length, .tokens = bipe_token_spool_count(spool)};
    for (; plan.count <= DOUBLINGS; plan.count++) {
        bipe_protocol protocol = {.length = run->given.length << plan.count};
        if (bipe_window_count(&protocol, plan.tokens) == 0)
            break;
        length[plan.count] = bipe_plan_all(&protocol, plan.tokens);
    }
    *count = plan.count;
    if (plan.count == 0)
        return BIPE_OK;
    bipe_evaluator_options options = {.max_length = (size_t)length[plan.count - 1].protocol.length, .precision = run->options.precision};
    int status = bipe_evaluator_open(&evaluator, run->model, &options, run->pool, err);
    if (status != BIPE_OK)
        return status;
    const bipe_score_sink sink = {.window = add_window, .context = losses};
    plan.share = bipe_evaluator_length_matters(evaluator) == NULL;
    status = bipe_score_plan(evaluator, spool, &plan, 0, bipe_tokenizer_bos(run->tokenizer), &sink, err);
    bipe_evaluator_close(evaluator);
    for (size_t k = 0; k < plan.count; k++)
        made[k] = (validated){length[k].protocol.length, bipe_losses_nll(&losses[k]), bipe_losses_bits_per_byte(&losses[k])};
    return status;
}

/* With --pack line: the targets of all lines. */
static int validate_lines(bipe_train_run *run, bipe_corpus *corpus, validated *made, bipe_error *err)
{
    double nll_sum = 0;
    uint64_t targets = 0, rows = bipe_corpus_rows(corpus);
    int status = BIPE_OK;
    for (uint64_t row = 0; row < rows && status == BIPE_OK;) {
        status = bipe_trainer_measure(run->trainer, corpus, &row, &nll_sum, &targets, err);
        if (status == BIPE_OK && bipe_interrupted() != 0)
            status = BIPE_END;
    }
    *made = (validated){run->given.length, nll_sum / (double)targets, NAN};
    return status;
}

/* Without its log the run goes on: the steps are worth more. */
static void check_log(bipe_train_run *run, int status, bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_tool_note(&run->tool, "the run goes on without its log");
    bipe_train_log_close(run->log, NULL);
    run->log = NULL;
}

/* All validation texts; with `output`, as a table as well. */
static int validate(bipe_train_run *run, bipe_output *output, bipe_error *err)
{
    uint64_t step = bipe_trainer_steps(run->trainer);
    int status = BIPE_OK;
    bool first = true;
    for (size_t i = 0; i < run->given.validate.count && status == BIPE_OK; i++) {
        const char *file = run->given.validate.text[i];
        validated made[DOUBLINGS + 1];
        size_t count = 1;
        status = run->given.pack == BIPE_PACK_LINE ? validate_lines(run, run->validation[i], made, err)
                                                   : validate_text(run, bipe_corpus_spool(run->validation[i]), made, &count, err);
        for (size_t k = 0; k < count && status == BIPE_OK; k++) {
            if (run->log != NULL)
                check_log(run, bipe_train_log_validation(run->log, step, file, made[k].length, made[k].nll, err), err);
            if (output != NULL) {
                if (first)
                    bipe_output_printf(output, NULL, "\nvalidation at length      nll       ppl  bits/byte\n");
                first = false;
                bipe_output_printf(output, NULL, "%20" PRIu64 " %8.4f %9.2f ", made[k].length, made[k].nll, exp(made[k].nll));
                bipe_output_printf(output, NULL, isnan(made[k].bits_per_byte) ? "         -  " : "%10.4f  ", made[k].bits_per_byte);
                bipe_output_name(output, file, NULL);
                bipe_output_printf(output, NULL, "\n");
            }
        }
    }
    return status;
}

/* ---- what is printed ---- */

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

static void print_start(bipe_train_run *run, bipe_output *output)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(run->model);
    const bipe_trainer_options *o = &run->options;
    char scheme[256];
    uint64_t rows = bipe_corpus_rows(run->corpus);
    double epochs = (double)run->steps * (double)o->batch / (double)rows;
    bipe_output_printf(output, NULL, "model     %s, layers %" PRIu32 ", hidden %" PRIu32 ", heads %" PRIu32 ", feed-forward %" PRIu32
                       ", %.2f million parameters\n", bipe_scheme_format(&h->scheme, scheme), h->layers, h->hidden, h->heads,
                       h->feed_forward, (double)h->parameters * 1e-6);
    bipe_output_printf(output, NULL, "texts     %" PRIu64 " tokens, vocabulary %zu, segments end at %s\n", bipe_corpus_tokens(run->corpus),
                       bipe_tokenizer_size(run->tokenizer), run->hyper.segmenter);
    bipe_output_printf(output, NULL, "training  %" PRIu64 " step%s of %zu row%s of %s%zu tokens, %.3g epoch%s of %" PRIu64 " row%s\n", run->steps,
                       plural((double)run->steps), o->batch, plural((double)o->batch), run->given.pack == BIPE_PACK_LINE ? "up to " : "",
                       o->length, epochs, plural(epochs), rows, plural((double)rows));
    bipe_output_printf(output, NULL, "memory    %.0f MB\n", run->memory * 1e-6);
    bipe_output_flush(output, NULL);
}

static size_t width_of(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* What the steps of this process came to. */
typedef struct made {
    uint64_t tokens;
    double operations, seconds;
} made;

/* The share of the ceiling: "85% of peak"; nothing where that is not known. */
static const char *share_of_peak(const bipe_train_run *run, const made *here, char text[32])
{
    text[0] = '\0';
    if (run->ceiling > 0)
        snprintf(text, 32, "%.0f%% of peak", 100 * here->operations / here->seconds / run->ceiling);
    return text;
}

static void print_end(bipe_train_run *run, const made *here, bipe_output *output)
{
    uint64_t steps = bipe_trainer_steps(run->trainer);
    if (steps > 1) {
        bipe_output_printf(output, NULL, "\nloss over %" PRIu64 " steps\n", steps);
        bipe_loss_chart(run->losses, (size_t)steps, width_of(STDOUT_FILENO), true, output);
    }
    char share[32];
    if (here->tokens > 0)
        bipe_output_printf(output, NULL, "%.0f tokens a second, %s%s%.0f seconds\n", (double)here->tokens / here->seconds,
                           share_of_peak(run, here, share), run->ceiling > 0 ? ", " : "", here->seconds);
}

/* ---- the loop ---- */

static void show_progress(bipe_train_run *run, const bipe_train_step *step, const made *here)
{
    char label[96], share[32];
    snprintf(label, sizeof label, "step %" PRIu64 "/%" PRIu64 "  loss %.4f  %s", step->step, run->steps, step->loss,
             share_of_peak(run, here, share));
    bipe_progress_update(&run->tool.progress, label, here->tokens);
}

/* The run goes on without samples as well. */
static void show_sample(bipe_train_run *run, uint64_t step, bipe_error *err)
{
    bipe_buffer text = {0};
    int status = bipe_train_sample(run, step, &text, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "step %" PRIu64 ": sample", step);
        bipe_tool_error(&run->tool, err);
        bipe_tool_note(&run->tool, "the run goes on without samples");
        run->given.sample = NULL;
    } else if (run->log != NULL) {
        check_log(run, bipe_train_log_sample(run->log, step, text.data, text.size, err), err);
    }
    bipe_buffer_free(&text);
}

/* Steps up to the end, or to a signal. */
static int make_steps(bipe_train_run *run, made *here, bipe_error *err)
{
    uint64_t batch = run->options.batch * run->options.length, left = run->steps - bipe_trainer_steps(run->trainer);
    uint64_t begun = bipe_trainer_steps(run->trainer);
    if (begun > 0 && begun < run->steps && begun % run->given.every == 0 && run->ranks.rank == 0) {
        int status = validate(run, NULL, err); /* which may have been what was interrupted */
        if (status != BIPE_OK)
            return status == BIPE_END ? BIPE_OK : status;
    }
    bipe_tool_progress(&run->tool, "tokens", left * batch);
    run->tool.progress.no_amount = true;
    while (bipe_trainer_steps(run->trainer) < run->steps) {
        if (bipe_ranks_any(&run->ranks, bipe_interrupted() != 0))
            return write_checkpoint(run, err);
        bipe_train_step step;
        double started = bipe_seconds();
        int status = bipe_trainer_step(run->trainer, &step, err);
        if (status == BIPE_END)
            return write_checkpoint(run, err);
        if (status != BIPE_OK)
            return status;
        double seconds = bipe_seconds() - started;
        here->tokens += step.tokens;
        here->operations += step.operations;
        here->seconds += seconds;
        run->losses[step.step - 1] = (float)step.loss;
        if (run->log != NULL)
            check_log(run, bipe_train_log_step(run->log, &step, seconds, err), err);
        show_progress(run, &step, here);
        uint64_t sample_every = run->given.sample_every != 0 ? run->given.sample_every : run->given.every;
        if (run->given.sample != NULL && run->ranks.rank == 0 && (step.step % sample_every == 0 || step.step == run->steps))
            show_sample(run, step.step, err);
        bool kept = step.step % run->given.every == 0 || step.step == run->steps;
        if (kept)
            status = write_checkpoint(run, err);
        if (status == BIPE_OK && kept && step.step < run->steps && run->ranks.rank == 0)
            status = validate(run, NULL, err);
        if (status == BIPE_END) /* interrupted: the checkpoint was just written */
            return BIPE_OK;
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int finish(bipe_train_run *run, const made *here, bipe_output *output, bipe_error *err)
{
    int status = write_file(run, run->given.output, NULL, err);
    if (status != BIPE_OK)
        return status;
    if (output != NULL)
        print_end(run, here, output);
    status = validate(run, output, err);
    if (status == BIPE_OK && output != NULL)
        bipe_output_printf(output, NULL, "\nwritten   %s\n", run->given.output);
    return status;
}

int bipe_train_steps(bipe_train_run *run)
{
    bipe_error err = {0};
    bipe_output *output = NULL;
    made here = {0};
    int status = run->tool.quiet ? BIPE_OK : bipe_output_open(&output, NULL, &err);
    if (status == BIPE_OK && output != NULL)
        print_start(run, output);
    if ((output != NULL || run->tool.show_progress) && bipe_trainer_steps(run->trainer) < run->steps)
        run->ceiling = bipe_ceiling(run->pool, nn_cpu_best(),
                                    run->options.precision == BIPE_PRECISION_BF16 ? NN_PRECISION_BF16 : NN_PRECISION_F32);
    if (status == BIPE_OK)
        status = make_steps(run, &here, &err);
    bipe_progress_clear(&run->tool.progress);
    bool done = bipe_trainer_steps(run->trainer) == run->steps;
    if (status == BIPE_OK && done && run->ranks.rank == 0)
        status = finish(run, &here, output, &err);
    bool stopped = !done || status == BIPE_END;
    if (status == BIPE_END)
        bipe_tool_note(&run->tool, "interrupted while validating; %s is complete", run->given.output);
    else if (status == BIPE_OK && !done)
        bipe_tool_note(&run->tool, "interrupted after step %" PRIu64 " of %" PRIu64 "; run the same command again to resume from %s",
                       bipe_trainer_steps(run->trainer), run->steps, run->checkpoint);
    else if (status != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    err = (bipe_error){0};
    if (bipe_train_log_close(run->log, &err) != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    run->log = NULL;
    int exit_status = bipe_tool_finish(&run->tool, output);
    return bipe_interrupted() != 0 && stopped ? 128 + bipe_interrupted() : exit_status;
}
