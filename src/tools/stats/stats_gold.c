/* stats_gold.c - reads files of reference segments. They may come from anywhere: every number is checked. */
#include "tools/stats/stats_gold.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/path.h"
#include "cli/tool_alloc.h"
#include "text/utf8.h"

enum { MOST_BYTES = 1 << 30, MOST_DOCUMENTS = 1 << 22 };

/* ---- places ---- */

static bool is_white(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

size_t stats_places_walk(stats_places *p, const uint8_t *bytes, size_t size, size_t at, size_t to, uint64_t offset)
{
    while (at < to) {
        size_t length = 1;
        bool white = bytes[at] < 0x80 && is_white(bytes[at]);
        if (bytes[at] >= 0x80) {
            int32_t code;
            length = bipe_utf8_decode(bytes + at, size - at, &code);
            length = length != 0 ? length : 1;
            white = code >= 0 && bipe_is_white_space(code);
        }
        at += length;
        if (white)
            continue;
        p->hash = bipe_hash_bytes(p->hash, bytes + at - length, length);
        p->edge = offset + at;
        if (++p->count == p->until)
            break;
    }
    return at;
}

/* ---- documents ---- */

/* A number of a list must rise. */
static int add_end(stats_gold_document *d, uint64_t end, const char *path, const char *where, size_t number,
                   bipe_error *err)
{
    if (d->count != 0 && end <= d->end[d->count - 1])
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s %zu: found the end %" PRIu64 " after %" PRIu64
                                               ", expected rising byte offsets",
                         path, where, number, end, d->end[d->count - 1]);
    bipe_tool_grow(&d->end, &d->capacity, d->count + 1, sizeof *d->end);
    d->end[d->count++] = end;
    return BIPE_OK;
}

/* The next segment of a document that is given by its texts; blank ones are none. */
static void add_text(stats_gold_document *d, stats_places *places, const char *text, size_t size)
{
    uint64_t before = places->count;
    stats_places_walk(places, (const uint8_t *)text, size, 0, size, 0);
    if (places->count == before)
        return;
    bipe_tool_grow(&d->end, &d->capacity, d->count + 1, sizeof *d->end);
    bipe_tool_grow(&d->hash, &d->hash_capacity, d->count + 1, sizeof *d->hash);
    d->hash[d->count] = places->hash;
    d->end[d->count++] = places->count;
}

/* The document of this number; those before it are empty where they are new. */
static stats_gold_document *document_at(stats_gold *gold, size_t number)
{
    while (gold->count <= number) {
        bipe_tool_grow(&gold->document, &gold->capacity, gold->count + 1, sizeof *gold->document);
        gold->document[gold->count++] = (stats_gold_document){0};
    }
    return &gold->document[number];
}

/* ---- JSON Lines ---- */

static bool get_uint(const json_t *value, uint64_t *number)
{
    *number = json_is_integer(value) && json_integer_value(value) >= 0 ? (uint64_t)json_integer_value(value) : 0;
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* A span; what lies between it and the one before is a segment, too, if it is not blank: that ends where it starts. */
static int add_span(stats_gold_document *d, uint64_t start, uint64_t end, const char *path, size_t line,
                    bipe_error *err)
{
    uint64_t last = d->count != 0 ? d->end[d->count - 1] : 0;
    if (start < last || end <= start)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: found the span %" PRIu64 " to %" PRIu64 " after %" PRIu64
                                               ", expected rising spans of bytes",
                         path, line, start, end, last);
    if (start > last)
        add_end(d, start, path, "line", line, err);
    return add_end(d, end, path, "line", line, err);
}

/* The lists of an object of a document. */
static int read_lists(stats_gold_document *d, const json_t *object, const char *path, size_t line, bipe_error *err)
{
    static const char expected[] = "expected \"ends\" (byte offsets), \"spans\" (pairs of them), \"segments\" (texts) "
                                   "or \"document\", \"start\" and \"end\"";
    const json_t *ends = json_object_get(object, "ends"), *spans = json_object_get(object, "spans"),
                 *texts = json_object_get(object, "segments");
    const json_t *list = ends != NULL ? ends : spans != NULL ? spans : texts;
    stats_places places = {.hash = BIPE_HASH_EMPTY};
    int status = json_is_array(list) ? BIPE_OK
                                     : bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: %s", path, line, expected);
    for (size_t i = 0; i < json_array_size(list) && status == BIPE_OK; i++) {
        const json_t *item = json_array_get(list, i);
        uint64_t start, end;
        if (list == ends && get_uint(item, &end))
            status = add_end(d, end, path, "line", line, err);
        else if (list == spans && json_array_size(item) == 2 && get_uint(json_array_get(item, 0), &start) &&
                 get_uint(json_array_get(item, 1), &end))
            status = add_span(d, start, end, path, line, err);
        else if (list == texts && list != ends && list != spans && json_is_string(item))
            add_text(d, &places, json_string_value(item), json_string_length(item));
        else
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: element %zu: %s", path, line, i, expected);
    }
    return status;
}

/* An object of a line: of a document, or of a segment, which says of which. */
static int read_object(stats_gold *gold, const json_t *object, size_t line, bipe_error *err)
{
    uint64_t document, start, end;
    if (!get_uint(json_object_get(object, "end"), &end) || !get_uint(json_object_get(object, "start"), &start))
        return read_lists(document_at(gold, gold->count), object, gold->path, line, err);
    if (!get_uint(json_object_get(object, "document"), &document) || document >= MOST_DOCUMENTS ||
        document + 1 < gold->count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: document: expected a number from %zu to %d", gold->path,
                         line, gold->count != 0 ? gold->count - 1 : 0, MOST_DOCUMENTS - 1);
    return start == end ? BIPE_OK : add_span(document_at(gold, (size_t)document), start, end, gold->path, line, err);
}

static int read_json_line(stats_gold *gold, const char *text, size_t size, size_t line, bipe_error *err)
{
    json_error_t wrong;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    int status;
    if (json_is_object(object))
        status = read_object(gold, object, line, err);
    else
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: found %s, expected a JSON object", gold->path, line,
                           object == NULL ? wrong.text : "something else");
    json_decref(object);
    return status;
}

/* ---- lines ---- */

static bool is_blank_line(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && is_white((uint8_t)text[at]))
        at++;
    return at == size;
}

static bool read_offset(const char *text, size_t size, uint64_t *offset)
{
    size_t digits = 0;
    *offset = 0;
    while (size > 0 && is_white((uint8_t)text[size - 1]))
        size--;
    for (; digits < size && text[digits] >= '0' && text[digits] <= '9' && digits < 18; digits++)
        *offset = *offset * 10 + (uint64_t)(text[digits] - '0');
    return digits == size && size != 0;
}

typedef enum gold_form { FORM_JSON, FORM_OFFSETS, FORM_TEXTS } gold_form;

/* The end of the line that begins at text[at], without its newline. */
static size_t line_end(const bipe_buffer *text, size_t at)
{
    const uint8_t *newline = memchr(text->data + at, '\n', text->size - at);
    return newline != NULL ? (size_t)(newline - text->data) : text->size;
}

static gold_form find_form(const bipe_buffer *text)
{
    bool digits = true, first = true;
    for (size_t at = 0, end; at < text->size && digits; at = end + 1) {
        uint64_t offset;
        const char *line = (const char *)text->data + at;
        end = line_end(text, at);
        if (is_blank_line(line, end - at))
            continue;
        if (first && line[strspn(line, " \t")] == '{')
            return FORM_JSON;
        first = false;
        digits = read_offset(line, end - at, &offset);
    }
    return digits ? FORM_OFFSETS : FORM_TEXTS;
}

static int read_lines(stats_gold *gold, const bipe_buffer *text, bipe_error *err)
{
    gold_form form = find_form(text);
    stats_places places = {.hash = BIPE_HASH_EMPTY};
    int status = BIPE_OK;
    gold->blank = form != FORM_JSON && is_blank_line((const char *)text->data, text->size);
    if (form != FORM_JSON)
        document_at(gold, 0);
    for (size_t at = 0, end, number = 1; at < text->size && status == BIPE_OK; at = end + 1, number++) {
        uint64_t offset;
        const char *line = (const char *)text->data + at;
        end = line_end(text, at);
        if (is_blank_line(line, end - at))
            continue;
        if (form == FORM_JSON)
            status = read_json_line(gold, line, end - at, number, err);
        else if (form == FORM_TEXTS)
            add_text(gold->document, &places, line, end - at);
        else if (read_offset(line, end - at, &offset))
            status = add_end(gold->document, offset, gold->path, "line", number, err);
    }
    return status;
}

int stats_gold_open(stats_gold *gold, const char *path, bipe_error *err)
{
    bipe_input *input = NULL;
    bipe_buffer text = {0};
    *gold = (stats_gold){.path = path};
    int status = bipe_input_open(&input, path, err);
    if (status == BIPE_OK)
        status = bipe_input_read_all(input, &text, MOST_BYTES, err);
    if (status == BIPE_OK && text.size > MOST_BYTES)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: more than %d bytes of reference segments", path, MOST_BYTES);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&text, "", 1, err); /* strspn() ends there */
    text.size -= status == BIPE_OK;
    if (status == BIPE_OK)
        status = read_lines(gold, &text, err);
    bipe_buffer_free(&text);
    bipe_input_close(input);
    return status;
}

void stats_gold_close(stats_gold *gold)
{
    for (size_t i = 0; i < gold->count; i++) {
        bipe_free(gold->document[i].end);
        bipe_free(gold->document[i].hash);
    }
    bipe_free(gold->document);
    *gold = (stats_gold){0};
}

/* ---- which file ---- */

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_there(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

/* The file of a folder that has the name of FILE with the ending .ends, or the same name. NULL: there is none. */
static char *find_in_folder(const char *folder, const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file, *dot = strrchr(name, '.');
    size_t size = strlen(name) + sizeof ".ends";
    int stem = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    char *ends = bipe_tool_alloc(size, 1);
    snprintf(ends, size, "%.*s.ends", stem, name);
    char *path = bipe_tool_need(bipe_path_new(folder, ends));
    bipe_free(ends);
    if (is_there(path))
        return path;
    bipe_free(path);
    path = bipe_tool_need(bipe_path_new(folder, name));
    if (is_there(path))
        return path;
    bipe_free(path);
    return NULL;
}

int stats_gold_paths(char ***path, const bipe_texts *given, bipe_files files, bipe_error *err)
{
    bool folder = given->count == 1 && is_folder(given->text[0]);
    *path = NULL;
    if (!folder && given->count != files.count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "--gold: found %zu file%s for %zu FILE%s, expected one for each, in the same order, or a "
                         "folder",
                         given->count, given->count == 1 ? "" : "s", files.count, files.count == 1 ? "" : "s");
    char **list = bipe_tool_alloc(files.count, sizeof *list);
    for (size_t i = 0; i < files.count; i++) {
        list[i] = folder ? find_in_folder(given->text[0], files.path[i]) : bipe_tool_strdup(given->text[i]);
        if (list[i] != NULL)
            continue;
        stats_gold_free_paths(list, files.count);
        return bipe_fail(err, BIPE_ERR_IO, "%s: no reference segments of %s, expected a file of this name with the "
                                           "ending .ends, or of this name",
                         given->text[0], files.path[i]);
    }
    *path = list;
    return BIPE_OK;
}

void stats_gold_free_paths(char **path, size_t count)
{
    for (size_t i = 0; path != NULL && i < count; i++)
        bipe_free(path[i]);
    bipe_free(path);
}
