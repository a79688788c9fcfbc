# Plug-ins: the worked example compiled as a user does, and shared objects that are none or break the rules.
%needs ${CC:-cc} --version
$ mkdir alone && cp "$BIPE_SRCDIR/segmenters/plugin/stops.c" alone
$ mkdir -p include/bipe && cp "$BIPE_SRCDIR/src/include/bipe/segmenter.h" include/bipe
$ cat >build <<'END'
> ${CC:-cc} -std=c11 -Wall -Wextra -Werror -pedantic -shared -fPIC -Iinclude "$@"
> END
$ sh build -o alone/stops.so alone/stops.c
$ printf 'He came. "Why?" she asked, i.e. too late.\nNo answer\n' >text
$ bipe-segment -s alone/stops.so text
He came.
 "Why?" she asked, i.e. too late.
 No answer
$ BIPE_SEGMENTER_PATH=/nowhere:alone bipe-segment -s stops --count text
3
$ cp alone/stops.so stops.so && bipe-segment -s stops.so --count text
3
$ bipe-segment -s alone/stops.so:x text
! bipe-segment: segmenter 'alone/stops.so:x': stops takes no argument
? 2
$ bipe-segment -s ./missing.so text
! bipe-segment: segmenter './missing.so': ./missing.so: No such file or directory
? 1
$ mkdir folder.so && bipe-segment -s ./folder.so text
! bipe-segment: segmenter './folder.so': ./folder.so: not a regular file, expected a segmenter plug-in
? 1
$ cp text text.so && bipe-segment -s ./text.so text 2>&1 | sed 's/loaded: .*/loaded: .../'
bipe-segment: segmenter './text.so': ./text.so: cannot be loaded: ...

# Descriptions that are wrong.
$ cat >wrong.c <<'END'
> #include <bipe/segmenter.h>
> static int f(void *s, uint64_t o, const uint8_t *b, size_t n, bipe_boundaries *x) { (void)s, (void)o, (void)b, (void)n, (void)x; return 0; }
> static int g(void *s, const bipe_token *t, size_t n, bipe_boundaries *x) { (void)s, (void)t, (void)n, (void)x; return 0; }
> const bipe_segmenter SYMBOL = {.abi = ABI, .reserved = RESERVED, .name = NAME, .bytes = BYTES, .tokens = TOKENS};
> void *unused[] = {(void *)(uintptr_t)f, (void *)(uintptr_t)g};
> END
$ wrong() { cp -f wrong.c try.c; for d in SYMBOL=bipe_segmenter_plugin ABI=BIPE_SEGMENTER_ABI RESERVED=0 'NAME="n"' BYTES=f TOKENS=0; do echo "#define $d" | sed 's/=/ /'; done >head; for d in "$@"; do echo "#undef $d" | sed 's/=.*//'; echo "#define $d" | sed 's/=/ /'; done >>head; cat head wrong.c >try.c; sh build -Wno-pedantic -o try.so try.c && bipe-segment -s ./try.so text; }; wrong; wrong SYMBOL=other; wrong ABI=2; wrong RESERVED=1; wrong NAME=0; wrong 'NAME="a b"'; wrong 'NAME=""'; wrong BYTES=0; wrong TOKENS=g
He came. "Why?" she asked, i.e. too late. No answer
! bipe-segment: segmenter './try.so': ./try.so: not a segmenter plug-in: it does not define bipe_segmenter_plugin
! bipe-segment: segmenter './try.so': ./try.so: made for version 2 of the segmenter interface, this is version 1
! bipe-segment: segmenter './try.so': ./try.so: reserved is 1, expected 0
! bipe-segment: segmenter './try.so': ./try.so: the segmenter has no name made of letters, digits, '-' and '_'
! bipe-segment: segmenter './try.so': ./try.so: the segmenter has no name made of letters, digits, '-' and '_'
! bipe-segment: segmenter './try.so': ./try.so: the segmenter has no name made of letters, digits, '-' and '_'
! bipe-segment: segmenter './try.so': ./try.so: none of the functions bytes and tokens are set, expected one
! bipe-segment: segmenter './try.so': ./try.so: both of the functions bytes and tokens are set, expected one
? 1
