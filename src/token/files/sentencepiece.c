/* sentencepiece.c - reads a SentencePiece .model (a protocol buffer, sentencepiece_model.proto) of any type.
 *
 * Field numbers are those of the published schema; fields that do not bear on how a text is cut into tokens are passed
 * over. */
#include <string.h>

#include "base/alloc.h"
#include "token/files/protobuf.h"
#include "token/spm/bpe.h"

/* A part of the file that is used later. */
typedef struct part {
    const uint8_t *bytes;
    size_t size;
} part;

#define PART(text) ((part){(const uint8_t *)(text), sizeof(text) - 1})

/* The fields that are read, with the defaults of the schema. */
typedef struct sp_model {
    uint64_t type; /* bipe_spm_type */
    bool byte_fallback, suffix;
    bool dummy_prefix, squeeze, escape;
    part bos_piece, eos_piece, unk_surface;
    part charsmap;
    bool trained, normalized; /* a trainer_spec, a normalizer_spec was there */
} sp_model;

static int wrong_wire(const bipe_protobuf_field *field, const char *message, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: field %lu is of wire type %d", message, (unsigned long)field->number,
                     (int)field->wire);
}

static int read_piece(bipe_bpe *bpe, const bipe_protobuf_field *message, bipe_error *err)
{
    bipe_protobuf m = bipe_protobuf_open(message->bytes, message->size);
    bipe_protobuf_field f;
    part text = {0};
    float score = 0;
    uint64_t type = BIPE_PIECE_NORMAL;
    int status;
    while ((status = bipe_protobuf_next(&m, &f, err)) == BIPE_OK) {
        static const uint8_t wires[] = {[1] = BIPE_WIRE_BYTES, [2] = BIPE_WIRE_32, [3] = BIPE_WIRE_VARINT};
        if (f.number > 3)
            continue;
        if (f.wire != wires[f.number])
            return wrong_wire(&f, "piece", err);
        if (f.number == 1)
            text = (part){f.bytes, f.size};
        else if (f.number == 3)
            type = f.value;
        else {
            uint32_t bits = (uint32_t)f.value;
            memcpy(&score, &bits, sizeof score);
        }
    }
    if (status != BIPE_END)
        return status;
    if (text.size == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "an empty piece");
    if (type < BIPE_PIECE_NORMAL || type > BIPE_PIECE_BYTE)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a piece of type %llu, expected 1 to 6", (unsigned long long)type);
    return bipe_bpe_add_piece(bpe, text.bytes, text.size, (bipe_piece_type)type, score, err);
}

static int read_trainer(sp_model *model, const bipe_protobuf_field *message, bipe_error *err)
{
    enum { MODEL_TYPE = 3, SUFFIX = 24, BYTE_FALLBACK = 35, UNK_SURFACE = 44, BOS_PIECE = 46, EOS_PIECE = 47 };
    bipe_protobuf m = bipe_protobuf_open(message->bytes, message->size);
    bipe_protobuf_field f;
    int status;
    model->trained = true;
    while ((status = bipe_protobuf_next(&m, &f, err)) == BIPE_OK) {
        bipe_wire_type want = BIPE_WIRE_VARINT;
        part *text = NULL;
        switch (f.number) {
        case MODEL_TYPE: model->type = f.value; break;
        case SUFFIX: model->suffix = f.value != 0; break;
        case BYTE_FALLBACK: model->byte_fallback = f.value != 0; break;
        case UNK_SURFACE: text = &model->unk_surface; break;
        case BOS_PIECE: text = &model->bos_piece; break;
        case EOS_PIECE: text = &model->eos_piece; break;
        default: continue;
        }
        if (text != NULL) {
            want = BIPE_WIRE_BYTES;
            *text = (part){f.bytes, f.size};
        }
        if (f.wire != want)
            return wrong_wire(&f, "trainer_spec", err);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int read_normalizer(sp_model *model, const bipe_protobuf_field *message, bipe_error *err)
{
    enum { CHARSMAP = 2, DUMMY_PREFIX = 3, SQUEEZE = 4, ESCAPE = 5 };
    bipe_protobuf m = bipe_protobuf_open(message->bytes, message->size);
    bipe_protobuf_field f;
    int status;
    model->normalized = true;
    while ((status = bipe_protobuf_next(&m, &f, err)) == BIPE_OK) {
        if (f.number > ESCAPE)
            continue;
        if (f.wire != (f.number <= CHARSMAP ? BIPE_WIRE_BYTES : BIPE_WIRE_VARINT))
            return wrong_wire(&f, "normalizer_spec", err);
        switch (f.number) {
        case CHARSMAP: model->charsmap = (part){f.bytes, f.size}; break;
        case DUMMY_PREFIX: model->dummy_prefix = f.value != 0; break;
        case SQUEEZE: model->squeeze = f.value != 0; break;
        case ESCAPE: model->escape = f.value != 0; break;
        default: break;
        }
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int read_sp_model(sp_model *model, bipe_bpe *bpe, const uint8_t *bytes, size_t size, bipe_error *err)
{
    enum { PIECE = 1, TRAINER = 2, NORMALIZER = 3 };
    bipe_protobuf m = bipe_protobuf_open(bytes, size);
    bipe_protobuf_field f;
    int status;
    while ((status = bipe_protobuf_next(&m, &f, err)) == BIPE_OK) {
        if (f.number > NORMALIZER)
            continue;
        if (f.wire != BIPE_WIRE_BYTES)
            return wrong_wire(&f, "model", err);
        size_t offset = (size_t)(f.bytes - bytes);
        status = f.number == PIECE     ? read_piece(bpe, &f, err)
                 : f.number == TRAINER ? read_trainer(model, &f, err)
                                       : read_normalizer(model, &f, err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "offset %zu", offset);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int check_supported(const sp_model *model, bipe_error *err)
{
    if (!model->trained)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no trainer_spec, which says of what type the model is");
    if (!model->normalized)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no normalizer_spec, which says how text is normalized");
    if (model->type == BIPE_SPM_WORD)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "model type 3 (word), supported are Unigram (1), BPE (2) and char (4)");
    if (model->type < BIPE_SPM_UNIGRAM || model->type > BIPE_SPM_CHAR)
        return bipe_fail(err, BIPE_ERR_FORMAT, "model type %llu, expected 1 to 4", (unsigned long long)model->type);
    return BIPE_OK;
}

/* The id of a control piece, or BIPE_NO_TOKEN. */
static int64_t control_id(const bipe_bpe *bpe, part text)
{
    int64_t id = bipe_vocabulary_find(&bpe->vocabulary, text.bytes, text.size);
    return id != BIPE_NO_PIECE && bpe->type[id] == BIPE_PIECE_CONTROL ? id : BIPE_NO_TOKEN;
}

int bipe_sentencepiece_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    sp_model model = {.type = 1, .dummy_prefix = true, .squeeze = true, .escape = true, .bos_piece = PART("<s>"),
                      .eos_piece = PART("</s>"), .unk_surface = PART(" \xE2\x81\x87 ")};
    bipe_bpe *bpe = bipe_bpe_new();
    if (bpe == NULL)
        return bipe_fail_memory(err);
    int status = read_sp_model(&model, bpe, bytes, size, err);
    if (status == BIPE_OK)
        status = check_supported(&model, err);
    if (status == BIPE_OK) {
        const bipe_spm_settings settings = {
            .type = (bipe_spm_type)model.type, .charsmap = model.charsmap.bytes, .charsmap_size = model.charsmap.size,
            .byte_fallback = model.byte_fallback, .dummy_prefix = model.dummy_prefix, .suffix = model.suffix,
            .squeeze = model.squeeze,
            .escape = model.escape, .unk_surface = model.unk_surface.bytes, .unk_surface_size = model.unk_surface.size};
        status = bipe_spm_build(bpe, &settings, tokenizer->special, err);
    }
    if (status != BIPE_OK) {
        bipe_bpe_free(bpe);
        return status;
    }
    bipe_bpe_install(tokenizer, bpe);
    tokenizer->bos = control_id(bpe, model.bos_piece);
    tokenizer->eos = control_id(bpe, model.eos_piece);
    return BIPE_OK;
}
