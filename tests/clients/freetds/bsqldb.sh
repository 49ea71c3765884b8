#!/usr/bin/env bash
# The server as FreeTDS's bsqldb sees it.
set -uo pipefail
DATABASE=clients_bsqldb
. "$(dirname "$0")/checks.sh"

check_a_connects_in_all_modes_of_encryption() {
    local mode expected
    for mode in off:FALSE request:FALSE require:TRUE; do
        expected=${mode#*:}
        equal "$(server=${mode%:*} database=master answer <<'SQL'
SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID
go
SQL
        )" "$expected" || return 1
    done
}

check_b_defines_tables() {
    create_database
    equal "$(answer <<'SQL'
SELECT name, CAST(is_memory_optimized AS int) FROM sys.tables ORDER BY name
go
SQL
    )" $'in_memory 1\non_disk 0'
}

check_changes_tables_in_transactions() {
    local table
    for table in on_disk in_memory; do
        equal "$(answer <<SQL
SET NOCOUNT ON
BEGIN TRAN INSERT dbo.$table (id, name) VALUES (1, N'rolled back') ROLLBACK
BEGIN TRAN INSERT dbo.$table (id, name) VALUES (2, N'Привет') COMMIT
go
SELECT id, name, amount FROM dbo.$table
go
DELETE dbo.$table
go
SQL
        )" '2 Привет NULL' || return 1
    done
}

check_reads_values_of_every_type() {
    equal "$(answer <<'SQL'
SELECT CAST(1 AS bit), CAST(255 AS tinyint), CAST(-32768 AS smallint), CAST(-2147483648 AS int), 9223372036854775807
go
SELECT CAST(-1.25 AS decimal(9, 2)), CAST(1.5 AS float), CAST('abc' AS char(5)), N'Ω', CAST(NULL AS datetime), 0x00FF
go
SQL
    )" $'1 255 -32768 -2147483648 9223372036854775807\n-1.25 1.5 abc Ω NULL 0x00ff'
}

check_reads_several_result_sets_and_messages() {
    equal "$(answer <<'SQL'
SELECT 1 PRINT 'between' SELECT 2
go
SQL
    )" $'between\n1\n2'
}

check_tells_errors() {
    local told
    told=$(printf "\nRAISERROR(N'raised %%d', 16, 7, 5)\ngo\n" | script 2>&1)
    [ $? = 16 ] && grep -q 'Msg 50000, Level 16, State 7' <<<"$told" && grep -q 'raised 5' <<<"$told" || {
        echo "$told"
        return 1
    }
}

check_divides_by_zero_as_its_options_say() {
    # DB-Library leaves the ANSI options off: a warning and NULL.
    grep -q NULL <<<"$(answer <<'SQL'
SELECT 1 / 0
go
SQL
    )"
}

check_calls_procedures() {
    equal "$(answer <<'SQL'
CREATE PROCEDURE dbo.answer @left int, @sum int OUTPUT AS SET @sum = @left + 1 SELECT @left RETURN 42
go
DECLARE @s int, @r int EXEC @r = dbo.answer 3, @s OUTPUT SELECT @s, @r
go
SQL
    )" $'3\n4 42'
}

run_checks bsqldb
