/* test_sentence.c - the segmenter `sentence` against the rules of UAX #29 as they are written, on random texts; what
 * tailoring changes, on texts with marks; and lists that are wrong. tests/unit/test_sentence_break.c runs Unicode's own
 * test. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/cases.h"
#include "tests/scratch.h"
#include "tests/segment_run.h"
#include "text/break_class.h"
#include "text/utf8.h"

/* ---- the rules, for a whole text at a time ---- */

enum { MOST = 512 };

typedef struct characters {
    bipe_sentence_class class[MOST];
    size_t start[MOST + 1];
    size_t count;
} characters;

static bool is_paragraph_end(bipe_sentence_class c)
{
    return c == BIPE_SB_CR || c == BIPE_SB_LF || c == BIPE_SB_SEP;
}

static bool is_stop(bipe_sentence_class c)
{
    return c == BIPE_SB_ATERM || c == BIPE_SB_STERM;
}

static bool is_joining(bipe_sentence_class c)
{
    return c == BIPE_SB_EXTEND || c == BIPE_SB_FORMAT;
}

/* The classes left of `at`, those that SB5 attaches to another left out; the nearest comes first. */
static size_t look_left(const characters *t, size_t at, bipe_sentence_class *left)
{
    size_t count = 0;
    for (size_t i = at; i-- > 0;)
        if (!is_joining(t->class[i]) || i == 0 || is_paragraph_end(t->class[i - 1]))
            left[count++] = is_joining(t->class[i]) ? BIPE_SB_OTHER : t->class[i];
    left[count] = left[count + 1] = BIPE_SB_OTHER;
    return count;
}

static bool breaks_before(const characters *t, size_t at)
{
    bipe_sentence_class left[MOST + 2], before = t->class[at - 1], c = t->class[at];
    size_t count = look_left(t, at, left);
    if (before == BIPE_SB_CR && c == BIPE_SB_LF)
        return false; /* SB3 */
    if (is_paragraph_end(before))
        return true; /* SB4 */
    if (is_joining(c))
        return false; /* SB5 */
    if (left[0] == BIPE_SB_ATERM && c == BIPE_SB_NUMERIC)
        return false; /* SB6 */
    if (count > 1 && (left[1] == BIPE_SB_UPPER || left[1] == BIPE_SB_LOWER) && left[0] == BIPE_SB_ATERM &&
        c == BIPE_SB_UPPER)
        return false; /* SB7 */
    size_t spaces = 0, i = 0;
    while (i < count && left[i] == BIPE_SB_SP)
        i++, spaces++;
    while (i < count && left[i] == BIPE_SB_CLOSE)
        i++;
    if (i >= count || !is_stop(left[i]))
        return false;
    for (size_t k = at; left[i] == BIPE_SB_ATERM && k < t->count; k++) { /* SB8 */
        bipe_sentence_class x = t->class[k];
        if (x == BIPE_SB_LOWER)
            return false;
        if (x == BIPE_SB_OLETTER || x == BIPE_SB_UPPER || is_paragraph_end(x) || is_stop(x))
            break;
    }
    if (c == BIPE_SB_SCONTINUE || is_stop(c))
        return false; /* SB8a */
    if (spaces == 0 && c == BIPE_SB_CLOSE)
        return false; /* SB9 */
    return c != BIPE_SB_SP && !is_paragraph_end(c); /* SB9, SB10; SB11 */
}

static void find_by_rules(const uint8_t *text, size_t size, offsets *out)
{
    characters t = {.count = 0};
    for (size_t i = 0; i < size; t.count++) {
        int32_t code;
        size_t n = bipe_utf8_decode(text + i, size - i, &code);
        t.class[t.count] = bipe_sentence_class_of(code);
        t.start[t.count] = i;
        i += n > 0 ? n : 1;
    }
    for (size_t at = 1; at < t.count; at++)
        if (breaks_before(&t, at))
            offsets_add(out, t.start[at]);
    if (size > 0)
        offsets_add(out, size);
}

/* Some of each class, and bytes that are no characters. */
static const piece pieces[] = {
    PIECE("."),
    PIECE("."),
    PIECE(". "),
    PIECE("!"),
    PIECE("? "),
    PIECE("\xE3\x80\x82"),
    PIECE(" "),
    PIECE("  "),
    PIECE("\t"),
    PIECE("a"),
    PIECE("word "),
    PIECE("B"),
    PIECE("C"),
    PIECE("\xE4\xBD\xA0"),
    PIECE("7"),
    PIECE("\n"),
    PIECE("\r"),
    PIECE("\r\n"),
    PIECE("\xE2\x80\xA9"),
    PIECE("\xCC\x88"),
    PIECE("\xC2\xAD"),
    PIECE("\""),
    PIECE(")"),
    PIECE("\xE2\x80\x9D"),
    PIECE(","),
    PIECE("-"),
    PIECE("="),
    PIECE("\xC3\xA9"),
    PIECE("\xC3\x89"),
    PIECE("\xFF"),
    PIECE("\xE2\x80"),
    PIECE("\xF0\x9F"),
    PIECE("\xF0\x9D\x90\x80"),
    PIECE("\0"),
};

static void check_text(bipe_segmentation *s, const uint8_t *text, size_t size, const offsets *want, uint64_t *random)
{
    static const size_t longest[] = {0, 1, 2, 3, 7, 64};
    offsets got = {0};
    bipe_error err;
    for (size_t k = 0; k < sizeof longest / sizeof *longest; k++) {
        CHECK(run_bytes(s, text, size, longest[k], random, &got, &err) == BIPE_OK);
        if (size > 0 && (got.count == 0 || got.at[got.count - 1] < size))
            offsets_add(&got, size);
        bool same = offsets_equal(want, &got);
        CHECKF(same, "pieces of up to %zu", longest[k]);
        if (!same) {
            describe(text, size);
            describe_offsets("want", want);
            describe_offsets("got", &got);
        }
    }
    offsets_free(&got);
}

static void test_rules(void)
{
    bipe_segmentation *s;
    bipe_error err;
    uint64_t random = 11;
    uint8_t text[MOST];
    CHECK(bipe_segmentation_open(&s, "sentence", &err) == BIPE_OK);
    for (int n = 0; n < test_rounds(4000); n++) {
        size_t size = (size_t)(test_random(&random) % (n % 2 == 0 ? 24 : sizeof text));
        offsets want = {0};
        random_text(&random, pieces, sizeof pieces / sizeof *pieces, text, size);
        find_by_rules(text, size, &want);
        check_text(s, text, size, &want, &random);
        offsets_free(&want);
    }
    bipe_segmentation_close(s);
}

/* Tailored: what comes out does not depend on cuts. */
static void test_cuts(void)
{
    static const char *const specs[] = {"sentence:en", "sentence:wrapped", "sentence:en,wrapped", "sentence:de,hy",
                                        "sentence:fi", "sentence:nl,wrapped", "sentence:zh", "sentence:el,ro"};
    static const piece words[] = {
        PIECE("Mr. "),
        PIECE("No. "),
        PIECE("a.m. "),
        PIECE("U.S. "),
        PIECE("The "),
        PIECE("J. "),
        PIECE("XI"),
        PIECE("6 "),
        PIECE("\n"),
        PIECE("\r\n"),
        PIECE(" "),
        PIECE("\"Why?\" "),
        PIECE("she "),
        PIECE("Army. "),
        PIECE("\xC3\x89. "),
        PIECE("\xFF"),
        PIECE("("),
        PIECE("\xCC\x88"),
        PIECE("Abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"),
        PIECE("\xE2\x80\xA9"),
        PIECE("..."),
        PIECE("e.g."),
        PIECE("I. "),
        PIECE("[1]"),
        PIECE("[1,"),
        PIECE("[citation needed]"),
        PIECE("(2)"),
        PIECE("(a"),
        PIECE("\xC2\xB9"),
        PIECE("*"),
        PIECE("_x"),
        PIECE("12"),
        PIECE("."),
        PIECE(":"),
        PIECE(":)"),
        PIECE(":D"),
        PIECE("-"),
        PIECE("- "),
        PIECE("''"),
        PIECE(",,"),
        PIECE("\xE2\x80\x9C"),
        PIECE("\xE3\x80\x82"),
        PIECE("\xE3\x80\x8C"),
        PIECE("\xC2\xBB"),
        PIECE("so. "),
        PIECE("so.The "),
        PIECE("a) "),
        PIECE("(b) "),
        PIECE("3. "),
        PIECE("2:1. "),
        PIECE("XX. "),
        PIECE(" \" "),
        PIECE(": 1. "),
        PIECE("\xD5\xB4."),
    };
    uint64_t random = 12;
    uint8_t text[MOST];
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        bipe_segmentation *s;
        bipe_error err;
        int status = bipe_segmentation_open(&s, specs[k], &err);
        CHECKF(status == BIPE_OK, "%s", err.text);
        for (int n = 0; n < test_rounds(600); n++) {
            size_t size = 1 + (size_t)(test_random(&random) % (sizeof text - 1));
            offsets want = {0};
            random_text(&random, words, sizeof words / sizeof *words, text, size);
            CHECK(run_bytes(s, text, size, 0, &random, &want, &err) == BIPE_OK);
            if (want.count == 0 || want.at[want.count - 1] < size)
                offsets_add(&want, size);
            check_text(s, text, size, &want, &random);
            offsets_free(&want);
        }
        bipe_segmentation_close(s);
    }
}

/* ---- texts with a | where a sentence ends, but for the last one ---- */

static void check_marked(const char *spec, const char *marked)
{
    bipe_segmentation *s;
    bipe_error err;
    offsets want = {0};
    uint64_t random = 13;
    uint8_t text[1024];
    size_t size = 0;
    int status = bipe_segmentation_open(&s, spec, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        return;
    for (; *marked != '\0'; marked++)
        if (*marked != '|')
            text[size++] = (uint8_t)*marked;
        else
            offsets_add(&want, size);
    offsets_add(&want, size);
    check_text(s, text, size, &want, &random);
    offsets_free(&want);
    bipe_segmentation_close(s);
}

static void test_english(void)
{
    static const char *const texts[] = {
        "Mr. and Mrs. Adler saw Dr. St. John. |Then MR. ADLER left.",
        "She left at 6.40 a.m. and came at 7 p.m. Monday. |He slept until 9 a.m. |The train had gone.",
        "J. R. R. Tolkien met C.S. Lewis. |It was Plan B. |They knew.",
        "In the U.S. Army and the U.S. |He left the U.S.A. |It was late.",
        "So did I. |Mary left. |J. A. Smith and A. B. Case.",
        "See No. 6 Baker St. and vol. XI Street. |No. |I went. |No! |Did you?",
        "Pp. 6 and 7, fig. 3 Above, Jan. 5 Monday. |It may be.",
        "E.g. Paris, i.e. Rome, cf. Berlin (viz. Bonn). |OK.",
        "\"Why?\" she asked. |\"Stop!\" |He stopped... |Then (so on.) |It \xE2\x80\234ended.\xE2\x80\x9D "
        "|\xE2\x80\x9CYes.\xE2\x80\x9D",
        "One Ltd. Two Inc. Three etc. |The end.",
        "Smith, Jr. Jones Ph.D. |He came (etc.) |The \"Mr.\" Smith.",
        "Title\n\n  |A line\n|Next.\n\r\n |End",
        "\n \n First. |Second.\n",
        "a. 5 * 6\n|b. 5 c",
        "Wait. |(5) Then. |(5) and. (5 men) so.",
        "\xC3\x89. Zola wrote. |And \xC3\xA9. |Zola.",
        /* One small letter is no initial, and one capital is no abbreviation that is listed in small letters. */

        "Samuel L. Clemens met J. P. Morgan, James C. Scott and E. N. Wolff. |See p. 5 and c. 1850. |Of U and V. |The "
        "end.",
        "From CA. Smith came. |CA. 1850 he left ca. Paris.",
        /* Marks of footnotes stay with the sentence before. */

        "It is so.[1,2] |Then done.\xC2\xB9 |Next end.[12] |The end.[1][2] |So on.[a] |Or.[note 4] |Why?[citation "
        "needed] |It went.",
        "\"So.\"[1] |He said (yes).[2] |Then (no.)[3] |At 5 p.m.[4] |He saw Dr.[5] Cole, e.g.[6] then. |It was so.[7]",
        "Done.\xC2\xB9\xC2\xB2 |Next.\xC2\xB9,\xC2\xB2 |And.\xE2\x81\xB4\xE2\x80\x93\xE2\x81\xB6 |Then.\xE1\xB5\x83 "
        "|So.\xC2\xB9 and on.",
        "End.\xE2\x80\xA0 |The end.* |The.** |*So it was.* |**Then.** |_Thus._ |And io.|_Base and *.* all.",
        "End.(1) |The end.(a) |The. |(1) The end.(123) |So.(see) then.",
        "\"So?\"3 |He asked why?12 |Then \"no.\"1,2 |At ASN.1 Foo 3.5 and !|7 Cole.",
        "An a.[0].b and [x. [1] |Y. [[2] No.[|Z\n|A. [3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_marked("sentence:en", texts[i]);
    check_marked("sentence:wrapped", "Mr. |Adler\nleft. \n|She\ncame\n\n|B. A 5.\n|7\n\n|b");
    check_marked("sentence:en,wrapped",
                 "Mr.\nAdler\r\nleft e.g.\nParis.\r\n \r\n\n|At 6 a.m.\n|The day.\n|The\xE2\x80\xA9|end.");
    check_marked("sentence", "Mr. |Adler\n|left.\n|\n|\"Why?\" |she");
    check_marked("sentence", "So.[|1] Then."); /* UAX #29 knows no marks */
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL && fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

/* Each text with the list of a language, or with a list of its own. */
static void test_languages(void)
{
    test_cases cases = {.name = "sentences.jsonl"};
    const char *list, *marked, *path = scratch_path("l.txt");
    char spec[4096];
    snprintf(spec, sizeof spec, "sentence:%s", path);
    while (read_case(&cases, "[s,s]", &list, &marked)) {
        bool language = strncmp(list, "sentence:", 9) == 0;
        if (!language)
            write_text(path, list, strlen(list));
        check_marked(language ? list : spec, marked);
    }
}

/* ---- what is looked ahead for has a bound, and so has what waits ---- */

static void test_look_ahead(void)
{
    enum { BOUND = 4096, SIZE = 3 * BOUND };
    uint8_t *text = bipe_alloc(SIZE, 1);
    bipe_segmentation *s;
    bipe_error err;
    for (int k = 0; k < 3 && text != NULL; k++) {
        static const char *const specs[] = {"sentence", "sentence:en", "sentence:en,wrapped"};
        static const size_t goes_on[] = {4 + BOUND - 1, 4 + BOUND};
        uint64_t random = 14;
        offsets got = {0};
        CHECK(bipe_segmentation_open(&s, specs[k], &err) == BIPE_OK);
        for (size_t i = 0; i < 2; i++) { /* the last small letter that counts, and the first that does not */
            memset(text, '=', SIZE);
            memcpy(text, "so. ", 4);
            text[goes_on[i]] = 'a';
            CHECK(run_bytes(s, text, SIZE, 100, &random, &got, &err) == BIPE_OK);
            CHECK(got.count == i && (i == 0 || got.at[0] == 4));
        }
        /* Anything that waits, however long it is. */
        static const char *const waiting[] = {"7", " ", "\xCC\x88", "\n", "X", "."};
        for (size_t w = 0; w < sizeof waiting / sizeof *waiting; w++) {
            size_t n = strlen(waiting[w]);
            CHECK(bipe_segmentation_begin(s, &err) == BIPE_OK);
            CHECK(bipe_segmentation_feed_bytes(s, (const uint8_t *)"U. =", 4, &err) == BIPE_OK);
            for (uint64_t at = 4; at < SIZE; at += n) {
                CHECK(bipe_segmentation_feed_bytes(s, (const uint8_t *)waiting[w], n, &err) == BIPE_OK);
                CHECKF(at + n - bipe_segmentation_boundaries(s)->settled <= BOUND + 64, "%s: %s at %" PRIu64, specs[k],
                       waiting[w], at);
            }
            CHECK(bipe_segmentation_end(s, SIZE, &err) == BIPE_OK);
        }
        offsets_free(&got);
        bipe_segmentation_close(s);
    }
    bipe_free(text);
}

/* ---- lists ---- */

static void check_refused(const char *spec, const char *says)
{
    bipe_segmentation *s;
    bipe_error err;
    CHECKF(bipe_segmentation_open(&s, spec, &err) == BIPE_ERR_ARGUMENT, "%s", spec);
    CHECKF(strstr(err.text, says) != NULL, "%s: %s", spec, err.text);
}

static void test_lists(void)
{
    static const char own[] = "[never] # ours\n Foo. Bar\n[end] Mr. [start]\tZed\n";
    static char large[(1 << 20) + 2];
    write_text("own.txt", own, sizeof own - 1);
    check_marked("sentence:own.txt", "A Foo. Bar. Baz. |Mr. |X. Y. |Zed.");
    check_marked("sentence:./own.txt,en", "A Foo. Bar. Mr. X"); /* the last one counts */
    check_marked("sentence:en,own.txt", "A Foo. Bar. Dr. Mr. |X");
    /* Of all lists that a word matches in some way, the last one counts. */
    write_text("small.txt", "[never] co. [end] l.", 20);
    check_marked("sentence:en,small.txt", "One Co. Then CO. Two l. |A L. B");
    check_marked("sentence:small.txt,en", "One Co. |Then co. The L. B");
    memset(large, '#', sizeof large);
    write_text("large.txt", large, sizeof large);
    check_refused("sentence:", "a name is empty");
    check_refused("sentence:en,", "a name is empty");
    check_refused("sentence:xx", "'xx': no such list, expected one of am, ar, bg, ");
    check_refused("sentence:none.txt", "none.txt: could not be opened");
    check_refused("sentence:large.txt", "large.txt: a list of more than 1048576 bytes");
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"\nFoo.\n", "wrong.txt: line 2: 'Foo.', expected one of [never]"},
        {"[ever]\n", "wrong.txt: line 1: '[ever]', expected one of [never], [number], [uncertain], [end], [start], "
                     "[stop], [open], [close] and [words]"},
        {"[never]\n\n.", "wrong.txt: line 3: a word of 0 bytes, expected 1 to 31"},
        {"[start] abcdefghijklmnopqrstuvwxyzabcdef", "line 1: a word of 32 bytes"},
        /* Words that are there twice, or that no text can match. */

        {"[never] Foo. Bar\n\nFoo",
         "wrong.txt: line 3: 'Foo' is in [never], and in the same section at line 1, expected it once"},
        {"[never] Foo.\n[end]\nFoo. Bar",
         "wrong.txt: line 3: 'Foo' is in [end], and in [never] at line 1, expected it once"},
        {"[start] Zed\nZed", "wrong.txt: line 2: 'Zed' is in [start], and in the same section at line 1"},
        {"[never]\ngov't.", "line 2: 'gov't.' in [never] can match no text, expected letters and digits, with single "
                            "full stops between them"},
        {"[end] &c.", "'&c.' in [end] can match no text"},
        {"[uncertain] a..b", "'a..b' in [uncertain] can match no text"},
        {"[number] .x", "'.x' in [number] can match no text"},
        {"[never] \xC3", "in [never] can match no text"},
        {"[start] Mr.", "'Mr.' in [start] can match no text, expected letters and digits, beginning with a capital"},
        {"[start] a", "'a' in [start] can match no text"},
        {"[start] 3D", "'3D' in [start] can match no text"},
        {"[start] \xC3\xA9t\xC3\xA9", "in [start] can match no text"},
        {"[stop] ; a;", "'a;' in [stop] can match no text, expected up to 8 bytes that do not begin with a letter"},
        {"[open] 2", "'2' in [open] can match no text"},
        {"[close] .\"", "'.\"' in [close] can match no text"},
        {"[stop] ---------", "'---------' in [stop] can match no text"},
        {"[open] - [close]\n-", "line 2: '-' is in [close], and in [open] at line 1, expected it once"},
        {"[open] [1]", "'[1]', expected one of [never]"},
        {"[words] und b2", "'b2' in [words] can match no text, expected letters"},
        {"[words] z.B", "'z.B' in [words] can match no text"},
        {"[words] und\noder und", "line 2: 'und' is in [words], and in the same section at line 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text("wrong.txt", wrong[i].text, strlen(wrong[i].text));
        check_refused("sentence:wrong.txt", wrong[i].says);
    }
    /* A folder of one's own goes before the installed one. */
    setenv("BIPE_SENTENCE_PATH", ":/nowhere:.", 1);
    check_marked("sentence:own", "Foo. Bar. Baz. |Mr. |X. Y. |Zed.");
    setenv("BIPE_SENTENCE_PATH", "/nowhere", 1);
    check_refused("sentence:own", "'own': no such list, expected one of auto or wrapped, or the path of");
    check_refused("sentence:auto,own", "'own': no such list");
}

/* ---- the list of a document is chosen by its text ---- */

static void test_auto(void)
{
    enum { BEGINNING = 8192, SIZE = 3 * BEGINNING };
    static const char german[] = "Das ist nicht alles, was er bzw. Anna wusste. ", english[] = "He was not there. ";
    static uint8_t text[SIZE];
    bipe_segmentation *s;
    bipe_error err;
    uint64_t random = 14;
    offsets got = {0};
    check_marked("sentence:auto", "Er kam mit bzw. Ohne sie. |Aber das war nicht alles, was wir haben wollten.");
    check_marked("sentence:auto", "They met Gen. Grant there. |He and she were not at the house of his sister.");
    check_marked("sentence:auto", "Lorem Gen. |Grant. |Ipsum bzw. |Dolor.");
    check_marked("sentence:auto,wrapped", "They met Gen.\nGrant. |He and she were\nnot at the house of his sister.");
    write_text("small.txt", "[never] Lorem.", 14);
    check_marked("sentence:auto,small.txt", "Lorem. Gen. |Grant. |Ipsum bzw. |Dolor.");
    check_marked("sentence:small.txt,auto", "They met Lorem. Gen. Grant. |He and she were not at the house of it.");
    /* The first 8192 bytes decide, however they come: German there, and English in the rest, or 8 KiB of nothing. */
    CHECK(bipe_segmentation_open(&s, "sentence:auto", &err) == BIPE_OK);
    for (int k = 0; k < 2; k++) {
        static const char *const choice[] = {"de", ""};
        memset(text, '=', BEGINNING);
        for (size_t at = 0; k == 0 && at + sizeof german < BEGINNING; at += sizeof german - 1)
            memcpy(text + at, german, sizeof german - 1);
        for (size_t at = BEGINNING; at < SIZE; at++)
            text[at] = (uint8_t)english[(at - BEGINNING) % (sizeof english - 1)];
        for (unsigned most = 1; most <= SIZE; most *= 7) {
            CHECK(run_bytes(s, text, SIZE, most, &random, &got, &err) == BIPE_OK);
            CHECKF(strcmp(bipe_segmentation_boundaries(s)->choice, choice[k]) == 0, "%s",
                   bipe_segmentation_boundaries(s)->choice);
        }
    }
    /* It chooses earlier where it is asked to, and then sticks to it. */
    CHECK(bipe_segmentation_begin(s, &err) == BIPE_OK && bipe_segmentation_boundaries(s)->choice == NULL);
    CHECK(bipe_segmentation_feed_bytes(s, (const uint8_t *)german, sizeof german - 1, &err) == BIPE_OK);
    CHECK(bipe_segmentation_boundaries(s)->count == 0 && bipe_segmentation_boundaries(s)->choice == NULL);
    CHECK(bipe_segmentation_choose(s, &err) == BIPE_OK);
    for (int i = 0; i < 8; i++) {
        CHECK(bipe_segmentation_feed_bytes(s, (const uint8_t *)english, sizeof english - 1, &err) == BIPE_OK);
        CHECK(bipe_segmentation_choose(s, &err) == BIPE_OK);
    }
    CHECK(strcmp(bipe_segmentation_boundaries(s)->choice, "de") == 0);
    CHECK(bipe_segmentation_boundaries(s)->count == 8);
    CHECK(bipe_segmentation_boundaries(s)->offset[0] == sizeof german - 1);
    offsets_free(&got);
    bipe_segmentation_close(s);
}

int main(void)
{
    const char *source = getenv("BIPE_SRCDIR");
    char lists[4096];
    snprintf(lists, sizeof lists, "%s/segmenters/sentence", source != NULL ? source : ".");
    setenv("BIPE_SENTENCE_PATH", lists, 1);
    test_rules();
    test_look_ahead();
    test_english();
    test_languages();
    test_cuts();
    scratch_path("");
    CHECK(chdir(scratch_root) == 0);
    test_auto();
    test_lists();
    return test_result();
}
