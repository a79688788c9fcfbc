/* byte_splits.c - see byte_splits.h.
 *
 * What the steps before one have split is a text of its own for it. It may begin with that before its end is known. */
#include "token/pipeline/byte_splits.h"

#include "base/alloc.h"
#include "text/pattern.h"
#include "text/regex_spans.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/step_text.h"

/* One step. Places count from the first byte that is held. */
typedef struct level {
    bipe_splitter how;
    bipe_regex_spans *spans; /* of a pattern, whose text begins at `from`; else: */
    uint8_t matches[256];    /* of a byte of ASCII (how.letters: of any byte): whether its character matches */
    size_t from;             /* where what the step gets begins */
    bool begun;
    bool known;              /* what it splits next ends at `end` */
    size_t end;
    size_t match;            /* behind that ends a match, or 0 */
    size_t looked;           /* no end up to here */
    bool first;              /* whether the first character matches */
    bool matched;            /* what is told is a match */
} level;

struct bipe_byte_splits {
    size_t levels;
    level level[BIPE_PIPELINE_STEPS];
};

/* ---- the object ---- */

static int open_level(level *l, const bipe_pretokenizer_step *step, bool *fits, bipe_error *err)
{
    uint16_t letter[256];
    bipe_byte_letters(letter, NULL);
    *fits = step->type->splitter != NULL && step->type->splitter(step->config, &l->how);
    if (!*fits)
        return BIPE_OK;
    if (l->how.pattern == NULL) {
        for (unsigned b = 0; b < 256; b++)
            l->matches[b] = l->how.match(NULL, l->how.letters ? letter[b] : b);
        return BIPE_OK;
    }
    int status = bipe_pattern_open_spans(l->how.pattern, &l->spans, err);
    *fits = l->spans != NULL;
    if (status == BIPE_OK && *fits && l->how.letters)
        status = bipe_regex_spans_of_bytes(l->spans, letter, err);
    return status;
}

int bipe_byte_splits_open(bipe_byte_splits **splits, const bipe_pipeline *p, size_t from, size_t to, bipe_error *err)
{
    bipe_byte_splits *s = *splits = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    bool fits = true;
    for (size_t i = from; status == BIPE_OK && fits && i < to; i++)
        status = open_level(&s->level[s->levels++], &p->pretokenizer[i], &fits, err);
    if (status == BIPE_OK && fits)
        return BIPE_OK;
    bipe_byte_splits_close(s);
    *splits = NULL;
    return status;
}

void bipe_byte_splits_close(bipe_byte_splits *s)
{
    for (size_t i = 0; s != NULL && i < s->levels; i++)
        bipe_regex_spans_close(s->level[i].spans);
    bipe_free(s);
}

/* What a step gets begins at `from`. */
static void begin(level *l, size_t from)
{
    l->begun = l->known = false;
    l->from = l->looked = from;
    l->match = 0;
}

void bipe_byte_splits_begin(bipe_byte_splits *s, size_t from)
{
    for (size_t i = 0; i < s->levels; i++)
        begin(&s->level[i], from);
}

/* ---- where a step splits next ---- */

/* Looks at text[from .. to); final: what the step gets ends there. Sets known and end; else *sure. */
static int find_match(level *l, const uint8_t *text, size_t from, size_t to, bool final, size_t *sure, bipe_error *err)
{
    size_t start;
    int status = l->begun ? BIPE_OK : bipe_regex_spans_begin(l->spans, text, 0, err);
    l->begun = l->known = true;
    if (status != BIPE_OK)
        return status;
    if (l->match != 0) {
        l->end = l->match;
        l->match = 0;
        l->matched = true;
        return BIPE_OK;
    }
    bipe_regex_spans_more(l->spans, text + l->from, to - l->from, final);
    status = bipe_regex_spans_next(l->spans, &start, &l->end, err);
    start += l->from;
    l->end += l->from;
    l->matched = status == BIPE_OK && start <= from;
    if (status == BIPE_OK && start > from) {
        l->match = l->end;
        l->end = start;
    } else if (status == BIPE_END && final) {
        l->end = to;
    } else if (status == BIPE_END) {
        l->known = false;
        bipe_regex_spans_known(l->spans, &start, sure);
        /* Where a match may begin behind other text, a byte of this is left: it may end there. */
        l->matched = l->from + start <= from;
        *sure = l->from + (l->matched ? *sure : start - 1);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

/* The same for a class of characters. */
static void find_class(level *l, const uint8_t *text, size_t to, bool final, size_t *sure)
{
    size_t at = l->looked;
    bool each = l->how.each;
    l->known = true;
    while (at < to) {
        uint32_t code = text[at];
        size_t n = 1;
        bool one = code < 0x80 || l->how.letters;
        if (!one && !final && bipe_utf8_decode(text + at, to - at, &(int32_t){0}) == 0)
            break;
        if (!one)
            n = bipe_step_char(text, to, at, &code);
        bool matches = one ? l->matches[code] != 0 : l->how.match(NULL, code);
        if (!l->begun)
            l->first = matches;
        else if (each ? matches || l->first : matches != l->first) {
            l->end = l->looked = at;
            return;
        }
        l->begun = true;
        at += n;
    }
    l->known = final;
    l->end = *sure = l->looked = at;
}

/* Steps that have split at `from`, or at least one in front of them, go on. */
static void go_on(bipe_byte_splits *s, size_t from)
{
    size_t i = 0;
    while (i < s->levels && !(s->level[i].known && s->level[i].end == from))
        i++;
    if (i == s->levels)
        return;
    level *l = &s->level[i];
    l->known = false;
    l->begun = l->begun && l->spans != NULL; /* of characters another class follows */
    while (++i < s->levels)
        begin(&s->level[i], from);
}

int bipe_byte_splits_next(bipe_byte_splits *s, const uint8_t *text, size_t from, size_t *to, bool final, bool *ends, bipe_error *err)
{
    *ends = final;
    go_on(s, from);
    for (size_t i = 0; i < s->levels && *to != from; i++) {
        level *l = &s->level[i];
        int status = BIPE_OK;
        size_t sure = from;
        if (!l->known && l->spans != NULL)
            status = find_match(l, text, from, *to, *ends, &sure, err);
        else if (!l->known)
            find_class(l, text, *to, *ends, &sure);
        if (status != BIPE_OK)
            return status;
        *ends = l->known;
        *to = l->known ? l->end : sure;
    }
    return BIPE_OK;
}

bool bipe_byte_splits_matches(const bipe_byte_splits *s)
{
    return s->level[s->levels - 1].matched;
}

void bipe_byte_splits_drop(bipe_byte_splits *s, size_t size)
{
    for (size_t i = 0; i < s->levels; i++) {
        level *l = &s->level[i];
        if (l->spans != NULL && l->begun && l->from < size)
            bipe_regex_spans_drop(l->spans, size - l->from);
        l->from -= l->from < size ? l->from : size;
        l->looked -= l->looked < size ? l->looked : size;
        l->match -= l->match != 0 ? size : 0;
        l->end -= l->known ? size : 0;
    }
}
