# Memory does not grow with the text: inputs of 256 MB that are unkind, within 200 MB of data. (A build with sanitizers takes more.)
%needs sh -c 'ulimit -d 204800 && bipe-segment --version >/dev/null && bipe-stats --version >/dev/null'
$ cat >unkind <<'END'
> ulimit -d 204800
> text() { head -c 268435456 /dev/zero | tr '\0' "$1"; }
> few() { head -c 33554432 /dev/zero | tr '\0' "$1"; }
> END

# One word, which is too long; one segment in one record of JSON Lines.
$ . ./unkind; text a | bipe-stats -j 2 -t word --csv | cut -d, -f 1-5
segmenter,length,windows,segments,tokens
stop,document,0,0,0
! bipe-stats: standard input: byte 0: no place to cut the text into tokens in 2 MiB, expected shorter words or lines
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

# Boundaries inside a token that is too long.
$ . ./unkind; text a | bipe-stats -s regex:a -s 'regex:[ab]' --csv | wc -l
3
! bipe-stats: standard input: byte 0: no place to cut the text into tokens in 2 MiB, expected shorter words or lines
$ . ./unkind; text ' ' | bipe-segment --squeeze -s none | wc -c
0

# Text that a segmenter has not decided; its tokens would take 24 times as much.
$ . ./unkind; { printf 'a\n\n'; few ' '; } | bipe-stats -t byte -s paragraph -L 1m --csv | grep document | cut -d, -f 1-5
paragraph,document,0,0,0
! bipe-stats: standard input: byte 2: segmenter 'paragraph': undecided for more than 2 MiB, expected less

# A file after another one, read ahead while that one is printed.
$ . ./unkind; echo end. >first; few '.' >points; bipe-segment -j 2 -t byte --format tsv first points | tail -n 1
points	0	33554431	33554431	33554432	1	.

# Words as long as they may be, in many files at a time: what it takes to encode one is taken once. (Stacks of 8 threads count as 64 MB.)
$ cat >pairs.json <<'EOF'
> {"model":{"type":"BPE","vocab":{"a":0,"b":1,"aa":2,"ab":3,"aaaa":4},"merges":["a a","a b","aa aa"]},
>  "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}}
> EOF
$ for i in 1 2 3 4 5 6 7 8; do head -c 2000000 /dev/zero | tr '\0' a >$i.txt; done; ulimit -d 307200; bipe-stats -j 8 -t pairs.json -s stop --csv -L 1m [1-8].txt | grep document | cut -d, -f 1-5
stop,document,8,8,4000000
$ ulimit -d 307200; bipe-segment -j 8 -t pairs.json -s stop --format tokens [1-8].txt | wc -l
4000001
