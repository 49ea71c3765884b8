//! The program `thermocline`.

use std::process::ExitCode;

// The address sanitizer brings its own.
#[cfg(not(feature = "sanitizer"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    server::program::main()
}
