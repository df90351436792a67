//! Listings are asked for in one way: by host, by format, by number of lines.

use crate::support::{Held, diglot, failure, sample_store, stdout};

const FRENCH: &str = "fr.packaging.site.test";

#[test]
fn a_host_is_named_with_or_without_its_option() {
    let store = sample_store();
    for listing in ["pairs", "keys", "hosts", "bitext"] {
        let words: Vec<&str> = listing.split(' ').collect();
        let of = |host: &[&str]| stdout(store, &[&words, host].concat());
        let found = of(&[FRENCH]);
        assert!(found.lines().count() > 1, "{listing}: {found}");
        assert_eq!(found, of(&["--host", FRENCH]), "{listing}");
        assert!(found.len() < of(&[]).len(), "{listing}");
        let (code, stderr) = failure(diglot(store).args(&words).args(["--host", "nowhere.test"]));
        let advice = format!("`diglot hosts --store {}` lists those it has", store.display());
        assert!(code == 1 && stderr.contains(&advice), "{stderr}");
        diglot(store).args(&words).args([FRENCH, "--host", FRENCH]).assert().code(2);
    }
    assert_eq!(stdout(store, &["hosts", FRENCH]).lines().count(), 2);
    assert_eq!(stdout(store, &["hosts", "site.test"]), stdout(store, &["hosts"]));
}
