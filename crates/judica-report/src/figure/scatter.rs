//! Points in a plane, those that nothing beats joined by a dashed line.

use judica_model::chart::{Scatter, ScatterPoint};

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Medium, Pen};
use super::font::{Face, width};
use super::label::shortened;
use super::palette::{AMBER, BLUE, FAINT, GRID, INK};
use super::png::{PngError, render};

const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const FONT: f64 = 12.0;
const SMALL: f64 = 11.0;
const LEFT: f64 = MARGIN + 64.0;
const TOP: f64 = MARGIN + TITLE + 44.0;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const RADIUS: f64 = 5.0;
const LONGEST_NAME: usize = 32;
/// Room to the right of the plane for a name that does not fit inside.
const RIGHT: f64 = 40.0;

/// The figure as SVG.
pub fn svg(scatter: &Scatter) -> String {
    draw(scatter, Canvas::new(Medium::Vector))
}

/// The figure as PNG, `scale` pixels for each unit of the SVG.
pub fn png(scatter: &Scatter, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(scatter, Canvas::new(Medium::Pixels)), scale)
}

fn draw(scatter: &Scatter, mut canvas: Canvas) -> String {
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
    let place = |point: &ScatterPoint| {
        (
            LEFT + WIDTH * x_axis.place(point.x),
            TOP + HEIGHT * (1.0 - y_axis.place(point.y)),
        )
    };
    canvas.text(
        MARGIN,
        MARGIN + TITLE,
        &scatter.title,
        Pen::new(TITLE).bold(),
    );
    legend(&mut canvas);
    axes(&mut canvas, scatter, &x_axis, &y_axis);
    let mut frontier: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.on_frontier)
        .map(|point| place(point))
        .collect();
    frontier.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    if frontier.len() > 1 {
        canvas.dashed(&stairs(&frontier), BLUE);
    }
    let places: Vec<(f64, f64)> = points.iter().map(|point| place(point)).collect();
    let y_place = |value: f64| TOP + HEIGHT * (1.0 - y_axis.place(value));
    let mut taken: Vec<Area> = points
        .iter()
        .zip(&places)
        .flat_map(|(point, at)| {
            let whisker = point.y_ci.map(|[lo, hi]| Area {
                left: at.0 - 3.0,
                top: y_place(hi),
                right: at.0 + 3.0,
                bottom: y_place(lo),
            });
            whisker.into_iter().chain([Area::around(*at)])
        })
        .collect();
    for (point, (x, y)) in points.iter().zip(&places) {
        canvas.open(&format!("{}: x {}, y {}", point.label, point.x, point.y));
        if let Some([lo, hi]) = point.y_ci {
            canvas.whisker(*x, y_place(hi), y_place(lo), 3.0);
        }
        let fill = if point.on_frontier { BLUE } else { "#ffffff" };
        let stroke = if point.on_frontier { BLUE } else { AMBER };
        canvas.circle(*x, *y, RADIUS, fill, stroke);
        name(&mut canvas, &point.label, (*x, *y), &mut taken);
        canvas.close();
    }
    let mut bottom = TOP + HEIGHT + 58.0;
    for (who, why) in &left_out {
        let who = shortened(who, LONGEST_NAME);
        let text = format!("{who}: not shown, {why}");
        canvas.text(MARGIN, bottom, &text, Pen::new(SMALL).colour(FAINT));
        bottom += 15.0;
    }
    let title_end = MARGIN + width(&scatter.title, Face::Bold, TITLE) + MARGIN;
    let right = (LEFT + WIDTH + RIGHT + MARGIN).max(title_end);
    canvas.finish(right, bottom + MARGIN, &scatter.title)
}

/// Between two points of the frontier nothing better than the lower one is known until
/// the price of the higher one is paid, so the line goes along and then up.
fn stairs(frontier: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = frontier.iter().take(1).copied().collect();
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

fn legend(canvas: &mut Canvas) {
    let y = MARGIN + TITLE + 20.0;
    canvas.circle(LEFT + 6.0, y, RADIUS, BLUE, BLUE);
    let best = "on the Pareto frontier: nothing else is better in both";
    canvas.text(LEFT + 18.0, y + 4.0, best, Pen::new(SMALL));
    let next = LEFT + 18.0 + width(best, Face::Regular, SMALL) + 24.0;
    canvas.circle(next, y, RADIUS, "#ffffff", AMBER);
    canvas.text(next + 12.0, y + 4.0, "dominated", Pen::new(SMALL));
}

fn axes(canvas: &mut Canvas, scatter: &Scatter, x_axis: &Axis, y_axis: &Axis) {
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    for tick in &y_axis.ticks {
        let y = TOP + HEIGHT * (1.0 - y_axis.place(*tick));
        canvas.line((LEFT, y), (right, y), GRID, 1.0);
        let pen = Pen::new(SMALL).anchor(Anchor::End);
        canvas.text(LEFT - 6.0, y + 4.0, &y_axis.label(*tick), pen);
    }
    for tick in &x_axis.ticks {
        let x = LEFT + WIDTH * x_axis.place(*tick);
        canvas.line((x, TOP), (x, bottom), GRID, 1.0);
        let pen = Pen::new(SMALL).anchor(Anchor::Middle);
        canvas.text(x, bottom + 16.0, &x_axis.label(*tick), pen);
    }
    canvas.line((LEFT, TOP), (LEFT, bottom), INK, 1.0);
    canvas.line((LEFT, bottom), (right, bottom), INK, 1.0);
    let middle = Pen::new(FONT).anchor(Anchor::Middle);
    canvas.text(LEFT + WIDTH / 2.0, bottom + 34.0, &scatter.x_axis, middle);
    let turned = middle.turn(90.0);
    canvas.text(MARGIN + 8.0, TOP + HEIGHT / 2.0, &scatter.y_axis, turned);
}

/// A rectangle that something stands in.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn around((x, y): (f64, f64)) -> Self {
        Area {
            left: x - RADIUS,
            top: y - RADIUS,
            right: x + RADIUS,
            bottom: y + RADIUS,
        }
    }

    fn overlap(&self, other: &Area) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }

    /// How much of it lies outside the plane.
    fn outside(&self) -> f64 {
        let plane = Area {
            left: LEFT,
            top: TOP,
            right: LEFT + WIDTH + RIGHT,
            bottom: TOP + HEIGHT,
        };
        (self.right - self.left) * (self.bottom - self.top) - self.overlap(&plane)
    }
}

/// Writes a point's name where it covers least of what stands there already.
fn name(canvas: &mut Canvas, label: &str, (x, y): (f64, f64), taken: &mut Vec<Area>) {
    let text = shortened(label, LONGEST_NAME);
    let wide = width(&text, Face::Regular, SMALL);
    let gap = RADIUS + 4.0;
    let beside = [
        (x + gap, y + 4.0),
        (x - gap - wide, y + 4.0),
        (x + gap, y - gap),
        (x + gap, y + gap + SMALL),
        (x - gap - wide, y - gap),
        (x - gap - wide, y + gap + SMALL),
        (x - wide / 2.0, y - gap - 4.0),
        (x - wide / 2.0, y + gap + SMALL + 2.0),
    ];
    let area = |(left, base): (f64, f64)| Area {
        left,
        top: base - SMALL,
        right: left + wide,
        bottom: base + 3.0,
    };
    let cost = |at: (f64, f64)| {
        let area = area(at);
        let covered = taken.iter().map(|other| area.overlap(other)).sum::<f64>();
        covered + 2.0 * area.outside()
    };
    let best = beside
        .into_iter()
        .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
        .unwrap_or((x + gap, y + 4.0));
    taken.push(area(best));
    canvas.text(best.0, best.1, &text, Pen::new(SMALL));
}
