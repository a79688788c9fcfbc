/* bipe_segment.c - the tool bipe-segment: its options, and the way from files to a writer of segments. */
#include "base/path.h"
#include "cli/languages.h"
#include "cli/run_record.h"
#include "cli/terminal.h"
#include "cli/tool_inputs.h"
#include "segment/segment_levels.h"
#include "text/label.h"
#include "tools/segment/bipe_segment.h"

/* What a thread takes with nearly any tokenizer: its cache of words, blocks of text and their tokens. */
#define THREAD_MEMORY ((size_t)5 << 20)

/* Columns of a line of --kwic, and by default of a context in its tables. */
enum { MATCH_NARROWEST = 24, MATCH_WIDEST = 2000, MATCH_CONTEXT = 100 };

static const char *const column_words[] = {"file", "document", "segment", "start", "end",   "tokens", "text", "token",
                                           "id",   "intra",    "left",    "match", "right", "record", NULL};

typedef enum format_choice { LINES, NUL, JSONL, TSV, CSV, TOKENS, WORDS } format_choice;
static const char *const format_names[] = {"lines", "nul", "jsonl", "tsv", "csv", "tokens", "words", NULL};

/* The options given. */
typedef struct settings {
    const char *segmenter, *tokenizer, *output, *id, *columns, *kwic;
    uint64_t width;
    int format; /* -1: not given */
    bipe_inputs inputs;
    bipe_record_options records;
    bool null, squeeze, trim, count, special, learn;
} settings;

typedef struct job {
    bipe_tool tool;
    settings set;
    bipe_tokenizer *tokenizer; /* NULL: not needed */
    segment_format table;      /* of tables: what the columns want */
    segment_run run;
} job;

/* Chooses the columns of a table and its format. */
static int choose_columns(job *j, format_choice format)
{
    const settings *set = &j->set;
    segment_columns *columns = &j->run.columns;
    bipe_error err, unknown = {0};
    segment_row_kind rows = set->kwic != NULL  ? SEGMENT_MATCH_ROWS
                            : format == TOKENS ? SEGMENT_TOKEN_ROWS
                                               : SEGMENT_ROWS;
    columns->levels = 1;
    if (set->segmenter != NULL && bipe_levels_count(&columns->levels, set->segmenter, &unknown) != BIPE_OK)
        columns->levels = 1; /* an error that is reported later, if nothing else is wrong */
    columns->syntax = format == JSONL ? SEGMENT_JSON : format == CSV ? SEGMENT_CSV : SEGMENT_TSV;
    int status = segment_columns_choose(columns, rows, set->columns, rows == SEGMENT_ROWS, set->id != NULL,
                                        bipe_chooses_language(set->segmenter), &err);
    if (status != BIPE_OK) /* columns may be those of levels that an unknown segmenter would have */
        return bipe_tool_usage(&j->tool, "%s", unknown.status != BIPE_OK ? unknown.text : err.text);
    bool tokens = columns->rows == SEGMENT_TOKEN_ROWS;
    if (set->squeeze && tokens)
        return bipe_tool_usage(&j->tool,
                               "option '--squeeze' cannot be combined with rows of tokens, which would lack some");
    j->table = tokens ? segment_format_token_table : segment_format_table;
    j->table.wants_tokens = tokens || segment_has_column(columns, SEGMENT_TOKENS);
    j->table.wants_text = segment_has_column(columns, SEGMENT_TEXT);
    j->run.format = &j->table;
    return BIPE_EXIT_DONE;
}

/* Columns for the labels of lines: the longest name, up to a quarter of the line, and the number of a document. */
static size_t label_columns(const segment_run *run, segment_kwic_options *options)
{
    size_t most = 0;
    bool records = run->records;
    options->names = run->files.count > 1;
    options->folder = options->names ? SIZE_MAX : 0;
    for (size_t i = 0; i < run->files.count; i++)
        options->folder = bipe_path_common_folder(run->files.path[0], run->files.path[i], options->folder);
    for (size_t i = 0; i < run->files.count; i++) {
        size_t columns = bipe_label_columns(run->files.path[i] + options->folder);
        most = columns > most ? columns : most;
        records = records || bipe_documents_named_records(run->files.path[i]);
    }
    most = (options->names ? most : 0) + (records ? 6 : 0);
    return most < options->look.width / 4 ? most : options->look.width / 4;
}

static int open_kwic(job *j, bipe_error *err)
{
    const settings *set = &j->set;
    segment_kwic_options options = {.pattern = set->kwic, .count = set->count};
    options.lines = set->format < 0 || set->format == LINES;
    options.look = bipe_tool_look(set->output, set->width, MATCH_NARROWEST, MATCH_WIDEST);
    if (!options.lines && set->width == 0)
        options.look.width = MATCH_CONTEXT;
    options.label = label_columns(&j->run, &options);
    return segment_kwic_open(&j->run.kwic, &options, err);
}

/* BIPE_EXIT_DONE or BIPE_EXIT_USAGE. */
static int choose_format(job *j)
{
    static const segment_format *const plain[] = {
        [LINES] = &segment_format_lines, [NUL] = &segment_format_nul, [WORDS] = &segment_format_words};
    settings *set = &j->set;
    segment_run *run = &j->run;
    set->inputs.jsonl = set->inputs.jsonl || set->records.records;
    format_choice format = set->null ? NUL : set->format < 0 ? LINES : (format_choice)set->format;
    bool table = format == TSV || format == CSV || format == TOKENS;
    run->squeeze = set->squeeze;
    run->fold = set->squeeze && format != NUL;
    run->trim = set->trim;
    run->count = set->count;
    if (!table && format != JSONL)
        run->format = plain[format];
    else if (choose_columns(j, format) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (set->count)
        run->format = run->format->tokens != NULL ? &segment_format_count_tokens : &segment_format_count;
    if (set->kwic != NULL)
        run->format = &segment_format_kwic;
    run->records = set->inputs.jsonl || set->inputs.field != NULL;
    if (set->segmenter == NULL)
        set->segmenter = set->kwic != NULL || set->learn ? "none" : BIPE_SEGMENTER_DEFAULT;
    run->ids = set->id != NULL;
    return BIPE_EXIT_DONE;
}

/* Opens what all files share. A SPEC that makes no sense is wrong usage. */
static int open_parts(job *j, bipe_error *err)
{
    const settings *set = &j->set;
    const bipe_tool_output output = {"output", set->output};
    const char *const others[] = {set->tokenizer, set->inputs.files_from, set->inputs.files0_from};
    const bipe_files read[] = {j->run.files, {others, 3}};
    bipe_levels probe = {0};
    int status = bipe_tool_check_outputs(&output, 1, read, 2, err);
    if (status == BIPE_OK && set->records.records)
        status = segment_check_records(&set->records, set->inputs.field, err);
    if (status == BIPE_OK)
        status = bipe_levels_open(&probe, set->segmenter, err);
    bool wanted = j->run.format->wants_tokens || set->inputs.ids >= 0;
    for (size_t i = 0; i < probe.count; i++)
        wanted = wanted || bipe_segmentation_wants_tokens(probe.segmentation[i]);
    bipe_levels_close(&probe);
    if (status != BIPE_OK)
        return status;
    if (wanted || set->tokenizer != NULL) /* one that was asked for must exist, also where nobody needs its tokens */
        status = bipe_tokenizer_open(&j->tokenizer,
                                     set->tokenizer != NULL ? set->tokenizer
                                     : set->format == WORDS ? "words"
                                                            : "word",
                                     set->special, err);
    if (status == BIPE_OK && j->tokenizer != NULL)
        bipe_run_in_force_text(&j->tool, "tokenizer", bipe_tokenizer_spec(j->tokenizer));
    if (status != BIPE_OK)
        return status;
    j->run.tool = &j->tool;
    j->tool.member[0] = (bipe_member_use){.option = set->id != NULL ? "--id" : NULL, .name = set->id};
    size_t threads = wanted ? bipe_tool_threads(&j->tool, THREAD_MEMORY) : 1;
    j->run.busy = bipe_tool_busy(threads, 1);
    j->run.stream = (bipe_stream_options){
        .tokenizer = wanted ? j->tokenizer : NULL,
        .specs = &set->segmenter,
        .spec_count = 1,
        .threads = threads,
        .members = &set->id,
        .member_count = set->id != NULL,
    };
    bipe_inputs_stream(&set->inputs, &j->run.stream);
    if (set->kwic != NULL && (status = open_kwic(j, err)) != BIPE_OK)
        return status;
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
        status = j->set.learn             ? segment_learn(&j->run, &err)
                 : j->set.records.records ? segment_records(&j->run, &j->set.records, &err)
                                          : segment_run_files(&j->run, &err);
    bipe_tool_end(&j->tool, status, &j->run.output, &err);
}

static int run_segment(void *context, const bipe_texts *operands)
{
    job *j = context;
    bipe_error err = {0};
    if (choose_format(j) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    if (bipe_inputs_files(&j->set.inputs, &j->tool, operands, 0, &j->run.files, &err) == BIPE_OK &&
        open_parts(j, &err) == BIPE_OK)
        segment_files(j);
    else
        bipe_tool_open_error(&j->tool, &err);
    return j->tool.status;
}

int main(int argc, char **argv)
{
    job j = {.set = {.format = -1, .inputs = BIPE_INPUTS_NONE, .records = BIPE_RECORDS_NONE}};
    settings *set = &j.set;
    bipe_tool_start(&j.tool, "bipe-segment");
    const bipe_option table[] = {
        BIPE_OPTION_ROW_SEGMENTER(&set->segmenter, "Segments", BIPE_SEGMENTER_DEFAULT),
        BIPE_OPTION_ROW_TOKENIZER(&set->tokenizer, "word"),
        BIPE_OPTION_ROW_SPECIAL(&set->special),
        {0, "format", BIPE_OPTION_CHOICE, &set->format, "FORMAT", .choices = format_names, .group = "Output",
         .help = "what is printed; default: lines"},
        {0, "columns", BIPE_OPTION_TEXT, &set->columns, "NAME[,NAME...]", .words = column_words,
         .needs = "format=tsv|csv|tokens", .excludes = "count",
         .help = "the columns of tsv, csv and tokens, and their order. Rows of segments have file, document, segment, "
                 "start, end, tokens, text and language (of sentence:auto); default: all. Rows of tokens have file, "
                 "document, token, start, end, id, segment, intra and text; default: all but text. Rows of --kwic have "
                 "file, document, segment, start, end, left, match, right and language; default: all"},
        {0, "id", BIPE_OPTION_TEXT, &set->id, "MEMBER", .check = bipe_documents_check_field,
         .needs = "format=jsonl|tsv|csv|tokens", .excludes = "count",
         .help = "add a last column, record, to rows of jsonl, tsv, csv and tokens, with the value of this member of "
                 "JSON Lines records, or path such as meta.id"},
        {'z', "null", BIPE_OPTION_FLAG, &set->null, .excludes = "format!=nul",
         .help = "end each segment with a NUL and leave its bytes unchanged, as --format=nul does; without the NULs "
                 "this is the input"},
        {0, "squeeze", BIPE_OPTION_FLAG, &set->squeeze,
         .help = "leave out segments that are only white space, and print white space within the others as one space; "
                 "with -z their bytes are unchanged"},
        {0, "trim", BIPE_OPTION_FLAG, &set->trim, .excludes = "null format=nul: bytes are left unchanged",
         .help = "leave out white space at both ends of each text that is printed; offsets do not change"},
        {0, "count", BIPE_OPTION_FLAG, &set->count,
         .excludes = "null format=nul|jsonl|tsv|csv: only lines, tokens and words are counted",
         .help = "print only the number of segments of each FILE and, for several FILEs, the total; with --format "
                 "words or tokens, the number of these"},
        {0, "kwic", BIPE_OPTION_TEXT, &set->kwic, "PATTERN",
         .excludes = "squeeze trim: white space is always folded; null format=nul|tokens|words: matches are printed as "
                     "lines, jsonl, tsv or csv",
         .help = "print each match of a PCRE2 pattern with the text before and after it in its segment (without -s: in "
                 "the document), aligned; with --format jsonl, tsv or csv as left, match and right, with --count how "
                 "many there are"},
        {0, "width", BIPE_OPTION_SIZE, &set->width, "N", .minimum = MATCH_NARROWEST, .maximum = MATCH_WIDEST,
         .needs = "kwic",
         .help = "columns of a line of --kwic, and of left and right in its tables; default: COLUMNS, those of the "
                 "terminal, or 80; 100 in tables"},
        {0, "learn-abbreviations", BIPE_OPTION_FLAG, &set->learn,
         .excludes = "segmenter tokenizer special format columns id null squeeze trim count kwic: the list is all that "
                     "is printed",
         .help = "print no segments but a list for -s sentence:FILE: abbreviations and words that begin sentences, "
                 "learned from the text of all FILEs, with what speaks for each as comments"},
        BIPE_OPTION_ROWS_RECORDS(&set->records, " segmenter tokenizer special trim", NULL,
                                 "segments, the list of the segments of its text, and language with sentence:auto. "
                                 "For --keep, segments is their number"),
        BIPE_OPTION_ROW_OUTPUT(&set->output),
        BIPE_OPTION_ROWS_INPUT(&set->inputs, BIPE_IDS_NEED_TOKENIZER),
        BIPE_OPTION_ROWS_RUNNING(&j.tool, BIPE_THREADS_IN_MEMORY),
    };
    const bipe_options options = {
        .tool = "bipe-segment",
        .summary = "cut text into segments",
        .usage = "[OPTION...] [FILE...]",
        .description =
            "Prints the segments of each FILE, each with the separator that ends it. Joined again, they are the text.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .operand_help = BIPE_OPERAND_HELP,
    };
    int exit_status = bipe_tool_run(&j.tool, &options, argc, argv, run_segment, &j);
    segment_kwic_close(j.run.kwic);
    bipe_tokenizer_close(j.tokenizer);
    bipe_texts_free(&set->records.keep);
    bipe_inputs_free(&set->inputs);
    return exit_status;
}
