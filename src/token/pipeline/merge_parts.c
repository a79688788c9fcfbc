/* merge_parts.c - see merge_parts.h.
 *
 * A merge that is the first to join the bytes on both sides of a place has a left side that ends there and a right side that begins there.
 * Between characters x and y of three bytes, the left side ends with x, or is one or two of its last bytes; the right side
 * begins with y, or is one or two of its first. Where none of the merges that come up is such a one, the place is a border, and what is on
 * each side of it becomes what it is by itself.
 *
 * Where a pre-token that is in the vocabulary is one token whatever the merges say, there is no border in one that merges do not make; and
 * it is left alone, since as a part it would be taken for a pre-token. */
#include "token/pipeline/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "token/pipeline/byte_letters.h"

enum {
    PAIRS_MOST = 1 << 18,
    STRINGS_AT_ONCE = 1024,
    LEADS = 16 /* bytes that characters of three bytes begin with: from 0xE0 on */
};

/* What a string begins or ends with: `bytes` of a character of three bytes, the others of which may be anything. */
typedef struct edge {
    uint16_t code;
    uint8_t bytes; /* 0: nothing of the kind */
} edge;

/* A string that is a token by itself alone, and ends with a character of three bytes. */
typedef struct lone {
    size_t at, size; /* in `text` */
    uint16_t tail;
} lone;

/* What ends so is joined to what begins so. */
typedef struct joint {
    edge left, right;
} joint;

typedef struct finder {
    const bipe_merge_model *model;
    edge *head, *tail; /* of each id */
    bool some_long;    /* some strings that have a character of three bytes may be longer than short words */
    joint *joint;
    size_t joints, joint_capacity, pairs; /* pairs: of characters, that they are */
    bipe_buffer text;
    lone *lone;
    size_t lones, lone_capacity;
} finder;

/* ---- strings ---- */

/* The bytes of a string that stand for bytes: how many, at most `most`; 0 where something in it stands for none. */
static size_t bytes_of(const bipe_merge_model *m, const uint8_t *text, size_t size, uint8_t *bytes, size_t most)
{
    size_t count = 0;
    for (size_t i = 0, n; i < size && count < most; i += n) {
        int byte = bipe_string_byte(m->letters, text, size, i, &n);
        if (byte < 0)
            return 0;
        bytes[count++] = (uint8_t)byte;
    }
    return count;
}

/* Whether one may have a character of three bytes. As a letter, a byte that begins one is that character of Latin-1. */
static bool may_have(const bipe_merge_model *m, const uint8_t *text, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (m->letters ? text[i] == 0xC3 && text[i + 1] >= 0xA0 : text[i] >= 0xE0)
            return true;
    return false;
}

static bool goes_on(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

static edge head_of(const uint8_t *bytes, size_t size)
{
    if (size == 0 || (bytes[0] & 0xF0) != 0xE0 || (size > 1 && !goes_on(bytes[1])) || (size > 2 && !goes_on(bytes[2])))
        return (edge){0};
    unsigned second = size > 1 ? bytes[1] & 0x3Fu : 0, third = size > 2 ? bytes[2] & 0x3Fu : 0;
    return (edge){.code = (uint16_t)((bytes[0] & 0xFu) << 12 | second << 6 | third), .bytes = (uint8_t)(size < 3 ? size : 3)};
}

static edge tail_of(const uint8_t *bytes, size_t size)
{
    bytes += size;
    if (size == 0 || !goes_on(bytes[-1]) || (size > 1 && !goes_on(bytes[-2])) || (size > 2 && (bytes[-3] & 0xF0) != 0xE0))
        return (edge){0};
    unsigned second = size > 1 ? bytes[-2] & 0x3Fu : 0, first = size > 2 ? bytes[-3] & 0xFu : 0;
    return (edge){.code = (uint16_t)(first << 12 | second << 6 | (bytes[-1] & 0x3Fu)), .bytes = (uint8_t)(size < 3 ? size : 3)};
}

/* Where the last three letters or bytes of a string begin. */
static size_t last_three(const bipe_merge_model *m, const uint8_t *text, size_t size)
{
    size_t at = size;
    for (int n = 0; n < 3 && at != 0; n++)
        for (at--; m->letters && at != 0 && goes_on(text[at]);)
            at--;
    return at;
}

static int find_edges(finder *f)
{
    const bipe_merge_model *m = f->model;
    f->head = bipe_alloc(m->count, sizeof *f->head);
    f->tail = bipe_alloc(m->count, sizeof *f->tail);
    if (f->head == NULL || f->tail == NULL)
        return -1;
    for (size_t id = 0; id < m->count; id++) {
        uint8_t bytes[3];
        size_t size, at;
        const uint8_t *text = bipe_vocabulary_text(m->vocabulary, (uint32_t)id, &size);
        f->some_long = f->some_long || (size > BIPE_BYTE_MERGES_MOST && may_have(m, text, size));
        if (size != 0 && (m->letters ? text[0] == 0xC3 : text[0] >= 0xE0))
            f->head[id] = head_of(bytes, bytes_of(m, text, size, bytes, 3));
        if (size == 0 || text[size - 1] < 0x80)
            continue;
        at = last_three(m, text, size);
        f->tail[id] = tail_of(bytes, bytes_of(m, text + at, size - at, bytes, 3));
    }
    return 0;
}

/* ---- pairs ---- */

/* So many characters begin (end) so. */
static size_t heads(edge head)
{
    return head.bytes == 3 ? 1 : head.bytes == 2 ? 1 << 6 : 1 << 12;
}

static int add_joint(finder *f, edge left, edge right)
{
    if (left.bytes == 0 || right.bytes == 0)
        return 0;
    if (bipe_grow(&f->joint, &f->joint_capacity, f->joints + 1, sizeof *f->joint) != 0)
        return -1;
    f->joint[f->joints++] = (joint){left, right};
    f->pairs += left.bytes == 2 && right.bytes == 3 ? LEADS : heads(right);
    return f->pairs <= PAIRS_MOST ? 0 : -1;
}

/* Those of merges: all that short words know, and what makes longer strings. */
static int find_joints(finder *f)
{
    const bipe_merge_model *m = f->model;
    uint32_t left, right;
    int status = 0;
    for (size_t i = 0; status == 0 && i < bipe_byte_merges_places(&m->quick); i++)
        if (bipe_byte_merges_at(&m->quick, i, &left, &right))
            status = add_joint(f, f->tail[left], f->head[right]);
    for (size_t i = 0; f->some_long && status == 0 && i <= m->merges.mask; i++) {
        const bipe_pair_entry *e = &m->merges.entry[i];
        size_t size = 0;
        if (e->key == BIPE_PAIR_EMPTY || f->tail[e->key >> 32].bytes == 0 || f->head[(uint32_t)e->key].bytes == 0)
            continue;
        bipe_vocabulary_text(m->vocabulary, e->b, &size);
        if (size > BIPE_BYTE_MERGES_MOST)
            status = add_joint(f, f->tail[e->key >> 32], f->head[(uint32_t)e->key]);
    }
    return status;
}

static void put_joint(bipe_pretoken_parts *parts, edge left, edge right)
{
    for (uint32_t y = right.code; y < right.code + heads(right); y++) {
        if (left.bytes == 3)
            bipe_pretoken_parts_join(parts, left.code, y);
        for (uint32_t lead = 0; left.bytes == 2 && right.bytes == 3 && lead < LEADS; lead++)
            bipe_pretoken_parts_join(parts, lead << 12 | left.code, y);
        if (left.bytes == 1 || (left.bytes == 2 && right.bytes != 3))
            bipe_pretoken_parts_join_last(parts, (uint8_t)(left.code & 0x3F), y);
    }
}

/* ---- strings that are tokens by themselves alone ---- */

/* Nothing is joined to one that is told by its beginning. */
static int add_lone(finder *f, const uint8_t *bytes, size_t size)
{
    edge head = head_of(bytes, size), tail = tail_of(bytes, size);
    int status = 0;
    for (size_t i = 3; status == 0 && i + 3 <= size; i++)
        status = add_joint(f, tail_of(bytes, i), head_of(bytes + i, 3));
    for (uint8_t last = 0; status == 0 && head.bytes == 3 && tail.bytes != 3 && last < 0x40; last++)
        status = add_joint(f, (edge){.code = last, .bytes = 1}, head);
    if (status != 0 || tail.bytes != 3)
        return status;
    if (bipe_grow(&f->lone, &f->lone_capacity, f->lones + 1, sizeof *f->lone) != 0)
        return -1;
    f->lone[f->lones++] = (lone){.at = (size_t)(bytes - f->text.data), .size = size, .tail = tail.code};
    return 0;
}

/* The bytes of those strings of the vocabulary that have a character of three bytes: string k is [end[k - 1], end[k]) of the text. */
static int list_strings(finder *f, size_t **end, size_t *count)
{
    const bipe_merge_model *m = f->model;
    bipe_error err;
    *count = 0;
    *end = bipe_realloc(NULL, m->count, sizeof **end);
    if (*end == NULL)
        return -1;
    for (size_t id = 0; id < m->count; id++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(m->vocabulary, (uint32_t)id, &size);
        if (!may_have(m, text, size))
            continue;
        if (bipe_buffer_reserve(&f->text, size, &err) != BIPE_OK)
            return -1;
        uint8_t *to = f->text.data + f->text.size;
        size = bytes_of(m, text, size, to, size);
        bool found = false;
        for (size_t i = 0; !found && i + 3 <= size; i++)
            found = head_of(to + i, 3).bytes != 0;
        if (found)
            (*end)[(*count)++] = f->text.size += size;
    }
    if (bipe_buffer_reserve(&f->text, BIPE_WORD_READ, &err) != BIPE_OK)
        return -1;
    memset(f->text.data + f->text.size, 0, BIPE_WORD_READ);
    return 0;
}

static int find_lone(finder *f)
{
    size_t *end, count, done = 0;
    bipe_piece_tokens tokens = {0};
    bipe_new_word *word = bipe_alloc(STRINGS_AT_ONCE, sizeof *word);
    int status = list_strings(f, &end, &count);
    status = word != NULL ? status : -1;
    while (status == 0 && done < count) {
        size_t n = 0;
        for (; n < STRINGS_AT_ONCE && done + n < count; n++) {
            size_t at = done + n != 0 ? end[done + n - 1] : 0, size = end[done + n] - at;
            word[n] = (bipe_new_word){.text = f->text.data + at, .size = size, .count = size > BIPE_BYTE_MERGES_MOST ? 2 : 0};
        }
        tokens.count = 0;
        status = bipe_byte_merges_run(&f->model->quick, word, n, &tokens);
        for (size_t k = 0; k < n && status == 0; k++)
            if (word[k].count != 1)
                status = add_lone(f, word[k].text, word[k].size);
        done += n;
    }
    bipe_free(word);
    bipe_free(end);
    bipe_free(tokens.token);
    return status;
}

static int by_tail(const void *a, const void *b)
{
    const lone *one = a, *other = b;
    return (one->tail > other->tail) - (one->tail < other->tail);
}

static int leave_lone(finder *f, bipe_pretoken_parts *parts)
{
    bipe_error err;
    int status = BIPE_OK;
    if (f->lones != 0)
        qsort(f->lone, f->lones, sizeof *f->lone, by_tail);
    for (size_t i = 0; status == BIPE_OK && i < f->lones; i++)
        status = bipe_pretoken_parts_leave(parts, f->text.data + f->lone[i].at, f->lone[i].size, f->lone[i].tail, &err);
    return status == BIPE_OK ? 0 : -1;
}

/* ---- the whole ---- */

static int find(finder *f, bipe_pretoken_parts *parts)
{
    if (find_edges(f) != 0 || find_joints(f) != 0 || (f->model->whole && find_lone(f) != 0))
        return -1;
    if (bipe_pretoken_parts_open(parts, f->pairs) != 0)
        return -1;
    for (size_t i = 0; i < f->joints; i++)
        put_joint(parts, f->joint[i].left, f->joint[i].right);
    return leave_lone(f, parts);
}

void bipe_merge_parts_find(bipe_pretoken_parts *parts, const bipe_merge_model *model)
{
    finder f = {.model = model};
    if (model->quick.byte != NULL && find(&f, parts) != 0)
        bipe_pretoken_parts_free(parts);
    bipe_free(f.head);
    bipe_free(f.tail);
    bipe_free(f.joint);
    bipe_free(f.lone);
    bipe_buffer_free(&f.text);
}
