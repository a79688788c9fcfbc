/* fuzz_blocks.c - libFuzzer target: any bytes as blocks of a type of weights, which the first byte chooses. The plain
 * reader and those of vector units must write as many values, with the same bits but for those of NaN. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/tensor.h"
#include "nn/micro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const float *got, const float *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&got[i], &want[i], sizeof got[i]) != 0 && !(isnan(got[i]) && isnan(want[i])))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bipe_dtype_row *row = size == 0 ? NULL : bipe_dtype_of(data[0]);
    if (row == NULL || row->read == NULL || size - 1 < row->bytes)
        return 0;
    size_t blocks = (size - 1) / row->bytes, count = blocks * row->values;
    uint8_t *bytes = malloc(blocks * row->bytes); /* exactly as large, so that the sanitizer sees what is read beyond */
    float *want = malloc(count * sizeof *want), *got = malloc(count * sizeof *got);
    if (bytes == NULL || want == NULL || got == NULL)
        abort();
    memcpy(bytes, data + 1, blocks * row->bytes);
    row->read(bytes, want, count);
    for (size_t i = 0; i < nn_cpu_count(); i++)
        for (const nn_block_reader *r = nn_cpu_at(i) != NULL ? nn_cpu_at(i)->readers : NULL; r && r->read; r++)
            if (r->type == row->gguf) {
                r->read(bytes, got, count);
                compare(got, want, count);
            }
    free(bytes), free(want), free(got);
    return 0;
}
