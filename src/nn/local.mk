# local.mk - src/nn: kernels.
libnn_la_SOURCES += %D%/attention.c %D%/attention.h %D%/attention_backward.c %D%/attention_parts.h \
	%D%/block_products.h %D%/block_products_avx2.c %D%/block_products_avx512.c %D%/block_products_body.h %D%/block_readers.h %D%/block_readers_avx2.c %D%/block_readers_avx512.c %D%/block_readers_body.h %D%/cpu.c %D%/cpu.h %D%/exp.h %D%/interleave_avx2.c %D%/keys.c \
	%D%/lanes.h %D%/lanes_avx2.c %D%/lanes_avx512.c %D%/lanes_body.h %D%/lanes_plain.c %D%/micro.h %D%/micro_avx2.c %D%/micro_avx512.c \
	%D%/micro_blas.c %D%/micro_int16.h %D%/micro_kernel.h %D%/micro_neon.c %D%/micro_plain.c %D%/nn.h %D%/pack.c %D%/plain.c %D%/plain.h %D%/product.c %D%/product.h \
	%D%/row_table.h %D%/rows.c %D%/rows_avx2.c %D%/rows_avx512.c %D%/rows_body.h %D%/rows_plain.c
