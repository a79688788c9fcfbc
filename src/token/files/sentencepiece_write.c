/* sentencepiece_write.c - writes a SentencePiece .model (a protocol buffer, sentencepiece_model.proto).
 *
 * Field numbers are those of the published schema. Fields that are left out have the schema's defaults. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/output.h"
#include "token/files/protobuf.h"
#include "token/spm/bpe.h"

static void append_varint(bipe_buffer *message, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    bipe_buffer_write(message, bytes, size);
}

static void append_number(bipe_buffer *message, unsigned field, uint64_t value)
{
    append_varint(message, field << 3 | BIPE_WIRE_VARINT);
    append_varint(message, value);
}

static void append_float(bipe_buffer *message, unsigned field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    append_varint(message, field << 3 | BIPE_WIRE_32);
    bipe_buffer_write(message, bytes, sizeof bytes);
}

static void append_bytes(bipe_buffer *message, unsigned field, const void *bytes, size_t size)
{
    append_varint(message, field << 3 | BIPE_WIRE_BYTES);
    append_varint(message, size);
    bipe_buffer_write(message, bytes, size);
}

/* A model that is being made, and the message that comes next in it. */
typedef struct model_file {
    bipe_buffer file, message;
} model_file;

/* The message becomes a field of the model, and is then empty. */
static void end_message(model_file *to, unsigned field)
{
    append_bytes(&to->file, field, to->message.data, to->message.size);
    to->file.failed = to->file.failed || to->message.failed;
    to->message.size = 0;
}

static int write_model_file(model_file *to, bipe_output *output, bipe_error *err)
{
    int status = to->file.failed ? bipe_fail_memory(err) : bipe_output_write(output, to->file.data, to->file.size, err);
    bipe_buffer_free(&to->file);
    bipe_buffer_free(&to->message);
    return status;
}

static void write_piece(model_file *to, const void *text, size_t size, float score, bipe_piece_type type)
{
    enum { PIECE = 1, TEXT = 1, SCORE = 2, TYPE = 3 };
    append_bytes(&to->message, TEXT, text, size);
    append_float(&to->message, SCORE, score);
    if (type != BIPE_PIECE_NORMAL)
        append_number(&to->message, TYPE, (uint64_t)type);
    end_message(to, PIECE);
}

static void write_pieces(model_file *to, const bipe_vocabulary *pieces, const float *score)
{
    static const struct { const char *text; bipe_piece_type type; } special[] = {
        {"<unk>", BIPE_PIECE_UNKNOWN}, {"<s>", BIPE_PIECE_CONTROL}, {"</s>", BIPE_PIECE_CONTROL}};
    for (size_t i = 0; i < 3; i++)
        write_piece(to, special[i].text, strlen(special[i].text), 0, special[i].type);
    for (unsigned byte = 0; byte < 256; byte++) {
        char text[8];
        int size = snprintf(text, sizeof text, "<0x%02X>", byte);
        write_piece(to, text, (size_t)size, 0, BIPE_PIECE_BYTE);
    }
    for (size_t i = 0, size; i < pieces->count; i++) {
        const uint8_t *text = bipe_vocabulary_text(pieces, (uint32_t)i, &size);
        write_piece(to, text, size, score[i], BIPE_PIECE_NORMAL);
    }
}

typedef struct setting {
    unsigned field;
    uint64_t value;
} setting;

static void append_settings(model_file *to, unsigned field, const setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        append_number(&to->message, settings[i].field, settings[i].value);
    end_message(to, field);
}

enum {
    TRAINER = 2,
    MODEL_TYPE = 3,
    VOCAB_SIZE = 4,
    SUFFIX = 24,
    SPLIT_DIGITS = 25,
    SPACES_ALONE = 26,
    BYTE_FALLBACK = 35
};
enum { UNK_SURFACE = 44, UNK_PIECE = 45, BOS_PIECE = 46, EOS_PIECE = 47 };
enum { NORMALIZER = 3, NAME = 1, CHARSMAP = 2, DUMMY_PREFIX = 3, SQUEEZE = 4, ESCAPE = 5 };

int bipe_sentencepiece_write(bipe_output *output, const bipe_vocabulary *pieces, const float *score, bipe_error *err)
{
    const setting trainer[] = {{MODEL_TYPE, BIPE_SPM_BPE}, {VOCAB_SIZE, BIPE_SENTENCEPIECE_FIRST + pieces->count},
                               {SPLIT_DIGITS, 1}, {SPACES_ALONE, 1}, {BYTE_FALLBACK, 1}};
    const setting normalizer[] = {{DUMMY_PREFIX, 1}, {SQUEEZE, 0}, {ESCAPE, 1}};
    model_file to = {0};
    write_pieces(&to, pieces, score);
    append_settings(&to, TRAINER, trainer, sizeof trainer / sizeof *trainer);
    append_bytes(&to.message, NAME, "identity", 8);
    append_settings(&to, NORMALIZER, normalizer, sizeof normalizer / sizeof *normalizer);
    return write_model_file(&to, output, err);
}

/* ---- of a tokenizer ---- */

/* A hole in the ids is an unused piece. */
static void write_all_pieces(model_file *to, const bipe_bpe *bpe)
{
    for (size_t i = 0, size; i < bpe->vocabulary.count; i++) {
        char hole[32];
        const void *text = bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)i, &size);
        bipe_piece_type type = bpe->type[i];
        if (size == 0) {
            size = (size_t)snprintf(hole, sizeof hole, "[PAD%zu]", i);
            text = hole;
            type = BIPE_PIECE_UNUSED;
        }
        write_piece(to, text, size, bpe->score[i], type);
    }
}

static void append_piece_name(bipe_buffer *message, unsigned field, const bipe_bpe *bpe, int64_t id)
{
    size_t size;
    if (id == BIPE_NO_TOKEN)
        return;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)id, &size);
    append_bytes(message, field, text, size);
}

int bipe_sentencepiece_write_tokenizer(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    if (bpe->unwritable_type != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: a SentencePiece model of type %s", tokenizer->spec,
                         bpe->unwritable_type);
    const bipe_spm_rules *rules = &bpe->rules;
    const setting trainer[] = {{MODEL_TYPE, bpe->unigram != NULL ? BIPE_SPM_UNIGRAM : BIPE_SPM_BPE},
                               {VOCAB_SIZE, bpe->vocabulary.count},
                               {SUFFIX, rules->suffix},
                               {BYTE_FALLBACK, bpe->byte_fallback}};
    const setting normalizer[] = {{DUMMY_PREFIX, rules->dummy_prefix}, {SQUEEZE, rules->squeeze},
                                  {ESCAPE, rules->space != ' '}};
    const char *name = rules->map.size != 0 ? "user_defined" : "identity";
    model_file to = {0};
    write_all_pieces(&to, bpe);
    append_bytes(&to.message, UNK_SURFACE, bpe->unk_surface, bpe->unk_surface_size);
    append_piece_name(&to.message, UNK_PIECE, bpe, bpe->unk);
    append_piece_name(&to.message, BOS_PIECE, bpe, tokenizer->bos);
    append_piece_name(&to.message, EOS_PIECE, bpe, tokenizer->eos);
    append_settings(&to, TRAINER, trainer, sizeof trainer / sizeof *trainer);
    append_bytes(&to.message, NAME, name, strlen(name));
    if (rules->map.size != 0)
        append_bytes(&to.message, CHARSMAP, rules->map.blob, rules->map.size);
    append_settings(&to, NORMALIZER, normalizer, sizeof normalizer / sizeof *normalizer);
    return write_model_file(&to, output, err);
}
