//! From page to page, by the links that stand on them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::served::View;
use crate::wire::Reply;

/// The values of an attribute, as a browser reads them.
pub fn values(html: &str, attribute: &str) -> Vec<String> {
    let begin = format!(" {attribute}=\"");
    let pieces = html.split(&begin).skip(1);
    let value = |piece: &str| piece.split('"').next().expect("a value").to_owned();
    pieces.map(|piece| unescaped(&value(piece))).collect()
}

fn unescaped(text: &str) -> String {
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    named.iter().fold(text.to_owned(), |text, (name, plain)| {
        text.replace(name, plain)
    })
}

/// A path with the names of its parameters: what pages of one shape have in common.
fn shape(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let names: BTreeSet<&str> = query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .collect();
    format!("{path}?{}", names.into_iter().collect::<Vec<_>>().join("&"))
}

/// The path of an address.
pub fn path(target: &str) -> &str {
    target.split(['?', '#']).next().expect("a path")
}

/// Every page that can be reached, by its address; of each path the first few shapes, since
/// filters can be put together in too many ways.
#[track_caller]
pub fn walked(view: &View, of_a_path: usize) -> BTreeMap<String, Reply> {
    walk(view, of_a_path, true)
}

#[track_caller]
fn walk(view: &View, of_a_path: usize, twins: bool) -> BTreeMap<String, Reply> {
    let mut shapes = BTreeSet::new();
    let mut paths: BTreeMap<String, usize> = BTreeMap::new();
    let mut pages = BTreeMap::new();
    let mut ahead = VecDeque::from(["/".to_owned()]);
    while let Some(target) = ahead.pop_front() {
        let count = paths.entry(path(&target).to_owned()).or_default();
        let passed_by = !twins && path(&target).ends_with(".json");
        if passed_by || *count == of_a_path || !shapes.insert(shape(&target)) {
            continue;
        }
        *count += 1;
        let reply = view.get(&target);
        if reply
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/html"))
        {
            let links = values(reply.text(), "href").into_iter();
            let links = links.filter(|link| link.starts_with('/'));
            ahead.extend(links.map(|link| link.split('#').next().expect("a page").to_owned()));
            let images = values(reply.text(), "src");
            ahead.extend(images.into_iter().filter(|link| link.starts_with('/')));
        }
        pages.insert(target, reply);
    }
    pages
}

/// One page of each path, and a list with a filter.
#[track_caller]
pub fn one_of_each(view: &View) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let pages = walk(view, 2, false).into_iter().filter(|(_, reply)| {
        let kind = reply.header("content-type");
        kind.is_some_and(|kind| kind.starts_with("text/html"))
    });
    pages
        .map(|(target, _)| target)
        .filter(|target| {
            let filtered = path(target) == "/records" && target.contains('?');
            seen.insert((path(target).to_owned(), filtered))
        })
        .collect()
}
