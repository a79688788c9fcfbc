/* bpe_stream.c - one document on its way through a byte-pair or a Unigram model.
 *
 *   bytes -> added tokens -> characters -> normalizer -> user-defined symbols -> symbols -> stretches -> tokens
 *
 * A SentencePiece model's rules stand for the normalizer, and a lattice for what comes behind it when it is of type Unigram, or words.
 * Between two symbols that no merge can join (bpe->crossings) the text is cut; each stretch between cuts is merged
 * by itself (long_merge.h). What is held back is the end of the present stretch, and what a matcher or the normalizer cannot decide yet. */
#include <inttypes.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/added_white.h"
#include "token/char_reader.h"
#include "token/merges/long_merge.h"
#include "token/spm/bpe.h"

enum { FOUND = 512 };

typedef struct bpe_stream {
    const bipe_bpe *bpe;
    bipe_tokens *tokens;     /* of the present call */
    bipe_char_reader reader;
    uint64_t taken;          /* bytes of the document taken in */
    uint64_t position;       /* where the next token starts */
    bool looks, units_found; /* for strings in the text as it is; they may be units: */
    bipe_buffer held;        /* what may be one, or white space that one takes, */
    bipe_added_white white;  /* of which some may be left out */
    struct found {
        size_t start, end;
        uint32_t id;
    } found[FOUND];          /* some that stand one behind the other */
    bipe_cut_unit unit[FOUND];
    bipe_matching inside;
    /* The text between two of them: */
    bool started;            /* something of it has come, the prefix is out */
    bipe_spm_text text;      /* instead of `started`, in models with rules */
    bipe_long_merge stretch;
    bipe_lattice lattice;    /* instead of it, in Unigram models */
    bipe_unit_cache units;
    bipe_spm_words words;    /* instead of it, in models of whole words */
    bool even;               /* nothing of the text is held: all before the next byte is tokens, and units may begin */
    uint64_t unknown_start;  /* fuse_tokens: an unknown token that may still grow is [unknown_start, position) */
    bool unknown;
    bipe_cut_stream cuts;  /* in front of all this, in models with borders */
    uint32_t *stack;         /* halves of unused pieces */
    size_t stack_capacity;
} bpe_stream;

/* ---- tokens out ---- */

static int end_unknown(bpe_stream *s, bipe_error *err)
{
    if (!s->unknown)
        return BIPE_OK;
    s->unknown = false;
    return bipe_tokens_add(s->tokens, s->unknown_start, s->position, (uint32_t)s->bpe->unk, err);
}

/* A token that stands for the next `size` bytes. */
static int emit(bpe_stream *s, uint32_t id, uint64_t size, bipe_error *err)
{
    int status = BIPE_OK;
    if (s->bpe->fuse_tokens && id == s->bpe->unk) {
        if (!s->unknown)
            s->unknown_start = s->position;
        s->unknown = true;
        s->position += size;
        return BIPE_OK;
    }
    if (s->unknown)
        status = end_unknown(s, err);
    uint64_t start = s->position;
    s->position += size;
    return status == BIPE_OK ? bipe_tokens_add(s->tokens, start, s->position, id, err) : status;
}

/* The bytes that a character is written with; a broken byte is itself. */
static size_t bytes_of(uint32_t code, uint8_t bytes[4])
{
    if (code < BIPE_BAD_BYTE)
        return bipe_utf8_encode((int32_t)code, bytes);
    bytes[0] = (uint8_t)(code - BIPE_BAD_BYTE);
    return 1;
}

/* What byte k of n stands for, when all of them stand for `size` bytes of the document. */
static uint32_t byte_share(size_t k, size_t n, uint32_t size)
{
    return size == n ? 1 : k + 1 == n ? size : 0;
}

/* A character that is no piece. */
static int emit_unknown(bpe_stream *s, const uint8_t *bytes, size_t n, uint32_t size, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    if (!bpe->byte_fallback)
        return emit(s, (uint32_t)bpe->unk, size, err);
    int status = BIPE_OK;
    for (size_t k = 0; status == BIPE_OK && k < n; k++)
        status = emit(s, bpe->byte_id[bytes[k]], byte_share(k, n, size), err);
    return status;
}

/* A symbol behind the vocabulary: a character that only merges could have made part of a token. */
static int emit_extra(bpe_stream *s, uint32_t symbol, uint32_t size, bipe_error *err)
{
    uint8_t bytes[4];
    size_t n = bytes_of(s->bpe->extra.code[symbol - s->bpe->vocabulary.count], bytes);
    return emit_unknown(s, bytes, n, size, err);
}

/* A piece of a Unigram model. */
static int emit_piece(void *context, const bipe_lattice *lattice, uint32_t id, size_t from, size_t to, bipe_error *err)
{
    uint64_t size = bipe_lattice_bytes(lattice, from, to);
    return id != BIPE_UNIGRAM_UNKNOWN ? emit(context, id, size, err)
                                      : emit_unknown(context, lattice->text + from, to - from, (uint32_t)size, err);
}

/* A whole word, or characters of one that is no piece. */
static int emit_word(void *context, int64_t id, const bipe_unit *units, size_t count, bipe_error *err)
{
    bpe_stream *s = context;
    const bipe_bpe *bpe = s->bpe;
    bool known = id != BIPE_NO_PIECE && id != bpe->unk && bpe->type[id] != BIPE_PIECE_CONTROL;
    uint64_t size = 0;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        uint8_t bytes[4];
        size += units[i].size;
        if (!known)
            status = emit_unknown(s, bytes, bytes_of(units[i].code, bytes), units[i].size, err);
    }
    return known ? emit(s, (uint32_t)id, size, err) : status;
}

/* Characters in the text of a symbol. */
static size_t characters_of(const bipe_bpe *bpe, uint32_t symbol)
{
    if (symbol >= bpe->vocabulary.count)
        return 1;
    size_t size, count = 0;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, symbol, &size);
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* An unused piece made from characters of these sizes: its halves, theirs, and so on. */
static int emit_split(bpe_stream *s, uint32_t symbol, const uint32_t *sizes, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    size_t depth = 0;
    int status = BIPE_OK;
    for (;;) {
        const bipe_pair_entry *e = bipe_pair_table_find(&bpe->splits, symbol, 0);
        if (e != NULL) {
            if (bipe_grow(&s->stack, &s->stack_capacity, depth + 1, sizeof *s->stack) != 0)
                return bipe_fail_memory(err);
            s->stack[depth++] = e->b;
            symbol = e->a;
            continue;
        }
        uint32_t size = 0;
        for (size_t n = characters_of(bpe, symbol); n != 0; n--)
            size += *sizes++;
        status = symbol < bpe->vocabulary.count ? emit(s, symbol, size, err) : emit_extra(s, symbol, size, err);
        if (status != BIPE_OK || depth == 0)
            return status;
        symbol = s->stack[--depth];
    }
}

/* What merges have made of the stretch, token by token. */
static int emit_merged(void *context, uint32_t symbol, const uint32_t *sizes, size_t count, bipe_error *err)
{
    bpe_stream *s = context;
    const bipe_bpe *bpe = s->bpe;
    uint32_t size = 0;
    for (size_t k = 0; k < count; k++)
        size += sizes[k];
    if (symbol >= bpe->vocabulary.count)
        return emit_extra(s, symbol, size, err);
    if (bpe->splits.count != 0 && bipe_pair_table_find(&bpe->splits, symbol, 0) != NULL)
        return emit_split(s, symbol, sizes, err);
    return emit(s, symbol, size, err);
}

static int stretch_failed(const bpe_stream *s, int status, bipe_error *err)
{
    return status == BIPE_ERR_LIMIT ? bipe_error_prefix(err, "offset %" PRIu64, s->position) : status;
}

static int finish_stretch(bpe_stream *s, bipe_error *err)
{
    if (s->bpe->longest_word != 0)
        return bipe_spm_words_end(&s->words, err);
    return stretch_failed(s, bipe_long_merge_end(&s->stretch, err), err);
}

/* ---- symbols in ---- */

static int add_symbol(bpe_stream *s, uint32_t symbol, uint32_t size, bipe_error *err)
{
    bipe_long_merge *stretch = &s->stretch;
    size_t n = stretch->count;
    if (n != 0 && bipe_pair_table_find(&s->bpe->crossings, stretch->symbol[n - 1], symbol) == NULL) {
        int status = finish_stretch(s, err);
        if (status != BIPE_OK)
            return status;
    }
    return stretch_failed(s, bipe_long_merge_push(stretch, symbol, size, err), err);
}

/* A character of the normalized text, in a Unigram model. */
static int add_to_lattice(bpe_stream *s, bipe_unit unit, bipe_error *err)
{
    uint8_t bytes[4];
    size_t n = bytes_of(unit.code, bytes);
    int status = bipe_lattice_push(&s->lattice, bytes, n, unit.size, unit.code >= BIPE_BAD_BYTE, err);
    if (status != BIPE_OK)
        return status == BIPE_ERR_LIMIT ? bipe_error_prefix(err, "offset %" PRIu64, s->position) : status;
    return bipe_lattice_decide(&s->lattice, false, emit_piece, s, err);
}

/* A character of the normalized text. */
static int add_character(bpe_stream *s, bipe_unit unit, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    if (bpe->longest_word != 0)
        return bipe_spm_words_push(&s->words, unit, err);
    uint32_t symbol = bipe_bpe_symbol(bpe, unit.code);
    if (symbol != BIPE_NO_SYMBOL)
        return add_symbol(s, symbol, unit.size, err);
    if (bpe->byte_fallback) {
        uint8_t bytes[4];
        size_t n = bytes_of(unit.code, bytes);
        int status = BIPE_OK;
        for (size_t k = 0; status == BIPE_OK && k < n; k++)
            status = add_symbol(s, bpe->byte_id[bytes[k]], byte_share(k, n, unit.size), err);
        return status;
    }
    bipe_long_merge *stretch = &s->stretch;
    if (bpe->fuse_symbols && stretch->count != 0 && stretch->symbol[stretch->count - 1] == bpe->unk) {
        stretch->size[stretch->count - 1] += unit.size;
        return BIPE_OK;
    }
    return add_symbol(s, (uint32_t)bpe->unk, unit.size, err);
}

/* Gives on what the inner matcher has decided. */
static int drain_inside(bpe_stream *s, bool last, bipe_error *err)
{
    bipe_unit unit;
    uint32_t id;
    int status = BIPE_OK;
    while (status == BIPE_OK && bipe_matching_next(&s->inside, &s->bpe->inside, last, &unit, &id)) {
        if (id == BIPE_MATCH_NONE) {
            status = add_character(s, unit, err);
        } else if ((status = finish_stretch(s, err)) == BIPE_OK) {
            status = emit(s, id, unit.size, err);
        }
    }
    return status;
}

static int add_normalized(bpe_stream *s, bipe_unit unit, bipe_error *err)
{
    if (s->bpe->inside.nodes == 0)
        return add_character(s, unit, err);
    int status = bipe_matching_push(&s->inside, unit, err);
    return status == BIPE_OK ? drain_inside(s, false, err) : status;
}

/* ---- the normalizer ---- */

static int add_codes(bpe_stream *s, const bipe_codes *codes, uint32_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < codes->count; i++)
        status = add_normalized(s, (bipe_unit){.code = codes->code[i], .size = i == 0 ? size : 0}, err);
    return status;
}

/* What the rules of a SentencePiece model give. */
static int add_unit(void *context, bipe_unit unit, bipe_error *err)
{
    bpe_stream *s = context;
    s->position += s->text.gap; /* only at the start of a text, where nothing is held */
    s->text.gap = 0;
    return s->bpe->unigram != NULL ? add_to_lattice(s, unit, err) : add_normalized(s, unit, err);
}

static int normalize(bpe_stream *s, bipe_unit unit, bipe_error *err)
{
    const bipe_normalizer *n = &s->bpe->normalizer;
    if (!s->started) {
        s->started = true;
        bool here = bipe_normalizer_begins(n, unit.code) && !(n->first && s->position != 0);
        int status = here ? add_codes(s, &n->prefix, 0, err) : BIPE_OK;
        if (status != BIPE_OK)
            return status;
    }
    const bipe_codes *codes = bipe_normalizer_find(n, unit.code);
    return codes != NULL ? add_codes(s, codes, unit.size, err) : add_normalized(s, unit, err);
}

/* The text ends here (an added token follows, or nothing). */
static int finish_text(bpe_stream *s, bipe_error *err)
{
    int status = BIPE_OK;
    if (s->bpe->ruled)
        status = bipe_spm_text_end(&s->text, &s->bpe->rules, add_unit, s, err);
    if (status == BIPE_OK && s->bpe->unigram != NULL) {
        status = bipe_lattice_decide(&s->lattice, true, emit_piece, s, err);
        bipe_lattice_begin(&s->lattice, s->bpe->unigram);
    }
    if (status == BIPE_OK)
        status = drain_inside(s, true, err);
    if (status == BIPE_OK)
        status = finish_stretch(s, err);
    if (status == BIPE_OK)
        status = end_unknown(s, err);
    s->position += s->text.gap;
    s->text.gap = 0;
    s->started = false;
    return status;
}

/* ---- the text in ---- */

/* Where what is not given out begins. */
static uint64_t undecided(const bpe_stream *s)
{
    return s->unknown ? s->unknown_start : s->position;
}

/* The bytes that wait for a decision, from which the spaces before a text are taken off, are bounded. */
static int check_held(const bpe_stream *s, bipe_error *err)
{
    if (s->taken - (undecided(s) + s->text.gap) <= s->bpe->hold_limit)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %zu bytes that are not yet decided", undecided(s),
                     s->bpe->hold_limit);
}

static int take(bpe_stream *s, const uint8_t *bytes, size_t size, bool last, bipe_error *err)
{
    const uint8_t *end = bytes + size;
    uint32_t code;
    int status = BIPE_OK;
    for (size_t n; status == BIPE_OK && (n = bipe_char_read(&s->reader, &bytes, end, last, &code)) != 0;) {
        s->taken += n;
        status = normalize(s, (bipe_unit){.code = code, .size = (uint32_t)n}, err);
        if (status == BIPE_OK)
            status = check_held(s, err);
    }
    return status;
}

/* ---- plain text of a Unigram model, unit by unit (spm_units.h) ---- */

static int emit_unit(void *context, uint32_t id, uint64_t size, bipe_error *err)
{
    return emit(context, id, size, err);
}

/* Gives out all that is held, if units may begin at text[at]: s->even then. */
static int settle(bpe_stream *s, const uint8_t *text, size_t size, size_t at, bipe_error *err)
{
    bipe_spm_text *t = &s->text;
    if (!t->started || t->blanks != 0 || !t->holding || !bipe_spm_units_begin(s->bpe->units, t->last.code, text, size, at))
        return BIPE_OK;
    t->holding = false;
    int status = add_unit(s, t->last, err);
    s->even = true;
    return status == BIPE_OK ? bipe_lattice_decide(&s->lattice, true, emit_piece, s, err) : status;
}

/* Units while there are some, and what stands between them by the rules and the lattice. Takes what is decided: *taken bytes. */
static int take_units(bpe_stream *s, const uint8_t *text, size_t size, size_t *taken, bipe_error *err)
{
    const bipe_spm_units *units = s->bpe->units;
    const bipe_spm_rules *rules = &s->bpe->rules;
    int status = BIPE_OK;
    size_t at = 0, n;
    while (status == BIPE_OK && at < size) {
        if (s->even) {
            const bipe_unit_run run = {&s->units, bipe_lattice_sum(&s->lattice), &s->position, s->tokens, &s->unknown, emit_unit, s};
            status = bipe_spm_units_run(units, &run, text + at, size - at, &n, err);
            at += n;
            if (n != 0)
                s->text.after_space = rules->squeeze && units->becomes[text[at - 1]] == ' ';
        }
        size_t stop = bipe_spm_units_next(units, text, size, at);
        if (status == BIPE_OK)
            status = bipe_spm_text_take(&s->text, rules, text + at, size - at, stop - at, add_unit, s, &n, err);
        s->even = false;
        if (status != BIPE_OK)
            break;
        at += n;
        if (at < stop)
            break;
        if (at == stop && stop < size)
            status = settle(s, text, size, at, err);
    }
    *taken = at;
    return status;
}

static int feed_units(bpe_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_buffer *held = &s->text.held;
    size_t taken;
    if (held->size == 0) {
        int status = take_units(s, bytes, size, &taken, err);
        return status == BIPE_OK ? bipe_buffer_append(held, bytes + taken, size - taken, err) : status;
    }
    int status = bipe_buffer_append(held, bytes, size, err);
    if (status == BIPE_OK)
        status = take_units(s, held->data, held->size, &taken, err);
    if (status == BIPE_OK)
        bipe_buffer_consume(held, taken);
    return status;
}

/* ---- units of a model of merges (cut_stream.h) ---- */

/* The general way. last: an incomplete character is broken. */
static int feed_plainly(bpe_stream *s, const uint8_t *bytes, size_t size, bool last, bipe_error *err)
{
    if (!s->bpe->ruled)
        return take(s, bytes, size, last, err);
    int status = bipe_spm_text_feed(&s->text, &s->bpe->rules, bytes, size, add_unit, s, err);
    s->taken += size;
    return status == BIPE_OK ? check_held(s, err) : status;
}

/* The symbols of a short unit and what they stand for, as the normalizer and add_character() give them: how many, or 0 when that is not so
 * simple, or something is to be found in it. */
static size_t symbols_of(const bipe_bpe *bpe, const uint8_t *bytes, size_t size, uint32_t *symbol, uint32_t *sizes)
{
    uint32_t codes[BIPE_MERGE_SHORT];
    size_t n = 0, characters = 0, length;
    for (size_t i = 0; i < size; i += length) {
        int32_t code = bytes[i];
        length = 1;
        if (code >= 0x80 && (length = bipe_utf8_decode(bytes + i, size - i, &code)) == 0)
            return 0;
        const bipe_codes *to = bipe_normalizer_find(&bpe->normalizer, (uint32_t)code);
        if (to != NULL && to->count != 1)
            return 0;
        codes[characters] = to != NULL ? to->code[0] : (uint32_t)code;
        uint32_t found = code < 0 ? (uint32_t)BIPE_NO_SYMBOL : bipe_bpe_symbol(bpe, codes[characters]);
        characters++;
        if (found != BIPE_NO_SYMBOL) {
            symbol[n] = found;
            sizes[n++] = (uint32_t)length;
        } else if (to != NULL || !bpe->byte_fallback) {
            return 0;
        }
        for (size_t k = 0; found == BIPE_NO_SYMBOL && k < length; k++) {
            symbol[n] = bpe->byte_id[bytes[i + k]];
            sizes[n++] = 1;
        }
    }
    return bipe_matcher_touches(&bpe->inside, codes, characters) ? 0 : n;
}

/* A whole unit, with nothing to look for in it: merged at once. *done: or not at all. */
static int encode_short(bpe_stream *s, const uint8_t *bytes, size_t size, bool *done, bipe_error *err)
{
    uint32_t symbol[BIPE_MERGE_SHORT], sizes[BIPE_MERGE_SHORT], end[BIPE_MERGE_SHORT], at = 0;
    size_t n = size <= BIPE_MERGE_SHORT ? symbols_of(s->bpe, bytes, size, symbol, sizes) : 0;
    *done = n != 0;
    int status = n != 0 ? bipe_merge_row(&s->stretch.room, &s->bpe->merges, symbol, end, &n, err) : BIPE_OK;
    for (size_t k = 0; status == BIPE_OK && k < n; k++) {
        status = emit_merged(s, symbol[k], sizes + at, end[k] - at, err);
        at = end[k];
    }
    return status;
}

/* The tokens of a unit that stand each for themselves; BIPE_END: there are others. */
static int list_tokens(bpe_stream *s, bipe_new_word *unit, bipe_piece_tokens *tokens, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    uint32_t symbol[BIPE_MERGE_SHORT], sizes[BIPE_MERGE_SHORT], end[BIPE_MERGE_SHORT], at = 0, from = 0;
    size_t n = unit->size <= BIPE_MERGE_SHORT ? symbols_of(bpe, unit->text, unit->size, symbol, sizes) : 0;
    if (n == 0 || bpe->splits.count != 0)
        return BIPE_END;
    int status = bipe_merge_row(&s->stretch.room, &bpe->merges, symbol, end, &n, err);
    if (status == BIPE_OK && bipe_grow(&tokens->token, &tokens->capacity, tokens->count + n, sizeof *tokens->token) != 0)
        status = bipe_fail_memory(err);
    unit->at = tokens->count;
    for (size_t k = 0; status == BIPE_OK && k < n; k++) {
        while (from < end[k])
            at += sizes[from++];
        if (symbol[k] >= bpe->vocabulary.count || symbol[k] == bpe->unk)
            return BIPE_END;
        tokens->token[unit->at + k] = (bipe_piece_token){.id = symbol[k], .end = at};
    }
    tokens->count += status == BIPE_OK ? n : 0;
    unit->count = status == BIPE_OK ? n : 0;
    return status;
}

/* A unit that is an added token. */
static int list_added(bipe_new_word *unit, uint32_t id, bipe_piece_tokens *tokens, bipe_error *err)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    unit->at = tokens->count;
    unit->count = 1;
    tokens->token[tokens->count++] = (bipe_piece_token){.id = id, .end = (uint32_t)unit->size};
    return BIPE_OK;
}

/* Many units at once (cut_stream.h). */
static int encode_words(void *context, bipe_new_word *unit, size_t count, bipe_piece_tokens *tokens, size_t *done, bipe_error *err)
{
    bpe_stream *s = context;
    bool quick = bipe_put_off_made(s->bpe->put_off, count) && s->bpe->quick.byte != NULL;
    int status = s->bpe->ruled ? BIPE_END : BIPE_OK;
    size_t n = 0;
    for (; status == BIPE_OK && n < count; n++) {
        const bipe_added *added = s->units_found ? bipe_added_whole(&s->bpe->raw, unit[n].text, unit[n].size) : NULL;
        if (added != NULL)
            status = list_added(&unit[n], added->id, tokens, err);
        else if (!quick || !bipe_byte_merges_takes(&s->bpe->quick, unit[n].text, unit[n].size))
            status = list_tokens(s, &unit[n], tokens, err);
    }
    *done = status == BIPE_OK || n == 0 ? n : n - 1;
    if (quick && bipe_byte_merges_run(&s->bpe->quick, unit, *done, tokens) != 0) {
        *done = 0;
        return bipe_fail_memory(err);
    }
    return status;
}

/* A unit (cut_stream.h). Where one ends, no merge and no unknown token goes on, and without rules no string that is looked for, so what waits
 * for them may go out. */
static int encode_unit(void *context, const uint8_t *bytes, size_t size, bool ends, bool *clean, bipe_error *err)
{
    bpe_stream *s = context;
    bool ruled = s->bpe->ruled, done = false, even = s->started;
    int status = BIPE_OK;
    if (*clean) {
        if (ends && !s->bpe->ruled)
            status = encode_short(s, bytes, size, &done, err);
        s->taken = s->position;
    }
    *clean = false;
    if (!done && status == BIPE_OK) {
        status = feed_plainly(s, bytes, size, ends, err);
        even = s->started;
    }
    if (status != BIPE_OK || !ends)
        return status;
    if (ruled)
        status = bipe_spm_text_settle(&s->text, &s->bpe->rules, add_unit, s, &even, err);
    else
        status = drain_inside(s, true, err);
    if (status != BIPE_OK || !even || !bipe_matching_is_empty(&s->inside))
        return status;
    status = finish_stretch(s, err);
    if (status == BIPE_OK)
        status = end_unknown(s, err);
    *clean = true;
    return status;
}

/* ---- a text, and what stands between texts ---- */

/* Whether nothing goes in front of a text, so that units may be looked up from its beginning on. */
static bool starts_even(const bipe_bpe *bpe)
{
    return bpe->borders != NULL && !bpe->ruled && bpe->normalizer.prefix.count == 0;
}

static void begin_text(bpe_stream *s)
{
    s->taken = s->position;
    s->even = false;
    bipe_cut_stream_begin(&s->cuts);
    s->started = s->cuts.clean = starts_even(s->bpe);
}

static int feed_text(bpe_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    if (s->bpe->borders != NULL)
        return bipe_cut_stream_feed(&s->cuts, bytes, size, s->tokens, err);
    if (s->bpe->units == NULL)
        return feed_plainly(s, bytes, size, false, err);
    int status = feed_units(s, bytes, size, err);
    s->taken += size;
    return status == BIPE_OK ? check_held(s, err) : status;
}

static int end_text(bpe_stream *s, bipe_error *err)
{
    int status = s->bpe->borders != NULL ? bipe_cut_stream_end(&s->cuts, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = take(s, (const uint8_t *)"", 0, true, err);
    if (status == BIPE_OK)
        status = finish_text(s, err);
    begin_text(s);
    return status;
}

/* Found tokens and what stands between them as units, from text[*at] on, where one ends or begins. All, some or nothing of it. */
static int take_together(bpe_stream *s, const uint8_t *text, size_t size, const struct found *found, size_t count, size_t *at, bipe_error *err)
{
    size_t n = 0, taken;
    for (; n < count && found[n].end - *at <= UINT32_MAX; n++)
        s->unit[n] = (bipe_cut_unit){(uint32_t)(found[n].start - *at), (uint32_t)(found[n].end - *at)};
    int status = bipe_cut_stream_take(&s->cuts, text + *at, size - *at, s->unit, n, s->tokens, &taken, err);
    *at += taken;
    return status;
}

/* Found tokens and the text before them, one by one or together. */
static int take_found(bpe_stream *s, const uint8_t *text, size_t size, size_t count, size_t *at, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count;) {
        const struct found *f = &s->found[i];
        size_t before = *at;
        if (s->units_found && count - i > 1 && bipe_cut_stream_is_even(&s->cuts))
            status = take_together(s, text, size, f, count - i, at, err);
        while (i < count && s->found[i].end <= *at)
            i++;
        if (status != BIPE_OK || *at != before)
            continue;
        status = feed_text(s, text + *at, f->start - *at, err);
        if (status == BIPE_OK)
            status = end_text(s, err);
        uint64_t length = f->end - f->start + bipe_added_white_take(&s->white);
        if (status == BIPE_OK)
            status = bipe_tokens_add(s->tokens, s->position, s->position + length, f->id, err);
        s->position += length;
        s->taken = s->position;
        *at = f->end;
        i++;
    }
    return status;
}

/* Text with added tokens in it (last: there is no more). Takes what is decided: *taken bytes. */
static int look(void *context, const uint8_t *text, size_t size, bool last, size_t *taken, bipe_error *err)
{
    bpe_stream *s = context;
    const bipe_added *added;
    size_t start = 0, end, n;
    int status = BIPE_OK, more = 1;
    for (*taken = 0; status == BIPE_OK && more > 0;) {
        size_t from = *taken;
        for (n = 0; n < FOUND; n++, from = end) {
            more = bipe_added_search_next(&s->white.search, &s->bpe->raw, text, size, from, last, &start, &end, &added);
            if (more <= 0)
                break;
            s->found[n] = (struct found){start, end, added->id};
        }
        status = take_found(s, text, size, n, taken, err);
    }
    if (status == BIPE_OK && start != *taken) /* or there may be no text at all */
        status = feed_text(s, text + *taken, start - *taken, err);
    *taken = start;
    bipe_added_search_drop(&s->white.search, text, start);
    return status;
}

int bipe_bpe_stream_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    bpe_stream *s = state;
    s->tokens = tokens;
    return s->looks ? bipe_added_white_feed(&s->white, &s->held, bytes, size, false, look, s, tokens, err) : feed_text(s, bytes, size, err);
}

bool bipe_bpe_stream_owes(const void *state)
{
    const bpe_stream *s = state;
    return bipe_added_white_owes(&s->white);
}

int bipe_bpe_stream_end(void *state, bipe_tokens *tokens, bipe_error *err)
{
    bpe_stream *s = state;
    s->tokens = tokens;
    int status = s->looks ? bipe_added_white_feed(&s->white, &s->held, NULL, 0, true, look, s, tokens, err) : BIPE_OK;
    return status == BIPE_OK && !bipe_added_white_owes(&s->white) ? end_text(s, err) : status;
}

/* ---- the object ---- */

int bipe_bpe_stream_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    bpe_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->bpe = tokenizer->model;
    s->looks = bipe_added_is_live(&s->bpe->raw);
    s->units_found = s->looks && s->bpe->raw_units && starts_even(s->bpe);
    s->stretch.merges = &s->bpe->merges;
    s->stretch.sink = emit_merged;
    s->stretch.context = s;
    s->words = (bipe_spm_words){.sink = emit_word, .context = s, .vocabulary = &s->bpe->vocabulary, .longest = s->bpe->longest_word};
    s->cuts.borders = s->bpe->borders;
    s->cuts.encode = encode_unit;
    s->cuts.encode_words = encode_words;
    s->cuts.context = s;
    s->cuts.position = &s->position;
    *state = s;
    return BIPE_OK;
}

int bipe_bpe_stream_begin(void *state, bipe_error *err)
{
    (void)err;
    bpe_stream *s = state;
    s->reader = (bipe_char_reader){0};
    s->position = 0;
    s->held.size = 0;
    bipe_added_white_begin(&s->white, &s->bpe->raw);
    bipe_matching_clear(&s->inside);
    bipe_spm_text_begin(&s->text);
    s->unknown = false;
    bipe_long_merge_begin(&s->stretch);
    begin_text(s);
    bipe_spm_words_begin(&s->words);
    if (s->bpe->unigram != NULL)
        bipe_lattice_begin(&s->lattice, s->bpe->unigram);
    return BIPE_OK;
}

/* Between two characters of ASCII at a border. Behind the first of them the prefix is out; no merge, no unknown token and nothing that is looked for
 * reaches across: what comes next depends on nothing before it. */
size_t bipe_bpe_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    const bipe_bpe *bpe = tokenizer->model;
    /* Rules see the end of a text. */
    if (bpe->apart == NULL || bpe->ruled)
        return 0;
    for (size_t at = size; at-- > 1;)
        if (bytes[at - 1] < 0x80 && bytes[at] < 0x80 && bipe_cut_border(bpe->apart, bytes[at - 1], bytes[at]))
            return at;
    return 0;
}

int bipe_bpe_stream_begin_at(void *state, uint64_t offset, bipe_error *err)
{
    bpe_stream *s = state;
    int status = bipe_bpe_stream_begin(state, err);
    s->taken = s->position = offset;
    s->started = s->cuts.clean = true;
    return status;
}

void bipe_bpe_stream_trim(void *state)
{
    bpe_stream *s = state;
    bipe_cut_stream_trim(&s->cuts);
    bipe_unit_cache_free(&s->units);
}

void bipe_bpe_stream_close(void *state)
{
    bpe_stream *s = state;
    bipe_buffer_free(&s->held);
    bipe_added_white_free(&s->white);
    bipe_matching_free(&s->inside);
    bipe_long_merge_free(&s->stretch);
    bipe_cut_stream_free(&s->cuts);
    bipe_spm_text_free(&s->text);
    bipe_lattice_free(&s->lattice);
    bipe_unit_cache_free(&s->units);
    bipe_spm_words_free(&s->words);
    bipe_free(s->stack);
    bipe_free(s);
}
