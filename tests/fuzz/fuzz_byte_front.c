/* fuzz_byte_front.c - byte-level pipelines with NFC, a space in front and added tokens, the short way and by all steps, which must agree; sequences of
 * splits, steps behind the letters, whole and in chunks. Input: a byte that chooses the pipeline, one for the sizes of pieces and of chunks; the text. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/utf8.h"
#include "token/kind.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/pipeline.h"
#include "token/token_ends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TOKEN(id, text, normalized) \
    "{\"id\":" id ",\"content\":\"" text "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"special\":false,\"normalized\":" normalized "}"
#define FLAGGED(id, text, left, right, word) \
    "{\"id\":" id ",\"content\":\"" text "\",\"single_word\":" word ",\"lstrip\":" left ",\"rstrip\":" right ",\"special\":false,\"normalized\":false}"
/* Left as text, which hides others. */
#define HIDDEN(id, text) \
    "{\"id\":" id ",\"content\":\"" text "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"special\":true,\"normalized\":false}"
static const char *const added[8] = {"", TOKEN("258", "<e>", "false") "," HIDDEN("259", "e<e>e"),
                                     TOKEN("258", "<e>", "false") "," TOKEN("259", "  ", "true") "," TOKEN("260", "\xC3\xA9<", "true"),
                                     TOKEN("258", "\xCC\x81", "false") "," TOKEN("259", "<e", "true") "," TOKEN("260", "e\xCC\xA7", "true") "," HIDDEN("261", "<e\xCC\x81"),
                                     FLAGGED("258", "<e>", "true", "false", "false") "," FLAGGED("259", "<e", "false", "true", "false"),
                                     FLAGGED("258", "<e>", "true", "true", "true") "," TOKEN("259", "ab", "false"),
                                     FLAGGED("258", "ab", "false", "false", "true") "," FLAGGED("259", "b<", "true", "false", "false"),
                                     FLAGGED("258", "<e", "false", "true", "true") "," TOKEN("259", "1<", "true")};

/* What splits: GPT-2's pattern, with digits behind its letters; and steps one behind the other. */
#define SPLIT(pattern) "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"},\"behavior\":\"Isolated\",\"invert\":false}"
#define LETTERS "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define DIGITS "{\"type\":\"Digits\",\"individual_digits\":false}"
static const char *const splits[8] = {
    "", DIGITS, SPLIT("[^\\n]+") "," SPLIT("e.?|[^e]{3,5}") "," LETTERS, SPLIT("e+b|(?:ee)+1|<e (?:1|ee1)*2") "," LETTERS,
    "{\"type\":\"Punctuation\",\"behavior\":\"Contiguous\"}," SPLIT("\\\\p{L}{1,3}|\\\\s+(?!\\\\S)| ?\\\\p{P}") "," LETTERS "," DIGITS "," SPLIT("[0-9]{3}"),
    LETTERS, SPLIT("[.1][A-Za-z]+|[^\\r\\n\\\\p{L}]?\\\\p{L}+| ?\\\\p{P}+\\\\s*|\\\\s+(?!\\\\S)|\\\\s+") "," LETTERS,
    "{\"type\":\"Digits\",\"individual_digits\":true},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}"};
static bipe_tokenizer made[256];
static char spec[] = "fuzz";

static void need(int status)
{
    if (status != BIPE_OK)
        abort();
}

static void put(bipe_buffer *json, const char *text)
{
    need(bipe_buffer_append(json, text, strlen(text), NULL));
}

static void make(bipe_tokenizer *t, unsigned choice)
{
    bipe_buffer json = {0};
    uint16_t letter[256];
    bipe_byte_letters(letter, NULL);
    put(&json, (choice & 1) != 0 ? "{\"normalizer\":{\"type\":\"NFC\"}," : "{");
    unsigned split = choice >> 5 & 7;
    put(&json, "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[");
    if (split < 2) {
        put(&json, "{\"type\":\"ByteLevel\",\"use_regex\":true,\"add_prefix_space\":");
        put(&json, (choice & 2) != 0 ? "true}" : "false}");
    }
    put(&json, split == 1 ? "," : "");
    put(&json, splits[split]);
    put(&json, "]},\"added_tokens\":[");
    put(&json, added[choice >> 2 & 7]);
    put(&json, "],\"model\":{\"type\":\"BPE\",\"merges\":[\"e e\",\"\xC4\xA0 e\"],\"vocab\":{\"ee\":256,\"\xC4\xA0" "e\":257");
    for (unsigned b = 0; b < 256; b++) {
        char text[8] = {0};
        bipe_utf8_encode(letter[b], (uint8_t *)text);
        need(bipe_buffer_printf(&json, NULL, ",\"%s%s\":%u", b == '"' || b == '\\' ? "\\" : "", text, b));
    }
    put(&json, "}}}");
    bipe_error err;
    *t = (bipe_tokenizer){.spec = spec, .bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
    need(bipe_tokenizer_json_read(t, json.data, json.size, &err));
    bipe_buffer_free(&json);
}

static void run(const bipe_tokenizer *t, const uint8_t *text, size_t size, size_t piece, bipe_tokens *tokens)
{
    bipe_token_stream *s;
    bipe_error err;
    need(bipe_token_stream_open(&s, t, &err));
    need(bipe_token_stream_begin(s, &err));
    for (size_t at = 0; at < size; at += piece)
        need(bipe_token_stream_feed(s, text + at, size - at < piece ? size - at : piece, tokens, &err));
    need(bipe_token_stream_end(s, tokens, &err));
    bipe_token_stream_close(s);
}

/* Ends alone are those of the tokens, which stand in a row then, and otherwise not. */
static void check_ends(const bipe_tokenizer *t, const uint8_t *text, size_t size, const bipe_tokens *want)
{
    bipe_token_stream *s;
    bipe_error err;
    bipe_token_ends ends = {0};
    bool row = true;
    need(bipe_token_stream_open(&s, t, &err));
    int status = bipe_token_ends_of(&ends, s, 0, text, size, &err);
    for (size_t i = 0; i < want->count; i++) {
        row = row && want->token[i].start == (i != 0 ? want->token[i - 1].end : 0);
        if (status == BIPE_OK && (i >= ends.count || (uint64_t)ends.end[i] != want->token[i].end))
            abort();
    }
    if (status != (row ? BIPE_OK : BIPE_END) || (row && ends.count != want->count))
        abort();
    bipe_token_ends_free(&ends);
    bipe_token_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 4096)
        return 0;
    bipe_tokenizer *t = &made[data[0]];
    if (t->kind == NULL)
        make(t, data[0]);
    bipe_pipeline *p = t->model;
    bipe_tokens want = {0}, got = {0};
    bool quick = p->quick;
    p->chunk = BIPE_PIPELINE_CHUNK;
    p->long_word = data[1] % 3 == 0 ? 2 : BIPE_PIECE_LIMIT;
    p->raw.white_held = 0;
    p->quick = false;
    run(t, data + 2, size - 2, size, &want);
    p->quick = quick;
    p->chunk = 1 + data[1] / 16;
    p->raw.white_held = data[1] % 5 == 0 ? 4 : 0;
    run(t, data + 2, size - 2, 1 + data[1] % 16, &got);
    if (want.count != got.count || (want.count != 0 && memcmp(want.token, got.token, want.count * sizeof *want.token) != 0))
        abort();
    check_ends(t, data + 2, size - 2, &want);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
    return 0;
}
