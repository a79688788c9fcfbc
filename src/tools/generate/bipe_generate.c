/* bipe_generate.c - continues texts: the option table and what options ask for together. The work is done in
 * generate_run.c. */
#include "tools/generate/bipe_generate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char description[] =
    "Continues the text of each FILE with a language model, and prints what it adds as it comes. MODEL is a file or "
    "folder with a model, or the "
    "name of an installed one, such as default. Without --temperature each token is the most probable one.";

enum { REPEAT_LAST = 64 }; /* as in llama.cpp */

static const char *const format_names[] = {"text", "jsonl", NULL};

/* Parses scheme and scaling, and notes what changes nothing. BIPE_EXIT_USAGE and a line, or BIPE_EXIT_DONE. */
static int check_generate_options(bipe_generate_run *run)
{
    bipe_tool *tool = &run->tool;
    bipe_generate_options *given = &run->given;
    if (bipe_tool_scheme(tool, given->scheme, &run->scheme, given->scaling, &run->scaling) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (given->penalty == 1 && given->last != REPEAT_LAST)
        bipe_tool_note(tool, "--repeat-last-n changes nothing without --repetition-penalty");
    if (given->temperature == 0 && (given->top_k != 0 || given->top_p >= 0 || given->min_p >= 0))
        bipe_tool_note(
            tool,
            "--top-k, --top-p and --min-p change nothing without --temperature: the most probable token is taken");
    else if (given->temperature == 0 && given->samples > 1)
        bipe_tool_note(tool, "without --temperature all samples are the same");
    return BIPE_EXIT_DONE;
}

static int run_generate(void *context, const bipe_texts *operands)
{
    bipe_generate_run *run = context;
    int status = check_generate_options(run);
    if (status != BIPE_EXIT_DONE)
        return status;
    bipe_files files = {0};
    bipe_error err = {0};
    const char *const lists[] = {run->given.inputs.files_from, run->given.inputs.files0_from, operands->text[0],
                                 run->given.tokenizer};
    const bipe_tool_output output = {"output", run->given.output};
    if (run->given.prompt == NULL &&
        bipe_inputs_files(&run->given.inputs, &run->tool, operands, 1, &files, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        return run->tool.status;
    }
    if (bipe_tool_check_outputs(&output, 1, (bipe_files[]){files, {lists, COUNT(lists)}}, 2, &err) != BIPE_OK) {
        bipe_tool_open_error(&run->tool, &err);
        return run->tool.status;
    }
    return bipe_generate(run, operands->text[0], files);
}

int main(int argc, char **argv)
{
    bipe_generate_run run = {0};
    bipe_generate_options *given = &run.given;
    *given = (bipe_generate_options){.inputs = BIPE_INPUTS_NONE, .most = 256, .samples = 1, .top_p = -1, .min_p = -1,
                                     .penalty = 1, .last = REPEAT_LAST};
    bipe_tool_start(&run.tool, "bipe-generate");
    const bipe_option table[] = {
        {0, "prompt", BIPE_OPTION_TEXT, &given->prompt, "TEXT", .group = "What is continued",
         .excludes = "FILE field jsonl ids encoding text recursive files-from files0-from: the prompt is the text to "
                     "continue",
         .help = "continue this text instead of that of FILEs"},
        {'n', "max-tokens", BIPE_OPTION_SIZE, &given->most, "N", .minimum = 1, .maximum = BIPE_LENGTH_LIMIT,
         .help = "add N tokens at most; default: 256"},
        {0, "stop", BIPE_OPTION_TEXTS, &given->stops, "TEXT", .excludes = "stop=: a text to stop at",
         .help = "end where this text comes, which is not printed; may be repeated: the first to appear ends the text"},
        {0, "samples", BIPE_OPTION_SIZE, &given->samples, "N", .minimum = 1, .maximum = 1 << 16,
         .help = "continue each text N times; default: 1"},
        {0, "temperature", BIPE_OPTION_NUMBER, &given->temperature, "X", .group = "How tokens are chosen",
         .help = "draw tokens at random, with logits divided by X; default: 0, the most probable token"},
        {0, "top-k", BIPE_OPTION_SIZE, &given->top_k, "N", .or_all = true,
         .help = "draw from the N most probable tokens; default: 0, from all"},
        {0, "top-p", BIPE_OPTION_NUMBER, &given->top_p, "X", .positive = true, .most = 1,
         .help = "draw from the most probable tokens that together have probability X, above 0 and at most 1; default: "
                 "1"},
        {0, "min-p", BIPE_OPTION_NUMBER, &given->min_p, "X", .most = 1,
         .help = "draw from tokens at least X times as probable as the most probable one; default: 0"},
        {0, "repetition-penalty", BIPE_OPTION_NUMBER, &given->penalty, "X", .least = 0.001, .most = 1000,
         .help = "make tokens that already occur in the text less probable: their logits are divided by X, or "
                 "multiplied where negative; default: 1, no penalty"},
        {0, "repeat-last-n", BIPE_OPTION_SIZE, &given->last, "N", .or_all = true,
         .help = "the penalty is for the last N tokens of the text, prompt included; 0: none, -1: all; default: 64"},
        {0, "seed", BIPE_OPTION_SIZE, &given->seed, "N",
         .help = "the seed of random numbers: the same seed gives the same texts; default: 0"},
        BIPE_OPTION_ROW_SEGMENTER(&given->segmenter, "Model", "what the model was trained with"),
        BIPE_OPTION_ROW_TOKENIZER(&given->tokenizer, "the model's own"),
        BIPE_OPTION_ROW_SPECIAL(&given->special),
        BIPE_OPTION_ROWS_SCHEME(given),
        {0, "format", BIPE_OPTION_CHOICE, &given->format, "F", .choices = format_names, .group = "Output",
         .help = "text as it comes, or a JSON record per continuation; default: text"},
        {0, "echo", BIPE_OPTION_FLAG, &given->echo, .help = "print the prompt before what is added"},
        {'z', "null", BIPE_OPTION_FLAG, &given->null, .excludes = "format=jsonl",
         .help = "end each text with a NUL instead of a newline"},
        {0, "verbose", BIPE_OPTION_FLAG, &given->verbose, .about = BIPE_ABOUT_MANNER,
         .help = "report on standard error which kernels were used, and the speed"},
        BIPE_OPTION_ROW_OUTPUT(&given->output),
        BIPE_OPTION_ROWS_INPUT(&given->inputs, NULL),
        BIPE_OPTION_ROWS_RUNNING(&run.tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-generate",
        .summary = "continue texts with a language model",
        .usage = "[OPTION...] MODEL [FILE...]",
        .description = description,
        .option = table,
        .option_count = COUNT(table),
        .model_operand = true,
        .min_operands = 1,
        .operand_help = BIPE_MODEL_OPERAND_HELP BIPE_OPERAND_HELP,
    };
    int status = bipe_tool_run(&run.tool, &options, argc, argv, run_generate, &run);
    bipe_generate_close(&run);
    bipe_inputs_free(&given->inputs);
    bipe_texts_free(&given->stops);
    return status;
}
