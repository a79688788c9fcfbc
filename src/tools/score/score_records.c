/* score_records.c - --records: each record of JSON Lines is a text by itself, and is written again with its losses.
 *
 * Records wait until there are tokens enough for the kernels, or as many as take some seconds, and are scored
 * together; then they are written in their order. Losses of a window do not depend on those beside it. With --ladder
 * they are scored on its rungs instead. */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/languages.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_ladder.h"

/* Tokens that are scored together, at first and at most, records, and their bytes. */
enum { FIRST_TOKENS = 1 << 12, MOST_TOKENS = 1 << 17, MOST_RECORDS = 1 << 14, MOST_BYTES = 16 << 20 };
#define BATCH_SECONDS 2.0

/* What is found out about a record. */
typedef struct record_row {
    uint64_t tokens, bytes, segments;
    double nll, ppl, bits_per_byte;
} record_row;

#define COLUMN(type, field) BIPE_COLUMN(record_row, type, field, .member = #field)

static const bipe_column columns[] = {
    COLUMN(UINT, tokens), COLUMN(UINT, bytes), COLUMN(UINT, segments),
    COLUMN(NUMBER, nll), COLUMN(NUMBER, ppl), COLUMN(NUMBER, bits_per_byte),
};

/* A record that waits. */
typedef struct waiting {
    size_t at, size;       /* its bytes, in `bytes` of the batch */
    bipe_error *problem;   /* it is broken; NULL: it is not */
    uint64_t segments;
    bipe_losses losses;
} waiting;

typedef struct batch {
    bipe_score_run *run;
    bipe_score_reader *reader;
    const bipe_score_combination *combination;
    bipe_record_filter filter;
    score_ladder *ladder;  /* NULL: windows of one length */
    bipe_buffer bytes;
    waiting *record;       /* [count] */
    size_t count, capacity;
    uint64_t most;         /* tokens */
    uint64_t unscored;     /* records without a token that is scored, not those that are broken */
} batch;

/* ---- scoring ---- */

static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    batch *b = context;
    size_t documents, number = bipe_score_document(b->reader, window, window->first);
    const bipe_spool_document *document = bipe_token_spool_documents(b->reader->spool, &documents);
    bipe_losses *losses = &b->record[document[number].note].losses;
    (void)err;
    for (size_t k = window->first; k < window->length; k++) {
        double nll;
        if (window->target[k - window->first] && bipe_protocol_loss(&b->run->setup.rules, window, k, &nll))
            bipe_losses_add(losses, nll, window->token[k].end - window->token[k].start, 0);
    }
    return BIPE_OK;
}

/* Makes the evaluator large enough for the longest window, and, so that it is not opened again for each batch, for
 * somewhat longer ones. */
static int reach_longest(batch *b, const bipe_protocol *protocol, uint64_t length, bipe_error *err)
{
    uint64_t longest = bipe_window_longest(protocol, bipe_token_spool_count(b->reader->spool)), reached = 256;
    while (reached < longest)
        reached *= 2;
    reached = reached > length && longest <= length ? length : reached;
    return bipe_score_reach(&b->run->models, b->combination, reached, err);
}

/* In windows of one length. */
static int score_windows(batch *b, bipe_error *err)
{
    const bipe_window_rules *rules = &b->run->setup.rules;
    uint64_t length = b->run->lengths.value[0];
    bipe_protocol protocol;
    bipe_cut *list;
    int status = bipe_protocol_windows_of_each(rules, length, b->reader->bos_id != BIPE_NO_TOKEN, b->reader->spool,
                                               &protocol, &list, err);
    if (status == BIPE_OK && protocol.listed > 0)
        status = reach_longest(b, &protocol, length, err);
    if (status == BIPE_OK && protocol.listed > 0)
        status = bipe_score_pass(&b->run->models, b->reader, b->combination, &protocol, take_window, b, err);
    bipe_free(list);
    return status;
}

/* bipe_score_sink */
static int check_interrupt(void *context, uint64_t tokens, bipe_error *err)
{
    (void)context, (void)tokens, (void)err;
    return bipe_interrupted() != 0 ? BIPE_STOPPED : BIPE_OK;
}

static int score_batch(batch *b, bipe_error *err)
{
    uint64_t tokens = bipe_token_spool_count(b->reader->spool);
    double started = bipe_seconds();
    int status = b->ladder == NULL ? score_windows(b, err) : score_ladder_score(b->ladder, check_interrupt, NULL, err);
    double took = bipe_seconds() - started;
    if (took > BATCH_SECONDS)
        b->most = (uint64_t)((double)tokens * BATCH_SECONDS / took) + 1;
    else if (took < BATCH_SECONDS / 2)
        b->most = b->most < MOST_TOKENS / 2 ? 2 * b->most : MOST_TOKENS;
    b->run->progress.done += tokens;
    b->run->progress.seconds += took;
    return status;
}

/* A record on the ladder; next: the first of its losses that was not written. */
static int write_rungs(batch *b, const waiting *record, size_t *next, bipe_error *err)
{
    const bipe_buffer bytes = { .data = b->bytes.data + record->at, .size = record->size };
    const bipe_ladder *ladder = &b->ladder->ladder;
    const bipe_ladder_losses *losses = &b->ladder->losses;
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(b->reader->spool, &documents);
    score_ladder_record row = score_ladder_record_of(ladder, NULL);
    if (*next < losses->documents && document[losses->document[*next]].note == (uint64_t)(record - b->record)) {
        int status = score_ladder_document(b->ladder, (*next)++, err);
        if (status != BIPE_OK)
            return status;
        row = score_ladder_record_of(ladder, &b->ladder->rung[ladder->rungs - 1]);
        row.rung = b->ladder->rung;
    } else {
        b->unscored++;
    }
    return bipe_record_filter_write(&b->filter, &bytes, &row, err);
}

static int write_record(batch *b, const waiting *record, size_t *next, bipe_error *err)
{
    const bipe_buffer bytes = { .data = b->bytes.data + record->at, .size = record->size };
    const bipe_losses *losses = &record->losses;
    if (record->problem != NULL)
        return bipe_record_filter_broken(&b->filter, &bytes, record->problem, err);
    if (b->ladder != NULL)
        return write_rungs(b, record, next, err);
    if (losses->tokens > 0 && !isfinite(bipe_losses_sum(losses)))
        return bipe_fail(err, BIPE_ERR_FORMAT, "losses of a record are not finite, the model is broken");
    b->unscored += losses->tokens == 0;
    const record_row row = {
        .tokens = losses->tokens, .bytes = losses->bytes, .segments = record->segments,
        .nll = bipe_losses_nll(losses), .ppl = bipe_losses_perplexity(losses),
        .bits_per_byte = bipe_losses_bits_per_byte(losses),
    };
    return bipe_record_filter_write(&b->filter, &bytes, &row, err);
}

/* Scores and writes all that wait. */
static int finish_batch(batch *b, bipe_error *err)
{
    int status = score_batch(b, err);
    size_t next = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (status == BIPE_OK)
            status = write_record(b, &b->record[i], &next, err);
        bipe_free(b->record[i].problem);
    }
    if (status == BIPE_OK)
        status = bipe_output_flush(b->filter.output, err);
    bipe_token_spool_reset(b->reader->spool);
    b->count = b->bytes.size = 0;
    return status;
}

/* ---- reading ---- */

static waiting *add_record(batch *b)
{
    bipe_tool_grow(&b->record, &b->capacity, b->count + 1, sizeof *b->record);
    b->record[b->count] = (waiting){ .at = b->bytes.size };
    return &b->record[b->count];
}

/* The record that was added is complete. */
static int end_record(batch *b, const bipe_buffer *record, bipe_error *err)
{
    b->record[b->count++].size = record->size;
    int status = bipe_buffer_append(&b->bytes, record->data, record->size, err);
    bool full = b->count >= MOST_RECORDS || b->bytes.size >= MOST_BYTES ||
                bipe_token_spool_count(b->reader->spool) >= b->most;
    return status == BIPE_OK && full ? finish_batch(b, err) : status;
}

static int take_broken(void *context, const bipe_buffer *record, const bipe_error *problem, bipe_error *err)
{
    batch *b = context;
    waiting *w = add_record(b);
    w->problem = bipe_tool_alloc(1, sizeof *w->problem);
    *w->problem = *problem;
    return end_record(b, record, err);
}

static void count_tokens(bipe_score_reader *reader, const bipe_batch *read)
{
    reader->tokens += read->token_count;
    for (size_t i = 0; i < read->token_count; i++)
        reader->unknowns +=
            read->tokens[i].id == reader->unknown && read->tokens[i].end > read->tokens[i].start;
}

static int take_document(void *context, bipe_stream *stream, bipe_error *problem, bipe_error *err)
{
    batch *b = context;
    bipe_score_reader *reader = b->reader;
    bool windowed = b->run->setup.rules.bos == BIPE_BOS_WINDOW;
    int status = bipe_token_spool_begin(reader->spool, windowed ? BIPE_NO_TOKEN : reader->bos_id, reader->vocabulary,
                                        err);
    if (status != BIPE_OK)
        return status;
    waiting *w = add_record(b);
    for (bipe_batch read = {0}; !read.last;) {
        bipe_error here = {0};
        if (bipe_stream_read(stream, &read, &here) != BIPE_OK) {
            *problem = here;
            break;
        }
        if (read.last)
            bipe_token_spool_name(reader->spool, bipe_stream_document(stream), 0, b->count, 0);
        if (problem->status != BIPE_OK) /* the rest of it is read for its record alone */
            continue;
        count_tokens(reader, &read);
        w->segments += read.close_count[b->combination->closes];
        status = bipe_token_spool_batch(reader->spool, &read, &here);
        if (status == BIPE_ERR_ARGUMENT) {
            bipe_error_prefix(&here, "document %llu", (unsigned long long)bipe_stream_document(stream));
            *problem = here;
        } else if (status != BIPE_OK) {
            *err = here;
            return status;
        }
    }
    if (problem->status != BIPE_OK) {
        bipe_token_spool_drop(reader->spool);
        return BIPE_OK;
    }
    bipe_languages_count(&b->run->tool, stream, reader->spec);
    const bipe_buffer *record = bipe_stream_record(stream);
    if (record == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "document %llu has no record",
                         (unsigned long long)bipe_stream_document(stream));
    return end_record(b, record, err);
}

/* ---- the run ---- */

/* tool: NULL, to check options. */
static int open_filter(bipe_record_filter *filter, bipe_tool *tool, const bipe_score_options *given, bipe_error *err)
{
    const bool ladder = given->ladder.count > 0;
    return bipe_record_filter_open(filter, tool, &given->records, given->inputs.field,
                                   ladder ? score_ladder_record_columns : columns,
                                   ladder ? SCORE_LADDER_RECORD_COLUMNS : BIPE_COUNT_OF(columns), err);
}

int bipe_score_check_records(const bipe_score_run *run, bipe_error *err)
{
    bipe_record_filter filter;
    int status = open_filter(&filter, NULL, &run->given, err);
    bipe_record_filter_close(&filter);
    if (status == BIPE_OK && run->given.key_tokens != NULL && run->given.ladder.count == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--key-tokens': needs '--ladder' with '--records'");
    if (status == BIPE_OK && (run->given.lengths.count > 1 || run->given.segmenters.count > 1))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--records': expected one %s",
                         run->given.lengths.count > 1 ? "length with -L" : "segmenter with -s");
    return status;
}

int bipe_score_records(bipe_score_run *run, bipe_files files)
{
    bipe_error err = {0};
    batch b = {
        .run = run, .reader = &run->texts.reader[0], .combination = &run->setup.combination[0], .most = FIRST_TOKENS,
    };
    const bipe_record_taker taker = { .document = take_document, .broken = take_broken, .context = &b };
    score_ladder ladder;
    int status = open_filter(&b.filter, &run->tool, &run->given, &err);
    if (run->given.ladder.count > 0) {
        score_ladder_open(&ladder, run);
        b.ladder = &ladder;
    }
    b.filter.output = run->out.output;
    if (status == BIPE_OK)
        status = bipe_record_filter_files(&b.filter, b.reader->stream, files, &taker, &err);
    if (status == BIPE_OK)
        status = finish_batch(&b, &err);
    if (run->given.verbose)
        bipe_score_print_verbose(run);
    bipe_record_filter_note(&b.filter, "scored");
    if (b.unscored > 0)
        bipe_tool_note(&run->tool, "%" PRIu64 " of %" PRIu64 " records %s no token that is scored, and %s null",
                       b.unscored, b.filter.records, b.unscored == 1 ? "has" : "have",
                       b.unscored == 1 ? "its values are" : "their values are");
    for (size_t i = 0; i < b.count; i++)
        bipe_free(b.record[i].problem);
    if (b.ladder != NULL)
        score_ladder_close(b.ladder);
    bipe_free(b.record);
    bipe_buffer_free(&b.bytes);
    bipe_record_filter_close(&b.filter);
    bipe_score_check_output(run, status, &err);
    return bipe_score_finish(run);
}
