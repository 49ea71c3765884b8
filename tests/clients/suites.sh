#!/usr/bin/env bash
# Runs the test suites that clients ship in their packages, against the server.
#
#   tests/clients/suites.sh [sqlalchemy-pyodbc | sqlalchemy-pymssql | django]…
#
# Without names all of them run, which takes about half an hour with a debug build. The server is chosen as `run.sh`
# does. Packages come from PyPI, the ODBC manager from Debian; all is kept in `suites` below cargo's target directory.
# What is known to fail stands in `suites/*.failures`, each with its reason; any other failure fails the run, and so does
# a known one that passes. Each suite ends with a line "test result: …".
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

source "$here/server.sh"
cache=$target/suites
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

SQLALCHEMY=2.0.49
DJANGO=5.2.19
MSSQL_DJANGO=1.8.0
DJANGO_LABELS=(basic queries expressions transactions bulk_create schema migrations model_fields introspection)

# A package's source, unpacked, in $source.
source_of() {
    local name=$1 version=$2
    source=$cache/$name-$version
    [ -d "$source" ] && return
    "$python" -m pip download --quiet --no-deps --no-binary "$name" -d "$cache" "$name==$version" &&
        tar -xzf "$cache/$name-$version.tar.gz" -C "$cache"
}

# An interpreter of its own for a suite, with packages "$@" installed, in $python.
python_for() {
    local venv=$cache/$1-python
    shift
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || return 1
    python=$venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}

# The ODBC driver inside mssql-python's package, where the ODBC manager looks.
register_odbc_driver() {
    local library
    ldconfig -p | grep -q libodbc.so.2 || apt-get install -y -q unixodbc libltdl7 >/dev/null || return 1
    library=$(find "$("$python" -c 'import site; print(site.getsitepackages()[0])')" \
        -path '*debian_ubuntu/x86_64/lib/libmsodbcsql*' | head -1)
    [ -n "$library" ] || return 1
    mkdir -p "$cache/odbc"
    printf '[ODBC Driver 18 for SQL Server]\nDriver=%s\n' "$library" >"$cache/odbc/odbcinst.ini"
    export ODBCSYSINI=$cache/odbc
}

# Compares what has failed ($2, a file with a name a line) with what is known to, counts, and says the result. $3 is how
# many have passed; nothing if the suite did not come to its end.
judge() {
    local name=$1 failing=$2 passed=$3 known=$here/suites/$1.failures unexpected fixed bad verdict=ok
    if [ -z "$passed" ]; then
        tail -20 "$cache/log"
        echo "test result: FAILED. 0 passed; 1 failed; 0 ignored; $name"
        return 1
    fi
    grep -vE '^(#|$)' "$known" | sort -u >"$cache/known"
    sort -u "$failing" >"$cache/failed"
    unexpected=$(comm -23 "$cache/failed" "$cache/known")
    fixed=$(comm -13 "$cache/failed" "$cache/known")
    [ -z "$unexpected" ] || sed 's/^/fails: /' <<<"$unexpected"
    [ -z "$fixed" ] || sed 's/^/passes, but is listed as failing: /' <<<"$fixed"
    bad=$(printf '%s\n%s\n' "$unexpected" "$fixed" | grep -c .)
    [ "$bad" -eq 0 ] || verdict=FAILED
    echo "test result: $verdict. $passed passed; $bad failed; $(grep -c . "$cache/known") ignored; $name"
    [ "$bad" -eq 0 ]
}

sqlalchemy() {
    local driver=$1 url=$2
    python_for sqlalchemy pytest pymssql pyodbc mssql-python "sqlalchemy==$SQLALCHEMY" &&
        source_of sqlalchemy "$SQLALCHEMY" && register_odbc_driver || return 1
    "$program" sql -S "$SERVER_HOST,$SERVER_PORT" -U "$SERVER_USER" -P "$SERVER_PASSWORD" -b -i "$here/suites/sqlalchemy.sql" || return 1
    (cd "$source" && "$python" -m pytest test/dialect/test_suite.py test/dialect/mssql -p no:logging -q -rfE \
        --maxfail=100000 --dburi "$url") >"$cache/log" 2>&1
    # "FAILED file::class_driver_version::test[arguments] - message"; arguments may have blanks.
    sed -nE 's/^(FAILED|ERROR) (test\/.*)/\2/p' "$cache/log" | sed -E 's/ - .*//; s/_mssql\+[a-z]+_[0-9_]+//' >"$cache/failing"
    judge "sqlalchemy-$driver" "$cache/failing" "$(sed -nE 's/.* ([0-9]+) passed.*/\1/p' "$cache/log" | tail -1)"
}

django() {
    python_for django mssql-python "django==$DJANGO" "mssql-django==$MSSQL_DJANGO" &&
        source_of django "$DJANGO" && register_odbc_driver || return 1
    (cd "$source/tests" && PYTHONPATH=$here/suites "$python" runtests.py --settings=django_settings --parallel=1 --noinput \
        "${DJANGO_LABELS[@]}") >"$cache/log" 2>&1
    sed -nE 's/^(FAIL|ERROR): [^ ]+ \(([^)]*)\).*/\2/p' "$cache/log" >"$cache/failing"
    local ran skipped passed=
    ran=$(sed -nE 's/^Ran ([0-9]+) tests.*/\1/p' "$cache/log")
    skipped=$(sed -nE 's/^(OK|FAILED) \(.*skipped=([0-9]+).*/\2/p' "$cache/log")
    [ -z "$ran" ] || passed=$((ran - ${skipped:-0} - $(sort -u "$cache/failing" | wc -l)))
    judge django "$cache/failing" "$passed"
}

names=("$@")
[ ${#names[@]} -gt 0 ] || names=(sqlalchemy-pyodbc sqlalchemy-pymssql django)
find_program
start_server
status=0
for name in "${names[@]}"; do
    echo "== $name"
    login=$SERVER_USER:$SERVER_PASSWORD@$SERVER_HOST:$SERVER_PORT
    case $name in
    sqlalchemy-pyodbc)
        sqlalchemy pyodbc "mssql+pyodbc://$login/test?driver=ODBC+Driver+18+for+SQL+Server&TrustServerCertificate=yes"
        ;;
    sqlalchemy-pymssql) sqlalchemy pymssql "mssql+pymssql://$login/test" ;;
    django) django ;;
    *) die "no suite '$name'" ;;
    esac || status=1
done
exit "$status"
