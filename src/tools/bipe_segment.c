/* bipe_segment.c - the tool bipe-segment: its options, and the way from files to a writer of segments. */
#include "tools/bipe_segment.h"
#include "tools/tool_inputs.h"

/* What a thread takes with nearly any tokenizer: its cache of words, blocks of text and their tokens. */
#define THREAD_MEMORY ((size_t)5 << 20)

static const segment_format *const formats[] = {
    &segment_format_lines, &segment_format_nul, &segment_format_jsonl, &segment_format_tsv, &segment_format_tokens,
};
static const char *const format_names[] = {"lines", "nul", "jsonl", "tsv", "tokens", NULL};

/* The options given. */
typedef struct settings {
    const char *segmenter, *tokenizer, *output, *id;
    int format; /* -1: not given */
    bipe_inputs inputs;
    bool null, squeeze, count, special;
} settings;

typedef struct job {
    bipe_tool tool;
    settings set;
    bipe_tokenizer *tokenizer; /* NULL: not needed */
    segment_run run;
} job;

/* Checks what goes together. BIPE_EXIT_DONE or BIPE_EXIT_USAGE. */
static int check_segment_settings(job *j)
{
    settings *set = &j->set;
    if (set->null && set->format >= 0 && formats[set->format] != &segment_format_nul)
        return bipe_tool_usage(&j->tool, "options '--null' and '--format=%s' cannot be combined", format_names[set->format]);
    if (set->null)
        set->format = 1;
    j->run.squeeze = set->squeeze;
    j->run.count = set->count;
    j->run.format = set->count ? &segment_format_count : formats[set->format < 0 ? 0 : set->format];
    if (set->squeeze && j->run.format == &segment_format_tokens)
        return bipe_tool_usage(&j->tool, "options '--squeeze' and '--format=tokens' cannot be combined");
    bipe_error err;
    if (set->id != NULL && (set->format < 2 || set->count))
        return bipe_tool_usage(&j->tool, "option '--id' needs rows: '--format' jsonl, tsv or tokens");
    if (set->id != NULL && bipe_documents_check_field(set->id, &err) != BIPE_OK)
        return bipe_tool_usage(&j->tool, "option '--id': %s", err.text);
    j->run.ids = set->id != NULL;
    if (set->inputs.ids >= 0 && set->tokenizer == NULL)
        return bipe_tool_usage(&j->tool, "option '--ids' needs a tokenizer with a vocabulary: give one with '--tokenizer'");
    return bipe_inputs_check(&j->tool, &set->inputs);
}

/* Opens what all files share. A SPEC that makes no sense is wrong usage. */
static int open_parts(job *j, bipe_error *err)
{
    const settings *set = &j->set;
    const bipe_tool_output output = {"output", set->output};
    const char *const others[] = {set->tokenizer, set->inputs.files_from, set->inputs.files0_from};
    const bipe_files read[] = {j->run.files, {others, 3}};
    bipe_segmentation *probe;
    int status = bipe_tool_check_outputs(&output, 1, read, 2, err);
    if (status == BIPE_OK)
        status = bipe_segmentation_open(&probe, set->segmenter, err);
    if (status != BIPE_OK)
        return status;
    bool wanted = j->run.format->wants_tokens || bipe_segmentation_wants_tokens(probe) || set->inputs.ids >= 0;
    bipe_segmentation_close(probe);
    if (wanted || set->tokenizer != NULL) /* one that was asked for must exist, also where nobody needs its tokens */
        status = bipe_tokenizer_open(&j->tokenizer, set->tokenizer != NULL ? set->tokenizer : "word", set->special, err);
    if (status != BIPE_OK)
        return status;
    j->run.tool = &j->tool;
    size_t threads = wanted ? bipe_tool_threads(&j->tool, THREAD_MEMORY) : 1;
    j->run.stream = (bipe_stream_options){
        .tokenizer = wanted ? j->tokenizer : NULL,
        .specs = &set->segmenter,
        .spec_count = 1,
        .threads = threads,
        .busy = wanted && bipe_tool_busy(threads, 1),
        .members = &set->id,
        .member_count = set->id != NULL,
    };
    bipe_inputs_stream(&set->inputs, &j->run.stream);
    /* Errors of the command line are reported before any output is opened. */
    bipe_stream *stream;
    status = bipe_stream_open(&stream, &j->run.stream, err);
    bipe_stream_close(stream);
    if (status == BIPE_OK)
        bipe_tool_note_segmenters(&j->tool, &set->segmenter, 1);
    return status;
}

static void segment_files(job *j)
{
    bipe_error err = {0};
    int status = bipe_output_open(&j->run.output, j->set.output, &err);
    if (status == BIPE_OK)
        status = segment_run_files(&j->run, &err);
    bipe_tool_end(&j->tool, status, &j->run.output, &err);
}

static int run_segment(void *context, const bipe_texts *operands)
{
    job *j = context;
    bipe_error err = {0};
    if (check_segment_settings(j) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (bipe_inputs_files(&j->set.inputs, &j->tool, operands, 0, &j->run.files, &err) == BIPE_OK && open_parts(j, &err) == BIPE_OK)
        segment_files(j);
    else
        bipe_tool_open_error(&j->tool, &err);
    return j->tool.status;
}

int main(int argc, char **argv)
{
    job j = {.set = {.segmenter = BIPE_SEGMENTER_DEFAULT, .format = -1, .inputs = BIPE_INPUTS_NONE}};
    settings *set = &j.set;
    bipe_tool_start(&j.tool, "bipe-segment");
    const bipe_option table[] = {
        BIPE_OPTION_ROW_SEGMENTER(&set->segmenter, "Segments", BIPE_SEGMENTER_DEFAULT),
        BIPE_OPTION_ROW_TOKENIZER(&set->tokenizer, "word"),
        BIPE_OPTION_ROW_SPECIAL(&set->special),
        {.name = "format", .kind = BIPE_OPTION_CHOICE, .target = &set->format, .value_name = "FORMAT",
         .choices = format_names, .group = "Output", .help = "what is printed; default: lines"},
        {.name = "id", .kind = BIPE_OPTION_TEXT, .target = &set->id, .value_name = "MEMBER",
         .help = "the member of JSON Lines records, or path such as meta.id, whose value each row of jsonl, tsv or tokens ends with, as \"record\""},
        {.letter = 'z', .name = "null", .kind = BIPE_OPTION_FLAG, .target = &set->null,
         .help = "end each segment with a NUL and leave its bytes unchanged, as --format=nul does; without the NULs this is the input"},
        {.name = "squeeze", .kind = BIPE_OPTION_FLAG, .target = &set->squeeze,
         .help = "leave out segments that are only white space"},
        {.name = "count", .kind = BIPE_OPTION_FLAG, .target = &set->count,
         .help = "print only the number of segments of each FILE"},
        BIPE_OPTION_ROW_OUTPUT(&set->output),
        BIPE_OPTION_ROWS_INPUT(&set->inputs),
        BIPE_OPTION_ROWS_RUNNING(&j.tool, BIPE_THREADS_IN_MEMORY),
    };
    const bipe_options options = {
        .tool = "bipe-segment",
        .summary = "cut text into segments",
        .usage = "[OPTION...] [FILE...]",
        .description = "Prints the segments of each FILE, each with the separator that ends it. Joined again, they are the text.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .max_operands = SIZE_MAX,
        .operand_help = BIPE_OPERAND_HELP,
    };
    int exit_status = bipe_tool_run(&j.tool, &options, argc, argv, run_segment, &j);
    bipe_tokenizer_close(j.tokenizer);
    bipe_inputs_free(&set->inputs);
    return exit_status;
}
