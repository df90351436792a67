//! Where test data lies that is no part of the repository.

use std::path::{Path, PathBuf};

/// A folder of the test data: of the folder that the environment variable `DIGLOT_REAL_DATA` names, or else of
/// `../shared/data` beside the repository.
///
/// # Panics
/// Where it is not there: a test that cannot run has not passed.
pub fn real(repository: &Path, folder: &str) -> PathBuf {
    let data = std::env::var_os("DIGLOT_REAL_DATA").map_or_else(|| repository.join("../shared/data"), PathBuf::from);
    let path = data.join(folder);
    assert!(
        path.is_dir(),
        "no test data: {} is not there; set DIGLOT_REAL_DATA to the folder that holds gold/, httrack/, warc/ and \
         warc-samples/",
        path.display()
    );
    path
}

/// Unpacks the HTTrack mirror of a site into a folder of its own.
pub fn mirror(repository: &Path, site: &str) -> tempfile::TempDir {
    let packed = real(repository, "httrack").join(format!("{site}.tar.zst"));
    let folder = tempfile::tempdir().expect("a folder");
    let tar = std::process::Command::new("tar")
        .args(["--use-compress-program", "zstd -d --long=27", "-xf"])
        .arg(&packed)
        .arg("-C")
        .arg(folder.path())
        .status();
    let is_unpacked = tar.is_ok_and(|status| status.success());
    assert!(is_unpacked, "{} cannot be unpacked, tar and zstd are needed", packed.display());
    folder
}
