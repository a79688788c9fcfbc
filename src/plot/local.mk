# local.mk - src/plot: series and axes drawn on a terminal or a page; text shaded by loss.
libtools_la_SOURCES += \
	%D%/cairo_canvas.c \
	%D%/canvas.h \
	%D%/chart.c \
	%D%/figure.c %D%/figure.h \
	%D%/html.c %D%/html.h \
	%D%/look.h \
	%D%/loss_page.c \
	%D%/loss_text.c %D%/loss_text.h \
	%D%/page_canvas.c %D%/page_canvas.h \
	%D%/scale.c %D%/scale.h \
	%D%/svg_canvas.c \
	%D%/term_canvas.c
