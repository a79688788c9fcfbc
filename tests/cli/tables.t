# Tables in other programs: R, pandas and DuckDB read what is there, whatever ids, groups and texts look like.
$ cp "$BIPE_SRCDIR"/examples/tables/groups.* .
$ cat >records.jsonl <<'END'
> {"id":"007","kind":"NA","text":"It rained. Nobody came."}
> {"id":"1e5","kind":"null","text":"The road was dark."}
> {"id":"NA","kind":"true","text":"\"No, no\", said Caf\u00e9's \"o\u2019wner\"."}
> {"kind":"say \"hi\", then","text":"x"}
> {"id":"2024-01-01","text":"One.\tTwo, three\nand \\four.\""}
> {"id":"8","kind":"null","text":"It rained again, \" and nobody minded."}
> {"kind":"","text":"Why?"}
> END
$ bipe-score -q --protocol lm-eval -L 64 --group kind --id id --token-text --tokens tokens.csv --documents documents.csv --json -o score.json default records.jsonl 2>notes
$ bipe-score -q --protocol lm-eval -L 64 --group kind --id id --token-text --tokens tokens.tsv --documents documents.tsv default records.jsonl >table 2>notes

# Both forms hold the same: fields of CSV are quoted where they must be.
$ cat >same.py <<'END'
> import csv
> for name in ('tokens', 'documents'):
>     with open(name + '.tsv', newline='') as tsv, open(name + '.csv', newline='') as comma:
>         a, b = list(csv.reader(tsv, delimiter='\t', quoting=csv.QUOTE_NONE)), list(csv.reader(comma, strict=True))
>     print(name, len(a), len(b), a == b)
> END
%when python3 --version
$ python3 same.py
tokens 67 67 True
documents 8 8 True
$ cut -d, -f 1-7 documents.csv; tail -n 2 tokens.csv | cut -d, -f 9,13-
file,document,id,group,length,tokens,bytes
records.jsonl,0,007,NA,64,9,23
records.jsonl,1,1e5,null,64,7,18
records.jsonl,2,NA,true,64,19,34
records.jsonl,3,,"say ""hi"", then",64,2
records.jsonl,4,2024-01-01,(none),64,15,27
records.jsonl,5,8,null,64,12,37
records.jsonl,6,,,64,2,4
2618,Why
4049,?

# The scripts of the manual.
%when Rscript --version
$ Rscript groups.R
           group tokens bits_per_byte
1         (none)     15          5.79
2             NA      9          3.24
3           null     19          2.84
4 say "hi", then      2         11.44
5           true     19          4.40
6           <NA>      2          4.73
%when python3 -c 'import pandas'
$ python3 groups.py
            group  tokens  bits_per_byte
0          (none)      15           5.79
1              NA       9           3.24
2            null      19           2.84
3  say "hi", then       2          11.44
4            true      19           4.40
5             NaN       2           4.73
$ cat >duckdb.js <<'END'
> // SQL from standard input; the rows of what it selects.
> const { DuckDBInstance } = require('@duckdb/node-api');
> (async () => {
>     const connection = await (await DuckDBInstance.create()).connect();
>     const statements = await connection.extractStatements(require('fs').readFileSync(0, 'utf8'));
>     for (let i = 0; i < statements.count; i++) {
>         const result = await (await statements.prepare(i)).runAndReadAll();
>         if (result.columnNames()[0] != 'Count')
>             for (const row of result.getRowsJson()) console.log(row.join(' | '));
>     }
> })();
> END
%when node -e 'require("@duckdb/node-api")'
$ node duckdb.js <groups.sql
(none) | 15 | 5.79
NA | 9 | 3.24
null | 19 | 2.84
say "hi", then | 2 | 11.44
true | 19 | 4.4
 | 2 | 4.73
%when node -e 'require("@duckdb/node-api")'
$ echo "select typeof(id), typeof(\"group\"), typeof(document), typeof(nll), count(id) from 'documents.parquet' group by all" | node duckdb.js
VARCHAR | VARCHAR | BIGINT | DOUBLE | 5

# Ids, and the rows of tokens; then those of files with tabs, in which quotation marks are part of texts.
%when Rscript --version
$ Rscript -e 'd <- read.csv("documents.csv", na.strings = "", colClasses = c(id = "character", group = "character"))' -e 'writeLines(c(d$id, is.na(d$id), paste(sapply(d, class), collapse = " ")))' -e 't <- read.csv("tokens.csv", na.strings = ""); u <- read.delim("tokens.tsv", na.strings = "", quote = ""); nrow(t); identical(t, u)'
007
1e5
NA
NA
2024-01-01
8
NA
FALSE
FALSE
FALSE
TRUE
FALSE
FALSE
TRUE
character integer character character integer integer integer numeric numeric numeric numeric
[1] 66
[1] TRUE
%when python3 -c 'import pandas'
$ python3 -c 'import pandas as p; o = dict(keep_default_na=False, na_values=[""]); d = p.read_csv("documents.csv", dtype={"id": str, "group": str}, **o); print(list(d.id), d.dtypes.map(str).tolist()); t = p.read_csv("tokens.csv", **o); print(len(t), t.equals(p.read_csv("tokens.tsv", sep="\t", quoting=3, **o)))'
['007', '1e5', 'NA', nan, '2024-01-01', '8', nan] ['object', 'int64', 'object', 'object', 'int64', 'int64', 'int64', 'float64', 'float64', 'float64', 'float64']
66 True
%when node -e 'require("@duckdb/node-api")'
$ echo "select count(*) from 'tokens.csv'; select count(*) from read_csv('tokens.tsv', quote = ''); select count(*) from (from 'tokens.csv' intersect from read_csv('tokens.tsv', quote = ''))" | node duckdb.js
66
66
66

# Results as JSON.
%when Rscript -e 'library(jsonlite)'
$ Rscript -e 'r <- jsonlite::fromJSON("score.json")$results; writeLines(c(class(r), class(r$tokens), class(r$ppl))); r$tokens'
data.frame
integer
numeric
[1] 66
%when python3 -c 'import pandas'
$ python3 -c 'import json, pandas; r = pandas.json_normalize(json.load(open("score.json"))["results"]); print(r.tokens.tolist(), r.ppl.dtype)'
[66] float64
%when node -e 'require("@duckdb/node-api")'
$ echo "select tokens, typeof(ppl) from (select unnest(results, recursive := true) from 'score.json')" | node duckdb.js
66 | DOUBLE
