//! Numbers with their intervals, one below the other; differences around a line at 0.
//!
//! What a difference comes to is said by colour, by the shape of its mark and in words.

use judica_model::chart::{Forest, ForestRow, Mark, Tone};

use super::Figure;
use super::axis::Axis;
use super::canvas::{Canvas, Pen};
use super::font::{Face, fit, width};
use super::look::Look;
use super::palette::{BLUE, Colour, VERMILION};
use super::sheet::{self, Caption, FONT, HEAD, MARGIN, SMALL};

/// The width of the plane that the intervals lie on, and the least that it can have.
const PLANE: [f64; 2] = [340.0, 140.0];
/// The width of the names, likewise.
const NAMES: [f64; 2] = [280.0, 60.0];
/// The height of a row, likewise.
const ROW: [f64; 2] = [22.0, 16.0];
/// What is written beside a row is no wider.
const BESIDE: f64 = 240.0;
/// How far names stand in below the heading of their group, and what separates groups, in rows.
const INDENT: f64 = 14.0;
const BETWEEN: f64 = 0.4;
/// Between names, plane and columns of words.
const GAP: f64 = 14.0;

struct Layout {
    axis: Axis,
    left: f64,
    right: f64,
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.axis.place(value)
    }
}

fn wide(text: &str) -> f64 {
    width(text, Face::Regular, FONT)
}

/// Draws it.
pub fn draw(chart: &Forest, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let numbers = chart.rows.iter().flat_map(|row| row.mark.numbers());
    let numbers: Vec<f64> = numbers.chain(chart.margin).collect();
    // Differences have room on both sides of 0, where there is none, too.
    let around: &[f64] = match chart.differences {
        true if numbers.iter().all(|number| *number == 0.0) => &[-1.0, 1.0],
        true => &[0.0],
        false => &[],
    };
    let axis = Axis::around(numbers.iter().chain(around).copied());
    let beside: Vec<[String; 3]> = chart.rows.iter().map(|row| words(row, &axis)).collect();
    let columns = [0, 1, 2].map(|at| {
        let texts = beside.iter().map(|words| wide(&words[at]));
        texts.fold(0.0, f64::max)
    });
    let written: f64 = columns
        .iter()
        .filter(|wide| **wide > 0.0)
        .map(|wide| wide + GAP)
        .sum();
    let headings = chart
        .rows
        .iter()
        .filter(|row| row.heading.is_some())
        .count() as f64;
    let indent = if headings > 0.0 { INDENT } else { 0.0 };
    let names = chart.rows.iter().map(|row| {
        let heading = row.heading.as_deref().unwrap_or_default();
        (indent + wide(&fit(&row.label, Face::Regular, FONT, NAMES[0]))).max(width(
            &fit(heading, Face::Bold, FONT, NAMES[0]),
            Face::Bold,
            FONT,
        ))
    });
    let names = names.fold(NAMES[1], f64::max);
    let others = 2.0 * MARGIN + GAP + written;
    let natural = (others + names + PLANE[0]).max(sheet::title_width(&chart.title));
    let total = canvas.wide(natural, others + NAMES[1] + PLANE[1]);
    // Where there is little room, names are cut before the plane is.
    let names = names.min(total - others - PLANE[1]);
    let caption = Caption::new(&chart.caption, total);
    let rows = chart.rows.len().max(1) as f64 + headings + BETWEEN * (headings - 1.0).max(0.0);
    let (top, below) = (HEAD + 18.0, 40.0 + caption.height() + MARGIN);
    let row = canvas.high(top + 6.0 + below, rows * ROW[0], rows * ROW[1]) / rows;
    let layout = Layout {
        axis,
        left: MARGIN + names + GAP,
        right: total - MARGIN - written,
    };
    let bottom = top + row * rows + 6.0;
    sheet::title(&mut canvas, &chart.title, total);
    draw_axis(&mut canvas, chart, &layout, [top, bottom], total);
    let mut y = top + 3.0 + row / 2.0;
    let mut group = String::new();
    for (at, (words, of)) in beside.iter().zip(&chart.rows).enumerate() {
        if let Some(heading) = &of.heading {
            group = format!("{heading}, ");
            if at > 0 {
                y += BETWEEN * row;
            }
            // Nothing else stands on its line.
            let heading = fit(heading, Face::Bold, FONT, layout.right - MARGIN);
            canvas.text(MARGIN, y + 4.0, &heading, Pen::new(FONT).bold());
            y += row;
        }
        draw_row(&mut canvas, &layout, (&group, of), chart.differences, y);
        let label = fit(&of.label, Face::Regular, FONT, names - indent);
        match indent {
            0.0 => canvas.text(layout.left - GAP, y + 4.0, &label, Pen::new(FONT).end()),
            _ => canvas.text(MARGIN + indent, y + 4.0, &label, Pen::new(FONT)),
        }
        let mut x = layout.right + GAP;
        for (text, wide) in words.iter().zip(columns) {
            if wide > 0.0 {
                canvas.text(x, y + 4.0, text, Pen::new(FONT));
                x += wide + GAP;
            }
        }
        y += row;
    }
    if chart.rows.is_empty() {
        sheet::nothing(&mut canvas, (layout.left, top - 6.0), "nothing to show");
    }
    caption.draw(&mut canvas, bottom + 40.0);
    canvas.finish(total, bottom + below, &chart.title)
}

fn draw_axis(
    canvas: &mut Canvas,
    chart: &Forest,
    layout: &Layout,
    [top, bottom]: [f64; 2],
    total: f64,
) {
    for tick in &layout.axis.ticks {
        let x = layout.x(*tick);
        canvas.line((x, top), (x, bottom), Colour::Grid, 1.0);
    }
    for (x, label) in layout.axis.along([layout.left, layout.right], SMALL, total) {
        canvas.text(x, bottom + 14.0, &label, Pen::new(SMALL).middle());
    }
    if chart.differences {
        let x = layout.x(0.0);
        canvas.line((x, top), (x, bottom), Colour::Ink, 1.0);
    }
    if let Some(margin) = chart.margin {
        let x = layout.x(margin);
        canvas.dashed(vec![(x, top), (x, bottom)], Colour::Faint);
    }
    let middle = (layout.left + layout.right) / 2.0;
    let room = 2.0 * (total - middle).min(middle);
    let words = fit(&chart.value_axis, Face::Regular, FONT, room);
    canvas.text(middle, bottom + 34.0, &words, Pen::new(FONT).middle());
}

/// What is written beside a row: the number and its interval, its n, and what it comes to.
fn words(row: &ForestRow, axis: &Axis) -> [String; 3] {
    let cut = |text: &str| fit(text, Face::Regular, FONT, BESIDE);
    match &row.mark {
        Mark::Value { value, ci, n } if value.is_finite() => {
            let interval = ci.map_or(String::new(), |[lo, hi]| {
                format!(" [{}, {}]", axis.precise(lo), axis.precise(hi))
            });
            [
                format!("{}{interval}", axis.precise(*value)),
                n.map_or(String::new(), |n| format!("n = {n}")),
                cut(&row.words),
            ]
        }
        Mark::Value { .. } => ["n/a".to_owned(), String::new(), String::new()],
        Mark::Missing(why) if why.is_empty() => ["n/a".to_owned(), String::new(), String::new()],
        Mark::Missing(why) => [cut(&format!("n/a ({why})")), String::new(), String::new()],
    }
}

fn draw_row(
    canvas: &mut Canvas,
    layout: &Layout,
    (group, row): (&str, &ForestRow),
    difference: bool,
    y: f64,
) {
    let Mark::Value { value, ci, .. } = &row.mark else {
        return;
    };
    if !value.is_finite() {
        return;
    }
    let colour = match row.tone {
        _ if !difference => BLUE,
        Tone::Good => BLUE,
        Tone::Bad => VERMILION,
        Tone::Neutral => Colour::Ink,
    };
    let interval = ci.map_or(String::new(), |[lo, hi]| format!(" [{lo}, {hi}]"));
    let said = format!("{group}{}: {value}{interval} {}", row.label, row.words);
    canvas.open(said.trim_end());
    if let Some([lo, hi]) = ci.map(|ends| ends.map(|end| layout.x(end))) {
        let mut lines = vec![vec![(lo, y), (hi, y)]];
        // An end without a bound is open.
        let ends = ci.iter().flatten().zip([lo, hi]);
        let bounds = ends.filter(|(end, _)| end.is_finite());
        lines.extend(bounds.map(|(_, x)| vec![(x, y - 4.0), (x, y + 4.0)]));
        canvas.lines(lines, colour, 2.0);
    }
    let x = layout.x(*value);
    match row.tone {
        Tone::Neutral if difference => canvas.circle((x, y), 4.0, Colour::Paper, colour),
        _ => canvas.rect((x - 4.0, y - 4.0), (8.0, 8.0), colour),
    }
    canvas.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_said_in_words_and_a_missing_one_says_why() {
        let row = |label: &str, mark, tone, words: &str| ForestRow {
            heading: None,
            label: label.to_owned(),
            mark,
            tone,
            words: words.to_owned(),
        };
        let value = |value: f64, ci| Mark::Value {
            value,
            ci,
            n: Some(500),
        };
        let chart = Forest {
            title: "b against a".to_owned(),
            value_axis: "b - a".to_owned(),
            rows: vec![
                row(
                    "acc",
                    value(-0.03, Some([-0.05, -0.01])),
                    Tone::Bad,
                    "worse",
                ),
                row("f1", value(0.0, None), Tone::Neutral, "no difference"),
                row(
                    "<x>",
                    Mark::Missing("no items".to_owned()),
                    Tone::Neutral,
                    "",
                ),
            ],
            differences: true,
            margin: Some(-0.02),
            caption: vec!["95 % intervals".to_owned()],
        };
        let drawn = draw(&chart, &Look::default()).svg();
        assert!(drawn.contains("n = 500") && drawn.contains("n/a (no items)"));
        assert!(drawn.contains("worse") && drawn.contains("no difference"));
        assert!(!drawn.contains("<x>") && drawn.contains("stroke-dasharray"));
        // Where nothing differs the axis has 0 in its middle, and numbers few digits.
        let same = Forest {
            rows: vec![row("acc", value(0.0, None), Tone::Neutral, "no difference")],
            margin: None,
            ..chart.clone()
        };
        let same = draw(&same, &Look::default()).svg();
        assert!(same.contains("\"0.000\"") && same.contains("\"\u{2212}1.0\""));
        // An interval without bounds has no ends, and its line is no path.
        let strokes = |ci| {
            let rows = [ci, [-0.05, 0.05]].map(|ci| {
                let mark = value(0.0, Some(ci));
                row("acc", mark, Tone::Neutral, "")
            });
            let both = Forest {
                rows: Vec::from(rows),
                ..chart.clone()
            };
            let drawn = draw(&both, &Look::default()).svg();
            let intervals = drawn
                .lines()
                .filter(|line| line.contains("stroke-width=\"2\""));
            intervals
                .map(|line| line.matches('M').count())
                .sum::<usize>()
        };
        assert_eq!(strokes([-0.05, 0.05]), 6);
        assert_eq!(strokes([-0.05, f64::INFINITY]), 5);
        assert_eq!(strokes([f64::NEG_INFINITY, f64::INFINITY]), 3);
        let none = Forest {
            rows: Vec::new(),
            ..chart
        };
        let none = draw(&none, &Look::default());
        assert!(none.svg().len() < drawn.len());
        assert!(none.png(1.0).is_ok());
    }
}
