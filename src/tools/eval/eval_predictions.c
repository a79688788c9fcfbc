/* eval_predictions.c - lines of --predictions: the answer of a model to a record, with its scores. */
#include "base/json_writer.h"
#include "tools/eval/bipe_eval.h"

static void json_texts(bipe_json *json, const char *key, const bipe_task_texts *texts)
{
    bipe_json_key_array(json, key);
    for (size_t i = 0; i < texts->count; i++)
        bipe_json_bytes(json, texts->text[i].data, texts->text[i].size);
    bipe_json_end_array(json);
}

static void json_choices(bipe_json *json, const bipe_question *q, const bipe_task_answer *a, const bipe_task_values *v)
{
    size_t right = 0;
    bipe_json_key_array(json, "scores");
    for (size_t i = 0; i < a->choices; i++)
        bipe_json_number(json, a->choice[i].score);
    bipe_json_end_array(json);
    if (a->choices == 1)
        bipe_json_key_bool(json, "greedy", a->choice[0].greedy);
    bipe_json_key_uint(json, "choice", v->choice);
    for (size_t i = 0; i < a->choices; i++)
        right += q->right[i];
    bipe_json_key(json, "gold"); /* a number, or a list where several are right */
    if (right > 1)
        bipe_json_begin_array(json);
    for (size_t i = 0; i < a->choices; i++)
        if (q->right[i])
            bipe_json_uint(json, i);
    if (right > 1)
        bipe_json_end_array(json);
}

int bipe_eval_predict(bipe_eval_run *run, const char *model, const bipe_question *q, const bipe_task_answer *a,
                      const bipe_task_values *v, const bipe_buffer *cleaned, const bipe_buffer *cluster,
                      bipe_error *err)
{
    const bipe_task *task = run->task;
    bipe_json json;
    bipe_json_open(&json, run->predictions, false);
    bipe_json_begin_object(&json);
    bipe_json_key(&json, "id");
    bipe_json_bytes(&json, q->id.data, q->id.size);
    if (run->models > 1)
        bipe_json_key_text(&json, "model", model);
    if (cluster->size > 0)
        bipe_json_key_text(&json, "cluster", (const char *)cluster->data);
    bipe_json_key_uint(&json, "prompt_tokens", a->prompt_tokens);
    if (a->truncated)
        bipe_json_key_bool(&json, "truncated", true);
    if (task->kind == BIPE_TASK_CHOICES) {
        json_choices(&json, q, a, v);
    } else {
        bipe_json_key(&json, "prediction");
        bipe_json_bytes(&json, a->text.data, a->text.size);
        if (task->answer.count > 0) { /* what is compared */
            bipe_json_key(&json, "answer");
            bipe_json_bytes(&json, cleaned->data, cleaned->size);
        }
        json_texts(&json, "references", &q->references);
    }
    bipe_json_key_object(&json, "metrics");
    for (size_t i = 0; i < task->metrics; i++)
        if (!bipe_metrics[task->metric[i]].combined)
            bipe_json_key_number(&json, bipe_metrics[task->metric[i]].name, v->value[task->metric[i]]);
    bipe_json_end_object(&json);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}
