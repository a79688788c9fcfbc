/* stats_judge.c - compares the segments of documents with those of a reference, as the text goes by. Only boundaries
 * are kept and, where misses are shown, the text in a spool. */
#include "tools/stats/stats_gold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/spool.h"
#include "cli/columns.h"
#include "cli/tool_alloc.h"
#include "text/utf8.h"

enum { SPOOL_MEMORY = 1 << 20, CONTEXT = 60 /* characters */, CONTEXT_BYTES = 4 * CONTEXT };

/* The boundaries of one side: characters before each, and the byte offset after the last of these. */
typedef struct boundaries {
    uint64_t *at, *edge;
    size_t count, at_capacity, edge_capacity;
    size_t seen; /* of those of the batch */
} boundaries;

struct stats_judge {
    const char *const *specs;
    boundaries *found;   /* (segmenters) */
    size_t segmenters;
    boundaries expected;
    stats_gold gold;     /* of the present file */
    const stats_gold_document *document;
    uint64_t number;     /* of the document */
    size_t next;         /* of its reference ends */
    stats_places places;
    bipe_spool *text;    /* NULL: misses are not collected */
    uint64_t misses_most, *misses_of; /* (segmenters) in this file */
    stats_misses misses; /* of the file */
    const char *path;
    size_t file;
};

stats_judge *stats_judge_open(const char *const *specs, size_t segmenters, uint64_t misses)
{
    stats_judge *j = bipe_tool_alloc(1, sizeof *j);
    *j = (stats_judge){.specs = specs, .segmenters = segmenters, .misses_most = misses,
                       .found = bipe_tool_alloc(segmenters, sizeof *j->found),
                       .misses_of = bipe_tool_alloc(segmenters, sizeof *j->misses_of)};
    return j;
}

static void free_boundaries(boundaries *b)
{
    bipe_free(b->at);
    bipe_free(b->edge);
}

void stats_judge_close(stats_judge *j)
{
    if (j == NULL)
        return;
    for (size_t s = 0; s < j->segmenters; s++)
        free_boundaries(&j->found[s]);
    free_boundaries(&j->expected);
    stats_gold_close(&j->gold);
    stats_misses_free(&j->misses);
    bipe_spool_close(j->text);
    bipe_free(j->misses_of);
    bipe_free(j->found);
    bipe_free(j);
}

int stats_judge_file(stats_judge *j, const char *path, size_t index, const char *gold, bipe_error *err)
{
    j->path = path;
    j->file = index;
    memset(j->misses_of, 0, j->segmenters * sizeof *j->misses_of);
    stats_gold_close(&j->gold);
    return stats_gold_open(&j->gold, gold, err);
}

int stats_judge_end_file(stats_judge *j, uint64_t documents, stats_misses *misses, bipe_error *err)
{
    stats_misses_add(misses, &j->misses, (size_t)j->misses_most);
    if (documents == BIPE_NO_UINT || j->gold.count <= documents || j->gold.blank)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: found reference segments of %zu documents, expected %" PRIu64
                                           ", as %s has",
                     j->gold.path, j->gold.count, documents, j->path);
}

/* ---- documents ---- */

/* The next end that the reference gives as a number of characters is waited for. */
static void wait_for_end(stats_judge *j)
{
    const stats_gold_document *d = j->document;
    j->places.until = d->hash != NULL && j->next < d->count ? d->end[j->next] : 0;
}

int stats_judge_begin(stats_judge *j, uint64_t document, bipe_error *err)
{
    if (document >= j->gold.count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: found reference segments of %zu document%s, expected those of "
                                               "document %" PRIu64 " (from 0) of %s",
                         j->gold.path, j->gold.count, j->gold.count == 1 ? "" : "s", document, j->path);
    j->number = document;
    j->document = &j->gold.document[document];
    j->next = 0;
    j->places = (stats_places){.hash = BIPE_HASH_EMPTY};
    j->expected.count = 0;
    for (size_t s = 0; s < j->segmenters; s++)
        j->found[s].count = 0;
    wait_for_end(j);
    if (j->text != NULL)
        bipe_spool_truncate(j->text, 0);
    return j->misses_most != 0 && j->text == NULL ? bipe_spool_open(&j->text, SPOOL_MEMORY, err) : BIPE_OK;
}

/* Here is a boundary, unless it follows white space alone. */
static void add_boundary(boundaries *b, const stats_places *places)
{
    if (places->count == 0 || (b->count != 0 && b->at[b->count - 1] == places->count))
        return;
    bipe_tool_grow(&b->at, &b->at_capacity, b->count + 1, sizeof *b->at);
    bipe_tool_grow(&b->edge, &b->edge_capacity, b->count + 1, sizeof *b->edge);
    b->at[b->count] = places->count;
    b->edge[b->count++] = places->edge;
}

/* The text up to the end of a reference segment must be that of the reference. */
static int check_text(const stats_judge *j, bipe_error *err)
{
    return j->places.hash == j->document->hash[j->next]
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_FORMAT, "%s: document %" PRIu64 ": %s: the text of segment %zu, which ends "
                                                 "before byte %" PRIu64 ", is another, expected the same but for white "
                                                 "space",
                           j->path, j->number, j->gold.path, j->next + 1, j->places.edge);
}

/* Walks to the next place where something ends, `size` at most. */
static int walk_on(stats_judge *j, const bipe_batch *batch, size_t *at, bipe_error *err)
{
    const stats_gold_document *d = j->document;
    uint64_t to = batch->byte_offset + batch->byte_count;
    for (size_t s = 0; s < j->segmenters; s++) {
        const boundaries *b = &j->found[s];
        if (b->seen < batch->boundary_count[s] && batch->boundaries[s][b->seen] < to)
            to = batch->boundaries[s][b->seen];
    }
    if (d->hash == NULL && j->next < d->count && d->end[j->next] < to)
        to = d->end[j->next];
    *at = stats_places_walk(&j->places, batch->bytes, batch->byte_count, *at,
                            to > batch->byte_offset ? (size_t)(to - batch->byte_offset) : 0, batch->byte_offset);
    uint64_t here = batch->byte_offset + *at;
    for (size_t s = 0; s < j->segmenters; s++) {
        boundaries *b = &j->found[s];
        for (; b->seen < batch->boundary_count[s] && batch->boundaries[s][b->seen] <= here; b->seen++)
            add_boundary(b, &j->places);
    }
    for (; d->hash == NULL && j->next < d->count && d->end[j->next] <= here; j->next++) {
        if (d->end[j->next] < here)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: document %" PRIu64 ": %s: segment %zu ends at byte %" PRIu64
                                                   ", within a character, expected offsets of bytes, not of characters",
                             j->path, j->number, j->gold.path, j->next + 1, d->end[j->next]);
        add_boundary(&j->expected, &j->places);
    }
    if (j->places.until == 0 || j->places.count < j->places.until)
        return BIPE_OK;
    int status = check_text(j, err);
    add_boundary(&j->expected, &j->places);
    j->next++;
    wait_for_end(j);
    return status;
}

int stats_judge_feed(stats_judge *j, const bipe_batch *batch, bipe_error *err)
{
    int status = j->text != NULL ? bipe_spool_append(j->text, batch->bytes, batch->byte_count, err) : BIPE_OK;
    for (size_t s = 0; s < j->segmenters; s++)
        j->found[s].seen = 0;
    size_t at = 0;
    for (bool more = batch->byte_count != 0; more && status == BIPE_OK; more = at < batch->byte_count)
        status = walk_on(j, batch, &at, err);
    if (status != BIPE_OK || !batch->last)
        return status;
    if (j->gold.blank && j->places.count != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: no reference segments of %s, expected byte offsets, a segment per "
                                               "line, or JSON Lines",
                         j->gold.path, j->path);
    for (size_t s = 0; s < j->segmenters; s++)
        add_boundary(&j->found[s], &j->places);
    add_boundary(&j->expected, &j->places);
    if (j->next == j->document->count)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: document %" PRIu64 ": %s: segment %zu ends after %" PRIu64
                                           " %s, expected at most the %" PRIu64 " of the text",
                     j->path, j->number, j->gold.path, j->next + 1, j->document->end[j->next],
                     j->document->hash != NULL ? "characters that are not white space" : "bytes",
                     j->document->hash != NULL ? j->places.count : batch->byte_offset + batch->byte_count);
}

bool stats_judge_find(stats_judge *j, size_t segmenter, bipe_agreement value[BIPE_AGREEMENT_COUNT])
{
    const boundaries *f = &j->found[segmenter], *e = &j->expected;
    if (e->count != 0)
        bipe_agreement_find(value, f->at, f->count, e->at, e->count, j->places.count);
    return e->count != 0;
}

/* ---- misses ---- */

/* Up to CONTEXT characters before, or from, a byte offset. */
static int read_context(stats_judge *j, uint64_t offset, bool before, char **text, bipe_error *err)
{
    uint64_t size = bipe_spool_size(j->text), from = offset, to = offset;
    if (before)
        from -= offset > CONTEXT_BYTES ? CONTEXT_BYTES : offset;
    else
        to += size - offset > CONTEXT_BYTES ? CONTEXT_BYTES : size - offset;
    size_t length = (size_t)(to - from), characters = 0, at;
    uint8_t bytes[CONTEXT_BYTES];
    int status = length != 0 ? bipe_spool_read(j->text, from, bytes, length, err) : BIPE_OK;
    if (before) {
        for (at = length; at > 0 && characters < CONTEXT; characters += (bytes[at] & 0xC0) != 0x80)
            at--;
        length -= at;
        memmove(bytes, bytes + at, length);
    } else {
        for (at = 0; at < length && characters <= CONTEXT; at++)
            characters += (bytes[at] & 0xC0) != 0x80;
        length = characters > CONTEXT ? at - 1 : bipe_utf8_complete(bytes, length);
    }
    *text = bipe_tool_alloc(length + 1, 1);
    memcpy(*text, bytes, length);
    for (char *c = *text; c < *text + length; c++)
        *c = *c != '\0' ? *c : ' ';
    return status;
}

static int add_miss(stats_judge *j, size_t segmenter, uint64_t edge, bool is_found, bipe_error *err)
{
    stats_miss miss = {.segmenter = segmenter, .file = j->file, .document = j->number, .offset = edge,
                       .of = j->specs[segmenter], .path = j->path, .found = is_found ? "end" : "no end",
                       .expected = is_found ? "no end" : "end"};
    if (j->misses_of[segmenter]++ >= j->misses_most)
        return BIPE_OK;
    int status = read_context(j, edge, true, &miss.before, err);
    if (status == BIPE_OK)
        status = read_context(j, edge, false, &miss.after, err);
    bipe_tool_grow(&j->misses.miss, &j->misses.capacity, j->misses.count + 1, sizeof miss);
    j->misses.miss[j->misses.count++] = miss;
    return status;
}

int stats_judge_collect(stats_judge *j, bipe_error *err)
{
    const boundaries *e = &j->expected;
    int status = BIPE_OK;
    for (size_t s = 0; s < j->segmenters && j->text != NULL; s++) {
        const boundaries *f = &j->found[s];
        for (size_t a = 0, b = 0; (a < f->count || b < e->count) && status == BIPE_OK;) {
            uint64_t found = a < f->count ? f->at[a] : UINT64_MAX, expected = b < e->count ? e->at[b] : UINT64_MAX;
            if (found != expected)
                status = add_miss(j, s, found < expected ? f->edge[a] : e->edge[b], found < expected, err);
            a += found <= expected;
            b += expected <= found;
        }
    }
    return status;
}

static int compare_misses(const void *x, const void *y)
{
    const stats_miss *a = x, *b = y;
    if (a->segmenter != b->segmenter)
        return a->segmenter < b->segmenter ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->document != b->document)
        return a->document < b->document ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void stats_misses_add(stats_misses *into, stats_misses *from, size_t most)
{
    size_t kept = 0, of = 0;
    bipe_tool_grow(&into->miss, &into->capacity, into->count + from->count, sizeof *into->miss);
    if (from->count != 0)
        memcpy(into->miss + into->count, from->miss, from->count * sizeof *from->miss);
    into->count += from->count;
    from->count = 0;
    if (into->count != 0)
        qsort(into->miss, into->count, sizeof *into->miss, compare_misses);
    for (size_t i = 0; i < into->count; i++) {
        of = i > 0 && into->miss[i].segmenter == into->miss[i - 1].segmenter ? of + 1 : 0;
        if (of < most) {
            into->miss[kept++] = into->miss[i];
            continue;
        }
        bipe_free(into->miss[i].before);
        bipe_free(into->miss[i].after);
    }
    into->count = kept;
}

void stats_misses_free(stats_misses *misses)
{
    for (size_t i = 0; i < misses->count; i++) {
        bipe_free(misses->miss[i].before);
        bipe_free(misses->miss[i].after);
    }
    bipe_free(misses->miss);
    *misses = (stats_misses){0};
}
