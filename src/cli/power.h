/* power.h - --power D[,POWER]: the difference that is to be found, and how surely. */
#ifndef BIPE_CLI_POWER_H
#define BIPE_CLI_POWER_H

#include "measure/resample.h"

#define BIPE_POWER_VALUE "D[,POWER]"
#define BIPE_POWER_HELP(unit, difference) \
    "also print how many " unit " a paired comparison needs to find a difference of D " difference " at the level of " \
    "5 %, from how much they differ here, with this probability; default of POWER: 0.8"

typedef struct bipe_power {
    double difference, power;
} bipe_power;

/* BIPE_ERR_ARGUMENT: it is none. */
int bipe_power_check(const char *text, bipe_error *err);
/* What an estimate needs. text: what passed the check; NULL, or without a number: BIPE_UNITS_UNKNOWN. */
uint64_t bipe_power_needed(const char *text, const bipe_estimate *estimate);
/* "0.02 at 80 % power" */
const char *bipe_power_words(const char *text, char words[64]);

#endif
