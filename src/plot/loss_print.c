/* loss_print.c - a text shaded by losses on a terminal: backgrounds of 256 colours; without colours, each line of the text has one below it
 * with the steps of the losses as digits and letters, and upright strokes where segments begin. */
#include <math.h>
#include <string.h>

#include "plot/label.h"
#include "plot/loss_walk.h"
#include "text/utf8.h"

/* From none to orange, and from blue over none to orange, for black text. */
static const uint8_t losses[BIPE_LOSS_LEVELS] = {0, 230, 230, 229, 229, 223, 222, 221, 215, 214, 208, 208, 202};
static const uint8_t differences[BIPE_LOSS_LEVELS] = {27, 33, 39, 75, 117, 195, 0, 230, 223, 221, 215, 208, 202};
static const char steps[] = ".123456789ABC";

typedef struct printer {
    bipe_output *output;
    bipe_look look;
    const bipe_loss_view *first, *second; /* second: the losses are differences */
    char below[BIPE_LOOK_WIDEST + 1];     /* the line under the present one */
    size_t column;
} printer;

static int end_line(printer *p, bipe_error *err)
{
    int status = bipe_output_write(p->output, "\n", 1, err);
    size_t end = p->column;
    while (end > 0 && p->below[end - 1] == ' ')
        end--;
    if (status == BIPE_OK && !p->look.colour && end > 0)
        status = bipe_output_printf(p->output, err, "%.*s\n", (int)end, p->below);
    p->column = 0;
    return status;
}

/* One character in so many columns, which its step is written below. */
static int put_character(printer *p, const char *text, size_t size, size_t columns, char step, int colour, bipe_error *err)
{
    int status = p->column + columns > p->look.width ? end_line(p, err) : BIPE_OK;
    if (status == BIPE_OK && colour > 0)
        status = bipe_output_printf(p->output, err, "\033[38;5;16;48;5;%dm%.*s\033[0m", colour, (int)size, text);
    else if (status == BIPE_OK)
        status = bipe_output_write(p->output, text, size, err);
    for (size_t i = 0; i < columns; i++)
        p->below[p->column++] = step;
    return status;
}

static int print_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text, size_t size, bipe_error *err)
{
    printer *p = context;
    char step = ' ';
    int colour = 0, status = BIPE_OK;
    if (token != NULL) {
        bool difference = p->second != NULL;
        double nll = difference ? (double)p->second->token[token - p->first->token].nll - token->nll : token->nll;
        int level = bipe_loss_level(nll, difference);
        step = steps[level];
        colour = !p->look.colour ? 0 : difference ? differences[level] : losses[level];
        if (bipe_loss_begins_segment(token, before))
            status = put_character(p, p->look.utf8 ? "│" : "|", p->look.utf8 ? 3 : 1, 1, ' ', 0, err);
        if (size == 0 && status == BIPE_OK)
            status = put_character(p, p->look.utf8 ? "·" : ".", p->look.utf8 ? 2 : 1, 1, step, colour, err);
    }
    for (size_t at = 0; at < size && status == BIPE_OK;) {
        int32_t code;
        size_t used = bipe_utf8_decode(text + at, size - at, &code);
        used = used > 0 ? used : size - at;
        if (code == '\n') {
            if (token != NULL)
                status = put_character(p, p->look.utf8 ? "↵" : "$", p->look.utf8 ? 3 : 1, 1, step, colour, err);
            if (status == BIPE_OK)
                status = end_line(p, err);
        } else if (code >= 0xA0 ? !p->look.utf8 || bipe_character_hides(code) : code < 0x20 || code > 0x7E) { /* what a terminal should not get */
            status = put_character(p, code == '\t' ? " " : "?", 1, 1, step, colour, err);
        } else {
            status = put_character(p, (const char *)text + at, used, bipe_character_columns(code), step, colour, err);
        }
        at += used;
    }
    return status;
}

static int print_view(const bipe_loss_text *text, size_t number, bool difference, bipe_look look, bipe_output *output, bipe_error *err)
{
    printer p = {.output = output, .look = look, .first = &text->view[number], .second = difference ? &text->view[1] : NULL};
    size_t first = 0;
    const char *scale = difference ? "steps from . (4.5 nats better) over 6 (equal) to C (4.5 nats worse)" : "steps from . (0 nats) to C (9 and more)";
    int status = bipe_label_print(output, text->title, look.width, look.utf8, NULL, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, "\n", 1, err);
    if (status == BIPE_OK && difference)
        status = bipe_label_print(output, text->view[1].name, look.width, look.utf8, NULL, err);
    if (status == BIPE_OK && difference)
        status = bipe_output_printf(output, err, ", less\n");
    if (status == BIPE_OK)
        status = bipe_label_print(output, text->view[number].name, look.width, look.utf8, NULL, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "\n%s\n\n", scale);
    for (size_t d = 0; d < text->documents && status == BIPE_OK; d++) {
        if (d > 0)
            status = bipe_output_write(output, "\n", 1, err);
        if (status == BIPE_OK)
            status = bipe_loss_walk(&text->document[d], p.first, &first, print_piece, &p, err);
        if (status == BIPE_OK && p.column > 0)
            status = end_line(&p, err);
    }
    return status;
}

/* Of two models with the same tokens, the difference; otherwise one after the other. */
int bipe_loss_text_print(const bipe_loss_text *text, bipe_look look, bipe_output *output, bipe_error *err)
{
    bool difference = text->views > 1 && bipe_loss_same_tokens(&text->view[0], &text->view[1]);
    int status = BIPE_OK;
    for (size_t v = 0; v < (difference ? 1 : text->views) && status == BIPE_OK; v++) {
        if (v > 0)
            status = bipe_output_write(output, "\n", 1, err);
        if (status == BIPE_OK)
            status = print_view(text, v, difference, look, output, err);
    }
    return status;
}
