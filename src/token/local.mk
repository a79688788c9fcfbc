# local.mk - src/token: tokenizers and the readers of their files.
libinternal_la_SOURCES += \
	%D%/added_set.c %D%/added_set.h \
	%D%/char_reader.h \
	%D%/decoder.c %D%/decoder.h \
	%D%/hf_unicode.c %D%/hf_unicode.h \
	%D%/ids_input.c %D%/ids_input.h \
	%D%/kind.h \
	%D%/plain_kinds.c \
	%D%/pair_table.c %D%/pair_table.h \
	%D%/token_format.c \
	%D%/token_stream.c \
	%D%/tokenizer.c %D%/tokenizer.h \
	%D%/vocabulary.c %D%/vocabulary.h %D%/word_list.c %D%/word_list.h \
	%D%/word_kind.c \
	%D%/words_kind.c
libinternal_la_SOURCES += \
	%D%/files/end_tokens.c \
	%D%/files/gguf_bert.c \
	%D%/files/gguf_pieces.c \
	%D%/files/gguf_vocabulary.c %D%/files/gguf_vocabulary.h \
	%D%/files/gguf_write.c \
	%D%/files/protobuf.c %D%/files/protobuf.h \
	%D%/files/sentencepiece.c \
	%D%/files/sentencepiece_write.c \
	%D%/files/tekken_file.c \
	%D%/files/tiktoken_encodings.c \
	%D%/files/tiktoken_file.c %D%/files/tiktoken_file.h \
	%D%/files/tokenizer_folder.c %D%/files/tokenizer_json.c \
	%D%/files/tokenizer_llama.c %D%/files/tokenizer_write.h \
	%D%/files/vocab_files.c
libinternal_la_SOURCES += \
	%D%/json/description.c %D%/json/description.h \
	%D%/json/description_load.c \
	%D%/json/json_added.c \
	%D%/json/json_members.h
libinternal_la_SOURCES += \
	%D%/merges/merge_list.c %D%/merges/merge_list.h \
	%D%/merges/merge_loop.c %D%/merges/merge_loop.h
libinternal_la_SOURCES += \
	%D%/pipeline/byte_letters.h \
	%D%/pipeline/byte_encode.c %D%/pipeline/byte_encode.h \
	%D%/pipeline/mapped.c %D%/pipeline/mapped.h \
	%D%/pipeline/merge_borders.c \
	%D%/pipeline/merge_model.c %D%/pipeline/merge_model.h \
	%D%/pipeline/merge_parts.c \
	%D%/pipeline/model_unigram.c \
	%D%/pipeline/model_words.c \
	%D%/pipeline/nfc_check.c %D%/pipeline/nfc_check.h \
	%D%/pipeline/norm_characters.c \
	%D%/pipeline/norm_precompiled.c \
	%D%/pipeline/norm_strings.c \
	%D%/pipeline/norm_unicode.c \
	%D%/pipeline/normalizers.h \
	%D%/pipeline/pipeline.c %D%/pipeline/pipeline.h \
	%D%/pipeline/pipeline_added.c \
	%D%/pipeline/pipeline_encode.c %D%/pipeline/pipeline_encode.h \
	%D%/pipeline/pipeline_steps.c \
	%D%/pipeline/pipeline_units.c \
	%D%/pipeline/pre_byte_level.c \
	%D%/pipeline/pre_classes.c \
	%D%/pipeline/pre_metaspace.c \
	%D%/pipeline/pre_scripts.c \
	%D%/pipeline/pre_split.c \
	%D%/pipeline/pretokenizers.h \
	%D%/pipeline/safe_pairs.c %D%/pipeline/safe_pairs.h \
	%D%/pipeline/step_text.h
libinternal_la_SOURCES += \
	%D%/pretoken/pretoken_classes.c %D%/pretoken/pretoken_classes.h \
	%D%/pretoken/pretoken_masks.c %D%/pretoken/pretoken_masks.h \
	%D%/pretoken/pretoken_masks_x86.c \
	%D%/pretoken/pretoken_parts.c %D%/pretoken/pretoken_parts.h \
	%D%/pretoken/pretoken_patterns.c %D%/pretoken/pretoken_patterns.h \
	%D%/pretoken/pretoken_starts.c %D%/pretoken/pretoken_starts.h
libinternal_la_SOURCES += \
	%D%/spm/bpe.c %D%/spm/bpe.h \
	%D%/spm/bpe_borders.c \
	%D%/spm/bpe_encode.c %D%/spm/bpe_encode.h \
	%D%/spm/bpe_text.c \
	%D%/spm/character_map.c %D%/spm/character_map.h \
	%D%/spm/piece_trie.c %D%/spm/piece_trie.h \
	%D%/spm/spm_build.c \
	%D%/spm/spm_text.c %D%/spm/spm_text.h \
	%D%/spm/spm_unigram.c \
	%D%/spm/unigram.c %D%/spm/unigram.h
libinternal_la_SOURCES += \
	%D%/words/unit_encoder.c %D%/words/unit_encoder.h \
	%D%/words/word_cache.c %D%/words/word_cache.h \
	%D%/words/word_group.c %D%/words/word_group.h
