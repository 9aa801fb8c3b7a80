//! A square matrix as colours.
//!
//! Positive numbers are blue, negative ones orange, zero nearly white: colours that people
//! with any of the common kinds of colour blindness tell apart. Every cell also shows its
//! number, and on hovering says which two things it compares.

use judica_model::heatmap::{HeatCell, HeatMap};

use super::Figure;
use super::axis::minus;
use super::canvas::{Canvas, Pen, Point};
use super::diverging::STOPS;
use super::font::{Face, fit, width};
use super::label::visible_name;
use super::look::Look;
use super::palette::{Colour, Rgb};
use super::sheet::{self, Caption, FONT, HEAD, MARGIN, SMALL, TITLE};

/// No name is wider.
const NAMES: f64 = 180.0;
/// Between names and cells.
const GAP: f64 = 8.0;
/// The side of a cell where there are few, where there are many, and the least and most that
/// it can be: a number must be readable in it.
const FEW: f64 = 52.0;
const MANY: f64 = 36.0;
const CELL: [f64; 2] = [26.0, 90.0];
const BAR: Point = (240.0, 12.0);
/// Steps of colour in the bar, more than can be told apart.
const STEPS: usize = 80;

/// Where things are.
struct Layout {
    /// The side of a cell.
    cell: f64,
    /// The font in cells.
    font: f64,
    left: f64,
    top: f64,
    names: f64,
}

/// Draws it.
pub fn draw(map: &HeatMap, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let n = map.names.len() as f64;
    let natural = if map.names.len() <= 16 { FEW } else { MANY };
    let names = map.names.iter().map(|name| {
        let name = fit(name, Face::Regular, FONT, NAMES);
        width(&name, Face::Regular, FONT)
    });
    let mut names = names.fold(0.0, f64::max);
    // Turned by 45 degrees a name is as high as it is wide; the last one leans out beyond
    // the cells.
    let turned = |names: f64| (names + FONT) * std::f64::consts::FRAC_1_SQRT_2;
    let others =
        |names: f64, cell: f64| 2.0 * MARGIN + names + GAP + (turned(names) - cell / 2.0).max(0.0);
    let shortest = names.min(NAMES / 3.0);
    let bar = width(&map.scale, Face::Regular, SMALL).clamp(BAR.0, 420.0);
    let whole = (others(names, natural) + n * natural)
        .max(sheet::title_width(&map.title))
        .max(2.0 * MARGIN + bar);
    let least = (others(shortest, CELL[0]) + n * CELL[0]).max(2.0 * MARGIN + BAR.0);
    let wide = canvas.wide(whole, least);
    let across = |names: f64| (wide - others(names, CELL[0])) / n.max(1.0);
    if across(names) < CELL[0] {
        names = shortest;
    }
    let caption = Caption::new(&map.caption, wide);
    let top = HEAD + turned(names) + 2.0 * GAP;
    let below = 2.0 * GAP + TITLE + BAR.1 + 20.0 + caption.height() + MARGIN;
    let down = canvas.high(top + below, n * natural, n * CELL[0]) / n.max(1.0);
    // Cells are squares: as large as the smaller side that was asked for allows.
    let cell = match (look.width, look.height) {
        (None, None) => natural,
        (Some(_), None) => across(names),
        (_, Some(_)) => down.min(across(names)),
    };
    let cell = cell.clamp(CELL[0], CELL[1]);
    let content = others(names, cell) + n * cell;
    let layout = Layout {
        cell,
        // So that −0.30 has a little room on both sides.
        font: (cell / 3.9).clamp(7.0, 18.0),
        left: MARGIN + names + GAP + ((wide - content) / 2.0).max(0.0),
        top,
        names,
    };
    sheet::title(&mut canvas, &map.title, wide);
    if map.names.is_empty() {
        sheet::nothing(&mut canvas, (MARGIN - 12.0, HEAD), "nothing to compare");
    }
    for (at, name) in map.names.iter().enumerate() {
        draw_names(&mut canvas, at, name, &layout);
    }
    for row in 0..map.names.len() {
        for column in 0..map.names.len() {
            draw_cell(&mut canvas, map, row, column, &layout);
        }
    }
    let bottom = top + n * cell;
    draw_scale(&mut canvas, map, &layout, bottom + 2.0 * GAP, wide);
    caption.draw(&mut canvas, bottom + below - caption.height() - MARGIN);
    let high = canvas.high(0.0, bottom + below, bottom + below);
    canvas.finish(wide, high, &map.title)
}

/// The name of a row and of the column with the same number.
fn draw_names(canvas: &mut Canvas, at: usize, name: &str, layout: &Layout) {
    let short = fit(name, Face::Regular, FONT, layout.names);
    let cut = short != visible_name(name);
    let middle = (at as f64 + 0.5) * layout.cell;
    let pen = Pen::new(FONT);
    let row = (layout.left - GAP, layout.top + middle + FONT / 3.0);
    let column = (layout.left + middle + FONT / 3.0, layout.top - GAP);
    for ((x, y), pen) in [(row, pen.end()), (column, pen.turn(45.0))] {
        if cut {
            canvas.open(name);
        }
        canvas.text(x, y, &short, pen);
        if cut {
            canvas.close();
        }
    }
}

fn draw_cell(canvas: &mut Canvas, map: &HeatMap, row: usize, column: usize, layout: &Layout) {
    let side = layout.cell;
    let (x, y) = (
        layout.left + column as f64 * side,
        layout.top + row as f64 * side,
    );
    let (fill, ink, text, said) = match map.cell(row, column) {
        HeatCell::Blank => (Colour::Grid, Colour::Ink, String::new(), String::new()),
        HeatCell::Value(value) if value.is_finite() => {
            let colour = Rgb::of(*value);
            let ink = Colour::Exact(colour.ink());
            (
                Colour::Exact(colour),
                ink,
                two_decimals(*value),
                value.to_string(),
            )
        }
        HeatCell::Value(_) => missing("not a finite number"),
        HeatCell::Missing(reason) if reason.is_empty() => missing("no value"),
        HeatCell::Missing(reason) => missing(reason),
    };
    if !said.is_empty() {
        let (row, column) = (&map.names[row], &map.names[column]);
        canvas.open(&format!("{row} and {column}: {said}"));
    }
    canvas.rect((x, y), (side, side), fill);
    if fill == Colour::Paper {
        // Lines that are no colour of any number, clear of the words.
        let lines = [0.25, 0.5, 1.5, 1.75].map(|sum: f64| {
            let [a, b] = [(sum - 1.0).max(0.0), sum.min(1.0)];
            vec![(x + a * side, y + b * side), (x + b * side, y + a * side)]
        });
        canvas.lines(lines.to_vec(), Colour::Faint, 1.0);
        let inner = (side - 3.0, side - 3.0);
        canvas.frame((x + 1.5, y + 1.5), inner, Colour::Faint);
    }
    canvas.frame((x, y), (side, side), Colour::Paper);
    if !text.is_empty() {
        let pen = Pen::new(layout.font).middle().colour(ink);
        let baseline = y + side / 2.0 + layout.font / 3.0;
        canvas.text(x + side / 2.0, baseline, &text, pen);
    }
    if !said.is_empty() {
        canvas.close();
    }
}

fn missing(reason: &str) -> (Colour, Colour, String, String) {
    let (paper, ink) = (Colour::Paper, Colour::Ink);
    (paper, ink, "n/a".to_owned(), reason.to_owned())
}

/// The colours from end to end, and what they mean.
fn draw_scale(canvas: &mut Canvas, map: &HeatMap, layout: &Layout, top: f64, wide: f64) {
    let words = fit(&map.scale, Face::Regular, SMALL, wide - 2.0 * MARGIN);
    let needs = width(&words, Face::Regular, SMALL).max(BAR.0);
    let x = layout.left.min(wide - MARGIN - needs).max(MARGIN);
    canvas.text(x, top + SMALL, &words, Pen::new(SMALL));
    let y = top + TITLE;
    // Each step reaches to the end, so that no seam shows between two.
    for step in 0..STEPS {
        let share = step as f64 / STEPS as f64;
        let value = 2.0 * (step as f64 + 0.5) / STEPS as f64 - 1.0;
        let colour = Colour::Exact(Rgb::of(value));
        canvas.rect(
            (x + share * BAR.0, y),
            (BAR.0 * (1.0 - share), BAR.1),
            colour,
        );
    }
    canvas.frame((x, y), BAR, Colour::Faint);
    for (at, _) in STOPS {
        let x = x + (at + 1.0) / 2.0 * BAR.0;
        let label = two_decimals(at);
        let label = label.trim_end_matches('0').trim_end_matches('.');
        canvas.text(x, y + BAR.1 + 14.0, label, Pen::new(SMALL).middle());
    }
}

/// Two decimals with a real minus, and no minus before zero.
fn two_decimals(value: f64) -> String {
    minus(format!("{value:.2}"))
}

#[cfg(test)]
#[path = "heatmap_tests.rs"]
mod tests;
