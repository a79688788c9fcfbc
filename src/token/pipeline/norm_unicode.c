/* norm_unicode.c - the normalizers NFC, NFD, NFKC and NFKD: Unicode's normalization forms (Standard Annex 15) with
 * spans.
 *
 * The text is worked on in runs: from a character to the next one that begins with a starter which nothing before it
 * can combine with. Characters of a run that change places or become one have a span together. */
#include "base/alloc.h"
#include "token/hf_unicode.h"
#include "token/pipeline/normalizers.h"

/* A character on its way, from bytes [from, to) of the text. */
typedef struct part {
    uint32_t code, from, to;
    uint8_t class;
} part;

typedef struct run {
    const bipe_mapped *in;
    bipe_mapped *out;
    bool compatibility, compose;
    part *part, *spare;
    uint32_t *least; /* of the parts from here on, the smallest `from` */
    size_t count, capacity, spare_capacity, least_capacity;
} run;

/* Stretches up to this long are sorted by insertion. */
enum { SHORT_STRETCH = 24 };

/* Sorts parts [from, to), none of which is a starter, by class; equal ones stay in order. */
static int sort_stretch(run *r, size_t from, size_t to, bipe_error *err)
{
    part *p = r->part + from;
    size_t n = to - from;
    if (n <= SHORT_STRETCH) {
        for (size_t i = 1; i < n; i++) {
            part moved = p[i];
            size_t k = i;
            for (; k != 0 && p[k - 1].class > moved.class; k--)
                p[k] = p[k - 1];
            p[k] = moved;
        }
        return BIPE_OK;
    }
    size_t start[257] = {0};
    if (bipe_grow(&r->spare, &r->spare_capacity, n, sizeof *r->spare) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        start[p[i].class + 1]++;
    for (size_t c = 1; c < 257; c++)
        start[c] += start[c - 1];
    for (size_t i = 0; i < n; i++)
        r->spare[start[p[i].class]++] = p[i];
    memcpy(p, r->spare, n * sizeof *p);
    return BIPE_OK;
}

static int reorder_marks(run *r, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < r->count;) {
        if (r->part[i].class == 0) {
            i++;
            continue;
        }
        size_t end = i;
        while (end < r->count && r->part[end].class != 0)
            end++;
        if (end - i > 1)
            status = sort_stretch(r, i, end, err);
        i = end;
    }
    return status;
}

static void compose_parts(run *r)
{
    size_t kept = 0, starter = SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        part p = r->part[i];
        bool next_to = starter != SIZE_MAX && starter + 1 == kept;
        bool free = starter != SIZE_MAX && (next_to || r->part[kept - 1].class < p.class);
        uint32_t both = free ? bipe_hf_compose(r->part[starter].code, p.code) : 0;
        if (both != 0) {
            part *s = &r->part[starter];
            s->code = both;
            s->from = p.from < s->from ? p.from : s->from;
            s->to = p.to > s->to ? p.to : s->to;
            continue;
        }
        if (p.class == 0)
            starter = kept;
        r->part[kept++] = p;
    }
    r->count = kept;
}

/* Gives out the run. Parts whose ranges overlap, or come in another order, have a span together. */
static int flush_characters(run *r, bipe_error *err)
{
    int status = reorder_marks(r, err);
    if (status != BIPE_OK)
        return status;
    if (r->compose && r->count > 1)
        compose_parts(r);
    if (bipe_grow(&r->least, &r->least_capacity, r->count + 1, sizeof *r->least) != 0)
        return bipe_fail_memory(err);
    r->least[r->count] = UINT32_MAX;
    for (size_t i = r->count; i-- != 0;)
        r->least[i] = r->part[i].from < r->least[i + 1] ? r->part[i].from : r->least[i + 1];
    bipe_buffer bytes = {0};
    for (size_t i = 0; status == BIPE_OK && i < r->count;) {
        uint32_t to = 0;
        size_t first = i;
        bytes.size = 0;
        do {
            uint8_t four[4];
            to = r->part[i].to > to ? r->part[i].to : to;
            status = bipe_buffer_append(&bytes, four, bipe_utf8_encode((int32_t)r->part[i].code, four), err);
            i++;
        } while (status == BIPE_OK && i < r->count && r->least[i] < to);
        if (status == BIPE_OK)
            status = bipe_mapped_replace(r->out, bytes.data, bytes.size, r->in, r->least[first], to, err);
    }
    bipe_buffer_free(&bytes);
    r->count = 0;
    return status;
}

/* May it be the second of a pair that has a composite? */
static bool may_follow(uint32_t code, uint8_t class)
{
    if (class != 0)
        return true;
    if (code < 0x300)
        return false;
    return (code >= 0x1161 && code <= 0x11C2) || bipe_hf_is_mark(code);
}

static int add_character(run *r, uint32_t code, size_t from, size_t to, bipe_error *err)
{
    uint32_t codes[BIPE_HF_DECOMPOSED];
    size_t n = bipe_hf_decompose(code, r->compatibility, codes);
    for (size_t i = 0; i < n; i++) {
        uint8_t class = bipe_hf_combining_class(codes[i]);
        if (i == 0 && r->count != 0 && !may_follow(codes[0], class)) {
            int status = flush_characters(r, err);
            if (status != BIPE_OK)
                return status;
        }
        if (bipe_grow(&r->part, &r->capacity, r->count + 1, sizeof *r->part) != 0)
            return bipe_fail_memory(err);
        r->part[r->count++] = (part){.code = codes[i], .from = (uint32_t)from, .to = (uint32_t)to, .class = class};
    }
    return BIPE_OK;
}

int bipe_normalize_form(const bipe_mapped *in, bipe_mapped *out, bool compatibility, bool composed, bipe_error *err)
{
    run r = {.in = in, .out = out, .compatibility = compatibility, .compose = composed};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->size;) {
        /* ASCII that no mark follows stays as it is, and so does a broken byte, which nothing combines with. */
        size_t plain = i;
        while (plain < in->size && in->text[plain] < 0x80 && (plain + 1 == in->size || in->text[plain + 1] < 0x80))
            plain++;
        uint32_t code = 0;
        size_t n = plain == i ? bipe_step_char(in->text, in->size, i, &code) : plain - i;
        if (plain == i && code < BIPE_BAD_BYTE) {
            status = add_character(&r, code, i, i + n, err);
        } else {
            status = flush_characters(&r, err);
            if (status == BIPE_OK)
                status = bipe_mapped_copy(out, in, i, i + n, err);
        }
        i += n;
    }
    if (status == BIPE_OK)
        status = flush_characters(&r, err);
    bipe_free(r.part);
    bipe_free(r.spare);
    bipe_free(r.least);
    return status;
}

static int run_nfc(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    (void)config;
    return bipe_normalize_form(in, out, false, true, err);
}

static int run_nfd(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    (void)config;
    return bipe_normalize_form(in, out, false, false, err);
}

static int run_nfkc(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    (void)config;
    return bipe_normalize_form(in, out, true, true, err);
}

static int run_nfkd(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    (void)config;
    return bipe_normalize_form(in, out, true, false, err);
}

/* A character of ASCII is a starter, has no decomposition and is not composed with the one before it. */
static void pairs_of_form(const void *config, bipe_pairs *pairs)
{
    (void)config;
    bipe_pairs_become(pairs, bipe_only_ascii, NULL);
}

const bipe_normalizer_type bipe_norm_nfc = {.name = "NFC", .open = bipe_open_bare, .run = run_nfc,
                                            .pairs = pairs_of_form};
const bipe_normalizer_type bipe_norm_nfd = {.name = "NFD", .open = bipe_open_bare, .run = run_nfd,
                                            .pairs = pairs_of_form};
const bipe_normalizer_type bipe_norm_nfkc = {.name = "NFKC", .open = bipe_open_bare, .run = run_nfkc,
                                             .pairs = pairs_of_form};
const bipe_normalizer_type bipe_norm_nfkd = {.name = "NFKD", .open = bipe_open_bare, .run = run_nfkd,
                                             .pairs = pairs_of_form};
