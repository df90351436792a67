//! Records of archives as they stand there, for export.

/// One record, copied out of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopiedRecord {
    /// Its URL.
    pub url: String,
    /// Header and block, byte for byte.
    pub record: Vec<u8>,
    /// The gzip member it stands in by itself, byte for byte; `None` where it stands in none.
    pub member: Option<Vec<u8>>,
}
