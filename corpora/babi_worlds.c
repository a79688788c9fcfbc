/* babi_worlds.c - the worlds of the twenty bAbI tasks; see babi.h. A world is drawn at random, with facts about it and
 * a question; those whose answer is not the one that was asked for, or does not follow from the facts in every
 * reading, are thrown away. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "corpora/babi.h"

enum { NAMES = 4, PLACES = 6, OBJECTS = 3, ANYWHERE = (1 << PLACES) - 1, TRIES = 1000, PATIENCE = 200000 };

/* ---- sentences ---- */

static const char *const persons[] = {"Daniel", "John", "Mary", "Sandra"};
static const char *const pronouns[] = {"he", "he", "she", "she"};
static const char *const givers[] = {"Bill", "Fred", "Jeff", "Mary"};
static const char *const friends[] = {"Bill", "Fred", "Julie", "Mary"};
static const char *const rooms[] = {"bathroom", "bedroom", "garden", "hallway", "kitchen", "office", NULL};
static const char *const places[] = {"bedroom", "cinema", "kitchen", "office", "park", "school", NULL};
static const char *const objects[] = {"apple", "football", "milk"};
static const char *const moves[] = {"journeyed to", "moved to", "travelled to", "went back to", "went to"};
static const char *const gets[] = {"got", "grabbed", "picked up", "took"};
static const char *const drops[] = {"discarded", "dropped", "left", "put down"};
static const char *const gives[] = {"gave", "handed", "passed"};
static const char *const thens[] = {"After that", "Afterwards", "Following that", "Then"};
static const char *const sides[2][4] = {{"north of", "east of", "south of", "west of"},
                                        {"above", "to the right of", "below", "to the left of"}};

static size_t below(uint64_t *random, size_t n)
{
    return (size_t)bipe_random_below(random, n);
}

/* One of the texts of an array. */
#define ANY(random, array) ((array)[below((random), sizeof(array) / sizeof(array)[0])])
#define WORDS(...) ((const char *const[]){__VA_ARGS__})

/* Writes a template, in which a digit stands for a word. The first letter is capital. */
static void fill(char text[BABI_TEXT], const char *template, const char *const *word)
{
    size_t size = 0;
    for (; *template != '\0'; template++)
        if (isdigit((unsigned char)*template))
            size += (size_t)snprintf(text + size, BABI_TEXT - size, "%s", word[*template - '0']);
        else
            text[size++] = *template;
    text[size] = '\0';
    text[0] = (char)toupper((unsigned char)text[0]);
}

/* Adds a fact. Returns its bit. */
static uint64_t say(babi_sample *s, const char *template, const char *const *word)
{
    fill(s->fact[s->facts], template, word);
    return UINT64_C(1) << s->facts++;
}

static void answer(babi_sample *s, const char *text)
{
    snprintf(s->answer, sizeof s->answer, "%s", text);
}

/* Facts in random order. */
static void shuffle(babi_sample *s, uint64_t *random)
{
    for (size_t i = s->facts; i-- > 1;) {
        size_t j = below(random, i + 1);
        char fact[BABI_TEXT];
        memcpy(fact, s->fact[i], sizeof fact);
        memcpy(s->fact[i], s->fact[j], sizeof fact);
        memcpy(s->fact[j], fact, sizeof fact);
        uint64_t differ = (s->support >> i ^ s->support >> j) & 1;
        s->support ^= i != j ? differ << i | differ << j : 0;
    }
}

/* ---- stories: persons go to places, with objects ---- */

/* What a fact of a story may be; PAIR: two persons go; THEN: every second fact goes on with those of the one before. */
enum { MOVE = 1, GET = 2, DROP = 4, GIVE = 8, IS = 16, IS_NOT = 32, EITHER = 64, PAIR = 128, THEN = 256 };
enum { ACTS = 7 };
enum { WHERE_PERSON, WHERE_OBJECT, WHERE_BEFORE, GIFT, IS_THERE, HOW_MANY, WHAT_OBJECTS };

/* What is known after the facts so far. Facts are sets of bits. */
typedef struct story {
    const babi_task *task;
    uint64_t *random;
    babi_sample *s;
    const char *const *person, *const *place;
    unsigned can[NAMES];                  /* where a person may be: a set of places */
    uint64_t told[NAMES], carried[NAMES]; /* facts that say where; and what he or she carries */
    size_t last[2];                       /* who went there in the last fact */
    int holder[OBJECTS], lies[OBJECTS];   /* -1: none; unknown */
    uint64_t found[OBJECTS];              /* facts that say who holds it, or where it lies */
    size_t visits[OBJECTS], visit[OBJECTS][BABI_FACTS]; /* the places where it was, and facts that say so */
    uint64_t visit_told[OBJECTS][BABI_FACTS];
    size_t gifts;
    struct { size_t giver, object, taker; uint64_t told; } gift[BABI_FACTS];
} story;

/* The place where a person is, or -1. */
static int place_of(const story *w, size_t p)
{
    for (int at = 0; at < PLACES; at++)
        if (w->can[p] == 1u << at)
            return at;
    return -1;
}

/* An object is where its holder is, if that is known. */
static void carry(story *w, size_t object)
{
    size_t p = (size_t)w->holder[object], n = w->visits[object];
    int at = place_of(w, p);
    if (at < 0 || (n > 0 && w->visit[object][n - 1] == (size_t)at))
        return;
    w->visit[object][n] = (size_t)at;
    w->visit_told[object][n] = w->told[p] | w->found[object];
    w->visits[object]++;
}

static bool go(story *w)
{
    uint64_t *random = w->random;
    const bool pair = (w->task->acts & PAIR) != 0, then = (w->task->acts & THEN) != 0 && w->s->facts % 2 == 1;
    if (!then) {
        w->last[0] = below(random, NAMES);
        w->last[1] = pair ? (w->last[0] + 1 + below(random, NAMES - 1)) % NAMES : w->last[0];
    }
    size_t to = below(random, PLACES), a = w->last[0], b = w->last[1];
    if (w->can[a] == 1u << to || w->can[b] == 1u << to)
        return false;
    char both[BABI_TEXT];
    if (then)
        snprintf(both, sizeof both, "%s %s", ANY(random, thens), pair ? "they" : pronouns[a]);
    else
        snprintf(both, sizeof both, pair ? "%s and %s" : "%s", w->person[a], w->person[b]);
    uint64_t fact = say(w->s, "0 1 the 2.", WORDS(both, ANY(random, moves), w->place[to]));
    fact |= then ? fact >> 1 : 0;
    w->can[a] = w->can[b] = 1u << to;
    w->told[a] = w->told[b] = fact;
    for (size_t i = 0; i < OBJECTS; i++)
        if (w->holder[i] == (int)a || w->holder[i] == (int)b)
            carry(w, i);
    return true;
}

static bool handle(story *w, unsigned act)
{
    uint64_t *random = w->random;
    size_t object = below(random, OBJECTS), p = below(random, NAMES);
    size_t other = (p + 1 + below(random, NAMES - 1)) % NAMES;
    const int at = place_of(w, p), lies = w->lies[object];
    const bool held = w->holder[object] == (int)p;
    if (act == GET ? w->holder[object] >= 0 || (lies >= 0 && lies != at)
                   : !held || (act == DROP ? at < 0 : (w->can[p] & w->can[other]) == 0))
        return false;
    const char *verb = act == GET ? ANY(random, gets) : act == DROP ? ANY(random, drops) : ANY(random, gives);
    const char *words[] = {w->person[p], verb, objects[object], w->person[other]};
    const char *template = act == GIVE ? "0 1 the 2 to 3." : below(random, 2) > 0 ? "0 1 the 2 there." : "0 1 the 2.";
    uint64_t fact = say(w->s, template, words);
    w->found[object] = fact | (act == DROP ? w->told[p] : 0);
    w->carried[p] |= fact;
    w->holder[object] = act == GET ? (int)p : act == GIVE ? (int)other : -1;
    w->lies[object] = act == DROP ? at : -1;
    if (act == GIVE) {
        w->can[p] = w->can[other] &= w->can[p];
        w->carried[other] |= fact;
        w->gift[w->gifts].giver = p;
        w->gift[w->gifts].object = object;
        w->gift[w->gifts].taker = other;
        w->gift[w->gifts++].told = fact;
    } else if (act == GET) {
        carry(w, object);
    }
    return true;
}

/* Where somebody is, or is not. A person whose place was known must have left it. */
static bool state(story *w, unsigned act)
{
    uint64_t *random = w->random;
    size_t p = below(random, NAMES), a = below(random, PLACES), b = (a + 1 + below(random, PLACES - 1)) % PLACES;
    const unsigned either = 1u << a | 1u << b, can = w->can[p];
    const int at = place_of(w, p);
    if (act == IS_NOT ? at >= 0 && at != (int)a : act == EITHER && can != ANYWHERE && (can & either) != 0)
        return false;
    w->told[p] = say(w->s,
                     act == IS       ? "0 is in the 1."
                     : act == EITHER ? "0 is either in the 1 or the 2."
                     : at >= 0 && below(random, 2) > 0 ? "0 is no longer in the 1." : "0 is not in the 1.",
                     WORDS(w->person[p], w->place[a], w->place[b]));
    w->can[p] = act == IS ? 1u << a : act == EITHER ? either : ANYWHERE & ~(1u << a);
    return true;
}

static bool ask_before(const story *w)
{
    size_t object = below(w->random, OBJECTS), n = w->visits[object], same = 0;
    if (n < 2)
        return false;
    size_t i = 1 + below(w->random, n - 1);
    for (size_t j = 0; j < n; j++)
        same += w->visit[object][j] == w->visit[object][i];
    fill(w->s->question, "Where was the 0 before the 1?", WORDS(objects[object], w->place[w->visit[object][i]]));
    answer(w->s, w->place[w->visit[object][i - 1]]);
    w->s->support = w->visit_told[object][i] | w->visit_told[object][i - 1];
    return same == 1;
}

static bool ask_gift(const story *w)
{
    /* Of giver, object and taker: which one each form asks for, and those that it names. */
    static const struct { const char *text; int asked, named; } forms[] = {
        {"What did 0 give to 2?", 1, 1 | 4}, {"Who gave the 1 to 2?", 0, 2 | 4}, {"Who did 0 give the 1 to?", 2, 1 | 2},
        {"Who gave the 1?", 0, 2}, {"Who received the 1?", 2, 2}};
    if (w->gifts == 0)
        return false;
    size_t g = below(w->random, w->gifts), form = below(w->random, sizeof forms / sizeof forms[0]);
    const char *word[] = {w->person[w->gift[g].giver], objects[w->gift[g].object], w->person[w->gift[g].taker]};
    for (size_t i = 0; i < w->gifts; i++) {
        const int differ = (w->gift[i].giver != w->gift[g].giver) | (w->gift[i].object != w->gift[g].object) << 1 |
                           (w->gift[i].taker != w->gift[g].taker) << 2;
        if ((differ & forms[form].named) == 0 && (differ >> forms[form].asked & 1) != 0)
            return false; /* another answer is right as well */
    }
    fill(w->s->question, forms[form].text, word);
    answer(w->s, word[forms[form].asked]);
    w->s->support = w->gift[g].told;
    return true;
}

static bool ask_objects(const story *w, size_t p)
{
    static const char *const counts[] = {"none", "one", "two", "three"};
    char list[BABI_TEXT] = "nothing";
    size_t held = 0, size = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        if (w->holder[i] == (int)p) {
            size += (size_t)snprintf(list + size, sizeof list - size, held > 0 ? ",%s" : "%s", objects[i]);
            held++;
        }
    const bool many = w->task->question == HOW_MANY;
    fill(w->s->question, many ? "How many objects is 0 carrying?" : "What is 0 carrying?", &w->person[p]);
    answer(w->s, many ? counts[held] : list);
    w->s->support = w->carried[p];
    return w->carried[p] != 0;
}

static bool ask(const story *w)
{
    size_t p = below(w->random, NAMES), object = below(w->random, OBJECTS), x = below(w->random, PLACES);
    int at = place_of(w, p);
    switch (w->task->question) {
    case WHERE_PERSON:
        fill(w->s->question, "Where is 0?", &w->person[p]);
        w->s->support = w->told[p];
        break;
    case WHERE_OBJECT:
        fill(w->s->question, "Where is the 0?", &objects[object]);
        at = w->holder[object] >= 0 ? place_of(w, (size_t)w->holder[object]) : w->lies[object];
        w->s->support = w->found[object] | (w->holder[object] >= 0 ? w->told[w->holder[object]] : 0);
        break;
    case WHERE_BEFORE:
        return ask_before(w);
    case GIFT:
        return ask_gift(w);
    case IS_THERE:
        fill(w->s->question, "Is 0 in the 1?", WORDS(w->person[p], w->place[x]));
        answer(w->s, at == (int)x ? "yes" : (w->can[p] & 1u << x) == 0 ? "no" : "maybe");
        w->s->support = w->told[p];
        return w->told[p] != 0;
    default:
        return ask_objects(w, p);
    }
    if (at >= 0)
        answer(w->s, w->place[at]);
    return at >= 0;
}

static bool draw_story(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    const bool indefinite = (task->acts & EITHER) != 0;
    story w = {.task = task, .random = random, .s = s, .place = indefinite ? places : rooms,
               .person = indefinite ? friends : task->question == GIFT ? givers : persons};
    for (size_t i = 0; i < NAMES; i++)
        w.can[i] = ANYWHERE;
    for (size_t i = 0; i < OBJECTS; i++)
        w.holder[i] = w.lies[i] = -1;
    facts += (task->acts & THEN) != 0 && facts % 2 == 1;
    for (size_t tries = 0; s->facts < facts; tries++) {
        const unsigned act = 1u << below(random, ACTS);
        if (tries == TRIES)
            return false;
        if ((act & task->acts) == 0)
            continue;
        if (act == MOVE)
            go(&w);
        else if (act < IS)
            handle(&w, act);
        else
            state(&w, act);
    }
    return ask(&w);
}

/* ---- positions: things beside each other on a grid ---- */

/* On a line; a chain, each beside the one before; a tree, each beside one of those before. */
enum { LINE, CHAIN, TREE };

typedef struct grid {
    size_t count;
    const char *name[PLACES];
    char text[PLACES][BABI_TEXT]; /* for names */
    int at[PLACES][2];            /* to the east, to the north */
    uint64_t told[PLACES];        /* the fact about each and the one that it was put beside */
    size_t beside[PLACES];
} grid;

/* The side of b that a is on, looking along an axis; -1: neither. */
static int side_along(const grid *g, size_t a, size_t b, unsigned axis)
{
    const int far = g->at[a][axis] - g->at[b][axis];
    return far == 0 ? -1 : axis == 0 ? (far > 0 ? 1 : 3) : (far > 0 ? 0 : 2);
}

/* The same of neighbours; -1: they are none. */
static int side_of(const grid *g, size_t a, size_t b)
{
    const int x = g->at[a][0] - g->at[b][0], y = g->at[a][1] - g->at[b][1];
    return x * x + y * y == 1 ? side_along(g, a, b, x == 0) : -1;
}

/* Shapes with colours, of which none can be mistaken for another. */
static bool name_shapes(grid *g, uint64_t *random)
{
    static const char *const shapes[] = {"rectangle", "sphere", "square", "triangle"};
    static const char *const colours[] = {"", "blue ", "pink ", "red ", "yellow "};
    for (size_t i = 0; i < g->count; i++) {
        const char *colour = ANY(random, colours), *shape = ANY(random, shapes);
        snprintf(g->text[i], sizeof g->text[i], "%s%s", colour, shape);
        g->name[i] = g->text[i];
        for (size_t j = 0; j < i; j++)
            if (strcmp(g->name[i], g->name[j]) == 0 || strcmp(shape, g->name[j]) == 0 ||
                (colour[0] == '\0' && strstr(g->name[j], shape) != NULL))
                return false;
    }
    return true;
}

static void name_rooms(grid *g, uint64_t *random)
{
    for (size_t i = 0; i < PLACES; i++) {
        size_t j = below(random, i + 1);
        g->name[i] = g->name[j];
        g->name[j] = rooms[i];
    }
}

/* Puts thing i beside an earlier one. false: there it would touch another. */
static bool put_beside(grid *g, size_t i, unsigned form, uint64_t *random)
{
    static const int step[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    size_t anchor = form == LINE ? 0 : form == CHAIN ? i - 1 : below(random, i);
    size_t side = form == LINE && i == 2 ? (size_t)(side_of(g, 1, 0) + 2) % 4 : below(random, 4);
    g->beside[i] = anchor;
    for (unsigned axis = 0; axis < 2; axis++)
        g->at[i][axis] = g->at[anchor][axis] + step[side][axis];
    for (size_t j = 0; j < i; j++)
        if (j != anchor && ((g->at[i][0] == g->at[j][0] && g->at[i][1] == g->at[j][1]) || side_of(g, i, j) >= 0))
            return false;
    return true;
}

/* What is on a side of the one in the middle? */
static void ask_side(const grid *g, uint64_t *random, babi_sample *s)
{
    size_t other = 1 + below(random, 2), side = (size_t)side_of(g, other, 0);
    const bool reverse = below(random, 2) > 0;
    fill(s->question, reverse ? "What is the 0 1?" : "What is 1 the 0?",
         WORDS(g->name[0], sides[0][reverse ? (side + 2) % 4 : side]));
    answer(s, g->name[other]);
    s->support = g->told[other];
}

static bool ask_relation(const grid *g, uint64_t *random, babi_sample *s)
{
    size_t a = below(random, g->count), b = (a + 1 + below(random, g->count - 1)) % g->count;
    int right = side_along(g, a, b, (unsigned)below(random, 2));
    const bool yes = below(random, 2) > 0;
    if (right < 0)
        return false;
    fill(s->question, "Is the 0 1 the 2?", WORDS(g->name[a], sides[1][yes ? right : (right + 2) % 4], g->name[b]));
    answer(s, yes ? "yes" : "no");
    for (size_t i = a < b ? a : b; i < (a < b ? b : a); i++)
        s->support |= g->told[i + 1];
    return true;
}

static bool ask_path(const grid *g, uint64_t *random, babi_sample *s)
{
    static const char *const letter[] = {"n", "e", "s", "w"};
    size_t from = below(random, g->count), to = (from + 1 + below(random, g->count - 1)) % g->count;
    for (size_t over = 0; over < g->count; over++) {
        int first = side_of(g, over, from), second = side_of(g, to, over);
        if (first < 0 || second < 0)
            continue;
        fill(s->question, "How do you go from the 0 to the 1?", WORDS(g->name[from], g->name[to]));
        snprintf(s->answer, sizeof s->answer, "%s,%s", letter[first], letter[second]);
        s->support = g->told[g->beside[from] == over ? from : over] | g->told[g->beside[to] == over ? to : over];
        return true;
    }
    return false;
}

static bool draw_positions(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    const unsigned form = task->question;
    grid g = {.count = facts + 1};
    if (form != CHAIN)
        name_rooms(&g, random);
    else if (!name_shapes(&g, random))
        return false;
    for (size_t i = 1; i < g.count; i++) {
        if (!put_beside(&g, i, form, random))
            return false;
        const bool reverse = below(random, 2) > 0;
        size_t a = reverse ? g.beside[i] : i, b = reverse ? i : g.beside[i];
        g.told[i] = say(s, "The 0 is 1 the 2.", WORDS(g.name[a], sides[form == CHAIN][side_of(&g, a, b)], g.name[b]));
    }
    if (form == LINE)
        ask_side(&g, random, s);
    else if (!(form == CHAIN ? ask_relation(&g, random, s) : ask_path(&g, random, s)))
        return false;
    shuffle(s, random);
    return true;
}

/* ---- sizes ---- */

static bool draw_sizes(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    enum { THINGS = 6 };
    /* From the smallest; the order of the others is drawn. */
    const char *thing[THINGS] = {"chocolate", "box of chocolates", "box", "chest", "container", "suitcase"};
    uint64_t told[THINGS][THINGS] = {{0}}; /* that the first is smaller than the second */
    (void)task;
    for (size_t i = THINGS; i-- > 3;) {
        size_t j = 2 + below(random, i - 1);
        const char *other = thing[i];
        thing[i] = thing[j];
        thing[j] = other;
    }
    while (s->facts < facts) {
        size_t a = below(random, THINGS), b = below(random, THINGS);
        if (a < b && told[a][b] == 0)
            told[a][b] = say(s, below(random, 2) > 0 ? "The 0 fits inside the 1." : "The 1 is bigger than the 0.",
                             WORDS(thing[a], thing[b]));
    }
    size_t a = below(random, THINGS), b = below(random, THINGS);
    if (a >= b || told[a][b] != 0)
        return false;
    for (size_t c = a + 1; c < b && s->support == 0; c++)
        if (told[a][c] != 0 && told[c][b] != 0)
            s->support = told[a][c] | told[c][b];
    const bool fits = below(random, 2) > 0, yes = below(random, 2) > 0;
    fill(s->question, fits ? "Does the 0 fit in the 1?" : "Is the 1 bigger than the 0?",
         WORDS(thing[yes ? a : b], thing[yes ? b : a]));
    answer(s, yes ? "yes" : "no");
    bool follows = s->support != 0;
    shuffle(s, random);
    return follows;
}

/* ---- kinds: what is true of a kind is true of each that belongs to it ---- */

static bool draw_fears(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    static const char *const name[] = {"Emily", "Gertrude", "Jessica", "Winona"};
    static const char *const lower[] = {"emily", "gertrude", "jessica", "winona"};
    static const char *const kinds[] = {"cat", "mouse", "sheep", "wolf"};
    static const char *const many[] = {"cats", "mice", "sheep", "wolves"};
    size_t asked = below(random, NAMES), kind = 0, fear[NAMES];
    uint64_t told = 0;
    (void)task, (void)facts;
    for (size_t i = 0; i < NAMES; i++) {
        size_t of = below(random, NAMES);
        uint64_t fact = say(s, "0 is a 1.", WORDS(name[i], kinds[of]));
        if (i == asked) {
            kind = of;
            told = fact;
        }
    }
    for (size_t i = 0; i < NAMES; i++) {
        fear[i] = (i + 1 + below(random, NAMES - 1)) % NAMES;
        uint64_t fact = say(s, "0 are afraid of 1.", WORDS(many[i], many[fear[i]]));
        told |= i == kind ? fact : 0;
    }
    fill(s->question, "What is 0 afraid of?", &lower[asked]);
    answer(s, kinds[fear[kind]]);
    s->support = told;
    shuffle(s, random);
    return true;
}

static bool draw_colours(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    enum { ANIMALS = 5 };
    static const char *const name[] = {"Bernhard", "Brian", "Greg", "Julius", "Lily"};
    static const char *const kinds[] = {"frog", "lion", "rhino", "swan"};
    size_t kind[ANIMALS], colour[NAMES], asked = below(random, ANIMALS), others = 0;
    (void)facts;
    for (size_t i = 0; i < ANIMALS; i++)
        kind[i] = below(random, NAMES);
    for (size_t i = 0; i < NAMES; i++)
        colour[i] = below(random, NAMES);
    for (size_t i = 0; i < ANIMALS; i++) {
        uint64_t told = say(s, "0 is a 1.", WORDS(name[i], kinds[kind[i]]));
        if (i != asked)
            told |= say(s, "0 is 1.", WORDS(name[i], task->answers[colour[kind[i]]]));
        if (kind[i] == kind[asked]) {
            s->support |= told;
            others += i != asked;
        }
    }
    fill(s->question, "What color is 0?", &name[asked]);
    answer(s, task->answers[colour[kind[asked]]]);
    shuffle(s, random);
    return others > 0;
}

/* ---- times of a day ---- */

static bool draw_times(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    enum { TIMES = 4 };
    static const char *const times[] = {"yesterday", "this morning", "this afternoon", "this evening"};
    uint64_t told[NAMES][TIMES] = {{0}};
    size_t at[NAMES][TIMES], from = TIMES;
    (void)task;
    while (s->facts < facts) {
        size_t p = below(random, NAMES), time = below(random, TIMES), to = below(random, PLACES);
        bool there = told[p][time] != 0;
        for (size_t i = 0; i < TIMES; i++)
            there |= told[p][i] != 0 && at[p][i] == to;
        if (there)
            continue;
        at[p][time] = to;
        const char *move = ANY(random, moves), *template = below(random, 2) > 0 ? "0 1 the 2 3." : "3 0 1 the 2.";
        told[p][time] = say(s, template, WORDS(friends[p], move, places[to], times[time]));
    }
    size_t p = below(random, NAMES), last = below(random, TIMES);
    for (size_t i = 0; i < last; i++)
        from = told[p][i] != 0 ? i : from;
    if (from == TIMES || told[p][last] == 0)
        return false;
    fill(s->question, "Where was 0 before the 1?", WORDS(friends[p], places[at[p][last]]));
    answer(s, places[at[p][from]]);
    s->support = told[p][from] | told[p][last];
    return true;
}

/* ---- motives: where persons go, and what they get, tells how they feel ---- */

static bool draw_motives(const babi_task *task, size_t facts, uint64_t *random, babi_sample *s)
{
    static const char *const name[] = {"Antoine", "Jason", "Sumit", "Yann"};
    static const char *const lower[] = {"antoine", "jason", "sumit", "yann"};
    static const struct { const char *feels, *place, *object; } motives[] = {
        {"bored", "garden", "football"}, {"hungry", "kitchen", "apple"}, {"thirsty", "kitchen", "milk"},
        {"tired", "bedroom", "pajamas"}};
    size_t motive[NAMES], done[NAMES] = {0};
    uint64_t told[NAMES] = {0};
    (void)task;
    for (size_t i = 0; i < NAMES; i++)
        motive[i] = below(random, NAMES);
    while (s->facts < facts) {
        size_t p = below(random, NAMES), m = motive[p];
        if (done[p] == 0)
            told[p] = say(s, "0 is 1.", WORDS(name[p], motives[m].feels));
        else if (done[p] == 1)
            say(s, "0 1 the 2.", WORDS(name[p], ANY(random, moves), motives[m].place));
        else if (done[p] == 2)
            say(s, "0 1 the 2 there.", WORDS(name[p], ANY(random, gets), motives[m].object));
        done[p] += done[p] < 3;
    }
    size_t p = below(random, NAMES), m = motive[p];
    static const char *const questions[] = {"", "Where will 0 go?", "Why did 0 go to the 1?", "Why did 0 get the 2?"};
    fill(s->question, questions[done[p]], WORDS(lower[p], motives[m].place, motives[m].object));
    answer(s, done[p] == 1 ? motives[m].place : motives[m].feels);
    s->support = told[p];
    return done[p] > 0;
}

/* ---- the tasks ---- */

static const char *const yes_no[] = {"no", "yes", NULL}, *const yes_no_maybe[] = {"maybe", "no", "yes", NULL};
static const char *const counts[] = {"none", "one", "three", "two", NULL};
static const char *const gifts[] = {"Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk", NULL};
static const char *const lists[] = {"apple", "apple,football", "apple,milk", "football", "football,milk", "milk",
                                    "nothing", NULL};
static const char *const animals[] = {"cat", "mouse", "sheep", "wolf", NULL};
static const char *const colours[] = {"gray", "green", "white", "yellow", NULL};
static const char *const paths[] = {"e,e", "e,n", "e,s", "n,e", "n,n", "n,w",
                                    "s,e", "s,s", "s,w", "w,n", "w,s", "w,w", NULL};
static const char *const reasons[] = {"bedroom", "bored", "garden", "hungry", "kitchen", "thirsty", "tired", NULL};

const babi_task babi_tasks[BABI_TASKS] = {
    {"qa1", "single supporting fact", rooms, draw_story, 2, 10, MOVE, WHERE_PERSON},
    {"qa2", "two supporting facts", rooms, draw_story, 2, 60, MOVE | GET | DROP, WHERE_OBJECT},
    {"qa3", "three supporting facts", rooms, draw_story, 4, 32, MOVE | GET | DROP, WHERE_BEFORE},
    {"qa4", "two argument relations", rooms, draw_positions, 2, 2, .question = LINE},
    {"qa5", "three argument relations", gifts, draw_story, 2, 40, MOVE | GET | GIVE, GIFT},
    {"qa6", "yes or no", yes_no, draw_story, 2, 26, MOVE, IS_THERE},
    {"qa7", "counting", counts, draw_story, 2, 50, MOVE | GET | DROP | GIVE, HOW_MANY},
    {"qa8", "lists", lists, draw_story, 2, 50, MOVE | GET | DROP | GIVE, WHAT_OBJECTS},
    {"qa9", "negation", yes_no, draw_story, 2, 10, MOVE | IS | IS_NOT, IS_THERE},
    {"qa10", "indefinite knowledge", yes_no_maybe, draw_story, 2, 10, MOVE | IS | EITHER, IS_THERE},
    {"qa11", "coreference", rooms, draw_story, 2, 10, MOVE | THEN, WHERE_PERSON},
    {"qa12", "conjunction", rooms, draw_story, 2, 10, MOVE | PAIR, WHERE_PERSON},
    {"qa13", "compound coreference", rooms, draw_story, 2, 10, MOVE | PAIR | THEN, WHERE_PERSON},
    {"qa14", "time", places, draw_times, 2, 14, 0, 0},
    {"qa15", "deduction", animals, draw_fears, 8, 8, 0, 0},
    {"qa16", "induction", colours, draw_colours, 9, 9, 0, 0},
    {"qa17", "positions", yes_no, draw_positions, 2, 2, .question = CHAIN},
    {"qa18", "sizes", yes_no, draw_sizes, 2, 8, 0, 0},
    {"qa19", "paths", paths, draw_positions, 5, 5, .question = TREE},
    {"qa20", "motives", reasons, draw_motives, 1, 12, 0, 0},
};

bool babi_draw(const babi_task *task, const char *wanted, size_t most, uint64_t *random, babi_sample *sample)
{
    most = most == 0 || most > task->most ? task->most : most < task->least ? task->least : most;
    for (size_t tries = 0; tries < PATIENCE; tries++) {
        sample->facts = 0;
        sample->support = 0;
        sample->answer[0] = '\0';
        if (task->draw(task, task->least + below(random, most - task->least + 1), random, sample) &&
            strcmp(sample->answer, wanted) == 0)
            return true;
    }
    return false;
}
