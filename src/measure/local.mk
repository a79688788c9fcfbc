# local.mk - src/measure: segments aligned with tokens, distributions, losses.
libinternal_la_SOURCES += %D%/abbreviation_counts.c %D%/abbreviation_counts.h %D%/abbreviation_list.c %D%/abbreviation_list.h \
	%D%/abbreviations.c %D%/abbreviations.h %D%/agreement.c %D%/agreement.h %D%/closes.c %D%/closes.h %D%/distribution.c \
	%D%/distribution.h %D%/divergences.c %D%/divergences.h %D%/exact.c %D%/exact.h \
	%D%/histogram.c %D%/histogram.h %D%/key_tokens.c %D%/key_tokens.h %D%/ladder.c %D%/ladder.h %D%/lexical.c %D%/lexical.h \
	%D%/loss_units.c %D%/loss_units.h \
	%D%/losses.c %D%/losses.h %D%/plan.c %D%/plan.h %D%/positions.c %D%/protocol.c %D%/protocol.h \
	%D%/resample.c %D%/resample.h %D%/scorer.c %D%/scorer.h %D%/stream.c %D%/stream.h %D%/stream_block.c \
	%D%/stream_block.h %D%/stream_reader.c %D%/stream_reader.h %D%/tally.c %D%/tally.h %D%/text_losses.c \
	%D%/text_losses.h %D%/text_scorer.c \
	%D%/token_losses.c %D%/token_losses.h %D%/token_spool.c %D%/token_spool.h %D%/unit_bins.c %D%/unit_bins.h \
	%D%/window_counter.c %D%/window_counter.h %D%/windows.c %D%/windows.h \
	%D%/word_table.c %D%/word_table.h %D%/word_types.c %D%/word_types.h
