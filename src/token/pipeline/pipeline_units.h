/* pipeline_units.h - where any text of a pipeline may be cut into units that are looked up (cut_stream.h): between bytes of ASCII.
 *
 * Two bytes x and y of ASCII stand side by side, and behind them a third one. Each step tells for which x and y it gives for the text up to
 * x and for the text from y on, as one that goes on (not `first`), what it gives for the whole, cut there; and between which of them no
 * pre-token goes on. This is what bipe_cuts is for whole chunks, but finer, and asked for when all steps are there. */
#ifndef BIPE_TOKEN_PIPELINE_UNITS_H
#define BIPE_TOKEN_PIPELINE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { BIPE_PAIRS = 128 };
#define BIPE_PAIR_ODD UINT32_MAX

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
/* A pre-tokenizer keeps all places, and splits those between characters of which one is split off or that are of different classes. */
typedef struct bipe_pair_class {
    uint8_t class;
    bool alone;
} bipe_pair_class;
void bipe_pairs_classes(bipe_pairs *pairs, bipe_pair_class of(const void *context, uint32_t code), const void *context);
/* One that splits at the matches of a pattern, each of which is alone or goes. */
void bipe_pairs_pattern(bipe_pairs *pairs, const struct bipe_pattern *pattern);

/* Sets pipeline->units when all else is there. BIPE_ERR_MEMORY. */
int bipe_pipeline_find_units(struct bipe_pipeline *pipeline, bipe_error *err);

#endif
