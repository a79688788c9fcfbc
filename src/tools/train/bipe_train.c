/* bipe_train.c - the tool bipe-train: its option table, and what options ask for together. The work is done by the
 * files beside this one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "cli/interrupt.h"
#include "tools/train/bipe_train.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const bipe_train_pack_names[] = {"stream", "line", NULL};
const char *const bipe_train_order_names[] = {"shuffled", "sequential", NULL};

const char *const bipe_train_optimizer_names[] = {"adamw", "muon", NULL};

static const char description[] = "Trains a language model with any position scheme on the texts of FILEs, from "
                                  "scratch or starting from another model (--init), and "
                                  "writes it with its tokenizer as one file. The texts are joined, each after the "
                                  "tokenizer's BOS, and cut into rows of -L "
                                  "tokens; each step learns from a batch of rows. A checkpoint is written regularly; a "
                                  "run that is started again continues from it and "
                                  "ends with the same bits.";

enum { FEWEST_PIECES = 260, MOST_PIECES = 1 << 20 };

/* Reads "N" or "word:N". */
static int choose_tokenizer(bipe_train_run *run, bipe_error *err)
{
    bipe_train_options *given = &run->given;
    bool words = strncmp(given->make_tokenizer, "word:", 5) == 0;
    given->makes = words ? BIPE_MAKES_WORDS : BIPE_MAKES_PIECES;
    return bipe_parse_size(given->make_tokenizer + (words ? 5 : 0), words ? 1 : FEWEST_PIECES, MOST_PIECES,
                           &given->makes_count, err);
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
    if (given->task != NULL)
        run->given.pack = BIPE_PACK_LINE; /* a record is a row */
    if (bipe_tool_scheme(tool, given->scheme, &scheme, given->scaling, &scaling) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (bipe_schedule_parse(&schedule, given->schedule, &err) != BIPE_OK)
        return bipe_tool_usage(tool, "option '--schedule': %s", err.text);
    if ((float)given->epsilon == 0)
        return bipe_tool_usage(tool, "option '--epsilon': found %g, expected more: it keeps AdamW from dividing by 0",
                               given->epsilon);
    if (given->min_rate > given->rate)
        return bipe_tool_usage(tool, "option '--min-lr': %g is more than the learning rate %g", given->min_rate,
                               given->rate);
    /* The code points of Unicode would be a vocabulary of a million. */
    if (given->tokenizer != NULL && strcmp(given->tokenizer, "char") == 0 && given->make_tokenizer == NULL &&
        given->init == NULL && given->inputs.ids < 0) {
        run->given.makes = BIPE_MAKES_CHARACTERS;
        run->given.tokenizer = NULL;
    }
    if (given->rate == 0 && given->muon_rate > 0)
        return bipe_tool_usage(tool, "option '--muon-lr': it rises and falls with --lr, which is 0");
    if (given->muon_rate < 0)
        run->given.muon_rate = given->rate;
    if (given->longce != NULL)
        bipe_parse_number(given->longce, &run->given.most_weight);
    if (given->brief.step == 0)
        run->given.brief.step = given->brief.context < 4 ? 1 : given->brief.context / 4;
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
        return bipe_tool_usage(
            &run->tool,
            "%lu processes were started (%s), but they do not share their work and would write the same files: "
            "configure bipe with '--with-mpi', for the MPI that starts them",
            started, variable);
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

#define A_FILE "a file: nothing is written to standard output"

static int check_most(const char *value, bipe_error *err)
{
    double most;
    return bipe_parse_number(value, &most) && most > 0
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number above 0", value);
}

static bipe_train_run this_run = {.ranks = {.count = 1}, .validated = (double)NAN, .best = (double)INFINITY};

static const bipe_option table[] = {
    {'o', "output", BIPE_OPTION_TEXT, &this_run.given.output, "MODEL", .group = "Output",
     .must = "output: it names the file of the model", .excludes = "output=-: " A_FILE,
     .help = "write the trained model to MODEL, which appears complete or not at all; must be given"},
    BIPE_OPTION_ROW_SEGMENTER(&this_run.given.segmenter, "Data", "stop, or that of --init"),
    BIPE_OPTION_ROW_TOKENIZER(
        &this_run.given.tokenizer,
        "that of --init; char makes one from the texts: their characters, and bytes for all others"),
    {0, "make-tokenizer", BIPE_OPTION_TEXT, &this_run.given.make_tokenizer, "N",
     .must = "tokenizer make-tokenizer init: '-t char' and '--make-tokenizer N' make a tokenizer from the texts",
     .excludes = "tokenizer=-: a tokenizer is written to a file; ids: ids belong to a tokenizer already",
     .help = "first make a tokenizer of N pieces from the texts (byte-pair encoding, as in SentencePiece), or of "
             "their N most frequent words (word:N: words are what stands between white space, newlines are tokens, "
             "the rest is unknown), and write it to the file of --tokenizer, or beside MODEL with .tokenizer.model "
             "or .tokenizer.json in place of .bin; if that file exists, it is used as it is, whatever its size"},
    {'L', "length", BIPE_OPTION_SIZE, &this_run.given.length, "N", .minimum = 2, .maximum = BIPE_TRAIN_LONGEST,
     .help = "tokens per row; default: 512, or the training length of --init"},
    {0, "pack", BIPE_OPTION_CHOICE, &this_run.given.pack, "HOW", .choices = bipe_train_pack_names, .excludes = "ids",
     .help = "how rows are made: all texts joined and cut (stream), or each line of text, or record of JSON Lines, "
             "a row of its own of at most -L tokens (line); default: stream"},
    {0, "task", BIPE_OPTION_TEXT, &this_run.given.task, "FILE", .about = BIPE_ABOUT_FILE, .names = BIPE_NAMES_TASKS,
     .excludes = "loss-after make-tokenizer field ids: the task says what is learned of each record",
     .help = "FILEs are records of this task of bipe-eval, a task file or the name of an installed one: each is a "
             "row, a prompt and its right answer, of which the answer is learned"},
    {0, "loss-after", BIPE_OPTION_TEXT, &this_run.given.loss_after, "REGEX", .needs = "pack=line: it looks at lines",
     .help = "with --pack line, learn only what follows the first match of this PCRE2 pattern in each line"},
    {0, "longce", BIPE_OPTION_TEXT, &this_run.given.longce, "MOST", .alone = "5", .check = check_most,
     .excludes = "dropout: both losses are those of the same network",
     .help = "weigh the loss of each token by how much better the model predicts it with the whole row before it than "
             "with a short context: the probability with the one divided by that with the other, MOST at most (5 "
             "without a value)"},
    {0, "short-context", BIPE_OPTION_SIZE, &this_run.given.brief.context, "N", .minimum = 1,
     .maximum = BIPE_TRAIN_LONGEST, .needs = "longce",
     .help = "tokens of the short context of --longce; default: 4096"},
    {0, "short-step", BIPE_OPTION_SIZE, &this_run.given.brief.step, "N", .minimum = 1, .maximum = BIPE_TRAIN_LONGEST,
     .needs = "longce",
     .help = "begin the short context of --longce anew every N tokens, so that it has up to N tokens more; default: a "
             "quarter of --short-context"},
    {0, "order", BIPE_OPTION_CHOICE, &this_run.given.order, "HOW", .choices = bipe_train_order_names,
     .help = "take rows in a new random order in each epoch (shuffled) or in the order of the texts (sequential); "
             "default: shuffled"},
    {0, "validate", BIPE_OPTION_TEXTS, &this_run.given.validate, "FILE", .about = BIPE_ABOUT_FILE,
     .help = "score this text at each checkpoint, in windows of 1, 2, 4 and 8 times -L tokens or, with --pack "
             "line, line by line; may be repeated"},
    BIPE_OPTION_ROWS_INPUT(&this_run.given.inputs, NULL),
    {0, "scheme", BIPE_OPTION_TEXT, &this_run.given.scheme, "SCHEME", .words = bipe_scheme_words, .group = "Model",
     .help = "the position scheme: terms KIND@INDEX joined by +, or a short name such as bipe-alibi or rope; "
             "default: bipe-alibi, or that of --init"},
    {0, "layers", BIPE_OPTION_SIZE, &this_run.given.layers, "N", .minimum = 1, .maximum = 1 << 12,
     .help = "number of layers; default: 4"},
    {0, "hidden", BIPE_OPTION_SIZE, &this_run.given.hidden, "N", .minimum = 1, .maximum = 1 << 16,
     .help = "size of a hidden state; default: 192"},
    {0, "heads", BIPE_OPTION_SIZE, &this_run.given.heads, "N", .minimum = 1, .maximum = 1 << 12,
     .help = "attention heads; default: as many as make their size nearest to 64"},
    {0, "kv-heads", BIPE_OPTION_SIZE, &this_run.given.kv_heads, "N", .minimum = 1, .maximum = 1 << 12,
     .help = "key-value heads, whose number divides that of attention heads; default: as many as attention heads"},
    {0, "feed-forward", BIPE_OPTION_SIZE, &this_run.given.feed_forward, "N", .minimum = 1, .maximum = 1 << 18,
     .help = "size of a feed-forward layer; default: 4 times hidden"},
    {0, "tied", BIPE_OPTION_FLAG, &this_run.given.tied,
     .help = "also use the token embedding as the output projection"},
    {0, "init", BIPE_OPTION_TEXT, &this_run.given.init, "MODEL", .names = BIPE_NAMES_MODELS,
     .excludes = "make-tokenizer layers hidden heads kv-heads feed-forward tied: the model has its sizes and "
                 "vocabulary",
     .help = "start from the weights of MODEL (a file, a folder or the name of an installed one); -L is then its "
             "new training length"},
    {0, "rope-scaling", BIPE_OPTION_TEXT, &this_run.given.scaling, "S",
     .help = "scale the frequencies of rope, as when training continues at a greater length: none, linear:F, "
             "dynamic:F, yarn:F[:ORIGINAL] or llama3:F:LOW:HIGH:ORIGINAL"},
    {0, "steps", BIPE_OPTION_SIZE, &this_run.given.steps, "N", .maximum = BIPE_TRAIN_STEPS, .group = "Optimizer",
     .excludes = "epochs: both say how long to train",
     .help = "how many steps to train; 0 writes the initial model; default: --epochs 1"},
    {0, "epochs", BIPE_OPTION_NUMBER, &this_run.given.epochs, "X", .positive = true,
     .help = "passes over all rows, not necessarily a whole number; rounded up to whole steps"},
    {0, "batch", BIPE_OPTION_SIZE, &this_run.given.batch, "TOKENS", .minimum = 1, .maximum = (uint64_t)1 << 32,
     .help = "tokens per step, a multiple of -L; default: 16 rows"},
    {0, "optimizer", BIPE_OPTION_CHOICE, &this_run.given.optimizer, "NAME", .choices = bipe_train_optimizer_names,
     .help = "what updates weights: adamw, or muon for the matrices of attention and feed-forward layers and adamw for "
             "all else; default: adamw"},
    {0, "lr", BIPE_OPTION_NUMBER, &this_run.given.rate, "X", .help = "the highest learning rate; default: 1e-3"},
    {0, "muon-lr", BIPE_OPTION_NUMBER, &this_run.given.muon_rate, "X",
     .needs = "optimizer=muon: no matrix has a learning rate of its own without it",
     .help = "the highest learning rate of muon's matrices, which rises and falls with --lr; default: that of --lr"},
    {0, "momentum", BIPE_OPTION_NUMBER, &this_run.given.momentum, "X", .maximum = 1,
     .needs = "optimizer=muon: adamw has --beta1", .help = "decay rate of muon's mean of gradients; default: 0.95"},
    {0, "schedule", BIPE_OPTION_TEXT, &this_run.given.schedule, "NAME",
     .help = "how the rate changes after the warm-up: constant, linear, cosine or polynomial[:P] (P is 2 unless "
             "given); only a run with constant can be made longer; default: cosine"},
    {0, "warmup", BIPE_OPTION_SIZE, &this_run.given.warmup, "N",
     .help = "steps in which the rate rises to the highest, at most the number of all steps unless the schedule is "
             "constant; default: a twentieth of them"},
    {0, "min-lr", BIPE_OPTION_NUMBER, &this_run.given.min_rate, "X",
     .excludes = "schedule=constant: the rate is then the same in all steps",
     .help = "the rate of the last step; default: a tenth of --lr"},
    {0, "weight-decay", BIPE_OPTION_NUMBER, &this_run.given.weight_decay, "X",
     .help = "decoupled weight decay of matrices, not of norms and tables of positions; default: 0.01"},
    {0, "beta1", BIPE_OPTION_NUMBER, &this_run.given.beta1, "X", .maximum = 1,
     .help = "decay rate of AdamW's mean of gradients; default: 0.9"},
    {0, "beta2", BIPE_OPTION_NUMBER, &this_run.given.beta2, "X", .maximum = 1,
     .help = "decay rate of AdamW's mean of squared gradients; default: 0.95"},
    {0, "epsilon", BIPE_OPTION_NUMBER, &this_run.given.epsilon, "X",
     .help = "added to the root of the mean of squares; default: 1e-8"},
    {0, "clip", BIPE_OPTION_NUMBER, &this_run.given.clip, "X",
     .help = "scale down gradients with a greater norm; 0: never; default: 1"},
    {0, "dropout", BIPE_OPTION_NUMBER, &this_run.given.dropout, "X", .maximum = 1,
     .help = "the fraction of embeddings, and of what each layer adds to the residual stream, that is dropped; "
             "default: 0"},
    {0, "seed", BIPE_OPTION_SIZE, &this_run.given.seed, "N",
     .help = "the seed of the initial weights, the order of rows, dropout and randomized-rope; default: 1"},
    {0, "precision", BIPE_OPTION_CHOICE, &this_run.given.precision, "TYPE", .choices = bipe_precision_words,
     .help = "the numbers in matrix products with weights; attention, the weights that are trained, and sums are "
             "f32; default: f32"},
    {0, "recompute", BIPE_OPTION_FLAG, &this_run.given.recompute,
     .help = "compute activations twice instead of keeping them: less memory, a third more time"},
    {0, "checkpoint", BIPE_OPTION_TEXT, &this_run.given.checkpoint, "FILE", .group = "Keeping",
     .excludes = "checkpoint=-: " A_FILE,
     .help = "keep the state of the run in FILE; if it exists, the run continues from it; default: MODEL with "
             ".checkpoint in place of .bin"},
    {0, "every", BIPE_OPTION_SIZE, &this_run.given.every, "N", .minimum = 1,
     .help = "steps between checkpoints and between validations; default: 250"},
    {0, "keep", BIPE_OPTION_SIZE, &this_run.given.keep, "N", .minimum = 1,
     .help = "also keep the last N checkpoints as files with .step-NUMBER in their names"},
    {0, "keep-best", BIPE_OPTION_FLAG, &this_run.given.keep_best, .needs = "validate: its texts decide which is best",
     .help = "also keep the checkpoint with the least validation loss at length -L, the mean of all validation "
             "texts, with .best in its name"},
    {0, "log", BIPE_OPTION_TEXT, &this_run.given.log, "FILE", .excludes = "log=-: " A_FILE,
     .help = "write loss, learning rate and norm of the gradient of each step to FILE, and validations, as JSON "
             "Lines, after a line with what decides the run"},
    {0, "sample", BIPE_OPTION_TEXT, &this_run.given.sample, "PROMPT", .excludes = "sample=: text to continue",
     .help = "print what the model most probably continues PROMPT with, 48 tokens, on standard error and in the "
             "log; does not change the run"},
    {0, "sample-every", BIPE_OPTION_SIZE, &this_run.given.sample_every, "N", .minimum = 1,
     .needs = "sample: the text to continue", .help = "steps between samples; default: as --every"},
    BIPE_OPTION_ROWS_RUNNING(&this_run.tool, ""),
};

static const bipe_options options = {
    .tool = "bipe-train",
    .summary = "train a language model with any position scheme",
    .usage = "[OPTION...] -o MODEL [FILE...]",
    .description = description,
    .option = table,
    .option_count = COUNT(table),
    .operand_help = BIPE_OPERAND_HELP,
};

int main(int argc, char **argv)
{
    bipe_train_options *given = &this_run.given;
    *given = (bipe_train_options){.rate = 1e-3, .epochs = -1, .weight_decay = 0.01, .beta1 = 0.9, .beta2 = 0.95,
                                  .epsilon = 1e-8, .clip = 1, .seed = 1, .schedule = "cosine", .every = 250,
                                  .inputs = BIPE_INPUTS_NONE, .steps = UINT64_MAX, .warmup = UINT64_MAX,
                                  .min_rate = -1, .muon_rate = -1, .momentum = 0.95,
                                  .brief.context = BIPE_KEY_CONTEXT};
    bipe_tool_start(&this_run.tool, "bipe-train");
    this_run.tool.recorded = true; /* by the model and the log */
    int status = bipe_tool_run(&this_run.tool, &options, argc, argv, run_train, &this_run);
    bipe_train_close(&this_run);
    bipe_inputs_free(&given->inputs);
    bipe_ranks_end(&this_run.ranks, status != BIPE_EXIT_DONE);
    return status;
}
