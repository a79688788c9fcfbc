/* closes.h - finds the tokens that close segments: from byte offsets of boundaries to token numbers. */
#ifndef BIPE_MEASURE_CLOSES_H
#define BIPE_MEASURE_CLOSES_H

#include <stddef.h>
#include <stdint.h>

#include <bipe/segmenter.h> /* bipe_token */

/* For each boundary, finds the token that closes the segment: the last non-empty one that begins before the boundary.
 * Leading white space of a token does not count, unless the token is nothing else: with " No" at [4, 7) a boundary at 5
 * lies before the token.
 *
 * ends[k] (count): 1 + the index of that token for boundary[k], or `least` if that is larger (an earlier token then
 * closes the segment). tokens (token_count): starts and ends do not decrease. text: the document from `offset` on; must
 * contain each token that a boundary falls into. */
void bipe_closes_find(uint32_t *ends, const uint64_t *boundary, size_t count, const bipe_token *tokens,
                      size_t token_count, uint32_t least, const uint8_t *text, uint64_t offset);

#endif
