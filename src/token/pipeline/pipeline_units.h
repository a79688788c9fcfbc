/* pipeline_units.h - where any text of a pipeline may be cut into units that are looked up (cut_stream.h): between bytes of ASCII, and what
 * steps tell of other characters (unit_classes.h).
 *
 * Two bytes x and y of ASCII stand side by side, and behind them a third one. Each step tells for which x and y it gives for the text up to
 * x and for the text from y on, as one that goes on (not `first`), what it gives for the whole, cut there; and between which of them no
 * pre-token goes on. This is what bipe_cuts is for whole chunks, but finer, and asked for when all steps are there. */
#ifndef BIPE_TOKEN_PIPELINE_UNITS_H
#define BIPE_TOKEN_PIPELINE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BIPE_PAIRS = 128,
    BIPE_UNIT_CODES = 32 /* characters that one becomes, at most */
};
#define BIPE_PAIR_ODD UINT32_MAX
#define BIPE_PAIR_OTHER (UINT32_MAX - 1) /* some character that a step does not join with any */
#define BIPE_UNIT_ODD SIZE_MAX
#define BIPE_UNIT_LOOSE (SIZE_MAX - 1)

typedef bool bipe_pair_marks[BIPE_PAIRS][BIPE_PAIRS];

/* What steps tell. Bytes are those of the document. */
typedef struct bipe_pairs {
    /* The character that a byte has become when it comes to the step, wherever it stands beside bytes of ASCII; ODD: nothing, or
     * several, or that depends. Steps that change it say so. */
    uint32_t to[BIPE_PAIRS];
    bipe_pair_marks keeps;  /* of the steps up to now */
    bipe_pair_marks splits;
    bipe_pair_marks mine;   /* all false where a pre-tokenizer is asked: it sets those that it keeps, */
    bipe_pair_marks parts;  /* and those that it splits */
    bool behind[BIPE_PAIRS];         /* the third byte may be this */
    bool gone;                       /* white space has been left out, */
    bool gaps;                       /* or something else */
} bipe_pairs;

struct bipe_pipeline;
struct bipe_pattern;

/* A normalizer that does not change what stands beside a byte: each of these becomes to(byte). */
void bipe_pairs_become(bipe_pairs *pairs, uint32_t to(const void *context, uint32_t code), const void *context);
/* There is no place to cut at between these. */
void bipe_pairs_forbid(bipe_pairs *pairs, bool forbidden(const void *context, uint32_t x, uint32_t y), const void *context);
/* What a pre-tokenizer tells of a character: it splits places before (behind) it, whatever stands there, and those between characters of
 * different classes; or nothing is known about them. */
enum { BIPE_PAIR_ANY = 255 }; /* it may be of any class */
typedef struct bipe_pair_class {
    uint8_t class;
    bool before, behind, lost_before, lost_behind;
} bipe_pair_class;
static inline bool bipe_pair_class_keeps(bipe_pair_class x, bipe_pair_class y)
{
    return !x.lost_behind && !y.lost_before;
}
static inline bool bipe_pair_class_parts(bipe_pair_class x, bipe_pair_class y)
{
    return x.behind || y.before || (x.class != y.class && x.class != BIPE_PAIR_ANY);
}

/* Strings that are looked for, added tokens: what may not be parted. */
typedef struct bipe_unit_strings {
    uint64_t within[256][4]; /* bit y & 63 of within[x][y >> 6]: the two bytes stand side by side in one of them */
    bool first[256], last[256], byte[256]; /* it begins, or ends, or is in one of them */
    bool strips, word;       /* one takes the white space beside it; what stands beside one matters */
} bipe_unit_strings;
static inline bool bipe_unit_strings_has(const bipe_unit_strings *strings, uint8_t x, uint8_t y)
{
    return (strings->within[x][y >> 6] >> (y & 63) & 1) != 0;
}
/* One that splits at the matches of a pattern, each of which is alone or goes. */
void bipe_pairs_pattern(bipe_pairs *pairs, const struct bipe_pattern *pattern);

/* Sets pipeline->units, gaps and unit_strings when all else is there. BIPE_ERR_MEMORY. */
int bipe_pipeline_find_units(struct bipe_pipeline *pipeline, bipe_error *err);

#endif
