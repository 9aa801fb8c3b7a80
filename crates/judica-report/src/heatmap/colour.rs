//! Numbers as colours, and an ink that can be read on them.

use std::fmt;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) [u8; 3]);

/// The colours of −1 to 1; those between are mixed.
pub(super) const STOPS: [(f64, Rgb); 5] = [
    (-1.0, Rgb([0xb3, 0x58, 0x06])),
    (-0.5, Rgb([0xf1, 0xa3, 0x40])),
    (0.0, Rgb([0xf7, 0xf7, 0xf7])),
    (0.5, Rgb([0x92, 0xc5, 0xde])),
    (1.0, Rgb([0x21, 0x66, 0xac])),
];

/// Ink for light colours.
pub(super) const DARK: &str = "#000000";
/// Ink for dark colours.
pub(super) const LIGHT: &str = "#ffffff";

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

    /// Whether dark ink can be read on it better than light ink.
    pub(super) fn is_light(self) -> bool {
        // The light it gives, in thousandths of white. Squares are close enough to what
        // screens do; where both inks are equally good is a little above a fifth.
        let [red, green, blue] = self.0.map(|byte| u32::from(byte).pow(2));
        (213 * red + 715 * green + 72 * blue) / 255u32.pow(2) > 205
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
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

    /// The contrast of two colours as the Web Content Accessibility Guidelines define it.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let luminance = |colour: Rgb| {
            let [red, green, blue] = colour.0.map(|byte| {
                let share = f64::from(byte) / 255.0;
                if share <= 0.040_45 {
                    share / 12.92
                } else {
                    ((share + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn ink_can_be_read_on_every_colour() {
        for step in -1000..=1000 {
            let colour = Rgb::of(f64::from(step) / 1000.0);
            let ink = Rgb(if colour.is_light() {
                [0x00; 3]
            } else {
                [0xff; 3]
            });
            let found = contrast(colour, ink);
            assert!(found >= 4.5, "{step}: {colour} {found}");
        }
    }
}
