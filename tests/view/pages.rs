//! Every page of every kind of run, as a program sees it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::guard::guarded;
use crate::runs::{Kind, demo, empty, every_kind, hostile, weather};
use crate::served::View;
use crate::support::Place;
use crate::walk::{path, values, walked};
use crate::wire::Reply;

/// A page may have this many bytes.
const MOST: usize = 200_000;

/// What must hold of a page, whatever is on it.
#[track_caller]
pub fn sound(target: &str, reply: &Reply) {
    guarded(reply);
    assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    let kind = reply.header("content-type").expect("a type");
    if kind.starts_with("application/json") {
        let twin = reply.json();
        assert_eq!(twin["schema_version"], "judica.view/1", "{target}");
        return;
    }
    if !kind.starts_with("text/html") {
        return;
    }
    let html = reply.text();
    assert!(html.len() < MOST, "{target}: {} bytes", html.len());
    let ids = values(html, "id");
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(
        unique.len(),
        ids.len(),
        "{target}: ids stand twice: {ids:?}"
    );
    for link in values(html, "href")
        .into_iter()
        .chain(values(html, "src"))
        .chain(values(html, "action"))
    {
        assert!(
            (link.starts_with('/') && !link.starts_with("//")) || link.starts_with('#'),
            "{target} leads to {link}"
        );
        if let Some(id) = link.strip_prefix('#') {
            assert!(unique.contains(&id.to_owned()), "{target} has no {link}");
        }
    }
    for word in [
        "<style",
        "style=\"",
        "onclick",
        "onload=\"",
        "<iframe",
        "<object",
        "\u{202e}",
        "\u{1b}",
        "\0",
    ] {
        assert!(!html.contains(word), "{target} has {word:?}");
    }
    let scripts: Vec<&str> = html.matches("<script").collect();
    assert_eq!(scripts.len(), 1, "{target}: scripts");
    assert!(
        html.contains("<html lang=\"en\">") && html.contains("<h1>"),
        "{target}"
    );
    assert!(
        html.contains("judica view "),
        "{target} does not say how it is opened elsewhere"
    );
    // A page and its twin: the twin is among the links.
    assert!(
        values(html, "href")
            .iter()
            .any(|link| path(link).ends_with(".json")),
        "{target}"
    );
}

#[track_caller]
fn all_sound(kind: &Kind, of_a_path: usize) -> BTreeSet<String> {
    let view = View::open(&kind.place, kind.view).indexed();
    let pages = walked(&view, of_a_path);
    for (target, reply) in &pages {
        sound(&format!("{}: {target}", kind.name), reply);
    }
    pages.keys().map(|target| path(target).to_owned()).collect()
}

#[test]
fn every_page_of_every_kind_is_sound() {
    let mut all = BTreeSet::new();
    for kind in every_kind() {
        all.extend(all_sound(&kind, 6));
    }
    for page in [
        "/",
        "/records",
        "/record",
        "/item",
        "/compare",
        "/rules",
        "/metrics",
        "/labels",
        "/episode",
        "/rejects",
        "/about",
        "/index.json",
        "/records.json",
        "/record.json",
        "/item.json",
        "/compare.json",
        "/rules.json",
        "/metrics.json",
        "/labels.json",
        "/episode.json",
        "/rejects.json",
        "/about.json",
    ] {
        assert!(all.contains(page), "nobody came to {page}");
    }
}

#[test]
fn every_page_of_a_hostile_run_is_sound() {
    for kind in hostile() {
        all_sound(&kind, 3);
    }
}

#[test]
fn every_one_of_many_models_can_be_chosen() {
    let place = Place::new();
    let row = |model: usize| {
        let model = format!("m{model:03}");
        json!({"id": "q", "model": model, "gold": "a", "prediction": "a"}).to_string()
    };
    place.write_lines("p.jsonl", &(0..150).map(row).collect::<Vec<_>>());
    place.judica("match -p p.jsonl --run r").exits(0);
    let view = View::open(&place, "r").indexed();
    let reply = view.get("/records");
    sound("/records", &reply);
    let to = |model: &str| format!("/records?subject={model}");
    let links = values(reply.text(), "href");
    let unfolded = reply.text().find("and 138 more").expect("a fold");
    for (model, folded) in [("m000", false), ("m012", true), ("m111", true)] {
        assert!(links.contains(&to(model)), "{model}");
        let at = reply.text().find(&to(model)).expect("a link");
        assert_eq!(at > unfolded, folded, "{model}");
    }
    assert!(!links.contains(&to("m112")));
    assert!(reply.text().contains("and 38 more"));
    // What is chosen stands in front.
    let chosen = view.get(&to("m149"));
    assert!(chosen.text().contains("✓ m149"), "{}", chosen.text());
    assert_eq!(view.get("/records.json?subject=m149").json()["total"], 1);
}

#[test]
fn a_run_of_nothing_has_its_pages() {
    let pages = all_sound(&empty(), 6);
    assert!(pages.contains("/records") && pages.contains("/metrics"));
}

/// Insists on a refusal that names what is wrong.
#[track_caller]
fn refused(view: &View, target: &str, status: u16, words: &[&str]) {
    let reply = view.get(target);
    guarded(&reply);
    assert_eq!(reply.status, status, "{target}: {}", reply.text());
    let twin = target.replacen("?", ".json?", 1);
    let twin = view.get(&twin);
    assert_eq!(twin.status, status, "{target} as JSON");
    let told = twin.json()["error"]["message"]
        .as_str()
        .expect("a message")
        .to_owned();
    for word in words {
        assert!(told.contains(word), "{target}: no `{word}` in `{told}`");
        // In the page it is written as HTML.
        let html = word
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        assert!(reply.text().contains(&html), "{target}: {}", reply.text());
    }
}

#[test]
fn what_is_asked_wrongly_is_named() {
    let kind = demo();
    let view = View::open(&kind.place, kind.view).indexed();
    for (target, words) in [
        ("/records?colour=red", &["colour"][..]),
        ("/records?verdict=maybe", &["verdict", "maybe"]),
        ("/records?subject=nobody", &["subject", "nobody"]),
        ("/records?dataset=nowhere", &["dataset", "nowhere"]),
        ("/records?rule=none.such", &["rule", "none.such"]),
        ("/records?severity=grave", &["severity", "grave"]),
        ("/records?grade=Q", &["grade", "Q"]),
        ("/records?metric=luck", &["metric", "luck"]),
        ("/records?metric=total&min=few", &["min", "few"]),
        ("/records?min=1", &["min"]),
        ("/records?metric=total&max=NaN", &["max", "NaN"]),
        ("/records?sort=luck", &["sort", "luck"]),
        ("/records?sort=-luck", &["sort", "luck"]),
        ("/records?after=soon", &["after", "soon"]),
        ("/records?verdict=fail&verdict=maybe", &["maybe"]),
        ("/records?run=b", &["run"]),
        ("/records?verdict=%3Cscript%3Ex%3C/script%3E", &["<script>"]),
        ("/rules?verdict=fail", &["verdict"]),
        ("/about?x=1", &["x"]),
        ("/record?row=first", &["row", "first"]),
        ("/record?row=0&row=1", &["row"]),
        ("/item?row=0&with=x", &["with"]),
        ("/compare?a=nobody&b=unsafe-1", &["nobody"]),
    ] {
        refused(&view, target, 400, words);
    }
    refused(&view, "/record?row=200", 404, &["row=200", "200 records"]);
    refused(
        &view,
        "/record?row=18446744073709551615",
        404,
        &["200 records"],
    );
    assert_eq!(view.get("/record?row=18446744073709551616").status, 400);
}

/// What decides in a comparison: both values, the difference and its interval.
fn decided(report: &Value) -> [Value; 3] {
    let row = &report["metrics"][0];
    ["a", "b", "difference"].map(|of| row[of].clone())
}

#[test]
fn a_comparison_is_that_of_the_command_below_it() {
    let kind = demo();
    for (runs, asked) in [
        ("demo/run", "a=rate-limited-1&b=unsafe-1"),
        ("demo/run demo/run", "a=rate-limited-1&b=unsafe-1"),
        ("demo/run demo/run", "a=unsafe-1"),
        ("demo/run demo/run", ""),
    ] {
        let view = View::open(&kind.place, runs).indexed();
        let page = view.get(&format!("/compare?{asked}"));
        let html = page.text();
        let (_, said) = html.split_once("At a terminal: <code>").expect("a command");
        let (said, _) = said.split_once("</code>").expect("its end");
        let said = said.strip_prefix("judica ").expect("of this program");
        let printed = kind.place.judica(&format!("{said} --json")).exits(0);
        let printed: Value = serde_json::from_str(&printed.stdout).expect("a report");
        let twin = view.get(&format!("/compare.json?{asked}")).json();
        assert_eq!(decided(&twin["report"]), decided(&printed), "{said}");
        let subjects = |report: &Value| {
            let sides = report["sides"].as_array().expect("sides").clone();
            sides
                .into_iter()
                .map(|side| side["subject"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(subjects(&twin["report"]), subjects(&printed), "{said}");
        if asked.contains("&b=") {
            let named = json!(["rate-limited-1", "unsafe-1"]);
            assert_eq!(json!(subjects(&printed)), named, "{said}");
            assert!(html.contains("(unsafe-1) against a = "), "{runs}");
        }
    }
}

#[test]
fn repeats_and_runs_are_told_apart() {
    let place = Place::new();
    let row = |epoch: u32, item: &str, said: &str| {
        json!({"id": item, "model": "-m", "epoch": epoch, "gold": "x", "prediction": said})
            .to_string()
    };
    for (run, said) in [("one", "x"), ("two", "y")] {
        let rows = [row(1, "-q", said), row(2, "-q", "y"), row(1, "r", "x")];
        place.write_lines("p.jsonl", &rows);
        let line = format!("match --predictions p.jsonl --dataset d --run {run} --keep-text");
        place.judica(&line).exits(0);
    }
    let view = View::open(&place, "one two").indexed();
    let compared = view.get("/compare").text().to_owned();
    assert!(
        compared.contains("<td>-m</td>"),
        "whose items changed sides"
    );
    let twin = view.get("/compare.json").json();
    let failing = &twin["newly_failing"];
    assert_eq!(
        (&failing["total"], &failing["rows"]),
        (&json!(1), &json!([[0, 0]]))
    );
    let [a, b] = ["a", "b"].map(|side| &failing["records"][0][side]);
    assert_eq!((&a["item"], &a["verdict"]), (&json!("-q"), &json!("pass")));
    assert_eq!(b["verdict"], "fail");
    // Two repeats of one run, and one answer in two runs.
    for (target, titles) in [
        ("/item?row=0&with=1", ["-m, epoch 1", "-m, epoch 2"]),
        ("/item?row=0&with=0&in=b", ["-m in one", "-m in two"]),
    ] {
        let page = view.get(target).text().to_owned();
        for title in titles {
            assert_eq!(
                page.matches(&format!("<h2>{title}</h2>")).count(),
                1,
                "{target}"
            );
        }
        let twin = view.get(&target.replace("/item", "/item.json")).json();
        assert_ne!(twin["a"], json!({"row": twin["b"]["row"]}));
        for key in ["dataset", "epoch", "run"] {
            assert!(twin["a"].get(key).is_some(), "{key}");
        }
    }
    // What the page says to type shows this record and no other.
    let page = view.get("/record?row=1").text().to_owned();
    let (_, said) = page
        .split_once("At a terminal: <code>judica ")
        .expect("a command");
    let (said, _) = said.split_once("</code>").expect("its end");
    let shown = place
        .judica(&said.replacen("show", "show --json", 1))
        .exits(0);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("one record");
    assert_eq!((&shown["item"], &shown["epoch"]), (&json!("-q"), &json!(2)));
}

#[test]
fn of_very_many_subjects_some_are_drawn_and_any_stays_chosen() {
    let place = Place::new();
    let rows = (0..600).map(|at| {
        let said = if at % 3 == 0 { "y" } else { "x" };
        json!({"id": "q", "model": format!("s{at:03}"), "gold": "x", "prediction": said})
            .to_string()
    });
    place.write_lines("p.jsonl", &rows.collect::<Vec<_>>());
    place
        .judica("match --predictions p.jsonl --run run")
        .exits(0);
    let view = View::open(&place, "run").indexed();
    let metrics = view.get("/metrics").text().to_owned();
    assert!(metrics.contains("The figure has the first 200 values"));
    assert!(view.get("/metrics.svg").text().len() < 1_000_000);
    let compared = view.get("/compare?a=s599&b=s000").text().to_owned();
    for chosen in ["s599", "s000"] {
        let option = format!("<option value=\"{chosen}\" selected>");
        assert_eq!(compared.matches(&option).count(), 1, "{chosen}");
    }
}

#[test]
fn what_a_metric_lacks_is_said_once() {
    let kind = weather();
    let view = View::open(&kind.place, kind.view).indexed();
    let page = view.get("/metrics").text().to_owned();
    let notes = |table: &str| table.matches(">n/a: no record has a value of it<").count();
    let tables: Vec<usize> = page.split("</section>").map(notes).collect();
    assert!(
        tables.contains(&1) && tables.iter().all(|notes| *notes < 2),
        "{tables:?}"
    );
    assert!(
        page.contains(" has no interval: only one cluster<"),
        "{page}"
    );
}

#[test]
fn raters_agree_as_far_as_the_report_of_the_run_says() {
    let place = Place::new();
    let grades = ["poor", "fair", "good"];
    let mut rows = "item,rater,value\n".to_owned();
    for item in 0..30 {
        // Who comes first in the file says nothing; whose name comes first has no say on item 0.
        for (at, rater) in ["zoe", "amy", "bob"].into_iter().enumerate() {
            if (item, rater) != (0, "amy") {
                let value = grades[(item + at * (item % 4 / 2)) % 3];
                rows.push_str(&format!("i{item},{rater},{value}\n"));
            }
        }
    }
    place.write("ratings.csv", rows);
    let order = "--level ordinal --order poor,fair,good";
    place
        .judica(&format!(
            "agree ratings --input ratings.csv {order} --run rated"
        ))
        .exits(0);
    let report = place.json("rated/report.json");
    let view = View::open(&place, "rated").indexed();
    let raters = view.get("/labels.json").json()["raters"].clone();
    let (pairs, printed) = (&raters["pairs"], &report["pairwise"]);
    assert_eq!(pairs.as_array().map(Vec::len), Some(3));
    for at in 0..3 {
        let [shown, said] = [pairs, printed].map(|all| &all[at]["cohen_kappa"]);
        assert!(shown["ci"].is_array(), "{shown}");
        assert_eq!(shown, said, "{}", pairs[at]);
    }
}

/// The records of a run as the program writes them out.
fn exported(place: &Place, run: &str) -> Vec<Value> {
    place
        .judica(&format!("export {run} --format jsonl --out all.jsonl"))
        .exits(0);
    place.json_lines("all.jsonl")
}

#[test]
fn lists_are_what_the_records_say() {
    let kind = demo();
    let records = exported(&kind.place, "demo/run");
    let view = View::open(&kind.place, kind.view).indexed();
    let total = |query: &str| view.get(&format!("/records.json?{query}")).json()["total"].clone();
    let count = |holds: &dyn Fn(&Value) -> bool| json!(records.iter().filter(|r| holds(r)).count());
    assert_eq!(total(""), json!(200));
    let ineligible = |r: &Value| r["agent_output"]["adjudication"] == "ineligible";
    assert_eq!(total("verdict=fail"), count(&ineligible));
    assert_eq!(total("verdict=fail&verdict=pass"), json!(200));
    let unsafe_one = |r: &Value| r["model_name"] == "unsafe-1";
    assert_eq!(total("subject=unsafe-1"), count(&unsafe_one));
    assert_eq!(
        total("subject=unsafe-1&verdict=fail"),
        count(&|r| unsafe_one(r) && ineligible(r))
    );
    let first = |r: &Value| r["sample_id"].as_str().expect("an id").contains("_00000");
    assert_eq!(total("item=_00000"), count(&first));
    let failed = |r: &Value, key: &str, word: &str| {
        let atoms = r["evidence_pack"]["atoms"].as_array().expect("atoms");
        atoms
            .iter()
            .any(|atom| atom["pass"] == false && atom[key] == word)
    };
    assert_eq!(
        total("severity=critical"),
        count(&|r| failed(r, "severity", "critical"))
    );
    // Each list, page by page, is as long as it says, in the order it says, and nothing twice.
    for query in ["", "sort=score", "sort=-score", "verdict=fail&sort=mae"] {
        let (mut after, mut rows, mut scores) = (String::new(), BTreeSet::new(), Vec::new());
        loop {
            let page = view.get(&format!("/records.json?{query}{after}")).json();
            for row in page["records"].as_array().expect("records") {
                assert!(rows.insert(row["row"].as_u64()), "{query}: twice: {row}");
                scores.push(row["score"].as_f64());
            }
            let next = match &page["next"] {
                Value::Null => break,
                Value::String(next) => next.clone(),
                next => next.to_string(),
            };
            after = format!("&after={next}");
        }
        assert_eq!(json!(rows.len()), total(query), "{query}");
        let scores: Vec<f64> = scores.into_iter().flatten().collect();
        match query {
            "sort=score" => assert!(scores.is_sorted(), "{scores:?}"),
            "sort=-score" => assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}"),
            _ => {}
        }
    }
}
