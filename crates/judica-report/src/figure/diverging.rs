//! Numbers as colours, and an ink that can be read on them.

use super::palette::Rgb;

/// The colours of −1 to 1; those between are mixed.
pub(super) const STOPS: [(f64, Rgb); 5] = [
    (-1.0, Rgb([0xb3, 0x58, 0x06])),
    (-0.5, Rgb([0xf1, 0xa3, 0x40])),
    (0.0, Rgb([0xf7, 0xf7, 0xf7])),
    (0.5, Rgb([0x92, 0xc5, 0xde])),
    (1.0, Rgb([0x21, 0x66, 0xac])),
];

/// Ink for light colours.
pub(super) const DARK: Rgb = Rgb([0x00; 3]);
/// Ink for dark colours.
pub(super) const LIGHT: Rgb = Rgb([0xff; 3]);

impl Rgb {
    /// The colour of a finite number; beyond the ends, that of the end.
    pub(super) fn of(value: f64) -> Rgb {
        let value = value.clamp(-1.0, 1.0);
        let after = STOPS.iter().position(|&(at, _)| value <= at).unwrap_or(0);
        let (hi, above) = STOPS[after];
        let (lo, below) = STOPS[after.saturating_sub(1)];
        let share = if hi > lo {
            (value - lo) / (hi - lo)
        } else {
            1.0
        };
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round();
        let mixed = |channel: usize| mix(below.0[channel], above.0[channel]) as u8;
        Rgb([mixed(0), mixed(1), mixed(2)])
    }

    /// The ink that can be read on it.
    pub(super) fn ink(self) -> Rgb {
        // The light it gives, in thousandths of white. Squares are close enough to what
        // screens do; where both inks are equally good is a little above a fifth.
        let [red, green, blue] = self.0.map(|byte| u32::from(byte).pow(2));
        let light = (213 * red + 715 * green + 72 * blue) / 255u32.pow(2);
        if light > 205 { DARK } else { LIGHT }
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::contrast;
    use super::*;

    #[test]
    fn stops_keep_their_colours_and_the_rest_is_between() {
        for (at, colour) in STOPS {
            assert_eq!(Rgb::of(at), colour);
        }
        assert_eq!(Rgb::of(-9.0), STOPS[0].1);
        assert_eq!(Rgb::of(9.0), STOPS[4].1);
        // Half way from f7 to 92, c5, de.
        assert_eq!(Rgb::of(0.25).to_string(), "#c5deeb");
    }

    #[test]
    fn ink_can_be_read_on_every_colour() {
        for step in -1000..=1000 {
            let colour = Rgb::of(f64::from(step) / 1000.0);
            let found = contrast(colour, colour.ink());
            assert!(found >= 4.5, "{step}: {colour} {found}");
        }
    }
}
