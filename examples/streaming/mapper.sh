#!/bin/sh
# mapper.sh - a mapper for streaming engines (Hadoop streaming, rdd.pipe() of Spark and the like): records of JSON Lines on standard input,
# those below a perplexity of 300, or what options say instead, on standard output, each with the member `bipe`. It keeps nothing between records, so a split is anything that ends
# with a line.
# usage: mapper.sh [OPTION...]    -mapper 'mapper.sh --keep ppl<500' of Hadoop streaming, with -numReduceTasks 0
# BIPE_MODEL names another model than `default`. Lines that are no records pass as they are, for later steps to judge.
if [ $# -eq 0 ]; then
    set -- --keep 'ppl<300'
fi
exec bipe-score --records "${BIPE_MODEL:-default}" -q -j 1 --broken pass "$@" -
