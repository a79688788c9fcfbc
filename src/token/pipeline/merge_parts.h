/* merge_parts.h - finds the places of pre-tokens that no merge of a vocabulary of bytes reaches across (pretoken_parts.h). */
#ifndef BIPE_TOKEN_MERGE_PARTS_H
#define BIPE_TOKEN_MERGE_PARTS_H

#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_parts.h"

/* For a model that is finished; parts: empty. Leaves it empty where nothing can be told, or memory is out: it saves time alone. */
void bipe_merge_parts_find(bipe_pretoken_parts *parts, const bipe_merge_model *model);

#endif
