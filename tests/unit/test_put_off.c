/* test_put_off.c - what is put off is made once, when there was enough, by whatever thread; and tokens are the same before, meanwhile and
 * behind it, as those of a tokenizer that had all when it was opened. */
#include <config.h>

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "tests/tokenizers.h"
#include "token/pipeline/merge_model.h"
#include "token/put_off.h"

enum { THREADS = 4, SIZE = 6000 };

static void count(void *context)
{
    ++*(int *)context;
}

static void test_once(void)
{
    int made = 0;
    bipe_tokenizer_put_off(0);
    CHECK(bipe_put_off_new(count, &made) == NULL && made == 1 && bipe_put_off_made(NULL, 0));
    bipe_tokenizer_put_off(10);
    bipe_alloc_fail_at(0);
    CHECK(bipe_put_off_new(count, &made) == NULL && made == 2);
    bipe_alloc_fail_at(-1);
    bipe_put_off *p = bipe_put_off_new(count, &made);
    CHECK(p != NULL && !bipe_put_off_made(p, 0) && !bipe_put_off_made(p, 9) && !bipe_put_off_made(p, 0) && made == 2);
    CHECK(bipe_put_off_made(p, 1) && made == 3 && bipe_put_off_made(p, 100) && bipe_put_off_made(p, 0) && made == 3);
    bipe_free(p);
    bipe_tokenizer_put_off(0);
}

/* Words of few letters, most of which come once; some of East Asia. */
static size_t make_text(uint64_t *random, uint8_t *text)
{
    static const char *const parts[] = {"a", "b", "c", "ab", "ca", " ", " a", "\n", "\xE4\xB8\xAD", "\xE4\xB8\x80", "\xC3\xA9"};
    size_t size = 0, n;
    for (; size + 4 < SIZE; size += n) {
        const char *part = parts[test_random(random) % (sizeof parts / sizeof *parts)];
        n = strlen(part);
        memcpy(text + size, part, n);
    }
    return size;
}

typedef struct run {
    const bipe_tokenizer *tokenizer;
    const uint8_t *text;
    size_t size;
    bipe_tokens tokens[THREADS];
    int status[THREADS];
} run;

static void take(void *context, size_t i, size_t thread)
{
    (void)thread;
    run *r = context;
    uint64_t random = i + 1;
    bipe_error err = {0};
    r->status[i] = tokens_of(r->tokenizer, r->text, r->size, i == 0 ? 0 : 100 * i, &random, &r->tokens[i], &err);
    if (r->status[i] == BIPE_OK)
        r->status[i] = decode_first(r->tokenizer, &r->tokens[i], &err); /* what ids stand for is put off, too */
}

/* *there: quick is. */
static void check_tokenizer(const test_bytes *json, bool (*quick)(const bipe_tokenizer *tokenizer), size_t words, uint64_t *random)
{
    uint8_t text[SIZE];
    bipe_error err = {0};
    bipe_pool *pool;
    bipe_tokens want = {0};
    bipe_tokenizer whole, put_off;
    run r = {.tokenizer = &put_off, .text = text, .size = make_text(random, text)};
    CHECKF(read_json(&whole, json->data, json->size, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(quick(&whole) && tokens_of(&whole, text, r.size, 0, NULL, &want, &err) == BIPE_OK && want.count > 100);
    bipe_tokenizer_put_off(words);
    CHECK(read_json(&put_off, json->data, json->size, false, &err) == BIPE_OK && !quick(&put_off));
    bipe_tokenizer_put_off(0);
    CHECK(bipe_pool_open(&pool, THREADS, &err) == BIPE_OK);
    bipe_pool_run(pool, THREADS, take, &r);
    bipe_pool_close(pool);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(r.status[i] == BIPE_OK && same_tokens(&want, &r.tokens[i]));
        bipe_tokens_free(&r.tokens[i]);
    }
    CHECKF(quick(&put_off) == (words < 1000), "%zu words", words);
    bipe_tokens_free(&want);
    bipe_tokenizer_clear(&whole);
    bipe_tokenizer_clear(&put_off);
}

static bool pipeline_is_quick(const bipe_tokenizer *t)
{
    const bipe_pipeline *p = t->model;
    const bipe_merge_model *m = p->model;
    return t->kind == &bipe_pipeline_kind && p->quick && m->quick.byte != NULL;
}

static void put_byte_level(test_bytes *json)
{
    bipe_buffer letters = {0};
    put_steps(json, "null", "{'type':'ByteLevel','add_prefix_space':false,'use_regex':true}");
    put_json(json, "{'type':'BPE','vocab':{");
    for (unsigned b = 0; b < 256; b++) {
        letters.size = 0;
        put_letter(&letters, b);
        put_json(json, "'");
        put_bytes(json, letters.data, letters.size);
        char id[16];
        snprintf(id, sizeof id, "':%u,", b);
        put_json(json, id);
    }
    put_json(json, "'ab':256,'ca':257,'\xC4\xA0""a':258,'abc':259,'\xC3\xA4\xC2\xB8':260},"
                   "'merges':['a b','c a','\xC4\xA0 a','ab c','\xC3\xA4 \xC2\xB8']}}");
    bipe_buffer_free(&letters);
}

int main(void)
{
    static const size_t words[] = {1, 2, 40, 150, 100000};
    test_bytes byte_level = {0};
    uint64_t random = 11;
    put_byte_level(&byte_level);
    test_once();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_tokenizer(&byte_level, pipeline_is_quick, words[i], &random);
    }
    free_bytes(&byte_level);
    return test_result();
}
