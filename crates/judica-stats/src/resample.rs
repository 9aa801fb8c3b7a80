//! Which samples a bootstrap resample draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The draws of one resample, a fixed function of the seed and its number.
///
/// Words are those of ChaCha with 8 rounds (Bernstein, "ChaCha, a variant of
/// Salsa20", 2008), 64-bit counter from 0 and 64-bit nonce: the key is the
/// seed, little-endian, followed by 24 zero bytes; the nonce is the number of
/// the resample. So any resample can be drawn without those before it. Each
/// 32-bit word, in order, gives one index by the method of Lemire, "Fast Random
/// Integer Generation in an Interval", *ACM TOMACS* 29(1), 2019: the high half
/// of word × n, unless the low half is below 2^32 mod n, when the word is
/// passed over; so every index is exactly equally likely.
#[derive(Clone, Debug)]
pub struct Draws {
    rng: ChaCha8Rng,
}

impl Draws {
    /// The draws of the resample numbered `resample`.
    pub fn new(seed: u64, resample: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(resample);
        Self { rng }
    }

    /// The next word: 32 fair bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        self.rng.next_u32()
    }

    /// The next draw, uniform in `0..n`; 0 if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        loop {
            let product = u64::from(self.word()) * u64::from(n);
            let low = product as u32;
            // The remainder is a slow division; it is below n, so a low half
            // of at least n settles the matter without it.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 32) as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draws;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // The published key stream of ChaCha8 for a zero key and nonce starts
        // 3e00ef2f 895f40d6 7f5bb8e8 1f09a5a1: as little-endian words
        // 2fef003e d6405f89 e8b85b7f a1a5091f. Times 4, the high half is the
        // top two bits: 0, 3, 3, 2.
        let mut draws = Draws::new(0, 0);
        assert_eq!([0; 4].map(|_| draws.below(4)), [0, 3, 3, 2]);
        let mut words = Draws::new(0, 0);
        assert_eq!(
            [0; 4].map(|_| words.word()),
            [0x2fef_003e, 0xd640_5f89, 0xe8b8_5b7f, 0xa1a5_091f]
        );
    }

    #[test]
    fn passes_over_the_words_that_would_favour_some() {
        // n = 2^31 + 1: 2^32 mod n = 2^31 - 1, so nearly half of all words go.
        let n = (1 << 31) + 1;
        let mut draws = Draws::new(7, 3);
        let mut words = Draws::new(7, 3);
        let mut kept = (0..400).filter_map(|_| {
            let product = u64::from(words.word()) * u64::from(n);
            (product as u32 >= (1 << 31) - 1).then_some((product >> 32) as u32)
        });
        for _ in 0..150 {
            assert_eq!(Some(draws.below(n)), kept.next());
        }
    }

    #[test]
    fn close_to_uniform() {
        let mut counts = [0u32; 7];
        let mut draws = Draws::new(1, 1);
        (0..70_000).for_each(|_| counts[draws.below(7) as usize] += 1);
        // Six standard deviations of a binomial count around 10,000.
        assert!(
            counts.iter().all(|c| c.abs_diff(10_000) < 560),
            "{counts:?}"
        );
    }

    proptest! {
        #[test]
        fn in_range_repeatable_and_apart(seed: u64, resample: u64, n in 1u32..) {
            let draw = |resample| {
                let mut draws = Draws::new(seed, resample);
                [0; 8].map(|_| draws.below(n))
            };
            let drawn = draw(resample);
            prop_assert!(drawn.iter().all(|&i| i < n));
            prop_assert_eq!(drawn, draw(resample));
            prop_assert!(n < 1 << 20 || drawn != draw(resample ^ 1));
        }
    }
}
