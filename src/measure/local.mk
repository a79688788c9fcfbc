# local.mk - src/measure: segments aligned with tokens, distributions, losses.
libinternal_la_SOURCES += %D%/answers.c %D%/answers.h %D%/closes.c %D%/closes.h %D%/continuations.c %D%/continuations.h \
	%D%/distribution.c %D%/distribution.h %D%/exact.c %D%/exact.h %D%/growing_text.c %D%/growing_text.h %D%/histogram.c %D%/histogram.h \
	%D%/lexical.c %D%/lexical.h %D%/losses.c %D%/losses.h %D%/passkey.c %D%/passkey.h %D%/plan.c %D%/plan.h %D%/positions.c %D%/question.c \
	%D%/resample.c %D%/resample.h %D%/scorer.c %D%/scorer.h %D%/stream.c %D%/stream.h %D%/stream_block.c %D%/stream_block.h %D%/stream_reader.c %D%/stream_reader.h %D%/tally.c %D%/tally.h \
	%D%/task.c %D%/task.h %D%/task_steps.c %D%/task_steps.h %D%/task_template.c %D%/task_template.h %D%/token_spool.c %D%/token_spool.h %D%/unit_bins.c %D%/unit_bins.h \
	%D%/window_counter.c %D%/window_counter.h %D%/windows.c %D%/windows.h %D%/word_table.c %D%/word_table.h %D%/word_types.c %D%/word_types.h
