# bipe-score --divergence: how far predictions are from those of another model. The numbers themselves are compared with
# float64 by tests/unit/test_divergence and tests/peers/divergence.
$ cp "$BIPE_SRCDIR"/models/prose-bipe-alibi.bin m.bin; cp "$BIPE_SRCDIR"/models/prose-rope.bin rope.bin; cp "$BIPE_SRCDIR"/corpora/river.txt .; head -c 3000 river.txt >brook.txt
$ bipe-convert --type q8_0 m.bin -o q8.gguf
$ bipe-score -L 64,256 --against q8.gguf --divergence m.bin river.txt
model     m.bin (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
          q8.gguf (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
protocol  paper, BOS document, f32

river.txt                             64          256
1 m.bin, stop                 59.85 3.38   57.72 3.26
2 q8.gguf, stop               59.91 3.38   57.76 3.26

less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 q8.gguf, stop                64    +0.0010  [+0.0002, +0.0018]  0.012  0.024   +0.0005
2 q8.gguf, stop               256    +0.0006  [-0.0001, +0.0014]  0.110  0.110   +0.0003

KL divergence from 1, nats a token; change of probability; same first choice
 length     mean     +/-   median     99 %   99.9 %  largest      rms    same
2 q8.gguf, stop
     64 0.000135 3.1e-06 0.000101 0.000731  0.00123  0.00158  0.00207 99.26 %
    256 0.000130 2.7e-06 0.000100 0.000624  0.00120  0.00143  0.00201 98.94 %

perplexity and its standard error, by bootstrap over blocks of 5 tokens
Holm: p, corrected for 2 comparisons
lengths are not about the same tokens: --common scores those that all have
$ bipe-score -L 64 --against q8.gguf --against m.bin --divergence --by intra m.bin brook.txt
model     m.bin (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
          q8.gguf (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
          m.bin (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
protocol  paper, BOS document, f32

brook.txt                             64
1 m.bin, stop                 57.26 4.91
2 q8.gguf, stop               57.33 4.91
3 m.bin, stop                 57.26 4.91

less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 q8.gguf, stop                64    +0.0012  [+0.0002, +0.0024]  0.022  0.044   +0.0006
3 m.bin, stop                  64    +0.0000  [+0.0000, +0.0000]  1.000  1.000   +0.0000

mean loss (nats a token) by intra index, at each length
1 m.bin, stop              
          index        64
              0     4.624
              1     3.989
            2-3     4.057
            4-7     4.186
           8-15     3.810
          16-31     3.919
          32-63     5.416

mean loss (nats a token) by intra index, at each length
2 q8.gguf, stop            
          index        64
              0     4.627
              1     3.991
            2-3     4.060
            4-7     4.186
           8-15     3.812
          16-31     3.920
          32-63     5.388

mean loss (nats a token) by intra index, at each length
3 m.bin, stop              
          index        64
              0     4.624
              1     3.989
            2-3     4.057
            4-7     4.186
           8-15     3.810
          16-31     3.919
          32-63     5.416

KL divergence from 1, nats a token; change of probability; same first choice
 length     mean     +/-   median     99 %   99.9 %  largest      rms    same
2 q8.gguf, stop
     64 0.000139 5.0e-06 0.000102 0.000837  0.00158  0.00158  0.00210 99.21 %
3 m.bin, stop
     64        0       0        0        0        0        0        0 100.00 %

mean KL divergence (nats a token) by intra index, at each length
2 q8.gguf, stop            
          index        64
              0  8.02e-05
              1  0.000134
            2-3  0.000191
            4-7  0.000150
           8-15  0.000138
          16-31  0.000117
          32-63  0.000451

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
line,64,0.12,0.02,0.09,0.16,0.03,0.28,0.46,1.50,3.87,3.87,0.06,0.84

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
m.bin,836,,,,
rope.bin,836,,0.83,0.61,3.66
m.bin,421,document,,,
rope.bin,421,document,,,3.66
m.bin,415,document,,,
rope.bin,415,document,,,3.04

# Files of tokens, segments and documents have the divergence of each, combination after combination.
$ bipe-score -q -L 64,128 --against q8.gguf --divergence --tokens tokens.tsv --segments segments.tsv --documents documents.tsv m.bin brook.txt >/dev/null
$ cut -f 1,4 segments.tsv | uniq -c; cut -f 1,2,6,7,13- documents.tsv
      1 model	length
     98 m.bin	64
     91 m.bin	128
     98 q8.gguf	64
     91 q8.gguf	128
model	segmenter	group	length	bits_per_byte	divergence
m.bin	stop		64	1.83615952	
m.bin	stop		128	1.81170501	
q8.gguf	stop		64	1.83672483	0.000139242555
q8.gguf	stop		128	1.81189076	0.000133157174

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
$ bipe-score --divergence --against "$BIPE_SRCDIR"/tests/models/small-rope.bin m.bin brook.txt 2>&1 | sed 's|/.*/||'
bipe-score: --divergence: m.bin and small-rope.bin have different tokenizers

# Divergences in a picture: by length with intervals, and by index.
$ bipe-score -q --json -L 64,256 --by intra --against q8.gguf --divergence m.bin river.txt >d.json
$ bipe-plot -q --kind divergence --ascii --width 60 d.json
KL divergence (nats per token)
0.00015 +
        |     o..................                  |
        |     |                  ..................o
        |
        |
0.00010 +
        |
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
$ bipe-plot -q --kind divergence --data d.csv -o d.svg d.json && cat d.csv
figure,series,x,y,low,high
divergence by window length,q8.gguf,64,0.000135117943,0.00012947105,0.000141967613
divergence by window length,q8.gguf,256,0.000130298409,0.000125131734,0.000136240919
$ bipe-plot -q --kind divergence-by --data d.csv -o d.svg d.json && head -n 4 d.csv
figure,series,x,y,low,high
"divergence by intra index, windows of 256",q8.gguf,0,8.72225832e-05,,
"divergence by intra index, windows of 256",q8.gguf,1,0.000110642807,,
"divergence by intra index, windows of 256",q8.gguf,2,0.000143055173,,
$ bipe-score -q --json -L 64 --by intra m.bin brook.txt >one.json; bipe-plot --kind divergence one.json
! bipe-plot: one.json: a result of bipe-score, which holds nothing for a picture of kind 'divergence', only for: lengths, loss-by
? 1
