/* fuzz_stats.c - results of bipe-stats --json from anywhere: read, put together and printed. */
#include "config.h"

#include <stdint.h>

#include "cli/run_record.h"
#include "tests/fuzz/memory_file.h"
#include "tools/stats/bipe_stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stats_result result, twin;
    stats_report report = {0};
    bipe_output *output = NULL;
    bipe_error err;
    bipe_tool tool = {.name = "bipe-stats"}; /* which merges the records of runs as well */
    if (size == 0 || data[0] != '{') /* compressed input is the business of fuzz_input */
        return 0;
    const char *path = memory_file(data, size);
    if (stats_load(&result, &tool, path, &err) == BIPE_OK && stats_load(&twin, &tool, path, &err) == BIPE_OK) {
        if (stats_result_merge(&result, &twin, &err) == BIPE_OK && stats_result_settle(&result, &err) == BIPE_OK &&
            stats_report_open(&report, &result, size % 7 == 0 ? "a,b" : NULL, &err) == BIPE_OK &&
            bipe_output_open(&output, "/dev/null", &err) == BIPE_OK) {
            bipe_look look = {.width = 40 + size % 61, .utf8 = size % 2 != 0};
            stats_write_table(&report, size % 5 == 0, look, output);
            stats_write_json(&tool, &report, output);
            stats_write_csv(&report, size % 3 == 0, output);
            stats_words_csv(&report, output);
            if (bipe_output_flush(output, &err) != BIPE_OK)
                abort();
        }
        bipe_output_abandon(output);
        stats_report_close(&report);
        stats_result_close(&twin);
    }
    stats_result_close(&result);
    bipe_run_record_free(&tool);
    return 0;
}
