# corpora/automaton, and bipe-convert --automaton. tests/peers/automata compares both with a simulation of the automaton.

$ "$BIPE_BUILDDIR"/corpora/automaton --sets 1,2 --symbols 2 --automaton-seed 2 -n 3 -l 6 --description small.json
{"text":"a b a a","states":[["q1.1"],["q1.1"],["q1.1"],["q1.1"]],"accepted":true,"tokens":4}
{"text":"a | a a","states":[["q1.1"],["q2.1"],["q2.2"],["q2.2"]],"accepted":false,"tokens":4}
{"text":"b a","states":[["q1.1"],["q1.1"]],"accepted":true,"tokens":2}
$ cat small.json
{
  "alphabet": ["a", "b"],
  "separator": "|",
  "sets": [
    ["q1.1"],
    ["q2.1", "q2.2"]
  ],
  "initial": "q1.1",
  "accept": ["q1.1"],
  "transitions": {
    "q1.1": {
      "a": ["q1.1"],
      "b": ["q1.1"],
      "|": ["q2.1"]
    },
    "q2.1": {
      "a": ["q2.2"],
      "b": ["q2.1", "q2.2"],
      "|": ["q1.1"]
    },
    "q2.2": {
      "a": ["q2.2"],
      "b": ["q2.1"],
      "|": ["q1.1", "q2.1"]
    }
  }
}
$ "$BIPE_BUILDDIR"/corpora/automaton --sets 1,2 --symbols 2 --automaton-seed 2 -n 2 -l 3 --exact --answers each --seed 4
{"text":"b q1.1 accept a q1.1 accept a q1.1 accept","states":[["q1.1"],["q1.1"],["q1.1"]],"accepted":true,"tokens":9}
{"text":"a q1.1 accept a q1.1 accept | q2.1 reject","states":[["q1.1"],["q1.1"],["q2.1"]],"accepted":false,"tokens":9}
$ "$BIPE_BUILDDIR"/corpora/automaton --sets 4000,97 -n 1
! automaton: more than 4096 states, expected a smaller automaton
? 2
$ "$BIPE_BUILDDIR"/corpora/automaton --sets 1 --symbols 1  -n 2 -l 1 --segment 1
! automaton: no string that is rejected was found: another --automaton-seed may give one
? 1
$ "$BIPE_BUILDDIR"/corpora/automaton -n 1 --description small.json -o ./small.json
! automaton: options '--output' and '--description' both write to small.json
? 2
$ "$BIPE_BUILDDIR"/corpora/automaton -n 1 --description /dev/full
! automaton: /dev/full: could not be written: No space left on device
? 1
$ "$BIPE_BUILDDIR"/corpora/automaton -o /dev/full
! automaton: /dev/full: could not be written: No space left on device
? 1
# The model: what it is, and what comes after a text, one by one.
$ bipe-convert --automaton small.json --length 20 -o small.bin
$ bipe-convert small.bin | grep -v ^memory
name          small
file          small.bin
format        native
weights       F32, 189 tensors, 1.7 MiB
parameters    439400 (439 k)
layers        23
hidden        96, feed-forward 28
heads         6 of 10, 1 for keys and values
attention     biases of queries, keys and values
decoder       no norms in layers; gelu without a gate; scores times 1; 64 buckets of t5
vocabulary    11, output projection of its own
scheme        learned@intra+t5@segment
learned table 21 positions
segmenter     tokens:5
trained on    21 tokens a window
tokenizer     pipeline, 11 tokens, BOS 1, EOS none
$ bipe-generate small.bin --prompt 'a | b' -n 1
 reject
$ printf 'a q1.1 accept | q2.1 reject\n' >text.txt
$ bipe-score -q small.bin --pack line -L 21 --tokens losses.tsv text.txt >table.txt; cut -f 8,11 losses.tsv
id	nll
6	45.4598212
8	1.09861134
3	0.405465585
5	45.4598212
9	1.09860879
4	0.405465585
2	45.4598441
# What a description may not be.
$ bipe-convert --automaton small.json
! bipe-convert: option '--automaton' needs '--output': it is about a file that is written
? 2
$ bipe-convert --automaton small.json -o x.bin small.bin
! bipe-convert: option '--automaton' takes no MODEL: the model is built
? 2
$ bipe-convert --automaton small.json -o x.bin --length 0
! bipe-convert: option '--length': found '0', expected a number between 1 and 65536, optionally with k or m
! Try 'bipe-convert --help' for more information.
? 2
$ bipe-convert --automaton small.json -o ./small.json
! bipe-convert: option '--output': ./small.json is also read, expected another file
? 2
$ bipe-convert --automaton small.json -o x.gguf --to llama
! bipe-convert: small.json: cannot be written for llama.cpp: a decoder with no norms in layers; gelu without a gate; scores times 1; 512 buckets of t5
? 1
$ bipe-convert --automaton none.json -o x.bin
! bipe-convert: none.json: could not be opened: No such file or directory
? 1
$ "$BIPE_BUILDDIR"/corpora/automaton --sets 1000 --symbols 1 -n 0 --description large.json
$ bipe-convert --automaton large.json -o x.bin
! bipe-convert: large.json: the feed-forward size is 1002000008, expected 1 to 536870911
? 1
$ bipe-convert -o x.bin --length 3 small.bin
! bipe-convert: option '--length' needs '--automaton'
? 2
$ { printf '\357\273\277'; cat small.json; } >marked.json; bipe-convert --automaton marked.json --length 20 -o marked.bin && bipe-generate marked.bin --prompt 'a | b' -n 1
 reject
$ try() { printf '%s' "$1" >x.json; bipe-convert --automaton x.json -o x.bin; }
> try '[]'
> try '{"separator": "|"}'
> try '{"alphabet": ["a"], "sets": [["p"]]}'
> try '{"separator": "|", "alphabet": ["a", "a"]}'
> try '{"separator": "|", "alphabet": ["a b"]}'
> try '{"separator": "|", "alphabet": [1]}'
> try '{"separator": "|", "alphabet": ["<s>"]}'
> try '{"separator": "accept", "alphabet": ["a"]}'
> try '{"separator": "|", "alphabet": ["a"], "sets": []}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p"], []]}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p"], ["a"]]}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]]}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": ["p"]}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": ["p"], "initial": "r"}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": ["s"], "initial": "p"}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p"}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"a": {}}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": []}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": {"q": []}}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": {"a": "q"}}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": {"a": ["q"]}}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": {"|": ["r"]}}}'
> try '{"separator": "|", "alphabet": ["a"], "sets": [["p", "r"], ["q"]], "accept": [], "initial": "p", "transitions": {"p": {"a": [7]}}}'
! bipe-convert: x.json: JSON that is not an object, expected {...}
! bipe-convert: x.json: alphabet: expected a list that is not empty
! bipe-convert: x.json: separator: expected names, which are strings
! bipe-convert: x.json: alphabet: a second 'a', expected names that differ
! bipe-convert: x.json: alphabet: 'a b', expected a word without white space, not <unk> or <s>
! bipe-convert: x.json: alphabet: expected names, which are strings
! bipe-convert: x.json: alphabet: '<s>', expected a word without white space, not <unk> or <s>
! bipe-convert: x.json: separator: a second 'accept', expected names that differ
! bipe-convert: x.json: sets: expected a list that is not empty
! bipe-convert: x.json: sets[1]: expected a list of states, up to 4096 in all sets
! bipe-convert: x.json: sets: a second 'a', expected names that differ
! bipe-convert: x.json: accept: expected a list of states
! bipe-convert: x.json: initial: expected the name of a state
! bipe-convert: x.json: initial: expected the first state of a set
! bipe-convert: x.json: accept: 's' is no state
! bipe-convert: x.json: transitions: expected an object, with a member for each state
! bipe-convert: x.json: transitions: 'a' is no state
! bipe-convert: x.json: transitions: expected objects, with a member for each symbol
! bipe-convert: x.json: transitions: 'q' is no symbol
! bipe-convert: x.json: transitions: by 'a': expected a list of states
! bipe-convert: x.json: transitions: to 'q': expected a state of the same set
! bipe-convert: x.json: transitions: to 'r': expected a start state, the first of its set, after the separator
! bipe-convert: x.json: transitions: expected the name of a state
? 1
$ ls x.bin
! ls: cannot access 'x.bin': No such file or directory
? 2
