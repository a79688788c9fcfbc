/* passkey.c - makes texts with a hidden key, and computes the loss of each key as the answer; the common beginning is
 * computed once. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "task/passkey.h"

/* ---- texts ---- */

static const char *const sentences[] = {
    "The river runs past the mill.",  "A cart stood in the yard.",
    "The days grow short in autumn.", "She closed the window and sat down.",
    "The road leads over the hill.",  "There was bread on the table.",
    "He read the letter twice.",      "The boats come back at noon.",
    "A dog barked somewhere.",        "The garden is full of weeds.",
    "They spoke of the weather.",     "The lamp had gone out.",
    "Rain fell all night.",           "The clock struck four.",
    "Nobody answered the door.",      "We waited by the gate.",
};

enum { SENTENCES = sizeof sentences / sizeof *sentences, PARAGRAPH = 8, SHORTEST = 4 /* tokens of a sentence */ };

/* Independent random numbers for each trial. */
static uint64_t start_random(uint64_t trial)
{
    uint64_t state = trial;
    return bipe_random_bits(&state);
}

uint32_t bipe_passkey_draw(uint64_t *random)
{
    return 10000 + (uint32_t)bipe_random_below(random, 90000);
}

static void draw_keys(uint32_t key[BIPE_PASSKEY_CHOICES], uint64_t trial)
{
    uint64_t state = ~start_random(trial);
    for (size_t i = 0; i < BIPE_PASSKEY_CHOICES; i++) {
        bool again;
        do {
            again = false;
            key[i] = bipe_passkey_draw(&state);
            for (size_t k = 0; k < i; k++)
                again = again || key[k] == key[i];
        } while (again);
    }
}

int bipe_passkey_text(bipe_buffer *text, uint32_t hidden, uint32_t answer, size_t filler, size_t before, uint64_t trial,
                      bipe_error *err)
{
    uint64_t state = start_random(trial);
    text->size = 0;
    int status = bipe_buffer_printf(
        text, err,
        "A pass key is hidden in this text. Read on and remember the key, since it is asked for at the end.\n\n");
    for (size_t i = 0; i <= filler && status == BIPE_OK; i++) {
        if (i == before)
            status = bipe_buffer_printf(text, err, "The pass key is %u. Remember it: %u is the pass key. ",
                                        (unsigned)hidden, (unsigned)hidden);
        const char *sentence = sentences[bipe_random_below(&state, SENTENCES)];
        char end = bipe_random_below(&state, PARAGRAPH) == 0 ? '\n' : ' ';
        if (i < filler && status == BIPE_OK)
            status = bipe_buffer_printf(text, err, "%s%c", sentence, end);
    }
    return status == BIPE_OK
               ? bipe_buffer_printf(text, err, "\n\nWhich pass key is hidden in this text? The pass key is %u.",
                                    (unsigned)answer)
               : status;
}

/* ---- trials ---- */

struct bipe_passkey {
    const bipe_tokenizer *tokenizer;
    bipe_generator *generator;
    size_t length;
    size_t filler; /* of the trial before, where the search begins */
    bipe_buffer text;
    bipe_growing_text *choice[BIPE_PASSKEY_CHOICES];
    double *nll;   /* (length * choices) */
};

int bipe_passkey_open(bipe_passkey **passkey, bipe_model *model, const bipe_tokenizer *tokenizer, const char *segmenter,
                      const bipe_generator_options *options, bipe_pool *pool, bipe_error *err)
{
    bipe_passkey *p = *passkey = bipe_alloc(1, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    p->tokenizer = tokenizer;
    p->length = options->max_length;
    int status = bipe_generator_open(&p->generator, model, options, pool, err);
    for (size_t i = 0; i < BIPE_PASSKEY_CHOICES && status == BIPE_OK; i++)
        status = bipe_growing_text_open(&p->choice[i], tokenizer, segmenter, err);
    if (status != BIPE_OK) {
        bipe_passkey_close(p);
        *passkey = NULL;
    }
    return status;
}

void bipe_passkey_close(bipe_passkey *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < BIPE_PASSKEY_CHOICES; i++)
        bipe_growing_text_close(p->choice[i]);
    bipe_generator_close(p->generator);
    bipe_buffer_free(&p->text);
    bipe_free(p->nll);
    bipe_free(p);
}

/* The text with key number `choice` as its answer, as tokens. *tokens: how many. */
static int make_choice(bipe_passkey *p, const bipe_passkey_trial *t, size_t choice, double depth, size_t filler,
                       uint64_t trial, size_t *tokens, bipe_error *err)
{
    bipe_growing_text *text = p->choice[choice];
    int64_t bos = bipe_tokenizer_bos(p->tokenizer);
    int status = bipe_passkey_text(&p->text, t->key[0], t->key[choice], filler, (size_t)round(depth * (double)filler),
                                   trial, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_clear(text, err);
    if (status == BIPE_OK && bos != BIPE_NO_TOKEN)
        status = bipe_growing_text_mark(text, (uint32_t)bos, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_tokenize(text, p->text.data, p->text.size, err);
    *tokens = bipe_growing_text_view(text).count;
    return status;
}

/* The most sentences with which the text of the right key has at most `length` tokens, found by proportion. */
static int find_filler(bipe_passkey *p, const bipe_passkey_trial *t, double depth, uint64_t trial, size_t *filler,
                       bipe_error *err)
{
    size_t low = 0, high = p->length / SHORTEST + 2, tokens, guess = p->filler;
    int status = make_choice(p, t, 0, depth, 0, trial, &tokens, err);
    if (status == BIPE_OK && tokens > p->length)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%zu tokens hold no text with a key, which takes %zu or more",
                         p->length, tokens);
    while (status == BIPE_OK && high - low > 1) {
        guess = guess <= low || guess >= high ? low + (high - low) / 2 : guess;
        status = make_choice(p, t, 0, depth, guess, trial, &tokens, err);
        size_t at = guess,
               off = (tokens > p->length ? tokens - p->length : p->length - tokens) * guess / (tokens + 1) + 1;
        guess = tokens > p->length ? (guess > off ? guess - off : 0) : guess + off;
        *(tokens > p->length ? &high : &low) = at;
    }
    *filler = low;
    return status;
}

/* Length of the common beginning of all texts, in tokens with their positions; each text has at least one more. */
static size_t count_common(const bipe_growing_view view[BIPE_PASSKEY_CHOICES])
{
    size_t common = view[0].count - 1;
    for (size_t i = 1; i < BIPE_PASSKEY_CHOICES; i++) {
        size_t k = 0;
        while (k < common && k + 1 < view[i].count && view[i].ids[k] == view[0].ids[k] &&
               bipe_indices_equal(&view[i].index, &view[0].index, k, 1))
            k++;
        common = k;
    }
    return common;
}

static bipe_piece piece_of(const bipe_growing_view *view, size_t sequence, size_t first, size_t end, double *nll)
{
    return (bipe_piece){.sequence = sequence, .ids = view->ids + first,
                        .index = bipe_indices_from(&view->index, first), .count = end - first, .nll = nll};
}

static int score_choices(bipe_passkey *p, bipe_passkey_trial *t, bipe_error *err)
{
    bipe_growing_view view[BIPE_PASSKEY_CHOICES];
    bipe_piece piece[BIPE_PASSKEY_CHOICES];
    size_t shared, forks = 0, total = 0;
    for (size_t i = 0; i < BIPE_PASSKEY_CHOICES; i++)
        view[i] = bipe_growing_text_view(p->choice[i]);
    size_t common = count_common(view);
    for (size_t i = 0; i < BIPE_PASSKEY_CHOICES; i++)
        total += view[i].count - common;
    bipe_free(p->nll);
    p->nll = bipe_alloc(total, sizeof *p->nll);
    if (p->nll == NULL)
        return bipe_fail_memory(err);
    int status = bipe_generator_add(p->generator, &shared, err);
    if (status != BIPE_OK)
        return status;
    if (common > 0) {
        piece[0] = piece_of(&view[0], shared, 0, common, NULL);
        status = bipe_generator_run(p->generator, piece, 1, err);
    }
    for (total = 0; forks < BIPE_PASSKEY_CHOICES && status == BIPE_OK; forks++) {
        size_t sequence;
        status = bipe_generator_fork(p->generator, shared, &sequence, err);
        if (status != BIPE_OK)
            break;
        piece[forks] = piece_of(&view[forks], sequence, common, view[forks].count, p->nll + total);
        total += piece[forks].count;
    }
    if (status == BIPE_OK)
        status = bipe_generator_run(p->generator, piece, BIPE_PASSKEY_CHOICES, err);
    for (size_t i = 0; i < forks; i++) {
        t->nll[i] = 0;
        for (size_t k = 0; k < piece[i].count; k++)
            t->nll[i] += piece[i].nll[k];
        t->right = i == 0 || (t->right && t->nll[0] < t->nll[i]);
        bipe_generator_drop(p->generator, piece[i].sequence);
    }
    bipe_generator_drop(p->generator, shared);
    return status;
}

int bipe_passkey_try(bipe_passkey *p, double depth, uint64_t trial, bipe_passkey_trial *t, bipe_error *err)
{
    size_t tokens;
    draw_keys(t->key, trial);
    int status = find_filler(p, t, depth, trial, &t->filler, err);
    p->filler = t->filler;
    for (bool fits = false; status == BIPE_OK && !fits; t->filler -= !fits) { /* another key may have more tokens */
        fits = true;
        t->tokens = 0;
        for (size_t i = 0; i < BIPE_PASSKEY_CHOICES && status == BIPE_OK; i++) {
            status = make_choice(p, t, i, depth, t->filler, trial, &tokens, err);
            t->tokens = tokens > t->tokens ? tokens : t->tokens;
        }
        fits = t->tokens <= p->length;
        if (status == BIPE_OK && !fits && t->filler == 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "%zu tokens hold no text with a key, which takes %zu or more",
                             p->length, t->tokens);
    }
    t->before = (size_t)round(depth * (double)t->filler);
    return status == BIPE_OK ? score_choices(p, t, err) : status;
}
