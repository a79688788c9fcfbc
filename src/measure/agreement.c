/* agreement.c - compares two lists of boundaries. Windows are counted by the places where a boundary enters or leaves
 * them, so that time grows with the boundaries and not with the text. */
#include "measure/agreement.h"

/* The inner boundaries of a side that are in the window: those from number `left` to `entered`. */
typedef struct side {
    const uint64_t *at;
    size_t count, left, entered;
} side;

/* Takes in what the window has when it begins after unit i, and returns the first i after it at which that changes. */
static uint64_t slide(side *s, uint64_t i, uint64_t k)
{
    while (s->entered < s->count && s->at[s->entered] - i <= k)
        s->entered++;
    while (s->left < s->count && s->at[s->left] <= i)
        s->left++;
    uint64_t enters = s->entered < s->count ? s->at[s->entered] - k : UINT64_MAX,
             leaves = s->left < s->entered ? s->at[s->left] : UINT64_MAX;
    return enters < leaves ? enters : leaves;
}

/* Counts the windows that differ, of k units among `units`. */
static void count_windows(side found, side gold, uint64_t units, uint64_t k, bipe_agreement *pk, bipe_agreement *diff)
{
    uint64_t windows = units > k ? units - k : 0;
    *pk = *diff = (bipe_agreement){0, windows};
    for (uint64_t i = 0, next; i < windows; i = next) {
        uint64_t a = slide(&found, i, k), b = slide(&gold, i, k);
        next = a < b ? a : b;
        next = next < windows ? next : windows;
        size_t of_found = found.entered - found.left, of_gold = gold.entered - gold.left;
        pk->sum += (of_found == 0) != (of_gold == 0) ? next - i : 0;
        diff->sum += of_found != of_gold ? next - i : 0;
    }
}

void bipe_agreement_find(bipe_agreement value[BIPE_AGREEMENT_COUNT], const uint64_t *found, size_t found_count,
                         const uint64_t *gold, size_t gold_count, uint64_t units)
{
    uint64_t right = 0, exact = 0;
    for (size_t f = 0, g = 0; f < found_count && g < gold_count;) {
        if (found[f] != gold[g]) {
            if (found[f] < gold[g])
                f++;
            else
                g++;
            continue;
        }
        right++;
        exact += (f == 0 ? 0 : found[f - 1]) == (g == 0 ? 0 : gold[g - 1]);
        f++;
        g++;
    }
    value[BIPE_AGREEMENT_PRECISION] = (bipe_agreement){right, found_count};
    value[BIPE_AGREEMENT_RECALL] = (bipe_agreement){right, gold_count};
    value[BIPE_AGREEMENT_F1] = (bipe_agreement){2 * right, found_count + gold_count};
    value[BIPE_AGREEMENT_INNER_PRECISION] = (bipe_agreement){right - 1, found_count - 1};
    value[BIPE_AGREEMENT_INNER_RECALL] = (bipe_agreement){right - 1, gold_count - 1};
    value[BIPE_AGREEMENT_INNER_F1] = (bipe_agreement){2 * (right - 1), found_count + gold_count - 2};
    value[BIPE_AGREEMENT_EXACT] = (bipe_agreement){exact, gold_count};
    uint64_t k = (units + gold_count) / (2 * (uint64_t)gold_count);
    count_windows((side){.at = found, .count = found_count - 1}, (side){.at = gold, .count = gold_count - 1}, units,
                  k != 0 ? k : 1, &value[BIPE_AGREEMENT_PK], &value[BIPE_AGREEMENT_WINDOWDIFF]);
}
