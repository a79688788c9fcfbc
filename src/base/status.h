/* status.h - errors, in every folder.
 *
 * The convention is that of <bipe/error.h>. A function that gets a path begins the error with it; a caller that knows
 * more (a file, a record) adds it with bipe_error_prefix(). Libraries neither print nor exit: only tools do. */
#ifndef BIPE_BASE_STATUS_H
#define BIPE_BASE_STATUS_H

#include <bipe/error.h>

#if defined(__GNUC__)
#define BIPE_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define BIPE_PRINTF(fmt, first)
#endif

/* Fills *err (err may be NULL) and returns status. Control characters become question marks: the text is one line. */
int bipe_fail(bipe_error *err, bipe_status status, const char *format, ...) BIPE_PRINTF(3, 4);

/* BIPE_ERR_MEMORY with the usual text. */
int bipe_fail_memory(bipe_error *err);

/* Puts "PREFIX: " in front of the text of *err; returns err->status (BIPE_ERR_IO when err is NULL). */
int bipe_error_prefix(bipe_error *err, const char *format, ...) BIPE_PRINTF(2, 3);

/* Control characters of a text (C0, DEL, and C1 in UTF-8) become question marks, so that it is one line and sends
 * nothing to a terminal but characters, whatever a file name or an input holds. Returns text. */
char *bipe_hide_controls(char *text);

#endif
