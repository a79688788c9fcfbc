/* score_text.c - reads a FILE for bipe-score: its tokens, with all that ends segments, go to a spool, document by document. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/interrupt.h"
#include "cli/tool_alloc.h"
#include "tools/score/bipe_score.h"

/* Text of a line in which --loss-after is searched. */
enum { LINE_LIMIT = 16 << 20 };

const char *bipe_score_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Where the first match of --loss-after in the line ends; SIZE_MAX where there is none. */
static int find_match(bipe_score_run *run, size_t *end, bipe_error *err)
{
    size_t start;
    *end = SIZE_MAX;
    bipe_matches_resume(run->matches);
    bipe_matches_begin(run->matches, run->line.data, run->line.size, false);
    int status = bipe_matches_next(run->matches, &start, end, err);
    return status == BIPE_END ? BIPE_OK : status;
}

/* The first target of the document just read is the first token whose text starts at byte `end` or after it. */
static int find_first_target(bipe_score_reader *reader, size_t end, bipe_error *err)
{
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(reader->spool, &documents);
    if (documents == 0)
        return BIPE_OK;
    uint64_t first = document[documents - 1].first, count = bipe_token_spool_count(reader->spool) - first, target = 1;
    for (bipe_spool_token token; target < count; target++) {
        int status = bipe_token_spool_read(reader->spool, first + target, &token, 1, err);
        if (status != BIPE_OK)
            return status;
        if (token.start >= end)
            break;
    }
    bipe_tool_grow(&reader->first_target, &reader->first_capacity, documents, sizeof *reader->first_target);
    reader->first_target[documents - 1] = target > UINT32_MAX ? UINT32_MAX : (uint32_t)target;
    return BIPE_OK;
}

/* What the record of the present document says of it. Ids wait on disk where they are many. */
static int name_document(bipe_score_run *run, bipe_score_reader *reader, const char *path, size_t index, bipe_error *err)
{
    for (size_t i = 0; i < BIPE_MEMBERS_NAMED && reader == run->reader; i++) /* others read the same texts */
        if (run->tool.member[i].option != NULL)
            bipe_member_see(&run->tool.member[i], bipe_stream_member(reader->stream, i) != NULL, index, path);
    const char *id = reader->ids != NULL ? bipe_stream_member(reader->stream, 0) : NULL;
    uint64_t place = reader->ids != NULL ? bipe_spool_size(reader->ids) : 0;
    uint32_t group = 0;
    int status = BIPE_OK;
    if (reader->ids != NULL)
        status = bipe_spool_append(reader->ids, id != NULL ? id : "", id != NULL ? strlen(id) + 1 : 1, err);
    if (status == BIPE_OK && run->setup.group != NULL) {
        bool folders = strcmp(run->setup.group, BIPE_GROUP_FOLDER) == 0;
        char *folder = folders ? bipe_group_folder(path) : NULL;
        status = bipe_group_find(&run->groups, folders ? folder : bipe_stream_member(reader->stream, 1), run->setup.group, &group, err);
        bipe_free(folder);
    }
    if (status == BIPE_ERR_LIMIT) /* nor can the file be used */
        status = err->status = BIPE_ERR_UNSUPPORTED;
    bipe_token_spool_name(reader->spool, bipe_stream_document(reader->stream), group, place);
    return status;
}

int bipe_score_id(bipe_score_reader *reader, size_t document, char id[BIPE_SCORE_ID], bipe_error *err)
{
    size_t documents;
    uint64_t place = bipe_token_spool_documents(reader->spool, &documents)[document].note, size = bipe_spool_size(reader->ids) - place;
    int status = bipe_spool_read(reader->ids, place, id, size < BIPE_SCORE_ID ? (size_t)size : BIPE_SCORE_ID, err);
    id[BIPE_SCORE_ID - 1] = '\0';
    return status;
}

/* The present document into the spool. BIPE_STOPPED: interrupted. */
static int read_document(bipe_score_run *run, bipe_score_reader *reader, const char *path, size_t index, bipe_error *err)
{
    bipe_stream *stream = reader->stream;
    bool windowed = run->setup.rules.bos == BIPE_BOS_WINDOW;
    size_t end = 0;
    int status = bipe_token_spool_begin(reader->spool, windowed ? BIPE_NO_TOKEN : reader->bos_id, reader->vocabulary, err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "%s", bipe_score_shown(path));
    run->line.size = 0;
    for (bipe_batch batch = {0}; !batch.last;) {
        if (bipe_interrupted() != 0)
            return BIPE_STOPPED;
        status = bipe_stream_read(stream, &batch, err);
        if (status != BIPE_OK)
            return status;
        status = batch.last ? name_document(run, reader, path, index, err) : BIPE_OK;
        reader->tokens += batch.token_count;
        for (size_t i = 0; i < batch.token_count; i++)
            reader->unknowns += batch.tokens[i].id == reader->unknown && batch.tokens[i].end > batch.tokens[i].start;
        if (status == BIPE_OK && run->pattern != NULL && batch.byte_count > LINE_LIMIT - run->line.size)
            status = bipe_fail(err, BIPE_ERR_LIMIT, "a line of more than %d bytes, which --loss-after would have to search", (int)LINE_LIMIT);
        if (status == BIPE_OK && run->pattern != NULL)
            status = bipe_buffer_append(&run->line, batch.bytes, batch.byte_count, err);
        if (status == BIPE_OK && run->pattern != NULL && batch.last)
            status = find_match(run, &end, err);
        if (status == BIPE_OK)
            status = bipe_token_spool_batch(reader->spool, &batch, err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%s: document %" PRIu64, bipe_score_shown(path), bipe_stream_document(stream));
        bipe_progress_update(&run->tool.progress, path, bipe_input_raw_offset(bipe_stream_source(stream)));
    }
    return run->pattern != NULL ? find_first_target(reader, end, err) : BIPE_OK;
}

bool bipe_score_read(bipe_score_run *run, bipe_score_reader *reader, size_t index, const char *path)
{
    bipe_error err = {0};
    if (bipe_stream_input(reader->stream, path, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        return false;
    }
    bipe_tool_progress(&run->tool, "bytes", bipe_input_raw_size(bipe_stream_source(reader->stream)));
    bool usable = true, failed = false;
    uint64_t before = bipe_token_spool_count(reader->spool);
    for (;;) {
        err = (bipe_error){0};
        int status = bipe_stream_next_document(reader->stream, &err);
        if (status == BIPE_OK)
            status = read_document(run, reader, path, index, &err);
        else if (status == BIPE_END)
            break;
        if (status == BIPE_OK)
            continue;
        bipe_token_spool_drop(reader->spool);
        if (bipe_interrupted() != 0)
            break;
        bipe_tool_error(&run->tool, &err);
        failed = true;
        if (status != BIPE_ERR_FORMAT && status != BIPE_ERR_LIMIT && status != BIPE_ERR_ARGUMENT) {
            usable = false;
            break;
        }
    }
    bipe_progress_clear(&run->tool.progress);
    if (reader == run->reader) /* others read the same */
        bipe_inputs_judge(&run->tool, reader->stream, index, path);
    /* When its only words were errors, that it is too short for each length goes without saying. */
    if (failed && bipe_token_spool_count(reader->spool) == before)
        usable = false;
    return usable && bipe_interrupted() == 0;
}
