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
#include "tools/bipe_train.h"

struct bipe_train_log {
    FILE *file; /* NULL until there is something to write, where no log is there yet */
    char *path;
    bipe_output *row; /* in memory */
};

/* Where the rows of later steps begin, or the validation of this one, which is made again: each row starts with its step. */
static long end_of_step(FILE *file, uint64_t step)
{
    char line[4096];
    long end = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uint64_t row;
        size_t size = strlen(line);
        if (size == 0 || line[size - 1] != '\n' || sscanf(line, "{\"step\":%" SCNu64, &row) != 1 || row > step ||
            (row == step && strstr(line, "\"validation\"") != NULL))
            break;
        end = ftell(file);
    }
    return end;
}

/* A torn file may be shorter than the beginning of a row. Stays at the start of the file. */
static bool is_log(FILE *file)
{
    static const char begin[] = "{\"step\":";
    char found[sizeof begin];
    size_t size = fread(found, 1, sizeof begin - 1, file);
    rewind(file);
    return memcmp(found, begin, size) == 0;
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

int bipe_train_log_open(bipe_train_log **log, const char *path, uint64_t step, bipe_error *err)
{
    *log = bipe_alloc(1, sizeof **log);
    if (*log == NULL || ((*log)->path = bipe_strdup(path)) == NULL || bipe_output_open_memory(&(*log)->row, err) != BIPE_OK) {
        bipe_train_log_close(*log, NULL);
        *log = NULL;
        return bipe_fail_memory(err);
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return BIPE_OK;
    FILE *file = (*log)->file = fopen(path, "r+");
    if (file == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
    if (!is_log(file))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--log': %s is not a log of bipe-train, and is left alone", path);
    long end = end_of_step(file, step);
    if (end < 0 || ftruncate(fileno(file), end) != 0 || fseek(file, end, SEEK_SET) != 0)
        return fail_write(*log, err);
    return BIPE_OK;
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

int bipe_train_log_validation(bipe_train_log *log, uint64_t step, const char *file, uint64_t length, double nll, bipe_error *err)
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
    bipe_free(log);
    return status;
}
