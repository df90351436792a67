//! Simplified or traditional characters.

use std::sync::LazyLock;

use encoding_rs::{BIG5, Encoding, GBK};

use crate::types::Lang;

/// Which Chinese a text is in: the script that more of its characters belong to alone, and that script's share of
/// those characters. Plain `zh` with a share of 0 where no character belongs to one alone.
///
/// Simplified are the characters of GB 2312 that Big5 does not have, traditional the reverse: the two standards each
/// list what was in use on their side when they were made (1980, 1984).
pub fn script(text: &str) -> (Lang, f32) {
    let (mut simplified, mut traditional) = (0u32, 0u32);
    for c in text.chars() {
        match STANDARDS.get((c as usize).wrapping_sub(FIRST)) {
            Some(&IN_GB2312) => simplified += 1,
            Some(&IN_BIG5) => traditional += 1,
            _ => {}
        }
    }
    let share = |count: u32| count as f32 / (simplified + traditional) as f32;
    match simplified.cmp(&traditional) {
        std::cmp::Ordering::Greater => (Lang::ZH_HANS, share(simplified)),
        std::cmp::Ordering::Less => (Lang::ZH_HANT, share(traditional)),
        std::cmp::Ordering::Equal => (Lang::ZH, 0.0),
    }
}

const IN_GB2312: u8 = 1;
const IN_BIG5: u8 = 2;

/// The block of common Han characters.
const FIRST: usize = 0x4e00;
const LAST: usize = 0x9fff;

/// Which standards hold each character from [`FIRST`] on. Made by decoding them, since encoding is a search.
static STANDARDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut standards = vec![0; LAST - FIRST + 1];
    // Rows and columns of the characters, without those that came later (GBK, HKSCS).
    note(&mut standards, GBK, 0xb0..=0xf7, &[0xa1..=0xfe], IN_GB2312);
    note(&mut standards, BIG5, 0xa4..=0xf9, &[0x40..=0x7e, 0xa1..=0xfe], IN_BIG5);
    standards
});

fn note(
    standards: &mut [u8],
    encoding: &'static Encoding,
    leads: std::ops::RangeInclusive<u8>,
    trails: &[std::ops::RangeInclusive<u8>],
    bit: u8,
) {
    for lead in leads {
        for trail in trails.iter().cloned().flatten() {
            let pair = [lead, trail];
            let Some(decoded) = encoding.decode_without_bom_handling_and_without_replacement(&pair) else { continue };
            for c in decoded.chars() {
                if let Some(standard) = standards.get_mut((c as usize).wrapping_sub(FIRST)) {
                    *standard |= bit;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_apart_by_the_characters_only_one_has() {
        assert_eq!(script("这个软件的说明书还没有翻译").0, Lang::ZH_HANS);
        assert_eq!(script("這個軟體的說明書還沒有翻譯").0, Lang::ZH_HANT);
        assert_eq!(script("中文人口大小").0, Lang::ZH);
        assert_eq!(script("").0, Lang::ZH);
    }
}
