/* indices.c - the names of indices, and their check. */
#include "model/indices.h"

#include <inttypes.h>

const char *const bipe_index_names[BIPE_INDICES] = {
    [BIPE_INDEX_TOKEN] = "token", [BIPE_INDEX_SEGMENT] = "segment", [BIPE_INDEX_INTRA] = "intra",
    [BIPE_INDEX_SEGMENT2] = "segment2", [BIPE_INDEX_INTRA2] = "intra2", [BIPE_INDEX_SEGMENT3] = "segment3",
    [BIPE_INDEX_INTRA3] = "intra3", [BIPE_INDEX_SEGMENT4] = "segment4", [BIPE_INDEX_INTRA4] = "intra4",
};

int bipe_indices_check(const bipe_indices *indices, const bipe_scheme *scheme, size_t before, size_t count,
                       const char *what, size_t number, bipe_error *err)
{
    for (size_t i = 0; i < scheme->count; i++) {
        bipe_position_index index = scheme->term[i].index;
        if (index != BIPE_INDEX_TOKEN && indices->of[index] == NULL)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s %zu: no %s index, expected one for the scheme", what, number,
                             bipe_index_names[index]);
    }
    for (size_t i = BIPE_INDEX_SEGMENT; i < BIPE_INDICES; i++)
        for (size_t t = 0; indices->of[i] != NULL && t < count; t++)
            if (indices->of[i][t] > before + t)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s %zu: token %zu: %s %" PRIu32 ", expected at most %zu",
                                 what, number, before + t, bipe_index_names[i], indices->of[i][t], before + t);
    return BIPE_OK;
}
