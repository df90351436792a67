//! Dense numbers given by the store, never reused.

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
    /// An archive (WARC, ARC, WACZ or mirror) the store has been given. Dense from 0, in the order of ingestion.
    ArchiveId
}
id! {
    /// A registrable domain the store has pages of: the unit of indexing and of key discovery. Dense from 0.
    SiteId
}
