/* fuzz_tokenizer_json.c - tokenizer.json files, and texts cut into pieces; and the files as jansson reads them. */
#include <stdlib.h>

#include "tests/fuzz/token_cuts.h"
#include "tests/description_twin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_json(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bool taken;
    bipe_error other = {0};
    if (!twins_agree(bytes, size, &taken, &other))
        abort();
    return bipe_tokenizer_json_read(tokenizer, bytes, size, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return token_fuzz(data, size, read_json);
}
