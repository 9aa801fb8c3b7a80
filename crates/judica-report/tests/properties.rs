//! What must hold whatever a table contains.

use judica_model::table::{Cell, Table};
use judica_report::{Format, Style, render};
use proptest::prelude::*;

/// Text rich in the characters each format treats specially.
fn text() -> impl Strategy<Value = String> {
    let special = prop::sample::select(
        "|\\\n\r\t\"',;[]{}<>&%$#_~^*`-├│\u{1b}\u{9b}\u{202e}\u{2066}\u{feff}模👩\u{200d}é a1"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![4 => special, 1 => any::<char>()], 0..12)
        .prop_map(|chars| chars.into_iter().collect())
}

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        text().prop_map(Cell::Text),
        any::<i64>().prop_map(Cell::Integer),
        (any::<f64>(), 0..9u8).prop_map(|(v, d)| Cell::number(v, d)),
        (-1e3..1e3, 0..4u8).prop_map(|(v, d)| Cell::percent(v, d)),
        (any::<f64>(), 0..4u8).prop_map(|(v, d)| Cell::interval(v, v, v, d)),
        text().prop_map(Cell::Missing),
    ]
}

/// Rows may be ragged; columns may be absent.
fn table() -> impl Strategy<Value = Table> {
    let columns = prop::collection::vec((text(), any::<bool>()), 0..4);
    let rows = prop::collection::vec(prop::collection::vec(cell(), 0..5), 0..4);
    let notes = prop::collection::vec(text(), 0..3);
    (text(), columns, rows, notes).prop_map(|(title, columns, rows, notes)| {
        let mut table = columns
            .into_iter()
            .fold(Table::new(title), |table, (name, right)| {
                if right {
                    table.right(name)
                } else {
                    table.left(name)
                }
            });
        table.rows = rows;
        table.notes = notes;
        table
    })
}

fn is_active(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

proptest! {
    // A failure prints its input; a file of past failures would only go stale.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_active_reaches_people(table in table(), width in prop::option::of(0..120u16)) {
        let style = Style { color: false, width };
        for format in [Format::Terminal, Format::Markdown, Format::Latex] {
            let out = render(&table, format, &style);
            prop_assert!(!out.contains(is_active), "{format:?}: {out:?}");
        }
    }

    #[test]
    fn no_width_breaks_a_number(table in table(), width in 0..120u16) {
        let style = Style { color: false, width: Some(width) };
        let out = render(&table, Format::Terminal, &style);
        for cell in table.grid().flatten().filter(|cell| cell.is_numeric()) {
            // An interval may stand below its value.
            for number in cell.display().split_inclusive(" [").map(|part| part.trim_end_matches(" [")) {
                prop_assert!(out.contains(number), "{cell:?}: {out}");
            }
        }
    }

    #[test]
    fn line_counts_follow_the_shape(mut table in table()) {
        table.notes.clear();
        table.title.clear();
        for cell in table.rows.iter_mut().flatten() {
            if matches!(cell, Cell::Missing(_)) {
                *cell = Cell::missing("");
            }
        }
        let (rows, some) = (table.rows.len(), usize::from(!table.columns.is_empty()));
        let style = Style::default();
        let lines = |format| render(&table, format, &style).lines().count();
        prop_assert_eq!(lines(Format::Terminal), some * (rows + 4));
        prop_assert_eq!(lines(Format::Markdown), some * (rows + 2));
        prop_assert!(lines(Format::Latex) >= 4 + some * (rows + 6));
    }

    #[test]
    fn csv_reads_back(texts in prop::collection::vec(text(), 1..4)) {
        let mut table = texts.iter().fold(Table::new(""), |t, _| t.left("c"));
        table.push(texts.iter().map(|text| Cell::text(text.as_str())));
        let out = render(&table, Format::Csv, &Style::default());
        let body = out.split_once('\n').map(|(_, body)| body);
        prop_assert_eq!(body.map(read_record), Some(texts));
    }
}

/// A minimal RFC 4180 reader for one record that ends in a newline.
fn read_record(record: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = record
        .strip_suffix('\n')
        .unwrap_or(record)
        .chars()
        .peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("never empty");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => field.push(c),
        }
    }
    fields
}
