//! Cell contents written by someone who means harm.

use judica_model::table::{Cell, Table};
use judica_report::{Format, Style, csv_field, latex, markdown, render};

fn plain(table: &Table, format: Format) -> String {
    render(table, format, &Style::default())
}

/// Every string of a table, hostile.
fn hostile() -> Table {
    let mut table = Table::new("t\u{1b}]0;x\u{7}").left("m\u{202e}|\n");
    table.push([Cell::text("a|b\nc\u{1b}[2J\u{9b}1m")]);
    table.push([Cell::missing("# \u{2066}why\r\n<b>")]);
    table.note("- x\n|");
    table
}

#[test]
fn terminal() {
    let expected = r"t\u{1b}]0;x\u{7}
┌─────────────────────────┐
│ m\u{202e}|\n            │
├─────────────────────────┤
│ a|b\nc\u{1b}[2J\u{9b}1m │
│ n/a                     │
└─────────────────────────┘
- x\n|
n/a: # \u{2066}why\r\n<b>
";
    assert_eq!(plain(&hostile(), Format::Terminal), expected);
}

#[test]
fn markdown_table() {
    let expected = r"**t\\u{1b}\]0;x\\u{7}**

| m\\u{202e}\|\\n              |
| ---------------------------- |
| a\|b\\nc\\u{1b}\[2J\\u{9b}1m |
| n/a                          |

- \- x\\n\|
- n/a: # \\u{2066}why\\r\\n\<b\>
";
    assert_eq!(plain(&hostile(), Format::Markdown), expected);
}

#[test]
fn markdown_escapes() {
    for (text, expected) in [
        ("a\\|b", "a\\\\\\|b"),
        ("<img src=x>&lt;", "\\<img src=x\\>\\&lt;"),
        (
            "[x](y)`c`*e*~s~$m$",
            "\\[x\\](y)\\`c\\`\\*e\\*\\~s\\~\\$m\\$",
        ),
        ("a_b_c __d__ _e", "a_b_c \\_\\_d\\_\\_ \\_e"),
    ] {
        assert_eq!(markdown::escape(text), expected);
    }
}

#[test]
fn markdown_notes_start_no_block() {
    let mut table = Table::new("");
    for note in [
        "# h",
        "- l",
        "+ l",
        "12. n",
        "3) n",
        "2.5 is plain",
        "> q",
        "    code",
    ] {
        table.note(note);
    }
    let expected =
        "- \\# h\n- \\- l\n- \\+ l\n- 12\\. n\n- 3\\) n\n- 2.5 is plain\n- \\> q\n- code\n";
    assert_eq!(plain(&table, Format::Markdown), expected);
}

#[test]
fn latex_escapes() {
    let expected = "\\&\\%\\$\\#\\_\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}\
                    \\textless{}\\textgreater{}$-$\\textbar{}\\textasciigrave{}\\char34{}";
    assert_eq!(latex::escape("&%$#_{}~^\\<>\u{2212}|`\""), expected);
    assert_eq!(latex::escape("--- '' a-b"), "-{}-{}- '{}' a-b");
    let spelt = "\\textbackslash{}u\\{1b\\}\\textbackslash{}n";
    assert_eq!(latex::escape("\u{1b}\n"), spelt);
    assert_eq!(latex::escape("\\input{x}"), "\\textbackslash{}input\\{x\\}");
}

#[test]
fn latex_rows_cannot_feed_the_row_end() {
    let mut table = Table::new("}\\end{table}").left("m");
    table.push([Cell::text("[5pt]")]);
    table.push([Cell::text("*")]);
    let out = plain(&table, Format::Latex);
    assert!(out.contains("    \\midrule\n    {[}5pt{]} \\\\\n    {*} \\\\\n"));
    assert!(out.contains("\\caption{\\}\\textbackslash{}end\\{table\\}}\n"));
    assert!(out.contains("\\label{tab:end-table}\n"));
    assert_eq!(latex::label("模型"), "tab:untitled");
}

#[test]
fn csv_is_lossless() {
    for (text, expected) in [
        ("plain", "plain"),
        ("", "\"\""),
        ("a,b", "\"a,b\""),
        ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("a\r\nb", "\"a\r\nb\""),
        (" pad", "\" pad\""),
        ("=1+1", "=1+1"),
        ("\u{1b}[2J", "\u{1b}[2J"),
    ] {
        assert_eq!(csv_field(text), expected);
    }
}

#[test]
fn csv_keeps_rows_and_bits() {
    let mut table = Table::new("").right("x");
    table.push([Cell::missing("none")]);
    table.push([Cell::number(0.1 + 0.2, 1)]);
    table.push([Cell::number(1e300, 1)]);
    table.push([Cell::number(f64::NAN, 1)]);
    let expected = "x\n\"\"\n0.30000000000000004\n1e300\nNaN\n";
    assert_eq!(plain(&table, Format::Csv), expected);
}

#[test]
fn huge_names_stay_bounded_for_people() {
    let mut table = Table::new("").left("m").right("n");
    table.push([Cell::text("x".repeat(1_000_000)), Cell::Integer(1)]);
    table.push([Cell::text("y"), Cell::Integer(2)]);
    let style = Style {
        color: false,
        width: Some(40),
    };
    assert!(render(&table, Format::Terminal, &style).chars().count() < 2_000);
    let markdown = plain(&table, Format::Markdown);
    let last = markdown.lines().last().map(str::len);
    assert_eq!(last, Some(90));
}
