/* cut_stream.h - a text cut into units that are encoded each by itself, most of them by looking them up in a cache of words.
 *
 * For tokenizers without a step that cuts a text into words, where a table of pairs of bytes tells places that no token reaches
 * across. It stands in front of an encoder that could do without it, and gives it what the cache does not know. */
#ifndef BIPE_TOKEN_CUT_STREAM_H
#define BIPE_TOKEN_CUT_STREAM_H

#include "base/buffer.h"
#include "token/tokenizer.h"
#include "token/words/unit_encoder.h"

/* Where borders are told by characters and not by bytes alone: their classes (cut_classes.c). A character of ASCII is a class of its own, that
 * with its number. */
enum { BIPE_CUT_ODD = 128, BIPE_CUT_PAGES = 0x1100 };
typedef struct bipe_cut_classes {
    /* The class of a character beyond ASCII, which is asked for once: what borders tell of it is there then. BIPE_CUT_ODD, which has no border
     * beside it, or above. */
    uint8_t (*ask)(void *context, uint32_t code);
    void *context;
    uint8_t *page[BIPE_CUT_PAGES]; /* page[c >> 8][c & 255]; 0: not known yet */
    /* Something comes of the solid ones. A loose one, of which nothing may come, counts as odd unless a solid one stands before it, or before
     * other loose ones. */
    bool solid[256], loose[256];
    /* What tokens may leave out between them (gaps): bytes of ASCII (1), and what begins with a byte (2) and is of such a class. */
    uint8_t gap[256];
    bool gone[256];
} bipe_cut_classes;

void bipe_cut_classes_free(bipe_cut_classes *classes);
/* The class of the character that text[0 .. size), size > 0, begins with, and its bytes; a byte that is no character, or begins one that is not
 * all there, is odd. */
size_t bipe_cut_class_at(bipe_cut_classes *classes, const uint8_t *text, size_t size, uint8_t *class);
/* What the class of a character counts as behind one that counts as `before`. */
static inline uint8_t bipe_cut_class_behind(const bipe_cut_classes *classes, uint8_t before, uint8_t class)
{
    return classes->loose[class] && !classes->solid[before] ? (uint8_t)BIPE_CUT_ODD : class;
}
/* The same for the character that ends before `end`, of at most `room` > 0 bytes, as it counts. */
uint8_t bipe_cut_class_before(bipe_cut_classes *classes, const uint8_t *end, size_t room);

/* Encodes the next bytes of the text, adds their tokens to the list and their number to the stream's *position, as far as it can tell
 * them. ends: a unit ends behind them (nothing is said about where it began). *clean: all is told, and what the next unit
 * becomes depends on nothing before it; as it was, when it is called. So the tokens of a unit before and behind which that is true
 * are those of its bytes wherever they stand. */
typedef int bipe_cut_encode(void *context, const uint8_t *bytes, size_t size, bool ends, bool *clean, bipe_error *err);

enum { BIPE_CUT_HELD = 256 }; /* bytes of a unit that are held until its end comes; a longer one goes to the encoder as it comes */

/* Zero-initialise, set these, and begin. */
typedef struct bipe_cut_stream {
    const bipe_cut_borders *borders;
    bipe_cut_classes *classes;       /* or NULL; with them borders look behind */
    bipe_cut_encode *encode;
    bipe_words_encode *encode_words; /* the same for many whole units in a clean stream, which stays clean; BIPE_END: not for the next one.
                                      * NULL: for none */
    bipe_cut_encode *encode_joined;  /* or this, for several such units behind each other as one; *clean also tells whether it would be true behind
                                      * each of them. If it is not, or nothing but BIPE_OK is returned, the encoder is where it was. NULL: for none */
    void *context;                   /* of all */
    uint64_t *position; /* of the encoder: where the next token starts */
    bool gaps;          /* tokens may leave out white space between them, or what classes say */

    /* Its own. */
    bipe_word_group units;
    bool clean;         /* as the encoder said */
    size_t ahead;       /* units that are looked up at once, at least */
    bool open;          /* the encoder has the beginning of a unit, which ends with the byte (or a character of the class) `last` as yet */
    uint8_t last;
    bipe_tokens *tokens; /* of the present call */
    uint64_t group_base; /* where what is looked up together stands in the document, */
    const uint8_t *group_text; /* and in the text that was given */
    bool is_aside;      /* the tokens of the unit behind it are here, since they tell more than its bytes: */
    bipe_tokens aside;
    uint64_t position_aside;
    bipe_buffer joined; /* units that are not known, behind each other, */
    uint8_t between;    /* with this between those that do not part */
    size_t alone, patience; /* so many units are encoded by themselves, since that did not do; and how many more, next time */
    size_t count;       /* held: the beginning of a unit */
    uint8_t held[BIPE_CUT_HELD + BIPE_WORD_READ];
} bipe_cut_stream;

/* A text begins. */
void bipe_cut_stream_begin(bipe_cut_stream *stream);
/* The next bytes, cut anywhere. BIPE_ERR_MEMORY, and what encode returns. */
int bipe_cut_stream_feed(bipe_cut_stream *stream, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err);
/* A unit that is known, as offsets of a text. */
typedef struct bipe_cut_unit {
    uint32_t start, end;
} bipe_cut_unit;

/* Takes units at the front of a text, in a stream that is clean and holds nothing. Some are known, in ascending order and not empty: borders in
 * them do not count. Stops behind the last of these, or before; *taken bytes, up to where a unit begins. BIPE_ERR_MEMORY, and what
 * encode returns. */
int bipe_cut_stream_take(bipe_cut_stream *stream, const uint8_t *bytes, size_t size, const bipe_cut_unit *unit, size_t units,
                         bipe_tokens *tokens, size_t *taken, bipe_error *err);
/* Whether it is clean and holds nothing. */
static inline bool bipe_cut_stream_is_even(const bipe_cut_stream *stream)
{
    return stream->clean && !stream->open && stream->count == 0;
}
/* The text is over: what is held goes to the encoder, which is to be ended next. */
int bipe_cut_stream_end(bipe_cut_stream *stream, bipe_error *err);
/* Between calls: forgets what units became. */
void bipe_cut_stream_trim(bipe_cut_stream *stream);
void bipe_cut_stream_free(bipe_cut_stream *stream);

#endif
