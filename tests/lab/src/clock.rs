//! What a process has used of the machine, as Linux states it under `/proc`; 0 elsewhere.

use std::fs;

/// Ticks a second, the same on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of CPU.
#[derive(Clone, Copy)]
pub struct CpuSeconds {
    /// Outside the kernel.
    pub user: f64,
    /// Inside.
    pub system: f64,
}

/// Two fields of `/proc/self/stat`, in seconds.
fn seconds_at(fields_at: [usize; 2]) -> [f64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields are counted from behind the name, which may hold spaces.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    fields_at.map(|at| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / TICKS_PER_SECOND)
}

/// Seconds of CPU outside the kernel and inside, all threads together.
fn seconds() -> [f64; 2] {
    seconds_at([11, 12])
}

/// The same of all children that have ended and were waited for.
pub fn children_seconds() -> CpuSeconds {
    let [user, system] = seconds_at([13, 14]);
    CpuSeconds { user, system }
}

/// Seconds of CPU outside the kernel.
pub fn user_seconds() -> f64 {
    seconds()[0]
}

/// Seconds of CPU outside the kernel and inside.
pub fn cpu_seconds() -> f64 {
    seconds().iter().sum()
}

/// The most memory this process has held, in bytes (`VmHWM`, mapped files included).
pub fn peak_bytes() -> f64 {
    peak_bytes_of(std::process::id())
}

/// The same of another process, so far.
pub fn peak_bytes_of(process: u32) -> f64 {
    status_bytes(process, "VmHWM:")
}

/// A line of a process's status that tells a size, in bytes; 0 when the process has ended.
pub fn status_bytes(process: u32, name: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}
