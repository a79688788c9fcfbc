/* result_shards.h - which shards of which runs a result holds: so that no shard counts twice, and that those which are
 * missing can be named. */
#ifndef BIPE_CLI_RESULT_SHARDS_H
#define BIPE_CLI_RESULT_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "cli/result_file.h"
#include "cli/shard.h"
#include "cli/tool.h"

/* Of one FILE, when its documents were shared out: how many were read, and how many could not be. */
typedef struct bipe_shard_file {
    uint64_t good, bad;
} bipe_shard_file;

/* Shards of one run. */
typedef struct bipe_shard_group {
    uint64_t settings;     /* a hash of what the run was asked to do, files included */
    uint64_t inputs;       /* of a single shard: one of the state of its files; BIPE_NO_UINT: not known */
    uint64_t count;        /* shards in all */
    uint64_t errors;       /* things that could not be read */
    int documents;         /* 1: they share documents out; 0: files */
    uint64_t *index;       /* (index_count) the shards that are here, rising */
    size_t index_count;
    bipe_shard_file *file; /* (file_count) with `documents`: of all FILEs */
    size_t file_count;
} bipe_shard_group;

/* Zero-initialise. */
typedef struct bipe_result_shards {
    bipe_shard_group *group; /* (count) of different settings */
    size_t count;
} bipe_result_shards;

void bipe_result_shards_free(bipe_result_shards *shards);

/* file_count: FILEs whose documents are shared out; 0: files are. The new group. */
bipe_shard_group *bipe_result_shards_add(bipe_result_shards *shards, uint64_t settings, const bipe_shard *shard,
                                         size_t file_count);

/* Adds copies of all groups. BIPE_ERR_ARGUMENT: a shard that is there already, or one of another division. */
int bipe_result_shards_merge(bipe_result_shards *into, const bipe_result_shards *from, bipe_error *err);

/* The files that groups of documents know to have been read: those of which something was read, or in which nothing is
 * broken. */
uint64_t bipe_result_shards_files(const bipe_result_shards *shards);

/* Drops the groups of which no shard is missing. */
void bipe_result_shards_settle(bipe_result_shards *shards);

/* "shards 1, 5-7 of 16 are missing", cut short when there are many. */
void bipe_shard_group_missing(const bipe_shard_group *group, bipe_error *err);

/* The member "shards" of a result; nothing when there are none. */
void bipe_result_shards_write(const bipe_result_shards *shards, bipe_json *json);

/* Reads the member back. */
void bipe_result_shards_load(bipe_result *result, bipe_result_shards *shards, const json_t *array);

/* Begins the member "shard":{"run","index","count"} of the result of one shard; the caller adds what else it needs, and
 * ends the object. */
void bipe_result_shard_begin(bipe_json *json, uint64_t run, const bipe_shard *shard);

/* Receives a result; `first`: of the first shard. */
typedef void bipe_result_take(void *context, bipe_result *result, bool first);

/* Gives the results in these files, which have a member "shard", to `take`. Those that cannot be read and those that
 * are not complete are reported and left out. BIPE_ERR_FORMAT when the others are not all shards of one run, of the
 * same files, once each. The record of the tool becomes that of this run. written_by: as for
 * bipe_result_open(). */
int bipe_result_shards_gather(bipe_tool *tool, bipe_files files, const char *written_by, bipe_result_take *take,
                              void *context, bipe_error *err);

#endif
