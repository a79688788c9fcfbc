/* test_options.c - command lines, usage errors, what is printed, and the check of tables. */
#include "config.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "base/numbers.h"
#include "cli/options.h"
#include "tests/cases.h"
#include "tests/no_memory.h"
#include "tests/scratch.h"

static bool quiet, null;
static const char *output_name;
static bipe_texts specs;
static bipe_sizes lengths;
static uint64_t threads;
static int format;
static double rate;
static const char *const formats[] = {"lines", "nul", "jsonl", NULL};
static const char *const spec_words[] = {"stop", "sentence:en", "fixed:", NULL};

static const bipe_option table[] = {

    {'s', "segmenter", BIPE_OPTION_TEXTS, &specs, "SPEC", .help = "where segments end; default: stop",
     .group = "Meaning", .words = spec_words},
    {0, "segments", BIPE_OPTION_TEXT, &output_name, "FILE", .help = "write a row a segment to FILE"},
    {'L', "length", BIPE_OPTION_SIZES, &lengths, "N[,N...]", .minimum = 1, .help = "lengths of windows"},
    {'j', "threads", BIPE_OPTION_SIZE, &threads, "N", .minimum = 1, .maximum = 1024,
     .help = "threads that work; default: all"},
    {0, "rate", BIPE_OPTION_NUMBER, &rate, "X", .maximum = 1, .help = "a rate"},
    {'q', "quiet", BIPE_OPTION_FLAG, &quiet, .help = "say nothing that isn't asked for [or a \\ wrong]: really",
     .group = "Output"},
    {'z', "null", BIPE_OPTION_FLAG, &null, .help = "the same as --format=nul"},
    {0, "format", BIPE_OPTION_CHOICE, &format, "F", .choices = formats, .help = "what is printed"},
};

static const bipe_options options = {
    .tool = "bipe-test",
    .summary = "tests options",
    .usage = "[OPTION...] [FILE...] [MORE...]",
    .description = "A first paragraph that is long enough to be broken into several lines when the terminal is "
                   "narrow.\n\n  an example -x",
    .option = table,
    .option_count = sizeof table / sizeof table[0],
    .max_operands = 3,
    .operand_help = "FILE is a file.",
};

static bipe_texts operands;
static bipe_options_given given;

static void forget(void)
{
    quiet = null = false;
    output_name = NULL;
    threads = 0;
    format = -1;
    bipe_texts_free(&specs);
    bipe_sizes_free(&lengths);
    bipe_texts_free(&operands);
    bipe_free(given.item);
    given = (bipe_options_given){0};
}

enum { MOST_WORDS = 16 };

/* Parses a line whose words are divided by blanks. */
static bipe_options_result parse(const bipe_options *which, const char *line)
{
    static char text[1024];
    static char *words[MOST_WORDS + 1];
    int count = 1;
    forget();
    snprintf(text, sizeof text, "%s", line);
    static char name[] = "name";
    words[0] = name;
    for (char *word = strtok(text, " "); word != NULL && count < MOST_WORDS; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return bipe_options_parse(which, count, words, &operands, &given);
}

static void test_parsing(void)
{
    CHECK(parse(&options, "") == BIPE_OPTIONS_RUN && operands.count == 0);
    CHECK(parse(&options, "a -qzq b --format=nul -q c") == BIPE_OPTIONS_RUN);
    CHECK(quiet && null && format == 1 && operands.count == 3);
    CHECK_TEXT(operands.text[0], "a");
    CHECK_TEXT(operands.text[2], "c");

    CHECK(parse(&options, "-L512 -L 1k,2m --len=3 --length 4,5") == BIPE_OPTIONS_RUN);
    static const uint64_t want[] = {512, 1024, 2097152, 3, 4, 5};
    CHECK_UINT(lengths.count, 6);
    for (size_t i = 0; i < lengths.count && i < 6; i++)
        CHECK_UINT(lengths.value[i], want[i]);

    CHECK(parse(&options, "-qj2 -zs stop --segmenter=regex:a=b -s-") == BIPE_OPTIONS_RUN);
    CHECK(quiet && null && threads == 2 && specs.count == 3);
    CHECK_TEXT(specs.text[0], "stop");
    CHECK_TEXT(specs.text[1], "regex:a=b");
    CHECK_TEXT(specs.text[2], "-");

    CHECK(parse(&options, "--quie -- -q --help") == BIPE_OPTIONS_RUN);
    CHECK(quiet && operands.count == 2);
    CHECK_TEXT(operands.text[1], "--help");
    CHECK(parse(&options, "- --segments=") == BIPE_OPTIONS_RUN);
    CHECK_TEXT(operands.text[0], "-");
    CHECK_TEXT(output_name, "");
    CHECK(parse(&options, "--form lines -j 1024") == BIPE_OPTIONS_RUN && format == 0 && threads == 1024);
    CHECK(parse(&options, "-j -q") == BIPE_OPTIONS_USAGE);
    forget();
}

/* What was given, in the order of the table. */
static void test_given(void)
{
    CHECK(parse(&options, "-zq -sline -q --length=1k -s stop") == BIPE_OPTIONS_RUN);
    CHECK_UINT(given.count, 5);
    for (size_t i = 1; i < given.count; i++)
        CHECK(given.item[i - 1].option <= given.item[i].option);
    for (size_t i = 0, segmenters = 0; i < given.count; i++) {
        const char *value = given.item[i].value, *option = given.item[i].option->name;
        CHECK((value == NULL) == (given.item[i].option->kind == BIPE_OPTION_FLAG));
        if (strcmp(option, "segmenter") == 0)
            CHECK_TEXT(value, segmenters++ == 0 ? "line" : "stop");
        if (strcmp(option, "length") == 0)
            CHECK_TEXT(value, "1k");
    }
    forget();
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},         {"0.05", 0.05},   {".5", 0.5},   {"1e-4", 1e-4},
                {"6.0E-4", 6e-4}, {"0.001", 0.001}, {"3e-5", 3e-5}};
    static const char *const bad[] = {"",   "-1",   "0,5", "nan", "inf",  "0x1p-3",
                                      "1e", "0.5k", ".",   "1e-", " 0.5", "0.5 "};
    double value = 7;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(bipe_parse_number(good[i].text, &value));
        CHECKF(value == good[i].value, "%s: %.17g", good[i].text, value);
    }
    value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECKF(!bipe_parse_number(bad[i], &value) && value == 7, "%s", bad[i]);
    CHECK(bipe_parse_number("1e3", &value) && value == 1000);
    CHECK(!bipe_parse_number("1e999999999999", &value));
    CHECK(parse(&options, "--rate 0.25") == BIPE_OPTIONS_RUN && rate == 0.25);
    CHECK(parse(&options, "--rate 2") == BIPE_OPTIONS_USAGE);
    forget();
}

/* Runs a command line with both streams caught; a stream that is NULL is not kept. */
static bipe_options_result catch(const bipe_options *which, const char *line, char **out, char **err)
{
    const char *out_path = scratch_path("out"), *err_path = scratch_path("err");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int fd2 = open(err_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, STDOUT_FILENO);
        dup2(fd2, STDERR_FILENO);
        int result = (int)parse(which, line);
        fflush(NULL);
        forget();
        _exit(result);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    size_t size;
    *out = scratch_read(out_path, &size);
    *err = scratch_read(err_path, &size);
    return (bipe_options_result)WEXITSTATUS(status);
}

static void test_usage_errors(void)
{
    const char *line, *message;
    char *out, *err;
    for (test_cases c = {.name = "options-usage.jsonl"}; read_case(&c, "[s s]", &line, &message);) {
        char want[600];
        CHECK(catch(&options, line, &out, &err) == BIPE_OPTIONS_USAGE);
        snprintf(want, sizeof want, "bipe-test: %s\nTry 'bipe-test --help' for more information.\n", message);
        CHECK_TEXT(err, want);
        CHECK_TEXT(out, "");
        free(out);
        free(err);
    }
    bipe_options needy = options;
    needy.min_operands = 1;
    CHECK(catch(&needy, "-q", &out, &err) == BIPE_OPTIONS_USAGE);
    CHECK(strstr(err, "bipe-test: an operand is missing: FILE is a file.\n") == err);
    free(out);
    free(err);
}

/* ---- rules ---- */

static bool merge, trim, list, counts, json, csv, limit;
static const char *task, *kwic, *prompt, *ids, *output;
static bipe_texts stops;
static uint64_t stride, seed, shots;
static double top_p, penalty, share;
static int form, way;
static const char *const ways[] = {"plain", "sliding", "whole", NULL};

static int check_even(const char *value, bipe_error *err)
{
    return strlen(value) % 2 == 0 ? BIPE_OK
                                  : bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected an even length", value);
}

static int check_letters(const char *value, bipe_error *err)
{
    return value[0] == 'x' ? BIPE_OK : bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected an x", value);
}

/* An option whose value may be left out. */
static void test_alone(void)
{
    static const bipe_option may[] = {
        {0, "key", BIPE_OPTION_TEXT, &output_name, "X", .alone = "x0", .check = check_letters, .help = "a key"},
    };
    bipe_options both = options;
    char *out, *err;
    both.option = may;
    both.option_count = 1;
    CHECK(parse(&both, "--key a") == BIPE_OPTIONS_RUN && operands.count == 1 && given.count == 1);
    CHECK_TEXT(output_name, "x0");
    CHECK_TEXT(given.item[0].value, "x0");
    CHECK(parse(&both, "--key=x1 a") == BIPE_OPTIONS_RUN && operands.count == 1);
    CHECK_TEXT(output_name, "x1");
    CHECK(parse(&both, "--key x2") == BIPE_OPTIONS_RUN && operands.count == 0);
    CHECK_TEXT(output_name, "x2");
    CHECK(parse(&both, "a --key") == BIPE_OPTIONS_RUN && operands.count == 1);
    CHECK_TEXT(output_name, "x0");
    CHECK(parse(&both, "--key=a") == BIPE_OPTIONS_USAGE);
    CHECK(catch(&both, "--help", &out, &err) == BIPE_OPTIONS_DONE && strstr(out, " --key[=X]") != NULL);
    free(out);
    free(err);
    forget();
}

static const bipe_option ruled[] = {
    {0, "task", BIPE_OPTION_TEXT, &task, "FILE", .must = "task list: expected a task", .help = "x"},
    {0, "list", BIPE_OPTION_FLAG, &list, .instead = true, .no_model = true, .excludes = "MODEL; json? csv",
     .help = "x"},
    {0, "form", BIPE_OPTION_CHOICE, &form, "F", .choices = formats, .help = "x"},
    {0, "way", BIPE_OPTION_CHOICE, &way, "W", .choices = ways, .excludes = "trim: the way is fixed", .help = "x"},
    {0, "stride", BIPE_OPTION_SIZE, &stride, "N", .excludes = "way!=sliding", .help = "x"},
    {0, "trim", BIPE_OPTION_FLAG, &trim, .excludes = "form=nul", .help = "x"},
    {'c', "count", BIPE_OPTION_FLAG, &counts, .needs = "form=jsonl; trim? kwic json: trimmed text is not counted",
     .help = "x"},
    {0, "kwic", BIPE_OPTION_TEXT, &kwic, "P", .needs = "json csv FILE: a place for matches", .help = "x"},
    {0, "json", BIPE_OPTION_FLAG, &json, .excludes = "csv", .help = "x"},
    {0, "csv", BIPE_OPTION_FLAG, &csv, .help = "x"},
    {0, "prompt", BIPE_OPTION_TEXT, &prompt, "T", .excludes = "FILE ids: it is the text", .check = check_even,
     .help = "x"},
    {0, "stop", BIPE_OPTION_TEXTS, &stops, "T", .excludes = "stop=: a text to stop at", .help = "x"},
    {0, "ids", BIPE_OPTION_TEXT, &ids, "K", .excludes = "ids=u16? form=jsonl: ids of 16 bits are not text",
     .help = "x"},
    {0, "merge", BIPE_OPTION_FLAG, &merge, .takes = "json csv task: results are read",
     .excludes = "way=plain: it has its own; shots: results have theirs", .help = "x"},
    {0, "limit", BIPE_OPTION_FLAG, &limit, .needs = "way=sliding|whole", .help = "x"},
    {0, "output", BIPE_OPTION_TEXT, &output, "FILE", .about = BIPE_ABOUT_MANNER, .help = "x"},
    {0, "seed", BIPE_OPTION_SIZE, &seed, "N", .help = "x"},
    {0, "shots", BIPE_OPTION_SIZE, &shots, "N", .needs = "seed", .help = "x"},
    {0, "top-p", BIPE_OPTION_NUMBER, &top_p, "X", .positive = true, .most = 1, .help = "x"},
    {0, "penalty", BIPE_OPTION_NUMBER, &penalty, "X", .least = 0.5, .most = 1000, .help = "x"},
    {0, "share", BIPE_OPTION_NUMBER, &share, "X", .maximum = 1, .help = "x"},
};

static const bipe_options rules = {
    .tool = "bipe-test",
    .summary = "tests rules",
    .usage = "MODEL [FILE...]",
    .option = ruled,
    .option_count = sizeof ruled / sizeof ruled[0],
    .min_operands = 1,
    .max_operands = 3,
    .operand_help = "MODEL is a model.",
};

static void test_rules(void)
{
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_options_check(&rules, &err) == BIPE_OK, "%s", err.text);
    const char *line;
    json_t *message;
    char *out, *problem;
    for (test_cases c = {.name = "options-rules.jsonl"}; read_case(&c, "[s o]", &line, &message);) {
        char want[600] = "";
        bool refused = json_is_string(message);
        CHECK(catch(&rules, line, &out, &problem) == (refused ? BIPE_OPTIONS_USAGE : BIPE_OPTIONS_RUN));
        if (refused)
            snprintf(want, sizeof want, "bipe-test: %s\n", json_string_value(message));
        CHECK_TEXT(problem, want);
        CHECK_TEXT(out, "");
        free(out);
        free(problem);
    }
    /* Values that are checked by themselves are errors of the value. */
    static const char *const wrong[][2] = {
        {"--top-p 0", "option '--top-p': found '0', expected a number above 0 and at most 1"},
        {"--top-p 1.5", "option '--top-p': found '1.5', expected a number above 0 and at most 1"},
        {"--penalty .25", "option '--penalty': found '.25', expected a number of at least 0.5 and at most 1000"},
        {"--share 1", "option '--share': found '1', expected a number of at least 0 and below 1"},
        {"--share x", "option '--share': found 'x', expected a number of at least 0 and below 1"},
        {"--prompt abc", "option '--prompt': found 'abc', expected an even length"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(catch(&rules, wrong[i][0], &out, &problem) == BIPE_OPTIONS_USAGE);
        CHECKF(strncmp(problem + strlen("bipe-test: "), wrong[i][1], strlen(wrong[i][1])) == 0, "%s", problem);
        free(out);
        free(problem);
    }
    CHECK(catch(&rules, "--generate=zsh", &out, &problem) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out, "    '(--csv)--json[x]'") != NULL && strstr(out, "    '(--json)--csv[x]'") != NULL);
    CHECK(strstr(out, "    '(--ids)--prompt=[x]:T:'") != NULL &&
          strstr(out, "    '(-c --count)'{-c,--count}'[x]'") != NULL);
    free(out);
    free(problem);
}

static void test_sizes(void)
{
    uint64_t value = 0;
    bipe_error err;
    CHECK(bipe_parse_size("0", 0, 0, &value, &err) == BIPE_OK && value == 0);
    CHECK(bipe_parse_size("18446744073709551615", 0, 0, &value, &err) == BIPE_OK && value == UINT64_MAX);
    CHECK(bipe_parse_size("10k", 0, 0, &value, &err) == BIPE_OK && value == 10240);
    CHECK(bipe_parse_size("3M", 0, 0, &value, &err) == BIPE_OK && value == 3145728);
    CHECK(bipe_parse_size("17592186044415m", 0, 0, &value, &err) == BIPE_OK && value == UINT64_C(17592186044415) << 20);
    static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "1kk", "1g", "k", "0x10", "1.5",
                                      "18446744073709551616",
                                      "99999999999999999999999", "17592186044416m", "18014398509481984k"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECKF(bipe_parse_size(bad[i], 0, 0, &value, &err) == BIPE_ERR_ARGUMENT, "%s", bad[i]);
    CHECK(bipe_parse_size("5", 6, 7, &value, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_parse_size("8", 6, 7, &value, &err) == BIPE_ERR_ARGUMENT);
}

static void test_help(void)
{
    static const char *const widths[] = {"1", "40", "57", "80", "100", "500"};
    char *out, *err;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        setenv("COLUMNS", widths[i], 1);
        size_t most = i < 2 ? 40 : i < 3 ? 57 : i < 4 ? 80 : 100;
        CHECK(catch(&options, "-q --hel --foo", &out, &err) == BIPE_OPTIONS_DONE);
        CHECK_TEXT(err, "");
        CHECK(strstr(out, most == 40 ? "Usage: bipe-test [OPTION...] [FILE...]\n        [MORE...]\n"
                                     : "Usage: bipe-test [OPTION...] [FILE...] [MORE...]\n") == out);
        CHECK(strstr(out, "\n  an example -x\n") != NULL && strstr(out, "FILE is a file.\n") != NULL);
        CHECK(strstr(out, "\nMeaning:\n") != NULL && strstr(out, "\nOutput:\n") != NULL &&
              strstr(out, "\nHelp:\n") != NULL);
        CHECK(strstr(out, "generate") == NULL);
        for (size_t j = 0; j < options.option_count; j++) {
            char name[64];
            snprintf(name, sizeof name, "--%s", table[j].name);
            CHECKF(strstr(out, name) != NULL, "%s", name);
        }
        CHECK(strstr(out, "jsonl)") != NULL);
        for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
            size_t n = strcspn(line, "\n");
            CHECKF(n <= most, "line of %zu: %.*s", n, (int)n, line);
            CHECKF(n == 0 || line[n - 1] != ' ', "a blank ends the line: %.*s", (int)n, line);
        }
        free(out);
        free(err);
    }
    unsetenv("COLUMNS");
    static const char *const versions[] = {"--version", "-V", "-qV --foo"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        CHECK(catch(&options, versions[i], &out, &err) == BIPE_OPTIONS_DONE);
        CHECK_TEXT(out, "bipe-test (bipe) " PACKAGE_VERSION "\n");
        free(out);
        free(err);
    }
    CHECK(catch(&options, "-h", &out, &err) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out, "Usage: bipe-test") == out);
    free(out);
    free(err);
}

static void test_generated(void)
{
    char *out, *err;
    CHECK(catch(&options, "--generate=man", &out, &err) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out, ".TP\n\\fB\\-s\\fR, \\fB\\-\\-segmenter\\fR=\\fISPEC\\fR\nwhere segments end; default: stop\n") !=
          NULL);
    CHECK(strstr(out, "[or a \\e wrong]") != NULL);
    free(out);
    free(err);

    CHECK(catch(&options, "--generate=bash", &out, &err) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out, "complete -F _bipe_test bipe-test\n") != NULL);
    size_t size = strlen(out);
    const char *script = scratch_write("bash", out, size);
    free(out);
    free(err);

    /* bash itself says what it would offer. */
    char command[2000];
    snprintf(
        command, sizeof command,
        "cd '%s' && : >file1 && mkdir -p folder && command -v bash >bash-path && bash -c '. ./bash; compopt() { :; }; "
        "t() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _bipe_test; echo \"${COMPREPLY[*]}\"; }; "
        "t bipe-test --format = n; t bipe-test --format=j; t bipe-test --qu; t bipe-test -; t bipe-test fi; t "
        "bipe-test -L 5; "
        "t bipe-test --segments = fi; t bipe-test -s s; t bipe-test --segmenter=fi' >bash-out 2>&1",
        scratch_root);
    CHECK(script != NULL);
    if (system(command) == 0) {
        out = scratch_read(scratch_path("bash-out"), &size);
        CHECK_TEXT(out, "nul\njsonl\n--quiet\n"
                        "-s --segmenter= --segments= -L --length= -j --threads= --rate= -q --quiet -z --null --format= "
                        "-h --help -V --version\n"
                        "file1\n\nfile1\nstop sentence:en\nfile1 fixed:\n");
        free(out);
    } else {
        out = scratch_read(scratch_path("bash-path"), &size);
        CHECKF(out == NULL || size == 0, "bash is there and failed");
        free(out);
    }

    CHECK(catch(&options, "--generate=zsh", &out, &err) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out, "#compdef bipe-test\n") == out);
    CHECK(strstr(out, "'(-q --quiet)'{-q,--quiet}'[say nothing that isn'\\''t asked for \\[or a \\\\ wrong\\]]'") !=
          NULL);
    CHECK(strstr(out, "'--format=[what is printed]:F:(lines nul jsonl)'") != NULL);
    CHECK(strstr(out, ":SPEC:{compadd -- stop sentence\\:en ; compadd -S \"\" -- fixed\\: ; _files}'") != NULL);
    free(out);
    free(err);

    CHECK(catch(&options, "--generate=fish", &out, &err) == BIPE_OPTIONS_DONE);
    CHECK(strstr(out,
                 "complete -c bipe-test -s q -l quiet -d 'say nothing that isn\\'t asked for [or a \\\\ wrong]'\n") !=
          NULL);
    free(out);
    free(err);
}

static void check_refused(const bipe_option *option, size_t count, const char *want)
{
    bipe_options bad = options;
    bipe_error err = {BIPE_OK, ""};
    bad.option = option;
    bad.option_count = count;
    CHECK(bipe_options_check(&bad, &err) == BIPE_ERR_ARGUMENT);
    CHECKF(strstr(err.text, want) != NULL, "got \"%s\", want \"%s\"", err.text, want);
    /* Neither a manual page nor a completion is made of it. */
    char *out, *problem;
    CHECK(catch(&bad, "--generate=man", &out, &problem) == BIPE_OPTIONS_USAGE);
    CHECK(out[0] == '\0' && strstr(problem, want) != NULL);
    free(out);
    free(problem);
}

static void test_tables(void)
{
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_options_check(&options, &err) == BIPE_OK, "%s", err.text);
    static const char *const none[] = {NULL}, *const twice[] = {"a", "b", "a", NULL};
    static const char *text, *other;
    bipe_option good = {'a', "aa", BIPE_OPTION_TEXT, &text, "X", .help = "help"};
    bipe_option o[2] = {good, good};
    check_refused(o, 2, "'--aa' occurs twice");
    o[1].name = "bb";
    check_refused(o, 2, "'-a' occurs twice");
    o[1].letter = 'b';
    check_refused(o, 2, "write to the same place");
    o[1].target = &other;
    o[1].help = "";
    check_refused(o, 2, "'--bb': it has no help");
    o[1].help = "x";
    o[1].value_name = NULL;
    check_refused(o, 2, "its value has no name");
    o[1] = (bipe_option){'b', "bb", BIPE_OPTION_FLAG, &quiet, "X", .help = "x"};
    check_refused(o, 2, "a flag has no value name");
    o[1] = (bipe_option){'b', "bb", BIPE_OPTION_CHOICE, &format, "X", .help = "x"};
    check_refused(o, 2, "has no choices");
    o[1].choices = none;
    check_refused(o, 2, "has no choices");
    o[1].choices = twice;
    check_refused(o, 2, "'a' occurs twice");
    o[1] = (bipe_option){'b', "help", BIPE_OPTION_FLAG, &quiet, .help = "x"};
    check_refused(o, 2, "'--help' occurs twice");
    o[1] = (bipe_option){'b', "generate", BIPE_OPTION_FLAG, &quiet, .help = "x"};
    check_refused(o, 2, "expected a name");
    o[1] = (bipe_option){'-', "bb", BIPE_OPTION_FLAG, &quiet, .help = "x"};
    check_refused(o, 2, "neither letter nor digit");
    o[1] = (bipe_option){'b', "Bb", BIPE_OPTION_FLAG, &quiet, .help = "x"};
    check_refused(o, 2, "expected a name");
    o[1] = (bipe_option){'b', "bb", BIPE_OPTION_FLAG, NULL, .help = "x"};
    check_refused(o, 2, "has no target");
    o[1] = (bipe_option){'b', "bb", BIPE_OPTION_SIZE, &threads, "N", .minimum = 3, .maximum = 2, .help = "x"};
    check_refused(o, 2, "maximum is below");
    static const char *const bad[] = {"cc", "aa bb=b", "aa=1 cc: a reason", "aa: b; cc?", "dd? aa", "bb=c"};
    static const char *const named[] = {"'cc'", "'bb=b'", "'cc'", "'cc'", "'dd'", "'bb=c'"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        o[1] = (bipe_option){'b',
                             "bb",
                             i < 5 ? BIPE_OPTION_FLAG : BIPE_OPTION_CHOICE,
                             i < 5 ? (void *)&quiet : &format,
                             i < 5 ? NULL : "X",
                             .choices = i < 5 ? NULL : twice + 1,
                             .help = "x",
                             .needs = bad[i]};
        check_refused(o, 2, named[i]);
    }
}

static int parse_all(void *context)
{
    (void)context;
    bipe_alloc_fail_at(no_memory_at);
    bipe_options_result result = parse(&options, "a -L2");
    bipe_alloc_fail_at(-1);
    forget();
    return result == BIPE_OPTIONS_RUN ? NO_MEMORY_DONE : NO_MEMORY_WRONG;
}

static void test_memory(void)
{
    CHECK(test_no_memory(parse_all, NULL, NULL) > 0);
}

int main(void)
{
    test_sizes();
    test_parsing();
    test_given();
    test_alone();
    test_numbers();
    test_usage_errors();
    test_rules();
    test_help();
    test_generated();
    test_tables();
    test_memory();
    return test_result();
}
