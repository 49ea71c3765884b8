#!/usr/bin/env bash
# Drives the server with real clients, each installed from its public registry.
#
#   tests/clients/run.sh [--quick] [CLIENT…]
#
# Without names every client runs; --quick leaves out those that take minutes to install. `server.sh` says which server
# they run against. Clients are kept in `clients` below cargo's target directory.
# Each client ends with a line "test result: …"; one that cannot be installed here is named as skipped.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/server.sh"
cache=$target/clients
mkdir -p "$cache"

all=(pymssql mssql-python pytds bsqldb freebcp tedious go-mssqldb mssql-jdbc tiberius)
quick=(pymssql mssql-python pytds bsqldb freebcp tedious go-mssqldb mssql-jdbc tiberius)

MSSQL_JDBC=13.2.0.jre11

# Names a client that cannot run here; no test of it counts.
skip() {
    echo "$1: skipped: $2"
    echo "test result: ok. 0 passed; 0 failed; 1 ignored; $1 skipped"
}

# The interpreter with packages "$@" installed, in $python; fails if it cannot be had.
python_with() {
    local venv=$cache/python
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || return 1
    python=$venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
}

python_client() {
    local name=$1 script=$2
    shift 2
    if ! command -v python3 >/dev/null || ! python_with "$@"; then
        skip "$name" "Python or its packages $* are not to be had"
        return
    fi
    "$python" "$here/python/$script"
}

# Installs a package of Debian's, as far as that can be done.
install() {
    [ "$(id -u)" = 0 ] && apt-get install -y -q "$1" >/dev/null 2>&1
}

# The driver in its package needs a library that is not in there.
mssql_python_client() {
    if ! /sbin/ldconfig -p | grep -q 'libltdl\.so\.7' && ! install libltdl7; then
        skip mssql-python "Debian's package libltdl7 is not installed"
        return
    fi
    python_client mssql-python mssql_python_client.py mssql-python
}

freetds_client() {
    local name=$1
    if ! command -v "$name" >/dev/null && ! install freetds-bin; then
        skip "$name" "Debian's package freetds-bin is not installed"
        return
    fi
    "$here/freetds/$name.sh"
}

tedious_client() {
    command -v npm >/dev/null || { skip tedious "npm is not installed"; return; }
    mkdir -p "$cache/tedious"
    cp "$here"/tedious/* "$cache/tedious/"
    (cd "$cache/tedious" && npm install --silent --no-audit --no-fund) >&2 ||
        { skip tedious "npm cannot install it"; return; }
    node "$cache/tedious/client.mjs"
}

go_client() {
    command -v go >/dev/null || { skip go-mssqldb "Go is not installed"; return; }
    (cd "$here/go" && go build -o "$cache/go-client" .) >&2 ||
        { skip go-mssqldb "Go cannot build it"; return; }
    "$cache/go-client"
}

jdbc_client() {
    command -v java >/dev/null || { skip mssql-jdbc "Java is not installed"; return; }
    local jar=$cache/mssql-jdbc-$MSSQL_JDBC.jar
    if [ ! -s "$jar" ]; then
        curl -fsS -o "$jar.part" \
            "https://repo1.maven.org/maven2/com/microsoft/sqlserver/mssql-jdbc/$MSSQL_JDBC/mssql-jdbc-$MSSQL_JDBC.jar" &&
            mv "$jar.part" "$jar" || { skip mssql-jdbc "Maven Central has no answer"; return; }
    fi
    java -cp "$jar" "$here/jdbc/Client.java"
}

run_client() {
    echo "== $1"
    case $1 in
    pymssql) python_client pymssql pymssql_client.py pymssql ;;
    mssql-python) mssql_python_client ;;
    pytds) python_client pytds pytds_client.py python-tds pyOpenSSL ;;
    bsqldb | freebcp) freetds_client "$1" ;;
    tedious) tedious_client ;;
    go-mssqldb) go_client ;;
    mssql-jdbc) jdbc_client ;;
    tiberius) (cd "$root" && cargo test --quiet --workspace --test wire tiberius) ;;
    *) die "no client '$1'; there are: ${all[*]}" ;;
    esac
}

clients=() chosen=("${all[@]}")
for argument in "$@"; do
    case $argument in
    --quick) chosen=("${quick[@]}") ;;
    -*) die "usage: tests/clients/run.sh [--quick] [CLIENT…]" ;;
    *) clients+=("$argument") ;;
    esac
done
[ ${#clients[@]} -gt 0 ] || clients=("${chosen[@]}")

find_program
start_server
status=0
for client in "${clients[@]}"; do
    run_client "$client" || status=1
done
exit "$status"
