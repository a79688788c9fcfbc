/* token_lines.c - for comparisons with other programs: prints the ids of each document of standard input, a line each,
 * or "refused: WHY" with --refuse. Documents are lines without their newline, or end with another byte. With --spans
 * each id is followed by its bytes: ID:START-END. Usage: token_lines [--special] [--spans] [--refuse] [--end BYTE]
 * TOKENIZER < TEXT */
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

static void print(const bipe_tokens *tokens, int spans)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const bipe_token *token = &tokens->token[i];
        printf("%s%lu", i != 0 ? " " : "", (unsigned long)token->id);
        if (spans)
            printf(":%llu-%llu", (unsigned long long)token->start, (unsigned long long)token->end);
    }
    putchar('\n');
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
    int end = '\n', special = 0, spans = 0, refuse = 0;
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--special") == 0)
            special = 1;
        else if (strcmp(argv[i], "--spans") == 0)
            spans = 1;
        else if (strcmp(argv[i], "--refuse") == 0)
            refuse = 1;
        else if (strcmp(argv[i], "--end") == 0 && i + 2 < argc)
            end = atoi(argv[++i]);
        else
            return 2;
    }
    if (argc < 2)
        return 2;
    need(bipe_tokenizer_open(&tokenizer, argv[argc - 1], special, &err), &err);
    need(bipe_token_stream_open(&stream, tokenizer, &err), &err);
    while ((size = getdelim(&line, &capacity, end, stdin)) > 0) {
        if (line[size - 1] == end)
            size--;
        tokens.count = 0;
        int status = bipe_token_stream_begin(stream, &err);
        if (status == BIPE_OK)
            status = bipe_token_stream_feed(stream, (const uint8_t *)line, (size_t)size, &tokens, &err);
        if (status == BIPE_OK)
            status = bipe_token_stream_end(stream, &tokens, &err);
        if (status != BIPE_OK && refuse) {
            printf("refused: %s\n", err.text);
            continue;
        }
        need(status, &err);
        print(&tokens, spans);
    }
    free(line);
    bipe_tokens_free(&tokens);
    bipe_token_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
    return ferror(stdout) || fflush(stdout) != 0;
}
