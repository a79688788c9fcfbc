/* score_run.h - the parts of bipe-score's loop over files, texts and windows. Private to the tool. */
#ifndef BIPE_TOOLS_SCORE_RUN_H
#define BIPE_TOOLS_SCORE_RUN_H

#include "base/spool.h"
#include "tools/bipe_score.h"

/* One length of a text. */
typedef struct text_length {
    size_t number;         /* run->lengths.value[number] */
    uint64_t windows;      /* that the row is to have */
    uint64_t next;         /* the first window that is not in the row or the part */
    bipe_cut *list;        /* its windows, where the protocol lists them */
    bipe_plan_length all;  /* what was planned, for --common */
    bipe_score_row row;    /* finished batches */
    bipe_score_row part;   /* the present one */
} text_length;

/* A text under one combination. */
typedef struct text_run {
    bipe_score_run *run;
    const bipe_score_combination *combination;
    size_t number;         /* of the combination */
    bipe_score_reader *reader;
    const char *path;
    bipe_score_text text;
    bipe_plan plan;
    text_length *length;   /* (plan.count) */
    bipe_token_losses brief; /* --contrast: with a short context */
} text_run;

/* A dump that cannot be written is given up; the report goes on (score_losses.c). */
void bipe_score_check_dump(bipe_score_run *run, size_t number, int status, const bipe_error *err);
/* A window's losses to the parts and dumps, and what a batch came to to the rows: of a sink whose context is a text_run. */
int bipe_score_take_window(void *context, const bipe_scored_window *window, bipe_error *err);
int bipe_score_take_batch(void *context, uint64_t tokens, bipe_error *err);
/* Scores the text in the spool under a combination; its rows wait in the run (score_combine.c). last: no other text follows. */
void bipe_score_combine(bipe_score_run *run, size_t number, const char *path, bool last);

#endif
