/* convert_automaton.c - reads the description of an automaton, and makes the model and the tokenizer of it. */
#include "tools/convert/convert_automaton.h"

#include <string.h>

#include "base/alloc.h"
#include "cli/write_model.h"
#include "format/readers.h"
#include "model/automaton.h"
#include "token/vocabulary.h"
#include "token/word_list.h"

enum { DESCRIPTION_MOST = 64 << 20 /* bytes */, ANSWERS = 2 };

/* A description being read. */
typedef struct reader {
    json_t *root;
    bipe_vocabulary names; /* accept, reject, the separator, symbols, states: the tokens after the first three */
    bipe_word_list words;
    bipe_automaton automaton;
    size_t *size;
    uint8_t *step, *leave, *accepts;
    bipe_error *err;
} reader;

/* A list of the root, or NULL after an error. */
static const json_t *list_of(reader *r, const char *member)
{
    const json_t *list = json_object_get(r->root, member);
    if (json_array_size(list) != 0)
        return list;
    bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: expected a list that is not empty", member);
    return NULL;
}

/* A name that is a word by itself, and no other's. */
static int add_name(reader *r, const json_t *name, const char *member)
{
    const char *text = json_string_value(name);
    const size_t size = json_string_length(name), words = r->words.words.count;
    if (text == NULL || size == 0)
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: expected names, which are strings", member);
    int status = bipe_word_list_feed(&r->words, (const uint8_t *)text, size, r->err);
    if (status == BIPE_OK)
        status = bipe_word_list_end(&r->words, r->err);
    if (status == BIPE_OK)
        status = bipe_vocabulary_append(&r->names, text, size, r->err);
    if (status != BIPE_OK)
        return status;
    const int64_t id = (int64_t)r->names.count - 1;
    char quoted[BIPE_QUOTED_SIZE];
    if (bipe_vocabulary_index(&r->names, (uint32_t)id) != id)
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: a second '%s', expected names that differ", member,
                         bipe_quoted(quoted, text, size));
    return r->words.words.count == words + 1 &&
                   bipe_vocabulary_find(&r->words.words, text, size) == (int64_t)words
               ? BIPE_OK
               : bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: '%s', expected a word without white space, not <unk> or <s>",
                           member, bipe_quoted(quoted, text, size));
}

static int add_names(reader *r, const json_t *list, const char *member)
{
    int status = list != NULL ? BIPE_OK : (int)r->err->status;
    for (size_t i = 0; i < json_array_size(list) && status == BIPE_OK; i++)
        status = add_name(r, json_array_get(list, i), member);
    return status;
}

/* The alphabet, then the sets of states. */
static int read_names(reader *r)
{
    bipe_automaton *a = &r->automaton;
    json_t *answers = json_pack("[ss]", "accept", "reject");
    int status = answers != NULL ? add_names(r, answers, "answers") : bipe_fail_memory(r->err);
    json_decref(answers);
    if (status == BIPE_OK)
        status = add_name(r, json_object_get(r->root, "separator"), "separator");
    const json_t *symbols = status == BIPE_OK ? list_of(r, "alphabet") : NULL;
    if (status == BIPE_OK)
        status = add_names(r, symbols, "alphabet");
    const json_t *sets = status == BIPE_OK ? list_of(r, "sets") : NULL;
    if (sets == NULL)
        return r->err->status;
    a->symbols = json_array_size(symbols);
    a->sets = json_array_size(sets);
    r->size = bipe_alloc(a->sets, sizeof *r->size);
    if (r->size == NULL)
        return bipe_fail_memory(r->err);
    for (size_t i = 0; i < a->sets && status == BIPE_OK; i++) {
        const json_t *set = json_array_get(sets, i);
        a->states += r->size[i] = json_array_size(set);
        if (r->size[i] == 0 || a->states > BIPE_AUTOMATON_STATES)
            return bipe_fail(r->err, BIPE_ERR_FORMAT, "sets[%zu]: expected a list of states, up to %d in all sets", i,
                             (int)BIPE_AUTOMATON_STATES);
        status = add_names(r, set, "sets");
    }
    return status;
}

/* The number of a state, or SIZE_MAX after an error. */
static size_t state_of(reader *r, const char *name, const char *member)
{
    const int64_t id = name != NULL ? bipe_vocabulary_find(&r->names, name, strlen(name)) : BIPE_NO_PIECE;
    const size_t first = ANSWERS + 1 + r->automaton.symbols;
    if (id >= (int64_t)first)
        return (size_t)id - first;
    char quoted[BIPE_QUOTED_SIZE];
    if (name == NULL)
        bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: expected the name of a state", member);
    else
        bipe_fail(r->err, BIPE_ERR_FORMAT, "%s: '%s' is no state", member, bipe_quoted(quoted, name, strlen(name)));
    return SIZE_MAX;
}

/* The set of a state; *start: whether it is the first of it. */
static size_t set_of(const reader *r, size_t state, bool *start)
{
    size_t set = 0;
    while (state >= r->size[set])
        state -= r->size[set++];
    *start = state == 0;
    return set;
}

/* Where one symbol leads from a state. */
static int read_step(reader *r, size_t from, const char *symbol, const json_t *to)
{
    const bipe_automaton *a = &r->automaton;
    const int64_t id = bipe_vocabulary_find(&r->names, symbol, strlen(symbol)) - ANSWERS; /* 0: the separator */
    char quoted[BIPE_QUOTED_SIZE];
    bool start;
    if (id < 0 || (size_t)id > a->symbols)
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "transitions: '%s' is no symbol",
                         bipe_quoted(quoted, symbol, strlen(symbol)));
    if (!json_is_array(to))
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "transitions: by '%s': expected a list of states",
                         bipe_quoted(quoted, symbol, strlen(symbol)));
    for (size_t i = 0; i < json_array_size(to); i++) {
        const char *name = json_string_value(json_array_get(to, i));
        const size_t state = state_of(r, name, "transitions");
        if (state == SIZE_MAX)
            return r->err->status;
        const size_t own = set_of(r, from, &start), set = set_of(r, state, &start);
        if (id == 0 ? !start : set != own)
            return bipe_fail(r->err, BIPE_ERR_FORMAT, "transitions: to '%s': expected a %s",
                             bipe_quoted(quoted, name, strlen(name)),
                             id == 0 ? "start state, the first of its set, after the separator"
                                     : "state of the same set");
        if (id == 0)
            r->leave[from * a->sets + set] = 1;
        else
            r->step[((size_t)(id - 1) * a->states + from) * a->states + state] = 1;
    }
    return BIPE_OK;
}

static int read_transitions(reader *r)
{
    json_t *transitions = json_object_get(r->root, "transitions"), *steps, *to;
    const char *name, *symbol;
    if (!json_is_object(transitions))
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "transitions: expected an object, with a member for each state");
    json_object_foreach(transitions, name, steps) {
        const size_t from = state_of(r, name, "transitions");
        if (from == SIZE_MAX)
            return r->err->status;
        if (!json_is_object(steps))
            return bipe_fail(r->err, BIPE_ERR_FORMAT, "transitions: expected objects, with a member for each symbol");
        json_object_foreach(steps, symbol, to)
            if (read_step(r, from, symbol, to) != BIPE_OK)
                return r->err->status;
    }
    return BIPE_OK;
}

static int read_automaton(reader *r)
{
    bipe_automaton *a = &r->automaton;
    int status = read_names(r);
    if (status != BIPE_OK)
        return status;
    r->step = bipe_alloc(a->symbols, a->states * a->states);
    r->leave = bipe_alloc(a->states, a->sets);
    r->accepts = bipe_alloc(a->states, 1);
    if (r->step == NULL || r->leave == NULL || r->accepts == NULL)
        return bipe_fail_memory(r->err);
    const json_t *accept = json_object_get(r->root, "accept");
    if (!json_is_array(accept))
        return bipe_fail(r->err, BIPE_ERR_FORMAT, "accept: expected a list of states");
    bool start = true;
    const size_t initial = state_of(r, json_string_value(json_object_get(r->root, "initial")), "initial");
    if (initial != SIZE_MAX)
        a->initial = set_of(r, initial, &start);
    if (initial == SIZE_MAX || !start)
        return start ? (int)r->err->status
                     : bipe_fail(r->err, BIPE_ERR_FORMAT, "initial: expected the first state of a set");
    for (size_t i = 0; i < json_array_size(accept); i++) {
        const size_t state = state_of(r, json_string_value(json_array_get(accept, i)), "accept");
        if (state == SIZE_MAX)
            return r->err->status;
        r->accepts[state] = 1;
    }
    a->size = r->size;
    a->step = r->step;
    a->leave = r->leave;
    a->accepts = r->accepts;
    return read_transitions(r);
}

static int make_tokenizer(bipe_tokenizer **tokenizer, const bipe_word_list *words, bipe_error *err)
{
    bipe_output *output;
    int status = bipe_output_open_memory(&output, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_word_list_write(words, SIZE_MAX, output, err);
    if (status == BIPE_OK)
        status = bipe_output_flush(output, err);
    const bipe_buffer *kept = bipe_output_kept(output);
    if (status == BIPE_OK)
        status = bipe_tokenizer_open_json(tokenizer, kept->data, kept->size, err);
    bipe_output_abandon(output);
    return status;
}

int convert_automaton_open(convert_source *source, const char *path, size_t length, bipe_error *err)
{
    reader r = {.err = err};
    bipe_buffer text = {0};
    int status = bipe_json_file_read(&r.root, path, DESCRIPTION_MOST, "an automaton", &text, err);
    if (status == BIPE_OK && ((status = read_automaton(&r)) != BIPE_OK ||
                              (status = bipe_automaton_model(&source->model, &r.automaton, length, err)) != BIPE_OK))
        bipe_error_prefix(err, "%s", path);
    if (status == BIPE_OK)
        status = make_tokenizer(&source->tokenizer, &r.words, err);
    snprintf(source->path, sizeof source->path, "%s", path);
    bipe_model_name_of(path, source->name);
    char *end = strrchr(source->name, '.');
    if (end != NULL && end != source->name && strcmp(end, ".json") == 0)
        *end = '\0';
    source->dtype = BIPE_F32;
    bipe_buffer_free(&text);
    bipe_vocabulary_free(&r.names);
    bipe_word_list_free(&r.words);
    bipe_free(r.size);
    bipe_free(r.step);
    bipe_free(r.leave);
    bipe_free(r.accepts);
    json_decref(r.root);
    return status;
}
