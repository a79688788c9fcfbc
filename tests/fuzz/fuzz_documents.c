/* fuzz_documents.c - any bytes as JSON Lines: no crash, no endless loop, and the same documents and messages through
 * buffers of any size. As one record: a member written into it twice is as written once. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/record_writer.h"
#include "tests/fuzz/memory_file.h"
#include "text/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const char *path, const char *buffer_size, size_t capacity, size_t most, bipe_buffer *out)
{
    static uint8_t bytes[4096];
    static const char *const members[] = {"a", "text.a", "b.a"};
    bipe_documents *documents;
    bipe_error err;
    setenv("BIPE_BUFFER_SIZE", buffer_size, 1);
    out->size = 0;
    if (bipe_documents_open_members(&documents, path, BIPE_DOCUMENTS_JSONL, "text", members, 3, &err) != BIPE_OK)
        abort();
    if (most % 2 == 0)
        bipe_documents_keep_records(documents);
    int status;
    while ((status = bipe_documents_next(documents, &err)) != BIPE_END) {
        size_t n = 0;
        if (status == BIPE_OK) {
            bipe_buffer_printf(out, NULL, "%d:", (int)bipe_documents_index(documents));
            while ((status = bipe_documents_read(documents, bytes, capacity, &n, &err)) == BIPE_OK && n > 0)
                if (n > capacity || bipe_buffer_append(out, bytes, n, NULL) != BIPE_OK)
                    abort();
        }
        for (size_t i = 0; i < 3 && status == BIPE_OK; i++)
            bipe_buffer_printf(out, NULL, "%s;",
                               bipe_documents_value(documents, i) != NULL ? bipe_documents_value(documents, i) : "");
        bipe_buffer_append(out, status == BIPE_OK ? "." : err.text, status == BIPE_OK ? 1 : strlen(err.text), NULL);
        const bipe_buffer *record = bipe_documents_record(documents);
        if (record != NULL)
            bipe_buffer_append(out, record->data, record->size, NULL);
        if (bipe_documents_index(documents) > most)
            abort(); /* more records than bytes */
    }
    bipe_documents_close(documents);
}

static void write_member(const uint8_t *data, size_t size)
{
    bipe_output *once, *twice;
    uint8_t *copy = malloc(size + 1); /* its end is where reading must stop */
    if (copy == NULL || bipe_output_open_memory(&once, NULL) != BIPE_OK ||
        bipe_output_open_memory(&twice, NULL) != BIPE_OK)
        abort();
    memcpy(copy + 1, data, size);
    if (bipe_record_write(once, copy + 1, size, "a", "[0]", 3, NULL) == BIPE_OK) {
        const bipe_buffer *first = bipe_output_kept(once);
        if (bipe_record_write(twice, first->data, first->size, "a", "[0]", 3, NULL) != BIPE_OK ||
            bipe_output_kept(twice)->size != first->size ||
            memcmp(bipe_output_kept(twice)->data, first->data, first->size) != 0)
            abort();
    } else if (bipe_output_kept(once)->size != 0) {
        abort();
    }
    free(copy);
    bipe_output_abandon(once);
    bipe_output_abandon(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sizes[] = {"1", "2", "3", "7", "64"};
    /* Compressed bytes are fuzz_input's business. */
    if (size > 0 && strchr("\x28\x1F\xFD", data[0]) != NULL)
        return 0;
    if (size > 3 && memcmp(data + 1, "\x2A\x4D\x18", 3) == 0)
        return 0;
    write_member(data, size);
    bipe_buffer one = {0}, other = {0};
    const char *path = memory_file(data, size);
    read_all(path, "4096", 4096, size, &one);
    read_all(path, sizes[size % 5], 1 + size % 9, size, &other);
    if (one.size != other.size || (one.size > 0 && memcmp(one.data, other.data, one.size) != 0))
        abort();
    bipe_buffer_free(&one);
    bipe_buffer_free(&other);
    return 0;
}
