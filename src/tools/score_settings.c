/* score_settings.c - what the digits of a run depend on, as lines of text: journals and shards are compared by it. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "tools/bipe_score.h"

/* The choices of options. */
const char *const bipe_score_bos_names[] = { "document", "window", "none", NULL };
const char *const bipe_score_by_names[] = { "token", "segment", "intra", NULL };
const char *const bipe_score_protocol_names[] = { "paper", NULL };
const char *const bipe_score_precision_names[] = { "f32", "bf16", NULL };
const char *const bipe_score_without_names[] = { "intra", "inter", NULL };

static uint64_t hash_stat(uint64_t hash, const struct stat *st)
{
    hash = bipe_hash_uint(hash, (uint64_t)st->st_size);
    hash = bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_sec);
    return bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_nsec);
}

/* Size and time of the model's file, or of the files of its folder (added up: their order is the system's). */
static uint64_t hash_model(const char *path)
{
    struct stat st;
    uint64_t hash = BIPE_HASH_EMPTY;
    if (stat(path, &st) != 0)
        return hash;
    if (!S_ISDIR(st.st_mode))
        return hash_stat(hash, &st);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return hash;
    for (struct dirent *file; (file = readdir(folder)) != NULL;)
        if (fstatat(dirfd(folder), file->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            hash += hash_stat(bipe_hash_bytes(BIPE_HASH_EMPTY, file->d_name, strlen(file->d_name) + 1), &st);
    closedir(folder);
    return hash;
}

int bipe_score_escape(bipe_buffer *buffer, const char *text, bipe_error *err)
{
    int status = BIPE_OK;
    for (; *text != '\0' && status == BIPE_OK; text++) {
        unsigned char c = (unsigned char)*text;
        status = c <= ' ' || c == '%' || c == 0x7f ? bipe_buffer_printf(buffer, err, "%%%02X", c) : bipe_buffer_append(buffer, text, 1, err);
    }
    return status;
}

int bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_buffer *lines, bipe_error *err)
{
    char scheme[256], scaling[BIPE_SCALING_TEXT], bos_id[24], stride[24], seed[24], shard[48], model[24];
    snprintf(bos_id, sizeof bos_id, "%" PRId64, setup->bos_id);
    snprintf(stride, sizeof stride, "%" PRIu64, setup->stride);
    snprintf(seed, sizeof seed, "%" PRIu64, setup->seed);
    snprintf(shard, sizeof shard, "%" PRIu64 "/%" PRIu64, setup->shard.index, setup->shard.count);
    snprintf(model, sizeof model, "%016" PRIx64, state ? hash_model(setup->model_path) : 0);
    const struct {
        const char *name, *value;
        bool of_state; /* of this machine and process, not of what is computed */
    } setting[] = {
        { "version", PACKAGE_VERSION, false },
        { "model", setup->model_path, false },
        { "model-state", model, true },
        { "scheme", bipe_scheme_format(&setup->scheme, scheme), false },
        { "rope-scaling", bipe_rope_scaling_format(&setup->scaling, scaling), false },
        { "tokenizer", setup->tokenizer, false },
        { "segmenter", setup->segmenter, false },
        { "protocol", setup->protocol, false },
        { "bos", bipe_score_bos_names[setup->bos], false },
        { "bos-id", bos_id, false },
        { "count-bos", setup->count_bos ? "yes" : "no", false },
        { "stride", setup->stride == 0 ? "none" : stride, false },
        { "tail", setup->tail ? "yes" : "no", false },
        { "precision", bipe_score_precision_names[setup->precision], false },
        { "seed", seed, false },
        { "by", setup->by == BIPE_SCORE_BY_NONE ? "none" : bipe_score_by_names[setup->by - 1], false },
        { "shard", setup->shard.count == 0 ? "none" : shard, true },
    };
    int status = BIPE_OK;
    for (size_t i = 0; i < sizeof setting / sizeof setting[0] && status == BIPE_OK; i++) {
        if (setting[i].of_state && !state)
            continue;
        status = bipe_buffer_printf(lines, err, "set %s ", setting[i].name);
        if (status == BIPE_OK)
            status = bipe_score_escape(lines, setting[i].value, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(lines, "\n", 1, err);
    }
    return status;
}
