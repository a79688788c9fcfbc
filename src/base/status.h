/* status.h - status codes and error texts, shared by every room.
 *
 * Convention: a function that can fail returns an int status (BIPE_OK is 0) and takes a
 * `bipe_error *` as its last parameter. On failure it has filled the error with one line of text,
 * without a final newline, of the form "where: what was wrong, what was expected". A function that
 * is given a path puts the path in front; a caller that knows more (a file, a record) adds it with
 * bipe_error_prefix(). Libraries neither print nor exit: only tools do. */
#ifndef BIPE_BASE_STATUS_H
#define BIPE_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BIPE_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define BIPE_PRINTF(fmt, first)
#endif

typedef enum bipe_status {
    BIPE_OK = 0,
    BIPE_END,             /* nothing more to read; never an error, its text is empty */
    BIPE_ERR_MEMORY,      /* an allocation failed */
    BIPE_ERR_IO,          /* the system refused an open, a read or a write */
    BIPE_ERR_FORMAT,      /* the bytes are not what their format asks for */
    BIPE_ERR_UNSUPPORTED, /* well-formed, but of a kind that bipe does not do */
    BIPE_ERR_LIMIT,       /* a bound that keeps memory or time finite was reached */
    BIPE_ERR_ARGUMENT     /* the caller (a SPEC, an option) asked for something meaningless */
} bipe_status;

enum { BIPE_ERROR_SIZE = 1024 };

typedef struct bipe_error {
    bipe_status status;
    char text[BIPE_ERROR_SIZE]; /* NUL-terminated, cut at a character when too long */
} bipe_error;

/* Fills *err (err may be NULL) and returns status. Control characters become question marks: the text is one line. */
int bipe_fail(bipe_error *err, bipe_status status, const char *format, ...) BIPE_PRINTF(3, 4);

/* BIPE_ERR_MEMORY with the usual text. */
int bipe_fail_memory(bipe_error *err);

/* Puts "PREFIX: " in front of the text of *err; returns err->status (BIPE_ERR_IO when err is NULL). */
int bipe_error_prefix(bipe_error *err, const char *format, ...) BIPE_PRINTF(2, 3);

/* Control characters of a text (C0, DEL, and C1 in UTF-8) become question marks, so that it is one line and sends nothing to a terminal
 * but characters, whatever a file name or an input holds. Returns text. */
char *bipe_hide_controls(char *text);

#ifdef __cplusplus
}
#endif
#endif
