/* test_end_tokens.c - the tokens that end a text, as GGUF files state them by keys and by names: which are read, and
 * that they are written again. tests/cli/ends.t has Hugging Face folders. */
#include <unistd.h>

#include "format/gguf.h"
#include "tests/check.h"
#include "token/tokenizer.h"

#define KEY(name) "tokenizer.ggml." name
#define DEEPSEEK "<\xEF\xBD\x9C" "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"

static const char path[] = "test_end_tokens.tmp", again[] = "test_end_tokens.again.tmp";

enum { NORMAL = 1, UNKNOWN, CONTROL, USER };
/* A vocabulary in which tokens are named as in several families; `</s>` and <eos> are ordinary text here. */
static const struct {
    const char *name;
    int type;
} tokens[] = {
    {"<unk>", UNKNOWN}, {"<s>", CONTROL}, {"</s>", NORMAL}, {"a", NORMAL}, {"<|end_of_text|>", CONTROL},
    {"<|eot_id|>", CONTROL}, {"<|eom_id|>", USER}, {"<|im_end|>", CONTROL}, {"<eos>", NORMAL}, {DEEPSEEK, CONTROL},
    {"<|x|>", CONTROL}, {"<|y|>", CONTROL}, {"<|z|>", CONTROL}, {"<|fim_pad|>", CONTROL},
};
enum { COUNT = sizeof tokens / sizeof tokens[0], NONE = -1 };

typedef struct stated {
    const char *architecture;
    int eos, eot, eom, list[4]; /* list: ids, 0 ends it; the first is 0: no such key */
} stated;

static void set_id(bipe_gguf_writer *writer, const char *key, int id)
{
    if (id != NONE)
        bipe_gguf_set_u32(writer, key, (uint32_t)id);
}

static void write_file(const stated *f)
{
    bipe_gguf_writer *w;
    bipe_gguf_string text[COUNT];
    int32_t type[COUNT], list[4];
    float score[COUNT];
    size_t listed = 0;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    for (size_t i = 0; i < COUNT; i++) {
        text[i] = (bipe_gguf_string){tokens[i].name, strlen(tokens[i].name)};
        type[i] = tokens[i].type;
        score[i] = -(float)i;
    }
    bipe_gguf_set_text(w, "general.architecture", f->architecture);
    bipe_gguf_set_text(w, KEY("model"), "llama");
    bipe_gguf_set_strings(w, KEY("tokens"), text, COUNT);
    bipe_gguf_set_i32s(w, KEY("token_type"), type, COUNT);
    bipe_gguf_set_f32s(w, KEY("scores"), score, COUNT);
    set_id(w, KEY("eos_token_id"), f->eos);
    set_id(w, KEY("eot_token_id"), f->eot);
    set_id(w, KEY("eom_token_id"), f->eom);
    for (; listed < 4 && f->list[listed] != 0; listed++)
        list[listed] = f->list[listed];
    if (listed != 0)
        bipe_gguf_set_i32s(w, KEY("end_token_ids"), list, listed);
    CHECKF(bipe_gguf_write(w, path, &err) == BIPE_OK, "%s", err.text);
    bipe_gguf_writer_close(w);
}

static void check_ends(const char *file, const char *expected)
{
    char found[256] = "";
    bipe_tokenizer *t;
    bipe_error err = {0};
    size_t count;
    CHECKF(bipe_tokenizer_open(&t, file, false, &err) == BIPE_OK, "%s", err.text);
    if (t == NULL)
        return;
    const uint32_t *ends = bipe_tokenizer_ends(t, &count);
    for (size_t i = 0; i < count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%" PRIu32, i == 0 ? "" : " ", ends[i]);
    CHECK_TEXT(found, expected);
    for (uint32_t id = 0; id < COUNT; id++) {
        char number[32], padded[300];
        snprintf(number, sizeof number, " %" PRIu32 " ", id);
        snprintf(padded, sizeof padded, " %s ", expected);
        CHECK(bipe_tokenizer_is_end(t, id) == (strstr(padded, number) != NULL));
    }
    bipe_tokenizer_close(t);
}

/* What a written file states; NONE: no such key. */
static int id_of(const char *key)
{
    uint64_t id;
    bipe_gguf *gguf;
    bipe_error err = {0};
    CHECK(bipe_gguf_open(&gguf, again, &err) == BIPE_OK);
    int status = bipe_gguf_get_uint(gguf, key, &id, &err);
    bipe_gguf_close(gguf);
    return status == BIPE_OK ? (int)id : NONE;
}

/* Writes the tokenizer of `path` again. */
static void write_again(bool llama)
{
    bipe_gguf_writer *w;
    bipe_tokenizer *t;
    bipe_error err = {0};
    CHECKF(bipe_tokenizer_open(&t, path, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    bipe_gguf_set_text(w, "general.architecture", llama ? "llama" : "bipe");
    CHECKF((llama ? bipe_tokenizer_write_llama(t, COUNT, w, &err) : bipe_tokenizer_write_gguf(t, w, &err)) == BIPE_OK,
           "%s", err.text);
    CHECKF(bipe_gguf_write(w, again, &err) == BIPE_OK, "%s", err.text);
    bipe_gguf_writer_close(w);
    bipe_tokenizer_close(t);
}

static void test_reading(void)
{
    static const struct {
        stated file;
        const char *ends;
    } cases[] = {
        /* files of other programs: EOS, the keys, and control and user-defined tokens of known names */
        {{"llama", 4, 5, 6, {0}}, "4 5 6 7 9"},
        {{"llama", 3, NONE, NONE, {0}}, "3 4 5 6 7 9"},
        {{"llama", 10, 11, NONE, {0}}, "10 11 4 5 6 7 9"},
        {{"llama", NONE, NONE, 12, {0}}, "12 4 5 6 7 9"},
        {{"qwen2", 5, 5, 5, {0}}, "5 4 6 7 9"},
        /* native files go by keys alone */
        {{"bipe", 4, 5, 6, {0}}, "4 5 6"},
        {{"bipe", 10, NONE, NONE, {0}}, "10"},
        {{"bipe", NONE, NONE, NONE, {0}}, ""},
        /* the list goes before everything but EOS */
        {{"bipe", 4, NONE, NONE, {12, 4, 11}}, "12 4 11"},
        {{"llama", 4, 5, 6, {12, 11}}, "12 11 4"},
        {{"bipe", NONE, NONE, NONE, {3, 5}}, "3 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(&cases[i].file);
        check_ends(path, cases[i].ends);
        for (int llama = 0; llama < (cases[i].ends[0] != '\0' ? 2 : 1);
             llama++) { /* without any, other programs go by names */
            write_again(llama != 0);
            check_ends(again, cases[i].ends);
        }
    }
}

/* The keys of a file for llama.cpp: of three more end tokens two have a key of their own; others take what is free. */
static void test_keys(void)
{
    write_file(&(stated){"bipe", 4, NONE, NONE, {5, 6, 9}});
    write_again(true);
    CHECK(id_of(KEY("eos_token_id")) == 4 && id_of(KEY("eot_token_id")) == 5 && id_of(KEY("eom_token_id")) == 6);
    write_file(&(stated){"bipe", 4, NONE, NONE, {11, 6}});
    write_again(true);
    CHECK(id_of(KEY("eot_token_id")) == 11 && id_of(KEY("eom_token_id")) == 6);
    write_file(&(stated){"bipe", 4, NONE, NONE, {11, 12}});
    write_again(true);
    CHECK(id_of(KEY("eot_token_id")) == 11 && id_of(KEY("eom_token_id")) == 12);
    write_file(&(stated){"bipe", 4, NONE, NONE, {4}});
    write_again(true);
    CHECK(id_of(KEY("eot_token_id")) == NONE && id_of(KEY("eom_token_id")) == NONE);
    write_file(&(stated){"bipe", 4, NONE, NONE, {10, 11, 12}});
    bipe_tokenizer *t;
    bipe_gguf_writer *w = NULL;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_open(&t, path, false, &err) == BIPE_OK && bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    CHECK(bipe_tokenizer_write_llama(t, COUNT, w, &err) == BIPE_ERR_UNSUPPORTED);
    bipe_gguf_writer_close(w);
    bipe_tokenizer_close(t);
}

static void test_errors(void)
{
    static const struct {
        stated file;
        const char *error;
    } cases[] = {
        {{"llama", 4, COUNT, NONE, {0}}, KEY("eot_token_id") ": 14, expected an id below 14"},
        {{"llama", 4, NONE, 4096, {0}}, KEY("eom_token_id") ": 4096, expected an id below 14"},
        {{"bipe", 4, NONE, NONE, {5, COUNT}}, KEY("end_token_ids") ": 14, expected an id below 14"},
        {{"bipe", 4, NONE, NONE, {-1}}, KEY("end_token_ids") ": -1, expected an id below 14"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bipe_tokenizer *t;
        bipe_error err = {0};
        write_file(&cases[i].file);
        CHECK(bipe_tokenizer_open(&t, path, false, &err) == BIPE_ERR_FORMAT && t == NULL);
        CHECKF(strstr(err.text, cases[i].error) != NULL, "%s", err.text);
    }
}

int main(void)
{
    test_reading();
    test_keys();
    test_errors();
    unlink(path);
    unlink(again);
    return test_result();
}
