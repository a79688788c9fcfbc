/* passkey.c - the program that writes texts from which to learn the passkey task: like those of bipe-score --probe
 * passkey, each with the right key at its end. */
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "cli/options.h"
#include "base/output.h"
#include "base/random.h"
#include "task/passkey.h"
#include "cli/tool.h"

static struct {
    uint64_t texts, sentences, seed;
    const char *output;
} settings = { .texts = 1000, .sentences = 50, .seed = 1 };

static const bipe_option option_table[] = {
    {'n', "texts", BIPE_OPTION_SIZE, &settings.texts, "N", .help = "number of texts (default 1000)", .group = "Task"},
    {'k', "sentences", BIPE_OPTION_SIZE, &settings.sentences, "K", .maximum = 1000000,
     .help =
         "each text draws its own number of sentences, from 0 to K (default 50), and the place of the key among them"},
    {0, "seed", BIPE_OPTION_SIZE, &settings.seed, "N",
     .help = "seed of the random numbers (default 1); the same seed gives the same bytes everywhere"},

    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE", .help = "write to FILE (default: standard output)",
     .group = "Output"},
};

static const bipe_options options = {
    .tool = "passkey",
    .summary = "writes texts with a hidden key, and the key at the end",
    .usage = "[OPTION...]",
    .description = "Texts like those of bipe-score --probe passkey, each with the right key as its answer, as JSON "
                   "Lines with the member text. "
                   "The keys, five digits, are drawn anew for each text.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
};

static int write_texts(bipe_output *output, bipe_error *err)
{
    bipe_buffer text = {0};
    uint64_t random = settings.seed;
    int status = BIPE_OK;
    for (uint64_t i = 0; i < settings.texts && status == BIPE_OK; i++) {
        uint32_t key = bipe_passkey_draw(&random);
        size_t filler = (size_t)bipe_random_below(&random, settings.sentences + 1);
        size_t before = (size_t)bipe_random_below(&random, filler + 1);
        status = bipe_passkey_text(&text, key, key, filler, before, bipe_random_bits(&random), err);
        if (status != BIPE_OK)
            break;
        bipe_json json;
        bipe_json_open(&json, output, false);
        bipe_json_begin_object(&json);
        bipe_json_key(&json, "text");
        bipe_json_bytes(&json, text.data, text.size);
        bipe_json_end_object(&json);
        status = bipe_json_close(&json, err);
    }
    bipe_buffer_free(&text);
    return status;
}

static int run(void *context, const bipe_texts *operands)
{
    (void)operands;
    bipe_error err = {0};
    bipe_output *output = NULL;
    int status = bipe_output_open(&output, settings.output, &err);
    if (status == BIPE_OK)
        status = write_texts(output, &err);
    return bipe_tool_end(context, status, &output, &err);
}

int main(int argc, char **argv)
{
    bipe_tool tool;
    bipe_tool_start(&tool, options.tool);
    return bipe_tool_run(&tool, &options, argc, argv, run, &tool);
}
