/* fuzz_score_journal.c - any bytes as a journal of bipe-score. Half of the inputs get the right header and, on each line, the
 * right checksum, so that what stands behind them is read as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "tools/bipe_score.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bipe_hyperparameters hyperparameters;
static const bipe_score_setup setup = {
    .model_path = "/nowhere", .hyperparameters = &hyperparameters, .tokenizer = "byte", .segmenter = "stop", .protocol = "paper",
};

static char path[64];
static char header[64];

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void prepare(void)
{
    if (header[0] != '\0')
        return;
    snprintf(path, sizeof path, "/tmp/bipe-fuzz-journal-%ld", (long)getpid());
    unlink(path);
    bipe_error err = { 0 };
    bipe_score_journal *journal;
    if (bipe_score_journal_open(&journal, path, &setup, &err) != BIPE_OK)
        abort();
    bipe_score_journal_close(journal);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fgets(header, sizeof header, file) == NULL)
        abort();
    fclose(file);
}

/* The lines of data, each with its checksum. */
static void add_lines(bipe_buffer *buffer, const uint8_t *data, size_t size)
{
    bipe_error err = { 0 };
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        if (bipe_buffer_printf(buffer, &err, "row ") != BIPE_OK)
            abort();
        size_t start = buffer->size - 4;
        if (bipe_buffer_append(buffer, data, length, &err) != BIPE_OK ||
            bipe_buffer_printf(buffer, &err, " %016llx\n",
                               (unsigned long long)bipe_hash_bytes(BIPE_HASH_EMPTY, buffer->data + start, length + 4)) != BIPE_OK)
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
    bipe_error err = { 0 };
    bipe_buffer content = { 0 };
    if ((data[0] & 1) != 0) {
        if (bipe_buffer_append(&content, header, strlen(header), &err) != BIPE_OK)
            abort();
        add_lines(&content, data + 1, size - 1);
    } else if (bipe_buffer_append(&content, data, size, &err) != BIPE_OK) {
        abort();
    }
    write_file(content.data, content.size);
    bipe_buffer_free(&content);
    bipe_score_journal *journal;
    if (bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK) {
        bipe_score_row row = { .file = "f", .length = 3 };
        bipe_score_key key = { .hash = 1, .tokens = 2, .length = 3 };
        bipe_losses losses = { 0 };
        bipe_loss_bins bins = { 0 };
        bipe_losses_add(&row.losses, 1.25, 3, 1);
        if (bipe_score_journal_add(journal, &key, &row, &err) != BIPE_OK)
            abort();
        bipe_score_journal_close(journal);
        /* What was good, and the new row, can be read again. */
        if (bipe_score_journal_open(&journal, path, &setup, &err) != BIPE_OK ||
            bipe_score_journal_find(journal, &key, &losses, &bins, &err) != BIPE_OK)
            abort();
        bipe_loss_bins_free(&bins);
        bipe_score_journal_close(journal);
    }
    unlink(path);
    return 0;
}
