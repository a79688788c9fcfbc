/* fuzz_gguf.c - libFuzzer target: any bytes as a GGUF file, every value asked for in every way. */
#include <string.h>

#include "format/gguf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void touch(const void *bytes, uint64_t size)
{
    const uint8_t *b = bytes;
    for (uint64_t i = 0; i < size; i++)
        sink += b[i];
}

static void ask(const bipe_gguf *g, const char *key)
{
    bipe_error err;
    uint64_t u;
    double x;
    bool flag;
    size_t count;
    bipe_gguf_string s;
    bipe_gguf_get_uint(g, key, &u, &err);
    bipe_gguf_get_number(g, key, &x, &err);
    bipe_gguf_get_bool(g, key, &flag, &err);
    if (bipe_gguf_get_string(g, key, &s, &err) == BIPE_OK)
        touch(s.text, s.size);
    if (bipe_gguf_get_array(g, key, BIPE_GGUF_STRING, &count, &err) == BIPE_OK)
        for (size_t k = 0; k < count; k++) {
            s = bipe_gguf_array_string(g, key, k);
            touch(s.text, s.size);
        }
    for (size_t k = 0; k < 4; k++)
        sink += bipe_gguf_array_number(g, key, k) > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bipe_gguf *g;
    bipe_error err;
    if (bipe_gguf_open_bytes(&g, data, size, "fuzz", &err) != BIPE_OK)
        return 0;
    for (size_t i = 0; i < bipe_gguf_key_count(g); i++) {
        char key[256];
        bipe_gguf_string s = bipe_gguf_key(g, i, NULL);
        size_t n = s.size < sizeof key ? s.size : sizeof key - 1;
        memcpy(key, s.text, n);
        key[n] = '\0';
        ask(g, key);
    }
    const bipe_tensor_table *table = bipe_gguf_tensors(g);
    for (size_t i = 0; i < table->count; i++)
        if (table->tensor[i].data != NULL)
            touch(table->tensor[i].data, table->tensor[i].size);
    bipe_gguf_close(g);
    return 0;
}
