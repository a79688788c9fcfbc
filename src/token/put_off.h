/* put_off.h - what saves time for long texts alone is made when there is so much text, by the thread that finds so; meanwhile others do
 * without, and who has a short text does not wait for it. */
#ifndef BIPE_TOKEN_PUT_OFF_H
#define BIPE_TOKEN_PUT_OFF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bipe_put_off bipe_put_off;

/* make(context) will be called once, from any thread. NULL: it was called now, for nothing is to be put off (bipe_tokenizer_put_off()), or
 * there is no memory for that. Release with bipe_free(). */
bipe_put_off *bipe_put_off_new(void (*make)(void *context), void *context);
/* Whether it has been called, and all that it made is there. words: that would be done faster with it; when there were enough of them,
 * calls it. put_off may be NULL: it was. */
bool bipe_put_off_made(bipe_put_off *put_off, size_t words);

#endif
