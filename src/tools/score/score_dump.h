/* score_dump.h - the files of --tokens, --segments and --documents. */
#ifndef BIPE_TOOLS_SCORE_SCORE_DUMP_H
#define BIPE_TOOLS_SCORE_SCORE_DUMP_H

#include "tools/score/score_texts.h"

typedef struct bipe_score_dump bipe_score_dump;

typedef enum bipe_score_dump_kind {
    BIPE_SCORE_TOKENS, BIPE_SCORE_SEGMENTS, BIPE_SCORE_DOCUMENT_ROWS, BIPE_SCORE_DUMPS
} bipe_score_dump_kind;

/* What is known of a scored token: it counts, or it counts and is key. */
enum { BIPE_SCORE_COUNTS = 1, BIPE_SCORE_COUNTS_KEY = 3 };

/* Where a window is. */
typedef struct bipe_score_place {
    size_t combination;
    const char *file;
    size_t number;                          /* of the length in the run */
    uint64_t length;
    bipe_score_reader *reader;              /* what has its text */
    const double *brief;                    /* (window->length) losses with a short context, or NaN; NULL: no
                                               --contrast */
    const uint8_t *counts;                  /* (window->length) 0: the token is not scored, or does not count */
} bipe_score_place;

/* A line for each scored token, for each segment of a window with scored tokens, or for each document. Lines of the
 * lengths of a file are kept apart, and go out one length after the other when the file is done. several: files may
 * have several documents, whose number is then a column. ids: so are the ids of their records. text: lines of tokens
 * end with their text. */
int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bipe_score_dump_kind kind,
                         const bipe_score_setup *setup, const bipe_group_names *groups, bool several, bool ids,
                         bool text, bipe_error *err);
int bipe_score_dump_window(bipe_score_dump *dump, const bipe_score_place *place, const bipe_scored_window *window,
                           bipe_error *err);
int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err);
int bipe_score_dump_commit(bipe_score_dump *dump, const bipe_tool *tool, bipe_error *err); /* as bipe_tool_commit() */
void bipe_score_dump_abandon(bipe_score_dump *dump); /* NULL is allowed */

/* Between the columns of a file: a comma where its name ends in .csv, else a tab. */
char bipe_score_dump_separator(const char *path);

#endif
