/* family_losses.c - for comparisons with llama.cpp: writes a small random model of a family as a GGUF file, and prints
 * the id and the loss of each token of a random text, a line each. Usage: family_losses FAMILY OUT; FAMILY is one of
 * `families`. */
#include "model/evaluator.h"
#include "tests/check.h"
#include "tests/reference/tiny_model.h"

static const struct {
    const char *name, *architecture, *scaling;
    int biases, head_norms, factors;
    unsigned head_size;
} families[] = {
    {"llama", "llama", "none", 0, 0, 0, 16}, {"llama3", "llama", "none", 0, 0, 1, 32},
    {"yarn", "llama", "yarn:4:32", 0, 0, 0, 32}, {"qwen2", "qwen2", "none", 1, 0, 0, 16},
    {"qwen3", "qwen3", "none", 0, 1, 0, 32},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(argv[1], families[i].name) != 0)
            continue;
        reference_model m = {.vocabulary = 320, .hidden = 64, .layers = 3, .heads = 4, .kv_heads = 2,
                             .head_size = families[i].head_size, .feed_forward = 96, .train_length = 256,
                             .biases = families[i].biases, .head_norms = families[i].head_norms,
                             .factors = families[i].factors, .eps = (double)1e-5f, .base = 5000};
        bipe_model *model;
        bipe_pool *pool;
        bipe_evaluator *evaluator;
        bipe_error err = {BIPE_OK, ""};
        tiny_window w;
        tiny_make(&m, 30 + i);
        tiny_write_gguf(&m, argv[2], families[i].architecture, BIPE_F32, "rope@token", families[i].scaling);
        tiny_window_make(&w, 200, m.vocabulary, 9, 4);
        bipe_window window = {w.ids, w.index, w.length, NULL, w.nll};
        bipe_evaluator_options options = {.max_length = w.length};
        if (bipe_model_open(&model, argv[2], &err) != BIPE_OK || bipe_pool_open(&pool, 1, &err) != BIPE_OK ||
            bipe_evaluator_open(&evaluator, model, &options, pool, &err) != BIPE_OK ||
            bipe_evaluator_run(evaluator, &window, 1, &err) != BIPE_OK) {
            fprintf(stderr, "family_losses: %s\n", err.text);
            return 1;
        }
        for (size_t t = 0; t < w.length; t++)
            printf("%u %.9g\n", (unsigned)w.ids[t], t > 0 ? w.nll[t - 1] : 0.0);
        bipe_evaluator_close(evaluator);
        bipe_pool_close(pool);
        bipe_model_close(model);
        tiny_window_free(&w);
        tiny_free(&m);
        return 0;
    }
    fputs("usage: family_losses llama|llama3|yarn|qwen2|qwen3 OUT\n", stderr);
    return 2;
}
