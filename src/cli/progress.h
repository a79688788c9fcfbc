/* progress.h - a line on standard error with amount done, rate and time left: where that is a terminal, or when asked
 * for. The one place in the libraries that writes to standard error, and only when a tool opens it. */
#ifndef BIPE_CLI_PROGRESS_H
#define BIPE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bipe_progress {
    bool shown, drawn;
    bool terminal;        /* the line is drawn over and over; elsewhere lines follow each other, */
    bool sparse;          /* few of them: bipe_progress_lines() */
    const char *unit;     /* "tokens", "bytes" (bytes are shown as KB, MB, GB) */
    uint64_t total;       /* 0: not known */
    bool no_amount;       /* the label says how far it is, and the rate is that of */
    uint64_t counted;     /* so many units */
    double started, last; /* seconds, monotonic */
    uint64_t done, drawn_at; /* now, and when the last line was drawn */
} bipe_progress;

/* force: --progress; quiet: --quiet. Without either it shows when standard error is a terminal. */
void bipe_progress_open(bipe_progress *progress, const char *unit, uint64_t total, bool force, bool quiet);
/* Where nothing would be shown because standard error is no terminal, shows a line after 10 seconds, then one for each
 * twentieth of the total, but never two within 10 seconds. For runs of hours whose messages go to a file. */
void bipe_progress_lines(bipe_progress *progress);
/* Draws at most ten times a second on a terminal, once a second elsewhere; cheap to call. `label` names the file. */
void bipe_progress_update(bipe_progress *progress, const char *label, uint64_t done);
/* Wipes the line (before a message or a row is printed). */
void bipe_progress_clear(bipe_progress *progress);

#endif
