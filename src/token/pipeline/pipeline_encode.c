/* pipeline_encode.c - a block of a document on its way through a pipeline: added tokens are found, the texts between
 * them go the short way (byte_encode.h) if they can, else through all steps.
 *
 * Where a text has no units that are looked up as a whole (unit_encoder.h), pre-tokens are looked up here one by one,
 * in a cache of the same kind: without it GPT-2's steps take twice as long on English. Below units it would only
 * cost. */
#include "token/pipeline/pipeline_encode.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/pipeline/nfc_check.h"
#include "token/pipeline/pretokenizers.h"

/* Whether units of a block can be looked up. With a rule, pre-tokens are found as fast. */
static bool has_units(const bipe_pipeline *p)
{
    return p->safe != NULL && p->safe->units && (!p->quick || p->rule == NULL);
}

/* ---- the object ---- */

int bipe_pipeline_scratch_open(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    bipe_pipeline_scratch *s = bipe_alloc(1, sizeof *s);
    *scratch = s;
    if (s == NULL)
        return bipe_fail_memory(err);
    s->pipeline = p;
    s->model = bipe_alloc(1, p->type->scratch_size + 1);
    int status = s->model != NULL ? BIPE_OK : bipe_fail_memory(err);
    if (status == BIPE_OK && p->quick)
        status = bipe_byte_encoder_open(&s->quick, p, err);
    if (status == BIPE_OK)
        return BIPE_OK;
    bipe_pipeline_scratch_close(s);
    *scratch = NULL;
    return status;
}

void bipe_pipeline_scratch_close(void *scratch)
{
    bipe_pipeline_scratch *s = scratch;
    bipe_mapped_free(&s->text);
    bipe_mapped_free(&s->spare);
    bipe_ranges_free(&s->pieces);
    bipe_ranges_free(&s->more);
    bipe_free(s->ids.token);
    bipe_word_cache_free(&s->words);
    bipe_unit_encoder_free(&s->units);
    bipe_tokens_free(&s->unit);
    bipe_byte_encoder_close(s->quick);
    if (s->pipeline->type->scratch_close != NULL && s->model != NULL)
        s->pipeline->type->scratch_close(s->model);
    bipe_free(s->model);
    bipe_free(s);
}

/* ---- normalized text without added tokens ---- */

static void swap_ranges(bipe_ranges *a, bipe_ranges *b)
{
    bipe_ranges c = *a;
    *a = *b;
    *b = c;
}

static void swap_texts(bipe_mapped *a, bipe_mapped *b)
{
    bipe_mapped c = *a;
    *a = *b;
    *b = c;
}

static int pretokenize_text(bipe_pipeline_scratch *s, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    int status = BIPE_OK;
    s->text.utf8 = false;
    for (size_t i = 0; status == BIPE_OK && i < p->pretokenizers; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        if (step->type == &bipe_pre_split && !s->text.utf8)
            s->text.utf8 = bipe_is_utf8(s->text.text, s->text.size);
        if (step->type->split != NULL) {
            s->more.count = 0;
            status = step->type->split(step->config, &s->text, &s->pieces, &s->more, err);
            swap_ranges(&s->pieces, &s->more);
        } else if (!(p->bytes && i + 1 == p->pretokenizers)) {
            s->more.count = s->spare.size = 0;
            s->spare.first = s->text.first;
            s->spare.origin = s->text.origin;
            s->spare.utf8 = false;
            status = step->type->rewrite(step->config, &s->text, &s->pieces, &s->spare, &s->more, err);
            swap_ranges(&s->pieces, &s->more);
            swap_texts(&s->text, &s->spare);
        }
    }
    return status;
}

/* An added token for bytes [start, end) of the text, less those that the token before it has. */
static int add_added(bipe_pipeline_scratch *s, size_t start, size_t end, uint32_t id, bipe_error *err)
{
    uint64_t from = s->base + start, to = s->base + end;
    from = from < s->done ? s->done : from;
    s->done = to > from ? to : from;
    return bipe_tokens_add(s->tokens, from, s->done, id, err);
}

/* The tokens of a pre-token. */
static int add_tokens(bipe_pipeline_scratch *s, bipe_range range, const bipe_piece_token *token, size_t count,
                      bipe_error *err)
{
    bipe_tokens *tokens = s->tokens;
    if (tokens->count + count > tokens->capacity &&
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + count, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    uint32_t at = range.start;
    for (size_t k = 0; k < count; k++) {
        uint32_t end = range.start + token[k].end;
        uint64_t first = at < range.end ? s->text.start[at] : s->text.end[at - 1],
                 last = end > at ? s->text.end[end - 1] : first;
        first += s->base;
        last += s->base;
        first = first < s->done ? s->done : first;
        s->done = last > first ? last : first;
        tokens->token[tokens->count++] = (bipe_token){.start = first, .end = s->done, .id = token[k].id};
        at = end;
    }
    return BIPE_OK;
}

static int encode_word(bipe_pipeline_scratch *s, bipe_range range, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    const uint8_t *text = s->text.text + range.start;
    size_t size = range.end - range.start, count;
    bipe_piece_token short_tokens[BIPE_WORD_SHORT_IDS];
    bool keeps = !has_units(p);
    const bipe_piece_token *known = keeps ? bipe_word_cache_find(&s->words, text, size, short_tokens, &count) : NULL;
    if (known != NULL)
        return add_tokens(s, range, known, count, err);
    s->ids.count = 0;
    int status = p->type->encode(p->model, s->model, text, size, &s->ids, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        bipe_error_prefix(err, "byte %" PRIu64, s->base + s->text.start[range.start]);
    if (status == BIPE_OK)
        status = add_tokens(s, range, s->ids.token, s->ids.count, err);
    if (status == BIPE_OK && keeps)
        bipe_word_cache_add(&s->words, text, size, s->ids.token, s->ids.count);
    return status;
}

/* Tokenizes s->text. */
static int encode_normalized(bipe_pipeline_scratch *s, bipe_error *err)
{
    s->pieces.count = 0;
    int status = bipe_ranges_add(&s->pieces, 0, s->text.size, err);
    if (status == BIPE_OK)
        status = pretokenize_text(s, err);
    if (status == BIPE_OK && !has_units(s->pipeline) && bipe_word_cache_open(&s->words) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < s->pieces.count; i++)
        status = encode_word(s, s->pieces.range[i], err);
    return status;
}

/* ---- text without added tokens that are found as it is ---- */

/* Tokenizes a part of the normalized section, [from, to). */
static int encode_part(bipe_pipeline_scratch *s, const bipe_mapped *section, size_t from, size_t to, bipe_error *err)
{
    s->text.size = 0;
    s->text.first = section->first || from != 0;
    s->text.origin = section->origin;
    int status = bipe_mapped_copy(&s->text, section, from, to, err);
    return status == BIPE_OK ? encode_normalized(s, err) : status;
}

/* Tokenizes a normalized section in which added tokens are looked for. */
static int encode_inside(bipe_pipeline_scratch *s, const bipe_mapped *section, bipe_error *err)
{
    size_t at = 0, search = 0, start, end, resume;
    const bipe_added *added;
    int status = BIPE_OK;
    while (status == BIPE_OK && bipe_added_next(&s->pipeline->inside, section->text, section->size, at, &search, &start,
                                                &end, &resume, &added)) {
        status = encode_part(s, section, at, start, err);
        if (status == BIPE_OK)
            status = add_added(s, start < end ? section->start[start] : section->end[end - 1],
                                  section->end[end - 1], added->id, err);
        at = resume;
    }
    if (status == BIPE_OK && at < section->size)
        status = encode_part(s, section, at, section->size, err);
    return status;
}

/* [from, to) of the text by all steps. first: a text begins there. */
static int encode_by_steps(bipe_pipeline_scratch *s, size_t from, size_t to, bool first, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    s->text.size = 0;
    s->text.first = first;
    s->text.origin = s->base == 0;
    int status = bipe_mapped_append(&s->text, s->bytes + from, to - from, (uint32_t)from, (uint32_t)to, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &s->text, &s->spare, err);
    if (status != BIPE_OK || p->inside.count == 0)
        return status == BIPE_OK ? encode_normalized(s, err) : status;
    bipe_mapped section = s->text; /* pre-tokenizers may rewrite s->text */
    s->text = (bipe_mapped){0};
    status = encode_inside(s, &section, err);
    bipe_mapped_free(&section);
    return status;
}

/* [from, to) the short way. Where an added token has taken white space, that is here as well. */
static int encode_quickly(bipe_pipeline_scratch *s, size_t from, size_t to, bipe_error *err)
{
    size_t count = s->tokens->count;
    if (from == to)
        return BIPE_OK;
    int status = bipe_byte_encode(s->quick, s->bytes + from, to - from, s->base + from, s->tokens, err);
    for (bipe_token *t = s->tokens->token; count < s->tokens->count && t[count].start < s->done; count++) {
        t[count].start = s->done;
        t[count].end = t[count].end > s->done ? t[count].end : s->done;
    }
    s->done = s->done > s->base + to ? s->done : s->base + to;
    return status;
}

/* The same for a section that may need a prefix or normalization: its parts between safe positions take all steps. */
static int encode_mostly_quickly(bipe_pipeline_scratch *s, size_t from, size_t to, bool first, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    const uint8_t *text = s->bytes;
    int status = BIPE_OK;
    if (first && bipe_byte_encoder_prefixes(p) && text[from] != ' ') {
        size_t end = bipe_safe_next(p->safe, text, from + 1, to);
        status = encode_by_steps(s, from, end, true, err);
        from = end;
        first = false;
    }
    while (status == BIPE_OK && from < to) {
        size_t begin = to, end = to;
        if (p->nfc != NULL && bipe_nfc_find(p->nfc, text, to, from, true, &begin, &end)) {
            begin = bipe_safe_last(p->safe, text, from, begin);
            end = bipe_safe_next(p->safe, text, end, to);
        } else {
            begin = end = to;
        }
        status = encode_quickly(s, from, begin, err);
        if (status == BIPE_OK && begin < end)
            status = encode_by_steps(s, begin, end, first && begin == from, err);
        first = false;
        from = end;
    }
    return status;
}

static int encode_section(bipe_pipeline_scratch *s, size_t from, size_t to, bool first, bipe_error *err)
{
    if (from == to)
        return BIPE_OK;
    return s->quick != NULL ? encode_mostly_quickly(s, from, to, first, err) : encode_by_steps(s, from, to, first, err);
}

int bipe_pipeline_encode_text(bipe_pipeline_scratch *s, const uint8_t *bytes, size_t size, uint64_t base, bool begins,
                              bipe_tokens *tokens, bipe_error *err)
{
    size_t at = 0, search = 0, start, end, resume;
    const bipe_added *added;
    const bipe_added_set *raw = &s->pipeline->raw;
    bool has_tokens = raw->has_tokens;
    int status = BIPE_OK;
    s->tokens = tokens;
    s->bytes = bytes;
    s->base = s->done = base;
    while (status == BIPE_OK && has_tokens &&
           bipe_added_next(raw, bytes, size, at, &search, &start, &end, &resume, &added)) {
        status = at < start ? encode_section(s, at, start, begins || at != 0, err) : BIPE_OK;
        if (status == BIPE_OK)
            status = add_added(s, start, end, added->id, err);
        at = resume;
    }
    return status == BIPE_OK && at < size ? encode_section(s, at, size, begins || at != 0, err) : status;
}

int bipe_pipeline_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                         bipe_error *err)
{
    bipe_pipeline_scratch *s = scratch;
    const bipe_pipeline *p = s->pipeline;
    int status = BIPE_OK;
    if (has_units(p))
        return bipe_pipeline_encode_units(s, bytes, size, offset, tokens, err);
    for (size_t at = 0, end; status == BIPE_OK && at < size; at = end) {
        end = size - at > p->chunk ? bipe_safe_next(p->safe, bytes, at + p->chunk, size) : size;
        status = bipe_pipeline_encode_text(s, bytes + at, end - at, offset + at, offset + at == 0, tokens, err);
    }
    return status;
}
