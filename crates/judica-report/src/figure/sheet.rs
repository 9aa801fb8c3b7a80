//! What all figures have: margins, a title above, a legend, a caption below.

use super::canvas::{Canvas, Pen};
use super::font::{Face, fit, width, wrap};

/// Space around everything.
pub(super) const MARGIN: f64 = 20.0;
pub(super) const TITLE: f64 = 16.0;
/// Labels.
pub(super) const FONT: f64 = 12.0;
/// Ticks, legends and captions.
pub(super) const SMALL: f64 = 11.0;
/// Numbers beside marks.
pub(super) const TINY: f64 = 9.0;
/// Where the title's line ends.
pub(super) const HEAD: f64 = MARGIN + TITLE;
/// No figure is made wider than this by its title alone.
const LONGEST_TITLE: f64 = 760.0;
/// The height of a line of the caption.
const CAPTION: f64 = 15.0;
/// A caption's sentence takes no more lines than this.
const MOST_LINES: usize = 4;

/// The width of a figure that shows its title whole, if that is not too long.
pub(super) fn title_width(title: &str) -> f64 {
    width(
        &fit(title, Face::Bold, TITLE, LONGEST_TITLE),
        Face::Bold,
        TITLE,
    ) + 2.0 * MARGIN
}

/// Writes the title, as much of it as the figure has room for.
pub(super) fn title(canvas: &mut Canvas, title: &str, wide: f64) {
    let title = fit(title, Face::Bold, TITLE, wide - 2.0 * MARGIN);
    canvas.text(MARGIN, HEAD, &title, Pen::new(TITLE).bold());
}

/// What stands below a figure, broken into lines.
pub(super) struct Caption(Vec<String>);

impl Caption {
    pub fn new<'a>(lines: impl IntoIterator<Item = &'a String>, wide: f64) -> Self {
        let room = wide - 2.0 * MARGIN;
        let lines = lines.into_iter();
        Caption(
            lines
                .flat_map(|line| wrap(line, SMALL, room, MOST_LINES))
                .collect(),
        )
    }

    /// One more sentence, of at most [`Self::REMARK`] lines.
    pub fn remark(&mut self, line: &str, wide: f64) {
        let room = wide - 2.0 * MARGIN;
        self.0.extend(wrap(line, SMALL, room, Self::REMARK));
    }

    const REMARK: usize = 2;

    /// The height with a remark that may yet come.
    pub fn height_with_remark(&self) -> f64 {
        8.0 + CAPTION * (self.0.len() + Self::REMARK) as f64
    }

    /// How high it is, with what separates it from the figure.
    pub fn height(&self) -> f64 {
        match self.0.len() {
            0 => 0.0,
            lines => 8.0 + CAPTION * lines as f64,
        }
    }

    /// Writes it below `top`.
    pub fn draw(&self, canvas: &mut Canvas, top: f64) {
        for (at, line) in self.0.iter().enumerate() {
            let y = top + 8.0 + CAPTION * at as f64 + SMALL;
            canvas.text(MARGIN, y, line, Pen::new(SMALL).faint());
        }
    }
}

/// One line of a legend that is broken where the figure ends.
pub(super) struct Legend {
    /// The row, the place in it and the words of each entry, in order.
    entries: Vec<(usize, f64, String)>,
}

/// The side of what is drawn before an entry's words.
pub(super) const SWATCH: f64 = 12.0;
const BESIDE: f64 = SWATCH + 6.0;
/// The height of a row.
const ROW: f64 = 16.0;

impl Legend {
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>, room: f64) -> Self {
        let (mut row, mut at) = (0, 0.0);
        let mut entries = Vec::new();
        for label in labels {
            let label = fit(label, Face::Regular, SMALL, room - BESIDE);
            let wide = BESIDE + width(&label, Face::Regular, SMALL);
            if at > 0.0 && at + wide > room {
                (row, at) = (row + 1, 0.0);
            }
            entries.push((row, at, label));
            at += wide + 20.0;
        }
        Legend { entries }
    }

    pub fn height(&self) -> f64 {
        self.entries
            .last()
            .map_or(0.0, |(row, ..)| ROW * (*row as f64 + 1.0))
    }

    /// Writes it; `swatch` draws what stands before the words of an entry, below and to the
    /// right of its place.
    pub fn draw(
        &self,
        canvas: &mut Canvas,
        (left, top): (f64, f64),
        mut swatch: impl FnMut(&mut Canvas, usize, (f64, f64)),
    ) {
        for (entry, (row, at, label)) in self.entries.iter().enumerate() {
            let (x, y) = (left + at, top + ROW * *row as f64);
            swatch(canvas, entry, (x, y));
            canvas.text(x + BESIDE, y + 10.0, label, Pen::new(SMALL));
        }
    }
}

/// Says that there is nothing.
pub(super) fn nothing(canvas: &mut Canvas, (x, y): (f64, f64), words: &str) {
    canvas.text(x + 12.0, y + 24.0, words, Pen::new(FONT).faint());
}
