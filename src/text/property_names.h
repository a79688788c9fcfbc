/* property_names.h - names of character properties in Oniguruma's syntax. */
#ifndef BIPE_TEXT_PROPERTY_NAMES_H
#define BIPE_TEXT_PROPERTY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bipe_property_name {
    const char *name;    /* as unicode_sets.c and PCRE2 have it, or NULL: */
    bool script;
    const char *members; /* the equivalent within a class of PCRE2, */
    const char *others;  /* and that of all other characters */
    bool word;           /* these are those of `word` */
} bipe_property_name;

/* Without regard to case, spaces, hyphens and underscores. false: not known. */
bool bipe_property_find(const char *name, size_t size, bipe_property_name *found);
/* The classes that are written [:alpha:], by members and others. false: not known. */
bool bipe_posix_find(const char *name, size_t size, bipe_property_name *found);

#endif
