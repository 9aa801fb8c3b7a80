//! Reading one action.
//!
//! Where a thing can be said in several ways, the first named wins unless it is null:
//!
//! * the point: `x` and `y`, then `normalized_coordinates` (before, if `x` and `y` are not
//!   on the screen), then `coordinates`
//! * the area: `bbox`, `raw.bbox`, `element.bounds`
//! * the element: `element_index`, `element.element_id` if it is a whole number,
//!   `raw.element_index`, `element.element_id` as it is
//!
//! Only what the mode compares is checked. Of a recorded action, a fault is the row's. Of a
//! predicted one it is what the model wrote: the action cannot be read, unless all that
//! cannot is the target of a type that has none.

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;

use super::fault::Fault;
use super::screen::{self, Screen, point_in_pixels};
use super::text;
use super::walk::{elements, members, number, opens, skip, skip_is_there};
use crate::action::{Action, Area, Element, Kind, Mode, Point, Unused, on_screen};

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
    coordinates: Option<Point>,
    /// `bbox` and `raw.bbox`.
    corners: [Option<Area>; 2],
    bounds: Option<Area>,
    index: Option<Element<'a>>,
    id: Option<Element<'a>>,
    raw_index: Option<Element<'a>>,
    other_target: bool,
    /// What is wrong with the target of a predicted action.
    fault: Option<Fault>,
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
    let mut name = None;
    let mut found = Found::default();
    members(scanner, |key, scanner| {
        if key == b"type" {
            name = Some(text::type_name(scanner)?);
            return Ok(());
        }
        let start = scanner.pos;
        let read = target(key, scanner, rules.mode, side, &mut found);
        match read {
            Err(fault) if side == Side::Predicted => {
                scanner.pos = start;
                skip(scanner)?;
                found.fault.get_or_insert(fault.under(key));
                Ok(())
            }
            read => read,
        }
    })?;
    let Some(name) = name else {
        return Err(Fault::new("missing_type", "the action has no `type`"));
    };
    let kind = Kind::of(&name);
    let mut unused = Unused {
        other_target: found.other_target,
        ..Unused::default()
    };
    let point = match side {
        Side::Gold => recorded_point(&found, rules.screen, &mut unused)?,
        Side::Predicted => {
            let point = match found.fault.take() {
                Some(fault) => Err(fault),
                None => predicted_point(&found, rules.screen),
            };
            match point {
                // Where nothing is aimed at, nothing is missed.
                Err(_) if !rules.mode.aims(kind) => None,
                point => point?,
            }
        }
    };
    let area = area(&found, rules.screen, &mut unused)?;
    Ok(Some(Action {
        kind,
        name,
        point,
        area,
        element: element_of(found),
        unused,
    }))
}

/// Reads a member that may say what an action is aimed at.
fn target<'a>(
    key: &[u8],
    scanner: &mut Scanner<'a>,
    mode: Mode,
    side: Side,
    found: &mut Found<'a>,
) -> Result<(), Fault> {
    let coord = mode == Mode::Coord;
    let gold = side == Side::Gold;
    match key {
        b"x" if coord => found.x = number(scanner)?,
        b"y" if coord => found.y = number(scanner)?,
        b"normalized_coordinates" if coord => found.normalised = numbers(scanner)?,
        b"coordinates" if coord => found.coordinates = numbers(scanner)?,
        b"bbox" if coord && gold => found.corners[0] = numbers(scanner)?,
        b"element_index" if !coord => found.index = text::element(scanner)?,
        b"element" => element(scanner, coord, gold, found)?,
        b"raw" => raw(scanner, coord, gold, found)?,
        b"element_index" | b"x" | b"normalized_coordinates" | b"coordinates" | b"bbox" => {
            let unread_area = key == b"bbox" && !gold;
            found.other_target |= skip_is_there(scanner)? && !unread_area;
        }
        _ => skip(scanner)?,
    }
    Ok(())
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

/// What `read` makes of a value under a key that others use for other things, too: what it
/// cannot read is none, unless it is a list, as ours is.
fn if_any<'a, T>(
    scanner: &mut Scanner<'a>,
    read: impl Fn(&mut Scanner<'a>) -> Result<Option<T>, Fault>,
) -> Result<Option<T>, Fault> {
    let start = scanner.pos;
    let list = scanner.kind()? == ValueKind::Array;
    match read(scanner) {
        Err(_) if !list => {
            scanner.pos = start;
            skip(scanner).map(|()| None)
        }
        read => read,
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

/// What a recorder kept as it came. It may be anything; two things in it are looked for.
fn raw<'a>(
    scanner: &mut Scanner<'a>,
    coord: bool,
    gold: bool,
    found: &mut Found<'a>,
) -> Result<(), Fault> {
    if scanner.kind()? != ValueKind::Object {
        return skip(scanner);
    }
    members(scanner, |key, scanner| {
        match key {
            b"bbox" if coord && gold => found.corners[1] = if_any(scanner, numbers)?,
            b"element_index" if !coord => found.raw_index = if_any(scanner, text::element)?,
            b"element_index" => found.other_target |= skip_is_there(scanner)?,
            b"bbox" if gold => found.other_target |= skip_is_there(scanner)?,
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

const XY: [&str; 2] = ["x", "y"];
const POSITIONS: [&str; 2] = ["0", "1"];

/// `x` and `y`; a fault if there is only one of them.
fn xy(found: &Found) -> Result<Option<Point>, Fault> {
    match (found.x, found.y) {
        (Some(x), Some(y)) => Ok(Some([x, y])),
        (None, None) => Ok(None),
        // Half of it is nothing where the whole stands elsewhere.
        _ if found.normalised.is_some() => Ok(None),
        (x, _) => {
            let (here, lacking) = if x.is_some() { ("x", "y") } else { ("y", "x") };
            let detail = format!("`{here}` without `{lacking}`");
            Err(Fault::new("wrong_shape", detail))
        }
    }
}

fn recorded_point(
    found: &Found,
    screen: Option<Screen>,
    unused: &mut Unused,
) -> Result<Option<Point>, Fault> {
    if let Some(values) = xy(found)? {
        match screen::point(values, XY, screen) {
            Err(_) if found.normalised.is_some() => {}
            given => return given.map(Some),
        }
    }
    if let Some(values) = found.normalised {
        let point = screen::normalised(values, POSITIONS);
        return point
            .map(Some)
            .map_err(|fault| fault.under(b"normalized_coordinates"));
    }
    let Some(values) = found.coordinates else {
        return Ok(None);
    };
    if screen.is_none() && point_in_pixels(values) {
        unused.in_pixels = true;
        return Ok(None);
    }
    let point = screen::point(values, POSITIONS, screen);
    point.map(Some).map_err(|fault| fault.under(b"coordinates"))
}

fn predicted_point(found: &Found, screen: Option<Screen>) -> Result<Option<Point>, Fault> {
    if let Some(values) = xy(found)? {
        let point = screen::predicted(values, XY, screen);
        if found.normalised.is_none() || point.as_ref().is_ok_and(|point| on_screen(*point)) {
            return point.map(Some);
        }
    }
    let normalised = found.normalised.map(|values| (values, None));
    let Some((values, screen)) = normalised.or(found.coordinates.map(|values| (values, screen)))
    else {
        return Ok(None);
    };
    screen::predicted(values, POSITIONS, screen).map(Some)
}

fn area(found: &Found, screen: Option<Screen>, unused: &mut Unused) -> Result<Option<Area>, Fault> {
    let keys: [&[&[u8]]; 2] = [&[b"bbox"], &[b"bbox", b"raw"]];
    for (values, keys) in found.corners.iter().zip(keys) {
        if let Some(values) = values {
            let area = screen::corners(*values, screen);
            match area.map_err(|fault| keys.iter().fold(fault, |fault, key| fault.under(key)))? {
                None => unused.in_pixels = true,
                area => return Ok(area),
            }
        }
    }
    let Some(values) = found.bounds else {
        return Ok(None);
    };
    let area = screen::bounds(values, screen);
    let area = area.map_err(|fault| fault.under(b"bounds").under(b"element"))?;
    unused.in_pixels |= area.is_none();
    Ok(area)
}

/// Marks are numbered; a name is what is left where nobody gives a number.
fn element_of(found: Found<'_>) -> Option<Element<'_>> {
    let Found {
        index,
        id,
        raw_index,
        ..
    } = found;
    match (index, id) {
        (Some(index), _) => Some(index),
        (None, Some(Element::Index(id))) => Some(Element::Index(id)),
        (None, id) => raw_index.or(id),
    }
}

#[cfg(test)]
#[path = "action_tests.rs"]
mod tests;
