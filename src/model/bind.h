/* bind.h - what the files that find the weights of a model in a table of tensors share. Internal to src/model. */
#ifndef BIPE_MODEL_BIND_H
#define BIPE_MODEL_BIND_H

#include "model/family.h"

typedef struct bipe_binding {
    bipe_model *model;
    const bipe_tensor_table *table;
    bipe_naming naming;
    unsigned towers; /* of hf_text_config.h */
    bool *used; /* (table->count) */
    const bipe_tensor **sorted; /* (table->count) of a folder, as hf_names.h has them; else NULL */
    bipe_error *err;
    char name[BIPE_PARAMETER_NAME]; /* of the tensor that was looked for last */
} bipe_binding;

/* Where a role's rows are in a tensor that holds several. A vector's values count as rows. */
typedef struct bipe_place {
    const bipe_tensor *tensor; /* NULL: there is none */
    uint64_t first, rows;      /* the role's first row, and rows of the tensor: of each expert, where it holds them */
    bool experts;              /* it holds all experts, as its first dimension; and of each */
    bool transposed;           /* columns and rows in this order, */
    bool alternate;            /* every second row from `first` on */
    const bipe_tensor *scales; /* of a folder's MXFP4, whose blocks the tensor has */
} bipe_place;

/* A vector's values count as rows. */
static inline uint64_t bipe_binding_rows(const bipe_slot *slot)
{
    return slot->kind == BIPE_VECTOR ? slot->columns : slot->rows;
}
/* The tensor of that name, or NULL. */
const bipe_tensor *bipe_binding_find(const bipe_binding *binding, const char *name);
/* Fails with the shape that a tensor has and the one that it should have, `dims` numbers of which a 0 stands for any.
 */
int bipe_binding_fail_shape(bipe_binding *binding, const bipe_tensor *tensor, int dims, const uint64_t *shape);
/* Fails if values of the tensor cannot be computed with. */
int bipe_binding_check_type(bipe_binding *binding, const bipe_tensor *tensor);
/* Gives a matrix the number that the file has for it, named as b->name says: one value, or one for each expert. */
int bipe_binding_scale(bipe_binding *binding, const bipe_slot *slot, nn_matrix *matrix);

/* ---- experts (bind_experts.c) ---- */

/* Where a role of an expert is, in any of the forms that files have. */
bipe_place bipe_expert_find(bipe_binding *binding, const bipe_slot *slot);
/* Checks the tensor and fills the weight from it: where it lies, or from a copy if rows are not together there. */
int bipe_expert_bind(bipe_binding *binding, const bipe_slot *slot, bipe_weight *weight);

#endif
