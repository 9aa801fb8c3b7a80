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

/// The colour of a series; beyond the seventh they come again, and the legend's order and
/// the bars' order tell them apart.
pub(super) fn series(at: usize) -> &'static str {
    SERIES[at % SERIES.len()]
}
