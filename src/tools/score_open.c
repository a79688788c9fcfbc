/* score_open.c - opens what a run of bipe-score needs: model, scheme, lengths, tokenizer, stream, outputs. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/installed_model.h"
#include "tools/bipe_score.h"

/* Tokens of a text that stay in memory: 64 MiB, some 2.8 million. */
enum { SPOOL_MEMORY = 64 << 20 };

/* The scheme in use: the model's or --scheme, less what --without takes away. */
static int choose_scheme(bipe_score_run *run, bipe_error *err)
{
    bipe_score_setup *setup = &run->setup;
    const bipe_score_options *given = &run->given;
    int status = BIPE_OK;
    setup->scheme = setup->hyperparameters->scheme;
    setup->scaling = setup->hyperparameters->rope_scaling;
    if (given->scheme != NULL)
        status = bipe_scheme_parse(&setup->scheme, given->scheme, err);
    if (status == BIPE_OK && given->scaling != NULL)
        status = bipe_rope_scaling_parse(&setup->scaling, given->scaling, err);
    if (status == BIPE_OK && given->without >= 0) {
        char text[256];
        size_t count = setup->scheme.count;
        bipe_scheme_remove(&setup->scheme, given->without == 0);
        if (setup->scheme.count == count)
            status = bipe_fail(err, BIPE_ERR_ARGUMENT, "--without %s: the scheme %s has no such part",
                               bipe_score_without_names[given->without], bipe_scheme_format(&setup->scheme, text));
    }
    return status;
}

/* Tokenizer, segmenter and stream. */
static int open_text(bipe_score_run *run, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_setup *setup = &run->setup;
    const char *spec = given->tokenizer != NULL ? given->tokenizer : setup->model_path;
    int status = bipe_tokenizer_open(&run->tokenizer, spec, given->special, err);
    run->wrong_usage = given->tokenizer != NULL;
    if (status != BIPE_OK)
        return given->tokenizer != NULL ? status : bipe_error_prefix(err, "the model's tokenizer (-t gives another)");
    if (bipe_tokenizer_size(run->tokenizer) == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: a tokenizer without a vocabulary, expected one whose ids the model knows", spec);
    if (given->tokenizer != NULL && bipe_tokenizer_size(run->tokenizer) < setup->hyperparameters->vocabulary)
        bipe_tool_note(&run->tool, "%s: has %zu words, the model %lu: a tokenizer that the model does not know?", spec,
                       bipe_tokenizer_size(run->tokenizer), (unsigned long)setup->hyperparameters->vocabulary);
    setup->tokenizer = bipe_tokenizer_spec(run->tokenizer);
    setup->segmenter = given->segmenter;
    if (setup->segmenter == NULL)
        setup->segmenter = setup->hyperparameters->segmenter;
    if (setup->segmenter[0] == '\0')
        setup->segmenter = BIPE_SEGMENTER_DEFAULT;
    setup->bos = (bipe_score_bos)given->bos;
    setup->bos_id = setup->bos == BIPE_SCORE_BOS_NONE ? BIPE_NO_TOKEN : bipe_tokenizer_bos(run->tokenizer);
    if (setup->bos != BIPE_SCORE_BOS_NONE && bipe_tokenizer_leading(run->tokenizer) > 1)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: documents start with %zu special tokens, expected at most one, or --bos none", spec,
                         bipe_tokenizer_leading(run->tokenizer));
    bipe_stream_options options = {
        .tokenizer = run->tokenizer,
        .specs = &setup->segmenter,
        .spec_count = 1,
    };
    bipe_inputs_stream(&given->inputs, &options);
    run->wrong_usage = true;
    status = bipe_stream_open(&run->stream, &options, err);
    if (status != BIPE_OK)
        return status;
    run->wrong_usage = false;
    bipe_tool_note_segmenters(&run->tool, options.specs, options.spec_count);
    return bipe_token_spool_open(&run->spool, SPOOL_MEMORY, err);
}

void bipe_score_unreach(bipe_score_run *run)
{
    uint64_t visited, skipped;
    if (run->evaluator == NULL)
        return;
    bipe_evaluator_attention(run->evaluator, &visited, &skipped);
    run->blocks_visited += visited;
    run->blocks_skipped += skipped;
    bipe_evaluator_close(run->evaluator);
    run->evaluator = NULL;
}

/* Makes sure that the evaluator takes windows of `length` tokens. */
int bipe_score_reach(bipe_score_run *run, uint64_t length, bipe_error *err)
{
    if (run->evaluator != NULL && run->evaluator_length >= length)
        return BIPE_OK;
    bipe_score_unreach(run);
    bipe_evaluator_options options = {
        .scheme = &run->setup.scheme,
        .rope_scaling = &run->setup.scaling,
        .precision = run->setup.precision,
        .max_length = (size_t)length,
        .seed = run->setup.seed,
    };
    int status = bipe_evaluator_open(&run->evaluator, run->model, &options, run->pool, err);
    if (status == BIPE_OK)
        run->evaluator_length = (size_t)length;
    return status;
}

/* The lengths to score, each once. BIPE_ERR_ARGUMENT when they do not go with the other options. */
static int choose_lengths(bipe_score_run *run, bipe_error *err)
{
    const bipe_sizes *given = &run->given.lengths;
    uint64_t train = run->setup.hyperparameters->train_length;
    size_t count = given->count > 0 ? given->count : BIPE_SCORE_DEFAULT_LENGTHS;
    run->lengths.value = bipe_alloc(count, sizeof *run->lengths.value);
    run->total = bipe_alloc(count, sizeof *run->total);
    run->too_short = bipe_alloc(count, sizeof *run->too_short);
    if (run->lengths.value == NULL || run->total == NULL || run->too_short == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = given->count > 0 ? given->value[i] : train << i;
        if (i > 0 && length > BIPE_SCORE_LONGEST)
            break;
        if (length < 2 || length > BIPE_SCORE_LONGEST)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "the training length of the model is %" PRIu64
                             ": give the window length with -L", train);
        if (run->given.stride > length)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--stride': %" PRIu64 " is more than the window length %" PRIu64,
                             run->given.stride, length);
        bool again = false;
        for (size_t k = 0; k < run->lengths.count; k++)
            again = again || run->lengths.value[k] == length;
        if (again)
            continue;
        run->lengths.value[run->lengths.count++] = length;
    }
    return BIPE_OK;
}

static int check_outputs(bipe_score_run *run, bipe_files files, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    const bipe_tool_output outputs[] = { { "output", given->output != NULL ? given->output : "-" }, { "tokens", given->tokens },
                                         { "segments", given->segments }, { "resume", given->resume } };
    const char *const others[] = { run->setup.model_path, given->tokenizer, given->inputs.files_from, given->inputs.files0_from };
    const bipe_files read[] = { files, { others, 4 } };
    int status = bipe_tool_check_outputs(outputs, 4, read, 2, err);
    run->wrong_usage = status != BIPE_OK;
    return status;
}

static int open_outputs(bipe_score_run *run, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_format format = given->json ? BIPE_SCORE_JSON : given->csv ? BIPE_SCORE_CSV : BIPE_SCORE_TABLE;
    int status = bipe_output_open(&run->output, given->output, err);
    if (status == BIPE_OK)
        status = bipe_score_report_open(&run->report, format, &run->setup, run->output, err);
    if (status == BIPE_OK && given->tokens != NULL)
        status = bipe_score_dump_open(&run->tokens, given->tokens, true, err);
    if (status == BIPE_OK && given->segments != NULL)
        status = bipe_score_dump_open(&run->segments, given->segments, false, err);
    if (status == BIPE_OK && given->resume != NULL)
        status = bipe_score_journal_open(&run->journal, given->resume, &run->setup, err);
    return status;
}

/* Everything that does not depend on the texts. */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err)
{
    const bipe_score_options *given = &run->given;
    bipe_score_setup *setup = &run->setup;
    char path[BIPE_MODEL_PATH_SIZE];
    int status = bipe_model_operand(model, path, err);
    if (status == BIPE_OK)
        status = bipe_model_open(&run->model, path, err);
    if (status != BIPE_OK)
        return status;
    setup->model_name = model;
    setup->model_path = bipe_model_path(run->model);
    setup->hyperparameters = bipe_model_hyperparameters(run->model);
    setup->protocol = bipe_score_protocol_names[given->protocol];
    setup->count_bos = given->count_bos;
    setup->stride = given->stride;
    setup->tail = given->tail;
    setup->precision = (bipe_precision)given->precision;
    setup->seed = given->seed;
    setup->by = (bipe_score_by)(given->by + 1);
    setup->file_count = files.count;
    setup->file_width = strlen("total");
    for (size_t i = 0; i < files.count; i++) { /* a very long name pushes its own row aside, not all of them */
        size_t columns = bipe_score_columns(files.path[i]);
        if (columns > setup->file_width)
            setup->file_width = columns < BIPE_SCORE_WIDEST ? columns : BIPE_SCORE_WIDEST;
    }
    status = check_outputs(run, files, err);
    if (status == BIPE_OK)
        status = choose_scheme(run, err);
    if (status == BIPE_OK && given->shard != NULL) {
        status = bipe_shard_parse(&setup->shard, given->shard, err);
        run->wrong_usage = status != BIPE_OK;
    }
    if (status == BIPE_OK)
        status = choose_lengths(run, err);
    if (status == BIPE_OK)
        status = open_text(run, err);
    if (status == BIPE_OK)
        status = bipe_pool_open(&run->pool, bipe_tool_threads(&run->tool, 0), err);
    if (status == BIPE_OK) /* a scheme that the model cannot do is told before any text is read */
        status = bipe_score_reach(run, 2, err);
    if (status == BIPE_OK)
        setup->shared = bipe_evaluator_length_matters(run->evaluator) == NULL;
    return status == BIPE_OK ? open_outputs(run, err) : status;
}

void bipe_score_close(bipe_score_run *run)
{
    bipe_score_journal_close(run->journal);
    bipe_score_dump_abandon(run->tokens);
    bipe_score_dump_abandon(run->segments);
    bipe_score_report_close(run->report);
    bipe_output_abandon(run->output);
    bipe_score_unreach(run);
    bipe_pool_close(run->pool);
    bipe_token_spool_close(run->spool);
    bipe_stream_close(run->stream);
    bipe_tokenizer_close(run->tokenizer);
    bipe_model_close(run->model);
    for (size_t i = 0; i < run->lengths.count; i++)
        bipe_score_row_free(&run->total[i]);
    bipe_free(run->total);
    bipe_free(run->too_short);
    bipe_sizes_free(&run->lengths);
    bipe_sizes_free(&run->given.lengths);
}
