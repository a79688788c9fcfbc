/* protocol.c - the windows of each protocol: by arithmetic where documents are joined into one stream, listed where
 * each document has windows of its own. */
#include "measure/protocol.h"

#include "base/alloc.h"

const char *const bipe_protocol_names[] = { "paper", "sliding", "llama.cpp", "lm-eval", "yarn", "longppl", NULL };
const char *const bipe_bos_names[] = { "document", "window", "none", NULL };

/* Documents whose windows are listed: how many windows one has, and each of them. */
typedef struct listing {
    bipe_protocol_kind protocol;
    bool lines;
    uint64_t length;
    const uint32_t *first_target; /* (documents) or NULL */
    const bipe_protocol *each;    /* the windows of a document are those of a text by itself; NULL: as above */
} listing;

static uint64_t count_of(const listing *l, uint64_t tokens, size_t document)
{
    if (l->each != NULL)
        return bipe_window_count(l->each, tokens);
    if (l->lines)
        return tokens <= l->length && (l->first_target == NULL ? 1 : l->first_target[document]) < tokens;
    if (l->protocol == BIPE_PROTOCOL_YARN) /* a window holds all that is looked at, so it does not slide */
        return tokens >= l->length;
    if (l->protocol == BIPE_PROTOCOL_LONGPPL)
        return tokens >= 2;
    return tokens < 2 ? 0 : (tokens - 2) / l->length + 1; /* each token but the first is scored in a window of
                                                             `length` */
}

static bipe_cut cut_of(const listing *l, uint64_t tokens, size_t document, uint64_t index)
{
    bipe_cut cut = { .first = 1 };
    if (l->each != NULL)
        return bipe_window_cut(l->each, tokens, index);
    bool one = l->protocol == BIPE_PROTOCOL_YARN || l->protocol == BIPE_PROTOCOL_LONGPPL;
    if (l->lines || one) {
        cut.count = l->lines || tokens < l->length ? tokens : l->length;
        if (l->lines && l->first_target != NULL)
            cut.first = l->first_target[document];
    } else if ((index + 1) * l->length < tokens) { /* one token of context, and `length` that are scored */
        cut.start = index * l->length;
        cut.count = l->length + 1;
    } else { /* the last window is as long, and scores what is left */
        uint64_t left = tokens - 1 - index * l->length;
        cut.count = tokens > l->length ? l->length + 1 : tokens;
        cut.start = tokens - cut.count;
        cut.first = cut.count - left;
    }
    cut.length = cut.count;
    return cut;
}

static int make_list(const listing *l, const bipe_token_spool *spool, bipe_protocol *protocol, bipe_cut **list,
                     bipe_error *err)
{
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(spool, &documents);
    uint64_t windows = 0, made = 0, end = bipe_token_spool_count(spool);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t d = 0; d < documents; d++) {
            uint64_t tokens = (d + 1 < documents ? document[d + 1].first : end) - document[d].first,
                     count = count_of(l, tokens, d);
            windows += pass == 0 ? count : 0;
            for (uint64_t i = 0; i < count && pass == 1; i++) {
                bipe_cut cut = cut_of(l, tokens, d, i);
                cut.start += document[d].first;
                (*list)[made++] = cut;
            }
        }
        if (pass == 0 && (*list = bipe_alloc((size_t)windows, sizeof **list)) == NULL)
            return bipe_fail_memory(err);
    }
    protocol->list = *list;
    protocol->listed = windows;
    return BIPE_OK;
}

int64_t bipe_protocol_bos(const bipe_window_rules *rules, const bipe_tokenizer *tokenizer)
{
    bool none = rules->bos == BIPE_BOS_NONE || rules->protocol == BIPE_PROTOCOL_LONGPPL;
    int64_t bos = none ? BIPE_NO_TOKEN : bipe_tokenizer_bos(tokenizer);
    return bos == BIPE_NO_TOKEN && rules->protocol == BIPE_PROTOCOL_LM_EVAL ? bipe_tokenizer_eos(tokenizer) : bos;
}

uint64_t bipe_protocol_stride(const bipe_window_rules *rules, uint64_t length)
{
    return rules->stride > 0 ? rules->stride : rules->protocol == BIPE_PROTOCOL_SLIDING ? length / 2 : 0;
}

int bipe_protocol_windows(const bipe_window_rules *rules, uint64_t length, bool has_bos, const bipe_token_spool *spool,
                          const uint32_t *first_target, bipe_protocol *protocol, bipe_cut **list, bipe_error *err)
{
    const listing l = { rules->protocol, rules->lines, length, first_target, NULL };
    *list = NULL;
    *protocol = (bipe_protocol){
        .length = length,
        .stride = bipe_protocol_stride(rules, length),
        .last = rules->last,
        .tail = rules->tail || rules->protocol == BIPE_PROTOCOL_SLIDING,
        .bos = rules->bos == BIPE_BOS_WINDOW && has_bos,
        .count_bos = rules->count_bos,
    };
    if (rules->protocol == BIPE_PROTOCOL_LLAMA_CPP) {
        protocol->last = length - length / 2 - 1;
        protocol->replace = has_bos;
    }
    bool listed = rules->lines || rules->protocol == BIPE_PROTOCOL_LM_EVAL ||
                  rules->protocol == BIPE_PROTOCOL_YARN || rules->protocol == BIPE_PROTOCOL_LONGPPL;
    return listed ? make_list(&l, spool, protocol, list, err) : BIPE_OK;
}

int bipe_protocol_windows_of_each(const bipe_window_rules *rules, uint64_t length, bool has_bos,
                                  const bipe_token_spool *spool, bipe_protocol *protocol, bipe_cut **list,
                                  bipe_error *err)
{
    int status = bipe_protocol_windows(rules, length, has_bos, spool, NULL, protocol, list, err);
    if (status != BIPE_OK || protocol->list != NULL)
        return status;
    const bipe_protocol one = *protocol;
    return make_list(&(listing){ .each = &one }, spool, protocol, list, err);
}

/* Hugging Face's program weighs the mean of the new tokens of each window but the first by one less than their number:
 * the sum of their losses, weighed so, over one token less. The first, which is not counted, gives its loss to the
 * second. */
bool bipe_protocol_loss(const bipe_window_rules *rules, const bipe_scored_window *window, size_t k, double *nll)
{
    double scored = (double)(window->length - window->first);
    *nll = window->nll[k - window->first];
    if (rules->protocol != BIPE_PROTOCOL_SLIDING || window->first <= 1)
        return true;
    if (k == window->first + 1)
        *nll += window->nll[0];
    *nll *= (scored - 1) / scored;
    return k > window->first;
}
