/* closes.h - which tokens close their segments: boundaries, which are offsets of bytes, become numbers of tokens. */
#ifndef BIPE_MEASURE_CLOSES_H
#define BIPE_MEASURE_CLOSES_H

#include <stddef.h>
#include <stdint.h>

#include <bipe/segmenter.h> /* bipe_token */

/* For each boundary the token that closes a segment there: the last one that is not empty and begins before the boundary. White space
 * that a token begins with does not count, unless the token is nothing else: with " No" at [4, 7) a boundary at 5 lies before the token.
 *
 * ends[k]: the number of the token closed by boundary[k] (count), plus 1; `least` where that would be less, which a token before these
 * has got. tokens (token_count): starts and ends do not decrease. text: that of the document from `offset` on; it holds the
 * tokens in which a boundary lies. */
void bipe_closes_find(uint32_t *ends, const uint64_t *boundary, size_t count, const bipe_token *tokens, size_t token_count, uint32_t least,
                      const uint8_t *text, uint64_t offset);

#endif
