/* checksum.c - see checksum.h. */
#include "cli/checksum.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/input.h"

struct bipe_checksum_state {
    struct sha256_ctx sha;
    uint64_t size;
    bool read;
};

static void end_sum(bipe_checksum *sum, struct sha256_ctx sha, uint64_t size)
{
    uint8_t bytes[SHA256_DIGEST_SIZE];
    sha256_digest(&sha, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(sum->text + 2 * i, 3, "%02x", bytes[i]);
    sum->size = size;
}

bool bipe_checksum_file(bipe_checksum *sum, const char *path)
{
    struct stat info;
    uint8_t bytes[1 << 16];
    struct sha256_ctx sha;
    uint64_t total = 0;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rbe") : NULL;
    if (file == NULL)
        return false;
    sha256_init(&sha);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0; total += size)
        sha256_update(&sha, size, bytes);
    bool read = !ferror(file);
    fclose(file);
    end_sum(sum, sha, total);
    return read;
}

static void take_bytes(void *context, const uint8_t *bytes, size_t size)
{
    struct bipe_checksum_state *state = context;
    sha256_update(&state->sha, size, bytes);
    state->size += size;
    state->read = true;
}

struct bipe_checksum_state *bipe_checksum_standard_input(void)
{
    static struct bipe_checksum_state state; /* as there is one standard input */
    sha256_init(&state.sha);
    bipe_input_watch_standard(take_bytes, &state);
    return &state;
}

bool bipe_checksum_end(const struct bipe_checksum_state *state, bipe_checksum *sum)
{
    if (state == NULL || !state->read)
        return false;
    end_sum(sum, state->sha, state->size);
    return true;
}
