//! Untranslated copies of one site, told by links and text: [`crate::iterate::copies`] with the pages of the store.

use super::site::{PageIds, SiteView};
use crate::error::Result;
use crate::index::graph::{Links, Neighbours};
use crate::index::site::Urls;
use crate::iterate::copies::{Homes, Params};
use crate::verify;

/// (copy, page it is a copy of), by copy, among pages that `is_paired` does not tell to be paired. Pages are read where a copy
/// is suspected.
///
/// # Errors
/// When the store cannot be read.
pub fn copies(view: &SiteView<'_>, is_paired: &dyn Fn(u32) -> bool, params: &Params) -> Result<Vec<(u32, u32)>> {
    let count = view.pages.count();
    let is_known = |page: u32| view.langs[page as usize].is_known();
    let mut links = Vec::new();
    for page in (0..count).filter(|&page| is_known(page)) {
        view.links.for_each_link(page, &mut |link| {
            if is_known(link.to) {
                links.push((page, link.to));
            }
        });
    }
    let homes = Homes::new(&view.langs, &|page| view.facts(page).declared, &Neighbours::new(count, links));
    let mut suspects: Vec<PageIds> = homes.suspects(&|page| view.facts(page).sketch, params);
    suspects.retain(|&(page, _)| !is_paired(page));
    let same = view.compare_each(&suspects, &|(_, first), (_, second)| verify::same_text(first, second))?;
    Ok(homes.copies(suspects.into_iter().zip(same), params))
}
