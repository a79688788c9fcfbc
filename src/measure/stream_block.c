/* stream_block.c - blocks, their parts, and the work of the threads that tokenize them; see stream_block.h. */
#include "measure/stream_block.h"

#include <string.h>

#include "base/alloc.h"
#include "measure/closes.h"

/* ---- parts ---- */

static bipe_error no_memory = {.status = BIPE_ERR_MEMORY, .text = "out of memory"};

void bipe_block_part_fail(bipe_block_part *part, const bipe_error *err)
{
    part->error = bipe_alloc(1, sizeof *part->error);
    if (part->error != NULL)
        *part->error = *err;
    else
        part->error = &no_memory;
}

void bipe_block_part_fail_document(bipe_block_part *part, const bipe_error *err)
{
    bipe_error named = *err;
    if (part->record)
        bipe_error_prefix(&named, "document %llu", (unsigned long long)part->document);
    bipe_error_prefix(&named, "%s", part->input);
    bipe_block_part_fail(part, &named);
}

static void free_part(const bipe_block *b, bipe_block_part *part)
{
    for (size_t i = 0; part->value != NULL && i < b->setup->options.member_count; i++)
        bipe_free(part->value[i]);
    bipe_free(part->value);
    bipe_buffer_free(&part->record_bytes);
    if (part->error != &no_memory)
        bipe_free(part->error);
}

bipe_block_part *bipe_block_add(bipe_block *b, bipe_block_part_kind kind)
{
    size_t tracks = b->setup->track_count, count = b->part_count + 1;
    if (bipe_grow(&b->part, &b->part_capacity, count, sizeof *b->part) != 0 ||
        bipe_grow(&b->range, &b->range_capacity, count * tracks, sizeof *b->range) != 0)
        return NULL;
    for (size_t k = 0; k < tracks; k++)
        b->range[b->part_count * tracks + k] = (bipe_boundary_range){0};
    b->part[b->part_count] = (bipe_block_part){.kind = kind};
    return &b->part[b->part_count++];
}

/* ---- blocks ---- */

bipe_block *bipe_block_open(const bipe_stream_setup *setup)
{
    bipe_block *b = bipe_alloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    b->setup = setup;
    b->boundary = bipe_alloc(setup->track_count, sizeof *b->boundary);
    if (b->boundary == NULL) {
        bipe_block_close(b);
        return NULL;
    }
    return b;
}

void bipe_block_close(bipe_block *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->part_count; i++)
        free_part(b, &b->part[i]);
    for (size_t k = 0; b->boundary != NULL && k < b->setup->track_count; k++) {
        bipe_free(b->boundary[k].offset);
        bipe_free(b->boundary[k].ends);
    }
    bipe_free(b->boundary);
    bipe_free(b->range);
    bipe_free(b->part);
    bipe_tokens_free(&b->tokens);
    bipe_buffer_free(&b->text);
    bipe_free(b);
}

/* The usual number of bytes, boundaries and so on in a block. */
static size_t usual_size(const bipe_stream_setup *setup)
{
    return 4 * setup->block_size + 1024;
}

bool bipe_block_clear(bipe_block *b)
{
    size_t boundaries = 0, usual = usual_size(b->setup);
    for (size_t i = 0; i < b->part_count; i++)
        free_part(b, &b->part[i]);
    for (size_t k = 0; k < b->setup->track_count; k++) {
        boundaries += b->boundary[k].capacity;
        b->boundary[k].count = 0;
    }
    b->part_count = b->text.size = b->tokens.count = b->record_size = 0;
    b->job = (bipe_job){0};
    b->next = NULL;
    return b->text.capacity <= usual && b->tokens.capacity <= usual && boundaries <= usual;
}

/* ---- tokens and boundaries ---- */

const bipe_token *bipe_block_tokens(const bipe_block *b, const bipe_block_part *part)
{
    return b->tokens.token != NULL ? b->tokens.token + part->first_token : NULL;
}

const uint64_t *bipe_block_boundaries(const bipe_block *b, size_t part, size_t track, const uint32_t **ends,
                                      size_t *count)
{
    size_t i = part * b->setup->track_count + track;
    *count = b->range[i].count;
    *ends = *count != 0 ? b->boundary[track].ends + b->range[i].first : NULL;
    return *count != 0 ? b->boundary[track].offset + b->range[i].first : NULL;
}

int bipe_block_move_boundaries(bipe_block *b, size_t part, size_t track, bipe_error *err)
{
    bipe_segmentation *segmentation = b->setup->tracks[track].segmentation;
    const bipe_boundaries *found = bipe_segmentation_boundaries(segmentation);
    bipe_offsets *own = &b->boundary[track];
    const bipe_block_part *p = &b->part[part];
    uint64_t end = p->offset + p->size;
    size_t first = own->count, count = found->count, i = part * b->setup->track_count + track;
    while (count != 0 && found->offset[count - 1] > end)
        count--;
    if (bipe_grow(&own->offset, &own->capacity, first + count + 1, sizeof *own->offset) != 0 ||
        bipe_grow(&own->ends, &own->ends_capacity, first + count + 1, sizeof *own->ends) != 0)
        return bipe_fail_memory(err);
    if (count != 0)
        memcpy(own->offset + first, found->offset, count * sizeof *own->offset);
    own->count += count;
    if (p->final && end != 0 && (count == 0 || found->offset[count - 1] != end))
        own->offset[own->count++] = end;
    memset(own->ends + first, 0, (own->count - first) * sizeof *own->ends);
    b->range[i] = (bipe_boundary_range){first, own->count - first, found->choice};
    bipe_segmentation_take(segmentation, count);
    return BIPE_OK;
}

void bipe_block_find_ends(bipe_block *b, size_t part, size_t track)
{
    const bipe_block_part *p = &b->part[part];
    bipe_offsets *own = &b->boundary[track];
    size_t i = part * b->setup->track_count + track, first = b->range[i].first;
    if (b->range[i].count != 0)
        bipe_closes_find(own->ends + first, own->offset + first, b->range[i].count, bipe_block_tokens(b, p),
                         p->token_count, 0, b->text.data + p->text, p->offset);
}

/* The tokens of a part are known. */
static void finish_part_tokens(bipe_block *b, size_t i)
{
    bipe_block_part *part = &b->part[i];
    const bipe_token *tokens = bipe_block_tokens(b, part);
    part->text_end = part->token_count;
    while (part->text_end != 0 && tokens[part->text_end - 1].start == tokens[part->text_end - 1].end)
        part->text_end--;
    for (size_t k = 0; k < b->setup->track_count; k++)
        bipe_block_find_ends(b, i, k);
}

void bipe_block_finish_tokens(bipe_block *b)
{
    for (size_t i = 0; i < b->part_count; i++)
        finish_part_tokens(b, i);
}

/* ---- jobs ---- */

void bipe_block_close_scratch(void *scratch)
{
    bipe_token_stream_close(scratch);
}

static int tokenize_part(bipe_token_stream *stream, const bipe_block_part *part, const uint8_t *text,
                         bipe_tokens *tokens, bipe_error *err)
{
    int status = part->offset == 0 ? bipe_token_stream_begin(stream, err)
                                   : bipe_token_stream_begin_at(stream, part->offset, err);
    if (status == BIPE_OK && part->size != 0)
        status = bipe_token_stream_feed(stream, text + part->text, part->size, tokens, err);
    return status == BIPE_OK ? bipe_token_stream_end(stream, tokens, err) : status;
}

/* The part was tokenized only up to an error: the tokens before it are returned as if the text continued. */
static void break_part(bipe_block *b, size_t i, const bipe_error *err)
{
    bipe_block_part *part = &b->part[i];
    const bipe_token *tokens = bipe_block_tokens(b, part);
    size_t tracks = b->setup->track_count;
    part->size = part->token_count != 0 ? (size_t)(tokens[part->token_count - 1].end - part->offset) : 0;
    part->final = part->last = false;
    bipe_block_part_fail_document(part, err);
    for (size_t k = 0; k < tracks; k++) {
        bipe_boundary_range *range = &b->range[i * tracks + k];
        while (range->count != 0 && b->boundary[k].offset[range->first + range->count - 1] > part->offset + part->size)
            range->count--;
    }
}

void bipe_block_tokenize(bipe_job *job, void **scratch)
{
    bipe_block *b = (bipe_block *)job;
    bipe_error err = {0};
    bipe_token_stream *stream = *scratch;
    int opened = stream != NULL ? BIPE_OK : bipe_token_stream_open(&stream, b->setup->options.tokenizer, &err);
    *scratch = stream;
    for (size_t i = 0; i < b->part_count; i++) {
        bipe_block_part *part = &b->part[i];
        if (part->kind != BIPE_PART_TEXT)
            continue;
        part->first_token = b->tokens.count;
        int status = opened;
        if (status == BIPE_OK && (part->size != 0 || part->offset == 0))
            status = tokenize_part(stream, part, b->text.data, &b->tokens, &err);
        part->token_count = b->tokens.count - part->first_token;
        if (status != BIPE_OK)
            break_part(b, i, &err);
        finish_part_tokens(b, i);
    }
}
