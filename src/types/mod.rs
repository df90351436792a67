//! The types that pass between the folders of this crate. They hold data and do no work.

mod bitext;
mod capture;
mod counted;
mod document;
mod id;
mod judged;
mod key;
mod lang;
mod lang_codes;
mod mark;
pub(crate) mod measures;
mod page;
mod pair;
mod record;
mod session;
mod similarity;
mod skip;
mod steps;
mod url;

pub use bitext::{Bead, BitextLine, Place};
pub use capture::{Capture, Form, Pointer, RawRecord};
pub use counted::counted;
pub use document::{AlignedSentences, DocumentLine, PageLine, SentencePlace};
pub use id::{ArchiveId, SiteId};
pub use judged::{Beliefs, Candidate, Compared, JudgedPair, JudgedSite, Method, Outcome, SourceStats};
pub use key::{Edit, Field, Key, NULL, pattern, unescape};
pub use lang::{Lang, LangPair};
pub use mark::{Mark, Marked, Verdict};
pub use page::{Block, Image, Link, LinkKind, Page, TEXT_TOKEN, tag_code, tag_name};
pub use pair::{FetchLine, PagePair, PairLine};
pub use record::CopiedRecord;
pub use session::{may_name_session, without_session};
pub use similarity::{MEASURES, Measure, Similarities};
pub use skip::{Skip, SkipReason};
pub use steps::{Step, Watch};
pub use url::{CanonicalUrl, family, host_of, public_suffix, registrable_domain};
