//! The back door, for the laboratory of the repository (`tests/lab`): what it measures and attacks of what lies behind the other doors.
//! No promise is made about any of it. A test demands that the laboratory names all that stands here.

pub mod align {
    pub use crate::align::train::{KnownWords, learn};
    pub use crate::align::{Cost, Document, Lengths, Model, Params, Span, WordEvidence, align, align_by};
}
pub mod archive {
    pub use crate::archive::{Item, Params, capture, capture_usual, expand, open};
}
pub mod extract {
    pub use crate::extract::{Params, extract};
}
pub mod index {
    pub use crate::index::site::{PageFacts, Pages, Urls};
    pub use crate::index::web::{ListedWeb, Web};
}
pub mod incremental {
    pub use crate::papers::incremental::{Params, TranslationModel};
}
pub mod judge {
    pub use crate::judge::score::{Example, FitParams, Scorer, inputs};
}
pub mod keys {
    pub use crate::keys::{Params, discover};
}
pub mod letters {
    pub use crate::language::letters::{Letters, count};
}
pub mod lexicon {
    pub use crate::lexicon::{Lexicon, Side, Translations};
}
pub mod models {
    pub use crate::site::models::{given, read};
}
pub mod propose {
    pub use crate::propose::{Partners, direct, of_words};
}
pub mod retrieval {
    pub use crate::index::retrieval::Params;
}
pub mod site {
    pub use crate::site::{Site, open::OpenSite};
}
pub mod store {
    pub use crate::store::frames::{BUNDLE_MAGIC, FRAME_HEADER, FRAME_MAGIC, PACKED_MAGIC};
    pub use crate::store::laboratory::{
        MANIFEST, Manifest, RunName, RunWriter, SiteWeb, VIEW, View, folders, frame, framed, hole, pack, pack_small,
        sealed_manifest, sealed_run, segment_header, unpack,
    };
    pub use crate::store::layout::{BatchRecord, PageEntry, StoredPage, block, encode, page_of_block, web_records};
    pub use crate::store::records::{RecordFile, RecordRef, START};
}
pub mod text {
    pub use crate::text::sentences::for_each_sentence;
    pub use crate::text::words::{Words, hash};
}
pub mod verify {
    pub use crate::verify::{Own, PageIds, Params, Profile, ProfileParams, SiteView, VERIFIERS, With, verifier};
}
