/* norm_precompiled.c - the normalizer "Precompiled": SentencePiece's character map as Hugging Face's library applies
 * it.
 *
 * That is not how SentencePiece does it. The library takes the text apart into grapheme clusters (Unicode Standard
 * Annex 29). Of a cluster of fewer than 6 bytes it looks for the shortest string of the map that the cluster begins
 * with, and puts what that becomes in place of the whole cluster; where there is none, and in longer clusters, it does
 * the same with each character. */
#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/safe_pairs.h"
#include "token/pipeline/normalizers.h"
#include "token/spm/character_map.h"

enum { SHORT_CLUSTER = 6 };

static void precompiled_close(void *config)
{
    if (config != NULL)
        bipe_character_map_free(config);
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
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "precompiled_charsmap: %zu characters of base64, expected a multiple of 4", size);
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

/* The image of a single ASCII byte; NOT_ASCII: not one ASCII byte. */
enum { NOT_ASCII = 0x80 };

static uint8_t ask_for_byte(const bipe_character_map *map, uint8_t byte)
{
    bipe_character_map_match match;
    bipe_character_map_shortest(map, &byte, 1, &match);
    if (match.length == 0)
        return byte;
    return match.size == 1 && match.replacement[0] < 0x80 ? match.replacement[0] : NOT_ASCII;
}

/* ---- words of any script ---- */

/* The replacement of a string that begins with such a letter must be letters and marks, a letter first. */
static int check_word(void *context, const bipe_character_map_match *match, bipe_error *err)
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

/* Letters that stay letters, by themselves and with marks after them, which are a cluster with them. Nothing is known
 * when the map has characters that are a cluster with what is after them. */
typedef enum letters { NO_LETTERS, ASCII_LETTERS, ALL_LETTERS } letters;

static letters letters_stay(const bipe_character_map *map)
{
    letters stay = ALL_LETTERS;
    for (uint32_t code = 'A'; stay != NO_LETTERS && code < BIPE_CUT_LETTER_END; code++) {
        uint8_t bytes[4];
        size_t size = bipe_utf8_encode((int32_t)code, bytes);
        if (!map->begins[bytes[0]] || (code >= 0xD800 && code < 0xE000) || !bipe_character_map_has(map, bytes, size))
            continue;
        bool good = true;
        if (utf8proc_get_property((utf8proc_int32_t)code)->boundclass == UTF8PROC_BOUNDCLASS_PREPEND)
            stay = NO_LETTERS;
        else if (stay == ALL_LETTERS && bipe_is_cut_letter(code) &&
                 bipe_character_map_strings(map, bytes, size, SHORT_CLUSTER - 1, check_word, &good, NULL) != BIPE_OK)
            stay = code < 0x80 ? NO_LETTERS : ASCII_LETTERS;
    }
    return stay;
}

static int precompiled_open(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "precompiled_charsmap", NULL};
    const json_t *text = json_object_get(json, "precompiled_charsmap");
    bipe_buffer blob = {0};
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (!json_is_string(text))
        return bipe_fail(err, BIPE_ERR_FORMAT, "precompiled_charsmap: expected a string");
    bipe_character_map *map = bipe_alloc(1, sizeof *map);
    if (map == NULL)
        return bipe_fail_memory(err);
    status = decode_base64(json_string_value(text), json_string_length(text), &blob, err);
    if (status == BIPE_OK)
        status = bipe_character_map_read(map, blob.data, blob.size, err);
    bipe_buffer_free(&blob);
    if (status != BIPE_OK) {
        precompiled_close(map);
        return status;
    }
    *config = map;
    return BIPE_OK;
}

/* Places of Unicode that are not assigned yet, but stand by themselves already, which utf8proc does not know. */
static bool stands_alone(int32_t code)
{
    return code == 0x2065 || (code >= 0xFFF0 && code <= 0xFFF8) ||
           (code >= 0xE0000 && code <= 0xE0FFF && !(code >= 0xE0020 && code <= 0xE007F) &&
            !(code >= 0xE0100 && code <= 0xE01EF));
}

/* A mark of Unicode 16 is one, whatever version utf8proc knows. (The other new ones are never in a short cluster.) */
static int32_t known_character(int32_t code)
{
    return code == 0x0897 ? 0x0301 : code;
}

/* The end of the cluster that begins at `at`. A byte that is no character is a cluster. */
static size_t cluster_end(const bipe_mapped *in, size_t at)
{
    size_t start = at;
    int32_t code = -1, next;
    utf8proc_int32_t breaks = 0;
    for (size_t n; at < in->size; at += n) {
        n = bipe_utf8_decode(in->text + at, in->size - at, &next);
        if (next < 0)
            return at != start ? at : at + 1;
        if (at != start &&
            (stands_alone(code) || stands_alone(next) ||
             utf8proc_grapheme_break_stateful(known_character(code), known_character(next), &breaks) != 0))
            return at;
        code = next;
    }
    return at;
}

/* Appends the image of [from, to); false: no entry of the map is a prefix of it. */
static bool transform_text(const bipe_character_map *map, const bipe_mapped *in, size_t from, size_t to,
                           bipe_mapped *out, int *status, bipe_error *err)
{
    bipe_character_map_match match;
    bipe_character_map_shortest(map, in->text + from, to - from, &match);
    if (match.length != 0)
        *status = bipe_mapped_replace(out, match.replacement, match.size, in, from, to, err);
    return match.length != 0;
}

/* Each of the characters of a cluster becomes something by itself. */
static int each_character(const bipe_character_map *map, const bipe_mapped *in, size_t at, size_t end, bipe_mapped *out,
                          bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t n; status == BIPE_OK && at < end; at += n) {
        int32_t code;
        n = bipe_utf8_decode(in->text + at, end - at, &code);
        n = code < 0 ? 1 : n;
        if (code < 0 || !transform_text(map, in, at, at + n, out, &status, err))
            status = status == BIPE_OK ? bipe_mapped_copy(out, in, at, at + n, err) : status;
    }
    return status;
}

/* Bytes removed at the start belong to the first byte that stays: in the library the text still begins where it began,
 * which a pre-tokenizer may ask. */
static void move_begin(const bipe_mapped *in, bipe_mapped *out)
{
    uint32_t begin = out->size != 0 ? out->start[0] : 0;
    for (size_t i = 0; i < out->size && out->start[i] == begin; i++)
        out->start[i] = in->start[0];
}

static int precompiled_run(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0, end; status == BIPE_OK && at < in->size; at = end) {
        end = cluster_end(in, at);
        if (end - at >= SHORT_CLUSTER || !transform_text(config, in, at, end, out, &status, err))
            status = status == BIPE_OK ? each_character(config, in, at, end, out, err) : status;
    }
    move_begin(in, out);
    return status;
}

static uint32_t map_character(const void *context, uint32_t code)
{
    uint8_t to = code < BIPE_PAIRS && code != '\r' ? ask_for_byte(context, (uint8_t)code) : NOT_ASCII;
    return to != NOT_ASCII ? to : BIPE_CODE_UNKNOWN;
}

static uint32_t map_unknown(const void *context, uint32_t code)
{
    (void)context;
    (void)code;
    return BIPE_CODE_UNKNOWN;
}

/* A character of ASCII is a cluster by itself, but for CR LF, one after a character that is a cluster with the next
 * one, and one before a mark. Letters are known before anything else has changed them. */
static void precompiled_pairs(const void *config, bipe_pairs *pairs)
{
    letters stay = letters_stay(config);
    bipe_pairs_become(pairs, stay != NO_LETTERS ? map_character : map_unknown, config);
    if (stay != ALL_LETTERS || pairs->changed)
        pairs->to[BIPE_PAIR_LETTER] = BIPE_CODE_ANY;
    if (stay == NO_LETTERS)
        pairs->to[BIPE_PAIR_LETTER] = pairs->to[BIPE_PAIR_VISIBLE] = pairs->to[BIPE_PAIR_REST] = BIPE_CODE_UNKNOWN;
}

const bipe_normalizer_type bipe_norm_precompiled = {.name = "Precompiled", .open = precompiled_open,
                                                    .close = precompiled_close, .run = precompiled_run,
                                                    .pairs = precompiled_pairs};
