# local.mk - segmenters: one file each.
# The built-in ones, in the order of --help. One more is one file and one line here; segmenters/X.c defines bipe_segmenter_X.
segmenter_sources = \
	%D%/stop.c \
	%D%/line.c \
	%D%/sentence.c \
	%D%/paragraph.c \
	%D%/equals.c \
	%D%/code.c \
	%D%/fixed.c \
	%D%/regex.c \
	%D%/tokens.c \
	%D%/none.c \
	%D%/document_level.c
libinternal_la_SOURCES += $(segmenter_sources)

# The registry: made from the list above, touched only when it changes.
nodist_libinternal_la_SOURCES += src/segment/builtin_segmenters.c
src/segment/builtin_segmenters.c: Makefile
	$(AM_V_GEN)$(MKDIR_P) src/segment && { \
	  echo '/* builtin_segmenters.c - made by make from segmenter_sources. */'; \
	  echo '#include "segment/segmentation.h"'; \
	  for s in $(segmenter_sources); do echo "extern const bipe_segmenter bipe_segmenter_`basename $$s .c`;"; done; \
	  echo 'const bipe_segmenter *const bipe_builtin_segmenters[] = {'; \
	  for s in $(segmenter_sources); do echo "    &bipe_segmenter_`basename $$s .c`,"; done; \
	  echo '    NULL,'; echo '};'; } > $@.new && \
	  { cmp -s $@.new $@ && rm -f $@.new && touch $@ || mv -f $@.new $@; }
CLEANFILES += src/segment/builtin_segmenters.c

# Languages that `sentence:LANG` knows.
sentencedir = $(pkgdatadir)/sentence
dist_sentence_DATA = \
	%D%/sentence/am.txt %D%/sentence/ar.txt %D%/sentence/bg.txt %D%/sentence/cs.txt %D%/sentence/da.txt %D%/sentence/de.txt %D%/sentence/el.txt \
	%D%/sentence/en.txt %D%/sentence/es.txt %D%/sentence/fi.txt %D%/sentence/fr.txt %D%/sentence/hi.txt %D%/sentence/hr.txt \
	%D%/sentence/hu.txt %D%/sentence/hy.txt %D%/sentence/it.txt %D%/sentence/ja.txt %D%/sentence/nb.txt \
	%D%/sentence/nl.txt %D%/sentence/pl.txt %D%/sentence/pt.txt %D%/sentence/ro.txt %D%/sentence/ru.txt \
	%D%/sentence/sk.txt %D%/sentence/sv.txt %D%/sentence/tr.txt %D%/sentence/uk.txt %D%/sentence/zh.txt

# The worked example of a plug-in; installed where -s NAME finds it.
pluginfolderdir = $(pkglibdir)/segmenters
pluginfolder_LTLIBRARIES = %D%/plugin/stops.la
segmenters_plugin_stops_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
