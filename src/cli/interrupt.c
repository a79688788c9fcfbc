/* interrupt.c - notes signals for long runs; see interrupt.h. */
#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int stop_signal; /* workers of a pool ask as well */
static int empty_input = -1;
static struct sigaction previous_action[3];
static const int stop_signals[3] = { SIGINT, SIGTERM, SIGHUP };

static void stop_handler(int number)
{
    stop_signal = number;
    if (empty_input >= 0) /* a read that waits for input ends */
        dup2(empty_input, STDIN_FILENO);
    for (int i = 0; i < 3; i++) /* a second one ends the program at once */
        sigaction(stop_signals[i], &previous_action[i], NULL);
}

void bipe_interrupt_catch(void)
{
    empty_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        struct sigaction action = { .sa_handler = stop_handler };
        sigemptyset(&action.sa_mask);
        sigaction(stop_signals[i], NULL, &previous_action[i]);
        if (previous_action[i].sa_handler != SIG_IGN)
            sigaction(stop_signals[i], &action, NULL);
    }
}

int bipe_interrupted(void)
{
    return stop_signal;
}
