/* eval_score.c - reads predictions, of bipe-eval or of other programs, to be judged without a model (--score). */
#include <math.h>

#include "base/hash.h"
#include "cli/result_file.h"
#include "tools/eval/bipe_eval.h"

uint64_t bipe_eval_id_key(const bipe_buffer *id)
{
    return bipe_hash_bytes(BIPE_HASH_EMPTY, id->data, id->size);
}

static int take_scores(const json_t *record, bipe_task_answer *a, bipe_error *err)
{
    const json_t *scores = json_object_get(record, "scores"), *greedy = json_object_get(record, "greedy");
    if (!json_is_array(scores) || json_array_size(scores) == 0)
        return bipe_result_wrong(err, "member ", "scores", "a list of numbers, one for each choice");
    int status = bipe_task_answer_choices(a, json_array_size(scores), err);
    for (size_t i = 0; i < json_array_size(scores) && status == BIPE_OK; i++) {
        const json_t *score = json_array_get(scores, i);
        if (!json_is_number(score) || !isfinite(json_number_value(score)))
            return bipe_result_wrong(err, "member ", "scores", "a list of numbers, one for each choice");
        a->choice[i] = (bipe_task_choice){json_number_value(score), json_is_true(greedy)};
    }
    return status;
}

typedef struct predictions {
    bipe_eval_known *known;
    bool choices;
    json_t *first_model; /* predictions may be of one model alone */
} predictions;

int bipe_eval_read_id(const json_t *record, bipe_buffer *id, bipe_error *err)
{
    const json_t *name = json_object_get(record, "id");
    if (json_is_string(name))
        return bipe_buffer_append(id, json_string_value(name), json_string_length(name), err);
    if (json_is_integer(name))
        return bipe_buffer_printf(id, err, "%" JSON_INTEGER_FORMAT, json_integer_value(name));
    return bipe_fail(err, BIPE_ERR_FORMAT, "member id: %sexpected a text or a whole number",
                     name == NULL ? "there is none, " : "");
}

/* {"id", "prediction" | "scores"} */
static int read_prediction(const json_t *record, bool choices, bipe_buffer *id, bipe_task_answer *a, bipe_error *err)
{
    const json_t *text = json_object_get(record, "prediction");
    const json_t *tokens = json_object_get(record, "prompt_tokens");
    int status = bipe_eval_read_id(record, id, err);
    a->prompt_tokens = json_is_integer(tokens) && json_integer_value(tokens) > 0 ? (size_t)json_integer_value(tokens)
                                                                                 : 0;
    a->truncated = json_is_true(json_object_get(record, "truncated"));
    if (status != BIPE_OK)
        return status;
    if (choices)
        return take_scores(record, a, err);
    if (!json_is_string(text))
        return bipe_result_wrong(err, "member ", "prediction", "a text");
    return bipe_buffer_append(&a->text, json_string_value(text), json_string_length(text), err);
}

static int take_prediction(void *context, const bipe_eval_records *records, json_t *record, bipe_error *err)
{
    predictions *p = context;
    bipe_buffer id = {0};
    bipe_task_answer a = {0};
    json_t *model = json_object_get(record, "model");
    (void)records;
    if (p->first_model == NULL && model != NULL)
        p->first_model = json_incref(model);
    int status = read_prediction(record, p->choices, &id, &a, err);
    if (status == BIPE_OK && model != NULL && !json_equal(model, p->first_model))
        status = bipe_result_wrong(err, "", "model", "predictions of one model");
    if (status == BIPE_OK)
        bipe_eval_known_add(p->known, bipe_eval_id_key(&id), 0, &a);
    bipe_task_answer_free(&a);
    bipe_buffer_free(&id);
    return status;
}

int bipe_eval_read_predictions(bipe_eval_known *known, bipe_tool *tool, const char *path, bool choices, bipe_error *err)
{
    predictions p = {known, choices, NULL};
    int status = bipe_eval_records_each(path, tool, take_prediction, &p, err);
    json_decref(p.first_model);
    bipe_eval_known_sort(known);
    return status;
}
