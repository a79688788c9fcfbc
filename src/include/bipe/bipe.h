/* bipe.h - includes all of libbipe. libbipe(3) is an introduction; each header describes its functions. */
#ifndef BIPE_BIPE_H
#define BIPE_BIPE_H

#include <bipe/compare.h>
#include <bipe/documents.h>
#include <bipe/error.h>
#include <bipe/pool.h>
#include <bipe/score.h>
#include <bipe/segment.h>
#include <bipe/segmenter.h>
#include <bipe/streams.h>
#include <bipe/tokenize.h>
#include <bipe/version.h>

#endif
