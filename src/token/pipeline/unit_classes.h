/* unit_classes.h - where texts of a pipeline may be cut into units beside characters beyond ASCII: their classes (cut_stream.h).
 *
 * What pipeline_units.h asks the steps about pairs of ASCII they tell here of a character by itself: what it becomes wherever it stands
 * among others of which that is told, and how what it becomes is split off from its neighbours. Characters of which steps tell the
 * same are of one class. Those that may be of a string that is looked for are odd, and so is what nothing can be told of: marks,
 * what may be composed with its neighbours, what vanishes, broken bytes. */
#ifndef BIPE_TOKEN_UNIT_CLASSES_H
#define BIPE_TOKEN_UNIT_CLASSES_H

#include "token/words/cut_stream.h"

struct bipe_pipeline;

/* Of one stream, since classes are found as their characters come. */
typedef struct bipe_unit_classes {
    bipe_cut_borders borders; /* the pipeline's, and more */
    bipe_cut_classes classes;
    const struct bipe_pipeline *pipeline;
    struct bipe_unit_traits *traits; /* [count] of classes; those of ASCII are the first */
    size_t count, capacity;
    bool gone;               /* a step leaves out white space; */
    bool marks;              /* one takes away marks */
} bipe_unit_classes;

/* Whether all steps of a pipeline that has units can tell. */
bool bipe_unit_classes_may(const struct bipe_pipeline *pipeline);
/* NULL when memory is out, without it units part between bytes of ASCII alone. */
bipe_unit_classes *bipe_unit_classes_open(const struct bipe_pipeline *pipeline);
void bipe_unit_classes_close(bipe_unit_classes *classes);

#endif
