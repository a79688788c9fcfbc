/* known_keys.c - see known_keys.h. */
#include "model/known_keys.h"

#include <stdlib.h>
#include <string.h>

const bipe_known_key *bipe_known_key_find(const bipe_known_key *table, size_t count, const char *name, unsigned where)
{
    for (size_t i = 0; i < count; i++)
        if ((table[i].where & where) != 0 && strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool bipe_known_key_allows(const bipe_known_key *key, const char *text, double number)
{
    if (key->harmless == NULL || key->harmless[0] == '\0')
        return true;
    for (const char *word = key->harmless; *word != '\0'; word += strspn(word, " ")) {
        size_t size = strcspn(word, " ");
        char *end;
        double value = strtod(word, &end);
        if ((strlen(text) == size && memcmp(word, text, size) == 0) || (end == word + size && value == number))
            return true;
        word += size;
    }
    return false;
}
