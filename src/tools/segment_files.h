/* segment_files.h - the files of bipe-segment, printed in their order. */
#ifndef BIPE_TOOLS_SEGMENT_FILES_H
#define BIPE_TOOLS_SEGMENT_FILES_H

#include "tools/segment_writer.h"
#include "tools/tool.h"

typedef struct segment_run {
    bipe_tool *tool;
    bipe_stream_options stream;
    const segment_format *format;
    bool squeeze;
    bool count;                   /* a line for each file with the number of its segments */
    bipe_files files;
    bool ids;                     /* each row ends with the id of its record, which is member 0 of the stream; only with rows */
    bipe_output *output;
} segment_run;

/* Prints the segments of all files. What cannot be read is reported by the tool and the rest is done; the status is of what ended the
 * work (BIPE_END: nobody reads the output any more). */
int segment_run_files(const segment_run *run, bipe_error *err);

#endif
