/* test_plot.c - axes and their ticks, labels cut to a width, figures of values that no axis can show, and texts in
 * pieces of tokens. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "plot/figure.h"
#include "plot/loss_text.h"
#include "plot/html.h"
#include "text/label.h"
#include "tests/check.h"

/* Ticks rise, lie on the axis and have labels that differ; the axis holds what it was made for. */
static void check_scale(bipe_scale_kind kind, double low, double high, int wanted, bool tight)
{
    bipe_scale s;
    bipe_scale_open(&s, kind, low, high, wanted, tight);
    double slack = kind == BIPE_SCALE_LINEAR ? 1e-8 * (s.high - s.low) : 0; /* ends are multiples of a step, but for
                                                                               rounding */
    CHECKF(s.low < s.high && s.low <= low + slack && s.high >= high - slack, "axis from %g to %g of %g to %g", s.low,
           s.high, low, high);
    CHECKF(s.ticks >= 1 && s.ticks <= (size_t)(wanted < 2 ? 2 : wanted) * 2 + 5, "%zu ticks of %d from %g to %g",
           s.ticks, wanted, low, high);
    CHECK_NEAR(bipe_scale_at(&s, s.low), 0, 1e-9);
    CHECK_NEAR(bipe_scale_at(&s, s.high), 1, 1e-9);
    char before[BIPE_SCALE_LABEL] = "";
    for (size_t i = 0; i < s.ticks; i++) {
        char label[BIPE_SCALE_LABEL];
        double at = bipe_scale_at(&s, s.tick[i]);
        CHECKF(at > -1e-6 && at < 1 + 1e-6, "tick %g lies at %g of %g to %g", s.tick[i], at, s.low, s.high);
        CHECK(i == 0 || s.tick[i] > s.tick[i - 1]);
        bipe_scale_label(&s, i, label);
        CHECKF(strcmp(label, before) != 0, "two ticks of %g to %g are labelled %s", low, high, label);
        strcpy(before, label);
    }
}

static void test_scales(void)
{
    check_scale(BIPE_SCALE_LINEAR, 0, 1, 5, false);
    check_scale(BIPE_SCALE_LINEAR, -3.7, 12, 5, false);
    check_scale(BIPE_SCALE_LINEAR, 55, 55, 5, false);
    check_scale(BIPE_SCALE_LINEAR, 0, 0, 5, false);
    check_scale(BIPE_SCALE_LINEAR, 0.00123, 0.00124, 6, false);
    check_scale(BIPE_SCALE_LINEAR, -1e280, 1e280, 5, false);
    check_scale(BIPE_SCALE_LOG, 1, 1000, 5, false);
    check_scale(BIPE_SCALE_LOG, 50, 60, 5, false);
    check_scale(BIPE_SCALE_LOG, 1e-200, 1e200, 5, false);
    check_scale(BIPE_SCALE_LOG, 7, 7, 5, false);
    check_scale(BIPE_SCALE_LENGTH, 512, 8192, 8, false);
    check_scale(BIPE_SCALE_LENGTH, 512, 512, 8, false);
    check_scale(BIPE_SCALE_LENGTH, 1, 1 << 30, 4, false);
    uint64_t seed = 7;
    for (int i = 0; i < test_rounds(2000); i++) {
        double a = pow(10, (double)(test_random(&seed) % 80) / 4 - 10),
               b = a * (1 + (double)(test_random(&seed) % 1000) / 10);
        int wanted = (int)(test_random(&seed) % 12);
        check_scale(BIPE_SCALE_LINEAR, a, b, wanted, false);
        check_scale(BIPE_SCALE_LINEAR, -b, a, wanted, true);
        check_scale(BIPE_SCALE_LOG, a, b, wanted, false);
    }
    bipe_scale s;
    char label[BIPE_SCALE_LABEL];
    bipe_scale_open(&s, BIPE_SCALE_LINEAR, 0, 50, 5, false);
    CHECK(s.ticks == 6 && s.tick[5] == 50 && s.low == 0 && s.high == 50);
    bipe_scale_open(&s, BIPE_SCALE_LENGTH, 512, 8192, 8, false);
    CHECK(s.ticks == 5 && s.tick[0] == 512 && s.tick[4] == 8192);
    CHECK_TEXT(bipe_scale_label(&s, 4, label), "8k");
    CHECK_TEXT(bipe_scale_length(1536, label), "1.5k");
    CHECK_TEXT(bipe_scale_length(1000, label), "1000");
    CHECK_TEXT(bipe_scale_length(1 << 20, label), "1m");
}

static void test_labels(void)
{
    char to[64];
    char *copy = bipe_label_copy("a\tb\xff\u202E");
    CHECK_TEXT(copy, "a?b\uFFFD?");
    bipe_free(copy);
    CHECK_UINT(bipe_label_columns("日本"), 4);
    static char long_name[(1 << 22) + 1]; /* only the next character is looked at */
    memset(long_name, 'a', sizeof long_name - 1);
    CHECK_UINT(bipe_label_columns(long_name), sizeof long_name - 1);
    CHECK_TEXT(bipe_label_cut("abcdefghij", 10, to, sizeof to), "abcdefghij");
    CHECK_TEXT(bipe_label_cut("abcdefghij", 5, to, sizeof to), "ab…ij");
    CHECK_TEXT(bipe_label_cut("abcdefghij", 1, to, sizeof to), "…");
    for (size_t most = 1; most < 12; most++)
        CHECK(bipe_label_columns(bipe_label_cut("日本語日本語", most, to, sizeof to)) <= most);
}

typedef struct counter {
    size_t line, widest;
} counter;

/* Lines of ASCII: no wider than they may be. */
static int count_columns(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    counter *c = context;
    (void)err;
    for (size_t i = 0; i < size; i++) {
        c->line = bytes[i] == '\n' ? 0 : c->line + 1;
        c->widest = c->line > c->widest ? c->line : c->widest;
    }
    return BIPE_OK;
}

/* Random figures: any width, any values. */
static void test_figures(void)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1, 1e300, -1e300, 1e-300, 55.6, 1e15, 512};
    enum { ODD = sizeof odd / sizeof odd[0] };
    uint64_t seed = 3;
    for (int round = 0; round < test_rounds(3000); round++) {
        bipe_figure f = {.x_label = "x", .y_label = "an axis whose name is long, too", .bare = test_random(&seed) % 2,
                         .zero = test_random(&seed) % 2, .map = test_random(&seed) % 8 == 0, .titled = true};
        f.bars = !f.map && test_random(&seed) % 4 == 0;
        bipe_error err;
        counter c = {0};
        bipe_output *output, *page;
        size_t group;
        bipe_look look = {.width = BIPE_LOOK_NARROWEST + test_random(&seed) % 100};
        f.x_kind = (bipe_scale_kind)(test_random(&seed) % 4);
        f.y_kind = (bipe_scale_kind)(test_random(&seed) % 2);
        CHECK(bipe_figure_name(&f, "a title that is rather long for what it says", &err) == BIPE_OK);
        snprintf(f.caption, sizeof f.caption, "words%*s more words and averyveryverylongword",
                 (int)(test_random(&seed) % 9), "");
        CHECK(!f.bars || (bipe_figure_group(&f, "some group", &group, &err) == BIPE_OK &&
                          bipe_figure_group(&f, "other", &group, &err) == BIPE_OK && group == 1));
        if (f.bars)
            f.group[1].level = odd[test_random(&seed) % ODD];
        for (size_t s = test_random(&seed) % 12; s > 0; s--) {
            char name[64];
            bipe_series *series;
            memset(name, 'n', sizeof name);
            name[test_random(&seed) % 63] = '\0';
            name[63] = '\0';
            CHECK(bipe_figure_series(&f, name, &series, &err) == BIPE_OK);
            for (size_t i = test_random(&seed) % 20; i > 0; i--) {
                const bipe_point p = {odd[test_random(&seed) % ODD], odd[test_random(&seed) % ODD],
                                      odd[test_random(&seed) % ODD], odd[test_random(&seed) % ODD]};
                CHECK(bipe_series_add(series, p, &err) == BIPE_OK);
            }
            bipe_series_sort(series);
        }
        CHECK(bipe_output_open_sink(&output, count_columns, &c, &err) == BIPE_OK);
        CHECK(bipe_figures_print(&f, 1, look, output, &err) == BIPE_OK);
        CHECKF(c.widest <= look.width, "%zu columns, expected at most %zu", c.widest, look.width);
        look.utf8 = look.colour = true;
        CHECK(bipe_figures_print(&f, 1, look, output, &err) == BIPE_OK);
        CHECK(bipe_output_open_sink(&page, count_columns, &c, &err) == BIPE_OK);
        CHECK(bipe_figures_draw_svg(&f, 1, 30 + (double)(test_random(&seed) % 99), page, &err) == BIPE_OK);
        bipe_output_abandon(page);
        bipe_output_abandon(output);
        bipe_figure_close(&f);
    }
}

/* Means of neighbours, compared with sums over their ranges. */
static void test_average(void)
{
    bipe_series s = {0}, means = {0}, weighted = {0};
    bipe_error err;
    for (int i = 0; i < 1000; i++)
        CHECK(bipe_series_add(&s, (bipe_point){i, i == 5 || i / 10 == 7 ? (double)NAN : 2.0 * i, 1, NAN}, &err) ==
              BIPE_OK);
    CHECK(bipe_series_average(&means, &s, 100, &err) == BIPE_OK);
    CHECK_UINT(means.count, 100);
    CHECK_NEAR(means.point[0].y, (0 + 2 + 4 + 6 + 8 + 12 + 14 + 16 + 18) / 9.0, 1e-12);
    CHECK(isnan(means.point[7].y) && means.point[7].x == 70); /* a gap stays one */
    CHECK_NEAR(means.point[99].x, 994.5, 1e-9);
    CHECK_NEAR(means.point[99].y, 1989, 1e-9);
    means.count = 0;
    CHECK(bipe_series_average(&means, &s, 1000, &err) == BIPE_OK && means.count == 1000 && means.point[3].y == 6);
    /* 1 value at 0, none at 1, 3 at 2, 4 at 3: of two means each holds at least half. */
    static const bipe_point sums[] = {{0, 5, 1, NAN}, {1, 0, 0, NAN}, {2, 6, 3, NAN}, {3, 2, 4, NAN}, {4, 0, 0, NAN}};
    for (int i = 0; i < 5; i++)
        CHECK(bipe_series_add(&weighted, sums[i], &err) == BIPE_OK);
    means.count = 0;
    CHECK(bipe_series_average(&means, &weighted, 2, &err) == BIPE_OK);
    CHECK_UINT(means.count, 2);
    CHECK_NEAR(means.point[0].x, 1.5, 1e-12);
    CHECK_NEAR(means.point[0].y, 11.0 / 4, 1e-12);
    CHECK(means.point[1].x == 3 && means.point[1].y == 0.5);
    bipe_free(s.point);
    bipe_free(means.point);
    bipe_free(weighted.point);
}

static int append_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_buffer_append(context, bytes, size, err);
}

/* What a function writes, as text. */
static const char *text_of(bipe_buffer *buffer, bipe_output *output)
{
    bipe_error err;
    CHECK(bipe_output_flush(output, &err) == BIPE_OK && bipe_buffer_append(buffer, "", 1, &err) == BIPE_OK);
    return (const char *)buffer->data;
}

/* Text that would be an element. */
static void test_html(void)
{
    bipe_buffer buffer = {0};
    bipe_output *output;
    bipe_error err;
    CHECK(bipe_output_open_sink(&output, append_bytes, &buffer, &err) == BIPE_OK);
    bipe_html_text(output, "<a href='\"&\x01\x7f\xff\xc3\n\u00e9\xC2\x85\uFFFE");
    CHECK(bipe_html_json(output, (const uint8_t *)"\"</script>", 10, &err) == BIPE_OK);
    CHECK_TEXT(text_of(&buffer, output),
               "&lt;a href=&#39;&quot;&amp;\u2401\u2421\uFFFD\uFFFD\n\u00e9\uFFFD\uFFFD\"\\u003c/script>");
    bipe_output_abandon(output);
    bipe_buffer_free(&buffer);
}

static int note_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text,
                      size_t size, bipe_error *err)
{
    return bipe_buffer_printf(context, err, "%s%s[%.*s]", token == NULL ? "-" : "",
                              token != NULL && before != NULL && before->segment != token->segment ? "|" : "",
                              (int)size, text);
}

/* Tokens that divide a character, leave a gap, have no bytes, or end after the text. */
static void test_walk(void)
{
    static uint8_t text[] = "a\xC3\xA9\xF0\x9F\x99\x82 z!";
    bipe_loss_token token[] = {{.start = 1, .end = 2},
                               {.start = 2, .end = 4},
                               {.start = 4, .end = 7, .segment = 1},
                               {.start = 7, .end = 7, .segment = 1},
                               {.start = 8, .end = 9, .segment = 1, .window = 1},
                               {.document = 2, .start = 0, .end = 99}};
    bipe_loss_view view = {.token = token, .count = 6}, other = view;
    const bipe_loss_document document = {.text = {.data = text, .size = sizeof text - 1}},
                             second = {.index = 1, .text = document.text}, third = {.index = 2, .text = document.text};
    bipe_buffer buffer = {0};
    bipe_error err;
    size_t first = 0;
    CHECK(bipe_loss_walk(&document, &view, &first, note_piece, &buffer, &err) == BIPE_OK);
    CHECK(bipe_loss_walk(&second, &view, &first, note_piece, &buffer, &err) == BIPE_OK &&
          bipe_buffer_append(&buffer, "", 1, &err) == BIPE_OK);
    CHECK_TEXT((const char *)buffer.data, "-[a][\u00e9][\U0001F642]|[][]-[ ][z]-[!]-[a\u00e9\U0001F642 z!]");
    CHECK(bipe_loss_walk(&third, &view, &first, note_piece, &buffer, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_loss_same_tokens(&view, &other));
    other.count--;
    CHECK(!bipe_loss_same_tokens(&view, &other));
    bipe_buffer_free(&buffer);
}

/* A map: cells in order, the value in percent, what is missing as a dash. */
static void test_map(void)
{
    bipe_figure f = {.map = true, .x_label = "x", .y_label = "y"};
    bipe_buffer buffer = {0};
    bipe_output *output = NULL;
    bipe_error err;
    CHECK(bipe_figure_name(&f, "t", &err) == BIPE_OK &&
          bipe_output_open_sink(&output, append_bytes, &buffer, &err) == BIPE_OK);
    CHECK(bipe_figure_point(&f, "m", (bipe_point){1024, 0.5, 1, NAN}, &err) == BIPE_OK &&
          bipe_figure_point(&f, "m", (bipe_point){512, 0.5, 0.25, NAN}, &err) == BIPE_OK);
    CHECK(bipe_figure_point(&f, "m", (bipe_point){512, 0, NAN, NAN}, &err) == BIPE_OK);
    CHECK(bipe_figures_print(&f, 1, (bipe_look){.width = 40}, output, &err) == BIPE_OK);
    CHECK_TEXT(text_of(&buffer, output), "y\n  0 +      -           -\n0.5 +..... 25... #### 100###\n    "
                                         "+------+----------+------\n          512        1k\n                 x\n");
    for (int i = 0; i < BIPE_SCALE_TICKS; i++)
        CHECK(bipe_figure_point(&f, "m", (bipe_point){i + 1, 0.5, 0.5, NAN}, &err) == BIPE_OK);
    bipe_scale x, y;
    CHECK(!bipe_figure_axes(&f, 5, 5, &x, &y));
    bipe_output_abandon(output);
    bipe_buffer_free(&buffer);
    bipe_figure_close(&f);
}

int main(void)
{
    test_html();
    test_walk();
    test_map();
    test_scales();
    test_labels();
    test_figures();
    test_average();
    return test_result();
}
