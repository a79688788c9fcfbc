/* run_merge.c - the record of a run from the records of its parts; see run_record.h. */
#include <string.h>

#include "cli/run_parts.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"

/* Adds `text` to the texts under `key`, which have `between` between them, unless it is one of them. */
static int add_text(json_t *record, const char *key, const char *text, const char *between, bipe_error *err)
{
    const char *have = json_string_value(json_object_get(record, key));
    size_t size = strlen(text), gap = strlen(between);
    bipe_buffer all = {0};
    for (const char *at = have, *end; at != NULL; at = end != NULL ? end + gap : NULL) {
        end = strstr(at, between);
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        if (length == size && memcmp(at, text, size) == 0)
            return BIPE_OK;
    }
    if (have != NULL) {
        bipe_buffer_append(&all, have, strlen(have), NULL);
        bipe_buffer_append(&all, between, gap, NULL);
    }
    int status = bipe_buffer_append(&all, text, size + 1, err);
    if (status == BIPE_OK)
        json_object_set_new(record, key, json_string((const char *)all.data));
    bipe_buffer_free(&all);
    return status;
}

/* The bytes of a command before its operands; SIZE_MAX: it does not end with these. */
static size_t options_size(const char *command, const json_t *operands)
{
    bipe_buffer line = {0};
    for (size_t i = 0; i < json_array_size(operands); i++)
        bipe_run_put_word(&line, "", json_string_value(json_array_get(operands, i)));
    size_t size = strlen(command);
    bool ends = line.size <= size && (line.size == 0 || memcmp(command + size - line.size, line.data, line.size) == 0);
    size -= line.size;
    bipe_buffer_free(&line);
    return ends ? size : SIZE_MAX;
}

/* Two commands become one, if they differ in operands alone: it has both kinds, sorted. Otherwise they are two
 * lines. */
static int add_command(json_t *record, const char *command, json_t *operands, bipe_error *err)
{
    const char *have = json_string_value(json_object_get(record, "command"));
    json_t *list = json_object_get(record, "operands");
    size_t size = options_size(have, list), other = options_size(command, operands);
    if (strcmp(have, command) == 0)
        return BIPE_OK;
    if (size == SIZE_MAX || size != other || memcmp(have, command, size) != 0)
        return add_text(record, "command", command, "\n", err);
    json_t *both = json_copy(list);
    bipe_buffer line = {0};
    int status = bipe_buffer_append(&line, have, size, err);
    json_array_extend(both, operands);
    both = bipe_run_sort(both);
    for (size_t i = 0; i < json_array_size(both); i++)
        bipe_run_put_word(&line, "", json_string_value(json_array_get(both, i)));
    if (status == BIPE_OK) {
        json_object_set_new(record, "command", bipe_run_end_line(&line));
        json_object_set(record, "operands", both);
    }
    bipe_buffer_free(&line);
    json_decref(both);
    return status;
}

/* Whether a list has texts alone, or (key not NULL) objects with a text under the key. */
static bool has_texts(const json_t *list, const char *key)
{
    bool good = json_is_array(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        good = good && json_is_string(key != NULL ? json_object_get(one, key) : one);
    }
    return good;
}

/* Puts the checksums of these files, and of those of models that are folders, under their paths. */
static void collect_sums(json_t *sums, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *file = json_array_get(list, i);
        const char *path = json_string_value(json_object_get(file, "path"));
        json_t *sum = json_object_get(file, "sha256");
        if (path != NULL && json_is_string(sum))
            json_object_set(sums, path, sum);
        collect_sums(sums, json_object_get(file, "files"));
    }
}

static json_t *sums_of(const json_t *record)
{
    json_t *sums = json_object();
    collect_sums(sums, json_object_get(record, "files"));
    collect_sums(sums, json_object_get(record, "models"));
    return sums;
}

int bipe_run_record_compare(const bipe_tool *tool, const json_t *root, bipe_error *err)
{
    json_t *before = sums_of(tool->merged), *own = sums_of(json_object_get(root, "run")), *sum;
    const char *path;
    int status = BIPE_OK;
    json_object_foreach(own, path, sum) {
        const json_t *other = json_object_get(before, path);
        if (other != NULL && !json_equal(sum, other) && status == BIPE_OK)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%.200s was not the same file as for the shards before", path);
    }
    json_decref(before);
    json_decref(own);
    return status;
}

int bipe_run_record_add(bipe_tool *tool, json_t *root, bipe_error *err)
{
    const json_t *more = json_object_get(root, "run");
    json_t *files = json_object_get(more, "files"), *operands = json_object_get(more, "operands");
    const char *command = json_string_value(json_object_get(more, "command")),
               *kernels = json_string_value(json_object_get(more, "kernels"));
    bool sound = command != NULL && has_texts(operands, NULL) && has_texts(files, "path"), first = tool->merged == NULL;
    if (first)
        tool->merged = sound ? json_deep_copy(more) : json_object();
    if (!sound) /* a part of the run says nothing of itself */
        json_object_clear(tool->merged);
    if (first || json_object_size(tool->merged) == 0)
        return BIPE_OK;
    json_t *all = json_deep_copy(json_object_get(tool->merged, "files"));
    json_array_extend(all, files);
    json_object_set_new(tool->merged, "files", bipe_run_sort(all));
    int status = add_command(tool->merged, command, operands, err);
    return status == BIPE_OK && kernels != NULL ? add_text(tool->merged, "kernels", kernels, ", ", err) : status;
}
