/* bipe_train.c - the tool bipe-train: its option table, and what options ask for together. The work is done by the files
 * beside this one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "cli/interrupt.h"
#include "tools/train/bipe_train.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const bipe_train_pack_names[] = {"stream", "line", NULL};
const char *const bipe_train_order_names[] = {"shuffled", "sequential", NULL};

static const char description[] =
    "Trains a language model with any position scheme on the texts of FILEs, from scratch or starting from another model (--init), and "
    "writes it with its tokenizer as one file. The texts are joined, each after the tokenizer's BOS, and cut into rows of -L "
    "tokens; each step learns from a batch of rows. A checkpoint is written regularly; a run that is started again continues from it and "
    "ends with the same bits.";

static bool is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

enum { FEWEST_PIECES = 260, MOST_PIECES = 1 << 20 };

/* Reads "N" or "word:N". */
static int choose_tokenizer(bipe_train_run *run, bipe_error *err)
{
    bipe_train_options *given = &run->given;
    bool words = strncmp(given->make_tokenizer, "word:", 5) == 0;
    given->makes = words ? BIPE_MAKES_WORDS : BIPE_MAKES_PIECES;
    return bipe_parse_size(given->make_tokenizer + (words ? 5 : 0), words ? 1 : FEWEST_PIECES, MOST_PIECES, &given->makes_count, err);
}

/* Options that make no sense together: BIPE_EXIT_USAGE and a line, or BIPE_EXIT_DONE. */
static int check_train_options(bipe_train_run *run)
{
    bipe_tool *tool = &run->tool;
    const bipe_train_options *given = &run->given;
    bipe_error err = {0};
    bipe_scheme scheme;
    bipe_rope_scaling scaling;
    bipe_schedule schedule;
    if (given->make_tokenizer != NULL && choose_tokenizer(run, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "option '--make-tokenizer': %s", err.text);
    if (given->output == NULL)
        return bipe_tool_usage(tool, "no place for the model: give a file name with '--output'");
    if (given->sample != NULL && given->sample[0] == '\0')
        return bipe_tool_usage(tool, "option '--sample': the prompt is empty, expected text to continue");
    if (given->sample == NULL && given->sample_every != 0)
        return bipe_tool_usage(tool, "option '--sample-every' needs '--sample', the text to continue");
    if (is_standard(given->output) || is_standard(given->checkpoint) || is_standard(given->log) ||
        (given->make_tokenizer != NULL && is_standard(given->tokenizer)))
        return bipe_tool_usage(tool, "model, checkpoint and log are written to files, not to standard output");
    if (given->tokenizer == NULL && given->init == NULL && given->make_tokenizer == NULL)
        return bipe_tool_usage(tool, "no tokenizer: name one with '--tokenizer', or make one from the texts with '--make-tokenizer N' or '-t char'");
    if (given->init != NULL && (given->make_tokenizer != NULL || given->layers != 0 || given->hidden != 0 || given->heads != 0 ||
                                given->kv_heads != 0 || given->feed_forward != 0 || given->tied))
        return bipe_tool_usage(tool, "option '--init' sets sizes and vocabulary: --make-tokenizer, --layers, --hidden, --heads, "
                                     "--kv-heads, --feed-forward and --tied cannot be combined with it");
    if (given->keep_best && given->validate.count == 0)
        return bipe_tool_usage(tool, "option '--keep-best' needs '--validate', the text that decides which is best");
    if (given->task != NULL && (given->loss_after != NULL || given->make_tokenizer != NULL || given->inputs.field != NULL || given->inputs.ids >= 0))
        return bipe_tool_usage(tool, "option '--task' says what is learned of each record: --loss-after, --field, --ids and --make-tokenizer do "
                                     "not go with it");
    if (given->task != NULL)
        run->given.pack = BIPE_PACK_LINE; /* a record is a row */
    if (given->loss_after != NULL && given->pack != BIPE_PACK_LINE)
        return bipe_tool_usage(tool, "option '--loss-after' looks at lines: it needs '--pack line'");
    if (given->epochs == 0)
        return bipe_tool_usage(tool, "option '--epochs': found 0, expected more (--steps 0 writes the initial model)");
    if (given->has_steps && given->epochs > 0)
        return bipe_tool_usage(tool, "options '--steps' and '--epochs' both say how long to train: give one of them");
    if (bipe_inputs_check(tool, &given->inputs) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (given->inputs.ids >= 0 && given->pack == BIPE_PACK_LINE)
        return bipe_tool_usage(tool, "option '--ids' cannot be combined with '--pack line'");
    if (given->inputs.ids >= 0 && given->make_tokenizer != NULL)
        return bipe_tool_usage(tool, "options '--ids' and '--make-tokenizer' cannot be combined: ids belong to a tokenizer already");
    if (bipe_tool_scheme(tool, given->scheme, &scheme, given->scaling, &scaling) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (bipe_schedule_parse(&schedule, given->schedule, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "option '--schedule': %s", err.text);
    if (given->min_rate >= 0 && schedule.kind == BIPE_SCHEDULE_CONSTANT)
        return bipe_tool_usage(tool, "option '--min-lr' is the rate of the last step, which is --lr with '--schedule constant'");
    if ((float)given->epsilon == 0)
        return bipe_tool_usage(tool, "option '--epsilon': found %g, expected more: it keeps AdamW from dividing by 0", given->epsilon);
    if (given->min_rate > given->rate)
        return bipe_tool_usage(tool, "option '--min-lr': %g is more than the learning rate %g", given->min_rate, given->rate);
    /* The code points of Unicode would be a vocabulary of a million. */
    if (given->tokenizer != NULL && strcmp(given->tokenizer, "char") == 0 && given->make_tokenizer == NULL && given->init == NULL &&
        given->inputs.ids < 0) {
        run->given.makes = BIPE_MAKES_CHARACTERS;
        run->given.tokenizer = NULL;
    }
    if (given->min_rate < 0)
        run->given.min_rate = schedule.kind == BIPE_SCHEDULE_CONSTANT ? given->rate : given->rate / 10;
    return BIPE_EXIT_DONE;
}

static int run_train(void *context, const bipe_texts *operands)
{
    bipe_train_run *run = context;
    run->given.has_steps = run->given.steps != UINT64_MAX;
    run->given.has_warmup = run->given.warmup != UINT64_MAX;
    int status = check_train_options(run);
    if (status != BIPE_EXIT_DONE)
        return status;
    bipe_error err = {0};
    run->ranks = bipe_ranks_start();
    unsigned long started;
    const char *variable = bipe_ranks_launched_alone(&run->ranks, &started);
    if (variable != NULL)
        return bipe_tool_usage(&run->tool, "%lu processes were started (%s), but they do not share their work and would write the same files: "
                               "configure bipe with '--with-mpi', for the MPI that starts them", started, variable);
    if (run->ranks.rank != 0)
        run->tool.quiet = true;
    bipe_files files;
    status = bipe_inputs_files(&run->given.inputs, &run->tool, operands, 0, &files, &err);
    if (status == BIPE_OK)
        status = bipe_train_open(run, files, &err);
    if (status == BIPE_OK)
        return bipe_train_steps(run);
    bipe_tool_finish(&run->tool, NULL); /* errors of records that were only counted */
    bipe_tool_open_error(&run->tool, &err);
    return bipe_interrupted() != 0 ? 128 + bipe_interrupted() : run->tool.status;
}

int main(int argc, char **argv)
{
    bipe_train_run run = {.ranks = {.count = 1}, .validated = NAN, .best = INFINITY};
    bipe_train_options *given = &run.given;
    *given = (bipe_train_options){.rate = 1e-3, .epochs = -1, .weight_decay = 0.01, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8,
                                  .clip = 1, .seed = 1, .schedule = "cosine", .every = 250, .inputs = BIPE_INPUTS_NONE, .steps = UINT64_MAX,
                                  .warmup = UINT64_MAX, .min_rate = -1};
    bipe_tool_start(&run.tool, "bipe-train");
    run.tool.recorded = true; /* by the model and the log */
    const bipe_option table[] = {
        {.letter = 'o', .name = "output", .kind = BIPE_OPTION_TEXT, .target = &given->output, .value_name = "MODEL", .group = "Output",
         .help = "write the trained model to MODEL, which appears complete or not at all; must be given"},
        BIPE_OPTION_ROW_SEGMENTER(&given->segmenter, "Data", "stop, or that of --init"),
        BIPE_OPTION_ROW_TOKENIZER(&given->tokenizer, "that of --init; char makes one from the texts: their characters, and bytes for all others"),
        {.name = "make-tokenizer", .kind = BIPE_OPTION_TEXT, .target = &given->make_tokenizer, .value_name = "N",
         .help = "first make a tokenizer of N pieces from the texts (byte-pair encoding, as in SentencePiece), or of their N most frequent words "
                 "(word:N: words are what stands between white space, newlines are tokens, the rest is unknown), and write it to the file of "
                 "--tokenizer, or beside MODEL with .tokenizer.model or .tokenizer.json in place of .bin; if that file exists, it is used "
                 "as it is, whatever its size"},
        {.letter = 'L', .name = "length", .kind = BIPE_OPTION_SIZE, .target = &given->length, .value_name = "N", .minimum = 2,
         .maximum = BIPE_TRAIN_LONGEST, .help = "tokens per row; default: 512, or the training length of --init"},
        {.name = "pack", .kind = BIPE_OPTION_CHOICE, .target = &given->pack, .value_name = "HOW", .choices = bipe_train_pack_names,
         .help = "how rows are made: all texts joined and cut (stream), or each line of text, or record of JSON Lines, a row of its "
                 "own of at most -L tokens (line); default: stream"},
        {.name = "task", .kind = BIPE_OPTION_TEXT, .target = &given->task, .about = BIPE_ABOUT_FILE, .value_name = "FILE", .names = BIPE_NAMES_TASKS,
         .help = "FILEs are records of this task of bipe-eval, a task file or the name of an installed one: each is a row, a prompt and its right answer, "
                 "of which the answer is learned"},
        {.name = "loss-after", .kind = BIPE_OPTION_TEXT, .target = &given->loss_after, .value_name = "REGEX",
         .help = "with --pack line, learn only what follows the first match of this PCRE2 pattern in each line"},
        {.name = "order", .kind = BIPE_OPTION_CHOICE, .target = &given->order, .value_name = "HOW", .choices = bipe_train_order_names,
         .help = "take rows in a new random order in each epoch (shuffled) or in the order of the texts (sequential); default: shuffled"},
        {.name = "validate", .kind = BIPE_OPTION_TEXTS, .target = &given->validate, .about = BIPE_ABOUT_FILE, .value_name = "FILE",
         .help = "score this text at each checkpoint, in windows of 1, 2, 4 and 8 times -L tokens or, with --pack line, line by line; may be repeated"},
        BIPE_OPTION_ROWS_INPUT(&given->inputs),
        {.name = "scheme", .kind = BIPE_OPTION_TEXT, .target = &given->scheme, .value_name = "SCHEME", .words = bipe_scheme_words, .group = "Model",
         .help = "the position scheme: terms KIND@INDEX joined by +, or a short name such as bipe-alibi or rope; default: bipe-alibi, "
                 "or that of --init"},
        {.name = "layers", .kind = BIPE_OPTION_SIZE, .target = &given->layers, .value_name = "N", .minimum = 1, .maximum = 1 << 12,
         .help = "number of layers; default: 4"},
        {.name = "hidden", .kind = BIPE_OPTION_SIZE, .target = &given->hidden, .value_name = "N", .minimum = 1, .maximum = 1 << 16,
         .help = "size of a hidden state; default: 192"},
        {.name = "heads", .kind = BIPE_OPTION_SIZE, .target = &given->heads, .value_name = "N", .minimum = 1, .maximum = 1 << 12,
         .help = "attention heads; default: as many as make their size nearest to 64"},
        {.name = "kv-heads", .kind = BIPE_OPTION_SIZE, .target = &given->kv_heads, .value_name = "N", .minimum = 1, .maximum = 1 << 12,
         .help = "key-value heads, whose number divides that of attention heads; default: as many as attention heads"},
        {.name = "feed-forward", .kind = BIPE_OPTION_SIZE, .target = &given->feed_forward, .value_name = "N", .minimum = 1,
         .maximum = 1 << 18, .help = "size of a feed-forward layer; default: 4 times hidden"},
        {.name = "tied", .kind = BIPE_OPTION_FLAG, .target = &given->tied, .help = "also use the token embedding as the output projection"},
        {.name = "init", .kind = BIPE_OPTION_TEXT, .target = &given->init, .value_name = "MODEL", .names = BIPE_NAMES_MODELS,
         .help = "start from the weights of MODEL (a file, a folder or the name of an installed one); -L is then its new training length"},
        {.name = "rope-scaling", .kind = BIPE_OPTION_TEXT, .target = &given->scaling, .value_name = "S",
         .help = "scale the frequencies of rope, as when training continues at a greater length: none, linear:F, dynamic:F, yarn:F[:ORIGINAL] or llama3:F:LOW:HIGH:ORIGINAL"},
        {.name = "steps", .kind = BIPE_OPTION_SIZE, .target = &given->steps, .value_name = "N", .maximum = BIPE_TRAIN_STEPS, .group = "Optimizer",
         .help = "how many steps to train; 0 writes the initial model; default: --epochs 1"},
        {.name = "epochs", .kind = BIPE_OPTION_NUMBER, .target = &given->epochs, .value_name = "X",
         .help = "passes over all rows, not necessarily a whole number; rounded up to whole steps"},
        {.name = "batch", .kind = BIPE_OPTION_SIZE, .target = &given->batch, .value_name = "TOKENS", .minimum = 1, .maximum = (uint64_t)1 << 32,
         .help = "tokens per step, a multiple of -L; default: 16 rows"},
        {.name = "lr", .kind = BIPE_OPTION_NUMBER, .target = &given->rate, .value_name = "X", .help = "the highest learning rate; default: 1e-3"},
        {.name = "schedule", .kind = BIPE_OPTION_TEXT, .target = &given->schedule, .value_name = "NAME",
         .help = "how the rate changes after the warm-up: constant, linear, cosine or polynomial[:P] (P is 2 unless given); only a run with constant can be made longer; default: cosine"},
        {.name = "warmup", .kind = BIPE_OPTION_SIZE, .target = &given->warmup, .value_name = "N",
         .help = "steps in which the rate rises to the highest, at most the number of all steps unless the schedule is constant; default: a twentieth of them"},
        {.name = "min-lr", .kind = BIPE_OPTION_NUMBER, .target = &given->min_rate, .value_name = "X",
         .help = "the rate of the last step; default: a tenth of --lr"},
        {.name = "weight-decay", .kind = BIPE_OPTION_NUMBER, .target = &given->weight_decay, .value_name = "X",
         .help = "decoupled weight decay of matrices, not of norms and tables of positions; default: 0.01"},
        {.name = "beta1", .kind = BIPE_OPTION_NUMBER, .target = &given->beta1, .value_name = "X", .maximum = 1,
         .help = "decay rate of AdamW's mean of gradients; default: 0.9"},
        {.name = "beta2", .kind = BIPE_OPTION_NUMBER, .target = &given->beta2, .value_name = "X", .maximum = 1,
         .help = "decay rate of AdamW's mean of squared gradients; default: 0.95"},
        {.name = "epsilon", .kind = BIPE_OPTION_NUMBER, .target = &given->epsilon, .value_name = "X",
         .help = "added to the root of the mean of squares; default: 1e-8"},
        {.name = "clip", .kind = BIPE_OPTION_NUMBER, .target = &given->clip, .value_name = "X",
         .help = "scale down gradients with a greater norm; 0: never; default: 1"},
        {.name = "dropout", .kind = BIPE_OPTION_NUMBER, .target = &given->dropout, .value_name = "X", .maximum = 1,
         .help = "the fraction of embeddings, and of what each layer adds to the residual stream, that is dropped; default: 0"},
        {.name = "seed", .kind = BIPE_OPTION_SIZE, .target = &given->seed, .value_name = "N",
         .help = "the seed of the initial weights, the order of rows, dropout and randomized-rope; default: 1"},
        {.name = "precision", .kind = BIPE_OPTION_CHOICE, .target = &given->precision, .value_name = "TYPE", .choices = bipe_precision_words,
         .help = "the numbers in matrix products with weights; attention, the weights that are trained, and sums are f32; default: f32"},
        {.name = "recompute", .kind = BIPE_OPTION_FLAG, .target = &given->recompute,
         .help = "compute activations twice instead of keeping them: less memory, a third more time"},
        {.name = "checkpoint", .kind = BIPE_OPTION_TEXT, .target = &given->checkpoint, .value_name = "FILE", .group = "Keeping",
         .help = "keep the state of the run in FILE; if it exists, the run continues from it; default: MODEL with .checkpoint in place of .bin"},
        {.name = "every", .kind = BIPE_OPTION_SIZE, .target = &given->every, .value_name = "N", .minimum = 1,
         .help = "steps between checkpoints and between validations; default: 250"},
        {.name = "keep", .kind = BIPE_OPTION_SIZE, .target = &given->keep, .value_name = "N", .minimum = 1,
         .help = "also keep the last N checkpoints as files with .step-NUMBER in their names"},
        {.name = "keep-best", .kind = BIPE_OPTION_FLAG, .target = &given->keep_best,
         .help = "also keep the checkpoint with the least validation loss at length -L, the mean of all validation texts, with .best in its name"},
        {.name = "log", .kind = BIPE_OPTION_TEXT, .target = &given->log, .value_name = "FILE",
         .help = "write loss, learning rate and norm of the gradient of each step to FILE, and validations, as JSON Lines, after a line with what decides the run"},
        {.name = "sample", .kind = BIPE_OPTION_TEXT, .target = &given->sample, .value_name = "PROMPT",
         .help = "print what the model most probably continues PROMPT with, 48 tokens, on standard error and in the log; does not change the run"},
        {.name = "sample-every", .kind = BIPE_OPTION_SIZE, .target = &given->sample_every, .value_name = "N", .minimum = 1,
         .help = "steps between samples; default: as --every"},
        BIPE_OPTION_ROWS_RUNNING(&run.tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-train",
        .summary = "train a language model with any position scheme",
        .usage = "[OPTION...] -o MODEL [FILE...]",
        .description = description,
        .option = table,
        .option_count = COUNT(table),
        .max_operands = SIZE_MAX,
        .operand_help = BIPE_OPERAND_HELP,
    };
    int status = bipe_tool_run(&run.tool, &options, argc, argv, run_train, &run);
    bipe_train_close(&run);
    bipe_inputs_free(&given->inputs);
    bipe_ranks_end(&run.ranks, status != BIPE_EXIT_DONE);
    return status;
}
