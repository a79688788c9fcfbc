# local.mk - src/text: UTF-8, patterns, documents of an input.
libinternal_la_SOURCES += %D%/break_class.h %D%/break_classes.c %D%/code_set.c %D%/code_set.h %D%/code_table.h %D%/document.c %D%/document.h %D%/footnote_mark.c %D%/footnote_mark.h %D%/json_paths.c %D%/json_paths.h %D%/json_records.c %D%/json_records.h \
	%D%/label.c %D%/label.h %D%/oniguruma.c %D%/pattern.c %D%/pattern.h %D%/pattern_pairs.c %D%/pattern_pairs.h \
	%D%/pcre2_engine.c %D%/pcre2_engine.h %D%/pcre2_search.c %D%/pcre2_search.h %D%/porter_stemmer.c %D%/porter_stemmer.h \
	%D%/property_names.c %D%/property_names.h %D%/python_text.c %D%/python_text.h %D%/sentence_language.c %D%/sentence_language.h %D%/sentence_tailoring.c %D%/sentence_tailoring.h %D%/sentence_word.c %D%/sentence_word.h \
	%D%/unicode.h %D%/unicode_categories.c %D%/unicode_properties.c %D%/unicode_rewrite.c %D%/unicode_sets.c %D%/unicode_sets.h %D%/unicode_table.h \
	%D%/utf8.c %D%/utf8.h
EXTRA_DIST += %D%/unicode-tables
