#!/usr/bin/env bash
# Runs the tests of what handles raw memory without threads or files under Miri, which finds undefined behaviour that no
# run shows: the arena, rows, registers, versions and their copies, anchors' slots in postings, nodes of trees.
#
#   tests/miri.sh [TOOLCHAIN]
#
# Needs a nightly toolchain with Miri and the library's source: `rustup +nightly component add miri rust-src`. CI does
# not run this. Addresses carry tags, so provenance is permissive (a word becomes a pointer again by its address).
set -euo pipefail
cd "$(dirname "$0")/.."
toolchain=${1:-nightly}

cargo "+$toolchain" miri --version >/dev/null 2>&1 || {
    echo "the toolchain $toolchain has no Miri: rustup +$toolchain component add miri rust-src" >&2
    exit 2
}
export MIRIFLAGS="${MIRIFLAGS:-} -Zmiri-disable-isolation -Zmiri-permissive-provenance"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/miri PROPTEST_CASES=${PROPTEST_CASES:-4}

# Runs the tests of a package whose names begin with one of these; each of them must name some.
tests_of() {
    local package=$1 tests prefix
    shift
    tests=$(cargo "+$toolchain" miri test --quiet -p "$package" --lib -- --list 2>/dev/null | sed -n 's/: test$//p')
    for prefix in "$@"; do
        grep -q "^$prefix" <<<"$tests" || {
            echo "no test of $package begins with $prefix" >&2
            exit 1
        }
    done
    cargo "+$toolchain" miri test -p "$package" --lib -- "$@"
}

tests_of thermocline-base arena::
tests_of thermocline-engine hot::row:: hot::copies:: hot::filter:: hot::index::postings:: \
    cold::tree::tests::nodes::
tests_of thermocline-run interp::slot:: interp::row:: interp::memory::
