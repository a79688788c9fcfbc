/* score_dump.c - the files of --tokens and --segments: tab-separated, a line for each scored token or segment. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/spool.h"
#include "tools/bipe_score.h"

/* Lines of a length that wait until those of the lengths before it are written. */
typedef struct dump_part {
    bipe_output *output;
    bipe_spool *spool;
} dump_part;

struct bipe_score_dump {
    bipe_output *output; /* the file; lines of the first length go there at once */
    dump_part *part;     /* [count] of lengths 1 .. count */
    size_t count, capacity;
    bool tokens;
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
        uint8_t *room;
        size_t space, count = size - at < COPY_SIZE ? (size_t)(size - at) : COPY_SIZE;
        status = bipe_output_room(to, count, &room, &space, err);
        if (status == BIPE_OK)
            status = bipe_spool_read(part->spool, at, room, count, err);
        if (status == BIPE_OK)
            bipe_output_filled(to, count);
        at += count;
    }
    bipe_spool_reset(part->spool);
    return status;
}

int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < dump->count && status == BIPE_OK; i++)
        status = copy_part(dump->output, &dump->part[i], err);
    return status;
}

static void close_parts(bipe_score_dump *dump)
{
    for (size_t i = 0; i < dump->count; i++) {
        bipe_output_abandon(dump->part[i].output);
        bipe_spool_close(dump->part[i].spool);
    }
    bipe_free(dump->part);
}

int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bool tokens, bipe_error *err)
{
    *dump = NULL;
    bipe_score_dump *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    made->tokens = tokens;
    const char *header = tokens ? "file\tlength\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll\n"
                                : "file\tlength\twindow\tsegment\tstart\tend\ttokens\tnll\n";
    int status = bipe_output_open(&made->output, path, err);
    if (status == BIPE_OK)
        status = bipe_output_write(made->output, header, strlen(header), err);
    if (status != BIPE_OK) {
        bipe_score_dump_abandon(made);
        return status;
    }
    *dump = made;
    return BIPE_OK;
}

/* A file name as a field: tab, newline, carriage return and backslash are escaped. */
static int dump_name(bipe_output *output, const char *text, bipe_error *err)
{
    int status = BIPE_OK;
    while (*text != '\0' && status == BIPE_OK) {
        size_t plain = strcspn(text, "\t\n\r\\");
        status = bipe_output_write(output, text, plain, err);
        text += plain;
        if (*text == '\0' || status != BIPE_OK)
            break;
        status = bipe_output_write(output, *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : *text == '\r' ? "\\r" : "\\\\", 2,
                                   err);
        text++;
    }
    return status;
}

/* The columns that every line starts with. */
static int dump_place(bipe_output *output, const char *file, uint64_t length, uint64_t window, bipe_error *err)
{
    int status = dump_name(output, file, err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(output, err, "\t%" PRIu64 "\t%" PRIu64 "\t", length, window);
}

static int dump_tokens(bipe_output *output, const char *file, uint64_t length, const bipe_scored_window *window,
                       bipe_error *err)
{
    for (size_t t = window->first; t < window->length; t++) {
        const bipe_spool_token *token = &window->token[t];
        char nll[32];
        if (!window->target[t - window->first])
            continue;
        int status = dump_place(output, file, length, window->index, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(output, err,
                                        "%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%s\n", t,
                                        token->start, token->end, token->id, window->segment[t], window->intra[t],
                                        bipe_format_number(nll, window->nll[t - window->first]));
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* A segment's line is about its scored tokens alone: their bytes, their number, their loss. */
static int dump_segments(bipe_output *output, const char *file, uint64_t length, const bipe_scored_window *window,
                         bipe_error *err)
{
    for (size_t t = window->first; t < window->length;) {
        uint32_t segment = window->segment[t];
        const bipe_spool_token *first = NULL, *last = NULL;
        size_t tokens = 0;
        double sum = 0;
        for (; t < window->length && window->segment[t] == segment; t++) {
            if (!window->target[t - window->first])
                continue;
            last = &window->token[t];
            first = first != NULL ? first : last;
            tokens++;
            sum += window->nll[t - window->first];
        }
        if (tokens == 0)
            continue;
        char nll[32];
        int status = dump_place(output, file, length, window->index, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(output, err, "%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n",
                                        segment, first->start, last->end, tokens, bipe_format_number(nll, sum));
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

int bipe_score_dump_window(bipe_score_dump *dump, const char *file, size_t number, uint64_t length, const bipe_scored_window *window,
                           bipe_error *err)
{
    bipe_output *output = NULL;
    int status = output_of(dump, number, &output, err);
    if (status != BIPE_OK)
        return status;
    return dump->tokens ? dump_tokens(output, file, length, window, err) : dump_segments(output, file, length, window, err);
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
