/* description_make.h - tokenizers from descriptions. */
#ifndef BIPE_TOKEN_DESCRIPTION_MAKE_H
#define BIPE_TOKEN_DESCRIPTION_MAKE_H

#include "token/json/description.h"
#include "token/kind.h"

/* The tokenizer that is described (tokenizer_json.c); what is needed to write it is not kept. */
int bipe_description_make(const bipe_description *description, bipe_tokenizer *tokenizer, bipe_error *err);
/* The same where it streams by its vocabulary (bpe_json.c); BIPE_ERR_UNSUPPORTED: it does not. */
int bipe_bpe_json_read(bipe_tokenizer *tokenizer, const bipe_description *description, bipe_error *err);

#endif
