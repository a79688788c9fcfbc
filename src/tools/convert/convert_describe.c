/* convert_describe.c - the description of a model by bipe-convert: a table, or JSON. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/installed.h"
#include "base/json_writer.h"
#include "base/memory_available.h"
#include "base/path.h"
#include "cli/run_record.h"
#include "cli/tool_inputs.h"
#include "model/evaluator.h"
#include "model/architecture.h"
#include "model/parameters.h"
#include "tools/convert/convert_source.h"

/* "1.41 M" */
static const char *format_count(char text[32], uint64_t count)
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if ((double)count >= units[i].size) {
            snprintf(text, 32, "%.3g %s", (double)count / units[i].size, units[i].unit);
            return text;
        }
    snprintf(text, 32, "%" PRIu64, count);
    return text;
}

/* "2048 x 128" */
static const char *format_shape(char text[96], const bipe_tensor *tensor)
{
    int size = snprintf(text, 96, "%s", tensor->dims == 0 ? "scalar" : "");
    for (int i = 0; i < tensor->dims; i++)
        size += snprintf(text + size, (size_t)(96 - size), i == 0 ? "%" PRIu64 : " x %" PRIu64, tensor->shape[i]);
    return text;
}

/* ---- the table ---- */

/* A line "NAME  VALUE". */
static void put_row(bipe_output *output, const char *name, const char *format, ...) BIPE_PRINTF(3, 4);

static void put_row(bipe_output *output, const char *name, const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    bipe_output_printf(output, NULL, "%-14s%s\n", name, bipe_hide_controls(text));
}

/* The tokens that end a text, where these are more than EOS. */
static void put_ends(bipe_output *output, const bipe_tokenizer *tokenizer)
{
    char text[900] = "";
    size_t count, used = 0;
    const uint32_t *ends = bipe_tokenizer_ends(tokenizer, &count);
    for (size_t i = 0; i < count && used < sizeof text; i++) {
        size_t size;
        const uint8_t *name = bipe_tokenizer_string(tokenizer, ends[i], &size);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu32 " %.*s", i == 0 ? "" : ", ", ends[i],
                                 size < 64 ? (int)size : 64, name != NULL ? (const char *)name : "");
    }
    if (count > 1)
        put_row(output, "end tokens", "%s", text);
}

static void put_tokenizer(bipe_output *output, const convert_source *s)
{
    char bos[32] = "none", eos[32] = "none";
    if (s->tokenizer_kind[0] == '\0') {
        put_row(output, "tokenizer", "none");
        return;
    }
    if (s->tokenizer == NULL) {
        put_row(output, "tokenizer", "%s, which cannot be used", s->tokenizer_kind);
        return;
    }
    if (bipe_tokenizer_bos(s->tokenizer) >= 0)
        snprintf(bos, sizeof bos, "%" PRId64, bipe_tokenizer_bos(s->tokenizer));
    else if (bipe_tokenizer_leading(s->tokenizer) > 1)
        snprintf(bos, sizeof bos, "%zu tokens", bipe_tokenizer_leading(s->tokenizer));
    if (bipe_tokenizer_eos(s->tokenizer) >= 0)
        snprintf(eos, sizeof eos, "%" PRId64, bipe_tokenizer_eos(s->tokenizer));
    put_row(output, "tokenizer", "%s, %zu tokens, BOS %s, EOS %s", s->tokenizer_kind, bipe_tokenizer_size(s->tokenizer),
            bos, eos);
    put_ends(output, s->tokenizer);
}

static void put_positions(bipe_output *output, const bipe_hyperparameters *h)
{
    char text[256];
    put_row(output, "scheme", "%s%s", bipe_scheme_format(&h->scheme, text),
            h->log_scale ? ", queries scaled by log length" : "");
    if (h->learned_rows != 0)
        put_row(output, "learned table", "%" PRIu32 " positions", h->learned_rows);
    if (bipe_scheme_rotates(&h->scheme))
        put_row(output, "rope", "base %.7g, scaling %s", h->rope_base,
                bipe_rope_scaling_format(&h->rope_scaling, text));
    put_row(output, "segmenter", "%s", h->segmenter[0] != '\0' ? h->segmenter : "not given");
    put_row(output, "trained on", "%" PRIu32 " tokens a window", h->train_length);
}

/* In what the decoder differs from a Llama. */
static void put_decoder(bipe_output *output, const bipe_hyperparameters *h)
{
    const bipe_decoder *d = bipe_decoder_of(h);
    char text[BIPE_DECODER_TEXT];
    bool biases = bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS),
         norms = bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) && !d->row_norms,
         output_biases = bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS),
         feed_forward_biases = bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS);
    if (biases || norms)
        put_row(output, "attention", "%s%s%s", biases ? "biases of queries, keys and values" : "",
                biases && norms ? "; " : "", norms ? "norms of queries and keys" : "");
    if (output_biases || feed_forward_biases)
        put_row(output, "other biases", "%s%s%s", output_biases ? "what attention adds" : "",
                output_biases && feed_forward_biases ? "; " : "", feed_forward_biases ? "feed-forward" : "");
    if (bipe_decoder_describe(h, text)[0] != '\0')
        put_row(output, "decoder", "%s", text);
}

static void put_parameters(bipe_output *output, const bipe_model *model)
{
    const uint64_t all = bipe_model_hyperparameters(model)->parameters, active = bipe_model_active(model);
    char text[32], used[32];
    if (active == all)
        put_row(output, "parameters", "%" PRIu64 " (%s)", all, format_count(text, all));
    else
        put_row(output, "parameters", "%" PRIu64 " (%s), of which a token uses %" PRIu64 " (%s)", all,
                format_count(text, all), active, format_count(used, active));
}

static void put_tensors(bipe_output *output, const bipe_tensor_table *tensors)
{
    char shape[96], shown[801];
    int name = 6, type = 4, sizes = 5, bytes = 5;
    for (size_t i = 0; i < tensors->count; i++) {
        const bipe_tensor *tensor = &tensors->tensor[i];
        int n = (int)strlen(tensor->name), k = (int)strlen(tensor->dtype_name),
            m = (int)strlen(format_shape(shape, tensor));
        name = n > name && n <= 80 ? n : name;
        type = k > type ? k : type;
        sizes = m > sizes ? m : sizes;
        int digits = snprintf(NULL, 0, "%" PRIu64, tensor->size);
        bytes = digits > bytes ? digits : bytes;
    }
    bipe_output_printf(output, NULL, "\n%-*s  %-*s  %-*s  %*s\n", name, "tensor", type, "type", sizes, "shape", bytes,
                       "bytes");
    for (size_t i = 0; i < tensors->count; i++) {
        const bipe_tensor *tensor = &tensors->tensor[i];
        snprintf(shown, sizeof shown, "%s", tensor->name);
        bipe_output_printf(output, NULL, "%-*s  %-*s  %-*s  ", name, bipe_hide_controls(shown), type,
                           tensor->dtype_name, sizes, format_shape(shape, tensor));
        if (tensor->dtype == BIPE_OTHER)
            bipe_output_printf(output, NULL, "%*s\n", bytes, "-");
        else
            bipe_output_printf(output, NULL, "%*" PRIu64 "\n", bytes, tensor->size);
    }
}

/* The share of each type in the parameters, where matrices are of several types. */
static void put_types(bipe_output *output, const convert_source *s)
{
    char text[512] = "";
    size_t used = 0, kinds = 0;
    uint64_t all = 0;
    for (size_t i = 0; bipe_dtype_of(i) != NULL; i++) {
        all += convert_source_values(s, i, false);
        kinds += convert_source_values(s, i, true) != 0;
    }
    for (size_t i = 0; bipe_dtype_of(i) != NULL && used < sizeof text; i++) {
        double share = 100.0 * (double)convert_source_values(s, i, false) / (double)all;
        if (share > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1f %%", used != 0 ? ", " : "",
                                     bipe_dtype_of(i)->name, share);
    }
    if (kinds > 1)
        put_row(output, "types", "%s", text);
}

enum { MEMORY_LENGTH = 1024 }; /* tokens of the windows that memory is given for */

/* What bipe-score takes, with so many threads. */
static int measure_memory(const bipe_tool *tool, const convert_source *s, bipe_memory_need *need)
{
    const bipe_evaluator_options options = {.max_length = MEMORY_LENGTH};
    bipe_pool *pool;
    int status = bipe_pool_open(&pool, bipe_tool_threads(tool, 0), NULL);
    if (status != BIPE_OK)
        return status;
    bipe_evaluator_memory(s->model, &options, pool, need);
    bipe_pool_close(pool);
    return BIPE_OK;
}

static void put_memory(const bipe_tool *tool, const convert_source *s, bipe_output *output)
{
    char all[BIPE_BYTES_TEXT], weights[BIPE_BYTES_TEXT], file[BIPE_BYTES_TEXT], room[BIPE_BYTES_TEXT];
    bipe_memory_need need;
    if (measure_memory(tool, s, &need) == BIPE_OK)
        put_row(output, "memory", "%s to score windows of %d in f32: weights %s%s%s%s, activations %s",
                bipe_format_bytes(all, need.weights + need.mapped + need.workspace), MEMORY_LENGTH,
                bipe_format_bytes(weights, need.weights + need.mapped), need.mapped != 0 ? " (" : "",
                need.mapped != 0 ? bipe_format_bytes(file, need.mapped) : "",
                need.mapped != 0 ? " of the file)" : "", bipe_format_bytes(room, need.workspace));
}

void convert_describe(const bipe_tool *tool, const convert_source *source, bool tensors, bipe_output *output)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(source->model);
    char text[32];
    put_row(output, "name", "%s", source->name);
    put_row(output, "file", "%.900s", source->path);
    put_row(output, "format", "%s", h->format);
    put_row(output, "weights", "%s, %zu tensors, %s", bipe_dtype_name(source->dtype), source->tensors->count,
            bipe_format_bytes(text, source->bytes));
    put_types(output, source);
    put_parameters(output, source->model);
    put_memory(tool, source, output);
    put_row(output, "layers", "%" PRIu32, h->layers);
    put_row(output, "hidden", "%" PRIu32 ", feed-forward %" PRIu32, h->hidden, h->feed_forward);
    if (h->kv_heads == h->heads)
        put_row(output, "heads", "%" PRIu32 " of %" PRIu32, h->heads, h->head_size);
    else
        put_row(output, "heads", "%" PRIu32 " of %" PRIu32 ", %" PRIu32 " for keys and values", h->heads, h->head_size,
                h->kv_heads);
    put_decoder(output, h);
    put_row(output, "vocabulary", "%" PRIu32 ", output projection %s", h->vocabulary,
            h->tied ? "shared with the embedding" : "of its own");
    put_positions(output, h);
    put_tokenizer(output, source);
    convert_training(source, output);
    if (tensors)
        put_tensors(output, source->tensors);
}

/* ---- JSON ---- */

void convert_json_single(bipe_json *json, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", value);
    bipe_json_key_number(json, key, strtod(text, NULL));
}

static void json_model(bipe_json *json, const convert_source *s)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(s->model);
    char text[256];
    bipe_json_key_object(json, "model");
    bipe_json_key_text(json, "path", s->path);
    bipe_json_key_text(json, "name", s->name);
    bipe_json_key_text(json, "format", h->format);
    bipe_json_key_text(json, "type", bipe_dtype_name(s->dtype));
    bipe_json_key_object(json, "types");
    for (size_t i = 0; bipe_dtype_of(i) != NULL; i++)
        if (convert_source_values(s, i, false) != 0)
            bipe_json_key_uint(json, bipe_dtype_of(i)->name, convert_source_values(s, i, false));
    bipe_json_end_object(json);
    bipe_json_key_uint(json, "bytes", s->bytes);
    bipe_json_key_text(json, "scheme", bipe_scheme_format(&h->scheme, text));
    bipe_json_key_uint(json, "parameters", h->parameters);
    bipe_json_key_uint(json, "active_parameters", bipe_model_active(s->model));
    bipe_json_key_uint(json, "train_length", h->train_length);
    bipe_json_key_uint(json, "vocabulary", h->vocabulary);
    bipe_json_key_uint(json, "hidden", h->hidden);
    bipe_json_key_uint(json, "layers", h->layers);
    bipe_json_key_uint(json, "heads", h->heads);
    bipe_json_key_uint(json, "kv_heads", h->kv_heads);
    bipe_json_key_uint(json, "head_size", h->head_size);
    bipe_json_key_uint(json, "feed_forward", h->feed_forward);
    bipe_json_key_uint(json, "experts", bipe_decoder_of(h)->experts);
    bipe_json_key_uint(json, "experts_used", bipe_decoder_of(h)->experts_used);
    bipe_json_key_uint(json, "shared_expert", bipe_decoder_of(h)->shared);
    bipe_json_key_uint(json, "learned_rows", h->learned_rows);
    convert_json_single(json, "rms_norm_eps", h->rms_norm_eps);
    convert_json_single(json, "rope_base", h->rope_base);
    bipe_json_key_text(json, "rope_scaling", bipe_rope_scaling_format(&h->rope_scaling, text));
    bipe_json_key_bool(json, "tied", h->tied);
    bipe_json_key_bool(json, "log_scale", h->log_scale);
    bipe_json_key_text(json, "segmenter", h->segmenter[0] != '\0' ? h->segmenter : NULL);
    bipe_json_end_object(json);
}

static void json_memory(const bipe_tool *tool, bipe_json *json, const convert_source *s)
{
    bipe_memory_need need;
    if (measure_memory(tool, s, &need) != BIPE_OK)
        return;
    bipe_json_key_object(json, "memory");
    bipe_json_key_uint(json, "length", MEMORY_LENGTH);
    bipe_json_key_uint(json, "packed_weights", need.weights);
    bipe_json_key_uint(json, "mapped_weights", need.mapped);
    bipe_json_key_uint(json, "workspace", need.workspace);
    bipe_json_end_object(json);
}

static void json_id(bipe_json *json, const char *key, int64_t id)
{
    if (id >= 0)
        bipe_json_key_uint(json, key, (uint64_t)id);
    else
        bipe_json_key_text(json, key, NULL);
}

static void json_tokenizer(bipe_json *json, const convert_source *s)
{
    if (s->tokenizer == NULL) {
        bipe_json_key_text(json, "tokenizer", NULL);
        return;
    }
    bipe_json_key_object(json, "tokenizer");
    bipe_json_key_text(json, "kind", s->tokenizer_kind);
    bipe_json_key_uint(json, "size", bipe_tokenizer_size(s->tokenizer));
    json_id(json, "bos", bipe_tokenizer_bos(s->tokenizer));
    json_id(json, "eos", bipe_tokenizer_eos(s->tokenizer));
    size_t count;
    const uint32_t *ends = bipe_tokenizer_ends(s->tokenizer, &count);
    bipe_json_key_flat_array(json, "end_tokens");
    for (size_t i = 0; i < count; i++)
        bipe_json_uint(json, ends[i]);
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

static void json_tensors(bipe_json *json, const bipe_tensor_table *tensors)
{
    bipe_json_key_array(json, "tensors");
    for (size_t i = 0; i < tensors->count; i++) {
        const bipe_tensor *tensor = &tensors->tensor[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "name", tensor->name);
        bipe_json_key_text(json, "type", tensor->dtype_name);
        bipe_json_key_uints(json, "shape", tensor->shape, (size_t)tensor->dims);
        if (tensor->dtype == BIPE_OTHER)
            bipe_json_key_text(json, "bytes", NULL);
        else
            bipe_json_key_uint(json, "bytes", tensor->size);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

void convert_describe_json(const bipe_tool *tool, const convert_source *source, bool tensors, bipe_output *output)
{
    bipe_json json;
    bipe_tool_json(&json, output, "bipe-convert");
    json_model(&json, source);
    json_memory(tool, &json, source);
    json_tokenizer(&json, source);
    convert_training_json(source, &json);
    if (tensors)
        json_tensors(&json, source->tensors);
    bipe_run_record_put(tool, &json);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
}

/* ---- models that are installed ---- */

static int put_model(const char *folder, const char *file, bipe_output *output, bipe_error *err)
{
    char path[BIPE_INSTALLED_SIZE + 256], scheme[256], parameters[32];
    struct stat own, chosen;
    bipe_model *model;
    bipe_path_join(path, sizeof path, folder, "default.bin");
    bool known = stat(path, &chosen) == 0;
    bipe_path_join(path, sizeof path, folder, file);
    known = known && stat(path, &own) == 0 && own.st_ino == chosen.st_ino && own.st_dev == chosen.st_dev;
    int status = bipe_model_open(&model, path, err);
    if (status != BIPE_OK)
        return status;
    const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
    status = bipe_output_printf(output, err, "%-*.*s %s, %s parameters, trained at %" PRIu32 " tokens%s\n", 20,
                                (int)strlen(file) - 4, file, bipe_scheme_format(&h->scheme, scheme),
                                format_count(parameters, h->parameters), h->train_length, known ? " (default)" : "");
    bipe_model_close(model);
    return status;
}

int convert_list(bipe_output *output, bipe_error *err)
{
    char folder[BIPE_INSTALLED_SIZE];
    bipe_name_list names = {0};
    int status = bipe_name_list_read(&names, bipe_installed_folder(BIPE_INSTALLED_MODELS, folder), ".bin", err);
    for (size_t i = 0; i < names.count && status == BIPE_OK; i++)
        if (strcmp(names.name[i], "default.bin") != 0)
            status = put_model(folder, names.name[i], output, err);
    bipe_name_list_free(&names);
    return status;
}
