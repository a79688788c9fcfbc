/* fuzz_sentencepiece.c - SentencePiece models, and texts cut into pieces. */
#include "tests/fuzz/token_cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return token_fuzz(data, size, bipe_sentencepiece_read);
}
