/* sentence_language.c - the words and letters of all lists, by which the language of a text is known; see
 * sentence_language.h. */
#include "text/sentence_language.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "text/break_class.h"
#include "text/utf8.h"

enum { MOST = 64, BIT = 16 /* parts of a bit */, FOREIGN_LETTER = BIT / 2 };
enum { ENOUGH = 8 * BIT, ENOUGH_IN_16_WORDS = 5 * BIT }; /* for a language to be taken */

/* A word, or a letter with LETTER before it. */
enum { LETTER = 1 };
typedef struct key {
    uint8_t size; /* 0: free */
    char text[BIPE_SENTENCE_WORD + 1];
    int weight;
    uint64_t lists; /* that have it, a bit each */
} key;

struct bipe_sentence_languages {
    char *argument;
    bipe_name_list names;
    bipe_sentence_tailoring *tailoring[MOST + 1]; /* those that texts had; the last one: without a list */
    bool opened[MOST + 1];
    key *key; /* (slots) open addressing */
    size_t slots, used;
    size_t list; /* the one whose words are being taken */
};

bool bipe_sentence_is_auto(const char *argument)
{
    for (const char *at = argument; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == 4 && memcmp(at, "auto", 4) == 0)
            return true;
    }
    return false;
}

/* ---- words ---- */

static key *find_key(const bipe_sentence_languages *l, const char *text, size_t size)
{
    size_t at = bipe_hash_bytes(BIPE_HASH_EMPTY, text, size) & (l->slots - 1);
    while (l->key[at].size != 0 && (l->key[at].size != size || memcmp(l->key[at].text, text, size) != 0))
        at = (at + 1) & (l->slots - 1);
    return &l->key[at];
}

static int grow_keys(bipe_sentence_languages *l, bipe_error *err)
{
    enum { FIRST = 1 << 14 };
    key *old = l->key;
    size_t slots = l->slots;
    if (2 * (l->used + 1) < slots)
        return BIPE_OK;
    key *more = bipe_alloc(slots != 0 ? 2 * slots : FIRST, sizeof *more);
    if (more == NULL)
        return bipe_fail_memory(err);
    l->key = more;
    l->slots = slots != 0 ? 2 * slots : FIRST;
    for (size_t i = 0; i < slots; i++)
        if (old[i].size != 0)
            *find_key(l, old[i].text, old[i].size) = old[i];
    bipe_free(old);
    return BIPE_OK;
}

static int add_key(bipe_sentence_languages *l, const char *text, size_t size, bipe_error *err)
{
    if (size > BIPE_SENTENCE_WORD)
        return BIPE_OK;
    int status = grow_keys(l, err);
    if (status != BIPE_OK)
        return status;
    key *k = find_key(l, text, size);
    l->used += k->size == 0;
    k->size = (uint8_t)size;
    memcpy(k->text, text, size);
    k->lists |= (uint64_t)1 << l->list;
    return BIPE_OK;
}

/* ---- words of a text ---- */

/* What a text is cut into: words in lower case, and letters beyond ASCII. */
typedef struct word_reader {
    const uint8_t *text;
    size_t size, at;
    char word[BIPE_SENTENCE_WORD + 1]; /* (word_size) too long: more than BIPE_SENTENCE_WORD */
    size_t word_size;
} word_reader;

/* A letter that is a word by itself, as in Chinese and Japanese. */
static bool stands_alone(int32_t code)
{
    bipe_word_class class = bipe_word_class_of(code);
    return class == BIPE_WB_OTHER_LETTER || class == BIPE_WB_KATAKANA;
}

static bool is_letter(int32_t code)
{
    bipe_sentence_class class = bipe_sentence_class_of(code);
    return class == BIPE_SB_LOWER || class == BIPE_SB_UPPER || class == BIPE_SB_OLETTER;
}

static bool continues(int32_t code)
{
    bipe_sentence_class class = bipe_sentence_class_of(code);
    return (is_letter(code) && !stands_alone(code)) || class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT;
}

static size_t next_character(const word_reader *r, int32_t *code)
{
    size_t n = bipe_utf8_decode(r->text + r->at, r->size - r->at, code);
    return n != 0 ? n : r->size - r->at;
}

static void take_character(word_reader *r, int32_t code)
{
    uint8_t bytes[4];
    size_t n = bipe_utf8_encode(utf8proc_tolower(code), bytes);
    if (r->word_size + n <= BIPE_SENTENCE_WORD)
        memcpy(r->word + r->word_size, bytes, n);
    r->word_size += n;
}

/* Goes to the next word. False: there is none. */
static bool next_word(word_reader *r)
{
    int32_t code = -1;
    size_t n = 0;
    r->word_size = 0;
    while (r->at < r->size && (n = next_character(r, &code), !is_letter(code)))
        r->at += n;
    if (r->at == r->size)
        return false;
    bool alone = stands_alone(code);
    do {
        take_character(r, code);
        r->at += n;
    } while (!alone && r->at < r->size && (n = next_character(r, &code), continues(code)));
    return true;
}

/* The next letter beyond ASCII of a word, as a key; its size, or 0: there is none. */
static size_t next_letter(const word_reader *r, size_t *at, char letter[1 + 4])
{
    size_t size = r->word_size <= BIPE_SENTENCE_WORD ? r->word_size : 0, n = 0;
    int32_t code;
    while (*at < size && (uint8_t)r->word[*at] < 0x80)
        ++*at;
    if (*at >= size)
        return 0;
    n = bipe_utf8_decode((const uint8_t *)r->word + *at, size - *at, &code);
    letter[0] = LETTER;
    memcpy(letter + 1, r->word + *at, n);
    *at += n;
    return 1 + n;
}

static int take_list_word(void *context, const char *word, bipe_error *err)
{
    bipe_sentence_languages *l = context;
    word_reader r = {.text = (const uint8_t *)word, .size = strlen(word)};
    int status = BIPE_OK;
    while (status == BIPE_OK && next_word(&r)) {
        char letter[1 + 4];
        size_t at = 0, n;
        status = add_key(l, r.word, r.word_size, err);
        while (status == BIPE_OK && (n = next_letter(&r, &at, letter)) != 0)
            status = add_key(l, letter, n, err);
    }
    return status;
}

/* ---- the language ---- */

static void count_lists(int32_t *score, uint64_t lists, int weight)
{
    for (int i = 0; lists != 0; i++, lists >>= 1)
        if ((lists & 1) != 0)
            score[i] += weight;
}

static void count_word(const bipe_sentence_languages *l, const word_reader *r, int32_t *score)
{
    char letter[1 + 4];
    int32_t code;
    size_t at = 0, n = bipe_utf8_decode((const uint8_t *)r->word, r->word_size, &code);
    if (r->word_size > BIPE_SENTENCE_WORD)
        return;
    const key *k = find_key(l, r->word, r->word_size);
    count_lists(score, k->lists, k->weight);
    if (n == r->word_size && stands_alone(code))
        return;
    while ((n = next_letter(r, &at, letter)) != 0)
        count_lists(score, ~find_key(l, letter, n)->lists, -FOREIGN_LETTER);
}

const char *bipe_sentence_language(const bipe_sentence_languages *l, const uint8_t *text, size_t size)
{
    int32_t score[MOST] = {0}, words = 0;
    word_reader r = {.text = text, .size = size < BIPE_LANGUAGE_TEXT ? size : BIPE_LANGUAGE_TEXT};
    size_t best = 0;
    bool tie = true;
    for (; next_word(&r); words++)
        count_word(l, &r, score);
    for (size_t i = 0; i < l->names.count; i++) {
        tie = (tie && i > 0 && score[i] <= score[best]) || (i > 0 && score[i] == score[best]);
        best = score[i] > score[best] ? i : best;
    }
    bool taken = !tie && score[best] >= ENOUGH && 16 * score[best] >= ENOUGH_IN_16_WORDS * words;
    return taken ? l->names.name[best] : NULL;
}

/* ---- opening ---- */

/* The argument with a name in place of "auto"; NULL: without either. */
static int name_list(bipe_buffer *to, const char *argument, const char *name, bipe_error *err)
{
    int status = bipe_buffer_append(to, "", 1, err);
    to->size = 0;
    for (const char *at = argument; at != NULL && status == BIPE_OK;) {
        size_t size = strcspn(at, ",");
        bool automatic = size == 4 && memcmp(at, "auto", 4) == 0;
        if (!automatic || name != NULL)
            status = bipe_buffer_printf(to, err, "%s%.*s", to->size != 0 ? "," : "",
                                        automatic ? (int)strlen(name) : (int)size, automatic ? name : at);
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    return status;
}

int bipe_sentence_languages_tailoring(bipe_sentence_languages *l, const char *name,
                                      const bipe_sentence_tailoring **tailoring, bipe_error *err)
{
    size_t i = 0;
    while (i < l->names.count && l->names.name[i] != name)
        i++;
    i = name != NULL ? i : MOST;
    bipe_buffer argument = {0};
    int status = BIPE_OK;
    if (!l->opened[i]) {
        status = name_list(&argument, l->argument, name, err);
        if (status == BIPE_OK && argument.size != 0)
            status = bipe_sentence_tailoring_open(&l->tailoring[i], (const char *)argument.data, err);
        l->opened[i] = status == BIPE_OK;
        bipe_buffer_free(&argument);
    }
    *tailoring = l->tailoring[i];
    return status;
}

static int read_lists(bipe_sentence_languages *l, bipe_error *err)
{
    int status = bipe_sentence_tailoring_languages(&l->names, err);
    if (status == BIPE_OK && l->names.count > MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "auto: %zu lists, expected at most %d", l->names.count, MOST);
    if (status == BIPE_OK)
        status = grow_keys(l, err);
    for (l->list = 0; l->list < l->names.count && status == BIPE_OK; l->list++) {
        bipe_sentence_tailoring *t;
        status = bipe_sentence_tailoring_open(&t, l->names.name[l->list], err);
        if (status == BIPE_OK)
            status = bipe_sentence_tailoring_words(t, take_list_word, l, err);
        bipe_sentence_tailoring_close(t);
    }
    for (size_t i = 0; i < l->slots && status == BIPE_OK; i++)
        if (l->key[i].size != 0) {
            int lists = 0;
            for (uint64_t bits = l->key[i].lists; bits != 0; bits &= bits - 1)
                lists++;
            l->key[i].weight = (int)lround(BIT * log2((double)l->names.count / lists));
        }
    return status;
}

int bipe_sentence_languages_open(bipe_sentence_languages **languages, const char *argument, bipe_error *err)
{
    const bipe_sentence_tailoring *rest;
    bipe_sentence_languages *l = *languages = bipe_alloc(1, sizeof *l);
    if (l == NULL || (l->argument = bipe_strdup(argument)) == NULL) {
        bipe_free(l);
        *languages = NULL;
        return bipe_fail_memory(err);
    }
    int status = read_lists(l, err);
    if (status == BIPE_OK) /* other lists of the argument are checked now */
        status = bipe_sentence_languages_tailoring(l, NULL, &rest, err);
    if (status != BIPE_OK) {
        bipe_sentence_languages_close(l);
        *languages = NULL;
    }
    return status;
}

void bipe_sentence_languages_close(bipe_sentence_languages *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; i <= MOST; i++)
        bipe_sentence_tailoring_close(l->tailoring[i]);
    bipe_name_list_free(&l->names);
    bipe_free(l->argument);
    bipe_free(l->key);
    bipe_free(l);
}
