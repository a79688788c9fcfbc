/* checksum.h - SHA-256 (FIPS 180-4) of files and of what is read from standard input. */
#ifndef BIPE_CLI_CHECKSUM_H
#define BIPE_CLI_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bipe_checksum {
    uint64_t size;  /* bytes */
    char text[65];  /* small hexadecimal digits */
} bipe_checksum;

/* Of a regular file as it lies on the disk; false: there is none, or it cannot be read. */
bool bipe_checksum_file(bipe_checksum *sum, const char *path);

/* From now on what inputs read from standard input is summed up. */
struct bipe_checksum_state *bipe_checksum_standard_input(void);
/* Of all that has been read so far. False: nobody has asked for it, or read it. */
bool bipe_checksum_end(const struct bipe_checksum_state *state, bipe_checksum *sum);

#endif
