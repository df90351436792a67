//! Profiles: the facts about a page that the measures use, computed once.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::word_filter::WordFilter;
use crate::text::words::{Words, number, numbers_inside};
use crate::types::{Block, CanonicalUrl, Lang, Link, LinkKind, Page, TEXT_TOKEN, may_name_session, tag_name};

/// Settings of profiles.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ProfileParams {
    /// How many words at the beginning of a page are used. An estimate: they suffice to compare longer pages, and a profile stays under
    /// half a megabyte.
    pub max_words: usize,
    /// How many entries at the beginning of the tag sequence are used. An estimate, for the same reasons.
    pub max_tags: usize,
    /// How many first letters two words must have in common to be cognates. Simard et al. (1992) use 4; one more leaves out most chance
    /// matches of short words (an estimate).
    pub stem_letters: usize,
}

impl Default for ProfileParams {
    fn default() -> ProfileParams {
        ProfileParams { max_words: 20_000, max_tags: 2_000, stem_letters: 5 }
    }
}

/// A block of text of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockShape {
    /// Code of its tag.
    pub tag: u16,
    /// Bytes of its text.
    pub bytes: u32,
    /// Where its words end among the words of the page.
    pub words_end: u32,
}

impl BlockShape {
    /// The shape of a block whose words are not used.
    pub fn of(block: &Block) -> BlockShape {
        BlockShape { tag: block.tag, bytes: block.end.saturating_sub(block.start), words_end: 0 }
    }
}

/// What tells a page's own content from the furniture of its site.
#[derive(Clone, Copy, Default)]
pub struct Own<'f> {
    /// Hashes of the blocks and images that are furniture; `None`: there is none.
    pub furniture: Option<&'f FxHashSet<u64>>,
    /// If the own text has fewer bytes than this, the whole text is used instead.
    pub min_bytes: u32,
    /// The share of the whole text that must be its own where that is used instead, for it to decide whether the page is translated.
    pub min_share: f64,
}

impl Own<'_> {
    fn has(&self, thing: u64) -> bool {
        self.furniture.is_none_or(|furniture| !furniture.contains(&thing))
    }
}

/// The facts about one page that the measures use. Hashes are xxh3, 64 bits; multisets are sorted and keep repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The language the page counts for.
    pub lang: Lang,
    /// Bytes of the page as served, after decoding.
    pub body_bytes: u32,
    /// Bytes of its own text (`own_text`).
    pub text_bytes: u32,
    /// True where its own text is too short to be used and most of the text used instead is furniture, which makes it similar to other pages.
    pub is_mostly_furniture: bool,
    /// Number of start tags.
    pub tag_count: u32,
    /// Number of blocks of text.
    pub paragraphs: u32,
    /// Start tags and runs of text ([`Page::tags`]), in order.
    pub tags: Vec<u16>,
    /// Start tags that are not visual (Liu et al. 2014, §3.2: all but those "such as B, FONT"), in order.
    pub structure: Vec<u16>,
    /// Words in order, by [`hash`](crate::text::words::hash).
    pub words: Vec<u64>,
    /// The words of its own text, counted.
    pub bag: Arc<Bag>,
    /// Numbers of its own text, also those joined to letters (`4ª`), as a multiset.
    pub numbers: Vec<u64>,
    /// Beginnings of words of its own text, in Latin, Greek and Cyrillic letters, and numbers, as a multiset: see `stem`.
    pub stems: Vec<u64>,
    /// Identities of the pages that links lead to, as a multiset.
    pub links: Vec<u64>,
    /// Number of links of the page.
    pub link_count: u32,
    /// Identities of its own images, as a multiset.
    pub images: Vec<u64>,
    /// Texts of blocks, as a multiset.
    pub blocks: Vec<u64>,
    /// Blocks in order.
    pub layout: Vec<BlockShape>,
    /// Versions in other languages that the page declares (`hreflang`): identity and language, sorted; without the page itself.
    pub alternates: Vec<(u64, Lang)>,
    /// The page's own identity.
    pub identity: u64,
}

impl Profile {
    /// The profile of a page that counts for the language `lang`.
    pub fn new(page: &Page, url: &str, lang: Lang, own: &Own<'_>, words: &Words, params: &ProfileParams) -> Profile {
        let mut profile = Profile {
            lang,
            body_bytes: page.body_bytes,
            paragraphs: u32::try_from(page.blocks.len()).unwrap_or(u32::MAX),
            link_count: u32::try_from(links_of(page).count()).unwrap_or(u32::MAX),
            identity: identity(url),
            tags: page.tags[..page.tags.len().min(params.max_tags)].to_vec(),
            ..Profile::default()
        };
        profile.look_at_tags(page, params);
        profile.look_at_text(page, own, words, params);
        profile.look_at_links(page, own);
        profile
    }

    /// Bytes that it takes in memory.
    pub fn bytes(&self) -> usize {
        let hashes = [&self.words, &self.numbers, &self.stems, &self.links, &self.images, &self.blocks];
        let of_hashes = hashes.iter().map(|hashes| hashes.capacity() * size_of::<u64>()).sum::<usize>();
        let of_tags = (self.tags.capacity() + self.structure.capacity()) * size_of::<u16>();
        let of_bag = self.bag.entries.capacity() * size_of::<(u64, u32)>() + self.bag.filter.bytes();
        let of_layout = self.layout.capacity() * size_of::<BlockShape>();
        size_of::<Profile>()
            + of_hashes
            + of_tags
            + of_bag
            + of_layout
            + self.alternates.capacity() * size_of::<(u64, Lang)>()
    }

    /// A copy with only those facts that are needed by measures which depend on the two languages.
    pub fn words_alone(&self) -> Profile {
        Profile { lang: self.lang, text_bytes: self.text_bytes, bag: Arc::clone(&self.bag), ..Profile::default() }
    }

    /// The words of a block, in order.
    pub fn words_of(&self, block: usize) -> &[u64] {
        let start = block.checked_sub(1).map_or(0, |before| self.layout[before].words_end);
        &self.words[start as usize..self.layout[block].words_end as usize]
    }

    fn look_at_tags(&mut self, page: &Page, params: &ProfileParams) {
        let mut tags = 0;
        for &tag in page.tags.iter().filter(|&tag| tag & TEXT_TOKEN == 0) {
            tags += 1;
            if self.structure.len() < params.max_tags && !is_visual(tag) {
                self.structure.push(tag);
            }
        }
        self.tag_count = tags;
    }

    fn look_at_text(&mut self, page: &Page, own: &Own<'_>, words: &Words, params: &ProfileParams) {
        let texts = || page.blocks.iter().map(|block| page.text.get(block.start as usize..block.end as usize));
        self.blocks = texts().map(|text| text.map_or(0, hash_of_block)).collect();
        let bytes_of =
            |hash: &u64, text: Option<&str>| if own.has(*hash) { text.map_or(0, |text| text.len() + 1) } else { 0 };
        let own_bytes: usize = self.blocks.iter().zip(texts()).map(|(hash, text)| bytes_of(hash, text)).sum();
        let is_enough = own_bytes >= own.min_bytes as usize;
        self.is_mostly_furniture = !is_enough && (own_bytes as f64) < own.min_share * page.text.len() as f64;
        self.text_bytes = u32::try_from(if is_enough { own_bytes } else { page.text.len() }).unwrap_or(u32::MAX);
        let mut own_words = Vec::new();
        for (at, block) in page.blocks.iter().enumerate() {
            let text = page.text.get(block.start as usize..block.end as usize);
            let is_own = !is_enough || own.has(self.blocks[at]);
            let looked_at = if self.words.len() < params.max_words { text } else { None };
            words.for_each(looked_at.unwrap_or(""), |surface, word| {
                if self.words.len() >= params.max_words {
                    return;
                }
                self.words.push(word);
                if !is_own {
                    return;
                }
                own_words.push(word);
                if let Some(number) = number(surface) {
                    self.numbers.push(number);
                    self.stems.push(number);
                    return;
                }
                self.numbers.extend(numbers_inside(surface));
                self.stems.extend(stem(surface, params.stem_letters));
            });
            let words_end = self.words.len() as u32;
            self.layout.push(BlockShape { words_end, ..BlockShape::of(block) });
        }
        self.blocks.sort_unstable();
        self.numbers.sort_unstable();
        self.stems.sort_unstable();
        self.bag = Arc::new(Bag::new(&own_words));
    }

    fn look_at_links(&mut self, page: &Page, own: &Own<'_>) {
        for link in links_of(page) {
            let target = identity(&link.url);
            self.links.push(target);
            if let Some(lang) = link.hreflang.filter(|_| target != self.identity) {
                self.alternates.push((target, lang));
            }
        }
        self.images = page.images.iter().map(|image| identity(&image.url)).filter(|&image| own.has(image)).collect();
        self.links.sort_unstable();
        self.images.sort_unstable();
        self.alternates.sort_unstable();
        self.alternates.dedup();
    }
}

/// The links of a page, without those that name the page itself.
fn links_of(page: &Page) -> impl Iterator<Item = &Link> {
    page.links.iter().filter(|link| link.kind != LinkKind::Own)
}

/// The hash of a block of text.
pub fn hash_of_block(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// The hash of a URL without its scheme ([`CanonicalUrl::identity`]); of the unchanged text where it is not a URL.
pub fn identity(url: &str) -> u64 {
    match plain_identity(url) {
        Some(identity) => xxh3_64(identity.as_bytes()),
        None => match CanonicalUrl::parse(url) {
            Ok(parsed) => xxh3_64(parsed.identity().as_bytes()),
            Err(_) => xxh3_64(url.as_bytes()),
        },
    }
}

/// The identity of a URL that parsing would not change, which is true of most links.
fn plain_identity(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let is_host = host.bytes().all(|b| b.is_ascii_lowercase() || b == b'.' || b == b'-')
        && !host.contains("..")
        && !host.split('.').any(|label| label.starts_with("xn--") || label.is_empty());
    let is_path = path.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_~/+,;=&()!$*@?:.".contains(&b));
    let is_plain = is_path && !path.contains("/.") && !path.ends_with('?') && !may_name_session(path);
    (is_host && is_plain).then_some(rest)
}

/// True for tags that only describe how text looks: two editors use them differently.
fn is_visual(tag: u16) -> bool {
    VISUAL.contains(&tag_name(tag))
}

/// Elements that only change the look of text, and `span`, which has no other use.
const VISUAL: &[&str] = &[
    "b", "basefont", "big", "blink", "center", "em", "font", "i", "mark", "marquee", "nobr", "s", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u", "wbr",
];

/// The hash of the first `letters` letters of a word, in lower case, without the accents of Latin letters. `None` for words with fewer
/// letters, and for words in other scripts than Latin, Greek and Cyrillic.
pub fn stem(word: &str, letters: usize) -> Option<u64> {
    let mut bytes = [0; 64];
    let mut used = 0;
    let mut characters = word.chars();
    for _ in 0..letters {
        let code = characters.next()? as usize;
        match *STEM_LETTERS.get(code)? {
            NO_LETTER => return None,
            plain @ 1..0x80 if used < bytes.len() => {
                bytes[used] = plain as u8;
                used += 1;
            }
            other => {
                if used + 4 > bytes.len() {
                    return None;
                }
                if other == TWO_LETTERS {
                    bytes[used] = b'i';
                    used += 1;
                }
                let letter = if other == TWO_LETTERS { '\u{307}' } else { char::from_u32(u32::from(other))? };
                used += letter.encode_utf8(&mut bytes[used..]).len();
            }
        }
    }
    (letters > 0).then(|| xxh3_64(&bytes[..used]))
}

/// Stands for a character that is not a letter.
const NO_LETTER: u16 = 0;
/// Stands for `i̇`, the lower case of `İ`, the only letter of these scripts whose lower case has two characters.
const TWO_LETTERS: u16 = u16::MAX;

/// The replacement of each character of Latin, Greek and Cyrillic in [stems](stem).
static STEM_LETTERS: LazyLock<[u16; 0x530]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let letter = u32::try_from(code).ok().and_then(char::from_u32).filter(|c| c.is_alphabetic());
        let Some(letter) = letter else { return NO_LETTER };
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(lower), None) => without_accent(lower) as u16,
            _ => TWO_LETTERS,
        }
    })
});

/// The ASCII letter of an accented letter; others are unchanged.
fn without_accent(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => letter,
    }
}

/// Words and their numbers of occurrences, for lookup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bag {
    /// Sorted by word, each once.
    entries: Vec<(u64, u32)>,
    filter: WordFilter,
    total: u32,
}

impl Bag {
    /// Counts words.
    pub fn new(words: &[u64]) -> Bag {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let mut entries: Vec<(u64, u32)> = Vec::new();
        for word in sorted {
            match entries.last_mut() {
                Some((last, count)) if *last == word => *count += 1,
                _ => entries.push((word, 1)),
            }
        }
        Bag::of_counts(entries)
    }

    /// Makes a bag of words, sorted by hash, each with its number of occurrences.
    fn of_counts(entries: Vec<(u64, u32)>) -> Bag {
        let filter = WordFilter::new(entries.iter().map(|(word, _)| *word));
        let total = entries.iter().map(|(_, count)| count).sum();
        Bag { entries, filter, total }
    }

    /// The position of a word among the different words, in order of hash.
    pub fn find(&self, word: u64) -> Option<usize> {
        let search = || self.entries.binary_search_by_key(&word, |(known, _)| *known).ok();
        if self.filter.may_have(word) { search() } else { None }
    }

    /// True when the word is in the bag.
    pub fn has(&self, word: u64) -> bool {
        self.find(word).is_some()
    }

    /// The different words in order of hash, each with its number of occurrences.
    pub fn entries(&self) -> &[(u64, u32)] {
        &self.entries
    }

    /// The number of words, counting repetitions.
    pub fn total(&self) -> u32 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::words::hash;
    use crate::types::{Block, Image, Link, tag_code};

    fn page() -> Page {
        let lines = ["In 2026, 3 développements.", "In"];
        let mut page = Page::default();
        for line in lines {
            let start = page.text.len() as u32;
            page.text.push_str(line);
            page.blocks.push(Block { start, end: page.text.len() as u32, ..Block::default() });
            page.text.push('\n');
        }
        page.tags = vec![tag_code("p"), tag_code("b"), TEXT_TOKEN | 4, tag_code("li"), TEXT_TOKEN | 1];
        let fr = Lang::parse("fr");
        for (url, hreflang) in
            [("https://x.org/fr", fr), ("http://x.org/en", Some(Lang::EN)), ("http://y.org/a?", None)]
        {
            page.links.push(Link { url: url.to_owned(), hreflang, ..Link::default() });
        }
        page.images.push(Image { url: "http://x.org/i.png".to_owned(), ..Image::default() });
        Page { body_bytes: 900, ..page }
    }

    #[test]
    fn what_stands_on_many_pages_is_no_word_of_the_page() {
        let furniture: FxHashSet<u64> = [hash_of_block("In"), identity("http://x.org/i.png")].into_iter().collect();
        let made = |min_bytes: u32| {
            let own = Own { furniture: Some(&furniture), min_bytes, min_share: 0.4 };
            Profile::new(&page(), "https://x.org/en", Lang::EN, &own, &Words::new(), &ProfileParams::default())
        };
        let own = made(10);
        assert_eq!((own.bag.total(), own.text_bytes, own.images.len(), own.words.len()), (4, 28, 0, 5));
        // The own text is too short, so the whole text counts as own.
        let all = made(100);
        assert_eq!((all.bag.total(), all.text_bytes), (5, 31));
    }

    #[test]
    fn own_text_that_is_long_enough_decides_whatever_share_of_the_page_it_is() {
        let furniture: FxHashSet<u64> = [hash_of_block("In 2026, 3 développements.")].into_iter().collect();
        let made = |min_bytes: u32| {
            let own = Own { furniture: Some(&furniture), min_bytes, min_share: 0.4 };
            Profile::new(&page(), "https://x.org/en", Lang::EN, &own, &Words::new(), &ProfileParams::default())
        };
        // Three bytes of 31 are its own.
        let (used, too_short) = (made(3), made(4));
        assert_eq!((used.bag.total(), used.is_mostly_furniture), (1, false));
        assert_eq!((too_short.bag.total(), too_short.is_mostly_furniture), (5, true));
    }

    #[test]
    fn a_profile_has_what_the_page_has() {
        let made = Profile::new(
            &page(),
            "https://x.org/en",
            Lang::EN,
            &Own::default(),
            &Words::new(),
            &ProfileParams::default(),
        );
        assert_eq!((made.body_bytes, made.tag_count, made.paragraphs, made.link_count), (900, 3, 2, 3));
        assert_eq!(made.tags.len(), 5);
        assert_eq!(made.structure, [tag_code("p"), tag_code("li")]);
        assert_eq!(made.words, ["in", "2026", "3", "développements", "in"].map(hash));
        assert_eq!(made.bag.total(), 5);
        assert_eq!(made.bag.find(hash("in")).map(|at| made.bag.entries()[at].1), Some(2));
        let sorted = |mut hashes: Vec<u64>| {
            hashes.sort_unstable();
            hashes
        };
        assert_eq!(made.numbers, sorted(vec![hash("2026"), hash("3")]));
        assert_eq!(made.stems, sorted(vec![hash("2026"), hash("3"), hash("devel")]));
        assert_eq!(made.links, sorted(["x.org/fr", "x.org/en", "y.org/a"].map(|at| xxh3_64(at.as_bytes())).to_vec()));
        // The page is not listed as a version of itself.
        assert_eq!(made.alternates, [(xxh3_64(b"x.org/fr"), Lang::parse("fr").expect("a tag"))]);
        assert_eq!(made.identity, xxh3_64(b"x.org/en"));
        assert_eq!(made.images, [xxh3_64(b"x.org/i.png")]);
        assert_eq!(made.blocks.len(), 2);
    }

    #[test]
    fn long_pages_are_cut() {
        let params = ProfileParams { max_words: 2, max_tags: 1, ..ProfileParams::default() };
        let made = Profile::new(&page(), "https://x.org/en", Lang::EN, &Own::default(), &Words::new(), &params);
        assert_eq!((made.words.len(), made.tags.len(), made.structure.len()), (2, 1, 1));
        assert_eq!((made.tag_count, made.blocks.len()), (3, 2));
    }

    #[test]
    fn stems_are_letters_of_alphabets() {
        assert_eq!(stem("Développement", 5), stem("development", 5));
        assert_eq!(stem("функция", 4), stem("Функцией", 4));
        for word in ["abc", "香港天文台", "a1bcd", ""] {
            assert_eq!(stem(word, 4), None, "{word}");
        }
    }

    /// As [`stem`], computed letter by letter.
    fn slow_stem(word: &str, letters: usize) -> Option<u64> {
        let first: Vec<char> = word.chars().take(letters).collect();
        let fits = first.len() == letters && first.iter().all(|c| c.is_alphabetic() && *c as u32 <= 0x52f);
        let lower: String = first.iter().flat_map(|c| c.to_lowercase()).map(without_accent).collect();
        (fits && letters > 0).then(|| xxh3_64(lower.as_bytes()))
    }

    #[test]
    fn every_visual_tag_has_a_code() {
        assert!(VISUAL.iter().all(|name| tag_code(name) != 0));
    }

    proptest! {
        #[test]
        fn plain_addresses_have_the_identity_that_parsing_gives(
            url in r"https?://[a-zX0-9.\-]{1,8}(:80)?/[a-zA-Z0-9./?%@ é;:+~_-]{0,12}(;jsessionid=1|\?PHPSESSID=2|&zenid=3)?",
        ) {
            if let (Some(plain), Ok(parsed)) = (plain_identity(&url), CanonicalUrl::parse(&url)) {
                prop_assert_eq!(plain, parsed.identity());
            }
        }

        #[test]
        fn stems_are_those_of_letter_by_letter(word in r"[a-zA-ZÀ-ɏΑ-ωА-яİßŉ]{0,7}|\PC{0,6}", letters in 0usize..7) {
            prop_assert_eq!(stem(&word, letters), slow_stem(&word, letters));
        }

        #[test]
        fn a_bag_finds_what_was_put_in(words in prop::collection::vec(0u64..300, 0..80), asked in 0u64..300) {
            let bag = Bag::new(&words);
            prop_assert_eq!(bag.has(asked), words.contains(&asked));
            prop_assert_eq!(bag.total() as usize, words.len());
        }
    }
}
