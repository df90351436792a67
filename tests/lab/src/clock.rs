//! What this process has used of the machine, as Linux states it under `/proc/self`; 0 elsewhere.

use std::fs;

/// Ticks a second, the same on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of CPU outside the kernel and inside, all threads together.
fn seconds() -> [f64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields are counted from behind the name, which may hold spaces.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    [11, 12].map(|at| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / TICKS_PER_SECOND)
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
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}
