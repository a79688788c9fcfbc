/* test_score_memory.c - a run of bipe-score in which every allocation fails once, in turn: it ends with status 1 or with the
 * right report, and (under a sanitizer) loses nothing. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tools/score/bipe_score.h"

enum { REPORT_MOST = 1 << 16, ENOUGH = 4 };

static char folder[64], text[128], report[128], tokens[128], journal[128], model[4096];

static size_t read_report(char *content)
{
    FILE *file = fopen(report, "rb");
    size_t size = file == NULL ? 0 : fread(content, 1, REPORT_MOST, file);
    if (file != NULL)
        fclose(file);
    return size;
}

/* One run with the n-th allocation failing; its exit status. */
static int run_once(long n, bool resumed)
{
    bipe_score_run run = {0};
    const char *paths[] = { text, text };
    bipe_files files = { .path = paths, .count = 2 };
    bipe_error err = {0};
    unlink(report);
    unlink(journal);
    bipe_tool_start(&run.tool, "bipe-score");
    run.tool.threads = 1;
    run.tool.quiet = true;
    run.given = (bipe_score_options){ .tokenizer = "byte", .output = report, .dump[BIPE_SCORE_TOKENS] = resumed ? NULL : tokens,
                                      .resume = resumed ? journal : NULL, .json = true, .bos = BIPE_BOS_NONE,
                                      .without = -1, .by = BIPE_SCORE_BY_INTRA - 1, .inputs = BIPE_INPUTS_NONE };
    run.given.lengths.value = bipe_alloc(2, sizeof *run.given.lengths.value);
    if (run.given.lengths.value == NULL)
        abort();
    run.given.lengths.value[0] = 24;
    run.given.lengths.value[1] = 60;
    run.given.lengths.count = run.given.lengths.capacity = 2;
    int null = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO); /* there will be many errors */
    dup2(null, STDERR_FILENO);
    close(null);
    bipe_alloc_fail_at(n);
    if (bipe_score_open(&run, model, files, &err) == BIPE_OK) {
        bipe_score_files(&run, files);
    } else {
        CHECK(err.status != BIPE_OK && err.text[0] != '\0');
        run.tool.status = BIPE_EXIT_FAILED;
    }
    bipe_alloc_fail_at(-1);
    dup2(saved, STDERR_FILENO);
    close(saved);
    bipe_score_close(&run);
    return run.tool.status;
}

static void fail_in_turn(bool resumed)
{
    static char want[REPORT_MOST], got[REPORT_MOST];
    CHECK(run_once(-1, resumed) == BIPE_EXIT_DONE);
    size_t want_size = read_report(want);
    CHECK(want_size > 100 && want_size < REPORT_MOST);
    long failed = 0;
    int quiet = 0;
    for (long n = 0; quiet < ENOUGH; n += test_all_rounds() ? 1 : 3) {
        int status = run_once(n, resumed);
        if (status == BIPE_EXIT_DONE) {
            quiet++;
            CHECK(read_report(got) == want_size && memcmp(got, want, want_size) == 0);
        } else {
            quiet = 0;
            failed++;
            CHECK(status == BIPE_EXIT_FAILED);
        }
    }
    CHECK(failed > 20);
}

int main(void)
{
    const char *source = getenv("BIPE_SRCDIR");
    if (source == NULL)
        test_skip("BIPE_SRCDIR is not set");
    snprintf(model, sizeof model, "%s/tests/models/small-bipe-alibi.bin", source);
    snprintf(folder, sizeof folder, "/tmp/bipe-score-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(text, sizeof text, "%s/text.jsonl", folder);
    snprintf(report, sizeof report, "%s/report", folder);
    snprintf(tokens, sizeof tokens, "%s/tokens", folder);
    snprintf(journal, sizeof journal, "%s/journal", folder);
    FILE *file = fopen(text, "wb");
    if (file == NULL || fputs("{\"text\":\"It rained. Nobody came, and the road was dark.\"}\n{\"text\":\"It rained again.\"}\n",
                              file) < 0 || fclose(file) != 0)
        return 1;
    fail_in_turn(false);
    fail_in_turn(true);
    unlink(text);
    unlink(report);
    unlink(tokens);
    unlink(journal);
    rmdir(folder);
    return test_result();
}
