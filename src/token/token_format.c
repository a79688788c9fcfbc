/* token_format.c - chooses the reader of a tokenizer file by its first bytes; folders; reading of whole files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/lfs_pointer.h"
#include "base/path.h"
#include "format/gguf.h"
#include "token/kind.h"

enum { HEAD_SIZE = 512 };

static int open_tokenizer_file(const char *path, int *fd, struct stat *info, bipe_error *err)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, info) != 0) {
        int status = bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
        if (*fd >= 0)
            close(*fd);
        return status;
    }
    return BIPE_OK;
}

/* Reads until `capacity` bytes are there or the file ends. */
static int read_up_to(int fd, const char *path, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    *size = 0;
    while (*size < capacity) {
        ssize_t n = read(fd, bytes + *size, capacity - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
        if (n == 0)
            break;
        *size += (size_t)n;
    }
    return BIPE_OK;
}

/* Reads a whole regular file; *bytes is released with bipe_free(). Error texts start with the path. */
static int load_file(const char *path, uint8_t **bytes, size_t *size, bipe_error *err)
{
    *bytes = NULL;
    *size = 0;
    int fd;
    struct stat info;
    int status = open_tokenizer_file(path, &fd, &info, err);
    if (status != BIPE_OK)
        return status;
    if (!S_ISREG(info.st_mode))
        status = bipe_fail(err, BIPE_ERR_IO, "%s: not a regular file", path);
    else if (info.st_size > BIPE_TOKEN_FILE_LIMIT)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: %lld bytes, expected at most %d", path, (long long)info.st_size,
                           BIPE_TOKEN_FILE_LIMIT);
    else if ((*bytes = bipe_alloc_large_unset((size_t)info.st_size + 1, 1)) == NULL)
        status = bipe_fail_memory(err);
    else
        status = read_up_to(fd, path, *bytes, (size_t)info.st_size, size, err);
    close(fd);
    if (status == BIPE_OK && bipe_is_lfs_pointer(*bytes, *size))
        status = bipe_refuse_lfs_pointer(path, err);
    if (status != BIPE_OK) {
        bipe_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* ---- kinds of files ---- */

static bool is_gguf(const uint8_t *head, size_t size)
{
    return size >= 4 && memcmp(head, "GGUF", 4) == 0;
}

/* A JSON object: nothing but blanks before the brace, and no NUL (a SentencePiece model may begin with a byte
 * that is a blank, but has many NULs). */
static bool is_json(const uint8_t *head, size_t size)
{
    size_t i = 0;
    while (i < size && (head[i] == ' ' || head[i] == '\t' || head[i] == '\r' || head[i] == '\n'))
        i++;
    return i < size && head[i] == '{' && memchr(head, '\0', size) == NULL;
}

/* An object written as a string, which no model of SentencePiece begins like. */
static bool is_keras(const uint8_t *head, size_t size)
{
    return size >= 4 && memcmp(head, "\"{\\\"", 4) == 0;
}

static int refuse_keras(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    (void)tokenizer;
    return bipe_fail(
        err, BIPE_ERR_FORMAT,
        "%s: JSON within a string, as Keras writes its tokenizers, expected a tokenizer.json of Hugging Face's library",
        path);
}

/* Begins with one of the five fields of a model, each a message. */
static bool is_sentencepiece(const uint8_t *head, size_t size)
{
    return size != 0 && (head[0] & 7) == 2 && head[0] >> 3 >= 1 && head[0] >> 3 <= 5;
}

static int read_gguf(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    bipe_gguf *gguf;
    int status = bipe_gguf_open(&gguf, path, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_gguf_vocabulary_read(tokenizer, gguf, err);
    bipe_gguf_close(gguf);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "%s", path);
}

enum { LARGE_FILE = 8 << 20 }; /* what was read of it lies between what stays of it */

typedef int reader(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);

static int read_file_with(bipe_tokenizer *tokenizer, const char *path, reader *read_bytes, bipe_error *err)
{
    uint8_t *bytes;
    size_t size;
    int status = load_file(path, &bytes, &size, err);
    if (status != BIPE_OK)
        return status;
    status = read_bytes(tokenizer, bytes, size, err);
    bipe_free(bytes);
    if (size > LARGE_FILE)
        bipe_alloc_trim();
    return status == BIPE_OK ? status : bipe_error_prefix(err, "%s", path);
}

static int read_json(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        tokenizer->changed = info.st_mtim;
        tokenizer->source = bipe_strdup(path);
        if (tokenizer->source == NULL)
            return bipe_fail_memory(err);
    }
    return read_file_with(tokenizer, path, bipe_tokenizer_json_read, err);
}

int bipe_tokenizer_keep(bipe_tokenizer *tokenizer, const void *bytes, size_t size, bipe_error *err)
{
    tokenizer->original_size = size;
    if (tokenizer->source != NULL)
        return BIPE_OK;
    tokenizer->original = bipe_alloc(size, 1);
    if (tokenizer->original == NULL) {
        bipe_tokenizer_clear(tokenizer);
        return bipe_fail_memory(err);
    }
    memcpy(tokenizer->original, bytes, size);
    return BIPE_OK;
}

int bipe_tokenizer_original(const bipe_tokenizer *tokenizer, uint8_t **loaded, const uint8_t **bytes, size_t *size,
                            bipe_error *err)
{
    *loaded = NULL;
    *bytes = tokenizer->original;
    *size = tokenizer->original_size;
    if (tokenizer->original != NULL)
        return BIPE_OK;
    struct stat info;
    int status = load_file(tokenizer->source, loaded, size, err);
    bool same = status == BIPE_OK && *size == tokenizer->original_size && stat(tokenizer->source, &info) == 0 &&
                info.st_mtim.tv_sec == tokenizer->changed.tv_sec && info.st_mtim.tv_nsec == tokenizer->changed.tv_nsec;
    if (status == BIPE_OK && !same)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: has changed since it was opened", tokenizer->source);
    *bytes = *loaded;
    return status;
}

int bipe_tokenizer_write_original(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, const char *key,
                                  bipe_error *err)
{
    uint8_t *loaded;
    const uint8_t *bytes;
    size_t size;
    int status = bipe_tokenizer_original(tokenizer, &loaded, &bytes, &size, err);
    if (status == BIPE_OK)
        bipe_gguf_set_string(writer, key, (const char *)bytes, size);
    bipe_free(loaded);
    return status;
}

static int read_tiktoken(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    return read_file_with(tokenizer, path, bipe_tiktoken_read, err);
}

static int read_sentencepiece(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    return read_file_with(tokenizer, path, bipe_sentencepiece_read, err);
}

static const struct {
    bool (*recognise)(const uint8_t *head, size_t size);
    int (*read)(bipe_tokenizer *tokenizer, const char *path, bipe_error *err);
} formats[] = {
    {is_gguf, read_gguf},
    {is_json, read_json},
    {is_keras, refuse_keras},
    {bipe_tiktoken_recognise, read_tiktoken},
    {is_sentencepiece, read_sentencepiece},
};

static int read_tokenizer_file(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    uint8_t head[HEAD_SIZE];
    size_t size = 0;
    int fd;
    struct stat info;
    int status = open_tokenizer_file(path, &fd, &info, err);
    if (status != BIPE_OK)
        return status;
    status = S_ISREG(info.st_mode) ? read_up_to(fd, path, head, sizeof head, &size, err)
                                   : bipe_fail(err, BIPE_ERR_IO, "%s: neither a file nor a folder", path);
    close(fd);
    if (status == BIPE_OK && bipe_is_lfs_pointer(head, size))
        status = bipe_refuse_lfs_pointer(path, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognise(head, size))
            return formats[i].read(tokenizer, path, err);
    return bipe_fail(err, BIPE_ERR_FORMAT,
                     "%s: not a tokenizer, expected a SentencePiece model, a tokenizer.json, a tiktoken file or a "
                     "GGUF file",
                     path);
}

/* ---- folders ---- */

/* *path (NULL, or of an earlier call) becomes FOLDER/NAME; the caller frees it in the end. */
static int set_path(char **path, const char *folder, const char *name, bipe_error *err)
{
    bipe_free(*path);
    *path = bipe_path_new(folder, name);
    return *path != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* A tokenizer.json that is not supported is not replaced by the tokenizer.model beside it: the error says so. */
static int say_not_replaced(const char *folder, bipe_error *err)
{
    char *path = NULL;
    if (set_path(&path, folder, "tokenizer.model", NULL) == BIPE_OK && file_exists(path) && err != NULL) {
        char text[BIPE_ERROR_SIZE];
        memcpy(text, err->text, sizeof text);
        bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%.900s (tokenizer.model beside it is not used in its place)", text);
    }
    bipe_free(path);
    return BIPE_ERR_UNSUPPORTED;
}

/* Lists of strings, of which a folder holds one kind; no list is made of what is not there. With `pieces`, a
 * SentencePiece model, it is read if what lies beside it does not change its ids. */
static int read_lists(bipe_tokenizer *tokenizer, const char *folder, const char *pieces, bipe_error *err)
{
    bipe_vocab_file file[BIPE_VOCAB_FILES] = {{0}};
    char *path = NULL;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < BIPE_VOCAB_FILES; i++) {
        status = set_path(&path, folder, bipe_vocab_file_names[i], err);
        if (status == BIPE_OK && file_exists(path))
            status = load_file(path, &file[i].bytes, &file[i].size, err);
    }
    if (status == BIPE_OK) {
        status = pieces != NULL ? bipe_vocab_files_keep_ids(file, err) : bipe_vocab_files_read(tokenizer, file, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s", folder);
    }
    if (status == BIPE_OK && pieces != NULL)
        status = read_tokenizer_file(tokenizer, pieces, err);
    for (size_t i = 0; i < BIPE_VOCAB_FILES; i++)
        bipe_free(file[i].bytes);
    bipe_free(path);
    return status;
}

/* The list that a folder without any other tokenizer has to have; a path to it stands for the folder. */
static const char *const list_names[] = {"vocab.txt", "vocab.json", "merges.txt"};

static bool is_list(const char *name)
{
    bool found = false;
    for (size_t i = 0; !found && i < sizeof list_names / sizeof *list_names; i++)
        found = strcmp(name, list_names[i]) == 0;
    return found;
}

/* The first of these names that is there in the folder, with its path; *which is `count` where none is. */
static int find_file(const char *folder, const char *const *names, size_t count, char **path, size_t *which,
                     bipe_error *err)
{
    int status = BIPE_OK;
    for (*which = 0; *which < count; ++*which)
        if ((status = set_path(path, folder, names[*which], err)) != BIPE_OK || file_exists(*path))
            break;
    return status;
}

/* The vocabulary of a folder: a file of one of these names, the first that is there; or lists (lists: nothing else); or
 * a SentencePiece model of a class whose name for it says little about how it is used. */
static int read_vocabulary(bipe_tokenizer *tokenizer, const char *folder, bool lists, char **path, bipe_error *err)
{
    static const char *const whole[] = {"tokenizer.json", "tokenizer.model", "tekken.json", "tiktoken.model",
                                        "qwen.tiktoken"};
    static const char *const pieces[] = {"spiece.model", "spm.model", "sentencepiece.bpe.model"};
    const size_t wholes = sizeof whole / sizeof *whole, kinds = sizeof list_names / sizeof *list_names,
                 models = sizeof pieces / sizeof *pieces;
    size_t i;
    int status = lists ? BIPE_OK : find_file(folder, whole, wholes, path, &i, err);
    if (status == BIPE_OK && !lists && i < wholes) {
        status = read_tokenizer_file(tokenizer, *path, err);
        return status == BIPE_ERR_UNSUPPORTED && i == 0 ? say_not_replaced(folder, err) : status;
    }
    if (status == BIPE_OK && (status = find_file(folder, list_names, kinds, path, &i, err)) == BIPE_OK && i < kinds)
        return read_lists(tokenizer, folder, NULL, err);
    if (status == BIPE_OK && (status = find_file(folder, pieces, models, path, &i, err)) == BIPE_OK && i < models)
        return read_lists(tokenizer, folder, *path, err);
    if (status != BIPE_OK)
        return status;
    return bipe_fail(err, BIPE_ERR_IO,
                     "%s: holds none of tokenizer.json, tokenizer.model, tekken.json, tiktoken.model, qwen.tiktoken, "
                     "vocab.txt, vocab.json, spiece.model, spm.model and sentencepiece.bpe.model",
                     folder);
}

/* What the files of the model say of its end tokens; the later one has precedence. A tokenizer without EOS gets the
 * first. */
static int read_end_tokens(bipe_tokenizer *tokenizer, const char *folder, char **path, bipe_error *err)
{
    static const char *const names[] = {"config.json", "generation_config.json"};
    int status = BIPE_OK;
    for (size_t i = 0; i < 2 && status == BIPE_OK; i++) {
        status = set_path(path, folder, names[i], err);
        if (status != BIPE_OK || !file_exists(*path))
            continue;
        uint8_t *bytes;
        size_t size;
        status = load_file(*path, &bytes, &size, err);
        if (status == BIPE_OK && (status = bipe_end_tokens_read(tokenizer, names[i], bytes, size, err)) != BIPE_OK)
            bipe_error_prefix(err, "%s", *path);
        bipe_free(bytes);
    }
    if (tokenizer->eos == BIPE_NO_TOKEN && tokenizer->ends != 0)
        tokenizer->eos = tokenizer->end[0];
    return status;
}

static int read_folder(bipe_tokenizer *tokenizer, const char *folder, bool lists, bipe_error *err)
{
    char *path = NULL;
    int status = read_vocabulary(tokenizer, folder, lists, &path, err);
    if (status == BIPE_OK && (status = set_path(&path, folder, "tokenizer_config.json", err)) == BIPE_OK &&
        file_exists(path))
        status = read_file_with(tokenizer, path, bipe_tokenizer_config_apply, err);
    if (status == BIPE_OK && tokenizer->eos == BIPE_NO_TOKEN &&
        (status = set_path(&path, folder, "special_tokens_map.json", err)) == BIPE_OK && file_exists(path))
        status =
            read_file_with(tokenizer, path, bipe_tokenizer_config_apply, err); /* older folders have EOS here alone */
    if (status == BIPE_OK)
        status = read_end_tokens(tokenizer, folder, &path, err);
    bipe_free(path);
    return status;
}

/* The folder of a list. A vocab.json by itself is none: it may be a tokenizer.json of another name. */
static int read_list_file(bipe_tokenizer *tokenizer, const char *path, const char *name, bipe_error *err)
{
    bipe_buffer folder = {0};
    char *merges = NULL;
    size_t size = name - path > 1 ? (size_t)(name - path) - 1
                                  : (size_t)(name - path); /* without its slash, unless that is all */
    int status = bipe_buffer_append(&folder, size != 0 ? path : ".", size != 0 ? size : 1, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&folder, "", 1, err);
    if (status == BIPE_OK)
        status = set_path(&merges, (const char *)folder.data, "merges.txt", err);
    if (status == BIPE_OK)
        status = strcmp(name, "vocab.json") == 0 && !file_exists(merges)
                     ? read_tokenizer_file(tokenizer, path, err)
                     : read_folder(tokenizer, (const char *)folder.data, true, err);
    bipe_free(merges);
    bipe_buffer_free(&folder);
    return status;
}

int bipe_token_format_read(bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    struct stat info;
    if (path[0] == '\0')
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "tokenizer '': empty, expected byte, char, word, words, or a file or folder");
    if (stat(path, &info) != 0 && errno == ENOENT)
        return bipe_fail(
            err, BIPE_ERR_IO,
            "%s: no such file or folder, no installed model (bipe-convert --list shows those), and not one of byte, "
            "char, word, words",
            path);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return read_folder(tokenizer, path, false, err);
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    return is_list(name) ? read_list_file(tokenizer, path, name, err) : read_tokenizer_file(tokenizer, path, err);
}
