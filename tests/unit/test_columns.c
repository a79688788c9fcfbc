/* test_columns.c - a row as JSON and back, as CSV and TSV, and in tables that fit their lines. */
#include "base/output.h"
#include "cli/columns_fit.h"
#include "tests/check.h"

typedef struct row {
    const char *name;
    uint64_t count, hash, none;
    double value, pair[2];
    int word;
    bool flag;
} row;

static const char *const words[] = {"zero", "one", NULL};

static bool has_count(const void *r)
{
    return ((const row *)r)->count > 0;
}

static void put_list(bipe_json *json, const void *r)
{
    bipe_json_uints(json, (const uint64_t[]){((const row *)r)->count, 7}, 2);
}

#define CELL(type, field, ...) BIPE_COLUMN(row, type, field, __VA_ARGS__)

static const bipe_column columns[] = {
    CELL(TEXT, name, .member = "name", .name = "name"),
    CELL(HASH, hash, .member = "hash"),
    CELL(UINT, count, .member = "in.count", .name = "count", .most = 5000, .expected = "up to 5000"),
    CELL(LIST, count, .member = "in.list", .put = put_list, .when = has_count),
    CELL(WORD, word, .member = "in.word", .words = words),
    CELL(HASH, none, .member = "none", .optional = true),
    CELL(BOOL, flag, .member = "flag", .optional = true),
    CELL(NUMBER, value, .name = "value"),
    CELL(PAIR, pair, .name = "low,high"),
};

static const row sample = {"a,b", 1234, UINT64_C(0x0123456789abcdef), BIPE_NO_UINT, 0.5, {-1, 2.25}, 1, true};

/* What an output in memory has, as a text. */
static const char *kept_text(bipe_output *output, char text[512])
{
    bipe_error err;
    CHECK(bipe_output_flush(output, &err) == BIPE_OK);
    const bipe_buffer *kept = bipe_output_kept(output);
    snprintf(text, 512, "%.*s", (int)kept->size, (const char *)kept->data);
    bipe_output_forget(output);
    return text;
}

static void test_json(bipe_output *output)
{
    char text[512];
    bipe_json json;
    bipe_error err = {0};
    row back = {.none = 5};
    bipe_json_open(&json, output, false);
    bipe_json_begin_object(&json);
    bipe_columns_json(&json, columns, BIPE_COUNT_OF(columns), &sample);
    bipe_json_end_object(&json);
    CHECK_TEXT(kept_text(output, text), "{\"name\":\"a,b\",\"hash\":\"0123456789abcdef\","
                                        "\"in\":{\"count\":1234,\"list\":[1234,7],\"word\":\"one\"},\"flag\":true}");
    bipe_result r = {.err = &err, .root = json_loads(text, 0, NULL)};
    bipe_columns_read(&r, r.root, columns, BIPE_COUNT_OF(columns) - 2, &back);
    CHECKF(r.status == BIPE_OK, "%s", err.text);
    CHECK_TEXT(back.name, "a,b");
    CHECK_UINT(back.hash, sample.hash);
    CHECK_UINT(back.count, 1234);
    CHECK_UINT(back.none, 5);
    CHECK(back.word == 1 && back.flag);
    json_object_set_new(json_object_get(r.root, "in"), "count", json_integer(5001));
    bipe_columns_read(&r, r.root, columns, BIPE_COUNT_OF(columns) - 2, &back);
    CHECK(r.status == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "in.count: expected up to 5000");
    json_decref(r.root);
}

static void test_csv(bipe_output *output)
{
    char text[512];
    bipe_columns_head(output, columns, BIPE_COUNT_OF(columns), ',');
    bipe_columns_line(output, columns, BIPE_COUNT_OF(columns), ',', &sample);
    CHECK_TEXT(kept_text(output, text), "name,count,value,low,high\n\"a,b\",1234,0.5,-1,2.25\n");
    bipe_columns_names(output, columns, 1, '\t');
    bipe_columns_values(output, columns, 1, '\t', &sample);
    CHECK_TEXT(kept_text(output, text), "namea,b");
}

static const bipe_column fixed[] = {
    CELL(TEXT, name, .heading = "name", .width = -5),
    CELL(NUMBER, value, .heading = "value", .width = 7, .decimals = 2, .form = BIPE_CELL_SIGNED),
    CELL(INTERVAL, pair, .member = "pair", .name = "low,high", .heading = "pair", .width = -15, .decimals = 2),
    CELL(NUMBER, value, .heading = "v", .decimals = 1),
    CELL(NUMBER, value, .heading = "share", .width = 8, .decimals = 2, .form = BIPE_CELL_PERCENT),
    CELL(NUMBER, value, .heading = "p", .width = 6, .form = BIPE_CELL_P),
    CELL(UINT, count, .heading = "n", .width = 5, .absent = "-"),
};

/* A table of fixed widths, and an interval, which is null where there is none; null that may be read. */
static void test_fixed(bipe_output *output)
{
    static const bipe_column name = CELL(TEXT, name, .member = "name", .or_null = true);
    const row small = {.value = 0.0009};
    const row none = {.name = "c", .count = BIPE_NO_UINT, .value = (double)NAN, .pair = {(double)NAN, (double)NAN}};
    char text[512];
    bipe_json json;
    bipe_error err = {0};
    bipe_columns_table_head(output, fixed, BIPE_COUNT_OF(fixed));
    CHECK_TEXT(kept_text(output, text), " name    value pair            v    share      p     n");
    bipe_columns_table(output, fixed, BIPE_COUNT_OF(fixed), &sample);
    CHECK_TEXT(kept_text(output, text), " a,b     +0.50 [-1.00, 2.25]   0.5  50.00 %  0.500  1234");
    bipe_columns_table(output, &fixed[5], 1, &small);
    CHECK_TEXT(kept_text(output, text), "  <.001");
    bipe_columns_table(output, fixed, BIPE_COUNT_OF(fixed), &none);
    CHECK_TEXT(kept_text(output, text), " c           - -               -        -      -     -");
    bipe_columns_line(output, fixed, BIPE_COUNT_OF(fixed), ',', &none);
    CHECK_TEXT(kept_text(output, text), ",\n");
    bipe_json_open(&json, output, false);
    bipe_json_begin_array(&json);
    for (const row *r = &sample; r != NULL; r = r == &sample ? &none : NULL) {
        bipe_json_begin_object(&json);
        bipe_columns_json(&json, fixed, BIPE_COUNT_OF(fixed), r);
        bipe_json_end_object(&json);
    }
    bipe_json_end_array(&json);
    CHECK_TEXT(kept_text(output, text), "[{\"pair\":[-1,2.25]},{\"pair\":null}]");
    row back = sample;
    bipe_result r = {.err = &err, .root = json_loads("{\"name\":null}", 0, NULL)};
    bipe_columns_read(&r, r.root, &name, 1, &back);
    CHECK(r.status == BIPE_OK && back.name == sample.name);
    json_decref(r.root);
}

static void test_cells(void)
{
    static const struct {
        bipe_cell_form form;
        double value;
        const char *want;
    } cells[] = {
        {BIPE_CELL_REAL, 1234567.4, "1,234,567"}, {BIPE_CELL_REAL, 999.4, "999.4"}, {BIPE_CELL_REAL, 9.99, "9.99"},
        {BIPE_CELL_REAL, -0.004, "0.00"}, {BIPE_CELL_REAL, 0, "0"}, {BIPE_CELL_REAL, (double)NAN, "-"},
        {BIPE_CELL_SHARE, 0.12345, "0.123"}, {BIPE_CELL_PERCENT, 0.0625, "6.2%"}, {BIPE_CELL_P, 0.0009, "<.001"},
        {BIPE_CELL_P, 0.25, "0.250"}, {BIPE_CELL_WHOLE, 12, "12"}, {BIPE_CELL_WHOLE, 12.5, "12.5"},
    };
    char cell[BIPE_CELL_WIDEST];
    for (size_t i = 0; i < BIPE_COUNT_OF(cells); i++)
        CHECK_TEXT(bipe_cell_number(cell, cells[i].form, cells[i].value), cells[i].want);
    CHECK_TEXT(bipe_cell_show(cell, &columns[BIPE_COUNT_OF(columns) - 1], &sample), "-1.00-2.25");
    CHECK_TEXT(bipe_cell_show(cell, &columns[2], &sample), "1,234");
}

static const bipe_column shown[] = {
    CELL(TEXT, name, .heading = "name"),
    CELL(UINT, count, .heading = "count", .spare = 1),
    CELL(NUMBER, value, .heading = "value"),
    CELL(PAIR, pair, .heading = "pair", .spare = 2, .form = BIPE_CELL_SIGNED),
};

/* A wide table, one that has lost its most dispensable column, and one on its side, where a column without values is
 * left out. */
static void test_table(bipe_output *output)
{
    char text[512];
    row other = {.name = "c", .count = BIPE_NO_UINT, .value = (double)NAN, .pair = {(double)NAN, 1}};
    const void *const rows[] = {&sample, &other};
    bipe_table table = {.output = output, .look = {.width = 40, .utf8 = true}};
    bipe_table_rows(&table, shown, BIPE_COUNT_OF(shown), 1, rows, 2);
    CHECK_TEXT(kept_text(output, text), "  name  count  value           pair\n"
                                        "  a,b   1,234   0.50  [-1.00, 2.25]\n"
                                        "  c         -      -              -\n");
    CHECK_TEXT(bipe_table_explain(&table, "pair", "meaning"), "meaning");
    table.look.width = 30;
    bipe_table_rows(&table, shown, BIPE_COUNT_OF(shown), 1, rows, 2);
    CHECK_TEXT(kept_text(output, text), "  name  count  value\n  a,b   1,234   0.50\n  c         -      -\n");
    CHECK_TEXT(bipe_table_explain(&table, "pair", "meaning"), "");
    CHECK(bipe_table_on_side(&table, shown, BIPE_COUNT_OF(shown), rows + 1, 1));
    CHECK_TEXT(kept_text(output, text), "  name   c\n");
    table.look.width = 20;
    CHECK(!bipe_table_on_side(&table, shown, BIPE_COUNT_OF(shown), rows, 2));
    bipe_table_words(&table, "  ", "as many words as go into one line");
    CHECK_TEXT(kept_text(output, text), "  as many words as\n    go into one line\n");
}

int main(void)
{
    bipe_error err;
    bipe_output *output;
    CHECK(bipe_output_open_memory(&output, &err) == BIPE_OK);
    test_json(output);
    test_csv(output);
    test_fixed(output);
    test_table(output);
    test_cells();
    bipe_output_abandon(output);
    return test_result();
}
