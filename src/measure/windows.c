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

/* The window after the whole ones. Its `first` may equal its length: then there is nothing left to score. */
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
    if (protocol->list != NULL)
        return protocol->listed;
    uint64_t count = whole_windows(protocol, tokens);
    if (protocol->tail) {
        bipe_cut cut = tail_cut(protocol, tokens);
        if (cut.first < cut.length)
            count++;
    }
    return count;
}

bipe_cut bipe_window_cut(const bipe_protocol *protocol, uint64_t tokens, uint64_t index)
{
    uint64_t step = window_step(protocol);
    bipe_cut cut = { .start = index * step, .count = window_payload(protocol), .length = protocol->length, .first = 1 };
    if (protocol->list != NULL)
        cut = protocol->list[index];
    else if (index >= whole_windows(protocol, tokens))
        cut = tail_cut(protocol, tokens);
    else if (index > 0 && step < protocol->length)
        cut.first = protocol->length - step;
    if (protocol->last > 0 && protocol->last < cut.length - cut.first)
        cut.first = cut.length - protocol->last;
    return cut;
}

uint64_t bipe_window_longest(const bipe_protocol *protocol, uint64_t tokens)
{
    uint64_t longest = 0;
    for (uint64_t i = 0; i < protocol->listed; i++)
        longest = protocol->list[i].length > longest ? protocol->list[i].length : longest;
    return protocol->list != NULL ? longest : bipe_window_cut(protocol, tokens, 0).length;
}

bool bipe_window_scores(const bipe_protocol *protocol, uint64_t tokens, uint64_t token)
{
    /* The targets of windows are in the order of the windows: the last whose first target is not after the token. */
    uint64_t low = 0, high = bipe_window_count(protocol, tokens);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bipe_cut cut = bipe_window_cut(protocol, tokens, middle);
        if (cut.start + cut.first - (cut.length - cut.count) <= token)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    bipe_cut cut = bipe_window_cut(protocol, tokens, low - 1);
    return token < cut.start + cut.count;
}
