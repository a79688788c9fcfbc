/* keys.c - keys and values packed for attention, a block at a time. */
#include "nn/attention_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128 }; /* keys, about */

nn_packing nn_packing_of(const nn_cpu *cpu, nn_precision precision)
{
    return precision == NN_PRECISION_F32 ? NN_PACKING_F32 : cpu->bf16 != NULL ? NN_PACKING_PAIRS : NN_PACKING_HALVES;
}

const nn_micro *nn_micro_of(const nn_cpu *cpu, nn_precision precision)
{
    return nn_packing_of(cpu, precision) == NN_PACKING_PAIRS ? cpu->bf16 : cpu->f32;
}

static uint16_t bf16_of(float x)
{
    uint32_t bits;
    nn_round_bf16(&x, 1);
    memcpy(&bits, &x, 4);
    return (uint16_t)(bits >> 16);
}

size_t nn_interleaved_size(nn_packing packing, size_t rows, size_t padded)
{
    return rows * padded * (packing == NN_PACKING_F32 ? 4 : 2);
}

void nn_interleave(nn_packing packing, void *to, size_t width, size_t rows, size_t steps, size_t padded, const float *x,
                   size_t row, size_t step, float scale)
{
    for (size_t first = 0; first < rows; first += width) {
        size_t count = nn_smaller(width, rows - first), base = first * padded;
        for (size_t s = 0; s < padded; s++)
            for (size_t r = 0; r < width; r++) {
                float value = s < steps && r < count ? x[(first + r) * row + s * step] * scale : 0;
                switch (packing) {
                case NN_PACKING_F32: ((float *)to)[base + s * width + r] = value; break;
                case NN_PACKING_HALVES: ((uint16_t *)to)[base + s * width + r] = bf16_of(value); break;
                case NN_PACKING_PAIRS: ((uint16_t *)to)[base + (s / 2 * width + r) * 2 + s % 2] = bf16_of(value); break;
                }
            }
    }
}

void nn_times_panel(const nn_micro *micro, const void *left, size_t rows, size_t padded, size_t steps, const void *panel,
                    float *c, bool add)
{
    size_t words = padded / micro->step, used = (steps + micro->step - 1) / micro->step, wide = micro->columns;
    for (size_t r = 0; r < rows; r += micro->rows)
        micro->run(used, (const float *)left + r * words, panel, c + r * wide, wide, nn_smaller(micro->rows, rows - r), wide, add);
}

/* ---- layout: for each block k then v ---- */

size_t nn_key_block(const nn_cpu *cpu, nn_precision precision)
{
    return BLOCK / nn_micro_of(cpu, precision)->rows * nn_micro_of(cpu, precision)->rows;
}

/* Bytes of the keys, and of the values, of a block. */
static size_t keys_bytes(const nn_keys *keys)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    return nn_interleaved_size(nn_packing_of(keys->cpu, keys->precision), nn_key_block(keys->cpu, keys->precision),
                               nn_whole(keys->d, micro->step));
}

static size_t values_bytes(const nn_keys *keys)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    return nn_interleaved_size(nn_packing_of(keys->cpu, keys->precision), nn_whole(keys->d, micro->rows),
                               nn_key_block(keys->cpu, keys->precision));
}

static size_t blocks_of(const nn_keys *keys)
{
    size_t block = nn_key_block(keys->cpu, keys->precision);
    return (keys->capacity + block - 1) / block;
}

size_t nn_keys_size(const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d)
{
    nn_keys keys = {.cpu = cpu, .precision = precision, .capacity = capacity, .d = d};
    return nn_whole(blocks_of(&keys) * (keys_bytes(&keys) + values_bytes(&keys) + sizeof(float)), 64);
}

void nn_keys_open(nn_keys *keys, const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d, void *memory)
{
    *keys = (nn_keys){.cpu = cpu, .precision = precision, .capacity = capacity, .d = d};
    keys->data = memory;
    keys->norm = (float *)(void *)((char *)memory + blocks_of(keys) * (keys_bytes(keys) + values_bytes(keys)));
}

void nn_keys_pack(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v, size_t ldv)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    nn_packing packing = nn_packing_of(keys->cpu, keys->precision);
    size_t block = nn_key_block(keys->cpu, keys->precision), d = keys->d;
    for (size_t done = 0; done < count; done += block, k += block * ldk, v += block * ldv) {
        size_t b = (first + done) / block, n = nn_smaller(block, count - done);
        char *to = (char *)keys->data + b * (keys_bytes(keys) + values_bytes(keys));
        nn_interleave(packing, to, micro->rows, n, d, nn_whole(d, micro->step), k, ldk, 1, 1);
        nn_interleave(packing, to + keys_bytes(keys), micro->rows, d, n, block, v, 1, ldv, 1);
        float largest = 0, finite = 0;
        for (size_t i = 0; i < n; i++) {
            float sum = 0;
            for (size_t c = 0; c < d; c++) {
                sum += k[i * ldk + c] * k[i * ldk + c];
                finite += (k[i * ldk + c] - k[i * ldk + c]) + (v[i * ldv + c] - v[i * ldv + c]);
            }
            largest = sum > largest ? sum : largest;
        }
        keys->norm[b] = sqrtf(largest) + finite;
    }
}

void nn_keys_block(const nn_keys *keys, size_t b, float *to, const void **k, const void **v)
{
    size_t k_bytes = keys_bytes(keys), v_bytes = values_bytes(keys);
    const char *from = (const char *)keys->data + b * (k_bytes + v_bytes);
    *k = from;
    *v = from + k_bytes;
    if (nn_packing_of(keys->cpu, keys->precision) != NN_PACKING_HALVES)
        return;
    nn_widen(NN_BF16, from, to, (k_bytes + v_bytes) / 2);
    *k = to;
    *v = to + k_bytes / 2;
}
