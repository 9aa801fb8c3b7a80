//! Inputs of which nothing can be used.

use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};

use crate::failure::Failure;
use crate::screen;

/// Says on standard error what of the inputs counts for nothing, where other things do.
pub fn tell_lost(notes: &[String]) {
    for note in notes {
        screen::tell(&judica_report::visible(&on_one_line(note)));
    }
}

/// A text of several lines as sentences behind each other: a line that does not end one does
/// now.
fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (last, before) = lines.split_last().unwrap_or((&"", &[]));
    let before = before.iter().map(|line| match line.ends_with('.') {
        true => format!("{line} "),
        false => format!("{line}. "),
    });
    before.collect::<String>() + last
}

/// Fails if none of these inputs, which serve one purpose, gave a row; inputs of which
/// nothing was used are noted.
pub fn usable(rejects: RejectFile, given: &[Given], format: Reads) -> Result<RejectFile, Failure> {
    let (rejects, unused) = rejects.usable(given, format)?;
    tell_lost(&unused);
    Ok(rejects)
}

#[cfg(test)]
mod tests {
    use super::on_one_line;

    #[test]
    fn lines_become_sentences() {
        let text = "h.csv: there is no row in it\n  It is empty.\n  judica look h.csv says so.";
        assert_eq!(
            on_one_line(text),
            "h.csv: there is no row in it. It is empty. judica look h.csv says so."
        );
        assert_eq!(on_one_line("one"), "one");
        assert_eq!(on_one_line(""), "");
    }
}
