/* score_dump.c - the files of --tokens, --segments and --documents: tab-separated, a line for each scored token, segment or document. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/spool.h"
#include "cli/csv.h"
#include "tools/score/bipe_score.h"

/* Lines of a length. */
typedef struct dump_part {
    bipe_output *output;     /* that of the dump, or one whose lines wait in the spool until those of the lengths before are written */
    bipe_spool *spool;       /* NULL: the first length */
    bipe_score_place place;  /* --documents: the document whose losses are being added up, */
    size_t document;         /* its number in the spool of its text, */
    bipe_losses losses;      /* and what they come to */
} dump_part;

struct bipe_score_dump {
    bipe_output *output;     /* the file */
    dump_part *part;         /* (lengths) */
    const bipe_score_setup *setup;
    const bipe_group_names *groups;
    bipe_score_dump_kind kind;
    bool several, ids, text;
};

enum { PART_MEMORY = 4 << 20, COPY_SIZE = 1 << 16 };

static int spool_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(context, bytes, size, err);
}

static int open_parts(bipe_score_dump *dump, bipe_error *err)
{
    size_t lengths = dump->setup->lengths->count;
    dump->part = bipe_alloc(lengths, sizeof *dump->part);
    if (dump->part == NULL)
        return bipe_fail_memory(err);
    dump->part[0].output = dump->output;
    int status = BIPE_OK;
    for (size_t i = 1; i < lengths && status == BIPE_OK; i++) {
        dump_part *part = &dump->part[i];
        status = bipe_spool_open(&part->spool, PART_MEMORY, err);
        if (status == BIPE_OK)
            status = bipe_output_open_sink(&part->output, spool_bytes, part->spool, err);
    }
    return status;
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
    bipe_spool_truncate(part->spool, 0);
    return status;
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
        status = open_parts(made, err);
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

/* A name and the tab after it. */
static void dump_name(bipe_output *output, const char *name)
{
    bipe_tsv_text(output, name, strlen(name));
    bipe_output_write(output, "\t", 1, NULL);
}

/* The columns that every line starts with: what was scored, the file, the document, its id. */
static int dump_place(const bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, size_t document, bipe_error *err)
{
    const bipe_score_combination *c = &dump->setup->combination[place->combination];
    size_t count;
    char id[BIPE_SCORE_ID];
    if (dump->setup->combinations > 1) {
        dump_name(output, c->model_name);
        dump_name(output, c->segmenter);
    }
    dump_name(output, place->file);
    if (dump->several)
        bipe_output_printf(output, NULL, "%" PRIu64 "\t", bipe_token_spool_documents(place->reader->spool, &count)[document].index);
    if (!dump->ids)
        return BIPE_OK;
    int status = bipe_score_id(place->reader, document, id, err);
    if (status == BIPE_OK)
        dump_name(output, id);
    return status;
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
        bipe_tsv_text(output, (const char *)bytes, size);
    return status;
}

static int dump_tokens(const bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, const bipe_scored_window *window,
                       bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t t = window->first; t < window->length && status == BIPE_OK; t++) {
        const bipe_spool_token *token = &window->token[t];
        double loss = window->nll[t - window->first];
        char nll[32];
        if (!place->counts[t])
            continue;
        status = dump_place(dump, output, place, bipe_score_document(place->reader, window, t), err);
        bipe_output_printf(output, NULL, "%" PRIu64 "\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%s",
                           place->length, window->index, t, token->start, token->end, token->id, window->segment[t], window->intra[t],
                           bipe_format_number(nll, loss));
        if (place->brief != NULL)
            bipe_output_printf(output, NULL, "\t%s", bipe_format_number(nll, loss - place->brief[t]));
        if (status == BIPE_OK && dump->text)
            status = dump_text(output, place, token, err);
        bipe_output_write(output, "\n", 1, NULL);
    }
    return status;
}

/* A segment's line is about its scored tokens alone: their bytes, their number, their loss. Where documents meet in a segment it has a
 * line for each. */
static int dump_segments(const bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place, const bipe_scored_window *window,
                         bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t t = window->first; t < window->length && status == BIPE_OK;) {
        uint32_t segment = window->segment[t];
        const bipe_spool_token *first = NULL, *last = NULL;
        size_t tokens = 0, document = bipe_score_document(place->reader, window, t);
        double sum = 0;
        for (; t < window->length && window->segment[t] == segment && bipe_score_document(place->reader, window, t) == document; t++) {
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
        status = dump_place(dump, output, place, document, err);
        bipe_output_printf(output, NULL, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n", place->length,
                           window->index, segment, first->start, last->end, tokens, bipe_format_number(nll, sum));
    }
    return status;
}

/* The line of the document that is complete, if there is one. */
static int dump_sum(const bipe_score_dump *dump, dump_part *part, bipe_error *err)
{
    const bipe_losses *losses = &part->losses;
    const double value[] = { bipe_losses_nll(losses), bipe_losses_sum(losses), bipe_losses_perplexity(losses), bipe_losses_bits_per_byte(losses) };
    size_t count;
    char number[32];
    if (losses->tokens == 0)
        return BIPE_OK;
    int status = dump_place(dump, part->output, &part->place, part->document, err);
    if (dump->setup->group != NULL) {
        const char *name = dump->groups->name[bipe_token_spool_documents(part->place.reader->spool, &count)[part->document].group];
        bipe_tsv_text(part->output, name, strlen(name));
    }
    bipe_output_printf(part->output, NULL, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, part->place.length, losses->tokens, losses->bytes);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        bipe_output_printf(part->output, NULL, "\t%s", bipe_format_number(number, value[i]));
    bipe_output_write(part->output, "\n", 1, NULL);
    part->losses = (bipe_losses){0};
    return status;
}

static int dump_documents(const bipe_score_dump *dump, dump_part *part, const bipe_score_place *place, const bipe_scored_window *window,
                          bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t t = window->first; t < window->length && status == BIPE_OK; t++) {
        size_t document = bipe_score_document(place->reader, window, t);
        if (!place->counts[t])
            continue;
        if (part->document != document)
            status = dump_sum(dump, part, err);
        part->document = document;
        part->place = *place;
        bipe_losses_add(&part->losses, window->nll[t - window->first], window->token[t].end - window->token[t].start, 0);
    }
    return status;
}

int bipe_score_dump_window(bipe_score_dump *dump, const bipe_score_place *place, const bipe_scored_window *window, bipe_error *err)
{
    dump_part *part = &dump->part[place->number];
    int status = dump->kind == BIPE_SCORE_TOKENS     ? dump_tokens(dump, part->output, place, window, err)
                 : dump->kind == BIPE_SCORE_SEGMENTS ? dump_segments(dump, part->output, place, window, err)
                                                     : dump_documents(dump, part, place, window, err);
    return status == BIPE_OK ? bipe_output_write(part->output, "", 0, err) : status;
}

int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < dump->setup->lengths->count && status == BIPE_OK; i++)
        status = dump_sum(dump, &dump->part[i], err);
    for (size_t i = 1; i < dump->setup->lengths->count && status == BIPE_OK; i++)
        status = copy_part(dump->output, &dump->part[i], err);
    return status;
}

int bipe_score_dump_commit(bipe_score_dump *dump, const bipe_tool *tool, bipe_error *err)
{
    int status = bipe_tool_commit(tool, dump->output, err);
    dump->output = NULL;
    bipe_score_dump_abandon(dump);
    return status;
}

void bipe_score_dump_abandon(bipe_score_dump *dump)
{
    if (dump == NULL)
        return;
    for (size_t i = 1; i < dump->setup->lengths->count && dump->part != NULL; i++) {
        bipe_output_abandon(dump->part[i].output);
        bipe_spool_close(dump->part[i].spool);
    }
    bipe_output_abandon(dump->output);
    bipe_free(dump->part);
    bipe_free(dump);
}
