/* score_settings.c - the settings of a run: in results, from which --merge reads them, and all that digits depend on
 * as lines of text, by which journals and shards are compared. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "tools/score/score_setup.h"

/* The choices of options. */
const char *const bipe_score_by_names[] = { "token", "segment", "intra", NULL };
const char *const bipe_score_probe_names[] = { "passkey", NULL };
const char *const bipe_score_pack_names[] = { "stream", "line", NULL };
const char *const bipe_score_without_names[] = { "intra", "inter", NULL };

/* ---- as members of JSON ---- */

static void put_bos_id(bipe_json *json, const void *setup)
{
    int64_t id = ((const bipe_score_setup *)setup)->combination[0].bos_id;
    if (id == BIPE_NO_TOKEN)
        bipe_json_null(json);
    else
        bipe_json_uint(json, (uint64_t)id);
}

static void put_shared(bipe_json *json, const void *setup)
{
    bipe_json_bool(json, ((const bipe_score_setup *)setup)->combination[0].shared);
}

static bool finds_key_tokens(const void *setup)
{
    const bipe_score_key_setup *key = &((const bipe_score_setup *)setup)->key;
    return key->wanted && key->spans == NULL;
}

static bool reads_key_tokens(const void *setup)
{
    return ((const bipe_score_setup *)setup)->key.spans != NULL;
}

#define SETUP(type, field, ...) BIPE_COLUMN(bipe_score_setup, type, field, __VA_ARGS__)

static const bipe_column setup_columns[] = {
    SETUP(WORD, rules.protocol, .member = "protocol.name", .words = bipe_protocol_names),
    SETUP(WORD, rules.bos, .member = "protocol.bos", .words = bipe_bos_names),
    SETUP(LIST, combination, .member = "protocol.bos_id", .put = put_bos_id),
    SETUP(BOOL, rules.count_bos, .member = "protocol.count_bos"),
    SETUP(UINT, rules.stride, .member = "protocol.stride", .not_zero = true, .or_null = true),
    SETUP(BOOL, rules.tail, .member = "protocol.tail"),
    SETUP(UINT, rules.last, .member = "protocol.last", .not_zero = true, .or_null = true),
    SETUP(BOOL, common, .member = "protocol.common"),
    SETUP(WORD, pack, .member = "protocol.pack", .words = bipe_score_pack_names),
    SETUP(TEXT, loss_after, .member = "protocol.loss_after", .or_null = true),
    SETUP(TEXT, group, .member = "protocol.group", .or_null = true),
    SETUP(UINT, seed, .member = "protocol.seed"),
    SETUP(LIST, combination, .member = "protocol.shared_prefixes", .put = put_shared),
    SETUP(TEXT, cluster, .member = "protocol.cluster", .optional = true),
    SETUP(TEXT, power, .member = "power", .optional = true),
    SETUP(WORD, precision, .member = "precision", .words = bipe_window_precision_words),
    SETUP(BOOL, divergence, .member = "divergence", .optional = true),
    SETUP(TEXT, key.spans, .member = "key_tokens.spans", .optional = true, .when = reads_key_tokens),
    SETUP(TEXT, key.from, .member = "key_tokens.from", .optional = true, .when = finds_key_tokens),
    SETUP(NUMBER, key.rule.alpha, .member = "key_tokens.alpha", .optional = true, .when = finds_key_tokens),
    SETUP(NUMBER, key.rule.beta, .member = "key_tokens.beta", .optional = true, .when = finds_key_tokens),
    SETUP(UINT, key.rule.context, .member = "key_tokens.short_context", .optional = true, .when = finds_key_tokens),
    SETUP(UINT, key.rule.step, .member = "key_tokens.short_step", .optional = true, .when = finds_key_tokens),
};

/* A combination, schemes and scaling as text. */
typedef struct combination_cells {
    const char *model, *segmenter, *tokenizer, *path, *scheme, *trained, *scaling;
    uint64_t text, bos_id, parameters, train_length;
    bool shared;
    char format[3][BIPE_SCALING_TEXT];
} combination_cells;

#define CELL(type, field, ...) BIPE_COLUMN(combination_cells, type, field, __VA_ARGS__)

static const bipe_column combination_columns[] = {
    CELL(TEXT, model, .member = "model"),
    CELL(TEXT, segmenter, .member = "segmenter"),
    CELL(TEXT, tokenizer, .member = "tokenizer"),
    CELL(UINT, text, .member = "text"),
    CELL(UINT, bos_id, .member = "bos_id", .or_null = true),
    CELL(BOOL, shared, .member = "shared_prefixes"),
    CELL(TEXT, path, .member = "path"), /* from here on also those of "model" */
    CELL(TEXT, scheme, .member = "scheme"),
    CELL(UINT, parameters, .member = "parameters"),
    CELL(UINT, train_length, .member = "train_length", .most = UINT32_MAX, .expected = "a number below 2^32"),
    CELL(TEXT, trained, .member = "trained_scheme"),
    CELL(TEXT, scaling, .member = "rope_scaling", .or_null = true),
};

enum { COMBINATION = BIPE_COUNT_OF(combination_columns), OF_MODEL = 6 };

static void fill_combination(combination_cells *cells, const bipe_score_combination *c)
{
    const bipe_hyperparameters *hp = c->hyperparameters;
    *cells = (combination_cells){
        .model = c->model_name, .segmenter = c->segmenter, .tokenizer = c->tokenizer, .path = c->model_path,
        .text = c->text, .bos_id = c->bos_id == BIPE_NO_TOKEN ? BIPE_NO_UINT : (uint64_t)c->bos_id, .shared = c->shared,
        .parameters = hp->parameters, .train_length = hp->train_length,
    };
    cells->scheme = bipe_scheme_format(&c->scheme, cells->format[0]);
    cells->trained = bipe_scheme_format(&hp->scheme, cells->format[1]);
    if (c->scaling.kind != BIPE_SCALING_NONE)
        cells->scaling = bipe_rope_scaling_format(&c->scaling, cells->format[2]);
}

void bipe_score_model_json(const bipe_score_setup *setup, bipe_json *json)
{
    combination_cells cells;
    fill_combination(&cells, &setup->combination[0]);
    bipe_json_key_object(json, "model");
    bipe_columns_json(json, combination_columns + OF_MODEL, COMBINATION - OF_MODEL, &cells);
    bipe_json_end_object(json);
    bipe_json_key_text(json, "tokenizer", cells.tokenizer);
    bipe_json_key_text(json, "segmenter", cells.segmenter);
}

void bipe_score_settings_json(const bipe_score_setup *setup, bipe_json *json)
{
    combination_cells cells;
    bipe_score_model_json(setup, json);
    bipe_columns_json(json, setup_columns, BIPE_COUNT_OF(setup_columns), setup);
    bipe_json_key_array(json, "combinations");
    for (size_t i = 0; i < setup->combinations; i++) {
        fill_combination(&cells, &setup->combination[i]);
        bipe_json_begin_object(json);
        bipe_columns_json(json, combination_columns, COMBINATION, &cells);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

void bipe_score_setup_load(bipe_score_setup *setup, bipe_result *r, const json_t *root)
{
    bipe_columns_read(r, root, setup_columns, BIPE_COUNT_OF(setup_columns), setup);
    setup->rules.lines = setup->pack == 1;
}

void bipe_score_combination_load(bipe_score_combination *c, bipe_hyperparameters *hp, bipe_result *r,
                                 const json_t *object)
{
    static const char factors[] = "factors", magnitude[] = "factors:attention_factor=";
    combination_cells cells = {.bos_id = BIPE_NO_UINT};
    bipe_columns_read(r, object, combination_columns, COMBINATION, &cells);
    if (r->status == BIPE_OK)
        r->status = bipe_scheme_parse(&c->scheme, cells.scheme, r->err);
    if (r->status == BIPE_OK)
        r->status = bipe_scheme_parse(&hp->scheme, cells.trained, r->err);
    if (cells.scaling != NULL && strncmp(cells.scaling, factors, strlen(factors)) == 0) {
        bool given = strncmp(cells.scaling, magnitude, strlen(magnitude)) == 0;
        c->scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_FACTORS,
                                         .magnitude = given ? strtod(cells.scaling + strlen(magnitude), NULL) : 0};
    } else if (r->status == BIPE_OK && cells.scaling != NULL) {
        r->status = bipe_rope_scaling_parse(&c->scaling, cells.scaling, r->err);
    }
    hp->parameters = cells.parameters;
    hp->train_length = (uint32_t)cells.train_length;
    hp->rope_scaling = c->scaling;
    c->hyperparameters = hp;
    c->model_name = cells.model;
    c->model_path = cells.path;
    c->tokenizer = cells.tokenizer;
    c->segmenter = cells.segmenter;
    c->text = (size_t)cells.text;
    c->shared = cells.shared;
    c->bos_id = cells.bos_id == BIPE_NO_UINT ? BIPE_NO_TOKEN : (int64_t)cells.bos_id;
}

/* ---- as lines ---- */

/* Words and numbers need no escaping (bipe_journal_setting()). */
static void write_number(bipe_output *lines, const char *name, uint64_t value, const char *none)
{
    if (value == 0)
        bipe_output_printf(lines, NULL, "set %s %s\n", name, none);
    else
        bipe_output_printf(lines, NULL, "set %s %" PRIu64 "\n", name, value);
}

/* Lines of a combination. */
static void write_combination(const bipe_score_combination *c, bool state, bipe_output *lines)
{
    char text[256];
    bipe_journal_setting(lines, "model", c->model_path);
    if (state) /* of this machine and process, not of what is computed */
        bipe_output_printf(lines, NULL, "set model-state %016" PRIx64 "\n", bipe_journal_model_state(c->model_path));
    bipe_journal_setting(lines, "scheme", bipe_scheme_format(&c->scheme, text));
    bipe_journal_setting(lines, "rope-scaling", bipe_rope_scaling_format(&c->scaling, text));
    bipe_journal_setting(lines, "tokenizer", c->tokenizer);
    bipe_journal_setting(lines, "segmenter", c->segmenter);
    bipe_output_printf(lines, NULL, "set bos-id %" PRId64 "\n", c->bos_id);
}

void bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_output *lines)
{
    bipe_journal_setting(lines, "version", PACKAGE_VERSION);
    for (size_t i = 0; i < setup->combinations; i++)
        write_combination(&setup->combination[i], state, lines);
    bipe_output_printf(lines, NULL, "set protocol %s\nset bos %s\nset count-bos %s\n",
                       bipe_protocol_names[setup->rules.protocol], bipe_bos_names[setup->rules.bos],
                       setup->rules.count_bos ? "yes" : "no");
    write_number(lines, "stride", setup->rules.stride, "none");
    write_number(lines, "last", setup->rules.last, "all");
    bipe_output_printf(lines, NULL, "set common %s", setup->common ? "" : "no");
    for (size_t i = 0; i < setup->lengths->count && setup->common; i++)
        bipe_output_printf(lines, NULL, "%s%" PRIu64, i > 0 ? "," : "", setup->lengths->value[i]);
    bipe_output_printf(lines, NULL, "\nset tail %s\nset pack %s\n", setup->rules.tail ? "yes" : "no",
                       bipe_score_pack_names[setup->pack]);
    bipe_journal_setting(lines, "loss-after", setup->loss_after == NULL ? "" : setup->loss_after);
    bipe_output_printf(lines, NULL, "set precision %s\nset seed %" PRIu64 "\nset by %s\n",
                       bipe_window_precision_words[setup->precision], setup->seed,
                       setup->by == BIPE_SCORE_BY_NONE ? "none" : bipe_score_by_names[setup->by - 1]);
    if (setup->divergence)
        bipe_output_printf(lines, NULL, "set divergence yes\n");
    bipe_journal_setting(lines, "group", setup->group == NULL ? "" : setup->group);
    bipe_journal_setting(lines, "cluster", setup->cluster == NULL ? "none" : setup->cluster);
    if (state && setup->shard.count == 0)
        bipe_output_printf(lines, NULL, "set shard none\n");
    else if (state)
        bipe_output_printf(lines, NULL, "set shard %" PRIu64 "/%" PRIu64 "\n", setup->shard.index, setup->shard.count);
    bipe_output_printf(lines, NULL, "set combinations %zu\n", setup->combinations);
}
