//! Equal words: names, numbers, terms and code that both languages write alike.

use super::overlap::estimate;
use super::profile::Profile;

/// Words in common: the Dice coefficient of the sets of words of two pages, weighted, 2·Σ_{w ∈ A∩B} weight(w) / (Σ_A weight + Σ_B weight),
/// as an [`estimate`] from half as many words as both pages have with a weight, 0..=1. `None` where neither page has one.
///
/// With weight 0 for words that only one language of the site has, it is the share of common words among those that could be common,
/// however much of the pages is prose.
///
/// By hand: {linux 2, the 0, kernel 1} and {linux 2, le 0, gnu 1}: 2·2/(3 + 3) = 2/3 of four words, (2/3·2 + ½)/(2 + 1) = 11/18.
pub fn shared_words(a: &Profile, b: &Profile, weight: &dyn Fn(u64) -> f32) -> Option<f64> {
    let (mut all, mut common, mut count) = (0.0, 0.0, 0.0);
    let mut add = |weight: f64| {
        all += weight;
        count += f64::from(u8::from(weight > 0.0));
    };
    let weight = |word: u64| f64::from(weight(word));
    let mut right = b.bag.entries().iter().peekable();
    for &(word, _) in a.bag.entries() {
        let own = weight(word);
        add(own);
        while let Some(&(other, _)) = right.next_if(|(other, _)| *other < word) {
            add(weight(other));
        }
        if right.next_if(|(other, _)| *other == word).is_some() {
            add(own);
            common += own;
        }
    }
    right.for_each(|&(other, _)| add(weight(other)));
    (all > 0.0).then(|| estimate(2.0 * common / all, count / 2.0))
}

/// Share of the words that are on both pages, counting repetitions: 2·|A ∩ B| / (|A| + |B|), 0..=1; 0 where there are none. Near 1, the
/// text was not translated.
pub fn same_text(a: &Profile, b: &Profile) -> f64 {
    let mut common = 0;
    let mut right = b.bag.entries().iter().peekable();
    for &(word, count) in a.bag.entries() {
        while right.next_if(|(other, _)| *other < word).is_some() {}
        if let Some(&(_, other)) = right.next_if(|(other, _)| *other == word) {
            common += count.min(other);
        }
    }
    let all = f64::from(a.bag.total()) + f64::from(b.bag.total());
    if all > 0.0 { 2.0 * f64::from(common) / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::profile::Bag;
    use super::*;
    use crate::text::words::hash;

    #[test]
    fn the_example_by_hand() {
        let page = |words: &[&str]| {
            let words: Vec<u64> = words.iter().map(|word| hash(word)).collect();
            Profile { bag: Bag::new(&words).into(), words, ..Profile::default() }
        };
        let weight = |word: u64| {
            if word == hash("linux") {
                2.0
            } else if word == hash("the") || word == hash("le") {
                0.0
            } else {
                1.0
            }
        };
        let (a, b) = (page(&["linux", "the", "kernel", "linux"]), page(&["linux", "le", "gnu"]));
        for shared in [shared_words(&a, &b, &weight), shared_words(&b, &a, &weight)] {
            assert!(shared.is_some_and(|shared| (shared - 11.0 / 18.0).abs() < 1e-12), "{shared:?}");
        }
        assert_eq!(shared_words(&page(&["the"]), &page(&[]), &weight), None);
    }
}
