/* segmenter_spec.c - parses a SPEC. */
#include "segment/segmenter_spec.h"

#include <string.h>

#include "segment/plugin.h"

int bipe_segmenter_spec_parse(bipe_segmenter_spec *parsed, const char *spec, bipe_error *err)
{
    *parsed = (bipe_segmenter_spec){.name = spec};
    size_t size = strcspn(spec, ":");
    if (bipe_segmenter_name_is_valid(spec, size)) {
        parsed->name_size = size;
        if (spec[size] == ':')
            parsed->argument = spec + size + 1;
        return BIPE_OK;
    }
    for (const char *at = spec; (at = strstr(at, ".so")) != NULL; at++) {
        if (at == spec || at[-1] == '/' || (at[3] != ':' && at[3] != '\0'))
            continue;
        parsed->is_path = true;
        parsed->name_size = (size_t)(at + 3 - spec);
        if (at[3] == ':')
            parsed->argument = at + 4;
        return BIPE_OK;
    }
    if (*spec == '\0')
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "empty, expected NAME[:ARG] or PATH.so[:ARG]");
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "neither a name (letters, digits, '-', '_') nor a path that ends in .so, expected NAME[:ARG] or "
                     "PATH.so[:ARG]");
}

const char *bipe_segmenter_spec_show(const char *spec, char shown[BIPE_SPEC_SHOWN_SIZE])
{
    const size_t most = BIPE_SPEC_SHOWN_SIZE - 4;
    size_t size = strlen(spec), n = size;
    if (n > most) {
        n = most;
        while (n > 0 && ((unsigned char)spec[n] & 0xC0) == 0x80)
            n--;
    }
    for (size_t i = 0; i < n; i++)
        shown[i] = (unsigned char)spec[i] < ' ' || spec[i] == 0x7F ? '?' : spec[i];
    memcpy(shown + n, size > n ? "..." : "", size > n ? 4 : 1);
    return shown;
}
