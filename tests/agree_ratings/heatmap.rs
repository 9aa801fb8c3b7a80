//! `--heatmap`: a picture that every reader of SVG can open.

use crate::agree_ratings::data::{NOMINAL, Row, krippendorff, place, with_csv};
use crate::agree_ratings::xml;

fn drawn(rows: &[Row]) -> String {
    let place = place(rows);
    place
        .judica(&format!("{NOMINAL} --heatmap out/k.svg"))
        .exits(0);
    assert_eq!(place.names("out"), ["k.svg"]);
    place.text("out/k.svg")
}

fn renamed(names: [&str; 4]) -> Vec<Row> {
    let mut rows = krippendorff();
    for row in &mut rows {
        let at = "ABCD".find(row.1.as_str()).expect("a rater");
        row.1 = names[at].to_owned();
    }
    rows
}

#[test]
fn every_two_raters_have_a_cell() {
    let svg = drawn(&krippendorff());
    assert_eq!(xml::problem(&svg), None);
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
        "{svg}"
    );
    for pair in ["A and B", "A and C", "C and D"] {
        assert!(svg.contains(pair), "{pair}");
    }
}

#[test]
fn the_picture_is_the_same_every_time_and_does_not_change_the_report() {
    assert_eq!(drawn(&krippendorff()), drawn(&krippendorff()));
    let place = place(&krippendorff());
    let plain = place.judica(NOMINAL).exits(0).stdout;
    assert_eq!(
        place
            .judica(&format!("{NOMINAL} --heatmap k.svg"))
            .exits(0)
            .stdout,
        plain
    );
}

#[test]
fn names_cannot_break_the_picture() {
    let long = "n".repeat(3000);
    for names in [
        [
            "<script>alert(1)</script>",
            "\"quoted\" & 'apos'",
            "]]>",
            "&amp;",
        ],
        [
            "\u{1}\u{2}",
            "\u{b}\u{7f}",
            "\u{fffe}\u{ffff}",
            "\u{1b}[31m",
        ],
        ["中文名字", "🙂👩\u{200d}🚀", "\u{202e}right to left", &long],
        ["a\nb", "a\tb", "a\r\nb", " a "],
    ] {
        let svg = drawn(&renamed(names));
        assert_eq!(xml::problem(&svg), None, "{names:?}");
        assert!(!svg.contains("<script"));
        assert!(svg.len() < 40_000);
    }
}

#[test]
fn what_is_undefined_is_drawn_as_missing() {
    // c and d have no item in common.
    let place = with_csv("item,rater,value\n1,a,x\n1,b,y\n2,a,y\n2,b,y\n1,c,x\n2,d,y\n");
    place.judica(&format!("{NOMINAL} --heatmap k.svg")).exits(0);
    let svg = place.text("k.svg");
    assert_eq!(xml::problem(&svg), None);
    assert!(svg.contains("n/a"), "{svg}");
    assert!(!svg.contains("NaN"));
}

#[test]
fn nothing_to_draw_is_still_a_picture() {
    let place = with_csv("item,rater,value\n1,a,x\n");
    place.judica(&format!("{NOMINAL} --heatmap k.svg")).exits(0);
    assert_eq!(xml::problem(&place.text("k.svg")), None);
}

#[test]
fn many_raters_fit() {
    let rows: Vec<Row> = (0..24)
        .flat_map(|rater| {
            (0..4).map(move |item| {
                (
                    format!("i{item}"),
                    format!("rater {rater}"),
                    format!("{}", (item + rater) % 3),
                )
            })
        })
        .collect();
    let svg = drawn(&rows);
    assert_eq!(xml::problem(&svg), None);
    assert!(svg.contains("rater 23"));
}

/// The first bytes of every PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn the_ending_says_which_picture_it_is() {
    let place = place(&krippendorff());
    let draw = |name: &str| place.judica(&format!("{NOMINAL} --heatmap out/{name}"));
    draw("k.png").exits(0);
    draw("k.PNG").exits(0);
    assert_eq!(place.names("out"), ["k.PNG", "k.png"]);
    assert!(place.read("out/k.png").starts_with(PNG));
    assert_eq!(place.read("out/k.png"), place.read("out/k.PNG"));
    // Without an ending: one of each.
    draw("both").exits(0);
    assert!(place.read("out/both.png").starts_with(PNG));
    assert_eq!(xml::problem(&place.text("out/both.svg")), None);
    assert!(place.read("out/both.pdf").starts_with(b"%PDF-"));
    for name in ["k.jpg", "k.ps", "k.svg.gz"] {
        draw(name).exits(2).complains(&[name, ".svg, .pdf or .png"]);
        assert!(!place.names("out").contains(&name.to_owned()));
    }
}

#[test]
fn a_picture_does_not_overwrite_an_input() {
    let place = with_csv("item,rater,value\n1,a,x\n1,b,y\n");
    place.write("r.png", "item,rater,value\n1,a,x\n1,b,y\n");
    let line = "agree ratings --level nominal --input r.png --heatmap r";
    place.judica(line).exits(2).complains(&["overwrite"]);
    assert!(place.read("r.png").starts_with(b"item"));
}
