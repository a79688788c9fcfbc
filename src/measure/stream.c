/* stream.c - reads a document, drives tokenizer and segmenters over it in step, and hands out what is decided.
 * It holds back text, tokens and boundaries until then, and nothing else. */
#include "measure/stream.h"

#include <string.h>

#include "base/alloc.h"
#include "measure/stream_state.h"

/* Tokens are made from PIECE bytes at a time: all that looks at them then finds them in the cache. */
enum { PIECE = 1 << 15, MOST_BOUNDARIES = 1 << 22, FEWEST_BOUNDARIES = 1 << 17 };
/* Tokens cost many times what their text does. So of text that segmenters of bytes have not settled so much is tokenized; of ids, whose text
 * is known by their tokens alone, so many may wait. */
enum { AHEAD = 1 << 17, MOST_IDS = 1 << 21 };

static int open_tracks(bipe_stream *s, const bipe_stream_options *options, bipe_error *err)
{
    size_t n = options->spec_count;
    s->tracks = bipe_alloc(n, sizeof *s->tracks);
    s->closes = bipe_alloc(n, sizeof *s->closes);
    s->close_count = bipe_alloc(n, sizeof *s->close_count);
    s->boundaries = bipe_alloc(n, sizeof *s->boundaries);
    s->boundary_count = bipe_alloc(n, sizeof *s->boundary_count);
    s->found = bipe_alloc(n, sizeof *s->found);
    s->counts.closes = bipe_alloc(n, sizeof *s->counts.closes);
    if (s->tracks == NULL || s->closes == NULL || s->close_count == NULL || s->boundaries == NULL || s->boundary_count == NULL ||
        s->found == NULL || s->counts.closes == NULL)
        return bipe_fail_memory(err);
    for (; s->track_count < n; s->track_count++) {
        bipe_track *t = &s->tracks[s->track_count];
        int status = bipe_segmentation_open(&t->segmentation, options->specs[s->track_count], err);
        if (status != BIPE_OK)
            return status;
        if (bipe_segmentation_wants_tokens(t->segmentation) && s->tokenizer == NULL) {
            bipe_segmentation_close(t->segmentation);
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%s' reads tokens: expected a tokenizer",
                             options->specs[s->track_count]);
        }
        if (strncmp(options->specs[s->track_count], "tokens:", 7) == 0 && bipe_tokenizer_size(s->tokenizer) == 0) {
            bipe_segmentation_close(t->segmentation);
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter '%s' reads ids, and tokenizer '%s' has none: expected one with a vocabulary, "
                             "byte or char", options->specs[s->track_count], bipe_tokenizer_spec(s->tokenizer));
        }
        s->found[s->track_count] = bipe_segmentation_boundaries(t->segmentation);
    }
    return BIPE_OK;
}

/* Whether the threads that tokenize may count: nobody asks for tokens, or something is made of them. */
static bool may_count(const bipe_stream *s)
{
    bool may = s->maker != NULL || (s->just_counts && !s->want_bytes);
    for (size_t i = 0; i < s->track_count; i++)
        may = may && !bipe_segmentation_wants_tokens(s->tracks[i].segmentation);
    return may;
}

static int open_parts(bipe_stream *s, const bipe_stream_options *options, bipe_error *err)
{
    s->tokenizer = options->tokenizer;
    s->kind = options->documents;
    s->ids_kind = options->ids;
    s->any = options->any;
    s->encoding = options->encoding;
    s->want_bytes = options->want_bytes;
    s->busy = options->busy;
    s->turn = options->turn;
    s->just_counts = options->just_counts;
    s->maker = options->spec_count == 1 && !options->just_counts ? options->maker : NULL;
    s->buffer_size = bipe_buffer_size();
    if (s->ids_kind != BIPE_IDS_NONE && (s->tokenizer == NULL || bipe_tokenizer_size(s->tokenizer) == 0))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "token ids need a tokenizer with a vocabulary, found %s",
                         s->tokenizer == NULL ? "none" : bipe_tokenizer_spec(s->tokenizer));
    s->field = bipe_strdup(options->field != NULL ? options->field : "text");
    s->buffer = bipe_alloc(s->buffer_size, 1);
    if (s->field == NULL || s->buffer == NULL)
        return bipe_fail_memory(err);
    int status = open_tracks(s, options, err);
    if (status == BIPE_OK && s->tokenizer != NULL && s->ids_kind == BIPE_IDS_NONE)
        status = bipe_token_team_open(&s->team, s->tokenizer, options->threads, may_count(s) ? s->found : NULL, s->track_count, s->maker,
                                      err);
    return status;
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

/* ---- inputs and documents ---- */

static void leave_document(bipe_stream *s)
{
    s->reading = false;
    if (s->team != NULL)
        bipe_token_team_leave(s->team);
    for (size_t i = 0; i < s->track_count; i++) {
        if (s->large) /* as if another began: what a segmenter has of this one is forgotten */
            (void)bipe_segmentation_begin(s->tracks[i].segmentation, NULL);
        bipe_segmentation_take(s->tracks[i].segmentation, SIZE_MAX);
        s->tracks[i].next = 0;
    }
    bipe_stream_give_turn(s);
}

static void close_input(bipe_stream *s)
{
    leave_document(s);
    bipe_documents_close(s->documents);
    bipe_ids_input_close(s->ids);
    bipe_free(s->name);
    s->documents = NULL;
    s->ids = NULL;
    s->name = NULL;
    s->ids_done = false;
}

void bipe_stream_share(bipe_stream *s, bool share)
{
    if (s->team != NULL)
        bipe_token_team_share(s->team, share);
}

void bipe_stream_help(bipe_stream *s, bipe_stream *own)
{
    if (s->team != NULL && own->team != NULL)
        bipe_token_team_help(s->team, own->team);
}

void bipe_stream_release(bipe_stream *s)
{
    bipe_stream_trim_lists(s);
    if (s->team != NULL)
        bipe_token_team_release(s->team);
}

int bipe_stream_input(bipe_stream *s, const char *path, bipe_error *err)
{
    close_input(s);
    int status = s->ids_kind != BIPE_IDS_NONE
                     ? bipe_ids_input_open(&s->ids, path, s->ids_kind, s->tokenizer, err)
                     : bipe_documents_open(&s->documents, path, s->kind, s->field, err);
    if (status != BIPE_OK)
        return status;
    if (s->any && s->documents != NULL)
        bipe_documents_any(s->documents);
    if (s->documents != NULL)
        bipe_documents_decode(s->documents, s->encoding);
    if (s->busy && s->documents != NULL)
        bipe_documents_busy(s->documents);
    s->name = bipe_strdup(bipe_input_name(bipe_stream_source(s)));
    if (s->name != NULL)
        return BIPE_OK;
    close_input(s);
    return bipe_fail_memory(err);
}

static void forget_late(bipe_stream *s)
{
    bipe_text_queue_clear(&s->late);
    s->late_size = s->piece_size = 0;
}

/* An error of a segmenter or of the tokenizer: says in which document it happened. */
static int in_document(bipe_stream *s, bipe_error *err)
{
    s->reading = false;
    if (s->team != NULL)
        bipe_token_team_leave(s->team);
    if (s->documents != NULL && bipe_documents_are_records(s->documents))
        bipe_error_prefix(err, "document %llu", (unsigned long long)bipe_documents_index(s->documents));
    return bipe_error_prefix(err, "%s", s->name);
}

int bipe_stream_next_document(bipe_stream *s, bipe_error *err)
{
    leave_document(s);
    int status = BIPE_END;
    if (s->ids != NULL && !s->ids_done) {
        s->ids_done = true;
        status = BIPE_OK;
    } else if (s->documents != NULL) {
        status = bipe_documents_next(s->documents, err);
    }
    if (status != BIPE_OK)
        return status;
    s->drained = s->blocked = s->complete = s->failed = s->cut = s->settled = false;
    s->size = s->done = s->reach = 0;
    s->buffer_fed = s->buffer_filled = s->team_fed = 0;
    s->before = (bipe_batch_before){0};
    bipe_text_queue_clear(&s->text);
    forget_late(s);
    s->tokens.count = s->token_head = s->token_decided = s->token_fed = 0;
    if (s->team != NULL)
        status = bipe_token_team_begin(s->team, err);
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        s->tracks[i].next = 0;
        s->tracks[i].ended = false;
        status = bipe_segmentation_begin(s->tracks[i].segmentation, err);
    }
    if (status != BIPE_OK)
        return in_document(s, err);
    s->reading = true;
    return BIPE_OK;
}

bool bipe_stream_mostly_wrong(const bipe_stream *s)
{
    return s->documents != NULL && bipe_documents_mostly_wrong(s->documents);
}

uint64_t bipe_stream_document(const bipe_stream *s)
{
    return s->documents != NULL ? bipe_documents_index(s->documents) : 0;
}

/* Forgets what earlier batches handed out. Moving is put off until it costs no more than what was handed out. */
static void drop_handed_out(bipe_stream *s)
{
    if (s->token_head >= s->tokens.count / 2 && s->token_head != 0) {
        size_t left = s->tokens.count - s->token_head;
        memmove(s->tokens.token, s->tokens.token + s->token_head, left * sizeof *s->tokens.token);
        s->tokens.count = left;
        s->token_fed -= s->token_head;
        s->token_decided -= s->token_head;
        s->token_head = 0;
    }
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_track *t = &s->tracks[i];
        if (t->next >= bipe_segmentation_boundaries(t->segmentation)->count / 2) {
            bipe_segmentation_take(t->segmentation, t->next);
            t->next = 0;
        }
    }
}

/* Boundaries that were not handed out. */
static size_t waiting(const bipe_track *t)
{
    return bipe_segmentation_boundaries(t->segmentation)->count - t->next;
}

/* How many may wait: all segmenters share the room. */
static size_t most_waiting(const bipe_stream *s)
{
    size_t most = MOST_BOUNDARIES / s->track_count;
    return most < FEWEST_BOUNDARIES ? FEWEST_BOUNDARIES : most;
}

/* Whether so many wait that tokens of theirs are better taken from the team than text given to it. */
static bool is_crowded(const bipe_stream *s)
{
    bool crowded = false;
    for (size_t i = 0; i < s->track_count; i++)
        crowded = crowded || waiting(&s->tracks[i]) > most_waiting(s) / 4;
    return crowded;
}

/* Boundaries inside a token that has no end yet have to wait for it: not without end. */
static int check_boundaries(const bipe_stream *s, const bipe_track *t, bipe_error *err)
{
    size_t most = most_waiting(s);
    if (waiting(t) <= most)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_LIMIT, "segmenter '%s': more than %zu boundaries wait for a token to end, expected fewer",
                     bipe_segmentation_spec(t->segmentation), most);
}

/* Gives new text to the segmenters that read bytes. */
static int feed_bytes(bipe_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    uint64_t together = 0, first = UINT64_MAX;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        if (bipe_segmentation_wants_tokens(s->tracks[i].segmentation))
            continue;
        status = bipe_segmentation_feed_bytes(s->tracks[i].segmentation, bytes, size, err);
        together += s->size > s->found[i]->settled ? s->size - s->found[i]->settled : 0;
        first = s->found[i]->settled < first ? s->found[i]->settled : first;
    }
    if (status != BIPE_OK || s->track_count == 1 || together <= BIPE_SEGMENT_HOLD_LIMIT)
        return status;
    return bipe_fail(err, BIPE_ERR_LIMIT, "offset %llu: more than %llu bytes that several segmenters have not decided, expected fewer",
                     (unsigned long long)first, (unsigned long long)BIPE_SEGMENT_HOLD_LIMIT);
}

/* Gives new tokens to the others. */
static int feed_tokens(bipe_stream *s, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        bipe_segmentation *segmentation = s->tracks[i].segmentation;
        if (bipe_segmentation_wants_tokens(segmentation) && s->tokens.count != s->token_fed)
            status = bipe_segmentation_feed_tokens(segmentation, s->tokens.token + s->token_fed, s->tokens.count - s->token_fed, err);
        if (status == BIPE_OK)
            status = check_boundaries(s, &s->tracks[i], err);
    }
    s->token_fed = s->tokens.count;
    return status;
}

/* A token could not be told (err). The tokens before it are there: they are handed out as if the text went on, whoever has tokenized it
 * and in which pieces. */
static int cut_short(bipe_stream *s, bipe_error *err)
{
    int status = err->status == BIPE_ERR_MEMORY ? (int)err->status : feed_tokens(s, err);
    in_document(s, err);
    forget_late(s);
    if (status != BIPE_OK)
        return status;
    uint64_t end = s->tokens.count != 0 ? s->tokens.token[s->tokens.count - 1].end : 0;
    s->reading = s->cut = s->failed = true;
    s->complete = false;
    s->failure = *err;
    s->cut_at = end > s->done ? end : s->done;
    return BIPE_OK;
}

/* Tells segmenters that the document is over: those of bytes, or all. */
static int end_segmenters(bipe_stream *s, bool all, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        bipe_track *t = &s->tracks[i];
        bool now = !t->ended && (all || !bipe_segmentation_wants_tokens(t->segmentation));
        t->ended = t->ended || now;
        status = now ? bipe_segmentation_end(t->segmentation, s->size, err) : BIPE_OK;
    }
    return status;
}

/* The document is over: whatever tokenizer and segmenters held back comes out; where that is much, of the tokenizer first. */
static int complete(bipe_stream *s, bipe_error *err)
{
    int status = BIPE_OK;
    if (s->team != NULL)
        status = bipe_token_team_end(s->team, &s->tokens, err);
    if (status != BIPE_OK)
        return cut_short(s, err);
    s->complete = s->team == NULL || !bipe_token_team_owes(s->team);
    if (status == BIPE_OK)
        status = feed_tokens(s, err);
    if (status == BIPE_OK && !s->complete)
        return BIPE_OK;
    if (status == BIPE_OK)
        status = end_segmenters(s, true, err);
    return status == BIPE_OK ? BIPE_OK : in_document(s, err);
}

/* The input broke off (err: how; its text begins with the name already): what came before it is decided as if
 * the document ended here. */
static int break_off(bipe_stream *s, bipe_error *err)
{
    s->failed = true;
    s->failure = *err;
    return complete(s, err);
}

/* Reads, when all that was read has been fed, and feeds the next piece to segmenters. */
static int pull_bytes(bipe_stream *s, bipe_error *err)
{
    int status = BIPE_OK;
    uint8_t *queued = NULL; /* where the text was read to, when it is its place in the queue: what is fed in pieces is not */
    if (s->buffer_fed == s->buffer_filled) {
        s->buffer_fed = s->team_fed = 0;
        if (s->want_bytes && s->team == NULL)
            queued = bipe_text_queue_room(&s->text, s->buffer_size);
        status = bipe_documents_read(s->documents, queued != NULL ? queued : s->buffer, s->buffer_size, &s->buffer_filled, err);
        s->drained = status != BIPE_OK || s->buffer_filled == 0;
        if (status != BIPE_OK && !s->failed) {
            s->failed = true;
            s->failure = *err;
        }
        if (s->drained)
            return BIPE_OK;
    }
    const uint8_t *bytes = queued != NULL ? queued : s->buffer + s->buffer_fed;
    size_t size = s->buffer_filled - s->buffer_fed;
    if (s->team != NULL && size > PIECE)
        size = PIECE;
    s->buffer_fed += size;
    s->size += size;
    if (queued != NULL)
        bipe_text_queue_filled(&s->text, size);
    else if (s->want_bytes && !s->cut)
        status = bipe_text_queue_append(&s->text, bytes, size, err);
    return status == BIPE_OK ? feed_bytes(s, bytes, size, err) : status;
}

/* Whether it is time for text that waits: not far before it all is settled, or segmenters tell no more. */
static bool late_may_go(const bipe_stream *s)
{
    return s->late_size != 0 && (s->drained || s->size - s->late_size < bipe_stream_settled(s) + AHEAD);
}

/* Gives text that has waited to the team. */
static int feed_late(bipe_stream *s, bipe_error *err)
{
    int status = s->drained ? end_segmenters(s, false, err) : BIPE_OK;
    size_t taken = 0;
    if (status == BIPE_OK && s->piece_size == 0) {
        s->piece_size = s->late_size < PIECE ? (size_t)s->late_size : PIECE;
        status = bipe_text_queue_take(&s->late, s->piece_size, &s->piece, err);
    }
    if (status != BIPE_OK)
        return in_document(s, err);
    status = bipe_token_team_feed(s->team, s->piece, s->piece_size, &taken, &s->tokens, err);
    if (status != BIPE_OK)
        return cut_short(s, err);
    s->piece += taken;
    s->piece_size -= taken;
    s->late_size -= taken;
    s->blocked = s->piece_size != 0;
    status = feed_tokens(s, err);
    return status == BIPE_OK ? BIPE_OK : in_document(s, err);
}

static int pull_text(bipe_stream *s, bipe_error *err)
{
    if (late_may_go(s))
        return feed_late(s, err);
    if (s->drained)
        return complete(s, err);
    int status = s->team_fed == s->buffer_fed || s->team == NULL ? pull_bytes(s, err) : BIPE_OK;
    const uint8_t *bytes = s->buffer + s->team_fed;
    size_t size = s->buffer_fed - s->team_fed, taken = 0;
    if (status == BIPE_OK && s->team != NULL && size != 0) {
        if (s->late_size != 0 || s->size - bipe_stream_settled(s) > AHEAD) {
            status = bipe_text_queue_append(&s->late, bytes, size, err);
            s->late_size += size;
            taken = size;
        } else if ((status = bipe_token_team_feed(s->team, bytes, size, &taken, &s->tokens, err)) != BIPE_OK) {
            return cut_short(s, err);
        }
    }
    s->team_fed += taken;
    s->blocked = s->team_fed != s->buffer_fed;
    if (status == BIPE_OK)
        status = feed_tokens(s, err);
    return status == BIPE_OK ? BIPE_OK : in_document(s, err);
}

/* Behind the last token that could be told: goes on until the segmenters have told all that is before it, or that is too far. */
static int read_on(bipe_stream *s, bipe_error *err)
{
    int status = BIPE_OK;
    if (!s->drained)
        status = pull_bytes(s, err);
    if (status == BIPE_OK && s->drained)
        status = end_segmenters(s, true, err);
    for (size_t i = 0; status == BIPE_OK && !s->drained && i < s->track_count; i++)
        status = check_boundaries(s, &s->tracks[i], err);
    s->settled = s->drained || status != BIPE_OK;
    return BIPE_OK;
}

static int pull_ids(bipe_stream *s, bipe_error *err)
{
    s->ids_text.size = 0;
    int found = bipe_ids_input_read(s->ids, &s->tokens, &s->ids_text, err);
    if (found == BIPE_END)
        return complete(s, err);
    bipe_error unread = *err; /* the ids in front of a bad one are there all the same */
    s->size += s->ids_text.size;
    int status = BIPE_OK;
    if (s->want_bytes)
        status = bipe_text_queue_append(&s->text, s->ids_text.data, s->ids_text.size, err);
    if (status == BIPE_OK)
        status = feed_bytes(s, s->ids_text.data, s->ids_text.size, err);
    if (status == BIPE_OK)
        status = feed_tokens(s, err);
    if (status == BIPE_OK && s->tokens.count - s->token_head > MOST_IDS && bipe_stream_settled(s) != s->size)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "offset %llu: more than %d ids wait for segmenters that need the text after them, expected fewer",
                           (unsigned long long)bipe_stream_settled(s), MOST_IDS);
    if (status != BIPE_OK)
        return in_document(s, err);
    return found == BIPE_OK ? BIPE_OK : break_off(s, &unread);
}

/* Makes a batch of a block that is counted, which is decided: it was sent on its way when it was. Of another, just the tokens are taken.
 * BIPE_END: there is none. */
static int hand_out_block(bipe_stream *s, bipe_batch *batch, bipe_error *err)
{
    bool counted = false;
    int status = BIPE_END;
    if (s->team != NULL && s->maker != NULL)
        bipe_token_team_base(s->team, &s->before);
    if (s->team != NULL) /* waits for one when nothing else can be done */
        status = bipe_token_team_take(s->team, (s->drained && s->late_size == 0) || s->blocked || is_crowded(s), &counted, &s->counts, &s->tokens, err);
    s->blocked = false;
    if (status != BIPE_OK)
        return status == BIPE_END ? status : cut_short(s, err);
    if (!counted && (status = feed_tokens(s, err)) != BIPE_OK)
        return in_document(s, err);
    if (!counted)
        return BIPE_OK;
    *batch = (bipe_batch){
        .token_count = s->counts.tokens,
        .closes = s->closes,
        .close_count = s->close_count,
        .byte_offset = s->done,
        .byte_count = (size_t)(s->counts.end - s->done),
    };
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_track *t = &s->tracks[i];
        s->closes[i] = s->counts.closes[i].number;
        s->close_count[i] = s->counts.closes[i].count;
        while (s->just_counts && t->next < s->found[i]->count && s->found[i]->offset[t->next] <= s->counts.end)
            t->next++;
    }
    if (s->maker != NULL && (status = bipe_stream_fill_block(s, batch, err)) != BIPE_OK)
        return in_document(s, err);
    s->done = s->reach = s->counts.end;
    return BIPE_OK;
}

int bipe_stream_read(bipe_stream *s, bipe_batch *batch, bipe_error *err)
{
    *batch = (bipe_batch){0};
    while (s->reading) {
        drop_handed_out(s);
        int status = bipe_stream_fill(s, batch, err);
        if (status != BIPE_OK)
            return in_document(s, err);
        s->reading = !batch->last;
        if (batch->last || batch->token_count != 0 || batch->byte_count != 0)
            return BIPE_OK;
        if (s->failed && (s->complete || (s->cut && bipe_stream_decided(s) >= s->cut_at))) {
            s->reading = false;
            *err = s->failure;
            return err->status;
        }
        bipe_stream_give_turn_early(s);
        bipe_stream_take_turn(s);
        status = s->cut ? read_on(s, err) : hand_out_block(s, batch, err);
        if (status == BIPE_OK && batch->byte_count != 0)
            return status;
        if (status == BIPE_END)
            status = s->ids != NULL ? pull_ids(s, err) : pull_text(s, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_END;
}

const bipe_input *bipe_stream_source(const bipe_stream *s)
{
    if (s->ids != NULL)
        return bipe_ids_input_source(s->ids);
    return s->documents != NULL ? bipe_documents_input(s->documents) : NULL;
}

void bipe_stream_close(bipe_stream *s)
{
    if (s == NULL)
        return;
    close_input(s);
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_segmentation_close(s->tracks[i].segmentation);
        bipe_closes_free(&s->tracks[i].closes);
        bipe_free(s->tracks[i].final);
    }
    bipe_token_team_close(s->team);
    bipe_tokens_free(&s->tokens);
    bipe_text_queue_free(&s->late);
    bipe_text_queue_free(&s->text);
    bipe_buffer_free(&s->ids_text);
    bipe_free(s->tracks);
    bipe_token_ends_free(&s->ends);
    bipe_free(s->closes);
    bipe_free(s->close_count);
    bipe_free(s->boundaries);
    bipe_free(s->boundary_count);
    for (size_t i = 0; s->counts.closes != NULL && i < s->track_count; i++)
        bipe_closes_free(&s->counts.closes[i]);
    bipe_free(s->counts.closes);
    bipe_tokens_free(&s->counts.list);
    bipe_buffer_free(&s->counts.made.text);
    bipe_free(s->found);
    bipe_free(s->buffer);
    bipe_free(s->field);
    bipe_free(s);
}
