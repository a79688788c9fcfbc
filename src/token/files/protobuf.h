/* protobuf.h - a reader of protocol buffer messages: field after field, every length checked.
 * (protobuf.dev, "Encoding".) It knows no schema. */
#ifndef BIPE_TOKEN_PROTOBUF_H
#define BIPE_TOKEN_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum bipe_wire_type {
    BIPE_WIRE_VARINT = 0,
    BIPE_WIRE_64 = 1,
    BIPE_WIRE_BYTES = 2,
    BIPE_WIRE_32 = 5
} bipe_wire_type;

typedef struct bipe_protobuf {
    const uint8_t *start, *at, *end;
} bipe_protobuf;

typedef struct bipe_protobuf_field {
    uint32_t number;
    bipe_wire_type wire;
    uint64_t value;       /* VARINT, 64, 32 */
    const uint8_t *bytes; /* BYTES: (size) inside the message */
    size_t size;
} bipe_protobuf_field;

static inline bipe_protobuf bipe_protobuf_open(const uint8_t *bytes, size_t size)
{
    return (bipe_protobuf){bytes, bytes, bytes + size};
}

/* The next field: BIPE_OK, BIPE_END, or BIPE_ERR_FORMAT with the offset within the message. */
int bipe_protobuf_next(bipe_protobuf *message, bipe_protobuf_field *field, bipe_error *err);

#endif
