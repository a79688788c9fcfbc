/* record_writer.h - a JSON record written again with a member of our own; every other byte stays as it was. */
#ifndef BIPE_CLI_RECORD_WRITER_H
#define BIPE_CLI_RECORD_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

/* Writes `record` (size bytes: a line of JSON Lines with or without its newline, which is kept as it is) to an output.
 * The object gets the member `name`, whose value is json (json_size bytes of JSON on one line), after its last member,
 * or in place of the value that a member of this name already has in the object itself (of duplicates, the last one).
 * name: unescaped UTF-8. BIPE_ERR_FORMAT: the record is not a JSON object; nothing has been written, and the error
 * begins with the byte in the record. Other errors are those of the output. */
int bipe_record_write(bipe_output *output, const uint8_t *record, size_t size, const char *name, const void *json,
                      size_t json_size, bipe_error *err);

#endif
