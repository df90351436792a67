//! The values of the measures for two pages.

use super::measures::measures;

macro_rules! measure_names {
    (
        scored { $($(#[$doc:meta])* $name:ident = $text:literal $(weight $weight:literal)? $(by $by:expr)?;)* }
        $($alone:tt)*
    ) => {
        /// One of the measures of the score. Stored by position.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Measure {
            $($(#[$doc])* $name,)*
        }

        /// All measures of the score, in the order in which they are stored.
        pub const MEASURES: &[Measure] = &[$(Measure::$name,)*];

        const COUNT: usize = [$($text,)*].len();

        impl Measure {
            /// The name in listings, which is also that of its verifier if it has one.
            pub fn name(self) -> &'static str {
                [$($text,)*][self as usize]
            }

            /// True for a measure of addresses: it says whether two pages are presented as versions of each other, whatever they contain.
            /// The weights of these measures are not fitted, since the pairs used for fitting were chosen by addresses.
            pub fn is_of_addresses(self) -> bool {
                use Measure::*;
                matches!(self, Hreflang | Link | Votes | Neighbours | Order)
            }
        }
    };
}
measures!(measure_names);

/// The similarities of two pages: for each measure a number in 0..=1, or NaN where it is undefined.
#[derive(Clone, Copy, Debug)]
pub struct Similarities(pub [f32; COUNT]);

impl Default for Similarities {
    fn default() -> Similarities {
        Similarities([f32::NAN; COUNT])
    }
}

impl PartialEq for Similarities {
    fn eq(&self, other: &Similarities) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Similarities {
    /// The number of measures.
    pub const COUNT: usize = COUNT;

    /// The value of a measure; `None` where it is undefined.
    pub fn get(&self, measure: Measure) -> Option<f32> {
        let value = self.0[measure as usize];
        (!value.is_nan()).then_some(value)
    }

    /// Sets the value of a measure; `None` if it is undefined.
    pub fn set(&mut self, measure: Measure, value: Option<f32>) {
        self.0[measure as usize] = value.map_or(f32::NAN, |value| value.clamp(0.0, 1.0));
    }
}
