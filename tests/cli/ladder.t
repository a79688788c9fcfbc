# bipe-score --ladder: the last tokens of documents after contexts of several lengths. Numbers are compared with float64 by tests/peers/ladders.
$ cp "$BIPE_SRCDIR"/models/prose-bipe-alibi.bin m.bin; cp "$BIPE_SRCDIR"/corpora/river.txt .; head -c 300 river.txt >short.txt
$ printf '{"id":"%s","text":"%s"}\n' a "$(head -c 900 river.txt | tr '\n"' '  ')" b "It was so." c "$(tail -c 400 river.txt | tr '\n"' '  ')" >r.jsonl
$ bipe-score --ladder 64,16,16,256 --last 40 m.bin r.jsonl
model     m.bin (bipe-alibi, 3.9 million parameters, trained at 512 tokens)
segments  stop
ladder    the last 40 tokens of 2 documents, BOS window, f32

 context reached     nll       ppl       gain       95 % interval      p  gaining   surely      key
      16       2  4.3623     78.44    +0.0000                   -      -        -        -        -
      64       2  4.2447     69.73    +0.1177  [+0.0057, +0.3110]  0.039  100.0 %    0.0 %   2.50 %
     256       0  4.2570     70.60    +0.1053  [-0.0289, +0.2980]  0.124  100.0 %    0.0 %   2.50 %

gain: of the same tokens, in nats per token, by more context than 16 tokens; bootstrap over 80 blocks of 1 tokens
gaining: share of documents that gain; surely: share whose own 95 % interval is above 0
key: share of tokens whose loss falls by more than 2 nats, to less than 2
! bipe-score: left out 1 document of fewer than 56 tokens: 16 of context and the last 40
! bipe-score: no document has 256 tokens before its last 40: from there on, rows are of all the context that documents have
$ bipe-score -q --csv --ladder 16,64 --last 40 --documents d.tsv m.bin r.jsonl river.txt | cut -d, -f 1-7
model,segmenter,context,reached,documents,tokens,bytes
m.bin,stop,16,3,3,120,335
m.bin,stop,64,3,3,120,335
$ cut -f 1-7 d.tsv
file	document	id	length	context	used	tokens
r.jsonl	0	a	268	16	16	40
r.jsonl	0	a	268	64	64	40
r.jsonl	2	c	136	16	16	40
r.jsonl	2	c	136	64	64	40
river.txt	0		1926	16	16	40
river.txt	0		1926	64	64	40
# The longest alone, and one by one, have the same losses.
$ for c in 16 64 256; do bipe-score -q --csv --ladder $c --last 40 m.bin river.txt | sed 1d; done | cut -d, -f 3-9 >alone; bipe-score --csv --ladder 16,64,256 --last 40 m.bin river.txt | sed 1d | cut -d, -f 3-9 | cmp - alone
# A rung on which a document is whole is the same window as longer ones; -j changes nothing.
$ bipe-score -q --json -j 1 --ladder 16,256,512,1k --last 40 m.bin r.jsonl >a.json; bipe-score -q --json -j 2 --ladder 16,256,512,1k --last 40 m.bin r.jsonl >b.json; cmp a.json b.json; jq -c '[.work, .shorter, .ladder[].nll]' a.json
[{"tokens":1332,"computed":520},1,4.36232627,4.25703021,4.25703021,4.25703021]
# Errors from clusters of documents, however few.
$ for i in $(seq 12); do printf '{"source":%s,"text":"%s"}\n' $((i % 3)) "$(tail -c +$((100 * i)) river.txt | head -c 600 | tr '\n"' '  ')"; done >c.jsonl; bipe-score --csv --ladder 16,64 --last 40 --cluster source m.bin c.jsonl | cut -d, -f 3-6,19-20
context,reached,documents,tokens,method,gaining
16,12,12,480,"bootstrap over 3 clusters, too few for an interval"
64,12,12,480,"bootstrap over 3 clusters, too few for an interval"
! bipe-score: --cluster: only 3 clusters by "source": errors from fewer than 10 are rough
# The method is that of the gain; on the first rung, which has none, that of the loss.
$ bipe-score -q --csv --ladder 16,64,256 --last 200 m.bin river.txt | cut -d, -f 3,19
context,method
16,bootstrap over 200 blocks of 1 tokens
64,bootstrap over 200 blocks of 1 tokens
256,bootstrap over 50 blocks of 4 tokens
# Other numbers for key tokens.
$ for k in '' --key-tokens --key-tokens=1,5; do bipe-score -q --csv --ladder 16,64 --last 40 $k m.bin river.txt | tail -n 1 | cut -d, -f 22; done
0.025
0.025
0.05
# As a filter, records get what their rungs have; one that is too short gets nothing, and is not kept where anything is asked for.
$ bipe-score --records --ladder 16,64 --last 40 m.bin r.jsonl | jq -c '[.id, .bipe.context, .bipe.tokens, (.bipe.rungs // [] | length), (.bipe.rungs[-1:] == [.bipe | del(.rungs)])]'
["a",64,40,2,true]
["b",null,null,0,false]
["c",64,40,2,true]
! bipe-score: 1 of 3 records has no token that is scored, and its values are null
$ (echo nothing && cat r.jsonl) | bipe-score --records --ladder 16,64 --last 40 --keep 'gain>0.1' m.bin - | jq -c '[.id, .bipe.gain]'
["c",0.135881341]
! bipe-score: 1 of 4 records could not be scored and was dropped (--broken pass writes it); the first: standard input: record at line 1, byte 1: found 'n', expected an object
! bipe-score: kept 1 of 4 records
! bipe-score: 1 of 4 records has no token that is scored, and its values are null
$ bipe-score --records --ladder 16,64 --keep 'ppl<9' m.bin r.jsonl
! bipe-score: option '--keep': found the name 'ppl', expected one of context, tokens, nll, gain, gain_low, gain_high, key
? 2
$ bipe-score --records --ladder 16,64 --documents d.tsv m.bin r.jsonl
! bipe-score: options '--records' and '--documents' cannot be combined
? 2
$ bipe-score -q --ladder 16,64 --last 40 --documents d.csv m.bin r.jsonl >/dev/null; head -n 1 d.csv
file,document,id,length,context,used,tokens,nll,gain,low,high,key
# Errors.
$ bipe-score --ladder 64 m.bin short.txt
! bipe-score: left out 1 document of fewer than 320 tokens: 64 of context and the last 256
? 1
$ bipe-score --ladder 64 -L 64 m.bin river.txt
! bipe-score: options '--ladder' and '--length' cannot be combined: '--ladder' has its own windows
? 2
$ bipe-score --ladder 64 -s stop -s line m.bin river.txt
! bipe-score: option '--ladder': expected one segmenter with -s
? 2
$ bipe-score --ladder 0 m.bin river.txt
! bipe-score: option '--ladder': found '0', expected a number between 1 and 1073741824, optionally with k or m
! Try 'bipe-score --help' for more information.
? 2
$ bipe-score --ladder 1g m.bin river.txt
! bipe-score: option '--ladder': found '1g', expected a number between 1 and 1073741824, optionally with k or m
! Try 'bipe-score --help' for more information.
? 2
$ bipe-score --ladder 1024m --last 1 m.bin river.txt
! bipe-score: option '--ladder': 1073741824 tokens and the last 1 are more than a window of 1073741824 tokens holds
? 2
$ bipe-score --ladder 64 --last 8 m.bin none.txt
! bipe-score: none.txt: could not be opened: No such file or directory
? 1
$ bipe-score --ladder 64 --last 8 --resume j m.bin river.txt
! bipe-score: options '--ladder' and '--resume' cannot be combined: a whole run is needed
? 2
$ bipe-score --ladder 64 --power 0.1 m.bin river.txt
! bipe-score: options '--ladder' and '--power' cannot be combined: '--ladder' takes one model
? 2
$ bipe-score --ladder 64 --group folder m.bin river.txt
! bipe-score: options '--ladder' and '--group' cannot be combined: '--ladder' reports all documents together, and '--documents' each
? 2
$ bipe-score --ladder 64 --key-from m.bin m.bin river.txt
! bipe-score: options '--ladder' and '--key-from' cannot be combined: '--ladder' finds key tokens by its first rung
? 2
$ bipe-score --ladder 64 --bos document m.bin river.txt
! bipe-score: options '--ladder' and '--bos document' cannot be combined: BOS is before each window, or nowhere
? 2
$ (printf '%s\n' '{"text":' && cat r.jsonl) >broken.jsonl; bipe-score -q --csv --ladder 16 --last 40 m.bin broken.jsonl | wc -l
2
! bipe-score: broken.jsonl: record at line 1, byte 9: found the end of the line, expected a string in "text"
$ perl -0777 -pe 'substr($_, -4096) = "\xff" x 4096' m.bin >nan.bin; head -c 60 river.txt >tiny.txt
$ bipe-score -q --ladder 16,64 --last 40 nan.bin tiny.txt river.txt
! bipe-score: river.txt: document 0: losses are not finite, the model is broken
? 1
$ bipe-score --records --ladder 16,64 --last 40 nan.bin r.jsonl
! bipe-score: document 0: losses are not finite, the model is broken
? 1
$ bipe-score --records nan.bin r.jsonl
! bipe-score: losses of a record are not finite, the model is broken
? 1
# Interrupted, it reports what is finished, and writes no file of documents.
$ mkfifo never; exec 3<>never; bipe-score --ladder 16 --last 40 --documents e.tsv m.bin river.txt - <never >part 2>err & sleep 0.3; for i in $(seq 100); do kill -TERM $! 2>/dev/null || break; sleep 0.1; done; wait $!; echo $?; ls e.tsv 2>&1 | sed 's/.*: //'
143
No such file or directory
