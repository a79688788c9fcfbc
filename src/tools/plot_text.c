/* plot_text.c - see plot_text.h. */
#include "tools/plot_text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/document.h"

enum { DOCUMENT_MOST = 256 << 20, CHUNK = 1 << 16 };

static void name_view(const plot_view *view, const plot_input *input, char name[512])
{
    char length[BIPE_SCALE_LABEL];
    bool known = view->model[0] != '\0';
    snprintf(name, 512, "%.200s%s%.100s, windows of %s", known ? view->model : input->stem, known ? ", " : "", view->segmenter,
             bipe_scale_length((double)view->length, length));
}

/* Fills text->view. *file: that of the first view. */
static int choose_views(plot_text *text, const plot_input *input, size_t count, const char **file, bipe_error *err)
{
    *file = NULL;
    for (size_t i = 0; i < count; i++) {
        if (input[i].source != PLOT_TOKENS)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s, expected tables of bipe-score --tokens alone", input[i].path,
                             plot_source_names[input[i].source]);
        for (size_t v = 0; v < input[i].views; v++) {
            const plot_view *view = &input[i].view[v];
            bool taken = *file == NULL || (strcmp(view->file, *file) == 0 && text->text.views < 2);
            if (!taken) {
                text->left_out++;
                continue;
            }
            *file = view->file;
            size_t number = text->text.views++;
            name_view(view, &input[i], text->name[number]);
            text->view[number] = view->text;
            text->view[number].name = text->name[number];
        }
    }
    return *file != NULL ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "%s: no token of that length, expected some", input[0].path);
}

/* Whether a view has tokens of it; documents come in order, at[] is how far the views are. */
static bool is_scored(const plot_text *text, uint64_t index, size_t at[2])
{
    bool scored = false;
    for (size_t v = 0; v < text->text.views; v++) {
        const bipe_loss_view *view = &text->view[v];
        while (at[v] < view->count && view->token[at[v]].document < index)
            at[v]++;
        scored = scored || (at[v] < view->count && view->token[at[v]].document == index);
    }
    return scored;
}

static int read_document(bipe_documents *documents, bipe_buffer *bytes, bipe_error *err)
{
    for (size_t size = 1; size > 0;) {
        int status = bytes->size > DOCUMENT_MOST ? bipe_fail(err, BIPE_ERR_LIMIT, "a document of more than 256 MiB, expected less to show")
                                                 : bipe_buffer_reserve(bytes, CHUNK, err);
        if (status == BIPE_OK)
            status = bipe_documents_read(documents, bytes->data + bytes->size, CHUNK, &size, err);
        if (status != BIPE_OK)
            return status;
        bytes->size += size;
    }
    return BIPE_OK;
}

static int read_text(plot_text *text, const char *path, bipe_error *err)
{
    bipe_documents *documents;
    size_t at[2] = {0, 0};
    int status = bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", err);
    if (status != BIPE_OK)
        return status;
    while ((status = bipe_documents_next(documents, err)) == BIPE_OK) {
        uint64_t index = bipe_documents_index(documents);
        if (!is_scored(text, index, at))
            continue;
        if (bipe_grow(&text->document, &text->capacity, text->text.documents + 1, sizeof *text->document) != 0) {
            status = bipe_fail_memory(err);
            break;
        }
        bipe_loss_document *document = &text->document[text->text.documents++];
        *document = (bipe_loss_document){.index = index};
        if ((status = read_document(documents, &document->text, err)) != BIPE_OK)
            break;
    }
    bipe_documents_close(documents);
    return status == BIPE_END ? BIPE_OK : status;
}

int plot_text_open(plot_text *text, const plot_input *input, size_t count, const char *path, const char *title, bipe_error *err)
{
    const char *file;
    *text = (plot_text){0};
    int status = choose_views(text, input, count, &file, err);
    if (status != BIPE_OK)
        return status;
    path = path != NULL ? path : file;
    snprintf(text->title, sizeof text->title, "%.500s", title != NULL ? title : file);
    status = read_text(text, path, err);
    if (status == BIPE_OK && text->text.documents == 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: none of its documents is one of the table, expected the text that was scored (option '--text')", path);
    text->text.view = text->view;
    text->text.document = text->document;
    text->text.title = text->title;
    return status;
}

void plot_text_close(plot_text *text)
{
    for (size_t i = 0; i < text->text.documents; i++)
        bipe_buffer_free(&text->document[i].text);
    bipe_free(text->document);
}
