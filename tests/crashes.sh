#!/usr/bin/env bash
# Simulated crashes at every kind of file operation, with other seeds each time, for this many seconds: an hour if
# none is given. Also torn writes, failed syncs, full disks, and random transactions against a model.
# Stops at the first failure and says which seed it had.
set -uo pipefail
cd "$(dirname "$0")/.."
end=$((SECONDS + ${1:-3600}))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

cargo test --quiet -p thermocline-engine --lib --no-run || exit 1
# DDL, attaching, restores and successors of tables have no seeds, so that once is enough: at each operation.
CATALOG_SEEDS=6 cargo test --quiet -p thermocline-engine --lib -- instance:: >"$log" 2>&1 || { cat "$log"; exit 1; }
rounds=0
while [ "$SECONDS" -lt "$end" ]; do
    seed=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
    # Even seeds of the model have snapshots that the sink does not wait for.
    if ! THERMOCLINE_CRASH_SEED=$seed THERMOCLINE_SEED=$seed THERMOCLINE_MODEL_SEED=$seed \
        cargo test --quiet -p thermocline-engine --lib -- \
        crash backup:: checkpoint:: recovery:: sink:: random_ >"$log" 2>&1; then
        cat "$log"
        echo "failed with seed $seed (THERMOCLINE_CRASH_SEED, THERMOCLINE_SEED and THERMOCLINE_MODEL_SEED)"
        exit 1
    fi
    rounds=$((rounds + 1))
    printf '%s s: %s rounds, nothing lost\n' "$SECONDS" "$rounds"
done
