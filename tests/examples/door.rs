//! The library in one sitting: archives are read, their pairs are listed, and one page is asked why.
//!
//! ```text
//! cargo run --example door
//! ```

use diglot::types::CanonicalUrl;
use diglot::{Access, Scope, Store, explain, pairs, run_all};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Everything that diglot learns lies in a store, a folder. This one is gone when we are done.
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(&folder.path().join("sites.store"), Access::Write)?;

    // The archives of two sites come with the sources: a WARC, and a mirror by HTTrack. Nobody says how they write
    // their languages into their URLs; the default settings let diglot find out.
    let sites = concat!(env!("CARGO_MANIFEST_DIR"), "/data/sites");
    let config = run_all(&mut store, &[], &[sites])?;

    // What did it find at the French host? Each pair comes with the key, the rule of the URLs, that proposed it.
    let found = pairs(&store, &config, &Scope::of(&store, "fr.packaging.site.test")?)?;
    for pair in found.iter().take(5) {
        println!("{} ({})  {} ({})  by {}", pair.url_a, pair.lang_a, pair.url_b, pair.lang_b, pair.key);
    }
    assert!(found.len() >= 18, "{} pairs", found.len());
    assert!(found.iter().all(|pair| [&pair.url_a, &pair.url_b].iter().any(|url| url.contains("//fr."))));

    // And why are the first two a pair? An explanation is data: facts, candidates, and one verdict each.
    let (url_a, url_b) = (CanonicalUrl::parse(&found[0].url_a)?, CanonicalUrl::parse(&found[0].url_b)?);
    let explanation = explain(&store, &config, &url_a, Some(&url_b))?;
    let pair = explanation.pair.expect("two pages were asked for");
    println!("why: {}", pair.verdict);
    assert!(pair.verdict.to_string().contains("pair"), "{}", pair.verdict);
    Ok(())
}
