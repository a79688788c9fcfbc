/* token_spool.c - keeps the tokens of an input for windows; see token_spool.h. */
#include "measure/token_spool.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/spool.h"
#include "text/utf8.h"

struct bipe_token_spool {
    bipe_spool *records;
    uint64_t count, hash;       /* of complete documents */
    size_t segmenters;
    bipe_spool_bits bits[BIPE_SPOOL_SEGMENTERS];
    bool many_bits;             /* marks have more than one of all segmenters together */
    bool keeps_documents;
    bipe_spool_document *document;
    size_t documents, document_capacity;

    /* the document being read */
    bool open;
    uint64_t document_count, document_hash;
    uint64_t tokens_seen, vocabulary;
    bipe_spool_document present;
    bool begun_text, white;     /* a byte was seen; the last one was white space */
    bool in_word;               /* the last character was not white space */
    bipe_spool_token *held;     /* (held_count) on their way to the spool */
    size_t held_count, held_capacity;
};

int bipe_token_spool_open(bipe_token_spool **spool, size_t memory, size_t segmenters, bipe_error *err)
{
    *spool = NULL;
    bipe_token_spool *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    int status = bipe_spool_open(&made->records, memory, err);
    if (status != BIPE_OK) {
        bipe_free(made);
        return status;
    }
    made->hash = BIPE_HASH_EMPTY;
    made->segmenters = segmenters;
    for (size_t s = 0; s < segmenters; s++)
        made->bits[s] = (bipe_spool_bits){(uint8_t)s, 1};
    made->many_bits = segmenters > 1;
    *spool = made;
    return BIPE_OK;
}

void bipe_token_spool_keep_documents(bipe_token_spool *spool)
{
    spool->keeps_documents = true;
}

void bipe_token_spool_reset(bipe_token_spool *spool)
{
    spool->documents = 0;
    spool->count = 0;
    spool->hash = BIPE_HASH_EMPTY;
    bipe_token_spool_drop(spool);
}

void bipe_token_spool_drop(bipe_token_spool *spool)
{
    bipe_spool_truncate(spool->records, spool->count * sizeof(bipe_spool_token));
    spool->open = false;
    spool->held_count = 0;
}

int bipe_token_spool_begin(bipe_token_spool *spool, int64_t bos, uint64_t vocabulary, bipe_error *err)
{
    bipe_token_spool_drop(spool);
    spool->open = true;
    spool->document_count = 0;
    spool->document_hash = bipe_hash_uint(spool->hash, UINT64_MAX); /* marks where documents begin */
    spool->tokens_seen = 0;
    spool->present = (bipe_spool_document){ .first = spool->count };
    spool->begun_text = spool->white = spool->in_word = false;
    spool->vocabulary = vocabulary;
    if (bos == BIPE_NO_TOKEN)
        return BIPE_OK;
    if (bos < 0 || (uint64_t)bos >= vocabulary)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "BOS has id %" PRId64 ", the model has a vocabulary of %" PRIu64,
                         bos, vocabulary);
    if (bipe_grow(&spool->held, &spool->held_capacity, 1, sizeof *spool->held) != 0)
        return bipe_fail_memory(err);
    spool->held[spool->held_count++] = (bipe_spool_token){ .id = (uint32_t)bos };
    return BIPE_OK;
}

void bipe_token_spool_name(bipe_token_spool *spool, uint64_t index, uint32_t group, uint64_t note, uint64_t cluster)
{
    spool->present.index = index;
    spool->present.group = group;
    spool->present.note = note;
    spool->present.cluster = cluster;
}

/* Words of a token, as far as they fit into its mark. */
enum { WORDS_MOST = (1 << (32 - BIPE_SPOOL_SEGMENTERS)) - 1 };

/* Goes through the characters of a batch from *at on, up to byte `end` of the document: the number of words that begin
 * from `start` on. A word is a maximal run of characters that are not white space; bytes that are not UTF-8 are
 * none. */
static uint64_t count_words(bipe_token_spool *spool, const bipe_batch *batch, size_t *at, uint64_t start, uint64_t end)
{
    uint64_t words = 0;
    while (*at < batch->byte_count && batch->byte_offset + *at < end) {
        int32_t code;
        size_t used = bipe_utf8_decode(batch->bytes + *at, batch->byte_count - *at, &code);
        bool white = bipe_is_white_space(code);
        words += !white && !spool->in_word && batch->byte_offset + *at >= start;
        spool->in_word = !white;
        *at += used != 0 ? used : 1;
    }
    return words;
}

/* Appends the held tokens, with their numbers of words, to the spool. */
static int append_tokens(bipe_token_spool *spool, const bipe_batch *batch, bipe_error *err)
{
    size_t at = 0, count = spool->held_count;
    for (size_t k = 0; k < count; k++) {
        bipe_spool_token *token = &spool->held[k];
        uint64_t words = count_words(spool, batch, &at, token->start, token->end);
        words = words > WORDS_MOST ? WORDS_MOST : words;
        spool->document_hash = bipe_hash_uint(spool->document_hash, token->start);
        spool->document_hash = bipe_hash_uint(spool->document_hash, token->end);
        spool->document_hash =
            bipe_hash_uint(spool->document_hash, (uint64_t)token->id << 32 | words << 1 | (token->mark & 1));
        if (spool->many_bits)
            spool->document_hash = bipe_hash_uint(spool->document_hash, token->mark);
        token->mark |= (uint32_t)words << BIPE_SPOOL_SEGMENTERS;
    }
    count_words(spool, batch, &at, UINT64_MAX, UINT64_MAX);
    spool->document_count += count;
    spool->held_count = 0;
    return bipe_spool_append(spool->records, spool->held, count * sizeof *spool->held, err);
}

/* The document is complete: its records count. */
static int keep_document(bipe_token_spool *spool, bipe_error *err)
{
    spool->open = false;
    if (spool->document_count == 0)
        return BIPE_OK;
    if (spool->keeps_documents) {
        if (bipe_grow(&spool->document, &spool->document_capacity, spool->documents + 1, sizeof *spool->document) != 0)
            return bipe_fail_memory(err);
        spool->present.pieces += spool->white && spool->begun_text;
        spool->document[spool->documents++] = spool->present;
    }
    spool->count += spool->document_count;
    spool->hash = spool->document_hash;
    return BIPE_OK;
}

/* Updates the document's pieces: white space at its beginning, and possibly at its end. */
static void note_bytes(bipe_token_spool *spool, const bipe_batch *batch)
{
    static const char white[] = " \t\n\r\f\v";
    spool->present.bytes += batch->byte_count;
    if (batch->byte_count == 0)
        return;
    if (!spool->begun_text)
        spool->present.pieces = memchr(white, batch->bytes[0], sizeof white - 1) != NULL;
    spool->begun_text = true;
    spool->white = memchr(white, batch->bytes[batch->byte_count - 1], sizeof white - 1) != NULL;
}

bipe_spool_bits bipe_token_spool_bits(const bipe_token_spool *spool, size_t segmenter)
{
    return spool->bits[segmenter];
}

static int take_levels(bipe_token_spool *spool, const uint8_t *levels, bipe_error *err)
{
    size_t bits = 0;
    for (size_t s = 0; s < spool->segmenters; bits += levels[s++])
        if (bits + levels[s] > BIPE_SPOOL_SEGMENTERS)
            return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d levels of segmenters", (int)BIPE_SPOOL_SEGMENTERS);
        else
            spool->bits[s] = (bipe_spool_bits){(uint8_t)bits, levels[s]};
    spool->many_bits = bits > 1;
    return BIPE_OK;
}

int bipe_token_spool_batch(bipe_token_spool *spool, const bipe_batch *batch, bipe_error *err)
{
    if (!spool->open)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a batch outside a document");
    if (batch->token_count > SIZE_MAX - spool->held_count ||
        bipe_grow(&spool->held, &spool->held_capacity, spool->held_count + batch->token_count, sizeof *spool->held) !=
            0)
        return bipe_fail_memory(err);
    for (size_t k = 0; k < batch->token_count; k++) {
        const bipe_token *token = &batch->tokens[k];
        if (token->id >= spool->vocabulary)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "token %" PRIu64 " has id %" PRIu32 ", the model has a vocabulary of %" PRIu64,
                             spool->tokens_seen, token->id, spool->vocabulary);
        spool->tokens_seen++;
        spool->held[spool->held_count++] = (bipe_spool_token){
            .start = token->start, .end = token->end, .id = token->id,
        };
    }
    int status = batch->levels != NULL ? take_levels(spool, batch->levels, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    for (size_t s = 0; s < spool->segmenters; s++)
        for (size_t c = 0; c < batch->close_count[s]; c++)
            spool->held[spool->held_count - batch->token_count + batch->closes[s][c]].mark |=
                UINT32_C(1) << (spool->bits[s].first + bipe_batch_level(batch, s, c) - 1);
    note_bytes(spool, batch);
    status = append_tokens(spool, batch, err);
    return status == BIPE_OK && batch->last ? keep_document(spool, err) : status;
}

uint64_t bipe_token_spool_count(const bipe_token_spool *spool)
{
    return spool->count;
}

uint64_t bipe_token_spool_hash(const bipe_token_spool *spool)
{
    return spool->hash;
}

const bipe_spool_document *bipe_token_spool_documents(const bipe_token_spool *spool, size_t *count)
{
    *count = spool->documents;
    return spool->document;
}

size_t bipe_token_spool_document_at(const bipe_token_spool *spool, uint64_t token)
{
    size_t low = 0, high = spool->documents;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (spool->document[middle].first <= token)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int bipe_token_spool_read(bipe_token_spool *spool, uint64_t start, bipe_spool_token *tokens, size_t count,
                          bipe_error *err)
{
    if (start > spool->count || count > spool->count - start)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tokens %" PRIu64 " to %" PRIu64 " were asked for, there are %" PRIu64,
                         start, start + count, spool->count);
    return bipe_spool_read(spool->records, start * sizeof *tokens, tokens, count * sizeof *tokens, err);
}

void bipe_token_spool_close(bipe_token_spool *spool)
{
    if (spool == NULL)
        return;
    bipe_spool_close(spool->records);
    bipe_free(spool->document);
    bipe_free(spool->held);
    bipe_free(spool);
}
