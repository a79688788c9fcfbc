# local.mk - examples for users, which are released and not installed. Their tests are named in tests/local.mk.
EXTRA_DIST += \
	examples/README.md examples/python/bipe.py examples/tables/groups.R examples/tables/groups.py examples/tables/groups.sql \
	examples/parallel/filter examples/parallel/shards \
	examples/slurm/files.sh examples/slurm/merge.sh examples/slurm/shards.sh examples/slurm/submit examples/slurm/train.sh \
	examples/streaming/mapper.sh
