/* score_dump.c - the files of --tokens, --segments and --documents: a line for each scored token, segment or
 * document. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/spool.h"
#include "cli/columns.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_dump.h"

/* The values of a line. */
typedef struct dump_cells {
    const char *model, *segmenter, *file, *id, *group;
    uint64_t document, length, window, place, start, end, token, segment, intra, tokens, bytes, key;
    double nll, sum, ppl, bits, contrast, divergence, key_nll, longppl;
    bipe_column_bytes text;
    char id_text[BIPE_SCORE_ID];
} dump_cells;

enum { T = 1 << BIPE_SCORE_TOKENS, S = 1 << BIPE_SCORE_SEGMENTS, D = 1 << BIPE_SCORE_DOCUMENT_ROWS };
enum { MODELS = 1, NUMBERS = 2, IDS = 4, CONTRAST = 8, TEXT = 16, DIVERGENCE = 32, KEY = 64 };

#define CELL(type, field, heading) BIPE_COLUMN(dump_cells, type, field, .name = heading)

/* All columns: the dumps that have them, and what must be asked for besides (0: nothing). */
static const struct {
    unsigned dumps, needs;
    bipe_column column;
} dump_columns[] = {
    {T | S | D, MODELS, CELL(TEXT, model, "model")},
    {T | S | D, MODELS, CELL(TEXT, segmenter, "segmenter")},
    {T | S | D, 0, CELL(TEXT, file, "file")},
    {T | S | D, NUMBERS, CELL(UINT, document, "document")},
    {T | S, IDS, CELL(TEXT, id, "record")},
    {D, 0, CELL(TEXT, id, "id")},
    {D, 0, CELL(TEXT, group, "group")},
    {T | S | D, 0, CELL(UINT, length, "length")},
    {T | S, 0, CELL(UINT, window, "window")},
    {T, 0, CELL(UINT, place, "token")},
    {S, 0, CELL(UINT, segment, "segment")},
    {T | S, 0, CELL(UINT, start, "start")},
    {T | S, 0, CELL(UINT, end, "end")},
    {T, 0, CELL(UINT, token, "id")},
    {T, 0, CELL(UINT, segment, "segment")},
    {T, 0, CELL(UINT, intra, "intra")},
    {S | D, 0, CELL(UINT, tokens, "tokens")},
    {D, 0, CELL(UINT, bytes, "bytes")},
    {T | S | D, 0, CELL(NUMBER, nll, "nll")},
    {D, 0, CELL(NUMBER, sum, "nll_sum")},
    {D, 0, CELL(NUMBER, ppl, "ppl")},
    {D, 0, CELL(NUMBER, bits, "bits_per_byte")},
    {T, CONTRAST, CELL(NUMBER, contrast, "contrast")},
    {T | S | D, DIVERGENCE, CELL(NUMBER, divergence, "divergence")},
    {T, KEY, CELL(UINT, key, "key")},
    {D, KEY, CELL(UINT, key, "key_tokens")},
    {D, KEY, CELL(NUMBER, key_nll, "key_nll")},
    {D, KEY, CELL(NUMBER, longppl, "longppl")},
    {T, TEXT, CELL(BYTES, text, "text")},
};

/* Lines of a length; of each combination where they are scored in step. */
typedef struct dump_part {
    bipe_output *output;     /* that of the dump, or one whose lines wait in the spool until those of the lengths before
                                are written */
    bipe_spool *spool;       /* NULL: the first */
    bipe_score_place place;  /* --documents: the document whose losses are being added up, */
    size_t document;         /* its number in the spool of its text, */
    bipe_losses losses;      /* and what they come to, */
    bipe_losses divergence;  /* with divergences in place of losses, */
    bipe_losses key;         /* and those of key tokens */
} dump_part;

struct bipe_score_dump {
    bipe_output *output;     /* the file */
    dump_part *part;         /* (parts) */
    size_t parts;
    const bipe_score_setup *setup;
    const bipe_group_names *groups;
    bipe_score_dump_kind kind;
    char separator;          /* of its columns */
    unsigned given;          /* of what columns need */
    bipe_column column[BIPE_COUNT_OF(dump_columns)]; /* [columns] */
    size_t columns;
    dump_cells cells;        /* of the present line */
};

enum { PART_MEMORY = 4 << 20, COPY_SIZE = 1 << 16 };

static int spool_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(context, bytes, size, err);
}

static int open_parts(bipe_score_dump *dump, bipe_error *err)
{
    size_t together = dump->setup->divergence ? dump->setup->combinations : 1;
    dump->parts = dump->setup->lengths->count * together;
    dump->part = bipe_tool_alloc(dump->parts, sizeof *dump->part);
    dump->part[0].output = dump->output;
    int status = BIPE_OK;
    for (size_t i = 1; i < dump->parts && status == BIPE_OK; i++) {
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

char bipe_score_dump_separator(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".csv") == 0 ? ',' : '\t';
}

int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bipe_score_dump_kind kind,
                         const bipe_score_setup *setup, const bipe_group_names *groups, bool several, bool ids,
                         bool text, bipe_error *err)
{
    bipe_score_dump *made = *dump = bipe_tool_alloc(1, sizeof *made);
    made->setup = setup;
    made->groups = groups;
    made->kind = kind;
    made->separator = bipe_score_dump_separator(path);
    ids = ids || kind == BIPE_SCORE_DOCUMENT_ROWS;
    made->given = (setup->combinations > 1 ? MODELS : 0) | (several || ids ? NUMBERS : 0) | (ids ? IDS : 0) |
                  (setup->contrast > 0 ? CONTRAST : 0) | (text ? TEXT : 0) | (setup->divergence ? DIVERGENCE : 0) |
                  (setup->key.wanted ? KEY : 0);
    for (size_t i = 0; i < BIPE_COUNT_OF(dump_columns); i++)
        if ((dump_columns[i].dumps >> kind & 1) != 0 && (dump_columns[i].needs & ~made->given) == 0)
            made->column[made->columns++] = dump_columns[i].column;
    int status = bipe_output_open(&made->output, path, err);
    if (status == BIPE_OK)
        status = open_parts(made, err);
    if (status != BIPE_OK)
        return status;
    bipe_columns_head(made->output, made->column, made->columns, made->separator);
    return bipe_output_write(made->output, "", 0, err);
}

/* What every line says: what was scored, the file, the document, its id. */
static int fill_place(bipe_score_dump *dump, const bipe_score_place *place, size_t document, bipe_error *err)
{
    const bipe_score_combination *c = &dump->setup->combination[place->combination];
    size_t count;
    const bipe_spool_document *d = &bipe_token_spool_documents(place->reader->spool, &count)[document];
    dump_cells *cells = &dump->cells;
    cells->model = c->model_name;
    cells->segmenter = c->segmenter;
    cells->file = place->file;
    cells->length = place->length;
    cells->document = d->index;
    cells->group = dump->setup->group != NULL ? dump->groups->name[d->group] : NULL;
    cells->id = cells->id_text;
    return (dump->given & IDS) != 0 ? bipe_score_id(place->reader, document, cells->id_text, err) : BIPE_OK;
}

static void dump_line(const bipe_score_dump *dump, bipe_output *output)
{
    bipe_columns_line(output, dump->column, dump->columns, dump->separator, &dump->cells);
}

/* NaN: of the first model. */
static double divergence_of(const bipe_scored_window *window, size_t t)
{
    return window->divergence != NULL ? window->divergence[t - window->first].divergence : (double)NAN;
}

static int dump_tokens(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place,
                       const bipe_scored_window *window, bipe_error *err)
{
    dump_cells *cells = &dump->cells;
    int status = BIPE_OK;
    for (size_t t = window->first; t < window->length && status == BIPE_OK; t++) {
        const bipe_spool_token *token = &window->token[t];
        uint8_t buffer[4];
        if (!place->counts[t])
            continue;
        status = fill_place(dump, place, bipe_score_document(place->reader, window, t), err);
        cells->window = window->index;
        cells->place = t;
        cells->start = token->start;
        cells->end = token->end;
        cells->token = token->id;
        cells->segment = window->indices.of[BIPE_INDEX_SEGMENT][t];
        cells->intra = window->indices.of[BIPE_INDEX_INTRA][t];
        cells->nll = window->nll[t - window->first];
        cells->contrast = place->brief != NULL ? cells->nll - place->brief[t] : (double)NAN;
        cells->divergence = divergence_of(window, t);
        cells->key = place->counts[t] == BIPE_SCORE_COUNTS_KEY;
        cells->text = (bipe_column_bytes){0};
        if (status == BIPE_OK && (dump->given & TEXT) != 0 && token->end > token->start)
            status = bipe_tokenizer_decode(place->reader->tokenizer, token->id, token->start == 0, buffer,
                                           &cells->text.data, &cells->text.size, err);
        if (status == BIPE_OK)
            dump_line(dump, output);
    }
    return status;
}

/* A segment's line is about its scored tokens alone: their bytes, their number, their loss. Where documents meet in a
 * segment it has a line for each. */
static int dump_segments(bipe_score_dump *dump, bipe_output *output, const bipe_score_place *place,
                         const bipe_scored_window *window, bipe_error *err)
{
    dump_cells *cells = &dump->cells;
    int status = BIPE_OK;
    for (size_t t = window->first; t < window->length && status == BIPE_OK;) {
        size_t document = bipe_score_document(place->reader, window, t);
        cells->window = window->index;
        cells->segment = window->indices.of[BIPE_INDEX_SEGMENT][t];
        cells->tokens = 0;
        cells->nll = cells->divergence = 0;
        for (; t < window->length && window->indices.of[BIPE_INDEX_SEGMENT][t] == cells->segment &&
               bipe_score_document(place->reader, window, t) == document; t++) {
            if (!place->counts[t])
                continue;
            if (cells->tokens++ == 0)
                cells->start = window->token[t].start;
            cells->end = window->token[t].end;
            cells->nll += window->nll[t - window->first];
            cells->divergence += divergence_of(window, t);
        }
        if (cells->tokens > 0 && (status = fill_place(dump, place, document, err)) == BIPE_OK)
            dump_line(dump, output);
    }
    return status;
}

/* The line of the document that is complete, if there is one. */
static int dump_sum(bipe_score_dump *dump, dump_part *part, bipe_error *err)
{
    const bipe_losses *losses = &part->losses;
    dump_cells *cells = &dump->cells;
    if (losses->tokens == 0)
        return BIPE_OK;
    cells->tokens = losses->tokens;
    cells->bytes = losses->bytes;
    cells->nll = bipe_losses_nll(losses);
    cells->sum = bipe_losses_sum(losses);
    cells->ppl = bipe_losses_perplexity(losses);
    cells->bits = bipe_losses_bits_per_byte(losses);
    cells->divergence = bipe_losses_nll(&part->divergence);
    cells->key = part->key.tokens;
    cells->key_nll = bipe_losses_nll(&part->key);
    cells->longppl = bipe_losses_perplexity(&part->key);
    part->losses = part->divergence = part->key = (bipe_losses){0};
    int status = fill_place(dump, &part->place, part->document, err);
    if (status == BIPE_OK)
        dump_line(dump, part->output);
    return status;
}

static int dump_documents(bipe_score_dump *dump, dump_part *part, const bipe_score_place *place,
                          const bipe_scored_window *window, bipe_error *err)
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
        bipe_losses_add(&part->losses, window->nll[t - window->first], window->token[t].end - window->token[t].start,
                        0);
        if (place->counts[t] == BIPE_SCORE_COUNTS_KEY)
            bipe_losses_add(&part->key, window->nll[t - window->first], 0, 0);
        if (window->divergence != NULL)
            bipe_losses_add(&part->divergence, divergence_of(window, t), 0, 0);
    }
    return status;
}

int bipe_score_dump_window(bipe_score_dump *dump, const bipe_score_place *place, const bipe_scored_window *window,
                           bipe_error *err)
{
    size_t before = dump->setup->divergence ? place->combination * dump->setup->lengths->count : 0;
    dump_part *part = &dump->part[before + place->number];
    int status = dump->kind == BIPE_SCORE_TOKENS     ? dump_tokens(dump, part->output, place, window, err)
                 : dump->kind == BIPE_SCORE_SEGMENTS ? dump_segments(dump, part->output, place, window, err)
                                                     : dump_documents(dump, part, place, window, err);
    return status == BIPE_OK ? bipe_output_write(part->output, "", 0, err) : status;
}

int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < dump->parts && status == BIPE_OK; i++)
        status = dump_sum(dump, &dump->part[i], err);
    for (size_t i = 1; i < dump->parts && status == BIPE_OK; i++)
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
    for (size_t i = 1; i < dump->parts && dump->part != NULL; i++) {
        bipe_output_abandon(dump->part[i].output);
        bipe_spool_close(dump->part[i].spool);
    }
    bipe_output_abandon(dump->output);
    bipe_free(dump->part);
    bipe_free(dump);
}
