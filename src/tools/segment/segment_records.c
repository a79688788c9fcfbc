/* segment_records.c - --records: each record of JSON Lines is written again with the segments of its text as a list. */
#include "base/alloc.h"
#include "cli/languages.h"
#include "cli/tool_alloc.h"
#include "tools/segment/bipe_segment.h"

typedef struct record_row {
    uint64_t segments;
    const char *language;   /* that the segmenter chose; NULL: none */
    bool trim;
    bipe_buffer text;       /* of the document, at most BIPE_RECORD_MOST bytes, which its record has as well */
    uint32_t *end;          /* [segments] where each ends in the text */
    size_t capacity;
} record_row;

static void put_segments(bipe_json *json, const void *context)
{
    const record_row *row = context;
    bipe_json_begin_flat_array(json);
    for (uint64_t i = 0, start = 0; i < row->segments; start = row->end[i], i++) {
        const uint8_t *bytes = row->text.data + start;
        size_t size = row->end[i] - (size_t)start;
        if (row->trim)
            segment_trim(&bytes, &size);
        bipe_json_bytes(json, bytes, size);
    }
    bipe_json_end_array(json);
}

static const bipe_column columns[] = {
    BIPE_COLUMN(record_row, LIST, text, .member = "segments", .put = put_segments),
    BIPE_COLUMN(record_row, TEXT, language, .member = "language", .optional = true),
    BIPE_COLUMN(record_row, UINT, segments, .name = "segments"), /* for --keep */
};

typedef struct segmenting {
    const segment_run *set;
    bipe_record_filter filter;
    record_row row;
} segmenting;

/* Adds the text of a batch, and where segments end in it. */
static int add_segments(record_row *row, const bipe_batch *batch, bipe_error *err)
{
    size_t count = batch->boundary_count[0];
    if (batch->byte_count > BIPE_RECORD_MOST - row->text.size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a text of more than %d MiB, expected a shorter one",
                         BIPE_RECORD_MOST >> 20);
    bipe_tool_grow(&row->end, &row->capacity, (size_t)row->segments + count, sizeof *row->end);
    for (size_t i = 0; i < count; i++)
        row->end[row->segments++] = (uint32_t)batch->boundaries[0][i];
    return bipe_buffer_append(&row->text, batch->bytes, batch->byte_count, err);
}

static int take_document(void *context, bipe_stream *stream, bipe_error *problem, bipe_error *err)
{
    segmenting *s = context;
    record_row *row = &s->row;
    row->segments = row->text.size = 0;
    for (bipe_batch batch = {0}; !batch.last;) {
        bipe_error here = {0};
        if (bipe_stream_read(stream, &batch, &here) != BIPE_OK) {
            *problem = here;
            return BIPE_OK;
        }
        if (problem->status == BIPE_OK)
            add_segments(row, &batch, problem);
        if (problem->status == BIPE_ERR_MEMORY) {
            *err = *problem;
            return (int)err->status;
        }
    }
    if (problem->status != BIPE_OK)
        return BIPE_OK;
    bipe_languages_count(s->set->tool, stream, s->set->stream.specs);
    const char *language = bipe_stream_choice(stream, 0);
    row->language = language != NULL && language[0] != '\0' ? language : NULL;
    const bipe_buffer *record = bipe_stream_record(stream);
    if (record == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "document %llu has no record",
                         (unsigned long long)bipe_stream_document(stream));
    return bipe_record_filter_write(&s->filter, record, row, err);
}

int segment_check_records(const bipe_record_options *given, const char *field, bipe_error *err)
{
    bipe_record_filter filter;
    int status = bipe_record_filter_open(&filter, NULL, given, field, columns, BIPE_COUNT_OF(columns), err);
    bipe_record_filter_close(&filter);
    return status;
}

int segment_records(const segment_run *set, const bipe_record_options *given, bipe_error *err)
{
    segmenting s = {.set = set, .row = {.trim = set->trim}};
    bipe_stream *stream = NULL;
    const bipe_record_taker taker = {.document = take_document, .context = &s};
    bipe_stream_sharing sharing = {.records = true, .busy = set->busy};
    int status = bipe_record_filter_open(&s.filter, set->tool, given, set->stream.field, columns,
                                         BIPE_COUNT_OF(columns), err);
    s.filter.output = set->output;
    if (status == BIPE_OK)
        status = bipe_stream_jobs_open(&sharing.jobs, set->stream.threads, err);
    if (status == BIPE_OK)
        status = bipe_stream_open_shared(&stream, &set->stream, &sharing, err);
    if (status == BIPE_OK)
        status = bipe_record_filter_files(&s.filter, stream, set->files, &taker, err);
    bipe_record_filter_note(&s.filter, "segmented");
    bipe_record_filter_close(&s.filter);
    bipe_buffer_free(&s.row.text);
    bipe_free(s.row.end);
    bipe_stream_close(stream);
    bipe_jobs_close(sharing.jobs);
    return status;
}
