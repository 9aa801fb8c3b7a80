//! A PDF is read back by what the format says, not by what wrote it.

use judica_model::chart::{BarChart, BarSeries, Mark};

use crate::figure::bars;
use crate::figure::look::Look;

fn drawn(title: &str, look: &Look) -> Vec<u8> {
    let series = BarSeries {
        label: "模型 (x) \\".to_owned(),
        marks: vec![Mark::Value {
            value: 0.5,
            ci: Some([0.4, 0.6]),
            n: Some(7),
        }],
    };
    let chart = BarChart::new(title, vec!["m".to_owned()], vec![series]);
    bars::draw(&chart, look).pdf()
}

/// The first number after a word.
fn number_after(text: &str, word: &str) -> usize {
    let (_, rest) = text.split_once(word).expect(word);
    let digits: String = rest
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().expect("a number")
}

/// The objects that the table at the end leads to, in order.
fn objects(pdf: &[u8]) -> Vec<String> {
    // One character for each byte, so that offsets stay what they are.
    let ascii = |byte: &u8| {
        if byte.is_ascii() {
            char::from(*byte)
        } else {
            '?'
        }
    };
    let text: String = pdf.iter().map(ascii).collect();
    assert!(text.starts_with("%PDF-1.7\n") && text.ends_with("%%EOF\n"));
    let start = number_after(&text[text.rfind("startxref").unwrap()..], "startxref");
    let table = &text[start..];
    assert!(table.starts_with("xref\n0 "));
    let count = number_after(table, "xref\n0");
    let entries: Vec<&str> = table.lines().skip(2).take(count).collect();
    assert_eq!(entries[0], "0000000000 65535 f ");
    assert!(table.contains(&format!("/Size {count}")));
    let object = |(at, entry): (usize, &&str)| {
        assert!(entry.len() == 19 && entry.ends_with(" 00000 n "), "{entry}");
        let offset: usize = entry[..10].parse().unwrap();
        let body = text[offset..].strip_prefix(&format!("{at} 0 obj\n"));
        let (body, _) = body.expect("an object").split_once("\nendobj\n").unwrap();
        body.to_owned()
    };
    entries.iter().enumerate().skip(1).map(object).collect()
}

#[test]
fn one_page_of_the_right_size_with_a_true_table() {
    let look = Look {
        width: Some(600),
        height: Some(400),
        font_size: Some(15.0),
        ..Look::default()
    };
    let title = "a) <<b>> \u{202e} 模";
    let pdf = drawn(title, &look);
    let objects = objects(&pdf);
    assert!(objects[0].contains("/Type/Catalog") && objects[1].contains("/Count 1"));
    let pages = objects
        .iter()
        .filter(|object| object.contains("/Type/Page/"));
    assert_eq!(pages.count(), 1);
    assert!(
        objects[2].contains("/MediaBox[0 0 450 300]"),
        "{}",
        objects[2]
    );
    let utf16: String = "a) <<b>> \\u{202e} 模"
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    assert!(objects[4].contains(&format!("/Title <FEFF{utf16}>")));
    let mut streams = 0;
    for object in &objects {
        if let Some((head, stream)) = object.split_once("\nstream\n") {
            let content = stream.strip_suffix("endstream").expect("an end");
            assert_eq!(number_after(head, "/Length"), content.len());
            streams += 1;
            // Nothing that the format has no word for.
            assert!(!content.contains("NaN") && !content.contains("inf"));
            for word in content
                .split_whitespace()
                .filter(|word| word.parse::<f64>().is_ok())
            {
                assert!(!word.contains(['e', 'E']), "{word}");
            }
            assert_eq!(
                content.matches("q\n").count(),
                content.matches("Q\n").count()
            );
        }
    }
    // The page, and the outlines: every one that is used is there.
    assert!(streams > 10);
    let page = &objects[3];
    for name in page
        .split(" /")
        .skip(1)
        .filter_map(|rest| rest.split_once(" Do"))
    {
        assert!(objects[2].contains(&format!("/{} ", name.0)), "{}", name.0);
    }
    assert_eq!(drawn(title, &look), pdf);
}

#[test]
fn the_paper_is_part_of_it() {
    use crate::figure::look::Theme;
    let dark = Look {
        theme: Theme::Dark,
        ..Look::default()
    };
    assert_ne!(drawn("t", &dark), drawn("t", &Look::default()));
}
