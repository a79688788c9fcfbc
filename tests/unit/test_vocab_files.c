/* test_vocab_files.c - folders of Hugging Face's older tokenizers: lists of strings, and what their class does. The ids
 * are those that the classes' rules give by hand; that the steps are the library's was seen on published folders that
 * have a tokenizer.json as well. */
#include <config.h>

#include "tests/scratch.h"
#include "tests/tokenizers.h"

/* What a folder holds; NULL: not there. */
typedef struct folder {
    const char *file[BIPE_VOCAB_FILES];
} folder;

#define WORDS "[PAD]\n[UNK]\r\n[CLS]\n[SEP]\n[MASK]\nthe\n##re\nhello\nThe\n,\nth\303\251\n\344\270\255\nthe"
#define BERT "{\"tokenizer_class\":\"BertTokenizer\",\"model_max_length\":1000000000000000019884624838656"

static const folder bert = {.file = {[BIPE_VOCAB_TXT] = WORDS, [BIPE_TOKENIZER_CONFIG] = BERT "}"}};

/* e: U+00E9 is two letters; Ġ is a space, Ċ a newline. */
#define BYTES \
    "{\"<s>\":0,\"<pad>\":1,\"</" \
    "s>\":2,\"<unk>\":3,\"h\":4,\"e\":5,\"l\":6,\"p\":7,\"\304\240\":8,\"he\":9,\"hel\":10,\"help\":11,\"\304\240h\":" \
    "12," \
    "\"<mask>\":13,\"\\u00c3\":14,\"\302\251\":15,\"<\":16,\">\":17,\"s\":18,\"\304\212\":19,\"\\\"\":20}\n"
#define MERGES "#version: 0.2\nh e\nhe l\r\nh e\nhel p\n\304\240 h\np p"

static const folder gpt = {
    .file = {[BIPE_VOCAB_JSON] = BYTES, [BIPE_MERGES_TXT] = MERGES, [BIPE_MODEL_CONFIG] = "{\"model_type\":\"opt\"}"}};

static bipe_vocab_file copy_of(const char *text)
{
    return (bipe_vocab_file){.bytes = text != NULL ? exact_copy((const uint8_t *)text, strlen(text)) : NULL,
                             .size = text != NULL ? strlen(text) : 0};
}

static int read_lists(bipe_tokenizer *t, const folder *f, bool special, bipe_error *err)
{
    bipe_vocab_file file[BIPE_VOCAB_FILES];
    *t = no_tokenizer(special);
    for (size_t i = 0; i < BIPE_VOCAB_FILES; i++)
        file[i] = copy_of(f->file[i]);
    int status = bipe_vocab_files_read(t, file, err);
    for (size_t i = 0; i < BIPE_VOCAB_FILES; i++)
        free(file[i].bytes);
    return status;
}

/* The folder with another text in one place. */
static folder with(folder f, bipe_vocab_file_kind kind, const char *text)
{
    f.file[kind] = text;
    return f;
}

static void check_ids(const folder *f, bool special, const char *text, const char *want)
{
    bipe_tokenizer t;
    bipe_error err = {0};
    bipe_tokens tokens = {0};
    bipe_buffer got = {0};
    CHECKF(read_lists(&t, f, special, &err) == BIPE_OK, "%s", err.text);
    if (t.kind == NULL)
        return;
    CHECKF(tokens_of(&t, text, strlen(text), 3, NULL, &tokens, &err) == BIPE_OK, "%s", err.text);
    for (size_t i = 0; i < tokens.count; i++)
        CHECK(bipe_buffer_printf(&got, &err, "%s%u", i != 0 ? " " : "", (unsigned)tokens.token[i].id) == BIPE_OK);
    CHECK(bipe_buffer_append(&got, "", 1, &err) == BIPE_OK);
    CHECKF(strcmp((const char *)got.data, want) == 0, "\"%s\": got %s, want %s", text, (const char *)got.data, want);
    bipe_buffer_free(&got);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_clear(&t);
}

static void test_words(void)
{
    const char *text = "Hello there, The th\303\251\344\270\255 [MASK]";
    /* Of two equal lines the last counts: `the` is 12. Brackets are punctuation. */
    check_ids(&bert, false, text, "7 12 6 9 12 12 11 1 1 1");
    check_ids(&bert, true, text, "7 12 6 9 12 12 11 4");
    folder f = with(bert, BIPE_TOKENIZER_CONFIG, BERT ",\"do_lower_case\":false}");
    check_ids(&f, false, text, "1 12 6 9 8 10 11 1 1 1");
    f = with(bert, BIPE_TOKENIZER_CONFIG, BERT ",\"strip_accents\":false}");
    check_ids(&f, false, text, "7 12 6 9 12 10 11 1 1 1");
    f = with(bert, BIPE_TOKENIZER_CONFIG, BERT ",\"tokenize_chinese_chars\":false}");
    check_ids(&f, false, text, "7 12 6 9 12 1 1 1 1");
    f = with(bert, BIPE_TOKENIZER_CONFIG, BERT ",\"unk_token\":\",\"}");
    check_ids(&f, false, "zz", "9");
    /* Without a class the type of the model says it; the class of the tokenizer goes before it. */
    f = with(with(bert, BIPE_TOKENIZER_CONFIG, NULL), BIPE_MODEL_CONFIG, "{\"model_type\":\"distilbert\"}");
    check_ids(&f, false, "The", "12");
    f = with(bert, BIPE_MODEL_CONFIG, "{\"model_type\":\"gpt2\"}");
    check_ids(&f, false, "The", "12");
    f = with(with(bert, BIPE_TOKENIZER_CONFIG, "{}"), BIPE_MODEL_CONFIG,
             "{\"tokenizer_class\":\"ElectraTokenizerFast\"}");
    check_ids(&f, false, "The", "12");
}

static void test_letters(void)
{
    const char *text = "help hehelpp<s>\n\303\251";
    /* Not merged: p p, in the last line, which has no end. */
    check_ids(&gpt, false, text, "11 8 9 11 7 16 18 17 19 14 15");
    folder f = with(gpt, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"GPT2Tokenizer\",\"add_prefix_space\":true}");
    check_ids(&f, false, "he", "8 9");
    check_ids(&f, false, "hh h", "12 4 12");
    f = with(gpt, BIPE_TOKENIZER_CONFIG,
             "{\"unk_token\":\"<unk>\",\"bos_token\":{\"content\":\"<s>\",\"lstrip\":true},\"eos_token\":\"</s>\"}");
    check_ids(&f, true, "he <s>he", "9 0 9");
    /* Added tokens that are not special are found anyway. */
    f = with(with(gpt, BIPE_ADDED_TOKENS, "{\"hep\":21,\"<x>\":22}"), BIPE_SPECIAL_TOKENS,
             "{\"additional_special_tokens\":[\"<x>\"]}");
    check_ids(&f, false, "hhep<", "4 21 16");
    f = with(f, BIPE_TOKENIZER_CONFIG, "{\"unk_token\":\"<s>\",\"bos_token\":\"<s>\",\"eos_token\":\"<s>\"}");
    check_ids(&f, true, "hhep<x>", "4 21 22");
    f = with(gpt, BIPE_TOKENIZER_CONFIG,
             "{\"added_tokens_decoder\":{\"22\":{\"content\":\"<x>\",\"special\":true,\"rstrip\":true},\"21\":{"
             "\"content\":\"hep\"}},"
             "\"unk_token\":\"<s>\",\"bos_token\":\"<s>\",\"eos_token\":\"<s>\"}");
    check_ids(&f, true, "hhep<x> he<s>", "4 21 22 9 0");
    /* A mask takes the white space in front of it. */
    f = with(gpt, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"RobertaTokenizer\"}");
    check_ids(&f, true, "he <mask>he", "9 13 9");
    check_ids(&f, false, "\"<s>", "20 16 18 17");
}

/* Qwen's: composed first; what stands before a word may be more than a space; and the last line counts as well. */
static void test_qwen(void)
{
    static const char *const models[] = {"{\"model_type\":\"qwen2\"}", "{\"tokenizer_class\":\"Qwen2Tokenizer\"}",
                                         "{\"model_type\":\"phi\"}"};
    static const char merges[] = "#version: 0.2\nh e\n> he\n\304\240 h";
    static const char vocab[] = "{\"<|endoftext|>\":0,\"h\":1,\"e\":2,\"he\":3,\">\":4,\">he\":5,\"\304\240\":6,"
                                "\"\304\240h\":7,\"\\u00c3\":8,\"\302\251\":9,"
                                "\"\\u00cc\":10,\"\\u0123\":11,\"|\":12}";
    for (size_t i = 0; i < 3; i++) {
        folder f = with(with(with(gpt, BIPE_VOCAB_JSON, vocab), BIPE_MERGES_TXT, merges), BIPE_MODEL_CONFIG, models[i]);
        check_ids(&f, false, "he>he h e\314\201", i < 2 ? "3 5 7 6 8 9" : "3 4 3 6 1 6 2 10 11");
    }
}

static void test_sides(void)
{
    bipe_tokenizer t;
    bipe_error err = {0};
    CHECKF(read_lists(&t, &bert, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(t.bos == 2 && t.eos == 3);
    bipe_tokenizer_clear(&t);
    folder f = with(gpt, BIPE_MODEL_CONFIG, "{\"model_type\":\"bart\"}");
    CHECKF(read_lists(&t, &f, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(t.bos == 0 && t.eos == 2);
    bipe_tokenizer_clear(&t);
    /* MPNet's words stand between others than BERT's; DeBERTa's letters between BERT's. */
    f = with(with(bert, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"MPNetTokenizer\"}"), BIPE_VOCAB_TXT,
             "<s>\n<pad>\n</s>\n[UNK]\n<mask>\na\n");
    CHECKF(read_lists(&t, &f, true, &err) == BIPE_OK, "%s", err.text);
    CHECK(t.bos == 0 && t.eos == 2);
    bipe_tokenizer_clear(&t);
    check_ids(&f, true, "A <mask> \303\251", "5 4 3");
    static const char vocab[] =
        "{\"[CLS]\":0,\"[PAD]\":1,\"[SEP]\":2,\"[UNK]\":3,\"[MASK]\":4,\"h\":5,\"e\":6,\"he\":7,\"\304\240\":8}";
    f = with(with(with(gpt, BIPE_VOCAB_JSON, vocab), BIPE_MERGES_TXT, "#version: 0.2\nh e\n"), BIPE_MODEL_CONFIG,
             "{\"model_type\":\"deberta\"}");
    CHECKF(read_lists(&t, &f, true, &err) == BIPE_OK, "%s", err.text);
    CHECK(t.bos == 0 && t.eos == 2);
    bipe_tokenizer_clear(&t);
    check_ids(&f, true, "he h [MASK]", "7 8 5 4");
    CHECKF(read_lists(&t, &gpt, false, &err) == BIPE_OK, "%s", err.text);
    CHECK(t.bos == BIPE_NO_TOKEN && t.eos == BIPE_NO_TOKEN);
    bipe_tokenizer_clear(&t);
}

static void test_refused(void)
{
    const struct {
        folder folder;
        bool special;
        int status;
        const char *text;
    } cases[] = {
        {with(bert, BIPE_TOKENIZER_CONFIG, NULL), false, BIPE_ERR_UNSUPPORTED,
         "lists of strings do not say how a text is split: expected a tokenizer.json, or \"tokenizer_class\" in "
         "tokenizer_config.json"},
        {with(bert, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"HerbertTokenizer\"}"), false, BIPE_ERR_UNSUPPORTED,
         "tokenizer_class \"HerbertTokenizer\" is not known, expected a tokenizer.json"},
        {with(bert, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"BertTokenizers\"}"), false, BIPE_ERR_UNSUPPORTED,
         "tokenizer_class \"BertTokenizers\" is not known, expected a tokenizer.json"},
        {with(gpt, BIPE_MODEL_CONFIG, "{\"model_type\":\"clip\"}"), false, BIPE_ERR_UNSUPPORTED,
         "model_type \"clip\" is not known, expected a tokenizer.json"},
        {with(gpt, BIPE_MODEL_CONFIG, "{\"model_type\":\"t5\"}"), false, BIPE_ERR_FORMAT,
         "T5Tokenizer: expected a SentencePiece model"},
        {with(gpt, BIPE_MODEL_CONFIG, "{\"model_type\":\"bert\"}"), false, BIPE_ERR_FORMAT,
         "BertTokenizer: expected vocab.txt"},
        {with(gpt, BIPE_MERGES_TXT, NULL), false, BIPE_ERR_FORMAT, "GPT2Tokenizer: expected vocab.json and merges.txt"},
        {with(bert, BIPE_TOKENIZER_CONFIG, BERT ",\"do_basic_tokenize\":false}"), false, BIPE_ERR_UNSUPPORTED,
         "tokenizer_config.json: do_basic_tokenize: false"},
        {with(bert, BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":"), false, BIPE_ERR_FORMAT, NULL},
        {with(bert, BIPE_ADDED_TOKENS, "[]"), false, BIPE_ERR_FORMAT, "added_tokens.json: expected a JSON object"},
        {with(bert, BIPE_VOCAB_TXT, "[CLS]\n[SEP]\n\377x\n"), false, BIPE_ERR_FORMAT, "vocab.txt: line 3: not UTF-8"},
        {with(bert, BIPE_VOCAB_TXT, "[UNK]\n[CLS]\na\n"), false, BIPE_ERR_FORMAT,
         "the vocabulary lacks \"[SEP]\", which stands after a text"},
        {with(bert, BIPE_VOCAB_TXT, "[UNK]\n[CLS]\n[SEP]\n"), true, BIPE_ERR_UNSUPPORTED,
         "the special token \"[PAD]\" has no id, expected one in the vocabulary or in added_tokens.json"},
        {with(gpt, BIPE_VOCAB_JSON, "{\"a\":0},\"merges\":[]"), false, BIPE_ERR_FORMAT,
         "vocab.json: line 1, column 8: expected the end of the file"},

        {with(gpt, BIPE_VOCAB_JSON, "[]"), false, BIPE_ERR_FORMAT,
         "vocab.json: line 1, column 1: expected a JSON object"},
        {with(gpt, BIPE_VOCAB_JSON, "{\"a\":0"), false, BIPE_ERR_FORMAT,
         "vocab.json: line 1, column 7: expected ',' or '}'"},
        {with(gpt, BIPE_MERGES_TXT, "h e\nhe l\n"), false, BIPE_ERR_FORMAT,
         "merges.txt: line 1: expected \"#version\", since the library takes no merge from this line"},
        {with(gpt, BIPE_MERGES_TXT, "#version\nh e\nhe l p\n"), false, BIPE_ERR_FORMAT,
         "merges.txt: line 3: expected two strings with a space between them"},

        {with(gpt, BIPE_MERGES_TXT, "#version\n\nhe l\n"), false, BIPE_ERR_FORMAT,
         "merges.txt: line 2: expected two strings with a space between them"},
        {with(gpt, BIPE_MERGES_TXT, "#version\nh\302\240e l\n"), false, BIPE_ERR_FORMAT,
         "merges.txt: line 2: expected two strings with a space between them"},
        {with(gpt, BIPE_ADDED_TOKENS, "{\"x\":-1}"), false, BIPE_ERR_FORMAT,
         "added_tokens.json: \"x\": expected an id"},
        {with(gpt, BIPE_TOKENIZER_CONFIG, "{\"added_tokens_decoder\":{\"1x\":{\"content\":\"a\"}}}"), false,
         BIPE_ERR_FORMAT, "tokenizer_config.json: added_tokens_decoder: \"1x\": expected an id and a token"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        CHECKF(read_lists(&t, &cases[i].folder, cases[i].special, &err) == cases[i].status, "%zu: %s", i, err.text);
        if (cases[i].text != NULL)
            CHECK_TEXT(err.text, cases[i].text);
        bipe_tokenizer_clear(&t);
    }
}

/* Each file cut short, or with a bit turned over: a tokenizer or an error. */
static void test_damaged(void)
{
    const folder whole[] = {
        with(with(bert, BIPE_ADDED_TOKENS, "{\"x y\":13}"), BIPE_SPECIAL_TOKENS,
             "{\"cls_token\":{\"content\":\"[CLS]\",\"lstrip\":true}}"),
        with(gpt, BIPE_TOKENIZER_CONFIG,
             "{\"tokenizer_class\":\"LEDTokenizer\",\"added_tokens_decoder\":{\"21\":{\"content\":\"hep\"}}}"),
    };
    uint64_t random = 5;
    for (long round = 0; round < test_rounds(3000); round++) {
        folder f = whole[test_random(&random) % 2];
        size_t i = test_random(&random) % BIPE_VOCAB_FILES;
        if (f.file[i] == NULL)
            continue;
        size_t size = strlen(f.file[i]);
        char *bytes = (char *)exact_copy((const uint8_t *)f.file[i], size + 1);
        if (test_random(&random) % 4 == 0)
            bytes[test_random(&random) % size] = '\0';
        else
            bytes[test_random(&random) % size] ^= (char)(1 << test_random(&random) % 7);
        f.file[i] = bytes;
        bipe_tokenizer t;
        bipe_error err = {0};
        int status = read_lists(&t, &f, test_random(&random) % 2 != 0, &err);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_FORMAT || status == BIPE_ERR_UNSUPPORTED, "%d: %s", status,
               err.text);
        CHECK((status == BIPE_OK) == (t.kind != NULL) && (status == BIPE_OK) == (err.text[0] == '\0'));
        bipe_tokenizer_clear(&t);
        free(bytes);
    }
}

static void test_memory(void)
{
    const folder *const each[] = {&bert, &gpt};
    for (size_t i = 0; i < 2; i++) {
        int status = BIPE_ERR_MEMORY;
        long n = 0, well = 0;
        for (; well < 20 && n < 10000; n++) {
            bipe_tokenizer t;
            bipe_error err = {0};
            bipe_vocab_file file[BIPE_VOCAB_FILES];
            for (size_t k = 0; k < BIPE_VOCAB_FILES; k++)
                file[k] = copy_of(each[i]->file[k]);
            t = no_tokenizer(false);
            bipe_alloc_fail_at(n);
            status = bipe_vocab_files_read(&t, file, &err);
            bipe_alloc_fail_at(-1);
            CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%s", err.text);
            well = status == BIPE_OK ? well + 1 : 0;
            bipe_tokenizer_clear(&t);
            for (size_t k = 0; k < BIPE_VOCAB_FILES; k++)
                free(file[k].bytes);
        }
        CHECK(status == BIPE_OK && n > 30);
    }
}

/* On disk: by the folder, or by the path of a list in it; a tokenizer.json goes first, but not where a list is
 * named. */
static void test_folder(void)
{
    char path[700], list[700];
    const char *root = scratch_path("lists");
    CHECK(mkdir(root, 0777) == 0);
    for (size_t i = 0; i < BIPE_VOCAB_FILES; i++)
        if (bert.file[i] != NULL) {
            snprintf(path, sizeof path, "lists/%s", bipe_vocab_file_names[i]);
            scratch_write(path, bert.file[i], strlen(bert.file[i]));
        }
    snprintf(list, sizeof list, "%s/vocab.txt", root);
    const char *const specs[] = {root, list};
    for (size_t i = 0; i < 2; i++) {
        bipe_tokenizer *t = must_open(specs[i], false);
        CHECK_UINT(bipe_tokenizer_size(t), 13);
        CHECK(bipe_tokenizer_bos(t) == 2);
        CHECK_TEXT(bipe_tokenizer_spec(t), specs[i]);
        bipe_tokenizer_close(t);
    }
    static const char json[] = "{\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"a\":0},\"unk_token\":\"a\"}}";
    scratch_write("lists/tokenizer.json", json, sizeof json - 1);
    for (size_t i = 0; i < 2; i++) {
        bipe_tokenizer *t = must_open(specs[i], false);
        CHECK_UINT(bipe_tokenizer_size(t), i == 0 ? 1 : 13);
        bipe_tokenizer_close(t);
    }
    /* A tokenizer.json that is called vocab.json, with no merges.txt beside it. */
    scratch_write("lists/vocab.json", json, sizeof json - 1);
    snprintf(path, sizeof path, "%s/vocab.json", root);
    bipe_tokenizer *t = must_open(path, false);
    CHECK_UINT(bipe_tokenizer_size(t), 1);
    bipe_tokenizer_close(t);
    bipe_error err = {0};
    char want[800];
    scratch_write("lists/tokenizer_config.json", "{}", 2);
    CHECK(bipe_tokenizer_open(&t, list, false, &err) == BIPE_ERR_UNSUPPORTED);
    snprintf(want, sizeof want, "%s: lists of strings do not say", root);
    CHECKF(strncmp(err.text, want, strlen(want)) == 0, "%s", err.text);
}

/* A SentencePiece model under the name that some classes have for it, by the class beside it; by its path it is just
 * itself. */
static void test_pieces(void)
{
    /* Two pieces: <unk>, and U+2581 with an a, each with its score; the type, Unigram; and an empty normalizer. */
    static const char model[] =
        "\n\016\n\005<unk>\025\0\0\0\0\030\002\n\013\n\004\342\226\201a\025\0\0\0\0\022\002\030\001\032\0";
    static const char *const names[] = {"spiece.model", "spm.model", "sentencepiece.bpe.model"};
    static const struct {
        bipe_vocab_file_kind file;
        const char *config, *refused; /* refused: what the error ends with; NULL: it is read */
    } cases[] = {
        {BIPE_TOKENIZER_CONFIG, "{}", NULL},
        {BIPE_MODEL_CONFIG, "{\"model_type\":\"mt5\"}", NULL},
        {BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"DebertaV2TokenizerFast\",\"do_lower_case\":false}", NULL},
        {BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"DebertaV2Tokenizer\",\"do_lower_case\":true}",
         ": tokenizer_config.json: do_lower_case: true"},
        {BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"DebertaV2Tokenizer\",\"split_by_punct\":true}",
         ": tokenizer_config.json: split_by_punct: true"},
        {BIPE_MODEL_CONFIG, "{\"model_type\":\"xlm-roberta\"}",
         ": model_type \"xlm-roberta\" is not known to keep the ids of its SentencePiece model, "
         "expected a tokenizer.json, or the model's own path for its own ids"},
        {BIPE_TOKENIZER_CONFIG, "{\"tokenizer_class\":\"BertTokenizer\"}",
         ": tokenizer_class \"BertTokenizer\" is not known to keep the ids of its "
         "SentencePiece model, expected a tokenizer.json, or the model's own path for its own ids"},
    };
    char root[300], path[700], want[900];
    snprintf(root, sizeof root, "%s", scratch_path("pieces"));
    CHECK(mkdir(root, 0777) == 0);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        snprintf(path, sizeof path, "pieces/%s", names[n]);
        scratch_write(path, model, sizeof model - 1);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            snprintf(path, sizeof path, "pieces/%s", bipe_vocab_file_names[cases[i].file]);
            scratch_write(path, cases[i].config, strlen(cases[i].config));
            bipe_tokenizer *t;
            bipe_error err = {0};
            int status = bipe_tokenizer_open(&t, root, false, &err);
            CHECKF(status == (cases[i].refused == NULL ? BIPE_OK : BIPE_ERR_UNSUPPORTED), "%zu: %s", i, err.text);
            if (status == BIPE_OK)
                CHECK_UINT(bipe_tokenizer_size(t), 2);
            else {
                snprintf(want, sizeof want, "%s%s", root, cases[i].refused);
                CHECK_TEXT(err.text, want);
            }
            bipe_tokenizer_close(t);
            snprintf(path, sizeof path, "%s/%s", root, names[n]);
            t = must_open(path, false);
            CHECK_UINT(bipe_tokenizer_size(t), 2);
            bipe_tokenizer_close(t);
            snprintf(path, sizeof path, "%s/%s", root, bipe_vocab_file_names[cases[i].file]);
            CHECK(unlink(path) == 0);
        }
        snprintf(path, sizeof path, "%s/%s", root, names[n]);
        CHECK(unlink(path) == 0);
    }
}

int main(void)
{
    test_words();
    test_letters();
    test_qwen();
    test_pieces();
    test_sides();
    test_refused();
    test_damaged();
    test_memory();
    test_folder();
    return test_result();
}
