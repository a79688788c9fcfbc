/* make_tokenizer.c - from counted words to a tokenizer. */
#include "train/make_tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output.h"
#include "text/utf8.h"
#include "token/tokenizer.h"
#include "token/vocabulary.h"
#include "train/piece_merges.h"
#include "token/word_list.h"

/* Scores are whole numbers in floats, down to twice the number of pieces. */
enum { MOST_PIECES = 1 << 23, FEWEST_PIECES = BIPE_SENTENCEPIECE_FIRST + 1, MOST_LIMIT = 1 << 30 };

struct bipe_tokenizer_maker {
    bipe_tokenizer_options options;
    bipe_word_counts counts;
    bipe_word_list list; /* instead of counts, with options.words */
};

int bipe_tokenizer_maker_open(bipe_tokenizer_maker **maker, const bipe_tokenizer_options *options, bipe_error *err)
{
    bipe_tokenizer_options o = *options;
    *maker = NULL;
    o.coverage = o.coverage == 0 ? 0.99995 : o.coverage;
    o.max_length = o.max_length == 0 ? 16 : o.max_length;
    o.limit = o.limit == 0 ? (size_t)1 << 23 : o.limit;
    if (o.pieces != 0 && (o.pieces < FEWEST_PIECES || o.pieces > MOST_PIECES))
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "a tokenizer of %zu pieces, expected %d to %d: 3 are special, 256 are bytes", o.pieces,
                         FEWEST_PIECES, MOST_PIECES);
    if (!(o.coverage > 0 && o.coverage <= 1))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "pieces for %g of the characters, expected more than 0 and at most 1",
                         o.coverage);
    if (o.max_length > BIPE_PIECE_MAX_LENGTH)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "pieces of %zu characters, expected at most %d", o.max_length,
                         BIPE_PIECE_MAX_LENGTH);
    if (o.limit < BIPE_WORD_MAX_LENGTH * 2 || o.limit > MOST_LIMIT)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a limit of %zu characters of distinct words, expected %d to %d",
                         o.limit, BIPE_WORD_MAX_LENGTH * 2, MOST_LIMIT);
    bipe_tokenizer_maker *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    made->options = o;
    int status = o.words != 0 ? BIPE_OK : bipe_word_counts_open(&made->counts, o.limit, err);
    if (status == BIPE_OK)
        *maker = made;
    else
        bipe_tokenizer_maker_close(made);
    return status;
}

int bipe_tokenizer_maker_begin(bipe_tokenizer_maker *maker, bipe_error *err)
{
    return maker->options.words != 0 ? BIPE_OK : bipe_word_counts_begin(&maker->counts, err);
}

int bipe_tokenizer_maker_feed(bipe_tokenizer_maker *maker, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (maker->options.words != 0)
        return bipe_word_list_feed(&maker->list, bytes, size, err);
    return bipe_word_counts_feed(&maker->counts, bytes, size, err);
}

int bipe_tokenizer_maker_end(bipe_tokenizer_maker *maker, bipe_error *err)
{
    return maker->options.words != 0 ? bipe_word_list_end(&maker->list, err)
                                     : bipe_word_counts_end(&maker->counts, err);
}

int bipe_tokenizer_maker_read(bipe_tokenizer_maker *maker, bipe_documents *documents, bipe_error *err)
{
    size_t capacity = bipe_buffer_size(), size = 1;
    uint8_t *bytes = bipe_alloc(capacity, 1);
    int status = bytes != NULL ? bipe_tokenizer_maker_begin(maker, err) : bipe_fail_memory(err);
    while (status == BIPE_OK && size != 0) {
        status = bipe_documents_read(documents, bytes, capacity, &size, err);
        if (status == BIPE_OK)
            status = bipe_tokenizer_maker_feed(maker, bytes, size, err);
    }
    if (status == BIPE_OK)
        status = bipe_tokenizer_maker_end(maker, err);
    bipe_free(bytes);
    return status;
}

/* ---- the alphabet ---- */

typedef struct character {
    uint64_t count;
    int32_t code;
} character;

/* The most frequent first. */
static int compare_characters(const void *a, const void *b)
{
    const character *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* The *count characters that get a piece, most frequent first. The space is always one: every document begins with
 * it. */
static int choose_characters(const bipe_word_counts *counts, double coverage, character **chosen, size_t *count,
                             bipe_error *err)
{
    uint64_t total = 0, covered = 0;
    size_t different = 0;
    bool space = false;
    for (int32_t code = 0; code < BIPE_CHARACTERS; code++)
        different += counts->characters[code] != 0;
    *chosen = bipe_alloc(different, sizeof **chosen);
    if (*chosen == NULL)
        return bipe_fail_memory(err);
    size_t n = 0;
    for (int32_t code = 0; code < BIPE_CHARACTERS; code++) {
        total += counts->characters[code];
        if (counts->characters[code] != 0)
            (*chosen)[n++] = (character){counts->characters[code], code};
    }
    qsort(*chosen, n, sizeof **chosen, compare_characters);
    for (*count = 0; *count < n && (double)covered < coverage * (double)total; ++*count) {
        covered += (*chosen)[*count].count;
        space = space || (*chosen)[*count].code == BIPE_SPACE_CODE;
    }
    if (n != 0 && !space)
        (*chosen)[(*count)++] = (character){counts->characters[BIPE_SPACE_CODE], BIPE_SPACE_CODE};
    return n != 0 ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "no text to make a tokenizer of");
}

/* ---- the model ---- */

/* Runs of spaces merge after everything else, as in Llama 2's model, so that a word takes the space before it first. */
static bool is_spaces(const uint8_t *text, size_t size)
{
    const size_t mark = sizeof BIPE_SPACE_MARK - 1;
    for (size_t i = 0; i < size; i += mark)
        if (memcmp(text + i, BIPE_SPACE_MARK, mark < size - i ? mark : size - i) != 0)
            return false;
    return true;
}

static int write_model(bipe_output *output, const bipe_vocabulary *pieces, bipe_error *err)
{
    float *score = bipe_alloc(pieces->count, sizeof *score);
    if (score == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0, size; i < pieces->count; i++) {
        const uint8_t *text = bipe_vocabulary_text(pieces, (uint32_t)i, &size);
        score[i] = -(float)(is_spaces(text, size) ? pieces->count + i : i);
    }
    int status = bipe_sentencepiece_write(output, pieces, score, err);
    bipe_free(score);
    return status;
}

/* Fills *pieces: merges, then characters. */
static int learn_pieces(const bipe_tokenizer_maker *maker, const character *chosen, size_t count,
                        bipe_vocabulary *pieces, bipe_error *err)
{
    size_t fewest = BIPE_SENTENCEPIECE_FIRST + count,
           wanted = maker->options.pieces != 0 ? maker->options.pieces : fewest;
    if (wanted < fewest)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%zu pieces are too few: 3 special ones, 256 bytes and %zu characters make %zu", wanted, count,
                         fewest);
    uint8_t *has_piece = bipe_alloc(BIPE_CHARACTERS, 1);
    if (has_piece == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        has_piece[chosen[i].code] = 1;
    int status = bipe_piece_merges(&maker->counts, has_piece, maker->options.max_length, wanted - fewest, pieces, err);
    bipe_free(has_piece);
    if (status == BIPE_OK && pieces->count < wanted - fewest)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%zu pieces are too many: the texts yield %zu, since a merge must occur at least %d times",
                         wanted, fewest + pieces->count, BIPE_PIECE_MIN_COUNT);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        uint8_t text[4];
        status = bipe_vocabulary_append(pieces, text, bipe_utf8_encode(chosen[i].code, text), err);
    }
    return status;
}

int bipe_tokenizer_maker_write(bipe_tokenizer_maker *maker, bipe_output *output, bipe_tokenizer_facts *facts,
                               bipe_error *err)
{
    bipe_vocabulary pieces = {0};
    character *chosen = NULL;
    size_t count;
    if (maker->options.words != 0)
        return bipe_word_list_write(&maker->list, maker->options.words, output, err);
    int status = choose_characters(&maker->counts, maker->options.coverage, &chosen, &count, err);
    if (status == BIPE_OK)
        status = learn_pieces(maker, chosen, count, &pieces, err);
    if (status == BIPE_OK)
        status = write_model(output, &pieces, err);
    if (status == BIPE_OK && facts != NULL)
        *facts = (bipe_tokenizer_facts){.merges = pieces.count - count, .characters = count,
                                        .words = maker->counts.words.count, .dropped = maker->counts.dropped};
    bipe_free(chosen);
    bipe_vocabulary_free(&pieces);
    return status;
}

void bipe_tokenizer_maker_close(bipe_tokenizer_maker *maker)
{
    if (maker == NULL)
        return;
    bipe_word_counts_free(&maker->counts);
    bipe_word_list_free(&maker->list);
    bipe_free(maker);
}
