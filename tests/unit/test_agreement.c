/* test_agreement.c - agreement of boundaries against the definitions, window by window: those of Beeferman, Berger and
 * Lafferty (1999) and of Pevzner and Hearst (2002). */
#include "measure/agreement.h"

#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "tests/check.h"

enum { MOST = 60 };

/* A side as a row of flags: flag i is whether there is a boundary after unit i (from 1). */
typedef struct side {
    uint64_t at[MOST];
    size_t count;
    bool flag[MOST + 1];
} side;

static side draw(uint64_t *random, uint64_t units, uint64_t one_in)
{
    side s = {0};
    for (uint64_t i = 1; i <= units; i++) {
        s.flag[i] = i == units || bipe_random_below(random, one_in) == 0;
        if (s.flag[i])
            s.at[s.count++] = i;
    }
    return s;
}

/* Boundaries after units i to i + k - 1, of which the last unit of a text never is one. */
static size_t count_flags(const side *s, uint64_t i, uint64_t k)
{
    size_t count = 0;
    for (uint64_t j = i; j < i + k; j++)
        count += s->flag[j];
    return count;
}

static void check_sides(const side *f, const side *g, uint64_t units)
{
    bipe_agreement got[BIPE_AGREEMENT_COUNT], want[BIPE_AGREEMENT_COUNT] = {{0, 0}};
    uint64_t right = 0, exact = 0, last = 0, k = (units * 2 + 2 * g->count) / (4 * g->count);
    bool same = true; /* since the reference boundary before, which both have */
    for (uint64_t i = 1; i <= units; i++) {
        right += f->flag[i] && g->flag[i];
        exact += f->flag[i] && g->flag[i] && same && count_flags(f, last + 1, i - last) == 1;
        if (g->flag[i]) {
            same = f->flag[i];
            last = i;
        }
    }
    want[BIPE_AGREEMENT_PRECISION] = (bipe_agreement){right, f->count};
    want[BIPE_AGREEMENT_RECALL] = (bipe_agreement){right, g->count};
    want[BIPE_AGREEMENT_F1] = (bipe_agreement){2 * right, f->count + g->count};
    want[BIPE_AGREEMENT_INNER_PRECISION] = (bipe_agreement){right - 1, f->count - 1};
    want[BIPE_AGREEMENT_INNER_RECALL] = (bipe_agreement){right - 1, g->count - 1};
    want[BIPE_AGREEMENT_INNER_F1] = (bipe_agreement){2 * right - 2, f->count + g->count - 2};
    want[BIPE_AGREEMENT_EXACT] = (bipe_agreement){exact, g->count};
    for (uint64_t i = 1; i + k <= units; i++) {
        size_t a = count_flags(f, i, k), b = count_flags(g, i, k);
        want[BIPE_AGREEMENT_PK].sum += (a == 0) != (b == 0);
        want[BIPE_AGREEMENT_PK].weight++;
        want[BIPE_AGREEMENT_WINDOWDIFF].sum += a != b;
        want[BIPE_AGREEMENT_WINDOWDIFF].weight++;
    }
    memset(got, 0x55, sizeof got);
    bipe_agreement_find(got, f->at, f->count, g->at, g->count, units);
    for (size_t id = 0; id < BIPE_AGREEMENT_COUNT; id++)
        CHECKF(got[id].sum == want[id].sum && got[id].weight == want[id].weight,
               "measure %zu of %u units: %u / %u, want %u / %u", id, (unsigned)units, (unsigned)got[id].sum,
               (unsigned)got[id].weight, (unsigned)want[id].sum, (unsigned)want[id].weight);
}

/* By hand: 12 units in segments of 4, found ends one unit late, then one too many. k is 2. */
static void test_by_hand(void)
{
    static const uint64_t gold[] = {4, 8, 12}, found[] = {5, 8, 10, 12};
    bipe_agreement value[BIPE_AGREEMENT_COUNT];
    bipe_agreement_find(value, found, 4, gold, 3, 12);
    CHECK_UINT(value[BIPE_AGREEMENT_PRECISION].sum, 2);
    CHECK_UINT(value[BIPE_AGREEMENT_RECALL].weight, 3);
    CHECK_UINT(value[BIPE_AGREEMENT_EXACT].sum, 0);
    /* Windows 1-3 to 10-12. There is a boundary of the reference in those from 3, 4, 7 and 8, and one that was found in
     * those from 4, 5, 7, 8, 9 and 10. */
    CHECK_UINT(value[BIPE_AGREEMENT_PK].weight, 10);
    CHECK_UINT(value[BIPE_AGREEMENT_PK].sum, 4);
    CHECK_UINT(value[BIPE_AGREEMENT_WINDOWDIFF].sum, 4);
}

int main(void)
{
    uint64_t random = 11;
    test_by_hand();
    for (int round = 0; round < test_rounds(20000); round++) {
        uint64_t units = 1 + bipe_random_below(&random, MOST - 1);
        side f = draw(&random, units, 1 + bipe_random_below(&random, 12));
        side g = bipe_random_below(&random, 8) == 0 ? f : draw(&random, units, 1 + bipe_random_below(&random, 12));
        check_sides(&f, &g, units);
    }
    return test_result();
}
