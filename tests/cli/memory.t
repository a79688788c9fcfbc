# Memory does not grow with the text: inputs of 256 MB that are unkind, within 200 MB of data. (A build with sanitizers takes more.)
%needs sh -c 'ulimit -d 204800 && bipe-segment --version >/dev/null && bipe-stats --version >/dev/null'
$ cat >unkind <<'END'
> ulimit -d 204800
> text() { head -c 268435456 /dev/zero | tr '\0' "$1"; }
> few() { head -c 33554432 /dev/zero | tr '\0' "$1"; }
> END

# One word; one segment in one record of JSON Lines.
$ . ./unkind; text a | bipe-stats -j 2 -t word --csv | cut -d, -f 1-5
segmenter,length,windows,segments,tokens
stop,document,1,1,1
$ . ./unkind; { printf '{"text":"'; text a; echo '"}'; } | bipe-segment -j 2 --jsonl | tr -d "a\n" | wc -c
0

# A boundary at every byte, a token for every byte, many segmenters and lengths.
$ . ./unkind; few . | bipe-stats -j 4 -t byte -s stop -s line -s fixed:1 -s fixed:3 -s none -L 1k,1000,4096,1m --csv | grep document | cut -d, -f 1-5
stop,document,1,33554432,33554432
line,document,1,1,33554432
fixed:1,document,1,33554432,33554432
fixed:3,document,1,11184811,33554432
none,document,1,1,33554432

# The same of patterns alone: boundaries in blocks of text that threads are at do not pile up.
$ . ./unkind; few . | head -c 8388608 | bipe-stats -j 4 -t byte $(printf -- '-s regex:[.%d] ' 1 2 3 4 5 6 7 8 9 10 11 12) -L 1000,1m --csv | grep -c ',document,1,8388608,8388608,'
12

# Boundaries inside a token that does not end have to wait for it, and may not without end.
$ . ./unkind; text a | bipe-stats -s regex:a -s 'regex:[ab]' --csv | wc -l
3
! bipe-stats: standard input: segmenter 'regex:a': more than 2097152 boundaries wait for a token to end, expected fewer
$ . ./unkind; text ' ' | bipe-segment --squeeze -s none | wc -c
0

# Text that segmenters have not decided, of each or of all together; its tokens would take 24 times as much.
$ . ./unkind; { printf 'a\n\n'; few ' '; } | bipe-stats -t byte -s paragraph -L 1m --csv | grep document | cut -d, -f 1-5
paragraph,document,1,2,33554435
$ . ./unkind; { printf 'a\n\n'; few ' '; few ' '; } | bipe-stats -t byte -s paragraph -s 'regex:\n +b' --csv | wc -l
3
! bipe-stats: standard input: segmenter 'regex:\n +b': offset 2: undecided after 2097152 bytes more, expected a pattern that needs less text

# What waits for the file before it.
$ . ./unkind; mkfifo slow; few '.' >points; { sleep 1; echo end.; } >slow & bipe-segment -j 2 -t byte --format tsv slow points | tail -n 1
points	0	33554431	33554431	33554432	1

# White space that an added token may take waits for it in a file, however long it is: it is a token's in the end, or text.
$ cat >mask.json <<'END'
> {"normalizer":{"type":"Replace","pattern":{"String":" "},"content":"▁"},
>  "model":{"type":"BPE","unk_token":"?","fuse_unk":true,"vocab":{"?":0,"a":1,"▁":2},"merges":[]},
>  "added_tokens":[{"id":3,"content":"<m>","lstrip":true,"rstrip":true,"normalized":false,"special":true}]}
> END
$ . ./unkind; { few ' ' | head -c 20000000; printf 'a  <m>'; few ' '; printf a; } | bipe-segment --special -t mask.json -s none --format tokens | tail -n 3 | cut -f 3-6
20000000	20000000	20000001	1
20000001	20000001	53554438	3
20000002	53554438	53554439	1
