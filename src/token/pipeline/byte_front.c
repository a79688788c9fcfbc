/* byte_front.c - see byte_front.h. The general way, pipeline_stream.c, is its plain twin.
 *
 * The stream behind sees the changed text: its offsets count that. Of each byte that was changed a place is kept until the tokens
 * there are out; between such bytes the offsets of both texts keep their distance. */
#include "token/pipeline/byte_front.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/added_white.h"
#include "token/pipeline/nfc_check.h"
#include "token/pipeline/normalizers.h"

/* Byte `at` of the changed text stands for [start, end) of the document; `behind`: what the next byte's offset has to be moved by,
 * if it is none of these. */
typedef struct place {
    uint64_t at, start, end;
    int64_t behind;
} place;

struct bipe_byte_front {
    const bipe_pipeline *pipeline;
    bipe_byte_stream *stream;
    const bipe_added_set *raw; /* looked for here, or NULL */
    bool nfc, prefix;
    bipe_tokens *tokens;       /* of the present call */
    bipe_buffer held;          /* what may be changed with the bytes to come; */
    bipe_added_white white;    /* white space that is left out of it */
    uint64_t original;         /* offset in the document of what is given on next */
    uint64_t changed;          /* the same in the changed text */
    bool begun;                /* something of the text between two added tokens went on */
    uint64_t done;             /* where the last token ends */
    place *place;              /* [next, places) */
    size_t places, next, capacity;
    int64_t shift;             /* by which offsets in front of place[next] are moved */
    bipe_mapped in, out;
};

int bipe_byte_front_open(bipe_byte_front **front, const bipe_pipeline *p, bipe_error *err)
{
    bipe_byte_front *f = *front = bipe_alloc(1, sizeof *f);
    if (f == NULL)
        return bipe_fail_memory(err);
    f->pipeline = p;
    f->nfc = p->nfc != NULL;
    f->prefix = p->prefix;
    f->raw = bipe_byte_stream_has_front(p) && bipe_added_is_live(&p->raw) ? &p->raw : NULL;
    int status = bipe_byte_stream_open(&f->stream, p, err);
    if (status == BIPE_OK)
        return status;
    bipe_free(f);
    *front = NULL;
    return status;
}

void bipe_byte_front_trim(bipe_byte_front *f)
{
    bipe_byte_stream_trim(f->stream);
    bipe_mapped_free(&f->in);
    bipe_mapped_free(&f->out);
}

void bipe_byte_front_close(bipe_byte_front *f)
{
    if (f == NULL)
        return;
    bipe_byte_stream_close(f->stream);
    bipe_buffer_free(&f->held);
    bipe_added_white_free(&f->white);
    bipe_free(f->place);
    bipe_mapped_free(&f->in);
    bipe_mapped_free(&f->out);
    bipe_free(f);
}

void bipe_byte_front_begin(bipe_byte_front *f, uint64_t offset)
{
    bipe_byte_stream_begin(f->stream, offset);
    f->held.size = f->places = f->next = 0;
    bipe_added_white_begin(&f->white, &f->pipeline->raw);
    f->original = f->changed = f->done = offset;
    f->begun = false;
    f->shift = 0;
}

/* ---- places ---- */

static int add_place(bipe_byte_front *f, uint64_t start, uint64_t end, uint64_t original, bipe_error *err)
{
    if (f->next == f->places || (f->next > 1024 && f->next > f->places / 2)) {
        f->places -= f->next;
        if (f->places != 0)
            memmove(f->place, f->place + f->next, f->places * sizeof *f->place);
        f->next = 0;
    }
    if (bipe_grow(&f->place, &f->capacity, f->places + 1, sizeof *f->place) != 0)
        return bipe_fail_memory(err);
    int64_t behind = (int64_t)(original - (f->changed + 1));
    f->place[f->places++] = (place){.at = f->changed++, .start = start, .end = end, .behind = behind};
    return BIPE_OK;
}

/* What byte `at` of the changed text stands for; offsets that are asked for do not decrease. */
static void find_place(bipe_byte_front *f, uint64_t at, uint64_t *start, uint64_t *end)
{
    for (; f->next < f->places && f->place[f->next].at < at; f->next++)
        f->shift = f->place[f->next].behind;
    bool kept = f->next < f->places && f->place[f->next].at == at;
    *start = kept ? f->place[f->next].start : at + (uint64_t)f->shift;
    *end = kept ? f->place[f->next].end : at + (uint64_t)f->shift + 1;
}

/* The tokens from the `from`-th on have places of the changed text: they get those of the document. As in the general way, of bytes that stand for
 * the same the first token that has one gets all. */
static void move_tokens(bipe_byte_front *f, size_t from)
{
    bipe_token *token = f->tokens->token;
    for (size_t i = from; i < f->tokens->count; i++) {
        uint64_t start, end, last;
        if (f->next == f->places && f->shift == 0) {
            f->done = token[f->tokens->count - 1].end;
            return;
        }
        find_place(f, token[i].start, &start, &end);
        if (token[i].end > token[i].start)
            find_place(f, token[i].end - 1, &last, &end);
        else
            end = start;
        start = start < f->done ? f->done : start;
        f->done = end > start ? end : start;
        token[i].start = start;
        token[i].end = f->done;
    }
}

/* An error of the stream tells its place in the document. */
static int tell_place(bipe_byte_front *f, int status, bipe_error *err)
{
    uint64_t start, end;
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status;
    find_place(f, bipe_byte_stream_failed(f->stream), &start, &end);
    bipe_error_prefix(err, "offset %" PRIu64, start);
    return status;
}

/* ---- text on its way to the stream ---- */

static int give(bipe_byte_front *f, const uint8_t *text, size_t size, bipe_error *err)
{
    size_t count = f->tokens->count;
    int status = bipe_byte_stream_feed(f->stream, text, size, f->tokens, err);
    move_tokens(f, count);
    return tell_place(f, status, err);
}

/* A space goes in front of a text that begins with none. */
static int begin_text(bipe_byte_front *f, uint8_t first, bipe_error *err)
{
    bool space = f->prefix && !f->begun && first != ' ';
    f->begun = true;
    if (!space)
        return BIPE_OK;
    int status = add_place(f, f->original, f->original, f->original, err);
    return status == BIPE_OK ? give(f, (const uint8_t *)" ", 1, err) : status;
}

static int give_same(bipe_byte_front *f, const uint8_t *text, size_t size, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    int status = begin_text(f, text[0], err);
    f->changed += size;
    f->original += size;
    return status == BIPE_OK ? give(f, text, size, err) : status;
}

static bool is_same(const bipe_mapped *out, const uint8_t *text, size_t size)
{
    bool same = out->size == size && memcmp(out->text, text, size) == 0;
    for (size_t i = 0; same && i < size; i++)
        same = out->start[i] == i && out->end[i] == i + 1;
    return same;
}

/* Marks change places as far as no other character comes. */
static int check_marks(const bipe_byte_front *f, size_t size, bipe_error *err)
{
    size_t limit = f->pipeline->hold_limit < BIPE_PIPELINE_TOGETHER ? f->pipeline->hold_limit : BIPE_PIPELINE_TOGETHER;
    return size <= limit ? BIPE_OK : bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %zu bytes of marks", f->original, limit);
}

static int give_normalized(bipe_byte_front *f, const uint8_t *text, size_t size, bipe_error *err)
{
    f->in.size = f->out.size = 0;
    int status = check_marks(f, size, err);
    if (status == BIPE_OK)
        status = bipe_mapped_put(&f->in, text, size, 0, (uint32_t)size, err);
    if (status == BIPE_OK)
        status = bipe_normalize_form(&f->in, &f->out, false, true, err);
    if (status != BIPE_OK || is_same(&f->out, text, size))
        return status == BIPE_OK ? give_same(f, text, size, err) : status;
    status = f->out.size != 0 ? begin_text(f, f->out.text[0], err) : BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < f->out.size; i++)
        status = add_place(f, f->original + f->out.start[i], f->original + f->out.end[i], f->original + size, err);
    f->original += size;
    return status == BIPE_OK ? give(f, f->out.text, f->out.size, err) : status;
}

/* Gives on what is decided of a text (ends: all of it); *taken bytes. */
static int take_text(bipe_byte_front *f, const uint8_t *text, size_t size, bool ends, size_t *taken, bipe_error *err)
{
    *taken = 0;
    int status = BIPE_OK;
    if (!f->nfc) {
        *taken = size;
        return give_same(f, text, size, err);
    }
    for (bool more = true; status == BIPE_OK && more;) {
        size_t from, to;
        more = bipe_nfc_find(f->pipeline->nfc, text, size, *taken, ends, &from, &to);
        status = give_same(f, text + *taken, from - *taken, err);
        if (status == BIPE_OK && more)
            status = give_normalized(f, text + from, to - from, err);
        *taken = more ? to : from;
    }
    return status;
}

/* ---- added tokens ---- */

/* The text ends here. */
static int end_text(bipe_byte_front *f, bipe_error *err)
{
    size_t count = f->tokens->count;
    int status = bipe_byte_stream_end(f->stream, f->tokens, err);
    move_tokens(f, count);
    f->begun = false;
    return tell_place(f, status, err);
}

/* An added token of `size` bytes and those that are left out: the changed text goes on behind it. */
static int emit(bipe_byte_front *f, uint32_t id, uint64_t size, bipe_error *err)
{
    size += bipe_added_white_take(&f->white);
    uint64_t start = f->original, end = f->original + size;
    start = start < f->done ? f->done : start;
    f->done = end > start ? end : start;
    f->original += size;
    for (; f->next < f->places; f->next++)
        f->shift = f->place[f->next].behind;
    f->shift += (int64_t)size;
    return bipe_tokens_add(f->tokens, start, f->done, id, err);
}

/* As bipe_added_search_next(), where there are any. */
static int find_added(bipe_byte_front *f, const uint8_t *text, size_t size, size_t from, bool final, size_t *start, size_t *end,
                      const bipe_added **added)
{
    if (f->raw != NULL)
        return bipe_added_search_next(&f->white.search, f->raw, text, size, from, final, start, end, added);
    *start = size;
    return -1;
}

static int take(void *context, const uint8_t *text, size_t size, bool final, size_t *taken, bipe_error *err)
{
    bipe_byte_front *f = context;
    size_t start, end, n;
    const bipe_added *added;
    int status = BIPE_OK;
    *taken = 0;
    while (status == BIPE_OK && find_added(f, text, size, *taken, final, &start, &end, &added) > 0) {
        status = take_text(f, text + *taken, start - *taken, true, &n, err);
        if (status == BIPE_OK)
            status = end_text(f, err);
        if (status == BIPE_OK)
            status = emit(f, added->id, end - start, err);
        *taken = end;
    }
    if (status != BIPE_OK)
        return status;
    status = take_text(f, text + *taken, start - *taken, final, &n, err);
    *taken += n;
    bipe_added_search_drop(&f->white.search, text, *taken);
    return status;
}

/* ---- the stream ---- */

/* Whether the stream gets the text as it is. */
static bool is_direct(const bipe_byte_front *f)
{
    return !f->nfc && !f->prefix && f->raw == NULL;
}

static int feed(bipe_byte_front *f, const uint8_t *bytes, size_t size, bool final, bipe_error *err)
{
    int status = bipe_added_white_feed(&f->white, &f->held, bytes, size, final, take, f, f->tokens, err);
    return status == BIPE_OK && f->nfc ? check_marks(f, f->held.size, err) : status;
}

int bipe_byte_front_feed(bipe_byte_front *f, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    if (is_direct(f))
        return tell_place(f, bipe_byte_stream_feed(f->stream, bytes, size, tokens, err), err);
    struct bipe_token_ends *ends = tokens->ends;
    f->tokens = tokens;
    tokens->ends = NULL; /* they are moved first */
    int status = feed(f, bytes, size, false, err);
    tokens->ends = ends;
    return status;
}

bool bipe_byte_front_owes(const bipe_byte_front *f)
{
    return bipe_added_white_owes(&f->white);
}

int bipe_byte_front_end(bipe_byte_front *f, bipe_tokens *tokens, bipe_error *err)
{
    struct bipe_token_ends *ends = tokens->ends;
    bool direct = is_direct(f);
    f->tokens = tokens;
    tokens->ends = direct ? ends : NULL;
    int status = direct ? BIPE_OK : feed(f, NULL, 0, true, err);
    if (status == BIPE_OK && !bipe_byte_front_owes(f))
        status = end_text(f, err);
    tokens->ends = ends;
    return status;
}
