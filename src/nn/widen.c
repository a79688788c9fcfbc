/* widen.c - weights from the types of files to f32, and views of matrices. */
#include "nn/nn.h"

#include <string.h>

size_t nn_row_size(nn_type type, size_t columns)
{
    switch (type) {
    case NN_F32: return columns * 4;
    case NN_F16:
    case NN_BF16: return columns * 2;
    case NN_Q8_0: return columns / 32 * 34;
    }
    return 0;
}

nn_matrix nn_matrix_of(const void *data, nn_type type, size_t rows, size_t columns)
{
    return (nn_matrix){data, type, rows, columns, nn_row_size(type, columns)};
}

nn_matrix nn_rows(const nn_matrix *w, size_t first, size_t count)
{
    nn_matrix view = *w;
    view.data = (const uint8_t *)w->data + first * w->stride;
    view.rows = count;
    return view;
}

nn_matrix nn_columns(const nn_matrix *w, size_t first, size_t count)
{
    nn_matrix view = *w;
    view.data = (const uint8_t *)w->data + nn_row_size(w->type, first);
    view.columns = count;
    return view;
}

static inline uint16_t load_u16(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
#else
    return (uint16_t)(p[0] | p[1] << 8);
#endif
}

static inline uint32_t load_u32(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
#else
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
#endif
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* The magnitude's bits, read as an f32 exponent that is 112 too small, make subnormals come out right too. */
static inline float half_to_float(uint16_t h)
{
    uint32_t magnitude = (uint32_t)(h & 0x7FFF) << 13;
    float finite = float_of(magnitude) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &finite, 4);
    bits = (h & 0x7C00) == 0x7C00 ? magnitude | 0x7F800000 : bits;
    return float_of(bits | (uint32_t)(h & 0x8000) << 16);
}

static void widen_q8_0(const uint8_t *from, float *to, size_t count)
{
    for (size_t block = 0; block < count / 32; block++, from += 34, to += 32) {
        float scale = half_to_float(load_u16(from));
        for (size_t i = 0; i < 32; i++)
            to[i] = scale * (float)(int8_t)from[2 + i];
    }
}

void nn_widen(nn_type type, const void *from, float *to, size_t count)
{
    const uint8_t *bytes = from;
    switch (type) {
    case NN_F32:
        for (size_t i = 0; i < count; i++)
            to[i] = float_of(load_u32(bytes + 4 * i));
        break;
    case NN_F16:
        for (size_t i = 0; i < count; i++)
            to[i] = half_to_float(load_u16(bytes + 2 * i));
        break;
    case NN_BF16:
        for (size_t i = 0; i < count; i++)
            to[i] = float_of((uint32_t)load_u16(bytes + 2 * i) << 16);
        break;
    case NN_Q8_0:
        widen_q8_0(bytes, to, count);
        break;
    }
}
