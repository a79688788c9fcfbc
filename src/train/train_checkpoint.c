/* train_checkpoint.c - writes and reads checkpoints; see train_checkpoint.h. */
#include "train/train_checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/numbers.h"
#include "nn/nn.h"

enum { ROW = 1024 };

static const char step_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "step",
                  tokens_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "tokens",
                  settings_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "settings",
                  checksum_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "checksum",
                  best_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "best",
                  best_step_key[] = BIPE_TRAIN_CHECKPOINT_PREFIX "best_step";
static const char *const moment_names[] = {BIPE_TRAIN_CHECKPOINT_PREFIX "moment1",
                                           BIPE_TRAIN_CHECKPOINT_PREFIX "moment2"};
static const char losses_name[] = BIPE_TRAIN_CHECKPOINT_PREFIX "losses";

/* ---- the checksum ---- */

enum { CHECKSUM_SIZE = 17 };

/* FNV-1a over floats instead of bytes, four times as fast: one float that differs always makes another hash. */
static uint64_t hash_values(uint64_t hash, const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void make_checksum(const bipe_train_checkpoint *c, const float *values, char text[CHECKSUM_SIZE])
{
    uint64_t hash = hash_values(bipe_hash_uint(BIPE_HASH_EMPTY, c->step), values, c->count);
    hash = hash_values(hash_values(hash, c->moment[0], c->moment_count[0]), c->moment[1], c->moment_count[1]);
    snprintf(text, CHECKSUM_SIZE, "%016" PRIx64, hash_values(hash, c->losses, c->step));
}

/* ---- writing ---- */

typedef struct float_rows {
    const float *values;
    uint64_t count;
} float_rows;

/* bipe_tensor_rows: values `row * ROW` and on, then zeros. */
static int write_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    const float_rows *from = context;
    float piece[ROW] = {0};
    uint64_t left = from->count - row * ROW;
    (void)err;
    memcpy(piece, from->values + row * ROW, (left < ROW ? (size_t)left : ROW) * sizeof *piece);
    bipe_dtype_from_f32(BIPE_F32, piece, buffer, ROW);
    return BIPE_OK;
}

static int add_values(bipe_gguf_writer *writer, const char *name, const float *values, uint64_t count, bipe_error *err)
{
    uint64_t shape[2] = {(count + ROW - 1) / ROW, ROW};
    if (count == 0)
        return BIPE_OK;
    float_rows *rows = bipe_tensor_list_own(bipe_gguf_tensor_list(writer), sizeof *rows);
    if (rows == NULL)
        return bipe_fail_memory(err);
    *rows = (float_rows){values, count};
    return bipe_gguf_add_tensor(writer, name, BIPE_F32, 2, shape, write_row, rows, err);
}

int bipe_train_checkpoint_fill(const bipe_train_checkpoint *checkpoint, bipe_gguf_writer *writer, bipe_error *err)
{
    char checksum[CHECKSUM_SIZE];
    bipe_gguf_set_u32(writer, step_key, (uint32_t)checkpoint->step);
    bipe_gguf_set_u64(writer, tokens_key, checkpoint->tokens);
    bipe_gguf_set_text(writer, settings_key, checkpoint->settings);
    if (checkpoint->best_step != 0) {
        bipe_gguf_set_f32(writer, best_key, checkpoint->best);
        bipe_gguf_set_u32(writer, best_step_key, (uint32_t)checkpoint->best_step);
    }
    make_checksum(checkpoint, checkpoint->values, checksum);
    bipe_gguf_set_text(writer, checksum_key, checksum);
    int status = BIPE_OK;
    for (int i = 0; i < 2 && status == BIPE_OK; i++)
        status = add_values(writer, moment_names[i], checkpoint->moment[i], checkpoint->moment_count[i], err);
    return status == BIPE_OK ? add_values(writer, losses_name, checkpoint->losses, checkpoint->step, err) : status;
}

/* ---- reading ---- */

#define AFRESH "(--checkpoint names another file; delete this one to start over)"

/* The first line in which two texts of settings differ, as "KEY is VALUE, here VALUE". */
static int compare_settings(bipe_gguf_string found, const char *want, bipe_error *err)
{
    const char *at = found.text, *end = found.text + found.size;
    while (*want != '\0') {
        size_t want_size = strcspn(want, "\n");
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
        if (size != want_size || memcmp(at, want, size) != 0) {
            size_t key = strcspn(want, " "), skip = key < want_size ? key + 1 : want_size;
            if (strncmp(want, "corpus ", skip) == 0)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "the checkpoint was made with other texts " AFRESH);
            bool same_key = size > skip && memcmp(at, want, skip) == 0;
            if (same_key && strncmp(want, "steps ", skip) == 0)
                return bipe_fail(
                    err, BIPE_ERR_ARGUMENT,
                    "the checkpoint is of a run of %.*s steps, not %.*s: the learning rate falls until its last step, "
                    "and only a run with --schedule constant can become longer (--init MODEL -o NEW trains a model "
                    "further; delete "
                    "the checkpoint to start over)",
                    (int)(size - skip), at + skip, (int)(want_size - skip), want + skip);
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "the checkpoint was made with %.*s %.*s, not %.*s " AFRESH,
                             (int)key, want, same_key ? (int)(size - skip) : 7, same_key ? at + skip : "missing",
                             (int)(want_size - skip), want + skip);
        }
        at += size < (size_t)(end - at) ? size + 1 : size;
        want += want_size + (want[want_size] == '\n');
    }
    return BIPE_OK;
}

static int read_values(const bipe_tensor_table *table, const char *name, uint64_t rows, uint64_t columns, float *to,
                       uint64_t count, bipe_error *err)
{
    const bipe_tensor *tensor = bipe_tensor_find(table, name);
    if (tensor == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "tensor '%s' is missing", name);
    uint64_t found_rows = tensor->dims == 2 ? tensor->shape[0] : 1,
             found_columns = tensor->dims > 0 ? tensor->shape[tensor->dims - 1] : 0;
    if (tensor->dtype != BIPE_F32 || tensor->dims > 2 || found_rows != rows || found_columns != columns)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "tensor '%s' is %s [%" PRIu64 ", %" PRIu64 "], expected F32 [%" PRIu64 ", %" PRIu64 "]", name,
                         tensor->dtype_name, found_rows, found_columns, rows, columns);
    bipe_dtype_to_f32(BIPE_F32, tensor->data, to, (size_t)count);
    return BIPE_OK;
}

static int read_padded(const bipe_tensor_table *table, const char *name, float *to, uint64_t count, bipe_error *err)
{
    return count == 0 ? BIPE_OK : read_values(table, name, (count + ROW - 1) / ROW, ROW, to, count, err);
}

static int read_checkpoint(bipe_train_checkpoint *checkpoint, const bipe_gguf *gguf, bipe_model *model, uint64_t steps,
                           bipe_error *err)
{
    const bipe_tensor_table *table = bipe_gguf_tensors(gguf);
    bipe_gguf_string settings, found;
    uint64_t step;
    if (bipe_gguf_get_uint(gguf, step_key, &step, NULL) != BIPE_OK ||
        bipe_gguf_get_string(gguf, settings_key, &settings, NULL) != BIPE_OK)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a model, but not a checkpoint of a training run");
    int status = compare_settings(settings, checkpoint->settings, err);
    if (status != BIPE_OK)
        return status;
    if (step > steps)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%" PRIu64 " steps of the run are made already, more than the %" PRIu64
                         " of this command " AFRESH,
                         step, steps);
    checkpoint->step = step;
    if (bipe_gguf_get_uint(gguf, tokens_key, &checkpoint->tokens, NULL) != BIPE_OK)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key '%s' is missing", tokens_key);
    double best;
    if (bipe_gguf_get_number(gguf, best_key, &best, NULL) != BIPE_OK || !(best >= 0) ||
        bipe_gguf_get_uint(gguf, best_step_key, &checkpoint->best_step, NULL) != BIPE_OK ||
        checkpoint->best_step > step)
        checkpoint->best_step = 0;
    checkpoint->best = checkpoint->best_step != 0 ? (float)best : INFINITY;
    size_t count;
    float *values = bipe_model_values(model, &count);
    for (size_t i = 0; i < bipe_model_parameters(model) && status == BIPE_OK; i++) {
        bipe_parameter p;
        bipe_model_parameter(model, i, &p);
        status = read_values(table, p.name, p.rows, p.columns, values + p.offset, p.rows * p.columns, err);
    }
    for (int i = 0; i < 2 && status == BIPE_OK; i++)
        status = read_padded(table, moment_names[i], checkpoint->moment[i], checkpoint->moment_count[i], err);
    if (status == BIPE_OK)
        status = read_padded(table, losses_name, checkpoint->losses, step, err);
    if (status != BIPE_OK)
        return status;
    char checksum[CHECKSUM_SIZE];
    make_checksum(checkpoint, values, checksum);
    if (bipe_gguf_get_string(gguf, checksum_key, &found, NULL) == BIPE_OK && found.size == strlen(checksum) &&
        memcmp(found.text, checksum, found.size) == 0)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_FORMAT, "the checkpoint is damaged: its checksum differs (delete it to start over)");
}

int bipe_train_checkpoint_read(bipe_train_checkpoint *checkpoint, const char *path, bipe_model *model, uint64_t steps,
                               bipe_error *err)
{
    if (access(path, F_OK) != 0)
        return BIPE_END;
    bipe_gguf *gguf;
    int status = bipe_gguf_open(&gguf, path, err);
    if (status == BIPE_ERR_FORMAT)
        bipe_error_prefix(err, "the checkpoint cannot be read (if it is damaged, delete it to start over)");
    if (status != BIPE_OK)
        return status;
    status = read_checkpoint(checkpoint, gguf, model, steps, err);
    if (status != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    bipe_gguf_close(gguf);
    return status;
}

/* The number in the line of settings that begins with `key` and a blank. */
static bool find_setting(bipe_gguf_string settings, const char *key, uint64_t *value)
{
    size_t skip = strlen(key) + 1;
    for (const char *at = settings.text, *end = at + settings.size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
        char number[24];
        if (size > skip && size - skip < sizeof number && memcmp(at, key, skip - 1) == 0 && at[skip - 1] == ' ') {
            snprintf(number, sizeof number, "%.*s", (int)(size - skip), at + skip);
            return bipe_parse_size(number, 0, UINT64_MAX, value, NULL) == BIPE_OK;
        }
        at += size + 1;
    }
    return false;
}

bool bipe_train_checkpoint_setting(const char *path, const char *key, uint64_t *value)
{
    bipe_gguf *gguf;
    bipe_gguf_string settings;
    if (access(path, F_OK) != 0 || bipe_gguf_open(&gguf, path, NULL) != BIPE_OK)
        return false;
    bool found = bipe_gguf_get_string(gguf, settings_key, &settings, NULL) == BIPE_OK &&
                 find_setting(settings, key, value);
    bipe_gguf_close(gguf);
    return found;
}
