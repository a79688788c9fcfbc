# Models in several GGUF files, as llama-gguf-split cuts them.
%needs test -f "$BIPE_SRCDIR/models/prose-rope.bin"
$ mkdir m; cp "$BIPE_SRCDIR/models/prose-rope.bin" whole.gguf; cp "$BIPE_SRCDIR/corpora/river.txt" .
$ "$PERL" "$BIPE_SRCDIR/tests/split-gguf" whole.gguf m/x 15; ls m
x-00001-of-00003.gguf
x-00002-of-00003.gguf
x-00003-of-00003.gguf
$ bipe-convert --tensors whole.gguf | sed '/^file/d' >whole.txt
$ for i in 1 2 3; do bipe-convert --tensors m/x-0000$i-of-00003.gguf | sed '/^file/d' | cmp - whole.txt; done

# Any of them is the model: the losses are the same, and so is what is written.
$ bipe-score whole.gguf river.txt -L 512 --csv | sed 's/^[^,]*//' >whole.csv
$ bipe-score m/x-00002-of-00003.gguf river.txt -L 512 --csv --record record.json | sed 's/^[^,]*//' | cmp - whole.csv
$ grep '"path": "x' record.json
          "path": "x-00001-of-00003.gguf",
          "path": "x-00002-of-00003.gguf",
          "path": "x-00003-of-00003.gguf",
$ bipe-convert m/x-00003-of-00003.gguf -o a.gguf; bipe-convert whole.gguf -o b.gguf; cmp a.gguf b.gguf; bipe-convert a.gguf | head -n 1
name          prose-rope
$ bipe-segment -t m/x-00002-of-00003.gguf river.txt >parts.txt; bipe-segment -t whole.gguf river.txt | cmp - parts.txt

# A part that is missing, renamed or of another model.
$ mv m/x-00003-of-00003.gguf m/y-00003-of-00004.gguf
$ bipe-convert m/x-00001-of-00003.gguf
! bipe-convert: m/x-00001-of-00003.gguf: a model in 3 files: m/x-00003-of-00003.gguf: No such file or directory
? 1
$ bipe-convert m/y-00003-of-00004.gguf
! bipe-convert: m/y-00003-of-00004.gguf: one of 3 files of a model (split.count), expected a name that ends in -NNNNN-of-00003.gguf
? 1
$ cp m/x-00002-of-00003.gguf m/x-00003-of-00003.gguf
$ bipe-score m/x-00002-of-00003.gguf river.txt
! bipe-score: m/x-00002-of-00003.gguf: a model in 3 files: m/x-00003-of-00003.gguf: key split.no is 1, expected 2
? 1
$ cp whole.gguf m/x-00003-of-00003.gguf
$ bipe-score m/x-00002-of-00003.gguf river.txt
! bipe-score: m/x-00002-of-00003.gguf: a model in 3 files: m/x-00003-of-00003.gguf: has no key split.no, which every part of a model has
? 1
