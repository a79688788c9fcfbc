/* test_pipeline_units.c - texts of pipelines cut into units that are looked up (pipeline_units.h) against the same pipeline without
 * them: steps as well-known files have them, and others at random, over texts with traps; which bytes units part between. */
#include <config.h>

#include "tests/charsmap_file.h"
#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/unit_classes.h"

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
    "{'type':'NFD'}", "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':false,'lowercase':false}",
    "{'type':'BertNormalizer','clean_text':false,'handle_chinese_chars':false,'strip_accents':true,'lowercase':false}",
    SEQUENCE("normalizers", "{'type':'NFKD'},{'type':'StripAccents'},{'type':'Lowercase'},{'type':'Replace','pattern':{'Regex':' {2,}'},'content':' '}"),
    SEQUENCE("normalizers", "{'type':'Nmt'},{'type':'NFKC'},{'type':'Replace','pattern':{'String':'\xE4\xB8\xAD'},'content':' a'},{'type':'NFC'}"),
    SEQUENCE("normalizers", "{'type':'StripAccents'},{'type':'Replace','pattern':{'String':'\xD0\xB6.'},'content':'.'}"),
    SEQUENCE("normalizers", "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':true,'lowercase':true},"
             "{'type':'Prepend','prepend':'b'}"),
    NULL, /* with a character map */
    NULL, /* and marks taken away */
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
    SEQUENCE("pretokenizers", "{'type':'Whitespace'},{'type':'Punctuation','behavior':'Isolated'}"),
    SEQUENCE("pretokenizers", "{'type':'WhitespaceSplit'},{'type':'Digits','individual_digits':true},{'type':'Punctuation','behavior':'MergedWithNext'}"),
    SEQUENCE("pretokenizers", "{'type':'Punctuation','behavior':'Removed'},{'type':'Split','pattern':{'String':'\xE4\xB8\xAD'},'behavior':'Isolated','invert':false}"),
    SEQUENCE("pretokenizers", METASPACE("never") ",{'type':'BertPreTokenizer'}"),
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

/* The same with characters of many scripts and kinds: what is composed, taken apart, left out, is a cluster with what stands beside it, or broken. */
static const char *const wide[] = {
    "\xD0\xB6", "\xD0\xB9", "\xD0\xB8\xCC\x86", "\xCC\x86", "\xE4\xB8\xAD", "\xE6\x96\x87", "\xEF\xA4\x80", "\xE3\x81\x8B", "\xE3\x82\x99", "\xEF\xBE\x9E",
    "\xED\x95\x9C", "\xEA\xB0\x80", "\xE1\x84\x80", "\xE1\x85\xA1", "\xE1\x86\xA8", "\xE0\xA4\xB9", "\xE0\xA4\xBF", "\xE0\xA5\x8D", "\xE0\xA5\x87", "\xD8\xA8", "\xD9\x8E",
    "\xD8\x80", "\xE3\x80\x80", "\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\x8B", "\xE2\x80\x8D", "\xEF\xBB\xBF", "\xEF\xBF\xBD", "\xEF\xBC\x8C", "\xE3\x80\x82", "\xEF\xBC\xA1",
    "\xEF\xAC\x81", "\xC2\xBD", "\xC3\xA9", "\xC3\x89", "\xE1\xBA\x9E", "\xC4\xB0", "\xD9\xA1", "\xF0\x9F\x98\x80", "\xF0\x9F\x87\xA6", "\xF0\x91\x82\xBD", "\xE2\x96\x81", "\xC2\xA8",
    "\xE0\xB8\x81", "\xE0\xB8\xB3", "\xE4", "\xB8", "\xE4\xB8", "\xAD", "\xF0\x9F", "\xC2", "\xD0", " ", " ", " ", "\n", "a", "e", "b", ".", "1", "A", "a b", "<x>", "b.", "\xE4\xB8\xAD.", "\r", "_"};
enum { WIDE = sizeof wide / sizeof *wide };

/* Precompiled, and what comes behind it. */
static char mapped[2][8000];

static void make_mapped(void)
{
    static test_map rules;
    rules.count = 0;
    map_add(&rules, "A", "a");
    map_add(&rules, "e\xCC\x81", "\xC3\xA9");
    map_add(&rules, "\xEF\xBC\x8C", ",");
    map_add(&rules, "\xE3\x80\x80", " ");
    map_add(&rules, "\xC2\xBD", "1/2");
    map_add(&rules, "\xE6\x96\x87", "");
    map_add(&rules, "\xED\x95\x9C", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB");
    map_add(&rules, "\xD0\xB8\xCC\x86", "\xD0\xB9");
    map_add(&rules, "\xE0\xA4\xB9\xE0\xA5", "b");
    map_add(&rules, "\xE3\x81\x8B\xE3\x82\x99", "\xE3\x81\x8C");
    test_bytes map = map_file(&rules), text = {0};
    put_base64(&text, &map);
    put_bytes(&text, "", 1);
    snprintf(mapped[0], sizeof mapped[0], "{'type':'Precompiled','precompiled_charsmap':'%s'}", (const char *)text.data);
    snprintf(mapped[1], sizeof mapped[1], SEQUENCE("normalizers", "{'type':'Precompiled','precompiled_charsmap':'%s'},{'type':'StripAccents'}"),
             (const char *)text.data);
    free_bytes(&map);
    free_bytes(&text);
}

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
    make_mapped();
    for (int round = 0; round < test_rounds(250); round++) {
        size_t kind = test_random(&random) % NORMALIZERS;
        const char *normalizer = kind < NORMALIZERS - 2 ? normalizers[kind] : mapped[kind - (NORMALIZERS - 2)], *pretokenizer = pretokenizers[test_random(&random) % PRETOKENIZERS];
        size_t model = test_random(&random) % MODELS, flags = test_random(&random) % 16;
        char added[300] = "", what[9000];
        if (model < 3 && flags < 12)
            snprintf(added, sizeof added,
                     ",'added_tokens':[{'id':33,'content':'<x>','normalized':false,'special':true,'rstrip':%s,'lstrip':%s},"
                     "{'id':%s,'normalized':true,'special':false,'single_word':%s}]",
                     flags == 1 ? "true" : "false", flags == 2 ? "true" : "false", flags == 4 ? "35,'content':'\xE4\xB8\xAD.'" : "34,'content':'b.'",
                     flags == 3 ? "true" : "false");
        bipe_tokenizer t = open_steps(normalizer, pretokenizer, model < 3 ? models[model] : unigram, model < 3 ? vocab : "", added);
        if (t.kind == &bipe_pipeline_kind)
            for (int k = 0; k < 6; k++) {
                snprintf(what, sizeof what, "round %d, text %d: %s; %s; %zu", round, k, normalizer, pretokenizer, model);
                /* What goes may stand at the beginning. */
                size_t begun = k < 3 ? 0 : (size_t)sprintf((char *)text, "%s%s", wide[test_random(&random) % WIDE], wide[test_random(&random) % WIDE]);
                size_t size = k < 3 ? text_of_words(&random, alphabet, LETTERS, text, TEXT) : begun + text_of_words(&random, wide, WIDE, text + begun, TEXT);
                used += compare(&t, text, size, &random, what);
            }
        bipe_tokenizer_clear(&t);
    }
    CHECKF(!test_all_rounds() || used > 600, "%zu", used);
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

/* Whether units part before `y` in a text: behind x, and with z behind it. */
static bool characters_part(const bipe_tokenizer *t, const char *x, const char *y, const char *z)
{
    const bipe_pipeline *p = t->model;
    bipe_unit_classes *u = p->units != NULL && bipe_unit_classes_may(p) ? bipe_unit_classes_open(p) : NULL;
    uint8_t before, at = 0, behind;
    if (u == NULL)
        return false;
    before = bipe_cut_class_before(&u->classes, (const uint8_t *)x + strlen(x), strlen(x));
    bipe_cut_class_at(&u->classes, (const uint8_t *)y, strlen(y), &at);
    bipe_cut_class_at(&u->classes, (const uint8_t *)z, strlen(z), &behind);
    bool parts = bipe_cut_border(&u->borders, before, at) && u->borders.behind[behind] != 0;
    bipe_unit_classes_close(u);
    return parts;
}

static void test_characters(void)
{
    bipe_tokenizer t = open_steps(normalizers[6], pretokenizers[1], models[0], vocab, ""); /* BERT, without accents */
    CHECK(characters_part(&t, "\xD0\xB6", " ", "\xD0\xB6") && characters_part(&t, "\xD0\xB6", ".", " ") && characters_part(&t, "a", " ", "\xC3\xA9"));
    CHECK(characters_part(&t, "\xE4\xB8\xAD", "\xE6\x96\x87", "a") && characters_part(&t, "\xE3\x81\x8B", "\xE4\xB8\xAD", "a"));
    CHECK(characters_part(&t, "a\xCC\x81", " ", "a") && characters_part(&t, "\xE0\xA4\xB9\xE0\xA5\x8D", " ", "a")); /* marks that go */
    CHECK(!characters_part(&t, "\xCC\x81", " ", "a") && !characters_part(&t, "\xFF\xCC\x81", " ", "a"));           /* and before which nothing is */
    CHECK(!characters_part(&t, "\xD0\xB6", "\xD0\xB6", "a") && !characters_part(&t, "\xD0\xB6", ".", "\xCC\x81") && !characters_part(&t, "\xFF", " ", "a"));
    CHECK(!characters_part(&t, " ", "\xE4\xB8\xAD", "a") && !characters_part(&t, "\xD0\xB6", " ", "\xFF") && !characters_part(&t, "\xE2\x80\x8B", " ", "a"));
    bipe_tokenizer_clear(&t);

    t = open_steps(normalizers[2], pretokenizers[6], unigram, "", ""); /* NFKC and T5's */
    CHECK(characters_part(&t, "\xD0\xB6", " ", "a") && characters_part(&t, "\xED\x95\x9C", "\xE3\x80\x80", "a") && !characters_part(&t, "\xE4\xB8\xAD", "a", "a"));
    CHECK(!characters_part(&t, "\xE4\xB8\xAD", "\xE6\x96\x87", "a") && characters_part(&t, "\xE0\xA4\xB9\xE0\xA5\x8D", " ", "a"));
    bipe_tokenizer_clear(&t);

    t = open_steps("null", pretokenizers[1], models[2], vocab,
                   ",'added_tokens':[{'id':35,'content':'\xE4\xB8\xAD.','normalized':false,'special':false,'single_word':false}]");
    CHECK(characters_part(&t, "\xE6\x96\x87", ".", "a") && !characters_part(&t, "\xE4\xB8\xAD", ".", "a"));
    bipe_tokenizer_clear(&t);

    t = open_steps("null", pretokenizers[8], models[1], vocab, ""); /* a pattern */
    CHECK(((bipe_pipeline *)t.model)->units != NULL && !characters_part(&t, "\xD0\xB6", " ", "a"));
    bipe_tokenizer_clear(&t);
}

int main(void)
{
    test_pairs();
    test_characters();
    test_random_steps();
    return test_result();
}
