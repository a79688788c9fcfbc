/* test_tool_alloc.c - a tool without memory: whatever threads find out, it ends once, says so once, and leaves no
 * unfinished output. */
#include "config.h"

#include <jansson.h>

#include "base/output.h"
#include "base/threads.h"
#include "cli/tool.h"
#include "cli/tool_alloc.h"
#include "tests/no_memory.h"
#include "tests/scratch.h"

enum { THREADS = 8 };

static void need(void *context, size_t i, size_t worker)
{
    (void)i, (void)worker;
    bipe_tool_need(context);
}

/* with: NULL where memory is out. */
static int work(void *with)
{
    bipe_tool tool;
    bipe_output *output;
    bipe_pool *pool;
    bipe_error err;
    bipe_tool_start(&tool, "bipe-test");
    bool ready = bipe_output_open(&output, scratch_path("out"), &err) == BIPE_OK &&
                 bipe_pool_open(&pool, THREADS, &err) == BIPE_OK;
    if (!ready || bipe_output_write(output, "text\n", 5, &err) != BIPE_OK)
        return NO_MEMORY_WRONG;
    bipe_pool_run(pool, 4 * THREADS, need, with);
    bipe_pool_close(pool);
    return bipe_output_commit(output, &err) == BIPE_OK ? NO_MEMORY_DONE : NO_MEMORY_WRONG;
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *folder = opendir(scratch_root);
    CHECK(folder != NULL);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Grows until memory is out, and then allocates by jansson. */
static int fail_in_turn(void *context)
{
    size_t capacity = 0;
    int *list = NULL;
    bipe_tool_start(context, "bipe-test");
    bipe_alloc_fail_at(no_memory_at);
    char *copy = bipe_tool_strdup("text");
    bipe_tool_grow(&list, &capacity, 10, sizeof *list);
    void *more = bipe_tool_alloc(3, 5);
    json_t *text = json_string("text");
    bipe_alloc_fail_at(-1);
    bool good = strcmp(copy, "text") == 0 && capacity >= 10 && text != NULL;
    json_decref(text);
    bipe_free(more);
    bipe_free(list);
    bipe_free(copy);
    return good ? NO_MEMORY_DONE : NO_MEMORY_WRONG;
}

int main(void)
{
    static char said[4096];
    bipe_tool tool;
    scratch_path("out");
    for (int round = 0; round < test_rounds(50); round++) {
        CHECK_UINT((uint64_t)no_memory_child(work, NULL, said, sizeof said), BIPE_EXIT_FAILED);
        CHECK_TEXT(said, "bipe-test: out of memory\n");
        CHECK_UINT(count_files(), 0);
    }
    CHECK_UINT((uint64_t)no_memory_child(work, said, said, sizeof said), BIPE_EXIT_DONE);
    CHECK_TEXT(said, "");
    CHECK_UINT(count_files(), 1);
    CHECK(test_no_memory(fail_in_turn, &tool, NULL) > 0);
    return test_result();
}
