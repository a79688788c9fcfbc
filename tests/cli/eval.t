# eval.t - bipe-eval: kinds of tasks, records that are left out, predictions, shards and resumed runs, what is refused.
$ cat >kinds.json <<'END'
> {"name":"kinds","kind":"choices","prompt":"A {thing} is a kind of","choices":"{kinds}","gold":"{right}","metrics":["acc","acc_norm","mc1","mc2"]}
> END
$ cat >kinds.jsonl <<'END'
> {"thing":"rose","kinds":["flower","river"],"right":0}
> {"thing":"boat","kinds":["king","ship"],"right":1}
> {"thing":"cat","kinds":["animal","day","word"],"right":0}
> 
> {"thing":"oak","kinds":["house","tree"],"right":"1","id":"the oak"}
> END
$ bipe-eval --task kinds.json prose-bipe-alibi kinds.jsonl
kinds                    records skipped truncated  metric      value  stderr  95 % interval
kinds.jsonl                    4       0         0  acc        0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  acc_norm   0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  mc1        0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  mc2        0.2086  0.1458  -
# Chance: the mean of 1/2, 1/2, 1/3 and 1/2.
$ bipe-eval --task kinds.json --json --predictions answers.jsonl prose-bipe-alibi kinds.jsonl | sed -n '/"task": {/,/chance/p; /"mc2"/,/chance/p'
  "task": {
    "name": "kinds",
    "version": null,
    "shots": 0
  },
  "results": [
    {
      "task": "kinds",
      "file": "kinds.jsonl",
      "records": 4,
      "skipped": 0,
      "truncated": 0,
      "metric": "acc",
      "value": 0.25,
      "stderr": 0.25,
      "interval": [0.0455872608, 0.699358157],
      "method": "Wilson",
      "chance": 0.458333333
      "metric": "mc2",
      "value": 0.208564744,
      "stderr": 0.145843446,
      "interval": null,
      "method": "bootstrap",
      "chance": 0.458333333
$ cat answers.jsonl
{"id":"0","prompt_tokens":8,"scores":[-10.2177601,-7.67101129],"choice":1,"gold":0,"metrics":{"acc":0,"acc_norm":0,"mc1":0,"mc2":0.0726452093}}
{"id":"1","prompt_tokens":7,"scores":[-7.79477782,-6.93658121],"choice":1,"gold":1,"metrics":{"acc":1,"acc_norm":1,"mc1":1,"mc2":0.702283738}}
{"id":"2","prompt_tokens":8,"scores":[-10.9360366,-7.94882214,-5.33820966],"choice":2,"gold":0,"metrics":{"acc":0,"acc_norm":0,"mc1":0,"mc2":0.00344033036}}
{"id":"the oak","prompt_tokens":8,"scores":[-5.75745558,-8.58431848],"choice":0,"gold":1,"metrics":{"acc":0,"acc_norm":0,"mc1":0,"mc2":0.0558896996}}

# threads, standard input, compressed input
$ bipe-eval --task kinds.json --csv prose-bipe-alibi kinds.jsonl >kinds.csv
$ bipe-eval --task kinds.json --csv -j 3 prose-bipe-alibi kinds.jsonl | cmp - kinds.csv
$ bipe-eval --task kinds.json --csv prose-bipe-alibi <kinds.jsonl | sed 's/,-,/,kinds.jsonl,/' | cmp - kinds.csv
$ zstd -q kinds.jsonl && bipe-eval --task kinds.json --csv prose-bipe-alibi kinds.jsonl.zst | sed 's/jsonl.zst/jsonl/' | cmp - kinds.csv

# text that is generated, and what it is compared with
$ cat >next.json <<'END'
> {"name":"next","version":"made here","kind":"generate","prompt":"{text|before:/}","references":["{text|after:/}","{more}"],"stop":",","max_tokens":6,
> "answer":["strip","lower"],"metrics":["em","acc","f1","rouge1","rouge2","rougeL","rgm"]}
> END
$ cat >next.jsonl <<'END'
> {"text":"She went to the/door","more":"house"}
> {"text":"In the middle of the/night","more":"the day"}
> END
$ bipe-eval --task next.json --predictions next.out --submission next.sub prose-bipe-alibi next.jsonl
next                     records skipped truncated  metric      value  stderr  95 % interval
next.jsonl                     2       0         0  em         0.5000  0.5000  [0.0945, 0.9055]
next.jsonl                     2       0         0  acc        0.5000  0.5000  [0.0945, 0.9055]
next.jsonl                     2       0         0  f1         0.5000  0.3568  -
next.jsonl                     2       0         0  rouge1     0.5000  0.3568  -
next.jsonl                     2       0         0  rouge2     0.0000  0.0000  -
next.jsonl                     2       0         0  rougeL     0.5000  0.3568  -
next.jsonl                     2       0         0  rgm        0.0000  0.0000  -
$ cat next.out
{"id":"0","prompt_tokens":5,"prediction":" house","answer":"house","references":["door","house"],"metrics":{"em":1,"acc":1,"f1":1,"rouge1":1,"rouge2":0,"rougeL":1}}
{"id":"1","prompt_tokens":6,"prediction":" United States","answer":"united states","references":["night","the day"],"metrics":{"em":0,"acc":0,"f1":0,"rouge1":0,"rouge2":0,"rougeL":0}}
$ cat next.sub
{
  "0": "house",
  "1": "united states"
}

# the second text to stop at; references of neighbouring records with one id
$ cat >merged.json <<'END'
> {"name":"merged","kind":"generate","prompt":"{input}","references":"{output}","stop":[","," and"],"stop_at":"{n}","max_tokens":16,"merge":true,"metrics":["em"]}
> END
$ cat >merged.jsonl <<'END'
> {"id":"a","input":"She went to the","n":1,"output":"window"}
> {"id":"a","input":"not asked","n":1,"output":"house"}
> {"id":"b","input":"She went to the","n":"3","output":"house, and was the only one of the most interesting"}
> {"id":"c","input":"She went to the","n":0,"output":"house"}
> END
$ bipe-eval --task merged.json --csv --predictions - -o merged.csv prose-bipe-alibi merged.jsonl
{"id":"a","prompt_tokens":5,"prediction":" house","references":["window","house"],"metrics":{"em":1}}
{"id":"b","prompt_tokens":5,"prediction":" house, and was the only one of the most interesting","references":["house, and was the only one of the most interesting"],"metrics":{"em":1}}
! bipe-eval: merged.jsonl: record at line 4: stop_at is no number of a text to stop at, expected one from 1 to 999999
? 1
$ cut -d, -f5-9 merged.csv
records,skipped,truncated,metric,value
2,1,0,em,1
$ for i in 0 1; do bipe-eval -q --task merged.json --json --shard $i/2 prose-bipe-alibi merged.jsonl >part$i.json 2>/dev/null; done; bipe-eval --merge --csv part0.json part1.json | cmp - merged.csv

# records that are left out
$ cat >wrong.jsonl <<'END'
> {"thing":"rose","kinds":["flower","river"],"right":0}
> {"thing":"rose","kinds":["flower","river"],"right":2}
> {"thing":"rose","kinds":["flower",""],"right":0}
> {"text":"of another task"}
> {"thing":"rose","kinds":[],"right":0}
> {"thing":"rose","kinds":"flower","right":0}
> {"thing":["rose"],"kinds":["flower","river"],"right":0}
> {"thing":"rose","kinds":["flower","river"],"right":null}
> ["no object"]
> {"thing":"torn
> END
$ bipe-eval --task kinds.json --csv prose-bipe-alibi wrong.jsonl | cut -d, -f4-9
file,records,skipped,truncated,metric,value
wrong.jsonl,2,8,0,acc,0
wrong.jsonl,2,8,0,acc_norm,0
wrong.jsonl,2,8,0,mc1,0.5
wrong.jsonl,2,8,0,mc2,0.536322605
! bipe-eval: wrong.jsonl: record at line 2: the gold answer is '2', expected a number from 0 to 1
! bipe-eval: wrong.jsonl: record at line 3: choice 1 is empty, expected text
! bipe-eval: wrong.jsonl: record at line 4: the record has no {thing}, found "text", expected the members that the task names
! bipe-eval: wrong.jsonl: record at line 5: the record has no choices, expected one at least
! bipe-eval: wrong.jsonl: record at line 7: {thing}: found a list, expected text or a number
! bipe-eval: wrong.jsonl: record at line 8: the record has no {right}, found null, expected the members that the task names
! bipe-eval: wrong.jsonl: record at line 9: not an object, expected JSON Lines: {...} on each line
! bipe-eval: wrong.jsonl: record at line 10: JSON, byte 14: premature end of input near '"torn'

# a JSON array, as FILE, shots and predictions; numbers where a task has texts
$ { echo '['; grep . kinds.jsonl | paste -sd,; echo ']'; } >array.json; bipe-eval --task kinds.json prose-bipe-alibi array.json
! bipe-eval: array.json: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
? 1
$ bipe-eval --task kinds.json --shots 1 --shots-from array.json prose-bipe-alibi kinds.jsonl
! bipe-eval: array.json: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
? 1
$ bipe-eval --task kinds.json --score array.json kinds.jsonl
! bipe-eval: array.json: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
? 1
$ echo '{"name":"first","version":1.5,"kind":"choices","prompt":"A {thing} is a kind of","choices":"{kinds}","gold":0,"metrics":["acc"]}' >first.json
$ bipe-eval --task first.json --json prose-bipe-alibi kinds.jsonl | grep '"version": "1.5"\|"value"'
    "version": "1.5",
      "value": 0.25,

# files of Windows: byte order marks and CR LF are taken, UTF-16 is named
$ { printf '\357\273\277'; cat first.json; } >marked.json; { printf '\357\273\277'; sed 's/$/\r/' kinds.jsonl; } >marked.jsonl; iconv -f UTF-8 -t UTF-16 first.json >wide.json; iconv -f UTF-8 -t UTF-16 kinds.jsonl >wide.jsonl
$ for kind in marked wide; do bipe-eval --task $kind.json --csv prose-bipe-alibi $kind.jsonl | cut -d, -f4-8; done
file,records,skipped,truncated,metric
marked.jsonl,4,0,0,acc
! bipe-eval: wide.json: is text in UTF-16, expected text in UTF-8

# prompts that end within a word: tokens of the prompt alone, then those of both beyond as many (tests/peers/choices compares the figures)
$ echo '{"name":"ends","kind":"choices","prompt":"{q}","separator":"","choices":"{a}","gold":"0","metrics":["acc"]}' >ends.json
$ printf '%s\n' '{"q":"hou","a":["se","sewife"]}' '{"q":"hou","a":["se of Commons","r or two"]}' >ends.jsonl
$ bipe-eval --task ends.json -o ends.txt --predictions - prose-bipe-rope ends.jsonl
{"id":"1","prompt_tokens":3,"scores":[-17.8553016,-10.2978116],"choice":1,"gold":0,"metrics":{"acc":0}}
! bipe-eval: ends.jsonl: record at line 1: choice 0 has no tokens of its own: the prompt has 2 alone and 1 with it, expected one more at least
? 1

# prompts that are too long, and those that leave no place
$ bipe-eval --task kinds.json --csv -L 8 prose-bipe-alibi kinds.jsonl | cut -d, -f4-9
file,records,skipped,truncated,metric,value
kinds.jsonl,4,0,4,acc,0.25
kinds.jsonl,4,0,4,acc_norm,0.25
kinds.jsonl,4,0,4,mc1,0.25
kinds.jsonl,4,0,4,mc2,0.26137953
! bipe-eval: -L 8: 4 of 4 prompts were cut at the start
$ bipe-eval --task kinds.json --csv -L 2 prose-bipe-alibi kinds.jsonl | cut -d, -f4-8
file,records,skipped,truncated,metric
kinds.jsonl,0,4,0,acc
kinds.jsonl,0,4,0,acc_norm
kinds.jsonl,0,4,0,mc1
kinds.jsonl,0,4,0,mc2
! bipe-eval: kinds.jsonl: record at line 1: -L leaves no place for the prompt, expected a length of more than 3
! bipe-eval: kinds.jsonl: record at line 2: -L leaves no place for the prompt, expected a length of more than 3
! bipe-eval: kinds.jsonl: record at line 3: -L leaves no place for the prompt, expected a length of more than 4
! bipe-eval: kinds.jsonl: record at line 5: -L leaves no place for the prompt, expected a length of more than 2
$ bipe-eval --task kinds.json -L 8 --truncate middle --predictions cut.jsonl prose-bipe-alibi kinds.jsonl >cut.txt; cut -d, -f1-3 cut.jsonl
{"id":"0","prompt_tokens":6,"truncated":true
{"id":"1","prompt_tokens":6,"truncated":true
{"id":"2","prompt_tokens":5,"truncated":true
{"id":"the oak","prompt_tokens":6,"truncated":true
! bipe-eval: -L 8: 4 of 4 prompts were cut in the middle

$ perl -e 'print "{\"thing\":\"", "x" x 70000, "\",\"right\":0,\"kinds\":[", join(",", (1) x 1000), "]}\n"' >long.jsonl
$ bipe-eval --task kinds.json --csv prose-bipe-alibi long.jsonl | cut -d, -f4-8 | head -n 2
file,records,skipped,truncated,metric
long.jsonl,0,1,0,acc
! bipe-eval: long.jsonl: record at line 1: a prompt of 70015 bytes for 1000 choices, expected 64 MB at most for all

# shots
$ bipe-eval --task kinds.json --shots 2 --shots-from kinds.jsonl --limit 2 --predictions shots.jsonl prose-bipe-alibi kinds.jsonl >shots.txt; cut -d, -f1,2 shots.jsonl
{"id":"0","prompt_tokens":28
{"id":"1","prompt_tokens":27
$ bipe-eval --task kinds.json --shots 9 --shots-from kinds.jsonl --limit 1 prose-bipe-alibi kinds.jsonl
! bipe-eval: kinds.jsonl: record at line 1: kinds.jsonl has 4 shots for it, expected 9
? 1
$ bipe-eval --task kinds.json --shots 1 prose-bipe-alibi kinds.jsonl
! bipe-eval: option '--shots' needs '--shots-from'
? 2

# predictions are judged again, without a model; those of other programs as well
$ bipe-eval --task kinds.json --score answers.jsonl kinds.jsonl
kinds                    records skipped truncated  metric      value  stderr  95 % interval
kinds.jsonl                    4       0         0  acc        0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  acc_norm   0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  mc1        0.2500  0.2500  [0.0456, 0.6994]
kinds.jsonl                    4       0         0  mc2        0.2086  0.1458  -
$ printf '{"id":0,"prediction":"house"}\n{"id":"1","prediction":"a day"}\n{"id":"7","prediction":""}\n' | bipe-eval --task next.json --score - next.jsonl
next                     records skipped truncated  metric      value  stderr  95 % interval
next.jsonl                     2       0         0  em         1.0000  0.0000  [0.3424, 1.0000]
next.jsonl                     2       0         0  acc        0.5000  0.5000  [0.0945, 0.9055]
next.jsonl                     2       0         0  f1         1.0000  0.0000  -
next.jsonl                     2       0         0  rouge1     0.7500  0.1784  -
next.jsonl                     2       0         0  rouge2     0.0000  0.0000  -
next.jsonl                     2       0         0  rougeL     0.7500  0.1784  -
next.jsonl                     2       0         0  rgm        0.0000  0.0000  -
! bipe-eval: standard input: 1 prediction matches no record
$ printf '{"id":0,"prediction":"house"}\n{"id":"1"}\n' | bipe-eval --task next.json --score - --csv next.jsonl | cut -d, -f3-9
task,file,records,skipped,truncated,metric,value
next,next.jsonl,1,1,0,em,1
next,next.jsonl,1,1,0,acc,1
next,next.jsonl,1,1,0,f1,1
next,next.jsonl,1,1,0,rouge1,1
next,next.jsonl,1,1,0,rouge2,0
next,next.jsonl,1,1,0,rougeL,1
next,next.jsonl,1,1,0,rgm,0
! bipe-eval: standard input: record at line 2: member prediction: expected a text
! bipe-eval: next.jsonl: record at line 2: standard input has no prediction for it
$ perl -e 'print "{\"id\":0,\"prediction\":\"", "a " x 1048577, "\"}\n{\"id\":1,\"prediction\":\"a day\"}\n{\"id\":7,\"prediction\":\"x\"}\n"' | bipe-eval --task next.json --score - --csv next.jsonl | cut -d, -f3-9
task,file,records,skipped,truncated,metric,value
next,next.jsonl,1,1,0,em,1
next,next.jsonl,1,1,0,acc,0
next,next.jsonl,1,1,0,f1,1
next,next.jsonl,1,1,0,rouge1,0.5
next,next.jsonl,1,1,0,rouge2,0
next,next.jsonl,1,1,0,rougeL,0.5
next,next.jsonl,1,1,0,rgm,0
! bipe-eval: next.jsonl: question 1: an answer of 1048577 words, expected at most 1048576
! bipe-eval: standard input: 1 prediction matches no record
# a file that is not there has no row
$ bipe-eval --task kinds.json --csv prose-bipe-alibi missing.jsonl kinds.jsonl | cut -d, -f2-5 | uniq
segmenter,task,file,records
stop,kinds,kinds.jsonl,4
! bipe-eval: missing.jsonl: could not be opened: No such file or directory
$ bipe-eval --task kinds.json prose-bipe-alibi missing.jsonl
! bipe-eval: missing.jsonl: could not be opened: No such file or directory
? 1
$ bipe-eval --task kinds.json --csv prose-bipe-alibi - </dev/null | cut -d , -f 2-5
segmenter,task,file,records
stop,kinds,-,0
stop,kinds,-,0
stop,kinds,-,0
stop,kinds,-,0
! bipe-eval: standard input: no records, expected one a line
$ printf '{"id":0,"scores":[1]}\n' | bipe-eval --task kinds.json --score - --limit 1 kinds.jsonl | tail -n 1
! bipe-eval: kinds.jsonl: record at line 1: 1 scores for 2 choices, expected as many

# two models
$ bipe-eval --task kinds.json --against prose-rope prose-bipe-alibi kinds.jsonl
kinds.jsonl
model                    records skipped truncated  metric      value  stderr  95 % interval
prose-bipe-alibi               4       0         0  acc        0.2500  0.2500  [0.0456, 0.6994]
prose-rope                     4       0         0  acc        0.5000  0.2887  [0.1500, 0.8500]
prose-bipe-alibi               4       0         0  acc_norm   0.2500  0.2500  [0.0456, 0.6994]
prose-rope                     4       0         0  acc_norm   0.5000  0.2887  [0.1500, 0.8500]
prose-bipe-alibi               4       0         0  mc1        0.2500  0.2500  [0.0456, 0.6994]
prose-rope                     4       0         0  mc1        0.5000  0.2887  [0.1500, 0.8500]
prose-bipe-alibi               4       0         0  mc2        0.2086  0.1458  -
prose-rope                     4       0         0  mc2        0.4690  0.2068  -
model                    records skipped truncated  metric   vs first  stderr  95 % interval            p   Holm
prose-rope                     4       0         0  acc       +0.2500  0.2219  -                   1.0000 1.0000
prose-rope                     4       0         0  acc_norm  +0.2500  0.2219  -                   1.0000 1.0000
prose-rope                     4       0         0  mc1       +0.2500  0.2219  -                   1.0000 1.0000
prose-rope                     4       0         0  mc2       +0.2604  0.1755  -                        -      -

Holm: p, corrected for all comparisons
$ bipe-eval --task kinds.json --against prose-rope --json prose-bipe-alibi kinds.jsonl | sed -n '/comparisons/,/}/p'
  "comparisons": [
    {
      "task": "kinds",
      "file": "kinds.jsonl",
      "metric": "acc",
      "a": "prose-bipe-alibi",
      "b": "prose-rope",
      "records": 4,
      "difference": 0.25,
      "stderr": 0.221938182,
      "interval": null,
      "method": "bootstrap",
      "p": 1,
      "p_holm": 1,
      "test": "McNemar"
    },

# shards, and what was done before
$ bipe-eval --task kinds.json --json prose-bipe-alibi kinds.jsonl next.jsonl >whole.json
! bipe-eval: next.jsonl: record at line 1: the record has no {thing}, found "text", "more", expected the members that the task names
! bipe-eval: next.jsonl: record at line 2: the record has no {thing}, found "text", "more", expected the members that the task names
? 1
$ for i in 2 0 1; do bipe-eval -q --task kinds.json --json --shard $i/3 prose-bipe-alibi kinds.jsonl next.jsonl >part$i.json; done
! bipe-eval: next.jsonl: record at line 1: the record has no {thing}, found "text", "more", expected the members that the task names
! bipe-eval: next.jsonl: record at line 2: the record has no {thing}, found "text", "more", expected the members that the task names
? 1
$ bipe-eval --merge --json part1.json part2.json part0.json | cmp - whole.json
$ for o in '--limit 4' '--predictions p' '--task x' '--submission s'; do bipe-eval --merge $o part0.json part2.json; done
! bipe-eval: options '--merge' and '--limit' cannot be combined: results are read, and no model is asked
! bipe-eval: options '--merge' and '--predictions' cannot be combined: results are read, and no model is asked
! bipe-eval: options '--merge' and '--task' cannot be combined: results are read, and no model is asked
! bipe-eval: options '--merge' and '--submission' cannot be combined: results are read, and no model is asked
? 2
$ bipe-plot part0.json
! bipe-plot: part0.json: one shard of a run, expected the whole: bipe-eval --merge joins shards
? 1
$ bipe-eval --merge part0.json part2.json
! bipe-eval: shard 1 of 3 is missing, expected results of all
? 1
$ bipe-eval --merge part0.json part1.jsn
! bipe-eval: part1.jsn: could not be opened: No such file or directory
! bipe-eval: shards 1-2 of 3 are missing, expected results of all
? 1
$ cp next.jsonl before; echo '{}' >>next.jsonl; bipe-eval -q --task kinds.json --json --shard 1/3 prose-bipe-alibi kinds.jsonl next.jsonl 2>/dev/null >other.json; mv before next.jsonl; bipe-eval --merge part0.json other.json
! bipe-eval: other.json: next.jsonl was not the same file as for the shards before
? 1
%when test "${BIPE_GZIP-yes}" = yes
$ head -c 40 kinds.jsonl | gzip | head -c 30 >cut.gz; for i in 0 1; do bipe-eval -q --task kinds.json --json --shard $i/2 prose-bipe-alibi kinds.jsonl cut.gz 2>/dev/null >cut$i.json; done; bipe-eval --merge cut0.json cut1.json
! bipe-eval: cut0.json: shard 0 of 2 is not complete: it was interrupted, or something could not be read or scored
! bipe-eval: cut1.json: shard 1 of 2 is not complete: it was interrupted, or something could not be read or scored
? 1
$ bipe-eval --merge part0.json part0.json part2.json
! bipe-eval: part0.json: holds shard 0 of 3, which a file before it holds too
? 1
$ bipe-eval --merge whole.json
! bipe-eval: whole.json: not a result of --shard
? 1
$ bipe-eval -q --task kinds.json --json --limit 2 --resume journal prose-bipe-alibi kinds.jsonl >half.json
$ wc -l <journal
16
$ bipe-eval --task kinds.json --json --resume journal prose-bipe-alibi kinds.jsonl next.jsonl | cmp - whole.json
! bipe-eval: next.jsonl: record at line 1: the record has no {thing}, found "text", "more", expected the members that the task names
! bipe-eval: next.jsonl: record at line 2: the record has no {thing}, found "text", "more", expected the members that the task names
$ head -c -30 journal >torn; bipe-eval --task kinds.json --json --resume torn prose-bipe-alibi kinds.jsonl next.jsonl | cmp - whole.json
! bipe-eval: next.jsonl: record at line 1: the record has no {thing}, found "text", "more", expected the members that the task names
! bipe-eval: next.jsonl: record at line 2: the record has no {thing}, found "text", "more", expected the members that the task names
$ mkfifo pipe; (bipe-eval --task kinds.json --resume stopped --predictions p.jsonl prose-bipe-alibi - <pipe & exec 3>pipe; seq 300 | sed 's/.*/{"thing":"rose &","kinds":["flower","river"],"right":0}/' >&3; until grep -qs ^done stopped; do sleep 0.1; done; kill -TERM $!; wait $!; echo $?)
143
! bipe-eval: p.jsonl: not written, the run was interrupted
! bipe-eval: interrupted after 256 records; run the same command again to resume from stopped
$ { cat journal; echo 'done 0 aa76e80b9f64da25 8 0 =x cee2dba00f54b17d'; } >crafted # a text where there are choices
$ bipe-eval --task kinds.json --json --resume crafted prose-bipe-alibi kinds.jsonl next.jsonl | cmp - whole.json
! bipe-eval: next.jsonl: record at line 1: the record has no {thing}, found "text", "more", expected the members that the task names
! bipe-eval: next.jsonl: record at line 2: the record has no {thing}, found "text", "more", expected the members that the task names
$ bipe-eval --task kinds.json --resume journal -L 64 prose-bipe-alibi kinds.jsonl
! bipe-eval: journal: was written with length 0, this run has 64; name another file, or delete it to start over
? 1
$ bipe-eval --task next.json --csv prose-bipe-alibi next.jsonl >next.csv; for i in 1 2; do bipe-eval --task next.json --csv --resume next.journal prose-bipe-alibi next.jsonl | cmp - next.csv; done
$ bipe-eval --task kinds.json --resume next.jsonl prose-bipe-alibi kinds.jsonl
! bipe-eval: next.jsonl: not a journal of bipe-eval
? 1

# bipe-train --task learns what follows the prompt: of sums, what --loss-after = gives, and the text to stop at
$ "$BIPE_BUILDDIR/corpora/arithmetic" -n 64 -k 2 --jsonl -o sums.jsonl 2>/dev/null
$ bipe-train --task arithmetic -t byte -s equals -L 128 --layers 1 --hidden 32 --batch 512 --steps 4 -q --log task.log -o task.bin sums.jsonl
$ sed 's/","value"/=&/' sums.jsonl >ended.jsonl
$ bipe-train --jsonl --pack line --loss-after = -t byte -s equals -L 128 --layers 1 --hidden 32 --batch 512 --steps 4 -q --log line.log -o line.bin ended.jsonl
$ for f in task line; do sed '1d; s/,"seconds.*//' $f.log >$f.txt; done; wc -l <task.txt; cmp task.txt line.txt
4
$ bipe-eval --task arithmetic --csv --limit 5 task.bin sums.jsonl | cut -d, -f3-8
task,file,records,skipped,truncated,metric
arithmetic,sums.jsonl,5,0,0,em
$ bipe-train --task arithmetic -t byte -L 128 --steps 1 -q -o none.bin kinds.jsonl
! bipe-train: kinds.jsonl: record at line 1: the record has no {text}, found "thing", "kinds", "right", expected the members that the task names
! bipe-train: kinds.jsonl: record at line 2: the record has no {text}, found "thing", "kinds", "right", expected the members that the task names
! bipe-train: kinds.jsonl: record at line 3: the record has no {text}, found "thing", "kinds", "right", expected the members that the task names
! bipe-train: kinds.jsonl: record at line 5: the record has no {text}, found "thing", "kinds", "right", "id", expected the members that the task names
! bipe-train: 0 tokens in all texts, expected at least one row (-L 128)
? 1
$ for i in 1 2 3 4 5 6 7 8; do echo '{"id":1}'; done | bipe-train --task arithmetic -t byte -L 128 --steps 1 -q -o none.bin
! bipe-train: standard input: record at line 1: the record has no {text}, found "id", expected the members that the task names
! bipe-train: standard input: record at line 2: the record has no {text}, found "id", expected the members that the task names
! bipe-train: standard input: record at line 3: the record has no {text}, found "id", expected the members that the task names
! bipe-train: standard input: record at line 8: the record has no {text}, found "id", expected the members that the task names; 4 more like this are not shown
! bipe-train: 0 tokens in all texts, expected at least one row (-L 128)
? 1
$ bipe-eval --task kinds.json default "$BIPE_SRCDIR/models/prose-rope.bin" 2>&1 | sed 's|[^ ]*/models|models|g'
bipe-eval: models/prose-rope.bin' is a model, and files are expected after MODEL; to compare two models, use '--against models/prose-rope.bin'
$ bipe-eval --task kinds.json default prose-rope
! bipe-eval: 'prose-rope' is a model, and files are expected after MODEL; to compare two models, use '--against prose-rope'
? 2
$ bipe-train --task arithmetic --loss-after = -t byte -o none.bin sums.jsonl
! bipe-train: options '--task' and '--loss-after' cannot be combined: the task says what is learned of each record
? 2

# A model that has learned the answers gives them, and ends each: by the text to stop at where its tokenizer has no end token, by that token where
# it has one.
$ for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do printf '{"sum":"%s+%s","value":%s}\n' $a $b $((a + b)); done; done >sum.jsonl
$ cat >sum.json <<'END'
> {"name":"sum","kind":"generate","prompt":"{sum}=","separator":"","references":["{value}"],"stop":[";","\n"],"max_tokens":8,"metrics":["em"]}
> END
$ sed 's/"stop":\[[^]]*],//' sum.json >endless.json
$ bipe-train --task sum.json -t byte --scheme rope --layers 2 --hidden 32 -L 16 --lr 1e-2 --batch 512 --steps 300 -q --log sum.log -o sum.bin sum.jsonl
$ cp sum.jsonl sum.txt; bipe-train -t char --layers 1 --hidden 16 -L 16 --steps 0 -q -o char.bin sum.txt
$ bipe-train --task endless.json -t char.tokenizer.model --scheme rope --layers 2 --hidden 32 -L 16 --lr 1e-2 --batch 512 --steps 300 -q --log end.log -o end.bin sum.jsonl
$ tail -qn 1 sum.log end.log | "$PERL" -ne '/"loss":([^,]*)/; print $1 < 0.1 ? "learned\n" : "loss $1\n"'
learned
learned
$ bipe-eval --task sum.json --csv sum.bin sum.jsonl | cut -d, -f3-9
task,file,records,skipped,truncated,metric,value
sum,sum.jsonl,81,0,0,em,1
$ bipe-eval --task endless.json --csv end.bin sum.jsonl | cut -d, -f9
value
1
$ bipe-train --task endless.json -t byte -o none.bin sum.jsonl
! bipe-train: option '--task': nothing ends the answers of task sum: it has no text to stop at, and the tokenizer no end-of-text token; add "stop" to the task file, or give a tokenizer that has such a token
? 2
# The text to stop at counts as often as stop_at says, and is a word of its own.
$ sed -n '1,30s/.*"text":"\([^"]*\)".*/\1/p' sums.jsonl >sums.txt; head -n 30 sums.jsonl >some.jsonl
$ bipe-train --make-tokenizer word:40 -t words.json --layers 1 --hidden 16 -L 32 --pack line --steps 0 -q -o words.bin sums.txt
$ bipe-train --task arithmetic -t words.json --scheme rope --layers 2 --hidden 64 -L 32 --lr 5e-3 --steps 300 --batch 512 -q -o sums.bin some.jsonl
$ bipe-eval --task arithmetic --csv sums.bin some.jsonl | cut -d, -f4-9
file,records,skipped,truncated,metric,value
some.jsonl,30,0,0,em,1

# task files that make no sense
$ cat >bad.txt <<'END'
> {"name":"x","kind":"choices","prompt":"{a|nostep}","choices":["a"],"metrics":["acc"]}
> {"name":"x","kind":"choices","prompt":"{a","choices":["a"],"metrics":["acc"]}
> {"name":"x","kind":"choices","prompt":"{a}","choices":["a"],"metrics":["em"]}
> {"name":"x","kind":"choices","prompt":"{a}","choices":["a"],"metrics":["blah"]}
> {"name":"x","kind":"choices","prompt":"{a}","choices":["a"],"metrics":["acc"],"code":"import os"}
> {"name":"x","kind":"generate","prompt":"{a}","references":["a"],"metrics":["em"]}
> {"name":"x","kind":"generate","prompt":"{a}","references":["a"],"max_tokens":0,"metrics":["em"]}
> {"name":"x","kind":"generate","prompt":"{a}","references":["a"],"max_tokens":4,"answer":["match:("],"metrics":["em"]}
> {"name":"x","kind":"tell","prompt":"{a}"}
> {"name":"\u001b[31mx","kind":"generate","prompt":"{a}","references":["a"],"max_tokens":4,"metrics":["em"]}
> []
> END
$ while read -r task; do printf '%s' "$task" >bad.json; bipe-eval --task bad.json prose-bipe-alibi kinds.jsonl; done <bad.txt
! bipe-eval: bad.json: member prompt: {a}: there is no step 'nostep', expected strip, squeeze, lower, capitalize, before:X, after:X, upto:X, before_last:X, after_last:X, replace:X:Y, drop_brackets, match:PATTERN, letter:X, letters or join:X
! bipe-eval: bad.json: member prompt: found '{a', expected a placeholder that ends with } ({{ is a brace)
! bipe-eval: bad.json: member metrics: em is not of a task of kind choices
! bipe-eval: bad.json: member metrics: found 'blah', expected one of acc, acc_norm, mc1, mc2, em, f1, rouge1, rouge2, rougeL, contains, sub_em, string_match_all, string_match_part, labels, rgm
! bipe-eval: bad.json: member code: there is none of that name, expected those of bipe-task(5)
! bipe-eval: bad.json: member max_tokens: there is none, expected one in a task of kind generate
! bipe-eval: bad.json: member max_tokens: expected a whole number from 1 to 1048576
! bipe-eval: bad.json: member answer: the step match: pattern "(": offset 1 of the pattern: missing closing parenthesis
! bipe-eval: bad.json: member kind: found 'tell', expected one of choices, generate
! bipe-eval: bad.json: member name: expected a name without slashes, commas, quotes and control characters
! bipe-eval: bad.json: JSON that is not an object, expected {...}
? 1
$ bipe-eval --task kinds.json --predictions - prose-bipe-alibi kinds.jsonl
! bipe-eval: options '--output' and '--predictions' both write to standard output
? 2
$ bipe-eval --task kinds.json --score kinds.jsonl kinds.jsonl 2>&1 | head -n 1
bipe-eval: kinds.jsonl: record at line 1: member id: there is none, expected a text or a whole number
$ bipe-eval --task nosuch prose-bipe-alibi kinds.jsonl
! bipe-eval: option '--task': nosuch: there is no such task or file, expected one that bipe-eval --list names
? 2
$ bipe-eval prose-bipe-alibi kinds.jsonl
! bipe-eval: option '--task' is missing: expected the name of a task (--list) or a task file
? 2
$ bipe-eval --task kinds.json
! bipe-eval: an operand is missing: MODEL is a model file, a model folder or the name of an installed model such as default; FILE is JSON Lines as data sets are published, also compressed by zstd, gzip or xz; - or none is standard input
? 2
$ bipe-eval --task kinds.json -t byte arithmetic-rope kinds.jsonl
! bipe-eval: byte: a tokenizer of 256 tokens, expected 1 to 19, which the model has
? 2
$ bipe-eval --task kinds.json --submission s.json prose-bipe-alibi kinds.jsonl
! bipe-eval: option '--submission': a task of kind choices, expected one that generates text
? 2
%when test "${BIPE_GZIP-yes}" = yes
$ gzip -nc kinds.jsonl | head -c 60 >cut.jsonl.gz; bipe-eval --task kinds.json --score cut.jsonl.gz kinds.jsonl
! bipe-eval: cut.jsonl.gz: compressed byte 60: the file ends inside the gzip member that starts at byte 0
? 1
$ { cat kinds.json; head -c 1048576 /dev/zero | tr '\0' ' '; } >large.json; bipe-eval --task large.json prose-bipe-alibi kinds.jsonl
! bipe-eval: large.json: more than 1048576 bytes, expected a task file
? 1
$ bipe-eval --list | sed -n '/^arithmetic/s/ .*//p'
arithmetic
$ "$BIPE_BUILDDIR/corpora/arithmetic" -n 50 --seed 9 --jsonl -o lines.jsonl 2>/dev/null
$ for model in arithmetic-bipe-rope arithmetic-rope; do bipe-eval --task arithmetic --csv $model lines.jsonl | awk -F, 'NR > 1 { print ($9 > 0.9 ? "nearly all right" : $9) }'; done
nearly all right
nearly all right
$ printf 'The house\n"The" garden\n' | bipe-eval --task kinds.json prose-bipe-alibi
! bipe-eval: standard input: record at line 1: not an object, expected JSON Lines: {...} on each line
! bipe-eval: standard input: record at line 2: not an object, expected JSON Lines: {...} on each line
? 1
%when test -w /dev/full
$ for o in '' --json --csv; do bipe-eval --task kinds.json $o prose-bipe-alibi kinds.jsonl >/dev/full; done; bipe-eval --list >/dev/full
! bipe-eval: standard output: could not be written: No space left on device
! bipe-eval: standard output: could not be written: No space left on device
! bipe-eval: standard output: could not be written: No space left on device
! bipe-eval: standard output: could not be written: No space left on device
? 1

# What a model is given, before it is asked: choices, cut prompts, shots, control characters, generated text; the answer begins where --predictions say.
$ bipe-eval --task kinds.json --show 2 prose-bipe-alibi kinds.jsonl
record 0 of kinds.jsonl
prompt, 8 tokens
| A rose is a kind of
tokens  1 <s>  362 "A"  748 " ro"  314 "se"  316 " is"  261 " a"  1287 " kind"  277 " of"
choice 0, right, 2 tokens from token 8 on
|  flower
tokens  959 " fl"  566 "ower"
choice 1, 2 tokens from token 8 on
|  river
tokens  668 " ri"  333 "ver"

record 1 of kinds.jsonl
prompt, 7 tokens
| A boat is a kind of
tokens  1 <s>  362 "A"  3451 " boat"  316 " is"  261 " a"  1287 " kind"  277 " of"
choice 0, 2 tokens from token 7 on
|  king
tokens  549 " k"  290 "ing"
choice 1, right, 1 token from token 7 on
|  ship
tokens  2159 " ship"
$ bipe-eval --task kinds.json --show 1 -L 6 --shots 1 --shots-from kinds.jsonl --truncate middle prose-bipe-alibi kinds.jsonl
record 0 of kinds.jsonl
prompt, 4 tokens without 15 that are cut in the middle
| A kind of
tokens  1 <s>  362 "A"  1287 " kind"  277 " of"
choice 0, right, 2 tokens from token 4 on
|  flower
tokens  959 " fl"  566 "ower"
choice 1, 2 tokens from token 4 on
|  river
tokens  668 " ri"  333 "ver"
$ printf '%s\n' '{"thing":"\u001b[31mred\nrose","kinds":["a\tb\n","c"],"right":0}' '{"thing":"day","kinds":["time"],"right":0}' >odd.jsonl; bipe-eval --task kinds.json --show 2 prose-bipe-alibi odd.jsonl
record 0 of odd.jsonl
prompt, 16 tokens
| A ?[31mred
| rose is a kind of
tokens  1 <s>  362 "A"  3987 " "  30 "\x1b"  4036 "["  4048 "3"  4021 "1"  4001 "m"  447 "red"  13 "\n"  312 "ro"  314 "se"  316 " is"  261 " a"  1287 " kind"  277 " of"
choice 0, right, 4 tokens from token 16 on
|  a?b
| 
tokens  261 " a"  12 "\t"  4008 "b"  13 "\n"
choice 1, 1 token from token 16 on
|  c
tokens  274 " c"

record 1 of odd.jsonl
prompt, 7 tokens
| A day is a kind of
tokens  1 <s>  362 "A"  1238 " day"  316 " is"  261 " a"  1287 " kind"  277 " of"
choice 0, right, 1 token from token 7 on
|  time
tokens  704 " time"
$ bipe-eval --task next.json --show 1 --against prose-rope prose-bipe-alibi next.jsonl >two; head -n 11 two; sed -n 2,9p two >first; sed 1,11d two | cmp - first
record 0 of next.jsonl, as prose-bipe-alibi sees it
prompt, 5 tokens
| She went to the
tokens  1 <s>  1258 "She"  2062 " went"  289 " to"  263 " the"
answer, at most 6 tokens from token 5 on, up to ","
reference 0
| door
reference 1
| house

record 0 of next.jsonl, as prose-rope sees it
$ bipe-eval --task kinds.json --show 100 prose-bipe-alibi kinds.jsonl | sed -n 's/^prompt, \([0-9]*\) tokens$/\1/p' >shown; sed 's/.*"prompt_tokens":\([0-9]*\).*/\1/' answers.jsonl | cmp - shown
$ perl -e 'print "{\"q\":\"", "one two " x 200, "\",\"a\":[\" x\"]}\n"' >many.jsonl; bipe-eval --task ends.json --show 1 prose-rope many.jsonl | grep tokens
prompt, 401 tokens
tokens  1 <s>  512 "one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  ... 377 more ...  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"  512 " one"  899 " two"
choice 0, right, 2 tokens from token 401 on
tokens  411 "  "  4016 "x"
$ for o in --json '--power 0.1 --against prose-rope'; do bipe-eval --task kinds.json --show 1 $o prose-bipe-alibi kinds.jsonl; done
! bipe-eval: options '--show' and '--json' cannot be combined: nothing is asked
! bipe-eval: options '--show' and '--power' cannot be combined: nothing is asked
? 2
$ bipe-eval --task kinds.json --show 1 prose-bipe-alibi kinds.jsonl >/dev/full
! bipe-eval: standard output: could not be written: No space left on device
? 1

# The same request twice, in one group of questions or in another file, is computed once; records that differ in what is right alone are judged apart.
$ { cat kinds.jsonl kinds.jsonl; sed 's/"right":0/"right":1/' kinds.jsonl; } >repeated.jsonl; bipe-eval --task kinds.json --csv --predictions repeated.out prose-bipe-alibi repeated.jsonl kinds.jsonl | cut -d, -f4,5,8,9
file,records,metric,value
repeated.jsonl,12,acc,0.333333333
repeated.jsonl,12,acc_norm,0.333333333
repeated.jsonl,12,mc1,0.333333333
repeated.jsonl,12,mc2,0.2851891
kinds.jsonl,4,acc,0.25
kinds.jsonl,4,acc_norm,0.25
kinds.jsonl,4,mc1,0.25
kinds.jsonl,4,mc2,0.208564744
total,16,acc,0.3125
total,16,acc_norm,0.3125
total,16,mc1,0.3125
total,16,mc2,0.266033011
! bipe-eval: 12 requests were the same as before, and computed once
$ head -n 4 repeated.out | cut -d, -f2- >first; sed -n 5,8p repeated.out | cut -d, -f2- | cmp - first
$ bipe-eval -q --task kinds.json --json --resume again.journal --limit 6 prose-bipe-alibi repeated.jsonl >half.json; bipe-eval --task kinds.json --csv --resume again.journal prose-bipe-alibi repeated.jsonl >resumed.csv; bipe-eval -q --task kinds.json --csv prose-bipe-alibi repeated.jsonl | cmp - resumed.csv; grep -c ^done again.journal
12
! bipe-eval: 2 requests were the same as before, and computed once
$ bipe-eval -q --task next.json --csv --predictions twice.out prose-bipe-alibi next.jsonl next.jsonl >twice.csv; n=$(wc -l <next.jsonl); head -n $n twice.out >first; tail -n $n twice.out | cmp - first
$ bipe-eval --task kinds.json --show 8 prose-bipe-alibi repeated.jsonl | grep -c ^prompt
8
# labels: those that the question does not name; what a task with them needs
$ cat >place.json <<'END'
> {"name":"place","kind":"generate","prompt":"{q}","references":["{place}"],"labels":["garden","office","e,n"],"question":"{q|lower}","max_tokens":4,"metrics":["labels","contains","sub_em","string_match_all"]}
> END
$ for i in 'Where is he?:garden' 'Which is west of the office?:garden' 'Where are both?:garden,office' 'How?:e,n' 'Where is he?:'; do printf '{"q":"%s","place":"%s"}\n' "${i%%:*}" "${i##*:}"; done >place.jsonl
$ printf '{"id":0,"prediction":"in the garden"}\n{"id":1,"prediction":"The garden, not the office"}\n{"id":2,"prediction":"garden and office"}\n{"id":3,"prediction":"by E,N"}\n{"id":4,"prediction":"office"}\n' | bipe-eval -q --task place.json --score - --predictions judged.jsonl place.jsonl; cut -d : -f 2,6- judged.jsonl
place                    records skipped truncated  metric              value  stderr  95 % interval
place.jsonl                    5       0         0  labels             0.6000  0.2449  [0.2307, 0.8824]
place.jsonl                    5       0         0  contains           0.6000  0.2449  [0.2307, 0.8824]
place.jsonl                    5       0         0  sub_em             0.8000  0.2000  [0.3755, 0.9638]
place.jsonl                    5       0         0  string_match_all   0.8000  0.1764  -
"0","prompt_tokens":{"labels":1,"contains":1,"sub_em":1,"string_match_all":1}}
"1","prompt_tokens":{"labels":1,"contains":1,"sub_em":1,"string_match_all":1}}
"2","prompt_tokens":{"labels":1,"contains":0,"sub_em":0,"string_match_all":0}}
"3","prompt_tokens":{"labels":0,"contains":0,"sub_em":1,"string_match_all":1}}
"4","prompt_tokens":{"labels":0,"contains":1,"sub_em":1,"string_match_all":1}}
$ sed 's/,"labels":[^]]*]//' place.json >none.json; bipe-eval --task none.json --score answers.jsonl place.jsonl
! bipe-eval: none.json: member labels: there is none, expected some for labels
? 1
$ sed 's/{/{"question":"x",/' kinds.json >asked.json; bipe-eval --task asked.json --score answers.jsonl kinds.jsonl
! bipe-eval: asked.json: member question: not of a task of kind choices
? 1
$ printf '{"input":"Mary went to the office.","question":"Where is Mary?","target":"office"}\n' >babi.jsonl; bipe-eval --task babilong_qa1 --show 1 prose-bipe-alibi babi.jsonl | tail -n 4
tokens  1 <s>  338 "I"  478 " will"  1388 " give"  440 " you"  3208 " context"  349 " with"  263 " the"  ... 271 more ...  2757 "cont"  1739 "ext"  4083 ">"  13 "\n"  13 "\n"  4074 "Q"  4000 "u"  416 "est"  292 "ion"  4034 ":"  434 " W"  1300 "here"  316 " is"  366 " M"  545 "ary"  4049 "?"
answer, at most 20 tokens from token 295 on
reference 0
| office
