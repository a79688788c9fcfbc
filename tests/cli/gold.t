# bipe-stats --gold: the forms of reference segments, tables, misses, and what is refused. tests/peers/agreement has the numbers.

$ printf 'Mr. Ash came. He sat down. Why? (See p. 4.) He left.\n' > a.txt
$ printf '13\n26\n31\n43\n52\n' > a.ends; bipe-stats -s sentence -s sentence:en -s stop --gold a.ends --misses 2 a.txt
1 file, 1 document, 53 bytes, 22 tokens by word

  segmenter    precision  recall     F1  inner F1     Pk  WindowDiff  difference
  sentence         0.714   1.000  0.833     0.800  0.162       0.189           -
  sentence:en      1.000   1.000  1.000     1.000  0.000       0.000       0.167
  stop             0.500   0.600  0.545     0.444  0.297       0.324      -0.288

  Precision, recall and F1 are those of the ends of segments; inner: without
    those of documents; Pk, WindowDiff: errors in windows of half a mean
    reference segment, in characters that are not white space; difference: of F1
    from the first segmenter.

  Where 'sentence' and the reference differ (+ an end of its own, - of the reference)
           3 +                             Mr.| Ash came. He sat down. Why? (Se
          39 + came. He sat down. Why? (See p.| 4.) He left.

  Where 'stop' and the reference differ (+ an end of its own, - of the reference)
           3 +                             Mr.| Ash came. He sat down. Why? (Se
          31 - Mr. Ash came. He sat down. Why?| (See p. 4.) He left.
$ bipe-stats -s sentence:en --gold a.ends a.txt
1 file, 1 document, 53 bytes, 22 tokens by word

Segmenter sentence:en

  file                   all files
  documents                      1
  ends of the reference          5
  ends of the segmenter          5
  ends of both                   5
  precision                  1.000
  recall                     1.000
  F1                         1.000
  inner precision            1.000
  inner recall               1.000
  inner F1                   1.000
  Pk                         0.000
  WindowDiff                 0.000
  exact                      1.000

  Precision, recall and F1 are those of the ends of segments; inner: without
    those of documents; Pk, WindowDiff: errors in windows of half a mean
    reference segment, in characters that are not white space; exact: the share
    of reference segments that are found as they are.
$ printf 'Mr. Ash came.\n\nHe  sat down.\nWhy?\n(See p. 4.)\nHe left.\n' > a.seg; bipe-stats -s stop --gold a.seg --csv a.txt | tail -n 1 > want; bipe-stats -s stop --gold a.ends --csv a.txt | tail -n 1 | cmp - want
$ bipe-segment -s sentence:en --format jsonl a.txt > a.jsonl; bipe-stats -s sentence:en --gold a.jsonl --csv a.txt | tail -n 1 | cut -d , -f 25-34
5,5,5,1,,,1,,,1
$ bipe-stats -s stop --gold a.ends --misses 3 --csv a.txt; bipe-stats -s stop --gold a.ends --misses 1 --json a.txt | grep -A 10 '"misses": \['
segmenter,file,document,offset,found,expected,before,after
stop,a.txt,0,3,end,no end,Mr.," Ash came. He sat down. Why? (See p. 4.) He left.
"
stop,a.txt,0,31,no end,end,Mr. Ash came. He sat down. Why?," (See p. 4.) He left.
"
stop,a.txt,0,39,end,no end,Mr. Ash came. He sat down. Why? (See p.," 4.) He left.
"
  "misses": [
    {
      "segmenter": "stop",
      "file": "a.txt",
      "document": 0,
      "offset": 3,
      "found": "end",
      "expected": "no end",
      "before": "Mr.",
      "after": " Ash came. He sat down. Why? (See p. 4.) He left.\n"
    }
$ mkdir gold; cp a.ends gold/; cp a.txt b.txt; cp a.seg gold/b.txt; bipe-stats -s sentence:en --gold gold --per-file a.txt b.txt; cp a.ends z.ends; bipe-stats -s stop --gold z.ends --csv a.txt | tail -n 1 | cmp - want
2 files, 2 documents, 106 bytes, 44 tokens by word

Segmenter sentence:en

  file                   a.txt  b.txt  all files
  documents                  1      1          2
  ends of the reference      5      5         10
  ends of the segmenter      5      5         10
  ends of both               5      5         10
  precision              1.000  1.000      1.000
  recall                 1.000  1.000      1.000
  F1                     1.000  1.000      1.000
  inner precision        1.000  1.000      1.000
  inner recall           1.000  1.000      1.000
  inner F1               1.000  1.000      1.000
  Pk                     0.000  0.000      0.000
  WindowDiff             0.000  0.000      0.000
  exact                  1.000  1.000      1.000

  Precision, recall and F1 are those of the ends of segments; inner: without
    those of documents; Pk, WindowDiff: errors in windows of half a mean
    reference segment, in characters that are not white space; exact: the share
    of reference segments that are found as they are.

# Documents of JSON Lines, their groups, and shards.
$ for i in 1 2 3 4 5 6 7 8 9; do echo '{"text": "Mr. A came. Why? He sat.", "kind": "x"}'; echo '{"text": "So be it. No. 4 won", "kind": "y"}'; done > d.jsonl
$ for i in 1 2 3 4 5 6 7 8 9; do echo '{"ends": [11, 16, 24]}'; echo '{"spans": [[0, 9], [10, 19]]}'; done > d.gold
$ bipe-stats -s sentence -s sentence:en --group-by kind --gold d.gold d.jsonl; bipe-stats -s sentence:en --gold d.gold d.jsonl
1 file, 18 documents, 387 bytes, 162 tokens by word

  group  segmenter    precision  recall     F1   95 % of F1  difference      p
  x      sentence         0.750   1.000  0.857  0.857-0.857           -      -
  x      sentence:en      1.000   1.000  1.000  1.000-1.000       0.143  0.001
  y      sentence         1.000   1.000  1.000  1.000-1.000           -      -
  y      sentence:en      1.000   1.000  1.000  1.000-1.000       0.000  1.000
  all    sentence         0.833   1.000  0.909  0.880-0.946           -      -
  all    sentence:en      1.000   1.000  1.000  1.000-1.000       0.091  0.002

  Precision, recall and F1 are those of the ends of segments, with 95 %
    intervals by bootstrap over documents; difference: of F1 from the first
    segmenter, with p, in the same documents.
1 file, 18 documents, 387 bytes, 162 tokens by word

Segmenter sentence:en

  file                     all files
  documents                       18
  ends of the reference           45
  ends of the segmenter           45
  ends of both                    45
  precision                    1.000
    95 %                 1.000-1.000
  recall                       1.000
    95 %                 1.000-1.000
  F1                           1.000
    95 %                 1.000-1.000
  inner precision              1.000
    95 %                 1.000-1.000
  inner recall                 1.000
    95 %                 1.000-1.000
  inner F1                     1.000
    95 %                 1.000-1.000
  Pk                           0.000
    95 %                 0.000-0.000
  WindowDiff                   0.000
    95 %                 0.000-0.000
  exact                        1.000
    95 %                 1.000-1.000

  Precision, recall and F1 are those of the ends of segments, with 95 %
    intervals by bootstrap over documents; inner: without those of documents;
    Pk, WindowDiff: errors in windows of half a mean reference segment, in
    characters that are not white space; exact: the share of reference segments
    that are found as they are.
$ for i in 0 1; do bipe-stats -s stop --gold d.gold --shard $i/2 --json -o part-$i.json d.jsonl; done; bipe-stats -s stop --gold d.gold d.jsonl > want; bipe-stats --merge part-1.json part-0.json | cmp - want; bipe-stats -s stop --gold d.gold --shard 1/2 --json -o part-1.json d.jsonl; bipe-stats --json -s stop d.jsonl | bipe-stats --merge part-0.json -
! bipe-stats: part-1.json: shard 1 of 2 is already done; --force counts it again
! bipe-stats: -: made without '--gold', expected with it as in the first file
? 1
$ bipe-stats --gold d.gold -s stop -L 4 --csv d.jsonl | cut -d , -f 1-4; : | bipe-stats --gold a.ends -; bipe-stats --gold d.gold -L 4 d.jsonl
segmenter,length,windows,segments
stop,4,36,63
stop,document,18,54
! bipe-stats: -: document 0: a.ends: segment 1 ends after 13 bytes, expected at most the 0 of the text
! bipe-stats: option '--length 4' needs '--json' or '--csv': a table of agreement has no windows
? 2

# Keys explain the columns that a line has.
$ for c in 56 66 80 96; do COLUMNS=$c bipe-stats -s sentence -s sentence:en --gold d.gold d.jsonl | sed -n '3p; 6,$p'; done
  segmenter    precision  recall     F1  difference

  Precision, recall and F1 are those of the ends of
    segments; difference: of F1 from the first
    segmenter.
  segmenter    precision  recall     F1  difference      p

  Precision, recall and F1 are those of the ends of segments;
    difference: of F1 from the first segmenter, with p, in the
    same documents.
  segmenter    precision  recall     F1   95 % of F1     Pk  difference      p

  Precision, recall and F1 are those of the ends of segments, with 95 %
    intervals by bootstrap over documents; Pk: errors in windows of half a mean
    reference segment, in characters that are not white space; difference: of F1
    from the first segmenter, with p, in the same documents.
  segmenter    precision  recall     F1   95 % of F1     Pk  WindowDiff  difference      p

  Precision, recall and F1 are those of the ends of segments, with 95 % intervals by bootstrap
    over documents; Pk, WindowDiff: errors in windows of half a mean reference segment, in
    characters that are not white space; difference: of F1 from the first segmenter, with p, in
    the same documents.

# An empty file is the reference of an empty text, in a folder of others, but of no other text.
$ : >c.txt; : >gold/c.ends; bipe-stats --gold gold --per-file a.txt c.txt | sed -n '5,/F1/p'; printf ' \n' | bipe-stats --gold /dev/null --csv | cut -d , -f 1-3,25-28; bipe-stats --gold c.txt a.txt; bipe-stats --gold c.txt --jsonl --csv c.txt | cut -d , -f 1-3,25-28
  file                   a.txt  c.txt  all files
  documents                  1      1          2
  ends of the reference      5      0          5
  ends of the segmenter      6      0          6
  ends of both               3      0          3
  precision              0.500      -      0.500
  recall                 0.600      -      0.600
  F1                     0.545      -      0.545
segmenter,length,windows,gold_expected,gold_found,gold_right,gold_precision
stop,document,1,0,0,0,
segmenter,length,windows,gold_expected,gold_found,gold_right,gold_precision
stop,document,0,0,0,0,
! bipe-stats: c.txt: no reference segments of a.txt, expected byte offsets, a segment per line, or JSON Lines

# What is refused.
$ bipe-stats --gold a.ends a.txt b.txt; bipe-stats --gold gold b.txt d.jsonl; bipe-stats --gold none a.txt; bipe-stats --misses 3 a.txt; bipe-stats --gold a.ends --lexical a.txt; bipe-stats --gold a.ends --sample 2 a.txt
! bipe-stats: --gold: found 1 file for 2 FILEs, expected one for each, in the same order, or a folder
! bipe-stats: gold: no reference segments of d.jsonl, expected a file of this name with the ending .ends, or of this name
! bipe-stats: none: could not be opened: No such file or directory
! bipe-stats: option '--misses' needs '--gold'
! bipe-stats: options '--gold' and '--lexical' cannot be combined: --gold judges segments and counts nothing else
! bipe-stats: options '--gold' and '--sample' cannot be combined: --gold judges segments and counts nothing else
? 2
$ printf 'J\303\244. Ja.\n' >u.txt; printf '2\n4\n' >u.ends; bipe-stats --gold u.ends u.txt | tail -n 0
! bipe-stats: u.txt: document 0: u.ends: segment 1 ends at byte 2, within a character, expected offsets of bytes, not of characters
$ for g in '53\n' '26\n13\n' '60\n' 'Mr. Bee came.\n' 'Mr. Ash came. He sat down. Why? (See p. 4.) He left. So.\n' '{"ends": [3, -1]}' '{"ends": [3, 3]}' '{"spans": [[4, 2]]}' '{"spans": [[0, 2], [1, 4]]}' '{"segments": [1]}' '{"text": "a"}' '[1]\n{' '{"ends": [3]}\n{"ends": [4]}' '{"ends": [3]} x' '{"document": 5000000, "start": 0, "end": 3}' '{"document": 1, "start": 0, "end": 3}\n{"document": 0, "start": 0, "end": 3}'; do printf "$g" > wrong; bipe-stats --gold wrong a.txt | tail -n 0; done
! bipe-stats: wrong: line 2: found the end 13 after 26, expected rising byte offsets
! bipe-stats: a.txt: document 0: wrong: segment 1 ends after 60 bytes, expected at most the 53 of the text
! bipe-stats: a.txt: document 0: wrong: the text of segment 1, which ends before byte 13, is another, expected the same but for white space
! bipe-stats: a.txt: document 0: wrong: segment 1 ends after 44 characters that are not white space, expected at most the 41 of the text
! bipe-stats: wrong: line 1: element 1: expected "ends" (byte offsets), "spans" (pairs of them), "segments" (texts) or "document", "start" and "end"
! bipe-stats: wrong: line 1: found the end 3 after 3, expected rising byte offsets
! bipe-stats: wrong: line 1: found the span 4 to 2 after 0, expected rising spans of bytes
! bipe-stats: wrong: line 1: found the span 1 to 4 after 2, expected rising spans of bytes
! bipe-stats: wrong: line 1: element 0: expected "ends" (byte offsets), "spans" (pairs of them), "segments" (texts) or "document", "start" and "end"
! bipe-stats: wrong: line 1: expected "ends" (byte offsets), "spans" (pairs of them), "segments" (texts) or "document", "start" and "end"
! bipe-stats: a.txt: document 0: wrong: the text of segment 1, which ends before byte 3, is another, expected the same but for white space
! bipe-stats: wrong: found reference segments of 2 documents, expected 1, as a.txt has
! bipe-stats: wrong: line 1: found end of file expected near 'x', expected a JSON object
! bipe-stats: wrong: line 1: document: expected a number from 0 to 4194303
! bipe-stats: wrong: line 2: document: expected a number from 1 to 4194303
$ head -n 3 d.gold > few.gold; bipe-stats --gold few.gold d.jsonl; bipe-stats --gold a.ends --json a.txt | sed 's/\[0, \[[0-9]*, 1, [0-9]*\]\]/[0, [1, 9, 3]]/' | bipe-stats --merge -
! bipe-stats: few.gold: found reference segments of 3 documents, expected those of document 3 (from 0) of d.jsonl
! bipe-stats: standard input: results[0].gold.units: expected no more that is right than there is
? 1
