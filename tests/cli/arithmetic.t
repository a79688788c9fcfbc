# corpora/arithmetic, corpora/passkey and the helpers of corpora/recipe. The values of histories are checked by tests/unit/test_arithmetic.

$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 3
( 2 + 5 * ( 10 + 10 - 6 ) ) * ( 0 + 7 ) = ( 2 + 5 * ( 10 + 4 ) ) * ( 0 + 7 ) = ( 2 + 5 * 3 ) * ( 0 + 7 ) = ( 2 + 4 ) * ( 0 + 7 ) = 6 * ( 0 + 7 ) = 6 * 7 = 9
10 / ( 2 / ( 1 - 6 + 5 + 5 ) ) + 10 = 10 / ( 2 / ( 6 + 5 + 5 ) ) + 10 = 10 / ( 2 / ( 6 + 10 ) ) + 10 = 10 / ( 2 / 5 ) + 10 = 10 / 7 + 10 = 3 + 10 = 2
5 * 9 * ( 8 + 10 ) * 7 * 0 / 4 = 5 * 9 * ( 8 + 10 ) * 7 * 0 = 5 * 9 * 7 * 7 * 0 = 5 * 9 * 7 * 0 = 5 * 8 * 0 = 5 * 0 = 0
! arithmetic: 3 histories, the longest of 77 tokens (79 with start and end)
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 2 -k 2 --jsonl --seed 5
{"text":"10 / ( 8 + 2 ) = 10 / 10 = 1","value":1,"operators":2,"tokens":13}
{"text":"8 / 4 / 5 = 2 / 5 = 7","value":7,"operators":2,"tokens":11}
! arithmetic: 2 histories, the longest of 13 tokens (15 with start and end)
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 473 -k 1 -o all.txt; sort -u all.txt | wc -l
473
! arithmetic: 473 histories, the longest of 5 tokens (7 with start and end)
# There are 473 histories of one operator: 121 each of sums, differences and products, 110 quotients.
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 474 -k 1 -o more.txt; ls more.txt
! arithmetic: only 473 distinct histories were found, expected 474: more operators or a larger modulus give more
! ls: cannot access 'more.txt': No such file or directory
? 2
# What an earlier run wrote is left out, from text as from JSON Lines.
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 400 -k 1 --jsonl -o train.jsonl
! arithmetic: 400 histories, the longest of 5 tokens (7 with start and end)
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 73 -k 1 --exclude train.jsonl -o test.txt; sed 's/.*"text":"//; s/".*//' train.jsonl | cat - test.txt | sort -u | wc -l
473
! arithmetic: 73 histories, the longest of 5 tokens (7 with start and end)
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 1 -k 1 --exclude all.txt
! arithmetic: only 0 distinct histories were found, expected 1: more operators or a larger modulus give more
? 1
# Shorter ones mixed in: from 1 to k operators.
$ "$BIPE_BUILDDIR"/corpora/arithmetic -n 1000 -k 3 --mixed --jsonl | sed 's/.*"operators"://; s/,.*//' | sort -u | tr '\n' ' '
1 2 3 
\no newline
! arithmetic: 1000 histories, the longest of 25 tokens (27 with start and end)
$ "$BIPE_BUILDDIR"/corpora/arithmetic -p 12
! arithmetic: modulus: 12, expected a prime of at most 65521
? 2
$ "$BIPE_BUILDDIR"/corpora/arithmetic -k 257
! arithmetic: option '-k': found '257', expected a number between 0 and 256
! Try 'arithmetic --help' for more information.
? 2
$ "$BIPE_BUILDDIR"/corpora/arithmetic extra
! arithmetic: unexpected operand 'extra'
! Try 'arithmetic --help' for more information.
? 2
$ "$BIPE_BUILDDIR"/corpora/arithmetic --exclude absent
! arithmetic: absent: could not be opened: No such file or directory
? 1
%when test -c /dev/full
$ "$BIPE_BUILDDIR"/corpora/arithmetic >/dev/full
! arithmetic: standard output: could not be written: No space left on device
? 1

# Files as JSON Lines: UTF-8 as it is, other bytes as Latin-1.
$ mkdir tree; printf 'int a;\n"\\\\"\n' >tree/a.c; printf 'caf\303\251' >tree/b.c; printf 'caf\351' >tree/c.c
$ printf 'a.c\nb.c\nc.c\n' | "$PERL" "$BIPE_SRCDIR"/corpora/join-files tree
{"file":"a.c","text":"int a;\n\"\\\\\"\n"}
{"file":"b.c","text":"café"}
{"file":"c.c","text":"café"}
$ echo absent | "$PERL" "$BIPE_SRCDIR"/corpora/join-files tree
! join-files: tree/absent: No such file or directory
? 2
# Texts with a hidden key: as many as asked for, each number of sentences up to the most, and the key at the end is the hidden one.
$ "$BIPE_BUILDDIR"/corpora/passkey -n 2 -k 2
{"text":"A pass key is hidden in this text. Read on and remember the key, since it is asked for at the end.\n\nThe pass key is 72465. Remember it: 72465 is the pass key. Rain fell all night. \n\nWhich pass key is hidden in this text? The pass key is 72465."}
{"text":"A pass key is hidden in this text. Read on and remember the key, since it is asked for at the end.\n\nThe pass key is 98761. Remember it: 98761 is the pass key. They spoke of the weather. There was bread on the table. \n\nWhich pass key is hidden in this text? The pass key is 98761."}
$ "$BIPE_BUILDDIR"/corpora/passkey -n 500 -k 3 --seed 2 -o keys.jsonl; grep -cE 'The pass key is ([1-9][0-9]{4})\. Remember it: \1 is the .* The pass key is \1\."}$' keys.jsonl
500
