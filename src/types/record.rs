//! Records of archives, byte for byte, for export.

/// One record, copied out of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopiedRecord {
    /// The URL of the record's page, in the form that the store uses; the URL as the record has it where the record is no page.
    pub url: String,
    /// Header and block, byte for byte.
    pub record: Vec<u8>,
    /// The gzip member, byte for byte, if the record is alone in one.
    pub member: Option<Vec<u8>>,
}
