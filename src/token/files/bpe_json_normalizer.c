/* bpe_json_normalizer.c - "normalizer" of a tokenizer.json: Prepend, Replace of one character, and sequences of them; and the pre-tokenizer
 * that is nothing else. */
#include "text/utf8.h"
#include "token/files/json_parts.h"
#include "token/pipeline/pretokenizers.h"

enum { SEQUENCE_DEPTH = 8 };

static int read_prepend(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    const json_t *text = json_object_get(step, "prepend");
    if (!json_is_string(text))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Prepend without a string \"prepend\"");
    return bipe_normalizer_prepend(n, json_string_value(text), json_string_length(text), err);
}

static int read_replace(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    const json_t *pattern = json_object_get(step, "pattern"), *content = json_object_get(step, "content");
    if (!json_is_object(pattern) || !json_is_string(content))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Replace without \"pattern\" and \"content\"");
    const json_t *string = json_object_get(pattern, "String");
    if (!json_is_string(string))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace with a pattern that is a regular expression");
    const uint8_t *text = (const uint8_t *)json_string_value(string);
    size_t size = json_string_length(string);
    int32_t code = -1;
    if (size == 0 || bipe_utf8_decode(text, size, &code) != size || code < 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace of \"%.40s\": only single characters are replaced", (const char *)text);
    if (json_string_length(content) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace of \"%.40s\" with nothing", (const char *)text);
    return bipe_normalizer_replace(n, (uint32_t)code, json_string_value(content), json_string_length(content), err);
}

static int read_step(bipe_normalizer *n, const json_t *step, int depth, bipe_error *err)
{
    const char *type = bipe_json_type(step);
    if (strcmp(type, "Prepend") == 0)
        return read_prepend(n, step, err);
    if (strcmp(type, "Replace") == 0)
        return read_replace(n, step, err);
    if (strcmp(type, "Sequence") != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%.60s, supported are Sequence, Prepend and Replace",
                         type[0] != '\0' ? type : "no type");
    const json_t *steps = json_object_get(step, "normalizers");
    if (!json_is_array(steps))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Sequence without an array \"normalizers\"");
    if (depth == SEQUENCE_DEPTH)
        return bipe_fail(err, BIPE_ERR_LIMIT, "sequences within sequences, more than %d deep", SEQUENCE_DEPTH);
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < json_array_size(steps); i++)
        status = read_step(n, json_array_get(steps, i), depth + 1, err);
    return status;
}

int bipe_json_metaspace_read(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    bipe_metaspace m;
    int status = bipe_metaspace_read(&m, step, err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "pre_tokenizer: Metaspace");
    if (m.split)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Metaspace that splits");
    status = bipe_normalizer_replace(n, ' ', (const char *)m.bytes, m.size, err);
    if (status == BIPE_OK && m.scheme != BIPE_METASPACE_NEVER)
        status = bipe_normalizer_prepend(n, (const char *)m.bytes, m.size, err);
    n->lone = true;
    n->first = m.scheme == BIPE_METASPACE_FIRST;
    return status;
}

int bipe_json_normalizer_read(bipe_normalizer *n, const json_t *normalizer, bipe_error *err)
{
    if (normalizer == NULL || json_is_null(normalizer))
        return BIPE_OK;
    int status = read_step(n, normalizer, 0, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "normalizer");
}
