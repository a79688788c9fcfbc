/* growing_text.c - a text to which tokens are added; see growing_text.h. */
#include "task/growing_text.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "measure/closes.h"
#include "measure/stream.h"
#include "segment/segment_levels.h"

struct bipe_growing_text {
    const bipe_tokenizer *tokenizer;
    bipe_levels levels;
    bipe_token_stream *stream;      /* made when a text is tokenized */
    bipe_tokens tokenized;
    bipe_buffer bytes;
    bipe_token *token;              /* (count) */
    uint32_t *ids, *index[BIPE_INDICES]; /* those of the levels */
    uint8_t *level;                 /* (count) the coarsest whose segment the token closes; 0: none */
    size_t token_capacity, id_capacity, level_capacity, index_capacity[BIPE_INDICES];
    size_t count;
    size_t closed;                  /* tokens up to the last that closes a segment */
    uint64_t place[2 * BIPE_LEVELS]; /* the indices of the next one */
    size_t marks;                   /* tokens at the front that no segmenter has seen */
    size_t first_tokens, first_size; /* of the text that came first, by which a segmenter chooses; 0: none has come */
    bool begun;                     /* a token with text has been added: no dummy prefix any more */
};

int bipe_growing_text_open(bipe_growing_text **text, const bipe_tokenizer *tokenizer, const char *segmenter,
                           bipe_error *err)
{
    *text = NULL;
    bipe_growing_text *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->tokenizer = tokenizer;
    int status = bipe_levels_open(&t->levels, segmenter, err);
    for (size_t i = 0; i < t->levels.count && status == BIPE_OK; i++)
        status = bipe_stream_check_ids(bipe_segmentation_spec(t->levels.segmentation[i]), tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_clear(t, err);
    if (status == BIPE_OK)
        *text = t;
    else
        bipe_growing_text_close(t);
    return status;
}

int bipe_growing_text_clear(bipe_growing_text *t, bipe_error *err)
{
    t->bytes.size = t->count = t->marks = t->closed = t->first_tokens = t->first_size = 0;
    memset(t->place, 0, sizeof t->place);
    t->begun = false;
    int status = BIPE_OK;
    for (size_t i = 0; i < t->levels.count && status == BIPE_OK; i++) {
        bipe_segmentation_take(t->levels.segmentation[i], SIZE_MAX);
        status = bipe_segmentation_begin(t->levels.segmentation[i], err);
    }
    return status;
}

static int grow_arrays(bipe_growing_text *t, size_t more, bipe_error *err)
{
    size_t count = t->count + more;
    if (bipe_grow(&t->token, &t->token_capacity, count, sizeof *t->token) != 0 ||
        bipe_grow(&t->ids, &t->id_capacity, count, sizeof *t->ids) != 0 ||
        bipe_grow(&t->level, &t->level_capacity, count, sizeof *t->level) != 0)
        return bipe_fail_memory(err);
    for (size_t i = BIPE_INDEX_SEGMENT; i <= 2 * t->levels.count; i++)
        if (bipe_grow(&t->index[i], &t->index_capacity[i], count, sizeof *t->index[i]) != 0)
            return bipe_fail_memory(err);
    return BIPE_OK;
}

/* ---- segments ---- */

/* Gives tokens [first, end) their indices. */
static void number_range(bipe_growing_text *t, size_t first, size_t end)
{
    for (size_t k = first; k < end; k++) {
        t->place[1] = k - t->closed;
        for (size_t i = 0; i < 2 * t->levels.count; i++)
            t->index[BIPE_INDEX_SEGMENT + i][k] = (uint32_t)t->place[i];
    }
}

/* Takes the next boundary that segmenters have found. Returns the coarsest level that has it; 0: there is none. */
static size_t take_boundary(bipe_growing_text *t, uint64_t *offset)
{
    size_t level = 0;
    for (size_t l = 0; l < t->levels.count; l++) {
        const bipe_boundaries *b = bipe_segmentation_boundaries(t->levels.segmentation[l]);
        if (b->count > 0 && (level == 0 || b->offset[0] <= *offset)) {
            *offset = b->offset[0];
            level = l + 1;
        }
    }
    for (size_t l = 0; l < level; l++) {
        const bipe_boundaries *b = bipe_segmentation_boundaries(t->levels.segmentation[l]);
        if (b->count > 0 && b->offset[0] == *offset)
            bipe_segmentation_take(t->levels.segmentation[l], 1);
    }
    return level;
}

/* A boundary where no further token closes a segment makes one that does a coarser end. */
static void raise_level(bipe_growing_text *t, uint64_t offset, uint8_t level)
{
    uint32_t end;
    bipe_closes_find(&end, &offset, 1, t->token, t->count, 0, t->bytes.data, 0);
    if (end == 0 || t->level[end - 1] >= level)
        return;
    t->level[end - 1] = level;
    memset(t->place, 0, sizeof t->place);
    for (size_t k = 0; k < t->closed; k++)
        if (t->level[k] != 0)
            bipe_place_close(t->place, t->level[k]);
}

/* Gives tokens `first` and on their indices, once the segmenters have seen them. A boundary that they find before
 * earlier tokens counts from these on. */
static void number_tokens(bipe_growing_text *t, size_t first)
{
    uint64_t offset;
    for (size_t level; (level = take_boundary(t, &offset)) != 0;) {
        uint32_t end; /* tokens after the last that closes a segment, up to the one that closes this */
        bipe_closes_find(&end, &offset, 1, t->token + t->closed, t->count - t->closed, 0, t->bytes.data, 0);
        if (end != 0) {
            number_range(t, t->closed > first ? t->closed : first, t->closed + end);
            t->closed += end;
            t->level[t->closed - 1] = (uint8_t)level;
            bipe_place_close(t->place, level);
        } else if (level > 1) {
            raise_level(t, offset, (uint8_t)level);
        }
    }
    number_range(t, t->closed > first ? t->closed : first, t->count);
}

/* ---- tokens ---- */

static void append_token(bipe_growing_text *t, const bipe_token *token)
{
    t->token[t->count] = *token;
    t->level[t->count] = 0;
    t->ids[t->count++] = token->id;
}

int bipe_growing_text_mark(bipe_growing_text *t, uint32_t id, bipe_error *err)
{
    int status = grow_arrays(t, 1, err);
    if (status != BIPE_OK)
        return status;
    t->marks += t->marks == t->count;
    append_token(t, &(bipe_token){.start = t->bytes.size, .end = t->bytes.size, .id = id});
    number_tokens(t, t->count - 1);
    return BIPE_OK;
}

int bipe_growing_text_append(bipe_growing_text *t, const bipe_token *tokens, size_t count, const uint8_t *bytes,
                             size_t size, bipe_error *err)
{
    size_t first = t->count;
    int status = grow_arrays(t, count, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&t->bytes, bytes, size, err);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        if (tokens[i].start > tokens[i].end || tokens[i].end > t->bytes.size)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "token %zu: bytes %llu to %llu of a text of %zu", t->count,
                             (unsigned long long)tokens[i].start, (unsigned long long)tokens[i].end, t->bytes.size);
        append_token(t, &tokens[i]);
        t->begun = t->begun || tokens[i].end > tokens[i].start;
    }
    bool chooses = size > 0 && t->first_size == 0;
    for (size_t l = 0; l < t->levels.count && status == BIPE_OK; l++) {
        bipe_segmentation *segmentation = t->levels.segmentation[l];
        if (bipe_segmentation_wants_tokens(segmentation))
            status = bipe_segmentation_feed_tokens(segmentation, t->token + first, count, err);
        else if (size > 0)
            status = bipe_segmentation_feed_bytes(segmentation, t->bytes.data + t->bytes.size - size, size, err);
        if (status == BIPE_OK && chooses)
            status = bipe_segmentation_choose(segmentation, err);
    }
    if (status == BIPE_OK && chooses) {
        t->first_tokens = t->count;
        t->first_size = t->bytes.size;
    }
    if (status == BIPE_OK)
        number_tokens(t, first);
    return status;
}

int bipe_growing_text_tokenize(bipe_growing_text *t, const uint8_t *bytes, size_t size, bipe_error *err)
{
    uint64_t offset = t->bytes.size;
    int status = t->stream == NULL ? bipe_token_stream_open(&t->stream, t->tokenizer, err) : BIPE_OK;
    t->tokenized.count = 0;
    if (status == BIPE_OK)
        status = bipe_token_stream_begin(t->stream, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(t->stream, bytes, size, &t->tokenized, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(t->stream, &t->tokenized, err);
    for (size_t i = 0; i < t->tokenized.count; i++) {
        t->tokenized.token[i].start += offset;
        t->tokenized.token[i].end += offset;
    }
    return status == BIPE_OK ? bipe_growing_text_append(t, t->tokenized.token, t->tokenized.count, bytes, size, err)
                             : status;
}

int bipe_growing_text_add(bipe_growing_text *t, uint32_t id, bipe_error *err)
{
    const uint8_t *bytes;
    uint8_t small[4];
    size_t size, full;
    int status = bipe_tokenizer_decode(t->tokenizer, id, !t->begun, small, &bytes, &size, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_append(t,
                                          &(bipe_token){.start = t->bytes.size, .end = t->bytes.size + size, .id = id},
                                          1, bytes, size, err);
    if (status != BIPE_OK || t->begun)
        return status;
    /* a lone dummy prefix has no text, and yet the text has begun */
    status = bipe_tokenizer_decode(t->tokenizer, id, false, small, &bytes, &full, err);
    t->begun = full != 0;
    return status;
}

int bipe_growing_text_copy(bipe_growing_text *t, const bipe_growing_text *from, bipe_error *err)
{
    int status = bipe_growing_text_clear(t, err);
    size_t marks = 0;
    while (status == BIPE_OK && marks < from->marks)
        status = bipe_growing_text_mark(t, from->ids[marks++], err);
    size_t first = from->first_size > 0 ? from->first_tokens : marks, size = from->first_size;
    if (status == BIPE_OK)
        status = bipe_growing_text_append(t, from->token + marks, first - marks, from->bytes.data, size, err);
    if (status == BIPE_OK && (from->count > first || from->bytes.size > size))
        status = bipe_growing_text_append(t, from->token + first, from->count - first, from->bytes.data + size,
                                          from->bytes.size - size, err);
    return status;
}

bipe_growing_view bipe_growing_text_view(const bipe_growing_text *t)
{
    bipe_growing_view view = {.ids = t->ids, .tokens = t->token, .count = t->count, .bytes = t->bytes.data,
                              .size = t->bytes.size};
    for (size_t i = 0; i < BIPE_INDICES; i++)
        view.index.of[i] = t->index[i];
    return view;
}

const char *bipe_growing_text_choice(const bipe_growing_text *t)
{
    const char *choice = NULL;
    for (size_t l = 0; l < t->levels.count && choice == NULL; l++)
        choice = bipe_segmentation_boundaries(t->levels.segmentation[l])->choice;
    return choice;
}

void bipe_growing_text_close(bipe_growing_text *t)
{
    if (t == NULL)
        return;
    bipe_levels_close(&t->levels);
    bipe_token_stream_close(t->stream);
    bipe_tokens_free(&t->tokenized);
    bipe_buffer_free(&t->bytes);
    bipe_free(t->token);
    bipe_free(t->ids);
    bipe_free(t->level);
    for (size_t i = 0; i < BIPE_INDICES; i++)
        bipe_free(t->index[i]);
    bipe_free(t);
}
