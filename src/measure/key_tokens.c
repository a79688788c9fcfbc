/* key_tokens.c - windows of a short context, and spans of key tokens; see key_tokens.h. */
#include "measure/key_tokens.h"

#include "base/alloc.h"

enum { SPANS_MEMORY = 4 << 20 };

/* Short window `index` of a window: false, there is none. */
static bool brief_cut(const bipe_key_rule *rule, const bipe_cut *whole, uint64_t index, bipe_cut *cut)
{
    uint64_t first = whole->first > rule->context ? whole->first : rule->context + rule->step;
    if (first >= whole->length || index > (whole->length - 1 - first) / rule->step)
        return false;
    first += index * rule->step;
    uint64_t left = whole->length - first, count = rule->context + (left < rule->step ? left : rule->step);
    *cut = (bipe_cut){.start = whole->start + first - rule->context, .count = count, .length = count,
                      .first = rule->context};
    return true;
}

int bipe_key_windows(const bipe_key_rule *rule, const bipe_protocol *whole, uint64_t tokens, bipe_protocol *brief,
                     bipe_cut **list, bipe_error *err)
{
    uint64_t windows = bipe_window_count(whole, tokens), count = 0;
    *list = NULL;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t made = 0;
        for (uint64_t w = 0; w < windows; w++) {
            bipe_cut cut = bipe_window_cut(whole, tokens, w), one;
            for (uint64_t i = 0; brief_cut(rule, &cut, i, &one); i++, made++)
                if (pass > 0)
                    (*list)[made] = one;
        }
        count = made;
        if (pass == 0 && (*list = bipe_alloc((size_t)count, sizeof **list)) == NULL)
            return bipe_fail_memory(err);
    }
    *brief = (bipe_protocol){.length = rule->context + rule->step, .count_bos = whole->count_bos, .list = *list,
                             .listed = count};
    return BIPE_OK;
}

/* ---- spans ---- */

int bipe_key_spans_reset(bipe_key_spans *spans, bipe_error *err)
{
    spans->last = (bipe_key_span){0};
    if (spans->spool == NULL)
        return bipe_spool_open(&spans->spool, SPANS_MEMORY, err);
    bipe_spool_truncate(spans->spool, 0);
    return BIPE_OK;
}

int bipe_key_spans_end(bipe_key_spans *spans, bipe_error *err)
{
    bipe_key_span last = spans->last;
    spans->last = (bipe_key_span){0};
    return last.end > last.start ? bipe_spool_append(spans->spool, &last, sizeof last, err) : BIPE_OK;
}

int bipe_key_spans_add(bipe_key_spans *spans, bipe_key_span span, bipe_error *err)
{
    bipe_key_span *last = &spans->last;
    if (last->end > last->start && span.document == last->document && span.start <= last->end) {
        last->end = span.end > last->end ? span.end : last->end;
        return BIPE_OK;
    }
    int status = bipe_key_spans_end(spans, err);
    *last = span;
    return status;
}

uint64_t bipe_key_spans_count(const bipe_key_spans *spans)
{
    return bipe_spool_size(spans->spool) / sizeof(bipe_key_span);
}

int bipe_key_spans_read(bipe_key_spans *spans, uint64_t index, bipe_key_span *span, bipe_error *err)
{
    return bipe_spool_read(spans->spool, index * sizeof *span, span, sizeof *span, err);
}

void bipe_key_spans_close(bipe_key_spans *spans)
{
    bipe_spool_close(spans->spool);
    *spans = (bipe_key_spans){0};
}

/* Whether a span ends before the token does, so that no later token can be in it either. */
static bool is_past(const bipe_key_span *span, const bipe_key_span *token)
{
    return span->document != token->document ? span->document < token->document : span->end < token->end;
}

int bipe_key_cursor_holds(bipe_key_cursor *cursor, bipe_key_spans *spans, bipe_key_span token, bool *holds,
                          bipe_error *err)
{
    bipe_key_span *span = &cursor->span;
    uint64_t count = bipe_key_spans_count(spans);
    int status = BIPE_OK;
    while ((cursor->next == 0 || is_past(span, &token)) && cursor->next < count && status == BIPE_OK)
        status = bipe_key_spans_read(spans, cursor->next++, span, err);
    *holds = cursor->next > 0 && token.end > token.start && span->document == token.document &&
             span->start <= token.start && token.end <= span->end;
    return status;
}
