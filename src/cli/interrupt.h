/* interrupt.h - SIGINT, SIGTERM and SIGHUP as something that a long run asks for between two pieces of work, so that
 * what was finished is kept. A second signal ends the program at once. */
#ifndef BIPE_CLI_INTERRUPT_H
#define BIPE_CLI_INTERRUPT_H

/* From now on. A read of standard input that waits ends when a signal comes. */
void bipe_interrupt_catch(void);
/* The signal that came; 0: none. From any thread. */
int bipe_interrupted(void);

#endif
