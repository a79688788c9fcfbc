/* train_run.c - the loop over steps: checkpoints, validations, the log, what is printed, and the model at the end. */
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/interrupt.h"
#include "tools/train/bipe_train.h"
#include "train/ceiling.h"

/* Fewer steps than these are said to be few. */
enum { FEW_STEPS = 200, CHART_STEPS = 10 };

/* ---- what is printed ---- */

static const char *plural_suffix(double count)
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
    bipe_output_printf(output, NULL,
                       "model     %s, layers %" PRIu32 ", hidden %" PRIu32 ", heads %" PRIu32 ", feed-forward %" PRIu32
                       ", %.2f million parameters\n",
                       bipe_scheme_format(&h->scheme, scheme), h->layers, h->hidden, h->heads, h->feed_forward,
                       (double)h->parameters * 1e-6);
    bipe_output_printf(output, NULL, "texts     %" PRIu64 " tokens, vocabulary %zu, segments end at %s\n",
                       bipe_corpus_tokens(run->corpus), bipe_tokenizer_size(run->tokenizer), run->hyper.segmenter);
    bipe_output_printf(output, NULL,
                       "training  %" PRIu64 " step%s of %zu row%s of %s%zu tokens, %.3g epoch%s of %" PRIu64 " row%s\n",
                       run->steps, plural_suffix((double)run->steps), o->batch, plural_suffix((double)o->batch),
                       run->given.pack == BIPE_PACK_LINE ? "up to " : "", o->length, epochs, plural_suffix(epochs),
                       rows, plural_suffix((double)rows));
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
    uint64_t steps, tokens;
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
    if (steps >= CHART_STEPS) {
        bipe_output_printf(output, NULL, "\nloss over %" PRIu64 " steps\n", steps);
        bipe_loss_chart(run->losses, (size_t)steps, width_of(STDOUT_FILENO), strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                        output);
    }
    char share[32];
    if (here->tokens > 0)
        bipe_output_printf(output, NULL, "%.0f tokens a second, %s%s%.1f s\n", (double)here->tokens / here->seconds,
                           share_of_peak(run, here, share), run->ceiling > 0 ? ", " : "", here->seconds);
}

/* Without its log the run goes on: the steps are worth more. */
void bipe_train_check_log(bipe_train_run *run, int status, bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_tool_note(&run->tool, "training continues without its log");
    bipe_train_log_close(run->log, NULL);
    run->log = NULL;
}

/* ---- the loop ---- */

static void show_progress(bipe_train_run *run, const bipe_train_step *step, const made *here)
{
    char label[128], share[32], validated[40] = "";
    if (!isnan(run->validated))
        snprintf(validated, sizeof validated, "validation %.4f  ", run->validated);
    snprintf(label, sizeof label, "step %" PRIu64 "/%" PRIu64 "  loss %.4f  %s%s", step->step, run->steps, step->loss,
             validated, share_of_peak(run, here, share));
    run->tool.progress.counted = here->tokens;
    bipe_progress_update(&run->tool.progress, label, here->steps);
}

/* The run goes on without samples as well. */
static void show_sample(bipe_train_run *run, uint64_t step, bipe_error *err)
{
    bipe_buffer text = {0};
    int status = bipe_train_sample(run, step, &text, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "step %" PRIu64 ": sample", step);
        bipe_tool_error(&run->tool, err);
        bipe_tool_note(&run->tool, "training continues without samples");
        run->given.sample = NULL;
    } else if (run->log != NULL) {
        bipe_train_check_log(run, bipe_train_log_sample(run->log, step, text.data, text.size, err), err);
    }
    bipe_buffer_free(&text);
}

/* Steps up to the end, or to a signal. */
static int make_steps(bipe_train_run *run, made *here, bipe_error *err)
{
    uint64_t begun = bipe_trainer_steps(run->trainer);
    if (begun == 0 && run->given.keep_best && run->ranks.rank == 0) {
        int status = bipe_train_keep_old(run, run->best_path, err);
        if (status != BIPE_OK)
            return status;
    }
    if (begun > 0 && begun < run->steps && begun % run->given.every == 0 && run->ranks.rank == 0) {
        int status = bipe_train_validate(run, NULL, err); /* which may have been what was interrupted */
        if (status != BIPE_OK)
            return status == BIPE_STOPPED ? BIPE_OK : status;
    }
    bipe_tool_progress(&run->tool, "tokens", run->steps - begun);
    run->tool.progress.no_amount = true;
    if (!run->tool.quiet)
        bipe_progress_lines(&run->tool.progress);
    while (bipe_trainer_steps(run->trainer) < run->steps) {
        if (bipe_ranks_any(&run->ranks, bipe_interrupted() != 0))
            return bipe_train_keep(run, true, err);
        bipe_train_step step;
        double started = bipe_seconds();
        int status = bipe_trainer_step(run->trainer, &step, err);
        if (status == BIPE_STOPPED)
            return bipe_train_keep(run, true, err);
        if (status != BIPE_OK)
            return status;
        double seconds = bipe_seconds() - started;
        here->steps++;
        here->tokens += step.tokens;
        run->tokens += step.tokens;
        here->operations += step.operations;
        here->seconds += seconds;
        run->losses[step.step - 1] = (float)step.loss;
        if (run->log != NULL)
            bipe_train_check_log(run, bipe_train_log_step(run->log, &step, seconds, err), err);
        show_progress(run, &step, here);
        uint64_t sample_every = run->given.sample_every != 0 ? run->given.sample_every : run->given.every;
        if (run->given.sample != NULL && run->ranks.rank == 0 &&
            (step.step % sample_every == 0 || step.step == run->steps))
            show_sample(run, step.step, err);
        bool kept = step.step % run->given.every == 0 || step.step == run->steps;
        if (kept)
            status = bipe_train_keep(run, false, err);
        if (status == BIPE_OK && kept && step.step < run->steps && run->ranks.rank == 0)
            status = bipe_train_validate(run, NULL, err);
        if (status == BIPE_STOPPED) /* interrupted: the checkpoint was just written */
            return BIPE_OK;
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int finish_run(bipe_train_run *run, const made *here, bipe_output *output, bipe_error *err)
{
    int status = run->goes_on && here->steps == 0 ? BIPE_OK : bipe_train_keep_old(run, run->given.output, err);
    if (status == BIPE_OK)
        status = bipe_train_write(run, run->given.output, NULL, err);
    if (status != BIPE_OK)
        return status;
    if (output != NULL)
        print_end(run, here, output);
    status = bipe_train_validate(run, output, err);
    if (status == BIPE_OK && run->validations > 0) /* whose losses are in the file as well */
        status = bipe_train_write(run, run->given.output, NULL, err);
    if (status != BIPE_OK || output == NULL)
        return status;
    bipe_output_printf(output, NULL, "\nwritten   %s\n", run->given.output);
    if (run->best_step != 0)
        bipe_output_printf(output, NULL, "best      %s: step %" PRIu64 ", nll %.4f\n", run->best_path, run->best_step,
                           run->best);
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
    if (status == BIPE_OK && run->steps > 0 && run->steps < FEW_STEPS && run->given.init == NULL &&
        !run->given.has_steps && !run->goes_on)
        bipe_tool_note(&run->tool,
                       "only %" PRIu64
                       " step%s: a new model needs some hundreds (--steps or --epochs; a smaller --batch makes "
                       "more of a pass)",
                       run->steps, plural_suffix((double)run->steps));
    if ((output != NULL || run->tool.show_progress) && bipe_trainer_steps(run->trainer) < run->steps)
        run->ceiling =
            bipe_ceiling(run->pool, nn_cpu_best(),
                         run->options.precision == BIPE_PRECISION_BF16 ? NN_PRECISION_BF16 : NN_PRECISION_F32);
    if (status == BIPE_OK)
        status = make_steps(run, &here, &err);
    bipe_progress_clear(&run->tool.progress);
    bool done = bipe_trainer_steps(run->trainer) == run->steps;
    if (status == BIPE_OK && done && run->ranks.rank == 0)
        status = finish_run(run, &here, output, &err);
    bool stopped = !done || status == BIPE_STOPPED;
    if (status == BIPE_STOPPED)
        bipe_tool_note(&run->tool, "interrupted while validating; %s is complete", run->given.output);
    else if (status == BIPE_OK && !done)
        bipe_tool_note(&run->tool,
                       "interrupted after step %" PRIu64 " of %" PRIu64
                       "; run the same command again to resume from %s",
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
