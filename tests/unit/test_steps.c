/* test_steps.c - normalizers, pre-tokenizers and word models of a tokenizer.json: answers of the original library,
 * chunks of any size against the whole text, spans, what is refused, memory that runs out; `bert` vocabularies of GGUF
 * files. */
#include <config.h>

#include "format/gguf.h"
#include "tests/cases.h"
#include "tests/scratch.h"
#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

/* Every character of it is a piece of the vocabulary, alone and with ## before it; so are some words. */
#define ALPHABET \
    "abceinoqstxzfABEI01245.,!-\342\226\201_" \
    "\342\201\204\303\251\314\201\314\247\314\207\303\237\357\254\201\346\274\242\345\255\227" \
    "\352\260\200\352\260\201 \341\204\200\341\205\241\341\206\250\304\260\303\274\342\200\246"

static void put_vocab(test_bytes *b)
{
    char entry[128];
    int id = 1;
    put_json(b, "{'[UNK]':0");
    for (const char *c = ALPHABET; *c != '\0';) {
        int n = 1;
        while ((c[n] & 0xC0) == 0x80)
            n++;
        snprintf(entry, sizeof entry, ",'%.*s':%d,'##%.*s':%d", n, c, id, n, c, id + 1);
        put_json(b, entry);
        id += 2;
        c += n;
    }
    snprintf(entry, sizeof entry, ",'ab':%d,'##ab':%d,'cab':%d,'\342\226\201a':%d}", id, id + 1, id + 2, id + 3);
    put_json(b, entry);
}

/* model: an object without a vocabulary, which is put in. chunk: 0, or the size of chunks. */
static int open_steps(bipe_tokenizer *t, const char *normalizer, const char *pretokenizer, const char *model,
                      size_t chunk, bipe_error *err)
{
    test_bytes b = {0};
    put_steps(&b, normalizer, pretokenizer);
    put_json(&b, model);
    b.size--;
    put_json(&b, ",'vocab':");
    put_vocab(&b);
    put_json(&b, "}}");
    int status = read_json(t, b.data, b.size, false, err);
    free_bytes(&b);
    if (status == BIPE_OK && chunk != 0) {
        CHECK(t->kind == &bipe_pipeline_kind);
        ((bipe_pipeline *)t->model)->chunk = chunk;
    }
    return status;
}

static void check_tokens(const bipe_tokenizer *t, const char *text, const char *want, const char *what)
{
    bipe_tokens tokens = {0};
    bipe_buffer got = {0};
    bipe_error err = {0};
    uint64_t random = 21;
    const bipe_pipeline *p = t->model;
    check_cuts(t, text, strlen(text), &random, true, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        size_t size;
        const uint8_t *piece = bipe_vocabulary_text(&p->vocabulary, tokens.token[i].id, &size);
        CHECK(bipe_buffer_printf(&got, &err, "%s%.*s", i != 0 ? "|" : "", (int)size, (const char *)piece) == BIPE_OK);
    }
    const char *have = got.data != NULL ? (const char *)got.data : "";
    CHECKF(strcmp(have, want) == 0, "%s: \"%s\": got %s, want %s", what, text, have, want);
    bipe_buffer_free(&got);
    bipe_tokens_free(&tokens);
}

/* Tokens that Hugging Face's tokenizers library (0.22.2) finds, divided by |. */
static void test_answers(void)
{
    test_cases cases = {.name = "steps.jsonl"};
    for (const json_t *c; (c = next_case(&cases)) != NULL;) {
        static const char *const members[] = {"normalizer", "pre_tokenizer", "model"};
        char *step[3], what[300];
        bipe_tokenizer t;
        bipe_error err = {0};
        for (int i = 0; i < 3; i++)
            step[i] = json_dumps(json_object_get(c, members[i]), JSON_COMPACT | JSON_ENCODE_ANY);
        int status = open_steps(&t, step[0], step[1], step[2], 1, &err);
        CHECKF(status == BIPE_OK, "line %zu: %s", cases.line, err.text);
        snprintf(what, sizeof what, "%s %s", step[0], step[1]);
        const json_t *tokens = json_object_get(c, "tokens");
        const char *text, *want;
        CHECK(json_array_size(tokens) != 0);
        for (size_t k = 0; status == BIPE_OK && case_pair(tokens, k, &text, &want); k++)
            check_tokens(&t, text, want, what);
        bipe_tokenizer_clear(&t);
        for (int i = 0; i < 3; i++)
            free(step[i]);
    }
}

/* ---- chunks: a text cut wherever the steps say it may be gives what it gives whole ---- */

#define WORDPIECE \
    "{'type':'WordPiece','unk_token':'[UNK]','continuing_subword_prefix':'##','max_input_chars_per_word':100}"

static void test_chunks(void)
{
    static const char *const normalizers[] = {
        "null",
        "{'type':'NFC'}",
        "{'type':'NFKD'}",
        "{'type':'Lowercase'}",
        "{'type':'StripAccents'}",
        "{'type':'Nmt'}",
        "{'type':'Strip','strip_left':true,'strip_right':true}",
        "{'type':'Strip','strip_left':true,'strip_right':false}",
        "{'type':'Prepend','prepend':'xa'}",
        "{'type':'Replace','pattern':{'String':'.'},'content':'a '}",
        "{'type':'Replace','pattern':{'String':' '},'content':'\342\226\201'}",
        "{'type':'Replace','pattern':{'String':'a b'},'content':''}",
        "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'lowercase':true}",
        "{'type':'BertNormalizer','clean_text':false,'handle_chinese_chars':true,'strip_accents':true,'lowercase':"
        "false}",
        "{'type':'ByteLevel'}",
        "{'type':'Replace','pattern':{'Regex':' {2,}'},'content':'-'}",
        "{'type':'Replace','pattern':{'Regex':'^[ab]+(?= )'},'content':'1'}",
        "{'type':'Replace','pattern':{'String':'.'},'content':'!-'}",
        "{'type':'Replace','pattern':{'String':'.1'},'content':''}",
        "{'type':'Replace','pattern':{'String':'\303\251'},'content':' '}",
        "{'type':'Sequence','normalizers':[{'type':'Nmt'},{'type':'Replace','pattern':{'Regex':' {2,}'},'content':' "
        "'}]}",
        ("{'type':'Sequence','normalizers':[{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'"
         "strip_accents':true,'lowercase':true},"
         "{'type':'Replace','pattern':{'String':'. '},'content':''},{'type':'NFKC'}]}"),

        "{'type':'Sequence','normalizers':[{'type':'Replace','pattern':{'String':'\\n'},'content':'-'},{'type':'Nmt'},{"
        "'type':'Strip','strip_left':true,'strip_right':true}]}",
        "{'type':'Sequence','normalizers':[{'type':'StripAccents'},{'type':'Strip','strip_left':true,'strip_right':"
        "true},{'type':'Prepend','prepend':'-'}]}"};
#define SPLITS(first, second) \
    "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'Regex':'[a1 ]+'},'behavior':'" first "}," \
    "{'type':'Split','pattern':{'Regex':'b.|[^.]'},'behavior':'" second "}]}"
    static const char *const pretokenizers[] = {
        "{'type':'Whitespace'}",
        "{'type':'WhitespaceSplit'}",
        "{'type':'BertPreTokenizer'}",
        "{'type':'CharDelimiterSplit','delimiter':' '}",
        "{'type':'CharDelimiterSplit','delimiter':'\\n'}",
        "{'type':'CharDelimiterSplit','delimiter':'b'}",
        "{'type':'CharDelimiterSplit','delimiter':'.'}",
        "{'type':'Split','pattern':{'String':' '},'behavior':'Removed','invert':false}",
        "{'type':'Split','pattern':{'String':' '},'behavior':'MergedWithNext','invert':false}",
        "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'String':'. "
        "'},'behavior':'Isolated','invert':false},{'type':'WhitespaceSplit'}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'String':'.'},'behavior':'MergedWithNext','"
        "invert':false},{'type':'Metaspace','replacement':'\342\226\201'}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'Punctuation','behavior':'Isolated'},{'type':'Split','pattern':{'"
        "String':'\\n'},'behavior':'Isolated','invert':false}]}",
        "{'type':'Metaspace','replacement':'\342\226\201'}",
        "{'type':'Metaspace','replacement':'_','prepend_scheme':'first'}",
        "{'type':'Metaspace','replacement':'\342\226\201','prepend_scheme':'never','split':false}",
        "{'type':'Sequence','pretokenizers':[{'type':'Punctuation','behavior':'MergedWithNext'},{'type':'"
        "WhitespaceSplit'},{'type':'Metaspace','replacement':'\342\226\201'}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'Digits','individual_digits':false},{'type':'Metaspace','"
        "replacement':'\342\226\201','prepend_scheme':'first'},{'type':'Punctuation','behavior':'Contiguous'}]}",
        "{'type':'FixedLength','length':3}",
        "{'type':'Sequence','pretokenizers':[{'type':'Punctuation'},{'type':'FixedLength','length':2},{'type':'Digits',"
        "'individual_digits':false}]}",
        "{'type':'UnicodeScripts'}",
        "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},{'type':'UnicodeScripts'}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'UnicodeScripts'},{'type':'Split','pattern':{'String':' "
        "'},'behavior':'MergedWithPrevious','invert':false}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'Metaspace','replacement':'\342\226\201','split':false},{'type':'"
        "WhitespaceSplit'}]}",
        "{'type':'Sequence','pretokenizers':[{'type':'Punctuation','behavior':'MergedWithPrevious'},{'type':'"
        "CharDelimiterSplit','delimiter':'\\n'},{'type':'Metaspace','replacement':'\342\226\201'}]}",
        SPLITS("MergedWithPrevious','invert':false", "Removed','invert':true"),
        SPLITS("MergedWithNext','invert':false", "Contiguous','invert':true"),
        SPLITS("Contiguous','invert':false", "MergedWithPrevious','invert':true"),
        SPLITS("Removed','invert':false", "MergedWithNext','invert':true"),
        "{'type':'Split','pattern':{'Regex':'\\\\bab?|\\\\s+$|1'},'behavior':'MergedWithNext','invert':false}",
        "{'type':'Split','pattern':{'Regex':'(?<!a)b+ |[^b]'},'behavior':'Removed','invert':true}",
        "{'type':'Split','pattern':{'Regex':'(?<=[ab]1)a|b(?=a "
        "|1)|(?>a|ab)b'},'behavior':'MergedWithPrevious','invert':false}",
        "{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':{'Regex':'1+'},'behavior':'Isolated','invert':"
        "false},{'type':'Split','pattern':{'Regex':'(?=(11)+(?!1))'},'behavior':'Isolated','invert':false}]}",
        "{'type':'Split','pattern':{'Regex':'a*'},'behavior':'Removed','invert':true}",
        "{'type':'Sequence','pretokenizers':[{'type':'ByteLevel','add_prefix_space':true,'trim_offsets':true,'use_"
        "regex':true},{'type':'Split','pattern':{'String':'ab'},'behavior':'MergedWithNext','invert':false},{'type':'"
        "Digits','individual_digits':true}]}"};
    static const char *const letters[] = {"a", "b", "ab", " ", " ", "\n", "a b", "b\na", ".\na", "  ", ".", "1",
                                          "\314\201", "=", "\314\270", ". .", "1\n1", ". 1", "-\n-", "\303\251", "A",
                                          "\346\274\242", "\352\260\201", "\342\226\201", "\302\240", "\001", "-",
                                          "\302\275", "\321\217", "\321\217 \326\261", "\340\244\225\340\244\276",
                                          "\331\205 \340\244\225", "\303\211 \303\251", "\305\200 \305\211",
                                          "\304\260 \341\204\200\341\205\241"};
    uint64_t random = 11;
    size_t cutting = 0;
    for (size_t n = 0; n < sizeof normalizers / sizeof *normalizers; n++)
        for (size_t p = 0; p < sizeof pretokenizers / sizeof *pretokenizers; p++) {
            bipe_tokenizer whole, cut;
            bipe_error err = {0};
            CHECKF(open_steps(&whole, normalizers[n], pretokenizers[p], WORDPIECE, 1 << 20, &err) == BIPE_OK, "%s",
                   err.text);
            CHECKF(open_steps(&cut, normalizers[n], pretokenizers[p], WORDPIECE, 1, &err) == BIPE_OK, "%s", err.text);
            const bipe_safe_pairs *safe = ((const bipe_pipeline *)cut.model)->safe;
            cutting += memchr(safe->pair, true, sizeof safe->pair) != NULL;
            ((bipe_pipeline *)whole.model)->safe->units = false;
            ((bipe_pipeline *)cut.model)->safe->units = safe->units && (n + p) % 2 == 0;
            for (int round = 0; round < test_rounds(40); round++) {
                uint8_t text[120];
                size_t size =
                    random_text(&random, letters, sizeof letters / sizeof *letters, round % 4 == 0, text, sizeof text);
                bipe_tokens a = {0}, b = {0};
                CHECK(tokens_of(&whole, text, size, 0, NULL, &a, &err) == BIPE_OK);
                check_spans(&whole, &a, size, true);
                CHECK(tokens_of(&cut, text, size, 3, NULL, &b, &err) == BIPE_OK);
                CHECKF(same_tokens(&a, &b), "%s %s: \"%.*s\"", normalizers[n], pretokenizers[p], (int)size,
                       (const char *)text);
                bipe_tokens_free(&a);
                bipe_tokens_free(&b);
            }
            bipe_tokenizer_clear(&whole);
            bipe_tokenizer_clear(&cut);
        }
    CHECKF(cutting > 100, "%zu of them cut", cutting);
}

/* One line of words of any script goes through in little room. */
static void test_scripts(void)
{
    static const char *const normalizers[] = {
        "null", "{'type':'NFC'}",
        "{'type':'Sequence','normalizers':[{'type':'NFKD'},{'type':'StripAccents'},{'type':'Lowercase'}]}",
        "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'lowercase':true}",
        ("{'type':'Sequence','normalizers':[{'type':'Nmt'},{'type':'Strip','strip_left':false,'strip_right':true},"
         "{'type':'Replace','pattern':{'Regex':' {2,}'},'content':'x'}]}")};
    static const char *const pretokenizers[] = {
        "{'type':'WhitespaceSplit'}", "{'type':'Metaspace','replacement':'\342\226\201'}", "{'type':'Whitespace'}",
        ("{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},"
         "{'type':'Metaspace','replacement':'\342\226\201'},{'type':'Digits','individual_digits':true}]}")};
    /* Greek, Russian, Hebrew, Arabic, Hindi, Georgian, Korean, Chinese. */
    static const char *const words[] = {"\316\272\316\261\316\271 ", "\321\217\320\267\321\213\320\272 ",
                                        "\327\251\327\234\327\225\327\235 ", "\331\205\331\206 ",
                                        "\340\244\271\340\244\256 \340\244\225\340\245\200 ",
                                        "\341\203\224\341\203\234\341\203\220 ", "\355\225\234\352\265\255 ",
                                        "\346\274\242\345\255\227"};
    for (size_t n = 0; n < sizeof normalizers / sizeof *normalizers; n++)
        for (size_t p = 0; p < sizeof pretokenizers / sizeof *pretokenizers; p++) {
            bipe_tokenizer t;
            bipe_error err = {0};
            CHECKF(open_steps(&t, normalizers[n], pretokenizers[p], WORDPIECE, 64, &err) == BIPE_OK, "%s", err.text);
            for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                bipe_buffer text = {0};
                bipe_tokens tokens = {0};
                for (int i = 0; i < 200; i++)
                    CHECK(bipe_buffer_append(&text, words[w], strlen(words[w]), &err) == BIPE_OK);
                CHECKF(tokens_of(&t, text.data, text.size, 7, NULL, &tokens, &err) == BIPE_OK, "%s %s: %s",
                       normalizers[n], pretokenizers[p], err.text);
                CHECK(tokens.count >= (words[w][0] == '\346' ? 1 : 200));
                bipe_buffer_free(&text);
                bipe_tokens_free(&tokens);
            }
            bipe_tokenizer_clear(&t);
        }
}

/* ---- WordPiece against a plain search ---- */


static size_t characters(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

static void test_wordpiece(void)
{
    static const char *const words[] = {"a",   "b",    "ab",    "aab",        "ba",        "bab",  "##a",
                                        "##b", "##ab", "##bba", "##\303\251", "\303\251a", "##aaa"};
    enum { WORDS = sizeof words / sizeof *words };
    test_bytes b = {0};
    put_json(&b, "{'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':'WordPiece','unk_token':'[UNK]','"
                 "continuing_subword_prefix':'##',"
                 "'max_input_chars_per_word':9,'vocab':{'[UNK]':0");
    for (size_t i = 0; i < WORDS; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, ",'%s':%zu", words[i], i + 1);
        put_json(&b, entry);
    }
    put_json(&b, "}}}");
    bipe_tokenizer t;
    bipe_error err = {0};
    CHECKF(read_json(&t, b.data, b.size, false, &err) == BIPE_OK, "%s", err.text);
    static const char *const letters[] = {"a", "a", "b", "b", "\303\251"};
    uint64_t random = 31;
    for (int round = 0; round < test_rounds(3000); round++) {
        char text[24];
        size_t size = random_text(&random, letters, 5, false, (uint8_t *)text, 1 + test_random(&random) % sizeof text);
        uint32_t want[24];
        size_t count = 0, at = 0;
        while (at < size) {
            size_t best = 0;
            for (size_t i = 0; i < WORDS; i++) {
                bool inner = words[i][0] == '#';
                const char *word = words[i] + (inner ? 2 : 0);
                size_t n = strlen(word);
                if (inner == (at != 0) && n <= size - at && n > best && memcmp(text + at, word, n) == 0) {
                    best = n;
                    want[count] = (uint32_t)i + 1;
                }
            }
            if (best == 0)
                break;
            count++;
            at += best;
        }
        if (size != 0 && (at < size || characters(text, size) > 9)) {
            want[0] = 0;
            count = 1;
        }
        bipe_tokens tokens = {0};
        CHECK(tokens_of(&t, text, size, 0, NULL, &tokens, &err) == BIPE_OK);
        check_spans(&t, &tokens, size, false);
        bool same = tokens.count == count;
        for (size_t i = 0; same && i < count; i++)
            same = tokens.token[i].id == want[i];
        CHECKF(same, "%.*s", (int)size, text);
        bipe_tokens_free(&tokens);
    }
    bipe_tokenizer_clear(&t);
    free_bytes(&b);
}

/* ---- spans, broken bytes, decoding, BOS ---- */

static void test_spans(void)
{
    bipe_tokenizer t;
    bipe_error err = {0};
    bipe_tokens tokens = {0};
    CHECKF(open_steps(&t,
                      "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'"
                      "lowercase':true}",
                      "{'type':'BertPreTokenizer'}", WORDPIECE, 0, &err) == BIPE_OK,
           "%s", err.text);
    static const char text[] = "\303\211a\001b \346\274\242\xFF! a";
    static const unsigned want[][2] = {{0, 2}, {2, 5}, {6, 9}, {9, 10}, {10, 11}, {12, 13}};
    CHECK(tokens_of(&t, text, sizeof text - 1, 0, NULL, &tokens, &err) == BIPE_OK);
    CHECK_UINT(tokens.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < tokens.count && i < sizeof want / sizeof *want; i++)
        CHECKF(tokens.token[i].start == want[i][0] && tokens.token[i].end == want[i][1], "token %zu: %u to %u", i,
               (unsigned)tokens.token[i].start, (unsigned)tokens.token[i].end);
    CHECK(tokens.count > 3 && tokens.token[3].id == 0); /* the broken byte is no piece */
    bipe_buffer back = {0};
    CHECK(tokens_of(&t, "cab a", 5, 0, NULL, &tokens, &err) == BIPE_OK);
    decode_tokens(&t, &tokens, &back);
    CHECK(back.size == 5 && memcmp(back.data, "cab a", 5) == 0);
    bipe_buffer_free(&back);
    bipe_tokenizer_clear(&t);
    /* The prefix of Metaspace is not part of the text. */
    CHECKF(open_steps(&t, "null", "{'type':'Metaspace','replacement':'\342\226\201'}", WORDPIECE, 0, &err) == BIPE_OK,
           "%s", err.text);
    CHECK(tokens_of(&t, "ab a", 4, 0, NULL, &tokens, &err) == BIPE_OK);
    decode_tokens(&t, &tokens, &back);
    CHECK(back.size == 4 && memcmp(back.data, "ab a", 4) == 0);
    bipe_buffer_free(&back);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_clear(&t);
}

static void test_processors(void)
{
    static const struct {
        const char *post;
        int status;
        int64_t bos, eos;
    } cases[] = {
        {"{'type':'BertProcessing','sep':['z',3],'cls':['y',2]}", BIPE_OK, 2, 3},
        {"{'type':'RobertaProcessing','sep':['z',1],'cls':['y',0],'trim_offsets':true,'add_prefix_space':false}",
         BIPE_OK, 0, 1},
        {"{'type':'BertProcessing','sep':['z',4],'cls':['y',2]}", BIPE_ERR_FORMAT, -1, -1},
        {"{'type':'BertProcessing','sep':['z',3]}", BIPE_ERR_FORMAT, -1, -1},
        {"{'type':'Sequence','processors':[{'type':'BertProcessing','sep':['z',3],'cls':['y',2]},{'type':'"
         "BertProcessing','sep':['z',3],"
         "'cls':['y',2]}]}",
         BIPE_OK, BIPE_NO_TOKEN, BIPE_NO_TOKEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_bytes b = {0};
        bipe_tokenizer t;
        bipe_error err = {0};
        put_json(&b,
                 "{'model':{'type':'WordLevel','unk_token':'x','vocab':{'x':0,'a':1,'y':2,'z':3}},'post_processor':");
        put_json(&b, cases[i].post);
        put_json(&b, "}");
        CHECKF(read_json(&t, b.data, b.size, false, &err) == cases[i].status, "%zu: %s", i, err.text);
        if (cases[i].status == BIPE_OK)
            CHECK(t.bos == cases[i].bos && t.eos == cases[i].eos);
        bipe_tokenizer_clear(&t);
        free_bytes(&b);
    }
}

/* ---- memory ---- */

static void test_memory(void)
{
    static const char *const normalizers[] = {
        "{'type':'Sequence','normalizers':[{'type':'NFKC'},{'type':'Replace','pattern':{'String':'x'},'content':'yy'},{"
        "'type':'Prepend','prepend':'a'},"
        "{'type':'Strip','strip_left':true,'strip_right':true},{'type':'BertNormalizer','clean_text':true,'handle_"
        "chinese_chars':true,"
        "'strip_accents':null,'lowercase':true}]}"};
    static const char *const pretokenizers[] = {
        "{'type':'Sequence','pretokenizers':[{'type':'BertPreTokenizer'},{'type':'Metaspace','replacement':'_'},{'type'"
        ":'Digits','individual_digits':true},"
        "{'type':'Punctuation'},{'type':'CharDelimiterSplit','delimiter':'b'},{'type':'Whitespace'}]}"};
    bipe_error err = {0};
    int status = BIPE_ERR_MEMORY;
    long n = 0;
    for (; status != BIPE_OK && n < 3000; n += test_stride(7)) {
        bipe_tokenizer t;
        bipe_tokens tokens = {0};
        bipe_alloc_fail_at(n);
        status = open_steps(&t, normalizers[0], pretokenizers[0], WORDPIECE, 0, &err);
        if (status == BIPE_OK)
            status = tokens_of(&t, "x \303\211a1 b\346\274\242!", 12, 0, NULL, &tokens, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%s", err.text);
        bipe_tokens_free(&tokens);
        bipe_tokenizer_clear(&t);
    }
    CHECKF(status == BIPE_OK && n > 25, "%ld allocations", n);
}

/* ---- GGUF ---- */

static bipe_tokenizer *open_path(const char *path)
{
    bipe_tokenizer *t = NULL;
    bipe_error err = {0};
    CHECKF(bipe_tokenizer_open(&t, path, false, &err) == BIPE_OK, "%s", err.text);
    return t;
}

/* Words that come in pieces, some of which are known to their end. */
static void check_long_words(bipe_tokenizer *t)
{
    static const char *const parts[] = {"un", "aff", "able",     "x", "aff", "able",         "x",    "xx",  "aff",
                                        " ",  "e",   "\303\211", "!", "a",   "\346\274\242", "\xFF", "\303"};
    bipe_pipeline *p = t->model;
    uint64_t random = 5;
    size_t long_words = 0;
    for (int round = 0; round < test_rounds(400); round++) {
        bipe_buffer text = {0};
        bipe_tokens want = {0}, got = {0};
        bipe_error err = {0};
        size_t known = round % 2 != 0 ? 9 : 17;
        for (size_t n = 1 + test_random(&random) % 60; n != 0; n--) {
            const char *part = parts[test_random(&random) % known];
            CHECK(bipe_buffer_append(&text, part, strlen(part), &err) == BIPE_OK);
        }
        p->chunk = BIPE_PIPELINE_CHUNK;
        CHECKF(tokens_of(t, text.data, text.size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        p->chunk = 1 + test_random(&random) % 9;
        CHECKF(tokens_of(t, text.data, text.size, 7, &random, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "%zu and %zu tokens of %.*s", want.count, got.count, (int)text.size,
               (const char *)text.data);
        long_words += known == 9 && want.count > 20;
        bipe_tokens_free(&want);
        bipe_tokens_free(&got);
        bipe_buffer_free(&text);
    }
    CHECK(long_words != 0 || !test_all_rounds());
    p->chunk = 1;
}

/* Words and marks as llama.cpp has them; what it makes of them by its rules, worked out by hand. */
static void test_bert_gguf(void)
{
    static const char *const tokens[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "\342\226\201un", "aff", "able",
                                         "\342\226\201!", "\342\226\201e", "\342\226\201",
                                         "x", "\342\226\201\346\274\242"};
    enum { COUNT = sizeof tokens / sizeof *tokens };
    static const int32_t types[COUNT] = {3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    bipe_gguf_string strings[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        strings[i] = (bipe_gguf_string){.text = tokens[i], .size = strlen(tokens[i])};
    static const struct {
        const char *text, *ids;
    } cases[] = {
        {"UNaffable!", "4 5 6 7"}, {"\303\211 e\314\201", "8 8"}, {"x", "9 10"}, {"xx\346\274\242x", "9 10 10 11 9 10"},
        {"una", "1"}, {"[UNK]", "1 1 1"},
        {" \342\200\250\t", ""}, {"un\001aff\302\255", "4 5"}, {"\xFF un", "1 4"}, {"", ""}};
    const char *path = scratch_path("bert.gguf");
    bipe_gguf_writer *w;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    bipe_gguf_set_string(w, "tokenizer.ggml.model", "bert", 4);
    bipe_gguf_set_strings(w, "tokenizer.ggml.tokens", strings, COUNT);
    bipe_gguf_set_i32s(w, "tokenizer.ggml.token_type", types, COUNT);
    bipe_gguf_set_u32(w, "tokenizer.ggml.unknown_token_id", 1);
    bipe_gguf_set_u32(w, "tokenizer.ggml.cls_token_id", 2);
    bipe_gguf_set_u32(w, "tokenizer.ggml.seperator_token_id", 3);
    CHECKF(bipe_gguf_write(w, path, &err) == BIPE_OK, "%s", err.text);
    bipe_gguf_writer_close(w);
    for (int round = 0; round < 2; round++) {
        bipe_tokenizer *t = open_path(path);
        if (t == NULL)
            return;
        CHECK(bipe_tokenizer_bos(t) == 2 && bipe_tokenizer_eos(t) == 3);
        ((bipe_pipeline *)t->model)->chunk = 1;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bipe_tokens list = {0};
            bipe_buffer got = {0};
            uint64_t random = 3;
            check_cuts(t, cases[i].text, strlen(cases[i].text), &random, true, &list);
            for (size_t k = 0; k < list.count; k++)
                CHECK(bipe_buffer_printf(&got, &err, "%s%u", k != 0 ? " " : "", (unsigned)list.token[k].id) == BIPE_OK);
            CHECKF(strcmp(got.data != NULL ? (const char *)got.data : "", cases[i].ids) == 0, "\"%s\": got %s, want %s",
                   cases[i].text, (const char *)got.data, cases[i].ids);
            bipe_buffer_free(&got);
            bipe_tokens_free(&list);
        }
        check_long_words(t);
        /* The same again from the file that bipe writes. */
        CHECKF(write_gguf(t, path, &err) == BIPE_OK, "%s", err.text);
        bipe_tokenizer_close(t);
    }
}

/* llama.cpp's vectors: texts divided by a line of their own, a line of ids for each. */
static void test_vectors(void)
{
    static const char divider[] = "\n__ggml_vocab_test__\n";
    static char in[1 << 16], out[1 << 16];
    char path[4096];
    if (test_shared() == NULL)
        return;
    const char *const names[] = {".inp", ".out", ""};
    char *const to[] = {in, out};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/tokenizers/ggml-vocab-bert-bge.gguf%s", test_shared(), names[i]);
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            return;
        if (i < 2)
            to[i][fread(to[i], 1, sizeof in - 1, file)] = '\0';
        fclose(file);
    }
    bipe_tokenizer *t = open_path(path);
    if (t == NULL)
        return;
    ((bipe_pipeline *)t->model)->chunk = 1;
    char *text = in, *ids = out;
    uint64_t random = 6;
    size_t count = 0;
    while (text != NULL && *ids != '\0') {
        char *end = strstr(text, divider);
        size_t size = end != NULL ? (size_t)(end - text) : strlen(text), wrong = 0;
        bipe_tokens tokens = {0};
        check_cuts(t, text, size, &random, true, &tokens);
        for (size_t i = 0; i < tokens.count; i++)
            wrong += strtoull(ids, &ids, 10) != tokens.token[i].id;
        while (*ids == ' ')
            ids++;
        CHECKF(wrong == 0 && *ids == '\n', "%.*s: %zu of %zu ids", (int)size, text, wrong, tokens.count);
        ids = strchr(ids, '\n');
        ids = ids != NULL ? ids + 1 : out + strlen(out);
        text = end != NULL ? end + sizeof divider - 1 : NULL;
        bipe_tokens_free(&tokens);
        count++;
    }
    CHECKF(count >= 40 && (text == NULL || *text == '\0') && *ids == '\0', "%zu vectors", count);
    bipe_tokenizer_close(t);
}

int main(void)
{
    test_answers();
    test_chunks();
    test_scripts();
    test_wordpiece();
    test_spans();
    test_processors();
    test_memory();
    test_bert_gguf();
    test_vectors();
    return test_result();
}
