/* run_record.c - see run_record.h. */
#include "config.h"

#include "base/numbers.h"
#include "cli/run_record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/input.h"
#include "base/installed_model.h"
#include "base/path.h"
#include "base/threads.h"
#include "cli/checksum.h"
#include "cli/languages.h"
#include "cli/run_parts.h"
#include "cli/task_files.h"
#include "cli/tool_alloc.h"
#include "cli/tool_inputs.h"
#include "format/gguf.h"

static const char standard_input[] = "-";

/* Of a folder with a model what is read of it, and nothing that a person keeps beside it. */
static const char *const model_endings[] = {".json", ".safetensors", ".bin",   ".model",
                                            ".txt",  ".tiktoken",    ".jinja", ".gguf"};

/* Names may have any bytes; the writer of JSON puts U+FFFD in place of those that are not UTF-8. */
static json_t *text_of(const char *text)
{
    return json_string_nocheck(text);
}

static json_t *texts_of(const char *const *text, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, text_of(text[i]));
    return list;
}

/* ---- the command ---- */

void bipe_run_put_word(bipe_buffer *line, const char *name, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    bool quoted = value[0] == '\0' || value[strspn(value, plain)] != '\0', escaped = false;
    for (const char *c = value; *c != '\0'; c++)
        escaped = escaped || (unsigned char)*c < ' ' || *c == 0x7F;
    bipe_buffer_printf(line, NULL, " %s%s", name, escaped ? "$'" : quoted ? "'" : "");
    for (const char *c = value; *c != '\0'; c++)
        if (escaped && ((unsigned char)*c < ' ' || *c == 0x7F || *c == '\'' || *c == '\\'))
            bipe_buffer_printf(line, NULL, "\\%03o", (unsigned char)*c);
        else
            bipe_buffer_append(line, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1, NULL);
    if (quoted)
        bipe_buffer_append(line, "'", 1, NULL);
}

json_t *bipe_run_end_line(bipe_buffer *line)
{
    json_t *text = bipe_buffer_append(line, "", 1, NULL) == BIPE_OK ? text_of((const char *)line->data) : NULL;
    bipe_buffer_free(line);
    return text;
}

json_t *bipe_run_command(const bipe_tool *tool)
{
    bipe_buffer line = {0};
    bipe_buffer_append(&line, tool->name, strlen(tool->name), NULL);
    for (size_t i = 0; i < tool->given.count; i++) {
        const bipe_option_given *g = &tool->given.item[i];
        char name[80];
        snprintf(name, sizeof name, "--%s%s", g->option->name, g->value != NULL ? "=" : "");
        if (g->option->about == BIPE_ABOUT_MANNER)
            continue;
        if (g->value != NULL)
            bipe_run_put_word(&line, name, g->value);
        else
            bipe_run_put_word(&line, "", name);
    }
    bool dash = false;
    for (size_t i = 0; i < tool->operands->count; i++)
        dash = dash || (tool->operands->text[i][0] == '-' && tool->operands->text[i][1] != '\0');
    if (dash)
        bipe_run_put_word(&line, "", "--");
    for (size_t i = 0; i < tool->operands->count; i++)
        bipe_run_put_word(&line, "", tool->operands->text[i]);
    return bipe_run_end_line(&line);
}

/* ---- options ---- */

/* The value in force; text as it was written, since a tool may put something else in its place. */
static json_t *value_of(const bipe_option_given *given)
{
    const bipe_option *option = given->option;
    json_t *list = NULL;
    switch (option->kind) {
    case BIPE_OPTION_FLAG: return json_boolean(*(const bool *)option->target);
    case BIPE_OPTION_TEXT: return text_of(given->value);
    case BIPE_OPTION_SIZE: return json_integer((json_int_t)*(const uint64_t *)option->target);
    case BIPE_OPTION_NUMBER: return json_real(*(const double *)option->target);
    case BIPE_OPTION_CHOICE: return json_string(option->choices[*(const int *)option->target]);
    case BIPE_OPTION_TEXTS: {
        const bipe_texts *texts = option->target;
        return texts_of(texts->text, texts->count);
    }
    case BIPE_OPTION_SIZES: {
        const bipe_sizes *sizes = option->target;
        list = json_array();
        for (size_t i = 0; i < sizes->count; i++)
            json_array_append_new(list, json_integer((json_int_t)sizes->value[i]));
        return sizes->none ? (json_decref(list), json_string(option->words[0])) : list;
    }
    }
    return NULL;
}

/* What --help says is done without the option: a number, or words up to the end of their sentence. */
static json_t *default_of(const bipe_option *option)
{
    static const char mark[] = "default: ";
    const char *found = NULL;
    if (option->kind == BIPE_OPTION_FLAG)
        return json_false();
    for (const char *at = option->help; (at = strstr(at, mark)) != NULL; at += sizeof mark - 1)
        found = at + sizeof mark - 1;
    if (found == NULL)
        return json_null();
    const char *end = strstr(found, ". ");
    size_t size = end != NULL ? (size_t)(end - found) : strlen(found);
    char text[256], first[32]; /* a number may be explained: "0, the most probable token" */
    uint64_t whole;
    double number;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), found);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ", "), text);
    bool explained = text[strlen(first)] == '\0' || text[strlen(first)] == ',';
    if (option->kind != BIPE_OPTION_TEXT && explained &&
        bipe_parse_size(first, 0, UINT64_C(1) << 53, &whole, NULL) == BIPE_OK)
        return json_integer((json_int_t)whole);
    if (option->kind == BIPE_OPTION_NUMBER && explained && bipe_parse_number(first, &number))
        return json_real(number);
    return json_string(text);
}

/* NULL: the option was not given. */
static const bipe_option_given *find_given(const bipe_tool *tool, const bipe_option *option)
{
    for (size_t i = 0; i < tool->given.count; i++)
        if (tool->given.item[i].option == option)
            return &tool->given.item[i];
    return NULL;
}

static json_t *options_of(const bipe_tool *tool)
{
    json_t *all = json_object();
    for (const bipe_option *o = tool->options->option; o < tool->options->option + tool->options->option_count; o++) {
        const bipe_option_given *given = find_given(tool, o);
        json_t *chosen = json_object_get(tool->in_force, o->name);
        if (o->about != BIPE_ABOUT_MANNER)
            json_object_set_new(all, o->name,
                                given != NULL    ? value_of(given)
                                : chosen != NULL ? json_incref(chosen)
                                                 : default_of(o));
    }
    return all;
}

/* ---- files and models ---- */

static json_t *file_of(const char *path)
{
    json_t *file = json_object();
    json_object_set_new(file, "path", text_of(path));
    return file;
}

/* Members that bipe_checksum_file() fills in; `path` is remembered for it. */
typedef struct pending_sums {
    json_t **file;
    char **path;
    size_t count, capacity, paths;
} pending_sums;

static void add_sum(pending_sums *sums, json_t *file, const char *path)
{
    bipe_tool_grow(&sums->file, &sums->capacity, sums->count + 1, sizeof *sums->file);
    bipe_tool_grow(&sums->path, &sums->paths, sums->count + 1, sizeof *sums->path);
    sums->path[sums->count] = bipe_tool_strdup(path);
    sums->file[sums->count++] = file;
}

static void sum_up(void *context, size_t i, size_t worker)
{
    (void)worker;
    const pending_sums *sums = context;
    bipe_checksum sum;
    bool read = bipe_checksum_file(&sum, sums->path[i]);
    json_object_set_new(sums->file[i], "size", read ? json_integer((json_int_t)sum.size) : json_null());
    json_object_set_new(sums->file[i], "sha256", read ? json_string(sum.text) : json_null());
}

/* What an element of a list is sorted by: a text, or the member "path" of an object. */
static const char *text_in(const void *element)
{
    const json_t *value = *(json_t *const *)element;
    return json_string_value(json_is_object(value) ? json_object_get(value, "path") : value);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(text_in(a), text_in(b));
}

json_t *bipe_run_sort(json_t *list)
{
    size_t count = json_array_size(list);
    json_t **item = bipe_tool_alloc(count, sizeof *item), *result = json_array();
    for (size_t i = 0; i < count; i++)
        item[i] = json_array_get(list, i);
    qsort(item, count, sizeof *item, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !json_equal(item[i], item[i - 1]))
            json_array_append(result, item[i]);
    bipe_free(item);
    json_decref(list);
    return result;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static void add_file(const bipe_tool *tool, json_t *list, pending_sums *sums, const char *path)
{
    json_t *file;
    if (strcmp(path, standard_input) != 0) {
        file = file_of(path);
        add_sum(sums, file, path);
    } else {
        bipe_checksum sum;
        if (!bipe_checksum_end(tool->standard_input, &sum)) /* nobody has read it */
            return;
        file = file_of(path);
        json_object_set_new(file, "size", json_integer((json_int_t)sum.size));
        json_object_set_new(file, "sha256", json_string(sum.text));
    }
    json_array_append_new(list, file);
}

static const bipe_files *files_read(const bipe_tool *tool)
{
    return tool->read.count > 0 ? &tool->read : &tool->files;
}

/* The FILEs, and files that options name. */
static json_t *files_of(const bipe_tool *tool, pending_sums *sums)
{
    json_t *list = json_array();
    const bipe_files *read = files_read(tool);
    for (size_t i = 0; i < read->count; i++)
        add_file(tool, list, sums, read->path[i]);
    for (size_t i = 0; i < tool->given.count; i++) {
        const bipe_option_given *g = &tool->given.item[i];
        const char *colon = g->value != NULL ? strchr(g->value, ':') : NULL;
        char task[BIPE_TASK_PATH_SIZE];
        if (g->option->about == BIPE_ABOUT_FILE) {
            const char *path = g->option->names == BIPE_NAMES_TASKS ? bipe_task_path(g->value, task) : g->value;
            add_file(tool, list, sums, path != NULL ? path : g->value);
        } else if (g->option->names == BIPE_NAMES_NONE && g->option->value_name != NULL &&
                   strcmp(g->option->value_name, "SPEC") == 0) {
            const char *path = is_regular(g->value)                     ? g->value
                               : colon != NULL && is_regular(colon + 1) ? colon + 1
                                                                        : NULL;
            if (path != NULL) /* a plug-in, or a list of its own */
                add_file(tool, list, sums, path);
        }
    }
    return list;
}

/* One of the files of a model, by its name without folders. */
static void add_model_file(json_t *files, pending_sums *sums, const char *path)
{
    const char *slash = strrchr(path, '/');
    json_t *file = file_of(slash != NULL ? slash + 1 : path);
    json_array_append_new(files, file);
    add_sum(sums, file, path);
}

static void add_model(json_t *list, pending_sums *sums, const char *name)
{
    char path[BIPE_MODEL_PATH_SIZE];
    struct stat info;
    if (bipe_model_resolve(name, path, NULL) != BIPE_OK || stat(path, &info) != 0)
        return; /* such as the tokenizer `byte` */
    json_t *model = json_object();
    json_object_set_new(model, "name", text_of(name));
    json_object_set_new(model, "path", text_of(path));
    json_array_append_new(list, model);
    size_t part, parts = bipe_gguf_parts(path, &part);
    if (!S_ISDIR(info.st_mode) && parts < 2) {
        add_sum(sums, model, path);
        return;
    }
    json_t *files = json_array();
    json_object_set_new(model, "files", files);
    if (!S_ISDIR(info.st_mode)) {
        for (part = 0; part < parts; part++) {
            char *full = bipe_tool_need(bipe_gguf_part_path(path, part));
            if (is_regular(full))
                add_model_file(files, sums, full);
            bipe_free(full);
        }
        return;
    }
    for (size_t e = 0; e < sizeof model_endings / sizeof model_endings[0]; e++) {
        bipe_name_list names = {0};
        if (bipe_name_list_read(&names, path, model_endings[e], NULL) == BIPE_ERR_MEMORY)
            bipe_tool_need_done(BIPE_ERR_MEMORY);
        for (size_t i = 0; i < names.count; i++) {
            char *full = bipe_tool_need(bipe_path_new(path, names.name[i]));
            if (is_regular(full))
                add_model_file(files, sums, full);
            bipe_free(full);
        }
        bipe_name_list_free(&names);
    }
}

static json_t *models_of(const bipe_tool *tool, pending_sums *sums)
{
    json_t *list = json_array();
    const bipe_files *read = files_read(tool);
    const char *first = tool->options->model_operand && tool->operands->count > 0 ? tool->operands->text[0] : NULL;
    if (first != NULL && (read->count == 0 || read->path[0] != first)) /* not the first FILE */
        add_model(list, sums, first);
    for (size_t i = 0; i < tool->given.count; i++)
        if (tool->given.item[i].option->names == BIPE_NAMES_MODELS)
            add_model(list, sums, tool->given.item[i].value);
    return list;
}

/* ---- the record ---- */

/* Whether the run reads or writes the file of --record as something else. */
static bool is_taken(const bipe_tool *tool, const char *path)
{
    return tool->record != NULL && bipe_tool_same_place(path, tool->record);
}

/* The value of an option, if it is the name of a file: NULL: it is not. */
static const char *file_named(const bipe_tool *tool, const bipe_option_given *g)
{
    bool names = g->value != NULL && g->option->target != &tool->record;
    return names && (is_regular(g->value) || strcmp(g->option->value_name, "FILE") == 0 ||
                     strcmp(g->option->value_name, "MODEL") == 0)
               ? g->value
               : NULL;
}

int bipe_run_record_start(bipe_tool *tool)
{
    bipe_error err = {0};
    bool wanted = tool->record != NULL || tool->recorded;
    const char *taken = NULL;
    for (size_t i = 0; i < tool->given.count; i++) {
        const char *file = file_named(tool, &tool->given.item[i]);
        wanted = wanted || strcmp(tool->given.item[i].option->name, "json") == 0;
        taken = file != NULL && is_taken(tool, file) ? file : taken;
    }
    for (size_t i = 0; i < tool->operands->count; i++)
        taken = is_taken(tool, tool->operands->text[i]) ? tool->operands->text[i] : taken;
    if (wanted)
        tool->standard_input = bipe_checksum_standard_input();
    if (tool->record != NULL && strcmp(tool->record, "-") == 0)
        return bipe_tool_usage(tool, "option '--record': found '-', expected a file: standard output is for results");
    if (taken != NULL)
        return bipe_tool_usage(tool, "option '--record': %s is also read or written, expected another file", taken);
    if (tool->record != NULL && bipe_output_open(&tool->record_output, tool->record, &err) != BIPE_OK)
        bipe_tool_error(tool, &err);
    return tool->status;
}

void bipe_run_record_free(bipe_tool *tool)
{
    bipe_output_abandon(tool->record_output);
    json_decref(tool->merged);
    json_decref(tool->in_force);
    json_decref(tool->languages);
    bipe_free(tool->given.item);
    tool->record_output = NULL;
    tool->in_force = NULL;
    tool->languages = NULL;
    tool->merged = NULL;
    tool->given = (bipe_options_given){0};
}

void bipe_run_in_force(bipe_tool *tool, const char *option, json_t *value)
{
    if (tool->in_force == NULL && tool->options != NULL) /* without a command line there is no record */
        tool->in_force = json_object();
    json_object_set_new(tool->in_force, option, value);
}

void bipe_run_in_force_text(bipe_tool *tool, const char *option, const char *value)
{
    bipe_run_in_force(tool, option, value != NULL ? text_of(value) : json_null());
}

void bipe_run_in_force_texts(bipe_tool *tool, const char *option, const char *const *value, size_t count)
{
    bipe_run_in_force(tool, option, texts_of(value, count));
}

json_t *bipe_run_record(const bipe_tool *tool)
{
    if (tool->merged != NULL)
        return json_incref(tool->merged);
    pending_sums sums = {0};
    json_t *record = json_object(), *options = options_of(tool), *seed = json_object_get(options, "seed");
    json_object_set_new(record, "program", json_string(tool->name));
    json_object_set_new(record, "version", json_string(PACKAGE_VERSION));
    json_object_set_new(record, "command", bipe_run_command(tool));
    json_object_set_new(record, "operands", texts_of(tool->operands->text, tool->operands->count));
    json_object_set(record, "seed", json_is_integer(seed) ? seed : json_null());
    json_object_set_new(record, "options", options);
    json_t *files = files_of(tool, &sums), *models = models_of(tool, &sums);
    bipe_pool *pool = NULL;
    size_t threads = bipe_tool_threads(tool, 0);
    if (sums.count > 1 && threads > 1 &&
        bipe_pool_open(&pool, threads < sums.count ? threads : sums.count, NULL) != BIPE_OK)
        pool = NULL;
    bipe_pool_run(pool, sums.count, sum_up, &sums);
    bipe_pool_close(pool);
    for (size_t i = 0; i < sums.count; i++)
        bipe_free(sums.path[i]);
    bipe_free(sums.path);
    bipe_free(sums.file);
    json_object_set_new(record, "files", bipe_run_sort(files));
    json_object_set_new(record, "models", models);
    json_object_set_new(record, "kernels", tool->kernels != NULL ? json_string(tool->kernels) : json_null());
    return record;
}

void bipe_run_record_copy(bipe_json *json, json_t *value)
{
    const char *key;
    json_t *member;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        bipe_json_begin_object(json);
        json_object_foreach(value, key, member) {
            bipe_json_key(json, key);
            bipe_run_record_copy(json, member);
        }
        bipe_json_end_object(json);
        break;
    case JSON_ARRAY:
        if (json_is_object(json_array_get(value, 0)))
            bipe_json_begin_array(json);
        else
            bipe_json_begin_flat_array(json);
        for (size_t i = 0; i < json_array_size(value); i++)
            bipe_run_record_copy(json, json_array_get(value, i));
        bipe_json_end_array(json);
        break;
    case JSON_STRING: bipe_json_bytes(json, json_string_value(value), json_string_length(value)); break;
    case JSON_INTEGER:
        if (json_integer_value(value) < 0) /* all, where that is a value of an option */
            bipe_json_number(json, (double)json_integer_value(value));
        else
            bipe_json_uint(json, (uint64_t)json_integer_value(value));
        break;
    case JSON_REAL: bipe_json_number(json, json_real_value(value)); break;
    case JSON_TRUE: bipe_json_bool(json, true); break;
    case JSON_FALSE: bipe_json_bool(json, false); break;
    case JSON_NULL: bipe_json_null(json); break;
    }
}

void bipe_run_record_put(const bipe_tool *tool, bipe_json *json)
{
    json_t *record = tool != NULL && (tool->options != NULL || tool->merged != NULL) ? bipe_run_record(tool) : NULL;
    json_t *languages = tool != NULL ? bipe_languages(tool) : NULL;
    if (languages != NULL) {
        bipe_json_key(json, "languages");
        bipe_run_record_copy(json, languages);
    }
    json_decref(languages);
    if (json_object_size(record) > 0) {
        bipe_json_key(json, "run");
        bipe_run_record_copy(json, record);
    }
    json_decref(record);
}

int bipe_run_record_write(bipe_tool *tool, bipe_error *err)
{
    bipe_json json;
    bipe_output *output = tool->record_output;
    if (output == NULL)
        return BIPE_OK;
    const bipe_files *read = files_read(tool);
    for (size_t i = 0; i < read->count; i++) /* of folders and lists, which were not known before */
        if (is_taken(tool, read->path[i]))
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--record': %s is also read, expected another file",
                             read->path[i]);
    json_t *record = bipe_run_record(tool);
    bipe_json_open(&json, output, true);
    if (record != NULL)
        bipe_run_record_copy(&json, record);
    json_decref(record);
    bipe_json_close(&json, NULL); /* the output remembers a failure */
    tool->record_output = NULL;
    return bipe_tool_commit(tool, output, err);
}
