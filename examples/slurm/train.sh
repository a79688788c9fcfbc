#!/bin/bash
# train.sh - bipe-train over several nodes of a Slurm cluster, as one job of MPI. A job that is preempted or runs out of time goes on from its
# checkpoint. bipe must be configured --with-mpi, for the MPI whose mpirun is found.
# usage: sbatch --nodes=4 train.sh FOLDER [OPTION...] FILE...
#   FOLDER  one that all nodes see: the model, its checkpoint and its log go there
# A run must go on with as many processes as it began with.
#SBATCH --job-name=bipe-train
#SBATCH --ntasks-per-node=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@300
set -u
if [ $# -lt 2 ]; then
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
fi
folder=$1
shift
mkdir -p "$folder"
late=no
trap 'late=yes signal=yes; kill -TERM "$run"' USR1
trap 'signal=yes' TERM
mpirun bipe-train -o "$folder/model.bin" --checkpoint "$folder/checkpoint" --log "$folder/log.jsonl" "$@" &
run=$!
signal=yes
while [ "$signal" = yes ]; do # a signal ends the wait, not the run
    signal=no status=0
    wait "$run" || status=$?
done
if [ "$late" = yes ] && [ ! -e "$folder/model.bin" ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
