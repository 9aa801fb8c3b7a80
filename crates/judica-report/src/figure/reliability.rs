//! How often answers are right, by how sure they were said to be. On the diagonal confidence
//! is what it says.

use judica_model::chart::{Reliability, ReliabilityBin};

use super::Figure;
use super::axis::Axis;
use super::canvas::{Canvas, Pen};
use super::font::{Face, width};
use super::look::Look;
use super::palette::{AMBER, BLUE, Colour};
use super::sheet::{self, Caption, FONT, HEAD, Legend, MARGIN, SMALL, SWATCH, TINY};

/// Left of the plane, and right of it, where half of a label stands.
const AXIS: f64 = 56.0;
const BESIDE: f64 = MARGIN + AXIS + MARGIN + 8.0;
/// The room of the legend, which is one line, with its margin.
const LEGEND: f64 = 260.0;
/// Below the title and the legend.
const TOP: f64 = HEAD + 42.0;
/// The plane is a square, so that the diagonal is one; and the least that it can be.
const SIDE: [f64; 2] = [360.0, 180.0];
/// Below it, how many rows each bin has.
const GAP: f64 = 14.0;
const ROWS: f64 = 50.0;

struct Layout {
    left: f64,
    side: f64,
    /// Where the bars below the plane stand.
    base: f64,
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        self.left + self.side * value
    }

    fn y(&self, value: f64) -> f64 {
        TOP + self.side * (1.0 - value)
    }
}

/// Draws it.
pub fn draw(chart: &Reliability, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let natural = (BESIDE + SIDE[0]).max(sheet::title_width(&chart.title));
    let wide = canvas.wide(natural, BESIDE + SIDE[1]);
    let caption = Caption::new(&chart.caption, wide);
    // Numbers of rows that are wider than their bins are turned.
    let narrowest = match (look.width, look.height) {
        (None, None) => SIDE[0],
        _ => SIDE[1],
    };
    let numbers = chart.bins.iter().map(|bin| {
        let text = width(&bin.rows.to_string(), Face::Regular, TINY);
        (text, text > narrowest * (bin.between[1] - bin.between[0]))
    });
    let (longest, turned) = numbers.fold((0.0_f64, false), |(longest, turned), (text, wide)| {
        (longest.max(text), turned || wide)
    });
    let numbers = if turned { longest + 6.0 } else { 14.0 };
    let below = GAP + ROWS + numbers + 40.0 + caption.height() + MARGIN;
    let high = canvas.high(TOP + below, SIDE[0], SIDE[1]);
    // Without a size of either side the plane has its own; else what both leave it.
    let side = match (look.width, look.height) {
        (None, None) => SIDE[0],
        (Some(_), None) => wide - BESIDE,
        (_, Some(_)) => high.min(wide - BESIDE),
    };
    let layout = Layout {
        left: MARGIN + AXIS + (wide - BESIDE - side) / 2.0,
        side,
        base: TOP + side + GAP + ROWS + numbers,
    };
    sheet::title(&mut canvas, &chart.title, wide);
    let legend = Legend::new(["as sure as it says", "95 % interval"], wide);
    // Beside the title's margin where the plane is too narrow for both.
    let place = (layout.left.min(wide - LEGEND).max(MARGIN), HEAD + 14.0);
    legend.draw(&mut canvas, place, |canvas, at, (x, y)| {
        if at == 0 {
            canvas.dashed(vec![(x, y + SWATCH), (x + SWATCH, y)], Colour::Faint);
        } else {
            canvas.whisker(x + SWATCH / 2.0, y, y + SWATCH, 3.0);
        }
    });
    axes(&mut canvas, &layout);
    counts(&mut canvas, &chart.bins, &layout, turned);
    for pair in chart.bins.windows(2) {
        let at = |bin: &ReliabilityBin| (layout.x(bin.confidence), layout.y(bin.share));
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
        let (at, up) = (layout.x(bin.confidence), layout.y(bin.share));
        if let Some([lo, hi]) = bin.ci {
            canvas.whisker(at, layout.y(hi), layout.y(lo), 3.0);
        }
        canvas.circle((at, up), 5.0, BLUE, BLUE);
        canvas.close();
    }
    caption.draw(&mut canvas, layout.base + 40.0);
    let least = layout.base + 40.0 + caption.height() + MARGIN;
    let high = canvas.high(0.0, least, least);
    canvas.finish(wide, high, &chart.title)
}

fn axes(canvas: &mut Canvas, layout: &Layout) {
    let axis = Axis::unit();
    let (left, right, bottom) = (layout.left, layout.x(1.0), layout.y(0.0));
    for tick in &axis.ticks {
        let (label, along, up) = (axis.label(*tick), layout.x(*tick), layout.y(*tick));
        canvas.line((left, up), (right, up), Colour::Grid, 1.0);
        canvas.line((along, TOP), (along, bottom), Colour::Grid, 1.0);
        canvas.text(left - 6.0, up + 4.0, &label, Pen::new(SMALL).end());
        let pen = Pen::new(SMALL).middle();
        canvas.text(along, layout.base + 15.0, &label, pen);
    }
    canvas.line((left, TOP), (left, bottom), Colour::Ink, 1.0);
    for y in [bottom, layout.base] {
        canvas.line((left, y), (right, y), Colour::Ink, 1.0);
    }
    let diagonal = vec![(left, bottom), (right, TOP)];
    canvas.dashed(diagonal, Colour::Faint);
    let middle = Pen::new(FONT).middle();
    canvas.text(layout.x(0.5), layout.base + 34.0, "confidence", middle);
    let x = left - AXIS + 8.0;
    canvas.text(x, layout.y(0.5), "share that is right", middle.turn(90.0));
    let rows = Pen::new(SMALL).end().faint();
    canvas.text(left - 6.0, layout.base - ROWS / 2.0 + 4.0, "rows", rows);
}

/// How many rows there are of each bin, as bars below the curve.
fn counts(canvas: &mut Canvas, bins: &[ReliabilityBin], layout: &Layout, turned: bool) {
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(0);
    for bin in bins {
        let [from, to] = bin.between.map(|end| layout.x(end));
        let high = ROWS * bin.rows as f64 / most.max(1) as f64;
        let top = layout.base - high;
        canvas.rect((from + 1.0, top), (to - from - 2.0, high), AMBER);
        let (middle, rows) = ((from + to) / 2.0, bin.rows.to_string());
        match turned {
            true => canvas.text(middle + 3.5, top - 3.0, &rows, Pen::new(TINY).turn(90.0)),
            false => canvas.text(middle, top - 3.0, &rows, Pen::new(TINY).middle()),
        }
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
        let drawn = draw(&chart, &Look::default()).svg();
        assert!(!drawn.contains("<x>") && drawn.contains("stroke-dasharray"));
        assert!(drawn.contains("confidence 0.85, right 0.6 [0.3, 1], 7 rows"));
        let none = Reliability {
            bins: Vec::new(),
            ..chart
        };
        let none = draw(&none, &Look::default());
        assert!(none.svg().len() < drawn.len());
        assert!(none.png(1.0).is_ok());
    }
}
