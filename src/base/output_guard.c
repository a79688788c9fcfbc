/* output_guard.c - removes temporary files when a signal ends the program. A fixed table: a handler may not
 * allocate. */
#include "config.h"

#include "base/output_guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 64, FREE = 0, TAKEN, ARMED };

static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[SLOTS];

int bipe_output_guard_add(const char *path)
{
    size_t n = strlen(path) + 1;
    if (n > PATH_MAX)
        return -1;
    for (int i = 0; i < SLOTS; i++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &expected, TAKEN)) {
            memcpy(slots[i].path, path, n);
            atomic_store(&slots[i].state, ARMED);
            return i;
        }
    }
    return -1;
}

void bipe_output_guard_drop(int slot)
{
    if (slot >= 0)
        atomic_store(&slots[slot].state, FREE);
}

void bipe_output_remove_all(void)
{
    int saved = errno;
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == ARMED)
            unlink(slots[i].path);
    errno = saved;
}

static void end_program(int number)
{
    bipe_output_remove_all();
    /* SA_RESETHAND has put the default action back; the signal is delivered when this returns. */
    raise(number);
}

void bipe_output_guard(void)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction old, action = {.sa_handler = end_program, .sa_flags = (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
}
