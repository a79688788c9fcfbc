/* convert_training.c - how a model was trained, as bipe-convert shows it: the keys bipe.training.* that bipe-train puts
 * into native files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/write_model.h"
#include "format/gguf.h"
#include "tools/convert/convert_source.h"

/* Texts and losses that the table names; JSON has all. */
enum { SHOWN_MOST = 8, KEY_SIZE = 96, TEXT_SIZE = 160 };

#define KEY(name) BIPE_TRAINING_PREFIX name

static bool has_training(const bipe_gguf *gguf)
{
    uint64_t steps;
    return gguf != NULL && bipe_gguf_get_uint(gguf, KEY("steps"), &steps, NULL) == BIPE_OK;
}

static size_t count_of(const bipe_gguf *gguf, const char *key)
{
    size_t count = 0;
    return bipe_gguf_get_array(gguf, key, BIPE_GGUF_STRING, &count, NULL) == BIPE_OK ? count : 0;
}

/* ---- the table ---- */

/* A number as text, or "?". */
static const char *number_of(const bipe_gguf *gguf, const char *key, char text[32])
{
    double value;
    uint64_t count;
    if (bipe_gguf_get_uint(gguf, key, &count, NULL) == BIPE_OK)
        snprintf(text, 32, "%" PRIu64, count);
    else if (bipe_gguf_get_number(gguf, key, &value, NULL) == BIPE_OK)
        snprintf(text, 32, "%.7g", value);
    else
        strcpy(text, "?");
    return text;
}

static const char *copy_text(bipe_gguf_string from, char text[TEXT_SIZE])
{
    snprintf(text, TEXT_SIZE, "%.*s", (int)(from.size < TEXT_SIZE ? from.size : TEXT_SIZE - 1),
             from.size > 0 ? from.text : "");
    return bipe_hide_controls(text);
}

static const char *text_of(const bipe_gguf *gguf, const char *key, char text[TEXT_SIZE])
{
    bipe_gguf_string value = {0};
    bipe_gguf_get_string(gguf, key, &value, NULL);
    return copy_text(value, text);
}

static const char *element_of(const bipe_gguf *gguf, const char *key, size_t i, char text[TEXT_SIZE])
{
    return copy_text(bipe_gguf_array_string(gguf, key, i), text);
}

static void put_rate(const bipe_gguf *gguf, bipe_output *output)
{
    char schedule[TEXT_SIZE], rate[32], least[32], warmup[32];
    text_of(gguf, KEY("schedule"), schedule);
    bipe_output_printf(output, NULL, "learning rate %s, %s", number_of(gguf, KEY("lr"), rate), schedule);
    if (strcmp(schedule, "constant") != 0)
        bipe_output_printf(output, NULL, " to %s", number_of(gguf, KEY("min_lr"), least));
    bipe_output_printf(output, NULL, ", warm-up %s\n", number_of(gguf, KEY("warmup"), warmup));
}

/* Options that are not the usual ones. A task makes each record a row, whatever it says of --pack. */
static void put_options(const bipe_gguf *gguf, bipe_output *output)
{
    static const struct {
        const char *key, *option, *usual;
    } all[] = {{KEY("task"), "task", ""}, {KEY("pack"), "pack", "stream"}, {KEY("loss_after"), "loss-after", ""},
               {KEY("order"), "order", "shuffled"}, {KEY("precision"), "precision", "f32"},
               {KEY("optimizer"), "optimizer", "adamw"}},
      numbers[] = {{KEY("muon_lr"), "muon-lr", ""}, {KEY("dropout"), "dropout", ""}, {KEY("longce"), "longce", ""},
                   {KEY("short_context"), "short-context", ""}, {KEY("short_step"), "short-step", ""}};
    char text[TEXT_SIZE];
    const char *before = "options       ";
    bool task = text_of(gguf, KEY("task"), text)[0] != '\0';
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (text_of(gguf, all[i].key, text)[0] == '\0' || strcmp(text, all[i].usual) == 0 ||
            (task && strcmp(all[i].option, "pack") == 0))
            continue;
        bipe_output_printf(output, NULL, "%s--%s %s", before, all[i].option, text);
        before = " ";
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double number = 0;
        if (bipe_gguf_get_number(gguf, numbers[i].key, &number, NULL) != BIPE_OK || number == 0)
            continue;
        bipe_output_printf(output, NULL, "%s--%s %.7g", before, numbers[i].option, number);
        before = " ";
    }
    if (before[0] == ' ')
        bipe_output_printf(output, NULL, "\n");
}

static void put_texts(const bipe_gguf *gguf, bipe_output *output)
{
    size_t count = count_of(gguf, KEY("texts.name"));
    char name[TEXT_SIZE], sum[TEXT_SIZE];
    for (size_t i = 0; i < count && i < SHOWN_MOST; i++) {
        bipe_output_printf(output, NULL, "text          %s", element_of(gguf, KEY("texts.name"), i, name));
        if (element_of(gguf, KEY("texts.sha256"), i, sum)[0] != '\0')
            bipe_output_printf(output, NULL, ", %.0f bytes, SHA-256\n              %s",
                               bipe_gguf_array_number(gguf, KEY("texts.size"), i), sum);
        bipe_output_printf(output, NULL, "\n");
    }
    if (count > SHOWN_MOST)
        bipe_output_printf(output, NULL, "              and %zu other texts (--json names them)\n", count - SHOWN_MOST);
}

static void put_validation(const bipe_gguf *gguf, bipe_output *output)
{
    size_t count = count_of(gguf, KEY("validation.name"));
    char name[TEXT_SIZE];
    for (size_t i = 0; i < count && i < SHOWN_MOST; i++)
        bipe_output_printf(output, NULL, "%-14snll %.4f at %.0f, %s\n", i == 0 ? "validation" : "",
                           bipe_gguf_array_number(gguf, KEY("validation.nll"), i),
                           bipe_gguf_array_number(gguf, KEY("validation.length"), i),
                           element_of(gguf, KEY("validation.name"), i, name));
    if (count > SHOWN_MOST)
        bipe_output_printf(output, NULL, "              and %zu other losses (--json has them)\n", count - SHOWN_MOST);
}

void convert_training(const convert_source *source, bipe_output *output)
{
    const bipe_gguf *gguf = bipe_model_gguf(source->model);
    char steps[32], batch[32], tokens[32], seed[32], text[TEXT_SIZE];
    if (!has_training(gguf))
        return;
    bool lines = strcmp(text_of(gguf, KEY("pack"), text), "line") == 0; /* rows of fewer tokens */
    bipe_output_printf(output, NULL,
                       "training      %s steps of %s%s tokens, %s tokens in all, seed %s, by bipe-train %s\n",
                       number_of(gguf, KEY("steps"), steps), lines ? "up to " : "",
                       number_of(gguf, KEY("batch"), batch), number_of(gguf, KEY("tokens"), tokens),
                       number_of(gguf, KEY("seed"), seed), text_of(gguf, KEY("version"), text));
    if (text_of(gguf, KEY("init"), text)[0] != '\0')
        bipe_output_printf(output, NULL, "started from  %s\n", text);
    put_rate(gguf, output);
    put_options(gguf, output);
    put_texts(gguf, output);
    put_validation(gguf, output);
}

/* ---- JSON ---- */

static void put_scalar(const bipe_gguf *gguf, const char *key, bipe_gguf_type type, bipe_json *json)
{
    uint64_t count;
    double number;
    bool flag;
    bipe_gguf_string text;
    const char *name = key + strlen(BIPE_TRAINING_PREFIX);
    if (type == BIPE_GGUF_STRING && bipe_gguf_get_string(gguf, key, &text, NULL) == BIPE_OK) {
        bipe_json_key(json, name);
        bipe_json_bytes(json, text.text, text.size);
    } else if (type == BIPE_GGUF_BOOL && bipe_gguf_get_bool(gguf, key, &flag, NULL) == BIPE_OK) {
        bipe_json_key_bool(json, name, flag);
    } else if (bipe_gguf_get_uint(gguf, key, &count, NULL) == BIPE_OK) {
        bipe_json_key_uint(json, name, count);
    } else if (bipe_gguf_get_number(gguf, key, &number, NULL) == BIPE_OK) {
        convert_json_single(json, name, number);
    }
}

static void put_element(const bipe_gguf *gguf, const char *key, size_t i, const char *name, bipe_json *json)
{
    bipe_gguf_string text = bipe_gguf_array_string(gguf, key, i);
    bipe_json_key(json, name);
    if (text.size > 0)
        bipe_json_bytes(json, text.text, text.size);
    else
        bipe_json_null(json);
}

void convert_training_json(const convert_source *source, bipe_json *json)
{
    const bipe_gguf *gguf = bipe_model_gguf(source->model);
    if (!has_training(gguf)) {
        bipe_json_key_text(json, "training", NULL);
        return;
    }
    bipe_json_key_object(json, "training");
    for (size_t i = 0; i < bipe_gguf_key_count(gguf); i++) {
        bipe_gguf_type type;
        bipe_gguf_string name = bipe_gguf_key(gguf, i, &type);
        char key[KEY_SIZE];
        if (name.size >= sizeof key || type == BIPE_GGUF_ARRAY || name.size <= strlen(BIPE_TRAINING_PREFIX) ||
            memcmp(name.text, BIPE_TRAINING_PREFIX, strlen(BIPE_TRAINING_PREFIX)) != 0)
            continue;
        snprintf(key, sizeof key, "%.*s", (int)name.size, name.text);
        put_scalar(gguf, key, type, json);
    }
    bipe_json_key_array(json, "texts");
    for (size_t i = 0, count = count_of(gguf, KEY("texts.name")); i < count; i++) {
        bipe_json_begin_object(json);
        put_element(gguf, KEY("texts.name"), i, "name", json);
        bipe_json_key_number(json, "size", bipe_gguf_array_number(gguf, KEY("texts.size"), i));
        put_element(gguf, KEY("texts.sha256"), i, "sha256", json);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_key_array(json, "validation");
    for (size_t i = 0, count = count_of(gguf, KEY("validation.name")); i < count; i++) {
        bipe_json_begin_object(json);
        put_element(gguf, KEY("validation.name"), i, "name", json);
        bipe_json_key_number(json, "length", bipe_gguf_array_number(gguf, KEY("validation.length"), i));
        convert_json_single(json, "nll", bipe_gguf_array_number(gguf, KEY("validation.nll"), i));
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}
