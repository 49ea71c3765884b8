#!/usr/bin/env bash
# The server as FreeTDS's freebcp sees it: tables in and out.
set -uo pipefail
DATABASE=clients_freebcp
. "$(dirname "$0")/checks.sh"

# Copies table $1 in direction $2 by file $3; further flags may be given.
copy() {
    local table=$1 direction=$2 file=$3
    shift 3
    timeout 60 freebcp "$DATABASE.dbo.$table" "$direction" "$file" -S "${server:-request}" -U "$SERVER_USER" -P "$SERVER_PASSWORD" "$@"
}

check_a_defines_tables() {
    create_database
    for i in $(seq 3000); do
        printf '%d\tnaïve %d\t%d.25\t2016-02-29 12:34:56.000\n' "$i" "$i" "$i"
    done >"$work/rows.txt"
    printf '3001\t\t\t\n' >>"$work/rows.txt"
}

check_copies_text_in_and_out() {
    local table
    for table in on_disk in_memory; do
        copy "$table" in "$work/rows.txt" -c -b 500 || return 1
        equal "$(answer <<SQL
SELECT COUNT(*), COUNT(name), COUNT(amount), MAX(name), COUNT(DISTINCT at) FROM dbo.$table
go
SQL
        )" '3001 3000 3000 naïve 999 1' || return 1
        copy "$table" out "$work/out.txt" -c || return 1
        equal "$(wc -l <"$work/out.txt")" 3001 || return 1
        equal "$(grep -c $'^7\tnaïve 7\t7.25\t' "$work/out.txt")" 1 || return 1
    done
}

check_copies_with_terminators_between_tables() {
    copy on_disk out "$work/between" -c -t '|' -r $'~\n' || return 1
    printf 'DELETE dbo.in_memory\ngo\n' | script -q
    server=require copy in_memory in "$work/between" -c -t '|' -r $'~\n' || return 1
    equal "$(answer <<'SQL'
SELECT COUNT(*) FROM dbo.in_memory m JOIN dbo.on_disk d ON d.id = m.id AND d.name = m.name AND d.amount = m.amount AND d.at = m.at
go
SQL
    )" 3000
}

check_fails_on_duplicate_keys() {
    ! copy on_disk in "$work/rows.txt" -c >"$work/told" 2>&1 || return 1
    grep -q 'Violation of PRIMARY KEY constraint' "$work/told" || { cat "$work/told"; return 1; }
}

run_checks freebcp
