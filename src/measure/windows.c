/* windows.c - cuts a stream of tokens into windows; see windows.h. */
#include "measure/windows.h"

/* Tokens of the stream that a whole window holds. */
static uint64_t window_payload(const bipe_protocol *protocol)
{
    return protocol->length - (protocol->bos ? 1 : 0);
}

static uint64_t window_step(const bipe_protocol *protocol)
{
    uint64_t payload = window_payload(protocol);
    return protocol->stride == 0 || protocol->stride > payload ? payload : protocol->stride;
}

static uint64_t whole_windows(const bipe_protocol *protocol, uint64_t tokens)
{
    uint64_t payload = window_payload(protocol);
    return tokens < payload ? 0 : (tokens - payload) / window_step(protocol) + 1;
}

/* The window behind the whole ones. Its `first` may equal its length: then there is nothing left to score. */
static bipe_cut tail_cut(const bipe_protocol *protocol, uint64_t tokens)
{
    uint64_t bos = protocol->bos ? 1 : 0, whole = whole_windows(protocol, tokens), step = window_step(protocol);
    uint64_t seen = whole == 0 ? 0 : (whole - 1) * step + window_payload(protocol);
    bipe_cut cut = { .start = whole * step };
    cut.count = tokens - cut.start;
    cut.length = cut.count + bos;
    cut.first = seen - cut.start + bos;
    if (cut.first == 0)
        cut.first = 1;
    return cut;
}

uint64_t bipe_window_count(const bipe_protocol *protocol, uint64_t tokens)
{
    uint64_t count = whole_windows(protocol, tokens);
    if (protocol->tail) {
        bipe_cut cut = tail_cut(protocol, tokens);
        if (cut.first < cut.length)
            count++;
    }
    return count;
}

uint64_t bipe_window_scored(const bipe_protocol *protocol, uint64_t tokens)
{
    uint64_t whole = whole_windows(protocol, tokens), step = window_step(protocol), scored = 0;
    if (whole > 0)
        scored = protocol->length - 1 + (whole - 1) * (step == protocol->length ? step - 1 : step);
    if (protocol->tail) {
        bipe_cut cut = tail_cut(protocol, tokens);
        if (cut.first < cut.length)
            scored += cut.length - cut.first;
    }
    return scored;
}

bipe_cut bipe_window_cut(const bipe_protocol *protocol, uint64_t tokens, uint64_t index)
{
    uint64_t step = window_step(protocol);
    if (index >= whole_windows(protocol, tokens))
        return tail_cut(protocol, tokens);
    bipe_cut cut = { .start = index * step, .count = window_payload(protocol), .length = protocol->length, .first = 1 };
    if (index > 0 && step < protocol->length)
        cut.first = protocol->length - step;
    return cut;
}
