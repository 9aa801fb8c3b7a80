//! `judica plot`: grouped bars.

use serde_json::json;

use crate::data::{SCORE, eval, fixture, two, write_eval};
use crate::support::Place;

/// Two eval files, one of each mode, so that some metrics are null in one.
fn both_modes() -> Place {
    let place = two();
    for mode in ["coord", "som"] {
        let line = SCORE.replace("out/eval.json", &format!("{mode}.json"));
        place.judica(&format!("{line} --mode {mode}")).exits(0);
    }
    place
}

/// The words that a pointer over the bars shows.
#[track_caller]
pub fn titles(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed");
    let titles = document
        .descendants()
        .filter(|node| node.has_tag_name("title"));
    titles
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

/// Width and height of a PNG.
#[track_caller]
pub fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(png[12..16], *b"IHDR");
    assert_eq!(png[png.len() - 8..png.len() - 4], *b"IEND");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn as_svg_as_pdf_and_as_png() {
    let place = both_modes();
    place
        .judica("plot --files coord.json som.json --labels Base Marks --output fig/both")
        .exits(0)
        .says(&["fig/both.svg", "fig/both.pdf", "fig/both.png"]);
    assert_eq!(place.names("fig"), ["both.pdf", "both.png", "both.svg"]);
    let svg = place.text("fig/both.svg");
    let document = roxmltree::Document::parse(&svg).expect("well-formed");
    let root = document.root_element();
    let units = |name: &str| {
        root.attribute(name)
            .and_then(|n| n.parse::<f64>().ok())
            .expect("a size")
    };
    let (width, height) = size(&place.read("fig/both.png"));
    assert_eq!(
        (f64::from(width), f64::from(height)),
        (2.0 * units("width"), 2.0 * units("height"))
    );
    // A pixel is 1/96 inch, a point 1/72.
    let page = format!(
        "/MediaBox[0 0 {} {}]",
        0.75 * units("width"),
        0.75 * units("height")
    );
    let pdf = String::from_utf8_lossy(&place.read("fig/both.pdf")).into_owned();
    assert!(pdf.starts_with("%PDF-1.7") && pdf.contains(&page), "{page}");
    // On how many steps each number rests stands below.
    assert!(svg.contains("aria-label=\"n = "), "a caption");
    // Letters are drawn, so that the figure needs no font where it is read.
    assert!(!document.descendants().any(|node| node.has_tag_name("text")));
}

#[test]
fn a_null_is_a_gap_with_its_reason_and_a_zero_is_a_zero() {
    let place = both_modes();
    place
        .judica("plot --files coord.json som.json --labels Base Marks --output f.svg")
        .exits(0);
    let titles = titles(&place.text("f.svg"));
    let about = |start: &str| {
        let found = titles.iter().find(|title| title.starts_with(start));
        found
            .unwrap_or_else(|| panic!("no {start} in {titles:?}"))
            .as_str()
    };
    let gap = about("click hit rate, Marks");
    assert!(gap.contains("n/a") && gap.contains("som mode"), "{gap}");
    let zero = about("bbox hit rate, Base");
    assert!(zero.contains(": 0 [0, "), "{zero}");
    // The whisker is the interval of the file.
    let ends = &place.json("coord.json")["metrics"]["action_type_accuracy_ci"];
    let bar = about("action type accuracy, Base");
    assert!(
        bar.contains(&format!("[{}, {}]", ends[0], ends[1])),
        "{bar}"
    );
    assert!(about("mean coord error").contains("lower is better"));
}

#[test]
fn metrics_can_be_chosen() {
    let place = both_modes();
    place
        .judica(
            "plot --files coord.json --metrics click_hit_rate num_steps --title Two --output f.svg",
        )
        .exits(0);
    let titles = titles(&place.text("f.svg"));
    assert_eq!(titles[0], "Two");
    assert_eq!(titles.len(), 3);
    place
        .judica("plot --files coord.json --metrics click_hits_rate --output g.svg")
        .exits(2)
        .complains(&["click_hits_rate", "did you mean `click_hit_rate`"]);
    assert!(!place.path("g.svg").exists());
}

#[test]
fn the_same_picture_every_time() {
    let place = both_modes();
    for name in ["a", "b"] {
        place
            .judica(&format!("plot --files coord.json som.json --output {name}"))
            .exits(0);
    }
    assert_eq!(place.read("a.svg"), place.read("b.svg"));
    assert_eq!(place.read("a.png"), place.read("b.png"));
    assert_eq!(place.read("a.pdf"), place.read("b.pdf"));
}

#[test]
fn old_shapes_are_drawn_too() {
    let place = Place::new();
    fixture(&place, "legacy-bare.json");
    place
        .judica("plot --files legacy-bare.json --output f.svg")
        .exits(0);
    let titles = titles(&place.text("f.svg"));
    assert!(
        titles.iter().any(|title| title.contains("0.469")),
        "{titles:?}"
    );
}

#[test]
fn labels_with_marks_of_markup() {
    let place = both_modes();
    place
        .judica("plot --files coord.json --labels <b>&\"' --title <script> --output f")
        .exits(0);
    let titles = titles(&place.text("f.svg"));
    assert_eq!(titles[0], "<script>");
    assert!(titles[1].contains("<b>&\"'"), "{titles:?}");
}

#[test]
fn what_it_refuses() {
    let place = both_modes();
    write_eval(
        &place,
        "bad.json",
        &eval("x", json!({"action_type_accuracy": 1.2})),
    );
    write_eval(
        &place,
        "empty.json",
        &json!({"config_path": "c", "backend": "b", "metrics": {}}),
    );
    for (line, words) in [
        (
            "plot --files bad.json --output f.svg",
            "/metrics/action_type_accuracy",
        ),
        ("plot --files empty.json --output f.svg", "nothing to draw"),
        (
            "plot --files coord.json --output f.jpg",
            ".svg, .pdf or .png",
        ),
        (
            "plot --files coord.json --labels a b --output f.svg",
            "labels",
        ),
        (
            "plot --files coord.json --scale 0 --output f.png",
            "--scale",
        ),
    ] {
        place.judica(line).exits(2).complains(&[words]);
        assert!(
            !place.path("f.svg").exists() && !place.path("f.png").exists(),
            "{line}"
        );
    }
}

/// Many files: every bar can be told from the others, and beyond that none is drawn.
#[test]
fn many_files_differ_by_colour_and_by_what_is_drawn_over_it() {
    let place = Place::new();
    let names: Vec<String> = (0..50).map(|at| format!("f{at:02}.json")).collect();
    for name in &names {
        write_eval(
            &place,
            name,
            &eval("b", json!({"action_type_accuracy": 0.5})),
        );
    }
    let draw = |count: usize, options: &str| {
        let files = names[..count].join(" ");
        place.judica(&format!(
            "plot --files {files} --metrics action_type_accuracy --output many.svg {options}"
        ))
    };
    draw(49, "").exits(0);
    let svg = place.text("many.svg");
    let document = roxmltree::Document::parse(&svg).expect("well-formed");
    // All bars are as high as each other, so what is drawn for each differs by its look alone:
    // its colour, and the lines over it, as seen from its own corner.
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let looks: Vec<(String, String)> = document
        .descendants()
        .filter(|node| {
            let title = node.children().find(|child| child.has_tag_name("title"));
            let title = title.and_then(|title| title.text()).unwrap_or_default();
            title.starts_with("action type accuracy, f")
        })
        .map(|bar| {
            let part = |name: &str| bar.children().find(|node| node.has_tag_name(name));
            let rect = part("rect").expect("a bar");
            let left = number(rect.attribute("x").expect("a place"));
            let lines = part("path").and_then(|path| path.attribute("d"));
            let lines = lines.unwrap_or_default().split(['M', 'L']).skip(1);
            let lines = lines.map(|point| {
                let (x, y) = point.split_once(' ').expect("a point");
                format!("{:.1} {y}", number(x) - left)
            });
            let fill = rect.attribute("fill").expect("a colour").to_owned();
            (fill, lines.collect::<Vec<_>>().join(","))
        })
        .collect();
    assert_eq!(looks.len(), 49);
    for (at, look) in looks.iter().enumerate() {
        assert!(!looks[..at].contains(look), "{at}: {look:?}");
        // The first ones differ in both.
        let apart = |other: &(String, String)| other.0 != look.0 && other.1 != look.1;
        assert!(at >= 7 || looks[..at].iter().all(apart), "{at}");
    }
    draw(50, "")
        .exits(2)
        .complains(&["50 series", "49", "aggregate", "--as forest"]);
    // Names beside their numbers need no colours.
    draw(50, "--as forest").exits(0);
    assert!(place.text("many.svg").contains("aria-label=\"f49\""));
}
