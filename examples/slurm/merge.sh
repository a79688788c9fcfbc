#!/bin/bash
# merge.sh - the job after an array of shards.sh: what one run would have written, in FOLDER/all.json. It fails, and its log names the shards
# that are missing, unless all are there.
# usage: sbatch --dependency=afterany:ARRAY merge.sh FOLDER TOOL
#SBATCH --job-name=bipe-merge
#SBATCH --ntasks=1
set -u
if [ $# -ne 2 ]; then
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
fi
folder=$1 tool=$2
rm -f "$folder/all.json"
exec "$tool" --merge --json -o "$folder/all.json" "$folder"/part-*.json
