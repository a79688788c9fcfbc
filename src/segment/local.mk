# local.mk - src/segment: the segmenter interface, SPEC, plug-ins, scanners of bytes.
libinternal_la_SOURCES += %D%/byte_scan.c %D%/byte_scan.h %D%/byte_scan_neon.c %D%/byte_scan_x86.c %D%/plugin.c %D%/plugin.h \
	%D%/segment_levels.c %D%/segment_levels.h \
	%D%/segmentation.c %D%/segmentation.h %D%/segmenter_spec.c %D%/segmenter_spec.h
