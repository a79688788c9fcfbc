/* norm_precompiled.c - the normalizer "Precompiled": SentencePiece's character map as Hugging Face's library applies it.
 *
 * That is not how SentencePiece does it. The library takes the text apart into grapheme clusters (Unicode Standard Annex 29).
 * Of a cluster of fewer than 6 bytes it looks for the shortest string of the map that the cluster begins with, and puts
 * what that becomes in place of the whole cluster; where there is none, and in longer clusters, it does the same
 * with each character. */
#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/cut_letters.h"
#include "token/pipeline/normalizers.h"
#include "token/spm/charsmap.h"

enum { SHORT_CLUSTER = 6 };

static void precompiled_close(void *config)
{
    if (config != NULL)
        bipe_charsmap_free(config);
    bipe_free(config);
}

/* The value of a character of base64 (RFC 4648), or -1. */
static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int decode_base64(const char *text, size_t size, bipe_buffer *bytes, bipe_error *err)
{
    if (size % 4 != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "precompiled_charsmap: %zu characters of base64, expected a multiple of 4", size);
    int status = bipe_buffer_reserve(bytes, size / 4 * 3 + 1, err);
    for (size_t i = 0; status == BIPE_OK && i < size; i += 4) {
        size_t end = i + 4 < size ? 0 : (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=');
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            int digit = k < 4 - end ? digit_of(text[i + k]) : 0;
            if (digit < 0)
                return bipe_fail(err, BIPE_ERR_FORMAT, "precompiled_charsmap: character %zu is not base64", i + k);
            group = group << 6 | (uint32_t)digit;
        }
        for (size_t k = 0; k < 3 - end; k++)
            bytes->data[bytes->size++] = (uint8_t)(group >> (16 - 8 * k));
    }
    return status;
}

/* Whether a character by itself stays what it is, or becomes an ASCII letter too. */
static bool stays(const bipe_charsmap *map, uint8_t c)
{
    bipe_charsmap_match match;
    bipe_charsmap_shortest(map, &c, 1, &match);
    bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    return match.length == 0 || (match.size == 1 && (match.replacement[0] == c || (letter && (match.replacement[0] | 32) >= 'a' &&
                                                                                   (match.replacement[0] | 32) <= 'z')));
}

/* What bytes of ASCII become by themselves (ODD: not one byte of ASCII), as far as they were asked for. */
enum { ODD = 0x80, NOT_KNOWN = 0xFF };

static uint8_t ask_for_byte(const bipe_charsmap *map, uint8_t byte)
{
    bipe_charsmap_match match;
    bipe_charsmap_shortest(map, &byte, 1, &match);
    if (match.length == 0)
        return byte;
    return match.size == 1 && match.replacement[0] < 0x80 ? match.replacement[0] : ODD;
}

/* ---- words of any script ---- */

/* What takes the place of a string that such a letter begins must be letters and marks, a letter first. */
static int check_word(void *context, const bipe_charsmap_match *match, bipe_error *err)
{
    bool *good = context;
    (void)err;
    int32_t code;
    *good = match->size != 0;
    for (size_t i = 0, n; *good && i < match->size; i += n) {
        n = bipe_utf8_decode(match->replacement + i, match->size - i, &code);
        *good = n != 0 && code >= 0 && (i == 0 ? bipe_is_cut_letter((uint32_t)code) : bipe_is_cut_tail((uint32_t)code));
    }
    return *good ? BIPE_OK : BIPE_END;
}

/* Letters that stay letters, by themselves and with marks behind them, which are a cluster with them. Nothing is known when the map has
 * characters that are a cluster with what is behind them. */
typedef enum letters { NO_LETTERS, ASCII_LETTERS, ALL_LETTERS } letters;

static letters letters_stay(const bipe_charsmap *map)
{
    letters stay = ALL_LETTERS;
    for (uint32_t code = 'A'; stay != NO_LETTERS && code < BIPE_CUT_LETTER_END; code++) {
        uint8_t bytes[4];
        size_t size = bipe_utf8_encode((int32_t)code, bytes);
        if (!map->begins[bytes[0]] || (code >= 0xD800 && code < 0xE000) || !bipe_charsmap_has(map, bytes, size))
            continue;
        bool good = true;
        if (utf8proc_get_property((utf8proc_int32_t)code)->boundclass == UTF8PROC_BOUNDCLASS_PREPEND)
            stay = NO_LETTERS;
        else if (stay == ALL_LETTERS && bipe_is_cut_letter(code) &&
                 bipe_charsmap_strings(map, bytes, size, SHORT_CLUSTER - 1, check_word, &good, NULL) != BIPE_OK)
            stay = code < 0x80 ? NO_LETTERS : ASCII_LETTERS;
    }
    return stay;
}

static int precompiled_open(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "precompiled_charsmap", NULL};
    const json_t *text = json_object_get(json, "precompiled_charsmap");
    bipe_buffer blob = {0};
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (!json_is_string(text))
        return bipe_fail(err, BIPE_ERR_FORMAT, "precompiled_charsmap: expected a string");
    bipe_charsmap *map = bipe_alloc(1, sizeof *map);
    if (map == NULL)
        return bipe_fail_memory(err);
    status = decode_base64(json_string_value(text), json_string_length(text), &blob, err);
    if (status == BIPE_OK)
        status = bipe_charsmap_read(map, blob.data, blob.size, err);
    bipe_buffer_free(&blob);
    if (status != BIPE_OK) {
        precompiled_close(map);
        return status;
    }
    *config = map;
    letters stay = letters_stay(map);
    bool ascii = stay != NO_LETTERS;
    for (uint8_t c = 'A'; ascii && c <= 'Z'; c++)
        ascii = stays(map, c) && stays(map, c | 32);
    bool seen = ascii;
    for (uint8_t c = '!'; seen && c <= '~'; c++)
        seen = ask_for_byte(map, c) > ' ' && ask_for_byte(map, c) < 0x7F;
    cuts->newline_to_space = ask_for_byte(map, '\n') == ' ';
    if (ascii && stays(map, ' '))
        cuts->keeps |= BIPE_CUT_SPACE | BIPE_CUT_AFTER | (seen ? BIPE_CUT_SEEN_SPACE : 0U);
    if (stay == ALL_LETTERS && ascii && stays(map, ' '))
        cuts->keeps |= BIPE_CUT_WORD;
    if (ascii && (stays(map, '\n') || cuts->newline_to_space))
        cuts->keeps |= BIPE_CUT_NEWLINE | (seen ? BIPE_CUT_SEEN_NEWLINE : 0U);
    /* A newline is a cluster by itself but behind a carriage return. */
    if (stays(map, '\n') || cuts->newline_to_space)
        cuts->keeps |= BIPE_CUT_ANY_NEWLINE;
    return BIPE_OK;
}

/* Places of Unicode that are not assigned yet, but stand by themselves already, which utf8proc does not know. */
static bool stands_alone(int32_t code)
{
    return code == 0x2065 || (code >= 0xFFF0 && code <= 0xFFF8) ||
           (code >= 0xE0000 && code <= 0xE0FFF && !(code >= 0xE0020 && code <= 0xE007F) && !(code >= 0xE0100 && code <= 0xE01EF));
}

/* A mark of Unicode 16 is one, whatever version utf8proc knows. (The other new ones are never in a short cluster.) */
static int32_t known(int32_t code)
{
    return code == 0x0897 ? 0x0301 : code;
}

/* Where a cluster was looked at up to: its last character, and utf8proc's state behind it. */
typedef struct cluster {
    int32_t code;
    utf8proc_int32_t breaks;
} cluster;

/* Where the cluster that begins at `at` (goes_on: a character of which stands before, and *c is known) ends. A byte that is no character
 * is a cluster. *ends: it is sure to end there, and not only what there is of the text (last: nothing follows). */
static size_t cluster_end(const bipe_mapped *in, size_t at, bool goes_on, bool last, cluster *c, bool *ends)
{
    int32_t next;
    *ends = true;
    while (at < in->size) {
        size_t n = bipe_utf8_decode(in->text + at, in->size - at, &next);
        if (n == 0 && !last)
            break;
        if (next < 0)
            return goes_on ? at : at + 1;
        if (!goes_on)
            c->breaks = 0;
        else if (stands_alone(c->code) || stands_alone(next) ||
                 utf8proc_grapheme_break_stateful(known(c->code), known(next), &c->breaks) != 0)
            return at;
        c->code = next;
        goes_on = true;
        at += n;
    }
    *ends = last;
    return at;
}

/* Appends what [from, to) becomes; false when nothing in the map begins it. */
static bool transform(const bipe_charsmap *map, const bipe_mapped *in, size_t from, size_t to, bipe_mapped *out, int *status,
                      bipe_error *err)
{
    bipe_charsmap_match match;
    bipe_charsmap_shortest(map, in->text + from, to - from, &match);
    if (match.length != 0)
        *status = bipe_mapped_replace(out, match.replacement, match.size, in, from, to, err);
    return match.length != 0;
}

/* Where the bytes of ASCII from `at` on end, each of which is a cluster (a byte of ASCII follows, and it is not CR before LF) and
 * becomes one byte of ASCII. */
static size_t end_of_bytes(const bipe_charsmap *map, const bipe_mapped *in, size_t at, uint8_t byte[128])
{
    for (; at + 1 < in->size && (in->text[at] | in->text[at + 1]) < 0x80; at++) {
        uint8_t c = in->text[at];
        if (byte[c] == NOT_KNOWN)
            byte[c] = ask_for_byte(map, c);
        if (byte[c] == ODD || (c == '\r' && in->text[at + 1] == '\n'))
            break;
    }
    return at;
}

/* Each of the characters of a cluster becomes something by itself. */
static int each_character(const bipe_charsmap *map, const bipe_mapped *in, size_t at, size_t end, bipe_mapped *out, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t n; status == BIPE_OK && at < end; at += n) {
        int32_t code;
        n = bipe_utf8_decode(in->text + at, end - at, &code);
        n = code < 0 ? 1 : n;
        if (code < 0 || !transform(map, in, at, at + n, out, &status, err))
            status = status == BIPE_OK ? bipe_mapped_copy(out, in, at, at + n, err) : status;
    }
    return status;
}

/* What is removed at the start belongs to the first thing that stays: in the library the text still begins where it began, which a
 * pre-tokenizer may ask. (state->begun: it begins at `from`; open: what stood for `to` belongs there.) */
static void move_begin(bipe_step_state *state, const bipe_mapped *in, bipe_mapped *out)
{
    if (!state->begun && in->size != 0) {
        state->begun = true;
        state->from = in->start[0];
        state->to = UINT32_MAX;
    }
    if (out->size != 0 && state->to == UINT32_MAX) {
        state->open = true;
        state->to = out->start[0];
    }
    for (size_t i = 0; i < out->size && (state->open = state->open && out->start[i] == state->to); i++)
        out->start[i] = state->from;
}

static int precompiled_flow(const void *config, bipe_step_state *state, const bipe_mapped *in, bool last, bipe_mapped *out, size_t *taken,
                            bool *more, bipe_error *err)
{
    int status = BIPE_OK;
    uint8_t byte[128];
    memset(byte, NOT_KNOWN, sizeof byte);
    bool ends, goes_on = state->code != 0; /* a cluster of SHORT_CLUSTER bytes or more */
    cluster c = {.code = state->code - 1, .breaks = state->breaks};
    size_t at = 0;
    *more = false;
    while (status == BIPE_OK && at < in->size) {
        size_t end = goes_on ? at : end_of_bytes(config, in, at, byte);
        if (end != at) {
            status = bipe_mapped_translate(out, in, at, end, byte, err);
            at = end;
            continue;
        }
        end = cluster_end(in, at, goes_on, last, &c, &ends);
        bool is_short = !goes_on && end - at < SHORT_CLUSTER;
        if (!ends && (is_short || end == at))
            break;
        if (!is_short || !transform(config, in, at, end, out, &status, err))
            status = status == BIPE_OK ? each_character(config, in, at, end, out, err) : status;
        goes_on = !ends;
        at = end;
        if (!ends)
            break;
    }
    state->code = goes_on ? c.code + 1 : 0;
    state->breaks = c.breaks;
    *taken = at;
    move_begin(state, in, out);
    return status;
}

static int precompiled_run(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    bipe_step_state state = {0};
    size_t taken;
    bool more;
    return precompiled_flow(config, &state, in, true, out, &taken, &more, err);
}

static uint32_t becomes(const void *context, uint32_t code)
{
    uint8_t to = code < BIPE_PAIRS && code != '\r' ? ask_for_byte(context, (uint8_t)code) : ODD;
    return to != ODD ? to : BIPE_PAIR_ODD;
}

static uint32_t nothing(const void *context, uint32_t code)
{
    (void)context;
    (void)code;
    return BIPE_PAIR_ODD;
}

/* Two characters of ASCII are two clusters, but for CR LF and behind a character that is a cluster with the first of them. */
static void precompiled_pairs(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_become(pairs, letters_stay(config) != NO_LETTERS ? becomes : nothing, config);
}

/* What is a cluster by itself, beside others like it. Units part between bytes of ASCII only where no string of the map begins with a
 * character that is a cluster with what is behind it. */
static size_t character(const void *config, uint32_t code, uint32_t to[BIPE_UNIT_CODES])
{
    utf8proc_int32_t c = (utf8proc_int32_t)code;
    uint8_t bytes[4];
    bipe_charsmap_match match;
    size_t n = 0, count = 0;
    to[0] = code;
    if (code < BIPE_PAIRS)
        return (to[0] = becomes(config, code)) != BIPE_PAIR_ODD ? 1 : BIPE_UNIT_ODD;
    switch (known(c) != c || stands_alone(c) ? (int)UTF8PROC_BOUNDCLASS_PREPEND : (int)utf8proc_get_property(c)->boundclass) {
    case UTF8PROC_BOUNDCLASS_OTHER:
    case UTF8PROC_BOUNDCLASS_LV:
    case UTF8PROC_BOUNDCLASS_LVT:
        break;
    case UTF8PROC_BOUNDCLASS_EXTEND:
    case UTF8PROC_BOUNDCLASS_SPACINGMARK:
        return BIPE_UNIT_LOOSE;
    default:
        return BIPE_UNIT_ODD;
    }
    bipe_charsmap_shortest(config, bytes, bipe_utf8_encode(c, bytes), &match);
    if (match.length == 0)
        return 1;
    for (size_t i = 0; i < match.size; i += n) {
        n = bipe_utf8_decode(match.replacement + i, match.size - i, &c);
        if (n == 0 || c < 0 || count == BIPE_UNIT_CODES)
            return BIPE_UNIT_ODD;
        to[count++] = (uint32_t)c;
    }
    return count;
}

const bipe_normalizer_type bipe_norm_precompiled = {
    .name = "Precompiled",
    .open = precompiled_open,
    .close = precompiled_close,
    .run = precompiled_run,
    .flow = precompiled_flow,
    .pairs = precompiled_pairs,
    .character = character,
};
