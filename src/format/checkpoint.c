/* checkpoint.c - finds and maps the weight files of a Hugging Face folder and collects their tensors in one table. */
#include "format/checkpoint.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/path.h"
#include "format/mapping.h"
#include "format/readers.h"

enum { SHARD_LIMIT = 4096 };

typedef int (*shard_reader)(bipe_tensor_table *, bipe_names *, const uint8_t *, size_t, bipe_error *);

typedef struct shard {
    bipe_mapping mapping;
    size_t end; /* its tensors end before this index of the table */
} shard;

struct bipe_checkpoint {
    shard *shard;
    size_t count, capacity;
    bipe_tensor_table tensors;
    bipe_names names;
};

static int read_shard(bipe_checkpoint *c, const char *path, shard_reader reader, bipe_error *err)
{
    if (c->count >= SHARD_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: more than %d shards", path, SHARD_LIMIT);
    if (bipe_grow(&c->shard, &c->capacity, c->count + 1, sizeof *c->shard) != 0)
        return bipe_fail_memory(err);
    shard *s = &c->shard[c->count];
    int status = bipe_mapping_open(&s->mapping, path, err);
    if (status != BIPE_OK)
        return status;
    c->count++;
    status = reader(&c->tensors, &c->names, s->mapping.data, s->mapping.size, err);
    if (status != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    s->end = c->tensors.count;
    return status;
}

static int open_single(bipe_checkpoint *c, const char *folder, const char *path, shard_reader reader, bipe_error *err)
{
    (void)folder;
    int status = read_shard(c, path, reader, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_table_finish(&c->tensors, err);
    if (status != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    return status;
}

/* ---- sharded ---- */

static bool is_plain_file_name(const char *name)
{
    return bipe_name_is_plain(name, strlen(name)) && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* Reads each file that the map names, once, and stores its number in `numbers`. */
static int read_named_shards(bipe_checkpoint *c, const char *folder, const char *index, json_t *map, json_t *numbers,
                             shard_reader reader, bipe_error *err)
{
    const char *tensor;
    json_t *file;
    json_object_foreach(map, tensor, file) {
        const char *name = json_string_value(file);
        char quoted[BIPE_QUOTED_SIZE];
        if (name == NULL || !is_plain_file_name(name))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: weight_map: tensor '%s' is not in a file of this folder", index,
                             bipe_quoted(quoted, tensor, strlen(tensor)));
        if (json_object_get(numbers, name) != NULL)
            continue;
        if (json_object_set_new(numbers, name, json_integer((json_int_t)c->count)) != 0)
            return bipe_fail_memory(err);
        char *path = bipe_path_new(folder, name);
        int status = path != NULL ? read_shard(c, path, reader, err) : bipe_fail_memory(err);
        bipe_free(path);
        if (status != BIPE_OK)
            return status;
    }
    return c->count != 0 ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "%s: weight_map: names no file", index);
}

static int check_shards(const bipe_checkpoint *c, const char *index, json_t *map, json_t *numbers, bipe_error *err)
{
    const char *name;
    json_t *file;
    json_object_foreach(map, name, file) {
        const char *file_name = json_string_value(file);
        size_t number = (size_t)json_integer_value(json_object_get(numbers, file_name));
        const bipe_tensor *tensor = bipe_tensor_find(&c->tensors, name);
        size_t row = tensor != NULL ? (size_t)(tensor - c->tensors.tensor) : SIZE_MAX;
        if (row >= c->shard[number].end || (number > 0 && row < c->shard[number - 1].end)) {
            char one[BIPE_QUOTED_SIZE], two[BIPE_QUOTED_SIZE];
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: weight_map: tensor '%s' is not in '%s'", index,
                             bipe_quoted(one, name, strlen(name)), bipe_quoted(two, file_name, strlen(file_name)));
        }
    }
    return BIPE_OK;
}

static int read_shards(bipe_checkpoint *c, const char *folder, const char *path, json_t *index, shard_reader reader,
                       bipe_error *err)
{
    json_t *map = json_object_get(index, "weight_map");
    if (!json_is_object(map))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: no object \"weight_map\"", path);
    json_t *numbers = json_object();
    if (numbers == NULL)
        return bipe_fail_memory(err);
    int status = read_named_shards(c, folder, path, map, numbers, reader, err);
    if (status == BIPE_OK) {
        status = bipe_table_finish(&c->tensors, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s: its shards", path);
    }
    if (status == BIPE_OK)
        status = check_shards(c, path, map, numbers, err);
    json_decref(numbers);
    return status;
}

static int open_sharded(bipe_checkpoint *c, const char *folder, const char *path, shard_reader reader, bipe_error *err)
{
    bipe_mapping mapping;
    json_t *index = NULL;
    int status = bipe_mapping_open(&mapping, path, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_json_object_read(&index, mapping.data, mapping.size, err);
    bipe_mapping_close(&mapping);
    if (status == BIPE_OK)
        status = read_shards(c, folder, path, index, reader, err);
    else
        bipe_error_prefix(err, "%s", path);
    json_decref(index);
    return status;
}

/* ---- the folder ---- */

static const struct layout {
    const char *name;
    int (*open)(bipe_checkpoint *, const char *, const char *, shard_reader, bipe_error *);
    shard_reader reader;
} layouts[] = {
    { "model.safetensors", open_single, bipe_safetensors_read },
    { "model.safetensors.index.json", open_sharded, bipe_safetensors_read },
    { "pytorch_model.bin", open_single, bipe_pytorch_read },
    { "pytorch_model.bin.index.json", open_sharded, bipe_pytorch_read },
};

static int open_checkpoint_folder(bipe_checkpoint *c, const char *folder, bipe_error *err)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        char *path = bipe_path_new(folder, layouts[i].name);
        struct stat info;
        if (path == NULL)
            return bipe_fail_memory(err);
        if (stat(path, &info) == 0 || errno != ENOENT) {
            int status = layouts[i].open(c, folder, path, layouts[i].reader, err);
            bipe_free(path);
            return status;
        }
        bipe_free(path);
    }
    return bipe_fail(err, BIPE_ERR_IO, "%s: no weights: expected %s, %s or their index", folder, layouts[0].name,
                     layouts[2].name);
}

int bipe_checkpoint_open(bipe_checkpoint **checkpoint, const char *folder, bipe_error *err)
{
    *checkpoint = NULL;
    bipe_checkpoint *c = bipe_alloc(1, sizeof *c);
    if (c == NULL)
        return bipe_fail_memory(err);
    int status = open_checkpoint_folder(c, folder, err);
    if (status != BIPE_OK) {
        bipe_checkpoint_close(c);
        return status;
    }
    *checkpoint = c;
    return BIPE_OK;
}

const bipe_tensor_table *bipe_checkpoint_tensors(const bipe_checkpoint *checkpoint)
{
    return &checkpoint->tensors;
}

void bipe_checkpoint_close(bipe_checkpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    for (size_t i = 0; i < checkpoint->count; i++)
        bipe_mapping_close(&checkpoint->shard[i].mapping);
    bipe_free(checkpoint->shard);
    bipe_table_free(&checkpoint->tensors);
    bipe_names_free(&checkpoint->names);
    bipe_free(checkpoint);
}
