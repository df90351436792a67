//! How fast are pages made profiles, profiles compared, and translations learnt? Pages of 300 tags and 1,000 words.

use diglot::laboratory::incremental::{self, TranslationModel};
use diglot::laboratory::lexicon::{Lexicon, Side, Translations};
use diglot::laboratory::text::Words;
use diglot::laboratory::verify::{Own, Params, Profile, ProfileParams, VERIFIERS, With};
use diglot::types::{Block, Lang, LangPair, Link, Page, TEXT_TOKEN};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// Numbers that look as if by chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) as usize * end) >> 31
    }

    /// The rank of a word, as frequent as in texts: one over its rank (Zipf).
    fn rank(&mut self, words: usize) -> usize {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        (words as f64).powf(share) as usize - 1
    }
}

const RANKS: usize = 30_000;

/// The word of a rank in a language; a language is a letter.
fn word(rank: usize, language: char) -> String {
    let syllables = ["ka", "ro", "mi", "tes", "lun", "po", "de", "van", "sil", "gra"];
    let digits = rank.to_string();
    let mut word: String = digits.bytes().map(|digit| syllables[usize::from(digit - b'0')]).collect();
    word.push(language);
    word
}

/// A text of so many words, one in eight of them different in each translation.
fn ranks(document: usize, words: usize, language: char) -> Vec<usize> {
    let mut shared = Chance(document as u64);
    let mut own = Chance(document as u64 ^ u64::from(u32::from(language)) << 32);
    let rank = |_| {
        let (rank, other) = (shared.rank(RANKS), own.rank(RANKS));
        if own.below(8) == 0 { other } else { rank }
    };
    (0..words).map(rank).collect()
}

fn page(document: usize, language: char) -> Page {
    let mut page = Page::default();
    let mut chance = Chance(document as u64 ^ u64::from(u32::from(language)));
    for chunk in ranks(document, 1000, language).chunks(20) {
        let words: Vec<String> = chunk.iter().map(|&rank| word(rank, language)).collect();
        let start = page.text.len() as u32;
        page.text.push_str(&words.join(" "));
        page.text.push('.');
        page.blocks.push(Block { start, end: page.text.len() as u32, ..Block::default() });
        page.text.push('\n');
        let tags = page.tags.len() as u16;
        page.tags.extend((tags..tags + 5).map(|tag| tag % 40));
        page.tags.push(TEXT_TOKEN | (20 + chance.below(5) as u16));
        if chance.below(10) == 0 {
            page.tags.push(chance.below(90) as u16);
        }
        let url = format!("https://example.org/{language}/articles/{}.html", chance.below(500));
        page.links.push(Link { url, ..Link::default() });
    }
    page
}

fn languages() -> (Lang, Lang, LangPair) {
    let fr = Lang::parse("fr").expect("a tag");
    (Lang::EN, fr, LangPair::new(Lang::EN, fr).expect("two languages"))
}

fn profile(words: &Words, document: usize, language: char, lang: Lang) -> Profile {
    let page = Page { body_bytes: document as u32 * 7 + 20_000, ..page(document, language) };
    let url = format!("https://example.org/{language}/articles/{document}.html");
    Profile::new(&page, &url, lang, &Own::default(), words, &ProfileParams::default())
}

fn lexicon() -> Lexicon {
    let hash = diglot::laboratory::text::hash;
    let pairs = (0..RANKS)
        .step_by(2)
        .flat_map(|rank| [0, 7, 31].map(|other| (hash(&word(rank, 'e')), hash(&word((rank + other) % RANKS, 'f')))));
    Lexicon::new(languages().2, pairs)
}

#[divan::bench(args = ["latin", "cyrillic", "chinese"])]
fn words_of_text(bencher: Bencher<'_, '_>, kind: &str) {
    let text = match kind {
        "latin" => page(1, 'e').text.replace("lun", "lün"),
        "cyrillic" => "Мы нашли переводы страниц, которые никто не искал. ".repeat(150),
        _ => "我们在网站上找到了许多互为翻译的网页，并把它们对齐。".repeat(60),
    };
    let words = Words::new();
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let mut sum = 0;
        words.for_each(&text, |_, word| sum ^= word);
        sum
    });
}

#[divan::bench]
fn profiles(bencher: Bencher<'_, '_>) {
    let (words, page) = (Words::new(), page(1, 'e'));
    bencher.counter(BytesCount::new(page.text.len())).counter(ItemsCount::new(1u32)).bench_local(|| {
        Profile::new(&page, "https://example.org/e/1", Lang::EN, &Own::default(), &words, &ProfileParams::default())
    });
}

/// One page of each pair translates the other, or another page.
#[divan::bench(args = VERIFIERS.iter().map(|verifier| verifier.name()))]
fn pairs(bencher: Bencher<'_, '_>, name: &str) {
    let words = Words::new();
    let verifier = diglot::laboratory::verify::verifier(name).expect("its name");
    let (en, fr, _) = languages();
    let ones: Vec<Profile> = (0..16).map(|document| profile(&words, document, 'e', en)).collect();
    let others: Vec<Profile> = (0..16).map(|document| profile(&words, document, 'f', fr)).collect();
    let (params, lexicon) = (Params::default(), lexicon());
    let with = With { translations: Some(&lexicon), ..With::new(&params) };
    bencher.counter(ItemsCount::new(32u32)).bench_local(|| {
        let similarity = |at: usize, shift: usize| verifier.similarity(&ones[at], &others[(at + shift) % 16], &with);
        (0..16).filter_map(|at| Some(similarity(at, 0)? + similarity(at, 1)?)).sum::<f64>()
    });
}

/// One pass over 20,000 pairs of sentences of 20 words; tokens of both languages are counted.
#[divan::bench(args = [1, 3], sample_count = 3, sample_size = 1)]
fn training(bencher: Bencher<'_, '_>, passes: usize) {
    let hashes = |document, language| -> Vec<u64> {
        let ranks = ranks(document, 20, language);
        ranks.into_iter().map(|rank| diglot::laboratory::text::hash(&word(rank, language))).collect()
    };
    let sentences: Vec<_> =
        (0..20_000).map(|document| (hashes(document * 977, 'e'), hashes(document * 977, 'f'))).collect();
    let pairs: Vec<_> = sentences.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
    bencher.counter(ItemsCount::new(passes * pairs.len() * 40)).bench_local(|| {
        let mut model = TranslationModel::new(incremental::Params::default());
        model.train(&pairs, passes);
        model.len()
    });
}

#[divan::bench]
fn translations(bencher: Bencher<'_, '_>) {
    let (lexicon, hash) = (lexicon(), diglot::laboratory::text::hash);
    let asked: Vec<u64> = (0..1000).map(|rank| hash(&word(rank * 29, 'e'))).collect();
    bencher.counter(ItemsCount::new(asked.len())).bench_local(|| {
        let mut sum = 0;
        asked.iter().for_each(|&word| lexicon.for_each_translation(Side::A, word, &mut |other| sum ^= other));
        sum
    });
}
