/* spm_text.c - see spm_text.h. */
#include "token/spm/spm_text.h"

#include "base/alloc.h"
#include "token/char_reader.h"

void bipe_spm_rules_free(bipe_spm_rules *rules)
{
    bipe_character_map_free(&rules->map);
    bipe_piece_trie_free(&rules->symbols);
    *rules = (bipe_spm_rules){0};
}

int bipe_characters_grow(bipe_characters *c, bipe_error *err)
{
    if (c->count >= BIPE_CHARACTERS_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a text that cannot be divided becomes more than %d characters",
                         BIPE_CHARACTERS_LIMIT);
    return bipe_grow(&c->character, &c->capacity, c->count + 1, sizeof *c->character) == 0 ? BIPE_OK
                                                                                           : bipe_fail_memory(err);
}

/* A text on its way. */
typedef struct work {
    const bipe_spm_rules *rules;
    bipe_characters *out;
    size_t first;     /* of its characters, there */
    size_t gap;
    bool started;     /* the prefix is out */
    bool after_space; /* spaces that come are removed */
} work;

static int append_code(const work *w, uint32_t code, size_t size, bipe_error *err)
{
    return bipe_characters_add(w->out, code == ' ' ? w->rules->space : code, (uint32_t)size, err);
}

/* Bytes that become nothing. */
static void leave_out_bytes(work *w, size_t size)
{
    if (w->out->count != w->first)
        w->out->character[w->out->count - 1].size += (uint32_t)size;
    else
        w->gap += size;
}

/* `size` bytes of the text have become these bytes (or are these bytes: `kept`). */
static int append_bytes(work *w, const uint8_t *bytes, size_t count, size_t size, bool kept, bipe_error *err)
{
    int status = BIPE_OK;
    if (!w->started) {
        if (w->rules->squeeze && count == 1 && bytes[0] == ' ') {
            w->gap += size;
            return BIPE_OK;
        }
        w->started = true;
        w->after_space = w->rules->squeeze;
        if (w->rules->dummy_prefix && !w->rules->suffix)
            status = append_code(w, ' ', 0, err);
    }
    size_t at = 0;
    while (w->after_space && at < count && bytes[at] == ' ')
        at++;
    if (at == count || kept)
        leave_out_bytes(w, at == count ? size : at);
    if (at == count)
        return status;
    w->after_space = w->rules->squeeze && bytes[count - 1] == ' ';
    for (size_t n; status == BIPE_OK && at < count; at += n) {
        uint32_t code;
        n = bipe_char_at(bytes + at, count - at, &code);
        /* The last character of a replacement has all of the bytes. */
        status = append_code(w, code, kept ? n : at + n == count ? size : 0, err);
    }
    return status;
}

/* The length of the longest symbol that the text begins with, or 0. */
static size_t find_symbol(const bipe_piece_trie *symbols, const uint8_t *bytes, size_t size)
{
    size_t length = 0;
    uint32_t node = 0;
    for (size_t i = 0; symbols->size != 0 && i < size && (node = bipe_piece_trie_step(symbols, node, bytes[i])) != 0;) {
        i++;
        if (symbols->node[node].value != BIPE_TRIE_NONE)
            length = i;
    }
    return length;
}

/* Takes what the text begins with: *used bytes of it. */
static int normalize_next(work *w, const uint8_t *bytes, size_t size, size_t *used, bipe_error *err)
{
    *used = find_symbol(&w->rules->symbols, bytes, size);
    if (*used != 0)
        return append_bytes(w, bytes, *used, *used, true, err);
    bipe_character_map_match match;
    int status = bipe_character_map_longest(&w->rules->map, bytes, size, &match, err);
    if (status != BIPE_OK)
        return status;
    *used = match.length;
    if (match.length != 0)
        return append_bytes(w, match.replacement, match.size, match.length, false, err);
    uint32_t code;
    *used = bipe_char_at(bytes, size, &code);
    return append_bytes(w, bytes, *used, *used, true, err);
}

int bipe_spm_normalize(const bipe_spm_rules *rules, const uint8_t *text, size_t size, bool begins, bool ends,
                       bipe_characters *characters, size_t *gap, bipe_error *err)
{
    work w = {.rules = rules, .out = characters, .first = characters->count, .started = !begins};
    int status = BIPE_OK;
    for (size_t at = 0, n = 0; status == BIPE_OK && at < size; at += n)
        status = normalize_next(&w, text + at, size - at, &n, err);
    while (ends && rules->squeeze && characters->count > w.first &&
           characters->character[characters->count - 1].code == rules->space)
        characters->count--;
    if (status == BIPE_OK && ends && w.started && rules->dummy_prefix && rules->suffix)
        status = append_code(&w, ' ', 0, err);
    *gap = w.gap;
    return status;
}
