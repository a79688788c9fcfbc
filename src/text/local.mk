# local.mk - src/text: UTF-8, patterns, documents of an input.
libinternal_la_SOURCES += \
	%D%/document.c %D%/document.h \
	%D%/json_records.c %D%/json_records.h \
	%D%/oniguruma.c \
	%D%/pattern.c %D%/pattern.h \
	%D%/pcre2_memory.c %D%/pcre2_memory.h \
	%D%/pcre2_search.c %D%/pcre2_search.h \
	%D%/property_names.c %D%/property_names.h \
	%D%/regex_classes.c \
	%D%/regex_cursor.h \
	%D%/regex_filter.c %D%/regex_filter.h \
	%D%/regex_filter_neon.c \
	%D%/regex_filter_x86.c \
	%D%/regex_instructions.c \
	%D%/regex_nodes.h \
	%D%/regex_parts.h \
	%D%/regex_places.c \
	%D%/regex_program.c %D%/regex_program.h \
	%D%/regex_search.c %D%/regex_search.h \
	%D%/regex_sets.c \
	%D%/regex_spans.c %D%/regex_spans.h \
	%D%/regex_states.c %D%/regex_states.h \
	%D%/regex_syntax.c \
	%D%/sentence_class.h \
	%D%/sentence_classes.c \
	%D%/sentence_tailoring.c %D%/sentence_tailoring.h \
	%D%/unicode.h \
	%D%/unicode_categories.c \
	%D%/unicode_properties.c \
	%D%/unicode_rewrite.c \
	%D%/unicode_sets.c %D%/unicode_sets.h \
	%D%/unicode_table.h \
	%D%/utf8.c %D%/utf8.h \
	%D%/word_class.h %D%/word_classes.c
EXTRA_DIST += %D%/break-tables %D%/unicode-table
