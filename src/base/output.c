/* output.c - standard output or a file, buffered, checked to the last byte. Temporary files of killed programs are the
 * business of output_guard.c. */
#include "config.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/descriptor.h"
#include "base/output_guard.h"

enum { BUFFER_SIZE = BIPE_OUTPUT_RESERVE };

struct bipe_output {
    int fd;           /* -1: closed */
    char *name;       /* for error texts */
    char *target;     /* the file to appear, links followed; NULL: written directly */
    char *temporary;  /* what is written until then; NULL: none exists */
    int slot;         /* its index in the guard's table */
    bipe_output_sink *sink; /* instead of all that; or NULL */
    void *context;
    bool keeps;       /* everything, in `buffer` */
    bipe_buffer buffer;
    bipe_error error; /* the first failure */
};

/* Remembers a failure of the system (errno) in the output. */
static int fail_system(bipe_output *output, const char *what)
{
    if (errno == EPIPE)
        return bipe_fail(&output->error, BIPE_STOPPED, "%s", "");
    return bipe_fail(&output->error, BIPE_ERR_IO, "%s: %s: %s", output->name, what, strerror(errno));
}

static int report_failure(const bipe_output *output, bipe_error *err)
{
    if (err != NULL && output->error.status != BIPE_OK)
        *err = output->error;
    return (int)output->error.status;
}

static int open_standard(bipe_output *output, bipe_error *err)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return bipe_fail(err, BIPE_ERR_IO, "standard output: is closed, expected a file, a pipe or a terminal");
    output->fd = STDOUT_FILENO;
    return BIPE_OK;
}

/* "FOLDER/.NAME.bipe-HEX", with a long NAME cut so that the whole stays a valid file name. */
static char *temporary_name(const char *target)
{
    static atomic_uint counter;
    const char *slash = strrchr(target, '/');
    const char *base = slash != NULL ? slash + 1 : target;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15);
    mix ^= ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) + atomic_fetch_add(&counter, 1);
    mix *= UINT64_C(0xD1342543DE82EF95);
    size_t size = (size_t)(base - target) + 160;
    char *name = bipe_alloc(size, 1);
    if (name != NULL)
        snprintf(name, size, "%.*s.%.100s.bipe-%012llx", (int)(base - target), target, base,
                 (unsigned long long)(mix >> 16));
    return name;
}

/* Creates the temporary file, known to the guard from its first moment: signals wait meanwhile. */
static int create_temporary(bipe_output *output, mode_t mode, bipe_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    int status = BIPE_OK;
    for (int tries = 0; tries < 100; tries++) {
        output->temporary = temporary_name(output->target);
        if (output->temporary == NULL)
            return bipe_fail_memory(err);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        output->fd = bipe_descriptor_open(output->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        int saved = errno;
        if (output->fd >= 0 && (output->slot = bipe_output_guard_add(output->temporary)) < 0) {
            status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: too many output files are open at once", output->name);
            unlink(output->temporary);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (output->fd >= 0) {
            if (status == BIPE_OK && mode != 0 && fchmod(output->fd, mode) != 0)
                status = bipe_fail(err, BIPE_ERR_IO, "%s: permissions could not be kept: %s", output->name,
                                   strerror(errno));
            return status;
        }
        bipe_free(output->temporary);
        output->temporary = NULL;
        if (saved != EEXIST)
            return bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", output->name, strerror(saved));
    }
    return bipe_fail(err, BIPE_ERR_IO, "%s: no name was free for a temporary file beside it", output->name);
}

static int open_output_file(bipe_output *output, const char *path, bipe_error *err)
{
    struct stat info;
    mode_t mode = 0;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return bipe_fail(err, BIPE_ERR_IO, "%s: is a directory, expected a file", path);
        if (!S_ISREG(info.st_mode)) {
            output->fd = bipe_descriptor_open(path, O_WRONLY | O_NOCTTY, 0);
            return output->fd >= 0 ? BIPE_OK
                                   : bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
        }
        if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
            return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
        mode = info.st_mode & 0777;
        char *real = realpath(path, NULL);
        if (real != NULL)
            output->target = bipe_strdup(real);
        free(real);
        if (real == NULL && errno != ENOMEM)
            return bipe_fail(err, BIPE_ERR_IO, "%s: could not be followed: %s", path, strerror(errno));
    } else if (errno == ENOENT) {
        output->target = bipe_strdup(path);
    } else {
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
    }
    if (output->target == NULL)
        return bipe_fail_memory(err);
    return create_temporary(output, mode, err);
}

/* One without a file. NULL: memory is exhausted. */
static bipe_output *new_output(bipe_error *err)
{
    bipe_output *output = bipe_alloc(1, sizeof *output);
    if (output == NULL || bipe_buffer_reserve(&output->buffer, BUFFER_SIZE, err) != BIPE_OK) {
        bipe_free(output);
        bipe_fail_memory(err);
        return NULL;
    }
    output->fd = output->slot = -1;
    return output;
}

int bipe_output_open(bipe_output **result, const char *path, bipe_error *err)
{
    *result = NULL;
    bool standard = path == NULL || strcmp(path, "-") == 0;
    signal(SIGPIPE, SIG_IGN);
    bipe_output *output = new_output(err);
    if (output == NULL)
        return BIPE_ERR_MEMORY;
    output->name = bipe_strdup(standard ? "standard output" : path);
    int status = output->name == NULL ? bipe_fail_memory(err)
                 : standard           ? open_standard(output, err)
                                      : open_output_file(output, path, err);
    if (status != BIPE_OK) {
        bipe_output_abandon(output);
        return status;
    }
    *result = output;
    return BIPE_OK;
}

int bipe_output_open_sink(bipe_output **result, bipe_output_sink *sink, void *context, bipe_error *err)
{
    bipe_output *output = *result = new_output(err);
    if (output == NULL)
        return BIPE_ERR_MEMORY;
    output->sink = sink;
    output->context = context;
    return BIPE_OK;
}

int bipe_output_open_memory(bipe_output **result, bipe_error *err)
{
    bipe_output *output = *result = new_output(err);
    if (output == NULL)
        return BIPE_ERR_MEMORY;
    output->keeps = true;
    return BIPE_OK;
}

const bipe_buffer *bipe_output_kept(const bipe_output *output)
{
    return &output->buffer;
}

void bipe_output_forget(bipe_output *output)
{
    output->buffer.size = 0;
    if (output->buffer.capacity > 32 * (size_t)BUFFER_SIZE)
        bipe_buffer_free(&output->buffer);
}

static int write_bytes(bipe_output *output, const void *bytes, size_t size)
{
    if (output->sink != NULL)
        return size == 0 ? BIPE_OK : output->sink(output->context, bytes, size, &output->error);
    return bipe_descriptor_write(output->fd, bytes, size) == 0 ? BIPE_OK : fail_system(output, "could not be written");
}

static int flush_buffer(bipe_output *output)
{
    if (output->error.status == BIPE_OK && !output->keeps)
        write_bytes(output, output->buffer.data, output->buffer.size);
    if (!output->keeps)
        output->buffer.size = 0;
    return (int)output->error.status;
}

/* The buffer gets space for so many more bytes, at most BUFFER_SIZE unless everything is kept. */
static int make_space(bipe_output *output, size_t size)
{
    if (size <= output->buffer.capacity - output->buffer.size || flush_buffer(output) != BIPE_OK || !output->keeps)
        return (int)output->error.status;
    return bipe_buffer_reserve(&output->buffer, size > output->buffer.size ? size : output->buffer.size,
                               &output->error);
}

int bipe_output_flush(bipe_output *output, bipe_error *err)
{
    flush_buffer(output);
    return report_failure(output, err);
}

int bipe_output_write(bipe_output *output, const void *bytes, size_t size, bipe_error *err)
{
    if (output->error.status != BIPE_OK)
        return report_failure(output, err);
    if (make_space(output, size) != BIPE_OK)
        return report_failure(output, err);
    if (size > output->buffer.capacity) {
        write_bytes(output, bytes, size);
        return report_failure(output, err);
    }
    if (size > 0)
        memcpy(output->buffer.data + output->buffer.size, bytes, size);
    output->buffer.size += size;
    return BIPE_OK;
}

int bipe_output_reserve(bipe_output *output, size_t need, uint8_t **to, size_t *left, bipe_error *err)
{
    make_space(output, need);
    *to = output->buffer.data + output->buffer.size;
    *left = output->buffer.capacity - output->buffer.size;
    return report_failure(output, err);
}

void bipe_output_filled(bipe_output *output, size_t size)
{
    output->buffer.size += size;
}

int bipe_output_printf(bipe_output *output, bipe_error *err, const char *format, ...)
{
    char small[512];
    va_list ap;
    va_start(ap, format);
    int size = vsnprintf(small, sizeof small, format, ap);
    va_end(ap);
    if (size < 0) {
        bipe_fail(&output->error, BIPE_ERR_ARGUMENT, "%s: a text could not be formatted", output->name);
        return report_failure(output, err);
    }
    if ((size_t)size < sizeof small)
        return bipe_output_write(output, small, (size_t)size, err);
    char *large = bipe_alloc((size_t)size + 1, 1);
    if (large == NULL) {
        bipe_fail_memory(&output->error);
        return report_failure(output, err);
    }
    va_start(ap, format);
    vsnprintf(large, (size_t)size + 1, format, ap);
    va_end(ap);
    int status = bipe_output_write(output, large, (size_t)size, err);
    bipe_free(large);
    return status;
}

int bipe_output_name(bipe_output *output, const char *name, bipe_error *err)
{
    char piece[256];
    int status = BIPE_OK;
    for (size_t left = strlen(name), n; status == BIPE_OK && left != 0; left -= n, name += n) {
        n = left < sizeof piece ? left : sizeof piece - 1;
        n -= n < left && n > 1 && (unsigned char)name[n - 1] == 0xC2; /* the first half of a control character,
                                                                         perhaps */
        memcpy(piece, name, n);
        piece[n] = '\0';
        status = bipe_output_write(output, bipe_hide_controls(piece), n, err);
    }
    return status;
}

int bipe_output_sync_folder(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL &&
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + (slash == path), path) >= (int)sizeof folder)
        return 0;
    int fd = bipe_descriptor_open(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return 0; /* a folder that may be written but not read */
    int failed = fsync(fd) != 0 && errno == EIO;
    close(fd);
    errno = EIO;
    return failed ? -1 : 0;
}

static void close_descriptor(bipe_output *output)
{
    int fd = output->fd;
    output->fd = -1;
    if (fd >= 0 && close(fd) != 0 && errno != EINTR && output->error.status == BIPE_OK)
        fail_system(output, "could not be closed");
}

bool bipe_output_replaces(const bipe_output *output)
{
    return output->temporary != NULL;
}

int bipe_output_commit(bipe_output *output, bipe_error *err)
{
    flush_buffer(output);
    if (output->temporary != NULL && output->error.status == BIPE_OK && fsync(output->fd) != 0 && errno != EINVAL &&
        errno != ENOTSUP)
        fail_system(output, "could not be synced");
    close_descriptor(output);
    if (output->temporary != NULL && output->error.status == BIPE_OK) {
        if (rename(output->temporary, output->target) != 0) {
            fail_system(output, "could not be put in place");
        } else {
            bipe_output_guard_drop(output->slot);
            bipe_free(output->temporary);
            output->temporary = NULL;
            if (bipe_output_sync_folder(output->target) != 0)
                fail_system(output, "its folder could not be synced");
        }
    }
    int status = report_failure(output, err);
    bipe_output_abandon(output);
    return status;
}

void bipe_output_abandon(bipe_output *output)
{
    if (output == NULL)
        return;
    if (output->fd > STDERR_FILENO)
        close(output->fd);
    if (output->temporary != NULL) {
        if (output->slot >= 0)
            unlink(output->temporary);
        bipe_output_guard_drop(output->slot);
    }
    bipe_free(output->temporary);
    bipe_free(output->target);
    bipe_free(output->name);
    bipe_buffer_free(&output->buffer);
    bipe_free(output);
}
