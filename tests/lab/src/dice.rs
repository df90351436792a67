//! Numbers that look random, for tools that must do the same again.

/// Numbers that look random and come from a seed (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.next() % sides.max(1)
    }

    /// A share, from 0 to less than 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `count`, small ones more often.
    pub fn popular(&mut self, count: u32) -> u32 {
        ((self.share().powi(3) * f64::from(count)) as u32).min(count.saturating_sub(1))
    }
}
