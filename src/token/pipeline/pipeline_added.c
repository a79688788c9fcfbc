/* pipeline_added.c - the added tokens of a pipeline: strings that are found before anything else looks at the text.
 *
 * As in Hugging Face's library, those that are not normalized are found in the text as it is, the others in the
 * normalized text between them. A string that is special and was not asked for is found and left as text: it hides what
 * overlaps it (the library's `encode_special_tokens`). Where nothing is normalized, both are looked for at once if that is the
 * same. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/json_members.h"
#include "token/pipeline/pipeline.h"
#include "token/pipeline/step_text.h"

/* ---- which cuts a string forbids ---- */

static bool is_ascii_letter(uint8_t c)
{
    return (unsigned)(c | 0x20) - 'a' < 26;
}

static unsigned cuts_beside(const uint8_t *text, size_t size, const bipe_added *a)
{
    unsigned cuts = BIPE_CUT_ALL | BIPE_CUT_IDEOGRAPH;
    for (size_t i = 0; i < size; i++)
        if (text[i] == ' ' || text[i] >= 0x80)
            cuts &= ~(unsigned)BIPE_CUT_IDEOGRAPH;
    for (size_t i = 0; i + 1 < size; i++) {
        bool letter = is_ascii_letter(text[i]), next = is_ascii_letter(text[i + 1]);
        if (letter && text[i + 1] == ' ')
            cuts &= ~(unsigned)BIPE_CUT_SPACE;
        if (letter && text[i + 1] == '\n')
            cuts &= ~(unsigned)BIPE_CUT_NEWLINE;
        if (text[i] == ' ' && next)
            cuts &= ~(unsigned)BIPE_CUT_AFTER;
        if (text[i] == '\n' && (next || text[i + 1] >= 0x80))
            cuts &= ~(unsigned)BIPE_CUT_LINE;
    }
    uint8_t first = text[0], last = text[size - 1];
    if (memchr(text, ' ', size) != NULL)
        cuts &= ~(unsigned)BIPE_CUT_SEEN_SPACE;
    if (memchr(text, '\n', size) != NULL)
        cuts &= ~(unsigned)(BIPE_CUT_SEEN_NEWLINE | BIPE_CUT_ANY_NEWLINE);
    if (a->right || a->left || memchr(text, ' ', size) != NULL) /* a space may have been a newline */
        cuts &= ~(unsigned)BIPE_CUT_ANY_NEWLINE;
    if (a->right && last > ' ' && last < 0x7F)
        cuts &= ~(unsigned)(BIPE_CUT_SEEN_SPACE | BIPE_CUT_SEEN_NEWLINE);
    if (a->right && is_ascii_letter(last))
        cuts &= ~(unsigned)(BIPE_CUT_SPACE | BIPE_CUT_NEWLINE);
    if (a->left && (is_ascii_letter(first) || first >= 0x80))
        cuts &= ~(unsigned)(BIPE_CUT_AFTER | BIPE_CUT_LINE);
    /* What is stripped ends beside the string, and of the letters beside a place nothing else of ASCII is left. */
    if (memchr(text, ' ', size) != NULL || (a->left && (first >= 0x80 || is_ascii_letter(first))) ||
        (a->right && (last >= 0x80 || is_ascii_letter(last))))
        cuts &= ~(unsigned)BIPE_CUT_WORD;
    if (a->word && (first == ' ' || first == '\n'))
        cuts &= ~(unsigned)(BIPE_CUT_SPACE | BIPE_CUT_NEWLINE);
    if (a->word && (last == ' ' || last == '\n'))
        cuts &= ~(unsigned)(BIPE_CUT_AFTER | BIPE_CUT_LINE);
    return cuts;
}

int bipe_pipeline_look_for(bipe_pipeline *p, const void *text, size_t size, bipe_added added, bool normalized, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    p->keeps &= cuts_beside(text, size, &added);
    if (!normalized)
        return bipe_added_set_add(&p->raw, text, size, added, err);
    bipe_mapped changed = {.first = true}, spare = {0};
    int status = bipe_mapped_put(&changed, text, size, 0, (uint32_t)size, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &changed, &spare, err);
    if (status == BIPE_OK && changed.size == 0 && !added.text) /* the library cuts the text everywhere then */
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.*s\": normalizing leaves nothing of it", (int)(size < 40 ? size : 40), (const char *)text);
    if (status == BIPE_OK && changed.size != 0) {
        unsigned cuts = cuts_beside(changed.text, changed.size, &added);
        p->keeps &= p->spaces ? bipe_cuts_of_spaces(cuts) : cuts;
        status = bipe_added_set_add(&p->inside, changed.text, changed.size, added, err);
    }
    bipe_mapped_free(&changed);
    bipe_mapped_free(&spare);
    return status;
}

/* ---- "added_tokens" ---- */

typedef struct added_token {
    const char *text;
    size_t size;
    bipe_added added;
    bool special, normalized;
} added_token;

static int read_token(const json_t *object, added_token *token, bipe_error *err)
{
    static const char *const known[] = {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special", NULL};
    const json_t *id = json_object_get(object, "id"), *content = json_object_get(object, "content");
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= BIPE_VOCABULARY_LIMIT ||
        !json_is_string(content))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an \"id\" below %d and a \"content\"", BIPE_VOCABULARY_LIMIT);
    int status = bipe_json_only(object, known, err);
    token->added.id = (uint32_t)json_integer_value(id);
    token->text = json_string_value(content);
    token->size = json_string_length(content);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "special", false, &token->special, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "normalized", !token->special, &token->normalized, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "lstrip", false, &token->added.left, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "rstrip", false, &token->added.right, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "single_word", false, &token->added.word, err);
    return status;
}

/* Gives the token its place among the ids. The library goes by the text: it takes the id that the model has for
 * it, else the next behind all; a file that says otherwise would not mean what it says. */
static int place_token(bipe_pipeline *p, const added_token *token, size_t model_count, int64_t *largest, bipe_error *err)
{
    uint32_t id = token->added.id;
    int64_t known = bipe_vocabulary_find(&p->vocabulary, token->text, token->size);
    int64_t expected = known != BIPE_NO_PIECE ? known : *largest >= (int64_t)model_count ? *largest + 1 : (int64_t)model_count;
    if (expected != id)
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.40s\" has the id %" PRIu32 ", expected %" PRId64, token->text, id, expected);
    if (known == BIPE_NO_PIECE) {
        if (id < p->vocabulary.count)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": the id %" PRIu32 " lies in a gap of the vocabulary", token->text, id);
        int status = bipe_vocabulary_append(&p->vocabulary, token->text, token->size, err);
        if (status != BIPE_OK)
            return status;
        if (bipe_vocabulary_index(&p->vocabulary, id) == BIPE_NO_PIECE)
            return bipe_fail_memory(err);
    }
    if (*largest < (int64_t)id)
        *largest = id;
    return BIPE_OK;
}

/* ---- those of normalized text where nothing normalizes it ---- */

/* Whether both may stand in a text and have a byte in common. */
static bool may_overlap(const added_token *a, const added_token *b)
{
    for (size_t at = 0; at < a->size; at++) {
        size_t size = a->size - at < b->size ? a->size - at : b->size;
        if (memcmp(a->text + at, b->text, size) == 0)
            return true;
    }
    return false;
}

static bool begins_white(const added_token *a)
{
    int32_t code;
    return bipe_utf8_decode((const uint8_t *)a->text, a->size, &code) != 0 && code >= 0 && bipe_is_white_space(code);
}

/* Whether all may be looked for at once, though those that are not normalized would be found first. Only where one of the others wants
 * more than its string: text goes a shorter way then, and white space may wait. */
static bool may_join(const bipe_pipeline *p, const added_token *tokens, size_t count, bool special)
{
    bool left[2] = {false}, right[2] = {false}, word[2] = {false}, some[2] = {false}, white = false;
    for (size_t i = 0; i < count; i++) {
        const added_token *a = &tokens[i];
        bool live = special || !a->special;
        some[a->normalized] = some[a->normalized] || a->size != 0;
        left[a->normalized] = left[a->normalized] || (live && a->added.left);
        right[a->normalized] = right[a->normalized] || (live && a->added.right);
        word[a->normalized] = word[a->normalized] || (live && a->added.word);
        white = white || begins_white(a);
    }
    if (p->normalizers != 0 || !(left[1] || right[1] || word[1]) || white || (word[1] && some[0]) || (right[1] && left[0]))
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (tokens[i].normalized != tokens[k].normalized && may_overlap(&tokens[i], &tokens[k]))
                return false;
    return true;
}

static int read_all(bipe_pipeline *p, const json_t *added, added_token *tokens, bool special, bipe_error *err)
{
    size_t count = json_array_size(added);
    int64_t largest = -1;
    for (size_t i = 0; i < count; i++) {
        int status = read_token(json_array_get(added, i), &tokens[i], err);
        if (status == BIPE_OK && tokens[i].size != 0)
            status = place_token(p, &tokens[i], p->entries, &largest, err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%zu", i);
    }
    p->added_id = bipe_alloc(p->vocabulary.count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    bool joined = may_join(p, tokens, count, special);
    /* Special tokens go first, as in the library: of two that look the same after normalizing the first counts. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            if (tokens[i].special != (pass == 0) || tokens[i].size == 0)
                continue;
            p->added_id[tokens[i].added.id] = tokens[i].special ? 2 : 1;
            tokens[i].added.text = tokens[i].special && !special;
            int status = bipe_pipeline_look_for(p, tokens[i].text, tokens[i].size, tokens[i].added, tokens[i].normalized && !joined, err);
            if (status != BIPE_OK)
                return status;
        }
    return BIPE_OK;
}

int bipe_pipeline_read_added(bipe_pipeline *p, const json_t *added, bool special, bipe_error *err)
{
    if (added != NULL && !json_is_null(added) && !json_is_array(added))
        return bipe_fail(err, BIPE_ERR_FORMAT, "added_tokens: expected an array");
    added_token *tokens = bipe_alloc(json_array_size(added), sizeof *tokens);
    if (tokens == NULL)
        return bipe_fail_memory(err);
    int status = read_all(p, added, tokens, special, err);
    bipe_free(tokens);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "added_tokens");
}
