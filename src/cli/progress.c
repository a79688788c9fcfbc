/* progress.c - one line on standard error that is drawn over and over, and wiped before anything else is printed. */
#include "config.h"

#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/status.h"
#include "cli/terminal.h"

enum { LINE_SIZE = 440 };

void bipe_progress_open(bipe_progress *progress, const char *unit, uint64_t total, bool force, bool quiet)
{
    *progress = (bipe_progress){.unit = unit, .total = total};
    const char *term = getenv("TERM");
    progress->terminal = isatty(STDERR_FILENO) && !(term != NULL && strcmp(term, "dumb") == 0);
    progress->shown = force || (!quiet && progress->terminal);
    progress->started = progress->last = bipe_seconds();
}

void bipe_progress_lines(bipe_progress *progress)
{
    progress->sparse = !progress->shown && !progress->terminal;
    progress->shown = true;
}

/* Whether it is time for another line. */
static bool is_due(const bipe_progress *progress, double now)
{
    double pause = progress->terminal ? 0.1 : progress->sparse ? 10 : 1;
    if (progress->no_amount && !progress->terminal && !progress->sparse && progress->done == progress->total &&
        progress->drawn_at != progress->done)
        return true; /* lines that were asked for say that the end is reached */
    return now - progress->last >= pause &&
           !(progress->sparse && progress->drawn_at != 0 && progress->done - progress->drawn_at < progress->total / 20);
}

/* "123 tokens", "12.3k tokens", "4.56 MB". */
static void format_amount(char *text, size_t size, double amount, const char *unit)
{
    static const char prefixes[] = " KMGTPE";
    bool bytes = strcmp(unit, "bytes") == 0;
    int step = 0;
    while (amount >= 999.5 && prefixes[step + 1] != '\0') {
        amount /= 1000;
        step++;
    }
    int digits = step == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
    if (bytes && step > 0)
        snprintf(text, size, "%.*f %cB", digits, amount, prefixes[step]);
    else if (bytes)
        snprintf(text, size, "%.0f B", amount);
    else if (step > 0)
        snprintf(text, size, "%.*f%c %s", digits, amount, prefixes[step] == 'K' ? 'k' : prefixes[step], unit);
    else
        snprintf(text, size, "%.0f %s", amount, unit);
}

static void format_time(char *text, size_t size, double seconds)
{
    if (seconds > 359999)
        snprintf(text, size, ">99 h");
    else if (seconds >= 3600)
        snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
}

/* The longest beginning of `text` that takes at most `columns` characters, in bytes. */
static size_t fitting_size(const char *text, size_t columns)
{
    size_t n = 0;
    for (; text[n] != '\0'; n++)
        if (((unsigned char)text[n] & 0xC0) != 0x80 && columns-- == 0)
            break;
    return n;
}

void bipe_progress_update(bipe_progress *progress, const char *label, uint64_t done)
{
    progress->done = done;
    if (!progress->shown)
        return;
    double t = bipe_seconds();
    if (!is_due(progress, t))
        return;
    progress->last = t;
    progress->drawn_at = done;
    const char *gap = progress->no_amount ? "" : "  ";
    char amount[48] = "", rate[48], left[24], numbers[200], name[200], line[LINE_SIZE];
    double elapsed = t - progress->started, speed = elapsed > 0 ? (double)done / elapsed : 0;
    double rated = progress->no_amount && elapsed > 0 ? (double)progress->counted / elapsed : speed;
    if (!progress->no_amount)
        format_amount(amount, sizeof amount, (double)done, progress->unit);
    format_amount(rate, sizeof rate, rated, progress->unit);
    if (progress->total > 0 && done <= progress->total) {
        format_time(left, sizeof left, speed > 0 ? (double)(progress->total - done) / speed : 1e9);
        snprintf(numbers, sizeof numbers, "%3.0f%%  %s%s%s/s  %s left",
                 100.0 * (double)done / (double)progress->total, amount, gap, rate, left);
    } else {
        format_time(left, sizeof left, elapsed);
        snprintf(numbers, sizeof numbers, "%s%s%s/s  %s", amount, gap, rate, left);
    }
    snprintf(name, sizeof name, "%s", label != NULL ? label : "");
    snprintf(line, sizeof line, "%s%s%s", numbers, name[0] != '\0' ? "  " : "", bipe_hide_controls(name));
    size_t n = progress->terminal ? fitting_size(line, bipe_terminal_columns(STDERR_FILENO) - 1) : strlen(line);
    /* Half a number would be a wrong one. */
    while (progress->no_amount && n > 0 && line[n] != '\0' && strncmp(line + n, "  ", 2) != 0)
        n--;
    fprintf(stderr, progress->terminal ? "\r%.*s\033[K" : "%.*s\n", (int)n, line);
    fflush(stderr);
    progress->drawn = progress->terminal;
}

void bipe_progress_clear(bipe_progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
}
