/* bipe_eval.h - declarations shared by the parts of bipe-eval: options, questions with the answers of models, results,
 * outputs. */
#ifndef BIPE_TOOLS_EVAL_BIPE_EVAL_H
#define BIPE_TOOLS_EVAL_BIPE_EVAL_H

#include <bipe/segment.h>

#include "base/installed_model.h"
#include "base/json_writer.h"
#include "cli/journal.h"
#include "cli/shard.h"
#include "cli/tool.h"
#include "cli/tool_model.h"
#include "measure/resample.h"
#include "cli/eval_records.h"
#include "task/task_ask.h"

typedef struct bipe_eval_options {
    const char *task, *segmenter, *tokenizer, *scheme, *scaling, *output, *shots_from, *predictions, *score,
        *submission, *resume, *shard, *cluster, *power;
    bipe_texts against;
    uint64_t shots, limit, length, seed, show;
    int truncate, precision; /* indices of choices; truncate -1: as the task says */
    bool json, csv, special, merge, compare, list, verbose;
} bipe_eval_options;

typedef struct bipe_eval_model {
    const char *name;         /* as it was given */
    char path[BIPE_MODEL_PATH_SIZE];
    bipe_model *model;
    bipe_tokenizer *tokenizer;
    const char *segmenter;
    bipe_asker *asker;
} bipe_eval_model;

/* ---- answers that are known without asking a model: from an earlier run (--resume), or from other programs (--score):
 * eval_known.c ---- */

/* An answer of model number `model` to the question that `key` identifies: a hash. */
typedef struct bipe_eval_entry {
    uint64_t key;
    size_t model, order;      /* order: of those with the same key, the last one counts */
    bool used;
    bipe_task_answer answer;
} bipe_eval_entry;

/* Zero-initialise. */
typedef struct bipe_eval_known {
    bipe_eval_entry *entry;   /* [count] */
    size_t count, capacity;
    bipe_journal *journal;    /* --resume */
} bipe_eval_known;

/* Adds an entry, which takes the answer's memory. */
void bipe_eval_known_add(bipe_eval_known *known, uint64_t key, size_t model, bipe_task_answer *answer);
/* After the last one was added. */
void bipe_eval_known_sort(bipe_eval_known *known);
/* The answer, which stays the table's; NULL: there is none. */
const bipe_task_answer *bipe_eval_known_find(bipe_eval_known *known, uint64_t key, size_t model);
void bipe_eval_known_free(bipe_eval_known *known);

/* ---- requests, so that the same one is computed once: eval_requests.c ---- */

/* Zero-initialise. */
typedef struct bipe_eval_requests {
    bipe_eval_entry **slot;   /* [slots] open addressing */
    size_t slots, count;
} bipe_eval_requests;

/* The answer to a request that was added, which may come yet; NULL: it is a new one. key: bipe_eval_key() without file
 * and number. */
const bipe_task_answer *bipe_eval_request_find(const bipe_eval_requests *requests, uint64_t key, size_t model);
/* Adds a new request. The place of its answer, which the caller fills, stays where it is. */
bipe_task_answer *bipe_eval_request_add(bipe_eval_requests *requests, uint64_t key, size_t model);
void bipe_eval_requests_free(bipe_eval_requests *requests);

/* ---- results ---- */

/* A model in reports. Texts belong to the run. */
typedef struct bipe_eval_about {
    const char *name, *path, *scheme, *segmenter, *precision; /* path NULL: predictions were judged */
    char scheme_text[256];
    uint64_t parameters, train_length;
} bipe_eval_about;

/* The records of one file that were judged, in their order. */
typedef struct bipe_eval_result {
    const char *file;
    uint64_t records, skipped, truncated; /* judged; left out; judged, and cut for a model */
    bool opened;                          /* the file could be */
    bipe_task_values *values;             /* [records * models] */
    size_t value_capacity;
} bipe_eval_result;

/* One run of the tool. */
typedef struct bipe_eval_run {
    bipe_tool tool;
    bipe_eval_options given;
    bipe_task *task;
    const char *task_name, *task_version; /* of the task, or of the shards that are merged */
    bipe_scheme scheme;                   /* of --scheme and --rope-scaling */
    bipe_rope_scaling scaling;
    bipe_pool *pool;
    bipe_eval_model *model;               /* (models) */
    bipe_eval_about *about;               /* (models) */
    size_t models;
    bipe_shard shard;                     /* count 0: not given */
    bipe_task_template cluster;           /* of --cluster, unless it is no member */
    bipe_eval_requests requests;          /* that were made */
    uint64_t repeated;                    /* requests that were made before, each of a model */
    bipe_eval_known *known;               /* answers of --resume or --score; NULL: none */
    bipe_question *shot;                  /* [shots] */
    size_t shots, shot_capacity;
    struct bipe_eval_item *item;          /* questions that are asked together (eval_run.c) */
    bipe_output *output, *predictions, *submission;
    bipe_json submission_json;
    bipe_eval_result *result;             /* (results) a file each */
    size_t results;
    bool incomplete;                      /* a file could not be opened, or read to its end */
    uint64_t done;                        /* records; for progress */
} bipe_eval_run;

/* Opens task, models, shots and outputs; models: their names, without --score. */
int bipe_eval_open(bipe_eval_run *run, const char *model, bipe_files files, bipe_error *err);
void bipe_eval_close(bipe_eval_run *run);

/* Adds the values of a record (models), which are of its number. */
void bipe_eval_add(const bipe_eval_run *run, bipe_eval_result *result, const bipe_task_values *values);
/* Asks and judges all records of a file. Errors of a record are reported. False: the run is over (eval_run.c). */
bool bipe_eval_file(bipe_eval_run *run, bipe_eval_result *result);
void bipe_eval_free_items(bipe_eval_run *run);

/* "at the start": where prompts that are too long are cut (eval_show.c). */
const char *bipe_eval_cut_place(const bipe_eval_run *run);
/* Prints the prompt of a record as tokens of model number `model`, and what may answer it (eval_show.c). Failures stay
 * in the output. */
void bipe_eval_show(const bipe_eval_run *run, const char *path, size_t model, const bipe_question *question,
                    const bipe_task_prompt *prompt);

/* Writes a line about a record to --predictions (eval_predictions.c). cluster: empty where it has none. */
int bipe_eval_predict(bipe_eval_run *run, const char *model, const bipe_question *question,
                      const bipe_task_answer *answer, const bipe_task_values *values, const bipe_buffer *cleaned,
                      const bipe_buffer *cluster, bipe_error *err);

/* Prints all results: a table, JSON or CSV (eval_report.c). */
int bipe_eval_report(bipe_eval_run *run, bipe_error *err);

/* Members of JSON about the first model, and about the task (eval_shard.c). */
void bipe_eval_write_about(const bipe_eval_run *run, bipe_json *json);
/* The member "shard" of the JSON of a shard (eval_shard.c). */
void bipe_eval_write_shard(const bipe_eval_run *run, bipe_json *json);
/* Prints the merged result of a run's shards; returns the exit status. */
int bipe_eval_merge(bipe_eval_run *run, bipe_files files);
/* Puts the records of a file in order, as one run has them. BIPE_ERR_FORMAT: two have the same number. */
int bipe_eval_sort(const bipe_eval_run *run, bipe_eval_result *result, bipe_error *err);

/* Prints how runs compare whose --predictions these files are; returns the exit status (eval_compare.c). */
int bipe_eval_compare(bipe_eval_run *run, bipe_files files);

/* ---- --cluster ---- */

int bipe_eval_open_cluster(bipe_eval_run *run, bipe_error *err);
/* The cluster of record number `number` of a FILE: its number, and its value, a text with a NUL, empty where the record
 * is a cluster of its own. */
int bipe_eval_cluster(bipe_eval_run *run, size_t file, const char *path, uint64_t number, const json_t *record,
                      bipe_buffer *value, uint64_t *cluster, bipe_error *err);

/* ---- --resume: a line for each answer, "done MODEL KEY PROMPT_TOKENS TRUNCATED ANSWER" ---- */

/* A hash that identifies a question: of the file, its number there, and all text that a model sees. */
uint64_t bipe_eval_key(size_t file, uint64_t number, const bipe_question *question, const bipe_buffer *shots);
int bipe_eval_journal_open(bipe_eval_known *known, const bipe_eval_run *run, const char *path, bipe_error *err);
/* Records an answer; on disk after bipe_journal_commit(). */
int bipe_eval_journal_add(bipe_eval_known *known, uint64_t key, size_t model, const bipe_task_answer *answer,
                          bipe_error *err);

/* ---- --score: lines of --predictions, keyed by their id ---- */

uint64_t bipe_eval_id_key(const bipe_buffer *id);
/* Appends the id of a line. */
int bipe_eval_read_id(const json_t *record, bipe_buffer *id, bipe_error *err);
/* Invalid lines are reported. */
int bipe_eval_read_predictions(bipe_eval_known *known, bipe_tool *tool, const char *path, bool choices,
                               bipe_error *err);

/* ---- statistics of a metric over the records of a file, or of all files: mean, interval, and differences between
 * models: eval_estimate.c ---- */

typedef struct bipe_eval_estimate {
    bipe_estimate estimate;
    const char *method;       /* that gave the interval: `text`, or a constant */
    const char *test;         /* that gave p */
    char text[48];
} bipe_eval_estimate;

/* results: (count) whose records are pooled. If each record has 0 or 1, the error is found by formula, and the interval
 * is Wilson's (1927), which also holds near 0 and 1; otherwise both come from the bootstrap (measure/resample.h). With
 * --cluster, whole clusters of records count. */
int bipe_eval_estimate_metric(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                              size_t count, size_t model, size_t metric, bipe_error *err);
/* The paired difference, model `b` less the first. If each record has 0 or 1, and --cluster is not given, p is that of
 * McNemar's exact test. */
int bipe_eval_estimate_difference(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                                  size_t count, size_t b, size_t metric, bipe_error *err);
/* The number of clusters of all records. */
int bipe_eval_clusters(const bipe_eval_run *run, size_t *clusters, bipe_error *err);

#endif
