#!/bin/bash
# files.sh - a Slurm job array for tools that write as much as they read: bipe-segment, and --records of bipe-score and bipe-stats. Each task takes
# every N-th file of a list and writes an output for each, so there is nothing to merge: the outputs, in the order of their names, are what one
# run over the list prints (tables with a first line of names have one each).
# usage: sbatch --array=0-7 files.sh FOLDER LIST bipe-segment [OPTION...]
#        sbatch --array=0-7 files.sh FOLDER LIST bipe-score --records [OPTION...] MODEL
#   LIST  the names of the files, one per line
# A file whose output is there is left alone: delete FOLDER after a change of options.
#SBATCH --job-name=bipe-files
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
folder=$1 list=$2
shift 2
mapfile -t file <"$list"
mkdir -p "$folder"
status=0
for ((i = SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN; i < ${#file[@]}; i += SLURM_ARRAY_TASK_COUNT)); do
    out=$folder/$(printf '%06d' "$i")
    # An output appears when it is complete.
    [ "$out" -nt "${file[i]}" ] || "$@" -j "${SLURM_CPUS_PER_TASK:-1}" -o "$out" "${file[i]}" || status=1
done
exit "$status"
