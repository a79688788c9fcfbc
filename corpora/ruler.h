/* ruler.h - samples of RULER's tasks (Hsieh et al. 2024, https://github.com/NVIDIA/RULER): what texts are made of, and
 * how one of a given number of units is built. Templates, numbers and the order of things are those of its scripts;
 * ruler.c finds how many units fit, and writes. */
#ifndef BIPE_CORPORA_RULER_H
#define BIPE_CORPORA_RULER_H

#include <bipe/tokenize.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/output.h"
#include "base/status.h"
#include "task/task_steps.h"

enum {
    RULER_CHOICES = 4,     /* the right answers, and as many wrong ones, three times */
    RULER_WORD = 64,       /* bytes of a word at most */
    RULER_NAME = 2 * RULER_WORD + 2,
    RULER_SHORT = 4096     /* below this length lists of common words are smaller */
};

/* ---- what texts are made of: ruler_sources.c ---- */

/* The words of a file, sorted, each once. */
typedef struct ruler_words {
    bipe_buffer text;
    const char **word;
    size_t count, capacity;
} ruler_words;

/* A text that is repeated without an end: its words with one blank between them. */
typedef struct ruler_essay {
    bipe_buffer text;
    size_t *word, words, word_capacity;             /* where each word ends */
    size_t *sentence, sentences, sentence_capacity; /* where each sentence ends */
} ruler_essay;

/* A question about documents, whose numbers are those in the file. */
typedef struct ruler_question {
    const char *query;
    struct json_t *answers, *one;        /* a list of objects with the member text, or a single text */
    size_t own, owns;                    /* the documents that it is about */
    size_t article, article_end;         /* those of the same article; equal: there is none */
} ruler_question;

typedef struct ruler_document {
    char *text;
    size_t number; /* in the file */
} ruler_document;

/* A file of questions; texts belong to it. */
typedef struct ruler_questions {
    struct json_t *file;
    ruler_question *question;
    size_t questions, question_capacity;
    ruler_document *document; /* each once */
    size_t documents, document_capacity;
    size_t *became;           /* by number in the file: which of these */
} ruler_questions;

typedef struct ruler_sources {
    ruler_words nouns, adjectives, verbs, all;
    ruler_essay essay;
    ruler_questions questions[2]; /* of SQuAD, of HotpotQA */
} ruler_sources;

/* A whole file of characters, which a JSON writer passes on as they are. BIPE_ERR_FORMAT: it is not UTF-8. */
int ruler_read_text(bipe_buffer *text, const char *path, bipe_error *err);

/* folder: with nounlist.txt, adjectivelist.txt and verblist.txt, a word a line, as the Python package wonderwords
 * has them. */
int ruler_words_read(ruler_sources *sources, const char *folder, bipe_error *err);
int ruler_essay_read(ruler_essay *essay, const char *path, bipe_error *err);
/* Appends bytes from .. to - 1, without a blank at their beginning. */
void ruler_essay_put(const ruler_essay *essay, size_t from, size_t to, bipe_buffer *text);
/* Where the number-th word or sentence ends, from 1; 0 for 0. */
size_t ruler_essay_end(const ruler_essay *essay, const size_t *end, size_t count, size_t number);
/* Words and essay. */
void ruler_sources_free(ruler_sources *sources);

/* The file of SQuAD (2.0, or 1.1) or of HotpotQA, as they are published: ruler_questions.c. BIPE_ERR_FORMAT says where
 * it is something else. */
int ruler_questions_read(ruler_questions *questions, const char *path, bool hotpot, bipe_error *err);
/* The documents that a text about a question has at least. */
size_t ruler_question_least(const ruler_questions *questions, uint64_t index);
void ruler_questions_free(ruler_questions *questions);

/* ---- samples ---- */

typedef struct ruler_order {
    size_t *item, capacity;
} ruler_order;

typedef struct ruler_sample {
    bipe_buffer text;                       /* the input, with the answer prefix at its end */
    size_t prefix;                          /* where the latter begins */
    bipe_task_texts answer[RULER_CHOICES];  /* the first are right */
    ruler_order order, words, mark;         /* for lists that are shuffled; words, mark: for the task's own use */
    bipe_buffer made;                       /* words of letters */
} ruler_sample;

/* How several answers are written as one text. */
typedef enum ruler_style {
    RULER_STYLE_AND,     /* a, b, and c */
    RULER_STYLE_BLANKS,  /* a b c */
    RULER_STYLE_NUMBERS, /* 1. a 2. b 3. c */
    RULER_STYLE_FIRST    /* a: the others are the same in other words */
} ruler_style;

struct ruler_draw;
typedef int ruler_build(struct ruler_draw draw, size_t units, ruler_sample *sample, bipe_error *err);

typedef enum ruler_haystack { RULER_NOISE, RULER_ESSAY, RULER_NEEDLES } ruler_haystack;
typedef enum ruler_value { RULER_NUMBERS, RULER_WORDS, RULER_UUIDS } ruler_value;

typedef struct ruler_task {
    const char *name;
    ruler_build *build;
    size_t least;       /* units of the shortest text */
    size_t reserve;     /* tokens that the answer may have */
    ruler_style style;
    bool words, essay;  /* what it needs */
    bool questions, hotpot; /* of a file; of HotpotQA's */
    bool place;         /* samples say at which token the answer is */
    ruler_haystack haystack;             /* of needles */
    ruler_value key, value;
    size_t keys, values, queries;        /* values: of each key */
} ruler_task;

/* What a sample follows from, beside the number of its units. */
typedef struct ruler_draw {
    const ruler_sources *from;
    const ruler_task *task;
    uint64_t length, index;
    bool example;         /* an example comes first, where the task has one */
    size_t example_units;
    uint64_t random;      /* the same for any number of units */
} ruler_draw;

extern const ruler_task ruler_tasks[]; /* a last one has no name */
/* The example of variable tracking, which is fitted to a length of its own. */
extern const ruler_task ruler_example;
enum { RULER_EXAMPLE_LENGTH = 500 };

ruler_build ruler_build_needles, ruler_build_chains, ruler_build_example, ruler_build_common, ruler_build_frequent,
    ruler_build_questions;

/* Appends texts up to NULL. A failure is remembered by the buffer. */
void ruler_put(bipe_buffer *buffer, ...);
void ruler_put_number(bipe_buffer *buffer, const char *before, size_t number, const char *after);
/* Adds an answer to those of a choice. */
int ruler_add(ruler_sample *sample, size_t choice, const char *answer, bipe_error *err);
/* The answers of a choice as one text. */
void ruler_put_answers(bipe_buffer *buffer, const bipe_task_texts *answers, ruler_style style);
/* `count` numbers below `most`, none twice, sorted. */
void ruler_draw_places(uint64_t *random, size_t most, size_t *place, size_t count);
/* 0 .. count - 1 in random order. */
int ruler_draw_order(uint64_t *random, size_t count, ruler_order *order, bipe_error *err);

/* ---- lengths: ruler_count.c ---- */

typedef struct ruler_counter ruler_counter;

int ruler_counter_open(ruler_counter **counter, const bipe_tokenizer *tokenizer, bipe_error *err);
/* How many tokens a text has, exactly. */
int ruler_count(ruler_counter *counter, const uint8_t *text, size_t size, size_t *tokens, bipe_error *err);
void ruler_counter_close(ruler_counter *counter);

/* ---- records: ruler_write.c ---- */

/* What a thread works with. */
typedef struct ruler_worker {
    ruler_counter *counter;
    ruler_sample sample, longest; /* longest: while a sample is fitted */
    bool with_answer; /* samples end with the right answer, as texts to train on */
} ruler_worker;

int ruler_worker_open(ruler_worker **worker, const bipe_tokenizer *tokenizer, bool with_answer, bipe_error *err);
void ruler_worker_close(ruler_worker *worker);

/* What is known of a task's lengths; all 0 at first. */
typedef struct ruler_fit {
    size_t units;         /* of the last sample */
    size_t least, tokens; /* of the shortest text */
    double rate;          /* tokens of a unit beyond those, about */
} ruler_fit;

/* Makes worker->sample of the most units with which it has at most draw->length tokens: one unit more does not fit.
 * Begins with those in *fit. *tokens: with those that are reserved for the answer. BIPE_ERR_ARGUMENT: not even the
 * shortest text fits. */
int ruler_fit_sample(ruler_worker *worker, ruler_fit *fit, const ruler_draw *draw, size_t *tokens, bipe_error *err);
/* The same, written as a record. gold: the number of the right choice. */
int ruler_write_sample(ruler_worker *worker, ruler_fit fit, const ruler_draw *draw, size_t gold,
                       bipe_output *output, bipe_error *err);

#endif
