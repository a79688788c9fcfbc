/* tool_inputs.c - the FILEs of a command line; see tool_inputs.h. */
#include "cli/tool_inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/installed_model.h"
#include "base/path.h"
#include "cli/tool_alloc.h"

const char *const bipe_ids_choices[] = {"u16", "u32", "text", NULL};

enum { LOOKED_AT = 512 };

/* Folders are read one after the other, without a bound on their number, but not deeper than this. */
enum { DEEPEST = 128 };

void bipe_inputs_stream(const bipe_inputs *inputs, bipe_stream_options *options)
{
    options->documents = inputs->jsonl || inputs->field != NULL ? BIPE_DOCUMENTS_JSONL : BIPE_DOCUMENTS_AUTO;
    options->field = inputs->field;
    options->ids = (bipe_ids_kind)(inputs->ids + 1);
    options->any = inputs->text;
    options->encoding = inputs->encoding;
}

void bipe_inputs_judge(bipe_tool *tool, const bipe_stream *stream, size_t index, const char *path)
{
    const bipe_stream_flaws *f = bipe_stream_flaws_of(stream);
    if (f->mostly_wrong)
        bipe_tool_note_unusual(tool, BIPE_UNUSUAL_BYTES, index, path);
    if (f->like_records)
        bipe_tool_note_unusual(tool, BIPE_UNUSUAL_RECORDS, index, path);
    if (f->wrong != 0)
        bipe_tool_note(tool, "%s: byte %" PRIu64 ": not valid in %s; U+FFFD is read in %" PRIu64 " place%s",
                       bipe_input_shown(path), f->first, f->encoding, f->wrong,
                       f->wrong == 1 ? "" : "s");
}

/* ---- names ---- */

/* Takes the name. */
static void add_name(bipe_name_list *names, char *name)
{
    bipe_tool_need_done(bipe_name_list_add(names, name, NULL));
}

/* ---- folders ---- */

typedef struct walk {
    bipe_inputs *inputs;
    bipe_tool *tool;
    size_t left_out; /* files that are not text */
    char *first_left_out;
} walk;

/* Whether a file's beginning looks like text. One that cannot be read does: who reads it says why. */
static bool looks_like_text(const char *path, const char *encoding)
{
    bipe_input *input;
    uint8_t bytes[LOOKED_AT];
    size_t size = 0;
    int status = bipe_input_open(&input, path, NULL);
    if (status == BIPE_OK) {
        bipe_input_decode(input, encoding);
        status = bipe_input_read(input, bytes, sizeof bytes, &size, NULL);
    }
    bipe_input_close(input);
    return status != BIPE_ERR_UNSUPPORTED && memchr(bytes, 0, size) == NULL;
}

/* A model's file, a folder with its configuration, or the name of an installed one. */
static bool is_model(const char *operand)
{
    char path[BIPE_MODEL_PATH_SIZE], config[BIPE_MODEL_PATH_SIZE + 16];
    struct stat info;
    uint8_t bytes[LOOKED_AT];
    size_t size;
    bipe_error err = {0};
    bool there = stat(operand, &info) == 0;
    if (strcmp(operand, "-") == 0 || (!there && bipe_model_operand(operand, path, &err) != BIPE_OK))
        return false;
    if (there && S_ISREG(info.st_mode)) {
        bipe_input *input;
        if (bipe_input_open(&input, operand, &err) == BIPE_OK)
            bipe_input_read(input, bytes, sizeof bytes, &size, &err);
        bipe_input_close(input);
        return strstr(err.text, "a model is the first operand") != NULL;
    }
    snprintf(config, sizeof config, "%.4095s/config.json", operand);
    return !there || (S_ISDIR(info.st_mode) && stat(config, &info) == 0);
}

int bipe_inputs_refuse_models(bipe_tool *tool, const bipe_texts *operands)
{
    for (size_t i = 1; i < operands->count; i++)
        if (is_model(operands->text[i]))
            return bipe_tool_usage(
                tool, "'%s' is a model, and files are expected after MODEL; to compare two models, use '--against %s'",
                operands->text[i], operands->text[i]);
    return BIPE_EXIT_DONE;
}

/* Links to folders are not followed: they could lead round in circles. */
static void walk_folder(walk *w, const char *folder, unsigned depth)
{
    bipe_name_list names = {0};
    bipe_error err;
    int status = depth == DEEPEST ? bipe_fail(&err, BIPE_ERR_LIMIT, "%s: is deeper than %d folders", folder, DEEPEST)
                                  : bipe_name_list_read(&names, folder, "", &err);
    if (status != BIPE_OK) /* it is left out */
        bipe_tool_error(w->tool, &err);
    for (size_t i = 0; i < names.count; i++) {
        struct stat own, target;
        char *path = bipe_tool_need(bipe_path_new(folder, names.name[i]));
        bool known = lstat(path, &own) == 0 && stat(path, &target) == 0;
        if (known && S_ISDIR(own.st_mode)) {
            walk_folder(w, path, depth + 1);
        } else if (known && S_ISREG(target.st_mode)) {
            bool any = w->inputs->text || w->inputs->ids >= 0;
            if (any || looks_like_text(path, w->inputs->encoding)) {
                add_name(&w->inputs->names, path);
                path = NULL;
            } else if (w->left_out++ == 0) {
                w->first_left_out = path;
                path = NULL;
            }
        }
        bipe_free(path);
    }
    bipe_name_list_free(&names);
}

/* ---- lists ---- */

static void add_file(walk *w, const char *path)
{
    struct stat info;
    if (w->inputs->recursive && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        walk_folder(w, path, 0);
    else
        add_name(&w->inputs->names, bipe_tool_strdup(path));
}

/* The names in a list, each before `end`; empty ones do not count. */
static int add_list(walk *w, const char *path, char end, bipe_error *err)
{
    bipe_buffer text = {0};
    bipe_input *input;
    int status = bipe_input_open(&input, path, err);
    if (status != BIPE_OK)
        return status;
    bipe_input_any(input);
    status = bipe_input_read_all(input, &text, SIZE_MAX, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&text, "", 1, err);
    bipe_input_close(input);
    for (size_t at = 0; status == BIPE_OK && at + 1 < text.size;) {
        char *name = (char *)text.data + at, *stop = memchr(name, end, text.size - at);
        size_t size = stop != NULL ? (size_t)(stop - name) : text.size - 1 - at;
        name[size] = '\0';
        at += size + 1;
        if (size > 0)
            add_file(w, name);
    }
    bipe_buffer_free(&text);
    return status;
}

int bipe_inputs_files(bipe_inputs *inputs, bipe_tool *tool, const bipe_texts *operands, size_t skip, bipe_files *files,
                      bipe_error *err)
{
    bool lists = inputs->files_from != NULL || inputs->files0_from != NULL;
    bipe_texts own = {.text = operands->count > skip ? operands->text + skip : NULL, .count = operands->count - skip};
    *files = tool->files = bipe_tool_files(&own);
    if (!lists && !inputs->recursive)
        return BIPE_OK;
    walk w = {.inputs = inputs, .tool = tool};
    int status = BIPE_OK;
    for (size_t i = 0; i < own.count; i++)
        add_file(&w, own.text[i]);
    if (inputs->files_from != NULL)
        status = add_list(&w, inputs->files_from, '\n', err);
    if (status == BIPE_OK && inputs->files0_from != NULL)
        status = add_list(&w, inputs->files0_from, '\0', err);
    if (own.count == 0 && !lists)
        add_file(&w, ".");
    if (status == BIPE_OK)
        bipe_tool_note_files(tool, w.first_left_out, w.left_out, "not text, left out");
    bipe_free(w.first_left_out);
    if (status != BIPE_OK)
        return status;
    *files = tool->files = (bipe_files){.path = (const char *const *)inputs->names.name, .count = inputs->names.count};
    if (files->count == 0)
        return lists ? bipe_fail(err, BIPE_ERR_IO, "%s: the list names no file, expected one %s",
                                 inputs->files_from != NULL ? inputs->files_from : inputs->files0_from,
                                 inputs->files_from != NULL ? "per line" : "before each NUL")
                     : bipe_fail(err, BIPE_ERR_IO, "%s%s: no text file in it", own.count > 0 ? own.text[0] : ".",
                                 own.count > 1 ? " and others" : "");
    return BIPE_OK;
}

void bipe_inputs_free(bipe_inputs *inputs)
{
    bipe_name_list_free(&inputs->names);
}
