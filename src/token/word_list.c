/* word_list.c - counts words, which white space separates, and writes a tokenizer of it; see word_list.h. */
#include "token/word_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "text/utf8.h"

enum { LONGEST_WORD = 4096, TEXT_LIMIT = 256 << 20, ENTRY = 32 /* bytes beside its text that a word takes */ };

static int count_word(bipe_word_list *list, const uint8_t *word, size_t size, bipe_error *err)
{
    static const char *const own[] = {"<unk>", "<s>"}; /* ids that these would share */
    for (size_t i = 0; i < 2; i++)
        if (size == strlen(own[i]) && memcmp(word, own[i], size) == 0)
            return BIPE_OK;
    if (size == 0 || size > LONGEST_WORD || !bipe_is_utf8(word, size))
        return BIPE_OK;
    int64_t id = bipe_vocabulary_find(&list->words, word, size);
    if (id != BIPE_NO_PIECE) {
        list->count[id]++;
        return BIPE_OK;
    }
    id = (int64_t)list->words.count;
    if (list->words.text_size + (size_t)id * ENTRY > TEXT_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %lld different words, expected a small vocabulary",
                         (long long)id);
    int status = bipe_vocabulary_append(&list->words, word, size, err);
    if (status == BIPE_OK &&
        (bipe_grow(&list->count, &list->count_capacity, (size_t)id + 1, sizeof *list->count) != 0 ||
         bipe_vocabulary_index(&list->words, (uint32_t)id) != id))
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        list->count[id] = 1;
    return status;
}

/* The word ends, which is all of the buffer but its last `after` bytes: the white space that ends it. */
static int end_word(bipe_word_list *list, size_t after, bipe_error *err)
{
    int status = count_word(list, list->word.data, list->word.size - after, err);
    list->word.size = 0;
    return status;
}

int bipe_word_list_feed(bipe_word_list *list, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < size && status == BIPE_OK; i++) {
        /* White space has at most three bytes. A word that is too long keeps as many, to find its end. */
        if (list->word.size > LONGEST_WORD + 8) {
            memmove(list->word.data + LONGEST_WORD + 1, list->word.data + list->word.size - 3, 3);
            list->word.size = LONGEST_WORD + 4;
        }
        status = bipe_buffer_append(&list->word, bytes + i, 1, err);
        for (size_t length = 1; status == BIPE_OK && length <= 3 && length <= list->word.size; length++) {
            int32_t code;
            size_t used = bipe_utf8_decode(list->word.data + list->word.size - length, length, &code);
            if (used != length || !bipe_is_white_space(code))
                continue;
            status = end_word(list, length, err);
            break;
        }
    }
    return status;
}

int bipe_word_list_end(bipe_word_list *list, bipe_error *err)
{
    return end_word(list, 0, err);
}

typedef struct ranked {
    uint64_t count;
    uint32_t id;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Before the words. A newline is a token; other white space is between tokens. */
static const char head[] =
    "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":["
    "{\"id\":0,\"content\":\"<unk>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
    "\"special\":true},"
    "{\"id\":1,\"content\":\"<s>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
    "\"special\":true}],"
    "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":["
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\n\"},\"behavior\":\"Isolated\",\"invert\":false},"
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[^\\\\S\\\\n]+\"},\"behavior\":\"Removed\",\"invert\":false}]},"
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"<s>\",\"type_id\":0}},"
    "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},"
    "{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":[1],\"tokens\":["
    "\"<s>\"]}}},"
    "\"decoder\":null,\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"<unk>\":0,\"<s>\":1,\"\\n\":2";

int bipe_word_list_write(const bipe_word_list *list, size_t most, bipe_output *output, bipe_error *err)
{
    size_t count = list->words.count;
    if (count == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no text to make a tokenizer of");
    ranked *order = bipe_alloc(count, sizeof *order);
    uint8_t *name = bipe_alloc(LONGEST_WORD, BIPE_JSON_WIDEST);
    int status = order == NULL || name == NULL ? bipe_fail_memory(err) : bipe_output_printf(output, err, "%s", head);
    for (size_t i = 0; i < count && order != NULL; i++)
        order[i] = (ranked){list->count[i], (uint32_t)i};
    if (order != NULL)
        qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count && i < most && status == BIPE_OK; i++) {
        size_t size;
        const uint8_t *word = bipe_vocabulary_text(&list->words, order[i].id, &size);
        uint8_t *end = bipe_json_encode_string(name, word, size);
        status = bipe_output_printf(output, err, ",\"%.*s\":%zu", (int)(end - name), (const char *)name, i + 3);
    }
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "},\"unk_token\":\"<unk>\"}}\n");
    bipe_free(order);
    bipe_free(name);
    return status;
}

void bipe_word_list_free(bipe_word_list *list)
{
    bipe_vocabulary_free(&list->words);
    bipe_free(list->count);
    bipe_buffer_free(&list->word);
}
