/* stats_shards.h - which shards of which runs a result of bipe-stats holds: so that no shard counts twice, and that those which are
 * missing can be named. */
#ifndef BIPE_CLI_STATS_SHARDS_H
#define BIPE_CLI_STATS_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "cli/result_file.h"
#include "cli/shard.h"
#include "cli/tool.h"

/* Of one FILE, when its documents were shared out: how many were read, and how many could not be. */
typedef struct stats_file_read {
    uint64_t good, bad;
} stats_file_read;

/* Shards of one run. */
typedef struct stats_group {
    char settings[BIPE_RESULT_HASH_SIZE]; /* what the run was asked to do, files included, in hexadecimal */
    uint64_t count;                 /* shards in all */
    bool documents;                 /* they share documents out; otherwise files */
    uint64_t *index;                /* (index_count) the shards that are here, rising */
    size_t index_count;
    stats_file_read *file;          /* (file_count) with `documents`: of all FILEs */
    size_t file_count;
    uint64_t errors;                /* things that could not be read */
    char inputs[BIPE_RESULT_HASH_SIZE];   /* of a single shard: the state of the files that it was made from; empty: not known */
} stats_group;

/* Zero-initialise. */
typedef struct stats_shards {
    stats_group *group; /* (count) of different settings */
    size_t count;
} stats_shards;

void stats_shards_free(stats_shards *shards);

/* Adds shard `index` of `count`; file_count: FILEs whose documents are shared out, 0: files are. The group, or NULL when memory is exhausted. */
stats_group *stats_shards_add(stats_shards *shards, const char *settings, uint64_t index, uint64_t count, size_t file_count);

/* Adds copies of all groups. BIPE_ERR_MEMORY, or BIPE_ERR_ARGUMENT: a shard that is there already, or one of another division. */
int stats_shards_merge(stats_shards *into, const stats_shards *from, bipe_error *err);

/* The files that groups of documents know to have been read: one of which something was read, or in which nothing is broken. */
uint64_t stats_shards_files(const stats_shards *shards);

/* Drops the groups of which no shard is missing. */
void stats_shards_settle(stats_shards *shards);

/* "shards 1, 5-7 of 16 are missing", cut short when there are many. */
void stats_group_missing(const stats_group *group, bipe_error *err);

/* The member "shards" of a result; nothing when there are none. */
void stats_shards_write(const stats_shards *shards, bipe_json *json);

/* Reads the member back. */
void stats_shards_load(bipe_result *result, stats_shards *shards, const json_t *array);

/* Receives a result; `first`: of the first shard. */
typedef void stats_shards_take(void *context, bipe_result *result, bool first);

/* Gives the results in these files, which name their shard in a member "shard":{"run","index","count"}, to `take`. BIPE_ERR_FORMAT when they
 * are not all shards of one run, once each. The record of the tool becomes that of this run. written_by: as for bipe_result_open(). */
int stats_shards_gather(bipe_tool *tool, bipe_files files, const char *written_by, stats_shards_take *take, void *context, bipe_error *err);

#endif
