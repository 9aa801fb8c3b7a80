//! Grouped bars: one group per metric, one bar per series, whiskers for intervals.
//!
//! A mark without a value is a gap that says n/a, never a bar of height 0.

use judica_model::chart::{BarChart, Mark};

use super::axis::{Axis, minus};
use super::canvas::{Anchor, Canvas, Medium, Pen};
use super::font::{Face, width};
use super::label::shortened;
use super::palette::{self, FAINT, GRID, INK, hatch, series};
use super::png::{PngError, render};

/// Space around everything.
const MARGIN: f64 = 20.0;
/// The height of the plane that the bars stand on.
const PLANE: f64 = 300.0;
/// Room for the labels of the value axis.
const AXIS: f64 = 64.0;
/// The font of labels.
const FONT: f64 = 12.0;
/// The height of a line of labels.
const LINE: f64 = 16.0;
const TITLE: f64 = 16.0;
/// Between the edge of a group and its first bar, on both sides.
const GROUP_GAP: f64 = 16.0;
/// No group is narrower: its name must be readable below it.
const NARROWEST_GROUP: f64 = 96.0;
/// Names longer than this many columns of text are shortened.
const LONGEST_NAME: usize = 48;
/// With more bars than this no numbers are written above them.
const NUMBERED_BARS: usize = 60;

/// How many series can be told apart, by colour and by what is drawn over it.
pub const MOST_SERIES: usize = palette::MOST_SERIES;
/// Lines across a bar: how far apart, and how thick.
const STRIPES: (f64, f64) = (6.0, 1.5);

/// The figure as SVG.
pub fn svg(chart: &BarChart) -> String {
    draw(chart, Canvas::new(Medium::Vector))
}

/// The figure as PNG, `scale` pixels for each unit of the SVG.
pub fn png(chart: &BarChart, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(chart, Canvas::new(Medium::Pixels)), scale)
}

struct Layout {
    axis: Axis,
    left: f64,
    top: f64,
    bar: f64,
    group: f64,
    right: f64,
}

impl Layout {
    fn new(chart: &BarChart, legend_rows: usize) -> Self {
        let n = chart.series.len().max(1) as f64;
        let bar = (96.0 / n).clamp(12.0, 34.0);
        let group = (n * bar + 2.0 * GROUP_GAP).max(NARROWEST_GROUP);
        let left = MARGIN + AXIS;
        let plane = group * chart.groups.len().max(1) as f64;
        Layout {
            axis: value_axis(chart),
            left,
            top: MARGIN + TITLE + 14.0 + legend_rows as f64 * LINE + above(bar),
            bar,
            group,
            right: left + plane.max(360.0),
        }
    }

    fn y(&self, value: f64) -> f64 {
        self.top + PLANE * (1.0 - self.axis.place(value))
    }

    fn bottom(&self) -> f64 {
        self.top + PLANE
    }
}

/// Room above the plane for the numbers of the highest bars, which are turned over narrow ones.
fn above(bar: f64) -> f64 {
    if bar < 28.0 { 36.0 } else { 18.0 }
}

fn value_axis(chart: &BarChart) -> Axis {
    let marks = chart.series.iter().flat_map(|series| &series.marks);
    let values: Vec<f64> = marks
        .flat_map(|mark| match mark {
            Mark::Value { value, ci } => {
                let [lo, hi] = ci.unwrap_or([*value; 2]);
                vec![*value, lo, hi]
            }
            Mark::Missing(_) => Vec::new(),
        })
        .collect();
    let is_unit = values.iter().all(|value| (0.0..=1.0).contains(value));
    if chart.unit_scale && is_unit {
        Axis::unit()
    } else {
        // Bars stand on 0: a cut axis would make small differences look large.
        Axis::around(values.into_iter().chain([0.0]))
    }
}

fn draw(chart: &BarChart, mut canvas: Canvas) -> String {
    let plane = Layout::new(chart, 0);
    let legend = legend_rows(chart, plane.right - plane.left);
    let layout = Layout::new(chart, legend.len());
    let title = Pen::new(TITLE).bold();
    canvas.text(MARGIN, MARGIN + TITLE, &chart.title, title);
    draw_legend(&mut canvas, chart, &legend, layout.left);
    draw_axis(&mut canvas, chart, &layout);
    let bars = chart.groups.len() * chart.series.len();
    for (at, name) in chart.groups.iter().enumerate() {
        for position in 0..chart.series.len() {
            draw_bar(
                &mut canvas,
                chart,
                &layout,
                (at, position),
                bars <= NUMBERED_BARS,
            );
        }
        draw_group_name(&mut canvas, &layout, at, name);
    }
    if chart.groups.is_empty() || chart.series.is_empty() {
        let pen = Pen::new(FONT).colour(FAINT);
        canvas.text(
            layout.left + 12.0,
            layout.top + 24.0,
            "nothing to show",
            pen,
        );
    }
    let base = layout.y(0.0);
    canvas.line((layout.left, base), (layout.right, base), INK, 1.0);
    let lines = chart.groups.iter().map(|name| wrapped(name, &layout).len());
    let names = lines.max().unwrap_or(0) as f64 * LINE;
    let title_end = MARGIN + width(&chart.title, Face::Bold, TITLE) + MARGIN;
    canvas.finish(
        (layout.right + MARGIN).max(title_end),
        layout.bottom() + 8.0 + names + MARGIN,
        &chart.title,
    )
}

fn draw_axis(canvas: &mut Canvas, chart: &BarChart, layout: &Layout) {
    for tick in &layout.axis.ticks {
        let y = layout.y(*tick);
        canvas.line((layout.left, y), (layout.right, y), GRID, 1.0);
        let pen = Pen::new(11.0).anchor(Anchor::End);
        canvas.text(layout.left - 6.0, y + 4.0, &layout.axis.label(*tick), pen);
    }
    let pen = Pen::new(FONT).anchor(Anchor::Middle).turn(90.0);
    let middle = layout.top + PLANE / 2.0;
    canvas.text(MARGIN + 8.0, middle, &chart.value_axis, pen);
}

fn draw_bar(
    canvas: &mut Canvas,
    chart: &BarChart,
    layout: &Layout,
    (group, position): (usize, usize),
    numbered: bool,
) {
    static NO_MARK: Mark = Mark::Missing(String::new());
    let bars = &chart.series[position];
    let mark = bars.marks.get(group).unwrap_or(&NO_MARK);
    let all = layout.bar * chart.series.len() as f64;
    let start = layout.left + layout.group * group as f64 + (layout.group - all) / 2.0;
    let x = start + layout.bar * position as f64;
    let middle = x + layout.bar / 2.0;
    let who = format!("{}, {}", chart.groups[group], bars.label);
    match mark {
        Mark::Value { value, ci } if value.is_finite() => {
            let said = ci.map_or(String::new(), |[lo, hi]| format!(" [{lo}, {hi}]"));
            canvas.open(&format!("{who}: {value}{said}"));
            let (base, end) = (layout.y(0.0), layout.y(*value));
            let (top, bottom) = (end.min(base), end.max(base));
            swatch(
                canvas,
                (x + 1.0, top),
                (layout.bar - 2.0, bottom - top),
                position,
            );
            let mut above = top;
            if let Some([lo, hi]) = ci {
                let (top, bottom) = (layout.y(*hi), layout.y(*lo));
                canvas.whisker(middle, top, bottom, (layout.bar / 5.0).min(5.0));
                above = above.min(top);
            }
            if numbered {
                draw_number(canvas, layout, middle, above, *value);
            }
            canvas.close();
        }
        other => {
            let why = match other {
                Mark::Missing(reason) if !reason.is_empty() => reason,
                Mark::Missing(_) => "no value",
                Mark::Value { .. } => "not a finite number",
            };
            canvas.open(&format!("{who}: n/a ({why})"));
            let pen = Pen::new(10.0).colour(FAINT).turn(90.0);
            canvas.text(middle + 4.0, layout.y(0.0) - 6.0, "n/a", pen);
            canvas.close();
        }
    }
}

/// A surface of a series: its colour, and what is drawn over it.
fn swatch(canvas: &mut Canvas, (x, y): (f64, f64), (wide, high): (f64, f64), at: usize) {
    const WHITE: &str = "#ffffff";
    canvas.rect(x, y, wide, high, series(at));
    let hatch = hatch(at);
    if hatch.across {
        let (apart, thick) = STRIPES;
        // From below, so that bars of one series match wherever they end.
        let mut line = y + high - apart / 2.0;
        while line - thick > y {
            canvas.rect(x, line - thick, wide, thick, WHITE);
            line -= apart;
        }
    }
    if hatch.along {
        let thick = wide / 5.0;
        canvas.rect(x + (wide - thick) / 2.0, y, thick, high, WHITE);
    }
}

/// The number above a bar, turned where the bar is too narrow for it.
fn draw_number(canvas: &mut Canvas, layout: &Layout, middle: f64, above: f64, value: f64) {
    let size = 9.0;
    let span = layout.axis.hi - layout.axis.lo;
    // A small number among rates, such as a mean distance, would round to nothing.
    let decimals = match span {
        _ if span > 100.0 => 0,
        _ if span > 2.0 => 1,
        _ if value != 0.0 && value.abs() < 0.1 => 3,
        _ => 2,
    };
    let text = minus(format!("{value:.decimals$}"));
    let fits = width(&text, Face::Regular, size) <= layout.bar;
    let pen = Pen::new(size);
    if fits {
        canvas.text(middle, above - 4.0, &text, pen.anchor(Anchor::Middle));
    } else {
        canvas.text(middle + 3.5, above - 4.0, &text, pen.turn(90.0));
    }
}

fn draw_group_name(canvas: &mut Canvas, layout: &Layout, group: usize, name: &str) {
    let middle = layout.left + layout.group * (group as f64 + 0.5);
    for (at, line) in wrapped(name, layout).iter().enumerate() {
        let y = layout.bottom() + 8.0 + LINE * (at as f64 + 0.75);
        let pen = Pen::new(FONT).anchor(Anchor::Middle);
        canvas.text(middle, y, line, pen);
    }
}

/// A name broken at its underscores and spaces into lines that fit below the group.
fn wrapped(name: &str, layout: &Layout) -> Vec<String> {
    let room = layout.group - 6.0;
    let name = shortened(name, LONGEST_NAME);
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(['_', ' ']).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), Face::Regular, FONT) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Which series stand in which row of the legend, and where each begins.
fn legend_rows(chart: &BarChart, room: f64) -> Vec<Vec<(usize, f64)>> {
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut at = 0.0;
    for (position, bars) in chart.series.iter().enumerate() {
        let wide = 18.0 + width(&shortened(&bars.label, LONGEST_NAME), Face::Regular, FONT) + 20.0;
        if rows.is_empty() || at + wide > room {
            rows.push(Vec::new());
            at = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((position, at));
        }
        at += wide;
    }
    rows
}

fn draw_legend(canvas: &mut Canvas, chart: &BarChart, rows: &[Vec<(usize, f64)>], left: f64) {
    for (row, entries) in rows.iter().enumerate() {
        let y = MARGIN + TITLE + 14.0 + row as f64 * LINE;
        for (position, at) in entries {
            swatch(canvas, (left + at, y + 1.0), (12.0, 12.0), *position);
            let label = shortened(&chart.series[*position].label, LONGEST_NAME);
            canvas.text(left + at + 18.0, y + 11.0, &label, Pen::new(FONT));
        }
    }
}
