/* fuzz_model_config.c - config.json of any bytes: read or refused, within bounds. */
#include "model/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_configuration made;
    bipe_error err;
    if (size <= BIPE_CONFIG_LIMIT && bipe_config_parse((const char *)data, size, &made, &err) == BIPE_OK) {
        const bipe_hyperparameters hyper = made.hyper;
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
