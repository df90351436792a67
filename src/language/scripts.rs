//! Which scripts a text is in.

use super::params::Params;
use crate::types::Lang;

/// What a script says of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// It is written by this language, or by this one for the most part.
    Alone(&'static str),
    /// Chinese, simplified or traditional.
    Han,
    /// Several languages write it, as Latin, Cyrillic, Arabic and Devanagari.
    Shared,
    /// Several languages write it, and neither words nor models know one of them so: Tifinagh, Canadian syllables, Syriac, Javanese.
    Unread,
}

/// Letters of a text by script.
#[derive(Clone, Debug)]
pub struct Scripts {
    han: u32,
    kana: u32,
    hangul: u32,
    shared: u32,
    unread: u32,
    alone: [u32; ALONE.len()],
}

impl Default for Scripts {
    fn default() -> Scripts {
        Scripts { han: 0, kana: 0, hangul: 0, shared: 0, unread: 0, alone: [0; ALONE.len()] }
    }
}

/// Ranges of scripts that one language writes, in order; not those of Javanese, Fula and others that hardly anyone writes so.
const ALONE: &[(u32, u32, &str)] = &[
    (0x0370, 0x03ff, "el"),
    (0x0530, 0x058f, "hy"),
    (0x0590, 0x05ff, "he"),
    (0x0780, 0x07bf, "dv"),
    (0x07c0, 0x07ff, "nqo"),
    (0x0980, 0x09ff, "bn"),
    (0x0a00, 0x0a7f, "pa"),
    (0x0a80, 0x0aff, "gu"),
    (0x0b00, 0x0b7f, "or"),
    (0x0b80, 0x0bff, "ta"),
    (0x0c00, 0x0c7f, "te"),
    (0x0c80, 0x0cff, "kn"),
    (0x0d00, 0x0d7f, "ml"),
    (0x0d80, 0x0dff, "si"),
    (0x0e00, 0x0e7f, "th"),
    (0x0e80, 0x0eff, "lo"),
    (0x0f00, 0x0fff, "bo"),
    (0x1000, 0x109f, "my"),
    (0x10a0, 0x10ff, "ka"),
    (0x1200, 0x137f, "am"),
    (0x13a0, 0x13ff, "chr"),
    (0x1780, 0x17ff, "km"),
    (0x1900, 0x194f, "lif"),
    (0x1950, 0x197f, "tdd"),
    (0x1980, 0x19df, "khb"),
    (0x1c00, 0x1c4f, "lep"),
    (0x1c50, 0x1c7f, "sat"),
    (0x1c90, 0x1cbf, "ka"),
    (0x1f00, 0x1fff, "el"),
    (0x2c80, 0x2cff, "cop"),
    (0x2d00, 0x2d2f, "ka"),
    (0xa000, 0xa4cf, "ii"),
    (0xa4d0, 0xa4ff, "lis"),
    (0xa500, 0xa63f, "vai"),
    (0xaa80, 0xaadf, "blt"),
    (0xab70, 0xabbf, "chr"),
    (0xabc0, 0xabff, "mni"),
    (0xfb1d, 0xfb4f, "he"),
    (0x104b0, 0x104ff, "osa"),
    (0x11100, 0x1114f, "ccp"),
];

/// True for the code of a letter of [`Script::Unread`].
fn is_unread(code: u32) -> bool {
    matches!(code, 0x700..=0x74f | 0x800..=0x86f | 0x1400..=0x1c7f | 0x2d30..=0x2ddf | 0xa800..=0xaa7f | 0x10000..=0x1ffff)
}

/// Of these languages, those that are written in other scripts too.
const ALSO_OTHERWISE: &[&str] = &["sat", "mni", "lep", "lif", "osa", "lis", "vai", "blt", "khb", "tdd", "chr", "ccp"];

/// True for a language with a script, or mixture of scripts, of its own, and no other.
pub fn is_alone(lang: Lang) -> bool {
    let base = lang.base();
    let of_ranges = ALONE.iter().map(|range| range.2).filter(|tag| !ALSO_OTHERWISE.contains(tag));
    of_ranges.chain(["zh", "zh-Hans", "zh-Hant", "ja", "ko"]).any(|tag| tag == base.as_str())
}

/// The code of the script that a language is written in besides Latin letters, if it is written in these too: the usual one; not for variants.
pub fn other_script(lang: Lang) -> Option<&'static str> {
    lang.other_scripts().first().copied()
}

/// A text with fewer kana than one to so many Han characters is Chinese: Japanese is mostly kana, and Chinese quotes a few.
const HAN_PER_KANA: u32 = 10;

/// So many bytes are counted at a time: as many as a processor takes at once, and few enough that pieces without a letter beyond
/// ASCII are many in any language of Latin letters.
const PIECE_BYTES: usize = 16;
/// So many bytes are counted at a time where it does not matter which they are: a byte has room for the count.
const LONG_PIECE_BYTES: usize = 64;

impl Scripts {
    /// Counts the letters of a text.
    pub fn count(text: &str) -> Scripts {
        let mut scripts = Scripts::default();
        let mut rest = text;
        while let Some((piece, _)) = rest.as_bytes().split_first_chunk::<PIECE_BYTES>() {
            let all = piece.iter().fold(0, |all, byte| all | byte);
            if all.is_ascii() {
                scripts.shared += letters_of_ascii(piece);
                rest = &rest[PIECE_BYTES..];
            } else {
                let end = (PIECE_BYTES..).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
                rest[..end].chars().for_each(|c| scripts.add(c));
                rest = &rest[end..];
            }
        }
        rest.chars().for_each(|c| scripts.add(c));
        scripts
    }

    fn add(&mut self, c: char) {
        match c as u32 {
            0x41..=0x5a | 0x61..=0x7a | 0xc0..=0x24f | 0x400..=0x52f | 0x1e00..=0x1eff => self.shared += 1,
            0..=0x36f => {}
            0x600..=0x6ff | 0x750..=0x77f | 0x900..=0x97f => self.shared += u32::from(c.is_alphabetic()),
            // Not the middle dot and the length mark, which Chinese uses too.
            0x3041..=0x30fa | 0x30fd..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => self.kana += 1,
            0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => self.han += 1,
            0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7af => self.hangul += 1,
            // Signs of Chinese and Japanese, letters and digits of full width.
            0x3000..=0x33ff | 0xff00..=0xffef => {}
            code => match ALONE.partition_point(|range| range.0 <= code).checked_sub(1) {
                Some(script) if code <= ALONE[script].1 => self.alone[script] += 1,
                _ if is_unread(code) => self.unread += u32::from(c.is_alphabetic()),
                _ => self.shared += u32::from(c.is_alphabetic()),
            },
        }
    }

    /// True where the text has letters of the script that a language has for itself.
    pub fn has_letters_of(&self, lang: Lang) -> bool {
        let tag = lang.base();
        let alone = self.alone.iter().zip(ALONE).any(|(&letters, range)| letters > 0 && range.2 == tag.as_str());
        alone
            || match tag.as_str() {
                "zh" | "zh-Hans" | "zh-Hant" => self.han > 0,
                "ja" => self.kana > 0,
                "ko" => self.hangul > 0,
                _ => false,
            }
    }

    /// How many letters the text has, an ideograph counting for several.
    pub fn letters(&self, params: &Params) -> u32 {
        let ideographs = self.han + self.kana + self.hangul;
        self.shared + self.unread + self.alone.iter().sum::<u32>() + ideographs * params.letters_per_ideograph
    }

    /// The script of most letters, and its share of them, 0..=1.
    pub fn main(&self, params: &Params) -> (Script, f32) {
        let per_ideograph = params.letters_per_ideograph;
        let east_asian = if self.kana * HAN_PER_KANA > self.han { Script::Alone("ja") } else { Script::Han };
        let mut found = vec![
            (self.shared, Script::Shared),
            ((self.han + self.kana) * per_ideograph, east_asian),
            (self.hangul * per_ideograph, Script::Alone("ko")),
            (self.unread, Script::Unread),
        ];
        found.extend(self.alone.iter().zip(ALONE).map(|(&letters, &(_, _, tag))| (letters, Script::Alone(tag))));
        // Of equals the last one wins: those that write alone yield to the others.
        let (letters, script) =
            found.into_iter().rev().max_by_key(|&(letters, _)| letters).unwrap_or((0, Script::Shared));
        (script, letters as f32 / self.letters(params).max(1) as f32)
    }
}

/// Share of A–Z and a–z in the letters of a text, 0..=1; 0 without letters.
///
/// Beyond ASCII a letter is what is encoded where letters are: signs, punctuation and pictures count as none, digits
/// and marks of other scripts pass for letters.
pub fn latin_share(text: &str) -> f32 {
    let (mut latin, mut other) = (0u32, 0u32);
    // First bytes of U+00C0 to U+1FFF, and of U+3000 to U+DFFF less what other bytes count.
    let is_other = |byte: &u8| matches!(byte, 0xc3..=0xe1 | 0xe3..=0xed);
    let (pieces, rest) = text.as_bytes().as_chunks::<LONG_PIECE_BYTES>();
    for piece in pieces {
        latin += letters_of_ascii(piece);
        other += u32::from(piece.iter().fold(0u8, |count, byte| count + u8::from(is_other(byte))));
    }
    latin += letters_of_ascii(rest);
    other += rest.iter().filter(|byte| is_other(byte)).count() as u32;
    latin as f32 / (latin + other).max(1) as f32
}

/// How many of at most [`LONG_PIECE_BYTES`] bytes are letters of ASCII.
#[inline]
fn letters_of_ascii(piece: &[u8]) -> u32 {
    u32::from(piece.iter().fold(0u8, |count, byte| count + u8::from(byte.is_ascii_alphabetic())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_count_what_characters_do(text in "([a-zA-Z0-9 .]{0,90}|é|ж|日|か|한|ก|🦀){0,12}") {
            let mut slow = Scripts::default();
            text.chars().for_each(|c| slow.add(c));
            prop_assert_eq!(format!("{:?}", Scripts::count(&text)), format!("{slow:?}"));
            let latin = text.bytes().filter(u8::is_ascii_alphabetic).count();
            let other = text.bytes().filter(|byte| matches!(byte, 0xc3..=0xe1 | 0xe3..=0xed)).count();
            prop_assert_eq!(latin_share(&text), latin as f32 / (latin + other).max(1) as f32);
        }
    }

    fn main(text: &str) -> Script {
        Scripts::count(text).main(&Params::default()).0
    }

    #[test]
    fn kana_make_han_japanese_but_a_few_do_not() {
        assert_eq!(main("漢字とかな"), Script::Alone("ja"));
        assert_eq!(main(&format!("{}の", "漢字".repeat(20))), Script::Han);
        assert_eq!(main("漢字・漢字ー"), Script::Han);
    }

    #[test]
    fn the_script_of_most_text_counts() {
        assert_eq!(main("Ελληνικά and Latin letters beside"), Script::Shared);
        assert_eq!(main("Ελληνικά κείμενο, Latin"), Script::Alone("el"));
        assert_eq!(main("漢字 abcde"), Script::Han);
        assert_eq!(main(""), Script::Shared);
    }

    #[test]
    fn scripts_of_one_language_are_in_order_and_others_count_as_shared() {
        assert!(ALONE.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert_eq!(main("ތިމަންނައަކީ ދިވެހި"), Script::Alone("dv"));
        assert_eq!(main("ꆈꌠꁱꂷ ꀋꉬ"), Script::Alone("ii"));
        assert_eq!(main("ⵉⵎⴷⴰⵏⴻⵏ ⴰⴽⴽⵯ"), Script::Unread);
        assert_eq!(Scripts::count("ⵉⵎ ܫܠ").unread, 4);
        assert_eq!(main("Все люди ⵉⵎ"), Script::Shared);
        assert_eq!(Scripts::count("→ © ☃ 🦀 ० 12 ー々〇Ａ").letters(&Params::default()), 0);
        let mixed = Scripts::count("Notebook שלום");
        let lang = |tag: &str| Lang::parse(tag).expect("a tag");
        assert!(
            mixed.has_letters_of(lang("he")) && !mixed.has_letters_of(lang("el")) && !mixed.has_letters_of(lang("ja"))
        );
        assert!(is_alone(lang("dv")) && !is_alone(lang("sat")));
    }

    #[test]
    fn latin_share_is_of_letters_only() {
        assert_eq!(latin_share("ab12 ..."), 1.0);
        assert_eq!(latin_share("abжд“”—…"), 0.5);
        assert_eq!(latin_share("漢字ab"), 0.5);
        assert_eq!(latin_share("123"), 0.0);
    }
}
