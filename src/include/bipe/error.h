/* error.h - status codes and error texts.
 *
 * A function that can fail returns an int status (BIPE_OK is 0) and takes a `bipe_error *`, which may be NULL, as its
 * last parameter. On failure it has filled the error with one line of text, without a final newline, of the form
 * "where: what was wrong, what was expected". */
#ifndef BIPE_ERROR_H
#define BIPE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_status {
    BIPE_OK = 0,
    BIPE_END,             /* nothing more to read, or nothing of that name; never an error, *err is as it was */
    BIPE_ERR_MEMORY,      /* an allocation failed */
    BIPE_ERR_IO,          /* the system refused an open, a read or a write */
    BIPE_ERR_FORMAT,      /* the bytes are not what their format asks for */
    BIPE_ERR_UNSUPPORTED, /* well-formed, but of a kind that bipe does not do */
    BIPE_ERR_LIMIT,       /* a bound that keeps memory or time finite was reached */
    BIPE_ERR_ARGUMENT,    /* the caller (a SPEC, an option) asked for something meaningless */
    BIPE_STOPPED          /* the caller asked to stop, or nobody reads the output any more; no error, its text is
                             empty */
} bipe_status;

enum { BIPE_ERROR_SIZE = 1024 };

typedef struct bipe_error {
    bipe_status status;
    char text[BIPE_ERROR_SIZE]; /* NUL-terminated, cut at a character when too long */
} bipe_error;

#ifdef __cplusplus
}
#endif
#endif
