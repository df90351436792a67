//! How fast are two pages aligned, when what beads cost is made for a band at once, and when each bead asks by itself? Pages of
//! paragraphs with four sentences of 15 words, with a model learnt from ten others.

use diglot::laboratory::align::{
    Cost, Document, KnownWords, Lengths, Model, Params, Span, WordEvidence, align, align_by, learn,
};
use diglot::laboratory::text::Words;
use diglot::types::{Block, Lang};
use divan::Bencher;
use divan::counter::ItemsCount;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// Numbers that look as if by chance.
struct Chance(u64);

impl Chance {
    /// The rank of a word, as frequent as in texts: one over its rank (Zipf).
    fn rank(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let share = (self.0 >> 40) as f64 / f64::from(1 << 24);
        5000f64.powf(share) as usize
    }
}

/// A page in a language, which is a letter, and its paragraphs.
fn page(seed: u64, paragraphs: usize, language: char) -> (String, Vec<Block>) {
    let (mut text, mut blocks, mut chance) = (String::new(), Vec::new(), Chance(seed));
    for _ in 0..paragraphs {
        let start = text.len() as u32;
        for _ in 0..4 {
            let words: Vec<String> = (0..15).map(|_| format!("w{}{language}", chance.rank())).collect();
            text.push_str(&format!("The{language} {}. ", words.join(" ")));
        }
        blocks.push(Block { start, end: text.len() as u32, tag: 1, at: 0 });
        text.push('\n');
    }
    (text, blocks)
}

fn document<'t>((text, blocks): &'t (String, Vec<Block>), words: &Words) -> Document<'t> {
    Document::new(text, blocks.iter().copied(), Lang::EN, words, 20_000)
}

fn model(words: &Words) -> Model {
    let texts: Vec<_> = (0..10).map(|seed| (page(seed, 40, 'a'), page(seed, 40, 'b'))).collect();
    let pages: Vec<_> = texts.iter().map(|(a, b)| (document(a, words), document(b, words))).collect();
    learn(&pages, &[], &KnownWords::default(), &Params::default(), &())
}

/// Asks for each bead by itself.
struct Singly<'e>(&'e WordEvidence);

impl Cost for Singly<'_> {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        self.0.cost(a, b)
    }
}

fn aligned(bencher: Bencher, paragraphs: usize, singly: bool) {
    let (words, params, lengths) = (Words::new(), Params::default(), Lengths::default());
    let model = model(&words);
    let (a, b) = (page(99, paragraphs, 'a'), page(99, paragraphs, 'b'));
    let (a, b) = (document(&a, &words), document(&b, &words));
    bencher.counter(ItemsCount::new(a.sentences.len())).bench_local(|| {
        let evidence = WordEvidence::new(&a, &b, &model, &params.translation);
        if singly {
            align_by(&a, &b, vec![Box::new(lengths), Box::new(Singly(&evidence))], &lengths, &params)
        } else {
            align(&a, &b, &evidence, &lengths, &params)
        }
    });
}

#[divan::bench(args = [25, 250], sample_count = 10)]
fn a_band_at_once(bencher: Bencher, paragraphs: usize) {
    aligned(bencher, paragraphs, false);
}

#[divan::bench(args = [25, 250], sample_count = 10)]
fn each_bead_by_itself(bencher: Bencher, paragraphs: usize) {
    aligned(bencher, paragraphs, true);
}
