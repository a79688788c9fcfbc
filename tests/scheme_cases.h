/* scheme_cases.h - position schemes with scalings, and shapes of small models, for tests of what a model computes:
 * every kind on every index, and combinations. */
#ifndef BIPE_TESTS_SCHEME_CASES_H
#define BIPE_TESTS_SCHEME_CASES_H

#include "tests/reference/reference.h"

static const struct { const char *scheme, *scaling; } cases[] = {
    {"none", "none"}, {"learned@token", "none"}, {"learned@segment", "none"}, {"learned@intra", "none"},
    {"sinusoidal@token", "none"}, {"sinusoidal@segment", "none"}, {"sinusoidal@intra", "none"}, {"rope@token", "none"},
    {"rope@segment", "none"}, {"rope@intra", "none"}, {"xpos@token", "none"}, {"xpos@segment", "none"},
    {"xpos@intra", "none"}, {"alibi@token", "none"}, {"alibi@segment", "none"}, {"alibi@intra", "none"},
    {"alibi@segment*96", "none"}, {"alibi@token*0.125", "none"}, {"t5@token", "none"}, {"t5@segment", "none"},
    {"t5@intra", "none"}, {"randomized-rope@token*4", "none"}, {"randomized-rope@segment*4", "none"},
    {"randomized-rope@intra*2.5", "none"}, {"randomized-rope@token*1", "none"}, {"learned@intra+rope@segment", "none"},
    {"learned@intra+alibi@segment*96", "none"}, {"sinusoidal@intra+xpos@segment", "none"},
    {"learned@intra+t5@segment", "none"}, {"rope@token+alibi@segment*2", "none"},
    {"learned@token+sinusoidal@intra+rope@segment+alibi@token+t5@intra", "none"},
    {"alibi@token+alibi@segment*4+alibi@intra*0.5", "none"}, {"sinusoidal@token+sinusoidal@segment", "none"},
    {"rope@token", "linear:4"}, {"rope@token", "linear:0.5"}, {"rope@segment", "linear:3"}, {"xpos@token", "linear:2"},
    {"rope@token", "dynamic:4"}, {"rope@segment", "dynamic:2"}, {"randomized-rope@token*8", "dynamic:2"},
    {"rope@token", "yarn:8"}, {"rope@token", "yarn:4:64"}, {"learned@intra+rope@segment", "yarn:16"},
    {"rope@segment", "yarn:0.5"}, {"xpos@segment", "yarn:4"}, {"rope@token", "yarn:4:64:truncate=false"},
    {"rope@token", "yarn:4:64:attention_factor=0.8:beta_fast=8:beta_slow=0.5"},
    {"rope@segment", "yarn:8:beta_fast=20:beta_slow=1:truncate=false"}, {"xpos@token", "yarn:4:attention_factor=0.75"},
    {"learned@segment2", "none"}, {"sinusoidal@segment2", "none"}, {"rope@segment2", "none"},
    {"xpos@segment2", "none"}, {"alibi@segment2*8", "none"}, {"t5@segment2", "none"},
    {"randomized-rope@segment2*4", "none"}, {"learned@intra2", "none"}, {"sinusoidal@intra2", "none"},
    {"rope@intra2", "none"}, {"xpos@intra2", "none"}, {"alibi@intra2*8", "none"}, {"t5@intra2", "none"},
    {"randomized-rope@intra2*4", "none"}, {"learned@segment3", "none"}, {"sinusoidal@segment3", "none"},
    {"rope@segment3", "none"}, {"xpos@segment3", "none"}, {"alibi@segment3*8", "none"}, {"t5@segment3", "none"},
    {"randomized-rope@segment3*4", "none"}, {"learned@intra3", "none"}, {"sinusoidal@intra3", "none"},
    {"rope@intra3", "none"}, {"xpos@intra3", "none"}, {"alibi@intra3*8", "none"}, {"t5@intra3", "none"},
    {"randomized-rope@intra3*4", "none"}, {"learned@intra+rope@intra2+alibi@segment2*4+t5@segment3", "none"},
    {"learned@intra+alibi@segment*8+alibi@segment2*96", "none"}, {"rope@segment2", "dynamic:2"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const reference_model shapes[] = {
    {.vocabulary = 520, .hidden = 24, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 12, .feed_forward = 520,
     .train_length = 32, .learned_rows = 24, .t5 = 32, .eps = (double)1e-5f, .base = 10000},
    {.vocabulary = 64, .hidden = 48, .layers = 3, .heads = 6, .kv_heads = 1, .head_size = 8, .feed_forward = 70,
     .train_length = 150, .learned_rows = 50, .t5 = 32, .tied = 1, .eps = (double)1e-6f, .base = 500},
    {.vocabulary = 100, .hidden = 33, .layers = 1, .heads = 3, .kv_heads = 3, .head_size = 10, .feed_forward = 44,
     .train_length = 20, .learned_rows = 9, .t5 = 32, .log_scale = 1, .eps = (double)1e-5f, .base = 10000},
};

#endif
