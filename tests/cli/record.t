# The record of a run: the member "run" of what --json prints, and --record. Its command repeats the run to the byte.
$ printf 'One is here. Two are there.\nThree.\n' >"it's 1.txt"; printf 'The house stood on a hill. Nobody had lived in it for years.\n' >two.txt; gzip -c two.txt >3.gz; mkdir d; cp two.txt d/a.txt
$ cat >again <<'END'
> use JSON::PP; use Digest::SHA; my $made = shift; open my $f, '<', $made or die; my $text = join '', <$f>; my $run = decode_json($text)->{run};
> my $now = `$run->{command}`; print $now eq $text ? "same: $run->{command}\n" : "differs: $run->{command}\n";
> for my $m (map { $_->{files} ? map({ my $n = $_; +{%$n, path => "$m->{path}/$n->{path}"} } @{$_->{files}}) : $_ } @{$run->{files}}, @{$run->{models}}) {
>     my $sum = $m->{path} eq '-' ? '' : Digest::SHA->new(256)->addfile($m->{path}, 'b')->hexdigest;
>     print "$m->{path}: wrong\n" if $sum ne '' && ($sum ne $m->{sha256} || -s $m->{path} != $m->{size});
> }
> END
$ bipe-stats --json -L none -s stop -s 'regex:a b|\d' "it's 1.txt" two.txt -o s.json; "$PERL" again s.json
same: bipe-stats --segmenter=stop --segmenter='regex:a b|\d' --length=none --json 'it'\''s 1.txt' two.txt
$ bipe-stats -q -r d -L 2,1k --json -j 2 --progress 2>/dev/null >s.json; "$PERL" again s.json
same: bipe-stats --length=2,1k --json --recursive d
%when test "${BIPE_GZIP-yes}" = yes
$ bipe-score --json -L 8 --tail --seed 3 -o s.json default --against prose-rope 3.gz; "$PERL" again s.json
same: bipe-score --length=8 --tail --against=prose-rope --seed=3 --json default 3.gz
$ bipe-score --json --probe passkey --trials 1 -L 128 -o s.json default; "$PERL" again s.json
same: bipe-score --length=128 --json --probe=passkey --trials=1 default
$ cp "$BIPE_SRCDIR"/corpora/river.txt .; bipe-score -q --limit --json -L 1k -o s.json prose-rope river.txt; "$PERL" again s.json
same: bipe-score --length=1k --json --limit prose-rope river.txt
$ printf '{"name":"t","version":"1","kind":"choices","prompt":"{q}","choices":["yes","no"],"gold":"{g}","separator":" ","metrics":["acc"]}' >t.json; printf '{"q":"Is it?","g":"0"}\n{"q":"Was it?","g":"1"}\n' >q.jsonl
$ bipe-eval --task t.json --shots 1 --shots-from q.jsonl --limit 1 --json -o s.json default q.jsonl; "$PERL" again s.json
same: bipe-eval --task=t.json --shots=1 --shots-from=q.jsonl --limit=1 --json default q.jsonl

# Standard input is summed up as it is read; a named pipe cannot be read again; without --json a record is a file of its own, which has the same form in all tools.
$ bipe-segment --record r.json -s line --count - <two.txt; sed -n '/"command"\|"operands"\|"segmenter"\|"path"\|"size"\|"kernels"/p' r.json; grep -c "$(sha256sum <two.txt | cut -c 1-64)" r.json
1
  "command": "bipe-segment --segmenter=line --count -",
  "operands": ["-"],
    "segmenter": "line",
      "path": "-",
      "size": 61,
  "kernels": null
1
$ mkfifo pipe; cat two.txt >pipe & bipe-stats --json -L none pipe | sed -n '/"files": \[/,/\]/p'
    "files": [
      {
        "path": "pipe",
        "size": null,
        "sha256": null
      }
    ],
$ bipe-generate -q --record r.json --prompt 'The house' -n 1 default >/dev/null; sed -n '/"command"/p; /"files"/,/"models"/p' r.json; "$PERL" -MJSON::PP -e 'local $/; print join(" ", sort keys %{decode_json(<>)}), "\n"' r.json
  "command": "bipe-generate --prompt='The house' --max-tokens=1 default",
  "files": [],
  "models": [
command files kernels models operands options program seed version
$ bipe-stats --record no/such.json two.txt >/dev/null
! bipe-stats: no/such.json: could not be created: No such file or directory
? 1

# Results of different texts become one command; where options differ, one line for each; a result without a record takes it from all.
$ for f in two river; do bipe-stats --json -L 64 $f.txt >$f.json; done; bipe-stats --json -L 64 river.txt two.txt >both.json; bipe-stats --merge --json two.json river.json | cmp - both.json
$ bipe-stats --json -L 64,128 "it's 1.txt" >other.json; bipe-stats --merge --json two.json other.json river.json | sed -n '/"command"/p'
    "command": "bipe-stats --length=64 --json two.txt\nbipe-stats --length=64,128 --json 'it'\\''s 1.txt'\nbipe-stats --length=64 --json river.txt",
$ "$PERL" -MJSON::PP -0777 -ne '$j = decode_json($_); delete $j->{run}; print encode_json($j)' two.json >old.json; bipe-stats --merge --json old.json river.json | grep -c '"run"'
0
? 1
$ bipe-convert --record r.json -o m.bin default; sed -n '/"command"/p' r.json; bipe-plot -q --record r.json both.json >/dev/null; sed -n '/"command"/p; /"path"/p' r.json
  "command": "bipe-convert --output=m.bin default",
  "command": "bipe-plot both.json",
      "path": "both.json",

# A record takes the place of nothing that is read or written otherwise, and its file is opened before the work.
$ cp two.txt v.txt; bipe-segment --record v.txt v.txt; bipe-segment --record - two.txt; bipe-stats --record x.json --json -o ./x.json two.txt; bipe-stats -q -r d --record d/a.txt -L none >out; cmp d/a.txt two.txt; bipe-convert --record m.bin m.bin >out; cmp v.txt two.txt
! bipe-segment: option '--record': v.txt is also read or written, expected another file
! bipe-segment: option '--record': found '-', expected a file: standard output is for results
! bipe-stats: option '--record': ./x.json is also read or written, expected another file
! bipe-stats: option '--record': d/a.txt is also read, expected another file
! bipe-convert: option '--record': m.bin is also read or written, expected another file
$ ln -s /proc/self/fd/1 out.link; bipe-segment --count --record out.link two.txt | grep -c '"program"'; test -L out.link
1
! bipe-segment: 1 of 3 segments is only white space (--squeeze leaves such segments out)

# What a tool chose for an option that was not given; names with any characters.
$ bipe-stats --lexical --json two.txt | sed -n '/"options"/,/"length"/p'; bipe-segment --format words --record r.json two.txt >out; grep '"tokenizer"' r.json
    "options": {
      "segmenter": ["sentence"],
      "tokenizer": "words",
      "special": false,
      "length": "none",
    "tokenizer": "words",
$ bipe-score -q -L 8 --tail --json default two.txt | sed -n '/"options"/,/"id"/{/"segmenter"\|"scheme"\|"length"\|"rope-scaling"/p}'; bipe-generate -q --record r.json --prompt a -n 1 --temperature 1 default >out; grep '"temperature"\|"top-k"\|"top-p"\|"segmenter"' r.json
      "length": [8],
      "segmenter": "stop",
      "scheme": "rope@token+alibi@token",
      "rope-scaling": "none",
    "temperature": 1,
    "top-k": 0,
    "top-p": 1,
    "segmenter": "stop",
$ new=$(printf 'new\nline'); cp two.txt "$new"; bipe-stats -L none --json "$new" | sed -n '/"command"\|"path"/p'
    "command": "bipe-stats --length=none --json $'new\\012line'",
        "path": "new\nline",
$ bipe-convert --json m.bin | sed -n '/"command"/p; /"sha256"/s/: .*/: .../p'
    "command": "bipe-convert --json m.bin",
        "sha256": ...

# A log of bipe-train begins with its command, which makes the same model again elsewhere.
$ bipe-train -q -t byte --layers 1 --hidden 16 -L 32 --steps 2 --log l.jsonl -o t.bin river.txt; mkdir fresh; cp river.txt fresh; cd fresh; command=$(head -n 1 ../l.jsonl | "$PERL" -MJSON::PP -ne 'print decode_json($_)->{run}{command}'); echo "$command"; sh -c "$command" >out 2>&1; cmp t.bin ../t.bin
bipe-train --output=t.bin --tokenizer=byte --length=32 --layers=1 --hidden=16 --steps=2 --log=l.jsonl river.txt
