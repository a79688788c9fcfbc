/* keys.c - keys and values packed for attention, a block at a time: for each block the keys as a left operand (D, KB), then
 * the values as a left operand (KB, D). */
#include "nn/attention_parts.h"

#include <math.h>

enum { BLOCK = 128 };

size_t nn_key_block(const nn_cpu *cpu, nn_precision precision)
{
    size_t rows = nn_micro_of(cpu, precision)->rows;
    return BLOCK / rows * rows;
}

static size_t blocks_of(const nn_keys *keys)
{
    size_t block = nn_key_block(keys->cpu, keys->precision);
    return (keys->capacity + block - 1) / block;
}

/* Words of the keys of a block, and of its values. */
static size_t key_words(const nn_keys *keys)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    return nn_key_block(keys->cpu, keys->precision) * (nn_whole(keys->d, micro->step) / micro->step);
}

static size_t value_words(const nn_keys *keys)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    return nn_key_block(keys->cpu, keys->precision) / micro->step * nn_whole(keys->d, micro->rows);
}

size_t nn_keys_size(const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d)
{
    nn_keys keys = {.cpu = cpu, .precision = precision, .capacity = capacity, .d = d};
    return nn_whole(blocks_of(&keys) * (key_words(&keys) + value_words(&keys) + 1) * sizeof(float), 64);
}

void nn_keys_open(nn_keys *keys, const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d, void *memory)
{
    *keys = (nn_keys){.cpu = cpu, .precision = precision, .capacity = capacity, .d = d, .words = memory};
    keys->norm = keys->words + blocks_of(keys) * (key_words(keys) + value_words(keys));
}

void nn_keys_pack(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v, size_t ldv)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    size_t block = nn_key_block(keys->cpu, keys->precision), d = keys->d, depth = block / micro->step;
    for (size_t done = 0; done < count; done += block, k += block * ldk, v += block * ldv) {
        size_t b = (first + done) / block, n = nn_smaller(block, count - done);
        float *to = keys->words + b * (key_words(keys) + value_words(keys)), largest = 0, values = 0;
        nn_pack(micro->narrow, micro->rows, k, ldk, false, n, d, to);
        to += key_words(keys);
        for (size_t c = 0; c < d; c += micro->rows, to += depth * micro->rows)
            nn_pack(micro->narrow, micro->rows, v + c, ldv, true, nn_smaller(micro->rows, d - c), n, to);
        for (size_t i = 0; i < n && keys->norm != NULL; i++) {
            float square = nn_inner(k + i * ldk, k + i * ldk, d);
            largest = largest > square || isnan(largest) ? largest : square;
            values += nn_inner(v + i * ldv, v + i * ldv, d);
        }
        if (keys->norm != NULL)
            keys->norm[b] = values < INFINITY ? sqrtf(largest) : NAN;
    }
}

const float *nn_keys_of(const nn_keys *keys, size_t b)
{
    return keys->words + b * (key_words(keys) + value_words(keys));
}

const float *nn_values_of(const nn_keys *keys, size_t b)
{
    return nn_keys_of(keys, b) + key_words(keys);
}
