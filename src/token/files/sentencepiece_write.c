/* sentencepiece_write.c - writes a SentencePiece .model (a protocol buffer, sentencepiece_model.proto).
 *
 * Field numbers are those of the published schema. Fields that are left out have the schema's defaults. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/output.h"
#include "token/files/protobuf.h"
#include "token/spm/bpe.h"

static int put_varint(bipe_buffer *message, uint64_t value, bipe_error *err)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return bipe_buffer_append(message, bytes, size, err);
}

static int put_number(bipe_buffer *message, unsigned field, uint64_t value, bipe_error *err)
{
    int status = put_varint(message, field << 3 | BIPE_WIRE_VARINT, err);
    return status == BIPE_OK ? put_varint(message, value, err) : status;
}

static int put_float(bipe_buffer *message, unsigned field, float value, bipe_error *err)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    int status = put_varint(message, field << 3 | BIPE_WIRE_32, err);
    return status == BIPE_OK ? bipe_buffer_append(message, bytes, sizeof bytes, err) : status;
}

static int put_bytes(bipe_buffer *message, unsigned field, const void *bytes, size_t size, bipe_error *err)
{
    int status = put_varint(message, field << 3 | BIPE_WIRE_BYTES, err);
    if (status == BIPE_OK)
        status = put_varint(message, size, err);
    return status == BIPE_OK ? bipe_buffer_append(message, bytes, size, err) : status;
}

/* Writes `message`, which is then empty, as a field of the model. */
static int write_message(bipe_output *output, unsigned field, bipe_buffer *message, bipe_error *err)
{
    bipe_buffer head = {0};
    int status = put_varint(&head, field << 3 | BIPE_WIRE_BYTES, err);
    if (status == BIPE_OK)
        status = put_varint(&head, message->size, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, head.data, head.size, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, message->data, message->size, err);
    message->size = 0;
    bipe_buffer_free(&head);
    return status;
}

static int write_piece(bipe_output *output, bipe_buffer *message, const void *text, size_t size, float score, bipe_piece_type type, bipe_error *err)
{
    enum { PIECE = 1, TEXT = 1, SCORE = 2, TYPE = 3 };
    int status = put_bytes(message, TEXT, text, size, err);
    if (status == BIPE_OK)
        status = put_float(message, SCORE, score, err);
    if (status == BIPE_OK && type != BIPE_PIECE_NORMAL)
        status = put_number(message, TYPE, (uint64_t)type, err);
    return status == BIPE_OK ? write_message(output, PIECE, message, err) : status;
}

static int write_pieces(bipe_output *output, bipe_buffer *message, const bipe_vocabulary *pieces, const float *score, bipe_error *err)
{
    static const struct { const char *text; bipe_piece_type type; } special[] = {
        {"<unk>", BIPE_PIECE_UNKNOWN}, {"<s>", BIPE_PIECE_CONTROL}, {"</s>", BIPE_PIECE_CONTROL}};
    int status = BIPE_OK;
    for (size_t i = 0; i < 3 && status == BIPE_OK; i++)
        status = write_piece(output, message, special[i].text, strlen(special[i].text), 0, special[i].type, err);
    for (unsigned byte = 0; byte < 256 && status == BIPE_OK; byte++) {
        char text[8];
        int size = snprintf(text, sizeof text, "<0x%02X>", byte);
        status = write_piece(output, message, text, (size_t)size, 0, BIPE_PIECE_BYTE, err);
    }
    for (size_t i = 0; i < pieces->count && status == BIPE_OK; i++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(pieces, (uint32_t)i, &size);
        status = write_piece(output, message, text, size, score[i], BIPE_PIECE_NORMAL, err);
    }
    return status;
}

typedef struct setting {
    unsigned field;
    uint64_t value;
} setting;

static int write_settings(bipe_output *output, unsigned field, bipe_buffer *message, const setting *settings, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = put_number(message, settings[i].field, settings[i].value, err);
    return status == BIPE_OK ? write_message(output, field, message, err) : status;
}

enum { TRAINER = 2, MODEL_TYPE = 3, VOCAB_SIZE = 4, SUFFIX = 24, SPLIT_DIGITS = 25, SPACES_ALONE = 26, BYTE_FALLBACK = 35 };
enum { UNK_SURFACE = 44, UNK_PIECE = 45, BOS_PIECE = 46, EOS_PIECE = 47 };
enum { NORMALIZER = 3, NAME = 1, CHARSMAP = 2, DUMMY_PREFIX = 3, SQUEEZE = 4, ESCAPE = 5 };

int bipe_sentencepiece_write(bipe_output *output, const bipe_vocabulary *pieces, const float *score, bipe_error *err)
{
    const setting trainer[] = {{MODEL_TYPE, BIPE_SPM_BPE}, {VOCAB_SIZE, BIPE_SENTENCEPIECE_FIRST + pieces->count},
                               {SPLIT_DIGITS, 1}, {SPACES_ALONE, 1}, {BYTE_FALLBACK, 1}};
    const setting normalizer[] = {{DUMMY_PREFIX, 1}, {SQUEEZE, 0}, {ESCAPE, 1}};
    bipe_buffer message = {0};
    int status = write_pieces(output, &message, pieces, score, err);
    if (status == BIPE_OK)
        status = write_settings(output, TRAINER, &message, trainer, sizeof trainer / sizeof *trainer, err);
    if (status == BIPE_OK)
        status = put_bytes(&message, NAME, "identity", 8, err);
    if (status == BIPE_OK)
        status = write_settings(output, NORMALIZER, &message, normalizer, sizeof normalizer / sizeof *normalizer, err);
    bipe_buffer_free(&message);
    return status;
}

/* ---- of a tokenizer ---- */

/* A hole in the ids is an unused piece. */
static int write_all_pieces(bipe_output *output, bipe_buffer *message, const bipe_bpe *bpe, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < bpe->vocabulary.count && status == BIPE_OK; i++) {
        char hole[32];
        size_t size;
        const void *text = bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)i, &size);
        bipe_piece_type type = bpe->type[i];
        if (size == 0) {
            size = (size_t)snprintf(hole, sizeof hole, "[PAD%zu]", i);
            text = hole;
            type = BIPE_PIECE_UNUSED;
        }
        status = write_piece(output, message, text, size, bpe->score[i], type, err);
    }
    return status;
}

static int put_piece_name(bipe_buffer *message, unsigned field, const bipe_bpe *bpe, int64_t id, bipe_error *err)
{
    size_t size;
    if (id == BIPE_NO_TOKEN)
        return BIPE_OK;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)id, &size);
    return put_bytes(message, field, text, size, err);
}

int bipe_sentencepiece_write_tokenizer(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    if (bpe->only_model != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: a SentencePiece model of type %s", tokenizer->spec, bpe->only_model);
    const bipe_spm_rules *rules = &bpe->rules;
    const setting trainer[] = {{MODEL_TYPE, bpe->unigram != NULL ? BIPE_SPM_UNIGRAM : BIPE_SPM_BPE}, {VOCAB_SIZE, bpe->vocabulary.count},
                               {SUFFIX, rules->suffix}, {BYTE_FALLBACK, bpe->byte_fallback}};
    const setting normalizer[] = {{DUMMY_PREFIX, bpe->normalizer.prefix.count != 0 || rules->suffix}, {SQUEEZE, rules->squeeze},
                                  {ESCAPE, rules->space != ' '}};
    bipe_buffer message = {0};
    int status = write_all_pieces(output, &message, bpe, err);
    if (status == BIPE_OK)
        status = put_bytes(&message, UNK_SURFACE, bpe->unk_surface, bpe->unk_surface_size, err);
    if (status == BIPE_OK)
        status = put_piece_name(&message, UNK_PIECE, bpe, bpe->unk, err);
    if (status == BIPE_OK)
        status = put_piece_name(&message, BOS_PIECE, bpe, tokenizer->bos, err);
    if (status == BIPE_OK)
        status = put_piece_name(&message, EOS_PIECE, bpe, tokenizer->eos, err);
    if (status == BIPE_OK)
        status = write_settings(output, TRAINER, &message, trainer, sizeof trainer / sizeof *trainer, err);
    if (status == BIPE_OK)
        status = put_bytes(&message, NAME, rules->map.size != 0 ? "user_defined" : "identity", rules->map.size != 0 ? 12 : 8, err);
    if (status == BIPE_OK && rules->map.size != 0)
        status = put_bytes(&message, CHARSMAP, rules->map.blob, rules->map.size, err);
    if (status == BIPE_OK)
        status = write_settings(output, NORMALIZER, &message, normalizer, sizeof normalizer / sizeof *normalizer, err);
    bipe_buffer_free(&message);
    return status;
}
