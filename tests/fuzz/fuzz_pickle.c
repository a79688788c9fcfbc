/* fuzz_pickle.c - libFuzzer target: any bytes as a file of torch.save() and, without the archive around it, as a
 * pickle. */
#include "format/pickle.h"
#include "tests/tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static int touch_tensor(void *context, const bipe_pickle_tensor *t, bipe_error *err)
{
    (void)context;
    (void)err;
    for (size_t i = 0; i < t->name_size; i++)
        sink += (uint8_t)t->name[i];
    for (size_t i = 0; i < t->storage_size; i++)
        sink += (uint8_t)t->storage[i];
    for (int i = 0; i < t->dims; i++)
        sink += t->shape[i] + t->stride[i];
    return BIPE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_tensor_table table = {0};
    bipe_names names = {0};
    bipe_error err;
    bipe_pickle_read(data, size, touch_tensor, NULL, &err);
    if (bipe_pytorch_read(&table, &names, data, size, &err) == BIPE_OK && bipe_table_finish(&table, &err) == BIPE_OK)
        sink += sum_of_tensors(&table);
    bipe_table_free(&table);
    bipe_names_free(&names);
    return 0;
}
