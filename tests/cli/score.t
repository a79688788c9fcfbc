# bipe-score: usage, formats, and inputs that cannot be scored. Losses are checked by tests/score-reference, what must hold between
# runs by tests/score-properties. The last digits are the machine's, so numbers are rounded here.

$ cp "$BIPE_SRCDIR/corpora/river.txt" river.txt; cp "$BIPE_SRCDIR/tests/models/small-bipe-alibi.bin" m.bin; cp "$BIPE_SRCDIR/tests/models/small-rope.bin" rope.bin; head -c 1600 river.txt >brook.txt

# ---- formats ----

$ bipe-score -L 256,512 m.bin river.txt
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
segments  stop
protocol  paper, BOS document, f32

file       length  windows    tokens     nll       ppl     +/- bits/byte  word ppl
river.txt     256        8      2040  3.8638     47.65    2.35    1.8484     567.5
river.txt     512        4      2044  3.8536     47.16    2.32    1.8442     562.2

+/-: standard error by bootstrap over blocks of 5 tokens
lengths are not about the same tokens: --common scores those that all have

$ bipe-score -L 256,64 --csv m.bin brook.txt - <brook.txt | perl -pe 's/\d+\.\d+/sprintf "%.2f", $&/ge'
model,segmenter,file,length,windows,tokens,bytes,nll,nll_sum,ppl,ppl_stderr,bits_per_byte,word_ppl,byte_ppl,stderr,low,high,method,scheme,protocol,stride,bos,group,nll_difference,difference_stderr,difference_low,difference_high,p,bits_per_byte_difference,bits_per_byte_difference_low,bits_per_byte_difference_high,by,index
m.bin,stop,brook.txt,256,2,510,1508,3.81,1945.42,45.36,4.14,1.86,462.66,3.63,0.09,3.63,3.99,bootstrap over 95 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,
m.bin,stop,brook.txt,64,8,504,1489,3.88,1956.37,48.51,4.53,1.90,507.99,3.72,0.09,3.69,4.06,bootstrap over 95 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,
m.bin,stop,-,256,2,510,1508,3.81,1945.42,45.36,4.14,1.86,462.66,3.63,0.09,3.63,3.99,bootstrap over 95 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,
m.bin,stop,-,64,8,504,1489,3.88,1956.37,48.51,4.53,1.90,507.99,3.72,0.09,3.69,4.06,bootstrap over 95 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,
m.bin,stop,total,256,4,1020,3016,3.81,3890.85,45.36,2.94,1.86,462.66,3.63,0.06,3.69,3.94,bootstrap over 190 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,
m.bin,stop,total,64,16,1008,2978,3.88,3912.73,48.51,3.25,1.90,507.99,3.72,0.07,3.75,4.01,bootstrap over 190 blocks of 5 tokens,bipe-alibi,paper,,document,,,,,,,,,,,

$ head -c 300 river.txt | bipe-score -L 64 --json --by segment m.bin - >out.json
$ sed '/^  "run"/,/^  }/d' out.json | perl -pe 's/"version": "[^"]*"/"version": "V"/; s/\d+\.\d+/sprintf "%.2f", $&/ge'
{
  "tool": "bipe-score",
  "version": "V",
  "model": {
    "path": "m.bin",
    "scheme": "bipe-alibi",
    "parameters": 1410176,
    "train_length": 256,
    "trained_scheme": "bipe-alibi",
    "rope_scaling": null
  },
  "tokenizer": "m.bin",
  "segmenter": "stop",
  "protocol": {
    "name": "paper",
    "bos": "document",
    "bos_id": 1,
    "count_bos": false,
    "stride": null,
    "tail": false,
    "last": null,
    "common": false,
    "pack": "stream",
    "loss_after": null,
    "group": null,
    "seed": 0,
    "shared_prefixes": true
  },
  "precision": "f32",
  "combinations": [
    {
      "model": "m.bin",
      "segmenter": "stop",
      "tokenizer": "m.bin",
      "text": 0,
      "bos_id": 1,
      "shared_prefixes": true,
      "path": "m.bin",
      "scheme": "bipe-alibi",
      "parameters": 1410176,
      "train_length": 256,
      "trained_scheme": "bipe-alibi",
      "rope_scaling": null
    }
  ],
  "results": [
    {
      "model": "m.bin",
      "segmenter": "stop",
      "file": "-",
      "length": 64,
      "windows": 1,
      "tokens": 63,
      "bytes": 176,
      "nll": 4.26,
      "nll_sum": 268.25,
      "ppl": 70.66,
      "ppl_stderr": 17.48,
      "bits_per_byte": 2.20,
      "word_ppl": 1408.01,
      "byte_ppl": 4.59,
      "stderr": 0.25,
      "interval": [3.61, 4.77],
      "method": "bootstrap over 11 blocks of 6 tokens",
      "scheme": "bipe-alibi",
      "protocol": "paper",
      "stride": null,
      "bos": "document",
      "by": {
        "index": "segment",
        "values": [[0, 7, 5.48], [1, 1, 6.37], [2, 4, 1.70], [3, 10, 5.39], [4, 37, 3.95], [5, 4, 4.21]]
      }
    }
  ],
  "total": [
    {
      "model": "m.bin",
      "segmenter": "stop",
      "file": null,
      "length": 64,
      "windows": 1,
      "tokens": 63,
      "bytes": 176,
      "nll": 4.26,
      "nll_sum": 268.25,
      "ppl": 70.66,
      "ppl_stderr": 17.48,
      "bits_per_byte": 2.20,
      "word_ppl": 1408.01,
      "byte_ppl": 4.59,
      "stderr": 0.25,
      "interval": [3.61, 4.77],
      "method": "bootstrap over 11 blocks of 6 tokens",
      "scheme": "bipe-alibi",
      "protocol": "paper",
      "stride": null,
      "bos": "document",
      "by": {
        "index": "segment",
        "values": [[0, 7, 5.48], [1, 1, 6.37], [2, 4, 1.70], [3, 10, 5.39], [4, 37, 3.95], [5, 4, 4.21]]
      }
    }
  ],
  "work": {
    "tokens": 64,
    "computed": 64
  },
  "complete": true
}

$ bipe-score -L 64 --by intra m.bin river.txt | sed -n 9,17p
          index        64
              0     4.253
              1     3.714
            2-3     4.372
            4-7     4.018
           8-15     3.668
          16-31     3.774
          32-63     3.970
\

$ bipe-score -L 32 --tail --tokens t.tsv --segments s.tsv --csv m.bin - <<'END' >out.csv && cat out.csv t.tsv s.tsv | perl -pe 's/\d+\.\d+/sprintf "%.2f", $&/ge'
> The road was dry. The river
> was low.
> END
model,segmenter,file,length,windows,tokens,bytes,nll,nll_sum,ppl,ppl_stderr,bits_per_byte,word_ppl,byte_ppl,stderr,low,high,method,scheme,protocol,stride,bos,group,nll_difference,difference_stderr,difference_low,difference_high,p,bits_per_byte_difference,bits_per_byte_difference_low,bits_per_byte_difference_high,by,index
m.bin,stop,-,32,1,16,37,4.51,72.11,90.65,34.67,2.81,8216.52,7.02,0.38,,,"bootstrap over 3 blocks of 5 tokens, too few for an interval",bipe-alibi,paper,,document,,,,,,,,,,,
file	length	window	token	start	end	id	segment	intra	nll
-	32	0	1	0	3	344	0	1	5.69
-	32	0	2	3	6	655	0	2	6.89
-	32	0	3	6	8	318	0	3	2.44
-	32	0	4	8	12	354	0	4	3.48
-	32	0	5	12	14	294	0	5	4.26
-	32	0	6	14	16	542	0	6	5.14
-	32	0	7	16	17	1995	0	7	2.86
-	32	0	8	17	21	344	1	0	1.28
-	32	0	9	21	27	1517	1	1	6.22
-	32	0	10	27	28	13	1	2	9.98
-	32	0	11	28	29	1990	2	0	3.34
-	32	0	12	29	31	296	2	1	3.84
-	32	0	13	31	33	297	2	2	7.14
-	32	0	14	33	35	316	2	3	3.63
-	32	0	15	35	36	1995	2	4	4.02
-	32	0	16	36	37	13	3	0	1.89
file	length	window	segment	start	end	tokens	nll
-	32	0	0	0	17	7	30.77
-	32	0	1	17	28	3	17.48
-	32	0	2	28	36	5	21.97
-	32	0	3	36	37	1	1.89

# ---- lengths and windows ----

# The default lengths end where the text ends.
$ bipe-score --csv m.bin river.txt | cut -d , -f 3-6
file,length,windows,tokens
river.txt,256,8,2040
river.txt,512,4,2044
river.txt,1024,2,2046
river.txt,2048,1,2047

$ bipe-score -L 1k,256,1024,100k --csv m.bin river.txt | cut -d , -f 3-6
file,length,windows,tokens
river.txt,1024,2,2046
river.txt,256,8,2040
! bipe-score: river.txt: skipped length 102400: the text has only 2049 tokens (use --tail to score partial windows)

$ bipe-score -L 300 --tail --csv m.bin brook.txt | cut -d , -f 3-6
file,length,windows,tokens
brook.txt,300,2,548

$ bipe-score -L 300 --bos none --csv m.bin brook.txt | cut -d , -f 3-6
file,length,windows,tokens
brook.txt,300,1,299

$ bipe-score -L 300 --tail --bos window --csv m.bin brook.txt | cut -d , -f 3-6
file,length,windows,tokens
brook.txt,300,2,549

$ printf '{"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0,"b":1}},' > two.json
$ printf '"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}},' >> two.json
$ printf '{"Sequence":{"id":"A"}}],"special_tokens":{"x":{"ids":[0,1]}}}}' >> two.json
$ bipe-score -L 300 -t two.json m.bin river.txt
! bipe-score: two.json: has 2 tokens, the model 2048: was the model trained with another tokenizer?
! bipe-score: two.json: documents start with 2 special tokens, expected at most one, or --bos none
? 1

$ bipe-score -L 256 --stride 128 --csv m.bin brook.txt | cut -d , -f 3-6
file,length,windows,tokens
brook.txt,256,3,511

# BOS is context and never a target, unless --count-bos asks for it.
$ for i in 1 2 3 4 5 6 7 8 9; do echo '{"text": "It was a dark night."}'; done >short.jsonl
$ bipe-score -L 32 --tail --csv m.bin short.jsonl | cut -d , -f 5,6,7
windows,tokens,bytes
3,63,180
$ bipe-score -L 32 --tail --count-bos --csv m.bin short.jsonl | cut -d , -f 5,6,7
windows,tokens,bytes
3,69,180
$ bipe-score -L 32 --tail --count-bos m.bin short.jsonl | grep protocol
protocol  paper, BOS document, BOS counted, with the tail, f32
$ bipe-score -L 32 --tail --count-bos --json m.bin short.jsonl | grep count_bos
    "count_bos": true,
$ bipe-score -L 32 --tail --resume j --csv m.bin short.jsonl >first; bipe-score -L 32 --tail --resume j --csv m.bin short.jsonl | cmp first
$ bipe-score -L 32 --tail --count-bos --resume j --csv m.bin short.jsonl
! bipe-score: j: was written with count-bos no, this run has yes; name another file, or delete it to start over
? 1

# ---- resumption, shards, what is saved ----

$ bipe-score -L 32 --resume k --csv m.bin brook.txt >first; bipe-score -L 64,32 --resume k --csv m.bin brook.txt | grep -v txt,64 | cmp - first
$ bipe-score -L 64,32 --csv m.bin brook.txt >first; bipe-score -L 64,32 --resume k --csv m.bin brook.txt | cmp - first
$ cp short.jsonl text.jsonl; bipe-score -L 32 --resume l --csv m.bin text.jsonl >first; head -n 8 short.jsonl >text.jsonl
$ bipe-score -L 32 --resume l m.bin text.jsonl
! bipe-score: text.jsonl: differs from the text recorded in journal l; delete the journal to start over
? 1
$ bipe-score -L 32 --resume l --precision bf16 m.bin short.jsonl
! bipe-score: l: was written with precision f32, this run has bf16; name another file, or delete it to start over
? 1
$ bipe-score -L 32 --resume l rope.bin short.jsonl
! bipe-score: l: was written with model m.bin, this run has rope.bin; name another file, or delete it to start over
? 1
$ bipe-score -L 32 --resume l m.bin --against rope.bin short.jsonl
! bipe-score: l: was written with more or fewer models than this run has; name another file, or delete it to start over
? 1
$ bipe-score -q -L 32 --resume two m.bin --against rope.bin short.jsonl >two.table; bipe-score -L 32 --resume two m.bin short.jsonl
! bipe-score: two: was written with more or fewer models than this run has; name another file, or delete it to start over
? 1

$ for i in 0 1 2; do bipe-score -L 32,64 --shard $i/3 --json -o part$i.json m.bin brook.txt short.jsonl; done
$ bipe-score -L 32,64 --json m.bin brook.txt short.jsonl >whole.json; bipe-score --merge --json part1.json part2.json part0.json | cmp - whole.json
$ bipe-score --merge part0.json part2.json
! bipe-score: shard 1 of 3 is missing, expected results of all
? 1
$ bipe-score --merge part0.json part0.json
! bipe-score: part0.json: holds shard 0 of 3, which a file before it holds too
? 1
$ bipe-score --merge whole.json
! bipe-score: whole.json: not a result of --shard
? 1
$ head -c 60 part0.json | bipe-score --merge -
! bipe-score: standard input: line 4: string or '}' expected near end of file, expected a result of bipe-score --json
? 1
$ echo '[]' | bipe-score --merge -
! bipe-score: standard input: expected a result of bipe-score --shard --json
? 1
$ sed 's/"computed": [0-9]*/"computed": -1/' part0.json | bipe-score --merge -
! bipe-score: standard input: work.computed: expected a whole number from 0 to 2^63 - 1
? 1
$ printf 'Too short.' >tiny.txt; for i in 0 1; do bipe-score -q -L 32 --shard $i/2 --json -o tiny$i.json m.bin brook.txt tiny.txt; done
! bipe-score: tiny.txt: skipped length 32: the text has only 5 tokens (use --tail to score partial windows)
! bipe-score: tiny.txt: skipped length 32: the text has only 5 tokens (use --tail to score partial windows)
? 1
$ bipe-score -q -L 32 --json m.bin brook.txt tiny.txt >whole.json; bipe-score --merge --json tiny1.json tiny0.json >merged.json
! bipe-score: tiny.txt: skipped length 32: the text has only 5 tokens (use --tail to score partial windows)
! bipe-score: 1 of 2 files is left out, too short for every length
? 1
$ cmp whole.json merged.json; bipe-score --merge tiny0.json tiny1.json >merged
! bipe-score: 1 of 2 files is left out, too short for every length
? 1

# Whatever is missing is named at once: shards that are not complete, are not there, or were cut.
$ for i in 0 1 2 3 4 5 6 7; do bipe-score -q -L 32 --shard $i/8 --json -o of8-$i.json m.bin brook.txt; done
$ sed -i 's/"complete": true/"complete": false/' of8-3.json; rm of8-0.json; head -c 900 of8-6.json >cut; mv cut of8-6.json
$ bipe-score --merge of8-0.json of8-1.json of8-2.json of8-3.json of8-4.json of8-5.json of8-6.json of8-7.json
! bipe-score: of8-0.json: could not be opened: No such file or directory
! bipe-score: of8-3.json: shard 3 of 8 is not complete: it was interrupted, or something could not be read or scored
! bipe-score: of8-6.json: line 42: premature end of input near '"bipe-', expected a result of bipe-score --json
! bipe-score: shards 0, 3, 6 of 8 are missing, expected results of all
? 1
$ bipe-score --merge of8-*.json
! bipe-score: of8-3.json: shard 3 of 8 is not complete: it was interrupted, or something could not be read or scored
! bipe-score: of8-6.json: line 42: premature end of input near '"bipe-', expected a result of bipe-score --json
! bipe-score: shards 0, 3, 6 of 8 are missing, expected results of all
? 1
$ bipe-score --merge of8-3.json of8-0.json
! bipe-score: of8-3.json: shard 3 of 8 is not complete: it was interrupted, or something could not be read or scored
! bipe-score: of8-0.json: could not be opened: No such file or directory
? 1
# A model must be the same for all, down to its bytes.
$ cp -p m.bin before; "$PERL" -e 'open my $f, "+<", "m.bin"; seek $f, -40, 2; print $f "\0" x 8'; bipe-score -q -L 32 --shard 3/8 --json -o of8-3.json m.bin brook.txt; bipe-score --merge of8-1.json of8-3.json; mv before m.bin
! bipe-score: of8-3.json: m.bin was not the same file as for the shards before
$ sed 's/"complete": true/"complete": false/' tiny0.json | bipe-score --merge -
! bipe-score: standard input: shard 0 of 2 is not complete: it was interrupted, or something could not be read or scored
? 1
$ bipe-score --merge
! bipe-score: option '--merge' needs a RESULT, '--files-from' or '--files0-from'
? 2
$ cp river.txt same.txt; bipe-score -q -L 32 m.bin same.txt --tokens same.txt
! bipe-score: option '--tokens': same.txt is also read, expected another file
? 2
$ bipe-score -q -L 32 m.bin same.txt -o m.bin
! bipe-score: option '--output': m.bin is also read, expected another file
? 2
$ bipe-score -q -L 32 --resume nowhere/j m.bin same.txt
! bipe-score: nowhere/j: could not be opened: No such file or directory
? 1
$ RANK=1 WORLD_SIZE=3 bipe-score -L 32,64 --shard auto --json m.bin brook.txt short.jsonl | cmp - part1.json
$ bipe-score -L 16 --shard 1/3 --json -o part1.json m.bin brook.txt short.jsonl; bipe-score --merge part0.json part1.json
! bipe-score: part1.json: is a shard of another run (model, options or files) than those before
? 1

$ bipe-score --verbose -L 256,512 m.bin brook.txt 2>&1 >out | sed -n 's/^bipe-score: //; /^windows/p; /^windows/!s/:.*//p'
kernels
windows: 1024 tokens at all lengths, of which 768 are computed
speed
attention
$ bipe-score -L 64,128 --scheme xpos --csv rope.bin brook.txt >out.csv
! bipe-score: losses depend on the length of the window with xpos: each length is computed by itself

# Ids that hold BOS themselves.
$ echo 1 300 400 1 500 600 | bipe-score -L 6 --bos none --ids text --csv m.bin | cut -d , -f 5,6
windows,tokens
1,4

# ---- texts that are too short ----

$ printf 'Too short.' | bipe-score --csv m.bin
! bipe-score: standard input: skipped length 256: the text has only 5 tokens (use --tail to score partial windows)
? 1

$ printf 'Too short.' | bipe-score -L 256,512 --json m.bin | sed '/^  "run"/,/^  }/d' | grep -A 9 results
  "results": [],
  "total": [],
  "work": {
    "tokens": 0,
    "computed": 0
  },
  "complete": false
}
! bipe-score: standard input: skipped length 256: the text has only 5 tokens (use --tail to score partial windows)
! bipe-score: standard input: skipped length 512: the text has only 5 tokens (use --tail to score partial windows)

$ : >empty; bipe-score -q -L 256 --csv m.bin empty brook.txt | cut -d , -f 3-6
file,length,windows,tokens
brook.txt,256,2,510
total,256,2,510
! bipe-score: empty: skipped length 256: the text has only 1 token, which marks its beginning: it is empty

$ bipe-score -L 256 --tail --csv m.bin empty
! bipe-score: empty: skipped length 256: the text has only 1 token, which marks its beginning: it is empty
? 1

# ---- inputs that cannot be read: the others are scored ----

$ bipe-score -L 512 --csv m.bin nowhere . brook.txt > out.csv
! bipe-score: nowhere: could not be opened: No such file or directory
! bipe-score: .: is a directory, expected a file (-r reads the text files in it)
? 1

$ cut -d , -f 3-6 out.csv
file,length,windows,tokens
brook.txt,512,1,511
total,512,1,511

$ printf '{"text":"one"}\n{"text":2}\n{"body":"three"}\n' | bipe-score -L 2 --tail --jsonl --csv m.bin | cut -d , -f 3-6
file,length,windows,tokens
-,2,1,1
! bipe-score: standard input: record at line 2, byte 9: found '2', expected a string in "text"
! bipe-score: standard input: record at line 3, byte 16: found the member "body", expected "text" (--field names another)

$ printf '{"body":"one two three"}\n' | bipe-score -L 4 --field body --jsonl --csv m.bin | cut -d , -f 3-6
file,length,windows,tokens
-,4,1,3

# ---- token ids ----

$ echo 300 400 500 600 | bipe-score -L 5 --ids text --csv m.bin | cut -d , -f 3-6
file,length,windows,tokens
-,5,1,4

$ echo 300 400 500 2048 | bipe-score -L 5 --ids text --csv m.bin
! bipe-score: standard input: byte 12: id 2048 is not in the vocabulary, expected less than 2048
? 1

# A tokenizer with more words than a model is refused before anything is read, one with fewer gets a note.
$ printf 'Grüße, 水!' | bipe-score -t char -L 16 --csv m.bin
! bipe-score: char: a tokenizer of 1114112 tokens, expected 1 to 2048, which the model has
? 2
$ bipe-score -t byte -L 16 --against arithmetic-rope m.bin nowhere.txt
! bipe-score: byte: has 256 tokens, the model 2048: was the model trained with another tokenizer?
! bipe-score: byte: a tokenizer of 256 tokens, expected 1 to 19, which the model has
? 2

# ---- models and schemes ----

$ bipe-score nowhere.bin river.txt
! bipe-score: nowhere.bin: no such file or folder, and no installed model of that name (bipe-convert --list shows those)
? 1

$ bipe-score river.txt river.txt
! bipe-score: river.txt: not a model, expected a GGUF file or a Hugging Face folder; FILEs come after MODEL
? 1

$ printf 'A. B. C.' >"$(printf 'od\td\302\233')"; ln -s m.bin "$(printf 'm\t')"
$ bipe-score -L 4 -s "$(printf 'regex:[.\n]')" "$(printf 'm\t')" "$(printf 'od\td\302\233')" | cut -c 1-20
model     m? (bipe-a
segments  regex:[.?]
protocol  paper, BOS

file    length  wind
od?d??       4      

$ printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >lfs.bin; bipe-score lfs.bin river.txt
! bipe-score: lfs.bin: a pointer of Git LFS, expected the file itself, which "git lfs pull" fetches
? 1

$ bipe-score -t word m.bin river.txt
! bipe-score: word: a tokenizer without a vocabulary, expected one whose ids the model knows
? 2

$ head -c 100000 m.bin >torn.bin; bipe-score torn.bin river.txt 2>&1 | sed 's/only [0-9]*/only N/'
bipe-score: torn.bin: tensor 'token_embd.weight': 524288 bytes at offset 0, but only N bytes of data are there

$ bipe-score -L 512 --without intra --json m.bin brook.txt | sed '/^  "run"/,/^  }/d' | grep scheme
    "scheme": "alibi@segment*96",
    "trained_scheme": "bipe-alibi",
      "scheme": "alibi@segment*96",
      "trained_scheme": "bipe-alibi",
      "scheme": "alibi@segment*96",
      "scheme": "alibi@segment*96",

$ bipe-score -L 512 --without inter --json m.bin brook.txt | sed '/^  "run"/,/^  }/d' | grep scheme
    "scheme": "learned@intra",
    "trained_scheme": "bipe-alibi",
      "scheme": "learned@intra",
      "trained_scheme": "bipe-alibi",
      "scheme": "learned@intra",
      "scheme": "learned@intra",

$ bipe-score --without intra rope.bin river.txt
! bipe-score: --without intra: the scheme rope has no such part
? 1

$ bipe-score -L 512 --rope-scaling yarn:4 rope.bin brook.txt | head -n 4
model     rope.bin (scored as rope, rope scaling yarn:4; trained as rope, 1.38 million parameters, trained at 256 tokens)
segments  stop
protocol  paper, BOS document, f32
\

$ bipe-score -L 1024 --scheme bipe-rope rope.bin river.txt
! bipe-score: rope.bin: the scheme has a learned term, but the model has no table of position embeddings
? 1

$ bipe-score -L 256 --scheme t5@token rope.bin river.txt
! bipe-score: rope.bin: the scheme has t5, but the model has no table for it (expected a tensor [32, heads])
? 1

$ bipe-score --scheme alibi@paragraph m.bin river.txt
! bipe-score: option '--scheme': term "alibi@paragraph": unknown index, expected token, segment or intra, or segment2, intra2, ... of a coarser level
? 2

$ bipe-score --rope-scaling sideways:2 rope.bin river.txt
! bipe-score: option '--rope-scaling': "sideways:2": unknown kind, expected none, linear:F, dynamic:F, yarn:F[:ORIGINAL] or llama3:F:LOW:HIGH:ORIGINAL with F above 0
? 2

$ bipe-score -L 512 -s 'fixed:32' m.bin brook.txt | head -n 5
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
segments  fixed:32
protocol  paper, BOS document, f32

file       length  windows    tokens     nll       ppl     +/- bits/byte  word ppl

$ bipe-score -s nothing m.bin river.txt 2>&1 | cut -d , -f 1
bipe-score: segmenter 'nothing': unknown

# ---- usage ----

$ bipe-score
! bipe-score: an operand is missing: MODEL is a model file, a model folder or the name of an installed model such as default; FILE is plain text or JSON Lines, also compressed by zstd, gzip or xz; - or none is standard input
? 2

$ bipe-score --protocol other m.bin river.txt
! bipe-score: option '--protocol': found 'other', expected one of paper, sliding, llama.cpp, lm-eval, yarn, longppl
! Try 'bipe-score --help' for more information.
? 2

$ bipe-score -L 64 --stride 65 m.bin river.txt
! bipe-score: option '--stride': 65 is more than the window length 64
? 2
$ bipe-score -L 64 --last 64 --stride 16 m.bin river.txt; bipe-score --last 1000000 m.bin river.txt
! bipe-score: option '--last': 64 is more than the 63 tokens that a window of 64 scores
! bipe-score: option '--last': 1000000 is more than the 255 tokens that a window of 256 scores
? 2

$ bipe-score -L 1 m.bin river.txt
! bipe-score: option '-L': found '1', expected a number between 2 and 1073741824, optionally with k or m
! Try 'bipe-score --help' for more information.
? 2

$ bipe-score --json --csv m.bin river.txt
! bipe-score: options '--json' and '--csv' cannot be combined
? 2

$ bipe-score -L 2048 --csv --by segment m.bin river.txt | cut -d , -f 3,4,6,33,34 | head -n 4
file,length,tokens,index
river.txt,2048,2047,
river.txt,2048,7,0
river.txt,2048,1,1

$ bipe-score --tokens - m.bin river.txt
! bipe-score: options '--output' and '--tokens' both write to standard output
? 2

$ bipe-score --resume j --tokens t m.bin river.txt
! bipe-score: options '--resume' and '--tokens' cannot be combined: what was scored before would be missing there
? 2

$ bipe-score --shard 1/2 m.bin river.txt
! bipe-score: option '--shard' needs '--json': '--merge' reads JSON
? 2

$ bipe-score --shard 2/2 --json m.bin river.txt
! bipe-score: option '--shard': found '2/2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
? 2

$ bipe-score --merge --tail part.json
! bipe-score: options '--merge' and '--tail' cannot be combined: results are read, not models and texts
? 2

$ bipe-score --merge --precision bf16 part.json
! bipe-score: options '--merge' and '--precision' cannot be combined: results are read, not models and texts
? 2

$ bipe-score --resume /dev/null m.bin river.txt
! bipe-score: /dev/null: not a regular file, which a journal must be
? 1

$ bipe-score --tokens /nowhere/tokens m.bin river.txt
! bipe-score: /nowhere/tokens: could not be created: No such file or directory
? 1

$ bipe-score -o - --tokens x --segments x m.bin river.txt
! bipe-score: options '--tokens' and '--segments' both write to x
? 2

# ---- combinations ----

# Models and segmenters side by side, and what each differs by from the first.
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-score -s stop -s line -L 256,512 --against rope.bin m.bin river.txt
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
          rope.bin (rope, 1.38 million parameters, trained at 256 tokens)
protocol  paper, BOS document, f32

river.txt                            256          512
1 m.bin, stop                 47.65 2.35   47.16 2.32
2 m.bin, line                 53.34 2.64   53.15 2.64
3 rope.bin, stop              46.98 2.26   53.11 2.51
4 rope.bin, line              46.98 2.26   53.11 2.51

less 1                     length nats/token       95 % interval      p   Holm bits/byte
2 m.bin, line                 256    +0.1130  [+0.0733, +0.1883]  0.001  0.006   +0.0540
2 m.bin, line                 512    +0.1196  [+0.0784, +0.1968]  0.001  0.006   +0.0572
3 rope.bin, stop              256    -0.0140  [-0.0547, +0.0230]  0.486  0.972   -0.0067
3 rope.bin, stop              512    +0.1187  [+0.0707, +0.1672]  0.001  0.006   +0.0568
4 rope.bin, line              256    -0.0140  [-0.0547, +0.0230]  0.486  0.972   -0.0067
4 rope.bin, line              512    +0.1187  [+0.0707, +0.1672]  0.001  0.006   +0.0568

perplexity and its standard error, by bootstrap over blocks of 5 tokens
Holm: p, corrected for 6 comparisons
lengths are not about the same tokens: --common scores those that all have
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
$ bipe-score -q -L 64 --against default m.bin brook.txt | grep tokenizers
tokenizers differ: bits per byte are compared, and intervals without nats/token are theirs
$ bipe-score -s stop -L 256 --against rope.bin --json m.bin brook.txt | sed '/^  "run"/,/^  }/d' | perl -0pe 's/\d+\.\d+/sprintf "%.2f", $&/ge; s/.*("file")/$1/s'
"file": null,
      "length": 256,
      "a": {
        "model": "m.bin",
        "segmenter": "stop"
      },
      "b": {
        "model": "rope.bin",
        "segmenter": "stop"
      },
      "tokens": 510,
      "nll_difference": -0.00,
      "bits_per_byte_difference": -0.00,
      "stderr": 0.04,
      "interval": [-0.09, 0.07],
      "bits_per_byte_interval": [-0.04, 0.04],
      "p": 0.89,
      "p_holm": 0.89,
      "method": "bootstrap over 95 blocks of 5 tokens"
    }
  ],
  "work": {
    "tokens": 1024,
    "computed": 1024
  },
  "complete": true
}
$ bipe-score -s stop -L 256,512 --against rope.bin --csv m.bin brook.txt | cut -d , -f 1-4,24,28 | perl -pe 's/-?\d+\.\d+/sprintf "%.2f", $&/ge'
model,segmenter,file,length,nll_difference,p
m.bin,stop,brook.txt,256,,
m.bin,stop,brook.txt,512,,
rope.bin,stop,brook.txt,256,-0.00,0.89
rope.bin,stop,brook.txt,512,0.11,0.03

# Shards of a comparison, and a journal of one, give what one run gives.
$ bipe-score -s stop -s line -L 64,256 --against rope.bin --json m.bin brook.txt short.jsonl >whole.json
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)
$ for i in 0 1 2; do bipe-score -s stop -s line -L 64,256 --against rope.bin --shard $i/3 --json -o shard$i.json m.bin brook.txt short.jsonl; done
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)
$ bipe-score --merge --json shard2.json shard0.json shard1.json >merged.json; grep -v '"computed"\|"tokens": [0-9]*,*$' whole.json >a; grep -v '"computed"\|"tokens": [0-9]*,*$' merged.json | cmp - a
$ for i in 1 2; do bipe-score -s stop -s line -L 64,256 --against rope.bin --resume several --json m.bin brook.txt short.jsonl | cmp - whole.json; done
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: short.jsonl: skipped length 256: the text has only 72 tokens (use --tail to score partial windows)

# Tokens that all lengths score; the last of each window.
$ bipe-score -L 256,512 --common --csv m.bin brook.txt | cut -d , -f 3-7
file,length,windows,tokens,bytes
brook.txt,256,2,510,1508
brook.txt,512,1,510,1508
$ bipe-score -L 256,512 --last 100 --csv m.bin brook.txt | cut -d , -f 3-7
file,length,windows,tokens,bytes
brook.txt,256,2,200,616
brook.txt,512,1,100,310

# The protocols of other programs.
$ for p in paper sliding llama.cpp lm-eval yarn; do bipe-score --protocol $p -L 128 --csv m.bin brook.txt | tail -n 1 | cut -d , -f 4-7,10,20,21 | perl -pe 's/\d+\.\d+/sprintf "%.2f", $&/ge'; done
128,4,508,1505,46.24,paper,
128,8,542,1576,45.21,sliding,64
128,4,252,762,46.22,llama.cpp,
128,5,549,1600,46.29,lm-eval,
128,1,127,392,50.92,yarn,
$ bipe-score --protocol lm-eval --stride 3 m.bin river.txt
! bipe-score: options '--stride' and '--protocol lm-eval' cannot be combined: the protocol has its own rules for windows
? 2
$ bipe-score --protocol llama.cpp -L 2 m.bin river.txt
! bipe-score: option '--length': 2 tokens have no second half to score, as '--protocol llama.cpp' does
? 2

# Each line a window; what follows a match.
$ printf '1 + 2 = 3\n12 + 30 = 42\n\n' >sums.txt; bipe-score -L 32 --pack line --loss-after = --csv m.bin sums.txt | cut -d , -f 3-7
file,length,windows,tokens,bytes
sums.txt,32,2,7,7
! bipe-score: 1 line left out: nothing follows a match of --loss-after
$ bipe-score -L 8 --pack line --csv m.bin sums.txt | cut -d , -f 3-7
file,length,windows,tokens,bytes
sums.txt,8,1,2,1
! bipe-score: 2 lines of more than 8 tokens left out (increase -L to keep them)
$ bipe-score -L 32 --pack line --loss-after ZZZ m.bin sums.txt
! bipe-score: sums.txt: skipped length 32: no line of at most so many tokens has anything after a match of --loss-after
? 1
$ bipe-score -L 2 --pack line m.bin sums.txt
! bipe-score: sums.txt: skipped length 2: no line has 2 to so many tokens
? 1
# Lines that take too long to search are left out, the others are not.
$ { echo '1 + 2 = 3'; for i in 1 2; do printf '%0400db = 1\n' 0; done; echo '2 + 2 = 4'; } >slow.txt
$ bipe-score -L 500 --pack line --loss-after '=|(0|00)+c' --csv -t byte -q m.bin slow.txt 2>&1 | sed 's/: match .*//' | cut -d , -f 3-7
bipe-score: slow.txt: document 1
bipe-score: slow.txt: document 2
file,length,windows,tokens,bytes
slow.txt,500,2,6,6
$ bipe-score --loss-after = m.bin sums.txt
! bipe-score: option '--loss-after' needs '--pack line': it looks at lines
? 2

# Documents, tokens of documents, and their text.
$ printf '{"text":"One two."}\n{"text":"Three\\tfour.","id":"x\\ty"}\n' >two.jsonl; bipe-score -q -L 4 --tail --tokens t.tsv --documents d.tsv --segments s.tsv --token-text m.bin two.jsonl >/dev/null
$ cut -f 1-7,11 t.tsv | perl -pe 's/\d+\.\d+/sprintf "%.3f", $&/ge'; cut -f 1-7 s.tsv; cut -f 1-6 d.tsv
file	document	length	window	token	start	end	nll
two.jsonl	0	4	0	1	0	3	10.114
two.jsonl	0	4	0	2	3	7	6.636
two.jsonl	0	4	0	3	7	8	3.979
two.jsonl	1	4	1	1	0	2	8.054
two.jsonl	1	4	1	2	2	5	3.089
two.jsonl	1	4	1	3	5	6	15.687
two.jsonl	1	4	2	1	7	10	6.982
two.jsonl	1	4	2	2	10	11	4.744
file	document	length	window	segment	start	end
two.jsonl	0	4	0	0	0	8
two.jsonl	1	4	1	0	0	6
two.jsonl	1	4	2	0	7	11
file	document	id	group	length	tokens
two.jsonl	0			4	3
two.jsonl	1	x\ty		4	5
$ bipe-score -q -L 128 --contrast 16 --tokens t.tsv m.bin brook.txt | grep 'm.bin, stop'; head -n 1 t.tsv
1 m.bin, stop                 128    -0.0781 +/- 0.0195, 432 tokens
file	length	window	token	start	end	id	segment	intra	nll	contrast

# Groups of records, and their ids; two models, where each group weighs the same in the end.
$ for i in 1 2 3 4 5; do printf '{"text":"It was a dark night, number %s.","meta":{"kind":"a"},"id":%s}\n{"id":"b%s","meta":{"kind":7},"text":"And then there were %s"}\n{"text":"Nobody."}\n' $i $i $i $i; done >kinds.jsonl
$ bipe-score -L 16 --tail --group meta.kind m.bin kinds.jsonl
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
segments  stop
protocol  paper, BOS document, with the tail, f32

file         length  windows    tokens     nll       ppl     +/- bits/byte  word ppl
kinds.jsonl      16        8        93  4.7428    114.75   17.78    2.3224    1558.2
7                16                 28  5.0268    152.44   32.11    2.0511         -
a                16                 51  4.4615     86.62    9.06    2.3117         -
(none)           16                 14  5.1993    181.14   35.69    3.1822         -
macro            16                     4.8959    133.73   13.68

+/-: standard error by bootstrap over documents, or blocks of 4 tokens
! bipe-score: --group: 5 of 15 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-score -L 16 --tail --group meta.kind --against rope.bin m.bin kinds.jsonl
model     m.bin (bipe-alibi, 1.41 million parameters, trained at 256 tokens)
          rope.bin (rope, 1.38 million parameters, trained at 256 tokens)
protocol  paper, BOS document, with the tail, f32

kinds.jsonl                           16
1 m.bin, stop                114.75   18
2 rope.bin, stop             197.23   23
7                                     16
1 m.bin, stop                152.44   32
2 rope.bin, stop             205.21   26
a                                     16
1 m.bin, stop                 86.62 9.06
2 rope.bin, stop             150.02   12
(none)                                16
1 m.bin, stop                181.14   36
2 rope.bin, stop             493.60  104
macro                                 16
1 m.bin, stop                133.73   14
2 rope.bin, stop             247.69   21

less 1                     length nats/token       95 % interval      p bits/byte
2 rope.bin, stop               16    +0.5416  [+0.3357, +0.7769]  0.001   +0.2652

less 1, macro              length nats/token       95 % interval      p bits/byte
2 rope.bin, stop               16    +0.6163  [+0.3456, +0.8871]  <.001   +0.3398

perplexity and its standard error, by bootstrap over documents, or blocks of 4 to 8 tokens
! bipe-score: --group: 5 of 15 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-score -L 16 --tail --group meta.kind --csv m.bin kinds.jsonl | sed 's/, too few[^"]*//' | cut -d , -f 3-6,23
file,length,windows,tokens,group
kinds.jsonl,16,8,93,
total,16,,28,7
total,16,,51,a
total,16,,14,(none)
! bipe-score: --group: 5 of 15 documents have no member "meta.kind" that is a string, number, true or false
$ bipe-score -q -L 16 --tail --id id --group meta.kind --segments s.tsv --documents d.tsv m.bin kinds.jsonl >out; head -n 4 s.tsv | cut -f 1-8; head -n 4 d.tsv | cut -f 1-6
file	document	record	length	window	segment	start	end
kinds.jsonl	0	1	16	0	0	0	30
kinds.jsonl	1	b1	16	0	1	0	14
kinds.jsonl	1	b1	16	1	0	19	21
file	document	id	group	length	tokens
kinds.jsonl	0	1	a	16	11
kinds.jsonl	1	b1	7	16	5
kinds.jsonl	2		(none)	16	3
$ for i in 0 1; do bipe-score -q -L 16 --tail --group meta.kind --shard $i/2 --json -o shard$i.json m.bin kinds.jsonl; done; bipe-score --merge shard1.json shard0.json | cmp - out
$ bipe-score -L 16 --tail --group kind m.bin kinds.jsonl | sed -n 5,7p
file         length  windows    tokens     nll       ppl     +/- bits/byte  word ppl
kinds.jsonl      16        8        93  4.7428    114.75   17.78    2.3224    1558.2
(none)           16                 93  4.7428    114.75   14.21    2.3224         -
! bipe-score: no document has a member "kind" that is a string, number, true or false: all are in one group
! bipe-score: --group: no document has a member "kind" that is a string, number, true or false; the first record has "text", "meta.kind", "id"
$ mkdir -p f/a f/b; printf 'It was a dark night.\n' >f/a/1.txt; printf 'And then there were none.\n' >f/a/2.txt; printf 'Nobody.\n' >f/b/1.txt; bipe-score -L 16 --tail --group folder --csv m.bin f/a/1.txt f/b/1.txt f/a/2.txt | cut -d , -f 3-6,23- | sed 's/"[^"]*"//'
file,length,windows,tokens,group,nll_difference,difference_stderr,difference_low,difference_high,p,bits_per_byte_difference,bits_per_byte_difference_low,bits_per_byte_difference_high,by,index
f/a/1.txt,16,1,8,document,,,,,,,,,,,
f/b/1.txt,16,1,4,document,,,,,,,,,,,
f/a/2.txt,16,1,8,document,,,,,,,,,,,
total,16,,16,document,f/a,,,,,,,,,,
total,16,,4,document,f/b,,,,,,,,,,
total,16,3,20,document,,,,,,,,,,,
$ i=0; while [ $i -lt 1001 ]; do printf '{"text":"One two","n":%s}\n' $i; i=$((i + 1)); done >many.jsonl; bipe-score -L 16 --group n m.bin many.jsonl
! bipe-score: many.jsonl: document 1000: more than 1000 groups by "n" ("1000" is one more), expected fewer
? 1
$ bipe-score --id x m.bin kinds.jsonl
! bipe-score: option '--id' needs '--tokens', '--segments' or '--documents'
? 2
$ bipe-score --group a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q m.bin kinds.jsonl
! bipe-score: option '--group': found a path of 17 names, expected at most 16
! Try 'bipe-score --help' for more information.
? 2

# How far a model goes; two models among the operands.
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-score --limit --against rope.bin m.bin river.txt
m.bin, stop: at least 2048 tokens (trained at 256; lengths of -L beyond that: 512, 1024, 2048)
  length    tokens difference      p   level
     512      2040    -0.0071  0.030    0.05
    1024      2040    -0.0120  0.003    0.05
    2048      2040    -0.0158  0.001    0.05
rope.bin, stop: 368 tokens (trained at 256; lengths of -L beyond that: 512, 1024, 2048)
  length    tokens difference      p   level
     320      1908    -0.0023  0.825  0.0125
     352      1749    +0.0180  0.293  0.0125
     368      1828    +0.0211  0.180  0.0125
     384      1910    +0.0406  0.002  0.0125  worse
     512      2040    +0.1274  0.012    0.05  worse
    1024      2040    +0.3134  0.010    0.05  worse
    2048      2040    +0.4909  0.001    0.05  worse
difference: of the loss from that of the same tokens at the training length, in nats per token
worse: the loss is higher and p is below the level, and so it is at all longer lengths of -L. The limit depends on these lengths.
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-score --limit -L 512 --json rope.bin river.txt | grep '"limit": [0-9]\|"found"'
      "limit": 368,
      "found": true,
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-score --limit --scheme bipe-rope -L 320,440 m.bin river.txt
m.bin, stop: at least 440 tokens (trained at 256; lengths of -L beyond that: 320, 440)
  length    tokens difference      p   level
     320      1908    +0.0445  0.039    0.05  worse, but 440 is not
     440      1750    +0.0357  0.290    0.05
difference: of the loss from that of the same tokens at the training length, in nats per token
worse: the loss is higher and p is below the level, and so it is at all longer lengths of -L. The limit depends on these lengths.
$ bipe-score --limit --by token m.bin river.txt
! bipe-score: options '--limit' and '--by token' cannot be combined: '--limit' prints a table or JSON of its own
? 2
$ for o in '--stride 5' --tail '--bos window' --count-bos '--last 3' --common '--pack line' '--protocol sliding'; do bipe-score --limit $o m.bin river.txt 2>&1; done
bipe-score: options '--limit' and '--stride' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--tail' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--bos window' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--count-bos' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--last' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--common' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--pack line' cannot be combined: '--limit' has its own rules for windows
bipe-score: options '--limit' and '--protocol sliding' cannot be combined: '--limit' has its own rules for windows
? 2
$ bipe-score -L 512 default prose-rope chapters.txt
! bipe-score: 'prose-rope' is a model, and files are expected after MODEL; to compare two models, use '--against prose-rope'
? 2
$ bipe-score --limit m.bin empty
! bipe-score: m.bin: the text has 1 token, expected a window of the training length, 256
? 1
$ echo short | bipe-score --limit m.bin -
! bipe-score: m.bin: the text has 3 tokens, expected a window of the training length, 256
? 1

# A key hidden in texts of its own: the same for any number of threads, and for each model.
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-score --probe passkey --trials 2 -L 64,112 --against rope.bin -s stop -s line -j 1 m.bin >one; bipe-score --probe passkey --trials 2 -L 64,112 --against rope.bin -s stop -s line -j 3 -q m.bin | cmp - one; cat one
probe passkey: how often (%) the key is more probable than 9 others, 2 trials
m.bin (bipe-alibi, trained at 256 tokens), segments stop
  length    0 %   25 %   50 %   75 %  100 %    all  95 % interval
     112    0.0    0.0    0.0    0.0   50.0   10.0  [1.8, 40.4]
m.bin (bipe-alibi, trained at 256 tokens), segments line
  length    0 %   25 %   50 %   75 %  100 %    all  95 % interval
     112    0.0    0.0    0.0    0.0   50.0   10.0  [1.8, 40.4]
rope.bin (rope, trained at 256 tokens), segments stop
  length    0 %   25 %   50 %   75 %  100 %    all  95 % interval
     112    0.0    0.0    0.0    0.0   50.0   10.0  [1.8, 40.4]
rope.bin (rope, trained at 256 tokens), segments line
  length    0 %   25 %   50 %   75 %  100 %    all  95 % interval
     112    0.0    0.0    0.0    0.0   50.0   10.0  [1.8, 40.4]
! bipe-score: rope.bin: its scheme does not use segments, so all segmenters give the same losses
! bipe-score: skipped length 64: 64 tokens hold no text with a key, which takes 95 or more
$ bipe-score -q --probe passkey --trials 2 -L 112 --csv m.bin
model,segmenter,file,length,depth,trials,right,accuracy,low,high
m.bin,stop,,112,0,2,0,0,0,0.657619772
m.bin,stop,,112,0.25,2,0,0,0,0.657619772
m.bin,stop,,112,0.5,2,0,0,0,0.657619772
m.bin,stop,,112,0.75,2,0,0,0,0.657619772
m.bin,stop,,112,1,2,1,0.5,0.0945312057,0.905468794
$ bipe-score --probe passkey --trials 2 -L 112 --json m.bin | sed '/^  "run"/,/^  }/d' | perl -0pe 's/,\s*\{.*?\}(?=\s*\])//s'
{
  "tool": "bipe-score",
  "version": "0.1.0",
  "protocol": {
    "name": "passkey",
    "choices": 10,
    "seed": 0
  },
  "results": [],
  "probe": [
    {
      "model": "m.bin",
      "segmenter": "stop",
      "length": 112,
      "depth": 0,
      "trials": 2,
      "right": 0,
      "accuracy": 0,
      "interval": [0, 0.657619772]
    }
  ],
  "probe_total": [
    {
      "model": "m.bin",
      "segmenter": "stop",
      "length": 112,
      "trials": 10,
      "right": 1,
      "accuracy": 0.1,
      "interval": [0.0178762131, 0.404150027]
    }
  ],
  "complete": true
}
$ bipe-score --probe passkey -L 64 m.bin
probe passkey: how often (%) the key is more probable than 9 others, 20 trials
! bipe-score: skipped length 64: 64 tokens hold no text with a key, which takes 95 or more
? 1
$ bipe-score -q --probe passkey --trials 1 -L 256 m.bin >/dev/full
! bipe-score: standard output: could not be written: No space left on device
? 1
$ bipe-score --probe passkey m.bin river.txt
! bipe-score: option '--probe passkey' takes no FILE: answers in its own texts are counted, not losses
? 2
$ bipe-score --probe passkey --protocol yarn m.bin
! bipe-score: options '--probe' and '--protocol' cannot be combined: answers in its own texts are counted, not losses
? 2
$ bipe-score --trials 3 m.bin river.txt
! bipe-score: option '--trials' needs '--probe'
? 2
$ bipe-score --probe key m.bin
! bipe-score: option '--probe': found 'key', expected one of passkey
! Try 'bipe-score --help' for more information.
? 2
$ bipe-score --merge --probe passkey part.json
! bipe-score: options '--merge' and '--probe' cannot be combined: results are read, not models and texts
? 2

$ bipe-score -L '1k 2k' m.bin river.txt
! bipe-score: option '-L': found '1k 2k', expected numbers with commas between them, such as 512 or 1k,8k
! Try 'bipe-score --help' for more information.
? 2
$ : >nothing; bipe-score m.bin nothing
! bipe-score: nothing: skipped length 256: the text has only 1 token, which marks its beginning: it is empty
? 1
$ bipe-score -L 128 --limit m.bin brook.txt
! bipe-score: m.bin: found no length of -L beyond the training length (256) that the text reaches
? 1

# Rows that were finished before a signal, and a table that says so.
$ mkfifo never; exec 3<>never; bipe-score -L 256 m.bin river.txt - <never >part & for i in $(seq 600); do grep -qs '^river' part && break; sleep 0.1; done; kill -TERM $!; wait $!; echo $?; sed -n '/^total/,$p' part
143
total         256        8      2040  3.8638     47.65    2.35    1.8484     567.5

+/-: standard error by bootstrap over blocks of 5 tokens

incomplete: the run was interrupted, and these rows are about what was finished
! bipe-score: interrupted: only rows that were finished are reported; use --resume FILE to be able to continue next time
