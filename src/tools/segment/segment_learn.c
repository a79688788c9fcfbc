/* segment_learn.c - bipe-segment --learn-abbreviations: a list for `-s sentence:FILE` from the text of all files. */
#include "cli/tool_inputs.h"
#include "measure/abbreviations.h"
#include "tools/segment/bipe_segment.h"

/* One document; whether it was read to its end. Errors of it are reported. */
static int learn_document(const segment_run *run, bipe_stream *stream, bipe_abbreviations *learned, const char *path,
                          bipe_error *err)
{
    int status = BIPE_OK;
    bipe_abbreviations_begin(learned);
    for (bipe_batch batch = {0}; !batch.last && status == BIPE_OK;) {
        bipe_error problem;
        if (bipe_stream_read(stream, &batch, &problem) != BIPE_OK) {
            bipe_tool_error(run->tool, &problem);
            break;
        }
        status = bipe_abbreviations_feed(learned, batch.bytes, batch.byte_count, err);
        bipe_progress_update(&run->tool->progress, path, bipe_stream_raw(stream));
    }
    return status == BIPE_OK ? bipe_abbreviations_end(learned, err) : status;
}

static int learn_file(const segment_run *run, bipe_stream *stream, bipe_abbreviations *learned, size_t file,
                      bipe_error *err)
{
    const char *path = run->files.path[file];
    bipe_error problem;
    int status = bipe_stream_next_input(stream, &problem), learning = BIPE_OK;
    if (status != BIPE_OK) {
        bipe_tool_error(run->tool, &problem);
        return BIPE_OK;
    }
    while (learning == BIPE_OK && (status = bipe_stream_next_document(stream, &problem)) != BIPE_END) {
        if (status != BIPE_OK)
            bipe_tool_error(run->tool, &problem);
        else
            learning = learn_document(run, stream, learned, path, err);
    }
    bipe_inputs_judge(run->tool, stream, file, path);
    run->tool->some_done = true;
    return learning;
}

int segment_learn(const segment_run *run, bipe_error *err)
{
    bipe_abbreviations *learned;
    bipe_stream *stream = NULL;
    int status = bipe_abbreviations_open(&learned, err);
    if (status == BIPE_OK)
        status = bipe_stream_open(&stream, &run->stream, err);
    if (status == BIPE_OK) {
        bipe_tool_progress(run->tool, "bytes", bipe_files_size(run->files));
        bipe_stream_inputs(stream, run->files.path, run->files.count);
    }
    for (size_t i = 0; i < run->files.count && status == BIPE_OK; i++)
        status = learn_file(run, stream, learned, i, err);
    if (status == BIPE_OK)
        status = bipe_abbreviations_print(learned, run->output, err);
    bipe_stream_close(stream);
    bipe_abbreviations_close(learned);
    return status;
}
