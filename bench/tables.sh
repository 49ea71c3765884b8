#!/usr/bin/env bash
# Tables of docs/benchmarks.md: runs benchmarks and prints for each the command and a Markdown table of its figures.
#
#     bench/tables.sh ['BENCH [ARGUMENT ...]' ...]    for example: bench/tables.sh stalls 'recovery --orders 10000000'
#     bench/tables.sh - < FILE                        of lines of JSON that were printed before
#
# Without arguments: all benchmarks, as docs/benchmarks.md has them; that takes some hours. Each is run as
# `thermocline bench BENCH ARGUMENT ... --json`. Lines that are not figures are left out, so the output of
# bench/compare.sh can be given as well.
set -euo pipefail
cd "$(dirname "$0")/.."

tables() {
    awk '
        # The value of a field of a flat JSON object, without its quotation marks.
        function field(name,    at, rest) {
            at = index($0, "\"" name "\":")
            if (at == 0) return ""
            rest = substr($0, at + length(name) + 3)
            sub(/^ */, "", rest)
            if (substr(rest, 1, 1) == "\"") {
                rest = substr(rest, 2)
                return substr(rest, 1, index(rest, "\"") - 1)
            }
            sub(/[,}].*$/, "", rest)
            return rest
        }
        # With commas between thousands.
        function grouped(number,    sign, whole, tail, out) {
            sign = sub(/^-/, "", number) ? "-" : ""
            whole = number
            sub(/\..*$/, "", whole)
            tail = substr(number, length(whole) + 1)
            out = ""
            while (length(whole) > 3) {
                out = "," substr(whole, length(whole) - 2) out
                whole = substr(whole, 1, length(whole) - 3)
            }
            return sign whole out tail
        }
        !/^\{/ || field("figure") == "" { next }
        field("bench") != bench {
            bench = field("bench")
            print "\n`" bench "`\n\n| figure | median | least | greatest | unit | runs |\n|---|---|---|---|---|---|"
        }
        {
            least = greatest = "—"
            if (field("runs") > 1) {
                least = grouped(field("min"))
                greatest = grouped(field("max"))
            }
            print "| `" field("figure") "` | " grouped(field("value")) " | " least " | " greatest \
                " | " field("unit") " | " field("runs") " |"
        }'
}

if [ "${1:-}" = - ]; then
    tables
    exit
fi
benches=("$@")
[ ${#benches[@]} -gt 0 ] || benches=(
    "sales-orders"
    "sales-orders --table ondisk --seconds 8 --runs 3"
    "sales-orders --table ondisk --seconds 300 --memory-mb 512 --runs 1"
    "order-processing --scale 10" "order-processing --scale 10 --table ondisk"
    "order-processing --scale 10 --table rowcache"
    "native-insert" "point-lookup" "update-hot" "mixed --runs 3" "connections" "stalls"
    "recovery --rows 60000000 --runs 1" "recovery --orders 10000000 --runs 3"
    "checkpoint-cost" "checkpoint-cost --only-with --seconds 600 --runs 1"
    "backup --inmem-mb 2000 --disk-mb 3000 --runs 2" "mass-delete --runs 1"
    "bpe" "bpe --seek-ms 8 --runs 3" "larger-than-memory --rows 75000000 --memory-mb 1024 --runs 1"
    "hot-set --runs 1" "row-cache --runs 3" "disk-table" "write-amplification --runs 1"
)
target=${CARGO_TARGET_DIR:-target}
cargo build --release -p thermocline
echo "$(date +%F), $(nproc) processors, $(awk '/^MemTotal/ {printf "%.0f", $2 / 1048576}' /proc/meminfo) GB of memory," \
    "commit $(git rev-parse --short HEAD)"
failed=0
for bench in "${benches[@]}"; do
    printf '\n`thermocline bench %s`:\n' "$bench"
    # A benchmark and its arguments are several words.
    # shellcheck disable=SC2086
    "$target/release/thermocline" bench $bench --json | tables | tail -n +3 || {
        echo "$bench failed" >&2
        failed=1
    }
done
exit $failed
