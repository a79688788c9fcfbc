/* gradient_values.c - for tests/peers/gradients: the gradient of a model's loss. Reads ids from standard input; the
 * first LENGTH of them are a row, and so on, and each token but a row's first is a target. Prints the loss and, a line
 * each, the name, rows and columns of every parameter; writes the values of all of them to OUT, then their gradients,
 * as f32 in the machine's order. Two threads that compute layers again must give the same bits.
 * Usage: gradient_values MODEL OUT DROPOUT LENGTH... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/parameters.h"
#include "train/network.h"

enum { ROWS = 4 };

typedef struct job {
    bipe_train_row row[ROWS];
    size_t rows, longest;
} job;

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void read_row(job *j, size_t length)
{
    uint32_t *ids = need(calloc(length, sizeof *ids)), *zeros = need(calloc(length, sizeof *zeros)),
             *count = need(calloc(length, sizeof *count));
    uint8_t *target = need(malloc(length));
    for (size_t i = 0; i < length; i++) {
        count[i] = (uint32_t)i;
        target[i] = 1;
        if (scanf("%" SCNu32, &ids[i]) != 1)
            abort();
    }
    j->row[j->rows] = (bipe_train_row){.ids = ids, .index = {{NULL, zeros, count}}, .length = length,
                                      .target = target, .draw = 7 + j->rows};
    j->rows++;
    j->longest = length > j->longest ? length : j->longest;
}

static float *gradient_of(bipe_model *model, const job *j, bipe_network_options options, size_t threads, double *loss)
{
    bipe_pool *pool;
    bipe_network *net;
    bipe_error err = {BIPE_OK, ""};
    size_t count;
    bipe_model_values(model, &count);
    float *gradient = need(calloc(count, sizeof *gradient));
    if (bipe_pool_open(&pool, threads, &err) != BIPE_OK ||
        bipe_network_open(&net, model, &options, pool, &err) != BIPE_OK ||
        bipe_network_run(net, j->row, j->rows, 1, gradient, loss, &err) != BIPE_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    bipe_network_close(net);
    bipe_pool_close(pool);
    return gradient;
}

int main(int argc, char **argv)
{
    job j = {.rows = 0};
    bipe_error err = {BIPE_OK, ""};
    bipe_model *file, *model;
    if (argc < 5 || argc > 4 + ROWS) {
        fputs("usage: gradient_values MODEL OUT DROPOUT LENGTH...\n", stderr);
        return 2;
    }
    for (int i = 4; i < argc; i++)
        read_row(&j, (size_t)atol(argv[i]));
    if (bipe_model_open(&file, argv[1], &err) != BIPE_OK || bipe_model_copy(&model, file, &err) != BIPE_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    bipe_network_options options = {.length = j.longest, .rows = ROWS, .dropout = atof(argv[3])};
    double loss, other_loss;
    size_t count;
    const float *values = bipe_model_values(model, &count);
    float *gradient = gradient_of(model, &j, options, 1, &loss);
    options.recompute = true;
    float *other = gradient_of(model, &j, options, 2, &other_loss);
    if (loss != other_loss || memcmp(gradient, other, count * sizeof *gradient) != 0) {
        fputs("two threads that compute layers again have other digits\n", stderr);
        return 1;
    }
    free(other);
    FILE *out = need(fopen(argv[2], "wb"));
    printf("%.17g\n", loss);
    for (size_t i = 0; i < bipe_model_parameters(model); i++) {
        bipe_parameter p;
        bipe_model_parameter(model, i, &p);
        printf("%s %zu %zu\n", p.name, p.rows, p.columns);
    }
    if (fwrite(values, sizeof *values, count, out) != count ||
        fwrite(gradient, sizeof *gradient, count, out) != count || fclose(out) != 0)
        return 1;
    free(gradient);
    bipe_model_close(model);
    bipe_model_close(file);
    for (size_t i = 0; i < j.rows; i++) {
        free((void *)(uintptr_t)j.row[i].ids);
        free((void *)(uintptr_t)j.row[i].index.of[1]);
        free((void *)(uintptr_t)j.row[i].index.of[2]);
        free((void *)(uintptr_t)j.row[i].target);
    }
    return 0;
}
