#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A sweep as a Slurm job array: each job runs a share of the points into a store of its own on the node's
# local disk, and copies it home. Jobs that were cut off can be submitted again: they go on.
#
#   sbatch --array=1-16 docs/use/slurm/sweep.sh study.lua
#   gpunetsim merge stores/share-*.db -o results.db        # when they are done
#   gpunetsim sweep study.lua --store results.db           # whatever is missing still
#
#SBATCH --job-name=gpunetsim
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
set -euo pipefail

study=$1
share=$SLURM_ARRAY_TASK_ID
shares=$SLURM_ARRAY_TASK_COUNT
home=${SLURM_SUBMIT_DIR:-$PWD}/stores
local=$(mktemp -d)
store=$local/share-$share.db

mkdir -p "$home"
if [ -e "$home/share-$share.db" ]; then
    cp "$home/share-$share.db" "$store"
fi

# However this job ends, what it has finished goes home. A merge reads a store as a whole, with its log.
save() {
    gpunetsim merge "$store" -o "$local/home.db" && mv "$local/home.db" "$home/share-$share.db"
    rm -rf "$local"
}
trap save EXIT
trap 'kill "$sweep" 2>/dev/null; wait "$sweep" || true; exit 1' TERM

gpunetsim sweep "$study" --store "$store" --shard "$share/$shares" -j "$SLURM_CPUS_PER_TASK" \
    --time-limit 600s --progress plain &
sweep=$!
wait "$sweep"
