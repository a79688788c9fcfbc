# clusters.t - the scripts of examples/ for clusters, with what Slurm would tell them; tests/clusters/run has a real one.
%needs command -v bash
$ cp "$BIPE_SRCDIR"/corpora/river.txt . && split -n l/5 --additional-suffix=.txt river.txt piece- && cat >task <<'END'
> array() { of=$1 script=$2; shift 2; for i; do
>     env SLURM_ARRAY_TASK_ID="$i" SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=$((of - 1)) SLURM_ARRAY_TASK_COUNT="$of" \
>         bash "$BIPE_SRCDIR/examples/slurm/$script" $command || echo "task $i: $?"
> done; }
> END

# Two of three shards of each tool; the merge names the third, which comes later.
$ . ./task; mkdir scored; command='scored bipe-score -q -L 128 default river.txt' array 3 shards.sh 0 2; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" scored bipe-score
! bipe-score: shard 1 of 3 is missing, expected results of all
? 1
$ . ./task; command='scored bipe-score -q -L 128 default river.txt' array 3 shards.sh 0 1 2; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" scored bipe-score
$ bipe-score -L 128 --json default river.txt | cmp - scored/all.json; ls scored
all.json
journal-0
journal-1
journal-2
part-0.json
part-1.json
part-2.json
$ . ./task; mkdir counted; command='counted bipe-stats piece-aa.txt piece-ab.txt piece-ac.txt' array 3 shards.sh 0 2; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" counted bipe-stats
! bipe-stats: shard 1 of 3 is missing, expected results of all
? 1
$ . ./task; command='counted bipe-stats piece-aa.txt piece-ab.txt piece-ac.txt' array 3 shards.sh 0 1 2; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" counted bipe-stats
! bipe-stats: counted/part-0.json: shard 0 of 3 is already done; --force counts it again
! bipe-stats: counted/part-2.json: shard 2 of 3 is already done; --force counts it again
$ bipe-stats --json piece-aa.txt piece-ab.txt piece-ac.txt | cmp - counted/all.json

# After a failure nothing old is merged.
$ . ./task; command='scored bipe-score -q -L 128 --tail default river.txt' array 3 shards.sh 1; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" scored bipe-score; ls scored | grep json
task 1: 1
part-0.json
part-2.json
! bipe-score: scored/journal-1: was written with tail no, this run has yes; name another file, or delete it to start over
! bipe-score: shard 1 of 3 is missing, expected results of all
$ . ./task; command='scored bipe-score -q -L 128 default river.txt' array 3 shards.sh 1; bash "$BIPE_SRCDIR/examples/slurm/merge.sh" scored bipe-score

# The exit status of the tool is that of the task.
$ . ./task; command='scored bipe-score -q -L 128 nowhere.bin river.txt' array 3 shards.sh 1
task 1: 1
! bipe-score: nowhere.bin: no such file or folder, and no installed model of that name (bipe-convert --list shows those)

$ "$BIPE_SRCDIR/examples/slurm/submit" three scored bipe-score default river.txt
! submit: found 'three', expected a number of shards; usage: submit N FOLDER TOOL ...
? 2

# Files for bipe-segment: only what is missing, or older than its input.
$ . ./task; ls piece-*.txt >list; command='cut list bipe-segment --format jsonl' array 2 files.sh 0; ls cut
000000
000002
000004
$ . ./task; touch -d 2001-01-01 cut/000002; echo kept >cut/000004; command='cut list bipe-segment --format jsonl' array 2 files.sh 0 1; cat cut/000004
kept
$ rm cut/000004; . ./task; command='cut list bipe-segment --format jsonl' array 1 files.sh 0; cat cut/* >all; bipe-segment --format jsonl piece-*.txt | cmp - all

# Outside arrays there are no tasks; an array with gaps would leave out files.
$ for script in 'files.sh gaps list bipe-segment' 'shards.sh gaps bipe-stats river.txt' 'train.sh'; do bash "$BIPE_SRCDIR/examples/slurm/"$script || echo $?; done
2
2
2
! usage: sbatch --array=0-7 files.sh FOLDER LIST bipe-segment [OPTION...]
! usage: sbatch --array=0-63 shards.sh FOLDER TOOL [OPTION...] [MODEL] FILE...
! usage: sbatch --nodes=4 train.sh FOLDER [OPTION...] FILE...
$ SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=2 bash "$BIPE_SRCDIR/examples/slurm/files.sh" gaps list bipe-segment; test ! -e gaps
! files.sh: found an array that leaves out numbers, expected one such as --array=0-7
$ . ./task; command='gaps absent bipe-segment' array 1 files.sh 0 2>/dev/null
task 0: 1

# A file with a broken record has no output, and fails each time until it is mended.
$ printf '%s\n' '{"text":"One."}' broken >half.jsonl; cp piece-aa.txt half.txt; printf '%s\n' half.jsonl half.txt >list; . ./task; command='half list bipe-segment' array 1 files.sh 0; ls -A half
task 0: 1
000001
! bipe-segment: half.jsonl: record at line 2, byte 1: found 'b', expected an object
$ . ./task; command='half list bipe-segment' array 1 files.sh 0
task 0: 1
! bipe-segment: half.jsonl: record at line 2, byte 1: found 'b', expected an object
$ echo '{"text":"One."}' >half.jsonl; . ./task; command='half list bipe-segment' array 1 files.sh 0; cat half/000000
One.

# Records, file by file.
$ for i in 1 2 3 4 5 6; do echo "{\"id\":$i,\"text\":\"The river ran past mill $i. It was wide.\"}"; done >records.jsonl; echo broken >>records.jsonl; split -n l/3 --additional-suffix=.jsonl records.jsonl r-; ls r-* >list
$ . ./task; command='marked list bipe-score -q --records default' array 2 files.sh 0 1; bipe-score -q --records default records.jsonl >marked.jsonl; cat marked/* | cmp - marked.jsonl

# A mapper gets splits of its input, of which one may be empty.
$ for i in r-*.jsonl /dev/null; do "$BIPE_SRCDIR/examples/streaming/mapper.sh" --keep 'tokens>0' <"$i"; done | grep -v broken | cmp - marked.jsonl
$ "$BIPE_SRCDIR/examples/streaming/mapper.sh" <records.jsonl | cut -c 1-24
broken

# GNU parallel: a shard that failed is done again, the others are not.
%needs parallel --version
$ "$BIPE_SRCDIR/examples/parallel/shards" 3 by-parallel bipe-score -q -L 128 default river.txt && cmp scored/all.json by-parallel/all.json
$ "$BIPE_SRCDIR/examples/parallel/shards" 3 by-parallel bipe-score -q -L 256 default river.txt
! shards: by-parallel is of another run: 3 bipe-score -q -L 128 default river.txt
? 1
$ rm by-parallel/part-1.json; "$BIPE_SRCDIR/examples/parallel/shards" 3 by-parallel bipe-score -q -L 128 default river.txt && cmp scored/all.json by-parallel/all.json; sed -n 's/\t.*//; 4,$p' by-parallel/joblog
2
$ "$BIPE_SRCDIR/examples/parallel/shards" three by-parallel bipe-score default river.txt
! shards: found 'three', expected a number of shards; usage: shards N FOLDER TOOL ...
? 2
$ "$BIPE_SRCDIR/examples/parallel/shards" 3 by-parallel nowhere/bipe-score default river.txt
! shards: 'nowhere/bipe-score' is not an installed program
? 2
$ "$BIPE_SRCDIR/examples/parallel/shards" 3 by-parallel bipe-segment -s line river.txt
! shards: found 'bipe-segment', expected bipe-score, bipe-stats or bipe-eval: others have no shards
? 2
$ "$BIPE_SRCDIR/examples/parallel/shards" 2 spaces bipe-stats 'no such.txt' river.txt; cp river.txt 'no such.txt'
! bipe-stats: no such.txt: could not be opened: No such file or directory
! bipe-stats: shard 0 of 2 is missing, expected results of all
$ "$BIPE_SRCDIR/examples/parallel/shards" 2 spaces bipe-stats 'no such.txt' river.txt; cut -f 1,7 spaces/joblog; bipe-stats --json 'no such.txt' river.txt | cmp - spaces/all.json
Seq	Exitval
2	0
1	0

# A filter: blocks of records, in order.
$ PARALLEL='--block 100' "$BIPE_SRCDIR/examples/parallel/filter" bipe-score --records default <records.jsonl | cmp - marked.jsonl
! bipe-score: 1 of 7 records could not be scored and was dropped (--broken pass writes it); the first: standard input: record at line 7, byte 1: found 'b', expected an object
$ (cat records.jsonl; printf '{"text":"a b"}') | PARALLEL='--block 60' "$BIPE_SRCDIR/examples/parallel/filter" bipe-stats --records --keep 'tokens > 2' 2>&1 | grep -o '"id":[0-9]*'
"id":1
"id":2
"id":3
"id":4
"id":5
"id":6
$ "$BIPE_SRCDIR/examples/parallel/filter"
! usage: zstdcat shard.jsonl.zst | filter bipe-score --records default --keep 'ppl<300' | zstd >kept.jsonl.zst
? 2
