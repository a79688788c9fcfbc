/* test_bounds.c - a unit of a text may have BIPE_UNIT_LIMIT bytes: it passes; one byte more is an error with its place,
 * after which the next document is tokenized. */
#include <config.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokenizers.h"

/* Feeds so many bytes `c` after `before`, `piece` at a time. */
static int feed_run(bipe_token_stream *s, const char *before, int c, size_t size, size_t piece, bipe_tokens *tokens,
                    bipe_error *err)
{
    uint8_t *run = malloc(piece);
    memset(run, c, piece);
    tokens->count = 0;
    int status = bipe_token_stream_begin(s, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(s, (const uint8_t *)before, strlen(before), tokens, err);
    for (size_t n; status == BIPE_OK && size != 0; size -= n) {
        n = size < piece ? size : piece;
        status = bipe_token_stream_feed(s, run, n, tokens, err);
    }
    if (status == BIPE_OK)
        status = bipe_token_stream_end(s, tokens, err);
    free(run);
    return status;
}

/* start: where in `before` the unit begins that the bytes `c` belong to. */
static void check_bound(const bipe_tokenizer *t, const char *before, size_t start, int c)
{
    static const size_t pieces[] = {1 << 16, 12345, 3 << 20};
    size_t most = start + BIPE_UNIT_LIMIT - strlen(before);
    bipe_token_stream *s;
    bipe_error err = {0};
    bipe_tokens tokens = {0};
    char want[100];
    snprintf(want, sizeof want,
             "byte %zu: no place to cut the text into tokens in 2 MiB, expected shorter words or lines", start);
    CHECK(bipe_token_stream_open(&s, t, &err) == BIPE_OK);
    for (int i = 0; i < test_rounds(3); i++) {
        CHECKF(feed_run(s, before, c, most, pieces[i], &tokens, &err) == BIPE_OK, "%s: %s", bipe_tokenizer_spec(t),
               err.text);
        CHECK(tokens.count != 0 && tokens.token[tokens.count - 1].end == start + BIPE_UNIT_LIMIT);
        CHECK(feed_run(s, before, c, most + 1, pieces[i], &tokens, &err) == BIPE_ERR_LIMIT);
        CHECK_TEXT(err.text, want);
        CHECK(feed_run(s, "a b", c, 5, 5, &tokens, &err) == BIPE_OK && tokens.count != 0);
        CHECK_UINT(tokens.token[tokens.count - 1].end, 8);
    }
    bipe_token_stream_close(s);
    bipe_tokens_free(&tokens);
}

static void test_model(int type, bool fallback)
{
    static spm_model m;
    spm_begin(&m, fallback);
    m.type = type;
    m.dummy_prefix = m.escape = true;
    spm_add(&m, "\xE2\x96\x81", -1, NORMAL);
    spm_add(&m, "a", -2, NORMAL);
    spm_add(&m, "b", -2, NORMAL);
    spm_add(&m, "aa", -3, NORMAL);
    spm_add(&m, "\xE2\x96\x81" "a", -4, NORMAL);
    bipe_tokenizer *t = must_open_model(&m, false);
    check_bound(t, "a ab", 4, 'a');
    if (!fallback)
        check_bound(t, "a ab", 4, 'x'); /* unknown characters are one token */
    bipe_tokenizer_close(t);
}

/* ---- a tokenizer.json ---- */

#define GPT2 "{'type':'ByteLevel','add_prefix_space':false,'use_regex':true}"
#define SPLIT \
    "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'Regex':'[a-z]+|,'},'behavior':'Isolated','" \
    "invert':false}," \
    "{'type':'ByteLevel','add_prefix_space':false,'use_regex':false}]}"
#define BERT \
    "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'lowercase':true}"
#define METASPACE "{'type':'Metaspace','replacement':'\xE2\x96\x81','prepend_scheme':'always','split':true}"

static void check_json(const test_bytes *json, const char *before, size_t start)
{
    bipe_error err = {0};
    bipe_tokenizer t;
    CHECKF(read_json(&t, json->data, json->size, false, &err) == BIPE_OK, "%s: %.*s", err.text, (int)json->size,
           (const char *)json->data);
    if (t.kind != NULL)
        check_bound(&t, before, start, 'w');
    bipe_tokenizer_clear(&t);
}

static void test_steps(const char *normalizer, const char *pretokenizer, const char *model, const char *before,
                       size_t start)
{
    test_bytes b = {0};
    put_steps(&b, normalizer, pretokenizer);
    put_json(&b, model);
    put_json(&b, "}");
    check_json(&b, before, start);
    free_bytes(&b);
}

/* A vocabulary of the letters that GPT-2 writes bytes with. */
static void test_byte_level(const char *pretokenizer)
{
    test_bytes b = {0};
    bipe_buffer letters = {0};
    put_steps(&b, "null", pretokenizer);
    put_json(&b, "{'type':'BPE','merges':['w w'],'vocab':{'ww':256");
    for (unsigned byte = 0; byte < 256; byte++) {
        CHECK(bipe_buffer_printf(&letters, NULL, ",\"") == BIPE_OK);
        put_letter(&letters, byte);
        CHECK(bipe_buffer_printf(&letters, NULL, "\":%u", byte) == BIPE_OK);
    }
    put_bytes(&b, letters.data, letters.size);
    put_json(&b, "}}}");
    check_json(&b, "a b,", 4);
    bipe_buffer_free(&letters);
    free_bytes(&b);
}

/* Ranks as in tiktoken's files, which hold the whole vocabularies that they are known by: a tekken.json may be
 * small. */
static void test_ranks(void)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    test_bytes b = {0};
    char entry[80];
    put_json(&b, "{'config':{'pattern':'" TEKKEN
                 "','default_vocab_size':258,'default_num_special_tokens':1,'version':'v13'},"
                 "'special_tokens':[{'rank':0,'token_str':'<s>'}],'vocab':[");
    for (unsigned byte = 0; byte < 256; byte++) {
        snprintf(entry, sizeof entry, "{'rank':%u,'token_bytes':'%c%c=='},", byte, digit[byte >> 2],
                 digit[(byte & 3) << 4]);
        put_json(&b, entry);
    }
    put_json(&b, "{'rank':256,'token_bytes':'d3c='}]}"); /* ww */
    check_json(&b, "a b,", 3);
    free_bytes(&b);
}

int main(void)
{
    bipe_error err = {0};
    bipe_tokenizer *t;
    CHECK(bipe_tokenizer_open(&t, "word", false, &err) == BIPE_OK);
    check_bound(t, "a b,", 4, 'w');
    check_bound(t, "a b,", 4, ' ');
    bipe_tokenizer_close(t);
    CHECK(bipe_tokenizer_open(&t, "words", false, &err) == BIPE_OK);
    check_bound(t, "a b,", 1, 'w');
    bipe_tokenizer_close(t);
    test_byte_level(GPT2); /* a known pattern, */
    test_byte_level(SPLIT); /* and one that is not */
    test_ranks();
    test_steps("null", "{'type':'WhitespaceSplit'}",
               "{'type':'BPE','vocab':{'a':0,'b':1,'w':2,'ww':3},'merges':['w w']}", "a b ", 3);
    test_steps(BERT, "{'type':'BertPreTokenizer'}",
               "{'type':'WordPiece','unk_token':'[UNK]','continuing_subword_prefix':'##',"
               "'max_input_chars_per_word':100,'vocab':{'[UNK]':0,'a':1,'b':2,',':3,'##w':4}}",
               "a b,", 4);
    test_steps("null", METASPACE, "{'type':'Unigram','unk_id':0,'byte_fallback':false,"
               "'vocab':[['<unk>',0],['\xE2\x96\x81',-1],['a',-2],['b',-2],['w',-2],['ww',-3]]}", "a b", 1);
    test_model(2, true);
    test_model(2, false);
    test_model(1, true);
    test_model(1, false);
    return test_result();
}
