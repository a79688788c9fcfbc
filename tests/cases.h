/* cases.h - lists of cases that are data: files of tests/cases, a JSON value a line, which goes on in lines that begin
 * with a blank. Lines that are empty or begin with # are skipped. A check that fails says which case it was about. */
#ifndef BIPE_TESTS_CASES_H
#define BIPE_TESTS_CASES_H

#include <jansson.h>
#include <limits.h>
#include <stdarg.h>

#include "base/status.h"
#include "tests/check.h"

typedef struct test_cases {
    FILE *file; /* over `bytes`: a test that forks must not share its place in a file with its children */
    char *bytes;
    const char *name;
    size_t line, count; /* of lines read; of cases */
    json_t *json;
    char text[1 << 14];
} test_cases;

static inline void cases_fail(const char *what, const char *more)
{
    fprintf(stderr, "%s%s%s\n", case_place, what, more);
    exit(1);
}

/* The next case of a file, or NULL at its end. Begin with {.name = ...}. */
static inline const json_t *next_case(test_cases *cases)
{
    if (cases->file == NULL) {
        const char *source = getenv("BIPE_SRCDIR");
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/tests/cases/%s", source != NULL ? source : ".", cases->name);
        FILE *file = fopen(path, "r");
        size_t capacity = 0;
        ssize_t size = file == NULL ? -1 : getdelim(&cases->bytes, &capacity, '\0', file);
        cases->file = size <= 0 ? NULL : fmemopen(cases->bytes, (size_t)size, "r");
        if (cases->file == NULL)
            cases_fail(path, ": cannot be read");
        fclose(file);
    }
    json_decref(cases->json);
    cases->json = NULL;
    size_t used = 0;
    while (fgets(cases->text + used, (int)(sizeof cases->text - used), cases->file) != NULL) {
        json_error_t error;
        cases->line++;
        if (used == 0)
            snprintf(case_place, sizeof case_place, "%s:%zu: ", cases->name, cases->line);
        used += strlen(cases->text + used);
        if (cases->text[used - 1] != '\n')
            cases_fail("a long case, or no end of line", "");
        int next = ungetc(getc(cases->file), cases->file);
        if (cases->text[0] == '#' || cases->text[0] == '\n')
            used = 0;
        if (used == 0 || next == ' ')
            continue;
        cases->json = json_loads(cases->text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
        if (cases->json == NULL)
            cases_fail("no JSON: ", error.text);
        cases->count++;
        return cases->json;
    }
    case_place[0] = '\0';
    if (cases->count == 0)
        cases_fail(cases->name, ": holds no case");
    fclose(cases->file);
    free(cases->bytes);
    return NULL;
}

/* The next case, taken apart as json_unpack() does it, all of it. False: there are no more. */
static inline bool read_case(test_cases *cases, const char *format, ...)
{
    json_error_t error;
    va_list ap;
    if (next_case(cases) == NULL)
        return false;
    va_start(ap, format);
    if (json_vunpack_ex(cases->json, &error, JSON_STRICT, format, ap) != 0)
        cases_fail("no such case: ", error.text);
    va_end(ap);
    return true;
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

/* A file whose case is a string, or an object: the members of `usual` and of it. To be freed. */
static inline char *case_json(json_t *value, const char *usual)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    json_t *object = json_loads(usual, 0, NULL);
    if (object == NULL || json_object_update(object, value) != 0)
        cases_fail("expected an object or a string", "");
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* A status by its name in a file of cases. */
static inline int case_status(const char *name)
{
    static const struct { const char *name; int status; } names[] = {
        {"ok", BIPE_OK}, {"format", BIPE_ERR_FORMAT}, {"unsupported", BIPE_ERR_UNSUPPORTED}, {"limit", BIPE_ERR_LIMIT},
        {"argument", BIPE_ERR_ARGUMENT}, {"io", BIPE_ERR_IO}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].status;
    cases_fail("no status: ", name);
    return -1;
}

#endif
