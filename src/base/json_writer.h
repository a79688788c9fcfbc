/* json_writer.h - writes JSON to an output as it comes, without building a tree.
 *
 * The writer adds commas, colons and, when asked for, indentation. Numbers carry nine
 * significant digits; infinities and NaN become null. Bytes that are not UTF-8 become U+FFFD. */
#ifndef BIPE_BASE_JSON_WRITER_H
#define BIPE_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

typedef struct bipe_json {
    bipe_output *output;
    bool indent;     /* lines and two blanks a level; otherwise one line */
    int depth;       /* the rest is the writer's own */
    int flat;        /* levels on one line */
    int held;        /* bytes of a character that has begun */
    uint8_t character[4];
    bool comma, after_key;
    bipe_error error; /* the first failure; later calls do nothing */
} bipe_json;

void bipe_json_open(bipe_json *json, bipe_output *output, bool indent);
void bipe_json_begin_object(bipe_json *json);
void bipe_json_end_object(bipe_json *json);
void bipe_json_begin_array(bipe_json *json);
/* An array on one line even when indenting (histogram pairs). End it with bipe_json_end_array(). */
void bipe_json_begin_flat_array(bipe_json *json);
void bipe_json_end_array(bipe_json *json);
void bipe_json_key(bipe_json *json, const char *key);
void bipe_json_key_bytes(bipe_json *json, const void *key, size_t size);
void bipe_json_text(bipe_json *json, const char *text);             /* NULL: null */
void bipe_json_bytes(bipe_json *json, const void *bytes, size_t size); /* a string */
/* A string in pieces: begin, any number of parts (a character may straddle them), end. */
void bipe_json_begin_string(bipe_json *json);
void bipe_json_string_part(bipe_json *json, const uint8_t *bytes, size_t size);
void bipe_json_end_string(bipe_json *json);
/* Writes a string of these bytes as it looks between its quotes, straight to `to` (BIPE_JSON_WIDEST * size), of which
 * all may be overwritten. Returns where it ends. */
enum { BIPE_JSON_WIDEST = 6 };
uint8_t *bipe_json_encode_string(uint8_t *to, const uint8_t *bytes, size_t size);
void bipe_json_uint(bipe_json *json, uint64_t value);
void bipe_json_number(bipe_json *json, double value);
void bipe_json_bool(bipe_json *json, bool value);
void bipe_json_null(bipe_json *json);
/* A member of an object: key and value. */
void bipe_json_key_text(bipe_json *json, const char *key, const char *text);
void bipe_json_key_uint(bipe_json *json, const char *key, uint64_t value);
void bipe_json_key_number(bipe_json *json, const char *key, double value);
void bipe_json_key_bool(bipe_json *json, const char *key, bool value);
/* A key whose value begins. */
void bipe_json_key_object(bipe_json *json, const char *key);
void bipe_json_key_array(bipe_json *json, const char *key);
void bipe_json_key_flat_array(bipe_json *json, const char *key);
/* A list of numbers on one line, and one as the value of a key. */
void bipe_json_uints(bipe_json *json, const uint64_t *value, size_t count);
void bipe_json_key_uints(bipe_json *json, const char *key, const uint64_t *value, size_t count);
/* [low, high] */
void bipe_json_key_pair(bipe_json *json, const char *key, double low, double high);
/* A final newline; the first failure of all calls, or BIPE_OK. */
int bipe_json_close(bipe_json *json, bipe_error *err);

/* "%.9g" with a full stop in any locale, for CSV and TSV too; infinities and NaN give an empty string. */
const char *bipe_format_number(char buffer[32], double value);

#endif
