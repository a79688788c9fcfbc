/* test_tool_memory.c - the inside of bipe-segment and bipe-stats with every allocation failing once: what could not be done is said,
 * nothing leaks, nothing is taken for done. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tools/segment/bipe_segment.h"
#include "tools/stats/bipe_stats.h"

static const char path[] = "test_tool_memory.jsonl";
static const char *const specs[] = {"stop"};
static const segment_columns columns = {.count = 3, .column = {SEGMENT_FILE, SEGMENT_INDEX, SEGMENT_START}};

/* The whole way from a file to a format. BIPE_OK only when all was written. */
static int segment_file(const segment_format *format, bool squeeze, bipe_error *err)
{
    bipe_tokenizer *tokenizer = NULL;
    bipe_stream *stream = NULL;
    segment_writer w = {.format = format, .columns = &columns, .squeeze = squeeze, .fold = squeeze, .trim = !squeeze};
    int status = bipe_tokenizer_open(&tokenizer, "word", false, err);
    bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1};
    if (status == BIPE_OK)
        status = bipe_stream_open(&stream, &options, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&w.output, "/dev/null", err);
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

static void test_formats(void)
{
    static const segment_format *const formats[] = {&segment_format_lines, &segment_format_nul, &segment_format_jsonl,
                                                    &segment_format_table, &segment_format_token_table, &segment_format_words,
                                                    &segment_format_count, &segment_format_kwic};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (long n = 0;; n++) {
            bipe_error err = {0};
            bipe_alloc_fail_at(n);
            int status = segment_file(formats[f], f % 2 == 0, &err);
            bipe_alloc_fail_at(-1);
            if (status == BIPE_OK) {
                CHECK(n > 10);
                break;
            }
            CHECKF(status == BIPE_ERR_MEMORY, "%s, allocation %ld: %s", formats[f]->name, n, err.text);
        }
}

/* Files by two threads: either all was printed, or a file is reported as not read, or an error ends the work. */
static void test_several_files(void)
{
    const char *files[] = {path, path, path};
    bipe_tokenizer *tokenizer = NULL;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    close(null);
    bool done = false;
    long n;
    for (n = 0; n < 1000 && !done; n++) {
        bipe_tool tool;
        bipe_tool_start(&tool, "test");
        tool.quiet = true;
        segment_run set = {.tool = &tool, .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1, .threads = 2},
                           .format = &segment_format_table, .columns = columns, .files = {.path = files, .count = 3}};
        CHECK(bipe_output_open(&set.output, "/dev/null", &err) == BIPE_OK);
        bipe_alloc_fail_at(n);
        int status = segment_run_files(&set, &err);
        bipe_alloc_fail_at(-1);
        bipe_output_abandon(set.output);
        done = status == BIPE_OK && tool.status == BIPE_EXIT_DONE;
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: %s", n, err.text);
    }
    dup2(saved, STDERR_FILENO);
    close(saved);
    CHECK(n > 10 && n < 1000);
    bipe_tokenizer_close(tokenizer);
}

/* Either everything is counted, or a file is reported as not read, or there is no result. */
static void test_counts(bool words)
{
    const char *files[] = {path, path};
    for (long n = 0;; n++) {
        bipe_error err = {0};
        bipe_tool tool;
        bipe_tokenizer *tokenizer = NULL;
        stats_result result = {0};
        bipe_tool_start(&tool, "test");
        CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
        CHECK(stats_result_open(&result, "byte", specs, 1, NULL, &err) == BIPE_OK);
        result.choice = (stats_choice){.lexical = words, .words = words};
        stats_reading reading = {.tool = &tool, .choice = result.choice, .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1},
                                 .files = {.path = files, .count = 2}, .threads = 1};
        bipe_alloc_fail_at(n);
        int status = stats_read(&reading, &result, &err);
        bipe_alloc_fail_at(-1);
        bool done = status == BIPE_OK && tool.status == BIPE_EXIT_DONE;
        if (done)
            CHECK(result.files == 2 && result.all.documents == 4 && result.all.bytes == 40 && result.all.tokens == 40 && n > 10);
        else
            CHECKF(status == BIPE_ERR_MEMORY || (status == BIPE_OK && result.all.documents < 4), "%ld: %s", n, err.text);
        stats_result_close(&result);
        bipe_tokenizer_close(tokenizer);
        if (done)
            return;
    }
}

/* Segments of all lengths up to LONGEST, in files of more than 1 MiB: counts that have no room are passed on, and add up to the same. */
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
        CHECK(stats_result_open(&result[i], "byte", specs, 1, NULL, &err) == BIPE_OK);
        result[i].choice.lexical = true;
        stats_reading reading = {.tool = &tool, .choice = result[i].choice, .stream = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1},
                                 .files = {.path = files, .count = FILES}, .threads = i == 0 ? 1 : 3, .counts_most = i};
        CHECKF(stats_read(&reading, &result[i], &err) == BIPE_OK, "%s", err.text);
    }
    for (int i = 0; i < BIPE_LEXICAL_COUNT; i++) {
        const bipe_unit_bins *x = &result[0].all.lexical[i], *y = &result[1].all.lexical[i];
        CHECK(x->count != 0 && x->count == y->count && memcmp(x->bin, y->bin, x->count * sizeof *x->bin) == 0);
    }
    const bipe_tally *a = result[0].all.tally, *b = result[1].all.tally;
    CHECK(result[1].files == FILES && result[1].all.documents == FILES && result[1].all.tokens == result[0].all.tokens && result[1].all.bytes == result[0].all.bytes);
    CHECK(a->count > 5 && a->count == b->count);
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        bipe_count *x = NULL, *y = NULL;
        size_t n = 0, m = 0;
        CHECK(a->row[i].length == b->row[i].length && a->row[i].segments.total == b->row[i].segments.total);
        CHECK(bipe_histogram_sorted(&a->row[i].tokens, &x, &n, &err) == BIPE_OK && bipe_histogram_sorted(&b->row[i].tokens, &y, &m, &err) == BIPE_OK);
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
    int log = open("/dev/null", O_WRONLY), screen = dup(STDERR_FILENO);
    test_formats();
    test_crowded();
    test_several_files();
    /* The tool's own messages are not for the test's log. */
    fflush(stderr);
    dup2(log, STDERR_FILENO);
    test_counts(false);
    test_counts(true);
    fflush(stderr);
    dup2(screen, STDERR_FILENO);
    close(screen);
    close(log);
    unlink(path);
    return test_result();
}
