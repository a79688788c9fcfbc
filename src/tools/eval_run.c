/* eval_run.c - goes through the records of a file: reads questions, asks all models as many as fit together, and judges the answers in order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/bipe_eval.h"
#include "tools/interrupt.h"

enum { TOGETHER = 512 /* texts: as many as share a pass through the network */ };
static const double memory_together = 512e6; /* bytes of keys and values */

/* A question, with what each model needs and says. */
typedef struct bipe_eval_item {
    bipe_question question;
    uint64_t number, line;
    bool failed;                  /* a model could not take it */
    bipe_eval_prompt *prompt;     /* (models) */
    bipe_eval_answer *answer;     /* (models) */
} bipe_eval_item;

typedef struct batch {
    size_t count;                 /* of run->item */
    size_t texts;
    double bytes;
} batch;

static int make_items(bipe_eval_run *run, bipe_error *err)
{
    if (run->item != NULL)
        return BIPE_OK;
    run->item = bipe_alloc(TOGETHER + 1, sizeof *run->item);
    for (size_t i = 0; run->item != NULL && i <= TOGETHER; i++) {
        run->item[i].prompt = bipe_alloc(run->models, sizeof *run->item[i].prompt);
        run->item[i].answer = bipe_alloc(run->models, sizeof *run->item[i].answer);
        if (run->item[i].prompt == NULL || run->item[i].answer == NULL)
            return bipe_fail_memory(err);
    }
    return run->item != NULL ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_eval_free_items(bipe_eval_run *run)
{
    for (size_t i = 0; run->item != NULL && i <= TOGETHER; i++) {
        bipe_eval_item *item = &run->item[i];
        for (size_t m = 0; m < run->models; m++) {
            if (item->prompt != NULL)
                bipe_eval_prompt_free(&item->prompt[m]);
            if (item->answer != NULL)
                bipe_eval_answer_free(&item->answer[m]);
        }
        bipe_question_free(&item->question);
        bipe_free(item->prompt);
        bipe_free(item->answer);
    }
    bipe_free(run->item);
}

/* ---- results ---- */

static int add_values(bipe_eval_run *run, bipe_eval_result *r, const bipe_eval_item *item, const bipe_eval_values *values, bipe_error *err)
{
    size_t records = (size_t)r->records;
    if (bipe_grow(&r->number, &r->number_capacity, records + 1, sizeof *r->number) != 0 ||
        bipe_grow(&r->values, &r->value_capacity, (records + 1) * run->models, sizeof *r->values) != 0)
        return bipe_fail_memory(err);
    r->number[records] = item->number;
    memcpy(r->values + records * run->models, values, run->models * sizeof *values);
    bool truncated = false;
    for (size_t m = 0; m < run->models; m++)
        truncated = truncated || item->answer[m].truncated;
    r->truncated += truncated;
    r->records++;
    return BIPE_OK;
}

/* What is wrong with a record is reported, and the record left out. */
static void skip_record(bipe_eval_run *run, bipe_eval_result *r, uint64_t line, bipe_error *err)
{
    bipe_error_prefix(err, "%s: record at line %" PRIu64, strcmp(r->file, "-") == 0 ? "standard input" : r->file, line);
    bipe_tool_error(&run->tool, err);
    r->skipped++;
}

static int judge_item(bipe_eval_run *run, bipe_eval_result *r, const bipe_eval_item *item, bipe_error *err)
{
    bipe_eval_values *values = bipe_alloc(run->models, sizeof *values);
    bipe_buffer cleaned = {0};
    int status = values == NULL ? bipe_fail_memory(err) : BIPE_OK;
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++) {
        status = bipe_eval_judge(run->task, &item->question, &item->answer[m], &values[m], &cleaned, err);
        if (status == BIPE_OK && run->predictions != NULL)
            status = bipe_eval_predict(run, run->model[m].name, &item->question, &item->answer[m], &values[m], &cleaned, err);
    }
    if (status == BIPE_OK)
        status = add_values(run, r, item, values, err);
    bipe_buffer_free(&cleaned);
    bipe_free(values);
    return status;
}

/* ---- batches ---- */

static void show_progress(bipe_eval_run *run, const bipe_eval_result *r)
{
    char label[160];
    double sum = 0;
    bipe_metric metric = run->task->metric[0] == BIPE_METRIC_RGM ? BIPE_METRIC_ROUGE_L : run->task->metric[0];
    if (!run->tool.progress.shown)
        return;
    for (size_t i = 0; i < r->records; i++)
        sum += r->values[i * run->models].value[metric];
    snprintf(label, sizeof label, "%.80s: %s %.4f", r->file, bipe_metric_names[metric], r->records > 0 ? sum / (double)r->records : 0);
    bipe_progress_update(&run->tool.progress, label, run->done);
}

/* Asks the models the first `b->count` questions, and takes the answers. Errors are of the whole run. */
static int run_batch(bipe_eval_run *run, bipe_eval_result *r, batch *b, bipe_error *err)
{
    bipe_eval_prompt **prompt = bipe_alloc(b->count, sizeof *prompt);
    bipe_eval_answer **answer = bipe_alloc(b->count, sizeof *answer);
    int status = prompt == NULL || answer == NULL ? bipe_fail_memory(err) : BIPE_OK;
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++) {
        size_t count = 0;
        for (size_t i = 0; i < b->count; i++) {
            if (run->item[i].answer[m].known)
                continue;
            prompt[count] = &run->item[i].prompt[m];
            answer[count++] = &run->item[i].answer[m];
        }
        if (count > 0)
            status = bipe_eval_ask(&run->model[m], run->task, prompt, answer, count, err);
    }
    for (size_t i = 0; i < b->count && status == BIPE_OK; i++)
        status = judge_item(run, r, &run->item[i], err);
    bipe_free(prompt);
    bipe_free(answer);
    run->done += b->count;
    *b = (batch){0};
    show_progress(run, r);
    return status;
}

/* Whether a prepared item goes with those that are there. */
static bool fits(const bipe_eval_run *run, const batch *b, const bipe_eval_item *item, size_t texts, double bytes)
{
    bool same = true;
    for (size_t m = 0; m < run->models; m++)
        same = same && (!run->model[m].length_matters || item->prompt[m].window == run->item[0].prompt[m].window);
    return b->count == 0 || (same && b->count < TOGETHER && b->texts + texts <= TOGETHER && b->bytes + bytes <= memory_together);
}

/* ---- shots ---- */

static bool same_group(const bipe_question *a, const bipe_question *b)
{
    return a->group.size == b->group.size && (a->group.size == 0 || memcmp(a->group.data, b->group.data, a->group.size) == 0);
}

/* What comes before the prompt: the task's description and shots. */
static int make_shots(const bipe_eval_run *run, const bipe_question *q, bipe_buffer *text, bipe_error *err)
{
    uint64_t found = 0;
    text->size = 0;
    int status = bipe_buffer_append(text, q->description.data, q->description.size, err);
    for (size_t i = 0; i < run->shots && found < run->given.shots && status == BIPE_OK; i++)
        if (same_group(&run->shot[i], q)) {
            status = bipe_task_shot(run->task, &run->shot[i], text, err);
            found++;
        }
    if (status == BIPE_OK && found < run->given.shots)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s has %" PRIu64 " shots for it, expected %" PRIu64, run->given.shots_from, found, run->given.shots);
    return status;
}

/* ---- a file ---- */

/* Makes a question of a record. BIPE_ERR_FORMAT and the like: the record is left out. */
static int prepare_item(bipe_eval_run *run, const json_t *record, bipe_eval_item *item, bipe_buffer *shots, bipe_error *err)
{
    int status = bipe_task_ask(run->task, record, item->number, &item->question, err);
    if (status == BIPE_OK)
        status = make_shots(run, &item->question, shots, err);
    bipe_task_cut cut = run->given.truncate >= 0 ? (bipe_task_cut)run->given.truncate : run->task->cut;
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++) {
        item->answer[m].known = false;
        status = bipe_eval_prepare(&run->model[m], run->task, &item->question, shots, (size_t)run->given.length, cut, &item->prompt[m],
                                   &item->answer[m], err);
    }
    return status;
}

/* Adds the item after the last one of the batch, which is asked first when there is no place for it. */
static int add_item(bipe_eval_run *run, bipe_eval_result *r, batch *b, bipe_error *err)
{
    size_t texts = 0;
    double bytes = 0;
    int status = BIPE_OK;
    bipe_eval_item *item = &run->item[b->count];
    for (size_t m = 0; m < run->models; m++) {
        texts = item->prompt[m].count > texts ? item->prompt[m].count : texts;
        bytes = item->prompt[m].bytes > bytes ? item->prompt[m].bytes : bytes;
    }
    if (!fits(run, b, item, texts, bytes)) {
        status = run_batch(run, r, b, err);
        bipe_eval_item first = run->item[0];
        run->item[0] = *item;
        *item = first;
    }
    b->count++;
    b->texts += texts;
    b->bytes += bytes;
    return status;
}

bool bipe_eval_file(bipe_eval_run *run, bipe_eval_result *r)
{
    bipe_eval_records records;
    bipe_buffer shots = {0};
    bipe_error err = {0};
    batch b = {0};
    int status = bipe_eval_records_open(&records, r->file, &err), asked = make_items(run, &err);
    while (status == BIPE_OK && asked == BIPE_OK && bipe_interrupted() == 0) {
        json_t *record = NULL;
        bipe_eval_item *item = &run->item[b.count];
        if (run->given.limit > 0 && records.next >= run->given.limit)
            break;
        status = bipe_eval_records_next(&records, &record, &err);
        if (status == BIPE_ERR_FORMAT) {
            bipe_tool_error(&run->tool, &err);
            r->skipped++;
            status = BIPE_OK;
            continue;
        }
        if (status != BIPE_OK)
            break;
        item->number = records.number;
        int one = prepare_item(run, record, item, &shots, &err);
        json_decref(record);
        if (one == BIPE_ERR_MEMORY)
            asked = one;
        else if (one != BIPE_OK)
            skip_record(run, r, records.line, &err);
        else
            asked = add_item(run, r, &b, &err);
    }
    if (status == BIPE_END || (status == BIPE_OK && bipe_interrupted() == 0))
        status = BIPE_OK;
    if (asked == BIPE_OK && b.count > 0 && bipe_interrupted() == 0)
        asked = run_batch(run, r, &b, &err);
    if (status != BIPE_OK || asked != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    bipe_eval_records_close(&records);
    bipe_buffer_free(&shots);
    return asked == BIPE_OK && bipe_interrupted() == 0;
}
