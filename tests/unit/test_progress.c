/* test_progress.c - the progress line: what it says, that it fits the terminal, and that it is silent where it should
 * be. */
#include "config.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "cli/progress.h"
#include "tests/check.h"
#include "tests/scratch.h"

/* Runs `body` with standard error in a file, or on a pseudo-terminal of `columns` columns; what arrived (free it). */
static char *catch(void (*body)(void), unsigned short columns)
{
    const char *path = scratch_path("progress");
    int master = -1, slave = -1;
    if (columns == 0) {
        slave = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    } else {
        master = posix_openpt(O_RDWR | O_NOCTTY);
        if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
            (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0)
            test_skip("there are no pseudo-terminals");
        struct winsize size = {.ws_row = 24, .ws_col = columns};
        CHECK(ioctl(slave, TIOCSWINSZ, &size) == 0);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(slave, STDERR_FILENO);
        body();
        fflush(stderr);
        _exit(0);
    }
    close(slave);
    static char bytes[65536];
    size_t size = 0;
    if (columns != 0) {
        for (ssize_t n; size < sizeof bytes - 1 && (n = read(master, bytes + size, sizeof bytes - 1 - size)) > 0;)
            size += (size_t)n;
        close(master);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    if (columns == 0)
        return scratch_read(path, &size);
    bytes[size] = '\0';
    return strdup(bytes);
}

/* Opens with a start in the past, so that nothing here has to wait; what is drawn stays the same for a second of delay.
 * Updates that come too soon after the last line draw nothing. */
static void draw(const char *unit, uint64_t total, uint64_t done, double seconds, const char *label, bool force,
                 bool quiet)
{
    bipe_progress progress;
    bipe_progress_open(&progress, unit, total, force, quiet);
    progress.last += 1000;
    bipe_progress_update(&progress, label, done);
    progress.started -= seconds;
    progress.last -= 1000 + seconds;
    bipe_progress_update(&progress, label, done);
    progress.last += 1000;
    bipe_progress_update(&progress, label, done);
    bipe_progress_clear(&progress);
    bipe_progress_clear(&progress);
}

static void body_unforced(void)
{
    draw("tokens", 100, 50, 10, "file", false, false);
}

static void body_quiet(void)
{
    draw("tokens", 100, 50, 10, "file", false, true);
}

static void body_forced(void)
{
    draw("tokens", 100, 50, 10, "file", true, false);
}

static void body_bytes(void)
{
    draw("bytes", 2000000000, 1000000000, 3700, "a\tb\033[2J", false, false);
}

static void body_unknown(void)
{
    draw("tokens", 0, 1234567, 100, NULL, false, false);
}

static void body_long(void)
{
    draw("bytes", 2, 1, 99,
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3"
         "\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
         false, false);
}

/* A label that is numbers too, shown whole or not at all. */
static void body_steps(void)
{
    bipe_progress progress;
    bipe_progress_open(&progress, "tokens", 100, false, false);
    progress.no_amount = true;
    progress.counted = 50;
    progress.started -= 10;
    progress.last -= 10;
    bipe_progress_update(&progress, "step 102/300  loss 5.0000", 50);
    bipe_progress_clear(&progress);
}

/* The last line is drawn however soon it comes, and once. */
static void body_end(void)
{
    bipe_progress progress;
    bipe_progress_open(&progress, "tokens", 100, true, false);
    progress.no_amount = true;
    progress.counted = 50;
    progress.started -= 10;
    bipe_progress_update(&progress, "step 99/100", 99);
    bipe_progress_update(&progress, "step 100/100", 100);
    bipe_progress_update(&progress, "step 100/100", 100);
}

/* Few lines: after 10 seconds, then for each twentieth, never two within 10 seconds. */
static void body_lines(void)
{
    static const struct {
        double seconds;
        uint64_t done;
    } at[] = {{5, 10}, {6, 20}, {20, 21}, {20, 25}, {5, 50}, {9, 60}};
    bipe_progress progress;
    bipe_progress_open(&progress, "tokens", 100, false, false);
    bipe_progress_lines(&progress);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        progress.started -= at[i].seconds;
        progress.last -= at[i].seconds;
        bipe_progress_update(&progress, NULL, at[i].done);
    }
    bipe_progress_clear(&progress);
}

static void check_line(void (*body)(void), unsigned short columns, const char *want)
{
    char *got = catch(body, columns);
    CHECK_TEXT(got, want);
    free(got);
}

int main(void)
{
    setenv("TERM", "xterm", 1);
    check_line(body_unforced, 0, "");
    check_line(body_quiet, 80, "");
    check_line(body_forced, 0, " 50%  50 tokens  5 tokens/s  0:10 left  file\n");
    check_line(body_unforced, 80, "\r 50%  50 tokens  5 tokens/s  0:10 left  file\033[K\r\033[K");
    check_line(body_bytes, 80, "\r 50%  1.00 GB  270 KB/s  1:01:40 left  a?b?[2J\033[K\r\033[K");
    check_line(body_unknown, 80, "\r1.23M tokens  12.3k tokens/s  1:40\033[K\r\033[K");
    check_line(body_long, 31, "\r 50%  1 B  0 B/s  1:39 left  \xC3\xA9\033[K\r\033[K");
    check_line(body_long, 10, "\r 50%  1 B\033[K\r\033[K");
    check_line(body_end, 0, "100%  5 tokens/s  0:00 left  step 100/100\n");
    check_line(body_lines, 0,
               " 20%  20 tokens  2 tokens/s  0:44 left\n 25%  25 tokens  0 tokens/s  2:33 left\n 60%  60 tokens  1 "
               "tokens/s  0:43 left\n");
    check_line(body_steps, 80, "\r 50%  5 tokens/s  0:10 left  step 102/300  loss 5.0000\033[K\r\033[K");
    check_line(body_steps, 42, "\r 50%  5 tokens/s  0:10 left  step 102/300\033[K\r\033[K");
    check_line(body_steps, 40, "\r 50%  5 tokens/s  0:10 left\033[K\r\033[K");
    setenv("TERM", "dumb", 1);
    check_line(body_unforced, 80, "");
    return test_result();
}
