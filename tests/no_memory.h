/* no_memory.h - runs what a tool does with every allocation failing once, in turn. Since the tool ends where memory is
 * out (cli/tool_alloc.h), each time is in a process of its own. */
#ifndef BIPE_TESTS_NO_MEMORY_H
#define BIPE_TESTS_NO_MEMORY_H

#include <stdbool.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "tests/check.h"

/* What run() returns: all was done; a library said BIPE_ERR_MEMORY; anything else that it did is wrong. 1 is the exit
 * status of the tool, which has said so itself. */
enum { NO_MEMORY_DONE = 0, NO_MEMORY_TOOL = 1, NO_MEMORY_LIBRARY = 3, NO_MEMORY_WRONG = 4 };

/* run() calls bipe_alloc_fail_at() with this. */
static long no_memory_at;

/* The exit status of run(), which may end the process, and what was said. */
static int no_memory_child(int (*run)(void *context), void *context, char *said, size_t capacity)
{
    int ends[2] = {-1, -1}, status = -1;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        exit(run(context)); /* after which a sanitizer looks for leaks */
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t n; (n = read(ends[0], said + size, capacity - 1 - size)) > 0; size += (size_t)n)
        ;
    said[size] = '\0';
    close(ends[0]);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* check() looks at what is left after each time; NULL: at nothing. Returns how often memory can be out, about. */
static long test_no_memory(int (*run)(void *context), void *context, void (*check)(bool done))
{
    enum { ENOUGH = 4 };
    static char said[1 << 16];
    long failed = 0, step = test_stride(100);
    int done = 0;
    for (no_memory_at = 0; done < ENOUGH; no_memory_at += step) {
        int status = no_memory_child(run, context, said, sizeof said);
        done = status == NO_MEMORY_DONE ? done + 1 : 0;
        failed += status != NO_MEMORY_DONE;
        CHECKF(status == NO_MEMORY_DONE || status == NO_MEMORY_LIBRARY ||
                   (status == NO_MEMORY_TOOL && strstr(said, "out of memory") != NULL),
               "allocation %ld: status %d, \"%s\"", no_memory_at, status, said);
        if (check != NULL)
            check(status == NO_MEMORY_DONE);
    }
    return failed * step;
}

#endif
