# With little address space the tools end, with an error where it is too little; no library starts threads that wait for more.
%needs sh -c 'ulimit -v 100000 && bipe-score --version >/dev/null && bipe-train --version >/dev/null'
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && (ulimit -v 100000; timeout 60 bipe-score -q --csv -L 64 default river.txt | wc -l)
2
$ (ulimit -v 60000; timeout 60 bipe-score -q -L 1000000 --tail default river.txt 2>/dev/null; echo $?)
1
$ (ulimit -v 100000; timeout 60 sh -c 'bipe-train -q -t byte -L 64 --steps 100000000 -o x.bin river.txt >/dev/null 2>&1 & kill -TERM $!; wait $!; test $? -ne 0' 2>/dev/null && echo ended)
ended

# OpenBLAS is loaded for its own kernels alone.
%when ldd --version
$ for tool in bipe-segment bipe-stats bipe-score bipe-convert bipe-train bipe-generate bipe-eval bipe-plot; do ldd "$(command -v $tool)"; done | sed -n "/blas/p"
