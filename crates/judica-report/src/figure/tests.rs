//! Figures are checked as documents: well-formed, complete, and the same every time.

use judica_model::chart::{
    BarChart, BarSeries, Mark, Scatter, ScatterPoint, StepState, Strip, StripRow,
};

use super::look::Look;
use super::{bars, scatter, strip};

fn value(value: f64, ci: Option<[f64; 2]>) -> Mark {
    Mark::Value { value, ci, n: None }
}

fn bars_svg(chart: &BarChart) -> String {
    bars::draw(chart, &Look::default()).svg()
}

fn bars_png(chart: &BarChart) -> Vec<u8> {
    bars::draw(chart, &Look::default()).png(1.0).unwrap()
}

fn chart() -> BarChart {
    BarChart {
        title: "Base against fine-tuned <script>".to_owned(),
        value_axis: "rate".to_owned(),
        groups: vec!["action_type_accuracy".into(), "click_hit_rate".into()],
        series: vec![
            BarSeries {
                label: "base".to_owned(),
                marks: vec![
                    value(0.469, Some([0.4, 0.53])),
                    Mark::Missing("no clicks".to_owned()),
                ],
            },
            BarSeries {
                label: "fine-tuned".to_owned(),
                marks: vec![value(0.0, None)],
            },
        ],
        unit_scale: true,
        caption: vec!["n = 7 each".to_owned()],
    }
}

/// Labels of outlined text, in order.
fn labels(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document
        .descendants()
        .filter(|node| node.attribute("role") == Some("text") || node.tag_name().name() == "text");
    texts
        .map(|node| {
            let label = node.attribute("aria-label").or(node.text());
            label.unwrap_or_default().to_owned()
        })
        .collect()
}

fn tooltips(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let titles = document
        .descendants()
        .filter(|node| node.has_tag_name("title"));
    titles
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

#[test]
fn a_missing_value_is_a_gap_and_zero_is_a_bar() {
    let svg = bars_svg(&chart());
    let texts = labels(&svg);
    // One that was said to be missing, one that was never given.
    assert_eq!(texts.iter().filter(|text| *text == "n/a").count(), 2);
    assert!(texts.contains(&"0.00".to_owned()), "{texts:?}");
    let said = tooltips(&svg);
    assert!(said.contains(&"click_hit_rate, base: n/a (no clicks)".to_owned()));
    assert!(said.contains(&"action_type_accuracy, base: 0.469 [0.4, 0.53]".to_owned()));
}

#[test]
fn text_is_outlines_and_needs_no_font() {
    let svg = bars_svg(&chart());
    assert!(!svg.contains("<text"), "text that needs a font");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let defined: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("path"))
        .filter_map(|node| node.attribute("id"))
        .collect();
    let mut used = 0;
    for node in document
        .descendants()
        .filter(|node| node.has_tag_name("use"))
    {
        let target = node.attribute("href").unwrap().trim_start_matches('#');
        assert!(defined.contains(&target), "{target} is nowhere");
        used += 1;
    }
    assert!(used > 50, "{used}");
    assert_eq!(svg, bars_svg(&chart()));
}

#[test]
fn scripts_that_the_font_lacks_stay_readable_text() {
    let mut chart = chart();
    chart.series[0].label = "模型".to_owned();
    assert!(bars_svg(&chart).contains(">模型</text>"));
    let unwritten = bars::draw(&chart, &Look::default());
    assert_eq!(unwritten.unwritten(), ["模型"]);
    assert!(!bars_png(&chart).is_empty());
}

#[test]
fn pixels_hold_ink_where_the_text_is() {
    let png = bars_png(&chart());
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
    // The title's line: without letters it would be white from end to end.
    let dark = (0..pixels.width())
        .any(|x| (24..36).any(|y| pixels.pixel(x, y).is_some_and(|pixel| pixel.red() < 100)));
    assert!(dark);
    assert_eq!(png, bars_png(&chart()));
}

#[test]
fn a_value_beyond_one_moves_the_axis() {
    let mut chart = chart();
    chart.series[0].marks[0] = value(3.7, Some([3.0, 4.4]));
    assert!(labels(&bars_svg(&chart)).contains(&"5".to_owned()));
    chart.series.clear();
    assert!(labels(&bars_svg(&chart)).contains(&"nothing to show".to_owned()));
}

#[test]
fn a_strip_shows_every_step_and_what_is_left_out() {
    let strip = Strip {
        title: "Steps".to_owned(),
        rows: vec![StripRow {
            label: "ep_1".to_owned(),
            steps: vec![
                StepState::Right,
                StepState::Missed,
                StepState::LeftOut,
                StepState::WrongType,
                StepState::Absent,
            ],
        }],
        left_out: 3,
    };
    let drawn = strip::draw(&strip, &Look::default());
    let svg = drawn.svg();
    let said = tooltips(&svg);
    assert!(said.contains(&"ep_1, step 3: another action".to_owned()));
    assert_eq!(said.len(), 5);
    assert!(labels(&svg).contains(&"3 more episodes are not shown".to_owned()));
    assert!(labels(&svg).contains(&"n = 1 episode, 4 steps".to_owned()));
    assert!(drawn.png(2.0).is_ok());
}

fn point(label: &str, x: f64, y: f64, on_frontier: bool) -> ScatterPoint {
    ScatterPoint {
        label: label.to_owned(),
        x,
        y,
        y_ci: Some([y - 0.05, y + 0.05]),
        on_frontier,
    }
}

#[test]
fn a_scatter_joins_the_frontier_and_names_what_has_no_place() {
    let scatter = Scatter {
        title: "Accuracy against cost".to_owned(),
        x_axis: "USD".to_owned(),
        y_axis: "accuracy".to_owned(),
        log_x: true,
        points: vec![
            point("a", 0.01, 0.6, true),
            point("b", 0.5, 0.8, true),
            point("c", 0.6, 0.7, false),
            point("free", 0.0, 0.9, true),
        ],
        caption: Vec::new(),
        left_out: vec![("d".to_owned(), "no price is known".to_owned())],
    };
    let drawn = scatter::draw(&scatter, &Look::default());
    let svg = drawn.svg();
    let texts = labels(&svg);
    for name in ["a", "b", "c", "d: not shown, no price is known"] {
        assert!(texts.contains(&name.to_owned()), "{name} in {texts:?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("free: not shown")));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let line = document
        .descendants()
        .find(|node| node.has_attribute("stroke-dasharray"));
    let points = line.unwrap().attribute("d").unwrap();
    // Two points and the corner between them.
    assert_eq!(points.matches(['M', 'L']).count(), 3);
    assert!(drawn.png(1.0).is_ok());
}

#[test]
fn figures_share_a_page_without_names_or_styles_in_common() {
    let figure = bars::draw(&chart(), &Look::default());
    let svg = figure.inline_svg("m1-");
    let document = roxmltree::Document::parse(&svg).unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        assert!(!["style", "script", "text"].contains(&node.tag_name().name()));
        for attribute in node.attributes() {
            let value = attribute.value();
            match attribute.name() {
                "id" => assert!(value.starts_with("m1-"), "{value}"),
                "href" => assert!(value.starts_with("#m1-"), "{value}"),
                name => assert!(name != "style" && !name.starts_with("on"), "{name}"),
            }
        }
    }
    // A prefix is the caller's, but no way out of the attribute.
    let odd = figure.inline_svg("\"><script>");
    assert!(!odd.contains("<script>"));
    roxmltree::Document::parse(&odd).unwrap();
}
