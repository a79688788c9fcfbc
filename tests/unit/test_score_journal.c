/* test_score_journal.c - batches of windows come back from the journal of bipe-score to the last bit, whatever a kill
 * left of it. */
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/no_memory.h"
#include "tools/score/bipe_score.h"

/* Instead of the system's: fails as told. */
static int lock_error;

int flock(int fd, int operation)
{
    errno = lock_error;
    return lock_error != 0 ? -1 : (int)syscall(SYS_flock, fd, operation);
}

enum { ROWS = 6, CONTENT_MOST = 1 << 16 };

static char folder[64], path[128];
static bipe_score_row row[ROWS]; /* parts: rows 2 and 5 follow on rows 1 and 4 */
static uint64_t first[ROWS];
static bipe_hyperparameters hyperparameters;
static bipe_sizes lengths;
static bipe_score_combination combination = {
    .model_path = "/nowhere/model.bin", .hyperparameters = &hyperparameters, .tokenizer = "byte", .segmenter = "stop",
    .bos_id = 1,
};

static bipe_score_setup make_setup(void)
{
    return (bipe_score_setup){.combination = &combination, .combinations = 1, .lengths = &lengths,
                              .by = BIPE_SCORE_BY_INTRA};
}

static bool follows(int r)
{
    return r % 3 == 2;
}

static void make_rows(void)
{
    uint64_t seed = 9;
    bipe_error err = {0};
    for (int r = 0; r < ROWS; r++) {
        row[r].file = "some file\n";
        row[r].losses.windows = 1 + test_random(&seed) % 1000;
        for (int t = 0; t < 100; t++) {
            double nll = (double)test_random(&seed) / 1e18;
            bipe_losses_add(&row[r].losses, nll, 3, 1);
            CHECK(bipe_loss_bins_add(&row[r].bins, test_random(&seed) % 40, nll, 3, &err) == BIPE_OK);
            CHECK(bipe_loss_bins_add(&row[r].units, 5 + test_random(&seed) % 3, nll, 3, &err) == BIPE_OK);
        }
        row[r].length = (uint64_t)256 << r;
        row[r].text = (bipe_score_text){ .hash = test_random(&seed), .tokens = 1000 + (uint64_t)r };
        first[r] = test_random(&seed) % 7;
        if (follows(r)) {
            row[r].length = row[r - 1].length;
            row[r].text = row[r - 1].text;
            first[r] = first[r - 1] + row[r - 1].losses.windows;
        }
    }
}

static size_t read_content(uint8_t *content)
{
    FILE *file = fopen(path, "rb");
    size_t size = file == NULL ? 0 : fread(content, 1, CONTENT_MOST, file);
    if (file != NULL)
        fclose(file);
    return size;
}

static void write_content(const uint8_t *content, size_t size)
{
    unlink(path); /* a file that is overwritten would be written to the disk at once */
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static uint64_t synced_size;

static bool synced_folder;

static void look_at_folder(int fd)
{
    struct stat now;
    synced_folder = synced_folder || (fstat(fd, &now) == 0 && S_ISDIR(now.st_mode));
}

static void look_at_sync(int fd)
{
    struct stat now;
    CHECK(fstat(fd, &now) == 0 && S_ISREG(now.st_mode));
    synced_size = (uint64_t)now.st_size;
}

/* The number of parts that are found, each the same to the last bit. */
static int find_rows(const bipe_score_journal *journal)
{
    int found = 0;
    for (int r = 0; r < ROWS; r++) {
        if (follows(r))
            continue;
        bipe_score_row got = { .length = row[r].length, .text = row[r].text }, want = got;
        uint64_t next;
        bipe_score_journal_find(journal, first[r], &got, &next);
        for (int k = r; k < ROWS && (k == r || follows(k)) && next > first[k]; k++) {
            bipe_score_row_merge(&want, &row[k]);
            found++;
        }
        CHECK_UINT(got.losses.windows, next - first[r]);
        CHECK(memcmp(&got.losses, &want.losses, sizeof want.losses) == 0);
        CHECK_UINT(got.bins.count, want.bins.count);
        for (size_t i = 0; i < got.bins.count && i < want.bins.count; i++)
            CHECK(got.bins.bin[i].tokens == want.bins.bin[i].tokens && got.bins.bin[i].sum == want.bins.bin[i].sum);
        CHECK_UINT(got.units.count, want.units.count);
        for (size_t i = 0; i < got.units.count && i < want.units.count; i++)
            CHECK(memcmp(&got.units.bin[i], &want.units.bin[i], sizeof want.units.bin[i]) == 0);
        bipe_score_journal_find(journal, first[r] + 1, &got, &next);
        CHECK(next == first[r] + 1);
        bipe_score_row_free(&got);
        bipe_score_row_free(&want);
    }
    return found;
}

static int add(bipe_score_journal *journal, int r)
{
    bipe_error err = {0};
    int status = bipe_score_journal_add(journal, first[r], &row[r], &err);
    return status == BIPE_OK ? bipe_score_journal_commit(journal, &err) : status;
}

static int open_and_count(const bipe_score_setup *setup, int *found, bipe_error *err)
{
    bipe_score_journal *journal;
    int status = bipe_score_journal_open(&journal, path, setup, err);
    *found = status == BIPE_OK ? find_rows(journal) : 0;
    bipe_score_journal_close(journal);
    return status;
}

static int open_without_memory(void *setup)
{
    bipe_tool tool;
    bipe_score_journal *journal;
    bipe_error err = {0};
    bipe_tool_start(&tool, "test");
    bipe_alloc_fail_at(no_memory_at);
    int status = bipe_score_journal_open(&journal, path, setup, &err);
    bipe_alloc_fail_at(-1);
    bipe_score_journal_close(journal);
    return status == BIPE_OK ? NO_MEMORY_DONE : status == BIPE_ERR_MEMORY ? NO_MEMORY_LIBRARY : NO_MEMORY_WRONG;
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/bipe-journal-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/journal", folder);
    make_rows();
    bipe_score_setup setup = make_setup();
    bipe_error err = {0};
    bipe_score_journal *journal, *second;
    static uint8_t content[CONTENT_MOST];
    int found;

    /* Row by row, opened anew each time. */
    for (int r = 0; r < ROWS; r++) {
        test_on_sync = look_at_folder;
        CHECK(bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK);
        CHECK(synced_folder); /* when it was made */
        CHECK(find_rows(journal) == r);
        CHECK(bipe_score_journal_open(&second, path, &setup, &err) == BIPE_ERR_IO); /* two runs at once */
        synced_size = 0;
        test_on_sync = look_at_sync;
        CHECK(add(journal, r) == BIPE_OK);
        CHECK(find_rows(journal) == r + 1);
        test_on_sync = NULL;
        CHECK_UINT(synced_size, read_content(content)); /* with the whole part: it is safe, whatever happens then */
        bipe_score_journal_close(journal);
    }
    CHECK(open_and_count(&setup, &found, &err) == BIPE_OK && found == ROWS);

    /* Without locks there may be two runs at once, of which neither adds to what the other wrote. */
    static uint8_t after[CONTENT_MOST];
    size_t size = read_content(content);
    static const int lockless[] = {ENOSYS, EOPNOTSUPP, ENOLCK};
    for (size_t i = 0; i < sizeof lockless / sizeof lockless[0]; i++) {
        write_content(content, 0);
        lock_error = lockless[i];
        CHECK(bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK);
        CHECK(bipe_score_journal_open(&second, path, &setup, &err) == BIPE_OK);
        CHECK(add(journal, 0) == BIPE_OK && add(journal, 1) == BIPE_OK);
        CHECK(bipe_score_journal_add(second, first[0], &row[0], &err) == BIPE_OK);
        CHECK(bipe_score_journal_commit(second, &err) == BIPE_ERR_IO);
        CHECK(strstr(err.text, "another run has written to this journal") != NULL);
        CHECK(add(second, 1) == BIPE_OK); /* said once */
        CHECK(add(journal, 2) == BIPE_OK);
        bipe_score_journal_close(second);
        bipe_score_journal_close(journal);
        CHECK(open_and_count(&setup, &found, &err) == BIPE_OK && found == 3);
    }
    lock_error = EIO;
    CHECK(open_and_count(&setup, &found, &err) == BIPE_ERR_IO);
    lock_error = 0;
    write_content(content, size);

    /* Cut anywhere, it holds the parts that were whole, and takes more. */
    int header = 0, all = 0;
    for (size_t i = 0; i < size; i++)
        all += content[i] == '\n';
    header = all - ROWS;
    CHECK(header == 25); /* 1, the version, 7 of the combination, 16 of the run */
    CHECK(size > 1000 && size < CONTENT_MOST);
    size_t step = test_all_rounds() ? 1 : 7;
    for (size_t cut = 0; cut <= size; cut += step) {
        write_content(content, cut);
        int lines = 0;
        for (size_t i = 0; i < cut; i++)
            lines += content[i] == '\n';
        err = (bipe_error){0};
        CHECKF(open_and_count(&setup, &found, &err) == BIPE_OK, "cut at %zu: %s", cut, err.text);
        CHECK(found == (lines < header ? 0 : lines - header));
        if (cut / step % 97 == 0 && lines < all) {
            int next = lines < header ? 0 : lines - header;
            CHECK(bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK);
            CHECK(add(journal, next) == BIPE_OK);
            bipe_score_journal_close(journal);
            CHECK(open_and_count(&setup, &found, &err) == BIPE_OK && found == next + 1);
        }
    }

    /* A changed byte is an error, or costs the last row (two when it joined them); it never changes a number. The case
     * of a letter of a checksum is no change. */
    for (size_t at = 0; at < size; at += step) {
        memcpy(after, content, size);
        after[at] ^= (uint8_t)(1 + at % 255);
        write_content(after, size);
        int status = open_and_count(&setup, &found, &err);
        if (status == BIPE_OK)
            CHECK(found == ROWS - 1 || (found == ROWS && (content[at] ^ after[at]) == 0x20) ||
                  (found == ROWS - 2 && content[at] == '\n'));
        else
            CHECK(status == BIPE_ERR_FORMAT);
    }

    /* Parts that do not follow on one another; a name whose text has changed. */
    write_content(content, size);
    CHECK(bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK);
    CHECK(bipe_score_journal_add(journal, first[1], &row[1], &err) != BIPE_OK);
    CHECK(bipe_score_journal_add(journal, first[1], &row[1], &err) == BIPE_OK); /* reported once */
    CHECK(bipe_score_journal_commit(journal, &err) == BIPE_OK);
    CHECK_UINT(read_content(after), size);
    bipe_score_journal_close(journal);
    for (int time = 0; time < 2; time++) {
        CHECK(bipe_score_journal_open(&journal, path, &setup, &err) == BIPE_OK);
        CHECK(bipe_score_journal_text(journal, "a b%\n", 0, &row[0].text, &err) == BIPE_OK);
        CHECK(bipe_score_journal_text(journal, "a b%\n", 0, &row[0].text, &err) == BIPE_OK);
        CHECK(bipe_score_journal_text(journal, "a b%\n", 1, &row[1].text, &err) ==
              BIPE_OK); /* under another tokenizer */
        CHECK(bipe_score_journal_text(journal, "other", 0, &row[0].text, &err) == BIPE_OK);
        CHECK(bipe_score_journal_text(journal, "a b%\n", 0, &row[1].text, &err) == BIPE_ERR_ARGUMENT);
        CHECK(strstr(err.text, "differs from the text recorded in journal") != NULL);
        CHECK(bipe_score_journal_commit(journal, &err) == BIPE_OK);
        CHECK(find_rows(journal) == ROWS);
        bipe_score_journal_close(journal);
    }

    /* Other options, another model, another kind of file. */
    write_content(content, size);
    bipe_score_setup other = setup;
    other.rules.tail = true;
    CHECK(open_and_count(&other, &found, &err) == BIPE_ERR_FORMAT);
    CHECK(strstr(err.text, "was written with tail no, this run has yes") != NULL);
    other = setup;
    bipe_score_combination another = combination;
    another.model_path = folder;
    other.combination = &another;
    CHECK(open_and_count(&other, &found, &err) == BIPE_ERR_FORMAT);
    bipe_score_combination both[] = { combination, combination };
    other = setup;
    other.combination = both;
    other.combinations = 2;
    CHECK(open_and_count(&other, &found, &err) != BIPE_OK);
    CHECK_UINT(read_content(after), size);
    CHECK(memcmp(content, after, size) == 0);
    static const uint8_t letter[] = "Dear Sir,\nyours\n", short_letter[] = "Dear";
    write_content(letter, sizeof letter - 1);
    CHECK(open_and_count(&setup, &found, &err) == BIPE_ERR_FORMAT);
    write_content(short_letter, sizeof short_letter - 1);
    CHECK(open_and_count(&setup, &found, &err) == BIPE_ERR_FORMAT);
    CHECK_UINT(read_content(after), sizeof short_letter - 1);
    CHECK(bipe_score_journal_open(&journal, folder, &setup, &err) == BIPE_ERR_IO && journal == NULL);
    CHECK(bipe_score_journal_open(&journal, "/dev/null", &setup, &err) == BIPE_ERR_FORMAT && journal == NULL);

    /* Every allocation fails once. */
    write_content(content, size);
    CHECK(test_no_memory(open_without_memory, &setup, NULL) > 5);
    CHECK_UINT(read_content(after), size);

    unlink(path);
    rmdir(folder);
    for (int r = 0; r < ROWS; r++)
        bipe_score_row_free(&row[r]);
    return test_result();
}
