/* json_lists.c - finds "vocab" and "merges" in the text of a tokenizer.json and reads them there.
 *
 * Every function that reads returns false, or NULL, for whatever is not of the plain form: also for what would be an error, such as an
 * id that comes twice. Then jansson reads the whole file. Outside of the lists strings and brackets alone are told apart, since
 * jansson reads that again, and refuses what is no JSON. */
#include "token/json/json_lists.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/json_number.h"
#include "token/json/json_scan.h"
#include "token/kind.h"
#include "token/vocabulary.h"

typedef struct scan {
    bipe_json_scan in;
    bipe_json_lists *lists;
    size_t limit;   /* of ids: no file of this size has more */
    char *out;      /* where the next string goes in lists->room */
    bool no_memory; /* that is why */
} scan;

static bool read_hex(scan *s, uint32_t *value)
{
    *value = 0;
    if (s->in.end - s->in.at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        uint8_t c = *s->in.at++, digit = (uint8_t)(c - '0'), letter = (uint8_t)((c | 0x20) - 'a');
        if (digit > 9 && letter > 5)
            return false;
        *value = *value << 4 | (digit <= 9 ? digit : letter + 10U);
    }
    return true;
}

/* What stands after a backslash. */
static bool read_escape(scan *s)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (s->in.at == s->in.end)
        return false;
    uint8_t c = *s->in.at++;
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
        if (s->in.end - s->in.at < 2 || s->in.at[0] != '\\' || s->in.at[1] != 'u')
            return false;
        s->in.at += 2;
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

/* A string, appended to the room with a NUL after it: never more bytes than it has in the file. */
static const char *read_string(scan *s, size_t *size)
{
    const char *text = s->out;
    if (!bipe_json_take(&s->in, '"'))
        return NULL;
    for (;;) {
        if (s->in.at == s->in.end)
            return NULL;
        uint8_t c = *s->in.at;
        if (c == '"')
            break;
        if (c < 0x20)
            return NULL;
        if (c == '\\') {
            s->in.at++;
            if (!read_escape(s))
                return NULL;
        } else if (c < 0x80) {
            *s->out++ = (char)c;
            s->in.at++;
        } else {
            int32_t code;
            size_t n = bipe_utf8_decode(s->in.at, (size_t)(s->in.end - s->in.at), &code);
            if (code < 0)
                return NULL;
            memcpy(s->out, s->in.at, n);
            s->out += n;
            s->in.at += n;
        }
    }
    s->in.at++;
    *size = (size_t)(s->out - text);
    *s->out++ = '\0';
    return text;
}

static bool read_id(scan *s, size_t *id)
{
    bipe_json_skip_blanks(&s->in);
    const uint8_t *first = s->in.at;
    for (*id = 0; s->in.at < s->in.end && (uint8_t)(*s->in.at - '0') < 10 && *id < BIPE_VOCABULARY_LIMIT; s->in.at++)
        *id = 10 * *id + (size_t)(*s->in.at - '0');
    return s->in.at > first && (*first != '0' || s->in.at == first + 1) && *id < s->limit;
}

static bool read_entry(scan *s)
{
    bipe_json_lists *lists = s->lists;
    size_t size, id;
    const char *text = read_string(s, &size);
    if (text == NULL || !bipe_json_take(&s->in, ':') || !read_id(s, &id))
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
    uint32_t *slot = bipe_alloc_large(slots, sizeof *slot);
    s->no_memory = slot == NULL;
    bool found = slot == NULL;
    for (size_t id = 0; id < lists->count && !found; id++) {
        const bipe_json_string *own = &lists->text[id];
        if (own->text == NULL)
            continue;
        uint64_t hash = bipe_vocabulary_hash((const uint8_t *)own->text, own->size) * UINT64_C(0xD6E8FEB86659FD93);
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
    if (id == s->limit || !bipe_json_take(&s->in, '[') || (lists->text[id].text = read_string(s, &lists->text[id].size)) == NULL ||
        !bipe_json_take(&s->in, ','))
        return false;
    bipe_json_skip_blanks(&s->in);
    lists->count++;
    const uint8_t *number = s->in.at;
    if (!bipe_json_read_number(&s->in.at, s->in.end, &lists->score[id]))
        return false;
    bool whole = true; /* jansson refuses whole numbers beyond 64 bits */
    for (const uint8_t *c = number; c < s->in.at; c++)
        whole = whole && *c != '.' && *c != 'e' && *c != 'E';
    return (!whole || s->in.at - number < 19) && bipe_json_take(&s->in, ']');
}

static bool read_pieces(scan *s)
{
    bool more = true;
    while (more)
        if (!read_piece(s) || !bipe_json_go_on(&s->in, ']', &more))
            return false;
    s->lists->has_pieces = true;
    return true;
}

static bool read_vocab(scan *s)
{
    bipe_json_lists *lists = s->lists;
    bool more = true;
    if (bipe_json_take(&s->in, '['))
        return read_pieces(s);
    if (!bipe_json_take(&s->in, '{'))
        return false;
    while (more)
        if (!read_entry(s) || !bipe_json_go_on(&s->in, '}', &more))
            return false;
    lists->has_vocab = lists->count <= 4 * lists->entries + 65536 && !has_doubles(s);
    return lists->has_vocab;
}

/* The first line of a merges.txt, which some files have as their first merge. */
static bool is_version(const char *text)
{
    return strncmp(text, "#version", 8) == 0;
}

/* "LEFT RIGHT": the space becomes the NUL between both. */
static bool split_string(char *text, size_t size, struct bipe_json_place *merge)
{
    char *space = memchr(text, ' ', size);
    if (space == NULL || memchr(space + 1, ' ', size - (size_t)(space + 1 - text)) != NULL || is_version(text))
        return false;
    *space = '\0';
    merge->left = (uint32_t)(space - text);
    merge->right = (uint32_t)(size - merge->left - 1);
    return true;
}

static bool read_merge(scan *s, bool array, struct bipe_json_place *merge)
{
    size_t left, right;
    char *text = s->out;
    merge->at = (uint32_t)(text - s->lists->room);
    if (!array)
        return read_string(s, &left) != NULL && split_string(text, left, merge) && merge->left != 0 && merge->right != 0;
    if (!bipe_json_take(&s->in, '[') || read_string(s, &left) == NULL || !bipe_json_take(&s->in, ',') || read_string(s, &right) == NULL ||
        !bipe_json_take(&s->in, ']'))
        return false;
    merge->left = (uint32_t)left;
    merge->right = (uint32_t)right;
    return left != 0 && right != 0;
}

static bool read_merges(scan *s)
{
    bipe_json_lists *lists = s->lists;
    bool more = true;
    if (!bipe_json_take(&s->in, '['))
        return false;
    bipe_json_skip_blanks(&s->in);
    bool arrays = s->in.at < s->in.end && *s->in.at == '['; /* if the first is one, all are */
    while (more) {
        if (bipe_grow(&lists->merge, &lists->merge_capacity, lists->merges + 1, sizeof *lists->merge) != 0) {
            s->no_memory = true;
            return false;
        }
        if (lists->merges == BIPE_VOCABULARY_LIMIT || !read_merge(s, arrays, &lists->merge[lists->merges]) || !bipe_json_go_on(&s->in, ']', &more))
            return false;
        lists->merges++;
    }
    lists->has_merges = true;
    return true;
}

/* ---- where they are ---- */

/* The lists of the object "model", and where they are: list[0] the first, list[1] the second or empty. */
static bool read_model(scan *s, bipe_json_span list[2])
{
    size_t found = 0;
    bipe_json_span name;
    bool more = true;
    if (!bipe_json_take(&s->in, '{'))
        return false;
    while (more) {
        if (!bipe_json_name(&s->in, &name))
            return false;
        bool vocab = bipe_json_is_name(name, "vocab"), merges = bipe_json_is_name(name, "merges");
        if ((vocab && (s->lists->has_vocab || s->lists->has_pieces)) || (merges && s->lists->has_merges))
            return false;
        const uint8_t *start = s->in.at;
        if (!(vocab ? read_vocab(s) : merges ? read_merges(s) : bipe_json_skip_value(&s->in)) || !bipe_json_go_on(&s->in, '}', &more))
            return false;
        if (vocab || merges)
            list[found++] = (bipe_json_span){start, s->in.at - 1}; /* with blanks after it, at most */
    }
    return found != 0;
}

static bool find_lists(scan *s, bipe_json_span list[2])
{
    bipe_json_span name;
    bool more = true, found = false;
    if (!bipe_json_take(&s->in, '{'))
        return false;
    while (more) {
        if (!bipe_json_name(&s->in, &name))
            return false;
        bool model = bipe_json_is_name(name, "model");
        if ((model && found) || !(model ? read_model(s, list) : bipe_json_skip_value(&s->in)) || !bipe_json_go_on(&s->in, '}', &more))
            return false;
        found = found || model;
    }
    return found;
}

static int load_rest(bipe_json_lists *lists, const uint8_t *bytes, size_t size, json_t **root, bipe_error *err)
{
    bipe_json_span list[2] = {{NULL, NULL}, {NULL, NULL}};
    scan s = {.in = {bytes, bytes + size}, .lists = lists, .limit = size + 65536};
    s.limit = s.limit < BIPE_VOCABULARY_LIMIT ? s.limit : BIPE_VOCABULARY_LIMIT;
    *root = NULL;
    if (size > UINT32_MAX)
        return BIPE_OK;
    lists->room = bipe_alloc_large_unset(size, 1);
    s.out = lists->room;
    s.no_memory = lists->room == NULL;
    if (!s.no_memory && find_lists(&s, list))
        *root = bipe_json_load_without(bytes, size, list, 2, &s.no_memory);
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

bool bipe_json_merge_at(const bipe_json_lists *lists, const json_t *merges, size_t i, bipe_named_merge *merge)
{
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
        if (is_version(text))
            return true;
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

struct both {
    const bipe_json_lists *lists;
    const json_t *merges;
};

static bool merge_at(const void *source, size_t i, bipe_named_merge *merge)
{
    const struct both *both = source;
    return bipe_json_merge_at(both->lists, both->merges, i, merge);
}

/* All are strings, or all are arrays. */
static int check_alike(const json_t *merges, bipe_error *err)
{
    const json_t *first = json_array_get(merges, 0), *merge;
    size_t i;
    json_array_foreach (merges, i, merge)
        if ((json_is_string(first) && json_is_array(merge)) || (json_is_array(first) && json_is_string(merge)))
            return bipe_fail(err, BIPE_ERR_FORMAT, "merges: %zu: %s, expected %s like the first", i,
                             json_is_string(merge) ? "a string" : "an array", json_is_string(first) ? "a string" : "an array");
    return BIPE_OK;
}

int bipe_json_merges(const bipe_json_lists *lists, const json_t *merges, bipe_merge_list *list, bipe_error *err)
{
    bool read = lists != NULL && lists->has_merges;
    if (!read && !json_is_array(merges))
        return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"merges\"");
    int status = read ? BIPE_OK : check_alike(merges, err);
    if (status != BIPE_OK)
        return status;
    return bipe_merge_list_read(list, read ? lists->merges : json_array_size(merges), merge_at, &(struct both){lists, merges}, err);
}
