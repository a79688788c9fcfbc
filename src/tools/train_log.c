/* train_log.c - the log of a training run: JSON Lines that programs read while it runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "tools/bipe_train.h"

struct bipe_train_log {
    FILE *file; /* NULL until there is something to write, where no log is there yet */
    char *path;
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

/* What is torn may be shorter than the beginning of a row. Stays at the start of the file. */
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
    if (*log == NULL || ((*log)->path = bipe_strdup(path)) == NULL) {
        bipe_free(*log);
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

static int write_row(bipe_train_log *log, bipe_error *err, const char *format, ...) BIPE_PRINTF(3, 4);

/* A row is on its way to the disk when this returns, so that others can read it. */
static int write_row(bipe_train_log *log, bipe_error *err, const char *format, ...)
{
    va_list ap;
    if (log->file == NULL && (log->file = fopen(log->path, "w")) == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", log->path, strerror(errno));
    va_start(ap, format);
    int written = vfprintf(log->file, format, ap);
    va_end(ap);
    if (written < 0 || fflush(log->file) != 0)
        return fail_write(log, err);
    return BIPE_OK;
}

/* "%.9g", or null: JSON knows no NaN. */
static const char *print_number(char text[32], double value)
{
    const char *shown = bipe_format_number(text, value);
    return shown[0] != '\0' ? shown : "null";
}

int bipe_train_log_step(bipe_train_log *log, const bipe_train_step *step, double seconds, bipe_error *err)
{
    char loss[32], rate[32], norm[32], time[32];
    return write_row(log, err, "{\"step\":%" PRIu64 ",\"loss\":%s,\"lr\":%s,\"grad_norm\":%s,\"tokens\":%" PRIu64 ",\"seconds\":%s}\n",
                     step->step, print_number(loss, step->loss), print_number(rate, step->rate), print_number(norm, step->norm), step->tokens,
                     print_number(time, seconds));
}

int bipe_train_log_validation(bipe_train_log *log, uint64_t step, const char *file, uint64_t length, double nll, bipe_error *err)
{
    /* A name may hold anything: it goes through the writer of JSON strings. */
    char mean[32], ppl[32];
    size_t size = strlen(file);
    uint8_t *name = bipe_alloc(size + 1, BIPE_JSON_WIDEST);
    if (name == NULL)
        return bipe_fail_memory(err);
    uint8_t *end = bipe_json_put_string(name, (const uint8_t *)file, size);
    int status = write_row(log, err, "{\"step\":%" PRIu64 ",\"validation\":{\"file\":\"%.*s\",\"length\":%" PRIu64 ",\"nll\":%s,\"ppl\":%s}}\n",
                           step, (int)(end - name), (const char *)name, length, print_number(mean, nll), print_number(ppl, exp(nll)));
    bipe_free(name);
    return status;
}

int bipe_train_log_sample(bipe_train_log *log, uint64_t step, const uint8_t *text, size_t size, bipe_error *err)
{
    uint8_t *shown = bipe_alloc(size + 1, BIPE_JSON_WIDEST);
    if (shown == NULL)
        return bipe_fail_memory(err);
    uint8_t *end = bipe_json_put_string(shown, text, size);
    int status = write_row(log, err, "{\"step\":%" PRIu64 ",\"sample\":\"%.*s\"}\n", step, (int)(end - shown), (const char *)shown);
    bipe_free(shown);
    return status;
}

int bipe_train_log_close(bipe_train_log *log, bipe_error *err)
{
    if (log == NULL)
        return BIPE_OK;
    int status = BIPE_OK;
    if (log->file != NULL && fclose(log->file) != 0)
        status = fail_write(log, err);
    bipe_free(log->path);
    bipe_free(log);
    return status;
}
