# local.mk - src/format: untrusted model bytes to tables of tensors.
libinternal_la_SOURCES += \
	%D%/block_grids.c %D%/block_grids.h \
	%D%/blocks.h \
	%D%/blocks_grid.c \
	%D%/blocks_k.c \
	%D%/blocks_levels.c \
	%D%/blocks_scaled.c %D%/blocks_write.h %D%/blocks_write_k.c %D%/blocks_write_scaled.c \
	%D%/blocks_ternary.c \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/dtype.c \
	%D%/gguf.h \
	%D%/gguf_file.h \
	%D%/gguf_parts.c \
	%D%/gguf_reader.c \
	%D%/gguf_values.c \
	%D%/gguf_writer.c \
	%D%/half.h \
	%D%/json_object.c \
	%D%/little.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/names.c %D%/names.h \
	%D%/pickle.c %D%/pickle.h \
	%D%/pytorch.c \
	%D%/readers.h \
	%D%/safetensors.c \
	%D%/safetensors_writer.c \
	%D%/table.h \
	%D%/tensor.c %D%/tensor.h \
	%D%/tensor_list.c %D%/tensor_list.h \
	%D%/zip.c %D%/zip.h
EXTRA_DIST += %D%/block-grids
