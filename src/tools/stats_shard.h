/* stats_shard.h - identifies the result of a shard. */
#ifndef BIPE_TOOLS_STATS_SHARD_H
#define BIPE_TOOLS_STATS_SHARD_H

#include "measure/stream.h"
#include "tools/shard.h"
#include "tools/stats_read.h"
#include "tools/stats_shards.h"
#include "tools/tool.h"

/* Whether there are fewer files than shards, which then share out documents. */
static inline bool stats_shard_of_documents(const bipe_shard *shard, bipe_files files)
{
    return files.count < shard->count;
}

/* Hashes of what all shards of a run have in common (options and names), and of the state (size and time) of the files that this one
 * reads and of the tokenizer's; the latter is empty if it is unknown. reading->files: all files of the command line. */
void stats_shard_settings(char hash[STATS_HASH_SIZE], const stats_reading *reading, bool special);
void stats_shard_inputs(char hash[STATS_HASH_SIZE], const stats_reading *reading, const bipe_shard *shard);

/* Whether `path` is a result of this shard, whole and of the present files. */
bool stats_shard_done(const char *path, const bipe_shard *shard, const char *settings, const char *inputs);

#endif
