/* task_ask.c - see task_ask.h. */
#include "task/task_ask.h"

#include <string.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "model/model.h"
#include "task/continuations.h"
#include "text/python_text.h"

enum {
    TEXT_MOST = 64 << 20, /* bytes of the texts of a question */
    LANE_LEAST = 16       /* least texts per thread for threads to work separately: enough to make use of the weights
                             read */
};

/* Texts that a thread continues by itself. */
typedef struct lane {
    bipe_continuations *texts;
    bipe_pool *pool;
} lane;

struct bipe_asker {
    bipe_asker_options given;
    bipe_continuations *all;  /* of kind generate: all threads work on one step */
    lane *lane;               /* (lanes) the same with a thread each, for many texts */
    size_t lanes;             /* 0: one thread alone */
    bipe_generator *generator; /* of kind choices, for texts of `options.max_length` tokens */
    bipe_generator_options options;
    bool length_matters;      /* positions depend on the length of the window */
    double token_bytes;       /* of keys and values */
    bipe_token_stream *stream;
    bipe_buffer text;         /* being prepared */
    bipe_tokens whole, context; /* tokens of it, and of its prompt alone */
    bipe_tokens joined;       /* those that the model is asked for, */
    bipe_buffer joined_text;  /* with their bytes */
    bipe_piece *piece;        /* of the questions that are asked */
    double *nll;              /* losses of all choices, one after the other */
    uint32_t *best;
    size_t piece_capacity, nll_capacity, best_capacity;
};

/* ---- opening ---- */

/* Of kind generate. */
static int open_continuations(bipe_asker *m, bipe_error *err)
{
    const bipe_asker_options *given = &m->given;
    const bipe_task *task = given->task;
    const bipe_continuations_options options = {.model = m->options, .sampling = {.top_p = 1}, .most = task->max_tokens,
                                                .stop = (const char *const *)task->stop,
                                                .stop_count = task->stop_count};
    int status = bipe_continuations_open(&m->all, given->model, given->tokenizer, given->segmenter, &options,
                                         given->pool, err);
    size_t lanes = bipe_pool_threads(given->pool) > 1 ? bipe_pool_threads(given->pool) : 0;
    m->lane = bipe_alloc(lanes, sizeof *m->lane);
    if (m->lane == NULL)
        return bipe_fail_memory(err);
    for (; m->lanes < lanes && status == BIPE_OK; m->lanes++) {
        lane *l = &m->lane[m->lanes];
        status = bipe_pool_open(&l->pool, 1, err);
        if (status == BIPE_OK)
            status = bipe_continuations_open(&l->texts, given->model, given->tokenizer, given->segmenter, &options,
                                             l->pool, err);
    }
    return status;
}

int bipe_asker_open(bipe_asker **asker, const bipe_asker_options *given, bipe_error *err)
{
    bipe_asker *m = *asker = bipe_alloc(1, sizeof *m);
    if (m == NULL)
        return bipe_fail_memory(err);
    m->given = *given;
    m->options = (bipe_generator_options){.scheme = given->scheme, .rope_scaling = given->rope_scaling,
                                          .precision = given->precision, .max_length = 1, .seed = given->seed};
    int status = bipe_token_stream_open(&m->stream, given->tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_generator_open(&m->generator, given->model, &m->options, given->pool, err);
    if (status == BIPE_OK) {
        size_t tokens, bytes = bipe_generator_page(m->generator, &tokens);
        m->token_bytes = (double)bytes / (double)tokens;
        m->length_matters = bipe_generator_length_matters(m->generator) != NULL;
    }
    if (status == BIPE_OK && given->task->kind == BIPE_TASK_GENERATE)
        status = open_continuations(m, err);
    if (status != BIPE_OK) {
        bipe_asker_close(m);
        *asker = NULL;
    }
    return status;
}

void bipe_asker_close(bipe_asker *m)
{
    if (m == NULL)
        return;
    bipe_continuations_close(m->all);
    for (size_t i = 0; i < m->lanes; i++) {
        bipe_continuations_close(m->lane[i].texts);
        bipe_pool_close(m->lane[i].pool);
    }
    bipe_free(m->lane);
    bipe_generator_close(m->generator);
    bipe_token_stream_close(m->stream);
    bipe_tokens_free(&m->whole);
    bipe_tokens_free(&m->context);
    bipe_tokens_free(&m->joined);
    bipe_buffer_free(&m->text);
    bipe_buffer_free(&m->joined_text);
    bipe_free(m->piece);
    bipe_free(m->nll);
    bipe_free(m->best);
    bipe_free(m);
}

bool bipe_asker_length_matters(const bipe_asker *m)
{
    return m->length_matters;
}

void bipe_task_prompt_free(bipe_task_prompt *p)
{
    for (size_t i = 0; i < p->made; i++)
        bipe_growing_text_close(p->text[i].tokens);
    bipe_free(p->text);
    *p = (bipe_task_prompt){0};
}

/* ---- texts to tokens ---- */

/* The first bytes of m->text as tokens. */
static int tokenize_beginning(bipe_asker *m, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    tokens->count = 0;
    int status = bipe_token_stream_begin(m->stream, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(m->stream, m->text.data, size, tokens, err);
    return status == BIPE_OK ? bipe_token_stream_end(m->stream, tokens, err) : status;
}

/* Makes the next text of a prompt usable, and empty but for BOS. */
static int begin_text(const bipe_asker *m, bipe_task_prompt *p, bipe_growing_text **text, bipe_error *err)
{
    int64_t bos = bipe_tokenizer_bos(m->given.tokenizer);
    int status = BIPE_OK;
    if (p->count == p->made) {
        if (bipe_grow(&p->text, &p->capacity, p->made + 1, sizeof *p->text) != 0)
            return bipe_fail_memory(err);
        status = bipe_growing_text_open(&p->text[p->made].tokens, m->given.tokenizer, m->given.segmenter, err);
        if (status != BIPE_OK)
            return status;
        p->made++;
    }
    *text = p->text[p->count].tokens;
    p->text[p->count++].first = bos != BIPE_NO_TOKEN;
    status = bipe_growing_text_clear(*text, err);
    return status == BIPE_OK && bos != BIPE_NO_TOKEN ? bipe_growing_text_mark(*text, (uint32_t)bos, err) : status;
}

/* The bytes of the first `count` tokens. */
static size_t bytes_of(const bipe_tokens *tokens, size_t count)
{
    return count > 0 ? (size_t)tokens->token[count - 1].end : 0;
}

/* Adds tokens first .. end - 1 of the prepared text to those of the question, with the text from the token before them
 * up to `stop`. */
static int join_tokens(bipe_asker *m, const bipe_tokens *from, size_t first, size_t end, size_t stop, bipe_error *err)
{
    bipe_tokens *to = &m->joined;
    size_t start = bytes_of(from, first), at = m->joined_text.size;
    if (bipe_grow(&to->token, &to->capacity, to->count + end - first, sizeof *to->token) != 0)
        return bipe_fail_memory(err);
    for (size_t i = first; i < end; i++) {
        const bipe_token *t = &from->token[i];
        to->token[to->count++] = (bipe_token){.start = t->start - start + at, .end = t->end - start + at, .id = t->id};
    }
    return bipe_buffer_append(&m->joined_text, m->text.data + start, stop - start, err);
}

/* The tokens of the prompt alone, without `out` of them, and then those of prompt and choice together, without as many
 * as the prompt has: the rule of lm-evaluation-harness. Where a token crosses the border, the text that the model reads
 * differs from the given one. */
static int join_question(bipe_asker *m, bool choice, size_t out, bipe_growing_text *to, bipe_error *err)
{
    bipe_task_cut cut = m->given.cut;
    const bipe_tokens *prompt = &m->context;
    size_t count = prompt->count, from = cut == BIPE_CUT_START ? 0
                                         : cut == BIPE_CUT_END ? count - out
                                                               : (count - out) / 2;
    m->joined.count = m->joined_text.size = 0;
    int status = join_tokens(m, prompt, 0, from, bytes_of(prompt, from), err);
    if (status == BIPE_OK)
        status = join_tokens(m, prompt, from + out, count, choice ? bytes_of(prompt, count) : m->text.size, err);
    if (status == BIPE_OK && choice)
        status = join_tokens(m, &m->whole, count, m->whole.count, m->text.size, err);
    return status == BIPE_OK ? bipe_growing_text_append(to, m->joined.token, m->joined.count, m->joined_text.data,
                                                        m->joined_text.size, err)
                             : status;
}

static void append_buffer(bipe_buffer *to, const bipe_buffer *from)
{
    bipe_buffer_write(to, from->data, from->size);
}

/* The text of a choice (SIZE_MAX: the prompt alone) into m->text; *context: the bytes of it that are not scored. */
static int join_text(bipe_asker *m, const bipe_question *q, const bipe_buffer *shots, size_t choice, size_t *context,
                     bipe_error *err)
{
    const bipe_task *task = m->given.task;
    m->text.size = 0;
    append_buffer(&m->text, shots);
    append_buffer(&m->text, &q->prompt);
    if (choice != SIZE_MAX && task->has_ending)
        append_buffer(&m->text, &q->choices.text[choice]);
    *context = m->text.size;
    if (choice != SIZE_MAX) {
        bipe_buffer_write(&m->text, task->separator, strlen(task->separator));
        append_buffer(&m->text, task->has_ending ? &q->ending : &q->choices.text[choice]);
    }
    /* trailing white space of the prompt moves to the choice, as in lm-evaluation-harness: tokens usually begin with
     * it */
    size_t start;
    if (choice != SIZE_MAX)
        bipe_python_strip(m->text.data, *context, &start, context);
    return m->text.failed ? bipe_fail_memory(err) : BIPE_OK;
}

/* The tokens of choice i (of kind generate: of the prompt), without `out` tokens of its prompt. *length: how many there
 * are. */
static int prepare_text(bipe_asker *m, const bipe_question *q, const bipe_buffer *shots, size_t i, size_t out,
                        bipe_task_prompt *p, size_t *length, bipe_error *err)
{
    const bipe_task *task = m->given.task;
    bool choice = task->kind == BIPE_TASK_CHOICES;
    bipe_growing_text *text = NULL;
    size_t context = 0;
    int status = begin_text(m, p, &text, err);
    if (status == BIPE_OK)
        status = join_text(m, q, shots, choice ? i : SIZE_MAX, &context, err);
    if (status == BIPE_OK)
        status = tokenize_beginning(m, context, &m->context, err);
    if (status == BIPE_OK && choice)
        status = tokenize_beginning(m, m->text.size, &m->whole, err);
    size_t first = m->context.count, all = choice ? m->whole.count : first;
    if (status == BIPE_OK && choice && first >= all)
        return bipe_fail(
            err, BIPE_ERR_FORMAT,
            "choice %zu has no tokens of its own: the prompt has %zu alone and %zu with it, expected one more "
            "at least",
            i, first, all);
    if (status == BIPE_OK && out > 0 && out >= first)
        return bipe_fail(err, BIPE_ERR_FORMAT, "-L leaves no place for the prompt, expected a length of more than %zu",
                         all - first + p->text[i].first + task->max_tokens);
    if (status == BIPE_OK)
        status = join_question(m, choice, out, text, err);
    if (status != BIPE_OK)
        return status;
    p->text[i].first += first - out; /* after BOS */
    if (p->text[i].first == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "the prompt has no tokens, expected one at least");
    *length = bipe_growing_text_view(text).count;
    return BIPE_OK;
}

/* Tokens that all texts begin with, at the same positions, before any that is scored. */
static size_t count_shared(const bipe_task_prompt *p)
{
    const bipe_growing_view a = bipe_growing_text_view(p->text[0].tokens);
    size_t shared = p->text[0].first;
    for (size_t i = 1; i < p->count; i++) {
        const bipe_growing_view b = bipe_growing_text_view(p->text[i].tokens);
        size_t most = p->text[i].first < shared ? p->text[i].first : shared;
        for (shared = 0; shared < most && a.ids[shared] == b.ids[shared] &&
                         bipe_indices_equal(&a.index, &b.index, shared, 1);)
            shared++;
    }
    return shared;
}

/* The window of a text of `need` tokens: where its length matters, one that texts of about that length share, -L or a
 * multiple of the training length. */
static size_t choose_window(const bipe_asker *m, size_t need)
{
    size_t trained = bipe_model_hyperparameters(m->given.model)->train_length, length = m->given.length;
    if (!m->length_matters || trained == 0)
        return need;
    return length > 0 ? length : (need + trained - 1) / trained * trained;
}

/* With what is left from earlier questions. */
static uint64_t available_memory(const bipe_asker *m)
{
    uint64_t available = bipe_memory_available(""), spare = bipe_generator_spare(m->generator);
    if (m->all != NULL)
        spare += bipe_continuations_spare(m->all);
    for (size_t i = 0; i < m->lanes; i++)
        spare += bipe_continuations_spare(m->lane[i].texts);
    return available <= UINT64_MAX - spare ? available + spare : available;
}

int bipe_asker_prepare(bipe_asker *m, const bipe_question *q, const bipe_buffer *shots, bipe_task_prompt *p,
                       bipe_task_answer *answer, bipe_error *err)
{
    const bipe_task *task = m->given.task;
    size_t length = m->given.length;
    size_t texts = task->kind == BIPE_TASK_CHOICES ? q->choices.count : 1, longest, out = 0, all;
    if (q->prompt.size + shots->size > TEXT_MOST / texts) /* each choice has a copy */
        return bipe_fail(err, BIPE_ERR_FORMAT, "a prompt of %zu bytes for %zu choices, expected %d MB at most for all",
                         q->prompt.size + shots->size, texts, TEXT_MOST >> 20);
    do { /* once more where it is too long */
        p->count = longest = all = 0;
        for (size_t i = 0; i < texts; i++) {
            size_t tokens = 0;
            int status = prepare_text(m, q, shots, i, out, p, &tokens, err);
            if (status != BIPE_OK)
                return status;
            all += tokens;
            longest = tokens > longest ? tokens : longest;
        }
        longest += task->max_tokens; /* 0 of kind choices */
        answer->truncated = out > 0;
        p->cut = out;
        out = length > 0 && longest > length ? longest - length : 0;
    } while (out > 0 && !answer->truncated);
    if (longest > BIPE_LENGTH_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a text of %zu tokens, expected at most %d; -L cuts it", longest,
                         (int)BIPE_LENGTH_LIMIT);
    answer->prompt_tokens = p->text[0].first;
    p->shared = count_shared(p);
    p->stop_at = q->stop_at;
    p->window = choose_window(m, longest);
    p->bytes = m->token_bytes * (double)(all - (texts - 1) * p->shared + task->max_tokens);
    int status =
        bipe_memory_check(available_memory(m), bipe_bytes_of(p->bytes), err, "fewer, as -L makes them, take less",
                          "keys and values of %zu tokens take", all + task->max_tokens);
    return status == BIPE_OK ? BIPE_OK : (int)(err->status = BIPE_ERR_FORMAT); /* of this question alone */
}

/* ---- answers ---- */

static int continue_prompts(const bipe_asker *m, bipe_continuations *all, bipe_task_prompt *const *prompt,
                            bipe_task_answer *const *answer, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    bipe_continuations_clear(all);
    bipe_continuations_set_window(all, m->length_matters ? prompt[0]->window : 0);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        status = bipe_continuations_add(all, prompt[i]->text[0].tokens, 0, err);
        if (status == BIPE_OK && prompt[i]->stop_at > 1)
            bipe_continuations_pass_stops(all, prompt[i]->stop_at - 1);
    }
    for (size_t going = 1; going > 0 && status == BIPE_OK;)
        status = bipe_continuations_step(all, &going, err);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bipe_continuation c = bipe_continuations_at(all, i);
        answer[i]->text.size = 0;
        status = bipe_buffer_append(&answer[i]->text, c.bytes, c.size, err);
    }
    return status;
}

typedef struct lanes {
    const bipe_asker *model;
    bipe_task_prompt *const *prompt;
    bipe_task_answer *const *answer;
    size_t count;
    bipe_error *error;            /* (lanes) */
} lanes;

static void run_lane(void *context, size_t i, size_t worker)
{
    const lanes *l = context;
    size_t first = l->count * i / l->model->lanes, end = l->count * (i + 1) / l->model->lanes;
    (void)worker;
    continue_prompts(l->model, l->model->lane[i].texts, l->prompt + first, l->answer + first, end - first,
                     &l->error[i]);
}

/* Many texts are divided among threads, which then wait for each other once instead of in each layer of each step. */
static int continue_texts(bipe_asker *m, bipe_task_prompt *const *prompt, bipe_task_answer *const *answer, size_t count,
                          bipe_error *err)
{
    if (m->lanes == 0 || count < m->lanes * LANE_LEAST)
        return continue_prompts(m, m->all, prompt, answer, count, err);
    lanes l = {m, prompt, answer, count, bipe_alloc(m->lanes, sizeof *l.error)};
    int status = l.error == NULL ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK)
        bipe_pool_run(m->given.pool, m->lanes, run_lane, &l);
    for (size_t i = 0; i < m->lanes && status == BIPE_OK; i++)
        if (l.error[i].status != BIPE_OK) {
            *err = l.error[i];
            status = (int)err->status;
        }
    bipe_free(l.error);
    return status;
}

/* A generator for texts of that length; for just that one, where it matters. */
static int reach_window(bipe_asker *m, size_t window, bipe_error *err)
{
    if (m->length_matters ? m->options.max_length == window : m->options.max_length >= window)
        return BIPE_OK;
    bipe_generator_close(m->generator);
    m->options.max_length = window;
    return bipe_generator_open(&m->generator, m->given.model, &m->options, m->given.pool, err);
}

/* A piece of a text: its tokens from .. end, and the outputs wanted for them. */
static bipe_piece piece_of(const bipe_growing_text *text, size_t sequence, size_t from, size_t to)
{
    bipe_growing_view v = bipe_growing_text_view(text);
    return (bipe_piece){.sequence = sequence, .ids = v.ids + from,
                        .index = bipe_indices_from(&v.index, from), .count = to - from};
}

/* Each prompt goes through the network once; then all choices together. */
static int run_pieces(bipe_asker *m, bipe_task_prompt *const *prompt, size_t count, size_t *base, bipe_error *err)
{
    size_t pieces = 0, texts = 0, at = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        if (prompt[i]->shared > 0) {
            status = bipe_generator_add(m->generator, &base[i], err);
            m->piece[pieces++] = piece_of(prompt[i]->text[0].tokens, base[i], 0, prompt[i]->shared);
        }
    if (status == BIPE_OK)
        status = bipe_generator_run(m->generator, m->piece, pieces, err);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < prompt[i]->count && status == BIPE_OK; k++) {
            size_t sequence = base[i], shared = prompt[i]->shared,
                   all = bipe_growing_text_view(prompt[i]->text[k].tokens).count;
            if (shared == 0)
                status = bipe_generator_add(m->generator, &sequence, err);
            else if (k + 1 < prompt[i]->count) /* the last one is followed by the prompt itself */
                status = bipe_generator_fork(m->generator, base[i], &sequence, err);
            m->piece[texts] = piece_of(prompt[i]->text[k].tokens, sequence, shared, all);
            m->piece[texts].nll = m->nll + at;
            m->piece[texts++].best = m->best + at;
            at += all - shared;
        }
    return status == BIPE_OK ? bipe_generator_run(m->generator, m->piece, texts, err) : status;
}

static int score_choices(bipe_asker *m, bipe_task_prompt *const *prompt, bipe_task_answer *const *answer, size_t count,
                         bipe_error *err)
{
    size_t texts = 0, tokens = 0, window = 0;
    for (size_t i = 0; i < count; i++) {
        window = prompt[i]->window > window ? prompt[i]->window : window;
        texts += prompt[i]->count;
        for (size_t k = 0; k < prompt[i]->count; k++)
            tokens += bipe_growing_text_view(prompt[i]->text[k].tokens).count - prompt[i]->shared;
    }
    size_t *base = bipe_alloc(count, sizeof *base);
    int status = base == NULL || bipe_grow(&m->piece, &m->piece_capacity, texts, sizeof *m->piece) != 0 ||
                         bipe_grow(&m->nll, &m->nll_capacity, tokens, sizeof *m->nll) != 0 ||
                         bipe_grow(&m->best, &m->best_capacity, tokens, sizeof *m->best) != 0
                     ? bipe_fail_memory(err)
                     : reach_window(m, window, err);
    if (status == BIPE_OK)
        status = run_pieces(m, prompt, count, base, err);
    bipe_free(base);
    for (size_t i = 0, piece = 0; i < count && status == BIPE_OK; i++) {
        status = bipe_task_answer_choices(answer[i], prompt[i]->count, err);
        for (size_t k = 0; k < prompt[i]->count && status == BIPE_OK; k++, piece++) {
            const bipe_piece *p = &m->piece[piece];
            bipe_task_choice *choice = &answer[i]->choice[k];
            *choice = (bipe_task_choice){.greedy = true};
            for (size_t t = prompt[i]->text[k].first - prompt[i]->shared; t < p->count; t++) {
                choice->score -= p->nll[t];
                choice->greedy = choice->greedy && p->best[t] == p->ids[t];
            }
            bipe_generator_drop(m->generator, p->sequence);
        }
    }
    if (status != BIPE_OK) { /* nothing of these questions may stay */
        bipe_generator_close(m->generator);
        m->generator = NULL;
        m->options.max_length = 0;
    }
    return status;
}

int bipe_asker_ask(bipe_asker *m, bipe_task_prompt *const *prompt, bipe_task_answer *const *answer, size_t count,
                   bipe_error *err)
{
    return m->given.task->kind == BIPE_TASK_GENERATE ? continue_texts(m, prompt, answer, count, err)
                                                     : score_choices(m, prompt, answer, count, err);
}
