/* ruler_write.c - samples of RULER's tasks fitted to a length in tokens, and written as records; see ruler.h. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "corpora/ruler.h"

enum { STEP = 8, GROWTH = 16, UNITS_OF_TOKEN = 16 };

int ruler_worker_open(ruler_worker **worker, const bipe_tokenizer *tokenizer, bool with_answer, bipe_error *err)
{
    ruler_worker *w = bipe_alloc(1, sizeof *w);
    *worker = w;
    if (w == NULL)
        return bipe_fail_memory(err);
    w->with_answer = with_answer;
    return ruler_counter_open(&w->counter, tokenizer, err);
}

static void free_sample(ruler_sample *s)
{
    bipe_buffer_free(&s->text);
    bipe_buffer_free(&s->made);
    for (size_t i = 0; i < RULER_CHOICES; i++)
        bipe_task_texts_free(&s->answer[i]);
    bipe_free(s->order.item);
    bipe_free(s->words.item);
    bipe_free(s->mark.item);
}

void ruler_worker_close(ruler_worker *worker)
{
    if (worker == NULL)
        return;
    ruler_counter_close(worker->counter);
    free_sample(&worker->sample);
    free_sample(&worker->longest);
    bipe_free(worker);
}

/* ---- lengths ---- */

static int build(ruler_worker *w, const ruler_draw *draw, size_t units, size_t *tokens, bipe_error *err)
{
    ruler_sample *s = &w->sample;
    *tokens = 0;
    s->text.size = 0;
    for (size_t i = 0; i < RULER_CHOICES; i++)
        s->answer[i].count = 0;
    int status = draw->task->build(*draw, units, s, err);
    if (status == BIPE_OK && w->with_answer) {
        ruler_put(&s->text, " ", NULL);
        ruler_put_answers(&s->text, &s->answer[0], draw->task->style);
    }
    if (status == BIPE_OK && s->text.failed)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = ruler_count(w->counter, s->text.data, s->text.size, tokens, err);
    *tokens += w->with_answer ? 0 : draw->task->reserve;
    return status;
}

static void swap_samples(ruler_worker *w)
{
    const ruler_sample sample = w->sample;
    w->sample = w->longest;
    w->longest = sample;
}

int ruler_fit_sample(ruler_worker *w, ruler_fit *f, const ruler_draw *draw, size_t *tokens, bipe_error *err)
{
    const size_t least = draw->task->questions
                             ? ruler_question_least(&draw->from->questions[draw->task->hotpot], draw->index)
                             : draw->task->least;
    size_t found, low = least - 1, high = SIZE_MAX, units = f->units > least ? f->units : least;
    for (;;) {
        int status = build(w, draw, units, &found, err);
        if (status != BIPE_OK)
            return status;
        const bool fits = found <= draw->length;
        if (f->tokens == 0) {
            f->least = units;
            f->tokens = found;
        } else if (units > f->least) {
            f->rate = ((double)found - (double)f->tokens) / (double)(units - f->least);
        }
        if (fits) {
            low = units;
            *tokens = found;
            swap_samples(w);
        } else {
            high = units;
        }
        if (high == least)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "option '--length': %llu, expected more: a sample of %s has %zu tokens at least",
                             (unsigned long long)draw->length, draw->task->name, found);
        if (high - low == 1)
            break;
        if (units / UNITS_OF_TOKEN > draw->length)
            return bipe_fail(err, BIPE_ERR_LIMIT, "%s: %zu tokens in a text of %zu units, expected a tokenizer that "
                             "finds more of them", draw->task->name, found, units);
        const double by = f->rate > 0 ? ((double)draw->length - (double)found) / f->rate : (double)units + STEP;
        const size_t up = by < 1 ? 1 : by < GROWTH * (double)units + STEP ? (size_t)by : GROWTH * units + STEP;
        const size_t down = by > -1 ? 1 : -by < (double)units ? (size_t)(1 - by) : units;
        units = fits ? (up < high - low ? low + up : high - 1) : (down < high - low ? high - down : low + 1);
    }
    f->units = low;
    swap_samples(w);
    return BIPE_OK;
}

/* ---- records ---- */

/* Where the first answer is in the input, in tokens. */
static int find_answer(ruler_worker *w, size_t *place, bipe_error *err)
{
    const bipe_buffer *answer = &w->sample.answer[0].text[0], *text = &w->sample.text;
    for (size_t at = 0; at + answer->size <= w->sample.prefix; at++)
        if (memcmp(text->data + at, answer->data, answer->size) == 0)
            return ruler_count(w->counter, text->data, at, place, err);
    *place = 0;
    return BIPE_OK;
}

static void put_texts(bipe_json *json, const char *key, const bipe_task_texts *texts)
{
    bipe_json_key_flat_array(json, key);
    for (size_t i = 0; i < texts->count; i++)
        bipe_json_bytes(json, texts->text[i].data, texts->text[i].size);
    bipe_json_end_array(json);
}

static int put_question(ruler_worker *w, const ruler_draw *draw, bipe_json *json, bipe_error *err)
{
    const ruler_sample *s = &w->sample;
    bipe_json_key(json, "input");
    bipe_json_bytes(json, s->text.data, s->prefix);
    bipe_json_key(json, "answer_prefix");
    bipe_json_bytes(json, s->text.data + s->prefix, s->text.size - s->prefix);
    put_texts(json, "outputs", &s->answer[0]);
    if (!draw->task->place)
        return BIPE_OK;
    size_t place;
    int status = find_answer(w, &place, err);
    if (status == BIPE_OK)
        bipe_json_key_uint(json, "token_position_answer", place);
    return status;
}

/* The right answer, and choices with it at `gold`. */
static int put_choices(const ruler_sample *s, ruler_style style, size_t gold, bipe_json *json, bipe_error *err)
{
    bipe_buffer answer = {0};
    ruler_put_answers(&answer, &s->answer[0], style);
    bipe_json_key(json, "answer");
    bipe_json_bytes(json, answer.data, answer.size);
    bipe_json_key_flat_array(json, "choices");
    for (size_t i = 0; i < RULER_CHOICES; i++) {
        answer.size = 0;
        ruler_put_answers(&answer, &s->answer[i == gold ? 0 : i < gold ? i + 1 : i], style);
        bipe_json_bytes(json, answer.data, answer.size);
    }
    bipe_json_end_array(json);
    bipe_json_key_uint(json, "gold", gold);
    const bool failed = answer.failed;
    bipe_buffer_free(&answer);
    return failed ? bipe_fail_memory(err) : BIPE_OK;
}

int ruler_write_sample(ruler_worker *w, ruler_fit fit, const ruler_draw *draw, size_t gold, bipe_output *output,
                       bipe_error *err)
{
    const ruler_sample *s = &w->sample;
    size_t tokens;
    bipe_json json;
    int status = ruler_fit_sample(w, &fit, draw, &tokens, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, false);
    bipe_json_begin_object(&json);
    if (w->with_answer) {
        bipe_json_key(&json, "text");
        bipe_json_bytes(&json, s->text.data, s->text.size);
    }
    bipe_json_key_uint(&json, "index", draw->index);
    bipe_json_key_text(&json, "task", draw->task->name);
    bipe_json_key_uint(&json, "max_length", draw->length);
    bipe_json_key_uint(&json, "length", tokens);
    if (!w->with_answer) {
        status = put_question(w, draw, &json, err);
        if (status == BIPE_OK)
            status = put_choices(s, draw->task->style, gold, &json, err);
    }
    bipe_json_end_object(&json);
    int closed = bipe_json_close(&json, err);
    return status != BIPE_OK ? status : closed;
}
