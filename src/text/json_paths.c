/* json_paths.c - names of members compared with paths; see json_paths.h. */
#include "text/json_paths.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

#define NOWHERE SIZE_MAX

int bipe_json_paths_open(bipe_json_paths *p, const char *first, const char *const *others, size_t count,
                         bipe_error *err)
{
    p->path = bipe_alloc(count + 1, sizeof *p->path);
    bool made = p->path != NULL;
    for (; made && p->count <= count; p->count++) {
        bipe_json_path *path = &p->path[p->count];
        path->name = bipe_strdup(p->count == 0 ? first : others[p->count - 1]);
        made = path->name != NULL;
        path->size = made ? strlen(path->name) : 0;
    }
    return made ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_json_paths_close(bipe_json_paths *p)
{
    for (size_t i = 0; i < p->count; i++)
        bipe_free(p->path[i].name);
    bipe_free(p->path);
    *p = (bipe_json_paths){0};
}

void bipe_json_paths_begin(bipe_json_paths *p)
{
    p->level = 0;
    p->shown_size = p->name_count = 0;
    p->full = false;
    for (size_t i = 0; i < p->count; i++)
        p->path[i].rest[0] = 0;
}

void bipe_json_paths_begin_name(bipe_json_paths *p)
{
    p->key_size = 0;
    for (size_t i = 0; i < p->count; i++) {
        p->path[i].matched = 0;
        p->path[i].match = p->path[i].rest[p->level] == NOWHERE ? BIPE_JSON_OTHER : BIPE_JSON_OUTER;
    }
}

void bipe_json_paths_feed_name(bipe_json_paths *p, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < p->count; i++) {
        bipe_json_path *path = &p->path[i];
        if (path->match == BIPE_JSON_OTHER)
            continue;
        size_t at = path->rest[p->level] + path->matched;
        if (size <= path->size - at && memcmp(path->name + at, bytes, size) == 0)
            path->matched += size;
        else
            path->match = BIPE_JSON_OTHER;
    }
    if (p->key_size == 0) {
        p->key_size = size < sizeof p->key ? size : sizeof p->key;
        memcpy(p->key, bytes, p->key_size);
    }
}

void bipe_json_paths_end_name(bipe_json_paths *p)
{
    p->key_size = bipe_utf8_complete((const uint8_t *)p->key, p->key_size);
    for (size_t i = 0; i < p->count; i++) {
        bipe_json_path *path = &p->path[i];
        if (path->match == BIPE_JSON_OTHER)
            continue;
        char next = path->name[path->rest[p->level] + path->matched];
        path->match = next == '\0' ? BIPE_JSON_CHOSEN : next == '.' ? BIPE_JSON_OUTER : BIPE_JSON_OTHER;
    }
}

bool bipe_json_paths_lead_on(const bipe_json_paths *p)
{
    bool outer = false;
    for (size_t i = 0; i < p->count; i++)
        outer = outer || p->path[i].match == BIPE_JSON_OUTER;
    return outer && p->level + 1 < BIPE_JSON_NAMES;
}

void bipe_json_paths_enter(bipe_json_paths *p)
{
    if (p->path[0].match != BIPE_JSON_OUTER)
        bipe_json_paths_note(p);
    for (size_t i = 0; i < p->count; i++) {
        bipe_json_path *path = &p->path[i];
        path->rest[p->level + 1] = path->match == BIPE_JSON_OUTER ? path->rest[p->level] + path->matched + 1 : NOWHERE;
    }
    p->level++;
}

void bipe_json_paths_note(bipe_json_paths *p)
{
    size_t before = p->path[0].rest[p->level], size = before + p->key_size + 4;
    if (before == NOWHERE)
        return;
    p->name_count++;
    p->full = p->full || size > BIPE_JSON_SHOWN - p->shown_size;
    if (!p->full) /* the path with its dot, and the name */
        p->shown_size += (size_t)snprintf(p->shown + p->shown_size, sizeof p->shown - p->shown_size, "%s\"%.*s%.*s\"",
                                          p->shown_size > 0 ? ", " : "", (int)before, p->path[0].name, (int)p->key_size,
                                          p->key);
}

const char *bipe_json_paths_found(const bipe_json_paths *p, char text[BIPE_JSON_FOUND_SIZE])
{
    snprintf(text, BIPE_JSON_FOUND_SIZE, "%s%.*s%s",
             p->name_count == 0   ? "no member"
             : p->name_count == 1 ? "the member "
                                  : "the members ",
             (int)p->shown_size, p->shown,
             !p->full            ? ""
             : p->shown_size > 0 ? ", ..."
                                 : "...");
    return text;
}
