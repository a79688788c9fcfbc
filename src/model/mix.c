/* mix.c - the table of mixes, and what follows from it for a weight; see mix.h. */
#include "model/mix.h"

#include "model/weights.h"

static const bipe_mix mixes[] = {
    {"f32", 0, BIPE_F32, BIPE_F32, {0}, {0}},
    {"f16", 1, BIPE_F16, BIPE_F16, {0}, {0}},
    {"bf16", 32, BIPE_BF16, BIPE_BF16, {0}, {0}},
    {"q8_0", 7, BIPE_Q8_0, BIPE_Q8_0, {0}, {0}},
    {"q6_k", 18, BIPE_Q6_K, BIPE_Q6_K, {0}, {0}},
    {"q5_k_m", 17, BIPE_Q5_K, BIPE_Q6_K, {BIPE_MIX_SPREAD, BIPE_Q6_K}, {BIPE_MIX_SPREAD, BIPE_Q6_K}},
    {"q5_k_s", 16, BIPE_Q5_K, BIPE_Q6_K, {0}, {0}},
    {"q5_1", 9, BIPE_Q5_1, BIPE_Q6_K, {0}, {0}},
    {"q5_0", 8, BIPE_Q5_0, BIPE_Q6_K, {0}, {0}},
    {"q4_k_m", 15, BIPE_Q4_K, BIPE_Q6_K, {BIPE_MIX_SPREAD, BIPE_Q6_K}, {BIPE_MIX_SPREAD, BIPE_Q6_K}},
    {"q4_k_s", 14, BIPE_Q4_K, BIPE_Q6_K, {BIPE_MIX_FIRST_FOUR, BIPE_Q5_K}, {BIPE_MIX_FIRST_EIGHTH, BIPE_Q5_K}},
    {"q4_0", 2, BIPE_Q4_0, BIPE_Q6_K, {0}, {0}},
    {"mxfp4", 38, BIPE_MXFP4, BIPE_Q8_0, {0}, {0}}, /* llama-quantize would put nothing but experts in MXFP4 */
};

const bipe_mix *bipe_mix_at(size_t i)
{
    return i < sizeof mixes / sizeof mixes[0] ? &mixes[i] : NULL;
}

const bipe_mix *bipe_mix_of(bipe_dtype dtype)
{
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++)
        if (mixes[i].main == dtype)
            return &mixes[i];
    return NULL;
}

static bool is_better_layer(bipe_mix_layers layers, uint32_t layer, uint32_t count)
{
    bool first = layer < count / 8;
    switch (layers) {
    case BIPE_MIX_NONE: break;
    case BIPE_MIX_FIRST_FOUR: return layer < 4;
    case BIPE_MIX_FIRST_EIGHTH: return first;
    case BIPE_MIX_SPREAD: return first || layer >= 7 * count / 8 || (layer - count / 8) % 3 == 2;
    }
    return false;
}

static bipe_dtype choose_dtype(const bipe_mix *mix, const bipe_hyperparameters *hyper, const bipe_slot *slot)
{
    if (slot->role == BIPE_ROLE_OUTPUT || (slot->role == BIPE_ROLE_EMBEDDING && hyper->tied))
        return mix->output;
    const bipe_mix_part *part = slot->role == BIPE_ROLE_VALUE ? &mix->value
                                : slot->role == BIPE_ROLE_DOWN ? &mix->down
                                                               : NULL;
    bipe_dtype dtype =
        part != NULL && is_better_layer(part->layers, slot->layer, hyper->layers) ? part->dtype : mix->main;
    /* Llama 2 and 3 of 70 billion parameters, whose few values are shared by eight heads. */
    bool large = hyper->layers == 80 && hyper->kv_heads != hyper->heads;
    return large && slot->role == BIPE_ROLE_VALUE && dtype == BIPE_Q4_K ? BIPE_Q5_K : dtype;
}

static bipe_dtype smaller_blocks(bipe_dtype dtype)
{
    return dtype == BIPE_Q4_K ? BIPE_Q5_0 : dtype == BIPE_Q5_K ? BIPE_Q5_1 : dtype == BIPE_Q6_K ? BIPE_Q8_0 : dtype;
}

bipe_dtype bipe_mix_dtype(const bipe_mix *mix, const bipe_hyperparameters *hyper, const bipe_slot *slot,
                          const bipe_weight *weight)
{
    if (slot->kind != BIPE_MATRIX)
        return BIPE_F32;
    if (mix == NULL || slot->role == BIPE_ROLE_ROUTER ||
        (slot->role == BIPE_ROLE_LEARNED && bipe_dtype_of(mix->main)->values > 1))
        return weight->dtype;
    bipe_dtype dtype = choose_dtype(mix, hyper, slot);
    uint64_t columns = weight->matrix.columns;
    if (bipe_dtype_row_size(dtype, columns) == 0)
        dtype = smaller_blocks(dtype);
    return bipe_dtype_row_size(dtype, columns) != 0 ? dtype : BIPE_F16;
}
