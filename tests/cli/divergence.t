# bipe-score --divergence: how far predictions are from those of another model. The numbers themselves are compared with
# float64 by tests/unit/test_divergence and tests/peers/divergence.
$ cp "$BIPE_SRCDIR"/tests/models/small-bipe-alibi.bin m.bin; cp "$BIPE_SRCDIR"/tests/models/small-rope.bin rope.bin; cp "$BIPE_SRCDIR"/corpora/river.txt .; head -c 3000 river.txt >brook.txt
$ bipe-convert --type q8_0 m.bin -o q8.gguf
$ bipe-score -L 64,256 --against q8.gguf --divergence m.bin river.txt
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
          q8.gguf (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
protocol  paper, BOS document, f32

river.txt                             64          256
1 m.bin, stop                 50.88 2.59   47.65 2.35
2 q8.gguf, stop               50.91 2.59   47.67 2.35

less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 q8.gguf, stop                64    +0.0007  [+0.0001, +0.0014]  0.036  0.072   +0.0003
2 q8.gguf, stop               256    +0.0005  [-0.0001, +0.0011]  0.122  0.122   +0.0002

KL divergence from 1, nats a token; change of probability; same first choice
 length     mean     +/-   median     99 %   99.9 %  largest      rms    same
2 q8.gguf, stop
     64 9.70e-05 2.4e-06 7.13e-05 0.000449  0.00107  0.00270  0.00179 98.81 %
    256 9.36e-05 2.3e-06 6.89e-05 0.000443  0.00112  0.00270  0.00177 99.12 %

perplexity and its standard error, by bootstrap over blocks of 5 tokens
Holm: p, corrected for 2 comparisons
lengths are not about the same tokens: --common scores those that all have
$ bipe-score -L 64 --against q8.gguf --against m.bin --divergence --by intra m.bin brook.txt
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
          q8.gguf (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
          m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
protocol  paper, BOS document, f32

brook.txt                             64
1 m.bin, stop                 52.24 3.94
2 q8.gguf, stop               52.25 3.94
3 m.bin, stop                 52.24 3.94

less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 q8.gguf, stop                64    +0.0002  [-0.0007, +0.0012]  0.664  1.000   +0.0001
3 m.bin, stop                  64    +0.0000  [+0.0000, +0.0000]  1.000  1.000   +0.0000

mean loss (nats a token) by intra index, at each length
1 m.bin, stop              
          index        64
              0     4.309
              1     3.577
            2-3     4.302
            4-7     4.096
           8-15     3.778
          16-31     3.652
          32-63     4.496

mean loss (nats a token) by intra index, at each length
2 q8.gguf, stop            
          index        64
              0     4.315
              1     3.578
            2-3     4.302
            4-7     4.096
           8-15     3.778
          16-31     3.651
          32-63     4.492

mean loss (nats a token) by intra index, at each length
3 m.bin, stop              
          index        64
              0     4.309
              1     3.577
            2-3     4.302
            4-7     4.096
           8-15     3.778
          16-31     3.652
          32-63     4.496

KL divergence from 1, nats a token; change of probability; same first choice
 length     mean     +/-   median     99 %   99.9 %  largest      rms    same
2 q8.gguf, stop
     64 9.67e-05 3.0e-06 7.22e-05 0.000463  0.00107  0.00107  0.00178 98.62 %
3 m.bin, stop
     64        0       0        0        0        0        0        0 100.00 %

mean KL divergence (nats a token) by intra index, at each length
2 q8.gguf, stop            
          index        64
              0  4.88e-05
              1  9.70e-05
            2-3  0.000122
            4-7  0.000103
           8-15  9.78e-05
          16-31  9.37e-05
          32-63  9.26e-05

mean KL divergence (nats a token) by intra index, at each length
3 m.bin, stop              
          index        64
              0         0
              1         0
            2-3         0
            4-7         0
           8-15         0
          16-31         0
          32-63         0

perplexity and its standard error, by bootstrap over blocks of 5 tokens
Holm: p, corrected for 2 comparisons
$ bipe-score -L 64 -s stop -s line --divergence --csv m.bin brook.txt | cut -d , -f 2,4,34- | perl -pe 's|\d+\.\d+|sprintf "%.2f", $&|ge'
segmenter,length,divergence,divergence_stderr,divergence_low,divergence_high,divergence_median,divergence_p90,divergence_p95,divergence_p99,divergence_p99_9,divergence_largest,divergence_rms_change,divergence_same_choice
stop,64,,,,,,,,,,,,
line,64,0.11,0.02,0.09,0.16,0.03,0.32,0.56,1.06,3.01,3.01,0.05,0.78

# Losses have the digits that they have without it.
$ bipe-score -L 64,256 --against q8.gguf --by token --csv m.bin brook.txt >without
$ bipe-score -L 64,256 --against q8.gguf --by token --csv --divergence m.bin brook.txt | cut -d , -f 1-33 | cmp - without

# Shards and journals, also one that ends between the models, give what one run gives, to the last byte.
$ for d in 1 2 3 4 5; do for k in a b; do printf '{"text": "%s", "kind": "%s"}\n' "$(head -c $((d * 97)) brook.txt | tail -c 90 | tr -d '\n"')" $k; done; done >kinds.jsonl
$ bipe-score -L 16,64 --tail --group kind --by intra --against q8.gguf --against rope.bin --divergence --json m.bin kinds.jsonl brook.txt >whole.json
! bipe-score: --group: 1 of 11 documents has no member "kind" that is a string, number, true or false
$ for i in 0 1 2; do bipe-score -L 16,64 --tail --group kind --by intra --against q8.gguf --against rope.bin --divergence --json --shard $i/3 -o shard$i.json m.bin kinds.jsonl brook.txt; done
! bipe-score: --group: 1 of 11 documents has no member "kind" that is a string, number, true or false
! bipe-score: --group: 1 of 11 documents has no member "kind" that is a string, number, true or false
! bipe-score: --group: 1 of 11 documents has no member "kind" that is a string, number, true or false
$ bipe-score --merge --json shard2.json shard0.json shard1.json | grep -v '"computed"\|"tokens": [0-9]*,*$' >merged.json; grep -v '"computed"\|"tokens": [0-9]*,*$' whole.json | cmp - merged.json
$ bipe-score -L 16,64 --by intra --against q8.gguf --divergence --json m.bin brook.txt >whole.json
$ for i in 1 2; do bipe-score -L 16,64 --by intra --against q8.gguf --divergence --resume journal --json m.bin brook.txt | cmp - whole.json; done
$ grep -n '^part' journal | cut -d ' ' -f 1-3
35:part 0 0
36:part 0 0
37:part 0 1
38:part 0 1
$ head -n -1 journal >torn; bipe-score -L 16,64 --by intra --against q8.gguf --divergence --resume torn --json m.bin brook.txt | cmp - whole.json

# Groups have their own quantiles.
$ bipe-score -L 16 --tail --group kind --against rope.bin --divergence --csv m.bin kinds.jsonl | cut -d , -f 1,7,23,34,38,43 | perl -pe 's|\d+\.\d+|sprintf "%.2f", $&|ge'
model,bytes,group,divergence,divergence_median,divergence_largest
m.bin,830,,,,
rope.bin,830,,0.60,0.42,3.35
m.bin,416,document,,,
rope.bin,416,document,,,3.35
m.bin,414,document,,,
rope.bin,414,document,,,2.87

# Files of tokens, segments and documents have the divergence of each, combination after combination.
$ bipe-score -q -L 64,128 --against q8.gguf --divergence --tokens tokens.tsv --segments segments.tsv --documents documents.tsv m.bin brook.txt >/dev/null
$ cut -f 1,4 segments.tsv | uniq -c; cut -f 1,2,6,7,13- documents.tsv | perl -pe 's/\d+\.\d+(e-\d+)?/sprintf "%.4g", $&/ge'
      1 model	length
     99 m.bin	64
     88 m.bin	128
     99 q8.gguf	64
     88 q8.gguf	128
model	segmenter	group	length	bits_per_byte	divergence
m.bin	stop		64	1.91	
m.bin	stop		128	1.882	
q8.gguf	stop		64	1.911	9.67e-05
q8.gguf	stop		128	1.882	9.382e-05

# What cannot be compared.
$ bipe-score --divergence m.bin brook.txt
! bipe-score: option '--divergence' needs '--against' or '--segmenter'
? 2
$ bipe-score --divergence -s stop m.bin brook.txt
! bipe-score: option '--divergence': there is nothing to compare m.bin with
? 2
$ bipe-score --divergence --group kind --resume journal --against rope.bin m.bin brook.txt
! bipe-score: option '--resume': not with '--divergence' and '--group' together: the journal does not keep divergences by group
? 2
$ bipe-score --divergence --limit --against rope.bin m.bin brook.txt
! bipe-score: options '--limit' and '--divergence' cannot be combined: '--limit' prints a table or JSON of its own
? 2
$ bipe-score --divergence --against "$BIPE_SRCDIR"/models/prose-rope.bin m.bin brook.txt 2>&1 | sed 's|/.*/||'
bipe-score: --divergence: m.bin and prose-rope.bin have different tokenizers

# Divergences in a picture: by length with intervals, and by index.
$ bipe-score -q --json -L 64,256 --by intra --against q8.gguf --divergence m.bin river.txt >d.json
$ bipe-plot -q --kind divergence --ascii --width 60 d.json
KL divergence (nats per token)
0.00015 +
        |
        |
        |
        |
0.00010 +     o..................                  |
        |     |                  ..................o
        |
        |
        |
0.00005 +
        |
        |
        |
        |
0.00000 +
        +-----+-----------------+------------------+-----
             64                128                256
                      window length (tokens)
  o q8.gguf
  Intervals: 95 %, bootstrap over blocks of tokens
$ bipe-plot -q --kind divergence --data d.csv -o d.svg d.json && cat d.csv | perl -pe 's/\d+\.\d+(e-\d+)?/sprintf "%.4g", $&/ge'
figure,series,x,y,low,high
divergence by window length,q8.gguf,64,9.702e-05,9.261e-05,0.0001028
divergence by window length,q8.gguf,256,9.362e-05,8.95e-05,9.904e-05
$ bipe-plot -q --kind divergence-by --data d.csv -o d.svg d.json && head -n 4 d.csv | perl -pe 's/\d+\.\d+(e-\d+)?/sprintf "%.4g", $&/ge'
figure,series,x,y,low,high
"divergence by intra index, windows of 256",q8.gguf,0,5.015e-05,,
"divergence by intra index, windows of 256",q8.gguf,1,8.836e-05,,
"divergence by intra index, windows of 256",q8.gguf,2,0.0001137,,
$ bipe-score -q --json -L 64 --by intra m.bin brook.txt >one.json; bipe-plot --kind divergence one.json
! bipe-plot: one.json: a result of bipe-score, which holds nothing for a picture of kind 'divergence', only for: lengths, loss-by
? 1
