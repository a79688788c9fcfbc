# local.mk - src/tools: parts of the tools; Makefile.am links each with its own file.
libtools_la_SOURCES += \
	%D%/bipe_eval.h \
	%D%/bipe_generate.h \
	%D%/bipe_plot.h \
	%D%/bipe_score.h \
	%D%/bipe_segment.h \
	%D%/bipe_stats.h \
	%D%/bipe_train.h \
	%D%/checksum.c %D%/checksum.h \
	%D%/convert_describe.c \
	%D%/convert_folder.c \
	%D%/convert_source.c %D%/convert_source.h \
	%D%/convert_training.c \
	%D%/csv.c %D%/csv.h \
	%D%/eval_estimate.c \
	%D%/eval_judge.c \
	%D%/eval_known.c \
	%D%/eval_model.c \
	%D%/eval_open.c \
	%D%/eval_predictions.c \
	%D%/eval_records.c %D%/eval_records.h \
	%D%/eval_report.c \
	%D%/eval_run.c \
	%D%/eval_score.c \
	%D%/eval_shard.c \
	%D%/generate_blank.c %D%/generate_run.c \
	%D%/group_names.c %D%/group_names.h \
	%D%/interrupt.c %D%/interrupt.h \
	%D%/journal.c %D%/journal.h \
	%D%/loss_chart.c \
	%D%/plot_figures.c \
	%D%/plot_input.c \
	%D%/plot_items.c \
	%D%/plot_names.c \
	%D%/plot_report.c \
	%D%/plot_table.c \
	%D%/plot_captions.c \
	%D%/plot_tasks.c \
	%D%/plot_text.c \
	%D%/plot_tokens.c \
	%D%/plot_training.c \
	%D%/result_file.c %D%/result_file.h \
	%D%/run_merge.c %D%/run_parts.h \
	%D%/run_record.c %D%/run_record.h \
	%D%/score_combine.c \
	%D%/score_dump.c \
	%D%/score_estimate.c \
	%D%/score_journal.c \
	%D%/score_limit.c \
	%D%/score_losses.c \
	%D%/score_merge.c \
	%D%/score_open.c \
	%D%/score_probe.c \
	%D%/score_report.c \
	%D%/score_run.c \
	%D%/score_settings.c \
	%D%/score_table.c \
	%D%/score_text.c \
	%D%/score_windows.c \
	%D%/segment_blank.c %D%/segment_blank.h \
	%D%/segment_columns.c \
	%D%/segment_files.c \
	%D%/segment_ids.c \
	%D%/segment_kwic.c \
	%D%/segment_rows.c \
	%D%/segment_table.c \
	%D%/segment_text.c \
	%D%/segment_tidy.c \
	%D%/segment_writer.c \
	%D%/shard.c %D%/shard.h \
	%D%/stats_chart.c \
	%D%/stats_json.c \
	%D%/stats_load.c \
	%D%/stats_quantity.c \
	%D%/stats_read.c \
	%D%/stats_result.c \
	%D%/stats_shard.c \
	%D%/stats_shards.c %D%/stats_shards.h \
	%D%/stats_squeeze.c \
	%D%/stats_table.c \
	%D%/stats_words.c \
	%D%/task_files.c %D%/task_files.h \
	%D%/tool.c %D%/tool.h \
	%D%/tool_inputs.c %D%/tool_inputs.h \
	%D%/tool_kernels.c \
	%D%/tool_members.c \
	%D%/train_keep.c \
	%D%/train_log.c \
	%D%/train_open.c \
	%D%/train_run.c \
	%D%/train_task.c \
	%D%/train_sample.c \
	%D%/train_settings.c \
	%D%/train_tokenizer.c \
	%D%/train_validate.c \
	%D%/write_model.c %D%/write_model.h
