/* tiny_model.c - see tiny_model.h. */
#include "tests/reference/tiny_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/gguf.h"
#include "model/scheme.h"
#include "nn/nn.h"
#include "tests/check.h"

/* ---- making ---- */

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static float *spread(uint64_t *state, size_t count, double middle, double width)
{
    float *v = need(malloc((count + 1) * sizeof *v));
    for (size_t i = 0; i < count; i++) {
        double sum = 0; /* of four uniform numbers: bell-shaped enough */
        for (int j = 0; j < 4; j++)
            sum += (double)(test_random(state) >> 11) * 0x1p-53 - 0.5;
        v[i] = (float)(middle + width * 1.7 * sum);
    }
    return v;
}

void tiny_make(reference_model *m, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    size_t c = m->hidden, wide = m->heads * m->head_size, narrow = m->kv_heads * m->head_size, f = m->feed_forward;
    double by_c = 1.3 / sqrt((double)c), by_wide = 1.3 / sqrt((double)wide), by_f = 1.3 / sqrt((double)f);
    /* a tied table makes the logits too: kept small, so that losses are of the size of real ones */
    m->embedding = spread(&state, m->vocabulary * c, 0, m->tied ? 0.4 : 1);
    m->projection = m->tied ? NULL : spread(&state, m->vocabulary * c, 0, by_c);
    m->learned = m->learned_rows > 0 ? spread(&state, m->learned_rows * c, 0, 0.7) : NULL;
    m->t5_table = m->t5 != 0 ? spread(&state, (size_t)m->t5 * m->heads, 0, 1) : NULL;
    m->norm = spread(&state, c, 1, 0.2);
    m->rope_factors = m->factors ? spread(&state, m->head_size / 2, 2, 0.3) : NULL;
    m->layer = need(calloc(m->layers, sizeof *m->layer));
    for (unsigned i = 0; i < m->layers; i++) {
        m->layer[i] = (reference_layer){.query = spread(&state, wide * c, 0, by_c * 1.1),
                                        .key = spread(&state, narrow * c, 0, by_c * 1.1),
                                        .value = spread(&state, narrow * c, 0, by_c),
                                        .output = spread(&state, wide * c, 0, by_wide),
                                        .gate = spread(&state, f * c, 0, by_c), .up = spread(&state, f * c, 0, by_c),
                                        .down = spread(&state, f * c, 0, by_f), .norm1 = spread(&state, c, 1, 0.2),
                                        .norm2 = spread(&state, c, 1, 0.2)};
        if (m->biases & 2)
            m->layer[i].output_bias = spread(&state, c, 0, 0.5);
        if (m->biases & 4) {
            m->layer[i].gate_bias = spread(&state, f, 0, 0.5);
            m->layer[i].up_bias = spread(&state, f, 0, 0.5);
            m->layer[i].down_bias = spread(&state, c, 0, 0.5);
        }
        if (m->biases & 1) {
            m->layer[i].query_bias = spread(&state, wide, 0, 1);
            m->layer[i].key_bias = spread(&state, narrow, 0, 1);
            m->layer[i].value_bias = spread(&state, narrow, 0, 1);
        }
        if (m->head_norms) {
            m->layer[i].query_norm = spread(&state, m->head_size, 1.3, 0.3);
            m->layer[i].key_norm = spread(&state, m->head_size, 1.3, 0.3);
        }
    }
}

void tiny_free(reference_model *m)
{
    for (unsigned i = 0; i < m->layers; i++) {
        reference_layer *l = &m->layer[i];
        free(l->query), free(l->key), free(l->value), free(l->output);
        free(l->gate), free(l->up), free(l->down), free(l->norm1), free(l->norm2);
        free(l->output_bias), free(l->gate_bias), free(l->up_bias), free(l->down_bias);
        free(l->query_bias), free(l->key_bias), free(l->value_bias), free(l->query_norm), free(l->key_norm);
    }
    free(m->layer), free(m->embedding), free(m->projection), free(m->learned), free(m->t5_table), free(m->norm),
        free(m->rope_factors);
}

/* ---- one list of tensors for all formats ---- */

enum { PLAIN, QUERY, KEY };

typedef struct entry {
    char hf[80], gguf[80];
    float *values;
    int dims;
    uint64_t shape[2];
    int rows_of; /* PLAIN, or which projection's rows a llama file interleaves */
    bipe_dtype dtype;
    const reference_model *model;
    int interleave;
} entry;

typedef struct list {
    entry *entry;
    size_t count;
} list;

static void put(list *l, const reference_model *m, const char *hf, const char *gguf, float *values, uint64_t rows,
                uint64_t columns, int rows_of)
{
    if (values == NULL)
        return;
    l->entry = need(realloc(l->entry, (l->count + 1) * sizeof *l->entry));
    entry *e = &l->entry[l->count++];
    *e = (entry){.values = values, .dims = rows == 0 ? 1 : 2, .rows_of = rows_of, .model = m};
    snprintf(e->hf, sizeof e->hf, "%s", hf);
    snprintf(e->gguf, sizeof e->gguf, "%s", gguf);
    e->shape[0] = rows == 0 ? columns : rows;
    e->shape[1] = columns;
}

static list tensors_of(const reference_model *m)
{
    list l = {NULL, 0};
    uint64_t c = m->hidden, wide = m->heads * m->head_size, narrow = m->kv_heads * m->head_size, f = m->feed_forward;
    put(&l, m, "model.embed_tokens.weight", "token_embd.weight", m->embedding, m->vocabulary, c, PLAIN);
    put(&l, m, "lm_head.weight", "output.weight", m->projection, m->vocabulary, c, PLAIN);
    put(&l, m, "model.embeds.0.weight", "position_embd.weight", m->learned, m->learned_rows, c, PLAIN);
    put(&l, m, "model.relative_attention_bias.weight", "relative_attention_bias.weight", m->t5_table, (uint64_t)m->t5,
        m->heads, PLAIN);
    put(&l, m, "", "rope_freqs.weight", m->rope_factors, 0, m->head_size / 2, PLAIN);
    put(&l, m, "model.norm.weight", "output_norm.weight", m->norm, 0, c, PLAIN);
    for (unsigned i = 0; i < m->layers; i++) {
        const reference_layer *r = &m->layer[i];
        const struct { const char *hf, *gguf; float *values; uint64_t rows, columns; int rows_of; } all[] = {
            {"self_attn.q_proj.weight", "attn_q.weight", r->query, wide, c, QUERY},
            {"self_attn.k_proj.weight", "attn_k.weight", r->key, narrow, c, KEY},
            {"self_attn.v_proj.weight", "attn_v.weight", r->value, narrow, c, PLAIN},
            {"self_attn.o_proj.weight", "attn_output.weight", r->output, c, wide, PLAIN},
            {"self_attn.q_proj.bias", "attn_q.bias", r->query_bias, 0, wide, QUERY},
            {"self_attn.k_proj.bias", "attn_k.bias", r->key_bias, 0, narrow, KEY},
            {"self_attn.o_proj.bias", "attn_output.bias", r->output_bias, 0, c, PLAIN},
            {"mlp.gate_proj.bias", "ffn_gate.bias", r->gate_bias, 0, f, PLAIN},
            {"mlp.up_proj.bias", "ffn_up.bias", r->up_bias, 0, f, PLAIN},
            {"mlp.down_proj.bias", "ffn_down.bias", r->down_bias, 0, c, PLAIN},
            {"self_attn.v_proj.bias", "attn_v.bias", r->value_bias, 0, narrow, PLAIN},
            {"self_attn.q_norm.weight", "attn_q_norm.weight", r->query_norm, 0, m->head_size, PLAIN},
            {"self_attn.k_norm.weight", "attn_k_norm.weight", r->key_norm, 0, m->head_size, PLAIN},
            {"mlp.gate_proj.weight", "ffn_gate.weight", r->gate, f, c, PLAIN},
            {"mlp.up_proj.weight", "ffn_up.weight", r->up, f, c, PLAIN},
            {"mlp.down_proj.weight", "ffn_down.weight", r->down, c, f, PLAIN},
            {"input_layernorm.weight", "attn_norm.weight", r->norm1, 0, c, PLAIN},
            {"post_attention_layernorm.weight", "ffn_norm.weight", r->norm2, 0, c, PLAIN}};
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++) {
            char hf[80], gguf[80];
            snprintf(hf, sizeof hf, "model.layers.%u.%s", i, all[j].hf);
            snprintf(gguf, sizeof gguf, "blk.%u.%s", i, all[j].gguf);
            put(&l, m, hf, gguf, all[j].values, all[j].rows, all[j].columns, all[j].rows_of);
        }
    }
    return l;
}

void tiny_round(reference_model *m, bipe_dtype dtype)
{
    list l = tensors_of(m);
    for (size_t i = 0; i < l.count; i++) {
        const entry *e = &l.entry[i];
        if (e->dims != 2 || e->values == m->t5_table)
            continue;
        bipe_dtype type = bipe_dtype_row_size(dtype, e->shape[1]) != 0 ? dtype : BIPE_F16;
        void *row = need(malloc(bipe_dtype_row_size(type, e->shape[1])));
        for (uint64_t r = 0; r < e->shape[0]; r++) {
            bipe_dtype_from_f32(type, e->values + r * e->shape[1], row, e->shape[1]);
            bipe_dtype_to_f32(type, row, e->values + r * e->shape[1], e->shape[1]);
        }
        free(row);
    }
    free(l.entry);
}

/* ---- GGUF ---- */

static int give_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    const entry *e = context;
    (void)err;
    uint64_t d = e->model->head_size, columns = e->dims == 2 ? e->shape[1] : 1, rows = e->dims == 2 ? 1 : e->shape[0];
    for (uint64_t i = 0; i < rows; i++, row++) { /* values of a bias are rows; row 2j + s of a head holds row s * D / 2
                                                    + j */
        uint64_t from = e->interleave && e->rows_of != PLAIN ? row / d * d + row % d % 2 * (d / 2) + row % d / 2 : row;
        bipe_dtype_from_f32(e->dtype, e->values + from * columns, (uint8_t *)buffer + 4 * i, columns);
    }
    return BIPE_OK;
}

static void must(int status, const bipe_error *err)
{
    if (status != BIPE_OK) {
        fprintf(stderr, "tiny_model: %s\n", err->text);
        abort();
    }
}

/* The 256 bytes and nonsense: llama.cpp refuses a file without a vocabulary. */
static void put_vocabulary(bipe_gguf_writer *w, size_t count)
{
    enum { SPECIAL = 3, BYTES = SPECIAL + 256 };
    static const char *const special[SPECIAL] = {"<unk>", "<s>", "</s>"};
    bipe_gguf_string *words = need(calloc(count, sizeof *words));
    char (*text)[16] = need(calloc(count, sizeof *text));
    int32_t *types = need(calloc(count, sizeof *types)); /* 1 normal, 2 unknown, 3 control, 6 byte */
    float *scores = need(calloc(count, sizeof *scores));
    for (size_t i = 0; i < count; i++) {
        if (i < SPECIAL)
            snprintf(text[i], sizeof text[i], "%s", special[i]);
        else
            snprintf(text[i], sizeof text[i], i < BYTES ? "<0x%02X>" : "w%u",
                     (unsigned)(i - (i < BYTES ? SPECIAL : BYTES)));
        words[i] = (bipe_gguf_string){text[i], strlen(text[i])};
        types[i] = i == 0 ? 2 : i < SPECIAL ? 3 : i < BYTES ? 6 : 1;
        scores[i] = -(float)i;
    }
    bipe_gguf_set_string(w, "tokenizer.ggml.model", "llama", 5);
    bipe_gguf_set_strings(w, "tokenizer.ggml.tokens", words, count);
    bipe_gguf_set_f32s(w, "tokenizer.ggml.scores", scores, count);
    bipe_gguf_set_i32s(w, "tokenizer.ggml.token_type", types, count);
    free(words), free(text), free(types), free(scores);
}

void tiny_write_gguf(const reference_model *m, const char *path, const char *architecture, bipe_dtype dtype,
                     const char *scheme, const char *scaling)
{
    bipe_gguf_writer *w;
    bipe_error err;
    char key[80];
    int llama = strcmp(architecture, "llama") == 0;
    must(bipe_gguf_writer_open(&w, &err), &err);
    bipe_gguf_set_string(w, "general.architecture", architecture, strlen(architecture));
    const struct { const char *name; unsigned value; } counts[] = {
        {"context_length", m->train_length}, {"embedding_length", m->hidden}, {"block_count", m->layers},
        {"feed_forward_length", m->feed_forward}, {"attention.head_count", m->heads},
        {"attention.head_count_kv", m->kv_heads}, {"attention.key_length", m->head_size},
        {"attention.value_length", m->head_size}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        snprintf(key, sizeof key, "%s.%s", architecture, counts[i].name);
        bipe_gguf_set_u32(w, key, counts[i].value);
    }
    snprintf(key, sizeof key, "%s.attention.layer_norm_rms_epsilon", architecture);
    bipe_gguf_set_f32(w, key, (float)m->eps);
    snprintf(key, sizeof key, "%s.rope.freq_base", architecture);
    bipe_gguf_set_f32(w, key, (float)m->base);
    bipe_rope_scaling s;
    must(bipe_rope_scaling_parse(&s, scaling, &err), &err);
    if (s.kind != BIPE_SCALING_NONE) {
        snprintf(key, sizeof key, "%s.rope.scaling.type", architecture);
        bipe_gguf_set_string(w, key, scaling, strcspn(scaling, ":"));
        snprintf(key, sizeof key, "%s.rope.scaling.factor", architecture);
        bipe_gguf_set_f32(w, key, (float)s.factor);
        if (s.kind == BIPE_SCALING_LLAMA3) {
            snprintf(key, sizeof key, "%s.rope.scaling.low_freq_factor", architecture);
            bipe_gguf_set_f32(w, key, (float)s.low);
            snprintf(key, sizeof key, "%s.rope.scaling.high_freq_factor", architecture);
            bipe_gguf_set_f32(w, key, (float)s.high);
        }
        const struct {
            const char *name;
            double value;
        } settings[] = {{"yarn_attn_factor", s.magnitude}, {"yarn_beta_fast", s.high}, {"yarn_beta_slow", s.low}};
        for (size_t i = 0; s.kind == BIPE_SCALING_YARN && i < sizeof settings / sizeof settings[0]; i++) {
            snprintf(key, sizeof key, "%s.rope.scaling.%s", architecture, settings[i].name);
            if (settings[i].value != 0)
                bipe_gguf_set_f32(w, key, (float)settings[i].value);
        }
        if (s.exact) {
            snprintf(key, sizeof key, "%s.rope.scaling.truncate", architecture);
            bipe_gguf_set_bool(w, key, false);
        }
        if (s.original != 0) {
            snprintf(key, sizeof key, "%s.rope.scaling.original_context_length", architecture);
            bipe_gguf_set_u32(w, key, (uint32_t)s.original);
        }
    }
    if (strcmp(architecture, "bipe") == 0) {
        bipe_gguf_set_string(w, "bipe.position_scheme", scheme, strlen(scheme));
        bipe_gguf_set_string(w, "bipe.segmenter", "line", 4);
        bipe_gguf_set_bool(w, "bipe.log_scale", m->log_scale != 0);
        if (m->t5 != 0 && m->t5 != 32)
            bipe_gguf_set_u32(w, "bipe.attention.relative_buckets_count", (uint32_t)m->t5);
    }
    if (strcmp(architecture, "bipe") != 0 && m->vocabulary > 260)
        put_vocabulary(w, m->vocabulary);
    list l = tensors_of(m);
    for (size_t i = 0; i < l.count; i++) {
        entry *e = &l.entry[i];
        e->interleave = llama;
        e->dtype = e->dims == 2 && e->values != m->t5_table ? dtype : BIPE_F32;
        if (bipe_dtype_row_size(e->dtype, e->shape[1]) == 0)
            e->dtype = BIPE_F16;
        must(bipe_gguf_add_tensor(w, e->gguf, e->dtype, e->dims, e->shape, give_row, e, &err), &err);
    }
    must(bipe_gguf_write(w, path, &err), &err);
    bipe_gguf_writer_close(w);
    free(l.entry);
}

/* ---- folders ---- */

void tiny_write_text(const char *path, const char *text)
{
    FILE *file = need(fopen(path, "wb"));
    fputs(text, file);
    if (fclose(file) != 0)
        abort();
}

void tiny_write_folder(const reference_model *m, const char *folder, const char *extra)
{
    char path[256], config[2048];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/config.json", folder);
    snprintf(config, sizeof config,
             "{\"model_type\":\"%s\",\"hidden_act\":\"silu\",\"vocab_size\":%u,\"hidden_size\":%u,"
             "\"num_hidden_layers\":%u,\"num_attention_heads\":%u,\"num_key_value_heads\":%u,\"head_dim\":%u,"
             "\"intermediate_size\":%u,\"max_position_embeddings\":%u,\"rms_norm_eps\":%.9g,\"rope_theta\":%.9g,"
             "\"tie_word_embeddings\":%s%s%s%s}",
             m->head_norms    ? "qwen3"
             : m->biases == 1 ? "qwen2"
                              : "llama",
             m->vocabulary, m->hidden, m->layers, m->heads, m->kv_heads, m->head_size, m->feed_forward, m->train_length,
             m->eps, m->base, m->tied ? "true" : "false", m->biases & 2 ? ",\"attention_bias\":true" : "",
             m->biases & 4 ? ",\"mlp_bias\":true" : "", extra);
    tiny_write_text(path, config);
    list l = tensors_of(m);
    char *header = need(malloc(l.count * 256 + 16)), *at = header;
    uint64_t offset = 0;
    at += sprintf(at, "{");
    for (size_t i = 0; i < l.count; i++) {
        const entry *e = &l.entry[i];
        uint64_t size = 4 * e->shape[0] * (e->dims == 2 ? e->shape[1] : 1);
        at += sprintf(at, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%" PRIu64, i > 0 ? "," : "", e->hf, e->shape[0]);
        if (e->dims == 2)
            at += sprintf(at, ",%" PRIu64, e->shape[1]);
        at += sprintf(at, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", offset, offset + size);
        offset += size;
    }
    at += sprintf(at, "}");
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    FILE *file = need(fopen(path, "wb"));
    uint64_t length = (uint64_t)(at - header);
    for (int i = 0; i < 8; i++)
        fputc((int)(length >> 8 * i & 255), file);
    fwrite(header, 1, length, file);
    for (size_t i = 0; i < l.count; i++) {
        const entry *e = &l.entry[i];
        size_t count = (size_t)(e->shape[0] * (e->dims == 2 ? e->shape[1] : 1));
        uint8_t *bytes = need(malloc(count * 4));
        bipe_dtype_from_f32(BIPE_F32, e->values, bytes, count);
        fwrite(bytes, 4, count, file);
        free(bytes);
    }
    if (fclose(file) != 0)
        abort();
    free(header);
    free(l.entry);
}

void tiny_remove_folder(const char *folder)
{
    static const char *const names[] = {"config.json", "model.safetensors"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- windows ---- */

/* Each segment of the next finer level begins one of this level with a chance of 2 in 5. */
static void make_level(tiny_window *w, size_t level, uint64_t seed)
{
    const uint32_t *finer = w->index.of[2 * level - 3];
    uint32_t *segment = need(calloc(w->length, sizeof *segment)), *intra = need(calloc(w->length, sizeof *intra));
    uint64_t state = seed * 31 + level;
    for (size_t t = 1; t < w->length; t++) {
        bool next = finer[t] != finer[t - 1], begins = next && test_random(&state) % 5 < 2;
        segment[t] = segment[t - 1] + begins;
        intra[t] = begins ? 0 : intra[t - 1] + next;
    }
    w->index.of[2 * level - 1] = segment;
    w->index.of[2 * level] = intra;
}

void tiny_window_make(tiny_window *w, size_t length, unsigned vocabulary, unsigned mean, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    w->length = length;
    w->ids = need(calloc(length, sizeof *w->ids));
    w->segment = need(calloc(length, sizeof *w->segment));
    w->intra = need(calloc(length, sizeof *w->intra));
    w->nll = need(calloc(length, sizeof *w->nll));
    w->expected = need(calloc(length, sizeof *w->expected));
    uint32_t n = 0, i = 0;
    for (size_t t = 0; t < length; t++) {
        w->ids[t] = (uint32_t)(test_random(&state) % vocabulary);
        w->segment[t] = n;
        w->intra[t] = i++;
        if (test_random(&state) % mean == 0)
            n++, i = 0;
    }
    w->index = (bipe_indices){{NULL, w->segment, w->intra}};
    for (size_t level = 2; level <= 3; level++)
        make_level(w, level, seed);
}

void tiny_window_free(tiny_window *w)
{
    for (size_t i = 0; i < BIPE_INDICES; i++)
        free((void *)(uintptr_t)w->index.of[i]);
    free(w->ids), free(w->nll), free(w->expected);
}
