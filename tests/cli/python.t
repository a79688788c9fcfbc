# examples/python/bipe.py: the library from Python.
%needs python3 -c 'import ctypes, os; ctypes.CDLL(os.environ["BIPE_BUILDDIR"] + "/.libs/libbipe.so.1")'
$ printf '#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 BIPE_LIBRARY="$BIPE_BUILDDIR/.libs/libbipe.so.1" PYTHONPATH="$BIPE_SRCDIR/examples/python" exec python3 "$@"\n' >python && chmod +x python
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && ./python "$BIPE_SRCDIR/examples/python/bipe.py" river.txt
34 texts, 110 sentences, 1856 tokens
the first sentence: The Walk to Marl
1856 tokens scored, 4.070 nats a token, 1.783 bits per byte (standard error 0.027)
prose-bipe-rope - default: +0.1293 nats a token, standard error 0.0291, p 0.001
sentence:en - stop: +0.0107 nats a token, standard error 0.0072, p 0.136

# Its numbers are those of the tools, on the same texts: losses of two segmenters with their difference, of each text, and of records in a file;
# segments and tokens.
$ cat >compare.py <<'END'
> import csv, json, math, subprocess
> import bipe
>
> def run(*command):
>     return subprocess.run(command, check=True, capture_output=True, text=True).stdout
>
> def same(got, want):
>     assert all(math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-9) for a, b in zip(got, want, strict=True)), (got, want)
>
> texts = [text for text in open('river.txt').read().split('\n\n') if text] + ['', 'Caf\u00e9: \u201cno\u201d.', 'x']
> with open('texts.jsonl', 'w') as file:
>     file.writelines(json.dumps({'body': text}) + '\n' for text in texts)
> options = ['-s', 'stop', '-s', 'sentence:en', '--protocol', 'lm-eval', '-L', '64', '--field', 'body']
> result = json.loads(run('bipe-score', 'prose-bipe-rope', *options, '--json', '--documents', 'rows.tsv', 'texts.jsonl'))
>
> scorer = bipe.Scorer('prose-bipe-rope', length=64, threads=2)
> a, b = (scorer.texts(texts, spec) for spec in ('stop', 'sentence:en'))
> for losses, row in zip((a, b, scorer.file('texts.jsonl', 'body', 'stop')), result['results'] + result['results'][:1]):
>     mean = losses.mean()
>     same([losses.count, mean.value, mean.error, mean.low, mean.high, losses.mean(bytes=True).value],
>          [row['tokens'], row['nll'], row['stderr'], *row['interval'], row['bits_per_byte']])
> difference, row = b.mean(other=a), result['comparisons'][0]
> same([difference.value, difference.low, difference.high, difference.p], [row['nll_difference'], *row['interval'], row['p']])
>
> rows = [row for row in csv.DictReader(open('rows.tsv'), delimiter='\t') if row['segmenter'] == 'stop']
> for row in rows:
>     i = int(row['document'])
>     same([a.tokens[i], a.bytes[i], a.nll[i]], [float(row[name]) for name in ('tokens', 'bytes', 'nll_sum')])
> assert len(rows) == sum(tokens > 0 for tokens in a.tokens) and list(a.size) == [len(text.encode()) for text in texts]
>
> # Kept as arrays, and put together from two halves.
> half = len(texts) // 2
> parts = [scorer.texts(texts[:half], 'stop'), scorer.texts(texts[half:], 'stop')]
> document, start, end, nll = ([*x, *y] for x, y in zip(*(part.read() for part in parts)))
> document[parts[0].count:] = [number + half for number in document[parts[0].count:]]
> whole = bipe.Losses.make([*parts[0].size, *parts[1].size], document, start, end, nll)
> assert bytes(whole.mean()) == bytes(a.mean()) and whole.mean(other=a).value == 0
>
> segments = [segment for text in texts for segment in bipe.Segmenter('sentence:en').segments(text)]
> assert segments == [row['text'] for row in map(json.loads, run('bipe-segment', '-s', 'sentence:en', '--field', 'body', '--format', 'jsonl', 'texts.jsonl').splitlines())]
> tokenizer = bipe.Tokenizer('prose-bipe-rope')
> tokens = [[i, token.start, token.end, token.id] for i, text in enumerate(texts) for token in tokenizer.tokens(text)]
> rows = csv.DictReader(run('bipe-segment', '-t', 'prose-bipe-rope', '--format', 'tokens', '--field', 'body', 'texts.jsonl').splitlines(), delimiter='\t')
> assert tokens == [[int(row[name]) for name in ('document', 'start', 'end', 'id')] for row in rows]
> print(len(segments), 'segments', len(tokens), 'tokens', sum(map(tokenizer.count, texts)))
> END
$ ./python compare.py
112 segments 1868 tokens 1868

# Errors are the library's.
$ ./python -c 'import bipe; bipe.Scorer("no/such")' 2>&1 | tail -n 1
RuntimeError: no/such: no such file or folder, and no installed model of that name (bipe-convert --list shows those)
$ ./python -c 'import bipe; bipe.Segmenter("fixed:3").segments("a b")' 2>&1 | tail -n 1
RuntimeError: segmenter 'fixed:3': was given bytes, expected tokens
$ ./python -c 'import bipe; bipe.Losses.make([3], [0], [1], [4], [0.5])' 2>&1 | tail -n 1
RuntimeError: token 0 has the bytes 1 to 4 of a document of 3
