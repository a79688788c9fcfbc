/* protocol.h - the ways of cutting a text into windows that publications and programs have: each is rules for
 * windows.h. */
#ifndef BIPE_MEASURE_PROTOCOL_H
#define BIPE_MEASURE_PROTOCOL_H

#include <bipe/compare.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/scorer.h"
#include "measure/token_spool.h"
#include "measure/windows.h"
#include "token/tokenizer.h"

/* By kind, then NULL. */
extern const char *const bipe_protocol_names[];
extern const char *const bipe_bos_names[];

/* The id of BOS; BIPE_NO_TOKEN: there is none. */
int64_t bipe_protocol_bos(const bipe_window_rules *rules, const bipe_tokenizer *tokenizer);
/* Tokens from one window to the next; 0: as many as a window holds. */
uint64_t bipe_protocol_stride(const bipe_window_rules *rules, uint64_t length);
/* The windows of a length for the text in a spool. has_bos: there is a BOS. first_target: (documents) of each the first
 * token that counts, with `lines`; or NULL. list: windows that the protocol lists, which the caller frees with
 * bipe_free(). */
int bipe_protocol_windows(const bipe_window_rules *rules, uint64_t length, bool has_bos, const bipe_token_spool *spool,
                          const uint32_t *first_target, bipe_protocol *protocol, bipe_cut **list, bipe_error *err);
/* The same, each document of the spool being a text by itself. */
int bipe_protocol_windows_of_each(const bipe_window_rules *rules, uint64_t length, bool has_bos,
                                  const bipe_token_spool *spool, bipe_protocol *protocol, bipe_cut **list,
                                  bipe_error *err);
/* The loss of token k of a scored window, as its protocol adds it up. False: that of the next includes it. */
bool bipe_protocol_loss(const bipe_window_rules *rules, const bipe_scored_window *window, size_t k, double *nll);

#endif
