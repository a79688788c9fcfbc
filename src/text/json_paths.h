/* json_paths.h - looks for members of a JSON object by name or path, and remembers the names found instead. Names come
 * in pieces, as they are read. For json_records.c. */
#ifndef BIPE_TEXT_JSON_PATHS_H
#define BIPE_TEXT_JSON_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BIPE_JSON_NAMES = 16,         /* of a path, at most */
    BIPE_JSON_SHOWN = 240,        /* bytes of the names of members that an error shows */
    BIPE_JSON_FOUND_SIZE = BIPE_JSON_SHOWN + 40
};

/* How a name compares with a path. */
typedef enum bipe_json_match {
    BIPE_JSON_OTHER,
    BIPE_JSON_OUTER, /* an object of this name may hold the member */
    BIPE_JSON_CHOSEN
} bipe_json_match;

/* A member that is looked for. */
typedef struct bipe_json_path {
    char *name;
    size_t size;
    size_t rest[BIPE_JSON_NAMES]; /* by level: where in the name the rest of the path begins; SIZE_MAX: not in this
                                     object */
    size_t matched;               /* bytes of the current name that match the path */
    bipe_json_match match;        /* of the current name, after its end */
} bipe_json_path;

/* Zero-initialise. */
typedef struct bipe_json_paths {
    bipe_json_path *path;         /* (count) the first is the member that errors are about */
    size_t count;
    unsigned level;               /* of the current object */
    char key[64];                 /* the beginning of the last name */
    size_t key_size;
    char shown[BIPE_JSON_SHOWN + 1]; /* names for an error: "a", "b.c" */
    size_t shown_size, name_count;
    bool full;
} bipe_json_paths;

/* `others` (count) follow the first. Closed in either case. */
int bipe_json_paths_open(bipe_json_paths *paths, const char *first, const char *const *others, size_t count,
                         bipe_error *err);
void bipe_json_paths_close(bipe_json_paths *paths);

/* A record begins. */
void bipe_json_paths_begin(bipe_json_paths *paths);

/* A name of the current object: its beginning, its bytes, its end. */
void bipe_json_paths_begin_name(bipe_json_paths *paths);
void bipe_json_paths_feed_name(bipe_json_paths *paths, const uint8_t *bytes, size_t size);
void bipe_json_paths_end_name(bipe_json_paths *paths);

/* Whether a member that is looked for may be in an object of the last name; which is then entered. It is left by
 * decreasing `level`. */
bool bipe_json_paths_lead_on(const bipe_json_paths *paths);
void bipe_json_paths_enter(bipe_json_paths *paths);

/* Remembers the last name with its path, if the first member may be beside it. */
void bipe_json_paths_note(bipe_json_paths *paths);
/* The names that were remembered: "the members \"a\", \"b.c\"". */
const char *bipe_json_paths_found(const bipe_json_paths *paths, char text[BIPE_JSON_FOUND_SIZE]);

#endif
