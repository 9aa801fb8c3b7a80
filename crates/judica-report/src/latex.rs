//! A LaTeX table float using the booktabs rules.

use judica_model::table::{Align, Table};

use crate::text::{Page, Shown, visible};

/// Renders a `table` environment; the document needs `\usepackage{booktabs}`.
///
/// The label is made from the title (see [`label`]), so tables meant for one
/// document need different titles. Without a title there is no caption, and so
/// no number for a label to refer to.
pub fn render(table: &Table) -> String {
    let page = Page::new(table);
    let mut out = String::from("\\begin{table}[htbp]\n  \\centering\n");
    if !page.title.is_empty() {
        out.push_str(&format!("  \\caption{{{}}}\n", escape(&page.title)));
        out.push_str(&format!("  \\label{{{}}}\n", label(&page.title)));
    }
    if !page.header.is_empty() {
        out.push_str(&tabular(&page));
    }
    for note in &page.footnotes {
        out.push_str(&format!(
            "  \\par\\smallskip{{\\footnotesize {}\\par}}\n",
            escape(note)
        ));
    }
    out.push_str("\\end{table}\n");
    out
}

fn tabular(page: &Page) -> String {
    let spec: String = page
        .aligns
        .iter()
        .map(|align| match align {
            Align::Left => 'l',
            Align::Right => 'r',
        })
        .collect();
    let header: Vec<String> = page.header.iter().map(|name| escape(name)).collect();
    let mut out = format!("  \\begin{{tabular}}{{{spec}}}\n    \\toprule\n");
    out.push_str(&format!("    {} \\\\\n    \\midrule\n", header.join(" & ")));
    for row in &page.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        out.push_str(&format!("    {} \\\\\n", cells.join(" & ")));
    }
    out.push_str("    \\bottomrule\n  \\end{tabular}\n");
    out
}

fn cell(cell: &Shown) -> String {
    if cell.numeric {
        // A hyphen in a number is a minus sign and must not print as a dash.
        escape(&cell.text.replace('-', "\u{2212}"))
    } else {
        escape(&cell.text)
    }
}

/// Escapes text so that LaTeX prints exactly these characters.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = '\0';
    for c in visible(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            // These two print as other characters in the classic encoding.
            '|' => out.push_str("\\textbar{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            // Several languages of babel make the bare character a command.
            '"' => out.push_str("\\char34{}"),
            // At the start of a row `\\` would take these for its argument.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            '\u{2212}' => out.push_str("$-$"),
            // Keeps doubled characters from joining into a dash or a quote.
            '-' | '\'' | ',' if previous == c => out.extend(['{', '}', c]),
            _ => out.push(c),
        }
        previous = c;
    }
    out
}

/// The label for a title: `tab:` and its ASCII letters and digits in lower
/// case, with a hyphen for each run of anything else.
pub fn label(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() {
        "tab:untitled".to_owned()
    } else {
        format!("tab:{}", words.join("-"))
    }
}
