/* mapped.c - see mapped.h. */
#include "token/pipeline/mapped.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

/* PCRE2's compiled patterns read a text by whole vectors: after it there is memory with something in it. */
enum { TEXT_SLACK = 32 };

static int grow_text(bipe_mapped *m, size_t more, bipe_error *err)
{
    if (more > UINT32_MAX - m->size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a text grows beyond 4 GiB when it is normalized");
    size_t want = m->size + more, had = m->text_capacity;
    if (bipe_grow(&m->text, &m->text_capacity, want + TEXT_SLACK, 1) != 0 ||
        bipe_grow(&m->start, &m->start_capacity, want, sizeof *m->start) != 0 ||
        bipe_grow(&m->end, &m->end_capacity, want, sizeof *m->end) != 0)
        return bipe_fail_memory(err);
    if (m->text_capacity != had)
        memset(m->text + had, 0, m->text_capacity - had);
    return BIPE_OK;
}

int bipe_mapped_reserve(bipe_mapped *m, size_t more, bipe_error *err)
{
    size_t want = m->size + more;
    bool room = want >= more && want <= UINT32_MAX && want + TEXT_SLACK <= m->text_capacity &&
                want <= m->start_capacity && want <= m->end_capacity;
    return room ? BIPE_OK : grow_text(m, more, err);
}

/* each: every byte stands for one. */
static int append_bytes(bipe_mapped *out, const void *bytes, size_t size, uint32_t start, uint32_t end, bool each,
                        bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    int status = bipe_mapped_reserve(out, size, err);
    if (status != BIPE_OK)
        return status;
    memcpy(out->text + out->size, bytes, size);
    uint32_t *starts = out->start + out->size, *ends = out->end + out->size;
    if (each)
        for (size_t i = 0; i < size; i++) {
            starts[i] = start + (uint32_t)i;
            ends[i] = start + (uint32_t)i + 1;
        }
    else
        for (size_t i = 0; i < size; i++) {
            starts[i] = start;
            ends[i] = end;
        }
    out->size += size;
    return BIPE_OK;
}

int bipe_mapped_append(bipe_mapped *out, const void *bytes, size_t size, uint32_t start, uint32_t end, bipe_error *err)
{
    return append_bytes(out, bytes, size, start, end, size == end - start, err);
}

int bipe_mapped_copy(bipe_mapped *out, const bipe_mapped *in, size_t from, size_t to, bipe_error *err)
{
    size_t size = to - from;
    if (size == 0)
        return BIPE_OK;
    int status = bipe_mapped_reserve(out, size, err);
    if (status != BIPE_OK)
        return status;
    memcpy(out->text + out->size, in->text + from, size);
    memcpy(out->start + out->size, in->start + from, size * sizeof *out->start);
    memcpy(out->end + out->size, in->end + from, size * sizeof *out->end);
    out->size += size;
    return BIPE_OK;
}

int bipe_mapped_replace(bipe_mapped *out, const void *bytes, size_t size, const bipe_mapped *in, size_t from, size_t to,
                        bipe_error *err)
{
    int32_t code;
    if (size == to - from && (size <= 1 || bipe_utf8_decode(bytes, size, &code) == size)) {
        /* One character for as many bytes keeps what is known about each byte. */
        size_t at = out->size;
        int status = bipe_mapped_copy(out, in, from, to, err);
        if (status == BIPE_OK && size != 0)
            memcpy(out->text + at, bytes, size);
        return status;
    }
    uint32_t start, end;
    if (from < to) {
        start = in->start[from];
        end = in->end[to - 1];
    } else {
        start = end = from < in->size ? in->start[from] : in->size != 0 ? in->end[in->size - 1] : 0;
        if (out->size != 0 && out->end[out->size - 1] > end)
            end = out->end[out->size - 1];
    }
    return append_bytes(out, bytes, size, start, end, false, err);
}

void bipe_mapped_free(bipe_mapped *m)
{
    bipe_free(m->text);
    bipe_free(m->start);
    bipe_free(m->end);
    *m = (bipe_mapped){0};
}

int bipe_ranges_add(bipe_ranges *r, size_t start, size_t end, bipe_error *err)
{
    if (start >= end)
        return BIPE_OK;
    if (r->count == r->capacity && bipe_grow(&r->range, &r->capacity, r->count + 1, sizeof *r->range) != 0)
        return bipe_fail_memory(err);
    r->range[r->count++] = (bipe_range){.start = (uint32_t)start, .end = (uint32_t)end};
    return BIPE_OK;
}

void bipe_ranges_free(bipe_ranges *r)
{
    bipe_free(r->range);
    *r = (bipe_ranges){0};
}
