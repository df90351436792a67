//! Limits on the address space (`ulimit -v`), of which allocators reserve far more than they use.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::bail;
use nix::sys::resource::{Resource, getrlimit};

/// Smallest address space in which a run on a small site succeeds, as measured. Most of it goes to the program itself, the stacks of its
/// threads, and the catalog.
const MIN_BYTES: u64 = 288 << 20;
/// With this address space or more, the reserves of allocators do not matter: a gigabyte, and 64 MiB for each thread.
const PLENTY_BYTES: u64 = 16 << 30;
/// Make both allocators, this program's own and that of its C libraries, reserve little at a time.
const RESERVES: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "16MiB"), ("MALLOC_ARENA_MAX", "1")];

/// Where the address space is limited, starts the program again with allocators that reserve little, unless the user has configured them.
/// Allocators read their settings before the program runs its first line. Without this, they may leave no room for threads and files, and a
/// failed allocation ends a program without a message.
///
/// # Errors
/// When the address space is too small for any work.
pub fn keep_to_it() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::RLIMIT_AS).map_or(u64::MAX, |(soft, _)| soft);
    if limit < MIN_BYTES {
        let (limit, min) = (limit >> 20, MIN_BYTES >> 20);
        bail!("the address space is limited to {limit} MiB (`ulimit -v`), expected {min} MiB or more");
    }
    let untold: Vec<_> = RESERVES.into_iter().filter(|(name, _)| env::var_os(name).is_none()).collect();
    if limit >= PLENTY_BYTES || untold.is_empty() {
        return Ok(());
    }
    if let Ok(program) = env::current_exe() {
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_default();
        // Returns only where the system does not allow it; the command may still succeed.
        let _ = Command::new(program).arg0(name).args(arguments).envs(untold).exec();
    }
    Ok(())
}
