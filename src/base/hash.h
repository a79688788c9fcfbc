/* hash.h - 64-bit FNV-1a (Fowler, Noll, Vo): identifies contents. No defence against someone who wants two to
 * collide. */
#ifndef BIPE_BASE_HASH_H
#define BIPE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The hash of nothing; every hash starts from it. */
#define BIPE_HASH_EMPTY UINT64_C(0xcbf29ce484222325)

static inline uint64_t bipe_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same on every machine: the lowest byte first. */
static inline uint64_t bipe_hash_uint(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

/* Hashes a string with its NUL; NULL is hashed as the number 0. */
static inline uint64_t bipe_hash_text(uint64_t hash, const char *text)
{
    return text != NULL ? bipe_hash_bytes(hash, text, strlen(text) + 1) : bipe_hash_uint(hash, 0);
}

#endif
