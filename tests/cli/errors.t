# Errors from clusters of documents or records.
$ ln -s "$BIPE_SRCDIR/tests/models/small-rope.bin" m.bin
$ perl -e 'for (0 .. 29) { my $of = $_ == 4 ? "" : sprintf ",\"meta\":{\"of\":\"%s\"}", int $_ / 2; print "{\"text\":\"", join(" ", map { "word" . ($_ * $_ % 7) } $_ .. $_ + 9 + $_ % 5), "\"$of}\n" }' >records.jsonl
$ bipe-score -L 32 --cluster meta.of m.bin records.jsonl
model     m.bin (rope, 1.38 million parameters, trained at 256 tokens)
segments  stop
protocol  paper, BOS document, f32

file           length  windows    tokens     nll       ppl     +/- bits/byte  word ppl
records.jsonl      32       23       686  9.4116  12229.99  348.28    4.5998  1.58e+08

+/-: standard error by bootstrap over 16 clusters by meta.of
! bipe-score: --cluster: 1 of 30 documents has no member "meta.of" that is a string, number, true or false
$ bipe-score -L 32 --cluster document --csv m.bin records.jsonl | cut -d, -f18
method
bootstrap over 30 clusters
$ bipe-score -L 32 --cluster file m.bin records.jsonl | tail -n 1
records.jsonl      32       23       686  9.4116  12229.99       -    4.5998  1.58e+08
! bipe-score: --cluster: there is one cluster by "file", and errors need two
$ for by in meta.of document file; do for i in 0 1; do bipe-score -q -L 32 --json --cluster $by --shard $i/2 m.bin records.jsonl >part$i.json; done; bipe-score -q --merge --csv part0.json part1.json >merged.csv; bipe-score -q -L 32 --csv --cluster $by m.bin records.jsonl | cmp - merged.csv; done
$ bipe-score -q -L 32 --csv --cluster meta.of --resume journal m.bin records.jsonl >first.csv; bipe-score -q -L 32 --csv --cluster meta.of --resume journal m.bin records.jsonl | cmp - first.csv
$ bipe-score -q -L 32 --csv --resume journal m.bin records.jsonl
! bipe-score: journal: was written with cluster meta.of, this run has none; name another file, or delete it to start over
? 1

$ echo '{"name":"made","kind":"choices","prompt":"{q}","choices":["{a}","{b}"],"gold":0,"metrics":["acc","mc2"]}' >made.json
$ perl -e 'for (0 .. 59) { my $d = int $_ / 4; my $wins = $_ % 4 < $d % 5; print "{\"q\":\"x\",\"a\":\"y\",\"b\":\"z\",\"doc\":{\"id\":$d}}\n"; print STDERR "{\"id\":$_,\"scores\":[", $wins ? "-1,-3" : "-3,-1", "]}\n" }' >questions.jsonl 2>answers.jsonl
$ bipe-eval --task made.json --score answers.jsonl questions.jsonl
made                     records skipped truncated  metric      value  stderr  95 % interval
questions.jsonl               60       0         0  acc        0.5000  0.0651  [0.3774, 0.6226]
questions.jsonl               60       0         0  mc2        0.5000  0.0478  [0.4086, 0.5914]
$ bipe-eval --task made.json --score answers.jsonl --cluster doc.id questions.jsonl
made                     records skipped truncated  metric      value  stderr  95 % interval
questions.jsonl               60       0         0  acc        0.5000  0.0945  [0.3263, 0.6737]
questions.jsonl               60       0         0  mc2        0.5000  0.0703  [0.3468, 0.6505]

errors are from 15 clusters by doc.id
$ bipe-eval --task made.json --score answers.jsonl --cluster doc.id --limit 24 questions.jsonl
made                     records skipped truncated  metric      value  stderr  95 % interval
questions.jsonl               24       0         0  acc        0.4167  0.1667  -
questions.jsonl               24       0         0  mc2        0.4365  0.1257  -

errors are from 6 clusters by doc.id
! bipe-eval: answers.jsonl: 36 predictions match no record
! bipe-eval: --cluster: only 6 clusters by "doc.id": errors from fewer than 10 are rough
$ bipe-eval --task made.json --score answers.jsonl --cluster file questions.jsonl
made                     records skipped truncated  metric      value  stderr  95 % interval
questions.jsonl               60       0         0  acc        0.5000       -  -
questions.jsonl               60       0         0  mc2        0.5000       -  -
! bipe-eval: --cluster: there is one cluster by "file", and errors need two
$ bipe-eval --task made.json --score answers.jsonl --cluster doc --json questions.jsonl | grep method
      "method": "Wilson over 60 clusters",
      "method": "bootstrap over 60 clusters",
! bipe-eval: --cluster: no document has a member "doc" that is a string, number, true or false; the first record has "q", "a", "b", "doc.id"
$ bipe-score -L 32 --cluster of m.bin records.jsonl >nowhere; echo $?; for i in 0 1; do bipe-score -L 32 --cluster of --shard $i/2 --json -o part$i.json m.bin records.jsonl; done
1
! bipe-score: --cluster: no document has a member "of" that is a string, number, true or false; the first record has "text", "meta.of"
! bipe-score: --cluster: no document has a member "of" that is a string, number, true or false; the first record has "text", "meta.of"
! bipe-score: --cluster: no document has a member "of" that is a string, number, true or false; the first record has "text", "meta.of"
$ bipe-eval --task made.json --score answers.jsonl --cluster 'doc.id|odd' questions.jsonl
! bipe-eval: option '--cluster': {doc.id}: there is no step 'odd', expected strip, squeeze, lower, capitalize, before:X, after:X, upto:X, before_last:X, after_last:X, replace:X:Y, drop_brackets, match:PATTERN, letter:X, letters or join:X
? 2
$ bipe-eval --task made.json --json --cluster doc.id --limit 6 m.bin questions.jsonl >whole.json
! bipe-eval: 5 requests were the same as before, and computed once
! bipe-eval: --cluster: only 2 clusters by "doc.id": errors from fewer than 10 are rough
$ for i in 0 1; do bipe-eval -q --task made.json --json --cluster doc.id --limit 6 --shard $i/2 m.bin questions.jsonl >part$i.json; done; bipe-eval --merge --json part0.json part1.json | cmp - whole.json
! bipe-eval: --cluster: only 2 clusters by "doc.id": errors from fewer than 10 are rough

# Two runs, compared by what they wrote, as by one run that asks both models; records in another order, and some missing.
$ echo '{"name":"words","kind":"choices","prompt":"{q}","choices":["{a}","{b}"],"gold":0,"metrics":["acc"]}' >words.json
$ perl -e '@q = ("He went to the", "She had a", "They saw the"); @a = qw(house door garden letter friend walk river carriage); for (0 .. 23) { print "{\"q\":\"$q[$_ % 3]\",\"a\":\"$a[$_ % 8]\",\"b\":\"$a[($_ * 5 + 3) % 8]\",\"of\":", int $_ / 2, "}\n" }' >words.jsonl
$ bipe-eval --task words.json --cluster of --predictions a.jsonl --csv -o a.csv prose-rope words.jsonl; bipe-eval --task words.json --predictions b.jsonl -o b.csv m.bin words.jsonl; bipe-eval -q --task words.json --cluster of --json --against m.bin prose-rope words.jsonl >both.json
$ perl -e 'print reverse <>' b.jsonl >c.jsonl; bipe-eval -q --compare --cluster cluster --json a.jsonl c.jsonl >compared.json
$ for f in both compared; do grep '"value"\|"stderr"\|"interval"\|"method"\|"difference"\|"p"\|"test"' $f.json | sed 's/,$//' >$f.lines; done; cmp both.lines compared.lines && cat both.lines
      "value": 0.541666667
      "stderr": 0.0964980243
      "interval": [0.350748654, 0.721086663]
      "method": "Wilson over 12 clusters"
      "value": 0.458333333
      "stderr": 0.0964980243
      "interval": [0.278913337, 0.649251346]
      "method": "Wilson over 12 clusters"
      "difference": -0.0833333333
      "stderr": 0.121047915
      "interval": [-0.351428466, 0.237101639]
      "method": "bootstrap over 12 clusters"
      "p": 0.518
      "test": "bootstrap"
$ bipe-eval --compare --cluster of a.jsonl b.jsonl >nowhere
! bipe-eval: --cluster: no document has a member "of" that is a string, number, true or false; --cluster cluster takes what --predictions wrote; the first record has "id", "cluster", "prompt_tokens", "scores", "choice", "gold", "metrics.acc"
? 1
$ sed 4q a.jsonl | cut -d, -f1,2
{"id":"0","cluster":"0"
{"id":"1","cluster":"0"
{"id":"2","cluster":"1"
{"id":"3","cluster":"1"
$ grep -v '"id":"[37]"' b.jsonl >c.jsonl; bipe-eval --compare --csv a.jsonl c.jsonl | cut -d, -f1,4-9
model,file,records,skipped,truncated,metric,value
a.jsonl,total,22,2,0,acc,0.5
c.jsonl,total,22,2,0,acc,0.409090909
! bipe-eval: a.jsonl: 2 of 24 records left out, as c.jsonl has no prediction of them: '3', '7'
$ perl -pe 's/"id":"/$& . "x" x 300/e' b.jsonl | bipe-eval --compare - a.jsonl
! bipe-eval: standard input: 24 of 24 records left out, as a.jsonl has no prediction of them
! bipe-eval: a.jsonl: 24 of 24 records left out, as standard input has no prediction of them: '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...
? 1
$ cat b.jsonl b.jsonl >d.jsonl; bipe-eval --compare --csv a.jsonl d.jsonl | cut -d, -f1,4-9
model,file,records,skipped,truncated,metric,value
a.jsonl,total,24,24,0,acc,0.541666667
d.jsonl,total,24,24,0,acc,0.458333333
! bipe-eval: d.jsonl: 24 of 48 records left out, as a.jsonl has no prediction of them: '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...
$ bipe-eval --compare a.jsonl
! bipe-eval: option '--compare': one file of predictions, expected two or more
? 2
$ bipe-eval --compare
! bipe-eval: option '--compare' needs a FILE: predictions are written by '--predictions'
? 2
$ bipe-eval --compare a.jsonl words.jsonl
! bipe-eval: words.jsonl: record at line 1: member id: there is none, expected a text or a whole number
! bipe-eval: words.jsonl: record at line 2: member id: there is none, expected a text or a whole number
! bipe-eval: words.jsonl: record at line 3: member id: there is none, expected a text or a whole number
! bipe-eval: a.jsonl: 24 of 24 records left out, as words.jsonl has no prediction of them: '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...
! bipe-eval: words.jsonl: record at line 24: member id: there is none, expected a text or a whole number; 20 more like this are not shown
? 1
$ sed 's/"acc":./"odd":1/' b.jsonl | bipe-eval --compare a.jsonl -
! bipe-eval: standard input: record at line 1: member metrics.odd: expected a metric that bipe-eval knows, and a number from 0 to 1
! bipe-eval: standard input: record at line 2: member metrics.odd: expected a metric that bipe-eval knows, and a number from 0 to 1
! bipe-eval: standard input: record at line 3: member metrics.odd: expected a metric that bipe-eval knows, and a number from 0 to 1
! bipe-eval: a.jsonl: 24 of 24 records left out, as standard input has no prediction of them: '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...
! bipe-eval: standard input: record at line 24: member metrics.odd: expected a metric that bipe-eval knows, and a number from 0 to 1; 20 more like this are not shown
? 1
$ sed 's/"acc"/"em"/' b.jsonl | bipe-eval --compare - a.jsonl
! bipe-eval: a.jsonl: record at line 1: member metrics: expected the metrics of the first line, as --predictions writes them (--score judges predictions of other programs)
! bipe-eval: a.jsonl: record at line 2: member metrics: expected the metrics of the first line, as --predictions writes them (--score judges predictions of other programs)
! bipe-eval: a.jsonl: record at line 3: member metrics: expected the metrics of the first line, as --predictions writes them (--score judges predictions of other programs)
! bipe-eval: standard input: 24 of 24 records left out, as a.jsonl has no prediction of them: '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ...
! bipe-eval: a.jsonl: record at line 24: member metrics: expected the metrics of the first line, as --predictions writes them (--score judges predictions of other programs); 20 more like this are not shown
? 1
$ bipe-eval --compare --task words.json a.jsonl b.jsonl
! bipe-eval: options '--compare' and '--task' cannot be combined: predictions are compared, and no model is asked
? 2
$ bipe-eval --compare -o a.jsonl a.jsonl b.jsonl
! bipe-eval: option '--output': a.jsonl is also read, expected another file
? 2

# How many records, documents or clusters a difference needs: n times four where it is half as large.
$ for d in 0.1 0.05 0.05,0.9; do bipe-eval --compare --csv --power $d a.jsonl b.jsonl | sed 1d | cut -d, -f20; done

247

986

1320
$ bipe-eval --compare --power 0.1 --cluster cluster a.jsonl b.jsonl
model                    records skipped truncated  metric      value  stderr  95 % interval
a.jsonl                       24       0         0  acc        0.5417  0.0965  [0.3507, 0.7211]
b.jsonl                       24       0         0  acc        0.4583  0.0965  [0.2789, 0.6493]
model                    records skipped truncated  metric   vs first  stderr  95 % interval            p  needed
b.jsonl                       24       0         0  acc       -0.0833  0.1210  [-0.3514, +0.2371]  0.5180     139

errors are from 12 clusters by cluster
needed: clusters for a difference of 0.1 at 80 % power
$ for i in 0 1; do bipe-score -q -L 32 --json --power 0.02 --against prose-rope --shard $i/2 m.bin records.jsonl >part$i.json; done; bipe-score --merge part0.json part1.json
model     m.bin (rope, 1.38 million parameters, trained at 256 tokens)
          prose-rope (rope, 3.79 million parameters, trained at 512 tokens)
protocol  paper, BOS document, f32

records.jsonl                         32
1 m.bin, stop               1.22e+04  351
2 prose-rope, stop          2529.67  150

less 1                     length nats/token       95 % interval      p bits/byte    needed
2 prose-rope, stop             32          -  [-0.8341, -0.6989]  0.001   -0.7701       627

perplexity and its standard error, by bootstrap over documents
needed: documents for a difference of 0.02 at 80 % power
tokenizers differ: bits per byte are compared, and intervals without nats/token are theirs
$ bipe-score -q -L 32 --json --power 0.02 --against prose-rope m.bin records.jsonl | grep '"power"\|"needed"'
  "power": "0.02",
      "needed": 627
      "needed": 627
      "power": "0.02",
$ cp a.jsonl same.jsonl; bipe-eval --compare --power 0.02 a.jsonl same.jsonl | sed -n 4,5p; bipe-eval --compare --power 0.02 --json a.jsonl same.jsonl | grep needed; sed 1q a.jsonl >one.jsonl; bipe-eval -q --compare --power 0.02 --json one.jsonl one.jsonl | grep needed
model                    records skipped truncated  metric   vs first  stderr  95 % interval            p  needed
same.jsonl                    24       0         0  acc       +0.0000  0.0000  [+0.0000, +0.0000]  1.0000       -
      "needed": null
      "needed": null
$ bipe-score -L 32 --power 0.02 --against m.bin m.bin records.jsonl | sed -n '/^less/,/^$/p'; bipe-score -L 32 --json --power 0.02 --against m.bin m.bin records.jsonl | grep needed
less 1                     length nats/token       95 % interval      p bits/byte    needed
2 m.bin, stop                  32    +0.0000  [+0.0000, +0.0000]  1.000   +0.0000         -

      "needed": null
      "needed": null
$ bipe-score --power 0.02 m.bin records.jsonl
! bipe-score: option '--power' needs '--against' or '--segmenter'
? 2
$ for d in 0 x 0.1, 0.1,1 0.1,0.01 1e400 0.1,0.9,2 -1 0x1 inf nan; do bipe-eval --compare --power $d a.jsonl b.jsonl 2>&1 | grep -v ^Try; done; bipe-eval --compare --power x a.jsonl b.jsonl 2>/dev/null
bipe-eval: option '--power': found '0', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found 'x', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '0.1,', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '0.1,1', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '0.1,0.01', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '1e400', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '0.1,0.9,2', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '-1', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found '0x1', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found 'inf', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
bipe-eval: option '--power': found 'nan', expected a difference above 0, and perhaps a power between 0.05 and 1, such as 0.02,0.9
? 2

# Several comparisons: p is corrected for all of files, and for all of all files together; no column where there is one alone.
$ perl -ne '$i++; next if $i > 12; s/"acc":./"acc":1/ if $i % 4; print' a.jsonl >e.jsonl; sed 12q b.jsonl >f.jsonl; perl -pe 's/"acc":./"acc":0/' f.jsonl >g.jsonl
$ bipe-eval --compare e.jsonl g.jsonl f.jsonl
model                    records skipped truncated  metric      value  stderr  95 % interval
e.jsonl                       12       0         0  acc        1.0000  0.0000  [0.7575, 1.0000]
g.jsonl                       12       0         0  acc        0.0000  0.0000  [0.0000, 0.2425]
f.jsonl                       12       0         0  acc        0.6667  0.1421  [0.3906, 0.8619]
model                    records skipped truncated  metric   vs first  stderr  95 % interval            p   Holm
g.jsonl                       12       0         0  acc       -1.0000  0.0000  [-1.0000, -1.0000]  0.0005 0.0010
f.jsonl                       12       0         0  acc       -0.3333  0.1381  [-0.7597, -0.0943]  0.1250 0.1250

Holm: p, corrected for all comparisons
$ bipe-eval --compare e.jsonl g.jsonl
model                    records skipped truncated  metric      value  stderr  95 % interval
e.jsonl                       12       0         0  acc        1.0000  0.0000  [0.7575, 1.0000]
g.jsonl                       12       0         0  acc        0.0000  0.0000  [0.0000, 0.2425]
model                    records skipped truncated  metric   vs first  stderr  95 % interval            p
g.jsonl                       12       0         0  acc       -1.0000  0.0000  [-1.0000, -1.0000]  0.0005
$ bipe-eval -q --task words.json --csv --against prose-rope --against prose-bipe-rope m.bin words.jsonl words.jsonl | cut -d, -f1,4,16,19,20
model,file,difference_low,p_holm,needed
m.bin,words.jsonl,,,
prose-rope,words.jsonl,-0.175048871,1,
prose-bipe-rope,words.jsonl,-0.341715538,1,
m.bin,words.jsonl,,,
prose-rope,words.jsonl,-0.175048871,1,
prose-bipe-rope,words.jsonl,-0.341715538,1,
m.bin,total,,,
prose-rope,total,-0.0800667643,0.908996582,
prose-bipe-rope,total,-0.244593894,0.908996582,
$ bipe-score -q -L 16,32 --against prose-rope --against prose-alibi --cluster document m.bin records.jsonl | sed -n '/^less/,/^Holm/p'
less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 prose-rope, stop             16          -  [-0.7184, -0.5964]  0.001  0.004   -0.6553
2 prose-rope, stop             32          -  [-0.8340, -0.7009]  0.001  0.004   -0.7701
3 prose-alibi, stop            16          -  [-0.5913, -0.4603]  0.001  0.004   -0.5226
3 prose-alibi, stop            32          -  [-0.6353, -0.5303]  0.001  0.004   -0.5828

perplexity and its standard error, by bootstrap over 30 clusters by document
Holm: p, corrected for 4 comparisons
