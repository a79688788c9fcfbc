/* byte_stream.c - see byte_stream.h.
 *
 * Held are the bytes from the first pre-token on whose end is not known; patterns do not look behind, so splitting begins there again.
 * The arithmetic of pretoken_starts.h finds most pre-tokens; what it leaves out, and what may go on with the next bytes,
 * pretoken_scan.h finds one by one. A pre-token that is long keeps its scan from feed to feed, so that it is looked at once, and what
 * surely belongs to it is merged while it comes. */
#include "token/pipeline/byte_stream.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/added_search.h"
#include "token/merges/long_merge.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"
#include "token/pretoken/pretoken_starts.h"
#include "token/words/word_group.h"

enum {
    LONG_SCAN = 512,  /* from this size on the scan of a pre-token is kept */
    SCAN_LEAST = 32, SCAN_MOST = 4096 /* bytes that are scanned one by one behind a place that the arithmetic does not do */
};

struct bipe_byte_stream {
    const bipe_pipeline *pipeline;
    const bipe_merge_model *model;
    const bipe_added_set *added; /* those that are cut out, or NULL */
    const bipe_text_masker *masker;
    const bipe_pretoken_parts *parts; /* of pre-tokens, or NULL */
    void *scratch;               /* the model's */
    bipe_word_group group;
    bipe_tokens *tokens;         /* of the present call */
    bipe_buffer held;            /* with BIPE_STARTS_SLACK bytes of room behind it */
    uint64_t base;               /* offset of held in the document */
    size_t from;                 /* what is before is split, and tokenized but for the last */
    size_t words;                /* ones, [start[k], start[k + 1]), since many at once go faster */
    size_t searched;             /* no added token starts before, from `from` on */
    size_t by_scan;              /* pre-tokens that start before this are scanned */
    size_t scan_more;            /* how many bytes, next time */
    bool scanning;               /* scan is that of the pre-token at `from` */
    bipe_pretoken_scan scan;
    bool in_long;                /* the front of that pre-token went into `merge` and is no longer held */
    bipe_long_merge merge;
    bipe_merge_before before;    /* what went in last */
    uint64_t merged;             /* offset in the document behind the last token of `merge` */
    uint64_t long_start;         /* and of the beginning of the pre-token */
    uint64_t failed;             /* offset of a word that has no tokens, or UINT64_MAX */
    uint32_t start[BIPE_WORD_GROUP + BIPE_STARTS_ROOM];
};

/* ---- which pipelines ---- */

static bool has_prefix(const bipe_pipeline *p)
{
    return p->pretokenizers != 0 && p->pretokenizer[0].type == &bipe_pre_prefix;
}

/* Its splits are pretokenizer[first_split .. pretokenizers - 1). */
static size_t first_split(const bipe_pipeline *p)
{
    return has_prefix(p) ? 1 : 0;
}

/* The rule of its splits together, or NULL. */
static const bipe_split_rule *rule_of(bipe_pipeline *p, size_t first)
{
    enum { MOST = 3 };
    const char *pattern[MOST];
    size_t count = p->pretokenizers - 1 - first, known = 0;
    for (size_t i = 0; i < count && count <= MOST; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[first + i];
        pattern[i] = step->type->known != NULL ? step->type->known(step->config) : NULL;
        known += pattern[i] != NULL;
    }
    if (count == 0 || count > MOST || pattern[count - 1] == NULL)
        return NULL;
    if (count != 2)
        return known < count ? NULL : count == 1 ? bipe_pretoken_pattern_rule(pattern[0]) : bipe_bpe_steps_rule(pattern, count);
    const bipe_pretokenizer_step *numbers = &p->pretokenizer[first];
    const bipe_split_rule *rule = bipe_pretoken_pattern_rule(pattern[1]);
    bipe_splitter how;
    bool apart = rule != NULL && numbers->type->splitter != NULL && numbers->type->splitter(numbers->config, &how) && how.numbers;
    /* Digits knows numbers that are none for the pattern: each by itself is a pre-token anyway, but the pattern would split several. */
    p->digits = apart && how.match != NULL;
    apart = apart && (how.each || !p->digits);
    return apart ? bipe_bpe_rule_apart(rule, how.each) : NULL;
}

void bipe_byte_stream_choose(bipe_pipeline *p)
{
    size_t first = first_split(p);
    if (p->normalizers > 1 || (p->normalizers == 1 && p->normalizer[0].type != &bipe_norm_nfc) || p->type != &bipe_model_bpe)
        return;
    if (p->pretokenizers <= first || p->pretokenizer[p->pretokenizers - 1].type != &bipe_pre_byte_letters || !p->bytes)
        return;
    /* Tokens that are left as text hide just each other: a set of them alone does nothing. Behind one that is found in normalized text
     * another prefix would come. */
    if (!bipe_added_is_plain(&p->inside) || (has_prefix(p) && bipe_added_is_live(&p->inside)))
        return;
    if (!bipe_added_in_pieces(&p->raw) || (p->raw.words && p->normalizers != 0))
        return;
    p->rule = rule_of(p, first);
    p->quick = p->rule != NULL;
}

bool bipe_byte_stream_has_front(const bipe_pipeline *p)
{
    return p->normalizers != 0 || has_prefix(p) || !bipe_added_is_plain(&p->raw) || (bipe_added_is_live(&p->raw) && bipe_added_is_live(&p->inside));
}

/* ---- the object ---- */

static int put_merged(void *context, uint32_t symbol, const uint32_t *size, size_t count, bipe_error *err)
{
    bipe_byte_stream *s = context;
    uint64_t from = s->merged;
    for (size_t k = 0; k < count; k++)
        s->merged += size[k];
    return bipe_tokens_add(s->tokens, from, s->merged, symbol, err);
}

static int encode_words(void *context, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens, size_t *done, bipe_error *err)
{
    bipe_byte_stream *s = context;
    int status = bipe_merge_model_encode_words(s->model, s->scratch, word, count, tokens, done, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        s->failed = s->base + (uint64_t)(word[*done].text - s->held.data);
    return status;
}

int bipe_byte_stream_open(bipe_byte_stream **stream, const bipe_pipeline *p, bipe_error *err)
{
    bipe_byte_stream *s = *stream = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->pipeline = p;
    s->model = p->model;
    s->added = bipe_added_is_live(&p->inside) ? &p->inside : bipe_added_is_live(&p->raw) && !bipe_byte_stream_has_front(p) ? &p->raw : NULL;
    s->masker = bipe_text_masker_best();
    s->merge.merges = &s->model->merges;
    s->merge.sink = put_merged;
    s->merge.context = s;
    s->group.encode = encode_words;
    s->group.context = s;
    s->scratch = bipe_alloc(1, p->type->scratch_size);
    int status = s->scratch != NULL && bipe_word_group_open(&s->group) == 0 ? BIPE_OK : bipe_fail_memory(err);
    if (status == BIPE_OK)
        return status;
    bipe_byte_stream_close(s);
    *stream = NULL;
    return status;
}

void bipe_byte_stream_close(bipe_byte_stream *s)
{
    if (s == NULL)
        return;
    if (s->scratch != NULL)
        s->pipeline->type->scratch_close(s->scratch);
    bipe_free(s->scratch);
    bipe_word_group_free(&s->group);
    bipe_long_merge_free(&s->merge);
    bipe_buffer_free(&s->held);
    bipe_free(s);
}

/* Parts of pre-tokens, when they are there. Between pre-tokens: each is cut into parts, or is not. */
static void find_parts(bipe_byte_stream *s)
{
    const bipe_pretoken_parts *parts = &s->pipeline->parts;
    s->parts = bipe_put_off_made(s->model->put_off, 0) && parts->joined != NULL ? parts : NULL;
}

void bipe_byte_stream_trim(bipe_byte_stream *s)
{
    bipe_word_group_free(&s->group);
}

void bipe_byte_stream_begin(bipe_byte_stream *s, uint64_t offset)
{
    s->held.size = s->from = s->words = s->searched = s->by_scan = 0;
    s->scan_more = SCAN_LEAST;
    s->base = offset;
    s->failed = UINT64_MAX;
    s->scanning = s->in_long = false;
}

/* ---- words to tokens ---- */

static int make_room(bipe_byte_stream *s, size_t more, bipe_error *err)
{
    bipe_tokens *t = s->tokens;
    return t->capacity - t->count >= more || bipe_grow(&t->token, &t->capacity, t->count + more, sizeof *t->token) == 0
               ? BIPE_OK
               : bipe_fail_memory(err);
}

/* Tokenizes the words that wait; all of them, or so many that there is room for more. */
static int take_words(bipe_byte_stream *s, bool all, bipe_error *err)
{
    size_t done = 0, taken;
    int status = bipe_word_group_open(&s->group) == 0 ? BIPE_OK : bipe_fail_memory(err); /* it may have been given back */
    for (size_t n; status == BIPE_OK && (n = s->words - done) >= (all ? 1 : BIPE_WORD_GROUP); done += taken)
        status = bipe_word_group_take(&s->group, s->held.data, s->start + done, n < BIPE_WORD_GROUP ? n : BIPE_WORD_GROUP, s->base,
                                      s->tokens, &taken, err);
    if (done == 0)
        return status;
    s->words -= done;
    memmove(s->start, s->start + done, (s->words + 1) * sizeof *s->start);
    return status;
}

/* ---- one pre-token that is too long to be held ---- */

/* Merges the next `size` bytes of it, whole characters, which go. */
static int push_long(bipe_byte_stream *s, size_t size, bipe_error *err)
{
    int status = take_words(s, true, err);
    if (!s->in_long) {
        bipe_long_merge_begin(&s->merge);
        s->merged = s->long_start = s->base + s->from;
        s->before = (bipe_merge_before){0};
        s->in_long = true;
    }
    if (status == BIPE_OK)
        status = bipe_merge_model_push(s->model, &s->merge, &s->before, s->held.data + s->from, size, false, false, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        s->failed = s->long_start;
    s->from += size;
    return status;
}

/* Nothing of it is held any more. */
static int end_long(bipe_byte_stream *s, bipe_error *err)
{
    s->in_long = s->scanning = false;
    return bipe_merge_model_end(s->model, &s->merge, &s->before, err);
}

/* Lists the borders in the pre-token at `from`. Most of those that come here have none. */
static void add_parts(bipe_byte_stream *s, size_t size)
{
    uint64_t part[BIPE_MASK_WORDS];
    size_t at = 0;
    while (at < size && s->held.data[s->from + at] < BIPE_PARTS_LEAD)
        at++;
    if (size - at < 2 * BIPE_PARTS_CHAR || size > BIPE_STARTS_MOST)
        return;
    memset(part, 0, (size + 63) / 64 * sizeof *part);
    bipe_pretoken_parts_find(s->parts, s->held.data + s->from, size, part);
    s->words += s->masker->list(part, (size + 63) / 64, (uint32_t)s->from, s->start + s->words + 1);
}

/* The pre-token at `from`, or what is still held of it. */
static int take_one(bipe_byte_stream *s, size_t size, bipe_error *err)
{
    if (s->in_long) {
        int status = push_long(s, size, err);
        return status == BIPE_OK ? end_long(s, err) : status;
    }
    s->scanning = false;
    s->start[s->words] = (uint32_t)s->from;
    if (s->parts != NULL)
        add_parts(s, size);
    s->from += size;
    s->start[++s->words] = (uint32_t)s->from;
    return take_words(s, false, err);
}

/* Its end is not known. */
static int keep_on(bipe_byte_stream *s, size_t size, bipe_error *err)
{
    size_t sure = bipe_utf8_complete(s->held.data + s->from, s->scan.sure);
    s->scanning = size >= LONG_SCAN || s->in_long;
    if (!s->pipeline->streams || !s->scanning || sure == 0 || (!s->in_long && sure <= s->pipeline->long_word))
        return BIPE_OK;
    bipe_pretoken_scan_drop(&s->scan, sure);
    return push_long(s, sure, err);
}

/* ---- text without added tokens ---- */

/* Splits held[from .. to); what is before `to` and may go on stays, unless the text ends there. */
static int split(bipe_byte_stream *s, size_t to, bool final, bipe_error *err)
{
    const bipe_split_rule *rule = s->pipeline->rule;
    const bipe_char_classes *classes = &s->pipeline->classes;
    int status = BIPE_OK;
    while (status == BIPE_OK && s->from < to) {
        if (!s->scanning && s->from >= s->by_scan) {
            size_t n = bipe_pretoken_starts(rule, classes, s->parts, s->masker, s->held.data, s->from, to, s->start + s->words);
            size_t done = n != 0 ? s->start[s->words + n] - s->from : 0;
            /* Where there is much that it does not do it is asked less. */
            s->scan_more = done < 256 && s->scan_more < SCAN_MOST ? 2 * s->scan_more : done < 256 ? s->scan_more : SCAN_LEAST;
            s->by_scan = s->from + done + (done < BIPE_STARTS_MOST / 2 ? s->scan_more : 1);
            s->from += done;
            s->words += n;
            status = take_words(s, false, err);
            continue;
        }
        size_t size;
        if (!s->scanning)
            s->scan = (bipe_pretoken_scan){0};
        if (!bipe_pretoken_scan_run(rule, classes, &s->scan, s->held.data + s->from, to - s->from, final, &size))
            return keep_on(s, to - s->from, err);
        status = take_one(s, size, err);
    }
    return status;
}

/* Tokenizes held[from .. to) as far as it is split. */
static int take(bipe_byte_stream *s, size_t to, bool final, bipe_error *err)
{
    int status = split(s, to, final, err);
    if (status == BIPE_OK)
        status = take_words(s, true, err);
    return status == BIPE_OK && final && s->in_long ? end_long(s, err) : status;
}

/* ---- added tokens ---- */

static int take_added(bipe_byte_stream *s, bool final, bipe_error *err)
{
    size_t start, end;
    const bipe_added *added;
    int found;
    find_parts(s);
    if (s->added == NULL)
        return take(s, s->held.size, final, err);
    while ((found = bipe_added_search(s->added, s->held.data, s->held.size, s->searched, final, &start, &end, &added)) > 0) {
        int status = take(s, start, true, err);
        if (status == BIPE_OK)
            status = make_room(s, 1, err);
        if (status != BIPE_OK)
            return status;
        s->tokens->token[s->tokens->count++] = (bipe_token){.start = s->base + start, .end = s->base + end, .id = added->id};
        s->from = s->searched = end;
        s->by_scan = 0;
    }
    s->searched = found < 0 ? start : s->held.size;
    return take(s, s->searched, final, err);
}

/* ---- the stream ---- */

static void drop_done(bipe_byte_stream *s)
{
    bipe_buffer_consume(&s->held, s->from);
    s->base += s->from;
    s->searched -= s->from < s->searched ? s->from : s->searched;
    s->by_scan -= s->from < s->by_scan ? s->from : s->by_scan;
    s->from = 0;
}

uint64_t bipe_byte_stream_failed(const bipe_byte_stream *s)
{
    return s->failed != UINT64_MAX ? s->failed : s->in_long ? s->merged : s->base + s->from;
}

int bipe_byte_stream_feed(bipe_byte_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    s->tokens = tokens;
    while (size != 0) {
        size_t n = size < p->chunk ? size : p->chunk;
        int status = bipe_buffer_append(&s->held, bytes, n, err);
        if (status == BIPE_OK)
            status = bipe_buffer_reserve(&s->held, BIPE_STARTS_SLACK, err);
        if (status != BIPE_OK)
            return status;
        bytes += n;
        size -= n;
        if (s->held.size < p->chunk)
            continue;
        memset(s->held.data + s->held.size, 0, BIPE_STARTS_SLACK);
        status = take_added(s, false, err);
        if (status != BIPE_OK)
            return status;
        drop_done(s);
        if (s->held.size > p->hold_limit)
            return bipe_fail(err, BIPE_ERR_LIMIT, "more than %zu bytes without a place to cut the text into tokens", p->hold_limit);
    }
    return BIPE_OK;
}

int bipe_byte_stream_end(bipe_byte_stream *s, bipe_tokens *tokens, bipe_error *err)
{
    s->tokens = tokens;
    if (s->held.size != 0)
        memset(s->held.data + s->held.size, 0, BIPE_STARTS_SLACK);
    int status = take_added(s, true, err);
    if (status == BIPE_OK)
        drop_done(s);
    return status;
}
