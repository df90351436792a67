//! What the measures say of two pages.

use super::measures::measures;

macro_rules! measure_names {
    (
        scored { $($(#[$doc:meta])* $name:ident = $text:literal $(weight $weight:literal)? $(by $by:expr)?;)* }
        $($alone:tt)*
    ) => {
        /// One of the measures a score is made of. Stored by position.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Measure {
            $($(#[$doc])* $name,)*
        }

        /// All measures of the score, in the order they are stored.
        pub const MEASURES: &[Measure] = &[$(Measure::$name,)*];

        const COUNT: usize = [$($text,)*].len();

        impl Measure {
            /// As it is listed, and the name of its verifier where it has one.
            pub fn name(self) -> &'static str {
                [$($text,)*][self as usize]
            }

            /// True for a measure of addresses: of whether two pages are held out as versions of each other, whatever stands there. Their
            /// weights are not fitted, as what weights are fitted to was chosen by addresses.
            pub fn is_of_addresses(self) -> bool {
                use Measure::*;
                matches!(self, Hreflang | Link | Votes | Neighbours | Order)
            }
        }
    };
}
measures!(measure_names);

/// The similarities of two pages: a number in 0..=1 for each measure, NaN where it says nothing.
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
    /// How many measures there are.
    pub const COUNT: usize = COUNT;

    /// What a measure says.
    pub fn get(&self, measure: Measure) -> Option<f32> {
        let value = self.0[measure as usize];
        (!value.is_nan()).then_some(value)
    }

    /// Notes what a measure says; `None`: nothing.
    pub fn set(&mut self, measure: Measure, value: Option<f32>) {
        self.0[measure as usize] = value.map_or(f32::NAN, |value| value.clamp(0.0, 1.0));
    }
}
