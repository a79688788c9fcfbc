# local.mk - manual pages and completions: all about the options comes from the tools themselves.
# man/NAME.1.in holds a line @OPTIONS@ where the options of NAME go. [@] is a @ that config.status leaves alone.
nodist_man_MANS = man/bipe.7 man/bipe-segmenter.7 man/bipe-task.5 man/libbipe.3 man/bipe-convert.1 man/bipe-eval.1 man/bipe-generate.1 man/bipe-plot.1 \
	man/bipe-score.1 man/bipe-segment.1 man/bipe-stats.1 man/bipe-train.1
manual_sources = man/bipe.7.in man/bipe-segmenter.7.in man/bipe-task.5.in man/libbipe.3.in man/bipe-convert.1.in man/bipe-eval.1.in man/bipe-generate.1.in \
	man/bipe-plot.1.in man/bipe-score.1.in man/bipe-segment.1.in man/bipe-stats.1.in man/bipe-train.1.in
EXTRA_DIST += $(manual_sources)

fill_page = $(SED) -e 's|[@]VERSION[@]|$(PACKAGE_VERSION)|g' -e 's|[@]pkgdatadir[@]|$(pkgdatadir)|g' \
	-e 's|[@]pkglibdir[@]|$(pkglibdir)|g' -e 's|[@]includedir[@]|$(includedir)|g'
man/%: $(srcdir)/man/%.in Makefile
	$(AM_V_GEN)$(MKDIR_P) man && $(fill_page) '$<' >$@.new && mv -f $@.new $@
man/%.1: $(srcdir)/man/%.1.in %$(EXEEXT) Makefile
	$(AM_V_GEN)$(MKDIR_P) man && ./$*$(EXEEXT) --generate=man >$@.options && \
	  $(fill_page) -e '/^[@]OPTIONS[@]$$/{' -e 'r $@.options' -e 'd' -e '}' $< >$@.new && rm -f $@.options && mv -f $@.new $@

bashcompletiondir = $(datarootdir)/bash-completion/completions
bashcompletion_DATA = $(tools:%=completions/bash/%)
zshcompletiondir = $(datarootdir)/zsh/site-functions
zshcompletion_DATA = $(tools:%=completions/zsh/_%)
fishcompletiondir = $(datarootdir)/fish/vendor_completions.d
fishcompletion_DATA = $(tools:%=completions/fish/%.fish)
completions/bash/%: %$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./$< --generate=bash >$@.new && mv -f $@.new $@
completions/zsh/_%: %$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./$< --generate=zsh >$@.new && mv -f $@.new $@
completions/fish/%.fish: %$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./$< --generate=fish >$@.new && mv -f $@.new $@
CLEANFILES += $(nodist_man_MANS) $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
