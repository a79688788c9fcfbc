/* test_input.c - what was compressed is read back, in any layout and through any buffers; what is torn or broken is an
 * error. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/input.h"
#include "tests/check.h"
#include "tests/packed.h"
#include "tests/scratch.h"

enum { TEXT_SIZE = 20000 };

static uint8_t text[TEXT_SIZE], got[4 * TEXT_SIZE];
static size_t got_size;
static packed file;

static const char *const sizes[] = {"1", "2", "3", "7", "64", "4096", NULL};

/* Reads all of a path into got; the status that ended it. */
static int read_path(const char *path, size_t capacity, bipe_error *err)
{
    bipe_input *input;
    got_size = 0;
    int status = bipe_input_open(&input, path, err);
    if (status != BIPE_OK)
        return status;
    size_t n;
    do {
        size_t room = sizeof got - got_size;
        status = bipe_input_read(input, got + got_size, capacity < room ? capacity : room, &n, err);
        CHECK(n <= capacity && (status == BIPE_OK || n == 0));
        got_size += n;
    } while (n > 0 && got_size < sizeof got);
    uint64_t raw_size = bipe_input_raw_size(input), offset = bipe_input_raw_offset(input);
    CHECK(status != BIPE_OK || raw_size == 0 || offset == raw_size || got_size == sizeof got);
    bipe_error second;
    CHECK(got_size == sizeof got || bipe_input_read(input, got, 1, &n, &second) == status);
    CHECK(status == BIPE_OK || strcmp(second.text, err->text) == 0);
    bipe_input_close(input);
    return status;
}

static int read_file(size_t capacity, bipe_error *err)
{
    return read_path(scratch_write("file", file.data, file.size), capacity, err);
}

static void check_reads(const char *what, const uint8_t *want, size_t size)
{
    static const size_t capacities[] = {1, 5, 4096, TEXT_SIZE};
    for (size_t i = 0; sizes[i] != NULL; i++)
        for (size_t j = 0; j < 4; j++) {
            bipe_error err = {BIPE_OK, ""};
            setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
            int status = read_file(capacities[j], &err);
            CHECKF(status == BIPE_OK && got_size == size && (size == 0 || memcmp(got, want, size) == 0),
                   "%s, buffers of %s and %zu: status %d (%s), %zu bytes", what, sizes[i], capacities[j], status,
                   err.text, got_size);
        }
    unsetenv("BIPE_BUFFER_SIZE");
}

static void test_layouts(packed_kind kind)
{
    char what[64];
    snprintf(what, sizeof what, "kind %d", (int)kind);
    file.size = 0;
    packed_add(&file, kind, text, TEXT_SIZE);
    check_reads(what, text, TEXT_SIZE);

    /* Three, one of them empty. */
    file.size = 0;
    packed_add(&file, kind, text, 5000);
    packed_add(&file, kind, text, 0);
    packed_add(&file, kind, text + 5000, 7000);
    snprintf(what, sizeof what, "several of kind %d", (int)kind);
    check_reads(what, text, 12000);

    file.size = 0;
    packed_add(&file, kind, text, 0);
    check_reads("an empty one", text, 0);
}

static void test_extras(void)
{
    static const uint8_t zeros[16], skippable[] = "\x5A\x2A\x4D\x18\x05\0\0\0abcde";
    file.size = 0;
    packed_bytes(&file, skippable, 13);
    packed_add(&file, PACKED_ZSTD, text, 100);
    packed_bytes(&file, skippable, 13);
    packed_add(&file, PACKED_ZSTD, text + 100, 50);
    packed_bytes(&file, skippable, 13);
    check_reads("skippable frames", text, 150);
    file.size = 13;
    check_reads("only a skippable frame", text, 0);
    if (packed_available(PACKED_GZIP)) {
        file.size = 0;
        packed_add(&file, PACKED_GZIP, text, 100);
        packed_bytes(&file, zeros, 13);
        check_reads("gzip and zeros", text, 100);
    }
    if (packed_available(PACKED_XZ)) {
        file.size = 0;
        packed_add(&file, PACKED_XZ, text, 100);
        packed_bytes(&file, zeros, 8);
        packed_add(&file, PACKED_XZ, text + 100, 100);
        packed_bytes(&file, zeros, 4);
        check_reads("padded xz", text, 200);
    }
}

/* A window of 256 MiB, longer than zstd allows when it is not asked to. */
static void test_long_window(void)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
    ZSTD_CCtx_setParameter(context, ZSTD_c_strategy, ZSTD_fast);
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 10);
    ZSTD_outBuffer out = {file.data, sizeof file.data, 0};
    ZSTD_inBuffer in = {text, TEXT_SIZE, 0};
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
    CHECK(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0 && in.pos == TEXT_SIZE);
    ZSTD_freeCCtx(context);
    file.size = out.pos;
    CHECK(file.data[4] == 0 && file.data[5] >> 3 == 18);
    bipe_error err = {BIPE_OK, ""};
    CHECKF(read_file(4096, &err) == BIPE_OK && got_size == TEXT_SIZE && memcmp(got, text, TEXT_SIZE) == 0, "%s",
           err.text);

    file.size = 0;
    packed_bytes(&file, "\x28\xB5\x2F\xFD\x00\xB0\x01\x00\x00", 9);
    CHECK(read_file(10, &err) == BIPE_ERR_LIMIT && strstr(err.text, "at most 2 GiB") != NULL);
}

static void test_unsupported(void)
{
    bipe_error err;
    /* A frame whose header promises 161 bytes, and one empty block. */
    for (size_t i = 0; sizes[i] != NULL; i++) {
        file.size = 0;
        packed_bytes(&file, "\x28\xB5\x2F\xFD\x20\xA1\x01\x00\x00", 9);
        setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
        CHECK(read_file(10, &err) == BIPE_ERR_FORMAT && read_file(1000, &err) == BIPE_ERR_FORMAT);
    }
    unsetenv("BIPE_BUFFER_SIZE");
    file.size = 0;
    packed_bytes(&file, "\x28\xB5\x2F\xFD\x01\x58\x07\x01\x00\x00", 10);
    CHECK(read_file(10, &err) == BIPE_ERR_UNSUPPORTED && strstr(err.text, "compressed byte 0: ") != NULL &&
          strstr(err.text, "dictionary") != NULL);
#ifdef HAVE_LZMA
    /* The block header of an xz stream, made to ask for a dictionary of 1 GiB, and of 3. */
    file.size = 0;
    packed_add(&file, PACKED_XZ, text, 1000);
    uint8_t *header = file.data + 12;
    size_t header_size = (header[0] + (size_t)1) * 4, at = 1;
    while (at + 6 < header_size && !(header[at] == 0x21 && header[at + 1] == 1))
        at++;
    for (uint8_t code = 36; code <= 39; code += 3) {
        header[at + 2] = code;
        uint32_t crc = lzma_crc32(header, header_size - 4, 0);
        for (size_t i = 0; i < 4; i++)
            header[header_size - 4 + i] = (uint8_t)(crc >> 8 * i);
        const char *want = code == 36 ? "asks for 1025 MiB of memory, expected at most 1024"
                                      : "asks for 3073 MiB of memory";
        CHECKF(read_file(10, &err) == BIPE_ERR_LIMIT && strstr(err.text, want) != NULL, "%s", err.text);
    }
#endif
}

/* What is neither text nor compressed in a way that is known is refused by its name. */
static void test_foreign(void)
{
    static const struct {
        const char *magic, *what;
    } cases[] = {{"BZh91AY&SY", "compressed by bzip2"}, {"\x04\x22\x4D\x18 more", "compressed by lz4"},
                 {"PK\x03\x04...", "a ZIP archive"},
                 {"PAR1\x15...", "a Parquet file"}, {"%PDF-1.7\n", "a PDF document"},
                 {"\x89PNG\r\n\x1A\n", "a PNG image"}, {"\xFF\xD8\xFF\xE0", "a JPEG image"},
                 {"\x7F" "ELF\x02", "a program or library (ELF)"}, {"\xFF\xFE" "a", "text in UTF-16"},
                 {"\n\x0E\n\x05<unk>\x15", "a SentencePiece model"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_error err;
        char want[200];
        const char *path = scratch_write("foreign", cases[i].magic, strlen(cases[i].magic));
        snprintf(want, sizeof want, "%s: is %s, expected text in UTF-8", path, cases[i].what);
        CHECK(read_path(path, 100, &err) == BIPE_ERR_UNSUPPORTED && got_size == 0);
        CHECKF(strncmp(err.text, want, strlen(want)) == 0, "%s", err.text);
    }
    static const char *const texts[] = {"BZh9 is not compressed", "PK is a name", "PAR1 is one, too",
                                        "GGUF is a format", "RIFF and RAFF", "BM: a town", "MZ", "ID3 tags", "\n\n\x05",
                                        "AT&T", "SQLite format 3 is old", "PDF-1.7", "]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file.size = 0;
        packed_bytes(&file, texts[i], strlen(texts[i]));
        check_reads("text", (const uint8_t *)texts[i], strlen(texts[i]));
    }
}

/* The same in each compression, and signatures that stand further on or hold zeros. */
static void test_foreign_packed(void)
{
    static uint8_t tar[600] = "a/name/of/more/than/sixty/four/bytes/so/that/no/zero/byte/is/near/it";
    memcpy(tar + 257, "ustar", 5);
    static const struct {
        const void *bytes;
        size_t size, less; /* so many bytes of it could still be text */
        const char *what;
    } cases[] = {{tar, sizeof tar, 261, "a tar archive"},
                 {"GGUF\x03\0\0\0\x10\0\0\0", 12, 7, "a GGUF model"},
                 {"\x40\0\0\0\0\0\0\0{\"__meta", 16, 9, "a safetensors file"},
                 {"SQLite format 3\0\x10", 17, 15, "an SQLite database"},
                 {"RIFF\x10\0\0\0WEBPVP8", 15, 11, "a WebP image"},
                 {"t\0e\0x\0t\0 \0i\0s\0.\0", 16, 15, "text in UTF-16"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = PACKED_PLAIN; kind < PACKED_KINDS; kind++) {
            bipe_error err;
            if (!packed_available((packed_kind)kind))
                continue;
            file.size = 0;
            packed_add(&file, (packed_kind)kind, cases[i].bytes, cases[i].size);
            for (size_t k = 0; sizes[k] != NULL; k++) {
                setenv("BIPE_BUFFER_SIZE", sizes[k], 1);
                CHECK(read_file(k % 2 == 0 ? 1 : 4096, &err) == BIPE_ERR_UNSUPPORTED && got_size == 0);
                CHECKF(strstr(err.text, cases[i].what) != NULL, "%s", err.text);
            }
            unsetenv("BIPE_BUFFER_SIZE");
            file.size = 0;
            packed_add(&file, (packed_kind)kind, cases[i].bytes, cases[i].less);
            CHECKF(read_file(7, &err) == BIPE_OK && got_size == cases[i].less &&
                       memcmp(got, cases[i].bytes, got_size) == 0,
                   "%s", cases[i].what);
        }
}

static void test_short_files(void)
{
    static const char *const magics[] = {"\x28\xB5\x2F\xFD", "\x1F\x8B\x08", "\xFD\x37zXZ\0", "\x50\x2A\x4D\x18",
                                         "BZh91A",
                                         "\x04\x22\x4D\x18", "PK\x03\x04", "PAR1\x15"};
    static const size_t magic_sizes[] = {4, 3, 6, 4, 6, 4, 4, 5};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        for (size_t n = 0; n < magic_sizes[i]; n++) {
            file.size = 0;
            packed_bytes(&file, magics[i], n);
            check_reads("a beginning of a magic number", (const uint8_t *)magics[i], n);
        }
}

/* A file that ends early is an error that says so, except where a frame ends; what was read before is right. */
static void test_torn(packed_kind kind)
{
    file.size = 0;
    packed_add(&file, kind, text, 300);
    size_t first = file.size, whole;
    packed_add(&file, kind, text + 300, 300);
    whole = file.size;
    for (size_t n = 7; n < whole; n++) {
        bipe_error err = {BIPE_OK, ""};
        char place[64];
        file.size = n;
        int status = read_file(1000, &err);
        snprintf(place, sizeof place, "compressed byte %zu: ", n);
        if (n == first)
            CHECK(status == BIPE_OK && got_size == 300);
        else if (kind == PACKED_GZIP && n == first + 1) /* one byte after a member is no member */
            CHECK(status == BIPE_ERR_FORMAT && strstr(err.text, "expected a gzip member") != NULL);
        else
            CHECKF(status == BIPE_ERR_FORMAT && strstr(err.text, place) != NULL &&
                       strstr(err.text, "the file ends inside") != NULL,
                   "kind %d, %zu bytes: status %d, %s", (int)kind, n, status, err.text);
        CHECK(got_size <= 600 && memcmp(got, text, got_size) == 0);
        CHECK(strstr(err.text, scratch_root) == err.text || status == BIPE_OK);
    }
    file.size = whole;
    packed_bytes(&file, "garbage garbage", 15);
    bipe_error err;
    CHECK(read_file(1000, &err) == BIPE_ERR_FORMAT && got_size == 600);
    if (kind != PACKED_XZ) {
        char place[64];
        snprintf(place, sizeof place, "compressed byte %zu: found other bytes", whole);
        CHECKF(strstr(err.text, place) != NULL, "%s", err.text);
    }
}

/* One wrong bit: an error, or a bit that says nothing of the text (a gzip header's), or no longer this kind at all. */
static void test_flipped(packed_kind kind)
{
    file.size = 0;
    packed_add(&file, kind, text, 500);
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        bipe_error err = {BIPE_OK, ""};
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int status = read_file(1000, &err);
        refused += status != BIPE_OK;
        bool same = got_size == 500 && memcmp(got, text, 500) == 0;
        bool plain = got_size == file.size && memcmp(got, file.data, got_size) == 0;
        CHECKF(status != BIPE_OK || same || plain, "kind %d, bit %zu", (int)kind, bit);
        CHECK(status == BIPE_OK || err.text[0] != '\0');
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    CHECK(refused > 4 * file.size);
}

static void test_refusals(void)
{
    bipe_input *input;
    bipe_error err;
    CHECK(bipe_input_open(&input, scratch_path(""), &err) == BIPE_ERR_IO && input == NULL);
    CHECK(strstr(err.text, ": is a directory, expected a file") != NULL);
    CHECK(bipe_input_open(&input, scratch_path("absent"), &err) == BIPE_ERR_IO);
    CHECK(strstr(err.text, "absent: could not be opened: ") != NULL);
    bipe_input_close(NULL);
    /* The lowest page of a process is never mapped: reading it fails. */
    if (access("/proc/self/mem", R_OK) == 0) {
        CHECK(read_path("/proc/self/mem", 100, &err) == BIPE_ERR_IO);
        CHECK(strstr(err.text, "/proc/self/mem: could not be read: ") == err.text);
    }
    int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    CHECK(bipe_input_open(&input, "-", &err) == BIPE_ERR_IO &&
          strstr(err.text, "standard input: is closed") == err.text);
    /* A file does not take the place of the closed stream. */
    CHECK(bipe_input_open(&input, scratch_write("file", "x", 1), &err) == BIPE_OK);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) < 0);
    bipe_input_close(input);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* ---- pipes: short reads, a writer that is slow, signals that interrupt ---- */

static int pipe_end;
static pthread_t reader; /* which is interrupted after each write */

static void *write_pieces(void *unused)
{
    uint64_t seed = 9;
    sigset_t all;
    (void)unused;
    sigfillset(&all); /* it is the reader that is to be interrupted */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (size_t at = 0; at < file.size;) {
        size_t n = 64 + test_random(&seed) % 437;
        n = n < file.size - at ? n : file.size - at;
        ssize_t w = write(pipe_end, file.data + at, n);
        at += w > 0 ? (size_t)w : 0;
        pthread_kill(reader, SIGALRM);
    }
    close(pipe_end);
    return NULL;
}

static volatile sig_atomic_t interruptions;

static void count_interruption(int number)
{
    (void)number;
    interruptions++;
}

static void test_pipe(packed_kind kind, int flags)
{
    file.size = 0;
    packed_add(&file, kind, text, TEXT_SIZE);
    int ends[2], saved = dup(STDIN_FILENO);
    CHECK(pipe(ends) == 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    fcntl(STDIN_FILENO, F_SETFL, flags);
    pipe_end = ends[1];
    pthread_t writer;
    struct sigaction action = {.sa_handler = count_interruption}; /* no SA_RESTART: reads fail with EINTR */
    sigaction(SIGALRM, &action, NULL);
    reader = pthread_self();
    pthread_create(&writer, NULL, write_pieces, NULL);

    bipe_error err = {BIPE_OK, ""};
    int status = read_path("-", 4096, &err);
    CHECKF(status == BIPE_OK && got_size == TEXT_SIZE && memcmp(got, text, TEXT_SIZE) == 0, "%s", err.text);
    pthread_join(writer, NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* Closing does not wait for a writer that says nothing more, also when a thread reads ahead; what it was reading is let
 * go. */
static void test_leaving(packed_kind kind, bool from_pipe)
{
    file.size = 0;
    for (size_t at = 0; at < TEXT_SIZE; at += 5000)
        packed_add(&file, kind, text + at, 5000);
    int ends[2], saved = dup(STDIN_FILENO);
    CHECK(pipe(ends) == 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    CHECK(write(ends[1], file.data, file.size - 9) == (ssize_t)file.size - 9);
    bipe_error err = {BIPE_OK, ""};
    bipe_input *input;
    setenv("BIPE_BUFFER_SIZE", "4096", 1);
    CHECK(bipe_input_open(&input, from_pipe ? "-" : scratch_write("file", file.data, file.size), &err) == BIPE_OK);
    size_t n, sum = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(bipe_input_read(input, got, 4096, &n, &err) == BIPE_OK && n > 0);
        CHECK(memcmp(got, text + sum, n) == 0);
        sum += n;
    }
    bipe_input_close(input);
    unsetenv("BIPE_BUFFER_SIZE");
    close(ends[1]);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_standard_input_file(void)
{
    file.size = 0;
    packed_add(&file, PACKED_PLAIN, text, 1000);
    int fd = open(scratch_write("file", file.data, file.size), O_RDONLY), saved = dup(STDIN_FILENO);
    CHECK(lseek(fd, 400, SEEK_SET) == 400);
    dup2(fd, STDIN_FILENO);
    close(fd);
    bipe_input *input;
    bipe_error err;
    CHECK(bipe_input_open(&input, "-", &err) == BIPE_OK);
    CHECK_TEXT(bipe_input_name(input), "standard input");
    CHECK_UINT(bipe_input_raw_size(input), 600);
    CHECK(bipe_input_read(input, got, 0, &got_size, &err) == BIPE_OK && got_size == 0);
    CHECK(bipe_input_read(input, got, 1000, &got_size, &err) == BIPE_OK && got_size > 0 &&
          memcmp(got, text + 400, got_size) == 0);
    bipe_input_close(input);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_no_memory(packed_kind kind)
{
    file.size = 0;
    packed_add(&file, kind, text, TEXT_SIZE);
    int status = BIPE_ERR_MEMORY;
    long n;
    for (n = 0; n < 100 && status != BIPE_OK; n++) {
        bipe_error err = {BIPE_OK, ""};
        const char *path = scratch_write("file", file.data, file.size);
        bipe_alloc_fail_at(n);
        status = read_path(path, 4096, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || (status == BIPE_ERR_MEMORY && strstr(err.text, "out of memory") != NULL), "%s",
               err.text);
    }
    CHECK(n > 3 && n < 100);
}

static void test_buffer_size(void)
{
    static const char *const bad[] = {"", "0", "x", "-1", "2000000000", "1k "};
    unsetenv("BIPE_BUFFER_SIZE");
    CHECK_UINT(bipe_buffer_size(), 262144);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("BIPE_BUFFER_SIZE", bad[i], 1);
        CHECK_UINT(bipe_buffer_size(), 262144);
    }
    setenv("BIPE_BUFFER_SIZE", "1", 1);
    CHECK_UINT(bipe_buffer_size(), 1);
    setenv("BIPE_BUFFER_SIZE", "1024m", 1);
    CHECK_UINT(bipe_buffer_size(), 1073741824);
    unsetenv("BIPE_BUFFER_SIZE");
}

int main(void)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < TEXT_SIZE; i++)
        text[i] = (uint8_t)(test_random(&seed) % 4 == 0 ? test_random(&seed) : 'e');
    test_buffer_size();
    test_layouts(PACKED_PLAIN);
    test_extras();
    test_long_window();
    test_unsupported();
    test_refusals();
    test_standard_input_file();
    test_no_memory(PACKED_PLAIN);
    for (packed_kind kind = PACKED_ZSTD; kind < PACKED_KINDS; kind++) {
        if (!packed_available(kind))
            continue;
        test_layouts(kind);
        test_torn(kind);
        test_flipped(kind);
        test_pipe(kind, 0);
        test_leaving(kind, true);
        test_leaving(kind, false);
        setenv("BIPE_BUFFER_SIZE", "4096", 1); /* with a thread that reads ahead */
        test_pipe(kind, O_NONBLOCK);
        test_no_memory(kind);
        unsetenv("BIPE_BUFFER_SIZE");
        test_no_memory(kind);
    }
    test_pipe(PACKED_PLAIN, 0);
    test_pipe(PACKED_PLAIN, O_NONBLOCK);
    CHECK(interruptions > 0);
    test_short_files();
    test_foreign();
    test_foreign_packed();
    if (!packed_available(PACKED_GZIP)) {
        bipe_error err;
        file.size = 0;
        packed_bytes(&file, "\x1F\x8B\x08\0", 4);
        CHECK(read_file(10, &err) == BIPE_ERR_UNSUPPORTED);
    }
    if (!packed_available(PACKED_XZ)) {
        bipe_error err;
        file.size = 0;
        packed_bytes(&file, "\xFD\x37zXZ\0\0", 7);
        CHECK(read_file(10, &err) == BIPE_ERR_UNSUPPORTED);
    }
    return test_result();
}
