/* test_stats.c - results of bipe-stats: written, read back and put together; damaged ones; and every allocation failing
 * once. */
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/no_memory.h"
#include "tools/stats/bipe_stats.h"

static const bipe_tool no_tool; /* which has no command line */

static const char *const specs[] = {"stop", "regex:a,\"b\\\\"};
static const char one[] = "test_stats_1.tmp", two[] = "test_stats_2.tmp";

static void add_window(bipe_tally *tally, uint64_t length, const uint64_t *tokens, size_t count)
{
    bipe_error err;
    bipe_tally_row *row = bipe_tally_row_at(tally, length);
    CHECK(row != NULL);
    for (size_t i = 0; i < count; i++)
        CHECK(bipe_histogram_add(&row->tokens, tokens[i], 1, &err) == BIPE_OK);
    CHECK(bipe_histogram_add(&row->segments, count, 1, &err) == BIPE_OK);
}

static bool with_words; /* results hold words, too */

static void add_word(bipe_word_table *list, uint32_t part, const char *word, uint64_t frequency)
{
    bipe_error err;
    const bipe_word_count count = bipe_word_count_document(frequency, 2500);
    CHECK(bipe_word_table_add(list, part, true, (const uint8_t *)word, strlen(word), &count, &err) == BIPE_OK);
    list->part[part].words += frequency;
}

static void fill_words(stats_result *r)
{
    bipe_error err;
    uint32_t part;
    r->choice.lexical = r->choice.words = true;
    stats_part_measure(&r->all, r);
    for (size_t i = 0; i < 2 * BIPE_LEXICAL_COUNT; i++) {
        CHECK(bipe_unit_bins_add(&r->all.measure[i], 5, 5000, 1, &err) == BIPE_OK);
        CHECK(bipe_unit_bins_add(&r->all.measure[i], 7, 0, 1, &err) == BIPE_OK);
    }
    for (uint64_t key = 0; key < 2; key++) {
        CHECK(bipe_word_table_part(&r->words, 9 - key, &part, &err) == BIPE_OK);
        bipe_word_part_add(&r->words.part[part], 1, 0, 2500 * 2500);
        add_word(&r->words, part, "caf\303\251", 1000);
        add_word(&r->words, part, key == 0 ? "a" : "\"b\\", 1500);
    }
    CHECK(bipe_word_table_settle(&r->words, &err) == BIPE_OK);
}

/* Two windows of 8 and one of 16 in a document of 5000 tokens, and an empty document. */
static void fill(stats_result *r)
{
    stats_result_open(r, "a \"tokenizer\"", specs, 2, NULL, NULL);
    for (size_t s = 0; s < 2; s++) {
        add_window(&r->all.tally[s], 8, (const uint64_t[]){3, 5}, 2);
        add_window(&r->all.tally[s], 8, (const uint64_t[]){8}, 1);
        add_window(&r->all.tally[s], 16, (const uint64_t[]){3, 13}, 2);
        add_window(&r->all.tally[s], BIPE_TALLY_DOCUMENT, (const uint64_t[]){3, 1997, 3000}, 3);
        add_window(&r->all.tally[s], BIPE_TALLY_DOCUMENT, NULL, 0);
    }
    r->files = 1;
    r->all.documents = 2;
    r->all.bytes = 9000;
    r->all.tokens = 5000;
    if (with_words)
        fill_words(r);
}

static int write_json(const stats_result *r, const char *path, bipe_error *err)
{
    bipe_output *output;
    stats_report report = {0};
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    status = stats_report_open(&report, r, NULL, err);
    if (status == BIPE_OK)
        stats_write_json(&no_tool, &report, output);
    stats_report_close(&report);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 17);
    *size = f != NULL ? fread(text, 1, (1 << 17) - 1, f) : 0;
    if (f != NULL)
        fclose(f);
    return text;
}

static void test_round_trip(void)
{
    stats_result r, back, sum;
    bipe_error err;
    size_t n, m;
    fill(&r);
    CHECK(write_json(&r, one, &err) == BIPE_OK);
    CHECK(stats_load(&back, NULL, one, &err) == BIPE_OK);
    CHECK(stats_result_settle(&back, &err) == BIPE_OK && write_json(&back, two, &err) == BIPE_OK);
    char *a = slurp(one, &n), *b = slurp(two, &m);
    CHECK(n > 1000 && n == m && memcmp(a, b, n) == 0);
    CHECK_TEXT(back.segmenter[1], specs[1]);
    /* Twice the same: every count doubles. */
    CHECK(stats_load(&sum, NULL, one, &err) == BIPE_OK && stats_result_merge(&sum, &back, &err) == BIPE_OK);
    CHECK(sum.all.documents == 4 && sum.all.tokens == 10000 && sum.all.bytes == 18000 && sum.files == 2);
    CHECK(sum.all.tally[1].count == 3 && sum.all.tally[1].row[0].tokens.total == 6 &&
          sum.all.tally[1].row[2].segments.total == 4);
    sum.all.bytes = UINT64_MAX;
    CHECK(stats_result_merge(&sum, &back, &err) == BIPE_ERR_LIMIT);
    back.tokenizer[0] = 'b';
    CHECK(stats_result_merge(&sum, &back, &err) == BIPE_ERR_ARGUMENT && strstr(err.text, "tokenizer") != NULL);
    stats_result_close(&r);
    stats_result_close(&back);
    stats_result_close(&sum);
    free(a);
    free(b);
}

/* The file with one byte taken away or changed is either read to the same counts or refused with its name: never
 * accepted with others. */
static void test_damage(void)
{
    size_t size;
    char *text = slurp(one, &size);
    unsigned long refused = 0;
    for (size_t at = 0; at < size; at += test_all_rounds() ? 3 : 31) {
        stats_result r;
        bipe_error err;
        FILE *f = fopen(two, "wb");
        if (f == NULL)
            break;
        char digit = text[at] >= '0' && text[at] <= '8' ? (char)(text[at] + 1) : 'x';
        fwrite(text, 1, at, f);
        if (at % 2 == 0)
            fputc(digit, f);
        fwrite(text + at + 1, 1, size - at - 1, f);
        fclose(f);
        int status = stats_load(&r, NULL, two, &err);
        if (status == BIPE_OK) {
            /* Derived numbers, blanks and the number of files or bytes may be anything. */
            CHECK(r.all.documents == 2 && r.all.tokens == 5000 && r.count == 2);
            CHECK(!r.choice.words || (r.words.types.count == 3 && r.words.parts == 2 && r.words.cells == 4));
            CHECK(r.all.tally[0].count == 3 && r.all.tally[0].row[0].tokens.total == 3 &&
                  r.all.tally[0].row[2].segments.total == 2);
        } else {
            refused++;
            CHECKF(strncmp(err.text, two, sizeof two - 1) == 0, "%s", err.text);
        }
        stats_result_close(&r);
    }
    CHECK(refused > (test_all_rounds() ? 100 : 9));
    free(text);
}

static int of_memory(int status)
{
    return status == BIPE_OK ? NO_MEMORY_DONE : status == BIPE_ERR_MEMORY ? NO_MEMORY_LIBRARY : NO_MEMORY_WRONG;
}

static int report_twice(void *context)
{
    stats_result r = {0}, part = {0};
    stats_report report = {0};
    bipe_output *output = NULL;
    bipe_error err;
    (void)context;
    bipe_alloc_fail_at(no_memory_at);
    int status = stats_load(&r, NULL, one, &err);
    if (status == BIPE_OK)
        status = stats_load(&part, NULL, one, &err);
    if (status == BIPE_OK)
        status = stats_result_merge(&r, &part, &err);
    if (status == BIPE_OK)
        status = stats_report_open(&report, &r, NULL, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, two, &err);
    if (status == BIPE_OK)
        stats_write_table(&report, with_words, (bipe_look){.width = 60, .utf8 = true, .colour = true}, output);
    if (status == BIPE_OK)
        stats_write_csv(&report, false, output);
    if (status == BIPE_OK)
        status = bipe_output_flush(output, &err);
    bipe_alloc_fail_at(-1);
    bipe_output_abandon(output);
    stats_report_close(&report);
    stats_result_close(&part);
    stats_result_close(&r);
    return of_memory(status);
}

/* A result of shard `index` of 3, over 2 files of which the second cannot be read. */
static void write_shard(const char *path, uint64_t index)
{
    stats_result r;
    bipe_error err;
    fill(&r);
    r.files = 0;
    bipe_shard_group *g = bipe_result_shards_add(&r.shards, UINT64_C(0x0123456789abcdef), &(bipe_shard){index, 3}, 2);
    CHECK(g != NULL);
    g->file[0] = (bipe_shard_file){.good = index == 2 ? 2 : 0};
    g->file[1].bad = 1;
    CHECK(write_json(&r, path, &err) == BIPE_OK);
    stats_result_close(&r);
}

static int merge_shards(stats_result *sum, bipe_error *err)
{
    stats_result part = {0};
    int status = stats_load(sum, NULL, one, err);
    if (status == BIPE_OK)
        status = stats_load(&part, NULL, two, err);
    if (status == BIPE_OK)
        status = stats_result_merge(sum, &part, err);
    stats_result_close(&part);
    return status;
}

static int merge_without_memory(void *context)
{
    stats_result sum = {0};
    bipe_error err;
    (void)context;
    bipe_alloc_fail_at(no_memory_at);
    int status = merge_shards(&sum, &err);
    bipe_alloc_fail_at(-1);
    stats_result_close(&sum);
    return of_memory(status);
}

static void test_shards(void)
{
    stats_result sum;
    bipe_error err;
    for (uint64_t first = 0; first < 3; first++)
        for (uint64_t second = 0; second < 3; second++) {
            write_shard(one, first);
            write_shard(two, second);
            int status = merge_shards(&sum, &err);
            if (first == second) {
                CHECK(status == BIPE_ERR_ARGUMENT && strstr(err.text, "which a file before it holds too") != NULL);
            } else {
                char text[64];
                CHECK(status == BIPE_OK && sum.shards.count == 1 && sum.shards.group[0].index_count == 2);
                bipe_shard_group_missing(&sum.shards.group[0], &err);
                snprintf(text, sizeof text, "shard %d of 3 is missing, expected results of all",
                         (int)(3 - first - second));
                CHECK_TEXT(err.text, text);
                /* The first file counts when its own shard is there, or another one that has read from it. */
                CHECK_UINT(stats_result_files(&sum), 1);
                CHECK(stats_result_settle(&sum, &err) == BIPE_OK);
                CHECK(sum.shards.count == 1 && sum.all.documents == 4);
            }
            stats_result_close(&sum);
        }
    write_shard(one, 2);
    write_shard(two, 0);
    CHECK(test_no_memory(merge_without_memory, NULL, NULL) > 20);
    /* Many gaps: the list is cut short, the line is not. */
    uint64_t odd[2000];
    for (size_t i = 0; i < 2000; i++)
        odd[i] = 2 * i + 1;
    bipe_shard_group_missing(&(bipe_shard_group){.count = 4000, .index = odd, .index_count = 2000}, &err);
    CHECK(strncmp(err.text, "shards 0, 2, 4, ", 16) == 0 &&
          strstr(err.text, " and others of 4000 are missing") != NULL);
    bipe_shard_group_missing(&(bipe_shard_group){.count = 4002, .index = odd, .index_count = 1}, &err);
    CHECK_TEXT(err.text, "shards 0, 2-4001 of 4002 are missing, expected results of all");
}

int main(void)
{
    for (int words = 0; words < 2; words++) {
        with_words = words == 1;
        test_round_trip();
        test_damage();
        CHECK(test_no_memory(report_twice, NULL, NULL) > 20);
    }
    test_shards();
    unlink(one);
    unlink(two);
    return test_result();
}
