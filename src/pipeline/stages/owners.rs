//! What the owners of hosts say of their pages, from left-out captures of their files, and which pages settings leave out.

use std::collections::BTreeMap;

use crate::archive::owners::Owner;
use crate::config::IndexParams;
use crate::store::layout::SkipEntry;
use crate::types::{OptOuts, SkipReason, host_of};

/// The owners of the hosts of a site.
pub struct Owners {
    /// What the owners say, by host; only hosts of which a file was captured.
    known: BTreeMap<String, Owner>,
}

impl Owners {
    /// Reads the files among the left-out captures of a site. `agent` is the crawler whose rules count.
    pub fn of(skipped: &[SkipEntry], agent: &str) -> Owners {
        let mut files: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for entry in skipped.iter().filter(|entry| entry.reason == SkipReason::OwnerFile as u8) {
            files.entry(host_of(&entry.identity)).or_default().push((&entry.identity, &entry.detail));
        }
        let owner = |(host, files): (&str, Vec<(&str, &str)>)| (host.to_owned(), Owner::read(files.into_iter(), agent));
        Owners { known: files.into_iter().map(owner).collect() }
    }

    /// What the owner of the host says of a page, by its URL without scheme.
    pub fn opt_outs(&self, identity: &str) -> OptOuts {
        let host = host_of(identity);
        self.known.get(host).map_or(OptOuts::default(), |owner| owner.opt_outs(&identity[host.len()..]))
    }
}

/// Why settings leave a page out; `None` if they do not.
pub fn left_out(params: &IndexParams, opt_outs: OptOuts, is_translated: bool) -> Option<SkipReason> {
    if params.respect_robots && opt_outs.concern_text() {
        return Some(SkipReason::OptedOut);
    }
    (params.skip_machine_translated && is_translated).then_some(SkipReason::MachineTranslated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_its_own_owner() {
        let entry = |identity: &str, reason, detail: &str| SkipEntry {
            identity: identity.to_owned(),
            reason: reason as u8,
            detail: detail.to_owned(),
            archive: 0,
            offset: 0,
            length: 0,
            declared: Vec::new(),
        };
        let rules = "2024-05-06T07:08:09Z\nuser-agent: *\ndisallow: /a";
        let skipped = [
            entry("a.ex.org/robots.txt", SkipReason::OwnerFile, rules),
            entry("b.ex.org/robots.txt", SkipReason::Status, "404"),
        ];
        let owners = Owners::of(&skipped, "*");
        let names = ["a.ex.org/a?b", "a.ex.org/b", "b.ex.org/a", "a.ex.org/a"].map(|url| owners.opt_outs(url).names());
        assert_eq!(names, ["robots.txt", "", "", "robots.txt"]);
    }

    #[test]
    fn pages_are_left_out_only_if_that_is_asked_for() {
        let params = |respect_robots, skip_machine_translated| IndexParams {
            respect_robots,
            skip_machine_translated,
            ..IndexParams::default()
        };
        let (none, some) = (OptOuts::default(), OptOuts::NO_AI);
        assert_eq!(left_out(&params(false, false), some, true), None);
        assert_eq!(left_out(&params(true, true), some, true), Some(SkipReason::OptedOut));
        assert_eq!(left_out(&params(true, true), none, true), Some(SkipReason::MachineTranslated));
        assert_eq!(left_out(&params(true, true), OptOuts::NO_IMAGE_AI, false), None);
        assert_eq!(left_out(&params(true, false), none, true), None);
    }
}
