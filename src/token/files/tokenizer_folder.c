/* tokenizer_folder.c - writes a tokenizer as the files that transformers reads from a folder. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "token/files/tiktoken_file.h"
#include "token/files/tokenizer_write.h"

enum { PATH_SIZE = 4096 + 64 };

const char *const bipe_tokenizer_file_names[] = {"tokenizer.json", "tokenizer.model", "tekken.json",
                                                 "tokenizer_config.json", NULL};

static int write_copy(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    uint8_t *loaded;
    const uint8_t *bytes;
    size_t size;
    int status = bipe_tokenizer_original(tokenizer, &loaded, &bytes, &size, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, bytes, size, err);
    bipe_free(loaded);
    return status;
}

static void write_step(bipe_json *json, const char *name)
{
    bipe_json_key_object(json, name);
    bipe_json_key_text(json, "type", "ByteLevel");
    bipe_json_key_bool(json, "add_prefix_space", false);
    bipe_json_key_bool(json, "trim_offsets", false);
    bipe_json_key_bool(json, "use_regex", false);
    bipe_json_end_object(json);
}

/* `byte` as a tokenizer.json: byte-level BPE without merges. */
static int write_byte_json(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    bipe_vocabulary letters = {0};
    bipe_json json;
    (void)tokenizer;
    int status = bipe_list_letters(&letters, err);
    bipe_json_open(&json, output, true);
    bipe_json_begin_object(&json);
    bipe_json_key_text(&json, "version", "1.0");
    bipe_json_key_flat_array(&json, "added_tokens");
    bipe_json_end_array(&json);
    write_step(&json, "pre_tokenizer");
    write_step(&json, "decoder");
    bipe_json_key_object(&json, "model");
    bipe_json_key_text(&json, "type", "BPE");
    bipe_json_key_object(&json, "vocab");
    for (uint32_t id = 0; id < letters.count; id++) {
        size_t size;
        char name[8] = "";
        const uint8_t *text = bipe_vocabulary_text(&letters, id, &size);
        memcpy(name, text, size);
        bipe_json_key_uint(&json, name, id);
    }
    bipe_json_end_object(&json);
    bipe_json_key_flat_array(&json, "merges");
    bipe_json_end_array(&json);
    bipe_json_end_object(&json);
    bipe_json_end_object(&json);
    bipe_vocabulary_free(&letters);
    return status == BIPE_OK ? bipe_json_close(&json, err) : status;
}

static void write_token_name(bipe_json *json, const char *key, const bipe_tokenizer *tokenizer, int64_t id)
{
    if (id == BIPE_NO_TOKEN)
        return;
    size_t size;
    const uint8_t *text = bipe_tokenizer_string(tokenizer, (uint32_t)id, &size);
    bipe_json_key(json, key);
    bipe_json_bytes(json, text, size);
}

static int write_config(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    bipe_json json;
    bool llama = bipe_tokenizer_is_llama(tokenizer), pieces = tokenizer->kind == &bipe_bpe_kind;
    bipe_json_open(&json, output, true);
    bipe_json_begin_object(&json);
    bipe_json_key_text(&json, "tokenizer_class", pieces || llama ? "LlamaTokenizer" : "PreTrainedTokenizerFast");
    bipe_json_key_bool(&json, "add_bos_token", tokenizer->bos != BIPE_NO_TOKEN);
    bipe_json_key_bool(&json, "add_eos_token", false);
    if (tokenizer->kind != &bipe_byte_kind) {
        write_token_name(&json, "bos_token", tokenizer, tokenizer->bos);
        write_token_name(&json, "eos_token", tokenizer, tokenizer->eos);
    }
    if (pieces)
        write_token_name(&json, "unk_token", tokenizer, ((const bipe_bpe *)tokenizer->model)->unk);
    else if (llama)
        write_token_name(&json, "unk_token", tokenizer,
                         ((const bipe_merge_model *)((const bipe_pipeline *)tokenizer->model)->model)->unk);
    bipe_json_key_bool(&json, "clean_up_tokenization_spaces", false);
    if (pieces || llama)
        bipe_json_key_bool(&json, "legacy", false);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

typedef int write_content(bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err);

static int write_file(const char *folder, const char *name, write_content *content, const bipe_tokenizer *tokenizer,
                      bipe_error *err)
{
    char path[PATH_SIZE];
    bipe_output *output;
    if (!bipe_path_join(path, sizeof path, folder, name))
        return bipe_fail(err, BIPE_ERR_IO, "%s: a path of more than %d bytes", folder, PATH_SIZE - 64);
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    status = content(output, tokenizer, err);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

/* Whether the copy is of Mistral's format. */
static int is_of_tekken(const bipe_tokenizer *tokenizer, bool *tekken, bipe_error *err)
{
    uint8_t *loaded;
    const uint8_t *bytes;
    size_t size;
    int status = bipe_tokenizer_original(tokenizer, &loaded, &bytes, &size, err);
    bipe_description d = {0};
    if (status == BIPE_OK)
        status = bipe_description_load(&d, bytes, size, err);
    *tekken = status == BIPE_OK && bipe_tekken_is(&d);
    bipe_description_free(&d);
    bipe_free(loaded);
    return status;
}

int bipe_tokenizer_write_files(const bipe_tokenizer *tokenizer, const char *folder, bipe_error *err)
{
    int status;
    bool tekken = false;
    if (bipe_tokenizer_is_of_json(tokenizer)) {
        status = is_of_tekken(tokenizer, &tekken, err);
        if (status == BIPE_OK)
            status = write_file(folder, tekken ? "tekken.json" : "tokenizer.json", write_copy, tokenizer, err);
    } else if (tokenizer->kind == &bipe_bpe_kind) {
        status = write_file(folder, "tokenizer.model", bipe_sentencepiece_write_tokenizer, tokenizer, err);
    } else if (tokenizer->kind == &bipe_byte_kind) {
        status = write_file(folder, "tokenizer.json", write_byte_json, tokenizer, err);
    } else {
        status = bipe_refuse_tokenizer(tokenizer,
                                       "a tokenizer for which Hugging Face's library has no file, expected "
                                       "SentencePiece, a tokenizer.json or byte",
                                       err);
    }
    return status == BIPE_OK && !tekken ? write_file(folder, "tokenizer_config.json", write_config, tokenizer, err)
                                        : status;
}
