//! The `diglot` command: parse, dispatch, print the error chain, choose the exit code.

mod allocator;
mod cli;
#[cfg(feature = "review")]
mod review;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    cli::main()
}
