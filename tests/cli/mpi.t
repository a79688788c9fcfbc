# bipe-train over MPI: several processes with the losses of one.
%needs test "$BIPE_MPI" = yes
%needs command -v mpirun
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && cat > over <<'END'
> export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
> over() { n=$1 name=$2; shift 2; mpirun -n "$n" bipe-train -j 1 -t byte --layers 2 --hidden 32 -L 32 --batch 96 --steps 20 --dropout 0.1 \
>     --checkpoint "$name" --log "$name.jsonl" -o m.bin "$@" river.txt; }
> END
$ . ./over; over 1 one -q && over 2 two -q && over 2 again -q && wc -l < two.jsonl
21

# Losses differ by rounding; those of the same number of processes do not differ at all.
$ cat > compare <<'END'
> while (<>) {
>     next if /^\{"run":/;
>     my ($step, $loss) = /^\{"step":(\d+),"loss":([0-9.e+-]+),/ or die "a row: $_";
>     if (!defined $one{$step}) { $one{$step} = $loss; next }
>     $compared++;
>     print "step $step: $one{$step}, $loss\n" unless abs($loss - $one{$step}) <= 1e-6 * $one{$step};
> }
> print "$compared losses agree\n";
> END
$ "$PERL" compare one.jsonl two.jsonl
20 losses agree
$ cmp two again

# There may be more processes than rows.
$ . ./over; over 4 four -q && "$PERL" compare one.jsonl four.jsonl
20 losses agree

# Muon's matrices are the same in all of them.
$ . ./over; over 1 muon -q --optimizer muon && over 3 muons -q --optimizer muon && "$PERL" compare muon.jsonl muons.jsonl
20 losses agree

# A run goes on with as many processes as it began with.
$ . ./over; over 1 two -q 2>&1 | grep bipe-train:
bipe-train: two: the checkpoint was made with processes 2, not 1 (--checkpoint names another file; delete this one to start over)
