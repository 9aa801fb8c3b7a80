//! Exact output of every format for ordinary, wide and empty tables.

use judica_model::table::{Cell, Table};
use judica_report::{Format, Style, render};

fn plain(table: &Table, format: Format) -> String {
    render(table, format, &Style::default())
}

fn results() -> Table {
    let mut table = Table::new("Results & gates")
        .left("model")
        .right("n")
        .right("mean")
        .right("pass")
        .right("score");
    table.push([
        Cell::text("alpha_1"),
        Cell::count(12_345),
        Cell::number(-0.1234567, 3),
        Cell::percent(81.25, 1),
        Cell::interval(0.5, 0.25, 0.75, 2),
    ]);
    table.push([
        Cell::text("模型"),
        Cell::Integer(7),
        Cell::number(2.0, 3),
        Cell::missing("no outputs"),
        Cell::missing("fewer than 30 items"),
    ]);
    table.note("Higher is better.");
    table
}

#[test]
fn terminal() {
    let expected = "\
Results & gates
┌─────────┬────────┬────────┬───────┬───────────────────┐
│ model   │      n │   mean │  pass │             score │
├─────────┼────────┼────────┼───────┼───────────────────┤
│ alpha_1 │ 12,345 │ -0.123 │ 81.2% │ 0.50 [0.25, 0.75] │
│ 模型    │      7 │  2.000 │   n/a │               n/a │
└─────────┴────────┴────────┴───────┴───────────────────┘
Higher is better.
n/a: no outputs
n/a: fewer than 30 items
";
    assert_eq!(plain(&results(), Format::Terminal), expected);
}

#[test]
fn terminal_bold_and_dim_only_when_told() {
    let mut table = Table::new("T").left("a");
    table.push([Cell::text("├ x")]);
    table.note("note");
    let style = Style {
        color: true,
        width: None,
    };
    let expected = "\u{1b}[1mT\u{1b}[0m
┌─────┐
\u{1b}[1m│ a   │\u{1b}[0m
├─────┤
│ ├ x │
└─────┘
\u{1b}[2mnote\u{1b}[0m
";
    assert_eq!(render(&table, Format::Terminal, &style), expected);
    assert!(!plain(&table, Format::Terminal).contains('\u{1b}'));
}

#[test]
fn terminal_narrow_wraps_text_and_headings_but_never_numbers() {
    let mut table = Table::new("").left("model").right("a long heading");
    table.push([Cell::text("one two three four"), Cell::Integer(123_456_789)]);
    let style = Style {
        color: false,
        width: Some(24),
    };
    let expected = "\
┌────────┬─────────────┐
│ model  │      a long │
│        │     heading │
├────────┼─────────────┤
│ one    │ 123,456,789 │
│ two    │             │
│ three  │             │
│ four   │             │
└────────┴─────────────┘
";
    assert_eq!(render(&table, Format::Terminal, &style), expected);
}

/// Names of rules beside what they say: as wide as it must be, and no word is broken.
fn reasons() -> Table {
    let mut table = Table::new("")
        .left("rule")
        .left("reason")
        .right("score [95% CI]");
    table.push([
        Cell::text("jump_dynamics.mutation_violation"),
        Cell::text("the dew point jumps by 6.4 degC; at most 6 is plausible"),
        Cell::interval(0.6667, 0.3, 0.9032, 4),
    ]);
    table
}

fn narrow(table: &Table, width: u16) -> String {
    let style = Style {
        color: false,
        width: Some(width),
    };
    render(table, Format::Terminal, &style)
}

#[test]
fn terminal_breaks_names_last_and_at_their_joints() {
    let prose_wraps = "\
┌──────────────────────────────────┬──────────────────────┬─────────────────────────┐
│ rule                             │ reason               │          score [95% CI] │
├──────────────────────────────────┼──────────────────────┼─────────────────────────┤
│ jump_dynamics.mutation_violation │ the dew point jumps  │ 0.6667 [0.3000, 0.9032] │
│                                  │ by 6.4 degC; at most │                         │
│                                  │ 6 is plausible       │                         │
└──────────────────────────────────┴──────────────────────┴─────────────────────────┘
";
    assert_eq!(narrow(&reasons(), 85), prose_wraps);
    let intervals_wrap = "\
┌──────────────────────────────────┬──────────────────────┬──────────────────┐
│ rule                             │ reason               │   score [95% CI] │
├──────────────────────────────────┼──────────────────────┼──────────────────┤
│ jump_dynamics.mutation_violation │ the dew point jumps  │           0.6667 │
│                                  │ by 6.4 degC; at most │ [0.3000, 0.9032] │
│                                  │ 6 is plausible       │                  │
└──────────────────────────────────┴──────────────────────┴──────────────────┘
";
    assert_eq!(narrow(&reasons(), 78), intervals_wrap);
    let names_wrap = "\
┌──────────────────┬──────────────────┬──────────────────┐
│ rule             │ reason           │   score [95% CI] │
├──────────────────┼──────────────────┼──────────────────┤
│ jump_dynamics.   │ the dew point    │           0.6667 │
│ mutation_        │ jumps by 6.4     │ [0.3000, 0.9032] │
│ violation        │ degC; at most 6  │                  │
│                  │ is plausible     │                  │
└──────────────────┴──────────────────┴──────────────────┘
";
    assert_eq!(narrow(&reasons(), 58), names_wrap);
}

#[test]
fn terminal_turns_a_table_of_few_rows_and_shows_others_row_by_row() {
    let names = [
        "numeric_validity",
        "consistency",
        "availability",
        "constraints",
    ];
    let mut table = names
        .iter()
        .fold(Table::new("").left("model"), |t, name| t.right(*name));
    for (model, n) in [("accurate-1", 0), ("noisy-1", 42)] {
        let numbers = names.map(|_| Cell::Integer(n));
        table.push(std::iter::once(Cell::text(model)).chain(numbers));
    }
    let expected = "\
┌──────────────────┬────────────┬─────────┐
│ model            │ accurate-1 │ noisy-1 │
├──────────────────┼────────────┼─────────┤
│ numeric_validity │          0 │      42 │
│ consistency      │          0 │      42 │
│ availability     │          0 │      42 │
│ constraints      │          0 │      42 │
└──────────────────┴────────────┴─────────┘
";
    assert_eq!(narrow(&table, 50), expected);
    let expected = "\
rule            jump_dynamics.
                mutation_
                violation
reason          the dew point
                jumps by 6.4
                degC; at most 6
                is plausible
score [95% CI]  0.6667
                [0.3000, 0.9032]
";
    let mut reasons = reasons();
    reasons.rows.extend(reasons.rows.clone());
    reasons.rows.extend(reasons.rows.clone());
    assert_eq!(narrow(&reasons, 32), [expected; 4].join("\n"));
}

#[test]
fn terminal_colours_verdicts_and_not_their_blanks() {
    let mut table = Table::new("").left("gate").left("result");
    table.push([Cell::text("FAIL safe"), Cell::text("PASS")]);
    table.push([Cell::text("b"), Cell::text("FAIL (undefined)")]);
    let style = Style {
        color: true,
        width: None,
    };
    let shown = render(&table, Format::Terminal, &style);
    assert!(
        shown.contains("│ \u{1b}[32mPASS\u{1b}[0m             │"),
        "{shown}"
    );
    assert!(
        shown.contains("│ \u{1b}[31mFAIL (undefined)\u{1b}[0m │"),
        "{shown}"
    );
    let bare = ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[1m", "\u{1b}[0m"];
    let bare = bare.iter().fold(shown, |text, code| text.replace(code, ""));
    assert_eq!(bare, plain(&table, Format::Terminal));
}

#[test]
fn latex_that_is_too_wide_is_set_smaller_and_then_wrapped() {
    let mut table = Table::new("T").left("rule").left("reason").right("n");
    let prose = "the dew point jumps by 6.4 degC; at most 6 is plausible here and now";
    table.push([
        Cell::text("jump_dynamics.mutation_violation"),
        Cell::text(prose),
        Cell::Integer(1),
    ]);
    let out = plain(&table, Format::Latex);
    assert!(out.contains(r"\begin{tabular}{@{}llr@{}}"), "{out}");
    assert!(
        out.contains(r"jump\_dynamics.mutation\_violation & "),
        "{out}"
    );
    // What does not fit stands on the next row of its column.
    let rows: Vec<&str> = out.lines().filter(|line| line.ends_with(r"\\")).collect();
    assert_eq!(rows.len(), 4, "{out}");
    assert!(rows[2].trim_start().starts_with("& "), "{out}");
}

#[test]
fn terminal_leaves_a_table_that_fits_as_it_is() {
    let names = [
        "judge", "data set", "exact", "invalid", "refused", "accuracy",
    ];
    let mut table = names.iter().fold(Table::new("T"), |t, name| t.right(*name));
    table.push(names.map(|_| Cell::number(1.0, 4)));
    let whole = plain(&table, Format::Terminal);
    let line = whole.lines().nth(1).unwrap_or_default();
    let style = Style {
        color: false,
        width: u16::try_from(line.chars().count()).ok(),
    };
    assert_eq!(render(&table, Format::Terminal, &style), whole);
}

#[test]
fn markdown() {
    let expected = "\
**Results \\& gates**

| model   |      n |   mean |  pass |               score |
| ------- | -----: | -----: | ----: | ------------------: |
| alpha_1 | 12,345 | -0.123 | 81.2% | 0.50 \\[0.25, 0.75\\] |
| 模型    |      7 |  2.000 |   n/a |                 n/a |

- Higher is better.
- n/a: no outputs
- n/a: fewer than 30 items
";
    assert_eq!(plain(&results(), Format::Markdown), expected);
}

#[test]
fn latex() {
    let expected = r"% needs \usepackage{booktabs}
\begin{table}[htbp]
  \centering
  \caption{Results \& gates}
  \label{tab:results-gates}
  \begin{tabular}{lrrrr}
    \toprule
    model & n & mean & pass & score \\
    \midrule
    alpha\_1 & 12,345 & $-$0.123 & 81.2\% & 0.50 {[}0.25, 0.75{]} \\
    模型 & 7 & 2.000 & n/a & n/a \\
    \bottomrule
  \end{tabular}
  \par\smallskip{\footnotesize Higher is better.\par}
  \par\smallskip{\footnotesize n/a: no outputs\par}
  \par\smallskip{\footnotesize n/a: fewer than 30 items\par}
\end{table}
";
    assert_eq!(plain(&results(), Format::Latex), expected);
}

#[test]
fn csv() {
    let expected = "\
model,n,mean,pass,score,score_lo,score_hi
alpha_1,12345,-0.1234567,81.25,0.5,0.25,0.75
模型,7,2.0,,,,
";
    assert_eq!(plain(&results(), Format::Csv), expected);
}

#[test]
fn no_rows() {
    let table = Table::new("").left("model").right("n");
    let terminal = "┌───────┬───┐\n│ model │ n │\n├───────┼───┤\n└───────┴───┘\n";
    assert_eq!(plain(&table, Format::Terminal), terminal);
    let markdown = "| model |   n |\n| ----- | --: |\n";
    assert_eq!(plain(&table, Format::Markdown), markdown);
    assert_eq!(plain(&table, Format::Csv), "model,n\n");
    let latex = plain(&table, Format::Latex);
    assert!(latex.contains("    model & n \\\\\n    \\midrule\n    \\bottomrule\n"));
    assert!(!latex.contains("caption") && !latex.contains("label"));
}

#[test]
fn no_columns() {
    let mut table = Table::new("Title");
    table.note("Nothing to show.");
    let text = "Title\nNothing to show.\n";
    assert_eq!(plain(&table, Format::Terminal), text);
    let markdown = "**Title**\n\n- Nothing to show.\n";
    assert_eq!(plain(&table, Format::Markdown), markdown);
    assert!(!plain(&table, Format::Latex).contains("tabular"));
    assert_eq!(plain(&table, Format::Csv), "");
    let nothing = Table::new("");
    assert_eq!(plain(&nothing, Format::Terminal), "");
    assert_eq!(plain(&nothing, Format::Markdown), "");
}
