/* tool.h - what tools do the same way: error lines, the exit status, signals, threads, and the option
 * rows that several of them share. Not the options' parser (options.h), nothing of a tool's own. */
#ifndef BIPE_CLI_TOOL_H
#define BIPE_CLI_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "cli/options.h"
#include "cli/progress.h"

/* The exit statuses of every tool. */
enum { BIPE_EXIT_DONE = 0, BIPE_EXIT_FAILED = 1, BIPE_EXIT_USAGE = 2 };

/* The operands, or "-" when there are none: count is then 1. */
typedef struct bipe_files {
    const char *const *path;
    size_t count;
} bipe_files;

/* Of so many kinds of errors the first few are printed, and in the end how many there were. */
enum { BIPE_TOOL_KINDS = 16, BIPE_TOOL_FEW = 3 };

typedef struct bipe_tool_kind {
    uint64_t kind, count;
    bipe_error last;
} bipe_tool_kind;

/* What is unusual about files, so that one note at the end names all of them. */
typedef enum bipe_unusual { BIPE_UNUSUAL_BYTES, BIPE_UNUSUAL_RECORDS, BIPE_UNUSUAL_KINDS } bipe_unusual;

typedef struct bipe_unusual_files {
    const char *first;
    size_t index, count; /* of the first; in all */
} bipe_unusual_files;

/* How many options of a tool may name members. */
enum { BIPE_MEMBERS_NAMED = 3 };

/* How many documents have a member that an option names. */
typedef struct bipe_member_use {
    const char *option, *name; /* "--id"; NULL: there is none */
    bool needed;               /* it is an error where no document has it */
    const char *hint;          /* NULL, or what is said then as well */
    uint64_t documents, without;
    size_t index;              /* of the first FILE with a document without it */
    const char *path;
} bipe_member_use;

typedef struct bipe_tool {
    const char *name;          /* "bipe-segment" */
    int status;                /* the worst that has happened so far */
    bool some_done;            /* some of the work was done, such as an input read: see bipe_tool_commit() */
    bipe_files files;          /* the FILEs, which may be folders with -r; for advice */
    uint64_t threads;          /* -j; 0: not given, see bipe_tool_threads() */
    bool quiet, show_progress; /* -q, --progress */
    bipe_progress progress;    /* its line is wiped before a message is printed */
    bipe_unusual_files unusual[BIPE_UNUSUAL_KINDS];
    bipe_member_use member[BIPE_MEMBERS_NAMED]; /* noted at the end where documents do not have them */
    bipe_tool_kind kind[BIPE_TOOL_KINDS]; /* of errors; kind 0: none */
    /* For the record of the run (run_record.h). */
    const char *record;            /* --record */
    bool recorded;                 /* it is wanted, whatever options say */
    const bipe_options *options;   /* NULL: the command line has not been parsed */
    bipe_options_given given;
    const bipe_texts *operands;
    bipe_files read;               /* the FILEs that are read, where these are not all of `files` */
    const char *kernels;           /* that compute with a model; NULL: none do */
    bipe_output *record_output;    /* of --record */
    struct json_t *in_force;       /* values of options that were not given: bipe_run_in_force() */
    struct json_t *languages;      /* {SEGMENTER: {LANGUAGE: documents}} that were chosen (languages.h); NULL: none */
    bool languages_noted;
    struct json_t *merged;         /* the record of the run whose parts are merged; NULL: nothing is merged */
    struct bipe_checksum_state *standard_input;
} bipe_tool;

/* Sets the locale, ignores SIGPIPE (a closed pipe is then seen as BIPE_STOPPED from the output) and makes
 * SIGINT, SIGTERM and SIGHUP remove unfinished outputs before they end the process as usual. */
void bipe_tool_start(bipe_tool *tool, const char *name);

/* Prints "NAME: TEXT" on standard error and remembers exit status 1. Of errors of one kind bipe_tool_finish() counts
 * those after the first few. BIPE_STOPPED and BIPE_OK print and remember nothing. */
void bipe_tool_error(bipe_tool *tool, const bipe_error *err);
/* "NAME: TEXT" for something that is worth knowing and no failure; nothing with --quiet. */
void bipe_tool_note(bipe_tool *tool, const char *format, ...) BIPE_PRINTF(2, 3);
/* "FIRST and 2 other files: WHAT"; nothing where count is 0. */
void bipe_tool_note_files(bipe_tool *tool, const char *first, size_t count, const char *what);
/* Lines, of text `path` or (NULL) of all, that --pack line leaves out: of more than `length` tokens, and without
 * anything to learn or score. */
void bipe_tool_note_lines(bipe_tool *tool, const char *path, uint64_t longer, uint64_t length, uint64_t blank);
/* Notes for SPECs of segmenters that make sense but end no segment anywhere, or whose lists override each other. */
void bipe_tool_note_segmenters(bipe_tool *tool, const char *const *specs, size_t count);
/* Prints "NAME: TEXT" for a command line that makes no sense; remembers exit status 2, which is returned. */
int bipe_tool_usage(bipe_tool *tool, const char *format, ...) BIPE_PRINTF(2, 3);

/* An error that stopped the tool before it did anything: BIPE_ERR_ARGUMENT (a SPEC makes no sense) is wrong usage, any
 * other is as bipe_tool_error(). */
void bipe_tool_open_error(bipe_tool *tool, const bipe_error *err);
/* Parses the command line and calls run() with the operands, unless there is nothing to do (--help) or the command line
 * makes no sense. Returns the exit status, which is run()'s if that was called. */
int bipe_tool_run(bipe_tool *tool, const bipe_options *options, int argc, char **argv,
                  int (*run)(void *context, const bipe_texts *operands), void *context);

/* The threads to use: -j, or the processors that the process may run on; of these no more than may take `each` bytes of
 * memory (0: hardly any), so that the whole stays below 200 MB. */
size_t bipe_tool_threads(const bipe_tool *tool, size_t each);
/* Whether so many threads that read files leave no processor for others that decompress what they read:
 * bipe_input_busy(). */
bool bipe_tool_busy(size_t threads, size_t files);
/* Opens the tool's progress line (see progress.h), obeying -q and --progress. */
void bipe_tool_progress(bipe_tool *tool, const char *unit, uint64_t total);

/* File number `index` is mostly not UTF-8, or looks like JSON Lines and was read as plain text. */
void bipe_tool_note_unusual(bipe_tool *tool, bipe_unusual kind, size_t index, const char *path);

/* A document has been read. index, path: of its FILE. */
void bipe_member_see(bipe_member_use *use, bool there, size_t index, const char *path);
/* Adds what another thread has seen. */
void bipe_member_add(bipe_member_use *into, const bipe_member_use *from);
/* "--id: no document has a member "ident" ...; the first record has "id", "text"", or how many have none; nothing where
 * all have it. An error, which counts, where none has it and it is needed. */
void bipe_member_note(bipe_tool *tool, const bipe_member_use *use);

/* Commits an output. Where the tool failed and has done nothing at all, an old file stays instead. Frees. */
int bipe_tool_commit(const bipe_tool *tool, bipe_output *output, bipe_error *err);
/* The end: reports errors and files that were only counted, commits `output` (NULL: nothing) and reports a failure.
 * Returns the exit status. */
int bipe_tool_finish(bipe_tool *tool, bipe_output *output);
/* The same after work that ended with this status: its failure, *err, is reported, and the output dropped. *output
 * becomes NULL. */
int bipe_tool_end(bipe_tool *tool, int status, bipe_output **output, const bipe_error *err);

/* Begins a result as JSON: an object that says which tool and version wrote it. */
void bipe_tool_json(bipe_json *json, bipe_output *output, const char *tool);
/* The operands, or "-". */
bipe_files bipe_tool_files(const bipe_texts *operands);
/* Bytes of all files, as they lie on the disk; 0 where one has no size, since then the end is not known. */
uint64_t bipe_files_size(bipe_files files);
/* A file that a tool is to write, and the option that names it; a path of NULL: none. */
typedef struct bipe_tool_output {
    const char *option, *path;
} bipe_tool_output;
/* Whether two names are of one place, which need not be there yet. */
bool bipe_tool_same_place(const char *a, const char *b);
/* BIPE_ERR_ARGUMENT where an output is another one, or is, under whatever name, a file that is read: of one of the
 * lists, in which a path of NULL is none. "-" is standard input there and standard output among the outputs. */
int bipe_tool_check_outputs(const bipe_tool_output *output, size_t count, const bipe_files *read, size_t lists,
                            bipe_error *err);
/* How many of the files may be read at a time: all, unless they are compressed such that much of each has to be
 * remembered. */
size_t bipe_tool_at_once(bipe_files files);

/* The descriptions of operands. */
#define BIPE_MODEL_OPERAND_HELP \
    "MODEL is a model file, a model folder or the name of an installed model such as default; "
#define BIPE_OPERAND_HELP \
    "FILE is plain text or JSON Lines, also compressed by zstd, gzip or xz; - or none is standard input"

/* What a SPEC of a segmenter may be. */
#define BIPE_SEGMENTERS_HELP \
    "stop, line, sentence, sentence:LANG [or auto], paragraph, equals, code, fixed:N, regex:PATTERN, " \
    "tokens:ID[,ID...], none, document, or a plug-in; or several that nest, such as " \
    "sentence:en/paragraph/document; see bipe(7)"

/* What completions offer for one, and for a tokenizer. */
extern const char *const bipe_segmenter_words[], *const bipe_tokenizer_words[];

/* Rows of option tables. The argument is the target, as options.h says for its kind. */
#define BIPE_OPTION_ROW_TOKENIZER(place, help_default) \
    {'t', "tokenizer", BIPE_OPTION_TEXT, (place), "SPEC", .words = bipe_tokenizer_words, .names = BIPE_NAMES_MODELS, \
     .help = "the tokenizer: byte, char, word, words, or a file or folder with a vocabulary (SentencePiece " \
             "tokenizer.model, Hugging Face tokenizer.json, tiktoken, GGUF), or the name of an installed model such " \
             "as default; default: " help_default}
#define BIPE_OPTION_ROW_SPECIAL(place) \
    {0, "special", BIPE_OPTION_FLAG, (place), \
     .help = "read text such as <s> as the special token it names; default: as ordinary text"}
#define BIPE_OPTION_ROW_OUTPUT(place) \
    {'o', "output", BIPE_OPTION_TEXT, (place), "FILE", .about = BIPE_ABOUT_MANNER, \
     .help = "write to FILE, which appears complete or not at all; default: standard output"}
#define BIPE_OPTION_ROW_SEGMENTER(place, heading, help_default) \
    {'s', "segmenter", BIPE_OPTION_TEXT, (place), "SPEC", .words = bipe_segmenter_words, .group = (heading), \
     .help = "what ends a segment: " BIPE_SEGMENTERS_HELP "; default: " help_default}
/* The last rows of every table: -j (in_memory: BIPE_THREADS_IN_MEMORY where bipe_tool_threads() gets to know what each
 * takes, or ""), -q, --progress,
 * --record. */
#define BIPE_THREADS_IN_MEMORY ", or as many as fit into 200 MB of memory"
#define BIPE_OPTION_ROWS_RUNNING(tool, in_memory) \
    {'j', "threads", BIPE_OPTION_SIZE, &(tool)->threads, "N", .minimum = 1, .maximum = 1024, .group = "Running", \
     .about = BIPE_ABOUT_MANNER, \
     .help = "use N threads, which does not change results; default: one for each available processor" in_memory}, \
    {'q', "quiet", BIPE_OPTION_FLAG, &(tool)->quiet, .about = BIPE_ABOUT_MANNER, \
     .help = "print only errors, no progress and no notes"}, \
    {0, "progress", BIPE_OPTION_FLAG, &(tool)->show_progress, .about = BIPE_ABOUT_MANNER, \
     .help = "show progress even when standard error is not a terminal"}, \
    {0, "record", BIPE_OPTION_TEXT, &(tool)->record, "FILE", .about = BIPE_ABOUT_MANNER, \
     .help = "write what repeats this run to FILE, as JSON: the command, all options, and the files and models with " \
             "their SHA-256; see bipe(7)"}

#endif
