/* hf_names.h - names of tensors in Hugging Face folders, also of models saved from within a wrapper of PyTorch: with
 * module. and _orig_mod. before or inside, with model. several times or not at all. Internal to src/model. */
#ifndef BIPE_MODEL_HF_NAMES_H
#define BIPE_MODEL_HF_NAMES_H

#include <stdbool.h>

#include "format/tensor.h"

/* The order of two names less what wrappers add; 0: they mean the same part of a model. */
int bipe_hf_compare(const char *a, const char *b);
/* The name less all of that: "layers.0.mlp.up_proj.weight". false: it is longer than that. */
bool bipe_hf_plain(const char *name, char *plain, size_t size);

/* The tensors in that order: `sorted` has room for all. BIPE_ERR_FORMAT: two are the same part. */
int bipe_hf_sort(const bipe_tensor_table *table, const bipe_tensor **sorted, bipe_error *err);
/* The one of that name, or NULL. */
const bipe_tensor *bipe_hf_find(const bipe_tensor *const *sorted, size_t count, const char *name);

#endif
