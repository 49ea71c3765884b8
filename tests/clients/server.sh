# How the scripts here find the program under test, start it and stop it. To be sourced after `here` is set.
#
# The server is THERMOCLINE if that names a program, otherwise the one that cargo builds: the release build where there
# is one already, else the debug build.
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}

die() {
    echo "$*" >&2
    exit 1
}

# The program under test, built if need be; its path in $program.
find_program() {
    program=${THERMOCLINE:-}
    if [ -n "$program" ]; then
        [ -x "$program" ] || die "THERMOCLINE: no program '$program'"
        return
    fi
    local profile=debug flags=()
    if [ -x "$target/release/thermocline" ]; then
        profile=release flags=(--release)
    fi
    (cd "$root" && cargo build --quiet "${flags[@]}" --bin thermocline) || die "the server does not compile"
    program=$target/$profile/thermocline
}

# Starts the server on a port of its own choice, and waits for the line that names it.
start_server() {
    data=$(mktemp -d)
    export SERVER_HOST=127.0.0.1 SERVER_USER=sa SERVER_PASSWORD='Depth-and-Warmth-4'
    THERMOCLINE_SA_PASSWORD=$SERVER_PASSWORD "$program" serve --data "$data/server" \
        --listen "$SERVER_HOST:0" --encrypt on >"$data/log" 2>&1 &
    server=$!
    trap stop_server EXIT
    local waited=0
    until SERVER_PORT=$(sed -nE 's/.*listening.*127\.0\.0\.1:([0-9]+).*/\1/p' "$data/log" 2>/dev/null | head -1) && [ -n "$SERVER_PORT" ]; do
        kill -0 "$server" 2>/dev/null || { cat "$data/log" >&2; die "the server ended"; }
        [ $((waited += 1)) -le 600 ] || { cat "$data/log" >&2; die "the server does not listen"; }
        sleep 0.1
    done
    export SERVER_PORT SERVER_CERTIFICATE=$data/server/server-certificate.pem
}

stop_server() {
    kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    if grep -q "panicked at" "$data/log" 2>/dev/null; then
        echo "== the server panicked:"
        grep -A3 "panicked at" "$data/log" | head -40
    fi
    rm -rf "$data"
}
