/* automaton.c - the program that writes random two-level automata (the Bi-NFA of He et al. 2024), and strings with the
 * set of states after each symbol. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/random.h"
#include "cli/options.h"
#include "cli/tool.h"

enum { STATES_MOST = 4096, LETTERS = 26, NAME = 32, PATIENCE = 100000 };

enum { ANSWERS_NONE, ANSWERS_LAST, ANSWERS_EACH };
static const char *const answer_names[] = {"none", "last", "each", NULL};

static struct {
    uint64_t strings, symbols, length, segment, automaton_seed, seed;
    bipe_sizes sets;
    bool exact;
    int answers; /* ANSWERS_NONE ... */
    const char *description, *output;
} settings = {.strings = 1000, .symbols = 4, .length = 64, .segment = 6, .automaton_seed = 1, .seed = 1};

static const bipe_option option_table[] = {
    {0, "sets", BIPE_OPTION_SIZES, &settings.sets, "N[,N...]", .minimum = 1, .maximum = STATES_MOST,
     .help = "states of each set (default 3,4,5)", .group = "Automaton"},
    {0, "symbols", BIPE_OPTION_SIZE, &settings.symbols, "N", .minimum = 1, .maximum = 65536,
     .help = "symbols beside the separator (default 4)"},
    {0, "automaton-seed", BIPE_OPTION_SIZE, &settings.automaton_seed, "N",
     .help = "seed of the automaton (default 1); the same seed gives the same automaton everywhere"},
    {0, "description", BIPE_OPTION_TEXT, &settings.description, "FILE",
     .help = "write the automaton to FILE, for bipe-convert --automaton"},

    {'n', "strings", BIPE_OPTION_SIZE, &settings.strings, "N", .help = "number of strings (default 1000)",
     .group = "Strings"},
    {'l', "length", BIPE_OPTION_SIZE, &settings.length, "N", .minimum = 1, .maximum = 1 << 20,
     .help = "symbols of the longest string, separators included (default 64); each string draws its own length from 1 to N"},
    {0, "exact", BIPE_OPTION_FLAG, &settings.exact, .help = "each string has N symbols"},
    {0, "segment", BIPE_OPTION_SIZE, &settings.segment, "N", .minimum = 1, .maximum = 1 << 20,
     .help = "one symbol in N is a separator (default 6)"},
    {0, "answers", BIPE_OPTION_CHOICE, &settings.answers, "WHERE", .choices = answer_names,
     .help = "the text has the states and the answer, accept or reject, after each symbol or the last one (default none)"},
    {0, "seed", BIPE_OPTION_SIZE, &settings.seed, "N",
     .help = "seed of the strings (default 1); the same seed gives the same bytes everywhere"},
    {'o', "output", BIPE_OPTION_TEXT, &settings.output, "FILE", .help = "write to FILE (default: standard output)"},
};

static const bipe_options options = {
    .tool = "automaton",
    .summary = "writes random two-level automata and strings that they accept or reject",
    .usage = "[OPTION...]",
    .description =
        "A Bi-NFA has sets of states. A symbol leads from a state to states of its set, the separator to start states, "
        "the first of each set. Every second string is accepted. Of four strings three have no symbol that leads "
        "nowhere, where another could be found. JSON Lines: "
        "{\"text\",\"states\",\"accepted\",\"tokens\"}; states are the names of those after each symbol.",
    .option = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
};

typedef struct automaton {
    size_t sets, states, symbols;
    const uint64_t *size;
    size_t *first, *set;             /* (sets) the start state of each; (states) the set of each */
    uint8_t *step, *leave, *accepts; /* (symbols, states, states), (states, sets), (states) */
} automaton;

/* A string: symbols, `symbols` being the separator, and the states after each. */
typedef struct string {
    size_t size;
    uint32_t *symbol;
    uint8_t *states; /* (1 + length, states) */
} string;

/* ---- the automaton ---- */

static void draw_automaton(automaton *a)
{
    uint64_t random = settings.automaton_seed;
    for (size_t w = 0; w < a->symbols; w++)
        for (size_t q = 0; q < a->states; q++) {
            uint8_t *to = a->step + (w * a->states + q) * a->states + a->first[a->set[q]];
            if (bipe_random_below(&random, 8) != 0) /* else none */
                to[bipe_random_below(&random, a->size[a->set[q]])] = 1;
            if (bipe_random_below(&random, 3) == 0) /* another one, or the same */
                to[bipe_random_below(&random, a->size[a->set[q]])] = 1;
        }
    for (size_t q = 0; q < a->states; q++) {
        for (int i = 0; i < 2; i++)
            if (i == 0 || bipe_random_below(&random, 3) == 0)
                a->leave[q * a->sets + bipe_random_below(&random, a->sets)] = 1;
        a->accepts[q] = bipe_random_below(&random, 2) != 0;
    }
}

static int open_automaton(automaton *a, bipe_error *err)
{
    static const uint64_t usual[] = {3, 4, 5};
    a->size = settings.sets.count > 0 ? settings.sets.value : usual;
    a->sets = settings.sets.count > 0 ? settings.sets.count : 3;
    a->symbols = (size_t)settings.symbols;
    for (size_t i = 0; i < a->sets; i++)
        if ((a->states += (size_t)a->size[i]) > STATES_MOST)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "more than %d states, expected a smaller automaton",
                             (int)STATES_MOST);
    a->first = bipe_alloc(a->sets, sizeof *a->first);
    a->set = bipe_alloc(a->states, sizeof *a->set);
    a->step = bipe_alloc(a->symbols, a->states * a->states);
    a->leave = bipe_alloc(a->states, a->sets);
    a->accepts = bipe_alloc(a->states, 1);
    if (a->first == NULL || a->set == NULL || a->step == NULL || a->leave == NULL || a->accepts == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0, q = 0; i < a->sets; i++) {
        a->first[i] = q;
        for (uint64_t j = 0; j < a->size[i]; j++)
            a->set[q++] = i;
    }
    draw_automaton(a);
    return BIPE_OK;
}

static const char *state_name(const automaton *a, size_t q, char name[NAME])
{
    snprintf(name, NAME, "q%zu.%zu", a->set[q] + 1, q - a->first[a->set[q]] + 1);
    return name;
}

static const char *symbol_name(const automaton *a, size_t w, char name[NAME])
{
    if (w == a->symbols)
        snprintf(name, NAME, "|");
    else if (a->symbols <= LETTERS)
        snprintf(name, NAME, "%c", (int)('a' + w));
    else
        snprintf(name, NAME, "w%zu", w + 1);
    return name;
}

/* A list of the states that are marked. */
static void put_states(bipe_json *json, const automaton *a, const uint8_t *marked)
{
    char name[NAME];
    bipe_json_begin_flat_array(json);
    for (size_t q = 0; q < a->states; q++)
        if (marked[q] != 0)
            bipe_json_text(json, state_name(a, q, name));
    bipe_json_end_array(json);
}

/* to = the states that a symbol leads to from those of `from`. Whether there are any. */
static bool take_step(const automaton *a, const uint8_t *from, size_t symbol, uint8_t *to)
{
    bool any = false;
    memset(to, 0, a->states);
    for (size_t q = 0; q < a->states; q++) {
        for (size_t i = 0; i < a->sets && from[q] != 0 && symbol == a->symbols; i++)
            to[a->first[i]] |= a->leave[q * a->sets + i];
        for (size_t p = 0; p < a->states && from[q] != 0 && symbol < a->symbols; p++)
            to[p] |= a->step[(symbol * a->states + q) * a->states + p];
    }
    for (size_t q = 0; q < a->states; q++)
        any |= to[q] != 0;
    return any;
}

static void put_automaton(bipe_json *json, const automaton *a, uint8_t *one, uint8_t *next)
{
    char name[NAME];
    bipe_json_begin_object(json);
    bipe_json_key_flat_array(json, "alphabet");
    for (size_t w = 0; w < a->symbols; w++)
        bipe_json_text(json, symbol_name(a, w, name));
    bipe_json_end_array(json);
    bipe_json_key_text(json, "separator", symbol_name(a, a->symbols, name));
    bipe_json_key_array(json, "sets");
    for (size_t i = 0; i < a->sets; i++) {
        for (size_t q = 0; q < a->states; q++)
            one[q] = a->set[q] == i;
        put_states(json, a, one);
    }
    bipe_json_end_array(json);
    bipe_json_key_text(json, "initial", state_name(a, 0, name));
    bipe_json_key(json, "accept");
    put_states(json, a, a->accepts);
    bipe_json_key_object(json, "transitions");
    for (size_t q = 0; q < a->states; q++) {
        bipe_json_key_object(json, state_name(a, q, name));
        memset(one, 0, a->states);
        one[q] = 1;
        for (size_t w = 0; w <= a->symbols; w++)
            if (take_step(a, one, w, next)) {
                bipe_json_key(json, symbol_name(a, w, name));
                put_states(json, a, next);
            }
        bipe_json_end_object(json);
    }
    bipe_json_end_object(json);
    bipe_json_end_object(json);
}

static int write_description(const automaton *a, uint8_t *scratch, bipe_error *err)
{
    bipe_output *output = NULL;
    bipe_json json;
    int status = bipe_output_open(&output, settings.description, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, true);
    put_automaton(&json, a, scratch, scratch + a->states);
    status = bipe_json_close(&json, err);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

/* ---- strings ---- */

static bool accepts(const automaton *a, const string *s)
{
    const uint8_t *last = s->states + s->size * a->states;
    for (size_t q = 0; q < a->states; q++)
        if (last[q] != 0 && a->accepts[q] != 0)
            return true;
    return false;
}

static void draw_string(const automaton *a, string *s, uint64_t *random)
{
    enum { TRIES = 16 };
    const bool lives = bipe_random_below(random, 4) != 0;
    s->size = (size_t)(settings.exact ? settings.length : 1 + bipe_random_below(random, settings.length));
    memset(s->states, 0, a->states);
    s->states[0] = 1;
    for (size_t i = 0; i < s->size; i++) {
        const uint8_t *from = s->states + i * a->states;
        for (int t = 0; t < TRIES; t++) {
            s->symbol[i] = (uint32_t)(bipe_random_below(random, settings.segment) == 0
                                          ? a->symbols
                                          : bipe_random_below(random, a->symbols));
            if (take_step(a, from, s->symbol[i], s->states + (i + 1) * a->states) || !lives)
                break;
        }
    }
}

/* The text; the number of its tokens. */
static size_t put_text(bipe_json *json, const automaton *a, const string *s)
{
    size_t tokens = 0;
    string part = *s;
    bipe_json_begin_string(json);
    for (size_t i = 0; i < s->size; i++) {
        const uint8_t *states = s->states + (i + 1) * a->states;
        for (size_t q = 0; q < a->states + 2; q++) { /* the symbol, states, the answer */
            char name[NAME], text[NAME + 1];
            part.size = i + 1;
            if (q == 0)
                symbol_name(a, s->symbol[i], name);
            else if (settings.answers == ANSWERS_NONE || (settings.answers == ANSWERS_LAST && part.size < s->size) ||
                     (q <= a->states && states[q - 1] == 0))
                continue;
            else if (q <= a->states)
                state_name(a, q - 1, name);
            else
                snprintf(name, NAME, "%s", accepts(a, &part) ? "accept" : "reject");
            snprintf(text, sizeof text, "%s%s", tokens++ > 0 ? " " : "", name);
            bipe_json_string_part(json, (const uint8_t *)text, strlen(text));
        }
    }
    bipe_json_end_string(json);
    return tokens;
}

static int write_string(bipe_output *output, const automaton *a, const string *s, bipe_error *err)
{
    bipe_json json;
    bipe_json_open(&json, output, false);
    bipe_json_begin_object(&json);
    bipe_json_key(&json, "text");
    const size_t tokens = put_text(&json, a, s);
    bipe_json_key_array(&json, "states");
    for (size_t i = 1; i <= s->size; i++)
        put_states(&json, a, s->states + i * a->states);
    bipe_json_end_array(&json);
    bipe_json_key_bool(&json, "accepted", accepts(a, s));
    bipe_json_key_uint(&json, "tokens", tokens);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

static int write_strings(bipe_output *output, const automaton *a, string *s, bipe_error *err)
{
    uint64_t random = settings.seed;
    int status = BIPE_OK;
    for (uint64_t i = 0; i < settings.strings && status == BIPE_OK; i++) {
        unsigned in_vain = 0;
        do
            draw_string(a, s, &random);
        while (accepts(a, s) != (i % 2 == 0) && ++in_vain < PATIENCE);
        if (in_vain == PATIENCE)
            return bipe_fail(err, BIPE_ERR_LIMIT, "no string that is %s was found: another --automaton-seed may give one",
                             i % 2 == 0 ? "accepted" : "rejected");
        status = write_string(output, a, s, err);
    }
    return status;
}

static int run(void *context, const bipe_texts *operands)
{
    bipe_tool *tool = context;
    (void)operands;
    const bipe_tool_output outputs[] = {{"output", settings.output}, {"description", settings.description}};
    bipe_error err = {0};
    bipe_output *output = NULL;
    automaton a = {0};
    string s = {0};
    int status = bipe_tool_check_outputs(outputs, 2, NULL, 0, &err);
    if (status == BIPE_OK)
        status = open_automaton(&a, &err);
    if (status == BIPE_OK) {
        s.symbol = bipe_alloc((size_t)settings.length, sizeof *s.symbol);
        s.states = bipe_alloc((size_t)settings.length + 1, a.states);
        if (s.symbol == NULL || s.states == NULL)
            status = bipe_fail_memory(&err);
    }
    if (status == BIPE_OK && settings.description != NULL)
        status = write_description(&a, s.states, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, settings.output, &err);
    if (status == BIPE_OK)
        status = write_strings(output, &a, &s, &err);
    void *const made[] = {a.first, a.set, a.step, a.leave, a.accepts, s.symbol, s.states};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        bipe_free(made[i]);
    return status == BIPE_ERR_ARGUMENT ? bipe_tool_usage(tool, "%s", err.text)
                                       : bipe_tool_end(tool, status, &output, &err);
}

int main(int argc, char **argv)
{
    bipe_tool tool;
    bipe_tool_start(&tool, options.tool);
    int exit_status = bipe_tool_run(&tool, &options, argc, argv, run, &tool);
    bipe_sizes_free(&settings.sets);
    return exit_status;
}
