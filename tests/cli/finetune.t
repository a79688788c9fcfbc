# bipe-train --init on models of other families, with positions that they did not have. No number here depends on which kernels a machine has.
$ cp "$BIPE_SRCDIR/corpora/river.txt" . && for family in gpt2 gpt_neox olmo2 smollm3; do "$PERL" "$BIPE_SRCDIR/tests/random-folder" $family $family; done
$ printf '#!/bin/sh\nexec bipe-train -q -t byte -L 64 --batch 256 "$@" river.txt\n' > tune && printf '#!/bin/sh\nexec bipe-score -q -t byte -L 64 "$@" river.txt\n' > losses && chmod +x tune losses

# What is written has the losses of what was read, to the last bit, and the same decoder.
$ for family in gpt2 gpt_neox olmo2 smollm3; do ./tune --init $family --steps 0 -o $family.bin > table
> for m in $family $family.bin; do ./losses --tokens $m.tsv $m > table; done; cmp $family.tsv $family.bin.tsv; bipe-convert $family.bin | grep -E '^(decoder|scheme)'; done
decoder       LayerNorm; gelu_tanh without a gate
scheme        learned@token
decoder       LayerNorm; attention and feed-forward in parallel; gelu without a gate; 2 of 8 values rotated
scheme        rope
decoder       norms after layers; norms of the queries of all heads, and of their keys
scheme        rope
decoder       no positions in 1 of 4 layers
scheme        rope

# They learn, and the bits depend neither on threads nor on where a run was interrupted.
$ for family in gpt2 gpt_neox olmo2 smollm3; do ./tune --init $family --steps 40 --every 40 --lr 3e-3 --log $family.jsonl --checkpoint whole -j 1 -o m.bin > table
> ./tune --init $family --steps 40 --every 15 --lr 3e-3 --checkpoint parts -j 3 -o m.bin > table && cmp whole parts; rm whole parts
> "$PERL" -ne 'push @loss, $1 if /^{"step":\d+,"loss":([^,]*)/; END {print $loss[0] - $loss[-1] > 2 ? "learned\n" : "from $loss[0] to $loss[-1]\n"}' $family.jsonl; done
learned
learned
learned
learned

# Bilevel positions: a table of positions that a model has not starts with zeros, one that it has is used. Training goes on from what was written.
$ for family in gpt2 gpt_neox olmo2 smollm3; do bipe-train -t byte -L 64 --batch 256 --init $family --scheme bipe-rope --steps 20 -o $family.bipe.bin river.txt 2>&1 > table | grep positions
> ./tune --init $family.bipe.bin --steps 20 -o $family.further.bin > table && bipe-convert $family.further.bin | grep -E '^(decoder|scheme)'; done
bipe-train: gpt2: its positions were learned@token and are bipe-rope now: unless only tables are new, it starts with other predictions
decoder       LayerNorm; gelu_tanh without a gate
scheme        bipe-rope
bipe-train: gpt_neox: its positions were rope and are bipe-rope now: unless only tables are new, it starts with other predictions
bipe-train: gpt_neox: it has no table of positions; one of 64 rows starts with zeros
decoder       LayerNorm; attention and feed-forward in parallel; gelu without a gate; 2 of 8 values rotated
scheme        bipe-rope
bipe-train: olmo2: its positions were rope and are bipe-rope now: unless only tables are new, it starts with other predictions
bipe-train: olmo2: it has no table of positions; one of 64 rows starts with zeros
decoder       norms after layers; norms of the queries of all heads, and of their keys
scheme        bipe-rope
bipe-train: smollm3: its positions were rope and are bipe-rope now: unless only tables are new, it starts with other predictions
bipe-train: smollm3: it has no table of positions; one of 64 rows starts with zeros
decoder       no positions in 1 of 4 layers
scheme        bipe-rope
$ ./tune --init olmo2 --scheme rope@segment+t5@token --rope-scaling yarn:4 --steps 2 --dropout 0.1 --recompute -o t5.bin && ./losses t5.bin | wc -l
8
