/* stats_records.c - --records: each record of JSON Lines is written again with the counts of its text. */
#include "cli/languages.h"
#include "cli/tool_alloc.h"
#include "tools/stats/bipe_stats.h"

typedef struct record_row {
    uint64_t bytes, tokens, segments;
    stats_spread spread; /* of tokens per segment */
} record_row;

#define COLUMN(type, field, key) BIPE_COLUMN(record_row, type, field, .member = key)
#define SPREAD(type, field, key) COLUMN(type, spread.field, STATS_OF_TOKENS "." key)

static const bipe_column columns[] = {
    COLUMN(UINT, bytes, "bytes"), COLUMN(UINT, tokens, "tokens"), COLUMN(UINT, segments, "segments"),
    SPREAD(NUMBER, mean, "mean"), SPREAD(NUMBER, sd, "sd"), SPREAD(UINT, min, "min"), SPREAD(UINT, p50, "p50"),
    SPREAD(UINT, p90, "p90"), SPREAD(UINT, max, "max"),
};

typedef struct counting {
    const stats_reading *set;
    bipe_window_counter *counter;
    bipe_record_filter filter;
} counting;

/* The counts of the document, to its record. */
static int write_counts(counting *c, bipe_stream *stream, record_row *row, bipe_tally *tally, bipe_error *err)
{
    bipe_distribution lengths = {0};
    int status = bipe_window_counter_end(c->counter, &row->tokens, &row->segments, err);
    const bipe_tally_row *whole = bipe_tool_need(bipe_tally_row_at(tally, BIPE_TALLY_DOCUMENT));
    if (status == BIPE_OK)
        status = bipe_distribution_open(&lengths, &whole->tokens, err);
    if (status == BIPE_OK)
        stats_fill_spread(&row->spread, &lengths);
    bipe_distribution_close(&lengths);
    const bipe_buffer *record = bipe_stream_record(stream);
    if (status == BIPE_OK && record == NULL)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "document %llu has no record",
                           (unsigned long long)bipe_stream_document(stream));
    return status == BIPE_OK ? bipe_record_filter_write(&c->filter, record, row, err) : status;
}

static int take_document(void *context, bipe_stream *stream, bipe_error *problem, bipe_error *err)
{
    counting *c = context;
    record_row row = {0};
    bipe_tally tally = {0};
    int status = bipe_window_counter_tally(c->counter, &tally, err);
    bipe_window_counter_begin(c->counter);
    for (bipe_batch batch = {0}; !batch.last && status == BIPE_OK && problem->status == BIPE_OK;) {
        if (bipe_stream_read(stream, &batch, problem) != BIPE_OK)
            break;
        row.bytes += batch.byte_count;
        status = bipe_window_counter_feed(c->counter, batch.token_count, batch.closes[0], batch.close_count[0], err);
    }
    if (status == BIPE_OK && problem->status == BIPE_OK) {
        bipe_languages_count(c->set->tool, stream, c->set->stream.specs);
        status = write_counts(c, stream, &row, &tally, err);
    }
    bipe_tally_free(&tally);
    return status;
}

int stats_write_records(const stats_reading *set, const bipe_record_options *given, const char *path, bipe_error *err)
{
    static const uint64_t no_windows[1];
    counting c = {.set = set};
    bipe_tally none = {0};
    bipe_stream *stream = NULL;
    const bipe_record_taker taker = {.document = take_document, .context = &c};
    bipe_stream_sharing sharing = {.records = true, .busy = set->busy};
    if (set->stream.spec_count > 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--records': expected one segmenter with -s");
    int status = bipe_record_filter_open(&c.filter, set->tool, given, set->stream.field, columns,
                                         BIPE_COUNT_OF(columns), err);
    if (status == BIPE_OK)
        status = bipe_window_counter_open(&c.counter, no_windows, 0, &none, err);
    if (status == BIPE_OK)
        status = bipe_stream_jobs_open(&sharing.jobs, set->threads, err);
    if (status == BIPE_OK)
        status = bipe_stream_open_shared(&stream, &set->stream, &sharing, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&c.filter.output, path, err);
    if (status == BIPE_OK)
        status = bipe_record_filter_files(&c.filter, stream, set->files, &taker, err);
    bipe_output *output = c.filter.output;
    bipe_record_filter_note(&c.filter, "counted");
    bipe_record_filter_close(&c.filter);
    bipe_window_counter_close(c.counter);
    bipe_tally_free(&none);
    bipe_stream_close(stream);
    bipe_jobs_close(sharing.jobs);
    if (output == NULL)
        return status;
    bipe_tool_end(set->tool, status, &output, err);
    return BIPE_END;
}
