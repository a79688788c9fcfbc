# generate.t - bipe-generate: prompts, what ends a continuation, formats, what does not matter, what is refused.

$ cp "$BIPE_SRCDIR/models/prose-rope.bin" rope.bin

# a prompt, where it comes from, and what comes out
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 8 >prompt.txt
$ cat prompt.txt
 house, and was the only one of
$ echo "She went to the" | bipe-generate prose-bipe-alibi -n 8 | cmp - prompt.txt
$ printf 'She went to the\r\n' | bipe-generate prose-bipe-alibi -n 8 | cmp - prompt.txt
$ echo "She went to the" >file.txt
$ bipe-generate prose-bipe-alibi -n 8 file.txt | cmp - prompt.txt
$ bipe-generate -n 8 --echo prose-bipe-alibi file.txt
She went to the house, and was the only one of
$ bipe-generate -n 8 -z prose-bipe-alibi file.txt file.txt | tr '\000' '|'
 house, and was the only one of| house, and was the only one of|
\no newline
$ printf '{"id":1,"q":"The house"}\n{"id":2,"q":"The river"}\n' >records.jsonl
$ bipe-generate -n 3 --field q prose-bipe-alibi records.jsonl
 of the B

man of the

$ bipe-generate -n 3 --field q --format jsonl --echo prose-bipe-alibi records.jsonl file.txt
{"file":"records.jsonl","document":0,"sample":0,"prompt_tokens":3,"ids":[277,263,399],"text":"The house of the B","finish":"length"}
{"file":"records.jsonl","document":1,"sample":0,"prompt_tokens":4,"ids":[720,277,263],"text":"The riverman of the","finish":"length"}
! bipe-generate: file.txt: record at line 1, byte 1: found 'S', expected an object
? 1
$ bipe-generate -n 2 --format jsonl prose-bipe-alibi --prompt "The house" -o out.jsonl && cat out.jsonl
{"file":null,"document":0,"sample":0,"prompt_tokens":3,"ids":[277,263],"text":" of the","finish":"length"}
$ printf 'The caf\351 was' >latin.txt; bipe-generate prose-bipe-alibi -n 3 --encoding ISO-8859-1 --echo latin.txt
The café was the first,
$ printf '%s' "She went to the" | bipe-segment -t prose-bipe-alibi --format tokens | tail -n +2 | cut -f 6 | tr '\n' ' ' >ids.txt
$ bipe-generate -n 8 --ids text prose-bipe-alibi ids.txt | cmp - prompt.txt
$ printf '{"q": "Er sagte, dass er nicht da war. Das war"}\n{"q": "He said that he had met Gen. Grant there. It was"}\n{"q": "Lorem"}\n' >languages.jsonl; bipe-generate -n 1 --field q -s sentence:auto prose-bipe-alibi languages.jsonl -o /dev/null
! bipe-generate: segmenter 'sentence:auto': documents by language: de: 1, en: 1, none (plain rules): 1
# what ends it
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 30 --stop " the on" --format jsonl
{"file":null,"document":0,"sample":0,"prompt_tokens":5,"ids":[1557,4007,291,353,263,589],"text":" house, and was","finish":"stop"}
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 30 --stop nowhere --stop " on" --stop as
 house, and w
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 2 --stop "house, and" --format jsonl
{"file":null,"document":0,"sample":0,"prompt_tokens":5,"ids":[1557,4007],"text":" house,","finish":"length"}
# the same for any number of threads, alone or together
$ bipe-generate prose-bipe-alibi --prompt "The river" -n 40 --temperature 0.9 --seed 3 --samples 5 --format jsonl >five.jsonl
$ bipe-generate -j 1 prose-bipe-alibi --prompt "The river" -n 40 --temperature 0.9 --seed 3 --samples 5 --format jsonl | cmp - five.jsonl
$ head -n 2 five.jsonl >begin.jsonl
$ bipe-generate -j 3 prose-bipe-alibi --prompt "The river" -n 40 --temperature 0.9 --seed 3 --samples 2 --format jsonl | cmp - begin.jsonl
$ bipe-generate prose-bipe-alibi --prompt "The river" -n 40 --temperature 0.9 --seed 3 --samples 20 --format jsonl | head -n 5 | cmp - five.jsonl
$ cut -d '"' -f 9- five.jsonl | sort -u | wc -l
5
$ bipe-generate prose-bipe-alibi --prompt "The river" -n 40 --temperature 0.9 --seed 4 --format jsonl | cmp -s - begin.jsonl || echo another seed, another text
another seed, another text
# one candidate is the most probable one
$ for o in "--top-k 1" "--top-p 1e-9" "--min-p 1"; do bipe-generate prose-bipe-alibi --prompt "She went to the" -n 8 --temperature 1 $o | cmp - prompt.txt; done
# precision, positions, segments
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 8 --precision bf16
 house, and was the only one of
$ bipe-generate prose-bipe-alibi --prompt "She went to the. He" -n 8 -s none
y, who was a very good man
$ bipe-generate prose-bipe-alibi --prompt "She went to the. He" -n 8 --scheme alibi
y of the first of the first,
%when test "${BIPE_TEST_SHARE:-1}" = 1
$ bipe-generate rope.bin --prompt "She went to the" -n 600 | tail -c 40
 for me. I have been so much better for
$ bipe-generate rope.bin --prompt "She went to the" -n 8 --rope-scaling dynamic:4
 same day.
"I am sure
# what it says of itself
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 8 --verbose 2>&1 >/dev/null | sed 's/[0-9.]* s,.*/N s/; s/kernels.*/kernels/'
bipe-generate: kernels
bipe-generate: prompts: 5 tokens in N s
bipe-generate: continuations: 7 tokens in N s
$ bipe-generate prose-bipe-alibi --prompt "She" -n 2 --top-k 4
ll,
! bipe-generate: --top-k, --top-p and --min-p change nothing without --temperature: the most probable token is taken
$ bipe-generate prose-bipe-alibi --prompt "She" -n 2 --samples 2
ll,

ll,
! bipe-generate: without --temperature all samples are the same

# a penalty for what the text has already, prompt included: none with X = 1 or of the last 0 tokens; --top-k 0 and -1 are no limit
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8
, and a word, a word which
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8 --repetition-penalty 1.3
 which is not used to describe the name
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8 --repetition-penalty 1.3 --repeat-last-n -1
 which is not used to describe the name
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8 --repetition-penalty 1.3 --repeat-last-n 2
, and a word, a word which
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8 --repetition-penalty 1.3 --repeat-last-n 0
, and a word, a word which
$ bipe-generate prose-bipe-alibi --prompt "a word, a word" -n 8 --repetition-penalty 1
, and a word, a word which
$ for k in 0 -1 4096 9m; do bipe-generate prose-bipe-alibi --prompt "a word" -n 8 --temperature 1 --seed 2 --top-k $k; done
 to put an end to that brain
 to put an end to that brain
 to put an end to that brain
 to put an end to that brain
$ bipe-generate prose-bipe-alibi --prompt a -n 1 --repeat-last-n 5
 few
! bipe-generate: --repeat-last-n changes nothing without --repetition-penalty
# an empty prompt is BOS
$ bipe-generate prose-bipe-alibi --prompt '' -n 8 --format jsonl
{"file":null,"document":0,"sample":0,"prompt_tokens":1,"ids":[458,1495,439,277,263,856,4007,291],"text":"Production of the word, and","finish":"length"}
$ bipe-generate prose-bipe-alibi -n 3 /dev/null file.txt nowhere.txt
Production

 house, and
! bipe-generate: nowhere.txt: could not be opened: No such file or directory
? 1
$ printf '{"text":""}\n{"text":3}\n{"text":"The house"}\n' | bipe-generate -n 3 --jsonl prose-bipe-alibi
Production

 of the B
! bipe-generate: standard input: record at line 2, byte 9: found '3', expected a string in "text"
? 1
$ : | bipe-generate -n 8 --ids text prose-bipe-alibi
Production of the word, and
$ bipe-generate prose-bipe-alibi -t byte --prompt ''
! bipe-generate: byte: has 256 tokens, the model 4096: was the model trained with another tokenizer?
! bipe-generate: the prompt is empty, and the tokenizer has no BOS to begin a text with, expected text to continue
? 1
# a blank that belongs to the next word is noted once; tokenizers of bytes have such blanks
$ bipe-generate prose-bipe-alibi --prompt "She went to the " -n 4
entrance of the
! bipe-generate: the prompt ends in a blank, which this tokenizer joins to the word that follows (' the'): leave it out for better continuations
$ printf '{"text":"It was "}\n{"text":"She went "}\n' | bipe-generate prose-bipe-alibi --jsonl -n 2
19

& S
! bipe-generate: standard input: the prompt ends in a blank, which this tokenizer joins to the word that follows (' the'): leave it out for better continuations
! bipe-generate: 1 more prompt ends in such a blank
$ printf '%070d \303\251 \n' 1 | bipe-generate prose-bipe-alibi -n 1
1
! bipe-generate: standard input: the prompt ends in a blank, which this tokenizer joins to the word that follows (' the'): leave it out for better continuations
$ bipe-generate prose-bipe-alibi --prompt "The house
> " -n 2
dec
$ bipe-generate prose-bipe-alibi -t byte --prompt "The house " -n 2 >byte.txt
! bipe-generate: byte: has 256 tokens, the model 4096: was the model trained with another tokenizer?

# in a pipeline
$ { bipe-generate prose-bipe-alibi --prompt "She went to the" -n 3000; echo $? >status; } | head -c 5; echo; cat status
 hous
0
$ bipe-generate prose-bipe-alibi --prompt "She went to the" -n 8 >/dev/full
! bipe-generate: standard output: could not be written: No space left on device
? 1
# an answer comes before the next record does
$ mkfifo requests; bipe-generate --jsonl -n 3 prose-bipe-alibi <requests >answers & exec 3>requests; echo '{"text":"The house"}' >&3
> for i in $(seq 600); do [ "$(wc -l <answers)" = 1 ] && break; sleep 0.1; done; cat answers; exec 3>&-; wait
 of the B
# what is refused
$ bipe-generate
! bipe-generate: an operand is missing: MODEL is a model file, a model folder or the name of an installed model such as default; FILE is plain text or JSON Lines, also compressed by zstd, gzip or xz; - or none is standard input
? 2
$ bipe-generate prose-bipe-alibi --prompt a file.txt
! bipe-generate: option '--prompt' takes no FILE: the prompt is the text to continue
? 2
$ bipe-generate prose-bipe-alibi --prompt a --temperature -1
! bipe-generate: option '--temperature': found '-1', expected a number of at least 0, such as 0.05 or 1e-4
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --top-p 1.5
! bipe-generate: option '--top-p': found '1.5', expected a number above 0 and at most 1
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --top-p 0
! bipe-generate: option '--top-p': found '0', expected a number above 0 and at most 1
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --min-p 2
! bipe-generate: option '--min-p': found '2', expected a number of at least 0 and at most 1
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --top-k -2
! bipe-generate: option '--top-k': found '-2', expected a number of at least 0, or -1 for all
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --repeat-last-n x
! bipe-generate: option '--repeat-last-n': found 'x', expected a number of at least 0, optionally with k or m
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --repetition-penalty 0
! bipe-generate: option '--repetition-penalty': found '0', expected a number of at least 0.001 and at most 1000
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --stop ''
! bipe-generate: option '--stop': found '', expected a text to stop at
? 2
$ bipe-generate prose-bipe-alibi --prompt a -n 0
! bipe-generate: option '-n': found '0', expected a number between 1 and 16777216, optionally with k or m
! Try 'bipe-generate --help' for more information.
? 2
$ bipe-generate prose-bipe-alibi --prompt a --scheme rope@nowhere
! bipe-generate: option '--scheme': term "rope@nowhere": unknown index, expected token, segment or intra, or segment2, intra2, ... of a coarser level
? 2
$ bipe-generate rope.bin --prompt a --scheme t5
! bipe-generate: rope.bin: the scheme has t5, but the model has no table for it (expected a tensor [32, heads])
? 1
$ bipe-generate rope.bin --prompt a --scheme bipe-alibi
! bipe-generate: rope.bin: the scheme has a learned term, but the model has no table of position embeddings
? 1
$ bipe-generate prose-bipe-alibi --prompt a -s regex:[
! bipe-generate: segmenter 'regex:[': offset 1 of the pattern: missing terminating ] for character class
? 2
$ bipe-generate prose-bipe-alibi --prompt a -t word
! bipe-generate: word: a tokenizer without a vocabulary, expected one whose ids the model knows
? 2
$ bipe-generate arithmetic-rope --prompt a -t byte
! bipe-generate: byte: a tokenizer of 256 tokens, expected 1 to 19, which the model has
? 2
$ bipe-generate prose-bipe-alibi --prompt a --null --format jsonl
! bipe-generate: options '--null' and '--format jsonl' cannot be combined
? 2
$ bipe-generate nowhere --prompt a
! bipe-generate: nowhere: no such file or folder, and no installed model of that name (bipe-convert --list shows those)
? 1
$ bipe-generate prose-bipe-alibi -n 3 -o file.txt file.txt
! bipe-generate: option '--output': file.txt is also read, expected another file
? 2
$ bipe-generate prose-bipe-alibi -n 16777216 --samples 16 file.txt
! bipe-generate: without --temperature all samples are the same
! bipe-generate: file.txt: a prompt of 5 tokens and 16777216 more, expected at most 16777216 in all
? 1

$ printf '%s\n' '{"text":"She went to "}' '{"text":"He said "}' '{"text":"and"}' '{"text":"in "}' | bipe-generate --jsonl -n 1 prose-bipe-alibi >/dev/null
! bipe-generate: standard input: the prompt ends in a blank, which this tokenizer joins to the word that follows (' the'): leave it out for better continuations
! bipe-generate: 2 more prompts end in such a blank
