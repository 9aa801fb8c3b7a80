//! Size, paper and font of figures: drawn as asked, or refused.

use serde_json::json;

use crate::data::{eval, write_eval};
use crate::plot::size;
use crate::support::Place;

fn two() -> Place {
    let place = Place::new();
    for (name, accuracy) in [("a.json", 0.5), ("b.json", 0.75)] {
        let metrics = json!({
            "num_steps": 600, "action_type_accuracy": accuracy,
            "action_type_accuracy_ci": [accuracy - 0.1, accuracy + 0.1], "click_hit_rate": null,
        });
        write_eval(&place, name, &eval("x", metrics));
    }
    place
}

const PLOT: &str = "plot --files a.json b.json --metrics action_type_accuracy";

#[test]
fn a_figure_has_the_size_that_was_asked_for() {
    let place = two();
    for figure in ["bars", "forest"] {
        place
            .judica(&format!(
                "{PLOT} --as {figure} --width 900 --height 431 --font-size 17.5 --scale 1 --out f"
            ))
            .exits(0);
        assert_eq!(size(&place.read("f.png")), (900, 431), "{figure}");
        let svg = place.text("f.svg");
        assert!(svg.contains("width=\"900\" height=\"431\""), "{figure}");
        let pdf = String::from_utf8_lossy(&place.read("f.pdf")).into_owned();
        assert!(pdf.contains("/MediaBox[0 0 675 323.25]"), "{figure}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_and_leaves_nothing() {
    let place = two();
    for (options, words) in [
        ("--width 150", ["--width 150", "at least"]),
        ("--height 120", ["--height 120", "at least"]),
        ("--width 400 --font-size 40", ["--width 400", "--font-size"]),
        ("--width 99", ["--width", "100"]),
        ("--height 8001", ["--height", "8000"]),
        ("--font-size 5", ["--font-size", "from 6 to 48"]),
        ("--theme sepia", ["--theme", "light, dark"]),
        ("--as pie", ["--as", "bars, forest"]),
    ] {
        place
            .judica(&format!("{PLOT} {options} --out f"))
            .exits(2)
            .complains(&words);
        assert!(!place.path("f.svg").exists(), "{options}");
    }
}

#[test]
fn the_least_that_is_named_is_enough() {
    let place = two();
    let said = place
        .judica(&format!("{PLOT} --width 150 --out f.svg"))
        .exits(2)
        .stderr;
    let (_, least) = said.split_once("at least ").expect("a number");
    let least = least.split(' ').next().expect("a number");
    place
        .judica(&format!("{PLOT} --width {least} --out f.svg"))
        .exits(0);
}

#[test]
fn light_and_dark_differ_in_colours_alone() {
    let place = two();
    for theme in ["light", "dark"] {
        place
            .judica(&format!("{PLOT} --theme {theme} --out {theme}.svg"))
            .exits(0);
    }
    place.judica(&format!("{PLOT} --out plain.svg")).exits(0);
    let [light, dark] = ["light.svg", "dark.svg"].map(|name| place.text(name));
    assert_eq!(place.text("plain.svg"), light);
    let geometry = |svg: &str| {
        let mut out = String::new();
        let mut rest = svg;
        while let Some((before, after)) = rest.split_once("=\"#") {
            out.push_str(before);
            // A colour, or the name of an outline.
            let (value, after) = after.split_once('"').expect("an end");
            let is_colour = value.len() == 6 && value.bytes().all(|b| b.is_ascii_hexdigit());
            out.push_str(if is_colour { "colour" } else { value });
            rest = after;
        }
        out + rest
    };
    assert_ne!(light, dark);
    assert_eq!(geometry(&light), geometry(&dark));
}

#[test]
fn a_forest_says_numbers_intervals_and_n() {
    let place = two();
    place
        .judica("plot --files a.json b.json --metrics action_type_accuracy,click_hit_rate --as forest --out f.svg")
        .exits(0);
    let svg = place.text("f.svg");
    for words in [
        "action type accuracy",
        "0.500 [0.400, 0.600]",
        "0.750 [0.650, 0.850]",
        "n = 600",
        "click hit rate",
        "n/a (null in the file)",
    ] {
        assert!(svg.contains(&format!("aria-label=\"{words}\"")), "{words}");
    }
}

#[test]
fn how_a_figure_looks_is_asked_only_of_a_figure() {
    let place = Place::new();
    for line in [
        "match --predictions p.jsonl --width 500",
        "match --predictions p.jsonl --confidence p --theme dark",
        "compare a b --height 500",
        "agree ratings --input r.csv --level nominal --font-size 14",
        "agree judges --eval-dir e --out o.json --theme dark",
        "efficiency -p preds --width 500",
        "plot --strip d.jsonl --as forest --out f.svg",
    ] {
        place.judica(line).exits(2).complains(&["Usage"]);
    }
}
