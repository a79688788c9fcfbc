/* bipe_stats.c - the tool bipe-stats: its options, and the way from files or results to a report. */
#include <string.h>

#include "base/alloc.h"
#include "cli/clusters.h"
#include "cli/group_names.h"
#include "cli/run_record.h"
#include "cli/terminal.h"
#include "cli/tool_alloc.h"
#include "cli/tool_inputs.h"
#include "segment/segment_levels.h"
#include "tools/stats/bipe_stats.h"

/* Columns of a table. */
enum { NARROWEST = 40, WIDEST = 100 };

/* The tool and the options given. */
typedef struct settings {
    bipe_tool tool;
    bipe_texts segmenters, gold;
    bipe_sizes lengths;
    const char *tokenizer, *output, *shard;
    const char **own; /* of FILEs those of the shard */
    char **gold_path; /* (gold_paths) of each FILE: reference segments; NULL: there are none */
    size_t gold_paths;
    const char **own_gold; /* of those of the shard */
    uint64_t misses;
    bipe_inputs inputs;
    bipe_record_options records;
    const char *group_by, *cluster, *members[2];
    const char *keyness;
    bool special, json, csv, histogram, merge, force, per_file;
    stats_choice choice;
} settings;

/* Whether words are counted, which need a tokenizer of words, sentences, and hardly windows. */
static bool counts_words(const settings *set)
{
    return set->choice.lexical || set->choice.words;
}

/* The SPECs without those that were given before. */
static void drop_doubles(bipe_texts *texts)
{
    size_t kept = 0;
    for (size_t i = 0; i < texts->count; i++) {
        size_t k = 0;
        while (k < kept && strcmp(texts->text[k], texts->text[i]) != 0)
            k++;
        if (k == kept)
            texts->text[kept++] = texts->text[i];
    }
    texts->count = kept;
}

/* Of a segmenter with several levels each coarser one is counted as well. */
static int add_levels(bipe_texts *segmenters, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0, given = segmenters->count; i < given && status == BIPE_OK; i++) {
        bipe_levels levels;
        status = bipe_levels_open(&levels, segmenters->text[i], err);
        for (size_t l = 1; l < levels.count; l++) {
            bipe_tool_grow(&segmenters->text, &segmenters->capacity, segmenters->count + 1, sizeof *segmenters->text);
            segmenters->text[segmenters->count++] = levels.rest[l];
        }
        bipe_levels_close(&levels);
    }
    return status;
}

/* Counts the shard that the reading is about, from all files of the command line. BIPE_END: it is done already. */
static int read_shard(settings *set, stats_reading *reading, const bipe_shard *shard, stats_result *result,
                      bipe_error *err)
{
    bipe_files all = reading->files;
    bool documents = stats_shard_of_documents(shard, all);
    uint64_t asked = stats_shard_settings(reading, set->special), inputs = stats_shard_inputs(reading, shard);
    if (set->json && !set->force && stats_shard_done(set->output, shard, asked, inputs)) {
        bipe_tool_note(reading->tool, "%s: shard %llu of %llu is already done; --force counts it again", set->output,
                       (unsigned long long)shard->index, (unsigned long long)shard->count);
        return BIPE_END;
    }
    reading->group = bipe_result_shards_add(&result->shards, asked, shard, documents ? all.count : 0);
    set->own = bipe_tool_alloc(all.count, sizeof *set->own);
    reading->group->inputs = inputs;
    set->own_gold = reading->gold != NULL ? bipe_tool_alloc(all.count, sizeof *set->own_gold) : NULL;
    reading->files = (bipe_files){.path = set->own};
    for (size_t i = 0; i < all.count; i++) {
        if (!documents && i % shard->count != shard->index)
            continue;
        if (reading->gold != NULL)
            set->own_gold[reading->files.count] = reading->gold[i];
        set->own[reading->files.count++] = all.path[i];
    }
    reading->gold = set->own_gold;
    set->tool.read = reading->files;
    return stats_read(reading, result, err);
}

/* As many as memory is there for: what a thread takes is a stream with its cache of words and blocks of text, and for
 * each segmenter the boundaries in these, and counts for each length. */
static size_t count_threads(const bipe_tool *tool, const settings *set)
{
    enum { KIB = 1 << 10, STREAM = 8192 * KIB, SEGMENTER = 768 * KIB, LENGTH = 16 * KIB, USUAL_LENGTHS = 16 };
    size_t segmenters = set->segmenters.count != 0 ? set->segmenters.count : 1;
    size_t lengths = set->lengths.count != 0 ? set->lengths.count : USUAL_LENGTHS;
    return bipe_tool_threads(tool, STREAM + segmenters * (SEGMENTER + lengths * LENGTH));
}

/* The members of records that are wanted: that which makes groups is the first, that which makes clusters the last. */
static void name_members(settings *set, size_t *count)
{
    *count = 0;
    if (set->group_by != NULL) {
        set->members[(*count)++] = set->group_by;
        set->tool.member[0] = (bipe_member_use){.option = "--group-by", .name = set->group_by};
    }
    if (bipe_cluster_is_member(set->cluster)) {
        set->members[(*count)++] = set->cluster;
        set->tool.member[1] = (bipe_member_use){.option = "--cluster", .name = set->cluster,
                                                .needed = set->shard == NULL}; /* other shards may have it */
    }
}

/* Counts what is in the files. BIPE_END: there is nothing to do. */
static int read_files(bipe_tool *tool, settings *set, bipe_files files, stats_result *result, bipe_error *err)
{
    static const char *const usual[] = {BIPE_SEGMENTER_DEFAULT}, *const of_words[] = {"sentence"};
    static const uint64_t none[1];
    bipe_shard shard;
    bipe_tokenizer *tokenizer;
    int status = set->shard != NULL ? bipe_shard_parse(&shard, set->shard, err) : BIPE_OK;
    if (status == BIPE_OK && !set->records.records)
        status = add_levels(&set->segmenters, err);
    drop_doubles(&set->segmenters);
    if (status == BIPE_OK && set->choice.gold)
        status = stats_gold_paths(&set->gold_path, &set->gold, files, err);
    set->gold_paths = set->gold_path != NULL ? files.count : 0;
    if (status == BIPE_OK)
        status = bipe_tokenizer_open(&tokenizer,
                                     set->tokenizer != NULL ? set->tokenizer
                                     : counts_words(set)    ? "words"
                                                            : "word",
                                     set->special, err);
    if (status != BIPE_OK)
        return status;
    size_t threads = count_threads(tool, set);
    bool no_windows = counts_words(set) || set->choice.gold;
    stats_reading reading = {
        .tool = tool,
        .stream = {
            .tokenizer = tokenizer,
            .specs = set->segmenters.count != 0 ? set->segmenters.text : counts_words(set) ? of_words : usual,
            .spec_count = set->segmenters.count != 0 ? set->segmenters.count : 1,
        },
        .busy = bipe_tool_busy(threads, files.count),
        .choice = set->choice,
        .per_file = set->per_file,
        .group_by = set->group_by,
        .cluster = set->cluster,
        .lengths = set->lengths.none || (no_windows && set->lengths.count == 0) ? none : set->lengths.value,
        .length_count = set->lengths.count,
        .files = files,
        .threads = threads,
        .gold = (const char *const *)set->gold_path,
        .misses = set->misses,
    };
    bipe_run_in_force_text(tool, "tokenizer", bipe_tokenizer_spec(tokenizer));
    bipe_run_in_force_texts(tool, "segmenter", reading.stream.specs, reading.stream.spec_count);
    if (reading.lengths == none)
        bipe_run_in_force_text(tool, "length", "none");
    bipe_inputs_stream(&set->inputs, &reading.stream);
    reading.stream.members = set->members;
    name_members(set, &reading.stream.member_count);
    stats_result_open(result, bipe_tokenizer_spec(tokenizer), reading.stream.specs, reading.stream.spec_count,
                      set->group_by, set->cluster);
    result->choice = set->choice;
    result->per_file = set->per_file;
    if (set->choice.every != 0 && reading.stream.documents == BIPE_DOCUMENTS_AUTO)
        reading.stream.documents = BIPE_DOCUMENTS_BLOCKS;
    if (status == BIPE_OK)
        bipe_tool_note_segmenters(tool, reading.stream.specs, reading.stream.spec_count);
    if (status == BIPE_OK && set->records.records)
        status = stats_write_records(&reading, &set->records, set->output, err);
    else if (status == BIPE_OK)
        status = set->shard != NULL ? read_shard(set, &reading, &shard, result, err)
                                    : stats_read(&reading, result, err);
    if (status == BIPE_OK && set->choice.every > 1 && result->all.documents == 0)
        bipe_tool_note(tool, "the sample is empty: use a smaller --sample, or another --seed");
    bipe_tokenizer_close(tokenizer);
    return status;
}

/* One run would end with status 1 as well. */
static void report_errors(bipe_tool *tool, const stats_result *part, const char *path)
{
    bipe_error err;
    for (size_t i = 0; i < part->shards.count; i++) {
        unsigned long long errors = part->shards.group[i].errors;
        if (errors == 0)
            continue;
        bipe_fail(&err, BIPE_ERR_FORMAT, "%s: %llu %s could not be read when this was counted", path, errors,
                  errors == 1 ? "file or document" : "files or documents");
        bipe_tool_error(tool, &err);
    }
}

/* Puts results together. One that cannot be read is reported and left out; one of another kind ends everything.
 * BIPE_END when none could be read. */
static int merge_files(bipe_tool *tool, bipe_files files, stats_result *result, bipe_error *err)
{
    bool first = true;
    for (size_t i = 0; i < files.count; i++) {
        stats_result part;
        int status = stats_load(&part, tool, files.path[i], err);
        if (status == BIPE_OK)
            report_errors(tool, &part, bipe_input_shown(files.path[i]));
        if (status == BIPE_OK && first) {
            *result = part;
            first = false;
            continue;
        }
        if (status == BIPE_OK && (status = stats_result_merge(result, &part, err)) != BIPE_OK)
            bipe_error_prefix(err, "%s", files.path[i]);
        else if (status != BIPE_OK && status != BIPE_ERR_MEMORY && status != BIPE_ERR_ARGUMENT) {
            bipe_tool_error(tool, err);
            status = BIPE_OK;
        }
        stats_result_close(&part);
        if (status == BIPE_ERR_ARGUMENT) /* of another kind, which is no wrong usage */
            status = err->status = BIPE_ERR_FORMAT;
        if (status != BIPE_OK)
            return status;
    }
    if (stats_result_settle(result, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    for (size_t i = 0; i < result->shards.count; i++) {
        bipe_shard_group_missing(&result->shards.group[i], err);
        bipe_tool_error(tool, err);
    }
    return first ? BIPE_END : BIPE_OK;
}

/* A result that was read may not have what is to be reported. Without a choice the report is that of what it has. */
static int choose_report(settings *set, const stats_result *result, bipe_error *err)
{
    stats_choice *choice = &set->choice;
    if ((choice->words && !result->choice.words) || (choice->lexical && !result->choice.lexical))
        return bipe_fail(err, BIPE_ERR_FORMAT, "these results were made without %s",
                         choice->words ? "'--words' or '--keyness'" : "'--lexical'");
    if (!choice->lexical && !set->histogram)
        choice->words = result->choice.words;
    return BIPE_OK;
}

static void note_clusters(bipe_tool *tool, const stats_report *report)
{
    size_t most = 0;
    for (const stats_line *line = report->line; line < report->line + report->lines; line++) {
        most = line->mean.units > most ? line->mean.units : most;
        most = line->measure[0].units > most ? line->measure[0].units : most;
    }
    bipe_clusters_note(tool, report->result->cluster, most);
}

/* Failures to write stay in the output. */
static int write_report(settings *set, const stats_result *result, bipe_output *output, bipe_error *err)
{
    stats_report report = {0};
    int status = choose_report(set, result, err);
    if (status == BIPE_OK)
        status = stats_report_open(&report, result, set->keyness, err);
    report.misses = set->misses != 0;
    if (status == BIPE_OK)
        note_clusters(&set->tool, &report);
    if (status == BIPE_OK && set->json)
        stats_write_json(&set->tool, &report, output);
    else if (status == BIPE_OK && set->csv && set->choice.words)
        stats_words_csv(&report, output);
    else if (status == BIPE_OK && set->csv && report.misses)
        stats_misses_csv(&report, output);
    else if (status == BIPE_OK && (set->csv || set->histogram))
        stats_write_csv(&report, set->histogram, output);
    else if (status == BIPE_OK)
        stats_write_table(&report, set->choice.words, bipe_tool_look(set->output, 0, NARROWEST, WIDEST), output);
    stats_report_close(&report);
    return status;
}

/* A table of nothing at all would hide why; programs get their zeros. */
static bool shows_nothing(const bipe_tool *tool, const settings *set, const stats_result *result)
{
    return tool->status != BIPE_EXIT_DONE && result->all.documents == 0 && !set->json && !set->csv && !set->histogram;
}

static int run_stats(void *context, const bipe_texts *operands)
{
    settings *set = context;
    bipe_tool *tool = &set->tool;
    set->choice.words = set->choice.words || set->keyness != NULL;
    set->choice.gold = set->gold.count != 0;
    set->inputs.jsonl = set->inputs.jsonl || set->records.records;
    bipe_error err = {0};
    stats_result result = {0};
    bipe_output *output = NULL;
    bipe_files files;
    const bipe_tool_output place = {"output", set->output};
    const char *const others[] = {set->tokenizer, set->inputs.files_from, set->inputs.files0_from};
    int status = bipe_inputs_files(&set->inputs, tool, operands, 0, &files, &err);
    if (status == BIPE_OK)
        status = bipe_tool_check_outputs(&place, 1, (bipe_files[]){files, {others, 3}}, 2, &err);
    if (status == BIPE_OK)
        status = set->merge ? merge_files(tool, files, &result, &err) : read_files(tool, set, files, &result, &err);
    tool->some_done = result.all.documents > 0;
    if (status != BIPE_OK && status != BIPE_END) {
        bipe_tool_open_error(tool, &err);
    } else if (set->records.records) { /* written, and the tool has finished */
    } else if (status == BIPE_END || shows_nothing(tool, set, &result)) {
        bipe_tool_finish(tool, NULL);
    } else {
        status = bipe_output_open(&output, set->output, &err);
        if (status == BIPE_OK)
            status = write_report(set, &result, output, &err);
        bipe_tool_end(tool, status, &output, &err);
    }
    stats_result_close(&result);
    return tool->status;
}

/* Rules of options that count words, and of those that print lists of them. */
#define COUNTS_WORDS "tokenizer!=words: '--tokenizer words' finds the words that are counted"
#define LIST_NEEDS "length!=none? json: a list of words has no windows"
#define LIST_EXCLUDES "histogram per-file; " COUNTS_WORDS

int main(int argc, char **argv)
{
    static const char *const length_words[] = {"none", NULL}, *const group_words[] = {BIPE_GROUP_FOLDER, NULL},
                             *const cluster_words[] = {BIPE_CLUSTER_FILE, NULL};
    settings set = {.inputs = BIPE_INPUTS_NONE, .records = BIPE_RECORDS_NONE};
    bipe_tool_start(&set.tool, "bipe-stats");
    const bipe_option table[] = {
        {'s', "segmenter", BIPE_OPTION_TEXTS, &set.segmenters, "SPEC", .group = "Counting",
         .words = bipe_segmenter_words,
         .help = "what ends a segment: " BIPE_SEGMENTERS_HELP "; may be given several times; default: "
                 BIPE_SEGMENTER_DEFAULT},
        BIPE_OPTION_ROW_TOKENIZER(&set.tokenizer, "word"),
        BIPE_OPTION_ROW_SPECIAL(&set.special),
        {'L', "length", BIPE_OPTION_SIZES, &set.lengths, "N[,N...]", .minimum = 1, .maximum = UINT64_C(1) << 53,
         .words = length_words,
         .help = "count in windows of N tokens, which do not overlap; the rest of a document is left out; default: 1k "
                 "and its doublings, as far as any document reaches; none: no windows. Whole documents are always "
                 "counted too"},
        {0, "gold", BIPE_OPTION_TEXTS, &set.gold, "FILE", .group = "Agreement", .about = BIPE_ABOUT_FILE,
         .needs = "length!=none? json csv: a table of agreement has no windows",
         .excludes = "lexical words keyness histogram sample ids: --gold judges segments and counts nothing else",
         .help = "report how far segments agree with those of a reference, which this file has: byte offsets, one per "
                 "line, where segments end; or the text of one segment per line; or JSON Lines with lists of spans. "
                 "Given once for each FILE, in the same order, or as a folder that has a file for each. Windows are "
                 "counted only with -L, for --json and --csv"},
        {0, "misses", BIPE_OPTION_SIZE, &set.misses, "N", .minimum = 1, .maximum = 1000000, .needs = "gold",
         .help = "also print the first N places where each segmenter has an end that the reference has not, or the "
                 "other way around; with --csv, these alone"},
        {0, "lexical", BIPE_OPTION_FLAG, &set.choice.lexical, .group = "Words",
         .needs = "length!=none? json csv: a table of words has no windows",
         .excludes = "words keyness histogram; " COUNTS_WORDS,
         .help = "report the words of documents: types, hapaxes, type-token ratio, MTLD and HD-D, and how readable the "
                 "documents are (ARI, Coleman-Liau, LIX, RIX), with the mean, median and standard deviation of the "
                 "words in a sentence, as means over documents with intervals. Like --words "
                 "and --keyness, it counts words (-t words), in sentences unless another -s is given. Windows are "
                 "counted only with -L, for --json and --csv"},
        {0, "words", BIPE_OPTION_FLAG, &set.choice.words, .needs = LIST_NEEDS, .excludes = LIST_EXCLUDES,
         .help = "print the list of words: frequency, documents, and how evenly each is used in documents, or in "
                 "groups (Gries' DP, Juilland's D)"},
        {0, "keyness", BIPE_OPTION_TEXT, &set.keyness, "A[,B]",
         .needs = "group-by merge: it compares groups; " LIST_NEEDS, .excludes = LIST_EXCLUDES,
         .help = "print the words that group A of --group-by uses more or less often than group B, or than all other "
                 "groups: log-likelihood (G2), log ratio, and p corrected for all words by Holm's method"},
        {0, "keep-case", BIPE_OPTION_FLAG, &set.choice.keep_case, .needs = "lexical words keyness",
         .help = "treat The and the as different words; default: words are compared in lower case"},
        {0, "group-by", BIPE_OPTION_TEXT, &set.group_by, "MEMBER", .words = group_words, .group = "Output",
         .check = bipe_documents_check_field, .excludes = "per-file",
         .help = "report groups of documents side by side, and how they differ: JSON Lines records with the same value "
                 "of this member, or path such as meta.register; folder: files in the same folder"},
        {0, "cluster", BIPE_OPTION_TEXT, &set.cluster, "MEMBER", .words = cluster_words,
         .check = bipe_documents_check_field, .needs = "group-by lexical gold: other results have no errors",
         .excludes = "words keyness: lists of words have errors over documents",
         .help = "find errors and intervals from clusters of documents that are not independent, such as those of one "
                 "author: JSON Lines records with the same value of this member; file: those of a FILE"},
        {0, "per-file", BIPE_OPTION_FLAG, &set.per_file,
         .help = "report each FILE by itself, then all of them together"},
        {0, "squeeze", BIPE_OPTION_FLAG, &set.choice.squeeze,
         .help = "leave out segments that are only white space, and their tokens"},
        {0, "sample", BIPE_OPTION_SIZE, &set.choice.every, "N", .minimum = 1, .maximum = UINT64_C(1) << 53,
         .excludes = "shard ids",
         .help = "for a first look, read one in N documents, chosen at random; plain text is divided into documents of "
                 "about 256 KiB, at line ends"},
        {0, "seed", BIPE_OPTION_SIZE, &set.choice.seed, "N", .maximum = UINT64_C(1) << 53,
         .help = "the seed by which --sample chooses documents; default: 0"},
        {0, "json", BIPE_OPTION_FLAG, &set.json, .excludes = "csv histogram",
         .help = "print one JSON object with all counts, which --merge reads"},
        {0, "csv", BIPE_OPTION_FLAG, &set.csv,
         .help = "print comma-separated values, one row for each segmenter and length"},
        {0, "histogram", BIPE_OPTION_FLAG, &set.histogram,
         .help = "print the histograms as comma-separated values: a row for each number of tokens per segment, or of "
                 "segments per window, and how often it was seen"},
        {0, "merge", BIPE_OPTION_FLAG, &set.merge, .excludes = "shard: results are read, not texts",
         .takes = "lexical words keyness seed json csv histogram recursive files-from files0-from: results are read, "
                  "not texts",
         .help = "the FILEs are results of --json over parts of a corpus: print what one run over all of it would "
                 "print"},
        {0, "shard", BIPE_OPTION_TEXT, &set.shard, "I/N", .about = BIPE_ABOUT_MANNER,
         .excludes = "per-file; " BIPE_SHARD_NO_RECORDS,
         .help = "do share I of N, counted from 0: every N-th FILE, or every N-th document if there are fewer FILEs "
                 "than shards; auto: take I and N from the job array, MPI or srun; auto/N: take only I from there. "
                 "With --json and --output, a share that is already done is skipped"},
        {0, "force", BIPE_OPTION_FLAG, &set.force, .about = BIPE_ABOUT_MANNER, .needs = "shard",
         .help = "count a shard again even if it is already done"},
        BIPE_OPTION_ROWS_RECORDS(&set.records, " segmenter tokenizer special", NULL,
                                 "bytes, tokens, segments, and tokens_per_segment with mean, sd, min, p50, p90 and "
                                 "max, of its whole text"),
        BIPE_OPTION_ROW_OUTPUT(&set.output),
        BIPE_OPTION_ROWS_INPUT(&set.inputs, BIPE_IDS_NEED_TOKENIZER),
        BIPE_OPTION_ROWS_RUNNING(&set.tool, BIPE_THREADS_IN_MEMORY),
    };
    const bipe_options options = {
        .tool = "bipe-stats",
        .summary = "count tokens per segment, segments per window, and words",
        .usage = "[OPTION...] [FILE...]",
        .description = "Shows how many tokens the segments of the FILEs have, and how many segments a window has, for "
                       "windows of several "
                       "lengths and for whole documents; or which words the documents use.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .operand_help = BIPE_OPERAND_HELP,
    };
    int exit_status = bipe_tool_run(&set.tool, &options, argc, argv, run_stats, &set);
    bipe_free(set.own);
    bipe_inputs_free(&set.inputs);
    bipe_texts_free(&set.segmenters);
    bipe_texts_free(&set.gold);
    bipe_texts_free(&set.records.keep);
    stats_gold_free_paths(set.gold_path, set.gold_paths);
    bipe_free(set.own_gold);
    bipe_sizes_free(&set.lengths);
    return exit_status;
}
