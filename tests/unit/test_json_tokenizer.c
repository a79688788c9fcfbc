/* test_json_tokenizer.c - tokenizer.json: answers of the original library, random vocabularies against a slow second
 * implementation, what is refused, folders, GGUF, broken files. */
#include <config.h>

#include <stdarg.h>
#include <sys/stat.h>

#include "format/gguf.h"
#include "tests/cases.h"
#include "tests/scratch.h"
#include "tests/tokenizers.h"

#define BLOCK "\xE2\x96\x81" /* ▁ */
#define LLAMA_NORMALIZER \
    "{'type':'Sequence','normalizers':[{'type':'Prepend','prepend':'" BLOCK "'}," \
    "{'type':'Replace','pattern':{'String':' '},'content':'" BLOCK "'}]}"

/* JSON is written with single quotes here. */
/* gaps: not all of the text need be in a token. */
static void check_gaps(const bipe_tokenizer *t, const char *text, bool gaps, const char *want)
{
    bipe_tokens tokens = {0};
    bipe_buffer got = {0};
    bipe_error err = {0};
    uint64_t random = 21;
    check_cuts(t, text, strlen(text), &random, gaps, &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        CHECK(bipe_buffer_printf(&got, &err, "%s%u", i != 0 ? " " : "", (unsigned)tokens.token[i].id) == BIPE_OK);
    CHECKF(strcmp(got.data != NULL ? (const char *)got.data : "", want) == 0, "\"%s\": got %s, want %s", text,
           got.data != NULL ? (const char *)got.data : "", want);
    bipe_buffer_free(&got);
    bipe_tokens_free(&tokens);
}

static void check_text(const bipe_tokenizer *t, const char *text, const char *want)
{
    check_gaps(t, text, false, want);
}

/* ---- answers of the original ---- */

/* Ids that Hugging Face's tokenizers library (0.22.2, with special tokens found in the text) gives, divided by spaces,
 * or how it fails. "gaps": not all of a text need be in a token. */
static void test_answers(void)
{
    test_cases cases = {.name = "tokenizers.jsonl"};
    for (const json_t *c; (c = next_case(&cases)) != NULL;) {
        bipe_tokenizer t;
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        char *json = json_dumps(json_object_get(c, "tokenizer"), JSON_COMPACT);
        const json_t *ids = json_object_get(c, "ids"), *errors = json_object_get(c, "errors");
        const char *text, *want;
        int status = read_json(&t, (const uint8_t *)json, strlen(json), true, &err);
        CHECKF(status == BIPE_OK, "%s", err.text);
        CHECK(json_array_size(ids) + json_array_size(errors) != 0);
        for (size_t k = 0; status == BIPE_OK && case_pair(ids, k, &text, &want); k++)
            check_gaps(&t, text, json_is_true(json_object_get(c, "gaps")), want);
        for (size_t k = 0; status == BIPE_OK && case_pair(errors, k, &text, &want); k++) {
            CHECK(tokens_of(&t, text, strlen(text), 0, NULL, &tokens, &err) == BIPE_ERR_UNSUPPORTED);
            CHECK_TEXT(err.text, want);
        }
        bipe_tokens_free(&tokens);
        bipe_tokenizer_clear(&t);
        free(json);
    }
}

/* The tokenizer of the n-th of these cases; to be freed. */
static char *tokenizer_of_case(size_t n)
{
    test_cases cases = {.name = "tokenizers.jsonl"};
    char *json = NULL;
    for (const json_t *c; (c = next_case(&cases)) != NULL;)
        if (cases.count == n)
            json = json_dumps(json_object_get(c, "tokenizer"), JSON_COMPACT);
    CHECKF(json != NULL, "case %zu", n);
    return json;
}

/* Segmentations that are equally good but for roundings: the library reads numbers in a way of its own. */
static void test_equal_scores(void)
{
    static const char *const cases[][3] = {{"-9.718804359436035", "-9.869706153869629", "xxxxxxxx"},
                                           {"-9.265774726867676", "-11.996500015258789", "xxxxxxxxxxxxx"}};
    for (size_t i = 0; i < 2; i++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        char json[200];
        snprintf(json, sizeof json, "{'model':{'type':'Unigram','unk_id':0,'vocab':[['?',0],['xx',%s],['xxx',%s]]}}",
                 cases[i][0], cases[i][1]);
        CHECKF(read_quoted(&t, json, true, &err) == BIPE_OK, "%zu: %s", i, err.text);
        check_text(&t, cases[i][2], i == 0 ? "2 2 1" : "2 2 2 1 1");
        bipe_tokenizer_clear(&t);
    }
}

/* The first line of a merges.txt among merges that are strings is none; the library's answers. */
static void test_version_line(void)
{
    static const char *const merges[] = {"'#version: 0.2','b c','a bc'", "'b c','#version','a bc'",
                                         "'b c','a bc','#versions 1 2'",
                                         "'#version a','b c','a bc'",    "['b','c'],['#version','a'],['a','bc']"};
    static const char *const pre[] = {"null", "{'type':'WhitespaceSplit'}",
                                      "{'type':'ByteLevel','add_prefix_space':false}"};
    for (size_t i = 0; i < 3 * sizeof merges / sizeof *merges; i++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        char json[400];
        snprintf(json, sizeof json,
                 "{'pre_tokenizer':%s,'model':{'type':'BPE','unk_token':'a','vocab':{'a':0,'b':1,'c':2,'bc':3,'abc':4,'"
                 "#version':5,"
                 "'#versiona':6},'merges':[%s]}}",
                 pre[i % 3], merges[i / 3]);
        CHECKF(read_quoted(&t, json, true, &err) == BIPE_OK, "%zu: %s", i, err.text);
        check_text(&t, "abc", "4");
        bipe_tokenizer_clear(&t);
    }
}

#define BARE(rest) "{'model':{'type':'BPE'," rest ",'merges':['a b']}}"
#define SOME_BYTES "'byte_fallback':true,'vocab':{'u':0,'a':1,'b':2,'ab':3,'<0xC3>':4,'<0xA9>':5}"

/* Characters and bytes without a token. */
static void test_unknown(void)
{
    bipe_tokenizer t;
    bipe_tokens tokens = {0};
    bipe_error err = {0};
    CHECK(read_quoted(&t, BARE("'unk_token':'[UNK]','vocab':{'a':0,'b':1,'ab':2}"), true, &err) == BIPE_OK);
    CHECK(tokens_of(&t, "ba1", 3, 0, NULL, &tokens, &err) == BIPE_ERR_UNSUPPORTED);
    CHECK_TEXT(err.text, "byte 1: a character that has no token, and unk_token \"[UNK]\" is not in the vocabulary");
    bipe_tokenizer_clear(&t);
    CHECK(read_quoted(&t, BARE("'vocab':{'a':0,'b':1,'ab':2}"), true, &err) == BIPE_OK);
    CHECK(tokens_of(&t, "ba\377", 3, 0, NULL, &tokens, &err) == BIPE_ERR_UNSUPPORTED);
    CHECK_TEXT(err.text, "byte 0: 0xFF, which is not UTF-8, has no token, and there is no unknown one");
    bipe_tokenizer_clear(&t);
    tokens.count = 0;
    CHECK(read_quoted(&t, BARE(SOME_BYTES), true, &err) == BIPE_OK);
    CHECK(tokens_of(&t, "b\303", 2, 0, NULL, &tokens, &err) == BIPE_OK && tokens.count == 2 && tokens.token[1].id == 4);
    CHECK(tokens_of(&t, "b\377", 2, 0, NULL, &tokens, &err) == BIPE_ERR_UNSUPPORTED);
    CHECK_TEXT(err.text, "byte 0: 0xFF, which is not UTF-8, has no token, and there is no unknown one");
    bipe_tokenizer_clear(&t);
    bipe_tokens_free(&tokens);
}

/* Byte tokens that are never asked for may be missing (Gemini): those of ASCII that is in the vocabulary. */
static void test_spare_bytes(void)
{
    test_bytes b = {0};
    put_json(&b, "{'model':{'type':'BPE','byte_fallback':true,'merges':[],'vocab':{'\\t':256,'a':257");
    for (int i = 0; i < 256; i++) {
        char text[32];
        snprintf(text, sizeof text, ",'<0x%02X>':%d", (unsigned)i, i);
        if (i != '\t')
            put_json(&b, text);
    }
    put_json(&b, "}}}");
    bipe_tokenizer t;
    bipe_error err = {0};
    CHECKF(read_json(&t, b.data, b.size, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(((const bipe_pipeline *)t.model)->safe->plain);
    check_text(&t, "a\tb\303\251\n\t", "257 256 98 195 169 10 256");
    bipe_tokenizer_clear(&t);
    free_bytes(&b);
}

/* ---- random vocabularies ---- */

enum { WORDS = 80, MERGES = 120, SYMBOLS = 1500 };

typedef struct model {
    char word[WORDS][40];
    size_t words;
    int left[MERGES], right[MERGES];
    size_t merges;
    bool bytes, fuse, llama; /* byte tokens follow the words; the Llama normalizer */
} model;

static int word_id(const model *m, const char *text, size_t size)
{
    for (size_t i = 0; i < m->words; i++)
        if (strlen(m->word[i]) == size && memcmp(m->word[i], text, size) == 0)
            return (int)i;
    return -1;
}

static void random_model(uint64_t *random, model *m)
{
    static const char *const letters[] = {"a", "b", "c", " ", BLOCK, "\xC3\xA9", "\xE4\xB8\xAD"};
    *m = (model){.bytes = test_random(random) % 2, .fuse = test_random(random) % 2, .llama = test_random(random) % 2};
    strcpy(m->word[m->words++], "<unk>");
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (test_random(random) % 8 != 0)
            strcpy(m->word[m->words++], letters[i]);
    size_t wanted = test_random(random) % 60;
    for (int tries = 0; m->words > 2 && m->merges < wanted && tries < 1000; tries++) {
        int a = (int)(test_random(random) % m->words), b = (int)(test_random(random) % m->words);
        /* The unknown token may be part of a merge, too; seldom. */
        if (((a == 0 || b == 0) && test_random(random) % 8 != 0) || strlen(m->word[a]) + strlen(m->word[b]) > 30)
            continue;
        bool known = false;
        for (size_t k = 0; k < m->merges; k++)
            known = known || (m->left[k] == a && m->right[k] == b);
        char joined[80];
        strcpy(joined, m->word[a]);
        strcat(joined, m->word[b]);
        /* A list of merges with a space in a token must be of the other form; both are written (see json_of). */
        if (known || (word_id(m, joined, strlen(joined)) < 0 && m->words == WORDS))
            continue;
        if (word_id(m, joined, strlen(joined)) < 0)
            strcpy(m->word[m->words++], joined);
        m->left[m->merges] = a;
        m->right[m->merges++] = b;
    }
}

static void put_format(test_bytes *b, const char *format, ...) BIPE_PRINTF(2, 3);

static void put_format(test_bytes *b, const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    put_json(b, text);
}

static test_bytes json_of(const model *m)
{
    test_bytes b = {0};
    bool pairs = word_id(m, " ", 1) >= 0; /* else written as "LEFT RIGHT" */
    put_format(&b,
               "{'normalizer':%s,'model':{'type':'BPE','unk_token':'<unk>','fuse_unk':%s,'byte_fallback':%s,'vocab':{",
               m->llama ? LLAMA_NORMALIZER : "null", m->fuse ? "true" : "false", m->bytes ? "true" : "false");
    for (size_t i = 0; i < m->words; i++)
        put_format(&b, "%s'%s':%zu", i != 0 ? "," : "", m->word[i], i);
    for (unsigned i = 0; m->bytes && i < 256; i++)
        put_format(&b, ",'<0x%02X>':%zu", i, m->words + i);
    put_format(&b, "},'merges':[");
    for (size_t i = 0; i < m->merges; i++)
        put_format(&b, pairs ? "%s['%s','%s']" : "%s'%s %s'", i != 0 ? "," : "", m->word[m->left[i]],
                   m->word[m->right[i]]);
    put_format(&b, "]}}");
    put_number(&b, 0, 1);
    b.size--;
    return b;
}

/* The ids of a text of well-formed UTF-8, tried out pair by pair. Returns how many. */
static size_t slow_encode(const model *m, const char *text, size_t size, int *ids)
{
    char normalized[SYMBOLS];
    size_t n = 0, count = 0;
    for (size_t i = 0; i < size; i++) {
        if (m->llama && i == 0)
            n += (size_t)sprintf(normalized + n, "%s", BLOCK);
        n += (size_t)sprintf(normalized + n, "%s%.1s", m->llama && text[i] == ' ' ? BLOCK : "",
                             m->llama && text[i] == ' ' ? "" : text + i);
    }
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && ((uint8_t)normalized[end] & 0xC0) == 0x80)
            end++;
        int id = word_id(m, normalized + i, end - i);
        if (id >= 0)
            ids[count++] = id;
        else if (m->bytes)
            for (size_t k = i; k < end; k++)
                ids[count++] = (int)m->words + (uint8_t)normalized[k];
        else if (!m->fuse || i == 0 || count == 0 || ids[count - 1] != 0)
            ids[count++] = 0;
        i = end;
    }
    for (;;) {
        size_t best = SYMBOLS, rank = m->merges;
        for (size_t k = 0; k + 1 < count; k++)
            for (size_t r = 0; r < rank; r++)
                if (m->left[r] == ids[k] && m->right[r] == ids[k + 1]) {
                    rank = r;
                    best = k;
                }
        if (best == SYMBOLS)
            return count;
        char joined[80];
        strcpy(joined, m->word[m->left[rank]]);
        strcat(joined, m->word[m->right[rank]]);
        ids[best] = word_id(m, joined, strlen(joined));
        memmove(&ids[best + 1], &ids[best + 2], (count - best - 2) * sizeof *ids);
        count--;
    }
}

static void test_random_models(void)
{
    static const char *const letters[] = {
        "a", "b", "c", " ", " ", BLOCK, "\xC3\xA9", "\xE4\xB8\xAD", "x", "\xF0\x9F\x98\x80", "ab"};
    static model m;
    static int want[SYMBOLS];
    uint64_t random = 22;
    uint8_t text[100];
    bipe_tokens tokens = {0};
    for (int round = 0; round < test_rounds(400); round++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        random_model(&random, &m);
        test_bytes json = json_of(&m);
        int status = read_json(&t, json.data, json.size, false, &err);
        CHECKF(status == BIPE_OK, "round %d: %s: %s", round, err.text, (const char *)json.data);
        for (int k = 0; status == BIPE_OK && k < 20; k++) {
            size_t size = random_text(&random, letters, sizeof letters / sizeof *letters, false, text,
                                      test_random(&random) % sizeof text);
            size_t count = slow_encode(&m, (const char *)text, size, want), wrong = 0;
            check_cuts(&t, text, size, &random, false, &tokens);
            for (size_t i = 0; i < count && i < tokens.count; i++)
                wrong += tokens.token[i].id != (uint32_t)want[i];
            CHECKF(wrong == 0 && count == tokens.count, "round %d, text %d: %zu tokens, want %zu", round, k,
                   tokens.count, count);
            /* Broken bytes: nothing is lost. */
            size = random_text(&random, letters, sizeof letters / sizeof *letters, true, text,
                               test_random(&random) % sizeof text);
            check_cuts(&t, text, size, &random, false, &tokens);
        }
        bipe_tokenizer_clear(&t);
        free_bytes(&json);
    }
    bipe_tokens_free(&tokens);
}

/* ---- members that decide, members that are refused ---- */

#define MODEL "'model':{'type':'BPE','unk_token':'u','vocab':{'u':0,'a':1,'b':2,'ab':3},'merges':['a b']}"
#define USUAL "{\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\"," \
    "\"vocab\":{\"u\":0,\"a\":1,\"b\":2,\"ab\":3},\"merges\":[\"a b\"]}}"

static void test_refused(void)
{
    const char *status;
    json_t *message, *file;
    for (test_cases c = {.name = "tokenizers-refused.jsonl"}; read_case(&c, "[s o o]", &status, &message, &file);) {
        bipe_tokenizer t;
        bipe_error err = {0};
        char *text = case_json(file, USUAL);
        CHECKF(read_json(&t, (const uint8_t *)text, strlen(text), false, &err) == case_status(status), "%s", err.text);
        if (json_is_string(message))
            CHECK_TEXT(err.text, json_string_value(message));
        bipe_tokenizer_clear(&t);
        free(text);
    }
}

static void test_long_token(void)
{
    static const char *const ends[] = {"", "x"};
    for (int i = 0; i < 2; i++) {
        test_bytes b = {0};
        put_format(&b, "{" MODEL ",'added_tokens':[{'id':4,'normalized':false,'content':'");
        for (int k = 0; k < 512; k++)
            put_bytes(&b, "\xC3\xA9", 2);
        put_format(&b, "%s'}]}", ends[i]);
        bipe_tokenizer t;
        bipe_error err = {0};
        CHECK(read_json(&t, b.data, b.size, false, &err) == (i == 0 ? BIPE_OK : BIPE_ERR_LIMIT));
        CHECK_TEXT(err.text,
                   i == 0 ? ""
                          : "added_tokens: a token that is looked for in text has 1025 bytes, expected at most 1024");
        bipe_tokenizer_clear(&t);
        free_bytes(&b);
    }
}

#define TEMPLATE(single) \
    "{'post_processor':{'type':'TemplateProcessing','single':[" single \
    "],'pair':[],'special_tokens':{'a':{'id':'a','ids':[1],'tokens':" \
    "['a']},'b':{'id':'b','ids':[2],'tokens':['b']},'c':{'id':'c','ids':[1,2],'tokens':[]}}}," MODEL "}"
#define TOKEN(name) "{'SpecialToken':{'id':'" name "','type_id':0}}"
#define SEQUENCE "{'Sequence':{'id':'A','type_id':0}}"

static void test_template(void)
{
    static const struct {
        const char *json;
        int status;
        int64_t bos, eos;
        size_t leading;
    } cases[] = {
        {TEMPLATE(TOKEN("a") "," SEQUENCE), BIPE_OK, 1, BIPE_NO_TOKEN, 1},
        {TEMPLATE(TOKEN("b") "," SEQUENCE "," TOKEN("a")), BIPE_OK, 2, 1, 1},
        {TEMPLATE(SEQUENCE), BIPE_OK, BIPE_NO_TOKEN, BIPE_NO_TOKEN, 0},
        {TEMPLATE(TOKEN("a") "," TOKEN("b") "," SEQUENCE), BIPE_OK, BIPE_NO_TOKEN, BIPE_NO_TOKEN, 2},
        /* Whisper, ChatGLM */
        {TEMPLATE(TOKEN("c") "," TOKEN("a") "," SEQUENCE), BIPE_OK, BIPE_NO_TOKEN, BIPE_NO_TOKEN, 3},
        {TEMPLATE(SEQUENCE "," TOKEN("a") "," TOKEN("b")), BIPE_OK, BIPE_NO_TOKEN, BIPE_NO_TOKEN, 0},
        {TEMPLATE(TOKEN("d") "," SEQUENCE), BIPE_ERR_FORMAT, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        int status = read_quoted(&t, cases[i].json, false, &err);
        CHECKF(status == cases[i].status, "case %zu: status %d: %s", i, status, err.text);
        CHECK(status != BIPE_OK ||
              (t.bos == cases[i].bos && t.eos == cases[i].eos && bipe_tokenizer_leading(&t) == cases[i].leading));
        bipe_tokenizer_clear(&t);
    }
}

/* ---- files and folders ---- */

static void write_json(const char *path, const char *text)
{
    test_bytes b = {0};
    put_json(&b, text);
    write_file(path, b.data, b.size);
    free_bytes(&b);
}

#define LFS "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"

static void check_lfs(const char *folder, const char *path)
{
    bipe_tokenizer *t;
    bipe_error err = {0};
    char want[800];
    snprintf(want, sizeof want, "%s: a pointer of Git LFS, expected the file itself, which \"git lfs pull\" fetches",
             path);
    CHECK(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, want);
}

static void test_folder(void)
{
    char folder[600], path[700];
    snprintf(folder, sizeof folder, "%s", scratch_path("model"));
    CHECK(mkdir(folder, 0777) == 0);
    snprintf(path, sizeof path, "%s/tokenizer.model", folder);
    write_file(path, (const uint8_t *)"\n\003x", 3);
    bipe_tokenizer *t;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_ERR_FORMAT);
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    write_json(path, "'{\\'class_name\\': \\'Tokenizer\\'}'");
    CHECK(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_ERR_FORMAT);
    CHECKF(strstr(err.text, "JSON within a string, as Keras writes its tokenizers") != NULL, "%s", err.text);
    write_json(path, "{" MODEL "}");
    CHECKF(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_OK, "%s", err.text);
    CHECK_UINT(bipe_tokenizer_size(t), 4);
    CHECK(bipe_tokenizer_bos(t) == BIPE_NO_TOKEN);
    bipe_tokenizer_close(t);
    /* The one that is not supported is not replaced by the other. */
    write_json(path, "{'pre_tokenizer':{'type':'Whitespaces'}," MODEL "}");
    CHECK(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_ERR_UNSUPPORTED);
    CHECKF(strstr(err.text,
                  "tokenizer.json: pre_tokenizer: Whitespaces is not supported (tokenizer.model beside it is not "
                  "used in its place)") != NULL,
           "%s", err.text);
    write_json(path, "{" MODEL "}");
    snprintf(path, sizeof path, "%s/tokenizer_config.json", folder);
    write_json(path, "{'add_bos_token':true,'bos_token':{'content':'a'},'eos_token':'b',"
                     "'model_max_length':1000000000000000019884624838656}"); /* as most files have it */
    CHECKF(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_tokenizer_bos(t) == 1 && bipe_tokenizer_eos(t) == 2);
    bipe_tokenizer_close(t);
    /* Where it names no EOS, special_tokens_map.json may; config.json names one where neither does. */
    static const char *const names[] = {"config.json", "special_tokens_map.json"};
    char other[700];
    write_json(path, "{'add_bos_token':false}");
    for (int64_t i = 0; i < 2; i++) {
        snprintf(other, sizeof other, "%s/%s", folder, names[i]);
        write_json(other, i == 0 ? "{'eos_token_id':[0,2]}" : "{'eos_token':'a'}");
        CHECKF(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_OK, "%s", err.text);
        CHECK(bipe_tokenizer_eos(t) == i && bipe_tokenizer_is_end(t, 0) && bipe_tokenizer_is_end(t, 1) == (i == 1) &&
              bipe_tokenizer_is_end(t, 2));
        bipe_tokenizer_close(t);
    }
    write_json(path, "{");
    CHECK(bipe_tokenizer_open(&t, folder, false, &err) == BIPE_ERR_FORMAT && t == NULL);
    write_json(path, LFS);
    check_lfs(folder, path);
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    write_json(path, LFS);
    check_lfs(folder, path);
}

/* Through a GGUF file and back: the original is kept whole. Also the kinds without a vocabulary file. */
static void test_gguf(void)
{
    const char *json = scratch_path("t.json"), *gguf = scratch_path("t.gguf");
    write_json(json, TEMPLATE(TOKEN("b") "," SEQUENCE));
    const char *const specs[] = {json, "byte", "char", "word"};
    for (size_t i = 0; i < 4; i++) {
        bipe_tokenizer *t, *back = NULL;
        bipe_tokens a = {0}, b = {0};
        bipe_error err = {0};
        CHECKF(bipe_tokenizer_open(&t, specs[i], false, &err) == BIPE_OK, "%s", err.text);
        CHECKF(write_gguf(t, gguf, &err) == BIPE_OK, "%s", err.text);
        CHECKF(bipe_tokenizer_open(&back, gguf, false, &err) == BIPE_OK, "%s", err.text);
        CHECK(tokens_of(t, "ab abba\xFF x", 10, 0, NULL, &a, &err) == BIPE_OK);
        CHECK(tokens_of(back, "ab abba\xFF x", 10, 0, NULL, &b, &err) == BIPE_OK);
        CHECK(a.count > 2 && same_tokens(&a, &b));
        CHECK_UINT(bipe_tokenizer_size(back), bipe_tokenizer_size(t));
        CHECK(bipe_tokenizer_bos(back) == bipe_tokenizer_bos(t) &&
              bipe_tokenizer_bos(t) == (i == 0 ? 2 : BIPE_NO_TOKEN));
        bipe_tokens_free(&a);
        bipe_tokens_free(&b);
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(back);
    }
}

/* Several tokens before a text have no place there; tokens of the type of unknown ones are control pieces, but for the
 * one that is named. */
static void test_gguf_specials(void)
{
    const char *json = scratch_path("two.json"), *gguf = scratch_path("two.gguf");
    bipe_tokenizer *t;
    bipe_error err = {0};
    char want[700];
    write_json(json, TEMPLATE(TOKEN("a") "," TOKEN("b") "," SEQUENCE));
    CHECKF(bipe_tokenizer_open(&t, json, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(write_gguf(t, gguf, &err) == BIPE_ERR_UNSUPPORTED);
    snprintf(want, sizeof want, "%s: documents start with 2 special tokens, GGUF has a place for one", json);
    CHECK_TEXT(err.text, want);
    bipe_tokenizer_close(t);

    static const bipe_gguf_string tokens[] = {{"<u>", 3}, {"a", 1}, {"<x>", 3}, {"<y>", 3}, {BLOCK, 3}};
    static const float scores[] = {0, -1, 0, 0, -2};
    static const int32_t types[] = {3, 1, 2, 2, 1};
    bipe_gguf_writer *w;
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    bipe_gguf_set_string(w, "tokenizer.ggml.model", "llama", 5);
    bipe_gguf_set_strings(w, "tokenizer.ggml.tokens", tokens, 5);
    bipe_gguf_set_f32s(w, "tokenizer.ggml.scores", scores, 5);
    bipe_gguf_set_i32s(w, "tokenizer.ggml.token_type", types, 5);
    bipe_gguf_set_u32(w, "tokenizer.ggml.unknown_token_id", 0);
    CHECKF(bipe_gguf_write(w, gguf, &err) == BIPE_OK, "%s", err.text);
    bipe_gguf_writer_close(w);
    for (int special = 0; special < 2; special++) {
        CHECKF(bipe_tokenizer_open(&t, gguf, special != 0, &err) == BIPE_OK, "%s", err.text);
        check_text(t, "az<y>", special != 0 ? "4 1 0 3" : "4 1 0");
        bipe_tokenizer_close(t);
    }
}

static void test_gguf_refused(void)
{
    static const struct {
        const char *model;
        int status;
        const char *text;
    } cases[] = {
        {"gpt2", BIPE_ERR_FORMAT, "no tokenizer.ggml.tokens"},
        {"bert", BIPE_ERR_FORMAT, "no tokenizer.ggml.tokens"},
        {"llama", BIPE_ERR_FORMAT, "no tokenizer.ggml.tokens"},
        {NULL, BIPE_ERR_FORMAT, "no tokenizer in this file (no tokenizer.ggml.model)"},
    };
    const char *path = scratch_path("refused.gguf");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_gguf_writer *w;
        bipe_tokenizer *t;
        bipe_error err = {0};
        char want[700];
        CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
        bipe_gguf_set_u32(w, "x", 1);
        if (cases[i].model != NULL)
            bipe_gguf_set_string(w, "tokenizer.ggml.model", cases[i].model, strlen(cases[i].model));
        CHECKF(bipe_gguf_write(w, path, &err) == BIPE_OK, "%s", err.text);
        bipe_gguf_writer_close(w);
        CHECK(bipe_tokenizer_open(&t, path, false, &err) == cases[i].status);
        snprintf(want, sizeof want, "%s: %s", path, cases[i].text);
        CHECK_TEXT(err.text, want);
    }
}

/* ---- broken files, memory ---- */

static void test_broken(void)
{
    char *json = tokenizer_of_case(5);
    check_damaged(bipe_tokenizer_json_read, &(test_bytes){.data = (uint8_t *)json, .size = strlen(json)});
    free(json);
}

/* A file is read again when it is written as GGUF: it must be the same. */
static void test_changed(void)
{
    const char *json = scratch_path("c.json"), *gguf = scratch_path("c.gguf");
    bipe_tokenizer *t, *back;
    bipe_error err = {0};
    char want[4200];
    for (size_t i = 0; i < 2; i++) {
        char *text = tokenizer_of_case(1 + 4 * i);
        write_json(json, text);
        free(text);
        CHECKF(bipe_tokenizer_open(&t, json, true, &err) == BIPE_OK, "%s", err.text);
        CHECKF(write_gguf(t, gguf, &err) == BIPE_OK, "%s", err.text);
        CHECKF(bipe_tokenizer_open(&back, gguf, true, &err) == BIPE_OK, "%s", err.text);
        CHECK(bipe_tokenizer_size(back) == bipe_tokenizer_size(t));
        FILE *file = fopen(json, "a");
        CHECK(file != NULL && fputs(" ", file) >= 0 && fclose(file) == 0);
        snprintf(want, sizeof want, "%s: has changed since it was opened", json);
        CHECK(write_gguf(t, gguf, &err) == BIPE_ERR_FORMAT);
        CHECK_TEXT(err.text, want);
        CHECKF(write_gguf(back, gguf, &err) == BIPE_OK, "%s", err.text); /* it has a copy */
        CHECK(remove(json) == 0);
        CHECK(write_gguf(t, gguf, &err) == BIPE_ERR_IO);
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(back);
    }
}

static void test_memory(void)
{
    const char *json = scratch_path("m.json"), *gguf = scratch_path("m.gguf");
    char *text = tokenizer_of_case(5);
    write_json(json, text);
    free(text);
    int status = BIPE_ERR_MEMORY;
    long n = 0, well = 0;
    /* Some tables are left out where there is no memory for them. */
    for (; well < 20 && n < 10000; n += test_stride(7)) {
        bipe_tokenizer *t = NULL, *back = NULL;
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        status = bipe_tokenizer_open(&t, json, true, &err);
        if (status == BIPE_OK)
            status = tokens_of(t, "ab<s> aabc<sep>x", 16, 5, NULL, &tokens, &err);
        if (status == BIPE_OK)
            status = decode_first(t, &tokens, &err);
        if (status == BIPE_OK)
            status = write_gguf(t, gguf, &err);
        if (status == BIPE_OK)
            status = bipe_tokenizer_open(&back, gguf, true, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%s", err.text);
        well = status == BIPE_OK ? well + 1 : 0;
        bipe_tokens_free(&tokens);
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(back);
    }
    CHECK(status == BIPE_OK && n > 50);
}

int main(void)
{
    test_answers();
    test_equal_scores();
    test_version_line();
    test_unknown();
    test_spare_bytes();
    test_random_models();
    test_refused();
    test_long_token();
    test_template();
    test_folder();
    test_gguf();
    test_changed();
    test_gguf_specials();
    test_gguf_refused();
    test_broken();
    test_memory();
    return test_result();
}
