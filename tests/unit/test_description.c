/* test_description.c - descriptions of tokenizers: read from JSON, against jansson's reading of the whole file, and
 * written as JSON. */
#include "base/alloc.h"
#include "tests/check.h"
#include "tests/description_twin.h"

/* ' stands for ". */
static size_t quoted(const char *json, uint8_t *out)
{
    size_t size = strlen(json);
    for (size_t i = 0; i < size; i++)
        out[i] = json[i] == '\'' ? '"' : (uint8_t)json[i];
    return size;
}

#define VOCAB(entries) "{'version':'1.0','model':{'type':'BPE','vocab':{" entries "},'merges':['a b']}}"
#define MERGES(entries) \
    "{'model':{'merges':[" entries "],'vocab':{'a':0,'b':1,'ab':2}},'added_tokens':[{'id':0,'content':'a'}]}"
#define PIECES(entries) "{'model':{'unk_id':0,'vocab':[" entries "]}}"
#define MODEL(members) " { 'normalizer' : null , 'model' : {" members "} , 'decoder' : {'a':[1,{'b':'}\\\\\\''}]} } "

/* jansson says what is right; the cases say which are taken. */
static const struct {
    const char *json;
    bool taken;
} cases[] = {
    {VOCAB("'a':0,'b':1,'ab':2"), true},
    {PIECES("['a',-1.5],['',0],['\\u00e9',-9.267807006835938]"), true},
    {PIECES(" [ 'a' , -0 ] ,\n['a',1E+2],['b',3e-07]"), true},
    {PIECES("['a',123456789012345678901234567890.5e-20],['b',0.00000000000000000000123456789]"), true},
    {PIECES("['a',1.7976931348623157e308],['b',2e-400]"), true},
    {PIECES("['a',1e400]"), false},
    {PIECES("['a',-]"), false},
    {PIECES("['a',01]"), false},
    {PIECES("['a',.5]"), false},
    {PIECES("['a',1.]"), false},
    {PIECES("['a',1e]"), false},
    {PIECES("['a',+1]"), false},
    {PIECES("['a','1']"), false},
    {PIECES("['a',null]"), false},
    {PIECES("['a']"), false},
    {PIECES("['a',1,2]"), false},
    {PIECES("[1,'a']"), false},
    {PIECES("['a',1],"), false},
    {PIECES("['a',1] ['b',1]"), false},
    {PIECES("{'a':1}"), false},
    {PIECES(""), true},
    {"{'model':{'vocab':[['a',1]],'vocab':{'a':0}}}", true},
    {"{'model':{'vocab':{'a':0},'vocab':[['a',1]]}}", true},
    {VOCAB(" 'a' : 0 ,\n\t'b':\r1 "), true},
    {VOCAB("'a':7,'b':3"), true},                        /* holes */
    {VOCAB("'':0"), true},
    {VOCAB("'\\u00e9\\ud83d\\ude00\\n\\/\\\\\\'\\b\\f\\r\\t\\u20AC':0,'\303\251\360\237\230\200':1"), true},
    {VOCAB("'a':0,'a':1"), true},                       /* refused when a vocabulary is made of it */
    {VOCAB("'a':0,'\\u0061':1"), true},
    {VOCAB("'a':0,'b':0"), false},
    {VOCAB("'a':-1"), false},
    {VOCAB("'a':1.0"), false},
    {VOCAB("'a':1e0"), false},
    {VOCAB("'a':00"), false},
    {VOCAB("'a':01"), false},
    {VOCAB("'a':'0'"), false},
    {VOCAB("'a':null"), false},
    {VOCAB("'a':70000"), false},                         /* more than such a file could have */
    {VOCAB("'a':99999999999999999999"), false},
    {VOCAB("'a':16777216"), false},
    {VOCAB("'a':0,"), false},
    {VOCAB(",'a':0"), false},
    {VOCAB("'a' 0"), false},
    {VOCAB("'a':0 'b':1"), false},
    {VOCAB("a:0"), false},
    {VOCAB(""), true},
    {VOCAB("'\\ud83d':0"), false},
    {VOCAB("'\\ud83d\\u0041':0"), false},
    {VOCAB("'\\ude00':0"), false},
    {VOCAB("'\\u0000':0"), true},
    {VOCAB("'\\u0000':0,'\\u0000':1"), true},
    {VOCAB("'\\u12':0"), false},
    {VOCAB("'\\u12G4':0"), false},
    {VOCAB("'\\x':0"), false},
    {VOCAB("'\n':0"), false},
    {VOCAB("'\001':0"), false},
    {VOCAB("'\177':0"), true},
    {VOCAB("'\377':0"), false},
    {VOCAB("'\303':0"), false},
    {VOCAB("'\300\200':0"), false},
    {VOCAB("'\355\240\200':0"), false},
    {VOCAB("'\364\220\200\200':0"), false},
    {VOCAB("'\357\277\277':0"), true},
    {MERGES("'a b'"), true},
    {MERGES("'a b','b a', 'a ab' "), true},
    {MERGES("['a','b'],[ 'b' , 'a' ]"), true},
    {MERGES("['a b','c d']"), true},
    {MERGES("['a','b'],'a b'"), false},
    {MERGES("'a b', ['a','b']"), false},
    {MERGES("'a\\u0020b'"), true},
    {MERGES("'\\u0061 \\u00e9'"), true},
    {MERGES(""), true},
    {MERGES("'ab'"), false},
    {MERGES("'a b c'"), false},
    {MERGES("'a  b'"), false},
    {MERGES("' b'"), false},
    {MERGES("'a '"), false},
    {MERGES("'#version: 0.2','a b'"), true},
    {MERGES("['a']"), false},
    {MERGES("['a','']"), false},
    {MERGES("['','a']"), false},
    {MERGES("['a','b','c']"), false},
    {MERGES("['a',1]"), false},
    {MERGES("'a b',"), false},
    {MERGES("'a b' 'b a'"), false},
    {MERGES("'a b'}"), false},
    {MODEL("'vocab':{'a':0}"), true},                    /* no merges */
    {MODEL("'merges':['a b']"), true},                   /* no vocabulary */
    {MODEL("'vocab':['a'],'merges':['a b']"), false},
    {MODEL("'vocab':{'a':0},'merges':{'a':'b'}"), true},
    {MODEL("'vocab':{'a':0},'vocab':{'b':1}"), true},
    {MODEL("'vocab':{'a':0},'merges':['a b'],'merges':['b a']"), true},
    {MODEL("'vocab':{'a':0},'voc\\u0061b':{'b':0}"), true},
    {MODEL("'type':'BPE','unk':{'vocab':{'x':1}},'vocab':{'a':0},'more':[[],{}]"), true},
    {MODEL("'vocab':{'a':0},'more':tru"), false},
    {MODEL("'more':'\\',"), false},
    {MODEL(""), true},
    {"{'model':{'vocab':{'a':0}},'model':{'vocab':{'b':0}}}", true},
    {"{'m\\u006fdel':{'vocab':{'a':0}},'model':{'vocab':{'b':0}}}", true},
    {"{'model':{'vocab':{'a':0}}", false},
    {"{'model':{'vocab':{'a':0}}}]", false},
    {"{'model':{'vocab':{'a':0}}} x", false},
    {"{'model':{'vocab':{'a':0}},}", false},
    {"{'other':[1,2},'model':{'vocab':{'a':0}}}", false},
    {"{'vocab':{'a':0},'merges':['a b']}", true},
    {"{'model':'vocab'}", true},
    {"{'config':{},'vocab':[{'rank':0,'token_bytes':'YQ=='},{'token_str':null,'token_bytes':'Yg==','rank':1}]}", true},
    {"{'config':{},'vocab':[{'rank':1,'token_bytes':'YQ=='}]}", false},
    {"{'config':{},'vocab':[{'rank':0}]}", false},
    {"[]", false},
    {"", false},
    {" ", false},
    {"{", false},
};
enum { CASES = sizeof cases / sizeof *cases };

static void test_cases(void)
{
    uint8_t bytes[600];
    for (size_t i = 0; i < CASES; i++) {
        bool taken;
        bipe_error err = {0};
        size_t size = quoted(cases[i].json, bytes);
        CHECKF(twins_agree(bytes, size, &taken, &err), "%s: %s", cases[i].json, err.text);
        CHECKF(taken == cases[i].taken, "%s: taken: %d", cases[i].json, taken);
    }
}

/* A NUL is a character like others. */
static void test_nul(void)
{
    uint8_t bytes[200];
    bipe_description d = {0};
    bipe_error err = {0};
    size_t n, size = quoted(MODEL("'vocab':{'a\\u0000':0,'a\\u0000b':2,'a':1},'merges':['a\\u0000 b']"), bytes);
    CHECK(bipe_description_load(&d, bytes, size, &err) == BIPE_OK && d.vocab == BIPE_VOCAB_IDS && d.has_merges &&
          d.count == 3 && d.merges == 1);
    CHECK(memcmp(bipe_description_string(&d, 0, &n), "a", 2) == 0 && n == 2);
    CHECK(memcmp(bipe_description_string(&d, 2, &n), "a\0b", 3) == 0 && n == 3);
    CHECK(d.merge[0].left == 2 && d.merge[0].right == 1 && memcmp(d.text.data + d.merge[0].at, "a\0b", 3) == 0);
    bipe_description_free(&d);
}

/* Two roundings, as the library's numbers have them: what decides between segmentations that are equally good. */
static void test_numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } numbers[] = {
        {"0", 0}, {"-12", -12}, {"1e3", 1000}, {"-9.267807006835938", -9267807006835938. / 1e15},
        {"-9.718804359436035", -9718804359436035. / 1e15}, {"18446744073709551615", 18446744073709551615.},
        {"18446744073709551616", 1844674407370955161. * 10},
        {"0.123456789012345678901234", 12345678901234567890. / 1e20}, {"3.0e-5", 30 / 1e6},
        {"25e-400", 25. / 1e308 / 1e92}, {"1e-700", 0}, {"1e308", 1e308},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char json[200];
        bipe_description d = {0};
        bipe_error err = {0};
        int size = snprintf(json, sizeof json, "{\"model\":{\"vocab\":[[\"a\",%s]]}}", numbers[i].text);
        CHECKF(bipe_description_load(&d, (const uint8_t *)json, (size_t)size, &err) == BIPE_OK && d.count == 1 &&
                   d.score[0] == numbers[i].value,
               "%s: %s", numbers[i].text, err.text);
        bipe_description_free(&d);
    }
}

/* Written and read again it is the same. */
static void test_written(void)
{
    static const char *const files[] = {VOCAB("'a':0,'b':1,'ab':5,'\\n\\u00e9\\'':2"), MERGES("['a','b'],['b','a']"),
                                        MODEL("'type':'x','vocab':{'':0}"),
                                        "{'a':[1,{'b':null}],'model':{'vocab':{},'merges':[]},'z':'\\u00e9'}"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint8_t bytes[600];
        bipe_description d = {0}, again = {0};
        bipe_buffer out = {0};
        bipe_error err = {0};
        size_t size = quoted(files[i], bytes);
        CHECKF(bipe_description_load(&d, bytes, size, &err) == BIPE_OK, "%s", err.text);
        CHECK(bipe_description_write(&d, &out, &err) == BIPE_OK);
        CHECKF(bipe_description_load(&again, out.data, out.size, &err) == BIPE_OK, "%s: %.*s", err.text, (int)out.size,
               (const char *)out.data);
        CHECK(json_equal(d.root, again.root) == 1 && d.count == again.count && d.merges == again.merges &&
              d.entries == again.entries);
        for (size_t id = 0, n, m; id < d.count; id++) {
            const uint8_t *a = bipe_description_string(&d, id, &n), *b = bipe_description_string(&again, id, &m);
            CHECK((a == NULL) == (b == NULL) && n == m && (n == 0 || memcmp(a, b, n) == 0));
        }
        bipe_description_free(&d);
        bipe_description_free(&again);
        bipe_buffer_free(&out);
    }
}

/* The cases with a part gone, twice there, or changed, and cut short. */
static void test_damage(void)
{
    static const char some[] = "\"\\{}[]:, u0ad18\n\303\251\377";
    uint64_t random = 41;
    size_t in_place = 0;
    for (int round = 0; round < test_rounds(60000); round++) {
        uint8_t whole[600], bytes[1200];
        size_t size = quoted(cases[(size_t)round % CASES].json, whole),
               at = size != 0 ? test_random(&random) % size : 0;
        size_t n = size != 0 ? test_random(&random) % (size - at) % 12 : 0, used = at;
        memcpy(bytes, whole, at);
        switch (test_random(&random) % 5) {
        case 0: /* gone */
            break;
        case 1: /* twice */
            memcpy(bytes + used, whole + at, n), used += n;
            memcpy(bytes + used, whole + at, n), used += n;
            break;
        case 2: /* something else */
            bytes[used++] = (uint8_t)some[test_random(&random) % (sizeof some - 1)];
            break;
        case 3: /* something between */
            bytes[used++] = (uint8_t)some[test_random(&random) % (sizeof some - 1)];
            n = 0;
            break;
        default: /* cut short */
            n = size - at;
        }
        memcpy(bytes + used, whole + at + n, size - at - n);
        used += size - at - n;
        bool taken;
        bipe_error err = {0};
        uint8_t *exact = malloc(used != 0 ? used : 1); /* so that a sanitizer sees reads past the end */
        if (exact == NULL)
            abort();
        memcpy(exact, bytes, used);
        CHECKF(twins_agree(exact, used, &taken, &err), "%.*s: %s", (int)used, (const char *)bytes, err.text);
        free(exact);
        in_place += taken;
    }
    CHECKF(!test_all_rounds() || in_place > 2000, "%zu", in_place);
}

/* The message has the place where jansson, or the reader of the lists, stopped. */
static void test_places(void)
{
    static const struct {
        const char *json, *text;
    } wrong[] = {
        {"{\n 'a': tru}", "line 2, column 10: invalid token near 'tru'"},
        {"{'model':{'vocab':{'a':0\n\n'b':1}}}", "model: line 3, column 1: expected ',' or '}'"},
        {"{'a':1} x", "line 1, column 9: expected the end of the file"},
        {"[]", "line 1, column 1: expected an object"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t bytes[100];
        bipe_description d = {0};
        bipe_error err = {0};
        CHECK(bipe_description_load(&d, bytes, quoted(wrong[i].json, bytes), &err) == BIPE_ERR_FORMAT);
        CHECK_TEXT(err.text, wrong[i].text);
        bipe_description_free(&d);
    }
}

static void test_memory(void)
{
    uint8_t bytes[600];
    size_t size = quoted(cases[0].json, bytes);
    int status = BIPE_ERR_MEMORY;
    long n = 0;
    for (; status == BIPE_ERR_MEMORY && n < 50; n++) {
        bipe_description d = {0};
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        status = bipe_description_load(&d, bytes, size, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_description_free(&d);
    }
    CHECK(status == BIPE_OK && n == 4); /* ids, text, merges */
}

int main(void)
{
    test_cases();
    test_nul();
    test_numbers();
    test_written();
    test_damage();
    test_places();
    test_memory();
    return test_result();
}
