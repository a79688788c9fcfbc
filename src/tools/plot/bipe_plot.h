/* bipe_plot.h - the parts of bipe-plot: inputs, rows of them with names, figures, texts shaded by loss, reports. */
#ifndef BIPE_TOOLS_PLOT_BIPE_PLOT_H
#define BIPE_TOOLS_PLOT_BIPE_PLOT_H

#include <jansson.h>

#include "base/lines.h"
#include "cli/options.h"
#include "cli/tool.h"
#include "plot/figure.h"
#include "plot/loss_text.h"

/* ---- inputs: plot_input.c, plot_tokens.c ---- */

typedef enum plot_source { PLOT_STATS, PLOT_SCORE, PLOT_EVAL, PLOT_LOG, PLOT_TOKENS } plot_source;
extern const char *const plot_source_names[]; /* for messages */

enum { PLOT_INDEXES = 3, PLOT_INDEX_MOST = 1 << 22, PLOT_TOKENS_MOST = 1 << 22 };
/* "token", "segment", "intra". */
extern const char *const plot_index_names[PLOT_INDEXES];

/* The tokens of one model, segmenter, file and length in a table. The first two are "" where the table has no such
 * columns. */
enum { PLOT_MODEL, PLOT_SEGMENTER, PLOT_FILE, PLOT_TEXTS };
typedef struct plot_view {
    char *name[PLOT_TEXTS];
    uint64_t length;
    bipe_series by[PLOT_INDEXES]; /* for bipe_series_average(): losses by index */
    bipe_loss_view text;          /* empty unless tokens are kept */
} plot_view;

typedef struct plot_input {
    const char *path;
    char *stem;       /* the path without its ending */
    const char *name; /* its end: without folders, unless another input has the same name */
    plot_source source;
    json_t *root;      /* of PLOT_STATS, PLOT_SCORE and PLOT_EVAL */
    json_t *runs;      /* of PLOT_LOG: a list of its lines about runs, without repetitions; NULL: there are none */
    char **run;        /* of PLOT_EVAL, for each of its results: NAME of a checkpoint NAME.step-N.checkpoint; NULL: the
                          model is no such */
    bipe_figure curve; /* of PLOT_LOG, for bipe_series_average(): training, and each file of validation */
    plot_view *view;   /* of PLOT_TOKENS */
    size_t views, view_capacity;
    uint64_t other;    /* of PLOT_TOKENS: a length that was not asked for; 0: there is none */
} plot_input;

/* Reads the whole input, whose kind is detected from its content. `keep`: the tokens of a table are kept, those of
 * `length` (0: of the first length). Close it in any case. */
int plot_input_read(plot_input *input, const char *path, bool keep, uint64_t length, bipe_error *err);
void plot_input_close(plot_input *input);
/* When all are read: inputs of one name keep as many of their folders as tell them apart. */
void plot_inputs_name(plot_input *input, size_t count);
/* A table of tokens whose header line is given. For plot_input.c alone. */
int plot_tokens_read(plot_input *input, bipe_lines *lines, char *header, bool keep, uint64_t length, bipe_error *err);

/* The member at a path: "interval.0" is the first of the list object.interval. NULL: there is none. */
const json_t *plot_member(const json_t *object, const char *path);
/* It as a text; "" where it is none. */
const char *plot_text_of(const json_t *object, const char *path);
/* The first of these two members that is a text, or "". */
const char *plot_first_text(const json_t *a, const char *path, const json_t *b, const char *other);
/* It as a number; null and nothing are NAN, and so is everything once *status is a failure. */
double plot_number(const json_t *object, const char *where, const char *path, int *status, bipe_error *err);

/* The last part of a path. */
const char *plot_base_name(const char *path);
/* `name`, which is the end of `path`, with as many folders more as make it no end of `other`, unless that is the same
 * path. */
const char *plot_longer_name(const char *path, const char *name, const char *other);
/* The step of a checkpoint called NAME.step-N.checkpoint, and the size of NAME; NAN: the model is not called so. */
double plot_step_of(const char *model, size_t *size);

/* ---- rows of results from all inputs, and the shortest names that distinguish them: plot_items.c ---- */

/* The parts of a name. A part that all rows share is left out. */
enum { PLOT_PART_MODEL, PLOT_PART_SEGMENTER, PLOT_PART_PLACE, PLOT_PART_INPUT, PLOT_PARTS };

typedef struct plot_item {
    const json_t *row;            /* belongs to its input; NULL where it is a view */
    const plot_view *view;        /* of a table */
    const char *part[PLOT_PARTS]; /* never NULL */
    double x;                     /* the length of windows, or a step of training; NAN: none */
    bool reference;               /* the combination that the row compares others with */
    size_t name;                  /* its number among the names */
    char where[96];               /* of the row, for errors: "FILE: results[3]." */
} plot_item;

/* Names of lines, in order. */
typedef struct plot_names {
    char **text;
    size_t count, capacity;
} plot_names;

typedef struct plot_items {
    plot_item *item;
    size_t count, capacity;
    bool varies[PLOT_PARTS];
    plot_names names; /* all different ones */
} plot_items;

enum { PLOT_NAME_SIZE = 512 };

/* Adds the views of a table, or the rows of a list of the input's result that `chosen` (NULL: all) holds for. Rows that
 * compare two combinations make two items. steps: models that are checkpoints alone, each named by its run of
 * training. */
int plot_items_add(plot_items *items, const plot_input *input, const char *list,
                   bool (*chosen)(const json_t *row, int per), int per, bool steps, bipe_error *err);
/* When all are there: finds which parts vary, and the names. */
void plot_items_settle(plot_items *items);
const char *plot_item_name(const plot_items *items, const plot_item *item);
/* The name of a model: those of one name keep as many of their folders as tell them apart, from what they are compared
 * with as well. */
const char *plot_item_model(const plot_items *items, const char *model);
void plot_items_close(plot_items *items);

void plot_names_add(plot_names *names, const char *name);
/* Replaces the first names by these (--label). BIPE_ERR_ARGUMENT: there are fewer names, or two become the same. */
int plot_names_label(plot_names *names, const bipe_texts *labels, bipe_error *err);
void plot_names_close(plot_names *names);
/* Whether the first `count` parts of the names of two items are the same. */
bool plot_items_share(const plot_item *a, const plot_item *b, int count);

/* ---- figures: plot_figures.c ---- */

enum { PLOT_PPL, PLOT_NLL, PLOT_BITS };
enum { PLOT_PER_TOTAL, PLOT_PER_FILE, PLOT_PER_GROUP };
enum { PLOT_CURVE_ONE, PLOT_CURVE_TRAINING, PLOT_CURVE_VALIDATION, PLOT_CURVE_ALL };

typedef struct plot_wish {
    int unit, per, curve;
    bool log_x, log_y;
    uint64_t length; /* of the windows of losses by index; 0: the largest */
    const char *title;
    bipe_texts labels; /* instead of the first names */
} plot_wish;

typedef struct plot_figures {
    bipe_figure *figure;
    size_t count, capacity;
    bool log_x, log_y; /* wish->log_x, wish->log_y have changed an axis */
} plot_figures;

/* What is said below a figure of its intervals: how they were found, or that they are percentiles. */
typedef enum plot_intervals { PLOT_NO_INTERVALS, PLOT_CONFIDENCE, PLOT_PERCENTILES } plot_intervals;

/* The name of a kind of picture, in the order in which one is chosen where several could be drawn; NULL: there is none
 * of that number. The last, plot_kind_text, is the text, which is no figure. */
const char *plot_kind_name(int kind);

/* Whether a kind of picture is drawn in the unit that plot_wish names. */
bool plot_kind_has_units(int kind);
extern const int plot_kind_text;

/* What the input has anything for: bits 1 << the number of a kind. */
unsigned plot_kinds(const plot_input *input);
/* Adds the figures of one kind, of all inputs that hold it: none, if they have no rows for wish->per or
 * wish->length. */
int plot_figures_make(plot_figures *figures, int kind, const plot_input *input, size_t count, const plot_wish *wish,
                      bipe_error *err);
void plot_figures_close(plot_figures *figures);

/* For plot_figures.c: one more figure, empty but for its texts; bars of a member of the rows and its interval
 * (plot_tasks.c); curves (plot_training.c); what is said below a figure whose points are complete (plot_captions.c). */
int plot_figures_add(plot_figures *figures, const char *title, const char *x_label, const char *y_label,
                     bipe_figure **figure, bipe_error *err);
int plot_tasks_make(plot_figures *figures, const plot_items *items, const char *member, const char *label, int per,
                    bipe_error *err);
/* A map for each model and metric: rows of files by their length and task (plot_tasks.c). */
int plot_heat_make(plot_figures *figures, const plot_items *items, bipe_error *err);
/* The length that a path names, and the task: FOLDER/LENGTH/TASK/FILE, FOLDER/LENGTH/TASK.jsonl or
 * FOLDER/TASK/LENGTH.jsonl, where a length is 4096 or 4k. False: it names none. */
bool plot_place_of(const char *path, double *length, char task[PLOT_NAME_SIZE]);
void plot_caption(bipe_figure *figure, plot_intervals intervals, const plot_items *items);
int plot_training_make(plot_figures *figures, const plot_input *input, size_t count, const plot_wish *wish,
                       bipe_error *err);

/* ---- texts shaded by loss: plot_text.c ---- */

/* Takes the first file of the tables, its first two models or segmenters, and the documents that they are of. path: the
 * text, NULL: the file that the tables name; wish: title and labels. *left_out: further models, segmenters and files.
 * Close text in any case; its tokens belong to the inputs. */
int plot_text_open(bipe_loss_text *text, const plot_input *input, size_t count, const char *path, const plot_wish *wish,
                   size_t *left_out, bipe_error *err);

/* ---- a report: plot_report.c, plot_table.c ---- */

/* The members of an object that are neither null nor false, each with its name. */
void plot_put_members(json_t *object, bipe_output *output);
/* A table of a list of objects, below the texts that are the same in all of several rows. */
void plot_put_table(const char *name, const json_t *list, bipe_output *output);
/* Of a log, rows with the losses at each step that has a validation, and at the last step. The caller releases them,
 * also after a failure. */
int plot_training_rows(json_t **rows, const plot_input *input, bipe_error *err);

/* A page with all tables and figures, the commands that made them, and the files used. */
int plot_report_write(const bipe_tool *tool, const plot_input *input, size_t count, const plot_wish *wish,
                      bipe_output *output, bipe_error *err);

#endif
