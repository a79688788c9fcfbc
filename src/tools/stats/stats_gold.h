/* stats_gold.h - reference segments (--gold), and the comparison of documents with them: stats_gold.c reads the files,
 * stats_judge.c compares. */
#ifndef BIPE_TOOLS_STATS_STATS_GOLD_H
#define BIPE_TOOLS_STATS_STATS_GOLD_H

#include "cli/tool.h"
#include "measure/agreement.h"
#include "measure/stream.h"

/* Characters that are not white space, by which places of a text are compared. Zero-initialise, with `hash`
 * BIPE_HASH_EMPTY. */
typedef struct stats_places {
    uint64_t count; /* so far */
    uint64_t edge;  /* byte offset after the last of them */
    uint64_t hash;  /* of their bytes */
    uint64_t until; /* stats_places_walk() stops after so many; 0: it does not */
} stats_places;

/* Goes on from bytes[at] to bytes[to], or over the character that lies across it; returns where it stopped. offset: of
 * bytes[0] in the text. */
size_t stats_places_walk(stats_places *places, const uint8_t *bytes, size_t size, size_t at, size_t to,
                         uint64_t offset);

/* The ends of the reference segments of a document, rising. */
typedef struct stats_gold_document {
    uint64_t *end;  /* [count] byte offsets in the text; or, where there are hashes, numbers of characters that are not
                       white space */
    uint64_t *hash; /* NULL, or (count): of all these characters up to there */
    size_t count, capacity, hash_capacity;
} stats_gold_document;

/* A file of reference segments. Zero-initialise; close also after an error. */
typedef struct stats_gold {
    const char *path;
    stats_gold_document *document; /* [count] */
    size_t count, capacity;
    bool blank; /* it has nothing but white space, and so must the text */
} stats_gold;

/* Reads a file, whose form is recognised by its contents: JSON objects, one per line, with a list "ends" of byte
 * offsets, a list "spans" of pairs [start, end] of these or a list "segments" of texts, one object per document; or
 * with "document", "start" and "end", one object per segment, as bipe-segment --format jsonl writes them. Or lines of
 * digits alone, offsets where the segments of the only document end; or, otherwise, the text of one segment per line.
 * BIPE_ERR_FORMAT, BIPE_ERR_LIMIT (more than a gigabyte), or as bipe_input_read(). */
int stats_gold_open(stats_gold *gold, const char *path, bipe_error *err);
void stats_gold_close(stats_gold *gold);

/* The file of reference segments of each FILE: those that were given, one for each, or, in the folder that was given,
 * the file of that name with the ending .ends, or of the same name. *path: (files.count), to be freed with its texts by
 * stats_gold_free_paths(). BIPE_ERR_ARGUMENT: not one for each; BIPE_ERR_IO: none in the folder. */
int stats_gold_paths(char ***path, const bipe_texts *given, bipe_files files, bipe_error *err);
void stats_gold_free_paths(char **path, size_t count);

/* A boundary that only one side has. */
typedef struct stats_miss {
    size_t segmenter, file;   /* numbers */
    uint64_t document, offset; /* bytes of the document before the boundary, without white space */
    const char *of, *path;    /* names of the segmenter and the file, which outlive it */
    const char *found;        /* "no end", where the reference has one, or "end" */
    const char *expected;     /* the other of these */
    char *before, *after;     /* the text around it */
} stats_miss;

/* Sorted by segmenter, file, document and offset; at most so many for each segmenter. Zero-initialise. */
typedef struct stats_misses {
    stats_miss *miss; /* [count] */
    size_t count, capacity;
} stats_misses;

/* Adds those of `from`, which is empty then, and keeps the first `most` of each segmenter. */
void stats_misses_add(stats_misses *into, stats_misses *from, size_t most);
void stats_misses_free(stats_misses *misses);

/* A document that is compared, one after the other. */
typedef struct stats_judge stats_judge;

/* specs: (segmenters), which outlive it; misses: how many are collected of each file and segmenter, or 0. */
stats_judge *stats_judge_open(const char *const *specs, size_t segmenters, uint64_t misses);
/* A file begins; index: among the FILEs; the path outlives the misses. */
int stats_judge_file(stats_judge *judge, const char *path, size_t index, const char *gold, bipe_error *err);
/* The file is over, and had so many documents, all of which were judged (or BIPE_NO_UINT): BIPE_ERR_FORMAT when the
 * reference has more. Its misses are added to *misses. */
int stats_judge_end_file(stats_judge *judge, uint64_t documents, stats_misses *misses, bipe_error *err);
/* A document begins, and its next stretch. BIPE_ERR_FORMAT: the reference is of another text. */
int stats_judge_begin(stats_judge *judge, uint64_t document, bipe_error *err);
int stats_judge_feed(stats_judge *judge, const bipe_batch *batch, bipe_error *err);
/* How far one segmenter agrees, after the last stretch. False: the document is blank. */
bool stats_judge_find(stats_judge *judge, size_t segmenter, bipe_agreement value[BIPE_AGREEMENT_COUNT]);
/* Collects the misses of the document. */
int stats_judge_collect(stats_judge *judge, bipe_error *err);
void stats_judge_close(stats_judge *judge);

#endif
