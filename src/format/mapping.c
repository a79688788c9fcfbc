/* mapping.c - a whole regular file as read-only memory. */
#include "config.h"

#include "format/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lfs_pointer.h"

static int map_descriptor(bipe_mapping *mapping, int fd, const char *path, bipe_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return bipe_fail(err, BIPE_ERR_IO, "%s: is a directory, expected a file", path);
    if (!S_ISREG(info.st_mode))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: is not a regular file, which a model must be", path);
    if (info.st_size == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: is empty", path);
    if ((uintmax_t)info.st_size > PTRDIFF_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: is larger than the address space", path);
    size_t size = (size_t)info.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return bipe_fail(err, errno == ENOMEM ? BIPE_ERR_MEMORY : BIPE_ERR_IO, "%s: cannot be mapped: %s", path,
                         strerror(errno));
    mapping->data = data;
    mapping->size = size;
    return BIPE_OK;
}

int bipe_mapping_open(bipe_mapping *mapping, const char *path, bipe_error *err)
{
    *mapping = (bipe_mapping){0};
    /* O_NONBLOCK: a pipe without a writer must be refused, not waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
    int status = map_descriptor(mapping, fd, path, err);
    close(fd);
    if (status == BIPE_OK && bipe_is_lfs_pointer(mapping->data, mapping->size)) {
        bipe_mapping_close(mapping);
        status = bipe_refuse_lfs_pointer(path, err);
    }
    return status;
}

void bipe_mapping_leave(const void *data, size_t size)
{
#if defined HAVE_MADVISE && defined MADV_DONTNEED
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0)
        return;
    /* whole pages alone; a copy of nothing that is in the file exists, so nothing is lost */
    uintptr_t unit = (uintptr_t)page, from = ((uintptr_t)data + unit - 1) / unit * unit,
              to = ((uintptr_t)data + size) / unit * unit;
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
#else
    (void)data;
    (void)size;
#endif
}

void bipe_mapping_large_pages(const void *data, size_t size)
{
#if defined HAVE_MADVISE && defined MADV_HUGEPAGE
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || size == 0)
        return;
    /* page by page around the bytes, so that neighbours make one range */
    uintptr_t unit = (uintptr_t)page, from = (uintptr_t)data / unit * unit,
              to = ((uintptr_t)data + size + unit - 1) / unit * unit;
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)data;
    (void)size;
#endif
}

void bipe_mapping_close(bipe_mapping *mapping)
{
    if (mapping->data != NULL) {
        uintptr_t address = (uintptr_t)mapping->data;
        munmap((void *)address, mapping->size);
    }
    *mapping = (bipe_mapping){0};
}
