/* score_texts.h - reads FILEs under each tokenizer: tokens, documents, their groups and units. */
#ifndef BIPE_TOOLS_SCORE_SCORE_TEXTS_H
#define BIPE_TOOLS_SCORE_SCORE_TEXTS_H

#include "base/buffer.h"
#include "base/spool.h"
#include "cli/group_names.h"
#include "cli/tool_inputs.h"
#include "measure/loss_units.h"
#include "measure/scorer.h"
#include "measure/stream.h"
#include "measure/token_spool.h"
#include "text/pattern.h"
#include "tools/score/score_setup.h"
#include "tools/score/score_slices.h"

/* The texts under one tokenizer: those of a file are read once for it, with all segmenters. */
typedef struct bipe_score_reader {
    bipe_tokenizer *tokenizer;
    int64_t bos_id;               /* or BIPE_NO_TOKEN, as --bos and the protocol say */
    uint64_t vocabulary;          /* every model of the text knows ids below it */
    int64_t unknown;              /* the unknown token, or BIPE_NO_TOKEN */
    uint64_t tokens, unknowns;    /* read so far; of these, the unknown one */
    const char *spec[BIPE_SPOOL_SEGMENTERS];
    size_t specs;
    bipe_stream *stream;
    bipe_token_spool *spool;
    uint32_t *first_target;       /* [documents] with --loss-after */
    size_t first_capacity;
    bipe_spool *ids;              /* of documents, each with a NUL at its end, where notes say; NULL: not asked for */
} bipe_score_reader;

enum { BIPE_SCORE_ID = 4 * BIPE_MEMBER_MOST }; /* bytes for the id of a record */

/* The texts of the present file under all tokenizers, their documents' groups and units. */
typedef struct bipe_score_texts {
    bipe_tool *tool;              /* of whose texts this is, for messages */
    const bipe_score_setup *setup;
    bool records;                 /* the bytes of records are kept: --records */
    bipe_score_reader *reader;    /* [readers] */
    size_t readers, compared;     /* the first `compared` read the texts of combinations */
    bipe_pattern *pattern;        /* --loss-after */
    bipe_matches *matches;
    bipe_buffer line;             /* the text of the present document, for it */
    const char *member[3];        /* of records: what their ids are, */
    size_t group, cluster;        /* what groups and what clusters them: numbers of [member], 0 where not asked for */
    size_t members;
    bipe_score_slices *slices;    /* --key-spans in characters, and where their bytes go; NULL: there are none */
    bipe_key_spans *spans;
    bipe_group_names groups;
    bipe_loss_units layout;       /* units of the present file */
} bipe_score_texts;

/* Opens streams and spools of the readers, whose tokenizers and segmenters are known. ids: those of records are kept.
 * */
int bipe_score_texts_open(bipe_score_texts *texts, const bipe_inputs *inputs, bool ids, bipe_error *err);
void bipe_score_texts_close(bipe_score_texts *texts);

/* All documents of a file into the spool of a reader; false when nothing of it can be used. A broken document is
 * reported and left out. Documents of files before it stay in the spool. */
bool bipe_score_read(bipe_score_texts *texts, bipe_score_reader *reader, size_t index, const char *path);
/* The present document of the reader's stream into its spool. An error leaves it unfinished there; BIPE_STOPPED:
 * interrupted. index: of its FILE. */
int bipe_score_read_document(bipe_score_texts *texts, bipe_score_reader *reader, const char *path, size_t index,
                             bipe_error *err);
/* The id of a document of the reader's spool, "" where it has none. */
int bipe_score_id(bipe_score_reader *reader, size_t document, char id[BIPE_SCORE_ID], bipe_error *err);
/* The document of token t >= window->first of a window, among those of the reader's spool. */
static inline size_t bipe_score_document(const bipe_score_reader *reader, const bipe_scored_window *window, size_t t)
{
    return bipe_token_spool_document_at(reader->spool, window->start + t - window->added);
}

/* Makes the units of the texts that were read; name: of these texts, in messages. False, and reported: tokenizers do
 * not read the same documents, or memory is exhausted. */
bool bipe_score_units(bipe_score_texts *texts, const char *name);

#endif
