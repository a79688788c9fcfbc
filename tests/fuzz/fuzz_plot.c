/* fuzz_plot.c - what bipe-plot reads, from anywhere: results, logs and tables, drawn in every way that an input
 * allows. */
#include <config.h>

#include <stdint.h>
#include <string.h>

#include "tests/fuzz/memory_file.h"
#include "tools/plot/bipe_plot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int drop_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return BIPE_OK;
}

/* A text that the tokens of a table may be of. */
static void show_text(const plot_input *input, bipe_look look, bipe_output *output)
{
    uint8_t letters[] = "some \xC3\xA9 text\nof \xF0\x9F\x99\x82 two lines, \xff\x01";
    bipe_error err;
    bipe_loss_document document = {.text = {.data = letters, .size = sizeof letters - 1}};
    bipe_loss_text text = {.title = "t", .name = {"a", "b"}, .document = &document, .documents = 1};
    for (; text.views < input->views && text.views < 2; text.views++)
        text.view[text.views] = input->view[text.views].text;
    if (text.views > 0 && bipe_loss_text_page(&text, output, &err) == BIPE_OK &&
        bipe_loss_text_print(&text, look, output, &err) != BIPE_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const bipe_texts operands = {0};
    static const bipe_tool tool = {.name = "bipe-plot", .operands = &operands};
    bipe_error err;
    plot_input input;
    bipe_output *output;
    const plot_wish wish = {.unit = (int)(size % 3), .per = (int)(size / 3 % 3), .log_x = size % 2,
                            .log_y = size / 2 % 2};
    const bipe_look look = {.width = BIPE_LOOK_NARROWEST + size % 90, .utf8 = size % 2, .colour = size / 2 % 2};
    bool keep = size / 4 % 2;
    if (size < 2 || data[0] == 0x1F || data[0] == 0x28 || data[0] == 0xFD) /* compressed input is the business of
                                                                              fuzz_input */
        return 0;
    if (bipe_output_open_sink(&output, drop_bytes, NULL, &err) != BIPE_OK)
        return 0;
    if (plot_input_read(&input, memory_file(data, size), keep, 0, &err) == BIPE_OK) {
        for (int kind = 0; kind < plot_kind_text; kind++) {
            plot_figures figures = {0};
            if (plot_figures_make(&figures, kind, &input, 1, &wish, &err) == BIPE_OK &&
                bipe_figures_print(figures.figure, figures.count, look, output, &err) != BIPE_OK)
                abort();
            plot_figures_close(&figures);
        }
        if (keep)
            show_text(&input, look, output);
        plot_report_write(&tool, &input, 1, &wish, output, &err);
    }
    plot_input_close(&input);
    bipe_output_abandon(output);
    return 0;
}
