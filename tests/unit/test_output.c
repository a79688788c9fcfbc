/* test_output.c - files that appear complete or not at all, and standard output checked to the last byte. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/output.h"
#include "base/output_guard.h"
#include "tests/check.h"
#include "tests/scratch.h"

static void check_contents(const char *path, const char *want)
{
    size_t size = 0;
    char *got = scratch_read(path, &size);
    CHECKF(got != NULL, "%s is not there", path);
    if (got != NULL)
        CHECK_TEXT(got, want);
    free(got);
}

static void test_file(void)
{
    const char *path = scratch_path("file");
    bipe_output *output;
    bipe_error err;
    CHECK(bipe_output_open(&output, path, &err) == BIPE_OK);
    CHECK(bipe_output_write(output, "one ", 4, &err) == BIPE_OK);
    CHECK(bipe_output_printf(output, &err, "%s %d", "two", 3) == BIPE_OK);
    CHECK(bipe_output_flush(output, &err) == BIPE_OK);
    CHECK(access(path, F_OK) != 0);
    CHECK_UINT(scratch_count(), 1);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    CHECK_UINT(scratch_count(), 1);
    check_contents(path, "one two 3");

    CHECK(bipe_output_open(&output, path, &err) == BIPE_OK);
    CHECK(bipe_output_write(output, "new", 3, &err) == BIPE_OK);
    check_contents(path, "one two 3");
    bipe_output_abandon(output);
    bipe_output_abandon(NULL);
    check_contents(path, "one two 3");
    CHECK_UINT(scratch_count(), 1);
}

static const char *synced_path;
static int synced_files, synced_folders;

/* The file is complete when it is synced and has no name yet; its folder is synced when it has one. */
static void look_at_sync(int fd)
{
    struct stat now;
    CHECK(fstat(fd, &now) == 0);
    bool named = access(synced_path, F_OK) == 0;
    synced_files += S_ISREG(now.st_mode) && now.st_size == 100000 && !named;
    synced_folders += S_ISDIR(now.st_mode) && named;
}

/* What is put in place stays there, even if the machine stops. */
static void test_sync(void)
{
    static char text[100000];
    bipe_output *output;
    bipe_error err;
    memset(text, 'x', sizeof text);
    synced_path = scratch_path("synced");
    CHECK(bipe_output_open(&output, synced_path, &err) == BIPE_OK);
    CHECK(bipe_output_write(output, text, sizeof text, &err) == BIPE_OK);
    test_on_sync = look_at_sync;
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    test_on_sync = NULL;
    CHECKF(synced_files == 1 && synced_folders == 1, "%d files, %d folders", synced_files, synced_folders);
}

/* Everything that is written arrives, in any cut. */
static void test_sizes(void)
{
    static char want[400000];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof want; i++)
        want[i] = (char)('a' + test_random(&seed) % 26);
    const char *path = scratch_path("sizes");
    bipe_output *output;
    bipe_error err;
    CHECK(bipe_output_open(&output, path, &err) == BIPE_OK);
    for (size_t at = 0; at < sizeof want;) {
        size_t n = test_random(&seed) % (test_random(&seed) % 4 == 0 ? 150000 : 2000);
        n = n < sizeof want - at ? n : sizeof want - at;
        int status = n % 2 == 0 ? bipe_output_write(output, want + at, n, &err)
                                : bipe_output_printf(output, &err, "%.*s", (int)n, want + at);
        CHECK(status == BIPE_OK);
        at += n;
    }
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    size_t size = 0;
    char *got = scratch_read(path, &size);
    CHECK(got != NULL && size == sizeof want && memcmp(got, want, size) == 0);
    free(got);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_mode & 0777 : 0;
}

/* Names of all lengths about that of the pieces they go in, with control characters that may lie across two of
 * these. */
static void test_names(void)
{
    static char name[1400], want[1400];
    const char *path = scratch_path("names");
    for (size_t size = 0; size < 1200; size += size % 256 < 240 ? 41 : 1) {
        bipe_output *output;
        bipe_error err;
        for (size_t i = 0; i < size; i++) {
            static const char unit[] = "a\xC2\x9B\n\xC2\xA9", shown[] = "a???\xC2\xA9";
            name[i] = unit[i % 6];
            want[i] = shown[i % 6];
        }
        if (size % 6 == 2) /* half a control character is none */
            want[size - 1] = name[size - 1];
        name[size] = want[size] = '\0';
        CHECK(bipe_output_open(&output, path, &err) == BIPE_OK);
        CHECK(bipe_output_name(output, name, &err) == BIPE_OK);
        CHECK(bipe_output_commit(output, &err) == BIPE_OK);
        size_t got = 0;
        char *text = scratch_read(path, &got);
        CHECK_UINT(got, size);
        CHECK_TEXT(text, want);
        free(text);
    }
}

static void test_permissions_and_links(void)
{
    bipe_output *output;
    bipe_error err;
    const char *path = scratch_path("mode");
    mode_t before = umask(027);
    CHECK(bipe_output_open(&output, path, &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    CHECK_UINT(mode_of(path), 0640);
    umask(before);
    CHECK(chmod(path, 0751) == 0);

    const char *link = scratch_path("link");
    CHECK(symlink("mode", link) == 0);
    CHECK(bipe_output_open(&output, link, &err) == BIPE_OK);
    CHECK(bipe_output_write(output, "through", 7, &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK_UINT(mode_of(path), 0751);
    check_contents(path, "through");
}

static void test_refusals(void)
{
    bipe_output *output;
    bipe_error err;
    size_t before = scratch_count();
    CHECK(bipe_output_open(&output, scratch_path(""), &err) == BIPE_ERR_IO && output == NULL);
    CHECK(strstr(err.text, "is a directory, expected a file") != NULL);
    CHECK(bipe_output_open(&output, scratch_path("no/such"), &err) == BIPE_ERR_IO && output == NULL);
    CHECK(strncmp(err.text, scratch_root, strlen(scratch_root)) == 0);
    CHECK_UINT(scratch_count(), before);

    /* A long name leaves space for the temporary one. */
    char name[201];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK(bipe_output_open(&output, scratch_path(name), &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    CHECK(access(scratch_path(name), F_OK) == 0);
}

static void test_full_disk(void)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    bipe_output *output;
    bipe_error err;
    CHECK(bipe_output_open(&output, "/dev/full", &err) == BIPE_OK);
    CHECK(bipe_output_write(output, "x", 1, &err) == BIPE_OK);
    CHECK(bipe_output_flush(output, &err) == BIPE_ERR_IO);
    err.text[0] = '\0';
    CHECK(bipe_output_write(output, "x", 1, &err) == BIPE_ERR_IO);
    CHECK(strstr(err.text, "/dev/full: could not be written: ") == err.text);
    CHECK(bipe_output_commit(output, &err) == BIPE_ERR_IO);
    CHECK(bipe_output_open(&output, "/dev/full", &err) == BIPE_OK);
    CHECK(bipe_output_write(output, "x", 1, &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_ERR_IO);
    CHECK(access("/dev/full", W_OK) == 0);
}

/* Runs `body` in a child whose standard output is `fd` (-1: closed); its exit status, or 1000 + signal. */
static int in_child(int (*body)(void), int fd)
{
    pid_t child = fork();
    if (child == 0) {
        if (fd >= 0)
            dup2(fd, STDOUT_FILENO);
        else
            close(STDOUT_FILENO);
        _exit(body());
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int write_much(void)
{
    bipe_output *output;
    bipe_error err = {BIPE_OK, "before"};
    if (bipe_output_open(&output, NULL, &err) != BIPE_OK)
        return 50;
    int status = BIPE_OK;
    for (int i = 0; i < 100000 && status == BIPE_OK; i++)
        status = bipe_output_write(output, "0123456789", 10, &err);
    int end = bipe_output_commit(output, &err);
    return status != BIPE_OK && end != status ? 60 : end == BIPE_STOPPED && err.text[0] != '\0' ? 61 : end;
}

static int write_little(void)
{
    bipe_output *output;
    bipe_error err;
    if (bipe_output_open(&output, "-", &err) != BIPE_OK)
        return strstr(err.text, "standard output: is closed") == err.text ? 51 : 50;
    bipe_output_write(output, "x", 1, &err);
    return bipe_output_commit(output, &err);
}

static void test_standard_output(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    CHECK_UINT((uint64_t)in_child(write_much, ends[1]), BIPE_STOPPED);
    CHECK_UINT((uint64_t)in_child(write_little, ends[1]), BIPE_STOPPED);
    close(ends[1]);
    CHECK_UINT((uint64_t)in_child(write_little, -1), 51);
    int read_only = open("/dev/null", O_RDONLY);
    CHECK_UINT((uint64_t)in_child(write_little, read_only), 51);
    close(read_only);
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        CHECK_UINT((uint64_t)in_child(write_little, full), BIPE_ERR_IO);
        close(full);
    }
    /* A pipe that is full and non-blocking is waited for. */
    CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    pid_t reader = fork();
    if (reader == 0) {
        close(ends[1]);
        char bytes[4096];
        size_t total = 0;
        for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0; total += (size_t)n) {
        }
        _exit(total == 1000000 ? 0 : 1);
    }
    close(ends[0]);
    CHECK_UINT((uint64_t)in_child(write_much, ends[1]), BIPE_OK);
    close(ends[1]);
    int status = -1;
    CHECK(waitpid(reader, &status, 0) == reader && status == 0);
}

static int die_by_signal(void)
{
    bipe_output *output;
    bipe_error err;
    bipe_output_guard();
    if (bipe_output_open(&output, scratch_path("killed"), &err) != BIPE_OK || scratch_count() == 0)
        return 1;
    bipe_output_write(output, "x", 1, &err);
    raise(SIGTERM);
    return 2;
}

static void test_signals(void)
{
    size_t before = scratch_count();
    CHECK_UINT((uint64_t)in_child(die_by_signal, STDOUT_FILENO), 1000 + SIGTERM);
    CHECK_UINT(scratch_count(), before);

    bipe_output *output;
    bipe_error err;
    CHECK(bipe_output_open(&output, scratch_path("removed"), &err) == BIPE_OK);
    CHECK_UINT(scratch_count(), before + 1);
    bipe_output_remove_all();
    CHECK_UINT(scratch_count(), before);
    CHECK(bipe_output_commit(output, &err) == BIPE_ERR_IO);
    CHECK(access(scratch_path("removed"), F_OK) != 0);
}

/* More at once than the guard can hold: an error, and no file remains. */
static void test_many(void)
{
    bipe_output *outputs[80];
    bipe_error err;
    size_t before = scratch_count(), opened = 0;
    int status = BIPE_OK;
    while (opened < 80 && status == BIPE_OK) {
        char name[16];
        snprintf(name, sizeof name, "many%zu", opened);
        status = bipe_output_open(&outputs[opened], scratch_path(name), &err);
        opened += status == BIPE_OK;
    }
    CHECK(status == BIPE_ERR_LIMIT && opened == 64);
    CHECK_UINT(scratch_count(), before + opened);
    while (opened > 0)
        bipe_output_abandon(outputs[--opened]);
    CHECK_UINT(scratch_count(), before);
}

static void test_no_memory(void)
{
    size_t before = scratch_count();
    int status = BIPE_ERR_MEMORY;
    long n;
    for (n = 0; status != BIPE_OK && n < 50; n++) {
        static char large[1000];
        bipe_output *output;
        bipe_error err;
        memset(large, 'l', sizeof large - 1);
        bipe_alloc_fail_at(n);
        status = bipe_output_open(&output, scratch_path("memory"), &err);
        if (status == BIPE_OK) {
            bipe_output_printf(output, NULL, "%s", large);
            status = bipe_output_commit(output, &err);
        }
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || (status == BIPE_ERR_MEMORY && strstr(err.text, "out of memory") != NULL));
        CHECK_UINT(scratch_count(), before + (status == BIPE_OK));
    }
    CHECK(n > 3 && n < 50);
}

/* What is kept is all of it, whatever the sizes of the pieces. */
static void test_memory(void)
{
    static const uint8_t bytes[3 * BIPE_OUTPUT_RESERVE] = {1, 2, 3};
    bipe_output *output;
    bipe_error err;
    size_t left, size = 0;
    uint8_t *to;
    CHECK(bipe_output_open_memory(&output, &err) == BIPE_OK);
    for (int round = 0; round < 2; round++, size = 0) {
        for (size_t n = 1; n <= sizeof bytes; size += n, n *= 3)
            CHECK(bipe_output_write(output, bytes, n, &err) == BIPE_OK);
        CHECK(bipe_output_reserve(output, BIPE_OUTPUT_RESERVE, &to, &left, &err) == BIPE_OK &&
              left >= BIPE_OUTPUT_RESERVE);
        memset(to, 9, BIPE_OUTPUT_RESERVE);
        bipe_output_filled(output, BIPE_OUTPUT_RESERVE);
        CHECK(bipe_output_write(output, bytes, 0, &err) == BIPE_OK && bipe_output_flush(output, &err) == BIPE_OK);
        const bipe_buffer *kept = bipe_output_kept(output);
        CHECK_UINT(kept->size, size + BIPE_OUTPUT_RESERVE);
        size_t at = 0;
        for (size_t n = 1; n <= sizeof bytes; at += n, n *= 3)
            CHECK(memcmp(kept->data + at, bytes, n) == 0);
        CHECK(kept->data[at] == 9 && kept->data[kept->size - 1] == 9);
        bipe_output_forget(output);
    }
    bipe_output_abandon(output);
}

int main(void)
{
    test_memory();
    test_file();
    test_sizes();
    test_names();
    test_sync();
    test_permissions_and_links();
    test_refusals();
    test_full_disk();
    test_standard_output();
    test_signals();
    test_many();
    test_no_memory();
    return test_result();
}
