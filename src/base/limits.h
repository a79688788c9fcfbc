/* limits.h - bounds on pieces of text that are kept as a whole. */
#ifndef BIPE_BASE_LIMITS_H
#define BIPE_BASE_LIMITS_H

/* Bytes between two positions where a tokenizer may cut, that a segmenter leaves undecided, or that a pattern must see
 * before its next match is decided. Longer pieces give BIPE_ERR_LIMIT. */
enum { BIPE_UNIT_LIMIT = 2 << 20 };

/* Bytes of a record that is kept as a whole, such as one that is written again. */
enum { BIPE_RECORD_MOST = 64 << 20 };

/* Bytes of the value of a member of a record. */
enum { BIPE_MEMBER_MOST = 1024 };

#endif
