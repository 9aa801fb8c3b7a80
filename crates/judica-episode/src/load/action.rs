//! Reading one action.
//!
//! Where a thing can be said in two ways, the first named wins unless it is null: `x` and
//! `y` before `normalized_coordinates` (but those, if `x` and `y` are pixels of a screen
//! whose size is not known), `bbox` before `element.bounds`, `element_index` before
//! `element.element_id`. Only what the mode compares is checked.

use judica_data::json::Scanner;

use super::fault::Fault;
use super::screen::{self, Screen};
use super::text;
use super::walk::{elements, members, number, opens, skip, skip_is_there};
use crate::action::{Action, Area, Element, Kind, Mode, Point};

/// What decides how an action is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What targets are compared by.
    pub mode: Mode,
    /// The size of the screen, if coordinates may be in pixels.
    pub screen: Option<Screen>,
}

/// Whose action it is. The area around a target is read of recorded ones only: nothing
/// that a prediction says about it is compared with anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The recorded one.
    Gold,
    /// The predicted one.
    Predicted,
}

#[derive(Default)]
struct Found<'a> {
    x: Option<f64>,
    y: Option<f64>,
    normalised: Option<Point>,
    corners: Option<Area>,
    bounds: Option<Area>,
    index: Option<Element<'a>>,
    id: Option<Element<'a>>,
    other_target: bool,
}

/// Reads the action here; `None` for null.
pub fn action<'a>(
    scanner: &mut Scanner<'a>,
    rules: Rules,
    side: Side,
) -> Result<Option<Action<'a>>, Fault> {
    if !opens(scanner, b'{', "an action")? {
        return Ok(None);
    }
    let coord = rules.mode == Mode::Coord;
    let gold = side == Side::Gold;
    let mut name = None;
    let mut found = Found::default();
    members(scanner, |key, scanner| {
        match key {
            b"type" => name = Some(text::type_name(scanner)?),
            b"x" if coord => found.x = number(scanner)?,
            b"y" if coord => found.y = number(scanner)?,
            b"normalized_coordinates" if coord => found.normalised = numbers(scanner)?,
            b"bbox" if coord && gold => found.corners = numbers(scanner)?,
            b"element_index" if !coord => found.index = text::element(scanner)?,
            b"element" => element(scanner, coord, gold, &mut found)?,
            b"element_index" | b"x" | b"normalized_coordinates" | b"bbox" => {
                let unread_area = key == b"bbox" && !gold;
                found.other_target |= skip_is_there(scanner)? && !unread_area;
            }
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    let Some(name) = name else {
        return Err(Fault::new("missing_type", "the action has no `type`"));
    };
    let point = point(&found, rules.screen)?;
    let area = area(&found, rules.screen)?;
    Ok(Some(Action {
        kind: Kind::of(&name),
        name,
        point,
        area,
        element: found.index.or(found.id),
        other_target: found.other_target,
    }))
}

/// A list of exactly `N` numbers; `None` for null.
fn numbers<const N: usize>(scanner: &mut Scanner) -> Result<Option<[f64; N]>, Fault> {
    if !opens(scanner, b'[', wanted(N))? {
        return Ok(None);
    }
    let mut values = [0.0; N];
    let mut count = 0;
    elements(scanner, |index, scanner| {
        let Some(value) = number(scanner)? else {
            return Err(Fault::new("wrong_type", "expected a number, found null"));
        };
        if let Some(place) = values.get_mut(index) {
            *place = value;
        }
        count = index + 1;
        Ok(())
    })?;
    if count == N {
        Ok(Some(values))
    } else {
        let detail = format!("expected {}, found {count}", wanted(N));
        Err(Fault::new("wrong_shape", detail))
    }
}

fn wanted(count: usize) -> &'static str {
    match count {
        2 => "a list of two numbers",
        _ => "a list of four numbers",
    }
}

fn element<'a>(
    scanner: &mut Scanner<'a>,
    coord: bool,
    gold: bool,
    found: &mut Found<'a>,
) -> Result<(), Fault> {
    if !opens(scanner, b'{', "an object")? {
        return Ok(());
    }
    members(scanner, |key, scanner| {
        match key {
            b"bounds" if coord && gold => found.bounds = bounds(scanner)?,
            b"element_id" if !coord => found.id = text::element(scanner)?,
            b"element_id" => found.other_target |= skip_is_there(scanner)?,
            b"bounds" if gold => found.other_target |= skip_is_there(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })
}

fn bounds(scanner: &mut Scanner) -> Result<Option<Area>, Fault> {
    const NAMES: [&str; 4] = ["x", "y", "width", "height"];
    if !opens(scanner, b'{', "an object with x, y, width, height")? {
        return Ok(None);
    }
    let mut values = [None; 4];
    members(scanner, |key, scanner| {
        match NAMES.iter().position(|name| name.as_bytes() == key) {
            Some(at) => values[at] = number(scanner)?,
            None => skip(scanner)?,
        }
        Ok(())
    })?;
    let mut whole = [0.0; 4];
    for ((place, value), name) in whole.iter_mut().zip(values).zip(NAMES) {
        *place = value.ok_or_else(|| Fault::new("wrong_shape", format!("no `{name}`")))?;
    }
    Ok(Some(whole))
}

fn point(found: &Found, screen: Option<Screen>) -> Result<Option<Point>, Fault> {
    const NORMALISED: &[u8] = b"normalized_coordinates";
    let normalised = || match found.normalised {
        // Normalised by their very name: never pixels.
        Some(point) => screen::point(point, ["0", "1"], None)
            .map(Some)
            .map_err(|fault| fault.under(NORMALISED)),
        None => Ok(None),
    };
    match (found.x, found.y) {
        (Some(x), Some(y)) => {
            let given = screen::point([x, y], ["x", "y"], screen);
            match given {
                Err(_) if found.normalised.is_some() => normalised(),
                given => given.map(Some),
            }
        }
        (None, None) => normalised(),
        _ if found.normalised.is_some() => normalised(),
        (x, _) => {
            let (here, lacking) = if x.is_some() { ("x", "y") } else { ("y", "x") };
            Err(Fault::new(
                "wrong_shape",
                format!("`{here}` without `{lacking}`"),
            ))
        }
    }
}

fn area(found: &Found, screen: Option<Screen>) -> Result<Option<Area>, Fault> {
    if let Some(values) = found.corners {
        let area = screen::corners(values, screen);
        return area.map(Some).map_err(|fault| fault.under(b"bbox"));
    }
    let Some(values) = found.bounds else {
        return Ok(None);
    };
    let area = screen::bounds(values, screen);
    area.map(Some)
        .map_err(|fault| fault.under(b"bounds").under(b"element"))
}

#[cfg(test)]
#[path = "action_tests.rs"]
mod tests;
