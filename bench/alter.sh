#!/usr/bin/env bash
# Tables that are altered while they are written (docs/benchmarks.md): a memory-optimized table and a disk table of
# ROWS rows of about 60 bytes each; two clients update one row of it each, over and over, while a statement changes its
# columns or indexes. Prints a row for each statement: what it took, the updates meanwhile, and the slowest update.
#
#     bench/alter.sh ADDRESS [ROWS]           for example: bench/alter.sh 127.0.0.1,1433 2000000
#
# The server at ADDRESS must run. The login is sa with THERMOCLINE_PASSWORD, or a trusted connection without that. The
# program is THERMOCLINE, or `thermocline` of PATH. Makes the database alter_bench, and drops it. Fails if an update is
# lost or refused, or if DBCC CHECKDB finds anything.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
address=$1 rows=${2:-2000000}
program=${THERMOCLINE:-thermocline}
login=(-E)
[ -z "${THERMOCLINE_PASSWORD:-}" ] || login=(-U sa -P "$THERMOCLINE_PASSWORD")
report=$(mktemp)
driver=

# Runs a batch and prints its rows, without headings.
sql() { "$program" sql -S "$address" "${login[@]}" -b -h -1 -W -d "$1" -Q "SET NOCOUNT ON; $2"; }

finish() {
    # The driver is ended by its id alone, and drops its connections.
    [ -z "$driver" ] || kill -INT "$driver" 2>/dev/null || true
    rm -f "$report"
    sql master "IF DB_ID('alter_bench') IS NOT NULL BEGIN
        ALTER DATABASE alter_bench SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE alter_bench END" || true
}

[ "$(sql master "SELECT COUNT(*) FROM sys.databases WHERE name = 'alter_bench'")" = 0 ] || {
    echo "there is a database alter_bench already" >&2
    exit 1
}
trap finish EXIT
sql master "CREATE DATABASE alter_bench;
    ALTER DATABASE alter_bench ADD FILEGROUP mem CONTAINS MEMORY_OPTIMIZED_DATA;
    ALTER DATABASE alter_bench ADD FILE (NAME = 'mem', FILENAME = 'mem') TO FILEGROUP mem"

# Makes table $1 with the options $2, and fills it.
make() {
    sql alter_bench "CREATE TABLE $1 (id int NOT NULL PRIMARY KEY NONCLUSTERED, n int NOT NULL, a int NOT NULL,
        b int NOT NULL, v varchar(40) NOT NULL) $2"
    sql alter_bench "INSERT INTO $1 SELECT value, 0, CAST(value AS bigint) * 7919 % 1000003, value % 1000,
        REPLICATE('x', 32 + value % 8) FROM GENERATE_SERIES(1, $rows)"
}

# A number of the driver's report.
reported() { sed -nE "s/.*\"$1\":([0-9]+).*/\1/p" "$report"; }

# Runs the statement $2 while two clients update table $1, and prints the row of the results.
alter() {
    local table=$1 statement=$2 before after took meanwhile
    before=$(sql alter_bench "SELECT SUM(n) FROM $table WHERE id <= 2")
    "$program" stress -S "$address" "${login[@]}" -d alter_bench -q --json --seconds 3600 \
        -Q "UPDATE $table SET n += 1 WHERE id = 1" -Q "UPDATE $table SET n += 1 WHERE id = 2" >"$report" &
    driver=$!
    sleep 1
    read -r took meanwhile < <(sql alter_bench "
        DECLARE @began datetime2 = SYSDATETIME(), @before int = (SELECT SUM(n) FROM $table WHERE id <= 2);
        EXEC ('$statement');
        SELECT DATEDIFF(millisecond, @began, SYSDATETIME()), SUM(n) - @before FROM $table WHERE id <= 2")
    kill -INT "$driver"
    wait "$driver" || true
    driver=
    after=$(sql alter_bench "SELECT SUM(n) FROM $table WHERE id <= 2")
    [ "$(reported errors)" = 0 ] && [ "$(reported iterations)" = $((after - before)) ] || {
        echo "$statement: updates are missing, or were refused: $((after - before)) of $(cat "$report")" >&2
        exit 1
    }
    echo "| \`$statement\` | $((took / 1000)).$(printf %03d $((took % 1000))) | $meanwhile |" \
        "$(($(reported max_us) / 1000)) |"
}

make m "WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)"
make d ""
echo "| | took, s | updates meanwhile | the slowest of them, ms |"
echo "|---|---|---|---|"
alter m "ALTER TABLE m ADD c int NOT NULL DEFAULT 5 WITH VALUES"
alter m "ALTER TABLE m ADD INDEX ia NONCLUSTERED (a)"
alter m "ALTER TABLE m DROP INDEX ia"
alter d "CREATE INDEX ia ON d (a)"
alter d "CREATE INDEX ib ON d (b, a) INCLUDE (v)"
alter d "DROP INDEX ia ON d"
sql alter_bench "DBCC CHECKDB WITH NO_INFOMSGS"
