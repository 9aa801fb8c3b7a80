//! A heat map as a picture, SVG or PNG.
//!
//! The picture is written by hand, byte for byte the same for the same map. In the SVG all
//! text is text, in the reader's own sans-serif font; pixels have the built-in one.
//! Positive numbers are blue, negative ones orange, zero nearly white: colours that people
//! with any of the common kinds of colour blindness tell apart. Every cell also shows its
//! number, and on hovering says which two things it compares.

mod colour;

use std::fmt::Write;

use judica_model::heatmap::{HeatCell, HeatMap};

use crate::figure::axis::minus;
use crate::figure::canvas::{Anchor, Canvas, Medium, Pen, line};
use crate::figure::font::{Face, width};
use crate::figure::label::{shortened, visible_name, width_of};
use crate::figure::png::{PngError, render};
use colour::{DARK, LIGHT, Rgb, STOPS};

/// Names longer than this many columns of text are shortened.
const LONGEST_NAME: usize = 24;
/// Space around everything.
const MARGIN: f64 = 16.0;
/// Between names and cells.
const GAP: f64 = 8.0;
const TITLE: f64 = 16.0;
const TITLE_HEIGHT: f64 = 32.0;
const LEGEND_WIDTH: f64 = 240.0;
const LEGEND_HEIGHT: f64 = 12.0;
/// The width of a column of text in a font that is not known, as a share of its size.
const COLUMN: f64 = 0.6;
/// The font of names.
const FONT: f64 = 13.0;

/// Where things are.
struct Layout {
    /// The side of a cell.
    cell: f64,
    /// The font in cells.
    font: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Layout {
    fn new(map: &HeatMap) -> Self {
        let n = map.names.len();
        // Few cells may be large; of many, just so large that the number fits.
        let (cell, font) = if n <= 16 { (52.0, 14.0) } else { (36.0, 10.0) };
        let names = map.names.iter().map(|name| {
            let name = shortened(name, LONGEST_NAME);
            room(&name, Face::Regular, FONT)
        });
        let name = names.fold(0.0, f64::max);
        // Turned by 45 degrees it is as high as it is wide.
        let turned = name * std::f64::consts::FRAC_1_SQRT_2;
        let left = MARGIN + name + GAP;
        let top = MARGIN + TITLE_HEIGHT + turned + GAP + FONT;
        let cells = n as f64 * cell;
        // The last column's name leans out beyond the cells.
        let right = left + cells + (turned - cell / 2.0).max(0.0);
        let title = MARGIN + room(&visible_name(&map.title), Face::Bold, TITLE);
        Layout {
            cell,
            font,
            left,
            top,
            width: MARGIN + right.max(title).max(left + LEGEND_WIDTH),
            height: top + cells + 2.0 * GAP + LEGEND_HEIGHT + 20.0 + MARGIN,
        }
    }
}

/// The room that a text takes in the built-in font, or in one that is not known.
fn room(text: &str, face: Face, size: f64) -> f64 {
    width(text, face, size).max(width_of(text) as f64 * size * COLUMN)
}

/// The map as SVG.
pub fn svg(map: &HeatMap) -> String {
    draw(map, Canvas::new(Medium::Text))
}

/// The map as PNG, `scale` pixels for each unit of the SVG.
pub fn png(map: &HeatMap, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(map, Canvas::new(Medium::Pixels)), scale)
}

fn draw(map: &HeatMap, mut canvas: Canvas) -> String {
    let layout = Layout::new(map);
    canvas.raw(&fills());
    canvas.text(MARGIN, MARGIN + TITLE, &map.title, Pen::new(TITLE).bold());
    if map.names.is_empty() {
        canvas.text(MARGIN, layout.top, "nothing to compare", Pen::new(FONT));
    }
    for (at, name) in map.names.iter().enumerate() {
        names(&mut canvas, at, name, &layout);
    }
    for row in 0..map.names.len() {
        for column in 0..map.names.len() {
            cell(&mut canvas, map, row, column, &layout);
        }
    }
    legend(&mut canvas, map.names.len(), &layout);
    canvas.finish(layout.width, layout.height, &map.title)
}

/// The scale of colours, and the hatching of what has no number.
fn fills() -> String {
    let mut out = String::from("<defs>\n<linearGradient id=\"scale\">\n");
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
    out
}

/// The name of a row and of the column with the same number.
fn names(canvas: &mut Canvas, at: usize, name: &str, layout: &Layout) {
    let short = shortened(name, LONGEST_NAME);
    let whole = short == visible_name(name);
    let middle = at as f64 * layout.cell + layout.cell / 2.0;
    let font = FONT.min(layout.cell / 2.0);
    let row = (layout.left - GAP, layout.top + middle + font / 3.0);
    let column = (layout.left + middle, layout.top - GAP);
    let pen = Pen::new(font);
    for ((x, y), pen) in [(row, pen.anchor(Anchor::End)), (column, pen.turn(45.0))] {
        if !whole {
            canvas.open(name);
        }
        canvas.text(x, y, &short, pen);
        if !whole {
            canvas.close();
        }
    }
}

fn cell(canvas: &mut Canvas, map: &HeatMap, row: usize, column: usize, layout: &Layout) {
    let (x, y) = (
        layout.left + column as f64 * layout.cell,
        layout.top + row as f64 * layout.cell,
    );
    let (fill, ink, text, said) = match map.cell(row, column) {
        HeatCell::Blank => ("#eeeeee".to_owned(), DARK, String::new(), String::new()),
        HeatCell::Value(value) if value.is_finite() => {
            let colour = Rgb::of(*value);
            let ink = if colour.is_light() { DARK } else { LIGHT };
            let shown = two_decimals(*value);
            (colour.to_string(), ink, shown, value.to_string())
        }
        HeatCell::Value(_) => missing("not a finite number"),
        HeatCell::Missing(reason) => missing(reason),
    };
    let side = layout.cell;
    if !said.is_empty() {
        canvas.open(&format!(
            "{} and {}: {said}",
            map.names[row], map.names[column]
        ));
    }
    canvas.rect(x, y, side, side, &fill);
    canvas.frame(x, y, side, side, "#ffffff");
    if !text.is_empty() {
        let pen = Pen::new(layout.font).anchor(Anchor::Middle).colour(ink);
        let baseline = y + side / 2.0 + layout.font / 3.0;
        canvas.text(x + side / 2.0, baseline, &text, pen);
    }
    if !said.is_empty() {
        canvas.close();
    }
}

fn missing(reason: &str) -> (String, &'static str, String, String) {
    let reason = if reason.is_empty() {
        "no value"
    } else {
        reason
    };
    (
        "url(#missing)".to_owned(),
        DARK,
        "n/a".to_owned(),
        reason.to_owned(),
    )
}

fn legend(canvas: &mut Canvas, n: usize, layout: &Layout) {
    let (x, y) = (layout.left, layout.top + n as f64 * layout.cell + 2.0 * GAP);
    canvas.rect(x, y, LEGEND_WIDTH, LEGEND_HEIGHT, "url(#scale)");
    canvas.frame(x, y, LEGEND_WIDTH, LEGEND_HEIGHT, "#888888");
    for (at, _) in STOPS {
        let x = x + (at + 1.0) / 2.0 * LEGEND_WIDTH;
        let label = two_decimals(at);
        let label = label.trim_end_matches('0').trim_end_matches('.');
        let pen = Pen::new(11.0).anchor(Anchor::Middle);
        canvas.text(x, y + LEGEND_HEIGHT + 14.0, label, pen);
    }
}

/// Two decimals with a real minus, and no minus before zero.
fn two_decimals(value: f64) -> String {
    minus(format!("{value:.2}"))
}

#[cfg(test)]
mod tests;
