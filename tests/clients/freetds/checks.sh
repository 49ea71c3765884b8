# Checks of FreeTDS's programs: functions whose names begin with "check_", run one after another.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Servers for FreeTDS: one for each mode of encryption.
export FREETDSCONF=$work/freetds.conf
for encryption in off request require; do
    printf '[%s]\nhost = %s\nport = %s\ntds version = 7.4\nclient charset = UTF-8\nencryption = %s\n' \
        "$encryption" "$SERVER_HOST" "$SERVER_PORT" "$encryption"
done >"$FREETDSCONF"

# Runs the script on standard input by bsqldb; further flags may be given.
script() {
    timeout 60 bsqldb -S "${server:-request}" -U "$SERVER_USER" -P "$SERVER_PASSWORD" -D "${database:-$DATABASE}" "$@"
}

# What a script prints, blanks squeezed.
answer() {
    script -q "$@" 2>&1 | tr -s ' \t' ' ' | sed 's/^ //; s/ $//'
}

equal() {
    [ "$1" = "$2" ] && return
    printf 'got:\n%s\ninstead of:\n%s\n' "$1" "$2"
    return 1
}

# Runs all checks of the client, and prints the line of counts.
run_checks() {
    local client=$1 passed=0 failed=0 check
    for check in $(declare -F | sed -n 's/^declare -f \(check_.*\)/\1/p'); do
        if "$check" >"$work/output" 2>&1; then
            passed=$((passed + 1))
            echo "$client: ${check#check_}: ok"
        else
            failed=$((failed + 1))
            echo "$client: ${check#check_}: FAILED"
            cat "$work/output"
        fi
    done
    local verdict=ok
    [ "$failed" = 0 ] || verdict=FAILED
    echo "test result: $verdict. $passed passed; $failed failed; 0 ignored; $client"
    [ "$failed" = 0 ]
}

# The database of the checks, with a table on disk and one in memory.
create_database() {
    database=master script -q <<SQL
DROP DATABASE IF EXISTS $DATABASE
go
CREATE DATABASE $DATABASE
go
ALTER DATABASE $DATABASE ADD FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA
go
ALTER DATABASE $DATABASE ADD FILE (NAME = m, FILENAME = 'C:\\Data\\m') TO FILEGROUP m
go
SQL
    script -q <<'SQL'
CREATE TABLE dbo.on_disk (id int NOT NULL PRIMARY KEY, name nvarchar(50) NULL, amount decimal(10, 2) NULL, at datetime NULL)
go
CREATE TABLE dbo.in_memory (id int NOT NULL PRIMARY KEY NONCLUSTERED, name nvarchar(50) NULL, amount decimal(10, 2) NULL, at datetime NULL)
    WITH (MEMORY_OPTIMIZED = ON)
go
SQL
}
