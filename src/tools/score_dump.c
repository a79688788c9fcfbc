/* score_dump.c - the files of --tokens, --segments and --documents: tab-separated, a line for each scored token, segment or document. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/spool.h"
#include "text/utf8.h"
#include "tools/bipe_score.h"

/* Lines of a length that wait until those of the lengths before it are written. */
typedef struct dump_part {
    bipe_output *output;
    bipe_spool *spool;
} dump_part;

/* The document whose losses are being added up, of one length. */
typedef struct dump_sum {
    bool some;
    uint64_t document;
    bipe_losses losses;
    bipe_score_place place;
} dump_sum;

struct bipe_score_dump {
    bipe_output *output; /* the file; lines of the first length go there at once */
    dump_part *part;     /* [count] of lengths 1 .. count */
    size_t count, capacity;
    const bipe_score_setup *setup;
    const bipe_group_names *groups;
    bipe_score_dump_kind kind;
    bool several, ids, text;
    dump_sum *sum;       /* [sums] with --documents, by number of the length */
    size_t sums, sum_capacity;
};

enum { PART_MEMORY = 4 << 20, COPY_SIZE = 1 << 16 };

static int spool_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(context, bytes, size, err);
}

static int open_part(dump_part *part, bipe_error *err)
{
    *part = (dump_part){ 0 };
    int status = bipe_spool_open(&part->spool, PART_MEMORY, err);
    if (status == BIPE_OK)
        status = bipe_output_open_sink(&part->output, spool_bytes, part->spool, err);
    if (status != BIPE_OK)
        bipe_spool_close(part->spool);
    return status;
}

/* Where lines of length number `number` go. */
static int output_of(bipe_score_dump *dump, size_t number, bipe_output **output, bipe_error *err)
{
    while (dump->count < number) {
        if (bipe_grow(&dump->part, &dump->capacity, dump->count + 1, sizeof *dump->part) != 0)
            return bipe_fail_memory(err);
        int status = open_part(&dump->part[dump->count], err);
        if (status != BIPE_OK)
            return status;
        dump->count++;
    }
    *output = number == 0 ? dump->output : dump->part[number - 1].output;
    return BIPE_OK;
}

static int copy_part(bipe_output *to, dump_part *part, bipe_error *err)
{
    uint64_t size, at = 0;
    int status = bipe_output_flush(part->output, err);
    for (size = bipe_spool_size(part->spool); at < size && status == BIPE_OK;) {
        uint8_t *bytes;
        size_t space, count = size - at < COPY_SIZE ? (size_t)(size - at) : COPY_SIZE;
        status = bipe_output_reserve(to, count, &bytes, &space, err);
        if (status == BIPE_OK)
            status = bipe_spool_read(part->spool, at, bytes, count, err);
        if (status == BIPE_OK)
            bipe_output_filled(to, count);
        at += count;
    }
    bipe_spool_reset(part->spool);
    return status;
}

static void close_parts(bipe_score_dump *dump)
{
    for (size_t i = 0; i < dump->count; i++) {
        bipe_output_abandon(dump->part[i].output);
        bipe_spool_close(dump->part[i].spool);
    }
    bipe_free(dump->part);
    bipe_free(dump->sum);
}

int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bipe_score_dump_kind kind, const bipe_score_setup *setup,
                         const bipe_group_names *groups, bool several, bool ids, bool text, bipe_error *err)
{
    static const char *const header[] = {
        [BIPE_SCORE_TOKENS] = "length\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll",
        [BIPE_SCORE_SEGMENTS] = "length\twindow\tsegment\tstart\tend\ttokens\tnll",
        [BIPE_SCORE_DOCUMENT_ROWS] = "group\tlength\ttokens\tbytes\tnll\tnll_sum\tppl\tbits_per_byte",
    };
    *dump = NULL;
    bipe_score_dump *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    *made = (bipe_score_dump){ .setup = setup, .groups = groups, .kind = kind, .several = several || ids || kind == BIPE_SCORE_DOCUMENT_ROWS,
                               .ids = ids || kind == BIPE_SCORE_DOCUMENT_ROWS, .text = text };
    int status = bipe_output_open(&made->output, path, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(made->output, err, "%sfile\t%s%s%s%s%s\n", setup->combinations > 1 ? "model\tsegmenter\t" : "",
                                    made->several ? "document\t" : "", made->ids ? kind == BIPE_SCORE_DOCUMENT_ROWS ? "id\t" : "record\t" : "", header[kind],
                                    kind == BIPE_SCORE_TOKENS && setup->contrast > 0 ? "\tcontrast" : "",
                                    kind == BIPE_SCORE_TOKENS && text ? "\ttext" : "");
    if (status != BIPE_OK) {
        bipe_score_dump_abandon(made);
        return status;
    }
    *dump = made;
    return BIPE_OK;
}

/* Text as a field: tab, newline, carriage return and backslash are escaped, other control characters and bytes of broken characters
 * written as \xHH. Here and below, failures stay in the output and are returned at the end of a line. */
static void dump_field(bipe_output *output, const uint8_t *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        static const char plain[] = "\t\n\r\\", letter[] = "tnr\\";
        const char *short_form = memchr(plain, text[at], sizeof plain - 1);
        int32_t code;
        size_t used = bipe_utf8_decode(text + at, size - at, &code);
        bool broken = used == 0 || code < ' ' || code == 0x7f;
        if (short_form != NULL)
            bipe_output_printf(output, NULL, "\\%c", letter[short_form - plain]);
        else if (broken)
            bipe_output_printf(output, NULL, "\\x%02x", text[at]);
        else
            bipe_output_write(output, text + at, used, NULL);
        at += broken ? 1 : used;
    }
}

/* A name and the tab after it. */
static void dump_name(bipe_output *output, const char *name)
{
    dump_field(output, (const uint8_t *)name, strlen(name));
    bipe_output_write(output, "\t", 1, NULL);
}

/* The columns that every line starts with: what was scored, the file, the document, its id. */
static int dump_file(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, size_t document, bipe_error *err)
{
    const bipe_score_combination *c = &dump->setup->combination[place->combination];
    size_t count;
    const bipe_spool_document *documents = bipe_token_spool_documents(place->reader->spool, &count);
    char id[BIPE_SCORE_ID];
    if (dump->setup->combinations > 1) {
        dump_name(output, c->model_name);
        dump_name(output, c->segmenter);
    }
    dump_name(output, place->file);
    if (dump->several)
        bipe_output_printf(output, NULL, "%" PRIu64 "\t", documents[document].index);
    if (!dump->ids)
        return BIPE_OK;
    int status = bipe_score_id(place->reader, document, id, err);
    if (status == BIPE_OK)
        dump_name(output, id);
    return status;
}

/* Follows the documents of a window from token to token. */
typedef struct dump_cursor {
    const bipe_spool_document *document;
    size_t count, at;
    uint64_t start;
    size_t added;
} dump_cursor;

static dump_cursor start_cursor(const bipe_score_place *place, const bipe_scored_window *window)
{
    dump_cursor c = { .start = window->start, .added = window->added };
    c.document = bipe_token_spool_documents(place->reader->spool, &c.count);
    c.at = bipe_token_spool_document_at(place->reader->spool, window->start);
    return c;
}

/* The document of token t of the window; t does not fall. */
static size_t document_of(dump_cursor *c, size_t t)
{
    while (c->at + 1 < c->count && t >= c->added && c->document[c->at + 1].first <= c->start + (t - c->added))
        c->at++;
    return c->at;
}

/* The text of the token. */
static int dump_text(bipe_output *output, const bipe_score_place *place, const bipe_spool_token *token, bipe_error *err)
{
    uint8_t buffer[4];
    const uint8_t *bytes = NULL;
    size_t size = 0;
    int status = BIPE_OK;
    bipe_output_write(output, "\t", 1, NULL);
    if (token->end > token->start)
        status = bipe_tokenizer_decode(place->reader->tokenizer, token->id, token->start == 0, buffer, &bytes, &size, err);
    if (status == BIPE_OK)
        dump_field(output, bytes, size);
    return status;
}

static int dump_tokens(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, const bipe_scored_window *window,
                       bipe_error *err)
{
    dump_cursor cursor = start_cursor(place, window);
    for (size_t t = window->first; t < window->length; t++) {
        const bipe_spool_token *token = &window->token[t];
        double loss = window->nll[t - window->first];
        char nll[32];
        if (!place->counts[t])
            continue;
        int status = dump_file(dump, output, place, document_of(&cursor, t), err);
        bipe_output_printf(output, NULL, "%" PRIu64 "\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%s",
                           place->length, window->index, t, token->start, token->end, token->id, window->segment[t], window->intra[t],
                           bipe_format_number(nll, loss));
        if (place->brief != NULL)
            bipe_output_printf(output, NULL, "\t%s", bipe_format_number(nll, loss - place->brief[t]));
        if (status == BIPE_OK && dump->text)
            status = dump_text(output, place, token, err);
        if (status == BIPE_OK)
            status = bipe_output_write(output, "\n", 1, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* A segment's line is about its scored tokens alone: their bytes, their number, their loss. Where documents meet in a segment it has a
 * line for each. */
static int dump_segments(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, const bipe_scored_window *window,
                         bipe_error *err)
{
    dump_cursor cursor = start_cursor(place, window);
    for (size_t t = window->first; t < window->length;) {
        uint32_t segment = window->segment[t];
        const bipe_spool_token *first = NULL, *last = NULL;
        size_t tokens = 0, document = document_of(&cursor, t);
        double sum = 0;
        for (; t < window->length && window->segment[t] == segment && document_of(&cursor, t) == document; t++) {
            if (!place->counts[t])
                continue;
            last = &window->token[t];
            first = first != NULL ? first : last;
            tokens++;
            sum += window->nll[t - window->first];
        }
        if (tokens == 0)
            continue;
        char nll[32];
        int status = dump_file(dump, output, place, document, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(output, err, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n", place->length,
                                        window->index, segment, first->start, last->end, tokens, bipe_format_number(nll, sum));
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* The line of a document that is complete. */
static int dump_sum_line(bipe_score_dump *dump, bipe_output *output, dump_sum *sum, bipe_error *err)
{
    const bipe_losses *losses = &sum->losses;
    char number[4][32];
    if (!sum->some || losses->tokens == 0)
        return BIPE_OK;
    size_t count;
    uint32_t group = bipe_token_spool_documents(sum->place.reader->spool, &count)[sum->document].group;
    int status = dump_file(dump, output, &sum->place, (size_t)sum->document, err);
    if (dump->setup->group != NULL)
        dump_field(output, (const uint8_t *)dump->groups->name[group], strlen(dump->groups->name[group]));
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t%s\t%s\n", sum->place.length, losses->tokens,
                                    losses->bytes, bipe_format_number(number[0], bipe_losses_nll(losses)),
                                    bipe_format_number(number[1], bipe_losses_sum(losses)),
                                    bipe_format_number(number[2], bipe_losses_perplexity(losses)),
                                    bipe_format_number(number[3], bipe_losses_bits_per_byte(losses)));
    *sum = (dump_sum){ 0 };
    return status;
}

static int dump_documents(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, const bipe_scored_window *window,
                          bipe_error *err)
{
    dump_cursor cursor = start_cursor(place, window);
    if (bipe_grow(&dump->sum, &dump->sum_capacity, place->number + 1, sizeof *dump->sum) != 0)
        return bipe_fail_memory(err);
    while (dump->sums <= place->number)
        dump->sum[dump->sums++] = (dump_sum){ 0 };
    dump_sum *sum = &dump->sum[place->number];
    for (size_t t = window->first; t < window->length; t++) {
        size_t document = document_of(&cursor, t);
        if (!place->counts[t])
            continue;
        if (sum->some && sum->document != document) {
            int status = dump_sum_line(dump, output, sum, err);
            if (status != BIPE_OK)
                return status;
        }
        sum->some = true;
        sum->document = document;
        sum->place = *place;
        bipe_losses_add(&sum->losses, window->nll[t - window->first], window->token[t].end - window->token[t].start, 0);
    }
    return BIPE_OK;
}

int bipe_score_dump_window(bipe_score_dump *dump, const bipe_score_place *place, const bipe_scored_window *window, bipe_error *err)
{
    bipe_output *output = NULL;
    int status = output_of(dump, place->number, &output, err);
    if (status != BIPE_OK)
        return status;
    switch (dump->kind) {
    case BIPE_SCORE_TOKENS: return dump_tokens(dump, output, place, window, err);
    case BIPE_SCORE_SEGMENTS: return dump_segments(dump, output, place, window, err);
    default: return dump_documents(dump, output, place, window, err);
    }
}

int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < dump->sums && status == BIPE_OK; i++) {
        bipe_output *output = NULL;
        status = output_of(dump, i, &output, err);
        if (status == BIPE_OK)
            status = dump_sum_line(dump, output, &dump->sum[i], err);
    }
    for (size_t i = 0; i < dump->count && status == BIPE_OK; i++)
        status = copy_part(dump->output, &dump->part[i], err);
    return status;
}

int bipe_score_dump_commit(bipe_score_dump *dump, bipe_error *err)
{
    int status = bipe_output_commit(dump->output, err);
    close_parts(dump);
    bipe_free(dump);
    return status;
}

void bipe_score_dump_abandon(bipe_score_dump *dump)
{
    if (dump == NULL)
        return;
    bipe_output_abandon(dump->output);
    close_parts(dump);
    bipe_free(dump);
}
