/* pre_fixed_length.c - the pre-tokenizer FixedLength: a text is cut after every so many characters, as models of genomes and of proteins
 * want it. */
#include "base/alloc.h"
#include "token/pipeline/pretokenizers.h"

enum { LENGTH = 5 }; /* of the library, where the file says none */

static int open_length(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "length", NULL};
    size_t *length = bipe_alloc(1, sizeof *length);
    *config = length;
    if (length == NULL)
        return bipe_fail_memory(err);
    *length = LENGTH;
    const json_t *value = json_object_get(json, "length");
    if (value != NULL) {
        if (!json_is_integer(value) || json_integer_value(value) <= 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "length: expected a whole number above 0");
        *length = (size_t)json_integer_value(value);
    }
    return bipe_json_only(json, known, err);
}

/* Where the piece that begins at `at` ends; 0: not before `to`. */
static size_t piece_end(const uint8_t *text, size_t to, size_t at, size_t length)
{
    uint32_t code;
    for (; length != 0 && at < to; length--)
        at += bipe_step_char(text, to, at, &code);
    return length == 0 ? at : 0;
}

static int split_length(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err)
{
    const size_t *length = config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t to = in->range[i].end;
        for (size_t at = in->range[i].start, end; status == BIPE_OK && at < to; at = end) {
            end = piece_end(text->text, to, at, *length);
            end = end != 0 ? end : to;
            status = bipe_ranges_add(out, at, end, err);
        }
    }
    return status;
}

/* No pairs: where it splits depends on all that stands before. */
const bipe_pretokenizer_type bipe_pre_fixed_length = {
    .name = "FixedLength", .open = open_length, .close = bipe_free, .split = split_length};
