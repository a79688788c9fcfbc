/* ruler_sample.c - what samples of RULER's tasks have in common, and the table of the tasks; see ruler.h. */
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digits.h"
#include "base/random.h"
#include "corpora/ruler.h"

#define NEEDLES(name_, haystack_, key_, value_, keys_, values_, queries_) \
    {.name = (name_), .build = ruler_build_needles, .least = (haystack_) == RULER_ESSAY ? 1 : (keys_) * (values_), \
     .reserve = 128, .style = RULER_STYLE_AND, .words = (key_) == RULER_WORDS, .essay = (haystack_) == RULER_ESSAY, \
     .place = true, .haystack = (haystack_), .key = (key_), .value = (value_), .keys = (keys_), .values = (values_), \
     .queries = (queries_)}

const ruler_task ruler_tasks[] = {
    NEEDLES("niah_single_1", RULER_NOISE, RULER_WORDS, RULER_NUMBERS, 1, 1, 1),
    NEEDLES("niah_single_2", RULER_ESSAY, RULER_WORDS, RULER_NUMBERS, 1, 1, 1),
    NEEDLES("niah_single_3", RULER_ESSAY, RULER_WORDS, RULER_UUIDS, 1, 1, 1),
    NEEDLES("niah_multikey_1", RULER_ESSAY, RULER_WORDS, RULER_NUMBERS, 4, 1, 1),
    NEEDLES("niah_multikey_2", RULER_NEEDLES, RULER_WORDS, RULER_NUMBERS, 1, 1, 1),
    NEEDLES("niah_multikey_3", RULER_NEEDLES, RULER_UUIDS, RULER_UUIDS, 1, 1, 1),
    NEEDLES("niah_multivalue", RULER_ESSAY, RULER_WORDS, RULER_NUMBERS, 1, 4, 1),
    NEEDLES("niah_multiquery", RULER_ESSAY, RULER_WORDS, RULER_NUMBERS, 4, 1, 4),
    {.name = "vt", .build = ruler_build_chains, .least = 5, .reserve = 30, .style = RULER_STYLE_BLANKS},
    {.name = "cwe", .build = ruler_build_common, .least = 20, .reserve = 120, .style = RULER_STYLE_NUMBERS,
     .words = true},
    /* From 53 units on the third word comes more often than the fourth. */
    {.name = "fwe", .build = ruler_build_frequent, .least = 53, .reserve = 50, .style = RULER_STYLE_AND},
    {.name = "qa_1", .build = ruler_build_questions, .least = 1, .reserve = 32, .style = RULER_STYLE_FIRST,
     .questions = true},
    {.name = "qa_2", .build = ruler_build_questions, .least = 1, .reserve = 32, .style = RULER_STYLE_FIRST,
     .questions = true, .hotpot = true},
    {0},
};

const ruler_task ruler_example = {.name = "vt", .build = ruler_build_example, .least = 5};

void ruler_put(bipe_buffer *buffer, ...)
{
    va_list texts;
    va_start(texts, buffer);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        bipe_buffer_write(buffer, text, strlen(text));
    va_end(texts);
}

void ruler_put_number(bipe_buffer *buffer, const char *before, size_t number, const char *after)
{
    uint8_t digits[BIPE_DIGITS_SIZE];
    ruler_put(buffer, before, NULL);
    bipe_buffer_write(buffer, digits, (size_t)(bipe_write_uint(digits, number) - digits));
    ruler_put(buffer, after, NULL);
}

int ruler_add(ruler_sample *sample, size_t choice, const char *answer, bipe_error *err)
{
    bipe_buffer *text;
    int status = bipe_task_texts_add(&sample->answer[choice], &text, err);
    return status == BIPE_OK ? bipe_buffer_append(text, answer, strlen(answer), err) : status;
}

void ruler_put_answers(bipe_buffer *buffer, const bipe_task_texts *answers, ruler_style style)
{
    const size_t count = style == RULER_STYLE_FIRST ? 1 : answers->count;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            ruler_put(buffer, style == RULER_STYLE_AND ? ", " : " ", NULL);
        if (style == RULER_STYLE_AND && i > 0 && i + 1 == count)
            ruler_put(buffer, "and ", NULL);
        if (style == RULER_STYLE_NUMBERS)
            ruler_put_number(buffer, "", i + 1, ". ");
        bipe_buffer_write(buffer, answers->text[i].data, answers->text[i].size);
    }
}

void ruler_draw_places(uint64_t *random, size_t most, size_t *place, size_t count)
{
    for (size_t n = 0; n < count; n++) { /* of the numbers that are left, counted past those that are taken */
        size_t drawn = (size_t)bipe_random_below(random, most - n), at = 0;
        while (at < n && place[at] <= drawn) {
            drawn++;
            at++;
        }
        memmove(place + at + 1, place + at, (n - at) * sizeof *place);
        place[at] = drawn;
    }
}

int ruler_draw_order(uint64_t *random, size_t count, ruler_order *order, bipe_error *err)
{
    if (bipe_grow(&order->item, &order->capacity, count, sizeof *order->item) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        size_t other = (size_t)bipe_random_below(random, i + 1);
        order->item[i] = order->item[other];
        order->item[other] = i;
    }
    return BIPE_OK;
}
