# local.mk - src/base: status, allocation, buffers, input, output, threads.
libinternal_la_SOURCES += %D%/alloc.c %D%/alloc.h %D%/buffer.c %D%/buffer.h %D%/clock.h %D%/descriptor.c %D%/descriptor.h %D%/digits.h %D%/hash.h \
	%D%/input.c %D%/input.h %D%/input_codec.h %D%/input_gzip.c %D%/input_kind.c %D%/input_kind.h %D%/input_window.c %D%/input_window.h \
	%D%/input_xz.c %D%/input_zstd.c %D%/installed.c %D%/installed.h %D%/installed_model.c %D%/installed_model.h %D%/jobs.c %D%/jobs.h \
	%D%/json_writer.c %D%/json_writer.h %D%/limits.h %D%/lines.c %D%/lines.h %D%/lfs_pointer.h %D%/memory_available.c %D%/memory_available.h %D%/minmax.h %D%/name_list.c %D%/name_list.h %D%/numbers.c %D%/numbers.h \
	%D%/output.c %D%/output.h %D%/output_guard.c %D%/output_guard.h %D%/path.h \
	%D%/random.h %D%/read_ahead.c %D%/read_ahead.h %D%/recoder.c %D%/recoder.h %D%/spool.c %D%/spool.h \
	%D%/status.c %D%/status.h %D%/threads.c %D%/threads.h %D%/version.c

# The folders that configure was given; installed.c finds a moved tree from their relation.
src/base/installed.lo: Makefile
src/base/installed.lo: private AM_CPPFLAGS += -DBIPE_BINDIR='"$(bindir)"' -DBIPE_LIBDIR='"$(libdir)"' \
	-DBIPE_PLUGINDIR='"$(pluginfolderdir)"' -DBIPE_MODELDIR='"$(modeldir)"' -DBIPE_SENTENCEDIR='"$(sentencedir)"' -DBIPE_TASKDIR='"$(taskdir)"'
