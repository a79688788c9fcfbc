# bipe-train: rows, going on, what it writes, and what goes wrong. No number here depends on which kernels a machine has.
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && printf 'a.b' > short && : > empty
$ printf '#!/bin/sh\nexec bipe-train -t byte --layers 1 --hidden 16 -L 32 --batch 64 "$@"\n' > train && chmod +x train

# The bits of a run depend neither on the number of threads nor on where it was killed and begun again.
$ ./train -q --steps 12 --every 12 --log whole.jsonl --checkpoint whole -o m.bin river.txt
$ ./train -q --steps 12 --every 5 --log begun.jsonl --checkpoint begun -o m.bin river.txt -j 3
$ cmp whole begun && wc -l < whole.jsonl
13
$ ./train -q --steps 6 --longce=2 --short-context 12 --short-step 5 --checkpoint weighed -o m.bin river.txt && ./train -q --steps 6 --longce=2 --short-context 12 --short-step 5 --checkpoint others -o m.bin river.txt -j 3 && cmp weighed others
$ bipe-convert m.bin | grep '^options'
options       --longce 2 --short-context 12 --short-step 5
$ (./train -q --steps 12 --every 1 --log killed.jsonl --checkpoint killed -o m.bin river.txt & child=$!
> until test -e killed || ! kill -0 $child; do sleep 0.01; done; kill -9 $child; wait $child 2> /dev/null; true) 2> /dev/null
$ ./train -q --steps 12 --every 12 --log killed.jsonl --checkpoint killed -o m.bin river.txt && cmp whole killed
$ for f in whole killed; do grep -v '^{"run"' $f.jsonl | cut -d, -f 1-5 > $f.rows; done; cmp whole.rows killed.rows
$ ./train -q --steps 12 --every 12 --log whole.jsonl --checkpoint whole -o again.bin river.txt && wc -l < whole.jsonl
13
# Samples change nothing; their text is noise after so few steps.
$ ./train --steps 12 --every 12 --log sampled.jsonl --checkpoint sampled -o m.bin --sample "The river" --sample-every 5 river.txt 2>&1 >/dev/null | cut -d '|' -f 1
bipe-train: step 5: The river
bipe-train: step 10: The river
bipe-train: step 12: The river
bipe-train: m.bin: the file of an earlier run is kept as m.bin~
$ cmp whole sampled && sed 1d sampled.jsonl | grep sample | cut -d '"' -f 1-4
{"step":5,"sample
{"step":10,"sample
{"step":12,"sample
# A model that has diverged gives no sample; that alone does not end the run.
$ ./train --steps 3 --lr 1e30 --warmup 0 --clip 0 -o m.bin --sample "The river" --sample-every 1 river.txt >/dev/null
! bipe-train: step 1: sample: a logit that is not a finite number: are the weights of the model damaged?
! bipe-train: training continues without samples
! bipe-train: step 2: the loss is not finite, expected a number; a lower --lr or --clip may help
? 1
$ ./train --steps 1 -o m.bin --sample '' river.txt
! bipe-train: option '--sample': found '', expected text to continue
? 2
$ ./train --steps 1 -o m.bin --sample-every 3 river.txt
! bipe-train: option '--sample-every' needs '--sample': the text to continue
? 2
$ ./train --steps 12 --every 12 --checkpoint whole -o again.bin river.txt | sed -n '1,3p;$p'
model     bipe-alibi, layers 1, hidden 16, heads 1, feed-forward 64, 0.01 million parameters
texts     6178 tokens, vocabulary 256, segments end at stop
training  12 steps of 2 rows of 32 tokens, 0.124 epochs of 193 rows
written   again.bin
! bipe-train: whole: the run is already finished; again.bin is written again (to train it longer: --init again.bin -o NEW)
$ for batch in 8k 1032k; do bipe-train -t byte --layers 1 --hidden 16 -L 1k --batch $batch --steps 0 -o batch.bin river.txt; done |
> "$PERL" -ne '$mb = $1 - ($mb // 0) if /^memory *(\d+)/; END { print $mb >= 13 && $mb <= 15 ? "the batch counts\n" : "$mb MB\n" }'
the batch counts
! bipe-train: batch.bin: the file of an earlier run is kept as batch.bin~
$ BIPE_KERNELS=plain ./train --steps 1 --checkpoint one -o again.bin river.txt | grep "a second" | tr -s 0-9 N
N tokens a second, N.N s
! bipe-train: again.bin: the file of an earlier run is kept as again.bin~
$ ./train -q --steps 12 --checkpoint whole -o again.bin --lr 0.5 river.txt
! bipe-train: whole: the checkpoint was made with lr 0.001, not 0.5 (--checkpoint names another file; delete this one to start over)
? 2
# So do those of Muon's; a checkpoint belongs to its optimizer.
$ printf '#!/bin/sh\nname=$1; shift; exec ./train -q --optimizer muon --muon-lr 4e-3 --momentum 0.9 --steps 12 --checkpoint "$name" -o mu.bin "$@" river.txt\n' > muon && chmod +x muon
$ ./muon mu --every 12 && ./muon threads --every 5 -j 3 && cmp mu threads
$ (./muon cut --every 1 & child=$!
> until test -e cut || ! kill -0 $child; do sleep 0.01; done; kill -9 $child; wait $child 2> /dev/null; true) 2> /dev/null
$ ./muon cut --every 12 && cmp mu cut && bipe-convert --json mu | grep -E '"(optimizer|muon_lr|momentum)"'
    "optimizer": "muon",
    "muon_lr": 0.004,
    "momentum": 0.9,
$ bipe-convert mu.bin | grep ^options
options       --optimizer muon --muon-lr 0.004
$ ./muon whole; ./train -q --steps 12 --checkpoint mu -o again.bin river.txt
! bipe-train: whole: the checkpoint was made with optimizer adamw, not muon (--checkpoint names another file; delete this one to start over)
! bipe-train: mu: the checkpoint was made with optimizer muon, not adamw (--checkpoint names another file; delete this one to start over)
? 2
$ ./train --muon-lr 1e-3 -o again.bin river.txt
! bipe-train: option '--muon-lr' needs '--optimizer muon': no matrix has a learning rate of its own without it
? 2
$ ./train --momentum 0.5 -o again.bin river.txt
! bipe-train: option '--momentum' needs '--optimizer muon': adamw has --beta1
? 2
$ ./train --optimizer muon --lr 0 --muon-lr 1e-3 -o again.bin river.txt
! bipe-train: option '--muon-lr': it rises and falls with --lr, which is 0
? 2
$ ./train -q --steps 12 --checkpoint m.bin -o again.bin river.txt
! bipe-train: m.bin: a model, but not a checkpoint of a training run
? 1
$ ./train -q --steps 12 --checkpoint whole -o again.bin short
! bipe-train: 3 tokens in all texts, expected at least one row (-L 32)
? 1
$ for i in 1 2 3 4 5 6 7 8 9; do echo '{"text":""}{"text":""}{"text":""}{"text":""}' | sed 's/}{/}\n{/g'; done >empty.jsonl
$ bipe-train -q -t default --layers 1 --hidden 16 -L 32 --batch 64 --steps 12 -o again.bin empty.jsonl
! bipe-train: step 1: its rows have no token to predict, expected texts that are not empty
? 1

$ ./train -q --steps 12 --checkpoint whole -o again.bin river.txt river.txt
! bipe-train: whole: the checkpoint was made with other texts (--checkpoint names another file; delete this one to start over)
? 2
$ cp whole damaged && "$PERL" -e 'open my $f, "+<:raw", "damaged"; seek $f, 60000, 0; print $f "\x40\x21"'
$ ./train -q --steps 12 --checkpoint damaged -o again.bin river.txt
! bipe-train: damaged: the checkpoint is damaged: its checksum differs (delete it to start over)
? 1

# A checkpoint is a model, which goes on as another run with --init.
$ bipe-convert whole | grep -E '^(weights|layers|scheme|tokenizer)'
weights       F32, 16 tensors, 158.2 KiB
layers        1
scheme        bipe-alibi
tokenizer     byte, 256 tokens, BOS none, EOS none
$ bipe-score -q --json -L 32 whole river.txt > from-checkpoint && bipe-score -q --json -L 32 m.bin river.txt > from-model
$ grep '"nll"' from-checkpoint > a && grep '"nll"' from-model > b && cmp a b
$ bipe-train --init m.bin --steps 0 -o rows.bin river.txt | sed -n 3p
training  0 steps of 16 rows of 32 tokens, 0 epochs of 193 rows
$ bipe-train --init river.txt -o x.bin river.txt
! bipe-train: river.txt: not a model, expected a GGUF file or a Hugging Face folder
? 1
$ bipe-train -q --init m.bin -L 64 --scheme bipe-rope --rope-scaling yarn:2 --steps 2 -o longer.bin river.txt
$ bipe-convert longer.bin | grep -E '^(scheme|rope|trained)'
scheme        bipe-rope
rope          base 10000, scaling yarn:2:32
trained on    64 tokens a window
$ ./train -q --scheme rope --rope-scaling yarn:2:beta_slow=2:truncate=false --steps 1 -o yarn.bin river.txt
$ bipe-train -q --init yarn.bin -L 64 --steps 1 -o longer-yarn.bin river.txt; bipe-convert yarn.bin | grep '^rope'; bipe-convert longer-yarn.bin | grep '^rope'
rope          base 10000, scaling yarn:2:beta_fast=32:beta_slow=2:truncate=false
rope          base 10000, scaling yarn:2:32:beta_fast=32:beta_slow=2:truncate=false
$ ./train -q --steps 2 --validate river.txt --log validated.jsonl -o m2.bin river.txt
$ sed -n '4,$p' validated.jsonl | cut -d: -f 1-6 | sed 's/"nll".*/.../'
{"step":2,"validation":{"file":"river.txt","length":32,...
{"step":2,"validation":{"file":"river.txt","length":64,...
{"step":2,"validation":{"file":"river.txt","length":128,...
{"step":2,"validation":{"file":"river.txt","length":256,...

# The log begins with what the run was asked for and has read, its model says so too, and bipe-convert shows and keeps it.
$ "$PERL" -ne 'print "$1 $2\n" if $. == 1 && /^{"run":\{"program":"bipe-train",.*"steps":2,.*"path":"([^"]*)","size":(\d+),/; print "$1  river.txt\n" if $. == 1 && /"sha256":"([^"]*)"/' validated.jsonl
river.txt 6178
6ae7e0b28832b79886e8f8b4332fae5ce2c860672a7091c9612d6d7e8f4e6f86  river.txt
$ sha256sum river.txt
6ae7e0b28832b79886e8f8b4332fae5ce2c860672a7091c9612d6d7e8f4e6f86  river.txt
$ bipe-convert m2.bin | sed -n '/^training/,$p' >about && sed 's/nll [0-9.]*/nll N/; s/bipe-train [0-9.]*/bipe-train V/' about
training      2 steps of 64 tokens, 128 tokens in all, seed 1, by bipe-train V
learning rate 0.001, cosine to 0.0001, warm-up 0
text          river.txt, 6178 bytes, SHA-256
              6ae7e0b28832b79886e8f8b4332fae5ce2c860672a7091c9612d6d7e8f4e6f86
validation    nll N at 32, river.txt
              nll N at 64, river.txt
              nll N at 128, river.txt
              nll N at 256, river.txt
$ sed -n 's/.*"validation".*"length":\([0-9]*\),"nll":\([^,]*\),.*/\1 \2/p' validated.jsonl >logged; bipe-convert --json m2.bin | "$PERL" -ne '
> $n = $1 if /"length": (\d+)/; print "$n $1\n" if /"nll": ([\d.]+)/' | paste -d ' ' - logged | "$PERL" -ane 'print @F == 4 && $F[0] == $F[2] && abs($F[1] - $F[3]) < 1e-6 ? "same\n" : "differ: @F\n"' | uniq
same
$ bipe-convert -q -o half.bin --type f16 m2.bin && bipe-convert half.bin | sed -n '/^training/,$p' | cmp - about
$ bipe-convert -q -o again.bin half.bin && cmp half.bin again.bin && bipe-train -q -t char --scheme rope --layers 1 --hidden 16 -L 32 --steps 1 -o char.bin river.txt
$ bipe-convert -q --to llama -o char.gguf char.bin && for f in char.bin char.gguf; do grep -q 'bipe\.training' $f; echo $?; done; rm char.*
0
1
$ bipe-train -q --init m2.bin --pack line --loss-after , --steps 3 --schedule constant -o tuned.bin river.txt && bipe-convert --json tuned.bin | grep -E '"(init|pack|loss_after|schedule|lr|min_lr|tokens)"'
    "tokens": 1320,
    "init": "m2.bin",
    "pack": "line",
    "loss_after": ",",
    "lr": 0.001,
    "schedule": "constant",
    "min_lr": 0.001,
$ for f in tuned1 tuned2; do bipe-train -q --init m2.bin -L 32 --steps 1 -o same.bin river.txt && mv same.bin $f && mv same.checkpoint $f.checkpoint; done
$ cmp tuned1 tuned2 && cmp tuned1.checkpoint tuned2.checkpoint && bipe-convert --json tuned1.checkpoint | grep '^    "tokenizer": "'
    "tokenizer": "m2.bin",
$ bipe-convert tuned.bin | sed -n '/^training/,/^learning/p'
training      3 steps of up to 512 tokens, 1320 tokens in all, seed 1, by bipe-train 0.1.0
started from  m2.bin
learning rate 0.001, constant, warm-up 0
# The bytes of a model do not depend on where its texts and files lie, nor on the number of threads.
$ mkdir elsewhere && cp river.txt elsewhere/ && ./train -q -j 3 --steps 2 --validate elsewhere/river.txt -o elsewhere/m2.bin elsewhere/river.txt && cmp elsewhere/m2.bin m2.bin
# The languages that sentence:auto chose for its texts.
$ printf 'Er sagte, dass er nicht da war. Das war es.\n' >german; printf 'He said that he had met Gen. Grant there. It was not so.\n' >english; bipe-train -t byte --layers 1 --hidden 16 -L 32 --steps 0 -s sentence:auto -o auto.bin german english 2>&1 | grep 'by language'; bipe-score -q --json auto.bin -L 32 german | grep -A 2 '"languages"'
bipe-train: segmenter 'sentence:auto': documents by language: de: 1, en: 1
  "languages": {
    "sentence:auto": {
      "de": 1
# Standard input is summed up as it is read.
$ bipe-train -q -t byte --layers 1 --hidden 16 -L 32 --steps 1 --log once.jsonl -o once.bin < river.txt && head -n 1 once.jsonl | grep -o '"files":\[[^]]*' && bipe-convert once.bin | grep ^text
"files":[{"path":"-","size":6178,"sha256":"6ae7e0b28832b79886e8f8b4332fae5ce2c860672a7091c9612d6d7e8f4e6f86"}
text          -, 6178 bytes, SHA-256
# Some keys are of the wrong kind: the rest is shown.
$ LC_ALL=C sed 's/bipe.training.lr/bipe.training.lx/; s/bipe.training.texts.name/bipe.training.texts.nome/; s/bipe.training.schedule/bipe.training.shcedule/' m2.bin >keys.bin; bipe-convert keys.bin | sed -n '/^training/,/^validation/p' | sed 's/nll [0-9.]*/nll N/; s/bipe-train [0-9.]*/bipe-train V/'
training      2 steps of 64 tokens, 128 tokens in all, seed 1, by bipe-train V
learning rate ?,  to 0.0001, warm-up 0
validation    nll N at 32, river.txt

# A finished run with a constant rate can be made longer, and is then one run, bit by bit: with the warm-up that it had. Its log says where.
$ printf '#!/bin/sh\nexec ./train -q --schedule constant --every 20 --validate river.txt "$@" --log grown.jsonl -o grown.bin river.txt\n' >grown && chmod +x grown
$ ./grown --steps 40 && ./grown --steps 60 && mkdir grownup && mv grown.bin* grown.c* grown.jsonl grownup && ./grown --steps 60 --warmup 2
$ cmp grown.bin grownup/grown.bin && cmp grown.checkpoint grownup/grown.checkpoint && bipe-convert grown.bin | grep -E '^(training|learning)'
training      60 steps of 64 tokens, 3840 tokens in all, seed 1, by bipe-train 0.1.0
learning rate 0.001, constant, warm-up 2
$ sed 's/,"seconds".*//' grown.jsonl >a && sed 's/,"seconds".*//' grownup/grown.jsonl >b && diff a b | sed 's/{.*"steps":\([0-9]*\).*/steps \1/'
1c1
< steps 60
---
\> steps 40
45a46
\> steps 60
$ ./train --schedule constant --steps 60 --warmup 2 --checkpoint grown.checkpoint -o grown2.bin river.txt | tail -n 1
written   grown2.bin
! bipe-train: grown.checkpoint: the run is already finished; grown2.bin is written again (to train it longer: a greater --steps)
$ ./grown --steps 30
! bipe-train: grown.checkpoint: 60 steps of the run are made already, more than the 30 of this command (--checkpoint names another file; delete this one to start over)
? 2
$ ./train --schedule constant --warmup 100 --steps 10 -q --checkpoint rising -o rising.bin river.txt
$ ./train --schedule constant --steps 8 --checkpoint rising -o rising.bin river.txt
! bipe-train: rising: 10 steps of the run are made already, more than the 8 of this command (--checkpoint names another file; delete this one to start over)
? 2
$ ./train --schedule constant --steps 20 --checkpoint rising -o rising.bin river.txt | tail -n 1
written   rising.bin
! bipe-train: rising: resuming after step 10 of 20
! bipe-train: the warm-up of 100 steps is kept; to repeat this training in one run, give '--warmup=100'
! bipe-train: rising.bin: the file of an earlier run is kept as rising.bin~
$ mkdir risen && (cd risen && ../train -q --schedule constant --steps 20 --warmup 100 -o rising.bin ../river.txt) && cmp rising.bin risen/rising.bin
$ bipe-train -t byte --layers 1 --hidden 16 --epochs 1 -o few.bin river.txt | tail -n 1
written   few.bin
! bipe-train: only 1 step: a new model needs some hundreds (--steps or --epochs; a smaller --batch makes more of a pass)
# Where the rate falls until the last step, it cannot.
$ ./train -q --steps 2 --checkpoint falls -o falls.bin river.txt && ./train -q --steps 4 --checkpoint falls -o falls.bin river.txt
! bipe-train: falls: the checkpoint is of a run of 2 steps, not 4: the learning rate falls until its last step, and only a run with --schedule constant can become longer (--init MODEL -o NEW trains a model further; delete the checkpoint to start over)
? 2

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
! bipe-train: stopped: resuming after step 6 of 12
! bipe-train: step 6: river.txt: nll 5.4842 at 32, 5.4847 at 64, 5.4847 at 128, 5.4840 at 256
! bipe-train: m.bin: the file of an earlier run is kept as m.bin~
$ cmp stopped whole && grep -c '"step":6,"validation"' stopped.jsonl
4
$ (./train --steps 12 --validate long --checkpoint whole -o last.bin river.txt > out 2> err & child=$!
> while kill -0 $child && ! test -e last.bin; do sleep 0.01; done; kill -TERM $child; wait $child; echo $?; sed 1d err)
143
bipe-train: interrupted while validating; last.bin is complete

# A log that is there is of an earlier run when this one starts over; it and the model are kept. A finished run makes no log that it has nothing for.
$ cp stopped.jsonl first.jsonl && cp m.bin first.bin && ./train --steps 2 --every 1 --validate river.txt --log first.jsonl -o first.bin river.txt | grep -c 'river.txt$'
4
! bipe-train: first.jsonl: the file of an earlier run is kept as first.jsonl~
! bipe-train: step 1: river.txt: nll 5.5337 at 32, 5.5325 at 64, 5.5316 at 128, 5.5308 at 256
! bipe-train: first.bin: the file of an earlier run is kept as first.bin~
$ cmp stopped.jsonl first.jsonl~ && cmp m.bin first.bin~ && wc -l < first.jsonl
11
$ ./train -q --steps 2 --every 1 --log none.jsonl -o first.bin river.txt; ls first.bin* | cat; test -e none.jsonl || echo no log
first.bin
first.bin~
no log
# Lines of progress that were asked for end with all of the work, whatever lines of text hold; validations are on them. Curves are stars without UTF-8.
$ yes 'a,b,c' | head -n 100 > abc && ./train --progress --steps 3 --every 1 --pack line --validate abc -o abc.bin abc 2>&1 |
> "$PERL" -ne '$last = $_ if / left  step/; END { print $last =~ m{^100%.*0:00 left  step 3/3  loss [\d.]+  validation \d} ? "all of it\n" : $last }'
all of it
$ LC_ALL=C ./train --steps 30 -o stars.bin river.txt 2>&1 | "$PERL" -ne '$other ||= /[^ -~\n]/; $stars += tr/*//; END { print $other ? "bytes beyond ASCII\n" : $stars == 30 ? "a star a step\n" : "$stars stars\n" }'
a star a step

# The last checkpoints, and the best: the one with the least loss in the log, also when the run was killed. Going over one line again and again
# makes others worse.
$ ./train -q --steps 10 --every 3 --keep 2 --checkpoint k.checkpoint -o k.bin river.txt && ls k.*step* && cmp k.checkpoint k.step-10.checkpoint
k.step-09.checkpoint
k.step-10.checkpoint
$ head -n 5 river.txt > lines && head -c 1600 river.txt > brook.txt && printf '#!/bin/sh\nn=$1; shift; exec ./train -q --lr 0.1 --steps 40 --every 4 --keep-best --validate brook.txt --log "$n.jsonl" --checkpoint "$n.checkpoint" -o b.bin lines\n' > best && chmod +x best
$ ./best b && bipe-score -q --json -L 32 b.best.checkpoint brook.txt > best.json
$ "$PERL" -ne 'if (/"step":(\d+).*"length":32,"nll":([^,]*)/) { ($s, $n) = ($1, $2) if !defined $n || $2 < $n } elsif (/"nll": ?([0-9.e+-]+)/) { $best = $1 } END { print abs($n - $best) <= 1e-6 && $s > 4 && $s < 40 ? "the best\n" : "$best, want $n of step $s\n" }' b.jsonl best.json
the best
$ (./best c & child=$!; until test -e c.best.checkpoint || ! kill -0 $child; do sleep 0.01; done; kill -9 $child; wait $child 2> /dev/null; true) 2> /dev/null
$ ./best c && cmp b.checkpoint c.checkpoint && cmp b.best.checkpoint c.best.checkpoint
$ ./train --steps 4 --keep-best -o b.bin river.txt
! bipe-train: option '--keep-best' needs '--validate': its texts decide which is best
? 2

# From raw text: a tokenizer, which is used again when it is there.
$ bipe-train -q --make-tokenizer 400 --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o own.bin river.txt && ls own.*
own.bin
own.checkpoint
own.tokenizer.model
$ bipe-train --make-tokenizer 400 --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o own.bin river.txt > out
! bipe-train: own.tokenizer.model: already exists and is used (delete it to make one of these texts)
! bipe-train: own.checkpoint: the run is already finished; own.bin is written again (to train it longer: --init own.bin -o NEW)
$ bipe-train -q --make-tokenizer 100 --layers 1 -o few.bin river.txt
! bipe-train: option '--make-tokenizer': found '100', expected a number between 260 and 1048576, optionally with k or m
? 2

$ bipe-train --make-tokenizer 401 --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o own.bin river.txt >out
! bipe-train: own.tokenizer.model: already exists and is used: it has 400 pieces, not 401
! bipe-train: own.checkpoint: the run is already finished; own.bin is written again (to train it longer: --init own.bin -o NEW)
$ for name in byte default; do bipe-train --make-tokenizer 400 -t $name -o x.bin river.txt; done
! bipe-train: option '--tokenizer': 'byte' is the name of a tokenizer, expected the file that --make-tokenizer writes
! bipe-train: option '--tokenizer': 'default' is the name of a tokenizer, expected the file that --make-tokenizer writes
? 2
# The characters of the texts, and bytes; the most frequent words, the newline, and <unk> for the rest, which is said.
$ bipe-train -q -t char --layers 1 --hidden 16 -L 32 --batch 64 --steps 1 -o char.bin river.txt && bipe-convert char.bin | grep tokenizer
tokenizer     llama, 318 tokens, BOS 1, EOS 2
$ n=$(bipe-convert char.bin | sed -n 's/^tokenizer .* \([0-9]*\) tokens.*/\1/p'); bipe-train -q -t fewest --layers 1 --hidden 16 -L 32 --batch 64 --make-tokenizer "$n" --steps 1 -o fewest.bin river.txt && cmp fewest char.tokenizer.model
$ printf '7 + x = 3 ;\nx = 3 - 7\n' > sums && words() { bipe-train --layers 1 --hidden 16 --pack line -L 16 --batch 32 --lr 1e-2 -t words.json "$@" sums; }
> words --make-tokenizer word:4 -q --steps 400 -o words.bin && words --make-tokenizer word:9 --steps 1 -o one.bin | sed -n 2p
texts     15 tokens, vocabulary 7, segments end at stop
! bipe-train: words.json: already exists and is used (delete it to make one of these texts)
! bipe-train: "+" is not in the vocabulary: 3 words become the unknown token
$ bipe-segment -t words.bin --format tokens -s line sums | cut -f 6 | paste -s
id	3	0	4	5	6	0	2	4	5	6	0	3	2
$ printf '7 = y z\n' | bipe-score -L 4 --csv words.bin | cut -d , -f 4-6
length,windows,tokens
4,1,3
! bipe-score: words.bin: 2 of 5 tokens are the unknown token, so perplexity says little
$ printf 'x = ' | bipe-generate -n 1 words.bin; echo
 3
\
$ bipe-train --make-tokenizer word:0 -o x.bin sums; bipe-train --make-tokenizer words -o x.bin sums
! bipe-train: option '--make-tokenizer': found '0', expected a number between 1 and 1048576, optionally with k or m
! bipe-train: option '--make-tokenizer': found 'words', expected a number between 260 and 1048576, optionally with k or m
? 2
$ mkfifo fifo && bipe-train --make-tokenizer 400 -o piped.bin fifo
! bipe-train: fifo can be read only once: a tokenizer is made from files
? 2
$ ls x.* piped.* byte default 2>/dev/null
? 2

# Lines as rows.
$ ./train --pack line --loss-after '[,:]' --steps 1 -o lines.bin river.txt | sed -n 3p
training  1 step of 2 rows of up to 32 tokens, 1 epoch of 2 rows
! bipe-train: 25 lines of more than 32 tokens left out (increase -L to keep them)
! bipe-train: 40 lines left out: nothing follows a match of --loss-after
# Validation takes the same targets: with hardly a step made, their loss is that of the step.
$ ./train --pack line --loss-after '[,:]' --steps 1 --lr 1e-30 --validate river.txt --log lines.jsonl -o same-lines.bin river.txt > out
! bipe-train: 25 lines of more than 32 tokens left out (increase -L to keep them)
! bipe-train: 40 lines left out: nothing follows a match of --loss-after
! bipe-train: river.txt: 25 lines of more than 32 tokens left out (increase -L to keep them)
! bipe-train: river.txt: 40 lines left out: nothing follows a match of --loss-after
$ "$PERL" -nle '/"loss":([^,]*)/ and $loss = $1; /"length":32,"nll":([^,]*)/ and print abs($1 - $loss) <= 1e-6 ? "same" : "$1, want $loss"' lines.jsonl
same
# So does bipe-score with these options.
$ ./train -q --pack line --loss-after '[,:]' --steps 9 --every 3 --validate river.txt --log scored.jsonl -o scored.bin river.txt
$ bipe-score -q --json --pack line --loss-after '[,:]' -L 32 scored.bin river.txt > scored.json && bipe-score -q --json --pack line -L 32 scored.bin river.txt > all.json
$ "$PERL" -ne '$nll{$ARGV} = $1 if /"nll": ?([0-9.e+-]+)/; END { ($t, $s, $a) = @nll{qw(scored.jsonl scored.json all.json)}; print abs($t - $s) <= 1e-6 && abs($s - $a) > 1e-6 ? "same\n" : "$t $s $a\n" }' scored.jsonl scored.json all.json
same
$ ./train --pack line --loss-after ZZZ -o lines.bin river.txt
! bipe-train: no line has anything after a match of --loss-after
? 1

# What makes no sense.
$ bipe-train river.txt
! bipe-train: option '--output' is missing: it names the file of the model
? 2
$ bipe-train -o x.bin river.txt
! bipe-train: option '--tokenizer', '--make-tokenizer' or '--init' is missing: '-t char' and '--make-tokenizer N' make a tokenizer from the texts
? 2
$ bipe-train -t byte -L 32 --batch 65 -o x.bin river.txt
! bipe-train: option '--batch': 65 tokens are not a number of whole rows of 32 tokens (-L)
? 2
$ ./train -o - river.txt
! bipe-train: option '--output': found '-', expected a file: nothing is written to standard output
? 2
$ ./train -o x.bin --log x.bin river.txt
! bipe-train: options '--output' and '--log' both write to x.bin
? 2
$ ./train -o x.bin --checkpoint ./x.bin river.txt
! bipe-train: options '--output' and '--checkpoint' both write to ./x.bin
? 2
$ ./train -o x.bin --log - river.txt
! bipe-train: option '--log': found '-', expected a file: nothing is written to standard output
? 2
$ ./train -o '' river.txt
! bipe-train: option '--output': found no name, expected that of a file
? 2
$ ln river.txt same && ./train -o x.bin --log same river.txt
! bipe-train: option '--log': same is also read, expected another file
? 2
$ ./train -o same --validate river.txt m.bin
! bipe-train: option '--output': same is also read, expected another file
? 2
$ ./train -o x.bin --log short river.txt
! bipe-train: option '--log': short is not a log of bipe-train, and is left alone
? 2
$ cp m.bin init.bin && bipe-train --init init.bin -o init.bin river.txt
! bipe-train: option '--output': init.bin is also read, expected another file
? 2
$ cmp same "$BIPE_SRCDIR/corpora/river.txt"; cat short; echo
a.b
$ ./train --loss-after x -o x.bin river.txt
! bipe-train: option '--loss-after' needs '--pack line': it looks at lines
? 2
$ ./train --steps 1 --epochs 1 -o x.bin river.txt
! bipe-train: options '--steps' and '--epochs' cannot be combined: both say how long to train
? 2
$ ./train --steps 1 --epochs 0 -o x.bin river.txt
! bipe-train: option '--epochs': found '0', expected a number above 0, such as 0.05 or 1e-4
! Try 'bipe-train --help' for more information.
? 2
$ ./train --epochs 1e300 -o x.bin river.txt
! bipe-train: option '--epochs': 1e+300 passes take 9.65e+301 steps, expected at most 4294967294
? 2
$ ./train --epsilon 0 -o x.bin river.txt
! bipe-train: option '--epsilon': found 0, expected more: it keeps AdamW from dividing by 0
? 2
$ ./train --warmup 50 --steps 20 -o x.bin river.txt
! bipe-train: option '--warmup': 50 steps, expected at most 20, which is all of them
? 2
$ ./train --min-lr 5e-4 --schedule constant -o x.bin river.txt
! bipe-train: options '--min-lr' and '--schedule constant' cannot be combined: the rate is then the same in all steps
? 2
$ ./train --rope-scaling linear:2 --scheme alibi -o x.bin river.txt
! bipe-train: option '--rope-scaling': the scheme has no rotation to scale, expected rope, xpos or randomized-rope in it
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
$ bipe-train -t byte --hidden 200 --layers 1 -L 32 --steps 0 -o x.bin river.txt | grep -o 'hidden.*heads [0-9]*'
hidden 200, heads 4
$ bipe-train -t byte --hidden 7 --scheme rope -o x.bin river.txt
! bipe-train: option '--hidden': 7 values, expected a number that can be divided by 2: the scheme rotates pairs of values
? 2
$ bipe-train -t byte --hidden 14 --heads 2 --scheme rope -o x.bin river.txt
! bipe-train: options '--hidden' and '--heads': heads of 7 values, expected an even number: the scheme rotates pairs
? 2
$ ./train --init m.bin -o x.bin river.txt
! bipe-train: options '--init' and '--layers' cannot be combined: the model has its sizes and vocabulary
? 2
$ ./train --pack line --loss-after '(' -o x.bin river.txt
! bipe-train: pattern "(": offset 1 of the pattern: missing closing parenthesis
? 2
$ bipe-train -t word -o x.bin river.txt
! bipe-train: word: a tokenizer without a vocabulary, expected one with ids
? 2
# Tables of positions that a scheme needs and the model has not start with zeros.
$ bipe-train -q --init m.bin --scheme t5 --steps 2 -o t5.bin -L 32 river.txt && bipe-convert t5.bin | grep ^scheme
scheme        t5
# Several processes that know nothing of each other would write one file. A batch script of Slurm (SLURM_NTASKS) starts one.
%when test "$BIPE_MPI" = no
$ for size in OMPI_COMM_WORLD_SIZE=2 PMI_SIZE=3 SLURM_STEP_NUM_TASKS=4; do env $size ./train -o x.bin river.txt; done
! bipe-train: 2 processes were started (OMPI_COMM_WORLD_SIZE), but they do not share their work and would write the same files: configure bipe with '--with-mpi', for the MPI that starts them
! bipe-train: 3 processes were started (PMI_SIZE), but they do not share their work and would write the same files: configure bipe with '--with-mpi', for the MPI that starts them
! bipe-train: 4 processes were started (SLURM_STEP_NUM_TASKS), but they do not share their work and would write the same files: configure bipe with '--with-mpi', for the MPI that starts them
? 2
%when test "$BIPE_MPI" = no
$ PMI_SIZE=1 SLURM_NTASKS=2 ./train -q --steps 1 -o alone.bin river.txt && ls alone.bin
alone.bin

# What cannot be done.
$ ./train -q -o x.bin empty
! bipe-train: 0 tokens in all texts, expected at least one row (-L 32)
? 1
$ ./train -q -o x.bin short
! bipe-train: 3 tokens in all texts, expected at least one row (-L 32)
? 1
$ ./train -q -o x.bin absent
! bipe-train: absent: could not be opened: No such file or directory
? 1
$ ./train -q --steps 2 -o absent/x.bin river.txt
! bipe-train: absent/x.bin: could not be created: No such file or directory
? 1
$ ./train -q --steps 2 --log absent/x.jsonl -o x.bin river.txt
! bipe-train: absent/x.jsonl: could not be created: No such file or directory
? 1
$ echo no match > other && ./train -q --pack line --loss-after '[,:]' --validate other --steps 1 -o x.bin river.txt 2>&1 | tail -n 1
bipe-train: other: no line has a token to predict
$ ./train -q --steps 1 -o /dev/null river.txt
! bipe-train: option '--output': /dev/null is not a regular file: say with '--checkpoint' where the checkpoint goes
? 2
$ ./train -q --steps 1 -o /dev/null --checkpoint device.checkpoint river.txt && test -c /dev/null && head -c 9000 device.checkpoint > cut.checkpoint
$ ./train -q --steps 1 -o cut.bin river.txt 2>&1 | cut -d: -f 1-3
bipe-train: the checkpoint cannot be read (if it is damaged, delete it to start over): cut.checkpoint
$ bipe-train --init m.bin --scheme rope -L 32 --steps 0 -o turned.bin river.txt | grep -c written
1
! bipe-train: m.bin: its positions were bipe-alibi and are rope now: unless only tables are new, it starts with other predictions
! bipe-train: m.bin: its table of positions is kept, though the new scheme does not use it
$ bipe-train --init turned.bin --rope-scaling dynamic:2 -L 32 --steps 0 -o dynamic.bin river.txt | grep -c written
1
! bipe-train: dynamic scaling changes nothing in training: it begins beyond the training length, 32
$ head -c 400 m.bin | tail -c 100 > odd && ./train --text --steps 1 -o odd.bin odd | grep -c written
1
! bipe-train: odd: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)
# A row that no text fills is reported before a table of as many positions is made.
$ bipe-train -q -t byte --layers 1 --hidden 16 -L 100000 --steps 1 -o x.bin river.txt
! bipe-train: 6178 tokens in all texts, expected at least one row (-L 100000)
? 1
$ bipe-train -q -t byte --layers 1 --hidden 16 --pack line -L 2 --steps 1 -o x.bin river.txt 2>&1 | tail -n 1
bipe-train: no line has at most 2 tokens (increase -L to keep them)
$ ./train -q --validate short --steps 2 -o x.bin river.txt
! bipe-train: short: 3 tokens, expected at least 32, a window of -L
? 2
$ printf '1 2 300' > ids && ./train -q --ids text -o x.bin ids
! bipe-train: ids: byte 4: id 300 is not in the vocabulary, expected less than 256
! bipe-train: 0 tokens in all texts, expected at least one row (-L 32)
? 1
$ cp "$BIPE_SRCDIR/tests/models/small-rope.bin" . && bipe-train -q --init m.bin -t small-rope.bin -L 32 -o x.bin river.txt
! bipe-train: small-rope.bin: a tokenizer of 2048 tokens, expected 1 to 256, which the model has
? 2
$ ./train -q --longce --short-context 30 -o x.bin river.txt; ./train -q --longce=0 -o x.bin river.txt; ./train -q --short-step 2 -o x.bin river.txt; ./train -q --longce --dropout 0.1 -o x.bin river.txt
! bipe-train: option '--longce': rows of 32 tokens (-L) have no token that sees more than a short context of 30 and the step of 7: give less with --short-context
! bipe-train: option '--longce': found '0', expected a number above 0
! Try 'bipe-train --help' for more information.
! bipe-train: option '--short-step' needs '--longce'
! bipe-train: options '--longce' and '--dropout' cannot be combined: both losses are those of the same network
? 2
%when test -c /dev/full
$ ./train --steps 2 -o full.bin --checkpoint ok.checkpoint --log /dev/full river.txt | tail -n 1
written   full.bin
! bipe-train: /dev/full: could not be written: No space left on device
! bipe-train: training continues without its log

# A loss that is not finite stops the run and leaves the last checkpoint.
$ ./train -q --lr 1e30 --clip 0 --warmup 0 --steps 9 --every 1 -o nan.bin river.txt
! bipe-train: step 2: the loss is not finite, expected a number; a lower --lr or --clip may help
? 1
$ ls nan.*
nan.checkpoint

$ BIPE_KERNELS=nonsense ./train --steps 1 --checkpoint kinds -o kinds.bin river.txt 2>&1 >/dev/null | sed 's/one of .*; .* is used/one of ...; ... is used/'
bipe-train: BIPE_KERNELS: this machine has no kernels 'nonsense', expected one of ...; ... is used
$ ./train -q --pack line --loss-after , --order sequential --dropout 0.1 --steps 1 --checkpoint options -o options.bin river.txt && bipe-convert options.bin | sed -n '/^training/,/^options/p'
training      1 steps of up to 64 tokens, 55 tokens in all, seed 1, by bipe-train 0.1.0
learning rate 0.001, cosine to 0.0001, warm-up 0
options       --pack line --loss-after , --order sequential --dropout 0.1

# Segments of two levels: the same bits however it was cut off and read; what the model needs goes with it, and a segmenter without that level is refused. Schemes
# on the finest level have the digits that they have without others.
$ printf '#!/bin/sh\nname=$1 scheme=$2; shift 2; exec ./train -q --scheme "$scheme" --steps 8 --checkpoint "$name" -o level.bin "$@" river.txt 2> /dev/null\n' > level && chmod +x level
$ three='rope@intra+alibi@segment*96+alibi@segment2*8+t5@intra2'; ./level level-2 "$three" -s stop/line --every 8 && ./level level-3 "$three" -s stop/line --every 3 -j 3 && cmp level-2 level-3
$ bipe-convert level.bin | grep -E '^(scheme|segmenter)' && bipe-convert -o again.bin level.bin 2> /dev/null && for m in level again; do bipe-score -q --csv -L 64 $m.bin river.txt | cut -d, -f 2,8; done | sort -u | wc -l
scheme        rope@intra+alibi@segment*96+alibi@segment2*8+t5@intra2
segmenter     stop/line
2
$ ./train -q --scheme alibi@segment2 -s stop --steps 1 -o no.bin river.txt
! bipe-train: scheme 'alibi@segment2' needs 2 levels of segments, segmenter 'stop' has 1: expected one such as sentence/paragraph/document
? 2
$ bipe-score -q -s stop level.bin river.txt; printf 'The river.\n' | bipe-generate -q -s line level.bin
! bipe-score: scheme 'rope@intra+alibi@segment*96+alibi@segment2*8+t5@intra2' needs 2 levels of segments, segmenter 'stop' has 1: expected one such as sentence/paragraph/document
! bipe-generate: scheme 'rope@intra+alibi@segment*96+alibi@segment2*8+t5@intra2' needs 2 levels of segments, segmenter 'line' has 1: expected one such as sentence/paragraph/document
? 2
$ ./level level-stop bipe-rope -s stop --every 8 && bipe-score -q --csv -L 64 level.bin river.txt | cut -d, -f 8 > finest.csv && ./level level-nested bipe-rope -s stop/line/document --every 8 && bipe-score -q --csv -L 64 level.bin river.txt | cut -d, -f 8 | cmp - finest.csv
$ printf 'The river. It' | bipe-generate -q --temperature 0 -n 20 level.bin | cmp -s - /dev/null || echo continued
continued
