/* eval_run.c - goes through the records of a file: reads questions, asks all models as many as fit together, and judges
 * the answers in order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/interrupt.h"
#include "cli/tool_alloc.h"
#include "tools/eval/bipe_eval.h"

enum { TOGETHER = 512 /* texts: as many as share a pass through the network */ };
static const double memory_together = 128e6; /* bytes of keys and values */

/* A question, with the prompt and the answer of each model. */
typedef struct bipe_eval_item {
    bipe_question question;
    uint64_t number;              /* among the questions of the file */
    uint64_t key;                 /* for answers that are known */
    uint64_t cluster;             /* 0 without --cluster */
    bipe_buffer cluster_name;     /* empty: it has none */
    struct asked {
        bipe_task_prompt prompt;
        bipe_task_answer own;     /* where the model is asked */
        const bipe_task_answer *answer; /* own, a known one, or that to the same request of before */
        bipe_task_answer *kept;   /* where own goes, for the same request to come; NULL: the model is not asked */
        bool fresh;               /* not in the journal */
    } *model;                     /* (models) */
} bipe_eval_item;

typedef struct batch {
    size_t count;                 /* of run->item */
    size_t texts;
    double bytes;
} batch;

static void make_items(bipe_eval_run *run)
{
    if (run->item != NULL)
        return;
    run->item = bipe_tool_alloc(TOGETHER + 1, sizeof *run->item);
    for (size_t i = 0; i <= TOGETHER; i++)
        run->item[i].model = bipe_tool_alloc(run->models, sizeof *run->item[i].model);
}

void bipe_eval_free_items(bipe_eval_run *run)
{
    for (size_t i = 0; run->item != NULL && i <= TOGETHER; i++) {
        bipe_eval_item *item = &run->item[i];
        for (size_t m = 0; m < run->models; m++) {
            bipe_task_prompt_free(&item->model[m].prompt);
            bipe_task_answer_free(&item->model[m].own);
        }
        bipe_question_free(&item->question);
        bipe_buffer_free(&item->cluster_name);
        bipe_free(item->model);
    }
    bipe_free(run->item);
}

/* ---- results ---- */

void bipe_eval_add(const bipe_eval_run *run, bipe_eval_result *r, const bipe_task_values *values)
{
    size_t at = (size_t)r->records * run->models;
    bipe_tool_grow(&r->values, &r->value_capacity, at + run->models, sizeof *r->values);
    memcpy(r->values + at, values, run->models * sizeof *values);
    r->records++;
}

static int judge_item(bipe_eval_run *run, bipe_eval_result *r, const bipe_eval_item *item, bipe_error *err)
{
    bipe_task_values *values = bipe_tool_alloc(run->models, sizeof *values);
    bipe_buffer cleaned = {0};
    bool truncated = false;
    int status = BIPE_OK;
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++) {
        status = bipe_task_judge(run->task, &item->question, item->model[m].answer, &values[m], &cleaned, err);
        values[m].number = item->number;
        values[m].cluster = item->cluster;
        truncated = truncated || item->model[m].answer->truncated;
        if (status == BIPE_OK && run->predictions != NULL)
            status = bipe_eval_predict(run, run->about[m].name, &item->question, item->model[m].answer, &values[m],
                                       &cleaned, &item->cluster_name, err);
    }
    if (status == BIPE_OK && run->submission != NULL) { /* of a single model */
        bipe_json_key_bytes(&run->submission_json, item->question.id.data, item->question.id.size);
        bipe_json_bytes(&run->submission_json, cleaned.data, cleaned.size);
    }
    if (status == BIPE_OK)
        bipe_eval_add(run, r, values);
    r->truncated += status == BIPE_OK && truncated;
    bipe_buffer_free(&cleaned);
    bipe_free(values);
    return status;
}

/* ---- batches ---- */

static void show_progress(bipe_eval_run *run, const bipe_eval_result *r)
{
    char label[160];
    double sum = 0;
    size_t metric = run->task->metric[0];
    metric = bipe_metrics[metric].combined ? bipe_metrics[metric].part[2] : metric;
    if (!run->tool.progress.shown)
        return;
    for (size_t i = 0; i < r->records; i++)
        sum += r->values[i * run->models].value[metric];
    snprintf(label, sizeof label, "%.80s: %s %.4f", r->file, bipe_metrics[metric].name,
             r->records > 0 ? sum / (double)r->records : 0);
    bipe_progress_update(&run->tool.progress, label, run->done);
}

/* Whether the model is asked. */
static bool is_own(const bipe_eval_item *item, size_t model)
{
    return item->model[model].answer == &item->model[model].own;
}

/* Answers of a model go to where the same requests find them. */
static void keep_answers(bipe_eval_run *run, size_t model, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct asked *asked = &run->item[i].model[model];
        if (!is_own(&run->item[i], model))
            continue;
        *asked->kept = asked->own;
        asked->answer = asked->kept;
        asked->own = (bipe_task_answer){0};
    }
}

/* Asks the models the first `b->count` questions, and takes the answers. Errors are of the whole run. */
static int run_batch(bipe_eval_run *run, bipe_eval_result *r, batch *b, bipe_error *err)
{
    bipe_task_prompt **prompt = bipe_tool_alloc(b->count, sizeof *prompt);
    bipe_task_answer **answer = bipe_tool_alloc(b->count, sizeof *answer);
    int status = BIPE_OK;
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++) {
        size_t count = 0;
        for (size_t i = 0; i < b->count; i++)
            if (is_own(&run->item[i], m)) {
                prompt[count] = &run->item[i].model[m].prompt;
                answer[count++] = &run->item[i].model[m].own;
            }
        if (count > 0)
            status = bipe_asker_ask(run->model[m].asker, prompt, answer, count, err);
        if (status == BIPE_OK)
            keep_answers(run, m, b->count);
        for (size_t i = 0; i < b->count && status == BIPE_OK && run->known != NULL; i++)
            if (run->item[i].model[m].fresh)
                status = bipe_eval_journal_add(run->known, run->item[i].key, m, run->item[i].model[m].answer, err);
    }
    if (status == BIPE_OK && run->known != NULL && run->known->journal != NULL)
        status = bipe_journal_commit(run->known->journal, err);
    for (size_t i = 0; i < b->count && status == BIPE_OK; i++) {
        status = judge_item(run, r, &run->item[i], err);
        if (status == BIPE_ERR_LIMIT) { /* an answer that is too long to be judged is left out, and the run goes on */
            bipe_error_prefix(err, "%s: question %" PRIu64, r->file, run->item[i].number + 1);
            bipe_tool_error(&run->tool, err);
            r->skipped++;
            status = BIPE_OK;
        }
    }
    bipe_free(prompt);
    bipe_free(answer);
    run->done += b->count;
    *b = (batch){0};
    show_progress(run, r);
    return status;
}

/* Whether a prepared item goes with those that are there. */
static bool fits_batch(const bipe_eval_run *run, const batch *b, const bipe_eval_item *item, size_t texts, double bytes)
{
    bool same = true;
    for (size_t m = 0; m < run->models; m++)
        same = same && (run->given.score != NULL || !bipe_asker_length_matters(run->model[m].asker) ||
                        item->model[m].prompt.window == run->item[0].model[m].prompt.window);
    return b->count == 0 ||
           (same && b->count < TOGETHER && b->texts + texts <= TOGETHER && b->bytes + bytes <= memory_together);
}

/* ---- shots ---- */

static bool same_group(const bipe_question *a, const bipe_question *b)
{
    return a->group.size == b->group.size &&
           (a->group.size == 0 || memcmp(a->group.data, b->group.data, a->group.size) == 0);
}

/* The text before the prompt: the task's description and shots. */
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
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s has %" PRIu64 " shots for it, expected %" PRIu64,
                         run->given.shots_from, found, run->given.shots);
    return status;
}

/* ---- a file ---- */

/* Finds the answers that are known. */
static int look_up_answers(bipe_eval_run *run, bipe_eval_item *item, size_t file, const bipe_buffer *shots,
                           bipe_error *err)
{
    bool scored = run->given.score != NULL, choices = run->task->kind == BIPE_TASK_CHOICES;
    size_t expected = item->question.choices.count;
    item->key = scored ? bipe_eval_id_key(&item->question.id)
                       : bipe_eval_key(file, item->number, &item->question, shots);
    for (size_t m = 0; m < run->models; m++) {
        const bipe_task_answer *known = bipe_eval_known_find(run->known, item->key, m);
        if (scored && known == NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s has no prediction for it",
                             bipe_input_shown(run->given.score));
        if (scored && choices && known->choices != expected)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%zu scores for %zu choices, expected as many", known->choices,
                             expected);
        if (known != NULL && (!choices || known->choices == expected)) /* the journal may say anything */
            item->model[m].answer = known;
    }
    return BIPE_OK;
}

/* Takes the answer to the same request, where the model is not known to have another. */
static void look_up_request(bipe_eval_run *run, bipe_eval_item *item, uint64_t key, size_t model)
{
    struct asked *asked = &item->model[model];
    asked->fresh = is_own(item, model);
    const bipe_task_answer *before = asked->fresh ? bipe_eval_request_find(&run->requests, key, model) : NULL;
    if (before == NULL)
        return;
    asked->answer = before;
    run->repeated++;
}

/* Makes tokens of a question for the models that are to be asked. BIPE_ERR_FORMAT and the like: the record is left
 * out. */
static int prepare_item(bipe_eval_run *run, bipe_eval_item *item, size_t file, bipe_buffer *shots, bipe_error *err)
{
    int status = run->given.score != NULL ? BIPE_OK : make_shots(run, &item->question, shots, err);
    for (size_t m = 0; m < run->models; m++) {
        item->model[m].answer = &item->model[m].own;
        item->model[m].prompt.count = 0;
        item->model[m].prompt.bytes = 0;
    }
    if (status == BIPE_OK && run->known != NULL)
        status = look_up_answers(run, item, file, shots, err);
    uint64_t key = bipe_eval_key(0, 0, &item->question, shots);
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++)
        look_up_request(run, item, key, m);
    for (size_t m = 0; m < run->models && status == BIPE_OK; m++)
        if (is_own(item, m))
            status = bipe_asker_prepare(run->model[m].asker, &item->question, shots, &item->model[m].prompt,
                                        &item->model[m].own, err);
    for (size_t m = 0; m < run->models && status == BIPE_OK && run->given.show == 0; m++)
        if (is_own(item, m))
            item->model[m].kept = bipe_eval_request_add(&run->requests, key, m);
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
        texts = item->model[m].prompt.count > texts ? item->model[m].prompt.count : texts;
        bytes = item->model[m].prompt.bytes > bytes ? item->model[m].prompt.bytes : bytes;
    }
    if (!fits_batch(run, b, item, texts, bytes)) {
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

/* The questions of a file, one after the other. */
typedef struct asking {
    bipe_eval_records records;
    bipe_buffer shots;
    bipe_buffer last;             /* id of the question before */
    bool follows;                 /* that question is the last one of the batch */
    uint64_t number;              /* of the next question; records that are none have numbers as well */
    batch batch;
} asking;

/* Whether the next question, which this gives a number, is of this shard. */
static bool is_mine(const bipe_eval_run *run, uint64_t number)
{
    return run->shard.count == 0 || number % run->shard.count == run->shard.index;
}

/* A further record of the question before gives more references. */
static int merge_references(bipe_eval_run *run, asking *a, const bipe_task_texts *references, bipe_error *err)
{
    int status = BIPE_OK;
    if (!a->follows)
        return status;
    bipe_question *q = &run->item[a->batch.count - 1].question;
    for (size_t i = 0; i < references->count && status == BIPE_OK; i++) {
        bipe_buffer *text;
        status = bipe_task_texts_add(&q->references, &text, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(text, references->text[i].data, references->text[i].size, err);
    }
    return status;
}

/* A record. Errors are of the whole run. */
static int take_record(bipe_eval_run *run, bipe_eval_result *r, asking *a, const json_t *record, bipe_error *err)
{
    bipe_eval_item *item = &run->item[a->batch.count];
    int one = bipe_task_ask(run->task, record, a->records.number, &item->question, err), status;
    if (one == BIPE_OK && run->task->merge && a->number > 0 && a->last.size == item->question.id.size &&
        (a->last.size == 0 || memcmp(a->last.data, item->question.id.data, a->last.size) == 0))
        return merge_references(run, a, &item->question.references, err);
    a->follows = false;
    a->last.size = 0;
    item->number = a->number++;
    if (one == BIPE_OK && run->task->merge &&
        (status = bipe_buffer_append(&a->last, item->question.id.data, item->question.id.size, err)) != BIPE_OK)
        return status;
    if (!is_mine(run, item->number))
        return BIPE_OK;
    if (one == BIPE_OK && run->given.cluster != NULL)
        one = bipe_eval_cluster(run, (size_t)(r - run->result), r->file, a->records.number, record, &item->cluster_name,
                                &item->cluster, err);
    if (one == BIPE_OK)
        one = prepare_item(run, item, (size_t)(r - run->result), &a->shots, err);
    if (one == BIPE_ERR_MEMORY)
        return one;
    if (one != BIPE_OK) {
        bipe_eval_records_place(&a->records, err);
        bipe_tool_error(&run->tool, err);
        r->skipped++;
        run->done++;
        return BIPE_OK;
    }
    for (size_t m = 0; m < run->models && run->given.show > 0; m++)
        bipe_eval_show(run, r->file, m, &item->question, &item->model[m].prompt);
    if (run->given.show > 0) {
        run->done++;
        return BIPE_OK;
    }
    a->follows = true;
    return add_item(run, r, &a->batch, err);
}

bool bipe_eval_file(bipe_eval_run *run, bipe_eval_result *r)
{
    asking a = {0};
    bipe_error err = {0};
    int asked = BIPE_OK, status = bipe_eval_records_open(&a.records, r->file, &err);
    make_items(run);
    r->opened = status == BIPE_OK;
    while (status == BIPE_OK && asked == BIPE_OK && bipe_interrupted() == 0 &&
           (run->given.limit == 0 || a.records.next < run->given.limit) &&
           (run->given.show == 0 || run->done < run->given.show)) {
        json_t *record = NULL;
        status = bipe_eval_records_next(&a.records, &record, &err);
        if (status == BIPE_ERR_FORMAT) {
            if (is_mine(run, a.number++)) {
                bipe_tool_error(&run->tool, &err);
                r->skipped++;
                run->done++;
            }
            a.follows = false;
            a.last.size = 0;
            status = BIPE_OK;
        } else if (status == BIPE_OK) {
            asked = take_record(run, r, &a, record, &err);
            json_decref(record);
        }
    }
    run->incomplete = run->incomplete || (asked == BIPE_OK && status != BIPE_OK && status != BIPE_END);
    if (status == BIPE_END && a.records.next == 0 && bipe_interrupted() == 0)
        status = bipe_fail(&err, BIPE_ERR_FORMAT, "%s: no records, expected one a line",
                           bipe_input_name(a.records.lines.input));
    if (asked == BIPE_OK && status != BIPE_OK && status != BIPE_END)
        bipe_tool_error(&run->tool, &err);
    if (asked == BIPE_OK && a.batch.count > 0 && bipe_interrupted() == 0)
        asked = run_batch(run, r, &a.batch, &err);
    if (asked != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    bipe_eval_records_close(&a.records);
    bipe_buffer_free(&a.shots);
    bipe_buffer_free(&a.last);
    return asked == BIPE_OK && bipe_interrupted() == 0;
}
