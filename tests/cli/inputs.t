# What all tools do with inputs: what is not text is refused, and folders and lists name files.

$ cp "$BIPE_SRCDIR/tests/models/small-rope.bin" m.bin; head -c 1600 "$BIPE_SRCDIR/corpora/river.txt" >river.txt; printf 'One. Two.\n' >a.txt

# ---- what is known not to be text ----

$ bipe-score -L 256 default m.bin river.txt >out
! bipe-score: 'm.bin' is a model, and files are expected after MODEL; to compare two models, use '--against m.bin'
? 2

$ bipe-segment --count /bin/sh; printf '%%PDF-1.7\n' >a.pdf; bipe-stats a.pdf a.txt | head -n 1
1 file, 1 document, 10 bytes, 5 tokens by word
! bipe-segment: /bin/sh: is a program or library (ELF), expected text in UTF-8 (--text reads it all the same)
! bipe-stats: a.pdf: is a PDF document, expected text in UTF-8; pdftotext writes its text (--text reads it all the same)

$ tar -cf a.tar a.txt; gzip -k a.tar; bipe-segment --count a.tar; bipe-segment --count <a.tar
! bipe-segment: a.tar: is a tar archive, expected text in UTF-8; tar -xO writes what is in it (--text reads it all the same)
! bipe-segment: standard input: is a tar archive, expected text in UTF-8; tar -xO writes what is in it (--text reads it all the same)
? 1

$ bipe-segment --text --count a.tar
5
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
! bipe-segment: a.tar: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)
%when test "${BIPE_GZIP-yes}" = yes
$ bipe-segment --count a.tar.gz; bipe-segment --text --count a.tar.gz
5
! bipe-segment: a.tar.gz: is a tar archive, expected text in UTF-8; tar -xO writes what is in it (--text reads it all the same)
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
! bipe-segment: a.tar.gz: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)

# A few control characters do not make text something else.
$ printf 'hello wor\0ld this is fine\0and more text\n' | bipe-segment | tr '\0' @
hello wor@ld this is fine@and more text

# A path of names that is too long is found before anything is read.
$ printf '{"a":1}\n{"a":2}\n' | bipe-segment --field a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q
! bipe-segment: option '--field': found a path of 17 names, expected at most 16
! Try 'bipe-segment --help' for more information.
? 2

$ printf 'in UTF-16\n' | iconv -t UTF-16LE | bipe-segment
! bipe-segment: standard input: is text in UTF-16, expected text in UTF-8; --encoding UTF-16LE reads it (--text reads it all the same)
? 1

$ printf 'ustar BM PK\n' | bipe-segment
ustar BM PK

# ---- what is mostly not UTF-8 ----

$ printf 'un caf\351 cr\350me' >latin.txt; bipe-segment --count latin.txt a.txt latin.txt
1	latin.txt
3	a.txt
1	latin.txt
5	total
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
! bipe-segment: latin.txt and 1 other file: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)

$ bipe-segment -q -z latin.txt | tr -d '\0' | cmp - latin.txt

# ---- other encodings ----

# The text is the same in every encoding, compressed or not, at any size of buffers; a byte order mark decides by itself.
$ printf 'Un caf\303\251. \342\202\254 6.\nNa\303\257ve \342\200\234yes\342\200\235.\n' >utf8.txt; bipe-segment --format jsonl <utf8.txt >want
$ for e in windows-1252 UTF-16LE UTF-16BE UTF-16 UTF-32; do iconv -t $e utf8.txt >$e.txt; gzip -k $e.txt; for b in 1 2 3 7 65536; do
> BIPE_BUFFER_SIZE=$b bipe-segment --encoding $e --format jsonl <$e.txt | cmp - want; done; done
%when test "${BIPE_GZIP-yes}" = yes
$ for e in windows-1252 UTF-16LE UTF-16BE UTF-16 UTF-32; do for b in 1 3 65536; do
> BIPE_BUFFER_SIZE=$b bipe-segment --encoding $e --format jsonl <$e.txt.gz | cmp - want; done; done
$ for f in UTF-16 UTF-32; do bipe-segment --format jsonl <$f.txt | cmp - want; bipe-segment --encoding latin1 --text --format jsonl <$f.txt | cmp - want; done
%when test "${BIPE_GZIP-yes}" = yes
$ { printf '\377' | gzip; tail -c +2 UTF-16.txt | gzip; } | bipe-segment --format jsonl | cmp - want
$ bipe-stats --encoding windows-1252 -t words windows-1252.txt | head -n 1
1 file, 1 document, 35 bytes, 5 tokens by words
$ printf '{"text":"caf\351"}\n' | bipe-segment --jsonl --encoding latin1
café
$ printf '\357\273\277caf\303\251\n' | bipe-segment --encoding latin1 -z | od -An -c
 357 273 277   c   a   f 303 251  \n  \0
$ mkdir enc; cp UTF-16.txt a.tar enc; bipe-segment -r --count enc
5
! bipe-segment: enc/a.tar: not text, left out
! bipe-segment: 2 of 5 segments are only white space (--squeeze leaves such segments out)

# What is wrong in the encoding is replaced and noted, once for each file.
$ printf 'a\201b\215\n' >wrong.txt; bipe-segment --encoding windows-1252 wrong.txt
a�b�
! bipe-segment: wrong.txt: byte 1: not valid in windows-1252; U+FFFD is read in 2 places
$ bipe-segment --encoding nonsense a.txt; bipe-segment --encoding latin1 --ids u16 -t byte a.txt
! bipe-segment: option '--encoding': 'nonsense' is not a known encoding (iconv -l lists them)
! Try 'bipe-segment --help' for more information.
! bipe-segment: options '--ids u16' and '--encoding' cannot be combined: token ids are not text
? 2
$ bipe-segment -q --encoding UTF-8 latin.txt | od -An -c
   u   n       c   a   f 351       c   r 350   m   e  \n

# ---- folders and lists ----

$ mkdir -p d/e d/b d/.hidden; cp a.txt d/z.txt; cp a.txt d/e/10; cp a.txt d/e/9; cp a.txt d/b; cp a.tar d; cp a.txt d/.hidden; ln -s .. d/e/round
$ bipe-segment -r --count d a.txt
3	d/b/a.txt
3	d/e/10
3	d/e/9
3	d/z.txt
3	a.txt
15	total
! bipe-segment: d/a.tar: not text, left out
! bipe-segment: 5 of 15 segments are only white space (--squeeze leaves such segments out)

$ bipe-segment --count d
! bipe-segment: d: is a directory, expected a file (-r reads the text files in it)
? 1

$ (cd d && bipe-segment -q --recursive --count)
3	./b/a.txt
3	./e/10
3	./e/9
3	./z.txt
12	total

$ bipe-stats -r --csv -L 4 d | cut -d , -f 1-4
segmenter,length,windows,segments
stop,4,4,8
stop,document,4,12
! bipe-stats: d/a.tar: not text, left out

$ printf 'a.txt\n\nd/z.txt\n' >list; bipe-segment --count --files-from list
3	a.txt
3	d/z.txt
6	total
! bipe-segment: 2 of 6 segments are only white space (--squeeze leaves such segments out)

$ printf 'd/z.txt\0a.txt' | bipe-segment --count a.txt --files0-from -
3	a.txt
3	d/z.txt
3	a.txt
9	total
! bipe-segment: 3 of 9 segments are only white space (--squeeze leaves such segments out)

$ bipe-score -q -L 16 --csv default -r d --tail | cut -d , -f 3-5
file,length,windows
d/b/a.txt,16,1
d/e/10,16,1
d/e/9,16,1
d/z.txt,16,1
total,16,4

$ : >none; bipe-segment --files-from none; mkdir empty; bipe-segment -r empty; bipe-segment --files-from absent
! bipe-segment: none: the list names no file, expected one per line
! bipe-segment: empty: no text file in it
! bipe-segment: absent: could not be opened: No such file or directory
? 1

# -r is advice for FILEs alone.
$ for c in 'plot' 'eval --task lambada default' 'eval --task d default' 'stats --merge' 'score default' 'segment --files-from'; do bipe-$c d; done
! bipe-plot: d: is a directory, expected a file
! bipe-eval: d: is a directory, expected a file
! bipe-eval: d: is a directory, expected a file
! bipe-stats: d: is a directory, expected a file (-r reads the text files in it)
! bipe-score: d: is a directory, expected a file (-r reads the text files in it)
! bipe-segment: d: is a directory, expected a file
? 1

# ---- nothing to read ----

# An old file stays when nothing could be read, and is replaced when something could.
$ for c in 'segment -o keep' 'stats --csv -o keep' 'score --json -o keep default' 'score --tokens keep default' 'score --limit -o keep default' 'generate -o keep default' 'eval --task lambada -o keep default' 'eval --task lambada --predictions keep default' 'plot -o keep'; do echo old >keep; bipe-$c absent >out 2>err; echo $? $(cat keep); done
1 old
1 old
1 old
1 old
1 old
1 old
1 old
1 old
1 old

$ bipe-score -q -L 256 --tokens keep default a.txt 2>/dev/null; cat keep; bipe-segment -o keep absent a.txt; cat keep
old
One.
 Two.
\
! bipe-segment: absent: could not be opened: No such file or directory

# ---- records ----

# Records under another name are noticed, unless an option says what they are.
$ printf '{"text":"One."}\n{"text":"Two."}\n' >lines; printf '{"text":"One."} or\n' >other; cp lines more; bipe-segment --count lines other more; bipe-stats --csv -L none <lines | cut -d , -f 1-4; bipe-segment --count --text lines; bipe-segment --count --jsonl lines; bipe-score -L 16 --csv default lines | cut -d , -f 3-5
4	lines
2	other
4	more
10	total
segmenter,length,windows,segments
stop,document,1,4
4
2
file,length,windows
lines,16,1
! bipe-segment: lines and 1 other file: looks like JSON Lines, read as plain text; --jsonl reads its records
! bipe-stats: standard input: looks like JSON Lines, read as plain text; --jsonl reads its records
! bipe-score: lines: looks like JSON Lines, read as plain text; --jsonl reads its records

# A JSON array is named as such where records are read, and noticed where text is.
$ printf '[\n  {"text":"One."},\n  {"text":"Two."}\n]\n' >array; cp array array.jsonl; for tool in segment stats 'score -L 16 default' 'generate default' 'train -t byte -L 16 --steps 1 -o x.bin'; do bipe-$tool array.jsonl; done; bipe-segment --jsonl <array; bipe-segment --count array
6
! bipe-segment: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-stats: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-score: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-generate: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-train: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-segment: standard input: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
! bipe-segment: array: looks like JSON Lines, read as plain text; --jsonl reads its records
$ printf '\357\273\277 [{"text":"One."}]' >array.jsonl; bipe-segment array.jsonl
! bipe-segment: array.jsonl: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines
? 1
$ printf '{"text":"One."}\n["Two."]\n' >one.jsonl; bipe-segment one.jsonl
One.
! bipe-segment: one.jsonl: record at line 2, byte 1: found '[', expected an object
? 1

# --field means JSON Lines, and names a member or a path to one.
$ printf '{"id":%d,"meta":{"lang":"en","body":"One. Two."},"n":[{"body":1}]}\n' 1 2 3 4 5 6 >r; bipe-segment --field meta.body --count <r
12

$ printf '{"a.b":"By its name."}\n{"a":{"c":[],"b":"By\\u0020a path."},"d":0}\n{"a":{"b":"One","c":1},"a.b":"two"}\n' >paths; bipe-segment --field a.b paths
By its name.
By a path.
One
! bipe-segment: paths: record at line 3, byte 30: found a second text, expected one member of that name
? 1

$ printf '{"a":{"b":"x",}}\n{"a":{"b":"y"}\n{"a":"b"}\n{"a":{}}\n{"a":{"b":1}}\n' | bipe-segment --field a.b
x
y
! bipe-segment: standard input: record at line 1, byte 15: found '}', expected the name of a member
! bipe-segment: standard input: record at line 2, byte 15: found the end of the line, expected a comma or a closing brace
! bipe-segment: standard input: record at line 3, byte 9: found the member "a", expected "a.b" (--field names another)
! bipe-segment: standard input: record at line 4, byte 8: found no member, expected "a.b" (--field names another)
! bipe-segment: standard input: record at line 5, byte 11: found '1', expected a string in "a.b"
? 1

# A wrong one: the first few records of a kind, and how many there are.
$ bipe-segment -q --jsonl r
! bipe-segment: r: record at line 1, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-segment: r: record at line 2, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-segment: r: record at line 3, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-segment: r: record at line 6, byte 65: found the members "id", "meta", "n", expected "text" (--field names another); 2 more like this are not shown
? 1

$ (cat r; echo '{"text":"torn') | bipe-stats -j 3 --jsonl --csv - | cut -d , -f 1-4
segmenter,length,windows,segments
stop,document,0,0
! bipe-stats: standard input: record at line 1, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-stats: standard input: record at line 2, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-stats: standard input: record at line 3, byte 65: found the members "id", "meta", "n", expected "text" (--field names another)
! bipe-stats: standard input: record at line 7, byte 14: unterminated string (a newline inside a string must be written \n)
! bipe-stats: standard input: record at line 6, byte 65: found the members "id", "meta", "n", expected "text" (--field names another); 2 more like this are not shown

$ bipe-score -q --field lang default r
! bipe-score: r: record at line 1, byte 65: found the members "id", "meta", "n", expected "lang" (--field names another)
! bipe-score: r: record at line 2, byte 65: found the members "id", "meta", "n", expected "lang" (--field names another)
! bipe-score: r: record at line 3, byte 65: found the members "id", "meta", "n", expected "lang" (--field names another)
! bipe-score: r: record at line 6, byte 65: found the members "id", "meta", "n", expected "lang" (--field names another); 2 more like this are not shown
? 1

# ---- models by name ----

$ bipe-convert --list
arithmetic-bipe-rope bipe-rope, 89.7 k parameters, trained at 96 tokens
arithmetic-rope      rope, 85.1 k parameters, trained at 96 tokens
prose-alibi          alibi, 3.79 M parameters, trained at 512 tokens
prose-bipe-alibi     bipe-alibi, 3.9 M parameters, trained at 512 tokens
prose-bipe-rope      bipe-rope, 3.9 M parameters, trained at 512 tokens
prose-rope-alibi     rope@token+alibi@token, 3.79 M parameters, trained at 512 tokens (default)
prose-rope           rope, 3.79 M parameters, trained at 512 tokens

$ bipe-score -L 256 --csv prose-rope river.txt | cut -d , -f 3-6; bipe-convert prose-bipe-alibi | grep parameters
file,length,windows,tokens
river.txt,256,2,510
parameters    3901408 (3.9 M)

$ bipe-segment -t default --count river.txt; bipe-stats -t prose-rope --csv river.txt | head -n 2 | cut -d , -f 1-5; bipe-segment -t word --count river.txt
51
segmenter,length,windows,segments,tokens
stop,document,1,51,513
51
! bipe-segment: 16 of 51 segments are only white space (--squeeze leaves such segments out)
! bipe-segment: 16 of 51 segments are only white space (--squeeze leaves such segments out)

$ bipe-convert --list default; bipe-convert nothing; bipe-convert --json
! bipe-convert: option '--list' takes no MODEL: only names are listed
! bipe-convert: nothing: no such file or folder, and no installed model of that name (bipe-convert --list shows those)
! bipe-convert: an operand is missing: MODEL is a native file, a GGUF file, a Hugging Face folder of a family that --families lists, or the name of an installed model such as default; --list names those that are installed
? 2

# A file of a folder is the folder.
$ mkdir hf; printf '{"model_type":"mamba"}' >hf/config.json; : >hf/model.safetensors; bipe-convert hf/config.json; cd hf; bipe-convert model.safetensors; cd ..; rm hf/config.json; bipe-convert hf/model.safetensors
! bipe-convert: hf/config.json: key "model_type" is 'mamba', expected one of those that bipe-convert --families lists
! bipe-convert: ./config.json: key "model_type" is 'mamba', expected one of those that bipe-convert --families lists
! bipe-convert: hf/model.safetensors: is empty
? 1

# ---- short texts ----

$ for i in 1 2 3; do echo "Text number $i." >short$i; done; bipe-score -L 256,8 --csv m.bin short1 short2 river.txt short3 | cut -d , -f 3-6
file,length,windows,tokens
short1,8,1,7
short2,8,1,7
river.txt,256,2,510
river.txt,8,68,476
short3,8,1,7
total,256,2,510
total,8,71,497
! bipe-score: skipped length 256 for 3 files (the first, short1, has only 9 tokens) (use --tail to score partial windows)

$ bipe-score -q --csv default short1 short2 | cut -d , -f 3-6
! bipe-score: skipped length 512 for 2 files (the first, short1, has only 8 tokens) (use --tail to score partial windows)

$ bipe-score -L 8 --tail --csv default short1 short2 | cut -d , -f 3-6
file,length,windows,tokens
short1,8,1,7
short2,8,1,7
total,8,2,14

# ---- options ----

$ bipe-segment -s line -s stop a.txt
! bipe-segment: option '-s': given twice, expected one value
! Try 'bipe-segment --help' for more information.
? 2

$ bipe-score --scheme rope --scheme alibi default a.txt
! bipe-score: option '--scheme': given twice, expected one value
! Try 'bipe-score --help' for more information.
? 2

$ bipe-stats -s line -s stop -s line --csv a.txt | cut -d , -f 1-2
segmenter,length
line,document
stop,document

$ bipe-segment -h | head -n 1; bipe-stats -V | cut -d ' ' -f 1; bipe-convert -V | cut -d ' ' -f 1
Usage: bipe-segment [OPTION...] [FILE...]
bipe-stats
bipe-convert

# ---- completions ----

# Values of -s are all that --help names; models and tasks are those that are installed.
%when command -v bash
$ cat >complete.sh <<'END'
> compopt() { :; }
> for tool in segment score convert eval generate train; do . "$BIPE_BUILDDIR/completions/bash/bipe-$tool"; done
> t() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); "_bipe_${1#bipe-}"; echo "${COMPREPLY[*]}"; }
> t bipe-segment -s s; t bipe-segment --segmenter = fix; t bipe-segment -t wo; t bipe-segment -t de; t bipe-score pr; t bipe-score --protocol pa
> t bipe-convert prose-r; t bipe-segment sm; t bipe-eval --task = ar; t bipe-eval --against pr
> for tool in score eval generate train; do t bipe-$tool --scheme ""; done; t bipe-train --scheme bi; t bipe-score --group ""; touch afile; t bipe-score --group a; rm afile
> END
> cd empty; bash ../complete.sh; cd ..
stop sentence sentence:en sentence:auto sentence:en/paragraph
fixed:
word words
default
prose-alibi prose-bipe-alibi prose-bipe-rope prose-rope-alibi prose-rope
paper
prose-rope-alibi prose-rope

arc_challenge arc_easy arithmetic
prose-alibi prose-bipe-alibi prose-bipe-rope prose-rope-alibi prose-rope
bipe-rope bipe-alibi none nope learned sinusoidal rope xpos alibi t5 randomized-rope
bipe-rope bipe-alibi none nope learned sinusoidal rope xpos alibi t5 randomized-rope
bipe-rope bipe-alibi none nope learned sinusoidal rope xpos alibi t5 randomized-rope
bipe-rope bipe-alibi none nope learned sinusoidal rope xpos alibi t5 randomized-rope
bipe-rope bipe-alibi
folder
\
$ bipe-segment --help | tr -d '\n' | sed 's/  */ /g; s/.*what ends a segment: //; s/ or a plug-in.*//; s/\[[^]]*\]//g; s/:[A-Z]*//g; s/ID,*//g; s/,//g' >named; wc -w <named
12
$ grep -A1 -- '-s|--segmenter' "$BIPE_BUILDDIR/completions/bash/bipe-segment" | sed 's/.*-W "//; s/" --.*//; s/:[a-z]*//g' >offered; for word in $(cat named); do grep -q "\b$word\b" offered || echo "$word is not offered"; done

# ---- an output that is an input, under whatever name ----

$ ln a.txt same.txt; bipe-segment a.txt -o same.txt
! bipe-segment: option '--output': same.txt is also read, expected another file
? 2
$ bipe-segment -o same.txt <a.txt
! bipe-segment: option '--output': same.txt is also read, expected another file
? 2
$ bipe-stats a.txt -o a.txt
! bipe-stats: option '--output': a.txt is also read, expected another file
? 2
$ bipe-stats a.txt -o ''
! bipe-stats: option '--output': found no name, expected that of a file
? 2
$ cat a.txt
One. Two.

# ---- what a tool may be given by mistake ----
# a result of another run; --json, which is about the output in other tools; bytes that are UTF-8, but no text; a file where MODEL comes first
$ bipe-stats --json a.txt >stats.json; bipe-stats stats.json; bipe-segment --count - <stats.json; bipe-stats --merge stats.json | head -n 1
1 file, 1 document, 10 bytes, 5 tokens by word
! bipe-stats: stats.json: is a result of --json, expected text in UTF-8; --merge combines results, and bipe-plot draws them (--text reads it all the same)
! bipe-segment: standard input: is a result of --json, expected text in UTF-8; --merge combines results, and bipe-plot draws them (--text reads it all the same)
$ bipe-segment --json a.txt
! bipe-segment: unknown option '--json': did you mean '--jsonl', for inputs? Output as JSON Lines, where a tool has it, is '--format jsonl'
! Try 'bipe-segment --help' for more information.
? 2
$ printf 'a\0b. c' | bipe-segment >/dev/null
! bipe-segment: standard input: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)
$ bipe-generate river.txt default; bipe-eval --task lambada river.txt
! bipe-generate: river.txt: not a model, expected a GGUF file or a Hugging Face folder; FILEs come after MODEL
! bipe-eval: river.txt: not a model, expected a GGUF file or a Hugging Face folder; FILEs come after MODEL
? 1
$ printf '\211PNG\r\n\032\n' >a.png; bipe-plot a.png; bipe-eval --task lambada default a.png
! bipe-plot: a.png: is a PNG image, expected text in UTF-8
! bipe-eval: a.png: is a PNG image, expected text in UTF-8
? 1

%needs test -d "${BIPE_SHARED:-/nowhere}/models"
$ for m in config.json model.safetensors .; do bipe-convert "$BIPE_SHARED/models/small-rope/$m" | grep parameters; done
parameters    1377408 (1.38 M)
parameters    1377408 (1.38 M)
parameters    1377408 (1.38 M)

$ bipe-segment -t "$BIPE_SHARED/models/small-rope/config.json" --count river.txt
51
! bipe-segment: 16 of 51 segments are only white space (--squeeze leaves such segments out)
