/* test_scorer.c - the way from a spool to scored windows, of one length and of several that share their beginnings,
 * with an evaluator of the test's own: the loss of a token is a hash of all that a model would know of it (ids, segment
 * and intra indices up to it), so that any wrong input shows. */
#include "measure/scorer.h"

#include "tests/check.h"

/* ---- the evaluator of the test: takes the place of model's ---- */

struct bipe_evaluator {
    size_t runs, windows, tokens;
    size_t fail_at; /* the run that fails; 0: none */
    double more;    /* is added to each loss */
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

int bipe_evaluator_run(bipe_evaluator *evaluator, const bipe_window *windows, size_t count, bipe_error *err)
{
    CHECK(count >= 1);
    evaluator->runs++;
    evaluator->windows += count;
    if (evaluator->runs == evaluator->fail_at)
        return bipe_fail_memory(err);
    for (size_t w = 0; w < count; w++) {
        CHECK(windows[w].wanted[0] == 0);
        CHECK(w == 0 || windows[w].length <= windows[w - 1].length); /* those of one length go together */
        evaluator->tokens += windows[w].length;
        for (size_t t = 1; t < windows[w].length; t++)
            if (windows[w].wanted[t])
                windows[w].nll[t - 1] = loss_of(windows[w].ids, windows[w].index.of[1], windows[w].index.of[2], t) +
                                           evaluator->more;
    }
    return BIPE_OK;
}

size_t bipe_evaluator_together(const bipe_evaluator *evaluator)
{
    (void)evaluator;
    return 0;
}

/* In step: the losses of each model, and a divergence that tells its model and its place. */
struct bipe_divergence {
    bipe_evaluator *evaluator;
    size_t models;
};

int bipe_divergence_run(bipe_divergence *divergence, const bipe_window *const *windows,
                        bipe_token_divergence *const *const *to, size_t count, bipe_error *err)
{
    for (size_t m = 0; m < divergence->models; m++)
        CHECK(bipe_evaluator_run(divergence->evaluator + m, windows[m], count, err) == BIPE_OK);
    for (size_t m = 1; m < divergence->models; m++)
        for (size_t w = 0; w < count; w++)
            for (size_t t = 1; t < windows[m][w].length; t++)
                if (windows[m][w].wanted[t])
                    to[m][w][t - 1].divergence = windows[m][w].nll[t - 1] - windows[0][w].nll[t - 1] + (double)m;
    return BIPE_OK;
}

size_t bipe_divergence_together(const bipe_divergence *divergence)
{
    (void)divergence;
    return 0;
}

/* ---- a text ---- */

enum { TOKENS = 157 };
static bipe_token token[TOKENS];
static uint8_t closes[TOKENS], text[3 * TOKENS];
static uint32_t close_number[TOKENS];

static bipe_token_spool *make_spool(void)
{
    bipe_error err = {0};
    bipe_token_spool *spool;
    uint64_t seed = 3;
    size_t close_count = 0;
    memset(text, 'x', sizeof text);
    for (int k = 0; k < TOKENS; k++) {
        token[k] = (bipe_token){.start = 3 * (uint64_t)k, .end = 3 * (uint64_t)k + 3,
                                .id = (uint32_t)(test_random(&seed) % 50)};
        closes[k] = test_random(&seed) % 5 == 0;
        if (closes[k] != 0)
            close_number[close_count++] = (uint32_t)k;
    }
    const uint32_t *all = close_number;
    bipe_batch batch = {.tokens = token, .token_count = TOKENS, .closes = &all, .close_count = &close_count,
                        .bytes = text, .byte_count = sizeof text, .last = true};
    CHECK(bipe_token_spool_open(&spool, 1 << 20, 1, &err) == BIPE_OK);
    CHECK(bipe_token_spool_begin(spool, BIPE_NO_TOKEN, 60, &err) == BIPE_OK);
    CHECK(bipe_token_spool_batch(spool, &batch, &err) == BIPE_OK);
    return spool;
}

/* ---- what sinks are given ---- */

typedef struct record {
    const bipe_protocol *protocol;
    double nll[TOKENS]; /* by token of the text; -1: not scored */
    uint64_t windows;
    uint64_t first;     /* the index of the first window */
    uint64_t stop_at;   /* windows after which BIPE_STOPPED is returned; 0: never */
} record;

enum { BOS = 55, LENGTHS = 4 };

/* context: a record for each length of the plan, of each model. */
static int take(void *context, const bipe_scored_window *window, bipe_error *err)
{
    (void)err;
    record *r = (record *)context + window->model * LENGTHS + window->which;
    CHECK_UINT(window->index, r->first + r->windows);
    r->windows++;
    if (r->protocol->bos) {
        CHECK(window->token[0].id == BOS && window->token[0].start == window->token[0].end);
        CHECK(window->indices.of[1][0] == 0 && window->indices.of[2][0] == 0);
    }
    for (size_t t = window->first; t < window->length; t++) {
        size_t k = (size_t)(window->token[t].start / 3);
        CHECK(r->nll[k] < 0 && window->target[t - window->first] == 1);
        r->nll[k] = window->nll[t - window->first];
        CHECK(window->model == 0 ? window->divergence == NULL
                                 : window->divergence[t - window->first].divergence == 1001 * (double)window->model);
    }
    return r->stop_at != 0 && r->windows == r->stop_at ? BIPE_STOPPED : BIPE_OK;
}

static uint64_t batch_tokens, batches, batches_most;

static int take_batch(void *context, uint64_t tokens, bipe_error *err)
{
    (void)context;
    (void)err;
    batch_tokens += tokens;
    batches++;
    return batches == batches_most ? BIPE_STOPPED : BIPE_OK;
}

static void clear_record(record *r, const bipe_protocol *protocol)
{
    *r = (record){ .protocol = protocol };
    for (size_t k = 0; k < TOKENS; k++)
        r->nll[k] = -1;
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

static int score(bipe_evaluator *evaluator, bipe_token_spool *spool, bipe_plan *plan, record *r, bipe_error *err)
{
    const bipe_score_sink sink = { .window = take, .batch = take_batch, .context = r };
    batch_tokens = batches = 0;
    return bipe_score_plan(evaluator, spool, plan, 0, BOS, &sink, err);
}

static void run(bipe_token_spool *spool, const bipe_protocol *protocol, record *r)
{
    bipe_error err = {0};
    bipe_evaluator evaluator = {0};
    bipe_plan_length length = bipe_plan_all(protocol, TOKENS);
    bipe_plan plan = { .length = &length, .count = 1, .tokens = TOKENS, .share = true };
    clear_record(r, protocol);
    CHECK(score(&evaluator, spool, &plan, r, &err) == BIPE_OK);
    CHECK_UINT(r->windows, bipe_window_count(protocol, TOKENS));
    CHECK_UINT(evaluator.windows, r->windows);
    CHECK_UINT(evaluator.tokens, batch_tokens);
}

/* Several lengths at once give what each gives alone, in any number of shards, and with what is done already left
 * out. */
static void share(bipe_token_spool *spool, const uint64_t size[LENGTHS], uint64_t stride, int flags)
{
    static record alone[LENGTHS], all[LENGTHS], sharded[LENGTHS];
    bipe_protocol protocol[LENGTHS];
    bipe_plan_length length[LENGTHS];
    bipe_error err = {0};
    bipe_plan plan = { .length = length, .count = LENGTHS, .tokens = TOKENS, .share = (flags & 1) != 0 };
    uint64_t computed, tokens, want = 0, some = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        protocol[i] =
            (bipe_protocol){.length = size[i], .stride = stride, .tail = (flags & 2) != 0, .bos = (flags & 4) != 0};
        run(spool, &protocol[i], &alone[i]);
        want += batch_tokens;
        length[i] = bipe_plan_all(&protocol[i], TOKENS);
        clear_record(&all[i], &protocol[i]);
        clear_record(&sharded[i], &protocol[i]);
    }
    CHECK(bipe_plan_work(&plan, &computed, &tokens, &err) == BIPE_OK);
    CHECK_UINT(tokens, want);
    CHECK(plan.share ? computed < want : computed == want);
    bipe_evaluator evaluator = {0};
    CHECK(score(&evaluator, spool, &plan, all, &err) == BIPE_OK);
    CHECK_UINT(evaluator.tokens, computed);
    for (size_t i = 0; i < LENGTHS; i++)
        CHECK(all[i].windows == alone[i].windows && memcmp(all[i].nll, alone[i].nll, sizeof all[i].nll) == 0);
    for (uint64_t shard = 0; shard < 3; shard++) {
        for (size_t i = 0; i < LENGTHS; i++)
            length[i] = bipe_plan_all(&protocol[i], TOKENS);
        bipe_plan_shard(&plan, shard, 3);
        for (size_t i = 0; i < LENGTHS; i++) {
            CHECK_UINT(length[i].next, sharded[i].windows);
            if (shard == 1 && i % 2 == 0 && length[i].next < length[i].end) { /* done before */
                bipe_cut cut = bipe_window_cut(&protocol[i], TOKENS, length[i].next);
                for (uint64_t t = cut.first; t < cut.length; t++)
                    sharded[i].nll[cut.start + t - (cut.length - cut.count)] =
                        alone[i].nll[cut.start + t - (cut.length - cut.count)];
                sharded[i].windows++;
                length[i].next++;
            }
        }
        CHECK(score(&evaluator, spool, &plan, sharded, &err) == BIPE_OK);
        some += batch_tokens;
    }
    CHECK(some > 0);
    for (size_t i = 0; i < LENGTHS; i++)
        CHECK(sharded[i].windows == alone[i].windows && memcmp(sharded[i].nll, alone[i].nll, sizeof all[i].nll) == 0);
}

/* Three models in step see the windows that each sees alone. */
static void in_step(bipe_token_spool *spool, bool shared)
{
    enum { MODELS = 3 };
    static record alone[LENGTHS], all[MODELS * LENGTHS];
    static const size_t segmenter[MODELS];
    bipe_evaluator evaluator[MODELS] = {0};
    bipe_divergence divergence = {evaluator, MODELS};
    bipe_plan_length length[LENGTHS];
    bipe_error err = {0};
    bipe_protocol protocol[LENGTHS];
    bipe_plan plan = {.length = length, .count = LENGTHS, .tokens = TOKENS, .share = shared};
    const bipe_score_sink sink = {.window = take, .batch = take_batch, .context = all};
    for (size_t i = 0; i < LENGTHS; i++) {
        protocol[i] = (bipe_protocol){.length = (uint64_t)11 << i, .tail = true};
        run(spool, &protocol[i], &alone[i]);
        length[i] = bipe_plan_all(&protocol[i], TOKENS);
        for (size_t m = 0; m < MODELS; m++)
            clear_record(&all[m * LENGTHS + i], &protocol[i]);
    }
    for (size_t m = 0; m < MODELS; m++)
        evaluator[m].more = 1000 * (double)m;
    batch_tokens = 0;
    CHECK(bipe_score_in_step(&divergence, MODELS, spool, &plan, segmenter, BOS, &sink, &err) == BIPE_OK);
    for (size_t m = 0; m < MODELS; m++)
        for (size_t i = 0; i < LENGTHS; i++) {
            const record *r = &all[m * LENGTHS + i];
            CHECK_UINT(r->windows, alone[i].windows);
            for (size_t k = 0; k < TOKENS; k++)
                CHECK(r->nll[k] < 0 ? alone[i].nll[k] < 0 : r->nll[k] == alone[i].nll[k] + 1000 * (double)m);
        }
    CHECK(evaluator[0].tokens == evaluator[2].tokens && MODELS * evaluator[0].tokens == batch_tokens);
}

int main(void)
{
    bipe_token_spool *spool = make_spool();
    record r, other;
    for (uint64_t length = 2; length <= 40; length += 1 + length / 4)
        for (uint64_t stride = 0; stride <= length; stride += 1 + length / 7)
            for (int flags = 0; flags < 4; flags++) {
                bipe_protocol p = {.length = length, .stride = stride, .tail = (flags & 1) != 0,
                                   .bos = (flags & 2) != 0};
                run(spool, &p, &r);
                size_t payload = (size_t)length - (p.bos ? 1 : 0), bos = p.bos ? 1 : 0;
                size_t step = stride == 0 || stride > payload ? payload : (size_t)stride;
                uint64_t scored = 0, cuts = 0;
                for (uint64_t w = bipe_window_count(&p, TOKENS); w-- > 0;)
                    cuts += bipe_window_cut(&p, TOKENS, w).length - bipe_window_cut(&p, TOKENS, w).first;
                for (size_t k = 0; k < TOKENS; k++) {
                    if (r.nll[k] < 0)
                        continue;
                    scored++;
                    /* the earliest window that holds k starts here */
                    size_t start = k < payload ? 0 : (k - payload + step) / step * step;
                    CHECKF(k - start + bos > 0 && r.nll[k] == naive(k, k - start, p.bos),
                           "length %" PRIu64 " stride %" PRIu64 " token %zu", length, stride, k);
                }
                CHECK_UINT(scored, cuts);
            }
    /* A stride of L is none; a stride of 1 gives every token all the context that a window holds. */
    bipe_protocol plain = {.length = 20}, touching = {.length = 20, .stride = 20},
                  sliding = {.length = 20, .stride = 1};
    run(spool, &plain, &r);
    run(spool, &touching, &other);
    CHECK(memcmp(r.nll, other.nll, sizeof r.nll) == 0);
    run(spool, &sliding, &r);
    CHECK(r.nll[0] < 0);
    for (size_t k = 1; k < TOKENS; k++)
        CHECK(r.nll[k] == naive(k, k < 19 ? k : 19, false));
    /* A text shorter than a window: nothing, or with the tail all of it. */
    bipe_protocol lengthy = { .length = 1000 }, tail = { .length = 1000, .tail = true };
    run(spool, &lengthy, &r);
    CHECK_UINT(r.windows, 0);
    run(spool, &tail, &r);
    CHECK_UINT(r.windows, 1);
    CHECK(r.nll[TOKENS - 1] == naive(TOKENS - 1, TOKENS - 1, false));
    for (int flags = 0; flags < 8; flags++) {
        share(spool, (const uint64_t[]){ 8, 16, 32, 64 }, 0, flags);
        share(spool, (const uint64_t[]){ 64, 9, 27, 18 }, 0, flags);
        share(spool, (const uint64_t[]){ 20, 33, 150, 12 }, 7, flags);
    }
    in_step(spool, false);
    in_step(spool, true);
    /* Two and a half passes instead of four. */
    const bipe_protocol doubled[LENGTHS] = { { .length = 19 }, { .length = 38 }, { .length = 76 }, { .length = 152 } };
    bipe_plan_length length[LENGTHS];
    for (size_t i = 0; i < LENGTHS; i++)
        length[i] = bipe_plan_all(&doubled[i], 152);
    bipe_plan plan = { .length = length, .count = LENGTHS, .tokens = 152, .share = true };
    bipe_error err = {0};
    uint64_t computed, tokens;
    CHECK(bipe_plan_work(&plan, &computed, &tokens, &err) == BIPE_OK && tokens == 4 * 152 && 2 * computed == 5 * 152);
    /* Stopped by a window, and after a batch; the evaluator fails. */
    for (int way = 0; way < 3; way++) {
        bipe_evaluator evaluator = { .fail_at = way == 2 ? 1 : 0 };
        bipe_plan_length once = bipe_plan_all(&plain, TOKENS);
        bipe_plan stopped = { .length = &once, .count = 1, .tokens = TOKENS, .share = true };
        clear_record(&r, &plain);
        r.stop_at = way == 0 ? 3 : 0;
        batches_most = way == 1 ? 1 : 0;
        CHECK(score(&evaluator, spool, &stopped, &r, &err) == (way == 2 ? BIPE_ERR_MEMORY : BIPE_STOPPED));
        CHECK_UINT(r.windows, way == 0 ? 3 : way == 1 ? 7 : 0);
    }
    bipe_token_spool_close(spool);
    return test_result();
}
