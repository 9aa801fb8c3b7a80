//! One row of boxes per episode: which steps fail.
//!
//! Each state has a colour and a sign of its own, so that the strip can be read in grey.

use judica_model::chart::{StepState, Strip};

use super::canvas::{Anchor, Canvas, Medium, Pen};
use super::font::{Face, width};
use super::label::shortened;
use super::palette::{AMBER, BLUE, FAINT, VERMILION};
use super::png::{PngError, render};

const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const FONT: f64 = 11.0;
/// The side of a box.
const BOX: f64 = 14.0;
/// From one box to the next.
const PITCH: f64 = 16.0;
const LONGEST_NAME: usize = 32;
/// Every so many steps the axis says their number.
const NUMBERED: usize = 5;

/// States in the order of the legend, and what they are called.
const STATES: [(StepState, &str); 4] = [
    (StepState::Right, "right"),
    (StepState::Missed, "right action, wrong place"),
    (StepState::WrongType, "another action"),
    (StepState::Absent, "no action"),
];

/// The figure as SVG.
pub fn svg(strip: &Strip) -> String {
    draw(strip, Canvas::new(Medium::Vector))
}

/// The figure as PNG, `scale` pixels for each unit of the SVG.
pub fn png(strip: &Strip, scale: f32) -> Result<Vec<u8>, PngError> {
    render(&draw(strip, Canvas::new(Medium::Pixels)), scale)
}

fn draw(strip: &Strip, mut canvas: Canvas) -> String {
    let title = Pen::new(TITLE).bold();
    canvas.text(MARGIN, MARGIN + TITLE, &strip.title, title);
    let legend_y = MARGIN + TITLE + 14.0;
    let mut legend_end = MARGIN;
    for (state, name) in STATES {
        draw_box(&mut canvas, legend_end, legend_y, state);
        canvas.text(legend_end + 20.0, legend_y + 11.0, name, Pen::new(FONT));
        legend_end += 20.0 + width(name, Face::Regular, FONT) + 20.0;
    }
    let names: Vec<String> = strip
        .rows
        .iter()
        .map(|row| shortened(&row.label, LONGEST_NAME))
        .collect();
    let widest = names.iter().map(|name| width(name, Face::Regular, FONT));
    let left = MARGIN + widest.fold(0.0, f64::max) + 8.0;
    let top = legend_y + PITCH + 26.0;
    let longest = strip.rows.iter().map(|row| row.steps.len()).max();
    let longest = longest.unwrap_or(0);
    for step in (0..longest).step_by(NUMBERED) {
        let pen = Pen::new(9.0).anchor(Anchor::Middle).colour(FAINT);
        let x = left + step as f64 * PITCH + BOX / 2.0;
        canvas.text(x, top - 5.0, &step.to_string(), pen);
    }
    for (at, row) in strip.rows.iter().enumerate() {
        let y = top + at as f64 * PITCH;
        let pen = Pen::new(FONT).anchor(Anchor::End);
        canvas.text(left - 8.0, y + 11.0, &names[at], pen);
        for (step, state) in row.steps.iter().enumerate() {
            canvas.open(&format!("{}, step {step}: {}", row.label, said(*state)));
            draw_box(&mut canvas, left + step as f64 * PITCH, y, *state);
            canvas.close();
        }
    }
    let mut bottom = top + strip.rows.len() as f64 * PITCH;
    let remark = match (strip.rows.is_empty(), strip.left_out) {
        (true, 0) => Some("no episode to show".to_owned()),
        (_, 0) => None,
        (_, more) => Some(format!("{more} more episodes are not shown")),
    };
    if let Some(remark) = remark {
        canvas.text(MARGIN, bottom + 14.0, &remark, Pen::new(FONT).colour(FAINT));
        bottom += 20.0;
    }
    let title_end = MARGIN + width(&strip.title, Face::Bold, TITLE);
    let right = (left + longest as f64 * PITCH)
        .max(legend_end)
        .max(title_end);
    canvas.finish(right + MARGIN, bottom + MARGIN, &strip.title)
}

fn said(state: StepState) -> &'static str {
    let found = STATES.iter().find(|(other, _)| *other == state);
    found.map_or("", |(_, name)| name)
}

fn draw_box(canvas: &mut Canvas, x: f64, y: f64, state: StepState) {
    let (left, right, top, bottom) = (x + 4.0, x + BOX - 4.0, y + 4.0, y + BOX - 4.0);
    let middle = y + BOX / 2.0;
    let white = "#ffffff";
    match state {
        StepState::Right => canvas.rect(x, y, BOX, BOX, BLUE),
        StepState::Missed => {
            canvas.rect(x, y, BOX, BOX, AMBER);
            canvas.circle(x + BOX / 2.0, middle, 2.0, white, white);
        }
        StepState::WrongType => {
            canvas.rect(x, y, BOX, BOX, VERMILION);
            canvas.line((left, top), (right, bottom), white, 2.0);
            canvas.line((left, bottom), (right, top), white, 2.0);
        }
        StepState::Absent => {
            canvas.frame(x + 0.5, y + 0.5, BOX - 1.0, BOX - 1.0, FAINT);
            canvas.line((left, middle), (right, middle), FAINT, 1.5);
        }
    }
}
