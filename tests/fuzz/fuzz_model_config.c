/* fuzz_model_config.c - config.json of any bytes: read or refused, within bounds. */
#include "model/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_hyperparameters hyper;
    bipe_error err;
    uint32_t rows;
    if (size <= BIPE_CONFIG_LIMIT && bipe_config_parse((const char *)data, size, &hyper, &rows, &err) == BIPE_OK) {
        char text[256], scaling[BIPE_SCALING_TEXT];
        bipe_scheme again;
        bipe_rope_scaling scaled;
        if (bipe_scheme_parse(&again, bipe_scheme_format(&hyper.scheme, text), &err) != BIPE_OK ||
            again.count != hyper.scheme.count ||
            bipe_rope_scaling_parse(&scaled, bipe_rope_scaling_format(&hyper.rope_scaling, scaling), &err) != BIPE_OK)
            __builtin_trap();
    }
    return 0;
}
