//! A heat map as an SVG picture.
//!
//! The picture is written by hand, byte for byte the same for the same map, and needs
//! nothing but the reader's own sans-serif font. Positive numbers are blue, negative
//! ones orange, zero nearly white: colours that people with any of the common kinds of
//! colour blindness tell apart. Every cell also shows its number, and on hovering says
//! which two things it compares.

mod colour;

use std::fmt::Write;

use judica_model::heatmap::{HeatCell, HeatMap};

use crate::figure::axis::minus;
use crate::figure::canvas::line;
use crate::figure::label::{self, escaped, shortened, width_of};
use colour::{Rgb, STOPS};

/// Names longer than this many columns of text are shortened.
const LONGEST_NAME: usize = 24;
/// Space around everything.
const MARGIN: usize = 16;
/// Between names and cells.
const GAP: usize = 8;
const TITLE_HEIGHT: usize = 32;
const LEGEND_WIDTH: usize = 240;
const LEGEND_HEIGHT: usize = 12;
/// The average width of a character, in tenths of the font size.
const CHARACTER: usize = 6;
/// The font of names.
const FONT: usize = 13;
/// Seven tenths: what a side of a square is to its diagonal, and so how high and wide a
/// name is that is turned by 45 degrees.
const TURNED: (usize, usize) = (71, 100);

/// Where things are, in pixels.
struct Layout {
    /// The side of a cell.
    cell: usize,
    /// The font in cells.
    font: usize,
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Layout {
    fn new(map: &HeatMap) -> Self {
        let n = map.names.len();
        // Few cells may be large; of many, just so large that the number fits.
        let (cell, font) = if n <= 16 { (52, 14) } else { (36, 10) };
        let longest = map
            .names
            .iter()
            .map(|name| width_of(&shortened(name, LONGEST_NAME)));
        let name = longest.max().unwrap_or(0) * FONT * CHARACTER / 10;
        let turned = name * TURNED.0 / TURNED.1;
        let left = MARGIN + name + GAP;
        let top = MARGIN + TITLE_HEIGHT + turned + GAP + FONT;
        let title = width_of(&map.title) * 16 * CHARACTER / 10;
        // The last column's name leans out beyond the cells.
        let cells = left + n * cell + turned.saturating_sub(cell / 2);
        Layout {
            cell,
            font,
            left,
            top,
            width: MARGIN + cells.max(MARGIN + title).max(left + LEGEND_WIDTH),
            height: top + n * cell + 2 * GAP + LEGEND_HEIGHT + 20 + MARGIN,
        }
    }
}

/// Draws a map.
pub fn svg(map: &HeatMap) -> String {
    let layout = Layout::new(map);
    let mut out = String::new();
    head(&mut out, map, &layout);
    for (at, name) in map.names.iter().enumerate() {
        names(&mut out, at, name, &layout);
    }
    for row in 0..map.names.len() {
        for column in 0..map.names.len() {
            cell(&mut out, map, row, column, &layout);
        }
    }
    legend(&mut out, map.names.len(), &layout);
    out.push_str("</svg>\n");
    out
}

fn head(out: &mut String, map: &HeatMap, layout: &Layout) {
    let (width, height) = (layout.width, layout.height);
    let title = escaped(&map.title);
    line!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" role=\"img\" \
         aria-label=\"{title}\">"
    );
    line!(out, "<title>{title}</title>");
    line!(out, "<defs>");
    line!(out, "<linearGradient id=\"scale\">");
    for (at, colour) in STOPS {
        let percent = (at + 1.0) * 50.0;
        line!(out, "<stop offset=\"{percent}%\" stop-color=\"{colour}\"/>");
    }
    line!(out, "</linearGradient>");
    line!(
        out,
        "<pattern id=\"missing\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
         <rect width=\"8\" height=\"8\" fill=\"#ffffff\"/>\
         <path d=\"M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4\" stroke=\"#bdbdbd\"/></pattern>"
    );
    line!(out, "</defs>");
    line!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    line!(
        out,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"16\" font-weight=\"bold\" \
         fill=\"#222222\">{title}</text>",
        MARGIN + 16
    );
    if map.names.is_empty() {
        let y = layout.top;
        line!(
            out,
            "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"{FONT}\">nothing to compare</text>"
        );
    }
}

/// The name of a row and of the column with the same number.
fn names(out: &mut String, at: usize, name: &str, layout: &Layout) {
    let short = shortened(name, LONGEST_NAME);
    let tooltip = if short == label::visible_name(name) {
        String::new()
    } else {
        format!("<title>{}</title>", escaped(name))
    };
    let text = escaped(&short);
    let middle = at * layout.cell + layout.cell / 2;
    let font = FONT.min(layout.cell / 2);
    line!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{font}\" text-anchor=\"end\" \
         fill=\"#222222\">{tooltip}{text}</text>",
        layout.left - GAP,
        layout.top + middle + font / 3
    );
    let (x, y) = (layout.left + middle, layout.top - GAP);
    line!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{font}\" transform=\"rotate(-45 {x} {y})\" \
         fill=\"#222222\">{tooltip}{text}</text>"
    );
}

fn cell(out: &mut String, map: &HeatMap, row: usize, column: usize, layout: &Layout) {
    let (x, y) = (
        layout.left + column * layout.cell,
        layout.top + row * layout.cell,
    );
    let (fill, ink, text, tooltip) = match map.cell(row, column) {
        HeatCell::Blank => (
            "#eeeeee".to_owned(),
            Rgb::DARK,
            String::new(),
            String::new(),
        ),
        HeatCell::Value(value) if value.is_finite() => {
            let colour = Rgb::of(*value);
            let shown = two_decimals(*value);
            (colour.to_string(), colour.ink(), shown, value.to_string())
        }
        HeatCell::Value(_) => missing("not a finite number"),
        HeatCell::Missing(reason) => missing(reason),
    };
    let pair = format!("{} and {}", map.names[row], map.names[column]);
    let tooltip = match tooltip.as_str() {
        "" => String::new(),
        said => format!("<title>{}: {}</title>", escaped(&pair), escaped(said)),
    };
    let side = layout.cell;
    line!(
        out,
        "<g>{tooltip}<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" \
         fill=\"{fill}\" stroke=\"#ffffff\"/>"
    );
    if !text.is_empty() {
        line!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\" \
             fill=\"{ink}\">{text}</text>",
            x + side / 2,
            y + side / 2 + layout.font / 3,
            layout.font
        );
    }
    line!(out, "</g>");
}

fn missing(reason: &str) -> (String, Rgb, String, String) {
    let reason = if reason.is_empty() {
        "no value"
    } else {
        reason
    };
    (
        "url(#missing)".to_owned(),
        Rgb::DARK,
        "n/a".to_owned(),
        reason.to_owned(),
    )
}

fn legend(out: &mut String, n: usize, layout: &Layout) {
    let (x, y) = (layout.left, layout.top + n * layout.cell + 2 * GAP);
    line!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{LEGEND_WIDTH}\" height=\"{LEGEND_HEIGHT}\" \
         fill=\"url(#scale)\" stroke=\"#888888\"/>"
    );
    for (at, _) in STOPS {
        let x = x as f64 + (at + 1.0) / 2.0 * LEGEND_WIDTH as f64;
        let label = two_decimals(at)
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
        line!(
            out,
            "<text x=\"{x}\" y=\"{}\" font-size=\"11\" text-anchor=\"middle\" \
             fill=\"#222222\">{label}</text>",
            y + LEGEND_HEIGHT + 14
        );
    }
}

/// Two decimals with a real minus, and no minus before zero.
fn two_decimals(value: f64) -> String {
    minus(format!("{value:.2}"))
}

#[cfg(test)]
mod tests;
