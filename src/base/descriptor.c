/* descriptor.c - open, read and write that do not give up when a call is interrupted or partly done. */
#include "config.h"

#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* Linux transfers at most this much at once; a larger request may be refused elsewhere. */
enum { AT_ONCE = 0x40000000 };

/* Moves a descriptor after those of the standard streams. -1 with errno; the old one is closed in any case. */
static int move_descriptor(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(fd);
    errno = saved;
    return high;
}

int bipe_descriptor_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    return move_descriptor(fd);
}

int bipe_descriptor_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return -1;
    }
    ends[0] = move_descriptor(ends[0]);
    ends[1] = move_descriptor(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    int saved = errno;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    ends[0] = ends[1] = -1;
    errno = saved;
    return -1;
}

/* After a failed call: whether it is worth trying again. */
static int can_retry(int fd, short events)
{
    if (errno == EINTR)
        return 1;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    struct pollfd p = {.fd = fd, .events = events};
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

ssize_t bipe_descriptor_read(int fd, void *bytes, size_t size)
{
    if (size > AT_ONCE)
        size = AT_ONCE;
    ssize_t n;
    do
        n = read(fd, bytes, size);
    while (n < 0 && can_retry(fd, POLLIN));
    return n;
}

int bipe_descriptor_write(int fd, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    while (size > 0) {
        ssize_t n = write(fd, p, size > AT_ONCE ? AT_ONCE : size);
        if (n > 0) {
            p += n;
            size -= (size_t)n;
        } else if (n == 0) {
            errno = EIO;
            return -1;
        } else if (!can_retry(fd, POLLOUT)) {
            return -1;
        }
    }
    return 0;
}
