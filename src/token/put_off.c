/* put_off.c - see put_off.h. */
#include "token/put_off.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "token/tokenizer.h"

typedef enum when { LATER, NOW, MADE } when;

struct bipe_put_off {
    void (*make)(void *context);
    void *context;
    size_t wanted;      /* words */
    atomic_size_t seen; /* of them */
    atomic_int state;   /* when; NOW: a thread makes it */
};

static atomic_size_t words_before;

void bipe_tokenizer_put_off(size_t words)
{
    atomic_store(&words_before, words);
}

bipe_put_off *bipe_put_off_new(void (*make)(void *context), void *context)
{
    size_t wanted = atomic_load(&words_before);
    bipe_put_off *p = wanted != 0 ? bipe_alloc(1, sizeof *p) : NULL;
    if (p == NULL) {
        make(context);
        return NULL;
    }
    p->make = make;
    p->context = context;
    p->wanted = wanted;
    return p;
}

bool bipe_put_off_made(bipe_put_off *p, size_t words)
{
    int state = p != NULL ? atomic_load_explicit(&p->state, memory_order_acquire) : MADE;
    if (state != LATER)
        return state == MADE;
    if (atomic_fetch_add_explicit(&p->seen, words, memory_order_relaxed) + words < p->wanted ||
        !atomic_compare_exchange_strong(&p->state, &state, NOW))
        return false;
    p->make(p->context);
    atomic_store_explicit(&p->state, MADE, memory_order_release);
    return true;
}
