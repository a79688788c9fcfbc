/* test_pipeline_units.c - texts of pipelines cut into units that are looked up (pipeline_units.h) against the same pipeline without
 * them: steps as well-known files have them, and others at random, over texts with traps; which bytes units part between. */
#include <config.h>

#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

#define SEQUENCE(name, steps) "{'type':'Sequence','" name "':[" steps "]}"
#define SPLIT(pattern, behaviour, invert) "{'type':'Split','pattern':{'Regex':'" pattern "'},'behavior':'" behaviour "','invert':" invert "}"
#define METASPACE(scheme) "{'type':'Metaspace','replacement':'\xE2\x96\x81','prepend_scheme':'" scheme "'}"
#define BYTES "{'type':'ByteLevel','add_prefix_space':false,'trim_offsets':true,'use_regex':false}"

static const char *const normalizers[] = {
    "null", "{'type':'NFC'}", "{'type':'NFKC'}", "{'type':'Lowercase'}", "{'type':'StripAccents'}", "{'type':'Nmt'}",
    "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'lowercase':true}",
    SEQUENCE("normalizers", "{'type':'NFC'},{'type':'Replace','pattern':{'Regex':'\\\\s+'},'content':' '},{'type':'Lowercase'}"),
    SEQUENCE("normalizers", "{'type':'Strip','strip_left':true,'strip_right':true},{'type':'Replace','pattern':{'Regex':' {2,}'},'content':'_'}"),
    SEQUENCE("normalizers", "{'type':'Prepend','prepend':'b'},{'type':'Replace','pattern':{'String':'1.'},'content':'aa'}"),
    "{'type':'Replace','pattern':{'String':' '},'content':'\xE2\x96\x81'}", "{'type':'Replace','pattern':{'String':'\\n'},'content':''}",
};

static const char *const pretokenizers[] = {
    "null", "{'type':'BertPreTokenizer'}", "{'type':'WhitespaceSplit'}", "{'type':'Whitespace'}", METASPACE("always"), METASPACE("first"),
    SEQUENCE("pretokenizers", "{'type':'WhitespaceSplit'}," METASPACE("always")),
    SEQUENCE("pretokenizers", "{'type':'Punctuation','behavior':'Contiguous'}," METASPACE("always")),
    SEQUENCE("pretokenizers", SPLIT("\\u0027s|[\\\\p{L}]+|[\\\\p{N}]|[^\\\\s\\\\p{L}\\\\p{N}]+", "Removed", "true") "," BYTES),
    SEQUENCE("pretokenizers", SPLIT("[\\r\\n]", "Isolated", "false") "," SPLIT("\\\\s?\\\\p{L}+", "Isolated", "false") ","
             SPLIT("\\\\s?\\\\p{P}+", "Isolated", "false") "," SPLIT("\\\\s+$", "Isolated", "false") "," BYTES),
    SEQUENCE("pretokenizers", "{'type':'Punctuation','behavior':'Contiguous'}," BYTES ",{'type':'Digits','individual_digits':false},"
             SPLIT("[0-9][0-9][0-9]", "Isolated", "false")),
    "{'type':'Split','pattern':{'String':'a.'},'behavior':'MergedWithNext','invert':false}",
    "{'type':'Split','pattern':{'String':'1'},'behavior':'MergedWithPrevious','invert':false}",
    "{'type':'Split','pattern':{'String':'.'},'behavior':'Removed','invert':false}",
    SEQUENCE("pretokenizers", SPLIT("(?<=a) |\\\\b1| +(?!b)", "Isolated", "false") ",{'type':'Digits','individual_digits':true}"),
    SEQUENCE("pretokenizers", "{'type':'ByteLevel','add_prefix_space':true,'trim_offsets':true,'use_regex':false}," SPLIT("[.1]", "Isolated", "false")),
    SEQUENCE("pretokenizers", "{'type':'CharDelimiterSplit','delimiter':' '},{'type':'Digits','individual_digits':true}"),
};

static const char *const models[] = {
    "{'type':'WordPiece','unk_token':'u','continuing_subword_prefix':'##','max_input_chars_per_word':9,'vocab':{",
    "{'type':'BPE','unk_token':'u','fuse_unk':true,'merges':['a b','a a','1 1','. .','\xE2\x96\x81 a'],'vocab':{",
    "{'type':'BPE','unk_token':'u','merges':['a b','a a','1 1','. .','\xE2\x96\x81 a'],'vocab':{",
};
static const char vocab[] =
    "'u':0,'a':1,'##a':2,'b':3,'##b':4,' ':5,'\xC4\xA0':6,'_':7,'##_':8,'\xE2\x96\x81':9,'##\xE2\x96\x81':10,'.':11,'##.':12,'1':13,'##1':14,"
    "'\\n':15,'\xC4\x8A':16,'\xCC\x81':17,'##\xCC\x81':18,'e':19,'##e':20,'\xC3\xA9':21,'##\xC3\xA9':22,'ab':23,'##ab':24,'aa':25,'11':26,'A':27,"
    "'s':28,'##s':29,'\xE2\x96\x81" "a':30,'\xE4\xB8\xAD':31,'..':32,'<x>':33,'b.':34}}";
static const char unigram[] =
    "{'type':'Unigram','unk_id':0,'vocab':[['u',-9],['a',-2],['b',-3],['_',-3],['\xE2\x96\x81',-4],['.',-5],['1',-4],['\\n',-6],['\xCC\x81',-5],['e',-4],"
    "['_a',-4.5],['aab',-4],['11',-5.5],['ba',-4],['\xE4\xB8\xAD\xE4\xB8\xAD',-7],['\xE2\x96\x81" "ab',-5],['b.',-5.5]]}";

enum { NORMALIZERS = sizeof normalizers / sizeof *normalizers, PRETOKENIZERS = sizeof pretokenizers / sizeof *pretokenizers, MODELS = 4, TEXT = 3000 };

static bipe_tokenizer open_steps(const char *normalizer, const char *pretokenizer, const char *model, const char *rest, const char *added)
{
    test_bytes b = {0};
    bipe_tokenizer t;
    bipe_error err = {0};
    put_steps(&b, normalizer, pretokenizer);
    put_json(&b, model);
    put_json(&b, rest);
    put_json(&b, added);
    put_json(&b, "}");
    int status = read_json(&t, b.data, b.size, false, &err);
    CHECKF(status == BIPE_OK || status == BIPE_ERR_UNSUPPORTED, "%s", err.text);
    free_bytes(&b);
    return t;
}

/* ---- texts ---- */

static const char *const alphabet[] = {"a", "b", ".", " ", " ", "\n", "1", "_", "'s", "A", "aa", "ab", "\xC3\xA9", "e\xCC\x81", "\xE4\xB8\xAD", "\xE2\x96\x81",
                                       "<x>", "b.", "\r\n", "\t", " \xCC\x81", "\xC2\xA0", "\x01", "\xFF", "\xCC\x81", "111", ". ", "  ", "\xE3\x80\x80", "a b", "=\xCC\xB8"};
enum { LETTERS = sizeof alphabet / sizeof *alphabet };

static size_t compare(bipe_tokenizer *t, const uint8_t *text, size_t size, uint64_t *random, const char *what)
{
    static const size_t cuts[] = {0, 1, 7, 90, 400};
    bipe_pipeline *p = t->model;
    bipe_cut_borders *units = p->units;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    p->units = NULL;
    int status = tokens_of(t, text, size, 0, NULL, &want, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    p->units = units;
    for (size_t i = 0; units != NULL && i < sizeof cuts / sizeof *cuts; i++) {
        CHECKF(tokens_of(t, text, size, cuts[i], cuts[i] > 1 ? random : NULL, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "%s, cuts of %zu: %zu tokens, want %zu", what, cuts[i], got.count, want.count);
    }
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
    return units != NULL;
}

static void test_random_steps(void)
{
    static uint8_t text[TEXT + 1000];
    uint64_t random = 31;
    size_t used = 0;
    for (int round = 0; round < test_rounds(250); round++) {
        const char *normalizer = normalizers[test_random(&random) % NORMALIZERS], *pretokenizer = pretokenizers[test_random(&random) % PRETOKENIZERS];
        size_t model = test_random(&random) % MODELS, flags = test_random(&random) % 16;
        char added[300] = "", what[1000];
        if (model < 3 && flags < 12)
            snprintf(added, sizeof added,
                     ",'added_tokens':[{'id':33,'content':'<x>','normalized':false,'special':true,'rstrip':%s,'lstrip':%s},"
                     "{'id':34,'content':'b.','normalized':true,'special':false,'single_word':%s}]",
                     flags == 1 ? "true" : "false", flags == 2 ? "true" : "false", flags == 3 ? "true" : "false");
        bipe_tokenizer t = open_steps(normalizer, pretokenizer, model < 3 ? models[model] : unigram, model < 3 ? vocab : "", added);
        if (t.kind == &bipe_pipeline_kind)
            for (int k = 0; k < 4; k++) {
                snprintf(what, sizeof what, "round %d, text %d: %s; %s; %zu", round, k, normalizer, pretokenizer, model);
                size_t size = text_of_words(&random, alphabet, LETTERS, text, TEXT);
                used += compare(&t, text, size, &random, what);
            }
        bipe_tokenizer_clear(&t);
    }
    CHECKF(!test_all_rounds() || used > 300, "%zu", used);
}

/* ---- which pairs ---- */

static bool parts(const bipe_tokenizer *t, char x, char y)
{
    const bipe_pipeline *p = t->model;
    CHECK(t->kind == &bipe_pipeline_kind);
    return p->units != NULL && bipe_cut_border(p->units, (uint8_t)x, (uint8_t)y);
}

static void test_pairs(void)
{
    bipe_tokenizer t = open_steps(normalizers[6], pretokenizers[1], models[0], vocab, ""); /* BERT */
    CHECK(parts(&t, 'a', ' ') && parts(&t, 'a', '.') && parts(&t, '.', 'a') && parts(&t, '.', '\n') && parts(&t, ',', ','));
    CHECK(!parts(&t, 'a', 'b') && !parts(&t, ' ', 'a') && !parts(&t, ' ', ' ') && !parts(&t, '\x01', '.'));
    CHECK(((bipe_pipeline *)t.model)->gaps && !((bipe_pipeline *)t.model)->units->behind[0x80]);
    bipe_tokenizer_clear(&t);

    t = open_steps("null", pretokenizers[6], unigram, "", ""); /* T5 */
    CHECK(parts(&t, 'a', ' ') && parts(&t, '.', ' ') && parts(&t, '.', '\n') && !parts(&t, ' ', 'a') && !parts(&t, '.', 'a'));
    bipe_tokenizer_clear(&t);

    t = open_steps(normalizers[7], pretokenizers[8], models[1], vocab, ""); /* CLIP */
    CHECK(parts(&t, 'a', ' ') && parts(&t, 'a', '1') && parts(&t, '1', '1') && parts(&t, 'a', '.') && parts(&t, ' ', 'A'));
    CHECK(!parts(&t, 'a', 'b') && !parts(&t, '.', '.') && !parts(&t, '\'', 's') && !parts(&t, ' ', ' ') && !parts(&t, ' ', '\n'));
    bipe_tokenizer_clear(&t);

    t = open_steps("null", pretokenizers[9], models[1], vocab, ""); /* DeepSeek's */
    CHECK(parts(&t, 'a', ' ') && parts(&t, 'a', '1') && parts(&t, '\n', 'a') && !parts(&t, ' ', 'a') && !parts(&t, ' ', '.'));
    bipe_tokenizer_clear(&t);

    /* Merges tell where nothing else splits; strings that are looked for forbid. */
    static const char visible[] = SEQUENCE("normalizers", "{'type':'NFC'},{'type':'Replace','pattern':{'String':' '},'content':'\xE2\x96\x81'}");
    t = open_steps(visible, "null", models[1], vocab, "");
    CHECK(parts(&t, 'b', 'a') && !parts(&t, 'a', 'b') && parts(&t, 'a', ' ') && !parts(&t, ' ', 'a') && parts(&t, ' ', 'b') && parts(&t, 'b', '.'));
    CHECK(!parts(&t, 'z', 'a')); /* an unknown character */
    bipe_tokenizer_clear(&t);
    t = open_steps(visible, "null", models[1], vocab,
                   ",'added_tokens':[{'id':34,'content':'b.','normalized':false,'special':false,'single_word':false}]");
    CHECK(!parts(&t, 'b', '.') && parts(&t, '.', 'b') && parts(&t, 'b', ' '));
    bipe_tokenizer_clear(&t);
    t = open_steps(visible, "null", models[1], vocab,
                   ",'added_tokens':[{'id':34,'content':'b.','normalized':false,'special':false,'rstrip':true,'single_word':false}]");
    CHECK(((bipe_pipeline *)t.model)->units == NULL); /* white space may wait for what is behind it */
    bipe_tokenizer_clear(&t);
}

int main(void)
{
    test_pairs();
    test_random_steps();
    return test_result();
}
