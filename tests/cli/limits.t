# With little address space the tools end, with an error where it is too little; no library starts threads that wait for more.
%needs sh -c 'ulimit -v 100000 && bipe-score --version >/dev/null && bipe-train --version >/dev/null'
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && (ulimit -v 100000; timeout 60 bipe-score -q --csv -L 64 default river.txt | wc -l)
2
$ (ulimit -v 60000; timeout 60 bipe-score -q -L 1000000 --tail default river.txt 2>/dev/null; echo $?)
1
# Windows that memory is too little for are an error before others are scored; where it is short, fewer go together, with the same result.
$ for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat river.txt; done >long.txt
$ (ulimit -v 100000; bipe-score -j 1 -q --csv -L 512,16k prose-rope long.txt | cut -d, -f 3-6) 2>&1 | sed 's/[0-9.]* [MG]iB/N MiB/g'
bipe-score: long.txt: length 16384: windows of 16384 tokens take N MiB more memory, expected at most the N MiB that are available: shorter windows, fewer threads and quantised weights take less
file,length,windows,tokens
long.txt,512,60,30660
$ for v in 50 54 58 62 66 70 74 78 82 86 90 94 98 102 106 110; do (ulimit -v ${v}000; bipe-score -j 1 -q --csv -L 512 prose-rope long.txt) >little.csv 2>/dev/null && break; done
$ bipe-score -j 1 -q --csv -L 512 prose-rope long.txt | cmp - little.csv
$ (ulimit -v 100000; timeout 60 sh -c 'bipe-train -q -t byte -L 64 --steps 100000000 -o x.bin river.txt >/dev/null 2>&1 & kill -TERM $!; wait $!; test $? -ne 0' 2>/dev/null && echo ended)
ended

# The other tools say how much memory is missing before they begin, in the same words.
$ (ulimit -v 200000; bipe-generate -j 1 -n 100000 prose-rope --prompt 'It was') 2>&1 | sed 's/[0-9.]* [MG]iB/N MiB/g'
bipe-generate: keys and values of a prompt of 3 tokens and 100000 more take N MiB more memory, expected at most the N MiB that are available: a shorter prompt, a smaller -n and --precision bf16 take less
$ (ulimit -v 200000; bipe-train -q -j 1 -t byte -L 64 --layers 8 --hidden 2048 --heads 8 -o x.bin river.txt) 2>&1 | sed 's/[0-9.]* [MG]iB/N MiB/g'
bipe-train: the run takes N MiB more memory, expected at most the N MiB that are available: a smaller --batch, -L or model takes less
$ echo '{"name":"t","kind":"generate","prompt":"{{text}}","references":"{{text}}","max_tokens":100000,"metrics":["em"]}' >t.json; echo '{"text":"It was"}' >t.jsonl
$ (ulimit -v 200000; bipe-eval -q -j 1 --task t.json prose-rope t.jsonl) 2>&1 | sed 's/[0-9.]* [MG]iB/N MiB/g'
bipe-eval: t.jsonl: record at line 1: keys and values of 100005 tokens take N MiB more memory, expected at most the N MiB that are available: fewer, as -L makes them, take less

# OpenBLAS is loaded for its own kernels alone.
%when ldd --version
$ for tool in bipe-segment bipe-stats bipe-score bipe-convert bipe-train bipe-generate bipe-eval bipe-plot; do ldd "$(command -v $tool)"; done | sed -n "/blas/p"
