/* score_open.c - opens the parts of a run of bipe-score: model, scheme, lengths, tokenizer, stream, outputs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/installed_model.h"
#include "cli/clusters.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "format/gguf.h"
#include "tools/score/bipe_score.h"

/* The scheme in use: the model's or --scheme, less what --without takes away. */
static int choose_scheme(const bipe_score_run *run, bipe_score_combination *c, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    char text[256];
    c->scheme = given->scheme != NULL ? run->scheme : c->hyperparameters->scheme;
    c->scaling = given->scaling != NULL ? run->scaling : c->hyperparameters->rope_scaling;
    size_t count = c->scheme.count;
    if (given->without >= 0)
        bipe_scheme_remove(&c->scheme, given->without == 0);
    if (given->scaling == NULL && !bipe_scheme_rotates(&c->scheme)) /* the model's has nothing to scale */
        c->scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    return given->without < 0 || c->scheme.count < count
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_UNSUPPORTED, "--without %s: the scheme %s has no such part",
                           bipe_score_without_names[given->without], bipe_scheme_format(&c->scheme, text));
}

/* ---- models and tokenizers ---- */

/* The tokenizer as a file, hashed: what says whether two of them give the same ids. 0: it cannot be written. */
static uint64_t hash_tokenizer(const bipe_tokenizer *tokenizer)
{
    bipe_gguf_writer *writer = NULL;
    bipe_output *output = NULL;
    bipe_error err;
    uint64_t hash = 0;
    int status = bipe_gguf_writer_open(&writer, &err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_write_gguf(tokenizer, writer, &err);
    if (status == BIPE_OK)
        status = bipe_output_open_memory(&output, &err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_to(writer, output, &err);
    if (status == BIPE_OK)
        hash = bipe_hash_bytes(BIPE_HASH_EMPTY, bipe_output_kept(output)->data, bipe_output_kept(output)->size);
    bipe_output_abandon(output);
    bipe_gguf_writer_close(writer);
    return hash;
}

static bool same_tokenizer(const bipe_tokenizer *a, const bipe_tokenizer *b)
{
    if (bipe_tokenizer_size(a) != bipe_tokenizer_size(b) || bipe_tokenizer_bos(a) != bipe_tokenizer_bos(b))
        return false;
    uint64_t hash = hash_tokenizer(a);
    return hash != 0 && hash == hash_tokenizer(b);
}

/* The tokenizer of a model or of -t, checked, and its reader, which models with the same tokenizer share. */
static int open_tokenizer(bipe_score_run *run, const bipe_window_rules *rules, bipe_score_model *model,
                          bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_reader *reader = &run->texts.reader[run->texts.readers];
    uint32_t vocabulary = bipe_model_hyperparameters(model->model)->vocabulary;
    int status = bipe_tool_tokenizer(&run->tool, &reader->tokenizer, given->tokenizer, given->special,
                                     bipe_model_path(model->model), vocabulary,
                                     rules->bos == BIPE_BOS_NONE ? NULL : ", or --bos none", err);
    if (status != BIPE_OK) {
        bipe_tokenizer_close(reader->tokenizer); /* one that does not suit the model */
        reader->tokenizer = NULL;
        return status;
    }
    reader->bos_id = bipe_protocol_bos(rules, reader->tokenizer);
    while (model->text < run->texts.readers &&
           (run->texts.reader[model->text].bos_id != reader->bos_id ||
            !same_tokenizer(run->texts.reader[model->text].tokenizer, reader->tokenizer)))
        model->text++;
    if (model->text < run->texts.readers) {
        bipe_tokenizer_close(reader->tokenizer);
        reader->tokenizer = NULL;
        return BIPE_OK;
    }
    reader->vocabulary = vocabulary;
    run->texts.readers++;
    return BIPE_OK;
}

/* rules: its BOS. */
static int open_model(bipe_score_run *run, const char *name, const bipe_window_rules *rules, bipe_error *err)
{
    bipe_score_model *model = &run->models.model[run->models.count];
    char path[BIPE_MODEL_PATH_SIZE];
    int status = bipe_model_operand(name, path, err);
    run->models.count++;
    if (status == BIPE_OK)
        status = bipe_tool_hint_model(bipe_model_open(&model->model, path, err), err);
    bool shared = run->given.tokenizer != NULL && run->models.count > 1 && rules == &run->setup.rules;
    if (status == BIPE_OK && shared) /* -t is for all */
        status = bipe_tool_check_vocabulary(&run->tool, run->texts.reader[0].tokenizer,
                                            bipe_model_hyperparameters(model->model)->vocabulary, err);
    else if (status == BIPE_OK)
        status = open_tokenizer(run, rules, model, err);
    if (status != BIPE_OK)
        return status;
    bipe_score_reader *reader = &run->texts.reader[model->text];
    uint32_t vocabulary = bipe_model_hyperparameters(model->model)->vocabulary;
    reader->vocabulary = vocabulary < reader->vocabulary ? vocabulary : reader->vocabulary;
    return BIPE_OK;
}

/* The number of a SPEC among those of a reader. */
static int add_segmenter(bipe_score_reader *reader, const char *spec, size_t *number, bipe_error *err)
{
    for (*number = 0; *number < reader->specs; ++*number)
        if (strcmp(reader->spec[*number], spec) == 0)
            return BIPE_OK;
    if (reader->specs == BIPE_SPOOL_SEGMENTERS)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d different segmenters", (int)BIPE_SPOOL_SEGMENTERS);
    reader->spec[reader->specs++] = spec;
    return BIPE_OK;
}

static int add_combination(bipe_score_run *run, size_t number, const char *name, const char *spec, bipe_error *err)
{
    bipe_score_setup *setup = &run->setup;
    const bipe_score_model *model = &run->models.model[number];
    bipe_score_reader *reader = &run->texts.reader[model->text];
    bipe_score_combination *c = &setup->combination[setup->combinations];
    *c = (bipe_score_combination){
        .model_name = name, .model_path = bipe_model_path(model->model),
        .hyperparameters = bipe_model_hyperparameters(model->model),
        .tokenizer = bipe_tokenizer_spec(reader->tokenizer), .segmenter = spec, .model = number, .text = model->text,
        .bos_id = reader->bos_id,
    };
    if (c->segmenter == NULL)
        c->segmenter = c->hyperparameters->segmenter;
    if (c->segmenter[0] == '\0')
        c->segmenter = BIPE_SEGMENTER_DEFAULT;
    int status = choose_scheme(run, c, err);
    if (status == BIPE_OK)
        status = bipe_stream_check_scheme(c->segmenter, &c->scheme, err);
    if (status == BIPE_OK)
        status = add_segmenter(reader, c->segmenter, &c->closes, err);
    for (size_t i = 0; i < setup->combinations && status == BIPE_OK; i++)
        if (setup->combination[i].model == number && setup->combination[i].closes == c->closes)
            return BIPE_OK; /* given twice */
    setup->combinations++;
    return status;
}

/* The judge of --key-tokens, where the first combination does not judge itself while it is scored: --key-from; or with
 * --protocol longppl, where the judge sees a BOS and others do not, the first model once more. */
static int open_judge(bipe_score_run *run, bipe_error *err)
{
    const bipe_window_rules with_bos = {.bos = BIPE_BOS_DOCUMENT}, *rules = &run->setup.rules;
    const bipe_score_combination *first = &run->setup.combination[0];
    const char *from = run->given.key_from;
    bipe_score_combination *c = &run->key.judge;
    bipe_score_model again = {.model = run->models.model[0].model};
    int status;
    if (rules->protocol == BIPE_PROTOCOL_LONGPPL)
        rules = &with_bos;
    if (from != NULL)
        status = open_model(run, from, rules, err);
    else
        status = open_tokenizer(run, rules, &again, err);
    if (status != BIPE_OK)
        return status;
    const bipe_score_model *model = from != NULL ? &run->models.model[run->models.count - 1] : &again;
    bipe_score_reader *reader = &run->texts.reader[model->text];
    *c = *first;
    if (from != NULL) {
        const bipe_hyperparameters *h = bipe_model_hyperparameters(model->model);
        *c = (bipe_score_combination){
            .model_name = from, .model_path = bipe_model_path(model->model), .hyperparameters = h, .scheme = h->scheme,
            .scaling = h->rope_scaling, .segmenter = h->segmenter[0] != '\0' ? h->segmenter : BIPE_SEGMENTER_DEFAULT,
            .model = run->models.count - 1,
        };
    }
    c->tokenizer = bipe_tokenizer_spec(reader->tokenizer);
    c->text = model->text;
    c->bos_id = reader->bos_id;
    run->key.rules = run->setup.rules;
    run->key.judged = true;
    status = bipe_stream_check_scheme(c->segmenter, &c->scheme, err);
    return status == BIPE_OK ? add_segmenter(reader, c->segmenter, &c->closes, err) : status;
}

/* All models and what they are combined with. */
static int open_models(bipe_score_run *run, const char *first, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    size_t models = 1 + given->against.count, specs = given->segmenters.count;
    run->models.model = bipe_tool_alloc(models + 1, sizeof *run->models.model); /* a judge comes last */
    run->texts.reader = bipe_tool_alloc(models + 1, sizeof *run->texts.reader);
    run->setup.combination = bipe_tool_alloc(models * (specs > 0 ? specs : 1), sizeof *run->setup.combination);
    run->models.runners = models * (specs > 0 ? specs : 1) + 1;
    run->models.runner = bipe_tool_alloc(run->models.runners, sizeof *run->models.runner);
    int status = BIPE_OK;
    for (size_t m = 0; m < models && status == BIPE_OK; m++)
        status = open_model(run, m == 0 ? first : given->against.text[m - 1], &run->setup.rules, err);
    for (size_t m = 0; m < models && status == BIPE_OK; m++) {
        const char *name = m == 0 ? first : given->against.text[m - 1];
        size_t before = run->setup.combinations;
        for (size_t s = 0; s < (specs > 0 ? specs : 1) && status == BIPE_OK; s++)
            status = add_combination(run, m, name, specs > 0 ? given->segmenters.text[s] : NULL, err);
        if (status == BIPE_OK && run->setup.combinations > before + 1 &&
            !bipe_scheme_uses_segments(&run->setup.combination[before].scheme))
            bipe_tool_note(&run->tool, "%s: its scheme does not use segments, so all segmenters give the same losses",
                           name);
    }
    run->texts.compared = run->texts.readers;
    bool longppl = given->key_tokens != NULL && run->setup.rules.protocol == BIPE_PROTOCOL_LONGPPL;
    if (status == BIPE_OK && (given->key_from != NULL || longppl))
        status = open_judge(run, err);
    run->setup.key.from = run->key.judged ? run->key.judge.model_name : run->setup.combination[0].model_name;
    return status;
}

/* Whether predictions can be compared: over the same words, after the same tokens. */
static int check_divergence(const bipe_score_run *run, bipe_error *err)
{
    const bipe_score_setup *setup = &run->setup;
    if (setup->combinations < 2)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--divergence': there is nothing to compare %s with",
                         setup->combination[0].model_name);
    for (size_t i = 1; i < setup->combinations; i++) {
        const bipe_score_combination *a = &setup->combination[0], *b = &setup->combination[i];
        uint32_t words = a->hyperparameters->vocabulary, other = b->hyperparameters->vocabulary;
        if (a->text != b->text)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "--divergence: %s and %s have different tokenizers",
                             a->model_name, b->model_name);
        if (words != other)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "--divergence: %s has %" PRIu32 " words, %s has %" PRIu32,
                             a->model_name, words, b->model_name, other);
    }
    return BIPE_OK;
}

/* Whether any window is long enough for a key token. */
static int check_key_tokens(const bipe_score_run *run, bipe_error *err)
{
    const bipe_key_rule *rule = &run->setup.key.rule;
    uint64_t longest = 0, least = rule->context + (run->setup.rules.stride == 0 ? rule->step : 0);
    for (size_t i = 0; i < run->lengths.count; i++)
        longest = run->lengths.value[i] > longest ? run->lengths.value[i] : longest;
    if (run->given.key_out != NULL && run->lengths.count != 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--key-spans-out': key tokens are written for one length, found %zu: give one with -L",
                         run->lengths.count);
    if (run->given.key_tokens != NULL && longest <= least)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--key-tokens': windows of %" PRIu64 " tokens (-L) have no token that sees more than "
                         "a short context of %" PRIu64 " and the step of %" PRIu64 ": give less with --short-context",
                         longest, rule->context, rule->step);
    return BIPE_OK;
}

/* The lengths to score, each once. BIPE_ERR_ARGUMENT when they do not go with the other options. */
static int choose_lengths(bipe_score_run *run, bipe_error *err)
{
    const bipe_sizes *given = &run->given.lengths;
    uint64_t train = run->setup.combination[0].hyperparameters->train_length;
    size_t usual = run->given.records.records ? 1 : BIPE_SCORE_DEFAULT_LENGTHS;
    size_t count = given->count > 0 ? given->count : usual;
    run->lengths.value = bipe_tool_alloc(count, sizeof *run->lengths.value);
    run->rows.row = bipe_tool_alloc(count, run->setup.combinations * sizeof *run->rows.row);
    run->rows.too_short = bipe_tool_alloc(count, sizeof *run->rows.too_short);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = given->count > 0 ? given->value[i] : train << i;
        if (i > 0 && length > BIPE_SCORE_LONGEST)
            break;
        if (length < 2 || length > BIPE_SCORE_LONGEST)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "the training length of the model is %" PRIu64
                             ": give the window length with -L", train);
        if (run->setup.rules.stride > length)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "option '--stride': %" PRIu64 " is more than the window length %" PRIu64,
                             run->setup.rules.stride, length);
        if (run->setup.rules.last >= length)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "option '--last': %" PRIu64 " is more than the %" PRIu64
                             " tokens that a window of %" PRIu64 " scores",
                             run->setup.rules.last, length - 1, length);
        bool again = false;
        for (size_t k = 0; k < run->lengths.count; k++)
            again = again || run->lengths.value[k] == length;
        if (!again)
            run->lengths.value[run->lengths.count++] = length;
    }
    return BIPE_OK;
}

static int compare_sizes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The rungs of --ladder, rising, each once; and the rules that go with them. */
static int choose_rungs(bipe_score_run *run, bipe_error *err)
{
    const bipe_sizes *given = &run->given.ladder;
    bipe_window_rules *rules = &run->setup.rules;
    run->lengths.value = bipe_tool_alloc(given->count, sizeof *run->lengths.value);
    memcpy(run->lengths.value, given->value, given->count * sizeof *given->value);
    qsort(run->lengths.value, given->count, sizeof *given->value, compare_sizes);
    for (size_t i = 0; i < given->count; i++)
        if (i == 0 || run->lengths.value[i] != run->lengths.value[run->lengths.count - 1])
            run->lengths.value[run->lengths.count++] = run->lengths.value[i];
    rules->last = rules->last > 0 ? rules->last : BIPE_SCORE_LADDER_LAST;
    if (rules->bos == BIPE_BOS_DOCUMENT) /* rungs must not differ in it */
        rules->bos = BIPE_BOS_WINDOW;
    if (run->setup.combinations > 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--ladder': expected one segmenter with -s");
    const uint64_t most = run->lengths.value[run->lengths.count - 1];
    return most < BIPE_SCORE_LONGEST - rules->last
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "option '--ladder': %" PRIu64 " tokens and the last %" PRIu64
                           " are more than a window of %d tokens holds", most, rules->last, BIPE_SCORE_LONGEST);
}

static int check_outputs(bipe_score_run *run, bipe_files files, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    const bipe_tool_output outputs[] = {{"output", given->output != NULL ? given->output : "-"},
                                        {"tokens", given->dump[BIPE_SCORE_TOKENS]},
                                        {"segments", given->dump[BIPE_SCORE_SEGMENTS]},
                                        {"documents", given->dump[BIPE_SCORE_DOCUMENT_ROWS]},
                                        {"key-spans-out", given->key_out},
                                        {"resume", given->resume}};
    const char *const others[] = { run->setup.combination[0].model_path, given->tokenizer, given->inputs.files_from,
                                   given->inputs.files0_from, given->key_from, run->setup.key.spans };
    const bipe_files read[] = { files, { others, 6 }, { given->against.text, given->against.count } };
    return bipe_tool_check_outputs(outputs, sizeof outputs / sizeof outputs[0], read, 3, err);
}

/* Whether files may have several documents each, going by their names. */
static bool several_documents(const bipe_score_run *run, bipe_files files)
{
    bool several = run->given.inputs.jsonl || run->given.inputs.field != NULL || run->setup.rules.lines;
    for (size_t i = 0; i < files.count && !several; i++)
        several = bipe_documents_named_records(files.path[i]);
    return several;
}

static int open_outputs(bipe_score_run *run, bipe_files files, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_format format = given->json ? BIPE_SCORE_JSON : given->csv ? BIPE_SCORE_CSV : BIPE_SCORE_TABLE;
    int status = bipe_output_open(&run->out.output, given->output, err);
    if (given->records.records)
        return status;
    if (status == BIPE_OK)
        run->out.report = bipe_score_report_open(format, &run->setup, &run->texts.groups, run->out.output);
    if (status == BIPE_OK && given->ladder.count > 0) {
        const char *documents = given->dump[BIPE_SCORE_DOCUMENT_ROWS];
        return documents != NULL ? bipe_output_open(&run->out.ladder, documents, err) : BIPE_OK;
    }
    for (bipe_score_dump_kind i = 0; i < BIPE_SCORE_DUMPS && status == BIPE_OK; i++)
        if (given->dump[i] != NULL)
            status = bipe_score_dump_open(&run->out.dump[i], given->dump[i], i, &run->setup, &run->texts.groups,
                                          several_documents(run, files), given->id != NULL, given->text, err);
    if (status == BIPE_OK && given->resume != NULL)
        status = bipe_score_journal_open(&run->out.journal, given->resume, &run->setup, err);
    return status;
}

/* For the record of the run. */
static void tell_in_force(bipe_score_run *run)
{
    const bipe_score_combination *c = &run->setup.combination[0];
    json_t *lengths = json_array();
    for (size_t i = 0; i < run->lengths.count; i++)
        json_array_append_new(lengths, json_integer((json_int_t)run->lengths.value[i]));
    bipe_run_in_force(&run->tool, run->given.ladder.count > 0 ? "ladder" : "length", lengths);
    if (run->given.ladder.count > 0) {
        bipe_run_in_force(&run->tool, "last", json_integer((json_int_t)run->setup.rules.last));
        bipe_run_in_force_text(&run->tool, "bos", bipe_bos_names[run->setup.rules.bos]);
    }
    bipe_run_in_force_model(&run->tool, &c->scheme, &c->scaling, c->segmenter);
    bipe_run_in_force_text(&run->tool, "tokenizer", c->tokenizer);
}

/* A member of records that an option names. Returns its number. */
static size_t add_member(bipe_score_run *run, const char *option, const char *name)
{
    size_t number = run->texts.members++;
    run->texts.member[number] = name;
    run->tool.member[number] = (bipe_member_use){.option = option, .name = name};
    return number;
}

static void name_members(bipe_score_run *run)
{
    const char *id = run->given.id, *group = run->setup.group, *cluster = run->setup.cluster;
    add_member(run, id != NULL ? "--id" : NULL, id != NULL ? id : "id");
    if (group != NULL && strcmp(group, BIPE_GROUP_FOLDER) != 0)
        run->texts.group = add_member(run, "--group", group);
    if (bipe_cluster_is_member(cluster))
        run->texts.cluster = add_member(run, "--cluster", cluster);
    if (run->texts.cluster > 0) /* documents of other shards may have it */
        run->tool.member[run->texts.cluster].needed = run->given.shard == NULL;
}

/* Everything that does not depend on the texts. */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_setup *setup = &run->setup;
    run->texts.tool = &run->tool;
    run->texts.setup = run->models.setup = setup;
    run->texts.records = given->records.records;
    setup->lengths = &run->lengths;
    setup->rules.lines = setup->pack == 1;
    setup->by = (bipe_score_by)(given->by + 1);
    name_members(run);
    setup->file_count = files.count;
    bipe_score_widen(setup, "total");
    for (size_t i = 0; i < files.count; i++)
        bipe_score_widen(setup, files.path[i]);
    int status = open_models(run, model, err);
    if (status == BIPE_OK && setup->divergence)
        status = check_divergence(run, err);
    if (status == BIPE_OK)
        status = check_outputs(run, files, err);
    if (status == BIPE_OK && given->shard != NULL)
        status = bipe_shard_parse(&setup->shard, given->shard, err);
    if (status == BIPE_OK)
        status = given->ladder.count > 0 ? choose_rungs(run, err) : choose_lengths(run, err);
    if (status == BIPE_OK && setup->key.wanted)
        status = check_key_tokens(run, err);
    if (status == BIPE_OK && setup->key.wanted)
        status = bipe_score_key_open(&run->key, setup, &run->tool, given->key_out, err);
    if (run->key.slices.path != NULL) {
        run->texts.slices = &run->key.slices;
        run->texts.spans = &run->key.spans[0];
    }
    if (status == BIPE_OK)
        status = bipe_score_texts_open(&run->texts, &given->inputs,
                                       given->dump[BIPE_SCORE_DOCUMENT_ROWS] != NULL || given->id != NULL, err);
    if (status == BIPE_OK)
        tell_in_force(run);
    bipe_tool_kernels(&run->tool);
    if (status == BIPE_OK)
        status = bipe_pool_open(&run->models.pool, bipe_tool_threads(&run->tool, 0), err);
    size_t judges = run->key.judged ? 1 : 0;
    for (size_t i = 0; i < setup->combinations + judges && status == BIPE_OK; i++) { /* an unsuitable scheme is reported
                                                                                        before any text is read */
        bipe_score_combination *c = i < setup->combinations ? &setup->combination[i] : &run->key.judge;
        status = bipe_score_reach(&run->models, c, 2, err);
        if (status == BIPE_OK)
            c->shared = bipe_evaluator_length_matters(bipe_score_evaluator(&run->models, c)) == NULL;
        else if (status == BIPE_ERR_ARGUMENT) /* it makes sense, but not with this model */
            status = err->status = BIPE_ERR_UNSUPPORTED;
        if (status != BIPE_OK && setup->combinations + judges > 1)
            bipe_error_prefix(err, "%s", c->model_name);
    }
    return status == BIPE_OK ? open_outputs(run, files, err) : status;
}

void bipe_score_close(bipe_score_run *run)
{
    bipe_score_journal_close(run->out.journal);
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++)
        bipe_score_dump_abandon(run->out.dump[i]);
    bipe_score_report_close(run->out.report);
    bipe_output_abandon(run->out.output);
    bipe_output_abandon(run->out.ladder);
    bipe_score_key_close(&run->key);
    bipe_score_models_close(&run->models);
    bipe_score_texts_close(&run->texts);
    bipe_free(run->setup.combination);
    bipe_free(run->rows.row);
    bipe_free(run->rows.too_short);
    bipe_sizes_free(&run->lengths);
    bipe_sizes_free(&run->given.lengths);
    bipe_sizes_free(&run->given.ladder);
    bipe_texts_free(&run->given.segmenters);
    bipe_texts_free(&run->given.records.keep);
    bipe_texts_free(&run->given.against);
}
