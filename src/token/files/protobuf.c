/* protobuf.c - the reader of protocol buffer messages. */
#include "token/files/protobuf.h"

/* A base-128 number of at most 64 bits: 0, or -1. */
static int read_varint(bipe_protobuf *m, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
        uint8_t byte = *m->at++;
        if (shift == 63 && byte > 1)
            return -1;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return 0;
    }
    return -1;
}

static int read_fixed(bipe_protobuf *m, size_t size, uint64_t *value)
{
    if ((size_t)(m->end - m->at) < size)
        return -1;
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value |= (uint64_t)m->at[i] << (8 * i);
    m->at += size;
    return 0;
}

int bipe_protobuf_next(bipe_protobuf *m, bipe_protobuf_field *field, bipe_error *err)
{
    if (m->at == m->end)
        return BIPE_END;
    size_t offset = (size_t)(m->at - m->start);
    uint64_t tag, size;
    *field = (bipe_protobuf_field){0};
    if (read_varint(m, &tag) != 0 || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
        return bipe_fail(err, BIPE_ERR_FORMAT, "offset %zu: not the tag of a field", offset);
    field->number = (uint32_t)(tag >> 3);
    field->wire = (bipe_wire_type)(tag & 7);
    int failed = 0;
    switch (tag & 7) {
    case BIPE_WIRE_VARINT: failed = read_varint(m, &field->value); break;
    case BIPE_WIRE_64: failed = read_fixed(m, 8, &field->value); break;
    case BIPE_WIRE_32: failed = read_fixed(m, 4, &field->value); break;
    case BIPE_WIRE_BYTES:
        if (read_varint(m, &size) != 0 || size > (size_t)(m->end - m->at)) {
            failed = -1;
            break;
        }
        field->bytes = m->at;
        field->size = (size_t)size;
        m->at += size;
        break;
    default:
        return bipe_fail(err, BIPE_ERR_FORMAT, "offset %zu: field %lu of wire type %d, expected 0, 1, 2 or 5", offset,
                         (unsigned long)field->number, (int)(tag & 7));
    }
    if (failed != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "offset %zu: field %lu goes past the end of its message", offset,
                         (unsigned long)field->number);
    return BIPE_OK;
}
