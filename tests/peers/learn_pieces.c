/* learn_pieces.c - for comparisons: learn_pieces N FILE... >MODEL makes a tokenizer of N pieces from texts. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "train/make_tokenizer.h"

static int read_file(bipe_tokenizer_maker *maker, const char *path, bipe_error *err)
{
    bipe_documents *documents;
    int status = bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", err);
    if (status != BIPE_OK)
        return status;
    while ((status = bipe_documents_next(documents, err)) == BIPE_OK &&
           (status = bipe_tokenizer_maker_read(maker, documents, err)) == BIPE_OK)
        continue;
    bipe_documents_close(documents);
    return status == BIPE_END ? BIPE_OK : status;
}

int main(int argc, char **argv)
{
    bipe_error err = {0};
    bipe_tokenizer_maker *maker = NULL;
    bipe_output *output = NULL;
    bipe_tokenizer_facts facts;
    if (argc < 3)
        return 2;
    int status =
        bipe_tokenizer_maker_open(&maker, &(bipe_tokenizer_options){.pieces = strtoul(argv[1], NULL, 10)}, &err);
    for (int i = 2; i < argc && status == BIPE_OK; i++)
        status = read_file(maker, argv[i], &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, NULL, &err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_maker_write(maker, output, &facts, &err);
    if (status == BIPE_OK)
        status = bipe_output_commit(output, &err);
    else
        bipe_output_abandon(output);
    bipe_tokenizer_maker_close(maker);
    if (status != BIPE_OK)
        fprintf(stderr, "learn_pieces: %s\n", err.text);
    else
        fprintf(stderr, "learn_pieces: %zu merges, %zu characters, from %zu words; %llu words dropped\n", facts.merges,
                facts.characters, facts.words, (unsigned long long)facts.dropped);
    return status != BIPE_OK;
}
