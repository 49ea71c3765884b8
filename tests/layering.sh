#!/usr/bin/env bash
# Checks that crates and folders point one way: what a crate or folder uses stands before it in these lists. Tests are
# left out. Prints each violation and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# A crate, and the project's crates that it may depend on.
crates="
base:
env: base
engine: base env
tsql: base
xquery: base
spatial: base
tds: base
ir: base engine spatial
compile: base engine tsql xquery ir
run: base env engine xquery spatial ir
testkit:
session: base env engine tsql spatial ir compile run testkit
native: base engine ir run
tools: base tds
server: base env engine tsql tds ir compile run session native tools
"

# A crate, and its folders and files in order; those in brackets use each other.
folders="
engine: critical sync wait sort log cold pages hot txn sink checkpoint recovery backup error database engine catalog
        instance
tsql: ast lexer print check parser
xquery: types [atomic expr] index parse eval xpath
spatial: [error number shape work] reference arc tree plane globe check access layers measure relate overlay valid
        simplify buffer format aggregate cells
compile: plan lower bind
run: func interp
session: handle request options response files security fault program plan_cache instance session context sysproc
        sysview rowfile names ddl prepare builtin cursor bulk admin batch requests
tools: client show random sql stress local sample workload order_processing backup bench report demo
server: config machine certificate password throttle server vital errorlog timer periodic health watch startup
        balance workers watchdog connection listener embedded program
"

wrong=0
complain() {
    echo "$1"
    wrong=1
}

while IFS=: read -r crate allowed; do
    [ -n "$crate" ] || continue
    used=$(awk '/^\[/ { inside = $0 == "[dependencies]" } inside && /workspace/ { sub(/[ .].*/, ""); print }' \
        "crates/$crate/Cargo.toml")
    for other in $used; do
        is_ours=$(grep -c "^$other:" <<<"$crates") || true
        if [ "$is_ours" -gt 0 ] && ! grep -qw -- "$other" <<<"$allowed"; then
            complain "crate $crate depends on $other"
        fi
    done
done <<<"$crates"
for manifest in crates/*/Cargo.toml; do
    crate=$(basename "$(dirname "$manifest")")
    grep -q "^$crate:" <<<"$crates" || complain "crate $crate has no place in $0"
done

# The references of a crate's code to its own folders: "from to", each once.
references() {
    find "crates/$1/src" -name '*.rs' ! -path '*/tests/*' ! -path '*/testing/*' ! -name '*tests.rs' ! -name 'testing.rs' |
        while read -r file; do
            module=${file#"crates/$1/src/"}
            module=${module%.rs}
            module=${module%/mod}
            # As many times `super` leads from here to the crate's root.
            root=$(sed 's/[^/]*/super/g; s,/,::,g' <<<"$module")
            awk -v from="${module%%/*}" -v root="$root" '
                /#\[cfg\(test\)\]/ { exit }
                {
                    sub(/\/\/.*/, "")
                    gsub("(^|[^:a-z])" root "::", " crate::")
                    while (match($0, /crate::[a-z_]+/)) {
                        to = substr($0, RSTART + 7, RLENGTH - 7)
                        if (to != from) print from, to
                        $0 = substr($0, RSTART + RLENGTH)
                    }
                }' "$file"
        done | sort -u
}

while IFS=: read -r crate order; do
    [ -n "$crate" ] || continue
    # The place of each folder; those in brackets have one place.
    places=$(awk '{
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^\[/) together = 1
            name = $i
            gsub(/[][]/, "", name)
            print name, place
            if ($i ~ /\]$/) together = 0
            if (!together) place++
        }
    }' <<<"$order")
    backward=$(awk '
        NR == FNR { place[$1] = $2; next }
        !($1 in place) && $1 !~ /^(lib|main)$/ && !told[$1]++ { print $1 " has no place in the list" }
        ($1 in place) && ($2 in place) && place[$2] > place[$1] { print $1 " uses " $2 }
    ' <(echo "$places") <(references "$crate"))
    [ -z "$backward" ] || complain "crate $crate: $backward"
done < <(awk '/^ / { sub(/^ +/, " "); line = line $0; next } { if (line) print line; line = $0 } END { print line }' <<<"$folders")

[ "$wrong" -eq 0 ] && echo "crates and folders point one way"
exit "$wrong"
