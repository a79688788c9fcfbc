/* windows.h - cuts a stream of tokens into windows for a model, and chooses the scored tokens of each. Arithmetic on
 * indices only: no tokens, no losses. */
#ifndef BIPE_MEASURE_WINDOWS_H
#define BIPE_MEASURE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One window. */
typedef struct bipe_cut {
    uint64_t start;  /* its first token in the stream */
    uint64_t count;  /* tokens of the stream */
    uint64_t length; /* tokens in all: count, and the BOS */
    uint64_t first;  /* tokens first .. length - 1 of the window are scored; 1 <= first < length */
} bipe_cut;

/* The rules. With a stride of 0 this is the non-overlapping evaluation of He et al. 2024. */
typedef struct bipe_protocol {
    uint64_t length; /* L, tokens a window, >= 2 */
    uint64_t stride; /* tokens of the stream from one window to the next; 0, or more than a window holds: windows
                        touch */
    uint64_t last;   /* only the last so many tokens of each window are scored; 0: all that no window before has
                        scored */
    bool tail;       /* the rest, too short for a whole window, is a window of its own */
    bool bos;        /* each window starts with a BOS that is not in the stream, so it holds L - 1 of its tokens */
    bool replace;    /* BOS takes the place of the first token of each window */
    bool count_bos;  /* a BOS within a window is a target like any other token; otherwise it is context alone */
    const bipe_cut *list; /* (listed) the windows themselves, by rising start, instead of length, stride, tail and bos;
                             the caller's */
    uint64_t listed;
} bipe_protocol;

/* The number of windows in a stream of `tokens` tokens. No token is scored twice; each is scored in the first window
 * that holds it after its first token, which is where it has the most context. */
uint64_t bipe_window_count(const bipe_protocol *protocol, uint64_t tokens);

/* Window `index` < bipe_window_count(). */
bipe_cut bipe_window_cut(const bipe_protocol *protocol, uint64_t tokens, uint64_t index);

/* The length of the longest window; there must be one. */
uint64_t bipe_window_longest(const bipe_protocol *protocol, uint64_t tokens);

/* Whether token `token` of the stream is scored in some window. */
bool bipe_window_scores(const bipe_protocol *protocol, uint64_t tokens, uint64_t token);

#endif
