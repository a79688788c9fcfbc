/* documents.h - ways of dividing an input into documents. */
#ifndef BIPE_DOCUMENTS_H
#define BIPE_DOCUMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_document_kind {
    BIPE_DOCUMENTS_AUTO, /* JSON Lines if the name ends in .jsonl or .ndjson (also before .gz, .xz, .zst or .zstd), else
                            plain */
    BIPE_DOCUMENTS_PLAIN,
    BIPE_DOCUMENTS_JSONL,
    BIPE_DOCUMENTS_LINES, /* one per record for JSON Lines names, else one per line */
    BIPE_DOCUMENTS_BLOCKS /* one per record for JSON Lines names, else one per block of whole lines of at least
                             BIPE_DOCUMENT_BLOCK bytes */
} bipe_document_kind;

enum { BIPE_DOCUMENT_BLOCK = 1 << 18 };

#ifdef __cplusplus
}
#endif
#endif
