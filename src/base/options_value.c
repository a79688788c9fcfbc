/* options_value.c - values of options: sizes, lists of sizes, lists of texts. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"

/* "a number between 1 and 9", "a number of at least 1" ..., and where the suffixes are of use, that they may follow. */
static int fail_size(const char *text, uint64_t minimum, uint64_t maximum, bipe_error *err)
{
    const char *suffix = maximum == 0 || maximum > 1024 ? ", with k or m behind it if you like" : "";
    if (maximum == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number of at least %" PRIu64 "%s", text, minimum, suffix);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number between %" PRIu64 " and %" PRIu64 "%s", text, minimum, maximum,
                     suffix);
}

int bipe_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value, bipe_error *err)
{
    const char *p = text;
    uint64_t n = 0;
    if (*p < '0' || *p > '9')
        return fail_size(text, minimum, maximum, err);
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return fail_size(text, minimum, maximum, err);
        n = n * 10 + digit;
    }
    unsigned shift = *p == 'k' || *p == 'K' ? 10 : *p == 'm' || *p == 'M' ? 20 : 0;
    p += shift != 0;
    if (*p != '\0' || n > UINT64_MAX >> shift)
        return fail_size(text, minimum, maximum, err);
    n <<= shift;
    if (n < minimum || (maximum != 0 && n > maximum))
        return fail_size(text, minimum, maximum, err);
    *value = n;
    return BIPE_OK;
}

void bipe_texts_free(bipe_texts *texts)
{
    bipe_free(texts->text);
    *texts = (bipe_texts){0};
}

void bipe_sizes_free(bipe_sizes *sizes)
{
    bipe_free(sizes->value);
    *sizes = (bipe_sizes){0};
}
