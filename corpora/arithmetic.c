/* arithmetic.c - the program that writes data sets of the paper's arithmetic task: distinct histories, one a line.
 * What a history is and how it is drawn stands in history.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "cli/options.h"
#include "base/output.h"
#include "base/random.h"
#include "corpora/history.h"
#include "text/document.h"
#include "cli/tool.h"

/* So many draws in a row that were all seen before mean that there is hardly anything new left. */
enum { PATIENCE = 1000000 };

/* The hashes of what was written or excluded. Two histories with one hash are taken for equal, which
 * loses a new one now and then (once in 10^13 pairs of a million) and never lets a double through. */
typedef struct seen_set {
    uint64_t *slot; /* 0: empty */
    size_t slots, count;
} seen_set;

static struct {
    uint64_t samples, operators, modulus, seed;
    bool mixed, jsonl;
    bipe_texts exclude;
    const char *output;
} settings = { .samples = 1000, .operators = 6, .modulus = 11, .seed = 1 };

static const bipe_option option_table[] = {

    {'n', "samples", BIPE_OPTION_SIZE, &settings.samples, "N", .help = "number of histories (default 1000)",
     .group = "Task"},
    {'k', "operators", BIPE_OPTION_SIZE, &settings.operators, "K", .maximum = BIPE_HISTORY_OPERATORS_MAX,
     .help = "operators of the longest expression of a history (default 6)"},
    {'p', "modulus", BIPE_OPTION_SIZE, &settings.modulus, "P", .minimum = 2, .maximum = BIPE_HISTORY_MODULUS_MAX,
     .help = "the prime that numbers are taken modulo (default 11)"},

    {0, "mixed", BIPE_OPTION_FLAG, &settings.mixed,
     .help = "each history draws its own number of operators, from 1 to K"},
    {0, "seed", BIPE_OPTION_SIZE, &settings.seed, "N",
     .help = "seed of the random numbers (default 1); the same seed gives the same bytes everywhere"},
    {0, "exclude", BIPE_OPTION_TEXTS, &settings.exclude, "FILE",
     .help = "leave out the histories in FILE, as an earlier run wrote it, so that test data hold none of the training "
             "data; may be given several times"},
    {0, "jsonl", BIPE_OPTION_FLAG, &settings.jsonl,
     .help =
         "JSON Lines: {\"text\",\"value\",\"operators\",\"tokens\"}, tokens counted without marks for start and end",
     .group = "Output"},
    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE", .help = "write to FILE (default: standard output)"},
};

static const bipe_options options = {
    .tool = "arithmetic",
    .summary = "writes distinct samples of the arithmetic task",
    .usage = "[OPTION...]",
    .description =
        "Each line is the history of an expression modulo P, from its longest form to its value: "
        "( 7 + 8 ) / 5 = 4 / 5 = 3. At the end a line on standard error says how many there are and how long "
        "the longest is.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
};

/* FNV-1a, with its bits mixed once more; never 0. */
static uint64_t hash_text(const uint8_t *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9fb21c651e98df25);
    hash ^= hash >> 28;
    return hash != 0 ? hash : 1;
}

static uint64_t *find_slot(const seen_set *seen, uint64_t hash)
{
    size_t i = hash & (seen->slots - 1);
    while (seen->slot[i] != 0 && seen->slot[i] != hash)
        i = (i + 1) & (seen->slots - 1);
    return &seen->slot[i];
}

/* Adds the hash; *added: whether it was new. BIPE_OK or BIPE_ERR_MEMORY. */
static int see(seen_set *seen, uint64_t hash, bool *added, bipe_error *err)
{
    if (seen->count >= seen->slots / 2) {
        seen_set larger = { .slots = seen->slots != 0 ? seen->slots * 2 : 1024, .count = seen->count };
        larger.slot = bipe_alloc(larger.slots, sizeof *larger.slot);
        if (larger.slot == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < seen->slots; i++)
            if (seen->slot[i] != 0)
                *find_slot(&larger, seen->slot[i]) = seen->slot[i];
        bipe_free(seen->slot);
        *seen = larger;
    }
    uint64_t *slot = find_slot(seen, hash);
    *added = *slot == 0;
    if (*added) {
        *slot = hash;
        seen->count++;
    }
    return BIPE_OK;
}

/* Hashes the lines of one document; a document's last line need not end in a newline. */
static int exclude_document(seen_set *seen, bipe_documents *documents, bipe_error *err)
{
    bipe_buffer line = {0};
    uint8_t bytes[16384];
    int status;
    bool added;
    for (;;) {
        size_t size;
        status = bipe_documents_read(documents, bytes, sizeof bytes, &size, err);
        if (status != BIPE_OK)
            break;
        bool end = size == 0;
        for (size_t i = 0; status == BIPE_OK && i < size; i++) {
            if (bytes[i] != '\n') {
                status = bipe_buffer_append(&line, &bytes[i], 1, err);
            } else {
                status = see(seen, hash_text(line.data, line.size), &added, err);
                line.size = 0;
            }
        }
        if (end && status == BIPE_OK && line.size > 0)
            status = see(seen, hash_text(line.data, line.size), &added, err);
        if (end || status != BIPE_OK)
            break;
    }
    bipe_buffer_free(&line);
    return status;
}

static int exclude_file(seen_set *seen, const char *path, bipe_error *err)
{
    bipe_documents *documents;
    int status = bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", err);
    if (status != BIPE_OK)
        return status;
    while ((status = bipe_documents_next(documents, err)) == BIPE_OK)
        if ((status = exclude_document(seen, documents, err)) != BIPE_OK)
            break;
    bipe_documents_close(documents);
    return status == BIPE_END ? BIPE_OK : status;
}

static int write_record(bipe_output *output, const bipe_history *history, unsigned operators, const bipe_buffer *text,
                        bipe_error *err)
{
    /* A history holds nothing that JSON would want escaped. */
    if (settings.jsonl)
        return bipe_output_printf(output, err, "{\"text\":\"%.*s\",\"value\":%u,\"operators\":%u,\"tokens\":%zu}\n",
                                  (int)text->size, (const char *)text->data, bipe_history_value(history), operators,
                                  bipe_history_tokens(history));
    return bipe_output_printf(output, err, "%.*s\n", (int)text->size, (const char *)text->data);
}

static int write_samples(bipe_output *output, bipe_history *history, seen_set *seen, size_t *longest, bipe_error *err)
{
    bipe_buffer text = {0};
    uint64_t random = settings.seed, written = 0;
    unsigned in_vain = 0;
    int status = BIPE_OK;
    while (written < settings.samples && status == BIPE_OK) {
        unsigned operators = (unsigned)settings.operators;
        if (settings.mixed && operators > 0)
            operators = 1 + (unsigned)bipe_random_below(&random, operators);
        bipe_history_draw(history, operators, &random);
        text.size = 0;
        bool added = false;
        status = bipe_history_print(history, &text, err);
        if (status == BIPE_OK)
            status = see(seen, hash_text(text.data, text.size), &added, err);
        if (status != BIPE_OK)
            break;
        if (!added) {
            if (++in_vain == PATIENCE)
                status = bipe_fail(err, BIPE_ERR_LIMIT,
                                   "only %llu distinct histories were found, expected %llu: more operators or a larger "
                                   "modulus give more",
                                   (unsigned long long)written, (unsigned long long)settings.samples);
            continue;
        }
        in_vain = 0;
        written++;
        if (bipe_history_tokens(history) > *longest)
            *longest = bipe_history_tokens(history);
        status = write_record(output, history, operators, &text, err);
    }
    bipe_buffer_free(&text);
    return status;
}

static int run(void *context, const bipe_texts *operands)
{
    bipe_tool *tool = context;
    (void)operands;
    bipe_error err = {0};
    bipe_output *output = NULL;
    bipe_history *history = NULL;
    seen_set seen = {0};
    size_t longest = 0;
    int status = bipe_history_open(&history, (unsigned)settings.operators, (unsigned)settings.modulus, &err);
    for (size_t i = 0; status == BIPE_OK && i < settings.exclude.count; i++)
        status = exclude_file(&seen, settings.exclude.text[i], &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, settings.output, &err);
    if (status == BIPE_OK)
        status = write_samples(output, history, &seen, &longest, &err);
    bipe_history_close(history);
    bipe_free(seen.slot);
    if (status == BIPE_ERR_ARGUMENT)
        return bipe_tool_usage(tool, "%s", err.text);
    int exit_status = bipe_tool_end(tool, status, &output, &err);
    if (status == BIPE_OK && exit_status == BIPE_EXIT_DONE)
        fprintf(stderr, "arithmetic: %llu histories, the longest of %zu tokens (%zu with start and end)\n",
                (unsigned long long)settings.samples, longest, longest + 2);
    return exit_status;
}

int main(int argc, char **argv)
{
    bipe_tool tool;
    bipe_tool_start(&tool, options.tool);
    int exit_status = bipe_tool_run(&tool, &options, argc, argv, run, &tool);
    bipe_texts_free(&settings.exclude);
    return exit_status;
}
