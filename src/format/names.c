/* names.c - names that come from files. */
#include "format/names.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum { CHUNK_SIZE = 16 << 10 };

struct bipe_names_chunk {
    struct bipe_names_chunk *next;
    size_t used, size;
    char text[];
};

const char *bipe_names_copy(bipe_names *names, const char *text, size_t size)
{
    struct bipe_names_chunk *chunk = names->chunk;
    if (size >= PTRDIFF_MAX - sizeof *chunk)
        return NULL;
    size_t need = size + 1;
    if (chunk == NULL || chunk->size - chunk->used < need) {
        size_t room = need > CHUNK_SIZE ? need : CHUNK_SIZE;
        chunk = bipe_alloc(1, sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        chunk->size = room;
        chunk->next = names->chunk;
        names->chunk = chunk;
    }
    char *copy = chunk->text + chunk->used;
    if (size != 0)
        memcpy(copy, text, size);
    copy[size] = '\0';
    chunk->used += need;
    return copy;
}

void bipe_names_free(bipe_names *names)
{
    while (names->chunk != NULL) {
        struct bipe_names_chunk *next = names->chunk->next;
        bipe_free(names->chunk);
        names->chunk = next;
    }
}

int bipe_names_compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t common = a_size < b_size ? a_size : b_size;
    int order = common != 0 ? memcmp(a, b, common) : 0;
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

bool bipe_name_is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            return false;
    return size != 0;
}

const char *bipe_quoted(char out[BIPE_QUOTED_SIZE], const char *text, size_t size)
{
    size_t kept = size > 72 ? 72 : size;
    for (size_t i = 0; i < kept; i++)
        out[i] = text[i] >= 0x20 && text[i] < 0x7F ? text[i] : '?';
    memcpy(out + kept, "...", 3);
    out[kept < size ? kept + 3 : kept] = '\0';
    return out;
}
