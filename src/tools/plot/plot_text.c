/* plot_text.c - a text shaded by losses for bipe-plot: chooses the tokens from the tables, and reads their
 * documents. */
#include <stdio.h>
#include <string.h>

#include "cli/tool_alloc.h"
#include "text/document.h"
#include "tools/plot/bipe_plot.h"

enum { DOCUMENT_MOST = 256 << 20 };

/* *file: that of the first view. */
static int choose_views(bipe_loss_text *text, const plot_input *input, size_t count, const char **file,
                        size_t *left_out, bipe_error *err)
{
    *file = NULL;
    *left_out = 0;
    for (size_t i = 0; i < count; i++) {
        if (input[i].source != PLOT_TOKENS)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s, expected tables of bipe-score --tokens alone",
                             input[i].path, plot_source_names[input[i].source]);
        for (size_t v = 0; v < input[i].views; v++) {
            const plot_view *view = &input[i].view[v];
            const char *model = view->name[PLOT_MODEL];
            char length[BIPE_SCALE_LABEL];
            if (*file != NULL && (strcmp(view->name[PLOT_FILE], *file) != 0 || text->views == 2)) {
                ++*left_out;
                continue;
            }
            *file = view->name[PLOT_FILE];
            text->view[text->views] = view->text;
            snprintf(text->name[text->views++], sizeof *text->name, "%.200s%s%.100s, windows of %s",
                     model[0] != '\0' ? model : input[i].name, model[0] != '\0' ? ", " : "", view->name[PLOT_SEGMENTER],
                     bipe_scale_length((double)view->length, length));
        }
    }
    if (*file != NULL)
        return BIPE_OK;
    return input[0].other == 0
               ? bipe_fail(err, BIPE_ERR_FORMAT, "%s: no token, expected some", input[0].path)
               : bipe_fail(err, BIPE_ERR_FORMAT,
                           "%s: no token in windows of that length, expected a length of the table, such as %llu",
                           input[0].path, (unsigned long long)input[0].other);
}

/* Whether a view has tokens of it; documents come in order, at[] is how far the views are. */
static bool is_scored(const bipe_loss_text *text, uint64_t index, size_t at[2])
{
    bool scored = false;
    for (size_t v = 0; v < text->views; v++) {
        const bipe_loss_view *view = &text->view[v];
        while (at[v] < view->count && view->token[at[v]].document < index)
            at[v]++;
        scored = scored || (at[v] < view->count && view->token[at[v]].document == index);
    }
    return scored;
}

int plot_text_open(bipe_loss_text *text, const plot_input *input, size_t count, const char *path, const plot_wish *wish,
                   size_t *left_out, bipe_error *err)
{
    const char *file;
    bipe_documents *documents = NULL;
    size_t at[2] = {0, 0};
    *text = (bipe_loss_text){0};
    int status = choose_views(text, input, count, &file, left_out, err);
    if (status != BIPE_OK)
        return status;
    if (wish->labels.count > text->views)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--label': %zu names, expected at most as many as there are models, %zu",
                         wish->labels.count, text->views);
    path = path != NULL ? path : file;
    snprintf(text->title, sizeof text->title, "%.500s", wish->title != NULL ? wish->title : file);
    for (size_t v = 0; v < text->views && v < wish->labels.count; v++)
        snprintf(text->name[v], sizeof *text->name, "%s", wish->labels.text[v]);
    status = bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", err);
    while (status == BIPE_OK && (status = bipe_documents_next(documents, err)) == BIPE_OK) {
        uint64_t index = bipe_documents_index(documents);
        if (!is_scored(text, index, at))
            continue;
        bipe_tool_grow(&text->document, &text->capacity, text->documents + 1, sizeof *text->document);
        bipe_loss_document *document = &text->document[text->documents++];
        *document = (bipe_loss_document){.index = index};
        status = bipe_documents_read_whole(documents, &document->text, DOCUMENT_MOST, err);
    }
    bipe_documents_close(documents);
    if (status == BIPE_END && text->documents == 0)
        return bipe_fail(
            err, BIPE_ERR_FORMAT,
            "%s: none of its documents is one of the table, expected the text that was scored (option '--text')", path);
    return status == BIPE_END ? BIPE_OK : status;
}
