# local.mk - src/base: status, allocation, buffers, input, output, options, threads.
libinternal_la_SOURCES += \
	%D%/alloc.c %D%/alloc.h \
	%D%/buffer.c %D%/buffer.h \
	%D%/clock.h \
	%D%/descriptor.c %D%/descriptor.h \
	%D%/digits.h \
	%D%/hash.h \
	%D%/input.c %D%/input.h \
	%D%/input_codec.h \
	%D%/input_gzip.c \
	%D%/input_kind.c %D%/input_kind.h \
	%D%/input_window.c %D%/input_window.h \
	%D%/input_xz.c \
	%D%/input_zstd.c \
	%D%/installed.c %D%/installed.h \
	%D%/json_writer.c %D%/json_writer.h \
	%D%/lfs_pointer.h \
	%D%/options.c %D%/options.h \
	%D%/options_generate.c \
	%D%/options_help.c \
	%D%/options_table.h \
	%D%/options_value.c \
	%D%/output.c %D%/output.h \
	%D%/output_guard.c %D%/output_guard.h \
	%D%/progress.c %D%/progress.h \
	%D%/random.h \
	%D%/read_ahead.c %D%/read_ahead.h \
	%D%/recoder.c %D%/recoder.h \
	%D%/spool.c %D%/spool.h \
	%D%/status.c %D%/status.h \
	%D%/threads.c %D%/threads.h \
	%D%/version.c %D%/version.h

# Where things are installed, as installed.h says it, and relative to each other. Made anew when the prefix changes.
nodist_libinternal_la_SOURCES += src/base/installed_places.c
src/base/installed_places.c: Makefile
	$(AM_V_GEN)$(MKDIR_P) src/base && { \
	  echo '/* installed_places.c - made by make from the folders that configure was given. */'; \
	  echo '#include "base/installed.h"'; \
	  echo 'const bipe_installed_place bipe_installed_places[BIPE_INSTALLED_KINDS] = {'; \
	  place() { echo "    [$$1] = {\"$$2\", \"`$(relative) "$$2" '$(bindir)'`\", \"`$(relative) "$$2" '$(libdir)'`\", \"$$3\"},"; }; \
	  place BIPE_INSTALLED_SEGMENTERS '$(pluginfolderdir)' segmenters/plugin/.libs; \
	  place BIPE_INSTALLED_MODELS '$(modeldir)' models; \
	  place BIPE_INSTALLED_SENTENCES '$(sentencedir)' segmenters/sentence; \
	  echo '};'; } >$@.new && mv -f $@.new $@
CLEANFILES += src/base/installed_places.c
