/* test_model_files.c - the model files and vocabularies beside the project: what is in them is known from elsewhere. */
#include <unistd.h>

#include "format/checkpoint.h"
#include "format/gguf.h"
#include "tests/check.h"

static const char *folder;

static bipe_checkpoint *open_model(const char *name)
{
    char path[4096];
    bipe_checkpoint *c;
    bipe_error err = {0};
    snprintf(path, sizeof path, "%s/models/%s", folder, name);
    CHECK(bipe_checkpoint_open(&c, path, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    return c;
}

/* Where the header says it is: read from the file by other means. */
static void test_place(const bipe_checkpoint *c, const char *model)
{
    char path[4096];
    uint8_t head[8], want[512];
    const bipe_tensor *t = bipe_tensor_find(bipe_checkpoint_tensors(c), "model.norm.weight");
    snprintf(path, sizeof path, "%s/models/%s/model.safetensors", folder, model);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fread(head, 1, 8, file) == 8);
    long length = head[0] | head[1] << 8 | head[2] << 16;
    CHECK(file != NULL && fseek(file, 8 + length + 2097152, SEEK_SET) == 0 && fread(want, 1, 512, file) == 512);
    CHECK(t != NULL && t->dims == 1 && t->shape[0] == 128 && t->dtype == BIPE_F32);
    CHECK(t != NULL && memcmp(t->data, want, 512) == 0);
    if (file != NULL)
        fclose(file);
}

/* The same weights by two roads; the pickled ones carry a buffer for each of the four layers besides. */
static void test_same_weights(void)
{
    bipe_checkpoint *c = open_model("small-bipe-alibi"), *p = open_model("small-bipe-alibi-pt");
    if (c == NULL || p == NULL)
        return;
    const bipe_tensor_table *a = bipe_checkpoint_tensors(c), *b = bipe_checkpoint_tensors(p);
    CHECK_UINT(a->count, 40); /* embedding, output, norm, table; 9 for each of 4 layers */
    CHECK_UINT(b->count, 44);
    for (size_t i = 0; i < a->count; i++) {
        const bipe_tensor *x = &a->tensor[i], *y = bipe_tensor_find(b, x->name);
        CHECKF(y != NULL && x->dtype == y->dtype && x->dims == y->dims && x->size == y->size &&
                   memcmp(x->shape, y->shape, sizeof x->shape) == 0 && memcmp(x->data, y->data, x->size) == 0,
               "tensor %s", x->name);
    }
    const bipe_tensor *alibi = bipe_tensor_find(b, "model.layers.3.self_attn.alibi");
    CHECK(alibi != NULL && alibi->dims == 4 && alibi->shape[1] == 4 && alibi->shape[3] == 256);
    test_place(c, "small-bipe-alibi");
    bipe_checkpoint_close(c);
    bipe_checkpoint_close(p);
}

static void test_vocabulary(const char *name, size_t keys, size_t tokens)
{
    char path[4096];
    bipe_error err = {0};
    bipe_gguf *g;
    size_t count = 0;
    snprintf(path, sizeof path, "%s/tokenizers/%s.gguf", folder, name);
    int status = bipe_gguf_open(&g, path, &err);
    CHECK_TEXT(err.text, "");
    CHECK(status == BIPE_OK);
    if (status != BIPE_OK)
        return;
    CHECK_UINT(bipe_gguf_key_count(g), keys);
    CHECK_UINT(bipe_gguf_tensors(g)->count, 0);
    CHECK(bipe_gguf_get_array(g, "tokenizer.ggml.tokens", BIPE_GGUF_STRING, &count, &err) == BIPE_OK);
    CHECK_UINT(count, tokens);
    if (strcmp(name, "ggml-vocab-llama-spm") == 0) {
        bipe_gguf_string s = bipe_gguf_array_string(g, "tokenizer.ggml.tokens", 301);
        CHECK(s.size == 4 && memcmp(s.text, "\xE2\x96\x81l", 4) == 0);
        CHECK(bipe_gguf_array_number(g, "tokenizer.ggml.scores", 301) == -42);
        bool flag = false;
        CHECK(bipe_gguf_get_bool(g, "tokenizer.ggml.add_bos_token", &flag, &err) == BIPE_OK && flag);
    }
    bipe_gguf_close(g);
}

int main(void)
{
    char path[4096];
    folder = test_shared();
    snprintf(path, sizeof path, "%s/models/small-bipe-alibi-pt", folder != NULL ? folder : "");
    if (folder == NULL || access(path, R_OK) != 0)
        test_skip("no model files beside the project");
    test_same_weights();
    test_vocabulary("ggml-vocab-bert-bge", 20, 30522);
    test_vocabulary("ggml-vocab-falcon", 18, 65024);
    test_vocabulary("ggml-vocab-gpt-2", 16, 50257);
    test_vocabulary("ggml-vocab-llama-spm", 22, 32000);
    return test_result();
}
