# --records of bipe-score, bipe-stats and bipe-segment: records of JSON Lines with a member of the tool's own. tests/peers/records compares their
# values and bytes with an independent computation.
$ cat >docs.jsonl <<'END'
> {"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0}}
>
> {"id":2, "text":"Zq xv jjk wq.", "id":3 }
> {"text":5}
> {"text":""}
> {"body":"no text"}
> not JSON
> END
$ bipe-segment --records -s sentence docs.jsonl
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"segments":["The river ran past the mill. ","It was wide."]}}
{"id":2, "text":"Zq xv jjk wq.", "id":3,"bipe":{"segments":["Zq xv jjk wq."]} }
{"text":"","bipe":{"segments":[]}}
! bipe-segment: 3 of 6 records could not be segmented and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
$ bipe-segment --records -s sentence --trim --keep ' segments > 1' --member sentences docs.jsonl
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"sentences":{"segments":["The river ran past the mill.","It was wide."]}}
! bipe-segment: 3 of 6 records could not be segmented and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
! bipe-segment: kept 1 of 6 records
$ bipe-segment --records -s sentence:auto --keep segments=2 -q docs.jsonl
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"segments":["The river ran past the mill. ","It was wide."],"language":"en"}}
$ bipe-stats --records docs.jsonl --broken pass
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"bytes":41,"tokens":11,"segments":2,"tokens_per_segment":{"mean":5.5,"sd":1.5,"min":4,"p50":4,"p90":7,"max":7}}}
{"id":2, "text":"Zq xv jjk wq.", "id":3,"bipe":{"bytes":13,"tokens":5,"segments":1,"tokens_per_segment":{"mean":5,"sd":0,"min":5,"p50":5,"p90":5,"max":5}} }
{"text":5}
{"text":"","bipe":{"bytes":0,"tokens":0,"segments":0,"tokens_per_segment":{"mean":null,"sd":null,"min":null,"p50":null,"p90":null,"max":null}}}
{"body":"no text"}
not JSON
! bipe-stats: 3 of 6 records could not be counted and passed unchanged; the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
$ bipe-stats --records --keep 'tokens_per_segment.mean>=4' --keep 'tokens != 5' -q docs.jsonl
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"bytes":41,"tokens":11,"segments":2,"tokens_per_segment":{"mean":5.5,"sd":1.5,"min":4,"p50":4,"p90":7,"max":7}}}
$ bipe-score --records default docs.jsonl
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"tokens":13,"bytes":41,"segments":2,"nll":5.19085434,"ppl":179.621945,"bits_per_byte":2.37450384}}
{"id":2, "text":"Zq xv jjk wq.", "id":3,"bipe":{"tokens":11,"bytes":13,"segments":1,"nll":7.19233757,"ppl":1329.20669,"bits_per_byte":8.77998825} }
{"text":"","bipe":{"tokens":0,"bytes":0,"segments":0,"nll":null,"ppl":null,"bits_per_byte":null}}
! bipe-score: 3 of 6 records could not be scored and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
! bipe-score: 1 of 6 records has no token that is scored, and its values are null
$ bipe-score --records default -q --keep 'ppl<1000' docs.jsonl | grep -o '"tokens":[0-9]*'
"tokens":13

# Standard input is JSON Lines, too, also compressed; a run over what another wrote changes nothing.
$ zstd -qc docs.jsonl | bipe-score --records default -q - >once; bipe-score --records default -q once | cmp - once
$ bipe-stats --records -q --field id -o out docs.jsonl; cat out
{"text":"The river ran past the mill. It was wide.","id":"a\/1","metadata":{"score":1.0e3,"bipe":0},"bipe":{"bytes":3,"tokens":3,"segments":1,"tokens_per_segment":{"mean":3,"sd":0,"min":3,"p50":3,"p90":3,"max":3}}}

# The text is a document of its own, with windows of one length, and is scored to its end.
$ head -n 1 docs.jsonl >one.jsonl
$ bipe-score --records default -L 8 one.jsonl | grep -o '"nll":[^,]*'; bipe-score default --json -L 8 --tail -q one.jsonl | grep -m 1 -o '"nll": [^,]*'
"nll":5.61825478
"nll": 5.61825478
$ bipe-score --records default -L 8 --stride 4 --bos window one.jsonl | grep -o '"bipe":{"tokens.*'
"bipe":{"tokens":13,"bytes":41,"segments":2,"nll":5.36911695,"ppl":214.673217,"bits_per_byte":2.45604827}}

# Protocols that score only whole windows leave short texts without a value.
$ bipe-score --records --protocol llama.cpp default one.jsonl docs.jsonl --keep 'ppl>0'
! bipe-score: 3 of 7 records could not be scored and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
! bipe-score: kept 0 of 7 records
! bipe-score: 4 of 7 records have no token that is scored, and their values are null
$ bipe-score --records --ladder 8,16 --last 20 default one.jsonl | grep -o '"bipe":{.*'
"bipe":{"context":null,"tokens":null,"nll":null,"gain":null,"gain_low":null,"gain_high":null,"key":null,"rungs":null}}
! bipe-score: 1 of 1 records has no token that is scored, and its values are null

# The last line of a file has no newline, unless another record follows.
$ printf '{"text":"a"}' >last.jsonl; bipe-stats --records last.jsonl last.jsonl | wc -l
1
$ bipe-stats --records last.jsonl | cut -c 1-40
{"text":"a","bipe":{"bytes":1,"tokens":1

# What makes no sense.
$ bipe-score --records default --keep 'loss<3' docs.jsonl
! bipe-score: option '--keep': found the name 'loss', expected one of tokens, bytes, segments, nll, ppl, bits_per_byte
? 2
$ bipe-score --records default --keep ppl docs.jsonl
! bipe-score: option '--keep': found 'ppl', expected a condition such as ppl<300
? 2
$ bipe-score --records default --keep 'ppl<low' docs.jsonl
! bipe-score: option '--keep': found 'ppl<low', expected a number after '<'
? 2
$ bipe-segment --records --keep 'language=en' docs.jsonl
! bipe-segment: option '--keep': found the name 'language', expected one of segments
? 2
$ bipe-score --records default --member text docs.jsonl
! bipe-score: option '--member': found 'text', which holds the text, expected another name
? 2
$ bipe-stats --records --field metadata.note --member metadata docs.jsonl
! bipe-stats: option '--member': found 'metadata', which holds the text, expected another name
? 2
$ bipe-segment --records --member '' docs.jsonl
! bipe-segment: option '--member': found an empty name, expected one such as bipe
? 2
$ bipe-segment --records --member "$(printf 'a\377')" docs.jsonl
! bipe-segment: option '--member': found a name that is not UTF-8
? 2
$ bipe-segment --records --field id --member text -s sentence docs.jsonl | head -n 1 | cut -c 1-60
{"text":{"segments":["a/1"]},"id":"a\/1","metadata":{"score"
! bipe-segment: 5 of 6 records could not be segmented and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 3, byte 7: found '2', expected a string in "id"
$ bipe-score --records default --text docs.jsonl
! bipe-score: options '--records' and '--text' cannot be combined
? 2
$ bipe-score --records default --count-bos docs.jsonl
! bipe-score: options '--records' and '--count-bos' cannot be combined
? 2
$ bipe-score --records default --key-tokens -L 8k docs.jsonl
! bipe-score: option '--key-tokens': needs '--ladder' with '--records'
? 2
$ bipe-score --records default -L 8,16 docs.jsonl
! bipe-score: option '--records': expected one length with -L
? 2
$ bipe-score --records default --against default docs.jsonl
! bipe-score: options '--records' and '--against' cannot be combined
? 2
$ bipe-score --records default -s line -s stop docs.jsonl
! bipe-score: option '--records': expected one segmenter with -s
? 2
$ bipe-stats --records -s line -s stop docs.jsonl
! bipe-stats: option '--records': expected one segmenter with -s
? 2
$ bipe-stats --records --json docs.jsonl
! bipe-stats: options '--records' and '--json' cannot be combined
? 2
$ bipe-stats --keep 'tokens>3' docs.jsonl
! bipe-stats: option '--keep' needs '--records'
? 2
$ bipe-score --records default --resume journal docs.jsonl
! bipe-score: options '--records' and '--resume' cannot be combined
? 2
$ bipe-stats --records --shard 0/2 docs.jsonl
! bipe-stats: options '--shard' and '--records' cannot be combined: give each process FILEs of its own, or use parallel --pipe
? 2
$ bipe-score --records default --shard 0/2 docs.jsonl
! bipe-score: options '--shard' and '--records' cannot be combined: give each process FILEs of its own, or use parallel --pipe
? 2

# No record at all is a failure, and so is an input that breaks off; what came before is written.
$ echo x | bipe-stats --records
! bipe-stats: no record could be counted; the first: standard input: record at line 1, byte 1: found 'x', expected an object
? 1
$ echo '[{"text":"a"}]' | bipe-stats --records
! bipe-stats: standard input: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
? 1
$ bipe-stats --records absent.jsonl last.jsonl
{"text":"a","bipe":{"bytes":1,"tokens":1,"segments":1,"tokens_per_segment":{"mean":1,"sd":0,"min":1,"p50":1,"p90":1,"max":1}}}
\no newline
! bipe-stats: absent.jsonl: could not be opened: No such file or directory
? 1
$ zstd -qc docs.jsonl | head -c 60 | bipe-stats --records
! bipe-stats: standard input: compressed byte 60: the file ends inside the zstd frame that starts at byte 0
? 1
$ bipe-segment --records docs.jsonl >/dev/full
! bipe-segment: 3 of 6 records could not be segmented and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
! bipe-segment: standard output: could not be written: No space left on device
? 1
$ bipe-score --records default docs.jsonl | head -n 1 | cut -c 1-20
{"text":"The river r
! bipe-score: 3 of 6 records could not be scored and were dropped (--broken pass writes them); the first: docs.jsonl: record at line 4, byte 9: found '5', expected a string in "text"
! bipe-score: 1 of 6 records has no token that is scored, and its values are null

# Of a record of more than 64 MiB nothing is kept; the others go on.
$ (cat one.jsonl; printf '{"id":"'; head -c 70000000 /dev/zero | tr '\0' x; echo '","text":"a"}'; cat one.jsonl) | bipe-segment --records | cut -c 1-20
{"text":"The river r
{"text":"The river r
! bipe-segment: standard input: record at line 2, byte 70000018: more than 64 MiB, expected a shorter record
