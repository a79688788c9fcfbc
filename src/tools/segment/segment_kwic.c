/* segment_kwic.c - --kwic: a concordance, each match of a pattern with the text before and after it in its segment. The
 * segment is searched as it comes; of its text as much is kept as matches that are not printed yet, and those to come,
 * need. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "text/label.h"
#include "text/pcre2_search.h"
#include "text/utf8.h"
#include "tools/segment/bipe_segment.h"

/* Bytes of a piece that is searched at once; columns after a label, and between a match and its contexts. */
enum { PIECE = 1 << 16, LABEL_GAP = 2, GAP = 1 };

typedef struct kwic_match {
    uint64_t start, end; /* in the segment */
} kwic_match;

struct segment_kwic {
    segment_kwic_options options;
    size_t context;          /* bytes of text beside a match, at most: enough for its columns, unless most are white
                                space */
    bipe_pcre2_search *search;
    segment_writer *writer;  /* of the present call */
    bool begun;              /* the search has begun the present segment */
    bipe_buffer text;        /* of the segment, */
    uint64_t base;           /* from here on */
    kwic_match *match;       /* (count) found; those before `first` are printed */
    size_t first, count, capacity;
    bipe_buffer shown[3];    /* left, match, right */
};

/* ---- text as it is shown ---- */

/* The character at bytes[at]; its size. */
static size_t take_character(const uint8_t *bytes, size_t size, size_t at, int32_t *code)
{
    size_t n = bipe_utf8_decode(bytes + at, size - at, code);
    return n > 0 ? n : 1;
}

static size_t character_columns(int32_t code)
{
    return code >= 0x20 && code < 0x7F ? 1 : bipe_character_columns(code);
}

/* Makes `to` the text with each run of white space as one space; for people, without what could spoil a line. */
static void show_text(segment_kwic *k, bipe_buffer *to, const uint8_t *bytes, size_t size)
{
    bool white = false;
    to->size = 0;
    for (size_t at = 0, n; at < size; at += n) {
        int32_t code;
        for (n = 0; at + n < size && bytes[at + n] > ' ' && bytes[at + n] < 0x7F; n++)
            ;
        if (n > 0) { /* the usual */
            bipe_buffer_write(to, bytes + at, n);
            white = false;
            continue;
        }
        n = take_character(bytes, size, at, &code);
        bool here = bipe_is_white_space(code),
             hidden = !here && code >= 0 &&
                      (code < 0x20 || (code >= 0x7F && code < 0xA0) || bipe_character_hides(code));
        if (here && !white)
            bipe_buffer_write(to, " ", 1);
        else if (!here && k->options.lines && (hidden || code < 0))
            bipe_buffer_write(to, hidden ? "?" : "\357\277\275", hidden ? 1 : 3);
        else if (!here)
            bipe_buffer_write(to, bytes + at, n);
        white = here;
    }
    if (to->failed)
        bipe_fail_memory(&k->writer->error);
}

/* How many bytes a text that is shown has in its first `most` columns, with the marks that belong to the last
 * character. *columns: how many it has there. */
static size_t first_columns(const bipe_buffer *text, size_t from, size_t most, size_t *columns)
{
    size_t at = from;
    *columns = 0;
    while (at < text->size) {
        int32_t code;
        size_t n = take_character(text->data, text->size, at, &code), width = character_columns(code);
        if (*columns + width > most)
            break;
        *columns += width;
        at += n;
    }
    return at - from;
}

/* Where the last `most` columns begin, which no mark does that belongs to a character before. */
static size_t last_columns(const bipe_buffer *text, size_t most, size_t *columns)
{
    size_t all, from = 0;
    int32_t code;
    first_columns(text, 0, SIZE_MAX, &all);
    for (size_t n; from < text->size; from += n) {
        n = take_character(text->data, text->size, from, &code);
        size_t width = character_columns(code);
        if (all <= most && (width > 0 || from == 0))
            break;
        all -= width;
    }
    *columns = all;
    return from;
}

/* ---- a match ---- */

static void put_blanks(segment_kwic *k, size_t count)
{
    bipe_output_printf(k->writer->output, &k->writer->error, "%*s", (int)count, "");
}

/* The file, where there are several, and the document, where files are records. Returns the columns that it takes. */
static size_t put_label(segment_kwic *k)
{
    const segment_kwic_options *o = &k->options;
    const segment_writer *w = k->writer;
    char document[32] = "", name[1024] = "";
    if (o->label == 0)
        return 0;
    if (w->records)
        snprintf(document, sizeof document, "%s%" PRIu64, o->names ? ":" : "", w->at.document);
    size_t rest = strlen(document) < o->label ? o->label - strlen(document) : 1;
    char *copy = o->names ? bipe_label_copy(w->at.file + o->folder) : NULL;
    if (copy != NULL)
        bipe_label_cut(copy, rest, name, sizeof name);
    bipe_free(copy);
    size_t columns = bipe_label_columns(name) + strlen(document);
    bipe_output_printf(w->output, &k->writer->error, "%s%s", name, document);
    put_blanks(k, (columns < o->label ? o->label - columns : 0) + LABEL_GAP);
    return (columns < o->label ? o->label : columns) + LABEL_GAP;
}

static void print_line(segment_kwic *k)
{
    const segment_kwic_options *o = &k->options;
    segment_writer *w = k->writer;
    const bipe_buffer *left = &k->shown[0], *match = &k->shown[1], *right = &k->shown[2];
    size_t label = put_label(k), all = o->look.width > label + 10 ? o->look.width - label - 2 * GAP : 6;
    size_t left_most = all * 2 / 5, columns, match_columns, right_columns;
    size_t from = last_columns(left, left_most, &columns);
    size_t match_size = first_columns(match, 0, all - left_most, &match_columns);
    bool cut = match_size < match->size;
    if (cut)
        match_size = first_columns(match, 0, all - left_most - 1, &match_columns);
    size_t blank = left->size > from && left->data[left->size - 1] == ' '; /* at the joints: the gap shows it */
    put_blanks(k, left_most - columns + blank);
    if (left->size > from + blank)
        bipe_output_write(w->output, left->data + from, left->size - from - blank, &w->error);
    bipe_output_printf(w->output, &w->error, "%*s%s%.*s%s%s", GAP, "", o->look.colour ? "\033[1m" : "", (int)match_size,
                       (const char *)match->data, cut ? "\342\200\246" : "", o->look.colour ? "\033[0m" : "");
    blank = right->size > 0 && right->data[0] == ' ';
    size_t most = all - left_most - match_columns - cut;
    size_t right_size = cut ? 0 : first_columns(right, blank, most, &right_columns);
    while (right_size > 0 && right->data[blank + right_size - 1] == ' ')
        right_size--;
    if (right_size > 0) {
        put_blanks(k, GAP);
        bipe_output_write(w->output, right->data + blank, right_size, &w->error);
    }
    bipe_output_write(w->output, "\n", 1, &w->error);
}

static void print_match(segment_kwic *k, const kwic_match *m)
{
    segment_writer *w = k->writer;
    const uint8_t *bytes = k->text.data;
    size_t start = (size_t)(m->start - k->base), end = (size_t)(m->end - k->base), size = k->text.size;
    size_t from = start > k->context ? start - k->context : 0, to = size - end > k->context ? end + k->context : size,
           columns;
    for (int i = 0; i < 3 && from > 0 && from < start && (bytes[from] & 0xC0) == 0x80; i++)
        from++;
    to = end + bipe_utf8_complete(bytes + end, to - end);
    show_text(k, &k->shown[0], bytes + from, start - from);
    show_text(k, &k->shown[1], bytes + start, end - start);
    show_text(k, &k->shown[2], bytes + end, to - end);
    if (k->options.lines) {
        print_line(k);
        return;
    }
    bipe_buffer_consume(&k->shown[0], last_columns(&k->shown[0], k->options.look.width, &columns));
    k->shown[2].size = first_columns(&k->shown[2], 0, k->options.look.width, &columns);
    segment_table_match(w, w->at.start + m->start, w->at.start + m->end, k->shown);
}

/* ---- the search ---- */

static int take_match(void *context, uint64_t start, uint64_t end)
{
    segment_kwic *k = context;
    k->writer->matches++;
    if (k->options.count)
        return BIPE_OK;
    bipe_tool_grow(&k->match, &k->capacity, k->count + 1, sizeof *k->match);
    k->match[k->count++] = (kwic_match){start, end};
    return BIPE_OK;
}

/* Prints matches with all of their context, and drops text that none needs; last: the segment ends. */
static void print_matches(segment_kwic *k, bool last)
{
    uint64_t end = k->base + k->text.size;
    while (k->first < k->count && (last || end - k->match[k->first].end >= k->context) &&
           k->writer->error.status == BIPE_OK)
        print_match(k, &k->match[k->first++]);
    uint64_t needed = bipe_pcre2_search_settled(k->search);
    if (k->first == k->count)
        k->first = k->count = 0;
    else if (k->match[k->first].start < needed)
        needed = k->match[k->first].start;
    needed = needed < end ? needed : end;
    if (needed > k->base + k->context && needed - k->context - k->base > k->text.size / 2) {
        bipe_buffer_consume(&k->text, (size_t)(needed - k->context - k->base));
        k->base = needed - k->context;
    }
}

static void search_piece(segment_kwic *k, const uint8_t *bytes, size_t size, bool last)
{
    segment_writer *w = k->writer;
    bipe_error err = {0};
    if (w->problem.status != BIPE_OK)
        return;
    if (!k->begun) {
        bipe_pcre2_search_begin(k->search);
        k->begun = true;
        k->base = 0;
        k->text.size = k->first = k->count = 0;
    }
    if (!k->options.count)
        bipe_buffer_append(&k->text, bytes, size, &w->error);
    int status = bipe_pcre2_search_feed(k->search, bytes, size, last, &err);
    if (status == BIPE_ERR_MEMORY)
        bipe_fail_memory(&w->error);
    else if (status != BIPE_OK)
        bipe_fail(&w->problem, BIPE_ERR_LIMIT, "%s: document %" PRIu64 ": byte %" PRIu64 ": --kwic '%s': %s",
                  bipe_input_shown(w->at.file), w->at.document,
                  w->at.start + bipe_pcre2_search_settled(k->search), k->options.pattern, err.text);
    else if (w->error.status == BIPE_OK && !k->options.count)
        print_matches(k, last);
}

static void kwic_text(segment_writer *w, const uint8_t *bytes, size_t size)
{
    segment_kwic *k = w->kwic;
    k->writer = w;
    for (size_t n; size > 0; bytes += n, size -= n) {
        n = size < PIECE ? size : PIECE;
        search_piece(k, bytes, n, false);
    }
}

static void kwic_segment(segment_writer *w)
{
    w->kwic->writer = w;
    search_piece(w->kwic, NULL, 0, true);
    w->kwic->begun = false;
}

static void kwic_broken(segment_writer *w)
{
    w->kwic->begun = false;
}

static void kwic_header(segment_writer *w)
{
    if (w->columns->count != 0)
        segment_columns_header(w);
}

const segment_format segment_format_kwic = {.name = "kwic", .wants_text = true, .header = kwic_header,
                                            .text = kwic_text, .segment = kwic_segment, .broken = kwic_broken};

int segment_kwic_open(segment_kwic **kwic, const segment_kwic_options *options, bipe_error *err)
{
    segment_kwic *k = *kwic = bipe_tool_alloc(1, sizeof *k);
    *k = (segment_kwic){.options = *options, .context = 4 * options->look.width + 256};
    int status = bipe_pcre2_search_open(&k->search, options->pattern, take_match, k, err);
    if (status == BIPE_OK && bipe_pcre2_is_empty(options->pattern))
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "the pattern matches the empty string alone, expected one that matches text");
    if (status != BIPE_OK)
        bipe_error_prefix(err, "option '--kwic'");
    return status;
}

void segment_kwic_close(segment_kwic *k)
{
    if (k == NULL)
        return;
    bipe_pcre2_search_close(k->search);
    bipe_buffer_free(&k->text);
    for (size_t i = 0; i < 3; i++)
        bipe_buffer_free(&k->shown[i]);
    bipe_free(k->match);
    bipe_free(k);
}
