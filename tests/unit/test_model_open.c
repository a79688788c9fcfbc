/* test_model_open.c - what is read from config.json, folders and GGUF files, what is refused and in which words, and
 * that a model written as a native file is the same model. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "model/evaluator.h"
#include "model/weights.h"
#include "tests/cases.h"
#include "tests/reference/tiny_model.h"

/* ---- config.json ---- */

#define SIZES \
    "\"vocab_size\":50,\"hidden_size\":12,\"num_hidden_layers\":2,\"num_attention_heads\":3,\"intermediate_size\":20"
#define USUAL "\"model_type\":\"llama\"," SIZES ",\"max_position_embeddings\":77"

static int parse(const char *text, bipe_hyperparameters *h, uint32_t *rows, bipe_error *err)
{
    static bipe_configuration made;
    int status = bipe_config_parse(text, strlen(text), &made, err);
    *h = made.hyper;
    *rows = made.table_rows;
    return status;
}

static void test_config(void)
{
    bipe_hyperparameters h;
    bipe_error err;
    uint32_t rows;
    char name[256];
    CHECKF(parse("{" USUAL "}", &h, &rows, &err) == BIPE_OK, "%s", err.text);
    CHECK(h.vocabulary == 50 && h.hidden == 12 && h.layers == 2 && h.heads == 3 && h.kv_heads == 3 &&
          h.head_size == 4 && h.feed_forward == 20 && h.train_length == 77 && rows == 0 && !h.tied && !h.log_scale &&
          h.rope_base == 10000);
    CHECK(h.rope_scaling.kind == BIPE_SCALING_NONE && h.rms_norm_eps == (double)1e-6f);
    CHECK_TEXT(bipe_scheme_format(&h.scheme, name), "rope");
    CHECK_TEXT(h.segmenter, "stop");

    CHECKF(
        parse("{" USUAL
              ",\"train_scale\":40,\"rpe_type\":\"bipe_alibi\",\"log_scale\":true,\"tie_word_embeddings\":true,"
              "\"num_key_value_heads\":1,\"head_dim\":6,\"rope_theta\":5e5,\"rms_norm_eps\":1e-5,\"rope_scaling\":null,"
              "\"segmenter\":\"line\",\"pad_token_id\":-1}",
              &h, &rows, &err) == BIPE_OK,
        "%s", err.text);
    CHECK(h.kv_heads == 1 && h.head_size == 6 && h.train_length == 40 && rows == 40 && h.tied && h.log_scale &&
          h.rope_base == 500000 && h.rms_norm_eps == (double)1e-5f);
    CHECK_TEXT(bipe_scheme_format(&h.scheme, name), "bipe-alibi");
    CHECK_TEXT(h.segmenter, "line");

    static const struct { const char *type, *scheme; } types[] = {
        {"rope", "rope"}, {"alibi", "alibi"}, {"bipe_rope", "bipe-rope"}, {"bipe_alibi", "bipe-alibi"},
        {"xpos", "xpos"},
        {"sinusoidal", "sinusoidal"}, {"randomized_rope", "randomized-rope"}, {"nope", "none"}, {"t5", "t5"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (int published = 0; published < 2; published++) {
            char text[512];
            snprintf(text, sizeof text, "{\"model_type\":\"llama\",\"vocab_size\":%d,\"hidden_size\":12,"
                     "\"num_hidden_layers\":1,\"num_attention_heads\":3,\"intermediate_size\":20,\"train_scale\":9,"
                     "\"rpe_type\":\"%s\"}", published ? 32000 : 31999, types[i].type);
            CHECKF(parse(text, &h, &rows, &err) == BIPE_OK, "%s", err.text);
            CHECK_TEXT(bipe_scheme_format(&h.scheme, name), types[i].scheme);
            CHECK_TEXT(h.segmenter, published ? "tokens:869,13" : "stop");
        }
    /* the key of our own goes first, and a plain llama of 32000 words is not of the published kind */
    CHECK(parse("{" USUAL ",\"rpe_type\":\"alibi\",\"position_scheme\":\"learned@intra+t5@segment\"}", &h, &rows,
                &err) == BIPE_OK);
    CHECK_TEXT(bipe_scheme_format(&h.scheme, name), "learned@intra+t5@segment");
    CHECK(parse("{\"model_type\":\"llama\",\"vocab_size\":32000,\"hidden_size\":12,\"num_hidden_layers\":1,"
                "\"num_attention_heads\":3,\"intermediate_size\":20,\"max_position_embeddings\":9}",
                &h, &rows, &err) == BIPE_OK);
    CHECK_TEXT(h.segmenter, "stop");
}

static void test_config_read(void)
{
    const char *scaling;
    int biases;
    json_t *members;
    for (test_cases c = {.name = "configs.jsonl"}; read_case(&c, "[s i o]", &scaling, &biases, &members);) {
        bipe_hyperparameters h;
        bipe_error err = {BIPE_OK, ""};
        uint32_t rows;
        char *text = case_json(members, "{" USUAL "}"), name[BIPE_SCALING_TEXT];
        CHECKF(parse(text, &h, &rows, &err) == BIPE_OK, "%s", err.text);
        CHECK_TEXT(bipe_rope_scaling_format(&h.rope_scaling, name), scaling);
        CHECK(bipe_decoder_has(bipe_decoder_of(&h), BIPE_ROLE_QUERY_BIAS) == biases);
        free(text);
    }
}

static void test_config_refused(void)
{
    const char *status, *says;
    json_t *config;
    for (test_cases c = {.name = "configs-refused.jsonl"}; read_case(&c, "[s s o]", &status, &says, &config);) {
        bipe_hyperparameters h;
        bipe_error err = {BIPE_OK, ""};
        uint32_t rows;
        char *text = case_json(config, "{" USUAL "}");
        CHECKF(parse(text, &h, &rows, &err) == case_status(status) && strstr(err.text, says) != NULL, "%s", err.text);
        CHECK(strchr(err.text, '\n') == NULL);
        free(text);
    }
}

/* A text model within another, which leaves the sizes of its class unsaid: Gemma 3's of 4 billion parameters. */
static void test_text_config(void)
{
    bipe_hyperparameters h;
    bipe_error err = {BIPE_OK, ""};
    uint32_t rows;
    CHECKF(parse("{\"architectures\":[\"Gemma3ForConditionalGeneration\"],\"boi_token_index\":255999,"
                 "\"eoi_token_index\":256000,\"eos_token_id\":[1,106],\"image_token_index\":262144,"
                 "\"initializer_range\":0.02,\"mm_tokens_per_image\":256,\"model_type\":\"gemma3\","
                 "\"text_config\":{\"hidden_size\":2560,\"intermediate_size\":10240,\"model_type\":\"gemma3_text\","
                 "\"num_hidden_layers\":34,\"rope_scaling\":{\"factor\":8.0,\"rope_type\":\"linear\"},"
                 "\"sliding_window\":1024},\"torch_dtype\":\"bfloat16\",\"vision_config\":{\"hidden_size\":1152}}",
                 &h, &rows, &err) == BIPE_OK,
           "%s", err.text);
    CHECK(h.vocabulary == 262208 && h.heads == 8 && h.kv_heads == 4 && h.head_size == 256 && h.hidden == 2560 &&
          h.train_length == 131072 && h.tied && h.rope_base == 1e6 && h.rope_scaling.kind == BIPE_SCALING_LINEAR);
}

/* ---- folders and files ---- */

static const reference_model shape = {.vocabulary = 30, .hidden = 32, .layers = 2, .heads = 4, .kv_heads = 2,
                                      .head_size = 8, .feed_forward = 40, .train_length = 16, .learned_rows = 16,
                                      .t5 = 32, .eps = (double)1e-5f, .base = 10000};
static const char folder[] = "test_model_open.dir", file[] = "test_model_open.tmp";

/* Opening `path` must fail with a line that begins with the path and holds `says`. */
static void refused(const char *path, int status, const char *says)
{
    bipe_model *model = NULL;
    bipe_error err = {BIPE_OK, ""};
    int got = bipe_model_open(&model, path, &err);
    CHECKF(got == status && model == NULL, "status %d: %s", got, err.text);
    CHECKF(strstr(err.text, says) != NULL, "%s", err.text);
    CHECKF(strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text + 1, path) == NULL, "%s", err.text);
    bipe_model_close(model);
}

static void test_folder(void)
{
    reference_model m = shape;
    tiny_make(&m, 2);
    bipe_model *model;
    bipe_error err;
    tiny_write_folder(&m, folder, ",\"train_scale\":16,\"rpe_type\":\"bipe_rope\"");
    CHECKF(bipe_model_open(&model, folder, &err) == BIPE_OK, "%s", err.text);
    const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
    CHECK_TEXT(bipe_model_path(model), folder);
    CHECK_TEXT(h->format, "safetensors");
    CHECK(h->learned_rows == 16);
    CHECK_UINT(h->parameters,
               2 * 30 * 32 + 16 * 32 + 32 * 4 + 32 + 2 * (2 * 32 * 32 + 2 * 16 * 32 + 3 * 40 * 32 + 2 * 32));
    bipe_model_close(model);

    tiny_write_folder(&m, folder, ",\"train_scale\":17,\"rpe_type\":\"bipe_rope\"");
    refused(folder, BIPE_ERR_FORMAT, "tensor 'model.embeds.0.weight' has shape [16, 32], expected [17, 32]");
    reference_model other = m;
    other.learned_rows = 0, other.learned = NULL;
    tiny_write_folder(&other, folder, ",\"train_scale\":16,\"rpe_type\":\"bipe_alibi\"");
    refused(folder, BIPE_ERR_FORMAT, "tensor 'model.embeds.0.weight' is missing");
    other = m;
    other.t5_table = NULL;
    tiny_write_folder(&other, folder, ",\"rpe_type\":\"t5\"");
    refused(folder, BIPE_ERR_FORMAT, "tensor 'model.relative_attention_bias.weight' is missing");
    other = m;
    other.tied = 1;
    tiny_write_folder(&other, folder, "");
    CHECKF(bipe_model_open(&model, folder, &err) == BIPE_OK, "%s", err.text);
    CHECK(!bipe_model_hyperparameters(model)->tied); /* an output projection of its own is stored */
    bipe_model_close(model);
    other.projection = m.embedding;
    tiny_write_folder(&other, folder, "");
    CHECKF(bipe_model_open(&model, folder, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_model_hyperparameters(model)->tied);
    bipe_model_close(model);
    other = m;
    other.projection = NULL;
    tiny_write_folder(&other, folder, "");
    refused(folder, BIPE_ERR_FORMAT, "tensor 'lm_head.weight' is missing");

    /* a config with other shapes than those of the tensors */
    static const struct { const char *from, *to, *says; } wrong[] = {
        
        {"\"vocab_size\":30", "\"vocab_size\":31",
         "tensor 'model.embed_tokens.weight' has shape [30, 32], expected [31, 32]"},
        {"\"hidden_size\":32", "\"hidden_size\":33", "[30, 33]"},
        {"\"num_hidden_layers\":2", "\"num_hidden_layers\":3", "cannot hold 3 layers"},
        {"\"num_hidden_layers\":2", "\"num_hidden_layers\":2000000000", "layers is 2000000000, expected"},
        {"\"num_hidden_layers\":2", "\"num_hidden_layers\":1", "tensor 'model.layers.1."},
        {"\"num_attention_heads\":4", "\"num_attention_heads\":8",
         "relative_attention_bias.weight' has shape [32, 4], expected [32, 8]"},
        {"\"num_key_value_heads\":2", "\"num_key_value_heads\":1",
         "k_proj.weight' has shape [16, 32], expected [8, 32]"},
        {"\"intermediate_size\":40", "\"intermediate_size\":41",
         "gate_proj.weight' has shape [40, 32], expected [41, 32]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char path[128], text[2048] = "", changed[2200];
        tiny_write_folder(&m, folder, "");
        snprintf(path, sizeof path, "%s/config.json", folder);
        FILE *f = fopen(path, "rb");
        if (f == NULL || fread(text, 1, sizeof text - 1, f) == 0)
            abort();
        fclose(f);
        char *at = strstr(text, wrong[i].from);
        if (at == NULL)
            abort();
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, wrong[i].to, at + strlen(wrong[i].from));
        tiny_write_text(path, changed);
        refused(folder, strstr(wrong[i].says, "layers.1.") != NULL ? BIPE_ERR_UNSUPPORTED : BIPE_ERR_FORMAT,
                wrong[i].says);
    }
    tiny_remove_folder(folder);
    refused(folder, BIPE_ERR_IO, "No such file");
    mkdir(folder, 0777);
    refused(folder, BIPE_ERR_IO, "not a model folder: it has no file config.json");
    tiny_remove_folder(folder);
    tiny_free(&m);
}

static unsigned char bytes[1 << 20]; /* of the folder's safetensors file */

/* Returns the size of its header, and that of the data after it. */
static uint64_t read_tensors(char path[128], uint64_t *data)
{
    snprintf(path, 128, "%s/model.safetensors", folder);
    FILE *f = fopen(path, "rb");
    size_t size = f != NULL ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (size < 8 || size == sizeof bytes)
        abort();
    fclose(f);
    uint64_t header = 0;
    for (int i = 7; i >= 0; i--)
        header = header << 8 | bytes[i];
    *data = size - 8 - header;
    return header;
}

/* Writes `to` for each `from` in the names of tensors. */
static void rename_tensors(const char *from, const char *to)
{
    char path[128];
    uint64_t data, header = read_tensors(path, &data);
    static char made[1 << 17];
    size_t used = 0;
    for (size_t at = 0; at < header && used + 64 < sizeof made;) {
        bool found = at + strlen(from) <= header && memcmp(bytes + 8 + at, from, strlen(from)) == 0;
        used += (size_t)sprintf(made + used, "%.*s", found ? 64 : 1, found ? to : (const char *)bytes + 8 + at);
        at += found ? strlen(from) : 1;
    }
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        abort();
    for (int i = 0; i < 8; i++)
        fputc((int)(used >> 8 * i & 255), f);
    fwrite(made, 1, used, f);
    fwrite(bytes + 8 + header, 1, data, f);
    fclose(f);
}

/* Names as wrappers of PyTorch leave them. */
static void test_names(void)
{
    static const struct { const char *head, *rest, *layers, *says; } cases[] = {
        {"\"lm_head.", "\"model.", ".layers.", NULL}, {"\"module.lm_head.", "\"module.model.", ".layers.", NULL},
        {"\"_orig_mod.lm_head.", "\"_orig_mod.model.", ".layers.", NULL},
        {"\"module._orig_mod.lm_head.", "\"module._orig_mod.model.", ".layers.", NULL},
        {"\"model.lm_head.", "\"model.model.", ".layers.", NULL}, {"\"lm_head.", "\"", ".layers.", NULL},
        {"\"lm_head.", "\"model.", "._orig_mod.layers.", NULL},
        {"\"modules.lm_head.", "\"model.", ".layers.", "tensor 'lm_head.weight' is missing"},
        {"\"module.model.norm.", "\"model.", ".layers.", "are the same part of a model"},
    };
    reference_model m = shape;
    tiny_make(&m, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bipe_model *model = NULL;
        bipe_error err = {BIPE_OK, ""};
        tiny_write_folder(&m, folder, ",\"rpe_type\":\"bipe_rope\"");
        rename_tensors("\"model.", cases[i].rest);
        rename_tensors("\"lm_head.", cases[i].head);
        rename_tensors(".layers.", cases[i].layers);
        int status = bipe_model_open(&model, folder, &err);
        if (cases[i].says == NULL)
            CHECKF(status == BIPE_OK && bipe_model_hyperparameters(model)->learned_rows == 16, "%s, %s: %s",
                   cases[i].head, cases[i].rest, err.text);
        else
            CHECKF(status == BIPE_ERR_FORMAT && strstr(err.text, cases[i].says) != NULL, "%s: status %d, %s",
                   cases[i].head, status, err.text);
        bipe_model_close(model);
    }
    tiny_remove_folder(folder);
    tiny_free(&m);
}

/* A safetensors file with one more tensor, of one f32. */
static void write_extra(const reference_model *m, const char *name)
{
    tiny_write_folder(m, folder, "");
    char path[128];
    uint64_t data, header = read_tensors(path, &data);
    char more[256];
    int length = snprintf(more, sizeof more,
                          ",\"%s\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}}", name,
                          data, data + 4);
    uint64_t whole = header - 1 + (uint64_t)length;
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        abort();
    for (int i = 0; i < 8; i++)
        fputc((int)(whole >> 8 * i & 255), f);
    fwrite(bytes + 8, 1, header - 1, f);
    fwrite(more, 1, (size_t)length, f);
    fwrite(bytes + 8 + header, 1, data, f);
    fwrite("\0\0\0\0", 1, 4, f);
    fclose(f);
}

static void test_leftover(void)
{
    reference_model m = shape;
    tiny_make(&m, 2);
    static const char *const harmless[] = {"model.layers.1.self_attn.alibi",
                                           "model.layers.0.self_attn.rotary_emb.inv_freq",
                                           "model.rotary_emb.inv_freq"};
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        bipe_model *model = NULL;
        bipe_error err;
        write_extra(&m, harmless[i]);
        CHECKF(bipe_model_open(&model, folder, &err) == BIPE_OK, "%s", err.text);
        bipe_model_close(model);
    }
    write_extra(&m, "model.layers.1.self_attn.q_proj.bias");
    refused(folder, BIPE_ERR_UNSUPPORTED, "tensor 'model.layers.1.self_attn.q_proj.bias': such biases");
    write_extra(&m, "model.surprise");
    refused(folder, BIPE_ERR_UNSUPPORTED, "tensor 'model.surprise': no part");
    write_extra(&m, "model.layers..self_attn.alibi");
    refused(folder, BIPE_ERR_UNSUPPORTED, "no part");
    tiny_remove_folder(folder);
    tiny_free(&m);
}

/* A GGUF file of one key or tensor less or more, by way of the writer. */
typedef struct change {
    const char *key;            /* to set ... */
    uint32_t count;             /* ... to this, or: */
    const char *text;
    int32_t array[2];           /* ... to two numbers, where the second is not 0 */
    const char *tensor;         /* to add, of `rows` x 32 ones */
    uint64_t rows;
    const char *says;
    int status;
} change;

static int ones(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)context, (void)row, (void)err;
    float one[32];
    for (int i = 0; i < 32; i++)
        one[i] = 1;
    memcpy(buffer, one, sizeof one);
    return BIPE_OK;
}

static void test_gguf(void)
{
    static const change changes[] = {
        
        {.key = "general.architecture", .text = "mamba", .says = "'mamba', which is not read",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.position_scheme", .text = "rope+rope@segment", .says = "second rotation",
         .status = BIPE_ERR_ARGUMENT},
        {.key = "bipe.position_scheme", .count = 1, .says = "bipe.position_scheme", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.attention.head_count", .count = 0, .says = "head_count' is 0", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.attention.head_count", .count = 5, .says = "do not divide", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.attention.key_length", .count = 4, .says = "value_length' is 8, expected 4",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.rope.dimension_count", .count = 16, .says = "expected the head size, 8",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.expert_count", .count = 4, .says = "0 experts of 4 are used", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.expert_count", .count = 1 << 20, .says = "1048576 experts in each of 2 layers",
         .status = BIPE_ERR_FORMAT},
        {.key = "bipe.expert_used_count", .count = 2, .says = "2 experts of 0 are used", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.expert_shared_feed_forward_length", .count = 8, .says = "size 8 without others",
         .status = BIPE_ERR_FORMAT},
        {.key = "bipe.block_count", .count = 100, .says = "cannot hold 100 layers", .status = BIPE_ERR_FORMAT},
        {.key = "bipe.block_count", .count = 0xFFFFFFFF, .says = "block_count' is 4294967295",
         .status = BIPE_ERR_FORMAT},
        {.key = "bipe.embedding_length", .count = 64, .says = "[30, 32], expected any number of rows of 64",
         .status = BIPE_ERR_FORMAT},
        {.key = "bipe.rope.scaling.type", .text = "longrope", .says = "'longrope'", .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.rope.scaling.type", .text = "yarn", .says = "scaling.factor' is missing",
         .status = BIPE_ERR_FORMAT},
        {.key = "bipe.my_note", .text = "hello\n",
         .says = "key 'bipe.my_note' is hello?, which is not known and may change what the model computes; if it",
         .status = BIPE_ERR_UNSUPPORTED},
        
        {.key = "bipe.rope.scaling.yarn_beta_fast", .count = 16, .says = "yarn_beta_fast' is 16, expected 32 where",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.rope.scaling.attn_factor", .count = 2, .says = "an attention factor of 2",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.rope.scaling.yarn_ext_factor", .count = 2, .says = "yarn_ext_factor' is 2, expected 1",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.attention.head_count_kv", .array = {2, 4},
         .says = "head_count_kv' is 4 in layer 1, expected 2 as in layer 0", .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.feed_forward_length", .array = {40, -1}, .says = "feed_forward_length' is -1 in layer 1",
         .status = BIPE_ERR_UNSUPPORTED},
        {.key = "bipe.feed_forward_length", .array = {-1, -1},
         .says = "feed_forward_length' is -1, expected a whole number", .status = BIPE_ERR_FORMAT},
        
        {.tensor = "rope_freqs.weight", .rows = 1, .says = "'rope_freqs.weight' has shape [1, 32], expected [4]",
         .status = BIPE_ERR_FORMAT},
        {.tensor = "blk.2.attn_q.weight", .rows = 32, .says = "blk.2.attn_q.weight", .status = BIPE_ERR_UNSUPPORTED},
        {.tensor = "blk.1.attn_q.bias", .rows = 1, .says = "such biases", .status = BIPE_ERR_UNSUPPORTED},
    };
    reference_model m = shape;
    tiny_make(&m, 2);
    tiny_write_folder(&m, folder, "");
    bipe_model *model = NULL;
    bipe_error err;
    CHECKF(bipe_model_open(&model, folder, &err) == BIPE_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const change *c = &changes[i];
        bipe_gguf_writer *writer;
        CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK);
        CHECK(bipe_model_write_gguf(model, bipe_mix_of(BIPE_F32), writer, &err) == BIPE_OK);
        int status = BIPE_OK;
        uint64_t dims[2] = {c->rows, 32};
        if (c->array[1] != 0)
            bipe_gguf_set_i32s(writer, c->key, c->array, 2);
        else if (c->text != NULL)
            bipe_gguf_set_text(writer, c->key, c->text);
        else if (c->key != NULL)
            bipe_gguf_set_u32(writer, c->key, c->count);
        else
            status = bipe_gguf_add_tensor(writer, c->tensor, BIPE_F32, 2, dims, ones, NULL, &err);
        CHECKF(status == BIPE_OK && bipe_gguf_write(writer, file, &err) == BIPE_OK, "%s", err.text);
        bipe_gguf_writer_close(writer);
        refused(file, c->status, c->says);
    }
    bipe_gguf_writer *writer;
    bipe_model *alike = NULL; /* numbers of layers that are all the same; a factor without a type */
    CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK);
    CHECK(bipe_model_write_gguf(model, bipe_mix_of(BIPE_F32), writer, &err) == BIPE_OK);
    bipe_gguf_set_i32s(writer, "bipe.attention.head_count_kv", (const int32_t[]){2, 2}, 2);
    bipe_gguf_set_i32s(writer, "bipe.feed_forward_length", (const int32_t[]){40, 40}, 2);
    bipe_gguf_set_f32(writer, "bipe.rope.scaling.factor", 4);
    CHECKF(bipe_gguf_write(writer, file, &err) == BIPE_OK && bipe_model_open(&alike, file, &err) == BIPE_OK, "%s",
           err.text);
    char scaling[BIPE_SCALING_TEXT];
    CHECK_TEXT(alike != NULL ? bipe_rope_scaling_format(&bipe_model_hyperparameters(alike)->rope_scaling, scaling) : "",
               "linear:4");
    bipe_model_close(alike);
    bipe_gguf_writer_close(writer);
    bipe_model_close(model);
    tiny_remove_folder(folder);
    tiny_write_text(file, "not a model\n");
    refused(file, BIPE_ERR_FORMAT, "");
    unlink(file);
    tiny_free(&m);
}

/* ---- there and back ---- */

static void losses(bipe_model *model, tiny_window *w)
{
    bipe_pool *pool;
    bipe_evaluator *e = NULL;
    bipe_error err;
    bipe_evaluator_options options = {.max_length = w->length};
    if (bipe_pool_open(&pool, 1, &err) != BIPE_OK || bipe_evaluator_open(&e, model, &options, pool, &err) != BIPE_OK)
        abort();
    bipe_window window = {w->ids, w->index, w->length, NULL, w->nll};
    CHECK(bipe_evaluator_run(e, &window, 1, &err) == BIPE_OK);
    bipe_evaluator_close(e);
    bipe_pool_close(pool);
}

/* Each type: the second copy of a copy has the very digits of the first, and every number of the header comes back. The
 * feed-forward size is no multiple of 32, so that Q8_0 must fall back for one matrix. */
static void test_round_trip(void)
{
    static const char extra[] =
        ",\"train_scale\":16,\"position_scheme\":\"learned@intra+rope@segment+alibi@token*0.3+t5@intra\","
        "\"segmenter\":\"regex:[.!?]\",\"log_scale\":true,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":2.7,"
        "\"original_max_position_embeddings\":12,\"beta_fast\":16,\"beta_slow\":0.5,\"attention_factor\":1.25,"
        "\"truncate\":false}";
    static const char again[] = "test_model_open.tmp2";
    reference_model m = shape;
    tiny_make(&m, 8);
    tiny_write_folder(&m, folder, extra);
    tiny_window w;
    tiny_window_make(&w, 60, m.vocabulary, 6, 1);
    double *first = malloc(60 * sizeof *first);
    if (first == NULL)
        abort();
    bipe_error err;
    for (int type = BIPE_F32; type <= BIPE_Q8_0; type++) {
        const char *paths[] = {folder, file, again};
        for (int step = 0; step < 3; step++) {
            bipe_model *model = NULL;
            CHECKF(bipe_model_open(&model, paths[step], &err) == BIPE_OK, "%s", err.text);
            if (model == NULL)
                abort();
            const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
            char name[256], scaling[BIPE_SCALING_TEXT];
            CHECK_TEXT(bipe_scheme_format(&h->scheme, name), "learned@intra+rope@segment+alibi@token*0.3+t5@intra");
            CHECK_TEXT(bipe_rope_scaling_format(&h->rope_scaling, scaling),
                       "yarn:2.700000047683716:12:attention_factor=1.25:beta_fast=16:beta_slow=0.5:truncate=false");
            CHECK_TEXT(h->segmenter, "regex:[.!?]");
            CHECK(h->log_scale && h->train_length == 16 && h->learned_rows == 16 && h->rms_norm_eps == (double)1e-5f &&
                  h->heads == 4 && h->kv_heads == 2 && h->vocabulary == 30);
            losses(model, &w);
            if (step == (type == BIPE_F32 ? 0 : 1))
                memcpy(first, w.nll, 59 * sizeof *first);
            else if (step > 0)
                CHECKF(memcmp(first, w.nll, 59 * sizeof *first) == 0, "step %d, %s", step,
                       bipe_dtype_name((bipe_dtype)type));
            if (step < 2) {
                bipe_gguf_writer *writer;
                CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK);
                CHECKF(bipe_model_write_gguf(model, bipe_mix_of((bipe_dtype)type), writer, &err) == BIPE_OK, "%s",
                       err.text);
                CHECKF(bipe_gguf_write(writer, paths[step + 1], &err) == BIPE_OK, "%s", err.text);
                bipe_gguf_writer_close(writer);
            }
            bipe_model_close(model);
        }
        bipe_gguf *g = NULL;
        CHECK(bipe_gguf_open(&g, again, &err) == BIPE_OK);
        const bipe_tensor *down = bipe_tensor_find(bipe_gguf_tensors(g), "blk.1.ffn_down.weight");
        const bipe_tensor *norm = bipe_tensor_find(bipe_gguf_tensors(g), "blk.1.ffn_norm.weight");
        const bipe_tensor *table = bipe_tensor_find(bipe_gguf_tensors(g), "relative_attention_bias.weight");
        CHECK(down != NULL && down->dtype == (type == BIPE_Q8_0 ? BIPE_F16 : (bipe_dtype)type) && down->shape[1] == 40);
        CHECK(norm != NULL && norm->dtype == BIPE_F32 && table != NULL && table->dtype == BIPE_F32);
        bipe_gguf_close(g);
    }
    free(first);
    tiny_window_free(&w);
    tiny_free(&m);
    tiny_remove_folder(folder);
    unlink(file);
    unlink(again);
}

/* Every allocation of reading a folder fails once. */
static void test_memory(void)
{
    reference_model m = shape;
    tiny_make(&m, 8);
    tiny_write_folder(&m, folder, "");
    for (long n = 0; n < 1000; n += test_stride(7)) {
        bipe_model *model = NULL;
        bipe_error err = {BIPE_OK, ""};
        bipe_alloc_fail_at(n);
        int status = bipe_model_open(&model, folder, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%ld: status %d, %s", n, status, err.text);
        CHECK((status == BIPE_OK) == (model != NULL));
        bipe_model_close(model);
        if (status == BIPE_OK)
            break;
    }
    tiny_remove_folder(folder);
    tiny_free(&m);
}

int main(void)
{
    test_config();
    test_text_config();
    test_config_read();
    test_config_refused();
    test_folder();
    test_names();
    test_leftover();
    test_gguf();
    test_round_trip();
    test_memory();
    return test_result();
}
