//! Differences with their intervals, one below the other, around a line at 0.
//!
//! What a difference comes to is said by colour, by the shape of its mark and in words.

use judica_model::chart::{Forest, ForestRow, Mark, Tone};

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Medium, Pen};
use super::font::{Face, width};
use super::label::shortened;
use super::palette::{BLUE, FAINT, GRID, INK, VERMILION};
use super::png::{PngError, render};

const MARGIN: f64 = 20.0;
/// The width of the plane that the intervals lie on.
const PLANE: f64 = 340.0;
/// The height of a row.
const ROW: f64 = 22.0;
const FONT: f64 = 12.0;
const TITLE: f64 = 16.0;
/// Names longer than this many columns of text are shortened.
const LONGEST_NAME: usize = 40;

/// The figure as SVG.
pub fn svg(chart: &Forest) -> String {
    draw(chart, Canvas::new(Medium::Vector))
}

/// The figure as PNG, `scale` pixels for each unit of the SVG.
pub fn png(chart: &Forest, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(chart, Canvas::new(Medium::Pixels)), scale)
}

struct Layout {
    axis: Axis,
    left: f64,
    top: f64,
    bottom: f64,
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        self.left + PLANE * self.axis.place(value)
    }

    fn right(&self) -> f64 {
        self.left + PLANE
    }
}

fn wide(text: &str) -> f64 {
    width(text, Face::Regular, FONT)
}

fn draw(chart: &Forest, mut canvas: Canvas) -> String {
    let label = |row: &ForestRow| shortened(&row.label, LONGEST_NAME);
    let labels = chart.rows.iter().map(|row| wide(&label(row)));
    let top = MARGIN + TITLE + 18.0;
    let layout = Layout {
        axis: axis(chart),
        left: MARGIN + labels.fold(60.0, f64::max) + 12.0,
        top,
        bottom: top + ROW * chart.rows.len().max(1) as f64 + 6.0,
    };
    canvas.text(MARGIN, MARGIN + TITLE, &chart.title, Pen::new(TITLE).bold());
    for tick in &layout.axis.ticks {
        let x = layout.x(*tick);
        canvas.line((x, layout.top), (x, layout.bottom), GRID, 1.0);
        let pen = Pen::new(11.0).anchor(Anchor::Middle);
        canvas.text(x, layout.bottom + 14.0, &layout.axis.label(*tick), pen);
    }
    let zero = layout.x(0.0);
    canvas.line((zero, layout.top), (zero, layout.bottom), INK, 1.0);
    if let Some(margin) = chart.margin {
        let x = layout.x(margin);
        canvas.dashed(&[(x, layout.top), (x, layout.bottom)], FAINT);
    }
    let mut right = layout.right();
    for (at, row) in chart.rows.iter().enumerate() {
        let y = layout.top + ROW * (at as f64 + 0.5) + 3.0;
        let said = draw_row(&mut canvas, &layout, row, y);
        right = right.max(layout.right() + 14.0 + wide(&said));
        let pen = Pen::new(FONT).anchor(Anchor::End);
        canvas.text(layout.left - 12.0, y + 4.0, &label(row), pen);
    }
    if chart.rows.is_empty() {
        let pen = Pen::new(FONT).colour(FAINT);
        canvas.text(
            layout.left + 12.0,
            layout.top + 18.0,
            "nothing to show",
            pen,
        );
    }
    let pen = Pen::new(FONT).anchor(Anchor::Middle);
    let middle = layout.left + PLANE / 2.0;
    canvas.text(middle, layout.bottom + 34.0, &chart.value_axis, pen);
    let caption = layout.bottom + 54.0;
    canvas.text(
        MARGIN,
        caption,
        &chart.caption,
        Pen::new(11.0).colour(FAINT),
    );
    let texts = [
        width(&chart.title, Face::Bold, TITLE),
        width(&chart.caption, Face::Regular, 11.0),
    ];
    let widest = texts.into_iter().fold(right - MARGIN, f64::max);
    canvas.finish(widest + 2.0 * MARGIN, caption + MARGIN, &chart.title)
}

/// Draws a row; gives back what is written beside it.
fn draw_row(canvas: &mut Canvas, layout: &Layout, row: &ForestRow, y: f64) -> String {
    let colour = match row.tone {
        Tone::Good => BLUE,
        Tone::Bad => VERMILION,
        Tone::Neutral => INK,
    };
    let said = match &row.mark {
        Mark::Value { value, ci } if value.is_finite() => {
            let text = |number: f64| layout.axis.precise(number);
            let interval = ci.map_or(String::new(), |[lo, hi]| {
                format!(" [{}, {}]", text(lo), text(hi))
            });
            canvas.open(&format!("{}: {value}{interval} {}", row.label, row.words));
            if let Some([lo, hi]) = ci {
                canvas.line((layout.x(*lo), y), (layout.x(*hi), y), colour, 2.0);
                for end in [*lo, *hi] {
                    let x = layout.x(end);
                    canvas.line((x, y - 4.0), (x, y + 4.0), colour, 2.0);
                }
            }
            let x = layout.x(*value);
            match row.tone {
                Tone::Neutral => canvas.circle(x, y, 4.0, "#ffffff", colour),
                _ => canvas.rect(x - 4.0, y - 4.0, 8.0, 8.0, colour),
            }
            canvas.close();
            format!("{}{interval}  {}", text(*value), row.words)
        }
        Mark::Value { .. } => "n/a".to_owned(),
        Mark::Missing(why) => format!("n/a ({})", shortened(why, LONGEST_NAME)),
    };
    canvas.text(layout.right() + 14.0, y + 4.0, &said, Pen::new(FONT));
    said
}

fn axis(chart: &Forest) -> Axis {
    let values = chart.rows.iter().flat_map(|row| match &row.mark {
        Mark::Value { value, ci } => {
            let [lo, hi] = ci.unwrap_or([*value; 2]);
            vec![*value, lo, hi]
        }
        Mark::Missing(_) => Vec::new(),
    });
    Axis::around(values.chain(chart.margin).chain([0.0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_said_in_words_and_a_missing_one_says_why() {
        let row = |label: &str, mark, tone, words: &str| ForestRow {
            label: label.to_owned(),
            mark,
            tone,
            words: words.to_owned(),
        };
        let value = |value: f64, ci| Mark::Value { value, ci };
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
            margin: Some(-0.02),
            caption: "n = 500".to_owned(),
        };
        let drawn = svg(&chart);
        assert!(drawn.contains("worse") && drawn.contains("no difference"));
        assert!(!drawn.contains("<x>") && drawn.contains("stroke-dasharray"));
        let none = Forest {
            rows: Vec::new(),
            ..chart
        };
        assert!(svg(&none).len() < drawn.len());
        assert!(png(&none, 1.0).is_ok());
    }
}
