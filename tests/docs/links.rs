//! Every link of the Markdown leads to a file and a heading that exist, and, where mdBook is, so
//! does every link of the built book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::page::{chapters, fences, files, root, text};
use crate::support::needs::{Needs, on_path};

/// Targets of `[…](…)` outside of fences and of code in a line.
fn targets(page: &str) -> Vec<(usize, String)> {
    let text = text(page);
    let mut found = Vec::new();
    for (number, line) in fences(&text).1 {
        // Every second part of a line stands between backticks.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for rest in prose.split("](").skip(1) {
            if let Some((target, _)) = rest.split_once(')') {
                found.push((number, target.to_owned()));
            }
        }
    }
    found
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a page; of headings that are said twice the second has a number.
fn anchors(page: &str) -> BTreeSet<String> {
    let text = text(page);
    let mut found = BTreeSet::new();
    for (_, line) in fences(&text).1 {
        let Some(heading) = line.strip_prefix('#') else {
            continue;
        };
        let name = anchor(heading.trim_start_matches('#'));
        let mut candidate = name.clone();
        for number in 1.. {
            if found.insert(candidate.clone()) {
                break;
            }
            candidate = format!("{name}-{number}");
        }
    }
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(made.pop()),
            Component::CurDir => {}
            other => made.push(other),
        }
    }
    made
}

fn pages() -> Vec<String> {
    let mut pages = files("docs", ".md");
    pages.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(str::to_owned));
    pages
}

#[test]
fn every_link_leads_somewhere() {
    let chapters: BTreeSet<String> = chapters().into_iter().collect();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in pages() {
        for (line, target) in targets(&page) {
            if target.contains("://") {
                continue;
            }
            seen += 1;
            let mut tell = |what: &str| wrong.push(format!("{page}:{line}: {target}: {what}"));
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let to = match file {
                "" => PathBuf::from(&page),
                file => plain(&Path::new(&page).parent().expect("a folder").join(file)),
            };
            let to = to.to_string_lossy().into_owned();
            let on_disk = root().join(&to);
            if !on_disk.exists() {
                tell("is not there");
            } else if !anchor.is_empty() && !anchors(&to).contains(anchor) {
                tell("has no such heading");
            }
            // What the book does not hold, its readers cannot open.
            if chapters.contains(&page) {
                if !to.starts_with("docs/") || on_disk.is_dir() {
                    tell("is not in the book");
                } else if to.ends_with(".md") && !chapters.contains(&to) {
                    tell("is no chapter of SUMMARY.md");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 300, "only {seen} links were found");
}

#[test]
fn every_page_is_a_chapter() {
    let chapters = chapters();
    for page in files("docs", ".md") {
        let known = chapters.contains(&page) || page == "docs/SUMMARY.md";
        assert!(known, "{page} is not in docs/SUMMARY.md");
    }
}

/// The values of an attribute in a page of the site.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let parts = html.split(name).skip(1);
    parts.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_book_builds_without_a_broken_link() {
    let needs = Needs {
        suite: "the book as a site",
        missing: "mdbook is not on the PATH (.ci/run installs it)",
        variable: "JUDICA_BOOK",
        packages: &[],
    };
    let Some(mdbook) = on_path("mdbook") else {
        return needs.missed();
    };
    let site = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&site);
    let built = Command::new(mdbook)
        .arg("build")
        .arg(root().join("docs/book"))
        .arg("--dest-dir")
        .arg(&site)
        .output()
        .expect("mdbook starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "{said}");

    let page = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for chapter in chapters() {
        let path = chapter.strip_prefix("docs/").expect("a chapter");
        let path = path.replace(".md", ".html");
        let from = site.join(&path);
        let html = page(&from);
        assert!(!html.is_empty(), "{path} was not built");
        for link in attributes(&html, " href=\"")
            .into_iter()
            .chain(attributes(&html, " src=\""))
        {
            if link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = match file {
                "" => from.clone(),
                file => plain(&from.parent().expect("a folder").join(file)),
            };
            let heading = format!("id=\"{anchor}\"");
            if !to.is_file() || (!anchor.is_empty() && !page(&to).contains(&heading)) {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 1000, "only {seen} links were found");
    let search = fs::read_dir(&site).expect("the site");
    let search = search.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert!(
        search
            .into_iter()
            .any(|name| name.starts_with("searchindex"))
    );
}
