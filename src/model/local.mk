# local.mk - src/model: hyperparameters, position schemes, the forward pass.
libinternal_la_SOURCES += %D%/automaton.c %D%/automaton.h %D%/bind.c %D%/bind.h %D%/bind_experts.c %D%/architecture.c %D%/architecture.h %D%/divergence.c %D%/divergence.h %D%/evaluator.c %D%/evaluator.h %D%/experts.c %D%/experts.h %D%/export.c %D%/families.c %D%/family.h %D%/forward.c %D%/forward.h %D%/generator.c %D%/generator.h \
	%D%/generator_parts.h %D%/generator_pass.c %D%/gguf_config.c %D%/hf_config.c %D%/hf_export.c %D%/hf_keys.c %D%/hf_keys.h %D%/hf_names.c %D%/hf_names.h %D%/hf_text_config.c %D%/hf_text_config.h %D%/hyperparameters.c %D%/indices.c %D%/indices.h %D%/known_keys.c %D%/known_keys.h \
	%D%/layer.c %D%/layer.h %D%/mix.c %D%/mix.h %D%/model.c %D%/model.h %D%/packed.c %D%/parameters.c %D%/parameters.h %D%/position_tables.c %D%/position_tables.h %D%/sampler.c %D%/sampler.h \
	%D%/scheme.c %D%/scheme.h %D%/trained.c %D%/weights.h
