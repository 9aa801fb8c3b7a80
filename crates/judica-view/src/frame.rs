//! What stands around every page.

use maud::{DOCTYPE, Markup, html};

use crate::asked::{Asked, address};
use crate::route::{Page, ROUTES, Route, run_of};
use crate::viewer::Viewer;
use crate::words::name;

/// Where a page stands.
pub struct Frame<'v> {
    pub viewer: &'v Viewer,
    /// The page, if there is one.
    pub route: Option<&'v Route>,
    /// Whether it is about the second of two runs.
    pub second: bool,
    /// Its address.
    pub at: &'v str,
}

/// The whole document.
pub fn render(frame: &Frame, page: &Page) -> Markup {
    let runs = &frame.viewer.runs;
    let opened = &runs[usize::from(frame.second)];
    let here = frame.route.map(|route| route.path);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (name(&page.title)) " · judica" }
                link rel="icon" href="/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/view.css";
                script src="/view.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    a.brand href="/" { "judica" }
                    @if runs.len() == 1 {
                        span.run-name { (name(&opened.name)) }
                    } @else {
                        nav.runs aria-label="Runs" {
                            @for (at, opened) in runs.iter().enumerate() {
                                a href=(other_run(frame, at == 1))
                                    aria-current=[(frame.second == (at == 1)).then_some("true")] {
                                    (if at == 0 { "a" } else { "b" }) ": " (name(&opened.name))
                                }
                            }
                        }
                    }
                    nav aria-label="Pages" {
                        @for (route, name) in ROUTES.iter().filter_map(|r| Some((r, r.name?))) {
                            a href=(address(route.path, run_of(frame.second)))
                                aria-current=[(Some(route.path) == here).then_some("page")] {
                                (name)
                            }
                        }
                    }
                }
                main id="main" { (page.body) }
                footer {
                    p {
                        "This page elsewhere: "
                        code id="command" { (frame.viewer.command(frame.at)) }
                    }
                    p {
                        a href=(twin(frame.at)) { "This page as JSON" }
                        " · "
                        a id="keys-page" href=(format!("{}#keys", address("/about", run_of(frame.second)))) { "Keys" }
                    }
                }
            }
        }
    }
}

/// The same page of a run, as far as the run has what is asked for.
fn other_run(frame: &Frame, second: bool) -> String {
    let (path, query) = frame.at.split_once('?').unwrap_or((frame.at, ""));
    let mut asked = Asked::of(Some(query));
    // What stands in a row of one run stands in another row of the other.
    let path = match path {
        "/record" | "/item" | "/episode" => "/records",
        other => other,
    };
    for taken in ["run", "row", "with", "after"] {
        let _ = asked.take(taken);
    }
    let mut pairs: Vec<(&str, String)> = run_of(second);
    let rest = asked.rest().map(|(name, value)| (name, value.to_owned()));
    match second == frame.second {
        true => pairs.extend(rest),
        false => pairs.extend(frame.viewer.runs[usize::from(second)].kept(rest.collect())),
    }
    address(path, pairs)
}

/// The address of a page's twin.
fn twin(at: &str) -> String {
    let (path, query) = at.split_once('?').unwrap_or((at, ""));
    let path = if path == "/" { "/index" } else { path };
    match query {
        "" => format!("{path}.json"),
        query => format!("{path}.json?{query}"),
    }
}
