/* set_aside.c - see set_aside.h. */
#include "token/pipeline/set_aside.h"

#include "base/alloc.h"
#include "base/spool.h"
#include "token/pipeline/pipeline.h"

enum { IN_MEMORY = 1 << 16 };

static int file_run(bipe_set_aside *a, bipe_error *err)
{
    int status = bipe_spool_append(a->runs, &a->filling, sizeof a->filling, err);
    a->filling.count = 0;
    return status;
}

static int put_place(bipe_set_aside *a, uint32_t start, uint32_t end, bipe_error *err)
{
    bipe_aside_run *r = &a->filling;
    if (r->count != 0) {
        uint32_t steps = r->count - 1;
        uint32_t start_step = start - (r->start + steps * r->start_step), end_step = end - (r->end + steps * r->end_step);
        bool goes_on = steps != 0 ? start_step == r->start_step && end_step == r->end_step : start_step <= UINT16_MAX && end_step <= UINT16_MAX;
        if (goes_on) {
            r->start_step = (uint16_t)start_step;
            r->end_step = (uint16_t)end_step;
            r->count++;
            return BIPE_OK;
        }
        int status = file_run(a, err);
        if (status != BIPE_OK)
            return status;
    }
    *r = (bipe_aside_run){.count = 1, .start = start, .end = end};
    return BIPE_OK;
}

int bipe_set_aside_put(bipe_set_aside *a, const bipe_mapped *text, size_t from, size_t to, bipe_error *err)
{
    int status = BIPE_OK;
    if (from == to)
        return BIPE_OK;
    if (a->text == NULL)
        status = bipe_spool_open(&a->text, IN_MEMORY, err);
    if (status == BIPE_OK && a->runs == NULL)
        status = bipe_spool_open(&a->runs, IN_MEMORY, err);
    if (status == BIPE_OK)
        status = bipe_spool_append(a->text, text->text + from, to - from, err);
    if (a->size == 0)
        a->first = text->start[from];
    for (size_t i = from; status == BIPE_OK && i < to; i++)
        status = put_place(a, text->start[i] + a->moved, text->end[i] + a->moved, err);
    a->size += to - from;
    return status;
}

static int read_runs(bipe_set_aside *a, bipe_error *err)
{
    uint64_t left = bipe_spool_size(a->runs) - a->runs_at;
    size_t size = left < sizeof a->giving ? (size_t)left : sizeof a->giving;
    a->next_run = 0;
    if (size == 0) { /* the last */
        a->giving[0] = a->filling;
        a->runs_read = 1;
        return BIPE_OK;
    }
    a->runs_read = size / sizeof *a->giving;
    a->runs_at += size;
    return bipe_spool_read(a->runs, a->runs_at - size, a->giving, size, err);
}

int bipe_set_aside_give(bipe_set_aside *a, size_t size, bipe_mapped *out, bipe_error *err)
{
    size = a->size - a->given < size ? (size_t)(a->size - a->given) : size;
    int status = size != 0 ? bipe_mapped_reserve(out, size, err) : BIPE_OK;
    if (status == BIPE_OK && size != 0)
        status = bipe_spool_read(a->text, a->given, out->text + out->size, size, err);
    for (size_t i = 0; status == BIPE_OK && i < size; i++) {
        if (a->next_run == a->runs_read && (status = read_runs(a, err)) != BIPE_OK)
            break;
        bipe_aside_run *r = &a->giving[a->next_run];
        out->start[out->size] = r->start - a->moved;
        out->end[out->size++] = r->end - a->moved;
        a->first = r->start;
        r->start += r->start_step;
        r->end += r->end_step;
        a->next_run += --r->count == 0;
    }
    a->given += size;
    if (!bipe_set_aside_waits(a))
        bipe_set_aside_reset(a);
    return status;
}

void bipe_set_aside_move(bipe_set_aside *a, uint32_t delta)
{
    if (bipe_set_aside_waits(a))
        a->moved += delta;
}

void bipe_set_aside_reset(bipe_set_aside *a)
{
    if (a->text != NULL)
        bipe_spool_reset(a->text);
    if (a->runs != NULL)
        bipe_spool_reset(a->runs);
    *a = (bipe_set_aside){.text = a->text, .runs = a->runs};
}

void bipe_set_aside_free(bipe_set_aside *a)
{
    bipe_spool_close(a->text);
    bipe_spool_close(a->runs);
    *a = (bipe_set_aside){0};
}
