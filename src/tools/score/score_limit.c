/* score_limit.c - --limit: how far each combination goes, the longest windows whose loss on the same tokens is not
 * significantly worse than that at the training length. All FILEs are one text.
 *
 * The lengths of -L are a fixed sequence (Maurer, Hothorn and Lehmacher 1995), tested from the longest down to the
 * first that is not worse: the first wrong rejection can only be at one length, so the level holds without a
 * correction, however many lengths there are. Upwards, each length would be another chance of a false alarm. The steps
 * between two lengths have a correction (Bonferroni). A length is worse only on one side of 0, half of each level, so
 * that 5 % is the level of all. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/columns.h"
#include "cli/interrupt.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "tools/score/bipe_score.h"

/* The result for a length. */
typedef struct limit_step {
    uint64_t length, tokens;
    bipe_loss_error error;  /* of the loss less that at the training length, paired */
    double level;           /* p below it, and a higher loss: worse */
    bool asked;             /* a length of -L */
    bool worse;             /* and so are all longer ones of -L */
    uint64_t spared;        /* of -L, worse by itself: the longer length that is not; 0: none */
} limit_step;

/* The search of one combination. */
typedef struct limit_search {
    bipe_score_run *run;
    const bipe_score_combination *combination;
    const bipe_score_reader *reader;
    uint64_t tokens;             /* of the text */
    bipe_token_losses base;      /* at the training length */
    bipe_loss_bins first, other; /* of tokens that both score, by unit */
    limit_step *step;            /* [steps] in the order in which they were measured */
    size_t steps, step_capacity;
    uint64_t limit, above;       /* the longest good length, the shortest bad one (0: there is none) */
} limit_search;

static const double level_of_all = 0.05;

static int add_pairs(void *context, const bipe_scored_window *window, bipe_error *err)
{
    limit_search *s = context;
    int status = bipe_token_losses_read(&s->base, window, err);
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        uint64_t start = window->token[k].start, bytes = window->token[k].end - start;
        if (!window->target[k - window->first] || isnan(s->base.window[k]))
            continue;
        size_t unit = bipe_loss_unit(&s->run->texts.layout, bipe_score_document(s->reader, window, k), start);
        status = bipe_loss_bins_add(&s->first, unit, s->base.window[k], bytes, err);
        if (status == BIPE_OK)
            status = bipe_loss_bins_add(&s->other, unit, window->nll[k - window->first], bytes, err);
    }
    return status;
}

/* Windows of a length, by the protocol of the run; those of the training length are the base of the others. BIPE_END:
 * the text does not reach it; BIPE_STOPPED: interrupted. */
static int score_length(limit_search *s, uint64_t length, bool base, bipe_error *err)
{
    bipe_score_run *run = s->run;
    bipe_protocol protocol;
    bipe_cut *list; /* of the paper's protocol there is none */
    bool has_bos = s->combination->bos_id != BIPE_NO_TOKEN;
    int status = bipe_protocol_windows(&run->setup.rules, length, has_bos, s->reader->spool, NULL, &protocol, &list,
                                       err);
    if (status == BIPE_OK && bipe_window_count(&protocol, s->tokens) == 0)
        return BIPE_END;
    if (status != BIPE_OK)
        return status;
    return base ? bipe_score_keep_losses(&run->models, s->reader, s->combination, &protocol, &s->base, err)
                : bipe_score_pass(&run->models, s->reader, s->combination, &protocol, add_pairs, s, err);
}

/* Compares a length with the training length. Statuses as above. */
static int measure_length(limit_search *s, uint64_t length, bool asked, double level, bipe_error *err)
{
    limit_step step = { .length = length, .asked = asked, .level = level };
    s->first.count = s->other.count = 0;
    int status = score_length(s, length, false, err);
    for (size_t i = 0; i < s->other.count; i++)
        step.tokens += s->other.bin[i].tokens;
    if (status == BIPE_OK)
        status = bipe_loss_estimate(&step.error, &s->first, &s->other, &s->run->texts.layout, false,
                                    s->run->setup.seed, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_grow(&s->step, &s->step_capacity, s->steps + 1, sizeof *s->step);
    step.worse = step.error.estimate.value > 0 && step.error.estimate.p < level;
    s->step[s->steps++] = step;
    return BIPE_OK;
}

/* Goes down the lengths of -L to the first that is not worse. One of too few units for a p says nothing. */
static void test_sequence(limit_search *s)
{
    size_t i = s->steps;
    for (; i > 0 && (s->step[i - 1].worse || isnan(s->step[i - 1].error.estimate.p)); i--)
        s->above = s->step[i - 1].worse ? s->step[i - 1].length : s->above;
    if (i > 0)
        s->limit = s->step[--i].length;
    for (; i > 0; i--) {
        s->step[i - 1].spared = s->step[i - 1].worse ? s->limit : 0;
        s->step[i - 1].worse = false;
    }
}

/* Halves the range between the last good length and the first bad one, to a sixteenth. BIPE_STOPPED: interrupted. */
static int narrow_limit(limit_search *s, bipe_error *err)
{
    size_t most = 0; /* steps, if each keeps the longer half */
    int status = BIPE_OK;
    for (uint64_t range = s->above - s->limit; range > s->limit / 16 + 1; range -= range / 2)
        most++;
    while (status == BIPE_OK && s->above - s->limit > s->limit / 16 + 1) {
        status = measure_length(s, s->limit + (s->above - s->limit) / 2, false, level_of_all / (double)most, err);
        const limit_step *step = &s->step[s->steps - 1];
        if (status == BIPE_OK && step->worse)
            s->above = step->length;
        else if (status == BIPE_OK)
            s->limit = step->length;
    }
    return status;
}

static int compare_lengths(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* BIPE_STOPPED: interrupted. */
static int search_limit(limit_search *s, bipe_error *err)
{
    bipe_sizes *lengths = &s->run->lengths;
    uint64_t train = s->combination->hyperparameters->train_length;
    int status = score_length(s, train, true, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "the text has %" PRIu64 " token%s, expected a window of the training length, %" PRIu64,
                         s->tokens, s->tokens != 1 ? "s" : "", train);
    s->limit = train;
    qsort(lengths->value, lengths->count, sizeof *lengths->value, compare_lengths);
    for (size_t i = 0; i < lengths->count && status == BIPE_OK; i++)
        if (lengths->value[i] > train)
            status = measure_length(s, lengths->value[i], true, level_of_all, err);
    if (status == BIPE_END)
        status = BIPE_OK; /* the text ends */
    if (status == BIPE_OK && s->steps == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "found no length of -L beyond the training length (%" PRIu64 ") that the text reaches", train);
    if (status != BIPE_OK)
        return status;
    test_sequence(s);
    if (s->above > 0)
        status = narrow_limit(s, err);
    qsort(s->step, s->steps, sizeof *s->step, compare_lengths); /* the length comes first in a step */
    return status;
}

/* ---- the report ---- */

static void json_error(bipe_json *json, const bipe_loss_error *error)
{
    char text[96];
    bipe_json_key_number(json, "stderr", error->estimate.error);
    bipe_json_key_pair(json, "interval", error->estimate.low, error->estimate.high);
    bipe_json_key_number(json, "p", error->estimate.p);
    bipe_json_key_text(json, "method", bipe_loss_method(error, text));
}

static void json_search(bipe_json *json, const limit_search *s)
{
    const bipe_score_combination *c = s->combination;
    char text[256];
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "model", c->model_name);
    bipe_json_key_text(json, "segmenter", c->segmenter);
    bipe_json_key_text(json, "scheme", bipe_scheme_format(&c->scheme, text));
    bipe_json_key_uint(json, "train_length", c->hyperparameters->train_length);
    bipe_json_key_uint(json, "limit", s->limit);
    bipe_json_key_bool(json, "found", s->above > 0);
    bipe_json_key_flat_array(json, "lengths");
    for (size_t i = 0; i < s->steps; i++)
        if (s->step[i].asked)
            bipe_json_uint(json, s->step[i].length);
    bipe_json_end_array(json);
    bipe_json_key_number(json, "level", level_of_all);
    bipe_json_key_array(json, "evidence");
    for (size_t i = 0; i < s->steps; i++) {
        const limit_step *step = &s->step[i];
        bipe_json_begin_object(json);
        bipe_json_key_uint(json, "length", step->length);
        bipe_json_key_uint(json, "tokens", step->tokens);
        bipe_json_key_number(json, "nll_difference", step->error.estimate.value);
        json_error(json, &step->error);
        bipe_json_key_bool(json, "asked", step->asked);
        bipe_json_key_number(json, "level", step->level);
        bipe_json_key_bool(json, "worse", step->worse);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

static const bipe_column step_columns[] = {
    BIPE_COLUMN(limit_step, UINT, length, .heading = "length", .width = 7),
    BIPE_COLUMN(limit_step, UINT, tokens, .heading = "tokens", .width = 9),
    BIPE_COLUMN(limit_step, NUMBER, error.estimate.value, .heading = "difference", .width = 10, .decimals = 4,
                .form = BIPE_CELL_SIGNED),
    BIPE_COLUMN(limit_step, NUMBER, error.estimate.p, .heading = "p", .width = 6, .form = BIPE_CELL_P),
};

static void table_search(bipe_output *output, const limit_search *s)
{
    bipe_output_name(output, s->combination->model_name, NULL);
    bipe_output_printf(output, NULL, ", ");
    bipe_output_name(output, s->combination->segmenter, NULL);
    bipe_output_printf(output, NULL, ": %s%" PRIu64 " tokens (trained at %" PRIu32 "; lengths of -L beyond that: ",
                       s->above > 0 ? "" : "at least ", s->limit, s->combination->hyperparameters->train_length);
    const char *between = "";
    for (size_t i = 0; i < s->steps; i++)
        if (s->step[i].asked) {
            bipe_output_printf(output, NULL, "%s%" PRIu64, between, s->step[i].length);
            between = ", ";
        }
    bipe_output_printf(output, NULL, ")\n");
    bipe_columns_table_head(output, step_columns, BIPE_COUNT_OF(step_columns));
    bipe_output_printf(output, NULL, " %7s\n", "level");
    for (size_t i = 0; i < s->steps; i++) {
        const limit_step *step = &s->step[i];
        bipe_columns_table(output, step_columns, BIPE_COUNT_OF(step_columns), step);
        bipe_output_printf(output, NULL, " %7.3g", step->level);
        if (step->spared > 0)
            bipe_output_printf(output, NULL, "  worse, but %" PRIu64 " is not", step->spared);
        bipe_output_printf(output, NULL, "%s\n", step->worse ? "  worse" : "");
    }
}

/* All files, joined. False when nothing can be used. */
static bool read_files(bipe_score_run *run, bipe_files files)
{
    bool usable = false;
    for (size_t f = 0; f < files.count && bipe_interrupted() == 0; f++) {
        bool all = true;
        for (size_t r = 0; r < run->texts.readers; r++)
            all = bipe_score_read(&run->texts, &run->texts.reader[r], f, files.path[f]) && all;
        usable = usable || all;
    }
    return usable && bipe_score_units(&run->texts, files.count == 1 ? bipe_input_shown(files.path[0]) : "all files");
}

/* Searches for one combination and reports it. json: NULL, or the report. */
static void search_combination(bipe_score_run *run, const bipe_score_combination *c, bipe_json *json)
{
    bipe_error err = {0};
    const bipe_score_reader *reader = &run->texts.reader[c->text];
    limit_search s = {.run = run, .combination = c, .reader = reader, .tokens = bipe_token_spool_count(reader->spool)};
    int status = search_limit(&s, &err);
    run->tool.some_done |= status == BIPE_OK;
    if (status != BIPE_OK && status != BIPE_STOPPED) {
        bipe_error_prefix(&err, "%s", c->model_name);
        bipe_tool_error(&run->tool, &err);
    } else if (status == BIPE_OK && json != NULL) {
        json_search(json, &s);
    } else if (status == BIPE_OK) {
        table_search(run->out.output, &s);
        bipe_score_check_output(run, bipe_output_flush(run->out.output, &err), &err);
    }
    bipe_token_losses_free(&s.base);
    bipe_loss_bins_free(&s.first);
    bipe_loss_bins_free(&s.other);
    bipe_free(s.step);
}

int bipe_score_limits(bipe_score_run *run, bipe_files files)
{
    bipe_error err = {0};
    bipe_json json;
    bipe_interrupt_catch();
    bool usable = read_files(run, files);
    if (!usable && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    if (run->given.json) {
        bipe_tool_json(&json, run->out.output, run->tool.name);
        bipe_json_key_array(&json, "limits");
    }
    for (size_t i = 0; i < run->setup.combinations && usable && !bipe_score_over(&run->out); i++)
        search_combination(run, &run->setup.combination[i], run->given.json ? &json : NULL);
    if (bipe_interrupted() != 0)
        bipe_tool_note(&run->tool, "interrupted before all limits were found");
    if (!run->given.json && run->tool.some_done && !bipe_score_over(&run->out))
        bipe_output_printf(
            run->out.output, NULL,
            "difference: of the loss from that of the same tokens at the training length, in nats per token\n"
            "worse: the loss is higher and p is below the level, and so it is at all longer lengths of -L. "
            "The limit depends on these lengths.\n");
    if (run->given.json) {
        bipe_json_end_array(&json);
        bipe_run_record_put(&run->tool, &json);
        bipe_json_key_bool(&json, "complete", run->tool.status == BIPE_EXIT_DONE && bipe_interrupted() == 0);
        bipe_json_end_object(&json);
        bipe_score_check_output(run, bipe_json_close(&json, &err), &err);
    }
    return bipe_score_finish(run);
}
