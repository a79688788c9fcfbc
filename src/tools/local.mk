# local.mk - src/tools: the parts of each tool; Makefile.am links each with the file that has its main().
libtools_la_SOURCES += \
	%D%/convert/convert_automaton.c %D%/convert/convert_automaton.h \
	%D%/convert/convert_describe.c \
	%D%/convert/convert_folder.c \
	%D%/convert/convert_source.c %D%/convert/convert_source.h \
	%D%/convert/convert_training.c \
	%D%/eval/bipe_eval.h \
	%D%/eval/eval_cluster.c \
	%D%/eval/eval_compare.c \
	%D%/eval/eval_estimate.c \
	%D%/eval/eval_known.c \
	%D%/eval/eval_open.c \
	%D%/eval/eval_predictions.c \
	%D%/eval/eval_report.c \
	%D%/eval/eval_requests.c \
	%D%/eval/eval_run.c \
	%D%/eval/eval_score.c \
	%D%/eval/eval_shard.c \
	%D%/eval/eval_show.c \
	%D%/generate/bipe_generate.h \
	%D%/generate/generate_blank.c \
	%D%/generate/generate_run.c \
	%D%/plot/bipe_plot.h \
	%D%/plot/plot_captions.c \
	%D%/plot/plot_figures.c \
	%D%/plot/plot_input.c \
	%D%/plot/plot_items.c \
	%D%/plot/plot_names.c \
	%D%/plot/plot_report.c \
	%D%/plot/plot_table.c \
	%D%/plot/plot_tasks.c \
	%D%/plot/plot_text.c \
	%D%/plot/plot_tokens.c \
	%D%/plot/plot_training.c \
	%D%/score/bipe_score.h \
	%D%/score/score_columns.c %D%/score/score_columns.h \
	%D%/score/score_combine.c \
	%D%/score/score_divergence.c %D%/score/score_divergence.h \
	%D%/score/score_dump.c %D%/score/score_dump.h \
	%D%/score/score_estimate.c \
	%D%/score/score_journal.c %D%/score/score_journal.h \
	%D%/score/score_key.c %D%/score/score_key.h \
	%D%/score/score_key_lines.c \
	%D%/score/score_ladder.c %D%/score/score_ladder.h \
	%D%/score/score_ladder_report.c \
	%D%/score/score_limit.c \
	%D%/score/score_merge.c \
	%D%/score/score_models.c %D%/score/score_models.h \
	%D%/score/score_open.c \
	%D%/score/score_parts.c %D%/score/score_parts.h \
	%D%/score/score_probe.c \
	%D%/score/score_records.c \
	%D%/score/score_report.c %D%/score/score_report.h \
	%D%/score/score_rows.h \
	%D%/score/score_run.c \
	%D%/score/score_settings.c \
	%D%/score/score_setup.h \
	%D%/score/score_slices.c %D%/score/score_slices.h \
	%D%/score/score_table.c \
	%D%/score/score_texts.c %D%/score/score_texts.h \
	%D%/segment/bipe_segment.h \
	%D%/segment/segment_columns.c \
	%D%/segment/segment_files.c \
	%D%/segment/segment_ids.c \
	%D%/segment/segment_kwic.c \
	%D%/segment/segment_learn.c \
	%D%/segment/segment_records.c \
	%D%/segment/segment_rows.c \
	%D%/segment/segment_table.c \
	%D%/segment/segment_text.c \
	%D%/segment/segment_tidy.c \
	%D%/segment/segment_writer.c \
	%D%/stats/bipe_stats.h \
	%D%/stats/stats_agreement.c \
	%D%/stats/stats_chart.c \
	%D%/stats/stats_gold.c %D%/stats/stats_gold.h \
	%D%/stats/stats_json.c \
	%D%/stats/stats_judge.c \
	%D%/stats/stats_lines.c \
	%D%/stats/stats_load.c \
	%D%/stats/stats_read.c \
	%D%/stats/stats_records.c \
	%D%/stats/stats_result.c \
	%D%/stats/stats_shard.c \
	%D%/stats/stats_finer.c \
	%D%/stats/stats_squeeze.c \
	%D%/stats/stats_table.c \
	%D%/stats/stats_words.c \
	%D%/train/bipe_train.h \
	%D%/train/loss_chart.c \
	%D%/train/train_keep.c \
	%D%/train/train_log.c \
	%D%/train/train_open.c \
	%D%/train/train_run.c \
	%D%/train/train_sample.c \
	%D%/train/train_settings.c \
	%D%/train/train_task.c \
	%D%/train/train_tokenizer.c \
	%D%/train/train_validate.c
