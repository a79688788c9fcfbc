/* generate_run.c - reads prompts, lets the model continue them, and prints the text that it adds. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/installed_model.h"
#include "base/json_writer.h"
#include "base/memory_available.h"
#include "cli/languages.h"
#include "cli/run_record.h"
#include "text/document.h"
#include "text/utf8.h"
#include "token/ids_input.h"
#include "tools/generate/bipe_generate.h"

enum {
    PROMPT_LIMIT = 1 << 28, /* bytes */
    TOGETHER = 16           /* samples that are continued together: as many rows as share the way of the weights into
                               the processor */
};

/* ---- opening ---- */

static int open_run(bipe_generate_run *run, const char *operand, bipe_error *err)
{
    const bipe_generate_options *given = &run->given;
    char path[BIPE_MODEL_PATH_SIZE];
    int status = bipe_model_operand(operand, path, err);
    if (status == BIPE_OK)
        status = bipe_tool_hint_model(bipe_model_open(&run->model, path, err), err);
    if (status == BIPE_OK)
        status = bipe_tool_tokenizer(&run->tool, &run->tokenizer, given->tokenizer, given->special, path,
                                     bipe_model_hyperparameters(run->model)->vocabulary, "", err);
    bipe_tool_kernels(&run->tool);
    if (status == BIPE_OK)
        status = bipe_pool_open(&run->pool, bipe_tool_threads(&run->tool, 0), err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_note_ends(&run->tool, run->tokenizer);
    const bipe_hyperparameters *h = bipe_model_hyperparameters(run->model);
    run->segmenter = given->segmenter != NULL ? given->segmenter : h->segmenter;
    if (run->segmenter[0] == '\0')
        run->segmenter = BIPE_SEGMENTER_DEFAULT;
    bipe_run_in_force_model(&run->tool, given->scheme != NULL ? &run->scheme : &h->scheme,
                            given->scaling != NULL ? &run->scaling : &h->rope_scaling, run->segmenter);
    bipe_run_in_force_text(&run->tool, "tokenizer", bipe_tokenizer_spec(run->tokenizer));
    const bipe_continuations_options options = {
        .model = {.scheme = given->scheme != NULL ? &run->scheme : NULL,
                  .rope_scaling = given->scaling != NULL ? &run->scaling : NULL,
                  .precision = (bipe_precision)given->precision, .seed = given->seed},
        .sampling = {given->temperature, (size_t)given->top_k, given->top_p >= 0 ? given->top_p : 1,
                     given->min_p >= 0 ? given->min_p : 0},
        .repetition = {given->penalty, (size_t)given->last},
        .seed = given->seed,
        .most = (size_t)given->most,
        .stop = given->stops.text,
        .stop_count = given->stops.count,
    };
    status = bipe_stream_check_scheme(run->segmenter, given->scheme != NULL ? &run->scheme : &h->scheme, err);
    if (status == BIPE_OK)
        status = bipe_continuations_open(&run->all, run->model, run->tokenizer, run->segmenter, &options, run->pool,
                                         err);
    if (status == BIPE_OK)
        status = bipe_growing_text_open(&run->prompt, run->tokenizer, run->segmenter, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, given->output, err);
    if (status == BIPE_OK)
        bipe_tool_note_segmenters(&run->tool, &run->segmenter, 1);
    return status;
}

void bipe_generate_close(bipe_generate_run *run)
{
    bipe_continuations_close(run->all);
    bipe_growing_text_close(run->prompt);
    bipe_pool_close(run->pool);
    bipe_tokenizer_close(run->tokenizer);
    bipe_model_close(run->model);
    bipe_output_abandon(run->output);
}

/* ---- output ---- */

/* Bytes that are not UTF-8 become U+FFFD, as in JSON. */
static void write_text(bipe_output *output, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0, good = 0; at < size; good = at) {
        int32_t code = 0;
        size_t used = 1;
        while (at < size && (used = bipe_utf8_decode(bytes + at, size - at, &code)) != 0 && code >= 0)
            at += used;
        bipe_output_write(output, bytes + good, at - good, NULL);
        if (at == size)
            break;
        at = used == 0 ? size : at + 1;
        bipe_output_write(output, "\xEF\xBF\xBD", 3, NULL);
    }
}

static void write_record(bipe_generate_run *run, const char *file, uint64_t document, size_t sample,
                         const bipe_continuation *c)
{
    static const char *const finish[] = {
        [BIPE_FINISH_STOP] = "stop", [BIPE_FINISH_LENGTH] = "length", [BIPE_FINISH_EOS] = "eos"};
    bipe_growing_view prompt = bipe_growing_text_view(run->prompt);
    bipe_json json;
    bipe_json_open(&json, run->output, false);
    bipe_json_begin_object(&json);
    bipe_json_key_text(&json, "file", file);
    bipe_json_key_uint(&json, "document", document);
    bipe_json_key_uint(&json, "sample", sample);
    bipe_json_key_uint(&json, "prompt_tokens", c->prompt_tokens);
    bipe_json_key_flat_array(&json, "ids");
    for (size_t i = 0; i < c->count; i++)
        bipe_json_uint(&json, c->ids[i]);
    bipe_json_end_array(&json);
    bipe_json_key(&json, "text");
    bipe_json_begin_string(&json);
    if (run->given.echo)
        bipe_json_string_part(&json, prompt.bytes, prompt.size);
    bipe_json_string_part(&json, c->bytes, c->size);
    bipe_json_end_string(&json);
    bipe_json_key_text(&json, "finish", finish[c->finish]);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
}

/* What comes before a text: an empty line after another one, the prompt. */
static void begin_text(bipe_generate_run *run)
{
    bipe_growing_view prompt = bipe_growing_text_view(run->prompt);
    if (run->written++ > 0 && !run->given.null)
        bipe_output_write(run->output, "\n", 1, NULL);
    if (run->given.echo)
        write_text(run->output, prompt.bytes, prompt.size);
}

/* Its end: a newline unless it has one. */
static void end_text(bipe_generate_run *run, const bipe_continuation *c)
{
    bipe_growing_view prompt = bipe_growing_text_view(run->prompt);
    uint8_t last = c->size > 0                          ? c->bytes[c->size - 1]
                   : run->given.echo && prompt.size > 0 ? prompt.bytes[prompt.size - 1]
                                                        : 0;
    if (run->given.null || last != '\n')
        bipe_output_write(run->output, run->given.null ? "\0" : "\n", 1, NULL);
}

/* ---- one prompt ---- */

/* Where the printing of some samples is. */
typedef struct printing {
    size_t sample;   /* the one that is printed, of `count` */
    size_t count;
    size_t printed;  /* bytes of it */
    bool begun;
} printing;

/* Prints what can be printed, to be seen at once: samples in order, the first that has not ended as far as it has
 * come. */
static int print_ready(bipe_generate_run *run, printing *p, const char *file, uint64_t document, size_t first,
                       bipe_error *err)
{
    bool text = run->given.format == BIPE_GENERATE_TEXT;
    for (; p->sample < p->count; p->sample++, p->printed = 0, p->begun = false) {
        bipe_continuation c = bipe_continuations_at(run->all, p->sample);
        if (text && !p->begun)
            begin_text(run);
        p->begun = true;
        if (text && c.ready > p->printed) {
            write_text(run->output, c.bytes + p->printed, c.ready - p->printed);
            p->printed = c.ready;
        }
        if (c.finish == BIPE_FINISH_NONE)
            break;
        if (text)
            end_text(run, &c);
        else
            write_record(run, file, document, first + p->sample, &c);
        run->tokens += c.count > 0 ? c.count - 1 : 0; /* the first took its time with the prompt */
    }
    return bipe_output_flush(run->output, err);
}

static int check_memory(const bipe_generate_run *run, bipe_error *err)
{
    uint64_t available = bipe_memory_available(""), spare = bipe_continuations_spare(run->all);
    int status = bipe_memory_check(available <= UINT64_MAX - spare ? available + spare : available,
                                   bipe_bytes_of(bipe_continuations_memory(run->all)), err,
                                   "a shorter prompt, a smaller -n and --precision bf16 take less",
                                   "keys and values of a prompt of %zu tokens and %" PRIu64 " more take",
                                   bipe_growing_text_view(run->prompt).count, run->given.most);
    return status == BIPE_OK ? BIPE_OK : (int)(err->status = BIPE_ERR_LIMIT); /* of this prompt alone */
}

/* Tables of positions end somewhere; a user may not expect what happens there. */
static void note_table(bipe_generate_run *run)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(run->model);
    const bipe_scheme *scheme = run->given.scheme != NULL ? &run->scheme : &h->scheme;
    size_t length = bipe_growing_text_view(run->prompt).count + (size_t)run->given.most;
    for (size_t i = 0; i < scheme->count && !run->noted; i++)
        if (scheme->term[i].kind == BIPE_LEARNED && scheme->term[i].index == BIPE_INDEX_TOKEN &&
            length > h->learned_rows) {
            bipe_tool_note(&run->tool,
                           "texts may come to %zu tokens, and the model's table of positions has %" PRIu32
                           ": tokens beyond use its "
                           "last row",
                           length, h->learned_rows);
            run->noted = true;
        }
}

/* Goes on with the prompt: TOGETHER samples at a time. */
static int continue_prompt(bipe_generate_run *run, const char *file, uint64_t document, bipe_error *err)
{
    int status = BIPE_OK;
    note_table(run);
    bipe_language_count(&run->tool, run->segmenter, bipe_growing_text_choice(run->prompt));
    for (size_t first = 0, count; first < run->given.samples && status == BIPE_OK; first += count) {
        size_t left = (size_t)run->given.samples - first, going = 1;
        count = left < TOGETHER ? left : TOGETHER;
        printing p = {.count = count};
        bipe_continuations_clear(run->all);
        for (size_t i = 0; i < count && status == BIPE_OK; i++)
            status = bipe_continuations_add(run->all, run->prompt, first + i, err);
        if (status == BIPE_OK)
            status = check_memory(run, err);
        if (status == BIPE_OK && run->given.format == BIPE_GENERATE_TEXT)
            status = print_ready(run, &p, file, document, first, err); /* the prompt is seen at once */
        for (bool prompt = true; going > 0 && status == BIPE_OK; prompt = false) {
            double begun = bipe_seconds();
            status = bipe_continuations_step(run->all, &going, err);
            *(prompt ? &run->prompt_seconds : &run->seconds) += bipe_seconds() - begun;
            if (status == BIPE_OK)
                status = print_ready(run, &p, file, document, first, err);
        }
        run->prompt_tokens += bipe_growing_text_view(run->prompt).count;
    }
    return status;
}

/* ---- prompts ---- */

/* The prompt becomes BOS, or an empty text, which an `empty` prompt may not be. */
static int begin_prompt(bipe_generate_run *run, bool empty, bipe_error *err)
{
    int64_t bos = bipe_tokenizer_bos(run->tokenizer);
    if (empty && bos == BIPE_NO_TOKEN)
        return bipe_fail(
            err, BIPE_ERR_ARGUMENT,
            "the prompt is empty, and the tokenizer has no BOS to begin a text with, expected text to continue");
    int status = bipe_growing_text_clear(run->prompt, err);
    return status == BIPE_OK && bos != BIPE_NO_TOKEN ? bipe_growing_text_mark(run->prompt, (uint32_t)bos, err) : status;
}

/* Notes, in full once, a blank that no text of the tokenizer has there: the model has not learned what comes after it.
 * name: NULL for --prompt. */
static int note_blank(bipe_generate_run *run, const char *name, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bool splits = false;
    int status = bipe_generate_splits_word(run->tokenizer, bytes, size, &splits, err);
    if (!splits || run->blank_prompts++ > 0)
        return status;
    bipe_tool_note(
        &run->tool,
        "%s%sthe prompt ends in a blank, which this tokenizer joins to the word that follows (' the'): leave it "
        "out for better continuations",
        name != NULL ? name : "", name != NULL ? ": " : "");
    return status;
}

static int prompt_of_text(bipe_generate_run *run, const char *name, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = begin_prompt(run, size == 0, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_tokenize(run->prompt, bytes, size, err);
    return status == BIPE_OK ? note_blank(run, name, bytes, size, err) : status;
}

/* An error of one prompt is reported; others go on. Whether they do: not when the output cannot be written, or is not
 * read any more. */
static bool report_prompt(bipe_generate_run *run, int status, const char *name, const bipe_documents *documents,
                          bipe_error *err)
{
    bipe_error written = {0};
    run->tool.some_done |= status == BIPE_OK;
    if (status == BIPE_OK)
        return true;
    if (bipe_output_flush(run->output, &written) != BIPE_OK)
        return false; /* bipe_tool_finish() reports it */
    if (name != NULL && documents != NULL && bipe_documents_are_records(documents))
        bipe_error_prefix(err, "document %" PRIu64, bipe_documents_index(documents));
    if (name != NULL)
        bipe_error_prefix(err, "%s", name);
    bipe_tool_error(&run->tool, err);
    return true;
}

static bool run_documents(bipe_generate_run *run, const char *path, const bipe_stream_options *options)
{
    bipe_documents *documents = NULL;
    bipe_buffer text = {0};
    bipe_error err = {0};
    bool more = true;
    int status = bipe_stream_documents(&documents, path, options, &err);
    if (status != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        return true;
    }
    const char *name = bipe_input_name(bipe_documents_input(documents));
    while (more && (status = bipe_documents_next(documents, &err)) != BIPE_END) {
        if (status == BIPE_OK)
            status = bipe_documents_read_whole(documents, &text, PROMPT_LIMIT, &err);
        if (status != BIPE_OK) { /* it names its place */
            bipe_tool_error(&run->tool, &err);
            if (status != BIPE_ERR_FORMAT)
                break;
            continue;
        }
        bool records = bipe_documents_are_records(documents);
        if (!records && text.size > 0 && text.data[text.size - 1] == '\n')
            text.size -= text.size > 1 && text.data[text.size - 2] == '\r'
                             ? 2
                             : 1; /* it ends the last line of the file, which is to be continued */
        status = prompt_of_text(run, name, text.data, text.size, &err);
        if (status == BIPE_OK)
            status = continue_prompt(run, path, bipe_documents_index(documents), &err);
        more = report_prompt(run, status, name, documents, &err);
    }
    bipe_documents_close(documents);
    bipe_buffer_free(&text);
    return more;
}

static bool run_ids(bipe_generate_run *run, const char *path, bipe_ids_kind kind)
{
    bipe_ids_input *input = NULL;
    bipe_tokens tokens = {0};
    bipe_buffer text = {0};
    bipe_error err = {0};
    bool more = true;
    int status = bipe_ids_input_open(&input, path, kind, run->tokenizer, &err);
    while (status == BIPE_OK && text.size <= PROMPT_LIMIT)
        status = bipe_ids_input_read(input, &tokens, &text, &err);
    if (status == BIPE_OK)
        status =
            bipe_fail(&err, BIPE_ERR_LIMIT, "%s: a prompt of more than %d MB, expected less", path, PROMPT_LIMIT >> 20);
    if (status != BIPE_END) {
        bipe_tool_error(&run->tool, &err);
    } else {
        status = begin_prompt(run, tokens.count == 0, &err);
        if (status == BIPE_OK)
            status = bipe_growing_text_append(run->prompt, tokens.token, tokens.count, text.data, text.size, &err);
        const char *name = bipe_input_name(bipe_ids_input_source(input));
        if (status == BIPE_OK)
            status = continue_prompt(run, path, 0, &err);
        more = report_prompt(run, status, name, NULL, &err);
    }
    bipe_ids_input_close(input);
    bipe_tokens_free(&tokens);
    bipe_buffer_free(&text);
    return more;
}

static void report_speed(bipe_generate_run *run)
{
    bipe_tool_note(&run->tool, "kernels: %s, threads: %zu", run->tool.kernels, bipe_pool_threads(run->pool));
    if (run->prompt_seconds > 0)
        bipe_tool_note(&run->tool, "prompts: %" PRIu64 " tokens in %.2f s, %.0f a second", run->prompt_tokens,
                       run->prompt_seconds, (double)run->prompt_tokens / run->prompt_seconds);
    if (run->seconds > 0)
        bipe_tool_note(&run->tool, "continuations: %" PRIu64 " tokens in %.2f s, %.1f a second", run->tokens,
                       run->seconds, (double)run->tokens / run->seconds);
}

int bipe_generate(bipe_generate_run *run, const char *operand, bipe_files files)
{
    const bipe_generate_options *given = &run->given;
    bipe_error err = {0};
    int status = open_run(run, operand, &err);
    if (status != BIPE_OK) {
        bipe_tool_open_error(&run->tool, &err);
        return run->tool.status;
    }
    bipe_stream_options options = {0};
    bipe_inputs_stream(&given->inputs, &options);
    if (given->prompt != NULL) {
        status = prompt_of_text(run, NULL, (const uint8_t *)given->prompt, strlen(given->prompt), &err);
        if (status == BIPE_OK)
            status = continue_prompt(run, NULL, 0, &err);
        report_prompt(run, status, NULL, NULL, &err);
    }
    for (size_t i = 0; i < files.count; i++)
        if (!(options.ids != BIPE_IDS_NONE ? run_ids(run, files.path[i], options.ids)
                                           : run_documents(run, files.path[i], &options)))
            break;
    if (run->blank_prompts > 1)
        bipe_tool_note(&run->tool, "%" PRIu64 " more prompt%s in such a blank", run->blank_prompts - 1,
                       run->blank_prompts == 2 ? " ends" : "s end");
    if (given->verbose)
        report_speed(run);
    return bipe_tool_end(&run->tool, BIPE_OK, &run->output, NULL);
}
