/* pipeline.h - the general tokenizer, as in Hugging Face's library: added tokens are cut out, the text between them is
 * normalized and split into pre-tokens, and a model encodes each pre-token.
 *
 *   bytes -> chunks -> added tokens -> normalizers -> (normalized added tokens) -> pre-tokenizers -> model -> tokens
 *
 * To add a step or a model: a file with its bipe_normalizer_type, bipe_pretokenizer_type or bipe_model_type, and a line
 * in the table of pipeline_steps.c. A type is found by the `type` that Hugging Face's tokenizer.json names it with.
 *
 * A loaded pipeline is constant and shared by threads; only streams change.
 *
 * Text need not be UTF-8: a step leaves a byte that starts no well-formed character as it is (bipe_utf8_decode()). */
#ifndef BIPE_TOKEN_PIPELINE_H
#define BIPE_TOKEN_PIPELINE_H

#include "base/buffer.h"
#include "token/added_set.h"
#include "token/decoder.h"
#include "token/json/description.h"
#include "token/kind.h"
#include "token/pair_table.h"
#include "token/pipeline/mapped.h"
#include "token/pipeline/safe_pairs.h"
#include "token/pretoken/pretoken_classes.h"
#include "token/vocabulary.h"
#include "token/words/word_cache.h"

typedef struct bipe_pipeline bipe_pipeline;

/* For bipe_tokenizer_decode(): appends `text` with what a step does undone. */
typedef int bipe_step_undo(const void *config, const uint8_t *text, size_t size, bipe_buffer *out, bipe_error *err);

/* ---- normalizers ---- */

/* Appends the normalized text of *in to *out, which is empty except for `first` and `origin`. */
typedef int (*bipe_normalize_step)(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err);

typedef struct bipe_normalizer_type {
    const char *name; /* `type` in tokenizer.json */
    /* json: the step's object. *config is NULL at first and may stay NULL; it is closed when open fails.
     * BIPE_ERR_UNSUPPORTED: an option that is not supported. */
    int (*open)(void **config, const json_t *json, bipe_error *err);
    void (*close)(void *config); /* or NULL; config may be NULL */
    bipe_normalize_step run;
    bipe_step_undo *undo; /* what it makes of a space becomes a space. NULL: nothing is done */
    /* Where a text may be cut (safe_pairs.h): sets `to` of characters that it changes, clears `keeps` and `third`.
     * NULL: nowhere. */
    void (*pairs)(const void *config, bipe_pairs *pairs);
} bipe_normalizer_type;

/* ---- pre-tokenizers ---- */

/* Either `split` or `rewrite`, unless there is `add`. */
typedef struct bipe_pretokenizer_type {
    const char *name;
    int (*open)(void **config, const json_t *json, bipe_error *err);
    void (*close)(void *config);
    /* Splits each pre-token in->range[] of the text further, each by itself. Appends to *out, in order; bytes outside
     * of all ranges are not tokenized. */
    int (*split)(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err);
    /* Changes the text of the pre-tokens; may split them too. Appends to the empty *text and *out. */
    int (*rewrite)(const void *config, const bipe_mapped *from, const bipe_ranges *in, bipe_mapped *text,
                   bipe_ranges *out, bipe_error *err);
    /* Instead of open: appends the steps that this one consists of. */
    int (*add)(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
    bipe_step_undo *undo; /* of the rewriting. NULL: the text stays */
    /* The well-known pattern (pretoken_patterns.h) whose matches, and the texts between them, are pre-tokens; or
     * NULL. */
    const char *(*known)(const void *config);
    /* Whether it splits off numbers: *each by itself, or neighbours together; *digits: those of step Digits, else
     * \p{N}. NULL: no. */
    bool (*numbers)(const void *config, bool *each, bool *digits);
    /* Where a text may be cut, for a step that splits by character class: the class of *code, which it may replace with
     * its own output; removed: an earlier step dropped white space. */
    bipe_pair_class (*class_of)(const void *config, uint32_t *code, bool removed);
    /* For any step, called after class_of: sets step_keeps and step_splits from `to`, and updates `to`. Both NULL: a
     * cut is safe only where an earlier step splits. */
    void (*pairs)(const void *config, bipe_pairs *pairs);
    bool removes; /* it drops white space */
} bipe_pretokenizer_type;

/* ---- models ---- */

typedef struct bipe_model_type {
    const char *name;
    /* Reads the "model" object of a tokenizer.json. Fills pipeline->vocabulary (the strings of all ids, holes empty,
     * each findable with bipe_vocabulary_index(); added tokens come later); pipeline->bytes is already set. *model is
     * given to close() even when it fails. */
    int (*open)(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
    void (*close)(void *model); /* model may be NULL */
    /* Called when the added tokens are known; special: those marked special are found in text. NULL: nothing to do. */
    void (*finish)(void *model, const bipe_pipeline *pipeline, bool special);
    /* Memory for encoding, zeroed at first: its size, and how to release what it owns. 0 and NULL: none. */
    size_t scratch_size;
    void (*scratch_close)(void *scratch);
    /* Appends the tokens of a pre-token (size > 0), which depend on its bytes alone. No byte is left out. */
    int (*encode)(const void *model, void *scratch, const uint8_t *text, size_t size, bipe_piece_tokens *tokens,
                  bipe_error *err);
    /* Appends the text of an id of the model (without a continuation mark; <0x41> is A). NULL: its string. */
    int (*surface)(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out, bipe_error *err);
} bipe_model_type;

extern const bipe_model_type bipe_model_bpe, bipe_model_unigram, bipe_model_wordpiece, bipe_model_wordlevel;
extern const bipe_model_type bipe_model_bert; /* WordPiece as GGUF files keep it, in no tokenizer.json */

/* Helps a model to read `"vocab": {"TEXT": ID, ...}` into pipeline->vocabulary (pipeline_steps.c). */
int bipe_pipeline_read_vocab(bipe_pipeline *pipeline, bipe_error *err);

/* ---- the whole ---- */

typedef struct bipe_normalizer_step {
    const bipe_normalizer_type *type;
    void *config;
} bipe_normalizer_step;

typedef struct bipe_pretokenizer_step {
    const bipe_pretokenizer_type *type;
    void *config;
} bipe_pretokenizer_step;

enum { BIPE_PIPELINE_STEPS = 64, BIPE_PIPELINE_DEPTH = 8, BIPE_PIPELINE_CHUNK = 32 << 10 };

struct bipe_pipeline {
    const bipe_description *description; /* while it is made of one */
    bipe_vocabulary vocabulary;  /* strings of all ids; holes are empty */
    bipe_normalizer_step normalizer[BIPE_PIPELINE_STEPS];
    size_t normalizers;
    bipe_pretokenizer_step pretokenizer[BIPE_PIPELINE_STEPS];
    size_t pretokenizers;
    bool bytes;                  /* the last step would write bytes as letters: it is left out, the model knows them as
                                    bytes */
    bool cuts_letters;           /* with bytes: a step after the letters may end a pre-token within a character */
    bool raw_strings;            /* with bytes: the vocabulary has bytes and not letters */
    const bipe_model_type *type;
    void *model;
    size_t model_size;           /* ids of the model are below this */
    size_t entries;              /* how many of those ids have a string */
    bipe_added_set raw, inside;  /* searched in the text as it is; in the normalized text */
    uint8_t *added_id;           /* [vocabulary.count] 0: of the model, 1: added, 2: added and special */
    bool prefix;                 /* texts get a space as a prefix, which decoding drops */
    _Atomic(bipe_decoder *) decoder; /* texts of ids, or NULL */
    bipe_safe_pairs *safe;       /* where documents may be cut; NULL: nowhere */
    size_t chunk;                /* minimum chunk in bytes; small in tests */
    bool quick;                  /* texts take the fast path (byte_encode.h): */
    const struct bipe_split_rule *rule; /* quick: how texts are split; NULL: by the steps */
    bipe_char_classes classes;   /* with rule */
    bool digits;                 /* with rule: a step Digits says which characters are numbers */
    struct bipe_nfc_check *nfc;  /* with quick: text is normalized before; or NULL */
};

extern const bipe_token_kind bipe_pipeline_kind;

/* An empty pipeline; NULL: out of memory. */
bipe_pipeline *bipe_pipeline_new(void);

/* Appends steps from "normalizer" and "pre_tokenizer" of a tokenizer.json, Sequences opened (pipeline_steps.c). NULL or
 * null: none. */
int bipe_pipeline_add_normalizer(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
int bipe_pipeline_add_pretokenizer(bipe_pipeline *pipeline, const json_t *json, bipe_error *err);
/* Appends a finished step, which takes config over, also on failure. */
int bipe_pipeline_push(bipe_pipeline *pipeline, const bipe_pretokenizer_type *type, void *config, bipe_error *err);
/* ByteLevel (pre_byte_level.c): its steps. patterns: in Oniguruma's syntax, one after the other, ended by NULL; or
 * NULL. */
int bipe_pipeline_add_byte_level(bipe_pipeline *pipeline, bool prefix, const char *const *patterns, bipe_error *err);
/* For a step that splits ByteLevel's letters: an equivalent step that splits the bytes and takes *config over. NULL:
 * out of memory. */
const bipe_pretokenizer_type *bipe_pretokenizer_after_letters(const bipe_pretokenizer_type *type, void **config);
/* "added_tokens", after the model. special: those marked special are found in text too. */
int bipe_pipeline_read_added(bipe_pipeline *pipeline, const json_t *added, bool special, bipe_error *err);
/* Adds an added token's string; of equal ones the first counts. normalized: it is normalized and searched in normalized
 * text. */
int bipe_pipeline_look_for(bipe_pipeline *pipeline, const void *text, size_t size, bipe_added added, bool normalized,
                           bipe_error *err);
/* Ends every reader; status: the reader's. BIPE_OK: the pipeline is complete; it prepares cuts and the fast path, and
 * becomes the tokenizer's. Otherwise, or when that fails, it is freed. */
int bipe_pipeline_finish(bipe_tokenizer *tokenizer, bipe_pipeline *pipeline, int status, bipe_error *err);

/* Applies all normalizers to *text; spare: scratch. Swaps the two. */
int bipe_pipeline_normalize(const bipe_pipeline *pipeline, bipe_mapped *text, bipe_mapped *spare, bipe_error *err);

/* For write_gguf: BOS and EOS. */
void bipe_pipeline_write_ids(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer);

/* As the members of bipe_token_kind (pipeline_encode.c). */
int bipe_pipeline_scratch_open(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err);
void bipe_pipeline_scratch_close(void *scratch);
int bipe_pipeline_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                         bipe_error *err);

/* The tokenizer of a description (pipeline_steps.c). */
int bipe_pipeline_json_read(bipe_tokenizer *tokenizer, const bipe_description *description, bipe_error *err);
/* The same with the steps of a given pipeline, and the type of its model if that is set; model and added tokens are the
 * description's. status: of adding the steps; unless it is BIPE_OK the pipeline is freed. */
int bipe_pipeline_read(bipe_tokenizer *tokenizer, bipe_pipeline *pipeline, int status,
                       const bipe_description *description, bipe_error *err);

#endif
