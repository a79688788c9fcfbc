/* eval_judge.c - judges answers; see bipe_eval.h. task/answers.h compares their words. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "task/answers.h"
#include "tools/eval/bipe_eval.h"

/* ---- choices ---- */

/* The choice with the highest score, of equal ones the first; per byte: each divided by the bytes of the choice. */
static size_t choose_answer(const bipe_question *q, const bipe_eval_answer *a, bool per_byte)
{
    size_t best = 0;
    double highest = -INFINITY;
    for (size_t i = 0; i < a->choices; i++) {
        double score = per_byte ? a->choice[i].score / (double)q->choices.text[i].size : a->choice[i].score;
        if (score > highest) {
            highest = score;
            best = i;
        }
    }
    return best;
}

/* The share of the right choices in the probability of all choices. */
static double right_part(const bipe_question *q, const bipe_eval_answer *a)
{
    double highest = a->choice[choose_answer(q, a, false)].score, right = 0, all = 0;
    for (size_t i = 0; i < a->choices; i++) {
        double p = exp(a->choice[i].score - highest);
        all += p;
        right += q->right[i] ? p : 0;
    }
    return right / all;
}

static void judge_choices(const bipe_question *q, const bipe_eval_answer *a, bipe_eval_values *v)
{
    v->choice = choose_answer(q, a, false);
    v->value[BIPE_METRIC_ACC] = a->choices == 1 ? a->choice[0].greedy : q->right[v->choice];
    v->value[BIPE_METRIC_ACC_NORM] = a->choices == 1 ? a->choice[0].greedy : q->right[choose_answer(q, a, true)];
    v->value[BIPE_METRIC_MC1] = q->right[v->choice];
    v->value[BIPE_METRIC_MC2] = right_part(q, a);
    for (size_t i = 0; i < a->choices && a->choices > 1; i++)
        v->value[BIPE_EVAL_CHANCE] += q->right[i] ? 1 / (double)a->choices : 0;
}

/* ---- text ---- */

static int judge_text(const bipe_question *q, const bipe_buffer *text, bool stem, bipe_eval_values *v, bipe_error *err)
{
    bipe_answer_scores scores;
    bipe_answer *reference = bipe_alloc(q->references.count, sizeof *reference);
    if (reference == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < q->references.count; i++) {
        const bipe_buffer *r = &q->references.text[i];
        reference[i] = (bipe_answer){(const char *)r->data, r->size};
        if (r->size == text->size && (r->size == 0 || memcmp(r->data, text->data, r->size) == 0))
            v->value[BIPE_METRIC_ACC] = 1;
    }
    int status = bipe_answer_score(&scores, (bipe_answer){(const char *)text->data, text->size}, reference, q->references.count, stem, err);
    bipe_free(reference);
    if (status != BIPE_OK)
        return status;
    v->value[BIPE_METRIC_EM] = scores.em;
    v->value[BIPE_METRIC_F1] = scores.f1;
    v->value[BIPE_METRIC_ROUGE1] = scores.rouge1;
    v->value[BIPE_METRIC_ROUGE2] = scores.rouge2;
    v->value[BIPE_METRIC_ROUGE_L] = scores.rouge_l;
    return BIPE_OK;
}

int bipe_eval_judge(const bipe_task *task, const bipe_question *q, const bipe_eval_answer *a, bipe_eval_values *v, bipe_buffer *cleaned,
                    bipe_error *err)
{
    *v = (bipe_eval_values){0};
    cleaned->size = 0;
    if (task->kind == BIPE_TASK_CHOICES) {
        judge_choices(q, a, v);
        return BIPE_OK;
    }
    int status = bipe_buffer_append(cleaned, a->text.data, a->text.size, err);
    if (status == BIPE_OK)
        status = bipe_task_steps_take(&task->answer, false, cleaned, err);
    return status == BIPE_OK ? judge_text(q, cleaned, task->stem, v, err) : status;
}
