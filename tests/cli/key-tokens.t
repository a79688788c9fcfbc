# bipe-score --key-tokens. The numbers themselves are compared with float64 by tests/peers/key-tokens.
$ cp "$BIPE_SRCDIR"/tests/models/small-rope.bin m.bin; cp "$BIPE_SRCDIR"/models/prose-rope.bin prose.bin; cp "$BIPE_SRCDIR"/corpora/river.txt .
$ head -c 4000 river.txt | split -l 6 - part.; for i in part.a?; do jq -Rsc '{text: ., kind: (.[0:1])}' $i; done >parts.jsonl; wc -l <parts.jsonl
8
$ bipe-score -q -L 128,512 --key-tokens=1,4 --short-context 32 m.bin river.txt
model     m.bin (rope, 1.38 million parameters, trained at 256 tokens)
segments  stop
protocol  paper, BOS document, f32

file       length  windows    tokens     nll       ppl     +/- bits/byte  word ppl
river.txt     128       16      2032  3.8876     48.79    2.39    1.8564     587.4
river.txt     512        4      2044  3.9723     53.11    2.51    1.9010     683.2

perplexity over key tokens (LongPPL): loss with a context of 32 more than 1 above the loss, and that below 4, with m.bin
                            length       key    share       nll   LongPPL     +/-
1 m.bin, stop                  128         3   0.15 %    2.2024     9.047   2.740
1 m.bin, stop                  512        25   1.22 %    2.4842    11.992   2.261

+/-: standard error by bootstrap over blocks of 5 tokens
lengths are not about the same tokens: --common scores those that all have
$ bipe-score -q -L 256 --protocol longppl --key-tokens=0.5,5 --short-context 16 --short-step 8 --group kind --documents d.tsv --key-spans-out spans.jsonl --csv m.bin --against prose.bin parts.jsonl | cut -d , -f 1,3,5-7,34-36
model,file,windows,tokens,bytes,key_tokens,key_share,key_nll
m.bin,parts.jsonl,8,1319,3984,76,0.0576194086,3.07606385
prose.bin,parts.jsonl,8,1241,3984,70,0.0564061241,3.08298867
m.bin,total,,644,1920,,38,0.0590062112
prose.bin,total,,602,1920,,34,0.0564784053
m.bin,total,,179,536,,9,0.0502793296
prose.bin,total,,173,536,,9,0.0520231214
m.bin,total,,47,139,,0,0
prose.bin,total,,45,139,,0,0
m.bin,total,,449,1389,,29,0.0645879733
prose.bin,total,,421,1389,,27,0.0641330166
$ cut -f 1,4,5,8- d.tsv | awk 'NR == 1 || $2 == 1 || $2 == 7'; cat spans.jsonl
model	document	id	tokens	bytes	nll	nll_sum	ppl	bits_per_byte	key_tokens	key_nll	longppl
m.bin	1		47	139	3.74262086	175.90318	42.2084678	1.82571688	0		
m.bin	7		89	249	4.07586934	362.752371	58.9016639	2.10177127	2	1.51475037	4.54828562
prose.bin	1		45	139	4.0163319	180.734935	55.4971629	1.87586615	0		
prose.bin	7		82	249	4.07496155	334.146847	58.848218	1.93603213	1	1.13490037	3.11086358
{"file":"parts.jsonl","document":0,"bytes":676,"length":256,"spans":[[114,118],[143,147],[161,165],[345,350],[396,397],[452,455],[487,490],[517,521],[592,600],[623,626],[645,651]]}
{"file":"parts.jsonl","document":1,"bytes":142,"length":256,"spans":[]}
{"file":"parts.jsonl","document":2,"bytes":383,"length":256,"spans":[[63,68],[103,106],[122,124],[176,177],[220,222],[250,254],[266,268]]}
{"file":"parts.jsonl","document":3,"bytes":539,"length":256,"spans":[[96,104],[125,129],[158,159],[197,201],[286,287],[289,295],[512,514]]}
{"file":"parts.jsonl","document":4,"bytes":594,"length":256,"spans":[[85,90],[97,98],[192,197],[211,215],[252,254],[265,268],[270,272],[287,294],[309,314],[316,318],[338,340],[365,369],[383,388],[458,459]]}
{"file":"parts.jsonl","document":5,"bytes":719,"length":256,"spans":[[181,185],[215,216],[218,220],[223,224],[292,294],[300,301],[375,376],[421,422],[435,440],[444,446],[454,459],[495,499],[562,566],[585,589],[612,616],[661,663]]}
{"file":"parts.jsonl","document":6,"bytes":697,"length":256,"spans":[[92,93],[136,140],[258,263],[299,301],[435,447],[545,549],[557,559],[577,580]]}
{"file":"parts.jsonl","document":7,"bytes":250,"length":256,"spans":[[72,74],[153,157]]}
# The spans again, as they were found and read; a text has them whatever model reads it.
$ bipe-score -q -L 256 --protocol longppl --key-spans spans.jsonl --json prose.bin parts.jsonl | jq -c '.key_tokens, .results[].key'
{"spans":"spans.jsonl"}
{"tokens":70,"share":0.0564061241,"nll":3.08298867,"longppl":21.8235283,"longppl_stderr":4.74408551,"stderr":0.217383983,"interval":[2.71295265,3.59781966],"method":"bootstrap over 56 blocks of 1 tokens"}
$ bipe-score -q -L 256 --protocol longppl --key-tokens=0.5,5 --key-from m.bin --short-context 16 --short-step 8 --json prose.bin parts.jsonl | jq -c '.key_tokens, .results[].key'
{"from":"m.bin","alpha":0.5,"beta":5,"short_context":16,"short_step":8}
{"tokens":70,"share":0.0564061241,"nll":3.08298867,"longppl":21.8235283,"longppl_stderr":4.74408551,"stderr":0.217383983,"interval":[2.71295265,3.59781966],"method":"bootstrap over 56 blocks of 1 tokens"}
$ bipe-score -q -L 64 --key-tokens=0.5,5 --short-context 16 --tokens t.tsv --token-text m.bin river.txt >/dev/null; head -n 1 t.tsv; awk -F '\t' '$11 == 1' t.tsv | head -n 3
file	length	window	token	start	end	id	segment	intra	nll	key	text
river.txt	64	0	22	48	49	1995	3	9	3.62357551	1	.
river.txt	64	0	45	114	118	522	4	22	2.53980809	1	 she
river.txt	64	0	53	143	147	262	4	30	1.42535791	1	 the
# As LongPPL's program writes them: characters, a file for each document.
$ mkdir slices; for i in 0 1 2 3 4 5 6 7 8 9; do echo '[3, 9];[20, 40]' >slices/slice_$i.txt; done; : >slices/slice_1.txt
$ bipe-score -q -L 256 --protocol longppl --key-spans slices --documents d.tsv m.bin parts.jsonl | tail -n 3; cut -f 2,6,12- d.tsv | head -n 4
1 m.bin, stop                  256        61   4.62 %    3.7810    43.858  12.296

+/-: standard error by bootstrap over blocks of 5 tokens
document	tokens	key_tokens	key_nll	longppl
0	215	9	4.6472777	104.300661
1	47	0		
2	143	7	4.34530622	77.1156481
$ bipe-score -q -L 128 --key-spans slices/slice_0.txt --json m.bin river.txt | jq -c '.results[].key.tokens'
9
$ echo '[3, 9];[20, 40]' | bipe-score -q -L 128 --key-spans - --json m.bin river.txt | jq -c '.results[].key.tokens'; cat spans.jsonl | bipe-score -q -L 256 --protocol longppl --key-spans - --json m.bin parts.jsonl | jq -c '.results[].key.tokens'
9
76
# What cannot be.
$ bipe-score --key-tokens -L 512 m.bin river.txt
! bipe-score: option '--key-tokens': windows of 512 tokens (-L) have no token that sees more than a short context of 4096 and the step of 1024: give less with --short-context
? 2
$ bipe-score --key-tokens 2,2 -L 512 m.bin river.txt
! bipe-score: option '--key-tokens': windows of 512 tokens (-L) have no token that sees more than a short context of 4096 and the step of 1024: give less with --short-context
? 2
$ bipe-score --key-tokens=2 -L 512 m.bin river.txt
! bipe-score: option '--key-tokens': found '2', expected two numbers of nats with a comma between them, such as 2,2
! Try 'bipe-score --help' for more information.
? 2
$ bipe-score --short-context 16 m.bin river.txt
! bipe-score: option '--short-context' needs '--key-tokens'
? 2
$ bipe-score --key-tokens --short-context 16 --key-spans-out s.jsonl m.bin river.txt
! bipe-score: option '--key-spans-out': key tokens are written for one length, found 4: give one with -L
? 2
$ for o in --divergence '--resume x' '--bos window' '--protocol sliding' --limit '--key-spans x'; do bipe-score --key-tokens $o --against prose.bin m.bin river.txt; done
! bipe-score: options '--key-tokens' and '--divergence' cannot be combined: a whole run is needed
! bipe-score: options '--key-tokens' and '--resume' cannot be combined: a whole run is needed
! bipe-score: options '--key-tokens' and '--bos window' cannot be combined
! bipe-score: options '--key-tokens' and '--protocol sliding' cannot be combined: the protocol has its own rules for windows
! bipe-score: options '--limit' and '--key-tokens' cannot be combined: '--limit' prints a table or JSON of its own
! bipe-score: options '--key-spans' and '--key-tokens' cannot be combined: key tokens are read or found
? 2
$ bipe-score -q -L 256 --key-spans spans.jsonl m.bin river.txt
! bipe-score: river.txt: spans.jsonl: line 1: is about document 0, of 676 bytes, expected document 0, of 6178: it is of another text
? 1
$ bipe-score -q -L 256 --key-spans slices/slice_0.txt m.bin parts.jsonl
! bipe-score: slices/slice_0.txt: has the key spans of one document, and there is a second one: expected a folder of such files, named slice_0.txt and so on
? 1
$ bipe-score -q -L 256 --key-spans none.jsonl m.bin parts.jsonl
! bipe-score: none.jsonl: could not be opened: No such file or directory
? 1
$ echo '[3, 9];[2, 5]' >bad.txt; echo '[3, 99999]' >long.txt; printf '[3, 9]\0;[2, 5]' >nul.txt; sed 1q spans.jsonl >torn.jsonl; sed 's/\[\[/[[9,/' spans.jsonl >odd.jsonl; for i in bad.txt long.txt nul.txt torn.jsonl odd.jsonl; do bipe-score -q -L 64 --key-spans $i m.bin $(case $i in *.txt) echo river.txt;; *) echo parts.jsonl;; esac); done
! bipe-score: bad.txt: span 2: expected spans of characters by rising start, such as [40351, 40358];[40379, 40380]
! bipe-score: river.txt: document 0: long.txt: span 1 ends beyond the 6178 characters of the document: it is of another text
! bipe-score: nul.txt: span 1: expected spans of characters by rising start, such as [40351, 40358];[40379, 40380]
! bipe-score: parts.jsonl: torn.jsonl: ends after line 1, expected a line for each document
! bipe-score: parts.jsonl: odd.jsonl: line 1: expected "spans" of the document's bytes, [START, END], one after the other
? 1
# bipe-plot marks key tokens in the text, and draws the perplexity over them.
$ head -c 175 river.txt >r.txt; bipe-score -q -L 64 --key-tokens=0.5,5 --short-context 16 --tokens t.tsv --json -o k.json m.bin r.txt; bipe-plot --text r.txt t.tsv; bipe-plot --kind key-tokens --data k.csv -o k.svg k.json; cut -d , -f 1-4 k.csv; jq '.results[0].key.longppl' k.json
r.txt
t, windows of 64
0 nats .123456789ABC 9 and more
^: key tokens (3)

The Walk to Marl↵
88877999888559998
│↵
 C
│Mrs.│ Adler left her house at 6.│40 in the morning with a flask, two boiled egg
 351. 553AAACCCCC7777888888555755 6399922227777777777777336665513999999966117766
                                ^
s and a letter that she had promised to carry to the mill at Marl.│ The road wou
1444455AAAAAAA66666333333339999911112228888..444222266666CCC667776 44448882266
                   ^^^^                         ^^^^
l
figure,series,x,y
perplexity over key tokens by window length,m.bin,64,12.548241
12.5482411
$ sed '2,$s/0$/2/' t.tsv | bipe-plot --text r.txt
! bipe-plot: standard input: line 2: key: expected a whole number that is not too large
? 1
$ bipe-plot --text r.txt t.tsv -o k.html; grep -o 'id="K"' k.html; grep -o '<b class="[^"]* k"[^/]*' k.html
id="K"
<b class="l5 d6 k" data-v="3.6236 22 0 3 9 48 49 1995">.<
<b class="l3 d6 k" data-v="2.5398 45 0 4 22 114 118 522"> she<
<b class="l2 d6 k" data-v="1.4254 53 0 4 30 143 147 262"> the<
# Two models with one tokenizer are compared on their key tokens, at each length.
$ bipe-score -q -L 128,256 --key-tokens=0.5,5 --short-context 32 --against prose-bipe-alibi default river.txt | sed -n '/^key tokens/,$p'
key tokens, less 1          length       key  nats/token       95 % interval      p   Holm
2 prose-bipe-alibi, stop       128        63     +0.4547  [+0.2380, +0.6757]  0.001  0.002
2 prose-bipe-alibi, stop       256        98     +0.3233  [+0.1602, +0.5021]  0.001  0.002

perplexity and its standard error, by bootstrap over blocks of 5 tokens
Holm: p, corrected for 2 comparisons
lengths are not about the same tokens: --common scores those that all have
$ bipe-score -q -L 256 --key-tokens=0.5,5 --short-context 32 --against prose-bipe-alibi --csv default river.txt | cut -d , -f 1,3,43-46
model,file,key_nll_difference,key_difference_low,key_difference_high,key_p
default,river.txt,,,,
prose-bipe-alibi,river.txt,0.323333853,0.160201163,0.502143486,0.001
$ bipe-score -q -L 256 --key-tokens=0.5,5 --short-context 32 --against default m.bin river.txt | grep -c 'key tokens, less'
0
? 1
