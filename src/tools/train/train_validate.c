/* train_validate.c - losses of the validation texts, as far as the model is trained: into the log, to be read, to be
 * compared. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/interrupt.h"
#include "cli/tool_alloc.h"
#include "measure/losses.h"
#include "measure/scorer.h"
#include "model/evaluator.h"
#include "tools/train/bipe_train.h"

/* Validation windows: -L tokens and this many doublings. */
enum { DOUBLINGS = 3 };

static int add_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    bipe_losses *losses = (bipe_losses *)context + window->which;
    (void)err;
    for (size_t t = window->first; t < window->length; t++)
        if (window->target[t - window->first])
            bipe_losses_add(losses, window->nll[t - window->first], window->token[t].end - window->token[t].start,
                            bipe_spool_token_words(&window->token[t]));
    return bipe_interrupted() != 0 ? BIPE_STOPPED : BIPE_OK;
}

typedef struct validated {
    uint64_t length;
    double nll, bits_per_byte; /* the latter NaN where it is not known */
} validated;

/* A validation text at all lengths that it reaches. */
static int validate_text(bipe_train_run *run, bipe_token_spool *spool, validated made[DOUBLINGS + 1], size_t *count,
                         bipe_error *err)
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
    bipe_evaluator_options options = {.max_length = (size_t)length[plan.count - 1].protocol.length,
                                      .precision = run->options.precision};
    int status = bipe_evaluator_open(&evaluator, run->model, &options, run->pool, err);
    if (status != BIPE_OK)
        return status;
    const bipe_score_sink sink = {.window = add_window, .context = losses};
    plan.share = bipe_evaluator_length_matters(evaluator) == NULL;
    status = bipe_score_plan(evaluator, spool, &plan, 0, bipe_tokenizer_bos(run->tokenizer), &sink, err);
    bipe_evaluator_close(evaluator);
    for (size_t k = 0; k < plan.count; k++)
        made[k] =
            (validated){length[k].protocol.length, bipe_losses_nll(&losses[k]), bipe_losses_bits_per_byte(&losses[k])};
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
            status = BIPE_STOPPED;
    }
    *made = (validated){run->given.length, nll_sum / (double)targets, NAN};
    return status;
}

/* A text's rows of the table at the end, which begins with the first text. */
static void print_table(bipe_output *output, const char *file, const validated *made, size_t count, bool first)
{
    if (first)
        bipe_output_printf(output, NULL, "\nvalidation at length      nll       ppl  bits/byte\n");
    for (size_t k = 0; k < count; k++) {
        bipe_output_printf(output, NULL, "%20" PRIu64 " %8.4f %9.2f ", made[k].length, made[k].nll, exp(made[k].nll));
        bipe_output_printf(output, NULL, isnan(made[k].bits_per_byte) ? "         -  " : "%10.4f  ",
                           made[k].bits_per_byte);
        bipe_output_name(output, file, NULL);
        bipe_output_printf(output, NULL, "\n");
    }
}

/* While the run goes on, a line: "step 250: FILE: nll 3.1415 at 512, 3.2000 at 1024". */
static void note_text(bipe_train_run *run, uint64_t step, const char *file, const validated *made, size_t count)
{
    char text[96 * (DOUBLINGS + 1)]; /* a loss has at most 39 digits before the point */
    int size = 0;
    for (size_t k = 0; k < count; k++)
        size += snprintf(text + size, sizeof text - (size_t)size, "%s%.4f at %" PRIu64, k == 0 ? "" : ", ", made[k].nll,
                         made[k].length);
    bipe_tool_note(&run->tool, "step %" PRIu64 ": %s: nll %s", step, file, text);
}

/* What the model's file says in the end. */
static void keep_losses(bipe_train_run *run, const char *file, const validated *made, size_t count)
{
    bipe_tool_grow(&run->at_end, &run->validation_capacity, run->validations + count, sizeof *run->at_end);
    for (size_t k = 0; k < count; k++)
        run->at_end[run->validations++] = (bipe_train_loss){file, made[k].length, made[k].nll};
}

int bipe_train_validate(bipe_train_run *run, bipe_output *output, bipe_error *err)
{
    uint64_t step = bipe_trainer_steps(run->trainer);
    int status = BIPE_OK;
    double sum = 0;
    for (size_t i = 0; i < run->given.validate.count && status == BIPE_OK; i++) {
        const char *file = run->given.validate.text[i];
        validated made[DOUBLINGS + 1];
        size_t count = 1;
        status = run->given.pack == BIPE_PACK_LINE
                     ? validate_lines(run, run->validation[i], made, err)
                     : validate_text(run, bipe_corpus_spool(run->validation[i]), made, &count, err);
        for (size_t k = 0; k < count && status == BIPE_OK && run->log != NULL; k++)
            bipe_train_check_log(run, bipe_train_log_validation(run->log, step, file, made[k].length, made[k].nll, err),
                                 err);
        if (status != BIPE_OK)
            break;
        if (output != NULL)
            print_table(output, file, made, count, i == 0);
        else if (step < run->steps)
            note_text(run, step, file, made, count);
        if (step == run->steps)
            keep_losses(run, file, made, count);
        sum += made[0].nll;
    }
    if (status != BIPE_OK || run->given.validate.count == 0)
        return status;
    run->validated = sum / (double)run->given.validate.count;
    return bipe_train_keep_best(run, err);
}
