# local.mk - corpora, models and tasks: texts, recipes, bundled models, task files, the demo.
EXTRA_DIST += models/train %D%/README.md %D%/demo %D%/html-paragraphs %D%/join-files %D%/manifest.tsv %D%/overlap %D%/persuasion.txt %D%/read-rdb \
	%D%/recipe %D%/river.txt %D%/words/adjectivelist.txt %D%/words/nounlist.txt %D%/words/verblist.txt

# Sums in words, texts with a hidden key, and strings of automata, to train on; the test of sums is built with history.c as well. Samples of RULER's tasks.
noinst_PROGRAMS += %D%/arithmetic %D%/automaton %D%/babi %D%/passkey %D%/ruler
corpora_arithmetic_SOURCES = %D%/arithmetic.c %D%/history.c %D%/history.h
corpora_arithmetic_LDADD = libtools.la libinternal.la
corpora_automaton_SOURCES = %D%/automaton.c
corpora_automaton_LDADD = libtools.la libinternal.la
corpora_babi_SOURCES = %D%/babi.c %D%/babi.h %D%/babi_worlds.c %D%/ruler.h %D%/ruler_count.c %D%/ruler_sources.c
corpora_babi_LDADD = libtools.la libinternal.la libnn.la
corpora_passkey_SOURCES = %D%/passkey.c
corpora_passkey_LDADD = libtools.la libinternal.la libnn.la
corpora_ruler_SOURCES = %D%/ruler.c %D%/ruler.h %D%/ruler_count.c %D%/ruler_lists.c %D%/ruler_needles.c %D%/ruler_questions.c \
	%D%/ruler_sample.c %D%/ruler_sources.c %D%/ruler_write.c
corpora_ruler_LDADD = libtools.la libinternal.la libnn.la

# Bundled models (models/*.md describe them); the word "default" means the one with the lowest perplexity over all lengths.
default_model = prose-rope-alibi.bin
modeldir = $(pkgdatadir)/models
taskdir = $(pkgdatadir)/tasks
dist_task_DATA = tasks/arc_challenge.json tasks/arc_easy.json tasks/arithmetic.json tasks/babilong_qa1.json \
	tasks/babilong_qa2.json tasks/babilong_qa3.json tasks/babilong_qa4.json tasks/babilong_qa5.json \
	tasks/babilong_qa6.json tasks/babilong_qa7.json tasks/babilong_qa8.json tasks/babilong_qa9.json \
	tasks/babilong_qa10.json tasks/babilong_qa11.json tasks/babilong_qa12.json tasks/babilong_qa13.json \
	tasks/babilong_qa14.json tasks/babilong_qa15.json tasks/babilong_qa16.json tasks/babilong_qa17.json \
	tasks/babilong_qa18.json tasks/babilong_qa19.json tasks/babilong_qa20.json tasks/contract_nli.json \
	tasks/gov_report.json tasks/hellaswag.json tasks/helmet_json_kv.json tasks/helmet_niah_mk_2.json \
	tasks/helmet_niah_mk_3.json tasks/helmet_niah_mv.json tasks/lambada.json tasks/longbench_v2.json tasks/mmlu.json \
	tasks/narrative_qa.json tasks/nolima.json tasks/passkey.json tasks/piqa.json tasks/qasper.json tasks/qmsum.json \
	tasks/quality.json tasks/race.json tasks/ruler_choices.json tasks/ruler_cwe.json tasks/ruler_fwe.json tasks/ruler_niah.json \
	tasks/ruler_qa.json tasks/ruler_vt.json tasks/summ_screen_fd.json tasks/truthfulqa_mc1.json tasks/truthfulqa_mc2.json \
	tasks/winogrande.json
dist_model_DATA = models/arithmetic-bipe-rope.bin models/arithmetic-bipe-rope.md models/arithmetic-rope.bin models/arithmetic-rope.md \
	models/prose-alibi.bin models/prose-alibi.md models/prose-bipe-alibi.bin models/prose-bipe-alibi.md \
	models/prose-bipe-rope.bin models/prose-bipe-rope.md models/prose-rope.bin models/prose-rope.md \
	models/prose-rope-alibi.bin models/prose-rope-alibi.md
# The build tree has them where the tools there look: links, unless it is the source tree. man(1) finds the pages from a build tree on PATH.
all-local:
	@$(MKDIR_P) man models segmenters/sentence tasks && for m in $(dist_model_DATA) $(dist_sentence_DATA) $(dist_task_DATA); do test -f $$m || { rm -f $$m; $(LN_S) '$(abs_srcdir)'/$$m $$m; }; done && \
	  { test "`readlink models/default.bin`" = $(default_model) || { rm -f models/default.bin; $(LN_S) $(default_model) models/default.bin; }; }
	@for p in $(nodist_man_MANS); do d=man/man$${p##*.}; test ! -h $$d || rm -f $$d; \
	  $(MKDIR_P) $$d && { test -h $$d/$${p#man/} || $(LN_S) ../$${p#man/} $$d; }; done
install-data-hook:
	cd '$(DESTDIR)$(modeldir)' && rm -f default.bin && $(LN_S) $(default_model) default.bin
uninstall-hook:
	rm -f '$(DESTDIR)$(modeldir)/default.bin'

demo: all
	@BIPE_BUILDDIR='$(abs_builddir)' BIPE_SRCDIR='$(abs_srcdir)' sh '$(srcdir)/corpora/demo'
.PHONY: demo

clean-local:
	rm -rf demo man/man?
	for m in models/* segmenters/sentence/* tasks/*; do test ! -L $$m || rm -f $$m; done
