#!/usr/bin/env bash
# Runs the engine's tests under the address sanitizer, whose runtime comes with the toolchain; with arguments, only the
# tests whose names contain one of them. `--fuzz N` has the fuzzer send N cases of each kind to a server under it.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc -vV | sed -n 's/^host: //p')
# The flag is not a stable one yet. Memory of an instance may live until the process ends. Addresses of local variables
# must be those of the stack, which the engine measures.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0
sanitized() {
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="${RUSTFLAGS:-} -Zsanitizer=address" cargo "$@"
}

if [ "${1:-}" = --fuzz ]; then
    sanitized build --target "$target" -p thermocline --features sanitizer
    built=${CARGO_TARGET_DIR:-target}/$target/debug/thermocline
    # Statements of extreme structure take longer than the fuzzer waits where code is not optimized.
    THERMOCLINE_PROGRAM=$(realpath "$built") THERMOCLINE_FUZZ=$2 \
        cargo test --workspace --test fuzz -- --test-threads 1 --skip structure
else
    sanitized test --target "$target" -p thermocline-engine --lib --features sanitizer -- "$@"
fi
