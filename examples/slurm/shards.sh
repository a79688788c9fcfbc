#!/bin/bash
# shards.sh - a task of a Slurm job array: one shard of a run of bipe-score, bipe-stats or bipe-eval. See submit.
# usage: sbatch --array=0-63 shards.sh FOLDER TOOL [OPTION...] [MODEL] FILE...
# A preempted task is started again by Slurm, one that runs out of time by itself; both go on where the journal ends.
#SBATCH --job-name=bipe
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
set -u
if [ $# -lt 3 ] || [ -z "${SLURM_ARRAY_TASK_ID-}" ]; then
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
fi
folder=$1
shift
task=$SLURM_ARRAY_TASK_ID
part=$folder/part-$task.json
if [ "${1##*/}" = bipe-stats ]; then
    keep=() # it counts a shard from its beginning, and skips one that is done
else
    keep=(--resume "$folder/journal-$task")
    rm -f "$part" # the journal has all of it; where that is refused, nothing old is merged
fi

# Two minutes before the time is up this shell gets SIGUSR1. When a task is preempted or cancelled, all its processes get SIGTERM: the tool
# finishes its batch, and the shell waits for that.
late=no
trap 'late=yes signal=yes; kill -TERM "$tool"' USR1
trap 'signal=yes' TERM
"$@" -j "${SLURM_CPUS_PER_TASK:-1}" --json --shard auto "${keep[@]}" -o "$part" &
tool=$!
signal=yes
while [ "$signal" = yes ]; do # a signal ends the wait, not the tool
    signal=no status=0
    wait "$tool" || status=$?
done
# SLURM_JOB_ID alone may be the number of the whole array.
if [ "$late" = yes ] && [ "$status" -gt 128 ] && [ ${#keep[@]} -gt 0 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task"
fi
exit "$status"
