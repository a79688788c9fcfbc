/* documents.h - ways of dividing an input into documents. */
#ifndef BIPE_DOCUMENTS_H
#define BIPE_DOCUMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_document_kind {
    BIPE_DOCUMENTS_AUTO, /* by the name */
    BIPE_DOCUMENTS_PLAIN,
    BIPE_DOCUMENTS_JSONL,
    BIPE_DOCUMENTS_LINES, /* a record each where the name says JSON Lines, else a line each */
    BIPE_DOCUMENTS_BLOCKS /* a record each, else lines of BIPE_DOCUMENT_BLOCK bytes together, the last one whole */
} bipe_document_kind;

enum { BIPE_DOCUMENT_BLOCK = 1 << 18 };

#ifdef __cplusplus
}
#endif
#endif
