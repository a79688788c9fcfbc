/* byte_encode.c - see byte_encode.h. */
#include "token/pipeline/byte_encode.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_starts.h"
#include "token/words/word_group.h"

enum {
    SLOW_LEAST = 64, /* bytes that are split by the steps at a time, after what the rule does not do; then twice as many
                        each time, */
    SLOW_MOST = 1 << 15
};

struct bipe_byte_encoder {
    const bipe_pipeline *pipeline;
    const bipe_text_masker *masker;
    const bipe_pretoken_parts *parts; /* of pre-tokens, or NULL */
    void *scratch;               /* the model's */
    bipe_word_group group;
    bipe_ranges pieces, more;    /* of the steps, */
    size_t next;                 /* of which so many are encoded */
    const uint8_t *text;         /* of the present call, */
    uint64_t base;               /* and its offset in the document */
    bipe_tokens *tokens;
    uint32_t start[BIPE_STARTS_CAPACITY + BIPE_WORD_GROUP];
};

/* ---- which pipelines ---- */

bool bipe_byte_encoder_prefixes(const bipe_pipeline *p)
{
    return p->pretokenizers != 0 && p->pretokenizer[0].type == &bipe_pre_prefix;
}

/* Its splits are pretokenizer[first_split .. pretokenizers - 1). */
static size_t first_split(const bipe_pipeline *p)
{
    return bipe_byte_encoder_prefixes(p) ? 1 : 0;
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
        return known < count ? NULL
               : count == 1  ? bipe_pretoken_pattern_rule(pattern[0])
                             : bipe_pretoken_steps_rule(pattern, count);
    const bipe_pretokenizer_step *numbers = &p->pretokenizer[first];
    const bipe_split_rule *rule = bipe_pretoken_pattern_rule(pattern[1]);
    bool each, digits;
    if (rule == NULL || numbers->type->numbers == NULL || !numbers->type->numbers(numbers->config, &each, &digits))
        return NULL;
    /* Digits knows numbers that are none for the pattern: each by itself is a pre-token anyway, but the pattern would
     * split several. */
    p->digits = digits;
    return each || !digits ? bipe_pretoken_rule_after_numbers(rule, each) : NULL;
}

void bipe_byte_encoder_choose(bipe_pipeline *p)
{
    size_t first = first_split(p);
    if (p->normalizers > 1 || (p->normalizers == 1 && p->normalizer[0].type != &bipe_norm_nfc) ||
        p->type != &bipe_model_bpe)
        return;
    if (p->pretokenizers <= first || p->pretokenizer[p->pretokenizers - 1].type != &bipe_pre_byte_letters || !p->bytes)
        return;
    /* After one that is found in normalized text another prefix would come. */
    if (p->inside.has_flags || (first != 0 && p->inside.has_tokens))
        return;
    for (size_t i = first; i + 1 < p->pretokenizers; i++)
        if (p->pretokenizer[i].type->split == NULL)
            return;
    p->quick = true;
    p->rule = rule_of(p, first);
}

/* ---- the object ---- */

static int encode_words(void *context, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens, size_t *done,
                        bipe_error *err)
{
    bipe_byte_encoder *e = context;
    int status = bipe_merge_model_encode_words(e->pipeline->model, e->scratch, word, count, tokens, done, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        bipe_error_prefix(err, "byte %" PRIu64, e->base + (uint64_t)(word[*done].text - e->text));
    return status;
}

int bipe_byte_encoder_open(bipe_byte_encoder **encoder, const bipe_pipeline *p, bipe_error *err)
{
    bipe_byte_encoder *e = *encoder = bipe_alloc(1, sizeof *e);
    if (e == NULL)
        return bipe_fail_memory(err);
    e->pipeline = p;
    e->masker = bipe_text_masker_best();
    const bipe_merge_model *m = p->model;
    e->parts = m->parts.joined != NULL ? &m->parts : NULL;
    e->group.encode = encode_words;
    e->group.context = e;
    e->scratch = bipe_alloc(1, p->type->scratch_size);
    if (e->scratch != NULL && bipe_word_group_open(&e->group) == 0)
        return BIPE_OK;
    bipe_byte_encoder_close(e);
    *encoder = NULL;
    return bipe_fail_memory(err);
}

void bipe_byte_encoder_close(bipe_byte_encoder *e)
{
    if (e == NULL)
        return;
    if (e->scratch != NULL)
        e->pipeline->type->scratch_close(e->scratch);
    bipe_free(e->scratch);
    bipe_word_group_free(&e->group);
    bipe_ranges_free(&e->pieces);
    bipe_ranges_free(&e->more);
    bipe_free(e);
}

/* ---- pre-tokens to tokens ---- */

/* The first n pre-tokens of start[]. */
static int encode_pre_tokens(bipe_byte_encoder *e, size_t n, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t done = 0, encoded; status == BIPE_OK && done < n; done += encoded)
        status = bipe_word_group_encode(&e->group, e->text, e->start + done,
                                        n - done < BIPE_WORD_GROUP ? n - done : BIPE_WORD_GROUP, e->base, e->tokens,
                                        &encoded, err);
    return status;
}

/* ---- splitting by the steps ---- */

static bool pieces_are_utf8(const bipe_byte_encoder *e)
{
    bool utf8 = true;
    for (size_t i = 0; utf8 && i < e->pieces.count; i++)
        utf8 = bipe_is_utf8(e->text + e->pieces.range[i].start, e->pieces.range[i].end - e->pieces.range[i].start);
    return utf8;
}

/* Splits e->pieces by the steps. */
static int split_by_steps(bipe_byte_encoder *e, size_t to, bipe_error *err)
{
    const bipe_pipeline *p = e->pipeline;
    const bipe_mapped text = {.text = (uint8_t *)(uintptr_t)e->text, .size = to, .utf8 = pieces_are_utf8(e)};
    size_t from = e->pieces.range[0].start;
    int status = BIPE_OK;
    e->next = 0;
    for (size_t i = first_split(p); status == BIPE_OK && i + 1 < p->pretokenizers; i++) {
        e->more.count = 0;
        status = p->pretokenizer[i].type->split(p->pretokenizer[i].config, &text, &e->pieces, &e->more, err);
        bipe_ranges swap = e->pieces;
        e->pieces = e->more;
        e->more = swap;
    }
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "byte %" PRIu64, e->base + from);
}

/* Tokens of the next pieces, those before `to`. */
static int encode_pieces(bipe_byte_encoder *e, size_t to, bipe_error *err)
{
    size_t n = 0;
    int status = BIPE_OK;
    for (; status == BIPE_OK && e->next < e->pieces.count && e->pieces.range[e->next].start < to; e->next++) {
        bipe_range piece = e->pieces.range[e->next];
        e->start[n++] = piece.start;
        if (e->parts != NULL && piece.end - piece.start <= BIPE_STARTS_MOST)
            n += bipe_parts_find(e->parts, e->text, piece.start, piece.end, e->start + n);
        e->start[n] = piece.end;
        if (n >= BIPE_WORD_GROUP) {
            status = encode_pre_tokens(e, n, err);
            n = 0;
        }
    }
    return status == BIPE_OK && n != 0 ? encode_pre_tokens(e, n, err) : status;
}

/* Tokens of [from, to), which is split by the steps. */
static int encode_by_steps(bipe_byte_encoder *e, size_t from, size_t to, bipe_error *err)
{
    e->pieces.count = 0;
    int status = bipe_ranges_add(&e->pieces, from, to, err);
    if (status == BIPE_OK)
        status = split_by_steps(e, to, err);
    return status == BIPE_OK ? encode_pieces(e, to, err) : status;
}

int bipe_byte_split_units(bipe_byte_encoder *e, const uint8_t *text, uint64_t base, const bipe_new_word *unit,
                          size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    size_t to = 0;
    e->text = text;
    e->base = base;
    e->pieces.count = 0;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t from = (size_t)(unit[i].text - text);
        to = from + unit[i].size;
        status = bipe_ranges_add(&e->pieces, from, to, err);
    }
    return status == BIPE_OK ? split_by_steps(e, to, err) : status;
}

int bipe_byte_encode_unit(bipe_byte_encoder *e, const bipe_new_word *unit, bipe_tokens *tokens, bipe_error *err)
{
    e->tokens = tokens;
    return encode_pieces(e, (size_t)(unit->text - e->text) + unit->size, err);
}

/* ---- text without added tokens ---- */

static int encode_text(bipe_byte_encoder *e, size_t from, size_t to, bipe_error *err)
{
    const bipe_pipeline *p = e->pipeline;
    size_t slow = p->rule != NULL ? SLOW_LEAST : SLOW_MOST;
    int status = BIPE_OK;
    while (status == BIPE_OK && from < to) {
        size_t n = 0;
        if (p->rule != NULL)
            n = bipe_pretoken_starts(p->rule, &p->classes, e->masker, e->parts, e->text, from, to, e->start);
        size_t done = n != 0 ? e->start[n] - from : 0;
        if (n != 0) {
            status = encode_pre_tokens(e, n, err);
            from += done;
        }
        if (status != BIPE_OK || done >= BIPE_STARTS_MOST / 2)
            continue;
        /* Where there is much that the rule does not do it is asked less. */
        slow = done >= SLOW_LEAST ? SLOW_LEAST : slow < SLOW_MOST ? 2 * slow : slow;
        size_t end = from < to && to - from > slow ? bipe_safe_next(p->safe, e->text, from + slow, to) : to;
        status = encode_by_steps(e, from, end, err);
        from = end;
    }
    return status;
}

int bipe_byte_encode(bipe_byte_encoder *e, const uint8_t *text, size_t size, uint64_t base, bipe_tokens *tokens,
                     bipe_error *err)
{
    const bipe_added_set *inside = e->pipeline->inside.has_tokens ? &e->pipeline->inside : NULL;
    size_t at = 0, search = 0, start, end, resume;
    const bipe_added *added;
    int status = BIPE_OK;
    e->text = text;
    e->base = base;
    e->tokens = tokens;
    while (status == BIPE_OK && inside != NULL &&
           bipe_added_next(inside, text, size, at, &search, &start, &end, &resume, &added)) {
        status = at < start ? encode_text(e, at, start, err) : BIPE_OK;
        if (status == BIPE_OK)
            status = bipe_tokens_add(tokens, base + start, base + end, added->id, err);
        at = resume;
    }
    return status == BIPE_OK && at < size ? encode_text(e, at, size, err) : status;
}
