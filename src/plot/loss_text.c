/* loss_text.c - a text shaded by losses, in pieces of tokens, and on a terminal by background colour. Without colours,
 * a line below each line of the text shows the losses as digits and letters, and upright strokes where segments
 * begin; carets in another line below it mark key tokens. */
#include "plot/loss_text.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "text/label.h"
#include "text/utf8.h"

void bipe_loss_text_close(bipe_loss_text *text)
{
    for (size_t i = 0; i < text->documents; i++)
        bipe_buffer_free(&text->document[i].text);
    bipe_free(text->document);
}

bool bipe_loss_same_tokens(const bipe_loss_view *a, const bipe_loss_view *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->token[i].document != b->token[i].document || a->token[i].start != b->token[i].start ||
            a->token[i].end != b->token[i].end)
            return false;
    return true;
}

/* Where the characters end that begin before `end`. */
static size_t character_end(const bipe_buffer *text, size_t from, size_t end)
{
    while (from < end) {
        int32_t code;
        size_t used = bipe_utf8_decode(text->data + from, text->size - from, &code);
        from += used > 0 ? used : text->size - from;
    }
    return from;
}

int bipe_loss_walk(const bipe_loss_document *document, const bipe_loss_view *view, size_t *first,
                   bipe_loss_piece *piece, void *context, bipe_error *err)
{
    const bipe_buffer *text = &document->text;
    size_t done = 0, at = *first;
    int status = BIPE_OK;
    while (at < view->count && view->token[at].document < document->index)
        at++;
    for (const bipe_loss_token *before = NULL;
         at < view->count && view->token[at].document == document->index && status == BIPE_OK; at++) {
        const bipe_loss_token *token = &view->token[at];
        if (token->end > text->size)
            return bipe_fail(
                err, BIPE_ERR_FORMAT,
                "a token ends at byte %llu of document %llu, which has %zu bytes; expected the text that was scored",
                (unsigned long long)token->end, (unsigned long long)document->index, text->size);
        size_t gap = character_end(text, done, token->start);
        if (gap > done)
            status = piece(context, NULL, before, text->data + done, gap - done, err);
        done = gap;
        size_t end = character_end(text, done, token->end);
        if (status == BIPE_OK)
            status = piece(context, token, before, text->data + done, end - done, err);
        done = end;
        before = token;
    }
    *first = at;
    return status == BIPE_OK && done < text->size
               ? piece(context, NULL, NULL, text->data + done, text->size - done, err)
               : status;
}

/* ---- on a terminal ---- */

/* Steps of shades: of losses from 0 to 9 nats and more, of differences from -4.5 to 4.5. */
enum { LEVELS = 13, DARKEST = 9 };
/* From none to orange, and from blue over none to orange, for black text. */
static const uint8_t losses[LEVELS] = {0, 230, 230, 229, 229, 223, 222, 221, 215, 214, 208, 208, 202};
static const uint8_t differences[LEVELS] = {27, 33, 39, 75, 117, 195, 0, 230, 223, 221, 215, 208, 202};
static const char steps[] = ".123456789ABC";

typedef struct printer {
    bipe_output *output;
    bipe_look look;
    const bipe_loss_view *first, *second; /* second: the losses are differences */
    char below[BIPE_LOOK_WIDEST + 1], marks[BIPE_LOOK_WIDEST + 1]; /* the lines under the present one */
    size_t column;
} printer;

static int level_of(double nats)
{
    double level = round(nats / DARKEST * (LEVELS - 1));
    return !(level > 0) ? 0 : level > LEVELS - 1 ? LEVELS - 1 : (int)level;
}

static void print_below(const printer *p, const char *line)
{
    size_t end = p->column;
    while (end > 0 && line[end - 1] == ' ')
        end--;
    if (!p->look.colour && end > 0)
        bipe_output_printf(p->output, NULL, "%.*s\n", (int)end, line);
}

static void end_line(printer *p)
{
    bipe_output_write(p->output, "\n", 1, NULL);
    print_below(p, p->below);
    print_below(p, p->marks);
    p->column = 0;
}

/* How the characters of a token are shown: the step below them, the colour behind them (0: none). */
typedef struct shade {
    char step;
    int colour;
    bool key;
} shade;

/* One character in so many columns. */
static void print_character(printer *p, const char *text, size_t size, size_t columns, shade as)
{
    bool underlined = as.key && p->look.colour;
    if (p->column + columns > p->look.width)
        end_line(p);
    if (underlined)
        bipe_output_printf(p->output, NULL, "\033[4m");
    if (as.colour > 0)
        bipe_output_printf(p->output, NULL, "\033[38;5;16;48;5;%dm", as.colour);
    bipe_output_write(p->output, text, size, NULL);
    if (underlined || as.colour > 0)
        bipe_output_printf(p->output, NULL, "\033[0m");
    for (size_t i = 0; i < columns; i++, p->column++) {
        p->below[p->column] = as.step;
        p->marks[p->column] = as.key ? '^' : ' ';
    }
}

static int print_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text,
                       size_t size, bipe_error *err)
{
    printer *p = context;
    shade as = {' ', 0, false};
    if (token != NULL) {
        double less = p->second != NULL ? (double)p->second->token[token - p->first->token].nll - token->nll : 0;
        int level = p->second == NULL ? level_of(token->nll)
                    : isnan(less)     ? LEVELS / 2
                                      : level_of(less + DARKEST / 2.0);
        as = (shade){steps[level], !p->look.colour ? 0 : p->second != NULL ? differences[level] : losses[level],
                     token->key};
        if (before != NULL && (token->segment != before->segment || token->window != before->window))
            print_character(p, p->look.utf8 ? "│" : "|", p->look.utf8 ? strlen("│") : 1, 1, (shade){' ', 0, false});
        if (size == 0)
            print_character(p, p->look.utf8 ? "·" : ".", p->look.utf8 ? strlen("·") : 1, 1, as);
    }
    for (size_t at = 0, used; at < size; at += used) {
        int32_t code;
        used = bipe_utf8_decode(text + at, size - at, &code);
        used = used > 0 ? used : size - at;
        if (code == '\n') {
            if (token != NULL)
                print_character(p, p->look.utf8 ? "↵" : "$", p->look.utf8 ? strlen("↵") : 1, 1, as);
            end_line(p);
        } else if (code >= 0xA0 ? !p->look.utf8 || bipe_character_hides(code)
                                : code < 0x20 || code > 0x7E) { /* not for a terminal */
            print_character(p, code == '\t' ? " " : "?", 1, 1, as);
        } else {
            print_character(p, (const char *)text + at, used, bipe_character_columns(code), as);
        }
    }
    return bipe_output_write(p->output, "", 0, err);
}

static int print_view(const bipe_loss_text *text, size_t number, bool difference, bipe_look look, bipe_output *output,
                      bipe_error *err)
{
    printer p = {.output = output, .look = look, .first = &text->view[number],
                 .second = difference ? &text->view[1] : NULL};
    size_t first = 0;
    int status = BIPE_OK;
    bipe_label_print(output, text->title, look.width, look.utf8, NULL);
    bipe_output_printf(output, NULL, "\n");
    bipe_label_print(output, text->name[difference ? 1 : number], look.width - 6, look.utf8, NULL);
    bipe_output_printf(output, NULL, difference ? ", less\n" : "");
    bipe_label_print(output, difference ? text->name[0] : "", look.width, look.utf8, NULL);
    bipe_output_printf(output, NULL, "\n%s ", difference ? "4.5 nats better" : "0 nats");
    for (int level = 0; level < LEVELS; level++) {
        const char step[] = {look.colour ? ' ' : steps[level], '\0'};
        const int colour = !look.colour ? 0 : difference ? differences[level] : losses[level];
        print_character(&p, step, 1, 1, (shade){' ', colour, false});
    }
    p.column = 0;
    bipe_output_printf(output, NULL, " %s\n", difference ? "4.5 nats worse" : "9 and more");
    if (p.first->keys > 0)
        bipe_output_printf(output, NULL, "%s: key tokens (%zu)\n", look.colour ? "\033[4munderlined\033[0m" : "^",
                           p.first->keys);
    bipe_output_printf(output, NULL, "\n");
    for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
        bipe_output_printf(output, NULL, d > 0 ? "\n" : "");
        status = bipe_loss_walk(&text->document[d], p.first, &first, print_piece, &p, err);
        if (p.column > 0)
            end_line(&p);
    }
    return status;
}

/* Of two models with the same tokens, the difference; otherwise one after the other. */
int bipe_loss_text_print(const bipe_loss_text *text, bipe_look look, bipe_output *output, bipe_error *err)
{
    bool difference = text->views > 1 && bipe_loss_same_tokens(&text->view[0], &text->view[1]);
    int status = BIPE_OK;
    for (size_t v = 0; v < (difference ? 1 : text->views) && status == BIPE_OK; v++) {
        bipe_output_printf(output, NULL, v > 0 ? "\n" : "");
        status = print_view(text, v, difference, look, output, err);
    }
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
