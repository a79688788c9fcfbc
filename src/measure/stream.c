/* stream.c - the blocks of a stream: tokenized by any free thread, returned in order as batches. */
#include "measure/stream.h"

#include <string.h>

#include "base/alloc.h"
#include "measure/closes.h"
#include "measure/stream_state.h"

/* Blocks in work where several threads share it: at least, and at most while a thread has nothing to do. */
enum { FEW_BLOCKS = 6, MOST_BLOCKS = 40 /* whatever the number of threads */, SPARE_TOKENS = 4 };

/* ---- opening ---- */

static int check_track(const bipe_stream *s, const bipe_track *t, const char *spec, bipe_error *err)
{
    if (t->tokens && s->tokenizer == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%s' reads tokens: expected a tokenizer", spec);
    if (strncmp(spec, "tokens:", 7) == 0 && bipe_tokenizer_size(s->tokenizer) == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%s' reads ids, and tokenizer '%s' has none: expected one with a vocabulary, "
                         "byte or char", spec, bipe_tokenizer_spec(s->tokenizer));
    return BIPE_OK;
}

static int open_tracks(bipe_stream *s, const bipe_stream_options *options, bipe_error *err)
{
    size_t n = options->spec_count;
    s->tracks = bipe_alloc(n, sizeof *s->tracks);
    s->closes = bipe_alloc(n, sizeof *s->closes);
    s->ends = bipe_alloc(n, sizeof *s->ends);
    s->close_count = bipe_alloc(n, sizeof *s->close_count);
    s->boundaries = bipe_alloc(n, sizeof *s->boundaries);
    s->boundary_count = bipe_alloc(n, sizeof *s->boundary_count);
    if (s->tracks == NULL || s->closes == NULL || s->ends == NULL || s->close_count == NULL || s->boundaries == NULL || s->boundary_count == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    while (s->track_count < n && status == BIPE_OK) {
        bipe_track *t = &s->tracks[s->track_count];
        status = bipe_segmentation_open(&t->segmentation, options->specs[s->track_count], err);
        if (status != BIPE_OK)
            break;
        t->tokens = bipe_segmentation_wants_tokens(t->segmentation);
        s->token_tracks = s->token_tracks || t->tokens;
        status = check_track(s, t, options->specs[s->track_count++], err);
    }
    return status;
}

/* The state of a thread, kept from job to job. */
typedef struct worker {
    bipe_token_stream *stream;
    /* Arrays that stay with the thread, in the cache of its processor: */
    bipe_tokens tokens; /* of one part, where they are only counted */
    bipe_tokens spare[SPARE_TOKENS]; /* (spare_count) of blocks */
    size_t spare_count;
} worker;

static void close_worker(void *scratch)
{
    worker *w = scratch;
    bipe_token_stream_close(w->stream);
    bipe_tokens_free(&w->tokens);
    while (w->spare_count != 0)
        bipe_tokens_free(&w->spare[--w->spare_count]);
    bipe_free(w);
}

int bipe_stream_jobs_open(bipe_jobs **jobs, size_t threads, bipe_error *err)
{
    return bipe_jobs_open(jobs, threads, close_worker, err);
}

static int open_parts(bipe_stream *s, const bipe_stream_options *options, bipe_error *err)
{
    static const char probe[] = "some words of a text\nand more words of it\n";
    s->tokenizer = options->tokenizer;
    s->kind = options->documents;
    s->ids_kind = options->ids;
    s->any = options->any;
    s->trim = options->trim;
    s->encoding = options->encoding;
    s->busy = options->busy;
    s->wants = options->wants;
    s->context = options->context;
    s->members = options->members;
    s->member_count = options->member_count;
    s->buffer_size = bipe_buffer_size();
    s->block_size = s->tokenizer != NULL && s->buffer_size > BIPE_STREAM_BLOCK ? BIPE_STREAM_BLOCK : s->buffer_size;
    s->state = BIPE_READ_NOTHING;
    if (s->ids_kind != BIPE_IDS_NONE && (s->tokenizer == NULL || bipe_tokenizer_size(s->tokenizer) == 0))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "token ids need a tokenizer with a vocabulary, found %s",
                         s->tokenizer == NULL ? "none" : bipe_tokenizer_spec(s->tokenizer));
    int status = options->field != NULL ? bipe_documents_check_field(options->field, err) : BIPE_OK;
    for (size_t i = 0; i < options->member_count && status == BIPE_OK; i++)
        status = bipe_documents_check_field(options->members[i], err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "field");
    s->cuts = s->tokenizer != NULL && bipe_tokenizer_cut(s->tokenizer, (const uint8_t *)probe, sizeof probe - 1) != 0;
    s->field = bipe_strdup(options->field != NULL ? options->field : "text");
    if (s->field == NULL)
        return bipe_fail_memory(err);
    status = open_tracks(s, options, err);
    s->jobs = options->jobs;
    s->own_jobs = s->jobs == NULL;
    if (status == BIPE_OK && s->own_jobs)
        status = bipe_stream_jobs_open(&s->jobs, options->threads, err);
    return status;
}

void bipe_stream_count_tokens(bipe_stream *s)
{
    s->counts = !s->token_tracks;
}

int bipe_stream_open(bipe_stream **stream, const bipe_stream_options *options, bipe_error *err)
{
    *stream = NULL;
    bipe_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = open_parts(s, options, err);
    if (status != BIPE_OK) {
        bipe_stream_close(s);
        return status;
    }
    *stream = s;
    return BIPE_OK;
}

/* ---- blocks ---- */

static void close_block(const bipe_stream *s, bipe_block *b)
{
    for (size_t i = 0; i < b->part_count; i++)
        bipe_part_free(&b->part[i], s->member_count);
    for (size_t i = 0; b->boundary != NULL && i < s->track_count; i++) {
        bipe_free(b->boundary[i].offset);
        bipe_free(b->boundary[i].ends);
    }
    bipe_free(b->boundary);
    bipe_free(b->boundary_end);
    bipe_free(b->part);
    bipe_tokens_free(&b->tokens);
    bipe_buffer_free(&b->text);
    bipe_free(b);
}

/* The usual number of parts, boundaries and so on in a block. */
static size_t usual_size(const bipe_stream *s)
{
    return 4 * s->block_size + 1024;
}

static bool is_large(const bipe_stream *s, const bipe_block *b)
{
    size_t boundaries = 0, usual = usual_size(s);
    for (size_t i = 0; i < s->track_count; i++)
        boundaries += b->boundary[i].capacity;
    return b->text.capacity > usual || b->tokens.capacity > usual || boundaries > usual;
}

void bipe_stream_free_block(bipe_stream *s, bipe_block *b)
{
    if (is_large(s, b)) {
        close_block(s, b);
        return;
    }
    for (size_t i = 0; i < b->part_count; i++)
        bipe_part_free(&b->part[i], s->member_count);
    for (size_t i = 0; i < s->track_count; i++)
        b->boundary[i].count = 0;
    b->part_count = b->text_parts = 0;
    b->text.size = 0;
    b->next = s->spare;
    s->spare = b;
}

bipe_block *bipe_stream_new_block(bipe_stream *s)
{
    bipe_block *b = s->spare != NULL ? s->spare : bipe_alloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    s->spare = b == s->spare ? b->next : s->spare;
    b->boundary = b->boundary != NULL ? b->boundary : bipe_alloc(s->track_count, sizeof *b->boundary);
    if (b->boundary == NULL || bipe_grow(&b->tokens.token, &b->tokens.capacity, BIPE_STREAM_SLACK, sizeof(bipe_token)) != 0) {
        close_block(s, b);
        return NULL;
    }
    b->stream = s;
    b->next = NULL;
    b->job = (bipe_job){0};
    b->tokens.count = BIPE_STREAM_SLACK;
    b->tokenized = s->tokenizer == NULL;
    return b;
}

static int tokenize_part(bipe_token_stream *stream, const bipe_part *part, const uint8_t *text, bipe_tokens *tokens, bipe_error *err)
{
    int status = part->offset == 0 ? bipe_token_stream_begin(stream, err) : bipe_token_stream_begin_at(stream, part->offset, err);
    if (status == BIPE_OK)
        status = part->size != 0 ? bipe_token_stream_feed(stream, text + part->text, part->size, tokens, err) : BIPE_OK;
    return status == BIPE_OK ? bipe_token_stream_end(stream, tokens, err) : status;
}

/* The part was tokenized only up to an error: the tokens before it are returned as if the text continued. */
static void break_part(bipe_part *part, const bipe_token *tokens, size_t count, const bipe_error *err)
{
    part->size = count != 0 ? (size_t)(tokens[count - 1].end - part->offset) : 0;
    part->final = part->last = false;
    part->broken = true;
    bipe_part_fail(part, true, err);
}

/* The number of the block's token with which those of part i begin. */
static size_t first_token(const bipe_block *b, size_t i)
{
    return i != 0 ? b->part[i - 1].token_end : BIPE_STREAM_SLACK;
}

static bipe_token *tokens_of(const bipe_block *b, size_t i, size_t *count)
{
    size_t first = first_token(b, i);
    *count = b->part[i].token_end - first;
    return b->tokens.token + first;
}

/* Which tokens of part i (count) close segments of segmenters of bytes, and how many may be held. */
static void find_ends(bipe_block *b, size_t i, const bipe_token *tokens, size_t count)
{
    bipe_part *part = &b->part[i];
    size_t tracks = b->stream->track_count;
    part->text_end = count;
    while (part->text_end != 0 && tokens[part->text_end - 1].start == tokens[part->text_end - 1].end)
        part->text_end--;
    for (size_t k = 0; k < tracks; k++) {
        size_t first = i != 0 ? b->boundary_end[(i - 1) * tracks + k] : 0, end = b->boundary_end[i * tracks + k];
        if (end > first)
            bipe_closes_find(b->boundary[k].ends + first, b->boundary[k].offset + first, end - first, tokens, count, 0,
                             b->text.data + part->text, part->offset);
    }
}

static int open_worker(void **scratch, const bipe_stream *s, bipe_error *err)
{
    worker *w = *scratch != NULL ? *scratch : bipe_alloc(1, sizeof *w);
    *scratch = w;
    if (w == NULL)
        return bipe_fail_memory(err);
    return w->stream == NULL ? bipe_token_stream_open(&w->stream, s->tokenizer, err) : BIPE_OK;
}

/* The job of a block. */
static void tokenize_block(bipe_job *job, void **scratch)
{
    bipe_block *b = (bipe_block *)job;
    bipe_error err = {0};
    int opened = open_worker(scratch, b->stream, &err);
    worker *w = *scratch;
    bool counts = b->stream->counts && w != NULL;
    bipe_tokens *tokens = counts ? &w->tokens : &b->tokens;
    if (!counts && w != NULL && w->spare_count != 0 && b->tokens.capacity < BIPE_STREAM_BLOCK / 8) {
        bipe_tokens_free(&b->tokens);
        b->tokens = w->spare[--w->spare_count];
        b->tokens.count = BIPE_STREAM_SLACK;
    }
    for (size_t i = 0; i < b->part_count; i++) {
        bipe_part *part = &b->part[i];
        int status = opened;
        if (counts)
            tokens->count = 0;
        size_t before = tokens->count;
        if (part->kind == BIPE_PART_TEXT && (part->size != 0 || part->offset == 0) && status == BIPE_OK)
            status = tokenize_part(w->stream, part, b->text.data, tokens, &err);
        const bipe_token *own = tokens->token != NULL ? tokens->token + before : NULL;
        size_t count = tokens->count - before;
        part->token_end = first_token(b, i) + count;
        if (part->kind == BIPE_PART_TEXT && status != BIPE_OK)
            break_part(part, own, count, &err);
        find_ends(b, i, own, count);
    }
    if (counts && tokens->capacity > usual_size(b->stream))
        bipe_tokens_free(tokens);
}

/* Reads another block and has it tokenized. False: there is none. */
static bool add_block(bipe_stream *s)
{
    bipe_block *b;
    if (s->fatal.status != BIPE_OK || bipe_stream_fill(s, &b, &s->fatal) != BIPE_OK || b == NULL)
        return false;
    *(s->newest != NULL ? &s->newest->next : &s->oldest) = b;
    s->newest = b;
    s->block_count++;
    b->job.run = tokenize_block;
    if (!b->tokenized)
        bipe_jobs_put(s->jobs, &b->job);
    for (size_t i = 0; b->tokenized && s->tokenizer != NULL && i < b->part_count; i++) {
        size_t count;
        const bipe_token *tokens = tokens_of(b, i, &count);
        find_ends(b, i, tokens, count);
    }
    return true;
}

static void finish_block(bipe_stream *s, bipe_block *b)
{
    if (!b->tokenized)
        bipe_jobs_finish(s->jobs, &b->job);
    b->tokenized = true;
}

static void drop_block(bipe_stream *s)
{
    bipe_block *b = s->oldest;
    finish_block(s, b);
    s->oldest = b->next;
    s->newest = s->oldest != NULL ? s->newest : NULL;
    s->block_count--;
    s->at = 0;
    bipe_stream_free_block(s, b);
}

/* ---- segmenters of tokens ---- */

static int feed_track(bipe_segmentation *segmentation, const bipe_part *part, const bipe_token *tokens, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    if (part->first) {
        bipe_segmentation_take(segmentation, SIZE_MAX);
        status = bipe_segmentation_begin(segmentation, err);
    }
    if (status == BIPE_OK && count != 0)
        status = bipe_segmentation_feed_tokens(segmentation, tokens, count, err);
    if (status == BIPE_OK && part->final)
        status = bipe_segmentation_end(segmentation, part->offset + part->size, err);
    return status;
}

static bool is_settled(const bipe_stream *s, const bipe_part *part)
{
    bool settled = true;
    for (size_t i = 0; i < s->track_count; i++)
        settled = settled && (!s->tracks[i].tokens ||
                              bipe_segmentation_boundaries(s->tracks[i].segmentation)->settled >= part->offset + part->size);
    return settled;
}

/* Gives the tokens of part i to the segmenters that read them. */
static void feed_part(bipe_stream *s, bipe_block *b, size_t i)
{
    bipe_part *part = &b->part[i];
    bipe_error err = {0};
    size_t count;
    const bipe_token *tokens = tokens_of(b, i, &count);
    int status = BIPE_OK;
    s->feeding_broken = s->feeding_broken && !part->first;
    for (size_t k = 0; k < s->track_count && status == BIPE_OK && !s->feeding_broken; k++)
        if (s->tracks[k].tokens)
            status = feed_track(s->tracks[k].segmentation, part, tokens, count, &err);
    if (status != BIPE_OK) {
        part->kind = BIPE_PART_ERROR;
        bipe_part_fail(part, true, &err);
    }
    s->feeding_broken = s->feeding_broken || status != BIPE_OK;
    part->segmented = true;
}

/* Runs segmenters over the tokens of the current part and of later ones, until all boundaries in the current part are known. */
static void feed_tracks(bipe_stream *s)
{
    bipe_block *b = s->oldest;
    size_t i = s->at;
    const bipe_part *present = &b->part[i];
    uint64_t waiting = 0; /* bytes */
    while (present->kind == BIPE_PART_TEXT) {
        bipe_part *part = &b->part[i];
        if (part->kind != BIPE_PART_TEXT || (part->segmented && is_settled(s, present)))
            return;
        if (!part->segmented)
            feed_part(s, b, i);
        waiting += part->size;
        if (waiting > BIPE_UNIT_LIMIT && !is_settled(s, present)) {
            bipe_error err;
            bipe_fail(&err, BIPE_ERR_LIMIT, "byte %llu: a segmenter of tokens is undecided for more than 2 MiB, expected less",
                      (unsigned long long)present->offset);
            s->oldest->part[s->at].kind = BIPE_PART_ERROR;
            bipe_part_fail(&s->oldest->part[s->at], true, &err);
            return;
        }
        if (part->final || part->broken || is_settled(s, present))
            return;
        if (++i == b->part_count) {
            if (b->next == NULL && !add_block(s))
                return;
            b = b->next;
            finish_block(s, b);
            i = 0;
        }
    }
}

/* ---- in order ---- */

/* Whether blocks in work hold as much text as one unit may have; its tokens can take 30 times as much. */
static bool is_full(const bipe_stream *s)
{
    size_t size = 0;
    for (const bipe_block *b = s->oldest; b != NULL; b = b->next)
        size += b->text.size;
    return size >= BIPE_UNIT_LIMIT;
}

/* Whether to read more before returning anything: nothing is there, or other threads can tokenize it meanwhile. */
static bool needs_block(const bipe_stream *s)
{
    size_t threads = s->tokenizer != NULL ? bipe_jobs_threads(s->jobs) : 1, most = 2 * threads + 2;
    if (s->block_count == 0 || threads == 1)
        return s->block_count == 0;
    return (s->block_count < FEW_BLOCKS || (s->block_count < (most < MOST_BLOCKS ? most : MOST_BLOCKS) && bipe_jobs_idle(s->jobs))) &&
           !is_full(s);
}

static bipe_part *present_part(bipe_stream *s)
{
    if (s->given)
        s->at++;
    s->given = false;
    while (s->oldest != NULL && s->at == s->oldest->part_count)
        drop_block(s);
    while (needs_block(s) && add_block(s))
        continue;
    if (s->oldest == NULL)
        return NULL;
    finish_block(s, s->oldest);
    if (s->token_tracks)
        feed_tracks(s);
    return &s->oldest->part[s->at];
}

static void skip_part(bipe_stream *s)
{
    s->given = true;
}

static int fail_part(const bipe_part *part, bipe_error *err)
{
    if (part->error == NULL)
        return bipe_fail_memory(err);
    if (err != NULL)
        *err = *part->error;
    return (int)part->error->status;
}

/* Nothing is left, at the end or after a fatal error. */
static int at_end(bipe_stream *s, bipe_error *err)
{
    if (s->fatal.status == BIPE_OK)
        return BIPE_END;
    if (err != NULL)
        *err = s->fatal;
    s->fatal.status = BIPE_OK;
    bipe_stream_leave(s);
    return err != NULL ? (int)err->status : BIPE_ERR_MEMORY;
}

void bipe_stream_inputs(bipe_stream *s, const char *const *path, size_t count)
{
    while (s->oldest != NULL)
        drop_block(s);
    if (s->filling != NULL)
        bipe_stream_free_block(s, s->filling);
    s->filling = NULL;
    s->given = s->reading = s->feeding_broken = false;
    s->held.count = 0;
    s->fatal.status = BIPE_OK;
    bipe_stream_leave(s);
    s->path = path;
    s->path_count = count;
    s->state = BIPE_READ_INPUT;
}

int bipe_stream_next_input(bipe_stream *s, bipe_error *err)
{
    bipe_part *part;
    while ((part = present_part(s)) != NULL && part->kind != BIPE_PART_INPUT)
        skip_part(s);
    s->reading = false;
    s->flaws = (bipe_stream_flaws){0};
    if (part == NULL)
        return at_end(s, err);
    skip_part(s);
    return part->broken ? fail_part(part, err) : BIPE_OK;
}

int bipe_stream_input(bipe_stream *s, const char *path, bipe_error *err)
{
    bipe_stream_inputs(s, NULL, 0);
    bipe_free(s->single);
    s->single = bipe_strdup(path);
    if (s->single == NULL)
        return bipe_fail_memory(err);
    bipe_stream_inputs(s, (const char *const *)&s->single, 1);
    return bipe_stream_next_input(s, err);
}

int bipe_stream_next_document(bipe_stream *s, bipe_error *err)
{
    bipe_part *part;
    bool unread = s->reading; /* what is left of the present document is skipped */
    s->reading = false;
    for (; (part = present_part(s)) != NULL; skip_part(s)) {
        bool text = part->kind == BIPE_PART_TEXT || part->kind == BIPE_PART_ERROR;
        if (!text)
            break;
        bool begins = part->first && !unread, over = part->last || part->broken || part->kind == BIPE_PART_ERROR;
        unread = unread && !over;
        if (!begins)
            continue;
        s->document = part->document;
        if (part->kind == BIPE_PART_ERROR && part->between) {
            skip_part(s);
            return fail_part(part, err);
        }
        s->reading = true;
        s->held.count = 0;
        for (size_t i = 0; i < s->track_count; i++)
            s->tracks[i].closed = false;
        return BIPE_OK;
    }
    if (part == NULL)
        return at_end(s, err);
    if (part->kind == BIPE_PART_END)
        s->flaws = part->flaws;
    return BIPE_END;
}

/* ---- batches ---- */

/* Puts the held tokens in front of those of the first part of the oldest block. */
static int join_held(bipe_stream *s, bipe_token **tokens, size_t *count, bipe_error *err)
{
    bipe_block *b = s->oldest;
    size_t held = s->held.count;
    if (s->counts) {
        *count += held;
        s->held.count = 0;
        return BIPE_OK;
    }
    if (held > BIPE_STREAM_SLACK) { /* rarely, since they are one and empty ones */
        if (bipe_grow(&b->tokens.token, &b->tokens.capacity, b->tokens.count + held, sizeof **tokens) != 0)
            return bipe_fail_memory(err);
        memmove(b->tokens.token + held, b->tokens.token, b->tokens.count * sizeof **tokens);
        b->tokens.count += held;
        for (size_t i = 0; i < b->part_count; i++)
            b->part[i].token_end += held;
        *tokens = b->tokens.token + BIPE_STREAM_SLACK + held;
    }
    *tokens -= held;
    *count += held;
    if (held != 0)
        memcpy(*tokens, s->held.token, held * sizeof **tokens);
    s->held.count = 0;
    return BIPE_OK;
}

/* The boundaries of a segmenter of tokens in the present part, which leave the segmentation when the batch after is made. */
static int take_token_boundaries(bipe_track *t, const bipe_part *part, size_t *count, bipe_error *err)
{
    const bipe_boundaries *found = bipe_segmentation_boundaries(t->segmentation);
    uint64_t end = part->offset + part->size;
    size_t n = 0;
    while (n < found->count && found->offset[n] <= end)
        n++;
    if (bipe_grow(&t->final, &t->final_capacity, n + 1, sizeof *t->final) != 0)
        return bipe_fail_memory(err);
    if (n != 0)
        memcpy(t->final, found->offset, n * sizeof *t->final);
    bipe_segmentation_take(t->segmentation, n);
    if (part->final && end != 0 && (n == 0 || t->final[n - 1] != end))
        t->final[n++] = end;
    *count = n;
    return BIPE_OK;
}

/* Makes ends, which are numbers of the part's tokens plus 1, those of a batch in which `held` tokens come before them: the first is not empty, so
 * it is what a segment closes with that ends before the part's own. */
static void shift_ends(uint32_t *ends, size_t count, uint32_t held)
{
    for (size_t k = 0; k < count; k++)
        ends[k] = ends[k] != 0 ? ends[k] + held : held != 0;
}

/* Finds boundaries and closing tokens of segmenter i in a batch that begins with `held` tokens of before. *closed: the number of the last of
 * these, plus 1. */
static int find_closes(bipe_stream *s, size_t i, const bipe_token *tokens, size_t token_count, size_t held, uint32_t *closed, bipe_error *err)
{
    const bipe_block *b = s->oldest;
    const bipe_part *part = &b->part[s->at];
    bipe_track *t = &s->tracks[i];
    const size_t *boundary_end = b->boundary_end + s->at * s->track_count + i;
    size_t first = s->at != 0 ? *(boundary_end - s->track_count) : 0, count = *boundary_end - first, closes = 0;
    uint32_t *ends = count != 0 ? b->boundary[i].ends + first : NULL;
    s->boundaries[i] = count != 0 ? b->boundary[i].offset + first : NULL;
    if (t->tokens) {
        int status = take_token_boundaries(t, part, &count, err);
        if (status == BIPE_OK && bipe_grow(&t->ends, &t->ends_capacity, count, sizeof *t->ends) != 0)
            status = bipe_fail_memory(err);
        if (status != BIPE_OK)
            return status;
        s->boundaries[i] = t->final;
        ends = t->ends;
    }
    while (count != 0 && s->boundaries[i][count - 1] > part->offset + part->size) /* of a part that broke off */
        count--;
    s->boundary_count[i] = count;
    s->close_count[i] = 0;
    s->ends[i] = ends;
    *closed = t->closed; /* the first token of the batch, then */
    if (s->tokenizer == NULL) {
        if (count != 0)
            memset(ends, 0, count * sizeof *ends);
        return BIPE_OK;
    }
    if (bipe_grow(&t->closes, &t->closes_capacity, count + 1, sizeof *t->closes) != 0)
        return bipe_fail_memory(err);
    s->closes[i] = t->closes;
    if (t->closed)
        t->closes[closes++] = 0;
    if (!t->tokens)
        shift_ends(ends, count, (uint32_t)held);
    else if (count != 0)
        bipe_closes_find(ends, s->boundaries[i], count, tokens, token_count, *closed, b->text.data + part->text, part->offset);
    for (size_t k = 0; k < count; k++) {
        t->closes[closes] = ends[k] - 1;
        closes += ends[k] > *closed;
        *closed = ends[k] > *closed ? ends[k] : *closed;
    }
    s->close_count[i] = closes;
    return BIPE_OK;
}

/* How many of the tokens are known to close segments or not: those before the last one that is not empty, which is number last - 1 (0: there is
 * none), and all when that closes segments of all segmenters. The others are held. */
static int hold_tokens(bipe_stream *s, const bipe_token *tokens, size_t count, size_t last, uint32_t least_closed, size_t *known, bipe_error *err)
{
    bool hold = last != 0 && least_closed < last;
    *known = hold ? last - 1 : count;
    size_t held = count - *known;
    if (!s->counts && bipe_grow(&s->held.token, &s->held.capacity, held, sizeof *tokens) != 0)
        return bipe_fail_memory(err);
    if (!s->counts && held != 0)
        memcpy(s->held.token, tokens + *known, held * sizeof *tokens);
    s->held.count = held;
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_track *t = &s->tracks[i];
        size_t n = s->close_count[i];
        t->closed = hold && n != 0 && t->closes[n - 1] == *known;
        s->close_count[i] -= t->closed;
    }
    return BIPE_OK;
}

static int make_batch(bipe_stream *s, const bipe_part *part, bipe_batch *batch, bipe_error *err)
{
    size_t count, known;
    uint32_t least_closed = UINT32_MAX;
    bipe_token *tokens = tokens_of(s->oldest, s->at, &count);
    size_t held = s->held.count;
    int status = held != 0 ? join_held(s, &tokens, &count, err) : BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        uint32_t closed = 0;
        status = find_closes(s, i, tokens, count, held, &closed, err);
        least_closed = closed < least_closed ? closed : least_closed;
    }
    known = count;
    if (status == BIPE_OK && !part->final && !part->broken)
        status = hold_tokens(s, tokens, count, part->text_end != 0 ? held + part->text_end : held != 0, least_closed, &known, err);
    *batch = (bipe_batch){
        .tokens = s->counts ? NULL : tokens,
        .token_count = known,
        .closes = s->closes,
        .close_count = s->close_count,
        .bytes = part->size != 0 ? s->oldest->text.data + part->text : NULL,
        .byte_count = part->size,
        .byte_offset = part->offset,
        .boundaries = s->boundaries,
        .boundary_count = s->boundary_count,
        .ends = s->ends,
        .last = part->last,
    };
    return status;
}

int bipe_stream_read(bipe_stream *s, bipe_batch *batch, bipe_error *err)
{
    *batch = (bipe_batch){0};
    while (s->reading) {
        bipe_part *part = present_part(s);
        s->reading = part != NULL && part->kind == BIPE_PART_TEXT && !part->last;
        if (part == NULL)
            return at_end(s, err);
        s->given = part->kind != BIPE_PART_TEXT || !part->broken;
        if (part->kind != BIPE_PART_TEXT)
            return fail_part(part, err);
        if (part->broken) /* comes again, as an error */
            part->kind = BIPE_PART_ERROR;
        int status = make_batch(s, part, batch, err);
        s->reading = s->reading && status == BIPE_OK;
        if (status != BIPE_OK || batch->last || batch->token_count != 0 || batch->byte_count != 0)
            return status;
    }
    return BIPE_END;
}

bool bipe_stream_keep_tokens(bipe_stream *s, bipe_tokens *tokens, bipe_job *job)
{
    bipe_block *b = s->oldest;
    if (b == NULL || b->part_count != 1)
        return false;
    *tokens = b->tokens;
    b->tokens = (bipe_tokens){0};
    job->thread = b->job.thread;
    return true;
}

void bipe_stream_return_tokens(void **scratch, bipe_tokens *tokens)
{
    worker *w = *scratch;
    if (w != NULL && w->spare_count < SPARE_TOKENS && tokens->capacity <= 4 * BIPE_STREAM_BLOCK) {
        w->spare[w->spare_count++] = *tokens;
        *tokens = (bipe_tokens){0};
    }
    bipe_tokens_free(tokens);
}

/* ---- about it ---- */

const bipe_stream_flaws *bipe_stream_flaws_of(const bipe_stream *s)
{
    return &s->flaws;
}

uint64_t bipe_stream_document(const bipe_stream *s)
{
    return s->document;
}

const char *bipe_stream_member(const bipe_stream *s, size_t number)
{
    const bipe_part *part = s->oldest != NULL && s->given && !s->reading ? &s->oldest->part[s->at] : NULL;
    return part == NULL || part->value == NULL ? NULL : part->value[number];
}

const bipe_input *bipe_stream_source(const bipe_stream *s)
{
    if (s->ids != NULL)
        return bipe_ids_input_source(s->ids);
    return s->documents != NULL ? bipe_documents_input(s->documents) : NULL;
}

uint64_t bipe_stream_raw(const bipe_stream *s)
{
    const bipe_input *source = bipe_stream_source(s);
    return s->raw + (source != NULL ? bipe_input_raw_offset(source) : 0);
}

void bipe_stream_close(bipe_stream *s)
{
    if (s == NULL)
        return;
    bipe_stream_inputs(s, NULL, 0);
    while (s->spare != NULL) {
        bipe_block *b = s->spare;
        s->spare = b->next;
        close_block(s, b);
    }
    if (s->own_jobs)
        bipe_jobs_close(s->jobs);
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_segmentation_close(s->tracks[i].segmentation);
        bipe_free(s->tracks[i].ends);
        bipe_free(s->tracks[i].closes);
        bipe_free(s->tracks[i].final);
    }
    bipe_token_stream_close(s->whole);
    bipe_tokens_free(&s->held);
    bipe_free(s->single);
    bipe_free(s->tracks);
    bipe_free(s->closes);
    bipe_free(s->ends);
    bipe_free(s->close_count);
    bipe_free(s->boundaries);
    bipe_free(s->boundary_count);
    bipe_free(s->field);
    bipe_free(s);
}
