# local.mk - src/train: texts as rows, gradients, optimizer; tokenizers made of texts.
libtrain_la_SOURCES += %D%/ceiling.c %D%/ceiling.h %D%/corpus.c %D%/corpus.h %D%/long_weights.c %D%/long_weights.h %D%/make_tokenizer.c %D%/make_tokenizer.h %D%/network.c %D%/network.h \
	%D%/network_backward.c %D%/network_forward.c %D%/network_loss.c %D%/network_parts.h %D%/network_positions.c %D%/network_products.c %D%/optimizer.c %D%/optimizer.h %D%/orthogonalize.c %D%/orthogonalize.h \
	%D%/piece_merges.c %D%/piece_merges.h %D%/ranks.c %D%/ranks.h %D%/schedule.c %D%/schedule.h %D%/train_checkpoint.c %D%/train_checkpoint.h \
	%D%/trainer.c %D%/trainer.h %D%/word_counts.c %D%/word_counts.h
