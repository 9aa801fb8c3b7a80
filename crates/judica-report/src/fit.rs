//! Making a table fit a width, whatever its text is measured in.
//!
//! A table that is too wide gives way in steps: prose wraps at blanks, then intervals go below
//! their values, and only then are names broken, at their joints.

use crate::text::Page;

/// Where a name may be broken: behind one of these.
const JOINTS: [char; 9] = ['_', '.', '/', '-', ':', '=', ',', '|', ';'];

/// What gives way where a table is too wide.
pub(crate) struct Give {
    /// Intervals may go below their values.
    intervals: bool,
    /// Names may be broken at their joints.
    names: bool,
    /// Letters that a column of prose keeps, if it needs as many.
    prose: usize,
    /// What has more letters may be cut anywhere.
    longest: usize,
}

/// In which order. The first step breaks nothing but prose.
pub(crate) const STEPS: [Give; 6] = [
    give(false, false, 20, usize::MAX),
    give(true, false, 20, usize::MAX),
    give(true, false, 12, usize::MAX),
    give(true, true, 16, usize::MAX),
    give(true, true, 0, usize::MAX),
    give(true, true, 0, 12),
];

const fn give(intervals: bool, names: bool, prose: usize, longest: usize) -> Give {
    Give {
        intervals,
        names,
        prose,
        longest,
    }
}

/// How wide text is, and a usual letter.
#[derive(Clone, Copy)]
pub(crate) struct Measure {
    /// Of a text.
    pub(crate) text: fn(&str) -> usize,
    /// Of a letter.
    pub(crate) letter: usize,
}

/// How wide each column is where nothing gives way.
pub(crate) fn natural(page: &Page, measure: Measure) -> Vec<usize> {
    each(page, |text, _| (measure.text)(text))
}

/// How wide each column is, if they fit into the room after one of these steps.
pub(crate) fn widths(
    page: &Page,
    room: usize,
    steps: &[Give],
    measure: Measure,
) -> Option<Vec<usize>> {
    let natural = natural(page, measure);
    if natural.iter().sum::<usize>() <= room {
        return Some(natural);
    }
    let least = steps
        .iter()
        .map(|step| each(page, |text, kind| least(text, kind, step, measure)));
    let mut least = least.filter(|least| least.iter().sum::<usize>() <= room);
    Some(shared(&natural, &least.next()?, room, measure.letter))
}

/// The most that any cell of a column, or its heading, measures.
fn each(page: &Page, of: impl Fn(&str, Kind) -> usize) -> Vec<usize> {
    let column = |(at, name): (usize, &String)| {
        let cells = page.rows.iter().map(|row| &row[at]);
        let cells = cells.map(|cell| match cell.numeric {
            true => of(&cell.text, Kind::Number),
            false => of(&cell.text, Kind::Words),
        });
        cells.fold(of(name, Kind::Heading), usize::max)
    };
    page.header.iter().enumerate().map(column).collect()
}

/// What a text is, which says how it may give way.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Heading,
    Words,
    Number,
}

/// The least width at which a cell gives way no further than it may.
fn least(text: &str, kind: Kind, step: &Give, measure: Measure) -> usize {
    let wide = measure.text;
    let numeric = kind == Kind::Number;
    if numeric && !step.intervals {
        return wide(text);
    }
    let longest = words(text, numeric).map(|word| match numeric || !step.names {
        true => wide(word),
        false => pieces(word).map(wide).max().unwrap_or(0),
    });
    let longest = longest.max().unwrap_or(0);
    if numeric {
        return longest;
    }
    let letters = |count: usize| count.saturating_mul(measure.letter);
    // A heading may be as narrow as its words.
    let prose = match kind {
        Kind::Words => letters(step.prose).min(wide(text)),
        _ => 0,
    };
    longest.min(letters(step.longest)).max(prose)
}

/// Widths that fill the room: narrow columns have what they need, wide ones as much as each
/// other.
fn shared(natural: &[usize], least: &[usize], room: usize, by: usize) -> Vec<usize> {
    let at = |level: usize| -> Vec<usize> {
        let both = natural.iter().zip(least);
        let both = both.map(|(natural, least)| level.min(*natural).max(*least));
        both.collect()
    };
    let mut level = 0;
    while level < room && at(level + by).iter().sum::<usize>() <= room {
        level += by;
    }
    let mut widths = at(level);
    let mut left = room - widths.iter().sum::<usize>();
    for (width, natural) in widths.iter_mut().zip(natural) {
        let more = by.min(left).min(natural.saturating_sub(*width));
        (*width, left) = (*width + more, left - more);
    }
    widths
}

/// The words of a cell. A number stays whole, and so do both ends of an interval.
fn words(text: &str, numeric: bool) -> impl Iterator<Item = &str> {
    let parts = match numeric.then(|| text.find(" [")).flatten() {
        Some(at) => [&text[..at], &text[at + 1..]],
        None => [text, ""],
    };
    parts.into_iter().flat_map(move |part| {
        let words = part.split(move |c: char| !numeric && c == ' ');
        words.filter(|word| !word.is_empty())
    })
}

/// What a name consists of, each joint at the end of its piece.
pub(crate) fn pieces(word: &str) -> impl Iterator<Item = &str> {
    word.split_inclusive(JOINTS)
}

/// The lines of a cell: broken at blanks, and within a word that is too long for a line at its
/// joints, else anywhere; but never within a number.
pub(crate) fn wrap(text: &str, numeric: bool, width: usize, measure: Measure) -> Vec<String> {
    let wide = measure.text;
    if wide(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    let mut add = |part: &str, apart: &str| match lines.last_mut() {
        Some(line) if wide(line) + wide(apart) + wide(part) <= width => {
            line.push_str(apart);
            line.push_str(part);
        }
        _ => lines.push(part.to_owned()),
    };
    for word in words(text, numeric) {
        if numeric || wide(word) <= width {
            add(word, " ");
            continue;
        }
        let mut apart = " ";
        for piece in pieces(word) {
            for part in cut(piece, width, wide) {
                add(part, apart);
                apart = "";
            }
        }
    }
    lines
}

/// A text in parts that are no wider than a line; a character that is, is a part.
fn cut(text: &str, width: usize, wide: fn(&str) -> usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        if at > begin && wide(&text[begin..at + c.len_utf8()]) > width {
            parts.push(&text[begin..at]);
            begin = at;
        }
    }
    parts.push(&text[begin..]);
    parts
}
