//! What is chosen on one page and has to hold on the next.

use serde_json::json;

use crate::guard::guarded;
use crate::runs::kind;
use crate::served::View;
use crate::support::Place;
use crate::walk::values;

/// A run of `match`, of which each model answers some items.
fn matched(place: &Place, run: &str, dataset: &str, models: &[&str]) {
    let rows: Vec<String> = models
        .iter()
        .flat_map(|model| (0..4).map(move |item| (model, item)))
        .map(|(model, item)| {
            let said = if item == 0 { "y" } else { "x" };
            json!({"id": format!("q{item}"), "model": model, "dataset": dataset, "gold": "x",
                "prediction": said})
            .to_string()
        })
        .collect();
    place.write_lines("p.jsonl", &rows);
    place
        .judica(&format!("match --predictions p.jsonl --run {run}"))
        .exits(0);
}

#[test]
fn who_chose_what_cannot_be_compared_chooses_again() {
    let place = Place::new();
    matched(&place, "one", "d", &["m", "n"]);
    matched(&place, "two", "d", &["x", "y"]);
    let view = View::open(&place, "one two").indexed();
    for (asked, word) in [
        ("", "no subject in common"),
        ("?a=m", "choose one for `b`, too"),
        ("?a=m&b=nobody", "`b=nobody`: no such subject"),
    ] {
        let reply = view.get(&format!("/compare{asked}"));
        guarded(&reply);
        assert_eq!(reply.status, 400, "{asked}");
        assert!(reply.text().contains(word), "{asked}: {}", reply.text());
        for option in ["m", "n", "x", "y"] {
            let option = format!("<option value=\"{option}\"");
            assert!(reply.text().contains(&option), "{asked}: {option}");
        }
        let chosen = "<option value=\"m\" selected>";
        assert_eq!(reply.text().contains(chosen), asked.starts_with("?a=m"));
        let twin = view.get(&format!("/compare.json{asked}"));
        assert_eq!(
            (twin.status, &twin.json()["error"]["status"]),
            (400, &json!(400))
        );
    }
    assert_eq!(view.get("/compare?a=m&b=y").status, 200);
    // One file has no form: it says what else there is.
    place
        .judica("report one --against two --html out.html")
        .exits(2)
        .complains(&["no subject in common", "judica compare", "--one-each"]);
    // The words are those of the page.
    let alone = View::open(&place, "one").indexed();
    let reply = alone.get("/compare?a=m&b=m");
    assert_eq!(reply.status, 400);
    assert!(
        reply.text().contains("a and b are both `m`"),
        "{}",
        reply.text()
    );
}

#[test]
fn the_other_run_is_asked_for_what_it_has() {
    let place = Place::new();
    matched(&place, "one", "d", &["m", "n"]);
    matched(&place, "two", "e", &["m", "y"]);
    let view = View::open(&place, "one two").indexed();
    for (from, to) in [
        ("/records?dataset=d", "/records?run=b"),
        (
            "/records?subject=m&subject=n&verdict=fail&sort=score",
            "/records?run=b&subject=m&verdict=fail&sort=score",
        ),
        (
            "/records?metric=matched&min=1",
            "/records?run=b&metric=matched&min=1",
        ),
        ("/records?run=b&subject=y&item=q", "/records?item=q"),
        ("/metrics?metric=matched", "/metrics?run=b&metric=matched"),
    ] {
        let links = values(view.get(from).text(), "href");
        assert!(links.iter().any(|link| link == to), "{from}: {links:?}");
        assert_eq!(view.get(to).status, 200, "{to}");
    }
    // Who was in the second run stays there.
    for (at, status) in [("/records?run=b", 200), ("/records?run=b&verdict=x", 400)] {
        let reply = view.get(at);
        assert_eq!(reply.status, status);
        let links = values(reply.text(), "href");
        assert!(links.contains(&"/about?run=b#keys".to_owned()), "{links:?}");
        assert!(links.contains(&"/?run=b".to_owned()), "{links:?}");
    }
}

#[test]
fn what_passes_newly_says_why_it_failed() {
    let kind = kind(4);
    let view = View::open(&kind.place, "b a").indexed();
    let page = view.get("/compare").text().to_owned();
    let (failing, passing) = page.split_once("<h2>Newly passing").expect("a heading");
    assert!(!failing.contains("failed in a</th>"));
    let (head, body) = passing.split_once("failed in a</th>").expect("a column");
    assert!(!head.contains("<tbody>"));
    let (row, _) = body.split_once("</tr></tbody>").expect("rows");
    assert!(!row.contains("<td></td></tr>"), "{row}");
}

#[test]
fn names_with_control_characters_outlast_a_form() {
    let place = Place::new();
    let names = ["new\nline", "cr\ronly", "nul\0x", "ok"];
    matched(&place, "run", "d", &names);
    let view = View::open(&place, "run").indexed();
    let links = values(view.get("/records").text(), "href");
    let mut links: Vec<&String> = links.iter().filter(|to| to.contains("subject=")).collect();
    links.sort();
    links.dedup();
    assert_eq!(links.len(), names.len(), "{links:?}");
    // A browser changes such characters in what a form sends.
    let kept = |value: &String| !value.contains(char::is_control);
    for link in links
        .into_iter()
        .chain([&"/records?subject=new%0Aline".to_owned()])
    {
        let page = view.get(link);
        let sent = values(page.text(), "value");
        let subject = sent.first().expect("a hidden field").replace('#', "%23");
        assert!(sent.iter().all(kept), "{link}: {sent:?}");
        let again = view.get(&format!("/records.json?subject={subject}"));
        assert_eq!(again.json()["total"], 4, "{link}");
    }
    let page = view.get("/compare");
    let options = values(page.text(), "value");
    assert!(options.iter().all(kept), "{options:?}");
    for option in options.iter().filter(|option| *option != "ok") {
        let at = format!("/compare?a=ok&b={}", option.replace('#', "%23"));
        assert_eq!(view.get(&at).status, 200, "{at}");
    }
}
