# local.mk - bench: benchmarks, never part of check.
bench_programs = %D%/blocks %D%/ceilings %D%/generate %D%/kernels %D%/measure %D%/pcre_alone %D%/random_model %D%/tokenize
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
bench: all $(bench_programs)
	@BIPE_BUILDDIR='$(abs_builddir)' BIPE_SRCDIR='$(abs_srcdir)' sh '$(srcdir)/bench/bench'
.PHONY: bench
EXTRA_DIST += %D%/RESULTS.md %D%/arithmetic %D%/bench %D%/npm_peer.js %D%/records %D%/tokenizers %D%/turns
