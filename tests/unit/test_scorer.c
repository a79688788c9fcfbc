/* test_scorer.c - the way from a spool to scored windows, with an evaluator of the test's own: the loss of a token is a
 * hash of all that a model would know of it (ids, segment and intra indices up to it), so that any wrong input shows. */
#include "measure/scorer.h"

#include "tests/check.h"

/* ---- the evaluator of the test: takes the place of model's ---- */

struct bipe_evaluator {
    size_t batch;
    size_t runs, windows;
};

static double loss_of(const uint32_t *ids, const uint32_t *segment, const uint32_t *intra, size_t t)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k <= t; k++) {
        hash = (hash ^ ids[k]) * 1099511628211u;
        hash = (hash ^ segment[k]) * 1099511628211u;
        hash = (hash ^ intra[k]) * 1099511628211u;
    }
    return (double)(hash % 1000003);
}

size_t bipe_evaluator_batch(const bipe_evaluator *evaluator, size_t length)
{
    (void)length;
    return evaluator->batch;
}

int bipe_evaluator_run(bipe_evaluator *evaluator, const bipe_window *windows, size_t count, bipe_error *err)
{
    (void)err;
    CHECK(count >= 1 && count <= evaluator->batch);
    evaluator->runs++;
    evaluator->windows += count;
    for (size_t w = 0; w < count; w++) {
        CHECK(windows[w].wanted[0] == 0);
        for (size_t t = 1; t < windows[w].length; t++)
            if (windows[w].wanted[t])
                windows[w].nll[t - 1] = loss_of(windows[w].ids, windows[w].segment, windows[w].intra, t);
    }
    return BIPE_OK;
}

/* ---- a text ---- */

enum { TOKENS = 157 };
static bipe_token token[TOKENS];
static uint8_t closes[TOKENS], text[3 * TOKENS];
static uint32_t close_number[TOKENS];

static bipe_token_spool *make_spool(void)
{
    bipe_error err = { 0 };
    bipe_token_spool *spool;
    uint64_t seed = 3;
    size_t close_count = 0;
    memset(text, 'x', sizeof text);
    for (int k = 0; k < TOKENS; k++) {
        token[k] = (bipe_token){ .start = 3 * (uint64_t)k, .end = 3 * (uint64_t)k + 3, .id = (uint32_t)(test_random(&seed) % 50) };
        closes[k] = test_random(&seed) % 5 == 0;
        if (closes[k] != 0)
            close_number[close_count++] = (uint32_t)k;
    }
    const uint32_t *all = close_number;
    bipe_batch batch = { .tokens = token, .token_count = TOKENS, .closes = &all, .close_count = &close_count, .bytes = text,
                         .byte_count = sizeof text, .last = true };
    CHECK(bipe_token_spool_open(&spool, 1 << 20, &err) == BIPE_OK);
    CHECK(bipe_token_spool_begin(spool, BIPE_NO_TOKEN, 60, &err) == BIPE_OK);
    CHECK(bipe_token_spool_batch(spool, &batch, &err) == BIPE_OK);
    return spool;
}

/* ---- what is handed on ---- */

typedef struct record {
    const bipe_protocol *protocol;
    double nll[TOKENS]; /* by token of the text; -1: not scored */
    uint64_t windows;
    uint64_t stop_at;   /* windows after which BIPE_END is returned; 0: never */
} record;

enum { BOS = 55 };

static int take(void *context, const bipe_scored_window *window, bipe_error *err)
{
    (void)err;
    record *r = context;
    CHECK_UINT(window->index, r->windows);
    r->windows++;
    if (r->protocol->bos) {
        CHECK(window->token[0].id == BOS && window->token[0].start == window->token[0].end);
        CHECK(window->segment[0] == 0 && window->intra[0] == 0);
    }
    for (size_t t = window->first; t < window->length; t++) {
        size_t k = (size_t)(window->token[t].start / 3);
        CHECK(r->nll[k] < 0);
        r->nll[k] = window->nll[t - window->first];
    }
    return r->stop_at != 0 && r->windows == r->stop_at ? BIPE_END : BIPE_OK;
}

/* The loss of token k of the text seen from `context` tokens before it (and a BOS), positions counted from there. */
static double naive(size_t k, size_t context, bool bos)
{
    uint32_t ids[TOKENS + 1], segment[TOKENS + 1], intra[TOKENS + 1];
    size_t length = 0;
    uint32_t n = 0, i = 0;
    if (bos) {
        ids[0] = BOS;
        segment[0] = intra[0] = 0;
        length = 1;
        i = 1;
    }
    for (size_t j = k - context; j <= k; j++) {
        ids[length] = token[j].id;
        segment[length] = n;
        intra[length] = i;
        length++;
        i++;
        if (closes[j] != 0) {
            n++;
            i = 0;
        }
    }
    return loss_of(ids, segment, intra, length - 1);
}

static void run(bipe_token_spool *spool, const bipe_protocol *protocol, size_t batch, record *r)
{
    bipe_error err = { 0 };
    bipe_evaluator evaluator = { .batch = batch };
    *r = (record){ .protocol = protocol };
    for (size_t k = 0; k < TOKENS; k++)
        r->nll[k] = -1;
    CHECK(bipe_score_spool(&evaluator, spool, protocol, BOS, take, r, &err) == BIPE_OK);
    CHECK_UINT(r->windows, bipe_window_count(protocol, TOKENS));
    CHECK_UINT(evaluator.windows, r->windows);
}

int main(void)
{
    bipe_token_spool *spool = make_spool();
    record r, other;
    for (uint64_t length = 2; length <= 40; length += 1 + length / 4)
        for (uint64_t stride = 0; stride <= length; stride += 1 + length / 7)
            for (int flags = 0; flags < 4; flags++) {
                bipe_protocol p = { .length = length, .stride = stride, .tail = (flags & 1) != 0, .bos = (flags & 2) != 0 };
                run(spool, &p, 1 + (size_t)(length % 5), &r);
                size_t payload = (size_t)length - (p.bos ? 1 : 0), bos = p.bos ? 1 : 0;
                size_t step = stride == 0 || stride > payload ? payload : (size_t)stride;
                uint64_t scored = 0;
                for (size_t k = 0; k < TOKENS; k++) {
                    if (r.nll[k] < 0)
                        continue;
                    scored++;
                    /* the earliest window that holds k starts here */
                    size_t start = k < payload ? 0 : (k - payload + step) / step * step;
                    CHECKF(k - start + bos > 0 && r.nll[k] == naive(k, k - start, p.bos), "length %" PRIu64 " stride %" PRIu64
                           " token %zu", length, stride, k);
                }
                CHECK_UINT(scored, bipe_window_scored(&p, TOKENS));
            }
    /* A stride of L is none; a stride of 1 gives every token all the context that a window holds. */
    bipe_protocol plain = { .length = 20 }, touching = { .length = 20, .stride = 20 }, sliding = { .length = 20, .stride = 1 };
    run(spool, &plain, 3, &r);
    run(spool, &touching, 4, &other);
    CHECK(memcmp(r.nll, other.nll, sizeof r.nll) == 0);
    run(spool, &sliding, 7, &r);
    CHECK(r.nll[0] < 0);
    for (size_t k = 1; k < TOKENS; k++)
        CHECK(r.nll[k] == naive(k, k < 19 ? k : 19, false));
    /* A text shorter than a window: nothing, or with the tail all of it. */
    bipe_protocol lengthy = { .length = 1000 }, tail = { .length = 1000, .tail = true };
    run(spool, &lengthy, 1, &r);
    CHECK_UINT(r.windows, 0);
    run(spool, &tail, 1, &r);
    CHECK_UINT(r.windows, 1);
    CHECK(r.nll[TOKENS - 1] == naive(TOKENS - 1, TOKENS - 1, false));
    /* Stopped. */
    bipe_error err = { 0 };
    bipe_evaluator evaluator = { .batch = 2 };
    record stopped = { .protocol = &plain, .stop_at = 3 };
    for (size_t k = 0; k < TOKENS; k++)
        stopped.nll[k] = -1;
    CHECK(bipe_score_spool(&evaluator, spool, &plain, BOS, take, &stopped, &err) == BIPE_END);
    CHECK_UINT(stopped.windows, 3);
    CHECK_UINT(evaluator.runs, 2);
    bipe_token_spool_close(spool);
    return test_result();
}
