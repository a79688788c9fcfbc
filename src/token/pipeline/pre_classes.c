/* pre_classes.c - the pre-tokenizers that go by classes of characters: Whitespace, WhitespaceSplit, Punctuation,
 * Digits, BertPreTokenizer, CharDelimiterSplit. */
#include <string.h>

#include "base/alloc.h"
#include "token/hf_unicode.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"

/* ---- splitting at characters of a class, each of which is a match ---- */

/* Pieces of [from, to): the text between matches, and the matches by behaviour. */
static int split_piece(const bipe_mapped *text, size_t from, size_t to, bipe_is_match *match, const void *context,
                       bipe_split_behaviour behaviour, bipe_ranges *out, bipe_error *err)
{
    size_t piece = from; /* the piece being made is [piece, at) */
    bool before = false; /* the character before is a match */
    int status = BIPE_OK;
    for (size_t at = from, n; status == BIPE_OK && at < to; at += n) {
        uint32_t code;
        n = bipe_step_char(text->text, to, at, &code);
        bool matches = match(context, code), cut = false;
        switch (behaviour) {
        case BIPE_SPLIT_REMOVED:
        case BIPE_SPLIT_ISOLATED:
            cut = matches || before;
            break;
        case BIPE_SPLIT_CONTIGUOUS:
            cut = matches != before;
            break;
        case BIPE_SPLIT_PREVIOUS:
            cut = before;
            break;
        case BIPE_SPLIT_NEXT:
            cut = matches;
            break;
        }
        if (cut) {
            if (!(behaviour == BIPE_SPLIT_REMOVED && before))
                status = bipe_ranges_add(out, piece, at, err);
            piece = at;
        }
        before = matches;
    }
    if (status == BIPE_OK && !(behaviour == BIPE_SPLIT_REMOVED && before))
        status = bipe_ranges_add(out, piece, to, err);
    return status;
}

/* Splits the pre-tokens of *in at the characters that match, each of which is one match. */
static int split_at(const bipe_mapped *text, const bipe_ranges *in, bipe_is_match *match, const void *context,
                    bipe_split_behaviour behaviour, bipe_ranges *out, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++)
        status = split_piece(text, in->range[i].start, in->range[i].end, match, context, behaviour, out, err);
    return status;
}

/* ---- words at white space, of which some characters are split off ---- */

int bipe_split_words(const bipe_mapped *text, const bipe_ranges *in, bipe_is_match *space, bipe_is_match *alone,
                     bipe_ranges *out, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t piece = in->range[i].start, to = in->range[i].end;
        for (size_t at = piece, n; status == BIPE_OK && at < to; at += n) {
            uint32_t code;
            n = bipe_step_char(text->text, to, at, &code);
            bool is_space = space(NULL, code);
            if (!is_space && !alone(NULL, code))
                continue;
            status = bipe_ranges_add(out, piece, at, err);
            if (status == BIPE_OK && !is_space)
                status = bipe_ranges_add(out, at, at + n, err);
            piece = at + n;
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, piece, to, err);
    }
    return status;
}

static bool is_space(const void *context, uint32_t code)
{
    (void)context;
    return bipe_hf_is_space(code);
}

static bool is_punctuation(const void *context, uint32_t code)
{
    (void)context;
    return bipe_hf_is_punctuation(code);
}

static bool is_numeric(const void *context, uint32_t code)
{
    (void)context;
    return bipe_hf_is_numeric(code);
}

static int split_white(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                       bipe_error *err)
{
    (void)config;
    return split_at(text, in, is_space, NULL, BIPE_SPLIT_REMOVED, out, err);
}

/* ---- Whitespace: runs of \w, runs of what is neither \w nor white space ---- */

enum { WORD, BLANK, OTHER };

static uint8_t class_of_runs(uint32_t code)
{
    return bipe_hf_is_word(code) ? WORD : bipe_hf_is_space(code) ? BLANK : OTHER;
}

static int split_runs(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                      bipe_error *err)
{
    (void)config;
    int status = BIPE_OK;
    for (size_t i = 0; i < in->count; i++) {
        size_t piece = in->range[i].start, to = in->range[i].end;
        uint8_t before = BLANK;
        for (size_t at = piece, n; status == BIPE_OK && at < to; at += n) {
            uint32_t code;
            n = bipe_step_char(text->text, to, at, &code);
            uint8_t class = class_of_runs(code);
            if (class != before) {
                status = before != BLANK ? bipe_ranges_add(out, piece, at, err) : BIPE_OK;
                piece = at;
            }
            before = class;
        }
        if (status == BIPE_OK && before != BLANK)
            status = bipe_ranges_add(out, piece, to, err);
    }
    return status;
}

/* ---- BertPreTokenizer: white space goes, punctuation stands alone ---- */

static int split_bert(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                      bipe_error *err)
{
    (void)config;
    return bipe_split_words(text, in, is_space, is_punctuation, out, err);
}

/* ---- Punctuation ---- */

int bipe_split_behaviour_read(const json_t *json, bipe_split_behaviour *behaviour, bipe_error *err)
{
    static const char *const names[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
    const json_t *value = json_object_get(json, "behavior");
    if (value == NULL)
        return BIPE_OK;
    for (size_t i = 0; json_is_string(value) && i < sizeof names / sizeof *names; i++)
        if (strcmp(json_string_value(value), names[i]) == 0) {
            *behaviour = (bipe_split_behaviour)i;
            return BIPE_OK;
        }
    return bipe_fail(err, BIPE_ERR_FORMAT,
                     "behavior: expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

static int open_punctuation(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "behavior", NULL};
    bipe_split_behaviour *behaviour = bipe_alloc(1, sizeof *behaviour);
    *config = behaviour;
    if (behaviour == NULL)
        return bipe_fail_memory(err);
    *behaviour = BIPE_SPLIT_ISOLATED;
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_split_behaviour_read(json, behaviour, err);
    return status;
}

static int split_punctuation(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                             bipe_error *err)
{
    const bipe_split_behaviour *behaviour = config;
    return split_at(text, in, is_punctuation, NULL, *behaviour, out, err);
}

/* ---- Digits ---- */

static int open_digits(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "individual_digits", NULL};
    bool each = true;
    bipe_split_behaviour *behaviour = bipe_alloc(1, sizeof *behaviour);
    *config = behaviour;
    if (behaviour == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK && !json_is_boolean(json_object_get(json, "individual_digits")))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "individual_digits: expected true or false");
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "individual_digits", false, &each, err);
    if (status == BIPE_OK)
        *behaviour = each ? BIPE_SPLIT_ISOLATED : BIPE_SPLIT_CONTIGUOUS;
    return status;
}

static int split_digits(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                        bipe_error *err)
{
    const bipe_split_behaviour *behaviour = config;
    return split_at(text, in, is_numeric, NULL, *behaviour, out, err);
}

static bool digits_numbers(const void *config, bool *each, bool *digits)
{
    const bipe_split_behaviour *behaviour = config;
    *each = *behaviour == BIPE_SPLIT_ISOLATED;
    *digits = true;
    return true;
}

/* ---- CharDelimiterSplit ---- */

static int open_delimiter(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "delimiter", NULL};
    uint32_t *delimiter = bipe_alloc(1, sizeof *delimiter);
    *config = delimiter;
    if (delimiter == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_step_character(json, "delimiter", delimiter, err);
    return status;
}

static bool is_delimiter(const void *context, uint32_t code)
{
    const uint32_t *delimiter = context;
    return code == *delimiter;
}

static int split_delimiter(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                           bipe_error *err)
{
    return split_at(text, in, is_delimiter, config, BIPE_SPLIT_REMOVED, out, err);
}

/* ---- where units part ---- */

static bipe_pair_class class_if_alone(bool alone)
{
    return (bipe_pair_class){.before = alone, .after = alone};
}

static bipe_pair_class unit_of_white(const void *config, uint32_t *code, bool removed)
{
    (void)config;
    (void)removed;
    return class_if_alone(bipe_hf_is_space(*code));
}

static bipe_pair_class unit_of_runs(const void *config, uint32_t *code, bool removed)
{
    bipe_pair_class class = unit_of_white(config, code, removed);
    class.class = *code == BIPE_CODE_LETTERS ? WORD : class_of_runs(*code);
    return class;
}

static bipe_pair_class unit_of_bert(const void *config, uint32_t *code, bool removed)
{
    (void)config;
    (void)removed;
    return class_if_alone(bipe_hf_is_space(*code) || bipe_hf_is_punctuation(*code));
}

/* A match that is joined to a neighbour is split off on one side. */
static bipe_pair_class unit_of_match(bool matches, bipe_split_behaviour behaviour)
{
    bool unknown = behaviour == BIPE_SPLIT_PREVIOUS || behaviour == BIPE_SPLIT_NEXT,
         alone = matches && behaviour != BIPE_SPLIT_CONTIGUOUS;
    return (bipe_pair_class){
        .class = matches, .before = alone, .after = alone, .unknown_before = unknown, .unknown_after = unknown};
}

static bipe_pair_class unit_of_punctuation(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    return unit_of_match(is_punctuation(NULL, *code), *(const bipe_split_behaviour *)config);
}

static bipe_pair_class unit_of_digits(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    return unit_of_match(is_numeric(NULL, *code), *(const bipe_split_behaviour *)config);
}

static bipe_pair_class unit_of_delimiter(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    bool ascii = *(const uint32_t *)config < 0x80;
    bipe_pair_class class = unit_of_match(is_delimiter(config, *code), BIPE_SPLIT_REMOVED);
    class.class = ascii || *code < BIPE_CODE_LETTERS ? class.class : BIPE_CLASS_ANY;
    return class;
}

static void gaps_of_behaviour(const void *config, bipe_pairs *pairs)
{
    pairs->gaps = pairs->gaps || *(const bipe_split_behaviour *)config == BIPE_SPLIT_REMOVED;
}

static void gaps_of_delimiter(const void *config, bipe_pairs *pairs)
{
    (void)config;
    pairs->gaps = true;
}

const bipe_pretokenizer_type bipe_pre_whitespace = {
    .name = "Whitespace", .open = bipe_open_bare, .split = split_runs, .class_of = unit_of_runs,
    .removes = true};
const bipe_pretokenizer_type bipe_pre_whitespace_split = {
    .name = "WhitespaceSplit", .open = bipe_open_bare, .split = split_white,
    .class_of = unit_of_white, .removes = true};
const bipe_pretokenizer_type bipe_pre_bert = {
    .name = "BertPreTokenizer", .open = bipe_open_bare, .split = split_bert, .class_of = unit_of_bert,
    .removes = true};
const bipe_pretokenizer_type bipe_pre_punctuation = {
    .name = "Punctuation", .open = open_punctuation, .close = bipe_free, .split = split_punctuation,
    .class_of = unit_of_punctuation, .pairs = gaps_of_behaviour};
const bipe_pretokenizer_type bipe_pre_digits = {
    .name = "Digits", .open = open_digits, .close = bipe_free, .split = split_digits,
    .numbers = digits_numbers, .class_of = unit_of_digits, .pairs = gaps_of_behaviour};
const bipe_pretokenizer_type bipe_pre_delimiter = {
    .name = "CharDelimiterSplit", .open = open_delimiter, .close = bipe_free, .split = split_delimiter,
    .class_of = unit_of_delimiter, .pairs = gaps_of_delimiter};
