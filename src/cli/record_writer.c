/* record_writer.c - see record_writer.h. */
#include "cli/record_writer.h"

#include <string.h>

#include "base/json_writer.h"
#include "text/json_records.h"

int bipe_record_write(bipe_output *output, const uint8_t *record, size_t size, const char *name, const void *json,
                      size_t json_size, bipe_error *err)
{
    bipe_json_span span;
    int status = bipe_json_record_find(record, size, name, &span, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, record, span.start, err);
    if (status == BIPE_OK && span.start == span.end) {
        bipe_json key;
        bipe_json_open(&key, output, false);
        if (!span.first)
            status = bipe_output_write(output, ",", 1, err);
        bipe_json_text(&key, name);
        if (status == BIPE_OK && (status = (int)key.error.status) != BIPE_OK && err != NULL)
            *err = key.error;
        if (status == BIPE_OK)
            status = bipe_output_write(output, ":", 1, err);
    }
    if (status == BIPE_OK)
        status = bipe_output_write(output, json, json_size, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, record + span.end, size - span.end, err);
    return status;
}
