//! One page as the store has it: its text and links, and its record in the archive.

use std::path::Path;

use serde::Serialize;

use super::explain::RecordPlace;
use crate::archive::STREAM;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::intake::contents::{Wanted, copies};
use crate::site::bitext::page_record;
use crate::site::results::Site;
use crate::store::Store;
use crate::types::{ArchiveId, CanonicalUrl, Lang, LinkKind, tag_name};

/// A page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownPage {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The language of its text.
    pub lang: Lang,
    /// When it was captured, as RFC 3339 in UTC.
    pub captured: Option<String>,
    /// The charset it was read as.
    pub charset: String,
    /// Where its record lies.
    #[serde(flatten)]
    pub place: RecordPlace,
    /// Its blocks of text.
    pub blocks: Vec<ShownBlock>,
    /// Its links.
    pub links: Vec<ShownLink>,
}

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownBlock {
    /// Name of the tag around it.
    pub tag: &'static str,
    /// Its text.
    pub text: String,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownLink {
    /// Where it leads.
    pub url: String,
    /// Its text.
    pub anchor: String,
    /// The language that the link says its page has.
    pub hreflang: Option<Lang>,
}

/// The page of a URL; `None` where the store has none.
///
/// # Errors
/// When the store cannot be read.
pub fn shown_page(store: &Store, config: &Config, url: &CanonicalUrl) -> Result<Option<ShownPage>> {
    let Some((site, page)) = find(store, url)? else { return Ok(None) };
    let record = page_record(store, &site, page)?;
    let archive = store.archive(ArchiveId(record.archive))?.unwrap_or_default().identity.path;
    let text = record.text();
    let block = |block: crate::types::Block| ShownBlock {
        tag: tag_name(block.tag),
        text: text.get(block.start as usize..block.end as usize).unwrap_or_default().to_owned(),
    };
    let links = record.links().into_iter().filter(|link| link.kind != LinkKind::Own);
    let captured = jiff::Timestamp::from_millisecond(record.date_ms).ok().filter(|_| record.date_ms != 0);
    Ok(Some(ShownPage {
        url: record.url().to_owned(),
        title: record.title().to_owned(),
        lang: site.lang_of_text(page, &config.keys),
        captured: captured.map(|date| date.to_string()),
        charset: record.charset().to_owned(),
        place: RecordPlace { archive, offset: record.offset, length: record.length },
        blocks: record.blocks().map(block).collect(),
        links: links.map(|link| ShownLink { url: link.url, anchor: link.anchor, hreflang: link.hreflang }).collect(),
    }))
}

fn find(store: &Store, url: &CanonicalUrl) -> Result<Option<(Site, u32)>> {
    let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(None) };
    let site = Site::open(store, id)?;
    Ok(site.pages.find(url.identity()).map(|page| (site, page)))
}

/// The record of the page of a URL, as it lies in its archive; `None` where the store has no such page.
///
/// # Errors
/// When the store cannot be read, or the archive is gone or has no such record any more.
pub fn shown_record(store: &Store, config: &Config, url: &CanonicalUrl) -> Result<Option<Vec<u8>>> {
    let Some((site, page)) = find(store, url)? else { return Ok(None) };
    let record = page_record(store, &site, page)?;
    let archive = store.archive(ArchiveId(record.archive))?.unwrap_or_default().identity.path;
    let path = Path::new(&archive);
    let gone = |problem: &str| Err(Error::input(archive.clone(), problem));
    if archive == STREAM {
        return gone("it was read from standard input, and is not kept");
    }
    if !path.exists() {
        return gone("the archive is not there any more; the store has the text and the links of its pages alone");
    }
    let mut found = Vec::new();
    let wanted =
        Wanted { offset: Some(record.offset), url: Some(url.clone()), date_ms: Some(record.date_ms), body: false };
    copies(path, &config.archive, &wanted, |bytes| {
        found.extend_from_slice(bytes);
        Ok(())
    })?;
    if found.is_empty() {
        return gone("it has no record of this page at its place any more: it has changed");
    }
    Ok(Some(found))
}
