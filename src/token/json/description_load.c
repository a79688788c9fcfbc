/* description_load.c - reads a description from the text of a tokenizer.json or tekken.json. jansson parses single
 * values; the members of the file and of its model, and the entries of the long lists, are read one by one, so that no
 * long list becomes a tree. Of duplicate members the last one counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "token/json/description.h"
#include "token/kind.h"

typedef struct reader {
    const char *start, *at, *end;
    bipe_description *d;
    size_t limit; /* of ids: no file of this size has more */
    char merges;  /* '"' or '[': how the first merge begins, and so all */
} reader;

/* ---- values ---- */

/* The position is `ahead` bytes after the present one. */
static int fail_at(const reader *r, size_t ahead, const char *text, bipe_error *err)
{
    size_t line = 1, column = 1;
    const char *here = ahead < (size_t)(r->end - r->at) ? r->at + ahead : r->end;
    for (const char *c = r->start; c < here; c++) {
        column = *c == '\n' ? 1 : column + ((*c & 0xC0) != 0x80);
        line += *c == '\n';
    }
    return bipe_fail(err, BIPE_ERR_FORMAT, "line %zu, column %zu: %s", line, column, text);
}

static char next_byte(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool match_byte(reader *r, char byte)
{
    bool found = next_byte(r) == byte && r->at < r->end;
    r->at += found;
    return found;
}

static int read_value(reader *r, size_t flags, json_t **value, bipe_error *err)
{
    json_error_t error;
    next_byte(r);
    *value = json_loadb(r->at, (size_t)(r->end - r->at), JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | flags, &error);
    if (*value != NULL) {
        r->at += error.position;
        return BIPE_OK;
    }
    return json_error_code(&error) == json_error_out_of_memory ? bipe_fail_memory(err)
                                                               : fail_at(r, (size_t)error.position, error.text, err);
}

static int read_string(reader *r, size_t flags, json_t **string, bipe_error *err)
{
    *string = NULL;
    return next_byte(r) == '"' ? read_value(r, flags, string, err) : fail_at(r, 0, "expected a string", err);
}

/* ---- numbers ---- */

enum { LARGEST_POWER = 308, EXPONENT_LIMIT = 100000 };

static bool is_digit(const reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

/* 10^power, the nearest double. */
static double power_of_ten(int power)
{
    char text[8];
    snprintf(text, sizeof text, "1e%d", power);
    return strtod(text, NULL);
}

/* digits * 10^exponent. */
static double scale_digits(uint64_t digits, long exponent)
{
    double value = (double)digits;
    for (; labs(exponent) > LARGEST_POWER; exponent += LARGEST_POWER) {
        if (value == 0)
            return 0;
        if (exponent > 0)
            return INFINITY;
        value /= power_of_ten(LARGEST_POWER);
    }
    double power = power_of_ten((int)labs(exponent));
    return exponent >= 0 ? value * power : value / power;
}

/* A number as the library reads it, which is not always the double nearest to what is written: the digits, as many as
 * go into 64 bits, are rounded to a double, and that is multiplied or divided by a power of ten and rounded again.
 * Scores of pieces that differ in the last bit decide between segmentations that are equally good. False: no number of
 * JSON, or one too large. */
static bool read_json_number(reader *r, double *value)
{
    bool negative = next_byte(r) == '-', full = false;
    uint64_t digits = 0;
    long exponent = 0, given = 0;
    r->at += negative;
    if (!is_digit(r) || (*r->at == '0' && r->end - r->at > 1 && r->at[1] >= '0' && r->at[1] <= '9'))
        return false;
    for (bool fraction = false;; r->at++) {
        if (!fraction && r->at < r->end && *r->at == '.') {
            fraction = true;
            r->at++;
            if (!is_digit(r))
                return false;
        }
        if (!is_digit(r))
            break;
        unsigned digit = (unsigned)(*r->at - '0');
        full = full || digits > (UINT64_MAX - digit) / 10;
        if (!full)
            digits = 10 * digits + digit;
        exponent += (full ? 1 : 0) - (fraction ? 1 : 0);
    }
    if (r->at < r->end && (*r->at | 0x20) == 'e') {
        r->at++;
        bool minus = r->at < r->end && *r->at == '-';
        r->at += r->at < r->end && (*r->at == '-' || *r->at == '+');
        if (!is_digit(r))
            return false;
        for (; is_digit(r); r->at++)
            given = given < EXPONENT_LIMIT ? 10 * given + (*r->at - '0') : given;
        exponent += minus ? -given : given;
    }
    *value = negative ? -scale_digits(digits, exponent) : scale_digits(digits, exponent);
    return isfinite(*value);
}

/* ---- entries of the lists ---- */

/* "TEXT": ID */
static int read_id(reader *r, bipe_error *err)
{
    json_t *text, *id = NULL;
    int status = read_string(r, JSON_ALLOW_NUL, &text, err);
    if (status == BIPE_OK && !match_byte(r, ':'))
        status = fail_at(r, 0, "expected ':'", err);
    if (status == BIPE_OK)
        status = read_value(r, 0, &id, err);
    json_int_t value = json_integer_value(id);
    if (status == BIPE_OK && (!json_is_integer(id) || value < 0 || (uint64_t)value >= r->limit))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "vocab: \"%.40s\" has no id of 0 to %zu", json_string_value(text),
                           r->limit - 1);
    if (status == BIPE_OK)
        status = bipe_description_add(r->d, (size_t)value, json_string_value(text), json_string_length(text), err);
    json_decref(text);
    json_decref(id);
    return status;
}

/* ["TEXT", SCORE] */
static int read_piece(reader *r, bipe_error *err)
{
    bipe_description *d = r->d;
    json_t *text = NULL;
    size_t id = d->count;
    if (bipe_grow(&d->score, &d->score_capacity, id + 1, sizeof *d->score) != 0)
        return bipe_fail_memory(err);
    bool good = match_byte(r, '[') && next_byte(r) == '"';
    int status = good ? read_value(r, JSON_ALLOW_NUL, &text, err) : BIPE_OK;
    if (status == BIPE_OK && !(good && match_byte(r, ',') && read_json_number(r, &d->score[id]) && match_byte(r, ']')))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "vocab: %zu: expected [string, number]", id);
    if (status == BIPE_OK)
        status = bipe_description_add(d, id, json_string_value(text), json_string_length(text), err);
    json_decref(text);
    return status;
}

/* {"rank": 0, "token_bytes": "AA==", "token_str": ...} */
static int read_rank(reader *r, bipe_error *err)
{
    json_t *entry;
    size_t id = r->d->count;
    int status = read_value(r, JSON_ALLOW_NUL, &entry, err);
    const json_t *rank = json_object_get(entry, "rank"), *text = json_object_get(entry, "token_bytes");
    if (status == BIPE_OK &&
        (!json_is_integer(rank) || json_integer_value(rank) != (json_int_t)id || !json_is_string(text)))
        status = bipe_fail(err, BIPE_ERR_FORMAT,
                           "vocab: %zu: expected an object with this \"rank\" and \"token_bytes\"", id);
    if (status == BIPE_OK)
        status = bipe_description_add(r->d, id, json_string_value(text), json_string_length(text), err);
    json_decref(entry);
    return status;
}

/* "LEFT RIGHT", or the first line of a merges.txt, which some files have among them and which does not count. */
static int add_joined(reader *r, const json_t *merge, bipe_error *err)
{
    const char *text = json_string_value(merge);
    size_t size = json_string_length(merge);
    const char *space = memchr(text, ' ', size);
    if (strncmp(text, "#version", 8) == 0)
        return BIPE_OK;
    size_t left = space != NULL ? (size_t)(space - text) : 0, right = size - left - (space != NULL);
    if (left == 0 || right == 0 || memchr(space + 1, ' ', right) != NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected two strings");
    return bipe_description_add_merge(r->d, text, left, space + 1, right, err);
}

/* ["LEFT", "RIGHT"] */
static int add_pair(reader *r, const json_t *merge, bipe_error *err)
{
    const json_t *left = json_array_get(merge, 0), *right = json_array_get(merge, 1);
    if (json_array_size(merge) != 2 || json_string_length(left) == 0 || json_string_length(right) == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected two strings");
    return bipe_description_add_merge(r->d, json_string_value(left), json_string_length(left), json_string_value(right),
                                      json_string_length(right), err);
}

static int read_merge(reader *r, bipe_error *err)
{
    json_t *merge;
    char first = next_byte(r);
    r->merges = r->merges != '\0' ? r->merges : first;
    int status = read_value(r, JSON_ALLOW_NUL, &merge, err);
    if (status != BIPE_OK)
        return status;
    if (first != r->merges && (first == '"' || first == '['))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s, expected %s like the first",
                           first == '"' ? "a string" : "an array", first == '"' ? "an array" : "a string");
    else
        status = json_is_string(merge) ? add_joined(r, merge, err) : add_pair(r, merge, err);
    json_decref(merge);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "merges: %zu", r->d->merges);
}

static int read_list(reader *r, char end, int (*read_entry)(reader *r, bipe_error *err), bipe_error *err)
{
    r->at++;
    if (match_byte(r, end))
        return BIPE_OK;
    int status = BIPE_OK;
    do
        status = read_entry(r, err);
    while (status == BIPE_OK && match_byte(r, ','));
    if (status != BIPE_OK || match_byte(r, end))
        return status;
    return fail_at(r, 0, end == '}' ? "expected ',' or '}'" : "expected ',' or ']'", err);
}

/* ---- members ---- */

static void forget_vocab(bipe_description *d)
{
    d->vocab = BIPE_VOCAB_ABSENT;
    d->count = d->entries = 0;
}

static void forget_merges(reader *r)
{
    r->d->has_merges = false;
    r->d->merges = 0;
    r->merges = '\0';
}

static int read_vocab(reader *r, bool model, char first, bipe_error *err)
{
    bipe_description *d = r->d;
    forget_vocab(d);
    d->unique = true;
    d->vocab = !model ? BIPE_VOCAB_RANKS : first == '{' ? BIPE_VOCAB_IDS : BIPE_VOCAB_PIECES;
    int status = !model         ? read_list(r, ']', read_rank, err)
                 : first == '{' ? read_list(r, '}', read_id, err)
                                : read_list(r, ']', read_piece, err);
    if (status == BIPE_OK && d->count > 4 * d->entries + 65536)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "vocab: %zu strings have ids up to %zu", d->entries, d->count - 1);
    return status;
}

static int read_merges_member(reader *r, bipe_error *err)
{
    forget_merges(r);
    r->d->has_merges = true;
    return read_list(r, ']', read_merge, err);
}

/* A list of objects is not looked into by any other reader. */
static bool begins_ranks(const reader *r)
{
    reader ahead = *r;
    return match_byte(&ahead, '[') && next_byte(&ahead) == '{';
}

static int read_members(reader *r, json_t *object, bool model, bipe_error *err);

static int read_member(reader *r, json_t *object, const char *name, bool model, bipe_error *err)
{
    char first = next_byte(r);
    json_t *value = NULL;
    int status = BIPE_OK;
    if (strcmp(name, "vocab") == 0 && (model ? first == '{' || first == '[' : begins_ranks(r)))
        status = read_vocab(r, model, first, err);
    else if (model && strcmp(name, "merges") == 0 && first == '[')
        status = read_merges_member(r, err);
    else if (!model && strcmp(name, "model") == 0 && first == '{') {
        forget_vocab(r->d);
        forget_merges(r);
        value = json_object();
        status = value != NULL ? read_members(r, value, true, err) : bipe_fail_memory(err);
    } else
        status = read_value(r, 0, &value, err);
    if (status == BIPE_OK)
        return json_object_set_new(object, name, value != NULL ? value : json_null()) == 0 ? BIPE_OK
                                                                                           : bipe_fail_memory(err);
    json_decref(value);
    return model ? bipe_error_prefix(err, "model") : status;
}

static int read_named(reader *r, json_t *object, bool model, bipe_error *err)
{
    json_t *name;
    int status = read_string(r, 0, &name, err);
    if (status == BIPE_OK && !match_byte(r, ':'))
        status = fail_at(r, 0, "expected ':'", err);
    if (status == BIPE_OK)
        status = read_member(r, object, json_string_value(name), model, err);
    json_decref(name);
    return status;
}

static int read_members(reader *r, json_t *object, bool model, bipe_error *err)
{
    if (!match_byte(r, '{'))
        return fail_at(r, 0, "expected an object", err);
    if (match_byte(r, '}'))
        return BIPE_OK;
    int status = BIPE_OK;
    do
        status = read_named(r, object, model, err);
    while (status == BIPE_OK && match_byte(r, ','));
    if (status == BIPE_OK && !match_byte(r, '}'))
        status = fail_at(r, 0, "expected ',' or '}'", err);
    return status;
}

static reader reader_of(bipe_description *d, const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    size_t limit = size + 65536;
    return (reader){.start = text, .at = text, .end = text + size, .d = d,
                    .limit = limit < BIPE_VOCABULARY_LIMIT ? limit : BIPE_VOCABULARY_LIMIT};
}

static int check_end(reader *r, int status, bipe_error *err)
{
    next_byte(r);
    return status == BIPE_OK && r->at < r->end ? fail_at(r, 0, "expected the end of the file", err) : status;
}

int bipe_description_load(bipe_description *d, const uint8_t *bytes, size_t size, bipe_error *err)
{
    reader r = reader_of(d, bytes, size);
    d->root = json_object();
    return d->root != NULL ? check_end(&r, read_members(&r, d->root, false, err), err) : bipe_fail_memory(err);
}

int bipe_description_load_vocab(bipe_description *d, const uint8_t *bytes, size_t size, bipe_error *err)
{
    reader r = reader_of(d, bytes, size);
    if (next_byte(&r) != '{')
        return fail_at(&r, 0, "expected a JSON object", err);
    return check_end(&r, read_vocab(&r, true, '{', err), err);
}
