/* gguf_parts.c - opens a GGUF file, and with it the others where a model is in several: NAME-00001-of-00003.gguf and so
 * on, as llama-gguf-split of llama.cpp writes them. The first has all keys; each has split.no (from 0), split.count and
 * split.tensors.count (of all files), and some of the tensors. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf_file.h"
#include "format/table.h"

enum { ENDING_SIZE = 20, COUNT_LIMIT = UINT16_MAX }; /* of "-00001-of-00003.gguf"; split.count is a u16 */

static char *write_ending(char text[ENDING_SIZE + 1], size_t part, size_t count)
{
    snprintf(text, ENDING_SIZE + 1, "-%05u-of-%05u.gguf", (unsigned)(part + 1) % 100000, (unsigned)count % 100000);
    return text;
}

size_t bipe_gguf_parts(const char *path, size_t *part)
{
    char ending[ENDING_SIZE + 1];
    unsigned number, count;
    size_t size = strlen(path);
    if (size <= ENDING_SIZE || sscanf(path + size - ENDING_SIZE, "-%5u-of-%5u.gguf", &number, &count) != 2 ||
        number < 1 || number > count)
        return 0;
    *part = number - 1;
    return strcmp(write_ending(ending, *part, count), path + size - ENDING_SIZE) == 0 ? count : 0;
}

char *bipe_gguf_part_path(const char *path, size_t part)
{
    size_t own, count = bipe_gguf_parts(path, &own);
    char *other = bipe_strdup(path);
    if (other != NULL && count != 0)
        write_ending(other + strlen(other) - ENDING_SIZE, part, count);
    return other;
}

/* ---- one of the files ---- */

static int check_key(const bipe_gguf *gguf, const char *key, uint64_t expected, bipe_error *err)
{
    uint64_t value;
    int status = bipe_gguf_get_uint(gguf, key, &value, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: has no key %s, which every part of a model has", gguf->path, key);
    if (status == BIPE_OK && value != expected)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: key %s is %llu, expected %llu", gguf->path, key,
                         (unsigned long long)value, (unsigned long long)expected);
    return status;
}

/* Opens the part of that number beside `path` and checks that it is this part of `count`. */
static int open_part(bipe_gguf **gguf, const char *path, size_t part, size_t count, bipe_error *err)
{
    char *own = bipe_gguf_part_path(path, part);
    *gguf = NULL;
    int status = own != NULL ? gguf_open_file(gguf, own, err) : bipe_fail_memory(err);
    bipe_free(own);
    if (status == BIPE_OK)
        status = check_key(*gguf, "split.no", part, err);
    if (status == BIPE_OK)
        status = check_key(*gguf, "split.count", count, err);
    return status;
}

/* ---- all of them ---- */

static int add_part(bipe_gguf *first, size_t part, size_t count, bipe_error *err)
{
    bipe_gguf *other;
    int status = open_part(&other, first->path, part, count, err);
    first->part[first->parts++] = other; /* which may be NULL */
    for (size_t i = 0; status == BIPE_OK && i < other->tensors.count; i++)
        status = bipe_table_add(&first->tensors, &other->tensors.tensor[i], err);
    return status;
}

static int add_parts(bipe_gguf *first, size_t count, bipe_error *err)
{
    first->part = bipe_alloc(count, sizeof(bipe_gguf *));
    if (first->part == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    for (size_t i = 1; status == BIPE_OK && i < count; i++)
        status = add_part(first, i, count, err);
    if (status == BIPE_OK)
        status = bipe_table_finish(&first->tensors, err);
    uint64_t tensors = 0;
    if (status == BIPE_OK && bipe_gguf_get_uint(first, "split.tensors.count", &tensors, NULL) == BIPE_OK &&
        tensors != first->tensors.count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tensors, expected %llu (split.tensors.count)", first->tensors.count,
                         (unsigned long long)tensors);
    return status;
}

/* *gguf: the file of `path`, replaced by the first of `count`. */
static int open_parts(bipe_gguf **gguf, const char *path, uint64_t count, bipe_error *err)
{
    size_t part;
    if (count > COUNT_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: split.count is %llu, expected at most %d", path,
                         (unsigned long long)count, COUNT_LIMIT);
    if (bipe_gguf_parts(path, &part) != count)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%s: one of %llu files of a model (split.count), expected a name that ends in "
                         "-NNNNN-of-%05llu.gguf",
                         path, (unsigned long long)count, (unsigned long long)count);
    bipe_gguf_close(*gguf);
    int status = open_part(gguf, path, 0, (size_t)count, err);
    if (status == BIPE_OK)
        status = add_parts(*gguf, (size_t)count, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "%s: a model in %llu files", path,
                                                          (unsigned long long)count);
}

int bipe_gguf_open(bipe_gguf **gguf, const char *path, bipe_error *err)
{
    uint64_t count = 1;
    int status = gguf_open_file(gguf, path, err);
    if (status == BIPE_OK && bipe_gguf_get_uint(*gguf, "split.count", &count, err) > BIPE_END)
        status = BIPE_ERR_FORMAT;
    if (status == BIPE_OK && count > 1)
        status = open_parts(gguf, path, count, err);
    if (status != BIPE_OK) {
        bipe_gguf_close(*gguf);
        *gguf = NULL;
    }
    return status;
}
