/* tool_model.h - what tools do the same way with a model: kernels, its tokenizer, its positions, and rows of
 * options. */
#ifndef BIPE_CLI_TOOL_MODEL_H
#define BIPE_CLI_TOOL_MODEL_H

#include "cli/tool.h"
#include "model/scheme.h"
#include "token/tokenizer.h"

/* Chooses the kernels that compute with a model; a note says where BIPE_KERNELS names none that can be used. */
void bipe_tool_kernels(bipe_tool *tool);

/* Where a model could not be opened because it is none, a hint is added to *err: operands are easily swapped. Returns
 * `status`. */
int bipe_tool_hint_model(int status, bipe_error *err);

/* As bipe_tokenizer_suits(); fewer ids, as where the rows of the model's embedding are padded, are noted; tool NULL:
 * they are not. */
int bipe_tool_check_vocabulary(bipe_tool *tool, const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_error *err);
/* Opens a tokenizer that makes ids for a model: `spec` (-t), which is checked, or where it is NULL the one in the
 * model's file (`path`), whose added tokens may be beyond the model's vocabulary as long as no text has them.
 * otherwise: what helps when documents start with several special tokens, such as ", or --bos none", or ""; NULL: they
 * may. */
int bipe_tool_tokenizer(bipe_tool *tool, bipe_tokenizer **tokenizer, const char *spec, bool special, const char *path,
                        size_t vocabulary, const char *otherwise, bipe_error *err);
/* A note on an end token that a file states and the vocabulary does not have. */
void bipe_tool_note_ends(bipe_tool *tool, const bipe_tokenizer *tokenizer);

/* Parses what was given with --scheme and --rope-scaling; NULL: nothing. BIPE_EXIT_USAGE and a line, or
 * BIPE_EXIT_DONE. */
int bipe_tool_scheme(bipe_tool *tool, const char *scheme, bipe_scheme *parsed, const char *scaling,
                     bipe_rope_scaling *parsed_scaling);

/* --scheme, --rope-scaling and --segmenter of the first model. */
void bipe_run_in_force_model(bipe_tool *tool, const bipe_scheme *scheme, const bipe_rope_scaling *scaling,
                             const char *segmenter);

/* The choices of --precision. */
extern const char *const bipe_precision_words[];
/* Those of whole windows. */
extern const char *const bipe_window_precision_words[];

/* Of tools that continue texts: what a model is run with. */
#define BIPE_OPTION_ROWS_SCHEME(given) \
    {0, "scheme", BIPE_OPTION_TEXT, &(given)->scheme, "SCHEME", .words = bipe_scheme_words, \
     .help = "use another position scheme: terms KIND@INDEX joined by +, or a short name such as bipe-alibi or rope; " \
             "default: the model's"}, \
    {0, "rope-scaling", BIPE_OPTION_TEXT, &(given)->scaling, "S", \
     .help = "scale the frequencies of rope: none, linear:F, dynamic:F, yarn:F[:ORIGINAL] or " \
             "llama3:F:LOW:HIGH:ORIGINAL; default: the model's"}, \
    {0, "precision", BIPE_OPTION_CHOICE, &(given)->precision, "TYPE", .choices = bipe_precision_words, \
     .help = "the numbers in matrix products: f32, or weights rounded to bf16 and, where the processor has dot " \
             "products of bf16, activations, keys and values too; default: f32"}

#endif
