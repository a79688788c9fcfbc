/* clusters.c - what --cluster names, and a note of few clusters; see clusters.h. */
#include "cli/clusters.h"

#include <string.h>

bool bipe_cluster_is_member(const char *by)
{
    return by != NULL && strcmp(by, BIPE_CLUSTER_FILE) != 0 && strcmp(by, BIPE_CLUSTER_DOCUMENT) != 0;
}

void bipe_clusters_note(bipe_tool *tool, const char *by, size_t clusters)
{
    if (by != NULL && clusters < 2)
        bipe_tool_note(tool, "--cluster: there is %s cluster by \"%.100s\", and errors need two",
                       clusters == 0 ? "no" : "one", by);
    else if (by != NULL && clusters < BIPE_CLUSTERS_FEW)
        bipe_tool_note(tool, "--cluster: only %zu clusters by \"%.100s\": errors from fewer than %d are rough",
                       clusters, by, BIPE_CLUSTERS_FEW);
}
