/* json_writer.c - JSON as it comes. Strings are made valid UTF-8 by a small decoder of its own, since this room knows no other:
 * each longest well-formed beginning of a broken character becomes one U+FFFD (Unicode 15, 3.9, U+FFFD substitution). */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(bipe_json *json, const void *bytes, size_t size)
{
    if (json->error.status == BIPE_OK)
        bipe_output_write(json->output, bytes, size, &json->error);
}

static void put_text(bipe_json *json, const char *text)
{
    put(json, text, strlen(text));
}

static void new_line(bipe_json *json)
{
    if (!json->indent || json->flat > 0)
        return;
    put(json, "\n", 1);
    for (int i = 0; i < json->depth; i++)
        put(json, "  ", 2);
}

/* What stands between the value before and the one that comes. */
static void separate(bipe_json *json)
{
    if (json->after_key) {
        json->after_key = false;
    } else {
        if (json->comma)
            put_text(json, json->indent && json->flat > 0 ? ", " : ",");
        if (json->depth > 0)
            new_line(json);
    }
    json->comma = true;
}

void bipe_json_open(bipe_json *json, bipe_output *output, bool indent)
{
    *json = (bipe_json){.output = output, .indent = indent};
}

static void begin(bipe_json *json, const char *bracket)
{
    separate(json);
    put_text(json, bracket);
    json->depth++;
    if (json->flat > 0)
        json->flat++;
    json->comma = false;
}

static void end(bipe_json *json, const char *bracket)
{
    bool empty = !json->comma;
    json->depth--;
    if (!empty)
        new_line(json);
    if (json->flat > 0)
        json->flat--;
    put_text(json, bracket);
    json->comma = true;
}

void bipe_json_begin_object(bipe_json *json)
{
    begin(json, "{");
}

void bipe_json_end_object(bipe_json *json)
{
    end(json, "}");
}

void bipe_json_begin_array(bipe_json *json)
{
    begin(json, "[");
}

void bipe_json_begin_flat_array(bipe_json *json)
{
    begin(json, "[");
    if (json->flat == 0)
        json->flat = 1;
}

void bipe_json_end_array(bipe_json *json)
{
    end(json, "]");
}

/* The well-formed characters of more than one byte (Unicode 15, table 3-7): how many bytes follow the first and
 * between which bounds the second lies. 0: starts none. */
static int following(uint8_t first, uint8_t *low, uint8_t *high)
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
        put(json, "\xEF\xBF\xBD", 3);
    json->held = 0;
}

static void put_escape(bipe_json *json, uint8_t byte)
{
    char text[8];
    switch (byte) {
    case '"': put(json, "\\\"", 2); return;
    case '\\': put(json, "\\\\", 2); return;
    case '\b': put(json, "\\b", 2); return;
    case '\f': put(json, "\\f", 2); return;
    case '\n': put(json, "\\n", 2); return;
    case '\r': put(json, "\\r", 2); return;
    case '\t': put(json, "\\t", 2); return;
    default:
        snprintf(text, sizeof text, "\\u%04x", (unsigned)byte);
        put(json, text, 6);
    }
}

/* Takes one byte that is not plain ASCII, or one that meets a character that has begun. */
static void take_byte(bipe_json *json, uint8_t byte)
{
    uint8_t low, high;
    if (json->held > 0) {
        int more = following(json->character[0], &low, &high);
        if (json->held > 1) {
            low = 0x80;
            high = 0xBF;
        }
        if (byte >= low && byte <= high) {
            json->character[json->held++] = byte;
            if (json->held == more + 1) {
                put(json, json->character, (size_t)json->held);
                json->held = 0;
            }
            return;
        }
        replace_broken(json);
    }
    if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F) {
        put_escape(json, byte);
    } else if (byte < 0x80) {
        put(json, &byte, 1);
    } else {
        json->character[0] = byte;
        json->held = 1;
        if (following(byte, &low, &high) == 0)
            replace_broken(json);
    }
}

void bipe_json_begin_string(bipe_json *json)
{
    separate(json);
    put(json, "\"", 1);
    json->held = 0;
}

void bipe_json_string_part(bipe_json *json, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t start = i;
        if (json->held == 0)
            while (i < size && bytes[i] >= 0x20 && bytes[i] < 0x7F && bytes[i] != '"' && bytes[i] != '\\')
                i++;
        if (i > start)
            put(json, bytes + start, i - start);
        else
            take_byte(json, bytes[i++]);
    }
}

void bipe_json_end_string(bipe_json *json)
{
    replace_broken(json);
    put(json, "\"", 1);
}

void bipe_json_key(bipe_json *json, const char *key)
{
    bipe_json_text(json, key);
    put_text(json, json->indent ? ": " : ":");
    json->after_key = true;
}

void bipe_json_text(bipe_json *json, const char *text)
{
    if (text == NULL) {
        bipe_json_null(json);
        return;
    }
    size_t size = strlen(text);
    bipe_json_begin_string(json);
    bipe_json_string_part(json, (const uint8_t *)text, size);
    bipe_json_end_string(json);
}

void bipe_json_uint(bipe_json *json, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    separate(json);
    put_text(json, text);
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
    separate(json);
    put_text(json, isfinite(value) ? bipe_format_number(text, value) : "null");
}

void bipe_json_bool(bipe_json *json, bool value)
{
    separate(json);
    put_text(json, value ? "true" : "false");
}

void bipe_json_null(bipe_json *json)
{
    separate(json);
    put_text(json, "null");
}

int bipe_json_close(bipe_json *json, bipe_error *err)
{
    put(json, "\n", 1);
    if (err != NULL && json->error.status != BIPE_OK)
        *err = json->error;
    return (int)json->error.status;
}
