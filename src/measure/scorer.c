/* scorer.c - from a plan and a token spool to scored windows; see scorer.h.
 *
 * A batch is some steps of the plan, one after the other in arrays of cells, one cell a token. The model gets their
 * longest windows sorted by length: those that go through it together are then alike. */
#include "measure/scorer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

/* Tokens of a batch, as far as a window is not longer: the first batch, and the most. In between as many as take about
 * this long: between two batches a caller can stop, and note what is finished. */
enum { BATCH_FIRST = 1 << 12, BATCH_MOST = 1 << 16 };
#define BATCH_SECONDS 2.0

/* What a model is given and gives. */
typedef struct part {
    bipe_spool_bits bits;        /* of the segmenter */
    uint32_t *index;             /* (2 * levels, cells) */
    double *nll;                 /* (cells) */
    bipe_token_divergence *divergence; /* NULL: of the first model */
    bipe_window *computed;       /* [steps] the windows for the model */
    size_t step_capacity, to_capacity;
    bipe_token_divergence **to;  /* [steps] */
} part;

typedef struct scorer {
    bipe_evaluator *evaluator;   /* of one model, */
    bipe_divergence *divergence; /* or of several */
    part *part;                  /* (parts), one each model */
    size_t parts;
    const bipe_window **windows; /* (parts) for a divergence */
    bipe_token_divergence *const **to; /* (parts) */
    bipe_token_spool *spool;
    bipe_plan *plan;
    int64_t bos;
    size_t cells;                /* capacity in tokens */
    size_t longest;              /* window of the plan */
    bipe_spool_token *token;     /* (cells), and so on */
    uint32_t *ids;
    uint8_t *closes, *target;
    size_t steps;
    bipe_plan_window *member;    /* [members] of all steps, each after the one that is computed */
    size_t members, member_capacity;
    size_t next;                 /* members of the first step of the next batch, which was taken from the plan
                                    already */
    size_t used;                 /* cells of the batch */
} scorer;

static void close_scorer(scorer *s)
{
    bipe_free(s->token);
    bipe_free(s->ids);
    bipe_free(s->closes);
    bipe_free(s->target);
    bipe_free(s->member);
    for (size_t i = 0; i < s->parts && s->part != NULL; i++) {
        bipe_free(s->part[i].index);
        bipe_free(s->part[i].nll);
        bipe_free(s->part[i].divergence);
        bipe_free(s->part[i].computed);
        bipe_free(s->part[i].to);
    }
    bipe_free(s->part);
    bipe_free(s->windows);
    bipe_free(s->to);
}

static int open_scorer(scorer *s, const size_t *segmenter, bipe_error *err)
{
    const bipe_plan *plan = s->plan;
    for (size_t i = 0; i < plan->count; i++) {
        const bipe_plan_length *length = &plan->length[i];
        if (length->next == length->end)
            continue;
        uint64_t longest = bipe_window_longest(&length->protocol, plan->tokens);
        if (longest > SIZE_MAX)
            return bipe_fail_memory(err);
        if (longest > s->longest)
            s->longest = (size_t)longest;
    }
    s->cells = s->longest > BATCH_MOST ? s->longest : BATCH_MOST;
    s->token = bipe_alloc(s->cells, sizeof *s->token);
    s->ids = bipe_alloc(s->cells, sizeof *s->ids);
    s->closes = bipe_alloc(s->cells, sizeof *s->closes);
    s->target = bipe_alloc(s->cells, sizeof *s->target);
    s->part = bipe_alloc(s->parts, sizeof *s->part);
    s->windows = bipe_alloc(s->parts, sizeof *s->windows);
    s->to = bipe_alloc(s->parts, sizeof *s->to);
    bool missing = s->token == NULL || s->ids == NULL || s->closes == NULL || s->target == NULL || s->part == NULL ||
                   s->windows == NULL || s->to == NULL;
    for (size_t i = 0; i < s->parts && !missing; i++) {
        part *p = &s->part[i];
        p->bits = bipe_token_spool_bits(s->spool, segmenter[i]);
        p->index = bipe_alloc(s->cells, 2 * p->bits.levels * sizeof *p->index);
        p->nll = bipe_alloc(s->cells, sizeof *p->nll);
        p->divergence = i > 0 ? bipe_alloc(s->cells, sizeof *p->divergence) : NULL;
        missing = p->index == NULL || p->nll == NULL || (i > 0 && p->divergence == NULL);
    }
    return missing ? bipe_fail_memory(err) : BIPE_OK;
}

/* The window of the step in the cells from `at` on, with the indices of a model. */
static int add_computed(scorer *s, part *p, size_t at, size_t length, bipe_error *err)
{
    if (bipe_grow(&p->computed, &p->step_capacity, s->steps + 1, sizeof *p->computed) != 0)
        return bipe_fail_memory(err);
    for (size_t t = 0; t < length; t++)
        s->closes[at + t] = bipe_spool_token_closes(&s->token[at + t], p->bits);
    bipe_positions(s->closes + at, length, p->bits.levels, p->index + at, s->cells);
    p->computed[s->steps] = (bipe_window){
        .ids = s->ids + at,
        .index = bipe_indices_of(p->index, p->bits.levels, s->cells, at),
        .length = length,
        .wanted = s->target + at,
        .nll = p->nll + at,
    };
    return BIPE_OK;
}

/* Loads the window that a step computes, its members, after the cells that are used. */
static int load_step(scorer *s, const bipe_plan_window *member, size_t members, bipe_error *err)
{
    const bipe_cut *cut = &member[0].cut;
    size_t at = s->used, length = (size_t)cut->length, added = (size_t)(cut->length - cut->count);
    bipe_spool_token *token = s->token + at;
    int status = bipe_token_spool_read(s->spool, cut->start, token + added, (size_t)cut->count, err);
    if (status != BIPE_OK)
        return status;
    if (added != 0)
        token[0] = (bipe_spool_token){ .start = token[1].start, .end = token[1].start, .id = (uint32_t)s->bos };
    const bipe_protocol *protocol = &s->plan->length[member[0].which].protocol;
    if (protocol->replace)
        token[0] = (bipe_spool_token){ .start = token[0].start, .end = token[0].start, .id = (uint32_t)s->bos };
    bool count_bos = protocol->count_bos;
    for (size_t t = 0; t < length; t++) {
        s->ids[at + t] = token[t].id;
        s->target[at + t] = 0;
    }
    for (size_t i = 0; i < members; i++)
        for (size_t t = (size_t)member[i].cut.first; t < (size_t)member[i].cut.length; t++)
            s->target[at + t] = count_bos || token[t].id != s->bos || token[t].start != token[t].end;
    for (size_t i = 0; i < s->parts && status == BIPE_OK; i++)
        status = add_computed(s, &s->part[i], at, length, err);
    s->steps++;
    s->used += length;
    return status;
}

/* Fills a batch with steps of up to `most` tokens, but at least one; none when the plan is done. */
static int fill_batch(scorer *s, size_t most, bipe_error *err)
{
    for (size_t i = 0; i < s->next; i++)
        s->member[i] = s->member[s->members + i];
    s->members = s->used = s->steps = 0;
    for (;;) {
        size_t members = s->next;
        s->next = 0;
        if (members == 0) {
            if (bipe_grow(&s->member, &s->member_capacity, s->members + s->plan->count, sizeof *s->member) != 0)
                return bipe_fail_memory(err);
            members = bipe_plan_next(s->plan, s->member + s->members);
        }
        if (members == 0)
            return BIPE_OK;
        const bipe_plan_window *member = s->member + s->members;
        if (s->used > 0 && (s->used >= most || member[0].cut.length > most - s->used)) {
            s->next = members;
            return BIPE_OK;
        }
        int status = load_step(s, member, members, err);
        if (status != BIPE_OK)
            return status;
        s->members += members;
    }
}

/* Long windows first, else in the order of the text. */
static int compare_windows(const void *a, const void *b)
{
    const bipe_window *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return x->ids < y->ids ? -1 : 1;
}

static int report_windows(const scorer *s, const bipe_score_sink *sink, bipe_error *err)
{
    size_t at = 0, next = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < s->members && status == BIPE_OK; i++) {
        const bipe_cut *cut = &s->member[i].cut;
        /* A step begins with its computed window; the others start at the same token. */
        if (i == 0 || cut->start != s->member[i - 1].cut.start || !s->plan->share) {
            at = next;
            next += (size_t)cut->length;
        }
        bipe_scored_window out = {
            .which = s->member[i].which,
            .index = s->member[i].index,
            .start = cut->start,
            .added = (size_t)(cut->length - cut->count),
            .length = (size_t)cut->length,
            .first = (size_t)cut->first,
            .token = s->token + at,
            .target = s->target + at + cut->first,
        };
        for (const part *p = s->part; out.model < s->parts && status == BIPE_OK; p++, out.model++) {
            out.indices = bipe_indices_of(p->index, p->bits.levels, s->cells, at);
            out.nll = p->nll + at + cut->first - 1;
            out.divergence = out.model > 0 ? p->divergence + at + cut->first - 1 : NULL;
            status = sink->window(sink->context, &out, err);
        }
    }
    return status;
}

/* Computes the batch. */
static int compute_steps(scorer *s, bipe_error *err)
{
    for (size_t i = 0; i < s->parts; i++) {
        part *p = &s->part[i];
        qsort(p->computed, s->steps, sizeof *p->computed, compare_windows);
        if (s->divergence == NULL)
            return bipe_evaluator_run(s->evaluator, p->computed, s->steps, err);
        if (bipe_grow(&p->to, &p->to_capacity, s->steps, sizeof *p->to) != 0)
            return bipe_fail_memory(err);
        for (size_t w = 0; w < s->steps && i > 0; w++)
            p->to[w] = p->divergence + (p->computed[w].nll - p->nll);
        s->windows[i] = p->computed;
        s->to[i] = p->to;
    }
    return bipe_divergence_run(s->divergence, s->windows, s->to, s->steps, err);
}

static int score_batches(scorer *s, const bipe_score_sink *sink, bipe_error *err)
{
    size_t most = s->plan->batch != 0 ? s->plan->batch : BATCH_FIRST,
           least = s->divergence == NULL ? bipe_evaluator_together(s->evaluator)
                                         : bipe_divergence_together(s->divergence);
    least = least < s->cells ? least : s->cells;
    for (;;) {
        int status = fill_batch(s, most > least ? most : least, err);
        if (status != BIPE_OK || s->steps == 0)
            return status;
        double started = bipe_seconds();
        status = compute_steps(s, err);
        double took = bipe_seconds() - started;
        if (took > BATCH_SECONDS)
            most = (size_t)((double)s->used * BATCH_SECONDS / took) + 1;
        else if (took < BATCH_SECONDS / 2)
            most = most < BATCH_MOST / 2 ? 2 * most : BATCH_MOST;
        s->plan->batch = most;
        if (status == BIPE_OK)
            status = report_windows(s, sink, err);
        if (status == BIPE_OK && sink->batch != NULL)
            status = sink->batch(sink->context, (uint64_t)s->used * s->parts, err);
        if (status != BIPE_OK)
            return status;
    }
}

static int score_parts(scorer *s, const size_t *segmenter, const bipe_score_sink *sink, bipe_error *err)
{
    int status = open_scorer(s, segmenter, err);
    if (status == BIPE_OK)
        status = score_batches(s, sink, err);
    close_scorer(s);
    return status;
}

int bipe_score_plan(bipe_evaluator *evaluator, bipe_token_spool *spool, bipe_plan *plan, size_t segmenter, int64_t bos,
                    const bipe_score_sink *sink, bipe_error *err)
{
    scorer s = { .evaluator = evaluator, .parts = 1, .spool = spool, .plan = plan, .bos = bos };
    return score_parts(&s, &segmenter, sink, err);
}

int bipe_score_in_step(bipe_divergence *divergence, size_t models, bipe_token_spool *spool, bipe_plan *plan,
                       const size_t *segmenter, int64_t bos, const bipe_score_sink *sink, bipe_error *err)
{
    scorer s = { .divergence = divergence, .parts = models, .spool = spool, .plan = plan, .bos = bos };
    return score_parts(&s, segmenter, sink, err);
}
