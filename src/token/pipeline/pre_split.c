/* pre_split.c - the pre-tokenizer Split: cuts at the matches of a string or of a regular expression (Oniguruma's syntax), and
 * gives the matches to what stands before or behind them, or away. */
#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"

typedef struct split {
    bipe_pattern *pattern; /* or a string: */
    char *text;            /* empty: never found */
    size_t size;
    bipe_split_behaviour behaviour;
    bool invert;           /* what does not match is what counts */
    const char *known;     /* the pattern of one that isolates, if it is one of the well-known, or NULL */
} split;

static void split_close(void *config)
{
    split *s = config;
    if (s == NULL)
        return;
    bipe_pattern_free(s->pattern);
    bipe_free(s->text);
    bipe_free(s);
}

static bool is_letter(char c)
{
    return (unsigned)(c | 0x20) - 'a' < 26;
}

/* Which places of a document a string leaves alone. Matches are found from left to right, so a cut within one, or right at
 * one that goes to the other side of the cut, is none. */
static bipe_cuts cuts_of_string(const split *s)
{
    static const struct {
        unsigned place;
        char before, behind; /* 0: a letter */
    } places[] = {{BIPE_CUT_SPACE, 0, ' '}, {BIPE_CUT_NEWLINE, 0, '\n'}, {BIPE_CUT_LINE, '\n', 0}, {BIPE_CUT_AFTER, ' ', 0}};
    bipe_cuts cuts = {.keeps = BIPE_CUT_ALL};
    const unsigned seen = BIPE_CUT_SEEN_SPACE | BIPE_CUT_SEEN_NEWLINE;
    if (s->invert)
        return (bipe_cuts){0};
    /* A string that has no blank in it does not cross such a place, one that is the blank splits there. */
    bool alone = s->behaviour == BIPE_SPLIT_REMOVED || s->behaviour == BIPE_SPLIT_ISOLATED;
    bool space = memchr(s->text, ' ', s->size) != NULL, newline = memchr(s->text, '\n', s->size) != NULL;
    if (!alone || space || newline)
        cuts.keeps &= ~(unsigned)BIPE_CUT_ANY_NEWLINE; /* which may be a space by now */
    if (!alone || (space && s->size != 1))
        cuts.keeps &= ~(unsigned)BIPE_CUT_WORD;
    if (!alone)
        cuts.keeps &= ~seen;
    else if (s->size == 1)
        cuts.splits = space ? BIPE_CUT_SEEN_SPACE | (unsigned)BIPE_CUT_WORD : newline ? (unsigned)BIPE_CUT_SEEN_NEWLINE : 0U;
    else
        cuts.keeps &= ~((space ? (unsigned)BIPE_CUT_SEEN_SPACE : 0U) | (newline ? (unsigned)BIPE_CUT_SEEN_NEWLINE : 0U));
    for (size_t k = 0; k < sizeof places / sizeof *places && s->size != 0; k++) {
        char before = places[k].before, behind = places[k].behind, first = s->text[0], last = s->text[s->size - 1];
        bool starts = behind != 0 ? first == behind : is_letter(first) || (signed char)first < 0;
        bool ends = before != 0 ? last == before : is_letter(last);
        bool within = false;
        for (size_t i = 0; i + 1 < s->size; i++)
            within = within || ((before != 0 ? s->text[i] == before : is_letter(s->text[i])) &&
                                (behind != 0 ? s->text[i + 1] == behind : is_letter(s->text[i + 1]) || (signed char)s->text[i + 1] < 0));
        /* Next to a match its neighbours may be joined, which a cut would not see. */
        bool joined = s->behaviour != BIPE_SPLIT_REMOVED && s->behaviour != BIPE_SPLIT_ISOLATED && (starts || ends);
        if (within || joined)
            cuts.keeps &= ~places[k].place;
        else if (s->size == 1 && ((before != 0 && first == before) || (behind != 0 && first == behind)))
            cuts.splits |= places[k].place;
    }
    return cuts;
}

int bipe_pipeline_pattern_cuts(const bipe_pattern *pattern, bipe_cuts *cuts, bipe_error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char seen[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    static const struct {
        unsigned place;
        const char *before, *behind;
    } places[] = {{BIPE_CUT_SPACE, letters, " "}, {BIPE_CUT_NEWLINE, letters, "\n"}, {BIPE_CUT_AFTER, " ", letters},
                  {BIPE_CUT_SEEN_SPACE, seen, " "}, {BIPE_CUT_SEEN_NEWLINE, seen, "\n"}};
    bipe_pattern_pair (*pair)[128] = bipe_alloc(128, sizeof *pair);
    if (pair == NULL)
        return bipe_fail_memory(err);
    bipe_pattern_find_pairs(pattern, pair);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool keeps = true, splits = true;
        for (const char *x = places[i].before; *x != '\0'; x++)
            for (const char *y = places[i].behind; *y != '\0'; y++) {
                keeps = keeps && pair[(uint8_t)*x][(uint8_t)*y].keeps;
                splits = splits && pair[(uint8_t)*x][(uint8_t)*y].splits;
            }
        cuts->keeps |= keeps ? places[i].place : 0U;
        cuts->splits |= splits ? places[i].place : 0U;
    }
    bipe_free(pair);
    return BIPE_OK;
}

static const json_t *string_of(const json_t *json)
{
    const json_t *pattern = json_object_get(json, "pattern");
    return json_is_string(pattern) ? pattern : json_object_get(pattern, "String");
}

static int read_pattern(split *s, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    const json_t *string = string_of(json), *regex = json_object_get(json_object_get(json, "pattern"), "Regex");
    if (json_is_string(string)) {
        s->size = json_string_length(string);
        if (s->size > BIPE_ADDED_LENGTH)
            return bipe_fail(err, BIPE_ERR_LIMIT, "pattern: %zu bytes, expected at most %d", s->size, BIPE_ADDED_LENGTH);
        s->text = bipe_strdup(json_string_value(string));
        if (s->text == NULL)
            return bipe_fail_memory(err);
        *cuts = cuts_of_string(s);
        return BIPE_OK;
    }
    if (!json_is_string(regex))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected a \"pattern\" with \"String\" or \"Regex\"");
    bipe_buffer text = {0};
    int status = bipe_pattern_translate(json_string_value(regex), json_string_length(regex), &text, err);
    if (status == BIPE_OK)
        status = bipe_pattern_compile(&s->pattern, (const char *)text.data, text.size, err);
    bipe_buffer_free(&text);
    const char *known = bipe_pretoken_pattern_known(json_string_value(regex));
    if (s->behaviour == BIPE_SPLIT_REMOVED && s->invert && known != NULL && bipe_pretoken_pattern_rule(known) != NULL) {
        s->behaviour = BIPE_SPLIT_ISOLATED; /* these leave nothing between their matches */
        s->invert = false;
    }
    bool alone = s->behaviour == BIPE_SPLIT_ISOLATED || s->behaviour == BIPE_SPLIT_REMOVED;
    if (status == BIPE_OK && alone && known == NULL)
        return bipe_pipeline_pattern_cuts(s->pattern, cuts, err);
    if (status == BIPE_OK && alone)
        cuts->keeps = BIPE_CUT_SPACE | BIPE_CUT_NEWLINE | BIPE_CUT_LINE | BIPE_CUT_WORD;
    if (cuts->keeps != 0 && bipe_pretoken_pattern_splits(json_string_value(regex)))
        cuts->splits = cuts->keeps;
    if (s->behaviour == BIPE_SPLIT_ISOLATED && !s->invert)
        s->known = known;
    return status;
}

static const char *split_known(const void *config)
{
    return ((const split *)config)->known;
}

static bool split_splitter(const void *config, bipe_splitter *how)
{
    const split *s = config;
    bool removed = s->behaviour == BIPE_SPLIT_REMOVED;
    *how = (bipe_splitter){.pattern = s->pattern, .matches_go = removed && !s->invert, .gaps_go = removed && s->invert};
    return (s->behaviour == BIPE_SPLIT_ISOLATED || removed) && s->pattern != NULL;
}

static int split_open(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "pattern", "behavior", "invert", NULL};
    split *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "invert", false, &s->invert, err);
    if (status == BIPE_OK && json_object_get(json, "behavior") == NULL)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "no \"behavior\"");
    if (status == BIPE_OK)
        status = bipe_split_behaviour_read(json, &s->behaviour, err);
    if (status == BIPE_OK)
        status = read_pattern(s, cuts, json, err);
    if (status != BIPE_OK) {
        split_close(s);
        return status;
    }
    *config = s;
    return BIPE_OK;
}

bool bipe_split_is_idle(const json_t *json, const bipe_normalizer *normalizer)
{
    void *config;
    bipe_cuts cuts = {0};
    int32_t code;
    bool idle = false;
    if (strcmp(bipe_json_type(json), "Split") != 0 || !json_is_string(string_of(json)) || split_open(&config, &cuts, json, NULL) != BIPE_OK)
        return false;
    const split *s = config;
    for (size_t i = 0, n; !s->invert && i < s->size; i += n) {
        n = bipe_utf8_decode((const uint8_t *)s->text + i, s->size - i, &code);
        idle = idle || (code >= 0 && !bipe_normalizer_leaves(normalizer, (uint32_t)code));
    }
    split_close(config);
    return idle;
}

/* ---- splitting ---- */

/* What was found so far of one pre-token. MergedWithNext waits for what follows. */
typedef struct found {
    const split *split;
    bipe_ranges *out;
    size_t first;   /* the pre-token's first range in out */
    bool last;      /* the one before was a match */
    bool waits;     /* BIPE_SPLIT_NEXT: a match that goes to the next */
    size_t waiting;
} found;

static int add_part(found *f, size_t start, size_t end, bool match, bipe_error *err)
{
    bipe_ranges *out = f->out;
    bool before = f->last, joins = false;
    match = match != f->split->invert;
    f->last = match;
    switch (f->split->behaviour) {
    case BIPE_SPLIT_REMOVED:
        return match ? BIPE_OK : bipe_ranges_add(out, start, end, err);
    case BIPE_SPLIT_ISOLATED:
        break;
    case BIPE_SPLIT_CONTIGUOUS:
        joins = match == before;
        break;
    case BIPE_SPLIT_PREVIOUS:
        joins = match && !before;
        break;
    case BIPE_SPLIT_NEXT:
        /* A match goes to what follows, unless that is a match. */
        if (f->waits) {
            size_t from = f->waiting;
            f->waits = false;
            if (match) {
                int status = bipe_ranges_add(out, from, start, err);
                if (status != BIPE_OK)
                    return status;
            } else {
                start = from;
            }
        }
        if (match) {
            f->waits = true;
            f->waiting = start;
            return BIPE_OK;
        }
        break;
    }
    if (joins && out->count > f->first) {
        out->range[out->count - 1].end = (uint32_t)end;
        return BIPE_OK;
    }
    return bipe_ranges_add(out, start, end, err);
}

/* The next place of the string, or NULL. */
static const uint8_t *find_string(const split *s, const uint8_t *text, const uint8_t *end)
{
    if (s->size == 0)
        return NULL;
    for (const uint8_t *at = text; (size_t)(end - at) >= s->size; at++) {
        at = memchr(at, (unsigned char)s->text[0], (size_t)(end - at) - s->size + 1);
        if (at == NULL || memcmp(at, s->text, s->size) == 0)
            return at;
    }
    return NULL;
}

static int split_one(found *f, bipe_matches *matches, const uint8_t *text, bipe_range range, bipe_error *err)
{
    const split *s = f->split;
    size_t at = range.start;
    int status = BIPE_OK;
    if (matches != NULL)
        bipe_matches_begin(matches, text + range.start, range.end - range.start);
    for (;;) {
        size_t start, end;
        if (matches != NULL) {
            status = bipe_matches_next(matches, &start, &end, err);
            start += range.start;
            end += range.start;
        } else {
            const uint8_t *place = find_string(s, text + at, text + range.end);
            status = place != NULL ? BIPE_OK : BIPE_END;
            start = place != NULL ? (size_t)(place - text) : 0;
            end = start + s->size;
        }
        if (status != BIPE_OK)
            break;
        if (start == end && s->behaviour != BIPE_SPLIT_ISOLATED && s->behaviour != BIPE_SPLIT_REMOVED)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Split: the pattern has matched nothing, expected one that always matches something");
        if (at != start)
            status = add_part(f, at, start, false, err);
        if (status == BIPE_OK)
            status = add_part(f, start, end, true, err);
        if (status != BIPE_OK)
            return status;
        at = end;
    }
    if (status == BIPE_END)
        status = at != range.end ? add_part(f, at, range.end, false, err) : BIPE_OK;
    if (status == BIPE_OK && f->waits)
        status = bipe_ranges_add(f->out, f->waiting, range.end, err);
    return status;
}

static int split_run(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err)
{
    const split *s = config;
    bipe_matches *matches = NULL;
    int status = s->pattern != NULL ? bipe_matches_open(&matches, s->pattern, err) : BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        found f = {.split = s, .out = out, .first = out->count};
        status = split_one(&f, matches, text->text, in->range[i], err);
    }
    bipe_matches_close(matches);
    return status;
}

/* Behind what is returned stands a character that no match has, or the last match: whatever becomes of that. */
static size_t split_hold(const void *config, const uint8_t *text, size_t from, size_t size)
{
    const split *s = config;
    size_t start = 0, end = 0, place, rest = s->size != 0 ? s->size - 1 : 0;
    uint32_t code;
    text += from;
    size -= from;
    if (s->pattern != NULL)
        return from;
    for (const uint8_t *at; (at = find_string(s, text + end, text + size)) != NULL; end = start + s->size)
        start = (size_t)(at - text);
    place = end + bipe_utf8_complete(text + end, size - end > rest ? size - end - rest : 0);
    return from + (place > end ? place - bipe_step_char_before(text + end, place - end, &code) : start);
}

/* Of a string: no place within one, nor beside one that goes to a neighbour. One character that is alone or goes is apart from both. */
static void pairs_of_string(const split *s, bipe_pairs *pairs)
{
    bool alone = s->behaviour == BIPE_SPLIT_REMOVED || s->behaviour == BIPE_SPLIT_ISOLATED;
    for (unsigned x = 0; x < BIPE_PAIRS && s->size != 0; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            bool beside = (uint8_t)s->text[s->size - 1] == pairs->to[x] || (uint8_t)s->text[0] == pairs->to[y];
            bool within = s->invert || (beside && !alone);
            for (size_t i = 1; i < s->size; i++)
                within = within || ((uint8_t)s->text[i - 1] == pairs->to[x] && (uint8_t)s->text[i] == pairs->to[y]);
            pairs->mine[x][y] = !within;
            pairs->parts[x][y] = s->size == 1 && beside && alone;
        }
}

static void split_pairs(const void *config, bipe_pairs *pairs)
{
    const split *s = config;
    if (s->behaviour == BIPE_SPLIT_REMOVED)
        pairs->gaps = true;
    if (s->pattern == NULL)
        pairs_of_string(s, pairs);
    else if (s->behaviour == BIPE_SPLIT_REMOVED || s->behaviour == BIPE_SPLIT_ISOLATED)
        bipe_pairs_pattern(pairs, s->pattern);
}

const bipe_pretokenizer_type bipe_pre_split = {
    .name = "Split",
    .open = split_open,
    .close = split_close,
    .split = split_run,
    .hold = split_hold,
    .known = split_known,
    .splitter = split_splitter,
    .pairs = split_pairs,
};
