/* sha256.h - SHA-256 (FIPS 180-4): names the contents of files. */
#ifndef BIPE_BASE_SHA256_H
#define BIPE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { BIPE_SHA256_SIZE = 32 };

typedef struct bipe_sha256 {
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
} bipe_sha256;

void bipe_sha256_begin(bipe_sha256 *sha);
void bipe_sha256_add(bipe_sha256 *sha, const void *bytes, size_t size);
void bipe_sha256_end(bipe_sha256 *sha, uint8_t sum[BIPE_SHA256_SIZE]);
void bipe_sha256_of(const void *bytes, size_t size, uint8_t sum[BIPE_SHA256_SIZE]);

#endif
