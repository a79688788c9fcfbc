/* pipeline_stream.c - one document on its way through a pipeline.
 *
 * Bytes are kept until there is a chunk of them that ends where a document may be cut (pipeline_cuts.h); the chunk
 * then goes through all steps by itself. Where there is none, the chunk goes through them in pieces (pipeline_flow.h), and long words to
 * the model (long_word.h). Where added tokens must be looked for in the whole of it, its bytes are held until it ends, hold_limit at most. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/added_search.h"
#include "token/added_white.h"
#include "token/pipeline/byte_front.h"
#include "token/pipeline/long_word.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/pipeline_flow.h"
#include "token/pipeline/unit_classes.h"

typedef struct pipeline_stream {
    const bipe_pipeline *pipeline;
    bipe_tokens *tokens;     /* of the present call */
    bipe_buffer held;        /* what was not tokenized yet */
    uint64_t base;           /* offset of held in the document */
    uint64_t done;           /* where the last token ends */
    size_t searched;         /* no cut that was not found lies before this place of held */
    size_t cut;              /* the last place to cut at, or 0 */
    bool middle;             /* text stands right before held: what comes now goes on with it */
    bool fresh;              /* a normalized added token stands right before held: for pre-tokenizers a text begins */
    bipe_mapped text, spare;
    bipe_ranges pieces, more;
    bipe_piece_tokens ids;
    void *scratch;           /* the model's */
    bipe_word_cache words;   /* what pre-tokens became */
    bipe_pipeline_flow *flow; /* where the present chunk goes in pieces (flows); or NULL */
    bool flows, begun;       /* begun: text came since the last added token of that chunk */
    bipe_added_white white;  /* what is left out of held there */
    size_t ahead;            /* how far behind `base`, the beginning of that chunk, stands what is held */
    struct piece {           /* what is under way of it: */
        bool busy, last;     /* there is one; the chunk ends with it */
        bool found, over;    /* the text that is being taken ends at the added token `id`, or it is the rest of the piece */
        size_t size, at;     /* of held: [0, at) is done, text goes up to */
        size_t start, end;   /* this; the added token up to that */
        uint32_t id;
        bool whole;          /* added tokens are looked for in all of it; */
        bool looked;         /* text goes up to `start` now */
        size_t search, resume;
    } piece;
    bool ending;             /* the document is over */
    bool met;                /* there was an added token */
    bipe_long_word word;     /* one that came with a piece before, and goes on */
    bipe_byte_front *bytes;  /* the short way, or NULL: then nothing else is used, but: */
    bool looks_up;           /* units go in front of all this: */
    bipe_cut_stream units;
    bipe_unit_classes *classes; /* of the characters beside which they part; or NULL: bytes of ASCII alone */
    uint64_t position;       /* behind what they have given */
} pipeline_stream;

static bipe_cut_encode encode_unit, encode_units;

int bipe_pipeline_stream_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    pipeline_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->pipeline = tokenizer->model;
    int status = BIPE_OK;
    if (s->pipeline->quick)
        status = bipe_byte_front_open(&s->bytes, s->pipeline, err);
    else if ((s->scratch = bipe_alloc(1, s->pipeline->type->scratch_size + 1)) == NULL)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK) {
        bipe_free(s);
        return status;
    }
    s->looks_up = s->pipeline->units != NULL;
    s->units.borders = s->pipeline->units;
    s->units.gaps = s->pipeline->gaps;
    if (s->looks_up && bipe_unit_classes_may(s->pipeline) && (s->classes = bipe_unit_classes_open(s->pipeline)) != NULL) {
        s->units.borders = &s->classes->borders;
        s->units.classes = &s->classes->classes;
        s->units.gaps = s->units.gaps || s->classes->marks;
    }
    s->units.encode = encode_unit;
    s->units.encode_joined = encode_units;
    s->units.context = s;
    s->units.position = &s->position;
    *state = s;
    return BIPE_OK;
}

/* All but the units. */
static void begin_plainly(pipeline_stream *s)
{
    s->held.size = s->searched = s->cut = 0;
    bipe_long_word_reset(&s->word);
    s->word.pipeline = s->pipeline;
    s->word.scratch = s->scratch;
    s->word.done = &s->done;
    s->base = s->done = 0;
    s->middle = s->fresh = s->flows = s->ending = false;
    s->piece.busy = false;
    if (s->flow != NULL) /* what a document owes that was left is forgotten */
        bipe_pipeline_flow_begin(s->flow, 0, true, false);
    s->ahead = 0;
    s->position = 0;
    if (s->bytes != NULL)
        bipe_byte_front_begin(s->bytes, 0);
}

int bipe_pipeline_stream_begin(void *state, bipe_error *err)
{
    (void)err;
    pipeline_stream *s = state;
    begin_plainly(s);
    bipe_cut_stream_begin(&s->units);
    return BIPE_OK;
}

/* In the middle of a document. */
static void begin_plainly_at(pipeline_stream *s, uint64_t offset)
{
    begin_plainly(s);
    s->base = s->done = s->position = offset;
    s->middle = true;
    if (s->bytes != NULL)
        bipe_byte_front_begin(s->bytes, offset);
}

int bipe_pipeline_stream_begin_at(void *state, uint64_t offset, bipe_error *err)
{
    pipeline_stream *s = state;
    begin_plainly_at(s, offset);
    bipe_cut_stream_begin(&s->units);
    s->units.clean = true;
    (void)err;
    return BIPE_OK;
}

void bipe_pipeline_stream_trim(void *state)
{
    pipeline_stream *s = state;
    bipe_mapped_free(&s->text);
    bipe_mapped_free(&s->spare);
    bipe_ranges_free(&s->pieces);
    bipe_ranges_free(&s->more);
    bipe_free(s->ids.token);
    s->ids = (bipe_piece_tokens){0};
    bipe_word_cache_free(&s->words);
    bipe_cut_stream_trim(&s->units);
    if (s->bytes != NULL)
        bipe_byte_front_trim(s->bytes);
    if (s->flow != NULL)
        bipe_pipeline_flow_trim(s->flow);
}

void bipe_pipeline_stream_close(void *state)
{
    pipeline_stream *s = state;
    bipe_pipeline_stream_trim(s);
    bipe_byte_front_close(s->bytes);
    bipe_cut_stream_free(&s->units);
    bipe_unit_classes_close(s->classes);
    bipe_pipeline_flow_close(s->flow);
    if (s->pipeline->type->scratch_close != NULL && s->scratch != NULL)
        s->pipeline->type->scratch_close(s->scratch);
    bipe_free(s->scratch);
    bipe_buffer_free(&s->held);
    bipe_added_white_free(&s->white);
    bipe_long_word_free(&s->word);
    bipe_free(s);
}

/* ---- text without added tokens ---- */

static int pretokenize(pipeline_stream *s, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < p->pretokenizers; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        if (step->type->split != NULL) {
            s->more.count = 0;
            status = step->type->split(step->config, &s->text, &s->pieces, &s->more, err);
            bipe_ranges swap = s->pieces;
            s->pieces = s->more;
            s->more = swap;
        }
        if (status == BIPE_OK && step->type->rewrite != NULL && !(p->bytes && i + 1 == p->pretokenizers)) {
            s->more.count = s->spare.size = 0;
            s->spare.first = s->text.first;
            s->spare.origin = s->text.origin;
            status = step->type->rewrite(step->config, &s->text, &s->pieces, &s->spare, &s->more, err);
            bipe_ranges swap = s->pieces;
            s->pieces = s->more;
            s->more = swap;
            bipe_mapped swap_text = s->text;
            s->text = s->spare;
            s->spare = swap_text;
        }
    }
    return status;
}

/* An added token for bytes [start, end) of held, less what the token before it has. */
static int emit(pipeline_stream *s, uint64_t start, uint64_t end, uint32_t id, bipe_error *err)
{
    s->met = true;
    start += s->base;
    end += s->base;
    if (start < s->done)
        start = s->done;
    s->done = end > start ? end : start;
    return bipe_tokens_add(s->tokens, start, s->done, id, err);
}

/* The tokens of a pre-token. */
static int put_tokens(pipeline_stream *s, bipe_range range, const bipe_piece_token *token, size_t count, bipe_error *err)
{
    bipe_tokens *tokens = s->tokens;
    if (tokens->count + count > tokens->capacity &&
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + count, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    uint32_t at = range.start;
    for (size_t k = 0; k < count; k++) {
        uint32_t end = range.start + token[k].end;
        uint64_t first = at < range.end ? s->text.start[at] : s->text.end[at - 1], last = end > at ? s->text.end[end - 1] : first;
        first += s->base;
        last += s->base;
        if (first < s->done)
            first = s->done;
        s->done = last > first ? last : first;
        tokens->token[tokens->count++] = (bipe_token){.start = first, .end = s->done, .id = token[k].id};
        at = end;
    }
    return BIPE_OK;
}

enum { AHEAD = 6 };

/* A word comes soon: what it became is brought near. The text has room behind it that may be read (mapped.c). */
static void expect(const pipeline_stream *s, bipe_range range)
{
    if (s->words.pair != NULL)
        bipe_word_cache_expect(&s->words, s->text.text + range.start, range.end - range.start);
}

static int take_word(pipeline_stream *s, bipe_range range, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    if (bipe_word_cache_open(&s->words) != 0)
        return bipe_fail_memory(err);
    const uint8_t *text = s->text.text + range.start;
    size_t size = range.end - range.start, count;
    bipe_piece_token room[BIPE_WORD_SHORT];
    const bipe_piece_token *known = bipe_word_cache_find(&s->words, text, size, room, &count);
    if (known != NULL)
        return put_tokens(s, range, known, count, err);
    s->ids.count = 0;
    int status = p->type->encode(p->model, s->scratch, text, size, &s->ids, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        bipe_error_prefix(err, "offset %" PRIu64, s->base + s->text.start[range.start]);
    if (status == BIPE_OK)
        status = put_tokens(s, range, s->ids.token, s->ids.count, err);
    if (status == BIPE_OK)
        bipe_word_cache_put(&s->words, text, size, s->ids.token, s->ids.count);
    return status;
}

/* The tokens of the pre-tokens [first, end) of s->pieces. */
static int take_words(pipeline_stream *s, size_t first, size_t end, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = first; status == BIPE_OK && i < end; i++) {
        if (i + AHEAD < end)
            expect(s, s->pieces.range[i + AHEAD]);
        status = take_word(s, s->pieces.range[i], err);
    }
    return status;
}

/* Tokenizes bytes [from, to) of s->text, which no added token stands in. */
static int take_text(pipeline_stream *s, size_t from, size_t to, bipe_error *err)
{
    s->pieces.count = 0;
    int status = bipe_ranges_add(&s->pieces, from, to, err);
    if (status == BIPE_OK)
        status = pretokenize(s, err);
    return status == BIPE_OK ? take_words(s, 0, s->pieces.count, err) : status;
}

/* ---- added tokens ---- */

/* A section of the chunk, [from, to) of held: normalized, and what stands between normalized added tokens tokenized. */
static int take_section(pipeline_stream *s, size_t from, size_t to, bool first, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    s->text.size = 0;
    s->text.first = first;
    s->text.origin = s->base == 0;
    int status = bipe_mapped_put(&s->text, s->held.data + from, to - from, (uint32_t)from, (uint32_t)to, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &s->text, &s->spare, err);
    if (status != BIPE_OK || p->inside.count == 0)
        return status == BIPE_OK ? take_text(s, 0, s->text.size, err) : status;
    /* Pre-tokenizers may rewrite s->text: the section is kept aside. */
    bipe_mapped section = s->text;
    s->text = (bipe_mapped){0};
    size_t at = 0, search = 0, start, end, resume;
    const bipe_added *added;
    while (status == BIPE_OK && bipe_added_next(&p->inside, section.text, section.size, at, &search, &start, &end, &resume, &added)) {
        s->text.size = 0;
        s->text.first = section.first || at != 0 || s->fresh;
        s->text.origin = section.origin;
        status = bipe_mapped_copy(&s->text, &section, at, start, err);
        if (status == BIPE_OK)
            status = take_text(s, 0, s->text.size, err);
        if (status == BIPE_OK)
            status = emit(s, start < end ? section.start[start] : section.end[end - 1], section.end[end - 1], added->id, err);
        at = resume;
    }
    if (status == BIPE_OK && at < section.size) {
        s->text.size = 0;
        s->text.first = section.first || at != 0 || s->fresh;
        s->text.origin = section.origin;
        status = bipe_mapped_copy(&s->text, &section, at, section.size, err);
        if (status == BIPE_OK)
            status = take_text(s, 0, s->text.size, err);
    }
    if (section.size != 0)
        s->fresh = at == section.size;
    bipe_mapped_free(&section);
    return status;
}

/* Tokenizes the first `size` bytes that are held, and drops them. */
static int take_chunk(pipeline_stream *s, size_t size, bipe_error *err)
{
    size_t at = 0, search = 0, start, end, resume;
    const bipe_added *added;
    int status = BIPE_OK;
    while (status == BIPE_OK && bipe_added_next(&s->pipeline->raw, s->held.data, size, at, &search, &start, &end, &resume, &added)) {
        if (at < start)
            status = take_section(s, at, start, !(at == 0 && s->middle), err);
        if (status == BIPE_OK)
            status = emit(s, start, end, added->id, err);
        at = resume;
    }
    if (status == BIPE_OK && at < size)
        status = take_section(s, at, size, !(at == 0 && s->middle), err);
    s->middle = at < size || (size == 0 && s->middle);
    bipe_buffer_consume(&s->held, size);
    s->base += size;
    s->searched -= s->searched < size ? s->searched : size;
    s->cut = 0;
    return status;
}

/* ---- a chunk in pieces ---- */

static int flow_pieces(void *context, const bipe_mapped *text, const bipe_ranges *pieces, bool opens, bipe_error *err)
{
    pipeline_stream *s = context;
    bipe_mapped text_before = s->text;
    bipe_ranges pieces_before = s->pieces;
    size_t first = text->joined && s->word.open ? 1 : 0, end = pieces->count;
    int status = BIPE_OK;
    s->text = *text;
    s->pieces = *pieces;
    if (first != 0)
        status = bipe_long_word_push(&s->word, text, pieces->range[0], s->base, s->tokens, err);
    bool goes_on = first != 0 && opens && end == 1, begins = opens && end > first;
    if (status == BIPE_OK && !goes_on)
        status = bipe_long_word_end(&s->word, s->tokens, err);
    if (status == BIPE_OK)
        status = take_words(s, first, begins ? end - 1 : end, err);
    if (status == BIPE_OK && begins)
        status = bipe_long_word_push(&s->word, text, pieces->range[end - 1], s->base, s->tokens, err);
    s->text = text_before;
    s->pieces = pieces_before;
    return status;
}

static int flow_ends(void *context, bipe_error *err)
{
    pipeline_stream *s = context;
    return bipe_long_word_end(&s->word, s->tokens, err);
}

static int flow_added(void *context, uint32_t start, uint32_t end, uint32_t id, bipe_error *err)
{
    return emit(context, start, end, id, err);
}

/* Text of the chunk, [from, to) of held, between added tokens. ends: one of them stands behind it, or the chunk ends. */
static int flow_text(pipeline_stream *s, size_t from, size_t to, bool ends, bipe_error *err)
{
    if (from == to && !s->begun)
        return BIPE_OK;
    if (!s->begun)
        bipe_pipeline_flow_begin(s->flow, s->base, !s->middle, s->fresh);
    s->begun = true;
    s->middle = true;
    return bipe_pipeline_flow_feed(s->flow, s->held.data + from, to - from, (uint32_t)(s->ahead + from), ends, err);
}

/* The text has ended. */
static void end_flow(pipeline_stream *s)
{
    if (s->begun)
        s->fresh = bipe_pipeline_flow_fresh(s->flow, s->fresh);
    s->begun = false;
}

enum { MOVE_CHUNKS = 64 };

/* Places are counted from a later place on. */
static int move_base(pipeline_stream *s, bipe_error *err)
{
    uint32_t delta = bipe_pipeline_flow_first(s->flow, (uint32_t)s->ahead);
    bipe_pipeline_flow_move(s->flow, delta);
    s->base += delta;
    s->ahead -= delta;
    if (s->ahead < UINT32_MAX / 2)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than 2 GiB of text that gives no tokens", s->base);
}

/* What was taken of a piece is held no more; what is left may begin an added token. */
static int end_piece(pipeline_stream *s, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    size_t start = s->piece.start;
    s->piece.busy = false;
    if (s->piece.last)
        end_flow(s);
    bipe_added_search_drop(&s->white.search, s->held.data, start);
    bipe_buffer_consume(&s->held, start);
    s->searched -= s->searched < start ? s->searched : start;
    s->cut = 0;
    s->ahead += start;
    if (!s->piece.last)
        bipe_added_white_rest(&s->white, &s->held, s->piece.size - start);
    if (!s->piece.last)
        return s->ahead / p->chunk >= MOVE_CHUNKS ? move_base(s, err) : BIPE_OK;
    s->base += s->ahead;
    s->ahead = 0;
    s->flows = false;
    return BIPE_OK;
}

/* The same of a chunk that is there as a whole. */
static int next_step_of_whole(pipeline_stream *s, bipe_error *err)
{
    struct piece *piece = &s->piece;
    const bipe_added *added;
    if (!piece->looked) {
        piece->found = bipe_added_next(&s->pipeline->raw, s->held.data, piece->size, piece->at, &piece->search, &piece->start, &piece->end,
                                       &piece->resume, &added);
        piece->id = piece->found ? added->id : 0;
        piece->start = piece->found ? piece->start : piece->size;
        piece->looked = true;
    }
    if (piece->at < piece->start) {
        size_t from = piece->at, chunk = s->pipeline->chunk;
        piece->at = piece->start - from < chunk ? piece->start : from + chunk;
        return flow_text(s, from, piece->at, piece->at == piece->start, err);
    }
    if (!piece->found)
        return end_piece(s, err);
    end_flow(s);
    s->middle = piece->looked = false;
    piece->at = piece->resume;
    return emit(s, piece->start, piece->end, piece->id, err);
}

/* The next step of a piece: text up to an added token or to the end, or, when that is through, what stands there. */
static int next_step(pipeline_stream *s, bipe_error *err)
{
    struct piece *piece = &s->piece;
    const bipe_added *added;
    if (piece->whole)
        return next_step_of_whole(s, err);
    if (piece->over)
        return end_piece(s, err);
    if (piece->found) {
        uint64_t left_out = bipe_added_white_take(&s->white);
        end_flow(s);
        s->middle = piece->found = false;
        piece->at = piece->end;
        int status = emit(s, s->ahead + piece->start, s->ahead + piece->end + left_out, piece->id, err);
        s->base += left_out;
        return status;
    }
    piece->found = bipe_added_search_next(&s->white.search, &s->pipeline->raw, s->held.data, piece->size, piece->at, piece->last, &piece->start,
                                          &piece->end, &added) > 0;
    piece->over = !piece->found;
    piece->id = piece->found ? added->id : 0;
    return flow_text(s, piece->at, piece->start, piece->found || piece->last, err);
}

enum { MOST_OF_UNIT = 1 << 22 };

/* Goes on with a piece until it is done, or until there are so many tokens that others come later; of a unit all come now. */
static int go_on(pipeline_stream *s, bipe_error *err)
{
    size_t enough = s->tokens->count + s->pipeline->chunk;
    int status = BIPE_OK;
    while (status == BIPE_OK && s->piece.busy) {
        bool owes = bipe_pipeline_flow_owes(s->flow);
        if ((owes || s->piece.whole) && s->tokens->count >= enough && !s->looks_up)
            break;
        if (s->looks_up && s->tokens->count > enough + MOST_OF_UNIT)
            return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %d tokens without a place to cut the text at", s->base, MOST_OF_UNIT);
        status = owes ? bipe_pipeline_flow_go_on(s->flow, err) : next_step(s, err);
    }
    return status;
}

/* The first `size` bytes that are held go on their way (last: the chunk ends with them), but for what may begin an added token. */
static int take_piece(pipeline_stream *s, size_t size, bool last, bool whole, bipe_error *err)
{
    bipe_flow_sink sink = {.context = s, .pieces = flow_pieces, .ends = flow_ends, .added = flow_added};
    int status = s->flow == NULL ? bipe_pipeline_flow_open(&s->flow, s->pipeline, sink, err) : BIPE_OK;
    if (!s->flows) {
        s->begun = false;
        bipe_added_white_begin(&s->white, &s->pipeline->raw);
    }
    s->flows = true;
    s->piece = (struct piece){.busy = true, .last = last, .whole = whole, .size = size};
    return status == BIPE_OK ? go_on(s, err) : status;
}

/* ---- places to cut at ---- */

/* Looks for the last place to cut at among those not looked at. */
static void find_cut(pipeline_stream *s)
{
    const uint8_t *text = s->held.data;
    size_t size = s->held.size;
    if (size < 8)
        return;
    size_t stop = s->searched > 1 ? s->searched : 1, last = size - 4;
    for (size_t at = last; at >= stop; at--)
        if (bipe_cut_may(text, size, at, s->pipeline->cuts)) {
            s->cut = at;
            break;
        }
    if (last + 1 > s->searched)
        s->searched = last + 1;
}

/* What is held behind the pieces of a chunk: more than places to cut at depend on. */
enum { CUT_CONTEXT = 16 };

/* The chunk ends behind `size` bytes that are held. */
static int take_end(pipeline_stream *s, size_t size, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    bool whole = p->flows && p->whole && size > 2 * p->chunk;
    return s->flows || whole ? take_piece(s, size, true, whole, err) : take_chunk(s, size, err);
}

/* Takes what can be taken of what is held. */
static int take_some(pipeline_stream *s, bipe_error *err)
{
    const bipe_pipeline *p = s->pipeline;
    if (s->held.size < p->chunk)
        return BIPE_OK;
    if (p->cuts != 0)
        find_cut(s);
    if (s->cut != 0)
        return take_end(s, s->cut, err);
    if (p->flows && !p->whole && s->held.size > CUT_CONTEXT && (s->flows || s->held.size >= 2 * p->chunk))
        return take_piece(s, s->held.size - CUT_CONTEXT, false, false, err);
    if (s->held.size <= p->hold_limit)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %zu bytes without a place to cut the text into tokens", s->base,
                     p->hold_limit);
}

/* The same where white space may be left out of it, or come back. final: the document ends with it. */
static int take_held(pipeline_stream *s, bool final, bipe_error *err)
{
    size_t enough = s->tokens->count + s->pipeline->chunk;
    int status = BIPE_OK;
    bool back, ready = true;
    do {
        if (s->flows)
            status = bipe_added_white_step(&s->white, &s->held, final, &ready, err);
        back = s->flows && bipe_added_white_owes(&s->white);
        if (status != BIPE_OK || !ready)
            return status;
        if (back)
            status = take_piece(s, s->held.size, false, false, err);
        else if (final)
            status = s->held.size != 0 || s->flows ? take_end(s, s->held.size, err) : BIPE_OK;
        else
            status = take_some(s, err);
    } while (status == BIPE_OK && back && !s->piece.busy && s->tokens->count < enough);
    return status;
}

static int feed_plainly(pipeline_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (s->bytes != NULL)
        return bipe_byte_front_feed(s->bytes, bytes, size, s->tokens, err);
    bool owed = bipe_pipeline_stream_owes(s);
    int status = go_on(s, err);
    if (status == BIPE_OK && owed && !s->piece.busy)
        status = take_held(s, false, err);
    while (status == BIPE_OK && size != 0) {
        size_t n = size < s->pipeline->chunk ? size : s->pipeline->chunk;
        bool back = s->flows && bipe_added_white_owes(&s->white);
        status = bipe_buffer_append(back ? &s->white.later : &s->held, bytes, n, err);
        bytes += n;
        size -= n;
        if (status == BIPE_OK && !bipe_pipeline_stream_owes(s))
            status = take_held(s, false, err);
    }
    return status;
}

bool bipe_pipeline_stream_owes(const void *state)
{
    const pipeline_stream *s = state;
    return s->bytes != NULL ? bipe_byte_front_owes(s->bytes) : s->piece.busy || (s->flows && bipe_added_white_owes(&s->white));
}

static int end_plainly(pipeline_stream *s, bipe_error *err)
{
    if (s->bytes != NULL)
        return bipe_byte_front_end(s->bytes, s->tokens, err);
    return take_held(s, true, err);
}

/* A unit (cut_stream.h), which is a chunk. Behind text the next one goes on with it, behind an added token a text begins. Nothing that there are
 * units with owes tokens. */
static int encode_unit(void *context, const uint8_t *bytes, size_t size, bool ends, bool *clean, bipe_error *err)
{
    pipeline_stream *s = context;
    if (*clean && s->bytes != NULL)
        bipe_byte_front_begin(s->bytes, s->position);
    if (*clean)
        s->base = s->done = s->position;
    *clean = false;
    int status = feed_plainly(s, bytes, size, err);
    s->position += size;
    if (status == BIPE_OK && ends)
        status = end_plainly(s, err);
    *clean = status == BIPE_OK && ends && (s->bytes != NULL || (s->middle && !s->fresh));
    return status;
}

/* Units behind each other. An added token at the end of one would begin a text for the next, of which it does not stand in front. */
static int encode_units(void *context, const uint8_t *bytes, size_t size, bool ends, bool *clean, bipe_error *err)
{
    pipeline_stream *s = context;
    uint64_t position = s->position;
    s->met = false;
    int status = encode_unit(context, bytes, size, ends, clean, err);
    *clean = *clean && !s->met;
    if (!*clean)
        begin_plainly_at(s, position);
    return status;
}

int bipe_pipeline_stream_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    pipeline_stream *s = state;
    s->tokens = tokens;
    return s->looks_up ? bipe_cut_stream_feed(&s->units, bytes, size, tokens, err) : feed_plainly(s, bytes, size, err);
}

int bipe_pipeline_stream_end(void *state, bipe_tokens *tokens, bipe_error *err)
{
    pipeline_stream *s = state;
    s->tokens = tokens;
    bool ended = s->ending;
    int status = s->bytes == NULL ? go_on(s, err) : BIPE_OK;
    if (status != BIPE_OK || s->piece.busy || (ended && !bipe_pipeline_stream_owes(s)))
        return status;
    s->ending = true;
    if (s->looks_up && !ended)
        status = bipe_cut_stream_end(&s->units, err);
    return status == BIPE_OK ? end_plainly(s, err) : status;
}
