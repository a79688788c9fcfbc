/* sentence_tailoring.c - reads lists of abbreviations and marks, refuses entries that say nothing, and finds words and
 * marks in them. */
#include "text/sentence_tailoring.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/input.h"
#include "base/installed.h"
#include "text/break_class.h"
#include "text/utf8.h"

enum { LARGEST_FILE = 1 << 20 };

static const char ending[] = ".txt"; /* of the lists of languages */

typedef struct entry {
    char word[BIPE_SENTENCE_WORD + 1];
    uint32_t list, line; /* the list's number: the last one that has a word counts */
    size_t size;         /* of the word */
    int section;
} entry;

typedef struct word_set {
    entry *entry; /* (count) sorted, once all files are read */
    size_t count, capacity;
    size_t first[256 + 1]; /* those that begin with byte b: from first[b] to before first[b + 1] */
    uint32_t sizes[256];   /* their sizes, a bit each */
} word_set;

struct bipe_sentence_tailoring {
    word_set abbreviations, starts, marks, words;
    bipe_sentence_samples samples;
    uint32_t lists;
    bool wrapped;
    bipe_error override; /* the first of those that bipe_sentence_tailoring_overrides() counts */
    size_t overrides;
};

/* The sections that hold abbreviations have their meaning as a number. */
enum { START = BIPE_NO_ABBREVIATION, STOP = BIPE_ABBREVIATION_END + 1, OPEN, CLOSE, WORDS, NO_SECTION = -1 };

static const char *const sections[] = {
    [START] = "[start]",
    [BIPE_ABBREVIATION_NEVER] = "[never]",
    [BIPE_ABBREVIATION_NUMBER] = "[number]",
    [BIPE_ABBREVIATION_UNCERTAIN] = "[uncertain]",
    [BIPE_ABBREVIATION_END] = "[end]",
    [STOP] = "[stop]",
    [OPEN] = "[open]",
    [CLOSE] = "[close]",
    [WORDS] = "[words]",
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static const char *const expected[] = {
    [START] = "letters and digits, beginning with a capital",
    [BIPE_ABBREVIATION_NEVER] = "letters and digits, with single full stops between them",
    [STOP] = "up to 8 bytes that do not begin with a letter, a digit or a full stop",
    [WORDS] = "letters",
};

/* ---- reading ---- */

static int read_whole_file(bipe_buffer *text, const char *path, bipe_error *err)
{
    bipe_input *input;
    int status = bipe_input_open(&input, path, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_input_read_all(input, text, LARGEST_FILE, err);
    if (status == BIPE_OK && text->size > LARGEST_FILE)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: a list of more than %d bytes, expected fewer", path, LARGEST_FILE);
    bipe_input_close(input);
    return status;
}

static bool is_word(bipe_sentence_class class)
{
    return class == BIPE_SB_UPPER || class == BIPE_SB_LOWER || class == BIPE_SB_OLETTER || class == BIPE_SB_NUMERIC;
}

static bool is_mark_section(int section)
{
    return section >= STOP && section <= CLOSE;
}

static bool can_match_mark(const char *mark, size_t size)
{
    int32_t code;
    bipe_utf8_decode((const uint8_t *)mark, size, &code);
    return size <= BIPE_SENTENCE_MARK && bipe_is_utf8((const uint8_t *)mark, size) && code != '.' &&
           !is_word(bipe_sentence_class_of(code));
}

/* Whether some text has the word, as the segmenter sees words: letters and digits, with single full stops within an
 * abbreviation; one that begins a sentence begins with a letter that may. */
static bool can_match(int section, const char *word, size_t size)
{
    bool start = section == START, dotted = true;
    if (is_mark_section(section))
        return can_match_mark(word, size);
    for (size_t at = 0, n; at < size; at += n) {
        int32_t code;
        n = bipe_utf8_decode((const uint8_t *)word + at, size - at, &code);
        bipe_sentence_class class = bipe_sentence_class_of(code);
        bool letter = class == BIPE_SB_UPPER || class == BIPE_SB_OLETTER ||
                      (class == BIPE_SB_LOWER && (!start || at > 0 || (code < 0x80 && size > 1)));
        bool later = class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT || (start && class == BIPE_SB_NUMERIC);
        bool dot = code == '.' && !start && !dotted, digit = class == BIPE_SB_NUMERIC && !start;
        if (n == 0 || !(letter || (at > 0 && later) || (section != WORDS && (dot || digit))))
            return false;
        dotted = dot;
    }
    return !dotted;
}

static bool same(const char *word, size_t size, const char *as)
{
    return strlen(as) == size && memcmp(word, as, size) == 0;
}

/* Whether the word stands for others, which are known by its section alone. */
static bool add_sample(bipe_sentence_samples *samples, int section, const char *word, size_t size)
{
    if (section == OPEN && same(word, size, "a"))
        samples->small = true;
    else if (section == OPEN && same(word, size, "1"))
        samples->digits = true;
    else if (section == CLOSE && same(word, size, "[1]"))
        samples->bracketed = true;
    else if (section > START && section < STOP && same(word, size, "1."))
        samples->number = (bipe_abbreviation)section;
    else if (section > START && section < STOP && same(word, size, "II."))
        samples->numeral = (bipe_abbreviation)section;
    else
        return false;
    return true;
}

static int add_word(bipe_sentence_tailoring *t, int section, uint32_t line, const char *word, size_t size,
                    bipe_error *err)
{
    word_set *set = section == START           ? &t->starts
                    : section == WORDS         ? &t->words
                    : is_mark_section(section) ? &t->marks
                                               : &t->abbreviations;
    size_t written = size;
    if (add_sample(&t->samples, section, word, size))
        return BIPE_OK;
    if (section > START && section < STOP && word[size - 1] == '.')
        size--;
    if (size == 0 || size > BIPE_SENTENCE_WORD)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a word of %zu bytes, expected 1 to %d", size, BIPE_SENTENCE_WORD);
    if (!can_match(section, word, size))
        return bipe_fail(err, BIPE_ERR_FORMAT, "'%.*s' in %s can match no text, expected %s", (int)written, word,
                         sections[section],
                         expected[is_mark_section(section)                      ? STOP
                                  : section == START || section == WORDS ? section
                                                                         : BIPE_ABBREVIATION_NEVER]);
    if (bipe_grow(&set->entry, &set->capacity, set->count + 1, sizeof *set->entry) != 0)
        return bipe_fail_memory(err);
    entry *e = &set->entry[set->count];
    *e = (entry){.list = t->lists, .line = line, .size = size, .section = section};
    set->count++;
    memcpy(e->word, word, size);
    return BIPE_OK;
}

static int find_section(const char *word, size_t size)
{
    for (int i = 0; i < SECTIONS; i++)
        if (same(word, size, sections[i]))
            return i;
    return NO_SECTION;
}

static int read_line(bipe_sentence_tailoring *t, char *line, uint32_t number, int *section, bipe_error *err)
{
    static const char blanks[] = " \t\r\f\v";
    line[strcspn(line, "#")] = '\0';
    for (char *word = line + strspn(line, blanks); *word != '\0'; word += strspn(word, blanks)) {
        size_t size = strcspn(word, blanks);
        bool name = *word == '[' && !(*section == CLOSE && same(word, size, "[1]"));
        if (name)
            *section = find_section(word, size);
        if (*section == NO_SECTION)
            return bipe_fail(
                err, BIPE_ERR_FORMAT,
                "'%.*s', expected one of [never], [number], [uncertain], [end], [start], [stop], [open], [close] and "
                "[words]%s",
                size < 40 ? (int)size : 40, word, *word == '[' ? "" : " before it");
        int status = name ? BIPE_OK : add_word(t, *section, number, word, size, err);
        if (status != BIPE_OK)
            return status;
        word += size;
    }
    return BIPE_OK;
}

static int by_word(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->word, y->word);
    order = order != 0 ? order : (x->list > y->list) - (x->list < y->list);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

/* Sorts, keeps of equal words that of the last list, and refuses words that the present list, `path`, has twice. */
static int join_list(bipe_sentence_tailoring *t, word_set *set, const char *path, bipe_error *err)
{
    size_t kept = 0;
    if (set->count > 1)
        qsort(set->entry, set->count, sizeof *set->entry, by_word);
    for (size_t i = 0; i < set->count; i++) {
        const entry *e = &set->entry[i], *next = e + 1;
        if (i + 1 == set->count || strcmp(e->word, next->word) != 0) {
            set->entry[kept++] = *e;
        } else if (e->list == next->list) {
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %u: '%s' is in %s, and in %s at line %u, expected it once",
                             path, (unsigned)next->line, next->word, sections[next->section],
                             e->section == next->section ? "the same section" : sections[e->section],
                             (unsigned)e->line);
        } else if (e->section != next->section && t->overrides++ == 0) {
            bipe_fail(&t->override, BIPE_ERR_FORMAT,
                      "%s: line %u: '%s' in %s overrides line %u of an earlier list, which has it in %s", path,
                      (unsigned)next->line, next->word, sections[next->section], (unsigned)e->line,
                      sections[e->section]);
        }
    }
    set->count = kept;
    for (size_t b = 0, i = 0; b <= 256; b++) {
        while (i < kept && (uint8_t)set->entry[i].word[0] < b)
            i++;
        set->first[b] = i;
    }
    memset(set->sizes, 0, sizeof set->sizes);
    for (size_t i = 0; i < kept; i++)
        set->sizes[(uint8_t)set->entry[i].word[0]] |= (uint32_t)1 << set->entry[i].size;
    return BIPE_OK;
}

static int read_list(bipe_sentence_tailoring *t, const char *path, bipe_error *err)
{
    bipe_buffer text = {0};
    int status = read_whole_file(&text, path, err), section = NO_SECTION;
    if (status == BIPE_OK)
        status = bipe_buffer_append(&text, "", 1, err);
    size_t number = 1;
    for (size_t at = 0; at < text.size && status == BIPE_OK; number++) {
        char *line = (char *)text.data + at;
        size_t size = strcspn(line, "\n");
        line[size] = '\0';
        at += size + 1;
        status = read_line(t, line, (uint32_t)number, &section, err);
        if (status == BIPE_ERR_FORMAT)
            bipe_error_prefix(err, "%s: line %zu", path, number);
    }
    bipe_buffer_free(&text);
    if (status == BIPE_OK)
        status = join_list(t, &t->abbreviations, path, err);
    if (status == BIPE_OK)
        status = join_list(t, &t->starts, path, err);
    if (status == BIPE_OK)
        status = join_list(t, &t->marks, path, err);
    if (status == BIPE_OK)
        status = join_list(t, &t->words, path, err);
    t->lists++;
    return status;
}

/* ---- finding lists ---- */

static bool is_name(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] == '\0';
}

/* The next of the folders that lists are in: those of BIPE_SENTENCE_PATH, from *paths on, then the installed ones.
 * False: there is none; *paths starts as NULL. The folder is (*size) bytes, not 0. */
static bool next_folder(const char **paths, char installed[BIPE_INSTALLED_SIZE], const char **folder, size_t *size)
{
    static const char none[] = "";
    const char *first = getenv("BIPE_SENTENCE_PATH");
    *paths = *paths != NULL ? *paths : first != NULL ? first : none;
    while (**paths == ':')
        ++*paths;
    if (*paths == installed)
        return false;
    *folder = **paths != '\0' ? *paths : bipe_installed_folder(BIPE_INSTALLED_SENTENCES, installed);
    *size = strcspn(*folder, **paths != '\0' ? ":" : "");
    *paths = **paths != '\0' ? *paths + *size : installed;
    return true;
}

int bipe_sentence_tailoring_languages(bipe_name_list *names, bipe_error *err)
{
    char installed[BIPE_INSTALLED_SIZE];
    const char *paths = NULL, *at;
    size_t size, kept = 0;
    bipe_buffer folder = {0};
    int status = BIPE_OK;
    while (status == BIPE_OK && next_folder(&paths, installed, &at, &size)) {
        folder.size = 0;
        status = bipe_buffer_printf(&folder, err, "%.*s", (int)size, at);
        if (status == BIPE_OK)
            status = bipe_name_list_read(names, (const char *)folder.data, ending, err);
        status = status == BIPE_ERR_IO ? BIPE_OK : status; /* a folder that is not there has none */
    }
    bipe_buffer_free(&folder);
    bipe_name_list_sort(names);
    for (size_t i = 0; i < names->count; i++) {
        char *name = names->name[i];
        name[strlen(name) - strlen(ending)] = '\0';
        if (is_name(name) && (kept == 0 || strcmp(names->name[kept - 1], name) != 0))
            names->name[kept++] = name;
        else
            bipe_free(name);
    }
    names->count = kept;
    return status;
}

static int fail_language(const char *name, bipe_error *err)
{
    bipe_name_list names = {0};
    bipe_buffer known = {0};
    int status = bipe_sentence_tailoring_languages(&names, err);
    for (size_t i = 0; i < names.count && status == BIPE_OK; i++)
        status = bipe_buffer_printf(&known, err, "%s, ", names.name[i]);
    if (status == BIPE_OK)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "'%s': no such list, expected one of %sauto or wrapped, or the path of a list", name,
                           known.size != 0 ? (const char *)known.data : "");
    bipe_buffer_free(&known);
    bipe_name_list_free(&names);
    return status;
}

/* Reads the list of a language from the first folder that has it. */
static int read_language(bipe_sentence_tailoring *t, const char *name, bipe_error *err)
{
    char installed[BIPE_INSTALLED_SIZE];
    const char *paths = NULL, *folder;
    size_t size;
    bipe_buffer path = {0};
    int status = BIPE_OK;
    bool there = false;
    while (!there && status == BIPE_OK && next_folder(&paths, installed, &folder, &size)) {
        path.size = 0;
        status = bipe_buffer_printf(&path, err, "%.*s/%s%s", (int)size, folder, name, ending);
        there = status == BIPE_OK && access((const char *)path.data, F_OK) == 0;
    }
    if (status == BIPE_OK)
        status = there ? read_list(t, (const char *)path.data, err) : fail_language(name, err);
    bipe_buffer_free(&path);
    return status;
}

static int read_part(bipe_sentence_tailoring *t, const char *part, bipe_error *err)
{
    if (strcmp(part, "wrapped") == 0) {
        t->wrapped = true;
        return BIPE_OK;
    }
    if (*part == '\0')
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "a name is empty, expected sentence:LANG, sentence:auto, sentence:FILE, sentence:wrapped or "
                         "several of these, separated by commas");
    return is_name(part) ? read_language(t, part, err) : read_list(t, part, err);
}

static int read_parts(bipe_sentence_tailoring *t, char *parts, bipe_error *err)
{
    int status = BIPE_OK;
    for (char *part = parts; part != NULL && status == BIPE_OK;) {
        char *comma = strchr(part, ',');
        if (comma != NULL)
            *comma = '\0';
        status = read_part(t, part, err);
        part = comma != NULL ? comma + 1 : NULL;
    }
    return status;
}

/* ---- looking up ---- */

static const entry *find_entry(const word_set *set, const char *word)
{
    size_t low = set->first[(uint8_t)word[0]], high = set->first[(uint8_t)word[0] + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(word, set->entry[middle].word);
        if (order == 0)
            return &set->entry[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Tries a word as written, then in lower case except its first letter (MR: Mr), then in lower case (E.g: e.g); the last
 * list that has one of these counts. One letter is tried as written: L. is an initial, even if l. is listed. */
static const entry *look_up_word(const word_set *set, const char *word, size_t size)
{
    char form[BIPE_SENTENCE_WORD + 1];
    if (size == 0 || size > BIPE_SENTENCE_WORD || set->count == 0)
        return NULL;
    uint8_t first = (uint8_t)word[0], small = first >= 'A' && first <= 'Z' ? (uint8_t)(first + 'a' - 'A') : first;
    if (((set->sizes[first] | set->sizes[small]) >> size & 1) == 0)
        return NULL;
    memcpy(form, word, size);
    form[size] = '\0';
    const entry *found = find_entry(set, form);
    for (size_t from = 1; size > 1 && from < 2; from--) {
        bool changed = false;
        for (size_t i = from; i < size; i++)
            if (form[i] >= 'A' && form[i] <= 'Z') {
                form[i] = (char)(form[i] + 'a' - 'A');
                changed = true;
            }
        const entry *other = changed ? find_entry(set, form) : NULL;
        if (other != NULL && (found == NULL || other->list > found->list))
            found = other;
    }
    return found;
}

bipe_abbreviation bipe_sentence_tailoring_abbreviation(const bipe_sentence_tailoring *t, const char *word, size_t size)
{
    const entry *found = look_up_word(&t->abbreviations, word, size);
    return found != NULL ? (bipe_abbreviation)found->section : BIPE_NO_ABBREVIATION;
}

bool bipe_sentence_tailoring_goes_on(const bipe_sentence_tailoring *t, const char *word, size_t size)
{
    const word_set *set = &t->abbreviations;
    size_t low = set->first[(uint8_t)word[0]], high = set->first[(uint8_t)word[0] + 1], end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(set->entry[middle].word, word, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && strncmp(set->entry[low].word, word, size) == 0;
}

bool bipe_sentence_tailoring_starts(const bipe_sentence_tailoring *t, const char *word, size_t size)
{
    return look_up_word(&t->starts, word, size) != NULL;
}

bool bipe_sentence_tailoring_has_starts(const bipe_sentence_tailoring *t)
{
    return t->starts.count != 0;
}

static unsigned mark_kind(const entry *e)
{
    return 1U << (e->section - STOP);
}

unsigned bipe_sentence_tailoring_marks(const bipe_sentence_tailoring *t, uint8_t first)
{
    unsigned kinds = 0;
    for (size_t i = t->marks.first[first]; i < t->marks.first[first + 1]; i++)
        kinds |= mark_kind(&t->marks.entry[i]);
    return kinds;
}

void bipe_sentence_tailoring_seconds(const bipe_sentence_tailoring *t, unsigned kinds, bool second[256])
{
    for (int b = 0; b < 256; b++)
        second[b] = false;
    for (size_t i = 0; i < t->marks.count; i++) {
        const entry *e = &t->marks.entry[i];
        for (int b = 0; b < 256 && (mark_kind(e) & kinds) != 0; b++)
            second[b] = second[b] || e->size == 1 || b == (uint8_t)e->word[1];
    }
}

/* A mark that ends with a letter, such as :D, is none before another one. */
static bool ends_here(const char *mark, size_t length, const uint8_t *text, size_t size, bool *open)
{
    int32_t code;
    uint8_t last = (uint8_t)mark[length - 1];
    if (last >= 0x80 || !is_word(bipe_sentence_class_of(last)))
        return true;
    *open = *open || length == size;
    return length == size || bipe_utf8_decode(text + length, size - length, &code) == 0 ||
           !is_word(bipe_sentence_class_of(code));
}

bipe_sentence_mark bipe_sentence_tailoring_mark(const bipe_sentence_tailoring *t, unsigned kinds, const uint8_t *text,
                                                size_t *size, bool *open)
{
    const entry *found = NULL;
    size_t longest = 0;
    *open = false;
    for (size_t i = t->marks.first[text[0]]; i < t->marks.first[text[0] + 1]; i++) {
        const entry *e = &t->marks.entry[i];
        size_t length = e->size;
        bool differs = *size > 1 && length > 1 && (uint8_t)e->word[1] != text[1]; /* usually */
        if ((mark_kind(e) & kinds) == 0 || differs || memcmp(e->word, text, length < *size ? length : *size) != 0)
            continue;
        if (length > *size) {
            *open = true;
        } else if (length > longest && ends_here(e->word, length, text, *size, open)) {
            found = e;
            longest = length;
        }
    }
    *size = longest;
    return found != NULL ? (bipe_sentence_mark)mark_kind(found) : BIPE_MARK_NONE;
}

const bipe_sentence_samples *bipe_sentence_tailoring_samples(const bipe_sentence_tailoring *t)
{
    return &t->samples;
}

int bipe_sentence_tailoring_words(const bipe_sentence_tailoring *t,
                                  int (*take)(void *context, const char *word, bipe_error *err), void *context,
                                  bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < t->words.count && status == BIPE_OK; i++)
        status = take(context, t->words.entry[i].word, err);
    for (size_t i = 0; i < t->starts.count && status == BIPE_OK; i++)
        status = take(context, t->starts.entry[i].word, err);
    return status;
}

size_t bipe_sentence_tailoring_overrides(const bipe_sentence_tailoring *t, const char **first)
{
    *first = t->override.text;
    return t->overrides;
}

bool bipe_sentence_tailoring_wrapped(const bipe_sentence_tailoring *t)
{
    return t->wrapped;
}

int bipe_sentence_tailoring_open(bipe_sentence_tailoring **tailoring, const char *argument, bipe_error *err)
{
    bipe_sentence_tailoring *t = bipe_alloc(1, sizeof *t);
    char *parts = bipe_strdup(argument);
    int status = t != NULL && parts != NULL ? read_parts(t, parts, err) : bipe_fail_memory(err);
    bipe_free(parts);
    if (status != BIPE_OK) {
        bipe_sentence_tailoring_close(t);
        t = NULL;
    }
    *tailoring = t;
    return status;
}

void bipe_sentence_tailoring_close(bipe_sentence_tailoring *t)
{
    if (t == NULL)
        return;
    bipe_free(t->abbreviations.entry);
    bipe_free(t->starts.entry);
    bipe_free(t->marks.entry);
    bipe_free(t->words.entry);
    bipe_free(t);
}
