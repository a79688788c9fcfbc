/* segment_files.c - the loop of bipe-segment over files, documents and batches. The stream reads ahead and tokenizes in several threads; what is
 * printed and reported comes in the order of the files by itself. */
#include "tools/segment_files.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "tools/segment_ids.h"
#include "tools/segment_rows.h"
#include "tools/tool_inputs.h"

typedef struct run {
    const segment_run *set;
    bipe_stream *stream;
    segment_writer writer;
    segment_rows *rows;  /* NULL: the writer prints all */
    segment_ids ids;
    size_t file; /* its number */
} run;

/* One document. What cannot be read is reported and left: BIPE_OK, *whole false. Others are failures to write. */
static int segment_document(run *r, bool *whole, bipe_error *err)
{
    segment_writer *writer = &r->writer;
    uint64_t printed = writer->printed;
    segment_writer_begin(writer, bipe_stream_document(r->stream));
    for (bipe_batch batch = {0}; !batch.last;) {
        bipe_error problem;
        if (bipe_stream_read(r->stream, &batch, &problem) != BIPE_OK) {
            bipe_tool_error(r->set->tool, &problem);
            writer->printed = printed;
            int status = segment_writer_break(writer, err);
            return status == BIPE_OK && r->set->ids ? segment_ids_release(&r->ids, NULL, err) : status;
        }
        int status = r->rows != NULL ? segment_rows_batch(r->rows, &batch, err) : segment_writer_batch(writer, &batch, err);
        if (status != BIPE_OK)
            return status;
        bipe_progress_update(&r->set->tool->progress, writer->at.file, bipe_stream_raw(r->stream));
    }
    *whole = true;
    return r->set->ids ? segment_ids_release(&r->ids, bipe_stream_member(r->stream, 0), err) : BIPE_OK;
}

/* The line of --count for a file. */
static int print_count(run *r, const char *path, bipe_error *err)
{
    bipe_buffer *line = &r->writer.head;
    bool named = r->set->files.count > 1;
    line->size = 0;
    int status = bipe_buffer_printf(line, err, "%" PRIu64 "%s", r->writer.printed, named ? "\t" : "");
    if (status == BIPE_OK && named)
        status = segment_put_field(line, path, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(line, "\n", 1, err);
    return status == BIPE_OK ? bipe_output_write(r->writer.output, line->data, line->size, err) : status;
}

/* One file, as segment_document(). */
static int segment_file(run *r, const char *path, bipe_error *err)
{
    const segment_run *set = r->set;
    bipe_error problem;
    int status;
    uint64_t good = 0, bad = 0;
    segment_writer_begin_file(&r->writer, path);
    while ((status = bipe_stream_next_document(r->stream, &problem)) != BIPE_END) {
        bool whole = false;
        if (status == BIPE_OK)
            status = segment_document(r, &whole, err);
        else
            status = (bipe_tool_error(set->tool, &problem), BIPE_OK);
        if (status != BIPE_OK)
            return status;
        good += whole;
        bad += !whole;
    }
    bipe_inputs_judge(set->tool, r->stream, r->file, path);
    /* Of a file of which nothing could be read there is nothing to say. */
    return set->count && (good != 0 || bad == 0) ? print_count(r, path, err) : BIPE_OK;
}

int segment_run_files(const segment_run *set, bipe_error *err)
{
    run r = {.set = set, .writer = {.format = set->format, .squeeze = set->squeeze, .output = set->output}};
    bipe_error problem;
    bipe_stream_options options = set->stream;
    int status = bipe_stream_jobs_open(&options.jobs, options.threads, err);
    if (status == BIPE_OK)
        status = bipe_stream_open(&r.stream, &options, err);
    if (status == BIPE_OK && set->format->tokens == NULL)
        bipe_stream_count_tokens(r.stream);
    if (status == BIPE_OK && set->ids) {
        status = segment_ids_open(&r.ids, set->output, set->format == &segment_format_jsonl, err);
        r.writer.output = r.ids.rows;
    }
    if (status == BIPE_OK)
        status = segment_writer_open(&r.writer, err);
    if (status == BIPE_OK && set->ids)
        status = segment_ids_release(&r.ids, "record", err); /* of the header */
    if (status == BIPE_OK && set->format->tokens != NULL && !set->ids && bipe_jobs_threads(options.jobs) > 1)
        status = segment_rows_open(&r.rows, options.jobs, r.stream, &r.writer, err);
    if (status == BIPE_OK) {
        bipe_tool_progress(set->tool, "bytes", bipe_files_size(set->files));
        bipe_stream_inputs(r.stream, set->files.path, set->files.count);
    }
    for (; r.file < set->files.count && status == BIPE_OK; r.file++) {
        int opened = bipe_stream_next_input(r.stream, &problem);
        if (opened == BIPE_OK)
            status = segment_file(&r, set->files.path[r.file], err);
        else if (opened != BIPE_END)
            bipe_tool_error(set->tool, &problem);
    }
    if (r.rows != NULL && status == BIPE_OK)
        status = segment_rows_finish(r.rows, err);
    segment_rows_close(r.rows);
    bipe_stream_close(r.stream);
    segment_writer_close(&r.writer);
    segment_ids_close(&r.ids);
    bipe_jobs_close(options.jobs);
    return status;
}
