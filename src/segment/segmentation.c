/* segmentation.c - opens a SPEC and runs its segmenter over documents; every result is checked. Built-in segmenters
 * come from the list of segmenters/, others from plugin.c. */
#include "segment/segmentation.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "segment/byte_scan.h"
#include "segment/plugin.h"
#include "segment/segmenter_spec.h"

enum { ERROR_SIZE = 512, SCAN_AT_ONCE = 4096 };
enum { PIECE = 1 << 16 }; /* where a multiple of this has been seen, BIPE_UNIT_LIMIT is checked, however the text is
                             cut */

struct bipe_segmentation {
    const bipe_segmenter *segmenter;
    bipe_plugin *plugin; /* NULL for a built-in one */
    void *state;
    bool opened;         /* state must be closed */
    bool running;        /* between a begin and an end or an error */
    bool scans;          /* the segmenter ends segments after a set of bytes: `scan` finds them instead */
    bipe_byte_scan scan;
    char *spec;
    uint64_t seen;       /* end of the text or tokens seen so far */
    uint64_t settled;    /* no further boundary at or before this offset */
    bipe_boundaries boundaries;
    char error[ERROR_SIZE];
};

static int grow_boundaries(bipe_boundaries *boundaries)
{
    if (bipe_grow(&boundaries->offset, &boundaries->capacity, boundaries->count + 1, sizeof *boundaries->offset) != 0)
        return BIPE_SEGMENTER_MEMORY;
    return BIPE_SEGMENTER_OK;
}

/* Makes one terminated line of a segmenter's error text. */
static const char *tidy_error(char error[ERROR_SIZE])
{
    error[ERROR_SIZE - 1] = '\0';
    for (char *c = error; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = ' ';
    return error;
}

/* Puts the known names in front of an error about an unknown one. */
static int name_known(bipe_error *err)
{
    bipe_buffer names = {0};
    bipe_error memory;
    int status = BIPE_OK;
    for (const bipe_segmenter *const *b = bipe_builtin_segmenters; *b != NULL && status == BIPE_OK; b++)
        status = bipe_buffer_printf(&names, &memory, "%s%s", names.size == 0 ? "" : ", ", (*b)->name);
    if (status == BIPE_OK)
        status = bipe_error_prefix(err, "unknown, expected one of %s, or a plug-in", (const char *)names.data);
    else
        status = bipe_fail_memory(err);
    bipe_buffer_free(&names);
    return status;
}

/* Finds the segmenter that the SPEC means. */
static int find_segmenter(bipe_segmentation *s, const bipe_segmenter_spec *parsed, bipe_error *err)
{
    if (!parsed->is_path)
        for (const bipe_segmenter *const *b = bipe_builtin_segmenters; *b != NULL; b++)
            if (strlen((*b)->name) == parsed->name_size && memcmp((*b)->name, parsed->name, parsed->name_size) == 0) {
                s->segmenter = *b;
                return BIPE_OK;
            }
    char *name = bipe_alloc(parsed->name_size + 1, 1);
    if (name == NULL)
        return bipe_fail_memory(err);
    memcpy(name, parsed->name, parsed->name_size);
    int status = parsed->is_path ? bipe_plugin_open(&s->plugin, name, err) : bipe_plugin_find(&s->plugin, name, err);
    bipe_free(name);
    if (status == BIPE_ERR_ARGUMENT)
        status = name_known(err);
    if (status == BIPE_OK)
        s->segmenter = bipe_plugin_segmenter(s->plugin);
    return status;
}

static void learn_separators(bipe_segmentation *s)
{
    bipe_byte_set set = {{0}};
    if (s->segmenter->bytes == NULL || s->segmenter->separators == NULL)
        return;
    s->scans = s->segmenter->separators(s->state, &set) != 0;
    bipe_byte_scan_prepare(&s->scan, &set);
}

static int open_state(bipe_segmentation *s, const char *argument, bipe_error *err)
{
    const bipe_segmenter *segmenter = s->segmenter;
    if (argument != NULL && segmenter->argument == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s takes no argument", segmenter->name);
    if (segmenter->open == NULL) {
        s->opened = true;
        learn_separators(s);
        return BIPE_OK;
    }
    s->error[0] = '\0';
    int result = segmenter->open(&s->state, argument, s->error, sizeof s->error);
    switch (result) {
    case BIPE_SEGMENTER_OK:
        s->opened = true;
        learn_separators(s);
        return BIPE_OK;
    case BIPE_SEGMENTER_MEMORY:
        return bipe_fail_memory(err);
    default:
        tidy_error(s->error);
        if (s->error[0] != '\0')
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s", s->error);
        if (segmenter->argument != NULL)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "bad argument, expected %s:%s", segmenter->name,
                             segmenter->argument);
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the segmenter refused to start");
    }
}

/* "SPEC" in front of an error text. */
static int name_spec(const char *spec, bipe_error *err)
{
    char shown[BIPE_SPEC_SHOWN_SIZE];
    return bipe_error_prefix(err, "segmenter '%s'", bipe_segmenter_spec_show(spec, shown));
}

int bipe_segmentation_open(bipe_segmentation **segmentation, const char *spec, bipe_error *err)
{
    *segmentation = NULL;
    bipe_error unused;
    if (err == NULL)
        err = &unused;
    bipe_segmenter_spec parsed;
    int status = bipe_segmenter_spec_parse(&parsed, spec, err);
    if (status != BIPE_OK) {
        name_spec(spec, err);
        return status;
    }
    bipe_segmentation *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->boundaries.grow = grow_boundaries;
    s->boundaries.error = s->error;
    s->boundaries.error_size = sizeof s->error;
    s->spec = bipe_strdup(spec);
    if (s->spec == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = find_segmenter(s, &parsed, err);
    if (status == BIPE_OK)
        status = open_state(s, parsed.argument, err);
    if (status != BIPE_OK) {
        if (status != BIPE_ERR_MEMORY)
            name_spec(spec, err);
        bipe_segmentation_close(s);
        return status;
    }
    *segmentation = s;
    return BIPE_OK;
}

bool bipe_segmentation_wants_tokens(const bipe_segmentation *segmentation)
{
    return segmentation->segmenter->tokens != NULL;
}

const char *bipe_segmentation_spec(const bipe_segmentation *segmentation)
{
    return segmentation->spec;
}

/* An error at byte `offset` ends the document. */
static int fail_at(bipe_segmentation *s, uint64_t offset, bipe_status status, const char *text, bipe_error *err)
{
    char shown[BIPE_SPEC_SHOWN_SIZE];
    s->running = false;
    return bipe_fail(err, status, "byte %llu: segmenter '%s': %s", (unsigned long long)offset,
                     bipe_segmenter_spec_show(s->spec, shown), text);
}

/* The status for a segmenter's result. An error ends the document. */
static int status_of(bipe_segmentation *s, int result, bipe_error *err)
{
    if (result == BIPE_SEGMENTER_OK)
        return BIPE_OK;
    s->running = false;
    if (result == BIPE_SEGMENTER_MEMORY)
        return bipe_fail_memory(err);
    if (s->error[0] == '\0')
        snprintf(s->error, sizeof s->error, "gave up (status %d) without saying why", result);
    uint64_t at = s->boundaries.settled < s->seen ? s->boundaries.settled : s->settled;
    return fail_at(s, at, result == BIPE_SEGMENTER_LIMIT ? BIPE_ERR_LIMIT : BIPE_ERR_FORMAT, tidy_error(s->error), err);
}

static int broke_rule(bipe_segmentation *s, bipe_error *err)
{
    s->running = false;
    name_spec(s->spec, err);
    return BIPE_ERR_FORMAT;
}

/* After a call: the boundaries from index `first` on are new, and must lie in (s->settled, s->seen]. */
static int check_answer(bipe_segmentation *s, int result, size_t first, bipe_error *err)
{
    bipe_boundaries *b = &s->boundaries;
    int status = status_of(s, result, err);
    if (status != BIPE_OK) {
        if (b->count > first)
            b->count = first;
        return status;
    }
    if (b->count < first || b->count > b->capacity) {
        b->count = first;
        bipe_fail(err, BIPE_ERR_FORMAT, "took boundaries away, expected it to add some or none");
        return broke_rule(s, err);
    }
    uint64_t last = s->settled;
    for (size_t i = first; i < b->count; i++) {
        uint64_t offset = b->offset[i];
        if (offset <= last || offset > s->seen) {
            b->count = i;
            bipe_fail(err, BIPE_ERR_FORMAT,
                      "reported a boundary at offset %llu, expected one after %llu and not beyond %llu",
                      (unsigned long long)offset, (unsigned long long)last, (unsigned long long)s->seen);
            return broke_rule(s, err);
        }
        last = offset;
    }
    if (b->settled > s->seen) {
        bipe_fail(err, BIPE_ERR_FORMAT, "settled at offset %llu, but it has seen no more than %llu",
                  (unsigned long long)b->settled, (unsigned long long)s->seen);
        return broke_rule(s, err);
    }
    /* `settled` never decreases, and is at least the last boundary. */
    if (b->settled < last)
        b->settled = last;
    s->settled = b->settled;
    return BIPE_OK;
}

/* Whether no more is undecided than the caller may have to keep. */
static int check_undecided(bipe_segmentation *s, bipe_error *err)
{
    if (s->seen - s->settled <= BIPE_UNIT_LIMIT)
        return BIPE_OK;
    return fail_at(s, s->settled, BIPE_ERR_LIMIT, "undecided for more than 2 MiB, expected less", err);
}

int bipe_segmentation_begin(bipe_segmentation *s, bipe_error *err)
{
    s->seen = s->settled = s->boundaries.settled = 0;
    s->boundaries.count = 0;
    s->boundaries.choice = NULL;
    s->error[0] = '\0';
    s->running = true;
    return status_of(s, s->segmenter->begin != NULL ? s->segmenter->begin(s->state) : BIPE_SEGMENTER_OK, err);
}

/* Whether this call is allowed now. */
static int check_call(bipe_segmentation *s, bool tokens, bool any, bipe_error *err)
{
    if (!s->running)
        bipe_fail(err, BIPE_ERR_ARGUMENT, "no document has begun");
    else if (!any && tokens != bipe_segmentation_wants_tokens(s))
        bipe_fail(err, BIPE_ERR_ARGUMENT, "was given %s, expected %s", tokens ? "tokens" : "bytes",
                  tokens ? "bytes" : "tokens");
    else
        return BIPE_OK;
    name_spec(s->spec, err);
    return BIPE_ERR_ARGUMENT;
}

/* Replaces bytes() for a segmenter that ends segments after a set of bytes. The result needs no check. */
static int scan_bytes(bipe_segmentation *s, uint64_t offset, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_boundaries *b = &s->boundaries;
    for (size_t n; size > 0; offset += n, bytes += n, size -= n) {
        n = size < SCAN_AT_ONCE ? size : SCAN_AT_ONCE;
        if (bipe_grow(&b->offset, &b->capacity, b->count + n + BIPE_BYTE_SCAN_SLACK, sizeof *b->offset) != 0) {
            s->running = false;
            return bipe_fail_memory(err);
        }
        b->count += s->scan.find(&s->scan, bytes, n, offset + 1, b->offset + b->count);
    }
    s->settled = b->settled;
    return BIPE_OK;
}

int bipe_segmentation_feed_bytes(bipe_segmentation *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = check_call(s, false, false, err);
    if (status != BIPE_OK || size == 0)
        return status;
    if (size > UINT64_MAX - s->seen) {
        bipe_fail(err, BIPE_ERR_ARGUMENT, "the document is longer than offsets can count");
        name_spec(s->spec, err);
        return BIPE_ERR_ARGUMENT;
    }
    for (size_t n; size > 0 && status == BIPE_OK; bytes += n, size -= n) {
        uint64_t offset = s->seen;
        size_t first = s->boundaries.count, most = PIECE - (size_t)(offset % PIECE);
        n = size < most || s->scans ? size : most;
        s->seen = s->boundaries.settled = offset + n;
        if (s->scans)
            status = scan_bytes(s, offset, bytes, n, err);
        else
            status = check_answer(s, s->segmenter->bytes(s->state, offset, bytes, n, &s->boundaries), first, err);
        if (status == BIPE_OK && s->seen % PIECE == 0)
            status = check_undecided(s, err);
    }
    return status;
}

int bipe_segmentation_feed_tokens(bipe_segmentation *s, const bipe_token *tokens, size_t count, bipe_error *err)
{
    int status = check_call(s, true, false, err);
    if (status != BIPE_OK || count == 0)
        return status;
    uint64_t end = s->seen;
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].end < tokens[i].start || tokens[i].end < end) {
            bipe_fail(err, BIPE_ERR_ARGUMENT, "token at offset %llu ends at %llu, expected spans in increasing order",
                      (unsigned long long)tokens[i].start, (unsigned long long)tokens[i].end);
            name_spec(s->spec, err);
            return BIPE_ERR_ARGUMENT;
        }
        end = tokens[i].end;
    }
    size_t first = s->boundaries.count;
    s->seen = end;
    s->boundaries.settled = s->seen;
    status = check_answer(s, s->segmenter->tokens(s->state, tokens, count, &s->boundaries), first, err);
    return status == BIPE_OK ? check_undecided(s, err) : status;
}

int bipe_segmentation_choose(bipe_segmentation *s, bipe_error *err)
{
    int status = check_call(s, false, true, err);
    if (status != BIPE_OK || s->segmenter->choose == NULL)
        return status;
    size_t first = s->boundaries.count;
    s->boundaries.settled = s->settled;
    return check_answer(s, s->segmenter->choose(s->state, &s->boundaries), first, err);
}

int bipe_segmentation_end(bipe_segmentation *s, uint64_t size, bipe_error *err)
{
    int status = check_call(s, false, true, err);
    if (status != BIPE_OK)
        return status;
    if (size < s->seen || (size != s->seen && !bipe_segmentation_wants_tokens(s))) {
        bipe_fail(err, BIPE_ERR_ARGUMENT, "a document of %llu bytes ends, of which it read %llu",
                  (unsigned long long)size, (unsigned long long)s->seen);
        name_spec(s->spec, err);
        return BIPE_ERR_ARGUMENT;
    }
    size_t first = s->boundaries.count;
    s->seen = s->boundaries.settled = size;
    int result = s->segmenter->end != NULL && !s->scans ? s->segmenter->end(s->state, size, &s->boundaries)
                                                        : BIPE_SEGMENTER_OK;
    status = check_answer(s, result, first, err);
    if (status == BIPE_OK)
        s->settled = s->boundaries.settled = size;
    s->running = false;
    return status;
}

const bipe_boundaries *bipe_segmentation_boundaries(const bipe_segmentation *segmentation)
{
    return &segmentation->boundaries;
}

void bipe_segmentation_take(bipe_segmentation *s, size_t count)
{
    bipe_boundaries *b = &s->boundaries;
    if (count > b->count)
        count = b->count;
    if (count == 0)
        return;
    memmove(b->offset, b->offset + count, (b->count - count) * sizeof *b->offset);
    b->count -= count;
}

/* Moves the boundaries that were found to the ends of a text's segments, of which *count are there. */
static void take_ends(bipe_segmentation *s, uint64_t *end, size_t capacity, size_t *count, uint64_t *last)
{
    const bipe_boundaries *found = bipe_segmentation_boundaries(s);
    for (size_t i = 0; i < found->count; i++, ++*count) {
        *last = found->offset[i];
        if (*count < capacity)
            end[*count] = *last;
    }
    bipe_segmentation_take(s, SIZE_MAX);
}

int bipe_segment_text(bipe_segmentation *s, const char *text, size_t size, uint64_t *end, size_t capacity,
                      size_t *count, bipe_error *err)
{
    uint64_t last = 0;
    *count = 0;
    bipe_segmentation_take(s, SIZE_MAX);
    int status = bipe_segmentation_begin(s, err);
    for (size_t at = 0, n; at < size && status == BIPE_OK; at += n) {
        n = size - at < PIECE ? size - at : PIECE;
        status = bipe_segmentation_feed_bytes(s, (const uint8_t *)text + at, n, err);
        take_ends(s, end, capacity, count, &last);
    }
    if (status == BIPE_OK)
        status = bipe_segmentation_end(s, size, err);
    take_ends(s, end, capacity, count, &last);
    if (status == BIPE_OK && last < size && (*count)++ < capacity)
        end[*count - 1] = size;
    return status;
}

void bipe_segmentation_close(bipe_segmentation *s)
{
    if (s == NULL)
        return;
    if (s->opened && s->segmenter->close != NULL)
        s->segmenter->close(s->state);
    bipe_plugin_close(s->plugin);
    bipe_free(s->boundaries.offset);
    bipe_free(s->spec);
    bipe_free(s);
}
