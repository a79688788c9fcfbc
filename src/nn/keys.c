/* keys.c - keys and values packed for attention, a block at a time: for each block the keys as a left operand (D, KB),
 * then the values as a left operand (KB, D), then the largest |key|. */
#include "nn/attention_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128 };

size_t nn_key_block(const nn_cpu *cpu, nn_precision precision)
{
    size_t rows = nn_micro_of(cpu, precision)->rows;
    return BLOCK / rows * rows;
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

size_t nn_key_block_floats(const nn_cpu *cpu, nn_precision precision, size_t d)
{
    nn_keys keys = {.cpu = cpu, .precision = precision, .d = d};
    return nn_whole(key_words(&keys) + value_words(&keys) + 1, 16);
}

size_t nn_keys_size(const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d)
{
    size_t block = nn_key_block(cpu, precision);
    return (capacity + block - 1) / block * nn_key_block_floats(cpu, precision, d) * sizeof(float);
}

void nn_keys_open(nn_keys *keys, const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d, void *memory)
{
    *keys = (nn_keys){.cpu = cpu, .precision = precision, .capacity = capacity, .d = d, .words = memory, .norms = true};
}

static float *block_of(const nn_keys *keys, size_t b)
{
    return keys->page != NULL ? keys->page[b] + keys->offset
                              : keys->words + b * nn_key_block_floats(keys->cpu, keys->precision, keys->d);
}

const float *nn_keys_of(const nn_keys *keys, size_t b)
{
    return block_of(keys, b);
}

const float *nn_values_of(const nn_keys *keys, size_t b)
{
    return block_of(keys, b) + key_words(keys);
}

float *nn_norm_of(const nn_keys *keys, size_t b)
{
    return block_of(keys, b) + key_words(keys) + value_words(keys);
}

void nn_keys_pack(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v,
                  size_t ldv)
{
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    size_t block = nn_key_block(keys->cpu, keys->precision), d = keys->d, depth = block / micro->step;
    for (size_t done = 0; done < count; done += block, k += block * ldk, v += block * ldv) {
        size_t b = (first + done) / block, n = nn_smaller(block, count - done);
        float *to = block_of(keys, b), largest = 0, values = 0;
        nn_pack(micro->narrow, micro->rows, k, ldk, false, n, d, to);
        to += key_words(keys);
        for (size_t c = 0; c < d; c += micro->rows, to += depth * micro->rows)
            nn_pack(micro->narrow, micro->rows, v + c, ldv, true, nn_smaller(micro->rows, d - c), n, to);
        for (size_t i = 0; i < n && keys->norms; i++) {
            float square = nn_inner(k + i * ldk, k + i * ldk, d);
            largest = largest > square || isnan(largest) ? largest : square;
            values += nn_inner(v + i * ldv, v + i * ldv, d);
        }
        if (keys->norms)
            *nn_norm_of(keys, b) = values < INFINITY ? sqrtf(largest) : NAN;
    }
}

/* One key, number i of a block that has those before it. */
static void add_key(const nn_keys *keys, float *block, size_t i, const float *k, const float *v)
{
    enum { SOME = 64 }; /* columns at a time */
    const nn_micro *micro = nn_micro_of(keys->cpu, keys->precision);
    size_t rows = micro->rows, step = micro->step, d = keys->d, words = nn_whole(d, step) / step;
    size_t depth = nn_key_block(keys->cpu, keys->precision) / step;
    float word[SOME], pairs[2 * SOME] = {0};
    float *to = block + i / rows * words * rows + i % rows;
    for (size_t c = 0; c < d; c += SOME, k += SOME) {
        size_t some = nn_smaller(SOME, d - c);
        nn_pack(micro->narrow, 1, k, some, false, 1, some, word);
        for (size_t s = 0; s < nn_whole(some, step) / step; s++, to += rows)
            *to = word[s];
    }
    to = block + key_words(keys) + i / step * rows;
    for (size_t c = 0; c < d; c += SOME, v += SOME) {
        size_t some = nn_smaller(SOME, d - c);
        /* the first of two leaves a 0 for the second */
        for (size_t n = 0; n < some; n++)
            pairs[n * step + i % step] = v[n];
        nn_pack(micro->narrow, 1, pairs, some * step, false, 1, some * step, word);
        for (size_t n = 0; n < some; n++) {
            float *at = to + (c + n) / rows * depth * rows + (c + n) % rows;
            uint32_t both = 0, other;
            if (i % step != 0)
                memcpy(&both, at, sizeof both);
            memcpy(&other, word + n, sizeof other);
            both |= other;
            memcpy(at, &both, sizeof both);
        }
    }
}

void nn_keys_add(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v,
                 size_t ldv)
{
    size_t block = nn_key_block(keys->cpu, keys->precision), d = keys->d;
    for (; count > 0 && first % block != 0; first++, count--, k += ldk, v += ldv) {
        float *norm = nn_norm_of(keys, first / block);
        add_key(keys, block_of(keys, first / block), first % block, k, v);
        if (keys->norms) {
            float length = sqrtf(nn_inner(k, k, d));
            *norm = !(nn_inner(v, v, d) < INFINITY) ? NAN : *norm > length || isnan(*norm) ? *norm : length;
        }
    }
    nn_keys_pack(keys, first, count, k, ldk, v, ldv);
}
