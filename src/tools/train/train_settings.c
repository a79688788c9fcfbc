/* train_settings.c - what decides the result of a training run, in one list, and the places that say it: lines of a
 * checkpoint, the first line of the log, keys of the model's file. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "cli/write_model.h"
#include "tools/train/bipe_train.h"

/* The checkpoint; the log; the model's file, which says much itself. */
enum { IN_CHECKPOINT = 1, IN_LOG = 2, IN_MODEL = 4, EVERYWHERE = 7, SETTINGS_MOST = 40 };

typedef struct setting {
    const char *name; /* of the option, where there is one */
    int where;
    enum { TEXT, NAME /* of a file */, COUNT, NUMBER, FLAG } kind;
    const char *text; /* NULL: nothing was given */
    uint64_t count;
    double number;
} setting;

typedef struct settings {
    setting item[SETTINGS_MOST];
    size_t count;
    char scheme[256], scaling[BIPE_SCALING_TEXT], corpus[17];
} settings;

/* With a constant rate no step depends on how many follow, so that a run can be made longer. */
static int where_steps_are(const bipe_train_run *run)
{
    return run->options.schedule.kind == BIPE_SCHEDULE_CONSTANT ? IN_LOG : IN_CHECKPOINT | IN_LOG;
}

static void list_settings(const bipe_train_run *run, settings *s)
{
    const bipe_train_options *given = &run->given;
    const bipe_hyperparameters *h = bipe_model_hyperparameters(run->model);
    const int of_model = IN_CHECKPOINT | IN_LOG, texts = IN_LOG | IN_MODEL; /* the hash of the texts has the latter */
    const int of_muon = given->optimizer == BIPE_OPTIMIZER_MUON ? EVERYWHERE : 0;
    const int of_longce = given->longce != NULL ? EVERYWHERE : 0;
    snprintf(s->corpus, sizeof s->corpus, "%016" PRIx64, bipe_corpus_hash(run->corpus));
    const setting all[] = {
        {"init", EVERYWHERE, NAME, .text = given->init},
        {"scheme", of_model, TEXT, .text = bipe_scheme_format(&h->scheme, s->scheme)},
        {"rope-scaling", of_model, TEXT, .text = bipe_rope_scaling_format(&h->rope_scaling, s->scaling)},
        {"vocabulary", of_model, COUNT, .count = h->vocabulary},
        {"layers", of_model, COUNT, .count = h->layers},
        {"hidden", of_model, COUNT, .count = h->hidden},
        {"heads", of_model, COUNT, .count = h->heads},
        {"kv-heads", of_model, COUNT, .count = h->kv_heads},
        {"feed-forward", of_model, COUNT, .count = h->feed_forward},
        {"tied", of_model, FLAG, .count = h->tied},
        {"segmenter", of_model, TEXT, .text = h->segmenter},
        {"tokenizer", texts, NAME, .text = run->tokenizer_spec},
        {"corpus", IN_CHECKPOINT, TEXT, .text = s->corpus},
        {"length", of_model, COUNT, .count = run->options.length},
        {"batch", EVERYWHERE, COUNT, .count = given->batch},
        {"order", EVERYWHERE, TEXT, .text = bipe_train_order_names[given->order]},
        {"pack", EVERYWHERE, TEXT, .text = bipe_train_pack_names[given->pack]},
        {"task", texts, NAME, .text = given->task},
        {"loss-after", texts, TEXT, .text = given->loss_after},
        {"steps", where_steps_are(run), COUNT, .count = run->steps},
        {"optimizer", EVERYWHERE, TEXT, .text = bipe_train_optimizer_names[given->optimizer]},
        {"lr", EVERYWHERE, NUMBER, .number = given->rate},
        {"muon-lr", of_muon, NUMBER, .number = given->muon_rate},
        {"momentum", of_muon, NUMBER, .number = given->momentum},
        {"schedule", EVERYWHERE, TEXT, .text = given->schedule},
        {"warmup", EVERYWHERE, COUNT, .count = run->options.schedule.warmup},
        {"min-lr", EVERYWHERE, NUMBER, .number = given->min_rate},
        {"weight-decay", EVERYWHERE, NUMBER, .number = given->weight_decay},
        {"beta1", EVERYWHERE, NUMBER, .number = given->beta1},
        {"beta2", EVERYWHERE, NUMBER, .number = given->beta2},
        {"epsilon", EVERYWHERE, NUMBER, .number = given->epsilon},
        {"clip", EVERYWHERE, NUMBER, .number = given->clip},
        {"dropout", EVERYWHERE, NUMBER, .number = given->dropout},
        {"seed", EVERYWHERE, COUNT, .count = given->seed},
        {"precision", EVERYWHERE, TEXT, .text = bipe_precision_words[given->precision]},
        {"processes", EVERYWHERE, COUNT, .count = (uint64_t)run->ranks.count},
        {"longce", of_longce, NUMBER, .number = given->most_weight},
        {"short-context", of_longce, COUNT, .count = given->brief.context},
        {"short-step", of_longce, COUNT, .count = given->brief.step},
    };
    _Static_assert(sizeof all / sizeof all[0] <= SETTINGS_MOST, "no room for all settings");
    s->count = sizeof all / sizeof all[0];
    memcpy(s->item, all, sizeof all);
}

/* ---- the checkpoint ---- */

int bipe_train_write_settings(bipe_train_run *run, bipe_error *err)
{
    settings s;
    bipe_buffer text = {0};
    int status = BIPE_OK;
    list_settings(run, &s);
    for (size_t i = 0; i < s.count && status == BIPE_OK; i++) {
        const setting *item = &s.item[i];
        if ((item->where & IN_CHECKPOINT) == 0)
            continue;
        if (item->kind == NUMBER)
            status = bipe_buffer_printf(&text, err, "%s %.9g\n", item->name, item->number);
        else if (item->kind == TEXT || item->kind == NAME)
            status = bipe_buffer_printf(&text, err, "%s %s\n", item->name, item->text != NULL ? item->text : "none");
        else
            status = bipe_buffer_printf(&text, err, "%s %" PRIu64 "\n", item->name, item->count);
    }
    run->settings = (char *)text.data;
    return status;
}

/* ---- the record and the log ---- */

/* A new value. */
static json_t *value_of(const setting *item)
{
    switch (item->kind) {
    case COUNT: return json_integer((json_int_t)item->count);
    case NUMBER: return json_real(item->number);
    case FLAG: return json_boolean(item->count != 0);
    default: return item->text != NULL ? json_string_nocheck(item->text) : json_null();
    }
}

void bipe_train_tell_in_force(bipe_train_run *run)
{
    settings s;
    list_settings(run, &s);
    for (size_t i = 0; i < s.count; i++)
        if ((s.item[i].where & IN_LOG) != 0)
            bipe_run_in_force(&run->tool, s.item[i].name, value_of(&s.item[i]));
}

void bipe_train_put_run(const bipe_train_run *run, bipe_json *json)
{
    settings s;
    list_settings(run, &s);
    bipe_json_key(json, "run");
    bipe_run_record_copy(json, run->record);
    bipe_json_key_object(json, "settings");
    for (size_t i = 0; i < s.count; i++) {
        json_t *value = (s.item[i].where & IN_LOG) != 0 ? value_of(&s.item[i]) : NULL;
        if (value == NULL)
            continue;
        bipe_json_key(json, s.item[i].name);
        bipe_run_record_copy(json, value);
        json_decref(value);
    }
    bipe_json_end_object(json);
}

/* ---- the model's file ---- */

/* The last part of a path: a file has the same bytes wherever the texts of its model lie. */
static bipe_gguf_string base_of(const char *path)
{
    size_t end = strlen(path), start;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    return (bipe_gguf_string){path + start, end - start};
}

/* bipe.training.min_lr, of "min-lr" */
static const char *key_of(const char *name, char key[64])
{
    snprintf(key, 64, BIPE_TRAINING_PREFIX "%s", name);
    for (char *at = key; (at = strchr(at, '-')) != NULL;)
        *at = '_';
    return key;
}

static void set_setting(const setting *item, bipe_gguf_writer *writer)
{
    char key[64];
    key_of(item->name, key);
    if (item->kind == COUNT)
        bipe_gguf_set_u64(writer, key, item->count);
    else if (item->kind == NUMBER)
        bipe_gguf_set_f32(writer, key, (float)item->number);
    else if (item->kind == FLAG)
        bipe_gguf_set_bool(writer, key, item->count != 0);
    else if (item->kind == TEXT && item->text != NULL)
        bipe_gguf_set_text(writer, key, item->text);
    else if (item->text != NULL) {
        bipe_gguf_string base = base_of(item->text);
        bipe_gguf_set_string(writer, key, base.text, base.size);
    }
}

/* What the record says of a file; NULL: nothing. */
static const json_t *find_file(const json_t *files, const char *path)
{
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        if (strcmp(json_string_value(json_object_get(file, "path")), path) == 0)
            return file;
    }
    return NULL;
}

static void set_files(const bipe_train_run *run, bipe_gguf_writer *writer)
{
    const bipe_files *files = &run->tool.files;
    bipe_gguf_string *name = bipe_tool_alloc(files->count, sizeof *name),
                     *sum = bipe_tool_alloc(files->count, sizeof *sum);
    uint64_t *size = bipe_tool_alloc(files->count, sizeof *size);
    for (size_t i = 0; i < files->count; i++) {
        const json_t *file = find_file(json_object_get(run->record, "files"), files->path[i]),
                     *digits = json_object_get(file, "sha256");
        name[i] = base_of(files->path[i]);
        sum[i] = json_is_string(digits) ? (bipe_gguf_string){json_string_value(digits), json_string_length(digits)}
                                        : (bipe_gguf_string){"", 0};
        size[i] = (uint64_t)json_integer_value(json_object_get(file, "size"));
    }
    bipe_gguf_set_strings(writer, BIPE_TRAINING_PREFIX "texts.name", name, files->count);
    bipe_gguf_set_u64s(writer, BIPE_TRAINING_PREFIX "texts.size", size, files->count);
    bipe_gguf_set_strings(writer, BIPE_TRAINING_PREFIX "texts.sha256", sum, files->count);
    bipe_free(name);
    bipe_free(sum);
    bipe_free(size);
}

/* The validation after the last step. */
static void set_validations(const bipe_train_run *run, bipe_gguf_writer *writer)
{
    size_t count = run->validations;
    if (count == 0)
        return;
    bipe_gguf_string *name = bipe_tool_alloc(count, sizeof *name);
    uint64_t *length = bipe_tool_alloc(count, sizeof *length);
    float *nll = bipe_tool_alloc(count, sizeof *nll);
    for (size_t i = 0; i < count; i++) {
        name[i] = base_of(run->at_end[i].file);
        length[i] = run->at_end[i].length;
        nll[i] = (float)run->at_end[i].nll;
    }
    bipe_gguf_set_strings(writer, BIPE_TRAINING_PREFIX "validation.name", name, count);
    bipe_gguf_set_u64s(writer, BIPE_TRAINING_PREFIX "validation.length", length, count);
    bipe_gguf_set_f32s(writer, BIPE_TRAINING_PREFIX "validation.nll", nll, count);
    bipe_free(name);
    bipe_free(length);
    bipe_free(nll);
}

void bipe_train_set_keys(const bipe_train_run *run, bipe_gguf_writer *writer)
{
    settings s;
    list_settings(run, &s);
    bipe_gguf_set_text(writer, BIPE_TRAINING_PREFIX "version", PACKAGE_VERSION);
    bipe_gguf_set_u64(writer, BIPE_TRAINING_PREFIX "steps", bipe_trainer_steps(run->trainer));
    bipe_gguf_set_u64(writer, BIPE_TRAINING_PREFIX "tokens", run->tokens);
    for (size_t i = 0; i < s.count; i++)
        if ((s.item[i].where & IN_MODEL) != 0)
            set_setting(&s.item[i], writer);
    set_files(run, writer);
    set_validations(run, writer);
}
