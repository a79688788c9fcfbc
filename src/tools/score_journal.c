/* score_journal.c - the file of --resume: finished rows, so that a run that was cut short goes on where it stopped.
 *
 * Text, a line a row, each with a checksum at its end and synced before the next is scored:
 *   bipe-score-journal 1 SETUP
 *   row HASH TOKENS LENGTH WINDOWS SCORED BYTES WORDS SUM MEAN SQUARES BINS [INDEX TOKENS SUM]... CHECKSUM
 * Sums are hexadecimal floating-point numbers: nothing is lost. A torn last line is cut off. */
#include <dirent.h>
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
#include "config.h"
#include "tools/bipe_score.h"

/* A line with the bins of a window of 1 Mi tokens stays far below. */
enum { JOURNAL_LINE_LIMIT = 1 << 28 };

typedef struct journal_entry {
    bipe_score_key key;
    bipe_losses losses;
    bipe_loss_bins bins;
} journal_entry;

struct bipe_score_journal {
    char *path;
    int fd;
    bool broken; /* a line could not be written */
    journal_entry *entry;
    size_t count, capacity;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return bipe_hash_bytes(hash, text, strlen(text) + 1);
}

/* ---- what the rows depend on ---- */

static uint64_t hash_stat(uint64_t hash, const struct stat *st)
{
    hash = bipe_hash_uint(hash, (uint64_t)st->st_size);
    hash = bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_sec);
    return bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_nsec);
}

/* Name, size and time of the model's file, or of the files of its folder (added up: their order is the system's). */
static uint64_t model_identity(const char *path)
{
    struct stat st;
    uint64_t hash = hash_text(BIPE_HASH_EMPTY, path);
    if (stat(path, &st) != 0)
        return hash;
    if (!S_ISDIR(st.st_mode))
        return hash_stat(hash, &st);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return hash;
    for (struct dirent *file; (file = readdir(folder)) != NULL;)
        if (fstatat(dirfd(folder), file->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            hash += hash_stat(hash_text(BIPE_HASH_EMPTY, file->d_name), &st);
    closedir(folder);
    return hash;
}

static uint64_t setup_hash(const bipe_score_setup *setup)
{
    char scheme[256], scaling[BIPE_SCALING_TEXT];
    uint64_t hash = hash_text(BIPE_HASH_EMPTY, PACKAGE_VERSION);
    hash = bipe_hash_uint(hash, model_identity(setup->model_path));
    hash = hash_text(hash, bipe_scheme_format(&setup->scheme, scheme));
    hash = hash_text(hash, bipe_rope_scaling_format(&setup->scaling, scaling));
    hash = hash_text(hash, setup->tokenizer);
    hash = hash_text(hash, setup->segmenter);
    hash = hash_text(hash, setup->protocol);
    hash = bipe_hash_uint(hash, setup->bos);
    hash = bipe_hash_uint(hash, (uint64_t)setup->bos_id);
    hash = bipe_hash_uint(hash, setup->count_bos);
    hash = bipe_hash_uint(hash, setup->stride);
    hash = bipe_hash_uint(hash, setup->tail);
    hash = bipe_hash_uint(hash, setup->precision);
    hash = bipe_hash_uint(hash, setup->seed);
    return bipe_hash_uint(hash, setup->by);
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

static double field_number(fields *f)
{
    const char *start = field_start(f);
    char *end;
    if (f->bad)
        return 0;
    double value = strtod(start, &end);
    f->bad = f->bad || end == start || (*end != ' ' && *end != '\0');
    f->at = end;
    return value;
}

/* A line without its newline, NUL-terminated. BIPE_ERR_FORMAT (without a text) when it is not whole. */
static int read_entry(journal_entry *entry, char *line, size_t size, bipe_error *err)
{
    *entry = (journal_entry){ 0 };
    char *sum = strrchr(line, ' ');
    if (strlen(line) != size || strncmp(line, "row ", 4) != 0 || sum == NULL)
        return BIPE_ERR_FORMAT;
    fields check = { .at = sum };
    uint64_t checksum = field_uint(&check, 16);
    if (check.bad || checksum != bipe_hash_bytes(BIPE_HASH_EMPTY, line, (size_t)(sum - line)))
        return BIPE_ERR_FORMAT;
    *sum = '\0';
    fields f = { .at = line + 3 };
    entry->key.hash = field_uint(&f, 16);
    entry->key.tokens = field_uint(&f, 10);
    entry->key.length = field_uint(&f, 10);
    entry->losses.windows = field_uint(&f, 10);
    entry->losses.tokens = field_uint(&f, 10);
    entry->losses.bytes = field_uint(&f, 10);
    entry->losses.words = field_uint(&f, 10);
    entry->losses.sum = field_number(&f);
    entry->losses.mean = field_number(&f);
    entry->losses.squares = field_number(&f);
    uint64_t bins = field_uint(&f, 10);
    if (f.bad || bins > size)
        return BIPE_ERR_FORMAT;
    if (bins > 0) {
        entry->bins.bin = bipe_alloc((size_t)bins, sizeof *entry->bins.bin);
        if (entry->bins.bin == NULL)
            return bipe_fail_memory(err);
        entry->bins.count = entry->bins.capacity = (size_t)bins;
    }
    while (*f.at != '\0' && !f.bad) {
        uint64_t index = field_uint(&f, 10), tokens = field_uint(&f, 10);
        double loss = field_number(&f);
        f.bad = f.bad || index >= bins;
        if (!f.bad)
            entry->bins.bin[index] = (bipe_loss_bin){ .tokens = tokens, .sum = loss };
    }
    if (!f.bad)
        return BIPE_OK;
    bipe_loss_bins_free(&entry->bins);
    return BIPE_ERR_FORMAT;
}

static int io_error(const bipe_score_journal *journal, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_IO, "%s: %s", journal->path, strerror(errno));
}

typedef struct journal_reader {
    bipe_score_journal *journal;
    bipe_buffer text;     /* read and not yet taken: the beginning of a line */
    uint64_t offset;      /* in the file: the end of the last good line */
    uint64_t line;        /* lines taken */
    bool torn;            /* the line at `offset` is not whole: it must be the last */
} journal_reader;

/* Takes the whole lines of the text that was read. */
static int read_lines(journal_reader *reader, const char *header, bipe_error *err)
{
    bipe_score_journal *journal = reader->journal;
    size_t start = 0;
    for (;;) {
        char *line = (char *)reader->text.data + start;
        size_t rest = reader->text.size - start;
        char *end = rest == 0 ? NULL : memchr(line, '\n', rest);
        if (end == NULL) {
            if (rest > JOURNAL_LINE_LIMIT)
                return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is too long for a journal of bipe-score",
                                 journal->path, reader->line + 1);
            break;
        }
        size_t size = (size_t)(end - line);
        *end = '\0';
        reader->line++;
        if (reader->torn)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is damaged; remove the file to start afresh",
                             journal->path, reader->line - 1);
        if (reader->line == 1) {
            if (strncmp(line, "bipe-score-journal ", 19) != 0)
                return bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of bipe-score", journal->path);
            if (size + 1 != strlen(header) || strncmp(line, header, size) != 0)
                return bipe_fail(err, BIPE_ERR_ARGUMENT,
                                 "%s: was written for another model or with other options; remove it to start afresh",
                                 journal->path);
        } else {
            if (bipe_grow(&journal->entry, &journal->capacity, journal->count + 1, sizeof *journal->entry) != 0)
                return bipe_fail_memory(err);
            int status = read_entry(&journal->entry[journal->count], line, size, err);
            if (status == BIPE_OK)
                journal->count++;
            else if (status == BIPE_ERR_FORMAT)
                reader->torn = true;
            else
                return status;
        }
        start += size + 1;
        if (!reader->torn)
            reader->offset += size + 1;
    }
    bipe_buffer_consume(&reader->text, start);
    return BIPE_OK;
}

static int write_all(const bipe_score_journal *journal, const void *bytes, size_t size, bipe_error *err)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(journal->fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return io_error(journal, err);
        at += written;
        size -= (size_t)written;
    }
    return fsync(journal->fd) != 0 ? io_error(journal, err) : BIPE_OK;
}

/* Reads the file and leaves it ending with its last good line; an empty one gets the header. */
static int read_journal(bipe_score_journal *journal, const char *header, bipe_error *err)
{
    journal_reader reader = { .journal = journal };
    int status = BIPE_OK;
    while (status == BIPE_OK) {
        status = bipe_buffer_reserve(&reader.text, 1 << 16, err);
        if (status != BIPE_OK)
            break;
        ssize_t got = read(journal->fd, reader.text.data + reader.text.size, 1 << 16);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = io_error(journal, err);
        if (got <= 0)
            break;
        reader.text.size += (size_t)got;
        status = read_lines(&reader, header, err);
    }
    if (status == BIPE_OK && reader.line == 0 &&
        (reader.text.size > strlen(header) || memcmp(reader.text.data, header, reader.text.size) != 0))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of bipe-score", journal->path);
    if (status == BIPE_OK && (reader.torn || reader.text.size > 0) && ftruncate(journal->fd, (off_t)reader.offset) != 0)
        status = io_error(journal, err);
    if (status == BIPE_OK && reader.line == 0)
        status = write_all(journal, header, strlen(header), err);
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
            status = io_error(made, err);
    }
    struct stat st;
    if (status == BIPE_OK && fstat(made->fd, &st) != 0)
        status = io_error(made, err);
    if (status == BIPE_OK && !S_ISREG(st.st_mode))
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: not a regular file, which a journal must be", path);
    if (status == BIPE_OK && flock(made->fd, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK ? bipe_fail(err, BIPE_ERR_IO, "%s: another run is using this journal", path)
                                      : io_error(made, err);
    if (status == BIPE_OK) {
        char header[64];
        snprintf(header, sizeof header, "bipe-score-journal 1 %016" PRIx64 "\n", setup_hash(setup));
        status = read_journal(made, header, err);
    }
    if (status != BIPE_OK) {
        bipe_score_journal_close(made);
        return status;
    }
    *journal = made;
    return BIPE_OK;
}

int bipe_score_journal_find(const bipe_score_journal *journal, const bipe_score_key *key, bipe_losses *losses,
                            bipe_loss_bins *bins, bipe_error *err)
{
    for (size_t i = 0; i < journal->count; i++) {
        const journal_entry *entry = &journal->entry[i];
        if (entry->key.hash != key->hash || entry->key.tokens != key->tokens || entry->key.length != key->length)
            continue;
        *losses = entry->losses;
        return bipe_loss_bins_merge(bins, &entry->bins, err);
    }
    return BIPE_END;
}

int bipe_score_journal_add(bipe_score_journal *journal, const bipe_score_key *key, const bipe_score_row *row,
                           bipe_error *err)
{
    if (journal->broken)
        return BIPE_OK; /* said before */
    const bipe_losses *losses = &row->losses;
    bipe_buffer line = { 0 };
    int status = bipe_buffer_printf(&line, err,
                                    "row %016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                                    " %" PRIu64 " %a %a %a %zu",
                                    key->hash, key->tokens, key->length, losses->windows, losses->tokens, losses->bytes,
                                    losses->words, losses->sum, losses->mean, losses->squares, row->bins.count);
    for (size_t i = 0; status == BIPE_OK && i < row->bins.count; i++)
        if (row->bins.bin[i].tokens > 0)
            status = bipe_buffer_printf(&line, err, " %zu %" PRIu64 " %a", i, row->bins.bin[i].tokens, row->bins.bin[i].sum);
    if (status == BIPE_OK)
        status = bipe_buffer_printf(&line, err, " %016" PRIx64 "\n", bipe_hash_bytes(BIPE_HASH_EMPTY, line.data, line.size));
    if (status == BIPE_OK)
        status = write_all(journal, line.data, line.size, err);
    bipe_buffer_free(&line);
    journal->broken = status != BIPE_OK;
    return status;
}

void bipe_score_journal_close(bipe_score_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    for (size_t i = 0; i < journal->count; i++)
        bipe_loss_bins_free(&journal->entry[i].bins);
    bipe_free(journal->entry);
    bipe_free(journal->path);
    bipe_free(journal);
}
