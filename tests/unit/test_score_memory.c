/* test_score_memory.c - a run of bipe-score in which every allocation fails once, in turn: it ends with status 1 or
 * with the right report, and (under a sanitizer) loses nothing. */
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/no_memory.h"
#include "tools/score/bipe_score.h"

enum { REPORT_MOST = 1 << 16 };

static char folder[64], text[128], report[128], tokens[128], journal[128], model[4096];

static size_t read_report(char *content)
{
    FILE *file = fopen(report, "rb");
    size_t size = file == NULL ? 0 : fread(content, 1, REPORT_MOST, file);
    if (file != NULL)
        fclose(file);
    return size;
}

/* One run; its exit status. resumed: NULL: not. */
static int run_once(void *resumed)
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
    run.given = (bipe_score_options){.tokenizer = "byte", .output = report,
                                     .dump[BIPE_SCORE_TOKENS] = resumed != NULL ? NULL : tokens, .resume = resumed,
                                     .json = true, .without = -1, .by = BIPE_SCORE_BY_INTRA - 1,
                                     .inputs = BIPE_INPUTS_NONE};
    run.setup.rules.bos = BIPE_BOS_NONE;
    run.given.lengths.value = bipe_alloc(2, sizeof *run.given.lengths.value);
    if (run.given.lengths.value == NULL)
        abort();
    run.given.lengths.value[0] = 24;
    run.given.lengths.value[1] = 60;
    run.given.lengths.count = run.given.lengths.capacity = 2;
    bipe_alloc_fail_at(no_memory_at);
    if (bipe_score_open(&run, model, files, &err) == BIPE_OK) {
        bipe_score_files(&run, files);
    } else {
        bipe_tool_error(&run.tool, &err);
    }
    bipe_alloc_fail_at(-1);
    bipe_score_close(&run);
    return run.tool.status;
}

static char want[REPORT_MOST];
static size_t want_size;

/* One that failed may have a report of what was done. */
static void check_report(bool done)
{
    static char got[REPORT_MOST];
    size_t size = read_report(got);
    CHECK(!done || (size == want_size && memcmp(got, want, size) == 0));
}

static void fail_in_turn(char *resumed)
{
    no_memory_at = -1;
    CHECK(run_once(resumed) == BIPE_EXIT_DONE);
    want_size = read_report(want);
    CHECK(want_size > 100 && want_size < REPORT_MOST);
    CHECK(test_no_memory(run_once, resumed, check_report) > 20);
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
    if (file == NULL ||
        fputs("{\"text\":\"It rained. Nobody came, and the road was dark.\"}\n{\"text\":\"It rained again.\"}\n",
              file) < 0 ||
        fclose(file) != 0)
        return 1;
    fail_in_turn(NULL);
    fail_in_turn(journal);
    unlink(text);
    unlink(report);
    unlink(tokens);
    unlink(journal);
    CHECK(rmdir(folder) == 0); /* no temporary file is left */
    return test_result();
}
