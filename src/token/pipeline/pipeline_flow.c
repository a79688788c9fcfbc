/* pipeline_flow.c - see pipeline_flow.h. Its plain twin is a chunk that goes through the steps whole (pipeline_stream.c).
 *
 * Each step holds what it cannot do before more of the text has come, and gives the rest to the next. Behind the normalizers a text is a
 * row of pre-tokens, the last of which may be open. */
#include "token/pipeline/pipeline_flow.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "token/added_search.h"
#include "token/pipeline/step_text.h"

/* A normalizer. */
typedef struct normal {
    bipe_mapped held, out;
    bipe_step_state state;
    bool consumed; /* something of the text is done */
    bool last;     /* the text ends with what is held */
    bool more;     /* it has more to give before it gets more */
} normal;

/* A pre-tokenizer, or at the end none: there whole characters go out. */
typedef struct level {
    bipe_mapped held;  /* the end of a pre-token that is open */
    bipe_mapped out;
    bipe_ranges in, pieces;
    bool open;         /* the last pre-token that went out is open: what is held, or comes joined, goes on with it */
    bool consumed;
} level;

struct bipe_pipeline_flow {
    const bipe_pipeline *pipeline;
    bipe_flow_sink sink;
    bipe_mapped text;   /* what came last */
    uint64_t base;      /* where place 0 is in the document */
    bool first;         /* nothing of the text stands before it */
    bool search;        /* for added tokens in normalized text: */
    bool fresh;         /* one of them stands right before what comes next */
    bool something;     /* of normalized text came */
    bipe_added_search_state added;
    bipe_mapped inside; /* what may begin one; the whole text, where it must be whole: */
    bool whole;
    struct rest {       /* then, when it is there, what is to be done of it: */
        bool busy;
        bool looked, found; /* for an added token; it stands in [start, end) */
        bool emptied;   /* text before it is done, */
        size_t at;      /* which begins here */
        size_t search, start, end, resume;
        const bipe_added *added;
    } rest;
    bool words_first, words_origin; /* what pre-tokenizers are to see of both (bipe_mapped) */
    bool started;       /* a text for them */
    size_t levels;
    normal normal[BIPE_PIPELINE_STEPS];
    level level[BIPE_PIPELINE_STEPS + 1];
};

/* ---- the object ---- */

/* Pre-tokenizers but for one that writes bytes as letters, which the model does. */
static size_t count_levels(const bipe_pipeline *p)
{
    return p->pretokenizers - (p->bytes ? 1 : 0);
}

bool bipe_pipeline_flows(const bipe_pipeline *p)
{
    bool flows = true;
    for (size_t i = 0; flows && i < p->normalizers; i++) {
        const bipe_normalizer_type *type = p->normalizer[i].type;
        flows = (type->settled != NULL || type->flow != NULL) && (type->flows == NULL || type->flows(p->normalizer[i].config));
    }
    for (size_t i = 0; flows && i < count_levels(p); i++) {
        const bipe_pretokenizer_type *type = p->pretokenizer[i].type;
        flows = type->hold != NULL && (type->flows == NULL || type->flows(p->pretokenizer[i].config));
    }
    return flows;
}

int bipe_pipeline_flow_open(bipe_pipeline_flow **flow, const bipe_pipeline *p, bipe_flow_sink sink, bipe_error *err)
{
    bipe_pipeline_flow *f = *flow = bipe_alloc(1, sizeof *f);
    if (f == NULL)
        return bipe_fail_memory(err);
    f->pipeline = p;
    f->sink = sink;
    f->search = bipe_added_is_live(&p->inside);
    f->whole = !bipe_added_in_pieces(&p->inside);
    f->levels = count_levels(p);
    return BIPE_OK;
}

void bipe_pipeline_flow_close(bipe_pipeline_flow *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->pipeline->normalizers; i++) {
        bipe_mapped_free(&f->normal[i].held);
        bipe_mapped_free(&f->normal[i].out);
        bipe_set_aside_free(&f->normal[i].state.aside);
    }
    for (size_t j = 0; j <= f->levels; j++) {
        bipe_mapped_free(&f->level[j].held);
        bipe_mapped_free(&f->level[j].out);
        bipe_ranges_free(&f->level[j].in);
        bipe_ranges_free(&f->level[j].pieces);
    }
    bipe_mapped_free(&f->inside);
    bipe_mapped_free(&f->text);
    bipe_free(f);
}

void bipe_pipeline_flow_trim(bipe_pipeline_flow *f)
{
    for (size_t i = 0; i < f->pipeline->normalizers; i++)
        bipe_mapped_free(&f->normal[i].out);
    for (size_t j = 0; j <= f->levels; j++) {
        bipe_mapped_free(&f->level[j].out);
        bipe_ranges_free(&f->level[j].in);
        bipe_ranges_free(&f->level[j].pieces);
    }
    bipe_mapped_free(&f->text);
}

void bipe_pipeline_flow_begin(bipe_pipeline_flow *f, uint64_t base, bool first, bool fresh)
{
    f->base = base;
    f->first = first;
    f->fresh = fresh;
    f->words_first = first || fresh;
    f->words_origin = base == 0;
    f->something = f->started = f->rest.busy = false;
    f->inside.size = 0;
    bipe_added_search_begin(&f->added, &f->pipeline->inside);
    for (size_t i = 0; i < f->pipeline->normalizers; i++) {
        normal *n = &f->normal[i];
        n->held.size = n->state.given = 0;
        n->held.origin = base == 0;
        n->consumed = n->state.begun = n->state.open = false;
        n->state.code = n->state.breaks = 0;
        n->more = false;
        bipe_set_aside_reset(&n->state.aside);
    }
}

static uint32_t first_of(const bipe_mapped *held, uint32_t place)
{
    return held->size != 0 && held->start[0] < place ? held->start[0] : place;
}

uint32_t bipe_pipeline_flow_first(const bipe_pipeline_flow *f, uint32_t place)
{
    for (size_t i = 0; i < f->pipeline->normalizers; i++) {
        const bipe_step_state *s = &f->normal[i].state;
        place = first_of(&f->normal[i].held, place);
        if (bipe_set_aside_waits(&s->aside) && bipe_set_aside_first(&s->aside) < place)
            place = bipe_set_aside_first(&s->aside);
        if (s->begun && s->from < place)
            place = s->open || s->to == UINT32_MAX ? s->from : place;
    }
    for (size_t j = 0; j <= f->levels; j++)
        place = first_of(&f->level[j].held, place);
    return first_of(&f->inside, place);
}

void bipe_pipeline_flow_move(bipe_pipeline_flow *f, uint32_t delta)
{
    f->words_origin = f->words_origin && delta == 0;
    f->base += delta;
    for (size_t i = 0; i < f->pipeline->normalizers; i++) {
        bipe_step_state *s = &f->normal[i].state;
        bipe_mapped_move(&f->normal[i].held, delta);
        bipe_set_aside_move(&s->aside, delta);
        f->normal[i].held.origin = f->normal[i].held.origin && delta == 0;
        s->from -= s->from < delta ? s->from : delta;
        if (s->to != UINT32_MAX)
            s->to -= s->to < delta ? s->to : delta;
    }
    for (size_t j = 0; j <= f->levels; j++)
        bipe_mapped_move(&f->level[j].held, delta);
    bipe_mapped_move(&f->inside, delta);
}

static int check_size(const bipe_pipeline_flow *f, const bipe_mapped *held, size_t limit, bipe_error *err)
{
    if (held->size <= limit)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %zu bytes that belong together", f->base + held->start[0], limit);
}

static int check_held(const bipe_pipeline_flow *f, const bipe_mapped *held, bipe_error *err)
{
    return check_size(f, held, f->pipeline->hold_limit < BIPE_PIPELINE_TOGETHER ? f->pipeline->hold_limit : BIPE_PIPELINE_TOGETHER, err);
}

/* ---- pre-tokenizers ---- */

static int feed_level(bipe_pipeline_flow *f, size_t j, const bipe_mapped *text, const bipe_ranges *pieces, bool opens, bool last,
                      bipe_error *err);

/* What comes is put behind what is held. *joined: the first pre-token goes on with what went out. */
static int take_in(level *l, const bipe_mapped *text, const bipe_ranges *pieces, bool *joined, bipe_error *err)
{
    uint32_t before = (uint32_t)l->held.size;
    bool goes_on = text->joined && pieces->count != 0;
    l->in.count = 0;
    int status = bipe_mapped_copy(&l->held, text, 0, text->size, err);
    if (status == BIPE_OK && before != 0 && !goes_on)
        status = bipe_ranges_add(&l->in, 0, before, err);
    for (size_t i = 0; status == BIPE_OK && i < pieces->count; i++)
        status = bipe_ranges_add(&l->in, i == 0 && goes_on ? 0 : before + pieces->range[i].start, before + pieces->range[i].end, err);
    *joined = l->open && (before != 0 || goes_on);
    return status;
}

/* Gives the first `size` bytes of what is held to the next level. */
static int give(bipe_pipeline_flow *f, size_t j, size_t size, bool joined, bool opens, bool last, bipe_error *err)
{
    level *l = &f->level[j];
    size_t all = l->held.size;
    bool given = j < f->levels && f->pipeline->pretokenizer[j].type->split == NULL;
    bipe_mapped *out = given ? &l->out : &l->held;
    if (!given) {
        out->size = size;
        out->joined = joined;
    }
    out->joined = out->joined && l->pieces.count != 0 && l->pieces.range[0].start == 0;
    int status = BIPE_OK;
    if (size != 0 || last) {
        if (j < f->levels)
            status = feed_level(f, j + 1, out, &l->pieces, opens, last, err);
        else
            status = f->sink.pieces(f->sink.context, out, &l->pieces, opens, err);
    }
    l->held.size = all;
    l->consumed = l->consumed || size != 0;
    bipe_mapped_drop(&l->held, size);
    return status;
}

/* Up to where the pre-tokens of *in are decided. */
static int run_level(bipe_pipeline_flow *f, size_t j, size_t size, bool joined, bipe_error *err)
{
    level *l = &f->level[j];
    size_t all = l->held.size;
    const bipe_pretokenizer_step *step = &f->pipeline->pretokenizer[j];
    l->held.first = l->consumed || f->words_first;
    l->held.origin = f->words_origin;
    l->held.joined = joined;
    l->pieces.count = 0;
    if (step->type->split != NULL)
        return step->type->split(step->config, &l->held, &l->in, &l->pieces, err);
    l->out.size = 0;
    l->out.joined = false;
    l->out.first = l->held.first;
    l->out.origin = l->held.origin;
    l->held.size = size;
    int status = step->type->rewrite(step->config, &l->held, &l->in, &l->out, &l->pieces, err);
    l->held.size = all;
    return status;
}

/* Text of pre-tokens, the last of which is open (opens) or not. */
static int feed_level(bipe_pipeline_flow *f, size_t j, const bipe_mapped *text, const bipe_ranges *pieces, bool opens, bool last,
                      bipe_error *err)
{
    level *l = &f->level[j];
    const bipe_pretokenizer_step *step = j < f->levels ? &f->pipeline->pretokenizer[j] : NULL;
    bool joined;
    int status = take_in(l, text, pieces, &joined, err);
    if (status != BIPE_OK)
        return status;
    opens = opens && l->in.count != 0;
    size_t from = opens ? l->in.range[l->in.count - 1].start : l->held.size, size = l->held.size;
    if (opens && step != NULL)
        size = step->type->hold(step->config, l->held.text, from, size);
    else if (opens)
        size = from + bipe_utf8_complete(l->held.text + from, size - from);
    bool begun = size > from, split = step != NULL && step->type->split != NULL;
    if (opens && !split) { /* what is held comes again */
        l->in.range[l->in.count - 1].end = (uint32_t)size;
        l->in.count -= begun ? 0 : 1;
    }
    if (step != NULL) {
        status = run_level(f, j, size, joined, err);
    } else {
        bipe_ranges swap = l->pieces;
        l->pieces = l->in;
        l->in = swap;
    }
    while (split && opens && l->pieces.count != 0 && l->pieces.range[l->pieces.count - 1].start >= size)
        l->pieces.count--;
    if (split && opens) {
        bipe_range *r = l->pieces.count != 0 ? &l->pieces.range[l->pieces.count - 1] : NULL;
        begun = begun && r != NULL && r->end > size;
        if (begun)
            r->end = (uint32_t)size;
    }
    bool nothing = opens && size == 0; /* all that there is is held: what went out is as it was */
    l->open = nothing ? joined : opens && begun;
    if (status == BIPE_OK)
        status = give(f, j, size, joined, l->open && !nothing, last, err);
    return status == BIPE_OK ? check_held(f, &l->held, err) : status;
}

/* Normalized text without added tokens in it. */
static int feed_words(bipe_pipeline_flow *f, bipe_mapped *text, bool last, bipe_error *err)
{
    bipe_range all = {.start = 0, .end = (uint32_t)text->size};
    bipe_ranges pieces = {.range = &all, .count = text->size != 0 ? 1 : 0, .capacity = 1};
    if (text->size == 0 && !last)
        return BIPE_OK;
    if (!f->started)
        for (size_t j = 0; j <= f->levels; j++) {
            f->level[j].held.size = 0;
            f->level[j].open = f->level[j].consumed = false;
        }
    text->joined = f->started;
    f->started = !last;
    int status = feed_level(f, 0, text, &pieces, !last, last, err);
    return status == BIPE_OK && last ? f->sink.ends(f->sink.context, err) : status;
}

/* ---- added tokens in normalized text that must be whole ---- */

enum { SLICE = 32 << 10 };

/* The next thing: some of the text up to an added token or the end, or that token. */
static int go_on_inside(bipe_pipeline_flow *f, bipe_error *err)
{
    struct rest *r = &f->rest;
    const bipe_mapped *all = &f->inside;
    if (!r->looked) {
        r->found = bipe_added_next(&f->pipeline->inside, all->text, all->size, r->at, &r->search, &r->start, &r->end, &r->resume, &r->added);
        r->start = r->found ? r->start : all->size;
        r->looked = true;
        r->emptied = false;
    }
    if (!r->emptied) {
        size_t n = r->start - r->at < SLICE ? r->start - r->at : SLICE;
        bipe_mapped slice = {.text = all->text + r->at, .start = all->start + r->at, .end = all->end + r->at, .size = n};
        r->at += n;
        f->fresh = f->fresh && n == 0;
        r->emptied = r->at == r->start;
        return feed_words(f, n != 0 ? &slice : &(bipe_mapped){0}, r->emptied, err);
    }
    r->looked = false;
    if (r->found) {
        uint32_t end = all->end[r->end - 1];
        r->at = r->resume;
        f->fresh = f->words_first = true;
        return f->sink.added(f->sink.context, r->start < r->end ? all->start[r->start] : end, end, r->added->id, err);
    }
    r->busy = false;
    f->inside.size = 0;
    return BIPE_OK;
}

/* ---- added tokens in normalized text ---- */

/* Of text that is held the first bytes are done. */
static void drop_inside(bipe_pipeline_flow *f, size_t size)
{
    bipe_added_search_drop(&f->added, f->inside.text, size);
    bipe_mapped_drop(&f->inside, size);
}

/* Text that is held, up to `size`. */
static int feed_inside(bipe_pipeline_flow *f, size_t size, bool last, bipe_error *err)
{
    size_t all = f->inside.size;
    f->inside.size = size;
    int status = feed_words(f, &f->inside, last, err);
    f->inside.size = all;
    drop_inside(f, size);
    f->fresh = f->fresh && size == 0;
    return status;
}

static int feed_normalized(bipe_pipeline_flow *f, bipe_mapped *text, bool last, bipe_error *err)
{
    size_t start, end;
    const bipe_added *added;
    f->something = f->something || text->size != 0;
    if (!f->search)
        return feed_words(f, text, last, err);
    int status = bipe_mapped_copy(&f->inside, text, 0, text->size, err);
    if (f->whole && last)
        f->rest = (struct rest){.busy = true};
    if (f->whole)
        return status == BIPE_OK ? check_size(f, &f->inside, f->pipeline->hold_limit / 2, err) : status;
    while (status == BIPE_OK &&
           bipe_added_search_next(&f->added, &f->pipeline->inside, f->inside.text, f->inside.size, 0, last, &start, &end, &added) > 0) {
        status = feed_inside(f, start, true, err);
        if (status == BIPE_OK && start < end)
            status = f->sink.added(f->sink.context, f->inside.start[0], f->inside.end[end - start - 1], added->id, err);
        drop_inside(f, end - start);
        f->fresh = f->words_first = true;
    }
    if (status == BIPE_OK)
        status = feed_inside(f, start, last, err);
    return status == BIPE_OK ? check_held(f, &f->inside, err) : status;
}

/* ---- normalizers ---- */

static int run_normal(bipe_pipeline_flow *f, size_t i, bool last, size_t *taken, bool *more, bipe_error *err)
{
    normal *n = &f->normal[i];
    const bipe_normalizer_step *step = &f->pipeline->normalizer[i];
    n->held.first = f->first && (step->type->flow != NULL || !n->consumed);
    n->out.size = 0;
    n->out.first = n->held.first;
    n->out.origin = n->held.origin;
    *more = false;
    if (step->type->flow != NULL)
        return step->type->flow(step->config, &n->state, &n->held, last, &n->out, taken, more, err);
    *taken = last ? n->held.size : step->type->settled(step->config, &n->held);
    size_t all = n->held.size;
    n->held.size = *taken;
    int status = *taken != 0 ? step->type->run(step->config, &n->held, &n->out, err) : BIPE_OK;
    n->held.size = all;
    return status;
}

static int feed_normal(bipe_pipeline_flow *f, size_t i, bipe_mapped *text, bool last, bipe_error *err);

/* What step i makes of what it holds, or the next part of it. */
static int go_on(bipe_pipeline_flow *f, size_t i, bipe_error *err)
{
    normal *n = &f->normal[i];
    size_t taken;
    int status = run_normal(f, i, n->last, &taken, &n->more, err);
    if (status != BIPE_OK)
        return status;
    if (taken != 0 && !n->consumed) {
        n->consumed = true;
        if (i + 1 < f->pipeline->normalizers)
            f->normal[i + 1].held.origin = n->out.origin;
        else
            f->words_origin = n->out.origin;
    }
    bipe_mapped_drop(&n->held, taken);
    if (n->out.size != 0 || (n->last && !n->more))
        status = feed_normal(f, i + 1, &n->out, n->last && !n->more, err);
    return status == BIPE_OK ? check_held(f, &n->held, err) : status;
}

/* What *text adds to the text that step i gets. */
static int feed_normal(bipe_pipeline_flow *f, size_t i, bipe_mapped *text, bool last, bipe_error *err)
{
    if (i == f->pipeline->normalizers)
        return feed_normalized(f, text, last, err);
    f->normal[i].last = last;
    int status = bipe_mapped_copy(&f->normal[i].held, text, 0, text->size, err);
    return status == BIPE_OK ? go_on(f, i, err) : status;
}

/* The last step that has more to give: what it gave before has gone on. Behind all: none has. */
static size_t find_more(const bipe_pipeline_flow *f)
{
    size_t i = f->pipeline->normalizers;
    while (i != 0 && !f->normal[i - 1].more)
        i--;
    return i != 0 ? i - 1 : f->pipeline->normalizers;
}

bool bipe_pipeline_flow_owes(const bipe_pipeline_flow *f)
{
    return f->rest.busy || find_more(f) != f->pipeline->normalizers;
}

int bipe_pipeline_flow_go_on(bipe_pipeline_flow *f, bipe_error *err)
{
    size_t i = find_more(f);
    if (f->rest.busy)
        return go_on_inside(f, err);
    return i != f->pipeline->normalizers ? go_on(f, i, err) : BIPE_OK;
}

bool bipe_pipeline_flow_fresh(const bipe_pipeline_flow *f, bool before)
{
    return f->something ? f->fresh : before;
}

int bipe_pipeline_flow_feed(bipe_pipeline_flow *f, const uint8_t *bytes, size_t size, uint32_t place, bool last, bipe_error *err)
{
    f->text.size = 0;
    int status = bipe_mapped_put(&f->text, bytes, size, place, place + (uint32_t)size, err);
    return status == BIPE_OK ? feed_normal(f, 0, &f->text, last, err) : status;
}
