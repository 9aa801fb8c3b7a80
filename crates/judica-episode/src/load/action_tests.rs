use super::*;

const COORD: Rules = Rules {
    mode: Mode::Coord,
    screen: None,
};
const SOM: Rules = Rules {
    mode: Mode::Som,
    screen: None,
};

fn read(text: &str, rules: Rules, side: Side) -> Result<Option<Action<'_>>, Fault> {
    action(&mut Scanner::new(text.as_bytes(), 0), rules, side)
}

fn gold(text: &str) -> Action<'_> {
    read(text, COORD, Side::Gold).unwrap().unwrap()
}

fn refused(text: &str, rules: Rules) -> (&'static str, String) {
    let refusal = read(text, rules, Side::Gold).unwrap_err().refusal();
    (refusal.reason, refusal.detail)
}

#[test]
fn both_spellings_of_everything() {
    let plain = gold(r#"{"type":"Click","x":0.25,"y":0.5,"bbox":[0.1,0.2,0.3,0.6]}"#);
    assert_eq!((&*plain.name, plain.kind), ("click", Kind::Click));
    assert_eq!(plain.point, Some([0.25, 0.5]));
    assert_eq!(plain.area, Some([0.1, 0.2, 0.3, 0.6]));
    let nested = gold(
        r#"{"element":{"bounds":{"x":0.25,"y":0.5,"width":0.25,"height":0.5},"element_id":"7"},
            "normalized_coordinates":[0.25,0.5],"type":"click","text":null}"#,
    );
    assert_eq!(nested.point, Some([0.25, 0.5]));
    assert_eq!(nested.area, Some([0.25, 0.5, 0.5, 1.0]));
    assert!(nested.unused.other_target && nested.element.is_none());
    let som = read(
        r#"{"type":"type","element":{"element_id":"7"},"element_index":3,"x":900}"#,
        SOM,
        Side::Gold,
    );
    let som = som.unwrap().unwrap();
    assert_eq!(som.element, Some(Element::Index(3)));
    assert!(som.unused.other_target && som.point.is_none());
    let id = read(
        r#"{"type":"type","element":{"element_id":"7"},"element_index":null}"#,
        SOM,
        Side::Predicted,
    );
    assert_eq!(id.unwrap().unwrap().element, Some(Element::Index(7)));
    assert_eq!(read("null", SOM, Side::Gold), Ok(None));
}

#[test]
fn what_other_recorders_write() {
    let step = r#"{"type":"click","coordinates":[960,270],"normalized_coordinates":[0.5,0.25],
        "text":null,"element":{"element_id":"12","bounds":null,"role":"button"},
        "raw":{"bbox":[0.4,0.2,0.6,0.3],"element_index":3}}"#;
    let coord = gold(step);
    assert_eq!(coord.point, Some([0.5, 0.25]));
    assert_eq!(coord.area, Some([0.4, 0.2, 0.6, 0.3]));
    let marked = |text: &str| {
        let action = read(text, SOM, Side::Gold).unwrap().unwrap();
        action.element.map(|element| element.to_string())
    };
    assert_eq!(marked(step).as_deref(), Some("12"));
    for (element, index) in [
        (
            r#""element":{"element_id":"btn"},"raw":{"element_index":3}"#,
            Some("3"),
        ),
        (r#""element":null,"raw":{"element_index":"7"}"#, Some("7")),
        (
            r#""element":{"element_id":12.0},"raw":{"element_index":3}"#,
            Some("12"),
        ),
        (r#""element":{"element_id":"btn"},"raw":null"#, Some("btn")),
        (
            r#""element":{"element_id":null},"raw":{"element_index":true}"#,
            None,
        ),
        (r#""element_index":5,"element":{"element_id":4}"#, Some("5")),
        (r#""raw":"click(3)""#, None),
    ] {
        let text = format!(r#"{{"type":"click",{element}}}"#);
        assert_eq!(marked(&text).as_deref(), index, "{text}");
    }
}

#[test]
fn pixels_without_a_screen_are_left_alone_and_said() {
    let pixels = r#"{"type":"click","coordinates":[960,270],"normalized_coordinates":null,
        "element":{"bounds":{"x":900,"y":200,"width":100,"height":80}}}"#;
    let unplaced = gold(pixels);
    assert_eq!((unplaced.point, unplaced.area), (None, None));
    assert!(unplaced.unused.in_pixels);
    let screen = Rules {
        screen: Screen::new(1000, 500),
        ..COORD
    };
    let placed = read(pixels, screen, Side::Gold).unwrap().unwrap();
    assert_eq!(placed.point, Some([0.96, 0.54]));
    assert_eq!(placed.area, Some([0.9, 0.4, 1.0, 0.56]));
    assert!(!placed.unused.in_pixels);
    // What a model says without a size is a point far away.
    let predicted = read(pixels, COORD, Side::Predicted).unwrap().unwrap();
    assert_eq!(predicted.point, Some([960.0, 270.0]));
}

#[test]
fn x_and_y_win_unless_they_cannot_be_used() {
    let both = |xy: &str| format!(r#"{{"type":"click",{xy},"normalized_coordinates":[0.5,0.6]}}"#);
    assert_eq!(gold(&both(r#""x":0.1,"y":0.2"#)).point, Some([0.1, 0.2]));
    for unusable in [
        r#""x":null,"y":null"#,
        r#""x":960,"y":648"#,
        r#""x":0.1"#,
        r#""y":0.1,"x":null"#,
    ] {
        assert_eq!(gold(&both(unusable)).point, Some([0.5, 0.6]), "{unusable}");
    }
    let screen = Rules {
        screen: Screen::new(1920, 1080),
        ..COORD
    };
    let text = both(r#""x":192,"y":540"#);
    let pixels = read(&text, screen, Side::Predicted).unwrap().unwrap();
    assert_eq!(pixels.point, Some([0.1, 0.5]));
}

#[test]
fn what_is_wrong_has_a_reason_and_a_pointer() {
    for (text, reason, pointer) in [
        (r#"{"x":0.1,"y":0.2}"#, "missing_type", ""),
        (r#"{"type":""}"#, "missing_type", "/type"),
        (r#"{"type":5}"#, "wrong_type", "/type"),
        (r#"[]"#, "wrong_type", ""),
        (r#"{"type":"a","x":0.1}"#, "wrong_shape", ""),
        (r#"{"type":"a","x":"0.1","y":0.1}"#, "wrong_type", "/x"),
        (r#"{"type":"a","x":NaN,"y":0.1}"#, "not_a_number", "/x"),
        (r#"{"type":"a","x":0.1,"y":1e999}"#, "not_a_number", "/y"),
        (r#"{"type":"a","x":0.1,"y":1.01}"#, "out_of_range", "/y"),
        (
            r#"{"type":"a","normalized_coordinates":[0.1]}"#,
            "wrong_shape",
            "/normalized_coordinates",
        ),
        (
            r#"{"type":"a","normalized_coordinates":[0.1,5]}"#,
            "out_of_range",
            "/normalized_coordinates/1",
        ),
        (
            r#"{"type":"a","bbox":[0.1,0.1,0.2,null]}"#,
            "wrong_type",
            "/bbox/3",
        ),
        (
            r#"{"type":"a","bbox":[0.1,0.1,0.2,0.2,0.3]}"#,
            "wrong_shape",
            "/bbox",
        ),
        (
            r#"{"type":"a","bbox":[0.3,0.1,0.2,0.2]}"#,
            "swapped_bbox",
            "/bbox",
        ),
        (r#"{"type":"a","bbox":"all"}"#, "wrong_type", "/bbox"),
        (
            r#"{"type":"a","element":{"bounds":{"x":0,"y":0,"width":1}}}"#,
            "wrong_shape",
            "/element/bounds",
        ),
        (
            r#"{"type":"a","element":{"bounds":{"x":0,"y":0,"width":1,"height":-1}}}"#,
            "swapped_bbox",
            "/element/bounds/height",
        ),
        (r#"{"type":"a","element":4}"#, "wrong_type", "/element"),
        (r#"{"type":"a""#, "malformed_json", ""),
        (r#"{"type":"a",}"#, "malformed_json", ""),
    ] {
        let (found, detail) = refused(text, COORD);
        assert_eq!(found, reason, "{text}: {detail}");
        assert!(detail.starts_with(pointer), "{text}: {detail}");
    }
    let index = refused(r#"{"type":"click","element_index":2.5}"#, SOM);
    assert_eq!(index.0, "bad_index");
    assert!(index.1.starts_with("/element_index: "));
}

#[test]
fn what_is_not_compared_is_not_checked() {
    let odd = r#"{"type":"click","x":5000,"y":1,"bbox":[9,9,0,0],"element_index":1}"#;
    assert!(read(odd, SOM, Side::Gold).is_ok());
    let areas = r#"{"type":"click","x":0.5,"y":1,"bbox":[9,9,0,0],"element":{"bounds":4}}"#;
    let predicted = read(areas, COORD, Side::Predicted).unwrap().unwrap();
    assert_eq!(
        (predicted.area, predicted.unused.other_target),
        (None, false)
    );
    let index = r#"{"type":"click","element_index":{"odd":1}}"#;
    assert!(
        read(index, COORD, Side::Gold)
            .unwrap()
            .unwrap()
            .unused
            .other_target
    );
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = format!(
        r#"{{"type":"a","more":{}1{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(refused(&deep, COORD).0, "malformed_json");
}
