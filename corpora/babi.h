/* babi.h - small worlds for the twenty bAbI tasks (Weston et al. 2015, "Towards AI-Complete Question Answering"):
 * facts in plain sentences, a question, and the answer that follows from them. Sentences and answers are those of the
 * data set that BABILong (Kuratov et al. 2024) hides in long texts, version 1.2. */
#ifndef BIPE_CORPORA_BABI_H
#define BIPE_CORPORA_BABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BABI_TASKS = 20, BABI_FACTS = 64, BABI_TEXT = 120, BABI_ANSWERS = 12 };

typedef struct babi_sample {
    char fact[BABI_FACTS][BABI_TEXT], question[BABI_TEXT], answer[BABI_TEXT];
    size_t facts;
    uint64_t support; /* bit n: the answer follows from fact n, with the others whose bits are set */
} babi_sample;

typedef struct babi_task {
    const char *name, *about;    /* "qa1" ... "qa20"; "single supporting fact" ... */
    const char *const *answers;  /* all that there may be; NULL-terminated */
    bool (*draw)(const struct babi_task *task, size_t facts, uint64_t *random, babi_sample *sample);
    size_t least, most;          /* facts of a story, where their number is drawn */
    unsigned acts, question;     /* what the facts of a story may be; what is asked for */
} babi_task;

extern const babi_task babi_tasks[BABI_TASKS];

/* A sample with this answer and at most `most` facts (0: as many as the task has). false: none was found. */
bool babi_draw(const babi_task *task, const char *answer, size_t most, uint64_t *random, babi_sample *sample);

#endif
