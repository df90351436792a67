//! The `diglot` command: parse, dispatch, print the error chain, choose the exit code.

// These macros panic where nobody reads the output, so messages go through `cli::say`, and data through functions that return an error.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod allocator;
mod cli;
#[cfg(feature = "review")]
mod review;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    #[cfg(failing_allocations)]
    allocator::failing::begin();
    let code = cli::main();
    #[cfg(failing_allocations)]
    allocator::failing::tell();
    code
}
