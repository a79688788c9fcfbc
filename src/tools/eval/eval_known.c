/* eval_known.c - answers that are known before a model is asked, and the journal of those that were given. */
#include "tools/eval/bipe_eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cli/tool_alloc.h"

/* ---- the table ---- */

void bipe_eval_known_add(bipe_eval_known *known, uint64_t key, size_t model, bipe_task_answer *answer)
{
    bipe_tool_grow(&known->entry, &known->capacity, known->count + 1, sizeof *known->entry);
    known->entry[known->count] =
        (bipe_eval_entry){.key = key, .model = model, .order = known->count, .answer = *answer};
    known->count++;
    *answer = (bipe_task_answer){0};
}

static int compare_entries(const void *x, const void *y)
{
    const bipe_eval_entry *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void bipe_eval_known_sort(bipe_eval_known *known)
{
    if (known->count > 1)
        qsort(known->entry, known->count, sizeof *known->entry, compare_entries);
}

const bipe_task_answer *bipe_eval_known_find(bipe_eval_known *known, uint64_t key, size_t model)
{
    size_t low = 0, high = known->count; /* the last that is not after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const bipe_eval_entry *e = &known->entry[middle];
        if (e->key < key || (e->key == key && e->model <= model))
            low = middle + 1;
        else
            high = middle;
    }
    bipe_eval_entry *e = low > 0 ? &known->entry[low - 1] : NULL;
    if (e == NULL || e->key != key || e->model != model)
        return NULL;
    e->used = true;
    return &e->answer;
}

void bipe_eval_known_free(bipe_eval_known *known)
{
    for (size_t i = 0; i < known->count; i++)
        bipe_task_answer_free(&known->entry[i].answer);
    bipe_free(known->entry);
    bipe_journal_close(known->journal);
    *known = (bipe_eval_known){0};
}

/* ---- the journal ---- */

static uint64_t hash_text(uint64_t hash, const bipe_buffer *text)
{
    return bipe_hash_bytes(bipe_hash_uint(hash, text->size), text->data, text->size);
}

uint64_t bipe_eval_key(size_t file, uint64_t number, const bipe_question *q, const bipe_buffer *shots)
{
    uint64_t hash = bipe_hash_uint(bipe_hash_uint(BIPE_HASH_EMPTY, file), number);
    hash = bipe_hash_uint(hash_text(hash_text(hash, shots), &q->prompt), q->stop_at);
    for (size_t i = 0; i < q->choices.count; i++)
        hash = hash_text(hash, &q->choices.text[i]);
    return hash_text(hash, &q->ending);
}

static void write_answer(bipe_output *line, const bipe_task_answer *a)
{
    if (a->choices == 0) { /* a text begins with = */
        bipe_output_write(line, "=", 1, NULL);
        bipe_journal_escape(line, a->text.data, a->text.size);
    }
    for (size_t i = 0; i < a->choices; i++)
        bipe_output_printf(line, NULL, "%s%a:%d", i > 0 ? " " : "", a->choice[i].score, a->choice[i].greedy);
}

int bipe_eval_journal_add(bipe_eval_known *known, uint64_t key, size_t model, const bipe_task_answer *a,
                          bipe_error *err)
{
    if (known->journal == NULL || bipe_journal_failed(known->journal))
        return BIPE_OK;
    bipe_output *line = bipe_journal_line(known->journal);
    bipe_output_printf(line, NULL, "done %zu %016" PRIx64 " %zu %d ", model, key, a->prompt_tokens, a->truncated);
    write_answer(line, a);
    return bipe_journal_end(known->journal, err);
}

static int read_scores(bipe_fields *f, bipe_task_answer *a, bipe_error *err)
{
    char text[64];
    int status = BIPE_OK;
    while (*f->at != '\0' && status == BIPE_OK) {
        char *end;
        bipe_field_text(f, text, sizeof text);
        double score = f->bad ? 0 : strtod(text, &end);
        if (f->bad || end == text || !isfinite(score) || *end != ':' || (end[1] != '0' && end[1] != '1') ||
            end[2] != '\0')
            return BIPE_ERR_FORMAT;
        status = bipe_task_answer_choices(a, a->choices + 1, err);
        if (status == BIPE_OK)
            a->choice[a->choices - 1] = (bipe_task_choice){score, end[1] == '1'};
    }
    return status;
}

/* A line of the journal. */
static int take_line(void *context, char *line, size_t size, bipe_error *err)
{
    bipe_eval_known *known = context;
    bipe_task_answer a = {0};
    bipe_fields f = {.at = line + 4};
    if (size < 5 || strncmp(line, "done ", 5) != 0)
        return BIPE_ERR_FORMAT;
    size_t model = (size_t)bipe_field_uint(&f, 10);
    uint64_t key = bipe_field_uint(&f, 16);
    a.prompt_tokens = (size_t)bipe_field_uint(&f, 10);
    a.truncated = bipe_field_uint(&f, 10) != 0;
    const char *rest = bipe_field_start(&f);
    int status = f.bad          ? BIPE_ERR_FORMAT
                 : *rest == '=' ? bipe_journal_unescape(&a.text, rest + 1, err)
                                : read_scores(&f, &a, err);
    if (status == BIPE_OK)
        bipe_eval_known_add(known, key, model, &a);
    bipe_task_answer_free(&a);
    return status;
}

int bipe_eval_journal_open(bipe_eval_known *known, const bipe_eval_run *run, const char *path, bipe_error *err)
{
    bipe_output *header;
    const bipe_eval_options *given = &run->given;
    char task[24], length[24], seed[24];
    snprintf(task, sizeof task, "%016" PRIx64, run->task->hash);
    snprintf(length, sizeof length, "%" PRIu64, given->length);
    snprintf(seed, sizeof seed, "%" PRIu64, given->seed);
    const char *const cut = bipe_task_cut_names[given->truncate >= 0 ? given->truncate : (int)run->task->cut];
    int status = bipe_output_open_memory(&header, err);
    if (status != BIPE_OK)
        return status;
    bipe_output_printf(header, NULL, "bipe-eval-journal 1\n");
    for (size_t m = 0; m < run->models; m++) {
        char state[24];
        snprintf(state, sizeof state, "%016" PRIx64, bipe_journal_model_state(run->model[m].path));
        const char *const of_model[][2] = {{"model", run->model[m].path},
                                           {"model-state", state},
                                           {"segmenter", run->model[m].segmenter}};
        for (size_t i = 0; i < 3; i++)
            bipe_journal_setting(header, of_model[i][0], of_model[i][1]);
    }
    const char *const setting[][2] = {
        {"task", run->task->name}, {"task-state", task}, {"tokenizer", given->tokenizer},
        {"special", given->special ? "yes" : "no"}, {"scheme", given->scheme}, {"rope-scaling", given->scaling},
        {"precision", bipe_precision_words[given->precision]},
        {"length", length}, {"truncate", cut}, {"seed", seed}};
    for (size_t i = 0; i < sizeof setting / sizeof setting[0]; i++)
        bipe_journal_setting(header, setting[i][0], setting[i][1] != NULL ? setting[i][1] : "-");
    status = bipe_journal_open(&known->journal, path, header, take_line, known, err);
    bipe_eval_known_sort(known);
    return status;
}
