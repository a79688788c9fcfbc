/* stats_shard.c - identifies a shard's result, and finds whether it exists already. */
#include "tools/stats/bipe_stats.h"

#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "cli/columns.h"
#include "token/tokenizer.h"

uint64_t stats_shard_settings(const stats_reading *r, bool special)
{
    uint64_t hash = bipe_hash_text(BIPE_HASH_EMPTY, bipe_tokenizer_spec(r->stream.tokenizer));
    hash = bipe_hash_uint(hash, special);
    hash = bipe_hash_uint(hash, r->stream.spec_count);
    for (size_t i = 0; i < r->stream.spec_count; i++)
        hash = bipe_hash_text(hash, r->stream.specs[i]);
    hash = bipe_hash_uint(hash, r->length_count);
    for (size_t i = 0; i < r->length_count; i++)
        hash = bipe_hash_uint(hash, r->lengths[i]);
    hash = bipe_hash_uint(hash, (uint64_t)r->stream.documents);
    hash = bipe_hash_uint(hash, (uint64_t)r->stream.ids);
    hash = bipe_hash_text(hash, r->stream.field);
    hash = bipe_hash_text(hash, r->stream.encoding);
    if (r->lengths != NULL && r->length_count == 0)
        hash = bipe_hash_uint(hash, 1);
    if (r->group_by != NULL)
        hash = bipe_hash_text(hash, r->group_by);
    if (r->cluster != NULL)
        hash = bipe_hash_text(bipe_hash_uint(hash, 3), r->cluster);
    if (r->choice.squeeze) /* what was counted before there was this option stays valid */
        hash = bipe_hash_uint(hash, 1);
    if (r->choice.lexical || r->choice.words)
        hash = bipe_hash_uint(hash, 2 + r->choice.lexical + 2U * r->choice.words + 4U * r->choice.keep_case);
    hash = bipe_hash_uint(hash, r->files.count);
    for (size_t i = 0; i < r->files.count; i++)
        hash = bipe_hash_text(hash, r->files.path[i]);
    for (size_t i = 0; r->gold != NULL && i < r->files.count; i++)
        hash = bipe_hash_text(hash, r->gold[i]);
    return r->gold != NULL ? bipe_hash_uint(hash, r->misses) : hash;
}

/* Adds size and time of a file, if there is one; false when it is no file. */
static bool add_state(uint64_t *hash, const char *path, bool folders)
{
    struct stat s;
    if (strcmp(path, "-") == 0)
        return false;
    if (stat(path, &s) != 0) {
        *hash = bipe_hash_uint(*hash, 0);
        return true;
    }
    if (!S_ISREG(s.st_mode) && !(folders && S_ISDIR(s.st_mode)))
        return false;
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_size);
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_mtim.tv_sec);
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_mtim.tv_nsec);
    return true;
}

uint64_t stats_shard_inputs(const stats_reading *r, const bipe_shard *shard)
{
    const char *tokenizer = bipe_tokenizer_spec(r->stream.tokenizer);
    bool documents = stats_shard_of_documents(shard, r->files);
    uint64_t hash = BIPE_HASH_EMPTY;
    if (!bipe_tokenizer_is_kind(tokenizer) && !add_state(&hash, tokenizer, true))
        return BIPE_NO_UINT;
    for (size_t i = 0; i < r->files.count; i++) {
        bool own = documents || i % shard->count == shard->index;
        if (own && !add_state(&hash, r->files.path[i], false))
            return BIPE_NO_UINT;
        if (own && r->gold != NULL && !add_state(&hash, r->gold[i], false))
            return BIPE_NO_UINT;
    }
    return hash;
}

bool stats_shard_done(const char *path, const bipe_shard *shard, uint64_t settings, uint64_t inputs)
{
    stats_result result;
    struct stat s;
    bipe_error unused;
    if (path == NULL || strcmp(path, "-") == 0 || inputs == BIPE_NO_UINT || stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    bool done = false;
    if (stats_load(&result, NULL, path, &unused) == BIPE_OK && result.shards.count == 1) {
        const bipe_shard_group *g = &result.shards.group[0];
        done = g->count == shard->count && g->index_count == 1 && g->index[0] == shard->index && g->errors == 0 &&
               g->settings == settings && g->inputs == inputs;
    }
    stats_result_close(&result);
    return done;
}
