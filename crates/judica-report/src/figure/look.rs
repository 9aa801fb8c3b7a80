//! How large a figure is, and on which paper.

use std::ops::RangeInclusive;

pub use super::palette::Theme;

/// What a reader may choose about any figure. What is not chosen is as the data need it.
///
/// A figure is laid out in units of which a label is 12 high, and enlarged
/// as a whole: with a larger font lines are thicker, too, and less fits into a width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Its width in pixels.
    pub width: Option<u32>,
    /// Its height in pixels.
    pub height: Option<u32>,
    /// Its paper.
    pub theme: Theme,
    /// The height of its labels in pixels.
    pub font_size: Option<f64>,
}

impl Look {
    /// Widths and heights that mean something: from a thumbnail to a poster.
    pub const SIDES: RangeInclusive<u32> = 100..=8000;
    /// Sizes of labels that can be read and leave room for anything else.
    pub const FONT_SIZES: RangeInclusive<f64> = 6.0..=48.0;
    /// The height of a label in units of the layout.
    pub(super) const UNITS: f64 = 12.0;

    /// Pixels for each unit of the layout.
    pub(super) fn scale(&self) -> f64 {
        self.font_size.unwrap_or(Self::UNITS) / Self::UNITS
    }
}
