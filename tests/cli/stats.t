# bipe-stats: the three forms of output, merging, and what goes wrong.
$ "$PERL" -e 'for my $i (1 .. 400) { print "word " x ($i * 7 % 23), $i % 5 ? "end. " : "end.\n" }' >a.txt
$ printf 'A short one. Really.\n' >b.txt; : >empty
$ bipe-stats a.txt b.txt empty
3 files, 3 documents, 24,066 bytes, 5,296 tokens by word

Segmenter stop

  Tokens per segment
  window  segments  mean    sd  min  p50  p90  p95  p99  max     <50
      1k       468  10.9  7.47    1   11   22   23   24   24  100.0%
      2k       374  11.0  7.51    1   11   22   23   24   24  100.0%
      4k       373  11.0  7.51    1   11   22   23   24   24  100.0%
   whole       483  11.0  7.53    1   11   22   23   24   24  100.0%

  Segments per window
  window  windows   mean     sd  min   p5  p50  p95  max
      1k        5   93.6   1.62   92   92   93   96   96
      2k        2  187.0   3.00  184  184  184  190  190
      4k        1  373.0      0  373  373  373  373  373
   whole        3  161.0  225.6    0    0    3  480  480

  Whole documents: segments by tokens
    1-5  ██████████████████████████████████████████████████   31.5%
   6-10  ████████████████████████████▋                        18.0%
  11-15  ████████████████████████████▋                        18.0%  p50
  16-20  ████████████████████████████▋                        18.0%
  21-25  ███████████████████████                              14.5%  p95

  Growth: each additional 1k tokens of window adds 93.2 segments (r2 1.000).
  Invariance: the length of segments does not change with the window. Farthest
    from windows of 1k are whole documents (KS 0.009, JS 0.000, Wasserstein 0.09
    tokens).
$ COLUMNS=50 LC_ALL=C bipe-stats -L 512,1k a.txt
1 file, 1 document, 24,045 bytes, 5,289 tokens by
  word

Segmenter stop

  Tokens per segment
  window  mean  p50  p95  p99  max     <50
     512  10.8   10   23   24   24  100.0%
      1k  10.9   11   23   24   24  100.0%
   whole  11.0   11   23   24   24  100.0%

  Segments per window
  window  windows   mean    sd   p5  p50  p95  max
     512       10   47.3  1.42   45   47   50   50
      1k        5   93.6  1.62   92   93   96   96
   whole        1  480.0     0  480  480  480  480

  Whole documents: segments by tokens
    1-5  ########################   31.0%
   6-10  ##############             18.1%
  11-15  ##############             18.1%  p50
  16-20  ##############             18.1%
  21-25  ###########                14.6%  p95

  Growth: each additional 1k tokens of window adds
    92.6 segments (r2 0.995).
  Invariance: the length of segments does not
    change with the window. Farthest from windows
    of 512 are whole documents (KS 0.016, JS
    0.001, Wasserstein 0.20 tokens).
$ bipe-stats -s line -s none -L 8 <b.txt
1 file, 1 document, 21 bytes, 7 tokens by word

  segmenter  segments  mean  sd  p50  p95  max     <50  per 1k  KS
  line              1  7.00   0    7    7    7  100.0%       -   -
  none              1  7.00   0    7    7    7  100.0%       -   -

  Tokens per segment of whole documents (mean to <50); per 1k: segments added by
    each 1k tokens of window (-: only one length); KS: how much the length of
    segments changes with the window (below 0.05: it does not; -: too few
    windows).
  With one -s, and without --per-file, all windows and a chart are shown.
$ bipe-stats empty
1 file, 1 document, 0 bytes, 0 tokens by word

Segmenter stop

  Tokens per segment
  window  segments  mean  sd  min  p50  p90  p95  p99  max  <50
   whole         0     -   -    -    -    -    -    -    -    -

  Segments per window
  window  windows  mean  sd  min  p5  p50  p95  max
   whole        1     0   0    0   0    0    0    0
$ bipe-stats --json -L 4,4,2 b.txt empty | sed '/^  "run"/,/^  }/d; /"version"/d'
{
  "tool": "bipe-stats",
  "tokenizer": "word",
  "files": 2,
  "documents": 2,
  "bytes": 21,
  "tokens": 7,
  "results": [
    {
      "segmenter": "stop",
      "length": 2,
      "windows": 3,
      "segments": 3,
      "tokens": 6,
      "tokens_per_segment": {
        "mean": 2,
        "sd": 0,
        "min": 2,
        "p50": 2,
        "p90": 2,
        "p95": 2,
        "p99": 2,
        "max": 2,
        "below_50": 1,
        "histogram": [[2, 3]]
      },
      "segments_per_window": {
        "mean": 1,
        "sd": 0,
        "min": 1,
        "p5": 1,
        "p50": 1,
        "p95": 1,
        "max": 1,
        "histogram": [[1, 3]]
      }
    },
    {
      "segmenter": "stop",
      "length": 4,
      "windows": 1,
      "segments": 1,
      "tokens": 4,
      "tokens_per_segment": {
        "mean": 4,
        "sd": 0,
        "min": 4,
        "p50": 4,
        "p90": 4,
        "p95": 4,
        "p99": 4,
        "max": 4,
        "below_50": 1,
        "histogram": [[4, 1]]
      },
      "segments_per_window": {
        "mean": 1,
        "sd": 0,
        "min": 1,
        "p5": 1,
        "p50": 1,
        "p95": 1,
        "max": 1,
        "histogram": [[1, 1]]
      }
    },
    {
      "segmenter": "stop",
      "length": "document",
      "windows": 2,
      "segments": 3,
      "tokens": 7,
      "tokens_per_segment": {
        "mean": 2.33333333,
        "sd": 1.24721913,
        "min": 1,
        "p50": 2,
        "p90": 4,
        "p95": 4,
        "p99": 4,
        "max": 4,
        "below_50": 1,
        "histogram": [[1, 1], [2, 1], [4, 1]]
      },
      "segments_per_window": {
        "mean": 1.5,
        "sd": 1.5,
        "min": 0,
        "p5": 0,
        "p50": 0,
        "p95": 3,
        "max": 3,
        "histogram": [[0, 1], [3, 1]]
      }
    }
  ],
  "growth": [
    {
      "segmenter": "stop",
      "slope": 0,
      "intercept": 1,
      "r2": null
    }
  ],
  "invariance": [
    {
      "segmenter": "stop",
      "length": 2,
      "ks": 0,
      "js": 0,
      "wasserstein": 0
    },
    {
      "segmenter": "stop",
      "length": 4,
      "ks": 1,
      "js": 1,
      "wasserstein": 2
    },
    {
      "segmenter": "stop",
      "length": "document",
      "ks": 0.333333333,
      "js": 0.459147917,
      "wasserstein": 1
    }
  ],
}
$ bipe-stats --json -L 100 empty | sed '/^  "run"/,/^  }/d' | tail -n 58 | head -n 40
        "histogram": []
      }
    },
    {
      "segmenter": "stop",
      "length": "document",
      "windows": 1,
      "segments": 0,
      "tokens": 0,
      "tokens_per_segment": {
        "mean": null,
        "sd": null,
        "min": null,
        "p50": null,
        "p90": null,
        "p95": null,
        "p99": null,
        "max": null,
        "below_50": null,
        "histogram": []
      },
      "segments_per_window": {
        "mean": 0,
        "sd": 0,
        "min": 0,
        "p5": 0,
        "p50": 0,
        "p95": 0,
        "max": 0,
        "histogram": [[0, 1]]
      }
    }
  ],
  "growth": [
    {
      "segmenter": "stop",
      "slope": null,
      "intercept": null,
      "r2": null
    }
$ bipe-stats --csv -s stop -s 'tokens:1,2' -t byte -L 8 b.txt
segmenter,length,windows,segments,tokens,tokens_per_segment_mean,tokens_per_segment_sd,tokens_per_segment_min,tokens_per_segment_p50,tokens_per_segment_p90,tokens_per_segment_p95,tokens_per_segment_p99,tokens_per_segment_max,tokens_per_segment_below_50,segments_per_window_mean,segments_per_window_sd,segments_per_window_min,segments_per_window_p5,segments_per_window_p50,segments_per_window_p95,segments_per_window_max,ks,js,wasserstein
stop,8,2,3,16,5.33333333,1.88561808,4,4,8,8,8,8,1,1.5,0.5,1,1,1,2,2,0,0,0
stop,document,1,3,21,7,4.54606057,1,8,12,12,12,12,1,3,0,3,3,3,3,3,0.333333333,0.666666667,3.66666667
"tokens:1,2",8,2,2,16,8,0,8,8,8,8,8,8,1,1,0,1,1,1,1,1,0,0,0
"tokens:1,2",document,1,1,21,21,0,21,21,21,21,21,21,1,1,0,1,1,1,1,1,1,1,13
$ bipe-stats --csv -s stop -s stop -L 8 b.txt | cut -d, -f1-5
segmenter,length,windows,segments,tokens
stop,8,0,0,0
stop,document,1,3,7

# Several segmenters, and files for themselves.
$ cp "$BIPE_SRCDIR/corpora/river.txt" river.txt; printf 'One. Two.\n' >short.txt; bipe-stats -s stop -s sentence:en -s 'regex:[.!?]+[^a-zA-Z]*' river.txt
1 file, 1 document, 6,178 bytes, 1,621 tokens by word

  segmenter              segments  mean    sd  p50  p95  max     <50  per 1k  KS
  stop                        180  9.01  9.46    6   30   44  100.0%       -   -
  sentence:en                 110  14.7  9.93   12   37   46  100.0%       -   -
  regex:[.!?…[^a-zA-Z]*       123  13.2  9.31   10   31   46  100.0%       -   -

  Tokens per segment of whole documents (mean to <50); per 1k: segments added by
    each 1k tokens of window (-: only one length); KS: how much the length of
    segments changes with the window (below 0.05: it does not; -: too few
    windows).
  With one -s, and without --per-file, all windows and a chart are shown.
$ bipe-stats --per-file river.txt none.txt short.txt; bipe-stats --per-file -s stop -s line river.txt ./a/../river.txt short.txt 2>&1 | head -n 9; COLUMNS=40 bipe-stats --per-file -s stop -s line river.txt | sed -n 4,5p
2 files, 2 documents, 6,188 bytes, 1,626 tokens by word

  file       segments  mean    sd  p50  p95  max     <50  per 1k  KS
  river.txt       180  9.01  9.46    6   30   44  100.0%       -   -
  short.txt         3  1.67  0.47    2    2    2  100.0%       -   -
  all files       183  8.89  9.43    6   30   44  100.0%       -   -

  Tokens per segment of whole documents (mean to <50); per 1k: segments added by
    each 1k tokens of window (-: only one length); KS: how much the length of
    segments changes with the window (below 0.05: it does not; -: too few
    windows).
  With one -s, and without --per-file, all windows and a chart are shown.
bipe-stats: ./a/../river.txt: could not be opened: No such file or directory
2 files, 2 documents, 6,188 bytes, 1,626 tokens by word

  file       segmenter  segments  mean    sd  p50  p95  max     <50  per 1k  KS
  river.txt  stop            180  9.01  9.46    6   30   44  100.0%       -   -
  river.txt  line             67  24.2  39.5    5  114  157   82.1%       -   -
  short.txt  stop              3  1.67  0.47    2    2    2  100.0%       -   -
  short.txt  line              1  5.00     0    5    5    5  100.0%       -   -
  all files  stop            183  8.89  9.43    6   30   44  100.0%       -   -
  file       segmenter  segments  mean  p50
  river.txt  stop            180  9.01    6
! bipe-stats: none.txt: could not be opened: No such file or directory
$ cat >pick <<'END'
> use JSON::PP; my $code = shift; local $/; my $j = decode_json(<>); print JSON::PP->new->canonical->encode(eval $code), "\n";
> END
$ : >none.jsonl; printf "A b. C d.\n" >two.txt; bipe-stats --per-file none.jsonl two.txt | sed -n 3,5p # a file without a document has no line
  file       segments  mean    sd  p50  p95  max     <50  per 1k  KS
  two.txt           3  2.33  0.94    3    3    3  100.0%       -   -
  all files         3  2.33  0.94    3    3    3  100.0%       -   -
$ bipe-stats --per-file --csv -L 512 river.txt short.txt | cut -d , -f 1-6; bipe-stats --per-file --json river.txt short.txt >each.json; bipe-stats --json river.txt short.txt >all.json; "$PERL" pick 'delete @$j{"per_file", "run"}; $j' each.json >sums.json; "$PERL" pick 'delete $j->{run}; $j' all.json | cmp - sums.json; "$PERL" pick '[map { [@$_{"file", "documents", "bytes", "tokens"}, 0 + @{$_->{results}}] } @{$j->{per_file}}]' each.json; bipe-stats --merge --json each.json all.json | "$PERL" pick '[@$j{"files", "tokens", "per_file"}]'
file,segmenter,length,windows,segments,tokens
river.txt,stop,512,3,167,1536
river.txt,stop,document,1,180,1621
short.txt,stop,512,0,0,0
short.txt,stop,document,1,3,5
total,stop,512,3,167,1536
total,stop,document,2,183,1626
[["river.txt",1,6178,1621,2],["short.txt",1,10,5,1]]
[4,3252,null]

# Blank segments left out: as if their text had not been there.
$ printf '\n\n a\n \t\n\302\240\n\nb c\n\n' >blank.txt; for t in blank.txt river.txt; do for b in 1 2 3 1000; do bipe-segment -z --squeeze -s line $t | tr -d '\000' | bipe-stats -s line -t byte -L 4,16,64 --csv - >want.csv; BIPE_BUFFER_SIZE=$b bipe-stats --squeeze -s line -s stop -t byte -L 4,16,64 --csv $t | grep -v ^stop | cmp - want.csv; done; done; bipe-stats --squeeze -s line -t byte --csv blank.txt | cut -d , -f 1-5
segmenter,length,windows,segments,tokens
line,document,1,2,7
$ bipe-stats --squeeze --json river.txt >less.json; bipe-stats --merge --csv less.json less.json | cut -d , -f 1-5; bipe-stats --merge less.json all.json; sed 's/"squeeze": true/"squeeze": 1/' less.json | bipe-stats --merge -
segmenter,length,windows,segments,tokens
stop,1024,2,166,2048
stop,document,2,258,3140
! bipe-stats: all.json: made without '--squeeze', expected with it as in the first file
! bipe-stats: standard input: squeeze: expected true, or nothing
? 1

# A sample: one of so many documents, or blocks of plain text.
$ seq 1000 | sed 's/.*/{"text":"& and. More"}/' >many.jsonl; for seed in 0 1 2; do bipe-stats --sample 10 --seed $seed --json many.jsonl | "$PERL" pick '[@$j{"documents", "tokens", "sample"}]'; done; for j in 1 4; do bipe-stats -j $j --sample 3 --json many.jsonl many.jsonl >s$j.json; done; cmp s1.json s4.json; bipe-stats --sample 3 --per-file --json many.jsonl many.jsonl | "$PERL" pick 'delete @$j{"per_file", "run"}; $j' >s; "$PERL" pick 'delete $j->{run}; $j' s1.json | cmp - s
[100,400,{"every":10,"seed":0}]
[100,400,{"every":10,"seed":1}]
[100,400,{"every":10,"seed":2}]
$ seq -f 'Line %.0f.' 100000 >long.txt; bipe-stats --sample 2 --csv -L 64 -t byte long.txt | cut -d , -f 1-5; bipe-stats --sample 1 -s line --json -t byte long.txt | "$PERL" pick '[@$j{"documents", "bytes"}, $j->{results}[-1]{segments}]'; bipe-stats --sample 1000000 short.txt; bipe-stats --sample 2 --shard 0/2 short.txt; bipe-stats --sample 2 --merge s1.json; bipe-stats --merge --json s1.json all.json
segmenter,length,windows,segments,tokens
stop,64,10384,120587,664576
stop,document,3,112616,664591
[5,1188895,100000]
1 file, 0 documents, 0 bytes, 0 tokens by word
A sample: one in 1,000,000 documents, chosen by seed 0.

Segmenter stop

  Tokens per segment
  window  segments  mean  sd  min  p50  p90  p95  p99  max  <50
   whole         0     -   -    -    -    -    -    -    -    -

  Segments per window
  window  windows  mean  sd  min  p5  p50  p95  max
   whole        0     -   -    -   -    -    -    -
! bipe-stats: the sample is empty: use a smaller --sample, or another --seed
! bipe-stats: options '--sample' and '--shard' cannot be combined
! bipe-stats: options '--merge' and '--sample' cannot be combined: results are read, not texts
! bipe-stats: all.json: made without '--sample', expected with it as in the first file
? 1

# Segments as long as documents, and of few lengths.
$ head -c 300000 /dev/zero | tr '\0' x | bipe-stats -s none -t byte -L 100000
1 file, 1 document, 300,000 bytes, 300,000 tokens by byte

Segmenter none

  Tokens per segment
  window  segments     mean  sd      p50      p95      p99      max   <50
  100000         3  100,000   0  100,000  100,000  100,000  100,000  0.0%
   whole         1  300,000   0  300,000  300,000  300,000  300,000  0.0%

  Segments per window
  window  windows  mean  sd  min  p5  p50  p95  max
  100000        3  1.00   0    1   1    1    1    1
   whole        1  1.00   0    1   1    1    1    1

  Whole documents: segments by tokens
  300,000  ██████████████████████████████████████████████████  100.0%  p50 p95

  Invariance: the length of segments changes with the window. Farthest from
    windows of 100000 are whole documents (KS 1.000, JS 1.000, Wasserstein
    200,000 tokens).

# Shards put together are as one run; what does not fit is refused.
$ bipe-stats --json a.txt >a.json; bipe-stats --json b.txt empty >b.json; bipe-stats --json a.txt b.txt empty >all.json
$ bipe-stats --merge --json b.json a.json | cmp - all.json
$ bipe-stats --merge --json <all.json | cmp - all.json
%when test "${BIPE_GZIP-yes}" = yes
$ gzip -c a.json | bipe-stats --merge --json - b.json | cmp - all.json
$ bipe-stats --json -t byte b.txt >byte.json; bipe-stats --merge a.json byte.json
! bipe-stats: byte.json: tokenizer is 'byte', expected 'word' as in the first file
? 1
$ bipe-stats --json -s line b.txt >line.json; bipe-stats --merge line.json a.json
! bipe-stats: a.json: segmenter is 'stop', expected 'line' as in the first file
? 1
$ bipe-stats --json -s line -s stop b.txt >two.json; bipe-stats --merge two.json a.json
! bipe-stats: a.json: found 1 segmenters, expected 2 as in the first file
? 1
# What comes from a file sends nothing to a terminal but characters.
$ sed 's/"segmenter": "stop"/"segmenter": "\\u001b[2J\\u009b"/; s/"tokenizer": "word"/"tokenizer": "w\\n"/' a.json >odd.json; bipe-stats --merge odd.json | sed -n '1s/.* by /by /p; /^Seg/p'
by w?
Segmenter ?[2J??
$ sed 's/"version": "[^"]*"/"version": "0.0"/' a.json >old.json; bipe-stats --merge old.json 2>&1 | sed "s/'[0-9.]*'$/'N'/"
bipe-stats: old.json: version is '0.0', expected 'N'
$ bipe-stats --merge --csv missing.json b.json | cut -d, -f1-5
segmenter,length,windows,segments,tokens
stop,document,2,3,7
! bipe-stats: missing.json: could not be opened: No such file or directory

# Every number is checked.
$ for change in 's/"files": 1/"files": -1/' 's/"tokens": [0-9]*/"tokens": 1.5/' 's/"bytes": /"bytes": 99999999999999999999/' \
>     's/"documents": 1/"documents": 2/' 's/"segments": [0-9]*/"segments": 7/' 's/"windows": 5/"windows": 6/' \
>     's/"length": 1024/"length": 0/' 's/"length": "document"/"length": 9/' 's/"segmenter": "stop"/"segmenter": 5/' \
>     's/\[1, [0-9]*\]/[1, 0]/' 's/\[1, [0-9]*\]/[0, 18]/' 's/\[2, [0-9]*\]/[1, 18]/' 's/\[2, [0-9]*\]/[2, 18, 3]/' \
>     's/"histogram": \[\[1/"histogram": [["1"/' 's/"tool": "bipe-stats"/"tool": "x"/' 's/"results"/"result"/' 's/}$/]/'; do
>   sed "$change" a.json | bipe-stats --merge -
> done
! bipe-stats: standard input: files: expected a whole number from 0 to 2^63 - 1
! bipe-stats: standard input: tokens: expected a whole number from 0 to 2^63 - 1
! bipe-stats: standard input: line 7: too big integer, expected a result of bipe-stats --json
! bipe-stats: standard input: results: expected a row of length "document" with all documents and tokens for segmenter 'stop'
! bipe-stats: standard input: results[0].segments: expected the number of segments in both histograms
! bipe-stats: standard input: results[0].windows: expected the number of windows in segments_per_window.histogram
! bipe-stats: standard input: results[0].length: expected a number of tokens, or "document"
! bipe-stats: standard input: results[3].tokens: expected the number of tokens in the windows and in tokens_per_segment.histogram
! bipe-stats: standard input: results[0].segmenter: expected a string
! bipe-stats: standard input: results[0].tokens_per_segment.histogram[0]: expected a pair [value, count] of whole numbers, values rising and counts above 0
! bipe-stats: standard input: results[0].tokens_per_segment.histogram: expected segments of at least 1 token
! bipe-stats: standard input: results[0].tokens_per_segment.histogram[1]: expected a pair [value, count] of whole numbers, values rising and counts above 0
! bipe-stats: standard input: results[0].tokens_per_segment.histogram[1]: expected a pair [value, count] of whole numbers, values rising and counts above 0
! bipe-stats: standard input: line 65: ']' expected near '84', expected a result of bipe-stats --json
! bipe-stats: standard input: tool: expected "bipe-stats"
! bipe-stats: standard input: results: expected a list of results
! bipe-stats: standard input: line 37: '}' expected near ']', expected a result of bipe-stats --json
? 1
$ echo '[]' | bipe-stats --merge; echo '{}' | bipe-stats --merge; echo | bipe-stats --merge; bipe-stats --merge a.txt
! bipe-stats: standard input: expected a result of bipe-stats --json
! bipe-stats: standard input: expected a result of bipe-stats --json
! bipe-stats: standard input: line 2: '[' or '{' expected near end of file, expected a result of bipe-stats --json
! bipe-stats: a.txt: line 1: '[' or '{' expected near 'word', expected a result of bipe-stats --json
? 1

# Inputs that cannot be read are reported in the order of the files, the rest is done.
$ printf '{"text":"A. B."}\n{"no":1}\n{"text":"C."}\n' >r.jsonl; printf '\050\265\057\375\004' >torn.zst
$ bipe-stats -j 1 --csv -L 2 missing r.jsonl torn.zst . b.txt | cut -d, -f1-5
segmenter,length,windows,segments,tokens
stop,2,6,6,12
stop,document,3,6,13
! bipe-stats: missing: could not be opened: No such file or directory
! bipe-stats: r.jsonl: record at line 2, byte 8: found the member "no", expected "text" (--field names another)
! bipe-stats: torn.zst: compressed byte 5: the file ends inside the zstd frame that starts at byte 0
! bipe-stats: .: is a directory, expected a file (-r reads the text files in it)
$ bipe-stats -j 4 --csv -L 2 missing r.jsonl torn.zst . b.txt | cut -d, -f1-5
segmenter,length,windows,segments,tokens
stop,2,6,6,12
stop,document,3,6,13
! bipe-stats: missing: could not be opened: No such file or directory
! bipe-stats: r.jsonl: record at line 2, byte 8: found the member "no", expected "text" (--field names another)
! bipe-stats: torn.zst: compressed byte 5: the file ends inside the zstd frame that starts at byte 0
! bipe-stats: .: is a directory, expected a file (-r reads the text files in it)
$ bipe-stats --json missing r.jsonl torn.zst b.txt 2>/dev/null | sed -n 5,8p
  "files": 2,
  "documents": 3,
  "bytes": 28,
  "tokens": 13,
# Where nothing is left no table is shown.
$ bipe-stats missing .
! bipe-stats: missing: could not be opened: No such file or directory
! bipe-stats: .: is a directory, expected a file (-r reads the text files in it)
? 1
$ bipe-stats --csv missing | cut -d, -f1-5
segmenter,length,windows,segments,tokens
stop,document,0,0,0
! bipe-stats: missing: could not be opened: No such file or directory

# Token ids.
$ printf '72 105 46 10 65' | bipe-stats --ids text -t byte --csv -L 2 | cut -d, -f1-9
segmenter,length,windows,segments,tokens,tokens_per_segment_mean,tokens_per_segment_sd,tokens_per_segment_min,tokens_per_segment_p50
stop,2,2,3,4,1.33333333,0.471404521,1,1
stop,document,1,3,5,1.66666667,0.942809042,1,1

# Output.
$ bipe-stats --json -o out.json b.txt && bipe-stats --json b.txt | cmp - out.json; ls out.json*
out.json
$ bipe-stats b.txt >/dev/full
! bipe-stats: standard output: could not be written: No space left on device
? 1
$ bipe-stats --json -o no/such/folder b.txt
! bipe-stats: no/such/folder: could not be created: No such file or directory
? 1
$ bipe-stats --json a.txt | head -n 1
{

# Wrong usage.
$ bipe-stats --json --csv b.txt
! bipe-stats: options '--json' and '--csv' cannot be combined
? 2
$ bipe-stats --merge -s stop a.json
! bipe-stats: options '--merge' and '--segmenter' cannot be combined: results are read, not texts
? 2
$ bipe-stats -L 0 b.txt
! bipe-stats: option '-L': found '0', expected a number between 1 and 9007199254740992, optionally with k or m
! Try 'bipe-stats --help' for more information.
? 2
$ bipe-stats -L 1,x b.txt
! bipe-stats: option '-L': found 'x', expected a number between 1 and 9007199254740992, optionally with k or m
! Try 'bipe-stats --help' for more information.
? 2
$ bipe-stats -s 'fixed:' b.txt
! bipe-stats: segmenter 'fixed:': not a number of tokens, expected fixed:N with N from 1 to 4294967295 (k: 1024, m: 1048576)
? 2
$ bipe-stats --ids u16 b.txt
! bipe-stats: option '--ids u16' needs '--tokenizer': ids are read with its vocabulary
? 2

# A thread that has no file left helps the others; what is counted stays the same.
$ seq 40000 | awk '{ print $1 ". Words, and" ($1 % 500 ? "" : "\n\n"), $1 * 7, "\"x\"." }' >long.txt; for n in 1 2 3 5; do for i in $(seq $n); do echo long.txt; done | xargs bipe-stats -j 1 -s stop -s paragraph --json - >one; for j in 2 4; do for i in $(seq $n); do echo long.txt; done | xargs bipe-stats -j $j -s stop -s paragraph --json - | cmp - one; done; done
$ bipe-stats -j 1 -s fixed:5 --json - long.txt long.txt long.txt a.txt >one; bipe-stats -j 3 -s fixed:5 --json - long.txt long.txt long.txt a.txt | cmp - one

# Groups: columns where they fit, lines where they do not; CSV, and results of shards put together.
$ mkdir -p in/a in/b; for i in 1 2 3 4 5 6 7 8 9; do printf '{"text":"One two three. Four five.","meta":{"kind":"x"},"n":%s}\n{"meta":{"kind":true},"text":"One two three four. Five six seven eight. Nine, then."}\n{"text":"Nobody. Says so. %s"}\n' $i $i; done >in/a/kinds.jsonl; cp b.txt in/b/b.txt
$ bipe-stats --group-by meta.kind -L 4 in/a/kinds.jsonl
1 file, 27 documents, 864 bytes, 243 tokens by word

  group              true          x     (none)        all
  documents             9          9          9         27
  segments             27         18         27         72
  mean               4.67       3.50       2.00       3.38
  95 % of mean  4.67-4.67  3.50-3.50  2.00-2.00  2.83-3.85
  sd                 0.47       0.50       0.82       1.32
  p50                   5          3          2          3
  p95                   5          4          3          5
  max                   5          4          3          5
  <50              100.0%     100.0%     100.0%     100.0%
  KS                    -      0.667      1.000          -
  p                     -      <.001      <.001          -

  Tokens per segment of whole documents (mean to <50), with the 95 % interval of
    the mean by bootstrap over documents.
  KS: how far the lengths of segments are from those of 'true' (0 to 1); p: that
    of a permutation test over documents of whether its mean is the same (-: a
    group has one document).
  Farthest apart are 'true' and '(none)' (KS 1.000), nearest 'x' and '(none)'
    (KS 0.667); --json has all pairs.
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-stats --group-by folder -L none in/a/kinds.jsonl in/b/b.txt a.txt
3 files, 29 documents, 24,930 bytes, 5,539 tokens by word

  group              .       in/a    in/b        all
  documents          1         27       1         29
  segments         480         72       3        555
  mean            11.0       3.38    2.33       9.98
  95 % of mean       -  2.83-3.85       -  6.63-40.2
  sd              7.52       1.32    1.25       7.49
  p50               11          3       2          9
  p95               23          5       4         23
  max               24          5       4         24
  <50           100.0%     100.0%  100.0%     100.0%
  KS                 -      0.690   0.727          -
  p                  -          -       -          -

  Tokens per segment of whole documents (mean to <50), with the 95 % interval of
    the mean by bootstrap over documents (-: fewer than 8).
  KS: how far the lengths of segments are from those of '.' (0 to 1); p: that of
    a permutation test over documents of whether its mean is the same (-: a
    group has one document).
  Farthest apart are '.' and 'in/b' (KS 0.727), nearest 'in/a' and 'in/b' (KS
    0.417); --json has all pairs.
$ COLUMNS=50 bipe-stats --group-by n -L none in/a/kinds.jsonl
1 file, 27 documents, 864 bytes, 243 tokens by
  word

  group   mean  95 % of mean  p50  p95     KS  p
  1       3.50             -    3    4      -  -
  2       3.50             -    3    4  0.000  -
  3       3.50             -    3    4  0.000  -
  4       3.50             -    3    4  0.000  -
  5       3.50             -    3    4  0.000  -
  6       3.50             -    3    4  0.000  -
  7       3.50             -    3    4  0.000  -
  8       3.50             -    3    4  0.000  -
  9       3.50             -    3    4  0.000  -
  (none)  3.33     2.67-3.99    3    5  0.333  -
  all     3.38     2.83-3.85    3    5      -  -

  Tokens per segment of whole documents, with the
    95 % interval of the mean by bootstrap over
    documents (-: fewer than 8).
  KS: how far the lengths of segments are from
    those of '1' (0 to 1); p: that of a
    permutation test over documents of whether its
    mean is the same (-: a group has one
    document).
  Farthest apart are '1' and '(none)' (KS 0.333),
    nearest '1' and '2' (KS 0.000); --json has all
    pairs.
! bipe-stats: --group-by: 18 of 27 documents have no member "n" that is a string, number, true or false
$ bipe-stats --group-by meta.kind -s stop -s line -L none in/a/kinds.jsonl
1 file, 27 documents, 864 bytes, 243 tokens by word

  group   segmenter  mean  95 % of mean  p50  p95  max     <50     KS      p
  true    stop       4.67     4.67-4.67    5    5    5  100.0%      -      -
  true    line       14.0     14.0-14.0   14   14   14  100.0%      -      -
  x       stop       3.50     3.50-3.50    3    4    4  100.0%  0.667  <.001
  x       line       7.00     7.00-7.00    7    7    7  100.0%  1.000  <.001
  (none)  stop       2.00     2.00-2.00    2    3    3  100.0%  1.000  <.001
  (none)  line       6.00     6.00-6.00    6    6    6  100.0%  1.000  <.001
  all     stop       3.38     2.83-3.85    3    5    5  100.0%      -      -
  all     line       9.00     7.66-10.7    7   14   14  100.0%      -      -

  Tokens per segment of whole documents (mean to <50), with the 95 % interval of
    the mean by bootstrap over documents.
  KS: how far the lengths of segments are from those of 'true' (0 to 1); p: that
    of a permutation test over documents of whether its mean is the same (-: a
    group has one document).
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-stats --group-by meta.kind -L 4 --csv in/a/kinds.jsonl | cut -d , -f 1-4,7,26-31
group,segmenter,length,windows,tokens_per_segment_mean,mean_low,mean_high,first_ks,first_js,first_wasserstein,first_p
true,stop,4,27,2.4,,,,,,
true,stop,document,9,4.66666667,4.66666667,4.66666667,,,,
x,stop,4,9,4,,,,,,
x,stop,document,9,3.5,3.5,3.5,0.666666667,0.595437252,1.16666667,0.0005
(none),stop,4,9,2,,,,,,
(none),stop,document,9,2,2,2,1,1,2.66666667,0.0005
total,stop,4,45,2.5,,,,,,
total,stop,document,27,3.375,2.8346387,3.85404863,,,,
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
# Errors from clusters of documents. Each group has one author here.
$ sed 's/"kind": *"*\([^",}]*\)"*/&, "author": "\1"/' in/a/kinds.jsonl >authors.jsonl; bipe-stats --group-by meta.kind --cluster meta.author -L none authors.jsonl
1 file, 27 documents, 864 bytes, 243 tokens by word

  group           true       x     (none)        all
  documents          9       9          9         27
  segments          27      18         27         72
  mean            4.67    3.50       2.00       3.38
  95 % of mean       -       -  2.00-2.00  2.00-4.06
  sd              0.47    0.50       0.82       1.32
  p50                5       3          2          3
  p95                5       4          3          5
  max                5       4          3          5
  <50           100.0%  100.0%     100.0%     100.0%
  KS                 -   0.667      1.000          -
  p                  -       -          -          -

  Tokens per segment of whole documents (mean to <50), with the 95 % interval of
    the mean by bootstrap over clusters by 'meta.author' (-: fewer than 8).
  KS: how far the lengths of segments are from those of 'true' (0 to 1); p: that
    of a permutation test over clusters by 'meta.author' of whether its mean is
    the same (-: a group has one cluster).
  Farthest apart are 'true' and '(none)' (KS 1.000), nearest 'x' and '(none)'
    (KS 0.667); --json has all pairs.
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: --cluster: 9 of 27 documents have no member "meta.author" that is a string, number, true or false
$ bipe-stats --lexical --cluster file --json in/a/kinds.jsonl | jq -c '.cluster, .results[0].lexical.words'
"file"
6.33333333
! bipe-stats: --cluster: there is one cluster by "file", and errors need two
$ bipe-stats --group-by meta.kind --cluster meta.autor -L none --csv in/a/kinds.jsonl >other
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: --cluster: no document has a member "meta.autor" that is a string, number, true or false; the first record has "text", "meta.kind", "n"
? 1
$ bipe-stats --group-by meta.kind --cluster n --json in/a/kinds.jsonl >c.json; bipe-stats --group-by meta.kind --json in/a/kinds.jsonl >n.json; bipe-stats --merge n.json c.json
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: --cluster: 18 of 27 documents have no member "n" that is a string, number, true or false
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: c.json: made with '--cluster', expected without it as in the first file
? 1
$ bipe-stats --cluster file a.txt; bipe-stats --words --group-by meta.kind --cluster n a.txt
! bipe-stats: option '--cluster' needs '--group-by', '--lexical' or '--gold': other results have no errors
! bipe-stats: options '--cluster' and '--words' cannot be combined: lists of words have errors over documents
? 2
$ bipe-stats --group-by meta.kind -L none --json in/a/kinds.jsonl | sed -n '/^  "run"/,/^  }/d; /"group_by"/,$p'
  "group_by": "meta.kind",
  "groups": [
    {
      "group": "true",
      "documents": 9,
      "bytes": 477,
      "tokens": 126,
      "units": [
        [0, [46254260921530, 14, 3], [80316690837417, 14, 3], [96428045986189, 14, 3], [105403583369747, 14, 3], [157417088052749, 14, 3], [173528443201521, 14, 3], [207590873117408, 14, 3], [232677765649738, 14, 3], [266740195565625, 14, 3]]
      ]
    },
    {
      "group": "x",
      "documents": 9,
      "bytes": 225,
      "tokens": 63,
      "units": [
        [0, [12191831005642, 7, 2], [28303186154414, 7, 2], [62365616070302, 7, 2], [71341153453859, 7, 2], [87452508602631, 7, 2], [139466013285634, 7, 2], [164552905817963, 7, 2], [198615335733851, 7, 2], [259604377800411, 7, 2]]
      ]
    },
    {
      "group": "(none)",
      "documents": 9,
      "bytes": 162,
      "tokens": 54,
      "units": [
        [0, [3216293622085, 6, 3], [19327648770857, 6, 3], [53390078686744, 6, 3], [114379120753304, 6, 3], [130490475902076, 6, 3], [191479517968636, 6, 3], [225541947884524, 6, 3], [241653303033296, 6, 3], [275715732949183, 6, 3]]
      ]
    }
  ],
  "comparisons": [
    {
      "segmenter": "stop",
      "a": "true",
      "b": "x",
      "ks": 0.666666667,
      "js": 0.595437252,
      "wasserstein": 1.16666667,
      "mean_difference": -1.16666667,
      "stderr": 0,
      "interval": [-1.16666667, -1.16666667],
      "p": 0.0005
    },
    {
      "segmenter": "stop",
      "a": "true",
      "b": "(none)",
      "ks": 1,
      "js": 1,
      "wasserstein": 2.66666667,
      "mean_difference": -2.66666667,
      "stderr": 0,
      "interval": [-2.66666667, -2.66666667],
      "p": 0.0005
    },
    {
      "segmenter": "stop",
      "a": "x",
      "b": "(none)",
      "ks": 0.666666667,
      "js": 0.595437252,
      "wasserstein": 1.5,
      "mean_difference": -1.5,
      "stderr": 0,
      "interval": [-1.5, -1.5],
      "p": 0.0005
    }
  ],
}
! bipe-stats: --group-by: 9 of 27 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-stats --group-by meta.kind --json in/a/kinds.jsonl in/b/b.txt >whole.json; for i in 0 1 2; do bipe-stats --group-by meta.kind --shard $i/3 --json -o group$i.json in/a/kinds.jsonl in/b/b.txt; done; bipe-stats --merge --json group2.json group0.json group1.json | cmp - whole.json
! bipe-stats: --group-by: 10 of 28 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: --group-by: 1 of 10 documents has no member "meta.kind" that is a string, number, true or false
! bipe-stats: --group-by: 9 of 9 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-stats -j 1 --group-by meta.kind --json in/a/kinds.jsonl in/b/b.txt | cmp - whole.json; bipe-stats --json b.txt | bipe-stats --merge whole.json -
! bipe-stats: --group-by: 10 of 28 documents have no member "meta.kind" that is a string, number, true or false
! bipe-stats: -: made without '--group-by', expected with it as in the first file
? 1
$ sed 's/"group": "x"/"group": "y"/' whole.json | bipe-stats --merge -
2 files, 28 documents, 885 bytes, 250 tokens by word

  group              true          y     (none)        all
  documents             9          9         10         28
  segments             27         18         30         75
  mean               4.67       3.50       2.03       3.33
  95 % of mean  4.67-4.67  3.50-3.50  2.00-2.10  2.87-3.81
  sd                 0.47       0.50       0.87       1.33
  p50                   5          3          2          3
  p95                   5          4          3          5
  max                   5          4          4          5
  <50              100.0%     100.0%     100.0%     100.0%
  KS                    -      0.667      0.967          -
  p                     -      <.001      <.001          -

  Tokens per segment of whole documents (mean to <50), with the 95 % interval of
    the mean by bootstrap over documents.
  KS: how far the lengths of segments are from those of 'true' (0 to 1); p: that
    of a permutation test over documents of whether its mean is the same (-: a
    group has one document).
  Farthest apart are 'true' and '(none)' (KS 0.967), nearest 'y' and '(none)'
    (KS 0.667); --json has all pairs.
$ perl -0pe 's/\[\[0,\n? *\[/[[50, [/; s/"units": \[\s*\[0,/"units": [[99,/' whole.json | bipe-stats --merge -
! bipe-stats: standard input: groups[0].units: expected dropped bits, then at most 2048 of [key, tokens, segments] with rising keys below 2^48
? 1
$ bipe-stats --group-by kind -L none b.txt | tail -n 3
  <50           100.0%  100.0%

  Tokens per segment of whole documents (mean to <50).
! bipe-stats: --group-by: no document has a member "kind" that is a string, number, true or false
$ i=0; while [ $i -lt 1001 ]; do printf '{"text":"One two","n":%s}\n' $i; i=$((i + 1)); done | bipe-stats -j 1 --jsonl --group-by n
! bipe-stats: -: document 1000: more than 1000 groups by "n" ("1000" is one more), expected fewer
? 1
# Of several files the number of groups is the only error, whichever thread finds it first.
$ seq -f '{"text":"A. B.","n":%g}' 700 >n1.jsonl; seq -f '{"text":"A. B.","n":"b%g"}' 600 >n2.jsonl
$ for j in 1 2 4; do bipe-stats -j $j --group-by n r.jsonl n1.jsonl n2.jsonl; done
! bipe-stats: more than 1000 groups by "n" in these files, expected fewer
! bipe-stats: more than 1000 groups by "n" in these files, expected fewer
! bipe-stats: more than 1000 groups by "n" in these files, expected fewer
? 1
$ bipe-stats -j 2 --csv --group-by n r.jsonl n1.jsonl | tail -n 1 | cut -d, -f1-4
total,stop,document,702
! bipe-stats: r.jsonl: record at line 2, byte 8: found the member "no", expected "text" (--field names another)
! bipe-stats: --group-by: 2 of 702 documents have no member "n" that is a string, number, true or false
$ bipe-stats --group-by n --per-file b.txt
! bipe-stats: options '--group-by' and '--per-file' cannot be combined
? 2
$ bipe-stats --group-by a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q b.txt
! bipe-stats: option '--group-by': found a path of 17 names, expected at most 16
! Try 'bipe-stats --help' for more information.
? 2

# Histograms; whole documents alone.
$ bipe-stats -L 4 -s stop -s line --histogram b.txt
segmenter,length,quantity,value,count
stop,4,tokens_per_segment,4,1
stop,4,segments_per_window,1,1
stop,document,tokens_per_segment,1,1
stop,document,tokens_per_segment,2,1
stop,document,tokens_per_segment,4,1
stop,document,segments_per_window,3,1
line,4,tokens_per_segment,4,1
line,4,segments_per_window,1,1
line,document,tokens_per_segment,7,1
line,document,segments_per_window,1,1
$ bipe-stats --per-file -L none --histogram b.txt empty
file,segmenter,length,quantity,value,count
b.txt,stop,document,tokens_per_segment,1,1
b.txt,stop,document,tokens_per_segment,2,1
b.txt,stop,document,tokens_per_segment,4,1
b.txt,stop,document,segments_per_window,3,1
empty,stop,document,segments_per_window,0,1
total,stop,document,tokens_per_segment,1,1
total,stop,document,tokens_per_segment,2,1
total,stop,document,tokens_per_segment,4,1
total,stop,document,segments_per_window,0,1
total,stop,document,segments_per_window,3,1
$ bipe-stats -L none b.txt
1 file, 1 document, 21 bytes, 7 tokens by word

Segmenter stop

  Tokens per segment
  window  segments  mean    sd  min  p50  p90  p95  p99  max     <50
   whole         3  2.33  1.25    1    2    4    4    4    4  100.0%

  Segments per window
  window  windows  mean  sd  min  p5  p50  p95  max
   whole        1  3.00   0    3   3    3    3    3

  Whole documents: segments by tokens
  1  ██████████████████████████████████████████████████   33.3%
  2  ██████████████████████████████████████████████████   33.3%  p50
  4  ██████████████████████████████████████████████████   33.3%  p95
$ bipe-stats -L none --json b.txt | bipe-stats --merge --csv - | cut -d , -f 1-6
segmenter,length,windows,segments,tokens,tokens_per_segment_mean
stop,document,1,3,7,2.33333333
$ bipe-stats --json --histogram b.txt
! bipe-stats: options '--json' and '--histogram' cannot be combined
? 2
$ bipe-stats -L 4 -L none b.txt
! bipe-stats: option '-L': found 'none', expected numbers or 'none' alone
! Try 'bipe-stats --help' for more information.
? 2
# The beginning of a name is another tool's option.
$ bipe-stats --id meta.id b.txt; bipe-stats --ids=meta.id b.txt
! bipe-stats: option '--id', which is short for '--ids': found 'meta.id', expected one of u16, u32, text
! Try 'bipe-stats --help' for more information.
! bipe-stats: option '--ids': found 'meta.id', expected one of u16, u32, text
! Try 'bipe-stats --help' for more information.
? 2

# Words: of documents, of groups, as a list, and compared. tests/peers/lexical has the numbers.
$ "$PERL" -e 'for my $i (0 .. 19) { print qq({"text":"), join(" ", map { ("The", "the", "river", qw(of and boats), "stone$i", "Bridge" . $_ % 7)[($_ * $_ + $i) % 8] . ($_ % 9 ? "" : ".") } 1 .. 60), qq(","kind":"), ($i % 4 ? "news" : "fiction, old"), qq("}\n) }' >words.jsonl
$ bipe-stats --lexical words.jsonl
1 file, 20 documents, 6,355 bytes, 1,200 tokens by words

  file               all files
  documents                 20
  mean words                60
    95 %             60.0-60.0
  mean types              4.95
    95 %             3.60-6.65
  mean hapaxes               0
    95 %                   0-0
  TTR                    0.083
    95 %           0.060-0.111
  MTLD                    4.45
    95 %             3.76-7.05
  HD-D                   0.115
    95 %           0.085-0.152
  ARI                     16.5
    95 %             11.2-22.5
  Coleman-Liau            7.81
    95 %             5.55-11.2
  LIX                     53.7
    95 %             43.4-67.5
  RIX                     4.99
    95 %             2.10-11.4
  sentence mean           36.2
    95 %             26.6-46.9
  sentence median         34.5
    95 %             24.4-45.9
  sentence sd             4.37
    95 %             2.38-6.92

  Values are means over documents, with 95 % intervals by bootstrap over
    documents. A sentence is a segment that holds a word; its length is in
    words.
$ COLUMNS=50 bipe-stats --lexical --group-by kind -s sentence -s line words.jsonl
1 file, 20 documents, 6,355 bytes, 1,200 tokens by
  words

  group         segmenter    TTR  MTLD   ARI
  fiction, old  sentence   0.040  3.24  7.58
  fiction, old  line       0.040  3.24  24.6
  news          sentence   0.097  4.85  19.5
  news          line       0.097  4.85  29.7
  all           sentence   0.083  4.45  16.5
  all           line       0.083  4.45  28.4

  Values are means over documents. A sentence is a
    segment that holds a word; its length is in
    words.
$ bipe-stats --lexical --csv --group-by kind words.jsonl | cut -d , -f 1-3,31-39
group,segmenter,length,first_p,lexical_words,lexical_words_low,lexical_words_high,lexical_types,lexical_types_low,lexical_types_high,lexical_hapaxes,lexical_hapaxes_low
"fiction, old",sentence,,,60,,,2.4,,,0
news,sentence,document,1,60,60,60,5.8,3.99495656,7.79555061,0,0
total,sentence,document,,60,60,60,4.95,3.59716207,6.65077626,0,0
$ bipe-stats --words words.jsonl
1 file, 20 documents, 6,355 bytes, 1,200 tokens by words

  19 types, of which 0 are used once.

  word     frequency  per million       95 % interval  documents     DP      D
  the            300      250,000  [156,002, 400,636]         12  0.400  0.759
  and            165      137,500   [75,091, 251,778]          8  0.600  0.691
  of             165      137,500   [75,091, 251,778]          8  0.600  0.691
  river          165      137,500   [75,091, 251,778]          8  0.600  0.691
  boats          135      112,500   [57,658, 219,507]          7  0.650  0.659
  stone13         30       25,000    [3,522, 177,477]          1  0.950  0.000
  stone5          30       25,000    [3,522, 177,477]          1  0.950  0.000
  bridge2         21       17,500     [9,209, 33,255]          7  0.650  0.672
  bridge1         20       16,667     [8,186, 33,932]          7  0.650  0.637
  bridge3         20       16,667     [8,186, 33,932]          7  0.650  0.637
  bridge4         20       16,667     [8,687, 31,977]          7  0.650  0.668
  bridge0         18       15,000     [7,688, 29,268]          7  0.650  0.659
  bridge5         18       15,000     [7,688, 29,268]          7  0.650  0.659
  bridge6         18       15,000     [7,688, 29,268]          7  0.650  0.659
  stone10         15       12,500     [1,761, 88,738]          1  0.950  0.000
  stone14         15       12,500     [1,761, 88,738]          1  0.950  0.000
  stone18         15       12,500     [1,761, 88,738]          1  0.950  0.000
  stone2          15       12,500     [1,761, 88,738]          1  0.950  0.000
  stone6          15       12,500     [1,761, 88,738]          1  0.950  0.000

  Intervals are of the frequency per million, over documents. DP: from 0, as
    often in all documents, to almost 1; D: from 1 to 0.
$ bipe-stats --words --keep-case --group-by kind --csv words.jsonl | head -n 5
word,frequency,per_million,low,high,documents,dp,d,"fiction, old",news
and,165,137500,75090.9563,251777.989,8,0.204545455,0.571428571,75,90
of,165,137500,75090.9563,251777.989,8,0.25,0,0,165
river,165,137500,75090.9563,251777.989,8,0.25,0,0,165
the,165,137500,75090.9563,251777.989,8,0.295454545,0.434782609,90,75
# Of a word of one part alone D is exactly 0, and of one that all parts use equally often DP is 0 and D 1: 1 - V / sqrt(2) of these three groups.
$ printf '{"text":"a b c a f","reg":"x"}\n{"text":"a d d e f","reg":"y"}\n{"text":"f q r s t","reg":"z"}\n' >three.jsonl; bipe-stats --words --group-by reg --csv three.jsonl | cut -d , -f 1,7,8
word,dp,d
a,0.333333333,0.422649731
f,0,1
d,0.666666667,0
b,0.666666667,0
c,0.666666667,0
e,0.666666667,0
q,0.666666667,0
r,0.666666667,0
s,0.666666667,0
t,0.666666667,0
$ COLUMNS=50 bipe-stats --keyness 'fiction, old,news' --group-by kind words.jsonl
1 file, 20 documents, 6,355 bytes, 1,200 tokens by
  words

  More in 'fiction, old' than in 'news'
  word     A    B     G2  log ratio      p
  the    165  135  175.8       1.87  <.001
  and     75   90   38.4       1.32  <.001
  boats   60   75   27.6       1.26  <.001

  More in 'news' than in 'fiction, old'
  word     A    B      G2  log ratio      p
  of       0  165  -103.4      -6.78  <.001
  river    0  165  -103.4      -6.78  <.001
  stone13  0   30   -17.5      -4.32  <.001
  stone5   0   30   -17.5      -4.32  <.001
  bridge2  0   21   -12.2      -3.81  0.006
  bridge1  0   20   -11.6      -3.74  0.007
  bridge3  0   20   -11.6      -3.74  0.007
  bridge4  0   20   -11.6      -3.74  0.007
  bridge0  0   18   -10.4      -3.58  0.010
  bridge5  0   18   -10.4      -3.58  0.010
  bridge6  0   18   -10.4      -3.58  0.010
  stone10  0   15   -8.69      -3.32  0.016
  stone14  0   15   -8.69      -3.32  0.016
  stone18  0   15   -8.69      -3.32  0.016
  stone2   0   15   -8.69      -3.32  0.016
  stone6   0   15   -8.69      -3.32  0.016

  A is 'fiction, old', B is 'news'. G2:
    log-likelihood; log ratio: base 2, of relative
    frequencies (1: twice as often in A; a
    frequency of 0 counts as a half), with its
    interval over documents; p: of G2, corrected
    for 19 words by Holm's method. --csv prints
    all words.
$ bipe-stats --keyness news --group-by kind --csv words.jsonl | head -n 3
word,a,b,a_documents,b_documents,a_per_million,b_per_million,g2,log_ratio,log_ratio_low,log_ratio_high,p
the,135,165,7,5,150000,550000,-175.844701,-1.87446912,,,7.4387816e-39
of,165,0,8,0,183333.333,0,103.419085,6.78135971,,,4.8824846e-23
$ bipe-stats --words --json --group-by kind words.jsonl >list.json; bipe-stats --merge --keyness news list.json | head -n 4
1 file, 20 documents, 6,355 bytes, 1,200 tokens by words

  More in 'news' than in all others
  word       A  B  A per million  B per million     G2  log ratio      p
$ printf 'No word twice.' | bipe-stats --lexical
1 file, 1 document, 14 bytes, 3 tokens by words

  file             all files
  documents                1
  words                    3
  types                    3
  hapaxes                  3
  TTR                  1.000
  ARI                  -2.66
  Coleman-Liau         -4.11
  LIX                   3.00
  RIX                      0
  sentence mean         3.00
  sentence median       3.00
  sentence sd              0

  A sentence is a segment that holds a word; its length is in words.
$ : | bipe-stats --words --csv
word,frequency,per_million,low,high,documents,dp,d
# What does not go together, and what is not there.
$ bipe-stats --lexical --words b.txt; bipe-stats --keyness a,b b.txt; bipe-stats --keep-case b.txt; bipe-stats --words -t word b.txt; bipe-stats --words --per-file b.txt
! bipe-stats: options '--lexical' and '--words' cannot be combined
! bipe-stats: option '--keyness' needs '--group-by' or '--merge': it compares groups
! bipe-stats: option '--keep-case' needs '--lexical', '--words' or '--keyness'
! bipe-stats: options '--words' and '--tokenizer word' cannot be combined: '--tokenizer words' finds the words that are counted
! bipe-stats: options '--words' and '--per-file' cannot be combined
? 2
$ bipe-stats --keyness news,sports --group-by kind words.jsonl
! bipe-stats: --keyness: found 'news,sports', expected two different groups of these, or one of several: 'fiction, old', 'news'
? 1
$ bipe-stats --lexical -L 8 b.txt; bipe-stats --words -L 8 --csv b.txt; bipe-stats --lexical -L none b.txt | tail -n 1; bipe-stats --lexical -L 2 --csv b.txt | cut -d , -f 1-3; : | bipe-stats --words; echo one | bipe-stats --words | sed -n 3p
  A sentence is a segment that holds a word; its length is in words.
segmenter,length,windows
sentence,2,2
sentence,document,1
1 file, 1 document, 0 bytes, 0 tokens by words

  There are no words.
  1 type, of which 1 is used once.
! bipe-stats: option '--length 8' needs '--json' or '--csv': a table of words has no windows
! bipe-stats: option '--length 8' needs '--json': a list of words has no windows
# Values of several documents are called means; only what is shown is explained.
$ bipe-stats --lexical --per-file -s sentence a.txt river.txt; bipe-stats --lexical --group-by kind words.jsonl | tail -n 2
2 files, 2 documents, 30,223 bytes, 6,056 tokens by words

  file             a.txt  river.txt  all files
  documents            1          1          2
  mean words       4,809      1,247      3,028
  mean types           2        434        218
  mean hapaxes         0        271      135.5
  TTR              0.000      0.348      0.174
  MTLD              2.16       84.6       43.4
  HD-D             0.047      0.837      0.442
  ARI               27.1       1.13       14.1
  Coleman-Liau      6.74       3.06       4.90
  LIX               60.1       16.1       38.1
  RIX                  0       0.60       0.30
  sentence mean     60.1       10.3       35.2
  sentence median   60.0       7.00       33.5
  sentence sd       9.58       8.75       9.16

  Values are means over documents. A sentence is a segment that holds a word;
    its length is in words.
    documents (-: fewer than 8). A sentence is a segment that holds a word; its
    length is in words.
$ printf '{"text":"a","g":"x"}\n{"text":"a","g":"y"}\n' | bipe-stats --keyness x --group-by g --jsonl
1 file, 2 documents, 2 bytes, 2 tokens by words

  More in 'x' than in all others
  No words.

  More in all others than in 'x'
  No words.

  A is 'x', B is all others. G2: log-likelihood; log ratio: base 2, of relative
    frequencies (1: twice as often in A; a frequency of 0 counts as a half),
    with its interval over documents; p: of G2, corrected for 1 word by Holm's
    method. --csv prints all words.
# A merged result shows what it holds, as the run did; what parts lack is named.
$ for o in --words --lexical; do bipe-stats $o --json b.txt >held.json; for f in '' --csv; do bipe-stats $o $f b.txt >want; bipe-stats --merge $f held.json | cmp - want; done; done; bipe-stats --words --json b.txt | bipe-stats --merge --histogram - | head -n 2
segmenter,length,quantity,value,count
sentence,document,tokens_per_segment,1,1
$ bipe-stats --words --json b.txt | bipe-stats --merge --lexical -; bipe-stats --json b.txt | bipe-stats --merge held.json -; bipe-stats --words --json b.txt | bipe-stats --merge held.json -; bipe-stats --record r.json b.txt >run.txt; bipe-stats --merge r.json
! bipe-stats: these results were made without '--lexical'
! bipe-stats: -: made without '--lexical', expected with it as in the first file
! bipe-stats: -: made without '--lexical', expected with it as in the first file
! bipe-stats: r.json: expected a result of bipe-stats --json
? 1
$ for i in 2 3; do bipe-stats --sample $i --json b.txt >s$i.json; bipe-stats --group-by "g$i" --json -q b.txt >g$i.json; done; bipe-stats --merge s2.json s3.json; bipe-stats --merge g2.json g3.json
! bipe-stats: the sample is empty: use a smaller --sample, or another --seed
! bipe-stats: s3.json: made with '--sample 3 --seed 0', expected '--sample 2 --seed 0' as in the first file
! bipe-stats: g3.json: made with '--group-by g3', expected '--group-by g2' as in the first file
? 1
$ bipe-stats --json b.txt | bipe-stats --merge --words -
! bipe-stats: these results were made without '--words' or '--keyness'
? 1
$ bipe-stats --words --json b.txt >folded.json; bipe-stats --words --keep-case --json b.txt | bipe-stats --merge folded.json -
! bipe-stats: -: made with '--keep-case', expected without it as in the first file
? 1

# The folder that all names have in common is left out of tables, and names get what room there is.
$ mkdir -p books/old books/newspapers-and-magazines books/oldest; for f in old/a.txt old/a-name-that-is-longer-than-twenty.txt newspapers-and-magazines/b.txt oldest/c.txt; do cp b.txt books/$f; done
$ bipe-stats -L none --per-file books/old/a.txt books/old/a-name-that-is-longer-than-twenty.txt books/oldest/c.txt
3 files, 3 documents, 63 bytes, 21 tokens by word
Files are in books/

  file                   segments  mean    sd  p50  p95  max     <50  per 1k  KS
  old/a.txt                     3  2.33  1.25    2    4    4  100.0%       -   -
  old/a-name…twenty.txt         3  2.33  1.25    2    4    4  100.0%       -   -
  oldest/c.txt                  3  2.33  1.25    2    4    4  100.0%       -   -
  all files                     9  2.33  1.25    2    4    4  100.0%       -   -

  Tokens per segment of whole documents (mean to <50); per 1k: segments added by
    each 1k tokens of window (-: only one length); KS: how much the length of
    segments changes with the window (below 0.05: it does not; -: too few
    windows).
  With one -s, and without --per-file, all windows and a chart are shown.
$ COLUMNS=60 bipe-stats -L none --group-by folder -r books; bipe-stats -L none --group-by folder --csv -r books | cut -d , -f 1-4
4 files, 4 documents, 84 bytes, 28 tokens by word
Folders are in books/

  group         newspapers…magazines     old  oldest     all
  documents                        1       2       1       4
  segments                         3       6       3      12
  mean                          2.33    2.33    2.33    2.33
  sd                            1.25    1.25    1.25    1.25
  p50                              2       2       2       2
  p95                              4       4       4       4
  max                              4       4       4       4
  <50                         100.0%  100.0%  100.0%  100.0%
  KS                               -   0.000   0.000       -
  p                                -       -       -       -

  Tokens per segment of whole documents (mean to <50).
  KS: how far the lengths of segments are from those of
    'newspapers-and-magazines' (0 to 1); p: that of a
    permutation test over documents of whether its mean is
    the same (-: a group has one document).
  Farthest apart are 'newspapers-and-magazines' and 'old'
    (KS 0.000), nearest 'newspapers-and-magazines' and 'old'
    (KS 0.000); --json has all pairs.
group,segmenter,length,windows
books/newspapers-and-magazines,stop,document,1
books/old,stop,document,2
books/oldest,stop,document,1
total,stop,document,4
$ bipe-stats -L none --per-file books/old/a.txt | head -n 5; bipe-stats -L none --per-file books/old/a.txt b.txt | head -n 4
1 file, 1 document, 21 bytes, 7 tokens by word
Files are in books/old/

  file       segments  mean    sd  p50  p95  max     <50  per 1k  KS
  a.txt             3  2.33  1.25    2    4    4  100.0%       -   -
2 files, 2 documents, 42 bytes, 14 tokens by word

  file             segments  mean    sd  p50  p95  max     <50  per 1k  KS
  books/old/a.txt         3  2.33  1.25    2    4    4  100.0%       -   -
$ bipe-stats --keyness old,oldest --group-by folder -r books | head -n 4; bipe-stats --keyness books/old --group-by folder --csv -r books | head -n 2
4 files, 4 documents, 84 bytes, 16 tokens by words
Folders are in books/

  More in 'old' than in 'oldest'
word,a,b,a_documents,b_documents,a_per_million,b_per_million,g2,log_ratio,log_ratio_low,log_ratio_high,p
a,2,2,2,2,250000,250000,0,0,,,1

# Segmenters that nest: each level is counted.
$ printf 'One is. Two\nis.\n\n  Three.\n' >nested.txt; printf 'A. B. C.\n' >other.txt; bipe-stats -s sentence:en/paragraph/document nested.txt other.txt
2 files, 2 documents, 35 bytes, 19 tokens by word

  segmenter              segments  mean  p50  p95  max  per 1k  finer  finer p95
  sentence:e…h/document         5  3.80    3    7    7       -      -          -
  paragraph/document            3  6.33    7    9    9       -   1.67          3
  document                      2  9.50    7   12   12       -   1.50          2

  Tokens per segment of whole documents; per 1k: segments added by each 1k
    tokens of window (-: only one length); finer: mean number of segments of the
    next finer level in each.
  With one -s of one level, and without --per-file, all windows and a chart are
    shown.
$ bipe-stats -s sentence:en/paragraph/document --csv --histogram nested.txt other.txt | grep finer
paragraph/document,document,finer_per_segment,1,2
paragraph/document,document,finer_per_segment,3,1
document,document,finer_per_segment,1,1
document,document,finer_per_segment,2,1
$ bipe-stats -s sentence:en/paragraph/document --json --shard 0/2 -o 0.json nested.txt other.txt; bipe-stats -s sentence:en/paragraph/document --json --shard 1/2 -o 1.json nested.txt other.txt; bipe-stats --merge --csv 0.json 1.json >merged.csv; bipe-stats -s sentence:en/paragraph/document --csv nested.txt other.txt | cmp - merged.csv
$ bipe-stats -s stop/line --csv --squeeze nested.txt | head -n 1 | grep -c finer; bipe-stats -s stop/line --records --jsonl </dev/null; bipe-stats -s line/stop -L none nested.txt | sed -n 3,5p
0
  segmenter  segments  mean  p50  p95  max     <50  per 1k  finer  finer p95
  line/stop         7  1.71    2    3    3  100.0%       -      -          -
  stop              7  1.71    2    3    3  100.0%       -   1.00          1
