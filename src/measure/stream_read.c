/* stream_read.c - the reading side of a stream: inputs, documents, segmenters of bytes, and where text is cut into blocks. */
#include <string.h>

#include "base/alloc.h"
#include "measure/stream_state.h"

/* Bytes at the end of a text in which a place to cut is looked for first; bytes without one after which a document is tokenized as a whole;
 * ids without text that may wait for some. */
enum { LOOK_BACK = 1 << 14, UNCUT = 1 << 18, MOST_IDS = 1 << 21 };

/* ---- parts of a block ---- */

static bipe_part *add_part(bipe_stream *s, bipe_block *b, bipe_part_kind kind, bipe_error *err)
{
    size_t tracks = s->track_count, count = b->part_count + 1;
    if (bipe_grow(&b->part, &b->part_capacity, count, sizeof *b->part) != 0 ||
        bipe_grow(&b->boundary_end, &b->boundary_end_capacity, count * tracks, sizeof *b->boundary_end) != 0) {
        bipe_fail_memory(err);
        return NULL;
    }
    bipe_part *part = &b->part[b->part_count];
    *part = (bipe_part){
        .kind = kind,
        .input = strcmp(s->path[s->path_next - 1], "-") == 0 ? "standard input" : s->path[s->path_next - 1],
        .document = s->documents != NULL ? bipe_documents_index(s->documents) : 0,
        .record = s->documents != NULL && bipe_documents_are_records(s->documents),
        .token_end = b->part_count != 0 ? b->part[b->part_count - 1].token_end : BIPE_STREAM_SLACK,
    };
    for (size_t i = 0; i < tracks; i++)
        b->boundary_end[b->part_count * tracks + i] = b->boundary[i].count;
    b->part_count++;
    return part;
}

void bipe_part_fail(bipe_part *part, bool place, const bipe_error *err)
{
    bipe_free(part->error);
    part->error = bipe_alloc(1, sizeof *part->error);
    if (part->error == NULL)
        return;
    *part->error = *err;
    if (place && part->record)
        bipe_error_prefix(part->error, "document %llu", (unsigned long long)part->document);
    if (place)
        bipe_error_prefix(part->error, "%s", part->input);
}

void bipe_part_free(bipe_part *part, size_t member_count)
{
    for (size_t i = 0; part->value != NULL && i < member_count; i++)
        bipe_free(part->value[i]);
    bipe_free(part->value);
    bipe_free(part->error);
}

/* Keeps the values of members of the present document, all of which has been read. */
static int take_values(const bipe_stream *s, bipe_part *part, bipe_error *err)
{
    for (size_t i = 0; i < s->member_count; i++) {
        const char *value = bipe_documents_value(s->documents, i);
        if (value == NULL)
            continue;
        if (part->value == NULL && (part->value = bipe_alloc(s->member_count, sizeof *part->value)) == NULL)
            return bipe_fail_memory(err);
        if ((part->value[i] = bipe_strdup(value)) == NULL)
            return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

/* Moves the boundaries of a segmenter up to the end of the part to the block. */
static int take_boundaries(bipe_stream *s, bipe_block *b, size_t i, bool final, bipe_error *err)
{
    bipe_segmentation *segmentation = s->tracks[i].segmentation;
    const bipe_boundaries *found = bipe_segmentation_boundaries(segmentation);
    bipe_offsets *own = &b->boundary[i];
    uint64_t end = s->start;
    size_t count = found->count;
    while (count != 0 && found->offset[count - 1] > end)
        count--;
    if (bipe_grow(&own->offset, &own->capacity, own->count + count + 1, sizeof *own->offset) != 0 ||
        bipe_grow(&own->ends, &own->ends_capacity, own->count + count + 1, sizeof *own->ends) != 0)
        return bipe_fail_memory(err);
    if (count != 0)
        memcpy(own->offset + own->count, found->offset, count * sizeof *own->offset);
    own->count += count;
    if (final && end != 0 && (count == 0 || found->offset[count - 1] != end))
        own->offset[own->count++] = end;
    bipe_segmentation_take(segmentation, count);
    return BIPE_OK;
}

/* The text of the document up to this place in the block is a part, and so are the block's tokens before token_end. */
static int end_part(bipe_stream *s, bipe_block *b, size_t text_end, size_t token_end, bool final, bipe_error *err)
{
    bipe_part *part = add_part(s, b, BIPE_PART_TEXT, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    part->offset = s->start;
    part->text = s->text;
    part->size = text_end - s->text;
    part->token_end = token_end;
    part->first = s->first;
    part->final = final;
    part->last = final && s->failure.status == BIPE_OK;
    b->text_parts++;
    s->start += part->size;
    s->text = text_end;
    s->first = false;
    s->attempt = 0;
    int status = part->last && s->documents != NULL ? take_values(s, part, err) : BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        if (!s->tracks[i].tokens)
            status = take_boundaries(s, b, i, final, err);
        b->boundary_end[(b->part_count - 1) * s->track_count + i] = b->boundary[i].count;
    }
    return status;
}

/* The document is over because of an error; the rest of its text is dropped. */
static int end_by_error(bipe_stream *s, bipe_block *b, bool place, const bipe_error *problem, bipe_error *err)
{
    s->state = BIPE_READ_DOCUMENT;
    if (problem->status == BIPE_ERR_MEMORY) {
        *err = *problem;
        return BIPE_ERR_MEMORY;
    }
    bool some = !s->first && b->part_count != 0 && b->part[b->part_count - 1].kind == BIPE_PART_TEXT; /* of this document, then */
    bipe_part *part = some ? &b->part[b->part_count - 1] : add_part(s, b, BIPE_PART_ERROR, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    part->broken = true;
    part->first = part->first || s->first;
    bipe_part_fail(part, place, problem);
    b->text.size = s->text;
    b->tokens.count = part->token_end;
    return BIPE_OK;
}

/* ---- inputs and documents ---- */

static void close_input(bipe_stream *s)
{
    if (bipe_stream_source(s) != NULL)
        s->raw += bipe_input_raw_offset(bipe_stream_source(s));
    bipe_documents_close(s->documents);
    bipe_ids_input_close(s->ids);
    s->documents = NULL;
    s->ids = NULL;
    s->ids_begun = false;
}

void bipe_stream_leave(bipe_stream *s)
{
    close_input(s);
    s->raw = 0;
    s->path_count = s->path_next = 0;
    s->state = BIPE_READ_NOTHING;
}

static int open_input(bipe_stream *s, bipe_block *b, bipe_error *err)
{
    if (s->path_next == s->path_count) { /* the last one stays open: its reader may be asked about it */
        s->state = BIPE_READ_NOTHING;
        return BIPE_OK;
    }
    close_input(s);
    const char *path = s->path[s->path_next++];
    bipe_error problem = {0};
    int status = s->ids_kind != BIPE_IDS_NONE ? bipe_ids_input_open(&s->ids, path, s->ids_kind, s->tokenizer, &problem)
                                              : bipe_documents_open_members(&s->documents, path, s->kind, s->field, s->members,
                                                                            s->member_count, &problem);
    bipe_part *part = add_part(s, b, BIPE_PART_INPUT, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    if (status != BIPE_OK) {
        bipe_part_fail(part, false, &problem);
        part->broken = true;
        return BIPE_OK;
    }
    if (s->any && s->documents != NULL)
        bipe_documents_any(s->documents);
    if (s->trim && s->documents != NULL)
        bipe_documents_trim(s->documents);
    if (s->documents != NULL)
        bipe_documents_decode(s->documents, s->encoding);
    if (s->busy && s->documents != NULL)
        bipe_documents_busy(s->documents);
    s->state = BIPE_READ_DOCUMENT;
    return BIPE_OK;
}

/* documents: NULL where the input is token ids. */
static bipe_stream_flaws flaws_of(const bipe_documents *documents)
{
    bipe_stream_flaws flaws = {0};
    if (documents == NULL)
        return flaws;
    flaws.mostly_wrong = bipe_documents_mostly_wrong(documents);
    flaws.encoding = bipe_input_decoded(bipe_documents_input(documents), &flaws.wrong, &flaws.first);
    return flaws;
}

/* To the next document of the input. */
static int next_document(bipe_stream *s, bipe_error *err)
{
    if (s->documents != NULL)
        return bipe_documents_next(s->documents, err);
    bool begun = s->ids_begun;
    s->ids_begun = true;
    return begun ? BIPE_END : BIPE_OK;
}

static int begin_document(bipe_stream *s, bipe_block *b, bipe_error *err)
{
    bipe_error problem = {0};
    int status = next_document(s, &problem);
    if (status == BIPE_END) {
        bipe_part *part = add_part(s, b, BIPE_PART_END, err);
        s->state = BIPE_READ_INPUT;
        if (part != NULL)
            part->flaws = flaws_of(s->documents);
        return part != NULL ? BIPE_OK : BIPE_ERR_MEMORY;
    }
    if (s->wants != NULL && !s->wants(s->context, s->path_next - 1, s->documents != NULL ? bipe_documents_index(s->documents) : 0))
        return BIPE_OK;
    bool read = status == BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++)
        if (!s->tracks[i].tokens) {
            bipe_segmentation_take(s->tracks[i].segmentation, SIZE_MAX);
            status = bipe_segmentation_begin(s->tracks[i].segmentation, &problem);
        }
    s->size = s->start = s->whole_fed = 0;
    s->text = b->text.size;
    s->attempt = 0;
    s->first = true;
    s->serial = false;
    s->failure.status = BIPE_OK;
    s->state = BIPE_READ_TEXT;
    if (status == BIPE_OK)
        return BIPE_OK;
    status = end_by_error(s, b, read, &problem, err);
    if (status == BIPE_OK)
        b->part[b->part_count - 1].between = true;
    return status;
}

/* ---- text ---- */

/* Gives new text to the segmenters that read bytes; at the end of the document, says so. */
static int feed_segmenters(bipe_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        bipe_segmentation *segmentation = s->tracks[i].segmentation;
        if (s->tracks[i].tokens)
            continue;
        status = bipe_segmentation_feed_bytes(segmentation, bytes, size, err);
        if (status == BIPE_OK && s->state == BIPE_READ_REST)
            status = bipe_segmentation_end(segmentation, s->size, err);
        uint64_t settled = bipe_segmentation_boundaries(segmentation)->settled;
        if (status == BIPE_OK && settled < s->size && s->size - settled > BIPE_UNIT_LIMIT)
            status = bipe_fail(err, BIPE_ERR_LIMIT, "segmenter '%s': byte %llu: undecided for more than 2 MiB, expected less",
                               bipe_segmentation_spec(segmentation), (unsigned long long)settled);
    }
    return status;
}

/* Reads more of the document. */
static int read_more(bipe_stream *s, bipe_block *b, bipe_error *problem)
{
    size_t size = b->text.size, missing = size < s->block_size ? s->block_size - size : s->block_size, got = 0;
    int status;
    if (s->ids != NULL) {
        status = bipe_ids_input_read(s->ids, &b->tokens, &b->text, problem);
        got = b->text.size - size;
        if (status == BIPE_OK && got == 0 && b->tokens.count > MOST_IDS)
            return bipe_fail(problem, BIPE_ERR_LIMIT, "more than %d ids without text, expected fewer", MOST_IDS);
    } else {
        status = bipe_buffer_reserve(&b->text, missing, problem);
        if (status == BIPE_OK)
            status = bipe_documents_read(s->documents, b->text.data + size, missing < s->buffer_size ? missing : s->buffer_size, &got, problem);
        b->text.size += got;
        status = status == BIPE_OK && got == 0 ? BIPE_END : status;
    }
    if (status == BIPE_ERR_MEMORY)
        return status;
    s->size += got;
    if (status != BIPE_OK)
        s->state = BIPE_READ_REST;
    if (status != BIPE_OK && status != BIPE_END) { /* what came before it is decided as if the document ended here */
        s->failure = *problem;
        s->failure.status = status;
    }
    return feed_segmenters(s, got != 0 ? b->text.data + size : NULL, got, problem);
}

/* How far everything is decided. The last byte waits until more follows or the end is known: the end of the document is a boundary. */
static uint64_t decided(const bipe_stream *s)
{
    if (s->state == BIPE_READ_REST || s->size == 0)
        return s->size;
    uint64_t limit = s->size - 1;
    for (size_t i = 0; i < s->track_count; i++) {
        uint64_t settled = bipe_segmentation_boundaries(s->tracks[i].segmentation)->settled;
        if (!s->tracks[i].tokens && settled < limit)
            limit = settled;
    }
    return limit;
}

/* The last place to cut at, or 0; near the end of the bytes first. */
static size_t find_cut(const bipe_stream *s, const uint8_t *bytes, size_t size)
{
    for (size_t back = LOOK_BACK;; back *= 4) {
        size_t from = size > back ? size - back : 0, cut = bipe_tokenizer_cut(s->tokenizer, bytes + from, size - from);
        if (cut != 0)
            return from + cut;
        if (from == 0)
            return 0;
    }
}

/* Tokenizes the rest of the document as one token stream. */
static int begin_serial(bipe_stream *s, bipe_error *problem)
{
    s->serial = true;
    s->whole_fed = s->start;
    int status = s->whole == NULL ? bipe_token_stream_open(&s->whole, s->tokenizer, problem) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    return s->start == 0 ? bipe_token_stream_begin(s->whole, problem) : bipe_token_stream_begin_at(s->whole, s->start, problem);
}

/* Tokenizes what is decided and makes a part as far as there are tokens; ids are there already. *made: there is a part. */
static int cut_at_token(bipe_stream *s, bipe_block *b, bool *made, bipe_error *problem, bipe_error *err)
{
    uint64_t limit = decided(s);
    bool final = s->state == BIPE_READ_REST;
    int status = BIPE_OK;
    b->tokenized = true;
    if (s->ids == NULL) {
        status = bipe_token_stream_feed(s->whole, b->text.data + s->text + (s->whole_fed - s->start), (size_t)(limit - s->whole_fed), &b->tokens, problem);
        s->whole_fed = limit;
        if (final && status == BIPE_OK)
            status = bipe_token_stream_end(s->whole, &b->tokens, problem);
    }
    if (status == BIPE_OK && !final && s->ids == NULL && s->size - s->start > 2 * BIPE_UNIT_LIMIT)
        status = bipe_fail(problem, BIPE_ERR_LIMIT, "byte %llu: no place to cut the text into tokens in 2 MiB", (unsigned long long)s->start);
    final = final && status == BIPE_OK;
    size_t first = b->part_count != 0 ? b->part[b->part_count - 1].token_end : BIPE_STREAM_SLACK, count = b->tokens.count;
    while (!final && count > first && b->tokens.token[count - 1].end > limit)
        count--;
    uint64_t end = final ? s->size : count > first ? b->tokens.token[count - 1].end : s->start;
    *made = final || (count > first && (status != BIPE_OK || b->text.size >= s->block_size || count - first > s->block_size));
    if (*made && end_part(s, b, s->text + (size_t)(end - s->start), count, final, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    return status;
}

/* Makes a part of what is decided, if that is enough or all. *full: it must not go into this block. */
static int cut_text(bipe_stream *s, bipe_block *b, bool *made, bool *full, bipe_error *problem, bipe_error *err)
{
    bool final = s->state == BIPE_READ_REST;
    size_t size = (size_t)(decided(s) - s->start), most = 2 * s->block_size, cut = 0;
    *made = false;
    if (s->ids != NULL || s->serial)
        return cut_at_token(s, b, made, problem, err);
    if (final && (size <= most || s->tokenizer == NULL)) {
        *made = true;
        return end_part(s, b, s->text + size, BIPE_STREAM_SLACK, true, err);
    }
    if (!final && (size == 0 || size < s->attempt || b->text.size < s->block_size))
        return BIPE_OK;
    if (s->tokenizer == NULL) {
        cut = size;
    } else if (s->cuts) {
        const uint8_t *bytes = b->text.data + s->text;
        cut = find_cut(s, bytes, size < most ? size : most);
        if (cut == 0 && size > most)
            cut = find_cut(s, bytes, size);
    }
    s->attempt = size + size / 2;
    *made = cut != 0;
    if (cut != 0)
        return end_part(s, b, s->text + cut, BIPE_STREAM_SLACK, false, err);
    if (!final && size < (s->cuts ? UNCUT : most))
        return BIPE_OK;
    s->attempt = 0;
    if (b->text_parts != 0) { /* those are still to be tokenized */
        *full = true;
        return BIPE_OK;
    }
    int status = begin_serial(s, problem);
    return status == BIPE_OK ? cut_at_token(s, b, made, problem, err) : status;
}

/* ---- blocks ---- */

/* The rest of an unfinished document moves from this block to the next one. */
static int move_rest(bipe_stream *s, bipe_block *b, bipe_error *err)
{
    size_t first = b->part[b->part_count - 1].token_end, tokens = b->tokens.count > first ? b->tokens.count - first : 0;
    bipe_block *next = bipe_stream_new_block(s);
    if (next == NULL)
        return bipe_fail_memory(err);
    s->filling = next;
    int status = bipe_buffer_append(&next->text, b->text.data + s->text, b->text.size - s->text, err);
    if (status == BIPE_OK && bipe_grow(&next->tokens.token, &next->tokens.capacity, next->tokens.count + tokens, sizeof(bipe_token)) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    if (tokens != 0)
        memcpy(next->tokens.token + next->tokens.count, b->tokens.token + first, tokens * sizeof(bipe_token));
    next->tokens.count += tokens;
    b->tokens.count = tokens != 0 ? first : b->tokens.count;
    s->text = 0;
    return BIPE_OK;
}

/* One step. *full: the block has enough. */
static int fill_some(bipe_stream *s, bipe_block *b, bool *full, bipe_error *err)
{
    bipe_error problem = {0};
    bool made = false;
    if (s->state == BIPE_READ_INPUT || s->state == BIPE_READ_DOCUMENT) {
        size_t parts = b->part_count;
        int status = s->state == BIPE_READ_INPUT ? open_input(s, b, err) : begin_document(s, b, err);
        *full = b->part_count > parts && b->part[b->part_count - 1].broken;
        return status;
    }
    int status = cut_text(s, b, &made, full, &problem, err);
    if (*full)
        return move_rest(s, b, err);
    if (status == BIPE_OK && !made && s->state == BIPE_READ_TEXT)
        status = read_more(s, b, &problem);
    if (err->status == BIPE_ERR_MEMORY)
        return BIPE_ERR_MEMORY;
    if (status != BIPE_OK) {
        *full = true;
        return end_by_error(s, b, true, &problem, err);
    }
    if (!made)
        return BIPE_OK;
    bool final = b->part[b->part_count - 1].final;
    *full = !final || b->tokenized || b->text.size >= s->block_size;
    if (!final)
        return move_rest(s, b, err);
    s->state = BIPE_READ_DOCUMENT;
    if (s->failure.status == BIPE_OK)
        return BIPE_OK;
    *full = true;
    problem = s->failure;
    return end_by_error(s, b, false, &problem, err);
}

int bipe_stream_fill(bipe_stream *s, bipe_block **block, bipe_error *err)
{
    bipe_block *b = s->filling != NULL ? s->filling : bipe_stream_new_block(s);
    bool full = false;
    err->status = BIPE_OK;
    int status = b != NULL ? BIPE_OK : bipe_fail_memory(err);
    s->filling = NULL;
    *block = NULL;
    while (status == BIPE_OK && !full && s->state != BIPE_READ_NOTHING)
        status = fill_some(s, b, &full, err);
    if (status == BIPE_OK && b->part_count != 0)
        *block = b;
    else if (b != NULL)
        bipe_stream_free_block(s, b);
    return status;
}
