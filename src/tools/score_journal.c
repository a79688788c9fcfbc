/* score_journal.c - the file of --resume: finished batches of windows, so that a run that was cut short goes on where it stopped.
 *
 * Text that only grows. A batch is synced before the next is scored; its lines have checksums:
 *   bipe-score-journal 3
 *   set NAME VALUE                        what the digits depend on, a line each (score_settings.c)
 *   text HASH TOKENS TOKENIZER:FILE CHECKSUM      a file with its text, before the first part of it
 *   part COMBINATION HASH TOKENS LENGTH FIRST WINDOWS SCORED BYTES WORDS SUM BINS UNITS CHECKSUM
 * where BINS and UNITS are COUNT LISTED [INDEX TOKENS BYTES SUM]... A part has the sums of windows FIRST .. FIRST + WINDOWS - 1 of one
 * length; those of a text, combination and length follow on one another. Sums are exact (measure/exact.h), so that it does not matter
 * where batches end. A torn last line is cut off. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "tools/bipe_score.h"

/* A line with the bins of a window of 1 Mi tokens stays far below. */
enum { JOURNAL_LINE_LIMIT = 1 << 28, BINS_MOST = 1 << 24 };

static const char first_line[] = "bipe-score-journal 3\n";

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
    char *path;
    int fd;
    bool broken;         /* something could not be written, or noted */
    journal_entry *entry;
    size_t count, capacity;
    journal_name *name;
    size_t name_count, name_capacity;
    bipe_buffer pending; /* lines that are to be written */
};

/* ---- what is known ---- */

static bool same_text(const bipe_score_text *a, const bipe_score_text *b)
{
    return a->hash == b->hash && a->tokens == b->tokens;
}

static journal_entry *find_entry(const bipe_score_journal *journal, const bipe_score_row *row)
{
    for (size_t i = 0; i < journal->count; i++) {
        journal_entry *entry = &journal->entry[i];
        if (same_text(&entry->sum.text, &row->text) && entry->sum.length == row->length && entry->sum.combination == row->combination)
            return entry;
    }
    return NULL;
}

/* BIPE_ERR_FORMAT (without a text) when the part does not follow on what is there. */
static int take_part(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err)
{
    journal_entry *entry = find_entry(journal, part);
    if (part->losses.windows == 0 || part->losses.windows > UINT64_MAX - first || (entry != NULL && entry->next != first))
        return BIPE_ERR_FORMAT;
    if (entry == NULL) {
        if (bipe_grow(&journal->entry, &journal->capacity, journal->count + 1, sizeof *journal->entry) != 0)
            return bipe_fail_memory(err);
        entry = &journal->entry[journal->count++];
        *entry = (journal_entry){ .first = first, .next = first, .sum = { .combination = part->combination, .length = part->length, .text = part->text } };
    }
    int status = bipe_score_row_merge(&entry->sum, part, err);
    if (status == BIPE_OK)
        entry->next += part->losses.windows;
    return status;
}

static const journal_name *find_name(const bipe_score_journal *journal, const char *escaped)
{
    for (size_t i = 0; i < journal->name_count; i++)
        if (strcmp(journal->name[i].name, escaped) == 0)
            return &journal->name[i];
    return NULL;
}

static int take_name(bipe_score_journal *journal, const char *escaped, const bipe_score_text *text, bipe_error *err)
{
    if (bipe_grow(&journal->name, &journal->name_capacity, journal->name_count + 1, sizeof *journal->name) != 0)
        return bipe_fail_memory(err);
    char *copy = bipe_strdup(escaped);
    if (copy == NULL)
        return bipe_fail_memory(err);
    journal->name[journal->name_count++] = (journal_name){ .name = copy, .text = *text };
    return BIPE_OK;
}

/* ---- reading ---- */

/* The fields of a line, one after the other. */
typedef struct fields {
    const char *at;
    bool bad;
} fields;

static const char *field_start(fields *f)
{
    if (f->at[0] != ' ' || f->at[1] == ' ' || f->at[1] == '\0') {
        f->bad = true;
        return "";
    }
    return f->at + 1;
}

static uint64_t field_uint(fields *f, int base)
{
    const char *start = field_start(f);
    char *end;
    errno = 0;
    if (f->bad || *start == '-' || *start == '+') {
        f->bad = true;
        return 0;
    }
    uint64_t value = strtoull(start, &end, base);
    f->bad = f->bad || errno != 0 || end == start || (*end != ' ' && *end != '\0');
    f->at = end;
    return value;
}

/* The next field as text, in `text`. */
static void field_text(fields *f, char *text, size_t room)
{
    const char *start = field_start(f);
    size_t size = strcspn(start, " ");
    if (f->bad || size >= room) {
        f->bad = true;
        return;
    }
    memcpy(text, start, size);
    text[size] = '\0';
    f->at = start + size;
}

static bipe_exact field_sum(fields *f)
{
    char text[BIPE_EXACT_SIZE] = "";
    bipe_exact sum = 0;
    field_text(f, text, sizeof text);
    if (!f->bad && !bipe_exact_parse(&sum, text))
        f->bad = true;
    return sum;
}

/* Bins or units of a line of `size` bytes. */
static int read_bins(fields *f, size_t size, bipe_loss_bins *bins, bipe_error *err)
{
    uint64_t count = field_uint(f, 10), listed = field_uint(f, 10);
    if (f->bad || count > BINS_MOST || listed > size)
        return BIPE_ERR_FORMAT;
    bins->bin = bipe_alloc((size_t)count, sizeof *bins->bin);
    if (bins->bin == NULL)
        return bipe_fail_memory(err);
    bins->count = bins->capacity = (size_t)count;
    for (uint64_t i = 0; i < listed && !f->bad; i++) {
        uint64_t index = field_uint(f, 10);
        bipe_loss_bin bin = { .tokens = field_uint(f, 10) };
        bin.bytes = field_uint(f, 10);
        bin.sum = field_sum(f);
        f->bad = f->bad || index >= count;
        if (!f->bad)
            bins->bin[index] = bin;
    }
    return f->bad ? BIPE_ERR_FORMAT : BIPE_OK;
}

/* The rest of a line of a part. */
static int read_part(bipe_score_journal *journal, fields *f, size_t size, bipe_error *err)
{
    bipe_score_row part = { .combination = (size_t)field_uint(f, 10) };
    part.text.hash = field_uint(f, 16);
    part.text.tokens = field_uint(f, 10);
    part.length = field_uint(f, 10);
    uint64_t first = field_uint(f, 10);
    part.losses.windows = field_uint(f, 10);
    part.losses.tokens = field_uint(f, 10);
    part.losses.bytes = field_uint(f, 10);
    part.losses.words = field_uint(f, 10);
    part.losses.sum = field_sum(f);
    int status = f->bad ? BIPE_ERR_FORMAT : read_bins(f, size, &part.bins, err);
    if (status == BIPE_OK)
        status = read_bins(f, size, &part.units, err);
    if (status == BIPE_OK && *f->at != '\0')
        status = BIPE_ERR_FORMAT;
    if (status == BIPE_OK)
        status = take_part(journal, first, &part, err);
    bipe_score_row_free(&part);
    return status;
}

/* A line without its newline, NUL-terminated. BIPE_ERR_FORMAT (without a text) when it is not whole. */
static int read_record(bipe_score_journal *journal, char *line, size_t size, bipe_error *err)
{
    char *sum = strrchr(line, ' ');
    if (strlen(line) != size || size < 5 || sum == NULL)
        return BIPE_ERR_FORMAT;
    fields check = { .at = sum };
    uint64_t checksum = field_uint(&check, 16);
    if (check.bad || checksum != bipe_hash_bytes(BIPE_HASH_EMPTY, line, (size_t)(sum - line)))
        return BIPE_ERR_FORMAT;
    *sum = '\0';
    fields f = { .at = line + 4 };
    if (strncmp(line, "part ", 5) == 0)
        return read_part(journal, &f, size, err);
    if (strncmp(line, "text ", 5) != 0)
        return BIPE_ERR_FORMAT;
    bipe_score_text text = { .hash = field_uint(&f, 16) };
    text.tokens = field_uint(&f, 10);
    const char *name = field_start(&f);
    return f.bad || strchr(name, ' ') != NULL ? BIPE_ERR_FORMAT : take_name(journal, name, &text, err);
}

static int io_error(const bipe_score_journal *journal, const char *what, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_IO, "%s: could not be %s: %s", journal->path, what, strerror(errno));
}

typedef struct journal_reader {
    bipe_score_journal *journal;
    const char *header;   /* what is still expected of it */
    bipe_buffer text;     /* read and not yet taken: the beginning of a line */
    uint64_t offset;      /* in the file: the end of the last good line */
    uint64_t line;        /* lines taken */
    bool torn;            /* the line at `offset` is not whole: it must be the last */
} journal_reader;

/* A line of the header that is not as expected. */
static int refuse_header(const journal_reader *reader, const char *line, bipe_error *err)
{
    const char *path = reader->journal->path, *expected = reader->header;
    int name = (int)strcspn(expected + strcspn(expected, " ") + 1, " \n") + 4; /* "set NAME" */
    if (reader->line == 1 && strncmp(line, first_line, sizeof first_line - 3) == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: was written by another version; delete it to start over", path);
    if (reader->line == 1)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of bipe-score", path);
    if (strncmp(line, expected, (size_t)name + 1) != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is damaged; delete the file to start over", path, reader->line);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: was written with %.*s %s, this run has %.*s; delete it to start over", path, name - 4,
                     expected + 4, line + name + 1, (int)strcspn(expected + name + 1, "\n"), expected + name + 1);
}

/* A line, NUL-terminated. */
static int take_line(journal_reader *reader, char *line, size_t size, bipe_error *err)
{
    size_t expected = strcspn(reader->header, "\n");
    if (reader->torn)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is damaged; delete the file to start over", reader->journal->path,
                         reader->line);
    reader->line++;
    int status = BIPE_OK;
    if (*reader->header == '\0')
        status = read_record(reader->journal, line, size, err);
    else if (size != expected || memcmp(line, reader->header, size) != 0)
        return refuse_header(reader, line, err);
    else
        reader->header += expected + 1;
    reader->torn = status == BIPE_ERR_FORMAT;
    return reader->torn ? BIPE_OK : status;
}

/* Takes the whole lines of the text that was read. */
static int read_lines(journal_reader *reader, bipe_error *err)
{
    size_t start = 0;
    int status = BIPE_OK;
    while (status == BIPE_OK) {
        char *line = (char *)reader->text.data + start;
        size_t rest = reader->text.size - start;
        char *end = rest == 0 ? NULL : memchr(line, '\n', rest);
        if (end == NULL) {
            if (rest > JOURNAL_LINE_LIMIT)
                status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is too long for a journal of bipe-score",
                                   reader->journal->path, reader->line + 1);
            break;
        }
        *end = '\0';
        status = take_line(reader, line, (size_t)(end - line), err);
        start += (size_t)(end - line) + 1;
        if (!reader->torn)
            reader->offset += (size_t)(end - line) + 1;
    }
    bipe_buffer_consume(&reader->text, start);
    return status;
}

static int write_all(const bipe_score_journal *journal, const void *bytes, size_t size, bipe_error *err)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(journal->fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return io_error(journal, "written", err);
        at += written;
        size -= (size_t)written;
    }
    return fsync(journal->fd) != 0 ? io_error(journal, "written", err) : BIPE_OK;
}

/* Reads the file and leaves it ending with its last good line, or with the header. */
static int read_journal(bipe_score_journal *journal, const char *header, bipe_error *err)
{
    journal_reader reader = { .journal = journal, .header = header };
    int status = BIPE_OK;
    while (status == BIPE_OK) {
        status = bipe_buffer_reserve(&reader.text, 1 << 16, err);
        if (status != BIPE_OK)
            break;
        ssize_t got = read(journal->fd, reader.text.data + reader.text.size, 1 << 16);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = io_error(journal, "read", err);
        if (got <= 0)
            break;
        reader.text.size += (size_t)got;
        status = read_lines(&reader, err);
    }
    bool begun = *reader.header == '\0';
    if (status == BIPE_OK && !begun &&
        (reader.text.size > strlen(reader.header) || memcmp(reader.text.data, reader.header, reader.text.size) != 0))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of bipe-score", journal->path);
    bool cut = reader.torn || reader.text.size > 0 || (!begun && reader.line > 0);
    if (status == BIPE_OK && cut && ftruncate(journal->fd, begun ? (off_t)reader.offset : 0) != 0)
        status = io_error(journal, "written", err);
    if (status == BIPE_OK && !begun)
        status = write_all(journal, header, strlen(header), err);
    if (status == BIPE_OK && !begun && bipe_output_sync_folder(journal->path) != 0)
        status = io_error(journal, "written", err);
    bipe_buffer_free(&reader.text);
    return status;
}

int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup, bipe_error *err)
{
    *journal = NULL;
    bipe_score_journal *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    made->fd = -1;
    made->path = bipe_strdup(path);
    int status = made->path == NULL ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK) {
        made->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
        if (made->fd < 0)
            status = io_error(made, "opened", err);
    }
    struct stat st;
    if (status == BIPE_OK && fstat(made->fd, &st) != 0)
        status = io_error(made, "opened", err);
    if (status == BIPE_OK && !S_ISREG(st.st_mode))
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: not a regular file, which a journal must be", path);
    if (status == BIPE_OK && flock(made->fd, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK ? bipe_fail(err, BIPE_ERR_IO, "%s: another run is using this journal", path)
                                      : io_error(made, "opened", err);
    if (status == BIPE_OK) {
        bipe_buffer header = { 0 };
        status = bipe_buffer_append(&header, first_line, sizeof first_line - 1, err);
        if (status == BIPE_OK)
            status = bipe_score_settings(setup, true, &header, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&header, "", 1, err);
        if (status == BIPE_OK)
            status = read_journal(made, (const char *)header.data, err);
        bipe_buffer_free(&header);
    }
    if (status != BIPE_OK) {
        bipe_score_journal_close(made);
        return status;
    }
    *journal = made;
    return BIPE_OK;
}

/* ---- use ---- */

/* Ends a line that starts at `start` of what is pending. */
static int end_line(bipe_score_journal *journal, size_t start, bipe_error *err)
{
    bipe_buffer *pending = &journal->pending;
    uint64_t checksum = bipe_hash_bytes(BIPE_HASH_EMPTY, pending->data + start, pending->size - start);
    return bipe_buffer_printf(pending, err, " %016" PRIx64 "\n", checksum);
}

/* What cannot be noted is the end of the journal: what followed would not follow on. */
static int note_failure(bipe_score_journal *journal, int status)
{
    journal->broken = journal->broken || status != BIPE_OK;
    return status;
}

int bipe_score_journal_text(bipe_score_journal *journal, const char *file, size_t tokenizer, const bipe_score_text *text, bipe_error *err)
{
    bipe_buffer name = { 0 };
    int status = bipe_buffer_printf(&name, err, "%zu:", tokenizer);
    if (status == BIPE_OK)
        status = bipe_score_escape(&name, file, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&name, "", 1, err);
    const journal_name *known = status == BIPE_OK ? find_name(journal, (const char *)name.data) : NULL;
    if (known != NULL && !same_text(&known->text, text)) {
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: is another text than the one in the journal %s; delete the journal to start over",
                           strcmp(file, "-") == 0 ? "standard input" : file, journal->path);
    } else if (status == BIPE_OK && known == NULL) {
        size_t start = journal->pending.size;
        status = bipe_buffer_printf(&journal->pending, err, "text %016" PRIx64 " %" PRIu64 " %s", text->hash, text->tokens,
                                    (const char *)name.data);
        if (status == BIPE_OK)
            status = end_line(journal, start, err);
        if (status == BIPE_OK)
            status = take_name(journal, (const char *)name.data, text, err);
        note_failure(journal, status);
    }
    bipe_buffer_free(&name);
    return status;
}

int bipe_score_journal_find(const bipe_score_journal *journal, uint64_t first, bipe_score_row *row, uint64_t *next, bipe_error *err)
{
    const journal_entry *entry = find_entry(journal, row);
    *next = first;
    if (entry == NULL || entry->first != first)
        return BIPE_OK;
    *next = entry->next;
    return bipe_score_row_merge(row, &entry->sum, err);
}

static int write_bins(bipe_buffer *to, const bipe_loss_bins *bins, bipe_error *err)
{
    char sum[BIPE_EXACT_SIZE];
    size_t listed = 0;
    for (size_t i = 0; i < bins->count; i++)
        listed += bins->bin[i].tokens > 0;
    int status = bipe_buffer_printf(to, err, " %zu %zu", bins->count, listed);
    for (size_t i = 0; status == BIPE_OK && i < bins->count; i++)
        if (bins->bin[i].tokens > 0)
            status = bipe_buffer_printf(to, err, " %zu %" PRIu64 " %" PRIu64 " %s", i, bins->bin[i].tokens, bins->bin[i].bytes,
                                        bipe_exact_format(bins->bin[i].sum, sum));
    return status;
}

int bipe_score_journal_add(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err)
{
    if (journal->broken)
        return BIPE_OK; /* said before */
    const bipe_losses *losses = &part->losses;
    char sum[BIPE_EXACT_SIZE];
    bipe_buffer *pending = &journal->pending;
    size_t start = pending->size;
    int status = bipe_buffer_printf(pending, err,
                                    "part %zu %016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                                    " %" PRIu64 " %s",
                                    part->combination, part->text.hash, part->text.tokens, part->length, first, losses->windows,
                                    losses->tokens, losses->bytes, losses->words, bipe_exact_format(losses->sum, sum));
    if (status == BIPE_OK)
        status = write_bins(pending, &part->bins, err);
    if (status == BIPE_OK)
        status = write_bins(pending, &part->units, err);
    if (status == BIPE_OK)
        status = end_line(journal, start, err);
    if (status == BIPE_OK)
        status = take_part(journal, first, part, err);
    return note_failure(journal, status);
}

int bipe_score_journal_commit(bipe_score_journal *journal, bipe_error *err)
{
    if (journal->broken)
        return BIPE_OK;
    int status = write_all(journal, journal->pending.data, journal->pending.size, err);
    journal->pending.size = 0;
    return note_failure(journal, status);
}

void bipe_score_journal_close(bipe_score_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    for (size_t i = 0; i < journal->count; i++)
        bipe_score_row_free(&journal->entry[i].sum);
    for (size_t i = 0; i < journal->name_count; i++)
        bipe_free(journal->name[i].name);
    bipe_free(journal->entry);
    bipe_free(journal->name);
    bipe_buffer_free(&journal->pending);
    bipe_free(journal->path);
    bipe_free(journal);
}
