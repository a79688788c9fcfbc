/* hyperparameters.c - what must hold of hyperparameters whatever file they come from. Shapes of tensors are checked
 * where they are bound (bind.c). */
#include <inttypes.h>
#include <math.h>

#include "model/weights.h"

/* BLAS counts with 32 bits; indices are exact in f32 up to 2^24. */
enum { DIMENSION_LIMIT = INT32_MAX / 4 };

const char *bipe_model_shown(char out[BIPE_SHOWN_SIZE], const char *text, size_t size)
{
    size_t shown = size < 72 ? size : 72;
    for (size_t i = 0; i < shown; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[shown] = '\0';
    return out;
}

static int check_count(const char *name, uint32_t value, bipe_error *err)
{
    if (value == 0 || value > DIMENSION_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s is %" PRIu32 ", expected 1 to %d", name, value,
                         (int)DIMENSION_LIMIT);
    return BIPE_OK;
}

int bipe_hyperparameters_check(const bipe_hyperparameters *hyper, bipe_error *err)
{
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {
        {"the hidden size", hyper->hidden}, {"the number of layers", hyper->layers},
        {"the number of heads", hyper->heads}, {"the number of key-value heads", hyper->kv_heads},
        {"the head size", hyper->head_size}, {"the feed-forward size", hyper->feed_forward},
        {"the training length", hyper->train_length},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (check_count(counts[i].name, counts[i].value, err) != BIPE_OK)
            return BIPE_ERR_FORMAT;
    if (hyper->heads % hyper->kv_heads != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%" PRIu32 " key-value heads do not divide %" PRIu32 " heads",
                         hyper->kv_heads, hyper->heads);
    if ((uint64_t)hyper->heads * hyper->head_size > DIMENSION_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu32 " heads of %" PRIu32 " values, expected at most %d values in all", hyper->heads,
                         hyper->head_size, (int)DIMENSION_LIMIT);
    if (!(hyper->rms_norm_eps >= 0 && hyper->rms_norm_eps < 1))
        return bipe_fail(err, BIPE_ERR_FORMAT, "the epsilon of RMSNorm is %g, expected 0 to 1", hyper->rms_norm_eps);
    if (!(hyper->rope_base > 1 && hyper->rope_base < (double)INFINITY))
        return bipe_fail(err, BIPE_ERR_FORMAT, "the base of rope is %g, expected a number above 1", hyper->rope_base);
    if (hyper->rope_scaling.kind != BIPE_SCALING_NONE &&
        !(hyper->rope_scaling.factor > 0 && hyper->rope_scaling.factor < (double)INFINITY))
        return bipe_fail(err, BIPE_ERR_FORMAT, "the factor of rope scaling is %g, expected a number above 0",
                         hyper->rope_scaling.factor);
    if (hyper->rope_scaling.kind == BIPE_SCALING_LLAMA3 &&
        !(hyper->rope_scaling.low > 0 && hyper->rope_scaling.high > hyper->rope_scaling.low &&
          hyper->rope_scaling.original > 0))
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "llama3 rope scaling with frequency factors %g and %g, expected 0 < low < high",
                         hyper->rope_scaling.low, hyper->rope_scaling.high);
    if (hyper->rope_scaling.kind == BIPE_SCALING_YARN &&
        !(hyper->rope_scaling.low >= 0 && hyper->rope_scaling.high >= hyper->rope_scaling.low))
        return bipe_fail(
            err, BIPE_ERR_FORMAT,
            "yarn rope scaling with a beta_slow of %g and a beta_fast of %g, expected 0 < beta_slow <= beta_fast",
            hyper->rope_scaling.low, hyper->rope_scaling.high);
    if (!(hyper->rope_scaling.magnitude >= 0 && hyper->rope_scaling.magnitude < (double)INFINITY))
        return bipe_fail(err, BIPE_ERR_FORMAT, "rope scaling with an attention factor of %g, expected a number above 0",
                         hyper->rope_scaling.magnitude);
    if (hyper->log_scale && hyper->train_length < 2)
        return bipe_fail(err, BIPE_ERR_FORMAT, "log_scale with a training length of 1, expected at least 2");
    return bipe_decoder_check(hyper, err);
}
