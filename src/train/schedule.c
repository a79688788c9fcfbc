/* schedule.c - the learning rate of each step; see schedule.h. */
#include "train/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int bipe_schedule_parse(bipe_schedule *schedule, const char *text, bipe_error *err)
{
    static const char *const kinds[] = {[BIPE_SCHEDULE_CONSTANT] = "constant", [BIPE_SCHEDULE_LINEAR] = "linear",
                                        [BIPE_SCHEDULE_COSINE] = "cosine", [BIPE_SCHEDULE_POLYNOMIAL] = "polynomial"};
    for (int i = 0; i <= BIPE_SCHEDULE_POLYNOMIAL; i++) {
        if (strcmp(text, kinds[i]) == 0) {
            schedule->kind = i;
            schedule->power = i == BIPE_SCHEDULE_POLYNOMIAL ? 2 : 1;
            return BIPE_OK;
        }
    }
    size_t prefix = strlen("polynomial:");
    if (strncmp(text, "polynomial:", prefix) == 0) {
        char *end;
        double power = strtod(text + prefix, &end);
        if (end != text + prefix && *end == '\0' && power > 0 && power <= 100) {
            schedule->kind = BIPE_SCHEDULE_POLYNOMIAL;
            schedule->power = power;
            return BIPE_OK;
        }
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "'%s', expected constant, linear, cosine or polynomial[:P], P above 0",
                     text);
}

double bipe_schedule_rate(const bipe_schedule *s, uint64_t step)
{
    if (step <= s->warmup)
        return s->peak * (double)step / (double)s->warmup;
    if (s->kind == BIPE_SCHEDULE_CONSTANT)
        return s->peak;
    double p = step >= s->steps ? 1 : (double)(step - s->warmup) / (double)(s->steps - s->warmup), left = 0;
    switch (s->kind) {
    case BIPE_SCHEDULE_CONSTANT: break;
    case BIPE_SCHEDULE_LINEAR: left = 1 - p; break;
    case BIPE_SCHEDULE_COSINE: left = (1 + cos(3.14159265358979323846 * p)) / 2; break;
    case BIPE_SCHEDULE_POLYNOMIAL: left = pow(1 - p, s->power); break;
    }
    return s->minimum + (s->peak - s->minimum) * left;
}
