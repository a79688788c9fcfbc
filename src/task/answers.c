/* answers.c - splits answers into words, numbers the words so that equal words have equal numbers, and compares the
 * numbers. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "task/answers.h"
#include "text/porter_stemmer.h"
#include "text/python_text.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum { WORDS_MOST = 1 << 20 }; /* of an answer: ROUGE-L takes time with the product of two, some seconds for so many */

/* ---- words, each followed by a space ---- */

static void end_word(bipe_buffer *out)
{
    if (out->size != 0 && out->data[out->size - 1] != ' ')
        out->data[out->size++] = ' ';
}

static bool is_article(const uint8_t *word, size_t size)
{
    return (size == 1 && *word == 'a') || (size == 2 && memcmp(word, "an", 2) == 0) ||
           (size == 3 && memcmp(word, "the", 3) == 0);
}

/* Words without ASCII punctuation and articles. An article is a run of letters and digits, as \b of Python's regular
 * expressions sees them, and not always a word: marks and symbols end it, too. */
static int squad_words(bipe_buffer *out, const bipe_buffer *lower, bipe_error *err)
{
    size_t run = 0, length; /* where the present run begins in out */
    int32_t code;
    if (bipe_buffer_reserve(out, lower->size + 2, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    for (size_t i = 0; i < lower->size; i += length) {
        length = bipe_utf8_decode(lower->data + i, lower->size - i, &code);
        bipe_category category = bipe_unicode_category(code);
        bool word = (category >= BIPE_LU && category <= BIPE_LO) || (category >= BIPE_ND && category <= BIPE_NO);
        if (!word && code > ' ' && code < 0x7F)
            continue;
        if (!word && is_article(out->data + run, out->size - run)) {
            out->size = run;
            end_word(out);
        }
        if (bipe_python_space(code))
            end_word(out);
        else {
            memcpy(out->data + out->size, lower->data + i, length);
            out->size += length;
        }
        if (!word)
            run = out->size;
    }
    if (is_article(out->data + run, out->size - run))
        out->size = run;
    end_word(out);
    return BIPE_OK;
}

/* Runs of a-z and 0-9. */
static int rouge_words(bipe_buffer *out, const bipe_buffer *lower, bool stem, bipe_error *err)
{
    if (bipe_buffer_reserve(out, lower->size + 1, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    for (size_t i = 0, size; i < lower->size; i += size + 1) {
        const uint8_t *word = lower->data + i;
        for (size = 0; i + size < lower->size &&
                       ((word[size] >= 'a' && word[size] <= 'z') || (word[size] >= '0' && word[size] <= '9'));)
            size++;
        memcpy(out->data + out->size, word, size);
        out->size += stem && size > 3 ? bipe_porter_stem((char *)out->data + out->size, size) : size;
        end_word(out);
    }
    return BIPE_OK;
}

/* ---- overlap of two answers ---- */

/* Words as numbers below `distinct`. */
typedef struct numbers {
    uint32_t *id;
    size_t count;
} numbers;

typedef struct word {
    const uint8_t *bytes;
    size_t size;
    uint32_t *id; /* where its number goes */
} word;

static int compare_words(const void *a, const void *b)
{
    const word *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static size_t count_words(const bipe_buffer *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == ' ';
    return count;
}

/* Numbers the words of both texts. two[0].id, of both, is to be freed. */
static int number_words(numbers two[2], size_t *distinct, const bipe_buffer text[2], bipe_error *err)
{
    size_t count = 0;
    for (int t = 0; t < 2; t++)
        count += two[t].count = count_words(&text[t]);
    word *all = bipe_alloc(count, sizeof *all), *w = all;
    two[0].id = bipe_alloc(count, sizeof(uint32_t));
    if (all == NULL || two[0].id == NULL) {
        bipe_free(all);
        return bipe_fail_memory(err);
    }
    two[1].id = two[0].id + two[0].count;
    for (int t = 0; t < 2; t++)
        for (size_t start = 0, end = 0; end < text[t].size; end++)
            if (text[t].data[end] == ' ') {
                *w = (word){text[t].data + start, end - start, two[0].id + (w - all)};
                w++;
                start = end + 1;
            }
    qsort(all, count, sizeof *all, compare_words);
    *distinct = 0;
    for (size_t i = 0; i < count; i++) {
        *distinct += i == 0 || compare_words(&all[i - 1], &all[i]) != 0;
        *all[i].id = (uint32_t)(*distinct - 1);
    }
    bipe_free(all);
    return BIPE_OK;
}

static double f_measure(size_t common, size_t predicted, size_t wanted)
{
    double precision = (double)common / (double)(predicted > 0 ? predicted : 1),
           recall = (double)common / (double)(wanted > 0 ? wanted : 1);
    return common == 0 ? 0 : 2 * precision * recall / (precision + recall);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The F-measure of runs of n words, 1 or 2, each counted as often as both answers have it. */
static int common_runs(double *f, const numbers two[2], size_t n, bipe_error *err)
{
    size_t count[2], common = 0;
    for (int t = 0; t < 2; t++)
        count[t] = two[t].count >= n ? two[t].count - n + 1 : 0;
    uint64_t *keys = bipe_alloc(count[0] + count[1], sizeof *keys);
    if (keys == NULL)
        return bipe_fail_memory(err);
    uint64_t *key[2] = {keys, keys + count[0]};
    for (int t = 0; t < 2; t++) {
        for (size_t i = 0; i < count[t]; i++)
            key[t][i] = n == 1 ? two[t].id[i] : (uint64_t)two[t].id[i] << 32 | two[t].id[i + 1];
        qsort(key[t], count[t], sizeof *keys, compare_keys);
    }
    for (size_t i = 0, j = 0; i < count[0] && j < count[1];) {
        uint64_t a = key[0][i], b = key[1][j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    bipe_free(keys);
    *f = f_measure(common, count[0], count[1]);
    return BIPE_OK;
}

/* The F-measure of the longest common subsequence, bit-parallel for 64 words of the first answer at a time: a bit
 * becomes 0 where the subsequence of the words up to it grows (Hyyrö 2004). carry[j]: the carry from the previous 64
 * words at word j of the second answer. */
static int common_subsequence(double *f, const numbers two[2], size_t distinct, bipe_error *err)
{
    size_t count = two[0].count, common = 0;
    for (int t = 0; t < 2; t++)
        if (two[t].count > WORDS_MOST)
            return bipe_fail(err, BIPE_ERR_LIMIT, "an answer of %zu words, expected at most %d", two[t].count,
                             WORDS_MOST);
    uint64_t *match = bipe_alloc(distinct, sizeof *match); /* which of the 64 a word is */
    uint8_t *carry = bipe_alloc(two[1].count, sizeof *carry);
    for (size_t start = 0; match != NULL && carry != NULL && start < count; start += 64) {
        size_t some = count - start < 64 ? count - start : 64;
        uint64_t row = UINT64_MAX;
        for (size_t i = 0; i < some; i++)
            match[two[0].id[start + i]] |= UINT64_C(1) << i;
        for (size_t j = 0; j < two[1].count; j++) {
            uint64_t found = match[two[1].id[j]], sum = row + (row & found), all = sum + carry[j];
            carry[j] = (sum < row) | (all < sum);
            row = all | (row & ~found);
        }
        for (size_t i = 0; i < some; i++) {
            match[two[0].id[start + i]] = 0;
            common += (~row >> i) & 1;
        }
    }
    int status = match == NULL || carry == NULL ? bipe_fail_memory(err) : BIPE_OK;
    bipe_free(match);
    bipe_free(carry);
    *f = f_measure(common, two[0].count, two[1].count);
    return status;
}

/* ---- scores ---- */

static void keep_best(double *best, double score)
{
    if (score > *best)
        *best = score;
}

/* rouge: the words are ROUGE's, else SQuAD's. */
static int score_words(bipe_answer_scores *scores, const bipe_buffer text[2], bool rouge, bipe_error *err)
{
    numbers two[2] = {0};
    size_t distinct = 0;
    double f[3] = {0};
    int status = number_words(two, &distinct, text, err);
    for (size_t n = 1; status == BIPE_OK && n <= (rouge ? 2 : 1); n++)
        status = common_runs(&f[n - 1], two, n, err);
    if (status == BIPE_OK && rouge)
        status = common_subsequence(&f[2], two, distinct, err);
    if (status == BIPE_OK && rouge) {
        keep_best(&scores->rouge1, f[0]);
        keep_best(&scores->rouge2, f[1]);
        keep_best(&scores->rouge_l, f[2]);
    } else if (status == BIPE_OK) {
        keep_best(&scores->f1, f[0]);
        keep_best(&scores->em, text[0].size == text[1].size && memcmp(text[0].data, text[1].data, text[0].size) == 0);
    }
    bipe_free(two[0].id);
    return status;
}

/* An answer as it is compared. */
typedef struct forms {
    bipe_buffer lower, squad, rouge; /* each of the last two: words with a blank after each */
} forms;

static int find_forms(forms *f, bipe_answer answer, bool stem, bipe_error *err)
{
    f->lower.size = f->squad.size = f->rouge.size = 0;
    int status = bipe_python_change(&f->lower, (const uint8_t *)answer.bytes, answer.size, BIPE_PYTHON_LOWER, err);
    if (status == BIPE_OK)
        status = squad_words(&f->squad, &f->lower, err);
    if (status == BIPE_OK)
        status = rouge_words(&f->rouge, &f->lower, stem, err);
    return status;
}

bool bipe_answer_holds(bipe_answer text, bipe_answer part)
{
    return part.size == 0 || (text.size >= part.size && memmem(text.bytes, text.size, part.bytes, part.size) != NULL);
}

static bipe_answer answer_of(const bipe_buffer *text, size_t size)
{
    return (bipe_answer){(const char *)text->data, size};
}

static int score_forms(bipe_answer_scores *scores, const forms two[2], bipe_error *err)
{
    const bipe_buffer squad[2] = {two[0].squad, two[1].squad}, rouge[2] = {two[0].rouge, two[1].rouge};
    const size_t words = squad[1].size > 0 ? squad[1].size - 1 : 0; /* without the last blank */
    keep_best(&scores->sub_em, bipe_answer_holds(answer_of(&squad[0], squad[0].size), answer_of(&squad[1], words)));
    scores->recall += bipe_answer_holds(answer_of(&two[0].lower, two[0].lower.size),
                                        answer_of(&two[1].lower, two[1].lower.size));
    int status = score_words(scores, squad, false, err);
    return status == BIPE_OK ? score_words(scores, rouge, true, err) : status;
}

int bipe_answer_score(bipe_answer_scores *scores, bipe_answer prediction, const bipe_answer *reference, size_t count,
                      bool stem, bipe_error *err)
{
    forms two[2] = {0};
    int status = find_forms(&two[0], prediction, stem, err);
    *scores = (bipe_answer_scores){0};
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        status = find_forms(&two[1], reference[i], stem, err);
        if (status == BIPE_OK)
            status = score_forms(scores, two, err);
    }
    scores->recall /= count > 0 ? (double)count : 1;
    for (int t = 0; t < 2; t++) {
        bipe_buffer_free(&two[t].lower);
        bipe_buffer_free(&two[t].squad);
        bipe_buffer_free(&two[t].rouge);
    }
    return status;
}

double bipe_rouge_mean(double rouge1, double rouge2, double rouge_l)
{
    return pow(rouge1 * rouge2 * rouge_l, 1.0 / 3.0);
}
