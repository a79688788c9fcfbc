/* score_dump.c - the files of --tokens and --segments: tab-separated, a line for each scored token or segment. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "tools/bipe_score.h"

struct bipe_score_dump {
    bipe_output *output;
    bool tokens;
};

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
static int dump_place(bipe_score_dump *dump, const char *file, uint64_t length, uint64_t window, bipe_error *err)
{
    int status = dump_name(dump->output, file, err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(dump->output, err, "\t%" PRIu64 "\t%" PRIu64 "\t", length, window);
}

static int dump_tokens(bipe_score_dump *dump, const char *file, uint64_t length, const bipe_scored_window *window,
                       bipe_error *err)
{
    for (size_t t = window->first; t < window->length; t++) {
        const bipe_spool_token *token = &window->token[t];
        char nll[32];
        if (!window->target[t - window->first])
            continue;
        int status = dump_place(dump, file, length, window->index, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(dump->output, err,
                                        "%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%s\n", t,
                                        token->start, token->end, token->id, window->segment[t], window->intra[t],
                                        bipe_format_number(nll, window->nll[t - window->first]));
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* A segment's line is about its scored tokens alone: their bytes, their number, their loss. */
static int dump_segments(bipe_score_dump *dump, const char *file, uint64_t length, const bipe_scored_window *window,
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
        int status = dump_place(dump, file, length, window->index, err);
        if (status == BIPE_OK)
            status = bipe_output_printf(dump->output, err, "%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n",
                                        segment, first->start, last->end, tokens, bipe_format_number(nll, sum));
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

int bipe_score_dump_window(bipe_score_dump *dump, const char *file, uint64_t length, const bipe_scored_window *window,
                           bipe_error *err)
{
    return dump->tokens ? dump_tokens(dump, file, length, window, err) : dump_segments(dump, file, length, window, err);
}

int bipe_score_dump_commit(bipe_score_dump *dump, bipe_error *err)
{
    int status = bipe_output_commit(dump->output, err);
    bipe_free(dump);
    return status;
}

void bipe_score_dump_abandon(bipe_score_dump *dump)
{
    if (dump == NULL)
        return;
    bipe_output_abandon(dump->output);
    bipe_free(dump);
}
