//! A LaTeX table float using the booktabs rules.

use judica_model::table::{Align, Table};

use crate::fit::{Measure, STEPS, natural, pieces, widths, wrap};
use crate::text::{Page, Shown, visible};

/// What an article's text is wide at 10 pt, less a little for what is only nearly measured.
const TEXT_WIDTH: usize = 34_500 - 300;

/// How tables are set: the command, the size of its letters in thousandths of those of 10 pt, and
/// half of what lies between two columns, in points.
const SIZES: [(&str, usize, usize); 4] = [
    ("", 1000, 6),
    ("\\small", 925, 4),
    ("\\footnotesize", 850, 4),
    ("\\scriptsize", 797, 3),
];

/// Text is measured in hundredths of a point, as Computer Modern at 10 pt has it.
const POINTS: Measure = Measure {
    text: |text| text.chars().map(wide).sum(),
    letter: 500,
};

/// Renders a `table` environment that is no wider than the text of an article at 10 pt; the
/// document needs `\usepackage{booktabs}` and nothing else.
///
/// What is too wide is set in smaller letters, and then gives way as `fit` says: a cell of
/// several lines stands on several rows of the tabular.
///
/// The label is made from the title (see [`label`]), so tables meant for one
/// document need different titles. Without a title there is no caption, and so
/// no number for a label to refer to.
pub fn render(table: &Table) -> String {
    let page = Page::new(table);
    let mut out = String::from("% needs \\usepackage{booktabs}\n");
    out.push_str("\\begin{table}[htbp]\n  \\centering\n");
    if !page.title.is_empty() {
        out.push_str(&format!("  \\caption{{{}}}\n", prose(&page.title)));
        out.push_str(&format!("  \\label{{{}}}\n", label(&page.title)));
    }
    if !page.header.is_empty() {
        out.push_str(&tabular(&page));
    }
    for note in &page.footnotes {
        out.push_str(&format!(
            "  \\par\\smallskip{{\\footnotesize {}\\par}}\n",
            prose(note)
        ));
    }
    out.push_str("\\end{table}\n");
    out
}

/// The size at which the columns fit, how wide they may be at 10 pt, and whether nothing lies
/// beside the outermost.
fn layout(page: &Page) -> (usize, Vec<usize>, bool) {
    let columns = page.header.len();
    let natural = natural(page, POINTS);
    if natural.iter().sum::<usize>() + 1200 * columns <= TEXT_WIDTH {
        return (0, natural, false);
    }
    // What breaks no word comes before small print, and small print before broken words.
    let trials = [(0, 1), (1, 1), (2, 1), (2, STEPS.len()), (3, STEPS.len())];
    for (size, steps) in trials {
        let (_, scale, gap) = SIZES[size];
        let room = TEXT_WIDTH.saturating_sub(200 * gap * (columns - 1));
        if let Some(widths) = widths(page, room * 1000 / scale, &STEPS[..steps], POINTS) {
            return (size, widths, true);
        }
    }
    (SIZES.len() - 1, natural, true)
}

fn tabular(page: &Page) -> String {
    let (size, widths, tight) = layout(page);
    let (command, _, gap) = SIZES[size];
    let aligns = page.aligns.iter().map(|align| match align {
        Align::Left => 'l',
        Align::Right => 'r',
    });
    let spec: String = aligns.collect();
    let mut out = String::new();
    if !command.is_empty() {
        out.push_str(&format!(
            "  {command}\\setlength{{\\tabcolsep}}{{{gap}pt}}\n"
        ));
    }
    let edge = if tight { "@{}" } else { "" };
    out.push_str(&format!(
        "  \\begin{{tabular}}{{{edge}{spec}{edge}}}\n    \\toprule\n"
    ));
    let header = page.header.iter().map(|name| Shown::text(name));
    let header: Vec<Shown> = header.collect();
    out.push_str(&rows(&header, &widths).0);
    out.push_str("    \\midrule\n");
    let body: Vec<(String, usize)> = page.rows.iter().map(|row| rows(row, &widths)).collect();
    // Where one has several lines, it must be seen where each begins.
    let apart = body.iter().any(|(_, lines)| *lines > 1);
    for (at, (text, _)) in body.iter().enumerate() {
        if apart && at > 0 {
            out.push_str("    \\addlinespace\n");
        }
        out.push_str(text);
    }
    out.push_str("    \\bottomrule\n  \\end{tabular}\n");
    out
}

/// A row of the table, and how many of the tabular it takes.
fn rows(cells: &[Shown], widths: &[usize]) -> (String, usize) {
    let lines = cells.iter().zip(widths);
    let lines = lines.map(|(cell, width)| wrap(&cell.text, cell.numeric, *width, POINTS));
    let lines: Vec<Vec<String>> = lines.collect();
    let high = lines.iter().map(Vec::len).max().unwrap_or(1);
    let mut out = String::new();
    for at in 0..high {
        let row = cells.iter().zip(&lines).map(|(shown, lines)| {
            let line = lines.get(at).map_or("", String::as_str);
            cell(line, shown.numeric)
        });
        let row: Vec<String> = row.collect();
        out.push_str(&format!("    {} \\\\\n", row.join(" & ")));
    }
    (out, high)
}

fn cell(text: &str, numeric: bool) -> String {
    if numeric {
        // A hyphen in a number is a minus sign and must not print as a dash.
        escape(&text.replace('-', "\u{2212}"))
    } else {
        escape(text)
    }
}

/// Running text, in which names may be broken at their joints.
fn prose(text: &str) -> String {
    let words = text
        .split(' ')
        .map(|word| match word.chars().count() > LONG {
            true => pieces(word)
                .map(escape)
                .collect::<Vec<String>>()
                .join("\\allowbreak{}"),
            false => escape(word),
        });
    words.collect::<Vec<String>>().join(" ")
}

/// Letters of a word that may be broken where it stands in running text.
const LONG: usize = 24;

/// The width of a character in hundredths of a point.
fn wide(c: char) -> usize {
    match c {
        'i' | 'l' | '.' | ',' | ':' | ';' | '\'' | '!' | '[' | ']' => 278,
        'f' | 'j' | '-' | ' ' | 't' | 'r' | 's' | 'I' | '(' | ')' | '_' => 395,
        'c' | 'e' | 'z' => 444,
        '0'..='9' | 'a' | 'g' | 'o' | '/' | '"' | '`' | '?' | '*' => 500,
        'm' | 'w' | '%' | '\u{2212}' | '+' | '=' | '<' | '>' | '#' | '&' | '~' | '^' | '@' => 833,
        'a'..='z' | '|' | '{' | '}' | '\\' | '$' => 556,
        'M' | 'W' | 'O' | 'Q' => 1030,
        'A'..='Z' => 785,
        // Marks that stand above or below a letter are none of their own, but this is safe.
        _ => 1000,
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
