/* random_model.c - writes a native model of any shape with random weights, for measuring speed and memory where no trained
 * model of that size is at hand. It predicts nothing. Same arguments, same bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/gguf.h"

typedef struct shape {
    uint32_t layers, hidden, heads, feed_forward, vocabulary, train_length;
} shape;

/* A matrix being written. */
typedef struct matrix {
    uint64_t seed, columns;
    float spread; /* 0: all ones, a norm */
} matrix;

/* Row `row`: uniform in [-spread, spread), from a counter (SplitMix64), so that rows may come in any order. */
static int random_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)err;
    const matrix *m = context;
    float values[4096];
    for (uint64_t done = 0; done < m->columns;) {
        size_t count = 0;
        for (; count < 4096 && done + count < m->columns; count++) {
            uint64_t z = m->seed + (row * m->columns + done + count) * UINT64_C(0x9e3779b97f4a7c15);
            z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
            z ^= z >> 31;
            values[count] = m->spread == 0 ? 1.0F : m->spread * ((float)(z >> 40) / 8388608.0F - 1.0F);
        }
        memcpy((float *)buffer + done, values, count * sizeof *values);
        done += count;
    }
    return BIPE_OK;
}

enum { MATRICES_MOST = 4096 };
static matrix matrices[MATRICES_MOST];
static size_t matrix_count;

static int add(bipe_gguf_writer *writer, const char *name, uint64_t rows, uint64_t columns, float spread, bipe_error *err)
{
    if (matrix_count == MATRICES_MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d tensors", MATRICES_MOST);
    matrix *m = &matrices[matrix_count++];
    *m = (matrix){ .seed = matrix_count * UINT64_C(0x2545f4914f6cdd1d), .columns = columns, .spread = spread };
    uint64_t dims[2] = { rows, columns };
    return rows == 0 ? bipe_gguf_add_tensor(writer, name, BIPE_F32, 1, dims + 1, random_row, m, err)
                     : bipe_gguf_add_tensor(writer, name, BIPE_F32, 2, dims, random_row, m, err);
}

static int add_layer(bipe_gguf_writer *writer, const shape *s, uint32_t layer, bipe_error *err)
{
    uint64_t c = s->hidden, f = s->feed_forward;
    const struct {
        const char *name;
        uint64_t rows, columns;
    } parts[] = { { "attn_norm", 0, c }, { "attn_q", c, c }, { "attn_k", c, c }, { "attn_v", c, c }, { "attn_output", c, c },
                  { "ffn_norm", 0, c }, { "ffn_gate", f, c }, { "ffn_up", f, c }, { "ffn_down", c, f } };
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < sizeof parts / sizeof parts[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "blk.%" PRIu32 ".%s.weight", layer, parts[i].name);
        status = add(writer, name, parts[i].rows, parts[i].columns, parts[i].rows == 0 ? 0 : 0.035F, err);
    }
    return status;
}

static int write_model(const char *path, const shape *s, const char *scheme, bipe_error *err)
{
    bipe_gguf_writer *writer;
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    const struct {
        const char *key;
        uint32_t value;
    } keys[] = { { "bipe.context_length", s->train_length }, { "bipe.embedding_length", s->hidden },
                 { "bipe.block_count", s->layers }, { "bipe.feed_forward_length", s->feed_forward },
                 { "bipe.attention.head_count", s->heads }, { "bipe.attention.head_count_kv", s->heads } };
    status = bipe_gguf_set_string(writer, "general.architecture", "bipe", 4, err);
    for (size_t i = 0; status == BIPE_OK && i < sizeof keys / sizeof keys[0]; i++)
        status = bipe_gguf_set_u32(writer, keys[i].key, keys[i].value, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_f32(writer, "bipe.attention.layer_norm_rms_epsilon", 1e-5F, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_f32(writer, "bipe.rope.freq_base", 10000, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, "bipe.position_scheme", scheme, strlen(scheme), err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, "bipe.segmenter", "stop", 4, err);
    if (status == BIPE_OK)
        status = add(writer, "token_embd.weight", s->vocabulary, s->hidden, 0.035F, err);
    if (status == BIPE_OK && strncmp(scheme, "bipe-", 5) == 0)
        status = add(writer, "position_embd.weight", s->train_length, s->hidden, 0.035F, err);
    for (uint32_t layer = 0; status == BIPE_OK && layer < s->layers; layer++)
        status = add_layer(writer, s, layer, err);
    if (status == BIPE_OK)
        status = add(writer, "output_norm.weight", 0, s->hidden, 0, err);
    if (status == BIPE_OK)
        status = add(writer, "output.weight", s->vocabulary, s->hidden, 0.035F, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, path, err);
    bipe_gguf_writer_close(writer);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 9) {
        fputs("usage: random_model OUT LAYERS HIDDEN HEADS FEED_FORWARD VOCABULARY TRAIN_LENGTH SCHEME\n", stderr);
        return 2;
    }
    uint32_t number[6];
    for (int i = 0; i < 6; i++) {
        long value = strtol(argv[2 + i], NULL, 10);
        if (value < 1 || value > 1 << 20) {
            fprintf(stderr, "random_model: %s: expected a number from 1 to 1048576\n", argv[2 + i]);
            return 2;
        }
        number[i] = (uint32_t)value;
    }
    shape s = { number[0], number[1], number[2], number[3], number[4], number[5] };
    bipe_error err = { 0 };
    if (write_model(argv[1], &s, argv[8], &err) != BIPE_OK) {
        fprintf(stderr, "random_model: %s\n", err.text);
        return 1;
    }
    return 0;
}
