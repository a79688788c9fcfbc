/* test_stream_turn.c - streams that take turns in holding back much: who has the turn, who stands alone, when that is over, and that all come to
 * an end with what they would read by themselves, whatever memory they give back on their way. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/threads.h"
#include "measure/stream.h"
#include "measure/turn.h"
#include "tests/check.h"

static const char *const specs[] = {"paragraph"};
static const char path[] = "test_stream_turn.jsonl", plain[] = "test_stream_turn.txt", wide[] = "test_stream_turn.wide";

/* Blanks behind two newlines belong to the paragraph or not, which is seen behind them. */
enum { BLANKS = 200000, BEHIND = 600000, VERY_MANY = 3 << 20, THREADS = 4, ROUNDS = 3 };

static void repeat(bipe_buffer *text, const char *piece, size_t count)
{
    bipe_error err;
    for (size_t i = 0; i < count; i++)
        CHECK(bipe_buffer_append(text, piece, strlen(piece), &err) == BIPE_OK);
}

static void write_text(const char *name, bipe_buffer *text)
{
    FILE *f = fopen(name, "wb");
    CHECK(f != NULL && fwrite(text->data, 1, text->size, f) == text->size);
    if (f != NULL)
        fclose(f);
    bipe_buffer_free(text);
}

/* Documents: little, much, broken, much that is not decided before the end, little. */
static void write_files(void)
{
    bipe_buffer text = {0};
    repeat(&text, "{\"text\":\"a\\n\\nb\"}\n{\"text\":\"a\\n\\n", 1);
    repeat(&text, " ", BLANKS);
    repeat(&text, "b. c\\n\\n", 2);
    repeat(&text, "d\"}\n{\"text\":\"a\\n\\n", 1);
    repeat(&text, " ", BLANKS);
    repeat(&text, "\n{\"text\":\"a\\n\\n", 1);
    repeat(&text, " ", BLANKS);
    repeat(&text, "\"}\n{\"text\":\"z\"}\n", 1);
    write_text(path, &text);
    repeat(&text, "a\n\n", 1);
    repeat(&text, " ", BLANKS);
    repeat(&text, "words of a text\n", BEHIND / 16);
    write_text(plain, &text);
    repeat(&text, "a\n\n", 1);
    repeat(&text, "                ", VERY_MANY / 16);
    write_text(wide, &text);
}

typedef struct totals {
    uint64_t documents, broken, tokens, closes, unopened;
} totals;

/* leave: of the documents, the one that is left after its first batches. Checks nothing: threads do this. */
static void read_all(bipe_stream *stream, totals *t, uint64_t leave)
{
    bipe_error err = {0};
    int status = bipe_stream_input(stream, path, &err);
    t->unopened += status != BIPE_OK;
    while (status == BIPE_OK && (status = bipe_stream_next_document(stream, &err)) != BIPE_END) {
        bipe_batch batch = {0};
        for (size_t batches = 0; status == BIPE_OK && !batch.last && !(batches == 2 && bipe_stream_document(stream) == leave); batches++) {
            status = bipe_stream_read(stream, &batch, &err);
            t->tokens += status == BIPE_OK ? batch.token_count : 0;
            t->closes += status == BIPE_OK ? batch.close_count[0] : 0;
            if (batches % 3 == 1)
                bipe_stream_trim(stream); /* which makes no difference */
        }
        t->documents += status == BIPE_OK;
        t->broken += status != BIPE_OK;
        if (bipe_stream_document(stream) == leave)
            break;
        status = BIPE_OK; /* documents behind a broken one are read */
    }
    bipe_stream_rest(stream);
}

static bipe_stream *open_stream(const bipe_tokenizer *tokenizer, bipe_turn *turn, bool just_counts)
{
    bipe_error err = {0};
    bipe_stream *stream;
    bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1, .just_counts = just_counts, .turn = turn};
    CHECKF(bipe_stream_open(&stream, &options, &err) == BIPE_OK, "%s", err.text);
    return stream;
}

/* ---- who has it ---- */

static bool is_taken(bipe_turn *turn)
{
    bool free = bipe_turn_try(turn);
    if (free)
        bipe_turn_give(turn);
    return !free;
}

static void next_document(bipe_stream *stream, int want)
{
    bipe_error err = {0};
    CHECK(bipe_stream_next_document(stream, &err) == want);
}

/* Reads to the end of a document, or to an error; whether the turn was taken meanwhile. */
static bool read_document(bipe_stream *stream, bipe_turn *turn, int want)
{
    bipe_error err = {0};
    bipe_batch batch = {0};
    bool taken = false;
    int status = BIPE_OK;
    while (status == BIPE_OK && !batch.last) {
        status = bipe_stream_read(stream, &batch, &err);
        taken = taken || is_taken(turn);
    }
    CHECKF(status == want, "%d, not %d: %s", status, want, err.text);
    return taken;
}

static void test_turns(const bipe_tokenizer *tokenizer)
{
    bipe_turn turn;
    bipe_error err = {0};
    bipe_turn_open(&turn);
    bipe_stream *stream = open_stream(tokenizer, &turn, false);
    CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK);
    next_document(stream, BIPE_OK);
    CHECK(!read_document(stream, &turn, BIPE_OK));
    next_document(stream, BIPE_OK);
    CHECK(read_document(stream, &turn, BIPE_OK) && is_taken(&turn));
    bipe_stream_rest(stream);
    CHECK(!is_taken(&turn));
    next_document(stream, BIPE_OK);
    CHECK(read_document(stream, &turn, BIPE_ERR_FORMAT) && is_taken(&turn));
    next_document(stream, BIPE_OK);
    CHECK(!is_taken(&turn));
    CHECK(read_document(stream, &turn, BIPE_OK));
    next_document(stream, BIPE_OK);
    CHECK(!is_taken(&turn) && !read_document(stream, &turn, BIPE_OK));
    next_document(stream, BIPE_END);

    /* Left in the middle, it is given back by whatever comes then. */
    for (int way = 0; way < 2; way++) {
        bipe_batch batch = {0};
        CHECK(bipe_stream_input(stream, plain, &err) == BIPE_OK);
        next_document(stream, BIPE_OK);
        while (!is_taken(&turn) && !batch.last)
            CHECK(bipe_stream_read(stream, &batch, &err) == BIPE_OK);
        CHECK(is_taken(&turn) && !batch.last);
        if (way == 0)
            CHECK(bipe_stream_input(stream, plain, &err) == BIPE_OK);
        else
            bipe_stream_close(stream);
        CHECK(!is_taken(&turn));
    }

    /* Where text goes on in blocks, it is given back in the middle, and counts are right. */
    bipe_batch batch = {0};
    uint64_t tokens = 0;
    size_t taken = 0, free_again = 0;
    stream = open_stream(tokenizer, &turn, true);
    CHECK(bipe_stream_input(stream, plain, &err) == BIPE_OK);
    next_document(stream, BIPE_OK);
    while (!batch.last && bipe_stream_read(stream, &batch, &err) == BIPE_OK) {
        tokens += batch.token_count;
        taken += is_taken(&turn);
        free_again += taken != 0 && !is_taken(&turn);
    }
    CHECK(batch.last && tokens == 3 + BLANKS + BEHIND / 16 * 16);
    CHECK(taken != 0 && free_again != 0);
    bipe_stream_close(stream);
    bipe_turn_close(&turn);
}

/* Who reads a document may want the turn for itself. */
static void test_claim(const bipe_tokenizer *tokenizer)
{
    bipe_turn turn;
    bipe_error err = {0};
    bipe_batch batch = {0};
    bipe_turn_open(&turn);
    bipe_stream *stream = open_stream(tokenizer, &turn, true);
    CHECK(bipe_stream_input(stream, plain, &err) == BIPE_OK);
    next_document(stream, BIPE_OK);
    CHECK(bipe_stream_read(stream, &batch, &err) == BIPE_OK && !batch.last && !is_taken(&turn));
    bipe_stream_claim(stream);
    bipe_stream_claim(stream);
    while (!batch.last && bipe_stream_read(stream, &batch, &err) == BIPE_OK)
        CHECK(is_taken(&turn));
    CHECK(batch.last);
    next_document(stream, BIPE_END);
    CHECK(!is_taken(&turn));
    bipe_stream_close(stream);
    bipe_turn_close(&turn);
}

/* ---- who stands alone ---- */

typedef struct other {
    bipe_stream *stream;
    totals got;
    atomic_bool done;
} other;

static void *read_other(void *context)
{
    other *o = context;
    read_all(o->stream, &o->got, UINT64_MAX);
    atomic_store(&o->done, true);
    return NULL;
}

/* While somebody stands alone, others that hold back nothing wait as well, and go on behind it. */
static void test_alone(const bipe_tokenizer *tokenizer)
{
    bipe_turn turn;
    bipe_error err = {0};
    bipe_batch batch = {0};
    uint64_t tokens = 0;
    bool started = false;
    pthread_t thread;
    bipe_turn_open(&turn);
    other o = {.stream = open_stream(tokenizer, &turn, true)};
    bipe_stream *stream = open_stream(tokenizer, &turn, true);
    CHECK(bipe_stream_input(stream, wide, &err) == BIPE_OK);
    next_document(stream, BIPE_OK);
    while (!batch.last && bipe_stream_read(stream, &batch, &err) == BIPE_OK) {
        tokens += batch.token_count;
        bool alone = bipe_turn_is_alone(&turn);
        if (alone && !started) {
            started = bipe_thread_start(&thread, read_other, &o) == 0;
            usleep(1000); /* who does not wait may be done by now */
        }
        CHECK(!alone || !atomic_load(&o.done));
    }
    CHECK(started && batch.last && tokens == 3 + VERY_MANY);
    bipe_stream_rest(stream);
    if (started)
        pthread_join(thread, NULL);
    CHECK(o.got.documents == 4 && o.got.broken == 1 && o.got.closes == 2 + 4 + 2 + 2 + 1);
    CHECK(!bipe_turn_is_alone(&turn) && !is_taken(&turn));
    bipe_stream_close(stream);
    bipe_stream_close(o.stream);
    bipe_turn_close(&turn);
}

/* ---- several threads ---- */

typedef struct job {
    bipe_stream *stream[THREADS];
    totals got[THREADS];
} job;

static void task(void *context, size_t i, size_t thread)
{
    job *j = context;
    (void)thread;
    for (size_t round = 0; round < ROUNDS; round++) {
        totals left = {0};
        read_all(j->stream[i], &left, i % 4);
        j->got[i] = (totals){0};
        read_all(j->stream[i], &j->got[i], UINT64_MAX);
    }
}

static void test_threads(const bipe_tokenizer *tokenizer)
{
    bipe_turn turn;
    bipe_pool *pool;
    bipe_error err = {0};
    totals want = {0};
    job j = {.stream = {NULL}};
    bipe_turn_open(&turn);
    bipe_stream *alone = open_stream(tokenizer, NULL, false);
    read_all(alone, &want, UINT64_MAX);
    bipe_stream_close(alone);
    CHECKF(want.documents == 4 && want.broken == 1 && want.closes == 2 + 4 + 2 + 2 + 1, "%d %d %d", (int)want.documents, (int)want.broken, (int)want.closes);
    CHECK(want.unopened == 0);
    for (size_t i = 0; i < THREADS; i++)
        j.stream[i] = open_stream(tokenizer, &turn, i % 2 == 0);
    CHECK(bipe_pool_open(&pool, THREADS, &err) == BIPE_OK);
    bipe_pool_run(pool, THREADS, task, &j);
    bipe_pool_close(pool);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(j.got[i].documents == want.documents && j.got[i].broken == want.broken && j.got[i].closes == want.closes &&
              j.got[i].tokens == want.tokens && j.got[i].unopened == 0);
    for (size_t i = 0; i < THREADS; i++)
        bipe_stream_close(j.stream[i]);
    CHECK(!is_taken(&turn));
    bipe_turn_close(&turn);
}

int main(void)
{
    bipe_tokenizer *tokenizer;
    bipe_error err;
    unsetenv("BIPE_BUFFER_SIZE");
    write_files();
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    test_turns(tokenizer);
    test_claim(tokenizer);
    test_alone(tokenizer);
    test_threads(tokenizer);
    bipe_tokenizer_close(tokenizer);
    unlink(path);
    unlink(plain);
    unlink(wide);
    return test_result();
}
