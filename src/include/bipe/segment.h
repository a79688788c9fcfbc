/* segment.h - an opened SPEC: the segmenter that it names, run over documents with every callback checked. */
#ifndef BIPE_SEGMENT_H
#define BIPE_SEGMENT_H

#include <stdbool.h>

#include <bipe/error.h>
#include <bipe/segmenter.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_segmentation bipe_segmentation;

/* Levels of segmenters that nest, "FINEST/COARSER/..." (bipe(7)), at most. */
#define BIPE_LEVELS 4

/* The default SPEC: "stop". */
#define BIPE_SEGMENTER_DEFAULT "stop"

/* Opens "NAME", "NAME:ARG", "PATH.so" or "PATH.so:ARG". Names are looked for among the built-in ones, then as
 * NAME.so in the folders of BIPE_SEGMENTER_PATH (colon-separated), then in the installed folder.
 * One segmenter: those that nest are opened by a bipe_stream. The caller closes it; one thread at a time.
 * BIPE_ERR_ARGUMENT names the SPEC and what was expected; BIPE_ERR_IO, BIPE_ERR_FORMAT for a plug-in. */
int bipe_segmentation_open(bipe_segmentation **segmentation, const char *spec, bipe_error *err);

/* Whether the segmenter reads tokens: call bipe_segmentation_feed_tokens(), otherwise
 * bipe_segmentation_feed_bytes(). */
bool bipe_segmentation_wants_tokens(const bipe_segmentation *segmentation);

/* One document: begin, any number of feeds, end. Boundaries found since bipe_segmentation_take() was last
 * called are in bipe_segmentation_boundaries(), strictly increasing (checked), none past what was fed;
 * begin() discards those that were not taken. end(): `size` is the document's length in bytes, equal to the
 * bytes fed (tokens may end before it).
 * BIPE_ERR_ARGUMENT: no document has begun, the wrong kind of input, spans out of order, or a wrong size.
 * BIPE_ERR_LIMIT: more than 2 MiB are undecided, or the segmenter gave up; the text names the byte.
 * BIPE_ERR_FORMAT: a plug-in broke the rules. */
int bipe_segmentation_begin(bipe_segmentation *segmentation, bipe_error *err);
int bipe_segmentation_feed_bytes(bipe_segmentation *segmentation, const uint8_t *bytes, size_t size,
                                 bipe_error *err);
int bipe_segmentation_feed_tokens(bipe_segmentation *segmentation, const bipe_token *tokens, size_t count,
                                  bipe_error *err);
int bipe_segmentation_end(bipe_segmentation *segmentation, uint64_t size, bipe_error *err);

/* The boundaries not yet taken (count, offset[]) and `settled` as in segmenter.h. Belongs to the segmentation;
 * offset[] is valid until the next call. */
const bipe_boundaries *bipe_segmentation_boundaries(const bipe_segmentation *segmentation);
/* Drops the first `count` of them. */
void bipe_segmentation_take(bipe_segmentation *segmentation, size_t count);

/* All of a text at once: begins a document, feeds it and ends it, and takes its boundaries. end: (capacity) the ends
 * of the segments, in bytes, the last one `size`; NULL where capacity is 0. *count: how many segments the text has
 * (0 where it is empty), of which the first `capacity` are in end[]; capacity = size is always enough. The segmenter
 * reads bytes. Fails as the functions above. */
int bipe_segment_text(bipe_segmentation *segmentation, const char *text, size_t size, uint64_t *end, size_t capacity,
                      size_t *count, bipe_error *err);

void bipe_segmentation_close(bipe_segmentation *segmentation);

#ifdef __cplusplus
}
#endif
#endif
