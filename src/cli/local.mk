# local.mk - src/cli: what all tools need: options, inputs, progress, journals, shards, results.
libtools_la_SOURCES += \
	%D%/checksum.c %D%/checksum.h \
	%D%/clusters.c %D%/clusters.h \
	%D%/columns.c %D%/columns.h \
	%D%/columns_fit.c %D%/columns_fit.h \
	%D%/csv.c %D%/csv.h \
	%D%/eval_records.c %D%/eval_records.h \
	%D%/group_names.c %D%/group_names.h \
	%D%/interrupt.c %D%/interrupt.h \
	%D%/journal.c %D%/journal.h \
	%D%/languages.c %D%/languages.h \
	%D%/options.c %D%/options.h \
	%D%/options_generate.c \
	%D%/options_help.c \
	%D%/options_rules.c \
	%D%/options_table.h \
	%D%/power.c %D%/power.h \
	%D%/progress.c %D%/progress.h \
	%D%/record_filter.c %D%/record_filter.h \
	%D%/record_writer.c %D%/record_writer.h \
	%D%/result_file.c %D%/result_file.h \
	%D%/result_shards.c %D%/result_shards.h \
	%D%/run_merge.c \
	%D%/run_parts.h \
	%D%/run_record.c %D%/run_record.h \
	%D%/segment_blank.c %D%/segment_blank.h \
	%D%/shard.c %D%/shard.h \
	%D%/task_files.c %D%/task_files.h \
	%D%/terminal.c %D%/terminal.h \
	%D%/tool.c %D%/tool.h \
	%D%/tool_alloc.c %D%/tool_alloc.h \
	%D%/tool_inputs.c %D%/tool_inputs.h \
	%D%/tool_members.c \
	%D%/tool_model.c %D%/tool_model.h \
	%D%/write_model.c %D%/write_model.h
