/* segment_files.c - the loop of bipe-segment over files, documents and batches. The stream reads ahead and tokenizes in
 * several threads; what is printed and reported comes in the order of the files by itself. */
#include <inttypes.h>

#include "cli/languages.h"
#include "cli/tool_inputs.h"
#include "tools/segment/bipe_segment.h"

typedef struct run {
    const segment_run *set;
    bipe_stream *stream;
    segment_writer writer;
    segment_rows *rows;  /* NULL: the writer prints all */
    segment_ids ids;
    size_t file; /* its number */
    uint64_t counted, blanks; /* with --count, in all files */
} run;

/* The rows of a document that wait go out. */
static void release_rows(run *r, const char *id)
{
    if (r->set->ids)
        segment_ids_release(&r->ids, id, &r->writer.error);
}

/* One document. Whether it was read to its end; what cannot be read is reported and left. */
static bool segment_document(run *r)
{
    segment_writer *writer = &r->writer;
    uint64_t printed = writer->printed, blanks = writer->blanks, matches = writer->matches;
    segment_writer_begin(writer, bipe_stream_document(r->stream));
    for (bipe_batch batch = {0}; !batch.last && writer->error.status == BIPE_OK;) {
        bipe_error problem;
        int status = bipe_stream_read(r->stream, &batch, &problem);
        writer->language = bipe_stream_choice(r->stream, 0);
        if (status == BIPE_OK && r->rows != NULL)
            segment_rows_batch(r->rows, &batch);
        else if (status == BIPE_OK)
            segment_writer_batch(writer, &batch);
        if (status == BIPE_OK && writer->problem.status != BIPE_OK) {
            problem = writer->problem;
            status = (int)problem.status;
        }
        if (status != BIPE_OK) {
            bipe_tool_error(r->set->tool, &problem);
            writer->problem = (bipe_error){0};
            writer->printed = printed;
            writer->blanks = blanks;
            writer->matches = matches;
            segment_writer_break(writer);
            release_rows(r, NULL);
            return false;
        }
        bipe_progress_update(&r->set->tool->progress, writer->at.file, bipe_stream_raw(r->stream));
    }
    bipe_languages_count(r->set->tool, r->stream, r->set->stream.specs);
    const char *id = r->set->ids ? bipe_stream_member(r->stream, 0) : NULL;
    release_rows(r, id);
    bipe_member_see(&r->set->tool->member[0], id != NULL, r->file, writer->at.file);
    return true;
}

/* A line of --count: of a file, or of all. */
static void print_count(run *r, uint64_t count, const char *path)
{
    bipe_buffer *line = &r->writer.head;
    bipe_error *err = &r->writer.error;
    line->size = 0;
    bipe_buffer_printf(line, err, "%" PRIu64, count);
    if (r->set->files.count > 1) {
        bipe_buffer_append(line, "\t", 1, err);
        segment_put_field(line, path, SEGMENT_TSV, err);
    }
    bipe_buffer_append(line, "\n", 1, err);
    bipe_output_write(r->writer.output, line->data, line->size, err);
}

/* What there is to say after the lines of all files. */
static void end_counts(run *r)
{
    if (r->set->files.count > 1)
        print_count(r, r->counted, "total");
    if (r->blanks != 0 && !r->set->squeeze && r->set->kwic == NULL)
        bipe_tool_note(r->set->tool,
                       "%" PRIu64 " of %" PRIu64 " segments %s only white space (--squeeze leaves such segments out)",
                       r->blanks, r->counted, r->blanks == 1 ? "is" : "are");
}

static void segment_file(run *r, const char *path)
{
    const segment_run *set = r->set;
    bipe_error problem;
    int status = BIPE_OK;
    uint64_t good = 0, bad = 0;
    segment_writer_begin_file(&r->writer, path);
    r->writer.records = set->records || bipe_documents_named_records(path);
    while (r->writer.error.status == BIPE_OK && (status = bipe_stream_next_document(r->stream, &problem)) != BIPE_END) {
        if (status != BIPE_OK)
            bipe_tool_error(set->tool, &problem);
        bool whole = status == BIPE_OK && segment_document(r);
        good += whole;
        bad += !whole;
    }
    if (r->writer.error.status != BIPE_OK)
        return;
    bipe_inputs_judge(set->tool, r->stream, r->file, path);
    bool some = good != 0 || bad == 0; /* of a file of which nothing could be read there is nothing to say */
    set->tool->some_done |= some;
    if (set->count && some) {
        uint64_t count = set->kwic != NULL ? r->writer.matches : r->writer.printed;
        print_count(r, count, path);
        r->counted += count;
        r->blanks += r->writer.blanks;
    }
}

int segment_run_files(const segment_run *set, bipe_error *err)
{
    run r = {.set = set,
             .writer = {.format = set->format, .columns = &set->columns, .squeeze = set->squeeze, .fold = set->fold,
                        .trim = set->trim, .kwic = set->kwic, .output = set->output},
             .ids = {.syntax = set->columns.syntax}};
    bipe_error problem;
    bipe_stream_sharing sharing = {.busy = set->busy};
    int status = bipe_stream_jobs_open(&sharing.jobs, set->stream.threads, err);
    if (status == BIPE_OK)
        status = bipe_stream_open_shared(&r.stream, &set->stream, &sharing, err);
    if (status == BIPE_OK && set->ids) {
        status = segment_ids_open(&r.ids, set->output, err);
        r.writer.output = r.ids.rows;
    }
    if (status == BIPE_OK)
        status = segment_writer_open(&r.writer, err);
    if (status == BIPE_OK)
        release_rows(&r, "record"); /* of the header */
    bool rows = set->format->tokens != NULL && !set->ids && !set->count;
    if (status == BIPE_OK && rows && bipe_jobs_threads(sharing.jobs) > 1)
        status = segment_rows_open(&r.rows, sharing.jobs, &r.writer, err);
    if (status == BIPE_OK) {
        bipe_tool_progress(set->tool, "bytes", bipe_files_size(set->files));
        bipe_stream_inputs(r.stream, set->files.path, set->files.count);
    }
    for (; r.file < set->files.count && status == BIPE_OK && r.writer.error.status == BIPE_OK; r.file++) {
        int opened = bipe_stream_next_input(r.stream, &problem);
        if (opened == BIPE_OK)
            segment_file(&r, set->files.path[r.file]);
        else if (opened != BIPE_END)
            bipe_tool_error(set->tool, &problem);
    }
    if (r.rows != NULL && status == BIPE_OK && r.writer.error.status == BIPE_OK)
        segment_rows_finish(r.rows);
    if (set->count && status == BIPE_OK && r.writer.error.status == BIPE_OK)
        end_counts(&r);
    if (status == BIPE_OK && r.writer.error.status != BIPE_OK) {
        *err = r.writer.error;
        status = (int)err->status;
    }
    segment_rows_close(r.rows);
    bipe_stream_close(r.stream);
    segment_writer_close(&r.writer);
    segment_ids_close(&r.ids);
    bipe_jobs_close(sharing.jobs);
    return status;
}
