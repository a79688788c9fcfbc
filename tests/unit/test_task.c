/* test_task.c - steps and templates of task files against what Python's functions of the same name give, records that
 * are none, memory that runs out, and the statistics of bipe-eval against numbers worked out by hand. */
#include "base/alloc.h"
#include "task/task.h"
#include "tests/cases.h"
#include "tools/eval/bipe_eval.h"

static const char *text_of(const bipe_buffer *buffer)
{
    static char text[4][512];
    static int turn;
    char *to = text[turn = (turn + 1) % 4];
    snprintf(to, sizeof text[0], "%.*s", (int)buffer->size, buffer->size > 0 ? (const char *)buffer->data : "");
    return to;
}

static void check_step(const char *step, const char *from, const char *want)
{
    bipe_task_steps steps = {0};
    bipe_buffer text = {0};
    bipe_error err;
    CHECK(bipe_task_steps_add(&steps, step, strlen(step), &err) == BIPE_OK);
    CHECK(bipe_buffer_append(&text, from, strlen(from), &err) == BIPE_OK);
    CHECK(bipe_task_steps_apply(&steps, false, &text, &err) == BIPE_OK);
    CHECK_TEXT(text_of(&text), want);
    bipe_buffer_free(&text);
    bipe_task_steps_free(&steps);
}

/* Steps may not make texts that no memory holds. */
static void test_growth(void)
{
    static char step[1 << 16] = "replace:a:";
    bipe_task_steps steps = {0};
    bipe_buffer text = {0};
    bipe_error err;
    memset(step + strlen(step), 'a', sizeof step - 1 - strlen(step));
    for (int i = 0; i < 2; i++)
        CHECK(bipe_task_steps_add(&steps, step, strlen(step), &err) == BIPE_OK);
    CHECK(bipe_buffer_append(&text, "a", 1, &err) == BIPE_OK);
    CHECK(bipe_task_steps_apply(&steps, false, &text, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, "the step replace makes a text of more than 67108864 bytes");
    bipe_buffer_free(&text);
    bipe_task_steps_free(&steps);
}

static void test_steps(void)
{
    const char *step, *from, *want;
    for (test_cases c = {.name = "task-steps.jsonl"}; read_case(&c, "[s s s]", &step, &from, &want);)
        check_step(step, from, want);
    check_step("lower", "\xC4\xB0\xFF.", "i\xCC\x87\xEF\xBF\xBD."); /* İ, and a byte of no character */
}

/* Nothing is searched twice: this comes to an end. */
static void test_many_brackets(void)
{
    bipe_task_steps steps = {0};
    bipe_buffer text = {0};
    bipe_error err;
    CHECK(bipe_task_steps_add(&steps, "drop_brackets", 13, &err) == BIPE_OK);
    CHECK(bipe_buffer_reserve(&text, 1 << 22, &err) == BIPE_OK);
    text.size = 1 << 22;
    memset(text.data, '[', text.size);
    CHECK(bipe_task_steps_apply(&steps, false, &text, &err) == BIPE_OK);
    CHECK_UINT(text.size, 1 << 22);
    bipe_buffer_free(&text);
    bipe_task_steps_free(&steps);
}

static void test_templates(void)
{
    const char *template, *want;
    json_t *record;
    for (test_cases c = {.name = "task-templates.jsonl"}; read_case(&c, "[s s o]", &template, &want, &record);) {
        bipe_task_template t = {0};
        bipe_task_texts texts = {0};
        bipe_buffer text = {0};
        bipe_error err = {0};
        int status = bipe_task_template_parse(&t, template, &err);
        if (status == BIPE_OK)
            status = bipe_task_template_fill_list(&t, record, &texts, &err);
        for (size_t i = 0; i < texts.count && status == BIPE_OK; i++)
            status = bipe_buffer_printf(&text, &err, "%s%s", i > 0 ? "|" : "", text_of(&texts.text[i]));
        CHECK_TEXT(status == BIPE_OK ? text_of(&text) : err.text, want);
        bipe_buffer_free(&text);
        bipe_task_texts_free(&texts);
        bipe_task_template_free(&t);
    }
}

/* ---- memory ---- */

static const char memory_task[] =
    "{\"name\":\"m\",\"kind\":\"choices\",\"prompt\":\"Q: {q|replace:a:bb|lower}\",\"choices\":\"{c|letter:. "
    "}\",\"labels\":\"{c|letters}\","
    "\"gold\":\"{g}\",\"clean\":[\"strip\",\"match:.+\"],\"metrics\":[\"acc\"],\"description\":\"{q}\"}";
static const char memory_record[] = "{\"q\":\"A banana\",\"c\":[\"x\",\"y\",\"z\"],\"g\":\"B\"}";

/* BIPE_OK, or BIPE_ERR_MEMORY wherever an allocation fails. */
static int ask_once(bool check)
{
    bipe_error err = {0};
    json_t *file = json_loads(memory_task, 0, NULL), *record = json_loads(memory_record, 0, NULL);
    bipe_task *task = NULL;
    bipe_question q = {0};
    bipe_buffer shot = {0};
    int status = bipe_task_open(&task, file, (const uint8_t *)memory_task, sizeof memory_task - 1, &err);
    if (status == BIPE_OK)
        status = bipe_task_ask(task, record, 5, &q, &err);
    if (status == BIPE_OK)
        status = bipe_task_shot(task, &q, &shot, &err);
    if (check) {
        CHECK_TEXT(text_of(&q.id), "5");
        CHECK_TEXT(text_of(&q.prompt), "Q: a bbbnbbnbb");
        CHECK_TEXT(text_of(&shot), "Q: a bbbnbbnbb B. y\n\n");
        CHECK(q.choices.count == 3 && q.right[0] == 0 && q.right[1] == 1 && q.right[2] == 0);
    }
    bipe_buffer_free(&shot);
    bipe_question_free(&q);
    bipe_task_close(task);
    json_decref(file);
    json_decref(record);
    return status;
}

static void test_memory(void)
{
    CHECK(ask_once(true) == BIPE_OK);
    long n = 0;
    int status = BIPE_ERR_MEMORY;
    for (; n < 2000 && status != BIPE_OK; n += test_stride(7)) {
        bipe_alloc_fail_at(n);
        status = ask_once(false);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: status %d", n, status);
    }
    bipe_alloc_fail_at(-1);
    CHECK(status == BIPE_OK && n > 20);
}

/* ---- statistics ---- */

static void test_statistics(void)
{
    CHECK(fabs(bipe_mcnemar(0, 0) - 1) < 1e-12);
    CHECK(fabs(bipe_mcnemar(5, 5) - 1) < 1e-12);
    CHECK(fabs(bipe_mcnemar(0, 5) - 0.0625) < 1e-12);       /* 2 / 2^5 */
    CHECK(fabs(bipe_mcnemar(9, 1) - 22.0 / 1024) < 1e-12);  /* 2 (1 + 10) / 2^10 */
    /* 8 of 10, with a z of 1.96: 0.4902 to 0.9433 (Agresti and Coull 1998 give Wilson's formula) */
    bipe_task_values values[10] = {{{0}, 0, 0, 0, 0}};
    for (size_t i = 0; i < 8; i++)
        values[i].value[bipe_metric_find("acc")] = 1;
    const bipe_eval_result result = {.records = 10, .values = values};
    const bipe_eval_run run = {.models = 1};
    bipe_eval_estimate e;
    bipe_error err;
    CHECK(bipe_eval_estimate_metric(&e, &run, &result, 1, 0, bipe_metric_find("acc"), &err) == BIPE_OK);
    CHECK(fabs(e.estimate.value - 0.8) < 1e-12 && fabs(e.estimate.error - sqrt(0.16 / 9)) < 1e-12);
    CHECKF(fabs(e.estimate.low - 0.4902) < 1e-4 && fabs(e.estimate.high - 0.9433) < 1e-4, "%g to %g", e.estimate.low,
           e.estimate.high);
    /* rgm is of means: (0.8 * 0.4 * 0.2)^(1/3) = 0.4, though each record's own is mostly 0 */
    for (size_t i = 0; i < 10; i++) {
        values[i].value[bipe_metric_find("rouge1")] = i < 8;
        values[i].value[bipe_metric_find("rouge2")] = i % 2 == 0 ? 0.8 : 0;
        values[i].value[bipe_metric_find("rougeL")] = i == 3 ? 1 : i == 4 ? 1 : 0;
    }
    CHECK(bipe_eval_estimate_metric(&e, &run, &result, 1, 0, bipe_metric_find("rgm"), &err) == BIPE_OK);
    CHECKF(fabs(e.estimate.value - 0.4) < 1e-12, "%.17g", e.estimate.value);
}

int main(void)
{
    test_steps();
    test_growth();
    test_many_brackets();
    test_templates();
    test_memory();
    test_statistics();
    return test_result();
}
