/* tokenize.c - how fast a tokenizer is by itself: one thread, the text in memory, tokens with their spans thrown away.
 * Usage: tokenize TOKENIZER FILE [ROUNDS]. Output: seconds of processor time of the fastest round, bytes, tokens, and a
 * hash of the ids. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "token/tokenizer.h"

enum { PIECE = 1 << 16 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long end = ftell(file);
    rewind(file);
    uint8_t *bytes = end >= 0 ? bipe_alloc((size_t)end + 1, 1) : NULL;
    *size = bytes != NULL ? fread(bytes, 1, (size_t)end, file) : 0;
    fclose(file);
    return bytes;
}

/* Drops the tokens; *hash of their ids when it is not NULL. */
static void drop(bipe_tokens *tokens, size_t *count, uint64_t *hash)
{
    for (size_t i = 0; hash != NULL && i < tokens->count; i++)
        *hash = (*hash ^ tokens->token[i].id) * UINT64_C(0x100000001b3);
    *count += tokens->count;
    tokens->count = 0;
}

static int round_over(bipe_token_stream *stream, const uint8_t *bytes, size_t size, size_t *count, uint64_t *hash,
                      bipe_error *err)
{
    bipe_tokens tokens = {0};
    int status = bipe_token_stream_begin(stream, err);
    for (size_t at = 0; status == BIPE_OK && at < size; at += PIECE) {
        status = bipe_token_stream_feed(stream, bytes + at, size - at < PIECE ? size - at : PIECE, &tokens, err);
        drop(&tokens, count, hash);
    }
    if (status == BIPE_OK)
        status = bipe_token_stream_end(stream, &tokens, err);
    drop(&tokens, count, hash);
    bipe_tokens_free(&tokens);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    bipe_error err = {0};
    bipe_tokenizer *tokenizer;
    bipe_token_stream *stream;
    size_t size, count = 0;
    uint8_t *bytes = read_file(argv[2], &size);
    if (bytes == NULL) {
        fprintf(stderr, "tokenize: %s: cannot be read\n", argv[2]);
        return 1;
    }
    int status = bipe_tokenizer_open(&tokenizer, argv[1], false, &err);
    if (status == BIPE_OK && (status = bipe_token_stream_open(&stream, tokenizer, &err)) != BIPE_OK)
        bipe_tokenizer_close(tokenizer);
    if (status != BIPE_OK) {
        fprintf(stderr, "tokenize: %s\n", err.text);
        return 1;
    }
    double best = -1;
    int rounds = argc > 3 ? atoi(argv[3]) : 1;
    for (int i = 0; status == BIPE_OK && i < rounds; i++) {
        size_t seen = 0;
        double from = processor_seconds();
        status = round_over(stream, bytes, size, &seen, NULL, &err);
        double took = processor_seconds() - from;
        best = best < 0 || took < best ? took : best;
    }
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (status == BIPE_OK)
        status = round_over(stream, bytes, size, &count, &hash, &err);
    if (status == BIPE_OK)
        printf("%.4f s %zu bytes %zu tokens %016llx %.1f MB/s\n", best, size, count, (unsigned long long)hash,
               (double)size / (best + 1e-9) * 1e-6);
    else
        fprintf(stderr, "tokenize: %s\n", err.text);
    bipe_token_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
    bipe_free(bytes);
    return status == BIPE_OK ? 0 : 1;
}
