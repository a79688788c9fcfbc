# corpora/babi. tests/peers/babi answers its questions from the texts alone.

$ "$BIPE_BUILDDIR"/corpora/babi -n 1 -t byte qa4 qa20
{"input":"The bathroom is north of the hallway. The hallway is north of the kitchen.","question":"What is the hallway north of?","target":"kitchen","task":"qa4","length":0,"tokens":74,"facts":["The bathroom is north of the hallway.","The hallway is north of the kitchen."],"support":[1],"choices":["bathroom","bedroom","garden","hallway","kitchen","office"]}
{"input":"Jason is bored.","question":"Where will jason go?","target":"garden","task":"qa20","length":0,"tokens":15,"facts":["Jason is bored."],"support":[0],"choices":["bedroom","bored","garden","hungry","kitchen","thirsty","tired"]}
$ "$BIPE_BUILDDIR"/corpora/babi -n 1 -L 0,300 -t byte --haystack "$BIPE_SRCDIR"/corpora/river.txt qa17
{"input":"The red rectangle is to the left of the red square. The red triangle is below the red rectangle.","question":"Is the red square to the left of the red rectangle?","target":"no","task":"qa17","length":0,"tokens":96,"facts":["The red rectangle is to the left of the red square.","The red triangle is below the red rectangle."],"support":[0],"choices":["no","yes"]}
{"input":"The path ran close to the bank. On the other side were hay fields, cut on Monday and not yet carried, and the smell of them came and went with the wind. The red rectangle is to the left of the red square. The red triangle is below the red rectangle.","question":"Is the red square to the left of the red rectangle?","target":"no","task":"qa17","length":300,"tokens":249,"facts":["The red rectangle is to the left of the red square.","The red triangle is below the red rectangle."],"support":[0],"choices":["no","yes"]}
# Of so many samples as a task has answers each has another; those of a task are the same whatever others there are.
$ "$BIPE_BUILDDIR"/corpora/babi -n 7 -t byte qa5 | sed 's/.*"target":"\([^"]*\)".*/\1/' | sort | tr '\n' ' '
Bill Fred Jeff Mary apple football milk 
\no newline
$ "$BIPE_BUILDDIR"/corpora/babi -n 2 -t words >all.jsonl; "$BIPE_BUILDDIR"/corpora/babi -n 2 -t words qa20 >one.jsonl; tail -n 2 all.jsonl | cmp - one.jsonl
# What is wrong.
$ "$BIPE_BUILDDIR"/corpora/babi qa1 qa21
! babi: 'qa21' is no task, expected qa1 to qa20
? 2
$ "$BIPE_BUILDDIR"/corpora/babi -L 5 -t byte --haystack "$BIPE_SRCDIR"/corpora/river.txt qa15
! babi: option '--length': 5, expected at least 173 for stories of qa15
? 2
$ "$BIPE_BUILDDIR"/corpora/babi -L x
! babi: option '-L': found 'x', expected a number between 0 and 16777216, optionally with k or m
! Try 'babi --help' for more information.
? 2
$ "$BIPE_BUILDDIR"/corpora/babi -t byte -L 1k --haystack none.txt
! babi: none.txt: could not be opened: No such file or directory
? 1
$ printf 'a\377' >bytes.txt; "$BIPE_BUILDDIR"/corpora/babi -t byte -L 1k --haystack bytes.txt
! babi: bytes.txt: byte 2 is not part of a character in UTF-8
? 1
$ : >empty.txt; "$BIPE_BUILDDIR"/corpora/babi -t byte -L 1k --haystack empty.txt
! babi: empty.txt: no words, expected a text
? 1
$ "$BIPE_BUILDDIR"/corpora/babi -t none.json
! babi: none.json: no such file or folder, no installed model (bipe-convert --list shows those), and not one of byte, char, word, words
? 1
$ "$BIPE_BUILDDIR"/corpora/babi -o /dev/full
! babi: /dev/full: could not be written: No space left on device
? 1
$ "$BIPE_BUILDDIR"/corpora/babi -t byte -n 100000 qa1 | head -n 1 | cut -c 1-10
{"input":"
