# What is installed is found wherever the tree is: unpacked from a DESTDIR, moved, and called through links.
%needs ${CC:-cc} --version
%needs pkg-config --version
$ env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$BIPE_BUILDDIR" install DESTDIR="$PWD/root" >log 2>&1 || cat log
$ mv root moved && mkdir links && find "$PWD/moved" -path '*/bin/bipe-*' -exec ln -s {} links \;
$ printf 'One. Two' >text; basename "$(find moved -name '*.so' -path '*/segmenters/*')" .so >plugin
$ links/bipe-segment -s "$(cat plugin)" -z text | tr -d '\000'; links/bipe-convert default | sed 1q
One. Twoname          prose-rope-alibi
$ models=$(dirname "$(find "$PWD/moved" -name default.bin)"); links/bipe-convert --list >list; cp -L "$models/default.bin" "$models/.new.bin"; links/bipe-convert --list | cmp - list
$ links/bipe-segment -s missing text 2>&1 | sed "s|.* in $PWD/moved/.*/bipe/|... /|"
... /segmenters
# The overview names every page.
$ find moved -name bipe.7 -exec sed 's/\\//g' {} + >overview; for p in $(find moved -path '*/man?/bipe-*'); do n=$(basename "$p"); grep -q "^[.]BR ${n%.*} (${n##*.})" overview || echo "$n"; done

# A program of somebody else, and the library's own search.
$ "$PERL" "$BIPE_SRCDIR/tests/man-example" "$BIPE_BUILDDIR/man/libbipe.3" >moved/lengths.c; cd moved && export PKG_CONFIG_PATH="$(dirname "$PWD/$(find . -name bipe.pc)")" && ${CC:-cc} $BIPE_LDFLAGS -o ../program lengths.c $(pkg-config --cflags --libs bipe)
$ lib=$(dirname "$(find "$PWD/moved" -name libbipe.so)"); LD_LIBRARY_PATH=$lib ./program stop text && LD_LIBRARY_PATH=$lib ./program "$(cat plugin)" text; LD_LIBRARY_PATH=$lib ./program missing 2>&1 | sed "s|.* in $PWD/moved/.*/bipe/|... /|"
1
1
1
1
... /segmenters
$ cat >opens.c <<'END'
> #include <stdio.h>
> #include <bipe/bipe.h>
> int main(void)
> {
>     bipe_error err;
>     bipe_tokenizer *t = NULL;
>     bipe_model *m = NULL;
>     int status = bipe_tokenizer_open(&t, "default", false, &err);
>     if (status == BIPE_OK)
>         status = bipe_model_open(&m, "default", &err);
>     printf("%s\n", status != BIPE_OK ? err.text : bipe_tokenizer_size(t) == bipe_model_hyperparameters(m)->vocabulary ? "one size" : "two sizes");
>     bipe_tokenizer_close(t);
>     bipe_model_close(m);
>     return status;
> }
> END
$ export PKG_CONFIG_PATH="$(dirname "$(find "$PWD/moved" -name bipe.pc)")"; ${CC:-cc} $BIPE_LDFLAGS -o opens opens.c $(pkg-config --cflags --libs bipe) && LD_LIBRARY_PATH=$(dirname "$(find "$PWD/moved" -name libbipe.so)") ./opens
one size
%when python3 --version
$ LD_LIBRARY_PATH=$(dirname "$(find "$PWD/moved" -name libbipe.so)") PYTHONPATH="$BIPE_SRCDIR/examples/python" python3 -B -c 'import bipe; print(bipe.Tokenizer().count("One two."), bipe.Scorer(threads=1).texts(["One two."]).count)'
3 3

# The build tree.
$ bipe-segment -s "$(cat plugin)" -z text | tr -d '\000'; bipe-convert default | sed 1q
One. Twoname          prose-rope-alibi
%when man --help 2>/dev/null | grep -q local-file
$ env -u MANPATH PATH="$BIPE_BUILDDIR:$PATH" man -w 7 bipe 2>/dev/null | sed "s|$BIPE_BUILDDIR|.|"
./man/bipe.7
