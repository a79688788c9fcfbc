/* gguf_values.c - the values of an opened GGUF file by key, converted where they fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/gguf_file.h"
#include "format/little.h"

const char *bipe_gguf_path(const bipe_gguf *gguf)
{
    return gguf->path;
}

const bipe_tensor_table *bipe_gguf_tensors(const bipe_gguf *gguf)
{
    return &gguf->tensors;
}

size_t bipe_gguf_key_count(const bipe_gguf *gguf)
{
    return gguf->count;
}

bipe_gguf_string bipe_gguf_key(const bipe_gguf *gguf, size_t i, bipe_gguf_type *type)
{
    if (type != NULL)
        *type = gguf->entry[i].type;
    return gguf->entry[i].key;
}

static const gguf_entry *find_key(const bipe_gguf *gguf, const char *key)
{
    const gguf_entry wanted = {.key = {key, strlen(key)}}, *pointer = &wanted;
    gguf_entry *const *found = bsearch(&pointer, gguf->by_key, gguf->count, sizeof *gguf->by_key, gguf_compare_entries);
    return found != NULL ? *found : NULL;
}

static int fail_type(const bipe_gguf *gguf, const char *key, const gguf_entry *entry, const char *expected,
                     bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: key %s is of type %s, expected %s", gguf->path, key,
                     bipe_gguf_type_name(entry->type), expected);
}

/* Integers as a sign and a size, so that every type fits. */
static bool load_integer(bipe_gguf_type type, const uint8_t *value, bool *negative, uint64_t *size)
{
    int64_t number;
    switch (type) {
    case BIPE_GGUF_U8: *negative = false, *size = value[0]; return true;
    case BIPE_GGUF_U16: *negative = false, *size = bipe_load16(value); return true;
    case BIPE_GGUF_U32: *negative = false, *size = bipe_load32(value); return true;
    case BIPE_GGUF_U64: *negative = false, *size = bipe_load64(value); return true;
    case BIPE_GGUF_I8: number = (int8_t)value[0]; break;
    case BIPE_GGUF_I16: number = (int16_t)bipe_load16(value); break;
    case BIPE_GGUF_I32: number = (int32_t)bipe_load32(value); break;
    case BIPE_GGUF_I64: number = (int64_t)bipe_load64(value); break;
    default: return false;
    }
    *negative = number < 0;
    *size = number < 0 ? -(uint64_t)number : (uint64_t)number;
    return true;
}

static bool load_number(bipe_gguf_type type, const uint8_t *value, double *number)
{
    bool negative;
    uint64_t size;
    if (type == BIPE_GGUF_F32)
        *number = bipe_load_float(value);
    else if (type == BIPE_GGUF_F64)
        *number = bipe_load_double(value);
    else if (load_integer(type, value, &negative, &size))
        *number = negative ? -(double)size : (double)size;
    else
        return false;
    return true;
}

int bipe_gguf_get_uint(const bipe_gguf *gguf, const char *key, uint64_t *value, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    bool negative;
    uint64_t size;
    if (entry == NULL)
        return BIPE_END;
    if (!load_integer(entry->type, entry->value, &negative, &size))
        return fail_type(gguf, key, entry, "an integer", err);
    if (negative)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: key %s is negative, expected at least 0", gguf->path, key);
    *value = size;
    return BIPE_OK;
}

int bipe_gguf_get_number(const bipe_gguf *gguf, const char *key, double *value, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL)
        return BIPE_END;
    if (!load_number(entry->type, entry->value, value))
        return fail_type(gguf, key, entry, "a number", err);
    return BIPE_OK;
}

int bipe_gguf_get_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL)
        return BIPE_END;
    if (entry->type != BIPE_GGUF_BOOL)
        return fail_type(gguf, key, entry, "a bool", err);
    *value = entry->value[0] != 0;
    return BIPE_OK;
}

int bipe_gguf_get_string(const bipe_gguf *gguf, const char *key, bipe_gguf_string *value, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL)
        return BIPE_END;
    if (entry->type != BIPE_GGUF_STRING)
        return fail_type(gguf, key, entry, "a string", err);
    *value = (bipe_gguf_string){ (const char *)entry->value, entry->count };
    return BIPE_OK;
}

/* What counts as the same when an array is asked for: integers of any width, floats of any width. */
static int type_family(bipe_gguf_type type)
{
    switch (type) {
    case BIPE_GGUF_STRING: return 1;
    case BIPE_GGUF_BOOL: return 2;
    case BIPE_GGUF_F32:
    case BIPE_GGUF_F64: return 3;
    case BIPE_GGUF_ARRAY: return 4;
    default: return 0;
    }
}

int bipe_gguf_get_array(const bipe_gguf *gguf, const char *key, bipe_gguf_type type, size_t *count, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL)
        return BIPE_END;
    if (entry->type != BIPE_GGUF_ARRAY)
        return fail_type(gguf, key, entry, "an array", err);
    if (type_family(entry->element) != type_family(type))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: key %s is an array of %s, expected one of %s", gguf->path, key,
                         bipe_gguf_type_name(entry->element), bipe_gguf_type_name(type));
    *count = entry->count;
    return BIPE_OK;
}

bipe_gguf_string bipe_gguf_array_string(const bipe_gguf *gguf, const char *key, size_t i)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL || entry->strings == NULL || i >= entry->count)
        return (bipe_gguf_string){ "", 0 };
    return entry->strings[i];
}

double bipe_gguf_array_number(const bipe_gguf *gguf, const char *key, size_t i)
{
    const gguf_entry *entry = find_key(gguf, key);
    double number;
    if (entry != NULL && entry->type == BIPE_GGUF_ARRAY && entry->element == BIPE_GGUF_BOOL && i < entry->count)
        return entry->value[i] != 0;
    if (entry == NULL || entry->type != BIPE_GGUF_ARRAY || entry->strings != NULL || i >= entry->count ||
        !load_number(entry->element, entry->value + i * bipe_gguf_type_size(entry->element), &number))
        return NAN;
    return number;
}

int bipe_gguf_get_bytes(const bipe_gguf *gguf, const char *key, const uint8_t **bytes, size_t *count, bipe_error *err)
{
    const gguf_entry *entry = find_key(gguf, key);
    if (entry == NULL)
        return BIPE_END;
    if (entry->type != BIPE_GGUF_ARRAY)
        return fail_type(gguf, key, entry, "an array", err);
    if (entry->element != BIPE_GGUF_U8 && entry->element != BIPE_GGUF_I8)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: key %s is an array of %s, expected one of %s", gguf->path, key,
                         bipe_gguf_type_name(entry->element), bipe_gguf_type_name(BIPE_GGUF_U8));
    *bytes = entry->value;
    *count = entry->count;
    return BIPE_OK;
}
