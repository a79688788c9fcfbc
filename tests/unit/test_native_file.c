/* test_native_file.c - models beside the project written as native files in each type: every tensor must hold exactly
 * what the conversion of its numbers gives, and a native file written again must be the same file. */
#include <unistd.h>

#include "base/alloc.h"
#include "format/checkpoint.h"
#include "format/gguf.h"
#include "model/model.h"
#include "nn/nn.h"
#include "tests/check.h"

static char folder[4096];

static int write_native(const char *path, bipe_dtype dtype, const char *out)
{
    bipe_model *model;
    bipe_gguf_writer *writer = NULL;
    bipe_error err = {0};
    int status = bipe_model_open(&model, path, &err);
    if (status == BIPE_OK)
        status = bipe_gguf_writer_open(&writer, &err);
    if (status == BIPE_OK)
        status = bipe_model_write_gguf(model, bipe_mix_of(dtype), writer, &err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, out, &err);
    CHECK_TEXT(err.text, "");
    bipe_gguf_writer_close(writer);
    bipe_model_close(model);
    return status;
}

/* The name that a tensor of a Hugging Face folder has in a native file. */
static const char *native_name(const char *name, char text[128])
{
    static const char *const pairs[][2] = {
        {"model.embed_tokens.weight", "token_embd.weight"},
        {"model.embeds.0.weight", "position_embd.weight"},
        {"model.norm.weight", "output_norm.weight"},
        {"lm_head.weight", "output.weight"},
        {"input_layernorm.weight", "attn_norm.weight"},
        {"self_attn.q_proj.weight", "attn_q.weight"},
        {"self_attn.k_proj.weight", "attn_k.weight"},
        {"self_attn.v_proj.weight", "attn_v.weight"},
        {"self_attn.o_proj.weight", "attn_output.weight"},
        {"post_attention_layernorm.weight", "ffn_norm.weight"},
        {"mlp.gate_proj.weight", "ffn_gate.weight"},
        {"mlp.up_proj.weight", "ffn_up.weight"},
        {"mlp.down_proj.weight", "ffn_down.weight"},
    };
    int layer = -1, used = 0;
    const char *rest = name;
    if (sscanf(name, "model.layers.%d.%n", &layer, &used) == 1 && used > 0)
        rest = name + used;
    else
        layer = -1;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(rest, pairs[i][0]) == 0) {
            if (layer >= 0)
                snprintf(text, 128, "blk.%d.%s", layer, pairs[i][1]);
            else
                snprintf(text, 128, "%s", pairs[i][1]);
            return text;
        }
    return NULL;
}

static void compare_tensor(const bipe_tensor *from, const bipe_tensor *to, bipe_dtype matrices)
{
    bool learned = strcmp(from->name, "model.embeds.0.weight") == 0; /* which is not put in blocks */
    bipe_dtype want = from->dims == 1 ? BIPE_F32 : learned && matrices == BIPE_Q8_0 ? from->dtype : matrices;
    size_t values = (size_t)(from->dims == 1 ? from->shape[0] : from->shape[0] * from->shape[1]);
    CHECKF(to != NULL && to->dtype == want && to->dims == from->dims && to->shape[0] == from->shape[0], "%s",
           from->name);
    if (to == NULL || to->dtype != want || from->dtype != BIPE_F32)
        return;
    float *floats = bipe_alloc(values, sizeof *floats);
    void *bytes = bipe_alloc((size_t)to->size, 1);
    CHECK(floats != NULL && bytes != NULL);
    if (floats != NULL && bytes != NULL) {
        bipe_dtype_to_f32(BIPE_F32, from->data, floats, values);
        bipe_dtype_from_f32(want, floats, bytes, values);
        CHECKF(bipe_dtype_row_size(want, values) == to->size && memcmp(bytes, to->data, (size_t)to->size) == 0, "%s",
               from->name);
    }
    bipe_free(floats);
    bipe_free(bytes);
}

static void test_types(const char *name)
{
    static const bipe_dtype types[] = {BIPE_F32, BIPE_F16, BIPE_BF16, BIPE_Q8_0};
    char path[4200];
    bipe_checkpoint *c;
    bipe_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(bipe_checkpoint_open(&c, path, &err) == BIPE_OK);
    for (size_t k = 0; c != NULL && k < sizeof types / sizeof types[0]; k++) {
        bipe_gguf *g = NULL;
        CHECK(write_native(path, types[k], "test_native_file.tmp") == BIPE_OK);
        CHECK(bipe_gguf_open(&g, "test_native_file.tmp", &err) == BIPE_OK);
        const bipe_tensor_table *table = bipe_checkpoint_tensors(c);
        size_t compared = 0;
        for (size_t i = 0; g != NULL && i < table->count; i++) {
            char native[128];
            if (native_name(table->tensor[i].name, native) == NULL) {
                CHECKF(strstr(table->tensor[i].name, ".alibi") != NULL, "%s", table->tensor[i].name);
                continue;
            }
            compare_tensor(&table->tensor[i], bipe_tensor_find(bipe_gguf_tensors(g), native), types[k]);
            compared++;
        }
        CHECK(g != NULL && compared == bipe_gguf_tensors(g)->count && compared >= 39);
        bipe_gguf_close(g);
    }
    CHECK_TEXT(err.text, "");
    bipe_checkpoint_close(c);
    remove("test_native_file.tmp");
}

static bool same_files(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    bool same = x != NULL && y != NULL;
    for (size_t n = 1; same && n != 0;) {
        static char part[2][1 << 16];
        n = fread(part[0], 1, sizeof part[0], x);
        same = fread(part[1], 1, sizeof part[1], y) == n && memcmp(part[0], part[1], n) == 0;
    }
    if (x != NULL)
        fclose(x);
    if (y != NULL)
        fclose(y);
    return same;
}

static void test_again(const char *name, bipe_dtype dtype)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(write_native(path, dtype, "test_native_one.tmp") == BIPE_OK);
    CHECK(write_native("test_native_one.tmp", dtype, "test_native_two.tmp") == BIPE_OK);
    CHECKF(same_files("test_native_one.tmp", "test_native_two.tmp"), "%s as %s", name, bipe_dtype_name(dtype));
    /* Over the file that is being read: what was mapped stays what it was. */
    CHECK(write_native("test_native_one.tmp", dtype, "test_native_one.tmp") == BIPE_OK);
    CHECKF(same_files("test_native_one.tmp", "test_native_two.tmp"), "%s over itself", name);
    remove("test_native_one.tmp");
    remove("test_native_two.tmp");
}

int main(void)
{
    const char *shared = test_shared();
    snprintf(folder, sizeof folder, "%s/models", shared != NULL ? shared : "");
    if (shared == NULL || access(folder, R_OK) != 0)
        test_skip("no models beside the project");
    test_types("small-bipe-alibi");
    test_types("small-bipe-alibi-pt");
    test_types("small-rope");
    test_again("small-bipe-rope", BIPE_F32);
    test_again("small-alibi", BIPE_BF16);
    test_again("small-rope", BIPE_Q8_0);
    return test_result();
}
