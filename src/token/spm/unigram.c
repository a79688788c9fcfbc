/* unigram.c - the model of Unigram: its trie and its scores. The search is in unigram_search.c. */
#include "token/spm/unigram.h"

#include <math.h>

#include "base/alloc.h"

int bipe_unigram_build(bipe_unigram *unigram, bipe_trie_string *pieces, size_t count, double *score, double unk_score,
                       bool single, bipe_error *err)
{
    unigram->score = score;
    unigram->unk_score = unk_score;
    unigram->single = single;
    unigram->most = fabs(unk_score);
    for (size_t i = 0; i < count; i++)
        unigram->most = fabs(score[pieces[i].value]) > unigram->most ? fabs(score[pieces[i].value]) : unigram->most;
    return bipe_piece_trie_build(&unigram->trie, pieces, count, err);
}

void bipe_unigram_free(bipe_unigram *unigram)
{
    bipe_piece_trie_free(&unigram->trie);
    bipe_free(unigram->score);
    *unigram = (bipe_unigram){0};
}
