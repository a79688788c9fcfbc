/* stream_turn.c - how streams of several threads share memory (turn.h): who holds back much has the turn, who waits gives back what it can. */
#include "base/alloc.h"
#include "measure/stream_state.h"

/* Bytes that are held back: who has more of them has the turn, and who has very many goes on alone. */
enum { MUCH = 1 << 16, VERY_MUCH = 1 << 21 };

uint64_t bipe_stream_settled(const bipe_stream *s)
{
    uint64_t settled = s->size;
    for (size_t i = 0; i < s->track_count; i++)
        if (!bipe_segmentation_wants_tokens(s->tracks[i].segmentation) && s->found[i]->settled < settled)
            settled = s->found[i]->settled;
    return settled;
}

/* Bytes that segmenters have not settled, or that stand behind the last token where those come one after the other. */
static uint64_t held_back(const bipe_stream *s)
{
    uint64_t settled = bipe_stream_settled(s), told = s->tokens.count != 0 ? s->tokens.token[s->tokens.count - 1].end : s->reach;
    bool tokens = s->team != NULL && !s->cut && !bipe_token_team_shares(s->team);
    return tokens && told < settled ? s->size - told : s->size - settled;
}

/* ---- giving back ---- */

static void trim_tokens(bipe_tokens *tokens)
{
    if (tokens->count == 0) {
        bipe_tokens_free(tokens);
        return;
    }
    bipe_token *fewer = tokens->count < tokens->capacity ? bipe_realloc(tokens->token, tokens->count, sizeof *fewer) : NULL;
    if (fewer == NULL)
        return; /* what is there does as well */
    tokens->token = fewer;
    tokens->capacity = tokens->count;
}

/* What batches pointed to, and lists that are longer than what is in them. */
void bipe_stream_trim_lists(bipe_stream *s)
{
    trim_tokens(&s->tokens);
    bipe_token_ends_free(&s->ends);
    for (size_t i = 0; i < s->track_count; i++) {
        bipe_segmentation_trim(s->tracks[i].segmentation);
        bipe_closes_free(&s->tracks[i].closes);
        bipe_closes_free(&s->counts.closes[i]);
        bipe_free(s->tracks[i].final);
        s->tracks[i].final = NULL;
        s->tracks[i].final_capacity = 0;
    }
    bipe_tokens_free(&s->counts.list);
    bipe_buffer_free(&s->counts.made.text);
    if (s->late_size == 0)
        bipe_text_queue_free(&s->late);
}

void bipe_stream_trim(bipe_stream *s)
{
    bipe_stream_trim_lists(s);
    if (s->team != NULL)
        bipe_token_team_trim(s->team);
    bipe_alloc_trim();
}

/* ---- the turn ---- */

/* Has the turn from now on. */
static void begin_turn(bipe_stream *s)
{
    if (!bipe_turn_try(s->turn)) {
        bipe_stream_trim(s);
        bipe_turn_take(s->turn);
    }
    s->has_turn = s->large = true;
}

void bipe_stream_claim(bipe_stream *s)
{
    if (s->turn != NULL && !s->has_turn)
        begin_turn(s);
    s->claimed = s->has_turn;
}

void bipe_stream_take_turn(bipe_stream *s)
{
    if (s->turn == NULL)
        return;
    uint64_t held = held_back(s);
    if (!s->has_turn && held > MUCH)
        begin_turn(s);
    if (s->has_turn && held > VERY_MUCH && !bipe_turn_is_alone(s->turn)) {
        bipe_turn_stand_alone(s->turn);
        bipe_stream_trim(s);
    }
    if (!s->has_turn && bipe_turn_is_alone(s->turn)) {
        bipe_stream_trim(s);
        bipe_turn_wait(s->turn);
    }
}

void bipe_stream_rest(bipe_stream *s)
{
    if (s->has_turn)
        bipe_turn_give(s->turn);
    s->has_turn = s->claimed = false;
}

void bipe_stream_give_turn(bipe_stream *s)
{
    if (s->large) {
        s->token_head = s->token_decided = s->token_fed = 0;
        bipe_tokens_free(&s->tokens);
        bipe_text_queue_free(&s->late);
        for (size_t i = 0; i < s->track_count; i++)
            bipe_segmentation_trim(s->tracks[i].segmentation);
        if (s->team != NULL)
            bipe_token_team_renew(s->team);
        bipe_alloc_trim();
    }
    s->large = false;
    bipe_stream_rest(s);
}

void bipe_stream_give_turn_early(bipe_stream *s)
{
    bool little = s->large && !s->claimed && s->team != NULL && bipe_token_team_shares(s->team) && held_back(s) <= MUCH / 2 && s->late_size == 0;
    if (little && s->token_head == s->tokens.count && s->token_fed == s->tokens.count)
        bipe_stream_give_turn(s);
}
