/* pickle.c - a stack machine for pickles of state dicts, protocols 2 to 5. It builds no Python objects: a dict is a run
 * of (dict, key, value) triples, a list forgets its items, and a tensor is the six numbers that describe it.
 *
 * Sources: Python's Lib/pickletools.py (what each instruction does); torch/_utils.py and torch/serialization.py (the
 * arguments of _rebuild_tensor_v2 and of persistent ids). Memory is bounded by the limits below, time by the size
 * of the pickle; nothing recurses. */
#include "format/pickle.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "format/little.h"
#include "format/names.h"

enum {
    SIZE_LIMIT = 128 << 20,
    STACK_LIMIT = 1 << 20,
    MEMO_LIMIT = 4 << 20,
    OBJECT_LIMIT = 4 << 20,
    TENSOR_LIMIT = 1 << 20
};

typedef enum kind {
    NONE, BOOL, INT, FLOAT, TEXT, TUPLE, LIST, DICT, GLOBAL, STORAGE, TENSOR
} kind;

static const char *const kind_names[] = { "None",  "a bool", "an integer", "a float",   "a string", "a tuple",
                                          "a list", "a dict", "a global",   "a storage", "a tensor" };

typedef struct value {
    uint32_t kind;
    uint32_t size;        /* TEXT: bytes; TUPLE: items */
    union {
        const char *text; /* TEXT */
        int64_t number;   /* INT */
        size_t index;     /* TUPLE: its first item; DICT, STORAGE, TENSOR: which; GLOBAL: see global_role */
    } u;
} value;

typedef struct pair {
    size_t dict;
    value key, item;
} pair;

typedef struct storage {
    bipe_dtype dtype;
    value key;
    uint64_t items;
} storage;

typedef struct tensor {
    size_t storage;
    uint64_t offset;
    int dims;
    uint64_t shape[BIPE_TENSOR_DIMS], stride[BIPE_TENSOR_DIMS];
} tensor;

typedef struct machine {
    const uint8_t *bytes;
    size_t size, at;
    value *stack, *memo, *item; /* item: those of tuples */
    size_t *mark;               /* heights of the stack */
    pair *pair;
    storage *storage;
    tensor *tensor;
    size_t stack_count, stack_capacity, memo_count, memo_capacity, item_count, item_capacity;
    size_t mark_count, mark_capacity, pair_count, pair_capacity, storage_count, storage_capacity;
    size_t tensor_count, tensor_capacity, dict_count;
    bipe_error *err;
} machine;

/* STORAGE_TYPE and larger: the class of a type's storage, of STORAGE_TYPE + its bipe_dtype. */
typedef enum global_role { MAKE_DICT, MAKE_TENSOR, MAKE_PARAMETER, STORAGE_TYPE } global_role;

static const struct {
    const char *module, *name;
} globals[] = {
    [MAKE_DICT] = { "collections", "OrderedDict" },
    [MAKE_TENSOR] = { "torch._utils", "_rebuild_tensor_v2" },
    [MAKE_PARAMETER] = { "torch._utils", "_rebuild_parameter" },
};

/* ---- failures; each starts with the byte of the instruction or argument ---- */

static int fail_format(const machine *m, const char *text)
{
    return bipe_fail(m->err, BIPE_ERR_FORMAT, "pickle, byte %zu: %s", m->at, text);
}

static int fail_unsupported(const machine *m, const char *text)
{
    return bipe_fail(m->err, BIPE_ERR_UNSUPPORTED, "pickle, byte %zu: %s", m->at, text);
}

static int too_large(const machine *m)
{
    return bipe_fail(m->err, BIPE_ERR_LIMIT, "pickle, byte %zu: more objects than any state dict has", m->at);
}

static int grow_array(const machine *m, void *array, size_t *capacity, size_t want, size_t size, size_t limit)
{
    if (want > limit)
        return too_large(m);
    return bipe_grow(array, capacity, want, size) == 0 ? BIPE_OK : bipe_fail_memory(m->err);
}

/* ---- the stack ---- */

static int push_value(machine *m, value v)
{
    int status = grow_array(m, &m->stack, &m->stack_capacity, m->stack_count + 1, sizeof v, STACK_LIMIT);
    if (status == BIPE_OK)
        m->stack[m->stack_count++] = v;
    return status;
}

static int push_kind(machine *m, kind k)
{
    return push_value(m, (value){ .kind = k });
}

static int push_number(machine *m, int64_t number)
{
    return push_value(m, (value){ .kind = INT, .u.number = number });
}

/* The values above the last mark, or all. */
static size_t stack_height(const machine *m)
{
    return m->stack_count - (m->mark_count != 0 ? m->mark[m->mark_count - 1] : 0);
}

/* The topmost `count` values, which leave the stack and stay readable until the next push; NULL when there are not as
 * many. */
static const value *pop_values(machine *m, size_t count)
{
    if (stack_height(m) < count) {
        fail_format(m, "an instruction finds too few values on the stack");
        return NULL;
    }
    m->stack_count -= count;
    return m->stack + m->stack_count;
}

/* The values above the last mark, likewise. */
static const value *pop_mark(machine *m, size_t *count)
{
    if (m->mark_count == 0) {
        fail_format(m, "an instruction finds no mark on the stack");
        return NULL;
    }
    *count = stack_height(m);
    m->stack_count -= *count;
    m->mark_count--;
    return m->stack + m->stack_count;
}

static value *top_value(machine *m)
{
    if (stack_height(m) == 0) {
        fail_format(m, "an instruction finds too few values on the stack");
        return NULL;
    }
    return &m->stack[m->stack_count - 1];
}

static int push_tuple(machine *m, const value *values, size_t count)
{
    if (values == NULL)
        return BIPE_ERR_FORMAT;
    int status = grow_array(m, &m->item, &m->item_capacity, m->item_count + count, sizeof *m->item, OBJECT_LIMIT);
    if (status != BIPE_OK)
        return status;
    value tuple = { .kind = TUPLE, .size = (uint32_t)count, .u.index = m->item_count };
    if (count != 0)
        memcpy(m->item + m->item_count, values, count * sizeof *values);
    m->item_count += count;
    return push_value(m, tuple);
}

static int push_dict(machine *m)
{
    return push_value(m, (value){ .kind = DICT, .u.index = m->dict_count++ });
}

/* ---- arguments of instructions ---- */

static const uint8_t *read_argument(machine *m, uint64_t size)
{
    if (size > m->size - m->at) {
        fail_format(m, "it ends within an instruction");
        return NULL;
    }
    const uint8_t *bytes = m->bytes + m->at;
    m->at += (size_t)size;
    return bytes;
}

/* A little-endian number of `width` bytes. */
static bool read_little(machine *m, uint64_t width, uint64_t *result)
{
    const uint8_t *bytes = read_argument(m, width);
    if (bytes == NULL)
        return false;
    *result = 0;
    for (unsigned i = 0; i < width; i++)
        *result |= (uint64_t)bytes[i] << 8 * i;
    return true;
}

static int push_text(machine *m, uint64_t size)
{
    const uint8_t *text = read_argument(m, size);
    if (text == NULL)
        return BIPE_ERR_FORMAT;
    return push_value(m, (value){ .kind = TEXT, .size = (uint32_t)size, .u.text = (const char *)text });
}

/* LONG1: two's complement of any length. */
static int push_long(machine *m, uint64_t width)
{
    uint64_t bits = 0;
    if (width > 8)
        return fail_unsupported(m, "an integer of more than 64 bits");
    if (!read_little(m, width, &bits))
        return BIPE_ERR_FORMAT;
    if (width > 0 && width < 8 && (bits >> (8 * width - 1) & 1) != 0)
        bits |= UINT64_MAX << 8 * width;
    return push_number(m, (int64_t)bits);
}

/* A line of text, without its newline. */
static bool read_text_line(machine *m, value *text)
{
    const uint8_t *begin = m->bytes + m->at, *end = memchr(begin, '\n', m->size - m->at);
    if (end == NULL) {
        fail_format(m, "it ends within an instruction");
        return false;
    }
    *text = (value){ .kind = TEXT, .size = (uint32_t)(end - begin), .u.text = (const char *)begin };
    m->at += (size_t)(end - begin) + 1;
    return true;
}

static bool equals_text(const value *text, const char *want)
{
    return text->kind == TEXT && text->size == strlen(want) && memcmp(text->u.text, want, text->size) == 0;
}

/* ---- instructions ---- */

static int push_global(machine *m, const value *module, const value *name)
{
    if (module->kind != TEXT || name->kind != TEXT)
        return fail_format(m, "a global whose name is not two strings");
    for (size_t i = 0; i < sizeof globals / sizeof globals[0]; i++)
        if (equals_text(module, globals[i].module) && equals_text(name, globals[i].name))
            return push_value(m, (value){ .kind = GLOBAL, .u.index = i });
    const bipe_dtype_row *row;
    for (size_t i = 0; equals_text(module, "torch") && (row = bipe_dtype_of(i)) != NULL; i++)
        if (row->storage != NULL && equals_text(name, row->storage))
            return push_value(m, (value){ .kind = GLOBAL, .u.index = STORAGE_TYPE + i });
    char one[BIPE_QUOTED_SIZE], two[BIPE_QUOTED_SIZE];
    return bipe_fail(m->err, BIPE_ERR_UNSUPPORTED,
                     "pickle, byte %zu: the global '%s.%s' is not one that a state dict of tensors needs "
                     "(nothing was run)", m->at, bipe_quoted(one, module->u.text, module->size),
                     bipe_quoted(two, name->u.text, name->size));
}

static int get_memo(machine *m, uint64_t index)
{
    if (index >= m->memo_count)
        return fail_format(m, "a memo that was never written is read");
    return push_value(m, m->memo[index]);
}

static int put_memo(machine *m, uint64_t index)
{
    const value *v = top_value(m);
    if (v == NULL)
        return BIPE_ERR_FORMAT;
    if (index >= MEMO_LIMIT)
        return too_large(m);
    size_t want = (size_t)index + 1;
    int status = grow_array(m, &m->memo, &m->memo_capacity, want, sizeof *v, MEMO_LIMIT);
    if (status != BIPE_OK)
        return status;
    while (m->memo_count < want)
        m->memo[m->memo_count++] = (value){ .kind = NONE };
    m->memo[index] = *v;
    return BIPE_OK;
}

static int set_items(machine *m, const value *values, size_t count)
{
    if (values == NULL)
        return BIPE_ERR_FORMAT;
    const value *dict = top_value(m);
    if (dict == NULL)
        return BIPE_ERR_FORMAT;
    if (dict->kind != DICT || count % 2 != 0)
        return fail_format(m, "items are set in what is not a dict, or a key has no value");
    int status = grow_array(m, &m->pair, &m->pair_capacity, m->pair_count + count / 2, sizeof *m->pair, OBJECT_LIMIT);
    for (size_t i = 0; status == BIPE_OK && i < count; i += 2)
        m->pair[m->pair_count++] = (pair){ dict->u.index, values[i], values[i + 1] };
    return status;
}

static int append_items(machine *m, const value *values)
{
    if (values == NULL)
        return BIPE_ERR_FORMAT;
    const value *list = top_value(m);
    if (list == NULL)
        return BIPE_ERR_FORMAT;
    return list->kind == LIST ? BIPE_OK : fail_format(m, "items are appended to what is not a list");
}

/* ('storage', TYPE, KEY, DEVICE, COUNT) */
static int push_persistent(machine *m)
{
    const value *id = pop_values(m, 1);
    if (id == NULL)
        return BIPE_ERR_FORMAT;
    if (id->kind != TUPLE || id->size != 5)
        return fail_unsupported(m, "a persistent id that is not a storage of five parts");
    const value *part = m->item + id->u.index;
    if (!equals_text(&part[0], "storage") || part[1].kind != GLOBAL || part[1].u.index < STORAGE_TYPE ||
        part[2].kind != TEXT || part[3].kind != TEXT || part[4].kind != INT || part[4].u.number < 0)
        return fail_unsupported(m, "a persistent id that is not ('storage', type, key, device, count)");
    int status =
        grow_array(m, &m->storage, &m->storage_capacity, m->storage_count + 1, sizeof *m->storage, TENSOR_LIMIT);
    if (status != BIPE_OK)
        return status;
    m->storage[m->storage_count] = (storage){ (bipe_dtype)(part[1].u.index - STORAGE_TYPE), part[2],
                                              (uint64_t)part[4].u.number };
    return push_value(m, (value){ .kind = STORAGE, .u.index = m->storage_count++ });
}

static bool read_numbers(const machine *m, const value *tuple, uint64_t numbers[BIPE_TENSOR_DIMS])
{
    const value *item = m->item + tuple->u.index;
    for (size_t i = 0; i < tuple->size; i++) {
        if (item[i].kind != INT || item[i].u.number < 0)
            return false;
        numbers[i] = (uint64_t)item[i].u.number;
    }
    return true;
}

/* _rebuild_tensor_v2(storage, offset, shape, stride, requires_grad, hooks[, metadata]) */
static int make_tensor(machine *m, const value *arguments)
{
    const value *part = m->item + arguments->u.index;
    if (arguments->size < 6 || arguments->size > 7 || part[0].kind != STORAGE || part[1].kind != INT ||
        part[1].u.number < 0 || part[2].kind != TUPLE || part[3].kind != TUPLE || part[2].size != part[3].size)
        return fail_format(
            m, "_rebuild_tensor_v2 with arguments that are not (storage, offset, shape, stride, bool, hooks)");
    if (part[2].size > BIPE_TENSOR_DIMS)
        return fail_unsupported(m, "a tensor of more than 4 dimensions");
    tensor t = { .storage = part[0].u.index, .offset = (uint64_t)part[1].u.number, .dims = (int)part[2].size };
    if (!read_numbers(m, &part[2], t.shape) || !read_numbers(m, &part[3], t.stride))
        return fail_format(m, "a tensor whose shape or strides are not whole numbers from 0");
    int status = grow_array(m, &m->tensor, &m->tensor_capacity, m->tensor_count + 1, sizeof t, TENSOR_LIMIT);
    if (status != BIPE_OK)
        return status;
    m->tensor[m->tensor_count] = t;
    return push_value(m, (value){ .kind = TENSOR, .u.index = m->tensor_count++ });
}

static int reduce_call(machine *m)
{
    const value *call = pop_values(m, 2);
    if (call == NULL)
        return BIPE_ERR_FORMAT;
    if (call[0].kind != GLOBAL || call[1].kind != TUPLE)
        return fail_unsupported(m, "something else than a known global is called");
    value arguments = call[1];
    const value *first = m->item + arguments.u.index;
    switch (call[0].u.index) {
    case MAKE_DICT:
        return arguments.size == 0 ? push_dict(m) : fail_unsupported(m, "an OrderedDict made with arguments");
    case MAKE_TENSOR:
        return make_tensor(m, &arguments);
    case MAKE_PARAMETER:
        if (arguments.size != 3 || first->kind != TENSOR)
            return fail_format(m, "_rebuild_parameter with arguments that are not (tensor, bool, hooks)");
        return push_value(m, *first);
    default:
        return fail_unsupported(m, "a storage type is called");
    }
}

/* Attributes: of a dict (PyTorch's _metadata), and of no interest. */
static int build_object(machine *m)
{
    if (pop_values(m, 1) == NULL)
        return BIPE_ERR_FORMAT;
    const value *object = top_value(m);
    if (object == NULL)
        return BIPE_ERR_FORMAT;
    return object->kind == DICT ? BIPE_OK : fail_unsupported(m, "attributes are set on what is not a dict");
}

static int pop_any(machine *m)
{
    if (m->mark_count != 0 && stack_height(m) == 0) {
        m->mark_count--;
        return BIPE_OK;
    }
    return pop_values(m, 1) != NULL ? BIPE_OK : BIPE_ERR_FORMAT;
}

static int push_mark(machine *m)
{
    int status = grow_array(m, &m->mark, &m->mark_capacity, m->mark_count + 1, sizeof *m->mark, STACK_LIMIT);
    if (status == BIPE_OK)
        m->mark[m->mark_count++] = m->stack_count;
    return status;
}

static int refuse_code(const machine *m, uint8_t code)
{
    static const char *const known[256] = {
        ['2'] = " (DUP)",
        ['F'] = " (FLOAT)",
        ['I'] = " (INT)",
        ['L'] = " (LONG)",
        ['P'] = " (PERSID)",
        ['S'] = " (STRING)",
        ['T'] = " (BINSTRING)",
        ['U'] = " (SHORT_BINSTRING)",
        ['V'] = " (UNICODE)",
        ['d'] = " (DICT)",
        ['l'] = " (LIST)",
        ['i'] = " (INST)",
        ['o'] = " (OBJ)",
        ['g'] = " (GET)",
        ['p'] = " (PUT)",
        ['1'] = " (POP_MARK)",
        [0x81] = " (NEWOBJ)",
        [0x82] = " (EXT1)",
        [0x83] = " (EXT2)",
        [0x84] = " (EXT4)",
        [0x8B] = " (LONG4)",
        ['B'] = " (BINBYTES)",
        ['C'] = " (SHORT_BINBYTES)",
        [0x8E] = " (BINBYTES8)",
        [0x8F] = " (EMPTY_SET)",
        [0x90] = " (ADDITEMS)",
        [0x91] = " (FROZENSET)",
        [0x92] = " (NEWOBJ_EX)",
        [0x96] = " (BYTEARRAY8)",
        [0x97] = " (NEXT_BUFFER)",
        [0x98] = " (READONLY_BUFFER)",
    };
    return bipe_fail(m->err, BIPE_ERR_UNSUPPORTED,
                     "pickle, byte %zu: the instruction 0x%02X%s is not one that a state dict of tensors needs "
                     "(nothing was run)", m->at - 1, code, known[code] != NULL ? known[code] : "");
}

/* Everything but STOP. */
static int run_instruction(machine *m, uint8_t code)
{
    static const uint8_t widths[256] = { /* of the number that follows an instruction */
        [0x80] = 1, ['J'] = 4, ['K'] = 1, ['M'] = 2, ['G'] = 8, [0x8A] = 1, ['X'] = 4, [0x8C] = 1, [0x8D] = 8,
        ['h'] = 1,  ['j'] = 4, ['q'] = 1, ['r'] = 4, [0x95] = 8,
    };
    uint64_t n;
    size_t count = 0;
    const value *values;
    value module, name;
    if (!read_little(m, widths[code], &n))
        return BIPE_ERR_FORMAT;
    switch (code) {
    case 0x80:                                            /* PROTO */
        return n >= 2 && n <= 5 ? BIPE_OK : fail_unsupported(m, "a protocol other than 2 to 5");
    case 0x95: return BIPE_OK;                            /* FRAME */
    case '}': return push_dict(m);                        /* EMPTY_DICT */
    case ']': return push_kind(m, LIST);                  /* EMPTY_LIST */
    case ')': return push_value(m, (value){ .kind = TUPLE }); /* EMPTY_TUPLE */
    case '(': return push_mark(m);                        /* MARK */
    case 't':                                             /* TUPLE */
        values = pop_mark(m, &count);
        return push_tuple(m, values, count);
    case 0x85: return push_tuple(m, pop_values(m, 1), 1); /* TUPLE1 */
    case 0x86: return push_tuple(m, pop_values(m, 2), 2); /* TUPLE2 */
    case 0x87: return push_tuple(m, pop_values(m, 3), 3); /* TUPLE3 */
    case 'X':                                             /* BINUNICODE */
    case 0x8C:                                            /* SHORT_BINUNICODE */
    case 0x8D: return push_text(m, n);                    /* BINUNICODE8 */
    case 'J': return push_number(m, (int32_t)(uint32_t)n); /* BININT */
    case 'K':                                             /* BININT1 */
    case 'M': return push_number(m, (int64_t)n);          /* BININT2 */
    case 0x8A: return push_long(m, n);                    /* LONG1 */
    case 'G': return push_kind(m, FLOAT);                 /* BINFLOAT */
    case 0x88:                                            /* NEWTRUE */
    case 0x89: return push_kind(m, BOOL);                 /* NEWFALSE */
    case 'N': return push_kind(m, NONE);                  /* NONE */
    case 'c':                                             /* GLOBAL */
        return read_text_line(m, &module) && read_text_line(m, &name) ? push_global(m, &module, &name)
                                                                      : BIPE_ERR_FORMAT;
    case 0x93:                                            /* STACK_GLOBAL */
        values = pop_values(m, 2);
        if (values == NULL)
            return BIPE_ERR_FORMAT;
        module = values[0], name = values[1];
        return push_global(m, &module, &name);
    case 'R': return reduce_call(m);                      /* REDUCE */
    case 'b': return build_object(m);                     /* BUILD */
    case 'h':                                             /* BINGET */
    case 'j': return get_memo(m, n);                      /* LONG_BINGET */
    case 'q':                                             /* BINPUT */
    case 'r': return put_memo(m, n);                      /* LONG_BINPUT */
    case 0x94: return put_memo(m, m->memo_count);         /* MEMOIZE */
    case 'Q': return push_persistent(m);                  /* BINPERSID */
    case 's': return set_items(m, pop_values(m, 2), 2);   /* SETITEM */
    case 'u':                                             /* SETITEMS */
        values = pop_mark(m, &count);
        return set_items(m, values, count);
    case 'a': return append_items(m, pop_values(m, 1));   /* APPEND */
    case 'e': return append_items(m, pop_mark(m, &count)); /* APPENDS */
    case '0': return pop_any(m);                          /* POP */
    default: return refuse_code(m, code);
    }
}

/* ---- the whole ---- */

/* The dict of tensors: the one that was pickled or, where there is none in it, the one that it has for the model as
 * programs for training name it. */
static size_t find_state_dict(const machine *m, size_t whole)
{
    static const char *const names[] = {"state_dict", "model_state_dict", "model", "module"};
    size_t best = sizeof names / sizeof names[0], found = whole;
    for (size_t i = 0; i < m->pair_count; i++) {
        const pair *p = &m->pair[i];
        if (p->dict != whole || p->key.kind != TEXT)
            continue;
        if (p->item.kind == TENSOR)
            return whole;
        for (size_t name = 0; name < best && p->item.kind == DICT; name++)
            if (p->key.size == strlen(names[name]) && memcmp(p->key.u.text, names[name], p->key.size) == 0) {
                best = name;
                found = p->item.u.index;
            }
    }
    return found;
}

static int emit_tensors(const machine *m, int (*each)(void *, const bipe_pickle_tensor *, bipe_error *), void *context)
{
    const value *result = &m->stack[0];
    if (result->kind != DICT)
        return bipe_fail(m->err, BIPE_ERR_UNSUPPORTED, "pickle: holds %s, expected a dict of tensors",
                         kind_names[result->kind]);
    size_t dict = find_state_dict(m, result->u.index);
    for (size_t i = 0; i < m->pair_count; i++) {
        const pair *p = &m->pair[i];
        if (p->dict != dict || p->key.kind != TEXT || p->item.kind != TENSOR)
            continue;
        const tensor *t = &m->tensor[p->item.u.index];
        const storage *s = &m->storage[t->storage];
        bipe_pickle_tensor out = {
            .name = p->key.u.text, .name_size = p->key.size, .storage = s->key.u.text, .storage_size = s->key.size,
            .dtype = s->dtype, .storage_items = s->items, .offset = t->offset, .dims = t->dims,
        };
        memcpy(out.shape, t->shape, sizeof out.shape);
        memcpy(out.stride, t->stride, sizeof out.stride);
        int status = each(context, &out, m->err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int run_instructions(machine *m)
{
    for (;;) {
        const uint8_t *code = read_argument(m, 1);
        if (code == NULL)
            return BIPE_ERR_FORMAT;
        if (*code == '.') /* STOP */
            return m->stack_count == 1 && m->mark_count == 0
                       ? BIPE_OK
                       : fail_format(m, "it stops with other than one value on the stack");
        int status = run_instruction(m, *code);
        if (status != BIPE_OK)
            return status;
    }
}

int bipe_pickle_read(const uint8_t *bytes, size_t size,
                     int (*each)(void *context, const bipe_pickle_tensor *tensor, bipe_error *err), void *context,
                     bipe_error *err)
{
    if (size > SIZE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "pickle: %zu bytes, expected at most %d", size, SIZE_LIMIT);
    machine m = { .bytes = bytes, .size = size, .err = err };
    /* There are always a stack and room for items, so that NULL means a failure to pop. */
    int status = grow_array(&m, &m.stack, &m.stack_capacity, 64, sizeof *m.stack, STACK_LIMIT);
    if (status == BIPE_OK)
        status = grow_array(&m, &m.item, &m.item_capacity, 64, sizeof *m.item, OBJECT_LIMIT);
    if (status == BIPE_OK)
        status = run_instructions(&m);
    if (status == BIPE_OK)
        status = emit_tensors(&m, each, context);
    bipe_free(m.stack);
    bipe_free(m.memo);
    bipe_free(m.item);
    bipe_free(m.mark);
    bipe_free(m.pair);
    bipe_free(m.storage);
    bipe_free(m.tensor);
    return status;
}
