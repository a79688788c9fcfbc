# bipe-segment: formats, options, and what goes wrong.
$ printf 'One. Two\n\n  Three, 3.5 x\n' >a.txt
$ bipe-segment a.txt
One.
 Two

  Three, 3.
5 x
$ bipe-segment <a.txt
One.
 Two

  Three, 3.
5 x
$ bipe-segment - <a.txt
One.
 Two

  Three, 3.
5 x
$ bipe-segment -s line a.txt
One. Two

  Three, 3.5 x
$ bipe-segment -s none a.txt
One. Two    Three, 3.5 x
$ bipe-segment -z a.txt | tr '\0' '|'
One.| Two
|
|  Three, 3.|5 x
|
\no newline
$ bipe-segment --format=nul a.txt | tr -d '\0' | cmp - a.txt
$ bipe-segment --format jsonl a.txt
{"file":"a.txt","document":0,"segment":0,"start":0,"end":4,"tokens":2,"text":"One."}
{"file":"a.txt","document":0,"segment":1,"start":4,"end":9,"tokens":2,"text":" Two\n"}
{"file":"a.txt","document":0,"segment":2,"start":9,"end":10,"tokens":1,"text":"\n"}
{"file":"a.txt","document":0,"segment":3,"start":10,"end":21,"tokens":4,"text":"  Three, 3."}
{"file":"a.txt","document":0,"segment":4,"start":21,"end":25,"tokens":3,"text":"5 x\n"}
$ bipe-segment --format tsv a.txt
file	document	segment	start	end	tokens	text
a.txt	0	0	0	4	2	One.
a.txt	0	1	4	9	2	 Two\n
a.txt	0	2	9	10	1	\n
a.txt	0	3	10	21	4	  Three, 3.
a.txt	0	4	21	25	3	5 x\n
$ bipe-segment --format tokens a.txt
file	document	token	start	end	id	segment	intra
a.txt	0	0	0	3	0	0	0
a.txt	0	1	3	4	0	0	1
a.txt	0	2	4	8	0	1	0
a.txt	0	3	8	9	0	1	1
a.txt	0	4	9	10	0	2	0
a.txt	0	5	10	17	0	3	0
a.txt	0	6	17	18	0	3	1
a.txt	0	7	18	20	0	3	2
a.txt	0	8	20	21	0	3	3
a.txt	0	9	21	22	0	4	0
a.txt	0	10	22	24	0	4	1
a.txt	0	11	24	25	0	4	2
$ bipe-segment --format tokens -t byte -s fixed:5 a.txt | tail -n 3
a.txt	0	22	22	23	32	4	2
a.txt	0	23	23	24	120	4	3
a.txt	0	24	24	25	10	4	4
$ bipe-segment --count a.txt
5
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
$ bipe-segment --count a.txt - a.txt <a.txt
5	a.txt
5	-
5	a.txt
15	total
! bipe-segment: 3 of 15 segments are only white space (--squeeze leaves such segments out)

# Sentences: as UAX #29 has them, with what is known of English, and of wrapped lines.
$ printf 'Mrs. Adler left at 6.40 a.m. with "Bleak\nHouse." \n\n"Why?" asked Dr. J. R. Cole. It was late.\n' >prose.txt; bipe-segment -s sentence prose.txt; echo --; bipe-segment -s sentence:en prose.txt; echo --; bipe-segment -s sentence:en,wrapped prose.txt
Mrs. 
Adler left at 6.40 a.m. with "Bleak
House." 

"Why?" 
asked Dr. 
J. 
R. 
Cole. 
It was late.
--
Mrs. Adler left at 6.40 a.m. with "Bleak
House."  
"Why?" asked Dr. J. R. Cole. 
It was late.
--
Mrs. Adler left at 6.40 a.m. with "Bleak House."  
"Why?" asked Dr. J. R. Cole. 
It was late.
$ printf '[never] Foo.\n' >own.txt; echo 'A Foo. Bar. Mr. X' | bipe-segment -s sentence:en,own.txt; echo 'A Foo. Bar.' | BIPE_SENTENCE_PATH=. bipe-segment -s sentence:own --count
A Foo. Bar. 
Mr. X
1
$ printf '[end]\nFoo. Mr. Dr.\n' >own.txt; echo 'Mr. X' | bipe-segment -s sentence:en,own.txt; echo 'Mr. X' | bipe-segment -q -s sentence:en,own.txt --count; printf 'Foo.\n' >>own.txt; echo 'Foo. Bar.' | bipe-segment -s sentence:own.txt
Mr. 
X
2
! bipe-segment: own.txt: line 2: 'Dr' in [end] overrides line 6 of an earlier list, which has it in [never]; 1 more like this
! bipe-segment: segmenter 'sentence:own.txt': own.txt: line 3: 'Foo' is in [end], and in the same section at line 2, expected it once
? 2
$ printf 'Samuel L. Clemens.[1] Then p. 5.\302\271 The end.\n' | bipe-segment -s sentence:en
Samuel L. Clemens.[1] 
Then p. 5.¹ 
The end.
# The list that fits each document, and what is not clear.
$ printf '{"text":"Er sagte, dass er Dr. Müller und Gen. Strauß sah. Das war nicht alles."}\n{"text":"He said that he had met Gen. Grant there. It was not all."}\n{"text":"Lorem Gen. Ipsum."}\n' >auto.jsonl; bipe-segment -s sentence:auto --format tsv --columns document,segment,language,text auto.jsonl; bipe-segment -q -s sentence:auto --format jsonl auto.jsonl | tail -n 2; bipe-segment -q -j 1 -s sentence:auto --format csv auto.jsonl >1; bipe-segment -q -j 4 -s sentence:auto --format csv auto.jsonl | cmp - 1; bipe-segment -q -s line --format tsv --columns segment,language auto.jsonl
document	segment	language	text
0	0	de	Er sagte, dass er Dr. Müller und Gen. 
0	1	de	Strauß sah. 
0	2	de	Das war nicht alles.
1	0	en	He said that he had met Gen. Grant there. 
1	1	en	It was not all.
2	0		Lorem Gen. 
2	1		Ipsum.
{"file":"auto.jsonl","document":2,"segment":0,"start":0,"end":11,"tokens":3,"text":"Lorem Gen. ","language":""}
{"file":"auto.jsonl","document":2,"segment":1,"start":11,"end":17,"tokens":2,"text":"Ipsum.","language":""}
segment	language
0	
0	
0	
! bipe-segment: segmenter 'sentence:auto': documents by language: de: 1, en: 1, none (plain rules): 1
$ bipe-segment -q -s sentence:auto --kwic 'Gen\.' --format csv --columns language,match,right auto.jsonl; bipe-stats -q -s sentence:auto -s line -s sentence:auto,wrapped --json auto.jsonl | sed -n '/"languages"/,/^  }/p'
language,match,right
"de","Gen."," "
"en","Gen."," Grant there. "
"","Gen."," "
  "languages": {
    "sentence:auto": {
      "de": 1,
      "en": 1,
      "none": 1
    },
    "sentence:auto,wrapped": {
      "de": 1,
      "en": 1,
      "none": 1
    }
  },

# A list that is learned, in one file or several, and used.
$ for i in 1 2 3; do printf 'Er kam mit Dr. Ott am 3. Mai. Das war Nr. 7, sagte Dr. Uhr. Sie kam mit Dr. Abt am 5. Juni. Er war da, und das war z.B. nicht gut. Dann las er am 7. Juli, was sie las.\n'; done >de; bipe-segment --learn-abbreviations de >de.txt; cat de.txt; echo 'Am 3. Mai kam Dr. Tod. Er ging.' | bipe-segment -s sentence:de.txt
\# Learned by bipe-segment --learn-abbreviations from 123 words, 39 before a full stop.
\# Delete what is wrong, and move what is in the wrong section; bipe(7) says how a list is read. The first number after an
\# abbreviation is its score, a weighted log-likelihood ratio: the higher, the surer.

[never]      # the sentence goes on after these
Dr. # 2.77: 9 with a full stop, 0 without; followed by small letters or commas: 0, capitals: 9 (0 of [start]), numbers: 0

[number]     # it goes on where a number follows
Nr. # 0.92: 3 with a full stop, 0 without; followed by small letters or commas: 0, capitals: 0 (0 of [start]), numbers: 3

[uncertain]  # it goes on where a capital follows, unless the next word is in [start]
1. # numbers: the sentence goes on after 100 %; followed by small letters: 0, capitals: 9 (0 of [start])
gut. # 0.34: 3 with a full stop, 0 without; followed by small letters or commas: 0, capitals: 3 (0 of [start]), numbers: 0
Mai. # 0.34: 3 with a full stop, 0 without; followed by small letters or commas: 0, capitals: 3 (0 of [start]), numbers: 0
Uhr. # 0.34: 3 with a full stop, 0 without; followed by small letters or commas: 0, capitals: 3 (0 of [start]), numbers: 0
z.B. # 1.85: 3 with a full stop, 0 without; followed by small letters or commas: 3, capitals: 0 (0 of [start]), numbers: 0

[start]      # words that begin a sentence: how often they do, in small letters, and with a capital within a sentence
Er # 6, 3, 0
Am 3. Mai kam Dr. Tod. 
Er ging.
$ head -n 1 de >de1; tail -n 2 de >de2; for j in 1 4; do bipe-segment -j $j --learn-abbreviations de1 de2 | cmp - de.txt; done; bipe-segment --learn-abbreviations /dev/null nothing | sed '/^$/d'; bipe-segment --learn-abbreviations -s line de; bipe-segment --learn-abbreviations --format tsv --count de
! bipe-segment: nothing: could not be opened: No such file or directory
! bipe-segment: nothing to learn from: found no word
! bipe-segment: options '--learn-abbreviations' and '--segmenter' cannot be combined: the list is all that is printed
! bipe-segment: options '--count' and '--format tsv' cannot be combined: only lines, tokens and words are counted
? 2

$ echo '[ever] Foo.' >own.txt; bipe-segment -s sentence:./own.txt a.txt; bipe-segment -s sentence: a.txt; bipe-segment -s sentence:xx a.txt
! bipe-segment: segmenter 'sentence:./own.txt': ./own.txt: line 1: '[ever]', expected one of [never], [number], [uncertain], [end], [start], [stop], [open], [close] and [words]
! bipe-segment: segmenter 'sentence:': a name is empty, expected sentence:LANG, sentence:auto, sentence:FILE, sentence:wrapped or several of these, separated by commas
! bipe-segment: segmenter 'sentence:xx': 'xx': no such list, expected one of am, ar, bg, cs, da, de, el, en, es, fi, fr, hi, hr, hu, hy, it, ja, nb, nl, pl, pt, ro, ru, sk, sv, tr, uk, zh, auto or wrapped, or the path of a list
? 2

# White space alone is left out; indices stay those of the whole document.
$ bipe-segment --squeeze a.txt
One.
 Two
  Three, 3.
5 x
$ bipe-segment --squeeze --format tsv a.txt
file	document	segment	start	end	tokens	text
a.txt	0	0	0	4	2	One.
a.txt	0	1	4	9	2	 Two\n
a.txt	0	3	10	21	4	  Three, 3.
a.txt	0	4	21	25	3	5 x\n
$ bipe-segment --squeeze --count a.txt
4
$ printf ' \t\302\240\342\200\203.\n\302\205\n \302\n \n' >white.txt
$ bipe-segment -s line --squeeze -z white.txt | od -An -c
      \t 302 240 342 200 203   .  \n  \0     302  \n  \0

# It is folded and trimmed in what is printed, but for the bytes of -z; offsets stay.
$ printf ' One\t\302\240\r\ntwo .\n\n "x\\y",  \n' >blanks.txt; bipe-segment -s 'regex:\.' --trim blanks.txt; bipe-segment -s 'regex:\.' --squeeze blanks.txt; bipe-segment -s 'regex:\.' --squeeze -z blanks.txt | od -An -c
One	  two .
"x\y",
 One two .
   "x\y",  
       O   n   e  \t 302 240  \r  \n   t   w   o       .  \0  \n
  \n       "   x   \   y   "   ,          \n  \0
$ bipe-segment -s 'regex:\.' --trim --squeeze --format jsonl blanks.txt; bipe-segment -s 'regex:\.' --trim --format tsv --columns start,end,text blanks.txt; bipe-segment -s 'regex:\.' --format csv --columns text,segment blanks.txt
{"file":"blanks.txt","document":0,"segment":0,"start":0,"end":14,"tokens":5,"text":"One two ."}
{"file":"blanks.txt","document":0,"segment":1,"start":14,"end":26,"tokens":10,"text":"\"x\\y\","}
start	end	text
0	14	One\t \r\ntwo .
14	26	"x\\y",
text,segment
" One	 
two .",0
"

 ""x\y"",  
",1
$ bipe-segment --trim -z blanks.txt
! bipe-segment: options '--trim' and '--null' cannot be combined: bytes are left unchanged
? 2

# Columns, of segments and of tokens; names and ids are quoted where they need it, and a row of CSV may have several lines.
$ bipe-segment --format tsv --columns end,file a.txt | head -n 2; bipe-segment --format csv --columns token,text --trim a.txt | head -n 3; bipe-segment --format tokens --columns text,id -t byte a.txt | head -n 2
end	file
4	a.txt
token,text
0,"One"
1,"."
text	id
O	79
$ cp a.txt 'a,"b'; bipe-segment --format csv 'a,"b' | head -n 2; printf '{"text":"One.\\nTwo\\n\\"\\n","id":"x\\n,y"}\n{"text":"Three","id":3}\n' | bipe-segment --jsonl -s 'regex:\.' --format csv --id id --columns segment,text
file,document,segment,start,end,tokens,text
"a,""b",0,0,0,4,2,"One."
segment,text,record
0,"One.","x
,y"
1,"
Two
""
","x
,y"
0,"Three",3
$ bipe-segment --format tsv --columns nope a.txt; bipe-segment --format csv --columns id,tokens a.txt; bipe-segment --format tsv --columns end,end a.txt; bipe-segment --columns end a.txt
! bipe-segment: option '--columns': found 'nope', expected some of file, document, segment, start, end, tokens, text, language; or token, id, intra, for a row for each token
! bipe-segment: option '--columns': found 'tokens', expected some of file, document, token, start, end, id, segment, intra, text
! bipe-segment: option '--columns': found 'end' twice, expected each column once
! bipe-segment: option '--columns' needs '--format tsv|csv|tokens'
? 2

# A word a line, without punctuation; with another tokenizer, its tokens.
$ printf "Don't pay 6.40, ok?\r\n" | bipe-segment --format words; echo --; bipe-segment --format words -t word --squeeze a.txt; : | bipe-segment --format words
Don't
pay
6.40
ok
--
One
.
 Two
  Three
,
 3
.
5
 x

# Matches in their context: of the document, or of the segment; wide characters take two columns, combining marks none.
$ printf 'One two\nthree. Two \t two\r\nfour \346\274\242\345\255\227 two\n' >kwic.txt; bipe-segment --kwic 'two' --width 40 kwic.txt; bipe-segment -s line --kwic '(?i)two' --width 40 kwic.txt; bipe-segment --kwic two --count kwic.txt
            One two three. Two two four
 two three. Two two four 漢字 two
  two four 漢字 two
            One two
         three. Two two
     three. Two two
      four 漢字 two
3
$ printf '{"text":"e\\u0301cole \\u0301two \\u0007","id":"x"}\n{"text":"\346\274\242\346\274\242\346\274\242\346\274\242\346\274\242\346\274\242two"}\n{"text":""}\n' >kwic.jsonl; bipe-segment --kwic two --width 30 kwic.jsonl; bipe-segment --kwic two --width 40 kwic.jsonl kwic.txt; COLUMNS=30 bipe-segment --kwic 'two\s+two\s+four .' kwic.txt
0         école ́ two ?
1       漢漢漢漢 two
kwic…onl:0      école ́ two ?
kwic…onl:1  漢漢漢漢漢 two
kwic.txt           One two three. Two tw
kwic.txt     hree. Two two four 漢字 two
kwic.txt     four 漢字 two
$ bipe-segment --kwic two -s line --format tsv kwic.txt; bipe-segment --kwic 'e\W+T' --format csv --width 24 --columns match,left,start kwic.txt; bipe-segment --kwic two --format jsonl --id id kwic.jsonl; bipe-segment --kwic two --count kwic.jsonl kwic.txt empty.txt
file	document	segment	start	end	left	match	right
kwic.txt	0	0	4	7	One 	two	 
kwic.txt	0	1	21	24	three. Two 	two	 
kwic.txt	0	2	38	41	four 漢字 	two	 
match,left,start
"e. T","One two thre",12
{"file":"kwic.jsonl","document":0,"segment":0,"start":10,"end":13,"left":"école ́","match":"two","right":" \u0007","record":"x"}
{"file":"kwic.jsonl","document":1,"segment":0,"start":18,"end":21,"left":"漢漢漢漢漢漢","match":"two","right":"","record":null}
2	kwic.jsonl
3	kwic.txt
5	total
! bipe-segment: --id: 2 of 3 documents have no member "id" that is a string, number, true or false
! bipe-segment: empty.txt: could not be opened: No such file or directory
? 1
$ bipe-segment --kwic '(' a.txt; bipe-segment --kwic '(?=T)' a.txt; bipe-segment --kwic a -z a.txt; bipe-segment --kwic a --trim a.txt; bipe-segment --width 40 a.txt; bipe-segment --kwic a --format tsv --columns text a.txt
! bipe-segment: option '--kwic': offset 1 of the pattern: missing closing parenthesis
! bipe-segment: option '--kwic': the pattern matches the empty string alone, expected one that matches text
! bipe-segment: options '--kwic' and '--null' cannot be combined: matches are printed as lines, jsonl, tsv or csv
! bipe-segment: options '--kwic' and '--trim' cannot be combined: white space is always folded
! bipe-segment: option '--width' needs '--kwic'
! bipe-segment: option '--columns': found 'text', expected some of file, document, segment, start, end, left, match, right, language
? 2
$ head -c 100000 /dev/zero | tr '\0' a >as; (cat as; echo b) | tr -d '\n' >run; bipe-segment --kwic '(a+)+$' run a.txt; bipe-segment --kwic '(T)(\w+)' run a.txt --count
0	run
2	a.txt
2	total
! bipe-segment: run: document 0: byte 0: --kwic '(a+)+$': match limit exceeded (PCRE2 error -47), expected a pattern that backtracks less
$ for j in 1 3; do for i in 1 2; do yes 'It was a river that ran.' | head -c 300000 >kwic$i; done; bipe-segment -j $j -s sentence:en --kwic 'r\w+' kwic1 kwic2 | sort | uniq -c | sed 's/^ *//'; done; printf 'r' | bipe-segment --kwic 'r'; : | bipe-segment --kwic r; : | bipe-segment --kwic r --format tsv
12000 kwic1                      It was a river that ran.
12000 kwic1           It was a river that ran .
12000 kwic2                      It was a river that ran.
12000 kwic2           It was a river that ran .
12000 kwic1                      It was a river that ran.
12000 kwic1           It was a river that ran .
12000 kwic2                      It was a river that ran.
12000 kwic2           It was a river that ran .
                                r
file	document	segment	start	end	left	match	right
# Labels leave out the folder that all names share, as tables of bipe-stats do; names that share none stay whole.
$ mkdir -p deep/corpora/old deep/corpora/new; for f in old/zh-chinese.txt new/ja-japanese.txt old.txt; do echo 'It was a river.' >deep/corpora/$f; done; COLUMNS=60 bipe-segment --kwic river deep/corpora/*/*.txt; COLUMNS=60 bipe-segment --kwic river - deep/corpora/old.txt <deep/corpora/old.txt; COLUMNS=60 bipe-segment --kwic river deep/corpora/old.txt deep/corpora/old.txt
new/ja-…ese.txt          It was a river .
old/zh-…ese.txt          It was a river .
-                        It was a river .
deep/co…old.txt          It was a river .
old.txt             It was a river .
old.txt             It was a river .
# --count counts what the format has, in as many threads as there are: segments, tokens (all, or those with text: words), matches.
$ for j in 1 3; do bipe-segment -j $j --count --format words kwic1 a.txt; done; bipe-segment --format words kwic1 | wc -l; bipe-segment --count --format tokens a.txt; bipe-segment --format tokens a.txt | tail -n +2 | wc -l; bipe-segment --count --trim a.txt; printf 'a  b' | bipe-segment --count --format words -t word; printf 'a   b\n' | bipe-segment --count --format words --squeeze -t char; printf 'a   b\n' | bipe-segment --format words --squeeze -t char
72000	kwic1
5	a.txt
72005	total
72000	kwic1
5	a.txt
72005	total
72000
12
12
5
2
2
a
b
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
$ printf '{"text":"One two."}\n{"text":"Three' >torn.jsonl; bipe-segment --count --format words torn.jsonl
2
! bipe-segment: torn.jsonl: record at line 2, byte 15: unterminated string
? 1
$ for f in tsv csv jsonl nul; do bipe-segment --count --format $f a.txt; done; bipe-segment --kwic a --count --format tsv a.txt; bipe-segment --count -z a.txt; bipe-segment --count --squeeze --format tokens a.txt
! bipe-segment: options '--count' and '--format tsv' cannot be combined: only lines, tokens and words are counted
! bipe-segment: options '--count' and '--format csv' cannot be combined: only lines, tokens and words are counted
! bipe-segment: options '--count' and '--format jsonl' cannot be combined: only lines, tokens and words are counted
! bipe-segment: options '--count' and '--format nul' cannot be combined: only lines, tokens and words are counted
! bipe-segment: options '--count' and '--format tsv' cannot be combined: only lines, tokens and words are counted
! bipe-segment: options '--count' and '--null' cannot be combined: only lines, tokens and words are counted
! bipe-segment: option '--squeeze' cannot be combined with rows of tokens, which would lack some
? 2
# The column of --id may be named, where it stands.
$ printf '{"text":"One. Two.","id":7}\n' >id.jsonl; bipe-segment --id id --format tsv --columns segment,record id.jsonl; bipe-segment --id id --format csv --columns id,record id.jsonl | head -n 2; bipe-segment --id id --kwic T --format tsv --columns match,record id.jsonl
segment	record
0	7
1	7
id,record
0,7
match	record
T	7
$ bipe-segment --format tsv --columns segment,record id.jsonl; bipe-segment --id id --format tsv --columns record,segment id.jsonl; bipe-segment --id id --format tsv --columns record id.jsonl; bipe-segment --id id --format tsv --columns left id.jsonl
! bipe-segment: option '--columns': found 'record', which needs '--id'
! bipe-segment: option '--columns': found 'record' before other columns, expected it as the last of several
! bipe-segment: option '--columns': found 'record' alone, expected it as the last of several
! bipe-segment: option '--columns': found 'left', expected some of file, document, segment, start, end, tokens, text, language, record; or token, id, intra, for a row for each token
? 2
$ yes 'a river' | bipe-segment --kwic river | head -n 1
                              a river a river a river a river a river a river a

# Nothing in, nothing out.
$ : >empty; bipe-segment empty; bipe-segment --count empty; bipe-segment --format tsv empty
0
file	document	segment	start	end	tokens	text

# Names are escaped where a tab or a newline would break the table.
$ cp a.txt "$(printf 'a\tb\\\nc')"; bipe-segment --format tsv "$(printf 'a\tb\\\nc')" | head -n 2
file	document	segment	start	end	tokens	text
a\tb\\\nc	0	0	0	4	2	One.
$ bipe-segment --count a.txt "$(printf 'a\tb\\\nc')"
5	a.txt
5	a\tb\\\nc
10	total
! bipe-segment: 2 of 10 segments are only white space (--squeeze leaves such segments out)
$ bipe-segment --format jsonl "$(printf 'a\tb\\\nc')" | head -n 1
{"file":"a\tb\\\nc","document":0,"segment":0,"start":0,"end":4,"tokens":2,"text":"One."}

# Bytes that are no UTF-8, NULs, carriage returns.
$ printf 'a\0b.\377\r\nc\200\n' >odd; bipe-segment -z odd | tr -d '\0' | od -An -c
   a   b   . 377  \r  \n   c 200  \n
! bipe-segment: odd: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)
$ bipe-segment odd | od -An -c
   a  \0   b   .  \n 377  \n   c 200  \n
! bipe-segment: odd: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)
$ bipe-segment --format jsonl odd
{"file":"odd","document":0,"segment":0,"start":0,"end":4,"tokens":4,"text":"a\u0000b."}
{"file":"odd","document":0,"segment":1,"start":4,"end":7,"tokens":2,"text":"�\r\n"}
{"file":"odd","document":0,"segment":2,"start":7,"end":10,"tokens":3,"text":"c�\n"}
! bipe-segment: odd: not plain UTF-8: many bytes are wrong or control characters; they are kept as they are (--encoding reads text in others)

# JSON Lines: a document a record; a broken record does not stop the others.
$ printf '{"text":"A. B"}\n\n{"id":1,"text":"\\u00e9\\n"}\n{"text":3}\n{"text":"C.","x":[1,{}]}\n' >r.jsonl
$ bipe-segment --format tsv r.jsonl
file	document	segment	start	end	tokens	text
r.jsonl	0	0	0	2	2	A.
r.jsonl	0	1	2	4	1	 B
r.jsonl	1	0	0	3	2	é\n
r.jsonl	3	0	0	2	2	C.
! bipe-segment: r.jsonl: record at line 4, byte 9: found '3', expected a string in "text"
? 1
$ bipe-segment --count r.jsonl a.txt
4	r.jsonl
5	a.txt
9	total
! bipe-segment: r.jsonl: record at line 4, byte 9: found '3', expected a string in "text"
! bipe-segment: 1 of 9 segments is only white space (--squeeze leaves such segments out)
? 1
$ bipe-segment --jsonl --format jsonl <r.jsonl 2>/dev/null
{"file":"-","document":0,"segment":0,"start":0,"end":2,"tokens":2,"text":"A."}
{"file":"-","document":0,"segment":1,"start":2,"end":4,"tokens":1,"text":" B"}
{"file":"-","document":1,"segment":0,"start":0,"end":3,"tokens":2,"text":"é\n"}
{"file":"-","document":3,"segment":0,"start":0,"end":2,"tokens":2,"text":"C."}
? 1
$ printf '{"body":"x. y"}\n' | bipe-segment --jsonl --field body
x.
 y
$ printf '{"text":"abc' | bipe-segment --jsonl
abc
! bipe-segment: standard input: record at line 1, byte 13: unterminated string
? 1

# Compressed input is detected from its content.
$ gzip -kc a.txt >a.gz; cat a.gz a.gz >two
%when test "${BIPE_GZIP-yes}" = yes
$ bipe-segment --count a.gz two
5	a.gz
10	two
15	total
! bipe-segment: 3 of 15 segments are only white space (--squeeze leaves such segments out)
%when test "${BIPE_XZ-yes}" = yes && command -v xz
$ xz -kc a.txt >a.xz; bipe-segment --count a.xz
5
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
%when test "${BIPE_GZIP-yes}" = yes
$ head -c 30 a.gz >torn.gz; bipe-segment torn.gz a.txt
One.
 Two

  T
One.
 Two

  Three, 3.
5 x
! bipe-segment: torn.gz: compressed byte 30: the file ends inside the gzip member that starts at byte 0
? 1
%when test "${BIPE_GZIP-yes}" = yes
$ bipe-segment -z torn.gz | tr -d '\0' >got; gzip -dcq torn.gz 2>/dev/null | cmp - got
! bipe-segment: torn.gz: compressed byte 30: the file ends inside the gzip member that starts at byte 0
$ printf 'PK\003\004...' >a.zip; bipe-segment --count a.zip a.txt | cut -f 2
a.txt
total
! bipe-segment: a.zip: is a ZIP archive, expected text in UTF-8; unzip -p writes what is in it (--text reads it all the same)
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
$ printf '{"text":"a. bcd' | bipe-segment --jsonl --format tsv
file	document	segment	start	end	tokens	text
-	0	0	0	2	2	a.
-	0	1	2	6	1	 bcd
! bipe-segment: standard input: record at line 1, byte 16: unterminated string
? 1
$ printf '1 2 x' | bipe-segment --ids text -t byte -z | od -An -tu1
   1   2   0
! bipe-segment: standard input: byte 4: found the byte 0x78, expected decimal ids between white space
%when command -v zstd
$ zstd -qc a.txt >a.zst && bipe-segment --count a.zst
5
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)

# Ids of a tokenizer that has none, and a pattern that can end nothing.
$ bipe-segment -s tokens:13,4096 -t default --count absent; bipe-generate -s tokens:5000 --prompt 'One.' default
! bipe-segment: segmenter 'tokens:13,4096': id 4096 is not in the vocabulary, expected less than 4096
! bipe-generate: segmenter 'tokens:5000': id 5000 is not in the vocabulary, expected less than 4096
? 2
$ bipe-segment -s tokens:869,13 a.txt; bipe-stats -t word -s tokens:13 a.txt; bipe-segment -s tokens:46,10 -t byte --count a.txt
5
! bipe-segment: segmenter 'tokens:869,13' reads ids, and tokenizer 'word' has none: expected one with a vocabulary, byte or char
! bipe-stats: segmenter 'tokens:13' reads ids, and tokenizer 'word' has none: expected one with a vocabulary, byte or char
! bipe-segment: 1 of 5 segments is only white space (--squeeze leaves such segments out)
$ bipe-segment -s 'regex:(?=T)' --count a.txt; bipe-segment -q -s 'regex:^|\b(?<=x)' --count a.txt; bipe-segment -s 'regex:(?<=O)|n' --count a.txt; bipe-segment -s 'regex:(?=T)x?' --count a.txt; bipe-stats -s 'regex:(?=T)' a.txt 2>&1 | head -n 2
1
1
2
1
bipe-stats: segmenter 'regex:(?=T)': the pattern matches the empty string alone, and such a match ends no segment
1 file, 1 document, 25 bytes, 12 tokens by word
! bipe-segment: segmenter 'regex:(?=T)': the pattern matches the empty string alone, and such a match ends no segment

# Token ids.
$ printf '72 105 46\n10 65' | bipe-segment --ids text -t byte --format jsonl
{"file":"-","document":0,"segment":0,"start":0,"end":3,"tokens":3,"text":"Hi."}
{"file":"-","document":0,"segment":1,"start":3,"end":4,"tokens":1,"text":"\n"}
{"file":"-","document":0,"segment":2,"start":4,"end":5,"tokens":1,"text":"A"}
$ printf 'H\0i\0.\0A\0' | bipe-segment --ids u16 -t byte
Hi.
A
$ printf 'H\0\0\0i\0\0\0' | bipe-segment --ids u32 -t byte
Hi
$ printf 'H\0i' | bipe-segment --ids u16 -t byte
H
! bipe-segment: standard input: byte 2: incomplete id: found 1 byte, expected 2
? 1
$ printf 'H\0\0\1' | bipe-segment --ids u16 -t byte
H
! bipe-segment: standard input: byte 2: id 256 is not in the vocabulary, expected less than 256
? 1
$ printf '1 2 x' | bipe-segment --ids text -t byte

! bipe-segment: standard input: byte 4: found the byte 0x78, expected decimal ids between white space
? 1
$ printf '99999999999999999999' | bipe-segment --ids text -t byte
! bipe-segment: standard input: byte 0: id beyond 4294967295 is not in the vocabulary, expected less than 256
? 1
$ printf '%s' '{"model":{"type":"BPE","vocab":{"a":0,"Ģaâ":1},"merges":[]},"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"decoder":{"type":"ByteLevel"}}' >split.json
$ yes 1 | head -n 800000 | bipe-segment --ids text -t split.json -s line
! bipe-segment: standard input: byte 0: no id ends with a character in 2 MiB
? 1
$ echo 1 | bipe-segment --ids text
! bipe-segment: option '--ids text' needs '--tokenizer': ids are read with its vocabulary
? 2
$ echo 1 | bipe-segment --ids text -t word
! bipe-segment: token ids need a tokenizer with a vocabulary, found word
? 2

$ printf 'a.b' | bipe-segment -t nope.model
! bipe-segment: nope.model: no such file or folder, no installed model (bipe-convert --list shows those), and not one of byte, char, word, words
? 1
%when test -d "$BIPE_SHARED/tokenizers"
$ S=$BIPE_SHARED; bipe-segment --ids text -t "$S/tokenizers/llama2.model" -z "$S/tokenizers/llama2-spm.ids" | tr -d '\0' | cmp - "$S/texts/excerpt.txt"
%when test -d "$BIPE_SHARED/tokenizers"
$ S=$BIPE_SHARED; for i in "--ids text $S/tokenizers/llama2-spm.ids" "$S/texts/excerpt.txt"; do
>   bipe-segment -t "$S/tokenizers/llama2.model" --format tokens $i | cut -f 2- >tokens.new; test ! -f tokens || cmp tokens tokens.new; mv tokens.new tokens
> done; wc -l <tokens
3497

# Output to a file: complete or not at all.
$ bipe-segment -o out a.txt; bipe-segment a.txt | cmp - out; ls out*
out
$ bipe-segment a.txt >/dev/full
! bipe-segment: standard output: could not be written: No space left on device
? 1
$ bipe-segment -o /dev/full a.txt
! bipe-segment: /dev/full: could not be written: No space left on device
? 1
$ yes '{"text":"One. Two.","id":7}' | head -n 20000 >many.jsonl
$ for f in lines nul jsonl tsv tokens; do for j in 1 3; do bipe-segment --format $f -j $j many.jsonl >/dev/full 2>err; echo $? $(wc -l <err); done; done | uniq -c | sed 's/^ *//'
10 1 1
$ for f in jsonl tsv tokens; do bipe-segment --format $f --id id many.jsonl >/dev/full 2>err; echo $? $(wc -l <err); done | uniq -c | sed 's/^ *//'
3 1 1
$ { yes '{"id":7}' | head -n 9; cat many.jsonl; } | bipe-segment --jsonl >/dev/full
! bipe-segment: standard input: record at line 1, byte 8: found the member "id", expected "text" (--field names another)
! bipe-segment: standard input: record at line 2, byte 8: found the member "id", expected "text" (--field names another)
! bipe-segment: standard input: record at line 3, byte 8: found the member "id", expected "text" (--field names another)
! bipe-segment: standard output: could not be written: No space left on device
! bipe-segment: standard input: record at line 9, byte 8: found the member "id", expected "text" (--field names another); 5 more like this are not shown
? 1
$ bipe-segment -o no/such/folder a.txt
! bipe-segment: no/such/folder: could not be created: No such file or directory
? 1
$ yes 'a line.' | head -n 200000 | bipe-segment | head -n 1
a line.

# What cannot be read is reported, the rest is done.
$ bipe-segment missing . a.txt
One.
 Two

  Three, 3.
5 x
! bipe-segment: missing: could not be opened: No such file or directory
! bipe-segment: .: is a directory, expected a file (-r reads the text files in it)
? 1
%when test "$(id -u)" != 0
$ : >secret; chmod 0 secret; bipe-segment secret
! bipe-segment: secret: could not be opened: Permission denied
? 1

# Wrong usage.
$ bipe-segment --format xml
! bipe-segment: option '--format': found 'xml', expected one of lines, nul, jsonl, tsv, csv, tokens, words
! Try 'bipe-segment --help' for more information.
? 2
$ bipe-segment -z --format tsv a.txt
! bipe-segment: options '--null' and '--format tsv' cannot be combined
? 2
$ bipe-segment --squeeze --format tokens a.txt
! bipe-segment: option '--squeeze' cannot be combined with rows of tokens, which would lack some
? 2
$ bipe-segment -s nonsense a.txt 2>&1 | cut -c 1-60
bipe-segment: segmenter 'nonsense': unknown, expected one of
$ bipe-segment -s fixed a.txt
! bipe-segment: segmenter 'fixed': no number of tokens, expected fixed:N with N from 1 to 4294967295 (k: 1024, m: 1048576)
? 2
$ bipe-segment -s 'regex:(' a.txt 2>&1 | cut -c 1-40
bipe-segment: segmenter 'regex:(': offse
$ bipe-segment --help | sed -n '/--segmenter/,/default:/p'
  -s, --segmenter=SPEC       what ends a segment: stop, line, sentence,
                             sentence:LANG [or auto], paragraph, equals, code,
                             fixed:N, regex:PATTERN, tokens:ID[,ID...], none,
                             document, or a plug-in; or several that nest, such
                             as sentence:en/paragraph/document; see bipe(7);
                             default: stop
# --help names each segmenter.
$ for name in $(bipe-segment -s nonsense a.txt 2>&1 | sed 's/.*one of //; s/, or.*//; s/,//g'); do
>   bipe-segment --help | grep -q "[ :,]$name[:,]" || echo "$name is not in --help"; done
$ bipe-segment --fromat=tsv river.txt
! bipe-segment: unknown option '--fromat': did you mean '--format'?
! Try 'bipe-segment --help' for more information.
? 2
$ bipe-segment -t '' river.txt
! bipe-segment: tokenizer '': empty, expected byte, char, word, words, or a file or folder
? 2
$ bipe-segment --nonsense
! bipe-segment: unknown option '--nonsense'
! Try 'bipe-segment --help' for more information.
? 2
$ bipe-segment -t missing.model --format tsv a.txt
! bipe-segment: missing.model: no such file or folder, no installed model (bipe-convert --list shows those), and not one of byte, char, word, words
? 1
$ bipe-segment --ids u16 --field body -t byte a.txt
! bipe-segment: options '--ids u16' and '--field' cannot be combined: token ids are not text
? 2

# A pattern that would run away is an error and not "no match".
$ head -c 1000000 /dev/zero | tr '\0' a >as; (cat as; echo b) >run
$ bipe-segment -s 'regex:(a+)+$' --count run a.txt
1	a.txt
1	total
! bipe-segment: run: byte 0: segmenter 'regex:(a+)+$': match limit exceeded (PCRE2 error -47), expected a pattern that backtracks less
? 1

$ (printf '{"text":"'; cat as; printf 'b"}\n{"text":"aa"}\n') | bipe-segment -s 'regex:(a+)+$' --jsonl --format tsv
file	document	segment	start	end	tokens	text
-	1	0	0	2	1	aa
! bipe-segment: standard input: document 0: byte 0: segmenter 'regex:(a+)+$': match limit exceeded (PCRE2 error -47), expected a pattern that backtracks less
? 1

# A signal leaves no half of an output behind.
$ mkfifo pipe
$ { bipe-segment -o signalled pipe & exec 3>pipe; printf 'a. b.\n' >&3; kill -TERM $!; wait $!; } 2>/dev/null; echo $?; ls | grep -c signalled
143
0
? 1

# The same for any number of threads.
$ bipe-segment -j 1 --format tokens a.txt r.jsonl white.txt >one 2>/dev/null
? 1
$ bipe-segment -j 2 --format tokens a.txt r.jsonl white.txt 2>/dev/null | cmp - one

$ bipe-segment --version | sed 's/[0-9.]*$/N/'
bipe-segment (bipe) N
$ bipe-segment --help | head -n 4
Usage: bipe-segment [OPTION...] [FILE...]
cut text into segments

Prints the segments of each FILE, each with the separator that ends it. Joined

# Several files at a time print in their order, errors too; what waits for its turn goes to temporary files, or waits where there is no room.
$ "$PERL" -e 'for my $f (1 .. 6) { open(my $o, ">", "n$f.txt"); print $o "File $f, line $_. It ends, or not\n" for 1 .. $f * 4000 }'
$ all='n6.txt n1.txt missing n5.txt . n2.txt n4.txt n3.txt'; for f in tsv jsonl tokens; do bipe-segment -j 1 --format $f $all >one 2>one.err; bipe-segment -j 3 --format $f $all >three 2>three.err; echo $?; cmp one three; cmp one.err three.err; done; cat three.err
1
1
1
bipe-segment: missing: could not be opened: No such file or directory
bipe-segment: .: is a directory, expected a file (-r reads the text files in it)
$ all='n6.txt n1.txt n5.txt n2.txt n4.txt n3.txt'; bipe-segment -j 1 -s 'regex:, ' $all >one; TMPDIR=/no/such/folder bipe-segment -j 3 -s 'regex:, ' $all | cmp - one
$ all='n6.txt n1.txt n5.txt n2.txt n4.txt n3.txt'; (trap '' XFSZ; ulimit -f 0; TMPDIR=. exec bipe-segment -j 3 -s 'regex:, ' $all) | cmp - one
$ bipe-segment -j 3 --count n3.txt n1.txt missing n2.txt
24000	n3.txt
8000	n1.txt
16000	n2.txt
48000	total
! bipe-segment: missing: could not be opened: No such file or directory
? 1
$ for i in 1 2 3 4 5 6 7 8 9; do echo n6.txt; done | xargs bipe-segment -j 3 --format tsv | head -n 2
file	document	segment	start	end	tokens	text
n6.txt	0	0	0	15	6	File 6, line 1.
$ bipe-segment -j 3 --format tsv n1.txt n2.txt n3.txt >/dev/full
! bipe-segment: standard output: could not be written: No space left on device
? 1

# Rows of long documents are made by several threads.
$ seq 30000 | awk '{ print $1 ". Words, and" ($1 % 500 ? "" : "\n\n"), $1 * 7, "\"x\" \303\251t\303\251." }' >long.txt; cat long.txt long.txt long.txt long.txt long.txt long.txt >six.txt
$ rows() { bipe-segment -j 1 "$@" >one; bipe-segment -j 3 "$@" | cmp - one; }; rows --format tokens long.txt; for s in stop paragraph none; do rows --format jsonl -s $s long.txt; done; rows --format tsv -s 'regex:7+' six.txt six.txt

# A word that has no token: what comes before it is printed, whoever has tokenized it and in which pieces.
$ cat >few.json <<'END'
> {"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordLevel","unk_token":"?","vocab":{"a":0}}}
> END
$ { yes 'a a a' | head -c 600000; echo a b; yes 'a a a' | head -c 300000; } >long.txt
$ for j in 1 2 5; do for f in tokens tsv; do bipe-segment -j $j -t few.json -s 'regex:a(?=\n)' --format $f long.txt | tail -n 1; done; done 2>&1 | sort | uniq -c | sed 's/^ *//'
6 bipe-segment: long.txt: byte 600002: a word that has no token, and unk_token "?" is not in the vocabulary
3 long.txt	0	300000	600000	600001	0	100000	0
3 long.txt	0	99999	599993	599999	3	\na a a

# Words as linguists count them: blanks and punctuation belong to no span; a sentence that ends between two words has those before.
$ printf "Don't pay 6.40, ok?\r\n" | bipe-segment -t words --format tokens
file	document	token	start	end	id	segment	intra
-	0	0	0	5	0	0	0
-	0	1	6	9	0	0	1
-	0	2	10	14	0	0	2
-	0	3	16	18	0	1	0
$ printf 'Yes. No way.\n' | bipe-segment -t words -s sentence:en --format tsv
file	document	segment	start	end	tokens	text
-	0	0	0	5	1	Yes. 
-	0	1	5	13	2	No way.\n

# CR LF is one line end, at any size of buffers; a CR by itself stays.
$ cp "$BIPE_SRCDIR/corpora/river.txt" unix.txt && sed "s/\$/$(printf '\r')/" unix.txt > windows.txt
$ for s in line paragraph code stop sentence:en sentence:en,wrapped; do bipe-segment -s $s unix.txt > a && for b in 1 3 65536; do
> BIPE_BUFFER_SIZE=$b bipe-segment -j 2 -s $s windows.txt | cmp - a
> for t in word words; do for f in unix windows; do BIPE_BUFFER_SIZE=$b bipe-stats -t $t -s $s $f.txt | sed 1d > $f.stats; done; cmp *.stats; done; done; done
$ printf 'a\r\nb\rc\r\n\r\nd\r' | bipe-segment -s paragraph | tr '\r' R
a bRc 
dR

# Rows with the ids of their records, which may come after the text.
$ printf '{"text":"One. Two.","meta":{"id":"x\\ty"}}\n{"meta":{"id":7},"text":"Three."}\n{"text":"Four."}\n{"text":"Five' >ids.jsonl; for f in jsonl tsv tokens; do bipe-segment --id meta.id --format $f ids.jsonl; done
{"file":"ids.jsonl","document":0,"segment":0,"start":0,"end":4,"tokens":2,"text":"One.","record":"x\ty"}
{"file":"ids.jsonl","document":0,"segment":1,"start":4,"end":9,"tokens":2,"text":" Two.","record":"x\ty"}
{"file":"ids.jsonl","document":1,"segment":0,"start":0,"end":6,"tokens":2,"text":"Three.","record":"7"}
{"file":"ids.jsonl","document":2,"segment":0,"start":0,"end":5,"tokens":2,"text":"Four.","record":null}
{"file":"ids.jsonl","document":3,"segment":0,"start":0,"end":4,"tokens":1,"text":"Five","record":null}
file	document	segment	start	end	tokens	text	record
ids.jsonl	0	0	0	4	2	One.	x\ty
ids.jsonl	0	1	4	9	2	 Two.	x\ty
ids.jsonl	1	0	0	6	2	Three.	7
ids.jsonl	2	0	0	5	2	Four.	
ids.jsonl	3	0	0	4	1	Five	
file	document	token	start	end	id	segment	intra	record
ids.jsonl	0	0	0	3	0	0	0	x\ty
ids.jsonl	0	1	3	4	0	0	1	x\ty
ids.jsonl	0	2	4	8	0	1	0	x\ty
ids.jsonl	0	3	8	9	0	1	1	x\ty
ids.jsonl	1	0	0	5	0	0	0	7
ids.jsonl	1	1	5	6	0	0	1	7
ids.jsonl	2	0	0	4	0	0	0	
ids.jsonl	2	1	4	5	0	0	1	
ids.jsonl	3	0	0	4	0	0	0	
! bipe-segment: ids.jsonl: record at line 4, byte 14: unterminated string
! bipe-segment: --id: 1 of 3 documents has no member "meta.id" that is a string, number, true or false
! bipe-segment: ids.jsonl: record at line 4, byte 14: unterminated string
! bipe-segment: --id: 1 of 3 documents has no member "meta.id" that is a string, number, true or false
! bipe-segment: ids.jsonl: record at line 4, byte 14: unterminated string
! bipe-segment: --id: 1 of 3 documents has no member "meta.id" that is a string, number, true or false
? 1
$ seq 3000 | sed 's/.*/{"text":"No & and. More","id":"&}"}/' >many.jsonl; for f in jsonl tsv tokens; do bipe-segment --id id --format $f many.jsonl | sed 's/,"record":"[0-9]*}"//; s/\t[a-z0-9]*}*$//' >ids; bipe-segment --format $f many.jsonl | cmp - ids; done
$ bipe-segment --id id many.jsonl
! bipe-segment: option '--id' needs '--format jsonl|tsv|csv|tokens'
? 2

# A member that no record has, some do not have, and one that is null everywhere.
$ printf '{"id":"x","meta":{"source":{"url":"u"},"page":1},"text":"One."}\n{"text":"Two.","id":null}\n' >members.jsonl
$ bipe-segment --id meta.nope --format tsv members.jsonl
file	document	segment	start	end	tokens	text	record
members.jsonl	0	0	0	4	2	One.	
members.jsonl	1	0	0	4	2	Two.	
! bipe-segment: --id: no document has a member "meta.nope" that is a string, number, true or false; the first record has "id", "meta.source", "meta.page", "text"
$ bipe-segment --id id --format tsv members.jsonl; bipe-segment -q --id nope --format tsv members.jsonl
file	document	segment	start	end	tokens	text	record
members.jsonl	0	0	0	4	2	One.	x
members.jsonl	1	0	0	4	2	Two.	
file	document	segment	start	end	tokens	text	record
members.jsonl	0	0	0	4	2	One.	
members.jsonl	1	0	0	4	2	Two.	
! bipe-segment: --id: 1 of 2 documents has no member "id" that is a string, number, true or false
$ tail -n 1 members.jsonl | bipe-segment --jsonl --id id --format tsv
file	document	segment	start	end	tokens	text	record
-	0	0	0	4	2	Two.	
! bipe-segment: --id: no document has a member "id" that is a string, number, true or false
$ printf '{"id":null,"text":"One."}\n' >null.jsonl; bipe-segment --id id --format tsv null.jsonl
file	document	segment	start	end	tokens	text	record
null.jsonl	0	0	0	4	2	One.	
! bipe-segment: --id: 1 of 1 documents has no member "id" that is a string, number, true or false
$ head -c 3000000 /dev/zero | tr '\0' a | bipe-segment --kwic a+
! bipe-segment: standard input: document 0: byte 0: --kwic 'a+': undecided for more than 2 MiB, expected a pattern that needs less text
? 1

# Segmenters that nest.
$ printf 'One is. Two\nis.\n\n  Three.\n' >nested.txt; bipe-segment -s sentence:en/paragraph/document --format tokens nested.txt
file	document	token	start	end	id	segment	intra	segment2	intra2	segment3	intra3
nested.txt	0	0	0	3	0	0	0	0	0	0	0
nested.txt	0	1	3	6	0	0	1	0	0	0	0
nested.txt	0	2	6	7	0	0	2	0	0	0	0
nested.txt	0	3	7	11	0	1	0	0	1	0	0
nested.txt	0	4	11	12	0	1	1	0	1	0	0
nested.txt	0	5	12	14	0	2	0	0	2	0	0
nested.txt	0	6	14	15	0	2	1	0	2	0	0
nested.txt	0	7	15	16	0	2	2	0	2	0	0
nested.txt	0	8	16	17	0	2	3	0	2	0	0
nested.txt	0	9	17	24	0	3	0	1	0	0	1
nested.txt	0	10	24	25	0	3	1	1	0	0	1
nested.txt	0	11	25	26	0	3	2	1	0	0	1
$ bipe-segment -s '(regex:[.;])/paragraph' --format tsv --columns segment,tokens,text nested.txt; bipe-segment -s fixed:4/paragraph --columns intra2,id --format csv nested.txt
segment	tokens	text
0	3	One is.
1	4	 Two\nis.
2	2	\n\n
3	2	  Three.
4	1	\n
intra2,id
0,0
0,0
0,0
0,0
1,0
1,0
1,0
1,0
2,0
0,0
0,0
0,0
$ bipe-segment -s 'line/regex:(' --columns segment2 --format tokens nested.txt
! bipe-segment: segmenter 'regex:(': offset 1 of the pattern: missing closing parenthesis
? 2
$ bipe-segment -s sentence:en/paragrap nested.txt 2>&1 | cut -d, -f1; bipe-segment -s stop/line/line/line/line nested.txt; bipe-segment -s stop --columns intra2 --format tokens nested.txt
bipe-segment: segmenter 'paragrap': unknown
! bipe-segment: segmenter 'stop/line/line/line/line': more than 4 levels
! bipe-segment: option '--columns': found 'intra2', expected some of file, document, token, start, end, id, segment, intra, text
? 2
