//! A limit on the address space (`ulimit -v`), of which allocators reserve far more than they use.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::bail;
use nix::sys::resource::{Resource, getrlimit};

/// Address space in which a run on a small site ends well, measured: most of it are the program, the stacks of its threads and the
/// catalog.
const MIN_BYTES: u64 = 288 << 20;
/// From here on what is reserved matters no more: a gigabyte, and 64 MiB for each thread.
const PLENTY_BYTES: u64 = 16 << 30;
/// Tells both allocators to reserve little at a time: that of this program, and that of its libraries in C.
const RESERVES: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "16MiB"), ("MALLOC_ARENA_MAX", "1")];

/// Where the address space is limited, begins the program anew with allocators that reserve little, unless the user has told them what
/// to do: they look before the program can say anything. Otherwise they leave none for threads and files, by chance, and an
/// allocation that fails ends a program without a word about why.
///
/// # Errors
/// When it is too small for any work.
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
        // Comes back only where the system does not allow it: then it may still go well.
        let _ = Command::new(program).arg0(name).args(arguments).envs(untold).exec();
    }
    Ok(())
}
