//! How often answers are right, by how sure they were said to be. On the diagonal confidence
//! is what it says.

use judica_model::chart::{Reliability, ReliabilityBin};

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Medium, Pen};
use super::font::{Face, width};
use super::palette::{AMBER, BLUE, FAINT, GRID, INK};
use super::png::{PngError, render};

const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const FONT: f64 = 12.0;
const SMALL: f64 = 11.0;
const LEFT: f64 = MARGIN + 56.0;
const TOP: f64 = MARGIN + TITLE + 22.0;
/// The plane is a square, so that the diagonal is one.
const SIDE: f64 = 360.0;
/// Below it, how many rows each bin has.
const GAP: f64 = 14.0;
const ROWS: f64 = 64.0;

/// The figure as SVG.
pub fn svg(chart: &Reliability) -> String {
    draw(chart, Canvas::new(Medium::Vector))
}

/// The figure as PNG, `scale` pixels for each unit of the SVG.
pub fn png(chart: &Reliability, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(chart, Canvas::new(Medium::Pixels)), scale)
}

fn x(value: f64) -> f64 {
    LEFT + SIDE * value
}

fn y(value: f64) -> f64 {
    TOP + SIDE * (1.0 - value)
}

fn draw(chart: &Reliability, mut canvas: Canvas) -> String {
    let bold = Pen::new(TITLE).bold();
    canvas.text(MARGIN, MARGIN + TITLE, &chart.title, bold);
    let axis = Axis::unit();
    let (bottom, base) = (TOP + SIDE, TOP + SIDE + GAP + ROWS);
    for tick in &axis.ticks {
        let (label, along, up) = (axis.label(*tick), x(*tick), y(*tick));
        canvas.line((LEFT, up), (x(1.0), up), GRID, 1.0);
        canvas.line((along, TOP), (along, bottom), GRID, 1.0);
        let end = Pen::new(SMALL).anchor(Anchor::End);
        canvas.text(LEFT - 6.0, up + 4.0, &label, end);
        let middle = Pen::new(SMALL).anchor(Anchor::Middle);
        canvas.text(along, base + 15.0, &label, middle);
    }
    canvas.line((LEFT, TOP), (LEFT, bottom), INK, 1.0);
    canvas.line((LEFT, bottom), (x(1.0), bottom), INK, 1.0);
    canvas.line((LEFT, base), (x(1.0), base), INK, 1.0);
    canvas.dashed(&[(x(0.0), y(0.0)), (x(1.0), y(1.0))], FAINT);
    let said = "as sure as it says";
    let turned = Pen::new(SMALL).colour(FAINT).turn(45.0);
    canvas.text(x(0.06), y(0.09), said, turned.anchor(Anchor::Start));
    counts(&mut canvas, &chart.bins, base);
    for pair in chart.bins.windows(2) {
        let at = |bin: &ReliabilityBin| (x(bin.confidence), y(bin.share));
        canvas.line(at(&pair[0]), at(&pair[1]), BLUE, 1.0);
    }
    for bin in &chart.bins {
        let interval = bin
            .ci
            .map_or(String::new(), |[lo, hi]| format!(" [{lo}, {hi}]"));
        canvas.open(&format!(
            "confidence {}, right {}{interval}, {} rows",
            bin.confidence, bin.share, bin.rows
        ));
        let (at, up) = (x(bin.confidence), y(bin.share));
        if let Some([lo, hi]) = bin.ci {
            canvas.whisker(at, y(hi), y(lo), 3.0);
        }
        canvas.circle(at, up, 5.0, BLUE, BLUE);
        canvas.close();
    }
    let middle = Pen::new(FONT).anchor(Anchor::Middle);
    canvas.text(x(0.5), base + 34.0, "confidence", middle);
    let turned = middle.turn(90.0);
    let share = "share that is right, with its 95 % interval";
    canvas.text(MARGIN + 8.0, y(0.5), share, turned);
    let end = Pen::new(SMALL).anchor(Anchor::End).colour(FAINT);
    canvas.text(LEFT - 6.0, base - ROWS / 2.0 + 4.0, "rows", end);
    let mut bottom = base + 54.0;
    let mut wide = width(&chart.title, Face::Bold, TITLE);
    for line in &chart.caption {
        canvas.text(MARGIN, bottom, line, Pen::new(SMALL).colour(FAINT));
        wide = wide.max(width(line, Face::Regular, SMALL));
        bottom += 15.0;
    }
    let right = (x(1.0) + MARGIN + 8.0).max(2.0 * MARGIN + wide);
    canvas.finish(right, bottom + MARGIN / 2.0, &chart.title)
}

/// How many rows there are of each bin, as bars below the curve.
fn counts(canvas: &mut Canvas, bins: &[ReliabilityBin], base: f64) {
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(0);
    for bin in bins {
        let [from, to] = bin.between.map(x);
        let high = (ROWS - 14.0) * bin.rows as f64 / most.max(1) as f64;
        canvas.rect(from + 1.0, base - high, to - from - 2.0, high, AMBER);
        let pen = Pen::new(9.0).anchor(Anchor::Middle);
        let rows = bin.rows.to_string();
        canvas.text((from + to) / 2.0, base - high - 3.0, &rows, pen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_without_bins_is_still_a_figure() {
        let bin = |confidence, share| ReliabilityBin {
            between: [confidence - 0.05, confidence + 0.05],
            rows: 7,
            confidence,
            share,
            ci: Some([share / 2.0, 1.0]),
        };
        let chart = Reliability {
            title: "<x>".to_owned(),
            bins: vec![bin(0.15, 0.3), bin(0.85, 0.6)],
            caption: vec!["7 rows".to_owned()],
        };
        let drawn = svg(&chart);
        assert!(!drawn.contains("<x>") && drawn.contains("stroke-dasharray"));
        assert!(drawn.contains("confidence 0.85, right 0.6 [0.3, 1], 7 rows"));
        let none = Reliability {
            bins: Vec::new(),
            ..chart
        };
        assert!(svg(&none).len() < drawn.len());
        assert!(png(&none, 1.0).is_ok());
    }
}
