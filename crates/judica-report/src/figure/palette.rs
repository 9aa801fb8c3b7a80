//! Colours that nearly everybody tells apart, on light and on dark paper.
//!
//! Okabe and Ito, "Color Universal Design", 2008, without their black and with a darker
//! yellow, which would vanish on white paper; on dark paper the dark ones are lighter.

use std::fmt;

/// A colour as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The paper that a figure is drawn on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on nearly black.
    Dark,
}

/// A colour by what it is for; what it looks like depends on the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Text and axes.
    Ink,
    /// Less important text.
    Faint,
    /// Lines behind the data.
    Grid,
    /// What everything lies on.
    Paper,
    /// A series.
    Series(usize),
    /// The same on any paper.
    Exact(Rgb),
}

/// Good.
pub(super) const BLUE: Colour = Colour::Series(0);
/// Half good.
pub(super) const AMBER: Colour = Colour::Series(1);
/// Bad.
pub(super) const VERMILION: Colour = Colour::Series(5);

/// Colours of series, in order.
const SERIES: [[u32; 2]; 7] = [
    [0x0072b2, 0x4ba3e0],
    [0xe69f00, 0xe69f00],
    [0x009e73, 0x2bbf92],
    [0xcc79a7, 0xd98fbb],
    [0x56b4e9, 0x9ad4f5],
    [0xd55e00, 0xf07b3f],
    [0xa69a00, 0xd0c33c],
];

impl Colour {
    /// What it looks like.
    pub fn on(self, theme: Theme) -> Rgb {
        let [light, dark] = match self {
            Colour::Ink => [0x222222, 0xe8e8e8],
            Colour::Faint => [0x666666, 0xa6a6a6],
            Colour::Grid => [0xdddddd, 0x3c4046],
            Colour::Paper => [0xffffff, 0x16181c],
            Colour::Series(at) => SERIES[at % SERIES.len()],
            Colour::Exact(rgb) => return rgb,
        };
        let [_, red, green, blue] = match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
        .to_be_bytes();
        Rgb([red, green, blue])
    }
}

/// What is drawn over the colour of a series, so that no two differ by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texture {
    Plain,
    Rising,
    Level,
    Falling,
    Dots,
    Upright,
    Crossed,
}

const TEXTURES: [Texture; 7] = [
    Texture::Plain,
    Texture::Rising,
    Texture::Level,
    Texture::Falling,
    Texture::Dots,
    Texture::Upright,
    Texture::Crossed,
];

/// How many series can be told apart.
pub(super) const MOST_SERIES: usize = SERIES.len() * TEXTURES.len();

/// What is drawn over a series. With each round of colours it moves on by one, so that the
/// same colour never comes with the same texture again.
pub(super) fn texture(at: usize) -> Texture {
    let round = at / SERIES.len();
    TEXTURES[(at + round) % TEXTURES.len()]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The contrast of two colours as the Web Content Accessibility Guidelines define it.
    pub fn contrast(a: Rgb, b: Rgb) -> f64 {
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
    fn text_can_be_read_on_its_paper() {
        for theme in [Theme::Light, Theme::Dark] {
            let paper = Colour::Paper.on(theme);
            for ink in [Colour::Ink, Colour::Faint] {
                assert!(contrast(ink.on(theme), paper) >= 4.5, "{ink:?} {theme:?}");
            }
            for at in 0..SERIES.len() {
                let found = contrast(Colour::Series(at).on(theme), paper);
                assert!(found >= 2.0, "{at} {theme:?}: {found}");
            }
        }
    }

    #[test]
    fn no_two_series_look_alike() {
        let look = |at: usize| (Colour::Series(at).on(Theme::Light), texture(at));
        for a in 0..MOST_SERIES {
            for b in 0..a {
                assert_ne!(look(a), look(b), "{a} {b}");
            }
        }
        // Of those that stand side by side most often, no two differ by colour alone.
        for a in 0..SERIES.len() {
            assert!((0..a).all(|b| texture(a) != texture(b)), "{a}");
        }
    }
}
