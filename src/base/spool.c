/* spool.c - bytes kept in memory while they are few, and after those in a temporary file without a name. */
#include "config.h"

#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"

enum { PENDING_SIZE = 65536 };

/* Bytes [0, held) are in memory, the next `filed` in the file, the last `pending` wait to be filed. */
struct bipe_spool {
    size_t limit, held, capacity;
    uint8_t *memory;
    int fd; /* -1: no file yet */
    uint64_t filed;
    size_t pending;
    uint8_t *waiting; /* PENDING_SIZE bytes; NULL: no file yet */
};

int bipe_spool_open(bipe_spool **result, size_t memory, bipe_error *err)
{
    *result = NULL;
    bipe_spool *spool = bipe_alloc(1, sizeof *spool);
    if (spool == NULL)
        return bipe_fail_memory(err);
    spool->limit = memory;
    spool->fd = -1;
    *result = spool;
    return BIPE_OK;
}

static int open_spool_file(bipe_spool *spool, bipe_error *err)
{
    if (spool->waiting == NULL && (spool->waiting = bipe_alloc(PENDING_SIZE, 1)) == NULL)
        return bipe_fail_memory(err);
    if (spool->fd >= 0)
        return BIPE_OK;
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    size_t size = strlen(folder) + 32;
    char *path = bipe_alloc(size, 1);
    if (path == NULL)
        return bipe_fail_memory(err);
    snprintf(path, size, "%s/bipe-spool-XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);
    int saved = errno;
    if (fd >= 0) {
        unlink(path);
        if (fd <= STDERR_FILENO) {
            int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            saved = errno;
            close(fd);
            fd = high;
        }
    }
    bipe_free(path);
    if (fd < 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: a temporary file could not be created: %s", folder, strerror(saved));
    spool->fd = fd;
    return BIPE_OK;
}

/* Appends to the file: all of it, or what is kept stays as it was. */
static int write_spool_file(bipe_spool *spool, const uint8_t *bytes, size_t size, bipe_error *err)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pwrite(spool->fd, bytes + done, size - done, (off_t)(spool->filed + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return bipe_fail(err, BIPE_ERR_IO, "a temporary file could not be written: %s",
                             strerror(n < 0 ? errno : EIO));
        done += (size_t)n;
    }
    spool->filed += done;
    return BIPE_OK;
}

static int write_pending(bipe_spool *spool, bipe_error *err)
{
    int status = write_spool_file(spool, spool->waiting, spool->pending, err);
    if (status == BIPE_OK)
        spool->pending = 0;
    return status;
}

int bipe_spool_append(bipe_spool *spool, const void *bytes, size_t size, bipe_error *err)
{
    const uint8_t *p = bytes;
    int status = BIPE_OK;
    if (spool->held < spool->limit && size > 0) {
        size_t n = spool->limit - spool->held < size ? spool->limit - spool->held : size;
        if (bipe_grow(&spool->memory, &spool->capacity, spool->held + n, 1) != 0)
            return bipe_fail_memory(err);
        memcpy(spool->memory + spool->held, p, n);
        spool->held += n;
        p += n;
        size -= n;
    }
    while (size > 0 && status == BIPE_OK) {
        status = open_spool_file(spool, err);
        bool large = size >= PENDING_SIZE / 2; /* worth a write of its own */
        if (status == BIPE_OK && (spool->pending == PENDING_SIZE || (large && spool->pending != 0)))
            status = write_pending(spool, err);
        if (status == BIPE_OK && large) {
            status = write_spool_file(spool, p, size, err);
            size = 0;
        } else if (status == BIPE_OK) {
            size_t n = PENDING_SIZE - spool->pending < size ? PENDING_SIZE - spool->pending : size;
            memcpy(spool->waiting + spool->pending, p, n);
            spool->pending += n;
            p += n;
            size -= n;
        }
    }
    return status;
}

uint64_t bipe_spool_size(const bipe_spool *spool)
{
    return spool->held + spool->filed + spool->pending;
}

static int read_spool_file(bipe_spool *spool, uint64_t offset, uint8_t *bytes, size_t size, bipe_error *err)
{
    while (size > 0) {
        ssize_t n = pread(spool->fd, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return bipe_fail(err, BIPE_ERR_IO, "a temporary file could not be read back: %s",
                             n < 0 ? strerror(errno) : "it has become shorter");
        bytes += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return BIPE_OK;
}

int bipe_spool_read(bipe_spool *spool, uint64_t offset, void *bytes, size_t size, bipe_error *err)
{
    uint64_t total = bipe_spool_size(spool);
    if (offset > total || size > total - offset)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a read past the end of the spool");
    uint8_t *p = bytes;
    if (size > 0 && offset < spool->held) {
        size_t n = spool->held - (size_t)offset < size ? spool->held - (size_t)offset : size;
        memcpy(p, spool->memory + offset, n);
        p += n;
        offset += n;
        size -= n;
    }
    uint64_t filed_end = spool->held + spool->filed;
    if (size > 0 && offset < filed_end) {
        size_t n = filed_end - offset < size ? (size_t)(filed_end - offset) : size;
        int status = read_spool_file(spool, offset - spool->held, p, n, err);
        if (status != BIPE_OK)
            return status;
        p += n;
        offset += n;
        size -= n;
    }
    if (size > 0)
        memcpy(p, spool->waiting + (offset - filed_end), size);
    return BIPE_OK;
}

void bipe_spool_truncate(bipe_spool *spool, uint64_t size)
{
    spool->held = size < spool->held ? (size_t)size : spool->held;
    uint64_t rest = size - spool->held, filed = rest < spool->filed ? rest : spool->filed;
    /* The file is written anew from there; giving its blocks back is only a courtesy. */
    if (spool->fd >= 0 && spool->filed > filed && ftruncate(spool->fd, (off_t)filed) != 0)
        errno = 0;
    spool->filed = filed;
    spool->pending = (size_t)(rest - filed);
}

void bipe_spool_close(bipe_spool *spool)
{
    if (spool == NULL)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    bipe_free(spool->waiting);
    bipe_free(spool->memory);
    bipe_free(spool);
}
