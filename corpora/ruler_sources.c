/* ruler_sources.c - words and texts that samples of RULER's tasks are made of; see ruler.h. */
#include <bipe/segment.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/path.h"
#include "corpora/ruler.h"
#include "text/utf8.h"

enum { FILE_MOST = 256 << 20, WORDS_MOST = 1 << 20, PAIRS_LEAST = 100 };

int ruler_read_text(bipe_buffer *text, const char *path, bipe_error *err)
{
    bipe_input *input;
    int status = bipe_input_open(&input, path, err);
    if (status == BIPE_OK)
        status = bipe_input_read_all(input, text, FILE_MOST, err);
    bipe_input_close(input);
    if (status == BIPE_OK && text->size > FILE_MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: more than %d bytes, expected a shorter text", path, FILE_MOST);
    for (size_t at = 0; status == BIPE_OK && at < text->size;) {
        int32_t code;
        at += bipe_utf8_decode(text->data + at, text->size - at, &code);
        if (code <= 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: byte %zu is not part of a character in UTF-8", path, at);
    }
    return status;
}

/* ---- words ---- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_word(ruler_words *words, const char *word, bipe_error *err)
{
    if (bipe_grow(&words->word, &words->capacity, words->count + 1, sizeof *words->word) != 0)
        return bipe_fail_memory(err);
    words->word[words->count++] = word;
    return BIPE_OK;
}

static void sort_words(ruler_words *words)
{
    size_t kept = 0;
    if (words->count > 0)
        qsort(words->word, words->count, sizeof *words->word, compare_words);
    for (size_t i = 0; i < words->count; i++)
        if (kept == 0 || strcmp(words->word[kept - 1], words->word[i]) != 0)
            words->word[kept++] = words->word[i];
    words->count = kept;
}

static int read_words(ruler_words *words, ruler_words *all, const char *folder, const char *name, bipe_error *err)
{
    char *path = bipe_path_new(folder, name);
    int status = path != NULL ? ruler_read_text(&words->text, path, err) : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&words->text, "\n", 1, err);
    size_t line = 1;
    char *at = (char *)words->text.data, *end;
    for (; status == BIPE_OK && at < (char *)words->text.data + words->text.size; at = end + 1, line++) {
        end = strchr(at, '\n'); /* there is one, and no NUL */
        size_t size = strcspn(at, "\r\n");
        at[size] = '\0';
        *end = '\0';
        if (size >= RULER_WORD)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu has %zu bytes, expected a word of at most %d", path,
                               line, size, RULER_WORD - 1);
        else if (size > 0 && (status = add_word(words, at, err)) == BIPE_OK)
            status = add_word(all, at, err);
    }
    if (status == BIPE_OK && (words->count == 0 || words->count > WORDS_MOST))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: %zu words, expected 1 to %d, one a line", path, words->count,
                           WORDS_MOST);
    bipe_free(path);
    sort_words(words);
    return status;
}

int ruler_words_read(ruler_sources *sources, const char *folder, bipe_error *err)
{
    int status = read_words(&sources->nouns, &sources->all, folder, "nounlist.txt", err);
    if (status == BIPE_OK)
        status = read_words(&sources->adjectives, &sources->all, folder, "adjectivelist.txt", err);
    if (status == BIPE_OK)
        status = read_words(&sources->verbs, &sources->all, folder, "verblist.txt", err);
    sort_words(&sources->all);
    const size_t pairs = sources->adjectives.count * sources->nouns.count;
    if (status == BIPE_OK && pairs < PAIRS_LEAST)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: %zu pairs of an adjective and a noun, expected at least %d", folder,
                           pairs, PAIRS_LEAST);
    return status;
}

static void free_words(ruler_words *words)
{
    bipe_buffer_free(&words->text);
    bipe_free(words->word);
}

/* ---- essays ---- */

static int find_sentences(ruler_essay *essay, bipe_error *err)
{
    bipe_segmentation *segmentation = NULL;
    const char *text = (const char *)essay->text.data;
    uint64_t *end = bipe_alloc(essay->text.size, sizeof *end);
    essay->sentence = bipe_alloc(essay->text.size, sizeof *essay->sentence);
    int status = end == NULL || essay->sentence == NULL ? bipe_fail_memory(err)
                                                        : bipe_segmentation_open(&segmentation, "sentence", err);
    if (status == BIPE_OK)
        status = bipe_segment_text(segmentation, text, essay->text.size, end, essay->text.size, &essay->sentences, err);
    for (size_t i = 0; status == BIPE_OK && i < essay->sentences; i++)
        essay->sentence[i] = (size_t)end[i] - (text[end[i] - 1] == ' ');
    bipe_segmentation_close(segmentation);
    bipe_free(end);
    return status;
}

int ruler_essay_read(ruler_essay *essay, const char *path, bipe_error *err)
{
    bipe_task_steps squeeze = {0};
    int status = ruler_read_text(&essay->text, path, err);
    if (status == BIPE_OK)
        status = bipe_task_steps_add(&squeeze, "squeeze", strlen("squeeze"), err);
    if (status == BIPE_OK)
        status = bipe_task_steps_apply(&squeeze, false, &essay->text, err);
    bipe_task_steps_free(&squeeze);
    if (status == BIPE_OK && essay->text.size == 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: no words, expected a text", path);
    for (size_t i = 1; status == BIPE_OK && i <= essay->text.size; i++) {
        if (i < essay->text.size && essay->text.data[i] != ' ')
            continue;
        if (bipe_grow(&essay->word, &essay->word_capacity, essay->words + 1, sizeof *essay->word) != 0)
            status = bipe_fail_memory(err);
        else
            essay->word[essay->words++] = i;
    }
    return status == BIPE_OK ? find_sentences(essay, err) : status;
}

size_t ruler_essay_end(const ruler_essay *essay, const size_t *end, size_t count, size_t number)
{
    return number == 0 ? 0 : (number - 1) / count * (essay->text.size + 1) + end[(number - 1) % count];
}

void ruler_essay_put(const ruler_essay *essay, size_t from, size_t to, bipe_buffer *text)
{
    const size_t period = essay->text.size + 1; /* with a blank between the end and the beginning */
    if (from < to && (from % period + 1 == period || essay->text.data[from % period] == ' '))
        from++;
    while (from < to) {
        size_t at = from % period, size = period - at < to - from ? period - at : to - from;
        if (at + size == period) {
            bipe_buffer_write(text, essay->text.data + at, size - 1);
            bipe_buffer_write(text, " ", 1);
        } else {
            bipe_buffer_write(text, essay->text.data + at, size);
        }
        from += size;
    }
}

void ruler_sources_free(ruler_sources *sources)
{
    ruler_words *words[] = {&sources->nouns, &sources->adjectives, &sources->verbs, &sources->all};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        free_words(words[i]);
    bipe_buffer_free(&sources->essay.text);
    bipe_free(sources->essay.word);
    bipe_free(sources->essay.sentence);
}
