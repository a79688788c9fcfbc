/* tool_alloc.h - allocation in tools, which do not go on without memory: the tool ends with "NAME: out of memory" and
 * exit status 1, and its unfinished outputs are removed. Libraries use base/alloc.h, and report that memory is out. */
#ifndef BIPE_CLI_TOOL_ALLOC_H
#define BIPE_CLI_TOOL_ALLOC_H

#include <stddef.h>

/* As the functions of base/alloc.h, but never NULL. Release with bipe_free(). */
void *bipe_tool_alloc(size_t count, size_t size);
void bipe_tool_grow(void *array, size_t *capacity, size_t want, size_t size);
char *bipe_tool_strdup(const char *text);

/* Returns what a library has made, unless that is NULL because memory was out. */
void *bipe_tool_need(void *made);
/* The same of a function that fails for want of memory alone; status: BIPE_OK, or not. */
void bipe_tool_need_done(int status);

struct bipe_tool;

/* The tool that would end. From now on jansson allocates so, too. */
void bipe_tool_alloc_start(struct bipe_tool *tool);

#endif
