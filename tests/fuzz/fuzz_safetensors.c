/* fuzz_safetensors.c - libFuzzer target: any bytes as a safetensors file. */
#include "tests/tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_tensor_table table = {0};
    bipe_names names = {0};
    bipe_error err;
    if (bipe_safetensors_read(&table, &names, data, size, &err) == BIPE_OK &&
        bipe_table_finish(&table, &err) == BIPE_OK)
        sink += sum_of_tensors(&table);
    bipe_table_free(&table);
    bipe_names_free(&names);
    return 0;
}
