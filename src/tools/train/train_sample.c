/* train_sample.c - continues the prompt of --sample, so that a person sees the model learn. */
#include <inttypes.h>
#include <string.h>

#include "task/continuations.h"
#include "text/utf8.h"
#include "tools/train/bipe_train.h"

enum { SAMPLE_TOKENS = 48, SAMPLE_BYTES = 600 /* of a row of the log */ };

/* The text on one line: broken bytes and control characters become spaces. */
static int put_line(const uint8_t *bytes, size_t size, bipe_buffer *line, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0, used; at < size && status == BIPE_OK; at += used) {
        int32_t code;
        used = bipe_utf8_decode(bytes + at, size - at, &code);
        bool plain = used > 0 && code >= 0x20 && (code < 0x7F || code > 0x9F);
        status = bipe_buffer_append(line, plain ? bytes + at : (const uint8_t *)" ", plain ? used : 1, err);
        used = used > 0 ? used : size - at;
    }
    return status == BIPE_OK ? bipe_buffer_append(line, "", 1, err) : status;
}

/* The most probable continuation, into *text. */
static int continue_prompt(bipe_train_run *run, bipe_buffer *text, bipe_error *err)
{
    const char *prompt = run->given.sample;
    const bipe_continuations_options options = {.model = {.precision = (bipe_precision)run->options.precision},
                                                .sampling = {.top_p = 1},
                                                .most = SAMPLE_TOKENS};
    int64_t bos = bipe_tokenizer_bos(run->tokenizer);
    bipe_continuations *all = NULL;
    bipe_growing_text *begin = NULL;
    size_t going = 1;
    int status =
        bipe_continuations_open(&all, run->model, run->tokenizer, run->hyper.segmenter, &options, run->pool, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_open(&begin, run->tokenizer, run->hyper.segmenter, err);
    if (status == BIPE_OK && bos != BIPE_NO_TOKEN)
        status = bipe_growing_text_mark(begin, (uint32_t)bos, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_tokenize(begin, (const uint8_t *)prompt, strlen(prompt), err);
    if (status == BIPE_OK)
        status = bipe_continuations_add(all, begin, 0, err);
    while (status == BIPE_OK && going > 0)
        status = bipe_continuations_step(all, &going, err);
    if (status == BIPE_OK) {
        bipe_continuation c = bipe_continuations_at(all, 0);
        size_t size = c.size <= SAMPLE_BYTES ? c.size : bipe_utf8_complete(c.bytes, SAMPLE_BYTES);
        status = bipe_buffer_append(text, c.bytes, size, err);
    }
    bipe_growing_text_close(begin);
    bipe_continuations_close(all);
    return status;
}

int bipe_train_sample(bipe_train_run *run, uint64_t step, bipe_buffer *text, bipe_error *err)
{
    bipe_buffer line = {0};
    int status = continue_prompt(run, text, err);
    if (status == BIPE_OK)
        status = put_line(text->data, text->size, &line, err);
    if (status == BIPE_OK)
        bipe_tool_note(&run->tool, "step %" PRIu64 ": %s|%s", step, run->given.sample, (const char *)line.data);
    bipe_buffer_free(&line);
    return status;
}
