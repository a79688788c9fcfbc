/* tool.c - what tools do the same way; see tool.h. */
#include "config.h"

#include "base/numbers.h"
#include "cli/tool.h"

#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/input_window.h"
#include "base/output_guard.h"
#include "base/threads.h"
#include "cli/languages.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "text/pcre2_search.h"
#include "text/sentence_tailoring.h"

const char *const bipe_segmenter_words[] = {"stop", "line", "sentence", "sentence:en", "sentence:auto", "paragraph",
                                            "equals", "code", "fixed:", "regex:", "tokens:", "none", "document",
                                            "sentence:en/paragraph", NULL};
const char *const bipe_tokenizer_words[] = {"byte", "char", "word", "words", NULL};

void bipe_tool_start(bipe_tool *tool, const char *name)
{
    bipe_alloc_map_large();
    *tool = (bipe_tool){.name = name};
    bipe_tool_alloc_start(tool);
    setlocale(LC_CTYPE, "");
    bipe_output_guard();
}

static void raise_status(bipe_tool *tool, int status)
{
    if (tool->status < status)
        tool->status = status;
}

/* Errors of records may come in thousands. They are of one kind when they expected the same, digits aside. 0: an error
 * of another sort. */
static uint64_t kind_of(const bipe_error *err)
{
    if (strstr(err->text, ": record at line ") == NULL && strstr(err->text, ": document ") == NULL)
        return 0;
    const char *expected = strstr(err->text, ", expected ");
    uint64_t kind = BIPE_HASH_EMPTY;
    for (const char *c = expected != NULL ? expected : ""; *c != '\0'; c++)
        if (*c < '0' || *c > '9')
            kind = bipe_hash_bytes(kind, c, 1);
    return kind;
}

/* Whether the error is one too many of its kind. */
static bool only_counted(bipe_tool *tool, const bipe_error *err)
{
    uint64_t kind = kind_of(err);
    for (bipe_tool_kind *k = tool->kind; kind != 0 && k < tool->kind + BIPE_TOOL_KINDS; k++)
        if (k->kind == kind || k->kind == 0) {
            k->kind = kind;
            k->last = *err;
            return k->count++ >= BIPE_TOOL_FEW;
        }
    return false;
}

/* Whether the error is that one of the FILEs is a folder, and -r would help. */
static bool is_folder(const bipe_tool *tool, const bipe_error *err)
{
    const char *what = strstr(err->text, ": is a directory, expected a file");
    size_t size = what != NULL ? (size_t)(what - err->text) : 0, i = 0;
    while (i < tool->files.count &&
           (strncmp(tool->files.path[i], err->text, size) != 0 || tool->files.path[i][size] != '\0'))
        i++;
    return what != NULL && i < tool->files.count;
}

void bipe_tool_error(bipe_tool *tool, const bipe_error *err)
{
    if (err->status == BIPE_OK || err->status == BIPE_STOPPED)
        return;
    raise_status(tool, BIPE_EXIT_FAILED);
    if (only_counted(tool, err))
        return;
    bipe_progress_clear(&tool->progress);
    fprintf(stderr, "%s: %s%s\n", tool->name, err->text,
            is_folder(tool, err) ? " (-r reads the text files in it)" : "");
}

static void report_counted(bipe_tool *tool)
{
    for (bipe_tool_kind *k = tool->kind; k < tool->kind + BIPE_TOOL_KINDS && k->kind != 0; k++) {
        if (k->count > BIPE_TOOL_FEW + 1)
            fprintf(stderr, "%s: %s; %llu more like this are not shown\n", tool->name, k->last.text,
                    (unsigned long long)k->count - BIPE_TOOL_FEW - 1);
        else if (k->count > BIPE_TOOL_FEW)
            fprintf(stderr, "%s: %s\n", tool->name, k->last.text);
        *k = (bipe_tool_kind){0};
    }
}

/* "NAME: TEXT" on standard error, on one line. */
BIPE_PRINTF(2, 0)
static void print_line(bipe_tool *tool, const char *format, va_list ap)
{
    char text[BIPE_ERROR_SIZE];
    vsnprintf(text, sizeof text, format, ap);
    bipe_progress_clear(&tool->progress);
    fprintf(stderr, "%s: %s\n", tool->name, bipe_hide_controls(text));
}

void bipe_tool_note(bipe_tool *tool, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (!tool->quiet)
        print_line(tool, format, ap);
    va_end(ap);
}

void bipe_tool_note_lines(bipe_tool *tool, const char *path, uint64_t longer, uint64_t length, uint64_t blank)
{
    const char *name = path != NULL ? path : "", *colon = path != NULL ? ": " : "";
    if (longer > 0)
        bipe_tool_note(tool,
                       "%s%s%" PRIu64 " line%s of more than %" PRIu64 " tokens left out (increase -L to keep them)",
                       name, colon, longer, longer == 1 ? "" : "s", length);
    if (blank > 0)
        bipe_tool_note(tool, "%s%s%" PRIu64 " line%s left out: nothing follows a match of --loss-after", name, colon,
                       blank, blank == 1 ? "" : "s");
}

/* Words that count for nothing, since another of the lists named in a SPEC has them too. */
static void note_lists(bipe_tool *tool, const char *lists)
{
    bipe_sentence_tailoring *tailoring;
    const char *first;
    size_t count = 0;
    if (bipe_sentence_tailoring_open(&tailoring, lists, NULL) == BIPE_OK)
        count = bipe_sentence_tailoring_overrides(tailoring, &first);
    if (count == 1)
        bipe_tool_note(tool, "%s", first);
    else if (count > 1)
        bipe_tool_note(tool, "%s; %zu more like this", first, count - 1);
    bipe_sentence_tailoring_close(tailoring);
}

void bipe_tool_note_segmenters(bipe_tool *tool, const char *const *specs, size_t count)
{
    static const char regex[] = "regex:", sentence[] = "sentence:";
    for (size_t i = 0; i < count; i++)
        if (strncmp(specs[i], sentence, sizeof sentence - 1) == 0)
            note_lists(tool, specs[i] + sizeof sentence - 1);
        else if (strncmp(specs[i], regex, sizeof regex - 1) == 0 && bipe_pcre2_is_empty(specs[i] + sizeof regex - 1))
            bipe_tool_note(
                tool, "segmenter '%s': the pattern matches the empty string alone, and such a match ends no segment",
                specs[i]);
}

int bipe_tool_usage(bipe_tool *tool, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    print_line(tool, format, ap);
    va_end(ap);
    raise_status(tool, BIPE_EXIT_USAGE);
    return BIPE_EXIT_USAGE;
}

void bipe_tool_open_error(bipe_tool *tool, const bipe_error *err)
{
    if (err->status == BIPE_ERR_ARGUMENT)
        bipe_tool_usage(tool, "%s", err->text);
    else
        bipe_tool_error(tool, err);
}

int bipe_tool_run(bipe_tool *tool, const bipe_options *options, int argc, char **argv,
                  int (*run)(void *context, const bipe_texts *operands), void *context)
{
    bipe_texts operands = {0};
    bipe_error err = {0};
    int status = BIPE_EXIT_FAILED;
    switch (bipe_options_parse(options, argc, argv, &operands, &tool->given)) {
    case BIPE_OPTIONS_RUN:
        tool->options = options;
        tool->operands = &operands;
        status = bipe_run_record_start(tool);
        if (status != BIPE_EXIT_DONE)
            break;
        status = run(context, &operands);
        if (status != BIPE_EXIT_USAGE && bipe_run_record_write(tool, &err) != BIPE_OK) {
            bipe_tool_error(tool, &err);
            status = tool->status;
        }
        break;
    case BIPE_OPTIONS_DONE: status = BIPE_EXIT_DONE; break;
    case BIPE_OPTIONS_USAGE: status = BIPE_EXIT_USAGE; break;
    case BIPE_OPTIONS_FAILED: break;
    }
    bipe_run_record_free(tool);
    bipe_texts_free(&operands);
    return status;
}

/* Memory for threads that nobody asked for, beside a tokenizer and what does not grow with them. */
#define THREADS_MEMORY ((size_t)144 << 20)

size_t bipe_tool_threads(const bipe_tool *tool, size_t each)
{
    size_t processors = bipe_processors();
    size_t most = each == 0 ? processors : each < THREADS_MEMORY ? THREADS_MEMORY / each : 1;
    return tool->threads != 0 ? (size_t)tool->threads : processors < most ? processors : most;
}

/* Memory for what is remembered of compressed files. */
#define WINDOWS_MEMORY ((uint64_t)48 << 20)

size_t bipe_tool_at_once(bipe_files files)
{
    uint64_t window = files.count > 1 ? bipe_input_windows(files.path, files.count) : 0;
    uint64_t most = window == 0 ? files.count : window < WINDOWS_MEMORY ? WINDOWS_MEMORY / window : 1;
    return most < files.count ? (size_t)most : files.count;
}

bool bipe_tool_busy(size_t threads, size_t files)
{
    /* Of many threads that share a file, one is busy with what only one can do. */
    return threads > 1 && threads >= bipe_processors() && (threads <= files || threads <= 3);
}

void bipe_tool_progress(bipe_tool *tool, const char *unit, uint64_t total)
{
    bipe_progress_open(&tool->progress, unit, total, tool->show_progress, tool->quiet);
}

void bipe_tool_note_unusual(bipe_tool *tool, bipe_unusual kind, size_t index, const char *path)
{
    bipe_unusual_files *files = &tool->unusual[kind];
    if (files->count++ == 0 || index < files->index) {
        files->index = index;
        files->first = path;
    }
}

void bipe_tool_note_files(bipe_tool *tool, const char *first, size_t count, const char *what)
{
    char more[64] = "";
    if (count > 1)
        snprintf(more, sizeof more, " and %zu other file%s", count - 1, count == 2 ? "" : "s");
    if (count > 0)
        bipe_tool_note(tool, "%s%s: %s", bipe_input_shown(first), more, what);
}

static void report_unusual_files(bipe_tool *tool)
{
    static const char *const what[BIPE_UNUSUAL_KINDS] = {
        [BIPE_UNUSUAL_BYTES] = "not plain UTF-8: many bytes are wrong or control characters; they are kept as they are "
                               "(--encoding reads text in others)",
        [BIPE_UNUSUAL_RECORDS] = "looks like JSON Lines, read as plain text; --jsonl reads its records",
    };
    for (size_t k = 0; k < BIPE_UNUSUAL_KINDS; k++) {
        bipe_tool_note_files(tool, tool->unusual[k].first, tool->unusual[k].count, what[k]);
        tool->unusual[k].count = 0;
    }
}

int bipe_tool_commit(const bipe_tool *tool, bipe_output *output, bipe_error *err)
{
    if (tool->status == BIPE_EXIT_DONE || tool->some_done || !bipe_output_replaces(output))
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return BIPE_OK;
}

int bipe_tool_finish(bipe_tool *tool, bipe_output *output)
{
    bipe_progress_clear(&tool->progress);
    report_counted(tool);
    report_unusual_files(tool);
    for (size_t i = 0; i < BIPE_MEMBERS_NAMED; i++)
        bipe_member_note(tool, &tool->member[i]);
    bipe_languages_note(tool);
    if (output != NULL) {
        bipe_error err = {0};
        if (bipe_tool_commit(tool, output, &err) != BIPE_OK)
            bipe_tool_error(tool, &err);
    }
    return tool->status;
}

int bipe_tool_end(bipe_tool *tool, int status, bipe_output **output, const bipe_error *err)
{
    bipe_output *taken = *output;
    *output = NULL;
    if (status != BIPE_OK) {
        bipe_tool_error(tool, err);
        bipe_output_abandon(taken);
        taken = NULL;
    }
    return bipe_tool_finish(tool, taken);
}

void bipe_tool_json(bipe_json *json, bipe_output *output, const char *tool)
{
    bipe_json_open(json, output, true);
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "tool", tool);
    bipe_json_key_text(json, "version", PACKAGE_VERSION);
}

bipe_files bipe_tool_files(const bipe_texts *operands)
{
    static const char *const standard_input[] = {"-"};
    if (operands->count == 0)
        return (bipe_files){.path = standard_input, .count = 1};
    return (bipe_files){.path = operands->text, .count = operands->count};
}

uint64_t bipe_files_size(bipe_files files)
{
    uint64_t total = 0;
    struct stat info;
    for (size_t i = 0; i < files.count; i++) {
        if (stat(files.path[i], &info) != 0)
            continue;
        if (!S_ISREG(info.st_mode))
            return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

/* Whether `path` is the regular file that `found` says. */
static bool is_file(const char *path, const struct stat *found)
{
    struct stat info;
    int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(path, &info);
    return failed == 0 && S_ISREG(info.st_mode) && info.st_dev == found->st_dev && info.st_ino == found->st_ino;
}

static int check_output(const bipe_tool_output *output, const bipe_files *read, size_t lists, bipe_error *err)
{
    struct stat found;
    if (output->path == NULL || strcmp(output->path, "-") == 0)
        return BIPE_OK;
    if (output->path[0] == '\0')
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s': found no name, expected that of a file",
                         output->option);
    if (stat(output->path, &found) != 0)
        return BIPE_OK;
    for (size_t k = 0; k < lists; k++)
        for (size_t i = 0; i < read[k].count; i++)
            if (read[k].path[i] != NULL && is_file(read[k].path[i], &found))
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s': %s is also read, expected another file",
                                 output->option, output->path);
    return BIPE_OK;
}

bool bipe_tool_same_place(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0)
        return true;
    if (stat(a, &of_a) == 0)
        return S_ISREG(of_a.st_mode) && is_file(b, &of_a);
    const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    snprintf(folder_a, sizeof folder_a, "%.*s", name_a != NULL ? (int)(name_a - a) + 1 : 1, name_a != NULL ? a : ".");
    snprintf(folder_b, sizeof folder_b, "%.*s", name_b != NULL ? (int)(name_b - b) + 1 : 1, name_b != NULL ? b : ".");
    return strcmp(name_a != NULL ? name_a + 1 : a, name_b != NULL ? name_b + 1 : b) == 0 &&
           stat(folder_a, &of_a) == 0 && stat(folder_b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

int bipe_tool_check_outputs(const bipe_tool_output *output, size_t count, const bipe_files *read, size_t lists,
                            bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        status = check_output(&output[i], read, lists, err);
        for (size_t k = 0; k < i && status == BIPE_OK; k++)
            if (output[i].path != NULL && output[k].path != NULL &&
                bipe_tool_same_place(output[i].path, output[k].path))
                status = bipe_fail(err, BIPE_ERR_ARGUMENT, "options '--%s' and '--%s' both write to %s",
                                   output[k].option, output[i].option,
                                   strcmp(output[i].path, "-") == 0 ? "standard output" : output[i].path);
    }
    return status;
}
