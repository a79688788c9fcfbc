/* result_file.h - reads results of the tools (--json) back, for --merge. They may come from anywhere, so every member
 * is checked. */
#ifndef BIPE_CLI_RESULT_FILE_H
#define BIPE_CLI_RESULT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/input.h"
#include "base/status.h"

/* A result that is read. After the first failure nothing more is read: functions do nothing, and targets stay as they
 * are. */
typedef struct bipe_result {
    json_t *root;     /* the object that a tool of this version wrote; json_incref() keeps it */
    bipe_input *input;
    bipe_error *err;
    int status;       /* BIPE_OK, or that of the first failure, which *err describes */
    char where[64];   /* what leads to the present object, for errors: "results[3]." */
} bipe_result;

/* Reads `path` ("-": standard input), a result of a tool. written_by: the tool and its options, such as "bipe-stats
 * --json". BIPE_ERR_ARGUMENT: of another version. */
void bipe_result_open(bipe_result *result, const char *path, const char *written_by, bipe_error *err);
/* Returns the status. An error of the contents gets the file's name in front. */
int bipe_result_close(bipe_result *result);

/* The JSON of an input of which `size` bytes have been read already; expected: for the error. The caller releases
 * *root. */
int bipe_result_load(json_t **root, bipe_input *input, const uint8_t *head, size_t size, const char *expected,
                     bipe_error *err);

/* BIPE_ERR_FORMAT: "WHEREKEY: expected ...", where `where` is what leads to the object, such as "model." */
int bipe_result_wrong(bipe_error *err, const char *where, const char *key, const char *expected);

/* The type of a member, and that of its target. */
typedef enum bipe_result_kind {
    BIPE_RESULT_UINT,   /* uint64_t: from 0 to 2^63 - 1, or to `most` */
    BIPE_RESULT_TEXT,   /* const char *: it belongs to the object */
    BIPE_RESULT_BOOL,   /* bool */
    BIPE_RESULT_WORD,   /* int: its number among `words` */
    BIPE_RESULT_SUM,    /* bipe_exact */
    BIPE_RESULT_HASH,   /* uint64_t: 16 hexadecimal digits */
    BIPE_RESULT_LIST    /* const json_t *: it belongs to the object */
} bipe_result_kind;

/* A member of an object, and where its value goes. */
typedef struct bipe_result_member {
    const char *key;          /* or a path to it: "shard.count" */
    bipe_result_kind kind;
    void *target;
    bool optional;            /* absent or null: the target stays as it is */
    uint64_t most;            /* 0: no bound */
    const char *const *words; /* then NULL */
    const char *expected;     /* for the error; NULL: as usual for the kind */
} bipe_result_member;

/* A bipe_result_member: BIPE_MEMBER("count", UINT, &count, .most = 9). */
#define BIPE_MEMBER(name, type, ...) {.key = (name), .kind = BIPE_RESULT_##type, .target = __VA_ARGS__}

/* Reads members of the present object. BIPE_ERR_FORMAT names the first that is wrong. */
#define BIPE_MEMBERS(result, object, ...) \
    bipe_result_members(result, object, (const bipe_result_member[]){__VA_ARGS__, {0}})
void bipe_result_members(bipe_result *result, const json_t *object, const bipe_result_member *member);
/* Element i of the list under `key`, which becomes the present object. */
const json_t *bipe_result_element(bipe_result *result, const json_t *list, const char *key, size_t i);
/* The root becomes the present object again. */
void bipe_result_end_list(bipe_result *result);
/* BIPE_ERR_FORMAT unless a member of the present object is `good`. */
void bipe_result_expect(bipe_result *result, bool good, const char *key, const char *expected);
/* One number that is an element of a list, and a list of so many numbers. */
bool bipe_result_number(const json_t *value, uint64_t *number);
bool bipe_result_numbers(const json_t *list, uint64_t *number, size_t count);

#endif
