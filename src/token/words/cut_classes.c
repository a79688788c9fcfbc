/* cut_classes.c - classes of characters, by which borders of units are told (cut_stream.h). */
#include "base/alloc.h"
#include "text/utf8.h"
#include "token/words/cut_stream.h"

void bipe_cut_classes_free(bipe_cut_classes *classes)
{
    for (size_t i = 0; i < BIPE_CUT_PAGES; i++) {
        bipe_free(classes->page[i]);
        classes->page[i] = NULL;
    }
}

/* Of a character that was not asked for. Without memory it is odd. */
__attribute__((noinline)) static uint8_t ask(bipe_cut_classes *classes, uint32_t code)
{
    uint8_t **page = &classes->page[code >> 8];
    if (*page == NULL && (*page = bipe_alloc(256, 1)) == NULL)
        return BIPE_CUT_ODD;
    return (*page)[code & 255] = classes->ask(classes->context, code);
}

size_t bipe_cut_class_at(bipe_cut_classes *classes, const uint8_t *text, size_t size, uint8_t *class)
{
    int32_t code = text[0];
    *class = text[0];
    if (text[0] < 0x80)
        return 1;
    size_t n = bipe_utf8_decode(text, size, &code);
    *class = BIPE_CUT_ODD;
    if (n == 0 || code < 0)
        return 1;
    const uint8_t *page = classes->page[code >> 8];
    *class = page != NULL ? page[code & 255] : 0;
    if (*class == 0)
        *class = ask(classes, (uint32_t)code);
    return n;
}

/* The class of the character that ends before `end`, and its bytes. */
static size_t class_before(bipe_cut_classes *classes, const uint8_t *end, size_t room, uint8_t *class)
{
    size_t n = 1;
    while (n < 4 && n < room && (end[-(ptrdiff_t)n] & 0xC0) == 0x80)
        n++;
    if (bipe_cut_class_at(classes, end - n, n, class) == n)
        return n;
    *class = BIPE_CUT_ODD;
    return 1;
}

enum { MOST_LOOSE = 32 }; /* characters behind each other that are looked at */

uint8_t bipe_cut_class_before(bipe_cut_classes *classes, const uint8_t *end, size_t room)
{
    uint8_t class, before;
    size_t n = class_before(classes, end, room, &class);
    before = class;
    for (size_t k = 0; classes->loose[before]; k++) {
        end -= n;
        room -= n;
        if (room == 0 || k == MOST_LOOSE)
            return BIPE_CUT_ODD;
        n = class_before(classes, end, room, &before);
    }
    return classes->solid[before] ? class : (uint8_t)BIPE_CUT_ODD;
}
