# bipe-plot: what is detected, what is drawn, what is refused.
$ printf '%s' '{"tool":"bipe-score","version":"1","results":[{"model":"a","segmenter":"stop","file":"x","length":512,"tokens":10,"bytes":40,"nll":4,"interval":[3.9,4.1]},{"model":"a","segmenter":"stop","file":"x","length":1024,"tokens":10,"bytes":40,"nll":4.1,"interval":[4,4.2]}]}' >a.json
$ printf '%s' '{"tool":"bipe-score","version":"1","results":[{"model":"b, \"B\"","segmenter":"stop","file":"x","length":512,"tokens":10,"bytes":40,"nll":4.5,"interval":[null,null]},{"model":"b","segmenter":"stop","file":"x","length":1024,"tokens":10,"bytes":40,"nll":null,"interval":[null,null]}]}' >b.json
$ bipe-plot --width 50 --data points.csv a.json b.json
perplexity
100 ┤
    │
 90 ┤       ■
    │
    │
 80 ┤
    │
    │
 70 ┤                                  ⢀
    │                                  ⢸
 60 ┤       ⡄                    ⣀⣀⣀⣀⡠⠤●
    │       ⡇ ⢀⣀⣀⣀⣀⠤⠤⠤⠤⠔⠒⠒⠒⠒⠊⠉⠉⠉⠉      ⢸
    │       ●⠉⠁                        ⠈
 50 ┤       ⠃
    │
 40 ┤
    └───────┬──────────────────────────┬───────
           512                        1k
               window length (tokens)
  ● a       ■ b, "B"  ▲ b
  Intervals: 95 %
! bipe-plot: perplexity by window length: 'b' has 1 of 1 points without a value that the axes can show; they are gaps
$ cat points.csv
figure,series,x,y,low,high
perplexity by window length,a,512,54.59815,49.4024491,60.3402876
perplexity by window length,a,1024,60.3402876,54.59815,66.686331
perplexity by window length,"b, ""B""",512,90.0171313,,
perplexity by window length,b,1024,,,
$ bipe-plot --ascii --width 40 --unit bits a.json
bits per byte
1.55 +
     |
     |
     |
     |                         |
1.50 +                         |
     |                         |
     |     |                 ..o
     |     |            .....  |
     |     |       .....       |
1.45 +     |  .....            |
     |     o..                 |
     |     |
     |     |
     |     |
1.40 +
     +-----+-------------------+-----
          512                 1k
           window length (tokens)
  o a
  Intervals: 95 %
$ LC_ALL=C bipe-plot --log-y --title 'A title' --width 24 a.json
A title
perplexity
   |
70 +
   |
65 +             |
   |             |
   |             |
60 +   |        .o
   |   |    .... |
   |   | ...     |
55 +   o.        |
   |   |
   |   |
50 +   |
   |
   |
   |
   +---+---------+---
      512       1k
  window length (tokens)
  o a
  Intervals: 95 %
# One point, and a hundred lines.
$ printf '%s' '{"tool":"bipe-score","version":"1","results":[{"model":"a","segmenter":"stop","file":"x","length":512,"tokens":10,"bytes":40,"nll":4,"interval":[3.9,4.1]}]}' | bipe-plot --width 40 -
perplexity
65 ┤
   │
   │
   │                ⢀
60 ┤                ⢸
   │                ⢸
   │                ⢸
   │                ⢸
55 ┤                ●
   │                ⢸
   │                ⢸
50 ┤                ⢸
   │                ⠘
   │
   │
45 ┤
   └┬───────────────┬───────────────┬
   256             512             1k
         window length (tokens)
  ● a
  Intervals: 95 %
$ "$PERL" -e 'print "{\"tool\":\"bipe-score\",\"results\":[", join(",", map { my $i = $_; map { my $n = 2 + $i / 50; "{\"model\":\"model-$i\",\"length\":$_,\"nll\":$n}" } 512, 1024 } 1 .. 100), "]}"' | bipe-plot --width 70 | sed -n "1,22p; \$p"
perplexity
60 ┤
   │           K⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤K
50 ┤           G⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿G
   │           C⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿C
   │           y⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿y
40 ┤           t⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿t
   │           o⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿o
   │           i⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿i
30 ┤           b⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿b
   │           3⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿3
20 ┤           U⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿U
   │           I⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿I
   │           t⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿t
10 ┤           a⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿a
   │
 0 ┤
   └───────────┬───────────────────────────────────────┬───────────
              512                                     1k
                        window length (tokens)
  a model-1    b model-2    c model-3    d model-4    e model-5
  f model-6    g model-7    h model-8    i model-9    j model-10
  H model-96   I model-97   J model-98   K model-99   L model-100
! bipe-plot: perplexity by window length: 100 lines, of which only 62 can look different; draw fewer at a time
# A log, with a gap and a torn end.
$ printf '{"step":1,"loss":4}\n{"step":2,"loss":null}\n{"step":3,"loss":2}\n{"step":3,"validation":{"file":"v.txt","length":64,"nll":2.5}}\n{"step":3,"sample":"a|b"}\n{"step":4,"lo' >log
$ bipe-plot --ascii --width 40 log
loss (nats per token)
4.0 +o
    |
    |
    |
3.5 +
    |
    |
    |
3.0 +
    |
    |
2.5 +                               x
    |
    |
    |
2.0 +                               o
    ++---------------+--------------+
     1               2              3
               training step
  o training
  x validation, v.txt at 64
! bipe-plot: loss by step: 'training' has 1 of 3 points without a value that the axes can show; they are gaps
# Lines about the run draw nothing.
$ { printf '{"run":{"program":"bipe-train","options":{"lr":0.001}}}\n'; sed '2s/$/\n{"run":{}}/' log; } >run; for log in log run; do bipe-plot -q --ascii --width 40 $log | sed "s/$log/L/" >$log.out; done; cmp log.out run.out
# A table of tokens.
$ printf 'file\tlength\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll\nx\t4\t0\t1\t1\t2\t7\t0\t1\t2\nx\t4\t0\t2\t2\t3\t7\t0\t2\t4\nx\t4\t0\t3\t3\t4\t7\t1\t0\t1\n' >tokens.tsv
$ bipe-plot --ascii --width 40 tokens.tsv | tail -n 20
4 +                                 o
  |                               ..
  |                             ..
  |                            .
  |                          ..
3 +                         .
  |                       ..
  |                     ..
  |                    .
  |                  ..
2 +                .o
  |            ....
  |         ...
  |      ...
  |  ....
1 +o.
  ++----------------+---------------+
   0                1               2
          token in its segment
  o tokens
! bipe-plot: this is a picture of kind 'loss-by'; '--kind' draws the others: text
# Scores of checkpoints by step, a line for each run and metric; models without a step have no place. Of logs, a single point is no line, and names
# are what differs.
$ printf '%s' '{"tool":"bipe-eval","results":[{"model":"d/r.step-020.checkpoint","metric":"em","value":0.5,"interval":[0.4,0.6]},{"model":"d/r.step-100.checkpoint","metric":"em","value":0.75,"interval":[0.7,0.8]},{"model":"d/r.bin","metric":"em","value":1,"interval":[1,1]},{"model":"d/r.step-100.checkpoint","metric":"f1","value":0.8,"interval":[0.7,null]}]}' >eval.json
$ bipe-plot --data points.csv --width 40 --ascii eval.json; cat points.csv
score (%)
80 +                                x
   |                             ...o
   |                       ......   |
   |                .......
60 +|         ......
   ||   ......
   |o...
   ||
40 +|
   |
   |
20 +
   |
   |
   |
 0 +
   ++-------+-------+-------+-------+
   20      40      60      80      100
                   step
  o em  x f1
  Intervals: 95 %
figure,series,x,y,low,high
scores by training step,em,20,50,40,60
scores by training step,em,100,75,70,80
scores by training step,f1,100,80,70,
! bipe-plot: this is a picture of kind 'scores'; '--kind' draws the others: tasks
$ printf '%s' '{"tool":"bipe-eval","results":[{"model":"r.step-1.checkpoint","file":"a","metric":"em","value":0.2},{"model":"r.step-1.checkpoint","file":"b","metric":"em","value":0.4},{"model":"r.step-1.checkpoint","file":null,"metric":"em","value":0.3}]}' >two.json
$ for p in total file; do bipe-plot --per $p --data points.csv two.json >/dev/null; cat points.csv; done
figure,series,x,y,low,high
scores by training step,r,1,30,,
figure,series,x,y,low,high
scores by training step,a,1,20,,
scores by training step,b,1,40,,
! bipe-plot: this is a picture of kind 'scores'; '--kind' draws the others: tasks
! bipe-plot: this is a picture of kind 'scores'; '--kind' draws the others: tasks
# One result for each checkpoint.
$ for i in 1 2; do printf '{"tool":"bipe-eval","model":{"path":"r.step-%s.checkpoint"},"results":[{"file":"a","metric":"em","value":0.%s}]}' $i $i >c$i.json; done; bipe-plot --data points.csv c1.json c2.json >/dev/null; cat points.csv
figure,series,x,y,low,high
scores by training step,r,1,10,,
scores by training step,r,2,20,,
! bipe-plot: this is a picture of kind 'scores'; '--kind' draws the others: tasks
$ printf '{"tool":"bipe-eval","results":[{"model":"r.bin","metric":"em","value":1}]}' | bipe-plot
em    │
r.bin │█████████████████████████████████████████████████████████████▌   100.0
      └┬───────────┬───────────┬────────────┬───────────┬───────────┬
       0          20          40           60          80          100
                                 score (%)
$ for i in a b; do for s in 1 2; do printf '{"step":%s,"validation":{"file":"v","length":64,"nll":%s}}\n' $s $((4 - s)); done >$i.train.jsonl; printf '{"step":2,"loss":1.5}\n' >>$i.train.jsonl; done
$ bipe-plot --data points.csv --width 40 --ascii a.train.jsonl b.train.jsonl >/dev/null; cat points.csv
figure,series,x,y,low,high
loss by step,a,1,3,,
loss by step,a,2,2,,
loss by step,b,1,3,,
loss by step,b,2,2,,

# Files of one name in two folders.
$ mkdir 1 2; cp a.train.jsonl 1/train.jsonl; sed s/3/4/ b.train.jsonl >2/train.jsonl; bipe-plot --data points.csv 1/train.jsonl 2/train.jsonl >/dev/null; cat points.csv; cp a.json 1; sed s/3.9/3.8/ a.json >2/a.json; bipe-plot --data points.csv 1/a.json 2/a.json >/dev/null; cut -d , -f 2-5 points.csv
figure,series,x,y,low,high
loss by step,1/train,1,3,,
loss by step,1/train,2,2,,
loss by step,2/train,1,4,,
loss by step,2/train,2,2,,
series,x,y,low
1/a,512,54.59815,49.4024491
1/a,1024,60.3402876,54.59815
2/a,512,54.59815,44.7011845
2/a,1024,60.3402876,54.59815

# Models of one name have as many folders as tell them apart.
$ "$PERL" -e 'print "{\"tool\":\"bipe-score\",\"results\":[", join(",", map { "{\"model\":\"$_\",\"length\":512,\"nll\":3}" } qw(runs/a/x/m.bin runs/b/x/m.bin runs/a/y/m.bin /m.bin other.bin)), "]}"' >same.json; bipe-plot --data - -o x.txt same.json | cut -d , -f 2
series
a/x/m.bin
b/x/m.bin
y/m.bin
/m.bin
other.bin
$ bipe-plot --label A --label 'B, C' --data - -o x.txt same.json | cut -d , -f 2-
series,x,y,low,high
A,512,20.0855369,,
"B, C",512,20.0855369,,
y/m.bin,512,20.0855369,,
/m.bin,512,20.0855369,,
other.bin,512,20.0855369,,
$ for l in other.bin a/x/m.bin; do bipe-plot --label $l same.json | head -n 2; done; bipe-plot --label 1 --label 2 --label 3 --label 4 a.json b.json; bipe-plot --label A --label B --text a.json tokens.tsv; bipe-plot --label A --report r a.json
perplexity
21.5 ┤
! bipe-plot: option '--label': 'other.bin' would be the name of two
! bipe-plot: option '--label': 4 names, expected at most 3, instead of: a; b, "B"; b
! bipe-plot: option '--label': 2 names, expected at most as many as there are models, 1
! bipe-plot: options '--report' and '--label' cannot be combined: '--report' draws all there is into a folder
? 2
# No two of 224 lines look the same: their samples in the legend differ in colour, dashes or mark.
$ "$PERL" -e 'print "{\"tool\":\"bipe-score\",\"results\":[", join(",", map { my $i = $_; my $n = 3 + $i / 1000; map { "{\"model\":\"model-$i\",\"length\":$_,\"nll\":$n}" } 512, 1024 } 1 .. 224), "]}"' | bipe-plot --width 300 -o looks.svg
$ "$PERL" -ne 'push @e, $_; if (/<text[^>]*>model-/) { ($line, $mark) = @e[-3, -2]; $line =~ s/ d="[^"]*"//; ($x, $y) = $mark =~ /(?:M|cx=")([\d.]+)(?: |" cy=")([\d.]+)/; $mark =~ s{([\d.]+) ([\d.]+)(?=[LZ"])}{sprintf "%.1f %.1f", $1 - $x, $2 - $y}ge; $mark =~ s/c[xy]="[^"]*"//g; $n++; $seen{"$line$mark"} = 1 } END { print "$n ", scalar(keys %seen), "\n" }' looks.svg
224 224
# Bars for results of models that are no checkpoints: task by task, with the level of chance where the result states it.
$ printf '%s' '{"tool":"bipe-eval","results":[{"model":"a/m.bin","task":"piqa","file":"f","metric":"acc","value":0.5,"interval":[0.4,0.6],"method":"Wilson","chance":0.5},{"model":"b/m.bin","task":"piqa","file":"f","metric":"acc","value":0.75,"interval":[0.7,0.8],"method":"Wilson","chance":0.5},{"model":"a/m.bin","task":"sums","file":"f","metric":"em","value":0.125,"interval":[0.1,0.2],"method":"bootstrap"},{"model":"b/m.bin","task":"sums","file":"f","metric":"em","value":null}],"comparisons":[{"task":"piqa","file":"f","metric":"acc","a":"a/m.bin","b":"b/m.bin","difference":0.25,"interval":[-0.05,0.5],"method":"bootstrap","p":0.5,"test":"McNemar"}]}' >bars.json
$ bipe-plot --width 60 --data points.csv bars.json; cat points.csv
piqa, acc
a/m.bin │███████████████████├────●────┤              50.0
b/m.bin │████████████████████████┊█████████├──●─┤    75.0
sums, em│
a/m.bin │████├─●──┤                                  12.5
b/m.bin │                                               -
        └┬─────────┬─────────┬────────┬─────────┬
         0        20        40       60        80
                        score (%)
  Intervals: 95 %, Wilson, or bootstrap. Dotted: chance
figure,series,x,y,low,high
scores by task,a/m.bin,"piqa, acc",50,40,60
scores by task,a/m.bin,"sums, em",12.5,10,20
scores by task,b/m.bin,"piqa, acc",75,70,80
scores by task,b/m.bin,"sums, em",,,
! bipe-plot: this is a picture of kind 'tasks'; '--kind' draws the others: difference
! bipe-plot: scores by task: 'b/m.bin' has 1 of 2 points without a value that the axes can show; they are gaps
$ bipe-plot --width 40 --ascii --label First bars.json
piqa, acc
  First |=========[--o-]         50.0
b/m.bin |============:===[-o]    75.0
sums, em|
  First |==[o]                   12.5
b/m.bin |                           -
        ++----+----+---+----+
         0   20   40  60   80
               score (%)
  Intervals: 95 %, Wilson, or
  bootstrap. Dotted: chance
! bipe-plot: this is a picture of kind 'tasks'; '--kind' draws the others: difference
! bipe-plot: scores by task: 'b/m.bin' has 1 of 2 points without a value that the axes can show; they are gaps
$ bipe-plot --kind difference --width 60 bars.json
piqa, acc
b/m.bin │   ├───────────────────●───────────────┤    25.0
        └┬─────┬──────┬──────┬─────┬──────┬─────┬
        -10    0     10     20    30     40    50
          difference to the first model (points)
  Compared with a/m.bin. Intervals: 95 %, bootstrap
$ printf '%s' '{"tool":"bipe-eval","model":{"path":"m"},"task":{"name":"t"},"results":[{"task":"t","file":"f","metric":"em","value":0.5}]}' >5.json; sed s/0.5/0.25/ 5.json >0.json; bipe-plot -q --width 40 0.json 5.json
t, em
0 │██████████▌                   25.0
5 │█████████████████████         50.0
  └┬───────┬────────┬───────┬
   0      20       40      60
           score (%)
# Curves of logs: one for each of several, all of a single one, or those that are asked for. Of several, a log has one colour, a kind of curve the same dashes.
$ for i in 1 2 3; do "$PERL" -e 'for my $s (1 .. 4) { my $i = $ARGV[0] / 4; printf "{\"step\":%d,\"loss\":%g}\n", $s, 4 + $i - $s; printf "{\"step\":%d,\"validation\":{\"file\":\"v\",\"length\":%d,\"nll\":%g}}\n", $s, $_, 5 + $i + $_ / 512 - $s for 64, 128 }' $i >c$i.train.jsonl; done
$ for c in one training validation all; do bipe-plot --curve $c --data - -o x.txt c1.train.jsonl c2.train.jsonl | cut -d , -f 2- | grep ',1,'; tail -n 1 x.txt; done
c1,1,4.375,,
c2,1,4.625,,
  Loss: validation, v at 64
c1,1,3.25,,
c2,1,3.5,,
  Loss: training
"c1, validation, v at 64",1,4.375,,
"c1, validation, v at 128",1,4.5,,
"c2, validation, v at 64",1,4.625,,
"c2, validation, v at 128",1,4.75,,
  ▲ c2, validation, v at 64   ◆ c2, validation, v at 128
"c1, training",1,3.25,,
"c1, validation, v at 64",1,4.375,,
"c1, validation, v at 128",1,4.5,,
"c2, training",1,3.5,,
"c2, validation, v at 64",1,4.625,,
"c2, validation, v at 128",1,4.75,,
  ○ c2, validation, v at 64   □ c2, validation, v at 128
$ bipe-plot --curve all -o c.svg c1.train.jsonl c2.train.jsonl c3.train.jsonl; "$PERL" -ne 'push @e, $_; print join("; ", "$1", $e[-3] =~ /(stroke(?:-dasharray)?="[^"]*")/g), "\n" if /<text[^>]*>(c\d,.*)</' c.svg
c1, training; stroke="#000000"
c1, validation, v at 64; stroke="#000000"; stroke-dasharray="4.0 1.6"
c1, validation, v at 128; stroke="#000000"; stroke-dasharray="1.2 1.4"
c2, training; stroke="#d55e00"
c2, validation, v at 64; stroke="#d55e00"; stroke-dasharray="4.0 1.6"
c2, validation, v at 128; stroke="#d55e00"; stroke-dasharray="1.2 1.4"
c3, training; stroke="#56b4e9"
c3, validation, v at 64; stroke="#56b4e9"; stroke-dasharray="4.0 1.6"
c3, validation, v at 128; stroke="#56b4e9"; stroke-dasharray="1.2 1.4"
$ bipe-plot --width 40 c1.train.jsonl | tail -n 3; bipe-plot --label Mine --width 40 c1.train.jsonl | tail -n 3
  ● training
  ■ validation, v at 64
  ▲ validation, v at 128
  ● Mine, training
  ■ Mine, validation, v at 64
  ▲ Mine, validation, v at 128
# Lines that lie exactly under others are named, and so is an option that changes nothing.
$ printf '{"tool":"bipe-score","results":[%s]}' "$("$PERL" -e 'print join ",", map { my $m = $_; map { sprintf "{\"model\":\"m$m\",\"length\":%d,\"nll\":%s}", $_, $m == 9 && $_ == 512 ? "null" : $m % 3 + $_ / 1024 } 512, 1024 } 1 .. 16')" >hidden.json; bipe-plot -q hidden.json | tail -n 3; bipe-plot -q --width 84 -o hidden.svg hidden.json; grep -c 'Lines that coincide' hidden.svg
  l m12  m m13  n m14  o m15  p m16
  Lines that coincide: m1; m4; m7; m10; 2 more. Lines that coincide: m2; m5;
  m8; m11; 1 more. Lines that coincide: m3; m6; m12; m15
2
$ bipe-plot --kind difference --log-x --log-y -o x.txt bars.json; bipe-plot --log-x --log-y -o x.txt a.json; printf '{"tool":"bipe-stats","results":[{"segmenter":"stop","length":512,"tokens_per_segment":{"histogram":[[1,2],[3,1]]}}]}' | bipe-plot --kind density --unit bits --log-x -o x.txt
! bipe-plot: option '--log-x' changes nothing: bars and maps have no such axis
! bipe-plot: option '--log-y' changes nothing: bars and maps have no such axis
! bipe-plot: option '--log-x' changes nothing: the axis is logarithmic already
! bipe-plot: option '--log-x' changes nothing: the axis is logarithmic already
! bipe-plot: option '--unit' changes nothing: a picture of kind 'density' has one unit
# The density of segments: bins up to 15 tokens have one number each, then four to an octave; those without segments are 0. The sum over all numbers is 100 %.
$ printf '{"tool":"bipe-stats","results":[{"segmenter":"stop","length":512,"tokens_per_segment":{"histogram":[[1,2],[3,1],[16,4],[19,4],[40,5]]}}]}' | bipe-plot --kind density --data - -o x.txt | "$PERL" -F, -ne 'if ($F[2] =~ /^[\d.]+$/) { $sum += $F[3] * ($F[2] < 16 ? 1 : $F[2] < 32 ? 4 : 8); print if $F[3] > 0 || $F[2] == 2 || $F[2] > 19 } END { printf "%.4f\n", $sum }'
density of tokens per segment,windows of 512,1,12.5,,
density of tokens per segment,windows of 512,2,0,,
density of tokens per segment,windows of 512,3,6.25,,
density of tokens per segment,windows of 512,17.5,12.5,,
density of tokens per segment,windows of 512,21.5,0,,
density of tokens per segment,windows of 512,25.5,0,,
density of tokens per segment,windows of 512,29.5,0,,
density of tokens per segment,windows of 512,35.5,0,,
density of tokens per segment,windows of 512,43.5,3.90625,,
100.0000
# A ladder: what more context gains, and the losses.
$ printf '{"tool":"bipe-score","model":{"path":"m"},"results":[],"ladder":[{"context":64,"nll":4,"nll_interval":[3.5,4.5],"gain":0,"interval":[null,null]},{"context":1024,"reached":1,"nll":3,"nll_interval":[2.5,3.5],"gain":1,"interval":[0.5,1.5]},{"context":4096,"reached":0,"nll":3,"nll_interval":[2.5,3.5],"gain":1,"interval":[0.5,1.5]}]}' >ladder.json
$ bipe-plot --kind ladder --data - -o x.txt ladder.json; bipe-plot --kind ladder-loss --data - -o x.txt ladder.json
figure,series,x,y,low,high
gain by context,m,64,0,,
gain by context,m,1024,1,0.5,1.5
figure,series,x,y,low,high
loss by context,m,64,4,3.5,4.5
loss by context,m,1024,3,2.5,3.5
$ bipe-plot -q ladder.json | tail -n 4
        64              128            256             512             1k
                                 context (tokens)
  ● m
  Intervals: 95 %
# What is damaged or does not belong together is named.
$ printf 'file\tdocument\tid\tlength\tcontext\tused\ttokens\tnll\na\t0\t\t9\t4\t4\t2\t3\n' | bipe-plot
! bipe-plot: standard input: has no column 'window', expected a table of bipe-score --tokens
? 1
$ echo '{"tool":"bipe-score","model":{"path":"m"},"results":[],"ladder":[]}' >none.json; bipe-plot none.json
! bipe-plot: none.json: a result of bipe-score, which holds nothing to draw
? 1
$ bipe-plot a.json log
! bipe-plot: log: a log of bipe-train, which holds nothing for a picture of kind 'lengths', only for: training
? 1
$ bipe-plot --kind probe a.json
! bipe-plot: a.json: a result of bipe-score, which holds nothing for a picture of kind 'probe', only for: lengths
? 1
$ printf '{"tool":"bipe-cat"}' | bipe-plot
! bipe-plot: standard input: tool: bipe-cat, expected JSON of bipe-stats, bipe-score or bipe-eval, a log of bipe-train, or a table of bipe-score --tokens
? 1
$ printf '{"tool":"bipe-score","results":[{"length":"x"}]}' | bipe-plot
! bipe-plot: standard input: results[0].length: expected a number or null
? 1
$ printf '{"tool":"bipe-score","results":[{"length":512,"nll":[]}]}' | bipe-plot
! bipe-plot: standard input: results[0].nll: expected a number or null
? 1
$ printf '{"tool":"bipe-score"' | bipe-plot
! bipe-plot: standard input: line 1: '}' expected near end of file, expected JSON of bipe-stats, bipe-score or bipe-eval, a log of bipe-train, or a table of bipe-score --tokens
? 1
$ : | bipe-plot
! bipe-plot: standard input: empty, expected JSON of bipe-stats, bipe-score or bipe-eval, a log of bipe-train, or a table of bipe-score --tokens
? 1
$ printf 'some text\n' | bipe-plot
! bipe-plot: standard input: line 1: begins with 'some text', expected JSON of bipe-stats, bipe-score or bipe-eval, a log of bipe-train, or a table of bipe-score --tokens
? 1
$ sed '3s/\t1\t2\t4$/\t1\t99999999\t4/' tokens.tsv | bipe-plot
loss by token index, windows of 4
loss (nats per token)
4 ┤                                  ⣀⠤⠒●⢄⡀
  │                              ⢀⡠⠔⠊     ⠈⠢⡀
  │                           ⣀⠤⠒⠁          ⠈⠒⢄
  │                       ⢀⡠⠔⠉                 ⠑⢄
  │                    ⣀⠤⠊⠁                      ⠉⠢⡀
3 ┤                ⢀⡠⠔⠉                            ⠈⠢⢄
  │             ⣀⠤⠊⠁                                  ⠑⢄
  │         ⢀⡠⠔⠉                                        ⠉⠢⡀
  │      ⣀⠔⠊⠁                                             ⠈⠢⣀
  │  ⢀⡠⠒⠉                                                    ⠑⢄
2 ┤●⠊⠁                                                         ⠑⠢⡀
  │                                                              ⠈⠢⣀
  │                                                                 ⠑⢄
  │                                                                   ⠑⠤⡀
  │                                                                     ⠈⠢⡀
1 ┤                                                                       ⠈⠑●
  └┬────────────────────────────────────┬───────────────────────────────────┬
   1                                    2                                   3
                              token in the window
  ● standard input

loss by segment index, windows of 4
loss (nats per token)
3.0 ┤●⠒⠤⣀
    │    ⠉⠑⠢⢄⣀
    │         ⠉⠒⠤⣀⡀
    │             ⠈⠑⠢⢄⣀
2.5 ┤                  ⠉⠒⠤⣀⡀
    │                      ⠈⠑⠢⠤⣀
    │                           ⠉⠒⠤⢄⡀
    │                               ⠈⠑⠢⠤⣀
2.0 ┤                                    ⠉⠒⠢⢄⡀
    │                                        ⠈⠑⠒⠤⣀
    │                                             ⠉⠒⠢⢄⡀
1.5 ┤                                                 ⠈⠉⠒⠤⣀
    │                                                      ⠉⠑⠢⢄⡀
    │                                                          ⠈⠉⠒⠤⣀
    │                                                               ⠉⠑⠢⢄⣀
1.0 ┤                                                                    ⠉⠒⠤●
    └┬──────────────────────────────────────────────────────────────────────┬
     0                                                                      1
                               index of the segment
  ● standard input

loss by intra index, windows of 4
loss (nats per token)
4 ┤                                                                      ⢀⡠⠔●
  │                                                                   ⣀⠤⠒⠁
  │                                                                ⡠⠔⠊
  │                                                            ⢀⠤⠒⠉
  │                                                         ⡠⠔⠊⠁
3 ┤                                                     ⢀⠤⠒⠉
  │                                                  ⡠⠔⠊⠁
  │                                              ⢀⠤⠒⠉
  │                                           ⣀⠔⠊⠁
  │                                       ⢀⡠⠒⠉
2 ┤                                  ⢀⣀⡠●⠊⠁
  │                           ⢀⣀⡠⠤⠒⠒⠉⠁
  │                    ⢀⣀⡠⠤⠒⠒⠉⠁
  │             ⢀⣀⠤⠤⠒⠊⠉⠁
  │      ⢀⣀⠤⠤⠒⠊⠉⠁
1 ┤●⠤⠤⠒⠊⠉⠁
  └┬────────────────────────────────────┬───────────────────────────────────┬
   0                                    1                                   2
                              token in its segment
  ● standard input
! bipe-plot: this is a picture of kind 'loss-by'; '--kind' draws the others: text
$ awk 'BEGIN { print "file\tlength\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll"; for (i = 0; i < 9; i++) print i "\t8\t0\t4194303\t0\t1\t1\t4194303\t4194303\t1" }' </dev/null | bipe-plot
! bipe-plot: standard input: line 3: token, segment and intra: expected at most 16777216 indices in all
? 1
$ sed '2s/\t4\t/\tx\t/' tokens.tsv | bipe-plot
! bipe-plot: standard input: line 2: length: expected a whole number that is not too large
? 1
$ bipe-plot absent a.json | tail -n 2
  ● a
  Intervals: 95 %
! bipe-plot: absent: could not be opened: No such file or directory
$ bipe-plot -o a.json a.json
! bipe-plot: option '--output': .json is not known; pictures end in .svg, .pdf or .png, pages in .html, text in .txt
? 2
# Pictures, by the ending of the name.
$ bipe-plot -o a.JPG a.json
! bipe-plot: option '--output': .JPG is not known; pictures end in .svg, .pdf or .png, pages in .html, text in .txt
? 2
%when test "$BIPE_CAIRO" = no
$ bipe-plot -o a.svg a.json && bipe-plot -o a.pdf a.json
! bipe-plot: PDF and PNG need Cairo and Pango, and this bipe-plot was built without them; it writes SVG
? 1
%when test "$BIPE_CAIRO" = yes
$ for e in svg pdf png; do bipe-plot -o a.$e a.json; done; grep -c '<svg' a.svg; head -c 5 a.pdf; echo; head -c 4 a.png | tail -c 3; echo
1
%PDF-
PNG
%when test "$BIPE_CAIRO" = yes
$ bipe-plot --width 5000 -o wide.png a.json
! bipe-plot: the picture would have more than 32767 pixels in a row or column: choose a smaller width, or SVG
? 1
%when test "$BIPE_CAIRO" = yes
$ bipe-plot -o /dev/full a.json
! bipe-plot: /dev/full: could not be written: No space left on device
? 1
# Text in SVG is text, in any script, and nothing in it is markup. Of PDF and PNG characters that no font has are counted.
$ printf '{"tool":"bipe-score","results":[{"model":"模型 <b>&\\"","length":512,"nll":3},{"model":"نموذج","length":512,"nll":3.1},{"model":"\\udb80\\udc00\\uffff","length":512,"nll":3.2}]}' >scripts.json; bipe-plot -o scripts.svg --title 'é  日本' scripts.json; sed -n 's/.*<text[^>]*>\(.*\)<.text>/\1/p' scripts.svg
é  日本
perplexity
20
21
22
23
24
25
256
512
1k
window length (tokens)
模型 &lt;b&gt;&amp;&quot;
نموذج
󰀀�
%when test "$BIPE_CAIRO" = yes
$ bipe-plot -o scripts.png scripts.json; bipe-plot -o a.png a.json
! bipe-plot: scripts.png: no installed font has 2 of the characters, which are drawn as boxes; install a font for them, or write SVG
# A text shaded by losses; what is in it stays text.
$ printf 'a<\nb>\303\251<script>' >x.txt
$ printf 'file\tlength\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll\nx.txt\t4\t0\t1\t1\t2\t7\t0\t1\t2\nx.txt\t4\t0\t2\t2\t3\t7\t0\t2\t4\nx.txt\t4\t0\t3\t3\t4\t7\t1\t0\t1\nx.txt\t4\t0\t4\t4\t6\t7\t1\t1\t\nx.txt\t4\t0\t5\t6\t7\t7\t1\t2\t99\nx.txt\t4\t1\t1\t7\t15\t7\t0\t0\t0\n' >x.tsv
$ bipe-plot --kind text x.tsv
x.txt
x, windows of 4
0 nats .123456789ABC 9 and more

a<↵
 35
│b>é·│<script>
 1..C ........
$ LC_ALL=C bipe-plot --text x.txt --width 24 x.tsv
x.txt
x, windows of 4
0 nats .123456789ABC 9 and more

a<$
 35
|b>?.|<script>
 1..C ........
$ bipe-plot -o x.html x.tsv; sed -n '/<section/,/<.section/p' x.html; grep -c '<script>' x.html
<section class="pane" data-name="x, windows of 4"><div class="doc"><div class="c"><span class="g">a</span><b class="l3 d6" data-v="2.0000 1 0 0 1 1 2 7">&lt;</b><b class="l5 d6 n" data-v="4.0000 2 0 0 2 2 3 7">
</b><b class="l1 d6 p" data-v="1.0000 3 0 1 0 3 4 7">b</b><b class="l0 d6" data-v=" 4 0 1 1 4 6 7">&gt;é</b><b class="l12 d6 e" data-v="99.0000 5 0 1 2 6 7 7"></b><b class="l0 d6 w" data-v="0.0000 1 1 0 0 7 15 7">&lt;script&gt;</b></div></div></section>
1
# A page has so many tokens at most, and says so.
$ awk 'BEGIN { print "file\tlength\twindow\ttoken\tstart\tend\tid\tsegment\tintra\tnll"; for (i = 0; i < 524300; i++) print "big.txt\t512\t0\t1\t" i "\t" i + 1 "\t1\t0\t1\t2" }' </dev/null >big.tsv; head -c 524300 /dev/zero | tr '\0' a >big.txt; bipe-plot -o big.html big.tsv; grep -c 'first 524288 tokens of 524300 are shown' big.html; grep -o 'data-v' big.html | wc -l; rm big.*
1
524288
$ sed '2,$s/x.txt/y/; 3s/4$/1/' x.tsv >y.tsv; bipe-plot --text x.txt x.tsv y.tsv | tail -n 4
a<↵
 35
│b>é·│<script>
 1..C ........
! bipe-plot: x.txt is shown; other files, models and segmenters of the tables are left out (1)
$ sed 's/x.txt/x.txt/; 3s/4$/1/' x.tsv >y.tsv; bipe-plot --kind text x.tsv y.tsv
x.txt
y, windows of 4, less
x, windows of 4
4.5 nats better .123456789ABC 4.5 nats worse

a<↵
 62
│b>é·│<script>
 6666 66666666
$ bipe-plot --text a.json x.tsv
x.txt
x, windows of 4
0 nats .123456789ABC 9 and more

{"t│ool"│:"bipe-score","version":"1","results":[{"model":"a","segmenter":"stop",
 35 1..C ........
"file":"x","length":512,"tokens":10,"bytes":40,"nll":4,"interval":[3.9,4.1]},{"m
odel":"a","segmenter":"stop","file":"x","length":1024,"tokens":10,"bytes":40,"nl
l":4.1,"interval":[4,4.2]}]}
! bipe-plot: a.json: the losses are those of x.txt; they are shown right only if both are the same text
$ bipe-plot --text x.txt -L 512 x.tsv
! bipe-plot: x.tsv: no token in windows of that length, expected a length of the table, such as 4
? 1
$ bipe-plot --text x.txt a.json
! bipe-plot: a.json: a result of bipe-score, expected tables of bipe-score --tokens alone
? 1
$ sed '4s/\t3\t4\t7/\t1\t4\t7/' x.tsv | bipe-plot --text x.txt
! bipe-plot: standard input: line 4: start and end: expected tokens in the order of the text
? 1
$ bipe-plot --text x.txt -o a.svg x.tsv
! bipe-plot: option '--output': a text is written as HTML (FILE.html) or for a terminal, not as a picture
? 2
$ bipe-plot --text x.txt --data p x.tsv
! bipe-plot: option '--data': a text has no points; its tables have all values
? 2
$ bipe-plot --kind training -o t.html log
! bipe-plot: option '--kind': a text, and a page of HTML, are of kind 'text', not 'training'
? 2
# A report has figures, files, and the results themselves as data.
$ bipe-plot --report r --title 'A & B' a.json b.json log x.tsv; grep -c '<figure>' r/index.html; grep '<h1>' r/index.html; grep -c '<script>' r/index.html; grep '^<pre>' r/index.html
5
<h1>A &amp; B</h1>
0
<pre>bipe-plot --title=&#39;A &amp; B&#39; --report=r a.json b.json log x.tsv</pre>
$ grep -o '<figcaption>[^<]*' r/index.html
<figcaption>Gaps, where the axes cannot show a value: 1
<figcaption>Gaps, where the axes cannot show a value: 1
$ grep -A4 'Files' r/index.html | grep '<tr>' | cut -c 1-100
<tr><td>a result of bipe-score</td><td class="x"><code>a.json</code></td><td class="h">28261ac27e7e1
<tr><td>a result of bipe-score</td><td class="x"><code>b.json</code></td><td class="h">d7f6cda82f54e
<tr><td>a log of bipe-train</td><td class="x"><code>log</code></td><td class="h">71374809012a7448f24
<tr><td>a table of tokens</td><td class="x"><code>x.tsv</code></td><td class="h">967f4a3a8774abc1ad3
$ "$PERL" -MDigest::SHA -e 'print Digest::SHA->new(256)->addfile("a.json")->hexdigest, "\n"' >sum; grep -c -f sum r/index.html
1
$ printf '{"tool":"bipe-score","version":"<b>","results":[{"model":"it'\''s <i>","length":512,"nll":4,"file":"a b"}]}' >odd.json; bipe-plot --report r odd.json; grep -c '<b>\|<i>' r/index.html; grep -o '{"tool.*}' r/index.html
0
{"tool":"bipe-score","version":"\u003cb>","results":[{"model":"it's \u003ci>","length":512,"nll":4,"file":"a b"}]}
$ { "$PERL" -pe 's/x\.txt/b\xFF/' x.tsv; sed 1d x.tsv; } >bytes.tsv; bipe-plot -q bytes.tsv | tail -n 1
  Lines that coincide: b�; x.txt
$ bipe-plot --report r -o x.svg a.json
! bipe-plot: options '--report' and '--output' cannot be combined: '--report' draws all there is into a folder
? 2
$ bipe-plot --report a.json/r a.json
! bipe-plot: a.json/r: could not be created: Not a directory
? 1
# A report says which command made a result, and whether its files are still the same; results that do not say it are said to.
$ printf 'one' >one.txt; printf 'two' >two.txt; mkdir folder; cp one.txt folder/w; printf '{"tool":"bipe-stats","version":"1","results":[],"run":{"command":"bipe-stats --json '"'<b>'"' one.txt","options":{"tokenizer":"word","length":[256,512],"segmenter":["stop","line"],"csv":false,"by":null,"json":true},"files":[{"path":"one.txt","size":3,"sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"},{"path":"two.txt","size":3,"sha256":"00"},{"path":"gone.txt","size":3,"sha256":"01"}],"models":[{"name":"m","path":"folder","files":[{"path":"w","size":3,"sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}]}]},"list":[{"a":{"b":1.23456},"n":2,"p":[1,2.5],"an_interval":[1,2.5],"s":"x"},{"a":{"b":null},"n":2,"p":[null,3],"an_interval":[null,3],"s":"x"}],"within":{"words":[{"word":"the","frequency":2,"counts":[[0,2,1]]}]}}' >run.json
$ bipe-plot --report r run.json a.json; sed -n '/<h2>run/,/<script/p; /does not say/p' r/index.html | sed 's/<script.*//; s/\("h">.......\)[0-9a-f]*</\1</'
<section><h2>run.json</h2>
<p>a result of bipe-stats, version 1</p>
<pre>bipe-stats --json &#39;&lt;b&gt;&#39; one.txt</pre>
<h3>Files and their SHA-256</h3>
<div class="t"><table>
<tr><td>a result of bipe-stats</td><td class="x"><code>run.json</code></td><td class="h">f879edf</td><td class="x">checksum now</td><td class="h"></td></tr>
<tr><td>model</td><td class="x"><code>folder/w</code></td><td class="h">7692c3a</td><td class="x">unchanged</td><td class="h"></td></tr>
<tr><td>file</td><td class="x"><code>one.txt</code></td><td class="h">7692c3a</td><td class="x">unchanged</td><td class="h"></td></tr>
<tr><td>file</td><td class="x"><code>two.txt</code></td><td class="h">00</td><td class="x">changed, now:</td><td class="h">3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3</td></tr>
<tr><td>file</td><td class="x"><code>gone.txt</code></td><td class="h">01</td><td class="x">cannot be read now</td><td class="h"></td></tr>
</table></div>
<h3>Settings</h3>
<dl>
<div><dt>options.tokenizer</dt><dd>word</dd></div>
<div><dt>options.length</dt><dd>256, 512</dd></div>
<div><dt>options.segmenter</dt><dd>stop, line</dd></div>
<div><dt>options.json</dt><dd>yes</dd></div>
</dl>
<h3>list</h3>
<dl>
<div><dt>s</dt><dd>x</dd></div>
</dl>
<div class="t"><table>
<tr><th>a.b</th><th>n</th><th class="x">p</th><th>an_interval from</th><th>an_interval to</th></tr>
<tr><td>1.2346</td><td>2</td><td class="x">1, 2.5</td><td>1</td><td>2.5</td></tr>
<tr><td></td><td>2</td><td class="x">null, 3</td><td></td><td>3</td></tr>
</table>
</div>
<h3>within.words</h3>
<div class="t"><table>
<tr><th class="x">word</th><th>frequency</th></tr>
<tr><td class="x">the</td><td>2</td></tr>
</table>
</div>

<p>This result does not say which command made it.</p>
$ rm one.txt; bipe-plot --report r run.json; grep -o 'one.txt</code>.*' r/index.html
one.txt</code></td><td class="h">7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed</td><td class="x">cannot be read now</td><td class="h"></td></tr>
one.txt</code></td><td class="h">01</td><td class="x">cannot be read now</td><td class="h"></td></tr>
$ { printf '{"run":{"program":"bipe-train","version":"7","command":"bipe-train --steps=2","files":[{"path":"two.txt","size":3,"sha256":"02"}]}}\n'; sed '2s/$/\n{"run":{"command":"bipe-train --steps=3"},"settings":{"steps":3}}/' log; } >described; bipe-plot --report r described; grep -o 'two.txt.*now:\|a log.*version.*\|<pre>bipe-train.*\|<div><dt>.*' r/index.html; sed -n '/<h3>losses/,$s/<tr>/&/p' r/index.html
a log of bipe-train, version 7</p>
<pre>bipe-train --steps=2</pre>
two.txt</code></td><td class="h">02</td><td class="x">changed, now:
<pre>bipe-train --steps=3</pre>
<div><dt>settings.steps</dt><dd>3</dd></div>
<tr><th>step</th><th>training</th><th>validation, v.txt at 64</th></tr>
<tr><td>3</td><td>2</td><td>2.5</td></tr>
# A log's losses at validations and the last step, whichever comes first in it.
$ printf '{"step":1,"validation":{"file":"v","length":64,"nll":3}}\n{"step":1,"loss":4}\n{"step":2,"loss":3.5}\n{"step":3,"validation":{"file":"v","length":64,"nll":null}}\n{"step":3,"loss":2}\n{"step":4,"loss":1}\n' >rows; bipe-plot -q --report r rows; sed -n '/<h3>losses/,$s/<tr>/&/p' r/index.html
<tr><th>step</th><th>validation, v at 64</th><th>training</th></tr>
<tr><td>1</td><td>3</td><td>4</td></tr>
<tr><td>3</td><td></td><td>2</td></tr>
<tr><td>4</td><td></td><td>1</td></tr>
# Differences are named by what differs from the first; those of bipe-eval and bipe-score have figures of their own.
$ printf '{"tool":"bipe-score","results":[],"comparisons":[{"file":null,"length":512,"a":{"model":"m","segmenter":"stop"},"b":{"model":"m","segmenter":"line"},"nll_difference":0.25,"interval":[0.125,0.5]},{"file":"x","length":512,"a":{"model":"m","segmenter":"stop"},"b":{"model":"m","segmenter":"line"},"nll_difference":0.75}]}' >d.json
$ bipe-plot -q --kind difference --data - -o x.txt d.json bars.json | cut -d , -f 1-3
figure,series,x
difference by window length,stop,512
difference by window length,line,512
differences by task,b/m.bin,"piqa
$ bipe-plot --width 50 --data points.csv d.json | tail -n 2; cat points.csv
  ● stop  ■ line
  Intervals: 95 %
figure,series,x,y,low,high
difference by window length,stop,512,0,,
difference by window length,line,512,0.25,0.125,0.5
$ bipe-plot --width 50 --per file --data points.csv d.json | tail -n 1; cat points.csv
  ● stop  ■ line
figure,series,x,y,low,high
difference by window length,stop,512,0,,
difference by window length,line,512,0.75,,
$ bipe-plot --data - d.json; for w in 0 3.5 401; do bipe-plot --width $w d.json; done; bipe-plot --width 29 -o d.svg d.json; bipe-plot --width 10001 -o d.svg d.json
! bipe-plot: options '--output' and '--data' both write to standard output
! bipe-plot: option '--width': found 0, expected 24 to 400 columns
! bipe-plot: option '--width': found 3.5, expected 24 to 400 columns
! bipe-plot: option '--width': found 401, expected 24 to 400 columns
! bipe-plot: option '--width': found 29, expected 30 to 10000 millimetres
! bipe-plot: option '--width': found 10001, expected 30 to 10000 millimetres
? 2
$ bipe-plot --per group d.json
! bipe-plot: option '--per': no input has rows of groups (bipe-score --group makes them)
? 1
$ bipe-plot --report r --per group d.json && grep -c '<figure>' r/index.html
0
? 1
$ printf '{"tool":"bipe-score","version":"1","limits":[]}' | bipe-plot
! bipe-plot: standard input: results: expected a list; a result of --limit has nothing to draw
? 1
$ printf '{"tool":"bipe-score","version":"1","results":[{"model":"a","segmenter":"stop","length":512,"by":{"index":"token","values":[[0,1,2]]}}]}' | bipe-plot --kind loss-by -L 1k
! bipe-plot: option '--length': no input has rows of that length
? 1
# Scores of files whose names say length and task, as a map for each model and metric; models of one name keep their folders.
$ for l in 1k 4096; do for t in vt cwe; do for m in a b; do printf '{"model":"%s/m.bin","task":"ruler","file":"d/%s/%s/f.jsonl","metric":"recall","value":0.%s},' $m $l $t $(printf $l$t$m | cksum | cut -c 1-2); done; done; done | sed 's/^/{"tool":"bipe-eval","version":"1","results":[/; s/,$/,{"model":"a\/m.bin","file":"other","metric":"recall","value":0.5},{"model":"a\/m.bin","file":"qa1\/2K.json.zst","metric":"em","value":1}]}/' >heat.json; bipe-plot --kind heat --width 50 --data heat.csv heat.json; cat heat.csv
recall in %, a/m.bin
 vt ┤░░░░░ 15░░░ ░░░░░ 24░░░
cwe ┤      10    ░░░░░ 27░░░
    └──────┬──────────┬──────
          1k         4k
         length (tokens)

recall in %, b/m.bin
 vt ┤▓▓▓▓▓ 67▓▓▓ ▒▒▒▒▒ 38▒▒▒
cwe ┤      12    ░░░░░ 35░░░
    └──────┬──────────┬──────
          1k         4k
         length (tokens)

em in %, a/m.bin
qa1 ┤████ 100███
    └──────┬─────
          2k
   length (tokens)
figure,series,x,y,low,high
"recall in %, a/m.bin",a/m.bin,1024,vt,0.15,
"recall in %, a/m.bin",a/m.bin,1024,cwe,0.1,
"recall in %, a/m.bin",a/m.bin,4096,vt,0.24,
"recall in %, a/m.bin",a/m.bin,4096,cwe,0.27,
"recall in %, b/m.bin",b/m.bin,1024,vt,0.67,
"recall in %, b/m.bin",b/m.bin,1024,cwe,0.12,
"recall in %, b/m.bin",b/m.bin,4096,vt,0.38,
"recall in %, b/m.bin",b/m.bin,4096,cwe,0.35,
"em in %, a/m.bin",a/m.bin,2048,qa1,1,
$ bipe-plot --report r heat.json; grep -c '<figure>' r/index.html
4
$ sed 's/"file":"[^"]*"/"file":"x"/g' heat.json | bipe-plot --kind heat
! bipe-plot: standard input: a result of bipe-eval, which holds nothing for a picture of kind 'heat', only for: tasks
? 1
