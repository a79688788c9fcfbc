/* cut_stream.c - finds the borders of units, and looks units up. */
#include "token/words/cut_stream.h"

#include "base/alloc.h"
#include "text/utf8.h"

enum {
    CHUNK = 64,                         /* bytes whose borders are found at once, as a mask */
    CHUNK_READ = CHUNK + BIPE_WORD_READ, /* bytes that are read for it */
    MANY = 1 << 20,                     /* bytes that are taken in one go at most */
    JOINED = 4096,                      /* bytes of units that are encoded together */
    FEWEST = 32                         /* units that are looked up at once, behind one that was not clean; then twice as many each time */
};

void bipe_cut_stream_begin(bipe_cut_stream *s)
{
    s->clean = s->open = false;
    s->between = ' '; /* or a later one: those before it are rarely seen, and a model may have nothing for them */
    s->count = 0;
}

void bipe_cut_stream_trim(bipe_cut_stream *s)
{
    bipe_word_group_free(&s->units);
}

void bipe_cut_stream_free(bipe_cut_stream *s)
{
    bipe_word_group_free(&s->units);
    bipe_buffer_free(&s->joined);
    bipe_free(s->aside.token);
    s->aside = (bipe_tokens){0};
}

static int make_room(bipe_tokens *tokens, size_t more, bipe_error *err)
{
    return bipe_grow(&tokens->token, &tokens->capacity, tokens->count + more, sizeof *tokens->token) == 0 ? BIPE_OK
                                                                                                             : bipe_fail_memory(err);
}

/* ---- one unit ---- */

/* Bytes that tokens may leave out, where there are no classes. */
static const uint8_t white[256] = {[' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1};

static inline const uint8_t *gap_of(const bipe_cut_stream *s)
{
    return s->classes != NULL ? s->classes->gap : white;
}

/* Where a token starts that may start at `at`, behind what is left out if there is some. text: the unit, which stands at `start`. */
__attribute__((noinline)) static uint64_t behind_gap(const bipe_cut_stream *s, const uint8_t *text, uint64_t start, uint64_t at,
                                                     uint64_t end)
{
    const uint8_t *gap = gap_of(s);
    for (size_t n; at < end; at += n) {
        const uint8_t *here = text + (at - start);
        uint8_t class;
        n = gap[*here];
        if (n == 2) {
            n = bipe_cut_class_at(s->classes, here, end - at, &class);
            n = s->classes->gone[class] ? n : 0;
        }
        if (n == 0)
            break;
    }
    return at;
}

/* The same with gaps; without them it starts there. */
static inline uint64_t start_of(const bipe_cut_stream *s, const uint8_t *text, uint64_t start, uint64_t at, uint64_t end)
{
    return s->gaps && at < end && gap_of(s)[text[at - start]] != 0 ? behind_gap(s, text, start, at, end) : at;
}

/* Whether the tokens from number `first` on, which are those of a unit at [start, start + size), can be told by their ends: as pieces of it. */
static bool tell(const bipe_cut_stream *s, const uint8_t *unit, size_t size, uint64_t start, const bipe_tokens *tokens, size_t first,
                 bipe_piece_token *piece)
{
    uint64_t at = start, end = start + size;
    for (size_t i = 0; first + i < tokens->count; i++) {
        const bipe_token *token = &tokens->token[first];
        if (token[i].end < at || token[i].end > end || start_of(s, unit, start, at, token[i].end) != token[i].start)
            return false;
        at = token[i].end;
        piece[i] = (bipe_piece_token){.id = token[i].id, .end = (uint32_t)(at - start)};
    }
    return s->gaps || at == end;
}

/* The tokens from number `first` on are those of the unit, which began at `start`. */
static void keep(bipe_cut_stream *s, const uint8_t *unit, size_t size, uint64_t start, const bipe_tokens *tokens, size_t first)
{
    bipe_piece_token token[BIPE_CUT_HELD];
    size_t count = tokens->count - first;
    if (count <= BIPE_CUT_HELD && tell(s, unit, size, start, tokens, first, token))
        bipe_word_cache_put(&s->units.cache, unit, size, token, count);
}

/* A whole unit by the encoder. Just `size` bytes are read. */
static int take_unknown(bipe_cut_stream *s, const uint8_t *unit, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    uint64_t start = *s->position;
    size_t first = tokens->count;
    bool was_clean = s->clean;
    int status = s->encode(s->context, unit, size, true, &s->clean, err);
    if (status == BIPE_OK && was_clean && s->clean)
        keep(s, unit, size, start, tokens, first);
    return status;
}

/* A whole unit. BIPE_WORD_READ bytes of it may be read. */
static int take_unit(bipe_cut_stream *s, const uint8_t *unit, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    bipe_piece_token room[BIPE_WORD_SHORT];
    size_t count;
    const bipe_piece_token *token = s->clean ? bipe_word_cache_find(&s->units.cache, unit, size, room, &count) : NULL;
    if (token == NULL)
        return take_unknown(s, unit, size, tokens, err);
    int status = make_room(tokens, count, err);
    if (status != BIPE_OK)
        return status;
    uint64_t start = *s->position, at = start;
    for (size_t i = 0; i < count; i++) {
        bipe_token *t = &tokens->token[tokens->count++];
        *t = (bipe_token){.end = start + token[i].end, .id = token[i].id};
        t->start = start_of(s, unit, start, at, t->end);
        at = t->end;
    }
    *s->position = start + size;
    return BIPE_OK;
}

/* ---- many units ---- */

/* The class (or byte) that text[0 .. size) begins with, and how many bytes it has. */
static inline size_t class_at(const bipe_cut_stream *s, const uint8_t *text, size_t size, uint8_t *class)
{
    *class = text[0];
    return s->classes == NULL || text[0] < 0x80 ? 1 : bipe_cut_class_at(s->classes, text, size, class);
}

/* That which ends before `end`, of at most `room` bytes. */
static inline uint8_t class_before(const bipe_cut_stream *s, const uint8_t *end, size_t room)
{
    return s->classes == NULL || end[-1] < 0x80 ? end[-1] : bipe_cut_class_before(s->classes, end, room);
}

/* Bit i: there is a border before text[i] (and behind text[i - 1]). */
static inline uint64_t borders_of(const bipe_cut_borders *borders, const uint8_t *text)
{
    uint64_t mask = 0, behind = 0;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        mask |= (borders->row[text[i - 1]][text[i] >> 6] >> (text[i] & 63) & 1) << i;
    if (!borders->looks)
        return mask;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        behind |= (uint64_t)borders->behind[text[i + 1]] << i;
    return mask & behind;
}

/* Bit i: text[i] is not ASCII. */
static inline uint64_t beyond_ascii(const uint8_t *text)
{
    const uint64_t tops = UINT64_C(0x8080808080808080);
    uint64_t all = 0, mask = 0, eight[CHUNK / 8];
    memcpy(eight, text, sizeof eight);
    for (size_t k = 0; k < CHUNK / 8; k++)
        all |= eight[k];
    if ((all & tops) == 0)
        return 0;
    for (size_t k = 0; k < CHUNK / 8; k++) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight[k] = __builtin_bswap64(eight[k]);
#endif
        /* The product gathers the eight bits, each of which is moved to a place of its own, in the highest byte. */
        mask |= ((eight[k] & tops) >> 7) * UINT64_C(0x0102040810204080) >> 56 << 8 * k;
    }
    return mask;
}

/* The same for those places whose bits are set in `at`, told by classes; `room` bytes stand before text[0]. */
__attribute__((noinline)) static uint64_t borders_of_classes(const bipe_cut_stream *s, const uint8_t *text, size_t room, uint64_t at)
{
    const bipe_cut_borders *borders = s->borders;
    uint64_t mask = 0;
    while (at != 0) {
        size_t i = (size_t)__builtin_ctzll(at);
        uint8_t x, y, z;
        while (i < CHUNK && (text[i] & 0xC0) == 0x80)
            i++; /* the rest of a character */
        if (i == CHUNK)
            break;
        x = class_before(s, text + i, room + i);
        size_t n = class_at(s, text + i, CHUNK_READ - i, &y), next;
        do {
            next = class_at(s, text + i + n, CHUNK_READ - i - n, &z);
            mask |= (borders->row[x][y >> 6] >> (y & 63) & borders->behind[z] & 1) << i;
            x = bipe_cut_class_behind(s->classes, x, y);
            y = z;
            i += n;
            n = next;
        } while (i < CHUNK && (at >> i & 1) != 0);
        at = i < CHUNK ? at & UINT64_MAX << i : 0;
    }
    return mask;
}

/* The same for all; what stands beside a byte of ASCII and behind it tells which. */
static inline uint64_t borders_of_text(const bipe_cut_stream *s, const uint8_t *text, size_t room)
{
    uint64_t mask = borders_of(s->borders, text);
    if (s->classes == NULL)
        return mask;
    uint64_t beyond = beyond_ascii(text), ends = text[-1] >> 7 | (uint64_t)(text[CHUNK] >> 7) << (CHUNK - 1);
    uint64_t at = beyond | beyond << 1 | beyond >> 1 | ends;
    return at == 0 ? mask : (mask & ~at) | borders_of_classes(s, text, room, at);
}

/* Whether there is one between x and what text[0 .. size), size > 0, begins with. */
static bool is_border(const bipe_cut_stream *s, uint8_t x, const uint8_t *text, size_t size)
{
    uint8_t y, z;
    size_t n = class_at(s, text, size, &y);
    if (!bipe_cut_border(s->borders, x, y))
        return false;
    if (!s->borders->looks)
        return true;
    if (n < size)
        class_at(s, text + n, size - n, &z);
    return n < size && s->borders->behind[z] != 0;
}

/* A unit of the group that is not known, by the encoder, whose tokens are taken off its list again. BIPE_END: it is the last, its tokens are put
 * aside, and so is where the encoder stands. */
static int encode_alone(bipe_cut_stream *s, bipe_new_word *unit, bipe_piece_tokens *pieces, bipe_error *err)
{
    bipe_tokens *tokens = s->tokens;
    struct bipe_token_ends *ends = tokens->ends;
    size_t first = tokens->count;
    uint64_t position = *s->position, start = s->group_base + (uint64_t)(unit->text - s->group_text);
    *s->position = start;
    tokens->ends = NULL;
    int status = s->encode(s->context, unit->text, unit->size, true, &s->clean, err);
    tokens->ends = ends;
    size_t count = tokens->count - first;
    if (status == BIPE_OK && bipe_grow(&pieces->token, &pieces->capacity, pieces->count + count + 1, sizeof *pieces->token) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK) {
        tokens->count = first;
        return status;
    }
    unit->at = pieces->count;
    unit->count = count;
    bool told = s->clean && tell(s, unit->text, unit->size, start, tokens, first, pieces->token + unit->at);
    tokens->count = first;
    if (told) {
        pieces->count += count;
        *s->position = position;
        return BIPE_OK;
    }
    if (bipe_grow(&s->aside.token, &s->aside.capacity, count, sizeof *s->aside.token) != 0)
        return bipe_fail_memory(err);
    if (count != 0)
        memcpy(s->aside.token, tokens->token + first, count * sizeof *s->aside.token);
    s->aside.count = count;
    s->is_aside = true;
    s->position_aside = *s->position;
    *s->position = position;
    return BIPE_END;
}

/* Whether there are borders between x, some byte of ASCII, and the unit: *between. It is mostly the same. */
static bool find_between(const bipe_cut_stream *s, uint8_t x, const bipe_new_word *unit, uint8_t *between)
{
    const bipe_cut_borders *borders = s->borders;
    uint8_t first = *between, begins;
    class_at(s, unit->text, unit->size, &begins);
    do {
        bool before = bipe_cut_border(borders, x, *between) && (!borders->looks || borders->behind[begins] != 0);
        if (before && is_border(s, *between, unit->text, unit->size))
            return true;
        *between = (*between + 1) & 0x7F;
    } while (*between != first);
    return false;
}

/* Copies units from the front of the list to s->joined, as long as there is a border between each and the next, or a byte between
 * which and either there is one (`at` is 1 then): how many, or 0 where memory is out. */
static size_t join(bipe_cut_stream *s, bipe_new_word *unit, size_t count)
{
    size_t n = 0;
    bipe_error err;
    s->joined.size = 0;
    for (; n < count && s->joined.size < JOINED && unit[n].size <= JOINED; n++) {
        uint8_t last = n != 0 ? class_before(s, s->joined.data + s->joined.size, s->joined.size) : 0;
        unit[n].at = n != 0 && !is_border(s, last, unit[n].text, unit[n].size);
        if (unit[n].at != 0 && !find_between(s, last, &unit[n], &s->between))
            break;
        if (bipe_buffer_append(&s->joined, &s->between, unit[n].at, &err) != BIPE_OK ||
            bipe_buffer_append(&s->joined, unit[n].text, unit[n].size, &err) != BIPE_OK)
            return 0;
    }
    return n;
}

/* Takes the tokens that end up to `end` off the front of a list, and gives them to the empty *own; false: some of them, standing for
 * nothing there, may be of what is behind. */
static bool take_own(bipe_tokens *tokens, uint64_t end, bipe_tokens *own)
{
    bool sure = true;
    own->token = tokens->token;
    for (; tokens->count != 0 && tokens->token->end <= end; tokens->token++, tokens->count--, own->count++)
        sure = sure && tokens->token->start < end;
    return sure;
}

/* Parts the tokens from number `first` on among the joined units, the first of which starts at `start`: of how many from the first on they can
 * be told by their ends. There is room for the pieces. */
static size_t part(const bipe_cut_stream *s, bipe_new_word *unit, size_t count, uint64_t start, const bipe_tokens *tokens, size_t first,
                 bipe_piece_tokens *pieces)
{
    bipe_tokens left = {.token = tokens->count != first ? tokens->token + first : NULL, .count = tokens->count - first};
    size_t n = 0;
    for (; n < count; n++) {
        bipe_tokens between = {0}, own = {0};
        start += unit[n].at;
        bool told = (unit[n].at == 0 || take_own(&left, start, &between)) && take_own(&left, start + unit[n].size, &own) &&
                    tell(s, unit[n].text, unit[n].size, start, &own, 0, pieces->token + pieces->count);
        /* Nothing may be left, or reach across. */
        bool others = left.count != 0 && (n + 1 == count || left.token->start < start + unit[n].size);
        if (!told || others)
            break;
        start += unit[n].size;
        unit[n].at = pieces->count;
        unit[n].count = own.count;
        pieces->count += own.count;
    }
    return n;
}

/* The joined units by the encoder at once: of how many from the first on that did. */
static size_t encode_parted(bipe_cut_stream *s, bipe_new_word *unit, size_t count, bipe_piece_tokens *pieces)
{
    bipe_tokens *tokens = s->tokens;
    struct bipe_token_ends *ends = tokens->ends;
    size_t first = tokens->count;
    uint64_t position = *s->position, start = s->group_base + (uint64_t)(unit->text - s->group_text);
    bool clean = true;
    bipe_error err;
    *s->position = start;
    tokens->ends = NULL;
    int status = s->encode_joined(s->context, s->joined.data, s->joined.size, true, &clean, &err);
    tokens->ends = ends;
    *s->position = position;
    bool did = clean && status == BIPE_OK &&
               bipe_grow(&pieces->token, &pieces->capacity, pieces->count + tokens->count - first + 1, sizeof *pieces->token) == 0;
    size_t done = did ? part(s, unit, count, start, tokens, first, pieces) : 0;
    tokens->count = first;
    return done;
}

/* Units from the front of those of the group that are not known, together; *done. BIPE_END: none of them. */
static int encode_together(bipe_cut_stream *s, bipe_new_word *unit, size_t count, bipe_piece_tokens *pieces, size_t *done)
{
    if (s->alone != 0) {
        s->alone--;
        return BIPE_END;
    }
    size_t n = join(s, unit, count);
    if (n < 2)
        return BIPE_END;
    *done = encode_parted(s, unit, n, pieces);
    /* The next one is encoded by itself; where few were done before it, so are the others, and more each time. */
    bool few = *done < n / 2 || *done == 0;
    s->patience = !few ? 0 : s->patience < MANY ? 2 * s->patience + 1 : s->patience;
    s->alone = few ? n - *done + s->patience : *done != n;
    if (*done != 0)
        return BIPE_OK;
    s->alone--;
    return BIPE_END;
}

/* Those of the group that are not known. */
static int encode_unknown(void *context, bipe_new_word *unit, size_t count, bipe_piece_tokens *pieces, size_t *done, bipe_error *err)
{
    bipe_cut_stream *s = context;
    int status = BIPE_OK;
    *done = 0;
    while (status == BIPE_OK && *done < count) {
        size_t some = 0;
        status = s->encode_words != NULL    ? s->encode_words(s->context, unit + *done, count - *done, pieces, &some, err)
                 : s->encode_joined != NULL ? encode_together(s, unit + *done, count - *done, pieces, &some)
                                            : BIPE_END;
        *done += some;
        if (status == BIPE_END && (status = encode_alone(s, &unit[*done], pieces, err)) == BIPE_OK)
            ++*done;
    }
    return status;
}

/* Tokens from number `first` on start behind gaps. Not inlined, since the loop that finds borders is slower with it. */
__attribute__((noinline)) static void leave_gaps(const bipe_cut_stream *s, const uint8_t *text, uint64_t base, bipe_tokens *tokens,
                                                 size_t first)
{
    const uint8_t *gap = gap_of(s);
    for (size_t i = first; i < tokens->count; i++) {
        bipe_token *t = &tokens->token[i];
        t->start += (t->start < t->end) & (gap[text[t->start - base]] == 1); /* nothing foretells one, but mostly there are no more */
        if (t->start < t->end && gap[text[t->start - base]] != 0)
            t->start = behind_gap(s, text, base, t->start, t->end);
    }
}

/* n <= BIPE_WORD_GROUP units text[start[k] .. start[k + 1]); *taken of them. BIPE_WORD_READ bytes of each may be read. */
static int take_group(bipe_cut_stream *s, const uint8_t *text, const uint32_t *start, size_t n, bipe_tokens *tokens, size_t *taken,
                      bipe_error *err)
{
    uint64_t base = *s->position - start[0]; /* of text[0] */
    s->tokens = tokens;
    s->group_base = base;
    s->group_text = text;
    size_t first = tokens->count;
    int status = bipe_word_group_take(&s->units, text, start, n, base, tokens, taken, err);
    if (s->gaps)
        leave_gaps(s, text, base, tokens, first);
    *s->position = base + start[*taken];
    if (!s->is_aside)
        return status;
    s->is_aside = false;
    ++*taken;
    *s->position = s->position_aside;
    if (status != BIPE_END)
        return status;
    if ((status = make_room(tokens, s->aside.count, err)) != BIPE_OK)
        return status;
    if (s->aside.count != 0)
        memcpy(tokens->token + tokens->count, s->aside.token, s->aside.count * sizeof *s->aside.token);
    tokens->count += s->aside.count;
    return BIPE_OK;
}

/* Units that are known, whatever borders there are in them; none of them: the text may end with any. */
typedef struct given {
    const bipe_cut_unit *unit;
    size_t units, next;
} given;

/* Bits [from, to) of a mask. */
static inline uint64_t bits(size_t from, size_t to)
{
    return to <= from ? 0 : UINT64_MAX >> (CHUNK - (to - from)) << from;
}

/* Sets the beginnings and ends of units in the mask of the bytes from `at` on, and takes away what is in them, or behind the last. *more: its
 * end is not among these bytes. */
static inline uint64_t give(given *g, size_t at, uint64_t mask, bool *more)
{
    for (; g->next < g->units && g->unit[g->next].start < at + CHUNK; g->next++) {
        size_t start = g->unit[g->next].start, end = g->unit[g->next].end;
        mask &= ~bits(start < at ? 0 : start - at, end < at + CHUNK ? end - at : CHUNK);
        if (start >= at)
            mask |= UINT64_C(1) << (start - at);
        if (end >= at + CHUNK)
            break;
        mask |= UINT64_C(1) << (end - at);
        if (g->next + 1 == g->units)
            mask &= bits(0, end - at + 1);
    }
    *more = g->next < g->units;
    return mask;
}

/* Takes whole units at the front of the text, as long as the stream is clean; *taken bytes. The rest is a unit that does not end in the
 * text, or less than CHUNK_READ bytes behind the beginning of one, or (if it is not clean, or not given) more. */
static int take_many(bipe_cut_stream *s, const uint8_t *text, size_t size, given g, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    uint32_t start[BIPE_WORD_GROUP + CHUNK + 1];
    size_t n = 0;
    int status = BIPE_OK;
    start[0] = 0;
    s->ahead = s->ahead != 0 ? s->ahead : FEWEST;
    if (size > MANY)
        size = MANY;
    /* A chunk begins behind the first byte, so that there is one before it. */
    for (size_t at = 1; status == BIPE_OK && s->clean; at += CHUNK) {
        bool more = at < size && size - at >= CHUNK_READ;
        uint64_t mask = more ? borders_of_text(s, text + at, at) : 0;
        if (more && g.units != 0)
            mask = give(&g, at, mask, &more);
        for (; mask != 0; mask &= mask - 1)
            start[++n] = (uint32_t)at + (uint32_t)__builtin_ctzll(mask);
        if (n < s->ahead && more)
            continue;
        size_t from = 0, done;
        while (status == BIPE_OK && s->clean && from < n) {
            status = take_group(s, text, start + from, n - from < BIPE_WORD_GROUP ? n - from : BIPE_WORD_GROUP, tokens, &done, err);
            from += done;
        }
        s->ahead = from < n ? FEWEST : s->ahead < BIPE_WORD_GROUP ? 2 * s->ahead : s->ahead;
        start[0] = start[from];
        n = 0;
        if (!more)
            break;
    }
    *taken = start[0];
    return status;
}

/* Takes the whole units among the held bytes, of which many may be taken where they stand once those before `before` are done; *taken of them. */
static int take_held(bipe_cut_stream *s, size_t before, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    int status = BIPE_OK;
    *taken = 0;
    for (size_t i = 1; status == BIPE_OK && i < s->count && !(s->clean && *taken > before); i++)
        if (is_border(s, class_before(s, s->held + i, i), s->held + i, s->count - i)) {
            status = take_unit(s, s->held + *taken, i - *taken, tokens, err);
            *taken = i;
        }
    return status;
}

/* Gives bytes of a unit to the encoder, whose end has not come. */
static int begin_long(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    s->open = true;
    s->last = class_before(s, bytes + size, size);
    return s->encode(s->context, bytes, size, false, &s->clean, err);
}

/* The same for the next bytes, up to the end of the unit if it is among them; *taken. */
static int go_on_long(bipe_cut_stream *s, const uint8_t *bytes, size_t size, size_t *taken, bipe_error *err)
{
    size_t n = 0;
    uint8_t last = s->last;
    while (n < size && !is_border(s, last, bytes + n, size - n)) {
        uint8_t class;
        n += class_at(s, bytes + n, size - n, &class);
        last = s->classes != NULL ? bipe_cut_class_behind(s->classes, last, class) : class;
    }
    s->last = last;
    s->open = n == size;
    *taken = n;
    return s->encode(s->context, bytes, n, !s->open, &s->clean, err);
}

/* Adds bytes to those that are held, takes the units that this completes; *taken of the bytes are done with. */
static int take_few(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    size_t before = s->count, room = BIPE_CUT_HELD - before, n = size < room ? size : room, done;
    memcpy(s->held + before, bytes, n);
    s->count = before + n;
    *taken = n;
    int status = take_held(s, before, tokens, &done, err);
    if (status != BIPE_OK)
        return status;
    if (done == 0 && s->count == BIPE_CUT_HELD) {
        s->count = 0;
        return begin_long(s, s->held, BIPE_CUT_HELD, err);
    }
    if (done >= before && n < size) {
        *taken = done - before; /* the rest of them is taken where it stands */
        s->count = 0;
    } else {
        s->count -= done;
        memmove(s->held, s->held + done, s->count);
    }
    return BIPE_OK;
}

static int open_units(bipe_cut_stream *s, bipe_error *err)
{
    s->units.encode = encode_unknown;
    s->units.context = s;
    return bipe_word_group_open(&s->units) == 0 ? BIPE_OK : bipe_fail_memory(err);
}

int bipe_cut_stream_take(bipe_cut_stream *s, const uint8_t *bytes, size_t size, const bipe_cut_unit *unit, size_t units,
                         bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    *taken = 0;
    int status = open_units(s, err);
    return status == BIPE_OK && units != 0 ? take_many(s, bytes, size, (given){.unit = unit, .units = units}, tokens, taken, err) : status;
}

static int feed(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    int status = open_units(s, err);
    while (status == BIPE_OK && size != 0) {
        size_t taken = 0;
        bool many = bipe_cut_stream_is_even(s) && size > CHUNK_READ;
        if (s->open)
            status = go_on_long(s, bytes, size, &taken, err);
        else if (many)
            status = take_many(s, bytes, size, (given){0}, tokens, &taken, err);
        if (many && status == BIPE_OK && taken == 0 && size > BIPE_CUT_HELD) {
            taken = 1;
            status = begin_long(s, bytes, 1, err);
        } else if (status == BIPE_OK && taken == 0 && !s->open) {
            status = take_few(s, bytes, size, tokens, &taken, err);
        }
        bytes += taken;
        size -= taken;
    }
    return status;
}

int bipe_cut_stream_feed(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    struct bipe_token_ends *ends = tokens->ends;
    if (s->gaps)
        tokens->ends = NULL; /* starts are told first */
    int status = feed(s, bytes, size, tokens, err);
    tokens->ends = ends;
    return status;
}

int bipe_cut_stream_end(bipe_cut_stream *s, bipe_error *err)
{
    size_t n = s->count;
    s->count = 0;
    return n != 0 ? s->encode(s->context, s->held, n, false, &s->clean, err) : BIPE_OK;
}
