/* tiktoken_encodings.c - the encodings of public tiktoken files, as their makers' programs have them: OpenAI's, and
 * those of models whose tokenizers come as such a file (Qwen's first ones: those for pictures share the ranks, and have
 * more special tokens). Known by how many ranks there are, and by the last one. */
#include "token/files/tiktoken_file.h"

#include <stdio.h>
#include <string.h>

#include "token/kind.h"
#include "token/pretoken/pretoken_patterns.h"

static const bipe_encoding encodings[] = {
    {.count = 50256, .largest = 50255, .last = "IGdhemVk", .pattern = {BIPE_PATTERN_GPT2}, .size = 50257,
     .special = {{"<|endoftext|>", 50256}}, .bos = BIPE_NO_TOKEN, .eos = 50256},
    {.count = 50280, .largest = 50280, .last = "ICAgICAgICAgICAgICAgICAgICAgICAgIA==", .pattern = {BIPE_PATTERN_GPT2},
     .size = 50281,
     .special = {{"<|endoftext|>", 50256}}, .bos = BIPE_NO_TOKEN, .eos = 50256},
    {.count = 100256, .largest = 100255, .last = "IENvbnZleW9y", .pattern = {BIPE_PATTERN_CL100K}, .size = 100277,
     .special = {{"<|endoftext|>", 100257}, {"<|fim_prefix|>", 100258}, {"<|fim_middle|>", 100259},
                 {"<|fim_suffix|>", 100260},
                 {"<|endofprompt|>", 100276}},
     .bos = BIPE_NO_TOKEN, .eos = 100257},
    {.count = 199998, .largest = 199997, .last = "IGNvY29z", .pattern = {BIPE_PATTERN_O200K}, .size = 200019,
     .special = {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}, .bos = BIPE_NO_TOKEN, .eos = 199999},
    {.count = 128000, .largest = 127999, .last = "6ZSm", .pattern = {BIPE_PATTERN_CL100K}, .size = 128256,
     .special = {{"<|begin_of_text|>", 128000}, {"<|end_of_text|>", 128001}, {"<|start_header_id|>", 128006},
                 {"<|end_header_id|>", 128007},
                 {"<|eot_id|>", 128009}},
     .bos = 128000, .eos = 128001},
    {.count = 200000, .largest = 199999, .last = "KGdl", .pattern = {BIPE_PATTERN_O200K}, .size = 202048,
     .special = {{"<|begin_of_text|>", 200000}, {"<|end_of_text|>", 200001}, {"<|fim_prefix|>", 200002},
                 {"<|fim_middle|>", 200003},
                 {"<|fim_suffix|>", 200004}, {"<|header_start|>", 200005}, {"<|header_end|>", 200006},
                 {"<|eom|>", 200007}, {"<|eot|>", 200008}, {"<|step|>", 200009}, {"<|python_start|>", 200016},
                 {"<|python_end|>", 200017}, {"<|finetune_right_pad|>", 200018}, {"<|image_start|>", 200080},
                 {"<|image_end|>", 200081}, {"<|tile_x_separator|>", 200084}, {"<|tile_y_separator|>", 200085},
                 {"<|image|>", 200090}, {"<|patch|>", 200092}},
     .bos = 200000, .eos = 200001},
    {.count = 151643, .largest = 151642, .last = "4r2X", .pattern = {BIPE_PATTERN_QWEN2}, .nfc = true, .size = 151851,
     .special = {{"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}},
     .numbered = {"<|extra_%u|>", 151646, 205},
     .bos = BIPE_NO_TOKEN, .eos = 151643},
    {.count = 163584, .largest = 163583, .last = "6Ieq5Li75oCn", .pattern = {BIPE_PATTERN_KIMI}, .size = 163840,
     .special = {{"[BOS]", 163584}, {"[EOS]", 163585}, {"<|im_end|>", 163586}, {"<|im_user|>", 163587},
                 {"<|im_assistant|>", 163588},
                 {"<|start_header_id|>", 163590}, {"<|end_header_id|>", 163591}, {"[EOT]", 163593},
                 {"<|im_system|>", 163594}, {"<|tool_calls_section_begin|>", 163595},
                 {"<|tool_calls_section_end|>", 163596}, {"<|tool_call_begin|>", 163597},
                 {"<|tool_call_argument_begin|>", 163598}, {"<|tool_call_end|>", 163599}, {"<|im_middle|>", 163601},
                 {"[UNK]", 163838},
                 {"[PAD]", 163839}},
     .bos = 163584, .eos = 163585},
};

const bipe_encoding *bipe_encoding_find(size_t ranks, size_t largest, const uint8_t *last, size_t size)
{
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        const bipe_encoding *e = &encodings[i];
        if (e->count == ranks && e->largest == largest && strlen(e->last) == size && memcmp(e->last, last, size) == 0)
            return e;
    }
    return NULL;
}

const char *bipe_encoding_special(const bipe_encoding *e, uint32_t id, char room[BIPE_ENCODING_NAME])
{
    for (size_t i = 0; i < BIPE_ENCODING_SPECIALS && e->special[i].text != NULL; i++)
        if (e->special[i].id == id)
            return e->special[i].text;
    if (e->numbered.text == NULL || id < e->numbered.id || id - e->numbered.id >= e->numbered.count)
        return "";
    const char *number = strstr(e->numbered.text, "%u");
    snprintf(room, BIPE_ENCODING_NAME, "%.*s%u%s", (int)(number - e->numbered.text), e->numbered.text,
             (unsigned)(id - e->numbered.id), number + 2);
    return room;
}
