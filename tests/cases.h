/* cases.h - lists of cases that are data: files of tests/cases, one JSON object a line. */
#ifndef BIPE_TESTS_CASES_H
#define BIPE_TESTS_CASES_H

#include <jansson.h>
#include <limits.h>

#include "tests/check.h"

typedef struct test_cases {
    FILE *file;
    const char *name;
    size_t line; /* of the last case */
    json_t *json;
} test_cases;

/* The next case of a file, or NULL at its end. Begin with {.name = ...}. */
static inline const json_t *next_case(test_cases *cases)
{
    json_error_t error;
    if (cases->file == NULL) {
        const char *source = getenv("BIPE_SRCDIR");
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/tests/cases/%s", source != NULL ? source : ".", cases->name);
        cases->file = fopen(path, "r");
        if (cases->file == NULL) {
            fprintf(stderr, "%s: cannot be opened\n", path);
            exit(1);
        }
    }
    json_decref(cases->json);
    cases->json = NULL;
    int byte = getc(cases->file);
    if (byte == EOF) {
        CHECKF(cases->line != 0, "%s", cases->name);
        fclose(cases->file);
        return NULL;
    }
    ungetc(byte, cases->file);
    cases->json = json_loadf(cases->file, JSON_DISABLE_EOF_CHECK, &error);
    cases->line++;
    if (cases->json == NULL || getc(cases->file) != '\n') {
        fprintf(stderr, "%s:%zu: %s\n", cases->name, cases->line, cases->json == NULL ? error.text : "more after the object");
        exit(1);
    }
    return cases->json;
}

/* The text and the answer of pair k of a list [[TEXT, ANSWER], ...] of a case; false: there are no more. */
static inline bool case_pair(const json_t *list, size_t k, const char **text, const char **answer)
{
    const json_t *pair = json_array_get(list, k);
    *text = json_string_value(json_array_get(pair, 0));
    *answer = json_string_value(json_array_get(pair, 1));
    CHECKF(pair == NULL || (*text != NULL && *answer != NULL), "pair %zu", k);
    return *text != NULL && *answer != NULL;
}

#endif
