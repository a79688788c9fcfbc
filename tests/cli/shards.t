# bipe-stats --shard: shares of the work, what the environment says of them, reruns; with GNU parallel where that is installed.
$ for i in 0 1 2 3 4 5 6 7 8 9; do "$PERL" -e 'print "word " x ($_ % 23), $_ % 5 ? "end. " : "end.\n" for 1 .. 100 * shift' "$i" >"$i.txt"; done
$ for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "{\"text\":\"Record $i. It ends.\"}"; done >r.jsonl
$ bipe-stats --json *.txt >whole.json

# Shards are counted from 0.
$ bipe-stats --json -o 0.json --shard 0/2 *.txt && bipe-stats --json -o 1.json --shard 1/2 *.txt && sed -n '5,6p;9,18p' 1.json
  "files": 5,
  "documents": 5,
  "shards": [
    {
...
$ bipe-stats --merge --json 1.json 0.json | cmp - whole.json

# A rerun leaves alone what is done: not when files or options have changed, or something could not be read.
$ bipe-stats --json -o 1.json --shard 1/2 *.txt
! bipe-stats: 1.json: shard 1 of 2 is already done; --force counts it again
$ bipe-stats -q --json -o 1.json --shard 1/2 *.txt
$ cp 1.json before; touch -d '2001-01-01' 0.txt; bipe-stats --json -o 1.json --shard 1/2 *.txt; echo more >>1.txt
! bipe-stats: 1.json: shard 1 of 2 is already done; --force counts it again
$ bipe-stats --json -o 1.json --shard 1/2 *.txt; cmp -s before 1.json || echo counted again
counted again
$ cp 1.json before; bipe-stats --json -o 1.json --shard 1/2 --force *.txt; cmp before 1.json
$ bipe-stats --json -o 1.json -s line --shard 1/2 *.txt; cmp -s before 1.json || echo counted again
counted again
$ head -c 3000 before >1.json; bipe-stats --json -o 1.json --shard 1/2 *.txt; cmp before 1.json
$ bipe-stats --json -o 0.json --shard 0/2 no.txt 1.txt
! bipe-stats: no.txt: could not be opened: No such file or directory
? 1
$ bipe-stats --json -o 0.json --shard 0/2 no.txt 1.txt
! bipe-stats: no.txt: could not be opened: No such file or directory
? 1
$ bipe-stats --json --shard 0/2 --force *.txt | bipe-stats --merge --csv 1.json - | head -n 1 | cut -d, -f1-3
segmenter,length,windows

# With fewer files than shards, documents are shared out, and each broken one is reported once.
$ echo '{"no":1}' >>r.jsonl; bipe-stats --json r.jsonl no.txt 2>/dev/null >whole.json
? 1
$ for i in 0 1 2 3 4; do bipe-stats --json -o "$i.json" --shard "$i/5" r.jsonl no.txt; done
! bipe-stats: no.txt: could not be opened: No such file or directory
! bipe-stats: r.jsonl: record at line 13, byte 8: found the member "no", expected "text" (--field names another)
$ bipe-stats --merge --json 4.json 2.json 0.json 1.json 3.json | cmp - whole.json
! bipe-stats: 2.json: 1 file or document could not be read when this was counted
! bipe-stats: 1.json: 1 file or document could not be read when this was counted
$ bipe-stats --json --shard 3/5 r.jsonl | grep -A 1 -e documents -e read
  "documents": 2,
  "bytes": 36,
--
      "read": [[2, 0]],
      "errors": 0,
$ cp r.jsonl before; echo '{"text":"More."}' >>r.jsonl; bipe-stats --json -o other.json --shard 4/5 r.jsonl no.txt 2>/dev/null; mv before r.jsonl
$ bipe-stats --merge --json 2.json 0.json 1.json 3.json other.json >merged.json
! bipe-stats: 2.json: 1 file or document could not be read when this was counted
! bipe-stats: 1.json: 1 file or document could not be read when this was counted
! bipe-stats: other.json: r.jsonl was not the same file as for the shards before
! bipe-stats: shard 4 of 5 is missing, expected results of all
? 1

# What is missing, what is there twice, what does not belong together.
$ bipe-stats --merge --csv 4.json 0.json 1.json | wc -l
2
! bipe-stats: 1.json: 1 file or document could not be read when this was counted
! bipe-stats: shards 2-3 of 5 are missing, expected results of all
$ bipe-stats --merge --csv 4.json 0.json 1.json 4.json
! bipe-stats: 1.json: 1 file or document could not be read when this was counted
! bipe-stats: 4.json: holds shard 4 of 5, which a file before it holds too
? 1
$ bipe-stats --json -o 6.json --shard 2/6 r.jsonl no.txt; bipe-stats --merge 4.json 6.json
! bipe-stats: 6.json: holds shards of 6, expected shards of 5 as in a file before it: these overlap
? 1

# The environment, when it is asked.
$ which() { grep -e '"count"' -e '"index"' | tr -d ' \n'; echo; }
> for i in 5 7 9; do env SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=0 SLURM_NTASKS=1 bipe-stats --json --shard auto *.txt | which; done
"count":3,"index":[0],
"count":3,"index":[1],
"count":3,"index":[2],
$ which() { grep -e '"count"' -e '"index"' | tr -d ' \n'; echo; }
> OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 RANK=0 WORLD_SIZE=9 bipe-stats --json --shard auto *.txt | which
> PMI_RANK=0 PMI_SIZE=4 bipe-stats --json --shard auto *.txt | which
> SLURM_PROCID=7 SLURM_STEP_NUM_TASKS=8 bipe-stats --json --shard auto *.txt | which
> RANK=1 WORLD_SIZE=2 bipe-stats --json --shard auto *.txt | which
> SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=5 SGE_TASK_STEPSIZE=2 bipe-stats --json --shard auto *.txt | which
> LSB_JOBINDEX=4 LSB_JOBINDEX_END=5 bipe-stats --json --shard auto *.txt | which
> AWS_BATCH_JOB_ARRAY_INDEX=4 AWS_BATCH_JOB_ARRAY_SIZE=5 bipe-stats --json --shard auto *.txt | which
"count":4,"index":[2],
"count":4,"index":[0],
"count":8,"index":[7],
"count":2,"index":[1],
"count":3,"index":[1],
"count":5,"index":[3],
"count":5,"index":[4],

# Processes in each task of an array have a shard each. RANK and WORLD_SIZE there are of somebody else.
$ which() { grep -e '"count"' -e '"index"' | tr -d ' \n'; echo; }; slurm() { SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=3 "$@"; }
> slurm env SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 bipe-stats --json --shard auto *.txt | which
> slurm env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 bipe-stats --json --shard auto *.txt | which
> slurm env SLURM_PROCID=0 SLURM_NTASKS=4 RANK=3 WORLD_SIZE=4 bipe-stats --json --shard auto *.txt | which
"count":6,"index":[3],
"count":12,"index":[4],
"count":3,"index":[1],

# The number of shards may be given. The array may be a part of them.
$ which() { grep -e '"count"' -e '"index"' | tr -d ' \n'; echo; }
> SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=2 bipe-stats --json --shard auto/10 *.txt | which
> SGE_TASK_ID=10 bipe-stats --json --shard auto/10 *.txt | which
> SGE_TASK_ID=undefined LSB_JOBINDEX=0 PBS_ARRAY_INDEX=0 bipe-stats --json --shard auto/10 *.txt | which
> PBS_ARRAYID=9 bipe-stats --json --shard auto/10 *.txt | which
> JOB_COMPLETION_INDEX=9 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 bipe-stats --json --shard auto/10 *.txt | which
"count":10,"index":[7],
"count":10,"index":[9],
"count":10,"index":[0],
"count":10,"index":[9],
"count":10,"index":[9],
$ JOB_COMPLETION_INDEX=9 bipe-stats --shard auto 1.txt
! bipe-stats: option '--shard': JOB_COMPLETION_INDEX does not say how many shards there are, expected auto/N or I/N
? 2
$ PBS_ARRAY_INDEX=10 bipe-stats --shard auto/10 1.txt
! bipe-stats: option '--shard': PBS_ARRAY_INDEX is shard 10 of 10, expected I/N with 0 <= I < N <= 1000000: shards are counted from 0
? 2
$ RANK=1 WORLD_SIZE=2 bipe-stats --shard auto/2 1.txt; for n in 0 1000001 x ''; do bipe-stats --shard auto/$n 1.txt; done
! bipe-stats: option '--shard': the environment names no task of a job array, expected I/N
! bipe-stats: option '--shard': found 'auto/0', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found 'auto/1000001', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found 'auto/x', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found 'auto/', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
? 2
$ PBS_ARRAY_INDEX=1 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 bipe-stats --shard auto/10 1.txt
! bipe-stats: option '--shard': OMPI_COMM_WORLD_RANK: 4 tasks would do the same shard, expected auto or I/N
? 2

# Nothing is said, or not enough. A job that asks for tasks and has not started them is one process.
$ RANK=1 WORLD_SIZE=2 bipe-stats --csv 1.txt | grep -c shard
0
? 1
$ SLURM_PROCID=0 SLURM_NTASKS=2 bipe-stats --shard auto 1.txt
! bipe-stats: option '--shard': the environment names no task (of a job array, of MPI or srun, or RANK and WORLD_SIZE), expected I/N
? 2
$ RANK=2 WORLD_SIZE=2 bipe-stats --shard auto 1.txt
! bipe-stats: option '--shard': RANK is shard 2 of 2, expected I/N with 0 <= I < N <= 1000000: shards are counted from 0
? 2
$ SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 bipe-stats --shard auto 1.txt
! bipe-stats: option '--shard': SLURM_ARRAY_TASK_ID is 7, one of 3 from 1 to 7, so tasks are left out; expected auto/N, with the number of all shards, or I/N
? 2
$ SLURM_ARRAY_TASK_ID=7 bipe-stats --shard auto 1.txt
! bipe-stats: option '--shard': SLURM_ARRAY_TASK_ID does not say how many shards there are, expected auto/N or I/N
? 2

# Wrong usage.
$ for s in 2/2 1 1/ /2 -1/2 1/2x '1 / 2' 0/0 99999999999999999999/2 0/1000001 ''; do bipe-stats --shard "$s" 1.txt; done
! bipe-stats: option '--shard': found '2/2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '1', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '1/', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '/2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '-1/2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '1/2x', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '1 / 2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '0/0', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '99999999999999999999/2', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '0/1000001', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
! bipe-stats: option '--shard': found '', expected I/N with 0 <= I < N <= 1000000 (shards are counted from 0), auto or auto/N
? 2
$ bipe-stats --merge --shard 0/2 0.json; bipe-stats --force 1.txt
! bipe-stats: options '--merge' and '--shard' cannot be combined: results are read, not texts
! bipe-stats: option '--force' needs '--shard'
? 2
$ sed 's/"unit": "document"/"unit": "page"/' 0.json | bipe-stats --merge; sed 's/"count": 5/"count": 0/' 0.json | bipe-stats --merge
> sed 's/"index": .0./"index": [5]/' 0.json | bipe-stats --merge; sed 's/"index": .0./"index": [1, 1]/' 0.json | bipe-stats --merge
> sed 's/"settings": "./"settings": "G/' 0.json | bipe-stats --merge; sed 's/"read": .*/"read": [[1]],/' 0.json | bipe-stats --merge
> sed 's/"errors": ./"errors": -1/' 0.json | bipe-stats --merge; sed 's/"files": [0-9]/"files": 0/' 0.json | bipe-stats --merge
! bipe-stats: standard input: shards[0].unit: expected "file" or "document"
! bipe-stats: standard input: shards[0].count: expected a number of shards from 1 to 1000000
! bipe-stats: standard input: shards[0].index: expected rising numbers below count
! bipe-stats: standard input: shards[0].index: expected rising numbers below count
! bipe-stats: standard input: shards[0].settings: expected 16 hexadecimal digits
! bipe-stats: standard input: shards[0].read: expected pairs of the documents that were read and that could not be
! bipe-stats: standard input: shards[0].errors: expected a number up to 2^40
! bipe-stats: standard input: files: expected at least the files of which shards have read documents
? 1

# Sixteen shards by GNU parallel; then once more, when all are done.
%needs parallel --version
$ rm -f *.json; bipe-stats --json *.txt >whole
$ parallel --will-cite -j 4 bipe-stats --json -o 'part-{}.json' --shard '{}/16' *.txt ::: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
$ bipe-stats --merge --json part-*.json | cmp - whole
$ parallel --will-cite -j 4 bipe-stats --json -o 'part-{}.json' --shard '{}/16' *.txt ::: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 2>&1 | grep -c 'is already done'
16
