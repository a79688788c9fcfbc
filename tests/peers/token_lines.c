/* token_lines.c - for comparisons with other programs: prints the ids of each line of standard input, every line a
 * document without its newline. With --nul a document ends with a NUL instead. Usage: token_lines [--special | --nul] TOKENIZER < TEXT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token/tokenizer.h"

static void need(int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    fprintf(stderr, "token_lines: %s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    bipe_error err;
    bipe_tokenizer *tokenizer;
    bipe_token_stream *stream;
    bipe_tokens tokens = {0};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    if (argc < 2)
        return 2;
    int end = argc > 2 && strcmp(argv[1], "--nul") == 0 ? '\0' : '\n';
    need(bipe_tokenizer_open(&tokenizer, argv[argc - 1], argc > 2 && strcmp(argv[1], "--special") == 0, &err), &err);
    need(bipe_token_stream_open(&stream, tokenizer, &err), &err);
    while ((size = getdelim(&line, &capacity, end, stdin)) > 0) {
        if (line[size - 1] == end)
            size--;
        tokens.count = 0;
        need(bipe_token_stream_begin(stream, &err), &err);
        need(bipe_token_stream_feed(stream, (const uint8_t *)line, (size_t)size, &tokens, &err), &err);
        need(bipe_token_stream_end(stream, &tokens, &err), &err);
        for (size_t i = 0; i < tokens.count; i++)
            printf("%s%lu", i != 0 ? " " : "", (unsigned long)tokens.token[i].id);
        putchar('\n');
    }
    free(line);
    bipe_tokens_free(&tokens);
    bipe_token_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
    return ferror(stdout) || fflush(stdout) != 0;
}
