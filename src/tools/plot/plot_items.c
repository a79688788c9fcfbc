/* plot_items.c - rows of results from all inputs, and the shortest names that distinguish them. */
#include "tools/plot/bipe_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/result_file.h"
#include "cli/tool_alloc.h"

/* Names are compared with one another, so their number is bounded. */
enum { ITEMS_MOST = 1 << 14 };

/* One more of an input. */
static int add_item(plot_items *items, const plot_input *input, plot_item **item, bipe_error *err)
{
    if (items->count == ITEMS_MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d rows in all, expected fewer", ITEMS_MOST);
    bipe_tool_grow(&items->item, &items->capacity, items->count + 1, sizeof *items->item);
    *item = &items->item[items->count++];
    **item = (plot_item){.part[PLOT_PART_INPUT] = input->name};
    return BIPE_OK;
}

/* names: the object that names model and segmenter. */
static int add_row(plot_items *items, const plot_input *input, const json_t *row, const json_t *names, bool reference,
                   const char *where, bipe_error *err)
{
    plot_item *item;
    int status = add_item(items, input, &item, err);
    if (status != BIPE_OK)
        return status;
    item->row = row;
    item->reference = reference;
    item->part[PLOT_PART_MODEL] = plot_first_text(names, "model", input->root, "model.path");
    item->part[PLOT_PART_SEGMENTER] = plot_first_text(names, "segmenter", input->root, "segmenter");
    item->part[PLOT_PART_PLACE] = plot_first_text(row, "group", row, "file");
    snprintf(item->where, sizeof item->where, "%s", where);
    /* Results of bipe-stats have rows for whole documents. */
    const char *x = json_object_get(row, "context") != NULL ? "context" : "length"; /* of a ladder */
    item->x = strcmp(plot_text_of(row, "length"), "document") == 0 ? (double)NAN
                                                                   : plot_number(row, where, x, &status, err);
    return status;
}

/* The place of the last item is the number of its task and metric. */
static void number_task(plot_items *items)
{
    plot_item *last = &items->item[items->count - 1];
    size_t i = 0;
    while (&items->item[i] < last &&
           (strcmp(plot_text_of(items->item[i].row, "task"), plot_text_of(last->row, "task")) != 0 ||
            strcmp(plot_text_of(items->item[i].row, "metric"), plot_text_of(last->row, "metric")) != 0))
        i++;
    last->x = (double)i;
}

int plot_items_add(plot_items *items, const plot_input *input, const char *list,
                   bool (*chosen)(const json_t *row, int per), int per, bool steps, bipe_error *err)
{
    const json_t *rows = json_object_get(input->root, list);
    int status = BIPE_OK;
    for (size_t i = 0; i < input->views && status == BIPE_OK; i++) {
        const plot_view *v = &input->view[i];
        plot_item *item;
        if ((status = add_item(items, input, &item, err)) == BIPE_OK)
            *item = (plot_item){.view = v,
                                .part = {v->name[PLOT_MODEL], v->name[PLOT_SEGMENTER], v->name[PLOT_FILE], input->name},
                                .x = (double)v->length};
    }
    for (size_t i = 0; i < json_array_size(rows) && status == BIPE_OK; i++) {
        const json_t *row = json_array_get(rows, i), *a = json_object_get(row, "a"), *b = json_object_get(row, "b");
        char where[sizeof items->item->where];
        snprintf(where, sizeof where, "%.60s: %s[%zu].", plot_base_name(input->path), list, i);
        if (!json_is_object(row))
            return bipe_result_wrong(err, where, "", "an object");
        if (chosen != NULL && !chosen(row, per))
            continue;
        const json_t *reached = json_object_get(row, "reached");
        if (json_is_integer(reached) && json_integer_value(reached) == 0) /* a rung of a ladder above all documents */
            continue;
        if (steps && input->run[i] == NULL)
            continue;
        if (json_is_object(a))
            status = add_row(items, input, row, a, true, where, err);
        if (status == BIPE_OK)
            status = add_row(items, input, row, json_is_object(a) ? b : row, false, where, err);
        if (status == BIPE_OK && json_is_string(b)) /* of bipe-eval */
            items->item[items->count - 1].part[PLOT_PART_MODEL] = json_string_value(b);
        if (status == BIPE_OK && steps) { /* named by its run of training and by the metric, in the place of the
                                             segmenter */
            plot_item *item = &items->item[items->count - 1];
            size_t size;
            item->x = plot_step_of(item->part[PLOT_PART_MODEL], &size);
            item->part[PLOT_PART_MODEL] = input->run[i];
            item->part[PLOT_PART_SEGMENTER] = plot_text_of(row, "metric");
        } else if (status == BIPE_OK && input->source == PLOT_EVAL) {
            number_task(items);
        }
    }
    return status;
}

bool plot_items_share(const plot_item *a, const plot_item *b, int count)
{
    int p = 0;
    while (p < count && strcmp(a->part[p], b->part[p]) == 0)
        p++;
    return p == count;
}

const char *plot_item_model(const plot_items *items, const char *model)
{
    const char *name = plot_base_name(model);
    for (size_t i = 0; i < items->count; i++)
        name = plot_longer_name(model, plot_longer_name(model, name, items->item[i].part[PLOT_PART_MODEL]),
                                plot_text_of(items->item[i].row, "a"));
    return name;
}

static void compose_name(const plot_items *items, const plot_item *item, char name[PLOT_NAME_SIZE])
{
    const bool *varies = items->varies;
    bool only_models = !varies[PLOT_PART_SEGMENTER] && !varies[PLOT_PART_PLACE] && !varies[PLOT_PART_INPUT];
    size_t filled = 0;
    name[0] = '\0';
    for (int p = 0; p < PLOT_PARTS; p++) {
        const char *text = item->part[p];
        if (text[0] == '\0' || !(varies[p] || (p == PLOT_PART_MODEL && only_models)))
            continue;
        int added = snprintf(name + filled, PLOT_NAME_SIZE - filled, "%s%s", filled > 0 ? ", " : "",
                             p == PLOT_PART_MODEL ? plot_item_model(items, text) : text);
        filled += added > 0 && (size_t)added < PLOT_NAME_SIZE - filled ? (size_t)added : 0;
    }
    if (filled == 0)
        snprintf(name, PLOT_NAME_SIZE, "%s",
                 varies[PLOT_PART_PLACE]                      ? "all"
                 : item->part[PLOT_PART_SEGMENTER][0] != '\0' ? item->part[PLOT_PART_SEGMENTER]
                                                              : item->part[PLOT_PART_INPUT]);
}

/* The different names, in order; items know the numbers of theirs. */
static void number_names(plot_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        char name[PLOT_NAME_SIZE];
        size_t k = i; /* most often that of the row before */
        while (k > 0 && !plot_items_share(&items->item[i], &items->item[k - 1], PLOT_PARTS))
            k--;
        if (k > 0) {
            items->item[i].name = items->item[k - 1].name;
            continue;
        }
        compose_name(items, &items->item[i], name);
        for (k = 0; k < items->names.count && strcmp(items->names.text[k], name) != 0;)
            k++;
        items->item[i].name = k;
        if (k == items->names.count)
            plot_names_add(&items->names, name);
    }
}

void plot_items_settle(plot_items *items)
{
    const plot_item *item = items->item;
    for (size_t i = 1; i < items->count; i++)
        for (int p = 0; p < PLOT_PARTS; p++)
            items->varies[p] = items->varies[p] || strcmp(item[i].part[p], item[0].part[p]) != 0;
    /* Inputs are named only where nothing else distinguishes their rows: two have the same model, segmenter and
     * place. */
    bool needed = false;
    for (size_t i = 0; items->varies[PLOT_PART_INPUT] && i < items->count && !needed; i++)
        for (size_t k = 0; k < i && !needed; k++)
            needed = item[i].x == item[k].x && plot_items_share(&item[i], &item[k], PLOT_PART_INPUT) &&
                     !plot_items_share(&item[i], &item[k], PLOT_PARTS);
    items->varies[PLOT_PART_INPUT] = needed;
    number_names(items);
}

const char *plot_item_name(const plot_items *items, const plot_item *item)
{
    return items->names.text[item->name];
}

void plot_items_close(plot_items *items)
{
    plot_names_close(&items->names);
    bipe_free(items->item);
}
