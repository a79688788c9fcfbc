/* score_journal.h - the journal of --resume. */
#ifndef BIPE_TOOLS_SCORE_SCORE_JOURNAL_H
#define BIPE_TOOLS_SCORE_SCORE_JOURNAL_H

#include "tools/score/score_rows.h"

typedef struct bipe_score_journal bipe_score_journal;

/* Opens or makes the journal. BIPE_ERR_FORMAT when it is none, or names the setting that it was written with another
 * value of. */
int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup,
                            bipe_error *err);
/* A file is about to be scored. BIPE_ERR_ARGUMENT, without the file's name, when the journal knows another text by it
 * under the tokenizer of that number. */
int bipe_score_journal_text(bipe_score_journal *journal, const char *file, size_t tokenizer,
                            const bipe_score_text *text, bipe_error *err);
/* What the journal has of row->text at row->length for row->combination: windows from `first` on are added to the row
 * (there may be none), *next is the first that is missing. */
void bipe_score_journal_find(const bipe_score_journal *journal, uint64_t first, bipe_score_row *row, uint64_t *next);
/* Adds windows part->losses.windows from `first` on, which must follow on those of the same text and length that are
 * there. It is on the disk after commit(). After a failure, which is returned once, the file is left alone. */
int bipe_score_journal_add(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err);
int bipe_score_journal_commit(bipe_score_journal *journal, bipe_error *err);
void bipe_score_journal_close(bipe_score_journal *journal);

#endif
