/* score_key_lines.c - key spans as JSON Lines: --key-spans-out, and --key-spans; see score_key.h. */
#include <inttypes.h>
#include <jansson.h>

#include "tools/score/score_key.h"

int bipe_score_key_write(bipe_score_key *key, const char *path, const bipe_score_reader *reader, bipe_error *err)
{
    bipe_key_spans *spans = &key->spans[0];
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(reader->spool, &documents);
    uint64_t at = 0, count;
    int status = bipe_key_spans_end(spans, err);
    count = bipe_key_spans_count(spans);
    bipe_key_span span = {0};
    if (status == BIPE_OK && count > 0)
        status = bipe_key_spans_read(spans, at, &span, err);
    for (size_t d = 0; d < documents && status == BIPE_OK; d++) {
        bipe_json json;
        bipe_json_open(&json, key->output, false);
        bipe_json_begin_object(&json);
        bipe_json_key_text(&json, "file", path);
        bipe_json_key_uint(&json, "document", document[d].index);
        bipe_json_key_uint(&json, "bytes", document[d].bytes);
        bipe_json_key_uint(&json, "length", key->setup->lengths->value[0]);
        bipe_json_key_array(&json, "spans");
        while (at < count && span.document == document[d].index && status == BIPE_OK) {
            bipe_json_uints(&json, (const uint64_t[]){span.start, span.end}, 2);
            if (++at < count)
                status = bipe_key_spans_read(spans, at, &span, err);
        }
        bipe_json_end_array(&json);
        bipe_json_end_object(&json);
        if (status == BIPE_OK)
            status = bipe_json_close(&json, err);
    }
    return status;
}

/* ---- reading ---- */

static int fail_line(const bipe_lines *lines, bipe_error *err, const char *expected)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 ": expected %s", bipe_input_name(lines->input),
                     lines->number, expected);
}

static bool take_uint(const json_t *value, uint64_t most, uint64_t *number)
{
    bool good = json_is_integer(value) && json_integer_value(value) >= 0 &&
                (uint64_t)json_integer_value(value) <= most;
    *number = good ? (uint64_t)json_integer_value(value) : 0;
    return good;
}

static int add_spans(bipe_score_key *key, const bipe_spool_document *document, const json_t *list, bipe_error *err)
{
    uint64_t before = 0;
    int status = json_is_array(list) ? BIPE_OK : fail_line(&key->lines, err, "a list \"spans\"");
    for (size_t i = 0; i < json_array_size(list) && status == BIPE_OK; i++) {
        const json_t *pair = json_array_get(list, i);
        bipe_key_span span = {.document = document->index};
        bool good = json_array_size(pair) == 2 && take_uint(json_array_get(pair, 1), document->bytes, &span.end) &&
                    take_uint(json_array_get(pair, 0), span.end, &span.start) && span.start >= before;
        before = span.end;
        status = good ? bipe_key_spans_add(&key->spans[0], span, err)
                      : fail_line(&key->lines, err,
                                  "\"spans\" of the document's bytes, [START, END], one after the other");
    }
    return status;
}

/* The next line about a document with text: one without has no tokens under some tokenizers. */
static int next_line(bipe_lines *lines, json_t **object, uint64_t *number, uint64_t *bytes, bipe_error *err)
{
    for (;;) {
        char *text;
        size_t size;
        json_error_t wrong;
        int status = bipe_lines_next(lines, &text, &size, err);
        if (status == BIPE_END)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: ends after line %" PRIu64 ", expected a line for each document",
                             bipe_input_name(lines->input), lines->number);
        if (status != BIPE_OK)
            return status;
        *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
        if (!take_uint(json_object_get(*object, "document"), INT64_MAX, number) ||
            !take_uint(json_object_get(*object, "bytes"), INT64_MAX, bytes)) {
            json_decref(*object);
            return fail_line(lines, err, "an object with numbers \"document\" and \"bytes\", and a list \"spans\"");
        }
        if (*bytes > 0)
            return BIPE_OK;
        json_decref(*object);
    }
}

int bipe_score_key_read(bipe_score_key *key, const bipe_score_reader *reader, bipe_error *err)
{
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(reader->spool, &documents);
    int status = BIPE_OK;
    for (size_t d = 0; d < documents && key->lines.input != NULL && status == BIPE_OK; d++) {
        json_t *object = NULL;
        uint64_t number = 0, bytes = 0;
        if (document[d].bytes == 0)
            continue;
        status = next_line(&key->lines, &object, &number, &bytes, err);
        if (status != BIPE_OK)
            return status;
        if (number != document[d].index || bytes != document[d].bytes)
            status = bipe_fail(err, BIPE_ERR_FORMAT,
                               "%s: line %" PRIu64 ": is about document %" PRIu64 ", of %" PRIu64
                               " bytes, expected document %" PRIu64 ", of %" PRIu64 ": it is of another text",
                               bipe_input_name(key->lines.input), key->lines.number, number, bytes, document[d].index,
                               document[d].bytes);
        else
            status = add_spans(key, &document[d], json_object_get(object, "spans"), err);
        json_decref(object);
    }
    return status;
}
