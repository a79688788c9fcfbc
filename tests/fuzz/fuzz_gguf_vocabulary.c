/* fuzz_gguf_vocabulary.c - tokenizers in GGUF files, and texts cut into pieces. */
#include <config.h>

#include "format/gguf.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/token_cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_gguf(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_gguf *gguf;
    int status = bipe_gguf_open(&gguf, memory_file(bytes, size), err);
    if (status != BIPE_OK)
        return status;
    status = bipe_gguf_vocabulary_read(tokenizer, gguf, err);
    bipe_gguf_close(gguf);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return token_fuzz(data, size, read_gguf);
}
