/* tool_alloc.c - see tool_alloc.h. */
#include "config.h"

#include "cli/tool_alloc.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_guard.h"
#include "cli/tool.h"

static bipe_tool *running;

/* From any thread. Nothing is freed, since other threads may be at work. */
static void end_tool(void)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending)) /* another thread ends it */
        pause();
    if (running != NULL)
        bipe_progress_clear(&running->progress);
    fprintf(stderr, "%s: out of memory\n", running != NULL ? running->name : PACKAGE_NAME);
    bipe_output_remove_all();
    _exit(BIPE_EXIT_FAILED);
}

void *bipe_tool_need(void *made)
{
    if (made == NULL)
        end_tool();
    return made;
}

void bipe_tool_need_done(int status)
{
    if (status != BIPE_OK)
        end_tool();
}

void *bipe_tool_alloc(size_t count, size_t size)
{
    return bipe_tool_need(bipe_alloc(count, size));
}

void bipe_tool_grow(void *array, size_t *capacity, size_t want, size_t size)
{
    if (bipe_grow(array, capacity, want, size) != 0)
        end_tool();
}

char *bipe_tool_strdup(const char *text)
{
    return bipe_tool_need(bipe_strdup(text));
}

static void *alloc_for_json(size_t size)
{
    return bipe_tool_need(bipe_realloc(NULL, size, 1));
}

void bipe_tool_alloc_start(bipe_tool *tool)
{
    running = tool;
    json_set_alloc_funcs(alloc_for_json, bipe_free);
}
