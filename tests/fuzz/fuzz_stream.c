/* fuzz_stream.c - any bytes as text, JSON Lines or token ids, through tokenizers and segmenters with small buffers.
 * What comes out must hang together: offsets, tokens and boundaries in order, and the text the same as what went in. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "measure/stream.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

enum { SPECS = 6 };
static const char *const specs[SPECS] = {"stop",    "paragraph",    "code",
                                         "fixed:3", "tokens:10,46", "regex:(?<=a)b+|\\s{2}"};

/* Only tokens that are not empty close segments. */
static void check_closes(const bipe_batch *batch, size_t segmenter)
{
    const uint32_t *closes = batch->closes[segmenter];
    for (size_t c = 0; c < batch->close_count[segmenter]; c++) {
        require(closes[c] < batch->token_count && (c == 0 || closes[c] > closes[c - 1]));
        require(batch->tokens == NULL || batch->tokens[closes[c]].start < batch->tokens[closes[c]].end);
    }
    for (size_t b = 0; b < batch->boundary_count[segmenter]; b++)
        require(batch->ends[segmenter][b] >= (b != 0 ? batch->ends[segmenter][b - 1] : 0) &&
                batch->ends[segmenter][b] <= batch->token_count);
}

/* Reads a document to its end; `text` is what it must be, or NULL. */
static void read_document(bipe_stream *stream, const uint8_t *text, size_t size)
{
    bipe_batch batch = {0};
    bipe_error err;
    uint64_t at = 0, token_end = 0, boundary[SPECS] = {0};
    size_t continued = 0; /* bytes at the end that continue a character */
    while (!batch.last) {
        if (bipe_stream_read(stream, &batch, &err) != BIPE_OK)
            return;
        require(batch.byte_offset == at);
        require(batch.byte_count == 0 || batch.bytes != NULL);
        require(batch.byte_count == 0 || (batch.bytes[0] & 0xC0) != 0x80 || at == 0 ||
                continued >= 3); /* the batch before ends with a character */
        for (size_t i = 0; i < batch.byte_count; i++)
            continued = (batch.bytes[i] & 0xC0) == 0x80 ? continued + 1 : 0;
        if (text != NULL)
            require(at + batch.byte_count <= size &&
                    (batch.byte_count == 0 || memcmp(text + at, batch.bytes, batch.byte_count) == 0));
        for (size_t k = 0; batch.tokens != NULL && k < batch.token_count; k++) {
            require(batch.tokens[k].start >= token_end && batch.tokens[k].end >= batch.tokens[k].start);
            token_end = batch.tokens[k].end;
        }
        at += batch.byte_count;
        for (size_t s = 0; s < SPECS; s++)
            check_closes(&batch, s);
        for (size_t s = 0; s < SPECS; s++)
            for (size_t b = 0; b < batch.boundary_count[s]; b++) {
                require(batch.boundaries[s][b] > boundary[s] && batch.boundaries[s][b] <= at);
                boundary[s] = batch.boundaries[s][b];
            }
    }
    require(text == NULL || at == size);
    for (size_t s = 0; s < SPECS; s++)
        require(boundary[s] == at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const tokenizers[] = {"byte", "char", "word", "words"};
    static const struct { bipe_document_kind documents; bipe_ids_kind ids; } kinds[] = {
        {BIPE_DOCUMENTS_PLAIN, BIPE_IDS_NONE}, {BIPE_DOCUMENTS_JSONL, BIPE_IDS_NONE},
        {BIPE_DOCUMENTS_PLAIN, BIPE_IDS_U16},
        {BIPE_DOCUMENTS_PLAIN, BIPE_IDS_U32}, {BIPE_DOCUMENTS_PLAIN, BIPE_IDS_TEXT}};
    if (size < 2)
        return 0;
    size_t kind = data[0] % 5, words = data[0] / 5 % 4;
    char buffer[8];
    snprintf(buffer, sizeof buffer, "%u", data[1] % 32 + 1u);
    setenv("BIPE_BUFFER_SIZE", buffer, 1);
    bipe_tokenizer *tokenizer;
    bipe_stream *stream;
    bipe_error err;
    if (kind > 1)
        words %= 2; /* ids need a vocabulary */
    require(bipe_tokenizer_open(&tokenizer, tokenizers[words], false, &err) == BIPE_OK);
    const char *own[SPECS];
    memcpy(own, specs, sizeof own);
    bool counts = (data[1] & 64) != 0; /* which segmenters of tokens do not allow; and words have no ids */
    if (counts)
        own[3] = "none";
    if (counts || words >= 2)
        own[4] = "line";
    bipe_stream_options options = {.tokenizer = tokenizer, .specs = own, .spec_count = SPECS,
                                   .documents = kinds[kind].documents, .ids = kinds[kind].ids};
    require(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
    data += 2;
    size -= 2;
    /* What looks compressed is the business of fuzz_input, and what begins like a byte order mark is decoded. */
    bool plain = size == 0 || !(data[0] == 0x28 || data[0] == 0x1F || data[0] == 0xFD || (data[0] & 0xF0) == 0x50);
    if (plain && bipe_stream_input(stream, memory_file(data, size), &err) == BIPE_OK) {
        int status;
        while ((status = bipe_stream_next_document(stream, &err)) != BIPE_END)
            if (status == BIPE_OK)
                read_document(stream, kind == 0 && (size == 0 || (data[0] != 0 && data[0] < 0xEF)) ? data : NULL, size);
    }
    bipe_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
    return 0;
}
