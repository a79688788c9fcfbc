/* random_model.c - writes a native model of any shape with random weights, for measuring speed and memory where no
 * trained model of that size is at hand. It predicts nothing. Same arguments, same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "format/gguf.h"
#include "model/parameters.h"

static int write_model(const char *path, const bipe_hyperparameters *hyper, bipe_error *err)
{
    bipe_model *model;
    bipe_gguf_writer *writer = NULL;
    int status = bipe_model_create(&model, hyper, 1, err);
    if (status == BIPE_OK)
        status = bipe_gguf_writer_open(&writer, err);
    if (status == BIPE_OK)
        status = bipe_model_write_gguf(model, bipe_mix_of(BIPE_F32), writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, path, err);
    bipe_gguf_writer_close(writer);
    bipe_model_close(model);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 9) {
        fputs("usage: random_model OUT LAYERS HIDDEN HEADS FEED_FORWARD VOCABULARY TRAIN_LENGTH SCHEME\n", stderr);
        return 2;
    }
    uint32_t number[6];
    for (int i = 0; i < 6; i++) {
        long value = strtol(argv[2 + i], NULL, 10);
        if (value < 1 || value > 1 << 20) {
            fprintf(stderr, "random_model: %s: expected a number from 1 to 1048576\n", argv[2 + i]);
            return 2;
        }
        number[i] = (uint32_t)value;
    }
    bipe_hyperparameters hyper = {.layers = number[0], .hidden = number[1], .heads = number[2], .kv_heads = number[2],
                                  .head_size = number[1] / number[2], .feed_forward = number[3],
                                  .vocabulary = number[4],
                                  .train_length = number[5], .rms_norm_eps = 1e-5, .rope_base = 10000};
    bipe_error err = {0};
    if (bipe_scheme_parse(&hyper.scheme, argv[8], &err) != BIPE_OK || write_model(argv[1], &hyper, &err) != BIPE_OK) {
        fprintf(stderr, "random_model: %s\n", err.text);
        return 1;
    }
    return 0;
}
