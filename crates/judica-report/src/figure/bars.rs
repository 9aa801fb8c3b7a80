//! Grouped bars: one group per metric, one bar per series, whiskers for intervals.
//!
//! A mark without a value is a gap that says n/a, never a bar of height 0.

use judica_model::chart::{BarChart, Mark};

use super::Figure;
use super::axis::{Axis, minus};
use super::canvas::{Canvas, Pen, Point};
use super::font::{Face, fit, width, wrap};
use super::look::Look;
use super::palette::{self, Colour, Texture, texture};
use super::sheet::{self, Caption, FONT, HEAD, Legend, MARGIN, SMALL, SWATCH, TINY};

/// The height of the plane that the bars stand on, and the least that it can have.
const PLANE: [f64; 2] = [300.0, 110.0];
/// Room for the labels of the value axis.
const AXIS: f64 = 64.0;
/// The height of a line of labels.
const LINE: f64 = 16.0;
/// Between the edge of a group and its first bar, on both sides.
const GROUP_GAP: f64 = 16.0;
/// A group's name must be readable below it.
const GROUP: [f64; 2] = [96.0, 44.0];
/// No bar is narrower: a number must be readable above it.
const NARROWEST_BAR: f64 = 10.0;
const WIDEST_BAR: f64 = 40.0;
/// A group's name takes no more lines than this.
const NAME_LINES: usize = 4;
/// With more bars than this no numbers are written above them.
const NUMBERED_BARS: usize = 60;
/// Between the numbers of two bars.
const APART_NUMBERS: f64 = 3.0;
/// Between the lines of a texture, and how thick they are.
const APART: f64 = 6.0;
const THICK: f64 = 1.3;

/// How many series can be told apart, by colour and by what is drawn over it.
pub const MOST_SERIES: usize = palette::MOST_SERIES;

struct Layout {
    axis: Axis,
    left: f64,
    right: f64,
    top: f64,
    high: f64,
    bar: f64,
    group: f64,
}

impl Layout {
    fn y(&self, value: f64) -> f64 {
        self.top + self.high * (1.0 - self.axis.place(value))
    }

    fn bottom(&self) -> f64 {
        self.top + self.high
    }
}

/// Draws it.
pub fn draw(chart: &BarChart, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let axis = value_axis(chart);
    let left = MARGIN + (axis.widest(SMALL) + 32.0).max(AXIS);
    let series = chart.series.len().max(1) as f64;
    let groups = chart.groups.len().max(1) as f64;
    let planes = [(96.0 / series).clamp(12.0, 34.0), NARROWEST_BAR];
    let [natural, least] = [0, 1].map(|at| {
        let gap = [GROUP_GAP, 4.0][at];
        groups * (series * planes[at] + 2.0 * gap).max(GROUP[at])
    });
    let beside = left + MARGIN;
    let natural = (beside + natural.max(360.0)).max(sheet::title_width(&chart.title));
    let wide = canvas.wide(natural, beside + least.max(120.0));
    let group = (wide - beside) / groups;
    let bar = (group - 2.0 * GROUP_GAP.min(group / 8.0)) / series;
    let bar = bar.clamp(NARROWEST_BAR, WIDEST_BAR);
    let legend = Legend::new(chart.series.iter().map(|bars| &*bars.label), wide - beside);
    let names: Vec<Vec<String>> = chart
        .groups
        .iter()
        .map(|name| wrap(name, FONT, group - 6.0, NAME_LINES))
        .collect();
    let caption = Caption::new(&chart.caption, wide);
    let lines = names.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let top = HEAD + 14.0 + legend.height() + above(chart, &axis, bar);
    let below = 8.0 + lines * LINE + caption.height() + MARGIN;
    let layout = Layout {
        axis,
        left,
        right: wide - MARGIN,
        top,
        high: canvas.high(top + below, PLANE[0], PLANE[1]),
        bar,
        group,
    };
    sheet::title(&mut canvas, &chart.title, wide);
    legend.draw(&mut canvas, (left, HEAD + 14.0), |canvas, at, place| {
        swatch(canvas, place, (SWATCH, SWATCH), at);
    });
    draw_axis(&mut canvas, chart, &layout);
    let numbered = chart.groups.len() * chart.series.len() <= NUMBERED_BARS;
    for (at, lines) in names.iter().enumerate() {
        for position in 0..chart.series.len() {
            draw_bar(&mut canvas, chart, &layout, (at, position), numbered);
        }
        let middle = left + group * (at as f64 + 0.5);
        for (row, line) in lines.iter().enumerate() {
            let y = layout.bottom() + 8.0 + LINE * (row as f64 + 0.75);
            canvas.text(middle, y, line, Pen::new(FONT).middle());
        }
    }
    if chart.groups.is_empty() || chart.series.is_empty() {
        sheet::nothing(&mut canvas, (left, top), "nothing to show");
    }
    let base = layout.y(0.0);
    canvas.line((left, base), (layout.right, base), Colour::Ink, 1.0);
    caption.draw(&mut canvas, layout.bottom() + 8.0 + lines * LINE);
    canvas.finish(wide, layout.bottom() + below, &chart.title)
}

fn value_axis(chart: &BarChart) -> Axis {
    let marks = chart.series.iter().flat_map(|series| &series.marks);
    let values: Vec<f64> = marks.flat_map(Mark::numbers).collect();
    let is_unit = values.iter().all(|value| (0.0..=1.0).contains(value));
    if chart.unit_scale && is_unit {
        Axis::unit()
    } else {
        // Bars stand on 0: a cut axis would make small differences look large.
        Axis::around(values.into_iter().chain([0.0]))
    }
}

/// Room above the plane for the number of the highest bar, which is turned over a narrow one,
/// and for what is said of a bar that is missing.
fn above(chart: &BarChart, axis: &Axis, bar: f64) -> f64 {
    let marks = || chart.series.iter().flat_map(|series| &series.marks);
    let ends = marks().flat_map(Mark::numbers).chain([0.0]);
    let highest = ends.map(|end| axis.place(end)).fold(0.0, f64::max);
    let numbers = marks().flat_map(Mark::numbers);
    let widest = numbers.map(|value| width(&number(value), Face::Regular, TINY));
    let widest = widest.fold(0.0, f64::max);
    let high = if widest + APART_NUMBERS < bar {
        24.0
    } else {
        widest.max(16.0) + 8.0
    };
    (high - PLANE[1] * (1.0 - highest)).max(10.0)
}

fn draw_axis(canvas: &mut Canvas, chart: &BarChart, layout: &Layout) {
    for tick in &layout.axis.ticks {
        let y = layout.y(*tick);
        canvas.line((layout.left, y), (layout.right, y), Colour::Grid, 1.0);
        let label = layout.axis.label(*tick);
        canvas.text(layout.left - 6.0, y + 4.0, &label, Pen::new(SMALL).end());
    }
    let pen = Pen::new(FONT).middle().turn(90.0);
    let middle = layout.top + layout.high / 2.0;
    let words = fit(&chart.value_axis, Face::Regular, FONT, layout.high);
    canvas.text(MARGIN + 8.0, middle, &words, pen);
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
        Mark::Value { value, ci, n } if value.is_finite() => {
            let said = ci.map_or(String::new(), |[lo, hi]| format!(" [{lo}, {hi}]"));
            let of = n.map_or(String::new(), |n| format!(", n = {n}"));
            canvas.open(&format!("{who}: {value}{said}{of}"));
            let (base, end) = (layout.y(0.0), layout.y(*value));
            let (top, bottom) = (end.min(base), end.max(base));
            let size = (layout.bar - 2.0, bottom - top);
            swatch(canvas, (x + 1.0, top), size, position);
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
            let pen = Pen::new(TINY).faint().turn(90.0);
            canvas.text(middle + 3.5, layout.y(0.0) - 6.0, "n/a", pen);
            canvas.close();
        }
    }
}

/// The number above a bar and its whisker, turned where the bar is too narrow for it.
fn draw_number(canvas: &mut Canvas, layout: &Layout, middle: f64, above: f64, value: f64) {
    let text = number(value);
    let pen = Pen::new(TINY);
    if width(&text, Face::Regular, TINY) + APART_NUMBERS < layout.bar {
        canvas.text(middle, above - 4.0, &text, pen.middle());
    } else {
        canvas.text(middle + 3.5, above - 4.0, &text, pen.turn(90.0));
    }
}

/// Three digits or so of each: bars of one chart may differ in size by much, and none may be
/// rounded to another number.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size != 0.0 && size < 0.1 => 3,
        _ => 2,
    };
    minus(format!("{value:.decimals$}"))
}

/// A surface of a series: its colour, and what is drawn over it.
fn swatch(canvas: &mut Canvas, (x, y): Point, (wide, high): Point, at: usize) {
    canvas.rect((x, y), (wide, high), Colour::Series(at));
    // From below, so that bars of one series match wherever they end.
    let bottom = y + high;
    let place = |along: f64, up: f64| (x + along, bottom - up);
    let steps = |from: f64, to: f64, apart: f64| {
        let count = ((to - from) / apart).ceil().max(0.0) as usize;
        (0..count).map(move |step| from + apart * step as f64)
    };
    let slanted = APART * std::f64::consts::SQRT_2;
    let rising = || {
        let from = slanted / 2.0 - (wide / slanted).ceil() * slanted;
        steps(from, high, slanted).map(move |over| {
            let [a, b] = [(-over).max(0.0), wide.min(high - over)];
            vec![place(a, a + over), place(b, b + over)]
        })
    };
    let falling = || {
        steps(slanted / 2.0, wide + high, slanted).map(move |sum| {
            let [a, b] = [(sum - high).max(0.0), wide.min(sum)];
            vec![place(a, sum - a), place(b, sum - b)]
        })
    };
    let upright = steps((wide % APART) / 2.0, wide, APART);
    let lines: Vec<Vec<Point>> = match texture(at) {
        Texture::Plain => return,
        Texture::Rising => rising().collect(),
        Texture::Falling => falling().collect(),
        Texture::Crossed => rising().chain(falling()).collect(),
        Texture::Level => steps(APART / 2.0, high, APART)
            .map(|up| vec![place(0.0, up), place(wide, up)])
            .collect(),
        Texture::Upright => upright
            .filter(|along| *along > THICK)
            .map(|along| vec![place(along, 0.0), place(along, high)])
            .collect(),
        Texture::Dots => steps(2.0, high - 1.0, 5.0)
            .flat_map(|up| {
                let even = (up as u64 / 5).is_multiple_of(2);
                let shift = if even { 1.0 } else { 3.5 };
                steps(shift, wide - 1.5, 5.0)
                    .map(move |along| vec![place(along, up), place(along + 1.6, up)])
            })
            .collect(),
    };
    let lines: Vec<Vec<Point>> = lines
        .into_iter()
        .filter(|line| line[0].0 < line[1].0 || line[0].1 > line[1].1)
        .collect();
    if !lines.is_empty() {
        canvas.lines(lines, Colour::Paper, THICK);
    }
}
