/* stats_read.h - reads files and counts their segments, several files at a time. */
#ifndef BIPE_TOOLS_STATS_READ_H
#define BIPE_TOOLS_STATS_READ_H

#include "measure/stream.h"
#include "tools/stats_result.h"
#include "tools/tool.h"

typedef struct stats_reading {
    bipe_tool *tool;
    bipe_stream_options stream; /* of each thread's own stream */
    const uint64_t *lengths;    /* (length_count) NULL: 1024 and its doublings */
    size_t length_count;
    bipe_files files;
    bool per_file;              /* each file is a part of the result */
    const char *group_by;       /* and so is each group: a member of records, or BIPE_GROUP_FOLDER; NULL: there are none */
    size_t threads;
    stats_choice choice;        /* with `every`, stream.documents is of a kind that cuts plain texts into blocks */
    size_t counts_most;         /* bytes, for tests: what counts of all threads may have before they are handed in; 0: as much as is usual */
    /* A shard: errors are counted in it. One of documents takes document D of file F of its count when (F + D) modulo the count is its
     * index; one of files takes all `files`, which are its own. NULL: everything. */
    stats_group *group;
} stats_reading;

/* Adds the counts of all files to *result, to its parts where there are such. What cannot be read is reported by the tool, in the order of the files, and the rest
 * is done; a document that cannot be read to its end counts as not read. Otherwise an error: the result is of no use. */
int stats_read(const stats_reading *reading, stats_result *result, bipe_error *err);

#endif
