/* fuzz_vocab_files.c - folders with lists of strings: their files one after the other, each ended by a byte 0x1E; empty
 * ones are not there. */
#include "tests/fuzz/token_cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_lists(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_vocab_file file[BIPE_VOCAB_FILES] = {{0}};
    const uint8_t *at = bytes, *end = bytes + size;
    for (size_t i = 0; i < BIPE_VOCAB_FILES && at < end; i++) {
        const uint8_t *stop = memchr(at, 0x1E, (size_t)(end - at));
        file[i].size = (size_t)((stop != NULL ? stop : end) - at);
        if (file[i].size != 0 && (file[i].bytes = malloc(file[i].size)) != NULL)
            memcpy(file[i].bytes, at, file[i].size);
        at = stop != NULL ? stop + 1 : end;
    }
    bool lists = file[BIPE_VOCAB_TXT].bytes != NULL || file[BIPE_VOCAB_JSON].bytes != NULL;
    if (!lists) /* the configurations of a SentencePiece model, which is not there */
        bipe_vocab_files_keep_ids(file, NULL);
    int status = bipe_vocab_files_read(tokenizer, file, err);
    for (size_t i = 0; i < BIPE_VOCAB_FILES; i++)
        free(file[i].bytes);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return token_fuzz(data, size, read_lists);
}
