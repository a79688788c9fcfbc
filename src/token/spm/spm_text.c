/* spm_text.c - SentencePiece's normalizer over a stream. */
#include "token/spm/spm_text.h"

#include "base/alloc.h"
#include "token/char_reader.h"

void bipe_spm_text_begin(bipe_spm_text *t)
{
    t->held.size = t->blanks = 0;
    t->started = t->after_space = t->holding = false;
    t->gap = 0;
}

void bipe_spm_text_free(bipe_spm_text *t)
{
    bipe_buffer_free(&t->held);
    bipe_free(t->blank);
    *t = (bipe_spm_text){0};
}

void bipe_spm_rules_free(bipe_spm_rules *rules)
{
    bipe_charsmap_free(&rules->map);
    bipe_piece_trie_free(&rules->symbols);
    *rules = (bipe_spm_rules){0};
}

/* Where one call of feed or end has what it works with. */
typedef struct work {
    bipe_spm_text *text;
    const bipe_spm_rules *rules;
    bipe_unit_sink *sink;
    void *context;
} work;

/* ---- out ---- */

/* A character goes out when the next one comes, for it may have to stand for more bytes. */
static int put(const work *w, bipe_unit unit, bipe_error *err)
{
    bipe_spm_text *t = w->text;
    bipe_unit last = t->last;
    bool holding = t->holding;
    t->last = unit;
    t->holding = true;
    return holding ? w->sink(w->context, last, err) : BIPE_OK;
}

static int put_blank(const work *w, uint32_t size, bipe_error *err)
{
    bipe_spm_text *t = w->text;
    if (bipe_grow(&t->blank, &t->blank_capacity, t->blanks + 1, sizeof *t->blank) != 0)
        return bipe_fail_memory(err);
    t->blank[t->blanks++] = size;
    return BIPE_OK;
}

/* A character of the normalized text. */
static int put_character(const work *w, uint32_t code, uint32_t size, bipe_error *err)
{
    bipe_spm_text *t = w->text;
    if (code == ' ')
        code = w->rules->space;
    if (w->rules->squeeze && code == w->rules->space)
        return put_blank(w, size, err);
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < t->blanks; i++)
        status = put(w, (bipe_unit){.code = w->rules->space, .size = t->blank[i]}, err);
    t->blanks = 0;
    return status == BIPE_OK ? put(w, (bipe_unit){.code = code, .size = size}, err) : status;
}

/* Bytes that become nothing. */
static void leave_out(bipe_spm_text *t, size_t size)
{
    if (t->blanks != 0)
        t->blank[t->blanks - 1] += (uint32_t)size;
    else if (t->holding)
        t->last.size += (uint32_t)size;
    else
        t->gap += size;
}

/* `size` bytes of the document have become these bytes (or are these bytes: `kept`). */
static int put_bytes(const work *w, const uint8_t *bytes, size_t count, size_t size, bool kept, bipe_error *err)
{
    bipe_spm_text *t = w->text;
    const uint8_t *end = bytes + count;
    int status = BIPE_OK;
    if (!t->started) {
        if (w->rules->squeeze && count == 1 && bytes[0] == ' ') {
            t->gap += size;
            return BIPE_OK;
        }
        t->started = true;
        t->after_space = w->rules->squeeze;
        if (w->rules->dummy_prefix && !w->rules->suffix)
            status = put_character(w, ' ', 0, err);
    }
    const uint8_t *first = bytes;
    while (t->after_space && bytes != end && *bytes == ' ')
        bytes++;
    if (bytes == end) {
        leave_out(t, size);
        return status;
    }
    if (kept)
        leave_out(t, (size_t)(bytes - first));
    t->after_space = w->rules->squeeze && end[-1] == ' ';
    bipe_char_reader reader = {0};
    uint32_t code;
    for (size_t n; status == BIPE_OK && (n = bipe_char_read(&reader, &bytes, end, true, &code)) != 0;) {
        /* The last character of a replacement stands for all of the bytes. */
        size_t share = kept ? n : bytes == end && reader.count == 0 ? size : 0;
        status = put_character(w, code, (uint32_t)share, err);
    }
    return status;
}

/* ---- in ---- */

/* The longest symbol that the text begins with: its length or 0. BIPE_END when the answer depends on what follows. */
static int find_symbol(const bipe_piece_trie *symbols, const uint8_t *bytes, size_t size, bool last, size_t *length)
{
    *length = 0;
    if (symbols->size == 0)
        return BIPE_OK;
    uint32_t node = 0;
    size_t i = 0;
    while (i < size && (node = bipe_piece_trie_step(symbols, node, bytes[i])) != 0) {
        i++;
        if (symbols->node[node].value != BIPE_TRIE_NONE)
            *length = i;
    }
    /* A node without children has base 0. */
    return i == size && !last && (i == 0 || symbols->node[node].base != 0) ? BIPE_END : BIPE_OK;
}

/* Takes what the text begins with: `taken` bytes of it. BIPE_END: wait for more. */
static int take(const work *w, const uint8_t *bytes, size_t size, bool last, size_t *taken, bipe_error *err)
{
    int status = find_symbol(&w->rules->symbols, bytes, size, last, taken);
    if (status != BIPE_OK)
        return status;
    if (*taken != 0)
        return put_bytes(w, bytes, *taken, *taken, true, err);
    bipe_charsmap_match match;
    status = bipe_charsmap_longest(&w->rules->map, bytes, size, last, &match, err);
    if (status != BIPE_OK)
        return status;
    if (match.length != 0) {
        *taken = match.length;
        return put_bytes(w, match.replacement, match.size, match.length, false, err);
    }
    int32_t code;
    *taken = bipe_utf8_decode(bytes, size, &code);
    if (*taken == 0) {
        if (!last)
            return BIPE_END;
        *taken = 1;
    }
    return put_bytes(w, bytes, *taken, *taken, true, err);
}

/* Takes from bytes[0 .. size) what is decided, until `stop` bytes are; *taken bytes of it are done. */
static int take_all(const work *w, const uint8_t *bytes, size_t size, size_t stop, bool last, size_t *taken, bipe_error *err)
{
    int status = BIPE_OK;
    *taken = 0;
    while (status == BIPE_OK && *taken < stop) {
        size_t n = 0;
        status = take(w, bytes + *taken, size - *taken, last, &n, err);
        if (status == BIPE_OK)
            *taken += n;
    }
    return status == BIPE_END ? BIPE_OK : status;
}

int bipe_spm_text_feed(bipe_spm_text *t, const bipe_spm_rules *rules, const uint8_t *bytes, size_t size,
                       bipe_unit_sink *sink, void *context, bipe_error *err)
{
    const work w = {t, rules, sink, context};
    size_t taken;
    int status = BIPE_OK;
    if (t->held.size == 0) {
        status = take_all(&w, bytes, size, size, false, &taken, err);
        return status == BIPE_OK ? bipe_buffer_append(&t->held, bytes + taken, size - taken, err) : status;
    }
    status = bipe_buffer_append(&t->held, bytes, size, err);
    if (status == BIPE_OK)
        status = take_all(&w, t->held.data, t->held.size, t->held.size, false, &taken, err);
    if (status == BIPE_OK)
        bipe_buffer_consume(&t->held, taken);
    return status;
}

int bipe_spm_text_take(bipe_spm_text *t, const bipe_spm_rules *rules, const uint8_t *bytes, size_t size, size_t stop,
                       bipe_unit_sink *sink, void *context, size_t *taken, bipe_error *err)
{
    const work w = {t, rules, sink, context};
    return take_all(&w, bytes, size, stop, false, taken, err);
}

int bipe_spm_text_settle(bipe_spm_text *t, const bipe_spm_rules *rules, bipe_unit_sink *sink, void *context, bool *even,
                         bipe_error *err)
{
    const work w = {t, rules, sink, context};
    size_t taken;
    int status = take_all(&w, t->held.data, t->held.size, t->held.size, true, &taken, err);
    t->held.size = 0;
    *even = t->started && t->blanks == 0 && !t->after_space;
    if (status != BIPE_OK || !*even || !t->holding)
        return status;
    t->holding = false;
    return sink(context, t->last, err);
}

int bipe_spm_text_end(bipe_spm_text *t, const bipe_spm_rules *rules, bipe_unit_sink *sink, void *context,
                      bipe_error *err)
{
    const work w = {t, rules, sink, context};
    size_t taken;
    int status = take_all(&w, t->held.data, t->held.size, t->held.size, true, &taken, err);
    t->held.size = 0;
    /* What is squeezed at the end comes behind it. */
    if (status == BIPE_OK && t->started && rules->dummy_prefix && rules->suffix)
        status = put(&w, (bipe_unit){.code = rules->space, .size = 0}, err);
    if (status == BIPE_OK && t->holding)
        status = sink(context, t->last, err);
    t->holding = false;
    for (size_t i = 0; i < t->blanks; i++)
        t->gap += t->blank[i];
    t->blanks = 0;
    t->started = t->after_space = false;
    return status;
}
