/* bipe_generate.h - declarations shared by the files of bipe-generate: options and run. */
#ifndef BIPE_TOOLS_GENERATE_BIPE_GENERATE_H
#define BIPE_TOOLS_GENERATE_BIPE_GENERATE_H

#include "cli/tool.h"
#include "cli/tool_inputs.h"
#include "cli/tool_model.h"
#include "task/continuations.h"

typedef struct bipe_generate_options {
    bipe_inputs inputs;
    const char *prompt, *segmenter, *tokenizer, *scheme, *scaling, *output;
    uint64_t most, samples, seed, top_k, last;
    double temperature, top_p, min_p, penalty;
    bipe_texts stops;
    int precision, format; /* indices of choices */
    bool echo, null, special, verbose;
} bipe_generate_options;

enum { BIPE_GENERATE_TEXT, BIPE_GENERATE_JSONL };

typedef struct bipe_generate_run {
    bipe_tool tool;
    bipe_generate_options given;
    bipe_model *model;
    bipe_tokenizer *tokenizer;
    bipe_pool *pool;
    bipe_scheme scheme;           /* of --scheme and --rope-scaling; `all` refers to them */
    bipe_rope_scaling scaling;
    bipe_continuations *all;
    bipe_growing_text *prompt;
    const char *segmenter;
    bipe_output *output;
    size_t written;               /* texts */
    uint64_t prompt_tokens, tokens; /* of prompts; chosen after the first one of each text */
    double prompt_seconds, seconds;
    bool noted;                   /* that texts may go beyond a table */
    uint64_t blank_prompts;       /* that end in a blank which belongs to the next word */
} bipe_generate_run;

/* Opens model, tokenizer and output for a MODEL operand, and continues all prompts. Returns the exit status. */
int bipe_generate(bipe_generate_run *run, const char *operand, bipe_files files);
void bipe_generate_close(bipe_generate_run *run);

/* Whether a text ends in a blank that the tokenizer would have put into one token with the word after it
 * (generate_blank.c). */
int bipe_generate_splits_word(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bool *splits,
                              bipe_error *err);

#endif
