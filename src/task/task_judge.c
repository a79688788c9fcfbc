/* task_judge.c - the metrics, and answers judged by them; see task_judge.h. answers.h compares their words. */
#include "task/task_judge.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "task/answers.h"

void bipe_task_answer_free(bipe_task_answer *answer)
{
    bipe_buffer_free(&answer->text);
    bipe_free(answer->choice);
}

int bipe_task_answer_choices(bipe_task_answer *answer, size_t choices, bipe_error *err)
{
    if (bipe_grow(&answer->choice, &answer->choice_capacity, choices, sizeof *answer->choice) != 0)
        return bipe_fail_memory(err);
    answer->choices = choices;
    return BIPE_OK;
}

/* ---- choices ---- */

/* The choice with the highest score, of equal ones the first; per byte: each divided by the bytes of the choice. */
static size_t choose_answer(const bipe_question *q, const bipe_task_answer *a, bool per_byte)
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

/* Of a single choice: whether it is what the model would have said. */
static double accuracy(const bipe_question *q, const bipe_task_answer *a)
{
    return a->choices == 1 ? a->choice[0].greedy : q->right[choose_answer(q, a, false)];
}

static double accuracy_per_byte(const bipe_question *q, const bipe_task_answer *a)
{
    return a->choices == 1 ? a->choice[0].greedy : q->right[choose_answer(q, a, true)];
}

static double most_probable(const bipe_question *q, const bipe_task_answer *a)
{
    return q->right[choose_answer(q, a, false)];
}

/* The share of the right choices in the probability of all choices. */
static double right_part(const bipe_question *q, const bipe_task_answer *a)
{
    double highest = a->choice[choose_answer(q, a, false)].score, right = 0, all = 0;
    for (size_t i = 0; i < a->choices; i++) {
        double p = exp(a->choice[i].score - highest);
        all += p;
        right += q->right[i] ? p : 0;
    }
    return right / all;
}

/* ---- the metrics ---- */

/* What is known of a text; a metric is one of these numbers. */
typedef struct compared {
    double none, same; /* same: 1 where it is one of the references, byte for byte */
    double contains;   /* 1 where one of them is within it */
    double labels;     /* 1 where it names the labels of one of them, and no others */
    double part;       /* 1 where one of them is within it, both in lower case */
    bipe_answer_scores scores;
} compared;

#define OF_TEXT(member) offsetof(compared, member)

enum { ROUGE1 = 6, ROUGE2, ROUGE_L };

const bipe_metric bipe_metrics[] = {
    {"acc", .proportion = true, .of_choices = accuracy, .of_text = OF_TEXT(same)},
    {"acc_norm", .proportion = true, .of_choices = accuracy_per_byte},
    {"mc1", .proportion = true, .of_choices = most_probable},
    {"mc2", .of_choices = right_part},
    {"em", .proportion = true, .of_text = OF_TEXT(scores.em)},
    {"f1", .of_text = OF_TEXT(scores.f1)},
    [ROUGE1] = {"rouge1", .of_text = OF_TEXT(scores.rouge1)},
    [ROUGE2] = {"rouge2", .of_text = OF_TEXT(scores.rouge2)},
    [ROUGE_L] = {"rougeL", .of_text = OF_TEXT(scores.rouge_l)},
    {"contains", .proportion = true, .of_text = OF_TEXT(contains)},
    {"sub_em", .proportion = true, .of_text = OF_TEXT(scores.sub_em)},
    {"string_match_all", .of_text = OF_TEXT(scores.recall)},
    {"string_match_part", .proportion = true, .of_text = OF_TEXT(part)},
    {"labels", .proportion = true, .of_text = OF_TEXT(labels), .of_labels = true},
    {"rgm", .combined = true, .part = {ROUGE1, ROUGE2, ROUGE_L}},
    {0},
};

_Static_assert(sizeof bipe_metrics / sizeof bipe_metrics[0] <= BIPE_METRICS_MOST + 1, "a task may have all metrics");

size_t bipe_metric_find(const char *name)
{
    for (size_t i = 0; bipe_metrics[i].name != NULL; i++)
        if (strcmp(bipe_metrics[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- answers ---- */

static void judge_choices(const bipe_question *q, const bipe_task_answer *a, bipe_task_values *v)
{
    v->choice = choose_answer(q, a, false);
    for (size_t i = 0; bipe_metrics[i].name != NULL; i++)
        v->value[i] = bipe_metrics[i].of_choices != NULL ? bipe_metrics[i].of_choices(q, a) : 0;
    for (size_t i = 0; i < a->choices && a->choices > 1; i++)
        v->chance += q->right[i] ? 1 / (double)a->choices : 0;
}

static bipe_answer answer_of(const bipe_buffer *text)
{
    return (bipe_answer){(const char *)text->data, text->size};
}

static bool is_same(bipe_answer a, bipe_answer b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* Whether the answer names a label, which the question does not. */
static bool names_label(const bipe_question *q, bipe_answer text, size_t label)
{
    const bipe_answer name = answer_of(&q->labels.text[label]);
    return bipe_answer_holds(text, name) && !bipe_answer_holds(answer_of(&q->asked), name);
}

static bool names_wanted(const bipe_question *q, bipe_answer text, bipe_answer wanted)
{
    bool named = false;
    for (size_t i = 0; i < q->labels.count && !named; i++)
        named = is_same(answer_of(&q->labels.text[i]), wanted) && names_label(q, text, i);
    return named;
}

/* BABILong (Kuratov et al. 2024): the answer must name the labels that the reference is, one or several with commas
 * between them, and no others. */
static bool has_labels(const bipe_question *q, bipe_answer text, bipe_answer reference)
{
    size_t named = 0, wanted = 0;
    for (size_t i = 0; i < q->labels.count; i++)
        named += names_label(q, text, i);
    if (names_wanted(q, text, reference)) /* a label may have a comma */
        return named == 1;
    if (reference.size == 0)
        return false;
    for (const char *at = reference.bytes, *end = at + reference.size; at <= end; wanted++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma != NULL ? comma : end;
        if (!names_wanted(q, text, (bipe_answer){at, (size_t)(stop - at)}))
            return false;
        at = stop + 1;
    }
    return named == wanted;
}

static int judge_text(const bipe_question *q, const bipe_buffer *text, bool stem, bipe_task_values *v, bipe_error *err)
{
    compared c = {0};
    const bipe_answer prediction = answer_of(text);
    bipe_answer *reference = bipe_alloc(q->references.count, sizeof *reference);
    if (reference == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < q->references.count; i++) {
        reference[i] = answer_of(&q->references.text[i]);
        c.same = is_same(reference[i], prediction) ? 1 : c.same;
        c.contains = bipe_answer_holds(prediction, reference[i]) ? 1 : c.contains;
        c.labels = has_labels(q, prediction, reference[i]) ? 1 : c.labels;
    }
    int status = bipe_answer_score(&c.scores, prediction, reference, q->references.count, stem, err);
    bipe_free(reference);
    c.part = c.scores.recall > 0;
    for (size_t i = 0; bipe_metrics[i].name != NULL && status == BIPE_OK; i++)
        memcpy(&v->value[i], (const char *)&c + bipe_metrics[i].of_text, sizeof v->value[i]);
    return status;
}

int bipe_task_judge(const bipe_task *task, const bipe_question *q, const bipe_task_answer *a, bipe_task_values *v,
                    bipe_buffer *cleaned, bipe_error *err)
{
    *v = (bipe_task_values){0};
    cleaned->size = 0;
    if (task->kind == BIPE_TASK_CHOICES) {
        judge_choices(q, a, v);
        return BIPE_OK;
    }
    int status = bipe_buffer_append(cleaned, a->text.data, a->text.size, err);
    if (status == BIPE_OK)
        status = bipe_task_steps_apply(&task->answer, false, cleaned, err);
    return status == BIPE_OK ? judge_text(q, cleaned, task->stem, v, err) : status;
}
