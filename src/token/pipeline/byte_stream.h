/* byte_stream.h - the short way through a pipeline that does nothing but split text and merge bytes: fed bytes to pre-tokens to the cache
 * of words to tokens, without the steps in between. Text is split by a pattern known to pretoken_scan.h.
 * pipeline_stream.c is the general way. */
#ifndef BIPE_TOKEN_BYTE_STREAM_H
#define BIPE_TOKEN_BYTE_STREAM_H

#include "token/pipeline/pipeline.h"

/* When all is there: sets `quick` of a pipeline that can go this way, and its rule. */
void bipe_byte_stream_choose(bipe_pipeline *pipeline);

/* Whether byte_front.h has to do something before: then it finds the added tokens of the text as it is. */
bool bipe_byte_stream_has_front(const bipe_pipeline *pipeline);

typedef struct bipe_byte_stream bipe_byte_stream;

/* As the functions of pipeline.h. */
int bipe_byte_stream_open(bipe_byte_stream **stream, const bipe_pipeline *pipeline, bipe_error *err);
void bipe_byte_stream_begin(bipe_byte_stream *stream, uint64_t offset); /* of what comes in the document */
int bipe_byte_stream_feed(bipe_byte_stream *stream, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err);
int bipe_byte_stream_end(bipe_byte_stream *stream, bipe_tokens *tokens, bipe_error *err);
/* Behind an error: the offset that it is about. */
uint64_t bipe_byte_stream_failed(const bipe_byte_stream *stream);
void bipe_byte_stream_close(bipe_byte_stream *stream);
/* Between calls: forgets what words became. */
void bipe_byte_stream_trim(bipe_byte_stream *stream);

#endif
