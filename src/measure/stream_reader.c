/* stream_reader.c - inputs, documents, segmenters of bytes, and where text is cut into parts; see stream_reader.h. */
#include "measure/stream_reader.h"

#include <string.h>

#include "base/alloc.h"
#include "token/ids_input.h"
#include "text/utf8.h"

/* Ids without text that may wait for some; bytes that a part counts for, so that empty documents fill a block, too. */
enum { MOST_IDS = 1 << 21, PART = 8 };

typedef enum read_state {
    READ_INPUT,    /* the next input is to be opened */
    READ_DOCUMENT, /* the next document is to be begun */
    READ_TEXT,     /* of a document */
    READ_REST,     /* all of it has been read */
    READ_NOTHING   /* there are no more inputs */
} read_state;

struct bipe_reader {
    const bipe_stream_setup *setup;
    char *field;
    read_state state;
    const char *const *path;   /* (path_count) */
    size_t path_count, path_next;
    const bipe_memory_texts *texts; /* in place of path; NULL: none */
    bipe_documents *documents; /* at most one of these two */
    bipe_ids_input *ids;
    bool ids_begun;
    bool like_records;         /* the present input is read as plain text, which was not asked for, and begins with a
                                  record */
    uint64_t raw;              /* bytes of inputs before the present one */
    /* The present document: */
    bipe_error failure;        /* how it broke off; BIPE_OK: it did not */
    uint64_t size, start;      /* bytes read; those in parts */
    bool first;                /* it has no part yet */
    size_t attempt;            /* bytes that are needed before a position to cut is looked for again */
    size_t text, tokens;       /* of the block: what is in parts; the rest is of this document, */
    bipe_buffer rest;          /* and between blocks here */
    bipe_tokens rest_tokens;
};

/* ---- parts ---- */

static bipe_block_part *add_block_part(bipe_reader *r, bipe_block *b, bipe_block_part_kind kind, bipe_error *err)
{
    bipe_block_part *part = bipe_block_add(b, kind);
    if (part == NULL) {
        bipe_fail_memory(err);
        return NULL;
    }
    const char *path = r->path[r->path_next - 1];
    part->input = bipe_input_shown(path);
    part->document = r->documents != NULL ? bipe_documents_index(r->documents) : 0;
    part->record = r->documents != NULL && bipe_documents_are_records(r->documents);
    return part;
}

/* Keeps the values of members of the present document, all of which has been read. */
static int keep_values(const bipe_reader *r, bipe_block_part *part, bipe_error *err)
{
    size_t count = r->setup->options.member_count;
    for (size_t i = 0; i < count; i++) {
        const char *value = bipe_documents_value(r->documents, i);
        if (value == NULL)
            continue;
        if (part->value == NULL && (part->value = bipe_alloc(count, sizeof *part->value)) == NULL)
            return bipe_fail_memory(err);
        if ((part->value[i] = bipe_strdup(value)) == NULL)
            return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

/* Keeps the record of the present document, all of which has been read. */
static int keep_record(const bipe_reader *r, bipe_block *b, bipe_block_part *part, bipe_error *err)
{
    const bipe_buffer *record = r->setup->sharing.records && r->documents != NULL ? bipe_documents_record(r->documents)
                                                                                  : NULL;
    b->record_size += record != NULL ? record->size : 0;
    return record != NULL ? bipe_buffer_append(&part->record_bytes, record->data, record->size, err) : BIPE_OK;
}

/* The next `size` bytes of the document are a part, and so are the block's tokens before token_end. */
static int end_part(bipe_reader *r, bipe_block *b, size_t size, size_t token_end, bool final, bipe_error *err)
{
    bipe_block_part *part = add_block_part(r, b, BIPE_PART_TEXT, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    part->offset = r->start;
    part->text = r->text;
    part->size = size;
    part->first_token = r->tokens;
    part->token_count = token_end - r->tokens;
    part->first = r->first;
    part->final = final;
    part->last = final && r->failure.status == BIPE_OK;
    r->start += size;
    r->text += size;
    r->tokens = token_end;
    r->first = false;
    r->attempt = 0;
    int status = part->last && r->documents != NULL ? keep_values(r, part, err) : BIPE_OK;
    if (status == BIPE_OK && part->last)
        status = keep_record(r, b, part, err);
    for (size_t k = 0; k < r->setup->track_count && status == BIPE_OK; k++)
        if (!r->setup->tracks[k].tokens)
            status = bipe_block_move_boundaries(b, b->part_count - 1, k, err);
    return status;
}

/* The same for one that breaks off: reads the rest of it first. */
static int keep_broken_record(bipe_reader *r, bipe_block *b, bipe_block_part *part, bipe_error *err)
{
    uint8_t rest[4096];
    size_t size = 1;
    while (r->documents != NULL && size > 0)
        if (bipe_documents_read(r->documents, rest, sizeof rest, &size, NULL) != BIPE_OK)
            break;
    return keep_record(r, b, part, err);
}

/* An error ends the document; the rest of its text is dropped. unnamed: the error does not name the document. */
static int end_by_error(bipe_reader *r, bipe_block *b, bipe_block_part_kind kind, bool unnamed,
                        const bipe_error *problem, bipe_error *err)
{
    bipe_block_part *part = add_block_part(r, b, kind, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    part->first = r->first;
    (unnamed ? bipe_block_part_fail_document : bipe_block_part_fail)(part, problem);
    b->text.size = r->text;
    b->tokens.count = r->tokens;
    r->state = READ_DOCUMENT;
    return r->setup->sharing.records ? keep_broken_record(r, b, part, err) : BIPE_OK;
}

/* ---- inputs and documents ---- */

const bipe_input *bipe_reader_source(const bipe_reader *r)
{
    if (r->ids != NULL)
        return bipe_ids_input_source(r->ids);
    return r->documents != NULL ? bipe_documents_input(r->documents) : NULL;
}

uint64_t bipe_reader_raw(const bipe_reader *r)
{
    const bipe_input *source = bipe_reader_source(r);
    return r->raw + (source != NULL ? bipe_input_raw_offset(source) : 0);
}

static void close_input(bipe_reader *r)
{
    r->raw = bipe_reader_raw(r);
    bipe_documents_close(r->documents);
    bipe_ids_input_close(r->ids);
    r->documents = NULL;
    r->ids = NULL;
    r->ids_begun = false;
}

int bipe_stream_documents(bipe_documents **documents, const char *path, const bipe_stream_options *o, bipe_error *err)
{
    int status = bipe_documents_open_members(documents, path, o->documents, o->field != NULL ? o->field : "text",
                                             o->members, o->member_count, err);
    if (status != BIPE_OK)
        return status;
    if (o->any)
        bipe_documents_any(*documents);
    if (o->trim)
        bipe_documents_trim(*documents);
    bipe_documents_decode(*documents, o->encoding);
    return BIPE_OK;
}

static int open_input(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    if (r->path_next == r->path_count) { /* the last one stays open: its reader may be asked about it */
        r->state = READ_NOTHING;
        return BIPE_OK;
    }
    close_input(r);
    r->like_records = false;
    bipe_stream_options o = r->setup->options;
    o.field = r->field;
    const char *path = r->path[r->path_next++];
    bipe_error problem = {0};
    int status = r->texts != NULL             ? bipe_documents_open_texts(&r->documents, r->texts, &problem)
                 : o.ids != BIPE_IDS_NONE ? bipe_ids_input_open(&r->ids, path, o.ids, o.tokenizer, &problem)
                                          : bipe_stream_documents(&r->documents, path, &o, &problem);
    if (status == BIPE_OK && r->documents != NULL && r->texts == NULL && r->setup->sharing.busy)
        bipe_documents_busy(r->documents);
    if (r->documents != NULL && r->setup->sharing.records)
        bipe_documents_keep_records(r->documents);
    bipe_block_part *part = add_block_part(r, b, BIPE_PART_INPUT, err);
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    if (status == BIPE_OK)
        r->state = READ_DOCUMENT;
    else
        bipe_block_part_fail(part, &problem);
    return BIPE_OK;
}

static int end_input(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    bipe_block_part *part = add_block_part(r, b, BIPE_PART_END, err);
    r->state = READ_INPUT;
    if (part == NULL)
        return BIPE_ERR_MEMORY;
    if (r->documents != NULL && r->texts == NULL) {
        part->flaws.mostly_wrong = bipe_documents_mostly_wrong(r->documents);
        part->flaws.like_records = r->like_records;
        part->flaws.encoding =
            bipe_input_decoded(bipe_documents_input(r->documents), &part->flaws.wrong, &part->flaws.first);
    }
    return BIPE_OK;
}

/* To the next document of the input. */
static int next_document(bipe_reader *r, bipe_error *err)
{
    if (r->documents != NULL)
        return bipe_documents_next(r->documents, err);
    bool begun = r->ids_begun;
    r->ids_begun = true;
    return begun ? BIPE_END : BIPE_OK;
}

static int begin_document(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    bipe_error problem = {0};
    int status = next_document(r, &problem);
    if (status == BIPE_END)
        return end_input(r, b, err);
    const bipe_stream_sharing *sharing = &r->setup->sharing;
    uint64_t document = r->documents != NULL ? bipe_documents_index(r->documents) : 0;
    if (sharing->wants != NULL && !sharing->wants(sharing->context, r->path_next - 1, document))
        return BIPE_OK;
    bool read = status == BIPE_OK;
    for (size_t k = 0; k < r->setup->track_count && status == BIPE_OK; k++) {
        const bipe_track *track = &r->setup->tracks[k];
        if (track->tokens)
            continue;
        bipe_segmentation_take(track->segmentation, SIZE_MAX);
        status = bipe_segmentation_begin(track->segmentation, &problem);
    }
    r->size = r->start = 0;
    r->text = b->text.size;
    r->tokens = b->tokens.count;
    r->attempt = 0;
    r->first = true;
    r->failure.status = BIPE_OK;
    r->state = READ_TEXT;
    if (status != BIPE_OK && status != BIPE_ERR_MEMORY)
        return end_by_error(r, b, BIPE_PART_REFUSED, read, &problem, err);
    if (status != BIPE_OK)
        *err = problem;
    return status;
}

/* ---- text ---- */

/* Gives new text to the segmenters that read bytes; at the end of the document, says so. */
static int segment_bytes(bipe_reader *r, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t k = 0; k < r->setup->track_count && status == BIPE_OK; k++) {
        bipe_segmentation *segmentation = r->setup->tracks[k].segmentation;
        if (r->setup->tracks[k].tokens)
            continue;
        status = bipe_segmentation_feed_bytes(segmentation, bytes, size, err);
        if (status == BIPE_OK && r->state == READ_REST)
            status = bipe_segmentation_end(segmentation, r->size, err);
    }
    return status;
}

/* Whether the text, as far as these bytes go, begins with a line of the form {"...}, or with an array of objects. */
static bool begins_with_record(const uint8_t *bytes, size_t size)
{
    size_t at = size > 0 && bytes[0] == '[';
    while (at > 0 && at < size && memchr(" \t\r\n", bytes[at], 4) != NULL)
        at++;
    if (at > 0)
        return at < size && bytes[at] == '{';
    const uint8_t *newline = memchr(bytes, '\n', size);
    size = newline != NULL ? (size_t)(newline - bytes) : size;
    while (size > 0 && (bytes[size - 1] == '\r' || bytes[size - 1] == ' '))
        size--;
    return size > 2 && bytes[0] == '{' && bytes[1] == '"' && bytes[size - 1] == '}';
}

/* Reads more of the document. */
static int read_more_text(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    const bipe_stream_setup *setup = r->setup;
    size_t size = b->text.size, missing = size < setup->block_size ? setup->block_size - size : setup->block_size,
           got = 0;
    int status;
    if (r->ids != NULL) {
        status = bipe_ids_input_read(r->ids, &b->tokens, &b->text, err);
        got = b->text.size - size;
        if (status == BIPE_OK && got == 0 && b->tokens.count - r->tokens > MOST_IDS)
            return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d ids without text, expected fewer", MOST_IDS);
    } else {
        status = bipe_buffer_reserve(&b->text, missing, err);
        if (status == BIPE_OK)
            status = bipe_documents_read(r->documents, b->text.data + size,
                                         missing < setup->buffer_size ? missing : setup->buffer_size, &got, err);
        b->text.size += got;
        if (r->size == 0 && got > 0 && bipe_documents_index(r->documents) == 0 && !setup->options.any &&
            !bipe_documents_are_records(r->documents))
            r->like_records = begins_with_record(b->text.data + size, got);
        status = status == BIPE_OK && got == 0 ? BIPE_END : status;
    }
    if (status == BIPE_ERR_MEMORY)
        return status;
    r->size += got;
    if (status != BIPE_OK)
        r->state = READ_REST;
    if (status != BIPE_OK && status != BIPE_END) { /* what came before it is decided as if the document ended here */
        r->failure = *err;
        r->failure.status = status;
    }
    return segment_bytes(r, got != 0 ? b->text.data + size : NULL, got, err);
}

/* How far everything is decided. The last byte waits until more follows or the end is known: the end of the document is
 * a boundary. */
static uint64_t decided_end(const bipe_reader *r)
{
    if (r->state == READ_REST || r->size == 0)
        return r->size;
    uint64_t limit = r->size - 1;
    for (size_t k = 0; k < r->setup->track_count; k++) {
        uint64_t settled = bipe_segmentation_boundaries(r->setup->tracks[k].segmentation)->settled;
        if (!r->setup->tracks[k].tokens && settled < limit)
            limit = settled;
    }
    return limit;
}

/* Whether a character of the document's text, of which there is more, ends at byte `end`. */
static bool ends_character(const bipe_reader *r, const bipe_block *b, uint64_t end)
{
    return end == r->start || bipe_utf8_begins(b->text.data + r->text, (size_t)(end - r->start));
}

/* Makes a part up to the last id whose text is decided and ends with a character. */
static int cut_ids(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    uint64_t limit = decided_end(r);
    bool final = r->state == READ_REST;
    size_t block = r->setup->block_size, count = b->tokens.count;
    while (!final && count > r->tokens &&
           (b->tokens.token[count - 1].end > limit || !ends_character(r, b, b->tokens.token[count - 1].end)))
        count--;
    if (!final && count == r->tokens && r->size - r->start > BIPE_UNIT_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "byte %llu: no id ends with a character in %d MiB",
                         (unsigned long long)r->start, BIPE_UNIT_LIMIT >> 20);
    if (!final && (count == r->tokens || (b->text.size < block && count - r->tokens <= block)))
        return BIPE_OK;
    uint64_t end = final ? r->size : b->tokens.token[count - 1].end;
    return end_part(r, b, (size_t)(end - r->start), count, final, err);
}

/* Makes a part of what is decided, if that is enough or all. */
static int cut_text(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    const bipe_tokenizer *tokenizer = r->setup->options.tokenizer;
    bool final = r->state == READ_REST;
    size_t size = (size_t)(decided_end(r) - r->start), most = 2 * r->setup->block_size, cut = size;
    if (!final && (size == 0 || size < r->attempt || b->text.size < r->setup->block_size))
        return BIPE_OK;
    if (tokenizer != NULL && (!final || size > most)) {
        const uint8_t *bytes = b->text.data + r->text;
        cut = bipe_tokenizer_cut(tokenizer, bytes, size < most ? size : most);
        if (cut == 0 && size > most)
            cut = bipe_tokenizer_cut(tokenizer, bytes, size);
        final = final && cut == 0;
    }
    if (cut != 0 || final)
        return end_part(r, b, final ? size : cut, 0, final, err);
    if (size > BIPE_UNIT_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "byte %llu: no place to cut the text into tokens in %d MiB, expected shorter words or lines",
                         (unsigned long long)r->start, BIPE_UNIT_LIMIT >> 20);
    r->attempt = size + size / 2 < BIPE_UNIT_LIMIT ? size + size / 2 : BIPE_UNIT_LIMIT + 1;
    return BIPE_OK;
}

/* ---- blocks ---- */

/* Keeps what is in no part for the next block. */
static int keep_rest(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    size_t tokens = b->tokens.count - r->tokens;
    int status = bipe_buffer_append(&r->rest, b->text.data + r->text, b->text.size - r->text, err);
    if (status == BIPE_OK &&
        bipe_grow(&r->rest_tokens.token, &r->rest_tokens.capacity, tokens, sizeof(bipe_token)) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    if (tokens != 0)
        memcpy(r->rest_tokens.token, b->tokens.token + r->tokens, tokens * sizeof(bipe_token));
    r->rest_tokens.count = tokens;
    b->text.size = r->text;
    b->tokens.count = r->tokens;
    r->text = r->tokens = 0;
    return BIPE_OK;
}

static void swap_rest(bipe_reader *r, bipe_block *b)
{
    bipe_buffer text = b->text;
    bipe_tokens tokens = b->tokens;
    b->text = r->rest;
    b->tokens = r->rest_tokens;
    r->rest = text;
    r->rest_tokens = tokens;
}

/* Reads text and makes parts of it. *full: the block has enough. */
static int read_document_text(bipe_reader *r, bipe_block *b, bool *full, bipe_error *err)
{
    size_t parts = b->part_count;
    bipe_error problem = {0};
    int status = r->ids != NULL ? cut_ids(r, b, &problem) : cut_text(r, b, &problem);
    if (status == BIPE_OK && b->part_count == parts)
        status = r->state == READ_TEXT ? read_more_text(r, b, &problem) : BIPE_OK;
    if (status == BIPE_ERR_MEMORY) {
        *err = problem;
        return status;
    }
    if (status != BIPE_OK) {
        *full = true;
        return end_by_error(r, b, BIPE_PART_ERROR, true, &problem, err);
    }
    if (b->part_count == parts)
        return BIPE_OK;
    bool final = b->part[parts].final;
    *full = !final || r->ids != NULL || b->text.size + PART * b->part_count >= r->setup->block_size ||
            b->record_size >= 4 * r->setup->block_size;
    if (!final)
        return keep_rest(r, b, err);
    r->state = READ_DOCUMENT;
    if (r->failure.status == BIPE_OK)
        return BIPE_OK;
    *full = true;
    return end_by_error(r, b, BIPE_PART_ERROR, false, &r->failure, err);
}

int bipe_reader_fill(bipe_reader *r, bipe_block *b, bipe_error *err)
{
    int status = BIPE_OK;
    bool full = false;
    if (r->rest.size != 0 || r->rest_tokens.count != 0)
        swap_rest(r, b);
    while (status == BIPE_OK && !full && r->state != READ_NOTHING) {
        if (r->state == READ_TEXT || r->state == READ_REST) {
            status = read_document_text(r, b, &full, err);
        } else {
            status = r->state == READ_INPUT ? open_input(r, b, err) : begin_document(r, b, err);
            full = b->part_count != 0 && b->part[b->part_count - 1].error != NULL;
        }
    }
    return status;
}

/* ---- opening and closing ---- */

int bipe_reader_open(bipe_reader **reader, const bipe_stream_setup *setup, bipe_error *err)
{
    bipe_reader *r = *reader = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    r->setup = setup;
    r->state = READ_NOTHING;
    r->field = bipe_strdup(setup->options.field != NULL ? setup->options.field : "text");
    return r->field != NULL ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_reader_inputs(bipe_reader *r, const char *const *path, size_t count)
{
    close_input(r);
    r->raw = 0;
    r->texts = NULL;
    r->path = path;
    r->path_count = count;
    r->path_next = 0;
    r->state = READ_INPUT;
    r->rest.size = r->rest_tokens.count = 0;
}

void bipe_reader_texts(bipe_reader *r, const bipe_memory_texts *texts)
{
    static const char *const name = "texts";
    bipe_reader_inputs(r, &name, 1);
    r->texts = texts;
}

void bipe_reader_close(bipe_reader *r)
{
    if (r == NULL)
        return;
    close_input(r);
    bipe_buffer_free(&r->rest);
    bipe_tokens_free(&r->rest_tokens);
    bipe_free(r->field);
    bipe_free(r);
}
