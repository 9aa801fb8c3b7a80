use super::*;
use proptest::prelude::*;

fn map(names: &[&str]) -> HeatMap {
    let names = names.iter().map(|name| name.to_string()).collect();
    HeatMap::new("Cohen's kappa of every two raters", "Cohen's kappa", names)
}

fn svg(map: &HeatMap) -> String {
    draw(map, &Look::default()).svg()
}

fn png(map: &HeatMap) -> Vec<u8> {
    draw(map, &Look::default()).png(2.0).unwrap()
}

/// How often a text is written.
fn written(svg: &str, text: &str) -> usize {
    svg.matches(&format!("aria-label=\"{text}\" fill")).count()
}

/// Whether elements open and close in pairs; every bare `<` and `&` would break it.
fn well_formed(svg: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some((before, after)) = rest.split_once('<') {
        let entities = before.split('&').skip(1);
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
        if before.contains('>')
            || !entities
                .clone()
                .all(|e| known.iter().any(|k| e.starts_with(k)))
        {
            return false;
        }
        let Some((tag, after)) = after.split_once('>') else {
            return false;
        };
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    open.is_empty() && rest.trim().is_empty()
}

#[test]
fn every_cell_says_what_it_holds() {
    let mut map = map(&["ann", "bob", "cy"]);
    map.set(0, 1, HeatCell::Value(0.8125));
    map.set(0, 2, HeatCell::Value(-0.3));
    map.set(
        1,
        2,
        HeatCell::Missing("only one category was used".to_owned()),
    );
    let svg = svg(&map);
    assert!(well_formed(&svg), "{svg}");
    assert_eq!(written(&svg, "0.81"), 2);
    assert_eq!(written(&svg, "\u{2212}0.30"), 2);
    assert_eq!(written(&svg, "n/a"), 2);
    // Hatched, each once.
    assert_eq!(svg.matches("<path d=").count(), 2);
    assert!(svg.contains("<title>ann and bob: 0.8125</title>"));
    assert!(svg.contains("<title>bob and cy: only one category was used</title>"));
    assert!(svg.contains("aria-label=\"Cohen&apos;s kappa of every two raters\""));
    assert!(!svg.contains("<text"), "text that needs a font");
}

#[test]
fn the_legend_runs_from_end_to_end() {
    let svg = svg(&map(&["a", "b"]));
    for label in [
        "Cohen&apos;s kappa",
        "\u{2212}1",
        "\u{2212}0.5",
        "0",
        "0.5",
        "1",
    ] {
        assert_eq!(written(&svg, label), 1, "{label}");
    }
    let end = 1.0 - 1.0 / STEPS as f64;
    for value in [-end, end] {
        assert!(svg.contains(&Rgb::of(value).to_string()), "{value}");
    }
}

#[test]
fn odd_values_do_no_harm() {
    let mut map = map(&["a", "b", "c"]);
    map.set(0, 1, HeatCell::Value(f64::NAN));
    map.set(0, 2, HeatCell::Value(7.0));
    map.set(1, 2, HeatCell::Value(-0.001));
    map.cells.truncate(2);
    let svg = svg(&map);
    assert!(well_formed(&svg), "{svg}");
    assert!(!svg.contains("NaN") && svg.contains("not a finite number"));
    assert!(written(&svg, "7.00") > 0 && written(&svg, "0.00") > 0);
    assert!(svg.contains("no value"));
}

#[test]
fn long_names_have_a_tooltip() {
    let long = "a-judge-with-a-very-long-name-indeed";
    let svg = svg(&map(&[long, "b"]));
    assert!(svg.contains("aria-label=\"a-judge-with-a-very-lo"), "{svg}");
    assert_eq!(written(&svg, long), 0);
    assert!(svg.contains(&format!("<title>{long}</title>")));
    assert!(!svg.contains("<title>b</title>"));
}

#[test]
fn pixels_show_what_the_svg_says() {
    let mut map = map(&["ann", "模型", "a-judge-with-a-very-long-name-indeed"]);
    map.set(0, 1, HeatCell::Value(0.8125));
    let drawn = png(&map);
    assert!(drawn.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!(png(&map), drawn);
    map.set(0, 1, HeatCell::Value(-0.8125));
    assert_ne!(png(&map), drawn);
    assert!(!png(&self::map(&[])).is_empty());
}

#[test]
fn nothing_and_one_thing_are_pictures_too() {
    assert!(well_formed(&svg(&map(&[]))));
    assert!(svg(&map(&[])).contains("nothing to compare"));
    assert!(well_formed(&svg(&map(&["only"]))));
}

proptest! {
    #[test]
    fn any_names_and_values_give_a_picture(
        title in "\\PC{0,12}",
        names in prop::collection::vec("[\\PC<&>\"'\u{0}\u{7}]{0,30}", 0..20),
        values in prop::collection::vec(any::<f64>(), 0..20),
    ) {
        let mut map = HeatMap::new(title, "scale", names);
        for (at, value) in values.into_iter().enumerate() {
            map.set(0, at, HeatCell::Value(value));
        }
        let drawn = svg(&map);
        prop_assert!(well_formed(&drawn), "{}", drawn);
        prop_assert_eq!(svg(&map), drawn);
    }
}
