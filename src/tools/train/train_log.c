/* train_log.c - the log of a training run: JSON Lines that programs read while it runs. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "cli/tool_alloc.h"
#include "tools/train/bipe_train.h"

struct bipe_train_log {
    FILE *file; /* NULL until there is something to write, where no log is there yet */
    char *path;
    char *about;      /* the line about the run */
    bool told;        /* it is in the file */
    bipe_output *row; /* in memory */
};

enum { ROW_SIZE = 4096 /* of a row, as much as is looked at */ };

static const char run_begin[] = "{\"run\":", row_begin[] = "{\"step\":";

/* The beginning of the next line, and whether the whole is `as`, newline included. False: no line that ends. */
static bool read_line(FILE *file, char line[ROW_SIZE], const char *as, bool *same)
{
    size_t size = 0;
    int c = 0;
    *same = true;
    while (c != '\n' && (c = getc(file)) != EOF) {
        *same = *same && *as != '\0' && c == (unsigned char)*as++;
        if (size < ROW_SIZE - 1)
            line[size++] = (char)c;
    }
    line[size] = '\0';
    *same = *same && *as == '\0';
    return c == '\n';
}

/* Where the rows of later steps begin, or the validation of this one, which is made again: each row starts with its
 * step. *told: whether the last line about a run before that is `about`. */
static long end_of_step(FILE *file, uint64_t step, const char *about, bool *told)
{
    char line[ROW_SIZE];
    long end = 0;
    for (bool same; read_line(file, line, about, &same); end = ftell(file)) {
        uint64_t row;
        if (strncmp(line, run_begin, strlen(run_begin)) == 0)
            *told = same;
        else if (sscanf(line, "{\"step\":%" SCNu64, &row) != 1 || row > step ||
                 (row == step && strstr(line, "\"validation\"") != NULL))
            break;
    }
    return end;
}

/* A torn file may be shorter than the beginning of a line. Stays at the start of the file. */
static bool is_log(FILE *file)
{
    char found[sizeof row_begin];
    size_t size = fread(found, 1, sizeof found - 1, file);
    rewind(file);
    return memcmp(found, row_begin, size) == 0 ||
           memcmp(found, run_begin, size < strlen(run_begin) ? size : strlen(run_begin)) == 0;
}

bool bipe_train_log_is(const char *path)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 ? fopen(path, "r") : NULL;
    bool is = file != NULL && is_log(file);
    if (file != NULL)
        fclose(file);
    return is;
}

static int fail_write(const bipe_train_log *log, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_IO, "%s: could not be written: %s", log->path, strerror(errno));
}

/* log->about */
static int describe_run(bipe_train_log *log, const bipe_train_run *run, bipe_error *err)
{
    bipe_json json;
    bipe_json_open(&json, log->row, false);
    bipe_json_begin_object(&json);
    bipe_train_put_run(run, &json);
    bipe_json_end_object(&json);
    int status = bipe_json_close(&json, err);
    const bipe_buffer *line = bipe_output_kept(log->row);
    if (status != BIPE_OK)
        return status;
    log->about = bipe_tool_alloc(line->size + 1, 1);
    memcpy(log->about, line->data, line->size);
    bipe_output_forget(log->row);
    return BIPE_OK;
}

/* A log that is there: what follows `step` goes. */
static int continue_log(bipe_train_log *log, uint64_t step, bipe_error *err)
{
    struct stat info;
    if (stat(log->path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return BIPE_OK;
    FILE *file = log->file = fopen(log->path, "r+");
    if (file == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", log->path, strerror(errno));
    if (!is_log(file))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--log': %s is not a log of bipe-train, and is left alone",
                         log->path);
    long end = end_of_step(file, step, log->about, &log->told);
    if (end < 0 || ftruncate(fileno(file), end) != 0 || fseek(file, end, SEEK_SET) != 0)
        return fail_write(log, err);
    return BIPE_OK;
}

int bipe_train_log_open(bipe_train_log **log, const char *path, uint64_t step, const bipe_train_run *run,
                        bipe_error *err)
{
    *log = bipe_tool_alloc(1, sizeof **log);
    (*log)->path = bipe_tool_strdup(path);
    int status = bipe_output_open_memory(&(*log)->row, err);
    if (status == BIPE_OK)
        status = describe_run(*log, run, err);
    return status == BIPE_OK ? continue_log(*log, step, err) : status;
}

static void begin_row(bipe_train_log *log, bipe_json *json, uint64_t step)
{
    bipe_json_open(json, log->row, false);
    bipe_json_begin_object(json);
    bipe_json_key_uint(json, "step", step);
}

/* A row is on its way to the disk when this returns, so that others can read it. */
static int end_row(bipe_train_log *log, bipe_json *json, bipe_error *err)
{
    bipe_json_end_object(json);
    int status = bipe_json_close(json, err);
    const bipe_buffer *row = bipe_output_kept(log->row);
    if (status == BIPE_OK && log->file == NULL && (log->file = fopen(log->path, "w")) == NULL)
        status = bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", log->path, strerror(errno));
    if (status == BIPE_OK && !log->told && fputs(log->about, log->file) < 0)
        status = fail_write(log, err);
    log->told = true;
    if (status == BIPE_OK && (fwrite(row->data, 1, row->size, log->file) < row->size || fflush(log->file) != 0))
        status = fail_write(log, err);
    bipe_output_forget(log->row);
    return status;
}

int bipe_train_log_step(bipe_train_log *log, const bipe_train_step *step, double seconds, bipe_error *err)
{
    bipe_json json;
    begin_row(log, &json, step->step);
    bipe_json_key_number(&json, "loss", step->loss);
    bipe_json_key_number(&json, "lr", step->rate);
    bipe_json_key_number(&json, "grad_norm", step->norm);
    bipe_json_key_uint(&json, "tokens", step->tokens);
    bipe_json_key_number(&json, "seconds", seconds);
    return end_row(log, &json, err);
}

int bipe_train_log_validation(bipe_train_log *log, uint64_t step, const char *file, uint64_t length, double nll,
                              bipe_error *err)
{
    bipe_json json;
    begin_row(log, &json, step);
    bipe_json_key_object(&json, "validation");
    bipe_json_key_text(&json, "file", file);
    bipe_json_key_uint(&json, "length", length);
    bipe_json_key_number(&json, "nll", nll);
    bipe_json_key_number(&json, "ppl", exp(nll));
    bipe_json_end_object(&json);
    return end_row(log, &json, err);
}

int bipe_train_log_sample(bipe_train_log *log, uint64_t step, const uint8_t *text, size_t size, bipe_error *err)
{
    bipe_json json;
    begin_row(log, &json, step);
    bipe_json_key(&json, "sample");
    bipe_json_bytes(&json, text, size);
    return end_row(log, &json, err);
}

int bipe_train_log_close(bipe_train_log *log, bipe_error *err)
{
    if (log == NULL)
        return BIPE_OK;
    int status = BIPE_OK;
    if (log->file != NULL && fclose(log->file) != 0)
        status = fail_write(log, err);
    bipe_output_abandon(log->row);
    bipe_free(log->path);
    bipe_free(log->about);
    bipe_free(log);
    return status;
}
