/* segment_levels.c - divides a SPEC into its levels and opens them. */
#include "segment/segment_levels.h"

#include <string.h>

#include "base/alloc.h"

/* Opens the SPEC of `size` bytes as one segmenter. */
static int open_part(bipe_segmentation **segmentation, const char *spec, size_t size, bipe_error *err)
{
    char *own = bipe_alloc(size + 1, 1);
    if (own == NULL)
        return bipe_fail_memory(err);
    memcpy(own, spec, size);
    int status = bipe_segmentation_open(segmentation, own, err);
    bipe_free(own);
    return status;
}

/* The size of the level that the SPEC begins with, where it is in parentheses; else 0. */
static size_t enclosed_size(const char *spec)
{
    const char *close = *spec == '(' ? strstr(spec, ")/") : NULL;
    size_t size = strlen(spec);
    if (close != NULL)
        return (size_t)(close - spec) + 1;
    return *spec == '(' && spec[size - 1] == ')' ? size : 0;
}

static int open_rest(bipe_levels *levels, const char *spec, bool first, bipe_error *err);

/* Opens a level of `size` bytes, and those that come after the slash behind it. *found: the level itself could be. */
static int open_level(bipe_levels *levels, const char *spec, size_t size, bool enclosed, bool *found, bipe_error *err)
{
    size_t at = levels->count;
    int status = open_part(&levels->segmentation[at], spec + enclosed, size - 2 * enclosed, err);
    *found = status == BIPE_OK;
    if (status != BIPE_OK)
        return status;
    levels->rest[levels->count++] = spec;
    if (spec[size] == '/')
        status = open_rest(levels, spec + size + 1, false, err);
    while (status != BIPE_OK && levels->count > at)
        bipe_segmentation_close(levels->segmentation[--levels->count]);
    return status;
}

/* first: nothing came before, and the whole has the right of way. */
static int open_rest(bipe_levels *levels, const char *spec, bool first, bipe_error *err)
{
    bool found;
    size_t size = strlen(spec), enclosed = enclosed_size(spec);
    if (levels->count == BIPE_LEVELS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%.100s': more than %d levels", levels->rest[0],
                         (int)BIPE_LEVELS);
    if (enclosed != 0)
        return open_level(levels, spec, enclosed, true, &found, err);
    int status = first ? open_level(levels, spec, size, false, &found, err) : BIPE_END;
    bool told = false; /* *err is of a level after one that could be opened */
    for (const char *slash = strchr(spec, '/'); slash != NULL && status != BIPE_OK && status != BIPE_ERR_MEMORY;
         slash = strchr(slash + 1, '/')) {
        bipe_error part = {0};
        int cut = open_level(levels, spec, (size_t)(slash - spec), false, &found, &part);
        if (cut == BIPE_OK || cut == BIPE_ERR_MEMORY || (found && !told)) {
            told = true;
            status = cut;
            *err = part;
        }
    }
    if (first || status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status;
    bipe_error whole = {0};
    int last = open_level(levels, spec, size, false, &found, &whole);
    if (!told || last == BIPE_OK) {
        status = last;
        *err = whole;
    }
    return status;
}

int bipe_levels_open(bipe_levels *levels, const char *spec, bipe_error *err)
{
    bipe_error own = {0};
    *levels = (bipe_levels){0};
    int status = open_rest(levels, spec, true, &own);
    if (status != BIPE_OK)
        *err = own;
    return status;
}

void bipe_levels_close(bipe_levels *levels)
{
    for (size_t i = 0; i < levels->count; i++)
        bipe_segmentation_close(levels->segmentation[i]);
    *levels = (bipe_levels){0};
}

int bipe_levels_count(size_t *count, const char *spec, bipe_error *err)
{
    bipe_levels levels;
    int status = bipe_levels_open(&levels, spec, err);
    *count = levels.count;
    bipe_levels_close(&levels);
    return status;
}
