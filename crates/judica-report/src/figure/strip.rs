//! One row of boxes per episode: which steps fail.
//!
//! Each state has a colour and a sign of its own, so that the strip can be read in grey.

use judica_model::chart::{StepState, Strip};
use judica_model::table::counted;

use super::Figure;
use super::canvas::{Canvas, Pen, Point};
use super::font::{Face, fit, width};
use super::look::Look;
use super::palette::{AMBER, BLUE, Colour, VERMILION};
use super::sheet::{self, Caption, HEAD, Legend, MARGIN, SMALL, TINY};

/// From one box to the next, across and down, and the least that it can be: signs in boxes
/// and names beside rows must be readable.
const ACROSS: [f64; 2] = [16.0, 9.0];
const DOWN: [f64; 2] = [16.0, 13.0];
/// Boxes are no larger, however much room there is.
const LARGEST: f64 = 40.0;
/// Between boxes.
const GAP: f64 = 2.0;
/// The width of names, and the least that it can be.
const NAMES: [f64; 2] = [220.0, 60.0];
/// Every so many steps the axis says their number.
const NUMBERED: usize = 5;

/// States in the order of the legend, and what they are called. A step that is left out is a
/// gap.
const STATES: [(StepState, &str); 4] = [
    (StepState::Right, "right"),
    (StepState::Missed, "right action, wrong place"),
    (StepState::WrongType, "another action"),
    (StepState::Absent, "no action"),
];

/// Draws it.
pub fn draw(strip: &Strip, look: &Look) -> Figure {
    let mut canvas = Canvas::new(look);
    let longest = strip.rows.iter().map(|row| row.steps.len()).max();
    let longest = longest.unwrap_or(0);
    let names = strip.rows.iter().map(|row| {
        let name = fit(&row.label, Face::Regular, SMALL, NAMES[0]);
        width(&name, Face::Regular, SMALL)
    });
    let names = names.fold(0.0, f64::max);
    let (steps, rows) = (longest as f64, strip.rows.len() as f64);
    let others = 2.0 * MARGIN + 8.0;
    let natural = others + names + steps * ACROSS[0];
    let natural = natural.max(sheet::title_width(&strip.title)).max(480.0);
    let least = others + names.min(NAMES[1]) + steps * ACROSS[1];
    let wide = canvas.wide(natural, least.max(200.0));
    let names = names.min(wide - others - steps * ACROSS[1]);
    let across = match look.width {
        Some(_) => ((wide - others - names) / steps.max(1.0)).clamp(ACROSS[1], LARGEST),
        None => ACROSS[0],
    };
    let legend = Legend::new(STATES.map(|(_, name)| name), wide - 2.0 * MARGIN);
    let caption = Caption::new(&remark(strip), wide);
    let top = HEAD + 14.0 + legend.height() + 24.0;
    let below = caption.height() + MARGIN;
    let down = match look.height {
        Some(_) => {
            let high = canvas.high(top + below, 0.0, rows * DOWN[1]);
            (high / rows.max(1.0)).clamp(DOWN[1], LARGEST)
        }
        None => DOWN[0],
    };
    let size = (across - GAP, down - GAP);
    let left = MARGIN + names + 8.0;
    sheet::title(&mut canvas, &strip.title, wide);
    legend.draw(&mut canvas, (MARGIN, HEAD + 14.0), |canvas, at, place| {
        draw_box(canvas, place, (12.0, 12.0), STATES[at].0);
    });
    let mut free = 0.0;
    for step in (0..longest).step_by(NUMBERED) {
        let text = step.to_string();
        let x = left + step as f64 * across + size.0 / 2.0;
        let half = width(&text, Face::Regular, TINY) / 2.0;
        if x - half >= free && x + half <= wide {
            free = x + half + 4.0;
            canvas.text(x, top - 5.0, &text, Pen::new(TINY).middle().faint());
        }
    }
    for (at, row) in strip.rows.iter().enumerate() {
        let y = top + at as f64 * down;
        let name = fit(&row.label, Face::Regular, SMALL, names);
        let baseline = y + size.1 / 2.0 + 4.0;
        canvas.text(left - 8.0, baseline, &name, Pen::new(SMALL).end());
        for (step, state) in row
            .steps
            .iter()
            .enumerate()
            .filter(|(_, state)| asked(state))
        {
            canvas.open(&format!("{}, step {step}: {}", row.label, said(*state)));
            draw_box(&mut canvas, (left + step as f64 * across, y), size, *state);
            canvas.close();
        }
    }
    let bottom = top + rows * down;
    caption.draw(&mut canvas, bottom);
    let high = canvas.high(0.0, bottom + below, bottom + below);
    canvas.finish(wide, high, &strip.title)
}

/// How much is shown, and how much is not.
fn remark(strip: &Strip) -> Vec<String> {
    let (episodes, steps) = (
        strip.rows.len(),
        strip
            .rows
            .iter()
            .flat_map(|row| &row.steps)
            .filter(|state| asked(state))
            .count(),
    );
    let shown = match episodes {
        0 => "no episode to show".to_owned(),
        _ => format!(
            "n = {}, {}",
            counted(episodes as u64, ["episode", "episodes"]),
            counted(steps as u64, ["step", "steps"])
        ),
    };
    let more =
        (strip.left_out > 0).then(|| format!("{} more episodes are not shown", strip.left_out));
    [Some(shown), more].into_iter().flatten().collect()
}

fn asked(state: &StepState) -> bool {
    *state != StepState::LeftOut
}

fn said(state: StepState) -> &'static str {
    let found = STATES.iter().find(|(other, _)| *other == state);
    found.map_or("", |(_, name)| name)
}

fn draw_box(canvas: &mut Canvas, (x, y): Point, (wide, high): Point, state: StepState) {
    // The sign in the middle, as large as the box allows.
    let reach = (wide.min(high) / 2.0 - 4.0).clamp(2.0, 5.0);
    let middle = (x + wide / 2.0, y + high / 2.0);
    let at = |across: f64, down: f64| (middle.0 + across * reach, middle.1 + down * reach);
    let sign = Colour::Paper;
    match state {
        StepState::Right => canvas.rect((x, y), (wide, high), BLUE),
        StepState::Missed => {
            canvas.rect((x, y), (wide, high), AMBER);
            canvas.circle(middle, reach / 1.5, sign, sign);
        }
        StepState::WrongType => {
            canvas.rect((x, y), (wide, high), VERMILION);
            let lines = vec![
                vec![at(-1.0, -1.0), at(1.0, 1.0)],
                vec![at(-1.0, 1.0), at(1.0, -1.0)],
            ];
            canvas.lines(lines, sign, 2.0);
        }
        StepState::Absent => {
            let inner = (wide - 1.0, high - 1.0);
            canvas.frame((x + 0.5, y + 0.5), inner, Colour::Faint);
            canvas.line(at(-1.0, 0.0), at(1.0, 0.0), Colour::Faint, 1.5);
        }
        StepState::LeftOut => {}
    }
}
