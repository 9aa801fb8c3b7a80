//! From a path to a page, as HTML or as JSON.

use axum::http::StatusCode;
use axum::http::header::{HeaderName, REFRESH};
use judica_report::figure::Figure;
use judica_report::figure::look::{Look, Theme};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::asked::{Asked, address};
use crate::frame::{self, Frame};
use crate::pages as made;
use crate::refusal::Refusal;
use crate::viewer::{Opened, Viewer};
use crate::words::grouped;

/// The version of the JSON twins of all pages.
const SCHEMA_VERSION: &str = "judica.view/1";

/// The longest parameters: they stand in every link of a page, and pages are to stay small.
const LONGEST: usize = 2_000;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

/// A page that is asked for.
pub struct Visit<'v> {
    pub viewer: &'v Viewer,
    /// The run it is about.
    pub opened: &'v Opened,
    /// Whether that is the second of two.
    pub second: bool,
    pub asked: Asked,
}

/// What takes long with more records than this is done when it is asked for, and not because
/// somebody followed a link to see what is there.
const HEAVY: u64 = 500_000;

impl Visit<'_> {
    /// Whether to do what takes long: it is quick here, or it was asked for.
    pub fn computes(&mut self) -> Result<bool, Refusal> {
        let asked = match self.asked.take("compute")?.as_deref() {
            None => false,
            Some("yes") => true,
            Some(other) => return Err(Refusal::bad(format!("`compute={other}`: yes is known"))),
        };
        let runs = self.viewer.runs.iter();
        let records = runs.map(|opened| opened.run.manifest.counts.records);
        Ok(asked || records.sum::<u64>() <= HEAVY)
    }

    /// The parameter that says which run an address is about, where one must.
    pub fn run(&self) -> Vec<(&'static str, String)> {
        run_of(self.second)
    }
}

/// The same of the first run or the second.
pub fn run_of(second: bool) -> Vec<(&'static str, String)> {
    match second {
        true => vec![("run", "b".to_owned())],
        false => Vec::new(),
    }
}

/// A page that was made.
#[derive(Clone)]
pub struct Page {
    pub title: String,
    pub body: Markup,
    /// The same content for programs.
    pub json: Map<String, Value>,
    /// Whether it is to be asked for again soon, since the index grows still.
    pub growing: bool,
    pub status: StatusCode,
}

impl Page {
    /// A page that is finished.
    pub fn new(title: impl Into<String>, json: Value, body: Markup) -> Self {
        let json = match json {
            Value::Object(map) => map,
            other => Map::from_iter([("content".to_owned(), other)]),
        };
        Page {
            title: title.into(),
            body,
            json,
            growing: false,
            status: StatusCode::OK,
        }
    }

    /// What stands in place of a page that cannot be shown, and what can be done instead.
    pub fn refused(title: &str, refusal: &Refusal, instead: Markup) -> Self {
        let body = html! {
            h1 { (title) }
            p.problem role="alert" { (crate::words::sentence(&refusal.why)) }
            (instead)
        };
        Page {
            status: refusal.status,
            ..Page::new(title, Value::Object(refusal.json()), body)
        }
    }

    /// What stands in place of what takes long, until somebody asks for it.
    pub fn heavy(title: &str, to: &str, records: u64) -> Self {
        let body = html! {
            h1 { (title) }
            p {
                "All " (grouped(records)) " records are read for this, which takes a while and some "
                "hundred bytes of memory for each: "
                a href=(to) { "do it" } "."
            }
        };
        Page::new(title, json!({"compute": to}), body)
    }

    /// What stands in place of a list until the index is there.
    pub fn growing(title: &str, percent: u64) -> Self {
        Page {
            growing: true,
            ..Page::new(
                title,
                json!({"indexing_percent": percent}),
                html! { h1 { (title) } p.growing { "indexing " (percent) " %" } },
            )
        }
    }
}

/// How a page is made.
type Make = fn(&mut Visit) -> Result<Page, Refusal>;

/// How the figure of a page is drawn.
type Draw = fn(&mut Visit, &Look) -> Result<Figure, Refusal>;

/// A page that there is.
pub struct Route {
    pub path: &'static str,
    twin: &'static str,
    /// What it is called in the navigation; nothing where one comes from another page.
    pub name: Option<&'static str>,
    make: Make,
    /// Its figure, under an address of its own: pages stay small, and follow the theme.
    figure: Option<(&'static str, Draw)>,
}

/// All pages, in the order of the navigation.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    Route { path: "/", twin: "/index.json", name: Some("Run"), make: made::overview::make, figure: None },
    Route { path: "/records", twin: "/records.json", name: Some("Records"), make: made::records::make, figure: None },
    Route { path: "/record", twin: "/record.json", name: None, make: made::record::make, figure: None },
    Route { path: "/item", twin: "/item.json", name: None, make: made::item::make, figure: None },
    Route { path: "/episode", twin: "/episode.json", name: None, make: made::episode::make, figure: Some(("/episode.svg", made::episode::draw)) },
    Route { path: "/compare", twin: "/compare.json", name: Some("Compare"), make: made::compare::make, figure: Some(("/compare.svg", made::compare::draw)) },
    Route { path: "/rules", twin: "/rules.json", name: Some("Rules"), make: made::rules::make, figure: None },
    Route { path: "/metrics", twin: "/metrics.json", name: Some("Metrics"), make: made::metrics::make, figure: Some(("/metrics.svg", made::metrics::draw)) },
    Route { path: "/labels", twin: "/labels.json", name: Some("Labels"), make: made::labels::make, figure: Some(("/labels.svg", made::labels::draw)) },
    Route { path: "/rejects", twin: "/rejects.json", name: Some("Rejects"), make: made::rejects::make, figure: None },
    Route { path: "/about", twin: "/about.json", name: Some("About"), make: made::about::make, figure: None },
];

/// Screenshots of episodes.
const SCREENSHOT: &str = "/screenshot";

/// On which paper a figure is drawn.
fn look(asked: &mut Asked) -> Result<Look, Refusal> {
    let theme = match asked.take("theme")?.as_deref() {
        None | Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        Some(other) => {
            let why = format!("`theme={other}`: light and dark are known");
            return Err(Refusal::bad(why));
        }
    };
    Ok(Look {
        theme,
        ..Look::default()
    })
}

/// A figure on a page, in the theme of the reader.
pub fn drawing(
    path: &str,
    pairs: impl Iterator<Item = (&'static str, String)>,
    words: &str,
) -> Markup {
    let pairs: Vec<(&str, String)> = pairs.collect();
    let dark = pairs.iter().cloned().chain([("theme", "dark".to_owned())]);
    html! {
        figure {
            picture {
                source srcset=(address(path, dark)) media="(prefers-color-scheme: dark)";
                img src=(address(path, pairs.iter().cloned())) alt=(words);
            }
        }
    }
}

/// Files that pages need.
const ASSETS: &[(&str, &str, &str)] = &[
    (
        "/view.css",
        "text/css; charset=utf-8",
        include_str!("../assets/view.css"),
    ),
    (
        "/view.js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/view.js"),
    ),
    (
        "/icon.svg",
        "image/svg+xml",
        include_str!("../assets/icon.svg"),
    ),
];

/// What is sent.
pub struct Answer {
    pub status: StatusCode,
    pub kind: &'static str,
    pub headers: Vec<(HeaderName, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    fn new(status: StatusCode, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Answer {
            status,
            kind,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// An image.
    pub fn image(kind: &'static str, bytes: Vec<u8>) -> Self {
        Answer::new(StatusCode::OK, kind, bytes)
    }

    /// A refusal that needs no run to be known: as JSON where a program asked.
    pub fn refused(path: &str, status: StatusCode, why: &str) -> Self {
        if !path.ends_with(".json") {
            return Answer::plain(status, why);
        }
        let page = ROUTES.iter().find(|route| route.twin == plain(path));
        let refusal = Refusal {
            status,
            why: why.to_owned(),
        };
        Answer::twin(status, page.map_or("/", |route| route.path), refusal.json())
    }

    /// The content of a page for programs.
    fn twin(status: StatusCode, page: &str, content: Map<String, Value>) -> Self {
        let mut json = Map::new();
        json.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        json.insert("page".to_owned(), page.into());
        json.extend(content);
        Answer::new(status, JSON, pretty(&Value::Object(json)))
    }

    /// A sentence.
    pub fn plain(status: StatusCode, why: &str) -> Self {
        let text = if why.is_empty() {
            String::new()
        } else {
            format!("{why}\n")
        };
        Answer::new(status, "text/plain; charset=utf-8", text)
    }
}

/// The path as this program writes it, if it knows it.
pub fn known(path: &str) -> Option<&'static str> {
    let path = plain(path);
    let pages = ROUTES.iter().flat_map(|route| [route.path, route.twin]);
    let figures = ROUTES.iter().filter_map(|route| Some(route.figure?.0));
    let assets = ASSETS.iter().map(|(path, ..)| *path);
    let all = pages.chain(figures).chain(assets).chain([SCREENSHOT]);
    all.into_iter().find(|known| *known == path)
}

/// The twin of `/` has a name, and is found without it, too.
fn plain(path: &str) -> &str {
    if path == "/.json" {
        ROUTES[0].twin
    } else {
        path
    }
}

/// Why nobody may begin at this address, if that is so.
pub fn why_no_beginning(at: &str) -> Option<String> {
    if at.contains(char::is_control) {
        return Some("control characters are written %0A and the like in an address".to_owned());
    }
    let place = at.split_once('#').map_or(at, |(place, _)| place);
    let (path, query) = place.split_once('?').unwrap_or((place, ""));
    if !ROUTES.iter().any(|route| route.path == path) {
        let pages: Vec<&str> = ROUTES.iter().map(|route| route.path).collect();
        return Some(format!("no page; pages are {}", pages.join(", ")));
    }
    // What is not plain a browser writes as three.
    let bytes = query
        .bytes()
        .map(|byte| if byte.is_ascii_graphic() { 1 } else { 3 });
    (bytes.sum::<usize>() > LONGEST).then(too_long)
}

fn too_long() -> String {
    format!("the parameters are longer than {LONGEST} bytes")
}

/// Answers a request that was let in.
pub fn answer(viewer: &Viewer, path: &str, query: Option<&str>) -> Answer {
    let path = plain(path);
    if query.is_some_and(|query| query.len() > LONGEST) {
        return Answer::refused(path, StatusCode::URI_TOO_LONG, &too_long());
    }
    if let Some((_, kind, body)) = ASSETS.iter().find(|(known, ..)| *known == path) {
        return Answer::new(StatusCode::OK, kind, *body);
    }
    let drawn = ROUTES
        .iter()
        .find_map(|route| route.figure.filter(|(at, _)| *at == path));
    if drawn.is_some() || path == SCREENSHOT {
        let made = visit(viewer, Asked::of(query)).and_then(|mut visit| match drawn {
            None => made::episode::screenshot(&mut visit),
            Some((_, draw)) => {
                let look = look(&mut visit.asked)?;
                let svg = draw(&mut visit, &look)?.svg();
                Ok(Answer::image("image/svg+xml", svg.into_bytes()))
            }
        });
        return made.unwrap_or_else(|refusal| Answer::plain(refusal.status, &refusal.why));
    }
    let as_json = path.ends_with(".json");
    let route = ROUTES
        .iter()
        .find(|route| path == if as_json { route.twin } else { route.path });
    let at = match (route, query) {
        (Some(route), Some(query)) if !query.is_empty() => format!("{}?{query}", route.path),
        (Some(route), _) => route.path.to_owned(),
        (None, _) => "/".to_owned(),
    };
    let mut second = false;
    let made = match route {
        None => Err(Refusal::nothing("there is no such page")),
        Some(route) => visit(viewer, Asked::of(query)).and_then(|mut visit| {
            second = visit.second;
            (route.make)(&mut visit)
        }),
    };
    let page = made.unwrap_or_else(|refusal| {
        let to_run = html! { p { a href=(address("/", run_of(second))) { "To the run" } } };
        Page::refused("This cannot be shown", &refusal, to_run)
    });
    let mut answer = match as_json {
        true => Answer::twin(page.status, &at, page.json),
        false => {
            let frame = Frame {
                viewer,
                route,
                second,
                at: &at,
            };
            let text = frame::render(&frame, &page);
            Answer::new(page.status, HTML, text.into_string())
        }
    };
    if page.growing {
        answer.headers.push((REFRESH, "1".to_owned()));
    }
    answer
}

fn visit(viewer: &Viewer, mut asked: Asked) -> Result<Visit<'_>, Refusal> {
    viewer.runs.iter().try_for_each(Opened::unchanged)?;
    let second = match asked.take("run")?.as_deref() {
        None | Some("a") => false,
        Some("b") if viewer.runs.len() > 1 => true,
        Some(other) => {
            let known = if viewer.runs.len() > 1 {
                "a and b"
            } else {
                "a"
            };
            return Err(Refusal::bad(format!("`run={other}`: the runs are {known}")));
        }
    };
    Ok(Visit {
        viewer,
        opened: &viewer.runs[usize::from(second)],
        second,
        asked,
    })
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_path_and_a_twin_of_its_own() {
        let mut paths: Vec<&str> = ROUTES.iter().flat_map(|r| [r.path, r.twin]).collect();
        paths.extend(ASSETS.iter().map(|(path, ..)| *path));
        paths.extend(ROUTES.iter().filter_map(|route| Some(route.figure?.0)));
        paths.push(SCREENSHOT);
        let count = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), count);
        for route in ROUTES.iter().filter(|route| route.path != "/") {
            assert_eq!(route.twin, format!("{}.json", route.path));
            assert_eq!(known(route.path), Some(route.path));
            for more in ["", "?a=b", "#keys", "?a=b#keys", "?"] {
                assert_eq!(why_no_beginning(&format!("{}{more}", route.path)), None);
            }
        }
        assert_eq!(known("/.json"), Some("/index.json"));
        assert_eq!(known("/..%2f"), None);
        let long = format!("/records?item={}", "a".repeat(LONGEST));
        let encoded = format!("/records?item={}", "\u{e9}".repeat(LONGEST / 4));
        for (at, word) in [
            ("/view.css", "no page"),
            ("records", "no page"),
            ("//x", "no page"),
            ("/records?item=a\nb", "control"),
            ("/about#\0", "control"),
            (&long, "longer"),
            (&encoded, "longer"),
        ] {
            let why = why_no_beginning(at).unwrap();
            assert!(why.contains(word), "{at}: {why}");
        }
    }
}
