/* packed.c - the weights of products, packed for this processor once for each precision and shared by all evaluators of
 * a model. Those in blocks would grow by that: they stay in their file, and products widen them piece by piece. So do
 * all where memory is short. */
#include <stdint.h>

#include "base/alloc.h"
#include "format/mapping.h"
#include "model/weights.h"

enum { PIECES = 16 }; /* of a matrix, so that threads end together */

typedef struct packing {
    bipe_model *model;
    bipe_packed *packed;
} packing;

/* The matrix of a slot that products read; NULL: none, or one that is looked up row by row. */
static const bipe_weight *multiplied_weight(const bipe_model *model, size_t i)
{
    bipe_slot slot = bipe_slot_at(&model->hyper, i);
    const bipe_weight *weight = bipe_model_weight(model, slot.role, slot.layer) + slot.expert;
    bool looked_up = slot.role == BIPE_ROLE_EMBEDDING || slot.role == BIPE_ROLE_LEARNED;
    return slot.kind == BIPE_MATRIX && !looked_up && weight->matrix.rows != 0 ? weight : NULL;
}

static void pack_piece(void *context, size_t i, size_t worker)
{
    const packing *p = context;
    const bipe_weight *weight = multiplied_weight(p->model, i / PIECES);
    (void)worker;
    const nn_panels *panels = &p->packed->panels[i / PIECES];
    if (weight == NULL || panels->weights != NULL)
        return;
    const nn_cpu *cpu = p->packed->cpu;
    size_t count = nn_panel_count(cpu, panels->precision, panels->n), nr = nn_panel_columns(cpu, panels->precision);
    size_t first = count * (i % PIECES) / PIECES, end = count * (i % PIECES + 1) / PIECES;
    nn_pack_weights(cpu, panels, &weight->matrix, first, end - first);
    bipe_weight_leave(weight, first * nr, (end - first) * nr);
}

void bipe_weight_leave(const bipe_weight *weight, size_t first, size_t count)
{
    const nn_matrix *m = &weight->matrix;
    if (!weight->mapped || first >= m->rows)
        return;
    size_t end = first + (count < m->rows - first ? count : m->rows - first);
    if (m->head != 0) { /* these rows are somewhere in their heads */
        first = first / m->head * m->head;
        end = (end + m->head - 1) / m->head * m->head;
    }
    bipe_mapping_leave((const uint8_t *)m->data + first * m->stride, (end - first) * m->stride);
}

/* Routers choose: their products are always f32. */
static nn_precision precision_of(const bipe_model *model, size_t i, nn_precision precision)
{
    return bipe_slot_at(&model->hyper, i).role == BIPE_ROLE_ROUTER ? NN_PRECISION_F32 : precision;
}

static bool stays_in_file(const bipe_model *model, const nn_matrix *m)
{
    return m->block > 1 || model->lean;
}

size_t bipe_model_packed_size(const bipe_model *model, nn_precision precision, size_t *mapped)
{
    size_t size = 0;
    *mapped = 0;
    for (size_t i = 0; i < bipe_slots(&model->hyper); i++) {
        const bipe_weight *weight = multiplied_weight(model, i);
        if (weight == NULL)
            continue;
        const nn_matrix *m = &weight->matrix;
        if (stays_in_file(model, m)) {
            *mapped += m->rows * m->stride;
            continue;
        }
        size_t bytes = nn_panels_size(nn_cpu_best(), precision_of(model, i, precision), m->rows, m->columns);
        size = bytes > SIZE_MAX - size ? SIZE_MAX : size + bytes;
    }
    return model->packed[precision].panels != NULL ? 0 : size;
}

bool bipe_model_stay_lean(bipe_model *model, nn_precision precision)
{
    bool before = model->lean || model->packed[precision].panels != NULL;
    model->lean = true;
    return !before;
}

int bipe_model_pack(bipe_model *model, nn_precision precision, bipe_pool *pool, const bipe_packed **result,
                    bipe_error *err)
{
    bipe_packed *packed = &model->packed[precision];
    *result = packed;
    if (packed->panels != NULL)
        return BIPE_OK;
    size_t slots = bipe_slots(&model->hyper), mapped, size = bipe_model_packed_size(model, precision, &mapped);
    *packed = (bipe_packed){.cpu = nn_cpu_best(), .widened = mapped != 0,
                            .panels = bipe_alloc(slots, sizeof *packed->panels)};
    if (packed->panels == NULL)
        return bipe_fail_memory(err);
    if ((packed->memory = bipe_alloc_large_unset(size, 1)) == NULL) {
        bipe_free(packed->panels);
        *packed = (bipe_packed){0};
        return bipe_fail(err, BIPE_ERR_MEMORY, "out of memory for %zu bytes of weights", size);
    }
    for (size_t i = 0, offset = 0; i < slots; i++) {
        const bipe_weight *weight = multiplied_weight(model, i);
        if (weight == NULL)
            continue;
        const nn_matrix *m = &weight->matrix;
        const bool stays = stays_in_file(model, m);
        if (stays && weight->mapped && !model->lean)
            bipe_mapping_large_pages(m->data, m->rows * m->stride);
        packed->panels[i] = (nn_panels){.data = stays ? NULL : packed->memory + offset, .n = m->rows, .k = m->columns,
                                        .precision = precision_of(model, i, precision),
                                        .weights = stays ? m : NULL};
        offset += stays ? 0 : nn_panels_size(packed->cpu, packed->panels[i].precision, m->rows, m->columns);
    }
    bipe_pool_run(pool, slots * PIECES, pack_piece, &(packing){model, packed});
    return BIPE_OK;
}

const nn_panels *bipe_packed_panels(const bipe_packed *packed, const bipe_model *model, bipe_role role, size_t layer)
{
    return &packed->panels[bipe_slot_index(&model->hyper, role, layer)];
}

void bipe_model_changed(bipe_model *model)
{
    for (size_t i = 0; i < sizeof model->packed / sizeof model->packed[0]; i++) {
        bipe_free(model->packed[i].panels);
        bipe_free(model->packed[i].memory);
        model->packed[i] = (bipe_packed){0};
    }
}
