#!/bin/bash
# files.sh - a Slurm job array for tools that write as much as they read: bipe-segment, and --records of bipe-score and bipe-stats. Each task takes
# every N-th file of a list and writes an output for each, so there is nothing to merge: the outputs, in the order of their names, are what one
# run over the list prints (tables with a first line of names have one each).
# usage: sbatch --array=0-7 files.sh FOLDER LIST bipe-segment [OPTION...]
#        sbatch --array=0-7 files.sh FOLDER LIST bipe-score --records [OPTION...] MODEL
#   LIST  the names of the files, one per line
# A file whose output is there is left alone: delete FOLDER after a change of options. One that the tool could not read whole has no output, and
# is tried again by the next run. --records leaves out broken records and notes how many: such a file is done.
#SBATCH --job-name=bipe-files
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
if [ $# -lt 3 ] || [ -z "${SLURM_ARRAY_TASK_COUNT-}" ]; then
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
fi
if [ "$SLURM_ARRAY_TASK_COUNT" -ne $((SLURM_ARRAY_TASK_MAX - SLURM_ARRAY_TASK_MIN + 1)) ]; then
    echo 'files.sh: found an array that leaves out numbers, expected one such as --array=0-7' >&2
    exit 2
fi
folder=$1 list=$2
shift 2
mapfile -t file <"$list" || exit 1
mkdir -p "$folder"
status=0
for ((i = SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN; i < ${#file[@]}; i += SLURM_ARRAY_TASK_COUNT)); do
    out=$folder/$(printf '%06d' "$i")
    [ "$out" -nt "${file[i]}" ] && continue
    # What a tool writes before it fails is not an output. Its hidden name keeps it out of $folder/*.
    new=$folder/.${out##*/}
    if "$@" -j "${SLURM_CPUS_PER_TASK:-1}" -o "$new" "${file[i]}"; then
        mv "$new" "$out"
    else
        status=1
        rm -f "$new"
    fi
done
exit "$status"
