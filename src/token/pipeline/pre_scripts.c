/* pre_scripts.c - the pre-tokenizer UnicodeScripts: a text is split where the script changes.
 *
 * A character without a script (a space, one that Unicode 9.0 did not know) belongs to what stands before it; what begins with
 * such characters loses them, in Hugging Face's library as here. */
#include "token/pipeline/pretokenizers.h"
#include "token/pipeline/script_table.h"

/* Where the last character was found: neighbours in a text are neighbours in the table. */
static uint32_t script_of(uint32_t code, size_t *last)
{
    const struct bipe_script_range *table = bipe_script_ranges;
    if (code < 0x80) {
        bool letter = (code | 32) >= 'a' && (code | 32) <= 'z';
        return letter ? BIPE_SCRIPT_LATIN : code == ' ' ? BIPE_SCRIPT_NONE : BIPE_SCRIPT_COMMON;
    }
    if (code >= BIPE_BAD_BYTE) /* like U+FFFD, which stands for a broken byte elsewhere */
        return BIPE_SCRIPT_COMMON;
    if (code >= table[*last].first && code <= table[*last].last)
        return table[*last].script;
    size_t low = 0, high = sizeof bipe_script_ranges / sizeof *bipe_script_ranges;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (code >= table[middle].first)
            low = middle;
        else
            high = middle;
    }
    *last = low;
    return code <= table[low].last ? table[low].script : (uint32_t)BIPE_SCRIPT_NONE;
}

static int open_scripts(void **config, const json_t *json, bipe_error *err)
{
    (void)config;
    return bipe_step_bare(json, err);
}

static int split_scripts(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err)
{
    (void)config;
    int status = BIPE_OK;
    size_t found = 0;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t to = in->range[i].end, piece = to;
        uint32_t before = BIPE_SCRIPT_NONE;
        for (size_t at = in->range[i].start, n; status == BIPE_OK && at < to; at += n) {
            uint32_t code;
            n = bipe_step_char(text->text, to, at, &code);
            uint32_t script = script_of(code, &found);
            if (script == BIPE_SCRIPT_NONE || script == before)
                continue;
            if (before != BIPE_SCRIPT_NONE)
                status = bipe_ranges_add(out, piece, at, err);
            piece = at;
            before = script;
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, piece, to, err);
    }
    return status;
}

/* A half that begins with a character without a script would lose it. */
static bipe_pair_class class_of_script(const void *config, uint32_t *code, bool removed)
{
    (void)config;
    (void)removed;
    size_t found = 0;
    uint32_t script = *code != BIPE_CODE_LETTERS ? script_of(*code, &found) : (uint32_t)BIPE_SCRIPT_NONE;
    bool none = script == BIPE_SCRIPT_NONE;
    return (bipe_pair_class){.class = none ? BIPE_CLASS_ANY : (uint8_t)script, .lost_before = none};
}

static void scripts_pairs(const void *config, bipe_pairs *pairs)
{
    (void)config;
    pairs->gaps = true;
}

const bipe_pretokenizer_type bipe_pre_scripts = {
    .name = "UnicodeScripts", .open = open_scripts, .split = split_scripts, .class_of = class_of_script, .pairs = scripts_pairs};
