/* score_settings.c - all settings that the digits of a run depend on, as lines of text; journals and shards are compared by it. */
#include "config.h"

#include <inttypes.h>

#include "cli/journal.h"
#include "tools/score/bipe_score.h"

/* The choices of options. */
const char *const bipe_score_by_names[] = { "token", "segment", "intra", NULL };
const char *const bipe_score_probe_names[] = { "passkey", NULL };
const char *const bipe_score_pack_names[] = { "stream", "line", NULL };
const char *const bipe_score_without_names[] = { "intra", "inter", NULL };

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
                       bipe_score_pack_names[setup->rules.lines]);
    bipe_journal_setting(lines, "loss-after", setup->loss_after == NULL ? "" : setup->loss_after);
    bipe_output_printf(lines, NULL, "set precision %s\nset seed %" PRIu64 "\nset by %s\n", bipe_precision_words[setup->precision], setup->seed,
                       setup->by == BIPE_SCORE_BY_NONE ? "none" : bipe_score_by_names[setup->by - 1]);
    bipe_journal_setting(lines, "group", setup->group == NULL ? "" : setup->group);
    if (state && setup->shard.count == 0)
        bipe_output_printf(lines, NULL, "set shard none\n");
    else if (state)
        bipe_output_printf(lines, NULL, "set shard %" PRIu64 "/%" PRIu64 "\n", setup->shard.index, setup->shard.count);
    bipe_output_printf(lines, NULL, "set combinations %zu\n", setup->combinations);
}
