/* score_texts.c - reads a FILE for bipe-score: its tokens, with all that ends segments, go to a spool, document by
 * document. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/clusters.h"
#include "cli/interrupt.h"
#include "cli/languages.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_texts.h"

/* Text of a line in which --loss-after is searched. */
enum { LINE_LIMIT = 16 << 20 };

/* Tokens of a text that stay in memory: 64 MiB, some 2.8 million. */
enum { SPOOL_MEMORY = 64 << 20, IDS_MEMORY = 4 << 20 };

int bipe_score_texts_open(bipe_score_texts *texts, const bipe_inputs *inputs, bool ids, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < texts->readers && status == BIPE_OK; i++) {
        bipe_score_reader *reader = &texts->reader[i];
        bipe_stream_options options = {
            .tokenizer = reader->tokenizer,
            .specs = reader->spec,
            .spec_count = reader->specs,
            .members = texts->member,
            .member_count = texts->members,
        };
        bipe_inputs_stream(inputs, &options);
        options.trim = texts->setup->rules.protocol == BIPE_PROTOCOL_LLAMA_CPP; /* as that program reads its file */
        if (texts->setup->rules.lines && options.documents == BIPE_DOCUMENTS_AUTO)
            options.documents = BIPE_DOCUMENTS_LINES;
        status = bipe_stream_open_shared(&reader->stream, &options,
                                         &(bipe_stream_sharing){ .records = texts->records }, err);
        if (status != BIPE_OK)
            return status;
        reader->unknown = BIPE_NO_TOKEN;
        if (options.ids == BIPE_IDS_NONE)
            status = bipe_tokenizer_unknown(reader->tokenizer, &reader->unknown, err);
        if (status != BIPE_OK)
            return status;
        if (i == 0)
            bipe_tool_note_segmenters(texts->tool, options.specs, options.spec_count);
        status = bipe_token_spool_open(&reader->spool, SPOOL_MEMORY, reader->specs, err);
        if (status == BIPE_OK)
            bipe_token_spool_keep_documents(reader->spool);
        if (status == BIPE_OK && ids)
            status = bipe_spool_open(&reader->ids, IDS_MEMORY, err);
    }
    if (status == BIPE_OK && texts->setup->loss_after != NULL) {
        status = bipe_pattern_compile(&texts->pattern, texts->setup->loss_after, strlen(texts->setup->loss_after), err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "option '--loss-after'");
        status = bipe_matches_open(&texts->matches, texts->pattern, err);
    }
    return status;
}

void bipe_score_texts_close(bipe_score_texts *texts)
{
    for (size_t i = 0; i < texts->readers; i++) {
        bipe_score_reader *reader = &texts->reader[i];
        bipe_token_spool_close(reader->spool);
        bipe_spool_close(reader->ids);
        bipe_stream_close(reader->stream);
        bipe_free(reader->first_target);
        bipe_tokenizer_close(reader->tokenizer);
    }
    bipe_matches_close(texts->matches);
    bipe_pattern_free(texts->pattern);
    bipe_buffer_free(&texts->line);
    bipe_loss_units_free(&texts->layout);
    bipe_group_names_free(&texts->groups);
    bipe_free(texts->reader);
}

/* Where the first match of --loss-after in the line ends; SIZE_MAX where there is none. */
static int find_match(bipe_score_texts *texts, size_t *end, bipe_error *err)
{
    size_t start;
    *end = SIZE_MAX;
    bipe_matches_resume(texts->matches);
    bipe_matches_begin(texts->matches, texts->line.data, texts->line.size, false);
    int status = bipe_matches_next(texts->matches, &start, end, err);
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

/* The cluster of the present document, in FILE number `index`; 0 where none is asked for. */
static uint64_t find_cluster(const bipe_score_texts *texts, const bipe_score_reader *reader, size_t index)
{
    const char *by = texts->setup->cluster;
    if (by == NULL)
        return 0;
    return bipe_cluster_number(texts->cluster > 0 ? bipe_stream_member(reader->stream, texts->cluster) : NULL, index,
                               strcmp(by, BIPE_CLUSTER_FILE) == 0 ? UINT64_MAX
                                                                  : bipe_stream_document(reader->stream));
}

/* What the record of the present document says of it. Ids wait on disk where they are many. */
static int name_document(bipe_score_texts *texts, bipe_score_reader *reader, const char *path, size_t index,
                         bipe_error *err)
{
    for (size_t i = 0; i < BIPE_MEMBERS_NAMED && reader == texts->reader; i++) /* others read the same texts */
        if (texts->tool->member[i].option != NULL)
            bipe_member_see(&texts->tool->member[i], bipe_stream_member(reader->stream, i) != NULL, index, path);
    const char *id = reader->ids != NULL ? bipe_stream_member(reader->stream, 0) : NULL;
    uint64_t place = reader->ids != NULL ? bipe_spool_size(reader->ids) : 0;
    uint32_t group = 0;
    int status = BIPE_OK;
    if (reader->ids != NULL)
        status = bipe_spool_append(reader->ids, id != NULL ? id : "", id != NULL ? strlen(id) + 1 : 1, err);
    if (status == BIPE_OK && texts->setup->group != NULL) {
        bool folders = strcmp(texts->setup->group, BIPE_GROUP_FOLDER) == 0;
        char *folder = folders ? bipe_group_folder(path) : NULL;
        status = bipe_group_find(&texts->groups, folders ? folder : bipe_stream_member(reader->stream, texts->group),
                                 texts->setup->group, &group, err);
        bipe_free(folder);
    }
    if (status == BIPE_ERR_LIMIT) /* nor can the file be used */
        status = err->status = BIPE_ERR_UNSUPPORTED;
    bipe_token_spool_name(reader->spool, bipe_stream_document(reader->stream), group, place,
                          find_cluster(texts, reader, index));
    return status;
}

int bipe_score_id(bipe_score_reader *reader, size_t document, char id[BIPE_SCORE_ID], bipe_error *err)
{
    size_t documents;
    uint64_t place = bipe_token_spool_documents(reader->spool, &documents)[document].note;
    uint64_t size = bipe_spool_size(reader->ids) - place;
    int status = bipe_spool_read(reader->ids, place, id, size < BIPE_SCORE_ID ? (size_t)size : BIPE_SCORE_ID, err);
    id[BIPE_SCORE_ID - 1] = '\0';
    return status;
}

int bipe_score_read_document(bipe_score_texts *texts, bipe_score_reader *reader, const char *path, size_t index,
                             bipe_error *err)
{
    bipe_stream *stream = reader->stream;
    bool windowed = texts->setup->rules.bos == BIPE_BOS_WINDOW;
    size_t end = 0;
    int64_t bos = windowed ? BIPE_NO_TOKEN : reader->bos_id;
    int status = bipe_token_spool_begin(reader->spool, bos, reader->vocabulary, err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "%s", bipe_input_shown(path));
    bipe_score_slices *slices = reader == texts->reader ? texts->slices : NULL;
    if (slices != NULL && (status = bipe_score_slices_begin(slices, err)) != BIPE_OK)
        return status;
    texts->line.size = 0;
    for (bipe_batch batch = {0}; !batch.last;) {
        if (bipe_interrupted() != 0)
            return BIPE_STOPPED;
        status = bipe_stream_read(stream, &batch, err);
        if (status != BIPE_OK)
            return status;
        status = batch.last ? name_document(texts, reader, path, index, err) : BIPE_OK;
        reader->tokens += batch.token_count;
        for (size_t i = 0; i < batch.token_count; i++)
            reader->unknowns += batch.tokens[i].id == reader->unknown && batch.tokens[i].end > batch.tokens[i].start;
        if (status == BIPE_OK && texts->pattern != NULL && batch.byte_count > LINE_LIMIT - texts->line.size)
            status = bipe_fail(err, BIPE_ERR_LIMIT,
                               "a line of more than %d bytes, which --loss-after would have to search",
                               (int)LINE_LIMIT);
        if (status == BIPE_OK && texts->pattern != NULL)
            status = bipe_buffer_append(&texts->line, batch.bytes, batch.byte_count, err);
        if (status == BIPE_OK && texts->pattern != NULL && batch.last)
            status = find_match(texts, &end, err);
        if (slices != NULL)
            bipe_score_slices_text(slices, batch.bytes, batch.byte_count);
        if (status == BIPE_OK && slices != NULL && batch.last)
            status = bipe_score_slices_end(slices, bipe_stream_document(stream), texts->spans, err);
        if (status == BIPE_OK)
            status = bipe_token_spool_batch(reader->spool, &batch, err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%s: document %" PRIu64, bipe_input_shown(path),
                                     bipe_stream_document(stream));
        bipe_progress_update(&texts->tool->progress, path, bipe_input_raw_offset(bipe_stream_source(stream)));
    }
    if (reader == texts->reader) /* the others read the same documents */
        bipe_languages_count(texts->tool, stream, reader->spec);
    return texts->pattern != NULL ? find_first_target(reader, end, err) : BIPE_OK;
}

bool bipe_score_read(bipe_score_texts *texts, bipe_score_reader *reader, size_t index, const char *path)
{
    bipe_error err = {0};
    if (bipe_stream_input(reader->stream, path, &err) != BIPE_OK) {
        bipe_tool_error(texts->tool, &err);
        return false;
    }
    bipe_tool_progress(texts->tool, "bytes", bipe_input_raw_size(bipe_stream_source(reader->stream)));
    bool usable = true, failed = false;
    uint64_t before = bipe_token_spool_count(reader->spool);
    for (;;) {
        err = (bipe_error){0};
        int status = bipe_stream_next_document(reader->stream, &err);
        if (status == BIPE_OK)
            status = bipe_score_read_document(texts, reader, path, index, &err);
        else if (status == BIPE_END)
            break;
        if (status == BIPE_OK)
            continue;
        bipe_token_spool_drop(reader->spool);
        if (bipe_interrupted() != 0)
            break;
        bipe_tool_error(texts->tool, &err);
        failed = true;
        if (status != BIPE_ERR_FORMAT && status != BIPE_ERR_LIMIT && status != BIPE_ERR_ARGUMENT) {
            usable = false;
            break;
        }
    }
    bipe_progress_clear(&texts->tool->progress);
    if (reader == texts->reader) /* others read the same */
        bipe_inputs_judge(texts->tool, reader->stream, index, path);
    /* When its only words were errors, that it is too short for each length goes without saying. */
    if (failed && bipe_token_spool_count(reader->spool) == before)
        usable = false;
    return usable && bipe_interrupted() == 0;
}

/* Tokenizers that divide a file into other documents cannot be compared by document. */
static bool same_documents(const bipe_token_spool *a, const bipe_token_spool *b)
{
    size_t count, other;
    const bipe_spool_document *x = bipe_token_spool_documents(a, &count), *y = bipe_token_spool_documents(b, &other);
    bool same = count == other;
    for (size_t i = 0; i < count && same; i++)
        same = x[i].index == y[i].index && x[i].bytes == y[i].bytes;
    return same;
}

bool bipe_score_units(bipe_score_texts *texts, const char *name)
{
    bipe_error err = {0};
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(texts->reader[0].spool, &documents);
    bipe_loss_units_free(&texts->layout);
    int status = bipe_loss_units_make(&texts->layout, document, documents, texts->setup->group != NULL,
                                      texts->setup->cluster != NULL, &err);
    for (size_t r = 1; r < texts->compared && status == BIPE_OK; r++)
        if (!same_documents(texts->reader[0].spool, texts->reader[r].spool))
            status = bipe_fail(&err, BIPE_ERR_FORMAT,
                               "%s: the tokenizers do not read the same documents: nothing of it can be compared",
                               name);
    if (status != BIPE_OK)
        bipe_tool_error(texts->tool, &err);
    return status == BIPE_OK;
}
