//! Walking over objects and lists without building them.

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;

use super::fault::Fault;

/// How deep a row may be nested.
pub const DEPTH: usize = 256;

/// Hands every member of the object here to `member`, which must take the value.
#[inline]
pub fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut member: impl FnMut(&[u8], &mut Scanner<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    scanner.members(|key, scanner| member(key, scanner).map_err(|fault| fault.under(key)))
}

/// Hands the position of every element of the list here to `element`, which must take it.
#[inline]
pub fn elements<'a>(
    scanner: &mut Scanner<'a>,
    mut element: impl FnMut(usize, &mut Scanner<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    scanner.elements(|index, scanner| element(index, scanner).map_err(|fault| fault.within(index)))
}

/// Steps over a value.
#[inline]
pub fn skip(scanner: &mut Scanner) -> Result<(), Fault> {
    // What is around it is a few containers at most; the limit need not be exact.
    Ok(scanner.skip_value(0, DEPTH)?)
}

/// Steps over a value; says whether it is anything but null.
#[inline]
pub fn skip_is_there(scanner: &mut Scanner) -> Result<bool, Fault> {
    let there = scanner.kind()? != ValueKind::Null;
    skip(scanner)?;
    Ok(there)
}

/// Whether an object or a list (told by `opening`) begins here; null is taken and is
/// neither. Anything else is a fault.
#[inline]
pub fn opens(scanner: &mut Scanner, opening: u8, wanted: &str) -> Result<bool, Fault> {
    if scanner.peek() == Some(opening) {
        return Ok(true);
    }
    match scanner.kind()? {
        ValueKind::Null => skip(scanner).map(|()| false),
        found => Err(Fault::wrong_type(wanted, found)),
    }
}

/// A finite number, or `None` for null.
#[inline]
pub fn number(scanner: &mut Scanner) -> Result<Option<f64>, Fault> {
    match scanner.kind()? {
        ValueKind::Number | ValueKind::BareWord => {
            let value = scanner.number()?;
            if value.is_finite() {
                Ok(Some(value))
            } else {
                Err(Fault::new("not_a_number", "expected a finite number"))
            }
        }
        ValueKind::Null => skip(scanner).map(|()| None),
        found => Err(Fault::wrong_type("a number", found)),
    }
}

/// `true`, `false`, or `None` for null.
pub fn boolean(scanner: &mut Scanner) -> Result<Option<bool>, Fault> {
    match scanner.kind()? {
        ValueKind::Boolean => {
            let value = scanner.peek() == Some(b't');
            skip(scanner).map(|()| Some(value))
        }
        ValueKind::Null => skip(scanner).map(|()| None),
        found => Err(Fault::wrong_type("true or false", found)),
    }
}

/// A whole number from 0, or `None` for null. `3.0` is one, too.
pub fn position(scanner: &mut Scanner) -> Result<Option<u64>, Fault> {
    let Some(value) = number(scanner)? else {
        return Ok(None);
    };
    // Up to here every whole number is its own double.
    let whole = value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value);
    if whole {
        Ok(Some(value as u64))
    } else {
        let detail = format!("expected a whole number from 0, found {value}");
        Err(Fault::new("bad_index", detail))
    }
}

/// The row's one object, and nothing after it.
pub fn row<'a>(
    bytes: &'a [u8],
    member: impl FnMut(&[u8], &mut Scanner<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut scanner = Scanner::new(bytes, 0);
    let found = scanner.kind()?;
    if found != ValueKind::Object {
        // Not JSON at all is the plainer reason, if it is one.
        skip(&mut scanner)?;
        scanner.end()?;
        let detail = "expected an object with `episode_id` and `steps`";
        return Err(Fault::new("not_an_object", detail));
    }
    members(&mut scanner, member)?;
    Ok(scanner.end()?)
}
