/* fuzz_steps.c - a pipeline of steps that the input chooses, over the rest of the input: whole, cut into units, and in
 * the smallest chunks and pieces, which must agree. */
#include "base/buffer.h"
#include "tests/fuzz/token_cuts.h"
#include "token/pipeline/pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const normalizers[] = {
    "{'type':'NFC'}",
    "{'type':'NFD'}",
    "{'type':'NFKC'}",
    "{'type':'NFKD'}",
    "{'type':'Lowercase'}",
    "{'type':'StripAccents'}",
    "{'type':'Nmt'}",
    "{'type':'Strip','strip_left':true,'strip_right':true}",
    "{'type':'Strip','strip_left':true,'strip_right':false}",
    "{'type':'Strip','strip_left':false,'strip_right':true}",
    "{'type':'Prepend','prepend':'ab '}",
    "{'type':'Replace','pattern':{'String':'.'},'content':' '}",
    "{'type':'Replace','pattern':{'String':' '},'content':'_'}",
    "{'type':'Replace','pattern':{'String':'\\n'},'content':''}",
    "{'type':'Replace','pattern':{'Regex':' {2,}'},'content':' '}",
    "{'type':'Replace','pattern':{'Regex':'[ab]+\\\\s'},'content':'b'}",
    "{'type':'ByteLevel'}",
    "{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,'strip_accents':null,'lowercase':true}",
    "{'type':'BertNormalizer','clean_text':false,'handle_chinese_chars':true,'strip_accents':true,'lowercase':false}",
    "{'type':'Replace','pattern':{'Regex':'\\\\s+'},'content':' '}",
    "{'type':'Replace','pattern':{'Regex':' *\\\\n'},'content':'.\\n'}",
    "{'type':'Replace','pattern':{'Regex':'^[ b]+'},'content':''}",
    "{'type':'Replace','pattern':{'Regex':'[ b]+$'},'content':'a'}",
    "{'type':'Replace','pattern':{'Regex':'\\\\ba[^.]+?(?=b)'},'content':'1'}",
    "{'type':'Replace','pattern':{'Regex':'(?<=a )b+|1(?=1a)'},'content':'..'}"};
#define SPLIT(pattern, rest) "{'type':'Split','pattern':{" pattern "},'behavior':'" rest "}"
#define BOTH_WAYS(pattern, behaviour) \
    SPLIT(pattern, behaviour "','invert':false"), SPLIT(pattern, behaviour "','invert':true")
#define IN_EVERY_WAY(pattern) \
    BOTH_WAYS(pattern, "Removed"), BOTH_WAYS(pattern, "Isolated"), BOTH_WAYS(pattern, "MergedWithPrevious"), \
        BOTH_WAYS(pattern, "MergedWithNext"), BOTH_WAYS(pattern, "Contiguous")
static const char *const pretokenizers[] = {
    "{'type':'Whitespace'}",
    "{'type':'WhitespaceSplit'}",
    "{'type':'BertPreTokenizer'}",
    "{'type':'CharDelimiterSplit','delimiter':' '}",
    "{'type':'CharDelimiterSplit','delimiter':'\\n'}",
    "{'type':'CharDelimiterSplit','delimiter':'a'}",
    "{'type':'Digits','individual_digits':true}",
    "{'type':'Digits','individual_digits':false}",
    "{'type':'Punctuation','behavior':'Removed'}",
    "{'type':'Punctuation'}",
    "{'type':'Punctuation','behavior':'MergedWithPrevious'}",
    "{'type':'Punctuation','behavior':'MergedWithNext'}",
    "{'type':'Punctuation','behavior':'Contiguous'}",
    "{'type':'Metaspace','replacement':'_'}",
    "{'type':'Metaspace','replacement':'\xE2\x96\x81'}",
    "{'type':'Metaspace','replacement':'\xE2\x96\x81','prepend_scheme':'first'}",
    "{'type':'Metaspace','replacement':'\xE2\x96\x81','prepend_scheme':'never','split':false}",
    "{'type':'Metaspace','replacement':'\xE2\x96\x81','prepend_scheme':'always','split':false}",
    "{'type':'ByteLevel','add_prefix_space':true,'trim_offsets':true,'use_regex':true}",
    "{'type':'FixedLength','length':3}",
    "{'type':'UnicodeScripts'}",
    "{'type':'Split','pattern':{'Regex':'\\\\p{N}'},'behavior':'Isolated','invert':false}",
    "{'type':'Split','pattern':{'String':' '},'behavior':'MergedWithNext','invert':false}",
    "{'type':'Split','pattern':{'String':'\\n'},'behavior':'Isolated','invert':false}",
    "{'type':'Split','pattern':{'Regex':'\\\\w+|[^\\\\w\\\\s]+|\\\\s+'},'behavior':'Isolated','invert':false}",
    "{'type':'Split','pattern':{'Regex':' ?[a-z]+|\\\\n+'},'behavior':'Isolated','invert':false}",
    "{'type':'Split','pattern':{'Regex':'[^\\\\s.]+?(?!\\\\w)'},'behavior':'Removed','invert':true}",
    "{'type':'Split','pattern':{'Regex':'[.1][A-Za-z]+|[^\\\\r\\\\n\\\\p{L}]?\\\\p{L}+| "
    "?\\\\p{P}+\\\\s*|\\\\s+(?!\\\\S)|\\\\s+'},'behavior':'Isolated','invert':false}",
    "{'type':'Split','pattern':{'Regex':'(?<=a) |b '},'behavior':'Removed','invert':false}",
    "{'type':'ByteLevel','add_prefix_space':false,'trim_offsets':true,'use_regex':false}",
    IN_EVERY_WAY("'Regex':'[a1 ]+'"),
    IN_EVERY_WAY("'Regex':'\\\\bab?|\\\\s+$|1'"),
    IN_EVERY_WAY("'Regex':'(?<!a)b+ |[^b]'"),
    IN_EVERY_WAY("'Regex':'(?<=ab)1|a(?=b.)'"),
    BOTH_WAYS("'Regex':'(?=(11)+(?!1))'", "Isolated"),
    BOTH_WAYS("'Regex':'b*'", "Removed"),
    BOTH_WAYS("'Regex':'1{1,3}(?=(?:111)*\\\\b)|(?<!(?<=a) )\\\\.'", "Isolated"),
    BOTH_WAYS("'Regex':'(?>a|ab)b| (?=[^a]*b)'", "Contiguous"),
    IN_EVERY_WAY("'String':'a '"),
    IN_EVERY_WAY("'String':'.'"),
    "{'type':'Split','pattern':{'Regex':'.+'},'behavior':'Isolated','invert':false}"};
static const char vocab[] = "'unk_token':'u','vocab':{'u':0,'a':1,'##a':2,'b':3,'##b':4,' ':5,'## "
                            "':6,'_':7,'##_':8,'\xE2\x96\x81':9,'##\xE2\x96\x81':10,'.':11,'##.':12,"
                            "'1':13,'##1':14,'\\n':15,'##\\n':16,'\xCC\x81':17,'##\xCC\x81':18,'e':19,'##e':20,'"
                            "\xC3\xA9':21,'##\xC3\xA9':22,'_a':23,'ab':24}";
static const char *const models[] = {
    "{'type':'WordPiece','continuing_subword_prefix':'##','max_input_chars_per_word':6,",
    "{'type':'WordLevel',",
    "{'type':'BPE','merges':['a b','_ a'],",
    "{'type':'BPE','fuse_unk':true,'end_of_word_suffix':'b','merges':['a b','_ a'],",
    "{'type':'BPE','fuse_unk':true,'merges':['a b','_ a'],",
    NULL};
static const char unigram[] = "{'type':'Unigram','unk_id':0,'vocab':[['u',-9],['a',-2],['b',-3],['_',-3],['"
                              "\xE2\x96\x81',-4],['.',-5],['1',-4],['\\n',-6],['\xCC\x81',-5],['e',-4],"
                              "['_a',-4.5],['aab',-4],['11',-5.5],['ba',-4],['\xE4\xB8\xAD\xE4\xB8\xAD',-7],['zz',-8],["
                              "'bb',-9],['cc',-9],['dd',-9],['ee',-9],['ff',-9],['gg',-9],['hh',-9],"
                              "['ii',-9],['ab',-4]]";

static void need(int status)
{
    if (status != BIPE_OK)
        abort();
}

static void put(bipe_buffer *json, const char *text)
{
    for (; *text != '\0'; text++)
        need(bipe_buffer_append(json, *text == '\'' ? "\"" : text, 1, NULL));
}

/* Up to three steps, as the bytes choose. */
static void put_steps(bipe_buffer *json, const char *const *steps, size_t count, const uint8_t choice[3])
{
    const char *before = "";
    for (int i = 0; i < 3; i++)
        if (choice[i] < count) {
            put(json, before);
            put(json, steps[choice[i]]);
            before = ",";
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8 || size > 4096)
        return 0;
    bipe_buffer json = {0};
    put(&json, "{'normalizer':{'type':'Sequence','normalizers':[");
    put_steps(&json, normalizers, sizeof normalizers / sizeof *normalizers, data + 1);
    put(&json, "]},'pre_tokenizer':{'type':'Sequence','pretokenizers':[");
    put_steps(&json, pretokenizers, sizeof pretokenizers / sizeof *pretokenizers, data + 4);
    put(&json, "]},'model':");
    const char *model = models[data[7] % (sizeof models / sizeof *models)];
    put(&json, model != NULL ? model : unigram);
    put(&json, model != NULL ? vocab : "");
    put(&json, "}");
    if ((data[0] & 6) != 0) {
        char added[200];
        snprintf(added, sizeof added,

                 ",'added_tokens':[{'id':24,'content':'ab','normalized':%s,'special':%s,'lstrip':%s,'rstrip':false,'"
                 "single_word':%s}]",
                 (data[0] & 2) != 0 ? "true" : "false", (data[0] & 8) != 0 ? "true" : "false",
                 (data[0] & 16) != 0 ? "true" : "false", (data[0] & 32) != 0 ? "true" : "false");
        put(&json, added);
    }
    put(&json, "}");
    char spec[] = "fuzz";
    bipe_tokenizer t = {.spec = spec, .special = data[0] & 1, .bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
    bipe_error err = {0};
    int status = bipe_tokenizer_json_read(&t, json.data, json.size, &err);
    bipe_buffer_free(&json);
    if (status == BIPE_ERR_UNSUPPORTED)
        return 0;
    need(status);
    if (t.kind == &bipe_pipeline_kind) {
        bipe_tokens whole = {0}, units = {0}, pieces = {0};
        bipe_pipeline *p = t.model;
        const uint8_t *text = data + 8;
        size_t text_size = size - 8;
        bipe_safe_pairs *safe = p->safe;
        p->safe = NULL;
        int ran = token_run(&t, text, text_size, text_size + 1, &whole);
        p->safe = safe;
        if (token_run(&t, text, text_size, text_size + 1, &units) != ran)
            abort();
        if (ran == BIPE_OK &&
            (whole.count != units.count ||
             (whole.count != 0 && memcmp(whole.token, units.token, whole.count * sizeof *whole.token) != 0)))
            abort();
        p->chunk = 1;
        if ((data[0] & 8) != 0)
            p->safe->units = false;
        if (ran == BIPE_OK && token_run(&t, text, text_size, 1 + (data[0] >> 6), &pieces) == BIPE_OK) {
            token_check(&t, &whole, text_size);
            if (whole.count != pieces.count ||
                (whole.count != 0 && memcmp(whole.token, pieces.token, whole.count * sizeof *whole.token) != 0))
                abort();
        }
        p->safe = safe;
        bipe_tokens_free(&whole);
        bipe_tokens_free(&units);
        bipe_tokens_free(&pieces);
    }
    bipe_tokenizer_clear(&t);
    return 0;
}
