/* journal.c - the file of --resume; see journal.h. */
#include "cli/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/hash.h"
#include "base/output.h"
#include "cli/tool_alloc.h"

/* A line with the bins of a window of 1 Mi tokens stays far below. */
enum { JOURNAL_LINE_LIMIT = 1 << 28 };

struct bipe_journal {
    char *path;
    int fd;
    off_t size;           /* of the file: what this run read and wrote */
    bool broken;          /* something could not be written, or noted */
    bipe_output *pending; /* lines that are to be written */
    size_t start;         /* of the last one in it */
    const char *header;   /* while it is opened */
    bipe_journal_take *take;
    void *context;
};

/* The tool that the header names: "TOOL-journal N". */
static int tool_size(const bipe_journal *journal)
{
    const char *end = strstr(journal->header, "-journal");
    return end != NULL ? (int)(end - journal->header) : 0;
}

/* ---- fields ---- */

const char *bipe_field_start(bipe_fields *f)
{
    if (f->at[0] != ' ' || f->at[1] == ' ' || f->at[1] == '\0') {
        f->bad = true;
        return "";
    }
    return f->at + 1;
}

uint64_t bipe_field_uint(bipe_fields *f, int base)
{
    const char *start = bipe_field_start(f);
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

void bipe_field_text(bipe_fields *f, char *text, size_t capacity)
{
    const char *start = bipe_field_start(f);
    size_t size = strcspn(start, " ");
    if (f->bad || size >= capacity) {
        f->bad = true;
        return;
    }
    memcpy(text, start, size);
    text[size] = '\0';
    f->at = start + size;
}

/* ---- reading ---- */

/* A line without its newline, NUL-terminated. BIPE_ERR_FORMAT (without a text) when it is not whole. */
static int read_record(const bipe_journal *journal, char *line, size_t size, bipe_error *err)
{
    char *sum = strrchr(line, ' ');
    if (strlen(line) != size || sum == NULL)
        return BIPE_ERR_FORMAT;
    bipe_fields check = { .at = sum };
    uint64_t checksum = bipe_field_uint(&check, 16);
    if (check.bad || checksum != bipe_hash_bytes(BIPE_HASH_EMPTY, line, (size_t)(sum - line)))
        return BIPE_ERR_FORMAT;
    *sum = '\0';
    return journal->take(journal->context, line, (size_t)(sum - line), err);
}

static int io_error(const bipe_journal *journal, const char *what, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_IO, "%s: could not be %s: %s", journal->path, what, strerror(errno));
}

typedef struct journal_reader {
    bipe_journal *journal;
    const char *header;   /* what is still expected of it */
    bipe_buffer text;     /* read and not yet taken: the beginning of a line */
    uint64_t offset;      /* in the file: the end of the last good line */
    uint64_t line;        /* lines taken */
    bool torn;            /* the line at `offset` is not whole: it must be the last */
} journal_reader;

/* Of another number of models there are more lines of settings, or fewer. */
static int refuse_others(const journal_reader *reader, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: was written with more or fewer models than this run has; name another "
                     "file, or delete it to start over", reader->journal->path);
}

/* A line of the header that is not as expected. */
static int refuse_header(const journal_reader *reader, const char *line, bipe_error *err)
{
    const char *path = reader->journal->path, *expected = reader->header;
    int name = (int)strcspn(expected + strcspn(expected, " ") + 1, " \n") + 4; /* "set NAME" */
    if (reader->line == 1 && strncmp(line, expected, strcspn(expected, " ") + 1) == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: was written by another version; delete it to start over", path);
    if (reader->line == 1)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of %.*s", path, tool_size(reader->journal), expected);
    if (strncmp(line, expected, (size_t)name + 1) != 0 && strncmp(line, "set ", 4) == 0)
        return refuse_others(reader, err);
    if (strncmp(line, expected, (size_t)name + 1) != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is damaged; delete the file to start over", path,
                         reader->line);
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: was written with %.*s %s, this run has %.*s; name another file, or "
                     "delete it to start over",
                     path, name - 4, expected + 4, line + name + 1, (int)strcspn(expected + name + 1, "\n"),
                     expected + name + 1);
}

/* A line, NUL-terminated. */
static int take_line(journal_reader *reader, char *line, size_t size, bipe_error *err)
{
    size_t expected = strcspn(reader->header, "\n");
    if (reader->torn)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is damaged; delete the file to start over",
                         reader->journal->path, reader->line);
    reader->line++;
    int status = BIPE_OK;
    if (*reader->header == '\0' && strncmp(line, "set ", 4) == 0)
        return refuse_others(reader, err);
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
                status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %" PRIu64 " is too long for a journal",
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

/* Another run must not have written meanwhile, which the lock prevents where there are locks. */
static int write_bytes(bipe_journal *journal, const void *bytes, size_t size, bipe_error *err)
{
    struct stat st;
    if (fstat(journal->fd, &st) == 0 && st.st_size != journal->size)
        return bipe_fail(err, BIPE_ERR_IO, "%s: another run has written to this journal, expected this one alone",
                         journal->path);
    journal->size += (off_t)size;
    return bipe_descriptor_write(journal->fd, bytes, size) != 0 || fsync(journal->fd) != 0
               ? io_error(journal, "written", err)
               : BIPE_OK;
}

/* Reads the file and leaves it ending with its last good line, or with the header. */
static int read_journal(bipe_journal *journal, bipe_error *err)
{
    const char *header = journal->header;
    journal_reader reader = { .journal = journal, .header = header };
    int status = BIPE_OK;
    while (status == BIPE_OK) {
        status = bipe_buffer_reserve(&reader.text, 1 << 16, err);
        if (status != BIPE_OK)
            break;
        ssize_t got = bipe_descriptor_read(journal->fd, reader.text.data + reader.text.size, 1 << 16);
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
        status =
            bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a journal of %.*s", journal->path, tool_size(journal), header);
    bool cut = reader.torn || reader.text.size > 0 || (!begun && reader.line > 0);
    journal->size = begun ? (off_t)reader.offset : 0;
    if (status == BIPE_OK && cut && ftruncate(journal->fd, journal->size) != 0)
        status = io_error(journal, "written", err);
    if (status == BIPE_OK && !begun)
        status = write_bytes(journal, header, strlen(header), err);
    if (status == BIPE_OK && !begun && bipe_output_sync_folder(journal->path) != 0)
        status = io_error(journal, "written", err);
    bipe_buffer_free(&reader.text);
    return status;
}

/* Some file systems of clusters are mounted without locks. */
static bool has_no_locks(int error)
{
    return error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK;
}

/* Opens the file, which belongs to this run alone from then on. */
static int open_journal_file(bipe_journal *journal, bipe_error *err)
{
    struct stat st;
    journal->fd = bipe_descriptor_open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_NOCTTY, 0666);
    if (journal->fd < 0 || fstat(journal->fd, &st) != 0)
        return io_error(journal, "opened", err);
    if (!S_ISREG(st.st_mode))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: not a regular file, which a journal must be", journal->path);
    if (flock(journal->fd, LOCK_EX | LOCK_NB) == 0 || has_no_locks(errno))
        return BIPE_OK;
    return errno == EWOULDBLOCK ? bipe_fail(err, BIPE_ERR_IO, "%s: another run is using this journal", journal->path)
                                : io_error(journal, "opened", err);
}

int bipe_journal_open(bipe_journal **journal, const char *path, bipe_output *header, bipe_journal_take *take,
                      void *context, bipe_error *err)
{
    bipe_journal *made = *journal = bipe_tool_alloc(1, sizeof *made);
    *made = (bipe_journal){ .path = bipe_tool_strdup(path), .fd = -1, .take = take, .context = context };
    int status = bipe_output_write(header, "", 1, err);
    if (status == BIPE_OK) {
        made->header = (const char *)bipe_output_kept(header)->data;
        status = bipe_output_open_memory(&made->pending, err);
    }
    if (status == BIPE_OK)
        status = open_journal_file(made, err);
    if (status == BIPE_OK)
        status = read_journal(made, err);
    bipe_output_abandon(header);
    if (status != BIPE_OK) {
        bipe_journal_close(made);
        *journal = NULL;
    }
    return status;
}

const char *bipe_journal_path(const bipe_journal *journal)
{
    return journal->path;
}

/* ---- settings ---- */

static uint64_t hash_stat(uint64_t hash, const struct stat *st)
{
    hash = bipe_hash_uint(hash, (uint64_t)st->st_size);
    hash = bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_sec);
    return bipe_hash_uint(hash, (uint64_t)st->st_mtim.tv_nsec);
}

uint64_t bipe_journal_model_state(const char *path)
{
    struct stat st;
    uint64_t hash = BIPE_HASH_EMPTY;
    if (stat(path, &st) != 0)
        return hash;
    if (!S_ISDIR(st.st_mode))
        return hash_stat(hash, &st);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return hash;
    for (struct dirent *file; (file = readdir(folder)) != NULL;)
        if (fstatat(dirfd(folder), file->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            hash += hash_stat(bipe_hash_bytes(BIPE_HASH_EMPTY, file->d_name, strlen(file->d_name) + 1), &st);
    closedir(folder);
    return hash;
}

void bipe_journal_escape(bipe_output *line, const void *text, size_t size)
{
    const unsigned char *at = text;
    for (size_t i = 0; i < size; i++)
        bipe_output_printf(line, NULL, at[i] <= ' ' || at[i] == '%' || at[i] == 0x7f ? "%%%02X" : "%c", at[i]);
}

int bipe_journal_unescape(bipe_buffer *text, const char *escaped, bipe_error *err)
{
    int status = BIPE_OK;
    for (; *escaped != '\0' && status == BIPE_OK; escaped++) {
        unsigned char byte = (unsigned char)*escaped;
        if (byte == '%') {
            const char digits[3] = { escaped[1], escaped[1] != '\0' ? escaped[2] : '\0', '\0' };
            if (strspn(digits, "0123456789ABCDEF") != 2)
                return BIPE_ERR_FORMAT;
            byte = (unsigned char)strtoul(digits, NULL, 16);
            escaped += 2;
        }
        status = bipe_buffer_append(text, &byte, 1, err);
    }
    return status;
}

void bipe_journal_setting(bipe_output *header, const char *name, const char *value)
{
    bipe_output_printf(header, NULL, "set %s ", name);
    bipe_journal_escape(header, value, strlen(value));
    bipe_output_write(header, "\n", 1, NULL);
}

/* ---- writing ---- */

bipe_output *bipe_journal_line(bipe_journal *journal)
{
    journal->start = bipe_output_kept(journal->pending)->size;
    return journal->pending;
}

int bipe_journal_end(bipe_journal *journal, bipe_error *err)
{
    const bipe_buffer *kept = bipe_output_kept(journal->pending);
    uint64_t checksum = bipe_hash_bytes(BIPE_HASH_EMPTY, kept->data + journal->start, kept->size - journal->start);
    return bipe_journal_fail(journal, bipe_output_printf(journal->pending, err, " %016" PRIx64 "\n", checksum));
}

int bipe_journal_fail(bipe_journal *journal, int status)
{
    journal->broken = journal->broken || status != BIPE_OK;
    return status;
}

bool bipe_journal_failed(const bipe_journal *journal)
{
    return journal->broken;
}

int bipe_journal_commit(bipe_journal *journal, bipe_error *err)
{
    if (journal->broken)
        return BIPE_OK; /* said before */
    int status =
        write_bytes(journal, bipe_output_kept(journal->pending)->data, bipe_output_kept(journal->pending)->size, err);
    bipe_output_forget(journal->pending);
    return bipe_journal_fail(journal, status);
}

void bipe_journal_close(bipe_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    bipe_output_abandon(journal->pending);
    bipe_free(journal->path);
    bipe_free(journal);
}
