/* run_record.h - what repeats a run, as every tool writes it: the member "run" of its JSON, and the file of --record.
 *
 *   "run": {"program", "version", "command", "operands", "options": {NAME: VALUE, ...}, "seed",
 *           "files": [{"path", "size", "sha256"}, ...],
 "models": [{"name", "path", "size", "sha256"} or {"name", "path", "files": [...]}, ...],
 *           "kernels"}
 *
 * `command` is a line for the shell. It has the options that were given, in the order of --help, and the operands, but
 nothing that says only how
 * to run or where results go (BIPE_ABOUT_MANNER); so a run, its shards and a resumed run have the same record.
 `options` are all that are in force: of one
 * that was not given what the tool has chosen (bipe_run_in_force()), or the default, as --help says it. `files` are
 sorted by path; these and
 * `models` have the checksums of the bytes that lie on the disk, compressed or not; null where they cannot be read
 again, such as a named pipe. Standard input is summed up as it is read. */
#ifndef BIPE_CLI_RUN_RECORD_H
#define BIPE_CLI_RUN_RECORD_H

#include <jansson.h>

#include "base/json_writer.h"
#include "cli/tool.h"

/* The command line has been parsed: opens the file of --record, and sums up standard input from now on, if a record is
 * wanted. Called by bipe_tool_run(). The exit status. */
int bipe_run_record_start(bipe_tool *tool);
void bipe_run_record_free(bipe_tool *tool);

/* The member `command` alone; NULL: out of memory. The caller releases it. */
json_t *bipe_run_command(const bipe_tool *tool);
/* The record as a new object, or what bipe_run_record_add() has collected; NULL: out of memory, or there is none. The
 * caller releases it. */
json_t *bipe_run_record(const bipe_tool *tool);
/* The member "run" of an object that is being written, and before it "languages" (languages.h); nothing where there is
 * no record (tool: NULL, or without a command line), or no language. */
void bipe_run_record_put(const bipe_tool *tool, bipe_json *json);
/* Writes and commits the file of --record, if it was given. BIPE_ERR_ARGUMENT: it is also read; or as an output
 * fails. */
int bipe_run_record_write(bipe_tool *tool, bipe_error *err);

/* What is in force for an option that was not given, where that is more than --help says; takes the value (NULL: no
 * memory). */
void bipe_run_in_force(bipe_tool *tool, const char *option, json_t *value);
void bipe_run_in_force_text(bipe_tool *tool, const char *option, const char *value);
void bipe_run_in_force_texts(bipe_tool *tool, const char *option, const char *const *value, size_t count);
/* A result (`root`, which somebody may have changed) is merged: the record of the tool becomes that of the run whose
 * part it is. */
int bipe_run_record_add(bipe_tool *tool, json_t *root, bipe_error *err);
/* BIPE_ERR_FORMAT: a file or a model of this result had other bytes than under the same path for a result that was
 * added. */
int bipe_run_record_compare(const bipe_tool *tool, const json_t *root, bipe_error *err);

/* JSON that exists already, written to what is being written. */
void bipe_run_record_copy(bipe_json *json, json_t *value);

#endif
