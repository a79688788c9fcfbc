/* fuzz_safetensors.c - libFuzzer target: any bytes as a safetensors file. */
#include "format/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_tensor_table table = {0};
    bipe_names names = {0};
    bipe_error err;
    if (bipe_safetensors_read(&table, &names, data, size, &err) == BIPE_OK && bipe_table_finish(&table, &err) == BIPE_OK)
        for (size_t i = 0; i < table.count; i++)
            for (uint64_t k = 0; table.tensor[i].data != NULL && k < table.tensor[i].size; k++)
                sink += ((const uint8_t *)table.tensor[i].data)[k];
    bipe_table_free(&table);
    bipe_names_free(&names);
    return 0;
}
