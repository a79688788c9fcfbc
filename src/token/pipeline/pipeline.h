/* pipeline.h - the general tokenizer, as Hugging Face's library runs it: added tokens are cut out, what stands between them
 * goes through normalizers, is split into pre-tokens, and a model turns each pre-token into ids.
 *
 *   bytes -> chunks -> added tokens -> normalizers -> (normalized added tokens) -> pre-tokenizers -> model -> tokens
 *
 * To add a step or a model: a file with its bipe_normalizer_type, bipe_pretokenizer_type or bipe_model_type, and a line in the
 * table of pipeline_steps.c. A type is found by the `type` that Hugging Face's tokenizer.json names it with.
 *
 * Everything that is loaded is constant afterwards and shared by threads; only streams change.
 *
 * Text need not be UTF-8: a step leaves a byte that starts no well-formed character as it is (bipe_utf8_decode()). */
#ifndef BIPE_TOKEN_PIPELINE_H
#define BIPE_TOKEN_PIPELINE_H

#include <jansson.h>

#include "base/buffer.h"
#include "token/added_set.h"
#include "token/decoder.h"
#include "token/kind.h"
#include "token/pair_table.h"
#include "token/pipeline/mapped.h"
#include "token/pipeline/pipeline_cuts.h"
#include "token/pipeline/pipeline_units.h"
#include "token/pipeline/set_aside.h"
#include "token/pretoken/pretoken_parts.h"
#include "token/pretoken/pretoken_scan.h"
#include "token/vocabulary.h"
#include "token/words/cut_stream.h"
#include "token/words/word_cache.h"

typedef struct bipe_pipeline bipe_pipeline;

/* ---- texts that come in pieces ---- */

/* Where no such place comes, a chunk goes through the steps in pieces (pipeline_flow.c). Each step then holds what it cannot do yet. Those
 * that must know more than the text behind the last place that they are done with keep it here; zeroed where a text begins, but for what
 * is allocated. */
typedef struct bipe_step_state {
    bool begun, open;       /* as the step likes */
    uint32_t from, to;      /* places */
    int32_t code, breaks;
    size_t given;           /* bytes that went out */
    bipe_set_aside aside;   /* text that waits for what comes behind it */
} bipe_step_state;

/* ---- normalizers ---- */

/* Appends to the empty *out what the step makes of *in (first and origin are set in *out already). */
typedef int (*bipe_normalize_step)(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err);

typedef struct bipe_normalizer_type {
    const char *name; /* `type` in tokenizer.json */
    /* json: the step's object. *config is NULL before and may stay so; what is there is closed when it fails. *cuts is
     * {0, 0} before. BIPE_ERR_UNSUPPORTED for what is not done. */
    int (*open)(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err);
    void (*close)(void *config); /* or NULL; config may be NULL */
    bipe_normalize_step run;
    /* For texts that come in pieces, one of these, or neither where it wants the whole. How many bytes of *in, which goes on, it may be
     * run on by themselves: it gives for them and for what follows what it gives for the whole. What makes no difference may be taken
     * out of *in. */
    size_t (*settled)(const void *config, bipe_mapped *in);
    /* Does what it can of *in (last: the text ends with it), of which *taken bytes are done then, and appends to the empty *out. *more: it
     * has more to give, and wants to be called again. */
    int (*flow)(const void *config, bipe_step_state *state, const bipe_mapped *in, bool last, bipe_mapped *out, size_t *taken, bool *more,
                bipe_error *err);
    bool (*flows)(const void *config); /* NULL: every one of the type can do that */
    /* Where a text may be cut into units (pipeline_units.h): sets `to` of what it changes, and takes from `keeps` and `behind`. NULL:
     * nowhere. */
    void (*pairs)(const void *config, bipe_pairs *pairs);
    /* The same beside characters beyond ASCII (unit_classes.h): what a character becomes, wherever it stands among characters of which that
     * is told, `to` of them (0: it goes). BIPE_UNIT_LOOSE: that depends on what stands before it, but a character behind it of which it is
     * told does not depend on it. BIPE_UNIT_ODD: nothing is told; NULL: of none. */
    size_t (*character)(const void *config, uint32_t code, uint32_t to[BIPE_UNIT_CODES]);
    /* Whether there is no place to cut at between the two, since they may become something together. NULL: there is. */
    bool (*joins)(const void *config, uint32_t x, uint32_t y);
} bipe_normalizer_type;

/* ---- pre-tokenizers ---- */

/* A split that goes on from where it has split last as if a text began there: each match and what stands between them. */
typedef struct bipe_splitter {
    const struct bipe_pattern *pattern; /* or */
    bool (*match)(const void *context, uint32_t code); /* characters that match, without a context: */
    bool each;    /* each by itself, else neighbours together */
    bool letters; /* ByteLevel's letters are looked at */
    bool numbers; /* what matches are numbers (\p{N}): `each` of them, or neighbours together */
    bool matches_go, gaps_go; /* what is left out, after all: of a pattern */
} bipe_splitter;

/* Either `split` or `rewrite`, unless there is `add`. */
typedef struct bipe_pretokenizer_type {
    const char *name;
    int (*open)(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err);
    void (*close)(void *config);
    /* Splits each of the pre-tokens in->range[] of text (which is *in's; bytes outside of them are gone already) further; each is
     * looked at by itself. Appends to *out, in order; what is left out is not tokenized. */
    int (*split)(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err);
    /* Changes the text of the pre-tokens; may split them too. Appends to the empty *text and *out. */
    int (*rewrite)(const void *config, const bipe_mapped *from, const bipe_ranges *in, bipe_mapped *text, bipe_ranges *out,
                   bipe_error *err);
    bool blanks_stay; /* rewrite leaves spaces, newlines and letters as they are; without it steps after it know only of places that were split before */
    /* Instead of open: appends the steps that this one is made of. */
    int (*add)(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
    /* The text behind a token, for bipe_tokenizer_decode(): appends `text` with the rewriting undone. NULL: as it is. */
    int (*undo)(const void *config, const uint8_t *text, size_t size, bipe_buffer *out, bipe_error *err);
    /* The well-known pattern (pretoken_patterns.h) whose matches, and what is between them, are pre-tokens; or NULL. */
    const char *(*known)(const void *config);
    /* Whether `split` is one like that. NULL: it is not. */
    bool (*splitter)(const void *config, bipe_splitter *how);
    /* For texts that come in pieces: text[from .. size) is a pre-token which goes on. Up to the place that is returned it is decided
     * where it is split; from there on the step, beginning anew, splits the rest as it splits the whole. (rewrite: up to there it may be
     * done, and nothing but in->joined need be known to go on.) NULL: it wants the whole. */
    size_t (*hold)(const void *config, const uint8_t *text, size_t from, size_t size);
    bool (*flows)(const void *config); /* NULL: every one of the type can do that */
    /* Where a text may be cut into units: what it tells of any character, which it may change; gone: white space has been left out before. */
    bipe_pair_class (*class_of)(const void *config, uint32_t *code, bool gone);
    /* More of pairs of ASCII: sets `mine` and `parts` by what `to` is before it, and changes that. Both NULL: where text is split already. */
    void (*pairs)(const void *config, bipe_pairs *pairs);
    bool gone; /* it leaves out white space */
} bipe_pretokenizer_type;

/* ---- models ---- */

typedef struct bipe_model_type {
    const char *name;
    /* Reads the "model" object of a tokenizer.json. Fills pipeline->vocabulary (the strings of all ids, holes empty, each findable with
     * bipe_vocabulary_index(); added tokens come later), may set pipeline->model_splits, gets pipeline->bytes.
     * *model is given to close() even when it fails. */
    int (*open)(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
    void (*close)(void *model); /* model may be NULL */
    /* Called when the added tokens are known; special: those marked special are found in text. NULL: nothing to do. */
    void (*finish)(void *model, const bipe_pipeline *pipeline, bool special);
    /* What one stream needs to encode (caches, scratch): its size, zeroed at the start of the stream; and what it
     * releases. 0 and NULL when there is none. */
    size_t scratch_size;
    void (*scratch_close)(void *scratch);
    /* Appends the tokens of a pre-token (size > 0), which depend on its bytes alone. No byte is left out. */
    int (*encode)(const void *model, void *scratch, const uint8_t *text, size_t size, bipe_piece_tokens *tokens, bipe_error *err);
    /* The same for a pre-token that comes in pieces, whole characters each (first, last: it begins or ends with this one, which may be
     * empty). Appends what is decided, with the sizes of tokens in place of their ends. NULL: it is held whole. */
    int (*encode_part)(const void *model, void *scratch, const uint8_t *text, size_t size, bool first, bool last, bipe_piece_tokens *tokens,
                       bipe_error *err);
    /* Whether every pre-token of so many bytes becomes the one token *id. NULL: no. */
    bool (*too_long)(const void *model, uint64_t size, uint32_t *id);
    /* Appends the text that an id of the model stands for (a continuation mark gone, <0x41> is A). NULL: its string. */
    int (*surface)(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out, bipe_error *err);
} bipe_model_type;

extern const bipe_model_type bipe_model_bpe, bipe_model_unigram, bipe_model_wordpiece, bipe_model_wordlevel;

/* Helps a model to read `"vocab": {"TEXT": ID, ...}` into pipeline->vocabulary (pipeline_json.c). */
int bipe_pipeline_read_vocab(bipe_pipeline *pipeline, const json_t *vocab, bipe_error *err);

/* ---- the whole ---- */

typedef struct bipe_normalizer_step {
    const bipe_normalizer_type *type;
    void *config;
} bipe_normalizer_step;

typedef struct bipe_pretokenizer_step {
    const bipe_pretokenizer_type *type;
    void *config;
} bipe_pretokenizer_step;

enum { BIPE_PIPELINE_STEPS = 64, BIPE_PIPELINE_DEPTH = 8 };
#define BIPE_PIPELINE_HOLD ((size_t)16 << 20)  /* bytes that wait for a place to cut at, or for the end of a document; half as many are normalized */
#define BIPE_PIPELINE_TOGETHER ((size_t)1 << 20) /* bytes that a step may need together where text comes in pieces */
#define BIPE_PIPELINE_CHUNK ((size_t)32 << 10) /* bytes that are worth a run of the pipeline */

struct bipe_pipeline {
    const struct bipe_json_lists *lists; /* while a tokenizer.json is read: those that are not in its tree (json_lists.h) */
    bipe_vocabulary vocabulary;  /* strings of all ids; holes are empty */
    bipe_normalizer_step normalizer[BIPE_PIPELINE_STEPS];
    size_t normalizers;
    bipe_pretokenizer_step pretokenizer[BIPE_PIPELINE_STEPS];
    size_t pretokenizers;
    bool bytes;                  /* the last step would write bytes as letters: it is left out, the model knows */
    bool cuts_letters;           /* with bytes: a step that came behind the letters may end a pre-token within a character */
    bool raw_strings;            /* with bytes: the vocabulary has bytes and not letters */
    const bipe_model_type *type;
    void *model;
    size_t model_size;           /* ids of the model are below this, */
    size_t entries;              /* of which its vocabulary has so many */
    unsigned model_splits;       /* cuts that no token of the model crosses, without any pre-tokenizer */
    unsigned keeps, splits;      /* of all steps up to now */
    bool spaces;                 /* newlines have become spaces in one of them */
    unsigned cuts;               /* where documents are cut */
    bipe_cut_borders *units;     /* where they may be cut into units that are looked up; or NULL */
    bool gaps;                   /* of which tokens may leave out white space */
    bipe_unit_strings *unit_strings; /* [2] beside them: `raw`, `inside` */
    bool flows;                  /* where they are not, text goes through the steps in pieces; all can do that, but in tests and without memory for a pattern */
    bool whole;                  /* when all of it is there, since added tokens want to be looked for in the whole */
    bipe_added_set raw, inside;  /* looked for in the text as it is, and in the normalized text */
    uint8_t *added_id;           /* [vocabulary.count] 0: of the model, 1: added, 2: added and special */
    bool prefix;                 /* a space is put in front of a text: not part of it when decoded */
    _Atomic(bipe_decoder *) decoder; /* what ids stand for, or NULL */
    size_t hold_limit, chunk;    /* as above, less in tests */
    bool quick;                  /* text goes the short way (byte_stream.h), not through all steps: */
    const bipe_split_rule *rule; /* what splits it, or NULL */
    bipe_char_classes classes;   /* with rule; */
    bipe_pretoken_parts parts;   /* quick: of pre-tokens; there when what the model puts off is made */
    bool digits;                 /* a step Digits says what is a number */
    struct bipe_nfc_check *nfc;  /* with quick: text is normalized before (byte_front.h); or NULL */
    bool streams;                /* with quick: words longer than long_word, which are no whole string of the vocabulary, are not held */
    size_t long_word;            /* BIPE_PIECE_LIMIT; less in tests */
};

extern const bipe_token_kind bipe_pipeline_kind;

/* An empty one; NULL when memory is out. */
bipe_pipeline *bipe_pipeline_new(void);

/* Appends steps from "normalizer" and "pre_tokenizer" of a tokenizer.json, Sequences opened (pipeline_steps.c). NULL or null: none. */
int bipe_pipeline_add_normalizer(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
int bipe_pipeline_add_pretokenizer(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
/* Appends a step that is made already; it owns config from now on, also on failure. */
int bipe_pipeline_push(bipe_pipeline *pipeline, const bipe_pretokenizer_type *type, void *config, bipe_cuts cuts, bipe_error *err);
/* What a regular expression says whose matches are pre-tokens, or are left out (pre_split.c). */
int bipe_pipeline_pattern_cuts(const struct bipe_pattern *pattern, bipe_cuts *cuts, bipe_error *err);
/* ByteLevel (pre_byte_level.c): its steps. patterns: in Oniguruma's syntax, one after the other, ended by NULL; or NULL. */
int bipe_pipeline_add_byte_level(bipe_pipeline *pipeline, bool prefix, const char *const *patterns, bipe_error *err);
/* For a step that splits what ByteLevel has written: one that splits the bytes at the same places, with *config in it. NULL when memory
 * is out. */
const bipe_pretokenizer_type *bipe_pretokenizer_behind_letters(const bipe_pretokenizer_type *type, void **config);
/* Makes the model of "model", after the steps. */
int bipe_pipeline_set_model(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
/* "added_tokens", after the model. special: those marked special are found in text too. */
int bipe_pipeline_read_added(bipe_pipeline *pipeline, const json_t *added, bool special, bipe_error *err);
/* Adds a string to look for; the first of two equal ones counts. normalized: it is normalized and looked for in normalized text. */
int bipe_pipeline_look_for(bipe_pipeline *pipeline, const void *text, size_t size, bipe_added added, bool normalized,
                           bipe_error *err);
/* The end of every reader; status: what it came to. BIPE_OK: all is there, and the pipeline, which finds out where documents are cut and
 * which way texts go, becomes the tokenizer's. Else, or when that fails, it is freed. */
int bipe_pipeline_finish(bipe_tokenizer *tokenizer, bipe_pipeline *pipeline, int status, bipe_error *err);

/* All normalizers, from *text into *text; `spare` is room. Swaps the two. */
int bipe_pipeline_normalize(const bipe_pipeline *pipeline, bipe_mapped *text, bipe_mapped *spare, bipe_error *err);

/* For write_gguf: BOS and EOS. */
int bipe_pipeline_write_ids(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);

/* The stream (pipeline_stream.c). */
int bipe_pipeline_stream_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err);
int bipe_pipeline_stream_begin(void *state, bipe_error *err);
int bipe_pipeline_stream_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err);
bool bipe_pipeline_stream_owes(const void *state);
void bipe_pipeline_stream_trim(void *state);
int bipe_pipeline_stream_end(void *state, bipe_tokens *tokens, bipe_error *err);
void bipe_pipeline_stream_close(void *state);
int bipe_pipeline_stream_begin_at(void *state, uint64_t offset, bipe_error *err);

/* A whole tokenizer.json (pipeline_json.c). lists: NULL, or those that are not in its tree. */
int bipe_pipeline_json_read(bipe_tokenizer *tokenizer, const json_t *root, const struct bipe_json_lists *lists, bipe_error *err);

#endif
