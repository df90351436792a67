//! The `diglot` command: parse, dispatch, print the error chain, choose the exit code.

mod cli;
#[cfg(feature = "review")]
mod review;

use std::process::ExitCode;

// Extraction allocates many small strings in parallel.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
