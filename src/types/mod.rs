//! The types that pass between the folders of this crate. They hold data and do no work.

mod bitext;
mod block_kind;
mod capture;
mod coded;
mod counted;
mod document;
mod id;
mod judged;
mod key;
mod key_scope;
mod lang;
mod lang_codes;
mod mark;
pub(crate) mod measures;
mod nearest_name;
mod number;
mod page;
mod pair;
mod record;
mod session;
mod signals;
mod similarity;
mod skip;
mod steps;
mod unit;
mod url;

pub use bitext::{Bead, BitextLine, Place, Told};
pub use block_kind::BlockKind;
pub use capture::{Capture, Form, Pointer, RawRecord, RecordName};
pub(crate) use coded::coded;
pub use counted::{counted, grouped};
pub use document::{AlignedSentences, DocumentLine, LanguageLine, PageLine, SentencePlace};
pub use id::{ArchiveId, SiteId};
pub use judged::{Beliefs, Candidate, Compared, JudgedPair, JudgedSite, Method, Outcome, SourceStats};
pub use key::{Edit, Field, Key, NULL, pattern, unescape};
pub use key_scope::{Counted, KeyScope};
pub use lang::{Lang, LangPair, is_whole_tag};
pub use mark::{Mark, Marked, Verdict};
pub(crate) use nearest_name::meant;
pub use nearest_name::nearest_name;
pub use number::number;
pub use page::{Block, EXTRACTION, EXTRACTOR, Image, Link, LinkKind, Page, TEXT_TOKEN, tag_code, tag_name};
pub use pair::{FetchLine, PagePair, PairLine};
pub use record::CopiedRecord;
pub use session::{may_name_session, without_session};
pub use signals::{OptOuts, Provenance, Signals, Translated, TranslationMark};
pub use similarity::{MEASURES, Measure, Similarities};
pub use skip::{Skip, SkipReason};
pub use steps::{Step, Watch};
pub use unit::{UnitLine, UnitPair, UnitText};
pub use url::{
    CanonicalUrl, domain_of, family, host_of, name_of_host, public_suffix, registrable_domain, without_port,
    without_scheme,
};
