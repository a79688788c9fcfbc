/* bipe_segment.c - the tool bipe-segment: its options, and the way from files to a writer of segments. */
#include <inttypes.h>
#include <string.h>

#include "tools/segment_writer.h"
#include "tools/tool.h"

static const segment_format *const formats[] = {
    &segment_format_lines, &segment_format_nul, &segment_format_jsonl, &segment_format_tsv, &segment_format_tokens,
};
static const char *const format_names[] = {"lines", "nul", "jsonl", "tsv", "tokens", NULL};

/* What the command line says. */
typedef struct settings {
    const char *segmenter, *tokenizer, *field, *output;
    int format, ids; /* -1: not given */
    bool null, squeeze, count, special, jsonl;
} settings;

typedef struct job {
    bipe_tool tool;
    settings set;
    bipe_tokenizer *tokenizer; /* NULL: not needed */
    bipe_stream *stream;
    segment_writer writer;
    bool named; /* --count of several files */
} job;

/* Checks what goes together. BIPE_EXIT_DONE or BIPE_EXIT_USAGE. */
static int check_settings(job *j)
{
    settings *set = &j->set;
    if (set->null && set->format >= 0 && formats[set->format] != &segment_format_nul)
        return bipe_tool_usage(&j->tool, "options '--null' and '--format=%s' do not go together", format_names[set->format]);
    if (set->null)
        set->format = 1;
    j->writer.squeeze = set->squeeze;
    j->writer.format = set->count ? &segment_format_count : formats[set->format < 0 ? 0 : set->format];
    if (set->squeeze && j->writer.format == &segment_format_tokens)
        return bipe_tool_usage(&j->tool, "options '--squeeze' and '--format=tokens' do not go together");
    if (set->ids >= 0 && (set->jsonl || set->field != NULL))
        return bipe_tool_usage(&j->tool, "option '--ids' does not go with JSON Lines");
    if (set->ids >= 0 && set->tokenizer == NULL)
        return bipe_tool_usage(&j->tool, "option '--ids' needs a tokenizer with a vocabulary: give one with '--tokenizer'");
    return BIPE_EXIT_DONE;
}

/* Opens what all files share. A SPEC that makes no sense is wrong usage. */
static int open_parts(job *j, bipe_error *err)
{
    const settings *set = &j->set;
    bipe_segmentation *probe;
    int status = bipe_segmentation_open(&probe, set->segmenter, err);
    if (status != BIPE_OK)
        return status;
    bool wanted = j->writer.format->wants_tokens || bipe_segmentation_wants_tokens(probe) || set->ids >= 0;
    bipe_segmentation_close(probe);
    if (wanted || set->tokenizer != NULL) /* one that was asked for must exist, also where nobody needs its tokens */
        status = bipe_tokenizer_open(&j->tokenizer, set->tokenizer != NULL ? set->tokenizer : "word", set->special, err);
    if (status != BIPE_OK)
        return status;
    bipe_stream_options options = {
        .tokenizer = wanted ? j->tokenizer : NULL,
        .specs = &set->segmenter,
        .spec_count = 1,
        .documents = set->jsonl ? BIPE_DOCUMENTS_JSONL : BIPE_DOCUMENTS_AUTO,
        .field = set->field,
        .ids = (bipe_ids_kind)(set->ids + 1),
        .want_bytes = j->writer.format->wants_text || set->squeeze,
    };
    return bipe_stream_open(&j->stream, &options, err);
}

/* One document. What cannot be read is reported and left: BIPE_OK, *whole false. Others are failures to write. */
static int segment_document(job *j, bool *whole, bipe_error *err)
{
    segment_writer *w = &j->writer;
    uint64_t printed = w->printed;
    const bipe_input *source = bipe_stream_source(j->stream);
    segment_writer_begin(w, bipe_stream_document(j->stream));
    bipe_batch batch = {0};
    while (!batch.last) {
        int status = bipe_stream_read(j->stream, &batch, err);
        if (status != BIPE_OK) {
            bipe_tool_error(&j->tool, err);
            w->printed = printed;
            return segment_writer_break(w, err);
        }
        status = segment_writer_batch(w, &batch, err);
        if (status != BIPE_OK)
            return status;
        bipe_progress_update(&j->tool.progress, w->file, bipe_input_raw_offset(source));
    }
    *whole = true;
    return BIPE_OK;
}

/* The line of --count for a file. */
static int print_count(job *j, const char *path, bipe_error *err)
{
    int status = bipe_output_printf(j->writer.output, err, "%" PRIu64 "%s", j->writer.printed, j->named ? "\t" : "");
    if (status == BIPE_OK && j->named)
        status = segment_write_field(j->writer.output, path, err);
    return status == BIPE_OK ? bipe_output_write(j->writer.output, "\n", 1, err) : status;
}

/* One file, as segment_document(). */
static int segment_file(job *j, const char *path, bipe_error *err)
{
    segment_writer_begin_file(&j->writer, path);
    if (bipe_stream_input(j->stream, path, err) != BIPE_OK) {
        bipe_tool_error(&j->tool, err);
        return BIPE_OK;
    }
    bipe_tool_progress(&j->tool, "bytes", bipe_input_raw_size(bipe_stream_source(j->stream)));
    int status;
    uint64_t good = 0, bad = 0;
    while ((status = bipe_stream_next_document(j->stream, err)) != BIPE_END) {
        bool whole = false;
        if (status != BIPE_OK)
            bipe_tool_error(&j->tool, err);
        else if ((status = segment_document(j, &whole, err)) != BIPE_OK)
            return status;
        good += whole;
        bad += !whole;
    }
    /* Of a file of which nothing could be read there is nothing to say. */
    return j->set.count && (good != 0 || bad == 0) ? print_count(j, path, err) : BIPE_OK;
}

static void segment_files(job *j, bipe_files files)
{
    bipe_error err = {0};
    int status = bipe_output_open(&j->writer.output, j->set.output, &err);
    if (status == BIPE_OK)
        status = segment_writer_open(&j->writer, &err);
    j->named = files.count > 1;
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++)
        status = segment_file(j, files.path[i], &err);
    if (status == BIPE_OK) {
        bipe_tool_finish(&j->tool, j->writer.output);
    } else {
        bipe_tool_error(&j->tool, &err);
        bipe_output_abandon(j->writer.output);
    }
    segment_writer_close(&j->writer);
}

int main(int argc, char **argv)
{
    job j = {.set = {.segmenter = BIPE_SEGMENTER_DEFAULT, .format = -1, .ids = -1}};
    settings *set = &j.set;
    bipe_tool_start(&j.tool, "bipe-segment");
    const bipe_option table[] = {
        {.letter = 's', .name = "segmenter", .kind = BIPE_OPTION_TEXT, .target = &set->segmenter, .value_name = "SPEC",
         .group = "Segments", .help = "what ends a segment; see bipe-segmenter(7); default: " BIPE_SEGMENTER_DEFAULT},
        BIPE_OPTION_ROW_TOKENIZER(&set->tokenizer, "word"),
        BIPE_OPTION_ROW_SPECIAL(&set->special),
        {.name = "format", .kind = BIPE_OPTION_CHOICE, .target = &set->format, .value_name = "FORMAT",
         .choices = format_names, .group = "Output", .help = "how segments are printed; default: lines"},
        {.letter = 'z', .name = "null", .kind = BIPE_OPTION_FLAG, .target = &set->null,
         .help = "the exact bytes of each segment, then a NUL, as --format=nul; without the NULs it is the input again"},
        {.name = "squeeze", .kind = BIPE_OPTION_FLAG, .target = &set->squeeze,
         .help = "leave out segments of white space alone"},
        {.name = "count", .kind = BIPE_OPTION_FLAG, .target = &set->count,
         .help = "print only the number of segments of each FILE"},
        BIPE_OPTION_ROW_OUTPUT(&set->output),
        BIPE_OPTION_ROW_FIELD(&set->field),
        BIPE_OPTION_ROW_JSONL(&set->jsonl),
        BIPE_OPTION_ROW_IDS(&set->ids),
        BIPE_OPTION_ROWS_RUNNING(&j.tool),
    };
    const bipe_options options = {
        .tool = "bipe-segment",
        .summary = "cut text into segments",
        .usage = "[OPTION...] [FILE...]",
        .description = "Prints the segments of each FILE: the stretches of text that a segmenter sees as one unit, each with the "
                       "separator that ends it. Put together again they are the text.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .max_operands = SIZE_MAX,
        .operand_help = BIPE_OPERAND_HELP,
    };
    bipe_texts operands = {0};
    bipe_options_result parsed = bipe_options_parse(&options, argc, argv, &operands);
    int exit_status = bipe_tool_parsed(parsed);
    if (parsed == BIPE_OPTIONS_RUN && (exit_status = check_settings(&j)) == BIPE_EXIT_DONE) {
        bipe_error err = {0};
        if (open_parts(&j, &err) == BIPE_OK)
            segment_files(&j, bipe_tool_files(&operands));
        else
            bipe_tool_open_error(&j.tool, &err);
        exit_status = j.tool.status;
    }
    bipe_stream_close(j.stream);
    bipe_tokenizer_close(j.tokenizer);
    bipe_texts_free(&operands);
    return exit_status;
}
