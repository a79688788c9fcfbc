/* json_writer.c - JSON as it comes. Strings are made valid UTF-8 by a small decoder of its own, since this folder knows
 * no other: each longest well-formed beginning of a broken character becomes one U+FFFD (Unicode 15, 3.9, U+FFFD
 * substitution). */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"

/* U+FFFD */
#define BROKEN "\xEF\xBF\xBD"

/* Bytes of a string that are encoded at once. */
enum { AT_ONCE = 4096 };

static void write_json_bytes(bipe_json *json, const void *bytes, size_t size)
{
    if (json->error.status == BIPE_OK)
        bipe_output_write(json->output, bytes, size, &json->error);
}

static void write_json_text(bipe_json *json, const char *text)
{
    write_json_bytes(json, text, strlen(text));
}

static void new_line(bipe_json *json)
{
    if (!json->indent || json->flat > 0)
        return;
    write_json_bytes(json, "\n", 1);
    for (int i = 0; i < json->depth; i++)
        write_json_bytes(json, "  ", 2);
}

/* The separator between the value before and the next one. */
static void write_separator(bipe_json *json)
{
    if (json->after_key) {
        json->after_key = false;
    } else {
        if (json->comma)
            write_json_text(json, json->indent && json->flat > 0 ? ", " : ",");
        if (json->depth > 0)
            new_line(json);
    }
    json->comma = true;
}

void bipe_json_open(bipe_json *json, bipe_output *output, bool indent)
{
    *json = (bipe_json){.output = output, .indent = indent};
}

static void open_bracket(bipe_json *json, const char *bracket)
{
    write_separator(json);
    write_json_text(json, bracket);
    json->depth++;
    if (json->flat > 0)
        json->flat++;
    json->comma = false;
}

static void close_bracket(bipe_json *json, const char *bracket)
{
    bool empty = !json->comma;
    json->depth--;
    if (!empty)
        new_line(json);
    if (json->flat > 0)
        json->flat--;
    write_json_text(json, bracket);
    json->comma = true;
}

void bipe_json_begin_object(bipe_json *json)
{
    open_bracket(json, "{");
}

void bipe_json_end_object(bipe_json *json)
{
    close_bracket(json, "}");
}

void bipe_json_begin_array(bipe_json *json)
{
    open_bracket(json, "[");
}

void bipe_json_begin_flat_array(bipe_json *json)
{
    open_bracket(json, "[");
    if (json->flat == 0)
        json->flat = 1;
}

void bipe_json_end_array(bipe_json *json)
{
    close_bracket(json, "]");
}

/* The well-formed characters of more than one byte (Unicode 15, table 3-7): how many bytes follow the first and
 * between which bounds the second lies. 0: starts none. */
static int count_following(uint8_t first, uint8_t *low, uint8_t *high)
{
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

static void replace_broken(bipe_json *json)
{
    if (json->held > 0)
        write_json_bytes(json, BROKEN, 3);
    json->held = 0;
}

/* Plain bytes are ASCII and stand for themselves. */
static bool is_plain_byte(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

/* An ASCII byte that is not plain. */
static uint8_t *encode_escape(uint8_t *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef", letters[] = "btn?fr"; /* of 0x08 to 0x0D */
    *to++ = '\\';
    if (byte == '"' || byte == '\\') {
        *to++ = byte;
    } else if (byte >= 0x08 && byte <= 0x0D && byte != 0x0B) {
        *to++ = (uint8_t)letters[byte - 0x08];
    } else {
        memcpy(to, "u00", 3);
        to[3] = (uint8_t)digits[byte >> 4];
        to[4] = (uint8_t)digits[byte & 15];
        to += 5;
    }
    return to;
}

/* A vector that every machine can do in some way. */
typedef uint8_t some_bytes __attribute__((vector_size(16)));

/* Copies bytes up to the first that is not plain, and returns how many; all of (size) may be overwritten. */
static inline size_t copy_plain(uint8_t *to, const uint8_t *bytes, size_t size)
{
    size_t i = 0;
    for (; size - i >= sizeof(some_bytes); i += sizeof(some_bytes)) {
        some_bytes some, special;
        uint64_t half[2];
        memcpy(&some, bytes + i, sizeof some);
        memcpy(to + i, &some, sizeof some);
        special = (some_bytes)((some < 0x20) | (some >= 0x7F) | (some == '"') | (some == '\\'));
        memcpy(half, &special, sizeof half);
        if ((half[0] | half[1]) != 0)
            break;
    }
    for (; i < size && is_plain_byte(bytes[i]); i++)
        to[i] = bytes[i];
    return i;
}

/* A character that is not ASCII, or U+FFFD for a broken one. *used: its bytes; 0: more are needed to tell. */
static uint8_t *encode_character(uint8_t *to, const uint8_t *bytes, size_t size, size_t *used)
{
    uint8_t low, high;
    size_t all = (size_t)count_following(bytes[0], &low, &high) + 1, n = 1;
    for (; n < all && n < size && bytes[n] >= low && bytes[n] <= high; n++) {
        low = 0x80;
        high = 0xBF;
    }
    *used = n < all && n == size ? 0 : n;
    if (*used == 0)
        return to;
    bool broken = n < all || all == 1;
    memcpy(to, broken ? (const uint8_t *)BROKEN : bytes, broken ? 3 : n);
    return to + (broken ? 3 : n);
}

/* Encodes the characters that are complete in these bytes: all, or all but the last three at most, which may be the
 * beginning of a character. *used: how many bytes. */
static uint8_t *encode_characters(uint8_t *to, const uint8_t *bytes, size_t size, size_t *used)
{
    size_t i = 0, n = 1;
    while (i < size && n != 0) {
        size_t plain = copy_plain(to, bytes + i, size - i);
        to += plain;
        i += plain;
        if (i < size && bytes[i] < 0x80)
            to = encode_escape(to, bytes[i++]);
        for (; i < size && bytes[i] >= 0x80 && n != 0; i += n)
            to = encode_character(to, bytes + i, size - i, &n);
    }
    *used = i;
    return to;
}

uint8_t *bipe_json_encode_string(uint8_t *to, const uint8_t *bytes, size_t size)
{
    size_t used;
    to = encode_characters(to, bytes, size, &used);
    if (used != size)
        to = (uint8_t *)memcpy(to, BROKEN, 3) + 3;
    return to;
}

/* Takes a byte after the beginning of a character. False: it does not belong there. */
static bool complete_character(bipe_json *json, uint8_t byte)
{
    uint8_t low, high;
    int more = count_following(json->character[0], &low, &high);
    if (json->held > 1) {
        low = 0x80;
        high = 0xBF;
    }
    if (byte < low || byte > high) {
        replace_broken(json);
        return false;
    }
    json->character[json->held++] = byte;
    if (json->held == more + 1) {
        write_json_bytes(json, json->character, (size_t)json->held);
        json->held = 0;
    }
    return true;
}

void bipe_json_begin_string(bipe_json *json)
{
    write_separator(json);
    write_json_bytes(json, "\"", 1);
    json->held = 0;
}

void bipe_json_string_part(bipe_json *json, const uint8_t *bytes, size_t size)
{
    size_t i = 0, used;
    while (i < size && json->held > 0)
        i += complete_character(json, bytes[i]);
    for (; i < size && json->error.status == BIPE_OK; i += used) {
        size_t n = size - i < AT_ONCE ? size - i : AT_ONCE, left;
        uint8_t *to;
        if (bipe_output_reserve(json->output, BIPE_JSON_WIDEST * n, &to, &left, &json->error) != BIPE_OK)
            return;
        bipe_output_filled(json->output, (size_t)(encode_characters(to, bytes + i, n, &used) - to));
        if (used != n && i + n == size) { /* a character has begun */
            json->held = (int)(n - used);
            memcpy(json->character, bytes + i + used, n - used);
            return;
        }
    }
}

void bipe_json_end_string(bipe_json *json)
{
    replace_broken(json);
    write_json_bytes(json, "\"", 1);
}

void bipe_json_bytes(bipe_json *json, const void *bytes, size_t size)
{
    bipe_json_begin_string(json);
    bipe_json_string_part(json, bytes, size);
    bipe_json_end_string(json);
}

void bipe_json_key_bytes(bipe_json *json, const void *key, size_t size)
{
    bipe_json_bytes(json, key, size);
    write_json_text(json, json->indent ? ": " : ":");
    json->after_key = true;
}

void bipe_json_key(bipe_json *json, const char *key)
{
    bipe_json_key_bytes(json, key, strlen(key));
}

void bipe_json_text(bipe_json *json, const char *text)
{
    if (text == NULL)
        bipe_json_null(json);
    else
        bipe_json_bytes(json, text, strlen(text));
}

void bipe_json_uint(bipe_json *json, uint64_t value)
{
    uint8_t text[BIPE_DIGITS_SIZE];
    write_separator(json);
    write_json_bytes(json, text, (size_t)(bipe_write_uint(text, value) - text));
}

const char *bipe_format_number(char buffer[32], double value)
{
    if (!isfinite(value)) {
        buffer[0] = '\0';
        return buffer;
    }
    snprintf(buffer, 32, "%.9g", value);
    char *comma = strchr(buffer, ','); /* a plug-in may have changed the locale */
    if (comma != NULL)
        *comma = '.';
    return buffer;
}

void bipe_json_number(bipe_json *json, double value)
{
    char text[32];
    write_separator(json);
    write_json_text(json, isfinite(value) ? bipe_format_number(text, value) : "null");
}

void bipe_json_bool(bipe_json *json, bool value)
{
    write_separator(json);
    write_json_text(json, value ? "true" : "false");
}

void bipe_json_null(bipe_json *json)
{
    write_separator(json);
    write_json_text(json, "null");
}

void bipe_json_key_text(bipe_json *json, const char *key, const char *text)
{
    bipe_json_key(json, key);
    bipe_json_text(json, text);
}

void bipe_json_key_uint(bipe_json *json, const char *key, uint64_t value)
{
    bipe_json_key(json, key);
    bipe_json_uint(json, value);
}

void bipe_json_key_number(bipe_json *json, const char *key, double value)
{
    bipe_json_key(json, key);
    bipe_json_number(json, value);
}

void bipe_json_uints(bipe_json *json, const uint64_t *value, size_t count)
{
    bipe_json_begin_flat_array(json);
    for (size_t i = 0; i < count; i++)
        bipe_json_uint(json, value[i]);
    bipe_json_end_array(json);
}

void bipe_json_key_uints(bipe_json *json, const char *key, const uint64_t *value, size_t count)
{
    bipe_json_key(json, key);
    bipe_json_uints(json, value, count);
}

void bipe_json_key_pair(bipe_json *json, const char *key, double low, double high)
{
    bipe_json_key_flat_array(json, key);
    bipe_json_number(json, low);
    bipe_json_number(json, high);
    bipe_json_end_array(json);
}

void bipe_json_key_bool(bipe_json *json, const char *key, bool value)
{
    bipe_json_key(json, key);
    bipe_json_bool(json, value);
}

void bipe_json_key_object(bipe_json *json, const char *key)
{
    bipe_json_key(json, key);
    bipe_json_begin_object(json);
}

void bipe_json_key_array(bipe_json *json, const char *key)
{
    bipe_json_key(json, key);
    bipe_json_begin_array(json);
}

void bipe_json_key_flat_array(bipe_json *json, const char *key)
{
    bipe_json_key(json, key);
    bipe_json_begin_flat_array(json);
}

int bipe_json_close(bipe_json *json, bipe_error *err)
{
    write_json_bytes(json, "\n", 1);
    if (err != NULL && json->error.status != BIPE_OK)
        *err = json->error;
    return (int)json->error.status;
}
