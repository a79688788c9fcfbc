# local.mk - tests. A unit test is a file in tests/unit and a line in unit_tests.
unit_tests = \
	tests/unit/test_abbreviations \
	tests/unit/test_added_units \
	tests/unit/test_agreement tests/unit/test_answers tests/unit/test_arithmetic \
	tests/unit/test_attention \
	tests/unit/test_blocks \
	tests/unit/test_blocks_write \
	tests/unit/test_bounds \
	tests/unit/test_bpe_borders \
	tests/unit/test_byte_level \
	tests/unit/test_byte_scan \
	tests/unit/test_byte_encode \
	tests/unit/test_checkpoint \
	tests/unit/test_closes \
	tests/unit/test_columns \
	tests/unit/test_continuations \
	tests/unit/test_corpus \
	tests/unit/test_cut_letters \
	tests/unit/test_distribution \
	tests/unit/test_description \
	tests/unit/test_divergence \
	tests/unit/test_document \
	tests/unit/test_dtype \
	tests/unit/test_end_tokens \
	tests/unit/test_evaluator \
	tests/unit/test_experts \
	tests/unit/test_generator \
	tests/unit/test_gguf_characters \
	tests/unit/test_gguf_parts \
	tests/unit/test_gguf_reader \
	tests/unit/test_gguf_writer \
	tests/unit/test_gradients \
	tests/unit/test_growing_text \
	tests/unit/test_input \
	tests/unit/test_input_window \
	tests/unit/test_jobs \
	tests/unit/test_int16 \
	tests/unit/test_json_tokenizer \
	tests/unit/test_json_writer \
	tests/unit/test_ladder \
	tests/unit/test_key_tokens \
	tests/unit/test_llama_tokenizers \
	tests/unit/test_losses \
	tests/unit/test_make_tokenizer \
	tests/unit/test_memory_available \
	tests/unit/test_merge_borders \
	tests/unit/test_merge_parts \
	tests/unit/test_metaspace \
	tests/unit/test_model_files \
	tests/unit/test_model_open \
	tests/unit/test_native_file \
	tests/unit/test_nn \
	tests/unit/test_normal_forms \
	tests/unit/test_optimizer \
	tests/unit/test_options \
	tests/unit/test_output \
	tests/unit/test_parameters tests/unit/test_passkey \
	tests/unit/test_pattern \
	tests/unit/test_pipeline \
	tests/unit/test_plain_tokenizers \
	tests/unit/test_plot \
	tests/unit/test_plugin \
	tests/unit/test_pretoken_patterns \
	tests/unit/test_pretoken_starts \
	tests/unit/test_products \
	tests/unit/test_progress \
	tests/unit/test_pytorch \
	tests/unit/test_resample \
	tests/unit/test_recoder \
	tests/unit/test_record_writer \
	tests/unit/test_safetensors \
	tests/unit/test_sampler \
	tests/unit/test_scheme \
	tests/unit/test_score_journal \
	tests/unit/test_score_memory \
	tests/unit/test_scorer \
	tests/unit/test_segmentation \
	tests/unit/test_segmenter_memory \
	tests/unit/test_segmenter_rules \
	tests/unit/test_segmenters \
	tests/unit/test_sentence \
	tests/unit/test_sentence_break \
	tests/unit/test_shared_models \
	tests/unit/test_spm_tokenizer \
	tests/unit/test_spm_units \
	tests/unit/test_spool \
	tests/unit/test_stats \
	tests/unit/test_status \
	tests/unit/test_steps \
	tests/unit/test_stream \
	tests/unit/test_task \
	tests/unit/test_text_losses \
	tests/unit/test_threads \
	tests/unit/test_tiktoken \
	tests/unit/test_token_spool \
	tests/unit/test_tool_alloc \
	tests/unit/test_tool_memory \
	tests/unit/test_unicode \
	tests/unit/test_unigram \
	tests/unit/test_utf8 \
	tests/unit/test_vocab_files \
	tests/unit/test_vocabulary \
	tests/unit/test_window_counter \
	tests/unit/test_windows \
	tests/unit/test_word_break \
	tests/unit/test_word_cache
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

# Those that start threads run under TSan (.ci/run).
threaded_tests = \
	tests/unit/test_continuations tests/unit/test_divergence tests/unit/test_document tests/unit/test_evaluator tests/unit/test_generator \
	tests/unit/test_gradients tests/unit/test_input tests/unit/test_jobs tests/unit/test_optimizer tests/unit/test_pattern \
	tests/unit/test_stream tests/unit/test_threads tests/unit/test_tool_alloc tests/unit/test_tool_memory

# Transcripts in which no tool starts threads, or which look at what other transcripts run as well.
single_threaded = \
	tests/cli/arithmetic.t tests/cli/convert.t tests/cli/convert-to.t tests/cli/generate.t tests/cli/installed.t tests/cli/library.t \
	tests/cli/limits.t tests/cli/memory.t tests/cli/plot.t tests/cli/plugin.t tests/cli/python.t tests/cli/runner.t tests/cli/stats.t tests/cli/tables.t

# Not under Valgrind, but under ASan with its leak detection: those that are slow there, and test_corpus, in which PCRE2's JIT reads the whole vector in which a text ends.
slow_under_valgrind = \
	tests/unit/test_arithmetic tests/unit/test_attention tests/unit/test_bounds tests/unit/test_bpe_borders tests/unit/test_byte_encode \
	tests/unit/test_byte_level tests/unit/test_byte_scan tests/unit/test_continuations \
	tests/unit/test_corpus tests/unit/test_cut_letters tests/unit/test_divergence tests/unit/test_evaluator tests/unit/test_generator \
	tests/unit/test_gradients tests/unit/test_input tests/unit/test_json_tokenizer tests/unit/test_llama_tokenizers \
	tests/unit/test_metaspace tests/unit/test_nn tests/unit/test_optimizer tests/unit/test_passkey tests/unit/test_pretoken_patterns \
	tests/unit/test_pretoken_starts tests/unit/test_products tests/unit/test_resample tests/unit/test_sampler \
	tests/unit/test_score_memory tests/unit/test_segmenters tests/unit/test_shared_models \
	tests/unit/test_spm_tokenizer tests/unit/test_steps tests/unit/test_stream tests/unit/test_tiktoken tests/unit/test_tool_memory \
	tests/unit/test_unicode tests/unit/test_vocab_files

# Transcripts of commands (tests/cli/README.md) and the examples of the documents.
transcripts = \
	tests/cli/arithmetic.t \
	tests/cli/automaton.t \
	tests/cli/babi.t \
	tests/cli/clusters.t \
	tests/cli/convert.t \
	tests/cli/convert-to.t \
	tests/cli/divergence.t \
	tests/cli/ends.t \
	tests/cli/errors.t \
	tests/cli/eval.t \
	tests/cli/finetune.t \
	tests/cli/generate.t \
	tests/cli/gold.t \
	tests/cli/inputs.t \
	tests/cli/installed.t \
	tests/cli/key-tokens.t \
	tests/cli/ladder.t \
	tests/cli/library.t \
	tests/cli/limits.t \
	tests/cli/memory.t \
	tests/cli/mpi.t \
	tests/cli/parts.t \
	tests/cli/plot.t \
	tests/cli/plugin.t \
	tests/cli/python.t \
	tests/cli/record.t \
	tests/cli/records.t \
	tests/cli/ruler.t \
	tests/cli/runner.t \
	tests/cli/score.t \
	tests/cli/segment.t \
	tests/cli/shards.t \
	tests/cli/stats.t \
	tests/cli/tables.t \
	tests/cli/train.t
examples = README.md docs/compatibility.md docs/theorem.md $(manual_sources)
TESTS += $(transcripts) $(examples)
TEST_EXTENSIONS = .t .md .in
T_LOG_COMPILER = $(PERL) $(srcdir)/tests/run-transcripts
MD_LOG_COMPILER = $(T_LOG_COMPILER)
IN_LOG_COMPILER = $(T_LOG_COMPILER)

test_scripts = \
	tests/check-experiments tests/check-groups tests/check-house tests/check-segments tests/check-stats tests/gradients-kernels tests/hostile-input \
	tests/plot-pages tests/score-properties tests/score-reference
peers = \
	tests/peers/abbreviations \
	tests/peers/agreement \
	tests/peers/answers \
	tests/peers/automata \
	tests/peers/babi \
	tests/peers/block-types \
	tests/peers/block-writers \
	tests/peers/breaks \
	tests/peers/byte-level \
	tests/peers/choices \
	tests/peers/collection \
	tests/peers/configurations \
	tests/peers/divergence \
	tests/peers/errors \
	tests/peers/families \
	tests/peers/gradients \
	tests/peers/judged \
	tests/peers/key-tokens \
	tests/peers/ladders \
	tests/peers/languages \
	tests/peers/learned \
	tests/peers/lexical \
	tests/peers/llama-convert \
	tests/peers/llama-cpp \
	tests/peers/llama-generate \
	tests/peers/llama-losses \
	tests/peers/llama-quantize \
	tests/peers/llama-speed \
	tests/peers/pipelines \
	tests/peers/protocols \
	tests/peers/records \
	tests/peers/ruler \
	tests/peers/sentences \
	tests/peers/steps \
	tests/peers/tasks \
	tests/peers/tokenizers \
	tests/peers/train-pytorch \
	tests/peers/unicode
# clusters/run starts a cluster and takes minutes, and compare-builds compares two builds, so they are no tests; random-folder writes models for transcripts.
dist_check_SCRIPTS += $(test_scripts) $(peers) tests/clusters/run tests/compare-builds tests/random-folder
TESTS += $(test_scripts) $(peers)

# Programs of the comparisons with the originals.
peer_programs = \
	tests/peers/answer_lines tests/peers/block_bytes tests/peers/block_values tests/peers/family_losses tests/peers/gradient_values tests/peers/learn_pieces tests/peers/task_lines tests/peers/token_lines
EXTRA_PROGRAMS += $(peer_programs)
check_DATA += $(peer_programs)
CLEANFILES += $(peer_programs)

# A forward pass in double precision, and models to run it on.
noinst_LTLIBRARIES += libreference.la
libreference_la_SOURCES = tests/reference/reference.c tests/reference/reference.h tests/reference/tiny_model.c tests/reference/tiny_model.h \
	tests/scheme_cases.h
# The independent computation is not what sanitizers are to look at.
libreference_la_CFLAGS = $(AM_CFLAGS) -O2 -fno-sanitize=all
tests_peers_family_losses_LDADD = libreference.la $(LDADD)
tests_unit_test_continuations_LDADD = libreference.la $(LDADD)
tests_unit_test_divergence_LDADD = libreference.la $(LDADD)
tests_unit_test_evaluator_LDADD = libreference.la $(LDADD)
tests_unit_test_experts_LDADD = libreference.la $(LDADD)
tests_unit_test_generator_LDADD = libreference.la $(LDADD)
tests_unit_test_gradients_LDADD = libreference.la $(LDADD)
tests_unit_test_model_open_LDADD = libreference.la $(LDADD)
tests_unit_test_parameters_LDADD = libreference.la $(LDADD)
tests_unit_test_passkey_LDADD = libreference.la $(LDADD)
tests_unit_test_arithmetic_SOURCES = tests/unit/test_arithmetic.c corpora/history.c

fuzzers = \
	tests/fuzz/fuzz_blocks tests/fuzz/fuzz_documents tests/fuzz/fuzz_gguf tests/fuzz/fuzz_gguf_vocabulary tests/fuzz/fuzz_gold \
	tests/fuzz/fuzz_input \
	tests/fuzz/fuzz_model tests/fuzz/fuzz_model_config tests/fuzz/fuzz_pickle tests/fuzz/fuzz_plot tests/fuzz/fuzz_pretoken \
	tests/fuzz/fuzz_safetensors tests/fuzz/fuzz_score_journal tests/fuzz/fuzz_segmenters tests/fuzz/fuzz_sentencepiece \
	tests/fuzz/fuzz_stats tests/fuzz/fuzz_steps tests/fuzz/fuzz_stream tests/fuzz/fuzz_task tests/fuzz/fuzz_tiktoken \
	tests/fuzz/fuzz_tokenizer_json tests/fuzz/fuzz_vocab_files
EXTRA_PROGRAMS += $(fuzzers)
tests_fuzz_fuzz_plot_LDADD = $(LDADD) $(NETTLE_LIBS) $(CAIRO_LIBS)
if FUZZERS
noinst_PROGRAMS += $(fuzzers)
$(fuzzers): private AM_LDFLAGS += $(FUZZ_LDFLAGS)
endif

EXTRA_DIST += \
	tests/archive.h tests/bytes.h tests/cases.h tests/cases/blocks.jsonl tests/cases/command-lines \
	tests/cases/configs-refused.jsonl tests/cases/configs.jsonl tests/cases/options-rules.jsonl \
	tests/cases/options-usage.jsonl tests/cases/sentence-breaks tests/cases/sentences.jsonl tests/cases/steps.jsonl \
	tests/cases/task-steps.jsonl tests/cases/word-breaks \
	tests/cases/task-templates.jsonl tests/cases/tokenizers-refused.jsonl \
	tests/cases/tokenizers.jsonl tests/charsmap_file.h tests/check.h tests/fuzz/memory_file.h tests/fuzz/token_cuts.h \
	tests/description_twin.h tests/models.h tests/no_memory.h tests/packed.h tests/pretoken_ends.h tests/scratch.h tests/segment_run.h \
	tests/shared_vectors.h tests/spm_reference.h tests/tensor_file.h tests/tokenizers.h \
	tests/tokens.h tests/unicode_files.h tests/cli/README.md tests/man-example tests/models/README.md tests/models/small-bipe-alibi.bin \
	tests/models/small-rope.bin tests/peers/built_decoder.py tests/peers/float64_model.py tests/peers/hf-encode.js tests/peers/llama-cpp.mjs tests/peers/llama-generate.mjs tests/peers/llama-losses.mjs \
	tests/peers/family_draw.py tests/peers/family_mixtures.py tests/peers/family_rows.py tests/peers/family_schemes.py tests/peers/float64_decoder.py tests/peers/llama-scores.mjs tests/peers/model_files.py \
	tests/peers/pipelines.js tests/peers/tiktoken.js tests/peers/unicode.js tests/fuzz/seeds-input \
	tests/fuzz/seeds-measure tests/fuzz/seeds-model tests/fuzz/seeds-model-files tests/fuzz/seeds-segmenters \
	tests/fuzz/seeds-tokenizers tests/kernels-here tests/peer-ids tests/run-transcripts tests/split-gguf tests/say-skipped tests/surroundings $(transcripts)

TEST_VARIABLES = \
	BIPE_SRCDIR='$(abs_srcdir)'; BIPE_BUILDDIR='$(abs_builddir)'; PERL='$(PERL)'; \
	BIPE_SHARED="$${BIPE_SHARED:-$(abs_srcdir)/../shared}"; \
	CC='$(CC)'; BIPE_LDFLAGS='$(BIPE_LDFLAGS)'; BIPE_GZIP='$(have_zlib)'; BIPE_XZ='$(have_lzma)'; BIPE_MPI='$(have_mpi)'; BIPE_CAIRO='$(have_cairo)'; \
	PYTHONDONTWRITEBYTECODE=1; export BIPE_SRCDIR BIPE_BUILDDIR PERL BIPE_SHARED CC BIPE_LDFLAGS BIPE_GZIP BIPE_XZ BIPE_MPI BIPE_CAIRO PYTHONDONTWRITEBYTECODE;
AM_TESTS_ENVIRONMENT = $(TEST_VARIABLES) $(PERL) '$(srcdir)/tests/surroundings'

check-local: check-TESTS
	@$(PERL) '$(srcdir)/tests/say-skipped' $(TEST_LOGS)

# Writes what the commands print now into transcripts and examples; read the difference before you commit it.
renew-cli: all
	@$(TEST_VARIABLES) cd $(srcdir) && $(PERL) tests/run-transcripts --renew $(transcripts) README.md man/*.in

list-threaded-tests:
	@echo $(threaded_tests)
list-unit-tests:
	@echo $(unit_tests)
list-valgrind-tests:
	@echo $(filter-out $(slow_under_valgrind),$(unit_tests))
list-threaded-transcripts:
	@echo $(filter-out $(single_threaded),$(transcripts))
list-documents:
	@echo tests/cli/installed.t tests/cli/library.t tests/cli/plugin.t tests/cli/eval.t $(filter-out man/bipe-score.1.in man/bipe-train.1.in README.md,$(examples))
list-sanitizer-tests:
	@echo $(unit_tests) $(filter-out tests/cli/installed.t,$(transcripts)) tests/check-segments tests/check-stats tests/hostile-input
.PHONY: renew-cli list-threaded-tests list-unit-tests list-valgrind-tests list-threaded-transcripts list-documents list-sanitizer-tests
