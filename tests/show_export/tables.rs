//! The leaderboard and four tables more, for a paper and for a page.

use crate::support::flight::{EVAL, tiny, tiny_outputs, tiny_run};

const TITLES: [&str; 5] = [
    "Leaderboard",
    "Model performance",
    "Constraint violations by family",
    "Failure modes by family",
    "Tail risk",
];

#[test]
fn latex_and_markdown_have_all_tables_with_every_model() {
    for records in ["parquet", "jsonl", "none"] {
        let place = tiny_run(records);
        let latex = place.judica("export run --format latex").exits(0).stdout;
        assert_eq!(latex.matches("\\begin{tabular}").count(), 5);
        assert_eq!(latex.matches("\\end{table}").count(), 5);
        let markdown = place.judica("export run --format markdown").exits(0).stdout;
        assert_eq!(markdown.matches("\n| --").count(), 5, "{markdown}");
        for text in [&latex, &markdown] {
            for title in TITLES {
                assert!(text.contains(title), "{title}");
            }
            for model in ["good", "wild"] {
                assert!(text.matches(model).count() >= 5, "{model}");
            }
        }
    }
}

#[test]
fn tables_go_to_a_file_too() {
    let place = tiny_run("none");
    let shown = place.judica("export run --format markdown").exits(0).stdout;
    place
        .judica("export run --format markdown --out tables.md")
        .exits(0);
    assert_eq!(place.text("tables.md"), shown);
}

#[test]
fn names_with_special_characters_do_not_break_a_table() {
    let place = tiny();
    let lines: Vec<String> = tiny_outputs()
        .iter()
        .map(|line| line.replace("wild", "50%_a&b|c#$"))
        .collect();
    place.write_lines("o.jsonl", &lines);
    place.judica(EVAL).exits(0);
    let latex = place.judica("export run --format latex").exits(0).stdout;
    assert!(
        latex.contains("50\\%\\_a\\&b|c\\#\\$")
            || latex.contains("50\\%\\_a\\&b\\textbar{}c\\#\\$"),
        "{latex}"
    );
    let markdown = place.judica("export run --format markdown").exits(0).stdout;
    assert!(markdown.contains("b\\|c"), "{markdown}");
}
