# corpora/ruler, its tasks and their metrics. tests/peers/ruler takes its samples apart.

$ ln -s "$BIPE_SRCDIR/corpora" corpora
$ "$BIPE_BUILDDIR"/corpora/ruler -t byte -L 800 -n 1 niah_single_1
{"index":0,"task":"niah_single_1","max_length":800,"length":752,"input":"A special magic number is hidden within the following text. Make sure to memorize it. I will quiz you about the number afterwards.\nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nOne of the special magic numbers for violet-guitar is: 2353485.\nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nWhat is the special magic number for violet-guitar mentioned in the provided text?","answer_prefix":" The special magic number for violet-guitar mentioned in the provided text is","outputs":["2353485"],"token_position_answer":276,"answer":"2353485","choices":["1309971","8264495","2353485","4147295"],"gold":2}
$ "$BIPE_BUILDDIR"/corpora/ruler -t byte -L 900 -n 1 --text --no-example vt niah_multikey_3
{"text":"Memorize and track the chain(s) of variable assignment hidden in the following text.\n\nVAR MHWOA = 33625\nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nVAR JAKCL = VAR MHWOA \nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nVAR IMIQD = VAR JAKCL \nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nVAR UNAVT = VAR IMIQD \nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nVAR RYGJV = VAR UNAVT \nThe grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\nQuestion: Find all variables that are assigned the value 33625 in the text above. Answer: According to the chain(s) of variable assignment in the text above, 5 variables are assigned the value 33625, they are:  MHWOA JAKCL IMIQD UNAVT RYGJV","index":0,"task":"vt","max_length":900,"length":886}
{"text":"A special magic uuid is hidden within the following text. Make sure to memorize it. I will quiz you about the uuid afterwards.\nOne of the special magic uuids for 5578d856-dfe7-4486-a7f1-508f0335d259 is: a9d86fbe-3968-4761-99cd-d37482454d62.\nOne of the special magic uuids for b5f72bbe-ce28-4970-a9e6-cefa79d4a936 is: bfd93fd5-2501-40a1-8a14-8a7d967b436c.\nOne of the special magic uuids for ad86fa4e-9042-4ae0-9266-d9c7990da448 is: 6e5183ce-db3d-42a2-ba7e-6cf04b0a9cf8.\nOne of the special magic uuids for 72db293e-8846-43c5-9afd-f51b39bdb380 is: b9790fe6-25ef-4698-bcd1-8aa4350b2ba0.\nWhat is the special magic uuid for b5f72bbe-ce28-4970-a9e6-cefa79d4a936 mentioned in the provided text? The special magic uuid for b5f72bbe-ce28-4970-a9e6-cefa79d4a936 mentioned in the provided text is bfd93fd5-2501-40a1-8a14-8a7d967b436c","index":0,"task":"niah_multikey_3","max_length":900,"length":821}
$ "$BIPE_BUILDDIR"/corpora/ruler -t byte -L 1200 -n 1 --no-example cwe | jq -c '[.length, .outputs, .answer, .gold]'
[1194,["tiger","knot","far","bundle","king","paddle","fern","trunk","lion","dark"],"1. tiger 2. knot 3. far 4. bundle 5. king 6. paddle 7. fern 8. trunk 9. lion 10. dark",0]
# where things are written
$ "$BIPE_BUILDDIR"/corpora/ruler -t words -L 1024,2k -n 2 --folder data niah_single_2 fwe; find data -type f | sort; wc -l data/2048/fwe/validation.jsonl
data/1024/fwe/validation.jsonl
data/1024/niah_single_2/validation.jsonl
data/2048/fwe/validation.jsonl
data/2048/niah_single_2/validation.jsonl
2 data/2048/fwe/validation.jsonl
$ "$BIPE_BUILDDIR"/corpora/ruler -t words -L 1024,2k -n 2 -o all.jsonl niah_single_2 fwe; jq -r '[.index, .task, .max_length, .length] | @tsv' all.jsonl
0	niah_single_2	1024	1024
0	niah_single_2	2048	2048
0	fwe	1024	1024
0	fwe	2048	2048
1	niah_single_2	1024	1024
1	niah_single_2	2048	2048
1	fwe	1024	1024
1	fwe	2048	2048
$ jq -c 'select(.task == "fwe" and .max_length == 2048)' all.jsonl | cmp - data/2048/fwe/validation.jsonl
$ "$BIPE_BUILDDIR"/corpora/ruler -t words -n 3 --folder data -o x.jsonl fwe
! ruler: options '--folder' and '--output' cannot be combined
? 2
# asking a model
$ "$BIPE_BUILDDIR"/corpora/ruler -L 512 -n 4 -o short.jsonl niah_single_1 niah_multikey_2
$ bipe-eval -q --task ruler_niah default short.jsonl
ruler_niah               records skipped truncated  metric              value  stderr  95 % interval
short.jsonl                    8       0         0  string_match_all   0.0000  0.0000  [0.0000, 0.0000]
$ bipe-eval -q --task ruler_choices --csv default short.jsonl | cut -d, -f3-9
task,file,records,skipped,truncated,metric,value
ruler_choices,short.jsonl,8,0,0,acc,0.25
ruler_choices,short.jsonl,8,0,0,mc2,0.221892016
$ bipe-eval --task ruler_niah --show 1 default short.jsonl | tail -4
tokens  1 <s>  362 "A"  2877 " special"  3139 " mag"  296 "ic"  1703 " number"  316 " is"  293 " h"  ... 357 more ...  3139 " mag"  296 "ic"  1703 " number"  331 " for"  1192 " cle"  333 "ver"  4013 "-"  3997 "l"  3990 "a"  542 "wn"  3926 " mentioned"  288 " in"  263 " the"  3320 " provided"  3430 " text"  316 " is"
answer, at most 128 tokens from token 381 on
reference 0
| 9437319
# what others have answered
$ printf '%s\n' '{"id":"0","outputs":["Ab","c"],"input":"x","answer_prefix":"y","answer":"Ab"}' '{"id":"1","outputs":["7"],"input":"x","answer_prefix":"y","answer":"7"}' >two.jsonl
$ printf '%s\n' '{"id":"0","prediction":"It is aB."}' '{"id":"1","prediction":"17"}' | bipe-eval -q --task ruler_vt --csv --score - two.jsonl | cut -d, -f8,9
metric,value
string_match_all,0.75
$ printf '%s\n' '{"id":"0","prediction":"It is aB."}' '{"id":"1","prediction":"1"}' | bipe-eval -q --task ruler_qa --csv --score - two.jsonl | cut -d, -f8,9
metric,value
string_match_part,0.5
# questions from files
$ echo '[{"question":"Who?","answer":"Anne","context":[["Bath",["It rained. ","Anne came."]]]}]' >hotpot.json
$ echo '{"data":[{"paragraphs":[{"context":"Anne came.","qas":[{"question":"Who came?","answers":[{"text":"Anne"}]}]}]}]}' >squad.json
$ "$BIPE_BUILDDIR"/corpora/ruler -t words -L 100 -n 1 --squad squad.json --hotpot hotpot.json qa_1 qa_2
{"index":0,"task":"qa_1","max_length":100,"length":97,"input":"Answer the question based on the given documents. Only give me the answer and do not output any other words.\n\nThe following are given documents.\n\nDocument 1:\nAnne came.\n\nDocument 2:\nAnne came.\n\nDocument 3:\nAnne came.\n\nDocument 4:\nAnne came.\n\nAnswer the question based on the given documents. Only give me the answer and do not output any other words.\n\nQuestion: Who came?","answer_prefix":" Answer:","outputs":["Anne"],"answer":"Anne","choices":["unanswerable","unanswerable","Anne","unanswerable"],"gold":2}
{"index":0,"task":"qa_2","max_length":100,"length":94,"input":"Answer the question based on the given documents. Only give me the answer and do not output any other words.\n\nThe following are given documents.\n\nDocument 1:\nBath\nIt rained. Anne came.\n\nDocument 2:\nBath\nIt rained. Anne came.\n\nAnswer the question based on the given documents. Only give me the answer and do not output any other words.\n\nQuestion: Who?","answer_prefix":" Answer:","outputs":["Anne"],"answer":"Anne","choices":["unanswerable","Anne","unanswerable","unanswerable"],"gold":1}
$ "$BIPE_BUILDDIR"/corpora/ruler -n 2 --squad squad.json qa_1
! ruler: option '--samples': 2, expected at most 1, the questions of squad.json
? 2
$ "$BIPE_BUILDDIR"/corpora/ruler qa_2
! ruler: qa_2 needs option '--hotpot'
? 2
$ bad() { printf '%s' "$2" >bad.json; "$BIPE_BUILDDIR"/corpora/ruler -n 1 --"$1" bad.json qa_"$3"; }
> bad squad '{"data":[{"paragraphs":[{"context":"c","qas":[{"question":"q","answers":[{"text":"a"},{"text":1}]}]}]}]}' 1
> bad squad '{"data":[{"paragraphs":[{"context":"c","qas":[{"question":"q","answers":[]}]}]}]}' 1
> bad squad '{"data":[{"paragraphs":[{"context":"c","qas":[{"question":3}]}]}]}' 1
> bad squad '{"data":[{"paragraphs":[{"context":"c","qas":[]},{"qas":[]}]}]}' 1
> bad squad '{"data":[{"title":"t"}]}' 1
> bad squad '{"data":[]}' 1
> bad squad '[]' 1
> bad squad '{"data":[' 1
> bad squad '' 1
> bad hotpot '{}' 2
> bad hotpot '[1]' 2
> bad hotpot '[{"question":"q","answer":"a","context":[["t",["s"]],["t","s"]]}]' 2
> bad hotpot '[{"question":"q","answer":"a","context":[["t",["s",null]]]}]' 2
> bad hotpot '[{"question":"q","answer":"a"}]' 2
> bad hotpot "$(printf '[\377]')" 2
! ruler: bad.json: data[0].paragraphs[0].qas[0].answers[1].text: expected a text
! ruler: bad.json: data[0].paragraphs[0].qas[0].answers: expected at least one
! ruler: bad.json: data[0].paragraphs[0].qas[0].question: expected a text
! ruler: bad.json: data[0].paragraphs[1].context: expected a text
! ruler: bad.json: data[0].paragraphs: expected a list
! ruler: bad.json: no questions, expected the file of SQuAD
! ruler: bad.json: data: expected a list
! ruler: bad.json: JSON, byte 9: ']' expected near end of file
! ruler: bad.json: JSON, byte 0: '[' or '{' expected near end of file
! ruler: bad.json: JSON that is not a list, expected [...]
! ruler: bad.json: [0].answer: expected a text
! ruler: bad.json: [0].context[1]: expected [title, [sentences]]
! ruler: bad.json: [0].context[0]: expected [title, [sentences]]
! ruler: bad.json: [0].context: expected a list
! ruler: bad.json: byte 2 is not part of a character in UTF-8
? 1
# what cannot be done
$ "$BIPE_BUILDDIR"/corpora/ruler -L 100 niah_single_1; "$BIPE_BUILDDIR"/corpora/ruler -L 600 -t byte vt
! ruler: option '--length': 100, expected more: a sample of niah_single_1 has 254 tokens at least
! ruler: option '--length': 600, expected more: a sample of vt has 1746 tokens at least
? 2
$ "$BIPE_BUILDDIR"/corpora/ruler niah
! ruler: niah: there is no such task, expected one that --help names
? 2
$ "$BIPE_BUILDDIR"/corpora/ruler --haystack nowhere.txt niah_single_2
! ruler: nowhere.txt: could not be opened: No such file or directory
? 1
$ printf 'a \377 b' >bad.txt; "$BIPE_BUILDDIR"/corpora/ruler --haystack bad.txt niah_single_2; printf ' \n' >bad.txt; "$BIPE_BUILDDIR"/corpora/ruler --haystack bad.txt niah_single_2
! ruler: bad.txt: byte 3 is not part of a character in UTF-8
! ruler: bad.txt: no words, expected a text
? 1
$ mkdir few; echo lamp >few/nounlist.txt; echo red >few/adjectivelist.txt; : >few/verblist.txt; "$BIPE_BUILDDIR"/corpora/ruler --words few cwe; echo go >few/verblist.txt; "$BIPE_BUILDDIR"/corpora/ruler --words few niah_multikey_1
! ruler: few/verblist.txt: 0 words, expected 1 to 1048576, one a line
! ruler: few: 1 pairs of an adjective and a noun, expected at least 100
? 1
$ "$BIPE_BUILDDIR"/corpora/ruler -n 5 -L 512 niah_single_1 >/dev/full
! ruler: standard output: could not be written: No space left on device
? 1
