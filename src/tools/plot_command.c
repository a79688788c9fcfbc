/* plot_command.c - the commands that reproduce a result, made from its members: models, segmenters, lengths, protocol, files. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/html.h"
#include "tools/plot_report.h"

void plot_command_word(const char *word, bipe_output *output)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        bipe_output_printf(output, NULL, "%s ", word);
        return;
    }
    bipe_output_write(output, "'", 1, NULL);
    for (size_t size; *word != '\0'; word += size + (word[size] == '\'')) {
        size = strcspn(word, "'");
        bipe_html_bytes(output, word, size);
        if (word[size] == '\'')
            bipe_output_printf(output, NULL, "'\\''");
    }
    bipe_output_printf(output, NULL, "' ");
}

size_t plot_different(const json_t *list, const char *key, const char *text[PLOT_DIFFERENT_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < PLOT_DIFFERENT_MOST; i++) {
        const char *one = json_string_value(json_object_get(json_array_get(list, i), key));
        size_t k = 0;
        while (one != NULL && k < count && strcmp(text[k], one) != 0)
            k++;
        if (one != NULL && k == count)
            text[count++] = one;
    }
    return count;
}

/* An option and object.key where that is a text other than the usual one, or a number above 0; a flag where it is true. */
static void put_option(const char *option, const json_t *object, const char *key, const char *usual, bipe_output *output)
{
    const json_t *member = json_object_get(object, key);
    const char *text = json_string_value(member);
    if (json_is_true(member))
        bipe_output_printf(output, NULL, "%s ", option);
    else if (json_is_integer(member) && json_integer_value(member) > 0)
        bipe_output_printf(output, NULL, "%s %lld ", option, (long long)json_integer_value(member));
    if (text == NULL || (usual != NULL && strcmp(text, usual) == 0))
        return;
    bipe_output_printf(output, NULL, "%s ", option);
    plot_command_word(text, output);
}

/* The different lengths of windows, joined by commas. Those of a model and segmenter rise, and others have the same. */
static void put_lengths(const json_t *results, bipe_output *output)
{
    json_int_t before = 0;
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_int_t length = json_integer_value(json_object_get(json_array_get(results, i), "length"));
        if (length > before)
            bipe_output_printf(output, NULL, "%s%lld", before == 0 ? "-L " : ",", (long long)length);
        before = length > before ? length : before;
    }
    bipe_output_printf(output, NULL, before > 0 ? " " : "");
}

static void put_protocol(const json_t *root, bipe_output *output)
{
    static const struct {
        const char *option, *key, *usual;
    } options[] = {{"--protocol", "name", "paper"}, {"--stride", "stride", NULL}, {"--tail", "tail", NULL}, {"--last", "last", NULL},
                   {"--common", "common", NULL}, {"--bos", "bos", "document"}, {"--count-bos", "count_bos", NULL}, {"--pack", "pack", "stream"},
                   {"--loss-after", "loss_after", NULL}, {"--group", "group", NULL}, {"--seed", "seed", NULL}};
    const json_t *protocol = json_object_get(root, "protocol"), *model = json_object_get(root, "model");
    const char *name = json_string_value(json_object_get(protocol, "name")), *trained = json_string_value(json_object_get(model, "trained_scheme"));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(options[i].key, "bos") != 0 || (name != NULL && strcmp(name, "paper") == 0)) /* other protocols have a rule of their own for BOS */
            put_option(options[i].option, protocol, options[i].key, options[i].usual, output);
    put_option("--scheme", model, "scheme", trained, output);
    put_option("--rope-scaling", model, "rope_scaling", NULL, output);
    put_option("--precision", root, "precision", "f32", output);
    put_option("--by", json_object_get(json_array_get(json_object_get(root, "results"), 0), "by"), "index", NULL, output);
}

void plot_command_write(const plot_input *input, bipe_output *output)
{
    bool score = input->source == PLOT_SCORE;
    const json_t *root = input->root, *results = json_object_get(root, "results"), *named = json_object_get(root, "combinations");
    const char *text[PLOT_DIFFERENT_MOST], *model = NULL;
    named = json_array_size(named) > 0 ? named : results;
    bipe_output_printf(output, NULL, "%s --json ", score ? "bipe-score" : "bipe-stats");
    put_lengths(results, output);
    for (size_t i = 0, count = plot_different(named, "segmenter", text); i < count; i++) {
        bipe_output_printf(output, NULL, "-s ");
        plot_command_word(text[i], output);
    }
    for (size_t i = 0, count = plot_different(named, "model", text); i < count; i++)
        if (i == 0) {
            model = text[0];
        } else {
            bipe_output_printf(output, NULL, "--against ");
            plot_command_word(text[i], output);
        }
    if (score) {
        put_protocol(root, output);
    } else {
        const json_t *sample = json_object_get(root, "sample");
        put_option("-t", root, "tokenizer", "word", output);
        put_option("--squeeze", root, "squeeze", NULL, output);
        put_option("--group-by", root, "group_by", NULL, output);
        put_option("--sample", sample, "every", NULL, output);
        put_option("--seed", sample, "seed", NULL, output);
    }
    bipe_output_printf(output, NULL, "-o ");
    plot_command_word(input->path, output);
    if (score && model != NULL)
        plot_command_word(model, output);
    size_t files = plot_different(score ? results : json_object_get(root, "per_file"), "file", text);
    for (size_t i = 0; i < files; i++)
        plot_command_word(text[i], output);
    bipe_output_printf(output, NULL, files == 0 ? "FILE..." : "");
}
