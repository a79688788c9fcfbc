/* json_lists.c - finds "vocab" and "merges" in the text of a tokenizer.json and reads them there.
 *
 * Every function that reads returns false, or NULL, for whatever is not of the plain form: also for what would be an error, such as an
 * id that comes twice. Then jansson reads the whole file. Outside of the lists strings and brackets alone are told apart, since
 * jansson reads that again, and refuses what is no JSON. */
#include "token/json_lists.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json_number.h"
#include "token/kind.h"
#include "token/vocabulary.h"

typedef struct scan {
    const uint8_t *at, *end;
    bipe_json_lists *lists;
    size_t limit;   /* of ids: no file of this size has more */
    char *out;      /* where the next string goes in lists->room */
    bool no_memory; /* that is why */
} scan;

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* The next byte that is no blank is `byte`, which is passed. */
static bool take(scan *s, uint8_t byte)
{
    s->at = skip_blanks(s->at, s->end);
    if (s->at == s->end || *s->at != byte)
        return false;
    s->at++;
    return true;
}

static bool read_hex(scan *s, uint32_t *value)
{
    *value = 0;
    if (s->end - s->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        uint8_t c = *s->at++, digit = (uint8_t)(c - '0'), letter = (uint8_t)((c | 0x20) - 'a');
        if (digit > 9 && letter > 5)
            return false;
        *value = *value << 4 | (digit <= 9 ? digit : letter + 10U);
    }
    return true;
}

/* What stands behind a backslash. */
static bool read_escape(scan *s)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (s->at == s->end)
        return false;
    uint8_t c = *s->at++;
    if (c != 'u') {
        const char *name = c != '\0' ? strchr(names, c) : NULL;
        if (name == NULL)
            return false;
        *s->out++ = bytes[name - names];
        return true;
    }
    uint32_t code, low;
    if (!read_hex(s, &code) || (code >= 0xDC00 && code < 0xE000))
        return false;
    if (code >= 0xD800 && code < 0xDC00) {
        if (s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
            return false;
        s->at += 2;
        if (!read_hex(s, &low) || low < 0xDC00 || low >= 0xE000)
            return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    uint8_t utf8[4];
    size_t n = bipe_utf8_encode((int32_t)code, utf8);
    memcpy(s->out, utf8, n);
    s->out += n;
    return true;
}

/* A string, appended to the room with a NUL behind it: never more bytes than it has in the file. */
static const char *read_string(scan *s, size_t *size)
{
    const char *text = s->out;
    if (!take(s, '"'))
        return NULL;
    for (;;) {
        if (s->at == s->end)
            return NULL;
        uint8_t c = *s->at;
        if (c == '"')
            break;
        if (c < 0x20)
            return NULL;
        if (c == '\\') {
            s->at++;
            if (!read_escape(s))
                return NULL;
        } else if (c < 0x80) {
            *s->out++ = (char)c;
            s->at++;
        } else {
            int32_t code;
            size_t n = bipe_utf8_decode(s->at, (size_t)(s->end - s->at), &code);
            if (code < 0)
                return NULL;
            memcpy(s->out, s->at, n);
            s->out += n;
            s->at += n;
        }
    }
    s->at++;
    *size = (size_t)(s->out - text);
    *s->out++ = '\0';
    return text;
}

static bool read_id(scan *s, size_t *id)
{
    s->at = skip_blanks(s->at, s->end);
    const uint8_t *first = s->at;
    for (*id = 0; s->at < s->end && (uint8_t)(*s->at - '0') < 10 && *id < BIPE_VOCABULARY_LIMIT; s->at++)
        *id = 10 * *id + (size_t)(*s->at - '0');
    return s->at > first && (*first != '0' || s->at == first + 1) && *id < s->limit;
}

/* After an entry of a list: a comma, and *more, or the end of the list. */
static bool go_on(scan *s, uint8_t end, bool *more)
{
    *more = take(s, ',');
    return *more || take(s, end);
}

static bool read_entry(scan *s)
{
    bipe_json_lists *lists = s->lists;
    size_t size, id;
    const char *text = read_string(s, &size);
    if (text == NULL || !take(s, ':') || !read_id(s, &id))
        return false;
    if (id >= lists->count) {
        size_t before = lists->text_capacity;
        if (bipe_grow(&lists->text, &lists->text_capacity, id + 1, sizeof *lists->text) != 0) {
            s->no_memory = true;
            return false;
        }
        for (size_t i = before; i < lists->text_capacity; i++)
            lists->text[i].text = NULL;
        lists->count = id + 1;
    }
    if (lists->text[id].text != NULL)
        return false;
    lists->text[id] = (bipe_json_string){text, size};
    lists->entries++;
    return true;
}

static bool is_same(const bipe_json_string *a, const bipe_json_string *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Whether a string has two ids. */
static bool has_doubles(scan *s)
{
    const bipe_json_lists *lists = s->lists;
    size_t slots = 64;
    while (slots < 2 * lists->entries)
        slots *= 2;
    uint32_t *slot = bipe_alloc(slots, sizeof *slot);
    s->no_memory = slot == NULL;
    bool found = slot == NULL;
    for (size_t id = 0; id < lists->count && !found; id++) {
        const bipe_json_string *own = &lists->text[id];
        if (own->text == NULL)
            continue;
        uint64_t hash = bipe_hash_bytes((const uint8_t *)own->text, own->size) * UINT64_C(0xD6E8FEB86659FD93);
        size_t place = (size_t)(hash >> 32) & (slots - 1);
        for (; slot[place] != 0 && !found; place = (place + 1) & (slots - 1))
            found = is_same(&lists->text[slot[place] - 1], own);
        slot[place] = (uint32_t)id + 1;
    }
    bipe_free(slot);
    return found;
}

/* ["TEXT", SCORE] */
static bool read_piece(scan *s)
{
    bipe_json_lists *lists = s->lists;
    size_t id = lists->count;
    if (bipe_grow(&lists->text, &lists->text_capacity, id + 1, sizeof *lists->text) != 0 ||
        bipe_grow(&lists->score, &lists->score_capacity, id + 1, sizeof *lists->score) != 0) {
        s->no_memory = true;
        return false;
    }
    if (id == s->limit || !take(s, '[') || (lists->text[id].text = read_string(s, &lists->text[id].size)) == NULL || !take(s, ','))
        return false;
    s->at = skip_blanks(s->at, s->end);
    lists->count++;
    const uint8_t *number = s->at;
    if (!bipe_json_read_number(&s->at, s->end, &lists->score[id]))
        return false;
    bool whole = true; /* jansson refuses whole numbers beyond 64 bits */
    for (const uint8_t *c = number; c < s->at; c++)
        whole = whole && *c != '.' && *c != 'e' && *c != 'E';
    return (!whole || s->at - number < 19) && take(s, ']');
}

static bool read_pieces(scan *s)
{
    bool more = true;
    while (more)
        if (!read_piece(s) || !go_on(s, ']', &more))
            return false;
    s->lists->has_pieces = true;
    return true;
}

static bool read_vocab(scan *s)
{
    bipe_json_lists *lists = s->lists;
    bool more = true;
    if (take(s, '['))
        return read_pieces(s);
    if (!take(s, '{'))
        return false;
    while (more)
        if (!read_entry(s) || !go_on(s, '}', &more))
            return false;
    lists->has_vocab = lists->count <= 4 * lists->entries + 65536 && !has_doubles(s);
    return lists->has_vocab;
}

/* "LEFT RIGHT": the space becomes the NUL between both. */
static bool split_string(char *text, size_t size, struct bipe_json_place *merge)
{
    char *space = memchr(text, ' ', size);
    if (space == NULL || memchr(space + 1, ' ', size - (size_t)(space + 1 - text)) != NULL || strncmp(text, "#version", 8) == 0)
        return false;
    *space = '\0';
    merge->left = (uint32_t)(space - text);
    merge->right = (uint32_t)(size - merge->left - 1);
    return true;
}

static bool read_merge(scan *s, struct bipe_json_place *merge)
{
    size_t left, right;
    char *text = s->out;
    s->at = skip_blanks(s->at, s->end);
    merge->at = (uint32_t)(text - s->lists->room);
    if (s->at < s->end && *s->at == '"')
        return read_string(s, &left) != NULL && split_string(text, left, merge) && merge->left != 0 && merge->right != 0;
    if (!take(s, '[') || read_string(s, &left) == NULL || !take(s, ',') || read_string(s, &right) == NULL || !take(s, ']'))
        return false;
    merge->left = (uint32_t)left;
    merge->right = (uint32_t)right;
    return left != 0 && right != 0;
}

static bool read_merges(scan *s)
{
    bipe_json_lists *lists = s->lists;
    bool more = true;
    if (!take(s, '['))
        return false;
    while (more) {
        if (bipe_grow(&lists->merge, &lists->merge_capacity, lists->merges + 1, sizeof *lists->merge) != 0) {
            s->no_memory = true;
            return false;
        }
        if (lists->merges == BIPE_VOCABULARY_LIMIT || !read_merge(s, &lists->merge[lists->merges]) || !go_on(s, ']', &more))
            return false;
        lists->merges++;
    }
    lists->has_merges = true;
    return true;
}

/* ---- where they are ---- */

static bool skip_string(scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        if (*s->at == '\\' && ++s->at == s->end)
            return false;
    if (s->at == s->end)
        return false;
    s->at++;
    return true;
}

static bool skip_value(scan *s)
{
    size_t depth = 0;
    s->at = skip_blanks(s->at, s->end);
    while (s->at < s->end) {
        uint8_t c = *s->at;
        if (c == '"') {
            if (!skip_string(s))
                return false;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return true;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        s->at++;
    }
    return false;
}

/* The name of a member, its colon passed; one with an escape, which could be any name, is not taken. */
static bool read_name(scan *s, const uint8_t **name, size_t *size)
{
    s->at = skip_blanks(s->at, s->end);
    *name = s->at + 1;
    if (s->at == s->end || *s->at != '"' || !skip_string(s))
        return false;
    *size = (size_t)(s->at - *name) - 1;
    return memchr(*name, '\\', *size) == NULL && take(s, ':');
}

static bool is_name(const uint8_t *name, size_t size, const char *wanted)
{
    return size == strlen(wanted) && memcmp(name, wanted, size) == 0;
}

typedef struct span {
    const uint8_t *start, *end;
} span;

/* The lists of the object "model", and where they are: list[0] the first, list[1] the second or empty. */
static bool read_model(scan *s, span list[2])
{
    size_t found = 0, size;
    const uint8_t *name;
    bool more = true;
    if (!take(s, '{'))
        return false;
    while (more) {
        if (!read_name(s, &name, &size))
            return false;
        bool vocab = is_name(name, size, "vocab"), merges = is_name(name, size, "merges");
        if ((vocab && (s->lists->has_vocab || s->lists->has_pieces)) || (merges && s->lists->has_merges))
            return false;
        const uint8_t *start = s->at;
        if (!(vocab ? read_vocab(s) : merges ? read_merges(s) : skip_value(s)) || !go_on(s, '}', &more))
            return false;
        if (vocab || merges)
            list[found++] = (span){start, s->at - 1}; /* with blanks behind it, at most */
    }
    return found != 0;
}

static bool find_lists(scan *s, span list[2])
{
    size_t size;
    const uint8_t *name;
    bool more = true, found = false;
    if (!take(s, '{'))
        return false;
    while (more) {
        if (!read_name(s, &name, &size))
            return false;
        bool model = is_name(name, size, "model");
        if ((model && found) || !(model ? read_model(s, list) : skip_value(s)) || !go_on(s, '}', &more))
            return false;
        found = found || model;
    }
    return found;
}

/* The file with null in place of the lists; NULL: out of memory. */
static char *without_lists(const uint8_t *bytes, size_t size, const span list[2], size_t *rest)
{
    char *text = bipe_alloc(size + 10, 1);
    const uint8_t *from = bytes;
    *rest = 0;
    for (size_t i = 0; text != NULL && i < 2 && list[i].start != NULL; from = list[i++].end) {
        size_t n = (size_t)(list[i].start - from);
        memcpy(text + *rest, from, n);
        memcpy(text + *rest + n, " null", 5);
        *rest += n + 5;
    }
    if (text != NULL)
        memcpy(text + *rest, from, size - (size_t)(from - bytes));
    *rest += size - (size_t)(from - bytes);
    return text;
}

static int load_rest(bipe_json_lists *lists, const uint8_t *bytes, size_t size, json_t **root, bipe_error *err)
{
    span list[2] = {{NULL, NULL}, {NULL, NULL}};
    scan s = {.at = bytes, .end = bytes + size, .lists = lists, .limit = size + 65536};
    s.limit = s.limit < BIPE_VOCABULARY_LIMIT ? s.limit : BIPE_VOCABULARY_LIMIT;
    *root = NULL;
    if (size > UINT32_MAX)
        return BIPE_OK;
    lists->room = bipe_alloc(size, 1);
    s.out = lists->room;
    s.no_memory = lists->room == NULL;
    if (!s.no_memory && find_lists(&s, list)) {
        size_t rest;
        char *text = without_lists(bytes, size, list, &rest);
        s.no_memory = text == NULL;
        if (text != NULL)
            *root = json_loadb(text, rest, 0, NULL);
        bipe_free(text);
    }
    return s.no_memory ? bipe_fail_memory(err) : BIPE_OK;
}

int bipe_json_lists_load(bipe_json_lists *lists, const uint8_t *bytes, size_t size, json_t **root, bipe_error *err)
{
    json_error_t error;
    int status = load_rest(lists, bytes, size, root, err);
    if (status != BIPE_OK || *root != NULL)
        return status;
    bipe_json_lists_free(lists);
    *root = json_loadb((const char *)bytes, size, 0, &error);
    if (*root == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", error.line, error.column, error.text);
    return BIPE_OK;
}

void bipe_json_lists_free(bipe_json_lists *lists)
{
    bipe_free(lists->text);
    bipe_free(lists->score);
    bipe_free(lists->merge);
    bipe_free(lists->room);
    *lists = (bipe_json_lists){0};
}

/* ---- merges, from wherever they come ---- */

bool bipe_json_has_merges(const bipe_json_lists *lists, const json_t *merges)
{
    return (lists != NULL && lists->has_merges) || json_is_array(merges);
}

size_t bipe_json_merge_count(const bipe_json_lists *lists, const json_t *merges)
{
    return lists != NULL && lists->has_merges ? lists->merges : json_array_size(merges);
}

bool bipe_json_merge_at(const bipe_json_lists *lists, const json_t *merges, size_t i, bipe_named_merge *merge)
{
    *merge = (bipe_named_merge){.place = i, .rank = (uint32_t)i};
    if (lists != NULL && lists->has_merges) {
        const struct bipe_json_place *place = &lists->merge[i];
        merge->left = lists->room + place->at;
        merge->left_size = place->left;
        merge->right = merge->left + place->left + 1;
        merge->right_size = place->right;
        return true;
    }
    const json_t *json = json_array_get(merges, i);
    if (json_is_string(json)) {
        const char *text = json_string_value(json), *space = strchr(text, ' ');
        if (space == NULL || strchr(space + 1, ' ') != NULL)
            return false;
        merge->left = text;
        merge->left_size = (size_t)(space - text);
        merge->right = space + 1;
        merge->right_size = json_string_length(json) - merge->left_size - 1;
    } else {
        const json_t *left = json_array_get(json, 0), *right = json_array_get(json, 1);
        if (json_array_size(json) != 2 || !json_is_string(left) || !json_is_string(right))
            return false;
        merge->left = json_string_value(left);
        merge->left_size = json_string_length(left);
        merge->right = json_string_value(right);
        merge->right_size = json_string_length(right);
    }
    return merge->left_size != 0 && merge->right_size != 0;
}
