//! Points in a plane, those that nothing beats joined by a dashed line.

use judica_model::chart::{Scatter, ScatterPoint};

use super::Figure;
use super::axis::Axis;
use super::canvas::{Canvas, Pen, Point};
use super::font::{Face, fit, width};
use super::label::shortened;
use super::look::Look;
use super::palette::{AMBER, BLUE, Colour};
use super::place::{Area, Plane};
use super::sheet::{self, Caption, FONT, HEAD, Legend, MARGIN, SMALL, SWATCH};

/// The width and the height of the plane, and the least that they can be.
const WIDTH: [f64; 2] = [560.0, 200.0];
const HEIGHT: [f64; 2] = [360.0, 120.0];
const AXIS: f64 = 64.0;
const RADIUS: f64 = 5.0;
const CAP: f64 = 3.0;
/// Names longer than this many columns of text are shortened.
const LONGEST_NAME: usize = 32;
/// How high a name is, and how much of it is below its baseline.
const NAME: f64 = 12.0;
const BELOW: f64 = 3.0;

const LEGEND: [&str; 2] = [
    "on the Pareto frontier: nothing else is better in both",
    "dominated",
];

struct Layout {
    x_axis: Axis,
    y_axis: Axis,
    plane: Area,
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        self.plane.left + (self.plane.right - self.plane.left) * self.x_axis.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.plane.bottom - (self.plane.bottom - self.plane.top) * self.y_axis.place(value)
    }
}

/// Draws it.
pub fn draw(scatter: &Scatter, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let (points, mut left_out) = placeable(scatter);
    left_out.extend(scatter.left_out.iter().cloned());
    let xs = points.iter().map(|point| point.x);
    let x_axis = if scatter.log_x {
        Axis::logarithmic(xs)
    } else {
        Axis::around(xs.chain([0.0]))
    };
    let ys = points.iter().flat_map(|point| {
        let [lo, hi] = point.y_ci.unwrap_or([point.y; 2]);
        [point.y, lo, hi]
    });
    let y_axis = Axis::around(ys);
    let left = MARGIN + (y_axis.widest(SMALL) + 32.0).max(AXIS);
    let beside = left + 2.0 * MARGIN;
    let natural = (beside + WIDTH[0]).max(sheet::title_width(&scatter.title));
    let wide = canvas.wide(natural, beside + WIDTH[1]);
    let legend = Legend::new(LEGEND, wide - left - MARGIN);
    let top = HEAD + 14.0 + legend.height() + 14.0;
    let mut plane = Area {
        left,
        top,
        right: wide - 2.0 * MARGIN,
        bottom: top,
    };
    let left_out = left_out.iter().map(|(who, why)| {
        let who = shortened(who, LONGEST_NAME);
        format!("{who}: not shown, {why}")
    });
    let lines: Vec<String> = scatter.caption.iter().cloned().chain(left_out).collect();
    let mut caption = Caption::new(&lines, wide);
    // Which names find no room is known only when the height is.
    let below = 40.0 + caption.height_with_remark() + MARGIN;
    plane.bottom += canvas.high(top + below, HEIGHT[0], HEIGHT[1]);
    let layout = Layout {
        x_axis,
        y_axis,
        plane,
    };
    sheet::title(&mut canvas, &scatter.title, wide);
    legend.draw(&mut canvas, (left, HEAD + 14.0), |canvas, at, (x, y)| {
        let middle = (x + SWATCH / 2.0, y + SWATCH / 2.0);
        mark(canvas, middle, at == 0);
    });
    axes(&mut canvas, scatter, &layout, wide);
    let nameless = draw_points(&mut canvas, &points, &layout);
    if !nameless.is_empty() {
        let (count, names) = (nameless.len(), nameless.join(", "));
        caption.remark(&format!("no room for the names of {count}: {names}"), wide);
    }
    caption.draw(&mut canvas, plane.bottom + 40.0);
    let least = plane.bottom + 40.0 + caption.height() + MARGIN;
    let high = canvas.high(0.0, least, least);
    canvas.finish(wide, high, &scatter.title)
}

/// Draws points, their whiskers, the frontier and names; gives back the names that found no
/// place.
fn draw_points(canvas: &mut Canvas, points: &[&ScatterPoint], layout: &Layout) -> Vec<String> {
    let place = |point: &ScatterPoint| (layout.x(point.x), layout.y(point.y));
    let mut frontier: Vec<Point> = points
        .iter()
        .filter(|point| point.on_frontier)
        .map(|point| place(point))
        .collect();
    frontier.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let stairs = stairs(&frontier);
    let steps = stairs
        .windows(2)
        .map(|ends| Area::between(ends[0], ends[1]).grown(1.0));
    let mut lines: Vec<Area> = steps.collect();
    let mut taken = Vec::new();
    for point in points {
        let (x, y) = place(point);
        taken.push(Area::around((x, y), RADIUS + 1.0));
        if let Some([lo, hi]) = point.y_ci {
            let ends = [lo, hi].map(|end| layout.y(end));
            lines.push(Area::between((x - CAP, ends[0]), (x + CAP, ends[1])).grown(1.0));
        }
    }
    if stairs.len() > 1 {
        canvas.dashed(stairs, BLUE);
    }
    for point in points {
        if let Some([lo, hi]) = point.y_ci {
            canvas.whisker(layout.x(point.x), layout.y(hi), layout.y(lo), CAP);
        }
    }
    // Names may lean out to the right.
    let inside = Area {
        right: layout.plane.right + MARGIN,
        ..layout.plane
    };
    let mut plane = Plane::new(inside, taken, lines);
    let mut nameless = Vec::new();
    let room = (layout.plane.right - layout.plane.left) / 2.0;
    for point in points {
        let (x, y) = place(point);
        canvas.open(&format!("{}: x {}, y {}", point.label, point.x, point.y));
        let name = shortened(&point.label, LONGEST_NAME);
        let name = fit(&name, Face::Regular, SMALL, room);
        let size = (width(&name, Face::Regular, SMALL), NAME);
        match plane.name((x, y), RADIUS, size) {
            Some(found) => {
                if let Some([from, to]) = found.leader {
                    canvas.line(from, to, Colour::Faint, 0.8);
                }
                let baseline = found.area.bottom - BELOW;
                canvas.text(found.area.left, baseline, &name, Pen::new(SMALL));
            }
            None => nameless.push(name),
        }
        mark(canvas, (x, y), point.on_frontier);
        canvas.close();
    }
    nameless
}

/// A point: full on the frontier, empty elsewhere.
fn mark(canvas: &mut Canvas, at: Point, on_frontier: bool) {
    let (fill, stroke) = match on_frontier {
        true => (BLUE, BLUE),
        false => (Colour::Paper, AMBER),
    };
    canvas.circle(at, RADIUS, fill, stroke);
}

/// Between two points of the frontier nothing better than the lower one is known until
/// the price of the higher one is paid, so the line goes along and then up.
fn stairs(frontier: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = frontier.iter().take(1).copied().collect();
    for pair in frontier.windows(2) {
        corners.push((pair[1].0, pair[0].1));
        corners.push(pair[1]);
    }
    corners
}

/// Points that have a place on the axes, and those that have none.
fn placeable(scatter: &Scatter) -> (Vec<&ScatterPoint>, Vec<(String, String)>) {
    let mut left_out = Vec::new();
    let points = scatter.points.iter().filter(|point| {
        let why = if !(point.x.is_finite() && point.y.is_finite()) {
            "a number is missing"
        } else if scatter.log_x && point.x <= 0.0 {
            "it costs nothing, which a logarithmic axis cannot show"
        } else {
            return true;
        };
        left_out.push((point.label.clone(), why.to_owned()));
        false
    });
    (points.collect(), left_out)
}

fn axes(canvas: &mut Canvas, scatter: &Scatter, layout: &Layout, wide: f64) {
    let Area {
        left,
        top,
        right,
        bottom,
    } = layout.plane;
    for tick in &layout.y_axis.ticks {
        let y = layout.y(*tick);
        canvas.line((left, y), (right, y), Colour::Grid, 1.0);
        let label = layout.y_axis.label(*tick);
        canvas.text(left - 6.0, y + 4.0, &label, Pen::new(SMALL).end());
    }
    for tick in &layout.x_axis.ticks {
        let x = layout.x(*tick);
        canvas.line((x, top), (x, bottom), Colour::Grid, 1.0);
    }
    for (x, label) in layout.x_axis.along([left, right], SMALL, wide) {
        canvas.text(x, bottom + 16.0, &label, Pen::new(SMALL).middle());
    }
    canvas.line((left, top), (left, bottom), Colour::Ink, 1.0);
    canvas.line((left, bottom), (right, bottom), Colour::Ink, 1.0);
    let middle = Pen::new(FONT).middle();
    let words = fit(&scatter.x_axis, Face::Regular, FONT, right - left);
    canvas.text((left + right) / 2.0, bottom + 34.0, &words, middle);
    let words = fit(&scatter.y_axis, Face::Regular, FONT, bottom - top);
    canvas.text(
        MARGIN + 8.0,
        (top + bottom) / 2.0,
        &words,
        middle.turn(90.0),
    );
}
