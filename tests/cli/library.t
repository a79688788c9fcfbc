# The public headers and what the shared library exports.
%needs ${CC:-cc} --version
$ cp -r "$BIPE_SRCDIR/src/include" include && (cd include && ls bipe/*.h) >headers

# They include one another and the system's alone; each stands alone in C and C++.
$ while read -r h; do printf '#include <%s>\nint one_declaration;\n' "$h" | ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c - || echo "$h"; done <headers
%when c++ --version
$ while read -r h; do printf '#include <%s>\n' "$h" | c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ - || echo "$h"; done <headers

# All macros are BIPE_'s, but for those of the system.
$ echo '#include <bipe/bipe.h>' | ${CC:-cc} -Iinclude -E -dD -x c - | "$PERL" -ne '$ours = $1 =~ m{/?bipe/} if /^# \d+ "(.*?)"/; print "$1\n" if $ours && /^#define (?!BIPE_)(\w+)/'

# The library exports what they declare, all of it and nothing else.
%when nm --version
$ "$PERL" -0777 -ne 's{/\*.*?\*/}{}gs; s/static inline[^{]*//g; print "$_\n" for /\b(bipe_\w+)(?:\(|\[\])/g' include/bipe/*.h | LC_ALL=C sort -u >declared
$ nm -D --defined-only "$BIPE_BUILDDIR/.libs/libbipe.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort | diff declared -

# Two models on a text: the numbers are those of bipe-score.
$ cat >compare.c <<'END'
> #include <inttypes.h>
> #include <stdio.h>
> #include <stdlib.h>
> #include <bipe/bipe.h>
>
> static int score(const char *path, const char *file, uint64_t length, const bipe_window_rules *rules, bipe_text_losses **losses, bipe_error *err)
> {
>     bipe_model *model = NULL;
>     bipe_tokenizer *tokenizer = NULL;
>     bipe_stream *stream = NULL;
>     bipe_pool *pool = NULL;
>     bipe_evaluator *evaluator = NULL;
>     int status = bipe_model_open(&model, path, err);
>     if (status == BIPE_OK)
>         status = bipe_tokenizer_open(&tokenizer, path, false, err);
>     if (status == BIPE_OK) {
>         const char *segmenter = bipe_model_hyperparameters(model)->segmenter;
>         status = bipe_stream_open(&stream, &(bipe_stream_options){.tokenizer = tokenizer, .specs = &segmenter, .spec_count = 1}, err);
>     }
>     if (status == BIPE_OK)
>         status = bipe_pool_open(&pool, 2, err);
>     if (status == BIPE_OK)
>         status = bipe_evaluator_open(&evaluator, model, &(bipe_evaluator_options){.max_length = length}, pool, err);
>     if (status == BIPE_OK)
>         status = bipe_stream_input(stream, file, err);
>     if (status == BIPE_OK)
>         status = bipe_text_losses_open(losses, evaluator, stream, length, rules, err);
>     bipe_evaluator_close(evaluator);
>     bipe_pool_close(pool);
>     bipe_stream_close(stream);
>     bipe_tokenizer_close(tokenizer);
>     bipe_model_close(model);
>     return status;
> }
>
> int main(int argc, char **argv)
> {
>     bipe_text_losses *losses[2] = {NULL, NULL};
>     bipe_window_rules rules = {0};
>     bipe_estimate nats, bits;
>     bipe_error err = {0};
>     int status = argc < 4 ? BIPE_ERR_ARGUMENT : BIPE_OK;
>     rules.protocol = argc > 4 ? BIPE_PROTOCOL_SLIDING : BIPE_PROTOCOL_PAPER;
>     for (int i = 0; i < 2 && status == BIPE_OK; i++) {
>         status = score(argv[1 + i], argv[3], 128, &rules, &losses[i], &err);
>         if (status == BIPE_OK)
>             status = bipe_text_losses_estimate(&nats, NULL, losses[i], false, 0, &err);
>         if (status == BIPE_OK)
>             printf("%" PRIu64 " %.9g %.9g %.9g %.9g\n", bipe_text_losses_tokens(losses[i]), nats.value, nats.error, nats.low, nats.high);
>     }
>     if (status == BIPE_OK)
>         status = bipe_text_losses_estimate(&bits, losses[0], losses[1], true, 0, &err);
>     if (status == BIPE_OK)
>         status = bipe_text_losses_estimate(&nats, losses[0], losses[1], false, 0, &err);
>     if (status == BIPE_OK)
>         printf("%.9g %.9g %.9g %.9g %.9g\n", nats.value, nats.low, nats.high, nats.p, bits.value);
>     else
>         fprintf(stderr, "compare: %s\n", err.text);
>     bipe_text_losses_close(losses[0]);
>     bipe_text_losses_close(losses[1]);
>     return status != BIPE_OK;
> }
> END
$ ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror $BIPE_LDFLAGS -Iinclude -o compare compare.c "$BIPE_BUILDDIR/.libs/libbipe.so"
$ ln -s "$BIPE_SRCDIR/models" models; cp "$BIPE_SRCDIR/corpora/river.txt" .
$ cat >same <<'END'
> #!/bin/sh
> # same FILE [sliding]: whether the program and bipe-score print the same numbers
> models='models/prose-rope.bin models/prose-bipe-rope.bin'
> LD_LIBRARY_PATH="$BIPE_BUILDDIR/.libs" ./compare $models "$@" >library && test -s library || exit
> bipe-score ${models% *} --against ${models#* } -L 128 ${2:+--protocol "$2"} --json "$1" | "$PERL" -MJSON::PP -0777 -ne '
>     $r = decode_json($_);
>     print join(" ", @$_{qw(tokens nll stderr)}, @{ $_->{interval} }), "\n" for @{ $r->{results} };
>     print join(" ", $_->{nll_difference}, @{ $_->{interval} }, @$_{qw(p bits_per_byte_difference)}), "\n" for $r->{comparisons}[0];
> ' | diff library -
> END
$ chmod +x same; ./same river.txt && echo yes
yes
$ ./same river.txt sliding && echo yes
yes

# Of 34 documents each is a unit.
$ "$PERL" -ne 's/"/\\"/g; chomp; print "{\"text\": \"$_\"}\n" if /\S/' river.txt >documents.jsonl; ./same documents.jsonl && echo yes
yes
$ echo 'Too short.' >short.txt; ./same short.txt
! compare: short.txt: the text has 6 tokens, expected a window of 128
? 1
