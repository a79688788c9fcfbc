/* json_scan.c - strings, brackets, names. */
#include "token/json/json_scan.h"

#include <string.h>

#include "base/alloc.h"

static bool skip_string(bipe_json_scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        if (*s->at == '\\' && ++s->at == s->end)
            return false;
    if (s->at == s->end)
        return false;
    s->at++;
    return true;
}

bool bipe_json_skip_value(bipe_json_scan *s)
{
    size_t depth = 0;
    bipe_json_skip_blanks(s);
    while (s->at < s->end) {
        uint8_t c = *s->at;
        if (c == '"') {
            if (!skip_string(s))
                return false;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return true;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        s->at++;
    }
    return false;
}

bool bipe_json_plain_string(bipe_json_scan *s, bipe_json_span *text)
{
    bipe_json_skip_blanks(s);
    *text = (bipe_json_span){s->at + 1, s->at + 1};
    if (s->at == s->end || *s->at != '"' || !skip_string(s))
        return false;
    text->end = s->at - 1;
    return memchr(text->start, '\\', (size_t)(text->end - text->start)) == NULL;
}

bool bipe_json_name(bipe_json_scan *s, bipe_json_span *name)
{
    return bipe_json_plain_string(s, name) && bipe_json_take(s, ':');
}

bool bipe_json_is_name(bipe_json_span name, const char *wanted)
{
    size_t size = (size_t)(name.end - name.start);
    return size == strlen(wanted) && memcmp(name.start, wanted, size) == 0;
}

json_t *bipe_json_load_without(const uint8_t *bytes, size_t size, const bipe_json_span *span, size_t count, bool *no_memory)
{
    char *text = bipe_alloc(size + 5 * count, 1);
    const uint8_t *from = bytes;
    size_t rest = 0;
    *no_memory = text == NULL;
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < count && span[i].start != NULL; from = span[i++].end) {
        size_t n = (size_t)(span[i].start - from);
        memcpy(text + rest, from, n);
        memcpy(text + rest + n, " null", 5);
        rest += n + 5;
    }
    memcpy(text + rest, from, size - (size_t)(from - bytes));
    rest += size - (size_t)(from - bytes);
    json_t *root = json_loadb(text, rest, 0, NULL);
    bipe_free(text);
    return root;
}
