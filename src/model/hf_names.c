/* hf_names.c - see hf_names.h. */
#include "model/hf_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/weights.h"

/* Goes on from the start of a component to the next that is the model's own. */
static const char *skip_wrappers(const char *at, bool first)
{
    enum { BEGINNINGS = 4 }; /* the last ones stand at the very beginning alone */
    static const char *const wrappers[] = {"module.", "_orig_mod.", "_fsdp_wrapped_module.",
                                           "_checkpoint_wrapped_module.", "model.", "language_model.", "transformer.",
                                           "gpt_neox."};
    const size_t count = sizeof wrappers / sizeof wrappers[0] - (first ? 0 : BEGINNINGS);
    size_t i = 0;
    while (i < count) {
        size_t size = strlen(wrappers[i]);
        bool found = strncmp(at, wrappers[i], size) == 0;
        at += found ? size : 0;
        i = found ? 0 : i + 1;
    }
    return at;
}

/* The next character of a name, 0 at its end; *at is where the one after it is. */
static char next_letter(const char **at)
{
    char letter = **at;
    if (letter != '\0')
        *at = letter == '.' ? skip_wrappers(*at + 1, false) : *at + 1;
    return letter;
}

int bipe_hf_compare(const char *a, const char *b)
{
    const char *x = skip_wrappers(a, true), *y = skip_wrappers(b, true);
    for (;;) {
        unsigned char one = (unsigned char)next_letter(&x), two = (unsigned char)next_letter(&y);
        if (one != two || one == '\0')
            return one - two;
    }
}

bool bipe_hf_plain(const char *name, char *plain, size_t size)
{
    const char *at = skip_wrappers(name, true);
    size_t used = 0;
    while (used < size && (plain[used] = next_letter(&at)) != '\0')
        used++;
    return used < size;
}

static int compare_tensors(const void *a, const void *b)
{
    return bipe_hf_compare((*(const bipe_tensor *const *)a)->name, (*(const bipe_tensor *const *)b)->name);
}

int bipe_hf_sort(const bipe_tensor_table *table, const bipe_tensor **sorted, bipe_error *err)
{
    for (size_t i = 0; i < table->count; i++)
        sorted[i] = &table->tensor[i];
    qsort(sorted, table->count, sizeof *sorted, compare_tensors);
    for (size_t i = 1; i < table->count; i++)
        if (bipe_hf_compare(sorted[i - 1]->name, sorted[i]->name) == 0) {
            char one[BIPE_SHOWN_SIZE], two[BIPE_SHOWN_SIZE];
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "tensors '%s' and '%s' are the same part of a model, expected one of them",
                             bipe_model_shown(one, sorted[i - 1]->name, strlen(sorted[i - 1]->name)),
                             bipe_model_shown(two, sorted[i]->name, strlen(sorted[i]->name)));
        }
    return BIPE_OK;
}

const bipe_tensor *bipe_hf_find(const bipe_tensor *const *sorted, size_t count, const char *name)
{
    const bipe_tensor wanted = {.name = name}, *key = &wanted;
    const bipe_tensor *const *found = bsearch(&key, sorted, count, sizeof *sorted, compare_tensors);
    return found != NULL ? *found : NULL;
}
