/* json_scan.h - goes through the text of a JSON file without making values of it: for lists that are too long for a tree. What is no plain
 * JSON is not said to be wrong here: the functions return false, and whoever asks leaves it to jansson. */
#ifndef BIPE_TOKEN_JSON_SCAN_H
#define BIPE_TOKEN_JSON_SCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bipe_json_scan {
    const uint8_t *at, *end;
} bipe_json_scan;

typedef struct bipe_json_span {
    const uint8_t *start, *end;
} bipe_json_span;

static inline void bipe_json_skip_blanks(bipe_json_scan *scan)
{
    const uint8_t *at = scan->at;
    while (at < scan->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    scan->at = at;
}

/* The next byte that is no blank is `byte`, which is passed. */
static inline bool bipe_json_take(bipe_json_scan *scan, uint8_t byte)
{
    bipe_json_skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != byte)
        return false;
    scan->at++;
    return true;
}

/* After an entry of a list: a comma, and *more, or the end of the list. */
static inline bool bipe_json_go_on(bipe_json_scan *scan, uint8_t end, bool *more)
{
    *more = bipe_json_take(scan, ',');
    return *more || bipe_json_take(scan, end);
}

/* A value of any kind. Only strings and brackets are distinguished. */
bool bipe_json_skip_value(bipe_json_scan *scan);
/* What stands between the quotes of a string without escapes. */
bool bipe_json_plain_string(bipe_json_scan *scan, bipe_json_span *text);
/* The name of a member, its colon passed; one with an escape, which could be any name, is not taken. */
bool bipe_json_name(bipe_json_scan *scan, bipe_json_span *name);
bool bipe_json_is_name(bipe_json_span name, const char *wanted);

/* The tree of a file with null in place of the spans (count of them, in order; a start of NULL ends them); *no_memory: why it is NULL. */
json_t *bipe_json_load_without(const uint8_t *bytes, size_t size, const bipe_json_span *span, size_t count, bool *no_memory);

#endif
