/* tool_inputs.h - the options about inputs that all tools share, and the FILEs that they name: operands, lists in
 * files, folders. Not how an input is read (measure/stream.h). */
#ifndef BIPE_CLI_TOOL_INPUTS_H
#define BIPE_CLI_TOOL_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/name_list.h"
#include "base/recoder.h"
#include "base/status.h"
#include "cli/tool.h"
#include "measure/stream.h"

/* What the options say, and the names that come from lists and folders. Starts as BIPE_INPUTS_NONE; free with
 * bipe_inputs_free(). */
typedef struct bipe_inputs {
    const char *field, *encoding, *files_from, *files0_from;
    int ids; /* index into bipe_ids_choices; -1: not given */
    bool jsonl, text, recursive;
    bipe_name_list names;
} bipe_inputs;

#define BIPE_INPUTS_NONE {.ids = -1}

/* The operands after MODEL are files to read: BIPE_EXIT_USAGE and a line where one is another model, or
 * BIPE_EXIT_DONE. */
int bipe_inputs_refuse_models(bipe_tool *tool, const bipe_texts *operands);

/* Fills in what the options say about documents. */
void bipe_inputs_stream(const bipe_inputs *inputs, bipe_stream_options *options);

/* A file has been read to its end: notes what was unusual about its encoding or form. index: its number among the
 * FILEs. */
void bipe_inputs_judge(bipe_tool *tool, const bipe_stream *stream, size_t index, const char *path);

/* The FILEs: operands from number `skip` on, those that lists name, and with -r the text files of folders, in the order
 * of their names; standard input ("-") where none of this is given. A folder that cannot be read is reported and left
 * out. Names live as long as the inputs. BIPE_ERR_IO where lists and folders hold no file at all. */
int bipe_inputs_files(bipe_inputs *inputs, bipe_tool *tool, const bipe_texts *operands, size_t skip, bipe_files *files,
                      bipe_error *err);
void bipe_inputs_free(bipe_inputs *inputs);

extern const char *const bipe_ids_choices[];

/* What --ids needs where a tool has a tokenizer without a vocabulary by default. */
#define BIPE_IDS_NEED_TOKENIZER "tokenizer: ids are read with its vocabulary"

/* Rows of option tables. ids_needs: the rule of --ids, or NULL. */
#define BIPE_OPTION_ROWS_INPUT(inputs, ids_needs) \
    {0, "field", BIPE_OPTION_TEXT, &(inputs)->field, "NAME", .group = "Input", .check = bipe_documents_check_field, \
     .help = "the member of each JSON Lines record that holds its text, or a path to it such as meta.body; implies " \
             "--jsonl; default: text"}, \
    {0, "jsonl", BIPE_OPTION_FLAG, &(inputs)->jsonl, \
     .in_full = "did you mean '--jsonl', for inputs? Output as JSON Lines, where a tool has it, is '--format jsonl'", \
     .help = "every input is JSON Lines, whatever its name; default: those named *.jsonl or *.ndjson, also " \
             "compressed"}, \
    {0, "ids", BIPE_OPTION_CHOICE, &(inputs)->ids, "KIND", .choices = bipe_ids_choices, .needs = (ids_needs), \
     .excludes = "field jsonl encoding: token ids are not text", \
     .help = "the input is token ids instead of text: little-endian integers of 16 (u16) or 32 (u32) bits, or " \
             "decimal numbers separated by white space (text); the text is what they decode to"}, \
    {0, "encoding", BIPE_OPTION_TEXT, &(inputs)->encoding, "NAME", .check = bipe_encoding_check, \
     .help = "the encoding of inputs, such as ISO-8859-1 or windows-1252 (iconv -l lists the names); a byte order " \
             "mark takes precedence; default: UTF-8"}, \
    {0, "text", BIPE_OPTION_FLAG, &(inputs)->text, \
     .help = "treat every input as text; by default files recognized as something else, such as images or models, " \
             "are refused"}, \
    {'r', "recursive", BIPE_OPTION_FLAG, &(inputs)->recursive, \
     .help = "where FILE is a folder, read the text files in it and its subfolders, in the order of their names; " \
             "hidden files and files that are known not to be text are left out"}, \
    {0, "files-from", BIPE_OPTION_TEXT, &(inputs)->files_from, "FILE", .about = BIPE_ABOUT_FILE, \
     .help = "also read the FILEs that this file names, one per line; - is standard input"}, \
    {0, "files0-from", BIPE_OPTION_TEXT, &(inputs)->files0_from, "FILE", .about = BIPE_ABOUT_FILE, \
     .help = "the same with a NUL after each name, as find -print0 writes them"}

#endif
