/* clusters.h - the clusters of --cluster: documents or records that depend on each other, because a member has the same
 * value in all of them or because they are in the same file. Errors come from whole clusters (measure/resample.h). */
#ifndef BIPE_CLI_CLUSTERS_H
#define BIPE_CLI_CLUSTERS_H

#include "base/hash.h"
#include "cli/tool.h"

/* In place of a member: each file is a cluster; each document is one. */
#define BIPE_CLUSTER_FILE "file"
#define BIPE_CLUSTER_DOCUMENT "document"

/* Errors from fewer clusters are rough. */
enum { BIPE_CLUSTERS_FEW = 10 };

/* The number of a cluster: a hash of 53 bits, which any program keeps that reads JSON. value: of the member; NULL: the
 * document is a cluster of its own, as its file and its number there (UINT64_MAX: the file is one) say. */
static inline uint64_t bipe_cluster_number(const char *value, uint64_t file, uint64_t document)
{
    return (value != NULL ? bipe_hash_text(BIPE_HASH_EMPTY, value)
                          : bipe_hash_uint(bipe_hash_uint(BIPE_HASH_EMPTY, file), document)) >> 11;
}

/* Whether that is the name of a member; NULL is not. */
bool bipe_cluster_is_member(const char *by);
/* A note where errors come from too few clusters. */
void bipe_clusters_note(bipe_tool *tool, const char *by, size_t clusters);

#endif
