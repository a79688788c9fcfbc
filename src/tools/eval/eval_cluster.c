/* eval_cluster.c - the clusters that records belong to: --cluster. */
#include <string.h>

#include "cli/clusters.h"
#include "tools/eval/bipe_eval.h"

/* The member of --cluster is named as in task files. */
int bipe_eval_open_cluster(bipe_eval_run *run, bipe_error *err)
{
    const char *by = run->given.cluster;
    bipe_buffer text = {0};
    if (by == NULL || strcmp(by, BIPE_CLUSTER_FILE) == 0)
        return BIPE_OK;
    run->tool.member[0] = (bipe_member_use){
        .option = "--cluster", .name = by, .needed = run->given.shard == NULL, /* records of other shards may have it */
        .hint = run->given.compare ? "; --cluster cluster takes what --predictions wrote" : NULL};
    int status = bipe_buffer_printf(&text, err, "{%s}", by);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&text, "", 1, err);
    if (status == BIPE_OK)
        status = bipe_task_template_parse(&run->cluster, (const char *)text.data, err);
    bipe_buffer_free(&text);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "option '--cluster'");
}

int bipe_eval_cluster(bipe_eval_run *run, size_t file, const char *path, uint64_t number, const json_t *record,
                      bipe_buffer *value, uint64_t *cluster, bipe_error *err)
{
    bool member = run->cluster.count > 0;
    int status = BIPE_OK;
    *cluster = 0;
    value->size = 0;
    if (run->given.cluster == NULL)
        return BIPE_OK;
    status = member ? bipe_task_template_fill(&run->cluster, record, value, err)
                    : bipe_buffer_append(value, path, strlen(path), err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(value, "", 1, err);
    if (status != BIPE_OK)
        value->size = 0;
    *cluster = bipe_cluster_number(status == BIPE_OK ? (const char *)value->data : NULL, file, number);
    if (member)
        bipe_member_see(&run->tool.member[0], status == BIPE_OK, file, path);
    return status == BIPE_ERR_MEMORY ? status : BIPE_OK;
}
