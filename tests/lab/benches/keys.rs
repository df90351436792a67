//! How fast are keys discovered, in URLs a second, in three layouts of a site? The tool `growth` measures memory.

use std::path::Path;

use diglot::laboratory::index::{PageFacts, Pages, Urls};
use diglot::laboratory::keys::{Params, discover};
use diglot::types::Lang;
use divan::Bencher;
use divan::counter::ItemsCount;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

struct Site(Vec<(String, Lang)>);

impl Urls for Site {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn identity(&self, page: u32) -> &str {
        &self.0[page as usize].0
    }
}

impl Pages for Site {
    fn facts(&self, page: u32) -> PageFacts {
        PageFacts { detected: self.0[page as usize].1, ..PageFacts::default() }
    }
}

fn site(layout: &str, urls: u32) -> Site {
    let mut pages: Vec<(String, Lang)> = (0..urls)
        .map(|page| {
            let (document, lang) = (page / 2, if page % 2 == 0 { "en" } else { "fr" });
            let stirred = document.wrapping_mul(0x9e37_79b9);
            let identity = match layout {
                "unique" => format!("x.org/docs/{lang}/d{}/article-{stirred:x}-about.html", stirred % 997),
                "shared" => format!("x.org/{lang}/section{}/name{}.html", document / 50, document % 50),
                _ => format!("x.org/view.php?id={document}&lang={lang}"),
            };
            (identity, Lang::parse(lang).expect("a tag"))
        })
        .collect();
    pages.sort_unstable();
    Site(pages)
}

#[divan::bench(args = ["unique", "shared", "ids"], consts = [1_000, 100_000], sample_count = 5)]
fn discovery<const URLS: u32>(bencher: Bencher<'_, '_>, layout: &str) {
    let site = site(layout, URLS);
    bencher.counter(ItemsCount::new(URLS)).bench_local(|| {
        discover(&site, &Params::default(), Default::default(), Path::new("."), &()).map(|found| found.pairs.len()).ok()
    });
}
