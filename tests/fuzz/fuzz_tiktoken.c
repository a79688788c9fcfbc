/* fuzz_tiktoken.c - tiktoken's files. Those that are used as a vocabulary have 50256 lines and more, so this is the
 * reader's lines. */
#include "tests/fuzz/token_cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_tiktoken_recognise(data, size);
    return token_fuzz(data, size, bipe_tiktoken_read);
}
