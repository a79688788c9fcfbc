/* vocab_files.c - folders of Hugging Face's older tokenizers, which hold lists of strings and no tokenizer.json:
 * vocab.txt (WordPiece), or vocab.json and merges.txt (byte-level BPE). The steps before follow from the class of the
 * tokenizer, which tokenizer_config.json or config.json names. The library (transformers, convert_slow_tokenizer) makes
 * a tokenizer.json of them when it opens them; so does this file. Classes that are not in the table are refused by
 * name, also those that give other ids than the SentencePiece model in their folder. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/description.h"
#include "token/kind.h"
#include "token/pretoken/pretoken_patterns.h"

const char *const bipe_vocab_file_names[BIPE_VOCAB_FILES] = {
    [BIPE_VOCAB_TXT] = "vocab.txt", [BIPE_VOCAB_JSON] = "vocab.json", [BIPE_MERGES_TXT] = "merges.txt",
    [BIPE_TOKENIZER_CONFIG] = "tokenizer_config.json", [BIPE_MODEL_CONFIG] = "config.json",
    [BIPE_ADDED_TOKENS] = "added_tokens.json",
    [BIPE_SPECIAL_TOKENS] = "special_tokens_map.json"};

/* ---- classes ---- */

/* The tokens that a class calls special when no file names others. */
typedef struct special_names {
    const char *bos, *eos, *unk, *sep, *pad, *cls, *mask;
    bool mask_left; /* the mask takes the white space in front of it */
} special_names;

static const special_names words_names = {
    .unk = "[UNK]", .sep = "[SEP]", .pad = "[PAD]", .cls = "[CLS]", .mask = "[MASK]"};
static const special_names gpt_names = {.bos = "<|endoftext|>", .eos = "<|endoftext|>", .unk = "<|endoftext|>"};
static const special_names qwen_names = {.eos = "<|endoftext|>", .unk = "<|endoftext|>", .pad = "<|endoftext|>"};
static const special_names bart_names = {.bos = "<s>", .eos = "</s>", .unk = "<unk>", .sep = "</s>", .pad = "<pad>",
                                         .cls = "<s>", .mask = "<mask>", .mask_left = true};
static const special_names deberta_names = {.bos = "[CLS]", .eos = "[SEP]", .unk = "[UNK]", .sep = "[SEP]",
                                            .pad = "[PAD]", .cls = "[CLS]", .mask = "[MASK]", .mask_left = true};
static const special_names mpnet_names = {.bos = "<s>", .eos = "</s>", .unk = "[UNK]", .sep = "</s>", .pad = "<pad>",
                                          .cls = "<s>", .mask = "<mask>", .mask_left = true};

/* The steps and special tokens of a class. */
typedef enum class_kind {
    OF_WORDS,  /* WordPiece after a BertNormalizer */
    OF_BYTES,  /* byte-level BPE after GPT-2's pattern */
    OF_QWEN,   /* byte-level BPE after NFC and a pattern of its own; merges.txt may end without a newline */
    OF_PIECES, /* a SentencePiece model, whose ids it keeps */
} class_kind;

/* With `cls` and `sep` among its names they stand around a text. */
typedef struct tokenizer_class {
    const char *name;  /* without "Tokenizer" or "TokenizerFast" */
    const char *model; /* the model_type of a config.json that stands for it */
    const special_names *names;
    class_kind kind;
} tokenizer_class;

static const tokenizer_class classes[] = {
    {"Bert", "bert", &words_names, OF_WORDS},
    {"DistilBert", "distilbert", &words_names, OF_WORDS},
    {"Electra", "electra", &words_names, OF_WORDS},
    {"MobileBert", "mobilebert", &words_names, OF_WORDS},
    {"ConvBert", "convbert", &words_names, OF_WORDS},
    {"LayoutLM", "layoutlm", &words_names, OF_WORDS},
    {"Lxmert", "lxmert", &words_names, OF_WORDS},
    {"SqueezeBert", "squeezebert", &words_names, OF_WORDS},
    {"MPNet", "mpnet", &mpnet_names, OF_WORDS},
    {"GPT2", "gpt2", &gpt_names, OF_BYTES},
    {"GPT2", "opt", &gpt_names, OF_BYTES},
    {"GPT2", "gpt_neo", &gpt_names, OF_BYTES},
    {"GPT2", "gptj", &gpt_names, OF_BYTES},
    {"GPT2", "gpt_bigcode", &gpt_names, OF_BYTES},
    {"GPT2", "starcoder2", &gpt_names, OF_BYTES},
    {"CodeGen", "codegen", &gpt_names, OF_BYTES},
    {"CodeGen", "phi", &gpt_names, OF_BYTES},
    {"Roberta", "roberta", &bart_names, OF_BYTES},
    {"Bart", "bart", &bart_names, OF_BYTES},
    {"Longformer", "longformer", &bart_names, OF_BYTES},
    {"LED", "led", &bart_names, OF_BYTES},
    {"Mvp", "mvp", &bart_names, OF_BYTES},
    {"Deberta", "deberta", &deberta_names, OF_BYTES},
    {"Qwen2", "qwen2", &qwen_names, OF_QWEN},
    {"Qwen2", "qwen2_moe", &qwen_names, OF_QWEN},
    {"Qwen2", "qwen3", &qwen_names, OF_QWEN},
    {"Qwen2", "qwen3_moe", &qwen_names, OF_QWEN},
    {"T5", "t5", NULL, OF_PIECES},
    {"MT5", "mt5", NULL, OF_PIECES},
    {"T5", "umt5", NULL, OF_PIECES},
    {"DebertaV2", "deberta-v2", NULL, OF_PIECES},
    {"BigBird", "big_bird", NULL, OF_PIECES},
    {"Reformer", "reformer", NULL, OF_PIECES},
    {"BertGeneration", "bert-generation", NULL, OF_PIECES},
};

/* A token that is called special; flags: an object that has its flags, or anything else. */
typedef struct special_token {
    const char *content;
    const json_t *flags;
    bool left;
} special_token;

/* The state while the files of a folder are read. */
typedef struct reading {
    const bipe_vocab_file *file;
    bool special;                  /* special tokens are found in text */
    json_t *tokenizer, *model, *added, *specials; /* the small files; NULL: not there */
    const tokenizer_class *class;
    special_token *named;          /* [names] */
    size_t names;
    json_t *list;                  /* what becomes "added_tokens" */
    bipe_vocabulary specials_of;   /* the strings of `named`, */
    bipe_vocabulary listed;        /* and of `list` */
    bipe_description d;
} reading;

static int load_config(const reading *r, bipe_vocab_file_kind kind, json_t **config, bipe_error *err)
{
    json_error_t error;
    const bipe_vocab_file *f = &r->file[kind];
    if (f->bytes == NULL)
        return BIPE_OK;
    /* Of the configurations no integer is wanted; those that are there may be too large for one. */
    *config =
        json_loadb((const char *)f->bytes, f->size, kind == BIPE_ADDED_TOKENS ? 0 : JSON_DECODE_INT_AS_REAL, &error);
    if (*config == NULL && json_error_code(&error) == json_error_out_of_memory)
        return bipe_fail_memory(err);
    if (*config == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %d, column %d: %s", bipe_vocab_file_names[kind], error.line,
                         error.column, error.text);
    return json_is_object(*config)
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected a JSON object", bipe_vocab_file_names[kind]);
}

/* "BertTokenizerFast" is the class "Bert". */
static bool is_class(const tokenizer_class *c, const char *name)
{
    size_t size = strlen(c->name);
    return strncmp(name, c->name, size) == 0 &&
           (strcmp(name + size, "Tokenizer") == 0 || strcmp(name + size, "TokenizerFast") == 0);
}

/* The class that the configurations name, and what they call it by: *key is NULL where none is named. */
static void find_class(reading *r, const char **key, const char **name)
{
    const char *model = json_string_value(json_object_get(r->model, "model_type"));
    *name = json_string_value(json_object_get(r->tokenizer, "tokenizer_class"));
    if (*name == NULL)
        *name = json_string_value(json_object_get(r->model, "tokenizer_class"));
    *key = *name != NULL ? "tokenizer_class" : model != NULL ? "model_type" : NULL;
    for (size_t i = 0; r->class == NULL && i < sizeof classes / sizeof *classes; i++)
        if (*name != NULL ? is_class(&classes[i], *name) : model != NULL && strcmp(classes[i].model, model) == 0)
            r->class = &classes[i];
    if (*name == NULL)
        *name = model;
}

/* That of lists, which are there. */
static int find_list_class(reading *r, bipe_error *err)
{
    const char *key, *name;
    find_class(r, &key, &name);
    if (key == NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "lists of strings do not say how a text is split: expected a tokenizer.json, or "
                         "\"tokenizer_class\" in tokenizer_config.json");
    if (r->class == NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s \"%.60s\" is not known, expected a tokenizer.json", key, name);
    if (r->class->kind == OF_PIECES)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%sTokenizer: expected a SentencePiece model", r->class->name);
    bool words = r->class->kind == OF_WORDS;
    bool there = words ? r->file[BIPE_VOCAB_TXT].bytes != NULL
                       : r->file[BIPE_VOCAB_JSON].bytes != NULL && r->file[BIPE_MERGES_TXT].bytes != NULL;
    if (there)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_FORMAT, "%sTokenizer: expected %s", r->class->name,
                     words ? "vocab.txt" : "vocab.json and merges.txt");
}

/* ---- lists of lines ---- */

/* As text is read where any kind of newline ends a line. */
typedef struct lines {
    const char *name; /* of the file */
    const uint8_t *at, *end;
    size_t number; /* of the line that was read last, from 1 */
    bool ended;    /* by a newline */
} lines;

static lines lines_of(const reading *r, bipe_vocab_file_kind kind)
{
    const bipe_vocab_file *f = &r->file[kind];
    return (lines){.name = bipe_vocab_file_names[kind], .at = f->bytes, .end = f->bytes + f->size};
}

/* BIPE_END: there is none. */
static int next_vocab_line(lines *l, const uint8_t **text, size_t *size, bipe_error *err)
{
    int32_t code;
    if (l->at == l->end)
        return BIPE_END;
    l->number++;
    *text = l->at;
    while (l->at < l->end && *l->at != '\n' && *l->at != '\r') {
        l->at += bipe_utf8_decode(l->at, (size_t)(l->end - l->at), &code);
        if (code < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %zu: not UTF-8", l->name, l->number);
    }
    *size = (size_t)(l->at - *text);
    l->ended = l->at < l->end;
    if (*size > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%s: line %zu: %zu bytes, expected at most %d", l->name, l->number, *size,
                         BIPE_PIECE_LIMIT);
    if (l->ended)
        l->at += *l->at == '\r' && l->end - l->at > 1 && l->at[1] == '\n' ? 2 : 1;
    return BIPE_OK;
}

/* Appends a string that is found from now on; of two equal ones the first. */
static int remember_string(bipe_vocabulary *strings, const void *text, size_t size, bipe_error *err)
{
    int status = bipe_vocabulary_append(strings, text, size, err);
    if (status == BIPE_OK && size != 0 && bipe_vocabulary_index(strings, (uint32_t)strings->count - 1) == BIPE_NO_PIECE)
        status = bipe_fail_memory(err);
    return status;
}

/* The vocabulary of vocab.txt: the number of a line is the id; of two equal ones the last counts. */
static int read_words(reading *r, bipe_error *err)
{
    lines l = lines_of(r, BIPE_VOCAB_TXT);
    bipe_vocabulary seen = {0};
    const uint8_t *text;
    size_t size;
    int status;
    r->d.vocab = BIPE_VOCAB_IDS;
    while ((status = next_vocab_line(&l, &text, &size, err)) == BIPE_OK) {
        if (size != 0 && bipe_vocabulary_find(&seen, text, size) != BIPE_NO_PIECE)
            bipe_description_remove(&r->d, (size_t)bipe_description_find(&r->d, text, size));
        status = bipe_description_add(&r->d, l.number - 1, text, size, err);
        if (status == BIPE_OK)
            status = remember_string(&seen, text, size, err);
        if (status != BIPE_OK)
            break;
    }
    bipe_vocabulary_free(&seen);
    return status == BIPE_END ? BIPE_OK : status;
}

/* Two strings with a space between them, and no other white space. */
static bool is_merge(const uint8_t *text, size_t size)
{
    size_t spaces = 0;
    bool other = size == 0 || text[0] == ' ' || text[size - 1] == ' ';
    for (size_t at = 0; !other && at < size;) {
        int32_t code;
        at += bipe_utf8_decode(text + at, size - at, &code);
        spaces += code == ' ';
        other = code != ' ' && (bipe_is_white_space(code) || (code >= 0x1C && code <= 0x1F));
    }
    return !other && spaces == 1;
}

/* The merges of merges.txt. The library passes over the first line, whatever it says, and (not Qwen's) over a last one
 * without a newline; of two equal ones the first counts. */
static int read_merges_file(reading *r, bipe_error *err)
{
    lines l = lines_of(r, BIPE_MERGES_TXT);
    bipe_vocabulary seen = {0};
    const uint8_t *text;
    size_t size;
    int status = next_vocab_line(&l, &text, &size, err);
    if (status == BIPE_OK && (size < 8 || memcmp(text, "#version", 8) != 0))
        status =
            bipe_fail(err, BIPE_ERR_FORMAT,
                      "merges.txt: line 1: expected \"#version\", since the library takes no merge from this line");
    r->d.has_merges = true;
    while (status == BIPE_OK && (status = next_vocab_line(&l, &text, &size, err)) == BIPE_OK &&
           (l.ended || r->class->kind == OF_QWEN)) {
        if (!is_merge(text, size))
            status = bipe_fail(err, BIPE_ERR_FORMAT,
                               "merges.txt: line %zu: expected two strings with a space between them", l.number);
        else if (bipe_vocabulary_find(&seen, text, size) != BIPE_NO_PIECE)
            continue;
        const uint8_t *space = status == BIPE_OK ? memchr(text, ' ', size) : NULL;
        if (space != NULL)
            status = bipe_description_add_merge(&r->d, text, (size_t)(space - text), space + 1,
                                                size - (size_t)(space - text) - 1, err);
        if (status == BIPE_OK)
            status = remember_string(&seen, text, size, err);
    }
    bipe_vocabulary_free(&seen);
    return status == BIPE_END ? BIPE_OK : status;
}

/* ---- special and added tokens ---- */

/* The text of a token that is a string or an object with "content"; NULL: there is none. */
static const char *content_of(const json_t *token)
{
    return json_string_value(json_is_object(token) ? json_object_get(token, "content") : token);
}

/* A special token as the files name it, or NULL. Where tokenizer_config.json lists what is added, the library does not
 * look further. */
static const json_t *named_token(const reading *r, const char *name)
{
    const json_t *token =
        json_object_get(r->tokenizer, "added_tokens_decoder") == NULL ? json_object_get(r->specials, name) : NULL;
    return content_of(token) != NULL ? token : json_object_get(r->tokenizer, name);
}

/* The text of one that the class has, too. */
static const char *special_text(const reading *r, const char *name, const char *otherwise)
{
    const char *text = content_of(named_token(r, name));
    return text != NULL ? text : otherwise;
}

static bool token_flag(const json_t *token, const char *name, bool otherwise)
{
    const json_t *value = json_object_get(token, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static int add_listed_token(reading *r, json_int_t id, const char *content, bool special, bool left,
                            const json_t *flags, bipe_error *err)
{
    json_t *token = json_pack("{s:I,s:s,s:b,s:b,s:b,s:b,s:b}", "id", id, "content", content, "single_word",
                              token_flag(flags, "single_word", false), "lstrip", token_flag(flags, "lstrip", left),
                              "rstrip", token_flag(flags, "rstrip", false), "normalized",
                              token_flag(flags, "normalized", !special), "special", special);
    return token != NULL && json_array_append_new(r->list, token) == 0
               ? remember_string(&r->listed, content, strlen(content), err)
               : bipe_fail_memory(err);
}

static json_int_t id_of(const reading *r, const char *content)
{
    int64_t id = bipe_description_find(&r->d, content, strlen(content));
    if (id != BIPE_NO_PIECE)
        return id;
    int64_t at = bipe_vocabulary_find(&r->listed, content, strlen(content));
    return at != BIPE_NO_PIECE ? json_integer_value(json_object_get(json_array_get(r->list, (size_t)at), "id")) : -1;
}

/* The special tokens: those that files name, else those of the class; and "additional_special_tokens". */
static int find_specials(reading *r, bipe_error *err)
{
    const special_names *n = r->class->names;
    const struct {
        const char *name, *otherwise;
        bool left;
    } one[] = {{"bos_token", n->bos, false}, {"eos_token", n->eos, false}, {"unk_token", n->unk, false},
               {"sep_token", n->sep, false},
               {"pad_token", n->pad, false}, {"cls_token", n->cls, false}, {"mask_token", n->mask, n->mask_left}};
    const size_t ones = sizeof one / sizeof *one;
    const json_t *more = json_object_get(r->specials, "additional_special_tokens");
    if (!json_is_array(more) || json_object_get(r->tokenizer, "added_tokens_decoder") != NULL)
        more = json_object_get(r->tokenizer, "additional_special_tokens");
    r->named = bipe_alloc(ones + json_array_size(more), sizeof *r->named);
    if (r->named == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < ones + json_array_size(more); i++) {
        const json_t *token = i < ones ? named_token(r, one[i].name) : json_array_get(more, i - ones);
        bool own = i < ones && content_of(token) == NULL;
        const char *content = own ? one[i].otherwise : content_of(token);
        if (content == NULL)
            continue;
        r->named[r->names++] = (special_token){.content = content, .flags = token, .left = own && one[i].left};
        int status = remember_string(&r->specials_of, content, strlen(content), err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static bool is_special(const reading *r, const char *content)
{
    return bipe_vocabulary_find(&r->specials_of, content, strlen(content)) != BIPE_NO_PIECE;
}

/* Those that are not listed already. One without an id would get the next one of the library's. */
static int add_specials(reading *r, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < r->names; i++) {
        const special_token *t = &r->named[i];
        json_int_t id = id_of(r, t->content);
        if (id >= 0 && bipe_vocabulary_find(&r->listed, t->content, strlen(t->content)) == BIPE_NO_PIECE)
            status = add_listed_token(r, id, t->content, true, t->left, t->flags, err);
        else if (id < 0 && r->special)
            status = bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                               "the special token \"%.60s\" has no id, expected one in the vocabulary or "
                               "in added_tokens.json",
                               t->content);
    }
    return status;
}

/* "added_tokens_decoder" of tokenizer_config.json: {"ID": {"content": ..., flags}}; or added_tokens.json: {"TEXT":
 * ID}. */
static int add_listed(reading *r, bipe_error *err)
{
    json_t *decoder = json_object_get(r->tokenizer, "added_tokens_decoder");
    const char *key;
    json_t *value;
    int status = BIPE_OK;
    json_object_foreach(decoder, key, value) {
        char *end;
        long id = strtol(key, &end, 10);
        const char *content = content_of(value);
        if (*key < '0' || *key > '9' || *end != '\0' || id >= BIPE_VOCABULARY_LIMIT || content == NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "tokenizer_config.json: added_tokens_decoder: \"%.60s\": expected an id and a token", key);
        if (status == BIPE_OK)
            status = add_listed_token(r, id, content, token_flag(value, "special", false) || is_special(r, content),
                                      false, value, err);
    }
    if (decoder != NULL)
        return status;
    json_object_foreach(r->added, key, value) {
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            json_integer_value(value) >= BIPE_VOCABULARY_LIMIT)
            return bipe_fail(err, BIPE_ERR_FORMAT, "added_tokens.json: \"%.60s\": expected an id", key);
        if (status == BIPE_OK)
            status = add_listed_token(r, json_integer_value(value), key, is_special(r, key), false, NULL, err);
    }
    return status;
}

/* ---- the whole ---- */

/* Everything but lists and added tokens. NULL: out of memory. */
static json_t *make_word_root(const reading *r)
{
    const json_t *strip = json_object_get(r->tokenizer, "strip_accents");
    return json_pack("{s:{s:s,s:b,s:b,s:o,s:b},s:{s:s},s:{s:s,s:s,s:i,s:s}}", "normalizer", "type", "BertNormalizer",
                     "clean_text", 1, "handle_chinese_chars", token_flag(r->tokenizer, "tokenize_chinese_chars", true),
                     "strip_accents", json_is_boolean(strip) ? json_boolean(json_is_true(strip)) : json_null(),
                     "lowercase", token_flag(r->tokenizer, "do_lower_case", true), "pre_tokenizer", "type",
                     "BertPreTokenizer", "model", "type", "WordPiece", "continuing_subword_prefix", "##",
                     "max_input_chars_per_word", 100, "unk_token", special_text(r, "unk_token", r->class->names->unk));
}

static json_t *make_byte_root(const reading *r)
{
    bool prefix = token_flag(r->tokenizer, "add_prefix_space", false);
    json_t *bytes = json_pack("{s:s,s:b,s:b}", "type", "ByteLevel", "add_prefix_space", prefix, "use_regex",
                              r->class->kind != OF_QWEN);
    json_t *steps = r->class->kind == OF_QWEN
                        ? json_pack("{s:s,s:[{s:s,s:{s:s},s:s,s:b},o]}", "type", "Sequence", "pretokenizers", "type",
                                    "Split", "pattern", "Regex", BIPE_PATTERN_QWEN2, "behavior", "Isolated", "invert",
                                    0, bytes)
                        : bytes;
    return json_pack("{s:o,s:o,s:{s:s}}", "normalizer",
                     r->class->kind == OF_QWEN ? json_pack("{s:s}", "type", "NFC") : json_null(), "pre_tokenizer",
                     steps, "model", "type", "BPE");
}

static int read_word_files(reading *r, bipe_error *err)
{
    if (json_is_false(json_object_get(r->tokenizer, "do_basic_tokenize")))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "tokenizer_config.json: do_basic_tokenize: false");
    r->d.root = make_word_root(r);
    return read_words(r, err);
}

static int read_byte_files(reading *r, bipe_error *err)
{
    const bipe_vocab_file *f = &r->file[BIPE_VOCAB_JSON];
    r->d.root = make_byte_root(r);
    int status = bipe_description_load_vocab(&r->d, f->bytes, f->size, err);
    return status == BIPE_OK ? read_merges_file(r, err) : bipe_error_prefix(err, "vocab.json");
}

/* The class's `cls` and `sep` are put around a text. */
static int add_processor(reading *r, bipe_error *err)
{
    if (r->class->names->cls == NULL)
        return BIPE_OK;
    const char *side[2] = {special_text(r, "cls_token", r->class->names->cls),
                           special_text(r, "sep_token", r->class->names->sep)};
    json_int_t id[2];
    for (size_t i = 0; i < 2; i++)
        if ((id[i] = id_of(r, side[i])) < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "the vocabulary lacks \"%.60s\", which stands %s a text", side[i],
                             i == 0 ? "before" : "after");
    json_t *processor =
        json_pack("{s:s,s:[s,I],s:[s,I]}", "type", "BertProcessing", "cls", side[0], id[0], "sep", side[1], id[1]);
    return json_object_set_new(r->d.root, "post_processor", processor) == 0 ? BIPE_OK : bipe_fail_memory(err);
}

static int by_id(const void *a, const void *b)
{
    json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "id"));
    json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "id"));
    return (x > y) - (x < y);
}

/* In the order of their ids. */
static int add_sorted(reading *r, bipe_error *err)
{
    size_t count = json_array_size(r->list);
    json_t **token = bipe_alloc(count, sizeof *token), *sorted = json_array();
    bool good = token != NULL && sorted != NULL;
    for (size_t i = 0; good && i < count; i++)
        token[i] = json_array_get(r->list, i);
    if (good)
        qsort(token, count, sizeof *token, by_id);
    for (size_t i = 0; good && i < count; i++)
        good = json_array_append(sorted, token[i]) == 0;
    bipe_free(token);
    good = json_object_set_new(r->d.root, "added_tokens", sorted) == 0 && good;
    return good ? BIPE_OK : bipe_fail_memory(err);
}

static int load_class_configs(reading *r, bipe_error *err)
{
    int status = load_config(r, BIPE_TOKENIZER_CONFIG, &r->tokenizer, err);
    return status == BIPE_OK ? load_config(r, BIPE_MODEL_CONFIG, &r->model, err) : status;
}

static int describe_tokenizer(reading *r, bipe_error *err)
{
    int status = load_class_configs(r, err);
    if (status == BIPE_OK)
        status = load_config(r, BIPE_ADDED_TOKENS, &r->added, err);
    if (status == BIPE_OK)
        status = load_config(r, BIPE_SPECIAL_TOKENS, &r->specials, err);
    if (status == BIPE_OK)
        status = find_list_class(r, err);
    if (status == BIPE_OK)
        status = r->class->kind == OF_WORDS ? read_word_files(r, err) : read_byte_files(r, err);
    if (status == BIPE_OK && r->d.root == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = find_specials(r, err);
    if (status == BIPE_OK)
        status = add_listed(r, err);
    if (status == BIPE_OK)
        status = add_specials(r, err);
    if (status == BIPE_OK)
        status = add_processor(r, err);
    return status == BIPE_OK ? add_sorted(r, err) : status;
}

static void free_reading(reading *r)
{
    bipe_description_free(&r->d);
    bipe_free(r->named);
    bipe_vocabulary_free(&r->specials_of);
    bipe_vocabulary_free(&r->listed);
    json_decref(r->list);
    json_decref(r->tokenizer);
    json_decref(r->model);
    json_decref(r->added);
    json_decref(r->specials);
}

int bipe_vocab_files_read(bipe_tokenizer *tokenizer, const bipe_vocab_file file[BIPE_VOCAB_FILES], bipe_error *err)
{
    reading r = {.file = file, .special = tokenizer->special, .list = json_array()};
    bipe_buffer json = {0};
    int status = r.list != NULL ? describe_tokenizer(&r, err) : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = bipe_description_write(&r.d, &json, err);
    if (status == BIPE_OK)
        status = bipe_description_make(&r.d, tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_keep(tokenizer, json.data, json.size, err);
    bipe_buffer_free(&json);
    free_reading(&r);
    return status;
}

int bipe_vocab_files_keep_ids(const bipe_vocab_file file[BIPE_VOCAB_FILES], bipe_error *err)
{
    reading r = {.file = file};
    const char *key, *name;
    int status = load_class_configs(&r, err);
    if (status == BIPE_OK) {
        find_class(&r, &key, &name);
        if (key != NULL && (r.class == NULL || r.class->kind != OF_PIECES))
            status = bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                               "%s \"%.60s\" is not known to keep the ids of its SentencePiece model, expected a "
                               "tokenizer.json, or the model's own path for its own ids",
                               key, name);
    }
    for (size_t i = 0; status == BIPE_OK && i < 2; i++) {
        static const char *const changes[] = {"do_lower_case", "split_by_punct"};
        if (json_is_true(json_object_get(r.tokenizer, changes[i])))
            status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "tokenizer_config.json: %s: true", changes[i]);
    }
    free_reading(&r);
    return status;
}
