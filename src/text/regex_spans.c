/* regex_spans.c - runs the automaton of a program over a text in memory. An attempt starts at each place in turn, so that where a match
 * starts is known; made for patterns that match most of a text. */
#include "text/regex_spans.h"

#include "base/alloc.h"
#include "text/regex_cursor.h"
#include "text/regex_states.h"

#define AGAIN_BASE ((uint64_t)1 << 30) /* bytes that may be gone through again in any text, and */
#define AGAIN_EACH UINT64_C(1000)      /* for each byte of it */

struct bipe_regex_spans {
    const bipe_regex_program *program;
    bipe_regex_states states;
    const uint8_t *text;
    size_t size, at;
    size_t start;   /* of the attempt */
    size_t last;    /* end of its last candidate */
    uint32_t row;
    bool over;
    bool final;     /* the text ends behind what is there */
    bool bytes;     /* each is a character: */
    uint8_t symbol[256];
    uint64_t again, dropped;
};

int bipe_regex_spans_open(bipe_regex_spans **spans, const bipe_regex_program *program, bipe_error *err)
{
    *spans = NULL;
    bipe_regex_spans *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->program = program;
    int status = bipe_regex_states_open(&s->states, program, true, err);
    if (status != BIPE_OK) {
        bipe_free(s);
        return status;
    }
    *spans = s;
    return BIPE_OK;
}

void bipe_regex_spans_close(bipe_regex_spans *s)
{
    if (s == NULL)
        return;
    bipe_regex_states_close(&s->states);
    bipe_free(s);
}

int bipe_regex_spans_begin(bipe_regex_spans *s, const uint8_t *text, size_t size, bipe_error *err)
{
    s->text = text;
    s->size = size;
    s->at = s->start = 0;
    s->again = 0;
    s->last = 0;
    s->dropped = 0;
    s->over = false;
    s->final = true;
    return bipe_regex_states_start(&s->states, s->program->context[s->program->edge], &s->row, err);
}

void bipe_regex_spans_more(bipe_regex_spans *s, const uint8_t *text, size_t size, bool final)
{
    s->text = text;
    s->size = size;
    s->final = final;
}

void bipe_regex_spans_drop(bipe_regex_spans *s, size_t size)
{
    s->at -= size;
    s->start -= s->start < size ? s->start : size;
    s->last -= s->last < size ? s->last : size;
    s->text += size;
    s->size -= size;
    s->dropped += size;
}

void bipe_regex_spans_known(const bipe_regex_spans *s, size_t *start, size_t *sure)
{
    *start = s->start;
    *sure = s->last > s->start ? s->last : s->start;
}

int bipe_regex_spans_of_bytes(bipe_regex_spans *s, const uint16_t code[256], bipe_error *err)
{
    int status = BIPE_OK;
    s->bytes = true;
    for (unsigned b = 0; status == BIPE_OK && b < 256; b++) {
        uint8_t text[4];
        size_t length, size = bipe_utf8_encode(code[b], text);
        unsigned symbol;
        status = bipe_regex_read_symbol(&s->states.characters, s->program, text, size, true, &symbol, &length, err);
        s->symbol[b] = (uint8_t)symbol;
    }
    return status;
}

/* The symbol of the character at `at`, and its length: 0 when it is not complete as yet. */
static int read_symbol(bipe_regex_spans *s, size_t at, unsigned *symbol, size_t *length, bipe_error *err)
{
    if (!s->bytes)
        return bipe_regex_read_symbol(&s->states.characters, s->program, s->text + at, s->size - at, s->final, symbol, length, err);
    *symbol = s->symbol[s->text[at]];
    *length = 1;
    return BIPE_OK;
}

/* Goes on with an attempt at another place, which has text in front. */
static int go_to(bipe_regex_spans *s, size_t at, bipe_error *err)
{
    s->again += s->at - at;
    if (s->again > AGAIN_BASE && (s->again - AGAIN_BASE) / AGAIN_EACH > s->dropped + s->size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "the text is gone through more than %u times, expected a pattern that backtracks less",
                         (unsigned)AGAIN_EACH);
    s->at = s->start = at;
    unsigned context;
    int status = bipe_regex_read_context(&s->states.characters, s->program, s->text, at, &context, err);
    return status == BIPE_OK ? bipe_regex_states_start(&s->states, context, &s->row, err) : status;
}

/* Moves along plain steps, from *row on. */
static void move(bipe_regex_spans *s)
{
    const bipe_regex_characters *characters = &s->states.characters;
    const uint8_t *text = s->text, *symbols = s->bytes ? s->symbol : characters->ascii;
    const bipe_regex_step *table = s->states.table;
    size_t at = s->at, end = s->size, last = s->last;
    uint32_t row = s->row;
    for (;;) {
        bipe_regex_step step;
        unsigned symbol;
        for (; at < end; at++) {
            step = table[row + symbols[text[at]]];
            if ((step & REGEX_STOP) != 0)
                break;
            last = (step & REGEX_CANDIDATE) != 0 ? at : last;
            row = step >> REGEX_ROW;
        }
        if (at >= end || text[at] < 0x80 || s->bytes)
            break;
        size_t length = bipe_regex_symbol_at(characters, text + at, end - at, &symbol);
        if (length == 0)
            break;
        step = table[row + symbol];
        if ((step & REGEX_STOP) != 0)
            break;
        last = (step & REGEX_CANDIDATE) != 0 ? at : last;
        row = step >> REGEX_ROW;
        at += length;
    }
    s->at = at;
    s->last = last;
    s->row = row;
}

/* Goes on through what the same step stays in the same state for. */
static void skip(bipe_regex_spans *s, bipe_regex_step step)
{
    const uint8_t *symbols = s->bytes ? s->symbol : s->states.characters.ascii;
    const bipe_regex_step *row = s->states.table + s->row;
    size_t at = s->at;
    while (at < s->size && row[symbols[s->text[at]]] == step)
        at++;
    s->at = s->start = at;
}

int bipe_regex_spans_next(bipe_regex_spans *s, size_t *start, size_t *end, bipe_error *err)
{
    const bipe_regex_program *p = s->program;
    while (!s->over) {
        unsigned symbol = p->edge;
        size_t length = 0;
        int status = BIPE_OK;
        move(s);
        if (s->at < s->size)
            status = read_symbol(s, s->at, &symbol, &length, err);
        if (status != BIPE_OK)
            return status;
        if (length == 0 && !s->final)
            return BIPE_END;
        bipe_regex_step step = s->states.table[s->row + symbol];
        if (bipe_regex_task_of(step) == REGEX_UNKNOWN && (step & REGEX_STOP) != 0)
            status = bipe_regex_states_build(&s->states, s->row, symbol, &step, err);
        if (status != BIPE_OK)
            return status;
        if ((step & REGEX_CANDIDATE) != 0)
            s->last = s->at;
        bipe_regex_task task = bipe_regex_task_of(step);
        *start = s->start;
        *end = s->at;
        switch (task) {
        case REGEX_LAST:
            *end = s->last;
            return go_to(s, s->last, err);
        case REGEX_FAIL:
            status = read_symbol(s, s->start, &symbol, &length, err);
            if (status == BIPE_OK)
                status = go_to(s, s->start + length, err);
            if (status != BIPE_OK)
                return status;
            continue;
        case REGEX_OVER: s->over = true; continue;
        case REGEX_UNKNOWN:
        case REGEX_CALM:
        case REGEX_FOUND:
        case REGEX_FOUND_CALM:
        case REGEX_STAY: break;
        }
        bipe_regex_step same = s->row << REGEX_ROW | REGEX_CALM << REGEX_TASK_SHIFT | REGEX_STOP; /* nothing is begun, as before */
        s->row = step >> REGEX_ROW;
        s->over = length == 0;
        if (task == REGEX_FOUND)
            s->start = s->at;
        s->at += length;
        if (task == REGEX_CALM || task == REGEX_FOUND_CALM)
            s->start = s->at;
        if (step == same)
            skip(s, step);
        if (task == REGEX_FOUND || task == REGEX_FOUND_CALM)
            return BIPE_OK;
    }
    return BIPE_END;
}
