/* pre_scripts.c - the pre-tokenizer UnicodeScripts: a text is split where the script changes.
 *
 * A character without a script (a space, one newer than Unicode 9.0) belongs to the text before it; at the beginning of
 * a pre-token such characters are dropped, in Hugging Face's library as here. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/unicode_table.h"
#include "token/hf_unicode.h"
#include "token/pipeline/pretokenizers.h"

/* The scripts of Hugging Face's tokenizers library (0.22) are those of Unicode 9.0, with Hiragana and Katakana as Han.
 * Six characters have another answer there: the space none, U+30FC Han, U+0589 and U+061C Common, U+0953 and U+0954
 * Devanagari. The library was asked about each character, and each pair of neighbours. */
enum { NO_SCRIPT };

typedef struct script_range {
    uint32_t first, last, script; /* its number: that of its name in the table, from 1 */
} script_range;

typedef struct scripts {
    script_range *range; /* (count) in order */
    size_t count;
    uint32_t common, latin, han, devanagari;
} scripts;

/* Names in the table of scripts that are none. */
static bool is_property(const char *name)
{
    static const char *const names[] = {"Dash", "Diacritic", "Emoji", "Emoji_Component", "Emoji_Modifier",
                                        "Emoji_Modifier_Base",
                                        "Emoji_Presentation", "Extended_Pictographic", "Hex_Digit", "Ideographic",
                                        "Join_Control", "Other_Alphabetic", "Other_Lowercase", "Other_Math",
                                        "Other_Uppercase", "Regional_Indicator",
                                        "Unified_Ideograph", "Variation_Selector", "White_Space"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || strcmp(name, names[i]) == 0;
    return found;
}

static uint32_t script_named(const char *name)
{
    uint32_t i = 0;
    while (strcmp(bipe_unicode_names[i].name, name) != 0)
        i++;
    return i + 1;
}

static int in_order(const void *a, const void *b)
{
    const script_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static void scripts_close(void *config)
{
    scripts *s = config;
    if (s != NULL)
        bipe_free(s->range);
    bipe_free(s);
}

static int open_scripts(void **config, const json_t *json, bipe_error *err)
{
    scripts *s = *config = bipe_alloc(1, sizeof *s);
    const bipe_unicode_name *n = bipe_unicode_names;
    while (n->name != NULL)
        n++;
    if (s == NULL || (s->range = bipe_alloc(n->range, sizeof *s->range)) == NULL)
        return bipe_fail_memory(err);
    s->common = script_named("Common");
    s->latin = script_named("Latin");
    s->han = script_named("Han");
    s->devanagari = script_named("Devanagari");
    for (n = bipe_unicode_names; n->name != NULL; n++) {
        bool kana = strcmp(n->name, "Hiragana") == 0 || strcmp(n->name, "Katakana") == 0;
        uint32_t script = kana ? s->han : (uint32_t)(n - bipe_unicode_names) + 1;
        for (size_t i = n[0].range; !is_property(n->name) && i < n[1].range; i++)
            s->range[s->count++] =
                (script_range){(uint32_t)bipe_unicode_ranges[i].first, (uint32_t)bipe_unicode_ranges[i].last, script};
    }
    qsort(s->range, s->count, sizeof *s->range, in_order);
    return bipe_step_bare(json, err);
}

/* Where the last character was found: neighbours in a text are neighbours in the table. */
static uint32_t script_of(const scripts *s, uint32_t code, size_t *last)
{
    const script_range *table = s->range;
    if (code < 0x80) {
        bool letter = (code | 32) >= 'a' && (code | 32) <= 'z';
        return letter ? s->latin : code == ' ' ? (uint32_t)NO_SCRIPT : s->common;
    }
    if (code >= BIPE_BAD_BYTE || code == 0x0589 || code == 0x061C) /* U+FFFD is the usual replacement of a broken
                                                                      byte */
        return s->common;
    if (code == 0x0953 || code == 0x0954 || code == 0x30FC)
        return code == 0x30FC ? s->han : s->devanagari;
    if (code < table[*last].first || code > table[*last].last) {
        size_t low = 0, high = s->count;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (code >= table[middle].first)
                low = middle;
            else
                high = middle;
        }
        *last = low;
    }
    return code <= table[*last].last && !bipe_hf_is_new(code) ? table[*last].script : (uint32_t)NO_SCRIPT;
}

static int split_scripts(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                         bipe_error *err)
{
    int status = BIPE_OK;
    size_t found = 0;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t to = in->range[i].end, piece = to;
        uint32_t before = NO_SCRIPT;
        for (size_t at = in->range[i].start, n; status == BIPE_OK && at < to; at += n) {
            uint32_t code;
            n = bipe_step_char(text->text, to, at, &code);
            uint32_t script = script_of(config, code, &found);
            if (script == NO_SCRIPT || script == before)
                continue;
            if (before != NO_SCRIPT)
                status = bipe_ranges_add(out, piece, at, err);
            piece = at;
            before = script;
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, piece, to, err);
    }
    return status;
}

/* A half that begins with a character without a script would drop it. */
static bipe_pair_class class_of_script(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    size_t found = 0;
    uint32_t script = *code != BIPE_CODE_LETTERS ? script_of(config, *code, &found) : (uint32_t)NO_SCRIPT;
    bool none = script == NO_SCRIPT;
    return (bipe_pair_class){.class = none ? BIPE_CLASS_ANY : (uint8_t)script, .unknown_before = none};
}

static void scripts_pairs(const void *config, bipe_pairs *pairs)
{
    (void)config;
    pairs->gaps = true;
}

const bipe_pretokenizer_type bipe_pre_scripts = {.name = "UnicodeScripts", .open = open_scripts, .close = scripts_close,
                                                 .split = split_scripts, .class_of = class_of_script,
                                                 .pairs = scripts_pairs};
