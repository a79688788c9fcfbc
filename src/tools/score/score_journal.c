/* score_journal.c - the journal of bipe-score (journal.h): finished batches of windows. A batch is synced before the
 * next one is scored.
 *
 *   bipe-score-journal 4
 *   set NAME VALUE                        what the digits depend on, a line each (score_settings.c)
 *   text HASH TOKENS TOKENIZER:FILE CHECKSUM      a file with its text, before the first part of it
 *   part FIRST COMBINATION HASH TOKENS WORDS SUM LENGTH WINDOWS SCORED BYTES BINS UNITS [DIVERGENCE] CHECKSUM
 * where BINS and UNITS are COUNT LISTED [INDEX TOKENS BYTES SUM]..., and DIVERGENCE is in score_divergence.h. A part
 * has the sums of windows FIRST .. FIRST + WINDOWS - 1 of one length; those of a text, combination and length follow on
 * one another. Sums are exact (measure/exact.h), so that it does not matter where batches end. A torn last line is cut
 * off. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/journal.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_journal.h"
#include "tools/score/score_parts.h"

/* Windows first .. next - 1 of a text at a length, in `sum`. */
typedef struct journal_entry {
    uint64_t first, next;
    bipe_score_row sum;
} journal_entry;

typedef struct journal_name {
    char *name; /* escaped */
    bipe_score_text text;
} journal_name;

struct bipe_score_journal {
    bipe_journal *file;
    journal_entry *entry;
    size_t count, capacity;
    journal_name *name;
    size_t name_count, name_capacity;
};

/* ---- known parts ---- */

static bool same_score_text(const bipe_score_text *a, const bipe_score_text *b)
{
    return a->hash == b->hash && a->tokens == b->tokens;
}

static journal_entry *find_entry(const bipe_score_journal *journal, const bipe_score_row *row)
{
    for (size_t i = 0; i < journal->count; i++) {
        journal_entry *entry = &journal->entry[i];
        if (same_score_text(&entry->sum.text, &row->text) && entry->sum.length == row->length &&
            entry->sum.combination == row->combination)
            return entry;
    }
    return NULL;
}

/* BIPE_ERR_FORMAT (without a text) when the part does not follow on what is there. */
static int take_part(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part)
{
    journal_entry *entry = find_entry(journal, part);
    if (part->losses.windows == 0 || part->losses.windows > UINT64_MAX - first ||
        (entry != NULL && entry->next != first))
        return BIPE_ERR_FORMAT;
    if (entry == NULL) {
        bipe_tool_grow(&journal->entry, &journal->capacity, journal->count + 1, sizeof *journal->entry);
        entry = &journal->entry[journal->count++];
        *entry = (journal_entry){.first = first, .next = first,
                                 .sum = {.combination = part->combination, .length = part->length, .text = part->text}};
    }
    bipe_score_row_merge(&entry->sum, part);
    entry->next += part->losses.windows;
    return BIPE_OK;
}

static const journal_name *find_name(const bipe_score_journal *journal, const char *escaped)
{
    for (size_t i = 0; i < journal->name_count; i++)
        if (strcmp(journal->name[i].name, escaped) == 0)
            return &journal->name[i];
    return NULL;
}

static void take_name(bipe_score_journal *journal, const char *escaped, const bipe_score_text *text)
{
    bipe_tool_grow(&journal->name, &journal->name_capacity, journal->name_count + 1, sizeof *journal->name);
    journal->name[journal->name_count++] = (journal_name){ .name = bipe_tool_strdup(escaped), .text = *text };
}

/* ---- reading ---- */

/* The rest of a line of a part. */
static int read_part(bipe_score_journal *journal, bipe_fields *f)
{
    score_part fields = {0};
    bipe_score_row part = {0};
    bipe_columns_fields(f, score_part_columns, SCORE_PART_COLUMNS, &fields);
    score_part_take(&fields, &part);
    score_bins_fields(f, &part.bins);
    score_bins_fields(f, &part.units);
    if (!f->bad && *f->at != '\0')
        score_divergence_fields(f, &part.divergence);
    int status = f->bad || *f->at != '\0' ? BIPE_ERR_FORMAT : take_part(journal, fields.file, &part);
    bipe_score_row_free(&part);
    return status;
}

/* A line of the journal. */
static int take_record(void *context, char *line, size_t size, bipe_error *err)
{
    (void)err;
    bipe_score_journal *journal = context;
    bipe_fields f = { .at = line + 4 };
    if (size < 5)
        return BIPE_ERR_FORMAT;
    if (strncmp(line, "part ", 5) == 0)
        return read_part(journal, &f);
    if (strncmp(line, "text ", 5) != 0)
        return BIPE_ERR_FORMAT;
    bipe_score_text text = { .hash = bipe_field_uint(&f, 16) };
    text.tokens = bipe_field_uint(&f, 10);
    const char *name = bipe_field_start(&f);
    if (f.bad || strchr(name, ' ') != NULL)
        return BIPE_ERR_FORMAT;
    take_name(journal, name, &text);
    return BIPE_OK;
}

int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup,
                            bipe_error *err)
{
    bipe_output *header = NULL;
    bipe_score_journal *made = *journal = bipe_tool_alloc(1, sizeof *made);
    int status = bipe_output_open_memory(&header, err);
    if (status == BIPE_OK) {
        bipe_output_printf(header, NULL, "bipe-score-journal 4\n");
        bipe_score_settings(setup, true, header);
        status = bipe_journal_open(&made->file, path, header, take_record, made, err);
    }
    if (status != BIPE_OK) {
        bipe_score_journal_close(made);
        *journal = NULL;
    }
    return status;
}

/* ---- use ---- */

int bipe_score_journal_text(bipe_score_journal *journal, const char *file, size_t tokenizer,
                            const bipe_score_text *text, bipe_error *err)
{
    bipe_output *escaped;
    int status = bipe_output_open_memory(&escaped, err);
    if (status != BIPE_OK)
        return status;
    bipe_output_printf(escaped, NULL, "%zu:", tokenizer);
    bipe_journal_escape(escaped, file, strlen(file));
    status = bipe_output_write(escaped, "", 1, err);
    const char *name = (const char *)bipe_output_kept(escaped)->data;
    const journal_name *known = status == BIPE_OK ? find_name(journal, name) : NULL;
    if (known != NULL && !same_score_text(&known->text, text)) {
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "differs from the text recorded in journal %s; delete the journal to start over",
                           bipe_journal_path(journal->file));
    } else if (status == BIPE_OK && known == NULL) {
        bipe_output_printf(bipe_journal_line(journal->file), NULL, "text %016" PRIx64 " %" PRIu64 " %s", text->hash,
                           text->tokens, name);
        status = bipe_journal_end(journal->file, err);
        if (status == BIPE_OK)
            take_name(journal, name, text);
    }
    bipe_output_abandon(escaped);
    return status;
}

void bipe_score_journal_find(const bipe_score_journal *journal, uint64_t first, bipe_score_row *row, uint64_t *next)
{
    const journal_entry *entry = find_entry(journal, row);
    *next = first;
    if (entry == NULL || entry->first != first)
        return;
    *next = entry->next;
    bipe_score_row_merge(row, &entry->sum);
}

int bipe_score_journal_add(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err)
{
    if (bipe_journal_failed(journal->file))
        return BIPE_OK; /* said before */
    score_part fields;
    bipe_output *line = bipe_journal_line(journal->file);
    score_part_fill(&fields, part);
    fields.file = first;
    bipe_output_printf(line, NULL, "part");
    bipe_columns_journal(line, score_part_columns, SCORE_PART_COLUMNS, &fields);
    score_bins_journal(line, &part->bins);
    score_bins_journal(line, &part->units);
    if (part->divergence.groups > 0)
        score_divergence_journal(line, &part->divergence);
    int status = bipe_journal_end(journal->file, err);
    return status == BIPE_OK ? bipe_journal_fail(journal->file, take_part(journal, first, part)) : status;
}

int bipe_score_journal_commit(bipe_score_journal *journal, bipe_error *err)
{
    return bipe_journal_commit(journal->file, err);
}

void bipe_score_journal_close(bipe_score_journal *journal)
{
    if (journal == NULL)
        return;
    bipe_journal_close(journal->file);
    for (size_t i = 0; i < journal->count; i++)
        bipe_score_row_free(&journal->entry[i].sum);
    for (size_t i = 0; i < journal->name_count; i++)
        bipe_free(journal->name[i].name);
    bipe_free(journal->entry);
    bipe_free(journal->name);
    bipe_free(journal);
}
