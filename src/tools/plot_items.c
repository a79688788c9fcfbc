/* plot_items.c - see plot_items.h. */
#include "tools/plot_items.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/result_file.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* Names are compared with one another, so their number is bounded. */
enum { ITEMS_MOST = 1 << 14 };

static int new_item(plot_items *items, plot_item **item, bipe_error *err)
{
    if (items->count == ITEMS_MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d rows in all, expected fewer", ITEMS_MOST);
    if (bipe_grow(&items->item, &items->capacity, items->count + 1, sizeof *items->item) != 0)
        return bipe_fail_memory(err);
    *item = &items->item[items->count++];
    return BIPE_OK;
}

int plot_items_add(plot_items *items, const plot_input *input, const char *list, const char *member, bipe_error *err)
{
    const json_t *rows = json_object_get(input->root, list), *model = json_object_get(input->root, "model");
    int status = BIPE_OK;
    for (size_t i = 0; i < json_array_size(rows) && status == BIPE_OK; i++) {
        const json_t *row = json_array_get(rows, i), *length = json_object_get(row, "length");
        const json_t *names = member != NULL ? json_object_get(row, member) : row;
        const char *group = text_of(row, "group"), *own = text_of(names, "model");
        plot_item *item;
        if ((status = new_item(items, &item, err)) != BIPE_OK)
            break;
        *item = (plot_item){.row = row, .part = {own[0] != '\0' ? own : text_of(model, "path"), text_of(names, "segmenter"),
                                                 group[0] != '\0' ? group : text_of(row, "file"), input->stem}};
        if (item->part[PLOT_PART_SEGMENTER][0] == '\0')
            item->part[PLOT_PART_SEGMENTER] = text_of(input->root, "segmenter");
        snprintf(item->where, sizeof item->where, "%.60s: %s[%zu].", base_name(input->path), list, i);
        if (!json_is_object(row))
            return bipe_result_wrong(err, item->where, "", "an object");
        if (json_is_string(length) && strcmp(json_string_value(length), "document") == 0) /* of bipe-stats */
            item->length = NAN;
        else
            item->length = plot_number(row, item->where, "length", &status, err);
    }
    return status;
}

int plot_items_add_views(plot_items *items, const plot_input *input, bipe_error *err)
{
    for (size_t i = 0; i < input->views; i++) {
        const plot_view *v = &input->view[i];
        plot_item *item;
        int status = new_item(items, &item, err);
        if (status != BIPE_OK)
            return status;
        *item = (plot_item){.view = v, .part = {v->model, v->segmenter, v->file, input->stem}, .length = (double)v->length};
    }
    return BIPE_OK;
}

void plot_items_settle(plot_items *items)
{
    const plot_item *first = items->item;
    for (size_t i = 1; i < items->count; i++)
        for (int p = 0; p < PLOT_PARTS; p++)
            items->varies[p] = items->varies[p] || strcmp(items->item[i].part[p], first->part[p]) != 0;
    /* Inputs are named only where nothing else distinguishes their rows: two have the same model, segmenter and place. */
    bool twins = false;
    for (size_t i = 0; items->varies[PLOT_PART_INPUT] && i < items->count && !twins; i++)
        for (size_t k = 0; k < i && !twins; k++) {
            const plot_item *a = &items->item[i], *b = &items->item[k];
            twins = strcmp(a->part[PLOT_PART_INPUT], b->part[PLOT_PART_INPUT]) != 0 && a->length == b->length;
            for (int p = 0; p < PLOT_PART_INPUT && twins; p++)
                twins = strcmp(a->part[p], b->part[p]) == 0;
        }
    items->varies[PLOT_PART_INPUT] = twins;
}

/* Models of one name in different folders keep their folders. */
static bool base_is_enough(const plot_items *items, const char *model)
{
    for (size_t i = 0; i < items->count; i++) {
        const char *other = items->item[i].part[PLOT_PART_MODEL];
        if (strcmp(base_name(other), base_name(model)) == 0 && strcmp(other, model) != 0)
            return false;
    }
    return true;
}

const char *plot_item_name(const plot_items *items, const plot_item *item, char name[PLOT_NAME_SIZE])
{
    size_t filled = 0;
    name[0] = '\0';
    for (int p = 0; p < PLOT_PARTS; p++) {
        const char *text = item->part[p];
        bool only = p == PLOT_PART_MODEL && !items->varies[PLOT_PART_SEGMENTER] && !items->varies[PLOT_PART_PLACE] && !items->varies[PLOT_PART_INPUT];
        if ((!items->varies[p] && !only) || text[0] == '\0')
            continue;
        if (p == PLOT_PART_MODEL && base_is_enough(items, text))
            text = base_name(text);
        int added = snprintf(name + filled, PLOT_NAME_SIZE - filled, "%s%s", filled > 0 ? ", " : "", text);
        filled += added > 0 && (size_t)added < PLOT_NAME_SIZE - filled ? (size_t)added : 0;
    }
    if (filled == 0 && items->varies[PLOT_PART_PLACE])
        snprintf(name, PLOT_NAME_SIZE, "all");
    else if (filled == 0)
        snprintf(name, PLOT_NAME_SIZE, "%s", item->part[PLOT_PART_SEGMENTER][0] != '\0' ? item->part[PLOT_PART_SEGMENTER] : item->part[PLOT_PART_INPUT]);
    return name;
}

void plot_items_close(plot_items *items)
{
    bipe_free(items->item);
    *items = (plot_items){0};
}
