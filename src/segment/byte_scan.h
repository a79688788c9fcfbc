/* byte_scan.h - finds the bytes of a set in a text, for segmenters that end segments after single bytes. There is a
 * finder for each kind of vector unit, the best of which is chosen at run time, and a plain twin. */
#ifndef BIPE_SEGMENT_BYTE_SCAN_H
#define BIPE_SEGMENT_BYTE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bipe/segmenter.h>

typedef struct bipe_byte_scan bipe_byte_scan;

/* A finder may overwrite this many elements after the offsets. */
enum { BIPE_BYTE_SCAN_SLACK = 8 };

/* Writes first + i for each bytes[i] in the set, in order; offset: (size + BIPE_BYTE_SCAN_SLACK). Returns their
 * number. */
typedef size_t bipe_byte_find(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                              uint64_t *offset);

/* A set, prepared for all finders. */
struct bipe_byte_scan {
    bipe_byte_find *find; /* the best that this machine can run */
    uint8_t member[256];  /* 1: in the set */
    bool only_ascii;      /* no byte from 128 on is */
    uint8_t low[16];      /* byte b < 128 of the set: bit b / 16 of low[b % 16] */
    uint8_t high[16];     /* byte b >= 128 of the set: bit b / 16 - 8 of high[b % 16] */
};

void bipe_byte_scan_prepare(bipe_byte_scan *scan, const bipe_byte_set *set);

typedef struct bipe_byte_finder {
    const char *name;
    bool (*usable)(void); /* on this machine */
    bipe_byte_find *find;
} bipe_byte_finder;

/* All built-in finders, the fastest first, the plain one last; a NULL name ends the list. */
extern const bipe_byte_finder bipe_byte_finders[];

/* Private to the list. */
bipe_byte_find bipe_byte_find_plain;
#if defined(__x86_64__) && defined(__GNUC__)
#define BIPE_BYTE_SCAN_X86 1
bool bipe_byte_vbmi2_usable(void), bipe_byte_avx512_usable(void), bipe_byte_avx2_usable(void),
    bipe_byte_ssse3_usable(void);
bipe_byte_find bipe_byte_find_vbmi2, bipe_byte_find_avx512, bipe_byte_find_avx2, bipe_byte_find_ssse3;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
#define BIPE_BYTE_SCAN_NEON 1
bipe_byte_find bipe_byte_find_neon;
#endif

#endif
