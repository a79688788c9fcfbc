/* test_tool_memory.c - the inside of bipe-segment and bipe-stats with every allocation failing once: what could not be
 * done is said, nothing leaks, nothing is taken for done, and an output is as it was before. */
#include "config.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/no_memory.h"
#include "tests/scratch.h"
#include "tools/segment/bipe_segment.h"
#include "tools/stats/bipe_stats.h"

static const char path[] = "test_tool_memory.jsonl", output[] = "test_tool_memory.out", old[] = "as it was before\n";
static const char *const specs[] = {"stop"};
static const segment_columns columns = {.count = 3, .column = {SEGMENT_FILE, SEGMENT_INDEX, SEGMENT_START}};
static const segment_columns json_columns = {
    .syntax = SEGMENT_JSON, .count = 2, .column = {SEGMENT_FILE, SEGMENT_TEXT}};

/* The whole way from a file to a format. BIPE_OK only when all was written. */
static int segment_file(const segment_format *format, bool squeeze, bipe_error *err)
{
    bipe_tokenizer *tokenizer = NULL;
    bipe_stream *stream = NULL;
    segment_writer w = {.format = format, .columns = format == &segment_format_table ? &json_columns : &columns,
                        .squeeze = squeeze, .fold = squeeze, .trim = !squeeze};
    int status = bipe_tokenizer_open(&tokenizer, "word", false, err);
    bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1};
    if (status == BIPE_OK)
        status = bipe_stream_open(&stream, &options, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&w.output, output, err);
    if (status == BIPE_OK && format == &segment_format_kwic)
        status = segment_kwic_open(&w.kwic, &(segment_kwic_options){.pattern = "\\w+", .look = {.width = 40}}, err);
    if (status == BIPE_OK)
        status = segment_writer_open(&w, err);
    if (status == BIPE_OK)
        status = bipe_stream_input(stream, path, err);
    segment_writer_begin_file(&w, path);
    while (status == BIPE_OK && (status = bipe_stream_next_document(stream, err)) == BIPE_OK) {
        segment_writer_begin(&w, bipe_stream_document(stream));
        bipe_batch batch = {0};
        while (status == BIPE_OK && !batch.last) {
            status = bipe_stream_read(stream, &batch, err);
            if (status == BIPE_OK) {
                segment_writer_batch(&w, &batch);
                *err = w.error;
                status = (int)err->status;
            }
        }
    }
    if (status == BIPE_END)
        status = bipe_output_commit(w.output, err);
    else
        bipe_output_abandon(w.output);
    segment_writer_close(&w);
    segment_kwic_close(w.kwic);
    bipe_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
    return status;
}

static int segment_without_memory(void *context)
{
    const segment_format *const *format = context;
    bipe_tool tool;
    bipe_error err = {0};
    bipe_tool_start(&tool, "test");
    bipe_alloc_fail_at(no_memory_at);
    int status = segment_file(*format, *format == &segment_format_lines, &err);
    bipe_alloc_fail_at(-1);
    return status == BIPE_OK ? NO_MEMORY_DONE : status == BIPE_ERR_MEMORY ? NO_MEMORY_LIBRARY : NO_MEMORY_WRONG;
}

static void write_old(void)
{
    FILE *f = fopen(output, "wb");
    CHECK(f != NULL && fputs(old, f) >= 0 && fclose(f) == 0);
}

/* All is there or nothing, and no temporary file. */
static void check_output(bool done)
{
    glob_t found;
    size_t size;
    char *content = scratch_read(output, &size);
    CHECK(strcmp(content, old) == 0 ? !done : done);
    free(content);
    CHECK(glob("*test_tool_memory.out*", GLOB_PERIOD, NULL, &found) == 0 && found.gl_pathc == 1);
    globfree(&found);
    write_old();
}

static void test_formats(void)
{
    static const segment_format *const formats[] = {&segment_format_lines, &segment_format_nul,
                                                    &segment_format_token_table, &segment_format_table,
                                                    &segment_format_words, &segment_format_count,
                                                    &segment_format_kwic};
    write_old();
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const segment_format *format = formats[f];
        CHECK(test_no_memory(segment_without_memory, &format, check_output) > 10);
    }
    unlink(output);
}

/* Files by two threads: either all was printed, or a file is reported as not read, or an error ends the work. */
static int segment_files_without_memory(void *tokenizer)
{
    const char *files[] = {path, path, path};
    bipe_error err = {0};
    bipe_tool tool;
    bipe_tool_start(&tool, "test");
    tool.quiet = true;
    segment_run set = {.tool = &tool, .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1, .threads = 2},
                       .format = &segment_format_table, .columns = columns, .files = {.path = files, .count = 3}};
    if (bipe_output_open(&set.output, "/dev/null", &err) != BIPE_OK)
        return NO_MEMORY_WRONG;
    bipe_alloc_fail_at(no_memory_at);
    int status = segment_run_files(&set, &err);
    bipe_alloc_fail_at(-1);
    bipe_output_abandon(set.output);
    return status == BIPE_OK ? tool.status : status == BIPE_ERR_MEMORY ? NO_MEMORY_LIBRARY : NO_MEMORY_WRONG;
}

static void test_several_files(void)
{
    bipe_tokenizer *tokenizer = NULL;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    CHECK(test_no_memory(segment_files_without_memory, tokenizer, NULL) > 10);
    bipe_tokenizer_close(tokenizer);
}

/* Either everything is counted, or a file is reported as not read, or there is no result. */
static int count_without_memory(void *words)
{
    const char *files[] = {path, path};
    bipe_error err = {0};
    bipe_tool tool;
    bipe_tokenizer *tokenizer = NULL;
    stats_result result = {0};
    bipe_tool_start(&tool, "test");
    if (bipe_tokenizer_open(&tokenizer, "byte", false, &err) != BIPE_OK)
        return NO_MEMORY_WRONG;
    stats_result_open(&result, "byte", specs, 1, NULL, NULL);
    result.choice = (stats_choice){.lexical = words != NULL, .words = words != NULL};
    stats_reading reading = {.tool = &tool, .choice = result.choice,
                             .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1},
                             .files = {.path = files, .count = 2}, .threads = 1};
    bipe_alloc_fail_at(no_memory_at);
    int status = stats_read(&reading, &result, &err);
    bipe_alloc_fail_at(-1);
    bool all = result.files == 2 && result.all.documents == 4 && result.all.bytes == 40 && result.all.tokens == 40;
    int found = status == BIPE_ERR_MEMORY                                     ? NO_MEMORY_LIBRARY
                : status != BIPE_OK || all != (tool.status == BIPE_EXIT_DONE) ? NO_MEMORY_WRONG
                                                                              : tool.status;
    stats_result_close(&result);
    bipe_tokenizer_close(tokenizer);
    return found;
}

/* Segments of all lengths up to LONGEST, in files of more than 1 MiB: counts that have no room are passed on, and add
 * up to the same. */
static void test_crowded(void)
{
    enum { LONGEST = 1600, FILES = 5 };
    static const char long_path[] = "test_tool_memory.txt";
    const char *files[FILES];
    stats_result result[2];
    bipe_tool tool;
    bipe_tokenizer *tokenizer = NULL;
    bipe_error err = {0};
    FILE *f = fopen(long_path, "wb");
    CHECK(f != NULL);
    for (int i = 1; i <= LONGEST && f != NULL; i++)
        fprintf(f, "%*c\n", i, '.');
    CHECK(f != NULL && fclose(f) == 0);
    for (size_t i = 0; i < FILES; i++)
        files[i] = long_path;
    bipe_tool_start(&tool, "test");
    tool.quiet = true;
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    for (size_t i = 0; i < 2; i++) {
        stats_result_open(&result[i], "byte", specs, 1, NULL, NULL);
        result[i].choice.lexical = true;
        stats_reading reading = {.tool = &tool, .choice = result[i].choice,
                                 .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1},
                                 .files = {.path = files, .count = FILES}, .threads = i == 0 ? 1 : 3, .counts_most = i};
        CHECKF(stats_read(&reading, &result[i], &err) == BIPE_OK, "%s", err.text);
    }
    for (int i = 0; i < BIPE_LEXICAL_COUNT; i++) {
        const bipe_unit_bins *x = &result[0].all.measure[i], *y = &result[1].all.measure[i];
        CHECK(x->count != 0 && x->count == y->count && memcmp(x->bin, y->bin, x->count * sizeof *x->bin) == 0);
    }
    const bipe_tally *a = result[0].all.tally, *b = result[1].all.tally;
    CHECK(result[1].files == FILES && result[1].all.documents == FILES &&
          result[1].all.tokens == result[0].all.tokens && result[1].all.bytes == result[0].all.bytes);
    CHECK(a->count > 5 && a->count == b->count);
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        bipe_count *x = NULL, *y = NULL;
        size_t n = 0, m = 0;
        CHECK(a->row[i].length == b->row[i].length && a->row[i].segments.total == b->row[i].segments.total);
        CHECK(bipe_histogram_sorted(&a->row[i].tokens, &x, &n, &err) == BIPE_OK &&
              bipe_histogram_sorted(&b->row[i].tokens, &y, &m, &err) == BIPE_OK);
        CHECK(n > LONGEST / 3 && n == m && memcmp(x, y, n * sizeof *x) == 0);
        bipe_free(x);
        bipe_free(y);
    }
    stats_result_close(&result[0]);
    stats_result_close(&result[1]);
    bipe_tokenizer_close(tokenizer);
    unlink(long_path);
}

int main(void)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fputs("{\"text\":\"One. Two.\\n\\n. .\"}\n{\"text\":\" abc.d\"}\n", f) >= 0 && fclose(f) == 0);
    static char words[] = "words";
    test_formats();
    test_crowded();
    test_several_files();
    CHECK(test_no_memory(count_without_memory, NULL, NULL) > 10);
    CHECK(test_no_memory(count_without_memory, words, NULL) > 10);
    unlink(path);
    return test_result();
}
