# bipe-train: rows, going on, what it writes, and what goes wrong. No number here depends on which kernels a machine has.
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && printf 'a.b' > short && : > empty
$ printf '#!/bin/sh\nexec bipe-train -t byte --layers 1 --hidden 16 -L 32 --batch 64 "$@"\n' > train && chmod +x train

# The bits of a run depend neither on the number of threads nor on where it was killed and begun again.
$ ./train -q --steps 12 --every 12 --log whole.jsonl --checkpoint whole -o m.bin river.txt
$ ./train -q --steps 12 --every 5 --log begun.jsonl --checkpoint begun -o m.bin river.txt -j 3
$ cmp whole begun && wc -l < whole.jsonl
12
$ (./train -q --steps 12 --every 1 --log killed.jsonl --checkpoint killed -o m.bin river.txt & child=$!
> until test -e killed; do sleep 0.01; done; kill -9 $child; wait $child 2> /dev/null; true) 2> /dev/null
$ ./train -q --steps 12 --every 12 --log killed.jsonl --checkpoint killed -o m.bin river.txt && cmp whole killed
$ cut -d, -f 1-5 whole.jsonl > a && cut -d, -f 1-5 killed.jsonl > b && cmp a b
$ ./train -q --steps 12 --every 12 --log whole.jsonl --checkpoint whole -o again.bin river.txt && wc -l < whole.jsonl
12
$ ./train --steps 12 --every 12 --checkpoint whole -o again.bin river.txt | sed -n '1,3p;$p'
model     bipe-alibi, layers 1, hidden 16, heads 1, feed-forward 64, 0.01 million parameters
texts     6178 tokens of 256 words, segments end at stop
training  12 steps of 2 rows of 32 tokens, 0.124 epochs of 193 rows
written   again.bin
! bipe-train: whole: going on after step 12 of 12
$ BIPE_KERNELS=plain ./train --steps 1 --checkpoint one -o again.bin river.txt | grep second | tr -s 0-9 N
N tokens a second, N seconds
$ ./train -q --steps 12 --checkpoint whole -o again.bin --lr 0.5 river.txt
! bipe-train: whole: the checkpoint was made with lr 0.001, not 0.5 (--checkpoint names another file; removing this one starts afresh)
? 2
$ ./train -q --steps 12 --checkpoint m.bin -o again.bin river.txt
! bipe-train: m.bin: a model, but not a checkpoint of a training run
? 1
$ ./train -q --steps 12 --checkpoint whole -o again.bin short
! bipe-train: the texts have 3 tokens, which do not make one row (-L 32)
? 1

$ ./train -q --steps 12 --checkpoint whole -o again.bin river.txt river.txt
! bipe-train: whole: the checkpoint was made with other texts (--checkpoint names another file; removing this one starts afresh)
? 2
$ cp whole damaged && "$PERL" -e 'open my $f, "+<:raw", "damaged"; seek $f, 60000, 0; print $f "\x40\x21"'
$ ./train -q --steps 12 --checkpoint damaged -o again.bin river.txt
! bipe-train: damaged: the checkpoint is damaged: its checksum differs (removing it starts afresh)
? 1

# A checkpoint is a model, which goes on as another run with --init.
$ bipe-convert whole | grep -E '^(weights|layers|scheme|tokenizer)'
weights       F32, 16 tensors, 158.2 KiB
layers        1
scheme        bipe-alibi
tokenizer     byte, 256 words, BOS none, EOS none
$ bipe-score -q --json -L 32 whole river.txt > from-checkpoint && bipe-score -q --json -L 32 m.bin river.txt > from-model
$ grep '"nll"' from-checkpoint > a && grep '"nll"' from-model > b && cmp a b
$ bipe-train -q --init m.bin -L 64 --scheme bipe-rope --rope-scaling yarn:2 --steps 2 -o longer.bin river.txt
$ bipe-convert longer.bin | grep -E '^(scheme|rope|trained)'
scheme        bipe-rope
rope          base 10000, scaling yarn:2:32
trained on    64 tokens a window
$ ./train -q --steps 2 --validate river.txt --log validated.jsonl -o m2.bin river.txt
$ sed -n '3,$p' validated.jsonl | cut -d: -f 1-6 | sed 's/"nll".*/.../'
{"step":2,"validation":{"file":"river.txt","length":32,...
{"step":2,"validation":{"file":"river.txt","length":64,...
{"step":2,"validation":{"file":"river.txt","length":128,...
{"step":2,"validation":{"file":"river.txt","length":256,...

# SIGTERM while it validates: the checkpoint was written before, with the weights that are scored. The validation is made again.
$ i=0; while [ $i -lt 300 ]; do cat river.txt; i=$((i + 1)); done > long
$ (./train -q --steps 12 --every 6 --validate river.txt --validate long --log stopped.jsonl --checkpoint stopped -o m.bin river.txt & child=$!
> while kill -0 $child && ! grep -q validation stopped.jsonl 2> /dev/null; do sleep 0.01; done; kill -TERM $child; wait $child; echo $?)
143
$ bipe-score -q --csv -L 32 -L 64 stopped river.txt | "$PERL" -F, -lane '$nll //= (grep { $F[$_] eq "nll" } 0 .. $#F)[0]; print $F[$nll] if $. > 1' > scored
$ sed -n 's/.*"validation".*"nll":\([^,]*\),.*/\1/p' stopped.jsonl | head -n 2 | paste - scored > both
$ "$PERL" -ane 'print @F == 2 && abs($F[0] - $F[1]) <= 1e-6 ? "same\n" : "differ: @F\n"' both
same
same
$ ./train --steps 12 --every 6 --validate river.txt --log stopped.jsonl --checkpoint stopped -o m.bin river.txt > out
! bipe-train: stopped: going on after step 6 of 12
$ cmp stopped whole && grep -c '"step":6,"validation"' stopped.jsonl
4
$ (./train --steps 12 --validate long --checkpoint whole -o last.bin river.txt > out 2> err & child=$!
> while kill -0 $child && ! test -e last.bin; do sleep 0.01; done; kill -TERM $child; wait $child; echo $?; sed 1d err)
143
bipe-train: interrupted while validating; last.bin is complete

# From raw text: a tokenizer, which is used again when it is there.
$ bipe-train -q --make-tokenizer 400 --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o own.bin river.txt && ls own.*
own.bin
own.checkpoint
own.tokenizer.model
$ bipe-train --make-tokenizer 400 --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o own.bin river.txt > out
! bipe-train: own.tokenizer.model: exists already, and is used
! bipe-train: own.checkpoint: going on after step 1 of 1
$ bipe-train -q --make-tokenizer 100 --layers 1 -o few.bin river.txt
! bipe-train: option '--make-tokenizer': a tokenizer of 100 pieces, expected 260 to 8388608: 3 are special, 256 are bytes
? 2

# Lines as rows.
$ ./train --pack line --loss-after '[,:]' --steps 1 -o lines.bin river.txt | sed -n 3p
training  1 steps of 2 rows of up to 32 tokens, 1 epochs of 2 rows
! bipe-train: 25 lines of more than 32 tokens left out (-L takes longer ones)
! bipe-train: 40 lines left out: nothing follows a match of --loss-after

# What makes no sense.
$ bipe-train river.txt
! bipe-train: no place for the model: give a file name with '--output'
? 2
$ bipe-train -o x.bin river.txt
! bipe-train: no tokenizer: name one with '--tokenizer', or make one of the texts with '--make-tokenizer N'
? 2
$ bipe-train -t byte -L 32 --batch 65 -o x.bin river.txt
! bipe-train: option '--batch': 65 tokens are not a number of whole rows of 32 tokens (-L)
? 2
$ ./train -o - river.txt
! bipe-train: option '--output': a model is written to a file, not to standard output
? 2
$ ./train -o x.bin --log x.bin river.txt
! bipe-train: the model, the checkpoint and the log are three different files
? 2
$ ./train --loss-after x -o x.bin river.txt
! bipe-train: option '--loss-after' looks at lines: it needs '--pack line'
? 2
$ ./train --steps 1 --epochs 1 -o x.bin river.txt
! bipe-train: options '--steps' and '--epochs' both say how long to train: give one of them
? 2
$ ./train --schedule foo -o x.bin river.txt
! bipe-train: option '--schedule': 'foo', expected constant, linear, cosine or polynomial[:P], P above 0
? 2
$ ./train --min-lr 1 -o x.bin river.txt
! bipe-train: option '--min-lr': 1 is more than the learning rate 0.001
? 2
$ ./train --dropout 1 -o x.bin river.txt
! bipe-train: option '--dropout': found '1', expected a number of at least 0 and below 1
! Try 'bipe-train --help' for more information.
? 2
$ ./train --heads 3 -o x.bin river.txt
! bipe-train: option '--heads': 3 heads do not divide 16 hidden values
? 2
$ ./train --init m.bin -o x.bin river.txt
! bipe-train: option '--init' brings sizes and vocabulary with it: --make-tokenizer, --layers, --hidden, --heads, --kv-heads, --feed-forward and --tied do not go with it
? 2
$ ./train --pack line --loss-after '(' -o x.bin river.txt
! bipe-train: pattern "(": offset 1 of the pattern: missing closing parenthesis
? 2
$ bipe-train -t word -o x.bin river.txt
! bipe-train: word: a tokenizer without a vocabulary, expected one with ids
? 2
$ bipe-train --init m.bin --scheme t5 -o x.bin -L 32 river.txt
! bipe-train: m.bin: the scheme needs 'relative_attention_bias.weight', which the model does not have
? 1

# What cannot be done.
$ ./train -q -o x.bin empty
! bipe-train: the texts have 0 tokens, which do not make one row (-L 32)
? 1
$ ./train -q -o x.bin short
! bipe-train: the texts have 3 tokens, which do not make one row (-L 32)
? 1
$ ./train -q -o x.bin absent
! bipe-train: absent: could not be opened: No such file or directory
? 1
$ ./train -q --steps 2 -o absent/x.bin river.txt
! bipe-train: absent/x.bin: could not be created: No such file or directory
? 1
$ ./train -q --steps 2 --log absent/x.jsonl -o x.bin river.txt
! bipe-train: absent/x.jsonl: No such file or directory
? 1
$ ./train -q --validate short --steps 2 -o x.bin river.txt
! bipe-train: short: 3 tokens, expected at least 32, a window of -L
? 2
$ printf '1 2 300' > ids && ./train -q --ids text -o x.bin ids
! bipe-train: ids: byte 4: id 300 is not in the vocabulary, expected less than 256
! bipe-train: the texts have 0 tokens, which do not make one row (-L 32)
? 1
$ cp "$BIPE_SRCDIR/tests/models/small-rope.bin" . && bipe-train -q --init m.bin -t small-rope.bin -L 32 -o x.bin river.txt
! bipe-train: small-rope.bin: a tokenizer of 2048 words, expected at most 256, which the model has
? 2
%when test -c /dev/full
$ ./train -q --steps 2 -o full.bin --checkpoint ok.checkpoint --log /dev/full river.txt
! bipe-train: /dev/full: No space left on device
? 1

# A loss that is not finite stops the run and leaves the last checkpoint.
$ ./train -q --lr 1e30 --clip 0 --warmup 0 --steps 9 --every 1 -o nan.bin river.txt
! bipe-train: step 2: the loss is not finite, expected a number; a lower --lr or --clip may help
? 1
$ ls nan.*
nan.checkpoint
