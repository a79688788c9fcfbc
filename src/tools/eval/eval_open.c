/* eval_open.c - opens the parts of a run of bipe-eval: task, models, shots and outputs. */
#include "base/alloc.h"
#include "cli/run_record.h"
#include "cli/task_files.h"
#include "cli/tool_alloc.h"
#include "measure/stream.h"
#include "tools/eval/bipe_eval.h"

/* ---- shots ---- */

/* A record of --shots-from. */
static int take_shot(void *context, const bipe_eval_records *records, json_t *record, bipe_error *err)
{
    bipe_eval_run *run = context;
    bipe_tool_grow(&run->shot, &run->shot_capacity, run->shots + 1, sizeof *run->shot);
    bipe_question *q = &run->shot[run->shots];
    *q = (bipe_question){0};
    int status = bipe_task_ask(run->task, record, records->number, q, err);
    if (status == BIPE_OK)
        run->shots++;
    else
        bipe_question_free(q);
    return status;
}

/* ---- a run ---- */

static void describe_model(bipe_eval_run *run, size_t i)
{
    const bipe_eval_model *m = &run->model[i];
    const bipe_hyperparameters *h = bipe_model_hyperparameters(m->model);
    run->about[i] = (bipe_eval_about){.name = m->name, .path = m->path, .segmenter = m->segmenter,
                                      .parameters = h->parameters, .train_length = h->train_length,
                                      .precision = bipe_precision_words[run->given.precision]};
    const bipe_scheme *scheme = run->given.scheme != NULL ? &run->scheme : &h->scheme;
    run->about[i].scheme = bipe_scheme_format(scheme, run->about[i].scheme_text);
    if (i == 0)
        bipe_run_in_force_model(&run->tool, scheme, run->given.scaling != NULL ? &run->scaling : &h->rope_scaling,
                                m->segmenter);
}

static int open_model(bipe_eval_run *run, const char *name, bipe_eval_model *m, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    m->name = name;
    int status = bipe_model_operand(name, m->path, err);
    if (status == BIPE_OK)
        status = bipe_tool_hint_model(bipe_model_open(&m->model, m->path, err), err);
    if (status == BIPE_OK)
        status = bipe_tool_tokenizer(&run->tool, &m->tokenizer, given->tokenizer, given->special, m->path,
                                     bipe_model_hyperparameters(m->model)->vocabulary, "", err);
    if (status != BIPE_OK)
        return status;
    m->segmenter = given->segmenter != NULL ? given->segmenter : bipe_model_hyperparameters(m->model)->segmenter;
    if (m->segmenter[0] == '\0')
        m->segmenter = BIPE_SEGMENTER_DEFAULT;
    bipe_asker_options options = {
        .model = m->model, .tokenizer = m->tokenizer, .segmenter = m->segmenter, .task = run->task, .pool = run->pool,
        .scheme = given->scheme != NULL ? &run->scheme : NULL,
        .rope_scaling = given->scaling != NULL ? &run->scaling : NULL,
        .precision = (bipe_precision)given->precision, .seed = given->seed, .length = (size_t)given->length,
        .cut = given->truncate >= 0 ? (bipe_task_cut)given->truncate : run->task->cut,
    };
    status = bipe_stream_check_scheme(m->segmenter, options.scheme != NULL
                                                        ? options.scheme
                                                        : &bipe_model_hyperparameters(m->model)->scheme, err);
    if (status == BIPE_OK)
        status = bipe_asker_open(&m->asker, &options, err);
    if (status == BIPE_OK && run->task->kind == BIPE_TASK_GENERATE)
        bipe_tool_note_ends(&run->tool, m->tokenizer);
    return status;
}

static int open_models(bipe_eval_run *run, const char *first, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    size_t models = 1 + given->against.count;
    run->model = bipe_tool_alloc(models, sizeof *run->model);
    run->about = bipe_tool_alloc(models, sizeof *run->about);
    if (first == NULL) { /* predictions */
        run->models = 1;
        run->about[0].name = given->score;
        return BIPE_OK;
    }
    bipe_tool_kernels(&run->tool);
    int status = bipe_pool_open(&run->pool, bipe_tool_threads(&run->tool, 0), err);
    for (size_t i = 0; i < models && status == BIPE_OK; i++) {
        run->models++;
        status = open_model(run, i == 0 ? first : given->against.text[i - 1], &run->model[i], err);
        if (status == BIPE_OK)
            describe_model(run, i);
    }
    if (status == BIPE_OK)
        bipe_tool_note_segmenters(&run->tool, &run->model[0].segmenter, 1);
    return status;
}

static int open_known(bipe_eval_run *run, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    if (given->resume == NULL && given->score == NULL)
        return BIPE_OK;
    run->known = bipe_tool_alloc(1, sizeof *run->known);
    return given->score != NULL ? bipe_eval_read_predictions(run->known, &run->tool, given->score,
                                                             run->task->kind == BIPE_TASK_CHOICES, err)
                                : bipe_eval_journal_open(run->known, run, given->resume, err);
}

int bipe_eval_open(bipe_eval_run *run, const char *model, bipe_files files, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    int status = bipe_task_find(&run->task, given->task, err);
    run->task_name = status == BIPE_OK ? run->task->name : NULL;
    run->task_version = status == BIPE_OK ? run->task->version : NULL;
    if (status == BIPE_OK && given->submission != NULL && run->task->kind == BIPE_TASK_CHOICES)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "option '--submission': a task of kind choices, expected one that generates text");
    if (status == BIPE_OK)
        status = bipe_eval_open_cluster(run, err);
    if (status == BIPE_OK)
        status = open_models(run, model, err);
    if (status == BIPE_OK && given->shots > 0)
        status = bipe_eval_records_each(given->shots_from, &run->tool, take_shot, run, err);
    if (status == BIPE_OK)
        status = open_known(run, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, given->output, err);
    if (status == BIPE_OK && given->predictions != NULL)
        status = bipe_output_open(&run->predictions, given->predictions, err);
    if (status == BIPE_OK && given->submission != NULL)
        status = bipe_output_open(&run->submission, given->submission, err);
    if (run->submission != NULL) {
        bipe_json_open(&run->submission_json, run->submission, true);
        bipe_json_begin_object(&run->submission_json);
    }
    run->result = bipe_tool_alloc(files.count, sizeof *run->result);
    return status;
}

void bipe_eval_close(bipe_eval_run *run)
{
    bipe_eval_free_items(run);
    bipe_eval_requests_free(&run->requests);
    for (size_t i = 0; i < run->models && run->model != NULL; i++) {
        bipe_asker_close(run->model[i].asker);
        bipe_tokenizer_close(run->model[i].tokenizer);
        bipe_model_close(run->model[i].model);
    }
    for (size_t i = 0; i < run->shots; i++)
        bipe_question_free(&run->shot[i]);
    for (size_t i = 0; i < run->results; i++)
        bipe_free(run->result[i].values);
    if (run->known != NULL)
        bipe_eval_known_free(run->known);
    bipe_free(run->known);
    bipe_free(run->model);
    bipe_free(run->about);
    bipe_free(run->shot);
    bipe_free(run->result);
    bipe_task_template_free(&run->cluster);
    bipe_pool_close(run->pool);
    bipe_task_close(run->task);
    bipe_output_abandon(run->output);
    bipe_output_abandon(run->predictions);
    bipe_output_abandon(run->submission);
}
