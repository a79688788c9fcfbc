/* fuzz_score_journal.c - any bytes as a journal of bipe-score. Half of the inputs get the right header and, on each
 * line, the right checksum, so that the rest after them is read as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "tools/score/bipe_score.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bipe_hyperparameters hyperparameters;
static bipe_sizes lengths;
static bipe_score_combination combination = {
    .model_path = "/nowhere", .hyperparameters = &hyperparameters, .tokenizer = "byte", .segmenter = "stop",
};
static const bipe_score_setup setup = { .combination = &combination, .combinations = 1, .lengths = &lengths };

enum { HEADER_MOST = 4096 };

static char path[64];
static bipe_buffer header;

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void prepare(void)
{
    if (header.size != 0)
        return;
    snprintf(path, sizeof path, "/tmp/bipe-fuzz-journal-%ld", (long)getpid());
    unlink(path);
    bipe_error err = {0};
    bipe_score_journal *journal;
    if (bipe_score_journal_open(&journal, path, &setup, &err) != BIPE_OK)
        abort();
    bipe_score_journal_close(journal);
    FILE *file = fopen(path, "rb");
    if (file == NULL || bipe_buffer_reserve(&header, HEADER_MOST, &err) != BIPE_OK)
        abort();
    header.size = fread(header.data, 1, HEADER_MOST, file);
    fclose(file);
}

/* The lines of data, each with its checksum. */
static void add_lines(bipe_buffer *buffer, const uint8_t *data, size_t size)
{
    bipe_error err = {0};
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        size_t start = buffer->size;
        if (bipe_buffer_printf(buffer, &err, length % 2 != 0 ? "part " : "text ") != BIPE_OK ||
            bipe_buffer_append(buffer, data, length, &err) != BIPE_OK ||
            bipe_buffer_printf(buffer, &err, " %016llx\n",
                               (unsigned long long)bipe_hash_bytes(BIPE_HASH_EMPTY, buffer->data + start,
                                                                   length + 5)) != BIPE_OK)
            abort();
        length += end != NULL;
        data += length;
        size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    if (size == 0)
        return 0;
    bipe_error err = {0};
    bipe_buffer content = {0};
    if ((data[0] & 1) != 0) {
        if (bipe_buffer_append(&content, header.data, header.size, &err) != BIPE_OK)
            abort();
        add_lines(&content, data + 1, size - 1);
    } else if (bipe_buffer_append(&content, data, size, &err) != BIPE_OK) {
        abort();
    }
    write_file(content.data, content.size);
    bipe_buffer_free(&content);
    bipe_score_journal *journal;
    if (bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK) {
        bipe_score_row part = { .length = 3, .text = { .hash = 1, .tokens = 2 }, .losses.windows = 1 };
        bipe_score_row before = { .length = 3, .text = part.text }, after = before;
        uint64_t next, end;
        bipe_losses_add(&part.losses, 1.25, 3, 1);
        bipe_score_journal_find(journal, 0, &before, &next);
        bool added = bipe_score_journal_add(journal, next, &part, &err) == BIPE_OK;
        if (bipe_score_journal_commit(journal, &err) != BIPE_OK)
            abort();
        bipe_score_journal_close(journal);
        /* What was good, and the new part, can be read again. */
        if (bipe_score_journal_open(&journal, path, &setup, &err) != BIPE_OK)
            abort();
        bipe_score_journal_find(journal, 0, &after, &end);
        if (end != next + added)
            abort();
        bipe_score_row_free(&before);
        bipe_score_row_free(&after);
        bipe_score_journal_close(journal);
    }
    unlink(path);
    return 0;
}
