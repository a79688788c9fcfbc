/* score_settings.c - all settings that the digits of a run depend on, as lines of text; journals and shards are compared by it. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/bipe_score.h"
#include "tools/journal.h"

/* The choices of options. */
const char *const bipe_score_bos_names[] = { "document", "window", "none", NULL };
const char *const bipe_score_by_names[] = { "token", "segment", "intra", NULL };
const char *const bipe_score_probe_names[] = { "passkey", NULL };
const char *const bipe_score_protocol_names[] = { "paper", "sliding", "llama.cpp", "lm-eval", "yarn", NULL };
const char *const bipe_score_pack_names[] = { "stream", "line", NULL };
const char *const bipe_score_without_names[] = { "intra", "inter", NULL };

static void write_settings(const char *const setting[][2], size_t count, bipe_output *lines)
{
    for (size_t i = 0; i < count; i++)
        if (setting[i][1] != NULL)
            bipe_journal_setting(lines, setting[i][0], setting[i][1]);
}

/* Lines of a combination. */
static void write_combination(const bipe_score_combination *c, bool state, bipe_output *lines)
{
    char scheme[256], scaling[BIPE_SCALING_TEXT], bos_id[24], model[24];
    snprintf(bos_id, sizeof bos_id, "%" PRId64, c->bos_id);
    snprintf(model, sizeof model, "%016" PRIx64, state ? bipe_journal_model_state(c->model_path) : 0);
    const char *const setting[][2] = {
        { "model", c->model_path },
        { "model-state", state ? model : NULL }, /* of this machine and process, not of what is computed */
        { "scheme", bipe_scheme_format(&c->scheme, scheme) },
        { "rope-scaling", bipe_rope_scaling_format(&c->scaling, scaling) },
        { "tokenizer", c->tokenizer },
        { "segmenter", c->segmenter },
        { "bos-id", bos_id },
    };
    write_settings(setting, sizeof setting / sizeof setting[0], lines);
}

void bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_output *lines)
{
    char number[4][24], shard[48], lengths[256] = "no";
    snprintf(number[0], sizeof number[0], "%" PRIu64, setup->stride);
    snprintf(number[1], sizeof number[1], "%" PRIu64, setup->seed);
    snprintf(number[2], sizeof number[2], "%" PRIu64, setup->last);
    snprintf(number[3], sizeof number[3], "%zu", setup->combinations);
    snprintf(shard, sizeof shard, "%" PRIu64 "/%" PRIu64, setup->shard.index, setup->shard.count);
    for (size_t i = 0, at = 0; i < setup->lengths->count && setup->common && at < sizeof lengths - 24; i++)
        at += (size_t)snprintf(lengths + at, sizeof lengths - at, "%s%" PRIu64, i > 0 ? "," : "", setup->lengths->value[i]);
    const char *const setting[][2] = {
        { "protocol", bipe_score_protocol_names[setup->protocol] },
        { "bos", bipe_score_bos_names[setup->bos] },
        { "count-bos", setup->count_bos ? "yes" : "no" },
        { "stride", setup->stride == 0 ? "none" : number[0] },
        { "last", setup->last == 0 ? "all" : number[2] },
        { "common", lengths },
        { "tail", setup->tail ? "yes" : "no" },
        { "pack", bipe_score_pack_names[setup->lines] },
        { "loss-after", setup->loss_after == NULL ? "" : setup->loss_after },
        { "precision", bipe_precision_words[setup->precision] },
        { "seed", number[1] },
        { "by", setup->by == BIPE_SCORE_BY_NONE ? "none" : bipe_score_by_names[setup->by - 1] },
        { "group", setup->group == NULL ? "" : setup->group },
        { "shard", !state ? NULL : setup->shard.count == 0 ? "none" : shard },
        { "combinations", number[3] },
    };
    bipe_journal_setting(lines, "version", PACKAGE_VERSION);
    for (size_t i = 0; i < setup->combinations; i++)
        write_combination(&setup->combination[i], state, lines);
    write_settings(setting, sizeof setting / sizeof setting[0], lines);
}
