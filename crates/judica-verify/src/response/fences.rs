//! Where fenced code blocks stand in a text.

use memchr::memmem;

/// What every fence of backticks begins with.
pub(super) const TICKS: &str = "```";

/// Bodies of fenced code blocks, in order, each with all that follows its beginning. A fence is
/// found wherever it stands; one that is never closed runs to the end, as in Markdown.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = memmem::find(text.as_bytes(), TICKS.as_bytes()).map(|at| &text[at..]);
    std::iter::from_fn(move || {
        let begun = body(rest.take()?.trim_start_matches('`'));
        let (body, after) = match memmem::find(begun.as_bytes(), TICKS.as_bytes()) {
            Some(close) => (&begun[..close], begun[close..].trim_start_matches('`')),
            None => (begun, ""),
        };
        rest = memmem::find(after.as_bytes(), TICKS.as_bytes()).map(|at| &after[at..]);
        Some((body, begun))
    })
}

/// What follows the info string (`json`). It ends with its line; some models put everything on
/// one line, and then it ends where the object begins.
fn body(opened: &str) -> &str {
    &opened[memchr::memchr2(b'\n', b'{', opened.as_bytes()).unwrap_or(opened.len())..]
}

/// What follows each fence that opens a block at the beginning of a line, and that fence:
/// three or more backticks or tildes, also within a longer fence. Such a block ends with as
/// long a fence.
pub(super) fn by_lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut open: Option<&str> = None;
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let line = rest.trim_start_matches([' ', '\t']);
            let end = memchr::memchr(b'\n', line.as_bytes()).map_or(line.len(), |at| at + 1);
            rest = &line[end..];
            let Some((fence, info)) = fence_of(&line[..end]) else {
                continue;
            };
            let closes = |open: &str| fence.starts_with(open) && info.trim().is_empty();
            if open.is_some_and(closes) {
                open = None;
                continue;
            }
            open = open.or(Some(fence));
            return Some((body(&line[fence.len()..]), fence));
        }
        None
    })
}

/// The fence that a line begins with, and what follows it there; backticks that close again in
/// their line are none.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let fence = &line[..line.len() - info.len()];
    (fence.len() >= TICKS.len() && !(mark == '`' && info.contains('`'))).then_some((fence, info))
}
