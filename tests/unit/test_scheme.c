/* test_scheme.c - names of schemes and of scalings: what they mean, what is refused, and that they read back. */
#include "model/scheme.h"
#include "tests/check.h"

static bool has_term(const bipe_scheme *s, bipe_position_kind kind, bipe_position_index index, double factor)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->term[i].kind == kind && s->term[i].index == index && s->term[i].factor == factor)
            return true;
    return false;
}

static void test_meaning(void)
{
    bipe_scheme s;
    bipe_error err;
    CHECK(bipe_scheme_parse(&s, "bipe-rope", &err) == BIPE_OK);
    CHECK(s.count == 2 && has_term(&s, BIPE_LEARNED, BIPE_INDEX_INTRA, 1) &&
          has_term(&s, BIPE_ROPE, BIPE_INDEX_SEGMENT, 1));
    CHECK(bipe_scheme_parse(&s, "bipe-alibi", &err) == BIPE_OK);
    CHECK(s.count == 2 && has_term(&s, BIPE_LEARNED, BIPE_INDEX_INTRA, 1) &&
          has_term(&s, BIPE_ALIBI, BIPE_INDEX_SEGMENT, 96));
    CHECK(bipe_scheme_parse(&s, "randomized-rope", &err) == BIPE_OK);
    CHECK(s.count == 1 && has_term(&s, BIPE_RANDOMIZED_ROPE, BIPE_INDEX_TOKEN, 4));
    CHECK(bipe_scheme_parse(&s, "randomized-rope@segment*2.5", &err) == BIPE_OK);
    CHECK(s.count == 1 && has_term(&s, BIPE_RANDOMIZED_ROPE, BIPE_INDEX_SEGMENT, 2.5));
    CHECK(bipe_scheme_parse(&s, "nope", &err) == BIPE_OK && s.count == 0);
    CHECK(bipe_scheme_parse(&s, "none", &err) == BIPE_OK && s.count == 0);
    CHECK(bipe_scheme_parse(&s, "alibi@token+alibi@segment*96+t5@intra+sinusoidal@token+learned@intra", &err) ==
          BIPE_OK);
    CHECK(s.count == 5 && has_term(&s, BIPE_ALIBI, BIPE_INDEX_SEGMENT, 96) &&
          has_term(&s, BIPE_T5, BIPE_INDEX_INTRA, 1) && has_term(&s, BIPE_ALIBI, BIPE_INDEX_TOKEN, 1));
    bipe_scheme without = s;
    bipe_scheme_remove(&without, true);
    CHECK(without.count == 3 && !has_term(&without, BIPE_T5, BIPE_INDEX_INTRA, 1));
    without = s;
    bipe_scheme_remove(&without, false);
    CHECK(without.count == 2 && has_term(&without, BIPE_LEARNED, BIPE_INDEX_INTRA, 1));
}

static void test_names(void)
{
    static const char *const pairs[][2] = {
        {"none", "none"}, {"nope", "none"}, {"rope", "rope"}, {"rope@token", "rope"}, {"bipe-rope", "bipe-rope"},
        {"rope@segment+learned@intra", "bipe-rope"}, {"learned@intra+alibi@segment*96", "bipe-alibi"},
        {"learned@intra+alibi@segment*95.5", "learned@intra+alibi@segment*95.5"}, {"alibi*1", "alibi"},
        {"alibi@token*0.1", "alibi@token*0.1"}, {"alibi@token*1e25", "alibi@token*1e25"}, {"t5", "t5"},
        {"t5@segment+xpos@token", "xpos@token+t5@segment"},
        {"alibi@intra2+alibi@segment2", "alibi@segment2+alibi@intra2"},
        {"t5@segment3+alibi@segment2*3+learned@intra4", "learned@intra4+alibi@segment2*3+t5@segment3"},
        {"randomized-rope*4", "randomized-rope"},
        {"randomized-rope@token*1", "randomized-rope@token*1"}, {"sinusoidal@intra", "sinusoidal@intra"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bipe_scheme s, again;
        bipe_error err;
        char text[256], text_again[256];
        CHECKF(bipe_scheme_parse(&s, pairs[i][0], &err) == BIPE_OK, "%s", pairs[i][0]);
        CHECK_TEXT(bipe_scheme_format(&s, text), pairs[i][1]);
        CHECK(bipe_scheme_parse(&again, text, &err) == BIPE_OK);
        CHECK(again.count == s.count);
        for (size_t t = 0; t < s.count && t < again.count; t++)
            CHECK(again.term[t].kind == s.term[t].kind && again.term[t].index == s.term[t].index &&
                  again.term[t].factor == s.term[t].factor);
        CHECK_TEXT(bipe_scheme_format(&again, text_again), text);
    }
    for (size_t i = 0; bipe_scheme_words[i] != NULL; i++) {
        bipe_scheme s;
        bipe_error err;
        CHECKF(bipe_scheme_parse(&s, bipe_scheme_words[i], &err) == BIPE_OK, "%s", bipe_scheme_words[i]);
        for (size_t k = 0; k < i; k++)
            CHECKF(strcmp(bipe_scheme_words[k], bipe_scheme_words[i]) != 0, "%s twice", bipe_scheme_words[i]);
    }
    /* the longest name there is fits */
    bipe_scheme s;
    bipe_error err;
    char text[256];
    CHECK(bipe_scheme_parse(&s,
                            "learned@segment+sinusoidal@token+sinusoidal@segment+sinusoidal@intra+"
                            "randomized-rope@segment*1.2345678901234567e123+alibi@token*2.2250738585072014e-308+"
                            "alibi@segment*2.2250738585072014e-308+alibi@intra*2.2250738585072014e-308",
                            &err) == BIPE_OK);
    CHECK(s.count == 8);
    bipe_scheme again;
    CHECK(bipe_scheme_parse(&again, bipe_scheme_format(&s, text), &err) == BIPE_OK);
    CHECK(again.count == 8 && has_term(&again, BIPE_ALIBI, BIPE_INDEX_INTRA, 2.2250738585072014e-308));
}

static void test_refused(void)
{
    static const char *const bad[][2] = {
        {"", "empty term"},
        {"+", "empty term"},
        {"rope+", "empty term"},
        {"rope@", "unknown index"},
        {"rope@word", "\"rope@word\": unknown index"},
        {"rope@segment1", "unknown index"},
        {"rope@segment5", "unknown index"},
        {"alibi@segment*2.2250738585072014e-308+alibi@intra*2.2250738585072014e-308+"
         "alibi@segment2*2.2250738585072014e-308+alibi@intra2*2.2250738585072014e-308+"
         "alibi@segment3*2.2250738585072014e-308+alibi@intra3*2.2250738585072014e-308+"
         "alibi@segment4*2.2250738585072014e-308+alibi@intra4*2.2250738585072014e-308",
         "at most 255 bytes"},
        {"rop", "unknown kind"},
        {"none+rope", "stands alone"},
        {"bipe-rope+t5", "stands alone"},
        {"rope@token*2", "takes no factor"},
        {"alibi*", "above 0"},
        {"alibi*0", "above 0"},
        {"alibi*-1", "above 0"},
        {"alibi*nan", "above 0"},
        {"alibi*inf", "above 0"},
        {"alibi*0x10", "above 0"},
        {"alibi*1e999", "above 0"},
        {"alibi@token*96x", "above 0"},
        {"randomized-rope*0.5", "at least 1"},
        {"alibi*2@token", "KIND@INDEX*K"},
        {"rope@segment+rope@token", "second rotation"},
        {"rope+xpos@intra", "second rotation"},
        {"learned@token+learned@intra", "second learned"},
        {"alibi+alibi*2", "twice"},
        {" rope", "unknown kind"},
        {"rope@token@token", "unknown index"},
        {"sinusoidal@token+sinusoidal@segment+sinusoidal@intra+alibi@token+alibi@segment+alibi@intra+t5@token+t5@"
         "segment+"
         "t5@intra",
         "too many"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bipe_scheme s = {.count = 7};
        bipe_error err = {0};
        CHECKF(bipe_scheme_parse(&s, bad[i][0], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i][0]);
        CHECKF(strstr(err.text, bad[i][1]) != NULL, "%s: %s", bad[i][0], err.text);
        CHECKF(s.count == 7, "%s changed the scheme", bad[i][0]);
    }
}

static void test_scaling(void)
{
    static const char *const good[] = {"none", "linear:2", "dynamic:4.5", "yarn:8", "yarn:16:4096", "linear:0.1",
                                       "llama3:8:1:4:8192", "llama3:32:0.5:4:128", "yarn:4:truncate=false",
                                       "yarn:4:256:attention_factor=1.5",
                                       "yarn:4:256:attention_factor=0.9:beta_fast=16:beta_slow=0.25:truncate=false"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        bipe_rope_scaling s;
        bipe_error err;
        char text[BIPE_SCALING_TEXT];
        CHECKF(bipe_rope_scaling_parse(&s, good[i], &err) == BIPE_OK, "%s", good[i]);
        CHECK_TEXT(bipe_rope_scaling_format(&s, text), good[i]);
    }
    bipe_rope_scaling s;
    bipe_error err;
    CHECK(bipe_rope_scaling_parse(&s, "yarn:16:4096", &err) == BIPE_OK);
    CHECK(s.kind == BIPE_SCALING_YARN && s.factor == 16 && s.original == 4096 && s.low == 0 && s.magnitude == 0 &&
          !s.exact);
    CHECK(bipe_rope_scaling_parse(&s, "yarn:16:beta_slow=1:beta_fast=32", &err) == BIPE_OK && s.low == 0 &&
          s.high == 0);
    CHECK(bipe_rope_scaling_parse(&s, "yarn:16:beta_slow=2", &err) == BIPE_OK && s.low == 2 && s.high == 32 &&
          s.original == 0);
    static const char *const bad[] = {"", "linear", "linear:", "linear:0", "linear:-2", "linear:x", "linear:2:3",
                                      "dynamic:2:", "yarn:2:", "yarn:2:0", "yarn:2:x", "yarn:2:3:4", "yarnx:2",
                                      "none:1", "yarn:2:99999999999999999999", "llama3:8", "llama3:8:4:4:9",
                                      "llama3:8:1:4:0", "llama3:8:1:4:9:1", "factors", "factors:1", "llama3:8:1:4",
                                      "yarn:4:truncate=true", "yarn:4:beta_fast=0", "yarn:4:beta_slow=64",
                                      "yarn:4:attention_factor", "yarn:4:attention_factor=x", "yarn:4:beta_fast=8:256",
                                      "linear:4:truncate=false"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECKF(bipe_rope_scaling_parse(&s, bad[i], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i]);
        CHECK(strstr(err.text, "expected") != NULL);
    }
}

int main(void)
{
    test_meaning();
    test_names();
    test_refused();
    test_scaling();
    return test_result();
}
