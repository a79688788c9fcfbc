/* bpe_normalizer.c - builds, applies to short strings and undoes the normalizer of bpe_normalizer.h. bpe_encode.c applies it
 * to texts. */
#include "token/spm/bpe_normalizer.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

static int append_code(bipe_codes *to, uint32_t code, bipe_error *err)
{
    if (to->count >= BIPE_NORMALIZER_TEXT)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "normalizer: a replacement of more than %d characters",
                         BIPE_NORMALIZER_TEXT);
    if (bipe_grow(&to->code, &to->capacity, to->count + 1, sizeof *to->code) != 0)
        return bipe_fail_memory(err);
    to->code[to->count++] = code;
    return BIPE_OK;
}

static int append_codes(bipe_codes *to, const bipe_codes *from, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < from->count; i++)
        status = append_code(to, from->code[i], err);
    return status;
}

static int append_text_codes(bipe_codes *to, const char *text, size_t size, bipe_error *err)
{
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t i = 0; i < size;) {
        int32_t code;
        size_t n = bipe_utf8_decode(bytes + i, size - i, &code);
        if (n == 0 || code < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "normalizer: a replacement is not UTF-8");
        int status = append_code(to, (uint32_t)code, err);
        if (status != BIPE_OK)
            return status;
        i += n;
    }
    return BIPE_OK;
}

int bipe_normalizer_prepend(bipe_normalizer *n, const char *text, size_t size, bipe_error *err)
{
    bipe_codes front = {0};
    int status = append_text_codes(&front, text, size, err);
    if (status == BIPE_OK)
        status = append_codes(&front, &n->prefix, err);
    if (status != BIPE_OK) {
        bipe_free(front.code);
        return status;
    }
    bipe_free(n->prefix.code);
    n->prefix = front;
    return BIPE_OK;
}

/* Every `from` in codes becomes `to`. */
static int substitute_code(bipe_codes *codes, uint32_t from, const bipe_codes *to, bipe_error *err)
{
    bipe_codes out = {0};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < codes->count; i++)
        status = codes->code[i] == from ? append_codes(&out, to, err) : append_code(&out, codes->code[i], err);
    if (status != BIPE_OK) {
        bipe_free(out.code);
        return status;
    }
    bipe_free(codes->code);
    *codes = out;
    return BIPE_OK;
}

int bipe_normalizer_replace(bipe_normalizer *n, uint32_t from, const char *text, size_t size, bipe_error *err)
{
    bipe_codes to = {0};
    int status = append_text_codes(&to, text, size, err);
    if (status == BIPE_OK)
        status = substitute_code(&n->prefix, from, &to, err);
    for (size_t i = 0; status == BIPE_OK && i < n->rules; i++)
        status = substitute_code(&n->rule[i].to, from, &to, err);
    if (status == BIPE_OK && bipe_normalizer_find(n, from) == NULL) {
        if (n->rules == BIPE_NORMALIZER_RULES) {
            status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "normalizer: more than %d replacements", BIPE_NORMALIZER_RULES);
        } else {
            n->rule[n->rules].from = from;
            n->rule[n->rules++].to = to;
            return BIPE_OK;
        }
    }
    bipe_free(to.code);
    return status;
}

const bipe_codes *bipe_normalizer_find(const bipe_normalizer *n, uint32_t code)
{
    for (size_t i = 0; i < n->rules; i++)
        if (n->rule[i].from == code)
            return &n->rule[i].to;
    return NULL;
}

static bool has_code(const bipe_codes *codes, uint32_t code)
{
    size_t i = 0;
    while (i < codes->count && codes->code[i] != code)
        i++;
    return i < codes->count;
}

bool bipe_normalizer_leaves(const bipe_normalizer *n, uint32_t code)
{
    bool leaves = bipe_normalizer_find(n, code) == NULL || has_code(&n->prefix, code);
    for (size_t i = 0; i < n->rules; i++)
        leaves = leaves || has_code(&n->rule[i].to, code);
    return leaves;
}

bool bipe_normalizer_begins(const bipe_normalizer *n, uint32_t code)
{
    const bipe_codes *to = bipe_normalizer_find(n, code);
    return n->prefix.count != 0 && !(n->lone && (to != NULL ? to->code[0] : code) == n->prefix.code[0]);
}

static int append_utf8(bipe_buffer *to, uint32_t code, bipe_error *err)
{
    uint8_t bytes[4];
    return bipe_buffer_append(to, bytes, bipe_utf8_encode((int32_t)code, bytes), err);
}

static int append_all_utf8(bipe_buffer *to, const bipe_codes *codes, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < codes->count; i++)
        status = append_utf8(to, codes->code[i], err);
    return status;
}

int bipe_normalizer_apply(const bipe_normalizer *n, const uint8_t *text, size_t size, bipe_buffer *to, bipe_error *err)
{
    int status = size != 0 ? append_all_utf8(to, &n->prefix, err) : BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < size;) {
        int32_t code;
        size_t length = bipe_utf8_decode(text + i, size - i, &code);
        if (length == 0 || code < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "a token is not UTF-8");
        const bipe_codes *codes = bipe_normalizer_find(n, (uint32_t)code);
        status = codes != NULL ? append_all_utf8(to, codes, err) : append_utf8(to, (uint32_t)code, err);
        i += length;
    }
    return status;
}

int bipe_normalizer_undo(const bipe_normalizer *n, const uint8_t *text, size_t size, bipe_buffer *to, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < size;) {
        size_t matched = 0;
        for (size_t r = 0; matched == 0 && r < n->rules; r++) {
            /* Does the replacement of this rule stand here? */
            size_t at = i;
            bool same = n->rule[r].to.count != 0;
            for (size_t k = 0; same && k < n->rule[r].to.count; k++) {
                uint8_t bytes[4];
                size_t length = bipe_utf8_encode((int32_t)n->rule[r].to.code[k], bytes);
                same = size - at >= length && memcmp(text + at, bytes, length) == 0;
                at += length;
            }
            if (same) {
                matched = at - i;
                status = append_utf8(to, n->rule[r].from, err);
            }
        }
        if (matched == 0) {
            status = bipe_buffer_append(to, text + i, 1, err);
            matched = 1;
        }
        i += matched;
    }
    return status;
}

void bipe_normalizer_free(bipe_normalizer *n)
{
    bipe_free(n->prefix.code);
    for (size_t i = 0; i < n->rules; i++)
        bipe_free(n->rule[i].to.code);
    *n = (bipe_normalizer){0};
}
