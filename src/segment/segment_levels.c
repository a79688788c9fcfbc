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

/* The level that the SPEC begins with, which ends at *end: a slash, or the end of the SPEC. */
static int open_first(bipe_segmentation **segmentation, const char *spec, const char **end, bipe_error *err)
{
    size_t size = strlen(spec);
    if (*spec == '(') {
        const char *close = strstr(spec, ")/");
        if (close == NULL && spec[size - 1] == ')')
            close = spec + size - 1;
        if (close != NULL) {
            *end = close + 1;
            return open_part(segmentation, spec + 1, (size_t)(close - spec) - 1, err);
        }
    }
    *end = spec + size;
    int status = open_part(segmentation, spec, size, err);
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status;
    for (const char *slash = strchr(spec, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        bipe_error part = {0};
        int found = open_part(segmentation, spec, (size_t)(slash - spec), &part);
        if (found == BIPE_OK || found == BIPE_ERR_MEMORY) {
            *end = slash;
            *err = found == BIPE_OK ? *err : part;
            return found;
        }
    }
    return status;
}

int bipe_levels_open(bipe_levels *levels, const char *spec, bipe_error *err)
{
    *levels = (bipe_levels){0};
    bipe_error own = {0};
    for (const char *at = spec, *end;; at = end + 1) {
        if (levels->count == BIPE_LEVELS)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%.100s': more than %d levels", spec,
                             (int)BIPE_LEVELS);
        int status = open_first(&levels->segmentation[levels->count], at, &end, &own);
        if (status != BIPE_OK) {
            *err = own;
            return status;
        }
        levels->rest[levels->count++] = at;
        if (*end == '\0')
            return BIPE_OK;
    }
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
