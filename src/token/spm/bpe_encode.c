/* bpe_encode.c - text to pieces by a byte-pair or a Unigram model:
 *
 *   bytes -> characters -> SentencePiece's rules -> user-defined symbols -> symbols -> merges, or the best pieces
 *
 * Between two symbols that no merge can join (bpe->crossings) a long row is cut, and each part is merged by itself. */
#include "token/spm/bpe_encode.h"

#include "base/alloc.h"
#include "token/char_reader.h"

/* ---- pieces out ---- */

int bipe_bpe_emit(bipe_bpe_scratch *s, uint32_t id, uint32_t size, bipe_error *err)
{
    s->at += size;
    bipe_piece_tokens *out = s->out;
    if (id == s->bpe->unk && out->count != s->first && out->token[out->count - 1].id == id) {
        out->token[out->count - 1].end = s->at;
        return BIPE_OK;
    }
    return bipe_piece_tokens_add(out, id, s->at, err);
}

/* The bytes of the document that byte k of n comes from, when all n come from `size` of them. */
static uint32_t byte_share(size_t k, size_t n, uint32_t size)
{
    return size == n ? 1 : k + 1 == n ? size : 0;
}

int bipe_bpe_emit_unknown(bipe_bpe_scratch *s, uint32_t code, uint32_t size, bipe_error *err)
{
    uint8_t bytes[4];
    size_t n = bipe_char_bytes(code, bytes);
    if (!s->bpe->byte_fallback)
        return bipe_bpe_emit(s, (uint32_t)s->bpe->unk, size, err);
    int status = BIPE_OK;
    for (size_t k = 0; status == BIPE_OK && k < n; k++)
        status = bipe_bpe_emit(s, s->bpe->byte_id[bytes[k]], byte_share(k, n, size), err);
    return status;
}

/* Those above the vocabulary are characters that only merges could have made part of a piece. */
static int emit_symbol(bipe_bpe_scratch *s, uint32_t symbol, uint32_t size, bipe_error *err)
{
    size_t count = s->bpe->vocabulary.count;
    return symbol < count ? bipe_bpe_emit(s, symbol, size, err)
                          : bipe_bpe_emit_unknown(s, s->bpe->extra.code[symbol - count], size, err);
}

/* Characters in the text of a symbol. */
static size_t characters_of(const bipe_bpe *bpe, uint32_t symbol)
{
    if (symbol >= bpe->vocabulary.count)
        return 1;
    size_t size, count = 0;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, symbol, &size);
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* The pieces that merges made of characters of these sizes; an unused piece: its halves, theirs, and so on. */
static int emit_split(bipe_bpe_scratch *s, uint32_t symbol, const uint32_t *sizes, bipe_error *err)
{
    for (size_t depth = 0;;) {
        const bipe_pair_entry *e = bipe_pair_table_find(&s->bpe->splits, symbol, 0);
        if (e != NULL) {
            if (bipe_grow(&s->stack, &s->stack_capacity, depth + 1, sizeof *s->stack) != 0)
                return bipe_fail_memory(err);
            s->stack[depth++] = e->b;
            symbol = e->a;
            continue;
        }
        uint32_t size = 0;
        for (size_t n = characters_of(s->bpe, symbol); n != 0; n--)
            size += *sizes++;
        int status = emit_symbol(s, symbol, size, err);
        if (status != BIPE_OK || depth == 0)
            return status;
        symbol = s->stack[--depth];
    }
}

/* ---- merges ---- */

/* Merges symbols [from, to) of the row. */
static int merge_part(bipe_bpe_scratch *s, size_t from, size_t to, bipe_error *err)
{
    size_t n = to - from, k = 0;
    uint32_t *symbol = s->row.symbol + from, *size = s->row.size + from, *end = s->row.end + from;
    int status = bipe_merge_row(&s->row.memory, &s->bpe->merges, symbol, end, &n, err);
    for (size_t i = 0; status == BIPE_OK && i < n; i++) {
        size_t first = k;
        uint32_t bytes = 0;
        while (k < end[i])
            bytes += size[k++];
        bool split = s->bpe->splits.count != 0 && bipe_pair_table_find(&s->bpe->splits, symbol[i], 0) != NULL;
        status = split ? emit_split(s, symbol[i], size + first, err) : emit_symbol(s, symbol[i], bytes, err);
    }
    return status;
}

static int merge_row(bipe_bpe_scratch *s, bipe_error *err)
{
    size_t from = 0, count = s->row.count;
    int status = BIPE_OK;
    s->row.count = 0;
    for (size_t to = 1; status == BIPE_OK && count > BIPE_MERGE_SHORT && to < count; to++)
        if (bipe_pair_table_find(&s->bpe->crossings, s->row.symbol[to - 1], s->row.symbol[to]) == NULL) {
            status = merge_part(s, from, to, err);
            from = to;
        }
    return status == BIPE_OK && from < count ? merge_part(s, from, count, err) : status;
}

/* ---- symbols ---- */

/* A character that is no piece. */
static int add_unknown_character(bipe_bpe_scratch *s, bipe_character c, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    if (bpe->byte_fallback) {
        uint8_t bytes[4];
        size_t n = bipe_char_bytes(c.code, bytes);
        int status = BIPE_OK;
        for (size_t k = 0; status == BIPE_OK && k < n; k++)
            status = bipe_symbol_row_add(&s->row, bpe->byte_id[bytes[k]], byte_share(k, n, c.size), err);
        return status;
    }
    return bipe_symbol_row_add(&s->row, (uint32_t)bpe->unk, c.size, err);
}

/* Characters in which nothing else is looked for. */
static int merge_characters(bipe_bpe_scratch *s, size_t from, size_t to, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = from; status == BIPE_OK && i < to; i++) {
        bipe_character c = s->characters.character[i];
        uint32_t symbol = bipe_bpe_symbol(s->bpe, c.code);
        status = symbol != BIPE_NO_SYMBOL ? bipe_symbol_row_add(&s->row, symbol, c.size, err)
                                          : add_unknown_character(s, c, err);
    }
    return status == BIPE_OK ? merge_row(s, err) : status;
}

/* The longest user-defined symbol that the characters from `at` on begin with: where it ends, and its id; or `at`. */
static size_t find_symbol(const bipe_bpe_scratch *s, size_t at, uint32_t *id)
{
    const bipe_piece_trie *symbols = &s->bpe->rules.symbols;
    size_t end = at;
    uint32_t node = 0;
    for (size_t i = at; i < s->characters.count && s->characters.character[i].code < BIPE_BAD_BYTE; i++) {
        uint8_t bytes[4];
        size_t size = bipe_char_bytes(s->characters.character[i].code, bytes), k = 0;
        while (k < size && (node = bipe_piece_trie_step(symbols, node, bytes[k])) != 0)
            k++;
        if (node == 0)
            break;
        if (symbols->node[node].value != BIPE_TRIE_NONE) {
            *id = symbols->node[node].value;
            end = i + 1;
        }
    }
    return end;
}

/* User-defined symbols, with which nothing merges, and the text between them. */
static int encode_characters(bipe_bpe_scratch *s, bipe_error *err)
{
    const bipe_characters *c = &s->characters;
    size_t from = 0, end;
    uint32_t id = 0;
    int status = BIPE_OK;
    s->row.count = 0;
    for (size_t at = 0;
         status == BIPE_OK && s->bpe->rules.symbols.size != 0 && at<c->count; at = end> at ? end : at + 1) {
        uint32_t size = 0;
        if ((end = find_symbol(s, at, &id)) == at)
            continue;
        for (size_t i = at; i < end; i++)
            size += c->character[i].size;
        status = merge_characters(s, from, at, err);
        if (status == BIPE_OK)
            status = bipe_bpe_emit(s, id, size, err);
        from = end;
    }
    return status == BIPE_OK ? merge_characters(s, from, c->count, err) : status;
}

/* ---- spaces ---- */

/* Rules that do no more than put a prefix in front and change spaces. */
static int change_spaces(const bipe_spm_rules *r, const uint8_t *bytes, size_t size, bool begins, bipe_characters *c,
                         bipe_error *err)
{
    int status = begins && r->dummy_prefix ? bipe_characters_add(c, r->space, 0, err) : BIPE_OK;
    for (size_t i = 0, length; status == BIPE_OK && i < size; i += length) {
        uint32_t code;
        length = bipe_char_at(bytes + i, size - i, &code);
        status = bipe_characters_add(c, code == ' ' ? r->space : code, (uint32_t)length, err);
    }
    return status;
}

int bipe_bpe_encode(bipe_bpe_scratch *s, const uint8_t *bytes, size_t size, bool begins, bool ends,
                    bipe_piece_tokens *pieces, size_t *gap, bipe_error *err)
{
    const bipe_bpe *bpe = s->bpe;
    s->out = pieces;
    s->first = pieces->count;
    s->at = 0;
    s->characters.count = 0;
    *gap = 0;
    int status = bpe->has_rules ? bipe_spm_normalize(&bpe->rules, bytes, size, begins, ends, &s->characters, gap, err)
                            : change_spaces(&bpe->rules, bytes, size, begins, &s->characters, err);
    if (status == BIPE_OK)
        status = bpe->unigram != NULL ? bipe_unigram_encode(s, err) : encode_characters(s, err);
    return status;
}

int bipe_bpe_add_pieces(bipe_tokens *tokens, uint64_t offset, const bipe_piece_token *piece, size_t count,
                        bipe_error *err)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + count, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    uint64_t at = offset;
    for (size_t i = 0; i < count; i++, at = offset + piece[i - 1].end)
        tokens->token[tokens->count++] = (bipe_token){.start = at, .end = offset + piece[i].end, .id = piece[i].id};
    return BIPE_OK;
}

int bipe_bpe_encode_alone(bipe_bpe_scratch *s, const uint8_t *bytes, size_t size, uint64_t offset, bool begins,
                          bool ends, bipe_tokens *tokens, bipe_error *err)
{
    size_t gap;
    s->pieces.count = 0;
    int status = bipe_bpe_encode(s, bytes, size, begins, ends, &s->pieces, &gap, err);
    return status == BIPE_OK && s->pieces.count != 0
               ? bipe_bpe_add_pieces(tokens, offset + gap, s->pieces.token, s->pieces.count, err)
               : status;
}
