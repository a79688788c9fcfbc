/* stream.c - opens a stream, has blocks read and tokenized, and returns them in order as batches; see
 * <bipe/streams.h>. */
#include "measure/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "measure/stream_reader.h"
#include "segment/segment_levels.h"

/* Blocks in work where several threads share it: at least, and at most while a thread has nothing to do. */
enum { FEW_BLOCKS = 6, MOST_BLOCKS = 40 /* whatever the number of threads */ };

/* The tracks of a SPEC; where they are several, all their boundaries of the present batch, merged. */
typedef struct bipe_stream_spec {
    size_t first, count;
    uint64_t *offset;
    uint32_t *ends;
    uint8_t *level;           /* of a boundary: the coarsest of those that have it, from 1 on */
    size_t offset_capacity, ends_capacity, level_capacity, closes_capacity, close_level_capacity;
} bipe_stream_spec;

/* A part of a block of the list. */
typedef struct part_cursor {
    bipe_block *block;
    size_t part;
} part_cursor;

struct bipe_stream {
    bipe_stream_setup setup;
    bool token_tracks;        /* there are segmenters that read tokens */
    bipe_reader *reader;
    char *single;             /* the input of bipe_stream_input() */
    bipe_jobs *jobs;
    bool own_jobs;
    void *scratch;            /* of a tokenizer that takes its blocks in order */
    bipe_error fatal;         /* the error that ended all reading; BIPE_OK: none */

    bipe_block *oldest, *newest, *spare; /* blocks on their way, in order; and empty ones */
    size_t block_count;

    size_t at;                /* the present part of the oldest block */
    bool given;               /* it has been returned */
    bool reading;             /* a document has begun and is not over */
    uint64_t document;
    bipe_stream_flaws flaws;  /* of the input that is over */

    bipe_stream_spec *spec;   /* (options.spec_count) */
    uint8_t *levels;          /* (options.spec_count) */

    /* The present batch, of each SPEC: */
    uint32_t **closes;
    uint8_t **close_levels;
    size_t *close_count, *boundary_count;
    const uint32_t **ends;
    const uint64_t **boundaries;
};

/* ---- opening ---- */

int bipe_stream_check_ids(const char *spec, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    if (strncmp(spec, "tokens:", 7) != 0)
        return BIPE_OK;
    size_t vocabulary = bipe_tokenizer_size(tokenizer);
    if (vocabulary == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "segmenter '%s' reads ids, and tokenizer '%s' has none: expected one with a vocabulary, "
                         "byte or char",
                         spec, bipe_tokenizer_spec(tokenizer));
    char *end;
    for (const char *at = spec + 6; *at != '\0'; at = end) {
        unsigned long long id = strtoull(at + 1, &end, 10);
        if (id >= vocabulary)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "segmenter '%s': id %llu is not in the vocabulary, expected less than %zu", spec, id,
                             vocabulary);
    }
    return BIPE_OK;
}

static int check_track(const bipe_stream *s, const bipe_track *t, bipe_error *err)
{
    const bipe_tokenizer *tokenizer = s->setup.options.tokenizer;
    const char *spec = bipe_segmentation_spec(t->segmentation);
    if (t->tokens && tokenizer == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%s' reads tokens: expected a tokenizer", spec);
    return bipe_stream_check_ids(spec, tokenizer, err);
}

/* A track for each level of a SPEC. */
static int open_spec(bipe_stream *s, size_t number, const char *text, bipe_error *err)
{
    bipe_levels levels;
    bipe_stream_spec *spec = &s->spec[number];
    int status = bipe_levels_open(&levels, text, err);
    if (status == BIPE_OK && bipe_grow(&s->setup.tracks, &s->setup.track_capacity,
                                       s->setup.track_count + levels.count, sizeof *s->setup.tracks) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK) {
        bipe_levels_close(&levels);
        return status;
    }
    *spec = (bipe_stream_spec){.first = s->setup.track_count, .count = levels.count};
    s->levels[number] = (uint8_t)levels.count;
    for (size_t i = 0; i < levels.count; i++) {
        bipe_track *t = &s->setup.tracks[s->setup.track_count++];
        *t = (bipe_track){.segmentation = levels.segmentation[i],
                          .tokens = bipe_segmentation_wants_tokens(levels.segmentation[i])};
        s->token_tracks = s->token_tracks || t->tokens;
        status = status == BIPE_OK ? check_track(s, t, err) : status;
    }
    return status;
}

static int open_tracks(bipe_stream *s, bipe_error *err)
{
    size_t n = s->setup.options.spec_count;
    s->spec = bipe_alloc(n, sizeof *s->spec);
    s->levels = bipe_alloc(n, sizeof *s->levels);
    s->closes = bipe_alloc(n, sizeof *s->closes);
    s->close_levels = bipe_alloc(n, sizeof *s->close_levels);
    s->close_count = bipe_alloc(n, sizeof *s->close_count);
    s->boundary_count = bipe_alloc(n, sizeof *s->boundary_count);
    s->ends = bipe_alloc(n, sizeof *s->ends);
    s->boundaries = bipe_alloc(n, sizeof *s->boundaries);
    if (s->spec == NULL || s->levels == NULL || s->closes == NULL || s->close_levels == NULL ||
        s->close_count == NULL || s->boundary_count == NULL || s->ends == NULL || s->boundaries == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    for (size_t i = 0; i < n && status == BIPE_OK; i++)
        status = open_spec(s, i, s->setup.options.specs[i], err);
    return status;
}

int bipe_stream_jobs_open(bipe_jobs **jobs, size_t threads, bipe_error *err)
{
    return bipe_jobs_open(jobs, threads, bipe_block_close_scratch, err);
}

static int open_stream_parts(bipe_stream *s, const bipe_stream_options *options, const bipe_stream_sharing *sharing,
                             bipe_error *err)
{
    const bipe_tokenizer *tokenizer = options->tokenizer;
    size_t buffer_size = bipe_buffer_size();
    s->setup = (bipe_stream_setup){.options = *options, .sharing = *sharing, .buffer_size = buffer_size,
                                   .block_size = buffer_size};
    if (tokenizer != NULL && buffer_size > BIPE_STREAM_BLOCK)
        s->setup.block_size = BIPE_STREAM_BLOCK;
    if (options->ids != BIPE_IDS_NONE && (tokenizer == NULL || bipe_tokenizer_size(tokenizer) == 0))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "token ids need a tokenizer with a vocabulary, found %s",
                         tokenizer == NULL ? "none" : bipe_tokenizer_spec(tokenizer));
    int status = options->field != NULL ? bipe_documents_check_field(options->field, err) : BIPE_OK;
    for (size_t i = 0; i < options->member_count && status == BIPE_OK; i++)
        status = bipe_documents_check_field(options->members[i], err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "field");
    status = bipe_reader_open(&s->reader, &s->setup, err);
    if (status == BIPE_OK)
        status = open_tracks(s, err);
    s->jobs = sharing->jobs;
    s->own_jobs = s->jobs == NULL;
    if (status == BIPE_OK && s->own_jobs)
        status = bipe_stream_jobs_open(&s->jobs, options->threads, err);
    return status;
}

int bipe_stream_open_shared(bipe_stream **stream, const bipe_stream_options *options,
                            const bipe_stream_sharing *sharing, bipe_error *err)
{
    *stream = NULL;
    bipe_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = open_stream_parts(s, options, sharing, err);
    if (status != BIPE_OK) {
        bipe_stream_close(s);
        return status;
    }
    *stream = s;
    return BIPE_OK;
}

int bipe_stream_open(bipe_stream **stream, const bipe_stream_options *options, bipe_error *err)
{
    return bipe_stream_open_shared(stream, options, &(bipe_stream_sharing){0}, err);
}

/* ---- blocks ---- */

static bipe_block *pop_spare(bipe_stream *s)
{
    bipe_block *b = s->spare;
    if (b == NULL)
        return bipe_block_open(&s->setup);
    s->spare = b->next;
    b->next = NULL;
    return b;
}

static void push_spare(bipe_stream *s, bipe_block *b)
{
    if (!bipe_block_clear(b)) {
        bipe_block_close(b);
        return;
    }
    b->next = s->spare;
    s->spare = b;
}

/* Has the block tokenized, at once or by a job. */
static void begin_block(bipe_stream *s, bipe_block *b)
{
    const bipe_tokenizer *tokenizer = s->setup.options.tokenizer;
    if (tokenizer == NULL)
        return;
    if (s->setup.options.ids != BIPE_IDS_NONE) {
        bipe_block_finish_tokens(b);
    } else if (bipe_tokenizer_in_order(tokenizer)) {
        bipe_block_tokenize(&b->job, &s->scratch);
    } else {
        b->job.run = bipe_block_tokenize;
        bipe_jobs_submit(s->jobs, &b->job);
    }
}

static void finish_block(bipe_stream *s, bipe_block *b)
{
    if (b->job.run != NULL)
        bipe_jobs_finish(s->jobs, &b->job);
    b->job.run = NULL;
}

/* Reads another block. False: there is none. */
static bool add_block(bipe_stream *s)
{
    if (s->fatal.status != BIPE_OK)
        return false;
    bipe_block *b = pop_spare(s);
    int status = b != NULL ? bipe_reader_fill(s->reader, b, &s->fatal) : bipe_fail_memory(&s->fatal);
    if (status != BIPE_OK || b->part_count == 0) {
        if (b != NULL)
            push_spare(s, b);
        return false;
    }
    *(s->newest != NULL ? &s->newest->next : &s->oldest) = b;
    s->newest = b;
    s->block_count++;
    begin_block(s, b);
    return true;
}

static void drop_block(bipe_stream *s)
{
    bipe_block *b = s->oldest;
    finish_block(s, b);
    s->oldest = b->next;
    s->newest = s->oldest != NULL ? s->newest : NULL;
    s->block_count--;
    s->at = 0;
    push_spare(s, b);
}

/* Whether blocks in work hold as much text as one unit may have; its tokens can take 30 times as much. */
static bool is_full(const bipe_stream *s)
{
    size_t size = 0;
    for (const bipe_block *b = s->oldest; b != NULL; b = b->next)
        size += b->text.size + b->record_size;
    return size >= BIPE_UNIT_LIMIT;
}

/* Whether to read more before returning anything: nothing is there, or other threads can tokenize it meanwhile. */
static bool needs_block(const bipe_stream *s)
{
    size_t threads = s->setup.options.tokenizer != NULL ? bipe_jobs_threads(s->jobs) : 1, most = 2 * threads + 2;
    if (s->block_count == 0 || threads == 1)
        return s->block_count == 0;
    return (s->block_count < FEW_BLOCKS ||
            (s->block_count < (most < MOST_BLOCKS ? most : MOST_BLOCKS) && bipe_jobs_idle(s->jobs))) &&
           !is_full(s);
}

/* ---- parts, in order ---- */

/* The first part that has not been returned; NULL: nothing is left. */
static bipe_block_part *present_part(bipe_stream *s)
{
    s->at += s->given;
    s->given = false;
    while (s->oldest != NULL && s->at == s->oldest->part_count)
        drop_block(s);
    while (needs_block(s) && add_block(s))
        continue;
    if (s->oldest == NULL)
        return NULL;
    finish_block(s, s->oldest);
    return &s->oldest->part[s->at];
}

/* To the part after, which is tokenized. False: there is none. */
static bool next_part(bipe_stream *s, part_cursor *p)
{
    if (++p->part < p->block->part_count)
        return true;
    if (p->block->next == NULL && !add_block(s))
        return false;
    *p = (part_cursor){p->block->next, 0};
    finish_block(s, p->block);
    return true;
}

static int return_error(const bipe_error *error, bipe_error *err)
{
    if (err != NULL)
        *err = *error;
    return (int)error->status;
}

/* Nothing is left, at the end or after a fatal error. */
static int at_end(bipe_stream *s, bipe_error *err)
{
    if (s->fatal.status == BIPE_OK)
        return BIPE_END;
    int status = return_error(&s->fatal, err);
    s->fatal.status = BIPE_OK;
    bipe_reader_inputs(s->reader, NULL, 0);
    return status;
}

void bipe_stream_inputs(bipe_stream *s, const char *const *path, size_t count)
{
    while (s->oldest != NULL)
        drop_block(s);
    s->given = s->reading = false;
    s->fatal.status = BIPE_OK;
    bipe_reader_inputs(s->reader, path, count);
}

int bipe_stream_next_input(bipe_stream *s, bipe_error *err)
{
    bipe_block_part *part;
    while ((part = present_part(s)) != NULL && part->kind != BIPE_PART_INPUT)
        s->given = true;
    s->reading = false;
    s->flaws = (bipe_stream_flaws){0};
    if (part == NULL)
        return at_end(s, err);
    s->given = true;
    return part->error != NULL ? return_error(part->error, err) : BIPE_OK;
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

int bipe_stream_texts(bipe_stream *s, const bipe_memory_texts *texts, bipe_error *err)
{
    bipe_stream_inputs(s, NULL, 0);
    bipe_reader_texts(s->reader, texts);
    return bipe_stream_next_input(s, err);
}

int bipe_stream_next_document(bipe_stream *s, bipe_error *err)
{
    bipe_block_part *part;
    s->given = s->given || s->reading; /* what is left of the present document is skipped */
    s->reading = false;
    while ((part = present_part(s)) != NULL && part->kind != BIPE_PART_END && part->kind != BIPE_PART_INPUT &&
           !part->first)
        s->given = true;
    if (part == NULL)
        return at_end(s, err);
    if (part->kind == BIPE_PART_END)
        s->flaws = part->flaws;
    if (!part->first)
        return BIPE_END;
    s->document = part->document;
    s->reading = part->kind != BIPE_PART_REFUSED;
    s->given = !s->reading;
    return s->reading ? BIPE_OK : return_error(part->error, err);
}

/* ---- segmenters of tokens ---- */

static int segment_track(bipe_segmentation *segmentation, const bipe_block_part *part, const bipe_token *tokens,
                         bipe_error *err)
{
    int status = BIPE_OK;
    if (part->first) {
        bipe_segmentation_take(segmentation, SIZE_MAX);
        status = bipe_segmentation_begin(segmentation, err);
    }
    if (status == BIPE_OK && part->token_count != 0)
        status = bipe_segmentation_feed_tokens(segmentation, tokens, part->token_count, err);
    if (status == BIPE_OK && part->final)
        status = bipe_segmentation_end(segmentation, part->offset + part->size, err);
    return status;
}

/* The document ends with this error instead of the part. */
static void fail_part(bipe_block_part *part, const bipe_error *err)
{
    part->kind = BIPE_PART_ERROR;
    bipe_block_part_fail_document(part, err);
}

/* Gives the tokens of a part to the segmenters that read them. */
static void segment_tokens(bipe_stream *s, const bipe_block *b, bipe_block_part *part)
{
    bipe_error err = {0};
    int status = BIPE_OK;
    if (part->fed)
        return;
    part->fed = true;
    for (size_t k = 0; k < s->setup.track_count && status == BIPE_OK; k++)
        if (s->setup.tracks[k].tokens)
            status = segment_track(s->setup.tracks[k].segmentation, part, bipe_block_tokens(b, part), &err);
    if (status != BIPE_OK)
        fail_part(part, &err);
}

static bool is_settled(const bipe_stream *s, const bipe_block_part *part)
{
    for (size_t k = 0; k < s->setup.track_count; k++)
        if (s->setup.tracks[k].tokens &&
            bipe_segmentation_boundaries(s->setup.tracks[k].segmentation)->settled < part->offset + part->size)
            return false;
    return true;
}

/* Finds all boundaries in a part of a text, for which segmenters may have to read the tokens of later parts. */
static int segment_part(bipe_stream *s, part_cursor at, bipe_error *err)
{
    bipe_block_part *part = &at.block->part[at.part];
    uint64_t waiting = 0; /* bytes */
    if (!s->token_tracks || part->segmented)
        return BIPE_OK;
    part->segmented = true;
    for (part_cursor p = at;;) {
        bipe_block_part *next = &p.block->part[p.part];
        if (next->kind == BIPE_PART_TEXT)
            segment_tokens(s, p.block, next);
        waiting += next->size;
        if (next->kind != BIPE_PART_TEXT || next->final || next->error != NULL || is_settled(s, part))
            break;
        if (waiting > BIPE_UNIT_LIMIT) {
            bipe_error problem;
            bipe_fail(&problem, BIPE_ERR_LIMIT,
                      "byte %llu: a segmenter of tokens is undecided for more than 2 MiB, expected less",
                      (unsigned long long)part->offset);
            fail_part(part, &problem);
            return BIPE_OK;
        }
        if (!next_part(s, &p))
            break;
    }
    int status = BIPE_OK;
    for (size_t k = 0; k < s->setup.track_count && status == BIPE_OK && part->kind == BIPE_PART_TEXT; k++)
        if (s->setup.tracks[k].tokens) {
            status = bipe_block_move_boundaries(at.block, at.part, k, err);
            if (status == BIPE_OK)
                bipe_block_find_ends(at.block, at.part, k);
        }
    return status;
}

/* ---- batches ---- */

/* Finds what becomes of the last token of the present part, as far as the part says. Whether it is open for a
 * segmenter: the next boundary may come before the next token that is not empty. */
static bool is_open(bipe_stream *s, const bipe_block_part *part)
{
    bool open = false;
    for (size_t k = 0; k < s->setup.track_count; k++) {
        size_t count;
        const uint32_t *ends;
        bipe_block_boundaries(s->oldest, s->at, k, &ends, &count);
        s->setup.tracks[k].last = part->text_end == 0 || (count != 0 && ends[count - 1] == part->text_end) ? BIPE_CLOSES
                                                                                                           : BIPE_OPEN;
        open = open || s->setup.tracks[k].last == BIPE_OPEN;
    }
    return open && !part->final && part->error == NULL;
}

/* Looks for those boundaries in later parts. Where there are none for very long, and no tokens either, the document
 * ends with an error. */
static int look_ahead(bipe_stream *s, bipe_block_part *present, bipe_error *err)
{
    int status = BIPE_OK;
    uint64_t end = present->offset + present->size;
    part_cursor p = {s->oldest, s->at};
    for (bool open = true; open && status == BIPE_OK && next_part(s, &p);) {
        bipe_block_part *part = &p.block->part[p.part];
        if (part->kind == BIPE_PART_TEXT)
            status = segment_part(s, p, err);
        if (part->kind != BIPE_PART_TEXT)
            return status;
        if (part->offset - end > BIPE_UNIT_LIMIT) {
            bipe_error problem;
            bipe_fail(&problem, BIPE_ERR_LIMIT,
                      "byte %llu: neither a token nor the end of a segment for more than 2 MiB, expected one",
                      (unsigned long long)end);
            bipe_block_part_fail_document(present, &problem);
            return status;
        }
        open = false;
        for (size_t k = 0; k < s->setup.track_count; k++) {
            size_t count;
            const uint32_t *ends;
            bipe_block_boundaries(p.block, p.part, k, &ends, &count);
            if (s->setup.tracks[k].last == BIPE_OPEN && count != 0)
                s->setup.tracks[k].last = ends[0] == 0 ? BIPE_CLOSES_LATER : BIPE_CLOSES;
            open = open || s->setup.tracks[k].last == BIPE_OPEN;
        }
        open = open && part->text_end == 0 && !part->final && part->error == NULL;
    }
    return status;
}

/* The boundaries of all tracks of a SPEC in the present part: count[] of each, offset[] and ends[]. */
static int merge_boundaries(bipe_stream_spec *spec, const size_t *count, const uint64_t *const *offset,
                            const uint32_t *const *ends, size_t *merged, bipe_error *err)
{
    size_t next[BIPE_LEVELS] = {0}, most = 0;
    for (size_t l = 0; l < spec->count; l++)
        most += count[l];
    if (bipe_grow(&spec->offset, &spec->offset_capacity, most + 1, sizeof *spec->offset) != 0 ||
        bipe_grow(&spec->ends, &spec->ends_capacity, most + 1, sizeof *spec->ends) != 0 ||
        bipe_grow(&spec->level, &spec->level_capacity, most + 1, sizeof *spec->level) != 0)
        return bipe_fail_memory(err);
    for (*merged = 0;; ++*merged) {
        size_t coarsest = BIPE_LEVELS;
        for (size_t l = 0; l < spec->count; l++)
            if (next[l] < count[l] &&
                (coarsest == BIPE_LEVELS || offset[l][next[l]] <= offset[coarsest][next[coarsest]]))
                coarsest = l;
        if (coarsest == BIPE_LEVELS)
            return BIPE_OK;
        uint64_t at = offset[coarsest][next[coarsest]];
        spec->offset[*merged] = at;
        spec->ends[*merged] = ends[coarsest][next[coarsest]];
        spec->level[*merged] = (uint8_t)(coarsest + 1);
        for (size_t l = 0; l < spec->count; l++)
            next[l] += next[l] < count[l] && offset[l][next[l]] == at;
    }
}

/* The boundaries of SPEC k in the present part. *level: of each; NULL: there is one. */
static int list_boundaries(bipe_stream *s, size_t k, const uint8_t **level, bipe_error *err)
{
    bipe_stream_spec *spec = &s->spec[k];
    size_t count[BIPE_LEVELS] = {0};
    const uint32_t *ends[BIPE_LEVELS] = {NULL};
    const uint64_t *offset[BIPE_LEVELS] = {NULL};
    for (size_t l = 0; l < spec->count; l++)
        offset[l] = bipe_block_boundaries(s->oldest, s->at, spec->first + l, &ends[l], &count[l]);
    *level = NULL;
    s->boundaries[k] = offset[0];
    s->ends[k] = ends[0];
    s->boundary_count[k] = count[0];
    if (spec->count == 1)
        return BIPE_OK;
    int status = merge_boundaries(spec, count, offset, ends, &s->boundary_count[k], err);
    s->boundaries[k] = spec->offset;
    s->ends[k] = spec->ends;
    *level = spec->level;
    return status;
}

/* The boundaries of SPEC k in the present part, and the numbers of the tokens that close segments. */
static int list_closes(bipe_stream *s, size_t k, size_t text_end, bipe_error *err)
{
    bipe_stream_spec *spec = &s->spec[k];
    const uint8_t *level;
    uint32_t last = 0;
    size_t n = 0;
    int status = list_boundaries(s, k, &level, err);
    if (status != BIPE_OK)
        return status;
    size_t most = s->boundary_count[k] + 1;
    if (bipe_grow(&s->closes[k], &spec->closes_capacity, most, sizeof **s->closes) != 0 ||
        (level != NULL &&
         bipe_grow(&s->close_levels[k], &spec->close_level_capacity, most, sizeof **s->close_levels) != 0))
        return bipe_fail_memory(err);
    for (size_t b = 0; b < s->boundary_count[k]; b++) {
        bool more = s->ends[k][b] > last;
        s->closes[k][n] = s->ends[k][b] - 1;
        if (level != NULL && (more || (n > 0 && level[b] > s->close_levels[k][n - 1])))
            s->close_levels[k][more ? n : n - 1] = level[b];
        if (more) {
            last = s->ends[k][b];
            n++;
        }
    }
    for (size_t l = 0; l < spec->count; l++) {
        if (s->setup.tracks[spec->first + l].last != BIPE_CLOSES_LATER)
            continue;
        bool more = last != text_end;
        last = (uint32_t)text_end;
        n += more;
        s->closes[k][n - 1] = last - 1;
        if (level != NULL && (more || l + 1 > s->close_levels[k][n - 1]))
            s->close_levels[k][n - 1] = (uint8_t)(l + 1);
    }
    s->close_count[k] = n;
    return BIPE_OK;
}

static int make_batch(bipe_stream *s, bipe_block_part *part, bipe_batch *batch, bipe_error *err)
{
    const bipe_block *b = s->oldest;
    int status = is_open(s, part) ? look_ahead(s, part, err) : BIPE_OK;
    for (size_t k = 0; k < s->setup.options.spec_count && status == BIPE_OK; k++)
        status = list_closes(s, k, part->text_end, err);
    *batch = (bipe_batch){
        .tokens = bipe_block_tokens(b, part),
        .token_count = part->token_count,
        .closes = (const uint32_t *const *)s->closes,
        .close_levels = (const uint8_t *const *)s->close_levels,
        .close_count = s->close_count,
        .levels = s->levels,
        .bytes = part->size != 0 ? b->text.data + part->text : NULL,
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
        bipe_block_part *part = present_part(s);
        s->reading = false;
        if (part == NULL)
            return at_end(s, err);
        s->given = true;
        int status = part->kind == BIPE_PART_TEXT ? segment_part(s, (part_cursor){s->oldest, s->at}, err) : BIPE_OK;
        if (status == BIPE_OK && part->kind != BIPE_PART_TEXT)
            return return_error(part->error, err);
        if (status == BIPE_OK)
            status = make_batch(s, part, batch, err);
        if (status != BIPE_OK || batch->last)
            return status;
        s->reading = true;
        if (part->error != NULL) { /* the part comes again, as that */
            part->kind = BIPE_PART_ERROR;
            s->given = false;
        }
        if (batch->token_count != 0 || batch->byte_count != 0)
            return BIPE_OK;
    }
    return BIPE_END;
}

/* ---- about it ---- */

const bipe_stream_flaws *bipe_stream_flaws_of(const bipe_stream *s)
{
    return &s->flaws;
}

const bipe_stream_options *bipe_stream_options_of(const bipe_stream *stream)
{
    return &stream->setup.options;
}

uint64_t bipe_stream_document(const bipe_stream *s)
{
    return s->document;
}

const char *bipe_stream_member(const bipe_stream *s, size_t number)
{
    const bipe_block_part *part = s->oldest != NULL && s->given && !s->reading ? &s->oldest->part[s->at] : NULL;
    return part == NULL || part->value == NULL ? NULL : part->value[number];
}

const bipe_buffer *bipe_stream_record(const bipe_stream *s)
{
    const bipe_block_part *part = s->oldest != NULL && s->given && !s->reading ? &s->oldest->part[s->at] : NULL;
    return part == NULL || part->record_bytes.size == 0 ? NULL : &part->record_bytes;
}

const char *bipe_stream_choice(const bipe_stream *s, size_t segmenter)
{
    const bipe_stream_spec *spec = &s->spec[segmenter];
    const char *choice = NULL;
    for (size_t l = 0; l < spec->count && s->oldest != NULL && s->given && choice == NULL; l++)
        choice = s->oldest->range[s->at * s->setup.track_count + spec->first + l].choice;
    return choice;
}

const bipe_input *bipe_stream_source(const bipe_stream *s)
{
    return bipe_reader_source(s->reader);
}

uint64_t bipe_stream_raw(const bipe_stream *s)
{
    return bipe_reader_raw(s->reader);
}

void bipe_stream_close(bipe_stream *s)
{
    if (s == NULL)
        return;
    while (s->oldest != NULL)
        drop_block(s);
    while (s->spare != NULL)
        bipe_block_close(pop_spare(s));
    if (s->own_jobs)
        bipe_jobs_close(s->jobs);
    bipe_block_close_scratch(s->scratch);
    bipe_reader_close(s->reader);
    for (size_t k = 0; k < s->setup.track_count; k++)
        bipe_segmentation_close(s->setup.tracks[k].segmentation);
    for (size_t k = 0; s->spec != NULL && k < s->setup.options.spec_count; k++) {
        bipe_free(s->spec[k].offset);
        bipe_free(s->spec[k].ends);
        bipe_free(s->spec[k].level);
        bipe_free(s->closes != NULL ? s->closes[k] : NULL);
        bipe_free(s->close_levels != NULL ? s->close_levels[k] : NULL);
    }
    bipe_free(s->setup.tracks);
    bipe_free(s->spec);
    bipe_free(s->levels);
    bipe_free(s->closes);
    bipe_free(s->close_levels);
    bipe_free(s->close_count);
    bipe_free(s->boundary_count);
    bipe_free(s->ends);
    bipe_free(s->boundaries);
    bipe_free(s->single);
    bipe_free(s);
}
