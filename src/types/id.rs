//! Dense numbers that the store gives and never reuses.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An archive (WARC, ARC, WACZ or mirror) that the store was given. Dense from 0, in the order of ingestion.
    ArchiveId
}
id! {
    /// A site of which the store has pages: a registrable domain, or several of one name with `--across-suffixes`. It is the unit of
    /// indexing and of key discovery. Dense from 0.
    SiteId
}
