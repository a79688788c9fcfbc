/* continuations.c - continues texts with a model; see continuations.h. */
#include "task/continuations.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

enum { FIRST = 1024 /* tokens of the longest text that the first generator is for */ };

typedef struct continuation {
    bipe_growing_text *text;
    size_t prompt_tokens, prompt_bytes;
    bool twin;               /* of the one before: the same prompt */
    size_t sequence;
    uint64_t state;
    float *logits;           /* (V) of the next token */
    size_t size, ready;      /* as in bipe_continuation */
    size_t passes, searched; /* stop texts still to be ignored; where the last of them ended */
    bipe_finish finish;
} continuation;

struct bipe_continuations {
    bipe_model *model;
    const bipe_tokenizer *tokenizer;
    const char *segmenter;
    bipe_continuations_options options;
    bipe_pool *pool;
    bipe_generator *generator;
    size_t reach;            /* of the generator */
    size_t page, page_tokens; /* bytes and tokens of a page of keys and values */
    continuation *each;      /* (capacity), of which `count` are in use; texts and logits of the others are kept */
    size_t count, capacity, made;
    bool begun;              /* prompts are in the generator */
    bipe_piece *piece;
    size_t piece_capacity;
    bipe_candidate *spare;   /* (V) */
    uint8_t *seen;           /* (V) zeros */
};

static size_t vocabulary_of(const bipe_continuations *all)
{
    return bipe_model_hyperparameters(all->model)->vocabulary;
}

/* Tokens of the longest text at most. */
static size_t longest_text(const bipe_continuations *all)
{
    size_t length = 0;
    for (size_t i = 0; i < all->count; i++)
        length = all->each[i].prompt_tokens > length ? all->each[i].prompt_tokens : length;
    length += all->options.most;
    return length > all->options.window ? length : all->options.window;
}

void bipe_continuations_set_window(bipe_continuations *all, size_t window)
{
    all->options.window = window;
}

/* Makes sure that the generator holds texts of `length` tokens; where the length matters, of exactly that length. */
static int ensure_generator(bipe_continuations *all, size_t length, bipe_error *err)
{
    bool matters = all->generator != NULL && bipe_generator_length_matters(all->generator) != NULL;
    if (all->generator != NULL && (matters ? all->reach == length : all->reach >= length))
        return BIPE_OK;
    bipe_generator_close(all->generator);
    bipe_generator_options options = all->options.model;
    options.max_length = all->reach = length;
    int status = bipe_generator_open(&all->generator, all->model, &options, all->pool, err);
    if (status == BIPE_OK)
        all->page = bipe_generator_page(all->generator, &all->page_tokens);
    return status;
}

int bipe_continuations_open(bipe_continuations **result, bipe_model *model, const bipe_tokenizer *tokenizer,
                            const char *segmenter, const bipe_continuations_options *options, bipe_pool *pool,
                            bipe_error *err)
{
    *result = NULL;
    bipe_continuations *all = bipe_alloc(1, sizeof *all);
    if (all == NULL)
        return bipe_fail_memory(err);
    *all = (bipe_continuations){
        .model = model, .tokenizer = tokenizer, .segmenter = segmenter, .options = *options, .pool = pool};
    all->spare = bipe_alloc(vocabulary_of(all), sizeof *all->spare);
    all->seen = bipe_alloc(vocabulary_of(all), 1);
    bipe_growing_text *text = NULL;
    int status = all->spare == NULL || all->seen == NULL ? bipe_fail_memory(err)
                                                         : bipe_growing_text_open(&text, tokenizer, segmenter, err);
    bipe_growing_text_close(text); /* it was opened to check the SPEC */
    if (status == BIPE_OK)
        status = ensure_generator(all, FIRST, err);
    if (status == BIPE_OK)
        *result = all;
    else
        bipe_continuations_close(all);
    return status;
}

/* ---- prompts ---- */

/* Makes the next of `each` usable. */
static int make_continuation(bipe_continuations *all, bipe_error *err)
{
    if (all->count < all->made)
        return BIPE_OK;
    if (bipe_grow(&all->each, &all->capacity, all->count + 1, sizeof *all->each) != 0)
        return bipe_fail_memory(err);
    continuation *c = &all->each[all->count];
    *c = (continuation){.logits = bipe_alloc(vocabulary_of(all), sizeof *c->logits)};
    if (c->logits == NULL)
        return bipe_fail_memory(err);
    int status = bipe_growing_text_open(&c->text, all->tokenizer, all->segmenter, err);
    if (status == BIPE_OK)
        all->made++;
    else
        bipe_free(c->logits);
    return status;
}

int bipe_continuations_add(bipe_continuations *all, const bipe_growing_text *prompt, uint64_t sample, bipe_error *err)
{
    bipe_growing_view view = bipe_growing_text_view(prompt);
    if (view.count == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the prompt is empty, expected text to continue");
    if (view.count > BIPE_LENGTH_LIMIT - 1 || all->options.most > BIPE_LENGTH_LIMIT - view.count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a prompt of %zu tokens and %zu more, expected at most %d in all",
                         view.count, all->options.most, (int)BIPE_LENGTH_LIMIT);
    int status = make_continuation(all, err);
    if (status != BIPE_OK)
        return status;
    continuation *c = &all->each[all->count];
    bipe_growing_text *text = c->text;
    float *logits = c->logits;
    *c = (continuation){.text = text, .logits = logits, .prompt_tokens = view.count, .prompt_bytes = view.size,
                        .state = bipe_sampler_state(all->options.seed, sample)};
    status = bipe_growing_text_copy(text, prompt, err);
    if (status != BIPE_OK)
        return status;
    if (all->count > 0) {
        bipe_growing_view before = bipe_growing_text_view(all->each[all->count - 1].text);
        size_t bytes = view.count * sizeof *view.ids;
        c->twin = before.count == view.count && memcmp(before.ids, view.ids, bytes) == 0 &&
                  bipe_indices_equal(&before.index, &view.index, 0, view.count);
    }
    all->count++;
    return BIPE_OK;
}

void bipe_continuations_pass_stops(bipe_continuations *all, size_t count)
{
    all->each[all->count - 1].passes = count;
}

double bipe_continuations_memory(const bipe_continuations *all)
{
    double pages = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t prompt = all->each[i].prompt_tokens,
               begun = all->each[i].twin ? prompt / all->page_tokens : 0; /* pages that the twin has */
        pages += (double)((prompt + all->options.most + all->page_tokens - 1) / all->page_tokens - begun);
    }
    return pages * (double)all->page;
}

uint64_t bipe_continuations_spare(const bipe_continuations *all)
{
    return all->generator != NULL ? bipe_generator_spare(all->generator) : 0;
}

/* Prompts go into the generator, each that is not the twin of the one before. */
static int begin_prompts(bipe_continuations *all, bipe_error *err)
{
    size_t pieces = 0;
    int status = ensure_generator(all, longest_text(all), err);
    if (status == BIPE_OK && bipe_grow(&all->piece, &all->piece_capacity, all->count, sizeof *all->piece) != 0)
        status = bipe_fail_memory(err);
    for (size_t i = 0; i < all->count && status == BIPE_OK; i++) {
        continuation *c = &all->each[i];
        bipe_growing_view view = bipe_growing_text_view(c->text);
        if (c->twin)
            continue;
        status = bipe_generator_add(all->generator, &c->sequence, err);
        all->piece[pieces++] = (bipe_piece){.sequence = c->sequence, .ids = view.ids, .index = view.index,
                                            .count = view.count, .logits = c->logits};
    }
    if (status == BIPE_OK)
        status = bipe_generator_run(all->generator, all->piece, pieces, err);
    for (size_t i = 0; i < all->count && status == BIPE_OK; i++) {
        continuation *c = &all->each[i];
        if (!c->twin)
            continue;
        status = bipe_generator_fork(all->generator, c[-1].sequence, &c->sequence, err);
        memcpy(c->logits, c[-1].logits, vocabulary_of(all) * sizeof *c->logits);
    }
    all->begun = status == BIPE_OK;
    if (!all->begun) { /* nothing of the prompts may stay */
        bipe_generator_close(all->generator);
        all->generator = NULL;
    }
    return status;
}

/* ---- stop texts ---- */

/* Where a stop text begins in bytes (size), which were searched before except the last `from`; size: nowhere. */
static size_t find_stop(const bipe_continuations *all, continuation *c, const uint8_t *bytes, size_t size, size_t from)
{
    for (size_t at = from > c->searched ? from : c->searched; at < size; at++)
        for (size_t i = 0; i < all->options.stop_count; i++) {
            size_t length = strlen(all->options.stop[i]);
            if (length > size - at || memcmp(bytes + at, all->options.stop[i], length) != 0)
                continue;
            if (c->passes == 0)
                return at;
            c->passes--;
            c->searched = at + length;
            at = c->searched - 1;
            break;
        }
    return size;
}

/* The bytes that are before any beginning of one at the end of the text. */
static size_t before_stop(const bipe_continuations *all, const uint8_t *bytes, size_t size)
{
    size_t least = size;
    for (size_t i = 0; i < all->options.stop_count; i++) {
        size_t length = strlen(all->options.stop[i]);
        for (size_t part = length - 1 < size ? length - 1 : size; part > 0; part--)
            if (memcmp(bytes + size - part, all->options.stop[i], part) == 0) {
                least = size - part < least ? size - part : least;
                break;
            }
    }
    return least;
}

/* ---- steps ---- */

/* Chooses the next token of one, and looks whether that ends it. */
static int choose_token(bipe_continuations *all, continuation *c, bipe_error *err)
{
    /* a model may have more words than its tokenizer: these have no text */
    size_t words = bipe_tokenizer_size(all->tokenizer), before = c->size, longest_stop = 1;
    uint32_t id;
    const bipe_growing_view text = bipe_growing_text_view(c->text);
    bipe_sampler_penalize(&all->options.repetition, c->logits, vocabulary_of(all), text.ids, text.count, all->seen);
    int status = bipe_sampler_choose(&all->options.sampling, c->logits,
                                     words < vocabulary_of(all) ? words : vocabulary_of(all), all->spare, &c->state,
                                     &id, err);
    if (status != BIPE_OK)
        return status;
    if (bipe_tokenizer_is_end(all->tokenizer, id)) {
        c->finish = BIPE_FINISH_EOS;
        c->ready = c->size;
        return BIPE_OK;
    }
    status = bipe_growing_text_add(c->text, id, err);
    if (status != BIPE_OK)
        return status;
    bipe_growing_view view = bipe_growing_text_view(c->text);
    const uint8_t *bytes = view.bytes + c->prompt_bytes;
    for (size_t i = 0; i < all->options.stop_count; i++) {
        size_t length = strlen(all->options.stop[i]);
        longest_stop = length > longest_stop ? length : longest_stop;
    }
    size_t size = view.size - c->prompt_bytes;
    c->size = find_stop(all, c, bytes, size, before > longest_stop - 1 ? before - (longest_stop - 1) : 0);
    if (c->size < size)
        c->finish = BIPE_FINISH_STOP;
    else if (view.count - c->prompt_tokens >= all->options.most)
        c->finish = BIPE_FINISH_LENGTH;
    c->ready = c->finish != BIPE_FINISH_NONE ? c->size : bipe_utf8_complete(bytes, before_stop(all, bytes, size));
    return BIPE_OK;
}

int bipe_continuations_step(bipe_continuations *all, size_t *going, bipe_error *err)
{
    int status = BIPE_OK;
    size_t pieces = 0;
    *going = 0;
    if (!all->begun) {
        status = begin_prompts(all, err);
    } else {
        for (size_t i = 0; i < all->count; i++) {
            continuation *c = &all->each[i];
            bipe_growing_view view = bipe_growing_text_view(c->text);
            size_t last = view.count - 1;
            if (c->finish == BIPE_FINISH_NONE)
                all->piece[pieces++] = (bipe_piece){.sequence = c->sequence, .ids = view.ids + last,
                                                    .index = bipe_indices_from(&view.index, last),
                                                    .count = 1, .logits = c->logits};
        }
        status = bipe_generator_run(all->generator, all->piece, pieces, err);
    }
    for (size_t i = 0; i < all->count && status == BIPE_OK; i++) {
        continuation *c = &all->each[i];
        if (c->finish != BIPE_FINISH_NONE)
            continue;
        status = choose_token(all, c, err);
        *going += c->finish == BIPE_FINISH_NONE;
        if (c->finish != BIPE_FINISH_NONE)
            bipe_generator_drop(all->generator, c->sequence);
    }
    return status;
}

bipe_continuation bipe_continuations_at(const bipe_continuations *all, size_t i)
{
    const continuation *c = &all->each[i];
    bipe_growing_view view = bipe_growing_text_view(c->text);
    return (bipe_continuation){.prompt_tokens = c->prompt_tokens, .ids = view.ids + c->prompt_tokens,
                               .count = view.count - c->prompt_tokens,
                               .bytes = view.bytes != NULL ? view.bytes + c->prompt_bytes : NULL,
                               .size = c->size, .ready = c->ready, .finish = c->finish};
}

void bipe_continuations_clear(bipe_continuations *all)
{
    for (size_t i = 0; all->generator != NULL && i < all->count; i++)
        if (all->begun && all->each[i].finish == BIPE_FINISH_NONE)
            bipe_generator_drop(all->generator, all->each[i].sequence);
    all->count = 0;
    all->begun = false;
}

void bipe_continuations_close(bipe_continuations *all)
{
    if (all == NULL)
        return;
    for (size_t i = 0; i < all->made; i++) {
        bipe_growing_text_close(all->each[i].text);
        bipe_free(all->each[i].logits);
    }
    bipe_generator_close(all->generator);
    bipe_free(all->each);
    bipe_free(all->piece);
    bipe_free(all->spare);
    bipe_free(all->seen);
    bipe_free(all);
}
