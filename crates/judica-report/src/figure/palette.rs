//! Colours that nearly everybody tells apart.
//!
//! Okabe and Ito, "Color Universal Design", 2008, without their black and with a darker
//! yellow, which would vanish on white paper.

/// Colours of series, in order.
const SERIES: [&str; 7] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#a69a00",
];

/// Text and axes.
pub(super) const INK: &str = "#222222";
/// Less important text.
pub(super) const FAINT: &str = "#666666";
/// Lines behind the data.
pub(super) const GRID: &str = "#dddddd";
/// Good.
pub(super) const BLUE: &str = SERIES[0];
/// Half good.
pub(super) const AMBER: &str = SERIES[1];
/// Bad.
pub(super) const VERMILION: &str = SERIES[5];

/// The colour of a series; beyond the seventh they come again, with another [`hatch`].
pub(super) fn series(at: usize) -> &'static str {
    SERIES[at % SERIES.len()]
}

/// What is drawn over the colour of a series, in white.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hatch {
    /// Lines across.
    pub across: bool,
    /// A line along the middle.
    pub along: bool,
}

/// Ways to draw over a colour.
const HATCHES: usize = 4;

/// How many series can be told apart.
pub(super) const MOST_SERIES: usize = SERIES.len() * HATCHES;

/// What is drawn over a series: nothing for the first seven, which differ by colour.
pub(super) fn hatch(at: usize) -> Hatch {
    let round = at / SERIES.len() % HATCHES;
    Hatch {
        across: round & 1 == 1,
        along: round & 2 == 2,
    }
}
